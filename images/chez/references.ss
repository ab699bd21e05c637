;;; Who refers to what: noted while the code of files is expanded.
;;;
;;; Chez keeps no record of callers. What its expander makes of a form names each variable by a symbol of its own, and says
;;; under which symbols a library offers its variables to others.

(define notes (make-hashtable equal-hash equal?)) ; vectors, one for each reference: target kind definer path line library
(define offered (make-weak-eq-hashtable)) ; symbol that a library offers a variable by -> (library . name)
(define expanding #f)                   ; the form of a file that is being expanded: #(path library definitions line)

(define uncompiled
  (failsafe (constantly #f) (lambda () (($primitive $top-level-value) '$uncprep))))

;; Has references noted in the forms of files. What is expanded within such a form belongs to it.
(define (note-while-expanding)
  (let ([expand (current-expand)])
    (when uncompiled
      (current-expand
       (lambda (form . others)
         (let ([outer expanding] [inner (or (and (annotation? form) (form-of-file form)) expanding)])
           (dynamic-wind
            (lambda () (set! expanding inner))
            (lambda ()
              (let ([expansion (apply expand form others)])
                (when expanding
                  (failsafe (constantly #f) (lambda () (note-references expanding (uncompiled expansion)))))
                expansion))
            (lambda () (set! expanding outer)))))))))

;; What `expanding' is for the annotated FORM; #f for code of a call. The references of an earlier library of that name are
;; forgotten.
(define (form-of-file form)
  (let* ([source (annotation-source form)]
         [path (full-path (source-file-descriptor-path (source-object-sfd source)))]
         [library (defined-library (annotation-stripped form))])
    (and (path-absolute? path)
         (let ([definitions (apply append (map definition (if library (annotation-expression form) (list form))))])
           (when library
             (forget-references (lambda (note) (equal? (vector-ref note 5) library))))
           (vector path library definitions (annotation-line form))))))

(define (forget-references outdated?)
  (vector-for-each (lambda (note)
                     (when (outdated? note)
                       (hashtable-delete! notes note)))
                   (hashtable-keys notes)))

(define (annotation-line form)
  (cadr (source-place (source-object-sfd (annotation-source form)) (source-object-bfp (annotation-source form)))))

;; ((name . line)) when the annotated FORM is a definition, else ().
(define (definition form)
  (let ([datum (annotation-stripped* form)])
    (if (and (annotation? form) (pair? datum) (symbol? (car datum)) (pair? (cdr datum))
             (starts-with? (symbol->string (car datum)) "define"))
        (let ([name (if (pair? (cadr datum)) (caadr datum) (cadr datum))])
          (if (symbol? name) (list (cons name (annotation-line form))) '()))
        '())))

;; Notes what CODE refers to, which the expander has made of FORM or of a part of it.
(define (note-references form code)
  (define library (vector-ref form 1))
  (define definitions (vector-ref form 2))
  (define own (make-eq-hashtable))      ; symbol that stands for a definition here -> its name
  (define found '())                    ; (symbol kind . definer)
  (define (primitive code)
    (and (pair? code) (pair? (car code)) (eq? (caar code) '$primitive) (car (last-pair (car code)))))
  (define (named symbol definer)
    (let ([name (string->symbol (symbol->string symbol))])
      (cond
        [(assq name definitions)
         (hashtable-set! own symbol name)
         name]
        [else definer])))
  (define (walk code kind definer)
    (cond
      [(symbol? code) (set! found (cons (cons* code kind definer) found))]
      [(not (pair? code)) (void)]
      [(memq (car code) '(quote $primitive)) (void)]
      [(and (memq (car code) '(letrec letrec*)) (list? (cadr code)))
       (for-each (lambda (binding) (walk (cadr binding) 'read (named (car binding) definer))) (cadr code))
       (walk-all (cddr code) definer)]
      [(and (eq? (car code) 'set!) (symbol? (cadr code)))
       (let ([name (named (cadr code) definer)])
         (unless (hashtable-contains? own (cadr code))
           (walk (cadr code) 'assignment definer))
         (walk-all (cddr code) name))]
      [(eq? (primitive code) '$set-top-level-value!) (offer (cadr (cadr code)) (caddr code))]
      [(eq? (primitive code) '$top-level-value) (walk (cadr (cadr code)) kind definer)]
      [else
       (walk (car code) 'call definer)
       (walk-all (cdr code) definer)]))
  (define (walk-all codes definer)
    (when (pair? codes)
      (walk (car codes) 'read definer)
      (walk-all (cdr codes) definer)))
  (define (offer symbol variable)
    (let ([name (and (symbol? variable) (hashtable-ref own variable #f))])
      (when name
        (hashtable-set! offered symbol (cons library name)))))
  ;; (library . name) of what SYMBOL stands for; #f for a local variable.
  (define (target symbol)
    (cond
      [(hashtable-ref own symbol #f) => (lambda (name) (cons library name))]
      [(hashtable-ref offered symbol #f)]
      [(gensym? symbol) #f]
      [else (cons #f symbol)]))
  (walk code 'read #f)
  (for-each (lambda (reference)
              (let* ([target (target (car reference))] [definer (cddr reference)] [known (and definer (assq definer definitions))])
                (when target
                  (hashtable-set! notes
                                  (vector target (cadr reference) (or definer "top-level form") (vector-ref form 0)
                                          (if known (cdr known) (vector-ref form 3)) library)
                                  #t))))
            found))

;; True when the reference of the note ONE is before that of OTHER, by file and line.
(define (earlier? one other)
  (let ([path (vector-ref one 3)] [other-path (vector-ref other 3)])
    (if (string=? path other-path)
        (< (vector-ref one 4) (vector-ref other 4))
        (string<? path other-path))))

;; Says who refers to a name: in the library that is named, or in the session's environment, where it may be a library's.
(define (answer-references request)
  (answer-with-code
   request
   (lambda (evaluation environment)
     (evaluation-phase-set! evaluation ':print)
     (let* ([text (argument request ':name)]
            [package (argument request ':package)]
            [library (and package (library-name package))]
            [name (string->symbol text)]
            [homes (if library
                       (cons library (if (memq name (imported-names library)) '(#f) '()))
                       (cons #f (filter (lambda (library) (memq name (imported-names library))) (known-libraries))))]
            [found (list-sort earlier?
                              (filter (lambda (note) (exists (lambda (home) (equal? (vector-ref note 0) (cons home name))) homes))
                                      (vector->list (hashtable-keys notes))))])
       (if (and (null? found) (null? (meanings name environment)))
           `(:outcome :refused :no-name ,text :in ,(or package (environment-text)) :names ,(names-near text environment))
           `(:outcome :references :name ,text :home ,(or package (environment-text)) :total ,(length found)
             :references ,(map (lambda (note)
                                 `(:kind ,(symbol->string (vector-ref note 1)) :name ,(format "~a" (vector-ref note 2))
                                   :file ,(vector-ref note 3) :line ,(vector-ref note 4)))
                               found)))))))
