;;;; A stand-in for LIFT: the result that RUN-TESTS returns, written anew.

(defpackage #:lift (:use #:cl) (:export #:addtest #:ensure #:run-tests #:*test-result*))
(in-package #:lift)

(defvar *cases* '())
(defvar *test-result* nil)

(defclass test-result ()
  ((tests-run :initform '()) (failures :initform '()) (errors :initform '()) (expected-failures :initform '())
   (expected-errors :initform '()) (skipped-test-cases :initform '()) (skipped-testsuites :initform '())))
(defclass test-problem-mixin () ((testsuite :initarg :testsuite) (test-method :initarg :test-method) (test-condition :initarg :test-condition)))
(defclass test-failure (test-problem-mixin) ())
(defclass test-error (test-problem-mixin) ())
(define-condition ensure-failed-error (simple-condition) ()
  (:report (lambda (condition stream) (format stream "Ensure failed: ~S" (simple-condition-format-arguments condition)))))

(defmacro addtest ((suite) name &body body)
  `(setf *cases* (append *cases* (list (list ',suite ',name (lambda () ,@body))))))

(defmacro ensure (form)
  `(unless ,form
     (throw 'failed (make-condition 'ensure-failed-error :format-control "~S" :format-arguments '(,form)))))

(defun run-tests (&key suite)
  (let ((result (make-instance 'test-result)))
    (flet ((problem (class slot name condition)
             (push (make-instance class :testsuite suite :test-method name :test-condition condition) (slot-value result slot))))
      (loop for (nil name function) in *cases*
            do (handler-case (let ((failed (catch 'failed (funcall function) nil)))
                               (when failed (problem 'test-failure 'failures name failed)))
                 (error (error) (problem 'test-error 'errors name error)))
               (push (list suite name '()) (slot-value result 'tests-run))))
    (setf (slot-value result 'tests-run) (reverse (slot-value result 'tests-run)))
    (setf *test-result* result)))
