;;;; The parts of the Common Lisp agent that depend on SBCL: descriptors, streams, signals, frames, threads.
;;;;
;;;; agent.lisp is loaded after this file and calls
;;;;   OPEN-PROTOCOL READ-PROTOCOL WRITE-PROTOCOL PROTOCOL-READABLE-P   the pipe to the parent
;;;;   CALL-INTERRUPTIBLE CALL-EXPOSED                                  interrupts
;;;;   DECODE-UTF-8                                                     text
;;;;   MAKE-BOUNDED-STREAM BOUNDED-STREAM-TEXT                          (here bounded.lisp has them)
;;;;   LENIENT-UTF-8 FILE-TEXT MAKE-TEMPORARY-DIRECTORY                 files
;;;;   RESTORE-STREAMS FLUSH-STREAMS INPUT-STREAMS                      the standard streams
;;;;   CALL-WITH-DEBUGGER-HOOK CALL-IN-COMPILATION-UNIT NOISE-P         conditions
;;;;   FRAMES-OF-INTEREST +MOST-COUNTED-FRAMES+ FRAME-KEY FRAME-FACTS FRAME-VARIABLES   the stack
;;;;   FRAME-PACKAGE EVAL-IN-FRAME
;;;;   CALL-ABOVE RESTART-ARGUMENTS                                     held stacks
;;;;   EXPAND-ALL                                                       macros
;;;;   SLOT-PARTS FUNCTION-PARTS FUNCTION-NAME FUNCTION-LAMBDA-LIST FUNCTION-SOURCE-FACTS   objects
;;;;   COPIED-P LAST-STATUS TAKE-OVER OTHER-THREADS OWN-PID END-PROCESS    copies of the process
;;;;   WANTED-DEPTH LAST-ANSWERED LAST-READ NOTE-READ VOID-FRAMES SKIP-VOID-FRAMES
;;;;   PREPARE-IMAGE IMAGE-FACTS DIE                                    the process
;;;; and owes this file HANDLE-FRAMES, HANDLE-INTERRUPT and HANDLE-BACKGROUND-ERROR.

;; ASDF comes last: after it REQUIRE asks it first, and it may have to compile a newer version of itself.
(require :sb-posix)
(require :sb-introspect)
(require :sb-cltl2)
(require :asdf)

;; A system depends on "sb-posix", and what is loaded is called "SB-POSIX". In a saved image a second load over the first
;; takes seconds, in which nothing can interrupt it: each function that it defines again is looked for in all code.
(dolist (module (copy-list *modules*))
  (pushnew (string-upcase module) *modules* :test #'string=)
  (pushnew (string-downcase module) *modules* :test #'string=))

(in-package "LISPWRIGHT.AGENT")

(defmacro libc (name result &rest typed-arguments)
  "Calls the C function NAME; TYPED-ARGUMENTS are alternating alien types and values."
  `(sb-alien:alien-funcall
    (sb-alien:extern-alien ,name (function ,result ,@(loop for (type) on typed-arguments by #'cddr collect type)))
    ,@(loop for (nil value) on typed-arguments by #'cddr collect value)))

(defun fcntl (descriptor command argument)
  "Calls fcntl, whose third argument is variadic: some systems pass such arguments differently."
  (sb-alien:alien-funcall
   (sb-alien:extern-alien "fcntl" (function sb-alien:int sb-alien:int sb-alien:int &optional sb-alien:long))
   descriptor command argument))

;;; The protocol

(defvar *request-flags* nil "The status flags of the descriptor for requests.")
(defvar *main-thread* nil "The thread that evaluates.")
(defvar *shared-page* nil "Memory that all copies of the process share.")

(defun capture-descriptors ()
  "The sources of descriptors 1 and 2: the pipe whose number the parent passed in the environment, and the error output
that this process was started with. Without a pipe, as over a network, both are the error output."
  (let ((pipe (sb-posix:getenv "LISPWRIGHT_CAPTURE")))
    (sb-posix:unsetenv "LISPWRIGHT_CAPTURE")
    (list (if pipe (parse-integer pipe) 2) 2)))

(defun open-protocol ()
  "Takes descriptors 0 and 1 for the protocol, and gives 0, 1 and 2 to the evaluated code."
  (setf *main-thread* sb-thread:*current-thread*
        *own-pid* (sb-posix:getpid)
        *first-pid* *own-pid*
        *shared-page* (shared-page)
        *requests* (private-copy 0)
        *answers* (private-copy 1))
  (let ((captures (capture-descriptors))
        (null-input (libc "open" sb-alien:int sb-alien:c-string "/dev/null" sb-alien:int 0)))
    (setf *captures* (mapcar #'private-copy captures))
    (libc "dup2" sb-alien:int sb-alien:int null-input sb-alien:int 0)
    (mapc #'sb-unix:unix-close (remove 2 (list* null-input captures))))
  (install-streams)
  (install-signals))

(defun read-protocol (count)
  "The next COUNT octets from the parent, or NIL at the end of the pipe."
  (let ((octets (make-array count :element-type '(unsigned-byte 8)))
        (filled 0))
    (loop while (< filled count)
          do (multiple-value-bind (read errno)
                 (sb-sys:with-pinned-objects (octets)
                   (sb-unix:unix-read *requests* (sb-sys:sap+ (sb-sys:vector-sap octets) filled) (- count filled)))
               (cond ((null read)
                      (unless (eql errno sb-posix:eintr)
                        (return-from read-protocol nil)))
                     ((zerop read) (return-from read-protocol nil))
                     (t (incf filled read)))))
    octets))

(defun write-protocol (octets)
  "Writes all of OCTETS to the parent. In a process that evaluated code has forked, ends the process instead."
  (unless (= (sb-posix:getpid) *own-pid*)
    (sb-ext:exit :abort t))
  (let ((written 0))
    (loop while (< written (length octets))
          do (multiple-value-bind (count errno)
                 (sb-unix:unix-write *answers* octets written (- (length octets) written))
               (cond (count (incf written count))
                     ((not (eql errno sb-posix:eintr)) (die)))))))

(defun protocol-readable-p ()
  "True when a frame, or the end of the pipe, can be read."
  (and *requests* (sb-sys:wait-until-fd-usable *requests* :input 0 nil)))

(defun decode-utf-8 (octets)
  (declare (type (simple-array (unsigned-byte 8) (*)) octets))
  (let ((text (make-string (length octets))))
    (dotimes (index (length octets) text)
      (let ((octet (aref octets index)))
        (when (> octet #x7F)
          (return (sb-ext:octets-to-string octets :external-format :utf-8)))
        (setf (schar text index) (code-char octet))))))

;;; Interrupts: SIGIO means that a frame has come during an evaluation, SIGINT is the local interrupt

(declaim (type simple-vector *on-their-way*))
(sb-ext:defglobal *on-their-way* (make-array 3 :initial-element nil)
  "For each handler, true while a signal that another thread got is on its way to the thread that evaluates.")

(defvar *terminated* nil "True once another process has asked this one to end, by SIGTERM.")

(defun handle-termination ()
  (setf *terminated* t)
  (sb-ext:exit))

(defun install-signals ()
  (loop for (signal function) in `((,sb-posix:sigterm handle-termination)
                                   (,sb-posix:sigint handle-interrupt)
                                   (,sb-posix:sigio handle-frames))
        for number from 0
        do (sb-sys:enable-interrupt signal (signal-handler function number)))
  (fcntl *requests* +f-setown+ *own-pid*)
  (setf *request-flags* (fcntl *requests* +f-getfl+ 0)))

(defun watch (on)
  "Turns the signals for frames on or off."
  (when *request-flags*
    (fcntl *requests* +f-setfl+ (if on (logior *request-flags* +o-async+) *request-flags*))))

(defun take-over (branch)
  "Makes this process the one that answers the parent and gets the signals of the pipe; BRANCH marks its child
processes."
  (setf *own-pid* (sb-posix:getpid))
  (fill *on-their-way* nil)
  (fcntl *requests* +f-setown+ *own-pid*)
  (when branch
    (sb-posix:setenv "LISPWRIGHT_BRANCH" branch 1)))

(defun signal-handler (function number)
  "A handler that calls FUNCTION, the handler with that NUMBER, in the thread that evaluates, for signals to any thread.
While one is on its way to that thread, which may not listen for seconds, further ones are the same."
  (lambda (signal info context)
    (declare (ignore signal info context))
    (cond ((eq sb-thread:*current-thread* *main-thread*) (funcall function))
          ((null (sb-ext:compare-and-swap (svref *on-their-way* number) nil t))
           (sb-thread:interrupt-thread *main-thread*
                                       (lambda ()
                                         (setf (svref *on-their-way* number) nil)
                                         (funcall function)))))))

(defun call-interruptible (function)
  "Calls FUNCTION in an interrupt handler so that another interrupt can end it."
  (sb-sys:with-interrupts
    (funcall function)))

(defun call-exposed (function)
  "Calls FUNCTION so that the handlers around it do not hide an interrupt; here interrupts are not conditions."
  (funcall function))

;;; The standard streams

(defvar *stream-values* '() "The value every standard stream variable has when a call starts.")

(defun make-standard-stream (descriptor name &rest arguments)
  (apply #'sb-sys:make-fd-stream descriptor :name name :external-format '(:utf-8 :replacement #\ufffd)
                                            arguments))

(defun point-descriptors ()
  "Makes descriptors 1 and 2 the captures."
  (loop for capture in *captures*
        for descriptor from 1
        do (libc "dup2" sb-alien:int sb-alien:int capture sb-alien:int descriptor)))

(defun install-streams ()
  "Makes descriptors 1 and 2 the captures, and every standard stream one on descriptors 0, 1 and 2. They are unbuffered,
so that output keeps its order with that of child processes and is there after a crash."
  (point-descriptors)
  (setf sb-sys:*stdin* (make-standard-stream 0 "standard input" :input t)
        sb-sys:*stdout* (make-standard-stream 1 "standard output" :output t :buffering :none)
        sb-sys:*stderr* (make-standard-stream 2 "standard error" :output t :buffering :none)
        sb-sys:*tty* (make-two-way-stream sb-sys:*stdin* sb-sys:*stdout*))
  (let ((input (make-synonym-stream 'sb-sys:*stdin*))
        (output (make-synonym-stream 'sb-sys:*stdout*))
        (errors (make-synonym-stream 'sb-sys:*stderr*))
        (terminal (make-synonym-stream 'sb-sys:*tty*)))
    (setf *stream-values*
          `((sb-sys:*stdin* ,sb-sys:*stdin*) (sb-sys:*stdout* ,sb-sys:*stdout*)
            (sb-sys:*stderr* ,sb-sys:*stderr*) (sb-sys:*tty* ,sb-sys:*tty*)
            (*standard-input* ,input) (*standard-output* ,output) (*error-output* ,errors)
            (*trace-output* ,output) (*terminal-io* ,terminal) (*query-io* ,terminal)
            (*debug-io* ,terminal))))
  (set-streams))

(defun set-streams ()
  (loop for (variable stream) in *stream-values*
        do (setf (symbol-value variable) stream)))

(defun input-streams ()
  "Every stream that evaluated code may use as standard input."
  (list sb-sys:*stdin* sb-sys:*tty* *standard-input* *terminal-io* *query-io* *debug-io*))

(defun restore-streams ()
  "Undoes changes of an earlier call to the standard streams: assigned, closed, or their descriptors redirected."
  (if (loop for (nil stream) in *stream-values*
            always (open-stream-p stream))
      (progn (point-descriptors) (set-streams))
      (install-streams)))

(defun flush-streams ()
  "Passes all output so far to the descriptors."
  (loop for stream in (list *standard-output* *error-output* sb-sys:*stdout* sb-sys:*stderr*)
        do (ignore-errors (finish-output stream))))

;;; Conditions

(defun call-with-debugger-hook (hook function)
  "Calls FUNCTION so that HOOK gets every condition that would enter the debugger, also by BREAK. If evaluated code
disables or enables the debugger, only this binding changes."
  (let ((sb-ext:*invoke-debugger-hook*
          (lambda (condition previous)
            (declare (ignore previous))
            (funcall hook condition))))
    (funcall function)))

(defun background-hook (condition previous)
  "The debugger hook of the threads that evaluated code has started."
  (declare (ignore previous))
  (when (eq sb-thread:*current-thread* *main-thread*)
    (format sb-sys:*stderr* "The agent failed: ~A~%" condition)
    (die))
  (handle-background-error condition (or (sb-thread:thread-name sb-thread:*current-thread*) "unnamed"))
  (sb-thread:abort-thread))

(defun call-above (function)
  "Calls FUNCTION on top of a held stack, outside of its handlers and without changing its streams."
  (let ((sb-kernel:*handler-clusters* sb-kernel::**initial-handler-clusters**)
        (*debugger-hook* nil))
    (progv (mapcar #'first *stream-values*) (mapcar #'second *stream-values*)
      (watch nil)
      (unwind-protect (sb-sys:with-interrupts
                        (funcall function))
        (watch t)))))

(defun restart-arguments (restart)
  "The interactive arguments of RESTART; second value: true when it asks the user, who is not there."
  (let ((interactive (sb-kernel::restart-interactive-function restart))
        (*query-io* (make-two-way-stream (make-concatenated-stream) (make-broadcast-stream))))
    (handler-case (values (and interactive (funcall interactive)) nil)
      (end-of-file () (values '() t)))))

(defun call-in-compilation-unit (function)
  "Calls FUNCTION so that a function defined later in the same call is not reported as undefined."
  (let ((*error-output* *error-output*)
        (finished nil))
    (handler-bind ((sb-ext:compiler-note #'muffle-warning))
      (with-compilation-unit (:override t)
        (unwind-protect
             (multiple-value-prog1 (progn (watch t) (funcall function))
               (setf finished t))
          (watch nil)
          (unless finished
            ;; An exit or a restart unwinds; the compiler would call the unit aborted.
            (setf *error-output* (make-broadcast-stream))))))))

(defun noise-p (warning)
  "True for warnings that only report redefinitions by an agent, which are its purpose."
  (typep warning 'sb-kernel:redefinition-warning))

;;; The stack

(defun frame-name (frame)
  (sb-di:debug-fun-name (sb-di:frame-debug-fun frame)))

(defun home-symbol (name)
  "A symbol in the package of the function NAME; NIL for code without one."
  (loop
    (cond ((symbolp name) (return name))
          ((atom name) (return nil))
          ((member :in name) (setf name (second (member :in name))))
          ((and (symbolp (first name)) (consp (rest name))
                (or (implementation-symbol-p (first name)) (eq (first name) 'setf)))
           (setf name (second name)))
          (t (return nil)))))

(defun implementation-symbol-p (symbol)
  (let ((package (and symbol (symbol-package symbol))))
    (and package
         (or (eq package (load-time-value (find-package "LISPWRIGHT.AGENT")))
             (let ((name (package-name package)))
               (and (> (length name) 3) (string= "SB-" name :end2 3)))))))

(defun machinery-p (frame)
  "True for a frame of signalling, interrupting or debugging, if it is the innermost left."
  (let* ((name (frame-name frame))
         (home (home-symbol name)))
    (or (stringp name)
        (implementation-symbol-p home)
        (member home '(error cerror signal warn break invoke-debugger
                       no-applicable-method no-next-method slot-missing slot-unbound)))))

(defun evaluator-p (frame)
  (let ((name (frame-name frame)))
    (or (stringp name)
        (member name '(eval read))
        (eq (home-symbol name) 'load)
        (implementation-symbol-p (home-symbol name))
        (builder-symbol-p (home-symbol name)))))

(defun builder-symbol-p (symbol)
  "True for a symbol of ASDF or a library manager."
  (let ((package (and symbol (symbol-package symbol))))
    (and package
         (some (lambda (prefix) (eql 0 (search prefix (package-name package))))
               '("ASDF/" "UIOP/" "QUICKLISP" "QL-" "OCICL")))))

(defstruct spot
  "A frame on the stack."
  frame
  top-level-p)                          ; it runs a form of the code itself

(defun frames-of-interest (boundaries count)
  "The frames of evaluated code, innermost first and at most COUNT. Frames outside the functions named in BOUNDARIES are
not examined."
  (let ((frames '())
        (closest nil))                  ; the last operation of the implementation for evaluated code
    (block walk
      (sb-debug::map-backtrace
       (lambda (frame)
         (cond ((member (frame-name frame) boundaries) (return-from walk))
               ((eq (frame-name frame) 'listened-to)) ; See ENCAPSULATE-ONCE.
               ((and frames (agent-p frame)) (return-from walk))
               ((or frames (not (machinery-p frame))) (push frame frames))
               ((operation-p frame) (setf closest frame))))
       :from :current-frame :count (+ count 200)))
    (loop while (and frames (evaluator-p (first frames)))
          do (pop frames))
    (when (and (null frames) closest)
      (push closest frames))
    (loop for (frame . outer) on (reverse frames)
          repeat count
          collect (make-spot :frame frame
                             :top-level-p (and boundaries (null outer) (form-itself-p frame))))))

(defun form-itself-p (frame)
  "True for the function that was made from an evaluated form; in a frame it has the frame's variables as parameters."
  (let ((name (frame-name frame)))
    (and (consp name)
         (eq (first name) 'lambda)
         (listp (second name))
         (notany #'symbol-package (remove-if-not #'symbolp (second name))))))

(defconstant +most-counted-frames+ 100000)

(defun frame-key (spot)
  "A key that is equal for frames of one function."
  (sb-di:frame-debug-fun (spot-frame spot)))

(defun frame-facts (spot innermost)
  "The description of a frame for the parent; of the INNERMOST one with its variables."
  (let ((frame (spot-frame spot)))
    (list* :call (if (or (spot-top-level-p spot) (file-form-p frame)) "top-level form" (frame-call-text frame))
           (frame-details frame innermost))))

(defun file-form-p (frame)
  "True when FRAME runs a form of a compiled file itself."
  (let ((name (frame-name frame)))
    (and (consp name) (eq (first name) 'sb-c::top-level-form))))

(defun agent-p (frame)
  (let ((home (home-symbol (frame-name frame))))
    (and home (eq (symbol-package home) (load-time-value (find-package "LISPWRIGHT.AGENT"))))))

(defun operation-p (frame)
  "True for an operation of the implementation (division, a slot access), false for its signalling and evaluation."
  (let ((home (home-symbol (frame-name frame))))
    (and home
         (symbol-package home)
         (member (package-name (symbol-package home)) '("SB-KERNEL" "SB-VM" "SB-PCL" "SB-BIGNUM") :test #'string=)
         (notany (lambda (word) (search word (symbol-name home)))
                 '("ERROR" "SIGNAL" "RESTART")))))

(defun frame-details (frame innermost)
  (append (ignore-errors (frame-source frame))
          (and innermost
               (null (sb-di:debug-fun-kind (sb-di:frame-debug-fun frame)))
               (not (library-p frame))
               (let ((locals (ignore-errors (frame-locals frame))))
                 (and locals (list :locals locals))))))

(defun library-p (frame)
  "True for a function of the implementation, whose locals are not shown."
  (let ((home (home-symbol (frame-name frame))))
    (and home
         (or (eq (symbol-package home) (find-package "COMMON-LISP"))
             (implementation-symbol-p home)))))

(defun frame-call-text (frame)
  (handler-case
      (multiple-value-bind (name arguments) (sb-debug::frame-call frame)
        (short-text (if (listp arguments) (cons name arguments) (list name))))
    (serious-condition () "(a call that does not print)")))

(defun frame-locals (frame)
  "The live variables of FRAME: ((name text) ...), at most 20."
  (loop for (name value) in (live-variables frame)
        repeat 20
        collect (list name (short-text value))))

(defun live-variables (frame)
  (let ((location (sb-di:frame-code-location frame)))
    (loop for variable across (or (sb-di::debug-fun-debug-vars (sb-di:frame-debug-fun frame)) #())
          when (and (symbol-package (sb-di:debug-var-symbol variable))
                    (eq (sb-di:debug-var-validity variable location) :valid))
            collect (list (symbol-name (sb-di:debug-var-symbol variable))
                          (sb-di:debug-var-value variable frame)))))

(defun frame-variables (spot)
  "The live variables of a frame: ((name value) ...); none for code that was compiled without them."
  (handler-case (live-variables (spot-frame spot))
    (sb-di:debug-condition () '())))

(defun eval-in-frame (form spot)
  "Evaluates FORM with the variables of a frame."
  (sb-di:eval-in-frame (spot-frame spot) form))

(defun frame-package (spot)
  "The package of a frame's function; NIL for one without a name and for SBCL's own."
  (let* ((frame (spot-frame spot))
         (home (home-symbol (frame-name frame))))
    (and home (not (library-p frame)) (symbol-package home))))

(defun frame-source (frame)
  "(:FILE namestring :LINE line) of the definition that FRAME runs, as far as it was compiled from a file."
  (let* ((debug-fun (sb-di:frame-debug-fun frame))
         (namestring (sb-di:debug-source-namestring
                      (sb-di:code-location-debug-source (sb-di:frame-code-location frame))))
         (function (sb-di:debug-fun-fun debug-fun)))
    (when (and namestring (not (eql 0 (search "SYS:" namestring))))
      (let ((offset (if (file-form-p frame)
                        (top-level-offset namestring (sb-di:code-location-toplevel-form-offset
                                                      (sb-di:frame-code-location frame)))
                        (and function
                             (sb-introspect:definition-source-character-offset
                              (sb-introspect:find-definition-source function))))))
        (list* :file namestring
               (and offset (list :line (line-at namestring offset))))))))

(defun top-level-offset (namestring number)
  "The start of the top-level form of that NUMBER, from 0, in a file, or of the blanks before it; characters from the
start."
  (let* ((text (file-text namestring))
         (position 0)
         (*read-suppress* t))
    (dotimes (index number position)
      (setf position (nth-value 1 (read-from-string text t nil :start position :preserve-whitespace t))))))

(defun line-at (namestring offset)
  "The line, from 1, of the form that follows OFFSET characters in the file NAMESTRING."
  (let ((text (file-text namestring)))
    (1+ (count #\Newline text :end (or (skip-to-code text offset) (length text))))))

(defun lenient-utf-8 ()
  "The external format for files of the project: it replaces invalid octets."
  '(:utf-8 :replacement #\?))

(defun make-temporary-directory (template)
  (sb-posix:mkdtemp template))

(defun file-text (path)
  (with-open-file (stream path :external-format (lenient-utf-8))
    (let* ((text (make-string (file-length stream)))
           (end (read-sequence text stream)))
      (subseq text 0 end))))

;;; Macros

(defun expand-all (form)
  "FORM with every macro call in it expanded."
  (sb-cltl2:macroexpand-all form))

;;; Objects

(defun slot-parts (object)
  "The slots of an instance, structure or condition: (name value), or (name) for one that is unbound."
  (loop for slot in (sb-mop:class-slots (class-of object))
        for name = (sb-mop:slot-definition-name slot)
        collect (if (slot-boundp object name)
                    (list (symbol-name name) (slot-value object name))
                    (list (symbol-name name)))))

(defun function-parts (function)
  "The methods of a generic function, what a closure has closed over, the slots of another funcallable instance."
  (typecase function
    (generic-function (mapcar (lambda (method) (list nil method)) (sb-mop:generic-function-methods function)))
    (sb-mop:funcallable-standard-object (slot-parts function))
    (sb-kernel:closure
     (mapcar (lambda (value) (list "closed over" (variable-value value))) (sb-kernel:%closure-values function)))))

(defun variable-value (value)
  "The value of a closure's variable: an assigned variable is in a cell of its own."
  (if (and (sb-kernel:%other-pointer-p value)
           (= (sb-kernel:%other-pointer-widetag value) sb-vm:value-cell-widetag))
      (sb-kernel:value-cell-ref value)
      value))

(defun function-name (function)
  (sb-kernel:%fun-name function))

(defun function-lambda-list (function)
  (sb-introspect:function-lambda-list function))

(defun function-source-facts (function)
  "The place of FUNCTION's definition, if that is known: ((\"source\" \"file:line\"))."
  (ignore-errors
   (let* ((source (sb-introspect:find-definition-source function))
          (file (sb-introspect:definition-source-pathname source))
          (offset (sb-introspect:definition-source-character-offset source)))
     (when (and file (probe-file file))
       (list (list "source" (format nil "~A~@[:~D~]" (namestring (truename file))
                                    (and offset (line-at (namestring file) offset)))))))))

;;; Copies of the process

(defun shared-page ()
  "A page that this process shares with its copies: at 0 the wanted depth, at 4 the number of the trial that was
answered last, at 8 that of the request that was read last."
  (libc "mmap" sb-sys:system-area-pointer
        sb-alien:unsigned-long 0 sb-alien:unsigned-long 4096
        sb-alien:int 3                  ; PROT_READ | PROT_WRITE
        sb-alien:int #+darwin #x1001 #-darwin #x21 ; MAP_SHARED | MAP_ANONYMOUS
        sb-alien:int -1 sb-alien:long 0))

(defun wanted-depth ()
  "The depth to which the youngest process returns: 0 when it ends without a request for that."
  (sb-sys:sap-ref-32 *shared-page* 0))

(defun (setf wanted-depth) (depth)
  (setf (sb-sys:sap-ref-32 *shared-page* 0) depth))

(defun last-answered ()
  (sb-sys:sap-ref-32 *shared-page* 4))

(defun (setf last-answered) (number)
  (setf (sb-sys:sap-ref-32 *shared-page* 4) number))

(defun last-read ()
  (sb-sys:sap-ref-32 *shared-page* 8))

(defun note-read (number)
  "Records for the waiting copies that the request with that NUMBER was read."
  (when *shared-page*
    (setf (sb-sys:sap-ref-32 *shared-page* 8) number)))

(defvar *last-status* nil "The exit status of the last copy.")

(defun last-status ()
  *last-status*)

(defun copied-p ()
  "Copies the process: true in the copy; false in this one, after the copy has ended."
  (let* ((parent (sb-posix:getpid))
         (pid (forked)))
    (cond ((zerop pid)
           (end-with-parent parent)
           t)
          (t (setf *last-status* (status-text (wait-for pid)))
             nil))))

(defun forked ()
  "The result of fork(2). SBCL ends its finalizer thread before that and starts another after it. If the thread was
ended by a signal, that fails, and another would wait for ever for what the first one has left locked."
  (flet ((fork ()
           (sb-thread::%dispose-thread-structs)
           (sb-posix::posix-fork)))
    (if (finalizer-thread-ended-p)
        (fork)
        (handler-case (sb-posix:fork)
          (sb-thread:join-thread-error () (fork))))))

(defun finalizer-thread-ended-p ()
  (let ((thread sb-impl::*finalizer-thread*))
    (and (typep thread 'sb-thread:thread)
         (not (sb-thread:thread-alive-p thread)))))

(defun end-with-parent (parent)
  "Makes the kernel end this copy with the process PARENT that waits for it, as it ends the worker with the server."
  #+linux
  (libc "prctl" sb-alien:int sb-alien:int 1 ; PR_SET_PDEATHSIG
                             sb-alien:unsigned-long sb-posix:sigkill)
  (unless (= (sb-posix:getppid) parent)
    (end-process)))

(defun wait-for (pid)
  (loop
    (handler-case (return (nth-value 1 (sb-posix:waitpid pid 0)))
      (sb-posix:syscall-error (failure)
        (unless (eql (sb-posix:syscall-errno failure) sb-posix:eintr)
          (return 0))))))

(defun status-text (status)
  (if (sb-posix:wifsignaled status)
      (format nil "killed by signal ~D" (sb-posix:wtermsig status))
      (format nil "exit code ~D" (sb-posix:wexitstatus status))))

(defun other-threads ()
  "The names of the threads that a copy would not have."
  (loop for thread in (sb-thread:list-all-threads)
        unless (eq thread sb-thread:*current-thread*)
          collect (or (sb-thread:thread-name thread) "unnamed")))

(defun own-pid ()
  *own-pid*)

(defun end-process ()
  "Ends this process and nothing else, at once."
  (sb-ext:exit :code 0 :abort t))

(defun void-frames ()
  "Voids a frame that another process may have begun."
  (write-protocol (make-array 1 :element-type '(unsigned-byte 8) :initial-element #xFF)))

(defun skip-void-frames ()
  "Reads up to the parent's mark that voids earlier input."
  (loop for octet = (read-protocol 1)
        do (cond ((null octet) (die))
                 ((= (aref octet 0) #xFF) (return)))))

;;; The process

(defun image-facts ()
  "The description of this implementation for the parent."
  (list :implementation (lisp-implementation-type) :version (lisp-implementation-version)
        :pid (sb-posix:getpid)))

(defvar *home* nil "The directory of the contributed modules of the SBCL that saved this image.")

(defun prepare-image (exit-function)
  "Prepares a started image: EXIT-FUNCTION runs when evaluated code exits, threads report their errors."
  (when (and *home* (null (sb-posix:getenv "SBCL_HOME")))
    (sb-posix:setenv "SBCL_HOME" *home* 1))
  (setf sb-impl::*default-external-format* :utf-8
        sb-ext:*invoke-debugger-hook* 'background-hook
        *compile-verbose* nil
        *package* (find-package "COMMON-LISP-USER"))
  (push exit-function sb-ext:*exit-hooks*)
  ;; Variables stay readable in backtraces. Tail calls are still merged: some code depends on that.
  (proclaim '(optimize (debug 2)))
  (ignore-errors (funcall (find-symbol "CALL-IMAGE-RESTORE-HOOK" "UIOP")))
  (sb-ext:lock-package "LISPWRIGHT.AGENT")
  (set-streams))

(defun die ()
  "Ends this process and those that wait for it, and the group when one of them leads it, at once."
  (when (= (libc "getpgrp" sb-alien:int) *first-pid*)
    (sb-posix:killpg 0 sb-posix:sigkill))
  (setf (wanted-depth) #xFFFF)
  (sb-ext:exit :abort t))

(defun save (path)
  "Writes a core to PATH that starts in MAIN."
  (setf *home* (let ((home (sb-int:sbcl-homedir-pathname))) (and home (namestring home))))
  (warm-up)
  (prepare-asdf-for-saving)
  (sb-ext:save-lisp-and-die path :toplevel #'main))
