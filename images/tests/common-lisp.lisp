;;;; Tests of the Common Lisp agent, in one image and without a parent.
;;;; sbcl --script images/tests/common-lisp.lisp
;;;; ecl --norc --shell images/tests/common-lisp.lisp
;;;; clisp -norc -q -q -ansi -on-error debug images/tests/common-lisp.lisp

(let ((images (merge-pathnames "../common-lisp/" (or *load-truename* *default-pathname-defaults*))))
  (handler-bind ((warning #'muffle-warning))
    (dolist (file '("descriptors.lisp"
                    #+sbcl "sbcl.lisp" #+ecl "ecl.lisp" #+clisp "clisp.lisp"
                    #-sbcl "libc.lisp" #+ecl "ecl-signals.lisp"
                    "bounded.lisp" "wire.lisp" "agent.lisp" "objects.lisp"
                    "expand.lisp" "held.lisp" #+sbcl "copies.lisp"
                    #+sbcl "sbcl-compiler.lisp" #+sbcl "asdf.lisp" #+sbcl "sbcl-definitions.lisp"
                    #+sbcl "definitions.lisp" #+sbcl "packages.lisp" #+sbcl "noting.lisp" #+sbcl "concealing.lisp"
                    #+sbcl "settings.lisp" #+sbcl "renewal.lisp" #+sbcl "libraries.lisp" #+sbcl "systems.lisp"
                    #+sbcl "frameworks.lisp" #+sbcl "tally.lisp"
                    #+sbcl "summaries.lisp" #+sbcl "observing.lisp"
                    #+sbcl "frameworks/fiveam.lisp" #+sbcl "frameworks/rt.lisp"
                    #+sbcl "test-op.lisp"
                    #+sbcl "tests.lisp"
                    "describe.lisp" #+sbcl "sbcl-describe.lisp"))
      (let ((*package* *package*)
            (*load-verbose* nil))
        (load (merge-pathnames file images))))))

(in-package "LISPWRIGHT.AGENT")

;; ECL evaluates a script with handlers around it.
#+ecl (setf si::*handler-clusters* '())

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

;;; Repeated calls

(check (multiple-value-list (repetition #(x a a a a a b) 1)) '(1 5))
(check (multiple-value-list (repetition #(a b a b a b a b) 0)) '(2 4))
(check (multiple-value-list (repetition #(a b c a b c a b) 0)) '(1 1))
(check (multiple-value-list (repetition #(a) 0)) '(1 1))

;;; The wire

(check (text (encode '(:done :id -70 (t nil ()) "a\"b\\c"))) "(:DONE :ID -70 (T NIL NIL) \"a\\\"b\\\\c\")")
(check (text (encode (list (string (code-char #x3BB)) (string (code-char #x1D11E)))))
       (format nil "(\"~A\" \"~A\")" (code-char #x3BB) (code-char #x1D11E)))
(check (length (encode (list (string (code-char #xD800))))) 7)
(check (read-from-string (text (encode (list most-positive-fixnum 0 most-negative-fixnum))))
       (list most-positive-fixnum 0 most-negative-fixnum))

;; An encoded message is decoded unchanged.
(dolist (message (list '(:eval :id 7 :code "(+ 1 2)" :hold t :package nil)
                       (list :code (format nil "\"a\\b\" (c)~%\\") :limit -10000)
                       (list :code "" (list (list "\\" "\"" "x\\")) '((())))
                       (list most-positive-fixnum (expt 10 30) (- (expt 10 30)))
                       (list (format nil "~A \"~A~A" (code-char #x3BB) (code-char #x1D11E) (code-char #x7F)))))
  (check (decode (text (encode message))) message))
(check (equal (decode "(:EVAL :ID 1)") (decode " (:EVAL  :ID 1 ) ")) t)
(check (let ((depth 100000)
             (deep (decode (concatenate 'string (make-string 100000 :initial-element #\() (make-string 100000 :initial-element #\))))))
         (loop while (consp deep)
               do (setf deep (first deep))
                  (decf depth))
         depth)
       1)
(check (let ((*read-base* 2) (*readtable* (copy-readtable nil)))
         (set-macro-character #\: (lambda (stream character) (declare (ignore stream character)) 0))
         (decode "(:EVAL :ID 13)"))
       '(:eval :id 13))
;; Anything outside the wire's notation decodes to nothing.
(dolist (text '("" " " ")" "1" "\"a\"" "(" "(\"a" "(\"a\\" "(\"a\\\"" "(a)" "(#.1)" "(1 . 2)"))
  (check (list text (decode text)) (list text nil)))

;;; Printing

(check (multiple-value-list (bounded-text 3 (lambda (stream) (write-string "abcdef" stream)))) '("abc" t))
(check (multiple-value-list (bounded-text 3 (lambda (stream) (write-char #\a stream)))) '("a" nil))
(check (bounded-text 5 (lambda (stream) (loop (write-char #\x stream)))) "xxxxx")
(check (let ((*print-base* 2) (*print-case* :downcase)) (value-text '(a 10) 100)) '("(A 10)" nil))
(check (let ((x (list 1))) (setf (cdr x) x) (value-text x 100)) '("#1=(1 . #1#)" nil))
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

;;; Objects

(defun look (number &rest arguments)
  (getf (rest (answer-safely (list* :inspect :id 1 :object number arguments))) :object))

(defun result (code)
  (getf (ask code) :object))

(defun part-texts (node)
  "The labels and texts of NODE's parts."
  (loop for (label part) in (getf node :parts)
        collect (list (if (consp label) (getf label :text) label)
                      (or (getf part :text) (getf part :kind)))))

(check (result "1") nil)
(check (result "\"short\"") nil)
(check (result "'car") nil)
(check (getf (result "(list 1 2)") :kind) "list")
(check (part-texts (result "(list* 1 :b \"c\")")) '((nil "1") (nil ":B") ("tail" "\"c\"")))
(check (getf (result "(list* 1 2)") :facts) '(("shape" "dotted")))
(let ((node (result "(let ((x (list 1 2))) (setf (cddr x) x))")))
  (check (getf node :total) 2)
  (check (getf node :facts) '(("shape" "circular")))
  (check (getf (second (third (getf node :parts))) :seen) t)
  (check (getf (second (third (getf node :parts))) :id) (getf node :id)))
(check (multiple-value-list (list-shape '(1 2 3))) '(3 nil))
(check (multiple-value-list (list-shape '(1))) '(1 nil))
(check (let ((x (list 1))) (setf (cdr x) x) (multiple-value-list (list-shape x))) '(1 :circular))
(check (let ((x (list 1 2 3))) (setf (cdddr x) (cdr x)) (multiple-value-list (list-shape x))) '(3 :circular))
(check (part-texts (result "(make-array '(2 2) :initial-contents '((a b) (c d)))"))
       '(("(0 0)" "A") ("(0 1)" "B") ("(1 0)" "C") ("(1 1)" "D")))
(check (part-texts (result "(let ((h (make-hash-table))) (setf (gethash :k h) 1) h)")) '((":K" "1")))
(ask "(defclass point () ((x :initarg :x) (y :initarg :y)))
      (defmethod print-object ((p point) stream) (error \"no picture\"))")
(let ((node (result "(make-instance 'point :x (list 1 2))")))
  (check (getf node :kind) "instance")
  (check (part-texts node) '(("X" "(1 2)") ("Y" "unbound")))
  (let ((inner (look (getf (second (first (getf node :parts))) :id) :count 1 :offset 1)))
    (check (list (part-texts inner) (getf inner :total) (getf inner :offset)) '(((nil "2")) 2 1))))
(ask "(defstruct pair left right)")
(check (part-texts (result "(make-pair :left 1)")) '(("LEFT" "1") ("RIGHT" "NIL")))
(check (mapcar #'second (last (part-texts (result "(make-condition 'simple-error :format-control \"x\" :format-arguments nil)"))
                               2))
       '("\"x\"" "NIL"))
(let ((node (result "(defun add (a &optional b) \"Adds.\" (+ a b)) #'add")))
  (check (subseq (getf node :facts) 0 2) '(("name" "ADD") ("lambda list" "(A &OPTIONAL B)")))
  (check (member '("documentation" "Adds.") (getf node :facts) :test #'equal) '(("documentation" "Adds."))))
(check (part-texts (result "(let ((n 5)) (lambda () (incf n)))")) '(#-clisp ("closed over" "5")))
(check (getf (result "(make-string 500 :initial-element #\\a)") :total) 500)
(check (getf (result "*package*") :kind) "package")
(check (getf (result "#p\"/tmp/x.y\"") :kind) "pathname")
(check (getf (result "*standard-output*") :kind) "stream")
(check (getf (rest (answer-safely '(:inspect :id 1 :object 999999))) :no-object) 999999)

(let ((first-number (getf (result "(defvar *kept* (list 1))  *kept*") :id)))
  (check (getf (result "*kept*") :id) first-number)
  (ask "(loop repeat 1200 collect (list 1))")
  (dotimes (index 200)
    (result "(list (list 1) (list 2) (list 3) (list 4) (list 5) (list 6))"))
  (check (hash-table-count *objects*) +most-objects+)
  (check (hash-table-count *object-numbers*) +most-objects+)
  (check (look first-number) nil)
  (check (> (getf (result "*kept*") :id) first-number) t))
(check (>= (getf (rest (answer-safely '(:ping :id 1 :next-object 50000))) :next-object) 50000) t)
(check (>= (getf (result "(list 1)") :id) 50000) t)

;;; Macros

(defun expansion (code level)
  (let ((answer (rest (answer-safely (list :macroexpand :id 1 :code code :level level :package "COMMON-LISP-USER")))))
    (list (flat (getf answer :text)) (getf answer :changed))))

(defun flat (text)
  "TEXT with every run of white space as one blank."
  (with-output-to-string (out)
    (loop with blank = nil
          for character across text
          do (cond ((member character '(#\Space #\Newline)) (setf blank t))
                   (t (when blank (write-char #\Space out) (setf blank nil))
                      (write-char character out))))))

(ask "(defmacro cl-user::both (x) `(list ,x ,x))")
(check (expansion "(both a)" :once) '("(list a a)" t))
(check (expansion "(if a b)" :full) '("(if a b)" nil))
(check (expansion "(list (both a))" :once) '("(list (both a))" nil))
(check (expansion "(car (both \"b\"))" :all) '("(car (list \"b\" \"b\"))" t))
(check (expansion "(list 'a \"b\")" :all) '("(list 'a \"b\")" nil))
(check (getf (rest (answer-safely '(:macroexpand :id 1 :code "1 2" :level :once))) :not-one-form) 2)
(check (getf (rest (answer-safely '(:macroexpand :id 1 :code "(when" :level :once))) :outcome) :error)

;;; Names

(check (split-name "foo") '("FOO" nil nil))
(check (split-name " Pkg::|fOo| ") '("fOo" "PKG" nil))
(check (split-name "(setf pkg:foo)") '("FOO" "PKG" t))
(check (split-name "#'foo") '("FOO" nil nil))
(check (split-name ":foo") '("FOO" "KEYWORD" nil))
(check (split-name "f\\:o|:|o") '("F:O:O" nil nil))
(check (split-name "") '("" nil nil))

#+sbcl
(defun described (name &optional (package "COMMON-LISP-USER"))
  "The answer that describes NAME."
  (rest (answer-safely (list :describe :id 1 :name name :package package))))

#+sbcl
(ask "(defvar *described* 5 \"Doc.\") (defun (setf described) (a &optional (b 1)) (list a b))")
#+sbcl
(let* ((answer (described "*described*"))
       (meaning (first (getf answer :meanings))))
  (check (getf answer :outcome) :described)
  (check (getf answer :home) "COMMON-LISP-USER")
  (check (getf answer :exported) nil)
  (check (list (getf meaning :type) (getf meaning :documentation) (getf meaning :facts))
         '("special variable" "Doc." (("value" "5")))))
#+sbcl
(check (mapcar (lambda (meaning) (list (getf meaning :name) (getf meaning :arglist)))
               (getf (described "described") :meanings))
       '(("(setf described)" "(a &optional (b 1))")))
#+sbcl
(check (getf (described "desc-ribed") :no-name) "desc-ribed")
#+sbcl
(check (find-symbol "DESC-RIBED" "COMMON-LISP-USER") nil)
#+sbcl
(check (and (member "DESCRIBED" (getf (described "desc-ribed") :names) :test #'string=) t) t)
#+sbcl
(check (getf (described "x" "nowhere") :no-package) "nowhere")
#+sbcl
(check (line-of-form (format nil "a~% ; b~%~%c") 1) 4)
#+sbcl
(check (line-of-form "" 7) 1)

#+sbcl
(ask "(defun describer () *described*)")
#+sbcl
(check (mapcar (lambda (reference) (list (getf reference :kind) (getf reference :name)))
               (getf (rest (answer-safely '(:references :id 1 :name "*described*" :package "COMMON-LISP-USER"))) :references))
       '(("reference" "describer")))

;;; Interrupts

;; One that comes while the evaluation ends does not interrupt the next.
#+clisp
(compile 'forget-interrupt)
#+clisp
(check (handler-case
           (funcall (compile nil '(lambda ()
                                   (libc "kill" :int :int (libc "getpid" :int) :int +sigint+)
                                   (forget-interrupt)
                                   (eval '(progn :kept)))))
         (system::interrupt-condition () :interrupted))
       :kept)

(check (first (answer-safely '(:no-such-operation :id 1))) :unsupported)
(check (first (answer-safely '(:eval :id 1))) :fault)

(when (plusp *failures*)
  (format t "~D failed~%" *failures*)
  #+sbcl (sb-ext:exit :code 1)
  #-sbcl (ext:quit 1))
(format t "all passed~%")
