;;;; The lines in which a test-op sums up its tests, for frameworks without result objects.
;;;;
;;;; "3 of 5 tests failed", "Fail: 2 (66%)", "Errors detected in this test: 3", "Some tests failed." mean that a test failed;
;;;; "6 of 6 tests passed", "Pass: 3", "All tests passed" mean that tests ran and passed. Any other line is ignored.

(in-package "LISPWRIGHT.AGENT")

(defvar *counted-words* '("test" "tests" "check" "checks" "assertion" "assertions" "suite" "suites" "case" "cases" "file"
                           "files"))

(defun summary-verdict (line)
  "The result that LINE reports if it sums up tests: :FAILED, :PASSED, or :NONE when there were none; else NIL."
  (let* ((line (without-colours line))
         (tokens (line-tokens line))
         (about-tests (intersection tokens *counted-words* :test #'equal))
         ;; "200 OK" and "2 errors" are also printed about other things.
         (bad (append '("failed" "fail" "fails" "failure" "failures") (and about-tests '("error" "errors"))))
         (good (append '("passed" "pass") (and about-tests '("succeeded" "success" "successes" "ok"))))
         (failed (counts tokens bad))
         (passed (counts tokens good))
         (negated (member (first tokens) '("no" 0) :test #'equal)))
    (flet ((has (words)
             (intersection tokens words :test #'equal)))
      (cond ((find-if #'plusp failed :key #'first) :failed)
            ((loop for (count total) in passed
                     thereis (and total (< count total)))
             :failed)
            ((and (null failed) (not negated) (not (marked-as-passed-p line)) (bad-line-p line tokens about-tests)) :failed)
            ;; "3 tests succeeded, but 2 did not"
            ((has '("not" "but" "except" "only")) nil)
            ((find-if #'plusp passed :key #'first) :passed)
            ((and (equal (first tokens) "ok") (integerp (second tokens))) :passed)
            ((none-p tokens bad) :none)
            ((and about-tests (has good) (null passed) (has '("all"))) :passed)
            ((and about-tests (has bad) (or negated (and failed (some-plusp tokens)))) :passed)))))

(defun marked-as-passed-p (line)
  "True when LINE begins with the mark of a check that has passed: the description of the check follows."
  (let ((start (position-if-not (lambda (character) (find character " -*[(")) line)))
    (and start
         (find (char-code (char line start)) '(#x2713 #x2714 #x221A))
         t)))

(defun none-p (tokens bad)
  "True when TOKENS count no tests at all, as in \"0 tests, 0 failures\", and not only no BAD ones, as in \"0 tests failed\"."
  (and (not (some-plusp tokens))
       (loop for (count what next) on (remove "pending" tokens :test #'equal)
               thereis (and (eql count 0)
                            (member what *counted-words* :test #'equal)
                            (not (member next bad :test #'equal))))))

(defun some-plusp (tokens)
  (find-if (lambda (token) (and (integerp token) (plusp token))) tokens))

(defun bad-line-p (line tokens about-tests)
  "True when LINE says that tests failed without a count, or begins with the word for that."
  (let ((bad (find-if (lambda (token) (member token '("failed" "fail" "failure" "failures") :test #'equal)) tokens)))
    (or (equal (ldiff tokens (cddr tokens)) '("not" "ok"))
        (and bad about-tests (not (intersection tokens '("if" "when" "should" "expected" "would") :test #'equal)))
        (let ((start (position-if #'alpha-char-p line)))
          (and bad start (eql (search bad line :start2 start :test #'char-equal) start)
               (every #'upper-case-p (subseq line start (+ start (length bad)))))))))

(defun counts (tokens words)
  "((count) ...) or ((count total) ...) of what TOKENS have for any of WORDS: \"3 failed\", \"2 of 5 tests failed\", \"failed: 3\"."
  (loop for (word . after) on tokens
        for before = '() then (cons previous before)
        for previous = word
        for count = (and (member word words :test #'equal)
                         (not (equal (first before) "expected"))
                         (or (if (or (equal (first after) ":") (not (integerp (first tokens))))
                                 (or (count-after after) (and (not (equal (first after) ":")) (count-before before)))
                                 (or (count-before before) (count-after after)))
                             (count-after-label after)))
        when count
          collect count))

(defun count-after (tokens)
  (let ((tokens (if (equal (first tokens) ":") (rest tokens) tokens)))
    (when (integerp (first tokens))
      (if (and (member (second tokens) '("of" "/") :test #'equal) (integerp (third tokens)))
          (list (first tokens) (third tokens))
          (list (first tokens))))))

(defun count-after-label (tokens)
  "The count after the colon of a label about tests, such as \"errors detected in this test: 3\"."
  (let* ((colon (member ":" tokens :test #'equal))
         (label (ldiff tokens colon)))
    (and label
         (subsetp label (append '("detected" "in" "this" "the" "all") *counted-words*) :test #'equal)
         (count-after colon))))

(defun count-before (tokens)
  "The count at the end of the reversed TOKENS, before the counted things."
  (let ((tokens (member-if-not (lambda (token)
                                 (or (member token *counted-words* :test #'equal)
                                     (member token '("total" "unexpected" "were" "have") :test #'equal)))
                               tokens)))
    ;; "80% of tests passed"
    (when (equal (ldiff tokens (cddr tokens)) '("of" "%"))
      (pop tokens))
    (destructuring-bind (&optional total (of nil) (count nil) (more nil) &rest rest) tokens
      (declare (ignore rest))
      (cond ((and (equal total "%") (integerp of)) (list of 100))
            ((not (integerp total)) nil)
            ((and (member of '("of" "/") :test #'equal) (integerp count)) (list count total))
            ((and (equal of "of") (equal count "out") (integerp more)) (list more total))
            (t (list total))))))

(defun without-colours (line)
  "LINE without the escape sequences of colours."
  (with-output-to-string (text)
    (loop with start = 0
          for escape = (position (code-char 27) line :start start)
          do (write-string line text :start start :end escape)
          while escape
          do (setf start (1+ (or (position #\m line :start escape) (1- (length line))))))))

(defun line-tokens (line)
  "The words of LINE in lower case, the integral parts of its numbers, and its colons, commas, semicolons, slashes and
percent signs. Words that hyphens join are one."
  (let ((tokens '())
        (start 0))
    (labels ((at (index test)
               (and (< index (length line)) (funcall test (char line index))))
             (run (test)
               (let ((end (or (position-if-not test line :start start) (length line))))
                 (prog1 (subseq line start end)
                   (setf start end))))
             (word ()
               (loop for part = (run #'alpha-char-p)
                     while (and (at start (lambda (character) (char= character #\-))) (at (1+ start) #'alpha-char-p))
                     do (incf start)
                     collect part into parts
                     finally (return (format nil "~{~A-~}~A" parts part)))))
      (loop while (< start (length line))
            do (let ((character (char line start)))
                 (cond ((digit-char-p character)
                        (push (parse-integer (run #'digit-char-p)) tokens)
                        (when (and (at start (lambda (character) (char= character #\.))) (at (1+ start) #'digit-char-p))
                          (incf start)
                          (run #'digit-char-p)))
                       ((alpha-char-p character) (push (string-downcase (word)) tokens))
                       (t
                        (when (find character ":,;/%")
                          (push (string character) tokens))
                        (incf start))))))
    (nreverse tokens)))

;;; Observing lines as they are printed

(defconstant +longest-line+ 400)

(defclass heard-stream (fundamental-character-output-stream)
  ((hear :initarg :hear :reader hear-line)
   (through :initarg :through :initform nil :reader through)
   (line :initform (make-array 80 :element-type 'character :adjustable t :fill-pointer 0) :reader line))
  (:documentation "Calls HEAR with each line of output, with the beginning of a long one; the output goes through to the stream
that THROUGH, a function, returns."))

(defmethod stream-write-char ((stream heard-stream) character)
  (let ((through (through-now stream)))
    (when through
      (write-char character through)))
  (hear-character stream character)
  character)

(defmethod stream-write-string ((stream heard-stream) string &optional (start 0) end)
  (let ((through (through-now stream)))
    (when through
      (write-string string through :start start :end end)))
  (loop for index from start below (or end (length string))
        do (hear-character stream (char string index)))
  string)

(defun hear-character (stream character)
  (let ((line (line stream)))
    (cond ((char= character #\Newline)
           (funcall (hear-line stream) (copy-seq line))
           (setf (fill-pointer line) 0))
          ((< (length line) +longest-line+)
           (vector-push-extend character line)))))

(defun through-now (stream)
  (and (through stream) (funcall (through stream))))

(defmethod stream-line-column ((stream heard-stream))
  (length (line stream)))

(defmethod stream-force-output ((stream heard-stream))
  (let ((through (through-now stream)))
    (when through
      (force-output through))))

(defmethod stream-finish-output ((stream heard-stream))
  (stream-force-output stream))

(defun call-hearing-lines (hear through function)
  "Calls FUNCTION with the standard output and the error output of this thread heard by HEAR, line by line. THROUGH maps the
stream that the output would go to to the one that it goes to, or to NIL."
  (let ((streams '()))
    (flet ((heard (stream)
             (let ((heard (make-instance 'heard-stream :hear hear :through (lambda () (funcall through stream)))))
               (push heard streams)
               heard)))
      (unwind-protect
           (let ((*standard-output* (heard *standard-output*))
                 (*error-output* (heard *error-output*)))
             (funcall function))
        (dolist (stream streams)
          (when (plusp (length (line stream)))
            (funcall hear (copy-seq (line stream)))))))))
