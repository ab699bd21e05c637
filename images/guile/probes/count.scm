(let* ((counted-variables
        (map (lambda (text)
               (let* ((name (call-with-input-string text read))
                      (variable (and (symbol? name) (module-variable (current-module) name))))
                 (unless (and variable (variable-bound? variable) (procedure? (variable-ref variable)))
                   (error "There is no procedure of this name here:" name))
                 ;; Name, variable, procedure, calls, time in them, depth.
                 (vector name variable (variable-ref variable) 0 0 0)))
             (list {{names}})))
       (counted
        (lambda (one)
          (lambda arguments
            (let ((began (get-internal-real-time)))
              (vector-set! one 3 (+ 1 (vector-ref one 3)))
              (dynamic-wind
                (lambda () (vector-set! one 5 (+ (vector-ref one 5) 1)))
                (lambda () (apply (vector-ref one 2) arguments))
                (lambda ()
                  (vector-set! one 5 (- (vector-ref one 5) 1))
                  (when (zero? (vector-ref one 5))
                    (vector-set! one 4 (+ (vector-ref one 4) (- (get-internal-real-time) began)))))))))))
  (dynamic-wind
    (lambda () (for-each (lambda (one) (variable-set! (vector-ref one 1) (counted one))) counted-variables))
    (lambda ()
      (call-with-input-string {{code}}
        (lambda (port)
          (let loop ((results '()))
            (let ((form (read port)))
              (if (eof-object? form)
                  (apply values results)
                  (call-with-values (lambda () (eval form (current-module))) (lambda results (loop results)))))))))
    (lambda ()
      (for-each
       (lambda (one)
         (variable-set! (vector-ref one 1) (vector-ref one 2))
         (display (vector-ref one 3)) (display " calls, ")
         (display (/ (round (/ (* 1e6 (vector-ref one 4)) internal-time-units-per-second)) 1e3)) (display " ms: ")
         (write (vector-ref one 0)) (newline))
       counted-variables))))
