;;; The stack: the frames of evaluated code, and their descriptions.

(define most-frames 20)

(define (image-of address)
  "A key for the file of the compiled code at ADDRESS."
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
  "True for a file of Guile's own, which is compiled under a name relative to Guile's directory."
  (and (not (absolute-file-name? file))
       (let ((path (search-path %load-path file)))
         (and path (string-prefix? (%package-data-dir) path)))))

(define (full-path file)
  "The absolute path of FILE."
  (or (and (not (absolute-file-name? file)) (search-path %load-path file))
      file))

(define (user-frame? frame)
  "True for code of the user's: compiled from a file that is not Guile's, or evaluated."
  (match (frame-place frame)
    ((file . _) (not (library-file? file)))
    (#f #f)))

(define machinery
  '(make-stack raise-exception throw error scm-error misc-error abort-to-prompt %resolve-variable eval
    call-with-stack-overflow-handler))

(define (operation-frame? frame)
  "True for an operation of Guile (car, string-append, for-each), false for functions that signal an error and the
expander."
  (let ((name (frame-procedure-name frame)))
    (and name
         (not (memq name machinery))
         (not (compiler-frame? frame))
         (not (match (frame-place frame)
                (((or "ice-9/boot-9.scm" "ice-9/eval.scm" "ice-9/psyntax.scm") . _) (not (memq name '(for-each map vector-for-each))))
                (_ #f))))))

(define (compiler-frame? frame)
  (match (frame-place frame)
    ((file . _) (any (lambda (directory) (string-prefix? directory file)) '("system/base/" "system/vm/" "language/")))
    (#f #f)))

(define (boundary? frame)
  "True for the agent's frames that call evaluated code."
  (and (memq (frame-procedure-name frame) '(call-in-code run)) (agent-frame? frame)))

(define (frame-kind frame)
  "The kind of FRAME: `boundary', `agent', `user', `operation' or `other'."
  (cond ((boundary? frame) 'boundary)
        ((agent-frame? frame) 'agent)
        ((user-frame? frame) 'user)
        ((operation-frame? frame) 'operation)
        (else 'other)))

(define most-counted-frames 200000)

(define (stack-frames innermost)
  "The frames of evaluated code from INNERMOST outwards: those of the user, and before them the operation of Guile's
that failed, if one did. A stack may have millions of frames; only the first are examined."
  (define kinds (make-hash-table))      ; by the place in the code, since asking a frame takes time
  (define (kind frame)
    (let ((place (frame-instruction-pointer frame)))
      (or (hashv-ref kinds place)
          (let ((kind (frame-kind frame)))
            (hashv-set! kinds place kind)
            kind))))
  (let loop ((frame (skip-agent innermost)) (operation #f) (found '()) (count 0) (left (* 2 most-counted-frames)))
    (define (next operation found count)
      (loop (frame-previous frame) operation found count (1- left)))
    (define (end)
      (reverse (if operation (cons operation found) found)))
    (if (or (not frame) (zero? left) (= count most-counted-frames))
        (end)
        (case (kind frame)
          ((boundary) (end))
          ((user) (next #f (cons frame (if operation (cons operation found) found)) (1+ count)))
          ((operation) (next (or operation (and (null? found) frame)) found count))
          (else (next operation found count))))))

;;; Repeated calls

(define longest-period 4)
(define fewest-repetitions 4)

(define (repetition frames start)
  "The number of frames in the vector FRAMES from START on that repeat, and of their repetitions: (period . times) with
the shortest period that repeats often, or (1 . 1)."
  (define (key position)
    (frame-instruction-pointer (vector-ref frames position)))
  (define (times period)
    (let ((last (- (vector-length frames) period)))
      (let loop ((position start))
        (if (and (< position last) (= (key position) (key (+ position period))))
            (loop (1+ position))
            (1+ (quotient (- position start) period))))))
  (let loop ((period 1))
    (cond ((> period longest-period) '(1 . 1))
          ((>= (times period) fewest-repetitions) (cons period (times period)))
          (else (loop (1+ period))))))

(define (folded-frames frames)
  "((number frame . facts) ...) of at most 20 of FRAMES, a list. Where functions call each other over and over, the first and
the last time are there; the last frame of the first time has as its facts how many frames a time has, and how many times are
left out after it."
  (let* ((cut? (>= (length frames) most-counted-frames))
         (frames (list->vector frames)))
    (define (span from to facts)
      (map (lambda (number)
             (cons* number (vector-ref frames number) (if (= number (1- to)) facts '())))
           (iota (- to from) from)))
    (let loop ((start 0) (folded '()))
      (if (or (>= start (vector-length frames)) (>= (length folded) most-frames))
          (take* folded most-frames)
          (match (repetition frames start)
            ((1 . 1) (loop (1+ start) (append folded (span start (1+ start) '()))))
            ((period . times)
             (let ((again (+ start (* period (1- times)))))
               (loop (+ again period)
                     (append folded
                             (span start (+ start period)
                                   (append (list #:period period #:repeated (- times 2))
                                           (if cut? (list #:at-least #t) '())))
                             (span again (+ again period) '()))))))))))

(define (skip-agent frame)
  "The first frame outside the agent's frames for handling an exception or a signal."
  (let loop ((frame frame))
    (and frame
         (if (or (agent-frame? frame) (eq? (frame-procedure-name frame) 'make-stack))
             (loop (frame-previous frame))
             frame))))

(define (frames-of stack)
  "The frames of evaluated code in STACK, which a function of the agent has made; empty when they are not available."
  (failsafe (const '())
            (lambda () (if stack (stack-frames (stack-ref stack 0)) '()))))

(define (frame-facts frames)
  "The description of FRAMES for the parent, with the variables of the innermost one."
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

(define (folded-frame-facts frames)
  "The same for all FRAMES of a stack, with repetitions folded."
  (let ((folded (folded-frames frames)))
    (map (lambda (facts number-frame-repetition)
           (match number-frame-repetition
             ((number frame . repetition) (append (list #:number number) facts repetition))))
         (frame-facts (map cadr folded))
         folded)))

(define (place-facts place)
  (match place
    ((file #f #f) (list #:file (full-path file)))
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

(define (own-bindings frame)
  "The bindings of FRAME in the code, without those of the compiler, whose names are not in the file."
  (let ((source (frame-source-text frame)))
    (filter (lambda (binding)
              (let ((name (binding-name binding)))
                (and name
                     (not (memq name '(closure tmp)))
                     (or (not source) (word-in? (symbol->string name) source)))))
            (frame-bindings frame))))

(define (frame-source-text frame)
  "The text of the file that contains the code of FRAME, or #f."
  (match (frame-place frame)
    ((file . _)
     (failsafe (const #f)
               (lambda ()
                 (call-with-input-file (full-path file)
                   (lambda (port) ((@ (ice-9 textual-ports) get-string-all) port))
                   #:guess-encoding #t))))
    (#f #f)))

(define (word-in? word text)
  "True when TEXT contains WORD with no other letters around it."
  (define (apart? at)
    (or (< at 0)
        (>= at (string-length text))
        (let ((character (string-ref text at)))
          (or (char-whitespace? character) (memv character '(#\( #\) #\[ #\] #\' #\` #\, #\@ #\; #\"))))))
  (let loop ((from 0))
    (let ((at (string-contains text word from)))
      (and at
           (or (and (apart? (1- at)) (apart? (+ at (string-length word))))
               (loop (1+ at)))))))

(define (frame-locals frame)
  "The live variables of FRAME: ((name text) ...), at most 20."
  (failsafe (const '())
            (lambda ()
              (map (lambda (binding) (list (symbol->string (binding-name binding)) (short-text (binding-ref binding))))
                   (take* (own-bindings frame) 20)))))
