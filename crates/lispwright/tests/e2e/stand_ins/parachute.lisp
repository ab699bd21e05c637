;;;; A stand-in for Parachute: its package, classes, slots and functions as far as others use them, written anew. As there,
;;;; a test that is defined again stays the same object, and a report has the results of inner tests as well.

(defpackage #:parachute
  (:nicknames #:org.shirakumo.parachute)
  (:use #:cl)
  (:export #:define-test #:test #:true #:is #:isnt #:skip #:package-tests #:plain #:quiet #:report #:status
           #:results #:parent-result #:test-result))
(in-package #:parachute)

(defvar *tests* (make-hash-table :test 'eq))
(defvar *context* nil)
(defvar *parent* nil)

(defclass test ()
  ((name :initarg :name :reader name) (home :initarg :home) (description :initform nil :initarg :description)
   (parent :initform nil :initarg :parent :accessor parent) (children :initform '() :accessor children)
   (dependencies :initform '() :initarg :depends-on :reader dependencies)
   (time-limit :initform nil :initarg :time-limit :reader time-limit) (tests :initarg :tests :reader tests)))

(defun index (package)
  (or (gethash package *tests*) (setf (gethash package *tests*) (make-hash-table :test 'equal))))

(defun package-tests (package)
  (let ((index (gethash (find-package package) *tests*)))
    (when index (loop for test being the hash-values of index collect test))))

(defun find-test (name package)
  (gethash (string name) (index package)))

(defun ensure-test (name home parent &rest initargs)
  (let ((test (find-test name home))
        (parent (and parent (find-test parent home))))
    (setf test (if test
                   (apply #'reinitialize-instance test initargs)
                   (apply #'make-instance 'test :name name :home home initargs)))
    (setf (parent test) parent
          (gethash (string name) (index home)) test)
    (when parent
      (setf (children parent) (append (remove test (children parent)) (list test))))
    test))

(defmacro define-test (name &body body)
  (let ((options (loop while (keywordp (first body)) append (list (pop body) (pop body)))))
    (destructuring-bind (&key parent time-limit depends-on) options
      `(ensure-test ',name *package* ',parent :time-limit ,time-limit :depends-on ',depends-on
                    :tests (list ,@(loop for form in body collect `(lambda () ,form)))))))

(defclass result ()
  ((expression :initarg :expression :accessor expression) (status :initform :unknown :accessor status)
   (duration :initform nil :accessor duration) (description :initform nil :initarg :description :accessor description)))
(defclass value-result (result) ((value :accessor value) (body :initarg :body :reader body)))
(defclass finishing-result (value-result) ())
(defclass comparison-result (value-result)
  ((expected :initarg :expected :reader expected) (comparison :initarg :comparison :reader comparison)
   (comparison-geq :initform t :initarg :comparison-geq :reader comparison-geq)))
(defclass parent-result (result)
  ((results :initform (make-array 0 :adjustable t :fill-pointer t) :accessor results)))
(defclass controlling-result (parent-result) ((child-status :initarg :child-status :reader child-status) (body :initarg :body :reader body)))
(defclass test-result (parent-result) ())
(defclass report (parent-result) ())
(defclass quiet (report) ())
(defclass plain (report) ((output :initarg :output :initarg :stream :accessor output)))

(defmethod initialize-instance :after ((result result) &key)
  (loop for parent in (list *parent* *context*)
        when (and parent (not (find result (results parent))))
          do (vector-push-extend result (results parent))))

(defgeneric evaluate (report result))

(defmethod evaluate :around ((report plain) (result result))
  (when (eq :unknown (status result))
    (handler-case (call-next-method)
      (error (error)
        (warn "Unhandled error when evaluating ~a:~%  ~a~%" result error)
        (setf (status result) :failed)))
    (when (eq :unknown (status result))
      (setf (status result) :passed))
    (format (output report) "~a ~a~%" (status result) (expression result))))

(defmethod evaluate ((report plain) (result comparison-result))
  (handler-case (setf (value result) (funcall (body result)))
    (error (error)
      (setf (value result) error)
      (setf (status result) :failed)))
  (when (eq :unknown (status result))
    (setf (status result)
          (if (eq (comparison-geq result)
                  (and (ignore-errors (funcall (comparison result) (value result) (expected result))) t))
              :passed
              :failed))))

(defun needed (test)
  "The tests that TEST depends on."
  (loop for name in (dependencies test) collect (find-test name (slot-value test 'home))))

(defun result-for (test)
  (or (find test (results *context*) :key #'expression) (make-instance 'test-result :expression test)))

(defmethod evaluate :around ((report plain) (result test-result))
  "What a test depends on is run before it, in the same report."
  (dolist (test (needed (expression result)))
    (evaluate report (result-for test)))
  (call-next-method))

(defmethod evaluate ((report plain) (result test-result))
  (let ((*parent* result)
        (test (expression result)))
    (unless (loop for test in (needed test) always (eq :passed (status (result-for test))))
      (setf (status result) :skipped)
      (return-from evaluate))
    (dolist (function (tests test))
      (funcall function))
    (dolist (child (children test))
      (evaluate report (result-for child)))
    (when (find :failed (results result) :key #'status)
      (setf (status result) :failed))
    (when (time-limit test)
      (setf (description result) "The limit was exceeded."
            (status result) :failed))))

(defmethod evaluate ((report plain) (result controlling-result))
  "As there, the checks inside end as if they had passed."
  (let ((*parent* result))
    (funcall (body result))
    (loop for part across (results result)
          do (setf (status part) :passed)))
  (setf (status result) :passed))

(defun test (designator &rest args &key (report 'plain) (stream *standard-output*) &allow-other-keys)
  (declare (ignore args))
  (let* ((report (make-instance report :expression designator :stream stream))
         (*context* report))
    (dolist (test (if (typep designator 'test) (list designator) (package-tests designator)) report)
      (evaluate report (result-for test)))))

(defmacro skip (description &body body)
  `(evaluate *context* (make-instance 'controlling-result :expression ,description :child-status :skipped
                                                          :body (lambda () ,@body))))

(defmacro is (comparison expected form &optional description)
  `(evaluate *context* (make-instance 'comparison-result
                                      :expression '(is ,comparison ,expected ,form) :body (lambda () ,form)
                                      :expected ,expected :comparison ',comparison :description ,description)))

(defmacro isnt (comparison expected form)
  `(evaluate *context* (make-instance 'comparison-result
                                      :expression '(isnt ,comparison ,expected ,form) :body (lambda () ,form)
                                      :expected ,expected :comparison ',comparison :comparison-geq nil)))

(defmacro true (form)
  `(evaluate *context* (make-instance 'comparison-result
                                      :expression '(true ,form) :body (lambda () (and ,form t))
                                      :expected t :comparison 'eq)))
