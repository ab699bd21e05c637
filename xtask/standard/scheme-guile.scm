;;; How many arguments the procedures of Guile take, and which of its names are syntax. See `scheme.sh`.

(use-modules (system vm program))

(define modules
  '((guile) (ice-9 ports) (ice-9 deprecated) (srfi srfi-4) (srfi srfi-1) (srfi srfi-9) (srfi srfi-11) (srfi srfi-13) (srfi srfi-26) (srfi srfi-43) (srfi srfi-69)
    (ice-9 match) (ice-9 receive) (ice-9 rdelim) (ice-9 format) (ice-9 regex) (ice-9 popen) (ice-9 ftw)
    (ice-9 binary-ports) (ice-9 textual-ports) (ice-9 hash-table) (ice-9 control) (ice-9 exceptions)
    (rnrs base) (rnrs control) (rnrs lists) (rnrs bytevectors) (rnrs io ports) (rnrs hashtables) (rnrs exceptions)
    (rnrs conditions) (rnrs records syntactic) (scheme base)))

(define (row name value)
  (cond ((macro? value) (format #t "~a m 0 -\n" name))
        ((procedure? value)
         (let ((arity (and (not (has-keywords? value)) (procedure-minimum-arity value))))
           (if arity
               (format #t "~a f ~a ~a\n" name (car arity) (if (caddr arity) "-" (+ (car arity) (cadr arity))))
               (format #t "~a f 0 -\n" name))))))

(define (has-keywords? value)
  (let ((lists (procedure-property value 'arglist)))
    (or lists
        (not (program? value))
        (let ((arguments (program-arguments-alist value)))
          (and (pair? arguments)
               (let ((keys (assq 'keyword arguments))) (and keys (pair? (cdr keys)))))))))

(for-each
 (lambda (module)
   (module-for-each
    (lambda (name variable) (when (variable-bound? variable) (row name (variable-ref variable))))
    (resolve-interface module)))
 modules)
