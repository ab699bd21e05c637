#lang racket/base
;; What the compiler forgets: where a function is in its file, with which arguments it was called, and where in it the stack is.
;; Code of the project is expanded here before it is compiled, and gets marks: each function keeps a record (a vector of the
;; position, what is known of the function, and its arguments) as a continuation mark while it runs, and calls set the position.
;; On the way it is noted which definitions a module has and what they refer to.
;;
;; A function that `letrec` binds, such as a named `let`, uses the record of the function around it: a loop would be slower by far.

(require racket/unsafe/ops syntax/kerncase)
(provide instrumenting-compile record-key position-line position-column
         (struct-out definition) (struct-out reference) definitions references forget-file)

(define record-key 'lispwright-record)

;; A position is a number, so that it is set with no barrier.
(define columns 4096)
(define (position line column) (+ (* line columns) (min column (sub1 columns))))
(define (position-line position) (quotient position columns))
(define (position-column position) (add1 (remainder position columns)))

;; What a module of the project defines: a name, and where its definition begins.
(struct definition (name line column))

;; Where something is referred to: the module (a path, a symbol, or #f for the top level) and the name that are meant, the kind of
;; reference, the place, and the definition that it is in, with its line, or #f.
(struct reference (module name kind file line column within within-line))

(define definitions (make-hash))        ; file -> (listof definition)
(define references (make-hash))         ; file -> (listof reference)

(define (forget-file file)
  (hash-remove! definitions file)
  (hash-remove! references file))

;; A compiler for `current-compile` that calls `compile` in the end. `ours?` says for a source whether it is the project's.
(define ((instrumenting-compile compile ours?) code immediate?)
  (define source (and (syntax? code) (source-of code)))
  (cond [(and source (ours? source))
         (define expanded (expand-syntax code))
         (define instrumented
           (with-handlers ([exn:fail? (lambda (_) expanded)])
             (instrument expanded source)))
         ;; Code that the marks do not agree with is compiled without.
         (with-handlers ([exn:fail:syntax? (lambda (_) (compile expanded immediate?))])
           (compile instrumented immediate?))]
        [else (compile code immediate?)]))

;; Where `code` comes from. The form `module` itself is made by the reader of a language, which may give it no place.
(define (source-of code)
  (or (syntax-source code)
      (let ([parts (syntax-e code)])
        (and (pair? parts)
             (for/or ([part (in-list (if (list? parts) parts (list (car parts))))])
               (and (syntax? part) (syntax-source part)))))))

(define (instrument code source)
  (define within #f)                    ; the definition that is walked
  (define within-line #f)
  (define file (and (path? source) (path->string source)))
  (define shown-file (or file (format "~a" source)))
  (define found-definitions '())
  (define found-references '())

  (define (here? part)
    (and (equal? (syntax-source part) source) (syntax-line part) #t))

  (define (note-reference id kind)
    (when (and file (here? id))
      (define binding (identifier-binding id))
      (define-values (module name)
        (cond [(pair? binding)
               (define-values (own base) (module-path-index-split (car binding)))
               (define path (if own (resolved-module-path-name (module-path-index-resolve (car binding))) source))
               (values (if (pair? path) (car path) path) (cadr binding))]
              [else (values #f (syntax-e id))]))
      (unless (eq? binding 'lexical)
        (set! found-references
              (cons (reference module name kind file (syntax-line id) (add1 (syntax-column id)) within within-line)
                    found-references)))))

  ;; The macros that have made `part` are referred to where they were called.
  (define (note-origins part)
    (define origin (syntax-property part 'origin))
    (let loop ([origin origin])
      (cond [(pair? origin) (loop (car origin)) (loop (cdr origin))]
            [(identifier? origin) (when (syntax-original? origin) (note-reference origin "macroexpansion"))])))

  (define (note-definitions form ids)
    (when file
      (for ([id (in-list ids)] #:when (here? id))
        (define place (if (here? form) form id))
        (set! found-definitions
              (cons (definition (syntax-e id) (syntax-line place) (add1 (syntax-column place)))
                    found-definitions)))))

  (define (rebuild original parts)
    (datum->syntax original parts original original))

  (define (place-of part)
    (position (syntax-line part) (syntax-column part)))

  ;; `expression` with a record of its own: #`record` is the identifier for it.
  (define (with-record record known arguments expression place)
    #`(let-values ([(#,record) (vector '#,place '#,known #,@arguments)])
        (with-continuation-mark '#,record-key #,record #,expression)))

  (define (new-record)
    (car (generate-temporaries '(record))))

  (define (parameter-ids formals)
    (cond [(identifier? formals) (list formals)]
          [(syntax? formals) (parameter-ids (syntax-e formals))]
          [(pair? formals) (append (parameter-ids (car formals)) (parameter-ids (cdr formals)))]
          [else '()]))

  (define (walk-each parts record)
    (for/list ([part (in-list parts)]) (walk part record #f)))

  ;; A clause of a function, which is `whole`: its formals and bodies.
  (define (function-clause whole name formals bodies record own?)
    (cond [(and own? (here? whole))
           (define own (new-record))
           (define arguments (parameter-ids formals))
           (list formals
                 (with-record own
                   (list name (for/list ([id (in-list arguments)]) (syntax-e id)) shown-file)
                   arguments
                   (rebuild whole (list* #'let-values '() (walk-each bodies own)))
                   (place-of whole)))]
          [else (cons formals (walk-each bodies record))]))

  (define (name-of function given)
    (define inferred (syntax-property function 'inferred-name))
    (cond [(symbol? inferred) inferred]
          [(identifier? inferred) (syntax-e inferred)]
          [else given]))

  ;; What walks expression `part`. `record` is the identifier of the record around it or #f; `name` is what it is bound to.
  (define (walk part record name #:own? [own? #t])
    (note-origins part)
    (kernel-syntax-case part #f
      [id (identifier? #'id) (begin (note-reference part "reference") part)]
      [(#%top . id) (begin (note-reference #'id "reference") part)]
      [(#%plain-lambda formals body ...)
       (rebuild part (cons #'#%plain-lambda
                           (function-clause part (name-of part name) #'formals (syntax->list #'(body ...)) record own?)))]
      [(case-lambda [formals body ...] ...)
       (rebuild part (cons #'case-lambda
                           (for/list ([formals (in-list (syntax->list #'(formals ...)))]
                                      [bodies (in-list (syntax->list #'((body ...) ...)))])
                             (function-clause part (name-of part name) formals (syntax->list bodies) record own?))))]
      [(if test then else) (rebuild part (cons #'if (walk-each (syntax->list #'(test then else)) record)))]
      [(begin body ...) (rebuild part (cons #'begin (walk-each (syntax->list #'(body ...)) record)))]
      [(begin0 body ...) (rebuild part (cons #'begin0 (walk-each (syntax->list #'(body ...)) record)))]
      [(let-values ([ids value] ...) body ...)
       (rebuild part (list* #'let-values (bindings #'(ids ...) #'(value ...) record #t)
                            (walk-each (syntax->list #'(body ...)) record)))]
      [(letrec-values ([ids value] ...) body ...)
       (rebuild part (list* #'letrec-values (bindings #'(ids ...) #'(value ...) record #f)
                            (walk-each (syntax->list #'(body ...)) record)))]
      [(set! id value)
       (begin
         (note-reference #'id "assignment")
         (rebuild part (list #'set! #'id (walk #'value record #f))))]
      [(with-continuation-mark key value body)
       (rebuild part (cons #'with-continuation-mark (walk-each (syntax->list #'(key value body)) record)))]
      [(#%plain-app operator argument ...)
       (let* ([called (if (identifier? #'operator)
                          (begin (note-reference #'operator "call") #'operator)
                          (walk #'operator record #f))]
              [call (rebuild part (list* #'#%plain-app called (walk-each (syntax->list #'(argument ...)) record)))])
         (if (and record (here? part))
             #`(begin (unsafe-vector*-set! #,record 0 '#,(place-of part)) #,call)
             call))]
      [(#%expression inner) (rebuild part (list #'#%expression (walk #'inner record name)))]
      [_ part]))

  (define (bindings ids values record own?)
    (for/list ([ids (in-list (syntax->list ids))] [value (in-list (syntax->list values))])
      (define names (syntax->list ids))
      (list ids (walk value record (and (= (length names) 1) (syntax-e (car names))) #:own? (or own? (not record))))))

  ;; An expression outside of functions, in a record that says so.
  (define (walk-alone part name)
    (kernel-syntax-case part #f
      [(#%plain-lambda . _) (walk part #f name)]
      [(case-lambda . _) (walk part #f name)]
      [(quote _) part]
      [_ (cond [(here? part)
                (define record (new-record))
                (with-record record (list #f '() shown-file) '() (walk part record name) (place-of part))]
               [else (walk part #f name)])]))

  (define (walk-top form)
    (kernel-syntax-case form #f
      [(module name language (#%plain-module-begin inner ...))
       (rebuild form (list #'module #'name #'language
                           (rebuild (cadddr (syntax->list form))
                                    (cons #'#%plain-module-begin (map walk-top (syntax->list #'(inner ...)))))))]
      [(module* name language (#%plain-module-begin inner ...))
       (rebuild form (list #'module* #'name #'language
                           (rebuild (cadddr (syntax->list form))
                                    (cons #'#%plain-module-begin (map walk-top (syntax->list #'(inner ...)))))))]
      [(begin inner ...) (rebuild form (cons #'begin (map walk-top (syntax->list #'(inner ...)))))]
      [(define-values ids value)
       (let* ([names (syntax->list #'ids)]
              [name (and (pair? names) (syntax-e (car names)))])
         (note-origins form)
         (note-definitions form names)
         (set! within name)
         (set! within-line (syntax-line (if (here? form) form (if (pair? names) (car names) form))))
         (begin0
           ;; The definitions of a structure are left as the compiler knows them.
           (rebuild form (list #'define-values #'ids
                               (if (= (length names) 1) (walk-alone #'value name) (walk #'value #f #f))))
           (set! within #f)
           (set! within-line #f)))]
      [(define-syntaxes ids value)
       (begin
         (note-origins form)
         (note-definitions form (syntax->list #'ids))
         form)]
      [(begin-for-syntax . _) form]
      [(#%require . _) form]
      [(#%provide . _) form]
      [(#%declare . _) form]
      [(#%variable-reference . _) form]
      [_ (walk-alone form #f)]))

  (define instrumented (walk-top code))
  (when (and file (pair? found-definitions))
    (hash-set! definitions file (reverse found-definitions)))
  (when file
    (hash-set! references file (reverse found-references)))
  instrumented)
