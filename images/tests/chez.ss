;;; Tests of the agent for Chez Scheme in one image. In the root of the repository: scheme --script images/tests/chez.ss

(define (file-forms path)
  (let ([port (open-file-input-port path (file-options) (buffer-mode block) (make-transcoder (utf-8-codec)))])
    (let loop ([forms '()])
      (let ([form (read port)])
        (if (eof-object? form) (reverse forms) (loop (cons form forms)))))))

;; The agent, with all that it defines for the tests to see.
(for-each (lambda (part) (for-each eval (file-forms (string-append "images/chez/" part ".ss"))))
          '("wire" "print" "stack" "agent" "held" "look" "describe" "work" "renewal" "tests" "references" "copies"))

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

;;; Libraries and their files

(define project (format "/tmp/lispwright-chez-~a" (c-getpid)))
(mkdir project)
(mkdir (string-append project "/shop"))

(define (file name)
  (string-append project "/" name))

;; Writes the FORMS into the file NAME.
(define (write-forms name . forms)
  (call-with-output-file (file name)
    (lambda (port) (for-each (lambda (form) (write form port) (newline port)) forms))
    'truncate))

(define (write-library name exports imports . forms)
  (apply write-forms (format "shop/~a.sls" name)
         `((library (shop ,name) (export ,@exports) (import (chezscheme) ,@imports) ,@forms))))

;; What a worker has, but for its pipes and signals.
(set! send (lambda (message) (void)))
(set! restore-parameters (lambda () (base-exception-handler handle-condition)))
(set! watch-requests (lambda (on?) (void)))
(set! allow-interrupts (lambda () (void)))
(set! handle-frames (lambda () (void)))
(set! flush-ports (lambda () (void)))
(define home (current-directory))
(current-directory project)
(library-directories (cons "" (library-directories)))
(prepare-libraries)
(prepare-compiler)

;; What the answer to a request says of KEY; the files by their names alone.
(define (said answer key)
  (cond
    [(null? answer) #f]
    [(eq? (car answer) key) (cadr answer)]
    [else (said (cddr answer) key)]))

(define (names paths)
  (map path-last paths))

;; The environment of the session, which has nothing of the agent.
(define session (copy-environment (scheme-environment) #t))

(define-syntax in-session
  (syntax-rules ()
    [(_ form ...) (parameterize ([interaction-environment session]) form ...)]))

;; What is sent with a request now: the changed files and those that use them, which all are NEEDED? by the target; the
;; files that are gone.
(define (renewal needed?)
  (let* ([rows (or (said (answer-loaded-files '(:loaded-files)) ':files) '())]
         [in-state (lambda (state) (map car (filter (lambda (row) (eq? (cadr row) state)) rows)))]
         [changed (in-state ':changed)]
         [gone (in-state ':gone)])
    `(:stale ,(map (lambda (path) (list path needed? '())) (append changed (remp (lambda (path) (member path gone))
                                                                            (files-using (append changed gone)))))
      :gone ,gone)))

(define (load-file name . needed?)
  (in-session (answer-load `(:load :id 1 :path ,(file name) :force #t ,@(renewal (or (null? needed?) (car needed?)))))))

(define (run-file name)
  (in-session (answer-run-tests `(:run-tests :id 1 :path ,(file name) ,@(renewal #t)))))

;; The value of FORM at the prompt, or the text of its error.
(define (at-prompt form)
  (guard (condition [#t (condition-text condition 100)])
    (in-session (eval form session))))

(define (states)
  (map (lambda (row) (list (path-last (car row)) (cadr row))) (said (answer-loaded-files '(:loaded-files)) ':files)))

;; Who imports a library has its present definitions.
(write-library 'base '(f twice) '() '(define (f) 1) '(define-syntax twice (syntax-rules () [(_ x) (* 2 x)])))
(write-library 'user '(use) '((shop base)) '(define (use) (list (f) (twice 3))))
(write-forms "tests.ss" '(import (shop user)) '(define outcome (use)) '(unless (equal? outcome '(1 6)) (error #f "failed" outcome)))
(check ':tested (said (run-file "tests.ss") ':outcome))
(check '(("user.sls" :same) ("base.sls" :same)) (states))
(check "variable outcome is not bound" (at-prompt 'outcome))
(check '(1 6) (begin (at-prompt '(import (prefix (shop user) my-) (shop base))) (at-prompt '(my-use))))
(write-library 'base '(f twice) '() '(define (f) 2) '(define-syntax twice (syntax-rules () [(_ x) (* 5 x)])))
(check '(("user.sls" :same) ("base.sls" :changed)) (states))
(check ':error (said (run-file "tests.ss") ':outcome))
(check '("base.sls" "user.sls") (names (said (load-file "shop/user.sls") ':loaded)))
(check '((2 15) 2 5) (at-prompt '(list (my-use) (f) (twice 1))))
(check '("base.sls" "user.sls") (names (said (load-file "shop/base.sls") ':loaded)))
(check '(2 15) (at-prompt '(my-use)))

;; What a file defines no more is gone; what fails leaves what was there, and fails again.
(write-library 'base '(f) '() '(define (f) 3))
(write-library 'user '(use) '((shop base)) '(define (use) (f)))
(check '(("syntax" "twice")) (map (lambda (row) (list (car row) (cadr row))) (said (load-file "shop/user.sls") ':removed)))
(check '(3 "variable twice is not bound") (list (at-prompt '(my-use)) (at-prompt '(twice 1))))
(write-library 'base '(f) '() '(define (f) (if)))
(do ([count 0 (+ count 1)]) ((= count 2))
  (let ([answer (load-file "shop/user.sls")])
    (check '(:error "invalid syntax (if)") (list (said answer ':outcome) (said (said answer ':error) ':message)))))
(check '(3 3) (at-prompt '(list (my-use) (f))))
(check '("user.sls" "base.sls") (list-sort string>? (map car (states))))
(write-library 'base '(f) '((shop user)) '(define (f) 4))
(check "cyclic dependency involving import of library (shop user)" (said (said (load-file "shop/user.sls") ':error) ':message))
(check 3 (at-prompt '(my-use)))
(write-forms "other.ss" '(define (other) 1) '(define-syntax mine (syntax-rules () [(_) 2])))
(check '("base.sls" "user.sls") (list-sort string<? (names (map car (said (load-file "other.ss" #f) ':left)))))
(check '(3 1) (at-prompt '(list (my-use) (other))))
(check "library (shop base) not found"
       (begin (delete-file (file "shop/base.sls")) (said (said (load-file "shop/user.sls") ':error) ':message)))
(write-library 'user '(use) '() '(define (use) 5))
(check ':loaded (said (load-file "shop/user.sls") ':outcome))
(check '(5 "variable f is not bound") (list (at-prompt '(my-use)) (at-prompt '(f))))

;; The same for a file that is no library.
(check '(1 2) (at-prompt '(list (other) (mine))))
(write-forms "other.ss" '(define (another) 1) '(car 1))
(check '(:error 1 2 "variable another is not bound")
       (append (list (said (load-file "other.ss") ':outcome)) (at-prompt '(list (other) (mine))) (list (at-prompt '(another)))))
(write-forms "other.ss" '(define (another) 1))
(check '(("procedure" "other") ("syntax" "mine"))
       (map (lambda (row) (list (car row) (cadr row))) (said (load-file "other.ss") ':removed)))
(check "variable other is not bound" (at-prompt '(other)))

;; What tests set is put back.
(write-forms "sets.ss" '(print-length 3) '(current-directory "/"))
(check '("the current directory" "print-length") (said (run-file "sets.ss") ':restored))
(check (list project #f) (list (current-directory) (print-length)))

(current-directory home)
(for-each (lambda (name) (delete-file (file name))) '("shop/user.sls" "tests.ss" "other.ss" "sets.ss"))
(delete-directory (file "shop"))
(delete-directory project)

(if (zero? failed) (printf "all passed\n") (printf "~a failed\n" failed))
(exit (if (zero? failed) 0 1))
