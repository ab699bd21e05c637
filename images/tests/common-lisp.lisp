;;;; Tests of the Common Lisp agent, in one image and without a parent.
;;;; sbcl --load images/tests/common-lisp.lisp

(let ((images (merge-pathnames "../" (or *load-truename* *default-pathname-defaults*))))
  (handler-bind ((warning #'muffle-warning))
    (dolist (file '("common-lisp-sbcl.lisp" "common-lisp.lisp"))
      (let ((*package* *package*))
        (load (merge-pathnames file images))))))

(in-package "LISPWRIGHT.AGENT")

(defvar *failures* 0)

(defmacro check (form expected)
  "FORM's value is EQUAL to EXPECTED."
  `(let ((value ,form)
         (expected ,expected))
     (unless (equal value expected)
       (incf *failures*)
       (format t "~S~%  is       ~S~%  expected ~S~%" ',form value expected))))

(defun text (octets)
  (decode-utf-8 (coerce octets '(simple-array (unsigned-byte 8) (*)))))

(defvar *session-package* (find-package "COMMON-LISP-USER"))

(defun ask (code &rest arguments)
  "The answer to an evaluation of CODE."
  (let ((*package* *session-package*))
    (multiple-value-prog1 (rest (answer-safely (list* :eval :id 1 :code code arguments)))
      (setf *session-package* *package*))))

;;; The wire

(check (text (encode '(:done :id -70 (t nil ()) "a\"b\\c"))) "(:DONE :ID -70 (T NIL NIL) \"a\\\"b\\\\c\")")
(check (text (encode (list (string (code-char #x3BB)) (string (code-char #x1D11E)))))
       (format nil "(\"~A\" \"~A\")" (code-char #x3BB) (code-char #x1D11E)))
(check (length (encode (list (string (code-char #xD800))))) 7)
(check (read-from-string (text (encode (list most-positive-fixnum 0 most-negative-fixnum))))
       (list most-positive-fixnum 0 most-negative-fixnum))

;;; Printing

(check (multiple-value-list (bounded-text 3 (lambda (stream) (write-string "abcdef" stream)))) '("abc" t))
(check (multiple-value-list (bounded-text 3 (lambda (stream) (write-char #\a stream)))) '("a" nil))
(check (bounded-text 5 (lambda (stream) (loop (write-char #\x stream)))) "xxxxx")
(check (let ((*print-base* 2) (*print-case* :downcase)) (value-text '(a 10) 100 nil nil)) '("(A 10)" nil))
(check (let ((x (list 1))) (setf (cdr x) x) (value-text x 100 nil nil)) '("#1=(1 . #1#)" nil))
(check (circular-p '(1 (2 #(3)))) nil)
(check (let ((x (list 1))) (circular-p (list x x))) nil)
(check (let ((x (vector 1))) (setf (aref x 0) (list x)) (circular-p x)) t)

;;; Places

(check (multiple-value-list (line-and-column (format nil "ab~%cd") 0)) '(1 1))
(check (multiple-value-list (line-and-column (format nil "ab~%cd") 4)) '(2 2))
(check (multiple-value-list (line-and-column (format nil "ab~%cd") 99)) '(2 3))

;;; Evaluation

(check (getf (ask "(values 1 :b)") :values) '(("1" nil) (":B" nil)))
(check (getf (ask "(list 1 2)" :print-length 1) :values) '(("(1 ...)" nil)))
(check (getf (ask "\"abcdef\"" :limit 3) :values) '(("\"ab" t)))
(check (getf (ask "1" :package "nowhere") :no-package) "nowhere")
(check (getf (ask "(in-package :keyword)") :package) "KEYWORD")
(check (getf (ask "(cl:in-package :cl-user)") :package) "COMMON-LISP-USER")
(check (getf (ask "(warn \"w ~A\" 1) 2") :warnings) '(("SIMPLE-WARNING" "w 1")))

(let* ((answer (ask (format nil "1~%(progn (error \"boom\"))~%3")))
       (error (getf answer :error))
       (place (getf answer :place)))
  (check (getf answer :outcome) :error)
  (check (getf error :message) "boom")
  (check (getf place :line) 2)
  (check (getf place :index) 2)
  (check (getf place :total) 3)
  (check (getf place :phase) :eval))

(let ((answer (ask "(list 1")))
  (check (getf (getf answer :error) :unclosed) t)
  (check (getf (getf answer :place) :phase) :read))

(check (first (answer-safely '(:no-such-operation :id 1))) :unsupported)
(check (first (answer-safely '(:eval :id 1))) :fault)

(when (plusp *failures*)
  (format t "~D failed~%" *failures*)
  (sb-ext:exit :code 1))
(format t "all passed~%")
