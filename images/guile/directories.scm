;;; The directories of the project in which Guile has to look for its modules: those that a call of Guile in its Makefile
;;; names, the usual ones, and those that the names of its modules tell: the path of a module's file ends in its name.

(define usual-directories '("src" "modules" "module" "mod" "lib" "scheme" "guile"))
(define most-directories 300)           ; that are looked into
(define most-module-files 500)          ; that are looked at
(define most-module-text 4000)          ; bytes of a file before the end of its module's name

(define (library-directories)
  "The directories of the project's modules: its root, and those below it."
  (let ((below (lambda (name) (string-append project-root "/" name))))
    (delete-duplicates
     (append (list project-root)
             (filter file-is-directory?* (map below (append (named-directories (below "Makefile"))
                                                            (named-directories (below "Makefile.am"))
                                                            usual-directories)))
             (module-directories (module-files))))))

(define (file-is-directory?* path)
  (false-if-exception (file-is-directory? path)))

(define (text-of path count)
  "The text of the first COUNT bytes of the file at PATH; none when it cannot be read."
  (or (false-if-exception
       (let ((bytes (call-with-input-file path (lambda (port) (get-bytevector-n port count)) #:binary #t)))
         (and (bytevector? bytes)
              ;; The second takes longer; the end may be in the middle of a character.
              (or (false-if-exception (utf8->string bytes))
                  (bytevector->string bytes "UTF-8" 'substitute)))))
      ""))

(define (named-directories makefile)
  "The directories below the root that the lines about Guile of the MAKEFILE give with -L."
  (define (plain word)
    ;; $(srcdir)/src, ./src
    (let ((end (and (string-prefix? "$" word) (string-index word #\/))))
      (string-trim-right (cond (end (substring word (1+ end)))
                               ((string-prefix? "./" word) (substring word 2))
                               (else word))
                         #\/)))
  (append-map (lambda (line)
                (let loop ((words (string-tokenize line)) (found '()))
                  (match words
                    (("-L" word . words) (loop words (cons (plain word) found)))
                    (((? (lambda (word) (string-prefix? "-L" word)) word) . words)
                     (loop words (cons (plain (substring word 2)) found)))
                    ((_ . words) (loop words found))
                    (() (reverse found)))))
              (filter (lambda (line) (string-contains-ci line "guile"))
                      (string-split (text-of makefile 100000) #\newline))))

(define (module-files)
  "The Scheme files of the project, those first that are nearer to its root."
  (let loop ((agenda (list project-root)) (directories 0) (files '()))
    (match agenda
      ((directory . agenda)
       (=> end)
       (if (or (= directories most-directories) (>= (length files) most-module-files))
           (end)
           (let* ((paths (map (lambda (name) (string-append directory "/" name)) (visible-names directory)))
                  (own (filter file-is-directory?* paths)))
             (loop (append agenda own)
                   (1+ directories)
                   (append files (filter file-stem (lset-difference equal? paths own)))))))
      (_ files))))

(define (visible-names directory)
  "The sorted names of what is in DIRECTORY and neither hidden nor made by others."
  (let ((stream (false-if-exception (opendir directory))))
    (if (not stream)
        '()
        (let loop ((names '()))
          (let ((name (readdir stream)))
            (cond ((eof-object? name) (closedir stream) (sort names string<?))
                  ((or (string-prefix? "." name) (member name '("node_modules" "target"))) (loop names))
                  (else (loop (cons name names)))))))))

(define (file-stem path)
  "PATH without the extension of a Scheme file, or #f."
  (any (lambda (extension)
         (and (string-suffix? extension path) (string-drop-right path (string-length extension))))
       '(".guile.sls" ".scm" ".sld" ".sls")))

(define module-names (make-hash-table)) ; of states of files

(define (module-named-in path)
  "`written-name' of the file at PATH, which is read once as long as it stays the same."
  (let* ((state (stat path #f))
         (key (and state (list path (stat:size state) (stat:mtime state) (stat:mtimensec state))))
         (known (hash-get-handle module-names key)))
    (if known
        (cdr known)
        (let ((name (written-name path)))
          (hash-set! module-names key name)
          name))))

(define (written-name path)
  "The name of the module that the file at PATH begins with, as its path is to end, or #f."
  (let ((text (string-append "\n" (text-of path most-module-text))))
    (any (lambda (head)
           (let* ((at (string-contains text head))
                  (name (and at (false-if-exception
                                 (call-with-input-string (substring text (+ at (string-length head))) read)))))
             (and (pair? name) (list? name)
                  (string-join (map (lambda (part) (format #f "~a" part)) (remove pair? name)) "/" 'prefix))))
         '("\n(define-module" "\n(define-library" "\n(library"))))

(define (module-directories files)
  "The directories from which FILES are found by the names of their modules.  A copy of a module of Guile itself tells none,
since it would take the place of that."
  (filter-map (lambda (path)
                (let ((name (module-named-in path)))
                  (and name
                       (string-suffix? name (file-stem path))
                       (not (file-exists? (string-append (%library-dir) name ".scm")))
                       (string-drop-right (file-stem path) (string-length name)))))
              files))

