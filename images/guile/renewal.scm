;;; Bringing the loaded part of the project to the state of its files.
;;;
;;; The parent names the files that are stale: those that have changed, and those that use them. Before anything is loaded,
;;; they are forgotten: their modules have no interface and their variables no value, so that whoever uses one loads it, in
;;; the order of a fresh process. A variable that has no value after that is not in the file any more, and is removed. What
;;; was defined by hand stays. If a file does not load, what was there before comes back, and the file stays stale.

;;; What is loaded

(define loaded-files '())               ; paths of the project's files, the last loaded one first
(define loaded-texts (make-hash-table)) ; path of a file that was loaded whole -> its content then, or
                                        ; 'stale
(define file-bindings (make-hash-table)) ; path -> ((module name . value) ...): what its code has bound

(define (note-loaded path content)
  "Records that the file at PATH was loaded whole, and had this CONTENT."
  (hash-set! loaded-texts path content)
  (set! loaded-files (cons path (delete path loaded-files)))
  (set! renewed (cons path (delete path renewed)))
  (set! stale (delete path stale)))

(define (file-state path)
  "What has become of the loaded file at PATH, as a keyword."
  (let ((content (failsafe (const #f) (lambda () (file-content path)))))
    (cond ((not content) #:gone)
          ((equal? content (hash-ref loaded-texts path)) #:same)
          (else #:changed))))

(define (answer-loaded-files request)
  "The files of the project that are loaded, in the order of their loading, with those that they use."
  (let ((noted (noted-modules)))
    (list #:outcome #:loaded-files
          #:files (map (lambda (path) (list path (file-state path) (files-used-by path noted)))
                       (reverse loaded-files)))))

(define (files-used-by path noted)
  "The paths of those NOTED modules that the modules of the file at PATH use."
  (delete-duplicates
   (append-map (lambda (one) (if (equal? (car one) path) (map car (used-modules one noted)) '()))
               noted)))

(define (files-comprised path)
  "The path, and those of the loaded files that its modules use, also through others."
  (let ((noted (noted-modules)))
    (let loop ((agenda (list path)) (found '()))
      (match agenda
        (() (reverse found))
        ((path . others)
         (if (member path found)
             (loop others found)
             (loop (append (files-used-by path noted) others) (cons path found))))))))

;;; Forgetting what is stale

(define stale '())                      ; paths of files that have to be loaded before what uses them
(define renewed '())                    ; paths of the files that were loaded for the current request, the last one first
(define removed '())                    ; (kind name path) of what has left the files, the last one first
(define forgotten '())                  ; what was forgotten and not loaded since

;; A module of a file, as it was before it was forgotten.
(define-record-type <forgotten>
  (make-forgotten path module interface exports uses bindings)
  forgotten?
  (path forgotten-path)
  (module forgotten-module)
  (interface forgotten-interface)       ; or #f, for the module of the session
  (exports forgotten-exports)           ; ((name . variable) ...)
  (uses forgotten-uses)
  (bindings forgotten-bindings))        ; ((name variable . value) ...), those that the file has made

(define (modules-of path)
  "The modules whose definition is in the file at PATH."
  (filter (lambda (module)
            (let ((file (module-filename module)))
              (and file (equal? (full-path file) path))))
          (loaded-modules)))

(define (bound-values module)
  "((name variable . value) ...) of the variables of the module's own."
  (filter-map (lambda (binding)
                (match binding
                  ((name . variable)
                   (and (variable-bound? variable) (cons* name variable (variable-ref variable))))))
              (module-map cons module)))

(define (made-by path module)
  "((name variable . value) ...) of the variables that the file at PATH has bound in MODULE and nobody since."
  (let ((made (hash-ref file-bindings path '())))
    (filter (match-lambda
              ((name variable . value)
               (any (match-lambda
                      ((other same-name . same-value)
                       (and (eq? other module) (eq? same-name name) (eq? same-value value))))
                    made)))
            (bound-values module))))

(define (forget-file! path)
  "Takes what the file at PATH has defined out of the image."
  (let ((modules (modules-of path)))
    (for-each (lambda (module) (forget-module! path module)) modules)
    (unless (memq (current-module) modules)
      (forget-bindings! path (current-module)))))

(define (forget-bindings! path module)
  (let ((bindings (made-by path module)))
    (unless (null? bindings)
      (set! forgotten (cons (make-forgotten path module #f '() '() bindings) forgotten))
      (for-each (match-lambda ((name variable . value) (variable-unset! variable))) bindings))))

(define (forget-module! path module)
  (let ((interface (module-public-interface module)) (bindings (made-by path module)))
    (set! forgotten
          (cons (make-forgotten path module interface (module-map cons interface) (module-uses module) bindings)
                forgotten))
    (for-each (match-lambda ((name variable . value) (variable-unset! variable))) bindings)
    (set-module-public-interface! module #f)
    (set-uses! module '())
    (forget-autoload! (module-name module))))

(define (set-uses! module uses)
  (set-module-uses! module uses)
  (hash-clear! (module-import-obarray module))
  (module-modified module))

(define (forget-autoload! name)
  "Makes Guile look for the file of the module NAME again."
  (match (reverse name)
    ((last . directory)
     (set-autoloaded! (string-concatenate (map (lambda (part) (format #f "~a/" part)) (reverse directory)))
                      (symbol->string last) #f))
    (() #f)))

;;; After a file was loaded

(define (finish-file! path)
  "Removes what the file at PATH, which was just loaded, defines no more, and records what its modules have bound."
  (let ((own (modules-of path)))
    (for-each (lambda (one)
                (when (equal? (forgotten-path one) path)
                  (finish-module! one)))
              forgotten)
    (set! forgotten (remove (lambda (one) (equal? (forgotten-path one) path)) forgotten))
    (when (pair? own)
      (hash-set! file-bindings path (append-map bindings-made own)))))

(define (bindings-made module)
  (map (match-lambda ((name variable . value) (cons* module name value))) (bound-values module)))

(define (finish-module! one)
  "Removes the variables of a module that have no value any more, and puts its new interface in the place of the earlier."
  (let ((module (forgotten-module one)))
    (for-each (match-lambda
                ((name variable . value)
                 (unless (variable-bound? variable)
                   (hashq-remove! (module-obarray module) name)
                   (note-removed! value name (forgotten-path one)))))
              (forgotten-bindings one))
    (module-modified module)
    (replace-interface! (forgotten-interface one) (module-public-interface module))))

(define (note-removed! value name path)
  (set! removed
        (cons (list (cond ((macro? value) "syntax") ((procedure? value) "procedure") (else "variable"))
                    (symbol->string name) path)
              removed)))

(define (replace-interface! old new)
  "Makes all who use the interface OLD of a module use NEW. Either may be #f."
  (define (replaced module)
    (when (memq old (module-uses module))
      (set-uses! module (map (lambda (use) (if (eq? use old) new use)) (module-uses module)))))
  (when (and old new (not (eq? old new)))
    (for-each (lambda (module)
                (replaced module)
                (and=> (module-public-interface module) replaced))
              (cons (current-module) (loaded-modules)))))

(define (call-whole path thunk)
  "Calls THUNK, which loads the file at PATH, and records what it has bound. If it does not come to its end, what it
has bound and the modules that it has begun are taken back."
  (let ((content (file-content path))
        (before (modules-of path))
        (module (current-module))
        (bound (bound-values (current-module)))
        (whole? #f))
    (define (new? binding)
      (match binding
        ((name variable . value)
         (match (assq name bound)
           ((_ _ . earlier) (not (eq? earlier value)))
           (#f #t)))))
    ;; Until it has been loaded whole, what was loaded before does not count.
    (hash-remove! loaded-texts path)
    (dynamic-wind
      (const #f)
      (lambda ()
        (call-with-values thunk
          (lambda results
            (unless (memq module (modules-of path))
              (hash-set! file-bindings path
                         (map (match-lambda ((name variable . value) (cons* module name value)))
                              (filter new? (bound-values module)))))
            (finish-file! path)
            (note-loaded path content)
            (set! whole? #t)
            (apply values results))))
      (lambda ()
        (unless whole?
          (for-each (match-lambda ((name . _) (take-back! module name (assq name bound))))
                    (filter new? (bound-values module)))
          (for-each drop-module! (lset-difference eq? (modules-of path) before (map forgotten-module forgotten))))))))

(define (take-back! module name earlier)
  "Gives the variable NAME of MODULE its EARLIER value, (name variable . value), or removes it if that is #f."
  (match earlier
    ((_ variable . value) (variable-set! variable value))
    (#f
     (hashq-remove! (module-obarray module) name)
     (module-modified module))))

;;; When something fails

(define (bring-back! failed?)
  "Gives the forgotten modules of the files for which FAILED? holds their earlier state. The files stay stale: what they
use may be another module when it is there again."
  (for-each
   (lambda (one)
     (when (failed? (forgotten-path one))
       (when (hash-ref loaded-texts (forgotten-path one))
         (hash-set! loaded-texts (forgotten-path one) 'stale))
       (let ((module (forgotten-module one)) (interface (forgotten-interface one)))
         (for-each (match-lambda ((name variable . value)
                                  (module-add! module name variable)
                                  (variable-set! variable value)))
                   (forgotten-bindings one))
         (when interface
           (let ((new (module-public-interface module)))
             (hash-clear! (module-obarray interface))
             (for-each (match-lambda ((name . variable) (module-add! interface name variable)))
                       (forgotten-exports one))
             (set-module-public-interface! module interface)
             (set-uses! module (forgotten-uses one))
             (replace-interface! new interface))))))
   forgotten)
  (set! forgotten (remove (lambda (one) (failed? (forgotten-path one))) forgotten)))

(define (drop-module! module)
  "Takes MODULE out of the tree of modules, so that whoever uses it loads it."
  (match (reverse (module-name module))
    ((last . directory)
     (let ((parent (resolve-module (reverse directory) #f #:ensure #f)))
       (when parent
         (hashq-remove! (module-submodules parent) last)))
     (forget-autoload! (module-name module)))
    (() #f)))

;;; A request

(define (call-renewing request target thunk)
  "Calls THUNK, which loads the file at TARGET for REQUEST, after what is stale was forgotten, and then loads the rest of
that. TARGET is #f for a module that is not the project's."
  (define done? #f)
  (define left '())
  (define (needed? path)
    (match (assoc path (or (argument request #:stale) '()))
      ((_ needed . _) needed)
      (_ #f)))
  (define gone (or (argument request #:gone) '()))
  (dynamic-wind
    (lambda ()
      (set! stale (map car (or (argument request #:stale) '())))
      (unless (and (null? stale) (null? gone))
        (forget-kept-code! (and (argument request #:keeps) target)))
      (set! renewed '())
      (set! removed '())
      (set! forgotten '()))
    (lambda ()
      (for-each forget-file! (append stale gone))
      (for-each forget-gone! gone)
      (let ((scripts (filter (lambda (path) (and (needed? path) (not (forgotten-module-of path)))) stale)))
        (for-each load-source scripts))
      (let ((answer (thunk)))
        (for-each (lambda (path)
                    (when (member path stale)
                      (if (needed? path)
                          (load-source path)
                          (let ((why (load-if-possible path)))
                            (when why
                              (set! left (cons (list path why) left)))))))
                  stale)
        (set! done? #t)
        (append answer
                (list #:left (reverse left) #:comprises (if target (files-comprised target) '())))))
    (lambda ()
      (unless done?
        (bring-back! (const #t)))
      (set! stale '()))))

(define (forgotten-module-of path)
  "A module of the file at PATH that was forgotten, if there is one."
  (find (lambda (one) (and (equal? (forgotten-path one) path) (forgotten-interface one))) forgotten))

(define (forget-gone! path)
  "Forgets for good what the file at PATH, which is not there any more, has defined."
  (for-each (lambda (one)
              (when (equal? (forgotten-path one) path)
                (for-each (match-lambda ((name variable . value) (note-removed! value name path)))
                          (forgotten-bindings one))
                (when (forgotten-interface one)
                  (set-uses! (current-module) (delq (forgotten-interface one) (module-uses (current-module))))
                  (drop-module! (forgotten-module one)))))
            forgotten)
  (set! forgotten (remove (lambda (one) (equal? (forgotten-path one) path)) forgotten))
  (hash-remove! loaded-texts path)
  (hash-remove! file-bindings path)
  (set! loaded-files (delete path loaded-files)))

(define (load-if-possible path)
  "Loads the file at PATH, which the target does not need; returns #f, or the reason why it does not load."
  (with-exception-handler
   (lambda (exception)
     (bring-back! (lambda (failed) (equal? failed path)))
     (set! stale (delete path stale))
     (exception-text exception 300))
   (lambda ()
     (load-source path)
     #f)
   #:unwind? #t))
