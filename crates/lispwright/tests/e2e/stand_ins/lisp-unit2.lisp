;;;; A stand-in for lisp-unit2: its tests, and the database of results that RUN-TESTS returns, written anew.

(defpackage #:lisp-unit2
  (:use #:cl)
  (:export #:define-test #:assert-eql #:run-tests))
(in-package #:lisp-unit2)

(defvar *tests* '())
(defvar *result* nil)

(defclass unit-test () ((name :initarg :name) (tags :initarg :tags) (code :initarg :code)))
(defclass list-collector () ((head :initform '()) (len :initform 0)))
(defclass test-result ()
  ((unit-test :initarg :unit-test) (errors :initform nil) (failed :initform nil) (warnings :initform nil) (passed :initform nil)))
(defclass test-results-db () ((results :initform (make-array 0 :adjustable t :fill-pointer 0))))
(defclass failure-result () ((form :initarg :form) (expected :initarg :expected) (actual :initarg :actual)))

(defun collect (object slot)
  (let ((collector (or (slot-value *result* slot) (setf (slot-value *result* slot) (make-instance 'list-collector)))))
    (setf (slot-value collector 'head) (append (slot-value collector 'head) (list object)))))

(defmacro define-test (name (&key tags) &body body)
  `(progn
     (setf *tests* (cons (make-instance 'unit-test :name ',name :tags ',tags :code (lambda () ,@body))
                         (remove ',name *tests* :key (lambda (test) (slot-value test 'name)))))
     (defun ,name () (%run-test (find ',name *tests* :key (lambda (test) (slot-value test 'name)))))))

(defun list-tests () (reverse *tests*))

(defun %run-test (test)
  (let ((*result* (make-instance 'test-result :unit-test test)))
    (handler-case (funcall (slot-value test 'code))
      (error (error) (collect error 'errors)))
    *result*))

(defmacro assert-eql (expected form)
  `(let ((actual ,form))
     (if (eql actual ,expected)
         (collect ',form 'passed)
         (collect (make-instance 'failure-result :form '(assert-eql ,expected ,form) :expected (list ,expected) :actual (list actual))
                  'failed))))

(defgeneric run-tests (&key package tests)
  (:method (&key package tests)
    (declare (ignore package))
    (let ((db (make-instance 'test-results-db)))
      (dolist (name (or tests (mapcar (lambda (test) (slot-value test 'name)) (list-tests))) db)
        (vector-push-extend (funcall name) (slot-value db 'results))))))
