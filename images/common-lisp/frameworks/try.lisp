;;;; Try: trials; those that contain no others are the tests. A test is its name here.

(in-package "LISPWRIGHT.AGENT")

(defmethod framework-package ((framework (eql :try))) "TRY")

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
