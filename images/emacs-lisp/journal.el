;;; journal.el --- what files change in the image while they are loaded  -*- lexical-binding: t; -*-

;; A file does more than `load-history' says: it adds to hooks and lists, advises functions, sets variables and properties.
;; So the symbols that are written in a file are looked at before it is loaded and afterwards.  What has changed is the
;; file's own, unless a file that was loaded in between has done it.  With the entries of `load-history' for names that macros
;; make, these are its changes, each a list:
;;
;;   (function SYMBOL BEFORE AFTER)            its definition without advice, nil for none
;;   (variable SYMBOL BEFORE AFTER)            the value of a variable that the file defines
;;   (value SYMBOL BEFORE AFTER)               the value of another variable
;;   (property SYMBOL PROPERTY BEFORE AFTER)
;;   (advice SYMBOL FUNCTION HOW PROPERTIES)
;;   (method SYMBOL METHOD)                    a method of a generic function
;;   (generic SYMBOL)                          its first method made the generic function, which nobody declares
;;   (type SYMBOL CLASS)                       a structure or class
;;   (face SYMBOL SPEC)                        `defface' does nothing where there is a SPEC
;;   (feature SYMBOL)

(defvar lispwright--journal (make-hash-table :test #'equal) "The changes of each loaded file.")

(defconst lispwright--void (make-symbol "void") "Stands for no value.")

(defconst lispwright--most-nodes 200000 "The number of conses of a file that are searched for symbols.")

(defconst lispwright--own-variables '(features load-history current-load-list load-in-progress obarray)
  "Variables that every load changes.")

(defconst lispwright--properties-apart
  '(advice--pending advice--saved-rewrite defalias-fset-function function-history autoload cl--generic cl--class face)
  "Properties that are no changes of their own.")

;;; The state of a symbol

(defun lispwright--definition (symbol)
  "The definition of SYMBOL as a function without its advice, or nil.  That of a generic function is its record."
  (let* ((definition (symbol-function symbol))
         (macro (eq (car-safe definition) 'macro))
         (body (if macro (cdr definition) definition)))
    (cond ((not definition) nil)
          ((recordp (get symbol 'cl--generic)) (get symbol 'cl--generic))
          ((not (advice--p body)) definition)
          ((not (advice--cd*r body)) nil)
          (macro (cons 'macro (advice--cd*r body)))
          (t (advice--cd*r body)))))

(defun lispwright--same-definition-p (one other)
  "Non-nil when ONE and OTHER are the same definition of a function."
  (or (eq one other)
      (and (eq (car-safe one) 'macro) (eq (car-safe other) 'macro) (eq (cdr one) (cdr other)))))

(defun lispwright--define (symbol definition)
  "Make DEFINITION that of SYMBOL, and leave its advice."
  (let ((generic (and (recordp definition) (eq (type-of definition) 'cl--generic) definition)))
    (when (or generic (recordp (get symbol 'cl--generic)))
      (put symbol 'cl--generic generic))
    (if generic
        (lispwright--refresh-generic generic)
      (funcall (or (get symbol 'defalias-fset-function) #'fset) symbol definition))))

(defun lispwright--refresh-generic (generic)
  "Make the function of GENERIC anew, without what it remembers of types."
  (let ((symbol (cl--generic-name generic)) (current-load-list nil) (purify-flag nil))
    (defalias symbol (cl--generic-make-function generic))))

(defun lispwright--advice (symbol)
  "The advice of SYMBOL: lists of a function, its place and its properties, the innermost first."
  (let ((definition (advice--symbol-function symbol)) (found nil))
    (while (advice--p definition)
      (push (list (advice--car definition)
                  (funcall (if (fboundp 'advice--how) 'advice--how 'advice--where) definition)
                  (advice--props definition))
            found)
      (setq definition (advice--cdr definition)))
    found))

(defun lispwright--constant-p (symbol)
  "Non-nil when the value of SYMBOL is not its own: of constants and of aliases."
  (or (keywordp symbol) (memq symbol '(nil t)) (not (eq (indirect-variable symbol) symbol))))

(defun lispwright--value (symbol)
  "The value of SYMBOL outside of all bindings."
  (if (lispwright--constant-p symbol)
      lispwright--void
    (condition-case nil
        (default-toplevel-value symbol)
      (error lispwright--void))))

(defun lispwright--set (symbol value)
  "Make VALUE that of SYMBOL outside of all bindings."
  (cond ((not (eq value lispwright--void)) (set-default-toplevel-value symbol value))
        ((not (lispwright--constant-p symbol)) (makunbound symbol))))

(defun lispwright--property (symbol property)
  "The value of the PROPERTY of SYMBOL."
  (let ((found (plist-member (symbol-plist symbol) property)))
    (if found (cadr found) lispwright--void)))

(defun lispwright--put (symbol property value)
  "Make VALUE that of the PROPERTY of SYMBOL."
  (if (not (eq value lispwright--void))
      (put symbol property value)
    (let ((plist (symbol-plist symbol)) (rest nil))
      (while plist
        (unless (eq (car plist) property)
          (setq rest (cons (cadr plist) (cons (car plist) rest))))
        (setq plist (cddr plist)))
      (setplist symbol (nreverse rest)))))

(defun lispwright--state (symbol)
  "What SYMBOL means now."
  (vector (lispwright--definition symbol) (lispwright--advice symbol) (lispwright--value symbol)
          (copy-sequence (symbol-plist symbol))))

(defun lispwright--changes-since (symbol state)
  "The changes of SYMBOL since STATE."
  (let ((now (lispwright--state symbol)) (changes nil))
    (unless (lispwright--same-definition-p (aref state 0) (aref now 0))
      (push (list 'function symbol (aref state 0) (aref now 0)) changes))
    (dolist (piece (aref now 1))
      (unless (assoc (car piece) (aref state 1))
        (push (cons 'advice (cons symbol piece)) changes)))
    (unless (or (eq (aref state 2) (aref now 2)) (memq symbol lispwright--own-variables))
      (push (list 'value symbol (aref state 2) (aref now 2)) changes))
    (let ((plist (aref now 3)))
      (while plist
        (let ((before (plist-member (aref state 3) (car plist))))
          (unless (or (and before (eq (cadr before) (cadr plist))) (memq (car plist) lispwright--properties-apart))
            (push (list 'property symbol (car plist) (if before (cadr before) lispwright--void) (cadr plist)) changes)))
        (setq plist (cddr plist))))
    changes))

;;; Undoing and doing a change again

(defun lispwright--less (current before after)
  "CURRENT without what has made AFTER of BEFORE."
  (cond ((eq current after) before)
        ((and (consp after) (proper-list-p after) (proper-list-p current) (or (eq before lispwright--void) (proper-list-p before)))
         (lispwright--drop-if (lambda (element)
                                (and (memq element after) (not (and (consp before) (memq element before)))))
                              current))
        (t current)))

(defun lispwright--more (current before after)
  "CURRENT with what has made AFTER of BEFORE."
  (cond ((eq current before) after)
        ((and (consp after) (proper-list-p after) (proper-list-p current))
         (append (lispwright--drop-if (lambda (element)
                                        (or (memq element current) (and (consp before) (memq element before))))
                                      after)
                 current))
        (t current)))

(defun lispwright--undo (change)
  "Undo CHANGE, unless something else has changed the same since."
  (pcase change
    (`(function ,symbol ,before ,after)
     (when (lispwright--same-definition-p (lispwright--definition symbol) after)
       (lispwright--define symbol before)))
    (`(variable ,symbol ,before ,after)
     (when (eq (lispwright--value symbol) after)
       (lispwright--set symbol before)))
    (`(value ,symbol ,before ,after)
     (lispwright--set symbol (lispwright--less (lispwright--value symbol) before after)))
    (`(property ,symbol ,property ,before ,after)
     (lispwright--put symbol property (lispwright--less (lispwright--property symbol property) before after)))
    (`(advice ,symbol ,function . ,_) (advice-remove symbol function))
    (`(method ,symbol ,method) (lispwright--change-methods symbol (lambda (methods) (remq method methods))))
    (`(type ,symbol ,class)
     (lispwright--leave-parents class)
     ;; Subclasses know the object of a class; its definition uses it again.
     (unless (lispwright--class-p class)
       (put symbol 'cl--class nil)))
    (`(face ,symbol ,spec)
     (when (eq (get symbol 'face-defface-spec) spec)
       (put symbol 'face-defface-spec nil)))
    (`(feature ,symbol) (setq features (remq symbol features)))))

(defun lispwright--redo (change)
  "Do CHANGE again, which was undone, unless something else has changed the same since."
  (pcase change
    (`(function ,symbol ,_ ,after)
     (unless (lispwright--definition symbol)
       (lispwright--define symbol after)))
    (`(variable ,symbol ,before ,after)
     (when (eq (lispwright--value symbol) before)
       (lispwright--set symbol after)))
    (`(value ,symbol ,before ,after)
     (lispwright--set symbol (lispwright--more (lispwright--value symbol) before after)))
    (`(property ,symbol ,property ,before ,after)
     (lispwright--put symbol property (lispwright--more (lispwright--property symbol property) before after)))
    (`(advice ,symbol ,function ,how ,properties) (advice-add symbol how function properties))
    (`(method ,symbol ,method) (lispwright--change-methods symbol (lambda (methods) (cons method (remq method methods)))))
    (`(type ,symbol ,class)
     (put symbol 'cl--class class)
     (lispwright--join-parents class))
    (`(face ,symbol ,spec)
     (unless (get symbol 'face-defface-spec)
       (put symbol 'face-defface-spec spec)))
    (`(feature ,symbol) (unless (memq symbol features) (push symbol features)))))

(defun lispwright--change-methods (symbol change)
  "Make the value of CHANGE for the methods of the generic function SYMBOL its methods."
  (let ((generic (get symbol 'cl--generic)))
    (when (recordp generic)
      (let ((methods (funcall change (cl--generic-method-table generic))))
        (unless (equal methods (cl--generic-method-table generic))
          (setf (cl--generic-method-table generic) methods)
          (cond ((and (not methods) (lispwright--changed-by (list 'generic symbol)))
                 (lispwright--define symbol nil))
                ((fboundp symbol)
                 (lispwright--refresh-generic generic))))))))

(defun lispwright--changed-by (key)
  "The file in the journal with a change that begins like the list KEY, or nil."
  (let ((found nil))
    (maphash (lambda (file changes)
               (when (lispwright--change key changes)
                 (setq found file)))
             lispwright--journal)
    found))

(defun lispwright--class-p (class)
  "Non-nil when CLASS was made by `defclass'."
  (and (fboundp 'eieio--class-p) (eieio--class-p class)))

(defun lispwright--change-children (class change)
  "Make the value of CHANGE for the names of the subclasses of each parent of CLASS its subclasses."
  (let ((place (gethash 'children (cl--class-index-table (get 'eieio--class 'cl--class)))))
    (dolist (parent (cl--class-parents class))
      (aset parent place (funcall change (aref parent place))))))

(defun lispwright--leave-parents (class)
  "Make the parents of CLASS forget it."
  (if (lispwright--class-p class)
      (lispwright--change-children class (lambda (children) (remq (cl--class-name class) children)))
    (dolist (list (lispwright--lists-of-tags class))
      (set list (remq (cl--struct-class-tag class) (symbol-value list))))))

(defun lispwright--join-parents (class)
  "Make the parents of CLASS know it."
  (if (lispwright--class-p class)
      (lispwright--change-children
       class (lambda (children) (cons (cl--class-name class) (remq (cl--class-name class) children))))
    (dolist (list (lispwright--lists-of-tags class))
      (add-to-list list (cl--struct-class-tag class)))))

(defun lispwright--lists-of-tags (class)
  "The variables of the structures that CLASS includes, which list the tags of those that include them."
  (let ((lists nil) (parent (car (cl--class-parents class))))
    (while (and parent (cl--struct-class-p parent))
      (let ((list (cl--struct-class-children-sym parent)))
        (when (and list (boundp list))
          (push list lists)))
      (setq parent (car (cl--class-parents parent))))
    lists))

;;; Watching a file that is being loaded

(defvar lispwright--failed nil "The files whose load has failed in the current request.")

(defvar lispwright--watches nil
  "The files that are being loaded, the innermost first: alists of `file', `buffer', `states', `changes', `generics',
`digest', `history', and `inside', the file whose load it waits for.")

(defvar lispwright--roots nil "The directories of the project, as far as they are known.")

(defun lispwright--below-p (file roots)
  "Non-nil when FILE is in one of the directories ROOTS."
  (lispwright--find-if (lambda (root) (string-prefix-p root file)) roots))

(defun lispwright--watchable-p (file)
  "Non-nil when FILE is a source of the project, or one that neither Emacs nor a package brings."
  (and (string-suffix-p ".el" file)
       (or (not lispwright--roots) (lispwright--below-p file lispwright--roots))
       (not (string-prefix-p (expand-file-name "../.." data-directory) file))
       (not (and (boundp 'package-user-dir) (stringp package-user-dir)
                 (string-prefix-p (expand-file-name package-user-dir) file)))))

(defun lispwright--watch (file buffer)
  "Begin to watch the load of FILE, whose text is in BUFFER."
  (let ((states (make-hash-table :test #'eq)) (generics nil) (agenda (lispwright--forms-in buffer)) (count 0))
    (while (and agenda (< count lispwright--most-nodes))
      (let ((part (pop agenda)))
        (setq count (1+ count))
        (cond ((consp part)
               (when (and (eq (car part) 'cl-defgeneric) (consp (cdr part)))
                 (push (lispwright--function-name (cadr part)) generics))
               (setq agenda (cons (car part) (cons (cdr part) agenda))))
              ((vectorp part) (setq agenda (append part agenda)))
              ((and (symbolp part) (not (gethash part states)) (not (string-prefix-p "lispwright-" (symbol-name part))))
               (puthash part (lispwright--state part) states)))))
    (push (list (cons 'file file) (cons 'buffer nil) (cons 'states states) (cons 'changes nil) (cons 'generics generics)
                (cons 'digest (lispwright--digest file)) (cons 'history nil) (cons 'inside nil))
          lispwright--watches)))

(defvar lispwright--inside (make-hash-table :test #'equal) "For each file those that were loaded inside of its load.")

(defvar lispwright--before nil "Non-nil while files are loaded that the file that is being loaded does not itself require.")

(defun lispwright--note-inside (file)
  "Record that FILE is loaded inside of the load of another."
  (remhash file lispwright--inside)
  (when (and lispwright--watches (not lispwright--before))
    (push file (gethash (alist-get 'file (car lispwright--watches)) lispwright--inside))))

(defun lispwright--forms-in (buffer)
  "The forms of BUFFER, up to the first mistake."
  (with-current-buffer buffer
    (save-excursion
      (goto-char (point-min))
      (let ((forms nil))
        (condition-case nil
            (while t
              (push (read buffer) forms))
          (error nil))
        forms))))

(defun lispwright--function-name (name)
  "The symbol of the function NAME, which may be a list such as (setf foo)."
  (if (eq (car-safe name) 'setf) (intern (format "(setf %s)" (cadr name))) name))

(defun lispwright--note-reading (file buffer)
  "Attend to FILE, of which a form is about to be read, from BUFFER if it is a source."
  (let ((known (and buffer (lispwright--find-if (lambda (watch) (eq (alist-get 'buffer watch) buffer)) lispwright--watches))))
    (cond (known
           ;; The load of a file inside has failed, and the code went on.
           (while (not (eq (car lispwright--watches) known))
             (lispwright--drop-watch))
           (lispwright--go-on known)
           (setf (alist-get 'history known) current-load-list))
          ((and buffer (lispwright--watchable-p file))
           (lispwright--note-inside file)
           (lispwright--watch file buffer)
           (setf (alist-get 'buffer (car lispwright--watches)) buffer)))))

(defun lispwright--note-start (_ file operation _)
  "Attend to the load of FILE, which begins when `load-file-name' is bound: natively compiled files are not read."
  (when (and (eq operation 'let) (stringp file) (not lispwright--joined))
    (lispwright--wait-for (expand-file-name file))))

(defun lispwright--wait-for (file)
  "Make the innermost watch wait while FILE is loaded."
  (let ((watch (car lispwright--watches)))
    (when (and watch (not (alist-get 'inside watch)))
      (lispwright--note-changes watch)
      (setf (alist-get 'inside watch) file))))

(defun lispwright--go-on (watch)
  "Let WATCH go on after the load of a file inside."
  (when (alist-get 'inside watch)
    (setf (alist-get 'inside watch) nil)
    (let ((states (alist-get 'states watch)))
      (maphash (lambda (symbol _) (puthash symbol (lispwright--state symbol) states)) states))))

(defun lispwright--note-changes (watch)
  "Record in WATCH what has changed since it has begun or gone on."
  (maphash (lambda (symbol state)
             (setf (alist-get 'changes watch) (append (lispwright--changes-since symbol state) (alist-get 'changes watch))))
           (alist-get 'states watch)))

(defun lispwright--end-watch (file)
  "End the watch of FILE, which was loaded whole; return its changes and its digest as a cons, nil when it has none."
  (let ((watch (car lispwright--watches)))
    (when (and watch (equal (alist-get 'file watch) file))
      (unless (alist-get 'inside watch)
        (lispwright--note-changes watch))
      (pop lispwright--watches)
      (cons (lispwright--all-changes watch (lispwright--history file))
            (alist-get 'digest watch)))))

(defun lispwright--drop-watch ()
  "Undo what the file of the innermost watch has changed, whose load has failed."
  (let ((watch (pop lispwright--watches)))
    (push (alist-get 'file watch) lispwright--failed)
    (unless (alist-get 'inside watch)
      (lispwright--note-changes watch))
    (mapc #'lispwright--undo (lispwright--all-changes watch (alist-get 'history watch)))))

(defun lispwright--call-without-changes (file function)
  "Call FUNCTION, which evaluates code of FILE, and undo what that changes."
  (with-temp-buffer
    (insert-file-contents file)
    (lispwright--watch file (current-buffer)))
  (let ((watch (car lispwright--watches)) (current-load-list nil) (lispwright--before t))
    (unwind-protect
        (funcall function)
      (while (not (eq (car lispwright--watches) watch))
        (lispwright--drop-watch))
      (lispwright--go-on watch)
      (setf (alist-get 'history watch) current-load-list)
      (lispwright--drop-watch))))

(defun lispwright--history (file)
  "The definitions of FILE, a source, in `load-history'."
  (cdr (or (assoc file load-history) (assoc (concat file "c") load-history))))

;;; The changes of a file

(defun lispwright--change (key changes)
  "The last one of CHANGES that begins like the list KEY."
  (lispwright--find-if (lambda (change) (equal (lispwright--key change) key)) changes))

(defun lispwright--key (change)
  "What CHANGE is about, as a list."
  (pcase change
    (`(method ,symbol ,method)
     (list 'method symbol (cl--generic-method-qualifiers method) (cl--generic-method-specializers method)))
    (`(,(or 'property 'advice) . ,_) (lispwright--first 3 change))
    (_ (lispwright--first 2 change))))

(defun lispwright--all-changes (watch history)
  "The changes of the symbols of WATCH, the last one first, with those that the HISTORY of its file shows."
  (let ((generics (alist-get 'generics watch)) (states (alist-get 'states watch)) (all nil))
    (dolist (change (alist-get 'changes watch))
      (push (pcase change
              (`(function ,symbol ,_ ,(pred recordp)) (if (memq symbol generics) change (list 'generic symbol)))
              (`(value ,symbol ,before ,after) (if (memq symbol history) (list 'variable symbol before after) change))
              (_ change))
            all))
    (setq all (nreverse all))
    (dolist (definition history)
      (dolist (change (lispwright--changes-of definition states))
        (unless (or (lispwright--change (lispwright--key change) all)
                    (and (eq (car change) 'function) (recordp (nth 3 change))))
          (push change all))))
    all))

(defun lispwright--changes-of (definition states)
  "The changes that DEFINITION, an entry of `load-history', shows.  The changes of symbols that STATES has are known."
  (pcase definition
    ((and (pred symbolp) symbol)
     (list (list 'variable symbol lispwright--void
                 (if (gethash symbol states) lispwright--void (lispwright--value symbol)))))
    (`(defun . ,symbol)
     (and (symbolp symbol) (lispwright--definition symbol) (list (list 'function symbol nil (lispwright--definition symbol)))))
    (`(provide . ,symbol) (list (list 'feature symbol)))
    (`(defface . ,symbol) (list (list 'face symbol (get symbol 'face-defface-spec))))
    (`(define-type . ,symbol)
     (and (recordp (get symbol 'cl--class)) (list (list 'type symbol (get symbol 'cl--class)))))
    (`(cl-defmethod ,symbol ,qualifiers . ,specializers)
     (let* ((generic (get symbol 'cl--generic))
            (found (and (recordp generic)
                        (cl--generic-member-method specializers qualifiers (cl--generic-method-table generic)))))
       (and found (list (list 'method symbol (car found))))))
    (`(define-symbol-props . ,properties)
     (apply #'append
            (mapcar (lambda (property)
                      (mapcar (lambda (symbol)
                                (list 'property symbol (car property) lispwright--void (lispwright--property symbol (car property))))
                              (cdr property)))
                    properties)))))
