#lang racket/base
;; What Racket's compiler says of files, whose names are lines of the standard input: the error of each that does not
;; compile.
(require compiler/cm)

(for ([file (in-lines)])
  (with-handlers ([void (lambda (failure)
                          (define text (if (exn? failure) (exn-message failure) (format "~a" failure)))
                          (printf "~a\n" (regexp-replace* #rx"\n" text " ")))])
    (parameterize ([current-namespace (make-base-empty-namespace)])
      (managed-compile-zo (string->path file)))))
