#lang racket/base
;; Which lines of standard input Racket's own reader takes: prints `+ LINE` or `- LINE` for each.

(for ([line (in-lines)])
  (define taken?
    (with-handlers ([void (lambda (fault) #f)])
      (define in (open-input-string line))
      (let loop ()
        (unless (eof-object? (read in))
          (loop)))
      #t))
  (printf "~a ~a\n" (if taken? "+" "-") line))
