;;;; Common parts of ECL and CLISP for loading systems: the file that ASDF compiles or loads, and catching an exit.
;;;; Needs ASDF.

(in-package "LISPWRIGHT.AGENT")

(defvar *compiling* nil "A function that is called with the path of each file before it is compiled, or NIL.")
(defvar *loading* nil "A function that is called with the path of each compiled file before it is loaded, or NIL.")

(defun tell-compiling (component)
  (when *compiling*
    (funcall *compiling* (namestring (truename (asdf:component-pathname component))))))

(defmethod asdf:perform :around ((operation asdf:load-op) (component asdf:cl-source-file))
  (let ((compiled (first (asdf:input-files operation component))))
    (when (and *loading* compiled (probe-file compiled))
      (funcall *loading* (namestring (truename compiled)))))
  (call-next-method))

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
