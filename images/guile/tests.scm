;;; Running the tests of files, of SRFI 64.

(define-record-type <tally>
  (make-tally wanted unmatched passed failed skipped failures names running)
  tally?
  (wanted tally-wanted)                 ; names of tests or groups, or '() for all
  (unmatched tally-unmatched set-tally-unmatched!) ; those of them that were not seen yet
  (passed tally-passed set-tally-passed!)
  (failed tally-failed set-tally-failed!)
  (skipped tally-skipped set-tally-skipped!)
  (failures tally-failures set-tally-failures!)
  (names tally-names set-tally-names!)
  (running tally-running set-tally-running!)) ; the name of the running test, or #f

(define (note-result tally runner)
  "Counts the test that has just ended in RUNNER."
  (let* ((name (test-runner-test-name runner))
         (path (test-runner-group-path runner))
         (wanted (tally-wanted tally)))
    (set-tally-names! tally (cons name (tally-names tally)))
    (set-tally-running! tally #f)
    (set-tally-unmatched! tally (lset-difference equal? (tally-unmatched tally) (cons name path)))
    (when (or (null? wanted) (any (lambda (group) (member group wanted)) (cons name path)))
      (case (test-result-kind runner)
        ((pass) (set-tally-passed! tally (1+ (tally-passed tally))))
        ((fail xpass)
         (set-tally-failed! tally (1+ (tally-failed tally)))
         (when (<= (tally-failed tally) 100)
           (set-tally-failures! tally (cons (failed-test runner name path) (tally-failures tally)))))
        (else (set-tally-skipped! tally (1+ (tally-skipped tally))))))))

(define (failed-test runner name path)
  "The description for the parent of the failed test that has just ended in RUNNER."
  (let ((absent (list #f))
        (alist (test-result-alist runner)))
    (define (value key)
      (match (assq key alist)
        ((_ . value) value)
        (#f absent)))
    (define (text key)
      (let ((value (value key)))
        (if (eq? value absent) '() (list (list (symbol->string key) (short-text value))))))
    (let ((raised (value 'actual-error))
          (file (value 'source-file))
          (line (value 'source-line))
          (form (value 'source-form)))
      (append (list #:name name
                    #:description (string-join path " / ")
                    #:reason (reason (test-result-kind runner) raised absent)
                    #:values (append (text 'expected-error) (text 'expected-value) (text 'actual-value)))
              (if (eq? form absent) '() (list #:form (short-text (syntax->datum form))))
              (if (string? file) (list #:file (full-path file)) '())
              (if (integer? line) (list #:line line) '())))))

(define (reason kind raised absent)
  (cond ((eq? kind 'xpass) "It was expected to fail and passed.")
        ((or (eq? raised absent) (not raised)) "The actual value is not the expected one.")
        (else (raised-text raised))))

(define (raised-text raised)
  "The exception as SRFI 64 has kept it: the key and arguments, or the exception."
  (match raised
    (('%exception exception) (raised-text exception))
    (((? symbol? key) . arguments)
     (string-append (symbol->string key) ": "
                    (failsafe (const (short-text arguments))
                              (lambda ()
                                (string-trim-right
                                 (call-with-output-string (lambda (port) (write-thrown key arguments port))))))))
    ((? exception? exception) (string-append (exception-type exception) ": " (exception-text exception 500)))
    (_ (string-append "raised " (short-text raised)))))

(define (note-start tally runner)
  "Reports the test that RUNNER begins: it may never end, or end the process."
  (let ((name (test-runner-test-name runner)))
    (set-tally-running! tally name)
    (tell-progress (format #f "testing ~a" name))))

(define (note-fault tally runner reason)
  "Counts a mistake in the group of tests that RUNNER is at as a failed test."
  (when (null? (tally-wanted tally))
    (let ((path (test-runner-group-path runner)))
      (set-tally-failed! tally (1+ (tally-failed tally)))
      (set-tally-failures! tally (cons (list #:name (if (pair? path) (last path) "test-end")
                                             #:description (string-join path " / ")
                                             #:reason reason)
                                       (tally-failures tally))))))

(define (count-tests-of runner tally)
  "Makes TALLY observe RUNNER, in addition to its own callbacks."
  (define-syntax-rule (precede! get set note argument ...)
    (let ((others (get runner)))
      (set runner (lambda (runner argument ...)
                    (note tally runner argument ...)
                    (others runner argument ...)))))
  (precede! test-runner-on-test-begin test-runner-on-test-begin! note-start)
  (precede! test-runner-on-test-end test-runner-on-test-end! note-result)
  (precede! test-runner-on-bad-count test-runner-on-bad-count!
            (lambda (tally runner count announced)
              (note-fault tally runner (format #f "~a tests were announced, and ~a ran." announced count)))
            count announced)
  (precede! test-runner-on-bad-end-name test-runner-on-bad-end-name!
            (lambda (tally runner ended begun)
              (note-fault tally runner (format #f "The test-begin of ~a ends with the test-end of ~a." begun ended)))
            ended begun))

(define (call-counting-tests tally thunk)
  "Calls THUNK, with TALLY observing the tests that run meanwhile. The code may use runners of its own: they are found
when a group of tests begins."
  (let* ((module (resolve-module '(srfi srfi-64)))
         (variable (or (module-variable module '%test-begin) (module-variable module 'test-begin)))
         (begin-group (variable-ref variable))
         (known '()))
    (define (counted runner)
      (unless (or (not runner) (memq runner known))
        (set! known (cons runner known))
        (count-tests-of runner tally))
      runner)
    (define (begin-counted . arguments)
      (call-with-values (lambda () (apply begin-group arguments))
        (lambda results
          (counted (test-runner-current))
          (apply values results))))
    (dynamic-wind
      (lambda ()
        (when (procedure? begin-group)
          (variable-set! variable begin-counted)))
      (lambda ()
        (parameterize ((test-runner-factory (lambda () (counted (test-runner-null))))
                       (test-runner-current #f))
          (thunk)))
      (lambda () (variable-set! variable begin-group)))))

(define (tally-facts tally)
  (append
   (list #:framework "srfi-64"
         #:passed (tally-passed tally) #:failed (tally-failed tally) #:skipped (tally-skipped tally)
         #:failed-tests (reverse (tally-failures tally))
         #:names (take* (reverse (tally-names tally)) 200)
         #:unmatched (tally-unmatched tally))
   (if (tally-running tally) (list #:running (tally-running tally)) '())))

(define (answer-run-tests request)
  "Loads the tests again and runs them; returns the fields of the answer."
  (let* ((wanted (or (argument request #:tests) '()))
         (tally (make-tally wanted wanted 0 0 0 '() '() #f)))
    (let ((answer
           (answer-work request 'run-tests
                        (lambda ()
                          (match (target request)
                            ((? string? path)
                             (call-renewing request path
                                            (lambda ()
                                              (call-counting-tests tally (lambda () (load-source path)))
                                              (list #:outcome #:tested))))
                            (name
                             (answer-now (list #:outcome #:refused #:no-system (argument request #:system)))))))))
      (if (eq? (argument (cons #f answer) #:outcome) #:refused)
          answer
          (append answer (tally-facts tally))))))
