;;;; Frameworks that only offer results after a test-op has run their tests: Fiasco and Stefil, lisp-unit and
;;;; lisp-unit2, Prove, 1am, LIFT, Try. A test is its name here.

(in-package "LISPWRIGHT.AGENT")

(defmacro define-packages (&rest frameworks)
  `(progn ,@(loop for (framework package) in frameworks
                  collect `(defmethod framework-package ((framework (eql ,framework))) ,package))))

(define-packages
  (:fiasco "FIASCO") (:stefil "STEFIL") (:hu.dwim.stefil "HU.DWIM.STEFIL") (:lisp-unit2 "LISP-UNIT2") (:lisp-unit "LISP-UNIT")
  (:prove "PROVE") (:1am "1AM") (:lift "LIFT") (:try "TRY"))

(defun is-of-class (object name)
  "True when OBJECT's class, or a superclass, is called NAME."
  (let ((symbol (find-symbol name (symbol-package (class-name (class-of object))))))
    (and symbol (find-class symbol nil) (typep object symbol))))

(defun failed-check (reason &optional form)
  (make-outcome :status :failed :form form
                :reason (if (typep reason 'condition)
                            (format nil "~A: ~A" (type-text reason) (condition-text reason 1000))
                            reason)))

(defun outcomes-as (status)
  (list (make-outcome :status status)))

;;; Fiasco: a tree of contexts for each run that a test begins

(defmethod call-observing ((framework (eql :fiasco)) note function)
  (call-watching-list "FIASCO" "*TEST-RESULT-HISTORY*" (lambda (context) (note-context context note)) function))

(defun note-context (context note)
  (let ((agenda (list context)))
    (loop while agenda
          do (let* ((context (pop agenda))
                    (children (reverse (slot-of context "CHILDREN-CONTEXTS")))
                    (outcomes (append (mapcar #'fiasco-outcome (reverse (slot-of context "SELF-FAILURES")))
                                      (and (slot-of context "SELF-ASSERTIONS") (outcomes-as :passed))
                                      (and (slot-of context "SELF-SKIPPED") (outcomes-as :skipped)))))
               (setf agenda (append children agenda))
               (when (or outcomes (null children))
                 (funcall note (slot-of (slot-of context "TEST") "NAME") outcomes))))))

(defun fiasco-outcome (failure)
  (let ((fields (slot-parts failure)))
    (flet ((field (name)
             (second (find name fields :key #'first :test #'string=))))
      (if (field "EXPECTED")
          (make-outcome :status :skipped)
          (failed-check (if (typep (field "ERROR") 'condition) (field "ERROR") (fiasco-text failure)) (field "FORM"))))))

(defun fiasco-text (failure)
  "The text of FAILURE after the line that names the test."
  (let* ((text (condition-text failure 1000))
         (end (search (format nil "~%~%") text)))
    (if end (string-left-trim '(#\Newline #\Space) (subseq text end)) text)))

;;; Stefil: one context for all tests of a run

(defun note-stefil-run (context note)
  (let ((failures (coerce (slot-of context "FAILURE-DESCRIPTIONS") 'list))
        (any-p (plusp (or (slot-of context "ASSERTION-COUNT") 0))))
    (flet ((test-of (failure)
             (slot-of (first (slot-of failure "TEST-CONTEXT-BACKTRACE")) "TEST")))
      (loop for test being the hash-keys of (slot-of context "RUN-TESTS")
            for own = (remove test failures :key #'test-of :test-not #'eq)
            when (or own (zerop (hash-table-count (slot-of test "CHILDREN"))))
              do (funcall note (slot-of test "NAME")
                          (append (mapcar #'stefil-outcome own)
                                  (and any-p (outcomes-as :passed))))))))

(defun stefil-outcome (failure)
  (if (slot-of failure "EXPECTED")
      (make-outcome :status :skipped)
      (failed-check (or (slot-of failure "CONDITION")
                   (ignore-errors (apply #'format nil (slot-of failure "FORMAT-CONTROL") (slot-of failure "FORMAT-ARGUMENTS"))))
               (slot-of failure "FORM"))))

(macrolet ((define (framework)
             `(defmethod call-observing ((framework (eql ,framework)) note function)
                (call-watching-list (framework-package ,framework) "*TEST-RESULT-HISTORY*"
                                    (lambda (context) (note-stefil-run context note))
                                    function))))
  (define :stefil)
  (define :hu.dwim.stefil))

;;; lisp-unit2 and lisp-unit: a database of results

(defmethod call-observing ((framework (eql :lisp-unit2)) note function)
  (call-watching "LISP-UNIT2" "RUN-TESTS"
                 (lambda (values arguments)
                   (declare (ignore arguments))
                   (map nil (lambda (result) (note-unit-result result note)) (slot-of (first values) "RESULTS")))
                 function))

(defun note-unit-result (result note)
  (flet ((listed (name)
           (let ((collector (slot-of result name)))
             (if (listp collector) collector (slot-of collector "HEAD")))))
    (funcall note (slot-of (slot-of result "UNIT-TEST") "NAME")
             (append (mapcar #'failed-check (listed "ERRORS"))
                     (mapcar #'unit-failure (listed "FAILED"))
                     (and (listed "PASSED") (outcomes-as :passed))))))

(defun unit-failure (failure)
  (failed-check (format nil "Expected ~A, actual ~A" (short-text (slot-of failure "EXPECTED")) (short-text (slot-of failure "ACTUAL")))
           (slot-of failure "FORM")))

(defmethod call-observing ((framework (eql :lisp-unit)) note function)
  (call-watching "LISP-UNIT" "RUN-TESTS"
                 (lambda (values arguments)
                   (declare (ignore arguments))
                   (loop for result being the hash-values of (slot-of (first values) "DATABASE")
                         do (funcall note (slot-of result "NAME")
                                     (append (let ((error (slot-of result "EXERR"))) (and error (list (failed-check error))))
                                             (mapcar #'unit-failure (slot-of result "FAIL"))
                                             (and (plusp (or (slot-of result "PASS") 0)) (outcomes-as :passed))))))
                 function))

;;; Prove: reports in a suite, when it ends

(defmethod call-observing ((framework (eql :prove)) note function)
  (call-watching "PROVE.SUITE" "FINALIZE"
                 (lambda (values arguments)
                   (declare (ignore values))
                   (note-suite (or (first arguments) (funcall (present-symbol "PROVE.SUITE" "CURRENT-SUITE"))) note))
                 function))

(defun note-suite (suite note)
  (let ((reports (remove-if-not (lambda (report) (is-of-class report "TEST-REPORT")) (coerce (slot-of suite "REPORTS") 'list)))
        (plan (slot-of suite "PLAN")))
    (loop for report in reports
          for number from 1
          do (funcall note (or (slot-of report "DESCRIPTION") (format nil "check ~D" number)) (report-outcomes report)))
    (when (and (integerp plan) (/= plan (length reports)))
      (funcall note "plan" (list (failed-check (format nil "It plans ~D tests and runs ~D." plan (length reports))))))))

(defun report-outcomes (report)
  (let ((agenda (list report))
        (outcomes '()))
    (loop while agenda
          do (let ((report (pop agenda)))
               (cond ((is-of-class report "COMPOSED-TEST-REPORT")
                      (setf agenda (append (coerce (slot-of report "CHILDREN") 'list) agenda)))
                     ((is-of-class report "SKIPPED-TEST-REPORT") (push (make-outcome :status :skipped) outcomes))
                     ((is-of-class report "FAILED-TEST-REPORT")
                      (push (failed-check (format nil "~@[~A: ~]Got ~A, ~:[~;not ~]expected ~A" (slot-of report "DESCRIPTION")
                                             (short-text (slot-of report "GOT")) (slot-of report "NOTP")
                                             (short-text (slot-of report "EXPECTED")))
                                     (slot-of report "GOT-FORM"))
                            outcomes))
                     ((is-of-class report "PASSED-TEST-REPORT") (push (make-outcome) outcomes)))))
    (nreverse outcomes)))

;;; 1am: a test passes by returning, and its checks are counted

(defmethod call-observing ((framework (eql :1am)) note function)
  (call-in-front "1AM" "CALL-TEST"
                 (lambda (call arguments)
                   (let ((name (first arguments))
                         (variables (list (find-symbol "*PASS-COUNT*" "1AM") (find-symbol "*RUNNING*" "1AM"))))
                     ;; A test that is called by itself counts in variables of its own.
                     (progv variables '(0 t)
                       (handler-bind ((error (lambda (error)
                                               (funcall note name (list (failed-check error))))))
                         (multiple-value-prog1 (call-for-test :1am name call)
                           (funcall note name (and (plusp (symbol-value (first variables))) (outcomes-as :passed))))))))
                 function))

;;; LIFT: a result with the names of the tests that ran, and problems

(defmethod call-observing ((framework (eql :lift)) note function)
  (call-watching-each "LIFT" '("RUN-TESTS" "RUN-TEST")
                      (lambda (values arguments)
                        (declare (ignore arguments))
                        (note-lift-result (first values) note))
                      function))

(defun note-lift-result (result note)
  (let ((problems (remove-duplicates (loop for slot in '("FAILURES" "ERRORS" "EXPECTED-FAILURES" "EXPECTED-ERRORS"
                                                         "SKIPPED-TEST-CASES" "SKIPPED-TESTSUITES")
                                           append (slot-of result slot)))))
    (flet ((name (suite test)
             (format nil "~(~A~@[: ~A~]~)" (if (symbolp suite) suite (class-name (class-of suite))) test)))
      (dolist (run (slot-of result "TESTS-RUN"))
        (funcall note (name (first run) (second run)) '()))
      (dolist (problem problems)
        (funcall note (name (slot-of problem "TESTSUITE") (slot-of problem "TEST-METHOD")) (list (lift-outcome problem))))
      (dolist (run (slot-of result "TESTS-RUN"))
        (funcall note (name (first run) (second run)) (outcomes-as :passed))))))

(defun lift-outcome (problem)
  (if (some (lambda (name) (is-of-class problem name)) '("EXPECTED-PROBLEM-MIXIN" "TESTCASE-SKIPPED" "TESTSUITE-SKIPPED"))
      (make-outcome :status :skipped)
      (failed-check (or (slot-of problem "TEST-CONDITION") "It failed."))))

;;; Try: trials; those that contain no others are the tests

(defmethod call-observing ((framework (eql :try)) note function)
  (let ((limit (present-symbol "TRY" "*N-RECENT-TRIALS*")))
    (progv (and limit (list limit)) '(1000)
      (call-watching-list "TRY" "*RECENT-TRIALS*" (lambda (trial) (note-trial trial note)) function))))

(defun note-trial (trial note)
  (let ((agenda (list (slot-of trial "VERDICT"))))
    (loop while agenda
          do (let* ((verdict (pop agenda))
                    (trial (slot-of verdict "TRIAL"))
                    (events (reverse (slot-of trial "CHILDREN")))
                    (inner (remove-if-not (lambda (event) (is-of-class event "VERDICT")) events)))
               (setf agenda (append inner agenda))
               (when (or (null inner) (/= (length inner) (length events)))
                 (funcall note (slot-of trial "TEST-NAME") (list (verdict-outcome verdict (set-difference events inner)))))))))

(defun verdict-outcome (verdict events)
  "The outcome of the test with VERDICT, in which EVENTS have failed."
  (cond ((is-of-class verdict "SKIP") (make-outcome :status :skipped))
        ((funcall (present-symbol "TRY" "PASSEDP") (slot-of verdict "TRIAL")) (make-outcome))
        (t (failed-check (format nil "~{~A~^~%~}" (mapcar (lambda (event) (condition-text event 500)) (or events (list verdict))))))))
