;;; What names mean, and what libraries export. images/README.md describes what is sent.

;;; Procedures

(define (procedure-name procedure)
  (let ([name (((inspect/object procedure) 'code) 'name)])
    (and name (format "~a" name))))

;; The expression that PROCEDURE was made by, or #f.
(define (procedure-source procedure)
  (failsafe
   (constantly #f)
   (lambda ()
     (let ([source (((inspect/object procedure) 'code) 'source)])
       (and source (source 'value))))))

(define (procedure-place procedure)
  (failsafe
   (constantly #f)
   (lambda ()
     (let ([source (((inspect/object procedure) 'code) 'source-object)])
       (and source (source-place (source-object-sfd source) (source-object-bfp source)))))))

;; The lists of parameters of PROCEDURE, each on a line of its own, from its source; else from the numbers of arguments.
(define (arglist-text procedure)
  (let ([source (procedure-source procedure)])
    (cond
      [(and (pair? source) (eq? (car source) 'lambda)) (format "~s" (cadr source))]
      [(and (pair? source) (eq? (car source) 'case-lambda)) (lines (map (lambda (clause) (format "~s" (car clause))) (cdr source)))]
      [else (lines (arities (procedure-arity-mask procedure)))])))

;; TEXTS on lines of their own.
(define (lines texts)
  (if (null? texts)
      ""
      (fold-left (lambda (text line) (string-append text "\n" line)) (car texts) (cdr texts))))

;; The numbers of arguments that the bits of MASK stand for, as lists of parameters.
(define (arities mask)
  (let loop ([count 0] [mask mask] [found '()])
    (cond
      [(zero? mask) (reverse found)]
      [(= mask -1) (reverse (cons (format "~s" (append (make-list count '_) '_)) found))]
      [else (loop (+ count 1) (ash mask -1) (if (odd? mask) (cons (format "~s" (make-list count '_)) found) found))])))

;;; Names

;; What NAME means in ENVIRONMENT: meanings as they are sent, none when it means nothing.
(define (meanings name environment)
  (define (meaning type . facts)
    (list `(:type ,type :name ,(symbol->string name) ,@(apply append facts))))
  (define (value-meaning value)
    (cond
      [(procedure? value)
       (meaning "procedure" `(:arglist ,(arglist-text value)) (place-facts (procedure-place value)))]
      [(record-type-descriptor? value) (meaning "record type" (record-type-facts value))]
      [(record-constructor-descriptor? value) (meaning "record constructor descriptor")]
      [else (meaning "variable" `(:facts (("value" ,(short-text value)) ("type" ,(type-text value)))))]))
  (cond
    [(top-level-bound? name environment) (value-meaning (top-level-value name environment))]
    [(memq name (environment-symbols environment)) (syntax-meaning name environment meaning)]
    [else '()]))

(define (syntax-meaning name environment meaning)
  (let ([transformer (failsafe (constantly #f) (lambda () (top-level-syntax name environment)))])
    (cond
      [(procedure? transformer) (meaning "syntax" (place-facts (procedure-place transformer)))]
      [(record-type-of name environment) => (lambda (type) (meaning "record type" (record-type-facts type)))]
      [else (meaning "core syntax")])))

;; The type that the record syntax NAME stands for, or #f.
(define (record-type-of name environment)
  (failsafe (constantly #f) (lambda () (eval `(record-type-descriptor ,name) environment))))

(define (record-type-facts type)
  (let ([parent (record-type-parent type)])
    `(:facts (("fields" ,(format "~a" (vector->list (record-type-field-names type))))
              ,@(if parent `(("parent" ,(name-text (record-type-name parent)))) '())))))

;; The libraries that are loaded and did not come with Chez.
(define (known-libraries)
  (filter (lambda (name) (not (or (member name own-libraries) (equal? name '(lispwright agent)) (hashtable-contains? forgotten-names name))))
          (library-list)))

(define own-libraries '())              ; those that are there from the beginning

;; Names about as long as TEXT that mean something in ENVIRONMENT.
(define (names-near text environment)
  (let ([slack (max 1 (quotient (string-length text) 3))])
    (filter (lambda (name) (<= (abs (- (string-length name) (string-length text))) slack))
            (map symbol->string (environment-symbols environment)))))

;; The libraries that export NAME, as text.
(define (libraries-exporting name)
  (map short-text (filter (lambda (library) (memq name (library-exports library))) (known-libraries))))

(define (answer-describe request)
  (answer-with-code
   request
   (lambda (evaluation environment)
     (evaluation-phase-set! evaluation ':print)
     (let* ([text (argument request ':name)]
            [name (failsafe (constantly #f) (lambda () (let ([datum (read (open-input-string text))]) (and (symbol? datum) datum))))]
            [home (or (argument request ':package) (environment-text))]
            [found (if name (meanings name environment) '())])
       (cond
         [(pair? found)
          (let ([exporting (libraries-exporting name)])
            `(:outcome :described :name ,text :home ,home :exported ,(pair? exporting) :meanings ,found))]
         [else
          (let ([elsewhere (if name (libraries-exporting name) '())])
            `(:outcome :refused :no-name ,text :in ,home
              :elsewhere ,(map (lambda (library) (format "~a in ~a" text library)) elsewhere)
              :names ,(if (null? elsewhere) (names-near text environment) '())))])))))

(define (answer-exports request)
  (answer-with-code
   request
   (lambda (evaluation _)
     (evaluation-phase-set! evaluation ':print)
     (let* ([text (argument request ':name)] [name (library-name text)] [environment (and name (library-environment text))])
       (if (and environment (library-loaded? name))
           (let* ([sorted (list-sort (lambda (one other) (string<? (symbol->string one) (symbol->string other)))
                                     (library-exports name))]
                  [shown (window sorted (or (argument request ':offset) 0) (or (argument request ':count) 100))]
                  [path (loaded-path name)])
             `(:outcome :exports :name ,(short-text name) :total ,(length sorted) ,@(if path `(:file ,path) '())
               :exports ,(apply append (map (lambda (export) (meanings export environment)) shown))))
           `(:outcome :refused :no-package ,text :packages ,(map short-text (known-libraries))))))))
