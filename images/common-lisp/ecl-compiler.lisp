;;;; The messages of ECL's compiler about a file, with their place in the source: that of the top-level form.
;;;;
;;;; ECL has two compilers. The one for its bytecode machine is quick and keeps the variables of each frame, so it
;;;; compiles the code that is loaded; but it finds few mistakes. The one that translates to C finds them, so it gets a
;;;; file of the project first, without its last step: the C compiler, which takes nine tenths of the time and need not
;;;; be installed. Forms that are evaluated at compile time are evaluated by both.

(in-package "LISPWRIGHT.AGENT")

(require :cmp)

(defvar *exit-functions* '(ext:quit ext:exit))

(defun call-unlocked (function)
  "Calls FUNCTION, which redefines functions of ECL."
  (call-with-unlocked (remove-duplicates (mapcar #'symbol-package *exit-functions*)) function))

(ext:install-bytecodes-compiler)

(defvar *translating* nil "True while the C compiler is not wanted.")

(defun call-compiling (run &rest arguments)
  "The values of RUN, which starts the C compiler and waits for it, for the ARGUMENTS."
  (if *translating*
      0
      (call-starting (lambda () (apply run arguments)))))

;; Other versions of ECL may call it by another name.
(let ((run (find-symbol "SAFE-RUN-PROGRAM" "C")))
  (when (and run (fboundp run))
    (wrap run 'call-compiling)))

(defun look-for-mistakes (path)
  "Makes the compiler to C read the file PATH, for the conditions that it signals."
  (let ((objects (make-temporary-directory (temporary-template "ecl"))))
    (unwind-protect
         (let ((*translating* t)
               (c::*cc* "true"))
           (ext:install-c-compiler)
           ;; A failure here needs no report.
           (ignore-errors
            (compile-file path :output-file (format nil "~A/none.o" objects) :system-p t :verbose nil :print nil
                               :external-format (lenient-utf-8))))
      (ext:install-bytecodes-compiler)
      (uiop:delete-directory-tree (uiop:ensure-directory-pathname objects) :validate t :if-does-not-exist :ignore))))

(defun before-compiling (path)
  (when (project-file-p path)
    (look-for-mistakes path)))

(defun signalling-place ()
  "Nothing: the compiler does not say where it is."
  nil)

(defun loading-place (error file)
  "Nothing: the frames say where it was."
  (declare (ignore error file))
  nil)

(defun compile-source (source compiled)
  "The values of COMPILE-FILE for the file SOURCE."
  (funcall *compiling* source)
  (look-for-mistakes source)
  (compile-file source :output-file compiled :verbose nil :print nil :external-format (lenient-utf-8)))

(defun call-observing-compiler (observer compiling loading function)
  "Calls FUNCTION as one compilation unit. OBSERVER gets the severity, type, message and place of each mistake that the
compiler finds, COMPILING and LOADING the path of each file before that happens to it."
  (let ((c::*suppress-compiler-messages* t))
    (handler-bind ((condition (lambda (condition) (observe condition observer))))
      (call-telling-files compiling loading function))))

(defun observe (condition observer)
  "Calls OBSERVER for CONDITION when it is a mistake in a file that is compiled."
  (let* ((severity (mistake-severity condition))
         (message (and (typep condition 'c:compiler-message) condition))
         (line (and severity message *compile-file-truename* (line-of-octet message))))
    ;; A message without a place is about the omitted step.
    (when (and severity *compile-file-truename* (or line (null message)))
      (funcall observer severity (type-text condition) (mistake-message condition)
               (append (list :file (namestring *compile-file-truename*))
                       line
                       (and message (mistake-form message))))
      (when (and (typep condition 'warning) (find-restart 'muffle-warning condition))
        (muffle-warning condition)))))

(defun mistake-severity (condition)
  (typecase condition
    (c:compiler-note nil)
    (c:compiler-error "error")
    (style-warning "style-warning")
    (warning "warning")))

(defun mistake-message (condition)
  "The report of CONDITION on one line and without its place, which is a separate field: that ends before the mark ! or
*."
  (let* ((report (condition-text condition +message-limit+))
         (mark (or (search (format nil "~%  ! ") report) (search (format nil "~%  * ") report))))
    (with-output-to-string (message)
      (loop with blank = nil
            for character across (string-trim '(#\Newline #\Space) (if mark (subseq report (+ mark 5)) report))
            do (cond ((member character '(#\Newline #\Space)) (setf blank t))
                     (t (when blank
                          (write-char #\Space message)
                          (setf blank nil))
                        (write-char character message)))))))

(defun mistake-form (condition)
  "(:FORM \"DEFUN FOO\") of the definition that CONDITION is in, as the compiler names it: \"at (DEFUN FOO ...)\"."
  (let* ((report (condition-text condition +message-limit+))
         (start (search "at (" report))
         (end (and start (search " ...)" report :start2 start))))
    (and end (list :form (subseq report (+ start 4) end)))))

(defun line-of-octet (message)
  "(:LINE i) of the top-level form that MESSAGE is about; NIL when it is about none."
  (let ((position (c::compiler-message-file-position message)))
    (and (integerp position)
         (c::compiler-message-toplevel-form message)
         (ignore-errors (line-field *compile-file-truename* position)))))
