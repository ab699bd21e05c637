;;;; The parts of the Common Lisp agent that depend on CLISP: the C library, streams, signals, frames, the heap's limit.
;;;;
;;;; Loaded before libc.lisp, which has the common parts of ECL and CLISP. The head of sbcl.lisp lists the functions
;;;; that they define together.
;;;;
;;;; CLISP has one thread and interrupts it by SIGINT alone. It ends an endless recursion by returning to its outermost
;;;; driver, past everything in between, so the agent replaces that driver: it answers for the lost code and continues
;;;; to serve.

(in-package "LISPWRIGHT.AGENT")

;;; The C library

(defvar *c-functions* (make-hash-table :test #'equal) "A table from names to foreign functions, of this process.")

(defun c-function (name result types)
  (or (gethash name *c-functions*)
      (setf (gethash name *c-functions*)
            (ffi::find-foreign-function
             name
             (ffi:parse-c-type `(ffi:c-function (:arguments ,@(loop for type in types
                                                                    for index from 0
                                                                    collect (list (make-symbol (format nil "A~D" index)) type)))
                                                (:return-type ,result)
                                                (:language :stdc)))
             nil :default nil nil))))

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defun c-type (type)
    (ecase type
      (:int 'ffi:int)
      (:long 'ffi:long)
      (:string 'ffi:c-string)
      (:pointer 'ffi:c-pointer)
      (:void nil))))

(defmacro libc (name result &rest typed-arguments)
  "Calls the C function NAME; TYPED-ARGUMENTS are alternating types and values."
  `(funcall (c-function ,name ',(c-type result)
                        ',(loop for (type) on typed-arguments by #'cddr collect (c-type type)))
            ,@(loop for (nil value) on typed-arguments by #'cddr collect value)))

(defun called-mkdtemp (template)
  (libc "mkdtemp" :string :string template))

(defconstant +buffer-size+ 65536)

(defvar *buffer* nil "The address of the memory for reading from and writing to the pipe.")

(defun buffer ()
  (or *buffer*
      (setf *buffer* (ffi:foreign-address (ffi:allocate-shallow 'ffi:uint8 :count +buffer-size+)))))

(defun octets-type (count)
  (ffi:parse-c-type `(ffi:c-array ffi:uint8 ,count)))

(defun buffered (count)
  "The first COUNT octets in the buffer."
  (ffi:memory-as (buffer) (octets-type count)))

(defun (setf buffered) (octets count)
  (setf (ffi:memory-as (buffer) (octets-type count)) octets))

(defun error-number ()
  (ffi:memory-as (libc "__errno_location" :pointer) 'ffi:int))

(defun read-octets (descriptor octets start end)
  (let ((count (libc "read" :long :int descriptor :pointer (buffer) :long (min (- end start) +buffer-size+))))
    (cond ((minusp count) (values nil (error-number)))
          ((zerop count) 0)
          (t (replace octets (buffered count) :start1 start)
             count))))

(defun write-octets (descriptor octets start end)
  (let ((size (min (- end start) +buffer-size+)))
    (setf (buffered size) (subseq octets start (+ start size)))
    (let ((count (libc "write" :long :int descriptor :pointer (buffer) :long size)))
      (if (minusp count)
          (values nil (error-number))
          count))))

(defun protocol-readable-p ()
  "True when a frame, or the end of the pipe, can be read."
  (and *requests*
       (progn
         (setf (buffered 8) (vector (logand *requests* 255) (ash *requests* -8) 0 0 1 0 0 0)) ; POLLIN
         (plusp (libc "poll" :int :pointer (buffer) :long 1 :int 0)))))

(defun limit-memory ()
  "Limits the memory of this process to the size of the option -m, beyond what it has already."
  (let* ((option (second (member "-m" (coerce (ext:argv) 'list) :test #'equal)))
         (megabytes (and option (parse-integer option :junk-allowed t))))
    (when megabytes
      (let* ((limit (* (+ megabytes 256) 1024 1024))
             (octets (loop for index below 8 collect (ldb (byte 8 (* 8 index)) limit))))
        (setf (buffered 16) (coerce (append octets octets) 'vector))
        (libc "setrlimit" :int :int 9 :pointer (buffer)))))) ; RLIMIT_AS

;;; Interrupts: the kernel sends SIGINT when a frame comes during an evaluation; the local interrupt is SIGINT, too. It
;;; is ignored while no code of the user runs, since CLISP cannot continue after handling one.

(defconstant +sigint+ 2)
(defconstant +action-size+ 152)
(defconstant +signal-set-size+ 128)

(defvar *interrupt-set* (let ((octets (make-array +signal-set-size+ :initial-element 0)))
                          (setf (aref octets 0) (ash 1 (1- +sigint+)))
                          octets)
  "A sigset_t of SIGINT alone.")

(defvar *interrupt-action* nil "CLISP's own action for SIGINT: the octets of a struct sigaction.")

(defun install-signals ()
  (libc "sigaction" :int :int +sigint+ :pointer nil :pointer (buffer))
  (setf *interrupt-action* (buffered +action-size+))
  (watch nil)
  (fcntl *requests* +f-setown+ *own-pid*)
  (fcntl *requests* +f-setsig+ +sigint+))

(defvar *watched-since* 0 "When interrupts were turned on, in internal time units.")

(defconstant +late-signal+ (floor internal-time-units-per-second 10))

(defun watch (on)
  "Turns interrupts on or off."
  (when *interrupt-action*
    (let ((flags (fcntl *requests* +f-getfl+ 0)))
      (cond (on
             (setf *watched-since* (get-internal-real-time))
             ;; An interrupt during arithmetic leaves the signal blocked.
             (setf (buffered +signal-set-size+) *interrupt-set*)
             (libc "sigprocmask" :int :int 1 :pointer (buffer) :pointer nil) ; SIG_UNBLOCK
             (setf (buffered +action-size+) *interrupt-action*)
             (libc "sigaction" :int :int +sigint+ :pointer (buffer) :pointer nil)
             (fcntl *requests* +f-setfl+ (logior flags +o-async+)))
            (t
             (fcntl *requests* +f-setfl+ (logandc2 flags +o-async+))
             (libc "signal" :long :int +sigint+ :long 1) ; SIG_IGN
             (forget-interrupt))))))

(defun forget-interrupt ()
  "Takes an interrupt that came before SIGINT was ignored. CLISP's handler only notes it, for the next call of EVAL or an
alarm half a second later, when other code may run."
  (handler-case (eval '(progn))
    (system::interrupt-condition ())))

(defun call-undisturbed (function)
  "Calls FUNCTION, outside of evaluated code, where signals are ignored."
  (funcall function))

(defun late-signal-p ()
  "True of a signal that the request of the current evaluation can have caused: the kernel wakes who reads a pipe before
it sends the signal of what was written."
  (< (- (get-internal-real-time) *watched-since*) +late-signal+))

(defun handle-signal (condition)
  "Reads the messages of the parent, or interrupts the evaluation; goes on with it when neither has left it."
  (cond ((protocol-readable-p) (handle-frames))
        ((late-signal-p) nil)
        (t (handle-interrupt)))
  (continue condition))

(defun call-interruptible (function)
  "Calls FUNCTION in an interrupt handler so that another interrupt can end it."
  (call-exposed function))

(defun call-exposed (function)
  "Calls FUNCTION so that the handlers around it do not hide an interrupt, which is a serious condition."
  (handler-bind ((system::interrupt-condition #'handle-signal))
    (funcall function)))

;;; The standard streams

(defun lenient-utf-8 ()
  (ext:make-encoding :charset 'charset:utf-8 :line-terminator :unix
                     :input-error-action #\ufffd :output-error-action #\?))

(defun make-standard-streams ()
  "Streams on the descriptors. They are unbuffered, so that output keeps its order with that of child processes and is
there after a crash."
  (flet ((stream-on (descriptor direction)
           (ext:make-stream descriptor :direction direction :external-format (lenient-utf-8) :buffered nil)))
    (list (stream-on 0 :input) (stream-on 1 :output) (stream-on 2 :output))))

(defun own-streams ()
  '())

;;; Conditions

(defun memory-exhausted ()
  "The condition for exhausted memory, which CLISP does not make."
  (make-condition 'system::simple-storage-condition
                  :format-control "There is no more room for Lisp objects." :format-arguments '()))

(defun call-with-debugger-hook (hook function)
  "Calls FUNCTION so that HOOK gets every condition that would enter the debugger, also by BREAK."
  (flet ((debugger-hook (continuable &optional condition print)
           (declare (ignore continuable print))
           (if (typep condition 'system::interrupt-condition)
               (handle-signal condition)
               ;; The hook of evaluated code has been called.
               (let ((*debugger-hook* nil))
                 (funcall hook (or condition (memory-exhausted)))))))
    (let ((ext:*break-driver* #'debugger-hook))
      (funcall function))))

(defun background-hook (continuable &optional condition print)
  "The debugger hook while no code of the user runs."
  (declare (ignore continuable print))
  (unless (typep condition 'system::interrupt-condition)
    (format (third (make-standard-streams)) "The agent failed: ~A~%" condition)
    (die)))

(defun call-above (function)
  "Calls FUNCTION on top of a held stack, outside of its handlers and without changing its streams."
  (let ((*debugger-hook* nil)
        (ext:*break-driver* #'background-hook))
    (progv (mapcar #'first *stream-values*) (mapcar #'second *stream-values*)
      (watch nil)
      (unwind-protect (handler-bind ((error #'invoke-debugger))
                        (funcall function))
        (watch t)))))

(defun restart-arguments (restart)
  "The interactive arguments of RESTART; second value: true when it asks the user, who is not there."
  (let ((interactive (system::restart-interactive restart))
        (*query-io* (make-two-way-stream (make-concatenated-stream) (make-broadcast-stream))))
    (handler-case (values (and interactive (funcall interactive)) nil)
      (end-of-file () (values '() t)))))

(defun call-in-compilation-unit (function)
  (unwind-protect
       (with-compilation-unit (:override t)
         (watch t)
         (funcall function))
    (watch nil)))

(defun noise-p (warning)
  "True for warnings that only report redefinitions by an agent, which are its purpose."
  (typep warning '(or clos:gf-replacing-method-warning clos:gf-already-called-warning)))

;;; The stack, as CLISP prints it: one frame in a line. Variables are not known.

(defclass stack-stream (gray:fundamental-character-output-stream)
  ((ends :initarg :ends :reader stream-ends)
   (line :initform (make-string-output-stream) :reader stream-line)
   (lines :initform '() :accessor stream-lines))
  (:documentation "Keeps the frames that are written to it, and throws T to itself after that of a function in ENDS."))

(defmethod gray:stream-write-char ((stream stack-stream) character)
  (if (char= character #\Newline)
      (let ((content (line-content (get-output-stream-string (stream-line stream)))))
        (when content
          (push content (stream-lines stream))
          (when (member (function-of-line content) (stream-ends stream) :test #'equal)
            (throw stream t))))
      (write-char character (stream-line stream)))
  character)

(defmethod gray:stream-line-column ((stream stack-stream))
  nil)

(defun stack-lines (boundaries count)
  "CLISP's descriptions of the frames from the innermost to the first function named in BOUNDARIES, at most COUNT."
  (let ((stream (make-instance 'stack-stream :ends (mapcar #'prin1-to-string (append boundaries '(run serve drive))))))
    (catch stream
      (call-with-fixed-printer
       (lambda ()
         (let ((*print-pretty* nil))
           (system::print-backtrace :out stream :mode 4 :limit count)))
       :level 4 :length 8))
    (reverse (stream-lines stream))))

(defun line-content (line)
  "The text after the number of a frame, \"<3/255> \" or \"[255] \"; NIL for a line that continues the one before."
  (let ((end (and (plusp (length line))
                  (case (char line 0)
                    (#\< (position #\> line))
                    (#\[ (position #\] line))))))
    (and end
         (digit-char-p (char line 1))
         (< (+ end 2) (length line))
         (subseq line (+ end 2)))))

(defun begins-with (line &rest beginnings)
  "The text in LINE after the first of BEGINNINGS that it has, or NIL."
  (loop for beginning in beginnings
        when (and (<= (length beginning) (length line))
                  (string= beginning line :end2 (length beginning)))
          return (subseq line (length beginning))))

(defun function-of-line (line)
  "The name, as text, of the function whose frame LINE describes, or NIL."
  (let ((rest (begins-with line "#<COMPILED-FUNCTION " "#<SYSTEM-FUNCTION " "#<FUNCTION ")))
    (and rest (subseq rest 0 (position-if (lambda (character) (find character " >")) rest)))))

(defun frames-of-interest (boundaries count)
  "The frames of evaluated code, innermost first and at most COUNT. Frames outside the functions named in BOUNDARIES are
not examined."
  (let* ((lines (butlast (stack-lines boundaries (+ count 200))))
         (entry (position "INVOKE-DEBUGGER" lines :test #'plain-name= :key #'function-of-line :from-end t))
         (inner (and entry (nthcdr (1+ entry) lines)))
         (frames (loop for line in inner
                       for call = (begins-with line "APPLY frame for call ")
                       for name = (function-of-line line)
                       when call
                         collect call
                       ;; An interpreted function has a second frame for its call.
                       else when (and name
                                      (not (begins-with line "#<FUNCTION "))
                                      (not (begins-with name "SYSTEM::" "#:")))
                              collect name)))
    (loop while (or (find-if (lambda (plain) (plain-name= plain (first frames))) '("ERROR" "CERROR" "SIGNAL" "WARN" "BREAK"))
                    (and frames (begins-with (first frames) "LISPWRIGHT.AGENT::")))
          do (pop frames))
    (loop while (find-if (lambda (plain) (plain-name= plain (first (last frames)))) '("EVAL" "READ" "LOAD"))
          do (setf frames (butlast frames)))
    (loop for call in (append frames
                              (and (find-if (lambda (line) (begins-with line "EVAL frame")) inner)
                                   (list "top-level form")))
          repeat count
          collect call)))

(defconstant +most-counted-frames+ 1000)

(defun frame-key (call)
  "A key that is equal for frames of one function."
  (subseq call 0 (position #\Space call)))

(defun plain-name= (plain name)
  "True when NAME is PLAIN with or without a package in front."
  (and name
       (let ((colon (position #\: name :from-end t)))
         (string= plain name :start2 (if colon (1+ colon) 0)))))

(defun frame-facts (call innermost)
  "The description of a frame for the parent."
  (declare (ignore innermost))
  (list :call call))

(defun frame-variables (call)
  (declare (ignore call))
  '())

(defun frame-package (call)
  (declare (ignore call))
  nil)

(defun eval-in-frame (form call)
  "Fails: CLISP does not expose a frame's environment."
  (declare (ignore form call))
  (throw 'fault (list :unsupported :id *pending* :operation "EVAL-IN-FRAME")))

;;; Macros

(defun run-form (form)
  "Compiles FORM and calls it, because EVAL would keep the functions that it defines uncompiled."
  (funcall (compile nil `(lambda () ,form))))

(defun expand-all (form)
  "FORM with every macro call in it expanded."
  (values (ext:expand-form form)))

;;; Objects

(defun function-parts (function)
  "The methods of a generic function. The variables that a closure has captured are not known."
  (and (typep function 'generic-function)
       (mapcar (lambda (method) (list nil method)) (clos:generic-function-methods function))))

(defun function-name (function)
  (ignore-errors (system::function-name function)))

(defun function-lambda-list (function)
  (ignore-errors (ext:arglist function)))

(defun function-place (function)
  "(:FILE namestring :LINE i) of the definition that FUNCTION comes from, or NIL."
  (ignore-errors
   (destructuring-bind (what file line &rest end) (first (documentation (function-name function) 'system::file))
     (declare (ignore what end))
     (list :file (namestring (truename file)) :line line))))

;;; The process

(defun image-facts ()
  "The description of this implementation for the parent."
  (let ((version (lisp-implementation-version)))
    (list :implementation "CLISP" :version (subseq version 0 (position #\Space version)) :pid (process-number))))

(defun lock-agent (locked)
  (setf (ext:package-lock "LISPWRIGHT.AGENT") locked))

(defun prepare-image (exit-function)
  "Prepares a started image: EXIT-FUNCTION runs when evaluated code exits."
  (limit-memory)
  (setf custom:*default-file-encoding* (lenient-utf-8)
        custom:*pathname-encoding* (lenient-utf-8)
        custom:*misc-encoding* (lenient-utf-8)
        custom:*suppress-check-redefinition* t
        ext:*break-driver* #'background-hook
        *load-verbose* nil
        *compile-verbose* nil
        *compile-print* nil
        *package* (find-package "COMMON-LISP-USER"))
  (push exit-function custom:*fini-hooks*)
  (lock-agent t)
  (set-streams))

(defvar *driven* nil "True when the driver has been entered.")

(defun drive ()
  "The function that CLISP calls when it starts, and again when a stack is exhausted."
  (cond (*driven*
         (watch nil)
         (restore-streams)
         (send (done (finish-answer
                      *running*
                      (list :outcome :error
                            :error '(:type "STORAGE-CONDITION"
                                     :message "The stack is exhausted. CLISP has given up all that was on it.")
                            :place (place *running*)))))
         (serve)
         (die))
        (t
         (setf *driven* t)
         (main))))

(defun save (path)
  "Writes an image to PATH that starts in DRIVE. It contains ASDF if that is loaded."
  (catch 'fault
    (load-late-parts)
    (prepare-asdf-for-saving))
  (clrhash *c-functions*)
  ;; Not compiled: SHOW-STACK looks for an outermost frame of the evaluator, and crashes when there is none.
  (setf ext:*driver* (eval '(lambda () (system::driver #'drive))))
  (ext:saveinitmem path :quiet t :norc t))
