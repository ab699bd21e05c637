;;;; Tests of bringing an image to the state of the files, in one image and without a parent.
;;;; sbcl --script images/tests/common-lisp-renewal.lisp
;;;; ecl --norc --shell images/tests/common-lisp-renewal.lisp
;;;; clisp -norc -q -q -ansi -on-error debug images/tests/common-lisp-renewal.lisp

(require "asdf")

(let ((images (merge-pathnames "../common-lisp/" (or *load-truename* *default-pathname-defaults*))))
  (handler-bind ((warning #'muffle-warning))
    (dolist (file '("descriptors.lisp"
                    #+sbcl "sbcl.lisp" #+ecl "ecl.lisp" #+clisp "clisp.lisp"
                    #-sbcl "libc.lisp" #+ecl "ecl-signals.lisp"
                    "bounded.lisp" "wire.lisp" "agent.lisp" "objects.lisp" "expand.lisp" "held.lisp" #+sbcl "copies.lisp"
                    "asdf.lisp" #-sbcl "performing.lisp" #+sbcl "sbcl-compiler.lisp"
                    #+ecl "ecl-compiler.lisp" #+clisp "clisp-compiler.lisp"
                    #+sbcl "sbcl-definitions.lisp" #+ecl "ecl-definitions.lisp" #+clisp "clisp-definitions.lisp"
                    "definitions.lisp" "packages.lisp" "noting.lisp" "concealing.lisp" "settings.lisp" "renewal.lisp"
                    "libraries.lisp" "systems.lisp" "plans.lisp" "containing.lisp" "gone-tests.lisp" "explanations.lisp"
                    "frameworks.lisp" "tally.lisp" "observing.lisp"
                    "frameworks/fiveam.lisp" "frameworks/rt.lisp" "frameworks/parachute.lisp" "frameworks/rove.lisp"
                    "frameworks/fiasco.lisp" "frameworks/1am.lisp" "frameworks/lift.lisp" "frameworks/lisp-unit.lisp"
                    "frameworks/prove.lisp" "frameworks/try.lisp"))
      (let ((*package* *package*)
            (*load-verbose* nil))
        (load (merge-pathnames file images))))))

(in-package "LISPWRIGHT.AGENT")

;; ECL evaluates a script with handlers around it.
#+ecl (setf si::*handler-clusters* '()
            *main-thread* mp:*current-process*)

(defvar *failures* 0)

(defmacro check (form expected)
  "FORM's value is EQUAL to EXPECTED."
  `(let ((value ,form)
         (expected ,expected))
     (unless (equal value expected)
       (incf *failures*)
       (format t "~S~%  is       ~S~%  expected ~S~%" ',form value expected))))

(defvar *directory* (uiop:ensure-directory-pathname (make-temporary-directory "/tmp/lispwright-test-XXXXXX")))

(setf uiop:*user-cache* (merge-pathnames "cache/" *directory*)
      *directory* (merge-pathnames "project/" *directory*))
(ensure-directories-exist *directory*)

;; Compiled files go to the directory of the test.
(defun cache-directory ()
  uiop:*user-cache*)

;; Nobody reads it.
(defun send (message)
  (declare (ignore message)))

(defun path (name)
  (namestring (merge-pathnames name *directory*)))

(defun file (name &rest lines)
  "Writes a file of the project."
  (with-open-file (stream (path name) :direction :output :if-exists :supersede)
    (format stream "~{~A~%~}" lines)))

(defun ask (function &rest arguments)
  "The answer of FUNCTION in the project."
  (let ((roots (list (namestring *directory*)))
        (*error-output* (make-broadcast-stream))
        (*standard-output* (make-broadcast-stream)))
    (apply function :roots roots
                    :definitions (mapcar #'namestring (directory (merge-pathnames "*.asd" *directory*)))
                    arguments)))

(defun states ()
  "The names of the loaded files that are not the same, with their states."
  (loop for (path state) in (getf (ask #'answer-loaded-files) :files)
        unless (eq state :same)
          collect (list (file-namestring path) state)))

(defun load-now (&rest arguments)
  "The answer to a load, to which the changed and the gone files are sent as the parent does it."
  (let ((states (getf (ask #'answer-loaded-files) :files)))
    (apply #'ask #'answer-load
           (append arguments
                   (list :stale (loop for (path state) in states
                                      when (eq state :changed)
                                        collect (list path t '()))
                         :gone (loop for (path state) in states
                                     when (eq state :gone)
                                       collect path))))))

(defun outcome (answer)
  (list* (getf answer :outcome)
         (and (eq (getf answer :outcome) :error)
              (list (getf (find "error" (getf answer :diagnostics) :key (lambda (one) (getf one :severity)) :test #'equal)
                          :line)))))

(defun names (answer field)
  (mapcar (lambda (one) (if (stringp one) (file-namestring one) (subseq one 0 2))) (getf answer field)))

(defun value (text)
  "The value of the code TEXT, or the kind of its error."
  (handler-case (eval (read-from-string text))
    (undefined-function () :undefined-function)
    (unbound-variable () :unbound-variable)
    (error () :error)))

;;; A system

(file "shop.asd" "(defsystem \"shop\" :components ((:file \"base\") (:file \"user\") (:file \"last\" :depends-on (\"base\"))))"
      "(defsystem \"shop/tests\" :depends-on (\"shop\") :components ((:file \"tests\")))")
(file "base.lisp" "(defpackage :shop (:use :cl) (:export #:f #:g))" "(in-package :shop)"
      "(defun f () 1)" "(defun helper () 1)" "(defmacro m () 1)" "(defvar *kept* (list 1))" "(defvar *gone* 1)"
      "(defconstant +k+ 1)" "(defclass thing () ((a :initform 1 :reader thing-a)))" "(defstruct grain kind)"
      "(defgeneric area (x))" "(defmethod area ((x integer)) 1)" "(defmethod print-object ((x thing) s) (write-string \"thing\" s))"
      "(defun (setf place) (v) v)" "(deftype small () '(integer 0 9))" "(defsetf other () (v) v)")
(file "user.lisp" "(in-package :shop)" "(defun user () (helper))")
(file "last.lisp" "(in-package :shop)" "(defun later () 1)")
(file "tests.lisp" "(in-package :shop)" "(defun tested () (user))")

(check (outcome (load-now :system "shop/tests")) '(:loaded))
(check (names (ask #'answer-load :system "shop/tests" :force nil) :comprises)
       '("base.lisp" "user.lisp" "last.lisp" "tests.lisp"))
(check (getf (ask #'answer-load :system "shop/tests" :force nil) :unchanged) t)
(check (states) '())
(check (value "(shop::tested)") 1)
(check (value "(typep 5 'shop::small)") t)

;; What was defined by hand stays.
(value "(defun shop::by-hand () 1)")
(value "(defun shop::helper () 7)")

(file "base.lisp" "(defpackage :shop (:use :cl) (:export #:f))" "(in-package :shop)" "(defun f () 2)" "(defvar *kept* (list 1))")
(check (states) '(("base.lisp" :changed)))
(let ((uses (loop for (path nil used) in (getf (ask #'answer-loaded-files) :files)
                  collect (cons (file-namestring path) (sort (mapcar #'file-namestring used) #'string<)))))
  (check uses '(("base.lisp") ("user.lisp") ("last.lisp" "base.lisp") ("tests.lisp" "last.lisp" "user.lisp"))))
(let ((answer (load-now :system "shop" :force nil)))
  (check (outcome answer) '(:loaded))
  ;; The second file declares no dependency, so it is built with what is before it.
  (check (names answer :loaded) '("base.lisp" "user.lisp" "last.lisp"))
  (check (sort (mapcar #'second (getf answer :removed)) #'string<)
         '("(setf shop::place)" "print-object (shop::thing t)" "shop::*gone*" "shop::+k+" "shop::area" "shop::grain" "shop::m" "shop::other" "shop::small"
           "shop::thing" "shop::thing-a"))
  (check (remove-duplicates (mapcar #'third (getf answer :removed)) :test #'equal) (list (path "base.lisp"))))
(check (states) '())
(check (value "(typep 5 'shop::small)") :error)
(check (mapcar #'value '("(shop::f)" "(shop::helper)" "(shop::by-hand)" "shop::*kept*" "shop::*gone*" "shop::+k+"
                         "(fboundp 'shop::m)" "(fboundp 'shop::area)" "(fboundp 'shop::make-grain)" "(fboundp 'shop::grain-kind)"
                         "(find-class 'shop::thing nil)" "(fboundp 'shop::thing-a)" "(fboundp '(setf shop::place))" "(shop::later)"
                         "(nth-value 1 (find-symbol \"G\" :shop))"))
       '(2 7 1 (1) :unbound-variable :unbound-variable nil nil nil nil nil nil nil 1 :internal))

;; The variable can be bound lexically again.
(check (funcall (value "(let ((shop::*gone* 3)) (lambda () shop::*gone*))")) 3)

;;; Variables

(defun variable-story (code)
  "What is said of the variable SHOP::*KEPT* after CODE, when its initial value changes."
  (value "(setf shop::*kept* '())")
  (file "base.lisp" "(defpackage :shop (:use :cl) (:export #:f))" "(in-package :shop)" "(defun f () 2)" "(defparameter *kept* (list 2))")
  (load-now :system "shop/tests")
  (value code)
  (file "base.lisp" "(defpackage :shop (:use :cl) (:export #:f))" "(in-package :shop)" "(defun f () 2)" "(defvar *kept* (list 3))")
  (let ((answer (ask #'answer-load :system "shop/tests" :stale (list (list (path "base.lisp") t '(("shop" "*kept*")))))))
    (list (getf answer :reset) (getf answer :keeps) (value "shop::*kept*"))))

(check (variable-story "1") '(("shop::*kept*") () (3)))
(check (variable-story "(push 9 shop::*kept*)") '(() ("shop::*kept*") (9 2)))

;;; What fails leaves nothing

(file "base.lisp" "(defpackage :shop (:use :cl) (:export #:f))" "(in-package :shop)" "(defun f () 3)" "(defun new () 1)"
      "(defpackage :shop.half (:use :cl))" "(defvar *kept* (list 1))" "" "(error \"no\")" "(defun never () 1)")
(loop repeat 2
      do (let ((answer (load-now :system "shop/tests")))
           (check (outcome answer) '(:error 8))
           (check (getf answer :loaded) '())
           (check (mapcar #'value '("(shop::f)" "(fboundp 'shop::new)" "(find-package :shop.half)" "(shop::later)" "(shop::tested)"))
                  '(2 nil nil 1 7))
           (check (states) '(("base.lisp" :changed)))))

;; A file that is compiled again sees nothing of those after it.
(file "base.lisp" "(defpackage :shop (:use :cl) (:export #:f))" "(in-package :shop)" "(defun f () 3)" "(defvar *early* (later))")
(check (outcome (load-now :system "shop/tests")) '(:error 4))
(check (mapcar #'value '("(shop::f)" "(shop::later)")) '(2 1))
(file "base.lisp" "(defpackage :shop (:use :cl) (:export #:f))" "(in-package :shop)" "(defun f () 4)")
(check (outcome (load-now :system "shop/tests")) '(:loaded))
(check (mapcar #'value '("(shop::f)" "(shop::later)" "(shop::*early*)")) '(4 1 :undefined-function))

;; A file that the target does not need is left.
(file "lone.lisp" "(defpackage :lone (:use :cl))" "(in-package :lone)" "(defun l () 1)")
(check (outcome (load-now :path (path "lone.lisp"))) '(:loaded))
(file "lone.lisp" "(in-package :lone)" "(error \"not now\")")
(let ((answer (ask #'answer-load :system "shop" :force nil :stale (list (list (path "lone.lisp") nil '())))))
  (check (outcome answer) '(:loaded))
  (check (mapcar (lambda (left) (list (file-namestring (first left)) (search "not now" (second left)))) (getf answer :left))
         '(("lone.lisp" 0))))
(check (states) '(("lone.lisp" :changed)))
(check (value "(lone::l)") 1)
(delete-file (path "lone.lisp"))
(let ((answer (load-now :system "shop" :force nil)))
  (check (getf answer :removed) (list (list "function" "lone::l" (path "lone.lisp")) (list "package" "lone" (path "lone.lisp")))))
(check (value "(find-package :lone)") nil)

;; A file that is no part of its system any more.
(file "shop.asd" "(defsystem \"shop\" :components ((:file \"base\") (:file \"user\")))"
      "(defsystem \"shop/tests\" :depends-on (\"shop\") :components ((:file \"tests\")))")
(check (mapcar #'second (getf (load-now :system "shop") :removed)) '("shop::later"))
(check (value "(fboundp 'shop::later)") nil)

;;; Packages

(file "base.lisp" "(defpackage :shop (:use :cl) (:export #:f #:total))" "(in-package :shop)" "(defun f () 4)" "(defun total () 1)")
(value "(defpackage :shop.customer (:use :cl :shop))")
(value "'shop.customer::total")
(check (outcome (load-now :system "shop")) '(:loaded))
(check (value "(shop.customer::total)") 1)

;;; Tests of frameworks

(defun remaining-tests (framework)
  (sort (loop for (nil . test) in (defined-tests framework)
              when (eq (symbol-package (test-name framework test)) (find-package "CHECKED"))
                collect (string-downcase (test-name framework test)))
        #'string<))

(defun test-story (framework head body)
  "What is said when one of two tests leaves its file, and those that remain then."
  (flet ((tests (&rest names)
           (apply #'file "checked.lisp" "(defpackage :checked (:use :cl))" "(in-package :checked)"
                  (mapcar (lambda (name) (format nil "(~A ~A ~A)" head name body)) names))))
    (let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
      (asdf:load-system (string-downcase framework)))
    (value "(defpackage :checked (:use :cl))")
    (value (format nil "(~A checked::by-hand ~A)" head body))
    (tests "one" "two")
    (check (outcome (load-now :path (path "checked.lisp"))) '(:loaded))
    (check (remaining-tests framework) '("by-hand" "one" "two"))
    (tests "two")
    (let ((answer (load-now :path (path "checked.lisp"))))
      (check (find "test" (getf answer :removed) :key #'first :test #'equal)
             (list "test" "checked::one" (path "checked.lisp")))
      (check (remaining-tests framework) '("by-hand" "two")))
    (delete-file (path "checked.lisp"))
    (load-now :system "shop" :force nil)))

(test-story :rt "rt:deftest" "1 1")
(test-story :fiveam "fiveam:test" "(fiveam:is (= 1 1))")
(test-story :fiasco "fiasco:deftest" "() (fiasco:is (= 1 1))")

;;; Settings

(file "reads.lisp" "(defpackage :reads (:use :cl))" "(in-package :reads)"
      "(eval-when (:compile-toplevel :load-toplevel :execute) (set-macro-character #\\! (lambda (s c) (declare (ignore c)) (read s) 5)))"
      "(defun five () !x)" "(setf *print-base* 7)")
(let ((answer (ask (lambda (&rest arguments)
                     (call-working (lambda (work) (load-source-file work (path "reads.lisp"))) arguments)))))
  (check (outcome answer) '(:loaded))
  (check (sort (copy-list (getf answer :restored)) #'string<) '("*print-base*" "the readtable")))
(check (value "(reads::five)") 5)
(check (get-macro-character #\!) nil)
(check *print-base* 10)
;; What a load was asked for stays.
(check (getf (load-now :path (path "reads.lisp")) :restored) '())
(check (not (get-macro-character #\!)) nil)
(set-syntax-from-char #\! #\a)
(setf *print-base* 10)

;;; The system of a file

(file "aaa.asd" "(defsystem \"aaa\" :components ((:file \"none\")")
(file "farm.asd" "(defsystem \"farm\" :components ((:module \"src\" :pathname \"\" :components ((:file \"cow\")))))"
      "(defsystem \"farm/tests\" :depends-on (\"farm\") :components ((:file \"cow-tests\")))")
(file "cow.lisp" "(defpackage :farm (:use :cl))" "(in-package :farm)" "(defun cow () 1)")
(file "cow-tests.lisp" "(in-package :farm)" "(defun test-cow () (cow))")
(let ((answer (load-now :path (path "cow-tests.lisp") :in-system t)))
  (check (outcome answer) '(:loaded))
  (check (getf answer :systems) '("farm/tests"))
  (check (names answer :loaded) '("cow.lisp" "cow-tests.lisp")))
(file "cow-tests.lisp" "(in-package :farm)" "(defun test-cow () (let ((z 1 2)) z))")
(check (first (outcome (load-now :path (path "cow-tests.lisp") :in-system t))) :error)
(file "apart.lisp" "(defpackage :apart (:use :cl))")
(let ((answer (ask #'answer-load :path (path "apart.lisp") :in-system t)))
  (check (list (outcome answer) (getf answer :systems) (names answer :loaded)) '((:loaded) () ("apart.lisp"))))

(uiop:delete-directory-tree (uiop:pathname-parent-directory-pathname *directory*) :validate t)
(when (plusp *failures*)
  (format t "~D failed~%" *failures*)
  #+sbcl (sb-ext:exit :code 1)
  #-sbcl (ext:quit 1))
(format t "all passed~%")
