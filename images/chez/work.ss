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
         (note-library name path)
         (unless (hashtable-contains? loaded-texts path)
           (hashtable-set! loaded-texts path (file-text path))))
       (values path compiled compiled?)))))

(define (project-file? path)
  (starts-with? path (string-append project-root "/")))

(define (note-library name path)
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

;; Evaluates the forms of the file at PATH in the session's environment. Libraries in it take the place of those of their name,
;; also where the session has imported them.
(define (load-source path)
  (let* ([text (file-text path)] [reading (make-evaluation path text 'load #f)])
    (tell-progress (string-append "loading " path))
    ;; Until it has been loaded whole, what was loaded before no longer counts.
    (hashtable-delete! loaded-texts path)
    (forget-references (lambda (note) (and (equal? (vector-ref note 3) path) (not (vector-ref note 5)))))
    (set! in-hand reading)
    (let loop ()
      (let ([form (read-form reading)])
        (unless (eof-object? form)
          (let* ([name (defined-library (annotation-stripped* form))] [imported (if name (imported-names name) '())])
            (call-in-code (lambda () ((current-eval) form (interaction-environment))))
            (settle)
            (when name
              (note-library name path)
              (set! library-environments (remp (lambda (known) (equal? (car known) name)) library-environments))
              (import-again name imported)))
          (loop))))
    (hashtable-set! loaded-texts path text)))

;; The name of the library that FORM defines, or #f.
(define (defined-library form)
  (and (pair? form)
       (eq? (car form) 'library)
       (pair? (cdr form))
       (list? (cadr form))
       (filter symbol? (cadr form))))

;; The exports of the library NAME, when it is loaded, that mean the same in the session's environment.
(define (imported-names name)
  (if (member name (library-list))
      (let ([library (environment name)] [session (interaction-environment)])
        (define (meaning name environment)
          (failsafe (constantly #f)
                    (lambda () (if (top-level-bound? name environment)
                                   (top-level-value name environment)
                                   (top-level-syntax name environment)))))
        (filter (lambda (export)
                  (let ([here (meaning export session)])
                    (and here (eq? here (meaning export library)))))
                (library-exports name)))
      '()))

;; Imports those of NAMES that the library NAME still exports.
(define (import-again name names)
  (let ([left (filter (lambda (export) (memq export names)) (library-exports name))])
    (unless (null? left)
      (eval `(import (only ,name ,@left)) (interaction-environment)))))

;; The files of loaded libraries of the project that have changed, and of those that use them; each after those that it uses.
(define (outdated-files)
  (define (changed? known)
    (let ([loaded (hashtable-ref loaded-texts (cdr known) #f)])
      (and (file-exists? (cdr known))
           (not (equal? loaded (file-text (cdr known)))))))
  (define (uses known)
    (failsafe (constantly '())
              (lambda () (map (lambda (name) (filter symbol? name)) (library-requirements (car known))))))
  (define (uses-one-of? known others)
    (exists (lambda (name) (assoc name others)) (uses known)))
  (define (with-users outdated)
    (let ([users (filter (lambda (known) (and (not (memq known outdated)) (uses-one-of? known outdated))) library-paths)])
      (if (null? users) outdated (with-users (append users outdated)))))
  (let order ([left (with-users (filter changed? library-paths))] [ordered '()])
    (if (null? left)
        (reverse ordered)
        (let ([next (or (find (lambda (known) (not (uses-one-of? known (remq known left)))) left) (car left))])
          (order (remq next left) (if (member (cdr next) ordered) ordered (cons (cdr next) ordered)))))))

;; Loads the libraries anew that are outdated, but for the file at PATH; their files, and PATH when it is one.
(define (load-outdated path)
  (let ([files (outdated-files)])
    (for-each load-source (remp (lambda (file) (equal? file path)) files))
    files))

;; What THUNK answers for work of that KIND, with the diagnostics; also that of the error which ended it.
(define (answer-work request kind thunk)
  (let ([answer (answer-with (make-evaluation (format "call-~a" (argument request ':id)) "" kind #f)
                             (lambda (evaluation)
                               (evaluation-phase-set! evaluation ':eval)
                               (thunk)))])
    (set! in-hand #f)
    answer))

;; Calls FUNCTION with the path of what REQUEST is about, or answers that there is no such thing.
(define (call-with-target request function)
  (let* ([path (argument request ':path)] [system (argument request ':system)] [name (and system (library-name system))])
    (cond
      [path (function path)]
      [(and name (library-path name)) => function]
      [(and name (member name (library-list))) '(:outcome :loaded :unchanged #t)]
      [else `(:outcome :refused :no-system ,system :systems ,(map short-text (known-libraries)))])))

(define (answer-load request)
  (answer-work
   request 'load
   (lambda ()
     (call-with-target
      request
      (lambda (path)
        (let* ([outdated (load-outdated path)]
               [needed? (or (argument request ':force)
                            (member path outdated)
                            (not (equal? (hashtable-ref loaded-texts path #f) (file-text path))))])
          (when needed?
            (load-source path))
          `(:outcome :loaded :file ,path :unchanged ,(and (not needed?) (null? outdated)))))))))
