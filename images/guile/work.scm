;;; Loading files and modules.

;;; Diagnostics

(define (diagnostic severity type message place)
  "The description of a mistake for the parent. PLACE is (file line column) or #f."
  (append (list #:severity severity #:type type #:message message) (place-facts place)))

(define (warning-diagnostic line path)
  "The diagnostic for a line of the compiler's warnings about the file at PATH; with the file alone when nothing gives a
line in it."
  (match (split-warning line (lambda () (open-source path)))
    ((place type message)
     (diagnostic (if (fatal-warning? message) "error" "warning") type message (or place (and path (list path #f #f)))))))

(define (fatal-warning? message)
  "True of a warning about a call that fails whenever it is reached; Guile says `possibly' where it is not sure."
  (or (string-prefix? "wrong number of arguments" message)
      (string-contains message "wrong number of `format' arguments")))

(define (error-place exception frames)
  "(file line column): where in the project EXCEPTION comes from, or #f."
  (or (syntax-error-place exception)
      (blamed-place exception)
      (let ((own (find (lambda (frame) (and (user-frame? frame) (project-frame? frame)))
                       (take* frames most-frames))))
        (and own (frame-place own)))))

(define (project-frame? frame)
  (match (frame-place frame)
    ((file . _) (project-file? file))
    (#f #f)))

(define (project-file? file)
  (string-prefix? (string-append project-root "/") (full-path file)))

(define (syntax-error-place exception)
  (match (and (eq? (exception-kind exception) 'syntax-error) (exception-args exception))
    ((_ _ (? pair? source) . _)
     (let ((file (assq-ref source 'filename)) (line (assq-ref source 'line)) (column (assq-ref source 'column)))
       (and file line column (list file (1+ line) (1+ column)))))
    ((_ _ #((? string? file) (? integer? line) (? integer? column)) . _) (list file (1+ line) (1+ column)))
    (_ #f)))

(define (blamed-place exception)
  "(file line column), in the file that is being loaded, of the form that EXCEPTION is about and does not place: one that
has the wrong syntax, or the name of a module that is not there. Else #f."
  (let ((form (match (exception-args exception)
                ((_ _ _ form subform . _) (and (eq? (exception-kind exception) 'syntax-error) (or subform form)))
                ((_ "no code for module ~S" ((? pair? name)) . _) name)
                (_ #f))))
    (and compiling
         (pair? form)
         (failsafe (const #f)
                   (lambda ()
                     (let ((port (open-source compiling)))
                       (let loop ()
                         (let ((read (read-syntax port)))
                           (and (not (eof-object? read))
                                (or (form-place form read)
                                    (loop)))))))))))

(define (form-place form syntax)
  "(file line column) of the first list in SYNTAX, the reader's, that is written as the datum FORM is; or #f."
  (define (same? form syntax)
    (let ((datum (datum-of syntax)))
      (if (and (pair? form) (pair? datum))
          (and (same? (car form) (car datum)) (same? (cdr form) (cdr datum)))
          (equal? form (syntax->datum syntax)))))
  (let ((datum (datum-of syntax)))
    (and (pair? datum)
         (or (and (same? form datum) (place-of syntax))
             (form-place form (car datum))
             (form-place form (cdr datum))))))

(define (open-source path)
  "A port over the file at PATH, as the compiler reads it; an empty one without a path."
  (let ((port (open-input-file (or path "/dev/null") #:guess-encoding #t)))
    (set-port-filename! port path)
    port))

(define (split-read-error exception)
  "(place message) of a mistake that the reader has found: it puts the place before what it says. Else #f."
  (let* ((text (if (eq? (exception-kind exception) 'read-error) (exception-text exception message-limit) ""))
         (at (string-contains text ": "))
         (place (and at (split-place (substring text 0 at)))))
    (and place (list place (substring text (+ at 2))))))

(define (error-diagnostic exception frames)
  (match (split-read-error exception)
    ;; The reader's columns count from 1.
    (((file line column) message) (diagnostic "error" "read-error" message (list file line (1- column))))
    (#f (diagnostic "error" (exception-type exception) (exception-text exception message-limit)
                    (error-place exception frames)))))

(define compiling #f)                   ; the path of the file that is being loaded

(define (call-collecting-diagnostics evaluation thunk)
  "Calls THUNK; compiler warnings meanwhile become diagnostics of the answer, those of the code its warnings."
  (set! compiling #f)
  (call-with-warning-text
   thunk
   (lambda (answer lines others)
     (append answer
             (list #:diagnostics (append (sort (map (match-lambda
                                                      ((file . line) (warning-diagnostic line (or file compiling))))
                                                    (take* lines most-warnings))
                                               diagnostic-before?)
                                         (evaluation-errors evaluation))
                   #:warnings others)))))

(define (diagnostic-before? one other)
  (define (number diagnostic key)
    (or (argument (cons #f diagnostic) key) 0))
  (define (file diagnostic)
    (or (argument (cons #f diagnostic) #:file) ""))
  (or (string<? (file one) (file other))
      (and (string=? (file one) (file other))
           (or (< (number one #:line) (number other #:line))
               (and (= (number one #:line) (number other #:line))
                    (< (number one #:column) (number other #:column)))))))

;;; Loading

(define (file-content path)
  (call-with-input-file path (lambda (port) (let ((octets ((@ (ice-9 binary-ports) get-bytevector-all) port)))
                                              (if (eof-object? octets) #vu8() octets)))
                        #:binary #t))

(define (module-path name)
  "The source file of the module NAME, a list of symbols, on the load path; or #f."
  (search-path %load-path (string-join (map (lambda (part) (format #f "~a" part)) name) "/") %load-extensions))

(define (loaded-path name)
  "The file of the module NAME, which may have been loaded by its path; or #f."
  (let ((file (and=> (loaded-module name) module-filename)))
    (and file (file-exists? (full-path file)) (full-path file))))

(define tested #f)                      ; the path of the file whose tests run: it runs once, and is compiled quickly

(define (compiled-path path)
  "The place of the compiled form of the source at PATH: where Guile itself looks for it; without a cache, and for tests,
in a temporary directory that is removed with the server."
  (let ((fallback (and %load-should-auto-compile (not (equal? path tested)) %compile-fallback-path)))
    (if fallback
        (string-append fallback path ".go")
        (string-append (force temporary-directory) "/" (number->string (string-hash path) 16) ".go"))))

(define temporary-directory
  (delay (mkdtemp (string-append (or (getenv "LISPWRIGHT_TMPDIR") (getenv "TMPDIR") "/tmp") "/lispwright-guile-XXXXXX"))))

(define (make-directories path)
  "Makes the directory of PATH, and those above it."
  (let ((directory (dirname path)))
    (unless (file-exists? directory)
      (make-directories directory)
      (false-if-exception (mkdir directory)))))

(define (load-source path)
  "Compiles the file at PATH and loads it into the session's module, unless it names one. The session keeps its module."
  (unless (find (lambda (one) (equal? (forgotten-path one) path)) forgotten)
    (forget-file! path))
  (call-whole path
              (lambda ()
                (set! compiling path)
                (unless (has-kept-code? path)
                  (tell-progress (string-append "compiling " path))
                  (compile-source path))
                (tell-progress (string-append "loading " path))
                (load-compiled-source path))))

(define (modified path)
  "The time when the file at PATH was modified, in nanoseconds, as Guile's own loader compares it."
  (let ((status (stat path)))
    (+ (* 1000000000 (stat:mtime status)) (stat:mtimensec status))))

(define compiled-contents (make-hash-table)) ; path of compiled code -> the source that it was made from, in this image:
                                        ; (path time content)

(define (has-kept-code? path)
  "True when the code that was compiled for the file at PATH is still that of the file and of all that it was made with."
  (let ((compiled (compiled-path path)))
    (and (not (member path stale))
         (file-exists? compiled)
         (equal? (hash-ref compiled-contents compiled) (list path (modified compiled) (file-content path))))))

(define (forget-kept-code! kept)
  "Makes every file but the one at KEPT, which may be #f, be compiled again when it is loaded: what it was made with may
have changed."
  (for-each (lambda (compiled) (hash-remove! compiled-contents compiled))
            (hash-fold (lambda (compiled made found) (if (equal? (car made) kept) found (cons compiled found)))
                       '() compiled-contents)))

(define (compile-source path)
  (let ((compiled (compiled-path path)) (content (file-content path)))
    (make-directories compiled)
    (save-module-excursion
     (lambda ()
       ;; In the form of Guile's own loader.
       (format (current-warning-port) "~a~a\n" compiling-mark path)
       (compile-file path #:output-file compiled #:env (current-module) #:canonicalization 'absolute
                     #:warning-level 1 #:optimization-level (if (equal? path tested) 0 (default-optimization-level)))
       (format (current-warning-port) ";;; compiled ~a\n" compiled)))
    (hash-set! compiled-contents compiled (list path (modified compiled) content))))

(define (load-compiled-source path)
  "Loads the code that was compiled for the file at PATH; returns the values of its last form."
  (note-root)
  (call-with-values
      (lambda ()
        (save-module-excursion
         (lambda ()
           (call-in-code (lambda () (load-compiled (compiled-path path)))))))
    (lambda results
      (note-compiled path)
      (apply values results))))

(define (target request)
  "The target of REQUEST: the path of a file, or the name of a module outside the project, or #f with the answer that
there is no such thing."
  (let ((path (argument request #:path))
        (system (argument request #:system)))
    (if path
        path
        (let* ((name (module-name-of system))
               (found (and name (or (module-path name) (loaded-path name)))))
          (cond ((and found (project-file? found)) found)
                (found name)
                (else
                 (answer-now (list #:outcome #:refused #:no-system system #:systems (known-modules)))))))))

(define compiled-times (make-hash-table)) ; path of a loaded file -> the time when its code was compiled, in seconds

(define (note-compiled path)
  "Records the age of the code that was loaded for the file at PATH; it may be that of an earlier image."
  (define (seconds whole nanoseconds)
    (+ whole (/ nanoseconds 1000000000)))
  (hash-set! compiled-times path
             (or (and %load-should-auto-compile
                      (failsafe (const #f)
                                (lambda ()
                                  (let ((file (stat (compiled-path path))))
                                    (seconds (stat:mtime file) (stat:mtimensec file))))))
                 (match (gettimeofday)
                   ((whole . microseconds) (seconds whole (* 1000 microseconds)))))))

(define (note-loaded-files)
  "Records the project's files that are loaded because a module uses them; those that are stale are compiled first. Guile
judges compiled code by the age of its own source alone, and code that is older than the macros in it is compiled again."
  (let ((load-path primitive-load-path))
    (define (load-noted file name rest)
      (call-with-values (lambda () (apply load-path name rest))
        (lambda results
          (note-compiled file)
          (if (has-earlier-macros? file)
              (begin
                (compile-source file)
                (load-compiled-source file))
              (apply values results)))))
    (module-set! the-root-module 'primitive-load-path
                 (lambda (name . rest)
                   (let ((file (failsafe (const #f) (lambda () (search-path %load-path name %load-extensions)))))
                     (cond ((not (and file (project-file? file)))
                            (call-with-values (lambda () (apply load-path name rest))
                              (lambda results
                                (when (equal? name "srfi/srfi-64")
                                  (keep-no-log-of-tests))
                                (apply values results))))
                           ;; Guile itself would not say where it fails.
                           ((or (member file stale) (not (has-current-code? file name))) (load-source file))
                           (else (call-whole file (lambda () (load-noted file name rest))))))))))

(define (keep-no-log-of-tests)
  "Makes SRFI 64 write no log of a group of tests into the working directory, which is the project: a load would leave it."
  (let ((module (resolve-module '(srfi srfi-64) #f #:ensure #f)))
    (when (and module (module-variable module 'test-log-to-file))
      (module-set! module 'test-log-to-file #f))))

(define (has-current-code? file name)
  "True when there is compiled code of FILE, which was asked for as NAME, that Guile would take."
  (define (current? compiled)
    (and compiled (file-exists? compiled)
         (>= (modified compiled) (modified file))))
  (or (current? (search-path %load-compiled-path name %load-compiled-extensions))
      (and %load-should-auto-compile (current? (compiled-path file)))))

(define (noted-modules)
  "((path . module) ...): the loaded modules of the project whose files are known as they were loaded."
  (filter-map (lambda (module)
                (let ((file (and (module-filename module) (full-path (module-filename module)))))
                  (and file (hash-ref loaded-texts file) (cons file module))))
              (modules-of-project)))

(define (exports-macros? module)
  (let ((interface (module-public-interface module)))
    (and interface
         (any (lambda (variable) (and (variable-bound? variable) (macro? (variable-ref variable))))
              (module-map (lambda (name variable) variable) interface)))))

(define (used-modules one noted)
  "The NOTED modules that ONE of them uses."
  (let ((names (map module-name (module-uses (cdr one)))))
    (filter (lambda (other) (and (not (eq? other one)) (member (module-name (cdr other)) names))) noted)))

(define (older? one other)
  "True when the code of ONE of the noted modules was compiled before the macros that the OTHER exports."
  (and (< (hash-ref compiled-times (car one) 0) (hash-ref compiled-times (car other) 0))
       (exports-macros? (cdr other))))

(define (has-earlier-macros? path)
  "True when a module of the file at PATH was compiled before macros of the modules that it uses."
  (let ((noted (noted-modules)))
    (any (lambda (module)
           (let ((one (cons path module)))
             (any (lambda (other) (older? one other)) (used-modules one noted))))
         (modules-of path))))

(define (in-order-of-use modules noted)
  "Some of the NOTED modules, each after those of them that it uses."
  (define (ready? one left)
    (not (any (lambda (other) (memq other left)) (used-modules one noted))))
  (let loop ((left modules) (ordered '()))
    (if (null? left)
        (reverse ordered)
        (let ((next (or (find (lambda (one) (ready? one left)) left) (car left))))
          (loop (delq next left) (cons next ordered))))))

(define (answer-load request)
  "Loads a file or module; returns the fields of the answer."
  (answer-work request 'load
               (lambda ()
                 (match (target request)
                   ((? string? path)
                    (let ((needed? (or (argument request #:force) (not (eq? (file-state path) #:same)))))
                      (call-renewing request path
                                     (lambda ()
                                       (when (argument request #:force)
                                         ;; Its warnings are those of the compiler.
                                         (hash-remove! compiled-contents (compiled-path path)))
                                       (when (or needed? (member path stale))
                                         (load-source path))
                                       (check-defines path (argument request #:system))
                                       (list #:outcome #:loaded #:file path #:unchanged (null? renewed))))))
                   (name
                    (call-renewing request #f
                                   (lambda ()
                                     (resolve-interface name)
                                     (list #:outcome #:loaded))))))))

(define (check-defines path system)
  "Fails when the file at PATH, which was found for the module SYSTEM, does not define it. SYSTEM may be #f."
  (let ((name (and system (module-name-of system))))
    (when (and name (not (and=> (loaded-module name) module-public-interface)))
      (error (format #f "~a was loaded and defines no module ~a." path (short-text name))))))

(define (answer-work request kind thunk)
  "The answer of THUNK, with the diagnostics; also with that of an error which ended it."
  (let ((evaluation (new-evaluation (argument request #:id) "")))
    (set-evaluation-phase! evaluation 'eval)
    (set-evaluation-kind! evaluation kind)
    (restore-ports)
    ;; There may be directories that were not there when the image began.
    (set! %load-path (append (lset-difference equal? (library-directories) %load-path) %load-path))
    (let ((answer (call-collecting-diagnostics
                   evaluation
                   (lambda ()
                     (run evaluation thunk)))))
      (flush-ports)
      (append answer (list #:loaded (reverse renewed) #:removed (reverse removed))))))

(define (tell-progress text)
  "Reports the activity of the current request to the parent."
  (send (list #:progress #:id last-id #:text text)))
