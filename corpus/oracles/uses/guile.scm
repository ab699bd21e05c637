;;; Which names Scheme files define and use, as Guile's own expander sees it.
;;;
;;; The benchmark of the index compares its answers with this.  Reads file names from standard input, one a line, and
;;; prints, with tabs between the words:
;;;
;;;   file NAME
;;;   form LINE            the first line of a top-level form, from 1; what follows is in it
;;;   definition MODULE NAME
;;;   use KIND MODULE NAME
;;;   failed TEXT          what the expander threw; ends the file
;;;
;;; MODULE and NAME are those of the variable: where it is defined, not where it is imported.  A kind is `call', `value',
;;; `assignment' or `macro'; `maybe' for a name whose uses cannot be seen; or `made' for a use that a macro makes: it belongs to the form that uses the macro, but its
;;; place is in the template.
;;;
;;; Names that every module has from (guile) are left out, and files that declare no module: they are parts of others.
;;;
;;; Nothing is optimised before: the result of the expander has every reference of the source.  It has no trace of
;;; macros, so each macro of a library is replaced by one that notes its uses.  A file is expanded in a process of its
;;; own, because it changes modules that others need.

(use-modules (ice-9 match)
             (ice-9 rdelim)
             (srfi srfi-1)
             (language tree-il))

(define (put . words)
  (display (string-join (map (lambda (word) (if (string? word) word (object->string word display))) words) "\t"))
  (newline))

(define (complaint key args)
  (string-map (lambda (c) (if (char<=? #\space c #\~) c #\?))
              (call-with-output-string
                (lambda (port) (print-exception port #f key args)))))

;;; Modules

(define (loaded-modules)
  "All modules, without their interfaces."
  (let loop ((agenda (list (resolve-module '() #f #:ensure #f))) (found '()))
    (match agenda
      (() found)
      ((module . rest)
       (loop (append (hash-map->list (lambda (name module) module) (module-submodules module)) rest)
             (cons module found))))))

(define (variables)
  "The home of each variable: (module . name)."
  (let ((homes (make-hash-table)))
    (for-each (lambda (module)
                (unless (memq (module-kind module) '(interface custom-interface))
                  (hash-for-each (lambda (name variable)
                                   (unless (hashq-ref homes variable)
                                     (hashq-set! homes variable (cons (module-name module) name))))
                                 (module-obarray module))))
              (loaded-modules))
    homes))

(define *uses* (make-hash-table))
(define *lines* '(0 . 0)) ; of the present form, from 0

(define (note! kind source module name)
  (define line
    (cond ((vector? source) (vector-ref source 1))
          ((pair? source) (assq-ref source 'line))
          (else #f)))
  (define file
    (cond ((vector? source) (vector-ref source 0))
          ((pair? source) (assq-ref source 'filename))
          (else #f)))
  (define here?
    (and line (equal? file *file*) (<= (car *lines*) line (cdr *lines*))))
  (unless (equal? module '(guile))
    (hash-set! *uses* (list (if here? kind 'made) module name) #t)))

(define *watched* (make-hash-table)) ; the macros that note their uses

(define (watch! variable module name)
  "Makes the macro in VARIABLE note its uses."
  (when (and (variable-bound? variable) (macro? (variable-ref variable)))
    (let* ((macro (variable-ref variable))
           (transformer (macro-transformer macro)))
      (when (and (eq? (macro-type macro) 'macro)
                 (procedure? transformer)
                 (not (hashq-ref *watched* macro)))
        (let ((watched (make-syntax-transformer
                        (macro-name macro) 'macro
                        (lambda (form)
                          (note! 'macro (syntax-source form) module name)
                          (transformer form)))))
          (hashq-set! *watched* watched #t)
          (variable-set! variable watched))))))

(define (watch-macros! homes)
  "Makes every macro outside of (guile) note its uses."
  (hash-for-each
   (lambda (variable home)
     (unless (equal? (car home) '(guile))
       (watch! variable (car home) (cdr home))))
   homes))

(define (watch-own-macros!)
  "Does the same with those that the file has defined so far."
  (hash-for-each
   (lambda (name variable) (watch! variable (module-name (current-module)) name))
   (module-obarray (current-module))))

(define (mention-macros! datum homes)
  "Notes as `maybe' the symbols in DATUM that name macros whose uses cannot be noted: parameters of syntax, which stand
behind inlinable procedures too."
  (let loop ((agenda (list datum)))
    (match agenda
      (() #t)
      (((first . rest) . agenda) (loop (cons* first rest agenda)))
      (((? symbol? name) . agenda)
       (let* ((variable (module-variable (current-module) name))
              (macro (and variable (variable-bound? variable) (variable-ref variable))))
         (when (and (macro? macro) (not (hashq-ref *watched* macro)))
           (match (home-of homes (module-name (current-module)) name)
             ((module . name)
              (unless (equal? module '(guile))
                (hash-set! *uses* (list 'maybe module name) #t))))))
       (loop agenda))
      ((_ . agenda) (loop agenda)))))

;;; Results of the expander

(define (home-of homes module name)
  "Where the variable NAME of MODULE is defined."
  (let* ((module* (and module (resolve-module module #f #:ensure #f)))
         (variable (and module* (module-variable module* name))))
    (cond ((and variable (eq? variable (module-variable the-root-module name)))
           (match (hashq-ref homes variable)
             ((and home ((not '(guile)) . _)) (hash-set! *uses* (list 'maybe (car home) (cdr home)) #t))
             (_ #f))
           (cons '(guile) name))
          ((and variable (hashq-ref homes variable)))
          (else (cons module name)))))

(define (plain module)
  "The name of a module in the result of the expander."
  (match module
    (#f (module-name (current-module)))
    (((or 'hygiene 'public 'private) . rest) rest)
    (_ module)))

(define (walk tree homes definitions)
  (define (use! kind source module name)
    (match (home-of homes (plain module) name)
      ((module . name) (note! kind source module name))))
  (define (down node)
    (match node
      ;; GOOPS defines by a call.
      (($ <call> _ ($ <module-ref> _ _ 'toplevel-define!) (($ <const> _ name) . arguments))
       (hash-set! definitions (list (module-name (current-module)) name) #t)
       (for-each down arguments))
      (($ <call> _ ($ <toplevel-ref> source module name) arguments)
       (use! 'call source module name)
       (for-each down arguments))
      (($ <call> _ ($ <module-ref> source module name) arguments)
       (use! 'call source module name)
       (for-each down arguments))
      (($ <toplevel-ref> source module name) (use! 'value source module name))
      (($ <module-ref> source module name) (use! 'value source module name))
      (($ <toplevel-set> source module name value) (use! 'assignment source module name) (down value))
      (($ <module-set> source module name public? value) (use! 'assignment source module name) (down value))
      (($ <toplevel-define> _ module name value)
       (hash-set! definitions (list (plain module) name) #t)
       (down value))
      (($ <const>) #f)
      ((? struct?) (for-each down (parts node)))
      ((first . rest) (down first) (down rest))
      (_ #f)))
  (down tree))

(define (parts node)
  "The fields of a result of the expander, without the place in the source."
  (let loop ((names (struct-ref (struct-vtable node) (+ vtable-offset-user 2))) (at 0) (found '()))
    (match names
      (() found)
      (('src . names) (loop names (1+ at) found))
      ((_ . names) (loop names (1+ at) (cons (struct-ref node at) found))))))

(define (report file)
  (put "file" file)
  (when (module-of file)
    (report-forms file)))

(define (parts-of-form form)
  "The forms in FORM when it says when to evaluate them, so that all are expanded."
  (syntax-case form ()
    ((head _ part ...)
     (eq? (syntax->datum #'head) 'eval-when)
     (append-map parts-of-form #'(part ...)))
    (_ (list form))))

(define *file* #f) ; as the reader notes it

(define (report-forms file)
  (set! *file* file)
  (let ((port (open-input-file file)))
    (set-port-encoding! port (or (file-encoding port) "UTF-8"))
    ;; The module itself, as it is when it is loaded, has all its macros.
    (false-if-exception (resolve-module (module-of file)))
    (let ((homes (variables)))
      (watch-macros! homes)
      (save-module-excursion
       (lambda ()
         (set-current-module (make-fresh-user-module))
         (catch #t
           (lambda ()
             (let loop ()
               (let ((syntax (read-syntax port)))
                 (unless (eof-object? syntax)
                   (set! *lines* (cons (or (assq-ref (or (syntax-source syntax) '()) 'line) 0) (port-line port)))
                   (let ((definitions (make-hash-table)))
                     (hash-clear! *uses*)
                     (for-each (lambda (syntax)
                                 (walk (macroexpand syntax 'c '(compile load eval)) homes definitions))
                               (parts-of-form syntax))
                     (watch-own-macros!)
                     (mention-macros! (syntax->datum syntax) homes)
                     (put "form" (1+ (car *lines*)))
                     (hash-for-each (lambda (key _) (match key ((module name) (put "definition" module name))))
                                    definitions)
                     (hash-for-each (lambda (key _) (match key ((kind module name) (put "use" kind module name))))
                                    *uses*))
                   (loop)))))
           (lambda (key . args)
             (put "failed" (complaint key args)))))))
    (close-port port)))

(define (module-of file)
  "The name of the module that FILE declares first, or #f."
  (call-with-input-file file
    (lambda (port)
      (set-port-encoding! port (or (file-encoding port) "UTF-8"))
      (catch #t
        (lambda ()
          (match (read port)
            (('define-module name . _) name)
            (('library name . _) (filter (lambda (part) (not (list? part))) name))
            (_ #f)))
        (const #f)))))

(let loop ((file (read-line)))
  (unless (eof-object? file)
    (force-output)
    (let ((child (primitive-fork)))
      (cond ((zero? child)
             (with-output-to-port (current-output-port) (lambda () (report file)))
             (force-output)
             (primitive-_exit 0))
            (else (waitpid child))))
    (loop (read-line))))
