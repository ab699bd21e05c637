#lang racket/base
;; Messages to and from the parent. A message is a list of symbols, strings, integers and lists; images/README.md describes
;; them. A keyword of the wire is a symbol here: `:CODE` is `code`. NIL is #f, T is #t; an empty list is sent as NIL.
;;
;; The shell that starts Racket gives it the pipe of the protocol as descriptors 8 and 9, so that evaluated code, which has 0, 1
;; and 2, never meets it. Processes that code starts inherit none but those three.

(require racket/string ffi/unsafe/port)
(provide open-protocol receive-request requests-ready-evt send argument working-for progress)

(define requests #f)                    ; the port that requests are read from
(define answers #f)                     ; the port that answers are written to
(define writing (make-semaphore 1))     ; one frame is written at a time

;; Opens the descriptors. `in` is a port that is open already on the requests, `out` one on the answers; each may be #f.
(define (open-protocol in [out #f])
  (set! requests (or in (unsafe-file-descriptor->port 8 'requests '(read))))
  (set! answers (or out (unsafe-file-descriptor->port 9 'answers '(write)))))

;; Ready when a request, or the end of the pipe, has come.
(define (requests-ready-evt)
  (wrap-evt requests void))

;; The datum that `text` stands for.
(define (parse text)
  (define in (open-input-string text))
  (define (word)
    (car (regexp-match #rx"^[^ ()\"]+" in)))
  (define (atom bytes)
    (define text (bytes->string/utf-8 bytes))
    (cond [(equal? text "NIL") #f]
          [(equal? text "T") #t]
          [(char=? (string-ref text 0) #\:) (string->symbol (string-downcase (substring text 1)))]
          [else (string->number text 10)]))
  (define (rest-of-string)
    (define out (open-output-string))
    (let loop ()
      (define character (read-char in))
      (unless (eqv? character #\")
        (write-char (if (eqv? character #\\) (read-char in) character) out)
        (loop)))
    (get-output-string out))
  (define (datum)
    (define character (peek-char in))
    (case character
      [(#\() (read-char in) (items '())]
      [(#\") (read-char in) (rest-of-string)]
      [(#\space) (read-char in) (datum)]
      [else (atom (word))]))
  (define (items found)
    (case (peek-char in)
      [(#\)) (read-char in) (reverse found)]
      [(#\space) (read-char in) (items found)]
      [else (items (cons (datum) found))]))
  (datum))

;; The next request, or #f when the parent has closed its end or does not speak the protocol.
(define (receive-request)
  (define header (read-bytes 6 requests))
  (define size (and (bytes? header) (string->number (bytes->string/latin-1 header) 16)))
  (define payload (and size (read-bytes size requests)))
  (and (bytes? payload) (= (bytes-length payload) size) (parse (bytes->string/utf-8 payload))))

;; What follows `key` in `request`, or #f.
(define (argument request key)
  (let loop ([rest (cdr request)])
    (cond [(or (null? rest) (null? (cdr rest))) #f]
          [(eq? (car rest) key) (cadr rest)]
          [else (loop (cddr rest))])))

(define (encode value out)
  (cond [(string? value)
         (write-char #\" out)
         (write-string (string-replace (string-replace value "\\" "\\\\") "\"" "\\\"") out)
         (write-char #\" out)]
        [(symbol? value)
         (write-char #\: out)
         (write-string (string-upcase (symbol->string value)) out)]
        [(exact-integer? value) (write value out)]
        [(eq? value #t) (write-string "T" out)]
        [(pair? value)
         (write-char #\( out)
         (encode (car value) out)
         (for ([item (in-list (cdr value))])
           (write-char #\space out)
           (encode item out))
         (write-char #\) out)]
        [else (write-string "NIL" out)]))

;; Sends `message` to the parent as one frame.
(define (send message)
  (define out (open-output-bytes))
  (encode message out)
  (define payload (get-output-bytes out))
  (define header (number->string (bytes-length payload) 16))
  (call-with-semaphore
   writing
   (lambda ()
     (write-string (make-string (- 6 (string-length header)) #\0) answers)
     (write-string header answers)
     (write-bytes payload answers)
     (flush-output answers))))
;; The number of the request in hand, when the parent is told what it does; else #f.
(define working-for (make-parameter #f))

;; Tells the parent what the request in hand does.
(define (progress text)
  (when (working-for)
    (send (list 'progress 'id (working-for) 'text text))))
