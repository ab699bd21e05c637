#lang racket/base
;; How many arguments the functions of Racket take, and which of its names are syntax.
;;
;;     racket xtask/standard/racket.rkt > crates/syntax/src/operators/racket.txt

(define modules '(racket racket/base racket/list racket/string racket/match racket/port racket/class racket/set
                  racket/syntax syntax/parse racket/stxparam racket/runtime-path rackunit racket/date racket/async-channel))

(define (limits arity)
  (cond
    [(integer? arity) (values arity arity)]
    [(arity-at-least? arity) (values (arity-at-least-value arity) '-)]
    [else
     (for/fold ([fewest #f] [most 0]) ([one (in-list arity)])
       (define-values (low high) (limits one))
       (values (if fewest (min fewest low) low) (if (or (eq? most '-) (eq? high '-)) '- (max most high))))]))

(define rows (make-hash))
(for ([module (in-list modules)])
  (with-handlers ([exn:fail? void])
    (dynamic-require module #f)
    (define-values (values syntaxes) (module->exports module))
    (for* ([phase (in-list values)] #:when (eqv? (car phase) 0) [export (in-list (cdr phase))])
      (define value (with-handlers ([exn:fail? (lambda (_) #f)]) (dynamic-require module (car export))))
      (when (procedure? value)
        (define-values (fewest most) (limits (procedure-arity value)))
        (hash-set! rows (car export) (format "f ~a ~a" (or fewest 0) most))))
    (for* ([phase (in-list syntaxes)] #:when (eqv? (car phase) 0) [export (in-list (cdr phase))])
      ;; Some functions are syntax because of their keywords or contracts.
      (define value (with-handlers ([(lambda (_) #t) (lambda (_) #f)]) (dynamic-require module (car export))))
      (hash-set! rows (car export)
                 (if (procedure? value)
                     (let-values ([(fewest most) (limits (procedure-arity value))])
                       (format "f ~a ~a" (or fewest 0) most))
                     "m 0 -")))))
(printf "# The names of Racket ~a by xtask/standard/racket.rkt: name, kind (f, m), fewest and most arguments.\n" (version))
(for ([name (in-list (sort (map symbol->string (hash-keys rows)) string<?))])
  (printf "~a ~a\n" name (hash-ref rows (string->symbol name))))
