;;;; The package of the agent, and the descriptors of its conversation with the parent.
;;;;
;;;; Loaded first. The file of the implementation, which comes next, defines FCNTL (descriptor command argument).

(defpackage "LISPWRIGHT.AGENT"
  (:use "COMMON-LISP")
  (:export "MAIN" "SAVE"))

(in-package "LISPWRIGHT.AGENT")

(defvar *requests* nil "The descriptor that requests are read from.")
(defvar *answers* nil "The descriptor that answers are written to.")
(defvar *captures* nil "Private copies of the descriptors that 1 and 2 stand for: (STDOUT STDERR).")
(defvar *own-pid* nil "The process that speaks to the parent.")
(defvar *first-pid* nil "The process that was started, of which the speaking one may be a copy.")

;;; Numbers of the system: those of Linux, or of a Mac where they differ.

(defconstant +f-getfl+ 3)
(defconstant +f-setfl+ 4)
(defconstant +f-setown+ #+(or darwin macos) 6 #-(or darwin macos) 8)
(defconstant +f-setsig+ 10)             ; on Linux only
(defconstant +f-dupfd-cloexec+ #+(or darwin macos) 67 #-(or darwin macos) 1030)
(defconstant +o-async+ #+(or darwin macos) #x40 #-(or darwin macos) #o20000)

(defun private-copy (descriptor)
  "A copy of DESCRIPTOR out of the way of evaluated code, closed in child processes. Where so few may be open that there is
no such number, it is the next one."
  (let ((copy (fcntl descriptor +f-dupfd-cloexec+ 100)))
    (if (minusp copy)
        (fcntl descriptor +f-dupfd-cloexec+ 3)
        copy)))
