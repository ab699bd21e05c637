#lang racket/base
;; The project's own collection. A package that is not installed is linked for the session, as `raco pkg install --link` does it for
;; good: its modules require each other by the name of the collection.

(require racket/list)
(provide collection-links)

;; What links the collection of the package in `directory`, a path: for `current-library-collection-links`. The file info.rkt says its
;; name; it is read and not run.
(define (collection-links directory)
  (define info (build-path directory "info.rkt"))
  (define text
    (if (file-exists? info)
        (with-handlers ([exn:fail? (lambda (_) "")])
          (call-with-input-file info (lambda (in) (let ([text (read-string 100000 in)]) (if (eof-object? text) "" text)))))
        ""))
  (define (named key)
    (define match (regexp-match (pregexp (format "\\(define\\s+~a\\s+\"([^\"]+)\"" key)) text))
    (and match (second match)))
  (define root (simplify-path directory #f))
  (cond [(string=? text "") '()]
        ;; Each directory is a collection.
        [(regexp-match? #px"\\(define\\s+collection\\s+(?:'|\\(quote\\s+)multi" text) (list (hash #f (list root)))]
        [else
         (define-values (base name must-be-dir?) (split-path root))
         (define own (or (named "collection") (named "pkg-name") (and (path? name) (path->string name))))
         (if own (list (hash (string->symbol own) (list root))) '())]))
