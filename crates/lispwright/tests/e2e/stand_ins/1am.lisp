;;;; A stand-in for 1am: tests are functions, and one that returns has passed. Written anew.

(defpackage #:1am (:use #:cl) (:export #:test #:is #:run #:*tests*))
(in-package #:1am)

(defvar *tests* '())
(defvar *pass-count* nil)
(defvar *running* nil)

(defun call-counting (function count)
  (let ((*pass-count* 0))
    (funcall function)
    (format t "~&Success: ~D tests, ~D checks.~%" count *pass-count*)))

(defun run (&optional (tests *tests*))
  (let ((*running* t))
    (call-counting (lambda () (map nil #'funcall tests)) (length tests))))

(defun call-test (name function)
  (format t "~&~S" name)
  (if *running* (funcall function) (call-counting function 1)))

(defmacro test (name &body body)
  `(progn (defun ,name () (call-test ',name (lambda () ,@body)))
          (unless (member ',name *tests*)
            (setf *tests* (append *tests* '(,name))))))

(defmacro is (form)
  `(progn (assert ,form)
          (passed)))

(defun passed ()
  (write-char #\.)
  (incf *pass-count*))
