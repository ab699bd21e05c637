;;;; The frameworks whose tests can be run one by one: FiveAM, RT, Rove, Parachute.
;;;;
;;;; A framework lists the tests that are defined now, and runs one. tests.lisp selects the tests to run, observing.lisp
;;;; observes those that a test-op runs.
;;;; This file uses the exported names of a framework, and the slots of its objects by name.

(in-package "LISPWRIGHT.AGENT")

(defstruct outcome
  "The result of one check of a test."
  (status :passed)                      ; :PASSED, :FAILED or :SKIPPED
  (test nil)                            ; the test of this check, or NIL for the one that was run
  reason form values description)

;;; The protocol of a framework

(defgeneric framework-systems (framework)
  (:documentation "The names of the systems of FRAMEWORK, a keyword.")
  (:method (framework) (list (string-downcase framework))))

(defgeneric framework-name (framework)
  (:documentation "Its name for users.")
  (:method (framework) (string-downcase framework)))

(defgeneric framework-package (framework)
  (:documentation "The name of its package."))

(defgeneric defined-tests (framework)
  (:documentation "((identity . test) ...) of all tests there are; a test that is defined again has another identity."))

(defgeneric test-name (framework test)
  (:documentation "The symbol or string that names TEST.")
  (:method (framework test) (declare (ignore framework)) test))

(defgeneric test-groups (framework test)
  (:documentation "The names of the groups that TEST is in, innermost first.")
  (:method (framework test) (declare (ignore framework test)) '()))

(defgeneric test-parent (framework test)
  (:documentation "The test that runs TEST as a part, or NIL.")
  (:method (framework test) (declare (ignore framework test)) nil))

(defgeneric inner-tests (framework test)
  (:documentation "The tests that TEST runs as parts.")
  (:method (framework test) (declare (ignore framework test)) '()))

(defgeneric test-function (framework test)
  (:documentation "A function that was compiled from TEST's definition, or NIL.")
  (:method (framework test)
    (declare (ignore framework))
    (and (symbolp test) (fboundp test) (fdefinition test))))

(defgeneric run-test (framework test)
  (:documentation "Runs TEST; returns its outcomes, one for each check of it and of the tests in it."))

(defgeneric call-for-tests (framework tests function)
  (:documentation "Calls FUNCTION on each of TESTS in the dynamic context that they need.")
  (:method (framework tests function) (declare (ignore framework)) (mapc function tests)))

(defvar *frameworks* '(:fiveam :parachute :rove :rt :sb-rt))

(defvar *present-tests* (make-hash-table :test #'eq) "The tests that loading has just defined, as keys.")

(defun present-p (framework)
  (find-package (framework-package framework)))

(defun its (framework name)
  "The symbol NAME of FRAMEWORK's package. Its absence is an error, because it means an unknown version."
  (or (find-symbol name (framework-package framework))
      (error "This version of ~(~A~) has no ~A. Run the tests with repl_eval." framework name)))

(defun its-value (framework name)
  (symbol-value (its framework name)))

(defun call-its (framework name &rest arguments)
  (apply (its framework name) arguments))

(defun slot-of (object name)
  "The value of the slot of OBJECT that is called NAME, or NIL."
  (second (find name (slot-parts object) :key #'first :test #'string=)))

;;; FiveAM

(defmethod framework-package ((framework (eql :fiveam))) "IT.BESE.FIVEAM")

(defmethod defined-tests ((framework (eql :fiveam)))
  (loop for name in (call-its :fiveam "TEST-NAMES")
        for test = (call-its :fiveam "GET-TEST" name)
        when (typep test (its :fiveam "TEST-CASE"))
          collect (cons test test)))

(defmethod test-name ((framework (eql :fiveam)) test)
  (slot-of test "NAME"))

(defmethod test-groups ((framework (eql :fiveam)) test)
  "The suites that contain TEST: a test does not know them, but a suite knows its tests."
  (let ((suites (loop for name in (call-its :fiveam "TEST-NAMES")
                      for suite = (call-its :fiveam "GET-TEST" name)
                      when (and name (typep suite (its :fiveam "TEST-SUITE")))
                        collect suite)))
    (labels ((around (object)
               (find-if (lambda (suite)
                          (loop for inner being the hash-values of (fiveam-suite-tests suite)
                                  thereis (or (eq inner object) (eq inner (slot-of object "NAME")))))
                        suites)))
      (loop for suite = (around test) then (around suite)
            while suite
            repeat 50
            collect (slot-of suite "NAME")))))

(defun fiveam-suite-tests (suite)
  "The table of what SUITE contains: a slot of it, in newer versions a slot of the bundle in that slot."
  (let ((tests (slot-of suite "TESTS")))
    (if (hash-table-p tests) tests (or (slot-of tests "TESTS") (make-hash-table)))))

(defmethod test-function ((framework (eql :fiveam)) test)
  (slot-of test "TEST-LAMBDA"))

(defmethod run-test ((framework (eql :fiveam)) test)
  (let ((results (progv (list (its :fiveam "*TEST-DRIBBLE*") (its :fiveam "*ON-ERROR*") (its :fiveam "*ON-FAILURE*"))
                     (list (make-broadcast-stream) nil nil)
                   (call-its :fiveam "RUN" (slot-of test "NAME")))))
    (loop for result in (or (remove test (reverse results)
                                    :test-not #'eq
                                    :key (lambda (result) (slot-of result "TEST-CASE")))
                            ;; The result of a dependency, which was run for it.
                            (reverse results))
          collect (fiveam-outcome result test))))

(defun fiveam-outcome (result test)
  "The outcome of RESULT, a check of TEST."
  (let ((condition (slot-of result "ACTUAL-CONDITION"))
        (inner (find-if-not #'fiveam-passed-p (reverse (slot-of result "RESULT-LIST")))))
    (make-outcome
     :status (cond ((fiveam-passed-p result) :passed)
                   ((typep result (its :fiveam "TEST-SKIPPED")) :skipped)
                   (t :failed))
     :reason (cond (condition (format nil "~A: ~A" (type-text condition) (condition-text condition 1000)))
                   ;; The values that FOR-ALL has found, and the check that fails for them.
                   (inner (format nil "Falsifiable with ~A~%~A"
                                  (short-text (slot-of result "FAILURE-VALUES")) (on-one-line (slot-of inner "REASON"))))
                   (t (on-one-line (slot-of result "REASON"))))
     :form (slot-of (or inner result) "TEST-EXPR")
     :description (slot-of (or (slot-of result "TEST-CASE") test) "DESCRIPTION"))))

(defun fiveam-passed-p (result)
  (typep result (its :fiveam "TEST-PASSED")))

(defun on-one-line (reason)
  "A short REASON without line breaks: FiveAM puts each word of its own reasons on a line."
  (let* ((words (and (stringp reason) (uiop:split-string reason :separator '(#\Space #\Newline))))
         (line (format nil "~{~A~^ ~}" (remove "" words :test #'string=))))
    (if (<= 1 (length line) 160) line reason)))

;;; RT, and the contributed module SB-RT: two packages with the same names in them

(defmacro define-rt (framework)
  "Defines FRAMEWORK, with the system and the package given after it, as a framework that works like RT."
  `(progn
     (defmethod framework-name ((framework (eql ,framework))) "rt")
     (defmethod defined-tests ((framework (eql ,framework))) (entries framework))
     (defmethod test-name ((framework (eql ,framework)) entry) (entry-part entry :name))
     (defmethod run-test ((framework (eql ,framework)) entry) (run-entry framework entry))))

(define-rt :rt)
(defmethod framework-package ((framework (eql :rt))) "REGRESSION-TEST")

(define-rt :sb-rt)
(defmethod framework-package ((framework (eql :sb-rt))) "SB-RT")

(defun entries (framework)
  (loop for entry in (rest (its-value framework "*ENTRIES*"))
        collect (cons entry entry)))

(defun entry-part (entry part)
  "The PART of ENTRY, a structure or, in SB-RT, a list that ends in the values."
  (if (listp entry)
      (ecase part (:pend (first entry)) (:name (second entry)) (:form (third entry)) (:vals (cdddr entry)))
      (slot-of entry (symbol-name part))))

(defun call-redefining (function)
  "Calls FUNCTION, which loads tests, without RT's warnings of redefined ones, unless FUNCTION itself defines a test
twice."
  (let ((known (loop for framework in '(:rt :sb-rt)
                     when (present-p framework)
                       append (loop for (entry) in (entries framework)
                                    collect (entry-part entry :name)))))
    (handler-bind ((simple-warning
                     (lambda (warning)
                       (let ((control (simple-condition-format-control warning))
                             (name (first (simple-condition-format-arguments warning))))
                         (when (and (stringp control) (eql 0 (search "Redefining test ~" control))
                                    (member name known :test #'equal))
                           (setf known (remove name known :test #'equal :count 1))
                           (muffle-warning warning))))))
      (funcall function))))

(defun run-entry (framework entry)
  (let* ((raised nil)
         (name (entry-part entry :name))
         (report (with-output-to-string (*standard-output*)
                   ;; By default RT does not report the error.
                   (handler-case (progv (list (its framework "*CATCH-ERRORS*")) '(nil)
                                   (call-its framework "DO-TEST" name))
                     (error (error) (setf raised error))))))
    (list (if (or raised (entry-part entry :pend))
              (make-outcome :status :failed
                            :form (entry-part entry :form)
                            :reason (if raised
                                        (format nil "~A: ~A" (type-text raised) (condition-text raised 1000))
                                        "The actual values are not the expected ones.")
                            :values (append (list (list "expected" (format nil "~{~A~^ ~}" (mapcar #'short-text (entry-part entry :vals)))))
                                            (and (null raised) (list (list "actual" (reported-values report))))))
              (make-outcome)))))

(defun reported-values (report)
  "The values that the test returned, by RT."
  (let* ((start (search "Actual value" report))
         (from (and start (position #\: report :start start))))
    (if from
        (string-trim '(#\Space #\Newline #\.) (subseq report (1+ from)))
        "")))

;;; Parachute

(defmethod framework-package ((framework (eql :parachute))) "PARACHUTE")

(defmethod defined-tests ((framework (eql :parachute)))
  "A redefined test may stay the same object, but gets a new list of its forms. So a test without forms is given a list,
which its next definition removes."
  (loop for package in (list-all-packages)
        append (loop for test in (call-its :parachute "PACKAGE-TESTS" package)
                     collect (cons (or (slot-of test "TESTS")
                                       (setf (slot-value test (its :parachute "TESTS")) (list (constantly nil))))
                                   test))))

(defmethod test-parent ((framework (eql :parachute)) test)
  (let ((parent (slot-of test "PARENT")))
    (and (typep parent (its :parachute "TEST")) parent)))

(defmethod test-groups ((framework (eql :parachute)) test)
  (loop for parent = (test-parent :parachute test) then (test-parent :parachute parent)
        while parent
        repeat 50
        collect (test-name :parachute parent)))

(defmethod inner-tests ((framework (eql :parachute)) test)
  (loop with agenda = (present-children test)
        while agenda
        collect (first agenda)
        do (let ((next (pop agenda)))
             (setf agenda (append (present-children next) agenda)))))

(defun present-children (test)
  "The tests in TEST that were defined last: Parachute keeps those that are gone from the files."
  (remove-if-not (lambda (child) (gethash child *present-tests*)) (slot-of test "CHILDREN")))

(defmethod test-name ((framework (eql :parachute)) test)
  (let ((name (slot-of test "NAME")))
    (if (symbolp name) name (format nil "~A" name))))

(defmethod test-function ((framework (eql :parachute)) test)
  (find-if #'functionp (slot-of test "TESTS")))

(defmethod run-test ((framework (eql :parachute)) test)
  "Uses the report that keeps the errors of compared values."
  (multiple-value-bind (report errors)
      (call-hearing-errors
       (lambda ()
         (call-with-present-children
          test
          (lambda ()
            (let* ((nothing (make-broadcast-stream))
                   (*standard-output* nothing))
              (call-its :parachute "TEST" test :report (its :parachute "PLAIN") :stream nothing))))))
    ;; The dependencies were run for it, and are no part of it.
    (parachute-outcomes (list (or (find test (slot-of report "RESULTS") :key (lambda (result) (slot-of result "EXPRESSION")))
                                  report))
                        errors)))

(defun call-hearing-errors (function)
  "The value of FUNCTION, and the errors outside of checks, which Parachute reports as warnings, in their order."
  (let ((errors '()))
    (values (handler-bind ((warning (lambda (warning)
                                      (let ((text (condition-text warning 1000)))
                                        (when (eql 0 (search "Unhandled error when" text))
                                          (push (error-in-warning text) errors)
                                          (muffle-warning warning))))))
              (funcall function))
            (reverse errors))))

(defun call-with-present-children (test function)
  "Calls FUNCTION while TEST and its parts contain only the tests that were defined last."
  (let ((symbol (its :parachute "CHILDREN"))
        (kept '()))
    (unwind-protect
         (loop with inner = (list test)
               while inner
               do (let* ((test (pop inner))
                         (present (present-children test)))
                    (push (cons test (slot-of test "CHILDREN")) kept)
                    (setf (slot-value test symbol) present
                          inner (append present inner)))
               finally (return (funcall function)))
      (loop for (test . children) in kept
            do (setf (slot-value test symbol) children)))))

(defun error-in-warning (text)
  "The text after the first line of TEXT, which has the place of the error."
  (let ((end (position #\Newline text)))
    (string-trim '(#\Space #\Newline) (if end (subseq text end) text))))

(defun parachute-outcomes (results errors)
  "The outcomes of the checks in RESULTS, where each may be both under its parent and by itself; and one for each test
that failed though nothing in it did, with the next of ERRORS."
  (let ((seen (make-hash-table :test #'eq))
        (outcomes '()))
    (labels ((parts (result)
               (or (slot-of result "RESULTS") (slot-of result "CHILDREN")))
             (walk (result test forced)
               "True when a part of RESULT, which is in TEST, failed; FORCED is the status of all checks there, or NIL."
               (multiple-value-bind (failed-p known-p) (gethash result seen)
                 (if known-p
                     failed-p
                     (setf (gethash result seen)
                           (if (typep result (its :parachute "PARENT-RESULT"))
                               (let ((inner (slot-of result "EXPRESSION")))
                                 (walk-parent result
                                              (if (typep inner (its :parachute "TEST")) inner test)
                                              (or (slot-of result "CHILD-STATUS") forced)))
                               (note (check-outcome result forced) test))))))
             (walk-parent (result test forced)
               (let ((failed-p (eq (slot-of result "STATUS") :failed))
                     (inside-p nil))
                 (map nil (lambda (part) (when (walk part test forced) (setf inside-p t))) (parts result))
                 (cond ((and failed-p (not inside-p))
                        (note (make-outcome :status :failed :reason (parachute-reason result)) test))
                       ((and (eq (slot-of result "STATUS") :skipped) (zerop (length (parts result))))
                        (note (make-outcome :status :skipped) test)))
                 (or failed-p inside-p)))
             (parachute-reason (result)
               (let ((description (slot-of result "DESCRIPTION")))
                 (cond ((and description (/= 0 (or (search "The test failed to evaluate" description) -1))) description)
                       (description (pop errors) (error-in-warning description))
                       ((pop errors))
                       (t "It failed outside its checks."))))
             (note (outcome test)
               (setf (outcome-test outcome) test)
               (push outcome outcomes)
               (eq (outcome-status outcome) :failed)))
      (dolist (result results)
        (walk result nil nil)))
    (nreverse outcomes)))

(defun check-outcome (result forced)
  "The outcome of RESULT, a check of Parachute's, with the status FORCED unless that is NIL."
  (let ((value (slot-of result "VALUE"))
        (comparison (slot-of result "COMPARISON")))
    (make-outcome
     :status (case (or forced (slot-of result "STATUS")) (:passed :passed) (:failed :failed) (t :skipped))
     :form (slot-of result "EXPRESSION")
     :description (slot-of result "DESCRIPTION")
     :reason (cond ((typep value 'condition)
                    (format nil "~A: ~A" (type-text value) (condition-text value 1000)))
                   ((null comparison) "It did not finish.")
                   ((member "COMPARISON-GEQ" (slot-parts result)
                            :test (lambda (name part) (and (string= name (first part)) (rest part) (null (second part)))))
                    (format nil "By ~A it is what it should not be." (short-text comparison)))
                   (t (format nil "By ~A it is not what is expected." (short-text comparison))))
     :values (and comparison
                  (list (list "expected" (short-text (slot-of result "EXPECTED")))
                        (list "actual" (short-text value)))))))

;;; Rove

(defmethod framework-package ((framework (eql :rove))) "ROVE/CORE/SUITE/PACKAGE")

(defmethod defined-tests ((framework (eql :rove)))
  (loop for suite in (call-its :rove "ALL-SUITES")
        append (loop for name in (call-its :rove "SUITE-TESTS" suite)
                     collect (cons (call-its :rove "GET-TEST" name) name))))

(defmethod test-name ((framework (eql :rove)) name) name)

(defmethod test-function ((framework (eql :rove)) name)
  (call-its :rove "GET-TEST" name))

(defvar *hooks* '(() . ()) "Functions that Rove calls before and after each test of the present suite.")

(defmethod call-for-tests ((framework (eql :rove)) tests function)
  "Each suite's set-up once, its hooks around each test."
  (dolist (suite (call-its :rove "ALL-SUITES"))
    (let ((own (intersection (call-its :rove "SUITE-TESTS" suite) tests)))
      (when own
        (let ((*package* (slot-of suite "PACKAGE"))
              (*hooks* (cons (append (global-hooks "*BEFORE-TEST-HOOKS*") (hooks-of suite "BEFORE-HOOKS"))
                             (append (hooks-of suite "AFTER-HOOKS") (global-hooks "*AFTER-TEST-HOOKS*")))))
          (when (slot-of suite "SETUP")
            (funcall (slot-of suite "SETUP")))
          (unwind-protect
               (mapc function (remove-if-not (lambda (test) (member test own)) (call-its :rove "SUITE-TESTS" suite)))
            (when (slot-of suite "TEARDOWN")
              (funcall (slot-of suite "TEARDOWN")))))))))

(defun hooks-of (suite slot)
  (mapcar (lambda (hook) (if (consp hook) (cdr hook) hook))
          (reverse (slot-of suite slot))))

(defun global-hooks (name)
  "The hooks for all suites, which older versions do not have."
  (let ((variable (find-symbol name (framework-package :rove))))
    (and variable (boundp variable) (reverse (symbol-value variable)))))

(defmethod run-test ((framework (eql :rove)) name)
  "Checks in hooks count as well, and so do their errors."
  (let* ((class (find-symbol "STATS" "ROVE/CORE/STATS"))
         (stats (make-instance class))
         (context (make-instance class))
         (outcomes '()))
    ;; Outside of a context, checks are those of a user at the listener.
    (setf (slot-value stats (find-symbol "CONTEXTS" "ROVE/CORE/STATS")) (list context))
    (progv (list (find-symbol "*STATS*" "ROVE/CORE/STATS")) (list stats)
      (handler-case (unwind-protect (progn (mapc #'funcall (car *hooks*))
                                           (funcall (call-its :rove "GET-TEST" name)))
                      (mapc #'funcall (cdr *hooks*)))
        (error (error)
          (push (make-outcome :status :failed
                              :reason (format nil "~A: ~A" (type-text error) (condition-text error 1000)))
                outcomes))))
    (append (reverse outcomes) (rove-outcomes context))))

(defun rove-result-p (result class)
  (typep result (find-symbol class "ROVE/CORE/RESULT")))

(defun rove-outcomes (result)
  "The outcomes of the checks in RESULT, a test, and one for each part of it whose number of checks differs from its
plan."
  (let ((outcomes '()))
    (labels ((walk (result)
               (if (rove-result-p result "ASSERTION")
                   (push (assertion-outcome result) outcomes)
                   (let ((before outcomes))
                     (mapc #'walk (rove-parts result))
                     (when (and (rove-result-p result "FAILED")
                                (not (find :failed (ldiff outcomes before) :key #'outcome-status)))
                       (push (make-outcome :status :failed :reason "The number of its checks is not the one that it plans.")
                             outcomes))))))
      (walk result))
    (nreverse outcomes)))

(defun rove-parts (result)
  (loop for slot in '("PASSED" "FAILED" "PENDING")
        append (coerce (slot-of result slot) 'list)))

(defun assertion-outcome (assertion)
  (let* ((description (slot-of assertion "DESC"))
         (given (slot-of assertion "REASON"))
         (reason (cond ((typep given 'condition)
                        (format nil "~A: ~A" (type-text given) (condition-text given 1000)))
                       (given (format nil "~A" given))
                       ((ignore-errors (funcall (find-symbol "ASSERTION-DESCRIPTION" "ROVE/CORE/RESULT") assertion)))
                       (t "It does not hold."))))
    (make-outcome
     :status (cond ((rove-result-p assertion "PASSED") :passed) ((rove-result-p assertion "PENDING") :skipped) (t :failed))
     :form (slot-of assertion "FORM")
     :description (and (not (equal description reason)) description)
     :reason reason
     :values (loop for value in (let ((values (slot-of assertion "VALUES"))) (and (listp values) values))
                   for argument in (let ((arguments (slot-of assertion "ARGS"))) (and (listp arguments) arguments))
                   unless (constantp argument)
                     collect (list (short-text argument) (short-text value))))))
