;;; What Guile says of files, whose names are lines of the standard input: the warnings of its compiler, and what a module
;;; exports without a value. Each file has processes of its own, because modules that are loaded stay.

(use-modules (ice-9 popen) (ice-9 rdelim))

(define root (getcwd))
(define compiled (string-append root "/compiled.go"))

(define (check module)
  (object->string
   `(module-for-each
     (lambda (name variable)
       (unless (variable-bound? variable) (format #t "export without a value: ~a~%" name)))
     (resolve-interface ',module))))

(define (run command . arguments)
  (let ((pipe (apply open-pipe* OPEN_READ "sh" "-c" (string-append "exec " command " 2>&1") "sh" arguments)))
    (let next ((line (read-line pipe)))
      (unless (eof-object? line)
        (display line)
        (newline)
        (next (read-line pipe))))
    (close-pipe pipe)))

(define (module-of file)
  (let ((form (call-with-input-file file read)))
    (and (pair? form) (eq? (car form) 'define-module) (cadr form))))

(let next ((file (read-line)))
  (unless (eof-object? file)
    (run "guild compile -W1 -Wunbound-variable -L \"$1\" -o \"$2\" \"$3\"" root compiled file)
    (let ((module (module-of file)))
      (when module
        (run "guile --no-auto-compile -L \"$1\" -c \"$2\"" root (check module))))
    (next (read-line))))
