;;;; ASDF's knowledge of systems: their files, their dependencies, and the systems that contain their tests.

(in-package "LISPWRIGHT.AGENT")

;;; Files and dependencies

(defvar *library-directories* '(() . ()) "The project's directories, and those below them where libraries are
installed.")

(defun library-directories ()
  "The directories of installed libraries, as namestrings: those of qlot, of a bundle of Quicklisp's, and of ocicl."
  (unless (eq (car *library-directories*) *project-roots*)
    (setf *library-directories*
          (cons *project-roots*
                (flet ((below (root &rest names)
                         (mapcar (lambda (name) (concatenate 'string root name)) names)))
                  (loop for root in *project-roots*
                        append (below root ".qlot/" ".bundle-libs/")
                        when (probe-file (merge-pathnames "ocicl.csv" root))
                          append (below root "ocicl/")
                        when (probe-file (merge-pathnames "systems.csv" root))
                          append (below root "systems/"))))))
  (cdr *library-directories*))

(defun project-file-p (path)
  "True for a file of the project outside of installed libraries."
  (let ((name (and path (namestring path))))
    (flet ((inside-p (directory)
             (eql (mismatch directory name) (length directory))))
      (and name
           (some #'inside-p *project-roots*)
           (notany #'inside-p (library-directories))))))

(defun library-file-p (path)
  "True for a file that is known not to be the project's."
  (and path *project-roots* (not (project-file-p path))))

(defun plan-components (system)
  "All Lisp files of SYSTEM and its dependencies, in the order of compilation."
  ;; The keyword :COMPONENT-TYPE has other meanings in versions before 3.3.
  (remove-if-not (lambda (component) (typep component 'asdf:cl-source-file))
                 (asdf:required-components system :other-systems t
                                                  :keep-operation 'asdf:compile-op :goal-operation 'asdf:load-op)))

(defun direct-dependencies (operation component)
  "((operation . component) ...) of what has to be done before."
  (if (uiop:version< (asdf:asdf-version) "3.3")
      (funcall 'asdf/plan:direct-dependencies nil operation component)
      (asdf/plan:direct-dependencies operation component)))

(defun plan-systems (system)
  "SYSTEM and its dependencies that have files."
  (remove-duplicates (cons system (mapcar #'asdf:component-system (plan-components system)))))

;;; Uses

(defun component-uses ()
  "A table: namestring of a file of the project -> those that ASDF loads before it. Of a whole module or system those files
are enough that no other of its files uses."
  (let ((uses (make-hash-table :test #'equal))
        (ends (make-hash-table :test #'eq)))
    (labels ((used (component)
               "The components beside COMPONENT that it depends on."
               (loop for name in (component-dependencies component)
                     for found = (and (stringp name)
                                      (asdf:find-component (asdf:component-parent component) name))
                     when found
                       collect found))
             (last-files (component)
               "The files of COMPONENT that no other of its files uses."
               (cond ((not (typep component 'asdf:parent-component)) (list component))
                     ((nth-value 1 (gethash component ends)) (gethash component ends))
                     (t
                      (setf (gethash component ends) '())
                      (let* ((children (asdf:component-children component))
                             (used (mapcan #'used children)))
                        (setf (gethash component ends)
                              (loop for child in children
                                    unless (member child used)
                                      append (last-files child)))))))
             (files-before (component)
               (loop for inner = component then (asdf:component-parent inner)
                     until (typep inner 'asdf:system)
                     append (mapcan (lambda (one) (copy-list (last-files one))) (used inner)))))
      (dolist (system (loaded-project-systems))
        (let ((outside (loop for name in (dependency-names system)
                             for other = (asdf::registered-system name)
                             when other
                               append (last-files other))))
          (dolist (file (project-files-of system))
            (setf (gethash (component-path file) uses)
                  (remove-duplicates
                   (loop for one in (append (files-before file) outside)
                         for path = (and (asdf:component-pathname one) (component-path one))
                         when (and path (project-file-p path))
                           collect path)
                   :test #'string=))))))
    uses))

(defun component-dependencies (component)
  "The names of the components beside COMPONENT that have to be loaded before it."
  (loop for dependency in (asdf:component-sideway-dependencies component)
        collect (if (consp dependency) (dependency-name dependency) dependency)))

(defun loaded-project-systems ()
  (loop for name in (asdf:already-loaded-systems)
        for system = (asdf::registered-system name)
        when (and system (asdf:system-source-file system) (project-file-p (asdf:system-source-file system)))
          collect system))

(defun component-path (component)
  (namestring (asdf:component-pathname component)))

(defun project-files-of (system)
  "The Lisp files of the project in SYSTEM."
  (remove-if-not (lambda (component)
                   (and (typep component 'asdf:cl-source-file) (project-file-p (asdf:component-pathname component))))
                 (asdf/component:sub-components system)))

;;; Systems that contain the tests of a system

(defun test-systems (system)
  "The systems that TEST-OP of SYSTEM delegates to in the end; SYSTEM itself when it delegates to no other."
  (let ((found '()) (seen '()) (agenda (list system)))
    (loop while agenda
          do (let* ((one (pop agenda))
                    (others (loop for (operation . component) in (direct-dependencies (asdf:make-operation 'asdf:test-op) one)
                                  when (and (typep operation 'asdf:test-op) (typep component 'asdf:system))
                                    collect component)))
               (unless (member one seen)
                 (push one seen)
                 (if others
                     (setf agenda (append others agenda))
                     (push one found)))))
    (let ((found (nreverse found)))
      (or (and (equal found (list system)) (null (frameworks-of system)) (null (custom-test-p system))
               (conventional-test-system system))
          found))))

(defun systems-for-testing (system)
  "The names of the other systems that TEST-OP of SYSTEM has loaded."
  (loop for (operation . component) in (direct-dependencies (asdf:make-operation 'asdf:test-op) system)
        when (and (typep operation 'asdf:load-op) (typep component 'asdf:system) (not (eq component system)))
          collect (asdf:component-name component)))

(defun conventional-test-system (system)
  (loop for suffix in '("/tests" "/test" "-tests" "-test")
        for its-tests = (ignore-errors
                         (asdf:find-system (concatenate 'string (asdf:component-name system) suffix) nil))
        when its-tests
          return (list its-tests)))

(defun custom-test-p (system)
  "True when TEST-OP is defined for SYSTEM."
  (some (lambda (specializers)
          (let ((specializer (second specializers)))
            (not (and (typep specializer 'class)
                      (let ((package (symbol-package (class-name specializer))))
                        (or (eq specializer (find-class t))
                            (eql 0 (search "ASDF" (package-name package)))))))))
        (applicable-specializers #'asdf:perform (asdf:make-operation 'asdf:test-op) system)))

(defun dependency-names (system)
  (loop for dependency in (ignore-errors (asdf:system-depends-on system))
        for name = (dependency-name dependency)
        when name
          collect name))

(defun dependency-name (dependency)
  "The name in an entry of :DEPENDS-ON, such as \"a\", (:version \"a\" \"1\") or (:feature :x \"a\")."
  (typecase dependency
    (string (asdf:coerce-name dependency))
    (cons (case (first dependency)
            (:version (dependency-name (second dependency)))
            (:feature (dependency-name (third dependency)))
            (:require (dependency-name (string-downcase (second dependency))))))))

(defun frameworks-of (system &optional (frameworks *frameworks*))
  "Those of FRAMEWORKS that SYSTEM names as dependencies."
  (let ((names (dependency-names system)))
    (remove-if-not (lambda (framework) (intersection names (framework-systems framework) :test #'string=))
                   frameworks)))

(defun only-observed-frameworks-of (system)
  "Those that SYSTEM names as dependencies and whose tests count only when a test-op runs them."
  (frameworks-of system (set-difference *observed-frameworks* *frameworks*)))
