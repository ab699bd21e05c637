;;; As much of SRFI 64 as the stories of Chez Scheme need.

(library (srfi srfi-64)
  (export test-begin test-end test-equal
          test-runner-factory test-runner-current test-runner-null test-runner-on-test-begin! test-runner-on-test-end!
          test-runner-test-name test-runner-group-path test-result-kind test-result-alist)
  (import (chezscheme))

  (define-record-type runner
    (fields (mutable name) (mutable groups) (mutable kind) (mutable facts) (mutable begin) (mutable end)))

  (define (test-runner-null)
    (make-runner "" '() #f '() values values))

  ;; A runner that prints the results.
  (define (printing-runner)
    (let ([one (test-runner-null)])
      (runner-end-set! one (lambda (one) (printf "~a: ~a\n" (runner-kind one) (runner-name one))))
      one))

  (define test-runner-factory (make-parameter printing-runner))
  (define test-runner-current (make-parameter #f))
  (define test-runner-on-test-begin! runner-begin-set!)
  (define test-runner-on-test-end! runner-end-set!)
  (define test-runner-test-name runner-name)
  (define test-runner-group-path runner-groups)
  (define test-result-kind runner-kind)
  (define test-result-alist runner-facts)

  (define (test-begin group)
    (unless (test-runner-current)
      (test-runner-current ((test-runner-factory))))
    (let ([one (test-runner-current)])
      (runner-groups-set! one (append (runner-groups one) (list group)))))

  (define (test-end group)
    (test-runner-current #f))

  (define (run name expected thunk)
    (let ([one (test-runner-current)])
      (runner-name-set! one name)
      ((runner-begin one) one)
      (let ([actual (guard (raised [#t (list 'raised raised)]) (thunk))])
        (runner-facts-set! one (list (cons 'expected-value expected) (cons 'actual-value actual)))
        (runner-kind-set! one (if (equal? actual expected) 'pass 'fail))
        ((runner-end one) one))))

  (define-syntax test-equal
    (syntax-rules ()
      [(_ name expected actual) (run name expected (lambda () actual))])))
