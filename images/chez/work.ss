;;; Loading files and libraries.

;;; Libraries and the files that they came from

(define project-root #f)                ; the directory this process was started in
(define library-paths '())              ; ((name . path) ...): the files that libraries were loaded from
(define loaded-texts (make-hashtable string-hash string=?)) ; path -> the text that was loaded last

;; Where the project's libraries may be: its root, and the usual directories below it, before those that
;; the environment names or Chez knows.
(define (prepare-libraries)
  (set! project-root (current-directory))
  (set! own-libraries (library-list))
  ;; The first is the argument of the agent.
  (library-directories (cdr (library-directories)))
  (let ([named (getenv "CHEZSCHEMELIBDIRS")])
    (when named
      (library-directories named)))
  (library-directories
   (append (map (lambda (directory) (cons directory directory))
                (filter file-directory?
                        (cons project-root
                              (map (lambda (name) (string-append project-root "/" name))
                                   '("src" "lib" "libs" "scheme" ".akku/lib")))))
           (library-directories)))
  (library-search-handler
   (lambda (who name directories extensions)
     (let-values ([(path compiled compiled?) (default-library-search-handler who name directories extensions)])
       (when (and path (project-file? path))
         (tell-progress (string-append "loading " path))
         (set! begun (cons name begun))
         (note-library name path)
         (note-file path (file-text path)))
       (values path compiled compiled?)))))

(define (project-file? path)
  (starts-with? path (string-append project-root "/")))

(define (note-library name path)
  (hashtable-delete! forgotten-names name)
  (set! library-paths (cons (cons name path) (remp (lambda (known) (equal? (car known) name)) library-paths))))

(define (loaded-path name)
  (let ([known (assoc name library-paths)])
    (and known (cdr known))))

;; The source file of the library NAME, or #f.
(define (library-path name)
  (or (loaded-path name)
      (failsafe
       (constantly #f)
       (lambda ()
         (let-values ([(path compiled compiled?)
                       (default-library-search-handler 'load name (library-directories) (library-extensions))])
           path)))))

;; The text of the file at PATH. A first line for the shell becomes a comment.
(define (file-text path)
  (let* ([port (open-file-input-port path (file-options) (buffer-mode block)
                                     (make-transcoder (utf-8-codec) (eol-style none) (error-handling-mode replace)))]
         [all (get-string-all port)]
         [text (if (eof-object? all) "" all)])
    (close-port port)
    (cond
      [(starts-with? text "\xfeff;") (substring* text 1)]
      [(or (starts-with? text "#!/") (starts-with? text "#! ")) (string-append ";;" (substring* text 2))]
      [else text])))

;;; Loading

(define in-hand #f)                     ; the reading of the file that is being loaded

;; Where the form in hand of that file starts, or #f.
(define (place-in-hand)
  (and in-hand
       (cons (source-file-descriptor-path (evaluation-descriptor in-hand))
             (line-and-column (evaluation-text in-hand) (evaluation-start in-hand)))))

(define (tell-progress text)
  (send `(:progress :id ,last-id :text ,text)))

;; Evaluates the forms of the file at PATH in the session's environment, which is to have what they define and have not
;; defined before.
(define (load-source path)
  (load-text path (file-text path) call-defining)
  (when (null? (libraries-of path))
    (set! scripts (cons path (remove path scripts)))))

;; Evaluates the forms of TEXT, which is that of the file at PATH. CALL is called with both and a procedure that does it.
(define (load-text path text call)
  (let ([reading (make-evaluation path text 'load #f)])
    (tell-progress (string-append "loading " path))
    (forget-references (lambda (note) (and (equal? (vector-ref note 3) path) (not (vector-ref note 5)))))
    (set! in-hand reading)
    (call
     path text
     (lambda ()
       (let loop ()
         (let ([form (read-form reading)])
           (unless (eof-object? form)
             (let ([name (defined-library (annotation-stripped* form))])
               (when name
                 (set! begun (cons name begun)))
               (call-in-code (lambda () ((current-eval) form (interaction-environment))))
               (settle)
               (when name
                 (note-library name path)))
             (loop))))))
    (note-file path text)))

;; The name of the library that FORM defines, or #f.
(define (defined-library form)
  (and (pair? form)
       (eq? (car form) 'library)
       (pair? (cdr form))
       (list? (cadr form))
       (filter symbol? (cadr form))))

;; The exports of the library NAME, when it is loaded, that mean the same in the session's environment.
(define (imported-names name)
  (if (library-loaded? name)
      (map cdr (names-imported name))
      '()))

;; What THUNK answers for work of that KIND, with the diagnostics; also that of the error which ended it.
(define (answer-work request kind thunk)
  (begin-renewal request)
  (let ([answer (answer-with (make-evaluation (format "call-~a" (argument request ':id)) "" kind #f)
                             (lambda (evaluation)
                               (evaluation-phase-set! evaluation ':eval)
                               (thunk)))])
    (set! in-hand #f)
    (append answer (renewal-facts))))

;; Calls FUNCTION with the path of what REQUEST is about, or answers that there is no such thing.
(define (call-with-target request function)
  (let* ([path (argument request ':path)] [system (argument request ':system)] [name (and system (library-name system))])
    (cond
      [path (function path)]
      [(and name (library-path name)) => function]
      [(and name (library-loaded? name)) '(:outcome :loaded :unchanged #t)]
      [else `(:outcome :refused :no-system ,system :systems ,(map short-text (known-libraries)))])))

(define (answer-load request)
  (answer-work
   request 'load
   (lambda ()
     (call-with-target
      request
      (lambda (path)
        (let ([anew? (or (argument request ':force) (not (eq? (file-state path) ':same)) (member path stale))])
          (call-renewing
           request path anew?
           (lambda ()
             (when anew?
               (load-source path))
             `(:outcome :loaded :file ,path :unchanged ,(null? renewed))))))))))
