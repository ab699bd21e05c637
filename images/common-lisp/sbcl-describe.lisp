;;;; SBCL's knowledge of names: kinds, places of definitions, and references.

(in-package "LISPWRIGHT.AGENT")

;;; Kinds

(defun variable-kind (symbol)
  "The kind of the variable SYMBOL, or NIL when it is none."
  (let ((kind (sb-int:info :variable :kind symbol)))
    (cond ((keywordp symbol) nil)
          ((eq kind :macro) :symbol-macro)
          ((member kind '(:special :constant :global)) kind)
          ((boundp symbol) :unknown))))

(defun type-kind (symbol)
  "The kind of the type SYMBOL, or NIL when it names none."
  (let ((class (find-class symbol nil)))
    (typecase class
      (null (and (ignore-errors (sb-int:info :type :expander symbol)) :type))
      (structure-class :structure)
      (sb-pcl::condition-class :condition)
      (built-in-class :built-in)
      (t :class))))

(defun setf-expander-p (symbol)
  "True when DEFSETF or DEFINE-SETF-EXPANDER has defined SYMBOL as a place."
  (and (ignore-errors (sb-int:info :setf :expander symbol)) t))

(defun declared-type (name package)
  "The arguments and values of the function NAME that SBCL knows or has derived."
  (let ((type (ignore-errors (sb-introspect:function-type name))))
    (and (consp type) (source-text type package 400))))

(defun generic-function-methods (function)
  (sb-mop:generic-function-methods function))

(defun method-specializer-names (method)
  (loop for specializer in (sb-mop:method-specializers method)
        collect (if (typep specializer 'sb-mop:eql-specializer)
                    (list 'eql (sb-mop:eql-specializer-object specializer))
                    (class-name specializer))))

(defun class-facts (class package)
  (flet ((names (classes)
           (and classes (source-text (mapcar #'class-name classes) package 500))))
    (append (fact "superclasses" (names (remove-if #'trivial-class-p (sb-mop:class-direct-superclasses class))))
            (fact "slots" (let ((slots (ignore-errors (direct-slot-texts class package))))
                            (and slots (format nil "~{~A~^, ~}" slots))))
            (fact "subclasses" (names (sb-mop:class-direct-subclasses class))))))

(defun trivial-class-p (class)
  (member (class-name class) '(standard-object structure-object t)))

(defun direct-slot-texts (class package)
  "The slots that CLASS itself adds, with the functions that make and read them."
  (loop for slot in (sb-mop:class-direct-slots class)
        repeat 40
        collect (format nil "~A~@[ ~{~A~^ ~}~]"
                        (source-text (sb-mop:slot-definition-name slot) package 100)
                        (and (not (typep class 'structure-class))
                             (loop for initarg in (sb-mop:slot-definition-initargs slot)
                                   collect (source-text initarg package 100))))))

;;; Places

(defun source-place (source)
  "(:FILE namestring :LINE line) of a definition that SBCL found."
  (let ((path (and source (sb-introspect:definition-source-pathname source))))
    (when (and path (not (typep path 'logical-pathname)))
      (let ((namestring (source-namestring path)))
        (unless (eql 0 (search "SYS:" namestring))
          (let ((line (ignore-errors (source-line source namestring))))
            (list* :file namestring (and line (list :line line)))))))))

(defun source-namestring (path)
  (sb-ext:native-namestring (or (ignore-errors (truename path)) path)))

(defun source-line (source namestring)
  "The line of the top-level form of SOURCE. SBCL records the number of that form for every definition."
  (let ((offset (or (sb-introspect:definition-source-character-offset source)
                    (let ((number (first (sb-introspect:definition-source-form-path source))))
                      (and number (top-level-offset namestring number))))))
    (and offset (line-of-form (known-file-text namestring) offset))))

(defun definition-place (name kind)
  "The place of the definition of that KIND of NAME."
  (let ((types (ecase kind
                 ((:function :generic-function :macro :constant :symbol-macro :compiler-macro :setf-expander
                   :class :structure :condition :type)
                  (list kind))
                 ((:special :global :unknown) '(:variable))
                 (:built-in '()))))
    (loop for type in types
          for sources = (ignore-errors (sb-introspect:find-definition-sources-by-name name type))
          when sources
            return (source-place (first sources)))))

(defun method-place (method)
  (source-place (ignore-errors (sb-introspect:find-definition-source method))))

;;; References

(defun references (name)
  "((kind referrer . place) ...) of what refers to NAME, a symbol or (SETF symbol), by files and lines; second value: how
many references of SBCL's own are left out."
  (let ((references '())
        (own 0))
    (loop for (kind finder) in '(("call" sb-introspect:who-calls)
                                 ("macroexpansion" sb-introspect:who-macroexpands)
                                 ("reference" sb-introspect:who-references)
                                 ("assignment" sb-introspect:who-sets)
                                 ("binding" sb-introspect:who-binds)
                                 ("specialization" sb-introspect:who-specializes-directly))
          do (loop for (referrer . source) in (ignore-errors (funcall finder name))
                   do (if (own-reference-p referrer source)
                          (incf own)
                          (push (list* kind (referrer-name referrer) (reference-place source)) references))))
    (values (stable-sort (nreverse references) #'place-before-p :key #'cddr) own)))

(defun own-reference-p (referrer source)
  "True when REFERRER, which is defined in SOURCE, belongs to SBCL itself or to this agent."
  (let ((path (sb-introspect:definition-source-pathname source)))
    (if path
        (or (typep path 'logical-pathname)
            (eql 0 (search "SYS:" (namestring path))))
        (implementation-symbol-p (home-symbol (if (consp (referrer-name referrer))
                                                  (first (referrer-name referrer))
                                                  referrer))))))

(defun reference-place (source)
  "The place of the definition, and the number of its list, from 0 in the order of their beginnings, that contains the
reference."
  (let ((place (source-place source))
        (number (sb-introspect:definition-source-form-number source)))
    (append place (and place number (list :form-number number)))))

(defun referrer-name (name)
  "The name of a referrer in the form of its definition."
  (if (and (consp name) (member (first name) '(sb-pcl::fast-method sb-pcl::slow-method method)))
      (rest name)
      name))
