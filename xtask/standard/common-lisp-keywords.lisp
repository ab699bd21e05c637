;;;; The functions of the package COMMON-LISP that take arguments by keyword: name, how many it takes by place before them, and
;;;; the keywords.
;;;;
;;;;     sbcl --script xtask/standard/common-lisp-keywords.lisp > crates/lint/src/known-keywords.txt
;;;;
;;;; Generic functions are left out, as methods take further keywords, and so are the functions to which implementations
;;;; have added keywords of their own.

(require :sb-introspect)

(defparameter *extended*
  '(open make-hash-table compile-file load directory make-package delete-file disassemble make-string-output-stream
    make-string-input-stream ensure-directories-exist ensure-generic-function make-load-form-saving-slots
    use-value store-value write write-to-string translate-pathname translate-logical-pathname))

;;; Keywords that other implementations take, too.
(defparameter *others*
  '((make-array ":allocation" ":weak" ":single-thread")))

(let ((rows '()))
  (do-external-symbols (symbol :common-lisp)
    (when (and (fboundp symbol) (not (macro-function symbol)) (not (special-operator-p symbol))
               (not (typep (fdefinition symbol) 'generic-function)) (not (member symbol *extended*)))
      (let* ((parameters (sb-introspect:function-lambda-list symbol))
             (keys (member '&key parameters))
             (before (ldiff parameters keys)))
        (when (and keys (not (member '&optional before)) (not (member '&allow-other-keys keys)))
          (push (list* (string-downcase symbol)
                       (length (ldiff before (member '&rest before)))
                       (loop for key in (rest keys)
                             until (eq key '&aux)
                             for name = (if (consp key) (first key) key)
                             collect (format nil ":~(~a~)" (if (consp name) (first name) name)) into names
                             finally (return (append names (rest (assoc symbol *others*))))))
                rows)))))
  (dolist (row (sort rows #'string< :key #'first))
    (format t "~{~a~^ ~}~%" row)))
