;;; Held stacks: after an error or an interrupt the agent goes on serving requests from inside, so that the frames below can be
;;; looked at and code can run where their variables are visible.

(define most-held 10)

(define-record-type held
  (fields
   restarts                             ; ((name description procedure) ...)
   facts                                ; what the parent was told
   frames
   continue))                           ; what is called with the procedure of a restart

(define held-stacks '())                ; innermost first

(define (holdable? evaluation)
  (and (evaluation-hold evaluation)
       (not (heap-full?))
       (< (length held-stacks) most-held)))

;; Answers and serves requests on top of the present stack. Then it does what the restart that was taken asks for, and returns
;; when the evaluation goes on.
(define (hold evaluation answer frames continuable?)
  (let* ([outer held-stacks]
         [restarts (possible-restarts evaluation (eq? (cadr answer) ':interrupted) continuable?)]
         [go-on (call/cc
                 (lambda (continue)
                   (set! current #f)
                   (evaluation-stopped-set! evaluation #f)
                   (dynamic-wind
                    (lambda () (set! held-stacks (cons (make-held restarts answer frames continue) outer)))
                    (lambda ()
                      (watch-requests #f)
                      (flush-ports)
                      (send-done `(,@(with-restarts answer restarts) :kept #t))
                      (serve)
                      (die))
                    (lambda () (set! held-stacks outer)))))])
    (set! current evaluation)
    (watch-requests #t)
    (go-on)))

;; ANSWER, with the names and descriptions of RESTARTS in what it says of an error.
(define (with-restarts answer restarts)
  (if (eq? (cadr answer) ':error)
      (let ([names (map (lambda (restart) (list (car restart) (cadr restart))) restarts)])
        `(:outcome :error :error (:restarts ,names ,@(cadddr answer)) ,@(list-tail answer 4)))
      answer))

;;; Ways to go on

(define retry #f)                       ; evaluates the form in hand again from its start

;; What THUNK, which evaluates a form, returns; it is called anew as often as `retry' is.
(define (call-with-retry thunk)
  (let ([outer retry])
    ((call/cc
      (lambda (k)
        (set! retry (lambda () (k (lambda () (call-with-retry thunk)))))
        (let ([values (thunk)])
          (lambda ()
            (set! retry outer)
            values)))))))

;; ((name description procedure) ...): ways to go on from where EVALUATION has stopped. The procedure gets the values that were
;; given, of which only USE-VALUE has any.
(define (possible-restarts evaluation interrupted? continuable?)
  (let ([index (evaluation-index evaluation)] [again retry])
    `(,@(if interrupted? `(("CONTINUE" "Let the evaluation go on." ,void)) '())
      ,@(if continuable?
            `(("USE-VALUE" "Go on where it was raised: raise-continuable returns the values of code." ,values))
            '())
      ,@(if (and (eq? (evaluation-phase evaluation) ':eval) (positive? index) again)
            `(("RETRY" ,(format "Evaluate form ~a again from its start. What it has done so far stays done." index) ,again))
            '())
      ("ABORT" "Give the evaluation up." ,(lambda () (give-up evaluation))))))

;; Leaves EVALUATION, and says which of its forms was in hand. An error on the way out is answered and not held.
(define (give-up evaluation)
  (evaluation-hold-set! evaluation #f)
  (answer-now `(:outcome :aborted :place ,(place evaluation))))

(define (continuation-code k)
  (((inspect/object k) 'code) 'value))

;; Where `raise' goes on, which calls its handler as `raise-continuable' does, and fails when that returns.
(define raising-code
  (call/cc
   (lambda (done)
     (with-exception-handler
      (lambda (_) (call/cc (lambda (k) (done (continuation-code k)))))
      (lambda () (list (raise 'probe)))))))

;; True when a handler whose continuation is K may return.
(define (continuable? k)
  (not (eq? (continuation-code k) raising-code)))

;;; Looking

;; The fields that FUNCTION returns for the innermost held stack.
(define (call-holding function)
  (if (null? held-stacks)
      '(:outcome :refused :not-held #t)
      (function (car held-stacks))))

(define (call-with-frame request function)
  (call-holding
   (lambda (held)
     (let ([number (argument request ':frame)] [frames (held-frames held)])
       (if (< -1 number (length frames))
           (function (list-ref frames number) number)
           `(:outcome :refused :no-frame ,number :total ,(length frames)))))))

(define (answer-held)
  (define (level held)
    (let ([facts (held-facts held)])
      (if (eq? (cadr facts) ':error)
          `(:type ,(cadr (memq ':type (cadddr facts))) :message ,(cadr (memq ':message (cadddr facts)))
            :restarts ,(map (lambda (restart) (list (car restart) (cadr restart))) (held-restarts held)))
          '(:type "interrupt" :message "It was interrupted."))))
  (call-holding (lambda (_) `(:outcome :held :levels ,(map level held-stacks)))))

(define (answer-frames request)
  (call-holding
   (lambda (held)
     (let* ([frames (held-frames held)]
            [offset (min (argument request ':offset) (length frames))]
            [shown (first-of (list-tail frames offset) (argument request ':count))])
       `(:outcome :frames :total ,(length frames)
         :frames ,(map (lambda (frame number) (frame-facts frame (+ offset number) #f)) shown (iota (length shown))))))))

(define (answer-locals request)
  (call-with-frame
   request
   (lambda (frame number)
     `(:outcome :locals :frame ,(frame-facts frame number #f)
       :locals ,(map (lambda (variable) (list (symbol->string (car variable)) (node (cdr variable) 0 0 0 200 '())))
                     (frame-variables frame))))))

;; Evaluates where the variables of a frame are visible; to set one does not change the frame.
(define (answer-eval-in-frame request)
  (call-with-frame
   request
   (lambda (frame _)
     (define (binding variable)
       (list (car variable) (list 'quote (cdr variable))))
     (answer-with-code
      request
      (lambda (evaluation environment)
        (let ([bindings (map binding (frame-variables frame))])
          (answer-values evaluation request
                         (evaluate-forms evaluation
                                         (lambda (form) (evaluate-form `(let ,bindings ,form) environment))))))))))

(define (answer-restart request)
  (call-holding
   (lambda (held)
     (let* ([wanted (argument request ':restart)]
            [restarts (held-restarts held)]
            [restart (if (integer? wanted)
                         (and (< -1 wanted (length restarts)) (list-ref restarts wanted))
                         (assoc (string-upcase wanted) restarts))]
            [code (argument request ':code)])
       (cond
         [(not restart) `(:outcome :refused :no-restart ,(format "~a" wanted))]
         [(not (string=? (car restart) "USE-VALUE")) ((held-continue held) (caddr restart))]
         [(not code) `(:outcome :refused :needs-value ,(car restart))]
         [else
          (let ([answer (answer-with-code
                         request
                         (lambda (evaluation environment)
                           `(:outcome :values :values
                             ,(evaluate-forms evaluation (lambda (form) (evaluate-form form environment))))))])
            (if (eq? (cadr answer) ':values)
                ((held-continue held) (lambda () (apply values (cadddr answer))))
                answer))])))))

(define (answer-abort)
  (call-holding (lambda (held) ((held-continue held) (caddr (assoc "ABORT" (held-restarts held)))))))
