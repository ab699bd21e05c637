#lang racket/base
;; Registries of modules: that of the session, and fresh ones. In a fresh one the project's modules are declared as in a new process of
;; Racket, from kept code where that holds; libraries are those of the session. So it costs little, and whatever fails there has left
;; the session as it was.

(require racket/list racket/promise "project.rkt" "code.rkt")
(provide open-registries! on-require! on-declaration! call-in-fresh)

(define session #f)                     ; the session's top-level namespace
(define bring-in void)
(define note-declared void)

;; `function` is called with a file of the project whose module the session requires, the path that it requires it by, and the syntax
;; that says so, or #f.
(define (on-require! function) (set! bring-in function))

;; `function` is called with the name of each module that the session declares.
(define (on-declaration! function) (set! note-declared function))

(define mark-of-session 'lispwright-session)
(define mark-of-fresh 'lispwright-fresh)

;; Makes requires in `namespace` and in fresh registries find their modules as above.
(define (open-registries! namespace)
  (set! session namespace)
  (mark! session mark-of-session)
  (define resolve (current-module-name-resolver))
  (define load (current-load/use-compiled))
  (current-module-name-resolver
   (case-lambda
     [(name from)
      (when (marked? mark-of-session)
        (note-declared (resolved-module-path-name name)))
      (resolve name from)]
     [(path relative-to source load?)
      (when load?
        (prepare (resolve path relative-to source #f) path source))
      (resolve path relative-to source load?)]))
  (current-load/use-compiled
   (lambda (file expected)
     (if (and expected (path? file) (ours? file) (marked? mark-of-fresh) (file-exists? file))
         (load-fresh file expected)
         (load file expected)))))

;; A namespace is known by a module in its registry: others come and go with it.
(define (mark! namespace mark)
  (parameterize ([current-namespace namespace]
                 [current-module-declare-name (make-resolved-module-path mark)])
    (eval (force mark-code))))

(define mark-code
  (delay
    (parameterize ([current-namespace (make-base-namespace)])
      (compile '(module lispwright '#%kernel)))))

(define (marked? mark)
  (module-declared? (list 'quote mark) #f))

;; Makes ready what is required by `path` and resolved to `name`.
(define (prepare name path source)
  (define plain (resolved-module-path-name name))
  (define file (if (pair? plain) (car plain) plain))
  (when (path? file)
    (cond [(not (ours? file))
           (when (marked? mark-of-fresh)
             (attach-library (if (pair? plain) (cons 'submod plain) plain)))]
          [(marked? mark-of-session) (bring-in file path source)])))

;; Shares the session's module at `path` with the fresh registry in use.
(define (attach-library path)
  (unless (module-declared? path #f)
    (with-handlers ([exn:fail? void])   ; It fails again where it is declared for itself, in the words of a fresh process.
      (parameterize ([current-namespace session])
        (dynamic-require path #f))
      (namespace-attach-module session path (fresh-namespace)))))

;; Declares the module of `file` in a fresh registry.
(define (load-fresh file expected)
  (define name (if (pair? expected) (car expected) expected))
  (when name                            ; Otherwise a submodule is looked for in what is declared already.
    (define code (code-of file))
    (cond [code
           (bring-imports code (simplify-path file #f))
           (eval code)]
          [else (compile-module file name)])))

;; Makes ready all that the compiled module `code`, called `name`, and its tests import: an instance of a library that the fresh registry
;; has made for itself in between could not be shared any more, nor what uses it.
(define (bring-imports code name)
  (define from (make-resolved-module-path name))
  (for* ([phase (in-list (module-compiled-imports code))] #:when (car phase)
         [import (in-list (cdr phase))])
    (define-values (path base) (module-path-index-split import))
    (define-values (self-path self-base) (if base (module-path-index-split base) (values #f #f)))
    (when (and path (not self-path) (not (and (pair? path) (eq? (car path) 'submod))))
      ((current-module-name-resolver) path from #f #t)))
  (for ([inner (in-list (append (module-compiled-submodules code #t) (module-compiled-submodules code #f)))])
    (define path (module-compiled-name inner))
    (when (and (pair? path) (equal? (last path) 'test))
      (bring-imports inner (list name 'test)))))

(define fresh-namespace (make-parameter #f)) ; that of the fresh registry in use

;; Calls `function` with a fresh registry, in a namespace that has nothing else. It is given a function that declares the module of a file
;; there, with all that it requires.
(define (call-in-fresh function)
  (define namespace
    (parameterize ([current-namespace session])
      (make-base-empty-namespace)))
  (mark! namespace mark-of-fresh)
  (parameterize ([current-namespace namespace]
                 [fresh-namespace namespace])
    (function
     (lambda (file)
       (parameterize ([current-namespace namespace])
         (call-looking-once
          (lambda ()
            ((current-module-name-resolver) file #f #f #t))))))))
