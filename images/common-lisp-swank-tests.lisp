;;;; What the tests of an image that somebody else runs need of it: loading as its owner would, and what ASDF knows there.
;;;; Read with common-lisp-tests.lisp when tests are first run, since it needs ASDF.
;;;;
;;;; Nothing is changed in the image for it: a test that exits ends the image, as it would when its owner ran it.

(in-package "LISPWRIGHT.AGENT")

(defvar *project-roots* '() "The directories of the project, as namestrings that end in a slash.")
(defvar *definition-files* '() "The .asd files of the project, as namestrings.")

(defstruct work
  "What a request for tests has loaded."
  (files '())                           ; (source), in the order in which they are compiled
  (diagnostics '()))                    ; newest first

(defun call-working (function arguments)
  "The fields of the answer to a request for tests: those of FUNCTION, called with a work, and the diagnostics, however it
ends."
  (destructuring-bind (&key definitions roots &allow-other-keys) arguments
    (let ((work (make-work)))
      (append (apply #'call-evaluating
                     (lambda (evaluation)
                       (setf (evaluation-phase evaluation) :eval)
                       (let ((*project-roots* roots)
                             (*definition-files* definitions))
                         (first (evaluate-form (lambda () (funcall function work)) #'funcall))))
                     arguments)
              (list :diagnostics (reverse (work-diagnostics work)))))))

(defun call-compiling (work function)
  (call-noting-compiler (lambda (diagnostic)
                          (pushnew diagnostic (work-diagnostics work) :test #'equal))
                        function))

(defun load-source-file (work path)
  (let ((fields (call-compiling work (lambda ()
                                       (compile-and-load path (lambda () (work-diagnostics work)))))))
    (unless (eq (getf fields :outcome) :loaded)
      (throw *evaluation* fields))
    fields))

(defun load-named-system (work name force clear)
  (declare (ignore force clear))
  (let ((system (asdf:find-system name)))
    (setf (work-files work)
          (loop for component in (plan-components system)
                when (project-file-p (asdf:component-pathname component))
                  collect (list (namestring (asdf:component-pathname component)))))
    (call-compiling work (lambda () (asdf:load-system name :force (list name))))
    (list :outcome :loaded)))

(defun find-system-or-refuse (name)
  "The system NAME, also one that only a file of the project defines. Without it, ends the evaluation with a refusal."
  (or (find-owned-system name *definition-files*)
      (throw *evaluation* (list :outcome :refused :no-system name :systems (asdf:registered-systems)))))

(defun reload-changed-definitions ()
  "What ASDF itself does about definitions that have changed is the owner's way."
  nil)

(defun call-with-libraries (function)
  (funcall function))

(defun call-catching-exit (function)
  (values (funcall function) nil))

(defun tell-progress (format &rest arguments)
  "Nobody hears of progress here."
  (declare (ignore format arguments)))

(defun function-place (function)
  (declare (ignore function))
  nil)

(defun applicable-specializers (function &rest arguments)
  "The specializers of each primary method of FUNCTION that applies to ARGUMENTS."
  (loop for method in (compute-applicable-methods function arguments)
        unless (method-qualifiers method)
          collect (call "METHOD-SPECIALIZERS" method)))

(defun lenient-utf-8 ()
  #+sbcl '(:utf-8 :replacement #\?)
  #-sbcl :default)
