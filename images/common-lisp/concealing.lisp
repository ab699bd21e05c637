;;;; While files are loaded again, none sees what only the files after it define: so it fails where it fails in a fresh
;;;; image, and what is no longer defined is not there.

(in-package "LISPWRIGHT.AGENT")

(defstruct concealment
  "What is concealed."
  (positions (make-hash-table :test #'equal)) ; namestring -> its place in the order of loading
  (compiled '())                        ; namestrings of the files that are compiled again
  (entries '()))                        ; in the order of loading, as far as there is still something concealed

(defstruct entry
  "What is concealed of a file."
  path
  position
  definitions)

(defvar *concealment* nil "The present concealment, or NIL.")

(defun call-concealing (order compiled function)
  "Calls FUNCTION, which loads files in this ORDER, and before that compiles those that are COMPILED. Other threads, and held
stacks with bindings of variables, would notice; then nothing is concealed."
  (let* ((first (position-if (lambda (path) (member path compiled :test #'string=)) order))
         (later (and first (remove-if-not (lambda (path) (gethash path *file-definitions*)) (nthcdr first order)))))
    (if (or (null later) *concealment* *held* (background-threads-p))
        (funcall function)
        (let ((*concealment* (make-concealment :compiled compiled)))
          (loop for path in order
                for position from 0
                do (setf (gethash path (concealment-positions *concealment*)) position))
          (unwind-protect
               (progn
                 (dolist (path later)
                   (conceal-file path (member path compiled :test #'string=)))
                 (funcall function))
            (dolist (entry (concealment-entries *concealment*))
              (reveal-some entry (constantly t))))))))

(defun concealed-entry (path)
  (and *concealment* (find path (concealment-entries *concealment*) :key #'entry-path :test #'string=)))

(defun concealed (path)
  "The concealed definitions of the file at PATH."
  (let ((entry (concealed-entry path)))
    (and entry (entry-definitions entry))))

(defun forget-concealment (path)
  "Records that nothing of the file at PATH is concealed any more."
  (when *concealment*
    (setf (concealment-entries *concealment*)
          (remove path (concealment-entries *concealment*) :key #'entry-path :test #'string=))))

(defun stays-p (key)
  "True when KEY is defined by a file that is not compiled again."
  (let ((path (car (gethash key *owners*))))
    (and path
         (not (and *concealment* (member path (concealment-compiled *concealment*) :test #'string=))))))

;;; Concealing

(defun conceal-file (path compiled)
  "Conceals what the file at PATH has defined. If it is COMPILED again, its methods and constants, too, which could
contradict the new ones."
  (let ((entry (make-entry :path path :position (gethash path (concealment-positions *concealment*)))))
    (setf (concealment-entries *concealment*) (append (concealment-entries *concealment*) (list entry)))
    (dolist (definition (gethash path *file-definitions*))
      (when (conceal definition path compiled)
        (push definition (entry-definitions entry))))))

(defun conceal (definition path compiled)
  "Conceals what DEFINITION, of the file at PATH, has made, if it is there and can be concealed; then returns true."
  (let ((kind (definition-kind definition))
        (name (definition-name definition))
        (object (definition-object definition)))
    (case kind
      (:methods (and compiled (conceal-methods name object)))
      (:variable (and (owned-p definition path) (conceal-variable definition compiled)))
      (:package (and (its-own-p definition) (conceal-package definition)))
      ((:function :macro :compiler-macro :constant)
       (and (its-own-p definition)
            (not (typep object 'generic-function))
            (or compiled (not (eq kind :constant)))
            (nth-value 1 (ignore-errors
                          (values (if (eq kind :function) (conceal-function name) (forget kind name)) t))))))))

(defun conceal-methods (name methods)
  (let* ((function (present :function name))
         (there (and (typep function 'generic-function)
                     (remove-if #'accessor-method-p
                                (intersection methods (mop generic-function-methods function))))))
    (dolist (method there)
      (remove-method function method))
    (and there t)))

(defun conceal-variable (definition compiled)
  "The value may be another one than the file gave it. If that is COMPILED again, the name is no variable until then."
  (let ((name (definition-name definition)))
    (when (boundp name)
      (let ((value (symbol-value name)))
        (when (ignore-errors (makunbound name))
          (when (and compiled (not (stays-p (list :special name))))
            (forget :variable name))
          (setf (definition-before definition) (list value)))))))

(defun conceal-package (definition)
  (let* ((package (definition-object definition))
         (nicknames (package-nicknames package)))
    (when (ignore-errors (rename-package package (format nil "~A (loaded later)" (definition-name definition))))
      (setf (definition-before definition) nicknames)
      t)))

;;; Revealing

(defun reveal-before (path)
  "Reveals what the files before the one at PATH define, and its own packages."
  (let ((position (and *concealment* (gethash path (concealment-positions *concealment*)))))
    (when position
      (loop for entry in (concealment-entries *concealment*)
            while (< (entry-position entry) position)
            do (reveal-some entry (constantly t))
               (forget-concealment (entry-path entry)))
      (reveal-those-of path (lambda (definition) (eq (definition-kind definition) :package))))))

(defun reveal-those-of (path wanted)
  "Reveals the concealed definitions of the file at PATH for which WANTED is true."
  (let ((entry (concealed-entry path)))
    (when entry
      (reveal-some entry wanted))))

(defun reveal-some (entry wanted)
  (let ((definitions (entry-definitions entry)))
    (setf (entry-definitions entry) (remove-if wanted definitions))
    (dolist (definition definitions)
      (when (funcall wanted definition)
        ;; Whatever stands in the way of one must not keep the others concealed.
        (ignore-errors (reveal definition))))))

(defun reveal (definition)
  "Makes the name of DEFINITION mean what it meant before it was concealed, unless it means something else by now."
  (let ((kind (definition-kind definition))
        (name (definition-name definition))
        (object (definition-object definition)))
    (case kind
      (:methods
       (let ((function (present :function name)))
         (when (typep function 'generic-function)
           (dolist (method object)
             (unless (or (accessor-method-p method) (same-method method function))
               (add-method function method))))))
      (:package
       (when (and (package-name object) (null (find-package name)))
         (rename-package object name (definition-before definition))))
      (:variable
       (unless (boundp name)
         (bring-back :special name nil)
         (bring-back :variable name (first (definition-before definition)))))
      (t
       (when (eq (present kind name) +nothing+)
         (bring-back kind name object))))))
