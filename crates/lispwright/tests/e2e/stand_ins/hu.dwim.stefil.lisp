;;;; A stand-in for Stefil: the one context that a run of tests leaves, written anew.

(defpackage #:hu.dwim.stefil
  (:use #:cl)
  (:export #:deftest #:is #:run-tests #:*test-result-history*))
(in-package #:hu.dwim.stefil)

(defvar *test-result-history* '())
(defvar *debug-on-assertion-failure* t)
(defvar *debug-on-unexpected-error* t)
(defvar *global-context* nil)
(defvar *test* nil)
(defvar *tests* '())

(defclass test () ((name :initarg :name) (children :initform (make-hash-table))))
(defclass context () ((test :initarg :test)))
(defclass global-context ()
  ((failure-descriptions :initform (make-array 8 :adjustable t :fill-pointer 0))
   (assertion-count :initform 0) (run-tests :initform (make-hash-table))))
(defclass failed-assertion ()
  ((test-context-backtrace :initarg :backtrace) (expected :initform nil) (form :initarg :form)
   (format-control :initform "~S is false.") (format-arguments :initarg :arguments)))
(defclass unexpected-error () ((test-context-backtrace :initarg :backtrace) (expected :initform nil) (condition :initarg :condition)))

(defun add-failure (class &rest arguments)
  (when (if (eq class 'failed-assertion) *debug-on-assertion-failure* *debug-on-unexpected-error*)
    (break "It failed."))
  (vector-push-extend (apply #'make-instance class :backtrace (list (make-instance 'context :test *test*)) arguments)
                      (slot-value *global-context* 'failure-descriptions)))

(defun call-testing (test function)
  (let* ((*global-context* (or *global-context*
                               (first (push (make-instance 'global-context) *test-result-history*))))
         (*test* test))
    (setf (gethash test (slot-value *global-context* 'run-tests)) t)
    (handler-case (funcall function)
      (error (error) (add-failure 'unexpected-error :condition error)))
    nil))

(defmacro deftest (name () &body body)
  `(let ((test (make-instance 'test :name ',name)))
     (push ',name *tests*)
     (defun ,name () (call-testing test (lambda () ,@body)))))

(defmacro is (form)
  `(progn (incf (slot-value *global-context* 'assertion-count))
          (unless ,form (add-failure 'failed-assertion :form ',form :arguments '(,form)))))

(defun run-tests (name)
  (let ((suite (make-instance 'test :name name)))
    (setf (gethash 'all (slot-value suite 'children)) t)
    (call-testing suite (lambda () (mapc #'funcall (reverse *tests*))))))
