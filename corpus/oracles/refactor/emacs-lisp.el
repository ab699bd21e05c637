;;; emacs-lisp.el --- What Emacs's compiler says of files  -*- lexical-binding: t -*-

;; Reads the names of files from the standard input; the first line is the directory that they are loaded from. Prints
;; what `byte-compile-file' logs of each, on lines.

;;; Code:

(require 'bytecomp)

(add-to-list 'load-path (read-string ""))
(let* ((compiled (make-temp-file "compiled" t))
       (byte-compile-dest-file-function (lambda (_) (expand-file-name "it.elc" compiled)))
       (byte-compile-docstring-max-column 2000)
       (inhibit-message t)
       file)
  (while (setq file (ignore-errors (read-string "")))
    (condition-case failure
        (byte-compile-file file)
      (error (princ (format "%s: %S\n" (file-name-nondirectory file) failure))))
    (when (get-buffer byte-compile-log-buffer)
      (with-current-buffer byte-compile-log-buffer
        (let ((inhibit-read-only t))
          ;; In which function a warning is, is no warning.
          (flush-lines "^In .*:$" (point-min) (point-max))
          (princ (buffer-string))
          (erase-buffer)))))
  (delete-directory compiled t))

;;; emacs-lisp.el ends here
