;;;; What the files of the project have defined, and undefining it.
;;;;
;;;; Every standard definition is a macro call, so what a file defines is seen when its forms are expanded, also by its
;;;; own macros: *MACROEXPAND-HOOK* notes it. After the load, each note gets the object that the name has then. If it has the
;;;; same object later, that is the file's; another one was defined since, by hand or by another file, and is not touched.
;;;; Classes, types and places stay the same object when they are defined again, so for them the name decides.
;;;;
;;;; The implementation defines CONCEAL-FUNCTION, REVEAL-FUNCTION, FORGET-FUNCTION, FORGET-VARIABLE, FORGET-TYPE, FORGET-SETF-EXPANDER,
;;;; FORGET-METHOD-COMBINATION and FORGET-STRUCTURE.

(in-package "LISPWRIGHT.AGENT")

(defmacro mop (name &rest arguments)
  "Calls the function NAME of the metaobject protocol."
  `(,(find-symbol (string name) #+sbcl "SB-MOP" #-sbcl "CLOS") ,@arguments))

(defstruct (definition (:constructor make-definition (kind name &optional data)))
  "A name that a file defines."
  kind                                  ; a keyword
  name                                  ; a symbol or (SETF symbol); a string for a package, for :TESTS a framework
  data                                  ; what was said of a structure or package; the structure that a function is made for
  (object nil)                          ; what the name meant after the load, or +NOTHING+; for :METHODS and :TESTS those of the file
  (before nil))                         ; what it meant before

(defvar +nothing+ '+nothing+ "What a name means that means nothing.")

(defun name-space (kind)
  "Definitions of kinds with the same space replace each other."
  (case kind
    ((:function :generic-function :macro) :function)
    ((:variable :constant :symbol-macro) :variable)
    ((:class :structure :condition :type) :type)
    (t kind)))

(defun definition-key (definition)
  (list (name-space (definition-kind definition)) (definition-name definition)))

;;; Noting definitions

(defstruct notes
  "What one file defines."
  (path nil)
  (compiled nil)                        ; the namestring of the compiled file, while that is loaded
  (digest nil)                          ; of its content
  (changed nil)                         ; true when the image has another content of it, or none
  (recorded '())                        ; its definitions in the record of an earlier compilation
  (inner '())                           ; the notes of source files that its code has loaded
  (table (make-hash-table :test #'equal)) ; key of the definition -> definition
  (definitions '()))                    ; the last one first

(defun noted (notes key)
  (gethash key (notes-table notes)))

(defvar *foreign-packages* (remove (find-package "COMMON-LISP-USER") (list-all-packages))
  "The packages of the implementation, of ASDF and of the agent.")

(defun foreign-p (name)
  "True when NAME is not the project's."
  (let ((symbol (if (consp name) (second name) name)))
    (and (symbolp symbol)
         (not (keywordp symbol))
         (or (null (symbol-package symbol))
             (member (symbol-package symbol) *foreign-packages*)))))

(defun note-definition-of (notes kind name &key data new)
  "Notes that the file defines NAME; NEW says that it has done so by now. Foreign names are left out, except in methods."
  (unless (and (foreign-p name) (not (eq kind :methods)))
    (let* ((definition (make-definition kind name data))
           (key (definition-key definition))
           (known (noted notes key)))
      (cond (known
             (setf (definition-kind known) kind
                   (definition-data known) (or data (definition-data known))))
            (t
             (setf (definition-before definition) (if new +nothing+ (present kind name))
                   (gethash key (notes-table notes)) definition)
             (push definition (notes-definitions notes))
             (unless new
               (forget-other-kind kind name key)))))))

(defun forget-other-kind (kind name key)
  "Makes NAME mean nothing if a file has defined it as another KIND of thing, which a new definition would contradict."
  (let ((earlier (file-definition key)))
    (when (and earlier
               (member (first key) '(:function :variable))
               (not (eq (definition-kind earlier) kind)))
      (forget (definition-kind earlier) name))))

(defvar *definers* (make-hash-table :test #'eq) "A table: head of a form -> a function that notes what the form defines.")

(defmacro define-definer (heads (notes form) &body body)
  "Defines how a FORM with one of HEADS is noted in NOTES."
  `(let ((function (lambda (,notes ,form) ,@body)))
     (dolist (head ',heads)
       (setf (gethash head *definers*) function))))

(defmacro define-simple-definers (&rest rows)
  "Each row is a kind, and the heads of forms that define a name of it."
  `(progn
     ,@(loop for (kind . heads) in rows
             collect `(define-definer ,heads (notes form)
                        (note-definition-of notes ,kind (second form))))))

(define-simple-definers
  (:function defun)
  (:macro defmacro)
  (:compiler-macro define-compiler-macro)
  (:variable defvar defparameter #+sbcl sb-ext:defglobal)
  (:constant defconstant)
  (:symbol-macro define-symbol-macro)
  (:type deftype)
  (:setf-expander defsetf define-setf-expander)
  (:methods defmethod)
  (:method-combination define-method-combination))

(define-definer (declaim) (notes form)
  (dolist (declaration (rest form))
    (when (eq (first declaration) 'special)
      (dolist (name (rest declaration))
        (note-definition-of notes :special name)))))

(define-definer (defgeneric) (notes form)
  (note-definition-of notes :generic-function (second form))
  (note-definition-of notes :methods (second form)))

(define-definer (defclass define-condition) (notes form)
  (destructuring-bind (head name supers slots &rest options) form
    (declare (ignore supers options))
    (let ((kind (if (eq head 'defclass) :class :condition)))
      (prepare kind name nil)
      (note-definition-of notes kind name))
    (dolist (slot slots)
      (when (and (consp slot) (not (foreign-p name)))
        (loop for (key accessor) on (rest slot) by #'cddr
              do (when (member key '(:reader :writer :accessor))
                   (note-definition-of notes :methods accessor))
                 (when (eq key :accessor)
                   (note-definition-of notes :methods `(setf ,accessor))))))))

(define-definer (defstruct) (notes form)
  (destructuring-bind (name-and-options &rest slots) (rest form)
    (let* ((name (if (consp name-and-options) (first name-and-options) name-and-options))
           (options (and (consp name-and-options) (mapcar (lambda (option) (if (consp option) option (list option)))
                                                          (rest name-and-options))))
           (included (second (assoc :include options)))
           (typed (assoc :type options)))
      (unless typed
        (let ((data (list (form-text form) included)))
          (prepare :structure name data)
          (note-definition-of notes :structure name :data data)))
      (dolist (function (structure-functions name options slots included typed))
        (note-definition-of notes :function function :data (and (not typed) name))))))

(defun form-text (form)
  "The text of FORM, to compare it with another."
  (with-standard-io-syntax
    (let ((*package* (load-time-value (find-package "KEYWORD")))
          (*print-readably* nil)
          (*print-circle* t))
      (first (value-text form 100000)))))

(defun structure-functions (name options slots included typed)
  "The names of the functions that a DEFSTRUCT makes."
  (flet ((named (control &rest arguments)
           (intern (apply #'format nil control arguments)))
         (option (key)
           (remove key options :key #'first :test-not #'eq)))
    (let* ((conc-name (option :conc-name))
           (prefix (if conc-name
                       (string (or (second (first conc-name)) ""))
                       (format nil "~A-" name)))
           (constructors (option :constructor))
           (parent (and included (find-class included nil)))
           (slot-names (append (mapcar (lambda (slot) (if (consp slot) (first slot) slot)) (remove-if #'stringp slots))
                               (and parent (mapcar (lambda (slot) (mop slot-definition-name slot))
                                                   (ignore-errors (mop class-slots parent)))))))
      (append (loop for slot in slot-names
                    for accessor = (named "~A~A" prefix slot)
                    collect accessor
                    collect `(setf ,accessor))
              (if constructors
                  (loop for (nil function) in constructors
                        for constructor in constructors
                        when (or function (null (rest constructor)))
                          collect (or function (named "MAKE-~A" name)))
                  (list (named "MAKE-~A" name)))
              (loop for (key control needed) in `((:copier "COPY-~A" t)
                                                  (:predicate "~A-P" ,(or (null typed) (option :named))))
                    for found = (first (option key))
                    for function = (if (rest found) (second found) (and needed (named control name)))
                    when function
                      collect function)))))

(defun note-form (notes form)
  "Notes what FORM, which is about to be expanded, defines. A form that is no definition after all is not our mistake."
  (handler-case
      (let ((head (first form)))
        (when (symbolp head)
          (let ((definer (gethash head *definers*)))
            (cond (definer (funcall definer notes form))
                  ((not (member (symbol-package head) *foreign-packages*))
                   (let ((framework (framework-of-head head)))
                     (when framework
                       (note-definition-of notes :tests framework))))))))
    (error () nil)))

;;; Contradictions

(defgeneric prepare (kind name data)
  (:documentation "Makes way for a definition of NAME as a KIND of thing, of which DATA was said: what it would contradict
is forgotten.")
  (:method (kind name data) (declare (ignore kind name data))))

(defun class-kind (class)
  (typecase class
    (structure-class :structure)
    (t (if (subtypep class 'condition) :condition :class))))

(defun prepare-class (kind name)
  "Forgets the class NAME of a file if it is of another KIND."
  (let ((class (find-class name nil)))
    (when (and class (file-definition (list :type name)) (not (eq (class-kind class) kind)))
      (forget (class-kind class) name))))

(defmethod prepare ((kind (eql :class)) name data)
  (declare (ignore data))
  (prepare-class kind name))

(defmethod prepare ((kind (eql :condition)) name data)
  (declare (ignore data))
  (prepare-class kind name))

(defmethod prepare ((kind (eql :structure)) name data)
  "A structure that is defined in another way, or includes one that was, is forgotten: its instances are of no use to the
new code."
  (prepare-class kind name)
  (let* ((definition (file-definition (list :type name)))
         (earlier (and definition (eq (definition-kind definition) :structure) (definition-data definition))))
    (when (and earlier (find-class name nil)
               (or (not (equal (first earlier) (first data)))
                   (remade-p (second data))))
      (note-remade name)
      (forget :structure name))))

;;; Meanings

(defgeneric present (kind name)
  (:documentation "The object that NAME means as a KIND of thing, or +NOTHING+."))

(defgeneric forget (kind name)
  (:documentation "Makes NAME mean nothing as a KIND of thing."))

(defgeneric bring-back (kind name object)
  (:documentation "Makes NAME mean OBJECT again."))

(defmethod present ((kind (eql :function)) name)
  (if (and (fboundp name) (or (consp name) (not (macro-function name))))
      (fdefinition name)
      +nothing+))

(defmethod present ((kind (eql :generic-function)) name)
  (present :function name))

(defmethod present ((kind (eql :macro)) name)
  (or (macro-function name) +nothing+))

(defmethod present ((kind (eql :compiler-macro)) name)
  (or (compiler-macro-function name) +nothing+))

(defmethod present ((kind (eql :variable)) name)
  (if (boundp name) (symbol-value name) +nothing+))

(defmethod present ((kind (eql :constant)) name)
  (if (and (boundp name) (constantp name)) (symbol-value name) +nothing+))

(defmethod present ((kind (eql :package)) name)
  (or (find-package name) +nothing+))

(defmethod present ((kind (eql :methods)) name)
  "The list of methods."
  (let ((function (present :function name)))
    (if (typep function 'generic-function)
        (copy-list (mop generic-function-methods function))
        +nothing+)))

(defmethod present (kind name)
  "Classes, types and places: what matters is only whether they are there."
  (if (and (member kind '(:class :structure :condition)) (null (find-class name nil)))
      +nothing+
      kind))

(defun means-nothing-p (kind name)
  "True when NAME means nothing in the name space of KIND."
  (case (name-space kind)
    (:function (not (fboundp name)))
    (:variable (not (boundp name)))
    (t (eq (present kind name) +nothing+))))

(defmethod forget ((kind (eql :function)) name)
  (forget-function name))

(defmethod forget ((kind (eql :generic-function)) name)
  (forget-function name))

(defmethod forget ((kind (eql :macro)) name)
  (forget-function name))

(defmethod forget ((kind (eql :compiler-macro)) name)
  (setf (compiler-macro-function name) nil))

(defmethod forget ((kind (eql :setf-expander)) name)
  (forget-setf-expander name))

(defmethod forget ((kind (eql :type)) name)
  (forget-type name))

(defmethod forget ((kind (eql :method-combination)) name)
  (forget-method-combination name))

(defmethod forget ((kind (eql :package)) name)
  (let ((package (find-package name)))
    (when package
      (dolist (user (package-used-by-list package))
        (unuse-package package user))
      (delete-package package))))

(defmethod forget ((kind (eql :structure)) name)
  (forget-structure name)
  (setf (find-class name) nil))

(defmethod forget ((kind (eql :special)) name)
  (unless (file-definition (list :variable name))
    (forget-variable name)))

(defmethod forget (kind name)
  (ecase (name-space kind)
    (:type (setf (find-class name) nil))
    (:variable (forget-variable name))))

(defmethod bring-back ((kind (eql :function)) name object)
  (reveal-function name object))

(defmethod bring-back ((kind (eql :macro)) name object)
  (setf (macro-function name) object))

(defmethod bring-back ((kind (eql :compiler-macro)) name object)
  (setf (compiler-macro-function name) object))

(defmethod bring-back ((kind (eql :variable)) name object)
  (setf (symbol-value name) object))

(defmethod bring-back ((kind (eql :special)) name object)
  (declare (ignore object))
  (proclaim `(special ,name)))

(defmethod bring-back ((kind (eql :constant)) name object)
  (eval `(defconstant ,name ',object)))

(defmethod bring-back (kind name object)
  "Nothing: what has no object of its own was not taken away."
  (declare (ignore kind name object)))

(defun its-own-p (definition)
  "True when the name still means what the file of DEFINITION has made it mean."
  (let ((present (present (definition-kind definition) (definition-name definition))))
    (and (not (eq present +nothing+))
         (or (eq (definition-kind definition) :variable)
             (eql present (definition-object definition))))))

;;; Methods

(defun same-method (method function)
  "The method of the generic function FUNCTION with the qualifiers and specializers of METHOD, or NIL."
  (and (typep function 'generic-function)
       (ignore-errors
        (find-method function (method-qualifiers method) (mop method-specializers method) nil))))

(defun method-words (method name)
  "METHOD of the function NAME as its definition begins."
  (format nil "~A~{ ~(~S~)~} (~{~A~^ ~})" (name-of name) (method-qualifiers method)
          (mapcar (lambda (specializer)
                    (if (typep specializer 'class)
                        (name-of (class-name specializer))
                        (format nil "(eql ~A)" (short-text (mop eql-specializer-object specializer)))))
                  (mop method-specializers method))))

;;; Words

(defun kind-words (kind)
  (case kind
    (:methods "method")
    (t (substitute #\Space #\- (string-downcase kind)))))

(defun name-of (name)
  "NAME as it is written in code."
  (cond ((stringp name) (string-downcase name))
        ((not (or (symbolp name) (eq (first name) 'setf))) (full-name name))
        ((consp name) (format nil "(setf ~A)" (name-of (second name))))
        ((eq (find-symbol (symbol-name name) "COMMON-LISP") name) (string-downcase (symbol-name name)))
        (t (full-name name))))

;;; Definitions in a record

(defun recorded-name (name)
  "NAME as a list of strings, which can be read where its package is not there; NIL if it has none."
  (cond ((stringp name) name)
        ((symbolp name) (and (symbol-package name) (list (symbol-name name) (package-name (symbol-package name)))))
        ((consp name) (and (recorded-name (second name)) (list* "SETF" (recorded-name (second name)))))))

(defun named-again (recorded)
  "The name that is RECORDED; NIL if there is no such symbol."
  (if (stringp recorded)
      recorded
      (destructuring-bind (name package &optional (setf-package nil setf-p)) recorded
        (if setf-p
            (let ((symbol (named-again (list package setf-package))))
              (and symbol `(setf ,symbol)))
            (and (find-package package) (values (find-symbol name package)))))))

(defun recorded-definitions (notes)
  "The definitions of NOTES as lists of strings and keywords, in their order."
  (loop for definition in (reverse (notes-definitions notes))
        for name = (recorded-name (definition-name definition))
        when name
          collect (list (definition-kind definition) name (recorded-data definition))))

(defun recorded-data (definition)
  (let ((data (definition-data definition)))
    (case (definition-kind definition)
      (:structure (list (first data) (recorded-name (second data))))
      (:package data)
      (t (and data (recorded-name data))))))

(defun data-again (kind recorded)
  (case kind
    (:structure (list (first recorded) (and (second recorded) (named-again (second recorded)))))
    (:package recorded)
    (t (and recorded (named-again recorded)))))
