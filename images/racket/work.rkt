#lang racket/base
;; Loading modules. A module is compiled from its source and declared in the session; what is loaded already and has changed since,
;; and what requires that, is declared anew before. Content decides, not dates. Nothing is written beside it.

(require racket/list racket/path racket/string "wire.rkt" "agent.rkt" "instrument.rkt")
(provide answer-load answer-work load-module reload-changed target-of no-system progress)

;; Tells the parent what the request in hand does.
(define (progress text)
  (send (list 'progress 'id (evaluation-id (current-evaluation)) 'text text)))

;;; Finding what is asked for

;; The file that `request` is about, or #f: the one at `path`, or that of the module or collection called `system`.
(define (target-of request)
  (define path (argument request 'path))
  (cond [path (simple-form-path path)]
        [else (system-file (argument request 'system))]))

(define (system-file name)
  (define candidates
    (for*/list ([root (in-list (project-roots))]
                [file (in-list (list name (string-append name ".rkt") (string-append name "/main.rkt")))])
      (build-path root file)))
  (or (for/first ([file (in-list candidates)] #:when (file-exists? file)) (simple-form-path file))
      (for/first ([root (in-list (project-roots))] #:when (is-collection? root name)) (build-path root "main.rkt"))
      (library-file name)))

;; Whether the directory is the collection or package `name`, by its info.rkt.
(define (is-collection? directory name)
  (define info (build-path directory "info.rkt"))
  (and (file-exists? info)
       (file-exists? (build-path directory "main.rkt"))
       (call-with-input-file info
         (lambda (in) (regexp-match? (pregexp (format "\\(define\\s+(?:collection|pkg-name)\\s+\"~a\"\\)" (regexp-quote name))) in)))))

;; The file of the library that `name` means in a `require`.
(define (library-file name)
  (define path (with-handlers ([exn:fail? (lambda (_) #f)]) (read (open-input-string name))))
  (and (symbol? path)
       (module-path? path)
       (let ([file (with-handlers ([exn:fail:filesystem? (lambda (_) #f)])
                     (resolved-module-path-name (module-path-index-resolve (module-path-index-join path #f))))])
         (and (path? file) (file-exists? file) file))))

(define (no-system request)
  (list 'outcome 'refused 'no-system (argument request 'system)
        'systems (for*/list ([root (in-list (project-roots))]
                             [file (in-list (directory-list root))]
                             #:when (path-has-extension? file #".rkt"))
                   (path->string (path-replace-extension file #"")))))

;;; Loading

;; Declares the module of `file` anew from its source and instantiates it; a file that is no module is loaded.
(define (load-module file)
  (define name (path->string file))
  (progress (string-append "loading " name))
  (forget-file name)
  (parameterize ([current-namespace top-namespace]
                 [current-load-relative-directory (path-only file)])
    (cond [(path-has-extension? file #".rktl")
           (load file)]
          [else
           (define expected (string->symbol (path->string (path-replace-extension (file-name-from-path file) #""))))
           (parameterize ([current-module-declare-name (make-resolved-module-path file)])
             ((current-load) file expected))
           (dynamic-require file #f)])))

;; The files that module `file` requires.
(define (required-files file)
  (define name (make-resolved-module-path file))
  (parameterize ([current-namespace top-namespace])
    (for*/list ([phase (in-list (if (module-declared? file #f) (module->imports file) '()))]
                [index (in-list (cdr phase))]
                [path (in-value (let-values ([(path base) (module-path-index-split index)])
                                  (and path
                                       (resolved-module-path-name
                                        (module-path-index-resolve (module-path-index-join path name))))))]
                #:when (path? path))
      path)))

;; Declares anew the loaded modules of the project that have changed, and those that require them, each after what it requires; how many
;; there were. `except` is left to the caller.
(define (reload-changed except)
  (define files (loaded-files))
  (define requirements (for/hash ([file (in-list files)]) (values file (required-files file))))
  (define stale
    (let grow ([stale (filter changed? files)])
      (define more
        (for/list ([file (in-list files)]
                   #:unless (member file stale)
                   #:when (for/or ([required (in-list (hash-ref requirements file))]) (member required stale)))
          file))
      (if (null? more) stale (grow (append stale more)))))
  (define done (make-hash))
  (define (reload file)
    (unless (hash-ref done file #f)
      (hash-set! done file #t)
      (for ([required (in-list (hash-ref requirements file '()))] #:when (member required stale))
        (reload required))
      (unless (or (equal? file except) (not (file-exists? file)))
        (load-module file))))
  (for-each reload stale)
  (length (remove except stale)))

;; What `function` answers for `request`, which is work of that `kind`, with what is said about files.
(define (answer-work request kind function)
  (add-roots! (or (argument request 'roots) '()))
  (answer-with-code
   request
   #:kind kind
   (lambda (evaluation)
     (in-phase 'eval)
     (function evaluation))))

(define (answer-load request)
  (answer-work
   request 'load
   (lambda (evaluation)
     (define file (target-of request))
     (cond [(not file) (no-system request)]
           [(not (ours? file))
            (parameterize ([current-namespace top-namespace]) (dynamic-require file #f))
            (list 'outcome 'loaded)]
           [else
            (define needed? (or (argument request 'force) (changed? file)))
            (define reloaded (reload-changed file))
            (when (or needed? (positive? reloaded))
              (load-module file))
            (list 'outcome 'loaded 'unchanged (not (or needed? (positive? reloaded))))]))))
