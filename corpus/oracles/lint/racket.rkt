#lang racket/base
;;; What Racket's compiler says of files, one after the other.
;;;
;;; The benchmark of the linter plants faults in real code and asks which of them the compiler tells.  Reads lines from
;;; standard input, with tabs between the words:
;;;
;;;   ORIGINAL CASE FILE
;;;
;;; and prints for each
;;;
;;;   case CASE
;;;   told TEXT            the first error, on one line
;;;   failed               the file could not be judged
;;;
;;; A file is compiled as if it was the original, which is a module of Racket's collections, each with the modules that it
;;; requires as they are installed.

(require racket/port racket/string racket/path setup/dirs)

(define seconds 60)

(define (one-line text)
  (regexp-replace* #px"[^ -~]" text " "))

;; The installed file of an original: `racket-common/data/heap.rkt` below the working directory.
(define (installed original)
  (define relative (find-relative-path (current-directory) (path->complete-path original)))
  (build-path (find-collects-dir) (apply build-path (cdr (explode-path relative)))))

(define (judge file place)
  (define-values (directory name is-directory?) (split-path place))
  (parameterize ([current-namespace (make-base-namespace)]
                 [current-load-relative-directory directory]
                 [current-module-declare-name (make-resolved-module-path place)]
                 [read-accept-reader #t]
                 [read-accept-lang #t])
    (define syntax
      (call-with-input-file file
        (lambda (port)
          (port-count-lines! port)
          (parameterize ([read-accept-compiled #f])
            (read-syntax place port)))))
    (compile (namespace-syntax-introduce syntax))
    (void)))

(let loop ()
  (define line (read-line))
  (unless (eof-object? line)
    (define words (string-split line "\t"))
    (printf "case\t~a\n" (cadr words))
    (define said #f)
    (define custodian (make-custodian))
    (define thread-of-case
      (parameterize ([current-custodian custodian]
                     [current-output-port (open-output-nowhere)]
                     [current-error-port (open-output-nowhere)])
        (thread
         (lambda ()
           (set! said
                 (with-handlers ([void (lambda (error) (if (exn? error) (exn-message error) "error"))])
                   (judge (caddr words) (installed (car words)))
                   'nothing))))))
    (sync/timeout seconds thread-of-case)
    (custodian-shutdown-all custodian)
    (cond
      [(not said) (printf "failed\n")]
      [(string? said) (printf "told\t~a\n" (one-line said))])
    (flush-output)
    (loop)))
