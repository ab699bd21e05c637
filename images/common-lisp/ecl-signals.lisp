;;;; Interrupts in ECL: SIGIO means that a frame has come during an evaluation, SIGURG is the local interrupt. SIGINT,
;;;; which comes with it, is ignored.
;;;;
;;;; ECL runs a handler at once except in C code that must not be disturbed, first of all an allocation. There it
;;;; write-protects the memory that this code writes next, and runs the handler from the handler of the fault. A second
;;;; signal before that is fatal, since its handler writes there itself. So signals must come one by one, and the
;;;; handler must send none: in the thread that evaluates it acts by itself.

(in-package "LISPWRIGHT.AGENT")

(defvar *main-thread* nil "The thread that evaluates.")
(defvar *undisturbed* nil "True while signals are ignored.")

(defun install-signals ()
  (setf *main-thread* mp:*current-process*)
  (ext:catch-signal ext:+sigint+ :ignore)
  (loop for (signal handler) in `((,ext:+sigurg+ meet-interrupt) (,ext:+sigio+ meet-frames))
        do (ext:catch-signal signal :catch)
           (ext:set-signal-handler signal handler))
  (fcntl *requests* +f-setown+ *own-pid*)
  (fcntl *requests* +f-setfl+ (logior (fcntl *requests* +f-getfl+ 0) +o-async+)))

(defun meet-interrupt ()
  (call-in-main-thread 'handle-interrupt))

(defun meet-frames ()
  "The thread that evaluates is interrupted only for a frame that it does not read by itself: ECL does not keep the
multiple values of what it interrupts. The signal of a request comes while that request is read, or just after."
  (when (and (not *receiving*) (protocol-readable-p))
    (call-in-main-thread 'handle-frames)))

(defun call-in-main-thread (function)
  (cond (*undisturbed*)
        ((eq mp:*current-process* *main-thread*) (funcall function))
        (t (mp:interrupt-process *main-thread* function))))

(defun block-signals (on)
  "Blocks the signals for this thread, or unblocks them."
  (let ((set (make-array 128 :element-type '(unsigned-byte 8) :initial-element 0)))
    (dolist (signal (list ext:+sigurg+ ext:+sigio+))
      (multiple-value-bind (octet bit) (floor (1- signal) 8)
        (setf (aref set octet) (logior (aref set octet) (ash 1 bit)))))
    (libc "pthread_sigmask" :int :int (if on 0 1) :pointer (si:make-foreign-data-from-array set) :long 0)))

(defun call-undisturbed (function)
  "Calls FUNCTION, which must neither be left in the middle nor have its system calls interrupted."
  (setf *undisturbed* t)
  (block-signals t)
  (unwind-protect (funcall function)
    (block-signals nil)
    (setf *undisturbed* nil)))
