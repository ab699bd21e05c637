#lang racket/base
;; Which names Racket files define and use, as Racket's own expander sees it.
;;
;; The benchmark of the index compares its answers with this.  Reads file names from standard input, one a line, and
;; prints, with tabs between the words:
;;
;;   language MODULE NAME a name of the languages racket and typed/racket: it is in no other line
;;   file NAME
;;   form LINE            the first line of a top-level form, from 1; what follows is in it
;;   definition MODULE NAME
;;   use KIND MODULE NAME
;;   unseen               the form is in the body of a unit or signature, whose names are not those of the module
;;   failed TEXT          what the reader or expander raised; ends the file
;;
;; MODULE is the file that defines the name, after `file:', with `#NAME' for a submodule.  A kind is `call', `value',
;; `assignment' or `macro'; `maybe' for a name in a template of syntax, or in a place that only a macro has seen and left
;; no trace of, as a word of its own; or `made' for a use that a macro makes: it belongs to the form that uses the macro, but is not written there.
;;
;; A module is expanded completely.  Every identifier in the result says what it is bound to; the syntax properties
;; `origin', `disappeared-use' and `disappeared-binding' have those that the expansion has consumed.  The files of the
;; corpus are those of the installed Racket, from which what they require is loaded.

(require racket/list
         racket/match
         racket/set
         racket/string
         racket/port
         syntax/modread)

(define installed "/usr/share/racket/collects/")
(define section "racket/racket-common/")

;; The longest time that a file may take, in seconds.
(define limit 60)

(define (file-of name)
  (if (string-prefix? name section)
      (string-append installed (substring name (string-length section)))
      (path->string (path->complete-path name))))

(define (name-of file)
  (cond
    [(string-prefix? file installed) (string-append section (substring file (string-length installed)))]
    [(string-prefix? file here) (substring file (string-length here))]
    [else file]))

(define here (path->string (path->directory-path (current-directory))))

(define (put . words)
  (displayln (string-join (map (lambda (word) (if (string? word) word (format "~a" word))) words) "\t")))

;; One file

(define current-file (make-parameter #f)) ; a complete path
(define current-text (make-parameter "")) ; its characters, as a string
(define current-forms (make-parameter '#())) ; the first and last position, and the line, of each top-level form

(struct found (definitions uses) #:mutable)
(define (new-found) (found (mutable-set) (mutable-set)))

(define (read-module path)
  (call-with-input-file path
    (lambda (port)
      (port-count-lines! port)
      (with-module-reading-parameterization
        (lambda () (read-syntax path port))))))

;; The forms at top level: those of a module that `#lang' makes, or what stands in the file.
(define (top-level-forms whole)
  (define at (syntax-position whole))
  (syntax-case whole ()
    [(_ _ _ body ...)
     (and at (not (memv (string-ref (current-text) (sub1 at)) '(#\( #\[))))
     (let ([bodies (syntax->list #'(body ...))])
       (or (and (= (length bodies) 1)
                (syntax-case (car bodies) ()
                  [(head . rest)
                   (and (identifier? #'head)
                        (memq (syntax-e #'head) '(#%module-begin #%plain-module-begin module-begin)))
                   (syntax->list #'rest)]
                  [_ #f]))
           bodies))]
    [_ (list whole)]))

;; The name of a module; #f if it is in no file.
(define (module-name-of mpi)
  (define-values (path base) (module-path-index-split mpi))
  (define-values (root submodules)
    (if path
        (match (resolved-module-path-name (module-path-index-resolve mpi))
          [(cons root submodules) (values root submodules)]
          [root (values root '())])
        (values (current-file) (or (module-path-index-submodule mpi) '()))))
  (define file
    (cond
      [(path? root) (path->string (simplify-path root))]
      ;; The module that is expanded.
      [(eq? root '|expanded module|) (path->string (current-file))]
      [else #f]))
  (and file
       (string-append "file:" (name-of file) (apply string-append (map (lambda (s) (format "#~a" s)) submodules)))))

;; What `contract-out' exports instead of a definition has a name that is made of its name.
(define (contracted name)
  (regexp-match #rx"^(.*)provide/contract-(?:[a-z-]*-)?id-(.*)\\.[0-9]+$" (symbol->string name)))

(define (plain-name name)
  (match (contracted name)
    [(list _ prefix name) (string-append prefix name)]
    [_ (symbol->string name)]))

(define (contracted? id phase)
  (match (identifier-binding id phase)
    [(list* _ name _) (and (contracted name) #t)]
    [_ #f]))

;; The module and the name of what an identifier is bound to; #f if it is local or unbound.
(define (meaning id phase)
  (match (identifier-binding id phase)
    [(list* module name _)
     (define file (module-name-of module))
     (and file (list file (plain-name name)))]
    [_ #f]))

;; The names of the languages racket and typed/racket.
(define language
  (for*/set ([module '(racket typed/racket)]
             [namespace (in-value (let ([namespace (make-base-empty-namespace)])
                                    (parameterize ([current-namespace namespace]) (namespace-require module))
                                    namespace))]
             [name (parameterize ([current-namespace namespace]) (namespace-mapped-symbols))]
             [binding (in-value (parameterize ([current-namespace namespace])
                                  (identifier-binding (namespace-symbol->identifier name))))]
             #:when (list? binding)
             [file (in-value (module-name-of (first binding)))]
             #:when file)
    (list file (plain-name (second binding)))))

(define (written? id)
  (define start (syntax-position id))
  (define name (symbol->string (syntax-e id)))
  (and start
       (equal? (syntax-source id) (current-file))
       (let* ([text (current-text)] [end (+ start -1 (string-length name))])
         (or (and (<= end (string-length text)) (string=? (substring text (sub1 start) end) name))
             (and (<= start (string-length text)) (memv (string-ref text (sub1 start)) '(#\| #\\)) #t)))))

;; The number of the top-level form at a place.
(define (form-at syntax)
  (define at (and (equal? (syntax-source syntax) (current-file)) (syntax-position syntax)))
  (define forms (current-forms))
  (and at
       (let loop ([low 0] [high (vector-length forms)])
         (and (< low high)
              (let* ([middle (quotient (+ low high) 2)] [form (vector-ref forms middle)])
                (cond
                  [(< at (first form)) (loop low middle)]
                  [(>= at (second form)) (loop (add1 middle) high)]
                  [else middle]))))))

;; The languages that make the body of a module the body of a unit or of a signature.
(define unit-languages '(racket/unit/lang scheme/unit/lang racket/signature/lang))

(define (in-unit? whole)
  (syntax-case whole ()
    [(_ _ of _ ...) (memq (syntax-e #'of) unit-languages)]
    [_ #f]))

(define (report name)
  (put "file" name)
  (define path (string->path (file-of name)))
  (with-handlers ([void (lambda (raised) (put "failed" (complaint raised)))])
    (unless (equal? (file->bytes* path) (file->bytes* name)) (error "it differs from the installed one"))
    ;; Racket counts the two characters of a line end as one.
    (define text (string-replace (call-with-input-file path port->string) "\r\n" "\n"))
    (parameterize ([current-file path]
                   [current-text text]
                   [current-load-relative-directory (path-only* path)]
                   [current-directory (path-only* path)]
                   [current-namespace (namespace)]
                   [current-output-port (open-output-nowhere)]
                   [current-error-port (open-output-nowhere)]
                   [current-module-declare-name (make-resolved-module-path path)]
                   [read-accept-compiled #t]
                   [exit-handler (lambda (status) (error "it exits"))])
      (define syntax (read-module path))
      (when (eof-object? syntax) (error "it is empty"))
      (parameterize ([current-forms
                      (for/vector ([form (top-level-forms syntax)]
                                   #:when (and (syntax-position form) (equal? (syntax-source form) path)))
                        (list (syntax-position form)
                              (+ (syntax-position form) (syntax-span form))
                              (syntax-line form)))])
        (define expanded (within-limit (lambda () (expand (namespace-syntax-introduce* syntax)))))
        (define forms (for/vector ([_ (current-forms)]) (new-found)))
        (walk expanded syntax forms)
        (define out real-output)
        (parameterize ([current-output-port out])
          (for ([form (current-forms)] [found forms])
            (put "form" (third form))
            (when (in-unit? syntax) (put "unseen"))
            (for ([one (sort (set->list (found-definitions found)) string<? #:key second)])
              (put "definition" (first one) (second one)))
            (for ([one (sort (set->list (found-uses found)) string<? #:key third)])
              (put "use" (first one) (second one) (third one)))))))))

(define real-output (current-output-port))

(define (file->bytes* path) (call-with-input-file path port->bytes))
(define (path-only* path) (let-values ([(base name dir?) (split-path path)]) base))

(define (complaint raised)
  (define text (if (exn? raised) (exn-message raised) (format "~s" raised)))
  (list->string (for/list ([c (in-string text 0 (min 300 (string-length text)))])
                  (if (and (char>? c #\space) (char<? c #\~)) c #\space))))

(define (namespace)
  (define-values (new) (make-base-empty-namespace))
  new)

(define (namespace-syntax-introduce* syntax)
  ;; The name of the language is looked up in the namespace, all others in the language.
  (check-module-form syntax 'expanded #f))

(define (within-limit thunk)
  (define result #f)
  (define worker
    (thread (lambda ()
              (set! result
                    (with-handlers ([void (lambda (raised) (cons #f raised))])
                      (cons #t (thunk)))))))
  (unless (sync/timeout limit worker)
    (kill-thread worker)
    (error "it takes too long"))
  (match result
    [(cons #t value) value]
    [(cons #f raised) (raise raised)]
    [_ (error "it was ended")]))

;; The result of the expander

(define (walk expanded source forms)
  ;; An identifier that is bound in the body of the module.
  (define own-context #f)
  ;; The places of all identifiers and other data in the result.
  (define seen (make-hasheqv))
  (define (see! syntax)
    (let loop ([one syntax])
      (cond
        [(syntax? one)
         (when (and (syntax-position one) (equal? (syntax-source one) (current-file)) (not (pair? (syntax-e one))))
           (hash-set! seen (syntax-position one) #t))
         (loop (syntax-e one))]
        [(pair? one) (loop (car one)) (loop (cdr one))]
        [(vector? one) (for ([part one]) (loop part))]
        [(box? one) (loop (unbox one))]
        [(prefab-struct-key one) (loop (struct->vector one))])))
  ;; What is not in it may mean what it means in the body of the module.
  (define (mention-others!)
    (define module-context (or own-context (syntax-case expanded () [(_ _ _ body) #'body])))
    (let loop ([one source] [around #f])
      (cond
        [(identifier? one)
         (define (mention! name)
           (define id (datum->syntax module-context name one))
           (for ([phase '(0 1)]) (note! 'maybe id phase (form-at one))))
         (unless (hash-ref seen (syntax-position one) #f) (mention! (syntax-e one)))
         ;; A pattern has a class of syntax after a colon.
         (match (regexp-match #rx"^[^:]+:([^:]+)$" (symbol->string (syntax-e one)))
           [(list _ class) (mention! (string->symbol class))]
           [_ (void)])]
        [(syntax? one) (loop (syntax-e one) around)]
        [(pair? one) (loop (car one) around) (loop (cdr one) around)]
        [(vector? one) (for ([part one]) (loop part around))])))
  (define (note! kind id phase around #:template? [template? #f])
    (define what (meaning id phase))
    (define here (form-at id))
    (define at (or here around))
    (when (and what at (not (set-member? language what)))
      (set-add! (found-uses (vector-ref forms at))
                (cons (if (and here (written? id)) kind (if (eq? kind 'maybe) 'maybe 'made)) what))))
  (define (define! id phase around)
    (define what (meaning id phase))
    (define at (or (form-at id) around))
    (when (and (not own-context) (form-at id) (written? id)) (set! own-context id))
    (when (and what at (not (contracted? id phase)))
      (set-add! (found-definitions (vector-ref forms at)) what)))
  (define (each-identifier tree do)
    (let loop ([tree tree])
      (cond
        [(identifier? tree) (do tree)]
        [(pair? tree) (loop (car tree)) (loop (cdr tree))])))
  (define (template! syntax phase around)
    (let loop ([one syntax])
      (cond
        [(identifier? one)
         (note! 'maybe one (sub1 phase) around)
         (note! 'maybe one phase around)]
        [(syntax? one) (loop (syntax-e one))]
        [(pair? one) (loop (car one)) (loop (cdr one))]
        [(vector? one) (for ([part one]) (loop part))]
        [(box? one) (loop (unbox one))]
        [(prefab-struct-key one) (loop (struct->vector one))])))
  (define (properties! syntax phase around)
    (for ([key '(origin disappeared-use disappeared-binding sub-range-binders)])
      (see! (syntax-property syntax key)))
    (each-identifier (syntax-property syntax 'origin) (lambda (id) (note! 'macro id phase around)))
    (each-identifier (syntax-property syntax 'disappeared-use)
                     (lambda (id)
                       (note! 'value id phase around)
                       (unless (meaning id phase) (note! 'value id (add1 phase) around)))))
  (see! expanded)
  ;; The remaining parts are in a list, so nothing recurses on the depth of the code.
  (let loop ([agenda (list (list expanded 0 #f))])
    (match agenda
      ['() (mention-others!)]
      [(cons (list syntax phase around*) rest)
       (define around (or (form-at syntax) around*))
       (when (syntax? syntax) (properties! syntax phase around))
       (define (also . parts) (loop (append (map (lambda (part) (list part phase around)) parts) rest)))
       (define (also-at phase parts) (loop (append (map (lambda (part) (list part phase around)) parts) rest)))
       (define head
         (and (syntax? syntax) (pair? (syntax-e syntax)) (identifier? (car (syntax-e syntax))) (car (syntax-e syntax))))
       (define (core? name) (free-identifier=? head (datum->syntax (core-context) name) phase 0))
       (define kind (and head (for/first ([name core-forms] #:when (core? name)) name)))
       (define (parts) (cdr (syntax->list syntax)))
       (case kind
         [(#%plain-lambda) (apply also (cddr (syntax->list syntax)))]
         [(case-lambda)
          (apply also (append-map (lambda (clause) (cdr (syntax->list clause))) (parts)))]
         [(if begin begin0 with-continuation-mark #%expression) (apply also (parts))]
         [(let-values letrec-values)
          (define bindings (syntax->list (cadr (syntax->list syntax))))
          (apply also (append (map (lambda (one) (cadr (syntax->list one))) bindings) (cddr (syntax->list syntax))))]
         [(letrec-syntaxes+values)
          (define all (syntax->list syntax))
          (define syntaxes (map (lambda (one) (cadr (syntax->list one))) (syntax->list (cadr all))))
          (define values (map (lambda (one) (cadr (syntax->list one))) (syntax->list (caddr all))))
          (loop (append (map (lambda (part) (list part (add1 phase) around)) syntaxes)
                        (map (lambda (part) (list part phase around)) (append values (cdddr all)))
                        rest))]
         [(set!)
          (define all (parts))
          (note! 'assignment (car all) phase around)
          (also (cadr all))]
         [(quote) (loop rest)]
         [(quote-syntax) (template! (cadr (syntax->list syntax)) phase around) (loop rest)]
         [(#%plain-app)
          (define all (parts))
          (cond
            [(and (pair? all) (identifier? (car all)))
             (properties! (car all) phase around)
             (note! 'call (car all) phase around)
             (apply also (cdr all))]
            [else (apply also all)])]
         [(#%top) (loop rest)]
         [(#%variable-reference)
          (for ([id (parts)] #:when (identifier? id)) (note! 'value id phase around))
          (loop rest)]
         [(module module*)
          (define all (syntax->list syntax))
          ;; A submodule with the language #f is expanded with that which is around it.
          (define inner (cadddr all))
          (define shift
            (if (and (eq? kind 'module*) (not (syntax-e (caddr all)))) phase 0))
          (loop (cons (list inner shift around) rest))]
         [(#%plain-module-begin) (apply also (parts))]
         [(define-values)
          (define all (parts))
          (for ([id (syntax->list (car all))]) (define! id phase around))
          (also (cadr all))]
         [(define-syntaxes)
          (define all (parts))
          (for ([id (syntax->list (car all))]) (define! id phase around))
          (also-at (add1 phase) (list (cadr all)))]
         [(begin-for-syntax) (also-at (add1 phase) (parts))]
         [(#%require #%provide #%declare) (loop rest)]
         [else
          (cond
            [(identifier? syntax) (note! 'value syntax phase around) (loop rest)]
            [else (loop rest)])])])))

(define (core-context) #'here)

(define core-forms
  '(#%plain-app #%plain-lambda if let-values begin letrec-values define-values define-syntaxes quote set! case-lambda
    begin0 with-continuation-mark quote-syntax letrec-syntaxes+values #%expression #%top #%variable-reference module
    module* #%plain-module-begin begin-for-syntax #%require #%provide #%declare))

(require (for-syntax racket/base))

(for ([one language]) (put "language" (first one) (second one)))

(let loop ()
  (define name (read-line))
  (unless (eof-object? name)
    (report name)
    (flush-output)
    (loop)))
