;;;; Warnings, which Guile writes to a port: collected for the current evaluation, and given places.

(define most-warnings 50)
(define compiling-mark ";;; compiling ")
(define warning-mark "\x1f;;; ")        ; the beginning of the compiler's warnings while they are collected

;; One port serves all evaluations, because making one takes longer than evaluating. Each evaluation has a string port
;; of its own for the output, which stays with the evaluation when its stack is held and continued.
(define collected (make-fluid #f))      ; (room . port): how many more characters the string port accepts
(define collecting-port #f)

(define (collect string)
  "Keeps STRING for the current evaluation, as far as there is room."
  (match (fluid-ref collected)
    ((and place (room . text))
     (let ((kept (min room (string-length string))))
       (put-text (if (= kept (string-length string)) string (substring string 0 kept)) text)
       (set-car! place (- room kept))))
    (_ #f)))

(define (warning-port)
  "The port that keeps its output for the current evaluation."
  (when (or (not collecting-port) (port-closed? collecting-port))
    (set! collecting-port (text-port collect))
    (setvbuf collecting-port 'line))
  collecting-port)

(define (call-with-warning-text thunk finish)
  "The result of FINISH for the answer of THUNK, the compiler's warnings meanwhile as (file . line), where the file that
was being compiled may be #f, and the others as ((type message) ...). Only the first 32,000 characters of all are kept."
  (define text (open-output-string))
  (define port (warning-port))
  (define (flush)
    (false-if-exception (force-output port)))
  ;; The content of the port belongs to an evaluation around this one.
  (flush)
  (let ((answer (parameterize ((current-warning-port port))
                  (with-fluids ((*current-warning-prefix* warning-mark)
                                (collected (cons 32000 text)))
                    (let ((answer (thunk)))
                      (flush)
                      answer)))))
    ;; FILES are being compiled, the innermost first: a used file is compiled during its user's compilation.
    (let loop ((lines (string-split (get-output-string text) #\newline)) (files '()) (compiler '()) (others '()))
      (match lines
        (() (finish answer (delete-duplicates (reverse compiler)) (take* (reverse others) most-warnings)))
        ((line . lines)
         (define (begins? . beginnings)
           (any (lambda (beginning) (string-prefix? beginning line)) beginnings))
         (cond ((begins? warning-mark)
                (let ((warning (cons (and (pair? files) (car files)) (substring line (string-length warning-mark)))))
                  (loop lines files (cons warning compiler) others)))
               ((begins? compiling-mark)
                (loop lines (cons (substring line (string-length compiling-mark)) files) compiler others))
               ((begins? ";;; compiled " ";;; WARNING: compilation of ")
                (loop lines (if (pair? files) (cdr files) '()) compiler others))
               ((or (string-null? line) (apply begins? noise))
                (loop lines files compiler others))
               (else
                (let ((line (if (begins? ";;; ") (substring line 4) line)))
                  (loop lines files compiler (cons (list "warning" line) others))))))))))

(define (call-with-warnings evaluation thunk)
  "The answer of THUNK for EVALUATION, with the warnings written meanwhile."
  (call-with-warning-text
   thunk
   (lambda (answer lines others)
     (let ((warnings (filter (still-true? answer) (map cdr (take* lines most-warnings)))))
       (append answer
               (list #:warnings (append (map (lambda (line)
                                               (compiler-warning line (lambda () (open-input-string (evaluation-code evaluation)))))
                                             warnings)
                                        others)))))))

(define *current-warning-prefix* (@@ (system base message) *current-warning-prefix*))

(define (take* list count)
  (take list (min count (length list))))

;; Guile's messages about its own compiling.
(define noise
  '(";;; note: " ";;;       " ";;; newer than compiled" ";;; found fresh " ";;; WARNING: loading compiled file"))

(define warning-types
  '(("unbound variable" . "unbound-variable")
    ("wrong number of arguments" . "arity-mismatch")
    ("used before definition" . "use-before-definition")
    ("duplicate" . "duplicate-case-datum")
    ("format" . "format")
    ("shadows previous" . "shadowed-toplevel")))

(define (split-warning line open-source)
  "(place type message) of a line such as `call-1:2:3: warning: possibly unbound variable `f'', where the place is (file
line column) or #f. Guile leaves out some places. Where a variable is that is not bound, or the only call of what else is
quoted, is looked up in the port that OPEN-SOURCE gives."
  (let* ((marker ": warning: ")
         (at (string-contains line marker))
         (message (if at (substring line (+ at (string-length marker))) line))
         (type (find (lambda (type) (string-contains message (car type))) warning-types)))
    (list (or (and at (split-place (substring line 0 at)))
              ((if (and type (string=? (cdr type) "unbound-variable")) first-use only-call)
               (quoted-name message) open-source))
          (if type (cdr type) "warning")
          message)))

(define (first-use name open-source)
  "(file line column) of the first symbol with that NAME in the port that OPEN-SOURCE gives, or #f."
  (and name
       (failsafe (const #f)
                 (lambda ()
                   (let ((port (open-source))
                         (symbol (string->symbol name)))
                     (let loop ()
                       (let ((form (read-syntax port)))
                         (and (not (eof-object? form))
                              (or (symbol-place symbol form)
                                  (loop))))))))))

(define (only-call name open-source)
  "(file line column) of the one list in the port that OPEN-SOURCE gives whose head is the symbol with that NAME; #f when there
is none, or another."
  (define (calls symbol port)
    (let loop ((agenda '()) (found '()))
      (match agenda
        (() (let ((form (read-syntax port)))
              (if (eof-object? form) found (loop (list form) found))))
        ((form . agenda)
         (let ((datum (datum-of form)))
           (if (pair? datum)
               (loop (cons* (car datum) (cdr datum) agenda)
                     (if (and (syntax? form) (eq? (datum-of (car datum)) symbol)) (cons (place-of form) found) found))
               (loop agenda found)))))))
  (and name
       (match (failsafe (const '()) (lambda () (calls (string->symbol name) (open-source))))
         ((place) place)
         (_ #f))))

(define (symbol-place symbol form)
  "(file line column) of the first occurrence of SYMBOL in the syntax FORM, or #f."
  (let ((datum (if (syntax? form) (syntax-expression form) form)))
    (cond ((pair? datum)
           (or (symbol-place symbol (car datum))
               (symbol-place symbol (cdr datum))))
          ((vector? datum) (symbol-place symbol (vector->list datum)))
          ((and (eq? datum symbol) (syntax? form) (syntax-source form))
           => (lambda (source)
                (list (or (assq-ref source 'filename) "") (1+ (assq-ref source 'line)) (1+ (assq-ref source 'column)))))
          (else #f))))

(define (split-place text)
  "(file line column) of a text such as `src/a.scm:2:3', where columns count from 0; or #f."
  (match (reverse (string-split text #\:))
    ((column line . file)
     (let ((line (string->number line)) (column (string->number column)))
       (and line column (pair? file) (list (string-join (reverse file) ":") line (1+ column)))))
    (_ #f)))

(define (compiler-warning line open-source)
  "(type message) of a line of the compiler's about code that OPEN-SOURCE gives a port over."
  (match (split-warning line open-source)
    ((#f type message) (list type message))
    (((file line column) type message)
     (list type
           (if (or (string-null? file) (string-prefix? "call-" file))
               (format #f "~a (line ~a, column ~a)" message line column)
               (format #f "~a (~a:~a:~a)" message file line column))))))

(define (still-true? answer)
  "A predicate for lines of the compiler's: false for a variable that was defined later, and for all lines when ANSWER
is a failure."
  (let ((failed? (not (eq? (second answer) #:completed)))
        (module (current-module)))
    (lambda (line)
      (or (not (string-contains line "unbound variable"))
          (let ((name (quoted-name line)))
            (not (or failed? (and name (module-variable module (string->symbol name))))))))))

(define (quoted-name message)
  "The text between the quotes in MESSAGE."
  (let* ((open (string-index message #\`))
         (close (and open (string-rindex message #\'))))
    (and close (< open close) (substring message (1+ open) close))))
