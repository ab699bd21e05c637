;;; emacs-lisp.el --- which lines of standard input Emacs's own reader takes  -*- lexical-binding: t; -*-

;; Prints `+ LINE' or `- LINE' for each.

(set-terminal-coding-system 'utf-8)
(let ((coding-system-for-read 'utf-8) line)
  (while (setq line (ignore-errors (read-from-minibuffer "")))
    (princ (format "%s %s\n"
                   (condition-case nil
                       (let ((from 0))
                         (while (string-match-p "[^ \t]" line from)
                           (setq from (cdr (read-from-string line from))))
                         "+")
                     (error "-"))
                   line))))
