;;; Which lines of standard input Guile's own reader takes: prints `+ LINE' or `- LINE' for each. It reads as R6RS says
;;; where it does not by itself, since a token is misspelt only when neither does.

(use-modules (ice-9 rdelim))

(set-port-encoding! (current-input-port) "UTF-8")
(set-port-encoding! (current-output-port) "UTF-8")

(define (takes? line)
  (catch #t
    (lambda ()
      (call-with-input-string line
        (lambda (port)
          (let loop ()
            (unless (eof-object? (read port))
              (loop)))
          #t)))
    (lambda _ #f)))

(let loop ((line (read-line)))
  (unless (eof-object? line)
    (format #t "~a ~a~%"
            (if (or (takes? line) (takes? (string-append "#!r6rs " line))) "+" "-")
            line)
    (loop (read-line))))
