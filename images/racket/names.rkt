#lang racket/base
;; What names mean, who refers to them, and what modules export. Places are those that were noted when a module was compiled from its
;; source (instrument.rkt); in other files the definition is looked for. images/README.md describes what is sent.

(require racket/list racket/string racket/contract/base
         "wire.rkt" "print.rkt" "agent.rkt" "instrument.rkt" "renewal.rkt")
(provide answer-describe answer-references answer-exports)

(define most-names 2000)
(define most-references 2000)
(define none (gensym))

;;; Places

;; The definition of `name` in `file` as far as it is known: line and column, or #f and #f.
(define (place-of name file)
  (define noted
    (findf (lambda (definition) (eq? (definition-name definition) name))
           (hash-ref definitions (path->string file) '())))
  (if noted
      (values (definition-line noted) (definition-column noted))
      (values (line-in name file) #f)))

;; The line of `file` that looks like the beginning of the definition of `name`, or #f.
(define (line-in name file)
  (define beginning
    (pregexp (format "^\\s*[(\\[](?:define|struct|begin-encourage-inline)[^\\s]*\\s+[(\\[]*~a(?=[\\s)\\]]|$)"
                     (regexp-quote (symbol->string name)))))
  (with-handlers ([exn:fail? (lambda (_) #f)])
    (call-with-input-file file
      (lambda (in)
        (for/first ([line (in-lines in)] [number (in-naturals 1)] #:when (regexp-match? beginning line)) number)))))

;; The form that begins in `file` at `line` and `column`, as a datum, or #f.
(define (form-at file line column)
  (with-handlers ([exn:fail? (lambda (_) #f)])
    (call-with-input-file file
      (lambda (in)
        (for ([_ (in-range (sub1 line))]) (read-line in))
        (read-string (sub1 column) in)
        (read in)))))

;; The parameters that a definition, a datum, has in its text; #f when it has none.
(define (parameters-in form)
  (define (header signature)
    (if (pair? (car signature)) (header (car signature)) (cdr signature)))
  (cond [(not (and (list? form) (>= (length form) 2))) #f]
        [(pair? (cadr form)) (header (cadr form))]
        [(and (= (length form) 3) (pair? (caddr form)) (memq (car (caddr form)) '(lambda λ)) (pair? (cdr (caddr form))))
         (cadr (caddr form))]
        [else #f]))

(define (arity-text procedure)
  (define (one arity)
    (cond [(arity-at-least? arity) (append (make-list (arity-at-least-value arity) "_") '("." "_"))]
          [else (make-list arity "_")]))
  (define-values (required allowed) (procedure-keywords procedure))
  (define keywords
    (for/list ([keyword (in-list (or allowed required))])
      (if (memq keyword required) (format "~a _" keyword) (format "[~a _]" keyword))))
  (define arity (procedure-arity procedure))
  (string-join (for/list ([arity (in-list (if (list? arity) arity (list arity)))])
                 (string-append "(" (string-join (append (one arity) keywords)) ")"))
               "\n"))

;;; Meanings

;; The meaning of `name`, called so where it is defined in `home` (a path, a symbol, or #f), with `value`, `none` when it is syntax.
(define (meaning name home value)
  (define file (and (path? home) (file-exists? home) home))
  (define-values (line column) (if file (place-of name file) (values #f #f)))
  (define parameters (and column (parameters-in (form-at file line column))))
  (define contract (and (not (eq? value none)) (value-contract value)))
  (append
   (list 'type (cond [(eq? value none) "syntax"]
                     [(parameter? value) "parameter"]
                     [(procedure? value) "procedure"]
                     [else "variable"])
         'name (symbol->string name)
         'arglist (cond [parameters (short-text-of-datum parameters)]
                        [(and (procedure? value) (not (parameter? value))) (arity-text value)]
                        [else #f])
         'facts (append (cond [(eq? value none) '()]
                              [(parameter? value) (list (list "value" (short-text (value))))]
                              [(procedure? value) '()]
                              [else (list (list "value" (short-text value)))])
                        (if contract (list (list "contract" (short-text-of-datum (object-name contract)))) '())))
   (if file (list 'file (path->string file)) '())
   (if line (list 'line line) '())))

(define (short-text-of-datum datum)
  (first (bounded-text 500 (lambda (port) (write datum port)))))

;; The module and the name that `symbol` means in the current namespace; #f and the name for one of the prompt.
(define (origin-of symbol)
  (define binding (identifier-binding (namespace-symbol->identifier symbol)))
  (cond [(pair? binding)
         (define name (resolved-module-path-name (module-path-index-resolve (first binding))))
         (values (if (pair? name) (car name) name) (second binding))]
        [else (values #f symbol)]))

;; What `symbol` stands for in the current namespace: a value, `none` for syntax, or what `missing` returns.
(define (value-of symbol missing)
  (with-handlers ([exn:fail:syntax? (lambda (_) none)]
                  [exn:fail:contract:variable? (lambda (_) (missing))])
    (namespace-variable-value symbol #t)))

;; What `function` answers for the symbol that the request names, and its value.
(define (answer-about-name request function)
  (answer-with-code
   request
   (lambda (evaluation)
     (in-phase 'print)
     (define text (argument request 'name))
     (define symbol (string->symbol (string-trim text #px"[\\s'|]+")))
     (define missing (gensym))
     (define value (value-of symbol (lambda () missing)))
     (if (eq? value missing)
         (list 'outcome 'refused 'no-name text 'in (module-name-text (current-namespace)) 'names (names-near text))
         (function symbol value)))))

;; Names about as long as `text` that are bound in the current namespace.
(define (names-near text)
  (define slack (max 1 (quotient (string-length text) 3)))
  (define near
    (for*/list ([symbol (in-list (namespace-mapped-symbols))]
                [name (in-value (symbol->string symbol))]
                #:when (<= (abs (- (string-length name) (string-length text))) slack))
      name))
  (take near (min most-names (length near))))

(define (answer-describe request)
  (answer-about-name
   request
   (lambda (symbol value)
     (define-values (home name) (origin-of symbol))
     (define described (meaning name home value))
     (list 'outcome 'described 'name (symbol->string symbol)
           'home (if home (name-text home) "top-level")
           'exported (and home (exported? name home))
           'meanings (list described)))))

(define (exported? name home)
  (with-handlers ([exn:fail? (lambda (_) #f)])
    (define-values (variables syntaxes) (module->exports (if (symbol? home) (list 'quote home) home)))
    (for*/or ([phase (in-list (append variables syntaxes))] #:when (eqv? (car phase) 0))
      (and (assq name (cdr phase)) #t))))

;;; References

(define (answer-references request)
  (answer-about-name
   request
   (lambda (symbol value)
     (define-values (home name) (origin-of symbol))
     ;; What a macro has copied is one reference.
     (define found
       (remove-duplicates
       (for*/list ([file (in-list (sort (hash-keys references) string<?))]
                   [reference (in-list (hash-ref references file))]
                   #:when (and (eq? (reference-name reference) name) (equal? (reference-module reference) home)))
         (list 'kind (reference-kind reference)
               'name (if (reference-within reference) (symbol->string (reference-within reference)) "a form")
               'file file
               'line (or (reference-within-line reference) (reference-line reference))
               'at-line (reference-line reference) 'at-column (reference-column reference)))))
     (list 'outcome 'references 'name (symbol->string symbol) 'home (if home (name-text home) "top-level")
           'total (length found)
           'references (take found (min most-references (length found)))
           'not-noted (for/list ([file (in-list (loaded-files))]
                                 #:unless (hash-has-key? references (path->string file)))
                        (path->string file))))))

;;; Exports

(define (answer-exports request)
  (answer-with-code
   request
   (lambda (evaluation)
     (in-phase 'print)
     (define name (argument request 'name))
     (define path (module-path-of name))
     (current-namespace top-namespace)
     (cond [(with-handlers ([exn:fail:filesystem? (lambda (_) #f)])
              (and path (module-declared? path #t)))
            (exports-of name path (argument request 'offset) (argument request 'count))]
           [else (list 'outcome 'refused 'no-package name 'packages (known-modules))]))))

(define (exports-of name path offset count)
  (define home
    (resolved-module-path-name (module-path-index-resolve (module-path-index-join path #f))))
  (define-values (variables syntaxes) (module->exports path))
  (define (names phases)
    (for*/list ([phase (in-list phases)] #:when (eqv? (car phase) 0) [export (in-list (cdr phase))]) export))
  (define all (sort (append (names variables) (names syntaxes)) symbol<? #:key car))
  (define syntax-names (map car (names syntaxes)))
  (define shown (take (drop all (min offset (length all))) (min count (max 0 (- (length all) offset)))))
  (define (value-of-export symbol)
    (if (memq symbol syntax-names)
        none
        (with-handlers ([exn:fail? (lambda (_) (void))]) (dynamic-require path symbol))))
  (list 'outcome 'exports 'name name 'file (and (path? home) (path->string home)) 'total (length all)
        'exports (for/list ([export (in-list shown)])
                   (define from (and (pair? (cadr export)) (source-of-origin (last (cadr export)) path)))
                   (define told (meaning (car export) (or from home) (value-of-export (car export))))
                   (if from (with-fact told (list "from" (name-text from))) told))))

;; The module that an origin, as `module->exports` gives it, names; relative to the module at `path`.
(define (source-of-origin origin path)
  (define index (if (pair? origin) (car origin) origin))
  (define-values (name base) (module-path-index-split index))
  (with-handlers ([exn:fail? (lambda (_) #f)])
    (define resolved
      (resolved-module-path-name (module-path-index-resolve (module-path-index-join name (module-path-index-join path #f)))))
    (if (pair? resolved) (car resolved) resolved)))

(define (with-fact meaning fact)
  (cond [(eq? (car meaning) 'facts) (list* 'facts (append (cadr meaning) (list fact)) (cddr meaning))]
        [else (list* (car meaning) (cadr meaning) (with-fact (cddr meaning) fact))]))
