#lang racket/base
;; Running rackunit tests as `raco test` does: the submodule `test` of a file, else the file itself. Test cases, and checks outside of
;; them, are heard by the parameters that rackunit has for those who run tests. What `run-tests` makes of suites is counted in rackunit's
;; log, and told by what it prints.

(require racket/list racket/path racket/port racket/string
         "wire.rkt" "print.rkt" "agent.rkt" "work.rkt" "instrument.rkt" "stack.rkt")
(provide answer-run-tests)

(define most-failures 100)
(define most-names 200)
(define most-printed 400000)            ; characters of what run-tests prints that are looked at

;; How the tests go. `failures` are lists as they are sent, the last one first; `count` counts the suites of the file in hand.
(struct tally (wanted [unmatched #:mutable] [passed #:mutable] [failed #:mutable] [failures #:mutable] [names #:mutable]
                      [running #:mutable] [count #:mutable]))

(define (pass! tally)
  (set-tally-passed! tally (add1 (tally-passed tally))))

(define (fail! tally failure)
  (set-tally-failed! tally (add1 (tally-failed tally)))
  (when (< (length (tally-failures tally)) most-failures)
    (set-tally-failures! tally (cons failure (tally-failures tally)))))

(define (rackunit name [module 'rackunit])
  (parameterize ([current-namespace top-namespace])
    (dynamic-require module name)))

;; Whether the test called `name` is to run.
(define (wanted? tally name)
  (define wanted (tally-wanted tally))
  (set-tally-names! tally (cons name (tally-names tally)))
  (define (called? text)
    (or (equal? text name)
        ;; The start of names, with an asterisk after it.
        (and (string? name)
             (regexp-match? #rx".[*]$" text)
             (string-prefix? name (substring text 0 (sub1 (string-length text)))))))
  (set-tally-unmatched! tally (filter (lambda (text) (not (called? text))) (tally-unmatched tally)))
  (or (null? wanted) (and (ormap called? wanted) #t)))

;;; What a failure says

;; The facts of what was raised in the test `name`.
(define (failure-of name raised marks)
  (if (string? raised)
      (append (list 'name name 'description "" 'reason raised)
              (or (place-of-name name) (place-of-stack raised marks) '()))
      (failure-of-raised name raised marks)))

(define (failure-of-raised name raised marks)
  (define check? ((rackunit 'exn:test:check?) raised))
  (define infos
    (if check?
        (for/list ([info (in-list ((rackunit 'exn:test:check-stack) raised))])
          (cons ((rackunit 'check-info-name) info) ((rackunit 'check-info-value) info)))
        '()))
  (define (text-of value)
    (if (string? value) value ((rackunit 'info-value->string 'rackunit/private/check-info) value)))
  (define (info name)
    (define found (assq name infos))
    (and found (text-of (cdr found))))
  (define place (and check? (assq 'location infos) (location-of (cdr (assq 'location infos)))))
  (define frame (and (not place) (place-of-stack raised marks)))
  (append
   (list 'name name
         'description (or (info 'message) "")
         'reason (if check?
                     (string-append (or (info 'name) "check") " failed" (if (string=? (exn-message raised) "")
                                                                            ""
                                                                            (string-append ": " (exn-message raised))))
                     (string-append (exception-type raised) ": " (exception-text raised)))
         'form (info 'expression)
         'values (for/list ([info (in-list infos)]
                            #:unless (memq (car info) '(name location expression message params)))
                   (list (symbol->string (car info)) (text-of (cdr info)))))
   (or place (place-of-name name) frame '())
   (if check?
       '()
       (list 'frames (let ([own (filter (lambda (frame) (memq 'file frame)) (frame-facts (failure-frames raised marks)))])
                       (take own (min 3 (length own))))))))

(define file-in-hand (make-parameter #f)) ; the file whose tests run

;; Where the file in hand has a test case of that name: rackunit keeps the places of checks alone.
(define (place-of-name name)
  (define file (file-in-hand))
  (and file
       (call-with-input-file file
         (lambda (in)
           (define case (pregexp (format "\\(test-[a-z/*-]+\\s+~a" (regexp-quote (format "~s" name)))))
           (for/first ([line (in-lines in)] [number (in-naturals 1)] #:when (regexp-match? case line))
             (list 'file (path->string file) 'line number))))))

;; (list 'file path 'line line) of rackunit's record of a place.
(define (location-of info)
  (define location (vector-ref (struct->vector info) 1))
  (and (list? location)
       (or (path? (first location)) (string? (first location)))
       (list 'file (format "~a" (first location)) 'line (second location))))

(define (place-of-stack raised marks)
  (for/first ([frame (in-list (frame-facts (failure-frames raised marks)))] #:when (memq 'file frame))
    (list 'file (cadr (memq 'file frame)) 'line (cadr (memq 'line frame)))))

;; What is told of a test that has run for so many `milliseconds` and was left.
(define (too-long milliseconds)
  (format "It ran for ~a s and was stopped, so that the others could run. A larger timeout_seconds gives it more."
          (real->decimal-string (/ milliseconds 1000.0) 1)))

;;; Listening

;; Calls `thunk`, the test `name`, and notes how it goes.
(define (run-one tally name thunk)
  (when (wanted? tally name)
    (define before (tally-running tally))
    (define began (current-inexact-milliseconds))
    (define (begin! name)
      (set-tally-running! tally name)
      (test-in-hand name)
      (when name
        (send (list 'progress 'id (evaluation-id (current-evaluation)) 'text (string-append "testing " name) 'test name))))
    (begin! name)
    (define failure
      (let/ec return
        (call-with-exception-handler
         (lambda (raised)
           (cond [(not (exn:break? raised)) (return (list raised (marks-of raised (current-continuation-marks))))]
                 ;; The parent has asked to go on with the others.
                 [(equal? (skipped-test) name)
                  (skipped-test #f)
                  (return (list (too-long (- (current-inexact-milliseconds) began))
                                (marks-of raised (current-continuation-marks))))]
                 [else raised]))
         (lambda ()
           (thunk)
           #f))))
    (begin! before)
    (if failure
        (fail! tally (failure-of name (first failure) (second failure)))
        (pass! tally))))

;; The name of a check outside of tests: what it checks, and where.
(define (check-name)
  (define (info name)
    (define found ((rackunit 'check-info-ref 'rackunit/private/check-info) name))
    (and found ((rackunit 'check-info-value) found)))
  (define location (info 'location))
  (define place (and location (location-of location)))
  (cond [place (format "~a (line ~a)" (info 'name) (cadddr place))]
        [else (format "~a" (info 'name))]))

;; Calls `thunk`, in which tests run, with `tally` hearing of them and the string port `printed` of what they print.
(define (call-listening tally printed thunk)
  (define at-end '())
  (define (heard port)
    (define room most-printed)
    (define-values (write-others write-rest) (leaving-reports-out port))
    (set! at-end (cons write-rest at-end))
    (make-output-port 'tests port
                      (lambda (bytes start end block? breakable?)
                        (define count (min room (- end start)))
                        (write-bytes bytes printed start (+ start count))
                        (set! room (- room count))
                        (write-others bytes start end)
                        (- end start))
                      void))
  (with-parameters
   (list (cons (rackunit 'current-test-case-around)
               (lambda (thunk)
                 (run-one tally (or ((rackunit 'current-test-name)) "unnamed test") thunk)))
         (cons (rackunit 'current-check-around)
               (lambda (thunk)
                 (run-one tally (check-name)
                          (lambda ()
                            (with-parameters (list (cons (rackunit 'current-check-around) (lambda (thunk) (thunk)))) thunk)))))
         (cons current-output-port (heard (current-output-port)))
         (cons current-error-port (heard (current-error-port))))
   (lambda ()
     (dynamic-wind void thunk (lambda () (for ([write-rest (in-list at-end)]) (write-rest)))))))

(define (with-parameters settings thunk)
  (cond [(null? settings) (thunk)]
        [else
         (parameterize ([(caar settings) (cdar settings)])
           (with-parameters (cdr settings) thunk))]))

;; Two procedures: one writes to `port` what rackunit does not report, the other one the rest of it. rackunit tells each failure
;; between two dashed lines, and counts in a last one; both are told anyway. Only the beginning of a line that may be one of these is
;; kept back.
(define (leaving-reports-out port)
  (define line (open-output-bytes))
  (define in-report? #f)
  (define (end-line!)
    (define bytes (get-output-bytes line #t))
    (cond [(regexp-match? #px#"^-{20}\n$" bytes) (set! in-report? (not in-report?))]
          [in-report? (void)]
          [(regexp-match? #px#"^[0-9]+ success\\(es\\) [0-9]+ failure\\(s\\) [0-9]+ error\\(s\\) [0-9]+ test\\(s\\) run\n$" bytes) (void)]
          [else (write-bytes bytes port)]))
  (define (may-be-report?)
    (define bytes (get-output-bytes line))
    (or in-report? (regexp-match? #px#"^(-{1,20}|[0-9]+( .*)?)$" bytes)))
  (define (write-others bytes start end)
    (for ([byte (in-bytes bytes start end)])
      (write-byte byte line)
      (when (= byte 10)
        (end-line!)))
    (when (and (positive? (file-position line)) (not (may-be-report?)))
      (write-rest)))
  (define (write-rest)
    (define bytes (get-output-bytes line #t))
    (unless in-report?
      (write-bytes bytes port)))
  (values write-others write-rest))

;;; Suites that the file itself has run

;; Counts what `run-tests` has logged since `before`, a pair of the failures and all, and tells the failures that it has `printed`.
(define (count-suites! tally before printed)
  (define now ((rackunit 'test-log 'rackunit/log)))
  (define failed (- (car now) (car before)))
  (define all (- (cdr now) (cdr before)))
  (define told (printed-failures printed))
  (set-tally-passed! tally (+ (tally-passed tally) (- all failed)))
  (for ([number (in-range failed)])
    (fail! tally (if (< number (length told))
                     (list-ref told number)
                     (list 'name "a test of a suite" 'reason "run-tests counts it among those that failed.")))))

;; What the blocks between dashed lines say.
(define (printed-failures printed)
  (for*/list ([block (in-list (string-split printed "--------------------\n"))]
              [lines (in-value (string-split block "\n"))]
              [verdict (in-value (index-where lines (lambda (line) (member line '("FAILURE" "ERROR")))))]
              #:when (and verdict (<= verdict 1)))
    (define facts (drop lines (add1 verdict)))
    (define (fact name)
      (for/or ([line (in-list facts)])
        (define match (regexp-match (pregexp (format "^~a:\\s+(.*)$" name)) line))
        (and match (second match))))
    (define names (if (= verdict 1) (string-split (first lines) " > ") '("unnamed test")))
    (define place (regexp-match #px"^(.*):([0-9]+):[0-9]+$" (or (fact "location") "")))
    (append (list 'name (last names)
                  'description (string-join (drop-right names 1) " > ")
                  'reason (if (fact "name") (string-append (fact "name") " failed") (string-join facts "\n"))
                  'values (for*/list ([name (in-list '("message" "actual" "expected"))] [value (in-value (fact name))] #:when value)
                            (list name value)))
            (if place
                (list 'file (path->string (simple-form-path (second place))) 'line (string->number (third place)))
                '()))))

;;; Running

;; The files of tests that `request` is about, or #f: a file, or all of those of the collection in the root.
(define (files-of-tests request)
  (define target (target-of request))
  (define root (and target (for/first ([root (in-list (project-roots))] #:when (equal? target (build-path root "main.rkt"))) root)))
  (cond [(not target) #f]
        [(argument request 'path) (list target)]
        [root (modules-below root)]
        [else
         (define name (path-replace-extension target #""))
         (cons target
               (for*/list ([ending (in-list '("-test.rkt" "-tests.rkt"))]
                           [file (in-value (string->path (string-append (path->string name) ending)))]
                           #:when (file-exists? file))
                 file))]))

(define (modules-below directory)
  (for/list ([file (in-directory directory (lambda (path)
                                             (not (member (path->string (file-name-from-path path)) '("compiled" ".git")))))]
             #:when (and (path-has-extension? file #".rkt")
                         (not (equal? (path->string (file-name-from-path file)) "info.rkt"))))
    (simple-form-path file)))

;; Runs the tests of `file`, whose module `declare` declares in a fresh registry.
(define (run-file tally declare file)
  (define before ((rackunit 'test-log 'rackunit/log)))
  (define printed (open-output-string))
  (set-tally-count! tally (lambda () (count-suites! tally before (get-output-string printed))))
  (call-listening
   tally printed
   (lambda ()
     (parameterize ([file-in-hand file]
                    [current-directory (path-only file)])
       (run-module declare file))))
  (count-suites-of-file tally))

;; Counts the suites of the file in hand, once.
(define (count-suites-of-file tally)
  ((tally-count tally))
  (set-tally-count! tally void))

(define (answer-run-tests request)
  (define wanted (or (argument request 'tests) '()))
  (define the-tally (tally wanted wanted 0 0 '() '() #f void))
  (define answer
    (answer-work
     request 'run-tests
     (lambda (evaluation)
       (define files (files-of-tests request))
       (cond [(not files) (no-system request)]
             [else
              (call-with-modules
               (lambda (declare)
                 (for ([file (in-list files)])
                   (run-file the-tally declare file))))
              (list 'outcome 'tested)]))))
  ;; Those of a file that an exit or an error has ended.
  (count-suites-of-file the-tally)
  (if (eq? (argument (cons #f answer) 'outcome) 'refused)
      answer
      (append answer (tally-facts the-tally))))

(define (tally-facts tally)
  (define names (reverse (remove-duplicates (tally-names tally))))
  (append (list 'framework "rackunit"
                'passed (tally-passed tally) 'failed (tally-failed tally) 'skipped 0
                'failed-tests (reverse (tally-failures tally))
                'names (take names (min most-names (length names))) 'name-count (length names)
                'unmatched (tally-unmatched tally))
          (if (tally-running tally) (list 'running (tally-running tally)) '())))
