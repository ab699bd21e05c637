;;;; The systems that contain a file of the project.
;;;;
;;;; A file says nothing of its system, so all files with definitions of systems are asked, the nearest first, each by itself:
;;;; a bad one concerns nobody else.

(in-package "LISPWRIGHT.AGENT")

(defun load-containing-systems (work path clear)
  "Loads the systems that contain the file at PATH, as far as they have changed; without any, the file by itself."
  (let* ((path (known-path path))
         (names (call-compiling work (lambda () (containing-systems path)))))
    (cond ((null names)
           (load-changed-systems work path)
           (load-source-file work path))
          (t
           (setf (renewal-systems *renewal*) names)
           (let ((unchanged t))
             (dolist (name names)
               (unless (getf (load-named-system work name nil clear) :unchanged)
                 (setf unchanged nil)))
             (list :outcome :loaded :unchanged unchanged))))))

(defun containing-systems (path)
  "The names of the systems that have the file at PATH as a component: those of the nearest directory with any."
  (reload-changed-definitions)
  (loop with files = (definitions-around path)
        while files
        do (let* ((directory (directory-of (first files)))
                  (here (loop while (and files (string= (directory-of (first files)) directory))
                              collect (pop files)))
                  (names (loop for file in here append (systems-in file path))))
             (when names
               (return (remove-duplicates names :test #'string= :from-end t))))))

(defun directory-of (file)
  (namestring (uiop:pathname-directory-pathname file)))

(defun definitions-around (path)
  "The .asd files of the project: those in the directories around PATH, the nearest first, then the others."
  (let ((depths (mapcar (lambda (file)
                          (let ((directory (directory-of file)))
                            (cons (if (eql (mismatch directory path) (length directory)) (length directory) 0) file)))
                        *definition-files*)))
    (mapcar #'cdr (stable-sort depths #'> :key #'car))))

(defun systems-in (file path)
  "The names of the systems in the .asd FILE that have the file at PATH; none if it does not load."
  (handler-case
      (let ((*error-output* (make-broadcast-stream))
            (name (namestring file)))
        (unless (equal (content-digest name) (gethash name *definition-digests*))
          (asdf:load-asd file)
          (setf (gethash name *definition-digests*) (content-digest name)))
        (append (loop for name in (defined-systems file)
                      for system = (asdf::registered-system name)
                      when (and system (has-file-p system path))
                        collect name)
                (inferred-system file path)))
    (error () '())))

(defun has-file-p (system path)
  (loop for component in (asdf/component:sub-components system)
          thereis (and (typep component 'asdf:source-file)
                       (equal (component-path component) path))))

(defun inferred-system (file path)
  "(name) of the system that is the file at PATH itself, if one of the package-inferred systems in the .asd FILE has it."
  (loop for name in (defined-systems file)
        for system = (asdf::registered-system name)
        for directory = (and (typep system 'asdf:package-inferred-system)
                             (namestring (asdf:component-pathname system)))
        do (when (and directory (eql (mismatch directory path) (length directory)))
             (let* ((part (subseq path (length directory) (position #\. path :from-end t)))
                    (inferred (asdf:find-system (format nil "~A/~A" name part) nil)))
               (when (and inferred (has-file-p inferred path))
                 (return (list (asdf:component-name inferred))))))))
