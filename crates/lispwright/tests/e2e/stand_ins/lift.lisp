;;;; A stand-in for LIFT: its suites, and the result that RUN-TESTS returns, written anew.

(defpackage #:lift (:use #:cl) (:export #:deftestsuite #:addtest #:ensure #:run-test #:run-tests #:*test-result*))
(in-package #:lift)

(defvar *suites* '())
(defvar *cases* (make-hash-table) "suite -> ((name . function) ...)")
(defvar *test-result* nil)

(defclass test-result ()
  ((tests-run :initform '()) (failures :initform '()) (errors :initform '()) (expected-failures :initform '())
   (expected-errors :initform '()) (skipped-test-cases :initform '()) (skipped-testsuites :initform '())))
(defclass test-problem-mixin () ((testsuite :initarg :testsuite) (test-method :initarg :test-method) (test-condition :initarg :test-condition)))
(defclass test-failure (test-problem-mixin) ())
(defclass test-error (test-problem-mixin) ())
(define-condition ensure-failed-error (simple-condition) ()
  (:report (lambda (condition stream) (format stream "Ensure failed: ~S" (simple-condition-format-arguments condition)))))

(defmacro deftestsuite (name supers slots)
  `(progn (defclass ,name ,supers ,slots)
          (pushnew ',name *suites*)))

(defmacro addtest ((suite) name &body body)
  `(let ((known (assoc ',name (gethash ',suite *cases*)))
         (function (lambda () ,@body)))
     (if known
         (setf (cdr known) function)
         (setf (gethash ',suite *cases*) (append (gethash ',suite *cases*) (list (cons ',name function)))))))

(defmacro ensure (form)
  `(unless ,form
     (throw 'failed (make-condition 'ensure-failed-error :format-control "~S" :format-arguments '(,form)))))

(defun testsuites () *suites*)
(defun testsuite-tests (suite) (mapcar #'car (gethash suite *cases*)))

(defun test-name->methods (suite)
  (let ((table (make-hash-table)))
    (loop for (name . function) in (gethash suite *cases*)
          do (setf (gethash name table) function))
    table))

(defun run-test-internal (suite name result)
  (flet ((problem (class slot condition)
           (push (make-instance class :testsuite suite :test-method name :test-condition condition) (slot-value result slot))))
    (unwind-protect
         (handler-case
             (let ((failed (catch 'failed (funcall (gethash name (test-name->methods (class-name (class-of suite))))) nil)))
               (when failed (problem 'test-failure 'failures failed)))
           (error (error) (problem 'test-error 'errors error)))
      (push (list suite name '()) (slot-value result 'tests-run)))))

(defun run-some (suite names)
  (let ((result (make-instance 'test-result)))
    (dolist (name names)
      (run-test-internal (make-instance suite) name result))
    (setf (slot-value result 'tests-run) (reverse (slot-value result 'tests-run)))
    (setf *test-result* result)))

(defun run-tests (&key suite) (run-some suite (testsuite-tests suite)))
(defun run-test (&key suite name) (run-some suite (list name)))
