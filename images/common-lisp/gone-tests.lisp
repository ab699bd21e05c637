;;;; Tests of frameworks that have left the files: a framework would go on running them with their group.
;;;;
;;;; A file with a form of a framework's defines tests. Those that its load has made are known by their identities
;;;; (DEFINED-TESTS); one that is still there after the next load was not defined again.

(in-package "LISPWRIGHT.AGENT")

(defgeneric forget-test (framework test)
  (:documentation "Makes FRAMEWORK know nothing of TEST; returns false when that cannot be done.")
  (:method (framework test) (declare (ignore framework test)) nil))

(defmethod forget-test ((framework (eql :fiveam)) test)
  (let ((name (test-name :fiveam test)))
    (dolist (other (call-its :fiveam "TEST-NAMES"))
      (let ((suite (call-its :fiveam "GET-TEST" other)))
        (when (typep suite (its :fiveam "TEST-SUITE"))
          (remhash name (fiveam-suite-tests suite)))))
    (call-its :fiveam "REM-TEST" name)
    t))

(defmethod forget-test ((framework (eql :rt)) entry)
  (call-its :rt "REM-TEST" (test-name :rt entry)))

(defmethod forget-test ((framework (eql :sb-rt)) entry)
  (call-its :sb-rt "REM-TEST" (test-name :sb-rt entry)))

(defmethod forget-test ((framework (eql :parachute)) test)
  (call-its :parachute "REMOVE-TEST" (slot-of test "NAME") (slot-of test "HOME"))
  t)

(defmethod forget-test ((framework (eql :rove)) name)
  (dolist (suite (call-its :rove "ALL-SUITES") t)
    (setf (slot-value suite (its :rove "TESTS")) (remove name (call-its :rove "SUITE-TESTS" suite)))))

(defmethod forget-test ((framework (eql :1am)) name)
  (let ((tests (its :1am "*TESTS*")))
    (setf (symbol-value tests) (remove name (symbol-value tests)))
    t))

(defun forget-stefil-test (framework name)
  (let ((delete (find-symbol "DELETE-TEST" (framework-package framework)))
        (find (find-symbol "FIND-TEST" (framework-package framework))))
    (when (and delete find (fboundp delete) (fboundp find))
      (funcall delete (funcall find name))
      t)))

(defmethod forget-test ((framework (eql :fiasco)) name)
  (forget-stefil-test framework name))

(defmethod forget-test ((framework (eql :stefil)) name)
  (forget-stefil-test framework name))

;;; As definitions of files: the name is that of the framework

(defun framework-of-head (head)
  "The framework whose package is the home of HEAD, if HEAD may define a test."
  (let ((home (symbol-package head)))
    (and home
         (or (search "TEST" (symbol-name head)) (search "SPEC" (symbol-name head)))
         (let ((name (package-name home)))
           (find-if (lambda (framework)
                      (let ((package (framework-package framework)))
                        (or (string= package name)
                            (and (eq framework :rove) (string= name "ROVE/CORE/TEST")))))
                    *frameworks*)))))

(defmethod present ((kind (eql :tests)) name)
  "The list of its tests with their identities."
  (if (present-p name)
      (defined-tests name)
      +nothing+))

(defun finish-tests (path definition notes)
  "Makes a framework forget the tests of DEFINITION that the file at PATH has no more by its NOTES."
  (when (notes-changed notes)
    (let* ((framework (definition-name definition))
           (now (present :tests framework)))
      (when (listp now)
        (loop for (identity . test) in (definition-object definition)
              do (when (or (find identity now :key #'car)
                           ;; A test that is known by its function is not seen while that is concealed. One that has
                           ;; become a suite has a new function.
                           (and (functionp identity)
                                (not (has-function-p (test-name framework test)))
                                (notany (lambda (other) (equal (test-name framework (cdr other)) (test-name framework test)))
                                        now)))
                   (let* ((symbol (test-name framework test))
                          (name (name-of symbol)))
                     (when (ignore-errors (forget-test framework test))
                       (note-removed "test" name path (lambda () (test-called-p framework symbol)))))))))))

(defun has-function-p (name)
  (and (symbolp name) (fboundp name)))

(defun test-called-p (framework name)
  "True when there is a test with the name of NAME, a symbol of whatever package or a string: a package that imports more
than before reads another symbol in the same place."
  (flet ((letters (name)
           (if (symbolp name) (symbol-name name) name)))
    (let ((tests (present :tests framework)))
      (find (letters name) (if (listp tests) tests '())
            :key (lambda (test) (letters (test-name framework (cdr test)))) :test #'equal))))
