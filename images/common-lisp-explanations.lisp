;;;; Why a system does not load, when that is to be seen in how it is defined and not in its files.

(in-package "LISPWRIGHT.AGENT")

(defgeneric explanation (error work)
  (:documentation "What ERROR, which WORK has met, says of how systems are defined: (:TYPE s :MESSAGE s) with as much of its
place as there is; NIL when it is about something else.")
  (:method (error work) (declare (ignore error work)) nil))

(defmethod explanation ((error asdf:missing-component) work)
  (declare (ignore work))
  (let ((name (princ-to-string (asdf/find-component:missing-requires error)))
        (by (and (typep error 'asdf:missing-dependency)
                 (asdf/find-component:missing-required-by error))))
    (list* :type (type-text error)
           :message (format nil "There is no system ~S~@[; ~S depends on it~].~@[ These have been looked into: ~{~A~^, ~}.~]~@[ ~A~]"
                            name
                            (and (typep by 'asdf:component) (asdf:component-name (asdf:component-system by)))
                            (mapcar #'namestring *loaded-setups*)
                            (some #'missing-setup *project-roots*))
           (and (typep by 'asdf:component) (mention-place name by)))))

(defun missing-setup (root)
  "What to do when the project at ROOT lists libraries that nobody has installed; NIL when there is nothing."
  (flet ((there-p (name)
           (probe-file (merge-pathnames name root))))
    (cond ((and (there-p "qlfile") (not (there-p ".qlot/setup.lisp")) (not (there-p ".bundle-libs/bundle.lisp")))
           "The libraries of its qlfile are not installed: run qlot install.")
          ((and (or (there-p "ocicl.csv") (there-p "systems.csv")) (null *loaded-setups*))
           "Its libraries are listed by ocicl, whose runtime is not installed: run ocicl setup."))))

(defmethod explanation ((error asdf:load-system-definition-error) work)
  (let ((file (namestring (asdf::error-pathname error)))
        (cause (asdf::error-condition error)))
    (multiple-value-bind (message position) (definition-mistake cause)
      (list* :type (type-text cause) :message message :file file
             (and position (line-fields work file position))))))

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
  "NAMES, each where it comes first."
  (remove-duplicates names :test #'string= :from-end t))

(defmethod explanation ((error file-error) work)
  "A file that a system names and that is not there."
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
  "Where the system of COMPONENT is defined, with the line that names NAME first, if possible."
  (let* ((file (asdf:system-source-file (asdf:component-system component)))
         (text (and file (ignore-errors (file-text file))))
         (position (and text
                        (some (lambda (format) (search (format nil format name) text :test #'char-equal))
                              '("~S" ":~A" "~A")))))
    (and file
         (list* :file (namestring file)
                (and position (list :line (line-and-column text position)))))))
