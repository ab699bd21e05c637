;;; The names that code of Guile has only when it asks for a module: for each module of known-modules.txt that is not the
;;; core, a line with its name and, after a tab, the names that it exports and the core has not.
;;;
;;;     guile --no-auto-compile -s xtask/standard/guile-modules.scm > crates/lint/src/module-names.txt

(define core
  (cons (resolve-module '(guile)) (module-uses (resolve-module '(guile)))))

(define (core? name)
  (or-map (lambda (module) (module-variable module name)) core))

(define (modules)
  (call-with-input-file "crates/lint/src/known-modules.txt"
    (lambda (port)
      (let loop ((all '()))
        (let ((name (read port)))
          (if (eof-object? name) (reverse all) (loop (cons name all))))))))

(for-each
 (lambda (name)
   (let ((module (and (not (equal? name '(guile))) (false-if-exception (resolve-interface name)))))
     (when module
       (let ((names '()))
         (module-for-each
          (lambda (name variable)
            (let ((text (symbol->string name)))
              (unless (or (core? name) (string-any (char-set #\| #\space) text))
                (set! names (cons text names)))))
          module)
         (for-each (lambda (used)
                     (module-for-each
                      (lambda (name variable)
                        (let ((text (symbol->string name)))
                          (unless (or (core? name) (string-any (char-set #\| #\space) text))
                            (set! names (cons text names)))))
                      used))
                   (module-uses module))
         (format #t "~a\t~a\n" name (string-join (sort names string<?) " "))))))
 (modules))
