;;; Where Guile's own reader sees the top-level data of Scheme files.
;;;
;;; The corpus test compares our tree with this.  Reads file names from standard input, one a line, and prints
;;;
;;;   file NAME
;;;   datum START END LEAVES
;;;                        byte offsets, END exclusive, and how many atoms the datum holds
;;;   error OFFSET TEXT    what `read' threw; ends the file's data
;;;
;;; A file is decoded as Latin-1, so a character is a byte.  That cannot move a datum's ends: every byte of a UTF-8
;;; sequence is a constituent.  A start is the line and column that `read-syntax' records; the control characters that
;;; Guile's ports give a width of their own (tab, return, backspace, alarm) are blanked first, so a column is a count
;;; of bytes.

(use-modules (ice-9 binary-ports)
             (ice-9 rdelim)
             (rnrs bytevectors))

(define (file-bytes name)
  (let ((bytes (call-with-input-file name get-bytevector-all #:binary #t)))
    (if (eof-object? bytes) (make-bytevector 0) bytes)))

(define (blank-wide-characters bytes)
  "Replace the control characters that do not move a port's column by one with spaces."
  (let ((copy (bytevector-copy bytes)))
    (do ((i 0 (1+ i)))
        ((= i (bytevector-length copy)) copy)
      (when (memv (bytevector-u8-ref copy i) '(7 8 9 13))
        (bytevector-u8-set! copy i 32)))))

(define (line-starts bytes)
  "The byte offset of the start of each line, as a vector."
  (let loop ((i 0) (starts '(0)))
    (cond ((= i (bytevector-length bytes)) (list->vector (reverse starts)))
          ((= (bytevector-u8-ref bytes i) 10) (loop (1+ i) (cons (1+ i) starts)))
          (else (loop (1+ i) starts)))))

(define (start-of syntax starts)
  (let ((source (syntax-source syntax)))
    (+ (vector-ref starts (assq-ref source 'line))
       (assq-ref source 'column))))

(define (leaves datum)
  "How many symbols, numbers, strings and the like a datum holds, not counting empty lists."
  (cond ((pair? datum) (+ (leaves (car datum)) (leaves (cdr datum))))
        ((eq? datum '()) 0)
        ((vector? datum) (apply + (map leaves (vector->list datum))))
        ((bytevector? datum) (bytevector-length datum))
        (else 1)))

(define (complaint key args)
  "What was thrown, on one line and in ASCII."
  (string-map (lambda (c) (if (char<=? #\space c #\~) c #\?))
              (call-with-output-string
                (lambda (port) (print-exception port #f key args)))))

(define (report-data name)
  (let* ((bytes (blank-wide-characters (file-bytes name)))
         (starts (line-starts bytes))
         (port (open-bytevector-input-port bytes)))
    (set-port-encoding! port "ISO-8859-1")
    (catch #t
      (lambda ()
        (let loop ()
          (let ((datum (read-syntax port)))
            (unless (eof-object? datum)
              (format #t "datum ~a ~a ~a~%"
                      (start-of datum starts) (ftell port) (leaves (syntax->datum datum)))
              (loop)))))
      (lambda (key . args)
        (format #t "error ~a ~a~%" (ftell port) (complaint key args))))))

(let loop ((name (read-line)))
  (unless (eof-object? name)
    (format #t "file ~a~%" name)
    (report-data name)
    (loop (read-line))))
