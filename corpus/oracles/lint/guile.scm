;;; What Guile's compiler says of files, one after the other.
;;;
;;; The benchmark of the linter plants faults in real code and asks which of them the compiler tells.  Reads lines from
;;; standard input, with tabs between the words:
;;;
;;;   CASE FILE
;;;
;;; and prints for each
;;;
;;;   case CASE
;;;   told TEXT            a warning or an error, on one line
;;;   failed               the file could not be judged
;;;
;;; Each file is compiled in a copy of the process, so that no file knows of the faults of another.

(use-modules (ice-9 rdelim)
             (system base compile)
             (system base message))

(define seconds 60)

(define warnings
  '(arity-mismatch unbound-variable format duplicate-case-datum))

(define (one-line text)
  (string-map (lambda (c) (if (char<=? #\space c #\~) c #\space)) text))

(define (tell text)
  (format #t "told\t~a\n" (one-line text)))

(define (judge file)
  (define output (string-append file "." (number->string (getpid)) ".go"))
  (define said
    (call-with-output-string
      (lambda (port)
        (catch #t
          (lambda ()
            (parameterize ((current-warning-port port))
              (compile-file file #:output-file output #:opts `(#:warnings ,warnings))))
          (lambda (key . args)
            (format port "error: ~a ~s\n" key args))))))
  (false-if-exception (delete-file output))
  (for-each (lambda (line)
              (when (or (string-contains line "warning:") (string-contains line "error:"))
                (tell line)))
            (string-split said #\newline)))

(define (judge-in-copy file)
  (force-output)
  (let ((child (primitive-fork)))
    (cond ((zero? child)
           (alarm seconds)
           (false-if-exception (judge file))
           (force-output)
           (primitive-_exit 0))
          ((not (zero? (cdr (waitpid child))))
           (format #t "failed\n")))))

;; The compiler is loaded before the copies are made.
(compile '(let ((a 1)) (+ a 1)) #:opts `(#:warnings ,warnings))

(let loop ()
  (let ((line (read-line)))
    (unless (eof-object? line)
      (let ((words (string-split line #\tab)))
        (format #t "case\t~a\n" (car words))
        (judge-in-copy (cadr words))
        (force-output)
        (loop)))))
