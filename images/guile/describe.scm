;;; The meanings of names. README.md describes the messages.

(define most-methods 200)

;;; Names

(define (split-name text)
  "(symbol module) of a name as people write it: `foo', `(@ (my app) foo)', `(@@ (my app) foo)'. The module is a name or #f;
the symbol is #f when TEXT is a module's name, or nothing at all."
  (match (failsafe (const #f) (lambda () (call-with-input-string text read)))
    ((or ('quote (? symbol? name)) ('syntax (? symbol? name)) (? symbol? name)) (list name #f))
    (((or '@ '@@) ((? symbol? parts) ...) (? symbol? name)) (list name parts))
    (((or (? symbol? parts) (? integer? parts)) ...) (list #f (and (pair? parts) parts)))
    (_ (list #f #f))))

(define (modules-of-project)
  "The loaded modules that belong neither to Guile nor to this agent."
  (filter (lambda (module)
            (let ((file (module-filename module)))
              (and (not (memq module (list (resolve-module '(lispwright agent)) (resolve-module '(guile)))))
                   (if file
                       (not (library-file? file))
                       (not (equal? (module-text module) "(guile)"))))))
          (loaded-modules)))

(define (local-variable module symbol)
  (let ((variable (module-local-variable module symbol)))
    (and variable (variable-bound? variable) variable)))

(define (visible-variable module symbol)
  (let ((variable (module-variable module symbol)))
    (and variable (variable-bound? variable) variable)))

(define (home-of symbol variable module)
  "The module that defines VARIABLE, seen as SYMBOL in MODULE, as far as that is known. An interface may have a variable
that its module only passes on: by re-export, or through another interface that it uses."
  (define (defines? module)
    (eq? (module-local-variable module symbol) variable))
  (let search ((modules (list module)) (seen '()))
    (match modules
      (() #f)
      ((module . others)
       (let ((whole (or (full-module module) module)))
         (cond ((memq module seen) (search others seen))
               ((defines? whole) whole)
               (else (search (append others (module-uses whole)
                                     (append-map module-uses (delete #f (list (module-public-interface whole)))))
                             (cons module seen)))))))))

(define (interface-variable module symbol)
  "The variable that MODULE exports as SYMBOL, or #f."
  (let ((interface (module-public-interface module)))
    (and interface (visible-variable interface symbol))))

(define (modules-passing-on symbol variable home)
  "The names of the loaded modules other than HOME that export VARIABLE as SYMBOL."
  (filter-map (lambda (module)
                (and (not (eq? module home))
                     (eq? (interface-variable module symbol) variable)
                     (module-text module)))
              (modules-of-project)))

(define (full-module module)
  "The module whose public interface MODULE is; MODULE itself when it is not an interface."
  (and (module-name module)
       (eq? (module-kind module) 'interface)
       (resolve-module (module-name module) #f #:ensure #f)))

(define (exported? symbol variable module)
  (let ((interface (and module (module-public-interface module))))
    (and interface (eq? (module-variable interface symbol) variable))))

(define (whole-name symbol variable module)
  "SYMBOL as it is written where the module is not used."
  (format #f "(~a ~a ~a)" (if (exported? symbol variable module) '@ '@@) (module-text module) (short-text symbol)))

(define (same-named symbol)
  "((module . variable) ...) for the project's modules that define SYMBOL, or export something else by that name."
  (define (with variable-in)
    (filter-map (lambda (module)
                  (let ((variable (variable-in module symbol)))
                    (and variable (cons module variable))))
                (modules-of-project)))
  (delete-duplicates (append (with local-variable) (with interface-variable))
                     (lambda (one other) (eq? (cdr one) (cdr other)))))

(define (names-near text module)
  "Names of similar length to TEXT: those visible in MODULE, and those that other modules of the project define."
  (let ((names (make-hash-table))
        (slack (max 1 (quotient (string-length text) 3))))
    (define (near? name)
      (<= (abs (- (string-length name) (string-length text))) slack))
    (define (note module name-of)
      (module-for-each (lambda (symbol variable)
                         (when (and (near? (symbol->string symbol)) (variable-bound? variable))
                           (hash-set! names (name-of symbol variable) #t)))
                       module))
    (for-each (lambda (module)
                (note module (lambda (symbol variable) (symbol->string symbol))))
              (cons module (module-uses module)))
    (for-each (lambda (other)
                (note other
                      (lambda (symbol variable)
                        (if (eq? variable (module-variable module symbol))
                            (symbol->string symbol)
                            (whole-name symbol variable other)))))
              (delete module (modules-of-project)))
    (hash-map->list (lambda (name _) name) names)))

;;; Meanings

(define (arity-text arity)
  "One parameter list, from Guile's description of a procedure's arity."
  (define (part key)
    (or (assq-ref arity key) '()))
  (define (marked mark parameters)
    (if (null? parameters) '() (cons mark (map short-text parameters))))
  (let ((words (append (map short-text (part 'required))
                       (marked "#:optional" (part 'optional))
                       (marked "#:key" (map (match-lambda
                                              ((name . _) (if (keyword? name) (keyword->symbol name) name))
                                              (name name))
                                            (part 'keyword)))
                       (if (assq-ref arity 'allow-other-keys?) '("#:allow-other-keys") '()))))
    (match (assq-ref arity 'rest)
      (#f (string-append "(" (string-join words " ") ")"))
      (rest (if (null? words)
                (short-text rest)
                (string-append "(" (string-join words " ") " . " (short-text rest) ")"))))))

(define (arglist-text procedure)
  "The parameter lists of PROCEDURE, each on a line of its own; #f when they are not known."
  (failsafe
   (const #f)
   (lambda ()
     (match (if (program? procedure) (program-arguments-alists procedure) #f)
       ((? pair? arities) (string-join (map arity-text arities) "\n"))
       (_ (match (procedure-minimum-arity procedure)
            ((required optional rest?)
             (arity-text `((required . ,(make-list required '_)) (optional . ,(make-list optional '_))
                           (rest . ,(and rest? '_)))))
            (_ #f)))))))

(define (procedure-place procedure)
  "(#:file path #:line line) of PROCEDURE, as far as it was compiled from a file."
  (match (and (program? procedure) (failsafe (const #f) (lambda () (program-source procedure 0))))
    ;; Interpreted code has its place in the interpreter.
    ((_ (or "ice-9/eval.scm" (? call-file?)) . _) '())
    ((_ (? string? file) line . _) (list #:file (full-path file) #:line (1+ line)))
    (_ '())))

(define (call-file? file)
  (and (string? file) (string-prefix? "call-" file)))

(define (module-place module)
  "(#:file path) of what is defined in MODULE at a line that is not known."
  (let ((file (and module (module-filename module))))
    (if file (list #:file (full-path file)) '())))

(define (place-in module procedure)
  "The place of PROCEDURE, or as much as its module tells. That is also the place of a procedure that one of Guile's
own, such as `define-class', has made for a module of the project."
  (define (ours? path)
    (not (string-prefix? (%package-data-dir) path)))
  (match (cons (procedure-place procedure) (module-place module))
    ((() . place) place)
    (((#:file path . _) . (and place (#:file (? ours?)))) (if (ours? path) (procedure-place procedure) place))
    ((place . _) place)))

(define (documented text limit)
  (if (string? text) (list #:documentation (substring* text limit)) '()))

(define (inlined-procedure symbol module)
  "The procedure of SYMBOL when it is a macro that only inlines one, like those of a record."
  (let ((variable (and module (module-local-variable module (symbol-append '% symbol '-procedure)))))
    (and variable (variable-bound? variable) (procedure? (variable-ref variable)) (variable-ref variable))))

(define (meanings symbol value module limit)
  "The kind of VALUE, the value of SYMBOL in MODULE."
  (define name (short-text symbol))
  (define (meaning type . facts)
    (cons* #:type type #:name name (concatenate facts)))
  (define (arglist procedure)
    (let ((text (arglist-text procedure)))
      (if text (list #:arglist text) '())))
  (define (procedure-meaning type procedure)
    (meaning type (arglist procedure) (documented (procedure-documentation procedure) limit)
             (place-in module procedure)))
  (define (facts . pairs)
    (list #:facts (filter second pairs)))
  (cond ((and (macro? value) (inlined-procedure symbol module))
         => (lambda (procedure) (list (procedure-meaning "procedure" procedure))))
        ((macro? value)
         (let ((transformer (macro-transformer value)))
           (list (if (procedure? transformer)
                     (meaning (if (eq? (macro-type value) 'macro) "syntax" "core syntax")
                              (documented (failsafe (const #f) (lambda () (procedure-documentation transformer))) limit)
                              (if (eq? (macro-type value) 'macro) (place-in module transformer) '()))
                     (meaning "core syntax")))))
        ((is-a? value <generic>)
         (cons (meaning "generic procedure"
                        (facts (list "methods" (number->string (length (generic-function-methods value)))))
                        (module-place module))
               (map (lambda (method) (method-meaning name method module limit))
                    (take* (generic-function-methods value) most-methods))))
        ((parameter? value)
         (list (meaning "parameter" (facts (list "value" (short-text (value)))) (module-place module))))
        ((procedure? value) (list (procedure-meaning "procedure" value)))
        ((is-a? value <class>)
         (list (meaning "class"
                        (facts (list "superclasses" (short-text (map class-name (class-direct-supers value))))
                               (list "slots" (short-text (map slot-definition-name (class-direct-slots value))))
                               (list "subclasses" (and (pair? (class-direct-subclasses value))
                                                       (short-text (map class-name (class-direct-subclasses value))))))
                        (module-place module))))
        ((record-type? value)
         (list (meaning "record type" (facts (list "fields" (short-text (record-type-fields value)))) (module-place module))))
        (else
         (list (meaning "variable" (facts (list "value" (short-text value))) (module-place module))))))

(define (record-type? value)
  (failsafe (const #f) (lambda () (and (struct-vtable? value) (pair? (record-type-fields value))))))

(define (method-meaning name method module limit)
  (let ((procedure (method-procedure method)))
    (append (list #:type "method"
                  #:name (string-append name " " (short-text (map class-name* (method-specializers* method)))))
            (documented (and (procedure? procedure) (procedure-documentation procedure)) limit)
            (place-in module procedure))))

(define (class-name* specializer)
  (if (is-a? specializer <class>) (class-name specializer) specializer))

(define (method-specializers* method)
  "The specializers of METHOD; the tail of an improper list is for the rest of the arguments."
  (let ((specializers (method-specializers method)))
    (if (list? specializers) specializers (list specializers))))

(define (module-meaning module limit)
  (let ((names (map (match-lambda ((name . _) (short-text name))) (module-exports module))))
    (append (list #:type "module" #:name (module-text module)
                  #:facts (list (list "exports" (if (null? names) "nothing" (string-join (take* names 200) " ")))
                                (list "uses" (short-text (map module-name (module-uses module))))))
            (module-place module))))

(define (described symbol variable module limit)
  (let ((home (or (home-of symbol variable module) module)))
    (list #:outcome #:described
          #:name (whole-name symbol variable home)
          #:home (module-text home)
          #:exported (exported? symbol variable home)
          #:meanings (match (cons (sort (modules-passing-on symbol variable home) string<?)
                                  (meanings symbol (variable-ref variable) home limit))
                       (((? pair? others) first . rest)
                        (cons (with-fact first "also exported from" (string-join others ", ")) rest))
                       ((_ . meanings) meanings)))))

(define (with-fact meaning name text)
  "MEANING with one more fact."
  (let loop ((rest meaning) (before '()))
    (match rest
      (() (append meaning (list #:facts (list (list name text)))))
      ((#:facts facts . others) (append (reverse before) (list #:facts (append facts (list (list name text)))) others))
      ((key value . others) (loop others (cons* value key before))))))

(define (answer-describe request)
  "Describes the meanings of the name in the request; returns the fields of the answer."
  (let ((limit (or (argument request #:limit) 4000)))
    (answer-about-name request
                       (lambda (symbol variable module) (described symbol variable module limit))
                       (lambda (module)
                         (list #:outcome #:described #:name (module-text module)
                               #:meanings (list (module-meaning module limit)))))))

(define* (answer-about-name request answer #:optional answer-module)
  "The answer of ANSWER for the symbol that the name in the request denotes, its variable and the module it is seen in;
for the name of a module the answer of ANSWER-MODULE. A name without a meaning is refused with similar ones."
  (let ((text (or (argument request #:name) "")))
    (answer-with-code
     request
     (lambda (evaluation)
       (set-evaluation-phase! evaluation 'print)
       (match (split-name text)
         ((#f #f) (no-name text (current-module) '()))
         ((#f name)
          (let ((module (loaded-module name)))
            (cond ((not module) (list #:outcome #:refused #:no-package (short-text name) #:packages (known-modules)))
                  (answer-module (answer-module module))
                  (else (no-name text (current-module) '())))))
         ((symbol name)
          (let* ((module (if name (loaded-module name) (current-module)))
                 (variable (and module
                                (or (if name (local-variable module symbol) (visible-variable module symbol))
                                    (interface-variable module symbol)))))
            (cond ((not module) (list #:outcome #:refused #:no-package (short-text name) #:packages (known-modules)))
                  (variable (answer symbol variable module))
                  (else
                   (match (if name '() (same-named symbol))
                     (((module . variable)) (answer symbol variable module))
                     (found
                      (no-name text module
                               (map (match-lambda ((module . variable) (whole-name symbol variable module)))
                                    found)))))))))))))

(define (export-meanings symbol variable module limit)
  "The meanings of SYMBOL, an export of MODULE for VARIABLE, without methods, with its home if that is another module."
  (let ((home (or (home-of symbol variable module) module)))
    (filter-map (match-lambda
                  ((#:type "method" . _) #f)
                  ((#:type type #:name name . facts)
                   ;; Of two values of a key the first takes effect.
                   (cons* #:type type #:name name
                          #:facts (if (eq? home module) '() (list (list "from" (module-text home))))
                          facts)))
                (if (variable-bound? variable)
                    (meanings symbol (variable-ref variable) home limit)
                    (list (list #:type "unbound variable" #:name (short-text symbol)))))))

(define (module-exports module)
  "((symbol . variable) ...) of the public interface of MODULE, by their names: what it has itself, and what the interfaces
have that it uses."
  (define names (make-hash-table))
  (define interface (module-public-interface module))
  (let note ((modules (if interface (list interface) '())) (seen '()))
    (match modules
      (() #f)
      ((module . others)
       (unless (memq module seen)
         (module-for-each (lambda (symbol _) (hashq-set! names symbol (module-variable interface symbol))) module))
       (note (if (memq module seen) others (append (module-uses module) others)) (cons module seen)))))
  (sort (filter cdr (hash-map->list cons names))
        (lambda (one other) (string<? (symbol->string (car one)) (symbol->string (car other))))))

(define (answer-exports request)
  "Lists the exports of the module in the request; returns the fields of the answer."
  (let ((text (or (argument request #:name) ""))
        (limit (or (argument request #:limit) 200)))
    (answer-with-code
     request
     (lambda (evaluation)
       (set-evaluation-phase! evaluation 'print)
       (let ((module (match (split-name text)
                       ((#f name) (and name (loaded-module name)))
                       ((symbol _) (loaded-module (list symbol))))))
         (if (not module)
             (list #:outcome #:refused #:no-package text #:packages (known-modules))
             (let ((exports (module-exports module)))
               (cons* #:outcome #:exports #:name (module-text module) #:total (length exports)
                      #:exports (append-map (match-lambda
                                              ((symbol . variable) (export-meanings symbol variable module limit)))
                                            (window exports (or (argument request #:offset) 0)
                                                    (or (argument request #:count) 100)))
                      (module-place module)))))))))

(define (loaded-module name)
  "The module of that NAME, a list of symbols, if it is loaded."
  (failsafe (const #f) (lambda () (resolve-module name #f #:ensure #f))))

(define (no-name text module elsewhere)
  (list #:outcome #:refused #:no-name text #:in (module-text module)
        #:elsewhere elsewhere
        #:names (if (null? elsewhere) (names-near text module) '())))
