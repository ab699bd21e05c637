;;; References to names. README.md describes the messages.
;;;
;;; Guile 3.0 keeps no record of them (`(system xref)' does not know its present compiler), so this agent keeps one: all
;;; code that is compiled or evaluated in the image passes `macroexpand', whose result distinguishes variables of
;;; modules from local ones, and has the place of each. The expander leaves no trace of macros and of the accessors of
;;; records that it inlines; those are recorded from the form itself. A module that is loaded from a compiled file of an
;;; earlier image does not pass, and is reported by name.

(define-record-type <reference>
  (make-reference module name public? kind file line column from from-line)
  reference?
  (module reference-module)             ; the module in which the name is looked up: a list of symbols
  (name reference-name)
  (public? reference-public?)           ; among the exports of that module
  (kind reference-kind)
  (file reference-file)                 ; or #f for evaluated code
  (line reference-line)                 ; from 1, like the column
  (column reference-column)
  (from reference-from)                 ; the name of the definition that refers, or #f
  (from-line reference-from-line))

(define most-noted 200000)
(define most-references 2000)

(define noted (make-hash-table))        ; path, or the name of an evaluated definition -> references, latest first
(define noted-lines (make-hash-table))  ; path -> the last recorded line
(define noted-count 0)

(define (forget-references key)
  (set! noted-count (- noted-count (length (hash-ref noted key '()))))
  (hash-remove! noted key))

(define (note-references key references)
  (let ((room (max 0 (- most-noted noted-count))))
    (let ((references (take* references room)))
      (set! noted-count (+ noted-count (length references)))
      (hash-set! noted key (append references (hash-ref noted key '()))))))

;;; Places

(define (source-place source)
  "(file line column), from 1, of what the reader or expander notes: a vector, in Guile 3.0.8 also an alist; or #f."
  (match source
    (#((? string? file) (? integer? line) (? integer? column)) (list file (1+ line) (1+ column)))
    ((? pair? alist)
     (let ((file (assq-ref alist 'filename)) (line (assq-ref alist 'line)) (column (assq-ref alist 'column)))
       (and (string? file) line column (list file (1+ line) (1+ column)))))
    (_ #f)))

(define (place-of form)
  (and (syntax? form) (source-place (syntax-source form))))

(define (datum-of form)
  (if (syntax? form) (syntax-expression form) form))

(define whole-paths (make-hash-table))  ; the compiler's name of a file -> path

(define (written-path place)
  "The file of PLACE, or #f when that is the text of a call."
  (match place
    ((file . _)
     (and (not (string-prefix? "call-" file))
          (or (hash-ref whole-paths file)
              (let ((path (full-path file)))
                (hash-set! whole-paths file path)
                path))))
    (#f #f)))

;;; Results of the expander

(define (node-type node)
  (struct-ref (struct-vtable node) vtable-offset-user))

(define (node-fields node)
  "((name . value) ...) of NODE."
  (let loop ((names (struct-ref (struct-vtable node) (+ vtable-offset-user 2))) (index 0) (fields '()))
    (match names
      (() fields)
      ((name . names) (loop names (1+ index) (acons name (struct-ref node index) fields))))))

(define (tree-references tree module)
  "The references to module variables in TREE, and the name of the last definition in it."
  (let loop ((agenda (list (list tree #f #f #f #f))) (found '()) (defined #f))
    (match agenda
      (() (values found defined))
      (((node called? near from from-line) . agenda)
       (cond ((pair? node)
              (loop (cons* (list (car node) #f near from from-line) (list (cdr node) #f near from from-line) agenda)
                    found defined))
             ((not (and (struct? node) (macroexpanded? node))) (loop agenda found defined))
             (else
              (let* ((fields (node-fields node))
                     (type (node-type node))
                     (place (or (source-place (assq-ref fields 'src)) near)))
                (define (inside from from-line)
                  (append (filter-map (match-lambda
                                        (('src . _) #f)
                                        (('proc . value)
                                         (list value (eq? type 'call) place from from-line))
                                        ((_ . value) (list value #f place from from-line)))
                                      fields)
                          agenda))
                (define (reference kind)
                  (make-reference (if (pair? (assq-ref fields 'mod)) (assq-ref fields 'mod) module)
                                  (assq-ref fields 'name) (assq-ref fields 'public?) kind
                                  (written-path place) (and place (second place)) (and place (third place))
                                  from from-line))
                (case type
                  ((toplevel-ref module-ref)
                   (loop agenda (cons (reference (if called? "call" "reference")) found) defined))
                  ((toplevel-set module-set)
                   (loop (inside from from-line) (cons (reference "assignment") found) defined))
                  ((toplevel-define)
                   (let ((name (assq-ref fields 'name)))
                     (loop (inside name (and place (second place))) found name)))
                  ((const) (loop agenda found defined))
                  (else (loop (inside from from-line) found defined))))))))))

;;; Forms without a trace in the expansion

(define silent-heads '(quote define-module define-library library export export! re-export re-export! use-modules import))

(define (head-of form)
  (let ((datum (datum-of form)))
    (and (pair? datum)
         (let ((head (datum-of (car datum))))
           (and (symbol? head) head)))))

(define (defined-by form)
  "The name that FORM seems to define, or #f."
  (let ((head (head-of form))
        (datum (datum-of form)))
    (and head
         (string-prefix? "define" (symbol->string head))
         (let loop ((what (and (pair? (cdr datum)) (datum-of (cadr datum)))))
           (if (pair? what)
               (loop (datum-of (car what)))
               (and (symbol? what) what))))))

(define (form-references form module)
  "The uses in FORM of macros and of procedures that a macro inlines, except those of Guile itself."
  (define from (defined-by form))
  (define from-line (match (place-of form) ((_ line _) line) (#f #f)))
  (define resolved (resolve-module module #f #:ensure #f))
  (define (macro-named name)
    (let ((variable (and resolved (module-variable resolved name))))
      (and variable
           (variable-bound? variable)
           (macro? (variable-ref variable))
           (procedure? (macro-transformer (variable-ref variable)))
           (not (eq? variable (module-local-variable the-root-module name)))
           (not (eq? variable (module-variable the-scm-module name)))
           (variable-ref variable))))
  (define loaded (delay (loaded-modules)))
  (define (inlines? macro)
    ;; It may be imported by another name.
    (let ((name (macro-name macro)))
      (any (lambda (module)
             (let ((variable (local-variable module name)))
               (and variable (eq? (variable-ref variable) macro) (inlined-procedure name module))))
           (force loaded))))
  (define (use name head? place)
    (make-reference module name #f
                    (cond ((not head?) "reference")
                          ((inlines? (macro-named name)) "call")
                          (else "macroexpansion"))
                    (written-path place) (and place (second place)) (and place (third place))
                    from from-line))
  (let loop ((agenda (list (list form #f))) (found '()))
    (match agenda
      (() found)
      (((part head?) . agenda)
       (let ((datum (datum-of part)))
         (cond ((pair? datum)
                (if (let ((head (and (not (eq? head? 'tail)) (head-of part))))
                      (and head
                           (or (memq head silent-heads)
                               (string-prefix? "define-record" (symbol->string head)))))
                    (loop agenda found)
                    (loop (cons* (list (car datum) (not (eq? head? 'tail))) (list (cdr datum) 'tail) agenda) found)))
               ((and (symbol? datum) (not (eq? datum from)) (macro-named datum))
                (loop agenda (cons (use datum (eq? head? #t) (place-of part)) found)))
               (else (loop agenda found))))))))

;;; Recording

(define (note-form form tree)
  "Records the references in a FORM of a file, or in an evaluated definition. TREE is its expansion."
  (let* ((module (module-name (current-module)))
         (place (or (place-of form) (source-place (struct-ref tree 0))))
         (file (written-path place))
         (before (form-references form module)))
    (define (here? reference)
      ;; The expansion of a macro may have places in the macro's file.
      (let ((path (reference-file reference)))
        (or (not path) (equal? path file) (project-file? path))))
    (call-with-values (lambda () (tree-references tree module))
      (lambda (references name)
        (cond (file
               (unless (library-file? (car place))
                 ;; The form is above the last one: the file is being compiled again.
                 (unless (> (second place) (hash-ref noted-lines file 0))
                   (forget-references file))
                 (hash-set! noted-lines file (second place))
                 (note-references file (filter here? (append references before)))))
              (name
               (forget-references name)
               (note-references name (filter here? (append references before)))))))))

(define expand-only (make-parameter #f)) ; the expansion is only shown

(define (note-while-expanding)
  "Makes the expander record all references in this image."
  (let ((expand macroexpand))
    (module-set! the-scm-module 'macroexpand
                 (lambda (form . options)
                   (let ((tree (apply expand form options)))
                     (when (and (not (expand-only))
                                (or (written-path (place-of form)) (defined-by form)))
                       (false-if-exception (note-form form tree)))
                     tree)))))

;;; Questions

(define (refers-to? reference variable modules)
  "True when REFERENCE is to VARIABLE. MODULES are the modules that were looked up, by their names."
  (let ((module (or (hash-ref modules (cons (reference-public? reference) (reference-module reference)))
                    (let ((found (or (failsafe (const #f)
                                               (lambda ()
                                                 (let ((module (resolve-module (reference-module reference) #f #:ensure #f)))
                                                   (if (and module (reference-public? reference))
                                                       (module-public-interface module)
                                                       module))))
                                     'none)))
                      (hash-set! modules (cons (reference-public? reference) (reference-module reference)) found)
                      found))))
    (and (module? module)
         (eq? variable (module-variable module (reference-name reference))))))

(define (reference-before? one other)
  (let ((file (or (reference-file one) "\x7f;")) (other-file (or (reference-file other) "\x7f;")))
    (or (string<? file other-file)
        (and (string=? file other-file)
             (let ((line (or (reference-line one) 0)) (other-line (or (reference-line other) 0)))
               (or (< line other-line)
                   (and (= line other-line) (< (or (reference-column one) 0) (or (reference-column other) 0)))))))))

(define (references-to variable)
  (let ((modules (make-hash-table)))
    (delete-duplicates
     (sort (hash-fold (lambda (key references found)
                        (append (filter (lambda (reference) (refers-to? reference variable modules)) references) found))
                      '() noted)
           reference-before?)
     (lambda (one other)
       ;; Several references from one place in a macro call count as one.
       (and (reference-file one)
            (equal? (reference-file one) (reference-file other))
            (equal? (reference-line one) (reference-line other))
            (equal? (reference-column one) (reference-column other)))))))

(define (reference-facts reference inlined?)
  "The description of REFERENCE for the parent; a call of an INLINED? procedure looks like the use of a macro."
  (append (list #:kind (if (and inlined? (string=? (reference-kind reference) "macroexpansion"))
                           "call"
                           (reference-kind reference))
                #:name (if (reference-from reference) (short-text (reference-from reference)) "top-level form"))
          (if (reference-file reference)
              (list #:file (reference-file reference) #:line (or (reference-from-line reference) (reference-line reference))
                    #:at-line (reference-line reference) #:at-column (reference-column reference))
              '())))

(define (files-not-noted)
  "Files of loaded modules of the project that were not compiled in this image."
  (filter-map (lambda (module)
                (let ((file (full-path (module-filename module))))
                  (and (project-file? file) (not (hash-ref noted-lines file)) file)))
              (filter module-filename (modules-of-project))))

(define (answer-references request)
  "Lists the references to the name in the request; returns the fields of the answer."
  (answer-about-name request
                     (lambda (symbol variable module)
                       (let* ((home (or (home-of symbol variable module) module))
                              (inlined? (inlined-procedure symbol home))
                              (references (references-to variable)))
                         (list #:outcome #:references
                               #:name (whole-name symbol variable home)
                               #:home (module-text home)
                               #:total (length references)
                               #:not-noted (files-not-noted)
                               #:references (map (lambda (reference) (reference-facts reference inlined?))
                                                 (take* references most-references)))))))
