;;;; The package of the agent, and the descriptors of its conversation with the parent.
;;;;
;;;; Loaded first. The file of the implementation, which comes next, defines FCNTL (descriptor command argument).

(defpackage "LISPWRIGHT.AGENT"
  (:use "COMMON-LISP")
  (:export "MAIN" "SAVE"))

(in-package "LISPWRIGHT.AGENT")

(defvar *requests* nil "The descriptor for requests.")
(defvar *answers* nil "The descriptor for answers.")
(defvar *captures* nil "Private copies of the pipes for descriptors 1 and 2: (STDOUT STDERR).")
(defvar *own-pid* nil "The process that answers the parent.")
(defvar *first-pid* nil "The process that was started; the answering one may be a copy of it.")

;;; Numbers of the system: those of Linux, or of a Mac where they differ.

(defconstant +f-getfl+ 3)
(defconstant +f-setfl+ 4)
(defconstant +f-setown+ #+(or darwin macos) 6 #-(or darwin macos) 8)
(defconstant +f-setsig+ 10)             ; on Linux only
(defconstant +f-dupfd-cloexec+ #+(or darwin macos) 67 #-(or darwin macos) 1030)
(defconstant +o-async+ #+(or darwin macos) #x40 #-(or darwin macos) #o20000)

(defun private-copy (descriptor)
  "A copy of DESCRIPTOR with a high number, which evaluated code hardly uses, closed in child processes. If the limit on
open files does not allow such a number, it is the next free one."
  (let ((copy (fcntl descriptor +f-dupfd-cloexec+ 100)))
    (if (minusp copy)
        (fcntl descriptor +f-dupfd-cloexec+ 3)
        copy)))
