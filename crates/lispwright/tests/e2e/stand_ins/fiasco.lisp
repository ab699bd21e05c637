;;;; A stand-in for Fiasco: its tests, and the context that a run of them leaves, written anew.

(defpackage #:fiasco
  (:use #:cl)
  (:export #:deftest #:is #:skip #:run-tests #:*last-test-result* #:*test-result-history*))
(in-package #:fiasco)

(defvar *test-result-history* '())
(defvar *last-test-result* nil)
(defvar *context* nil)
(defvar *tests* (make-hash-table))
(defvar *names* '())

(defclass test ()
  ((name :initarg :name) (lambda-list :initform '()) (children :initform (make-hash-table)) (parent :initform nil :initarg :parent)))
(defvar *suite* (make-instance 'test :name 'all))
(defclass context ()
  ((test :initarg :test) (self-failures :initform '()) (self-assertions :initform '()) (self-skipped :initform nil)
   (parent-context :initarg :parent) (children-contexts :initform '())))

(define-condition failure (simple-condition)
  ((expected :initarg :expected :initform nil) (form :initarg :form :initform nil) (error :initarg :error :initform nil))
  (:report (lambda (failure stream) (format stream "Test assertion failed:~%~%~A is false" (slot-value failure 'form)))))

(defun run-test-body-in-handlers (test function)
  (declare (ignore test))
  (handler-case (funcall function)
    (error (error)
      (push (make-condition 'failure :error error) (slot-value *context* 'self-failures)))))

(defun call-testing (test function)
  (let* ((parent *context*)
         (*context* (make-instance 'context :test test :parent parent)))
    (when parent
      (push *context* (slot-value parent 'children-contexts)))
    (unwind-protect (run-test-body-in-handlers test function)
      (unless parent
        (push *context* *test-result-history*)
        (setf *last-test-result* *context*)))
    nil))

(defmacro deftest (name () &body body)
  `(progn (pushnew ',name *names*)
          (setf (gethash ',name (slot-value *suite* 'children))
                (setf (gethash ',name *tests*) (make-instance 'test :name ',name :parent *suite*)))
          (defun ,name () (call-testing (gethash ',name *tests*) (lambda () ,@body)))))

(defmacro is (form)
  `(progn (push ',form (slot-value *context* 'self-assertions))
          (unless ,form
            (push (make-condition 'failure :form ',form) (slot-value *context* 'self-failures)))))

(defun skip () (setf (slot-value *context* 'self-skipped) t))

(defun run-tests (name)
  (declare (ignore name))
  (call-testing *suite* (lambda () (mapc #'funcall (reverse *names*)))))
