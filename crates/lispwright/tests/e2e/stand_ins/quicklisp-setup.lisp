;;;; A stand-in for Quicklisp's setup.lisp: the packages, what ASDF is told of installed software, and an account of what was
;;;; asked for. It fetches nothing. Written anew.

(defpackage #:ql-setup (:use #:cl) (:export #:*quicklisp-home* #:qmerge))
(in-package #:ql-setup)

(unless *load-truename* (error "This file must be LOADed to set up quicklisp."))

(defvar *quicklisp-home* (make-pathname :name nil :type nil :defaults *load-truename*))

(defun qmerge (path) (merge-pathnames path *quicklisp-home*))

(require "asdf")

(defpackage #:ql-dist (:use #:cl) (:export #:system-definition-searcher))
(in-package #:ql-dist)

(defun system-definition-searcher (name)
  "Of installed software only."
  (probe-file (ql-setup:qmerge (format nil "software/~A/~A.asd" name name))))

(defpackage #:quicklisp (:nicknames #:ql) (:use #:cl) (:export #:quickload #:setup #:*quicklisp-home*))
(in-package #:quicklisp)

(defun quickload (name &key silent)
  (declare (ignore silent))
  (error "The network was asked for ~A." name))

(defun setup ()
  (setf asdf:*system-definition-search-functions*
        (append asdf:*system-definition-search-functions* '(ql-dist:system-definition-searcher))))

(setup)
