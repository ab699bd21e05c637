;;;; ASDF: the newest installed version, and its directory for compiled files.
;;;;
;;;; ASDF replaces itself with a newer version that it finds when it first loads anything. Versions before 3.3 fail if
;;;; that happens during a plan, and all print the compiler's messages about it. So it is done before any plan, and in
;;;; ECL, whose version is so old that symbols do not survive the upgrade, before the parts that name them are read.

(in-package "LISPWRIGHT.AGENT")

;;; The directory for compiled files

(defun own-output-translations ()
  "Makes compiled files go to a cache of the agent's own: they keep their variables for backtraces, and source
directories stay unchanged."
  `(:output-translations
    (t (,(cache-directory) :implementation))
    :ignore-inherited-configuration))

(defvar *temporary-cache* nil "A temporary directory for compiled files, once one was needed.")

(defun cache-directory ()
  "The directory for compiled files: in the user's cache, else a temporary one."
  (let ((cache (uiop:xdg-cache-home "lispwright/fasl/")))
    (handler-case (progn (ensure-directories-exist cache) cache)
      (error ()
        (or *temporary-cache*
            (setf *temporary-cache*
                  (uiop:ensure-directory-pathname (make-temporary-directory (temporary-template "fasl")))))))))

(defun temporary-template (name)
  "The template for the name of a temporary directory: in the server's own, which it removes, else in TMPDIR, the only
place where a confined image may write."
  (let ((directory (find "" (list (uiop:getenv "LISPWRIGHT_TMPDIR") (uiop:getenv "TMPDIR") "/tmp")
                         :test-not #'equal :key (lambda (name) (or name "")))))
    (format nil "~A/lispwright-~A-XXXXXX" (string-right-trim "/" directory) name)))

(pushnew 'own-output-translations asdf/output-translations::*default-output-translations*)

;;; What ASDF itself does wrong here

(defvar *mended* '() "The functions that stand in the place of ASDF's own.")

(defun mend (name mended)
  "Puts what MENDED makes of the function NAME in its place, unless it is there."
  (unless (member (fdefinition name) *mended*)
    (let ((function (funcall mended (fdefinition name))))
      (push function *mended*)
      (setf (fdefinition name) function))))

(defun mend-asdf ()
  "Has to be called again after ASDF was loaded."
  ;; Names of files that are being compiled: ASDF makes them of random numbers, and those of all images that come from one
  ;; saved image are the same; so two images would write into one file.
  (mend 'uiop:tmpize-pathname
        (lambda (original)
          (lambda (path)
            (let ((*random-state* (make-random-state t)))
              (funcall original path)))))
  ;; UIOP asks POSIX:FILE-STAT, which writes to where its result was before a garbage collection that comes meanwhile: the
  ;; image dies of that sooner or later.
  #+clisp
  (mend 'uiop:probe-file*
        (lambda (original)
          (lambda (path &key truename)
            (let ((found (funcall original path :truename t)))
              (if (and found (not truename))
                  (uiop:ensure-pathname path :namestring :lisp :ensure-physical t :ensure-absolute t
                                             :defaults 'uiop:get-pathname-defaults :want-non-wild t :on-error nil)
                  found))))))

(mend-asdf)

(defun compiled-file (component)
  (first (asdf:output-files 'asdf:compile-op component)))

;;; The newest version

(defun load-newest-asdf ()
  "Loads the newest version of ASDF that it finds, without output."
  (let ((*standard-output* (make-broadcast-stream))
        (*error-output* (make-broadcast-stream)))
    (handler-bind ((warning #'muffle-warning))
      ;; From 3.3 on this is enough.
      (let* ((system (asdf:find-system "asdf" nil))
             (version (and system (asdf:component-version system))))
        (when (and version (uiop:version< (asdf:asdf-version) version))
          (load-source (find-if (lambda (component) (typep component 'asdf:cl-source-file))
                                (asdf/component:sub-components system)))))))
  (mend-asdf)
  (asdf:clear-system "asdf"))

(defun load-source (component)
  "Loads the file of COMPONENT, compiled again when it is newer."
  (let ((compiled (compiled-file component)))
    (unless (and (probe-file compiled)
                 (< (file-write-date (asdf:component-pathname component)) (file-write-date compiled)))
      (asdf:perform (asdf:make-operation 'asdf:compile-op) component))
    (load compiled :verbose nil :print nil)))

#+ecl
(progn
  ;; The bytecode compiler is quick, and the other one may not be usable.
  (ext:install-bytecodes-compiler)
  (ignore-errors (load-newest-asdf)))
