;;; e.el --- e -*- lexical-binding: t -*-
(require 'cl-lib)
(defun e-one (a)
  "Doc."
  (interactive
   (list 1))
  (condition-case err
      (e-two a)
    (error
     (message "x"
              1)))
  (save-excursion
    (goto-char 1))
  (pcase a
    (`(,x . ,y)
     x)
    (_ 2))
  (if a
      1
    2
    3)
  (cl-loop for x in a
           do (print x))
  (let* ((x 1)
         (y 2))
    (cond
     ((= x y)
      1)
     (t
      2))))
(defcustom e-x nil
  "Doc"
  :type 'boolean
  :group 'e)
(define-minor-mode e-mode
  "Doc"
  :lighter "e"
  (if e-mode
      1
    2))
(with-current-buffer a
  (foo))
(add-hook 'x
          #'y)
(provide 'e)
