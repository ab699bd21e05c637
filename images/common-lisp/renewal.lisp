;;;; Bringing the loaded part of the project to the state of its files, for the request of a load or of tests.
;;;;
;;;; The parent asks for the loaded files, and sends those that are stale with the request: those that have changed, and those with
;;;; code that was made with what these define. Each of them counts as changed for ASDF, too, so that it is compiled and loaded
;;;; again, in the order of a fresh image: before the target if that needs it, else after it.

(in-package "LISPWRIGHT.AGENT")

(defstruct renewal
  "What a request brings up to date, and what that has changed."
  (stale '())                           ; ((path needed ((package name) ...)) ...), as far as they are not loaded
  (uses '())                            ; ((path path ...) ...): what stale files use
  (waiting nil)                         ; true until what the target needs is up to date
  (loaded '())                          ; namestrings of the loaded files, newest first
  (removed '())                         ; ((kind name path function) ...), newest first, see NOTE-REMOVED
  (reset '())                           ; names of variables
  (kept '())                            ; names of variables
  (left '())                            ; ((path message) ...), newest first
  (settings nil)                        ; those that come back
  (restored '())                        ; words
  (comprised '())                       ; namestrings of the target's files
  (systems '())                         ; names of the systems that contain the target
  (remade '()))                         ; names of structures that were defined in another way

(defvar *renewal* nil "The renewal of the present request, or NIL.")
(defvar *renewed* nil "The renewal of the last request that has ended.")

(defun stale-file (path)
  "(path needed variables) of the stale file PATH; NIL if it is not stale."
  (and *renewal* (find path (renewal-stale *renewal*) :key #'first :test #'string=)))

;;; What is loaded

(defun file-state (path)
  "What has become of the loaded file at PATH, as a keyword."
  (cond ((not (probe-file path)) :gone)
        ((equal (ignore-errors (content-digest path)) (gethash path *loaded-digests*)) :same)
        (t :changed)))

(defun answer-loaded-files (&key definitions roots &allow-other-keys)
  "The files of the project that are loaded, in the order of their loading, with those that they use."
  (set-project roots definitions)
  (let* ((files (remove-if-not #'project-file-p (reverse *loaded-files*)))
         (states (mapcar #'file-state files))
         (uses (if (find :same states :test-not #'eq) (component-uses) (make-hash-table))))
    (list :outcome :loaded-files
          :files (mapcar (lambda (path state) (list path state (gethash path uses))) files states))))

;;; What happens to files

(defun note-loaded (path)
  (when *renewal*
    (setf (renewal-stale *renewal*) (remove path (renewal-stale *renewal*) :key #'first :test #'string=)
          (renewal-loaded *renewal*) (cons path (remove path (renewal-loaded *renewal*) :test #'string=)))))

(defun note-removed (kind name path back-p)
  "Records that NAME, a KIND of thing that the file at PATH had defined, is undefined, unless BACK-P is true later."
  (when *renewal*
    (push (list kind name path back-p) (renewal-removed *renewal*))))

(defun note-remade (name)
  "Records that the structure NAME is defined in another way: its instances are lost."
  (when *renewal*
    (pushnew name (renewal-remade *renewal*))))

(defun remade-p (name)
  (and *renewal* (member name (renewal-remade *renewal*))))

(defun settle-variables (notes)
  "Before the file of NOTES is loaded: the variables that it still defines have their values again, except those that get
new ones."
  (let ((path (notes-path notes)))
    (reveal-those-of path (lambda (definition)
                            (and (eq (definition-kind definition) :variable)
                                 (noted notes (definition-key definition)))))
    (loop for (package name) in (third (stale-file path))
          for symbol = (variable-named package name)
          for definition = (and symbol (find-if (lambda (one) (and (eq (definition-kind one) :variable)
                                                                   (eq (definition-name one) symbol)))
                                                (gethash path *file-definitions*)))
          do (when (and definition (boundp symbol))
               (if (and (eq (symbol-value symbol) (definition-object definition))
                        (ignore-errors (makunbound symbol)))
                   (push (name-of symbol) (renewal-reset *renewal*))
                   (push (name-of symbol) (renewal-kept *renewal*)))))))

(defun variable-named (package name)
  "The symbol NAME of PACKAGE, as both are written in a file, or NIL."
  (let ((home (or (find-package package) (find-package (string-upcase package)))))
    (and home
         (or (find-symbol (string-upcase name) home) (find-symbol name home)))))

;;; A request

(defvar *lasting* nil "True when the settings that the target of the request has changed stay, if it loads.")

(defun call-renewing (arguments function)
  "The fields of FUNCTION, which loads the target of a request with ARGUMENTS, and those about what else was loaded."
  (destructuring-bind (&key stale gone uses path &allow-other-keys) arguments
    (let ((*renewal* (make-renewal :waiting t
                                   :stale (loop for (file . rest) in stale collect (cons (known-path file) rest))
                                   :uses (mapcar (lambda (paths) (mapcar #'known-path paths)) uses)
                                   :settings (present-settings))))
      (setf *renewed* *renewal*)
      (mapc #'forget-gone-file (mapcar #'known-path gone))
      (unwind-protect
           (let* ((answer (funcall function))
                  (loaded (not (member (getf answer :outcome) '(:refused :error)))))
             (when loaded
               (if *lasting*
                   (note-settings)
                   (put-settings-back))
               (load-left-files (and path (known-path path))))
             answer)
        (put-settings-back)
        (dolist (file (renewal-stale *renewal*))
          ;; It has to be loaded again even if it has not changed itself.
          (remhash (first file) *loaded-digests*))))))

(defun note-settings ()
  "What was loaded for the request so far has made the present settings, which stay."
  (when *renewal*
    (setf (renewal-settings *renewal*) (present-settings))))

(defun put-settings-back ()
  (setf (renewal-restored *renewal*)
        (union (renewal-restored *renewal*) (put-back (renewal-settings *renewal*)) :test #'string=)))

(defun renewed-fields ()
  "The fields about what the last request has brought up to date."
  (let ((renewal *renewed*))
    (and renewal
         (list :loaded (reverse (renewal-loaded renewal))
               :removed (loop for (kind name path back-p) in (reverse (renewal-removed renewal))
                              unless (funcall back-p)
                                collect (list kind name path))
               :reset (reverse (renewal-reset renewal))
               :keeps (reverse (renewal-kept renewal))
               :left (reverse (renewal-left renewal))
               :restored (renewal-restored renewal)
               :comprises (renewal-comprised renewal)
               :systems (renewal-systems renewal)))))

(defun known-path (path)
  "The namestring by which the file at PATH is known here."
  (let ((name (namestring (parse-namestring-as-file path))))
    (if (gethash name *file-definitions*)
        name
        (let ((true (probe-file name)))
          (if true (namestring true) name)))))

(defun stale-paths ()
  "The stale files that the target needs, in the order in which they are used."
  (loop for (path needed) in (renewal-stale *renewal*)
        when needed
          collect path))

(defun stale-systems (paths)
  "The names of the project's loaded systems that have one of the files at PATHS."
  (and paths
       (loop for system in (loaded-project-systems)
             when (intersection paths (mapcar #'component-path (project-files-of system)) :test #'string=)
               collect (asdf:component-name system))))

(defun load-changed-systems (work path)
  "Brings up to date what the file at PATH needs, unless that was done."
  (when (and *renewal* (renewal-waiting *renewal*))
    (setf (renewal-waiting *renewal*) nil)
    (let ((target (known-path path)))
      (dolist (name (stale-systems (remove target (stale-paths) :test #'string=)))
        (load-named-system work name nil nil))
      (load-single-files work (remove-if #'in-loaded-system-p (remove target (stale-paths) :test #'string=))))
    (note-settings)))

(defun in-loaded-system-p (path)
  (stale-systems (list path)))

(defun load-single-files (work paths)
  "Loads the files at PATHS by themselves, in the order of ORDER-OF-SINGLE-FILES."
  (when paths
    (let ((order (order-of-single-files paths)))
      (call-concealing order paths
                       (lambda ()
                         (dolist (path order)
                           (when (member path paths :test #'string=)
                             (load-source-file work path))))))))

(defun order-of-single-files (paths)
  "The files that were loaded by themselves, in the order of their first loading, but each of those at PATHS after what it
uses."
  (let ((single (remove-if #'in-loaded-system-p (reverse *loaded-files*)))
        (order '()))
    (dolist (path (append single paths) (reverse order))
      (dolist (used (rest (assoc path (renewal-uses *renewal*) :test #'string=)))
        (when (member used single :test #'string=)
          (pushnew used order :test #'string=)))
      (pushnew path order :test #'string=))))

(defun load-left-files (target)
  "Loads the stale files that the target did not need. What does not load is told, and no failure."
  (dolist (name (stale-systems (mapcar #'first (renewal-stale *renewal*))))
    (load-left (lambda (work) (load-named-system work name nil nil))
               (lambda (path) (member name (stale-systems (list path)) :test #'string=))))
  (dolist (path (mapcar #'first (renewal-stale *renewal*)))
    (unless (or (equal path target) (in-loaded-system-p path))
      (load-left (lambda (work) (load-single-files work (list path)))
                 (lambda (other) (string= other path))))))

(defun load-left (function concerned)
  "Calls FUNCTION with a work of its own. If it fails, the stale files for whose paths CONCERNED is true are left."
  (let* ((work (make-work))
         (message (handler-case (progn (funcall function work) nil)
                    (error (error)
                      (or (first-error work) (condition-text error 300))))))
    (when message
      (dolist (file (renewal-stale *renewal*))
        (when (funcall concerned (first file))
          (push (list (first file) message) (renewal-left *renewal*)))))))

(defun first-error (work)
  "The message of the first error that the compiler has found, or NIL."
  (let ((found (find "error" (reverse (work-diagnostics work))
                     :key (lambda (diagnostic) (getf diagnostic :severity)) :test #'equal)))
    (and found (getf found :message))))
