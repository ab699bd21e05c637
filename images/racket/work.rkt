#lang racket/base
;; Loading modules into the session. Content decides, not dates. Nothing is written beside the files.

(require racket/path "wire.rkt" "agent.rkt" "code.rkt" "registry.rkt" "renewal.rkt")
(provide answer-load answer-work call-with-modules run-module target-of no-system)

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

;; Calls `function`, and then brings the session's modules to the state of their files. It gets a function that declares the module of a file
;; in a fresh registry, whose namespace is the current one.
(define (call-with-modules function)
  (forget-gone!)
  (call-in-fresh
   (lambda (declare)
     (begin0
       (function declare)
       (call-in-fresh renew-others!)))))

;; Runs the module of `file` in a fresh registry, as a process of its own does: the submodule `test` when there is one.
(define (run-module declare file)
  (define tests (list 'submod file 'test))
  (call-as-fresh (lambda () (call-from-source file (lambda () (declare file)))))
  (for-each note-loaded! (files-of file))
  (note-comprised! file)
  ;; As a process of its own, also for code that expands code.
  (dynamic-require (if (module-declared? tests #t) tests file) 0))

;; What `function` answers for `request`, which is work of that `kind`, with what is said about files.
(define (answer-work request kind function)
  (add-roots! (or (argument request 'roots) '()))
  (define answer
    (call-noting-work
     (lambda ()
       (answer-with-code
        request
        #:kind kind
        (lambda (evaluation)
          (in-phase 'eval)
          (function evaluation))))))
  (define failure (argument (cons #f answer) 'error))
  ;; Modules that were loaded from compiled files cannot be declared anew with other values.
  (if (and failure (regexp-match? #rx"cannot re-define a constant" (argument (cons #f failure) 'message)))
      (append answer (list 'needs-fresh "A module from a compiled file has constants, which cannot be defined anew in this image."))
      answer))

(define (answer-load request)
  (answer-work
   request 'load
   (lambda (evaluation)
     (define file (target-of request))
     (define (bring declare)
       (cond [(not (ours? file))
              (parameterize ([current-namespace top-namespace]) (dynamic-require file #f))
              #t]
             [(path-has-extension? file #".rktl")
              (load-script! file)
              #t]
             [else (load-anew! declare file (argument request 'force))]))
     (if file
         (list 'outcome 'loaded 'unchanged (not (call-with-modules bring)))
         (no-system request)))))
