;;; Held stacks: after an error or an interrupt the agent keeps serving requests on top of the stack, so that its frames
;;; can be inspected and code can run with their variables.

(define most-held 10)
(define most-held-frames 1000)

(define-record-type <held>
  (make-held evaluation restarts facts frames)
  held?
  (evaluation held-evaluation)
  (restarts held-restarts)              ; ((name description procedure) ...)
  (facts held-facts)                    ; the facts sent to the parent
  (frames held-frames))

(define held-stacks '())                ; innermost first

(define (holdable? evaluation exception)
  "True when the stack of EXCEPTION has to be kept. An exhausted one has no room for that."
  (and (evaluation-hold evaluation)
       (not (and exception (memq (exception-kind exception) '(stack-overflow out-of-memory))))
       (< (length held-stacks) most-held)))

(define (hold evaluation answer frames)
  "Answers and serves requests on top of the present stack. Then it performs the chosen restart, and returns when an
interrupted evaluation continues."
  (let* ((outer held-stacks)
         (module (current-module))
         (restarts (possible-restarts evaluation (eq? (second answer) #:interrupted)))
         (go-on #f))
    (set! current #f)
    (set-evaluation-stopping! evaluation #f)
    (dynamic-wind
      (lambda ()
        (set! held-stacks (cons (make-held evaluation restarts answer (take* frames most-held-frames)) outer)))
      (lambda ()
        (watch-requests #f)
        (flush-ports)
        (send-done (append (with-restarts answer restarts) (list #:kept #t)))
        (call-with-prompt continue-tag
          (lambda ()
            (serve)
            (die))
          (lambda (k procedure)
            (set! go-on procedure))))
      (lambda ()
        (set! held-stacks outer)))
    (set-current-module module)
    (set! current evaluation)
    (watch-requests #t)
    (go-on)))

(define continue-tag (make-prompt-tag "continue"))

(define (with-restarts answer restarts)
  "ANSWER, with the names and descriptions of RESTARTS in its description of the error."
  (match answer
    ((#:outcome #:error #:error facts . others)
     (cons* #:outcome #:error #:error (cons* #:restarts (restart-facts restarts) facts) others))
    (_ answer)))

(define (restart-facts restarts)
  (map (match-lambda ((name description _) (list name description))) restarts))

(define (call-holding function)
  "The fields that FUNCTION returns for the innermost held stack."
  (if (null? held-stacks)
      (list #:outcome #:refused #:not-held #t)
      (function (car held-stacks))))

;;; Restarts

(define retry-tag (make-prompt-tag "retry"))
(define reply-tag (make-prompt-tag "reply"))

(define (call-with-retry thunk)
  "The value of THUNK, which evaluates a form; it is called again for each abort to `retry-tag'."
  (let ((module (current-module)))
    (let again ()
      (call-with-prompt retry-tag
        thunk
        (lambda (k)
          (set-current-module module)
          (again))))))

(define (call-answering evaluation thunk)
  "Calls THUNK. An exception that its code does not handle goes on to the outer handlers, and the value of an abort to
`reply-tag' from there is returned to the place where it was raised."
  (with-exception-handler
   (lambda (exception)
     (when (holdable? evaluation exception)
       (set-evaluation-continuable! evaluation
                                    (and answered-pointer (eqv? (raising-pointer (make-stack #t)) answered-pointer))))
     (call-with-prompt reply-tag
       (lambda () (raise-exception exception))
       (lambda (k . replies) (apply values replies))))
   thunk))

(define (raising-pointer stack)
  "The place where the innermost `raise-exception' in STACK continues when its handler returns, or #f."
  (let loop ((frame (stack-ref stack 0)))
    (and frame
         (if (and (eq? (frame-procedure-name frame) 'raise-exception) (not (agent-frame? frame)))
             (frame-instruction-pointer frame)
             (loop (frame-previous frame))))))

(define answered-pointer
  ;; A handler does not know whether it may return. `raise-exception' calls it from two places: one returns the value of
  ;; the handler, the other raises `&non-continuable'. This is the first, or #f when the two cannot be distinguished.
  (failsafe
   (const #f)
   (lambda ()
     (define (pointer continuable?)
       (let ((tag (make-prompt-tag "probe")))
         (call-with-prompt tag
           (lambda ()
             (with-exception-handler
              (lambda (exception) (abort-to-prompt tag (raising-pointer (make-stack #t))))
              (lambda () (values (raise-exception 'probe #:continuable? continuable?)))))
           (lambda (k pointer) pointer))))
     (let ((answered (pointer #t)))
       (and (not (eqv? answered (pointer #f))) answered)))))

(define (possible-restarts evaluation interrupted?)
  "((name description procedure) ...): ways to go on from where EVALUATION has stopped. The procedure gets the values
that were given, of which only USE-VALUE has any."
  (let ((index (evaluation-index evaluation)))
    (append
     (cond (interrupted?
            (list (list "CONTINUE" "Let the evaluation go on." (const #f))))
           ((evaluation-continuable? evaluation)
            (list (list "USE-VALUE" "Go on where it was raised: raise-continuable returns the values of code."
                        (lambda values (apply abort-to-prompt reply-tag values)))))
           (else '()))
     (if (and (eq? (evaluation-phase evaluation) 'eval) (positive? index))
         (list (list "RETRY" (format #f "Evaluate form ~a again from its start. What it has done so far stays done." index)
                     (lambda () (abort-to-prompt retry-tag))))
         '())
     (list (list "ABORT" "Give the evaluation up."
                 (lambda () (give-up evaluation)))))))

(define (give-up evaluation)
  "Ends EVALUATION, and reports its current form. An error on the way out is answered and not held."
  (set-evaluation-hold! evaluation #f)
  (answer-now (list #:outcome #:aborted #:place (place evaluation))))

;;; Inspection

(define (answer-held)
  (call-holding
   (lambda (held)
     (list #:outcome #:held
           #:levels (map (lambda (held)
                           (append (list #:restarts (restart-facts (held-restarts held)))
                                   (or (argument (cons #f (held-facts held)) #:error)
                                       (list #:type "interrupt" #:message "It was interrupted."))))
                         held-stacks)))))

(define (answer-frames request)
  (call-holding
   (lambda (held)
     (let ((frames (held-frames held))
           (offset (or (argument request #:offset) 0)))
       (answer-with-code
        request
        (lambda (evaluation)
          (let ((shown (window frames offset (or (argument request #:count) most-frames))))
            (list #:outcome #:frames #:total (length frames)
                  #:frames (map (lambda (facts number) (cons* #:number number facts))
                                (frame-facts shown)
                                (iota (length shown) offset))))))))))

(define (call-with-frame request function)
  "The fields that FUNCTION returns for the held frame whose number is in REQUEST."
  (call-holding
   (lambda (held)
     (let ((number (argument request #:frame))
           (frames (held-frames held)))
       (if (and (integer? number) (<= 0 number) (< number (length frames)))
           (function (list-ref frames number))
           (list #:outcome #:refused #:no-frame number #:total (length frames)))))))

(define (frame-variables frame)
  "((name . value) ...): the variables that are visible in FRAME, each once."
  (failsafe
   (const '())
   (lambda ()
     (let loop ((bindings (own-bindings frame)) (variables '()))
       (match bindings
         (() (reverse variables))
         ((binding . bindings)
          (let ((name (binding-name binding)))
            (loop bindings
                  (if (assq name variables)
                      variables
                      (match (failsafe (const #f) (lambda () (list (binding-ref binding))))
                        ((value) (acons name value variables))
                        (#f variables)))))))))))

(define (answer-locals request)
  (call-with-frame
   request
   (lambda (frame)
     (answer-with-code
      request
      (lambda (evaluation)
        (set-evaluation-phase! evaluation 'print)
        (list #:outcome #:locals
              #:frame (cons* #:number (argument request #:frame) (car (frame-facts (list frame))))
              #:locals (map (match-lambda
                              ((name . value) (list (symbol->string name) (node value 0 0 0 0 '()))))
                            (frame-variables frame))))))))

(define (answer-eval-in-frame request)
  "Evaluates with the values of the frame's variables, in the module of the frame's code unless the request names one.
Assigning to a variable changes a copy, and a definition lasts as long as the call."
  (call-with-frame
   request
   (lambda (frame)
     (let ((variables (frame-variables frame))
           (module (and (not (argument request #:package)) (frame-module frame))))
       (answer-with-code
        request
        (lambda (evaluation)
          (let ((values (call-in-module-with variables (or module (current-module))
                                             (lambda ()
                                               (evaluate-code evaluation (argument request #:safe-read) evaluate-form)))))
            (set-evaluation-phase! evaluation 'print)
            (cons* #:outcome #:completed
                   #:values (print-values values (or (argument request #:limit) 10000)
                                          (argument request #:print-level)
                                          (argument request #:print-length))
                   (preview-fields values)))))))))

(define (frame-module frame)
  "The module whose file contains the code of FRAME, or #f."
  (match (frame-place frame)
    ((file . _)
     (let ((path (full-path file)))
       (find (lambda (module)
               (and (module-filename module) (string=? (full-path (module-filename module)) path)))
             (loaded-modules))))
    (#f #f)))

(define frame-modules 0)                ; the number of modules made so far

(define (call-in-module-with variables module thunk)
  "Calls THUNK in a module that sees VARIABLES, an association list, and otherwise the same as MODULE. It has its name,
which the expander needs, no longer than the call: the name would keep the values."
  (set! frame-modules (1+ frame-modules))
  (let* ((outer (current-module))
         (directory (resolve-module '(lispwright) #f))
         (name (string->symbol (format #f "frame-~a" frame-modules)))
         (inner (make-module)))
    (set-module-name! inner `(lispwright ,name))
    (set-module-uses! inner (list module))
    (for-each (match-lambda ((name . value) (module-define! inner name value)))
              variables)
    (dynamic-wind
      (lambda ()
        (module-define-submodule! directory name inner)
        (set-current-module inner))
      thunk
      (lambda ()
        (hashq-remove! (module-submodules directory) name)
        (set-current-module outer)))))

(define (answer-restart request)
  "Invokes a restart of the innermost held stack. This returns only when there is no such restart, or no values for it."
  (call-holding
   (lambda (held)
     (let* ((wanted (argument request #:restart))
            (restarts (held-restarts held))
            (restart (if (integer? wanted)
                         (and (<= 0 wanted) (< wanted (length restarts)) (list-ref restarts wanted))
                         (find (lambda (restart) (string-ci=? (first restart) wanted)) restarts))))
       (match restart
         (#f (list #:outcome #:refused #:no-restart (format #f "~a" wanted)))
         (("USE-VALUE" _ procedure)
          (if (string? (argument request #:code))
              (take-with-values request procedure)
              (list #:outcome #:refused #:needs-value "USE-VALUE")))
         ((_ _ procedure) (abort-to-prompt continue-tag procedure)))))))

(define (take-with-values request procedure)
  "Continues the held stack with PROCEDURE of the values of the code in REQUEST; returns the answer when the code
fails."
  (let* ((given #f)
         (answer (answer-with-code
                  request
                  (lambda (evaluation)
                    (set! given (evaluate-code evaluation #f evaluate-form))
                    (list #:outcome #:completed #:values '())))))
    (if (and given (eq? (second answer) #:completed))
        (abort-to-prompt continue-tag (lambda () (apply procedure given)))
        answer)))

(define (answer-abort)
  "Gives up the innermost held stack."
  (call-holding
   (lambda (held) (give-up (held-evaluation held)))))
