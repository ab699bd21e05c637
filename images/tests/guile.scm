;;; Tests of the agent for Guile in one image and without a parent.
;;; guile --no-auto-compile images/tests/guile.scm

(define (part name)
  (string-append (dirname (dirname (canonicalize-path (current-filename)))) "/guile/" name ".scm"))

(load (part "system"))
(define parts
  (map part '("directories" "roots" "print" "stack" "agent" "warnings" "work" "tests" "look" "describe" "references" "held" "copies")))
(set-current-module (resolve-module '(lispwright agent)))
(for-each load (@@ (guile-user) parts))

(use-modules (srfi srfi-64) (srfi srfi-9 gnu))

;; A failure is reported on the error output, and by the exit code.
(define runner (test-runner-simple))
(set! test-log-to-file #f)
(test-runner-factory (lambda () runner))
(test-begin "guile")

;;; The wire

(define (spelled value)
  (call-with-output-string (lambda (port) (encode value port))))

(test-equal "a datum is spelled as the parent reads it"
  "(:DONE :ID 3 \"a\\\"b\\\\c\nd\" T NIL (1 -2) NIL)"
  (spelled '(#:done #:id 3 "a\"b\\c\nd" #t #f (1 -2) ())))

(test-equal "what the parent spells is read"
  '(#:eval #:id 12 #:code "(f \"x\\\") λ" #:hold #t #:package #f #:tests ("a" "b"))
  (parse-wire "(:EVAL :ID 12 :CODE \"(f \\\"x\\\\\\\") λ\" :HOLD T :PACKAGE NIL :TESTS (\"a\" \"b\"))"))

(test-equal "what is spelled is read again"
  '(#:a (("x" -5) ("" #t)) #:b #f)
  (parse-wire (spelled '(#:a (("x" -5) ("" #t)) #:b #f))))

(test-equal "an argument is found by its key" "x" (argument '(#:eval #:id 1 #:code "x") #:code))
(test-equal "one that is not there is false" #f (argument '(#:eval #:id 1) #:code))

;;; Roots

(test-equal "pieces of code belong together within the heap and within a page"
  '((100 400) (8192 12300) (20000 20010) (90000 99000) (200000 200010))
  (runs '((100 110) (300 400) (8192 8300) (12288 12300) (20000 20010) (90000 91000) (98000 99000) (200000 200010))
        '(90000 120000)))
(test-equal "no code is no run" '() (runs '() '(0 0)))

;;; Printing

(define (printed value limit)
  (value-text value limit #f #f))

(test-equal "a value is written" '("(1 \"a\" #\\b (c . d))" #f) (printed '(1 "a" #\b (c . d)) 100))
(test-equal "and cut at the limit" '("(1 2 " #t) (printed '(1 2 3 4) 5))
(test-equal "to no depth more than is wanted" "((1 ...) ...)" (car (value-text '((1 (2)) 3 4) 100 2 1)))
(test-equal "nor deeper" "((1 #) 3 4)" (car (value-text '((1 (2)) 3 4) 100 2 #f)))
(test-equal "vectors too" "#(1 #(2 3) ...)" (car (value-text #(1 #(2 3) 4) 100 #f 2)))

(define ring (list 1 2))
(set-cdr! (cdr ring) ring)
(test-equal "a circle is labelled" "#0=(1 2 . #0#)" (car (printed ring 100)))

(define deep (let loop ((depth 100000) (value '())) (if (zero? depth) value (loop (1- depth) (list value)))))
(test-assert "depth is no danger" (string-prefix? "((((" (car (printed deep 50))))

(define-record-type <mute> (make-mute) mute?)
(set-record-type-printer! <mute> (lambda (value port) (error "no words")))
(test-assert "a printer that fails is told of" (string-contains (car (printed (make-mute) 300)) "whose printing failed: "))

(test-equal "short texts stand on one line" "\"a\\nb\"" (short-text "a\nb"))
(test-assert "and stay short" (<= (string-length (short-text (make-string 5000 #\x))) 210))

;;; Exceptions

(define (raised thunk)
  (with-exception-handler (lambda (exception) exception) thunk #:unwind? #t))

(define of-car (raised (lambda () (car 7))))
(test-equal "of Guile's own the key is the type" "wrong-type-arg" (exception-type of-car))
(test-assert "and what it says says where" (string-prefix? "In procedure car: " (exception-text of-car 300)))
(test-assert "a text has a limit" (<= (string-length (exception-text of-car 10)) 10))
(test-equal "what is no exception is named so" "object that is no exception" (exception-type (raised (lambda () (raise-exception 'tea)))))
(define of-unbound (raised (lambda () (eval 'nowhere (resolve-module '(guile-user))))))
(test-equal "unbound-variable" (exception-type of-unbound))

;;; Places in code

(test-equal "lines and columns count characters" '(2 3) (line-and-column (string->utf8 "λ\nλλb") 7))
(test-equal "past the end is the end" '(1 3) (line-and-column (string->utf8 "ab") 99))
(test-equal "a part of a text" "λb" (text-between (string->utf8 "aλbc") 1 4))
(test-equal "a place is split" '("/a/b:c.scm" 4 6) (split-place "/a/b:c.scm:4:5"))
(test-equal "what is none is none" #f (split-place "nothing"))
(test-equal "the reader's places, old" '("a.scm" 3 5) (source-place '((filename . "a.scm") (line . 2) (column . 4))))
(test-equal "and new" '("a.scm" 3 5) (source-place #("a.scm" 2 4)))
(test-equal "and none" #f (source-place #f))

(define (left text)
  (let ((port (open-input-string text)))
    (read port)
    (let ((count (forms-left port)))
      (list count (read port)))))
(test-equal "the forms left are counted, and left" '(2 b) (left "a b c"))
(test-equal "unless they cannot be read" '(#f b) (left "a b (c"))

;;; Evaluation

(test-assert "what has a lambda in it is compiled" (needs-compiling? (macroexpand '(list 1 (lambda (x) x)))))
(test-assert "what has none is not" (not (needs-compiling? (macroexpand '(if (car x) '(lambda . 1) (begin 2 3))))))

(test-equal "a module's name" '(ice-9 match) (module-name-of "(ice-9 match)"))
(test-equal "without parentheses" '(ice-9 match) (module-name-of "ice-9 match"))
(test-equal "of one word" '(tool) (module-name-of "tool"))
(test-equal "several are none" '(#f #f #f #f) (map module-name-of '("(a) (b)" "()" "(srfi 1)" "(a")))

(define (written-at form text)
  (call-with-input-string text
    (lambda (port)
      (set-port-filename! port "t.scm")
      (form-place form (read-syntax port)))))
(test-equal "a form is found where it is written" '("t.scm" 2 3) (written-at '(if) "(define (f)\n  (if))"))
(test-equal "one that is not there is not" #f (written-at '(if a) "(define (f) (if))"))

;;; Warnings

(test-equal "no place is guessed from what a message happens to quote"
  '(#f "format" "\"~a\": wrong number of `format' arguments: expected 1, got 0")
  (split-warning "<unknown-location>: warning: \"~a\": wrong number of `format' arguments: expected 1, got 0"
                 (lambda () (open-input-string "(use-modules (ice-9 format))"))))
(test-equal "the only call is the one that is meant"
  '("x.scm" 2 1)
  (first (split-warning "<unknown-location>: warning: \"~a\": wrong number of `format' arguments: expected 1, got 0"
                        (lambda ()
                          (let ((port (open-input-string "(use-modules (ice-9 format))\n(format #f \"~a\")")))
                            (set-port-filename! port "x.scm")
                            port)))))
(test-equal "a warning is about the file that was being compiled"
  '((#f . "none") ("/b.scm" . "inner") ("/a.scm" . "outer"))
  (call-with-warning-text
   (lambda ()
     (for-each (lambda (line) (format (current-warning-port) "~a\n" line))
               (list (string-append warning-mark "none") ";;; compiling /a.scm" ";;; compiling /b.scm"
                     (string-append warning-mark "inner") ";;; compiled /b.go" (string-append warning-mark "outer"))))
   (lambda (answer lines others) lines)))
(test-equal "a warning has a place, a type and a message"
  '(("x.scm" 2 4) "arity-mismatch" "possibly wrong number of arguments to `f'")
  (split-warning "x.scm:2:3: warning: possibly wrong number of arguments to `f'" (const #f)))
(test-equal "the place of a variable is looked up"
  '(("t.scm" 2 2) "unbound-variable" "possibly unbound variable `g'")
  (split-warning "<unknown-location>: warning: possibly unbound variable `g'"
                 (lambda ()
                   (let ((port (open-input-string "(f)\n(g)")))
                     (set-port-filename! port "t.scm")
                     port))))

;;; Names

(test-equal '(foo #f) (split-name "foo"))
(test-equal '(foo (my app)) (split-name "(@@ (my app) foo)"))
(test-equal '(#f (my app)) (split-name "(my app)"))
(test-equal '(foo #f) (split-name "'foo"))
(test-equal '(#f #f) (split-name "(1 \"x\")"))
(test-equal '(#f #f) (split-name "(open"))

(define (compiled code)
  (compile code #:env (resolve-module '(guile-user))))

(test-equal "parameters" "(a #:optional b #:key c . d)"
  (arglist-text (compiled '(lambda* (a #:optional b #:key c #:rest d) a))))
(test-equal "several lists of them" "(a)\n(a b . c)" (arglist-text (compiled '(case-lambda ((a) a) ((a b . c) b)))))

(define hive
  (let ((module (resolve-module '(test hive))))
    (beautify-user-module! module)
    (compile '(begin
             (use-modules (srfi srfi-9))
             (define (swarm bees) "Lets them fly.\nAll." bees)
             (define-syntax-rule (twice x) (list x x))
             (define-record-type <bee> (make-bee name) bee? (name bee-name))
             (define honey 3)
             (export swarm bee-name honey))
             #:env module)
    module))

(define (fields meaning keys)
  (map (lambda (key) (argument (cons #f meaning) key)) keys))

(define (meaning-of symbol)
  (fields (car (meanings symbol (variable-ref (module-variable hive symbol)) hive 100)) '(#:type #:name)))

(test-equal '("procedure" "swarm") (meaning-of 'swarm))
(test-equal '("syntax" "twice") (meaning-of 'twice))
(test-equal "an accessor that is inlined is a procedure" '("procedure" "bee-name") (meaning-of 'bee-name))
(test-equal '("variable" "honey") (meaning-of 'honey))
(test-equal '("record type" "<bee>") (meaning-of '<bee>))
(test-equal "exports are listed by name" '(bee-name honey swarm) (map car (module-exports hive)))
(test-equal "with what they offer" '("procedure" "swarm" "(bees)")
  (fields (car (export-meanings 'swarm (module-variable hive 'swarm) hive 100)) '(#:type #:name #:arglist)))
(test-assert "a misspelling is near" (member "swarm" (names-near "swram" hive)))

;;; Macros

(test-equal '(list 1 1) (expand-form '(twice 1) hive #:once))
(test-equal "core forms are none" '(if a b) (expand-form '(if a b) hive #:full))

;;; Objects

(define numbered (list 1 2))
(define number (object-number numbered))
(test-equal "an object keeps its number" number (object-number numbered))
(test-assert "another has another" (not (= number (object-number (list 1 2)))))
(do ((index 0 (1+ index))) ((= index most-objects)) (object-number (list index)))
(test-equal "the oldest are forgotten" #f (hashv-ref objects number))
(test-equal '(2 3) (window '(1 2 3 4) 1 2))
(test-equal '((0 . ()) (1 . ()) (3 . ()) (1 . b) (2 . c))
  (map list-shape '(() (a) (a b c) (a . b) (a b . c))))
(test-equal '((1 . circular) (2 . circular) (5 . circular) (6 . circular))
  (map (lambda (before around)
         (let ((circle (iota around)))
           (set-cdr! (last-pair circle) circle)
           (list-shape (append! (iota before) circle))))
       '(0 1 2 5) '(1 1 3 1)))
(test-equal '() (window '(1 2) 5 2))
(test-equal '("list" "hash-table" "function" "atom" "string")
  (map kind (list '(1) (make-hash-table) car 5 (make-string 300 #\a))))

;;; References

(define (noted-in text)
  "((kind name line column from) ...) of what TEXT refers to in the hive, in the order of the places."
  (let ((port (open-input-string text)))
    (set-port-filename! port "/hive.scm")
    (set-port-line! port 0)
    (save-module-excursion
     (lambda ()
       (set-current-module hive)
       (let loop ((found '()))
         (let ((form (read-syntax port)))
           (if (eof-object? form)
               (map (lambda (reference)
                      (list (reference-kind reference) (reference-name reference) (reference-line reference)
                            (reference-column reference) (reference-from reference)))
                    (sort found reference-before?))
               (call-with-values (lambda () (tree-references (macroexpand form) '(test hive)))
                 (lambda (references name)
                   (loop (append (form-references form '(test hive)) references found)))))))))))

(test-equal "calls, references and assignments"
  '(("call" swarm 2 4 f) ("reference" swarm 2 10 f) ("assignment" honey 3 3 f))
  (noted-in "(define (f)\n  (swarm swarm)\n  (set! honey 4))"))
(test-equal "local variables and quoted names are none" '() (noted-in "(define (f swarm) (let ((honey 1)) (swarm 'honey honey)))"))
(test-equal "macros and what is inlined" '(("call" bee-name 1 16 f) ("macroexpansion" twice 1 29 f))
  (filter (lambda (found) (memq (second found) '(twice bee-name))) (noted-in "(define (f b) (bee-name b) (twice b))")))
(test-equal "the name that is defined is none" '() (noted-in "(define honey 1)"))
(test-equal '("define" "define*" "curried") (map (lambda (form) (symbol->string (defined-by form)))
                                                '((define define 1) (define* (define* a) 1) (define ((curried a) b) 1))))

;;; Files

(define directory (mkdtemp "/tmp/lispwright-test-XXXXXX"))
(define (file name text)
  (let ((path (string-append directory "/" name)))
    (call-with-output-file path (lambda (port) (display text port)) #:encoding "UTF-8")
    path))

(test-equal "the content is bytes" #vu8(206 187) (file-content (file "a.txt" "λ")))
(test-equal "of an empty file, too" #vu8() (file-content (file "empty.txt" "")))
(set! project-root directory)
(test-assert (project-file? (file "b.scm" "")))
(test-assert (not (project-file? "/elsewhere/b.scm")))
(make-directories (string-append directory "/x/y/z.go"))
(test-assert (file-is-directory? (string-append directory "/x/y")))
;; The directories of modules
(make-directories (string-append directory "/src/guile/ice-9/z.go"))
(make-directories (string-append directory "/vendor/a/z.go"))
(file "src/guile/top.scm" ";;; Top\n(define-module (top)\n  #:export (one))\n")
(file "src/guile/ice-9/match.scm" "(define-module (ice-9 match))\n")
(file "vendor/a/b.sld" "(define-library\n  (a b))\n")
(file "vendor/other.scm" "(define-module (elsewhere))\n")
(file "Makefile" "check:\n\tguile -L ./x/y -L$(srcdir)/nowhere t.scm\n\tcc -L vendor t.c\n")
(test-equal "modules tell their directories by their names, and calls of Guile in a Makefile"
  (map (lambda (name) (string-append directory name)) '("" "/x/y" "/src" "/src/guile" "/vendor"))
  (library-directories))
(system* "rm" "-r" directory)

(test-end "guile")
(exit (if (zero? (test-runner-fail-count runner)) 0 1))
