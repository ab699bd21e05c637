;;;; FiveAM

(in-package "LISPWRIGHT.AGENT")

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
     :condition condition
     :reason (cond (condition (condition-reason condition))
                   ;; The values that FOR-ALL has found, and the check that fails for them.
                   (inner (format nil "Falsifiable with ~A~%~A"
                                  (short-text (slot-of result "FAILURE-VALUES")) (on-one-line (slot-of inner "REASON"))))
                   (t (on-one-line (slot-of result "REASON"))))
     :form (slot-of (or inner result) "TEST-EXPR")
     :description (slot-of (or (slot-of result "TEST-CASE") test) "DESCRIPTION"))))

(defun fiveam-passed-p (result)
  (typep result (its :fiveam "TEST-PASSED")))

;;; Observing

(defmethod report-variables ((framework (eql :fiveam)))
  '(("IT.BESE.FIVEAM" "*TEST-DRIBBLE*")))

(defmethod debugger-switches ((framework (eql :fiveam)))
  '(("IT.BESE.FIVEAM" "*ON-ERROR*" "*ON-FAILURE*" "*DEBUG-ON-ERROR*" "*DEBUG-ON-FAILURE*")))

(defmethod call-observing ((framework (eql :fiveam)) note function)
  "Each test is observed at its end, a skipped one with the others of its run."
  (let ((heard (make-hash-table :test #'eq))
        (alone nil))
    (labels ((hear (results)
               (loop for test in (remove-duplicates (mapcar #'test-of results) :from-end t)
                     do (hear-of test (reverse (remove test results :key #'test-of :test-not #'eq)))))
             (test-of (result)
               (slot-of result "TEST-CASE"))
             (hear-of (test results)
               (let ((new (remove-if (lambda (result) (gethash result heard)) results)))
                 (dolist (result new)
                   (setf (gethash result heard) t))
                 (when new
                   (funcall note test (mapcar (lambda (result) (fiveam-outcome result test)) new)))))
             (run-alone (original arguments)
               (if alone
                   (apply original arguments)
                   (let ((test (first arguments)))
                     (setf alone t)
                     (multiple-value-bind (value reason)
                         (unwind-protect (call-for-test :fiveam test (lambda () (apply original arguments)))
                           (setf alone nil))
                       (funcall note test (and reason (list (failed-check reason))))
                       (hear-of test (reverse (remove test (present-results) :key #'test-of :test-not #'eq)))
                       value))))
             (present-results ()
               (let ((variable (present-symbol (framework-package :fiveam) "RESULT-LIST")))
                 (and variable (symbol-value variable)))))
      (call-watching (framework-package :fiveam) "RUN"
                     (lambda (values arguments)
                       (declare (ignore arguments))
                       (hear (first values)))
                     (lambda ()
                       (call-around-each (framework-package :fiveam) "RUN-TEST-LAMBDA" #'run-alone function))))))
