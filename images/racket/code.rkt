#lang racket/base
;; The compiled code of the project's modules, kept by content: it holds for as long as the module's file, what that includes,
;; and the same of every module of the project that it requires are what they were. Code in `compiled/` is used when it holds, too.

(require racket/path racket/list file/sha1 "wire.rkt" "project.rkt" "instrument.rkt")
(provide keeping-compile code-of latest-code compile-module digest code-key files-required files-included files-of
         call-looking-once call-from-source file-being-compiled)

;; `code`, which is from a compiled file when `zo?`, with what it was made of: the digests of its file and, as (path . digest), of the files
;; that it includes, and the files of the project that it and its submodules require. `key` tells it from any other code, or is #f.
(struct kept (code zo? digest included required [key #:mutable]))

(define all-kept (make-hash))           ; file -> what is kept of it

;;; Contents

(define stat (dynamic-require 'racket/base 'file-or-directory-stat (lambda () #f)))
(define looks (make-hash))              ; file -> (cons what tells this state of it from any other, digest)
(define still 20)                       ; milliseconds in which a file may change and keep the time of its change

;; What tells this state of `file` from any other, or #f where the system does not say, or cannot yet.
(define (signature file)
  (and stat
       (let* ([facts (stat file)] [changed (quotient (hash-ref facts 'change-time-nanoseconds) 1000000)])
         (and (< (+ changed still) (current-inexact-milliseconds))
              (list (hash-ref facts 'change-time-nanoseconds) (hash-ref facts 'modify-time-nanoseconds)
                    (hash-ref facts 'size) (hash-ref facts 'inode))))))

;; What tells the content of `file` from any other; #f when it cannot be read.
(define (digest file)
  (with-handlers ([exn:fail:filesystem? (lambda (_) #f)])
    (define now (signature file))
    (define known (and now (hash-ref looks file #f)))
    (cond [(and known (equal? (car known) now)) (cdr known)]
          [else
           (define content (call-with-input-file file sha1-bytes))
           (if now
               (hash-set! looks file (cons now content))
               (hash-remove! looks file))
           content])))

;; Files are looked at once while this is a table: keys that were found.
(define keys-found (make-parameter #f))

;; Calls `thunk`, during which no file changes.
(define (call-looking-once thunk)
  (parameterize ([keys-found (or (keys-found) (make-hash))])
    (thunk)))

;; What tells the code that `file` has now from any other that it may have; #f when the kept code is not of this content.
(define (code-key file)
  (define found (or (keys-found) (make-hash)))
  (define (key file)
    (hash-ref found file
              (lambda ()
                (hash-set! found file #f) ; for a circle
                (define this (key-of file))
                (hash-set! found file this)
                this)))
  (define (key-of file)
    (define known (hash-ref all-kept file #f))
    (and known
         (equal? (digest file) (kept-digest known))
         (for/and ([one (in-list (kept-included known))]) (equal? (digest (car one)) (cdr one)))
         (let ([keys (map key (kept-required known))])
           (and (andmap values keys)
                (sha1-bytes (apply bytes-append (kept-digest known) (append (map cdr (kept-included known)) keys)))))))
  (key file))

;;; What a module uses

;; The files of the project that compiled `code` of the module in `file` requires, also in its submodules and for any phase.
(define (required-by code file)
  (define self (make-resolved-module-path file))
  (define (file-meant index)
    (define-values (path base) (module-path-index-split index))
    (define name
      (and path
           (with-handlers ([exn:fail? (lambda (_) #f)])
             (resolved-module-path-name (module-path-index-resolve (module-path-index-join path self))))))
    (if (pair? name) (car name) name))
  (reverse
   (let loop ([code code] [found '()])
    (for/fold ([found (for*/fold ([found found])
                                 ([phase (in-list (module-compiled-imports code))] [index (in-list (cdr phase))])
                        (define used (file-meant index))
                        (if (and (path? used) (ours? used) (not (equal? used file)) (not (member used found)))
                            (cons used found)
                            found))])
              ([submodule (in-list (append (module-compiled-submodules code #t) (module-compiled-submodules code #f)))])
      (loop submodule found)))))

(define (files-required file)
  (define known (hash-ref all-kept file #f))
  (if known (kept-required known) '()))

;; The files that the module of `file` includes.
(define (files-included file)
  (define known (hash-ref all-kept file #f))
  (if known (map car (kept-included known)) '()))

;; The files of the project that the module of `file` consists of, each after those that it requires, itself the last one.
(define (files-of file)
  (define seen (make-hash))
  (define (visit file found)
    (cond [(hash-ref seen file #f) found]
          [else
           (hash-set! seen file #t)
           (cons file (foldl visit found (files-required file)))]))
  (reverse (visit file '())))

;;; Compiling

;; The file whose module is being compiled, with its digest, and the files that it has been found to include.
(struct work (file digest [included #:mutable]))

(define in-hand (make-parameter #f))

;; The file whose module is being compiled, or #f.
(define (file-being-compiled)
  (and (in-hand) (work-file (in-hand))))

;; Macros such as `include` log which files they read.
(define includes (make-log-receiver (current-logger) 'info 'cm-accomplice))

(define (note-includes!)
  (define event (sync/timeout 0 includes))
  (when event
    (define facts (struct->vector (vector-ref event 2)))
    (define file (and (>= (vector-length facts) 3) (vector-ref facts 1)))
    (define work (in-hand))
    (when (and work (path? file) (not (vector-ref facts 2)) (not (assoc file (work-included work))))
      (set-work-included! work (cons (cons file (digest file)) (work-included work))))
    (note-includes!)))

;; A compiler for `current-compile` that calls `compile`, and keeps what it makes of the module in hand.
(define ((keeping-compile compile) code immediate?)
  (define compiled (compile code immediate?))
  (define work (in-hand))
  (define name (current-module-declare-name))
  (when (and work name (equal? (resolved-module-path-name name) (work-file work)) (compiled-module-expression? compiled))
    (note-includes!)
    (keep! (work-file work) (kept compiled #f (work-digest work) (work-included work) (required-by compiled (work-file work)) #f)))
  compiled)

(define (keep! file this)
  (hash-set! all-kept file this)
  (when (keys-found)
    (hash-remove! (keys-found) file))
  (set-kept-key! this (code-key file)))

;; Compiles the module of `file` from its source, which is to be one of the name `expected`, and declares it.
(define (compile-module file expected)
  (progress (string-append "compiling " (path->string file)))
  (note-includes!)
  (forget-file (path->string file))
  (parameterize ([in-hand (work file (digest file) '())]
                 [current-load-relative-directory (path-only file)])
    ((current-load) file expected)
    (note-includes!)))

;; The code that the module in `file` had when it was declared last, when that is of the present content; else #f.
(define (latest-code file)
  (define known (hash-ref all-kept file #f))
  (and known (equal? (kept-digest known) (digest file)) (kept-code known)))

;; Calls `thunk`, during which code of `file` is of its source: code in compiled files has no marks.
(define (call-from-source file thunk)
  (parameterize ([from-source file])
    (thunk)))

(define from-source (make-parameter #f))

;; The code of the module in `file` that holds now, or #f.
(define (code-of file)
  (define known (hash-ref all-kept file #f))
  (define zo? (not (equal? file (from-source))))
  (cond [(and known (or zo? (not (kept-zo? known))) (kept-key known) (equal? (kept-key known) (code-key file)))
         (kept-code known)]
        [else
         (define code (and zo? (current-zo? file) (code-in (zo-of file))))
         (when code
           (define required (required-by code file))
           (for ([file (in-list required)]) (code-of file))
           (keep! file (kept code #t (digest file) (for/list ([file (in-list (included-by-zo file))]) (cons file (digest file)))
                             required #f)))
         code]))

;;; Compiled files

(define (zo-of file)
  (define-values (directory name _) (split-path file))
  (define paths (use-compiled-file-paths))
  (and (pair? paths)
       (relative-path? (car paths))
       (build-path directory (car paths) (path-add-extension name #".zo"))))

;; What `raco make` has recorded of the compiled form of `file`: a digest, and what it was made of; or #f.
(define (record-of file)
  (define zo (zo-of file))
  (and zo
       (file-exists? zo)
       (with-handlers ([exn:fail? (lambda (_) #f)])
         (define record (call-with-input-file (path-replace-extension zo #".dep") read))
         (and (equal? (car record) (version)) record))))

;; The files that a record names: modules, or when `external?` others.
(define (files-in record external?)
  (for*/list ([entry (in-list (cdddr record))]
              [plain (in-value (if (and (pair? entry) (eq? (car entry) 'indirect)) (cdr entry) entry))]
              [bytes (in-value (if external? (and (pair? plain) (eq? (car plain) 'ext) (cdr plain)) plain))]
              #:when (bytes? bytes))
    (bytes->path bytes)))

(define (included-by-zo file)
  (define record (record-of file))
  (if record (files-in record #t) '()))

;; Whether the compiled form of `file` is of its present content, and not older than what it was made of.
(define (current-zo? file [seen (make-hash)])
  (define (date file)
    (file-or-directory-modify-seconds file #f (lambda () +inf.0)))
  (define (current?)
    (define record (record-of file))
    (and record
         (equal? (caaddr record) (let ([this (digest file)]) (and this (bytes->hex-string this))))
         (for/and ([used (in-list (files-in record #t))]) (<= (date used) (date (zo-of file))))
         (for/and ([used (in-list (files-in record #f))] #:when (ours? used))
           (and (current-zo? used seen)
                (<= (date (zo-of used)) (date (zo-of file)))))))
  (hash-ref seen file
            (lambda ()
              (hash-set! seen file #f)  ; for a circle
              (define is-current (current?))
              (hash-set! seen file is-current)
              is-current)))

(define (code-in zo)
  (with-handlers ([exn:fail? (lambda (_) #f)])
    (define code
      (parameterize ([read-accept-compiled #t] [read-on-demand-source (path->complete-path zo)])
        (call-with-input-file zo read)))
    (and (compiled-module-expression? code) code)))
