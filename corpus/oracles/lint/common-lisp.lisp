;;;; What SBCL's compiler says of files, one after the other.
;;;;
;;;; The benchmark of the linter plants faults in real code and asks which of them the compiler tells. Reads lines from
;;;; standard input, with tabs between the words:
;;;;
;;;;   SYSTEM CASE FILE
;;;;
;;;; and prints for each
;;;;
;;;;   case CASE
;;;;   told TEXT            a warning or an error, on one line
;;;;   failed               the file could not be judged
;;;;
;;;; A system is loaded before the first of its files, from the systems below the current directory. Each file is compiled
;;;; in a copy of the image, which is thrown away, so that no file knows of the faults of another.

(require :asdf)
(require :sb-posix)

(defpackage :lint-oracle
  (:use :common-lisp))

(in-package :lint-oracle)

(defconstant +seconds+ 60 "A file may take so many.")

(asdf:initialize-source-registry
 `(:source-registry (:tree ,(truename *default-pathname-defaults*)) :ignore-inherited-configuration))

(defun one-line (text)
  (substitute-if #\Space (lambda (c) (or (char< c #\Space) (char> c #\~))) text))

(defun split (line)
  (loop for start = 0 then (1+ end)
        for end = (position #\Tab line :start start)
        collect (subseq line start end)
        while end))

(defun complaints (log)
  "What the compiler has printed after each `; caught', up to the next empty line."
  (with-input-from-string (in log)
    (let ((told '()) (now nil))
      (loop for line = (read-line in nil)
            while line
            for text = (string-trim "; 	" line)
            do (cond ((search "; caught " line) (setf now (list "")))
                     ((or (not now) (and (string= text "") (equal now '("")))))
                     ((string= text "") (push (format nil "~{~a~^ ~}" (reverse now)) told) (setf now nil))
                     (t (push text now))))
      (when now (push (format nil "~{~a~^ ~}" (reverse now)) told))
      (nreverse told))))

(defun judge (file)
  (let* ((fasl (format nil "~a.~d.fasl" file (sb-posix:getpid)))
         (log (make-string-output-stream))
         (out *standard-output*))
    (flet ((told (text) (format out "told	~a~%" (one-line text))))
      (handler-case
          (let ((*error-output* log) (*standard-output* log) (*package* (find-package :cl-user)))
            (handler-bind ((sb-ext:compiler-note #'muffle-warning))
              (compile-file file :output-file fasl)))
        (error (condition) (told (remove #\Newline (princ-to-string condition)))))
      (mapc #'told (complaints (get-output-stream-string log))))
    (ignore-errors (delete-file fasl))))

(defun judge-in-copy (file)
  (finish-output)
  (let ((child (sb-posix:fork)))
    (cond ((zerop child)
           (sb-posix:alarm +seconds+)
           (ignore-errors (judge file))
           (finish-output)
           (sb-ext:exit :code 0 :abort t))
          ((/= 0 (nth-value 1 (sb-posix:waitpid child 0)))
           (format t "failed~%")))))

(defvar *loaded* (make-hash-table :test #'equal))

(defun loadedp (system)
  (multiple-value-bind (answer known) (gethash system *loaded*)
    (if known
        answer
        (setf (gethash system *loaded*)
              (let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
                (handler-case (progn (handler-bind ((warning #'muffle-warning))
                                       (asdf:load-system system))
                                     t)
                  (error () nil)))))))

(loop for line = (read-line *standard-input* nil)
      while line
      do (destructuring-bind (system case file) (split line)
           (format t "case	~a~%" case)
           (if (loadedp system)
               (judge-in-copy file)
               (format t "failed~%"))
           (finish-output)))
