;;;; lisp-unit2, whose tests can be run one by one, and lisp-unit: each has a database of results. A test is its name here.

(in-package "LISPWRIGHT.AGENT")

;;; lisp-unit2

(defmethod framework-package ((framework (eql :lisp-unit2))) "LISP-UNIT2")

(defmethod report-variables ((framework (eql :lisp-unit2)))
  '(("LISP-UNIT2" "*TEST-STREAM*")))

(defmethod defined-tests ((framework (eql :lisp-unit2)))
  "A test that is defined again is another object."
  (loop for test in (call-its :lisp-unit2 "LIST-TESTS")
        collect (cons test (slot-of test "NAME"))))

(defmethod test-groups ((framework (eql :lisp-unit2)) name)
  "Its tags."
  (let ((test (find name (call-its :lisp-unit2 "LIST-TESTS") :key (lambda (test) (slot-of test "NAME")))))
    (let ((tags (slot-of test "TAGS")))
      (if (listp tags) tags (list tags)))))

(defmethod run-alone ((framework (eql :lisp-unit2)) name)
  (call-its :lisp-unit2 "RUN-TESTS" :tests (list name)))

(defmethod call-observing ((framework (eql :lisp-unit2)) note function)
  "Each test returns its result; a test that is left early has none that counts."
  (flet ((run-one (original arguments)
           (let ((name (slot-of (first arguments) "NAME")))
             (multiple-value-bind (result reason)
                 (call-for-test :lisp-unit2 name (lambda () (apply original arguments)))
               (if reason
                   (funcall note name (list (failed-check reason)))
                   (hear #'note-unit-result result note))
               result))))
    (call-inside "LISP-UNIT2" '("RUN-TESTS")
                 (lambda () (call-around-each "LISP-UNIT2" "%RUN-TEST" #'run-one function)))))

(defun note-unit-result (result note)
  (flet ((listed (name)
           (let ((collector (slot-of result name)))
             (if (listp collector) collector (slot-of collector "HEAD")))))
    (funcall note (slot-of (slot-of result "UNIT-TEST") "NAME")
             (append (mapcar #'failed-check (listed "ERRORS"))
                     (mapcar #'unit-failure (listed "FAILED"))
                     (and (listed "PASSED") (outcomes-as :passed))))))

(defun unit-failure (failure)
  (failed-check (format nil "Expected ~A, actual ~A" (short-text (slot-of failure "EXPECTED")) (short-text (slot-of failure "ACTUAL")))
                :form (slot-of failure "FORM")))

;;; lisp-unit

(defmethod framework-package ((framework (eql :lisp-unit))) "LISP-UNIT")

(defmethod debugger-switches ((framework (eql :lisp-unit)))
  '(("LISP-UNIT" "*USE-DEBUGGER*")))

(defmethod call-observing ((framework (eql :lisp-unit)) note function)
  (call-watching "LISP-UNIT" "RUN-TESTS"
                 (lambda (values arguments)
                   (declare (ignore arguments))
                   (loop for result being the hash-values of (slot-of (first values) "DATABASE")
                         do (funcall note (slot-of result "NAME")
                                     (append (let ((error (slot-of result "EXERR"))) (and error (list (failed-check error))))
                                             (mapcar #'unit-failure (slot-of result "FAIL"))
                                             (and (plusp (or (slot-of result "PASS") 0)) (outcomes-as :passed))))))
                 function))
