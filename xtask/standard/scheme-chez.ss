;;; How many arguments the procedures of Chez Scheme take, and which of its names are syntax. See `scheme.sh`.

(define (row name)
  (guard (ignored [else (printf "~a m 0 -\n" name)])
    (let ([value (eval name (scheme-environment))])
      (when (procedure? value)
        (let* ([mask (procedure-arity-mask value)]
               [fewest (bitwise-first-bit-set mask)])
          (printf "~a f ~a ~a\n" name fewest
                  (if (negative? mask) "-" (- (bitwise-length mask) 1))))))))

(for-each row (environment-symbols (scheme-environment)))
