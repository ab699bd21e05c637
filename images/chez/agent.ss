;;; The agent inside a Chez worker: reads requests, evaluates forms, answers.
;;;
;;; Code is compiled with what the inspector asks for, so that frames have names, places and variables, and one thread does
;;; all of it. An interrupt is a signal, whose handler Chez calls between two steps of the code.
;;;
;;; After this file come held.ss (stacks that are kept), look.ss (macros, objects), describe.ss (names), work.ss, which
;;; loads files and runs tests, references.ss (who refers to names) and copies.ss (checkpoints).

;;; One evaluation

(define-record-type evaluation
  (fields
   text                                 ; the code
   descriptor                           ; what places in it refer to
   port                                 ; a port over it
   kind                                 ; eval, load or run-tests
   (mutable phase)                      ; :read, :eval or :print
   (mutable index)                      ; the form in hand, from 1
   (mutable start)                      ; where it starts, in characters
   (mutable end)                        ; where it ends
   (mutable hold)                       ; the stack of an error is kept
   (mutable stopped)                    ; the answer to the interrupt that has come
   (mutable leave)                      ; what is called with the answer
   (mutable diagnostics))               ; what was found on the way
  (protocol
   (lambda (new)
     (lambda (name text kind hold)
       (let ([descriptor (make-source-file-descriptor name (open-bytevector-input-port (string->utf8 text)))])
         (hashtable-set! source-texts descriptor text)
         (new text descriptor (open-input-string text) kind ':read 0 0 0 hold #f #f '()))))))

(define current #f)                     ; the evaluation that is going on
(define waiting '())                    ; requests that came during one
(define last-id #f)                     ; of the request that is being served
(define message-limit 4000)

;; Leaves the evaluation that is going on with FACTS as its answer.
(define (answer-now facts)
  ((evaluation-leave current) facts))

;;; Forms

;; Moves over blanks and line comments from AT on; where the next form starts.
(define (form-start port at)
  (let ([character (peek-char port)])
    (cond
      [(eof-object? character) at]
      [(char-whitespace? character)
       (read-char port)
       (form-start port (+ at 1))]
      [(char=? character #\;)
       (let loop ([at at])
         (if (memv (read-char port) (list #\newline (eof-object)))
             (form-start port (+ at 1))
             (loop (+ at 1))))]
      [else at])))

;; The next form of EVALUATION with its places, or an end-of-file object.
(define (read-form evaluation)
  (let ([port (evaluation-port evaluation)])
    (evaluation-phase-set! evaluation ':read)
    (evaluation-index-set! evaluation (+ (evaluation-index evaluation) 1))
    (evaluation-start-set! evaluation (form-start port (evaluation-end evaluation)))
    (evaluation-end-set! evaluation (string-length (evaluation-text evaluation)))
    (let-values ([(form end) (get-datum/annotations port (evaluation-descriptor evaluation) (evaluation-start evaluation))])
      (evaluation-end-set! evaluation end)
      form)))

;; Reads the forms one after the other and calls EVALUATE with each; the list of the last one's values.
(define (evaluate-forms evaluation evaluate)
  (let loop ([values '()])
    (let ([form (read-form evaluation)])
      (if (eof-object? form)
          values
          (begin
            (evaluation-phase-set! evaluation ':eval)
            (let ([values (call-with-retry (lambda () (evaluate form)))])
              (settle)
              (loop values)))))))

;; The list of FORM's values in ENVIRONMENT.
(define (evaluate-form form environment)
  (call-with-values (lambda () (call-in-code (lambda () ((current-eval) form environment)))) list))

;; Handles what came meanwhile: a signal ends a wait early, so that the work may be through before the interrupt is. Chez
;; calls the handlers of signals when procedures are called.
(define (settle)
  (allow-interrupts)
  (handle-frames)
  (let loop ([count 100])
    (unless (zero? count)
      (loop (- count 1)))))

;;; What went wrong

;; How many forms follow the one in hand, or #f when they cannot be read.
(define (forms-left evaluation)
  (failsafe
   (constantly #f)
   (lambda ()
     (let* ([text (evaluation-text evaluation)]
            [port (open-input-string (substring text (evaluation-end evaluation) (string-length text)))])
       (let loop ([count 0])
         (if (eof-object? (read port)) count (loop (+ count 1))))))))

;; Which form of the code was in hand, and where it is.
(define (place evaluation)
  (let* ([text (evaluation-text evaluation)]
         [reading? (eq? (evaluation-phase evaluation) ':read)]
         [start (evaluation-start evaluation)]
         [left (and (not reading?) (forms-left evaluation))]
         [at (line-and-column text start)])
    `(:phase ,(evaluation-phase evaluation) :index ,(evaluation-index evaluation)
      :line ,(car at) :column ,(cadr at)
      :text ,(cut-text (substring text start (max start (evaluation-end evaluation))) 300)
      ,@(if left `(:total ,(+ left (evaluation-index evaluation))) '())
      ,@(if reading?
            (let ([at (line-and-column text (max start (- (port-position (evaluation-port evaluation)) 1)))])
              `(:at-line ,(car at) :at-column ,(cadr at)))
            '()))))

;; True when CONDITION is the reader's, about the text of the code in hand.
(define (code-error? evaluation condition)
  (and (eq? (evaluation-phase evaluation) ':read) (lexical-violation? condition)))

(define (unclosed? evaluation condition)
  (and (code-error? evaluation condition)
       (starts-with? (condition-message condition) "unexpected end-of-file")))

;; What is sent of CONDITION, with the FRAMES of its stack.
(define (error-facts evaluation condition frames)
  (let ([unclosed (and (eq? (evaluation-kind evaluation) 'eval) (unclosed? evaluation condition))])
    `(:type ,(condition-type condition)
      :message ,(if unclosed "The code ends in the middle of a form." (condition-text condition message-limit))
      :frames ,(if (or (code-error? evaluation condition) (syntax-violation? condition)) '() (folded-facts frames))
      :unclosed ,unclosed)))

(define (failure evaluation condition frames)
  (note-diagnostic evaluation (condition-diagnostic "error" condition frames))
  `(:outcome :error :error ,(error-facts evaluation condition frames) :place ,(place evaluation)))

;; Keeps DIAGNOSTIC, a list as it is sent. What libraries are warned of comes twice.
(define (note-diagnostic evaluation diagnostic)
  (let ([known (evaluation-diagnostics evaluation)])
    (unless (member diagnostic known)
      (evaluation-diagnostics-set! evaluation (cons diagnostic known)))))

;; What is sent of CONDITION as something that is wrong with a text.
(define (condition-diagnostic severity condition frames)
  (let* ([source (condition-source condition)]
         [place (if source
                    (source-place (car source) (cdr source))
                    (let ([frame (find frame-source frames)])
                      (if frame (frame-place frame) (or (and in-hand (import-place condition)) (place-in-hand)))))])
    `(:severity ,severity :type ,(condition-type condition) :message ,(condition-text condition message-limit)
      ,@(place-facts place))))

;; Called where CONDITION was raised, when nothing in the evaluated code has handled it. What it returns for a warning, or
;; when a held stack goes on, is what `raise-continuable' returns. What fails while an interrupt ends the code is not told.
(define (handle-condition condition)
  (let ([evaluation current])
    (cond
      [(not (main-thread?)) (end-thread condition)]
      [(not evaluation) (raise-continuable condition)]
      [(evaluation-stopped evaluation) => answer-now]
      [(and (warning? condition) (not (serious-condition? condition)))
       (note-diagnostic evaluation (condition-diagnostic "warning" condition '()))]
      [else
       (call/cc
        (lambda (k)
          (let* ([frames (frames-of k)] [answer (failure evaluation condition frames)])
            (if (holdable? evaluation)
                (hold evaluation answer frames (continuable? k))
                (answer-now answer)))))])))

;; Ends the evaluation that is going on; its state stays. What it does on its way out can be interrupted as well.
(define (handle-interrupt)
  (let ([evaluation current])
    (when (and evaluation (main-thread?))
      (allow-interrupts)
      (cond
        [(evaluation-stopped evaluation) => answer-now]
        [else
         (call/cc
          (lambda (k)
            (let ([frames (frames-of k)])
              ;; To say where it was may take user code that prints, and may be interrupted.
              (evaluation-stopped-set! evaluation `(:outcome :interrupted :frames () :place ,(place evaluation)))
              (let ([answer `(:outcome :interrupted :frames ,(folded-facts frames) :place ,(place evaluation))])
                (evaluation-stopped-set! evaluation answer)
                (if (holdable? evaluation)
                    (hold evaluation answer frames #f)
                    (answer-now answer))))))]))))

;;; Other threads

(define main-thread (get-thread-id))    ; the one that evaluates

(define (main-thread?)
  (eqv? (get-thread-id) main-thread))

;; Reports CONDITION, which nothing in a thread of the code has handled, and ends the thread: by its outermost continuation,
;; without what is to be done when the evaluation is left that has started it.
(define (end-thread condition)
  (call/cc
   (lambda (k)
     (fprintf (console-error-port) "Thread ~a has ended: ~a\n" (get-thread-id) (condition-text condition message-limit))
     (let loop ([frame (inspect/object k)])
       (let ([outer (frame 'link)])
         (cond
           [(eq? (outer 'type) 'continuation) (loop outer)]
           [else
            (($primitive $current-winders) '())
            ((frame 'value) (void))]))))))

;; Reads what came from the parent during an evaluation: an interrupt, or its end.
(define (handle-frames)
  (when (and current (request-waiting?))
    (let ([request (receive-request)])
      (cond
        [(not request) (die)]
        [(eq? (car request) ':skip)
         (when (eqv? (argument request ':id) last-id)
           (leave-test (argument request ':test)))]
        [(not (eq? (car request) ':interrupt)) (set! waiting (append waiting (list request)))]
        [(eqv? (argument request ':id) last-id) (handle-interrupt)])
      (handle-frames))))

;;; Evaluation

;; What the agent needs of parameters that code can set.
(define (restore-parameters)
  (allow-interrupts)
  (restore-ports)
  (install-signals handle-frames handle-interrupt)
  (exit-handler leave)
  (abort-handler (case-lambda [() (leave 255)] [(status) (leave status)]))
  (reset-handler (lambda () (error #f "the code has called reset, and there is no prompt to go back to")))
  (base-exception-handler handle-condition)
  (set! measured (bytes-allocated))
  (collect-request-handler
   (lambda ()
     (collect)
     (when (and current (main-thread?))
       (refuse-excess)))))

;; Has code compiled so that its frames are those of the source: no procedure is built into another, and an error is no tail call.
(define (prepare-compiler)
  (generate-inspector-information #t)
  (debug-level 3)
  (compile-interpret-simple #f)
  (cp0-effort-limit 0)
  (enable-cross-library-optimization #f))

;;; Limits

(define megabyte (* 1024 1024))
(define heap-megabytes 1024)            ; the size of the heap
(define deepest-recursion 10000000)     ; calls in each other: more are taken for endless
(define measured 0)                     ; octets in use when the depth of the stack was looked at last

;; Fails when the code that runs has filled the heap or the stack, which is a part of it.
(define (refuse-excess)
  (define (refuse text)
    (raise (condition (make-implementation-restriction-violation) (make-message-condition text))))
  (when (> (bytes-allocated) (+ measured (* 128 megabyte)))
    (set! measured (bytes-allocated))
    (when (> (call/cc (lambda (k) ((inspect/object k) 'depth))) deepest-recursion)
      (refuse (format "the stack is full: more than ~a calls in each other" deepest-recursion))))
  (when (heap-full?)
    (refuse (format "the heap is full: more than ~a megabytes are in use" (quotient heap-megabytes 2)))))

;; True when more than half of the heap is in use: the collector copies it into the other half.
(define (heap-full?)
  (define (full?)
    (> (bytes-allocated) (* (quotient heap-megabytes 2) megabyte)))
  (and (full?)
       (begin
         (collect (collect-maximum-generation))
         (full?))))

;; What THUNK returns, or the answer that left it: an error, an interrupt.
(define (run evaluation thunk)
  (call/cc
   (lambda (leave)
     (evaluation-leave-set! evaluation leave)
     (with-exception-handler handle-condition
       (lambda ()
         (set! current evaluation)
         (watch-requests #t)
         (let ([answer (thunk)])
           (settle)
           answer))))))

;; What FUNCTION answers for EVALUATION, with its warnings and the diagnostics.
(define (answer-with evaluation function)
  (restore-parameters)
  (forget-unfinished)
  (let ([answer (run evaluation (lambda () (function evaluation)))])
    (set! current #f)
    (watch-requests #f)
    (allow-interrupts)
    (flush-ports)
    (append answer
            (if (eq? (evaluation-kind evaluation) 'eval)
                `(:warnings ,(warnings evaluation))
                `(:diagnostics ,(reverse (evaluation-diagnostics evaluation)))))))

(define (warnings evaluation)
  (fold-left (lambda (found diagnostic)
               (if (equal? (cadr (memq ':severity diagnostic)) "warning")
                   (cons (list (cadr (memq ':type diagnostic)) (cadr (memq ':message diagnostic))) found)
                   found))
             '()
             (evaluation-diagnostics evaluation)))

;; What FUNCTION answers for the evaluation of the code in REQUEST and the environment that it names.
(define (answer-with-code request function)
  (let ([package (argument request ':package)]
        [evaluation (make-evaluation (format "call-~a" (argument request ':id)) (or (argument request ':code) "") 'eval
                                     (argument request ':hold))])
    (answer-with
     evaluation
     (lambda (evaluation)
       ;; To find a library may load it, which is not yet the code of the call.
       (evaluation-phase-set! evaluation ':eval)
       (let ([environment (if package (library-environment package) (interaction-environment))])
         (evaluation-phase-set! evaluation ':read)
         (if environment
             (function evaluation environment)
             `(:outcome :refused :no-package ,package :packages ,(map short-text (known-libraries)))))))))

(define (answer-eval request)
  (answer-with-code
   request
   (lambda (evaluation environment)
     (answer-values evaluation request
                    (evaluate-forms evaluation (lambda (form) (evaluate-form form environment)))))))

;; The answer that gives VALUES.
(define (answer-values evaluation request values)
  (evaluation-phase-set! evaluation ':print)
  `(:outcome :completed
    :values ,(print-values values (or (argument request ':limit) 10000) (argument request ':print-level)
                           (argument request ':print-length))
    ,@(preview-facts values)))

;; ((text cut) ...) of VALUES, in at most LIMIT characters in all.
(define (print-values values limit level length)
  (if (null? values)
      '()
      (let ([text (value-text (car values) (max limit 0) level length)])
        (cons text (print-values (cdr values) (- limit (string-length (car text))) level length)))))

;; Ends the process as evaluated code has asked for. Scripts, and many a file of tests, end so, with the number of failures.
(define leave
  (case-lambda
    [() (leave 0)]
    [(status . _)
     (let ([status (cond [(and (integer? status) (exact? status)) (logand status 255)] [(eq? status (void)) 0] [else 1])]
           [outcome (and current (assq (evaluation-kind current) '((run-tests . :tested) (load . :loaded))))])
       (if outcome
           (answer-now `(:outcome ,(cdr outcome) :exit-status ,status))
           (begin
             (flush-ports)
             (send '(:exit))
             (c-exit status))))]))

(define c-exit (foreign-procedure "exit" (int) void))

;;; Libraries as environments

(define library-environments '())       ; ((name . environment) ...): where code of the call's package was evaluated

;; The name of a library that TEXT writes, also without its parentheses; #f for none.
(define (library-name text)
  (failsafe
   (constantly #f)
   (lambda ()
     (let* ([port (open-input-string text)]
            [data (let loop ([data '()])
                    (let ([datum (read port)])
                      (if (eof-object? datum) (reverse data) (loop (cons datum data)))))]
            [name (if (and (pair? data) (null? (cdr data)) (pair? (car data))) (car data) data)])
       (and (pair? name) (for-all symbol? name) name)))))

;; What the library that TEXT names exports, on top of the language; loaded when it is not. What is defined there stays there.
;; #f when there is no such library.
(define (library-environment text)
  (let* ([name (library-name text)] [known (assoc name library-environments)])
    (cond
      [known (cdr known)]
      [(member name '((*top*) (interaction-environment))) (interaction-environment)]
      [(and name (or (library-loaded? name) (library-path name)))
       (let ([environment (copy-environment (scheme-environment) #t)])
         (call-in-code (lambda () (eval `(import ,name) environment)))
         (set! library-environments (cons (cons name environment) library-environments))
         environment)]
      [else #f])))

;;; Requests

;; The fields of the answer to REQUEST; `answered' when it has been sent, #f for an unknown operation.
(define (answer request)
  (case (car request)
    [(:eval) (if (argument request ':trial) (answer-trial request) (answer-eval request))]
    [(:checkpoint) (answer-checkpoint request)]
    [(:rollback) (answer-rollback request)]
    [(:inspect) (answer-inspect request)]
    [(:macroexpand) (answer-macroexpand request)]
    [(:describe) (answer-describe request)]
    [(:references) (answer-references request)]
    [(:exports) (answer-exports request)]
    [(:loaded-files) (answer-loaded-files request)]
    [(:load) (answer-load request)]
    [(:run-tests) (answer-run-tests request)]
    [(:held) (answer-held)]
    [(:frames) (answer-frames request)]
    [(:locals) (answer-locals request)]
    [(:eval-in-frame) (answer-eval-in-frame request)]
    [(:restart) (answer-restart request)]
    [(:abort) (answer-abort)]
    [(:ping) '()]
    [else #f]))

;; Sends the answer to the request that is being served: a continuation of an earlier request may have come this way.
(define (send-done facts)
  (send `(:done :id ,last-id ,@facts :package ,(environment-text) :next-object ,next-object :held ,(length held-stacks)
          :checkpoints ,(checkpoint-names))))

;; The name of the session's environment: of those that Chez has, only the first have one.
(define (environment-text)
  (let* ([text (format "~a" (interaction-environment))] [start (text-index text " " 0)])
    (if start (substring text (+ start 1) (- (string-length text) 1)) text)))

(define (next-request)
  (if (null? waiting)
      (receive-request)
      (let ([request (car waiting)])
        (set! waiting (cdr waiting))
        request)))

;; Answers requests until the parent is gone; a failure of the agent itself is an answer too.
(define (serve)
  (let ([request (next-request)])
    (when request
      (unless (memq (car request) '(:interrupt :skip)) ; It came too late.
        (set! last-id (argument request ':id))
        (set! next-object (max next-object (or (argument request ':next-object) 1)))
        (let ([message (guard (condition [#t `(:fault :id ,last-id :message ,(condition-text condition message-limit))])
                         (answer request))])
          (cond
            [(not message)
             (send `(:unsupported :id ,last-id :operation ,(string-upcase (substring* (symbol->string (car request)) 1))))]
            [(eq? message 'answered)]
            [(and (pair? message) (eq? (car message) ':fault)) (send message)]
            [else (send-done message)])))
      (serve))))

(define (substring* text start)
  (substring text start (string-length text)))

;; What a worker runs, with a heap of so many megabytes.
(define (main heap)
  (set! heap-megabytes heap)
  (open-protocol)
  (open-standard-ports)
  (c-fcntl requests f-setown own-pid)
  (prepare-compiler)
  (prepare-libraries)
  (note-while-expanding)
  (restore-parameters)
  (send `(:hello :protocol 1 :implementation "Chez Scheme" :version ,(version-text) :pid ,own-pid))
  (serve)
  (die))

(define (version-text)
  (let-values ([(major minor patch) (scheme-version-number)])
    (format "~a.~a.~a" major minor patch)))
