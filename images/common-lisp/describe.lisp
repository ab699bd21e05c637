;;;; The meanings of a name in the image, and the references to it.
;;;;
;;;; A name is looked up, never read: reading would intern every misspelling. Places of definitions are those that the
;;;; implementation recorded at compile time; the parent checks the file to see whether they are still right.
;;;;
;;;; The implementation defines
;;;;   VARIABLE-KIND TYPE-KIND SETF-EXPANDER-P              the meanings of a symbol
;;;;   DECLARED-TYPE CLASS-FACTS                            more about a function or class
;;;;   DEFINITION-PLACE METHOD-PLACE                        (:FILE namestring :LINE line) as far as they are known
;;;;   GENERIC-FUNCTION-METHODS METHOD-SPECIALIZER-NAMES
;;;;   REFERENCES                                           the references to a name

(in-package "LISPWRIGHT.AGENT")

(defconstant +most-methods+ 200)
(defconstant +most-references+ 2000)

;;; Files

(defvar *file-texts* nil "The texts of the files that were read for the present answer, by their names.")

(defun known-file-text (namestring)
  (or (gethash namestring *file-texts*)
      (setf (gethash namestring *file-texts*) (file-text namestring))))

(defun line-of-form (text offset)
  "The line, from 1, of the form that follows OFFSET in TEXT, after blanks and line comments."
  (let ((start (min offset (length text))))
    (loop for at = (position-if-not #'blank-p text :start start)
          while (and at (char= #\; (char text at)))
          do (setf start (or (position #\Newline text :start at) (length text)))
          finally (return (1+ (count #\Newline text :end (or at (length text))))))))

(defun blank-p (character)
  (member character '(#\Space #\Tab #\Newline #\Return #\Page)))

;;; Names

(defun split-name (text)
  "(symbol-name package-name setf-p) of a name as people write it, such as `foo', `pkg::foo', `|Foo|', `#'foo' or `(setf
foo)'; the package's name is NIL when none is written."
  (let* ((text (string-trim '(#\Space #\Tab #\Newline #\') (string-left-trim "#" (string-trim " " text))))
         (setf-p (and (> (length text) 6)
                      (string-equal "(setf " text :end2 6)
                      (char= #\) (char text (1- (length text))))))
         (token (if setf-p (string-trim " " (subseq text 6 (1- (length text)))) text)))
    (multiple-value-bind (name colon) (unescaped token)
      (if colon
          (list (string-left-trim ":" (subseq name colon))
                (if (zerop colon) "KEYWORD" (subseq name 0 colon))
                setf-p)
          (list name nil setf-p)))))

(defun unescaped (token)
  "The characters of TOKEN by the rules of the standard reader, and the position of the package marker."
  (let ((name (make-string-output-stream))
        (count 0)
        (colon nil)
        (quoted nil)
        (escaped nil))
    (loop for character across token
          do (cond (escaped (setf escaped nil)
                            (incf count)
                            (write-char character name))
                   ((char= character #\\) (setf escaped t))
                   ((char= character #\|) (setf quoted (not quoted)))
                   (t (when (and (char= character #\:) (not quoted) (null colon))
                        (setf colon count))
                      (incf count)
                      (write-char (if quoted character (char-upcase character)) name))))
    (values (get-output-stream-string name) colon)))

(defun meaningful-p (symbol)
  (or (fboundp symbol)
      (ignore-errors (fboundp (list 'setf symbol)))
      (variable-kind symbol)
      (type-kind symbol)
      (setf-expander-p symbol)))

(defun user-package-p (package)
  "True for a package that is not part of the implementation."
  (let ((name (package-name package)))
    (not (or (eq package *package*)
             (string= name "LISPWRIGHT.AGENT")
             (eql 0 (search "SB-" name))
             (eql 0 (search "ASDF/" name))
             (eql 0 (search "UIOP/" name))))))

(defun same-named (name)
  "The symbols called NAME with a meaning whose home is a package of the user, by package."
  (let ((symbols '()))
    (dolist (package (list-all-packages))
      (when (user-package-p package)
        (let ((symbol (find-symbol name package)))
          (when (and symbol (eq (symbol-package symbol) package) (meaningful-p symbol))
            (pushnew symbol symbols)))))
    (sort symbols #'string< :key (lambda (symbol) (package-name (symbol-package symbol))))))

(defun names-near (name package)
  "Names of similar length to NAME with a meaning: of symbols seen in PACKAGE, and of those whose home is another
package of the user."
  (let ((names (make-hash-table :test #'equal))
        (slack (max 1 (floor (length name) 3))))
    (flet ((note (symbol text)
             (when (and (<= (abs (- (length (symbol-name symbol)) (length name))) slack)
                        (meaningful-p symbol))
               (setf (gethash (funcall text symbol) names) t))))
      (do-symbols (symbol package)
        (note symbol (if (eq package *package*) #'symbol-name #'whole-name)))
      (dolist (other (list-all-packages))
        (when (and (user-package-p other) (not (eq other package)))
          (do-symbols (symbol other)
            (when (and (eq (symbol-package symbol) other)
                       (not (eq (find-symbol (symbol-name symbol) package) symbol)))
              (note symbol #'whole-name))))))
    (loop for text being the hash-keys of names collect text)))

(defun call-with-name (text function)
  "The fields that FUNCTION returns for the symbol that TEXT names, and for whether its writer is meant; or a refusal. A
name without a package is searched in the current one, then in all others."
  (destructuring-bind (name package-name setf-p) (split-name text)
    (let ((package (if package-name (find-package package-name) *package*)))
      (if (null package)
          (list :outcome :refused :no-package package-name :packages (known-packages))
          (let* ((symbol (find-symbol name package))
                 (others (if (and symbol (meaningful-p symbol)) '() (same-named name))))
            (cond ((null others)
                   (if (or (and symbol (meaningful-p symbol)) (find-package name))
                       (funcall function (or symbol (make-symbol name)) setf-p)
                       (list :outcome :refused :no-name text
                             :names (names-near name package)
                             :in (package-name package))))
                  ((and (null package-name) (null (rest others)))
                   (funcall function (first others) setf-p))
                  (t (list :outcome :refused :no-name text
                           :elsewhere (mapcar #'whole-name others)
                           :in (package-name package)))))))))

(defun whole-name (symbol)
  "SYMBOL as it is written in a package that uses no other."
  (let ((*package* (load-time-value (find-package "KEYWORD"))))
    (if (symbol-package symbol)
        (short-text symbol)
        (symbol-name symbol))))

;;; Meanings

(defun source-text (object package limit)
  "The printed form of OBJECT in PACKAGE."
  (let ((*package* (or package *package*)))
    (first (value-text object limit :case :downcase :gensym nil))))

(defun name-text (name package)
  "The printed form of NAME in PACKAGE, on one line."
  (handler-case
      (let ((*package* (or package *package*)))
        (call-with-fixed-printer
         (lambda ()
           (let ((*print-pretty* nil))
             (values (bounded-text 300 (lambda (stream) (prin1 name stream))))))
         :case :downcase))
    (serious-condition () "a name that does not print")))

(defun documentation-text (object type limit)
  (let ((text (ignore-errors (documentation object type))))
    (and (stringp text) (subseq text 0 (min (length text) limit)))))

(defun lambda-list-text (function package)
  "The parameters of FUNCTION; names of the implementation's are written without its packages."
  (handler-case
      (let ((list (function-lambda-list function)))
        (cond ((null list) "()")
              ((circular-p list) nil)
              (t (source-text (sublis (own-symbols list) list) package 2000))))
    (serious-condition () nil)))

(defun own-symbols (tree)
  "((symbol . uninterned) ...) for the symbols of the implementation in TREE."
  (let ((agenda (list tree))
        (found '()))
    (loop while agenda
          do (let ((part (pop agenda)))
               (cond ((consp part) (push (cdr part) agenda) (push (car part) agenda))
                     ((and part (symbolp part) (implementation-symbol-p part) (not (assoc part found)))
                      (push (cons part (make-symbol (symbol-name part))) found)))))
    found))

(defun fact (name text)
  (and text (list (list name text))))

(defun function-meanings (name package limit)
  "The meanings of NAME, a symbol or (SETF symbol), as an operator: one, and one for each method."
  (when (fboundp name)
    (let* ((function (or (and (symbolp name) (macro-function name)) (fdefinition name)))
           (macro-p (and (symbolp name) (macro-function name) t))
           (special-p (and (symbolp name) (special-operator-p name)))
           (generic-p (and (not macro-p) (not special-p) (typep function 'generic-function)))
           (type (cond (special-p "special operator") (macro-p "macro") (generic-p "generic function") (t "function")))
           (methods (and generic-p (generic-function-methods function)))
           (shown (if (and generic-p (implementation-name-p name)) (remove-if #'own-method-p methods) methods)))
      (cons (list* :type type
                   :name (name-text name package)
                   :arglist (lambda-list-text function package)
                   :documentation (documentation-text name 'function limit)
                   :facts (cond (generic-p
                                 (fact "methods" (if (= (length shown) (length methods))
                                                     (format nil "~D" (length methods))
                                                     (format nil "~D, ~D of them the implementation's own"
                                                             (length methods) (- (length methods) (length shown))))))
                                ((not (or macro-p special-p))
                                 (fact "type" (declared-type name package))))
                   (definition-place name (cond (macro-p :macro) (generic-p :generic-function) (t :function))))
            (method-meanings name shown package limit)))))

(defun implementation-name-p (name)
  "True when the function NAME comes with the language or the implementation."
  (let ((symbol (if (consp name) (second name) name)))
    (or (eq (symbol-package symbol) (load-time-value (find-package "COMMON-LISP")))
        (implementation-symbol-p symbol))))

(defun method-meanings (name methods package limit)
  "A meaning for each of METHODS, in the order of their places."
  (let ((meanings (loop for method in methods
                        repeat +most-methods+
                        collect (list* :type "method"
                                       :name (method-text name method package)
                                       :documentation (documentation-text method t limit)
                                       (method-place method)))))
    (stable-sort meanings #'place-before-p)))

(defun place-before-p (one other)
  "True when the place in the property list ONE precedes that in OTHER: by file, line and list; missing ones come last."
  (destructuring-bind (&key file (line 0) (form-number 0) &allow-other-keys) one
    (destructuring-bind (&key ((:file other-file)) ((:line other-line) 0) ((:form-number other-number) 0)
                         &allow-other-keys)
        other
      (cond ((not (equal file other-file))
             (and file (or (null other-file) (string< file other-file)) t))
            ((/= line other-line) (< line other-line))
            (t (< form-number other-number))))))

(defun own-method-p (method)
  "True when METHOD is for classes of the implementation only, if it has any."
  (and (null (method-place method))
       (every (lambda (name)
                (let ((symbol (if (consp name) (second name) name)))
                  (and (symbolp symbol)
                       (or (null (symbol-package symbol))
                           (eq (symbol-package symbol) (load-time-value (find-package "COMMON-LISP")))
                           (not (user-package-p (symbol-package symbol)))))))
              (method-specializer-names method))))

(defun method-text (name method package)
  "The name of METHOD of NAME, such as `area :around (circle)'."
  (format nil "~A~{ ~A~} ~:[()~;~:*~A~]"
          (name-text name package)
          (mapcar (lambda (qualifier) (name-text qualifier package)) (method-qualifiers method))
          (let ((specializers (method-specializer-names method)))
            (and specializers (name-text specializers package)))))

(defun variable-meanings (symbol package limit)
  (let ((kind (variable-kind symbol)))
    (when kind
      (list (list* :type (ecase kind
                           (:special "special variable") (:constant "constant") (:global "global variable")
                           (:symbol-macro "symbol macro") (:unknown "variable"))
                   :name (name-text symbol package)
                   :documentation (documentation-text symbol 'variable limit)
                   :facts (if (eq kind :symbol-macro)
                              (fact "expansion" (source-text (macroexpand-1 symbol) package 300))
                              (fact "value" (if (boundp symbol) (short-text (symbol-value symbol)) "unbound")))
                   (definition-place symbol kind))))))

(defun type-meanings (symbol package limit)
  (let ((kind (type-kind symbol)))
    (when kind
      (list (list* :type (ecase kind
                           (:class "class") (:structure "structure") (:condition "condition")
                           (:built-in "built-in class") (:type "type"))
                   :name (name-text symbol package)
                   :documentation (or (documentation-text symbol 'type limit)
                                      (and (find-class symbol nil) (documentation-text (find-class symbol) t limit)))
                   :facts (and (find-class symbol nil) (class-facts (find-class symbol) package))
                   (definition-place symbol kind))))))

(defun further-meanings (symbol package limit)
  "The meanings of SYMBOL other than functions, variables and types."
  (append (and (compiler-macro-function symbol)
               (list (list* :type "compiler macro" :name (name-text symbol package)
                            :documentation (documentation-text symbol 'compiler-macro limit)
                            (definition-place symbol :compiler-macro))))
          (and (setf-expander-p symbol)
               (list (list* :type "setf expander" :name (name-text (list 'setf symbol) package)
                            :documentation (documentation-text symbol 'setf limit)
                            (definition-place symbol :setf-expander))))
          (let ((named (find-package (symbol-name symbol))))
            (and named (list (package-meaning named limit))))))

(defun package-meaning (package limit)
  (list :type "package"
        :name (package-name package)
        :documentation (documentation-text package t limit)
        :facts (append (fact "exports" (let ((count 0))
                                         (do-external-symbols (symbol package (format nil "~D symbols" count))
                                           (declare (ignorable symbol))
                                           (incf count))))
                       (and (package-nicknames package)
                            (fact "nicknames" (format nil "~{~A~^ ~}" (package-nicknames package))))
                       (fact "uses" (format nil "~:[nothing~;~:*~{~A~^ ~}~]"
                                            (mapcar #'package-name (package-use-list package)))))))

(defun all-meanings (symbol package limit)
  (append (function-meanings symbol package limit)
          (ignore-errors (function-meanings (list 'setf symbol) package limit))
          (variable-meanings symbol package limit)
          (type-meanings symbol package limit)
          (further-meanings symbol package limit)))

(defun describe-symbol (symbol setf-p limit)
  "The meanings of SYMBOL, or only those as a place when SETF-P."
  (let ((*boundary* t)
        (*file-texts* (make-hash-table :test #'equal))
        (package (symbol-package symbol)))
    (list :outcome :described
          :name (if setf-p (format nil "(SETF ~A)" (whole-name symbol)) (whole-name symbol))
          :home (and package (package-name package))
          :exported (and package (eq :external (nth-value 1 (find-symbol (symbol-name symbol) package))))
          :meanings (remove-if #'null
                               (if setf-p
                                   (ignore-errors (function-meanings (list 'setf symbol) package limit))
                                   (all-meanings symbol package limit))))))

(defun answer-describe (&rest arguments &key name (limit 4000) &allow-other-keys)
  "Describes the meanings of NAME; returns the fields of the answer."
  (check-type name string)
  (apply #'call-evaluating
         (lambda (evaluation)
           (setf (evaluation-phase evaluation) :print)
           (call-with-name name (lambda (symbol setf-p) (describe-symbol symbol setf-p limit))))
         arguments))

;;; Exports

(defun export-meanings (symbol package limit)
  "The meanings of SYMBOL, an export of PACKAGE, without methods, with its home if that is another package."
  (let* ((home (symbol-package symbol))
         (from (and home (not (eq home package)) (fact "from" (package-name home)))))
    (or (loop for (nil type . facts) in (all-meanings symbol home limit)
              unless (member type '("method" "package") :test #'string=)
                collect (list* :type type :facts from facts))
        (list (list :type "symbol" :name (name-text symbol home) :facts from)))))

(defun find-exports (package offset count limit)
  (let ((*boundary* t)
        (*file-texts* (make-hash-table :test #'equal))
        (symbols '()))
    (do-external-symbols (symbol package)
      (push symbol symbols))
    (setf symbols (sort symbols #'string<))
    (list :outcome :exports
          :name (package-name package)
          :total (length symbols)
          :exports (loop for symbol in (nthcdr offset symbols)
                         repeat count
                         append (export-meanings symbol package limit)))))

(defun answer-exports (&rest arguments &key name (offset 0) (count 100) (limit 200) &allow-other-keys)
  "Lists the exports of the package NAME; returns the fields of the answer."
  (check-type name string)
  (apply #'call-evaluating
         (lambda (evaluation)
           (setf (evaluation-phase evaluation) :print)
           (let ((package (or (package-named name)
                              (find-package (first (split-name (string-left-trim ":" (string-left-trim "#" name))))))))
             (if package
                 (find-exports package offset count limit)
                 (list :outcome :refused :no-package name :packages (known-packages)))))
         arguments))

;;; References

(defun find-references (symbol setf-p)
  "The references to SYMBOL, or to its meaning as a place when SETF-P."
  (let* ((*boundary* t)
         (*file-texts* (make-hash-table :test #'equal))
         (package (symbol-package symbol)))
    (multiple-value-bind (references own) (references (if setf-p (list 'setf symbol) symbol))
      (list :outcome :references
            :name (if setf-p (format nil "(SETF ~A)" (whole-name symbol)) (whole-name symbol))
            :home (and package (package-name package))
            :total (length references)
            :implementation own
            :references (loop for (kind name . place) in references
                              repeat +most-references+
                              collect (list* :kind kind :name (name-text name package) place))))))

(defun answer-references (&rest arguments &key name &allow-other-keys)
  "Lists the references to NAME; returns the fields of the answer."
  (check-type name string)
  (apply #'call-evaluating
         (lambda (evaluation)
           (setf (evaluation-phase evaluation) :print)
           (call-with-name name #'find-references))
         arguments))
