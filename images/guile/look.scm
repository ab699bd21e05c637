;;; Inspection: macro expansions, and objects by number. README.md describes the nodes.

;;; Macros

(define (macro-of form module)
  "The macro that the form (a datum) calls, or #f. Core syntax is not a macro here."
  (let* ((head (and (pair? form) (car form)))
         (variable (and (symbol? head) (module-variable module head)))
         (value (and variable (variable-bound? variable) (variable-ref variable))))
    (and value (macro? value) (eq? (macro-type value) 'macro) value)))

(define (expand-once form module)
  "FORM after one step of expansion, as a datum; FORM itself when it is not a macro call. Names that the macro
introduces are shown bare."
  (let ((macro (macro-of form module)))
    (if macro
        (syntax->datum ((macro-binding macro) (datum->syntax (eval '(syntax here) module) form)))
        form)))

(define (expand-form form module level)
  (match level
    (#:all (tree-il->scheme (parameterize ((expand-only #t)) (macroexpand form))))
    (#:full (let loop ((form form))
              (if (macro-of form module)
                  (loop (expand-once form module))
                  form)))
    (_ (expand-once form module))))

(define (answer-macroexpand request)
  "Expands the one form in the code; the fields of the answer."
  (answer-with-code
   request
   (lambda (evaluation)
     (let* ((forms (read-forms evaluation))
            (count (length forms)))
       (if (= count 1)
           (let* ((form (syntax->datum (car forms)))
                  (expansion (expand-form form (current-module) (or (argument request #:level) #:once))))
             (set-evaluation-phase! evaluation 'print)
             (match (pretty-text expansion (or (argument request #:limit) 10000))
               ((text cut)
                (list #:outcome #:expanded #:text text #:cut cut #:changed (not (equal? form expansion))))))
           (list #:outcome #:refused #:not-one-form (if (zero? count) #t count)))))))

(define (read-forms evaluation)
  "The forms of the code, without evaluation."
  (let ((port (evaluation-port evaluation)))
    (let loop ((forms '()))
      (skip-to-form port)
      (set-evaluation-index! evaluation (1+ (length forms)))
      (set-evaluation-start! evaluation (ftell port))
      (let ((form (read-form port #f)))
        (if (eof-object? form)
            (begin
              (set-evaluation-index! evaluation (length forms))
              (set-evaluation-phase! evaluation 'eval)
              (reverse forms))
            (loop (cons form forms)))))))

(define (pretty-text value limit)
  "(text cut): VALUE over as many lines as it is read best, in at most LIMIT characters."
  (if (circular-parts value 100000)
      (value-text value limit #f #f)
      (call-with-values
          (lambda () (bounded-text limit (lambda (port) (pretty-print value port #:width 100))))
        (lambda (text cut) (list (string-trim-right text) cut)))))

;;; Objects

(define most-objects 1000)
(define preview-parts 8)
(define short-string 200)

(define objects (make-hash-table))      ; number -> object
(define object-numbers (make-weak-key-hash-table)) ; object -> number
(define oldest-object 1)                ; the lowest number that may be in the table
(define next-object 1)                  ; greater than every number used in this session; the parent keeps count

(define (object-number object)
  "The number of OBJECT; a new one, instead of the oldest, when it has none."
  (or (hashq-ref object-numbers object)
      (let ((number next-object))
        (set! next-object (1+ number))
        (hashv-set! objects number object)
        (hashq-set! object-numbers object number)
        (let loop ()
          (when (> (hash-count (const #t) objects) most-objects)
            (let ((old (hashv-ref objects oldest-object)))
              (hashv-remove! objects oldest-object)
              (when old
                (hashq-remove! object-numbers old))
              (set! oldest-object (1+ oldest-object))
              (loop))))
        number)))

(define (forget-objects)
  (hash-clear! objects)
  (hash-clear! object-numbers)
  (set! next-object 1))

(define (kind object)
  "The word for the kind of OBJECT; \"atom\" when it has no parts to inspect."
  (cond ((pair? object) "list")
        ((string? object) (if (> (string-length object) short-string) "string" "atom"))
        ((array? object) "array")
        ((hash-table? object) "hash-table")
        ((procedure? object) "function")
        ((module? object) "package")
        ((port? object) "stream")
        ((variable? object) "variable")
        ((not (struct? object)) "atom")
        ((instance? object) "instance")
        ((exception? object) "condition")
        (else "structure")))

(define (window items offset count)
  "COUNT of ITEMS from OFFSET, or fewer."
  (let ((items (if (< offset (length items)) (drop items offset) '())))
    (take* items count)))

(define (list-shape list)
  "(count . end): how many pairs LIST has and what ends it: (), another object, or `circular'."
  ;; HARE goes through the list twice as fast as TORTOISE, and meets it again only in a cycle.
  (let loop ((tortoise list) (hare list) (count 0))
    (cond ((not (pair? hare)) (cons count hare))
          ((not (pair? (cdr hare))) (cons (1+ count) (cdr hare)))
          (else
           (let ((tortoise (cdr tortoise)) (hare (cddr hare)))
             (if (eq? tortoise hare)
                 (cons (circle-size list hare) 'circular)
                 (loop tortoise hare (+ count 2))))))))

(define (circle-size list met)
  "The number of pairs in the circular LIST; MET is one in the cycle."
  (let up-to ((one list) (other met) (before 0))
    (if (eq? one other)
        (let around ((pair (cdr one)) (count (1+ before)))
          (if (eq? pair one) count (around (cdr pair) (1+ count))))
        (up-to (cdr one) (cdr other) (1+ before)))))

(define (parts object offset count)
  "(parts facts total) of OBJECT: up to COUNT parts from the one at OFFSET, each (label value) with a string or #f as the
label, or (entry key value)."
  (define (windowed all facts)
    (list (window all offset count) facts (length all)))
  (define (unlabelled value)
    (list #f value))
  (match (kind object)
    ("list"
     (match (list-shape object)
       ((total . end)
        (let loop ((rest object) (index 0) (shown '()))
          (if (and (< index total) (< index (+ offset count)))
              (loop (cdr rest) (1+ index) (if (>= index offset) (cons (unlabelled (car rest)) shown) shown))
              (list (append (reverse shown)
                            (if (and (= index total) (not (null? end)) (not (eq? end 'circular)))
                                (list (list "tail" end))
                                '()))
                    (cond ((eq? end 'circular) '(("shape" "circular")))
                          ((null? end) '())
                          (else '(("shape" "dotted"))))
                    total))))))
    ("array"
     (if (= (array-rank object) 1)
         (let ((total (array-length object)))
           (list (map (lambda (index) (unlabelled (array-ref object (+ index (caar (array-shape object))))))
                      (iota (max 0 (min count (- total offset))) offset))
                 (list (list "element type" (short-text (array-type object))))
                 total))
         (windowed (map unlabelled (array->list object)) (list (list "dimensions" (short-text (array-dimensions object)))))))
    ("hash-table"
     (windowed (hash-map->list (lambda (key value) (list 'entry key value)) object) '()))
    ("condition"
     (windowed (append-map record-parts (simple-exceptions object)) '()))
    ("function" (windowed (procedure-parts object) (procedure-facts object)))
    ("package"
     (let ((interface (module-public-interface object)))
       (windowed (module-map (lambda (name variable)
                               (list (symbol->string name) (if (variable-bound? variable) (variable-ref variable) variable)))
                             (or interface object))
                 `(("parts" ,(if interface "exported variables" "variables"))
                   ("file" ,(or (module-filename object) "none"))
                   ("uses" ,(short-text (map module-name (module-uses object))))))))
    ("stream"
     (windowed '() `(("open" ,(if (port-closed? object) "no" "yes"))
                     ("file" ,(format #f "~a" (port-filename object)))
                     ("direction" ,(string-append (if (input-port? object) "input " "") (if (output-port? object) "output" ""))))))
    ("variable" (windowed (if (variable-bound? object) (list (list "value" (variable-ref object))) '()) '()))
    ("structure" (windowed (if (record? object) (record-parts object) (struct-parts object)) '()))
    ("instance" (windowed (instance-parts object) (list (list "class" (short-text (class-name (class-of object)))))))
    (_ (windowed '() '()))))

(define (record-parts record)
  (let ((type (record-type-descriptor record)))
    (map (lambda (field) (list (symbol->string field) ((record-accessor type field) record)))
         (record-type-fields type))))

(define (struct-parts struct)
  (filter-map (lambda (index)
                (failsafe (const #f) (lambda () (list (number->string index) (struct-ref struct index)))))
              (iota (field-count struct))))

(define (instance-parts object)
  (map (lambda (slot)
         (let ((name (slot-definition-name slot)))
           (if (slot-bound? object name)
               (list (symbol->string name) (slot-ref object name))
               (list (symbol->string name)))))
       (class-slots (class-of object))))

(define (procedure-parts procedure)
  "The variables that PROCEDURE closes over."
  (if (program? procedure)
      (map (lambda (index) (list (format #f "closed over ~a" index) (program-free-variable-ref procedure index)))
           (iota (program-num-free-variables procedure)))
      '()))

(define (procedure-facts procedure)
  (let ((documentation (procedure-documentation procedure))
        (source (and (program? procedure) (failsafe (const #f) (lambda () (program-source procedure 0))))))
    `(("name" ,(short-text (procedure-name procedure)))
      ("arguments" ,(failsafe (const "unknown") (lambda () (short-text (program-lambda-list* procedure)))))
      ,@(match source
          ((_ (? string? file) line . _) (list (list "source" (format #f "~a:~a" (full-path file) (1+ line)))))
          (_ '()))
      ,@(if documentation (list (list "documentation" (substring* documentation 1000))) '()))))

(define (program-lambda-list* procedure)
  (if (program? procedure) (program-lambda-list procedure) (procedure-minimum-arity procedure)))

(define (substring* text limit)
  (substring text 0 (min limit (string-length text))))

;;; Nodes

(define (node object depth count offset limit path)
  "OBJECT with DEPTH levels of its parts; PATH are the objects that contain it."
  (let ((kind (kind object)))
    (cond ((string=? kind "atom") (list #:kind kind #:text (short-text object)))
          ((memq object path) (list #:kind kind #:id (object-number object) #:seen #t))
          (else
           (append (list #:kind kind #:id (object-number object) #:type (type-text object) #:text (short-text object))
                   (cond ((not (positive? depth)) '())
                         ((string? object) (string-fields object offset limit))
                         (else (part-fields object depth count offset limit path))))))))

(define (string-fields string offset limit)
  (let ((end (min (string-length string) (+ offset limit))))
    (list #:total (string-length string) #:offset offset
          #:parts (if (< offset end)
                      (list (list #f (list #:kind "text" #:text (substring string offset end))))
                      '()))))

(define (part-fields object depth count offset limit path)
  (failsafe
   (lambda (failure)
     (list #:facts (list (list "cannot be looked into"
                               (string-append (exception-type failure) ": " (exception-text failure 500))))))
   (lambda ()
     (match (parts object offset count)
       ((parts facts total)
        (let ((path (cons object path)))
          (define (inner value)
            (node value (1- depth) count 0 limit path))
          (list #:facts facts #:total total #:offset offset
                #:parts (map (match-lambda
                               (('entry key value) (list (inner key) (inner value)))
                               ((label) (list label (list #:kind "unbound")))
                               ((label value) (list label (inner value))))
                             parts))))))))

(define (answer-inspect request)
  "Describes the object with the number in REQUEST; the fields of the answer."
  (let* ((number (argument request #:object))
         (handle (hashv-get-handle objects number)))
    (if handle
        (answer-with-code
         request
         (lambda (evaluation)
           (set-evaluation-phase! evaluation 'print)
           (list #:outcome #:inspected
                 #:object (node (cdr handle) (min 8 (or (argument request #:depth) 1))
                                (or (argument request #:count) 50) (or (argument request #:offset) 0)
                                (or (argument request #:limit) 2000) '()))))
        (list #:outcome #:refused #:no-object number))))

(define (metaobject? object)
  "True for a class or a method, whose slots are GOOPS's own."
  (and (string=? (kind object) "instance")
       (or (is-a? object <class>) (is-a? object <method>))))

(define (preview-fields values)
  "(#:object node) for the first of VALUES when it is compound, as far as that can be found out."
  (failsafe (const '())
            (lambda ()
              (if (or (null? values) (string=? (kind (car values)) "atom"))
                  '()
                  (list #:object (node (car values) 1 (if (metaobject? (car values)) 0 preview-parts) 0 short-string '()))))))
