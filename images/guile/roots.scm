;;;; The collector's list of roots, which is short: it has room for some 2,000 ranges of memory, and one more ends the
;;;; process. Each compiled form and file adds one, so a session of many definitions would reach the limit.
;;;;
;;;; Guile never frees the memory of code. That of forms is in the heap of the C library, which is one range without
;;;; holes; that of files is often adjacent. So from time to time such roots are joined.

(define roots-before-joining 500)

(define (collector-procedure name)
  (false-if-exception (pointer->procedure void (dynamic-func name (dynamic-link)) '(* *))))

(define c-remove-roots (collector-procedure "GC_remove_roots"))
(define c-add-roots (collector-procedure "GC_add_roots"))

(define (c-heap)
  "(start end) of the heap of the C library, or (0 0) where the system does not tell."
  (or (false-if-exception
       (call-with-input-file "/proc/self/maps"
         (lambda (port)
           (let loop ()
             (let ((line (read-line port)))
               (cond ((eof-object? line) #f)
                     ((string-suffix? "[heap]" line)
                      (map (lambda (address) (string->number address 16))
                           (string-split (string-take line (string-index line #\space)) #\-)))
                     (else (loop))))))))
      '(0 0)))

(define (code-ranges)
  "(start end) of each piece of compiled code, by address."
  (sort (map (lambda (image)
               (let ((start (pointer-address (bytevector->pointer image))))
                 (list start (+ start (bytevector-length image)))))
             (all-mapped-elf-images))
        (lambda (one other) (< (car one) (car other)))))

(define (runs ranges heap)
  "(start end) of those RANGES that belong together: all that are in the HEAP, and those with nothing between them but the
rest of a page."
  (define page 4096)
  (define (within-heap? address)
    (match heap ((start end) (<= start address end))))
  (define (together? end start)
    (or (<= start (* page (ceiling-quotient end page)))
        (and (within-heap? end) (within-heap? start))))
  (let loop ((ranges ranges) (runs '()))
    (match (cons ranges runs)
      ((() . _) (reverse runs))
      ((((start end) . ranges) (first last) . others)
       (=> next)
       (if (together? last start)
           (loop ranges (cons (list first (max last end)) others))
           (next)))
      (((range . ranges) . _) (loop ranges (cons range runs))))))

(define (join-roots)
  "Joins the roots of each run of code into one. None is missed: neither the collector nor an interrupt intervenes."
  (when (and c-remove-roots c-add-roots)
    (let ((ranges (code-ranges)))
      (for-each (match-lambda
                  ((and (start end) run)
                   (unless (member run ranges)
                     (let ((start (make-pointer start)) (end (make-pointer end)))
                       (call-with-blocked-asyncs
                        (lambda ()
                          (dynamic-wind
                            gc-disable
                            (lambda ()
                              (c-remove-roots start end)
                              (c-add-roots start end))
                            gc-enable)))))))
                (runs ranges (c-heap))))))

(define roots-added 0)

(define (note-root)
  "Must be called whenever compiled code is about to be loaded."
  (set! roots-added (1+ roots-added))
  (when (> roots-added roots-before-joining)
    (set! roots-added 0)
    (join-roots)))

(define (note-roots-of-forms)
  "Records the root of each form that is compiled, by any caller."
  (let* ((loader (resolve-module '(system vm loader)))
         (load-thunk (module-ref loader 'load-thunk-from-memory)))
    (module-set! loader 'load-thunk-from-memory
                 (lambda (bytecode)
                   (note-root)
                   (load-thunk bytecode)))))
