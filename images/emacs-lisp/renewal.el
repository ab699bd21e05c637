;;; renewal.el --- bringing the loaded part of the project to the state of its files  -*- lexical-binding: t; -*-

;; The parent names the files that are stale: those that have changed, and those with code that was made with what they
;; define.  Before anything is loaded, what they have changed is undone, and they provide nothing, so that whoever requires
;; one loads it, in the order of a fresh Emacs.  Variables keep their values, unless their definition says another one
;; than before.  What a file defines no more stays undone; what was defined by hand is not touched.  If a file does not
;; load, what it had changed before is done again, and the file stays stale.

(defvar lispwright--loaded nil
  "An alist of the loaded source files and the digests of their contents at that time, the last one first.  The digest is
nil for a file that has to be loaded again.")

(defvar lispwright--load-count 0 "The number of files that were loaded.")

(defvar lispwright--by-hand (make-hash-table :test #'equal) "The definitions that evaluated code has made: entries of `load-history'.")

(defvar lispwright--wanted nil "The files that were loaded because they were asked for, and not because others use them.")

;; The current request.
(defvar lispwright--renewing nil "Non-nil while files are loaded for a load or test run.")
(defvar lispwright--stale nil "The files that are stale: lists of a path, whether the target needs it, and changed variables.")
(defvar lispwright--waiting nil "The paths of stale files that were not loaded yet.")
(defvar lispwright--forgotten nil "An alist of the files that are forgotten and not loaded yet, and their changes.")
(defvar lispwright--renewed nil "The paths of the files that were loaded, the last one first.")
(defvar lispwright--removed nil "What has left the files: lists of kind, name and path, the last one first.")
(defvar lispwright--reset nil "The names of variables with the value of their new definition.")
(defvar lispwright--kept nil "The names of variables whose value is not that of their definition.")
(defvar lispwright--targets nil "The paths of the files that are asked for.")
(defvar lispwright--restored nil "Settings that the tests have changed and that were put back, in words.")
(defvar lispwright--left nil "Stale files that do not load and that the target does not need, with the reason.")

;;; What is loaded

(defun lispwright--digest (file)
  "A digest of the present content of FILE."
  (with-temp-buffer
    (set-buffer-multibyte nil)
    (insert-file-contents-literally file)
    (secure-hash 'sha1 (current-buffer))))

(defun lispwright--note-loaded (file)
  "Record that FILE was loaded whole."
  (let* ((watched (lispwright--end-watch file))
         (source (if (string-suffix-p ".elc" file) (substring file 0 -1) file)))
    (when (and (not watched) (not lispwright--joined) (lispwright--watchable-p source) (file-readable-p source))
      ;; It is compiled, or has no form.
      (setq watched (cons (lispwright--all-changes nil (lispwright--history source)) (lispwright--digest source))))
    (cond (watched (lispwright--finish source (car watched) (cdr watched)))
          ((and lispwright--joined (string-suffix-p ".el" file) (file-readable-p file))
           (setf (alist-get file lispwright--loaded nil nil #'equal) (lispwright--digest file))))
    (let ((outer (car lispwright--watches)))
      (when (and outer (equal (alist-get 'inside outer) file))
        (lispwright--go-on outer)))))

(defun lispwright--changed-p (file)
  "Non-nil when the content of FILE differs from the loaded one."
  (let ((known (alist-get file lispwright--loaded nil nil #'equal)))
    (not (and known (file-readable-p file) (equal known (lispwright--digest file))))))

(defvar lispwright--providers (make-hash-table :test #'eq) "The files that provide features, by those.")

(defun lispwright--required-by (file)
  "The features of the project that FILE requires, in their order."
  (let ((features nil))
    (dolist (definition (lispwright--history file))
      (when (and (eq (car-safe definition) 'require) (gethash (cdr definition) lispwright--providers))
        (push (cdr definition) features)))
    features))

(defun lispwright--used-by (file)
  "The files of the project that FILE requires or loads, in their order."
  (remove file (delete-dups (append (mapcar (lambda (feature) (gethash feature lispwright--providers))
                                            (lispwright--required-by file))
                                    (reverse (gethash file lispwright--inside))))))

(defun lispwright--answer-loaded-files (request)
  "List the files of the project that are loaded, in the order of their loading, with those that they use."
  (let ((roots (lispwright--argument request :ROOTS)) (files nil))
    (unless lispwright--joined
      (dolist (file (mapcar #'car lispwright--loaded))
        (when (lispwright--below-p file roots)
          (push (list file
                      (cond ((not (file-readable-p file)) :gone)
                            ((lispwright--changed-p file) :changed)
                            (t :same))
                      (lispwright--used-by file))
                files))))
    (list :outcome :loaded-files :files files)))

(defun lispwright--files-comprised (files)
  "FILES, and those of the project that they use, also through others."
  (let ((found nil))
    (while files
      (let ((file (pop files)))
        (unless (member file found)
          (push file found)
          (setq files (append (lispwright--used-by file) files)))))
    (nreverse found)))

;;; What was defined by hand

(defun lispwright--call-by-hand (function)
  "Call FUNCTION, which evaluates code of the user, and record what that defines."
  (let ((current-load-list nil))
    (unwind-protect
        (funcall function)
      (lispwright--end-watches)
      (dolist (definition current-load-list)
        (when (or (symbolp definition) (memq (car-safe definition) '(defun cl-defmethod define-type defface)))
          (puthash definition t lispwright--by-hand))))))

;;; Forgetting

(defun lispwright--forget (file &optional all)
  "Undo what FILE has changed, except for values of variables that it defines: these only if ALL is non-nil."
  (let ((changes (gethash file lispwright--journal)))
    (lispwright--forget-source file)
    (dolist (change changes)
      (when (or all (not (eq (car change) 'variable)))
        (lispwright--undo change)))
    (dolist (name (nth 2 (assoc file lispwright--stale)))
      (lispwright--reset-variable (intern (nth 1 name)) changes))
    (push (cons file changes) lispwright--forgotten)
    (remhash file lispwright--journal)
    ;; Until it is loaded, it is told as changed.
    (when (assoc file lispwright--loaded)
      (setf (alist-get file lispwright--loaded nil nil #'equal) nil))))

(defun lispwright--reset-variable (symbol changes)
  "Take the value away from SYMBOL, whose definition has changed, if it is the one that the file with CHANGES gave it."
  (pcase (lispwright--change (list 'variable symbol) changes)
    (`(variable ,_ ,_ ,(and after (guard (not (eq after lispwright--void))) (guard (eq after (lispwright--value symbol)))))
     (lispwright--set symbol lispwright--void)
     (push (symbol-name symbol) lispwright--reset))
    ((guard (not (eq (lispwright--value symbol) lispwright--void)))
     (push (symbol-name symbol) lispwright--kept))))

(defun lispwright--bring-back (file)
  "Do again what FILE had changed before it was forgotten."
  (let ((forgotten (assoc file lispwright--forgotten)))
    (when forgotten
      (setq lispwright--forgotten (delq forgotten lispwright--forgotten))
      (dolist (change (reverse (cdr forgotten)))
        (lispwright--redo change)
        (when (eq (car change) 'variable)
          (setq lispwright--reset (delete (symbol-name (nth 1 change)) lispwright--reset))))
      (puthash file (cdr forgotten) lispwright--journal))))

(defun lispwright--end-watches ()
  "Undo what files have changed whose load has failed."
  (while lispwright--watches
    (lispwright--drop-watch)))

;;; After a file was loaded

(defun lispwright--finish (file changes digest)
  "Record CHANGES of FILE, which was loaded with the content of DIGEST, and remove what it defines no more."
  (let* ((forgotten (assoc file lispwright--forgotten))
         (earlier (if forgotten (cdr forgotten) (gethash file lispwright--journal)))
         (changes (mapcar (lambda (change) (lispwright--followed change earlier)) changes)))
    (setq lispwright--forgotten (delq forgotten lispwright--forgotten))
    (setq lispwright--waiting (delete file lispwright--waiting))
    (when forgotten
      (lispwright--keep-methods (cdr forgotten)))
    (let* ((gone (lispwright--drop-if (lambda (change) (lispwright--change (lispwright--key change) changes)) earlier))
           (skipped (lispwright--skipped gone changes file)))
      (mapc #'lispwright--redo skipped)
      (setq changes (append changes skipped)
            gone (lispwright--drop-if (lambda (change) (memq change skipped)) gone))
      (if (not forgotten)
          ;; It was loaded over itself, by hand.
          (setq changes (append changes gone))
        (puthash file changes lispwright--journal)
        (dolist (change gone)
          (when (lispwright--missed-p change)
            ;; Whoever requires it does not load either.
            (setq digest nil))
          (lispwright--remove change file))))
    (puthash file changes lispwright--journal)
    (dolist (change changes)
      (when (eq (car change) 'feature)
        (puthash (nth 1 change) file lispwright--providers)))
    (lispwright--note-tests file)
    (setq lispwright--loaded (cons (cons file digest) (assoc-delete-all file lispwright--loaded)))
    (unless (or lispwright--watches lispwright--renewing)
      (lispwright--want file))
    (setq lispwright--load-count (1+ lispwright--load-count))
    (setq lispwright--renewed (cons file (delete file lispwright--renewed)))))

(defun lispwright--skipped (gone changes file)
  "The variables and faces among GONE that FILE, which has made CHANGES, did not define again because they are still there.
`define-derived-mode' does so, and forms such as `(unless (boundp \\='x) (defvar x 1))'."
  (let ((able (lispwright--keep-if (lambda (change) (memq (car change) '(variable face))) gone)))
    (when able
      (with-temp-buffer
        (insert-file-contents file)
        (lispwright--keep-if (lambda (change) (lispwright--still-defined-p (nth 1 change) changes)) able)))))

(defun lispwright--still-defined-p (symbol changes)
  "Non-nil when a function among CHANGES, or the file in the current buffer, defines SYMBOL."
  (let ((definer (get symbol 'definition-name)))
    (or (and definer (lispwright--change (list 'function definer) changes))
        (progn
          (goto-char (point-min))
          (re-search-forward (format "(def[^][() \t\n\"';]*[ \t\n]+%s[][() \t\n\"';]" (regexp-quote (symbol-name symbol)))
                             nil t)))))

(defun lispwright--missed-p (change)
  "Non-nil when CHANGE is a feature that is not provided, and that a loaded file requires."
  (and (eq (car change) 'feature) (not (featurep (nth 1 change)))
       (lispwright--find-if (lambda (loaded) (member (cons 'require (nth 1 change)) (lispwright--history (car loaded))))
                            lispwright--loaded)))

(defun lispwright--want (file)
  "Record that FILE is not loaded only because others use it."
  (unless (member file lispwright--wanted)
    (push file lispwright--wanted)))

(defun lispwright--followed (change earlier)
  "CHANGE, seen from before the EARLIER changes of the same file."
  (let ((before (lispwright--change (lispwright--key change) earlier)))
    (pcase (list (car change) before)
      (`(variable (variable ,symbol ,first ,given))
       ;; A definition that leaves a value as it is gives it as the earlier one did.
       (pcase change
         (`(,_ ,_ ,_ ,(pred (eq lispwright--void))) before)
         (`(,_ ,_ ,(pred (eq given)) ,after) (list 'variable symbol first after))
         (_ change)))
      (`(,(or 'function 'value) (,kind ,symbol ,first ,given))
       (if (eq (nth 2 change) given) (list kind symbol first (nth 3 change)) change))
      (_ change))))

(defun lispwright--keep-methods (earlier)
  "Add the methods by hand of the generic functions that EARLIER changes had made to those that are there now."
  (dolist (change earlier)
    (pcase change
      (`(function ,symbol ,_ ,(and (pred recordp) old (guard (not (eq old (get symbol 'cl--generic))))))
       (dolist (method (cl--generic-method-table old))
         (let ((qualifiers (cl--generic-method-qualifiers method)) (specializers (cl--generic-method-specializers method)))
           (when (and (gethash (cons 'cl-defmethod (cl--generic-load-hist-format symbol qualifiers specializers))
                               lispwright--by-hand)
                      (or (not (fboundp symbol)) (recordp (get symbol 'cl--generic))))
             (let ((current-load-list nil))
               (cl-generic-define-method symbol qualifiers (lispwright--parameters-for specializers)
                                         (cl--generic-method-uses-cnm method) (cl--generic-method-function method))))))))))

(defun lispwright--parameters-for (specializers)
  "A list of parameters with these SPECIALIZERS."
  (mapcar (lambda (specializer)
            (if (eq '&context (car-safe (car-safe specializer))) specializer (list 'argument specializer)))
          specializers))

(defun lispwright--remove (change file)
  "Remove what CHANGE, of which FILE knows nothing any more, has defined."
  (let ((symbol (nth 1 change)))
    (unless (lispwright--changed-by (lispwright--key change))
      (pcase change
        (`(function ,_ ,_ ,definition)
         (unless (or (fboundp symbol) (string-suffix-p "--cmacro" (symbol-name symbol)))
           (lispwright--remove-properties symbol '(compiler-macro gv-expander pure side-effect-free byte-optimizer))
           (remhash (cons symbol 'defun) lispwright--places)
           (lispwright--tell-removed (cond ((recordp definition) "generic function")
                                           ((eq (car-safe definition) 'macro) "macro")
                                           (t "function"))
                                     symbol file)))
        (`(variable . ,_)
         (unless (or (gethash symbol lispwright--by-hand) (lispwright--constant-p symbol))
           (makunbound symbol)
           (when (fboundp 'internal-make-var-non-special)
             (internal-make-var-non-special symbol))
           (lispwright--remove-properties symbol '(variable-documentation standard-value custom-type custom-requests risky-local-variable))
           (remhash (cons symbol 'defvar) lispwright--places)
           (lispwright--tell-removed "variable" symbol file)))
        (`(method ,_ ,method)
         (lispwright--tell-removed "method" (format "%s %s" symbol (cl--generic-method-specializers method)) file))
        (`(type ,_ ,class)
         (put symbol 'cl--class nil)
         (lispwright--tell-removed (if (lispwright--class-p class) "class" "structure") symbol file))
        (`(face . ,_)
         (put symbol 'face nil)
         (when (boundp 'face--new-frame-defaults)
           (remhash symbol face--new-frame-defaults))
         (when (fboundp 'frame--face-hash-table)
           (remhash symbol (frame--face-hash-table)))
         (lispwright--tell-removed "face" symbol file))
        (`(property ,_ ert--test . ,_)
         (lispwright--tell-removed "test" symbol file))))))

(defun lispwright--remove-properties (symbol properties)
  "Remove PROPERTIES of SYMBOL."
  (dolist (property properties)
    (lispwright--put symbol property lispwright--void)))

(defun lispwright--tell-removed (kind name file)
  "Record that the definition NAME of that KIND has left FILE."
  (push (list kind (format "%s" name) file) lispwright--removed))

;;; A request

(defun lispwright--call-renewing (request targets function)
  "Call FUNCTION, which loads the files TARGETS for REQUEST, after what is stale was forgotten, and load the rest of that."
  (setq lispwright--stale (lispwright--argument request :STALE)
        lispwright--forgotten nil lispwright--failed nil lispwright--left nil)
  (mapc #'lispwright--want targets)
  (let* ((gone (lispwright--argument request :GONE))
         (roots (regexp-opt (lispwright--argument request :ROOTS)))
         (file-name-handler-alist
          (cons (cons (concat "\\`" roots ".*\\.elc\\'") #'lispwright--hide-compiled) file-name-handler-alist))
         (lispwright--renewing t)
         (unused nil)
         (done nil))
    (unwind-protect
        (progn
          (mapc #'lispwright--forget (lispwright--latest-first (append (mapcar #'car lispwright--stale) gone targets)))
          (mapc #'lispwright--forget-for-good gone)
          (lispwright--load-stale (mapcar #'car lispwright--stale) targets function)
          ;; What nobody uses any more would not be there in a fresh Emacs either.
          (when (and lispwright--renewed (setq unused (lispwright--unused)))
            (let ((renewed (lispwright--drop-if (lambda (file) (member file unused)) (reverse lispwright--renewed))))
              (dolist (file (lispwright--latest-first (append renewed unused)))
                (lispwright--forget file t))
              (lispwright--load-stale renewed targets function)
              (mapc #'lispwright--leave unused)))
          (lispwright--refresh-generics)
          (setq done t))
      (lispwright--end-watches)
      (unless done
        (mapc #'lispwright--bring-back (mapcar #'car lispwright--forgotten)))
      (setq lispwright--waiting nil lispwright--forgotten nil))))

(defun lispwright--latest-first (files)
  "FILES, each once, those first that were loaded last."
  (let ((loaded (mapcar #'car lispwright--loaded)))
    (append (lispwright--drop-if (lambda (file) (member file loaded)) (delete-dups (copy-sequence files)))
            (lispwright--keep-if (lambda (file) (member file files)) loaded))))

(defun lispwright--load-stale (files targets function)
  "Load the stale FILES, of which FUNCTION loads TARGETS and, with them, what they require.  Other files that the target does
not need are loaded before it, since names are global."
  (setq lispwright--waiting files)
  (lispwright--call-with-requirements
   (lambda ()
     (dolist (file files)
       (unless (or (member file targets) (lispwright--needed-p file))
         (lispwright--load-if-possible file)))
     (funcall function)
     (dolist (file files)
       (when (member file lispwright--waiting)
         (if (or (member file lispwright--failed) (not (lispwright--needed-p file)))
             ;; If it has failed before, the code went on without it.
             (lispwright--load-if-possible file)
           (load file nil t t)))))))

(defun lispwright--needed-p (file)
  "Non-nil when the target of the request needs FILE."
  (nth 1 (assoc file lispwright--stale)))

(defun lispwright--unused ()
  "The loaded files that nobody has asked for, and that none of the others uses."
  (let ((used (lispwright--files-comprised lispwright--wanted)))
    (lispwright--keep-if (lambda (file) (and (gethash file lispwright--journal) (not (member file used))))
                         (mapcar #'car lispwright--loaded))))

(defun lispwright--leave (file)
  "Forget FILE, which is there and which nobody uses, for good."
  (let ((forgotten (assoc file lispwright--forgotten)))
    (dolist (change (cdr forgotten))
      (when (eq (car change) 'feature)
        (lispwright--tell-removed "feature" (nth 1 change) file))))
  (let ((lispwright--removed nil))
    (lispwright--forget-for-good file)))

(defun lispwright--hide-compiled (operation &rest arguments)
  "Do OPERATION with ARGUMENTS, a compiled file of the project; say that one is not there whose source is."
  (unless (and (eq operation 'file-readable-p) (file-readable-p (substring (car arguments) 0 -1)))
    (let ((file-name-handler-alist (rassq-delete-all #'lispwright--hide-compiled (copy-sequence file-name-handler-alist))))
      (apply operation arguments))))

(defun lispwright--load-if-possible (file)
  "Load FILE, which the target does not need, or record the reason why it does not load."
  (when (member file lispwright--waiting)
    (condition-case condition
        (load file nil t t)
      (error
       (lispwright--end-watches)
       (setq lispwright--waiting (delete file lispwright--waiting))
       (push (list file (lispwright--condition-text condition)) lispwright--left)
       (unless (member file lispwright--failed)
         (lispwright--bring-back file))))))

(defun lispwright--forget-for-good (file)
  "Remove what FILE, which was forgotten, has defined."
  (let ((forgotten (assoc file lispwright--forgotten)))
    (setq lispwright--forgotten (delq forgotten lispwright--forgotten))
    (setq lispwright--loaded (assoc-delete-all file lispwright--loaded))
    (setq lispwright--wanted (remove file lispwright--wanted))
    (dolist (change (cdr forgotten))
      (lispwright--remove change file))))

(defun lispwright--refresh-generics ()
  "Make the functions of generic functions anew with methods of the project: they remember types that may have changed."
  (when lispwright--renewed
    (let ((symbols nil))
      (maphash (lambda (_ changes)
                 (dolist (change changes)
                   (when (eq (car change) 'method)
                     (push (nth 1 change) symbols))))
               lispwright--journal)
      (dolist (symbol (delete-dups symbols))
        (let ((generic (get symbol 'cl--generic)))
          (when (and (recordp generic) (fboundp symbol))
            (lispwright--refresh-generic generic)))))))

;; A file that is not stale may require one that is: where it is required, what it needs is loaded.

(defun lispwright--call-with-requirements (function)
  "Call FUNCTION, with stale files loaded where a fresh Emacs loads them: before files that require them."
  (if (not lispwright--waiting)
      (funcall function)
    (let ((comp-enable-subr-trampolines nil)
          (native-comp-enable-subr-trampolines nil))
      (lispwright--advise 'require :before #'lispwright--load-behind)
      (unwind-protect
          (funcall function)
        (advice-remove 'require #'lispwright--load-behind)))))

(defun lispwright--load-behind (feature &rest _)
  "Require the stale features that the file of FEATURE, which is loaded, requires, also through others."
  (when (and lispwright--waiting (featurep feature))
    (let ((agenda (list feature)) (seen nil) (lispwright--before t))
      (while agenda
        (let* ((feature (pop agenda)) (file (gethash feature lispwright--providers)))
          (cond ((or (not file) (memq feature seen)))
                ((not (member file lispwright--waiting))
                 (push feature seen)
                 (setq agenda (append (lispwright--required-by file) agenda)))
                ((not (lispwright--loading-p file))
                 (push feature seen)
                 (require feature))))))))

(defun lispwright--loading-p (file)
  "Non-nil when FILE is being loaded."
  (lispwright--find-if (lambda (watch) (equal (alist-get 'file watch) file)) lispwright--watches))

(defun lispwright--renewal-facts ()
  "What the request has changed in the image besides loading its targets."
  (list :loaded (reverse lispwright--renewed) :removed (reverse lispwright--removed)
        :reset (lispwright--bound-ones lispwright--reset) :keeps (lispwright--bound-ones lispwright--kept)
        :left (reverse lispwright--left) :comprises (lispwright--files-comprised lispwright--targets)
        :restored (reverse lispwright--restored)))

(defun lispwright--bound-ones (names)
  "Those of the variables NAMES that have a value."
  (lispwright--keep-if (lambda (name) (default-boundp (intern name))) names))

;;; Settings

(defconst lispwright--settings
  '((load-path . "load-path") (exec-path . "exec-path") (process-environment . "the environment")
    (default-directory . "default-directory") (load-suffixes . "load-suffixes")
    (file-name-handler-alist . "file-name-handler-alist") (debug-on-error . "debug-on-error")
    (print-length . "print-length") (print-level . "print-level"))
  "Variables that tests leave as they were, and what they are called.")

(defun lispwright--call-with-settings (files function)
  "Call FUNCTION, which runs the tests of FILES, and put back the settings that they change."
  (let ((before (mapcar (lambda (setting) (symbol-value (car setting))) lispwright--settings)))
    (unwind-protect
        (funcall function)
      (dolist (setting lispwright--settings)
        (let ((value (pop before)))
          (unless (equal value (symbol-value (car setting)))
            (set (car setting) value)
            (push (cdr setting) lispwright--restored))))
      ;; The tests will do it again when they are loaded.
      (dolist (file files)
        (dolist (change (gethash file lispwright--journal))
          (when (and (eq (car change) 'value) (assq (nth 1 change) lispwright--settings))
            (lispwright--undo change)))))))
