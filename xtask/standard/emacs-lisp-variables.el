;;; emacs-lisp-variables.el --- The variables and the features of Emacs  -*- lexical-binding: t -*-

;;     emacs --batch -Q -l xtask/standard/emacs-lisp-variables.el --eval '(print-variables)' > crates/lint/src/known-emacs-variables.txt
;;     emacs --batch -Q -l xtask/standard/emacs-lisp-variables.el --eval '(print-features)' > crates/lint/src/known-emacs-features.txt
;;     emacs --batch -Q -l xtask/standard/emacs-lisp-variables.el --eval '(print-words)' > crates/lint/src/known-emacs-words.txt
;;     emacs --batch -Q -l xtask/standard/emacs-lisp-variables.el --eval '(print-autoloads)' > crates/lint/src/known-emacs-autoloads.txt

;;; Code:

(defun print-names (names)
  (dolist (name (sort (delete-dups names) #'string<))
    (princ (concat name "\n"))))

(defun print-variables ()
  "The variables that are there when Emacs starts."
  (let (names)
    (mapatoms (lambda (symbol)
                (when (and (or (special-variable-p symbol) (boundp symbol)) (not (keywordp symbol))
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

(defconst word-definition
  (concat "^[ \t]*(\\(?:cl-\\)?\\(?:def[a-z-]+\\*?\\|autoload\\|declare-function\\)[ \t]+'?"
          "\\([[:alpha:]][[:alnum:]]*\\)[ \t\n)]")
  "What defines a name of one word, at the beginning of a line.")

(defun print-words ()
  "Print the functions and macros of one word that Emacs or one of its libraries defines."
  (let (words)
    (mapatoms (lambda (symbol)
                (when (and (fboundp symbol) (string-match-p "\\`[[:alpha:]][[:alnum:]]*\\'" (symbol-name symbol)))
                  (push (symbol-name symbol) words))))
    (dolist (directory load-path)
      (when (file-directory-p directory)
        (dolist (file (directory-files directory t "\\.el\\(?:\\.gz\\)?\\'"))
          (with-temp-buffer
            (insert-file-contents file)
            (while (re-search-forward word-definition nil t)
              (push (match-string 1) words))))))
    (print-names words)))

(defun print-autoloads ()
  "Print the functions that are loaded when they are called for the first time."
  (let (names)
    (mapatoms (lambda (symbol)
                (let ((function (and (fboundp symbol) (symbol-function symbol))))
                  (when (and (autoloadp function) (memq (nth 4 function) '(nil keymap)))
                    (push (symbol-name symbol) names)))))
    (print-names names)))

;;; emacs-lisp-variables.el ends here
