;;;; The parts of the Common Lisp agent for an image that somebody else runs, based on its Swank or Slynk server.
;;;;
;;;; agent.lisp is loaded after this file and calls the functions that the head of sbcl.lisp lists, as far as they apply
;;;; to a foreign process: nothing here touches descriptors, signals or the process.
;;;;
;;;; A request is one remote call of Swank's, in a new thread of Swank: (ATTEND '(:EVAL :ID 7 ...) limit). The answer is
;;;; its value, a string with the list that a worker would send. The output of the code is sent as it comes, by
;;;; :WRITE-STRING. A stack is held by entering Swank's own debugger on top of it: its thread then serves the calls that
;;;; are made to it, and Swank sends :DEBUG. So does an interrupt. The receiver of :DEBUG calls ATTEND-DEBUGGER, in that
;;;; thread, to ask for the reason.
;;;;
;;;; The state of a session, in a worker global variables, is bound in each call, so that the owner's own *, *PACKAGE*
;;;; and *STANDARD-OUTPUT* stay unchanged, and two sessions are independent.

(cl:defpackage "LISPWRIGHT.AGENT"
  (:use "COMMON-LISP")
  (:export "ATTEND" "ATTEND-DEBUGGER" "GREET"))

(cl:in-package "LISPWRIGHT.AGENT")

;;; The server

(defun active-server ()
  "The names of the packages of the calling server: its own, its backend's and that of its meta-objects."
  (loop for names in '(("SWANK" "SWANK/BACKEND" "SWANK-BACKEND" "SWANK-MOP" "SWANK/MOP")
                       ("SLYNK" "SLYNK-BACKEND" "SLYNK-MOP"))
        for symbol = (and (find-package (first names)) (find-symbol "*EMACS-CONNECTION*" (first names)))
        when (and symbol (boundp symbol) (symbol-value symbol))
          return (remove-if-not #'find-package names)))

(defvar *server-packages* (active-server))

(defun server-symbol (name)
  "The symbol of that NAME in one of the server's packages, or NIL."
  (loop for package in *server-packages*
          thereis (find-symbol name package)))

(defun call (name &rest arguments)
  "Calls the server's function NAME."
  (apply (server-symbol name) arguments))

(defun provides-p (name)
  (let ((symbol (server-symbol name)))
    (and symbol (fboundp symbol))))

(defun server-value (name)
  (symbol-value (server-symbol name)))

(defun debugger-function ()
  "The server's debugger, a function of a condition and a hook."
  (or (server-symbol "SWANK-DEBUGGER-HOOK") (server-symbol "SLYNK-DEBUGGER-HOOK")))

(defun debugged-condition ()
  "The condition for which the server's debugger was entered."
  (symbol-value (or (server-symbol "*SWANK-DEBUGGER-CONDITION*") (server-symbol "*SLYNK-DEBUGGER-CONDITION*"))))

(defun missing-functions ()
  "The names of needed functions that this version of the server does not have."
  (append (remove-if #'provides-p
                     '("SEND-TO-EMACS" "CALL-WITH-DEBUGGING-ENVIRONMENT" "CALL-WITH-DEBUGGER-HOOK" "COMPUTE-BACKTRACE"
                       "PRINT-FRAME" "FRAME-LOCALS" "FRAME-SOURCE-LOCATION" "EVAL-IN-FRAME" "GRAY-PACKAGE-NAME"
                       "CURRENT-THREAD" "INTERRUPT-THREAD" "MAKE-LOCK" "CALL-WITH-LOCK-HELD" "ARGLIST" "FUNCTION-NAME"
                       "MACROEXPAND-ALL"))
          (and (null (debugger-function)) '("SWANK-DEBUGGER-HOOK"))))

(defun gray (name)
  "The symbol NAME of the package of the implementation's Gray streams."
  (find-symbol name (call "GRAY-PACKAGE-NAME")))

;;; Operations that do not apply to a foreign process

(defun note-read (number)
  (declare (ignore number)))

(defun checkpoint-names ()
  '())

;;; Streams that hold text

(defclass counting-stream (#.(gray "FUNDAMENTAL-CHARACTER-OUTPUT-STREAM"))
  ((buffer :initform (make-string-output-stream) :reader stream-buffer)
   (column :initform 0 :accessor stream-column))
  (:documentation "Tracks its column, and keeps its output."))

(defgeneric keep (stream string start end)
  (:documentation "Removes and returns the output of STREAM."))

(defmethod #.(gray "STREAM-WRITE-CHAR") ((stream counting-stream) character)
  (if (char= character #\Newline)
      (setf (stream-column stream) 0)
      (incf (stream-column stream)))
  (keep stream (string character) 0 1)
  character)

(defmethod #.(gray "STREAM-WRITE-STRING") ((stream counting-stream) string &optional (start 0) end)
  (let* ((start (or start 0))
         (end (or end (length string)))
         (newline (position #\Newline string :start start :end end :from-end t)))
    (setf (stream-column stream)
          (if newline (- end newline 1) (+ (stream-column stream) (- end start))))
    (keep stream string start end)
    string))

(defmethod #.(gray "STREAM-LINE-COLUMN") ((stream counting-stream))
  (stream-column stream))

(defclass bounded-stream (counting-stream)
  ((room :initarg :room :accessor stream-room))
  (:documentation "Keeps the first ROOM characters written to it, then throws T to itself."))

(defmethod keep ((stream bounded-stream) string start end)
  (let ((kept (min end (+ start (stream-room stream)))))
    (write-string string (stream-buffer stream) :start start :end kept)
    (decf (stream-room stream) (- kept start))
    (when (< kept end)
      (throw stream t))))

(defun make-bounded-stream (limit)
  (make-instance 'bounded-stream :room limit))

(defun bounded-stream-text (stream)
  (get-output-stream-string (stream-buffer stream)))

;;; Conditions

(defun call-interruptible (function)
  (funcall function))

(defun call-exposed (function)
  (funcall function))

(defun call-with-debugger-hook (hook function)
  "Calls FUNCTION so that HOOK gets every condition that would enter the debugger."
  (let ((enter nil))
    (setf enter (lambda (condition previous)
                  (declare (ignore previous))
                  ;; The hook checks whether evaluated code has one of its own.
                  (let ((*debugger-hook* (if (eq *debugger-hook* enter) nil *debugger-hook*)))
                    (funcall hook condition))))
    (let* (#+clisp (driver ext:*break-driver*)
           #+clisp (ext:*break-driver* (lambda (continuable &optional condition print)
                                         (if condition
                                             (funcall enter condition nil)
                                             (funcall driver continuable condition print)))))
      (call "CALL-WITH-DEBUGGER-HOOK" enter function))))

(defun call-in-compilation-unit (function)
  "Calls FUNCTION so that a function defined later in the same call is not reported as undefined."
  (let ((*error-output* *error-output*)
        (finished nil))
    (handler-bind (#+sbcl (sb-ext:compiler-note #'muffle-warning))
      (with-compilation-unit (:override t)
        (unwind-protect
             (multiple-value-prog1 (funcall function)
               (setf finished t))
          (unless finished
            ;; An exit or a restart unwinds; the compiler would call the unit aborted.
            (setf *error-output* (make-broadcast-stream))))))))

(defun noise-p (warning)
  "True for warnings that only report redefinitions by an agent, which are its purpose."
  #+sbcl (typep warning 'sb-kernel:redefinition-warning)
  #-sbcl (progn warning nil))

(defun restart-arguments (restart)
  "The interactive arguments of RESTART; second value: true when it asks the user, who is not there."
  #-sbcl (declare (ignore restart))
  (let ((interactive #+sbcl (sb-kernel::restart-interactive-function restart) #-sbcl nil)
        (*query-io* (make-two-way-stream (make-concatenated-stream) (make-broadcast-stream))))
    (handler-case (values (and interactive (funcall interactive)) nil)
      (end-of-file () (values '() t)))))

;;; The stack

(defstruct spot
  "A frame on the stack."
  height                                ; how many frames are further out: the same with any frames on top
  call                                  ; as text
  package                               ; of the function, if it is not the implementation's
  (facts nil))                          ; (:FILE ... :LINE ... :LOCALS ...) when it is known, else NIL

(defconstant +most-known+ 20)

(defun call-with-stack (function)
  "Calls FUNCTION with the frames of the present stack, innermost first, where the server can access them by position."
  (let ((results '()))
    (call "CALL-WITH-DEBUGGING-ENVIRONMENT"
          (lambda ()
            (setf results (multiple-value-list (funcall function (call "COMPUTE-BACKTRACE" 0 nil))))))
    (values-list results)))

(defun call-with-position (spot function)
  "Calls FUNCTION with the position of SPOT in the present stack."
  (call-with-stack (lambda (frames)
                     (funcall function (- (length frames) 1 (spot-height spot))))))

(defun frame-home (frame)
  "A symbol in the package of FRAME's function; NIL for code without one, a string for a function without such a name."
  #+sbcl (home-symbol (sb-di:debug-fun-name (sb-di:frame-debug-fun frame)))
  #-sbcl (let ((head (if (consp frame) (first frame) frame)))
           (typecase head
             (function (let ((name (function-name head)))
                         (cond ((null name) "a function without a name")
                               ((consp name) (find-if #'symbolp name :from-end t))
                               (t name))))
             ((and symbol (not null)) head)
             (t (printed-home (frame-text frame 120 (find-package "KEYWORD")))))))

#+sbcl
(defun home-symbol (name)
  (loop
    (cond ((symbolp name) (return name))
          ((atom name) (return "foreign"))
          ((member :in name) (setf name (second (member :in name))))
          ((and (symbolp (first name)) (consp (rest name))
                (or (implementation-symbol-p (first name)) (eq (first name) 'setf)))
           (setf name (second name)))
          (t (return nil)))))

#-sbcl
(defun printed-home (text)
  "The symbol at the head of a printed call, such as (FOO::BAR 1) or #<compiled-function FOO::BAR>, in which every
symbol has its package."
  (flet ((break-p (character)
           (find character " ()<>#'")))
    (loop with start = 0
          repeat 3
          do (let* ((from (position-if-not #'break-p text :start start))
                    (to (and from (or (position-if #'break-p text :start from) (length text))))
                    (colon (and from (position #\: text :start from :end to)))
                    (package (and colon (find-package (subseq text from colon)))))
               (cond ((null from) (return nil))
                     (package
                      (return (find-symbol (string-left-trim ":" (subseq text colon to)) package))))
               (setf start to)))))

(defun frame-text (frame limit package)
  (handler-case
      (call-with-fixed-printer
       (lambda ()
         (let ((*package* package)
               (*print-pretty* nil))
           (multiple-value-bind (text cut)
               (bounded-text limit (lambda (stream) (call "PRINT-FRAME" frame stream)))
             (if cut (concatenate 'string text "...") text))))
       :level 4 :length 8)
    (serious-condition () "(a call that does not print)")))

(defun implementation-symbol-p (symbol)
  (let* ((package (and (symbolp symbol) (symbol-package symbol)))
         (name (and package (package-name package))))
    (and name
         (or (eq package (load-time-value (find-package "LISPWRIGHT.AGENT")))
             (some (lambda (prefix) (eql 0 (search prefix name)))
                   '("SB-" "SWANK" "SLYNK" "LISPWRIGHT.AGENT"))
             (member name '("CCL" "SYSTEM" "SYS" "SI" "EXT" "CLOS" "C" "MP" "EXTENSIONS" "THREADS" "ASDF/INTERFACE")
                     :test #'string=)))))

(defun machinery-p (home)
  "True for a frame of signalling, interrupting, debugging or serving, if it is the innermost left."
  (or (stringp home)
      (implementation-symbol-p home)
      (member home '(error cerror signal warn break invoke-debugger eval funcall apply))))

(defun evaluator-p (home)
  (or (stringp home)
      (member home '(eval read load))
      (implementation-symbol-p home)))

(defun agent-p (home)
  (and home (symbolp home)
       (eq (symbol-package home) (load-time-value (find-package "LISPWRIGHT.AGENT")))))

(defun operation-p (home)
  "True for an operation of the implementation (division, a slot access), false for its signalling and evaluation."
  (and home (symbolp home) (symbol-package home)
       (member (package-name (symbol-package home)) '("SB-KERNEL" "SB-VM" "SB-PCL" "SB-BIGNUM") :test #'string=)
       (notany (lambda (word) (search word (symbol-name home))) '("ERROR" "SIGNAL" "RESTART"))))

(defun library-p (home)
  "True for a function of the implementation, whose locals are not shown."
  (and home (symbolp home)
       (or (eq (symbol-package home) (find-package "COMMON-LISP"))
           (implementation-symbol-p home))))

(defun frames-of-interest (boundaries count)
  "The frames of evaluated code, innermost first and at most COUNT; those outside of BOUNDARIES are not examined. None
in CLISP: in order to identify a frame, its server prints it with all its variables, until the stack overflows."
  #+clisp (progn boundaries count '())
  #-clisp
  (call-with-stack
   (lambda (frames)
     (let ((height (length frames))
           (found '())                  ; (home frame position), outermost first
           (closest nil))
       (loop for frame in frames
             for position from 0
             for home = (ignore-errors (frame-home frame))
             repeat (+ count 300)
             do (cond ((member home boundaries) (return))
                      ((and found (agent-p home)) (return))
                      ((or found (not (machinery-p home))) (push (list home frame position) found))
                      ((operation-p home) (setf closest (list home frame position)))))
       (loop while (and found (evaluator-p (first (first found))))
             do (pop found))
       (when (and (null found) closest)
         (push closest found))
       (loop for ((home frame position) . outer) on (reverse found)
             for number from 0 below count
             for text = (frame-text frame 200 *package*)
             collect (make-spot :height (- height 1 position)
                                :package (and home (symbolp home) (not (library-p home)) (symbol-package home))
                                :call (if (and (null outer) boundaries (eql 0 (search "((LAMBDA ()" text)))
                                          "top-level form"
                                          text)
                                :facts (and (< number +most-known+)
                                            (append (frame-source position)
                                                    (and (zerop number)
                                                         (not (library-p home))
                                                         (frame-locals-fields position))))))))))

(defconstant +most-counted-frames+ 200)

(defun frame-key (spot)
  "A key that is equal for frames of one function."
  (subseq (spot-call spot) 0 (position #\Space (spot-call spot))))

(defun frame-facts (spot innermost)
  "The description of a frame for the parent; of the INNERMOST one with its variables."
  (let ((facts (or (spot-facts spot)
                   (ignore-errors (call-with-position spot #'frame-source)))))
    (append (list :call (spot-call spot))
            (loop for (key value) on facts by #'cddr
                  when (or innermost (not (eq key :locals)))
                    append (list key value)))))

(defun frame-locals-fields (position)
  (let ((locals (ignore-errors
                 (loop for (name value) in (variables-at position)
                       repeat 20
                       collect (list name (short-text value))))))
    (and locals (list :locals locals))))

(defun variables-at (position)
  "((name value) ...) of the frame at POSITION, as far as they are known."
  (loop for variable in (coerce (call "FRAME-LOCALS" position) 'list)
        for name = (getf variable :name)
        for value = (getf variable :value)
        unless (or (and (symbolp name) (null (symbol-package name)))
                   (and (keywordp value) (string= value "<NOT-AVAILABLE>")))
          collect (list (if (symbolp name) (symbol-name name) (princ-to-string name)) value)))

(defun frame-variables (spot)
  "The live variables of a frame: ((name value) ...); none for code that was compiled without them."
  (ignore-errors (call-with-position spot #'variables-at)))

(defun frame-package (spot)
  "The package of a frame's function; NIL for one without a name and for the implementation's own."
  (spot-package spot))

(defun eval-in-frame (form spot)
  "Evaluates FORM with the variables of a frame."
  (call-with-position spot (lambda (position) (call "EVAL-IN-FRAME" form position))))

(defun frame-source (position)
  (ignore-errors (location-fields (call "FRAME-SOURCE-LOCATION" position))))

;;; Places

(defun location-fields (location)
  "(:FILE namestring :LINE line) of a location as the server writes it, as far as it is a place in a file."
  (when (and (consp location) (eq (first location) :location))
    (let* ((file (second (assoc :file (rest location))))
           (position (second (assoc :position (rest location)))))
      (when (and (stringp file) (probe-file file))
        (list* :file file
               (and (integerp position)
                    (list :line (line-at file (1- position)))))))))

(defun line-at (namestring offset)
  "The line, from 1, of the text after OFFSET characters and blanks in the file NAMESTRING."
  (with-open-file (stream namestring)
    (let ((line 1))
      (loop for position from 0
            for character = (read-char stream nil)
            while (and character
                       (or (< position offset)
                           (member character '(#\Space #\Tab #\Newline #\Return #\Page))))
            do (when (char= character #\Newline)
                 (incf line)))
      line)))

;;; Macros and objects

(defun expand-all (form)
  "FORM with every macro call in it expanded."
  (call "MACROEXPAND-ALL" form))

(defun slot-parts (object)
  "The slots of an instance, structure or condition: (name value), or (name) for one that is unbound."
  (loop for slot in (call "CLASS-SLOTS" (class-of object))
        for name = (call "SLOT-DEFINITION-NAME" slot)
        collect (if (slot-boundp object name)
                    (list (symbol-name name) (slot-value object name))
                    (list (symbol-name name)))))

(defun function-parts (function)
  "The methods of a generic function."
  (when (typep function 'generic-function)
    (mapcar (lambda (method) (list nil method)) (call "GENERIC-FUNCTION-METHODS" function))))

(defun function-name (function)
  (call "FUNCTION-NAME" function))

(defun function-lambda-list (function)
  (call "ARGLIST" function))

(defun function-source-facts (function)
  "The place of FUNCTION's definition, if that is known: ((\"source\" \"file:line\"))."
  (let ((place (ignore-errors (location-fields (call "FIND-SOURCE-LOCATION" function)))))
    (and place
         (list (list "source" (format nil "~A~@[:~D~]" (getf place :file) (getf place :line)))))))
