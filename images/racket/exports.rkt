;; Tells what modules export.  Reads names of modules, as in (lib "name"), a line each, and writes a line for each: the names
;; of all phases, or nothing for a module that is not there or not compiled.  None is run.
(parameterize ([current-load
                (let ([load (current-load)])
                  (lambda (path expected)
                    (if (regexp-match? #rx"[.]zo$" path)
                        (load path expected)
                        (error "not compiled:" path))))])
  (for ([line (in-lines (current-input-port) 'linefeed)])
    (define names
      (with-handlers ([void (lambda (_) '())])
        (define module (list 'lib line))
        (module-declared? module #t)
        (define-values (variables syntaxes) (module->exports module))
        (for*/list ([phase (append variables syntaxes)] [one (cdr phase)]
                    #:unless (regexp-match? #px"\\s" (symbol->string (car one))))
          (car one))))
    (for ([name names] [at (in-naturals)])
      (unless (eqv? at 0) (write-char #\space))
      (write name))
    (newline)))
