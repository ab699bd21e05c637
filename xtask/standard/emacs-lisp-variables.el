;;; emacs-lisp-variables.el --- The variables and the features of Emacs  -*- lexical-binding: t -*-

;;     emacs --batch -Q -l xtask/standard/emacs-lisp-variables.el --eval '(print-variables)' > crates/lint/src/known-emacs-variables.txt
;;     emacs --batch -Q -l xtask/standard/emacs-lisp-variables.el --eval '(print-features)' > crates/lint/src/known-emacs-features.txt

;;; Code:

(defun print-names (names)
  (dolist (name (sort (delete-dups names) #'string<))
    (princ (concat name "\n"))))

(defun print-variables ()
  "The dynamic variables that are there when Emacs starts."
  (let (names)
    (mapatoms (lambda (symbol)
                (when (and (special-variable-p symbol) (not (keywordp symbol))
                           (string-match-p "\\`[a-z][a-z0-9-]+\\'" (symbol-name symbol)))
                  (push (symbol-name symbol) names))))
    (print-names names)))

(defun print-features ()
  "What can be required without a package."
  (let (names)
    (dolist (directory load-path)
      (when (file-directory-p directory)
        (dolist (file (directory-files directory nil "\\`[a-z][a-z0-9+-]*\\.elc?\\(\\.gz\\)?\\'"))
          (push (replace-regexp-in-string "\\.elc?\\(\\.gz\\)?\\'" "" file) names))))
    (print-names names)))

;;; emacs-lisp-variables.el ends here
