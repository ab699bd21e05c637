;;;; A stand-in for Try: the trials that tests leave, and the verdicts in them. Written anew.

(defpackage #:try (:use #:cl) (:export #:deftest #:is #:try #:passedp #:skip #:pass #:verdict #:trial #:*n-recent-trials*))
(in-package #:try)

(defvar *recent-trials* '())
(defvar *n-recent-trials* 3)
(defvar *trial* nil)

(define-condition event () ())
(define-condition skip (event) ())
(define-condition verdict (event) ((trial :initarg :trial)))
(define-condition verdict-success (verdict) ())
(define-condition verdict-failure (verdict) ())
(define-condition verdict-skip (verdict skip) ())
(define-condition unexpected-result-failure (event) ((form :initarg :form))
  (:report (lambda (event stream) (format stream "UNEXPECTED-FAILURE in check: ~S" (slot-value event 'form)))))

(defclass trial () ((test-name :initarg :test-name) (children :initform '()) (verdict :initform nil)))

(defun passedp (trial) (typep (slot-value trial 'verdict) 'verdict-success))

(defun call-testing (name function)
  (let* ((outer *trial*)
         (*trial* (make-instance 'trial :test-name name)))
    (let ((class (catch 'skipped
                   (funcall function)
                   (if (find-if-not (lambda (event) (typep event '(or verdict-success skip))) (slot-value *trial* 'children))
                       'verdict-failure
                       'verdict-success))))
      (setf (slot-value *trial* 'verdict) (make-condition class :trial *trial*)))
    (if outer
        (push (slot-value *trial* 'verdict) (slot-value outer 'children))
        (let ((trials (cons *trial* *recent-trials*)))
          (setf *recent-trials* (subseq trials 0 (min *n-recent-trials* (length trials))))))
    *trial*))

(defmacro deftest (name () &body body)
  `(defun ,name () (call-testing ',name (lambda () ,@body))))

(defmacro is (form)
  `(unless ,form (push (make-condition 'unexpected-result-failure :form ',form) (slot-value *trial* 'children))))

(defun skip-trial () (throw 'skipped 'verdict-skip))
