;;; emacs-lisp.el --- Which names files of Emacs Lisp define and use  -*- lexical-binding: t -*-

;; The benchmark of the index compares its answers with this.  Reads file names from standard input, one a line, and
;; prints, with tabs between the words:
;;
;;   file NAME
;;   form LINE            the first line of a top-level form, from 1; what follows is in it
;;   definition (empty) NAME
;;   use KIND (empty) NAME
;;   unseen               the form could not be expanded; nothing is known of it
;;   failed TEXT          what the reader signalled; ends the file
;;
;; A kind is `call', `value', `assignment', `binding', `macro', `method'; `maybe' for a symbol in quoted data, which can
;; name a function.
;;
;; A file is loaded, so that its macros and those that it requires are there; then each of its forms is expanded by
;; `macroexpand-all' and walked with the local variables that it binds.  The expander is watched for the macros, and for
;; the calls that it replaces.

;;; Code:

(require 'cl-lib)
(require 'macroexp)
(require 'subr-x)

(setq max-lisp-eval-depth 20000
      max-specpdl-size 40000
      gc-cons-threshold (* 256 1024 1024))

(defvar oracle-uses nil "What the present form uses: keys are (KIND . NAME).")
(defvar oracle-definitions nil "What the present form defines.")
(defvar oracle-is-lexical nil "The present file has lexical binding.")

(defun oracle-put (&rest words)
  (princ (concat (mapconcat (lambda (word) (format "%s" word)) words "\t") "\n")))

(defun oracle-note (kind name)
  (when (and (symbolp name) name (not (keywordp name)) (not (memq name '(t \` \, \,@ quote function))) oracle-uses)
    (puthash (cons kind name) t oracle-uses)))

(defun oracle-note-data (datum)
  (let ((agenda (list datum)) (count 0))
    (while (and agenda (< count 200000))
      (let ((one (pop agenda)))
        (cl-incf count)
        (cond ((consp one) (push (cdr one) agenda) (push (car one) agenda))
              ((vectorp one) (dotimes (at (length one)) (push (aref one at) agenda)))
              ((symbolp one) (oracle-note 'maybe one)))))))

(defun oracle-defines (name)
  (when (and (symbolp name) oracle-definitions)
    (puthash name t oracle-definitions)))

;; The expander.

(defun oracle-watch-macro (form &optional environment)
  (when (and (consp form) (symbolp (car form)) (not (assq (car form) environment)))
    (cond ((macrop (car form)) (oracle-note 'macro (car form)))
          ((special-form-p (car form)) (oracle-note 'call (car form))))))

(defun oracle-watch-call (_handler form)
  (when (and (consp form) (symbolp (car form)))
    (oracle-note 'call (car form))))

(advice-add 'macroexp-macroexpand :before #'oracle-watch-macro)
(advice-add 'macroexp--compiler-macro :before #'oracle-watch-call)

;; The walk.

(defun oracle-quoted-name (form)
  "The symbol in 'symbol or #'symbol."
  (and (memq (car-safe form) '(quote function)) (symbolp (cadr form)) (cadr form)))

(defconst oracle-definers
  '(defalias fset defvaralias custom-declare-variable custom-declare-face custom-declare-group define-widget
     ert-set-test cl-struct-define eieio-defclass-internal define-fringe-bitmap define-error define-abbrev-table
     define-button-type define-category define-coding-system define-coding-system-alias define-charset
     define-charset-alias define-translation-table tempo-define-template cl-generic-define define-prefix-command easy-menu-do-define put-theme))

(defun oracle-walk-all (forms locals)
  (while (consp forms)
    (oracle-walk (pop forms) locals)))

(defun oracle-variable (kind name locals)
  (unless (and (memq name locals) (not (special-variable-p name)))
    (oracle-note kind name)))

(defun oracle-binds (name)
  "NAME is bound: a use of a dynamic variable."
  (when (special-variable-p name)
    (oracle-note 'binding name)))

(defun oracle-parameters (parameters)
  (cl-remove-if (lambda (name) (memq name '(&optional &rest))) parameters))

(defun oracle-walk (form locals)
  "Notes what FORM uses, an expansion in which the variables LOCALS are bound."
  (pcase form
    ((pred symbolp) (oracle-variable 'value form locals))
    ((pred atom))
    (`(quote ,datum) (oracle-note-data datum))
    (`(function (lambda ,parameters . ,body))
     (oracle-walk-all body (append (oracle-parameters parameters) locals)))
    (`(function ,name) (if (symbolp name) (oracle-note 'value name) (oracle-note-data name)))
    (`(lambda ,parameters . ,body)
     (oracle-walk-all body (append (oracle-parameters parameters) locals)))
    (`(let ,bindings . ,body)
     (let ((inner locals))
       (dolist (binding bindings)
         (oracle-walk-all (cdr-safe binding) locals)
         (let ((name (or (car-safe binding) binding)))
           (oracle-binds name)
           (push name inner)))
       (oracle-walk-all body inner)))
    (`(let* ,bindings . ,body)
     (dolist (binding bindings)
       (oracle-walk-all (cdr-safe binding) locals)
       (let ((name (or (car-safe binding) binding)))
         (oracle-binds name)
         (setq locals (cons name locals))))
     (oracle-walk-all body locals))
    (`(setq . ,pairs)
     (while (consp pairs)
       (oracle-variable 'assignment (pop pairs) locals)
       (oracle-walk (pop pairs) locals)))
    (`(cond . ,clauses) (dolist (clause clauses) (oracle-walk-all clause locals)))
    (`(condition-case ,name ,body . ,handlers)
     (oracle-walk body locals)
     (dolist (handler handlers)
       (oracle-note-data (car-safe handler))
       (oracle-walk-all (cdr-safe handler) (cons name locals))))
    (`(defvar ,name) (oracle-note 'maybe name))
    (`(,(or 'defvar 'defconst) ,name ,value . ,_)
     (oracle-defines name)
     (oracle-walk value locals))
    (`(interactive . ,arguments) (oracle-walk-all arguments locals))
    (`((lambda . ,_) . ,_) (oracle-walk-all form locals))
    (`(,(and head (pred symbolp)) . ,arguments)
     (oracle-note 'call head)
     (let ((name (oracle-quoted-name (car arguments))))
       (cond ((and name (memq head oracle-definers)) (oracle-defines name))
             ((and name (eq head 'cl-generic-define-method)) (oracle-note 'method name))
             ((and name (eq head 'put) (member (cadr arguments) '('error-conditions 'face-defface-spec)))
              (oracle-defines name))))
     (oracle-walk-all arguments locals))
    (_ (oracle-walk-all form locals))))

;; Files.

(defun oracle-library (file)
  "The name by which FILE is loaded: that of the installed library, else the file itself."
  (let ((inside (and (string-match "emacs-el/\\(.*\\)\\.el\\'" file) (match-string 1 file))))
    (or inside (expand-file-name file))))

(defun oracle-load (file)
  (condition-case nil
      (let ((inhibit-message t) (noninteractive t) (load-prefer-newer nil)
            (warning-minimum-level :emergency) (noninteractive-frame nil))
        (cl-letf (((symbol-function 'read-from-minibuffer) (lambda (&rest _) (error "Asked")))
                  ((symbol-function 'kill-emacs) #'ignore))
          (unless (load (oracle-library file) t t)
            (load (expand-file-name file) t t))))
    ((error quit) nil)))

(defun oracle-expand (form)
  (let ((lexical-binding oracle-is-lexical)
        (macroexpand-all-environment nil)
        (byte-compile-bound-variables nil)
        (inhibit-message t))
    (when (eq (car-safe form) 'declare-function)
      (oracle-note 'macro 'declare-function))
    (macroexpand-all form (list '(declare-function . (lambda (&rest _) nil))))))

(defun oracle-report (file)
  (oracle-put "file" file)
  (unless (string-match-p "subdirs\\.el\\'\\|/leim/\\|loaddefs\\|dunnet\\|/term/\\|cus-load\\|finder-inf" file)
    (oracle-load file)
    (with-temp-buffer
      (let ((coding-system-for-read 'utf-8-emacs-unix))
        (insert-file-contents file))
      (emacs-lisp-mode)
      (goto-char (point-min))
      (setq oracle-is-lexical
            (save-excursion (re-search-forward "lexical-binding: *t" (line-end-position) t)))
      (let ((line 1) (last (point-min)) (load-file-name (expand-file-name file)) (default-directory default-directory))
        (condition-case condition
            (while (progn (forward-comment (buffer-size)) (not (eobp)))
              (setq line (+ line (cl-count ?\n (buffer-substring-no-properties last (point))))
                    last (point))
              (let ((form (read (current-buffer)))
                    (oracle-uses (make-hash-table :test #'equal))
                    (oracle-definitions (make-hash-table :test #'eq))
                    (seen t))
                (condition-case nil
                    (oracle-walk (oracle-expand form) nil)
                  ((error quit) (setq seen nil)))
                (oracle-put "form" line)
                (maphash (lambda (name _) (oracle-put "definition" "" name)) oracle-definitions)
                (maphash (lambda (use _) (oracle-put "use" (car use) "" (cdr use))) oracle-uses)
                (unless seen
                  (oracle-put "unseen"))))
          (end-of-file nil)
          (error (oracle-put "failed" (replace-regexp-in-string "[\n\t]" " " (format "%s" condition)))))))))

(let (file)
  (while (setq file (ignore-errors (read-from-minibuffer "")))
    (oracle-report file)))

;;; emacs-lisp.el ends here
