;;;; Parachute

(in-package "LISPWRIGHT.AGENT")

(defmethod framework-package ((framework (eql :parachute))) "PARACHUTE")

(defmethod defined-tests ((framework (eql :parachute)))
  "A redefined test may stay the same object, but gets a new list of its forms. So a test without forms is given a list,
which its next definition removes."
  (loop for package in (list-all-packages)
        append (loop for test in (call-its :parachute "PACKAGE-TESTS" package)
                     collect (cons (or (slot-of test "TESTS")
                                       (setf (slot-value test (its :parachute "TESTS")) (list (constantly nil))))
                                   test))))

(defmethod test-parent ((framework (eql :parachute)) test)
  (let ((parent (slot-of test "PARENT")))
    (and (typep parent (its :parachute "TEST")) parent)))

(defmethod test-groups ((framework (eql :parachute)) test)
  (loop for parent = (test-parent :parachute test) then (test-parent :parachute parent)
        while parent
        repeat 50
        collect (test-name :parachute parent)))

(defmethod inner-tests ((framework (eql :parachute)) test)
  (loop with agenda = (present-children test)
        while agenda
        collect (first agenda)
        do (let ((next (pop agenda)))
             (setf agenda (append (present-children next) agenda)))))

(defun present-children (test)
  "The tests in TEST that were defined last: Parachute keeps those that are gone from the files."
  (remove-if-not (lambda (child) (gethash child *present-tests*)) (slot-of test "CHILDREN")))

(defmethod test-name ((framework (eql :parachute)) test)
  (let ((name (slot-of test "NAME")))
    (if (symbolp name) name (format nil "~A" name))))

(defmethod test-function ((framework (eql :parachute)) test)
  (find-if #'functionp (slot-of test "TESTS")))

(defmethod run-test ((framework (eql :parachute)) test)
  "Uses the report that keeps the errors of compared values."
  (multiple-value-bind (report errors)
      (call-hearing-errors
       (lambda ()
         (call-with-present-children
          test
          (lambda ()
            ;; Each test in it can be left by itself.
            (let ((*watching* :outside))
              (call-observing :parachute (constantly nil)
                              (lambda ()
                                (call-its :parachute "TEST" test :report (its :parachute "PLAIN")
                                                                 :stream (make-broadcast-stream)))))))))
    ;; The dependencies were run for it, and are no part of it.
    (parachute-outcomes (list (or (find test (slot-of report "RESULTS") :key (lambda (result) (slot-of result "EXPRESSION")))
                                  report))
                        errors)))

(defun call-hearing-errors (function)
  "The value of FUNCTION, and the errors outside of checks, which Parachute reports as warnings, in their order."
  (let ((errors '()))
    (values (handler-bind ((warning (lambda (warning)
                                      (let ((text (condition-text warning 1000)))
                                        (when (eql 0 (search "Unhandled error when" text))
                                          (push (error-in-warning text) errors)
                                          (muffle-warning warning))))))
              (funcall function))
            (reverse errors))))

(defun call-with-present-children (test function)
  "Calls FUNCTION while TEST and its parts contain only the tests that were defined last."
  (let ((symbol (its :parachute "CHILDREN"))
        (kept '()))
    (unwind-protect
         (loop with inner = (list test)
               while inner
               do (let* ((test (pop inner))
                         (present (present-children test)))
                    (push (cons test (slot-of test "CHILDREN")) kept)
                    (setf (slot-value test symbol) present
                          inner (append present inner)))
               finally (return (funcall function)))
      (loop for (test . children) in kept
            do (setf (slot-value test symbol) children)))))

(defun error-in-warning (text)
  "The text after the first line of TEXT, which has the place of the error."
  (let ((end (position #\Newline text)))
    (string-trim '(#\Space #\Newline) (if end (subseq text end) text))))

(defun parachute-outcomes (results errors)
  "The outcomes of the checks in RESULTS, where each may be both under its parent and by itself; and one for each test
that failed though nothing in it did, with the next of ERRORS."
  (let ((seen (make-hash-table :test #'eq))
        (outcomes '()))
    (labels ((parts (result)
               (or (slot-of result "RESULTS") (slot-of result "CHILDREN")))
             (walk (result test forced)
               "True when a part of RESULT, which is in TEST, failed; FORCED is the status of all checks there, or NIL."
               (multiple-value-bind (failed-p known-p) (gethash result seen)
                 (if known-p
                     failed-p
                     (setf (gethash result seen)
                           (if (typep result (its :parachute "PARENT-RESULT"))
                               (let ((inner (slot-of result "EXPRESSION")))
                                 (walk-parent result
                                              (if (typep inner (its :parachute "TEST")) inner test)
                                              (or (slot-of result "CHILD-STATUS") forced)))
                               (note (check-outcome result forced) test))))))
             (walk-parent (result test forced)
               (let ((failed-p (eq (slot-of result "STATUS") :failed))
                     (inside-p nil))
                 (map nil (lambda (part) (when (walk part test forced) (setf inside-p t))) (parts result))
                 (cond ((and failed-p (not inside-p))
                        (note (make-outcome :status :failed :reason (parachute-reason result)) test))
                       ((and (eq (slot-of result "STATUS") :skipped) (zerop (length (parts result))))
                        (note (make-outcome :status :skipped) test)))
                 (or failed-p inside-p)))
             (parachute-reason (result)
               (let ((description (slot-of result "DESCRIPTION")))
                 (cond ((and description (/= 0 (or (search "The test failed to evaluate" description) -1))) description)
                       (description (pop errors) (error-in-warning description))
                       ((pop errors))
                       (t "It failed outside its checks."))))
             (note (outcome test)
               (setf (outcome-test outcome) test)
               (push outcome outcomes)
               (eq (outcome-status outcome) :failed)))
      (dolist (result results)
        (walk result nil nil)))
    (nreverse outcomes)))

(defun check-outcome (result forced)
  "The outcome of RESULT, a check of Parachute's, with the status FORCED unless that is NIL."
  (let ((value (slot-of result "VALUE"))
        (comparison (slot-of result "COMPARISON")))
    (make-outcome
     :status (case (or forced (slot-of result "STATUS")) (:passed :passed) (:failed :failed) (t :skipped))
     :form (slot-of result "EXPRESSION")
     :description (slot-of result "DESCRIPTION")
     :condition (and (typep value 'condition) value)
     :reason (cond ((typep value 'condition) (condition-reason value))
                   ((null comparison) "It did not finish.")
                   ((member "COMPARISON-GEQ" (slot-parts result)
                            :test (lambda (name part) (and (string= name (first part)) (rest part) (null (second part)))))
                    (format nil "By ~A it is what it should not be." (short-text comparison)))
                   (t (format nil "By ~A it is not what is expected." (short-text comparison))))
     :values (and comparison
                  (list (list "expected" (short-text (slot-of result "EXPECTED")))
                        (list "actual" (short-text value)))))))

;;; Observing

(defmethod call-observing ((framework (eql :parachute)) note function)
  "Its report has the results of all tests, also of a run that is ended early."
  (let ((report nil))
    (flet ((run-one (original arguments)
             (let* ((result (second arguments))
                    (test (and (is-of-class result "TEST-RESULT") (slot-of result "EXPRESSION"))))
               (if (or (null test) (not (eq (slot-of result "STATUS") :unknown)))
                   (apply original arguments)
                   (multiple-value-bind (value reason)
                       (call-for-test :parachute test (lambda () (apply original arguments)))
                     (when reason
                       (setf (slot-value result (its :parachute "STATUS")) :failed
                             (slot-value result (its :parachute "DESCRIPTION")) reason))
                     value)))))
      (call-in-front "PARACHUTE" "TEST"
                     (lambda (call arguments)
                       (unwind-protect (apply call (append arguments (quiet-report arguments)))
                         (when report
                           (hear #'note-report (shiftf report nil) note))))
                     (lambda ()
                       (call-around-each "PARACHUTE" "EVAL-IN-CONTEXT"
                                         (lambda (original arguments)
                                           (when (and (null report) (is-of-class (first arguments) "REPORT"))
                                             (setf report (first arguments)))
                                           (run-one original arguments))
                                         function))))))

(defun quiet-report (arguments)
  "The arguments that make the report of Parachute's TEST with ARGUMENTS print to the sink, if it prints."
  (let* ((given (rest arguments))
         (kind (getf given :report (its :parachute "PLAIN")))
         (class (if (symbolp kind) (find-class kind nil) kind)))
    (and (typep class 'class)
         (subtypep class (its :parachute "PLAIN"))
         (null (getf given :output))
         (null (getf given :stream))
         (list :stream *report-sink*))))

(defun note-report (report note)
  (let* ((results (coerce (slot-of report "RESULTS") 'list))
         (outcomes (parachute-outcomes results '()))
         (tests (remove-if-not (lambda (object) (typep object (its :parachute "TEST")))
                               (remove-duplicates (mapcar (lambda (result) (slot-of result "EXPRESSION")) results)))))
    (dolist (test tests)
      (funcall note test (remove test outcomes :key #'outcome-test :test-not #'eq)))))
