;;; Coverage: which lines of the project are executed while tests or other code run, by the hook of Guile's virtual machine
;;; that is called before each instruction.
;;;
;;; This is called in a copy of the image that is thrown away. There the loaded modules of the project are loaded once more:
;;; code of earlier versions of a file stays in memory, so only that which is loaded here counts. They are compiled before,
;;; since a compiler under the hook would take minutes.

(define (cover code kind target tests roots definitions package)
  "Runs CODE, or the tests of TARGET if it is empty. KIND is \"path\" or \"system\", TESTS a text of lines. The values are
texts: what ran, then \"files\", and for each file three: see file-coverage."
  (let* ((tests (remove string-null? (string-split tests #\newline)))
         (path (if (string=? kind "path") target (module-file target)))
         (tally (make-tally tests tests 0 0 0 '() '() #f '())))
    (load-used-modules path)
    (let ((files (delete path (map car (let ((noted (noted-modules))) (in-order-of-use noted noted)))))
          (before (map debug-context-base (debug-contexts))))
      (for-each (lambda (file)
                  (tell-progress (string-append "compiling " file))
                  (set! compiling file)
                  (compile-source file))
                (append files (list path)))
      (tell-progress (string-append "running " path))
      (let* ((header '())
             (addresses (call-recording-addresses
                         (lambda ()
                           (for-each load-compiled-source files)
                           (if (string-null? code)
                               (call-counting-tests tally (lambda () (load-compiled-source path)))
                               (begin
                                 (load-compiled-source path)
                                 (set! header (cons "code" (map short-text (values-of code package)))))))))
             (contexts (remove (lambda (context) (memv (debug-context-base context) before)) (debug-contexts)))
             (lines (executed-places contexts addresses)))
        (apply values
               (append (if (string-null? code) (tally-texts tally) header)
                       (list "files")
                       (append-map (lambda (file) (file-coverage file lines))
                                   (append files (list path)))))))))

(define (module-file name)
  "The file of the project's module NAME."
  (let* ((list (module-name-of name))
         (file (and list (or (module-path list) (loaded-path list)))))
    (unless (and file (project-file? file))
      (error (format #f "There is no module ~a in the project." name)))
    file))

(define (tally-texts tally)
  (cons* "tests" "srfi-64"
         (format #f "~a ~a ~a 0" (tally-passed tally) (tally-failed tally) (tally-skipped tally))
         (map (lambda (failure) (argument (cons #f failure) #:name)) (reverse (tally-failures tally)))))

(define (values-of code package)
  "The values, as a list, of the last form of CODE, evaluated in the module PACKAGE, or in the present one if that is empty."
  (let ((module (cond ((string-null? package) (current-module))
                      ((named-module package))
                      (else (error (format #f "There is no module ~a." package))))))
    (save-module-excursion
     (lambda ()
       (set-current-module module)
       (call-with-input-string code
         (lambda (port)
           (let loop ((results '()))
             (let ((form (read port)))
               (if (eof-object? form)
                   results
                   (call-with-values (lambda () (eval form (current-module)))
                     (lambda results (loop results))))))))))))

;;; Loading

(define (load-used-modules path)
  "Loads the modules of the project that the file at PATH names, so that their files are known."
  (define (named datum)
    (match datum
      (((or 'use-modules 'import 'define-module 'define-library) . parts) (append-map modules-in parts))
      (_ '())))
  (define (modules-in part)
    (match part
      (((? symbol?) ...)
       (let ((file (and (pair? part) (module-path part))))
         (if (and file (project-file? file)) (list part) '())))
      ((inner . others) (append (modules-in inner) (modules-in others)))
      (_ '())))
  (let ((port (open-source path)))
    (let loop ()
      (let ((datum (read port)))
        (unless (eof-object? datum)
          (for-each resolve-interface (named datum))
          (loop))))
    (close-port port)))

;;; Recording

(define (call-recording-addresses thunk)
  "Calls THUNK; a sorted vector of the addresses of the instructions that were executed."
  (let ((seen (make-hash-table 5000))
        (level (vm-trace-level))
        (engine (vm-engine)))
    (define (note! frame)
      (hashv-set! seen (frame-instruction-pointer frame) #t))
    (dynamic-wind
      (lambda ()
        (set-vm-engine! 'debug)
        (set-vm-trace-level! (1+ level))
        (vm-add-next-hook! note!))
      (lambda () (call-with-vm thunk))
      (lambda ()
        (vm-remove-next-hook! note!)
        (set-vm-trace-level! level)
        (set-vm-engine! engine)))
    (sort! (list->vector (hash-map->list (lambda (address true) address) seen)) <)))

(define (debug-contexts)
  "The pieces of code in memory."
  (fold-all-debug-contexts cons '()))

(define (executed-places contexts addresses)
  "A table: file -> table: (line . column), from 0 -> whether an instruction from there is at one of ADDRESSES."
  (let ((files (make-hash-table)))
    (define (note! source executed?)
      (let ((file (source-file source)))
        (when (and file (source-line source))
          (let ((places (or (hash-ref files file)
                            (let ((places (make-hash-table)))
                              (hash-set! files file places)
                              places)))
                (place (cons (source-line source) (source-column source))))
            (hash-set! places place (or executed? (hash-ref places place #f)))))))
    (define (note-all! sources starts end)
      (match sources
        (() #t)
        ((source . others)
         (let ((starts (find-tail (lambda (start) (> start (source-pre-pc source))) starts)))
           (note! source (any-between? addresses (source-pre-pc source)
                                       (min (if (pair? others) (source-pre-pc (car others)) end)
                                            (if starts (car starts) end))))
           (note-all! others (or starts '()) end)))))
    (for-each
     (lambda (context)
       (note-all! (reverse (fold-source-locations cons '() context))
                  (procedure-starts context)
                  (+ (debug-context-base context) (debug-context-length context))))
     contexts)
    files))

(define (procedure-starts context)
  "The addresses of the procedures of a piece of code, in order. What comes before the first place of one belongs to none."
  (let ((starts '()))
    (for-each-elf-symbol context
                         (lambda (symbol) (set! starts (cons (elf-symbol-value symbol) starts))))
    (map (lambda (start) (+ start (debug-context-base context) (debug-context-text-base context)))
         (sort! starts <))))

(define (any-between? sorted start end)
  "True when the vector SORTED has a number from START and below END."
  (let search ((low 0) (high (vector-length sorted)))
    (if (= low high)
        (and (< low (vector-length sorted)) (< (vector-ref sorted low) end))
        (let ((middle (quotient (+ low high) 2)))
          (if (< (vector-ref sorted middle) start)
              (search (1+ middle) high)
              (search low middle))))))

(define (file-coverage file files)
  "The findings about FILE, as texts: its name, the number of its executed places and of all, and a character for each line of
source: + executed, - not, ~ in part, and a blank for no code."
  (let* ((places (hash-map->list cons (or (hash-ref files file) (make-hash-table))))
         (executed (filter cdr places))
         (count (fold (lambda (place most) (max most (1+ (caar place)))) 0 places))
         (lines (make-string count #\space)))
    (for-each (match-lambda
                (((line . _) . executed?)
                 (string-set! lines line
                              (match (list (string-ref lines line) (and executed? #t))
                                ((#\space #t) #\+)
                                ((#\space #f) #\-)
                                ((#\+ #f) #\~)
                                ((#\- #t) #\~)
                                ((same _) same)))))
              places)
    (list file (format #f "~a ~a" (length executed) (length places)) lines)))
