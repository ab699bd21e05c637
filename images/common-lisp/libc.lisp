;;;; Descriptors, the pipe to the parent and objects, through the C library and the metaobject protocol. For
;;;; implementations that have little else: ECL and CLISP.
;;;;
;;;; NAME.lisp, which is loaded first, defines
;;;;   LIBC (a macro: the C function, the type of its result, then types and values of its arguments)
;;;;   READ-OCTETS WRITE-OCTETS (descriptor octets start end): how many, or NIL and the error number
;;;;   CALLED-MKDTEMP (template): the name of the directory that was made, or NIL
;;;;   MAKE-STANDARD-STREAMS: an input stream on descriptor 0, output streams on 1 and 2
;;;;   OWN-STREAMS: streams of the implementation on these descriptors
;;;;   LOCK-AGENT (locked): whether evaluated code can delete the agent's package or define something in it
;;;;   RUN-FORM: evaluates a form of the agent, such that a function in it is compiled
;;;;   INSTALL-SIGNALS
;;;;   CALL-UNDISTURBED (function): calls it such that no signal comes during the call

(in-package "LISPWRIGHT.AGENT")

;;; The pipe to the parent

(defconstant +eintr+ 4)

(defun fcntl (descriptor command argument)
  (libc "fcntl" :int :int descriptor :int command :long argument))

(defun process-number ()
  (libc "getpid" :int))

(defun capture-descriptors ()
  "The sources of descriptors 1 and 2: the pipe whose number the parent passed in the environment, and the error output
that this process was started with. Without a pipe, as over a network, both are the error output."
  (let ((pipe (ext:getenv "LISPWRIGHT_CAPTURE")))
    (libc "unsetenv" :int :string "LISPWRIGHT_CAPTURE")
    (list (if pipe (parse-integer pipe) 2) 2)))

(defun open-protocol ()
  "Takes descriptors 0 and 1 for the protocol, and gives 0, 1 and 2 to the evaluated code."
  (setf *own-pid* (process-number)
        *first-pid* *own-pid*
        *requests* (private-copy 0)
        *answers* (private-copy 1))
  (let ((captures (capture-descriptors)))
    (setf *captures* (mapcar #'private-copy captures))
    (dolist (capture (remove 2 captures))
      (libc "close" :int :int capture)))
  (install-streams)
  (install-signals))

(defun read-protocol (count)
  "The next COUNT octets from the parent, or NIL at the end of the pipe."
  (let ((octets (make-array count :element-type '(unsigned-byte 8)))
        (filled 0))
    (loop while (< filled count)
          do (multiple-value-bind (read errno) (read-octets *requests* octets filled count)
               (cond ((null read)
                      (unless (eql errno +eintr+)
                        (return-from read-protocol nil)))
                     ((zerop read) (return-from read-protocol nil))
                     (t (incf filled read)))))
    octets))

(defun write-protocol (octets)
  "Writes all of OCTETS to the parent. In a process that evaluated code has forked, ends the process instead."
  (unless (eql (process-number) *own-pid*)
    (end-process))
  (let ((written 0)
        (end (length octets)))
    (loop while (< written end)
          do (multiple-value-bind (count errno) (write-octets *answers* octets written end)
               (cond (count (incf written count))
                     ((not (eql errno +eintr+)) (die)))))))

(defun own-pid ()
  *own-pid*)

(defun end-process ()
  "Ends this process and nothing else, at once."
  (libc "_exit" :void :int 0))

(defun die ()
  "Ends this process, and the group when it leads one, at once."
  (when (= (libc "getpgrp" :int) *first-pid*)
    (libc "kill" :int :int 0 :int 9))
  (end-process))

;;; Text

(defun decode-utf-8 (octets)
  "The text of OCTETS, with U+FFFD for octets that are not UTF-8."
  (let ((text (make-string (length octets)))
        (end (length octets))
        (length 0)
        (index 0))
    (flet ((following (count)
             "The bits of the COUNT octets that continue the one at INDEX, or NIL."
             (and (<= (+ index count) (1- end))
                  (let ((bits 0))
                    (loop for next from (1+ index) to (+ index count)
                          for octet = (aref octets next)
                          do (if (= (logand octet #xC0) #x80)
                                 (setf bits (logior (ash bits 6) (logand octet #x3F)))
                                 (return-from following nil)))
                    bits)))
           (put (code)
             (setf (char text length) (code-char code))
             (incf length)))
      (loop while (< index end)
            do (let* ((octet (aref octets index))
                      (count (cond ((< octet #x80) 0) ((< octet #xC2) nil) ((< octet #xE0) 1) ((< octet #xF0) 2) ((< octet #xF5) 3)))
                      (bits (and count (plusp count) (following count)))
                      (code (case count
                              (0 octet)
                              (1 (and bits (logior (ash (logand octet #x1F) 6) bits)))
                              (2 (and bits (logior (ash (logand octet #x0F) 12) bits)))
                              (3 (and bits (logior (ash (logand octet #x07) 18) bits))))))
                 (cond ((and code (< code char-code-limit) (not (<= #xD800 code #xDFFF)))
                        (put code)
                        (incf index (1+ count)))
                       (t (put #xFFFD)
                          (incf index))))))
    (subseq text 0 length)))

(defun make-temporary-directory (template)
  "Makes a directory whose name is TEMPLATE with other characters for the XXXXXX at its end; returns the name."
  (or (called-mkdtemp template)
      (error "A temporary directory like ~A cannot be made." template)))

(defun file-octets (path)
  (with-open-file (stream path :element-type '(unsigned-byte 8))
    (let* ((octets (make-array (file-length stream) :element-type '(unsigned-byte 8)))
           (end (read-sequence octets stream)))
      (subseq octets 0 end))))

(defun file-text (path)
  (decode-utf-8 (file-octets path)))

;;; The standard streams

(defvar *stream-values* '() "The value every standard stream variable has when a call starts.")

(defun point-descriptors ()
  "Makes descriptors 1 and 2 the captures."
  (loop for capture in *captures*
        for descriptor from 1
        do (libc "dup2" :int :int capture :int descriptor)))

(defun install-streams ()
  "Makes descriptor 0 empty, 1 and 2 the captures, and every standard stream one on these."
  (let ((null-input (libc "open" :int :string "/dev/null" :int 0)))
    (unless (= null-input 0)
      (libc "dup2" :int :int null-input :int 0)
      (libc "close" :int :int null-input)))
  (point-descriptors)
  (destructuring-bind (input output errors) (make-standard-streams)
    (let ((terminal (make-two-way-stream input output)))
      (setf *stream-values*
            `((*standard-input* ,input) (*standard-output* ,output) (*error-output* ,errors) (*trace-output* ,output)
              (*terminal-io* ,terminal) (*query-io* ,terminal) (*debug-io* ,terminal)))))
  (set-streams))

(defun set-streams ()
  (loop for (variable stream) in *stream-values*
        do (setf (symbol-value variable) stream)))

(defun input-streams ()
  "Every stream that evaluated code may use as standard input."
  (list* (second (assoc '*standard-input* *stream-values*))
         *standard-input* *terminal-io* *query-io* *debug-io* (own-streams)))

(defun restore-streams ()
  "Undoes changes of an earlier call to the standard streams: assigned, closed, or their descriptors redirected."
  (if (loop for (nil stream) in *stream-values*
            always (open-stream-p stream))
      (progn (point-descriptors) (set-streams))
      (install-streams)))

(defun flush-streams ()
  "Passes all output so far to the descriptors, including that of C code."
  (loop for stream in (list* *standard-output* *error-output* (append (mapcar #'second *stream-values*) (own-streams)))
        do (ignore-errors (finish-output stream)))
  (libc "fflush" :int :long 0))

;;; Objects

(defun slot-parts (object)
  "The slots of an instance, structure or condition: (name value), or (name) for one that is unbound."
  (loop for slot in (clos:class-slots (class-of object))
        for name = (clos:slot-definition-name slot)
        collect (if (slot-boundp object name)
                    (list (symbol-name name) (slot-value object name))
                    (list (symbol-name name)))))

(defun function-source-facts (function)
  "The place of FUNCTION's definition, if that is known: ((\"source\" \"file:line\"))."
  (let ((place (function-place function)))
    (and place
         (list (list "source" (format nil "~A~@[:~D~]" (getf place :file) (getf place :line)))))))

(defun line-field (path position)
  "(:LINE i) of the form that begins at the octet at POSITION of the file PATH, or after blanks and comments there."
  (let* ((octets (file-octets path))
         (position (min position (length octets)))
         (rest (decode-utf-8 (subseq octets position (min (length octets) (+ position 10000)))))
         (code (or (skip-to-code rest 0) 0)))
    (list :line (+ 1 (count 10 octets :end position) (count #\Newline rest :end code)))))

;;; Copies of the process: not supported

(defun note-read (number)
  (declare (ignore number)))

(defun checkpoint-names ()
  '())

;;; The parts that need ASDF, which takes longer to load than all the rest

(defvar *late-parts* "" "Their text.")

(defun load-late-parts ()
  "Loads ASDF and the parts, which redefine the functions below."
  (call-undisturbed
   (lambda ()
     (handler-case (require "asdf")
       (error (failure)
         (throw 'fault (list :unsupported :id *pending* :operation "ASDF" :reason (condition-text failure 500)))))
     (lock-agent nil)
     (unwind-protect
          (with-input-from-string (text *late-parts*)
            (let ((*package* *package*)
                  (*readtable* *standard-readtable*)
                  (*read-base* 10))
              (loop for form = (read text nil text)
                    until (eq form text)
                    do (run-form form))))
       (lock-agent t)))))

(defun answer-load (&rest arguments)
  (load-late-parts)
  (apply 'answer-load arguments))

(defun answer-run-tests (&rest arguments)
  (load-late-parts)
  (apply 'answer-run-tests arguments))
