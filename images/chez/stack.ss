;;; The stack: which frames are the evaluated code's own, and what they say. A frame is an inspector of a continuation.
;;;
;;; A frame has the variables that are still needed in it; what its code has no more use for is not kept.

(define most-frames 20)
(define most-counted-frames 20000)
(define most-locals 20)
(define longest-period 4)
(define fewest-repetitions 3)

;; The continuations that evaluated code was called with: frames from there on outwards are the agent's.
(define boundaries (make-weak-eq-hashtable))

;; Calls THUNK, with this as the end of the stack that is shown.
(define (call-in-code thunk)
  (call/cc
   (lambda (boundary)
     (hashtable-set! boundaries boundary #t)
     (call-with-values thunk values))))

;; Procedures of Chez itself that say nothing about the code that runs.
(define machinery
  '(dynamic-wind call-with-values with-exception-handler raise raise-continuable eval compile interpret expand sc-expand load
    enable-interrupts))

(define (frame-name frame)
  (let ([name ((frame 'code) 'name)])
    (and name (format "~a" name))))

;; True for a frame of the user's, which has its place in the source, and for one of a procedure that Chez offers.
(define (telling-frame? frame)
  (or (frame-source frame)
      (let ([name (frame-name frame)])
        (and name
             (not (memq (string->symbol name) machinery))
             (top-level-bound? (string->symbol name) (scheme-environment))))))

;; The source of the call that FRAME waits for; where it was stopped between two, that of its procedure.
(define (frame-source frame)
  (or (frame 'source-object)
      ((frame 'code) 'source-object)))

;; The frames of evaluated code in the continuation K, the innermost first; none when they cannot be had.
(define (frames-of k)
  (failsafe
   (constantly '())
   (lambda ()
     (let loop ([frame (inspect/object k)] [left most-counted-frames] [found '()])
       (if (or (not (eq? (frame 'type) 'continuation))
               (hashtable-contains? boundaries (frame 'value))
               (zero? left))
           (reverse found)
           (loop (frame 'link) (- left 1) (if (telling-frame? frame) (cons frame found) found)))))))

;;; What a frame says

;; ((name . value) ...) of the variables that FRAME still needs.
(define (frame-variables frame)
  (let loop ([index (- (frame 'length) 1)] [found '()])
    (if (< index 0)
        found
        (let* ([variable (frame 'ref index)] [name (variable 'name)])
          (loop (- index 1)
                (if name
                    (cons (cons (string->symbol (name-text name)) ((variable 'ref) 'value)) found)
                    found))))))

;; The parameters of FRAME's procedure as they were written, or #f.
(define (frame-parameters frame)
  (failsafe
   (constantly #f)
   (lambda ()
     (let* ([source ((frame 'code) 'source)] [form (and source (source 'value))])
       (and (pair? form) (eq? (car form) 'lambda) (cadr form))))))

;; The call that FRAME stands for, with _ for what is not kept.
(define (frame-call-text frame)
  (define variables (failsafe (constantly '()) (lambda () (frame-variables frame))))
  (define (parameter-text name)
    (let ([variable (assq name variables)])
      (if variable (short-text (cdr variable)) "_")))
  (define (words parameters)
    (cond
      [(pair? parameters) (string-append " " (parameter-text (car parameters)) (words (cdr parameters)))]
      [(null? parameters) ""]
      [else (string-append " . " (parameter-text parameters))]))
  (let ([name (frame-name frame)] [parameters (frame-parameters frame)])
    (cond
      [parameters (cut-text (string-append "(" (or name "lambda") (words parameters) ")") 200)]
      [name (string-append "(" name " ...)")]
      [else "top-level form"])))

(define (frame-place frame)
  (let ([source (frame-source frame)])
    (and source (source-place (source-object-sfd source) (source-object-bfp source)))))

(define (frame-locals frame)
  (failsafe
   (constantly '())
   (lambda ()
     (map (lambda (variable) (list (symbol->string (car variable)) (short-text (cdr variable))))
          (first-of (frame-variables frame) most-locals)))))

(define (frame-facts frame number locals?)
  `(:number ,number :call ,(frame-call-text frame) ,@(place-facts (frame-place frame))
    ,@(if locals? `(:locals ,(frame-locals frame)) '())))

;;; Places

(define source-texts (make-weak-eq-hashtable)) ; source file descriptor -> the text that was read

;; (file line column), from 1, of POSITION in what the DESCRIPTOR stands for, as far as it is known.
(define (source-place descriptor position)
  (let ([text (hashtable-ref source-texts descriptor #f)])
    (if text
        (cons (full-path (source-file-descriptor-path descriptor)) (line-and-column text position))
        (call-with-values
            (lambda () (failsafe (lambda (_) (values)) (lambda () (locate-source descriptor position #t))))
          (case-lambda
            [(path line column) (list (full-path path) line column)]
            [_ (list (full-path (source-file-descriptor-path descriptor)) #f #f)])))))

;; PATH as it can be opened from anywhere: Chez keeps that of a file as the code has named it.
(define (full-path path)
  (let ([below (string-append (or project-root "") "/" path)])
    (if (and (not (path-absolute? path)) (file-exists? below)) below path)))

(define (line-and-column text position)
  (let ([end (min position (string-length text))])
    (let loop ([at 0] [line 1] [start 0])
      (cond
        [(= at end) (list line (+ 1 (- at start)))]
        [(char=? (string-ref text at) #\newline) (loop (+ at 1) (+ line 1) (+ at 1))]
        [else (loop (+ at 1) line start)]))))

(define (place-facts place)
  (cond
    [(not place) '()]
    [(cadr place) `(:file ,(car place) :line ,(cadr place) :column ,(caddr place))]
    [else `(:file ,(car place))]))

;;; Calls that come again and again

;; How many of the PERIOD places before AT in the vector KEYS come again from there on, divided by PERIOD.
(define (repeats keys at period)
  (let loop ([next at])
    (if (and (< next (vector-length keys)) (equal? (vector-ref keys next) (vector-ref keys (- next period))))
        (loop (+ next 1))
        (quotient (- next at) period))))

;; (period . times): how the places before AT in KEYS come again, or #f.
(define (folding keys at)
  (let loop ([period 1])
    (and (<= period (min at longest-period))
         (let ([times (repeats keys at period)])
           (if (>= times fewest-repetitions) (cons period times) (loop (+ period 1)))))))

;; What is sent of FRAMES, those of a whole stack: the variables of the innermost, and no more of calls that repeat than once.
(define (folded-facts frames)
  (define keys
    (list->vector
     (map (lambda (frame) (cons (frame-name frame) (let ([source (frame 'source-object)]) (and source (source-object-bfp source)))))
          frames)))
  (define whole? (< (vector-length keys) most-counted-frames))
  (let loop ([frames frames] [number 0] [facts '()])
    (if (or (null? frames) (= (length facts) most-frames))
        (reverse facts)
        (let* ([fact (frame-facts (car frames) number (zero? number))]
               [number (+ number 1)]
               [fold (folding keys number)]
               [skipped (if fold (* (car fold) (cdr fold)) 0)])
          (loop (list-tail (cdr frames) skipped)
                (+ number skipped)
                (cons (if fold
                          `(,@fact :period ,(car fold) :repeated ,(cdr fold) ,@(if whole? '() '(:at-least #t)))
                          fact)
                      facts))))))
