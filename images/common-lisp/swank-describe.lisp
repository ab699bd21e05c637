;;;; The knowledge of a Swank or Slynk server about names: kinds, places of definitions, and references.

(in-package "LISPWRIGHT.AGENT")

;;; Kinds

(defun known-meanings (symbol)
  "(:VARIABLE ... :FUNCTION ... :SETF ...), as far as the server knows SYMBOL to mean something."
  (and (provides-p "DESCRIBE-SYMBOL-FOR-EMACS")
       (ignore-errors (call "DESCRIBE-SYMBOL-FOR-EMACS" symbol))))

(defun variable-kind (symbol)
  "The kind of the variable SYMBOL, or NIL when it is none."
  (cond ((keywordp symbol) nil)
        ((nth-value 1 (macroexpand-1 symbol)) :symbol-macro)
        ((constantp symbol) :constant)
        ((boundp symbol) :special)
        ((getf (known-meanings symbol) :variable) :unknown)))

(defun type-kind (symbol)
  "The kind of the type SYMBOL, or NIL when it names none."
  (let ((class (find-class symbol nil)))
    (typecase class
      (null (and (getf (known-meanings symbol) :type) :type))
      (structure-class :structure)
      (built-in-class :built-in)
      (t (if (subtypep symbol 'condition) :condition :class)))))

(defun setf-expander-p (symbol)
  "True when DEFSETF or DEFINE-SETF-EXPANDER has defined SYMBOL as a place."
  (let ((known (known-meanings symbol)))
    (and (getf known :setf)
         (not (fboundp (list 'setf symbol))))))

(defun declared-type (name package)
  "Nothing: not every implementation knows the arguments and values of the function NAME."
  (declare (ignore name package))
  nil)

(defun generic-function-methods (function)
  (call "GENERIC-FUNCTION-METHODS" function))

(defun method-specializer-names (method)
  (loop with eql-specializer = (server-symbol "EQL-SPECIALIZER")
        for specializer in (call "METHOD-SPECIALIZERS" method)
        collect (if (and eql-specializer (typep specializer eql-specializer))
                    (list 'eql (call "EQL-SPECIALIZER-OBJECT" specializer))
                    (class-name specializer))))

(defun class-facts (class package)
  (flet ((names (reader)
           (let ((classes (remove-if #'trivial-class-p (ignore-errors (call reader class)))))
             (and classes (source-text (mapcar #'class-name classes) package 500)))))
    (append (fact "superclasses" (names "CLASS-DIRECT-SUPERCLASSES"))
            (fact "slots" (let ((slots (ignore-errors (call "CLASS-DIRECT-SLOTS" class))))
                            (and slots
                                 (format nil "~{~A~^, ~}"
                                         (loop for slot in slots
                                               repeat 40
                                               collect (source-text (call "SLOT-DEFINITION-NAME" slot) package 100))))))
            (fact "subclasses" (names "CLASS-DIRECT-SUBCLASSES")))))

(defun trivial-class-p (class)
  (member (class-name class) '(standard-object structure-object t)))

;;; Places

(defparameter *definers*
  '((:function "DEFUN") (:generic-function "DEFGENERIC") (:macro "DEFMACRO") (:constant "DEFCONSTANT")
    (:symbol-macro "DEFINE-SYMBOL-MACRO") (:compiler-macro "DEFINE-COMPILER-MACRO")
    (:setf-expander "DEFINE-SETF-EXPANDER" "DEFSETF") (:class "DEFCLASS") (:structure "DEFSTRUCT" "DEFCLASS")
    (:condition "DEFINE-CONDITION" "DEFCLASS") (:type "DEFTYPE")
    (:special "DEFVAR" "DEFPARAMETER") (:global "DEFVAR") (:unknown "DEFVAR"))
  "The words of servers for definitions of each kind.")

(defun definition-place (name kind)
  "The place of the definition of that KIND of NAME."
  (loop for (what location) in (ignore-errors (call "FIND-DEFINITIONS" name))
        for definer = (if (consp what) (first what) what)
        when (and (symbolp definer)
                  (member (symbol-name definer) (rest (assoc kind *definers*)) :test #'string=))
          return (ignore-errors (location-fields location))))

(defun method-place (method)
  (ignore-errors (location-fields (call "FIND-SOURCE-LOCATION" method))))

(defun file-text (path)
  (with-open-file (stream path)
    (let* ((text (make-string (file-length stream)))
           (end (read-sequence text stream)))
      (subseq text 0 end))))

;;; References

(defun references (name)
  "((kind referrer . place) ...) of what refers to NAME, a symbol or (SETF symbol), by files and lines; second value: how
many references of the implementation's own are left out."
  (let ((references '())
        (own 0))
    (loop for (kind finder) in '(("call" "WHO-CALLS")
                                 ("macroexpansion" "WHO-MACROEXPANDS")
                                 ("reference" "WHO-REFERENCES")
                                 ("assignment" "WHO-SETS")
                                 ("binding" "WHO-BINDS")
                                 ("specialization" "WHO-SPECIALIZES"))
          for found = (and (provides-p finder) (ignore-errors (call finder name)))
          do (loop for (referrer location) in (and (listp found) found)
                   for place = (ignore-errors (location-fields location))
                   do (if (and (null place) (own-referrer-p referrer))
                          (incf own)
                          (push (list* kind (referrer-name referrer) place) references))))
    (values (stable-sort (nreverse references) #'place-before-p :key #'cddr) own)))

(defun own-referrer-p (referrer)
  "True when REFERRER belongs to the implementation, to the server or to this agent."
  (let ((name (referrer-name referrer)))
    (loop while (consp name)
          do (setf name (if (eq (first name) 'setf) (second name) (first name))))
    (implementation-symbol-p name)))

(defun referrer-name (referrer)
  "The name of a referrer in the form of its definition: without the word that the server puts before it."
  (if (and (consp referrer)
           (symbolp (first referrer))
           (or (eql 0 (search "DEF" (symbol-name (first referrer))))
               (member (symbol-name (first referrer)) '("METHOD" "FAST-METHOD" "SLOW-METHOD") :test #'string=)))
      (if (rest (rest referrer)) (rest referrer) (second referrer))
      referrer))
