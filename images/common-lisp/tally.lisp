;;;; Results of tests: counts, failures and their places, for every framework.

(in-package "LISPWRIGHT.AGENT")

(defconstant +most-failures+ 100)

(defvar *tally* nil "The results of the running tests so far.")

(defstruct tally
  "The results of tests so far."
  (frameworks '())                      ; names of those that had tests to run, newest first
  (others '())                          ; names of those that also had some, but were not to run
  (passed 0)
  (failed 0)
  (skipped 0)
  (failures '())                        ; plists, newest first
  (names '())
  (groups '())                          ; names of their groups
  (wanted '())                          ; names of tests or groups; or none, for all
  (unmatched '())                       ; those of them that do not exist
  (unknown '())                         ; (system value) of each test-op with nothing to judge it by
  (told '())                            ; (system line) of each test-op that is judged by a line that it prints
  (left-out '())                        ; names of the tests that a test-op leaves out
  (left-out-of '())                     ; (system framework) of the first of them
  (run-for '())                         ; systems whose tests were run one by one, since their test-op shows none
  (ended-early '())                     ; (system reason) of each test-op that ended in an error after failed tests
  (notes '())                           ; sentences, newest first
  (errors '())                          ; (reason test frames) of the last errors of tests, newest first
  (begun 0)                             ; the number of tests that have begun
  (muted 0)                             ; lines printed outside of tests that are left out
  (only-observed '())                   ; frameworks of systems without a test-op whose tests cannot be run one by one
  (running nil)                         ; the name of the running test
  (exit-status nil)
  (files '()))                          ; the files of the tests

(defun tally-fields (tally)
  (append (list :framework (format nil "~:[none~;~:*~{~A~^, ~}~]" (reverse (tally-frameworks tally)))
                :others (reverse (tally-others tally))
                :passed (tally-passed tally) :failed (tally-failed tally) :skipped (tally-skipped tally)
                :failed-tests (reverse (tally-failures tally))
                :names (first-names (reverse (tally-names tally)))
                :name-count (length (tally-names tally))
                :groups (first-names (reverse (tally-groups tally)))
                :unmatched (tally-unmatched tally)
                :unknown (reverse (tally-unknown tally))
                :told (reverse (tally-told tally))
                :left-out (first-names (tally-left-out tally))
                :left-out-count (length (tally-left-out tally))
                :left-out-of (tally-left-out-of tally)
                :run-for (reverse (tally-run-for tally))
                :ended-early (reverse (tally-ended-early tally))
                :only-observed (reverse (tally-only-observed tally))
                :notes (first-names (reverse (tally-notes tally)))
                :muted (tally-muted tally)
                :files (first-names (tally-files tally)))
          (and (tally-running tally) (list :running (tally-running tally)))
          (and (tally-exit-status tally) (list :exit-status (tally-exit-status tally)))))

(defun tell-note (format &rest arguments)
  "Adds a sentence about the tests to the answer, once."
  (when *tally*
    (pushnew (apply #'format nil format arguments) (tally-notes *tally*) :test #'equal)))

(defun first-names (names)
  (subseq names 0 (min 200 (length names))))

;;; Judging

(defun judge (tally framework test outcomes)
  "Counts TEST with its OUTCOMES. Without any it is pending, unless it only contains other tests."
  (let ((failed (remove-if-not #'failed-p outcomes)))
    (cond (failed
           (incf (tally-failed tally))
           (let* ((name (test-name framework test))
                  (place (test-place tally framework test))
                  ;; Forms are shown as they are written.
                  (*package* (or (and (symbolp name) (symbol-package name)) *package*)))
             (dolist (outcome failed)
               (add-failure tally (append (failure-fields (full-name name) (test-groups framework test) outcome place)
                                          (let ((frames (frames-for tally test outcome)))
                                            (and frames (list :frames frames))))))))
          ((find :passed outcomes :key #'outcome-status) (incf (tally-passed tally)))
          ((and (null outcomes) (inner-tests framework test)))
          (t (incf (tally-skipped tally))))))

(defun add-failure (tally fields)
  (when (< (length (tally-failures tally)) +most-failures+)
    (push fields (tally-failures tally))))

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

;;; Names

(defun full-name (name)
  (cond ((keywordp name) (format nil ":~(~A~)" name))
        ((and (symbolp name) (symbol-package name))
         (format nil "~(~A::~A~)" (package-name (symbol-package name)) (symbol-name name)))
        (t (format nil "~A" name))))

(defun bare-name (name)
  "NAME without its package. The name of a test of RT may be any object."
  (if (symbolp name) (symbol-name name) (full-name name)))

;;; Places

(defun in-definition-order (tally framework tests)
  "TESTS in the order of their places in the files; those without a place stay first, in their order."
  (mapcar #'cdr (stable-sort (mapcar (lambda (test) (cons (definition-order tally framework test) test)) tests) #'< :key #'car)))

(defun definition-order (tally framework test)
  "A number that increases with the place of TEST in its files."
  (let* ((place (test-place tally framework test))
         (file (position (getf place :file) (tally-files tally) :test #'equal)))
    (+ (* 1000000 (or file 0)) (or (getf place :line) 0))))

(defun test-place (tally framework test)
  "(:FILE namestring :LINE i) of the definition of TEST: as its function knows it, else where its name follows a head such as
deftest."
  (or (let ((function (test-function framework test)))
        (let ((place (and (functionp function) (function-place function))))
          ;; A test that is compiled when it runs has no place of its own.
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

(defvar *definitions* nil "While tests are counted, a table: file -> the result of DEFINITIONS-IN.")

(defun definition-line (file name package)
  "The line of FILE that begins with a form that has \"test\" in its head and is followed by NAME, or NIL: the last in
PACKAGE, unless that is NIL, else the last, which is the one that counts. Second value: true when it is in PACKAGE."
  (let* ((table (or *definitions* (make-hash-table :test #'equal)))
         (all (gethash name (or (gethash file table)
                                (setf (gethash file table) (definitions-in file)))))
         (own (if package (find package all :key #'cdr :from-end t) (first (last all)))))
    (values (car (or own (first (last all)))) (and own t))))

(defun definitions-in (file)
  "A table: name -> ((line . package) ...), from the top of FILE, of forms with \"test\" in their heads."
  (let ((table (make-hash-table :test #'equalp))
        (present nil))
    (with-open-file (stream file :if-does-not-exist nil :external-format (lenient-utf-8))
      (when stream
        (loop for line = (read-line stream nil)
              for number from 1
              for blank = (and line (position #\Space line))
              while line
              do (when (and blank (plusp blank) (char= (char line 0) #\())
                   (if (string-equal "(in-package" line :end2 blank)
                       (setf present (named-package (subseq line blank)))
                       (let ((name (and (search "test" line :end2 blank :test #'char-equal)
                                        (name-after line blank))))
                         (when name
                           (push (cons number present) (gethash name table)))))))))
    (loop for name being the hash-keys of table using (hash-value places)
          do (setf (gethash name table) (reverse places)))
    table))

(defun named-package (text)
  "The package that TEXT, the end of an IN-PACKAGE form, names."
  (let ((name (string-trim " :#\"()" text)))
    (or (find-package name) (find-package (string-upcase name)))))

(defun name-after (line start)
  "The name that comes next in LINE from START, also as the first of a list, or NIL."
  (let* ((from (position-if-not (lambda (character) (find character " (")) line :start start))
         (bar (and from (char= (char line from) #\|)))
         (from (if bar (1+ from) from)))
    (and from
         (subseq line from (position-if (lambda (character) (find character (if bar "|" " ()"))) line :start from)))))
