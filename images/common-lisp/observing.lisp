;;;; Observes the tests that run while a test-op is performed or a file is loaded: which one runs, how each went, and where
;;;; its errors came from.
;;;;
;;;; Meanwhile a wrapper encapsulates the function that runs tests, and the one that runs a single test, or the list to which
;;;; a framework adds its results is compared before and after. If a version lacks a name, its tests are not observed: then
;;;; nothing is counted, which is not a success.
;;;;
;;;; The parent can ask to leave the test that runs (SKIP): then it has failed, and the others run.

(in-package "LISPWRIGHT.AGENT")

(defvar *last-test* nil "The test after which no other runs, if that is known.")

(defvar *report-sink* (make-broadcast-stream) "The stream that frameworks' reports go to.")

(defun present-variables (places)
  "The variables that PLACES, ((package . names) ...), name and that exist."
  (loop for (package . names) in places
        append (loop for name in names
                     for symbol = (and (find-package package) (find-symbol name package))
                     when (and symbol (boundp symbol) (not (constantp symbol)))
                       collect symbol)))

(defun call-observing-all (note function)
  "Calls FUNCTION. NOTE is called with the framework, the test and the outcomes of each test that runs meanwhile."
  (let ((*watching* :outside)
        (frameworks (remove-if-not #'present-p *observed-frameworks*)))
    (call-as-nobody-looks
     frameworks
     (reduce (lambda (inner framework)
               (lambda ()
                 (call-observing framework (lambda (test outcomes) (funcall note framework test outcomes))
                                 inner)))
             frameworks
             :initial-value function))))

(defun call-as-nobody-looks (frameworks function)
  "Calls FUNCTION; meanwhile FRAMEWORKS enter no debugger, and their reports go to the sink."
  (let ((switches (present-variables (mapcan (lambda (one) (copy-list (debugger-switches one))) frameworks)))
        (reports (present-variables (mapcan (lambda (one) (copy-list (report-variables one))) frameworks))))
    (progv (append switches reports) (append (mapcar (constantly nil) switches)
                                             (mapcar (constantly *report-sink*) reports))
      (funcall function))))

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
  "Calls FUNCTION. In this thread, outermost calls of PACKAGE's function NAME go to WRAPPER, with a function of arguments
that makes the call and the list of arguments."
  (let ((symbol (present-symbol package name)))
    (if (null symbol)
        (funcall function)
        (call-wrapping symbol
                       (lambda (original arguments)
                         (if (eq *watching* :outside)
                             (funcall wrapper
                                      (lambda (&rest arguments)
                                        (let ((*watching* :inside))
                                          (apply original arguments)))
                                      arguments)
                             (apply original arguments)))
                       function))))

(defun call-watching (package name heard function)
  "Calls FUNCTION; HEARD gets the lists of values and arguments of each such call of PACKAGE's function NAME."
  (call-in-front package name
                 (lambda (call arguments)
                   (let ((values (multiple-value-list (apply call arguments))))
                     (hear heard values arguments)
                     (values-list values)))
                 function))

(defun call-inside (package names function)
  "Calls FUNCTION. PACKAGE's functions NAMES run tests, and what they print outside of tests is a report."
  (funcall (reduce (lambda (inner name)
                     (lambda ()
                       (call-in-front package name (lambda (call arguments) (apply call arguments)) inner)))
                   names
                   :initial-value function)))

(defun hear (heard &rest arguments)
  "Calls HEARD with ARGUMENTS; an error means an unknown version."
  (handler-case (apply heard arguments)
    (error () nil)))

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
        (hear (lambda () (mapc heard (reverse (ldiff (symbol-value symbol) before)))))))))

;;; One test at a time

(defun call-around-each (package name wrapper function)
  "Calls FUNCTION. In this thread, each call of PACKAGE's function NAME goes to WRAPPER, with the function and the list of
arguments."
  (let ((symbol (present-symbol package name)))
    (if symbol
        (call-wrapping symbol
                       (lambda (original arguments)
                         (if *watching*
                             (funcall wrapper original arguments)
                             (apply original arguments)))
                       function)
        (funcall function))))

(defun call-for-test (framework test function)
  "Calls FUNCTION, which runs TEST, and records it as the running test. Values: that of FUNCTION; the reason why the test
was left early, in words, or NIL: it would have entered the debugger, or the parent asked to go on with the others."
  (let ((name (full-name (test-name framework test)))
        (outer (tally-running *tally*))
        (began (get-internal-real-time)))
    (setf (tally-running *tally*) name)
    (incf (tally-begun *tally*))
    (tell-test name (not (equal test *last-test*)))
    (multiple-value-prog1
        (call-leaving-debugger
         (lambda ()
           (call-keeping-frames
            test
            (lambda ()
              (block nil
                (let* ((tag (list name))
                       (frames (catch tag
                                 (let ((*test-in-hand* tag))
                                   (return (values (funcall function) nil)))))
                       (reason (format nil "It ran for ~,1F s and was stopped, so that the others could run. A larger ~
                                            timeout_seconds gives it more."
                                       (/ (- (get-internal-real-time) began) internal-time-units-per-second))))
                  (keep-frames reason frames)
                  (values nil reason)))))))
      (setf (tally-running *tally*) outer)
      (when outer
        (tell-test outer t)))))

(defun call-leaving-debugger (function)
  "The values of FUNCTION; if it would enter the debugger, first of all by BREAK, NIL and the reason."
  (block nil
    (call-with-debugger-hook
     (lambda (condition)
       (return (values nil (format nil "It entered the debugger. ~A" (condition-reason condition)))))
     function)))

;;; Where errors come from: a framework leaves the stack of an error before anybody else sees it

(defconstant +most-noted-errors+ 40
  "Of a test; a test of errors that are handled may signal any number.")

(defvar *errors-left* 0 "The number of errors of the running test that are still noted.")

(defvar *test-of-errors* nil "The running test.")

(deftype noted-error ()
  "An error, which is noted when its type is asked for. *BREAK-ON-SIGNALS* asks before any handler runs."
  '(and error (satisfies note-error)))

(defun call-keeping-frames (test function)
  "Calls FUNCTION, which runs TEST; the frames of its errors are kept with the tally."
  (let ((*errors-left* +most-noted-errors+)
        (*test-of-errors* test)
        (*break-on-signals* (or *break-on-signals* 'noted-error)))
    (funcall function)))

(defun note-error (condition)
  "Keeps the frames of CONDITION, which has just been signalled; returns NIL."
  (let ((*break-on-signals* nil))
    (when (and *tally* (plusp *errors-left*))
      (decf *errors-left*)
      (keep-frames condition (project-frames)))
    nil))

(defun keep-frames (reason frames)
  "Keeps the FRAMES of REASON, a condition or a text, with the tally."
  (when frames
    (push (list reason *test-of-errors* frames) (tally-errors *tally*))
    (let ((old (nthcdr 200 (tally-errors *tally*))))
      (when old
        (setf (cdr old) nil)))))

(defun project-frames ()
  "The innermost three frames of the present stack that are in files of the project."
  (handler-case (loop with count = 0
                      for frame in (frames-of-interest *boundaries* 60)
                      for facts = (and (< count 3) (frame-facts frame nil))
                      when (project-file-p (getf facts :file))
                        collect (list* :number count facts)
                        and do (incf count))
    (serious-condition () '())))

(defun frames-for (tally test outcome)
  "The frames of the error that is the reason of OUTCOME, of TEST."
  (let ((condition (outcome-condition outcome))
        (reason (outcome-reason outcome)))
    (third (if condition
               (assoc condition (tally-errors tally))
               (find-if (lambda (noted)
                          (and (equal (second noted) test)
                               (stringp reason)
                               (search (if (stringp (first noted)) (first noted) (condition-reason (first noted)))
                                       reason)))
                        (tally-errors tally))))))
