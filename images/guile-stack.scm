;;; The stack: which frames are the evaluated code's own, and what they say.

(define most-frames 20)

(define (image-of address)
  "What tells the compiled code at ADDRESS from that of another file."
  (let ((context (and address (find-debug-context address))))
    (and context (debug-context-base context))))

(define agent-image (delay (image-of (program-code image-of))))

(define (agent-frame? frame)
  (eqv? (image-of (frame-instruction-pointer frame)) (force agent-image)))

(define (frame-place frame)
  "(file line column) of what FRAME runs, or #f. Line and column count from 1."
  (match (failsafe (const #f) (lambda () (frame-source frame)))
    ((_ (? string? file) line . column) (list file (1+ line) (1+ column)))
    (_ #f)))

(define (library-file? file)
  "True for a file of Guile's own, which are compiled under names relative to its directory."
  (and (not (absolute-file-name? file))
       (let ((path (search-path %load-path file)))
         (and path (string-prefix? (%package-data-dir) path)))))

(define (full-path file)
  "FILE as it can be opened from anywhere."
  (or (and (not (absolute-file-name? file)) (search-path %load-path file))
      file))

(define (user-frame? frame)
  "True for code of the user's: compiled from a file that is not Guile's, or from what was evaluated."
  (match (frame-place frame)
    ((file . _) (not (library-file? file)))
    (#f #f)))

(define machinery
  '(make-stack raise-exception throw error scm-error misc-error abort-to-prompt %resolve-variable eval
    call-with-stack-overflow-handler))

(define (operation-frame? frame)
  "True for an operation of Guile (car, string-append, for-each) as against the ways to signal an error."
  (let ((name (frame-procedure-name frame)))
    (and name
         (not (memq name machinery))
         (not (match (frame-place frame)
                (((or "ice-9/boot-9.scm" "ice-9/eval.scm") . _) (not (memq name '(for-each map vector-for-each))))
                (_ #f))))))

(define (boundary? frame)
  "True for the agent's frames that call evaluated code."
  (and (memq (frame-procedure-name frame) '(call-in-code run)) (agent-frame? frame)))

(define (stack-frames innermost)
  "The frames of evaluated code from INNERMOST outwards, at most 20: those of the user, and before them the operation of
Guile's that failed, if one did. A stack may have millions of frames, of which the first 2,000 are looked at."
  (let loop ((frame (skip-agent innermost)) (operation #f) (found '()) (left 2000))
    (define (end)
      (reverse (if operation (cons operation found) found)))
    (cond ((or (not frame) (zero? left) (= (length found) most-frames) (boundary? frame)) (end))
          ((agent-frame? frame) (loop (frame-previous frame) operation found (1- left)))
          ((user-frame? frame)
           (loop (frame-previous frame) #f (cons frame (if operation (cons operation found) found)) (1- left)))
          ((and (null? found) (not operation) (operation-frame? frame))
           (loop (frame-previous frame) frame found (1- left)))
          (else (loop (frame-previous frame) operation found (1- left))))))

(define (skip-agent frame)
  "The first frame outside the agent's own that handle an exception or a signal."
  (let loop ((frame frame))
    (and frame
         (if (or (agent-frame? frame) (eq? (frame-procedure-name frame) 'make-stack))
             (loop (frame-previous frame))
             frame))))

(define (frames-of stack)
  "The frames of evaluated code in STACK, which a function of the agent has made; none when they cannot be had."
  (failsafe (const '())
            (lambda () (if stack (stack-frames (stack-ref stack 0)) '()))))

(define (frame-facts frames)
  "What the parent is told about FRAMES, the variables of the innermost one with it."
  (let loop ((frames frames) (locals? #t) (facts '()))
    (if (null? frames)
        (reverse facts)
        (let* ((frame (car frames))
               (own? (user-frame? frame)))
          (loop (cdr frames) (and locals? (not own?))
                (cons (append (list #:call (frame-call-text frame))
                              (place-facts (frame-place frame))
                              (if (and own? locals?) (list #:locals (frame-locals frame)) '()))
                      facts))))))

(define (place-facts place)
  (match place
    ((file line column) (list #:file (full-path file) #:line line #:column column))
    (#f '())))

(define (frame-call-text frame)
  (failsafe (lambda (failure) (format #f "(~a ...)" (or (frame-procedure-name frame) "_")))
            (lambda ()
              (match (frame-call-representation frame)
                (('_ . _) (if (frame-top-level? frame) "top-level form" (short-call "(lambda)" (frame-arguments* frame))))
                ((name . _) (short-call (format #f "~a" name) (frame-arguments* frame)))))))

(define (frame-top-level? frame)
  "True for the code of a whole form, which has no arguments."
  (null? (frame-arguments* frame)))

(define (frame-arguments* frame)
  (failsafe (const '()) (lambda () (cdr (frame-call-representation frame)))))

(define (short-call name arguments)
  (let ((text (string-append "(" (string-join (cons name (map short-argument arguments)) " ") ")")))
    (if (> (string-length text) 200)
        (string-append (substring text 0 200) "...")
        text)))

(define (short-argument argument)
  (if (eq? argument '_) "_" (short-text argument)))

(define (frame-locals frame)
  "The live variables of FRAME: ((name text) ...), at most 20."
  (failsafe (const '())
            (lambda ()
              (let loop ((bindings (frame-bindings frame)) (locals '()))
                (match bindings
                  (() (reverse (take locals (min 20 (length locals)))))
                  ((binding . bindings)
                   (loop bindings
                         (let ((name (binding-name binding)))
                           (if (memq name '(closure tmp #f))
                               locals
                               (cons (list (symbol->string name) (short-text (binding-ref binding))) locals))))))))))
