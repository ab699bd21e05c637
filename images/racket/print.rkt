#lang racket/base
;; Values and errors as text. Printing ends at any value: what is printed goes to a port that takes so many characters and no
;; more, and what is cut by level or length is copied that far first.

(require racket/list racket/string)
(provide value-text short-text bounded-text exception-type exception-text message-limit)

(define message-limit 4000)
(define short-limit 200)
(define deepest 200)                    ; levels that are copied when only the length is bounded

;; (list text cut?): what `write-to` writes to the port that it is given, in at most `limit` characters.
(define (bounded-text limit write-to)
  (define out (open-output-bytes))
  (define room (* 4 limit))             ; bytes
  (define full? #f)
  (let/ec full
    (define (put bytes start end block? breakable?)
      (define count (min room (- end start)))
      (write-bytes bytes out start (+ start count))
      (set! room (- room count))
      (when (< count (- end start))
        (set! full? #t)
        (full (void)))
      count)
    (write-to (make-output-port 'text always-evt (lambda (bytes start end block? breakable?)
                                                   (if (= start end) 0 (put bytes start end block? breakable?)))
                                void)))
  (define text (bytes->string/utf-8 (get-output-bytes out) #\uFFFD))
  (if (> (string-length text) limit)
      (list (substring text 0 limit) #t)
      (list text full?)))

;; A copy of the lists and vectors of `value` with `...` after `length` elements and `#` for what is more than `level` deep. Either
;; may be #f.
(define (abridged value level length)
  (define bound (or level deepest))
  (define rest-mark (string->symbol "..."))
  (define depth-mark (string->uninterned-symbol "#"))
  (define (first-of items count)
    (let loop ([items items] [count count])
      (cond [(null? items) '()]
            [(not (pair? items)) items]
            [(zero? count) (list rest-mark)]
            [else (cons (car items) (loop (cdr items) (sub1 count)))])))
  (define (map-tail f items)
    (cond [(pair? items) (cons (f (car items)) (map-tail f (cdr items)))]
          [(null? items) '()]
          [else (f items)]))
  (let copy ([value value] [depth 0])
    (define (inner value)
      (copy value (add1 depth)))
    (cond [(not (or (pair? value) (vector? value) (box? value) (hash? value))) value]
          [(>= depth bound) depth-mark]
          [(pair? value) (map-tail inner (first-of value (or length 1000000)))]
          [(vector? value)
           (for/vector ([item (in-list (first-of (for/list ([item (in-vector value)] [_ (in-range (add1 (or length 1000000)))]) item)
                                                 (or length 1000000)))])
             (inner item))]
          [(box? value) (box (inner (unbox value)))]
          [else
           (define entries
             (for/list ([(key item) (in-hash value)] [_ (in-range (or length 1000000))]) (cons key (inner item))))
           (cond [(hash-eq? value) (make-immutable-hasheq entries)]
                 [(hash-eqv? value) (make-immutable-hasheqv entries)]
                 [else (make-immutable-hash entries)])])))

;; Calls `thunk` with the settings of the printer as they are at first.
(define (with-usual-printing thunk)
  (parameterize ([print-graph #f] [print-struct #t] [print-box #t] [print-vector-length #f] [print-hash-table #t]
                 [print-boolean-long-form #f] [print-reader-abbreviations #t] [print-as-expression #t] [print-syntax-width 256]
                 [print-unreadable #t] [print-mpair-curly-braces #t] [print-pair-curly-braces #f])
    (thunk)))

;; (list text cut?): `value` as `print` shows it, in at most `limit` characters, or why it does not.
(define (value-text value limit [level #f] [length #f])
  (with-handlers ([exn:fail? (lambda (failure)
                               (list (format "#<~a whose printing failed: ~a>" (or (object-name value) "value")
                                             (exception-text failure 500))
                                     #f))])
    (define shown (if (or level length) (abridged value level length) value))
    (with-usual-printing (lambda () (bounded-text limit (lambda (port) (print shown port)))))))

;; `value` on one line.
(define (short-text value [limit short-limit])
  (define printed (value-text value limit))
  (define line (string-normalize-spaces (car printed)))
  (if (cadr printed) (string-append line "...") line))

;; The name of the type of what was raised.
(define (exception-type raised)
  (define name (if (exn? raised) (symbol->string (vector-ref (struct->vector raised) 0)) "raise"))
  (if (string-prefix? name "struct:") (substring name 7) name))

;; What was raised, in words.
(define (exception-text raised [limit message-limit])
  (define text (if (exn? raised) (exn-message raised) (string-append "raised: " (car (value-text raised limit)))))
  (if (> (string-length text) limit) (substring text 0 limit) text))
