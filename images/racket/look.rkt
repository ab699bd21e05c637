#lang racket/base
;; Looking at things: objects by number, macro expansions.

(require racket/list racket/pretty racket/port racket/string syntax/kerncase
         "wire.rkt" "print.rkt" "objects.rkt" "agent.rkt")
(provide answer-inspect answer-macroexpand)

(define (answer-inspect request)
  (define number (argument request 'object))
  (define missing (gensym))
  (define object (object-numbered number (lambda () missing)))
  (if (eq? object missing)
      (list 'outcome 'refused 'no-object number)
      (answer-with-code
       request
       (lambda (evaluation)
         (in-phase 'print)
         (list 'outcome 'inspected
               'object (inspected object (min 8 (or (argument request 'depth) 1)) (or (argument request 'count) 50)
                             (or (argument request 'offset) 0) (or (argument request 'limit) 2000)))))))

;;; Macros

(define core-forms (kernel-form-identifier-list))

(define (core-form? form)
  (define parts (syntax-e form))
  (or (not (pair? parts))
      (not (identifier? (car parts)))
      (for/or ([core (in-list core-forms)]) (free-identifier=? core (car parts)))))

;; `form` after one step of expansion; `form` itself when it is no macro call.
(define (expand-one form)
  (define expanded (if (core-form? form) form (expand-once form)))
  ;; A call of a function comes back in `#%app`.
  (define parts (syntax-e expanded))
  (if (and (pair? parts) (identifier? (car parts)) (memq (syntax-e (car parts)) '(#%app #%plain-app #%top #%datum))
           (equal? (cdr (syntax->datum expanded)) (syntax->datum form)))
      form
      expanded))

(define (expand-form form level)
  (case level
    [(all) (expand form)]
    [(full)
     (let loop ([form form] [steps 1000])
       (define next (expand-one form))
       (if (or (eq? next form) (zero? steps)) form (loop next (sub1 steps))))]
    [else (expand-one form)]))

(define (answer-macroexpand request)
  (answer-with-code
   request
   (lambda (evaluation)
     (define forms (read-forms))
     (cond [(= (length forms) 1)
            (define form (namespace-syntax-introduce (car forms)))
            (define expansion (syntax->datum (expand-form form (or (argument request 'level) 'once))))
            (in-phase 'print)
            (define printed
              (bounded-text (or (argument request 'limit) 10000)
                            (lambda (port)
                              (parameterize ([pretty-print-columns 100])
                                (pretty-write expansion port)))))
            (list 'outcome 'expanded 'text (string-trim (first printed)) 'cut (second printed)
                  'changed (not (equal? (syntax->datum (car forms)) expansion)))]
           [else (list 'outcome 'refused 'not-one-form (if (null? forms) #t (length forms)))]))))
