(let* ((read-text (lambda (text) (call-with-input-string text read)))
       (traced-variables
        (map (lambda (text)
               (let* ((name (read-text text)) (variable (and (symbol? name) (module-variable (current-module) name))))
                 (unless (and variable (variable-bound? variable) (procedure? (variable-ref variable)))
                   (error "There is no procedure of this name here:" name))
                 (list name variable (variable-ref variable))))
             (list {{names}})))
       (depth 0)
       (say (lambda (arrow what)
              (display (make-string (* 2 depth) #\space)) (display arrow) (display " ") (write what) (newline)))
       (traced (lambda (name old)
                 (lambda arguments
                   (say "->" (cons name arguments))
                   (dynamic-wind
                     (lambda () (set! depth (+ depth 1)))
                     (lambda () (call-with-values (lambda () (apply old arguments))
                                  (lambda results
                                    (set! depth (- depth 1)) (say "<-" (cons name results)) (set! depth (+ depth 1))
                                    (apply values results))))
                     (lambda () (set! depth (- depth 1))))))))
  (dynamic-wind
    (lambda () (for-each (lambda (one) (variable-set! (cadr one) (traced (car one) (caddr one)))) traced-variables))
    (lambda ()
      (call-with-input-string {{code}}
        (lambda (port)
          (let loop ((results '()))
            (let ((form (read port)))
              (if (eof-object? form)
                  (apply values results)
                  (call-with-values (lambda () (eval form (current-module))) (lambda results (loop results)))))))))
    (lambda () (for-each (lambda (one) (variable-set! (cadr one) (caddr one))) traced-variables))))
