#lang racket/base
;; The agent inside a Racket worker: evaluates forms and says what became of it.
;;
;; The main thread speaks with the parent. Code runs in a thread of its own, so an interrupt is a request that comes meanwhile: the
;; thread is sent a break, and is killed when it does not listen; namespace and definitions stay. Each call has a new thread, with
;; the parameters that the one before has left, but for ports, printing, and what else an answer relies on.
;;
;; Code belongs to a custodian inside of another one, whose memory is limited: code can shut down the first, the limit only the second.

(require racket/list racket/path racket/string racket/udp
         "wire.rkt" "project.rkt" "print.rkt" "instrument.rkt" "stack.rkt" "objects.rkt" "code.rkt" "registry.rkt" "settings.rkt"
         "collections.rkt")
(provide (struct-out evaluation) current-evaluation prepare-session top-namespace
         answer-with-code answer-now keep-namespace read-next read-forms ours? add-roots! project-roots note-name!
         failure-frames marks-of test-in-hand skipped-test request-waiting? next-request module-name-text name-text known-modules
         module-path-of in-phase)

;;; The session

(define top-namespace #f)               ; the one of the prompt
(define session-namespace #f)           ; the one that the next call begins in
(define session-inspector #f)
(define heap-limit 0)                   ; in bytes: a third of the heap, since the collector copies it and counts on the way
(define first-memory 0)                 ; what the worker itself has, in bytes
(define limited #f)                     ; the custodian with the limit
(define custodian #f)                   ; the one inside it, which code has
(define cells #f)                       ; what earlier calls have made of parameters
(define declared (make-hash))           ; names of modules that were declared in the session
(define current-evaluation (make-parameter #f))
(define output #f)                      ; the ports that code writes to
(define errors #f)

(define (prepare-session heap-megabytes)
  (open-project!)
  (set! heap-limit (quotient (* heap-megabytes 1024 1024) 3))
  (set! session-inspector (make-inspector))
  (set! top-namespace (make-base-empty-namespace))
  (set! session-namespace top-namespace)
  ;; What structures the agent knows, the session makes.
  (dynamic-require 'racket #f)
  (namespace-attach-module (variable-reference->empty-namespace (#%variable-reference)) 'racket top-namespace)
  (parameterize ([current-namespace top-namespace])
    (namespace-require 'racket)
    (namespace-require 'racket/enter))
  (open-registries! top-namespace)
  (current-security-guard (asking-for-a-socket (current-security-guard)))
  (new-custodians)
  (open-ports)
  (set! first-memory (current-memory-use)))

(define (new-custodians)
  (set! limited (make-custodian))
  (when (custodian-memory-accounting-available?)
    (custodian-limit-memory limited heap-limit limited))
  (set! custodian (make-custodian limited)))

;; Ports on 1 and 2. Nothing is buffered, so that output is there after a crash, in its order.
(define (open-ports)
  (define (open path)
    (define port (open-output-file path #:exists 'append))
    (file-stream-buffer-mode port 'none)
    port)
  (set! output (open "/dev/fd/1"))
  (set! errors (open "/dev/fd/2")))

;; `guard`, but before the network is used a socket is made for nothing. Where the system refuses one, `udp-open-socket` raises, and
;; `tcp-connect` would free memory that it never had, which can end the image.
(define (asking-for-a-socket guard)
  (make-security-guard
   guard
   void
   (lambda (who host port role)
     (with-handlers ([exn:fail:network:errno?
                      (lambda (refusal)
                        (raise (exn:fail:network:errno (regexp-replace #rx"^[^:]*" (exn-message refusal) (symbol->string who))
                                                       (exn-continuation-marks refusal)
                                                       (exn:fail:network:errno-errno refusal))))])
       (parameterize ([current-security-guard guard])
         (udp-close (udp-open-socket)))))))

;; Notes that the session has declared a module called `name`.
(define (note-name! name)
  (when (current-evaluation)
    (hash-set! declared name #t)))

(define links '())                      ; those that the project's own collections had so far

;; Links the project's own collections, as their files say it now. Each thread of code has the links of the one before.
(define (link-collections!)
  (define now (append-map collection-links (project-roots)))
  (define others (remove* links (current-library-collection-links)))
  (set! links (remove-duplicates (append now links)))
  (current-library-collection-links (append now others)))

;;; One evaluation

;; `phase` is read, eval or print; `index` the form in hand, from 1; `start` where that begins, in characters.
;; `answer-with` leaves it with an answer; `enter` makes a namespace the session's; `visited` is that of this call alone.
(struct evaluation (id code port kind [phase #:mutable] [index #:mutable] [start #:mutable] [errors #:mutable]
                       answer-with enter [visited #:mutable]))


(define (in-phase phase)
  (set-evaluation-phase! (current-evaluation) phase))

;; Leaves the evaluation that is going on with `facts` as its answer.
(define (answer-now facts)
  ((evaluation-answer-with (current-evaluation)) facts))

(define (skip-to-form port)
  (define character (peek-char port))
  (cond [(eof-object? character) (void)]
        [(char-whitespace? character) (read-char port) (skip-to-form port)]
        [(char=? character #\;) (read-line port) (skip-to-form port)]))

;; The next form of the code, or an end-of-file object. Reading calls no code of others when `safe?`.
(define (read-next safe?)
  (define evaluation (current-evaluation))
  (define port (evaluation-port evaluation))
  (in-phase 'read)
  (skip-to-form port)
  (set-evaluation-index! evaluation (add1 (evaluation-index evaluation)))
  (set-evaluation-start! evaluation (position-in port))
  (read-one port (format "call-~a" (evaluation-id evaluation)) safe?))

(define (read-one port source safe?)
  (parameterize ([read-accept-reader (not safe?)] [read-accept-lang #f] [read-accept-compiled #f]
                 [current-readtable (if safe? #f (current-readtable))])
    (read-syntax source port)))

(define (position-in port)
  (define-values (line column position) (port-next-location port))
  (sub1 position))

;; The forms of the code, none of which is evaluated.
(define (read-forms)
  (let loop ([forms '()])
    (define form (read-next #f))
    (cond [(eof-object? form)
           (define evaluation (current-evaluation))
           (set-evaluation-index! evaluation (length forms))
           (in-phase 'eval)
           (reverse forms)]
          [else (loop (cons form forms))])))

(define (line-and-column code position)
  (for/fold ([line 1] [column 1]) ([character (in-string code 0 (min position (string-length code)))])
    (if (char=? character #\newline) (values (add1 line) 1) (values line (add1 column)))))

;; How many forms follow the one in hand, or #f when they cannot be read.
(define (forms-left evaluation)
  (with-handlers ([exn:fail? (lambda (_) #f)])
    (define port (open-input-string (substring (evaluation-code evaluation) (position-in (evaluation-port evaluation)))))
    (let loop ([count 0])
      (if (eof-object? (read-one port "rest" #t)) count (loop (add1 count))))))

;; Which form of the code was in hand, and where it is.
(define (place evaluation)
  (define code (evaluation-code evaluation))
  (define reading? (eq? (evaluation-phase evaluation) 'read))
  (define start (min (evaluation-start evaluation) (string-length code)))
  (define end (max start (min (position-in (evaluation-port evaluation)) (string-length code))))
  (define-values (line column) (line-and-column code start))
  (define-values (at-line at-column) (line-and-column code (max start (sub1 end))))
  (define left (and (not reading?) (forms-left evaluation)))
  (define text (substring code start end))
  (append (list 'phase (evaluation-phase evaluation) 'index (evaluation-index evaluation) 'line line 'column column
                'text (substring text 0 (min 300 (string-length text))))
          (if left (list 'total (+ left (evaluation-index evaluation))) '())
          (if reading? (list 'at-line at-line 'at-column at-column) '())))

;;; What went wrong

(define (marks-of raised marks)
  (if (exn? raised) (exn-continuation-marks raised) marks))

(define (failure-frames raised marks)
  (stack-frames (marks-of raised marks) ours?))

(define (read-error? raised)
  (exn:fail:read? raised))

(define (code-error? evaluation raised)
  (and (eq? (evaluation-phase evaluation) 'read) (eq? (evaluation-kind evaluation) 'eval) (read-error? raised)))

;; The first place that `raised` itself names.
(define (srcloc-of raised)
  (and (exn:srclocs? raised)
       (let ([places ((exn:srclocs-accessor raised) raised)])
         (for/first ([place (in-list places)] #:when (and (srcloc-line place) (ours? (srcloc-source place)))) place))))

;; What is told of `raised`, with the `frames` of its stack. The place is the one that it names, else that of the innermost frame in a
;; file, else the file that is being compiled.
(define (error-diagnostic raised frames)
  (define place (srcloc-of raised))
  (define source (and place (srcloc-source place)))
  (define frame
    (for/first ([facts (in-list frames)]
                #:when (let ([file (argument (cons #f facts) 'file)]) (and file (absolute-path? file))))
      facts))
  (append (list 'severity "error" 'type (exception-type raised) 'message (without-place (exception-text raised) place))
          (cond [(path? source)
                 (list 'file (path->string source) 'line (srcloc-line place) 'column (add1 (srcloc-column place)))]
                [frame (for*/list ([key (in-list '(file line column))] [part (in-list (list key (argument (cons #f frame) key)))]) part)]
                [(file-being-compiled)
                 => (lambda (file)
                      (append (list 'file (path->string file)) (place-of-circle raised file)))]
                [else '()])))

;; When `raised` says that modules require each other: where `file` requires the one that is being loaded.
(define (place-of-circle raised file)
  (define match (and (exn? raised) (regexp-match #rx"cycle in loading\n *at path: ([^\n]*)" (exn-message raised))))
  (define-values (directory name _) (split-path (if match (second match) file)))
  (define here
    (and match
         (call-with-input-file file
           (lambda (in)
             (for/or ([line (in-lines in)] [number (in-naturals 1)])
               (define at (regexp-match-positions (regexp-quote (path->string name)) line))
               (and at (list 'line number 'column (add1 (caar at)))))))))
  (or here '()))

;; `text` without the place that it begins with, which is told apart.
(define (without-place text place)
  (define match (and place (regexp-match #rx"^[^\n]*?:[0-9]+:[0-9]+: (.*)$" text)))
  (if match (cadr match) text))

;; What is said when `raised` is Racket's answer to a variable that has left its module; else #f.
(define (missing-variable raised)
  (define match
    (and (exn? raised)
         (regexp-match #px"^instantiate-linklet: mismatch;.*variable that is uninitialized.*name: (.*?)\n.*exporting instance: \"(.*?)\""
                       (exn-message raised))))
  (and match
       (format "~a: undefined;\n ~a does not define it any more" (second match) (name-text (string->path (third match))))))

(define (error-text evaluation raised)
  (define text (exception-text raised))
  (cond [(missing-variable raised) => values]
        [(not (code-error? evaluation raised)) (without-place text (srcloc-of raised))]
        [(exn:fail:read:eof? raised) "The code ends in the middle of a form."]
        [(regexp-match? #rx"#lang" text)
         (string-append "#lang begins the file of a module. Write the file and load it with load_system, or leave that line out: "
                        "the session evaluates in the language racket.")]
        [else (regexp-replace #rx"^read(-syntax)?: " (without-place text (srcloc-of raised)) "")]))

(define (failure evaluation raised marks)
  (define frames (frame-facts (failure-frames raised marks)))
  (define told? (or (read-error? raised) (exn:fail:syntax? raised)))
  (set-evaluation-errors! evaluation (list (error-diagnostic raised frames)))
  (list 'outcome 'error
        'error (list 'type (exception-type raised)
                     'message (error-text evaluation raised)
                     'frames (if told? '() frames)
                     'unclosed (and (code-error? evaluation raised) (exn:fail:read:eof? raised)))
        'place (place evaluation)))

(define (plain-failure evaluation type message)
  (list 'outcome 'error 'error (list 'type type 'message message) 'place (place evaluation)))

(define (interrupted evaluation marks)
  (list 'outcome 'interrupted
        'frames (if marks (frame-facts (stack-frames marks ours?)) '())
        'place (place evaluation)))

;;; Modules and namespaces

;; The name of a namespace: of that of a module its path, as `module-path-of` takes it.
(define (module-name-text namespace)
  (if (eq? namespace top-namespace)
      "top-level"
      (name-text (parameterize ([current-namespace namespace])
                   (variable-reference->module-source (eval #'(#%variable-reference)))))))

;; How a module is written that is called `name`: a path, a symbol, or a list of one and those of submodules.
(define (name-text name)
  (cond [(path? name)
         (define found
           (for/first ([root (in-list (project-roots))]
                       #:when (string-prefix? (path->string name) (path->string root)))
             (substring (path->string name) (string-length (path->string root)))))
         (or found (path->string name))]
        [(symbol? name) (format "'~a" name)]
        [(pair? name)
         (format "(submod ~a)" (string-join (cons (let ([base (name-text (car name))]) (if (path? (car name)) (format "~s" base) base))
                                                  (map symbol->string (cdr name)))))]
        [else "top-level"]))

(define (known-modules)
  (cons "top-level"
        (for/list ([name (in-hash-keys declared)]
                   #:when (or (symbol? name) (and (path? name) (ours? name))))
          (name-text name))))

;; The module path that `text` means: a file of the project, a quoted name, a library; #f for none.
(define (module-path-of text)
  (define file
    (for/first ([root (in-list (project-roots))]
                #:when (with-handlers ([exn:fail? (lambda (_) #f)]) (file-exists? (build-path root text))))
      (simple-form-path (build-path root text))))
  (or file
      (let ([path (with-handlers ([exn:fail? (lambda (_) #f)]) (read (open-input-string text)))])
        (define local
          (match-submodule path))
        (cond [local local]
              [(module-path? path) path]
              [else #f]))))

;; `path` with the file of a submodule found in the project.
(define (match-submodule path)
  (and (pair? path) (eq? (car path) 'submod) (list? path) (pair? (cdr path)) (string? (cadr path))
       (let ([file (module-path-of (cadr path))])
         (and file (list* 'submod file (cddr path))))))

;; The namespace that `text` names, or #f. A module is loaded when it is not.
(define (named-namespace text)
  (cond [(equal? text "top-level") top-namespace]
        [else
         (define path (module-path-of text))
         (and path
              (parameterize ([current-namespace top-namespace])
                (and (or (not (declared-name? path)) (hash-ref declared (cadr path) #f))
                     (with-handlers ([missing? (lambda (_) #f)])
                       (dynamic-require path #f)
                       (module->namespace path)))))]))

(define (declared-name? path)
  (and (pair? path) (eq? (car path) 'quote)))

(define (missing? raised)
  (or (exn:fail:filesystem:missing-module? raised) (exn:fail:filesystem? raised)))

;;; Running

;; What `function` answers for the code of `request`, which is work of that `kind`, in the module that it names.
(define (answer-with-code request function #:kind [kind 'eval])
  (define code (or (argument request 'code) ""))
  (define port (open-input-string code))
  (port-count-lines! port)
  (define result #f)                    ; the answer, once there is one
  (define result-cells #f)
  (define restored '())                 ; what was put back, in words
  (define the-evaluation #f)
  (when (or (port-closed? output) (port-closed? errors))
    (open-ports))
  (when (or (custodian-shut-down? limited) (custodian-shut-down? custodian))
    (new-custodians))
  (define (body)
    (when cells
      (current-preserved-thread-cell-values cells))
    (link-collections!)
    (define before (and (not (eq? kind 'eval)) (settings-now)))
    (let/ec leave
      (define evaluation
        (make-evaluation (argument request 'id) code port kind
                         (lambda (facts) (set! result facts) (leave (void)))
                         (lambda (namespace) (set! session-namespace namespace))))
      (set! the-evaluation evaluation)
      (with-settings evaluation
                     (lambda ()
                       (call-answering evaluation
                                       (lambda ()
                                         (enter-package (argument request 'package))
                                         (function evaluation))))))
    ;; What tests set is over with them, and what a load has set that failed.
    (when (or (eq? kind 'run-tests)
              (and (eq? kind 'load) result (eq? (argument (cons #f result) 'outcome) 'error)))
      (set! restored (put-back! before)))
    (set! result-cells (current-preserved-thread-cell-values)))
  (define thread-of-code
    (parameterize ([current-custodian custodian])
      (thread body)))
  (define killed-marks (supervise thread-of-code (argument request 'id)))
  (when result-cells
    (set! cells result-cells))
  (define answer
    (or result
        (cond [killed-marks (interrupted the-evaluation killed-marks)]
              [(custodian-shut-down? limited)
               (plain-failure the-evaluation "out of memory"
                              (format "The code kept more than the ~a MB that it may, or recursed too deep. It was ended; definitions are kept."
                                      (quotient heap-limit (* 1024 1024))))]
              [(custodian-shut-down? custodian)
               (plain-failure the-evaluation "custodian" "The code has shut down its custodian, and itself with it.")]
              [else (plain-failure the-evaluation "thread" "The code has killed the thread that it ran in.")])))
  (append answer
          (list 'package (module-name-text session-namespace))
          (if (and the-evaluation (not (eq? kind 'eval))) (list 'diagnostics (evaluation-errors the-evaluation)) '())
          (if (null? restored) '() (list 'restored restored))))

(define (make-evaluation id code port kind answer-with enter)
  (evaluation id code port kind 'read 0 0 '() answer-with enter #f))

;; Evaluates this call in the module that `name` means, if that is one.
(define (enter-package name)
  (when name
    (in-phase 'eval)
    (define namespace (named-namespace name))
    (unless namespace
      (answer-now (list 'outcome 'refused 'no-package name 'packages (known-modules))))
    (current-namespace namespace)
    (set-evaluation-visited! (current-evaluation) namespace)
    (in-phase 'read)))

;; A form has been evaluated: calls after this one begin where it has left to.
(define (keep-namespace)
  (define evaluation (current-evaluation))
  (unless (eq? (current-namespace) (evaluation-visited evaluation))
    ((evaluation-enter evaluation) (current-namespace))))

(define (with-settings evaluation thunk)
  (parameterize ([current-evaluation evaluation]
                 [current-namespace session-namespace]
                 [current-directory (project-root)]
                 [current-custodian custodian]
                 [current-inspector session-inspector]
                 [current-input-port (open-input-string "")]
                 [current-output-port output]
                 [current-error-port errors]
                 [current-compile (keeping-compile (instrumenting-compile (current-compile) ours?))]
                 [working-for (and (not (eq? (evaluation-kind evaluation) 'eval)) (evaluation-id evaluation))]
                 [compile-enforce-module-constants #f]
                 [compile-context-preservation-enabled #t]
                 [error-print-width 1000]
                 [exit-handler (leaving evaluation (current-thread))]
                 [uncaught-exception-handler (uncaught-exception-handler)])
    (thunk)))

;; The handler of `exit`: from there no way leads back.
(define ((leaving evaluation thread-of-code) status)
  (define outcome (case (evaluation-kind evaluation) [(run-tests) 'tested] [(load) 'loaded] [else #f]))
  (cond [(and outcome (eq? (current-thread) thread-of-code))
         ;; Scripts, and many a file of tests, end so, with the number of failures.
         (answer-now (list 'outcome outcome 'exit-status (exit-status status)))]
        [else
         (flush-output output)
         (send '(exit))
         (real-exit status)]))

(define real-exit (exit-handler))

;; The name of the test that runs, or #f; and that of the one that the parent has asked to leave.
(define the-test-in-hand (box #f))
(define the-skipped-test (box #f))
(define test-in-hand (case-lambda [() (unbox the-test-in-hand)] [(name) (set-box! the-test-in-hand name)]))
(define skipped-test (case-lambda [() (unbox the-skipped-test)] [(name) (set-box! the-skipped-test name)]))

(define (exit-status status)
  (if (and (exact-integer? status) (<= 1 status 255)) status 0))

;; Calls `thunk` where what it raises is the agent's to tell, and keeps its answer.
(define (call-answering evaluation thunk)
  (define facts
    (call-with-continuation-prompt
     (lambda ()
       (call-with-exception-handler
        (lambda (raised)
          (define marks (marks-of raised (current-continuation-marks)))
          (answer-now (if (exn:break? raised)
                          (interrupted evaluation marks)
                          (failure evaluation raised marks))))
        (lambda ()
          (with-continuation-mark 'lispwright-code #t
            (parameterize-break #t (thunk))))))
     (default-continuation-prompt-tag)
     (lambda _ (plain-failure evaluation "continuation" "The code has aborted to the prompt around it."))))
  (answer-now facts))

;;; Requests that come while code runs

(define waiting '())

;; Whether a request has come that nobody has answered.
(define (request-waiting?)
  (or (pair? waiting) (and (sync/timeout 0 (wrap-evt (requests-ready-evt) (lambda (_) #t))) #t)))

;; The next request, or #f when the parent is gone.
(define (next-request)
  (cond [(pair? waiting) (begin0 (car waiting) (set! waiting (cdr waiting)))]
        [else (receive-request)]))

(define patience 800)                   ; milliseconds that code has to listen to a break
(define glance 0.05)                    ; seconds from one look at the memory to the next

;; Waits for the end of `thread-of-code`, which works for request `id`, and heeds what the parent says meanwhile. The continuation
;; marks of a thread that had to be killed, else #f.
(define (supervise thread-of-code id)
  (define (named event name)
    (wrap-evt event (lambda (_) name)))
  (let wait ([alarm never-evt] [next-collection 0])
    (case (sync/timeout glance
                        (named (thread-dead-evt thread-of-code) 'dead)
                        (named (requests-ready-evt) 'request)
                        (named alarm 'alarm))
      [(dead) #f]
      [(alarm)
       (define marks (continuation-marks thread-of-code))
       (kill-thread thread-of-code)
       marks]
      [(request)
       (define request (receive-request))
       (cond [(not request) (real-exit 0)]
             [(and (eq? (car request) 'interrupt) (eqv? (argument request 'id) id))
              (break-thread thread-of-code)
              (wait (alarm-evt (+ (current-inexact-milliseconds) patience)) next-collection)]
             [(eq? (car request) 'skip)
              (when (and (eqv? (argument request 'id) id)
                         (test-in-hand)
                         (equal? (test-in-hand) (argument request 'test)))
                (skipped-test (test-in-hand))
                (break-thread thread-of-code))
              (wait alarm next-collection)]
             [else
              (unless (eq? (car request) 'interrupt)
                (set! waiting (append waiting (list request))))
              (wait alarm next-collection)])]
      [else
       (define now (current-inexact-milliseconds))
       ;; Only a major collection finds out what a custodian has.
       (cond [(and (> (- (current-memory-use) first-memory) heap-limit) (> now next-collection))
              (collect-garbage)
              (wait alarm (+ (current-inexact-milliseconds) (* 5 (- (current-inexact-milliseconds) now))))]
             [else (wait alarm next-collection)])])))
