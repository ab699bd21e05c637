;;; look.el --- macro expansion  -*- lexical-binding: t; -*-

(defun lispwright--pretty-text (form limit)
  "FORM, pretty-printed in at most LIMIT characters: a list of the text and whether it was cut."
  (let* ((indent-tabs-mode nil)
         (plain (lispwright--value-text form limit))
         (text (if (or (cadr plain) (<= (length (car plain)) 80)) (car plain) (string-trim-right (pp-to-string form)))))
    (list (lispwright--cut text limit) (or (cadr plain) (> (length text) limit)))))

(defun lispwright--expand (form level)
  "FORM with its macros expanded to LEVEL."
  (pcase level
    (:ALL (macroexpand-all form))
    (:FULL (macroexpand form))
    (_ (macroexpand-1 form))))

(defun lispwright--answer-macroexpand (request)
  "Expand the one form in the code of REQUEST."
  (lispwright--with-code
   request 'eval
   (lambda ()
     (let ((forms nil) form)
       (while (setq form (lispwright--read-next))
         (push (car form) forms))
       (setq lispwright--phase :eval)
       (setq lispwright--index (length forms))
       (if (/= (length forms) 1)
           (list :outcome :refused :not-one-form (if forms (length forms) t))
         (let* ((form (car forms))
                (expansion (lispwright--expand form (lispwright--argument request :LEVEL)))
                (text (lispwright--pretty-text expansion (or (lispwright--argument request :LIMIT) 10000))))
           (list :outcome :expanded :text (car text) :cut (cadr text) :changed (not (equal form expansion)))))))))
