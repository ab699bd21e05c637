;;;; Running tests: those of a framework (common-lisp-frameworks.lisp), else what hangs on ASDF's TEST-OP.
;;;;
;;;; The tests of a system are those that loading it has defined: not those of other systems, and not those whose definition
;;;; is gone from the files. They are run one by one, so it is known which one hangs, and what came before it counts.

(in-package "LISPWRIGHT.AGENT")

(defconstant +most-failures+ 100)

(defstruct tally
  "How the tests go."
  (frameworks '())                      ; names of those that had tests to run, newest first
  (others '())                          ; names of those that had some too, but were not to run
  (passed 0)
  (failed 0)
  (skipped 0)
  (failures '())                        ; plists, newest first
  (names '())
  (unmatched '())                       ; what was wanted by name and is not there
  (running nil)                         ; the name of the test that runs
  (exit-status nil)
  (files '()))                          ; the files that the tests are in

(defun tally-fields (tally)
  (append (list :framework (format nil "~:[none~;~:*~{~A~^, ~}~]" (reverse (tally-frameworks tally)))
                :others (reverse (tally-others tally))
                :passed (tally-passed tally) :failed (tally-failed tally) :skipped (tally-skipped tally)
                :failed-tests (reverse (tally-failures tally))
                :names (let ((names (reverse (tally-names tally)))) (subseq names 0 (min 200 (length names))))
                :unmatched (tally-unmatched tally))
          (and (tally-running tally) (list :running (tally-running tally)))
          (and (tally-exit-status tally) (list :exit-status (tally-exit-status tally)))))

;;; Running

(defun answer-run-tests (&rest arguments &key path system framework tests &allow-other-keys)
  "Loads tests afresh and runs them; the fields of the answer."
  (let ((tally (make-tally :unmatched tests)))
    (let ((answer (call-working
                   (lambda (work)
                     (multiple-value-bind (result status)
                         (call-catching-exit
                          (lambda ()
                            (cond ((null path) (run-system-tests work tally system framework tests))
                                  ((equalp (pathname-type path) "asd")
                                   (run-system-tests work tally (pathname-name path) framework tests))
                                  (t (run-file-tests work tally path framework tests)))))
                       (setf (tally-exit-status tally) status)
                       (or result (list :outcome :tested))))
                   arguments)))
      (if (eq (getf answer :outcome) :refused)
          answer
          (append answer (tally-fields tally))))))

(defun run-file-tests (work tally path framework wanted)
  (load-changed-systems work path)
  (let ((known (known-tests)))
    (call-redefining (lambda () (load-source-file work path)))
    (setf (tally-files tally) (list path))
    (run-new-tests tally known (wanted-frameworks framework *frameworks*) wanted)
    (list :outcome :tested)))

(defun run-system-tests (work tally name framework wanted)
  (let ((systems (call-compiling work (lambda () (mapcar #'asdf:component-name (test-systems (wanted-system name)))))))
    (dolist (system systems)
      (let ((known (known-tests)))
        (call-redefining (lambda () (load-test-system work system)))
        (setf (tally-files tally) (mapcar #'first (work-files work)))
        (let* ((system (asdf:find-system system))
               (named (or (frameworks-of system)
                          (remove-duplicates (mapcan #'frameworks-of (project-systems system)))))
               (found (run-new-tests tally known (wanted-frameworks framework (or named *frameworks*)) wanted)))
          (when (and (null found) (custom-test-p system))
            (if (and (null wanted) (or (null framework) (equalp framework "asdf")))
                (run-test-operation tally system)
                (unless (tally-others tally)
                  (push "asdf" (tally-others tally))))))))
    (list :outcome :tested)))

(defun project-systems (system)
  "SYSTEM and the systems of the project that it needs."
  (remove-if-not (lambda (one)
                   (let ((source (asdf:system-source-file one)))
                     (and source (project-file-p source))))
                 (plan-systems system)))

(defun load-test-system (work name)
  "Loads the system NAME, what its TEST-OP wants to be loaded and, afresh too, all systems of the project that define tests for
it."
  (let ((system (asdf:find-system name)))
    (dolist (other (call-with-libraries (lambda () (project-systems system))))
      (when (and (not (eq other system)) (frameworks-of other))
        (asdf:clear-system other)))
    (load-named-system work name t nil)
    (dolist (other (systems-for-testing system))
      (load-named-system work other t nil))))

(defun wanted-frameworks (name default)
  "The frameworks that are called NAME, or DEFAULT."
  (cond ((or (null name) (equalp name "auto")) default)
        ((equalp name "asdf") '())
        (t (or (remove name *frameworks* :test-not #'string-equal :key #'framework-name)
               (error "There is no framework ~S; there are ~{~A~^, ~} and asdf."
                      name (remove-duplicates (mapcar #'framework-name *frameworks*) :test #'equal))))))

(defun known-tests ()
  "The identities of all tests that are defined now."
  (loop for framework in *frameworks*
        when (present-p framework)
          append (mapcar #'car (defined-tests framework))))

(defun run-new-tests (tally known frameworks wanted)
  "Runs the tests of FRAMEWORKS that are not among KNOWN and that are WANTED by name; true when there were any. Notes which
other frameworks have such tests."
  (let ((any nil))
    (dolist (framework *frameworks* any)
      (let ((tests (and (present-p framework)
                        (loop for (identity . test) in (defined-tests framework)
                              unless (member identity known)
                                collect test)))
            (name (framework-name framework)))
        (cond ((null tests))
              ((member framework frameworks)
               (setf any t)
               (pushnew name (tally-frameworks tally) :test #'equal)
               (run-some-tests tally framework tests wanted))
              (t (pushnew name (tally-others tally) :test #'equal)))))))

(defun run-some-tests (tally framework tests wanted)
  (let ((tests (sort (copy-list tests) #'< :key (lambda (test) (definition-order tally framework test))))
        (*present-tests* (make-hash-table :test #'eq)))
    (dolist (test tests)
      (setf (gethash test *present-tests*) t)
      (push (full-name (test-name framework test)) (tally-names tally)))
    (setf (tally-unmatched tally)
          (remove-if (lambda (text) (some (lambda (test) (wanted-p framework test (list text))) tests))
                     (tally-unmatched tally)))
    (call-for-tests framework
                    (outermost framework (remove-if-not (lambda (test) (wanted-p framework test wanted)) tests))
                    (lambda (test) (run-one-test tally framework test)))))

(defun outermost (framework tests)
  "TESTS without those that others of them run."
  (let ((all (make-hash-table :test #'eq)))
    (dolist (test tests)
      (setf (gethash test all) t))
    (remove-if (lambda (test)
                 (loop for parent = (test-parent framework test) then (test-parent framework parent)
                       while parent
                       thereis (gethash parent all)))
               tests)))

(defun definition-order (tally framework test)
  "A number that grows with the place of TEST in its files."
  (let* ((place (test-place tally framework test))
         (file (position (getf place :file) (tally-files tally) :test #'equal)))
    (+ (* 1000000 (or file 0)) (or (getf place :line) 0))))

(defun full-name (name)
  (if (and (symbolp name) (symbol-package name))
      (format nil "~(~A::~A~)" (package-name (symbol-package name)) (symbol-name name))
      (format nil "~A" name)))

(defun bare-name (name)
  "NAME without its package. A test of RT may have any object for a name."
  (if (symbolp name) (symbol-name name) (full-name name)))

(defun wanted-p (framework test wanted)
  "True when WANTED is empty or has the name of TEST or of a group it is in, with its package or without."
  (or (null wanted)
      (loop for name in (cons (test-name framework test) (test-groups framework test))
              thereis (loop for text in wanted
                              thereis (or (string-equal text (full-name name))
                                          (string-equal (substitute-qualifier text) (full-name name))
                                          (string-equal text (bare-name name)))))))

(defun substitute-qualifier (text)
  "TEXT with two colons where it has one."
  (let ((colon (position #\: text)))
    (if (and colon (plusp colon) (not (find #\: text :start (1+ colon))))
        (format nil "~A:~A" (subseq text 0 colon) (subseq text colon))
        text)))

(defun run-one-test (tally framework test)
  (let ((name (full-name (test-name framework test))))
    (setf (tally-running tally) name)
    (tell-progress "testing ~A" name)
    (let* ((outcomes (outcomes-of framework test))
           (failed (remove :failed outcomes :key #'outcome-status :test-not #'eq)))
      (setf (tally-running tally) nil)
      (cond (failed
             (incf (tally-failed tally))
             (let* ((place (test-place tally framework test))
                    (symbol (test-name framework test))
                    ;; Forms are shown as they are written.
                    (*package* (or (and (symbolp symbol) (symbol-package symbol)) *package*)))
               (dolist (outcome failed)
                 (when (< (length (tally-failures tally)) +most-failures+)
                   (push (failure-fields name (test-groups framework test) outcome place) (tally-failures tally))))))
            ((find :passed outcomes :key #'outcome-status) (incf (tally-passed tally)))
            (t (incf (tally-skipped tally)))))))

(defun outcomes-of (framework test)
  "The outcomes of TEST. What its framework leaves to the debugger, BREAK first of all, is a failure of this test and not the end
of the others."
  (block nil
    (call-with-debugger-hook
     (lambda (condition)
       (return (list (make-outcome :status :failed
                                   :reason (format nil "It entered the debugger. ~A: ~A" (type-text condition)
                                                   (condition-text condition 1000))))))
     (lambda () (run-test framework test)))))

(defun failure-fields (name groups outcome place)
  (flet ((text (value)
           (if (stringp value) (subseq value 0 (min 2000 (length value))) (short-text value))))
    (append (list :name name
                  :description (let ((description (outcome-description outcome)))
                                 (if (and description (not (equal description "")))
                                     (text description)
                                     (format nil "~{~(~A~)~^ / ~}" (reverse groups))))
                  :reason (text (or (outcome-reason outcome) "It does not hold."))
                  :values (outcome-values outcome))
            (and (outcome-form outcome) (list :form (text (outcome-form outcome))))
            place)))

(defun test-place (tally framework test)
  "(:FILE namestring :LINE i) of the definition of TEST: as its function knows it, else where its name follows a head such as
deftest."
  (or (let ((function (test-function framework test)))
        (let ((place (and (functionp function) (function-place function))))
          ;; One that is compiled when it runs has no place of its own.
          (and (member (getf place :file) (tally-files tally) :test #'equal) place)))
      (let* ((name (test-name framework test))
             (package (and (symbolp name) (symbol-package name)))
             (elsewhere nil))
        (dolist (file (tally-files tally) elsewhere)
          (multiple-value-bind (line its-own-p) (definition-line file (bare-name name) package)
            (when line
              (let ((place (list :file file :line line)))
                (if its-own-p
                    (return place)
                    (setf elsewhere (or elsewhere place))))))))))

(defun definition-line (file name package)
  "The line of FILE that begins with a form that has \"test\" in its head and is followed by NAME, or NIL: the first in PACKAGE,
if that is not NIL, else the first. Second value: true when it is in PACKAGE."
  (with-open-file (stream file :if-does-not-exist nil :external-format (lenient-utf-8))
    (and stream
         (loop with present = nil and elsewhere = nil
               for line = (read-line stream nil)
               for number from 1
               for blank = (and line (position #\Space line))
               while line
               do (when (and blank (plusp blank) (char= (char line 0) #\())
                    (cond ((string-equal "(in-package" line :end2 blank)
                           (setf present (named-package (subseq line blank))))
                          ((not (and (search "test" line :end2 blank :test #'char-equal)
                                     (name-follows-p name line blank))))
                          ((or (null package) (eq package present)) (return (values number t)))
                          ((null elsewhere) (setf elsewhere number))))
               finally (return elsewhere)))))

(defun named-package (text)
  "The package that TEXT, the end of an IN-PACKAGE form, names."
  (let ((name (string-trim " :#\"()" text)))
    (or (find-package name) (find-package (string-upcase name)))))

(defun name-follows-p (name line start)
  (let* ((from (position-if-not (lambda (character) (find character " (")) line :start start))
         (bar (and from (char= (char line from) #\|)))
         (from (if bar (1+ from) from))
         (to (and from (or (position-if (lambda (character) (find character (if bar "|" " ()"))) line :start from)
                           (length line)))))
    (and from (string-equal name (subseq line from to)))))

(defvar *returning-frameworks*
  '("prove" "cl-test-more" "lisp-unit" "lisp-unit2" "clunit" "clunit2" "lift" "stefil" "hu.dwim.stefil" "fiasco" "nst" "xlunit"
    "should-test" "fiveam" "rove" "parachute" "rt")
  "The systems of frameworks that return what has failed, or print it, and end without an error all the same.")

(defun run-test-operation (tally system)
  "Runs what TEST-OP does for SYSTEM, which counts as one test: failed when it ends in an error or returns something with
failures in it, pending when its framework says nothing by ending well."
  (let ((name (format nil "test-op of ~A" (asdf:component-name system)))
        (failure nil)
        (value nil))
    (pushnew "asdf" (tally-frameworks tally) :test #'equal)
    (setf (tally-running tally) name)
    (push name (tally-names tally))
    (tell-progress "performing ~A" name)
    (handler-case (setf value (asdf:perform (asdf:make-operation 'asdf:test-op) system))
      (error (error)
        (setf failure (format nil "~A: ~A" (type-text error) (condition-text error 1000)))))
    (setf (tally-running tally) nil)
    (when (and (null failure) (failures-in-p value))
      (setf failure (format nil "It returned ~A" (short-text value))))
    (cond (failure
           (incf (tally-failed tally))
           (push (list :name name :description "" :reason failure :values '()
                       :file (namestring (asdf:system-source-file system)))
                 (tally-failures tally)))
          ((and (null value) (returns-what-failed-p system))
           (incf (tally-skipped tally)))
          (t (incf (tally-passed tally))))))

(defun failures-in-p (value)
  "True when VALUE is an object that counts or lists failures, and has some."
  (and (typep value '(or standard-object structure-object))
       (loop for slot in '("FAILED" "FAIL" "FAILURES" "ERRORS" "ERR" "EXEC-ERRORS" "FAILED-TESTS" "FAILED-ASSERTIONS")
             for found = (slot-of value slot)
               thereis (typecase found
                         (integer (plusp found))
                         (sequence (plusp (length found)))))))

(defun returns-what-failed-p (system)
  (loop for one in (project-systems system)
          thereis (intersection (dependency-names one) *returning-frameworks* :test #'equal)))
