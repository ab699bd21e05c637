;;;; Macro expansion of one form, printed to be read.

(in-package "LISPWRIGHT.AGENT")

(defun expand-form (form level)
  "The expansion of FORM, and whether it differs from FORM."
  (let ((*boundary* t))
    (multiple-value-bind (expansion changed)
        (ecase level
          (:once (macroexpand-1 form))
          (:full (macroexpand form))
          (:all (let ((expansion (expand-all form)))
                  (values expansion (not (same-form-p form expansion))))))
      (list expansion (and changed t)))))

(defun same-form-p (form other)
  "True when both read alike. Examines at most 100,000 parts, and takes larger forms as different."
  (let ((agenda (list (cons form other))))
    (loop repeat 100000
          while agenda
          do (destructuring-bind (left . right) (pop agenda)
               (cond ((and (consp left) (consp right))
                      (push (cons (cdr left) (cdr right)) agenda)
                      (push (cons (car left) (car right)) agenda))
                     ((not (or (eql left right)
                               (and (stringp left) (stringp right) (string= left right))))
                      (return-from same-form-p nil)))))
    (null agenda)))

(defun answer-macroexpand (&rest arguments &key code (level :once) (limit 10000) &allow-other-keys)
  "Expands the one form in CODE; returns the fields of the answer."
  (check-type code string)
  (apply #'call-evaluating
         (lambda (evaluation)
           (let* ((stream (evaluation-stream evaluation))
                  (form (read-next-form evaluation))
                  (count (if (eq form stream)
                             0
                             (1+ (or (forms-left code (file-position stream)) 1)))))
             (if (/= count 1)
                 (list :outcome :refused :not-one-form count)
                 (destructuring-bind (expansion changed) (expand-form form level)
                   (setf (evaluation-phase evaluation) :print)
                   (destructuring-bind (text cut) (expansion-text expansion limit)
                     (list :outcome :expanded :text text :cut cut :changed changed))))))
         arguments))

(defun expansion-text (expansion limit)
  (let ((*boundary* t))
    (value-text expansion limit :case :downcase)))
