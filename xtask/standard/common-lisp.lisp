;;;; The operators of the package COMMON-LISP with how many arguments they take, as SBCL has them.
;;;;
;;;;     sbcl --script xtask/standard/common-lisp.lisp > crates/syntax/src/operators/common-lisp.txt

(require :sb-introspect)

(defun limits (lambda-list)
  "The fewest and most arguments of a lambda list, with `-` for any number."
  (let ((fewest 0) (most 0) (state :required) (rest lambda-list))
    (loop while (consp rest)
          do (let ((item (pop rest)))
               (case item
                 (&optional (setf state :optional))
                 ((&rest &body &key) (setf state :rest most nil))
                 ((&aux) (setf state :aux))
                 ((&whole &environment) (pop rest))
                 (t (when (and (symbolp item) (char= (char (string item) 0) #\&))
                      (setf state :rest most nil))
                    (case state
                      (:required (incf fewest) (when most (incf most)))
                      (:optional (when most (incf most))))))))
    (when rest (setf most nil))
    (values fewest (or most "-"))))

;;; What is special is not said by the implementation (CLHS 3.1.2.1.2.1).
(defparameter *special*
  '((block 1 "-") (catch 1 "-") (eval-when 1 "-") (flet 1 "-") (function 1 1) (go 1 1) (if 2 3) (labels 1 "-")
    (let 1 "-") (let* 1 "-") (load-time-value 1 2) (locally 0 "-") (macrolet 1 "-") (multiple-value-call 1 "-")
    (multiple-value-prog1 1 "-") (progn 0 "-") (progv 2 "-") (quote 1 1) (return-from 1 2) (setq 0 "-")
    (symbol-macrolet 1 "-") (tagbody 0 "-") (the 2 2) (throw 2 2) (unwind-protect 1 "-")))

(format t "# The operators of COMMON-LISP, from SBCL ~A by xtask/standard/common-lisp.lisp: name, kind (f, m, s), fewest and most arguments.~%"
        (lisp-implementation-version))
(let ((rows '()))
  (do-external-symbols (symbol :common-lisp)
    (let ((name (string-downcase symbol)) (special (assoc symbol *special*)))
      (cond (special (push (list* name "s" (rest special)) rows))
            ((macro-function symbol)
             (push (list* name "m" (multiple-value-list (limits (sb-introspect:function-lambda-list symbol)))) rows))
            ((fboundp symbol)
             (push (list* name "f" (multiple-value-list (limits (sb-introspect:function-lambda-list symbol)))) rows)))))
  (dolist (row (sort rows #'string< :key #'first))
    (format t "~{~A~^ ~}~%" row)))
