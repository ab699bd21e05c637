;;;; Loading files and systems into an image that somebody else runs, as its owner would: compiled files go to the
;;;; owner's directories, and ASDF's knowledge stays. The compiler's messages come from the server, which knows their
;;;; places.

(in-package "LISPWRIGHT.AGENT")

(defun answer-load (&rest arguments &key path system force definitions &allow-other-keys)
  "Loads a file or a system; returns the fields of the answer."
  (let ((diagnostics '()))              ; newest first
    (append (apply #'call-evaluating
                   (lambda (evaluation)
                     (setf (evaluation-phase evaluation) :eval)
                     (flet ((note (diagnostic)
                              (pushnew diagnostic diagnostics :test #'equal)))
                       (first (evaluate-form (lambda ()
                                               (call-noting-compiler
                                                #'note
                                                (lambda ()
                                                  (if path
                                                      (compile-and-load path (lambda () diagnostics))
                                                      (load-owned-system system force definitions)))))
                                             #'funcall))))
                   arguments)
            (list :diagnostics (reverse diagnostics)))))

(defun call-noting-compiler (note function)
  "Calls FUNCTION; NOTE gets the compiler's messages meanwhile, in the parent's form."
  (let ((*compile-verbose* nil) (*compile-print* nil) (*load-verbose* nil) (*load-print* nil)
        (compiler-condition (server-symbol "COMPILER-CONDITION")))
    (handler-bind ((condition
                     (lambda (condition)
                       (cond ((typep condition compiler-condition)
                              (let ((diagnostic (ignore-errors (diagnostic condition))))
                                (when diagnostic
                                  (funcall note diagnostic))))
                             ((and (typep condition 'warning)
                                   (find-restart 'muffle-warning condition)
                                   (null (or *compile-file-truename* *load-truename*)))
                              ;; At the end of the unit there is no current file.
                              (unless (noise-p condition)
                                (funcall note (list :severity (if (typep condition 'style-warning)
                                                                  "style-warning"
                                                                  "warning")
                                                    :type (type-text condition)
                                                    :message (condition-text condition +message-limit+))))
                              (muffle-warning condition))))))
      (let ((values '()))
        (call "CALL-WITH-COMPILATION-HOOKS"
              (lambda ()
                ;; Undefined functions are reported at the end of the unit.
                (with-compilation-unit (:override t)
                  (setf values (multiple-value-list (funcall function))))))
        (values-list values)))))

(defun diagnostic (condition)
  "The description for the parent of a mistake that the compiler found; NIL for other conditions."
  (let* ((severity (call "SEVERITY" condition))
         (word (ecase severity
                 ((:error :read-error) "error")
                 (:warning "warning")
                 (:style-warning "style-warning")
                 ((:note :redefinition) nil)))
         (original (call "ORIGINAL-CONDITION" condition)))
    (when word
      (list* :severity word
             :type (cond ((eq severity :read-error) "READ-ERROR")
                         (original (type-text original))
                         (t word))
             :message (let ((message (call "MESSAGE" condition)))
                        (subseq message 0 (min (length message) +message-limit+)))
             (location-fields (call "LOCATION" condition))))))

(defun not-loaded (what)
  "The fields of an answer when reported mistakes kept WHAT from being loaded."
  (list :outcome :error :error (list :type "COMPILE-ERROR" :message (format nil "~A does not compile." what))))

(defun compile-and-load (path diagnostics)
  "Compiles and loads the file PATH, unless the messages, which DIAGNOSTICS returns, contain errors."
  (let* ((compiled (compiled-file path))
         (output (progn (ensure-directories-exist compiled)
                        (compile-file path :output-file compiled))))
    (cond ((or (null output)
               (find "error" (funcall diagnostics) :key (lambda (one) (getf one :severity)) :test #'string=))
           (not-loaded path))
          (t (load output)
             (list :outcome :loaded)))))

(defun compiled-file (path)
  "The place where the owner's ASDF puts the compiled file of PATH; beside it without ASDF."
  (let* ((beside (compile-file-pathname path))
         (asdf (find-package "ASDF"))
         (translate (and asdf (find-symbol "APPLY-OUTPUT-TRANSLATIONS" asdf))))
    (if (and translate (fboundp translate))
        (funcall translate beside)
        beside)))

(defun asdf (name &rest arguments)
  (apply (find-symbol name "ASDF") arguments))

(defun find-owned-system (name definitions)
  "The system NAME, even if the owner's ASDF does not know it but a file among DEFINITIONS is named after it; or NIL."
  (or (asdf "FIND-SYSTEM" name nil)
      (let ((file (find (subseq name 0 (position #\/ name)) definitions :key #'pathname-name :test #'string-equal)))
        (when file
          (asdf "LOAD-ASD" file)
          (asdf "FIND-SYSTEM" name nil)))))

(defun load-owned-system (name force definitions)
  "Loads the system NAME, as FIND-OWNED-SYSTEM finds it."
  (cond ((null (find-package "ASDF"))
         (list :outcome :refused :no-system name :systems '()))
        ((find-owned-system name definitions)
         (asdf "LOAD-SYSTEM" name :force (and force (list name)))
         (list :outcome :loaded))
        (t (list :outcome :refused :no-system name :systems (asdf "REGISTERED-SYSTEMS")))))
