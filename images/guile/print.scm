;;; Printing values and exceptions as strings of bounded length, in spite of the printers that evaluated code defines.

(define (text-port put)
  "A port that calls PUT with the strings that are written to it, with any default encoding that code has set."
  (let ((port (make-soft-port (vector (lambda (character) (put (string character))) put (lambda () #t) #f #f) "w")))
    (set-port-encoding! port "UTF-8")
    port))

(define (bounded-text limit writer)
  "The output of WRITER, called with a port, at most LIMIT characters; second value: true when that cut it."
  (let ((text (open-output-string))
        (room limit)
        (tag (make-prompt-tag "bounded-text")))
    (define (put string)
      (let ((length (string-length string)))
        (cond ((<= length room)
               (put-text string text)
               (set! room (- room length)))
              (else
               (put-text (substring string 0 room) text)
               (set! room 0)
               (abort-to-prompt tag)))))
    (let ((port (text-port put)))
      (call-with-prompt tag
        (lambda ()
          (writer port)
          (force-output port)
          (values (get-output-string text) #f))
        (lambda (k)
          (values (get-output-string text) #t))))))

(define (failsafe default thunk)
  "The value of THUNK, or of DEFAULT after an exception in it."
  (with-exception-handler default thunk #:unwind? #t))

(define (compound? value)
  (or (pair? value) (and (vector? value) (positive? (vector-length value)))))

(define-record-type <box>
  (make-box content)
  box?
  (content unbox))

;; The number of an exception's parts that are visited.
(define most-parts 10000)

(define (circular-parts value most)
  "A table of the pairs and vectors in VALUE that contain themselves, or #f when there are none. Examines at most the
first MOST parts: each takes a character or more when it is printed."
  (let ((states (make-hash-table)))
    (let loop ((agenda (list value)) (left most) (found #f))
      (match agenda
        (() found)
        (((? box? done) . agenda)
         (hashq-set! states (unbox done) 'done)
         (loop agenda left found))
        ((part . agenda)
         (cond ((or (not (compound? part)) (zero? left)) (loop agenda left found))
               ((eq? (hashq-ref states part) 'open)
                (let ((found (or found (make-hash-table))))
                  (hashq-set! found part #t)
                  (loop agenda left found)))
               ((hashq-ref states part) (loop agenda left found))
               (else
                (hashq-set! states part 'open)
                (let ((agenda (cons (make-box part) agenda)))
                  (if (pair? part)
                      (loop (cons* (car part) (cdr part) agenda) (1- left) found)
                      (loop (let prepend ((index (min left (vector-length part))) (agenda agenda))
                              (if (zero? index)
                                  agenda
                                  (prepend (1- index) (cons (vector-ref part (1- index)) agenda))))
                            (1- left) found))))))))))

(define (write-value value port level length circular)
  "Writes VALUE like `write', with `#' for parts nested more than LEVEL deep and `...' after LENGTH elements, either of
which may be #f. CIRCULAR is the result of circular-parts."
  (define labels (make-hash-table))     ; part -> its number
  (define (label-of part)
    (and circular (hashq-ref circular part) (hashq-ref labels part)))
  (define (define-label part)
    (when (and circular (hashq-ref circular part))
      (let ((number (hash-count (const #t) labels)))
        (hashq-set! labels part number)
        (put-text (string-append "#" (number->string number) "=") port))))
  (define (write-reference number)
    (put-text (string-append "#" (number->string number) "#") port))
  (define (item value depth)
    (cond ((not (compound? value)) (write-atom value))
          ((label-of value) => write-reference)
          ((and level (>= depth level)) (write-char #\# port))
          (else
           (define-label value)
           (if (pair? value)
               (elements value (1+ depth))
               (vector-elements value (1+ depth))))))
  (define (write-atom value)
    (write value port))
  (define (elements list depth)
    (write-char #\( port)
    (let loop ((rest list) (count 0))
      (cond ((and length (>= count length)) (put-text "..." port))
            (else
             (item (car rest) depth)
             (let ((rest (cdr rest)))
               (cond ((null? rest))
                     ((and (pair? rest) (not (and circular (hashq-ref circular rest))))
                      (write-char #\space port)
                      (loop rest (1+ count)))
                     (else
                      (put-text " . " port)
                      (item rest depth)))))))
    (write-char #\) port))
  (define (vector-elements vector depth)
    (put-text "#(" port)
    (let loop ((index 0))
      (cond ((= index (vector-length vector)))
            ((and length (>= index length)) (put-text "..." port))
            (else
             (item (vector-ref vector index) depth)
             (when (< (1+ index) (vector-length vector))
               (write-char #\space port))
             (loop (1+ index)))))
    (write-char #\) port))
  (item value 0))

(define (plain-text value)
  "The printed form of VALUE if it is always the same, so that it needs no port; else #f."
  (cond ((eq? value #t) "#t")
        ((eq? value #f) "#f")
        ((and (exact-integer? value) (< -1000000000 value 1000000000)) (number->string value 10))
        (else #f)))

(define (value-text value limit level length)
  "(text cut): VALUE as it prints, in at most LIMIT characters, or why it does not."
  (let ((plain (plain-text value)))
    (if (and plain (<= (string-length plain) limit))
        (list plain #f)
        (printed-text value limit level length))))

(define (printed-text value limit level length)
  "The same through the printer."
  (failsafe
   (lambda (failure)
     (list (string-append "#<" (type-text value) ", whose printing failed: " (exception-type failure) ": "
                          (exception-text failure 500) ">")
           #f))
   (lambda ()
     (call-with-values
         (lambda ()
           (let ((circular (and (compound? value) (circular-parts value (1+ limit)))))
             (bounded-text limit (lambda (port) (write-value value port level length circular)))))
       list))))

(define (short-text value)
  "VALUE in at most 200 characters on one line."
  (match (value-text value 200 4 8)
    ((text cut)
     (let ((line (string-map (lambda (character) (if (char-whitespace? character) #\space character)) text)))
       (if cut (string-append line "...") line)))))

(define (type-text value)
  "The kind of VALUE."
  (failsafe
   (const "object")
   (lambda ()
     (cond ((pair? value) "list")
           ((string? value) "string")
           ((symbol? value) "symbol")
           ((number? value) "number")
           ((procedure? value) "procedure")
           ((vector? value) "vector")
           ((hash-table? value) "hash-table")
           ((port? value) "port")
           ((struct? value) (let ((name (struct-vtable-name (struct-vtable value))))
                              (if name (symbol->string name) "struct")))
           (else "object")))))

;;; Exceptions

(define (exception-type exception)
  "The key of a thrown EXCEPTION; otherwise the names of its components."
  (failsafe
   (const "exception")
   (lambda ()
     (let ((kind (exception-kind exception)))
       (cond ((not (eq? kind '%exception)) (symbol->string kind))
             ((exception? exception)
              (string-join (map (lambda (part)
                                  (string-trim-both (symbol->string (record-type-name (record-type-descriptor part)))
                                                    (char-set #\< #\>)))
                                (simple-exceptions exception))
                           " "))
             (else "object that is no exception"))))))

(define (exception-text exception limit)
  "The message of EXCEPTION, in at most LIMIT characters, or the reason why there is none."
  (failsafe
   (lambda (failure)
     (string-append "(its report failed with " (exception-type failure) ")"))
   (lambda ()
     (string-trim-right
      (bounded-text limit
                    (lambda (port)
                      (match (exception-kind exception)
                        ('%exception (write-exception exception port))
                        ('syntax-error (write-syntax-error (exception-args exception) port))
                        (key (write-thrown key (exception-args exception) port)))))))))

(define (write-thrown key arguments port)
  "Writes an exception with KEY by its printer; for a key without one by the convention of `scm-error'."
  (let ((text (call-with-output-string (lambda (port) (print-exception port #f key arguments)))))
    (match arguments
      ((subr (? string? message) irritants . _)
       (put-text (if (string-prefix? "Throw to key" text)
                     (string-append (if (string? subr) (string-append "In procedure " subr ": ") "")
                                    (apply format #f message (if (list? irritants) irritants '())))
                     text)
                 port))
      (_ (put-text text port)))))

(define (write-exception exception port)
  "The object itself if it is not an exception; otherwise the message of each component."
  (if (not (exception? exception))
      (write-value exception port 8 50 (circular-parts exception most-parts))
      (let ((irritants (and (exception-with-irritants? exception) (exception-irritants exception))))
        (when (exception-with-origin? exception)
          (put-text (format #f "In ~a: " (exception-origin exception)) port))
        (put-text (cond ((exception-with-message? exception) (exception-message exception))
                        ((non-continuable-error? exception) "The handler of an exception that cannot be continued has returned.")
                        (else "An exception without a message."))
                  port)
        (when (pair? irritants)
          (for-each (lambda (irritant)
                      (write-char #\space port)
                      (write-value irritant port 8 50 (circular-parts irritant most-parts)))
                    irritants))
        (for-each (lambda (part)
                    (unless (or (exception-with-irritants? part) (exception-with-message? part)
                                (exception-with-origin? part))
                      (let ((type (record-type-descriptor part)))
                        (for-each (lambda (field)
                                    (let ((value ((record-accessor type field) part)))
                                      (newline port)
                                      (put-text (format #f "~a: " field) port)
                                      (write-value value port 4 20 (circular-parts value most-parts))))
                                  (record-type-fields type)))))
                  (simple-exceptions exception)))))

(define (write-syntax-error arguments port)
  (match arguments
    ((who what where form subform . _)
     (when who
       (put-text (format #f "~a: " who) port))
     (put-text (format #f "~a" what) port)
     (when form
       (put-text (if subform " in subform " " in form ") port)
       (write-value (or subform form) port 8 50 #f)
       (when subform
         (put-text " of " port)
         (write-value form port 8 50 #f))))
    (_ (write arguments port))))
