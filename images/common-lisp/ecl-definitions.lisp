;;;; Undefining in ECL.

(in-package "LISPWRIGHT.AGENT")

(defun background-threads-p ()
  "True when there are other threads than the one that evaluates and the one that serves signals."
  (loop for process in (mp:all-processes)
          thereis (not (or (eq process *main-thread*)
                           (eq (mp:process-name process) 'si:signal-servicing)))))

(defun conceal-function (name)
  (fmakunbound name))

(defun reveal-function (name function)
  (setf (fdefinition name) function))

(defun forget-function (name)
  (fmakunbound name)
  (when (symbolp name)
    (si:rem-sysprop name 'si::structure-access)
    (si:rem-sysprop name 'si:setf-method)))

(defun forget-variable (name)
  "NAME is no variable, constant or symbol macro any more. ECL has no function for that: what a symbol is stands in the third octet of
its header."
  (si:rem-sysprop name 'si:symbol-macro)
  (si:call-cfun (c-function "memset") :void '(:unsigned-long :int :unsigned-long) (list (+ 2 (si:pointer name)) 0 1))
  (makunbound name))

(defun forget-type (name)
  (si:rem-sysprop name 'si::deftype-form)
  (si:rem-sysprop name 'si::deftype-definition))

(defun forget-structure (name)
  (dolist (key '(si::is-a-structure si:structure-slot-descriptions si::structure-constructors))
    (si:rem-sysprop name key)))

(defun forget-setf-expander (name)
  (si:rem-sysprop name 'si:setf-method))

(defun forget-method-combination (name)
  (remhash name clos::*method-combinations*))

(defun implementation-key-p (key)
  (declare (ignore key))
  nil)

(defun place-or-type-p (symbol)
  (loop for key in '(si:setf-method si::deftype-form si:symbol-macro)
          thereis (si:get-sysprop symbol key)))
