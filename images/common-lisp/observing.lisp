;;;; Observes the tests that run while a test-op is performed, and their results: of frameworks whose tests can be run
;;;; one by one, and of those that only offer results.
;;;;
;;;; During the test-op, a wrapper encapsulates the function that runs tests, or the list to which a framework adds its
;;;; results is compared before and after. All of it is looked up by name. If a version lacks a name, its tests are not
;;;; observed: then nothing is counted, which is not a success.

(in-package "LISPWRIGHT.AGENT")

(defgeneric call-observing (framework note function)
  (:documentation "Calls FUNCTION. NOTE is called with each test of FRAMEWORK that runs meanwhile and its outcomes."))

(defvar *observed-frameworks*
  (append *frameworks* '(:fiasco :stefil :hu.dwim.stefil :lisp-unit2 :lisp-unit :prove :1am :lift :try)))

(defvar *debugger-switches*
  '(("IT.BESE.FIVEAM" "*ON-ERROR*" "*ON-FAILURE*" "*DEBUG-ON-ERROR*" "*DEBUG-ON-FAILURE*")
    ("ROVE/CORE/ASSERTION" "*DEBUG-ON-ERROR*")
    ("FIASCO" "*DEBUG-ON-UNEXPECTED-ERROR*" "*DEBUG-ON-ASSERTION-FAILURE*")
    ("STEFIL" "*DEBUG-ON-UNEXPECTED-ERROR*" "*DEBUG-ON-ASSERTION-FAILURE*")
    ("HU.DWIM.STEFIL" "*DEBUG-ON-UNEXPECTED-ERROR*" "*DEBUG-ON-ASSERTION-FAILURE*")
    ("LISP-UNIT" "*USE-DEBUGGER*")
    ("PROVE" "*DEBUG-ON-ERROR*")
    ("LIFT" "*TEST-BREAK-ON-ERRORS?*" "*TEST-BREAK-ON-FAILURES?*"))
  "(package . names) of the variables that make a framework enter the debugger instead of recording a failure: nobody
is there to go on with the other tests.")

(defun present-switches ()
  (loop for (package . names) in *debugger-switches*
        append (loop for name in names
                     for symbol = (and (find-package package) (find-symbol name package))
                     when (and symbol (boundp symbol) (not (constantp symbol)))
                       collect symbol)))

(defvar *watching* nil "While a test-op is performed, in its thread: :OUTSIDE of every function that runs tests, or :INSIDE of one.")

(defun call-observing-all (note function)
  "Calls FUNCTION. NOTE is called with the framework, the test and the outcomes of each test that runs meanwhile."
  (let* ((*watching* :outside)
         (frameworks (remove-if-not #'present-p *observed-frameworks*))
         (switches (present-switches)))
    (progv switches (mapcar (constantly nil) switches)
      (funcall (reduce (lambda (inner framework)
                         (lambda ()
                           (call-observing framework (lambda (test outcomes) (funcall note framework test outcomes))
                                           inner)))
                       frameworks
                       :initial-value function)))))

;;; Watching functions and lists

(defun call-wrapping (symbol wrapper function)
  "Calls FUNCTION; meanwhile calls of the global function SYMBOL go to WRAPPER, with the function and the list of arguments."
  #+sbcl
  (let ((name (gensym "WATCHER")))
    (sb-int:encapsulate symbol name (lambda (original &rest arguments) (funcall wrapper original arguments)))
    (unwind-protect (funcall function)
      (sb-int:unencapsulate symbol name)))
  #-sbcl
  (let ((original (fdefinition symbol)))
    (setf (fdefinition symbol) (lambda (&rest arguments) (funcall wrapper original arguments)))
    (unwind-protect (funcall function)
      (setf (fdefinition symbol) original))))

(defun present-symbol (package name)
  "The symbol NAME of PACKAGE when it names a function or a variable with a value, else NIL."
  (let ((symbol (and (find-package package) (find-symbol name package))))
    (and symbol
         (or (boundp symbol) (and (fboundp symbol) (not (macro-function symbol))))
         symbol)))

(defun call-in-front (package name wrapper function)
  "Calls FUNCTION. In this thread, outermost calls of PACKAGE's function NAME go to WRAPPER, with a function that makes
the call and the list of arguments."
  (let ((symbol (present-symbol package name)))
    (if (null symbol)
        (funcall function)
        (call-wrapping symbol
                       (lambda (original arguments)
                         (if (eq *watching* :outside)
                             (funcall wrapper
                                      (lambda ()
                                        (let ((*watching* :inside))
                                          (apply original arguments)))
                                      arguments)
                             (apply original arguments)))
                       function))))

(defun call-watching (package name heard function)
  "Calls FUNCTION; HEARD gets the lists of values and arguments of each such call of PACKAGE's function NAME."
  (call-in-front package name
                 (lambda (call arguments)
                   (let ((values (multiple-value-list (funcall call))))
                     (handler-case (funcall heard values arguments)
                       ;; It is an unknown version.
                       (error () nil))
                     (values-list values)))
                 function))

(defun call-watching-each (package names heard function)
  "Calls FUNCTION, observing each of the functions NAMES."
  (funcall (reduce (lambda (inner name)
                     (lambda ()
                       (call-watching package name heard inner)))
                   names
                   :initial-value function)))

(defun call-watching-list (package name heard function)
  "Calls FUNCTION; then HEARD gets each object that was added at the front of the list in PACKAGE's variable NAME,
oldest first."
  (let* ((symbol (present-symbol package name))
         (before (and symbol (symbol-value symbol))))
    (unwind-protect (funcall function)
      (when symbol
        (handler-case (mapc heard (reverse (ldiff (symbol-value symbol) before)))
          (error () nil))))))

;;; One test at a time

(defvar *tally* nil "The results of the running tests so far.")

(defun call-for-test (framework test function)
  "Calls FUNCTION, which runs TEST, and records it as the running test. Entering the debugger is a failure of it."
  (let ((name (full-name (test-name framework test))))
    (setf (tally-running *tally*) name)
    (tell-progress "testing ~A" name)
    (multiple-value-prog1 (call-leaving-debugger function)
      (setf (tally-running *tally*) nil))))

(defun call-leaving-debugger (function)
  "The value of FUNCTION; if it would enter the debugger, first of all by BREAK, NIL and the reason."
  (block nil
    (call-with-debugger-hook
     (lambda (condition)
       (return (values nil (format nil "It entered the debugger. ~A: ~A" (type-text condition) (condition-text condition 1000)))))
     function)))

;;; FiveAM

(defmethod call-observing ((framework (eql :fiveam)) note function)
  "Each test is observed at its end, a skipped one with the others of its run. The report of the whole is not printed."
  (let ((heard (make-hash-table :test #'eq))
        (alone nil))
    (labels ((hear (results)
               (loop for test in (remove-duplicates (mapcar #'test-of results) :from-end t)
                     do (hear-of test (reverse (remove test results :key #'test-of :test-not #'eq)))))
             (test-of (result)
               (slot-of result "TEST-CASE"))
             (hear-of (test results)
               (let ((new (remove-if (lambda (result) (gethash result heard)) results)))
                 (dolist (result new)
                   (setf (gethash result heard) t))
                 (when new
                   (funcall note test (mapcar (lambda (result) (fiveam-outcome result test)) new)))))
             (run-alone (original arguments)
               (if (or (null *watching*) alone)
                   (apply original arguments)
                   (let ((test (first arguments)))
                     (setf alone t)
                     (multiple-value-bind (value entered)
                         (unwind-protect (call-for-test :fiveam test (lambda () (values (apply original arguments) nil)))
                           (setf alone nil))
                       (funcall note test (and entered (list (make-outcome :status :failed :reason entered))))
                       (hear-of test (reverse (remove test (present-results) :key #'test-of :test-not #'eq)))
                       value))))
             (present-results ()
               (let ((variable (present-symbol (framework-package :fiveam) "RESULT-LIST")))
                 (and variable (symbol-value variable)))))
      (call-watching (framework-package :fiveam) "RUN"
                     (lambda (values arguments)
                       (declare (ignore arguments))
                       (hear (first values)))
                     (lambda ()
                       (let ((symbol (present-symbol (framework-package :fiveam) "RUN-TEST-LAMBDA")))
                         (progv (list (its :fiveam "*TEST-DRIBBLE*")) (list (make-broadcast-stream))
                           (if symbol
                               (call-wrapping symbol #'run-alone function)
                               (funcall function)))))))))

;;; RT

(defun call-observing-entries (framework note function)
  "RT does not report errors, so its tests are run one by one here, too."
  (call-in-front (framework-package framework) "DO-ENTRY"
                 (lambda (call arguments)
                   (declare (ignore call))
                   (let* ((entry (first arguments))
                          (outcomes (let ((*watching* :inside))
                                      (call-for-test framework entry (lambda () (outcomes-of framework entry))))))
                     (funcall note entry outcomes)
                     (and (notany #'failed-p outcomes) (entry-part entry :name))))
                 function))

(defmethod call-observing ((framework (eql :rt)) note function)
  (call-observing-entries :rt note function))

(defmethod call-observing ((framework (eql :sb-rt)) note function)
  (call-observing-entries :sb-rt note function))

;;; Parachute

(defmethod call-observing ((framework (eql :parachute)) note function)
  "Its report has the results of all tests."
  (call-watching "PARACHUTE" "TEST"
                 (lambda (values arguments)
                   (declare (ignore arguments))
                   (note-report (first values) note))
                 function))

(defun note-report (report note)
  (let* ((results (coerce (slot-of report "RESULTS") 'list))
         (outcomes (parachute-outcomes results '()))
         (tests (remove-if-not (lambda (object) (typep object (its :parachute "TEST")))
                               (remove-duplicates (mapcar (lambda (result) (slot-of result "EXPRESSION")) results)))))
    (dolist (test tests)
      (funcall note test (remove test outcomes :key #'outcome-test :test-not #'eq)))))

;;; Rove

(defmethod call-observing ((framework (eql :rove)) note function)
  (flet ((hear (values arguments)
           (declare (ignore arguments))
           (let ((results (second values)))
             (dolist (result (if (listp results) (reverse results) (list results)))
               (note-rove-result result nil note)))))
    (call-watching-each "ROVE" '("RUN" "RUN-TESTS" "RUN-TEST" "RUN-SUITE") #'hear function)))

(defun note-rove-result (result around note)
  "Records the tests in RESULT. Checks outside of them count as one with the name AROUND, the innermost that has some."
  (let ((name (and (rove-result-p result "TEST") (slot-of result "NAME"))))
    (cond ((and (symbolp name) name)
           (funcall note name (rove-outcomes result)))
          ((rove-result-p result "ASSERTION")
           (funcall note (or around "checks outside of tests") (list (assertion-outcome result))))
          (t
           (dolist (part (rove-parts result))
             (note-rove-result part (or name around) note))))))
