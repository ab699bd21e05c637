;;;; Reasons why a system does not load that are in its definition and not in its files.

(in-package "LISPWRIGHT.AGENT")

(defgeneric explanation (error work)
  (:documentation "The explanation of ERROR, which WORK has met, by the definitions of systems: (:TYPE s :MESSAGE s)
with its place as far as it is known; NIL when it is about something else.")
  (:method (error work) (declare (ignore error work)) nil))

(defmethod explanation ((error asdf:missing-component) work)
  (declare (ignore work))
  (let* ((name (princ-to-string (asdf/find-component:missing-requires error)))
         (by (and (typep error 'asdf:missing-dependency)
                  (asdf/find-component:missing-required-by error)))
         (dependent (and (typep by 'asdf:component) (asdf:component-name (asdf:component-system by)))))
    (list* :type (type-text error)
           :message (or (and (typep error 'asdf:missing-component-of-version)
                             (present-version name dependent (asdf/find-component:missing-version error)))
                        (format nil "There is no system ~S~@[; ~S depends on it~].~@[ These have been looked into: ~{~A~^, ~}.~]~@[ ~A~]"
                                name dependent
                                (mapcar #'namestring *loaded-setups*)
                                (some #'missing-setup *project-roots*)))
           (and dependent (mention-place name by)))))

(defun present-version (name dependent wanted)
  "The version of the system NAME that exists instead of the one that is WANTED by the system DEPENDENT; or NIL."
  (let ((present (ignore-errors (asdf:find-system name nil))))
    (and present
         (format nil "~@[~S needs ~]version ~A of the system ~S, and what is there ~:[does not say its version~;~:*is version ~A~]~@[: ~A~]."
                 dependent wanted name (asdf:component-version present)
                 (and (asdf:system-source-file present) (namestring (asdf:system-source-file present)))))))

(defun missing-setup (root)
  "The remedy when the project at ROOT lists libraries that are not installed; else NIL."
  (flet ((there-p (name)
           (probe-file (merge-pathnames name root))))
    (cond ((and (there-p "qlfile") (not (there-p ".qlot/setup.lisp")) (not (there-p ".bundle-libs/bundle.lisp")))
           "The libraries of its qlfile are not installed: run qlot install.")
          ((and (or (there-p "ocicl.csv") (there-p "systems.csv")) (null *loaded-setups*))
           "Its libraries are listed by ocicl, whose runtime is not installed: run ocicl setup."))))

(defmethod explanation ((error asdf:load-system-definition-error) work)
  (mistake-in (namestring (asdf::error-pathname error)) (asdf::error-condition error) work))

(defun mistake-in (file condition work)
  "The condition in CONDITION about FILE, which was read for definitions of systems."
  (multiple-value-bind (message position) (definition-mistake condition)
    (list* :type (type-text condition) :message message :file file
           (and position (line-fields work file position)))))

(defmethod explanation ((error stream-error) work)
  "The explanation of a file that ASDF cannot read in order to infer its dependencies."
  (unless (work-current work)
    (mistake-in (namestring (truename (stream-error-stream error))) error work)))

(defmethod explanation ((error asdf/package-inferred-system:package-inferred-system-missing-package-error) work)
  (mistake-in (namestring (slot-value error 'pathname)) error work))

(defmethod explanation ((error asdf:circular-dependency) work)
  (declare (ignore work))
  (let* ((components (mapcar #'cdr (asdf::circular-dependency-actions error)))
         (systems (mapcar #'asdf:component-system components))
         (inside (every (lambda (system) (eq system (first systems))) systems))
         (names (without-repeats (mapcar #'asdf:component-name
                                         (if inside (remove-if (lambda (component) (typep component 'asdf:system)) components) systems)))))
    (list* :type (type-text error)
           :message (format nil "Each of these needs the next, and the last the first: ~{~A~^, ~}." names)
           (mention-place (or (second names) (first names)) (first systems)))))

(defun without-repeats (names)
  "NAMES without duplicates, in the order of their first occurrence."
  (remove-duplicates names :test #'string= :from-end t))

(defmethod explanation ((error file-error) work)
  "The explanation of a file that a system names and that does not exist."
  (let* ((path (file-error-pathname error))
         (component (and path (named-component path (work-systems work)))))
    (when (and component (null (probe-file path)))
      (list* :type (type-text error)
             :message (format nil "There is no file ~A; the system ~S names it." (namestring path)
                              (asdf:component-name (asdf:component-system component)))
             (mention-place (asdf:component-name component) component)))))

(defun named-component (path systems)
  "The file or module that one of SYSTEMS has at PATH, or NIL."
  (labels ((find-in (component)
             (or (and (asdf:component-pathname component)
                      (equal (namestring (asdf:component-pathname component)) (namestring path))
                      component)
                 (and (typep component 'asdf:module)
                      (some #'find-in (asdf:module-components component))))))
    (some #'find-in systems)))

(defun mention-place (name component)
  "The place where the system of COMPONENT lists its files and dependencies, if possible at the first line that names
NAME."
  (let* ((system (asdf:component-system component))
         (file (or (inferring-file system) (asdf:system-source-file system)))
         (text (and file (ignore-errors (file-text file))))
         (start (or (and text (search (format nil "~S" (asdf:component-name system)) text)) 0))
         (position (and text
                        (some (lambda (format) (search (format nil format name) text :start2 start :test #'char-equal))
                              '("~S" ":~A" "~A")))))
    (and file
         (list* :file (namestring file)
                (and position (list :line (line-and-column text position)))))))

(defun inferring-file (system)
  "The file from whose package definition ASDF has inferred SYSTEM's dependencies; NIL when its definition file lists
them."
  (let ((file (first (asdf:module-components system))))
    (and (typep system 'asdf:package-inferred-system)
         (typep file 'asdf:cl-source-file)
         (asdf:component-pathname file))))

(defun contradicts-image-p (diagnostic)
  "True when DIAGNOSTIC says that a definition is incompatible with the earlier one in the image."
  (and (member (getf diagnostic :severity) '("error" "warning") :test #'string=)
       (some (lambda (part) (search part (getf diagnostic :message) :test #'char-equal))
             '("redefin" "change in " "changing meta-class" "the compiler's idea of the layout"))))
