#lang racket/base
;; Objects by number, and what they are made of. images/README.md describes the nodes that are sent.

(require racket/list (except-in racket/class send) racket/set "print.rkt")
(provide inspected preview object-numbered next-object! next-object forget-objects)

(define most-objects 1000)
(define preview-parts 8)
(define short-string 200)

(define objects (make-hasheqv))         ; number -> object
(define numbers (make-weak-hasheq))     ; object -> number
(define next 1)                         ; above every number ever given in this session; the parent keeps count
(define none (gensym))
(define own-inspector (current-inspector)) ; above that of the session: opaque structures have fields

(define (next-object) next)

(define (forget-objects)
  (hash-clear! objects)
  (hash-clear! numbers)
  (set! next 1))

(define (next-object! number)
  (set! next (max next number)))

;; The object that has the number, or what `missing` returns.
(define (object-numbered number missing)
  (define object (hash-ref objects number none))
  (if (eq? object none) (missing) object))

;; The number of `object`; a new one, at the cost of the oldest, when it has none.
(define (number-of object)
  (or (hash-ref numbers object #f)
      (let ([number next])
        (set! next (add1 number))
        (hash-set! objects number object)
        (hash-set! numbers object number)
        (define old (hash-ref objects (- number most-objects) none))
        (unless (eq? old none)
          (hash-remove! objects (- number most-objects))
          (hash-remove! numbers old))
        number)))

;; The word for what `object` is; "atom" when there is nothing inside to look at.
(define (kind object)
  (cond [(or (pair? object) (mpair? object)) "list"]
        [(string? object) (if (> (string-length object) short-string) "string" "atom")]
        [(or (vector? object) (bytes? object) (box? object)) "array"]
        [(hash? object) "hash-table"]
        [(exn? object) "condition"]
        [(procedure? object) "function"]
        [(object? object) "instance"]
        [(namespace? object) "package"]
        [(port? object) "stream"]
        [(syntax? object) "syntax"]
        [(struct? object) "structure"]
        [else "atom"]))

(define (window items offset count)
  (define rest (if (< offset (length items)) (drop items offset) '()))
  (take rest (min count (length rest))))

(define (unlabelled value)
  (list #f value))

;; How many pairs `items` has, and what ends them: '(), another object, or 'circular.
(define (list-shape items)
  (let loop ([slow items] [fast items] [count 0])
    (cond [(not (pair? fast)) (values count fast)]
          [(not (pair? (cdr fast))) (values (add1 count) (cdr fast))]
          [else
           (define ahead (cddr fast))
           (define behind (cdr slow))
           (if (and (pair? ahead) (eq? ahead behind))
               (values (circle-size items) 'circular)
               (loop behind ahead (+ count 2)))])))

(define (circle-size items)
  (define seen (make-hasheq))
  (let loop ([pair items] [count 0])
    (cond [(hash-ref seen pair #f) count]
          [else
           (hash-set! seen pair #t)
           (loop (cdr pair) (add1 count))])))

;; Parts, facts and the number of parts of `object`: up to `count` parts from the one at `offset`, each (list label value) with a string or
;; #f as the label, or (list 'entry key value).
(define (parts object offset count)
  (define (windowed all facts)
    (values (window all offset count) facts (length all)))
  (case (kind object)
    [("list")
     (cond [(mpair? object) (windowed (list (list "mcar" (mcar object)) (list "mcdr" (mcdr object))) '())]
           [else
            (define-values (total end) (list-shape object))
            (define shown
              (let loop ([rest object] [index 0] [shown '()])
                (if (and (< index total) (< index (+ offset count)))
                    (loop (cdr rest) (add1 index) (if (>= index offset) (cons (unlabelled (car rest)) shown) shown))
                    (reverse shown))))
            (values (append shown
                            (if (and (<= total (+ offset count)) (not (memq end '(() circular)))) (list (list "tail" end)) '()))
                    (cond [(null? end) '()]
                          [else (list (list "shape" (if (eq? end 'circular) "circular" "dotted")))])
                    total)])]
    [("array")
     (cond [(box? object) (windowed (list (list "content" (unbox object))) '())]
           [else
            (define size (if (bytes? object) (bytes-length object) (vector-length object)))
            (define ref (if (bytes? object) bytes-ref vector-ref))
            (values (for/list ([index (in-range (min offset size) (min size (+ offset count)))]) (unlabelled (ref object index)))
                    (list (list "mutable" (if (immutable? object) "no" "yes")))
                    size)])]
    [("hash-table")
     (windowed (for/list ([(key value) (in-hash object)]) (list 'entry key value))
               (list (list "test" (cond [(hash-eq? object) "eq?"] [(hash-eqv? object) "eqv?"] [else "equal?"]))
                     (list "mutable" (if (immutable? object) "no" "yes"))))]
    [("function")
     (windowed (if (struct? object) (fields object) '())
               (list (list "name" (format "~a" (object-name object)))
                     (list "arity" (short-text (procedure-arity object)))))]
    [("instance")
     (define-values (class skipped?) (object-info object))
     (windowed (if class
                   (for/list ([name (in-list (field-names object))])
                     (list (symbol->string name) (dynamic-get-field name object)))
                   '())
               (list (list "class" (short-text class))))]
    [("package") (windowed '() '())]
    [("stream")
     (windowed '() (list (list "name" (format "~a" (object-name object)))
                         (list "open" (if (port-closed? object) "no" "yes"))))]
    [("syntax")
     (windowed (list (list "datum" (syntax->datum object)))
               (list (list "source" (format "~a" (syntax-source object)))
                     (list "line" (format "~a" (syntax-line object)))))]
    [("condition" "structure") (windowed (fields object) '())]
    [else (windowed '() '())]))

;; The fields of a structure with their names as far as these are known.
(define (fields structure)
  (define values (vector->list (struct->vector structure)))
  (define-values (type skipped?) (struct-info structure))
  (for/list ([value (in-list (cdr values))] [index (in-naturals)])
    (list (format "~a" index) value)))

;; The node of `object` with `depth` levels of `count` parts each, those of `object` itself from `offset` on. Of a long string `limit`
;; characters are shown.
(define (inspected object depth count offset limit)
  (parameterize ([current-inspector own-inspector])
    (node object depth count offset limit)))

;; The same; `path` are the objects that it is part of.
(define (node object depth count offset limit [path '()])
  (define what (kind object))
  (cond [(equal? what "atom") (list 'kind what 'text (short-text object))]
        [(memq object path) (list 'kind what 'id (number-of object) 'seen #t)]
        [else
         (append (list 'kind what 'id (number-of object) 'type (type-text object) 'text (short-text object))
                 (cond [(<= depth 0) '()]
                       [(string? object) (string-fields object offset limit)]
                       [else (part-fields object depth count offset limit path)]))]))

(define (type-text object)
  (cond [(list? object) "list"]
        [(pair? object) "pair"]
        [(string? object) "string"]
        [(bytes? object) "bytes"]
        [(vector? object) "vector"]
        [(box? object) "box"]
        [(hash? object) "hash"]
        [(set? object) "set"]
        [(exn? object) (exception-type object)]
        [(procedure? object) "procedure"]
        [(struct? object)
         (define name (format "~a" (vector-ref (struct->vector object) 0)))
         (if (regexp-match? #rx"^struct:" name) (substring name 7) name)]
        [else (kind object)]))

(define (string-fields text offset limit)
  (define end (min (string-length text) (+ offset limit)))
  (list 'total (string-length text) 'offset offset
        'parts (if (< offset end) (list (list #f (list 'kind "text" 'text (substring text offset end)))) '())))

(define (part-fields object depth count offset limit path)
  (with-handlers ([exn:fail? (lambda (failure)
                               (list 'facts (list (list "cannot be looked into" (exception-text failure 500)))))])
    (define-values (shown facts total) (parts object offset count))
    (define (inner value)
      (node value (sub1 depth) count 0 limit (cons object path)))
    (list 'facts facts 'total total 'offset offset
          'parts (for/list ([part (in-list shown)])
                   (if (eq? (car part) 'entry)
                       (list (inner (cadr part)) (inner (caddr part)))
                       (list (car part) (inner (cadr part))))))))

;; ('object node) for the first of `values` when there is something inside.
(define (preview values)
  (if (or (null? values) (equal? (parameterize ([current-inspector own-inspector]) (kind (car values))) "atom"))
      '()
      (list 'object (inspected (car values) 1 preview-parts 0 short-string))))
