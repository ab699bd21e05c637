;;; emacs-lisp.el --- What the byte compiler says of files  -*- lexical-binding: t -*-

;; The benchmark of the linter plants faults in real code and asks which of them the compiler tells.  Reads lines from
;; standard input, with tabs between the words:
;;
;;   CASE FILE
;;
;; and prints for each
;;
;;   case CASE
;;   told TEXT            a warning or an error, on one line
;;   failed               the file could not be judged
;;
;; All files are compiled in one process.  What they require stays loaded.

;;; Code:

(require 'bytecomp)
(require 'cl-lib)
(require 'subr-x)

(setq max-lisp-eval-depth 20000
      max-specpdl-size 40000
      gc-cons-threshold (* 64 1024 1024))

(defun oracle-put (&rest words)
  (princ (concat (mapconcat (lambda (word) (format "%s" word)) words "\t") "\n")))

(defun oracle-one-line (text)
  (replace-regexp-in-string "[\n\t]+" " " (substring-no-properties text)))

(defun oracle-judge (file)
  (let* ((object (concat file "c"))
         (byte-compile-verbose nil)
         (byte-compile-warnings t)
         (byte-compile-dest-file-function (lambda (_) object))
         (byte-compile-log-warning-function
          (lambda (text &rest _) (oracle-put "told" (oracle-one-line text))))
         (inhibit-message t))
    (condition-case problem
        (byte-compile-file file)
      (error (oracle-put "told" (oracle-one-line (format "error: %S" problem)))))
    (ignore-errors (delete-file object))))

(let (line)
  (while (setq line (ignore-errors (read-from-minibuffer "")))
    (let ((words (split-string line "\t")))
      (oracle-put "case" (car words))
      (oracle-judge (cadr words)))))

;;; emacs-lisp.el ends here
