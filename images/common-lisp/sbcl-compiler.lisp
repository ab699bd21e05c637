;;;; The messages of SBCL's compiler about a file, with their place in the source.
;;;;
;;;; SBCL knows the place in the file of each part of the form that it compiles, until it reads the next one. A function
;;;; or variable that turns out to be undefined is reported only at the end of all files, so the place of a reference is
;;;; recorded when it is compiled.

(in-package "LISPWRIGHT.AGENT")

(defvar *reference-places* nil "The places of forms with references to undefined names: form -> place.")

(defun call-observing-compiler (observer compiling loading function)
  "Calls FUNCTION as one compilation unit. OBSERVER gets the severity, type, message and place of each mistake that the
compiler finds, COMPILING and LOADING the path of each file before that happens to it."
  (let ((*reference-places* (make-hash-table :test #'eq))
        (*error-output* (make-instance 'comment-filter :target *error-output*)))
    (call-encapsulating
     'sb-c::note-undefined-reference #'note-reference
     (lambda ()
       (call-encapsulating
        'compile-file (lambda (file) (funcall compiling (namestring (truename file))))
        (lambda ()
          (let ((*compile-verbose* nil) (*compile-print* nil) (*load-verbose* nil) (*load-print* nil))
            (handler-bind ((condition (lambda (condition) (observe condition observer))))
              (with-compilation-unit (:override t)
                (call-encapsulating 'load (lambda (file) (funcall loading (namestring (truename file)))) function))))))))))

(defvar *listeners* '() "((name . function) ...): what is called in front of functions that CALL-ENCAPSULATING knows.")

(defun encapsulate-once (name)
  "Makes the function NAME look for a listener first. That is done here, before the image is saved, and stays: SBCL
links callers to their callees when it saves, and undoing that later may never end, without interrupts
(REMOVE-STATIC-LINKS)."
  (when (fboundp name)
    (sb-int:encapsulate name 'lispwright
                        (sb-int:named-lambda listened-to (encapsulated &rest arguments)
                          (let ((listener (cdr (assoc name *listeners*))))
                            (when listener
                              (let ((count (length (function-lambda-list listener))))
                                (ignore-errors (apply listener (subseq arguments 0 (min count (length arguments))))))))
                          (apply encapsulated arguments)))))

(mapc #'encapsulate-once '(sb-c::note-undefined-reference compile-file load))

;;; The policy for compiling files

(defvar *patience* 10 "The seconds of processor time that the compiler may use on a file in order to keep variables for
backtraces.")

(defvar *given-up* '() "((namestring . why) ...) of the files that are compiled without keeping variables.")

(define-condition given-up (condition)
  ((file :initarg :file :reader given-up-file)
   (why :initarg :why :reader given-up-why))
  (:documentation "A file is compiled without keeping variables."))

(sb-int:encapsulate 'compile-file 'lispwright-policy
                    (sb-int:named-lambda with-policy (encapsulated file &rest arguments)
                      (call-with-policy-for (ignore-errors (namestring (truename file)))
                                            (lambda () (apply encapsulated file arguments)))))

;;; Evaluation by a compiled file while it is loaded is not debugged, and can be as expensive to compile as a file.
(sb-int:encapsulate 'load 'lispwright-policy
                    (sb-int:named-lambda with-policy (encapsulated file &rest arguments)
                      (let ((sb-c::*policy* (if (compiled-file-name-p file) (usual-policy) sb-c::*policy*)))
                        (apply encapsulated file arguments))))

(defun compiled-file-name-p (file)
  (and (typep file '(or string pathname))
       (equal (pathname-type file) sb-fasl:*fasl-file-type*)))

(defun usual-policy ()
  "The session's policy without the qualities that keep variables for backtraces."
  (if (= (sb-c::policy-quality sb-c::*policy* 'debug) 2)
      (sb-c::process-optimize-decl '(optimize (debug 1)) sb-c::*policy*)
      sb-c::*policy*))

(defun call-with-policy-for (file function)
  "Calls FUNCTION, which compiles FILE, with the session's policy, which keeps variables for backtraces. That can cost
the compiler many times the time and memory, or make it fail. So an installed library is compiled with SBCL's own
policy, and so is a file of the project that turns out to be such a case."
  (let ((usual (usual-policy)))
    (flet ((call-as-usual ()
             (let ((sb-c::*policy* usual))
               (funcall function))))
      (cond ((/= (sb-c::policy-quality sb-c::*policy* 'debug) 2) (funcall function))
            ((library-file-p file) (call-as-usual))
            (t
             (unless (assoc file *given-up* :test #'equal)
               (let ((why (catch 'give-up
                            (return-from call-with-policy-for (call-patiently function)))))
                 (when (typep why 'warning)
                   (return-from call-with-policy-for (call-again why file #'call-as-usual)))
                 (push (cons file why) *given-up*)))
             (signal 'given-up :file file :why (cdr (assoc file *given-up* :test #'equal)))
             (call-as-usual))))))

(defun call-again (warning file function)
  "Calls FUNCTION, which compiles FILE after a try to keep variables made the compiler give WARNING. Another policy can
find what the usual one does not, and ASDF loads no file with a warning: only what the usual one finds counts."
  (let ((results (multiple-value-list (funcall function))))
    (unless (third results)
      (signal 'given-up :file file :why (format nil "warns (~A)" (condition-text warning 200))))
    (values-list results)))

(defun call-patiently (function)
  "Calls FUNCTION, which compiles a file. Throws the reason to GIVE-UP when the compiler takes too long or fails
itself, or its warning."
  (let* ((limit (+ (get-internal-run-time) (* *patience* internal-time-units-per-second)))
         (thread sb-thread:*current-thread*)
         (timer (sb-ext:make-timer (lambda ()
                                     (when (and (< limit (get-internal-run-time)) (compiler-at-work-p))
                                       (throw 'give-up (format nil "took more than ~D s of processor time" *patience*))))
                                   :thread thread)))
    (sb-ext:schedule-timer timer *patience* :repeat-interval 1)
    (unwind-protect
         (call-with-debugger-hook
          (let ((outer sb-ext:*invoke-debugger-hook*))
            (lambda (condition)
              (when (compiler-at-work-p)
                (throw 'give-up (format nil "was too much for the compiler (~A)" (condition-text condition 200))))
              (funcall outer condition nil)))
          (lambda ()
            (handler-bind ((warning (lambda (warning)
                                      (unless (or (typep warning 'style-warning) (not (compiler-at-work-p)))
                                        (throw 'give-up warning)))))
              (funcall function))))
      (sb-ext:unschedule-timer timer))))

(defun compiler-at-work-p ()
  "True when the compiler itself is running in COMPILE-FILE, and not code that it evaluates or expands."
  (sb-debug::map-backtrace
   (lambda (frame)
     (let ((name (frame-name frame)))
       (cond ((eq name 'call-patiently) (return-from compiler-at-work-p t))
             ((member name '(eval sb-impl::simple-eval-in-lexenv sb-impl::%simple-eval sb-c::eval-compile-toplevel
                             sb-c::careful-expand-macro sb-c::expand-compiler-macro macroexpand-1 load))
              (return-from compiler-at-work-p nil)))))))

(defun call-encapsulating (name before function)
  "Calls FUNCTION; meanwhile BEFORE is called before the function NAME, with as many of its arguments as it takes."
  (let ((*listeners* (acons name before *listeners*)))
    (funcall function)))

(defun observe (condition observer)
  "Calls OBSERVER for CONDITION when it is a mistake in a file that is or was compiled, or reports how one is compiled."
  (when (typep condition 'given-up)
    (funcall observer "note" "debug"
             (format nil "Compiled with (debug 1), so frames in it keep no variables: with (debug 2) it ~A." (given-up-why condition))
             (list :file (given-up-file condition))))
  (let* ((severity (mistake-severity condition))
         (context (and severity (error-context)))
         (read-error (read-error condition))
         (place (and severity
                     (not (noise-p condition))
                     (or (and context (context-place context))
                         (and *compile-file-truename*
                              (list :file (namestring *compile-file-truename*)
                                    :position (if read-error (reading-position read-error) (form-start))))))))
    (when place
      (funcall observer severity
               (if read-error "READ-ERROR" (type-text (inner-condition condition)))
               (if read-error
                   (reading-message (inner-condition read-error))
                   (advice-free (condition-text (inner-condition condition) +message-limit+)))
               place)
      ;; Inside COMPILE-FILE a warning has to reach the handlers outside, which decide whether the compilation failed.
      (when (and (or (null *compile-file-truename*) (about-image-p (type-text (inner-condition condition))))
                 (typep condition 'warning)
                 (find-restart 'muffle-warning condition))
        (muffle-warning condition)))))

(defun reading-position (read-error)
  "The position of the reader, in characters from the start of the file."
  (or (ignore-errors (max 0 (1- (sb-impl::form-tracking-stream-input-char-pos (stream-error-stream read-error)))))
      (form-start)))

(defun advice-free (message)
  "MESSAGE without its references to manuals."
  (subseq message 0 (search (format nil "~%See also:") message)))

(defun inner-condition (condition)
  (if (typep condition 'sb-int:encapsulated-condition)
      (sb-int:encapsulated-condition condition)
      condition))

(defun read-error (condition)
  "The mistake in the file's text that CONDITION is about, or NIL."
  (find-if (lambda (one) (typep one 'sb-c::input-error-in-compile-file))
           (list condition (inner-condition condition))))

(defun reading-message (condition)
  "The message of the reader, without its stream."
  (if (typep condition 'end-of-file)
      "The file ends in the middle of a form."
      (or (and (typep condition 'simple-condition)
               (ignore-errors (apply #'format nil (simple-condition-format-control condition)
                                     (simple-condition-format-arguments condition))))
          (condition-text condition +message-limit+))))

(defun definition-mistake (condition)
  "The condition in CONDITION about a file with definitions of systems; second value: its position in characters, when
that is a mistake of the text."
  (let ((cause (inner-condition condition)))
    (if (typep cause 'reader-error)
        (values (reading-message cause) (and (typep condition 'stream-error) (reading-position condition)))
        (values (advice-free (condition-text cause +message-limit+)) nil))))

(defun mistake-severity (condition)
  (typecase condition
    (sb-ext:compiler-note nil)
    ((or sb-c:compiler-error sb-c::input-error-in-compile-file) "error")
    (style-warning "style-warning")
    (warning "warning")))

(defun error-context ()
  (ignore-errors (sb-c::find-error-context nil)))

(defun file-info ()
  "The compiler's information about the current file, or NIL."
  (and *compile-file-truename*
       (boundp 'sb-c::*source-info*)
       sb-c::*source-info*
       (ignore-errors (sb-c::source-info-file-info sb-c::*source-info*))))

(defun form-start ()
  "The start of the current top-level form, blanks and comments before it included; characters from the start."
  (let* ((info (file-info))
         (positions (and info (sb-c::file-info-positions info))))
    (and positions (plusp (length positions)) (aref positions (1- (length positions))))))

(defun note-reference (name kind)
  "Records the place of the current form: it refers to NAME, which is undefined so far."
  (let* ((context (error-context))
         (place (and context (context-place context (and (eq kind :variable) name)))))
    (when place
      (setf (gethash (sb-c::compiler-error-context-original-form context) *reference-places*) place))))

(defun context-place (context &optional part)
  "(:FILE namestring :POSITION characters :FORM text) of the form that CONTEXT is about, or of its PART, a symbol."
  (let ((form (sb-c::compiler-error-context-original-form context))
        (file (sb-c::compiler-error-context-file-name context)))
    (or (gethash form *reference-places*)
        (and (pathnamep file)
             (list :file (namestring (truename file))
                   :position (or (subform-start (file-info) form part)
                                 (sb-c::compiler-error-context-file-position context))
                   :form (definition-text context))))))

(defun subform-start (info form part)
  "The start of FORM, or of the symbol PART in it. INFO has it when FORM belongs to the current top-level form."
  (let* ((subforms (and info (sb-c::file-info-subforms info)))
         (end (length subforms)))
    (flet ((place (wanted from to)
             (loop for index from 0 below end by 3
                   when (and (eq (aref subforms (+ index 2)) wanted)
                             (<= from (aref subforms index) to))
                     return (values (aref subforms index) (aref subforms (1+ index))))))
      (and (consp form)
           (multiple-value-bind (start last) (place form 0 most-positive-fixnum)
             (and start
                  (or (and part (place part start last))
                      start)))))))

(defun definition-text (context)
  "The definition that CONTEXT is in, such as \"DEFUN FOO\", or NIL."
  (let ((outermost (first (last (sb-c::compiler-error-context-context context)))))
    (and (consp outermost)
         (format nil "~{~A~^ ~}" (mapcar #'short-text outermost)))))

(defun signalling-place ()
  "(:POSITION i) of the top-level form that is being compiled, or NIL."
  (let ((start (form-start)))
    (and start (list :position start))))

(defun loading-place (error file)
  "Nothing: the frames say where it was."
  (declare (ignore error file))
  nil)

(defun compile-source (source compiled)
  "The values of COMPILE-FILE for the file SOURCE."
  (compile-file source :output-file compiled :verbose nil :print nil :external-format (lenient-utf-8)))

;;; Tests

(defun function-place (function)
  "(:FILE namestring :LINE i) of the definition that FUNCTION was compiled from in a file, or NIL."
  (ignore-errors
   (let* ((source (sb-introspect:find-definition-source function))
          (file (sb-introspect:definition-source-pathname source))
          (offset (sb-introspect:definition-source-character-offset source)))
     (when (and file offset (probe-file file))
       (let ((name (namestring (truename file))))
         (list :file name :line (line-at name offset)))))))

(defun applicable-specializers (function &rest arguments)
  "The specializers of each applicable method of FUNCTION for ARGUMENTS."
  (loop for method in (compute-applicable-methods function arguments)
        collect (sb-mop:method-specializers method)))

(defun call-catching-exit (function)
  "The value of FUNCTION; if it exits in an orderly way, NIL and the exit code instead of the end of the process. What
another process has ended, ends."
  (let ((returned nil))
    (block nil
      (unwind-protect
           (multiple-value-prog1 (values (funcall function) nil)
             (setf returned t))
        (let ((code (and (not returned) (not *terminated*) sb-impl::*exit-in-progress*)))
          (when code
            (setf sb-impl::*exit-in-progress* nil)
            ;; The thread that exits keeps it; a second exit would be an error.
            (sb-thread:release-mutex sb-impl::*exit-lock* :if-not-owner :punt)
            (return (values nil code))))))))

;;; Output of the compiler that repeats its diagnostics

(defclass comment-filter (sb-gray:fundamental-character-output-stream)
  ((target :initarg :target :reader filter-target)
   (column :initform 0 :accessor filter-column)
   (dropping :initform t :accessor filter-dropping))
  (:documentation "Passes its output on to TARGET, except lines that begin with a semicolon and empty ones around those:
that is the compiler's form of output."))

(defmethod sb-gray:stream-write-char ((stream comment-filter) character)
  (when (zerop (filter-column stream))
    (setf (filter-dropping stream)
          (or (char= character #\;)
              (and (char= character #\Newline) (filter-dropping stream)))))
  (setf (filter-column stream) (if (char= character #\Newline) 0 (1+ (filter-column stream))))
  (unless (filter-dropping stream)
    (write-char character (filter-target stream)))
  character)

(defmethod sb-gray:stream-line-column ((stream comment-filter))
  (filter-column stream))

(defmethod sb-gray:stream-finish-output ((stream comment-filter))
  (finish-output (filter-target stream)))
