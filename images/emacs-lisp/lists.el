;;; lists.el --- searching lists without a library  -*- lexical-binding: t; -*-

;; A fresh Emacs knows few of the functions of seq, cl-lib and subr-x, and a file that calls them has to require their
;; library.  If the agent loaded one of these, the file would work here without that, and nowhere else.

(defun lispwright--find-if (predicate list)
  "The first element of LIST for which PREDICATE returns non-nil, or nil."
  (while (and list (not (funcall predicate (car list))))
    (setq list (cdr list)))
  (car list))

(defun lispwright--keep-if (predicate list)
  "The elements of LIST for which PREDICATE returns non-nil."
  (let ((kept nil))
    (dolist (element list (nreverse kept))
      (when (funcall predicate element)
        (push element kept)))))

(defun lispwright--drop-if (predicate list)
  "The elements of LIST for which PREDICATE returns nil."
  (lispwright--keep-if (lambda (element) (not (funcall predicate element))) list))

(defun lispwright--first (count list)
  "The first COUNT elements of LIST."
  (let ((taken nil))
    (while (and list (> count 0))
      (push (pop list) taken)
      (setq count (1- count)))
    (nreverse taken)))
