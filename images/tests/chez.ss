;;; Tests of the agent for Chez Scheme in one image. In the root of the repository: scheme --script images/tests/chez.ss

(define (file-forms path)
  (let ([port (open-file-input-port path (file-options) (buffer-mode block) (make-transcoder (utf-8-codec)))])
    (let loop ([forms '()])
      (let ([form (read port)])
        (if (eof-object? form) (reverse forms) (loop (cons form forms)))))))

;; The agent, with all that it defines for the tests to see.
(for-each (lambda (part) (for-each eval (file-forms (string-append "images/chez/" part ".ss"))))
          '("wire" "print" "stack" "agent" "held" "look" "describe" "work" "tests" "references" "copies"))

(define failed 0)

(define-syntax check
  (syntax-rules ()
    [(_ expected form)
     (let ([value form])
       (unless (equal? value expected)
         (set! failed (+ failed 1))
         (printf "~s\n  is ~s\n  not ~s\n" 'form value expected)))]))

;;; The wire

(check '(:eval :id 7 :code "a\"\\λ" :trial () :hold #t :limit -3)
       (parse-wire "(:EVAL :ID 7 :CODE \"a\\\"\\\\λ\" :TRIAL NIL :HOLD T :LIMIT -3)"))
(check "(:DONE :ID 1 :TEXT \"a\\\"\\\\b\" :NO NIL :YES T)"
       (call-with-string-output-port (lambda (port) (encode '(:done :id 1 :text "a\"\\b" :no #f :yes #t) port))))
(check #f (argument '(:eval :trial ()) ':trial))

;;; Printing

(define circle (list 1))
(set-cdr! circle circle)
(check '("#0=(1 . #0#)" #f) (value-text circle 100 #f #f))
(check '("(0 1 2 3 4" #t) (value-text (iota 1000) 10 #f #f))
(check '("(0 1 ...)" #f) (value-text (iota 1000) 100 #f 2))
(define-record-type stubborn (fields a))
(record-writer (record-type-descriptor stubborn) (lambda (record port write) (error 'stubborn "no")))
(check '("#<stubborn, whose printing failed: &error: stubborn: no>" #f) (value-text (make-stubborn 1) 100 #f #f))

;;; Conditions

(define (raised thunk)
  (call/cc (lambda (k) (with-exception-handler k thunk))))
(check "car: 1 is not a pair" (condition-text (raised (lambda () (car (car (list 1))))) 100))
(check "&assertion" (condition-type (raised (lambda () (car (car (list 1)))))))
(check "f: bad with irritant 1" (condition-text (raised (lambda () (error 'f "bad" 1))) 100))
(check "object that is no condition" (condition-type (raised (lambda () (raise 'x)))))

;;; Places

(check '(1 1) (line-and-column "" 5))
(check '(2 3) (line-and-column "λ\nab" 4))
(define (read-code text)
  (let ([evaluation (make-evaluation "code" text 'eval #f)])
    (read-form evaluation)
    (list (evaluation-start evaluation) (evaluation-end evaluation))))
(check '(3 8) (read-code ";λ\n(a b) c"))
(check '(0 7) (read-code "#;x #\\a"))

;;; Names

(check '(my app) (library-name "(my app)"))
(check '(my app) (library-name "my app"))
(check #f (library-name "(my"))
(check #f (library-name "3"))
(check "(a)\n(a b . c)" (arglist-text (eval '(case-lambda [(a) a] [(a b . c) a]))))
(check '("(_)" "(_ _)") (arities 6))
(check '("(_)" "(_ _ _ . _)") (arities -6))
(check '(3 . circular) (list-shape (let ([list (list 1 2 3)]) (set-cdr! (cddr list) list) list)))
(check '(3 . circular) (list-shape (let ([list (list 1 2 3)]) (set-cdr! (cddr list) (cdr list)) list)))
(check '(1 . circular) (list-shape circle))
(check '(2 . 3) (list-shape '(1 2 . 3)))
(check '(0 . ()) (list-shape '()))
(check #f (circular? (let ([one (list 1)]) (list one one (vector one))) 100))
(check #t (circular? (let ([box (box 1)]) (set-box! box (list box)) (list 1 2 box)) 100))
(check #f (circular? (iota 100000) 100))

(if (zero? failed) (printf "all passed\n") (printf "~a failed\n" failed))
(exit (if (zero? failed) 0 1))
