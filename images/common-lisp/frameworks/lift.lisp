;;;; LIFT: test cases of test suites, which are classes. A test is the list of its suite and its name here.

(in-package "LISPWRIGHT.AGENT")

(defmethod framework-package ((framework (eql :lift))) "LIFT")

(defmethod debugger-switches ((framework (eql :lift)))
  '(("LIFT" "*TEST-BREAK-ON-ERRORS?*" "*TEST-BREAK-ON-FAILURES?*")))

(defmethod report-variables ((framework (eql :lift)))
  '(("LIFT" "*LIFT-DEBUG-OUTPUT*")))

(defmethod defined-tests ((framework (eql :lift)))
  (loop for suite in (call-its :lift "TESTSUITES")
        append (loop for name in (call-its :lift "TESTSUITE-TESTS" suite)
                     for function = (test-function :lift (list suite name))
                     when function
                       collect (cons function (list suite name)))))

(defmethod test-name ((framework (eql :lift)) test)
  (second test))

(defmethod test-groups ((framework (eql :lift)) test)
  (list (first test)))

(defmethod test-function ((framework (eql :lift)) test)
  (let ((table (call-its :lift "TEST-NAME->METHODS" (first test))))
    (and (hash-table-p table) (gethash (second test) table))))

(defmethod run-alone ((framework (eql :lift)) test)
  (call-its :lift "RUN-TEST" :suite (first test) :name (second test)))

(defmethod call-observing ((framework (eql :lift)) note function)
  "All test cases of a run add to one result, also those of a run that is ended early."
  (let ((result nil))
    (flet ((run-one (original arguments)
             (destructuring-bind (suite name present) arguments
               (setf result present)
               (let ((test (list (class-name (class-of suite)) name)))
                 (multiple-value-bind (value reason) (call-for-test :lift test (lambda () (apply original arguments)))
                   (when reason
                     (funcall note test (list (failed-check reason))))
                   value))))
           (run-all (call arguments)
             (unwind-protect (apply call arguments)
               (when result
                 (hear #'note-lift-result (shiftf result nil) note)))))
      (call-in-front "LIFT" "RUN-TESTS" #'run-all
                     (lambda ()
                       (call-in-front "LIFT" "RUN-TEST" #'run-all
                                      (lambda ()
                                        (call-around-each "LIFT" "RUN-TEST-INTERNAL" #'run-one function))))))))

(defun note-lift-result (result note)
  (let ((problems (remove-duplicates (loop for slot in '("FAILURES" "ERRORS" "EXPECTED-FAILURES" "EXPECTED-ERRORS"
                                                         "SKIPPED-TEST-CASES" "SKIPPED-TESTSUITES")
                                           append (slot-of result slot)))))
    (flet ((test-of (suite name)
             (list (if (symbolp suite) suite (class-name (class-of suite))) name)))
      (dolist (run (slot-of result "TESTS-RUN"))
        (funcall note (test-of (first run) (second run)) '()))
      (dolist (problem problems)
        (funcall note (test-of (slot-of problem "TESTSUITE") (slot-of problem "TEST-METHOD")) (list (lift-outcome problem))))
      (dolist (run (slot-of result "TESTS-RUN"))
        (funcall note (test-of (first run) (second run)) (outcomes-as :passed))))))

(defun lift-outcome (problem)
  (if (some (lambda (name) (is-of-class problem name)) '("EXPECTED-PROBLEM-MIXIN" "TESTCASE-SKIPPED" "TESTSUITE-SKIPPED"))
      (make-outcome :status :skipped)
      (failed-check (or (slot-of problem "TEST-CONDITION") "It failed."))))
