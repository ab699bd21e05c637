#lang racket/base
;; The frames of a stack, from the records that instrumented code leaves in continuation marks; see instrument.rkt. Where there is
;; none, from what Racket itself remembers of the project's functions.

(require racket/list racket/string "print.rkt" "instrument.rkt")
(provide stack-frames frame-facts)

(define most-frames 20)
(define most-looked-at 100000)
(define longest-period 4)
(define fewest-repetitions 4)

;; What is known of a frame: a name or #f, names of arguments, their values, the file or #f, and the line and column from 1.
(struct frame (name parameters arguments file line column))

;; The frames of `marks`, innermost first. `ours?` says for a source whether it is the project's.
(define (stack-frames marks ours?)
  (define records (continuation-mark-set->list marks record-key))
  (cond [(pair? records)
         (without-wrappers
          (for/list ([record (in-list records)] [_ (in-range most-looked-at)])
            (define position (vector-ref record 0))
            (define known (vector-ref record 1))
            (frame (first known) (second known) (cddr (vector->list record)) (third known)
                   (position-line position) (position-column position))))]
        [else
         (for*/list ([entry (in-list (continuation-mark-set->context marks))]
                     [place (in-value (cdr entry))]
                     #:when (and place (ours? (srcloc-source place))))
           (define source (srcloc-source place))
           (frame (car entry) '() #f (and (path? source) (path->string source))
                  (or (srcloc-line place) 1) (add1 (or (srcloc-column place) 0))))]))

;; `frames` without the functions that a language has put around the forms of a module.
(define (without-wrappers frames)
  (define (bare? frame)
    (and (not (frame-name frame)) (null? (frame-parameters frame))))
  (define (place frame)
    (list (frame-file frame) (frame-line frame)))
  (let loop ([frames frames] [kept '()])
    (cond [(null? frames) (reverse kept)]
          [(and (pair? kept) (bare? (car kept)) (bare? (car frames)) (equal? (place (car kept)) (place (car frames))))
           (loop (cdr frames) kept)]
          [else (loop (cdr frames) (cons (car frames) kept))])))

(define (call-text frame)
  (define name (format "~a" (or (frame-name frame) "lambda")))
  (define text
    (cond [(not (frame-arguments frame)) name]
          [(or (frame-name frame) (pair? (frame-parameters frame)))
           (string-append "(" (string-join (cons name (map short-text (frame-arguments frame))) " ") ")")]
          [else "top-level form"]))
  (if (> (string-length text) 200) (string-append (substring text 0 200) "...") text))

;; How often the `period` frames of the vector from `start` on come again.
(define (times frames start period)
  (define (same? one other)
    (define a (vector-ref frames one))
    (define b (vector-ref frames other))
    (and (equal? (frame-name a) (frame-name b)) (equal? (frame-file a) (frame-file b)) (= (frame-line a) (frame-line b))))
  (let loop ([at start])
    (if (and (< (+ at period) (vector-length frames)) (same? at (+ at period)))
        (loop (add1 at))
        (add1 (quotient (- at start) period)))))

;; What is sent of `frames`: calls that come again and again are told once, the variables with the innermost.
(define (frame-facts frames)
  (define all (list->vector frames))
  (define (facts number locals?)
    (define frame (vector-ref all number))
    (append (list 'number number 'call (call-text frame))
            (if (frame-file frame) (list 'file (frame-file frame) 'line (frame-line frame) 'column (frame-column frame)) '())
            (if (and locals? (frame-arguments frame))
                (list 'locals (for/list ([name (in-list (frame-parameters frame))] [value (in-list (frame-arguments frame))])
                                (list (symbol->string name) (short-text value))))
                '())))
  (let loop ([at 0] [told '()])
    (cond [(or (>= at (vector-length all)) (>= (length told) most-frames)) (reverse told)]
          [else
           (define period
             (for/first ([period (in-range 1 (add1 longest-period))]
                         #:when (>= (times all at period) fewest-repetitions))
               period))
           (cond [period
                  (define repeated (sub1 (times all at period)))
                  (define last (+ at period -1))
                  (loop (+ at (* period (add1 repeated)))
                        (append (list (append (facts last #f)
                                              (list 'period period 'repeated repeated)
                                              (if (= (vector-length all) most-looked-at) '(at-least #t) '())))
                                (for/list ([number (in-range (sub1 last) (sub1 at) -1)]) (facts number #f))
                                told))]
                 [else (loop (add1 at) (cons (facts at (= at 0)) told))])])))
