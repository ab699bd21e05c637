;;; Running the tests of files, of SRFI 64: a library that the project brings along.

(define most-failures 100)
(define most-names 200)

(define-record-type tally
  (fields
   wanted                               ; names of tests or groups, or () for all
   (mutable unmatched)                  ; those of them that have not come yet
   (mutable passed)
   (mutable failed)
   (mutable skipped)
   (mutable failures)                   ; as they are sent, the last one first
   (mutable names)                      ; the last one first
   (mutable running))                   ; the name of the test that runs, or #f
  (protocol (lambda (new) (lambda (wanted) (new wanted wanted 0 0 0 '() '() #f)))))

(define test-in-hand #f)                ; (name . start) of the running test, or #f

;; Ends the test called NAME, if it still runs, with an error that SRFI 64 takes for its failure.
(define (leave-test name)
  (when (and test-in-hand (equal? (car test-in-hand) name))
    (let ([time (time-difference (current-time) (cdr test-in-hand))])
      (set! test-in-hand #f)
      (raise (condition
              (make-error)
              (make-message-condition
               (format "It ran for ~,1f s and was stopped, so that the others could run. A larger timeout_seconds gives it more."
                       (+ (time-second time) (/ (time-nanosecond time) 1e9)))))))))

;; The environment of the SRFI 64 that there is, or #f.
(define (test-framework)
  (let ([name (find (lambda (name) (or (library-loaded? name) (library-path name)))
                    '((srfi :64 testing) (srfi :64) (srfi srfi-64)))])
    (and name (environment name))))

;; Calls THUNK, with TALLY told how the tests go that run meanwhile.
(define (call-counting-tests framework tally thunk)
  (define (of name)
    (top-level-value name framework))
  (define (group-path runner)
    ((of 'test-runner-group-path) runner))
  (define (note-start runner)
    (let ([name ((of 'test-runner-test-name) runner)])
      (tally-running-set! tally name)
      (set! test-in-hand (cons name (current-time)))
      (send `(:progress :id ,last-id :text ,(format "testing ~a" name) :test ,name))))
  ;; Whether `text` is among `names`, or one of them starts with what is before the asterisk at its end.
  (define (called? text names)
    (or (member text names)
        (let ([end (- (string-length text) 1)])
          (and (> end 0)
               (char=? #\* (string-ref text end))
               (exists (lambda (name)
                         (and (string? name) (>= (string-length name) end) (string=? (substring text 0 end) (substring name 0 end))))
                       names)))))
  (define (note-end runner)
    (let* ([name ((of 'test-runner-test-name) runner)] [called (cons name (group-path runner))] [wanted (tally-wanted tally)])
      (tally-running-set! tally #f)
      (set! test-in-hand #f)
      (tally-names-set! tally (cons name (tally-names tally)))
      (tally-unmatched-set! tally (remp (lambda (text) (called? text called)) (tally-unmatched tally)))
      (when (or (null? wanted) (exists (lambda (text) (called? text called)) wanted))
        (case ((of 'test-result-kind) runner)
          [(pass) (tally-passed-set! tally (+ (tally-passed tally) 1))]
          [(fail xpass)
           (tally-failed-set! tally (+ (tally-failed tally) 1))
           (tally-failures-set! tally (cons (failed-test runner name) (tally-failures tally)))]
          [else (tally-skipped-set! tally (+ (tally-skipped tally) 1))]))))
  (define (failed-test runner name)
    (let ([facts ((of 'test-result-alist) runner)])
      (define (text key)
        (let ([fact (assq key facts)])
          (if fact (list (list (symbol->string key) (short-text (cdr fact)))) '())))
      (define raised
        (let ([fact (assq 'actual-error facts)]) (and fact (cdr fact))))
      `(:name ,name :description ,(lines (group-path runner))
        :reason ,(cond
                   [(eq? ((of 'test-result-kind) runner) 'xpass) "It was expected to fail and passed."]
                   [raised (string-append (condition-type raised) ": " (condition-text raised 500))]
                   [else "The actual value is not the expected one."])
        :values ,(append (text 'expected-error) (text 'expected-value) (text 'actual-value))
        ,@(test-place-facts))))
  (define (counting-runner)
    (let ([runner ((of 'test-runner-null))])
      ((of 'test-runner-on-test-begin!) runner note-start)
      ((of 'test-runner-on-test-end!) runner note-end)
      runner))
  (let ([factory (of 'test-runner-factory)] [runner (of 'test-runner-current)])
    (let ([outer-factory (factory)] [outer-runner (runner)])
      (dynamic-wind
       (lambda ()
         (factory counting-runner)
         (runner #f))
       thunk
       (lambda ()
         (factory outer-factory)
         (runner outer-runner))))))

;; Where the test is that has just ended: in the file that is being loaded, as the stack says, else the form in hand.
(define (test-place-facts)
  (let* ([path (source-file-descriptor-path (evaluation-descriptor in-hand))]
         [here (exists (lambda (frame) (let ([place (frame-place frame)]) (and place (equal? (car place) path) place)))
                       (call/cc frames-of))])
    (place-facts (or here (place-in-hand)))))

(define (tally-facts tally)
  `(:framework "srfi-64" :passed ,(tally-passed tally) :failed ,(tally-failed tally) :skipped ,(tally-skipped tally)
    :failed-tests ,(first-of (reverse (tally-failures tally)) most-failures)
    :names ,(first-of (reverse (tally-names tally)) most-names)
    :unmatched ,(tally-unmatched tally)
    ,@(if (tally-running tally) `(:running ,(tally-running tally)) '())))

;; Loads the file at PATH, which is one of tests.
(define (load-tests path)
  (load-text path (file-text path) (lambda (path text load) (load))))

;; Loads the tests afresh and runs them.
(define (answer-run-tests request)
  (let* ([tally (make-tally (or (argument request ':tests) '()))]
         [answer (answer-work
                  request 'run-tests
                  (lambda ()
                    (call-with-target
                     request
                     (lambda (path)
                       (call-renewing
                        request path #t
                        (lambda ()
                          (call-apart
                           path
                           (lambda ()
                             (let ([framework (test-framework)] [run (lambda () (load-tests path))])
                               (if framework
                                   (call-counting-tests framework tally run)
                                   (run)))))
                          '(:outcome :tested)))))))])
    (if (eq? (cadr answer) ':refused)
        answer
        (append answer (tally-facts tally)))))

;;; Apart from the session

;; Calls THUNK, which runs the tests in the file at PATH: as in a fresh process in an environment that has only the
;; language, which leaves no trace in the session. Libraries that the file itself defines are nobody else's.
(define (call-apart path thunk)
  (let ([settings (current-settings)]
        [known? (member path loaded-files)]
        [tables (list loaded-texts loaded-contents)]
        [seed (random-seed)]
        [environment (or tests-environment (copy-environment (scheme-environment) #t))])
    (let ([before (map (lambda (table) (hashtable-ref table path #f)) tables)])
      (set! tests-environment #f)
      (dynamic-wind
       (lambda () (random-seed first-seed))
       (lambda ()
         (parameterize ([interaction-environment environment])
           (thunk)))
       (lambda ()
         (random-seed seed)
         (note-comprised path)
         (set! restored (put-back! settings))
         (for-each (lambda (name) (unless (equal? (found-path name) path) (forget! name))) (libraries-of path))
         (when (leaves-language? path)
           (parameterize ([interaction-environment environment])
             (for-each unbind! (session-names)))
           (set! tests-environment environment))
         (unless (or known? (pair? (libraries-of path)))
           (set! loaded-files (remove path loaded-files)))
         (for-each (lambda (table value)
                     (if value (hashtable-set! table path value) (hashtable-delete! table path)))
                   tables before))))))

(define first-seed (random-seed))
(define tests-environment #f)           ; one that has only the language, to be used again

;; Whether the names of the language mean what they do after the tests in the file at PATH.
(define (leaves-language? path)
  (let ([known (scheme-names)] [contents (contents-of path)])
    (and contents
         (null? (contents-parts contents))
         (for-all (lambda (one) (not (hashtable-contains? known (car one)))) (contents-kinds contents))
         (for-all (lambda (name)
                    (or (member name own-libraries)
                        (failsafe (constantly #f)
                                  (lambda ()
                                    (for-all (lambda (export) (not (hashtable-contains? known export))) (library-exports name))))))
                  (contents-imports contents)))))

;; The source file that an import of the library NAME finds, or #f.
(define (found-path name)
  (failsafe
   (constantly #f)
   (lambda ()
     (let-values ([(path compiled compiled?)
                   (default-library-search-handler 'load name (library-directories) (library-extensions))])
       path))))
