;;; tests.el --- running ERT and Buttercup tests  -*- lexical-binding: t; -*-

;; Both frameworks call a debugger of their own where a test fails, report results to a listener, and accept a
;; selection.

(defvar lispwright--running nil "The name of the running test.")
(defvar lispwright--tally nil "The results so far: a plist for the answer.")

(defconst lispwright--most-failures 100 "The number of failed tests that are sent.")
(defconst lispwright--most-names 200 "The number of names of tests that are sent.")

(defun lispwright--count (key &optional number)
  "Add NUMBER or 1 to the number at KEY of the tally."
  (setq lispwright--tally
        (plist-put lispwright--tally key (+ (or number 1) (or (plist-get lispwright--tally key) 0)))))

(defun lispwright--note-failure (name description reason form values place &optional frames)
  "Record that the test NAME failed for REASON: its DESCRIPTION, the FORM and VALUES that were tested, its PLACE, and the
FRAMES of its error."
  (lispwright--count :failed)
  (let ((failures (plist-get lispwright--tally :failed-tests)))
    (when (< (length failures) lispwright--most-failures)
      (setq lispwright--tally
            (plist-put lispwright--tally :failed-tests
                       (append failures
                               (list (list :name name :description (or description "") :reason reason :form form :values values
                                           :file (car place) :line (cdr place) :frames frames))))))))

(defun lispwright--project-frames (backtrace)
  "The innermost three calls in BACKTRACE, a list of frames as ERT keeps them, of functions of the project, for the parent."
  (let ((facts nil))
    (while (and backtrace (< (length facts) 3))
      (let* ((frame (pop backtrace))
             (function (and (fboundp 'backtrace-frame-fun) (backtrace-frame-fun frame))))
        (when (and function (symbolp function) (lispwright--noted-place function 'defun))
          (push (lispwright--frame-facts (list t function (backtrace-frame-args frame)) (length facts) nil) facts))))
    (nreverse facts)))

;;; Selecting files

(defun lispwright--test-files (request)
  "The test files of REQUEST: the one that it names, or those that are named after the feature."
  (let ((path (lispwright--argument request :PATH))
        (name (lispwright--argument request :SYSTEM)))
    (if path
        (list path)
      (let ((files nil))
        (dolist (root (lispwright--argument request :ROOTS))
          (dolist (directory (list root (concat root "test/") (concat root "tests/") (concat root "lisp/")))
            (dolist (pattern (list (concat name "-tests?") (concat "test-" name)))
              (when (file-directory-p directory)
                (setq files (append files (directory-files directory t (concat "\\`" pattern "\\.el\\'"))))))))
        (or (delete-dups files)
            (let ((file (lispwright--library name)))
              (and file (list file))))))))

;;; ERT

(defun lispwright--ert-tests (files)
  "The names of the ERT tests that FILES define, sorted as ERT sorts all tests before it runs them."
  (let ((names nil))
    (maphash (lambda (key place)
               (when (and (eq (cdr key) 'ert-deftest) (member (car place) files) (get (car key) 'ert--test))
                 (push (car key) names)))
             lispwright--places)
    (sort names #'string<)))

(defun lispwright--forget-tests (files)
  "Remove the tests that FILES have defined, which are loaded again."
  (mapc #'ert-delete-test (lispwright--ert-tests files))
  (when (boundp 'buttercup-suites)
    (set 'buttercup-suites nil)))

(defun lispwright--leave-test ()
  "Leave the running test if the parent has asked for it.  ERT's debugger passes on what is no error."
  (when (lispwright--left-p)
    (setq quit-flag nil)
    (throw 'lispwright--left
           (list (lispwright--left-text)
                 (lispwright--first 3 (lispwright--keep-if (lambda (fact) (plist-get fact :file))
                                                           (lispwright--folded-facts (lispwright--stack))))))))

(defun lispwright--run-leavable (function test)
  "Call FUNCTION, ERT's, to run TEST; a test that is left has failed."
  (let ((left (catch 'lispwright--left
                (condition-case nil
                    (progn (funcall function test) nil)
                  ;; The signal asks for the debugger and for a quit.  A quit that comes on the way into the debugger gets
                  ;; here, since Emacs does not call the debugger twice.
                  ((debug quit) (if (lispwright--left-p) (list (lispwright--left-text) nil) (signal 'quit nil)))))))
    (when left
      (setq lispwright--left left)
      ;; ERT was not there when this was read, and `setf' knew nothing of its structures.
      (aset test (cl-struct-slot-offset 'ert-test 'most-recent-result)
            (make-ert-test-failed :condition (list 'error (car left)) :backtrace nil :infos nil)))
    (ert-test-most-recent-result test)))

(defun lispwright--run-ert (names)
  "Run the ERT tests NAMES."
  (unwind-protect
      (progn
        (advice-add 'ert-run-test :around #'lispwright--run-leavable)
        (lispwright--run-ert-tests names))
    (advice-remove 'ert-run-test #'lispwright--run-leavable)))

(defun lispwright--run-ert-tests (names)
  "Run the ERT tests NAMES."
  (ert-run-tests `(member ,@names)
                 (lambda (event &rest arguments)
                   (pcase event
                     ('test-started (lispwright--test-started (symbol-name (ert-test-name (nth 1 arguments)))))
                     ('test-ended (lispwright--ert-ended (nth 1 arguments) (nth 2 arguments)))))))

(defvar lispwright--left nil "What is told of the test that was left last, and its frames.")
(defvar lispwright--tests-left 0 "The number of tests that have not begun.")
(defvar lispwright--test-began nil "The time when the running test began.")

(defun lispwright--test-started (name)
  "Record that the test NAME runs."
  (setq lispwright--running name)
  (setq lispwright--skip nil)
  (setq lispwright--interrupted nil)
  (setq lispwright--test-began (float-time))
  ;; ERT's debugger may have been called since the last key, and Emacs would not call it again.
  (setq num-nonmacro-input-events (1+ num-nonmacro-input-events))
  (unless lispwright--joined
    (setq lispwright--tests-left (1- lispwright--tests-left))
    (lispwright--send (list :progress :id lispwright--id :text (format "testing %s" name)
                            :test (and (> lispwright--tests-left 0) name)))))

(defun lispwright--left-p ()
  "Non-nil when the parent has asked to leave the running test.  It says so with the signal that makes Emacs quit, and a
child process brings what it says; a signal of somebody else brings nothing."
  (unless lispwright--joined
    (let ((inhibit-quit t)
          (most (+ (float-time) 2)))
      (while (and (not lispwright--skip) (not lispwright--interrupted) (< (float-time) most))
        (accept-process-output lispwright--reader 0.05))))
  (and lispwright--running (equal lispwright--skip lispwright--running)))

(defun lispwright--left-text ()
  "What is told of the running test, which was left."
  (format "It ran for %.1f s and was stopped, so that the others could run.  A larger timeout_seconds gives it more."
          (- (float-time) lispwright--test-began)))

(defun lispwright--ert-ended (test result)
  "Record the end of TEST, with RESULT."
  (cond ((or lispwright--left (and (ert-test-quit-p result) (lispwright--left-p)))
         (let ((left (or lispwright--left
                         (list (lispwright--left-text)
                               (lispwright--project-frames (ert-test-result-with-condition-backtrace result))))))
           (setq lispwright--left nil)
           (lispwright--note-failure (symbol-name (ert-test-name test)) (ert-test-documentation test)
                                     (car left) nil nil
                                     (lispwright--noted-place (ert-test-name test) 'ert-deftest) (cadr left))))
        ((ert-test-quit-p result) (signal 'quit nil))
        ;; The run is being stopped, and this is the running test.
        ((ert-test-aborted-with-non-local-exit-p result))
        ((ert-test-skipped-p result) (lispwright--count :skipped))
        ((ert-test-result-expected-p test result)
         (lispwright--count (if (ert-test-passed-p result) :passed :skipped)))
        (t (lispwright--ert-failed test result)))
  (unless (ert-test-aborted-with-non-local-exit-p result)
    (setq lispwright--running nil)))

(defun lispwright--ert-failed (test result)
  "Record that TEST has failed with RESULT."
  (let* ((name (ert-test-name test))
         (condition (and (ert-test-result-with-condition-p result) (ert-test-result-with-condition-condition result)))
         (facts (and (eq (car condition) 'ert-test-failed) (consp (cadr condition)) (cadr condition)))
         (properties (and facts (consp (cdr-safe facts)) (cdr facts))))
    (lispwright--note-failure
     (symbol-name name) (ert-test-documentation test)
     (cond ((not condition) "It passed, and was expected to fail.")
           ((and facts (stringp (plist-get properties :reason))) (plist-get properties :reason))
           (facts "The form did not hold.")
           ((eq (car condition) 'ert-test-failed) (format "%s" (cadr condition)))
           (t (format "%s: %s" (car condition) (lispwright--condition-text condition))))
     (and facts (lispwright--short-text (car facts)))
     (delq nil (mapcar (lambda (key)
                         (and (plist-member properties key)
                              (list (substring (symbol-name key) 1) (lispwright--short-text (plist-get properties key)))))
                       '(:form :value :condition :explanation :reason)))
     (lispwright--noted-place name 'ert-deftest)
     (and condition (not (eq (car condition) 'ert-test-failed))
          (lispwright--project-frames (ert-test-result-with-condition-backtrace result))))))

;;; Buttercup

(defun lispwright--run-buttercup (specs)
  "Run the Buttercup suites; only SPECS are counted."
  (defvar buttercup-reporter)
  (defvar buttercup-suites)
  (let ((buttercup-reporter
         (lambda (event argument)
           (pcase event
             ('spec-started (lispwright--test-started (buttercup-spec-full-name argument)))
             ('spec-done (lispwright--spec-done argument specs))))))
    (unwind-protect
        (progn
          (advice-add 'buttercup--debugger :around #'lispwright--unless-stopped)
          (dolist (spec (buttercup--specs buttercup-suites))
            (unless (memq spec specs)
              (aset spec (cl-struct-slot-offset 'buttercup-spec 'function) #'ignore)))
          (buttercup-run t))
      (advice-remove 'buttercup--debugger #'lispwright--unless-stopped))))

(defun lispwright--unless-stopped (function &rest arguments)
  "Call FUNCTION, a debugger, with ARGUMENTS if they are those of an error; otherwise call that of the agent."
  (cond ((and (eq (car arguments) 'error) (not (eq (car-safe (cadr arguments)) 'quit)))
         (apply function arguments))
        ((lispwright--left-p) (funcall function 'error (list 'error (lispwright--left-text))))
        (t (apply #'lispwright--debug arguments))))

(defun lispwright--spec-done (spec specs)
  "Record the result of SPEC, if it is one of SPECS."
  (when (memq spec specs)
    (pcase (buttercup-spec-status spec)
      ('passed (lispwright--count :passed))
      ('pending (lispwright--count :skipped))
      (_ (let ((description (buttercup-spec-failure-description spec)))
           (lispwright--note-failure (buttercup-spec-full-name spec) nil
                                     (cond ((stringp description) description)
                                           ((eq (car-safe (cadr description)) 'buttercup-failed)
                                            (format "%s" (cadr (cadr description))))
                                           ((consp (cadr description))
                                            (format "%s: %s" (car (cadr description))
                                                    (lispwright--condition-text (cadr description))))
                                           (t (lispwright--short-text description)))
                                     nil nil nil)))))
  (setq lispwright--running nil))

(defun lispwright--spec-named-p (spec name)
  "Non-nil when SPEC or a suite around it is called NAME."
  (or (lispwright--name-fits-p name (buttercup-spec-full-name spec))
      (equal (buttercup-suite-or-spec-description spec) name)
      (lispwright--find-if (lambda (suite)
                             (or (equal (buttercup-suite-or-spec-description suite) name)
                                 (equal (buttercup-suite-full-name suite) name)))
                           (buttercup-suite-or-spec-parents spec))))

;;; Running

(defun lispwright--choose (tests wanted named)
  "The TESTS for which NAMED returns non-nil with one of the names WANTED; all without names.  Names without a test are
recorded."
  (if (not wanted)
      tests
    (setq lispwright--tally
          (plist-put lispwright--tally :unmatched
                     (append (plist-get lispwright--tally :unmatched)
                             (lispwright--drop-if (lambda (name) (lispwright--find-if (lambda (test) (funcall named test name)) tests)) wanted))))
    (lispwright--keep-if (lambda (test) (lispwright--find-if (lambda (name) (funcall named test name)) wanted)) tests)))

(defun lispwright--left-out-text (names selector)
  "What is told of the ERT tests NAMES, which SELECTOR leaves out."
  (let ((shown (mapconcat #'symbol-name (lispwright--first 4 names) ", "))
        (more (- (length names) 4)))
    (format "The project's own runner selects %S: %d did not run. Tests that are named run: %s%s."
            selector (length names) shown (if (> more 0) (format " and %d more" more) ""))))

(defun lispwright--run-loaded (request files)
  "Run the tests that FILES have defined and REQUEST asks for."
  (let* ((ert (lispwright--ert-tests files))
         (specs (and (boundp 'buttercup-suites) (buttercup--specs (symbol-value 'buttercup-suites))))
         (framework (or (lispwright--argument request :FRAMEWORK)
                        (mapconcat #'identity (append (and (or ert (not specs)) '("ert")) (and specs '("buttercup"))) ",")))
         (frameworks (split-string (downcase framework) ","))
         (wanted (lispwright--argument request :TESTS))
         (others (append (and ert (not (member "ert" frameworks)) '("ert"))
                         (and specs (not (member "buttercup" frameworks)) '("buttercup"))))
         (ert (and (member "ert" frameworks) ert))
         (specs (and (member "buttercup" frameworks) specs))
         (selector (and ert (not wanted) (lispwright--own-selector (lispwright--argument request :ROOTS))))
         (left-out (and selector (lispwright--left-out ert selector)))
         (names (append (mapcar #'symbol-name ert) (mapcar #'buttercup-spec-full-name specs))))
    (setq lispwright--tally
          (append (and left-out (list :notes (list (lispwright--left-out-text left-out selector))))
                  (list :framework framework :others others :files files :name-count (length names)
                        :names (lispwright--first lispwright--most-names names))
                  lispwright--tally))
    (let* ((ert (lispwright--drop-if (lambda (name) (memq name left-out)) ert))
           (all (append (mapcar (lambda (name) (cons 'ert name)) ert) (mapcar (lambda (spec) (cons 'buttercup spec)) specs)))
           (chosen (lispwright--choose all wanted
                                       (lambda (test name)
                                         (if (eq (car test) 'ert)
                                             (lispwright--ert-fits-p name (cdr test))
                                           (lispwright--spec-named-p (cdr test) name)))))
           (chosen-ert (delq nil (mapcar (lambda (test) (and (eq (car test) 'ert) (cdr test))) chosen)))
           (chosen-specs (delq nil (mapcar (lambda (test) (and (eq (car test) 'buttercup) (cdr test))) chosen))))
      (setq lispwright--tests-left (+ (length chosen-ert) (length chosen-specs)))
      (when chosen-ert
        (lispwright--run-ert chosen-ert))
      (when chosen-specs
        (lispwright--run-buttercup chosen-specs))
      (list :outcome :tested))))

(defun lispwright--answer-run-tests (request)
  "Load tests again and run them."
  (require 'ert)
  (let* ((lispwright--tally (list :passed 0 :failed 0 :skipped 0))
         (lispwright--running nil)
         (answer (lispwright--with-work
                  request 'run-tests
                  (lambda ()
                    (let ((files (lispwright--test-files request))
                          (roots (lispwright--argument request :ROOTS)))
                      (if (not files)
                          (list :outcome :refused :no-system (lispwright--argument request :SYSTEM)
                                :systems (lispwright--libraries roots))
                        (setq lispwright--targets files)
                        (lispwright--forget-tests files)
                        (lispwright--call-with-directories
                         (lispwright--test-directories roots files)
                         (lambda ()
                           (lispwright--load-targets request files nil
                                                     (lambda ()
                                                       (lispwright--load-helpers (lispwright--test-helpers roots files))))
                           (lispwright--call-with-settings files
                                                           (lambda () (lispwright--run-loaded request files)))))))))))
    (append answer
            (and (plist-get lispwright--tally :framework) lispwright--tally)
            (and lispwright--running (list :running lispwright--running)))))
