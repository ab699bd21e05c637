;;;; Fiasco, and its ancestors Stefil and hu.dwim.stefil. A test is its name here; a test with children is a suite.

(in-package "LISPWRIGHT.AGENT")

(defmacro define-stefils (&rest frameworks)
  `(progn
     ,@(loop for (framework package) in frameworks
             collect
             `(progn
                (defmethod framework-package ((framework (eql ,framework))) ,package)
                (defmethod debugger-switches ((framework (eql ,framework)))
                  '((,package "*DEBUG-ON-UNEXPECTED-ERROR*" "*DEBUG-ON-ASSERTION-FAILURE*")))
                (defmethod report-variables ((framework (eql ,framework)))
                  '((,package "*TEST-PROGRESS-OUTPUT*")))
                (defmethod defined-tests ((framework (eql ,framework))) (stefil-tests framework))
                (defmethod test-groups ((framework (eql ,framework)) name) (stefil-groups framework name))
                (defmethod run-alone ((framework (eql ,framework)) name)
                  (let ((progress (present-symbol ,package "*PRINT-TEST-RUN-PROGRESS*")))
                    (progv (and progress (list progress)) '(nil)
                      (funcall name))))
                (defmethod call-observing ((framework (eql ,framework)) note function)
                  (call-observing-stefil framework note function))))))

(define-stefils (:fiasco "FIASCO") (:stefil "STEFIL") (:hu.dwim.stefil "HU.DWIM.STEFIL"))

(defun children-of (test)
  (let ((children (slot-of test "CHILDREN")))
    (and (hash-table-p children) (loop for child being the hash-values of children collect child))))

(defun stefil-tests (framework)
  "The tests that can be called without arguments. A redefined test stays the same object, but gets another function."
  (let ((tests (present-symbol (framework-package framework) "*TESTS*")))
    (when (and tests (hash-table-p (symbol-value tests)))
      (loop for name being the hash-keys of (symbol-value tests) using (hash-value test)
            when (and (null (children-of test))
                      (fboundp name)
                      (member (first (slot-of test "LAMBDA-LIST")) '(nil &rest &key &optional)))
              collect (cons (fdefinition name) name)))))

(defun stefil-groups (framework name)
  (let ((tests (present-symbol (framework-package framework) "*TESTS*")))
    (when (and tests (hash-table-p (symbol-value tests)))
      (loop for suite = (slot-of (gethash name (symbol-value tests)) "PARENT") then (slot-of suite "PARENT")
            while suite
            repeat 50
            unless (member (symbol-name (slot-of suite "NAME")) '("ROOT-SUITE" "ALL-TESTS") :test #'string=)
              collect (slot-of suite "NAME")))))

(defun call-observing-stefil (framework note function)
  "Each outermost call of a test adds its results to a history, for any ending."
  (call-watching-list (framework-package framework) "*TEST-RESULT-HISTORY*"
                      (lambda (context)
                        (if (eq framework :fiasco)
                            (note-context context note)
                            (note-stefil-run context note)))
                      (lambda ()
                        (call-inside
                         (framework-package framework) '("RUN-TESTS" "RUN-SUITE-TESTS")
                         (lambda ()
                           (call-around-each (framework-package framework) "RUN-TEST-BODY-IN-HANDLERS"
                                             (lambda (original arguments)
                                               (stefil-test framework note original arguments))
                                             function))))))

(defun stefil-test (framework note original arguments)
  "Calls ORIGINAL, which runs a test, with ARGUMENTS; a suite only contains others."
  (let ((test (first arguments)))
    (if (children-of test)
        (apply original arguments)
        (let ((name (slot-of test "NAME")))
          (multiple-value-bind (values reason)
              (call-for-test framework name (lambda () (multiple-value-list (apply original arguments))))
            (when reason
              (funcall note name (list (failed-check reason))))
            (values-list values))))))

;;; Fiasco: a tree of contexts for each run that a test begins

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
          (failed-check (if (typep (field "ERROR") 'condition) (field "ERROR") (fiasco-text failure)) :form (field "FORM"))))))

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
            when (or own (null (children-of test)))
              do (funcall note (slot-of test "NAME")
                          (append (mapcar #'stefil-outcome own)
                                  (and any-p (outcomes-as :passed))))))))

(defun stefil-outcome (failure)
  (if (slot-of failure "EXPECTED")
      (make-outcome :status :skipped)
      (failed-check (or (slot-of failure "CONDITION")
                        (ignore-errors (apply #'format nil (slot-of failure "FORMAT-CONTROL") (slot-of failure "FORMAT-ARGUMENTS"))))
                    :form (slot-of failure "FORM"))))
