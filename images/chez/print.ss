;;; Printing what may not want to be printed: values and conditions as strings of bounded length, whatever the printers of the
;;; evaluated code do.

;; What WRITER writes to the port it is given, at most LIMIT characters; second value: true when that cut it. That something
;; is circular is not worth a warning.
(define (bounded-text limit writer)
  (let-values ([(text contents) (open-string-output-port)])
    (let* ([room limit]
           [cut (call/1cc
                 (lambda (stop)
                   (define (take string start count)
                     (let ([fits (min count room)])
                       (put-string text string start fits)
                       (set! room (- room fits))
                       (when (< fits count)
                         (stop #t))
                       count))
                   (parameterize ([custom-port-buffer-size 128])
                     (let ([port (make-custom-textual-output-port "text" take #f #f #f)])
                       (with-exception-handler
                        (lambda (condition)
                          (unless (warning? condition)
                            (raise-continuable condition)))
                        (lambda ()
                          (writer port)
                          (flush-output-port port)))))
                   #f))])
      (values (contents) cut))))

;; What THUNK returns, or what DEFAULT returns for what was raised in it.
(define (failsafe default thunk)
  (guard (condition [#t (default condition)])
    (thunk)))

(define (constantly value)
  (lambda _ value))

(define (cut-text text limit)
  (if (> (string-length text) limit) (substring text 0 limit) text))

(define (first-of items count)
  (if (or (null? items) (<= count 0)) '() (cons (car items) (first-of (cdr items) (- count 1)))))

;; The first index from START on at which PART is in TEXT, or #f.
(define (text-index text part start)
  (let ([last (- (string-length text) (string-length part))])
    (let loop ([at start])
      (cond
        [(> at last) #f]
        [(string=? (substring text at (+ at (string-length part))) part) at]
        [else (loop (+ at 1))]))))

(define (starts-with? text part)
  (eqv? (text-index (cut-text text (string-length part)) part 0) 0))

;; (text cut): VALUE as it prints, in at most LIMIT characters, or why it does not. LEVEL and LENGTH may be #f.
(define (value-text value limit level length)
  (failsafe
   (lambda (failure)
     (list (string-append "#<" (type-text value) ", whose printing failed: " (condition-type failure) ": "
                          (condition-text failure 500) ">")
           #f))
   (lambda ()
     (let-values ([(text cut)
                   (bounded-text limit
                                 (lambda (port)
                                   (parameterize ([print-level (or level (print-level))] [print-length (or length (print-length))]
                                                  [print-graph (or (print-graph) (circular? value limit))])
                                     (write value port))))])
       (list text cut)))))

;; Marks in `circular?' that all that is inside of PART has been seen.
(define-record-type closing (fields part))

;; True when a part of VALUE contains itself, among the first MOST: each takes a character or more when it is printed.
(define (circular? value most)
  (define states (make-eq-hashtable))   ; part -> open or done
  (define (inside part left)
    (cond
      [(pair? part) (list (car part) (cdr part))]
      [(vector? part) (map (lambda (index) (vector-ref part index)) (iota (min left (vector-length part))))]
      [(box? part) (list (unbox part))]
      [(record? part) (map cadr (record-parts part))]
      [else '()]))
  (let loop ([agenda (list value)] [left most])
    (and (pair? agenda)
         (positive? left)
         (let ([part (car agenda)] [agenda (cdr agenda)])
           (if (closing? part)
               (begin
                 (hashtable-set! states (closing-part part) 'done)
                 (loop agenda left))
               (case (hashtable-ref states part #f)
                 [(open) #t]
                 [(done) (loop agenda left)]
                 [else
                  (let ([parts (inside part left)])
                    (cond
                      [(null? parts) (loop agenda left)]
                      [else
                       (hashtable-set! states part 'open)
                       (loop (append parts (cons (make-closing part) agenda)) (- left 1))]))]))))))

;; VALUE in at most 200 characters on one line.
(define (short-text value)
  (let* ([printed (value-text value 200 4 8)]
         [line (list->string (map (lambda (character) (if (char-whitespace? character) #\space character))
                                  (string->list (car printed))))])
    (if (cadr printed) (string-append line "...") line)))

;; What kind of thing VALUE is.
(define (type-text value)
  (cond
    [(list? value) "list"]
    [(pair? value) "pair"]
    [(string? value) "string"]
    [(symbol? value) "symbol"]
    [(number? value) "number"]
    [(procedure? value) "procedure"]
    [(vector? value) "vector"]
    [(bytevector? value) "bytevector"]
    [(fxvector? value) "fxvector"]
    [(box? value) "box"]
    [(hashtable? value) "hashtable"]
    [(port? value) "port"]
    [(record? value) (name-text (record-type-name (record-rtd value)))]
    [else "object"]))

;; The symbol or string NAME as text; a generated symbol by its short name.
(define (name-text name)
  (if (symbol? name) (symbol->string name) (format "~a" name)))

;;; Conditions

;; What every condition may have, which says nothing about its kind.
(define incidental-types '(&message &irritants &who &format &continuation $&src &i/o-port))

;; The types of what CONDITION is made of.
(define (condition-type condition)
  (failsafe
   (constantly "condition")
   (lambda ()
     (if (condition? condition)
         (let* ([types (map (lambda (part) (string->symbol (name-text (record-type-name (record-rtd part)))))
                            (simple-conditions condition))]
                [telling (remp (lambda (type) (memq type incidental-types)) types)])
           (if (null? telling)
               "condition"
               (fold-left (lambda (text type) (string-append text " " (symbol->string type)))
                          (symbol->string (car telling))
                          (cdr telling))))
         "object that is no condition"))))

;; What CONDITION says, in at most LIMIT characters, or why it says nothing. The place in the source is told apart.
(define (condition-text condition limit)
  (failsafe
   (lambda (failure)
     (string-append "(its report failed with " (condition-type failure) ")"))
   (lambda ()
     (let-values ([(text cut)
                   (bounded-text limit
                                 (lambda (port)
                                   (parameterize ([print-level 8] [print-length 50])
                                     (if (condition? condition)
                                         (display-condition condition port)
                                         (write condition port)))))])
       (without-place condition (without-heading text))))))

;; TEXT of a condition without the words that every report begins with.
(define (without-heading text)
  (define (after heading)
    (and (starts-with? text heading)
         (substring text (string-length heading) (string-length text))))
  (exists after '("Exception in get-datum/annotations: " "Exception in read: " "Exception in " "Exception: " "Exception occurred with "
                  "Warning in compile: " "Warning in " "Warning: " "")))

;; TEXT without the end that says where in the source CONDITION comes from.
(define (without-place condition text)
  (let ([at (and (condition-source condition)
                 (exists (lambda (words) (text-index text words 0)) '(" at line " " at char " " near line " " near char ")))])
    (if at (substring text 0 at) text)))

;; (descriptor . position) of the source that CONDITION is about, or #f: Chez adds it to the condition, or the form is in it.
(define (condition-source condition)
  (or (exists (lambda (part)
                (and (record? part source-type)
                     (let ([source (source-of part)])
                       (if (source-object? source) (object-place source) (cons source (position-of part))))))
              (if (condition? condition) (simple-conditions condition) '()))
      (and (syntax-violation? condition)
           (exists syntax-source (list (syntax-violation-subform condition) (syntax-violation-form condition))))))

(define (syntax-source form)
  (let ([annotation (and form (syntax->annotation form))])
    (and annotation (object-place (annotation-source annotation)))))

(define (object-place source)
  (cons (source-object-sfd source) (source-object-bfp source)))

;; The type of the part of a condition that has its source, which has no public name: that of a mistake of the reader.
(define source-type
  (guard (condition
          [#t (record-rtd (find (lambda (part) (eq? (record-type-name (record-rtd part)) '$&src))
                                (simple-conditions condition)))])
    (get-datum/annotations (open-input-string ")")
                           (make-source-file-descriptor "probe" (open-bytevector-input-port (bytevector)))
                           0)))
(define source-of (record-accessor source-type 0))
(define position-of (record-accessor source-type 1))
