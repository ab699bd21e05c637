;;;; What SBCL says of a system that is compiled again as a whole.
;;;;
;;;;   sbcl ... --load common-lisp.lisp SYSTEM PROJECT LIBRARIES
;;;;
;;;; prints each warning, and the error that ends it, on a line. PROJECT is the directory of the system, and LIBRARIES
;;;; that of the systems that it depends on; both end in a slash.

(require :asdf)

(let ((arguments (rest (member "--" sb-ext:*posix-argv* :test #'string=))))
  (destructuring-bind (system project libraries) arguments
    (asdf:initialize-source-registry
     `(:source-registry (:tree ,project) (:tree ,libraries) :ignore-inherited-configuration))
    (let ((told '()))
      (flet ((tell (condition)
               (pushnew (substitute #\Space #\Newline (princ-to-string condition)) told :test #'string=)))
        (handler-case
            (handler-bind ((warning (lambda (condition) (tell condition) (muffle-warning condition))))
              (let ((*standard-output* (make-broadcast-stream))
                    (*error-output* (make-broadcast-stream)))
                (asdf:load-system system :force (list system))))
          (error (condition) (tell condition))))
      (format t "~{~a~%~}" (reverse told)))))
