;;;; Undefining in CLISP, which keeps most of what it knows of a name in the property list of its symbol.

(in-package "LISPWRIGHT.AGENT")

(defun background-threads-p ()
  nil)

(defun conceal-function (name)
  (fmakunbound name))

(defun reveal-function (name function)
  (setf (fdefinition name) function))

(defun forget-function (name)
  (fmakunbound name)
  (when (symbolp name)
    (dolist (key '(system::inline-expansion system::inlinable system::defstruct-reader system::defstruct-writer
                   system::definition))
      (remprop name key))))

(defun forget-variable (name)
  "NAME is no variable, constant or symbol macro any more."
  (remprop name 'system::symbolmacro)
  (proclaim `(ext:notspecial ,name))
  (makunbound name))

(defun forget-type (name)
  (remprop name 'system::deftype-expander))

(defun forget-structure (name)
  (declare (ignore name)))

(defun forget-setf-expander (name)
  (remprop name 'system::setf-expander))

(defun forget-method-combination (name)
  (remprop name 'clos::%method-combination))

(defun implementation-key-p (key)
  (member (package-name (symbol-package key)) '("SYSTEM" "CLOS" "COMMON-LISP") :test #'string=))

(defun place-or-type-p (symbol)
  (loop for key in '(system::setf-expander system::deftype-expander system::symbolmacro)
          thereis (get symbol key)))
