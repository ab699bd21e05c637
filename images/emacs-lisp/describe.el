;;; describe.el --- meanings of names, and references to them  -*- lexical-binding: t; -*-

;; images/README.md describes the messages.  Nothing is loaded in order to be described.

(defun lispwright--arglist (function)
  "The parameters of FUNCTION as text, or nil when they are not known."
  (let ((arguments (help-function-arglist function t)))
    (cond ((stringp arguments) nil)
          (arguments (format "%s" arguments))
          (t "()"))))

(defun lispwright--documentation (text limit)
  "TEXT, a documentation string, without the list of parameters at its end, in at most LIMIT characters; nil for nil."
  (and (stringp text)
       (let ((text (replace-regexp-in-string "\n\n(fn\\(?: .*\\)?)\\'" "" text)))
         (unless (equal text "")
           (lispwright--cut (substitute-command-keys text) limit)))))

(defun lispwright--meaning (type name kind &rest more)
  "The meaning of the symbol NAME as a TYPE, which is defined as KIND; with the properties MORE."
  (let ((place (and kind (lispwright--find-place name kind))))
    (append (list :type type :name (symbol-name name))
            (and place (list :file (car place) :line (cdr place)))
            more)))

(defun lispwright--function-type (name)
  "The word for the kind of function that NAME is."
  (let ((definition (symbol-function name)))
    (cond ((autoloadp definition) (if (memq (nth 4 definition) '(macro t)) "autoloaded macro" "autoloaded function"))
          ((special-form-p name) "special form")
          ((macrop name) "macro")
          ((and (fboundp 'cl-generic-p) (cl-generic-p name)) "generic function")
          ((subrp (indirect-function name)) "primitive function")
          ((commandp name) "command")
          (t "function"))))

(defun lispwright--function-meaning (name limit)
  "The meaning of NAME as a function, with LIMIT characters of its documentation."
  (let* ((definition (symbol-function name))
         (facts (append (and (autoloadp definition) (list (list "loaded from" (nth 1 definition))))
                        (and (symbolp definition) (list (list "alias of" (symbol-name definition))))
                        (and (get name 'byte-obsolete-info)
                             (list (list "obsolete" (format "use %s" (car (get name 'byte-obsolete-info))))))
                        (and (subrp (indirect-function name)) (not (lispwright--find-place name 'defun))
                             '(("source" "C")))
                        (and (advice--p (advice--symbol-function name)) '(("advised" "yes"))))))
    (lispwright--meaning (lispwright--function-type name) name 'defun
                         :arglist (lispwright--arglist name)
                         :documentation (lispwright--documentation (condition-case nil (documentation name t) (error nil))
                                                                   limit)
                         :facts facts)))

(defun lispwright--method-meanings (name limit)
  "The meanings of NAME as a generic function, one for each of its methods, with LIMIT characters of documentation."
  (and (fboundp 'cl-generic-p) (cl-generic-p name)
       (mapcar (lambda (method)
                 (let* ((specializers (cl--generic-method-specializers method))
                        (place (cons name (cons (cl--generic-method-qualifiers method) specializers)))
                        (file (lispwright--source-of (symbol-file place 'cl-defmethod))))
                   (list :type "method" :name (format "%s %s" name specializers)
                         :documentation (lispwright--documentation
                                         (condition-case nil (documentation (cl--generic-method-function method) t) (error nil))
                                         limit)
                         :file file)))
               (cl--generic-method-table (cl--generic name)))))

(defun lispwright--variable-meaning (name limit)
  "The meaning of NAME as a variable, with LIMIT characters of its documentation."
  (lispwright--meaning (if (custom-variable-p name) "user option" "variable") name 'defvar
                       :documentation (lispwright--documentation (documentation-property name 'variable-documentation t) limit)
                       :facts (append (list (list "value" (if (boundp name)
                                                              (lispwright--short-text (symbol-value name))
                                                            "none")))
                                      (and (local-variable-if-set-p name) '(("buffer-local" "when set")))
                                      (and (get name 'custom-type)
                                           (list (list "customized as" (lispwright--short-text (get name 'custom-type))))))))

(defun lispwright--type-meaning (name limit)
  "The meaning of NAME as a structure or class, with LIMIT characters of its documentation."
  (let ((class (get name 'cl--class)))
    (lispwright--meaning (if (and (fboundp 'eieio--class-p) (eieio--class-p class)) "class" "structure")
                         name 'define-type
                         :documentation (lispwright--documentation (cl--class-docstring class) limit)
                         :facts (list (list "slots" (mapconcat (lambda (slot) (format "%s" (cl--slot-descriptor-name slot)))
                                                               (append (cl--class-slots class) nil) " "))))))

(defun lispwright--meanings (name limit)
  "All meanings of the symbol NAME, with LIMIT characters of each documentation."
  (append (and (fboundp name) (list (lispwright--function-meaning name limit)))
          (and (fboundp name) (lispwright--method-meanings name limit))
          (and (or (boundp name) (special-variable-p name)) (not (keywordp name)) (not (memq name '(nil t)))
               (list (lispwright--variable-meaning name limit)))
          (and (get name 'cl--class) (recordp (get name 'cl--class)) (list (lispwright--type-meaning name limit)))
          (and (facep name)
               (list (lispwright--meaning "face" name 'defface
                                          :documentation (lispwright--documentation (face-documentation name) limit))))
          (and (get name 'ert--test)
               (list (lispwright--meaning "ERT test" name 'ert-deftest)))
          (and (featurep name)
               (list (list :type "feature" :name (symbol-name name)
                           :file (lispwright--source-of (car (lispwright--feature-history name))))))))

(defun lispwright--feature-history (feature)
  "The entry of `load-history' for the file that provides FEATURE."
  (lispwright--find-if (lambda (entry) (member (cons 'provide feature) (cdr entry))) load-history))

(defun lispwright--known (text)
  "The symbol called TEXT, if it has a meaning."
  (let ((symbol (intern-soft (string-trim text "[ '#]+" "[ ]+"))))
    (and symbol
         (or (fboundp symbol) (boundp symbol) (special-variable-p symbol) (facep symbol) (featurep symbol)
             (get symbol 'cl--class) (get symbol 'ert--test))
         symbol)))

(defun lispwright--names-near (text)
  "Names of similar length that begin or end like TEXT."
  (let ((names nil)
        (beginning (lispwright--cut text 3))
        (end (substring text (max 0 (- (length text) 3)))))
    (mapatoms (lambda (symbol)
                (let ((name (symbol-name symbol)))
                  (when (and (<= (abs (- (length name) (length text))) (max 1 (/ (length text) 3)))
                             (or (string-prefix-p beginning name) (string-suffix-p end name))
                             (or (fboundp symbol) (boundp symbol)))
                    (push name names)))))
    (lispwright--first 2000 names)))

(defun lispwright--with-name (request function)
  "The answer of FUNCTION for the symbol that REQUEST names."
  (let* ((text (lispwright--argument request :NAME))
         (symbol (lispwright--known text)))
    (if symbol
        (funcall function symbol)
      (list :outcome :refused :no-name text :in "Emacs" :names (lispwright--names-near text)))))

(defun lispwright--answer-describe (request)
  "Describe the meanings of the name in REQUEST."
  (lispwright--with-name
   request
   (lambda (name)
     (list :outcome :described :name (symbol-name name)
           :meanings (lispwright--meanings name (or (lispwright--argument request :LIMIT) 1000))))))

;;; References to a name

(defconst lispwright--most-references 2000 "The number of references that are sent.")

(defun lispwright--references-in (form name)
  "The references of FORM to the symbol NAME: their kinds, in their order."
  (let ((agenda (list form)) (kinds nil))
    (while agenda
      (let ((part (pop agenda)))
        (cond ((vectorp part) (setq agenda (append part agenda)))
              ((not (consp part)))
              ((and (memq (car part) '(quote function)) (consp (cdr part)))
               (cond ((eq (cadr part) name) (push "reference" kinds))
                     ((eq (car-safe (cadr part)) 'lambda) (push (cadr part) agenda))))
              (t
               (when (eq (car part) name)
                 (push (if (macrop name) "macroexpansion" "call") kinds))
               (when (and (memq (car part) '(setq setq-default setq-local)) (memq name (cdr part)))
                 (push "assignment" kinds))
               (let ((rest (if (symbolp (car part)) (cdr part) part)) (parts nil))
                 (while (consp rest)
                   (let ((inner (pop rest)))
                     (cond ((consp inner) (push inner parts))
                           ((vectorp inner) (push inner parts))
                           ((and (eq inner name) (not (fboundp name))
                                 (not (memq (car part) '(setq setq-default setq-local defvar defconst defcustom))))
                            (push "reference" kinds)))))
                 (setq agenda (append (nreverse parts) agenda)))))))
    (nreverse kinds)))

(defun lispwright--answer-references (request)
  "List the references to the name in REQUEST, in the source files that this image has read."
  (lispwright--with-name
   request
   (lambda (name)
     (let ((references nil))
       (dolist (source lispwright--sources)
         (dolist (entry (cdr source))
           (dolist (kind (lispwright--references-in (nth 0 entry) name))
             (push (list :kind kind :name (or (nth 2 entry) "a form") :file (car source) :line (nth 1 entry)) references))))
       (list :outcome :references :name (symbol-name name) :total (length references)
             :references (lispwright--first lispwright--most-references references)
             :not-noted (lispwright--files-not-read))))))

(defun lispwright--files-not-read ()
  "The compiled files that are loaded and do not come with Emacs."
  (let ((own (expand-file-name "../.." data-directory)))
    (lispwright--keep-if (lambda (file) (and (string-suffix-p ".elc" file) (not (string-prefix-p own file))))
                         (delq nil (mapcar #'car load-history)))))

;;; Exports of a feature

(defun lispwright--answer-exports (request)
  "List the definitions of the feature that REQUEST names that are for others: names without two hyphens."
  (let* ((text (lispwright--argument request :NAME))
         (feature (intern-soft text))
         (entry (and feature (featurep feature) (lispwright--feature-history feature))))
    (if (not entry)
        (list :outcome :refused :no-package text :packages (mapcar #'symbol-name features))
      (let* ((names (sort (lispwright--offered (cdr entry)) #'string<))
             (shown (lispwright--first (lispwright--argument request :COUNT)
                                       (nthcdr (lispwright--argument request :OFFSET) names))))
        (list :outcome :exports :name text :file (lispwright--source-of (car entry)) :total (length names)
              :exports (apply #'append (mapcar (lambda (name) (lispwright--meanings name 200)) shown)))))))

(defun lispwright--offered (definitions)
  "The names for others among DEFINITIONS, the entries of `load-history' for a file."
  (let ((names nil))
    (dolist (definition definitions)
      (let ((name (cond ((symbolp definition) definition)
                        ((memq (car-safe definition) '(defun defface define-type)) (cdr definition)))))
        (when (and name (symbolp name) (not (string-match-p "--" (symbol-name name))))
          (push name names))))
    (delete-dups names)))
