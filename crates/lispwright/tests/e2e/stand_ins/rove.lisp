;;;; A stand-in for Rove: its packages, classes, slots and functions as far as others use them, written anew.

(defpackage #:rove/core/result
  (:use #:cl)
  (:export #:passed #:failed #:pending #:assertion #:assertion-description #:test #:test-name
           #:passed-assertion #:failed-assertion #:pending-assertion #:passed-test #:failed-test))
(in-package #:rove/core/result)

(defclass passed () ())
(defclass failed () ())
(defclass pending () ())

(defclass assertion ()
  ((form :initarg :form) (steps :initarg :steps :initform nil) (args :initarg :args :initform nil)
   (values :initarg :values :initform nil) (reason :initarg :reason :initform nil)
   (duration :initarg :duration :initform nil) (stacks :initarg :stacks :initform nil)
   (labels :initarg :labels :initform nil) (desc :initarg :desc :initform nil)
   (negative :initarg :negative :initform nil)))

(defgeneric assertion-description (assertion)
  (:method ((assertion assertion))
    (with-slots (desc form negative) assertion
      (or desc (format nil "Expect ~W to be ~:[true~;false~]." form negative)))))

(defclass test ()
  ((name :initarg :name :reader test-name)
   (passed :initarg :passed :initform nil) (failed :initarg :failed :initform nil)
   (pending :initarg :pending :initform nil)))

(defclass passed-assertion (assertion passed) ())
(defclass failed-assertion (assertion failed) ())
(defclass pending-assertion (assertion pending) ())
(defclass passed-test (test passed) ())
(defclass failed-test (test failed) ())

(defpackage #:rove/core/stats
  (:use #:cl #:rove/core/result)
  (:export #:*stats* #:stats #:record #:plan #:test-begin #:test-finish))
(in-package #:rove/core/stats)

(defvar *stats* nil)

(defun results ()
  (make-array 0 :adjustable t :fill-pointer 0))

(defclass stats ()
  ((passed :initform (results)) (failed :initform (results)) (pending :initform (results))
   (plan :initform nil) (contexts :initform nil)))

(defun context (stats)
  (or (first (slot-value stats 'contexts)) stats))

(defgeneric record (stats object)
  (:method ((stats stats) (object passed)) (vector-push-extend object (slot-value (context stats) 'passed)))
  (:method ((stats stats) (object failed)) (vector-push-extend object (slot-value (context stats) 'failed)))
  (:method ((stats stats) (object pending)) (vector-push-extend object (slot-value (context stats) 'pending)))
  (:method ((stats null) object) (declare (ignore object))))

(defun plan (count)
  (setf (slot-value (context *stats*) 'plan) count))

(defun test-begin (stats)
  (push (make-instance 'stats) (slot-value stats 'contexts)))

(defun test-finish (stats name)
  (with-slots (passed failed pending plan) (pop (slot-value stats 'contexts))
    (record stats
            (make-instance (if (and (zerop (length failed))
                                    (or (null plan) (= plan (+ (length passed) (length pending)))))
                               'passed-test
                               'failed-test)
                           :name name :passed (coerce passed 'list) :failed (coerce failed 'list)
                           :pending (coerce pending 'list)))))

(defpackage #:rove/core/suite/package
  (:use #:cl)
  (:export #:all-suites #:find-suite #:get-test #:set-test #:remove-test #:suite-name #:suite-setup #:suite-teardown
           #:suite-before-hooks #:suite-after-hooks #:suite-tests #:package-suite #:*before-test-hooks*
           #:*after-test-hooks*))
(in-package #:rove/core/suite/package)

(defvar *before-test-hooks* '())
(defvar *after-test-hooks* '())

(defvar *package-suites* (make-hash-table :test 'eq))

(defstruct suite name setup teardown before-hooks after-hooks package %tests)

(defun all-suites ()
  (loop for suite being the hash-values of *package-suites* collect suite))

(defun get-test (name)
  (get name 'test))

(defun suite-tests (suite)
  (reverse (remove nil (suite-%tests suite) :key #'get-test)))

(defun package-suite (package)
  (or (gethash package *package-suites*)
      (setf (gethash package *package-suites*) (make-suite :name (package-name package) :package package))))

(defun set-test (name function)
  (pushnew name (suite-%tests (package-suite *package*)))
  (setf (get name 'test) function)
  name)

(defpackage #:rove
  (:use #:cl #:rove/core/result #:rove/core/stats #:rove/core/suite/package)
  (:export #:deftest #:testing #:ok #:ng #:skip #:pass #:fail #:setup #:teardown #:defhook #:plan))
(in-package #:rove)

(defmacro ok (form &optional desc)
  `(check ',form (lambda () ,(if (and (consp form) (fboundp (first form)) (not (macro-function (first form))))
                                 `(let ((values (list ,@(rest form))))
                                    (values (apply #',(first form) values) ',(rest form) values))
                                 form))
          ,desc nil))

(defmacro ng (form &optional desc)
  `(check ',form (lambda () ,form) ,desc t))

(defun check (form function desc negative)
  (multiple-value-bind (result args values reason)
      (block nil
        (handler-bind ((error (lambda (error) (return (values negative nil nil error)))))
          (funcall function)))
    (record *stats* (make-instance (if (if negative (not result) result) 'passed-assertion 'failed-assertion)
                                   :form form :args args :values values :reason reason :desc desc
                                   :negative negative))
    result))

(defun skip (desc)
  (record *stats* (make-instance 'pending-assertion :form t :desc desc)))

(defmacro testing (name &body body)
  `(call-testing ,name (lambda () ,@body)))

(defun call-testing (name function)
  (test-begin *stats*)
  (unwind-protect
       (block nil
         (handler-bind ((error (lambda (error)
                                 (record *stats* (make-instance 'failed-assertion
                                                                :form t :reason error
                                                                :desc "Raise an error while testing."))
                                 (return nil))))
           (funcall function)))
    (test-finish *stats* name)))

(defmacro deftest (name &body body)
  `(set-test ',name (lambda () (testing ,(string-downcase name) ,@body))))

(defmacro setup (&body body)
  `(setf (suite-setup (package-suite *package*)) (lambda () ,@body)))

(defmacro teardown (&body body)
  `(setf (suite-teardown (package-suite *package*)) (lambda () ,@body)))

(defmacro defhook (mode &body body)
  (ecase mode
    (:before `(push (cons nil (lambda () ,@body)) (suite-before-hooks (package-suite *package*))))
    (:after `(push (cons nil (lambda () ,@body)) (suite-after-hooks (package-suite *package*))))))
