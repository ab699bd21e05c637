;;;; RT, and the contributed module SB-RT: two packages with the same names in them

(in-package "LISPWRIGHT.AGENT")

(defmacro define-rt (framework)
  "Defines FRAMEWORK, with the system and the package given after it, as a framework that works like RT."
  `(progn
     (defmethod framework-name ((framework (eql ,framework))) "rt")
     (defmethod defined-tests ((framework (eql ,framework))) (entries framework))
     (defmethod test-name ((framework (eql ,framework)) entry) (entry-part entry :name))
     (defmethod run-test ((framework (eql ,framework)) entry) (run-entry framework entry))
     (defmethod call-observing ((framework (eql ,framework)) note function)
       (call-observing-entries framework note function))))

(define-rt :rt)
(defmethod framework-package ((framework (eql :rt))) "REGRESSION-TEST")

(define-rt :sb-rt)
(defmethod framework-package ((framework (eql :sb-rt))) "SB-RT")

(defun entries (framework)
  (loop for entry in (rest (its-value framework "*ENTRIES*"))
        collect (cons entry entry)))

(defun entry-part (entry part)
  "The PART of ENTRY, a structure or, in SB-RT, a list that ends in the values."
  (if (listp entry)
      (ecase part (:pend (first entry)) (:name (second entry)) (:form (third entry)) (:vals (cdddr entry)))
      (slot-of entry (symbol-name part))))

(defun call-redefining (function)
  "Calls FUNCTION, which loads tests, without RT's warnings of redefined ones, unless FUNCTION itself defines a test
twice."
  (let ((known (loop for framework in '(:rt :sb-rt)
                     when (present-p framework)
                       append (loop for (entry) in (entries framework)
                                    collect (entry-part entry :name)))))
    (handler-bind ((simple-warning
                     (lambda (warning)
                       (let ((control (simple-condition-format-control warning))
                             (name (first (simple-condition-format-arguments warning))))
                         (when (and (stringp control) (eql 0 (search "Redefining test ~" control))
                                    (member name known :test #'equal))
                           (setf known (remove name known :test #'equal :count 1))
                           (muffle-warning warning))))))
      (funcall function))))

(defun run-entry (framework entry)
  "RT itself counts a test that is expected to fail, and does, as no failure; one that passes it tells."
  (let* ((expected (present-symbol (framework-package framework) "*EXPECTED-FAILURES*"))
         (expected-p (and expected (member (entry-part entry :name) (symbol-value expected) :test #'equal)))
         (raised nil)
         (name (entry-part entry :name))
         (report (with-output-to-string (report)
                   ;; By default RT does not report the error.
                   (handler-case (progv (list (its framework "*CATCH-ERRORS*")) '(nil)
                                   (call-its framework "DO-ENTRY" entry report))
                     (error (error) (setf raised error))))))
    (cond ((not (or raised (entry-part entry :pend)))
           (when expected-p
             (tell-note "~A passed, and was expected to fail." (full-name name)))
           (outcomes-as :passed))
          (expected-p (outcomes-as :skipped))
          (t
           (list (failed-check (or raised "The actual values are not the expected ones.")
                               :form (entry-part entry :form)
                               :values (append (list (list "expected" (format nil "~{~A~^ ~}" (mapcar #'short-text
                                                                                                       (entry-part entry :vals)))))
                                               (and (null raised) (list (list "actual" (reported-values report)))))))))))

(defun reported-values (report)
  "The values that the test returned, by RT."
  (let* ((start (search "Actual value" report))
         (from (and start (position #\: report :start start))))
    (if from
        (string-trim '(#\Space #\Newline #\.) (subseq report (1+ from)))
        "")))

;;; Observing

(defun call-observing-entries (framework note function)
  "RT does not report errors, so its tests are run one by one here, too."
  (let ((package (framework-package framework)))
    (flet ((run-one (original arguments)
             (declare (ignore original))
             (let* ((entry (first arguments))
                    (outcomes (let ((*watching* nil))
                                (outcomes-of framework entry))))
               (funcall note entry outcomes)
               (and (find :passed outcomes :key #'outcome-status) (entry-part entry :name)))))
      (call-inside package '("DO-TESTS")
                   (lambda () (call-around-each package "DO-ENTRY" #'run-one function))))))
