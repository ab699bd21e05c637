;;;; The messages of CLISP's compiler about a file, with their place in the source: the lines of the top-level form.

(in-package "LISPWRIGHT.AGENT")

(defvar *exit-functions* '(ext:exit ext:quit ext:bye))

(defun call-unlocked (function)
  "Calls FUNCTION, which redefines functions of CLISP."
  (ext:without-package-lock ("EXT")
    (funcall function)))

(defun before-compiling (path)
  "Nothing: CLISP's compiler signals its messages itself."
  (declare (ignore path)))

(defun compile-source (source compiled)
  "The values of COMPILE-FILE for the file SOURCE."
  (funcall *compiling* source)
  (compile-file source :output-file compiled :verbose nil :print nil :external-format (lenient-utf-8)))

(defun call-observing-compiler (observer compiling loading function)
  "Calls FUNCTION as one compilation unit. OBSERVER gets the severity, type, message and place of each mistake that the
compiler finds, COMPILING and LOADING the path of each file before that happens to it."
  (handler-bind ((condition (lambda (condition) (observe condition observer))))
    (call-telling-files compiling loading function)))

(defun observe (condition observer)
  "Calls OBSERVER for CONDITION when it is a mistake in a file that is compiled."
  (let ((severity (typecase condition
                    (ext:source-program-error "error")
                    (style-warning "style-warning")
                    (warning "warning"))))
    (when (and severity *compile-file-truename*)
      (multiple-value-bind (message definition) (mistake-message condition)
        (funcall observer severity (type-text condition) message
                 (append (list :file (namestring *compile-file-truename*))
                         (form-line)
                         (and definition (list :form definition)))))
      (let ((restart (or (find-restart 'muffle-warning condition)
                         ;; It counts as a failure of the compilation.
                         (find-restart 'continue condition))))
        (when restart
          (invoke-restart restart))))))

(defun mistake-message (condition)
  "The report of CONDITION without \"in FOO in lines 1..2 : \" in front; second value: FOO."
  (let* ((text (condition-text condition +message-limit+))
         (place (and (begins-with text "in ") (search " in line" text)))
         (start (and place (search " : " text :start2 place))))
    (if start
        (values (subseq text (+ start 3)) (string-trim " " (subseq text 3 place)))
        text)))

(defun form-line ()
  "(:LINE i) of the top-level form that is compiled."
  (code-line *compile-file-truename* system::*compile-file-lineno1*))

(defun signalling-place ()
  "(:LINE i) of the top-level form that is being compiled, or NIL."
  (and *compile-file-truename* (form-line)))

(defun loading-place (error file)
  "(:LINE i) of the top-level form of FILE whose loading ended in ERROR, as the parent is told of that; NIL when it is not known.
CLISP names the compiled form by its lines, \"6 7 (BOOM 3)-3\", and so does the restart that goes on after it."
  (let* ((skip (find "SKIP" (getf error :restarts) :key #'first :test #'string=))
         (name (and skip (begins-with (second skip) "skip "))))
    (and name (code-line file (parse-integer name :junk-allowed t)))))

(defun code-line (file line)
  "(:LINE i) of the form in FILE that CLISP has at LINE: it counts from the comments in front of it."
  (let* ((text (and (integerp line) (plusp line) (ignore-errors (file-text file))))
         (start (and text
                     (loop with start = 0
                           repeat (1- line)
                           while start
                           do (let ((newline (position #\Newline text :start start)))
                                (setf start (and newline (1+ newline))))
                           finally (return start))))
         (code (and start (skip-to-code text start))))
    (and code (list :line (line-and-column text code)))))
