;;;; A test language small enough to read at once: named tests made of checks.

(defpackage :ledger/check
  (:use :common-lisp)
  (:export #:deftest #:is #:signals #:run-all))

(in-package :ledger/check)

(defvar *tests* '()
  "The names of all tests, newest first. A test is a function of no arguments.")

(defvar *failures*)

(defmacro deftest (name &body body)
  "Define the test NAME, which passes when each IS and SIGNALS in it holds and nothing else is signalled."
  `(progn
     (defun ,name () ,@body)
     (pushnew ',name *tests*)
     ',name))

(defun fail (control &rest arguments)
  (push (apply #'format nil control arguments) *failures*))

(defmacro is (test expected form)
  "Check that the value of FORM stands in the relation TEST to EXPECTED."
  (let ((want (gensym "WANT")) (have (gensym "HAVE")))
    `(let ((,want ,expected) (,have ,form))
       (unless (,test ,want ,have)
         (fail "~s is ~s, not ~s" ',form ,have ,want)))))

(defmacro signals (condition &body body)
  "Check that BODY signals a CONDITION."
  `(handler-case (progn ,@body)
     (,condition () t)
     (:no-error (&rest values) (fail "~s gave ~s and no ~s" ',(car body) values ',condition))))

(defun run (test)
  "Run TEST. True when it passes."
  (let ((*failures* '()))
    (handler-case (funcall test)
      (error (condition) (fail "~a" condition)))
    (format t "~&~:[FAIL~;ok  ~] ~(~a~)~%~{       ~a~%~}" (null *failures*) test (reverse *failures*))
    (null *failures*)))

(defun run-all ()
  "Run every test. True when there are some and all pass."
  (let ((passed (count-if #'run (reverse *tests*))))
    (format t "~d of ~d tests passed~%" passed (length *tests*))
    (and *tests* (= passed (length *tests*)))))
