(define-library (a b)
  (export foo
          bar)
  (import (scheme base)
          (scheme write))
  (begin
    (define (foo x)
      (let loop ((i 0)
                 (j 1))
        (if (= i j)
            (loop 1 2)
            (begin
              (display x)
              (newline)))))))

(define-module (x y)
  #:use-module (srfi srfi-1)
  #:use-module ((srfi srfi-26)
                #:select (cut))
  #:export (foo
            bar))

(define* (foo a #:key (b 1)
              (c 2))
  (match a
    ((x . y)
     (list x y))
    (_ #f)))

(define-record-type <point>
  (make-point x y)
  point?
  (x point-x)
  (y point-y))

(call-with-values
    (lambda () (values 1 2))
  (lambda (a b)
    a))

(with-exception-handler
    (lambda (e) e)
  (lambda () 1))
(parameterize ((a 1)
               (b 2))
  a)
(let-values (((a b) (values 1 2)))
  a)
(syntax-rules ()
  ((_ a)
   a))
