;;;; Common parts of ECL and CLISP for loading systems: the file that ASDF compiles or loads, and catching an exit.
;;;; Needs ASDF.

(in-package "LISPWRIGHT.AGENT")

(defvar *compiling* nil "A function that is called with the path of each file before it is compiled, or NIL.")
(defvar *loading* nil "A function that is called with the path of each compiled file before it is loaded, or NIL.")

(defmethod asdf:perform :before ((operation asdf:operation) (component asdf:cl-source-file))
  "Methods for COMPILE-OP and LOAD-OP would replace those of a library, or be replaced by them."
  (typecase operation
    (asdf:compile-op
     (let ((path (namestring (truename (asdf:component-pathname component)))))
       (when *compiling*
         (funcall *compiling* path)
         (before-compiling path))))
    (asdf:load-op
     (let ((compiled (first (asdf:input-files operation component))))
       (when (and *loading* compiled (probe-file compiled))
         (funcall *loading* (namestring (truename compiled))))))))

(defun call-telling-files (compiling loading function)
  "Calls FUNCTION; COMPILING and LOADING get the files."
  (let ((*compiling* compiling)
        (*loading* loading)
        (*compile-verbose* nil) (*compile-print* nil) (*load-verbose* nil) (*load-print* nil))
    (with-compilation-unit (:override t)
      (funcall function))))

(defun definition-mistake (condition)
  "The condition in CONDITION about a file with definitions of systems."
  (condition-text condition +message-limit+))

(defun applicable-specializers (function &rest arguments)
  "The specializers of each applicable method of FUNCTION for ARGUMENTS."
  (loop for method in (compute-applicable-methods function arguments)
        collect (clos:method-specializers method)))

(defun call-catching-exit (function)
  "The value of FUNCTION; if it exits in an orderly way, NIL and the exit code instead of the end of the process."
  (let ((old (mapcar #'symbol-function *exit-functions*)))
    (flet ((define (functions)
             (call-unlocked (lambda () (mapc (lambda (name function) (setf (symbol-function name) function))
                                             *exit-functions* functions)))))
      (block nil
        (unwind-protect
             (progn
               (define (mapcar (constantly (lambda (&optional (code 0) &rest more)
                                             (declare (ignore more))
                                             (return (values nil (if (integerp code) code 1)))))
                               old))
               (values (funcall function) nil))
          (define old))))))
