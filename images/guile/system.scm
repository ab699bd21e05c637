;;;; The agent's interface to the process that runs Guile: descriptors, the wire, signals, ports, limits.
;;;;
;;;; The parts of the agent are one module. This file comes first, then directories.scm, roots.scm, print.scm, stack.scm, agent.scm,
;;;; which describes the whole, then warnings.scm, work.scm, look.scm, describe.scm, references.scm, held.scm and
;;;; copies.scm.

(define-module (lispwright agent)
  #:use-module (ice-9 exceptions)
  #:use-module (ice-9 match)
  #:use-module (ice-9 rdelim)
  #:use-module ((ice-9 binary-ports) #:select (get-bytevector-n))
  #:use-module ((ice-9 iconv) #:select (bytevector->string))
  #:use-module (rnrs bytevectors)
  #:use-module (srfi srfi-1)
  #:use-module (srfi srfi-9)
  #:use-module (system foreign)
  #:use-module ((system syntax internal) #:select (syntax? syntax-expression))
  #:use-module (system vm loader)
  #:use-module (system vm vm)
  ;; Loaded at their first use: they take tens of milliseconds.
  #:autoload (srfi srfi-64) (test-runner-null test-runner-on-test-begin test-runner-on-test-begin! test-runner-on-test-end
                             test-runner-on-test-end! test-runner-on-bad-count test-runner-on-bad-count!
                             test-runner-on-bad-end-name test-runner-on-bad-end-name! test-runner-on-group-begin
                             test-runner-on-group-begin! test-runner-on-group-end test-runner-on-group-end!
                             test-runner-on-final test-runner-on-final! test-runner-factory
                             test-runner-current test-runner-test-name test-runner-group-path test-result-kind
                             test-result-alist)
  #:autoload (system base compile) (compile compile-file default-optimization-level)
  #:autoload (system vm debug) (find-debug-context debug-context-base debug-context-length debug-context-text-base fold-all-debug-contexts
                                for-each-elf-symbol fold-source-locations source-file source-line source-column source-pre-pc)
  #:autoload (system vm elf) (elf-symbol-value)
  #:autoload (system vm frame) (frame-bindings frame-call-representation binding-name binding-ref)
  #:autoload (system vm program) (program-code program? program-lambda-list program-source program-num-free-variables
                               program-free-variable-ref program-arguments-alists)
  #:autoload (ice-9 threads) (all-threads thread-exited? current-thread call-with-new-thread join-thread)
  #:autoload (ice-9 pretty-print) (pretty-print)
  #:autoload (language tree-il) (tree-il->scheme)
  #:autoload (oop goops) (instance? class-of class-name class-slots slot-definition-name slot-bound? slot-ref is-a? <generic> <class>
                         <method>
                         generic-function-methods method-procedure method-specializers class-direct-supers
                         class-direct-slots class-direct-subclasses)
  #:declarative? #f
  #:export (main))

;;; The wire. It avoids everything that evaluated code can change without malice (reader options, hash extensions,
;;; ports, the printer): the syntax is read and written here, and the pipe is used by system calls.

(define (libc result name . arguments)
  (pointer->procedure result (dynamic-func name (dynamic-link)) arguments #:return-errno? #t))

(define c-read (libc ssize_t "read" int '* size_t))
(define c-write (libc ssize_t "write" int '* size_t))
(define c-dup2 (libc int "dup2" int int))
(define c-poll (libc int "poll" '* unsigned-long int))

;; Numbers of the system: those of Linux, or of a Mac.
(define mac? (string=? (utsname:sysname (uname)) "Darwin"))
(define f-dupfd-cloexec (if mac? 67 1030))
(define o-async (if mac? #x40 #o20000))
(define map-shared-anonymous (if mac? #x1001 #x21))

(define requests #f)                    ; the descriptor that requests are read from
(define answers #f)                     ; the descriptor that answers are written to
(define captures '())                   ; private copies of the pipes for descriptors 1 and 2
(define own-pid #f)                     ; the process that answers the parent

(define (private-copy descriptor)
  "A copy of DESCRIPTOR with a high number, which evaluated code hardly uses, closed in child processes. If the limit on
open files does not allow such a number, it is the next free one."
  (or (false-if-exception (fcntl descriptor f-dupfd-cloexec 100))
      (fcntl descriptor f-dupfd-cloexec 3)))

(define (open-protocol)
  "Takes descriptors 0 and 1 for the protocol, and gives 0, 1 and 2 to the evaluated code. Descriptor 1 becomes the pipe
whose number the parent passed in the environment. Without one, as over a network, 1 and 2 are both the error output."
  (let ((capture (getenv "LISPWRIGHT_CAPTURE")))
    (unsetenv "LISPWRIGHT_CAPTURE")
    (set! own-pid (getpid))
    (set! requests (private-copy 0))
    (set! answers (private-copy 1))
    (set! captures (list (private-copy (if capture (string->number capture) 2)) (private-copy 2)))
    (let ((null-input (open-fdes "/dev/null" O_RDONLY)))
      (c-dup2 null-input 0)
      (close-fdes null-input))
    (when capture
      (close-fdes (string->number capture)))
    (point-descriptors)))

(define (point-descriptors)
  (for-each (lambda (capture descriptor) (c-dup2 capture descriptor)) captures '(1 2)))

(define (read-protocol count)
  "The next COUNT octets from the parent, or #f at the end of the pipe."
  (let ((octets (make-bytevector count)))
    (let loop ((filled 0))
      (if (= filled count)
          octets
          (call-with-values
              (lambda () (c-read requests (bytevector->pointer octets filled) (- count filled)))
            (lambda (read errno)
              (cond ((> read 0) (loop (+ filled read)))
                    ((and (< read 0) (= errno EINTR)) (loop filled))
                    (else #f))))))))

(define (write-protocol octets)
  "Writes all of OCTETS to the parent. In a process that evaluated code has forked, ends the process instead."
  (unless (= (getpid) own-pid)
    (primitive-_exit 0))
  (let ((size (bytevector-length octets)))
    (let loop ((written 0))
      (when (< written size)
        (call-with-values
            (lambda () (c-write answers (bytevector->pointer octets written) (- size written)))
          (lambda (count errno)
            (cond ((>= count 0) (loop (+ written count)))
                  ((= errno EINTR) (loop written))
                  (else (die)))))))))

(define (protocol-readable?)
  "True when a frame, or the end of the pipe, can be read."
  (let ((set (make-bytevector 8 0)))
    (bytevector-s32-native-set! set 0 requests)
    (bytevector-s16-native-set! set 4 1)  ; POLLIN
    (> (c-poll (bytevector->pointer set) 1 0) 0)))

(define word-ends (char-set #\space #\( #\) #\"))
(define string-ends (char-set #\" #\\))
(define known-keywords (make-hash-table)) ; ":CODE" -> #:code
(define known-words (make-hash-table))  ; #:code -> ":CODE"

(define (word-keyword word)
  "The keyword for WORD, which begins with a colon."
  (or (hash-ref known-keywords word)
      (let ((keyword (symbol->keyword (string->symbol (string-downcase (substring word 1))))))
        (hash-set! known-keywords word keyword)
        keyword)))

(define (keyword-word keyword)
  "KEYWORD in the notation of the wire."
  (or (hashq-ref known-words keyword)
      (let ((word (string-append ":" (string-upcase (symbol->string (keyword->symbol keyword))))))
        (hashq-set! known-words keyword word)
        word)))

(define (parse-wire text)
  "The datum in TEXT: lists, strings, integers, keywords; NIL is #f or the empty list, T is #t."
  (define end (string-length text))
  (define (skip at)
    (if (and (< at end) (char=? (string-ref text at) #\space)) (skip (1+ at)) at))
  (define (atom word)
    (cond ((string=? word "NIL") #f)
          ((string=? word "T") #t)
          ((char=? (string-ref word 0) #\:) (word-keyword word))
          (else (string->number word 10))))
  (define (string-at at)
    (let loop ((at at) (parts '()))
      (let* ((stop (string-index text string-ends at))
             (parts (cons (substring text at stop) parts)))
        (if (char=? (string-ref text stop) #\")
            (values (if (null? (cdr parts)) (car parts) (string-concatenate-reverse parts)) (1+ stop))
            (loop (+ stop 2) (cons (string (string-ref text (1+ stop))) parts))))))
  (define (datum at)
    (match (string-ref text at)
      (#\( (let loop ((at (skip (1+ at))) (items '()))
             (if (char=? (string-ref text at) #\))
                 (values (reverse items) (1+ at))
                 (call-with-values (lambda () (datum at))
                   (lambda (item at) (loop (skip at) (cons item items)))))))
      (#\" (string-at (1+ at)))
      (_ (let ((stop (or (string-index text word-ends at) end)))
           (values (atom (substring text at stop)) stop)))))
  (call-with-values (lambda () (datum (skip 0)))
    (lambda (value at) value)))

(define (receive-request)
  "The next request, or #f when the parent has closed its end or does not use the protocol."
  (let* ((header (read-protocol 6))
         (size (and header (string->number (utf8->string header) 16)))
         (payload (and size (read-protocol size))))
    (and payload (parse-wire (utf8->string payload)))))

(define (encode value port)
  "Writes VALUE (lists, strings, integers, keywords, booleans) to PORT in the notation of the wire."
  (cond ((string? value)
         (write-char #\" port)
         (if (string-index value string-ends)
             (string-for-each (lambda (character)
                                (when (memv character '(#\" #\\))
                                  (write-char #\\ port))
                                (write-char character port))
                              value)
             (put-text value port))
         (write-char #\" port))
        ((keyword? value) (put-text (keyword-word value) port))
        ((integer? value) (put-text (number->string value 10) port))
        ((eq? value #t) (put-text "T" port))
        ((pair? value)
         (write-char #\( port)
         (encode (car value) port)
         (for-each (lambda (item)
                     (write-char #\space port)
                     (encode item port))
                   (cdr value))
         (write-char #\) port))
        (else (put-text "NIL" port))))

(define (put-text text port)
  (display text port))

(define (send message)
  "Sends MESSAGE to the parent as one frame."
  (let* ((payload (string->utf8 (call-with-output-string (lambda (port) (encode message port)))))
         (size (bytevector-length payload))
         (frame (make-bytevector (+ 6 size)))
         (header (string->utf8 (string-pad (number->string size 16) 6 #\0))))
    (bytevector-copy! header 0 frame 0 6)
    (bytevector-copy! payload 0 frame 6 size)
    (write-protocol frame)))

;;; Signals

(define (install-signals handle-frames handle-interrupt)
  "Makes messages of the parent call HANDLE-FRAMES, and SIGINT, the local interrupt, HANDLE-INTERRUPT. While `system*'
waits, SIGINT is ignored, and SIGURG comes instead."
  (sigaction SIGINT (lambda (signal) (handle-interrupt)))
  (sigaction SIGURG (lambda (signal) (handle-interrupt)))
  (sigaction SIGIO (lambda (signal) (handle-frames)))
  (fcntl requests F_SETOWN (getpid)))

(define (watch-requests on?)
  "Turns the kernel's SIGIO for requests on or off. It is on only while code runs, because a signal ends a `sleep'
early: that of the request itself must not."
  (let ((flags (fcntl requests F_GETFL)))
    (fcntl requests F_SETFL (if on? (logior flags o-async) (logand flags (lognot o-async))))))

;;; The standard ports

(define standard-ports '())             ; input, output, errors: ports on 0, 1 and 2

(define (open-standard-ports)
  "Ports on the descriptors. They are unbuffered, so that output keeps its order with that of child processes and is
there after a crash."
  (set! standard-ports (list (fdes->inport 0) (fdes->outport 1) (fdes->outport 2)))
  (for-each (lambda (port)
              (set-port-conversion-strategy! port 'substitute)
              (setvbuf port 'none))
            standard-ports))

(define (restore-ports)
  "Undoes changes of an earlier call to the standard ports: set, closed, their descriptors redirected, or given another
encoding, as by `setlocale'."
  (point-descriptors)
  (when (any port-closed? standard-ports)
    (let ((null-input (open-fdes "/dev/null" O_RDONLY)))
      (unless (= null-input 0)
        (c-dup2 null-input 0)
        (close-fdes null-input)))
    (open-standard-ports))
  (for-each (lambda (port)
              (unless (equal? (port-encoding port) "UTF-8")
                (set-port-encoding! port "UTF-8")))
            standard-ports)
  (match standard-ports
    ((input output errors)
     (set-current-input-port input)
     (set-current-output-port output)
     (set-current-error-port errors)
     (current-warning-port errors))))

;;; The process

(define stack-words (* 16 1024 1024))   ; 128 MB: a deeper recursion counts as endless

(define (limit-heap megabytes)
  "Makes the collector give up at MEGABYTES, and keeps its message off the error output."
  (let ((global (dynamic-link)))
    ((pointer->procedure void (dynamic-func "GC_set_max_heap_size" global) (list size_t)) (* megabytes 1024 1024))
    ((pointer->procedure void (dynamic-func "GC_set_warn_proc" global) (list '*))
     (dynamic-func "GC_ignore_warn_proc" global))))

(define project-root #f)                ; the directory this process was started in

(define (prepare-image cache)
  "Prepares a started image. Compiled modules go below CACHE, or nowhere when that is #f."
  (false-if-exception (setlocale LC_ALL ""))
  (unless (string-contains-ci (setlocale LC_CTYPE) "utf")
    (false-if-exception (setlocale LC_CTYPE "C.UTF-8")))
  (fluid-set! %default-port-encoding "UTF-8")
  (set! project-root (getcwd))
  (set! %load-path (append (library-directories) %load-path))
  ;; Libraries of R7RS and R6RS, as after --r7rs and --r6rs.
  (set! %load-extensions (append %load-extensions '(".sld" ".guile.sls" ".sls")))
  ;; A redefinition takes effect in the rest of its module too: no procedure of the module is inlined.
  (user-modules-declarative? #f)
  (when cache
    (set! %compile-fallback-path
          (string-append cache "/guile-redefinable/" (if %compile-fallback-path (basename %compile-fallback-path) ""))))
  (set! %load-should-auto-compile (and cache #t))
  ;; That of the C library cannot be interrupted.
  (module-set! the-root-module 'system
               (lambda* (#:optional command)
                 (if command (system* "/bin/sh" "-c" command) #t)))
  (set-current-module (resolve-module '(guile-user)))
  (open-standard-ports)
  (restore-ports))

(define (flush-ports)
  (for-each (lambda (port) (false-if-exception (force-output port)))
            (cons* (current-output-port) (current-error-port) (cdr standard-ports))))

(define (die)
  "Ends this process, its group if it leads one, and the processes that wait for it, at once."
  (set-wanted-depth! all-over)
  (when (= (getpgrp) (getpid))
    (kill 0 SIGKILL))
  (primitive-_exit 0))
