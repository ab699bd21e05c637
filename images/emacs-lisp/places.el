;;; places.el --- the places of definitions when they were loaded  -*- lexical-binding: t; -*-

;; Emacs records which file defines a name and searches for the line when asked.  The file may have changed by then, and
;; the line of a frame is needed at once; so this file records it whenever a source file is read, and keeps the forms
;; for questions about references.

(defvar lispwright--places (make-hash-table :test #'equal)
  "Files and lines by names and kinds of definitions.")

(defvar lispwright--sources nil
  "An alist of source files and their forms: lists of a form, its line, and its name.")

(defvar lispwright--in-hand (make-hash-table :test #'equal)
  "The line, the column and the name of the form that was read last, by files.")

(defconst lispwright--definers
  '((defun . defun) (defmacro . defun) (defsubst . defun) (defalias . defun) (cl-defun . defun) (cl-defmacro . defun)
    (cl-defgeneric . defun) (cl-defsubst . defun) (cl-iter-defun . defun) (iter-defun . defun) (define-inline . defun)
    (define-minor-mode . defun) (define-globalized-minor-mode . defun) (define-derived-mode . defun)
    (transient-define-prefix . defun) (transient-define-suffix . defun)
    (defvar . defvar) (defconst . defvar) (defcustom . defvar) (defvar-local . defvar) (defvar-keymap . defvar)
    (defface . defface) (cl-defstruct . define-type) (defclass . define-type) (ert-deftest . ert-deftest))
  "The kinds of defining forms, in the words of `load-history'.")

(defun lispwright--read (&optional stream)
  "Read a form from STREAM, as loading a file does, and record its place."
  (let ((buffer (cond ((bufferp stream) stream)
                      ((and (markerp stream) (marker-buffer stream)) (marker-buffer stream)))))
    (when (and load-file-name (not lispwright--joined))
      (lispwright--note-reading (expand-file-name load-file-name) buffer))
    (if (not (and buffer load-file-name))
        (read stream)
      (let ((file (expand-file-name load-file-name))
            (line (with-current-buffer buffer (line-number-at-pos (point) t)))
            (column (with-current-buffer buffer (1+ (- (point) (line-beginning-position))))))
        (puthash file (list line column nil) lispwright--in-hand)
        (let* ((form (read stream))
               (name (lispwright--definition-name form)))
          (puthash file (list line column name) lispwright--in-hand)
          (lispwright--note form name file line)
          form)))))

(defun lispwright--definition-name (form)
  "The name of the definition FORM, such as \"defun foo\"; nil when it defines nothing."
  (let ((name (car-safe (cdr-safe form))))
    (when (eq (car-safe name) 'quote)
      (setq name (cadr name)))
    (when (consp name)
      (setq name (car name)))
    (and (symbolp (car-safe form)) (symbolp name) name (string-match-p "\\`\\(cl-\\|ert-\\|iter-\\)?def" (symbol-name (car form)))
         (format "%s %s" (car form) name))))

(defun lispwright--note (form name file line)
  "Record that FORM, called NAME, is in FILE at LINE."
  (let* ((kind (cdr (assq (car-safe form) lispwright--definers)))
         (symbol (car-safe (cdr-safe form)))
         (symbol (if (eq (car-safe symbol) 'quote) (cadr symbol) symbol))
         (symbol (if (consp symbol) (car symbol) symbol)))
    (when (and kind symbol (symbolp symbol))
      (puthash (cons symbol kind) (cons file line) lispwright--places))
    (push (list form line name) (alist-get file lispwright--sources nil nil #'equal))))

(defun lispwright--forget-source (file)
  "Remove the recorded forms of FILE, which is loaded again, and the places of its tests."
  (setf (alist-get file lispwright--sources nil t #'equal) nil)
  (maphash (lambda (key place)
             (when (and (eq (cdr key) 'ert-deftest) (equal (car place) file))
               (remhash key lispwright--places)))
           lispwright--places))

;; Macros define tests, too, often many in one form.  A test is a property of its name, and `load-history' has the properties
;; that a file defines.

(defun lispwright--note-tests (file)
  "Record the places of those ERT tests of FILE, which has been loaded, that macros have defined."
  (let* ((defined (cdr (assq 'ert--test (cdr (assq 'define-symbol-props (cdr (assoc file load-history)))))))
         (made (lispwright--drop-if (lambda (name) (equal (car (lispwright--noted-place name 'ert-deftest)) file)) defined)))
    (when made
      (with-temp-buffer
        (insert-file-contents file)
        (set-syntax-table emacs-lisp-mode-syntax-table)
        (dolist (name (reverse made))
          (puthash (cons name 'ert-deftest) (cons file (lispwright--line-of-list name)) lispwright--places))))))

(defun lispwright--line-of-list (name)
  "The line of the first list in the buffer that starts a line and has NAME as its second element, or nil."
  (goto-char (point-min))
  (let ((case-fold-search nil))
    (and (re-search-forward (concat "^[ \t]*(\\(?:\\sw\\|\\s_\\)+[ \t\n]+" (regexp-quote (symbol-name name)) "\\_>") nil t)
         (line-number-at-pos (match-beginning 0) t))))

(defun lispwright--noted-place (name kind)
  "The file and the line where NAME was defined as KIND, as a cons, or nil."
  (gethash (cons name kind) lispwright--places))

(defun lispwright--find-place (name kind)
  "The file and the line of the definition of NAME as KIND, as a cons, as far as they are known; nil without the file."
  (or (lispwright--noted-place name kind)
      (let ((file (lispwright--source-of (symbol-file name kind))))
        (and file (cons file (lispwright--search name kind file))))))

(defun lispwright--source-of (file)
  "The source of the loaded FILE; FILE itself when there is none, nil for C code or no file."
  (cond ((not (and file (file-name-absolute-p file))) nil)
        ((string-match "\\.el[cn]\\'" file)
         (let ((stem (substring file 0 (match-beginning 0))))
           (lispwright--find-if #'file-readable-p (list (concat stem ".el") (concat stem ".el.gz") file))))
        (t file)))

(defun lispwright--search (name kind file)
  "The line in FILE where NAME is defined as KIND, or nil."
  (require 'find-func)
  (let* ((known (cdr (assq (if (eq kind 'defun) nil kind) find-function-regexp-alist)))
         (pattern (and (symbolp known) (boundp known) (symbol-value known))))
    (when (and (stringp pattern) (string-match-p "\\.el\\(\\.gz\\)?\\'" file) (file-readable-p file))
      (with-temp-buffer
        (let ((inhibit-message t))
          (insert-file-contents file))
        (set-syntax-table emacs-lisp-mode-syntax-table)
        (let ((case-fold-search nil))
          (and (re-search-forward (format pattern (concat "\\\\?" (regexp-quote (symbol-name name)))) nil t)
               (progn
                 (goto-char (match-beginning 0))
                 (skip-chars-forward " \t\n\r\f")
                 (line-number-at-pos))))))))
