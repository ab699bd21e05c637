;;;; Systems by their names: those of the project, and of the libraries that its package managers have installed.

(in-package "LISPWRIGHT.AGENT")

(defvar *loaded-setups* '() "The library setups that were loaded into this image.")

(defun library-setups ()
  "The files that register a project's or user's libraries: (when . pathname), :FIRST for those that pin versions."
  (append
   (loop for root in *project-roots*
         collect (cons :first (or (probe-file (merge-pathnames ".qlot/setup.lisp" root))
                                  (merge-pathnames ".bundle-libs/bundle.lisp" root))))
   (when (some (lambda (root) (or (probe-file (merge-pathnames "ocicl.csv" root))
                                  (probe-file (merge-pathnames "systems.csv" root))))
               *project-roots*)
     (list (cons :first (or (probe-file (uiop:xdg-data-home "ocicl/ocicl-runtime.lisp"))
                            (merge-pathnames ".local/share/ocicl/ocicl-runtime.lisp" (user-homedir-pathname))))))
   (loop for name in '("quicklisp/setup.lisp" ".quicklisp/setup.lisp" ".roswell/lisp/quicklisp/setup.lisp")
         collect (cons :missing (merge-pathnames name (user-homedir-pathname))))))

(defun load-setups (moment)
  "Loads the existing setups for MOMENT that are not loaded yet; true when there were any. Nothing is downloaded, and
the pinned libraries of a project are not mixed with the user's own."
  (let ((new (loop for (when . path) in (library-setups)
                   when (and (eq when moment) (probe-file path) (not (member path *loaded-setups* :test #'equal)))
                     collect path)))
    (when (eq moment :missing)
      (setf new (and new (null *loaded-setups*) (not (find-package "QL-SETUP")) (list (first new)))))
    (dolist (path new)
      (push path *loaded-setups*)
      (load path)
      (let ((download (find-symbol "*DOWNLOAD*" (or (find-package "OCICL-RUNTIME") "KEYWORD"))))
        (when (and download (boundp download) (not (constantp download)))
          (setf (symbol-value download) nil))))
    new))

(defun find-designated-system (name)
  "The system NAME, also spelled as in a definition, :NAME or #:NAME, in either case. NIL without it."
  (or (asdf:find-system name nil)
      (asdf:find-system (string-downcase (string-left-trim "#:" name)) nil)))

(defun find-system-or-refuse (name)
  "The system NAME. Without it, ends the evaluation with a refusal."
  (or (find-designated-system name)
      (and (load-setups :missing) (find-designated-system name))
      (throw *evaluation*
        (list :outcome :refused :no-system name
              :systems (loop for file in *definition-files* append (defined-systems file))))))

(defun wanted-system (name)
  "The system NAME by the present content of the files."
  (reload-changed-definitions)
  (find-system-or-refuse name))

(defun call-with-libraries (function)
  "Calls FUNCTION; if a dependency is missing, once more after the user's libraries have been registered."
  (handler-case (funcall function)
    (asdf:missing-component (missing)
      (if (load-setups :missing)
          (funcall function)
          (error missing)))))
