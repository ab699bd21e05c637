#lang racket/base
;; Tests of the parts of the agent for Racket in one image.
;;
;; racket images/tests/racket.rkt

(require rackunit rackunit/log racket/list
         "../racket/print.rkt" "../racket/instrument.rkt" "../racket/stack.rkt" "../racket/objects.rkt")

(define namespace (make-base-namespace))

;; What `code` comes to, compiled as the code of a call is.
(define (evaluate code)
  (define port (open-input-string code))
  (port-count-lines! port)
  (parameterize ([current-namespace namespace]
                 [current-compile (instrumenting-compile (current-compile) (lambda (source) (equal? source "call-1")))])
    (for/last ([form (in-port (lambda (port) (read-syntax "call-1" port)) port)])
      (call-with-values (lambda () (eval form)) list))))

;; The frames of the error that `code` ends in, as (call line).
(define (frames code)
  (with-handlers ([exn:fail? (lambda (raised)
                               (for/list ([facts (in-list (frame-facts (stack-frames (exn-continuation-marks raised) void)))])
                                 (define rest (apply hash facts))
                                 (list (hash-ref rest 'call) (hash-ref rest 'line) (hash-ref rest 'repeated #f))))])
    (evaluate code)
    '()))

(test-case "printing ends at any value"
  (check-equal? (value-text '(1 "a" b) 100) '("'(1 \"a\" b)" #f))
  (define long (value-text (range 100000) 100))
  (check-equal? (string-length (first long)) 100)
  (check-true (second long))
  (define circle (make-vector 2 'λ))
  (vector-set! circle 0 circle)
  (check-equal? (value-text circle 100) '("#0='#(#0# λ)" #f))
  (check-equal? (value-text '(1 (2 (3))) 100 1) '("'(1 |#|)" #f))
  (check-equal? (value-text '#(1 2 3 4) 100 #f 2) '("'#(1 2 ...)" #f))
  (check-equal? (value-text (hash 'a '(1 2 3)) 100 #f 1) '("'#hash((a . (1 ...)))" #f))
  (check-equal? (first (value-text (make-string 50 #\λ) 10)) "\"λλλλλλλλλ"))

(test-case "printers of the code may do what they like"
  (struct endless () #:property prop:custom-write (lambda (self port mode) (for ([_ (in-range 100000)]) (write-string "ab" port))))
  (struct broken () #:property prop:custom-write (lambda (self port mode) (error "sand")))
  (check-equal? (value-text (endless) 5) '("ababa" #t))
  (check-regexp-match #rx"whose printing failed: sand" (first (value-text (broken) 100)))
  (parameterize ([print-as-expression #f])
    (check-equal? (value-text '(a) 10) '("'(a)" #f))))

(test-case "frames have their arguments and the lines of their calls"
  (define code "(define (inner x)\n  (list x)\n  (+ 1 (car x)))\n(define (outer y)\n  (list\n   (inner y)))\n(outer 3)")
  (check-equal? (frames code) '(("(inner 3)" 3 #f) ("(outer 3)" 6 #f)))
  (check-equal? (frames "(define (down n)\n  (if (zero? n) (car n) (+ 1 (down (sub1 n)))))\n(down 9)")
                '(("(down 0)" 2 9))
                "calls that repeat are told once"))

(test-case "marks change nothing"
  (for ([code (in-list '("(let loop ([n 1000000] [sum 0]) (if (zero? n) sum (loop (sub1 n) (+ sum n))))"
                         "(define (even n) (if (zero? n) #t (odd (sub1 n)))) (define (odd n) (if (zero? n) #f (even (sub1 n)))) (even 100001)"
                         "(define-values (a b) (values 1 2)) (list a b)"
                         "(define (f #:k [k 1] . rest) (cons k rest)) (list (f) (f #:k 2 3) (object-name f) (procedure-arity f))"
                         "(struct point (x [y #:mutable]) #:transparent) (let ([p (point 1 2)]) (set-point-y! p 3) p)"
                         "(define-syntax-rule (swap! a b) (let ([t a]) (set! a b) (set! b t))) (let ([x 1] [t 2]) (swap! x t) (list x t))"
                         "(call/cc (lambda (k) (dynamic-wind void (lambda () (k 1)) void)))"
                         "(for*/list ([i 3] [j (in-range i)]) (cons i j))"
                         "(parameterize ([current-output-port (open-output-string)]) (display 1) (get-output-string (current-output-port)))"
                         "(module m racket/base (provide x) (define x (let-values ([(a b) (values 1 2)]) (+ a b)))) (require 'm) x"))])
    (define plain
      (parameterize ([current-namespace (make-base-namespace)])
        (for/last ([form (in-port read (open-input-string code))]) (call-with-values (lambda () (eval form)) list))))
    (check-equal? (format "~s" (evaluate code)) (format "~s" plain) code)))

(test-case "objects are numbered once, and circles end"
  (define list (make-hash))
  (hash-set! list 'self list)
  (define told (inspected list 5 10 0 100))
  (check-equal? (second (member 'total told)) 1)
  (check-equal? (second (member 'id told)) (second (member 'id (inspected list 1 10 0 100)))))

(define results (test-log))
(when (and (zero? (car results)) (positive? (cdr results)))
  (displayln "all passed"))
(exit (if (zero? (car results)) 0 1))
