;;; Looking at things: macro expansions, and objects by number. images/README.md describes the nodes.

;;; Macros

;; The procedure that expands FORM, a datum, in ENVIRONMENT; #f when it is no macro call. Core syntax is none.
(define (macro-of form environment)
  (let ([head (and (pair? form) (car form))])
    (and (symbol? head)
         (top-level-syntax? head environment)
         (let ([transformer (top-level-syntax head environment)])
           (and (procedure? transformer) transformer)))))

;; FORM after one step of expansion, as a datum. Names that the macro brings along are shown bare.
(define (expand-once form environment)
  (let ([macro (macro-of form environment)])
    (if macro
        (let ([expansion (macro (eval `(datum->syntax #'here ',form) environment))])
          (syntax->datum (if (procedure? expansion)
                             ;; It asks for what is known of names at the time of expansion: nothing is.
                             (expansion (lambda _ #f))
                             expansion)))
        form)))

(define (expand-form form environment level)
  (case level
    [(:all) (parameterize ([print-gensym #f]) (expand form environment))]
    [(:full) (let loop ([form form])
               (if (macro-of form environment) (loop (expand-once form environment)) form))]
    [else (expand-once form environment)]))

;; The forms of the code, none of which is evaluated.
(define (read-forms evaluation)
  (let loop ([forms '()])
    (let ([form (read-form evaluation)])
      (if (eof-object? form)
          (begin
            (evaluation-phase-set! evaluation ':eval)
            (reverse forms))
          (loop (cons (annotation-stripped* form) forms))))))

(define (annotation-stripped* form)
  (if (annotation? form) (annotation-stripped form) form))

(define (answer-macroexpand request)
  (answer-with-code
   request
   (lambda (evaluation environment)
     (let ([forms (read-forms evaluation)])
       (if (= (length forms) 1)
           (let* ([form (car forms)] [expansion (expand-form form environment (argument request ':level))])
             (evaluation-phase-set! evaluation ':print)
             (let-values ([(text cut) (bounded-text (or (argument request ':limit) 10000)
                                                    (lambda (port)
                                                      (parameterize ([print-gensym #f] [pretty-line-length 100])
                                                        (pretty-print expansion port))))])
               `(:outcome :expanded :text ,(if cut text (without-end-of-line text)) :cut ,cut
                 :changed ,(not (equal? form expansion)))))
           `(:outcome :refused :not-one-form ,(if (null? forms) #t (length forms))))))))

(define (without-end-of-line text)
  (let ([last (- (string-length text) 1)])
    (if (and (>= last 0) (char=? (string-ref text last) #\newline)) (substring text 0 last) text)))

;;; Objects

(define most-objects 1000)
(define preview-parts 8)
(define short-string 200)

(define objects (make-eqv-hashtable))   ; number -> object
(define object-numbers (make-weak-eq-hashtable)) ; object -> number
(define next-object 1)                  ; above every number ever given in this session; the parent keeps count

;; The number of OBJECT; a new one, at the cost of the oldest, when it has none.
(define (object-number object)
  (or (hashtable-ref object-numbers object #f)
      (let* ([number next-object] [old (- number most-objects)])
        (set! next-object (+ number 1))
        (hashtable-delete! object-numbers (hashtable-ref objects old #f))
        (hashtable-delete! objects old)
        (hashtable-set! objects number object)
        (hashtable-set! object-numbers object number)
        number)))

;; The word for what OBJECT is; "atom" when there is nothing inside to look at.
(define (kind object)
  (cond
    [(pair? object) "list"]
    [(string? object) (if (> (string-length object) short-string) "string" "atom")]
    [(or (vector? object) (bytevector? object) (fxvector? object)) "array"]
    [(hashtable? object) "hash-table"]
    [(procedure? object) "function"]
    [(port? object) "stream"]
    [(box? object) "box"]
    [(condition? object) "condition"]
    [(record? object) "structure"]
    [else "atom"]))

;; (count . end): how many pairs LIST has and what ends it: (), another object, or `circular'.
(define (list-shape list)
  ;; HARE goes through the list twice as fast as TORTOISE, and meets it again only in a circle.
  (let loop ([tortoise list] [hare list] [count 0])
    (cond
      [(not (pair? hare)) (cons count hare)]
      [(not (pair? (cdr hare))) (cons (+ count 1) (cdr hare))]
      [(eq? (cdr tortoise) (cddr hare)) (cons (circle-size list (cdr tortoise)) 'circular)]
      [else (loop (cdr tortoise) (cddr hare) (+ count 2))])))

;; How many pairs the circular LIST has; MET is one in the circle, as far from where that begins as LIST is.
(define (circle-size list met)
  (let before ([one list] [other met] [count 0])
    (if (eq? one other)
        (let around ([pair (cdr one)] [count (+ count 1)])
          (if (eq? pair one) count (around (cdr pair) (+ count 1))))
        (before (cdr one) (cdr other) (+ count 1)))))

;; COUNT of ITEMS from OFFSET on, as far as there are any.
(define (window items offset count)
  (first-of (list-tail items (min offset (length items))) count))

;; (parts facts total) of OBJECT: up to COUNT parts from the one at OFFSET, each (label value) with a string or #f as the
;; label, or (entry key value).
(define (parts object offset count)
  (define (windowed all facts)
    (list (window all offset count) facts (length all)))
  (define (elements size ref facts)
    (let ([shown (max 0 (min count (- size offset)))])
      (list (map (lambda (index) (list #f (ref object (+ offset index)))) (iota shown)) facts size)))
  (define (list-parts)
    (let* ([shape (list-shape object)] [total (car shape)] [end (cdr shape)])
      (let loop ([rest object] [index 0] [shown '()])
        (if (< index (min total (+ offset count)))
            (loop (cdr rest) (+ index 1) (if (>= index offset) (cons (list #f (car rest)) shown) shown))
            (list (append (reverse shown)
                          (if (or (< index total) (null? end) (eq? end 'circular)) '() (list (list "tail" end))))
                  (cond [(null? end) '()] [(eq? end 'circular) '(("shape" "circular"))] [else '(("shape" "dotted"))])
                  total)))))
  (cond
    [(pair? object) (list-parts)]
    [(vector? object) (elements (vector-length object) vector-ref '())]
    [(bytevector? object) (elements (bytevector-length object) bytevector-u8-ref '())]
    [(fxvector? object) (elements (fxvector-length object) fxvector-ref '())]
    [(hashtable? object)
     (let-values ([(keys values) (hashtable-entries object)])
       (windowed (map (lambda (key value) (list 'entry key value)) (vector->list keys) (vector->list values))
                 `(("mutable" ,(if (hashtable-mutable? object) "yes" "no")))))]
    [(box? object) (windowed (list (list "content" (unbox object))) '())]
    [(condition? object) (windowed (apply append (map record-parts (simple-conditions object))) '())]
    [(procedure? object) (windowed (captured-variables object) (procedure-facts object))]
    [(port? object)
     (windowed '() `(("open" ,(if (port-closed? object) "no" "yes"))
                     ("name" ,(format "~a" (port-name object)))
                     ("direction" ,(string-append (if (input-port? object) "input " "") (if (output-port? object) "output" "")))))]
    [(record? object) (windowed (record-parts object) '())]
    [else (windowed '() '())]))

;; (label value) of each field of RECORD, those of its type's parents first.
(define (record-parts record)
  (let loop ([type (record-rtd record)] [parts '()])
    (if (not type)
        parts
        (loop (record-type-parent type)
              (append (map (lambda (name index) (list (name-text name) ((record-accessor type index) record)))
                           (vector->list (record-type-field-names type))
                           (iota (vector-length (record-type-field-names type))))
                      parts)))))

;; (label value) of the variables that PROCEDURE has captured.
(define (captured-variables procedure)
  (failsafe
   (constantly '())
   (lambda ()
     (let ([inspector (inspect/object procedure)])
       (map (lambda (index)
              (let ([variable (inspector 'ref index)])
                (list (format "~a" (or (variable 'name) index)) ((variable 'ref) 'value))))
            (iota (inspector 'length)))))))

(define (procedure-facts procedure)
  (let ([place (procedure-place procedure)] [source (procedure-source procedure)])
    `(("name" ,(or (procedure-name procedure) "none"))
      ("arguments" ,(arglist-text procedure))
      ,@(if (and place (cadr place)) `(("source" ,(format "~a:~a" (car place) (cadr place)))) '())
      ,@(if source `(("definition" ,(short-text source))) '()))))

;;; Nodes

;; OBJECT with DEPTH levels of its parts; PATH are the objects that it is part of.
(define (node object depth count offset limit path)
  (let ([kind (kind object)])
    (cond
      [(string=? kind "atom") `(:kind ,kind :text ,(short-text object))]
      [(memq object path) `(:kind ,kind :id ,(object-number object) :seen #t)]
      [else
       `(:kind ,kind :id ,(object-number object) :type ,(type-text object) :text ,(short-text object)
         ,@(cond
             [(not (positive? depth)) '()]
             [(string? object) (string-fields object offset limit)]
             [else (part-fields object depth count offset limit path)]))])))

(define (string-fields string offset limit)
  (let ([end (min (string-length string) (+ offset limit))])
    `(:total ,(string-length string) :offset ,offset
      ,@(if (< offset end) `(:parts ((#f (:kind "text" :text ,(substring string offset end))))) '()))))

(define (part-fields object depth count offset limit path)
  (let ([path (cons object path)] [found (parts object offset count)])
    (define (inner value)
      (node value (- depth 1) count 0 limit path))
    `(:facts ,(cadr found) :total ,(caddr found) :offset ,offset
      :parts ,(map (lambda (part)
                     (if (eq? (car part) 'entry)
                         (list (inner (cadr part)) (inner (caddr part)))
                         (list (car part) (inner (cadr part)))))
                   (car found)))))

(define (answer-inspect request)
  (let* ([number (argument request ':object)] [absent (list #f)] [object (hashtable-ref objects number absent)])
    (if (eq? object absent)
        `(:outcome :refused :no-object ,number)
        (answer-with-code
         request
         (lambda (evaluation _)
           (evaluation-phase-set! evaluation ':print)
           `(:outcome :inspected
             :object ,(node object (min 8 (or (argument request ':depth) 1)) (or (argument request ':count) 50)
                            (or (argument request ':offset) 0) (or (argument request ':limit) 2000) '())))))))

;; (:object node) for the first of VALUES when it is compound, as far as that can be found out.
(define (preview-facts values)
  (failsafe
   (constantly '())
   (lambda ()
     (if (or (null? values) (string=? (kind (car values)) "atom"))
         '()
         `(:object ,(node (car values) 1 preview-parts 0 short-string '()))))))
