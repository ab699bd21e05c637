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
(defvar *interrupt-left* nil "True when a local interrupt came while signals were ignored.")

(defun install-signals ()
  (setf *main-thread* mp:*current-process*)
  (ext:catch-signal ext:+sigint+ :ignore)
  (loop for (signal handler) in `((,ext:+sigurg+ meet-interrupt) (,ext:+sigio+ meet-frames))
        do (ext:catch-signal signal :catch)
           (ext:set-signal-handler signal handler))
  (wrap 'ext:run-program 'call-running)
  (fcntl *requests* +f-setown+ *own-pid*)
  (fcntl *requests* +f-setfl+ (logior (fcntl *requests* +f-getfl+ 0) +o-async+)))

(defun meet-interrupt ()
  (if *undisturbed*
      (setf *interrupt-left* t)
      (call-in-main-thread 'handle-interrupt)))

(defun meet-frames ()
  "The thread that evaluates is interrupted only for a frame that it does not read by itself: ECL does not keep the
multiple values of what it interrupts. The signal of a request comes while that request is read, or just after."
  (unless (or *undisturbed* *receiving* (not (protocol-readable-p)))
    (call-in-main-thread 'handle-frames)))

(defun call-in-main-thread (function)
  (if (eq mp:*current-process* *main-thread*)
      (funcall function)
      (mp:interrupt-process *main-thread* function)))

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

;;; Programs that evaluated code runs. libgc holds the lock of its allocator while the process forks: a handler that runs
;;; in the forking thread and allocates waits for this lock for ever. ECL takes a system call that a signal ends for the
;;; end of the program.

(defun call-starting (function)
  "The first value of FUNCTION, which starts a program, with the signals blocked, there too; what they ask for is done
after that."
  (setf *interrupt-left* nil)
  (prog1 (call-undisturbed function)
    (meet-frames)
    (when (shiftf *interrupt-left* nil)
      (meet-interrupt))))

(defun exit-code (process)
  "The exit code of PROCESS, after its end."
  (loop for pause = 1/1000 then (min (* 2 pause) 1/50)
        while (member (ext:external-process-wait process nil) '(:running :stopped :resumed))
        do (sleep pause))
  (nth-value 1 (ext:external-process-wait process t)))

(defun call-running (run command &optional arguments &rest options &key (wait t) &allow-other-keys)
  "The values of RUN, which is EXT:RUN-PROGRAM, for the other arguments."
  (destructuring-bind (&optional stream code process)
      (call-starting (lambda () (multiple-value-list (apply run command arguments :wait nil options))))
    (values stream (if (and wait process) (exit-code process) code) process)))

(defun call-with-unlocked (packages function)
  "Calls FUNCTION, which redefines functions of the PACKAGES."
  (let ((locked (mapcar (lambda (package) (si:package-lock package nil)) packages)))
    (unwind-protect (funcall function)
      (mapc #'si:package-lock packages locked))))

(defun wrap (name caller)
  "Lets the function NAME call CALLER, with the function that it is now before its arguments."
  (let ((wrapped (fdefinition name)))
    (call-with-unlocked
     (list (symbol-package name))
     (lambda ()
       (setf (symbol-function name) (lambda (&rest arguments) (apply caller wrapped arguments)))))))
