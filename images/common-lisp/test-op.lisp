;;;; Performing a system's own TEST-OP, and determining the results of its tests.
;;;;
;;;; Its normal return means nothing: most print their failures and return NIL. So the tests count that are observed in
;;;; frameworks meanwhile; without any, a line that sums up decides (summaries.lisp); without that, the result is
;;;; unknown, which is not a success. A test-op that calls that of another system is followed there, and one that loads
;;;; a framework itself begins once more after that, so that the framework is observed.

(in-package "LISPWRIGHT.AGENT")

;;; Delegation

(defvar *handing-on* '() "While a test-op is performed: its system, and the systems whose test-op it has called, newest
first.")

(defun handed-on-p (system)
  "True when the current test-op calls that of another SYSTEM, which is recorded."
  (when (and *handing-on* system (not (eq system (first *handing-on*))))
    (pushnew system (rest *handing-on*))
    t))

(defmethod asdf:perform :around ((operation asdf:test-op) (component asdf:component))
  "A method for systems would replace that of a library, or be replaced by it."
  (unless (and (typep component 'asdf:system) (handed-on-p component))
    (call-next-method)))

(defmethod asdf:operate :around ((operation (eql 'asdf:test-op)) component &key)
  "Runs before anything of the other system is loaded."
  (if (and *handing-on* (handed-on-p (asdf:find-system component nil)))
      operation
      (call-next-method)))

;;; Loading

(defvar *performance* nil "The performance of the current test-op; NIL while that loads something.")

(defmethod asdf:operate :around ((operation symbol) component &key)
  "What a test-op loads is loaded without output. When a framework has come with it and no test has run yet, the test-op
begins again."
  (declare (ignore component))
  (if (null *performance*)
      (call-next-method)
      (let ((performance *performance*)
            (present (remove-if-not #'present-p *observed-frameworks*)))
        (multiple-value-prog1 (let ((*performance* nil))
                                (call-compiling (performance-work performance) (lambda () (call-next-method))))
          (when (and (null (performance-tests performance))
                     (set-difference (remove-if-not #'present-p *observed-frameworks*) present))
            (throw 'begin-again t))))))

;;; Performing

(defstruct performance
  (work nil)                            ; it gets the compiler's messages about what the test-op loads
  (tests '())                           ; (framework test . outcomes), newest first
  (handed-on '())                       ; names of systems
  (failure nil)                         ; the reason why it ended early, in words
  (value nil)
  (exit-status nil)
  (failed-line nil)                     ; the first printed line about a failure
  (last-failed-line nil)                ; the last of several
  (passed-line nil)                     ; the last one about passed tests
  (begin-again nil)                     ; true when it has loaded a framework, which was not observed yet
  (none-p nil))                         ; true after a line that there were none

(defun perform-test-op (work tally system)
  "Performs TEST-OP of SYSTEM and counts the tests that are observed meanwhile, for any ending. WORK gets the messages of
the compiler."
  (let* ((performance (make-performance :work work))
         (*performance* performance)
         (*handing-on* (list system))
         (begun (tally-begun tally)))
    (labels ((note (framework test outcomes)
             (push (list* framework test outcomes) (performance-tests performance)))
           (muted-p ()
             "True outside of tests, in a function that runs them or once some have begun: what is printed there is a report."
             (and (null (tally-running tally))
                  (or (eq *watching* :inside)
                      (< begun (tally-begun tally)))))
           (hear (line)
             (when (muted-p)
               (incf (tally-muted tally)))
             (unless (eq *watching* :inside)
               (case (summary-verdict line)
                 (:failed (if (performance-failed-line performance)
                              (setf (performance-last-failed-line performance) line)
                              (setf (performance-failed-line performance) line)))
                 (:passed (when (or (some #'digit-char-p line) (not (performance-none-p performance)))
                            (setf (performance-passed-line performance) line)))
                 (:none (setf (performance-none-p performance) t
                              (performance-passed-line performance) nil))))))
      (unwind-protect
           (multiple-value-bind (value exit-status)
               (call-catching-exit
                (lambda ()
                  (call-hearing-lines
                   #'hear (lambda (stream) (unless (muted-p) stream))
                   (lambda ()
                     (let ((*report-sink* (make-instance 'heard-stream :hear #'hear)))
                       (call-observing-all
                        #'note
                        (lambda ()
                          (call-hearing-warnings
                           #'hear (lambda () (perform-catching-errors performance system))))))))))
             (declare (ignore value))
             (setf (performance-exit-status performance) exit-status))
        (setf (performance-handed-on performance) (mapcar #'asdf:component-name (reverse (rest *handing-on*))))
        (judge-noted tally (reverse (performance-tests performance)))))
    performance))

(defun call-hearing-warnings (hear function)
  "Calls FUNCTION; HEAR gets each warning meanwhile that reports a failure: one that reports success says nothing of the
rest."
  (handler-bind ((warning (lambda (warning)
                            (let ((line (condition-text warning +longest-line+)))
                              (when (eq (summary-verdict line) :failed)
                                (funcall hear line))))))
    (funcall function)))

(defun perform-catching-errors (performance system)
  (setf (performance-begin-again performance)
        (catch 'begin-again
          (perform-to-the-end performance system)
          nil)))

(defun perform-to-the-end (performance system)
  (multiple-value-bind (value failure)
      (call-leaving-debugger
       (lambda ()
         (handler-case (values (asdf:perform (asdf:make-operation 'asdf:test-op) system) nil)
           (error (error)
             (values nil (format nil "~A: ~A" (type-text error) (condition-text error 1000)))))))
    ;; Only an exit leaves a running test.
    (setf (tally-running *tally*) nil
          (performance-value performance) value
          (performance-failure performance) failure)))

(defun judge-noted (tally noted)
  "Counts each test that was NOTED, (framework test . outcomes), once, in the order of the files; only those that are wanted."
  (let ((outcomes (make-hash-table :test #'equal)) ; test -> outcomes
        (*present-tests* (make-hash-table :test #'eq))
        (tests '()))                    ; (framework . test), in the order in which they ran
    (loop for (framework test . its-outcomes) in noted
          ;; What ended in the middle of a test says nothing of it.
          unless (and (equal (full-name (test-name framework test)) (tally-running tally))
                      (notany #'failed-p its-outcomes))
            do (multiple-value-bind (before known-p) (gethash test outcomes)
                 (unless known-p
                   (push (cons framework test) tests))
                 (setf (gethash test outcomes) (append before its-outcomes)
                       (gethash test *present-tests*) t)))
    (setf tests (nreverse tests))
    (dolist (framework (remove-duplicates (mapcar #'car tests)))
      (pushnew (framework-name framework) (tally-frameworks tally) :test #'equal)
      (dolist (test (in-definition-order tally framework (loop for (its-own . test) in tests
                                                               when (eq its-own framework)
                                                                 collect test)))
        (note-names tally framework test)
        (when (wanted-p framework test (tally-wanted tally))
          (judge tally framework test (gethash test outcomes)))))))

;;; Judging

(defun run-test-operation (work tally system known frameworks)
  "Performs TEST-OP of SYSTEM; returns the names of the systems that it delegates to. If it shows no tests, those of
FRAMEWORKS that are not among KNOWN are run one by one."
  (let* ((name (asdf:component-name system))
         (title (format nil "test-op of ~A" name))
         (failed (tally-failed tally)))
    (tell-progress "performing ~A" title)
    ;; Each time more frameworks are present, so this ends.
    (let ((performance (loop for present = (remove-if-not #'present-p *observed-frameworks*)
                             for performance = (perform-test-op work tally system)
                             while (or (performance-begin-again performance)
                                       (unobserved-p performance present))
                             finally (return performance))))
      (if (and (performance-exit-status performance) (tally-running tally))
          (setf (tally-exit-status tally) (performance-exit-status performance))
          (let ((shown (performance-tests performance))
                (failure (failure-of performance)))
            (cond ((or (null failure) (and shown (tally-wanted tally))))
                  ((= failed (tally-failed tally)) (fail-test-operation tally system title failure))
                  ((performance-failure performance)
                   (push (list name (performance-failure performance)) (tally-ended-early tally))))
            (cond ((and shown (tally-wanted tally)))
                  (shown (note-left-out tally name known frameworks shown))
                  ((performance-handed-on performance))
                  ((and frameworks (run-new-tests tally known frameworks '()))
                   (unless failure
                     (push name (tally-run-for tally))))
                  (failure)
                  (t (judge-test-operation tally name title performance)))))
      (performance-handed-on performance))))

(defun unobserved-p (performance present)
  "True when PERFORMANCE shows no tests and has loaded a framework that is not among those PRESENT before, in another way
than by ASDF."
  (and (null (performance-tests performance))
       (null (performance-failure performance))
       (null (performance-exit-status performance))
       (set-difference (remove-if-not #'present-p *observed-frameworks*) present)))

(defun failure-of (performance)
  "The reason why PERFORMANCE is a failure, in words, or NIL."
  (let ((status (performance-exit-status performance)))
    (cond ((performance-failure performance))
          ((performance-failed-line performance)
           (format nil "It printed: ~A~@[~%and at last: ~A~]" (string-trim " " (performance-failed-line performance))
                   (and (performance-last-failed-line performance)
                        (string-trim " " (performance-last-failed-line performance)))))
          ((and status (/= status 0)) (format nil "It called exit with code ~D." status))
          ((failures-in-p (performance-value performance))
           (format nil "It returned ~A" (short-text (performance-value performance)))))))

(defun fail-test-operation (tally system title reason)
  (pushnew "asdf" (tally-frameworks tally) :test #'equal)
  (push title (tally-names tally))
  (incf (tally-failed tally))
  (add-failure tally (list :name title :description "" :reason reason :values '()
                           :file (namestring (asdf:system-source-file system)))))

(defun judge-test-operation (tally name title performance)
  "Counts PERFORMANCE, in which nothing failed and no test of a framework ran, as one passed test, if a line says so."
  (pushnew "asdf" (tally-frameworks tally) :test #'equal)
  (push title (tally-names tally))
  (cond ((performance-passed-line performance)
         (incf (tally-passed tally))
         (push (list name (string-trim " " (performance-passed-line performance))) (tally-told tally)))
        (t
         (push (list name (if (performance-exit-status performance)
                              "called exit with code 0"
                              (format nil "returned ~A" (short-text (performance-value performance)))))
               (tally-unknown tally)))))

(defun note-left-out (tally name known frameworks shown)
  "Records the tests of FRAMEWORKS that loading the system NAME has defined and that are not among those SHOWN."
  (let ((ran (make-hash-table :test #'equal)))
    (loop for (nil test) in shown
          do (setf (gethash test ran) t))
    (dolist (framework frameworks)
      (let ((*present-tests* (make-hash-table :test #'eq))
            (tests (new-tests framework known)))
        (dolist (test tests)
          (setf (gethash test *present-tests*) t))
        (let ((names (loop for test in (in-definition-order tally framework tests)
                           unless (or (gethash test ran) (inner-tests framework test))
                             collect (full-name (test-name framework test)))))
          (when names
            (setf (tally-left-out-of tally) (or (tally-left-out-of tally) (list name (framework-name framework)))
                  (tally-left-out tally) (append (tally-left-out tally) names))))))))

(defun failures-in-p (value)
  "True when VALUE is an object that counts or lists failures, and has some."
  (and (typep value '(or standard-object structure-object))
       (loop for slot in '("FAILED" "FAIL" "FAILURES" "ERRORS" "ERR" "EXEC-ERRORS" "FAILED-TESTS" "FAILED-ASSERTIONS")
             for found = (slot-of value slot)
               thereis (typecase found
                         (integer (plusp found))
                         (sequence (plusp (length found)))))))
