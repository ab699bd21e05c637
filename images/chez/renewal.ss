;;; Bringing the loaded part of the project to the state of its files.
;;;
;;; Before anything is loaded for a request, the libraries of stale files are forgotten, so that whoever imports one
;;; loads it from its file, in the order of a fresh process, and fails where that fails. Where the session has imported
;;; them it has their new definitions afterwards. When the request fails, the earlier libraries come back as they were.
;;;
;;; Chez itself forgets a library whose definition fails, and finds the earlier one of a name by its uid: these two make
;;; it possible.

;;; What files consist of

;; What a text uses and defines.
(define-record-type contents
  (fields
   imports                              ; names of libraries
   parts                                ; names of files that it includes or loads
   kinds))                              ; ((name . kind) ...) of its definitions and assignments

(define loaded-files '())               ; paths of the project's files, the last loaded one first
(define loaded-contents (make-hashtable string-hash string=?)) ; path of a file that is not only a part of others -> contents

;; The contents of TEXT, which the file at PATH has.
(define (contents-in path text)
  (let ([known (hashtable-ref known-contents path #f)])
    (if (and known (string=? (car known) text))
        (cdr known)
        (let ([contents (text-contents text)])
          (hashtable-set! known-contents path (cons text contents))
          contents))))

(define known-contents (make-hashtable string-hash string=?)) ; path -> (text . contents)

;; The contents of TEXT, as far as it can be read.
(define (text-contents text)
  (let ([port (open-input-string text)] [imports '()] [parts '()] [kinds '()])
    (define (note-definition head header)
      (let ([name (if (pair? header) (car header) header)])
        (when (symbol? name)
          (set! kinds (cons (cons name
                                  (cond
                                    [(starts-with? head "define-syntax") "syntax"]
                                    [(starts-with? head "define-record") "record type"]
                                    [(pair? header) "procedure"]
                                    [else "variable"]))
                            kinds)))))
    (define (scan form)
      (when (pair? form)
        (case (car form)
          [(import import-only)
           (when (list? form)
             (set! imports (append (filter values (map imported-library (cdr form))) imports)))]
          [(include include-ci load load-program load-library)
           (when (and (pair? (cdr form)) (string? (cadr form)))
             (set! parts (cons (cadr form) parts)))]
          [else
           (when (and (symbol? (car form)) (pair? (cdr form)))
             (let ([head (symbol->string (car form))])
               (when (or (eq? (car form) 'set!) (starts-with? head "define"))
                 (note-definition head (cadr form)))))
           (scan-all form)])))
    (define (scan-all forms)
      (when (pair? forms)
        (scan (car forms))
        (scan-all (cdr forms))))
    (failsafe
     (constantly #f)
     (lambda ()
       (let loop ()
         (let ([form (read port)])
           (unless (eof-object? form)
             (scan form)
             (loop))))))
    (make-contents imports (reverse parts) kinds)))

;; The name of the library that the SPEC of an import takes names from, or #f.
(define (imported-library spec)
  (and (pair? spec)
       (if (and (memq (car spec) '(only except prefix rename for alias add-prefix drop-prefix library))
                (pair? (cdr spec))
                (pair? (cadr spec)))
           (imported-library (cadr spec))
           (filter symbol? spec))))

;; The file that PART names in the file at PATH, or #f.
(define (part-path part path)
  (find file-regular?
        (if (path-absolute? part)
            (list part)
            (list (string-append (path-parent path) "/" part) (string-append project-root "/" part)))))

(define (contents-of path)
  (hashtable-ref loaded-contents path #f))

;; The paths of the parts of the file at PATH.
(define (parts-of path)
  (let ([contents (contents-of path)])
    (if contents
        (filter values (map (lambda (part) (part-path part path)) (contents-parts contents)))
        '())))

;; The paths of the project's files that the file at PATH uses.
(define (files-used-by path)
  (let ([contents (contents-of path)])
    (if contents
        (remove path
                (append (parts-of path)
                        (filter values (map loaded-path (contents-imports contents)))))
        '())))

;; The path, and those of the loaded files that it uses, also through others.
(define (files-comprised path)
  (let loop ([agenda (list path)] [found '()])
    (cond
      [(null? agenda) (reverse found)]
      [(member (car agenda) found) (loop (cdr agenda) found)]
      [else (loop (append (files-used-by (car agenda)) (cdr agenda)) (cons (car agenda) found))])))

;; The paths of loaded files that use one of those at PATHS, also through others.
(define (files-using paths)
  (let ([more (filter (lambda (file)
                        (and (not (member file paths))
                             (loaded? file)
                             (exists (lambda (used) (member used paths)) (files-used-by file))))
                      loaded-files)])
    (if (null? more)
        '()
        (append more (files-using (append more paths))))))

;;; What is loaded

;; Records that the file at PATH is loaded, or being loaded, with this TEXT.
(define (note-file path text)
  (hashtable-set! loaded-texts path text)
  (hashtable-set! loaded-contents path (contents-in path text))
  (set! loaded-files (cons path (remove path loaded-files)))
  (set! renewed (cons path (remove path renewed)))
  (for-each (lambda (part)
              (unless (member part loaded-files)
                (set! loaded-files (cons part loaded-files)))
              (hashtable-set! loaded-texts part (file-text part)))
            (parts-of path)))

(define scripts '())                    ; paths of loaded files that define no libraries

;; Whether the session has what the file at PATH defines, or it is a part of one that it has.
(define (loaded? path)
  (or (exists (lambda (one) (equal? (forgotten-path one) path)) unloadable)
      (has-own? path)))

;; Whether the session has what the file at PATH itself defines.
(define (has-own? path)
  (or (member path scripts)
      (pair? (libraries-of path))
      (not (contents-of path))))

;; The names of the libraries that came from the file at PATH and are loaded.
(define (libraries-of path)
  (filter library-loaded? (map car (filter (lambda (known) (equal? (cdr known) path)) library-paths))))

;; Whether the library NAME is loaded. Chez lists the names of those, too, that were.
(define (library-loaded? name)
  (and (member name (library-list))
       (not (hashtable-contains? forgotten-names name))
       (failsafe (constantly #f)
                 (lambda ()
                   (library-exports name)
                   #t))))

;; What has become of the file at PATH since.
(define (file-state path)
  (cond
    [(not (file-regular? path)) ':gone]
    [(equal? (hashtable-ref loaded-texts path #f) (file-text path)) ':same]
    [else ':changed]))

(define (answer-loaded-files request)
  `(:outcome :loaded-files
    :files ,(map (lambda (path) (list path (file-state path) (files-used-by path))) (filter loaded? (reverse loaded-files)))))

;;; Forgetting libraries

(define library-descriptor-of
  (lambda (uid) (($primitive $sgetprop) uid '*library* #f)))

(define forgotten-names (make-hashtable equal-hash equal?)) ; names of libraries that Chez has forgotten and not loaded since
(define retired (make-weak-eq-hashtable)) ; uids of libraries that others have taken the place of

;; A library that was forgotten.
(define-record-type forgotten
  (fields
   name
   path
   uid
   properties                           ; what Chez knows by its uid
   exports
   imported                             ; ((name . export) ...): what the session calls its exports
   kinds))                              ; ((name . kind) ...) of the definitions in its file

(define unloadable '())                    ; libraries that were forgotten and whose files do not load

;; The uid of the library NAME, which is loaded, or #f. The expansion of a variable of a library names it; of those of
;; that name that Chez knows otherwise, it is the one that was made last and is not retired.
(define (library-uid name)
  (define (number uid)
    (let* ([text (gensym->unique-string uid)] [length (string-length text)])
      (let loop ([at length])
        (if (and (> at 0) (char-numeric? (string-ref text (- at 1))))
            (loop (- at 1))
            (or (string->number (substring* text at)) 0)))))
  (define (invoked code)
    (and (pair? code)
         (eq? (car code) 'begin)
         (pair? (cdr code))
         (let ([call (cadr code)])
           (and (list? call) (= (length call) 4) (pair? (car call)) (memq '$invoke-library (car call))
                (equal? (cadr (cadr call)) name)
                (cadr (cadddr call))))))
  (or (let ([environment (environment name)])
        (exists (lambda (export) (failsafe (constantly #f) (lambda () (invoked (expand export environment)))))
                (library-exports name)))
      (fold-left (lambda (found symbol)
                   (let ([descriptor (and (gensym? symbol) (not (hashtable-ref retired symbol #f)) (library-descriptor-of symbol))])
                     (if (and descriptor
                              (equal? ((record-accessor (record-rtd descriptor) 0) descriptor) name)
                              (or (not found) (> (number symbol) (number found))))
                         symbol
                         found)))
                 #f
                 (oblist))))

;; Makes Chez forget the library NAME: its definition fails.
(define (forget! name)
  (hashtable-set! forgotten-names name #t)
  (call/cc
   (lambda (leave)
     (with-exception-handler
       (lambda (condition) (leave (void)))
       (lambda ()
         (parameterize ([reset-handler (lambda () (leave (void)))])
           (eval `(library ,name (export) (import (chezscheme))
                    (define-syntax fail (lambda (form) ((reset-handler))))
                    (fail)))))))))

;; Forgets the library NAME, whose UID is known; what was forgotten.
(define (forget-library! name uid)
  (let* ([contents (contents-of (loaded-path name))]
         [one (make-forgotten name (loaded-path name) uid (append (($primitive $system-property-list) uid) '())
                              (library-exports name) (names-imported name)
                              (if contents (contents-kinds contents) '()))])
    (forget! name)
    (when (failsafe (constantly #f) (lambda () (library-exports name)))
      (set! needs-fresh (format "Chez does not forget the library ~a." (short-text name))))
    (hashtable-set! retired uid #t)
    (set! library-environments (remp (lambda (known) (equal? (car known) name)) library-environments))
    one))

;; Forgets libraries whose definition was left half way: nobody can import them.
(define (forget-unfinished)
  (for-each (lambda (name)
              (unless (or (library-loaded? name) (hashtable-contains? forgotten-names name))
                (forget! name)))
            begun)
  (set! begun '()))

(define begun '())                      ; names of the libraries whose loading has begun since

;; Brings the library that was FORGOTTEN back as it was.
(define (bring-back! one)
  (let ([name (forgotten-name one)] [uid (forgotten-uid one)])
    (when (library-loaded? name)
      (let ([now (library-uid name)])
        (when now
          (hashtable-set! retired now #t)))
      (forget! name))
    (failsafe
     (constantly #f)
     (lambda ()
       (register name uid)
       (hashtable-delete! retired uid)
       (hashtable-delete! forgotten-names name)
       (let loop ([properties (forgotten-properties one)])
         (unless (null? properties)
           (($primitive $sputprop) uid (car properties) (cadr properties))
           (loop (cddr properties))))
       (note-library name (forgotten-path one))
       (set! unloadable (remp (lambda (other) (equal? (forgotten-name other) name)) unloadable))
       (for-each (lambda (import) (import-as name (cdr import) (car import))) (forgotten-imported one))))))

;; Makes Chez find the library NAME by UID.
(define (register name uid)
  (define type (or library-type
                   (exists (lambda (symbol)
                             (and (gensym? symbol)
                                  (string=? (symbol->string symbol) "library/ct-info")
                                  (($primitive $sgetprop) symbol '*rtd* #f)))
                           (oblist))))
  (define (fields type)
    (if type
        (append (fields (record-type-parent type)) (vector->list (record-type-field-names type)))
        '()))
  (define (value field)
    (case (string->symbol (symbol->string field))
      [(path) name]
      [(uid) uid]
      [(visible?) #t]
      [else '()]))
  (set! library-type type)
  (($primitive $install-library/ct-desc)
   (apply (record-constructor (make-record-constructor-descriptor type #f #f)) (map value (fields type)))
   #f #f "session"))

(define library-type #f)                ; the type of what Chez keeps of a library, when it has been looked for

;;; The session's environment

(define scheme-names
  (let ([names #f])
    (lambda ()
      (unless names
        (set! names (make-eq-hashtable))
        (for-each (lambda (name) (hashtable-set! names name #t)) (environment-symbols (scheme-environment))))
      names)))

;; The names that the session's environment has and the language has not.
(define (session-names)
  (let ([known (scheme-names)])
    (filter (lambda (name) (not (hashtable-contains? known name))) (environment-symbols (interaction-environment)))))

;; ((name . export) ...): what the session calls exports of the library NAME.
(define (names-imported name)
  (define (identifiers names environment)
    (eval `(($primitive list) ,@(map (lambda (name) `(syntax ,name)) names)) environment))
  (define (prefixed export)
    (string->symbol (string-append "library-" (symbol->string export))))
  (failsafe
   (constantly '())
   (lambda ()
     (let* ([names (session-names)]
            [exports (library-exports name)]
            [here (identifiers names (interaction-environment))]
            [there (identifiers (map prefixed exports)
                                (environment `(prefix ,name library-) '(only (chezscheme) syntax $primitive)))])
       (fold-left (lambda (found name identifier)
                    (let ([export (exists (lambda (export other) (and (free-identifier=? identifier other) export)) exports there)])
                      (if export (cons (cons name export) found) found)))
                  '() names here)))))

(define (import-as library export name)
  (eval (if (eq? export name)
            `(import (only ,library ,export))
            `(import (rename (only ,library ,export) (,export ,name))))
        (interaction-environment)))

;; Takes the definition of NAME out of the session's environment.
(define (unbind! name)
  (define-top-level-value name #f (interaction-environment))
  (set-top-level-value! name (($primitive $unbound-object)) (interaction-environment)))

;; ((name kind . value) ...) of the variables that are defined in the session's environment, and of those NAMES that
;; mean syntax. To look at an import could run its library.
(define (session-definitions names)
  (let ([environment (interaction-environment)])
    (define (variable? name)
      (failsafe (constantly #f) (lambda () (and (top-level-mutable? name environment) (top-level-bound? name environment)))))
    (define (syntax? name)
      (failsafe (lambda (_) (top-level-syntax? name environment))
                (lambda () (top-level-mutable? name environment) #f)))
    (append (map (lambda (name) (cons* name 'value (top-level-value name environment)))
                 (filter variable? (session-names)))
            (map (lambda (name) (cons* name 'syntax (top-level-syntax name environment)))
                 (filter syntax? names)))))

(define (same-definition? one other)
  (and (eq? (car one) (car other)) (eq? (cadr one) (cadr other)) (eq? (cddr one) (cddr other))))

(define (define-again! one)
  (if (eq? (cadr one) 'value)
      (begin
        (define-top-level-value (car one) #f (interaction-environment))
        (set-top-level-value! (car one) (cddr one) (interaction-environment)))
      (define-top-level-syntax (car one) (cddr one) (interaction-environment))))

(define (definition-kind one)
  (cond [(eq? (cadr one) 'syntax) "syntax"] [(procedure? (cddr one)) "procedure"] [else "variable"]))

;; The names that CONTENTS, or #f, define as syntax.
(define (syntax-names contents)
  (if contents
      (map car (filter (lambda (one) (equal? (cdr one) "syntax")) (contents-kinds contents)))
      '()))

(define file-definitions (make-hashtable string-hash string=?)) ; path -> definitions that the file has made in the session

;; Calls THUNK, which loads the file at PATH with this TEXT. What the file had defined in the session's environment and
;; defines no more leaves it; if THUNK does not come to its end, the environment is what it was.
(define (call-defining path text thunk)
  (let* ([known (hashtable-ref file-definitions path '())]
         [earlier-syntaxes (map car (filter (lambda (one) (eq? (cadr one) 'syntax)) known))]
         [syntaxes (append (remp (lambda (name) (memq name earlier-syntaxes)) (syntax-names (contents-in path text)))
                           earlier-syntaxes)]
         [names (session-names)]
         [before (session-definitions syntaxes)]
         [own (filter (lambda (one) (exists (lambda (other) (same-definition? one other)) before)) known)]
         [whole? #f])
    (dynamic-wind
     (lambda () (for-each unbind! (map car own)))
     (lambda ()
       (let ([result (thunk)])
         (let ([now (session-definitions syntaxes)])
           (hashtable-set! file-definitions path
                           (filter (lambda (one)
                                     (or (assq (car one) own)
                                         (not (exists (lambda (other) (same-definition? one other)) before))))
                                   now))
           (for-each (lambda (one)
                       (unless (assq (car one) now)
                         (note-removed! (definition-kind one) (car one) path)))
                     own))
         (set! whole? #t)
         result))
     (lambda ()
       (unless whole?
         (for-each (lambda (name) (unless (memq name names) (unbind! name))) (session-names))
         (for-each define-again! before))))))

;;; A request

(define stale '())                      ; paths of files that are loaded anew
(define renewed '())                    ; paths of the files that were loaded for the current request, the last one first
(define removed '())                    ; (kind name path) of what has left the files, the last one first
(define left '())                       ; (path reason) of stale files that do not load, the last one first
(define comprised '())                  ; paths of the files that the target consists of
(define restored '())                   ; what was put back, in words
(define needs-fresh #f)                 ; the reason why only a fresh image can do it

(define (note-removed! kind name path)
  (set! removed (cons (list kind (symbol->string name) path) removed)))

(define (renewal-facts)
  `(:loaded ,(reverse renewed) :removed ,(reverse removed) :left ,(reverse left) :comprises ,comprised :restored ,restored
    ,@(if needs-fresh `(:needs-fresh ,needs-fresh) '())))

(define (begin-renewal request)
  (set! stale (map car (or (argument request ':stale) '())))
  (set! renewed '())
  (set! removed '())
  (set! left '())
  (set! comprised '())
  (set! restored '())
  (set! needs-fresh #f))

;; Calls THUNK, which loads the file at PATH for REQUEST, after the libraries of stale files were forgotten, and of
;; those that use PATH if it is to be loaded ANEW?; then loads the rest of the stale files. PATH may be #f.
(define (call-renewing request path anew? thunk)
  (define gone (or (argument request ':gone) '()))
  (define (needed? path)
    (let ([row (assoc path (or (argument request ':stale) '()))])
      (and row (eq? (cadr row) #t))))     ; NIL is the empty list
  (define users
    (filter (lambda (file) (not (or (member file stale) (member file gone))))
            (reverse (if (and path anew? (pair? (libraries-of path))) (files-using (list path)) '()))))
  (define before (list loaded-files (hashtable-copy loaded-texts #t) (hashtable-copy loaded-contents #t) library-paths
                       (filter library-loaded? (map car library-paths))))
  (define settings (current-settings))
  (define old '())
  (define done? #f)
  (define (forget-files! files)
    (let* ([names (apply append (map libraries-of files))] [uids (map library-uid names)])
      (for-each (lambda (name uid)
                  (when uid
                    (set! old (cons (forget-library! name uid) old))))
                names uids)))
  ;; Everything that was loaded meanwhile goes, what was forgotten comes back.
  (define (undo!)
    (for-each (lambda (name)
                (unless (or (member name (list-ref before 4)) (find (lambda (one) (equal? (forgotten-name one) name)) old))
                  (forget! name)))
              (filter library-loaded? (map car library-paths)))
    (set! loaded-files (list-ref before 0))
    (set! loaded-texts (list-ref before 1))
    (set! loaded-contents (list-ref before 2))
    (set! library-paths (list-ref before 3))
    (for-each bring-back! old))
  (dynamic-wind
   void
   (lambda ()
     (forget-files! (append stale gone users (if (and path anew? (not (member path stale))) (list path) '())))
     (let ([answer (thunk)])
       (for-each (lambda (file)
                   (unless (or (member file renewed) (equal? file path) (not (file-regular? file)))
                     (if (needed? file)
                         (load-part file)
                         (let ([why (load-if-possible file)])
                           (when why
                             (set! left (cons (list file why) left)))))))
                 (append stale users))
       (set! done? #t)
       (for-each forget-gone! gone)
       (for-each finish-library! (append (reverse old) (filter (lambda (one) (library-loaded? (forgotten-name one))) unloadable)))
       (note-comprised path)
       answer))
   (lambda ()
     (unless done?
       (note-comprised path)
       (set! restored (append restored (put-back! settings)))
       (undo!)))))

;; Records what the target at PATH, which may be #f, consists of.
(define (note-comprised path)
  (when (and path (null? comprised))
    (set! comprised (files-comprised path))))

;; Loads the file at PATH, unless it is only a part of others.
(define (load-part path)
  (when (contents-of path)
    (load-source path)))

;; Loads the file at PATH, which the target does not need; #f, or the reason why it does not load.
(define (load-if-possible path)
  (call/cc
   (lambda (leave)
     (with-exception-handler
       (lambda (condition)
         (if (and (warning? condition) (not (serious-condition? condition)))
             (raise-continuable condition)
             (begin
               (set! renewed (filter has-own? renewed))
               (leave (condition-text condition 300)))))
       (lambda ()
         (load-part path)
         #f)))))

;; After the library was FORGOTTEN: the session has the definitions of the present one for what it has imported. One
;; that does not load comes back when it fits those that it uses, and else waits until it loads.
(define (finish-library! one)
  (let ([name (forgotten-name one)] [path (forgotten-path one)])
    (define (forget-imports! lost?)
      (for-each (lambda (import) (when (lost? (cdr import)) (unbind! (car import)))) (forgotten-imported one)))
    (define (tell-lost lost?)
      (for-each (lambda (export) (when (lost? export) (note-left-library! export one))) (forgotten-exports one)))
    (set! unloadable (remq one unloadable))
    (cond
      [(library-loaded? name)
       (let* ([exports (library-exports name)] [lost? (lambda (export) (not (memq export exports)))])
         (for-each (lambda (import) (unless (lost? (cdr import)) (import-as name (cdr import) (car import))))
                   (forgotten-imported one))
         (forget-imports! lost?)
         (tell-lost lost?))]
      [(not (file-regular? path))
       (forget-imports! (constantly #t))
       (tell-lost (constantly #t))]
      [(exists (lambda (used) (or (member used renewed) (find (lambda (other) (equal? (forgotten-path other) used)) unloadable)))
               (files-used-by path))
       (hashtable-delete! loaded-texts path)
       (forget-imports! (constantly #t))
       (set! unloadable (cons one unloadable))]
      [else
       (bring-back! one)
       (hashtable-delete! loaded-texts path)])))

(define (note-left-library! export one)
  (let ([known (assq export (forgotten-kinds one))])
    (note-removed! (if known (cdr known) "export") export (forgotten-path one))))

;; Forgets what the file at PATH, which is not there any more, has defined in the session.
(define (forget-gone! path)
  (let ([now (session-definitions (map car (hashtable-ref file-definitions path '())))])
    (for-each (lambda (one)
                (when (exists (lambda (other) (same-definition? one other)) now)
                  (unbind! (car one))
                  (note-removed! (definition-kind one) (car one) path)))
              (hashtable-ref file-definitions path '())))
  (hashtable-delete! file-definitions path)
  (hashtable-delete! loaded-texts path)
  (hashtable-delete! loaded-contents path)
  (set! scripts (remove path scripts))
  (set! library-paths (remp (lambda (known) (equal? (cdr known) path)) library-paths))
  (set! loaded-files (remove path loaded-files)))

;;; Places

;; (file line column) of the import that CONDITION is about, of a library that is not there or imports itself; #f for
;; other conditions.
(define (import-place condition)
  (let* ([name (and (message-condition? condition)
                    (irritants-condition? condition)
                    (pair? (condition-irritants condition))
                    (exists (lambda (beginning) (starts-with? (condition-message condition) beginning))
                            '("library ~s not found" "cyclic dependency involving import of library"))
                    (car (condition-irritants condition)))]
         [path (and (pair? name)
                    (find (lambda (path)
                            (let ([contents (contents-of path)])
                              (and contents (member (filter symbol? name) (contents-imports contents)))))
                          renewed))])
    (and path
         (let* ([text (hashtable-ref loaded-texts path "")]
                [at (text-index text (short-text (filter symbol? name)) 0)])
           (cons path (if at (line-and-column text at) '(#f #f)))))))

;;; Settings

;; Parameters that code sets for what comes after it, with their names in words.
(define settings
  (list (cons "the library directories" library-directories)
        (cons "the library extensions" library-extensions)
        (cons "the source directories" source-directories)
        (cons "the current directory" current-directory)
        (cons "the command line" command-line-arguments)
        (cons "the evaluator" current-eval)
        (cons "the expander" current-expand)
        (cons "the library search handler" library-search-handler)
        (cons "case-sensitive" case-sensitive)
        (cons "optimize-level" optimize-level)
        (cons "print-gensym" print-gensym)
        (cons "print-graph" print-graph)
        (cons "print-level" print-level)
        (cons "print-length" print-length)
        (cons "print-radix" print-radix)))

(define (current-settings)
  (map (lambda (setting) ((cdr setting))) settings))

;; Puts back what has changed since the settings were BEFORE; that, in words.
(define (put-back! before)
  (filter values
          (map (lambda (setting value)
                 (and (not (equal? ((cdr setting)) value))
                      (begin
                        ((cdr setting) value)
                        (car setting))))
               settings before)))
