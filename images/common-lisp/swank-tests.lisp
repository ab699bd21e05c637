;;;; Running tests in an image that somebody else runs: loading as its owner would, with the systems that ASDF knows
;;;; there. Read with tests.lisp when tests are first run, since it needs ASDF.
;;;;
;;;; A test that exits must not end the owner's image: while tests run, the functions that exit first check whether the
;;;; caller is the thread of the tests. In every other thread they work as usual.

(in-package "LISPWRIGHT.AGENT")

(dolist (name '("FUNDAMENTAL-CHARACTER-OUTPUT-STREAM" "STREAM-WRITE-CHAR" "STREAM-WRITE-STRING"
                "STREAM-FORCE-OUTPUT" "STREAM-FINISH-OUTPUT" "STREAM-LINE-COLUMN"))
  (import (gray name)))

(defvar *project-roots* '() "The directories of the project, as namestrings that end in a slash.")
(defvar *definition-files* '() "The .asd files of the project, as namestrings.")

(defstruct work
  "The files and diagnostics of a request for tests."
  (files '())                           ; (source), in the order in which they are compiled
  (diagnostics '()))                    ; newest first

(defun call-working (function arguments)
  "The fields of the answer to a request for tests: those of FUNCTION, called with a work, and the diagnostics, for any
ending."
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

(defun wanted-system (name)
  "The system NAME, even if only a file of the project defines it. Without it, ends the evaluation with a refusal.
ASDF's own treatment of changed definitions is the owner's."
  (or (find-owned-system name *definition-files*)
      (throw *evaluation* (list :outcome :refused :no-system name :systems (asdf:registered-systems)))))

(defun load-changed-systems (work path)
  "Only the requested systems are loaded again, no others."
  (declare (ignore work path)))

(defun call-with-libraries (function)
  (funcall function))

(defvar *exit-catcher* nil "In a thread that runs tests: a function that takes the exit code of a test that exits.")

(defun caught-exit (code)
  "Ends the tests of this thread, if it runs any, with the exit code CODE."
  (when *exit-catcher*
    (funcall *exit-catcher* (if (integerp code) code 1))))

#+sbcl
(defun call-guarding-exit (function)
  "Calls FUNCTION with CAUGHT-EXIT around the function that exits."
  (let ((guard (gensym "GUARD")))       ; Several sessions may run tests in the image at once.
    (sb-int:encapsulate 'sb-ext:exit guard
                        (lambda (exit &rest arguments &key code abort &allow-other-keys)
                          (caught-exit (or code (if abort 1 0)))
                          (apply exit arguments)))
    (unwind-protect (funcall function)
      (sb-int:unencapsulate 'sb-ext:exit guard))))

#+ecl
(progn
  (defvar *exits-guarded* nil "True once CAUGHT-EXIT is around EXT:QUIT.")

  (defun call-guarding-exit (function)
    "Calls FUNCTION with CAUGHT-EXIT around the functions that exit, where it stays."
    (unless *exits-guarded*
      (setf *exits-guarded* t)
      (let* ((packages (remove-duplicates (mapcar #'symbol-package '(ext:quit ext:exit))))
             (locked (mapcar (lambda (package) (si:package-lock package nil)) packages)))
        (unwind-protect
             (dolist (name '(ext:quit ext:exit))
               (let ((exit (symbol-function name)))
                 (setf (symbol-function name)
                       (lambda (&optional (code 0) &rest more)
                         (caught-exit code)
                         (apply exit code more)))))
          (mapc #'si:package-lock packages locked))))
    (funcall function)))

#-(or sbcl ecl)
(defun call-guarding-exit (function)
  (funcall function))

(defun call-catching-exit (function)
  "The value of FUNCTION; if a test in it exits, NIL and the exit code instead of the end of the image."
  (block nil
    (let ((*exit-catcher* (lambda (code) (return (values nil code)))))
      (values (call-guarding-exit function) nil))))

(defun tell-progress (format &rest arguments)
  "Does nothing: there is no progress to report here."
  (declare (ignore format arguments)))

(defun tell-test (name others-p)
  (declare (ignore name others-p)))

(defun function-place (function)
  (declare (ignore function))
  nil)

(defun applicable-specializers (function &rest arguments)
  "The specializers of each applicable method of FUNCTION for ARGUMENTS."
  (loop for method in (compute-applicable-methods function arguments)
        collect (call "METHOD-SPECIALIZERS" method)))

(defun lenient-utf-8 ()
  #+sbcl '(:utf-8 :replacement #\?)
  #-sbcl :default)
