;;;; Rove

(in-package "LISPWRIGHT.AGENT")

(defmethod framework-package ((framework (eql :rove))) "ROVE/CORE/SUITE/PACKAGE")

(defmethod defined-tests ((framework (eql :rove)))
  (loop for suite in (call-its :rove "ALL-SUITES")
        append (loop for name in (call-its :rove "SUITE-TESTS" suite)
                     collect (cons (call-its :rove "GET-TEST" name) name))))

(defmethod test-name ((framework (eql :rove)) name) name)

(defmethod test-function ((framework (eql :rove)) name)
  (call-its :rove "GET-TEST" name))

(defvar *hooks* '(() . ()) "Functions that Rove calls before and after each test of the present suite.")

(defmethod call-for-tests ((framework (eql :rove)) tests function)
  "Each suite's set-up once, its hooks around each test."
  (dolist (suite (call-its :rove "ALL-SUITES"))
    (let ((own (intersection (call-its :rove "SUITE-TESTS" suite) tests)))
      (when own
        (let ((*package* (slot-of suite "PACKAGE"))
              (*hooks* (cons (append (global-hooks "*BEFORE-TEST-HOOKS*") (hooks-of suite "BEFORE-HOOKS"))
                             (append (hooks-of suite "AFTER-HOOKS") (global-hooks "*AFTER-TEST-HOOKS*")))))
          (when (slot-of suite "SETUP")
            (funcall (slot-of suite "SETUP")))
          (unwind-protect
               (mapc function (remove-if-not (lambda (test) (member test own)) (call-its :rove "SUITE-TESTS" suite)))
            (when (slot-of suite "TEARDOWN")
              (funcall (slot-of suite "TEARDOWN")))))))))

(defun hooks-of (suite slot)
  (mapcar (lambda (hook) (if (consp hook) (cdr hook) hook))
          (reverse (slot-of suite slot))))

(defun global-hooks (name)
  "The hooks for all suites, which older versions do not have."
  (let ((variable (find-symbol name (framework-package :rove))))
    (and variable (boundp variable) (reverse (symbol-value variable)))))

(defmethod run-test ((framework (eql :rove)) name)
  "Checks in hooks count as well, and so do their errors."
  (let* ((class (find-symbol "STATS" "ROVE/CORE/STATS"))
         (stats (make-instance class))
         (context (make-instance class))
         (outcomes '()))
    ;; Outside of a context, checks are those of a user at the listener.
    (setf (slot-value stats (find-symbol "CONTEXTS" "ROVE/CORE/STATS")) (list context))
    (progv (list (find-symbol "*STATS*" "ROVE/CORE/STATS")) (list stats)
      (handler-case (unwind-protect (progn (mapc #'funcall (car *hooks*))
                                           (funcall (call-its :rove "GET-TEST" name)))
                      (mapc #'funcall (cdr *hooks*)))
        (error (error)
          (push (failed-check error) outcomes))))
    (append (reverse outcomes) (rove-outcomes context))))

(defun rove-result-p (result class)
  (typep result (find-symbol class "ROVE/CORE/RESULT")))

(defun rove-outcomes (result)
  "The outcomes of the checks in RESULT, a test, and one for each part of it whose number of checks differs from its
plan."
  (let ((outcomes '()))
    (labels ((walk (result)
               (if (rove-result-p result "ASSERTION")
                   (push (assertion-outcome result) outcomes)
                   (let ((before outcomes))
                     (mapc #'walk (rove-parts result))
                     (when (and (rove-result-p result "FAILED")
                                (not (find :failed (ldiff outcomes before) :key #'outcome-status)))
                       (push (make-outcome :status :failed :reason "The number of its checks is not the one that it plans.")
                             outcomes))))))
      (walk result))
    (nreverse outcomes)))

(defun rove-parts (result)
  (loop for slot in '("PASSED" "FAILED" "PENDING")
        append (coerce (slot-of result slot) 'list)))

(defun assertion-outcome (assertion)
  (let* ((description (slot-of assertion "DESC"))
         (given (slot-of assertion "REASON"))
         (reason (cond ((typep given 'condition) (condition-reason given))
                       (given (format nil "~A" given))
                       ((ignore-errors (funcall (find-symbol "ASSERTION-DESCRIPTION" "ROVE/CORE/RESULT") assertion)))
                       (t "It does not hold."))))
    (make-outcome
     :status (cond ((rove-result-p assertion "PASSED") :passed) ((rove-result-p assertion "PENDING") :skipped) (t :failed))
     :form (let ((form (slot-of assertion "FORM"))) (and (not (eq form t)) form))
     :condition (and (typep given 'condition) given)
     :description (and (not (equal description reason)) description)
     :reason reason
     :values (loop for value in (let ((values (slot-of assertion "VALUES"))) (and (listp values) values))
                   for argument in (let ((arguments (slot-of assertion "ARGS"))) (and (listp arguments) arguments))
                   unless (constantp argument)
                     collect (list (short-text argument) (short-text value))))))

;;; Observing

(defmethod report-variables ((framework (eql :rove)))
  '(("ROVE/REPORTER" "*REPORT-STREAM*")))

(defmethod debugger-switches ((framework (eql :rove)))
  '(("ROVE/CORE/ASSERTION" "*DEBUG-ON-ERROR*")))

(defmethod call-observing ((framework (eql :rove)) note function)
  "A run that is ended early leaves its results with the statistics."
  (let ((stats nil)
        (stream nil)
        (printed-to *report-sink*)
        (heard-p nil))
    (labels ((hear-results (values arguments)
               (declare (ignore arguments))
               (setf heard-p t)
               (note-all (second values)))
             (note-all (results)
               (dolist (result (if (listp results) (reverse results) (list results)))
                 (note-rove-result result nil note)))
             (meet (present)
               "Makes the reporter PRESENT silent, and keeps it. It prints to a stream that indents, on another."
               (unless stats
                 (setf stats present)
                 (let ((indenting (slot-of stats "STREAM")))
                   (when (and indenting (slot-of indenting "STREAM"))
                     (setf stream indenting)
                     (rotatef printed-to (slot-value stream (find-symbol "STREAM" "ROVE/MISC/STREAM")))))))
             (run-one (original arguments)
               (destructuring-bind (description name function) arguments
                 (meet (symbol-value (find-symbol "*STATS*" "ROVE/CORE/STATS")))
                 (if (null name)
                     (funcall original description name function)
                     (funcall original description name
                              (lambda ()
                                (multiple-value-bind (value reason) (call-for-test :rove name function)
                                  (when reason
                                    (record-failure stats reason))
                                  value)))))))
      (unwind-protect
           (call-watching-each "ROVE" '("RUN" "RUN-TESTS" "RUN-TEST" "RUN-SUITE") #'hear-results
                               (lambda ()
                                 (call-around-each "ROVE/CORE/TEST" "CALL-WITH-TESTING-WITH-OPTIONS" #'run-one function)))
        (when stats
          (when stream
            (setf (slot-value stream (find-symbol "STREAM" "ROVE/MISC/STREAM")) printed-to))
          (unless heard-p
            (hear #'note-all (slot-of stats "RESULTS"))))))))

(defun record-failure (stats reason)
  (funcall (find-symbol "RECORD" "ROVE/CORE/STATS") stats
           (make-instance (find-symbol "FAILED-ASSERTION" "ROVE/CORE/RESULT") :form t :reason reason :desc reason)))

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
