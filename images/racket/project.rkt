#lang racket/base
;; Which files are the project's.

(require racket/path)
(provide open-project! project-root project-roots add-roots! ours?)

(define root #f)                        ; the directory that this process was started in
(define roots '())                      ; directories of the project

(define (open-project!)
  (set! root (path->directory-path (simple-form-path (current-directory))))
  (set! roots (list root)))

(define (project-root) root)
(define (project-roots) roots)

(define (add-roots! directories)
  (for ([directory (in-list directories)])
    (define path (path->directory-path (simple-form-path directory)))
    (unless (member path roots)
      (set! roots (append roots (list path))))))

;; Whether `source` is that of code of the project, or of a call.
(define (ours? source)
  (cond [(path? source)
         (define bytes (path->bytes source))
         (for/or ([root (in-list roots)])
           (define beginning (path->bytes root))
           (define length (bytes-length beginning))
           (and (>= (bytes-length bytes) length)
                (equal? (subbytes bytes 0 length) beginning)))]
        [else (and (string? source) (>= (string-length source) 5) (string=? (substring source 0 5) "call-"))]))
