;;; Held stacks: after an error or an interrupt the agent goes on serving requests from inside, so that the frames below
;;; can be looked at and code can run where their variables are visible.

(define most-held 10)
(define most-held-frames 1000)

(define-record-type <held>
  (make-held evaluation facts frames)
  held?
  (evaluation held-evaluation)
  (facts held-facts)                    ; what the parent was told
  (frames held-frames))

(define held-stacks '())                ; innermost first

(define (holdable? evaluation exception)
  "True when the stack that EXCEPTION was met on is to be kept. An exhausted one has no room for that."
  (and (evaluation-hold evaluation)
       (not (and exception (memq (exception-kind exception) '(stack-overflow out-of-memory))))
       (< (length held-stacks) most-held)))

(define (hold evaluation answer frames)
  "Answers and serves requests on top of the present stack. It returns when an interrupted evaluation is let go on."
  (let ((outer held-stacks)
        (module (current-module)))
    (set! current #f)
    (set-evaluation-stopping! evaluation #f)
    (dynamic-wind
      (lambda ()
        (set! held-stacks (cons (make-held evaluation answer frames) outer)))
      (lambda ()
        (watch-requests #f)
        (flush-ports)
        (send-done (append answer (list #:kept #t)))
        (call-with-prompt continue-tag
          (lambda ()
            (serve)
            (die))
          (lambda (k) #f)))
      (lambda ()
        (set! held-stacks outer)))
    (set-current-module module)
    (set! current evaluation)
    (watch-requests #t)))

(define continue-tag (make-prompt-tag "continue"))

(define (call-holding function)
  "The fields that FUNCTION returns for the innermost held stack."
  (if (null? held-stacks)
      (list #:outcome #:refused #:not-held #t)
      (function (car held-stacks))))

(define (restarts held)
  "((name description) ...): ways to go on. An exception that is raised cannot be continued."
  (if (eq? (argument (cons #f (held-facts held)) #:outcome) #:interrupted)
      '(("CONTINUE" "Let the evaluation go on."))
      '()))

(define (answer-held)
  (call-holding
   (lambda (held)
     (list #:outcome #:held
           #:levels (map (lambda (held)
                           (append (list #:restarts (restarts held))
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
     (let loop ((bindings (frame-bindings frame)) (variables '()))
       (match bindings
         (() (reverse variables))
         ((binding . bindings)
          (let ((name (binding-name binding)))
            (loop bindings
                  (if (or (memq name '(closure tmp #f)) (assq name variables))
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
  "Evaluates with the values of the frame's variables. Assigning to one changes a copy."
  (call-with-frame
   request
   (lambda (frame)
     (let ((variables (frame-variables frame)))
       (answer-with-code
        request
        (lambda (evaluation)
          (let ((values (evaluate-code evaluation (argument request #:safe-read)
                                       (lambda (form)
                                         (evaluate-form-with variables form)))))
            (set-evaluation-phase! evaluation 'print)
            (cons* #:outcome #:completed
                   #:values (print-values values (or (argument request #:limit) 10000)
                                          (argument request #:print-level)
                                          (argument request #:print-length))
                   (preview-fields values)))))))))

(define (evaluate-form-with variables form)
  "The list of FORM's values where VARIABLES, an association list, are bound."
  (match (evaluate-form `(lambda ,(map car variables) ,form))
    ((procedure)
     (call-with-values
         (lambda () (call-in-code (lambda () (apply procedure (map cdr variables)))))
       list))))

(define (answer-restart request)
  "Takes a restart of the innermost held stack. This returns only when there is no such restart."
  (call-holding
   (lambda (held)
     (let* ((wanted (argument request #:restart))
            (names (map car (restarts held)))
            (name (if (integer? wanted)
                      (and (<= 0 wanted) (< wanted (length names)) (list-ref names wanted))
                      (find (lambda (name) (string-ci=? name wanted)) names))))
       (if name
           (abort-to-prompt continue-tag)
           (list #:outcome #:refused #:no-restart (format #f "~a" wanted)))))))

(define (answer-abort)
  "Gives up the innermost held stack. An error on the way out is answered and not held."
  (call-holding
   (lambda (held)
     (set-evaluation-hold! (held-evaluation held) #f)
     (answer-now (list #:outcome #:aborted)))))
