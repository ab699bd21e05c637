#lang racket/base
;; Tests of the parts of the agent for Racket in one image.
;;
;; racket images/tests/racket.rkt

(require rackunit rackunit/log racket/file racket/list racket/port racket/string
         "../racket/wire.rkt" "../racket/print.rkt" "../racket/instrument.rkt" "../racket/stack.rkt" "../racket/objects.rkt"
         "../racket/agent.rkt" "../racket/renewal.rkt" "../racket/work.rkt" "../racket/tests.rkt"
         (only-in "../racket/main.rkt" answer-eval))

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

;;; Modules and their files

(define project (make-temporary-file "lispwright~a" 'directory))

(define (file name)
  (path->string (build-path project name)))

;; Writes the module `name` of racket/base, or without `lines` removes it.
(define (write-module name . lines)
  (if (null? lines)
      (delete-file (file name))
      (with-output-to-file (file name) #:exists 'truncate
        (lambda ()
          (displayln "#lang racket/base")
          (for-each displayln lines)))))

;; Calls `function` with a request of these arguments; a function from the keys of its answer to what they say.
(define (ask function . arguments)
  (define answer (function (list* 'request 'id 7 arguments)))
  (lambda (key) (argument (cons #f answer) key)))

(define (load-file name #:force [force #t])
  (ask answer-load 'path (file name) 'force force))

(define (run-file name)
  (define answer (ask answer-run-tests 'path (file name)))
  (list (answer 'passed) (answer 'failed)))

(define (file-name-of path)
  (let-values ([(directory name _) (split-path path)]) name))

;; The value of `code` at the prompt as text, or the first line of the error.
(define (at-prompt code)
  (define answer (ask answer-eval 'code code))
  (if (eq? (answer 'outcome) 'completed)
      (string-join (map first (answer 'values)))
      (car (regexp-match #rx"^[^\n]*" (argument (cons #f (answer 'error)) 'message)))))

(define (states)
  (for/list ([row (in-list ((ask answer-loaded-files) 'files))])
    (define-values (directory name _) (split-path (car row)))
    (list (path->string name) (cadr row))))

(define-values (nothing-comes _) (make-pipe))
(open-protocol nothing-comes (open-output-nowhere))
(parameterize ([current-directory project])
  (prepare-session 1024))
(prepare-renewal!)

(test-case "tests run as the files are, and leave the session alone"
  (write-module "base.rkt" "(provide twice) (define-syntax-rule (twice x) (* 2 x))")
  (write-module "user.rkt" "(require \"base.rkt\") (provide use) (define (use) (twice 3))")
  (write-module "tests.rkt" "(module+ test (require rackunit \"user.rkt\") (check-equal? (use) 6))")
  (check-equal? (run-file "tests.rkt") '(1 0))
  (check-equal? (states) '())
  (write-module "base.rkt" "(provide twice) (define-syntax-rule (twice x) (* 5 x))")
  (check-equal? (run-file "tests.rkt") '(0 1))
  (write-module "base.rkt" "(provide twice) (define-syntax-rule (twice x) (* 2 x))")
  (check-equal? (run-file "tests.rkt") '(1 0)))

(test-case "code at the prompt goes on with what has changed"
  (load-file "user.rkt")
  (check-equal? (at-prompt "(require \"user.rkt\") (define (again) (use)) (again)") "6")
  (write-module "base.rkt" "(provide twice) (define-syntax-rule (twice x) (* 7 x))")
  (check-equal? (states) '(("base.rkt" changed) ("user.rkt" same)))
  (check-equal? (map (lambda (path) (path->string (file-name-of path))) ((load-file "user.rkt") 'loaded)) '("base.rkt" "user.rkt"))
  (check-equal? (at-prompt "(again)") "21")
  (check-true ((load-file "user.rkt" #:force #f) 'unchanged)))

(test-case "who requires a module that is declared anew follows it"
  (write-module "core.rkt" "(provide (struct-out seed)) (struct seed (x))")
  (write-module "plant.rkt" "(require \"core.rkt\") (provide grow ours?) (define seed?* seed?) (define (grow) (seed 1)) (define (ours? x) (seed?* x))")
  (load-file "plant.rkt")
  (at-prompt "(require \"core.rkt\" \"plant.rkt\")")
  (check-equal? (length ((load-file "core.rkt") 'loaded)) 2)
  (check-equal? (at-prompt "(list (ours? (grow)) (ours? (seed 1)) (seed? (grow)))") "'(#t #t #t)"))

(test-case "what a file does not define any more is gone"
  (write-module "shop.rkt" "(provide price tax label) (define (price) 1) (define label \"x\") (define-syntax-rule (tax) 2)")
  (load-file "shop.rkt")
  (at-prompt "(require \"shop.rkt\") (define (pay) (price))")
  (write-module "shop.rkt" "(provide cost) (define (cost) 1)")
  (check-equal? (map (lambda (row) (take row 2)) ((load-file "shop.rkt") 'removed))
                '(("variable" "label") ("procedure" "price") ("syntax" "tax")))
  (for ([code (in-list '("(pay)" "(price)" "label" "(tax)"))] [name (in-list '("price" "price" "label" "tax"))])
    (check-regexp-match (format "^~a: (undefined|unbound)" name) (at-prompt code))))

(test-case "a load that fails leaves what was there, and fails again"
  (write-module "shop.rkt" "(provide cost) (define (cost) 2) (define bad (car '()))")
  (for ([_ (in-range 2)])
    (define answer (load-file "shop.rkt"))
    (check-equal? (answer 'outcome) 'error)
    (check-equal? (argument (cons #f (car (answer 'diagnostics))) 'line) 2))
  (at-prompt "(require (only-in \"plant.rkt\"))")
  (check-equal? (member '("shop.rkt" changed) (states)) '(("shop.rkt" changed)))
  (check-regexp-match "^car: " (at-prompt "(require \"shop.rkt\")"))
  (write-module "new.rkt" "(require \"newer.rkt\") (provide a) (define a b)")
  (write-module "newer.rkt" "(provide b) (define b (car '()))")
  (for ([_ (in-range 2)])
    (check-equal? ((load-file "new.rkt") 'outcome) 'error)
    (check-regexp-match "^car: " (at-prompt "(require \"new.rkt\")")))
  (write-module "newer.rkt" "(provide b) (define b 3)")
  (check-equal? (at-prompt "(require \"new.rkt\") a") "3"))

(test-case "a file that is gone, or requires itself, fails as in a new process"
  (write-module "newer.rkt" "(require \"new.rkt\") (provide b) (define b 4)")
  (define circle (load-file "new.rkt"))
  (check-true (circle 'as-fresh))
  (check-equal? (argument (cons #f (car (circle 'diagnostics))) 'file) (file "newer.rkt"))
  (check-equal? (at-prompt "a") "3")
  (write-module "newer.rkt")
  (check-equal? ((load-file "new.rkt") 'outcome) 'error)
  (check-not-false (member (file "new.rkt") (map first ((load-file "plant.rkt") 'left))))
  (check-regexp-match "cannot open module file" (at-prompt "(require \"newer.rkt\")")))

(test-case "what tests set is put back"
  (write-module "sets.rkt" "(require rackunit) (putenv \"SHOP\" \"1\") (current-command-line-arguments (vector \"a\")) (check-true #t)")
  (check-equal? ((ask answer-run-tests 'path (file "sets.rkt")) 'restored) '("the command line" "the environment variable SHOP"))
  (check-equal? (at-prompt "(list (getenv \"SHOP\") (current-command-line-arguments))") "'(#f #())"))

(delete-directory/files project)

(define results (test-log))
(when (and (zero? (car results)) (positive? (cdr results)))
  (displayln "all passed"))
(exit (if (zero? (car results)) 0 1))
