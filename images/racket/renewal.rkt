#lang racket/base
;; Bringing the session's modules to the state of their files.
;;
;; What a load is about is first declared in a fresh registry, which fails where a new process of Racket fails. Then those modules of the
;; session that are not as their files say are declared anew, each after those that it requires: Racket keeps the variables of a module
;; that is declared anew, so that code which refers to them goes on with their new values. A module that requires one which was declared
;; anew follows it: structure types are others then, and it may have kept values of before.

(require racket/list racket/path (for-syntax racket/base)
         "wire.rkt" "print.rkt" "project.rkt" "code.rkt" "registry.rkt" "agent.rkt" "instrument.rkt")
(provide prepare-renewal! loaded-files answer-loaded-files call-noting-work call-as-fresh note-loaded! note-comprised!
         load-anew! load-script! forget-gone! renew-others!)

;; A module of the session. `digest` is that of its file, `included` has those of the files that it includes, `against` the numbers of
;; the modules that it was made with, both by file; `key` tells its code from any other, or is #f. It is `whole?` when it was declared
;; and instantiated to its end.
(struct module-state (digest included key number against [whole? #:mutable]))

(define states (make-hash))             ; file -> module-state
(define in-order '())                   ; those files, the last declared one first
(define declarations 0)                 ; how many there were
(define required-while-running (make-hash)) ; file -> (file -> number): the modules that its code has required at run time

(define (loaded-files)
  (reverse in-order))

;;; What a request does

;; Lists of what is told, each with the last one first; and whether what is done now fails in a new process, too.
(struct done ([loaded #:mutable] [removed #:mutable] [left #:mutable] [comprised #:mutable] [as-fresh? #:mutable]))
(define current-done (make-parameter #f))

;; The answer of `thunk`, with what it has done to the session's modules.
(define (call-noting-work thunk)
  (define this (done '() '() '() '() #f))
  (define (texts files) (map path->string (remove-duplicates (reverse files))))
  (define answer (parameterize ([current-done this]) (thunk)))
  (append answer
          (list 'loaded (texts (done-loaded this))
                'removed (reverse (done-removed this))
                'left (reverse (done-left this))
                'comprises (texts (done-comprised this))
                'as-fresh (and (done-as-fresh? this) (eq? (argument (cons #f answer) 'outcome) 'error)))))

(define (note-loaded! file)
  (define this (current-done))
  (when this
    (set-done-loaded! this (cons file (done-loaded this)))))

;; The target consists of `file`, and what that requires and includes.
(define (note-comprised! file)
  (define this (current-done))
  (define files (files-of file))
  (when this
    (set-done-comprised! this (append (append-map files-included files) (reverse files) (done-comprised this)))))

(define (note-removed! kind name file)
  (define this (current-done))
  ;; What a macro has made has a name that nobody wrote.
  (when (and this (symbol-interned? name) (not (regexp-match? #px"^struct:|[.]\\d+$" (symbol->string name))))
    (set-done-removed! this (cons (list kind (symbol->string name) (path->string file)) (done-removed this)))))

(define (note-left! file why)
  (define this (current-done))
  (when this
    (set-done-left! this (cons (list (path->string file) (if (exn? why) (exception-text why) (format "~e" why)))
                               (done-left this)))))

;;; What is loaded

(define (answer-loaded-files request)
  (add-roots! (or (argument request 'roots) '()))
  (define files (loaded-files))
  (define included (remove-duplicates (append* (map included-in files))))
  (list 'outcome 'loaded-files
        'files (append (for/list ([one (in-list included)])
                         (list (path->string (car one)) (content-state (car one) (cdr one)) '()))
                       (for/list ([file (in-list files)])
                         (define of-content (content-state file (module-state-digest (hash-ref states file))))
                         (list (path->string file)
                               (if (and (eq? of-content 'same) (not (fits? file))) 'changed of-content)
                               (map path->string (uses-of file))))
                       (for/list ([(file state) (in-hash scripts)])
                         (list (path->string file) (content-state file (car state)) '())))))

(define (content-state file digest-then)
  (define now (digest file))
  (cond [(not now) 'gone]
        [(equal? now digest-then) 'same]
        [else 'changed]))

(define (included-in file)
  (module-state-included (hash-ref states file)))

(define (uses-of file)
  (remove-duplicates (append (map car (included-in file)) (modules-used file))))

(define (modules-used file)
  (append (map car (module-state-against (hash-ref states file)))
          (hash-keys (hash-ref required-while-running file (hash)))))

(define (number-of file)
  (define state (hash-ref states file #f))
  (and state (module-state-number state)))

;; Whether the module of `file` was made to its end, with what it includes now, and with the present modules that it requires.
(define (fits? file)
  (define state (hash-ref states file))
  (and (module-state-whole? state)
       (for/and ([one (in-list (module-state-included state))]) (equal? (digest (car one)) (cdr one)))
       (for/and ([one (in-list (module-state-against state))]) (equal? (number-of (car one)) (cdr one)))
       (for/and ([(used number) (in-hash (hash-ref required-while-running file (hash)))]) (equal? (number-of used) number))))

;; Whether the module of `file` is in the session as its file, and those of all that it requires, say now.
(define (current? file)
  (define found (make-hash))
  (define (look file)
    (define state (hash-ref states file #f))
    (and state
         (fits? file)
         (eq? (content-state file (module-state-digest state)) 'same)
         (or (not (module-state-key state)) (equal? (module-state-key state) (code-key file)))
         (andmap current? (modules-used file))))
  (define (current? file)
    (hash-ref found file
              (lambda ()
                (hash-set! found file #t) ; for a circle
                (define is-current (look file))
                (hash-set! found file is-current)
                is-current)))
  (call-looking-once (lambda () (current? file))))

;;; Modules in the session

(define-syntax-rule (in-top body ...)
  (parameterize ([current-namespace top-namespace]) body ...))

;; The namespace inside of the module of `file`, or #f when that is not instantiated.
(define (namespace-of file)
  (with-handlers ([exn:fail? (lambda (_) #f)])
    (in-top (module->namespace (make-resolved-module-path file)))))

;; The names that the module of `file` defines: variables, and syntax as far as it is provided.
(define (definitions-in file)
  (define (own phases)
    (for*/list ([phase (in-list phases)] #:when (eqv? (car phase) 0)
                [export (in-list (cdr phase))] #:when (null? (cadr export)))
      (car export)))
  (with-handlers ([exn:fail? (lambda (_) (values '() '()))])
    (in-top
     (define name (make-resolved-module-path file))
     (define-values (variables syntaxes) (module->exports name))
     (define hidden
       (for*/list ([phase (in-list (module->indirect-exports name))] #:when (eqv? (car phase) 0)
                   [name (in-list (cdr phase))])
         name))
     (values (append (own variables) hidden) (own syntaxes)))))

(define none (gensym))

(define (value-of name namespace)
  (namespace-variable-value name #f (lambda () none) namespace))

;; ((name . value) ...) of the `variables` in a namespace of a module.
(define (values-in variables namespace)
  (for*/list ([name (in-list variables)]
              [value (in-value (value-of name namespace))]
              #:unless (eq? value none))
    (cons name value)))

;; Takes the variable `name`, which may be a constant, out of a namespace of a module.
(define (undefine! name namespace)
  (with-handlers ([exn:fail? void])
    (namespace-undefine-variable! name namespace)))

;; The same for a variable that the session may refer to. What calls a procedure does not look whether there is one.
(define (remove! name value file namespace)
  (cond [(procedure? value)
         (define (missing . _)
           (raise (exn:fail:contract:variable (format "~a: undefined;\n ~a does not define it any more" name (name-text file))
                                              (current-continuation-marks)
                                              name)))
         (with-handlers ([exn:fail? void])
           (namespace-set-variable-value! name (procedure-rename (make-keyword-procedure (lambda _ (missing)) missing) name)
                                          #f namespace))]
        [else (undefine! name namespace)]))

;; Makes what refers to the syntax `name` of a module, which has it no more, fail.
(define (undefine-syntax! name namespace)
  (with-handlers ([exn:fail? void])
    (parameterize ([current-namespace namespace])
      (eval #`(define-syntaxes (#,(namespace-symbol->identifier name))
                (lambda (form) (raise-syntax-error #f "unbound identifier" form)))))))

;; Takes the names that the module of `file` had and does not define out of the session.
(define (remove-definitions! file variables syntaxes)
  (define namespace (namespace-of file))
  (for ([name (in-list variables)])
    (define value (if namespace (value-of name namespace) none))
    (when namespace
      (remove! name value file namespace))
    (note-removed! (if (procedure? value) "procedure" "variable") name file))
  (for ([name (in-list syntaxes)])
    (when namespace
      (undefine-syntax! name namespace))
    (note-removed! "syntax" name file)))

;; Gives the `variables` of the module of `file` their values of before, ((name . value) ...).
(define (bring-back! file before)
  (define-values (variables syntaxes) (definitions-in file))
  (define namespace (namespace-of file))
  (when namespace
    (for ([name (in-list variables)] #:unless (assq name before))
      (undefine! name namespace))
    (for ([one (in-list before)])
      (with-handlers ([exn:fail? void])
        (namespace-set-variable-value! (car one) (cdr one) #f namespace)))))

;;; Declaring

;; Declares `code` as the module of `file` in the session, also for where macros of the prompt use it.
(define (declare! file code)
  (define (declare-in namespace)
    (parameterize ([current-namespace namespace]
                   [current-module-declare-name (make-resolved-module-path file)])
      (if code
          (eval code)
          ((current-load/use-compiled) file (string->symbol (path->string file))))))
  (when (with-handlers ([exn:fail? (lambda (_) #f)])
          (parameterize ([current-namespace (namespace-for-syntax)]) (module->namespace (make-resolved-module-path file)) #t))
    (declare-in (namespace-for-syntax)))
  (declare-in top-namespace))

;; A namespace with the session's modules in the phase of macros of the prompt.
(define (namespace-for-syntax)
  (unless the-namespace-for-syntax
    (in-top
     (eval #`(begin-for-syntax
               (#%plain-app '#,(lambda (namespace) (set! the-namespace-for-syntax namespace))
                            (variable-reference->empty-namespace (#%variable-reference)))))))
  the-namespace-for-syntax)

(define the-namespace-for-syntax #f)

(define bringing (make-parameter '()))  ; files that are being brought to their present state

;; Brings the modules of `files`, each after those that it requires, into the session where they are not as their files say. That of
;; `forced` is declared anew in any case. `finish` is called then; until it returns, only those count as whole that were instantiated
;; before. Whether any was declared anew.
(define (bring-up! files forced finish)
  (define running (filter namespace-of files))
  (define anew? #f)
  (define (all-whole! whole? files)
    (for ([file (in-list files)])
      (define state (hash-ref states file #f))
      (when state
        (set-module-state-whole?! state whole?))))
  (parameterize ([bringing (append files (bringing))])
    (for ([file (in-list files)])
      (unless (and (current? file) (not (equal? file forced)))
        (set! anew? #t)
        (declare-anew! file (and (member file running) #t))))
    (all-whole! #f (remove* running files))
    (finish))
  (all-whole! #t files)
  anew?)

;; Declares the module of `file` anew. When that fails, one that is `running?` has its values of before.
(define (declare-anew! file running?)
  (define-values (variables syntaxes) (if (hash-ref states file #f) (definitions-in file) (values '() '())))
  (define before (if running? (values-in variables (namespace-of file)) '()))
  (define whole? #f)
  (progress (string-append "loading " (path->string file)))
  (set! declarations (add1 declarations))
  (hash-remove! required-while-running file)
  (set! in-order (cons file (remove file in-order)))
  (hash-set! states file
             (module-state (digest file)
                           (for/list ([used (in-list (files-included file))]) (cons used (digest used)))
                           (code-key file) declarations
                           (for/list ([used (in-list (files-required file))]) (cons used (number-of used)))
                           #f))
  (dynamic-wind
   void
   (lambda ()
     (declare! file (latest-code file))
     (set! whole? #t))
   (lambda ()
     (unless (or whole? (not running?))
       (bring-back! file before))))
  (set-module-state-whole?! (hash-ref states file) #t)
  (note-loaded! file)
  (define-values (now-variables now-syntaxes) (definitions-in file))
  (define now (append now-variables now-syntaxes))
  (remove-definitions! file (remq* now variables) (remq* now syntaxes)))

;; Brings the module of `file` and those that it requires into the session as their files say, and instantiates it; that of `file` is
;; declared anew in any case when it is `forced?`. `declare` declares modules in a fresh registry. Whether there was anything to do.
(define (load-anew! declare file forced?)
  (call-from-source file (lambda () (check declare file)))
  (note-comprised! file)
  (bring-up! (files-of file) (and forced? file)
             (lambda ()
               (in-top (dynamic-require file #f)))))

;; Makes sure that there is code of the module of `file`.
(define (check declare file)
  (unless (code-of file)
    (call-as-fresh (lambda () (declare file)))))

(define left-before (make-hash))        ; file that could not be loaded -> the key of its code then, and why

;; Calls `thunk`, which only declares modules in a fresh registry.
(define (call-as-fresh thunk)
  (define (note! as-fresh?)
    (when (current-done)
      (set-done-as-fresh?! (current-done) as-fresh?)))
  (note! #t)
  (thunk)
  (note! #f))

;; Calls `thunk`, during which no checks are made: nobody would hear what they say.
(define (call-without-checks thunk)
  (define (rackunit name)
    (in-top (dynamic-require 'rackunit name)))
  (if (in-top (module-declared? 'rackunit #f))
      (parameterize ([(rackunit 'current-check-around) void]
                     [(rackunit 'current-test-case-around) void])
        (thunk))
      (thunk)))

;; Brings all other modules of the session to the state of their files, as far as those can be loaded.
(define (renew-others! declare)
  (call-without-checks (lambda () (renew-each! declare))))

(define (renew-each! declare)
  (define left (make-hash))
  (define (outdated)
    (filter (lambda (file) (not (or (hash-ref left file #f) (current? file)))) (loaded-files)))
  ;; A module may have required one at run time that is declared anew after it.
  (let again ([files (outdated)] [passes (add1 (hash-count states))])
    (unless (or (null? files) (zero? passes))
      (for ([file (in-list files)])
        (define key (code-key file))
        (define known (hash-ref left-before file #f))
        (define why
          (if (and key known (equal? (car known) key))
              (cdr known)               ; To try it once more would only repeat what it did on the way.
              (failure-of (lambda ()
                            (check declare file)
                            (bring-up! (files-of file) #f void)))))
        (cond [why
               (hash-set! left file #t)
               (hash-set! left-before file (cons (code-key file) why))
               (note-left! file why)]
              [else (hash-remove! left-before file)]))
      (again (outdated) (sub1 passes))))
  (for ([(file state) (in-hash (hash-copy scripts))] #:when (eq? (content-state file (car state)) 'changed))
    (define why (failure-of (lambda () (load-script! file))))
    (when why
      (note-left! file why))))

;; What `thunk` raises but for breaks, or #f.
(define (failure-of thunk)
  (let/ec return
    (call-with-exception-handler
     (lambda (raised)
       (if (exn:break? raised) raised (return raised)))
     (lambda ()
       (thunk)
       #f))))

;;; Files that are no modules

(define scripts (make-hash))            ; file -> its digest, and ((name . value) ...): what it has defined at the prompt

;; ((name . value) ...) of what is defined at the prompt.
(define (defined-at-prompt)
  (in-top
   (values-in (for/list ([name (in-list (namespace-mapped-symbols))]
                         #:unless (pair? (identifier-binding (namespace-symbol->identifier name))))
                name)
              top-namespace)))

;; Loads the file, which is no module, at the prompt. What it has defined before and defines no more leaves the prompt; when it fails, the
;; prompt has what it had.
(define (load-script! file)
  (define content (digest file))
  (define before (defined-at-prompt))
  (define (same? one) (member one before (lambda (one other) (and (eq? (car one) (car other)) (eq? (cdr one) (cdr other))))))
  (define own (filter same? (cdr (hash-ref scripts file '(#f)))))
  (define whole? #f)
  (hash-remove! scripts file)
  (note-comprised! file)
  (dynamic-wind
   void
   (lambda ()
     (for ([one (in-list own)])
       (undefine! (car one) top-namespace))
     (parameterize ([current-namespace top-namespace]
                    [current-load-relative-directory (path-only file)])
       (load file))
     (set! whole? #t))
   (lambda ()
     (unless whole?
       (hash-set! scripts file (cons #f own))
       (for ([one (in-list (defined-at-prompt))] #:unless (assq (car one) before))
         (undefine! (car one) top-namespace))
       (for ([one (in-list before)])
         (namespace-set-variable-value! (car one) (cdr one) #f top-namespace)))))
  (define now (defined-at-prompt))
  (hash-set! scripts file (cons content (filter (lambda (one) (or (assq (car one) own) (not (same? one)))) now)))
  (note-loaded! file)
  (for ([one (in-list own)] #:unless (assq (car one) now))
    (note-removed! (if (procedure? (cdr one)) "procedure" "variable") (car one) file)))

;; Takes what was defined in files that are not there any more out of the session.
(define (forget-gone!)
  (for ([file (in-list (loaded-files))] #:unless (file-exists? file))
    (define-values (variables syntaxes) (definitions-in file))
    (remove-definitions! file variables syntaxes)
    (hash-remove! states file)
    (set! in-order (remove file in-order))
    (forget-file (path->string file)))
  (for ([(file state) (in-hash (hash-copy scripts))] #:unless (file-exists? file))
    (hash-remove! scripts file)
    (for ([one (in-list (cdr state))] #:when (eq? (value-of (car one) top-namespace) (cdr one)))
      (undefine! (car one) top-namespace)
      (note-removed! (if (procedure? (cdr one)) "procedure" "variable") (car one) file))))

;;; What the session does by itself

;; The module of the project in `file` is required in the session, by `path`, maybe in the syntax `source`.
(define (bring-in file path source)
  (define state (hash-ref states file #f))
  (cond [(member file (bringing)) (void)]
        [(not (file-exists? file))
         (when (module-declared? (make-resolved-module-path file) #f)
           ;; It is declared still, and fails as if it were not.
           (parameterize ([current-module-path-for-load (if source (datum->syntax #f path source) path)])
             ((current-load/use-compiled) file 'gone)))]
        [(and state (module-state-whole? state) (or (null? (bringing)) (current? file))) (void)]
        [else
         (call-in-fresh
          (lambda (declare)
            (check declare file)
            (bring-up! (files-of file) #f
                       (lambda ()
                         (in-top (dynamic-require file #f))))))])
  (note-use! file))

;; Notes whose code runs now and requires the module of `file`.
(define (note-use! file)
  (define record (continuation-mark-set-first #f record-key))
  (define user (and record (string->path (caddr (vector-ref record 1)))))
  (when (and user (hash-ref states user #f) (not (equal? user file)))
    (hash-update! required-while-running user (lambda (known) (hash-set known file (number-of file))) (hash))))

;; The session has declared a module called `name`.
(define (note-declaration! name)
  (note-name! name)
  (when (and (path? name) (ours? name) (file-exists? name) (not (member name (bringing))))
    (set! declarations (add1 declarations))
    (set! in-order (cons name (remove name in-order)))
    (hash-set! states name (module-state (digest name) '() #f declarations
                                         (for/list ([used (in-list (files-required name))]) (cons used (number-of used)))
                                         #t))))

(define (prepare-renewal!)
  (on-require! bring-in)
  (on-declaration! note-declaration!))
