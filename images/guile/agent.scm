;;;; The agent inside a Guile worker: reads requests, evaluates forms, answers.
;;;;
;;;; images/README.md describes the wire. The agent must keep answering after anything that evaluated code does to
;;;; ports, reader, printer, modules or the stack, so nothing here relies on a parameter that code can set.
;;;;
;;;; A form with a lambda in it is compiled, so that its procedures are fast and their frames have names, lines and
;;;; variables; other forms are interpreted, which takes microseconds instead of a millisecond.
;;;;
;;;; The files after this one: warnings.scm (compiler warnings), work.scm, which loads files and runs tests, look.scm
;;;; (macros, objects), describe.scm (names), references.scm (references to names), held.scm (held stacks) and
;;;; copies.scm (checkpoints).

;;; One evaluation

(define-record-type evaluation
  (make-evaluation code octets port)
  evaluation?
  (code evaluation-code)                ; the text
  (octets evaluation-octets)            ; the text in UTF-8; the port's positions count its octets
  (port evaluation-port)                ; a port over it
  (phase evaluation-phase set-evaluation-phase!) ; read, eval or print
  (index evaluation-index set-evaluation-index!) ; the current form, from 1
  (start evaluation-start set-evaluation-start!) ; where it starts, in octets
  (stopping? evaluation-stopping? set-evaluation-stopping!) ; an interrupt has come
  (hold evaluation-hold set-evaluation-hold!) ; the stack of an error is kept
  (continuable? evaluation-continuable? set-evaluation-continuable!) ; the last exception was raised as continuable
  (kind evaluation-kind set-evaluation-kind!) ; eval, or the kind of work without code: load or run-tests
  (errors evaluation-errors set-evaluation-errors!)) ; diagnostics of the error that ended it

(define current #f)                     ; the current evaluation
(define waiting '())                    ; requests that came during it; only the first evaluation of a worker meets any
(define answer-tag (make-prompt-tag "answer"))
(define message-limit 4000)

(define (new-evaluation id code)
  (let ((evaluation (make-evaluation code (string->utf8 code) (open-input-string code))))
    (set-port-filename! (evaluation-port evaluation) (string-append "call-" (number->string id)))
    (set-evaluation-phase! evaluation 'read)
    (set-evaluation-index! evaluation 0)
    (set-evaluation-start! evaluation 0)
    (set-evaluation-kind! evaluation 'eval)
    (set-evaluation-hold! evaluation #f)
    (set-evaluation-errors! evaluation '())
    evaluation))

(define (answer-now facts)
  "Ends the current evaluation with FACTS as its answer."
  (abort-to-prompt answer-tag facts))

(define (skip-to-form port)
  "Moves PORT over blanks and line comments."
  (match (peek-char port)
    ((? eof-object?) #f)
    ((? char-whitespace?)
     (read-char port)
     (skip-to-form port))
    (#\;
     (let loop ()
       (unless (memv (read-char port) (list #\newline the-eof-object))
         (loop)))
     (skip-to-form port))
    (_ #t)))

(define the-eof-object (read-char (open-input-string "")))

(define (read-form port safe?)
  "The next form with its places, or an end-of-file object. When SAFE?, reader extensions of code are disabled."
  (if safe?
      (with-fluids ((%read-hash-procedures '()))
        (read-syntax port))
      (read-syntax port)))

(define lambda-vtable (struct-vtable (macroexpand '(lambda () #t))))
(define constant-vtable (struct-vtable (macroexpand ''constant)))

(define (field-count struct)
  (quotient (string-length (symbol->string (struct-ref (struct-vtable struct) vtable-index-layout))) 2))

(define (needs-compiling? tree)
  "True when TREE, a result of the expander, contains a lambda. Quoted parts are not examined."
  (let loop ((agenda (list tree)))
    (if (null? agenda)
        #f
        (let ((part (car agenda)) (agenda (cdr agenda)))
          (cond ((pair? part) (loop (cons* (car part) (cdr part) agenda)))
                ((or (not (macroexpanded? part)) (eq? (struct-vtable part) constant-vtable)) (loop agenda))
                ((eq? (struct-vtable part) lambda-vtable) #t)
                (else
                 ;; The first field is the place in the source.
                 (loop (let push ((field (1- (field-count part))) (agenda agenda))
                         (if (positive? field)
                             (push (1- field) (cons (struct-ref part field) agenda))
                             agenda)))))))))

(define (evaluate-form form)
  "The list of FORM's values."
  (let* ((tree (macroexpand form))
         (thunk (if (needs-compiling? tree)
                    (load-thunk-from-memory
                     (compile tree #:from 'tree-il #:to 'bytecode #:env (current-module)
                              #:optimization-level 1 #:warning-level 1))
                    (lambda () (primitive-eval tree)))))
    (call-with-values (lambda () (call-in-code thunk)) list)))

(define (call-in-code thunk)
  "Calls THUNK with a default prompt, as Guile's own REPL does: a procedure that code aborts to it with gets the
continuation. A tail call would leave no frame of the agent's to bound the stack."
  (call-with-values
      (lambda ()
        (call-with-prompt (default-prompt-tag) thunk
          (lambda (k . arguments)
            (match arguments
              (((? procedure? procedure)) (call-in-code (lambda () (procedure k))))
              (_ (error "The code aborted to the default prompt, and has set up none. It aborted with" arguments))))))
    values))

(define (evaluate-code evaluation safe? evaluate)
  "Reads the forms one after another and calls EVALUATE with each; returns the list of the last one's values."
  (let ((port (evaluation-port evaluation)))
    (let loop ((values '()))
      (set-evaluation-phase! evaluation 'read)
      (skip-to-form port)
      (set-evaluation-index! evaluation (1+ (evaluation-index evaluation)))
      (set-evaluation-start! evaluation (ftell port))
      (let ((form (read-form port safe?)))
        (cond ((eof-object? form) values)
              (else
               (set-evaluation-phase! evaluation 'eval)
               (let ((values (call-with-retry (lambda () (evaluate form)))))
                 ;; A signal also ends a sleep early, so the form may end before the interrupt is handled.
                 (handle-frames)
                 (loop values))))))))

(define (print-values values limit level length)
  "((text cut) ...) of VALUES, in at most LIMIT characters in all."
  (let loop ((values values) (limit limit) (printed '()))
    (if (null? values)
        (reverse printed)
        (let ((text (value-text (car values) (max limit 0) level length)))
          (loop (cdr values) (- limit (string-length (car text))) (cons text printed))))))

;;; Errors

(define (line-and-column octets position)
  "(line column), from 1, of POSITION in OCTETS."
  (let loop ((at 0) (line 1) (column 1))
    (if (>= at (min position (bytevector-length octets)))
        (list line column)
        (let ((octet (bytevector-u8-ref octets at)))
          (cond ((= octet 10) (loop (1+ at) (1+ line) 1))
                ((= (logand octet #xC0) #x80) (loop (1+ at) line column))
                (else (loop (1+ at) line (1+ column))))))))

(define (text-between octets start end)
  (let* ((end (min end (bytevector-length octets)))
         (part (make-bytevector (max 0 (- end start)))))
    (bytevector-copy! octets start part 0 (bytevector-length part))
    (utf8->string part)))

(define (forms-left port)
  "The number of further forms in PORT, or #f when they cannot be read. PORT keeps its position: the evaluation may
continue."
  (let* ((position (ftell port))
         (line (port-line port))
         (column (port-column port))
         (count (failsafe (const #f)
                          (lambda ()
                            (let loop ((count 0))
                              (if (eof-object? (read-form port #t)) count (loop (1+ count))))))))
    (seek port position SEEK_SET)
    (set-port-line! port line)
    (set-port-column! port column)
    count))

(define (place evaluation)
  "The number and the place of the current form of the code."
  (let* ((octets (evaluation-octets evaluation))
         (port (evaluation-port evaluation))
         (reading? (eq? (evaluation-phase evaluation) 'read))
         (start (evaluation-start evaluation))
         (position (ftell port))
         (text (text-between octets start position))
         (left (and (not reading?) (forms-left port))))
    (match (line-and-column octets start)
      ((line column)
       (append (list #:phase (symbol->keyword (evaluation-phase evaluation))
                     #:index (evaluation-index evaluation) #:line line #:column column
                     #:text (substring text 0 (min 300 (string-length text))))
               (if left (list #:total (+ left (evaluation-index evaluation))) '())
               (if reading?
                   (match (line-and-column octets (max 0 (1- position)))
                     ((line column) (list #:at-line line #:at-column column)))
                   '()))))))

(define (code-error? evaluation exception)
  "True when EXCEPTION is the reader's, about the text of the code."
  (and (eq? (evaluation-phase evaluation) 'read)
       (eq? (exception-kind exception) 'read-error)))

(define (unclosed? evaluation exception)
  (and (code-error? evaluation exception)
       (let ((text (exception-text exception 300)))
         (or (string-contains text "end of input") (string-contains text "unterminated")))
       #t))

(define (message evaluation exception)
  "The message of EXCEPTION; without the place for an error in the code's own text, whose place is a separate field."
  (cond ((unclosed? evaluation exception) "The code ends in the middle of a form.")
        ((code-error? evaluation exception)
         (let* ((text (exception-text exception message-limit))
                (at (string-contains text ": ")))
           (if at (substring text (+ at 2)) text)))
        (else (exception-text exception message-limit))))

(define (failure evaluation exception frames)
  "The answer for EXCEPTION."
  (set-evaluation-errors! evaluation (list (error-diagnostic exception frames)))
  (list #:outcome #:error
        #:error (list #:type (exception-type exception)
                      #:message (message evaluation exception)
                      #:frames (if (memq (exception-kind exception) '(read-error syntax-error))
                                   '()
                                   (folded-frame-facts frames))
                      #:unclosed (unclosed? evaluation exception))
        #:place (place evaluation)))

(define (exit-status exception)
  "The exit status when EXCEPTION asks for the end of the process, else #f."
  (and (eq? (exception-kind exception) 'quit)
       (match (exception-args exception)
         ((or () (#t)) 0)
         (((? integer? status)) (logand status 255))
         (_ 1))))

(define (handle-exception exception)
  "Called where EXCEPTION was raised, if nothing in the evaluated code has handled it."
  (let ((status (exit-status exception))
        (evaluation current))
    (cond ((not evaluation))
          ((and status (assq-ref '((run-tests . #:tested) (load . #:loaded)) (evaluation-kind evaluation)))
           ;; Scripts, and many files of tests, end like this, with the number of failures.
           => (lambda (outcome) (answer-now (list #:outcome outcome #:exit-status status))))
          (status (answer-now (list #:exit status)))
          (else
           (let* ((stack (make-stack #t))
                  (frames (frames-of stack))
                  (answer (failure evaluation exception frames)))
             (if (holdable? evaluation exception)
                 (hold evaluation answer frames)
                 (answer-now answer)))))))

(define (handle-interrupt)
  "Ends the current evaluation; its state stays. Describing the stack may call the user's printers, so a second
interrupt ends it without the description."
  (let ((evaluation current))
    (when evaluation
      (let ((again? (evaluation-stopping? evaluation))
            (stack (make-stack #t)))
        (set-evaluation-stopping! evaluation #t)
        (set! last-stop (get-internal-real-time))
        (let* ((frames (if again? '() (frames-of stack)))
               (answer (list #:outcome #:interrupted #:frames (folded-frame-facts frames)
                             #:place (place evaluation))))
          (if (and (not again?) (holdable? evaluation #f))
              (hold evaluation answer frames)
              (answer-now answer)))))))

(define last-stop (- (* 2 internal-time-units-per-second))) ; when an evaluation was interrupted

(define (handle-signal)
  "Handles the signal that interrupts. The parent sends it again until an evaluation has stopped, and Guile passes it on
from another thread, so it may come when the next evaluation runs already."
  (when (or (not current)
            (evaluation-stopping? current)
            (> (- (get-internal-real-time) last-stop) internal-time-units-per-second))
    (handle-interrupt)))

(define (handle-frames)
  "Reads messages of the parent during an evaluation: an interrupt, or its end."
  (match (and current (request-that-came))
    (#f #f)
    ((#f) (die))
    (((#:skip #:id id #:test name))
     (when (eqv? id last-id)
       (leave-test name))
     (handle-frames))
    (((#:interrupt #:id id))
     (if (eqv? id last-id)
         (handle-interrupt)
         (handle-frames)))
    ((request)
     (set! waiting (append waiting (list request)))
     (handle-frames))))

(define (request-that-came)
  "A list of the next request if there is one, else #f. A signal handler does not interrupt the reading of another."
  (call-with-blocked-asyncs
   (lambda ()
     (and (protocol-readable?) (list (receive-request))))))

(define signalled #f)                   ; a signal was handled since the last evaluation began

(define (by-signal handler)
  "HANDLER for a signal, which is recorded."
  (lambda ()
    (set! signalled #t)
    (handler)))

(define main-thread #f)                 ; the one that evaluates

(define (heed-while-waiting)
  "Makes procedures that a signal ends early first check for an interrupt, so that code does not continue after it."
  (set! main-thread (current-thread))
  (for-each (lambda (name)
              (let* ((wait (module-ref the-root-module name))
                     (heeding (lambda arguments
                                (call-with-values (lambda () (apply wait arguments))
                                  (lambda results
                                    (when (and current (eq? (current-thread) main-thread))
                                      (handle-frames))
                                    (apply values results))))))
                (set-procedure-property! heeding 'name name)
                (module-set! the-root-module name heeding)))
            '(sleep usleep select)))

(define (settle)
  "Clears the effect of signals of an earlier evaluation: Guile records that a waiting thread has to wake up, and the
next `sleep' would end at once."
  (when signalled
    (set! signalled #f)
    (do ((times 0 (1+ times)))
        ((= times 8))
      (select '() '() '() 0 0))))

;;; Requests

(define (argument request key)
  "The value after KEY in REQUEST, or #f."
  (match request
    ((_ . arguments)
     (let loop ((arguments arguments))
       (match arguments
         ((name value . arguments) (if (eq? name key) value (loop arguments)))
         (_ #f))))))

(define last-name '(#f . "(guile-user)")) ; the name that was written last, and its text

(define (module-text module)
  "The name of MODULE as text."
  (let ((name (and module (module-name module))))
    (unless (eq? name (car last-name))
      (set! last-name (cons name (if name (call-with-output-string (lambda (port) (write name port))) "(guile-user)"))))
    (cdr last-name)))

(define (module-name-of text)
  "The module name, a list, that TEXT denotes, also without its parentheses; or #f."
  (define data
    (failsafe (const '())
              (lambda ()
                (let ((port (open-input-string text)))
                  (let loop ((data '()))
                    (let ((datum (read port)))
                      (if (eof-object? datum) (reverse data) (loop (cons datum data)))))))))
  (match (if (and (pair? data) (null? (cdr data)) (list? (car data))) (car data) data)
    ((and name ((? symbol?) (? symbol?) ...)) name)
    (_ #f)))

(define (named-module text)
  "The module that TEXT names, such as \"(ice-9 match)\" or \"guile-user\", loaded if necessary; #f for none. A
directory of modules is not a module."
  (let* ((name (module-name-of text))
         (module (and name (resolve-module name #t #:ensure #f))))
    (and module (module-public-interface module) module)))

(define (loaded-modules)
  "The modules that are loaded."
  (let loop ((modules (list (resolve-module '() #f))) (depth 0) (found '()))
    (if (or (null? modules) (= depth 6))
        found
        (let ((inner (append-map (lambda (module)
                                   (hash-map->list (lambda (name module) module) (module-submodules module)))
                                 modules)))
          (loop inner (1+ depth) (append (filter module-public-interface inner) found))))))

(define (known-modules)
  "Their names, as text."
  (map module-text (loaded-modules)))

(define (answer-eval request)
  "Evaluates the code; the fields of the answer."
  (answer-with-code
   request
   (lambda (evaluation)
     (let ((values (evaluate-code evaluation (argument request #:safe-read) evaluate-form)))
       (set-evaluation-phase! evaluation 'print)
       (cons* #:outcome #:completed
              #:values (print-values values (or (argument request #:limit) 10000)
                                     (argument request #:print-level)
                                     (argument request #:print-length))
              (preview-fields values))))))

(define (answer-with-code request function)
  "The answer of FUNCTION for an evaluation without code for REQUEST, in the module that it names."
  (let* ((evaluation (new-evaluation (argument request #:id) (or (argument request #:code) "")))
         (session-module (or (current-module) (resolve-module '(guile-user))))
         (package (argument request #:package))
         (call-module #f))
    (set-evaluation-hold! evaluation (argument request #:hold))
    (restore-ports)
    (set-current-module session-module)
    (let ((answer
           (call-with-warnings
            evaluation
            (lambda ()
              (run evaluation
                   (lambda ()
                     (when package
                       ;; Finding a module may load it, which does not count as the code of the call.
                       (set-evaluation-phase! evaluation 'eval)
                       (set! call-module (or (named-module package)
                                             (answer-now (list #:outcome #:refused #:no-package package
                                                               #:packages (known-modules)))))
                       (set-current-module call-module)
                       (set-evaluation-phase! evaluation 'read))
                     (function evaluation)))))))
      (when (and call-module (eq? (current-module) call-module))
        (set-current-module session-module))
      (flush-ports)
      answer)))

(define (run evaluation thunk)
  "The value of THUNK, or the answer that ended it: an error, an interrupt, an exit."
  (let ((answer
         (call-with-prompt answer-tag
           (lambda ()
             (settle)
             (set! current evaluation)
             (watch-requests #t)
             (handle-frames)
             (let ((answer (call-with-limits evaluation thunk)))
               ;; A signal also ends a wait early, so the work may end before the interrupt is handled.
               (handle-frames)
               (set! current #f)
               answer))
           (lambda (k answer)
             (set! current #f)
             answer))))
    (watch-requests #f)
    (match answer
      ((#:exit status) (leave status))
      (_ answer))))

(define (call-with-limits evaluation thunk)
  "Calls THUNK, with endless recursion an error. The collector's exception for a full heap is not passed to handlers
that do not unwind, so there is one that does. Unlike `with-exception-handler', `catch' lets its handler have handlers
of its own (Guile 3.0.8)."
  (catch #t
    (lambda ()
      (call-with-stack-overflow-handler stack-words
                                        (lambda () (call-answering evaluation thunk))
                                        (lambda () (throw 'stack-overflow #f "Stack overflow" '() #f))))
    (lambda (key . arguments)
      (failure evaluation (thrown key arguments) '()))
    (lambda (key . arguments)
      (handle-exception (thrown key arguments)))))

(define (thrown key arguments)
  "The raised object, from the arguments of a `catch' handler."
  (if (eq? key '%exception)
      (car arguments)
      (make-exception-from-throw key arguments)))

(define (leave status)
  "Ends the process at the request of evaluated code."
  (flush-ports)
  (send '(#:exit))
  (exit status))

(define last-id #f)                     ; of the current request

(define (done-if-due facts)
  "The answer with FACTS; #f when a copy of the process has answered."
  (and facts (cons #:done facts)))

(define (answer request)
  "The answer to REQUEST without its identifier, or #f when none is due."
  (match (car request)
    (#:eval (done-if-due (if (argument request #:trial) (answer-trial request) (answer-eval request))))
    (#:checkpoint (done-if-due (answer-checkpoint request)))
    (#:rollback (done-if-due (answer-rollback request)))
    (#:inspect (cons #:done (answer-inspect request)))
    (#:macroexpand (cons #:done (answer-macroexpand request)))
    (#:describe (cons #:done (answer-describe request)))
    (#:references (cons #:done (answer-references request)))
    (#:exports (cons #:done (answer-exports request)))
    (#:held (cons #:done (answer-held)))
    (#:frames (cons #:done (answer-frames request)))
    (#:locals (cons #:done (answer-locals request)))
    (#:eval-in-frame (cons #:done (answer-eval-in-frame request)))
    (#:restart (cons #:done (answer-restart request)))
    (#:abort (cons #:done (answer-abort)))
    (#:loaded-files (cons #:done (answer-loaded-files request)))
    (#:load (cons #:done (answer-load request)))
    (#:run-tests (cons #:done (answer-run-tests request)))
    (#:ping (list #:done))
    ((or #:interrupt #:skip) #f)        ; It came too late.
    (operation (list #:unsupported #:operation (symbol->string (keyword->symbol operation))))))

(define (answer-safely request)
  "The answer to REQUEST, also when the agent itself fails."
  (with-exception-handler
   (lambda (exception)
     (if (exit-status exception)
         (raise-exception exception)
         (list #:fault #:message (exception-text exception message-limit))))
   (lambda () (answer request))
   #:unwind? #t))

(define (send-done facts)
  "Sends the answer to the current request."
  (send (append (list #:done #:id last-id)
                facts
                (list #:package (module-text (current-module)) #:next-object next-object #:held (length held-stacks)
                      #:checkpoints (checkpoint-names)))))

(define (next-request)
  (let ((request (match waiting
                   (() (receive-request))
                   ((request . others)
                    (set! waiting others)
                    request))))
    (when request
      (set! last-id (argument request #:id))
      (set! next-object (max next-object (or (argument request #:next-object) 1))))
    request))

(define (serve)
  "Answers requests until the parent has closed the pipe."
  (let ((request (next-request)))
    (when request
      (match (answer-safely request)
        ;; A continuation of an earlier request may have returned here, so the identifier is not that of REQUEST.
        ((#:done . facts) (send-done facts))
        ((kind . facts) (send (cons* kind #:id last-id facts)))
        (#f #f))
      (serve))))

(define (warm-up)
  "Evaluates typical code once, so that the first request finds the compiler loaded."
  (for-each (lambda (code)
              (answer-safely (list #:eval #:id 0 #:code code)))
            '("(list 1 \"a\" #\\b 'c)" "(let ((f (lambda (x) (undefined-one x)))) (f 1))" "(car 1)" "("))
  (forget-objects))

(define (main cache heap)
  "The main procedure of a worker. CACHE is a directory for compiled modules or #f, HEAP the limit in megabytes."
  (open-protocol)
  (limit-heap heap)
  (open-shared-page)
  (prepare-image cache)
  (install-signals (by-signal handle-frames) (by-signal handle-signal))
  (note-own-threads)
  (heed-while-waiting)
  (note-roots-of-forms)
  (note-loaded-files)
  (note-while-expanding)
  (send (list #:hello #:protocol 1 #:implementation "Guile" #:version (version) #:pid own-pid))
  ;; If a client waits for this worker, its request is here by now; a spare has time for this.
  (unless (protocol-readable?)
    (warm-up))
  (serve)
  (die))
