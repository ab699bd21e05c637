#lang racket/base
;; The project's own collections. Packages that are not installed are linked for the session, as `raco pkg install --link` does it for
;; good: their modules require each other by the names of their collections.

(require racket/list)
(provide collection-links)

;; What links the collections of the packages in `directory`, a path, and in the directories in it: for
;; `current-library-collection-links`. A repository often has several packages beside each other: shop-lib, shop-test, shop-doc.
(define (collection-links directory)
  (append (package-links directory #t)
          (let walk ([directory directory] [depth 0])
            (for*/list ([inner (in-list (directories-in directory))]
                        [link (in-list (append (package-links inner #f) (if (< depth deepest) (walk inner (add1 depth)) '())))])
              link))))

(define deepest 1)                      ; the levels of directories, from 0, in which packages are looked for
(define most-directories 200)           ; in a directory

(define stat (dynamic-require 'racket/base 'file-or-directory-stat (lambda () #f))) ; not in each version of Racket

(define known (make-hash))              ; path -> its state and what `make` has made of it: each evaluation asks

;; What `make` makes of the file or directory at `path`, again only after a change of that.
(define (remembered path make)
  (define now
    (and stat
         (with-handlers ([exn:fail? (lambda (_) #f)])
           (define facts (stat path))
           (map (lambda (key) (hash-ref facts key)) '(inode size modify-time-nanoseconds)))))
  (define before (hash-ref known path '(#f)))
  (cond [(and now (equal? now (car before))) (cdr before)]
        [else
         (define made (make))
         (hash-set! known path (cons now made))
         made]))

(define (directories-in directory)
  (remembered directory (lambda () (list-directories directory))))

(define (list-directories directory)
  (define names (with-handlers ([exn:fail? (lambda (_) '())]) (directory-list directory)))
  (define (directory? name)
    (and (not (regexp-match? #rx"^[.]|^compiled$|^node_modules$" (path->string name)))
         (directory-exists? (build-path directory name))))
  (define found (filter directory? names))
  (for/list ([name (in-list (take found (min most-directories (length found))))])
    (build-path directory name)))

;; What links the collection of the package in `directory`. The file info.rkt says its name; it is read and not run. Only the `root` of a
;; project is a package without that.
(define (package-links directory root?)
  (define info (build-path directory "info.rkt"))
  (define (read-text)
    (if (file-exists? info)
        (with-handlers ([exn:fail? (lambda (_) "")])
          (call-with-input-file info (lambda (in) (let ([text (read-string 100000 in)]) (if (eof-object? text) "" text)))))
        ""))
  (define text (remembered info read-text))
  (define (named key)
    (define match (regexp-match (pregexp (format "\\(define\\s+~a\\s+\"([^\"]+)\"" key)) text))
    (and match (second match)))
  (define root (simplify-path directory #f))
  (cond [(or (string=? text "") (not (or root? (regexp-match? #px"\\(define\\s+collection\\s" text)))) '()]
        ;; Each directory is a collection.
        [(regexp-match? #px"\\(define\\s+collection\\s+(?:'|\\(quote\\s+)multi" text) (list (hash #f (list root)))]
        [else
         (define-values (base name must-be-dir?) (split-path root))
         (define own (or (named "collection") (named "pkg-name") (and (path? name) (path->string name))))
         (if own (list (hash (string->symbol own) (list root))) '())]))
