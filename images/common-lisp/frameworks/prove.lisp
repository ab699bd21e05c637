;;;; Prove: reports in a suite, when it ends. Its checks run while their file is loaded, so a file is what runs and can be
;;;; left; a check is its description here.

(in-package "LISPWRIGHT.AGENT")

(defmethod framework-package ((framework (eql :prove))) "PROVE")

(defmethod debugger-switches ((framework (eql :prove)))
  '(("PROVE.TEST" "*DEBUG-ON-ERROR*") ("PROVE" "*DEBUG-ON-ERROR*")))

(defmethod report-variables ((framework (eql :prove)))
  '(("PROVE.OUTPUT" "*TEST-RESULT-OUTPUT*")))

(defvar *note-prove* nil "While tests are observed, the function that is told of Prove's results.")

(defmethod call-observing ((framework (eql :prove)) note function)
  (let ((*note-prove* note))
    (unwind-protect
         (call-watching "PROVE.SUITE" "FINALIZE"
                        (lambda (values arguments)
                          (declare (ignore values))
                          (note-suite (or (first arguments) (current-suite)) note))
                        (lambda ()
                          (call-around-each "PROVE.ASDF" "RUN"
                                            (lambda (original arguments)
                                              (if (and (pathnamep (first arguments)) (pathname-name (first arguments)))
                                                  (run-prove-file (first arguments) (lambda () (apply original arguments)))
                                                  (apply original arguments)))
                                            function)))
      ;; Of files that did not come to their end.
      (hear (lambda ()
              (loop for suite being the hash-values of (symbol-value (present-symbol "PROVE.SUITE" "*DEFINED-SUITES*"))
                    do (note-suite suite note)))))))

(defmethod asdf:perform :around ((operation asdf:load-source-op) (component asdf:component))
  "A file of tests is a component of Prove's own class, which a test-op loads."
  (if (and *note-prove* (is-of-class component "TEST-FILE"))
      (run-prove-file (asdf:component-pathname component) (lambda () (call-next-method)))
      (call-next-method)))

(defun run-prove-file (path function)
  (let ((name (file-namestring path)))
    (multiple-value-bind (value reason) (call-for-test :prove name function)
      (when reason
        (funcall *note-prove* name (list (failed-check reason))))
      value)))

(defun current-suite ()
  (funcall (present-symbol "PROVE.SUITE" "CURRENT-SUITE")))

(defun note-suite (suite note)
  "Records the reports of SUITE, which are taken out of it. A wrong plan is a remark of Prove's, and no failure."
  (let ((reports (remove-if-not (lambda (report) (is-of-class report "TEST-REPORT")) (coerce (slot-of suite "REPORTS") 'list)))
        (plan (slot-of suite "PLAN")))
    (setf (fill-pointer (slot-of suite "REPORTS")) 0)
    (loop for report in reports
          for number from 1
          do (funcall note (or (slot-of report "DESCRIPTION") (format nil "check ~D" number)) (report-outcomes report)))
    (when (and reports (integerp plan) (/= plan (length reports)))
      (tell-note "Prove remarks that ~D tests were planned and ~D ran~@[, in ~A~]." plan (length reports) (tally-running *tally*)))))

(defun report-outcomes (report)
  (let ((agenda (list report))
        (outcomes '()))
    (loop while agenda
          do (let ((one (pop agenda)))
               (cond ((is-of-class one "COMPOSED-TEST-REPORT")
                      (setf agenda (append (coerce (slot-of one "CHILDREN") 'list) agenda)))
                     ((is-of-class one "SKIPPED-TEST-REPORT") (push (make-outcome :status :skipped) outcomes))
                     ((is-of-class one "FAILED-TEST-REPORT") (push (report-failure one (not (eq one report))) outcomes))
                     ((is-of-class one "PASSED-TEST-REPORT") (push (make-outcome) outcomes)))))
    (nreverse outcomes)))

(defun report-failure (report inner-p)
  "The outcome of a check that has failed; of an INNER one with its description, which is the name of others."
  (let* ((got (slot-of report "GOT"))
         (form (slot-of report "GOT-FORM"))
         (form (and (consp form) form)))
    (if (and (typep got 'error) (is-of-class report "ERROR-TEST-REPORT"))
        (failed-check got :form form)
        (failed-check (format nil "~@[~A: ~]Got ~A, ~:[~;not ~]expected ~A" (and inner-p (slot-of report "DESCRIPTION"))
                              (short-text got) (slot-of report "NOTP") (short-text (slot-of report "EXPECTED")))
                      :form form))))
