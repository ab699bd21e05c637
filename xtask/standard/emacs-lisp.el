;;; emacs-lisp.el --- The functions and macros of Emacs  -*- lexical-binding: t -*-

;; How many arguments the functions and macros take that are there without loading anything, and those of a few libraries
;; that come with Emacs and that most packages load.
;;
;;     emacs -Q --batch -l xtask/standard/emacs-lisp.el > crates/syntax/src/operators/emacs-lisp.txt

(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'map)
(require 'pcase)
(require 'gv)

(defun standard-limits (function)
  "The fewest and most arguments of FUNCTION."
  (let ((arity (func-arity function)))
    (format "%d %s" (car arity) (if (numberp (cdr arity)) (cdr arity) "-"))))

(let (rows)
  (mapatoms
   (lambda (symbol)
     (let* ((name (symbol-name symbol)) (function (and (fboundp symbol) (indirect-function symbol))))
       (unless (or (null function) (autoloadp function) (string-match-p "--\\|[[:space:]]\\|\\`standard-limits" name)
                   (string-match-p "\\`menu-\\|\\`tool-bar-\\|\\`tty-\\|\\`x-\\|\\`vc-\\|\\`ispell-\\|\\`byte-" name))
         (push (cond ((special-form-p function)
                      (let ((arity (func-arity function)))
                        (format "%s s %d %s" name (car arity) (if (numberp (cdr arity)) (cdr arity) "-"))))
                     ((eq (car-safe function) 'macro) (format "%s m %s" name (standard-limits (cdr function))))
                     ((functionp function) (format "%s f %s" name (standard-limits function))))
               rows)))))
  (princ (format "# The functions and macros of Emacs %s by xtask/standard/emacs-lisp.el: name, kind (f, m, s), fewest and most arguments.\n"
                 emacs-version))
  (dolist (row (sort (delq nil rows) #'string<))
    (princ row)
    (princ "\n")))
