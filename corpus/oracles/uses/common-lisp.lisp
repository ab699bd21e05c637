;;;; Which names the files of Common Lisp systems define and use, as SBCL knows it once they are loaded.
;;;;
;;;; The benchmark of the index compares its answers with this. Reads names of files from standard input, one a line,
;;;; relative to the current directory, and loads all systems whose files are among them. Prints, with tabs between the
;;;; words:
;;;;
;;;;   file NAME
;;;;   form LINE            the last line of a top-level form, from 1; what follows is in it
;;;;   definition PACKAGE NAME
;;;;   use KIND PACKAGE NAME
;;;;   features NAME ...    what conditionals of the reader ask for
;;;;   unseen               the form could not be walked; nothing is known of it
;;;;   failed TEXT          what stopped the reader; ends the file
;;;;
;;;; PACKAGE is the home of the symbol. A kind is call, value, assignment, binding, macro; `maybe' for a symbol in quoted
;;;; data, which can name a function or a class.
;;;;
;;;; Two witnesses are joined. The cross-reference of the compiler knows what the compiled code uses, through macros
;;;; too, but nothing of forms at top level, of initial values and slots, and little of macros. A walk over the forms
;;;; as SBCL reads them, with the environment of the compiler, knows those, and which functions are local.

(require :asdf)
(require :sb-introspect)
(require :sb-cltl2)

(defpackage :names-oracle
  (:use :common-lisp))

(in-package :names-oracle)

(defvar *root* (truename *default-pathname-defaults*))

(defun put (&rest words)
  (format t "~{~A~^	~}~%" words))

(defun one-line (text)
  (substitute-if #\Space (lambda (c) (or (char< c #\Space) (char> c #\~))) text))

(declaim (ftype function note-place print-place))

;;; Symbols

(defun of-language-p (package)
  (or (null package)
      (member (package-name package) '("COMMON-LISP" "KEYWORD" "NAMES-ORACLE") :test #'string=)))

(defvar *found* nil "What the present form uses: lists of kind and symbol.")

(defun note (kind symbol)
  (when (and (symbolp symbol) symbol (not (of-language-p (symbol-package symbol))))
    (setf (gethash (cons kind symbol) *found*) t)))

(defun note-data (datum)
  "Notes every symbol in quoted data."
  (let ((agenda (list datum)) (seen (make-hash-table :test #'eq)))
    (loop while agenda
          do (let ((one (pop agenda)))
               (cond ((symbolp one) (note :maybe one))
                     ((gethash one seen))
                     ((consp one)
                      (setf (gethash one seen) t)
                      (push (cdr one) agenda)
                      (push (car one) agenda))
                     ((typep one 'class) (note :maybe (class-name one)))
                     ((and (simple-vector-p one) (< (length one) 10000))
                      (setf agenda (append (coerce one 'list) agenda))))))))

;;; The walk

(defun local-function-p (name env)
  (and env
       (let ((entry (assoc name (sb-c::lexenv-funs env) :test #'equal)))
         (and entry t))))

(defun visit (form context env)
  (declare (ignorable context))
  (cond ((symbolp form)
         (unless (or (keywordp form) (sb-walker:var-lexical-p form env))
           (note :value form)))
        ((not (consp form)))
        ((not (symbolp (car form))))
        ((local-function-p (car form) env))
        ((eq (car form) 'quote) (note-data (cadr form)))
        ((eq (car form) 'function)
         (let ((name (cadr form)))
           (cond ((symbolp name) (unless (local-function-p name env) (note :value name)))
                 ((and (consp name) (eq (car name) 'setf)) (note :value (cadr name))))))
        ((member (car form) '(setq multiple-value-setq))
         (loop for name in (if (eq (car form) 'setq)
                               (loop for (name) on (cdr form) by #'cddr collect name)
                               (cadr form))
               when (and (symbolp name) (not (sb-walker:var-lexical-p name env)))
                 do (note :assignment name)))
        ((member (car form) '(let let*))
         (dolist (binding (cadr form))
           (let ((name (if (consp binding) (car binding) binding)))
             (when (and (symbolp name) (eq (sb-cltl2:variable-information name) :special))
               (note :binding name)))))
        ((macro-function (car form) env)
         (note :macro (car form))
         (case (car form)
           ((setf incf decf push pushnew pop psetf rotatef shiftf)
            (mapc #'note-place (cdr form)))))
        ((special-operator-p (car form)))
        (t (note :call (car form))))
  form)

(defun note-place (place)
  "The function of a place that is assigned, which expands into another."
  (when (and (consp place) (symbolp (car place)))
    (note :call (car place))))

(defvar *read-forms* '() "What was evaluated while the present form was read.")

(defun walk (form read-forms)
  "What FORM uses, as a table; nil where it cannot be walked."
  (let ((*found* (make-hash-table :test #'equal)))
    (handler-case
        (handler-bind ((warning #'muffle-warning))
          (note-data read-forms)
          (sb-walker:walk-form form nil #'visit)
          *found*)
      (error () nil))))

;;; Files

(defstruct place
  "What is known of a form: its last line, its definitions and its uses."
  line (definitions (make-hash-table :test #'eq)) uses unseen)

(defvar *files* (make-hash-table :test #'equal) "By name: a vector of places.")

(defun file-text (file)
  (handler-case (uiop:read-file-string file :external-format :utf-8)
    (error () (uiop:read-file-string file :external-format :latin-1))))

(defun changes-reading-p (form)
  "FORM has to be evaluated so that what follows can be read."
  (and (consp form)
       (symbolp (car form))
       (or (member (symbol-name (car form)) '("IN-PACKAGE" "IN-READTABLE") :test #'string=)
           (eql 0 (search "ENABLE-" (symbol-name (car form))))
           (and (eq (car form) 'eval-when)
                (search "READTABLE" (prin1-to-string form))))))

(defun read-file (file)
  "The places of the forms in FILE; what stopped the reader."
  (let* ((text (file-text file))
         (*package* (find-package :common-lisp-user))
         (*readtable* (copy-readtable nil))
         (*load-truename* file) (*compile-file-truename* file)
         (*load-pathname* file) (*compile-file-pathname* file)
         (places (make-array 0 :adjustable t :fill-pointer t))
         (line 1) (at 0))
    ;; What is evaluated while it is read leaves no trace in the form.
    (set-dispatch-macro-character #\# #\.
                                  (lambda (stream sub-char parameter)
                                    (declare (ignore sub-char parameter))
                                    (let ((form (read stream t nil t)))
                                      (push form *read-forms*)
                                      (unless *read-suppress* (eval form)))))
    (with-input-from-string (in text)
      (handler-case
          (loop
            (let* ((*read-forms* '())
                   (form (read in nil in)))
              (when (eq form in)
                (return (values places nil)))
              (let ((end (min (file-position in) (length text))))
                (loop while (and (plusp end) (member (char text (1- end)) '(#\Newline #\Space #\Tab #\Return)))
                      do (decf end))
                (incf line (count #\Newline text :start (min at end) :end end))
                (setf at (max at end)))
              (when (changes-reading-p form)
                (ignore-errors (eval form)))
              (let ((uses (walk form *read-forms*)))
                (vector-push-extend (make-place :line line :uses (or uses (make-hash-table :test #'equal))
                                                :unseen (null uses))
                                    places))))
        (error (condition)
          (values places (one-line (princ-to-string condition))))))))

(defun place-of (source)
  "The place that a definition source of the image names."
  (let* ((file (sb-introspect:definition-source-pathname source))
         (number (first (sb-introspect:definition-source-form-path source)))
         (places (and file number (gethash (ignore-errors (truename file)) *files*))))
    (and places (< number (length places)) (aref places number))))

;;; What the image knows

(defparameter *definition-types*
  '(:function :macro :generic-function :variable :constant :class :structure :condition :type :symbol-macro
    :method :setf-expander :compiler-macro :method-combination :structure-accessor :alien-type))

(defun note-definitions (symbol)
  (dolist (name (list symbol `(setf ,symbol)))
    (dolist (type *definition-types*)
      (dolist (source (ignore-errors (sb-introspect:find-definition-sources-by-name name type)))
        (let ((place (place-of source)))
          (when place
            (setf (gethash symbol (place-definitions place)) t)))))))

(defun note-references ()
  "What the cross-reference has of the files."
  (sb-c:map-simple-funs
   (lambda (name function)
     (declare (ignore name))
     (let* ((references (sb-kernel:%simple-fun-xrefs function))
            (source (and references (ignore-errors (sb-introspect:find-definition-source function))))
            (place (and source (place-of source))))
       (when place
         (sb-c:map-packed-xref-data
          (lambda (kind name number)
            (declare (ignore number))
            (let ((symbol (if (and (consp name) (eq (car name) 'setf)) (cadr name) name))
                  (kind (cdr (assoc kind '((:calls . :call) (:references . :value) (:sets . :assignment)
                                           (:binds . :binding) (:macroexpands . :macro))))))
              (when (and kind (symbolp symbol) (not (of-language-p (symbol-package symbol))))
                (setf (gethash (cons kind symbol) (place-uses place)) t))))
          references))))))

;;; Systems

(defun files-of (system)
  (let ((files '()))
    (labels ((visit (component)
               (typecase component
                 (asdf:cl-source-file (push (asdf:component-pathname component) files))
                 (asdf:module (mapc #'visit (asdf:component-children component))))))
      (visit system))
    files))

(defun systems-of (definition)
  "The names of the systems of the file DEFINITION, also of those that another file needed and loaded."
  (let ((real (ignore-errors (truename definition))))
    (flet ((is-in-file (name)
             (let* ((system (ignore-errors (asdf:find-system name nil)))
                    (file (and system (asdf:system-source-file system))))
               (and file real (equal (ignore-errors (truename file)) real)))))
      (sort (remove-if-not #'is-in-file (asdf:registered-systems)) #'string<))))

(defun load-systems (definition)
  "Loads the systems of the file DEFINITION, and returns their files."
  (ignore-errors (asdf:load-asd definition))
  (let ((files '()))
    (dolist (name (systems-of definition))
      (handler-case
          (sb-ext:with-timeout 240
            (handler-bind ((warning #'muffle-warning))
              (let ((*standard-output* (make-broadcast-stream))
                    (*error-output* (make-broadcast-stream))
                    (*compile-verbose* nil) (*compile-print* nil))
                (asdf:load-system name :verbose nil)))
            (setf files (append (files-of (asdf:find-system name)) files)))
        (error (condition)
          (format *error-output* "~A: ~A~%" name (one-line (princ-to-string condition))))))
    files))

(defun report (names)
  (let ((packages (list-all-packages)) (files '()))
    (dolist (name names)
      (when (string-equal (pathname-type name) "asd")
        (dolist (file (load-systems (merge-pathnames name *root*)))
          (let ((real (ignore-errors (truename file))))
            (when real (pushnew real files :test #'equal))))))
    (let ((stopped (make-hash-table :test #'equal)))
      (dolist (file files)
        (multiple-value-bind (places condition) (read-file file)
          (setf (gethash file *files*) places (gethash file stopped) condition)))
      (dolist (package (set-difference (list-all-packages) packages))
        (do-symbols (symbol package)
          (when (eq (symbol-package symbol) package)
            (note-definitions symbol))))
      (note-references)
      (dolist (name names)
        (let* ((real (ignore-errors (truename (merge-pathnames name *root*))))
               (places (and real (gethash real *files*))))
          (when places
            (put "file" name)
            (loop for place across places do (print-place place))
            (when (gethash real stopped)
              (put "failed" (gethash real stopped)))))))))

(defun print-place (place)
  (put "form" (place-line place))
  (flet ((home (symbol) (string-downcase (package-name (symbol-package symbol)))))
    (loop for symbol being the hash-keys of (place-definitions place)
          when (symbol-package symbol)
            do (put "definition" (home symbol) (symbol-name symbol)))
    (loop for (kind . symbol) being the hash-keys of (place-uses place)
          when (symbol-package symbol)
            do (put "use" (string-downcase kind) (home symbol) (symbol-name symbol))))
  (when (place-unseen place)
    (put "unseen")))

(asdf:initialize-source-registry `(:source-registry (:also-exclude "cl-asdf") (:tree ,*root*) :ignore-inherited-configuration))
(asdf:initialize-output-translations
 `(:output-translations (t (,(merge-pathnames "oracle/fasl/" *root*) :**/ :*.*.*))
                        :ignore-inherited-configuration))
(format t "features~{	~A~}~%" *features*)
(report (loop for line = (read-line *standard-input* nil) while line collect line))
