;;;; Undefining in SBCL: its compiler knows of definitions through the database of INFO.

(in-package "LISPWRIGHT.AGENT")

(defun background-threads-p ()
  (other-threads))

(defun conceal-function (name)
  "Makes a call of the function NAME fail. The compiler still knows it, so that it does not warn of calls."
  (sb-kernel:fdefn-makunbound (sb-int:find-fdefn name)))

(defun reveal-function (name function)
  (let ((fdefn (sb-int:find-fdefn name)))
    (if (and fdefn (not (typep function 'generic-function)))
        (setf (sb-kernel:fdefn-fun fdefn) function)
        (setf (fdefinition name) function))))

(defun forget-function (name)
  (fmakunbound name))

(defun forget-variable (name)
  "NAME is no variable, constant or symbol macro any more, so that the compiler warns of it."
  (sb-int:clear-info :variable :macro-expansion name)
  (sb-int:clear-info :variable :kind name)
  (sb-int:clear-info :variable :type name)
  (sb-int:clear-info :variable :where-from name)
  (sb-int:clear-info :variable :always-bound name)
  (makunbound name))

(defun forget-type (name)
  (sb-int:clear-info :type :expander name)
  (sb-int:clear-info :type :kind name)
  ;; What the name meant is remembered there.
  (sb-int:drop-all-hash-caches))

(defun forget-structure (name)
  (let ((classoid (sb-kernel:find-classoid name nil)))
    (when (typep classoid 'sb-kernel:structure-classoid)
      ;; It warns of structures that include it; those are defined again, too.
      (handler-bind ((warning #'muffle-warning))
        (sb-kernel::undeclare-structure classoid t)))))

(defun forget-setf-expander (name)
  (sb-int:clear-info :setf :expander name))

(defun forget-method-combination (name)
  (let ((table (find-symbol "**METHOD-COMBINATIONS**" "SB-PCL")))
    (when (and table (boundp table))
      (remhash name (symbol-value table)))))

(defun implementation-key-p (key)
  "True for a key in a property list that the implementation has put there."
  (declare (ignore key))
  nil)

(defun place-or-type-p (symbol)
  "True when SYMBOL names a type or a place."
  (or (sb-int:info :type :expander symbol)
      (sb-int:info :setf :expander symbol)
      (not (eq (sb-int:info :variable :kind symbol) :unknown))))
