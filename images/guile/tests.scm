;;; Running the tests of files, of SRFI 64.

(define-record-type <tally>
  (make-tally wanted unmatched passed failed skipped failures names running notes)
  tally?
  (wanted tally-wanted)                 ; names of tests or groups, or '() for all
  (unmatched tally-unmatched set-tally-unmatched!) ; those of them that were not seen yet
  (passed tally-passed set-tally-passed!)
  (failed tally-failed set-tally-failed!)
  (skipped tally-skipped set-tally-skipped!)
  (failures tally-failures set-tally-failures!)
  (names tally-names set-tally-names!)
  (running tally-running set-tally-running!) ; the name of the running test, or #f
  (notes tally-notes set-tally-notes!)) ; sentences, the last one first

(define test-in-hand #f)                ; (name . start) of the running test, or #f

(define (note! tally text)
  (set-tally-notes! tally (cons text (tally-notes tally))))

(define (called? text names)
  "True when TEXT is among NAMES, or one of them starts with what is before the asterisk at its end."
  (or (member text names)
      (let ((end (1- (string-length text))))
        (and (positive? end)
             (char=? #\* (string-ref text end))
             (any (lambda (name) (and (string? name) (string-prefix? (substring text 0 end) name))) names)))))

(define (note-result tally runner)
  "Counts the test that has just ended in RUNNER."
  (let* ((name (test-runner-test-name runner))
         (path (test-runner-group-path runner))
         (wanted (tally-wanted tally)))
    (set-tally-names! tally (cons name (tally-names tally)))
    (set-tally-running! tally #f)
    (set! test-in-hand #f)
    (set-tally-unmatched! tally (remove (lambda (text) (called? text (cons name path))) (tally-unmatched tally)))
    (when (or (null? wanted) (any (lambda (text) (called? text (cons name path))) wanted))
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
              (match raised
                (('stopped _) (list #:frames frames-of-left))
                (_ '()))
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
    (('stopped text) text)
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
    (set! test-in-hand (cons name (get-internal-real-time)))
    (send (list #:progress #:id last-id #:text (format #f "testing ~a" name) #:test name))))

(define frames-of-left '())              ; the frames of the test that was left last

(define (project-frame-facts stack)
  "The innermost three frames of STACK in files of the project, for the parent."
  (failsafe (const '())
            (lambda ()
              (let ((own (filter project-frame? (filter user-frame? (take* (frames-of stack) most-frames)))))
                (frame-facts (take* own 3))))))

(define (leave-test name)
  "Ends the test called NAME, if it still runs, with an error that SRFI 64 takes for its failure."
  (match test-in-hand
    (((? (lambda (running) (equal? running name))) . began)
     (set! test-in-hand #f)
     (set! frames-of-left (project-frame-facts (make-stack #t)))
     (throw 'stopped
            (format #f "It ran for ~,1f s and was stopped, so that the others could run. A larger timeout_seconds gives it more."
                    (/ (- (get-internal-real-time) began) (* 1.0 internal-time-units-per-second)))))
    (_ #f)))

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
                    (in-silence (lambda () (others runner argument ...)))))))
  (precede! test-runner-on-test-begin test-runner-on-test-begin! note-start)
  (precede! test-runner-on-test-end test-runner-on-test-end! note-result)
  (precede! test-runner-on-bad-count test-runner-on-bad-count!
            (lambda (tally runner count announced)
              (note-fault tally runner (format #f "~a tests were announced, and ~a ran." announced count)))
            count announced)
  (precede! test-runner-on-bad-end-name test-runner-on-bad-end-name!
            (lambda (tally runner ended begun)
              (note-fault tally runner (format #f "The test-begin of ~a ends with the test-end of ~a." begun ended)))
            ended begun)
  (define (nothing . _) #f)
  (precede! test-runner-on-group-begin test-runner-on-group-begin! nothing name count)
  (precede! test-runner-on-group-end test-runner-on-group-end! nothing)
  (precede! test-runner-on-final test-runner-on-final! nothing))

(define (in-silence thunk)
  "Calls THUNK, a callback of a runner: what it prints is told already."
  (parameterize ((current-output-port (%make-void-port "w")))
    (thunk)))

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
         #:unmatched (tally-unmatched tally)
         #:notes (reverse (tally-notes tally)))
   (if (tally-running tally) (list #:running (tally-running tally)) '())))

;;; What the tests of a project with a Makefile.am may take for granted, and what they may leave behind

(define (automake-variables path)
  "((name . value) ...) of the variables that Automake's driver sets for the tests of the project around the file at PATH."
  (let ((made? (any (lambda (name) (file-exists? (string-append project-root "/" name))) '("Makefile.am" "configure.ac")))
        (directory (dirname path)))
    (if made?
        `(("srcdir" . ,directory) ("builddir" . ,directory)
          ("abs_srcdir" . ,directory) ("abs_builddir" . ,directory)
          ("top_srcdir" . ,project-root) ("top_builddir" . ,project-root)
          ("abs_top_srcdir" . ,project-root) ("abs_top_builddir" . ,project-root))
        '())))

(define (call-as-driver path tally thunk)
  "Calls THUNK, which runs the tests at PATH, with the variables that they expect; what they change of the load path ends
with them."
  (let* ((known? (member path loaded-files))
         (names (filter-map (match-lambda ((name . value) (and (not (getenv name)) (cons name value))))
                            (automake-variables path)))
         (paths (list %load-path %load-compiled-path %load-extensions)))
    (dynamic-wind
      (lambda ()
        (set! tested path)
        (for-each (match-lambda ((name . value) (setenv name value))) names))
      thunk
      (lambda ()
        (set! tested #f)
        (for-each (match-lambda ((name . _) (unsetenv name))) names)
        (let ((wrong (remove string? %load-path)))
          (unless (null? wrong)
            (note! tally (format #f "The tests put ~a into %load-path, where only names of directories can be. ~a"
                                 (short-text (car wrong)) "It has been taken out."))))
        (match paths
          ((load compiled extensions)
           (set! %load-path load)
           (set! %load-compiled-path compiled)
           (set! %load-extensions extensions)))
        ;; To load tests is to run them: those that are only run are not loaded again with what they use.
        (unless (or known? (pair? (modules-of path)))
          (set! loaded-files (delete path loaded-files))
          (hash-set! loaded-texts path 'stale))))))

(define (answer-run-tests request)
  "Loads the tests again and runs them; returns the fields of the answer."
  (let* ((wanted (or (argument request #:tests) '()))
         (tally (make-tally wanted wanted 0 0 0 '() '() #f '())))
    (let ((answer
           (answer-work request 'run-tests
                        (lambda ()
                          (match (target request)
                            ((? string? path)
                             (call-renewing request path
                                            (lambda ()
                                              (call-as-driver path tally
                                                              (lambda ()
                                                                (call-counting-tests tally (lambda () (load-source path)))))
                                              (list #:outcome #:tested))))
                            (name
                             (answer-now (list #:outcome #:refused #:no-system (argument request #:system)))))))))
      (if (eq? (argument (cons #f answer) #:outcome) #:refused)
          answer
          (append answer (tally-facts tally))))))
