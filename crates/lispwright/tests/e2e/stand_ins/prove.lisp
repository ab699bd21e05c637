;;;; A stand-in for Prove: the suite of reports that FINALIZE ends, written anew.

(defpackage #:prove.report (:use #:cl))
(in-package #:prove.report)
(defclass report () ((description :initarg :description :initform nil)))
(defclass comment-report (report) ())
(defclass test-report (report) ())
(defclass normal-test-report (test-report)
  ((notp :initform nil) (got :initarg :got) (got-form :initarg :got-form) (expected :initarg :expected)))
(defclass composed-test-report (test-report) ((children :initarg :children)))
(defclass passed-test-report (normal-test-report) ())
(defclass failed-test-report (normal-test-report) ())
(defclass skipped-test-report (normal-test-report) ())

(defpackage #:prove.suite (:use #:cl) (:export #:plan #:finalize #:*suite* #:current-suite #:suite))
(in-package #:prove.suite)
(defclass suite () ((plan :initarg :plan) (failed :initform 0) (reports :initform (make-array 0 :adjustable t :fill-pointer 0))))
(defvar *suite* nil)
(defun current-suite () *suite*)
(defun plan (count) (setf *suite* (make-instance 'suite :plan count)))
(defun finalize (&optional (suite (current-suite)))
  (zerop (slot-value suite 'failed)))

(defpackage #:prove (:use #:cl #:prove.suite) (:export #:plan #:finalize #:is #:subtest #:skip))
(in-package #:prove)

(defun report (class &rest arguments)
  (let ((suite (current-suite)))
    (when (eq class 'prove.report::failed-test-report)
      (incf (slot-value suite 'prove.suite::failed)))
    (vector-push-extend (apply #'make-instance class arguments) (slot-value suite 'prove.suite::reports))))

(defmacro is (got expected &optional description)
  `(let ((got ,got))
     (report (if (equal got ,expected) 'prove.report::passed-test-report 'prove.report::failed-test-report)
             :got got :got-form ',got :expected ,expected :description ,description)))

(defun skip (count why)
  (loop repeat count do (report 'prove.report::skipped-test-report :got t :got-form t :expected t :description why)))

(defmacro subtest (description &body body)
  `(let ((inner (make-instance 'suite :plan nil)))
     (let ((*suite* inner)) ,@body)
     (report 'prove.report::composed-test-report :children (slot-value inner 'prove.suite::reports) :description ,description)))
