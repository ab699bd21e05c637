;;;; Loading systems and files: stale files are found by content, and the compiler's messages are sent with their
;;;; places.
;;;;
;;;; ASDF compares dates, which are whole seconds: a file that changes twice within one keeps its old code. So beside
;;;; each compiled file of the project is a record of the content it was compiled from and of the compiler's messages; a
;;;; compiled file with an outdated record is deleted before ASDF checks it. The record also lets a fresh image repeat
;;;; warnings about files that it does not compile again.
;;;;
;;;; The parent sends the place of the project and its .asd files with each request.

(in-package "LISPWRIGHT.AGENT")

(defvar *project-roots* '() "The project's directories, as namestrings that end in a slash.")
(defvar *definition-files* '() "The .asd files of the project, the nearest to the root first.")
(defvar *definition-digests* (make-hash-table :test #'equal) "A table: namestring of a definition file -> content that
was loaded.")
(defvar *file-systems* (make-hash-table :test #'equal) "A table: namestring of a loaded file -> the name of its system.")

(defstruct work
  "The state of a load or a test run."
  (diagnostics '())                     ; plists, newest first
  (compiled '())                        ; namestrings of the files that were compiled
  (files '())                           ; the source files of the project in the plan, in its order
  (systems '())                         ; the loaded systems and their dependencies
  (explanation nil)                     ; the explanation of the last signalled error by the definitions of systems
  (current nil)                         ; the file that was being compiled or loaded when the last error was signalled
  (place nil)                           ; the place in it, (:POSITION i) or (:LINE i), as far as it is known
  (missing '())                         ; names of packages that errors were about
  (texts (make-hash-table :test #'equal))) ; file -> text, for lines

;;; Systems of the project

(defun find-project-system (name)
  "The .asd file of the project that defines the system NAME: by its file name, else by its content."
  (let ((primary (asdf:primary-system-name name)))
    (or (find primary (definition-files) :key #'pathname-name :test #'string=)
        (find-if (lambda (file) (member (asdf:coerce-name name) (defined-systems file) :test #'string=))
                 (definition-files)))))

(defun definition-files ()
  "The .asd files of the project. Until the parent has said which they are, those in the working directory and one or two
directories below it: evaluated code may ask for a system first."
  (or *definition-files*
      (and (null *project-roots*)
           (loop for pattern in '("*.asd" "*/*.asd" "*/*/*.asd")
                 append (ignore-errors (directory (merge-pathnames pattern (uiop:getcwd))))))))

(defun defined-systems (file)
  "The names that follow \"defsystem\" in FILE."
  (let ((text (or (ignore-errors (file-text file)) ""))
        (names '()))
    (loop for start = (search "defsystem" text :test #'char-equal)
            then (search "defsystem" text :test #'char-equal :start2 (1+ start))
          while start
          do (let* ((from (position-if (lambda (character) (or (alphanumericp character) (char= character #\/)))
                                       text :start (+ start 9)))
                    (to (and from (position-if (lambda (character) (find character '(#\" #\| #\) #\Space #\Newline #\Tab #\Return)))
                                               text :start from))))
               (when (and to (every (lambda (character) (find character '(#\" #\# #\: #\| #\Space #\Newline #\Tab #\Return)))
                                    (subseq text (+ start 9) from)))
                 (pushnew (string-downcase (subseq text from to)) names :test #'string=))))
    (nreverse names)))

(defun reload-changed-definitions ()
  "Loads the .asd files of the project again whose content has changed. The systems of a file that does not load, or is
gone, are removed: a request for one of them gets the reason, and the others are not affected. Files that are no part of
their systems any more leave the image."
  (let ((changed nil))
    (dolist (file (project-definitions))
      (let ((digest (and (probe-file file) (content-digest file))))
        (unless (and digest (equal digest (gethash file *definition-digests*)))
          (handler-case (let ((*error-output* (make-broadcast-stream)))
                          (unless digest
                            (error "It is gone."))
                          (asdf:load-asd file)
                          (setf (gethash file *definition-digests*) digest
                                changed t))
            (error ()
              (remhash file *definition-digests*)
              (forget-definitions file))))))
    (when changed
      (mapc #'forget-gone-file (remove-if-not #'left-its-system-p *loaded-files*)))))

(defun project-definitions ()
  "The namestrings of the project's .asd files whose systems ASDF knows."
  (remove-duplicates
   (loop for name in (asdf:registered-systems)
         for system = (asdf::registered-system name)
         for source = (and system (asdf:system-source-file system))
         when (and source (project-file-p source))
           collect (namestring source))
   :test #'string=))

(defun left-its-system-p (path)
  "True when the file at PATH was loaded as a part of a system that ASDF knows, and which has no such part now."
  (let* ((name (gethash path *file-systems*))
         (system (and name (asdf::registered-system name))))
    (and system
         (not (typep system 'asdf:package-inferred-system))
         (not (member path (mapcar #'component-path (project-files-of system)) :test #'string=)))))

(defun forget-definitions (file)
  "Makes ASDF forget the systems that FILE has defined."
  (dolist (name (asdf:registered-systems))
    (let ((source (asdf:system-source-file (asdf::registered-system name))))
      (when (and source (string= (namestring source) file))
        (asdf:clear-system name)))))

(defun note-definition (system)
  "Records the content of the file that has just defined SYSTEM."
  (let ((source (asdf:system-source-file system)))
    (when (and source (project-file-p source))
      (let ((name (namestring source)))
        (unless (gethash name *definition-digests*)
          (setf (gethash name *definition-digests*) (content-digest name)))))))

;;; Settings of ASDF

(defun look-in-project ()
  "Makes ASDF search the project for systems. A system of the project precedes a library of the same name. A file that
is a system by itself, as in package-inferred systems, precedes both: no definition file names it, though there is one
with the first part of its name."
  (unless (member 'find-project-system asdf:*system-definition-search-functions*)
    (push 'find-project-system
          (rest (member 'asdf/package-inferred-system:sysdef-package-inferred-system-search
                        asdf:*system-definition-search-functions*)))))

(look-in-project)

(defvar *settled* nil "True when this image keeps its ASDF.")

(defun settle-asdf ()
  "Loads the newest version of ASDF, unless that has been done, and prevents a later upgrade."
  (unless *settled*
    #-ecl (load-newest-asdf)            ; asdf.lisp has done it there
    (dolist (name '("asdf" "uiop"))
      (asdf:register-immutable-system name :version (asdf:asdf-version)))
    (setf *settled* t)))

(defun prepare-asdf-for-saving ()
  "Loads the newest version of ASDF, if possible, and makes it forget its findings: they may have moved when the saved
image starts."
  (ignore-errors (load-newest-asdf))
  (asdf:clear-configuration)
  (dolist (name (asdf:registered-systems))
    (when (asdf:system-source-file (asdf::registered-system name))
      (asdf:clear-system name))))

;;; Contents and records

(defvar *contents* (make-hash-table :test #'equal) "A table: namestring of a file -> (octets . digest), as it was read last.")

(defun content-digest (path)
  "A short digest of the content of the file PATH. Comparing contents is much quicker than computing digests in interpreted
Lisps."
  (with-open-file (stream path :element-type '(unsigned-byte 8))
    (let* ((octets (make-array (file-length stream) :element-type '(unsigned-byte 8)))
           (name (namestring path))
           (known (gethash name *contents*)))
      (read-sequence octets stream)
      (if (and known (equalp octets (car known)))
          (cdr known)
          (let ((digest (format nil "~36R-~36R-~36R" (length octets) (mixed octets 2166136261 16777619)
                                (mixed octets 40503 1540483477))))
            (setf (gethash name *contents*) (cons octets digest))
            digest)))))

(defun mixed (octets start factor)
  "FNV-1a over OCTETS in 32 bits."
  (declare (type (simple-array (unsigned-byte 8) (*)) octets) (type (unsigned-byte 32) start factor)
           (optimize speed))
  (let ((hash start))
    (declare (type (unsigned-byte 32) hash))
    (loop for octet across octets
          do (setf hash (ldb (byte 32 0) (* (logxor hash octet) factor))))
    hash))

(defun record-path (compiled)
  (make-pathname :type "record" :defaults compiled))

(defconstant +record-format+ 3)

(defun read-record (compiled)
  "(digest definitions . diagnostics) of the compiled file, when the record beside it is about it."
  (let ((record (ignore-errors
                 (with-open-file (stream (record-path compiled) :external-format (lenient-utf-8))
                   (with-standard-io-syntax
                     (let ((*read-eval* nil))
                       (read stream)))))))
    (and (listp record)
         (eql (first record) +record-format+)
         (eql (second record) (file-write-date compiled))
         (cddr record))))

(defun write-record (compiled digest definitions diagnostics)
  (ignore-errors
   (with-open-file (stream (record-path compiled) :direction :output :if-exists :supersede :external-format (lenient-utf-8))
     (with-standard-io-syntax
       (prin1 (list* +record-format+ (file-write-date compiled) digest definitions diagnostics) stream)))))

(defun compiled-from-p (compiled digest)
  "True when the compiled file was made from the content of that DIGEST."
  (equal (first (read-record compiled)) digest))

(defun changed-since-loaded-p (path digest)
  "True when this image has another content of the file at PATH than that of DIGEST, or only a part of one."
  (and (nth-value 1 (gethash path *file-definitions*))
       (not (equal digest (gethash path *loaded-digests*)))))

(defun remove-stale-files (components clear)
  "Deletes the compiled files of COMPONENTS, in the order of the plan, that were not made from the present contents of
their source and its dependencies; those for which CLEAR is true in any case. Returns the namestrings of the sources.
What declares no dependency on its siblings may use macros and inline functions of those that stand before it."
  (let ((stale (make-hash-table :test #'equal))
        (changed (make-hash-table :test #'eq)) ; a table: module or system -> its stale components
        (paths '()))
    (labels ((action-stale-p (operation component)
               (let ((key (cons (type-of operation) component)))
                 (multiple-value-bind (value known) (gethash key stale)
                   (if known
                       value
                       (progn
                         (setf (gethash key stale) nil)
                         (setf (gethash key stale) (dependency-stale-p operation component)))))))
             (dependency-stale-p (operation component)
               (loop for (below . its-component) in (direct-dependencies operation component)
                       thereis (action-stale-p below its-component)))
             (sibling-stale-p (component)
               (loop for child = component then parent
                     for parent = (asdf:component-parent child)
                     while parent
                       thereis (and (null (asdf:component-sideway-dependencies child))
                                    (remove child (gethash parent changed)))))
             (note-stale (component)
               (loop for child = component then parent
                     for parent = (asdf:component-parent child)
                     while parent
                     do (pushnew child (gethash parent changed)))))
      (dolist (component components)
        (let* ((path (namestring (asdf:component-pathname component)))
               (compiled (compiled-file component))
               (digest (content-digest path))
               (compile (asdf:make-operation 'asdf:compile-op))
               (is-stale (or (funcall clear component)
                             (null (probe-file compiled))
                             (not (compiled-from-p compiled digest))
                             (changed-since-loaded-p path digest)
                             (dependency-stale-p compile component)
                             (sibling-stale-p component))))
          (setf (gethash (cons 'asdf:compile-op component) stale) is-stale
                (gethash (cons 'asdf:load-op component) stale) is-stale)
          (when is-stale
            (push path paths)
            (note-stale component)
            (forget-loaded component)
            (when (probe-file compiled)
              (delete-file compiled))))))
    (nreverse paths)))

(defun forget-loaded (component)
  "Makes ASDF load COMPONENT again. Versions before 3.3 consider it loaded when its compiled file is of the same
second."
  (when (uiop:version< (asdf:asdf-version) "3.3")
    (let ((times (find-symbol "COMPONENT-OPERATION-TIMES" "ASDF/COMPONENT")))
      (when (and times (fboundp times))
        (clrhash (funcall times component))))))

;;; Diagnostics

(defconstant +most-diagnostics+ 100)

(defun add-diagnostic (work severity type message place)
  "Keeps a message about PLACE, (:FILE s :POSITION i :FORM s) or with :LINE instead of the position, once. Warnings
about libraries are not kept."
  (let* ((file (getf place :file))
         (position (getf place :position))
         (diagnostic (append (list :severity severity :type type :message message)
                             (and file (list* :file file (cond ((getf place :line) (list :line (getf place :line)))
                                                               (position (line-fields work file position)))))
                             (and (getf place :form) (list :form (getf place :form))))))
    (when (or (project-file-p file) (string= severity "error"))
      (pushnew diagnostic (work-diagnostics work) :test #'equal))))

(defun line-fields (work file position)
  "(:LINE i :COLUMN i) of the form that begins at POSITION in FILE or after blanks and comments there."
  (let* ((text (or (gethash file (work-texts work))
                   (setf (gethash file (work-texts work)) (ignore-errors (file-text file)))))
         (start (and text (skip-to-code text position))))
    (when start
      (multiple-value-bind (line column) (line-and-column text start)
        (list :line line :column column)))))

(defun work-fields (work answer)
  "The fields of ANSWER with the results of WORK."
  (when (eq (getf answer :outcome) :error)
    (add-fatal-diagnostic work (getf answer :error))
    (add-missing-systems work)
    (when (some #'contradicts-image-p (work-diagnostics work))
      (push '(:severity "note" :type "earlier-definition"
              :message "The image has a definition from before that the present one cannot take the place of.")
            (work-diagnostics work)))
    ;; The stack is gone, so its restarts are useless; so is ASDF's path to a mistake that is explained.
    (let ((error (substitute-field (getf answer :error) :restarts '())))
      (setf answer (substitute-field answer :error
                                     (if (work-explanation work) (substitute-field error :frames '()) error)))))
  (dolist (name (and *renewed* (renewal-remade *renewed*)))
    (push (list :severity "note" :type "lost-instances"
                :message (format nil "~A is another structure now: its instances from before are lost." (name-of name)))
          (work-diagnostics work)))
  (let ((diagnostics (in-order (reverse (work-diagnostics work)) work)))
    (append answer
            (list :diagnostics
                  (if (<= (length diagnostics) +most-diagnostics+)
                      diagnostics
                      (append (subseq diagnostics 0 +most-diagnostics+)
                              (list (list :severity "note" :type "limit"
                                          :message (format nil "~D more are left out."
                                                           (- (length diagnostics) +most-diagnostics+))))))))))

(defun substitute-field (fields key value)
  (loop for (name old) on fields by #'cddr
        append (list name (if (eq name key) value old))))

(defun add-fatal-diagnostic (work error)
  "Adds the error that ended WORK, unless it only says that the compiler has found a mistake, which was reported."
  (let* ((type (getf error :type))
         (frames (getf error :frames))
         (frame (or (find-if #'project-file-p frames :key (lambda (frame) (getf frame :file)))
                    (find-if (lambda (frame) (source-of-p (getf frame :file) (work-current work))) frames))))
    (flet ((add (message &rest place)
             (push (append (list :severity "error" :type type :message message) place) (work-diagnostics work))))
      (cond ((work-explanation work)
             (push (list* :severity "error" (work-explanation work)) (work-diagnostics work)))
            ((not (search "COMPILE-FILE-ERROR" type))
             (apply #'add (getf error :message)
                    (cond (frame (list* :file (getf frame :file)
                                        (and (getf frame :line) (list :line (getf frame :line)))))
                          ((work-current work)
                           (list* :file (work-current work)
                                  (or (place-fields work) (loading-place error (work-current work))))))))
            ((not (mistaken-p work))
             (add "It compiled with a warning, and ASDF does not load what does." :file (first (work-compiled work))))))))

(defun place-fields (work)
  "The line of the form that was being compiled when the last error was signalled, as far as it is known."
  (let* ((place (work-place work))
         (position (getf place :position)))
    (if position
        (line-fields work (work-current work) position)
        place)))

(defun note-missing-package (work error)
  "Keeps the name of the package that ERROR did not find."
  (let ((name (ignore-errors (and (typep error 'package-error)
                                  (not (packagep (package-error-package error)))
                                  (string (package-error-package error))))))
    (when name
      (pushnew name (work-missing work) :test #'string=))))

(defun add-missing-systems (work)
  "Tells of each package whose lack is among the mistakes of WORK the system that is named like it and is not loaded."
  (dolist (name (union (work-missing work)
                       (loop for one in (work-diagnostics work)
                             for name = (package-the-reader-lacks (getf one :message))
                             when name collect name)
                       :test #'string=))
    (let ((system (and (null (find-package name))
                       (some (lambda (one)
                               (and (equal (getf one :severity) "error") (search name (getf one :message) :test #'char-equal)))
                             (work-diagnostics work))
                       (system-like name))))
      (when system
        (setf (work-diagnostics work)
              (append (work-diagnostics work)
                      (list (list :severity "note" :type "missing-dependency"
                                  :message (format nil "There is a system ~S, which is not loaded; no :depends-on has it." system)))))))))

(defun package-the-reader-lacks (message)
  "The name of the package that MESSAGE, of a reader inside of a compiler, says does not exist; else NIL."
  (let* ((start (search "Package " message))
         (end (and start (search " does not exist" message :start2 start)))
         (name (and end (subseq message (+ start (length "Package ")) end))))
    (and name (not (find #\Space name)) name)))

(defun system-like (name)
  "The name of the system that is called like the package NAME, if there is one and it is not loaded."
  (let ((system (ignore-errors (asdf:find-system (string-downcase name) nil))))
    (and system
         (not (asdf:component-loaded-p system))
         (asdf:component-name system))))

(defun source-of-p (file compiled)
  "True when COMPILED is the compiled file in the cache of the source FILE: its path contains that of the source."
  (let ((dot (and file compiled (position #\. file :from-end t))))
    (and dot
         (/= (length file) (length compiled))
         (search (subseq file 0 (1+ dot)) compiled))))

(defun mistaken-p (work)
  "True when the compiler has found an error."
  (find "error" (work-diagnostics work) :key (lambda (diagnostic) (getf diagnostic :severity)) :test #'equal))

(defun in-order (diagnostics work)
  "DIAGNOSTICS, errors first, then in the order of compilation and from the top of each file."
  (flet ((order (diagnostic)
           (+ (if (equal (getf diagnostic :severity) "error") 0 1000000000)
              (* 100000 (or (position (getf diagnostic :file) (work-files work) :key #'first :test #'equal) 0))
              (or (getf diagnostic :line) 0))))
    (stable-sort (copy-list diagnostics) #'< :key #'order)))

;;; Loading

(defun tell-progress (format &rest arguments)
  (send (list :progress :id *pending* :text (apply #'format nil format arguments))))

(defun tell-test (name others-p)
  "Reports that the test NAME runs. The parent may ask to leave it when there are others."
  (send (list :progress :id *pending* :text (format nil "testing ~A" name) :test (and others-p name))))

(defun answer-load (&rest arguments &key path system force clear in-system &allow-other-keys)
  "Loads a file or a system; returns the fields of the answer."
  (let ((*lasting* t))
    (call-working (lambda (work)
                    (multiple-value-bind (result status)
                        (call-catching-exit
                         (lambda ()
                           (cond ((null path) (load-named-system work system force clear))
                                 (in-system (load-containing-systems work path clear))
                                 ((equalp (pathname-type path) "asd")
                                  (load-named-system work (pathname-name path) force clear))
                                 (t (load-changed-systems work path)
                                    (load-source-file work path)))))
                      ;; A script ends so.
                      (if status
                          (list :outcome :loaded :exit-status status)
                          result)))
                  arguments)))

(defun call-working (function arguments)
  "The fields of the answer to a request for a load or for tests: those of FUNCTION, called with a work, the diagnostics,
and what else was brought up to date, for any ending."
  (destructuring-bind (&key definitions roots &allow-other-keys) arguments
    (set-project roots definitions)
    (setf *renewed* nil)
    (let* ((work (make-work))
           (answer (work-fields work
                                (call-evaluating
                                 (lambda (evaluation)
                                   (setf (evaluation-phase evaluation) :eval)
                                   (first (evaluate-form (lambda ()
                                                           (call-renewing arguments
                                                                          (lambda () (call-noting-errors work function))))
                                                         #'funcall)))))))
      (append answer (renewed-fields)))))

(defun set-project (roots definitions)
  (setf *project-roots* roots
        *definition-files* (mapcar #'parse-namestring-as-file definitions)))

(defun parse-namestring-as-file (name)
  (uiop:parse-native-namestring name))

(defun call-noting-errors (work function)
  "Calls FUNCTION with WORK, which collects the compiler's messages and the file of an error."
  (handler-bind ((error (lambda (error)
                          (setf (work-current work) (current-file work)
                                (work-place work) (ignore-errors (signalling-place))
                                (work-explanation work) (ignore-errors (explanation error work)))
                          (note-missing-package work error))))
    (load-setups :first)
    (settle-asdf)
    (name-user-cache)
    (funcall function work)))

(defun name-user-cache ()
  "Sets ASDF's variable for the directory of compiled files, by which Rove finds the source of one. A newer ASDF has set
it to its default."
  (let ((variable (find-symbol "*USER-CACHE*" "ASDF")))
    (when (and variable (boundp variable))
      (setf (symbol-value variable)
            (uiop:subpathname (cache-directory) (uiop:implementation-identifier) :type :directory)))))

(defun current-file (work)
  "The namestring of the source that is being compiled or loaded, or NIL."
  (let ((compiled (and *load-truename* (namestring *load-truename*))))
    (cond (*compile-file-truename* (namestring *compile-file-truename*))
          ((null compiled) nil)
          ((first (rassoc compiled (work-files work) :test #'equal)))
          (t compiled))))

(defun call-compiling (work function)
  "Calls FUNCTION, which compiles and loads, directly or through ASDF for a definition of a system; WORK gets the
diagnostics."
  (handler-bind ((warning #'muffle-chatter))
    (call-observing-compiler
     (lambda (severity type message place)
       (add-diagnostic work severity type message place))
     (lambda (file)
       (push file (work-compiled work))
       (tell-progress "compiling ~A" file))
     (lambda (file)
       (tell-progress "loading ~A" (or (first (rassoc file (work-files work) :test #'equal)) file)))
     function)))

(defun muffle-chatter (warning)
  "Muffles ASDF's messages about the style of definitions and about its plans: they are not about the current source."
  (when (and (find-restart 'muffle-warning warning)
             (or (eql 0 (search "ASDF/" (package-name (symbol-package (type-of warning)))))
                 (not (or *load-truename* *compile-file-truename*))))
    (muffle-warning warning)))

(defun compile-whole (source compiled)
  "The file COMPILED, made of the file SOURCE, or NIL. It is written under another name, and then takes the place of an
earlier one: other images have the same directory for compiled files, and must not find a part of one."
  (let ((staging (uiop:tmpize-pathname compiled)))
    (unwind-protect
         (when (compile-source source staging)
           (uiop:rename-file-overwriting-target staging compiled)
           compiled)
      (uiop:delete-file-if-exists staging)
      ;; CLISP writes a second file.
      (uiop:delete-file-if-exists (make-pathname :type "lib" :defaults staging)))))

(defun load-source-file (work path)
  "Compiles and loads the file at PATH by itself."
  (let* ((source (namestring (parse-namestring-as-file path)))
         (compiled (asdf:apply-output-translations (compile-file-pathname source))))
    (ensure-directories-exist compiled)
    (setf (work-files work) (list (cons source (namestring compiled))))
    (comprise (list source))
    (flet ((compile-it ()
             (call-compiling-file source (lambda ()
                                           (let ((output (compile-whole source compiled)))
                                             (if (or (null output) (mistaken-p work))
                                                 (error 'uiop:compile-file-error :description source)
                                                 output)))))
           (load-it (output)
             (call-loading-file source output (lambda ()
                                                (let ((*package* *package*)
                                                      (*readtable* *readtable*))
                                                  (load output :verbose nil :print nil))))))
      (call-concealing (list source)
                       (and (changed-since-loaded-p source (content-digest source)) (list source))
                       (lambda ()
                         (call-compiling work (lambda () (load-it (compile-it)))))))
    (when *renewal*
      (note-features (renewal-settings *renewal*)))
    (list :outcome :loaded)))

(defun load-named-system (work name force clear)
  "Loads the system NAME: with FORCE all of it, though not its dependencies, else the changed parts; with CLEAR all of
it is compiled."
  (let* ((system (call-compiling work (lambda () (wanted-system name))))
         (loaded (asdf:component-loaded-p system)))
    (note-definition system)
    (let* ((all (call-compiling work (lambda () (call-with-libraries
                                                 (lambda ()
                                                   (setf (work-systems work) (plan-systems system))
                                                   (project-components system))))))
           (absent (remove-if #'probe-file all :key #'asdf:component-pathname))
           (components (remove-if (lambda (one) (member one absent)) all))
           (paths (mapcar #'component-path components))
           (stale (remove-stale-files components
                                      (lambda (component)
                                        (or (stale-file (component-path component))
                                            (and clear (part-p (asdf:component-system component) system)))))))
      (comprise paths)
      (setf (work-files work)
            (loop for component in components
                  for path in paths
                  collect (cons path (namestring (compiled-file component)))))
      ;; Either something makes them, or the system cannot be loaded without them.
      (dolist (component absent)
        (forget-loaded component)
        (uiop:delete-file-if-exists (compiled-file component)))
      (if (and loaded (not force) (null stale) (null absent))
          (progn
            (recall-diagnostics work)
            (list :outcome :loaded :unchanged t))
          (let ((digests (loop for path in paths
                               collect (cons path (content-digest path)))))
            (when (or force clear)
              (forget-systems system))
            (unwind-protect
                 (call-concealing paths stale
                                  (lambda ()
                                    (call-compiling work
                                                    (lambda ()
                                                      (let ((asdf:*compile-file-warnings-behaviour* :ignore))
                                                        (asdf:load-system (asdf:component-name system) :verbose nil))))))
              (record-files work digests))
            (note-settings)
            (recall-diagnostics work)
            (list :outcome :loaded))))))

(defun comprise (paths)
  "Records that the target of the request consists of the files at PATHS and uses them."
  (when *renewal*
    (setf (renewal-comprised *renewal*) paths)))

(defmethod asdf:perform :around ((operation asdf:operation) (component asdf:cl-source-file))
  "Notes what a file of the project defines. Methods for COMPILE-OP and LOAD-OP would replace those of a library, or be
replaced by them."
  (let ((path (and (asdf:component-pathname component) (component-path component))))
    (if (and path (project-file-p path))
        (typecase operation
          (asdf:compile-op
           (multiple-value-prog1 (call-compiling-file path #'call-next-method)
             (record-compilation path (compiled-file component))))
          (asdf:load-op
           (multiple-value-prog1 (call-loading-file path (compiled-file component) #'call-next-method)
             (setf (gethash path *file-systems*) (asdf:component-name (asdf:component-system component)))))
          (t (call-next-method)))
        (call-next-method))))

(defun record-compilation (path compiled)
  "Records what was noted while the file at PATH was COMPILED."
  (let ((notes (gethash path *new-notes*)))
    (when (and notes (probe-file compiled))
      (write-record compiled (notes-digest notes) (recorded-definitions notes) '()))))

(defun part-p (system whole)
  "True when SYSTEM is WHOLE or a file that is a system below it."
  (let ((name (asdf:component-name system))
        (prefix (asdf:component-name whole)))
    (or (string= name prefix)
        (eql (mismatch (concatenate 'string prefix "/") name) (1+ (length prefix))))))

(defun project-components (system)
  "The Lisp files of the project in SYSTEM and its dependencies; some may not be there."
  (remove-if-not #'project-file-p (plan-components system) :key #'asdf:component-pathname))

(defun forget-systems (system)
  "Makes ASDF load SYSTEM and its parts as if they had never been loaded."
  (dolist (part (plan-systems system))
    (when (part-p part system)
      (asdf:clear-system part))))

(defun record-files (work digests)
  "Adds the compiler's messages to the records of the compiled files."
  (loop for (path . digest) in digests
        for compiled = (cdr (assoc path (work-files work) :test #'equal))
        do (when (and (member path (work-compiled work) :test #'equal) (probe-file compiled))
             (let ((record (read-record compiled)))
               (when (equal (first record) digest)
                 (write-record compiled digest (second record)
                               (remove-if-not (lambda (diagnostic)
                                                (and (equal (getf diagnostic :file) path)
                                                     (not (about-image-p (getf diagnostic :type)))))
                                              (work-diagnostics work))))))))

(defun about-image-p (type)
  "True for a warning that depends on the state of the image and not on the file alone: a package there has more than
its definition, which a fresh image does not have."
  (eql (search "PACKAGE-AT-VARIANCE" type :from-end t) (max 0 (- (length type) (length "PACKAGE-AT-VARIANCE")))))

(defun recall-diagnostics (work)
  "Adds the compiler's messages about the files that were not compiled again."
  (loop for (path . compiled) in (work-files work)
        unless (member path (work-compiled work) :test #'equal)
          do (dolist (diagnostic (cddr (and (probe-file compiled) (read-record compiled))))
               (pushnew diagnostic (work-diagnostics work) :test #'equal))))
