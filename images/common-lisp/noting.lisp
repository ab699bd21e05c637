;;;; The files of the project in this image: what each has defined, and undefining what it defines no more.
;;;;
;;;; ASDF performs each file through CALL-COMPILING-FILE and CALL-LOADING-FILE, whoever asks it to; systems.lisp does the
;;;; same with a file by itself. What a file defines is kept in the record beside its compiled file, for images that
;;;; load it without compiling it.

(in-package "LISPWRIGHT.AGENT")

(defvar *loaded-digests* (make-hash-table :test #'equal) "A table: namestring of a source file -> content in this
image. A file of which only a part was loaded, or that has to be loaded again, has none.")
(defvar *loaded-files* '() "The namestrings of the project's loaded files, the last loaded one first.")
(defvar *file-definitions* (make-hash-table :test #'equal) "A table: namestring of a file -> its definitions.")
(defvar *owners* (make-hash-table :test #'equal) "A table: key of a definition -> (namestring of a file . definition), of
the file that has defined it last.")
(defvar *implicit-functions* '() "Names of generic functions that only methods have made.")
(defvar *new-notes* (make-hash-table :test #'equal) "A table: namestring of a file -> the notes of its last compilation,
until it is loaded.")
(defvar *noting* nil "The notes of the file that is being compiled or loaded, or NIL.")
(defvar *plain-hook* nil "The value of *MACROEXPAND-HOOK* outside of all noting.")

(defun file-definition (key)
  "The definition of KEY by a file of the project, or NIL."
  (cdr (gethash key *owners*)))

(defun owned-p (definition path)
  (equal (car (gethash (definition-key definition) *owners*)) path))

;;; Compiling and loading a file

(defun call-with-notes (notes function)
  "Calls FUNCTION, which compiles or loads the file of NOTES; they get its definitions."
  (let* ((around (list *load-truename* *compile-file-truename*))
         (files around)                 ; those of the form before
         (found notes)                  ; the notes for that
         (plain (if *noting* *plain-hook* *macroexpand-hook*))
         (*noting* notes)
         (*plain-hook* plain)
         (*macroexpand-hook*
           (lambda (expander form environment)
             (when (consp form)
               (unless (and (eq *load-truename* (first files)) (eq *compile-file-truename* (second files)))
                 (setf files (list *load-truename* *compile-file-truename*)
                       found (notes-of-files notes files around)))
               (when found
                 (note-form found form)))
             (funcall plain expander form environment))))
    (funcall function)))

(defun notes-of-files (notes files around)
  "The notes for forms of the FILES that are loaded and compiled now: NOTES, or those of the source file of the project that the
code of their file is just loading; NIL if that is another file. AROUND it, the other files were loaded and compiled."
  (destructuring-bind (load compile) files
    (cond ((not (or (null compile) (eq compile (second around)) (same-file-p compile (notes-path notes))))
           nil)
          ((or (null load) (eq load (first around)) (same-file-p load (notes-compiled notes)))
           notes)
          ((and (member (pathname-type load) '("lisp" "lsp" "cl") :test #'equal) (project-file-p load))
           (let ((path (namestring load)))
             (or (find path (notes-inner notes) :key #'notes-path :test #'string=)
                 (first (push (make-notes :path path :digest (content-digest path) :changed t)
                              (notes-inner notes)))))))))

(defun same-file-p (truename path)
  (and path (string= (pathname-name truename) (pathname-name path)) (equal truename (probe-file path))))

(defun call-compiling-file (path function)
  "Calls FUNCTION, which compiles the file at PATH, and keeps its definitions until it is loaded."
  (reveal-before path)
  (remhash path *new-notes*)
  (let ((notes (make-notes :path path :digest (content-digest path) :changed t))
        (whole nil))
    (unwind-protect (multiple-value-prog1 (call-with-notes notes function)
                      (setf whole t
                            (gethash path *new-notes*) notes))
      (unless whole
        (abandon-file notes)))))

(defun call-loading-file (path compiled function)
  "Calls FUNCTION, which loads the file at PATH from its COMPILED file, and records what it has defined."
  (reveal-before path)
  (let ((notes (or (gethash path *new-notes*)
                   (notes-in-record path compiled)
                   (make-notes :path path :digest (content-digest path) :changed t)))
        (whole nil))
    (settle-variables notes)
    (setf (notes-compiled notes) compiled)
    (remhash path *loaded-digests*)
    (unwind-protect (multiple-value-prog1 (call-with-notes notes function)
                      (setf whole t)
                      (mapc #'finish-file (reverse (notes-inner notes)))
                      (finish-file notes))
      (remhash path *new-notes*)
      (unless whole
        (mapc #'abandon-file (notes-inner notes))
        (abandon-file notes)))))

(defun notes-in-record (path compiled)
  "The notes about the file at PATH from when it was COMPILED, as far as its names are known before it is loaded; NIL
without a record."
  (let ((record (read-record compiled)))
    (when record
      (destructuring-bind (digest definitions &rest diagnostics) record
        (declare (ignore diagnostics))
        (let ((notes (make-notes :path path :digest digest :recorded definitions
                                 :changed (not (equal digest (gethash path *loaded-digests*))))))
          (note-recorded notes nil)
          notes)))))

(defun note-recorded (notes new)
  "Notes what the record says of the file. NEW says that it was loaded by now: then names are known that were not there
before."
  (loop for (kind recorded said) in (notes-recorded notes)
        for name = (named-again recorded)
        do (when (and name (null (noted notes (list (name-space kind) name))))
             (let ((data (data-again kind said)))
               (unless new
                 (prepare kind name data))
               (note-definition-of notes kind name :data data :new new)))))

;;; After a file was loaded

(defun finish-file (notes)
  "Undefines what the file of NOTES, which was just loaded, defines no more, and records what it has defined."
  (let ((path (notes-path notes)))
    (note-recorded notes t)
    (finish-definitions path notes)
    (let ((definitions (reverse (notes-definitions notes))))
      (dolist (definition definitions)
        (settle-definition path definition))
      (setf (gethash path *file-definitions*) definitions))
    (setf (gethash path *loaded-digests*) (notes-digest notes))
    (pushnew path *loaded-files* :test #'string=)
    (note-loaded path)))

(defun settle-definition (path definition)
  "Records what the name of DEFINITION means now that the file at PATH was loaded."
  (let* ((kind (definition-kind definition))
         (name (definition-name definition))
         (before (definition-before definition))
         (now (present kind name))
         (earlier (find (definition-key definition) (gethash path *file-definitions*)
                        :key #'definition-key :test #'equal)))
    (setf (definition-before definition) nil
          (definition-object definition)
          (case kind
            (:methods
             (if (eq now +nothing+)
                 '()
                 ;; Some methods stay the same objects when a class is defined again.
                 (union (set-difference now (if (listp before) before '()))
                        (and earlier (intersection (definition-object earlier) now)))))
            (:tests
             (and (listp now)
                  (set-difference now (if (listp before) before '()) :key #'car)))
            (t now)))
    (when (and (eq kind :methods) (eq before +nothing+) (null (file-definition (list :function name))))
      (pushnew name *implicit-functions* :test #'equal))
    (setf (gethash (definition-key definition) *owners*) (cons path definition))))

(defun finish-definitions (path notes)
  "Undefines what the file at PATH had defined and does not define by its NOTES. Tests come first, which may be known by their
functions, and packages last, which have the names of what else is told."
  (flet ((order (definition)
           (case (definition-kind definition)
             (:tests 0)
             (:package 2)
             (t 1))))
    (dolist (definition (stable-sort (copy-list (gethash path *file-definitions*)) #'< :key #'order))
      (finish-definition path definition notes)))
  (forget-concealment path))

(defun finish-definition (path definition notes)
  "Undefines what DEFINITION, an earlier one of the file at PATH, has made, unless it is defined again."
  (let* ((kind (definition-kind definition))
         (name (definition-name definition))
         (concealed (member definition (concealed path)))
         (gone (and (notes-changed notes) (null (noted notes (definition-key definition))))))
    (cond ((eq kind :methods)
           (finish-methods path definition concealed gone (notes-changed notes)))
          ((eq kind :tests)
           (finish-tests path definition notes))
          (concealed
           (when (means-nothing-p kind name)
             (if (notes-changed notes)
                 (leave path definition)
                 (reveal definition))))
          ((and gone (owned-p definition path) (its-own-p definition))
           (leave path definition)))))

(defun leave (path definition)
  "Undefines what DEFINITION, of the file at PATH, has made, and tells it."
  (let ((kind (definition-kind definition)) (name (definition-name definition)))
    (unless (and (eq kind :generic-function) (made-by-others-p name))
      (forget kind name)
      ;; What is made with a structure goes with it.
      (unless (and (member kind '(:function :generic-function)) (definition-data definition))
        (let ((key (definition-key definition)))
          (note-removed (kind-words kind) (name-of name) path (lambda () (gethash key *owners*))))))
    (when (owned-p definition path)
      (remhash (definition-key definition) *owners*))))

(defun made-by-others-p (name)
  "True when the generic function NAME has methods that others have defined."
  (let ((methods (present :methods name)))
    (when (consp methods)
      (pushnew name *implicit-functions* :test #'equal)
      t)))

(defun finish-methods (path definition concealed gone changed)
  "Removes the methods of DEFINITION that its file at PATH, which has CHANGED if that is true, defines no more. CONCEALED ones have
been removed already. Those of slots are removed with the class, or when it is defined without them; GONE says that no
definition names the function any more."
  (let* ((name (definition-name definition))
         (function (present :function name))
         (present (and (typep function 'generic-function) (mop generic-function-methods function))))
    (dolist (method (definition-object definition))
      (cond ((and concealed (not (accessor-method-p method)))
             (unless (same-method method function)
               (cond (changed (note-removed-method method name path))
                     ((typep function 'generic-function) (add-method function method)))))
            ((and (member method present)
                  (or gone (and changed (null concealed) (not (accessor-method-p method)))))
             (remove-method function method)
             (unless (accessor-method-p method)
               (note-removed-method method name path)))))
    (drop-implicit-function name path)))

(defun note-removed-method (method name path)
  "Records that METHOD of the function NAME is removed; if the function is, too, that says enough."
  (note-removed "method" (method-words method name) path
                (lambda () (or (not (fboundp name)) (same-method method (present :function name))))))

(defun accessor-method-p (method)
  (typep method '#.(find-symbol "STANDARD-ACCESSOR-METHOD" #+sbcl "SB-MOP" #-sbcl "CLOS")))

(defun drop-implicit-function (name path)
  "Undefines the generic function NAME if only methods have made it, and there are none. The file at PATH had the last."
  (when (and (member name *implicit-functions* :test #'equal)
             (null (file-definition (list :function name)))
             (null (present :methods name)))
    (setf *implicit-functions* (remove name *implicit-functions* :test #'equal))
    (forget :generic-function name)
    (note-removed "generic function" (name-of name) path (lambda () (fboundp name)))))

(defun forget-gone-file (path)
  "Undefines what the file at PATH, which is not there any more, has defined."
  (finish-definitions path (make-notes :path path :changed t))
  (remhash path *file-definitions*)
  (remhash path *loaded-digests*)
  (setf *loaded-files* (remove path *loaded-files* :test #'string=)))

;;; When it fails

(defun abandon-file (notes)
  "Takes back what the file of NOTES has defined before it failed. What is concealed comes back later."
  (let* ((path (notes-path notes))
         (concealed (concealed path)))
    (dolist (definition (notes-definitions notes))
      (let ((earlier (find (definition-key definition) concealed :key #'definition-key :test #'equal)))
        (ignore-errors
         (if (eq (definition-kind definition) :methods)
             (take-back-methods definition)
             (take-back-definition definition earlier)))))
    (when (member path *loaded-files* :test #'string=)
      (remhash path *loaded-digests*))))

(defun take-back-definition (definition earlier)
  "Makes the name of DEFINITION mean what it meant before; EARLIER is the definition of it that was concealed, or NIL."
  (let* ((kind (definition-kind definition))
         (name (definition-name definition))
         (before (definition-before definition))
         (now (present kind name)))
    (cond ((eql now before))
          ((eq now +nothing+))
          (earlier (forget kind name))
          ((eq before +nothing+)
           (unless (and (eq kind :package) (file-definition (definition-key definition)))
             (forget kind name)))
          (t (bring-back kind name before)))))

(defun take-back-methods (definition)
  (let* ((name (definition-name definition))
         (before (definition-before definition))
         (function (present :function name)))
    (cond ((not (typep function 'generic-function)))
          ((eq before +nothing+) (forget :generic-function name))
          (t
           (dolist (method (set-difference (mop generic-function-methods function) before))
             (remove-method function method))
           (dolist (method (set-difference before (mop generic-function-methods function)))
             (add-method function method))))))
