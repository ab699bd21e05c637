;;;; Bringing a package to its new definition: a fresh image has only what the definition says, but DEFPACKAGE leaves what an
;;;; earlier one has said, and refuses what contradicts that.
;;;;
;;;; Before the new definition is evaluated, what only the old one says is taken back, and symbols that are in the way of
;;;; the new one are removed if they mean nothing: reading code interns names that it only mentions.

(in-package "LISPWRIGHT.AGENT")

(defparameter *package-options* '(:nicknames :use :shadow :shadowing-import-from :import-from :export)
  "The options that a definition of a package is compared by.")

(defun package-data (options)
  "What the OPTIONS of a DEFPACKAGE say: ((option string ...) ...), with the package first where symbols are imported."
  (loop for option in options
        when (and (consp option) (member (first option) *package-options*))
          collect (cons (first option) (mapcar #'string (rest option)))))

(defun said (data option)
  "All strings of the OPTION in DATA."
  (loop for (key . strings) in data
        when (eq key option)
          append strings))

(defun imports-said (data)
  "((package . name) ...) of the symbols that DATA imports."
  (loop for (key package . names) in data
        when (member key '(:import-from :shadowing-import-from))
          append (loop for name in names collect (cons package name))))

(defun no-longer-said (old new)
  (set-difference old new :test #'equal))

(define-definer (defpackage uiop:define-package) (notes form)
  (destructuring-bind (head name &rest options) form
    (let ((name (string name))
          (data (cons (eq head 'defpackage) (package-data options))))
      (prepare :package name data)
      (note-definition-of notes :package name :data data))))

(defmethod prepare ((kind (eql :package)) name data)
  "Brings the package to where the definition can be evaluated. UIOP's definitions, for which the first of DATA is false,
resolve most contradictions by themselves."
  (destructuring-bind (strict . data) data
    (let* ((package (find-package name))
           (definition (and package (file-definition (list :package (package-name package))))))
      (when definition
        (take-back package (rest (definition-data definition)) data strict))
      (when strict
        (make-way package data)))))

(defun take-back (package old new strict)
  "Takes back what the definition OLD of PACKAGE has said, and NEW does not say."
  (flet ((own-symbol (name)
           (multiple-value-bind (symbol status) (find-symbol name package)
             (and (member status '(:internal :external)) (list symbol)))))
    (loop for (from . name) in (no-longer-said (imports-said old) (imports-said new))
          for (symbol) = (own-symbol name)
          do (when (and (own-symbol name) (not (eq (symbol-package symbol) package)))
               (unintern symbol package)))
    (dolist (name (no-longer-said (said old :shadow) (said new :shadow)))
      (let ((symbols (own-symbol name)))
        (when (and symbols (member (first symbols) (package-shadowing-symbols package)))
          (unintern (first symbols) package))))
    (when strict
      (dolist (name (no-longer-said (said old :export) (said new :export)))
        (multiple-value-bind (symbol status) (find-symbol name package)
          (when (eq status :external)
            (unexport (list symbol) package))))
      (dolist (used (no-longer-said (said old :use) (said new :use)))
        (when (member (find-package used) (package-use-list package))
          (unuse-package used package)))
      (let ((gone (no-longer-said (said old :nicknames) (said new :nicknames))))
        (when (intersection gone (package-nicknames package) :test #'string=)
          (rename-package package (package-name package)
                          (set-difference (package-nicknames package) gone :test #'string=)))))))

(defun make-way (package data)
  "Removes unused symbols that would be in conflict with the definition DATA: those of PACKAGE, which is NIL before its
first definition, with what it is about to import, and those of packages that use it with what it is about to export."
  (when package
    (loop for (from . name) in (imports-said data)
          for source = (find-package from)
          do (multiple-value-bind (symbol status) (if source (find-symbol name source) (values nil nil))
               (when status
                 (remove-rival symbol package))))
    (dolist (used (said data :use))
      (let ((used (find-package used)))
        (when (and used (not (member used (package-use-list package))))
          (do-external-symbols (symbol used)
            (remove-rival symbol package)))))
    (dolist (name (said data :export))
      (multiple-value-bind (symbol status) (find-symbol name package)
        (dolist (user (package-used-by-list package))
          (if status
              (remove-rival symbol user)
              (remove-rival-named name user)))))))

(defun remove-rival (symbol package)
  "Removes an unused symbol of PACKAGE that has the name of SYMBOL and is another."
  (multiple-value-bind (rival status) (find-symbol (symbol-name symbol) package)
    (when (and (eq status :internal) (not (eq rival symbol)))
      (remove-unused rival package))))

(defun remove-rival-named (name package)
  (multiple-value-bind (rival status) (find-symbol name package)
    (when (eq status :internal)
      (remove-unused rival package))))

(defun remove-unused (symbol package)
  (when (and (eq (symbol-package symbol) package)
             (not (member symbol (package-shadowing-symbols package)))
             (unused-p symbol))
    (unintern symbol package)))

(defun unused-p (symbol)
  "True when SYMBOL means nothing, and no file that stays as it is defines it."
  (not (or (fboundp symbol)
           (ignore-errors (fboundp `(setf ,symbol)))
           (boundp symbol)
           (find-class symbol nil)
           (compiler-macro-function symbol)
           (loop for (key) on (symbol-plist symbol) by #'cddr
                   thereis (not (implementation-key-p key)))
           (place-or-type-p symbol)
           (loop for space in '(:function :variable :type :methods)
                   thereis (stays-p (list space symbol))))))
