;;;; 1am. A test is a function, passes by returning, and its checks are counted. A test is its name here.

(in-package "LISPWRIGHT.AGENT")

(defmethod framework-package ((framework (eql :1am))) "1AM")

(defmethod defined-tests ((framework (eql :1am)))
  (loop for name in (its-value :1am "*TESTS*")
        when (fboundp name)
          collect (cons (fdefinition name) name)))

(defmethod run-alone ((framework (eql :1am)) name)
  (funcall name))

(defmethod call-observing ((framework (eql :1am)) note function)
  "An error ends its own runner; here it ends its test alone. Each test counts its checks in variables of its own, and prints
no dots for them."
  (flet ((run-one (original arguments)
           (declare (ignore original))
           (destructuring-bind (name function) arguments
             (let ((variables (list (find-symbol "*PASS-COUNT*" "1AM") (find-symbol "*RUNNING*" "1AM"))))
               (progv variables '(0 t)
                 (multiple-value-bind (outcomes reason)
                     (call-for-test :1am name
                                    (lambda ()
                                      (handler-case (progn (funcall function)
                                                           (and (plusp (symbol-value (first variables)))
                                                                (outcomes-as :passed)))
                                        (error (error) (list (failed-check error))))))
                   (funcall note name (if reason (list (failed-check reason)) outcomes)))))))
         (pass (original arguments)
           (let ((*standard-output* *report-sink*))
             (apply original arguments))))
    (call-inside "1AM" '("RUN")
                 (lambda ()
                   (call-around-each "1AM" "CALL-TEST" #'run-one
                                     (lambda () (call-around-each "1AM" "PASSED" #'pass function)))))))
