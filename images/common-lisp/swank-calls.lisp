;;;; Calls of a parent that is attached to a Swank or Slynk server, and the state of each of its sessions.
;;;;
;;;; This file is loaded last. swank.lisp describes the conversation.

(in-package "LISPWRIGHT.AGENT")

;;; Sessions: one for each connection

(defstruct session
  connection                            ; the server's object
  variables                             ; the variables that are bound in each call
  values                                ; their values
  (thread nil)                          ; that serves a call, or holds a stack
  (told 0)                              ; characters sent since the call began
  (limit 0))                            ; how many may be sent

(defvar *sessions* '() "The sessions of the present connections.")
(defvar *sessions-lock* (call "MAKE-LOCK" :name "lispwright sessions"))
(defvar *session* nil "The session whose call is being served in this thread.")
(defvar *waiting-on* nil "The condition for which the server's debugger was entered to wait.")
(defvar *reply* nil "The answer that a held stack gives before it waits, until the parent asks for it.")

(defun connection ()
  "The connection of this call."
  (server-value "*EMACS-CONNECTION*"))

(defun session ()
  "The session of this call, a new one for the first call."
  (let ((connection (connection)))
    (call "CALL-WITH-LOCK-HELD" *sessions-lock*
          (lambda ()
            (or (find connection *sessions* :key #'session-connection :test #'eq)
                (let ((session (make-session :connection connection)))
                  (multiple-value-bind (variables values) (session-bindings session)
                    (setf (session-variables session) variables
                          (session-values session) values))
                  (push session *sessions*)
                  session))))))

(defclass empty-stream (#.(gray "FUNDAMENTAL-CHARACTER-INPUT-STREAM"))
  ()
  (:documentation "An input that has ended, also after code has closed it."))

(defmethod #.(gray "STREAM-READ-CHAR") ((stream empty-stream))
  :eof)

(defmethod #.(gray "STREAM-UNREAD-CHAR") ((stream empty-stream) character)
  (declare (ignore character))
  nil)

(defun session-bindings (session)
  "The variables that a session has of its own, and their first values."
  (let* ((input (make-instance 'empty-stream))
         (output (make-instance 'told-stream :session session :target '()))
         (errors (make-instance 'told-stream :session session :target '(:lispwright-error)))
         (terminal (make-two-way-stream input output))
         (bindings `((*session* ,session) (*reply* nil) (*pending* nil) (*held* ()) (*evaluation* nil) (*previewing* nil)
                     (*next-object* 1) (*objects* ,(make-hash-table))
                     (*object-numbers* ,(make-hash-table :test #'eq))
                     (*object-ring* ,(make-array +most-objects+ :initial-element nil)) (*object-ring-end* 0)
                     (*background-errors* ())
                     (*stream-values* ((*standard-input* ,input) (*standard-output* ,output) (*error-output* ,errors)
                                       (*trace-output* ,output) (*terminal-io* ,terminal) (*query-io* ,terminal)
                                       (*debug-io* ,terminal)))
                     (*standard-input* ,input) (*standard-output* ,output) (*error-output* ,errors)
                     (*trace-output* ,output) (*terminal-io* ,terminal) (*query-io* ,terminal) (*debug-io* ,terminal)
                     (*package* ,(find-package "COMMON-LISP-USER")) (*readtable* ,*readtable*)
                     ,@(debugging-policy)
                     (- nil) (+ nil) (++ nil) (+++ nil) (* nil) (** nil) (*** nil) (/ ()) (// ()) (/// ()))))
    (values (mapcar #'first bindings) (mapcar #'second bindings))))

(defun debugging-policy ()
  "A binding with which code keeps its variables for backtraces, if that can be limited to some code."
  #+sbcl (ignore-errors
          (list (list 'sb-c::*policy* (sb-c::process-optimize-decl '(optimize (debug 2)) sb-c::*policy*))))
  #-sbcl '())

(defun step-back ()
  "Makes an older connection stay the one for errors of other threads, as the owner expects."
  (let* ((connections (server-symbol "*CONNECTIONS*"))
         (own (and connections (find (connection) (symbol-value connections)))))
    (when own
      (setf (symbol-value connections) (append (remove own (symbol-value connections)) (list own))))))

(defun forget-connection (connection)
  "Removes the session of a closed connection, and gives up its running code and held stacks: their answers have no
receiver."
  (let ((session (call "CALL-WITH-LOCK-HELD" *sessions-lock*
                       (lambda ()
                         (let ((session (find connection *sessions* :key #'session-connection :test #'eq)))
                           (setf *sessions* (remove session *sessions*))
                           session)))))
    (when (and session (session-thread session))
      (ignore-errors (call "INTERRUPT-THREAD" (session-thread session) #'give-up)))))

(defun give-up ()
  "Ends everything that runs or is held in this thread."
  (let ((outermost (if *held* (held-evaluation (first (last *held*))) *evaluation*)))
    (when outermost
      (setf (evaluation-hold outermost) nil)
      (throw outermost (list :outcome :aborted)))))

;;; Output

(defconstant +most-untold+ 4000)

(defclass told-stream (counting-stream)
  ((session :initarg :session :reader stream-session)
   (target :initarg :target :reader stream-target)
   (untold :initform 0 :accessor stream-untold))
  (:documentation "Sends its output to the parent, some characters at a time."))

(defmethod keep ((stream told-stream) string start end)
  (write-string string (stream-buffer stream) :start start :end end)
  (when (>= (incf (stream-untold stream) (- end start)) +most-untold+)
    (tell stream)))

(defmethod #.(gray "STREAM-FINISH-OUTPUT") ((stream told-stream))
  (tell stream)
  nil)

(defmethod #.(gray "STREAM-FORCE-OUTPUT") ((stream told-stream))
  (tell stream)
  nil)

(defun tell (stream)
  "Sends the output that STREAM has kept. Code that exceeds the limit is interrupted."
  (let ((session (stream-session stream))
        (text (get-output-stream-string (stream-buffer stream))))
    (setf (stream-untold stream) 0)
    (unless (string= text "")
      (when (<= (session-told session) (session-limit session))
        (incf (session-told session) (length text))
        (progv (mapcar #'server-symbol '("*EMACS-CONNECTION*" "*SEND-COUNTER*")) (list (session-connection session) 0)
          (call "SEND-TO-EMACS" (list* :write-string text (stream-target stream)))))
      (when (and (> (session-told session) (session-limit session)) *evaluation*)
        (handle-interrupt)))))

(defvar *stream-values* '() "((variable stream) ...): the value every standard stream variable has when a call starts.")

(defun restore-streams ()
  "Undoes changes of an earlier call to the standard streams."
  (loop for (variable stream) in *stream-values*
        do (setf (symbol-value variable) stream)))

(defun flush-streams ()
  (loop for (nil stream) in *stream-values*
        when (typep stream 'told-stream)
          do (tell stream)))

(defun input-streams ()
  "Every stream that evaluated code may use as standard input."
  (list* *standard-input* *terminal-io* *query-io* *debug-io*
         (loop for (nil stream) in *stream-values*
               when (input-stream-p stream)
                 collect stream)))

;;; Calls

(defun attend (request limit)
  "Serves REQUEST, whose code may print LIMIT characters; returns the answer as text."
  (let ((session (session)))
    (setf (session-told session) 0
          (session-limit session) limit)
    (if (eq session *session*)
        (reply-above request)
        (progv (session-variables session) (session-values session)
          (setf (session-thread session) (call "CURRENT-THREAD"))
          (unwind-protect (reply request)
            (setf (session-thread session) nil
                  (session-values session) (mapcar #'symbol-value (session-variables session))))))))

(defvar *package-above* nil "The session's package while its thread holds a stack: the server's debugger binds its own.")

(defun reply-above (request)
  "The same on top of the held stacks of this thread."
  (let ((*package* *package-above*)
        #+clisp (*print-level* nil) #+clisp (*print-length* nil))
    (multiple-value-prog1 (reply request)
      (setf *package-above* *package*))))

(defun reply (request)
  "The answer to REQUEST as text."
  (encoded-text (answer-safely request)))

(defun attend-debugger (stopping)
  "Called in a thread that has entered the server's debugger: the answer of a stack that is held now, T when there is
nothing more to report, a list of its name when the thread belongs to no session. With STOPPING an evaluation in it has
to end, or to be held; another that has come here ends with its condition."
  (cond ((null *session*) (list (thread-title)))
        (*reply* (shiftf *reply* nil))
        ((eq (debugged-condition) *waiting-on*) t)
        ((null *evaluation*)
         (continue)                     ; The interrupt came too late.
         t)
        (stopping
         (handle-interrupt)
         (continue)
         t)
        (t (let ((*debugger-hook* nil))
             (handle-condition *evaluation* (debugged-condition))))))

(defun thread-title ()
  "The name of this thread."
  (princ-to-string (or (and (provides-p "THREAD-NAME") (ignore-errors (call "THREAD-NAME" (call "CURRENT-THREAD"))))
                       "unnamed")))

(defun encoded-text (message)
  (let ((octets (encode message)))
    (decode-utf-8 (coerce octets '(simple-array (unsigned-byte 8) (*))))))

(defun decode-utf-8 (octets)
  (call "UTF8-TO-STRING" octets))

(defun write-protocol (octets)
  "Keeps the answer of a held stack until the parent asks for it."
  (setf *reply* (decode-utf-8 (coerce (subseq octets 6) '(simple-array (unsigned-byte 8) (*))))))

(defun read-protocol (count)
  "Waits on top of a held stack: the server's debugger serves the calls to this thread."
  (declare (ignore count))
  (let ((*waiting-on* (or (held-condition (first *held*))
                          (make-condition 'simple-condition :format-control "Interrupted." :format-arguments '()))))
    ;; CLISP's debugger prints all frames, with everything reachable from their variables.
    (let ((*package-above* *package*)
          #+clisp (*print-level* 3) #+clisp (*print-length* 5))
      (funcall (debugger-function) *waiting-on* nil)))
  nil)

(defun protocol-readable-p ()
  "Called when an evaluation begins: reports to the parent that an interrupt can come now. The parent's messages come
another way, so there is nothing to read."
  (call "SEND-TO-EMACS" '(:write-string "" :lispwright-begins))
  nil)

(defun die ()
  "Ends the work of this thread, and nothing else."
  (give-up))

(defun call-above (function)
  "Calls FUNCTION on top of a held stack without changing its streams."
  (progv (mapcar #'first *stream-values*) (mapcar #'second *stream-values*)
    (let ((*debugger-hook* nil))
      (funcall function))))

;;; The first call

(defun greet ()
  "The description of this image for the parent; and the names of missing functions that it needs."
  (let ((hook (server-symbol "*CONNECTION-CLOSED-HOOK*")))
    (when hook
      (pushnew 'forget-connection (symbol-value hook))))
  (step-back)
  (missing-functions))
