;;; How many arguments the procedures of Guile take, and which of its names are syntax. See `scheme.sh`.

(use-modules (system vm program))

(define modules
  '((guile) (ice-9 ports) (ice-9 deprecated) (srfi srfi-4) (srfi srfi-1) (srfi srfi-9) (srfi srfi-11) (srfi srfi-13) (srfi srfi-26) (srfi srfi-43) (srfi srfi-69)
    (ice-9 match) (ice-9 receive) (ice-9 rdelim) (ice-9 format) (ice-9 regex) (ice-9 popen) (ice-9 ftw)
    (ice-9 binary-ports) (ice-9 textual-ports) (ice-9 hash-table) (ice-9 control) (ice-9 exceptions)
    (rnrs base) (rnrs control) (rnrs lists) (rnrs bytevectors) (rnrs io ports) (rnrs hashtables) (rnrs exceptions)
    (rnrs conditions) (rnrs records syntactic) (scheme base)))

;; The fewest and most arguments of a procedure, over all its clauses; `#f` for any number, or where it takes keywords.
(define (arity value)
  (define (fewest lists) (apply min (map (lambda (list) (length (assq-ref list 'required))) lists)))
  (define (most lists)
    (and (not (any-with lists 'rest))
         (apply max (map (lambda (list) (+ (length (assq-ref list 'required)) (length (or (assq-ref list 'optional) '())))) lists))))
  (define (any-with lists key)
    (let loop ((rest lists))
      (and (pair? rest)
           (let ((value (assq-ref (car rest) key))) (or (and value (not (null? value))) (loop (cdr rest)))))))
  (if (and (program? value) (not (procedure-property value 'arglist)))
      (let ((lists (program-arguments-alists value)))
        (if (or (null? lists) (any-with lists 'keyword)) (list 0 #f) (list (fewest lists) (most lists))))
      (list 0 #f)))

(define (row name value)
  (cond ((macro? value) (format #t "~a m 0 -\n" name))
        ((procedure? value)
         (let ((takes (arity value)))
           (format #t "~a f ~a ~a\n" name (car takes) (or (cadr takes) "-"))))))

(for-each
 (lambda (module)
   (module-for-each
    (lambda (name variable) (when (variable-bound? variable) (row name (variable-ref variable))))
    (resolve-interface module)))
 modules)
