;;;; A stand-in for Fiasco: the context that a run of tests leaves, written anew.

(defpackage #:fiasco
  (:use #:cl)
  (:export #:deftest #:is #:skip #:run-tests #:*last-test-result* #:*test-result-history*))
(in-package #:fiasco)

(defvar *test-result-history* '())
(defvar *last-test-result* nil)
(defvar *context* nil)
(defvar *tests* '())

(defclass test () ((name :initarg :name) (children :initform (make-hash-table))))
(defclass context ()
  ((test :initarg :test) (self-failures :initform '()) (self-assertions :initform '()) (self-skipped :initform nil)
   (parent-context :initarg :parent) (children-contexts :initform '())))

(define-condition failure (simple-condition)
  ((expected :initarg :expected :initform nil) (form :initarg :form :initform nil) (error :initarg :error :initform nil))
  (:report (lambda (failure stream) (format stream "Test assertion failed:~%~%~A is false" (slot-value failure 'form)))))

(defun call-testing (name function)
  (let* ((parent *context*)
         (*context* (make-instance 'context :test (make-instance 'test :name name) :parent parent)))
    (when parent
      (push *context* (slot-value parent 'children-contexts)))
    (handler-case (funcall function)
      (error (error)
        (push (make-condition 'failure :error error) (slot-value *context* 'self-failures))))
    (unless parent
      (push *context* *test-result-history*)
      (setf *last-test-result* *context*))
    nil))

(defmacro deftest (name () &body body)
  `(progn (pushnew ',name *tests*)
          (defun ,name () (call-testing ',name (lambda () ,@body)))))

(defmacro is (form)
  `(progn (push ',form (slot-value *context* 'self-assertions))
          (unless ,form
            (push (make-condition 'failure :form ',form) (slot-value *context* 'self-failures)))))

(defun skip () (setf (slot-value *context* 'self-skipped) t))

(defun run-tests (name)
  (call-testing name (lambda () (mapc #'funcall (reverse *tests*)))))
