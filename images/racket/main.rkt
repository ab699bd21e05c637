#lang racket/base
;; What a worker runs: answers requests until the parent is gone. agent.rkt says how code is evaluated.

(require racket/os "wire.rkt" "print.rkt" "objects.rkt" "agent.rkt" "renewal.rkt" "look.rkt" "names.rkt" "work.rkt" "tests.rkt")
(provide main answer-eval)

;; Evaluates the code; its last form's values.
(define (answer-eval request)
  (answer-with-code
   request
   (lambda (evaluation)
     (define safe? (argument request 'safe-read))
     (define results
       (let loop ([results '()])
         (define form (read-next safe?))
         (cond [(eof-object? form) results]
               [else
                (in-phase 'eval)
                (define values (call-with-values (lambda () (eval-form form)) list))
                (keep-namespace)
                (loop values)])))
     (in-phase 'print)
     ;; As at Racket's own prompt.
     (define shown (filter (lambda (value) (not (void? value))) results))
     (append (list 'outcome 'completed
                   'values (print-values shown (or (argument request 'limit) 10000)
                                         (argument request 'print-level) (argument request 'print-length)))
             (preview shown)))))

;; The values of `form`, evaluated with a prompt around it as at Racket's own.
(define (eval-form form)
  (call-with-continuation-prompt
   (lambda () (eval form))
   (default-continuation-prompt-tag)
   (lambda (thunk) (thunk))))

(define (print-values results limit level length)
  (let loop ([results results] [limit limit])
    (if (null? results)
        '()
        (let ([text (value-text (car results) (max limit 0) level length)])
          (cons text (loop (cdr results) (- limit (string-length (car text)))))))))

(define operations
  (hasheq 'eval answer-eval
          'inspect answer-inspect
          'macroexpand answer-macroexpand
          'describe answer-describe
          'references answer-references
          'exports answer-exports
          'loaded-files answer-loaded-files
          'load answer-load
          'run-tests answer-run-tests))

;; Answers `request`; a failure of the agent itself is an answer too.
(define (answer request)
  (define id (argument request 'id))
  (define operation (hash-ref operations (car request) #f))
  (define (done facts)
    (send (append (list 'done 'id id) facts (list 'next-object (next-object) 'held 0))))
  (cond [operation
         (with-handlers ([exn:fail? (lambda (failure) (send (list 'fault 'id id 'message (exception-text failure))))])
           (done (operation request)))]
        [(eq? (car request) 'ping) (done '())]
        ;; It came too late.
        [(memq (car request) '(interrupt skip)) (void)]
        [else (send (list 'unsupported 'id id 'operation (symbol->string (car request))))]))

(define (serve)
  (define request (next-request))
  (when request
    (next-object! (or (argument request 'next-object) 1))
    (answer request)
    (serve)))

;; `heap` is in megabytes; `port` is open on the requests already, or #f.
(define (main heap port)
  ;; A signal breaks this thread, which is not the one that evaluates.
  (break-enabled #f)
  (open-protocol port)
  (prepare-session heap)
  (prepare-renewal!)
  (send (list 'hello 'protocol 1 'implementation "Racket" 'version (version) 'pid (getpid)))
  ;; Whoever waits for this worker has sent a request by now; a spare has the time.
  (unless (request-waiting?)
    (warm-up))
  (serve)
  (exit 0))

;; Evaluates once what every session does, so that the first request finds the languages visited.
(define (warm-up)
  (for ([code (in-list '("(let ([f (lambda (x) (list x \"a\"))]) (f 1))" "(car 1)"))])
    (answer-eval (list 'eval 'id 0 'code code)))
  (forget-objects))

