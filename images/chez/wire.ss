;;;; What the agent for Chez Scheme owes the process it runs in: descriptors, the wire, signals, ports.
;;;;
;;;; The parts of the agent are the body of one library, so that nothing which evaluated code defines is seen in it. This one
;;;; comes first, then print.ss, stack.ss, agent.ss, which says what the whole is for, held.ss, look.ss, describe.ss,
;;;; work.ss, references.ss and copies.ss. images/README.md describes the messages: here they are lists of keywords, written as symbols with a colon.

;;; The C library is part of every program.
(define c-library (load-shared-object #f))
(define c-dup2 (foreign-procedure "dup2" (int int) int))
(define c-fcntl (foreign-procedure "fcntl" (int int int) int))
(define c-open (foreign-procedure "open" (string int) int))
(define c-close (foreign-procedure "close" (int) int))
(define c-write (foreign-procedure "write" (int u8* size_t) ssize_t))
(define c-getpid (foreign-procedure "getpid" () int))
(define c-getpgrp (foreign-procedure "getpgrp" () int))
(define c-kill (foreign-procedure "kill" (int int) int))
(define c-unsetenv (foreign-procedure "unsetenv" (string) int))
(define c-leave (foreign-procedure "_exit" (int) void))

;; Numbers of the system: those of Linux, or of a Mac.
(define mac? (memq (machine-type) '(a6osx ta6osx arm64osx tarm64osx)))
(define f-dupfd-cloexec (if mac? 67 1030))
(define f-getfl 3)
(define f-setfl 4)
(define f-setown (if mac? 6 8))
(define o-async (if mac? #x40 #o20000))
(define sigkill 9)
(define sigurg (if mac? 16 23))
(define sigio (if mac? 23 29))

(define requests #f)                    ; the descriptor that requests are read from
(define request-port #f)                ; a port on it that keeps nothing
(define answer-port #f)                 ; the port that answers are written to
(define captures '())                   ; private copies of what 1 and 2 stand for
(define own-pid #f)                     ; the process that speaks to the parent

;; A copy of DESCRIPTOR out of the way of evaluated code, closed in child processes. Where so few may be open that there is no
;; such number, it is the next one.
(define (private-copy descriptor)
  (let ([copy (c-fcntl descriptor f-dupfd-cloexec 100)])
    (if (>= copy 0) copy (c-fcntl descriptor f-dupfd-cloexec 3))))

;; Takes descriptors 0 and 1 for the protocol, and gives 0, 1 and 2 to the evaluated code. What 1 stands for is the pipe whose
;; number the parent passed in the environment. Without one, as over a network, 1 and 2 are both the error output.
(define (open-protocol)
  (let ([capture (getenv "LISPWRIGHT_CAPTURE")])
    (c-unsetenv "LISPWRIGHT_CAPTURE")
    (set! own-pid (c-getpid))
    (set! requests (private-copy 0))
    (set! request-port (open-fd-input-port requests (buffer-mode none)))
    (set! answer-port (open-fd-output-port (private-copy 1) (buffer-mode block)))
    (set! captures (list (private-copy (if capture (string->number capture) 2)) (private-copy 2)))
    (when capture
      (c-close (string->number capture)))
    (point-descriptors)))

;; Points 0 at an empty input, 1 and 2 at what is captured.
(define (point-descriptors)
  (let ([null-input (c-open "/dev/null" 0)])
    (unless (= null-input 0)
      (c-dup2 null-input 0)
      (c-close null-input)))
  (for-each (lambda (capture descriptor) (c-dup2 capture descriptor)) captures '(1 2)))

;;; Messages

;; The next COUNT octets from the parent, or #f at the end of the pipe.
(define (read-protocol count)
  (let ([octets (get-bytevector-n request-port count)])
    (and (bytevector? octets) (= (bytevector-length octets) count) octets)))

;; The next request, or #f when the parent has closed its end or does not speak the protocol.
(define (receive-request)
  (let* ([header (read-protocol 6)]
         [size (and header (string->number (utf8->string header) 16))]
         [payload (and size (read-protocol size))])
    (and payload (parse-wire (utf8->string payload)))))

;; True when a frame, or the end of the pipe, is waiting.
(define (request-waiting?)
  (input-port-ready? request-port))

;; The datum that TEXT stands for: lists, strings, integers, keywords; NIL is the empty list, T is #t.
(define (parse-wire text)
  (define end (string-length text))
  (define (stop-of at stops)
    (if (or (= at end) (memv (string-ref text at) stops)) at (stop-of (+ at 1) stops)))
  (define (atom word)
    (cond
      [(string=? word "NIL") '()]
      [(string=? word "T") #t]
      [(char=? (string-ref word 0) #\:) (string->symbol (string-downcase word))]
      [else (string->number word 10)]))
  (define (string-at at parts)
    (let* ([stop (stop-of at '(#\" #\\))] [parts (cons (substring text at stop) parts)])
      (if (char=? (string-ref text stop) #\")
          (values (apply string-append (reverse parts)) (+ stop 1))
          (string-at (+ stop 2) (cons (string (string-ref text (+ stop 1))) parts)))))
  (define (items-at at items)
    (case (string-ref text at)
      [(#\)) (values (reverse items) (+ at 1))]
      [(#\space) (items-at (+ at 1) items)]
      [else (let-values ([(item at) (datum-at at)]) (items-at at (cons item items)))]))
  (define (datum-at at)
    (case (string-ref text at)
      [(#\() (items-at (+ at 1) '())]
      [(#\") (string-at (+ at 1) '())]
      [else (let ([stop (stop-of at '(#\space #\( #\) #\"))]) (values (atom (substring text at stop)) stop))]))
  (let-values ([(value at) (datum-at 0)])
    value))

;; Writes VALUE (lists, strings, integers, keywords, booleans) to PORT as the wire spells it.
(define (encode value port)
  (cond
    [(string? value)
     (put-char port #\")
     (string-for-each (lambda (character)
                        (when (memv character '(#\" #\\))
                          (put-char port #\\))
                        (put-char port character))
                      value)
     (put-char port #\")]
    [(symbol? value) (put-string port (string-upcase (symbol->string value)))]
    [(integer? value) (put-string port (number->string value 10))]
    [(eq? value #t) (put-string port "T")]
    [(pair? value)
     (put-char port #\()
     (encode (car value) port)
     (for-each (lambda (item)
                 (put-char port #\space)
                 (encode item port))
               (cdr value))
     (put-char port #\))]
    [else (put-string port "NIL")]))

;; Sends MESSAGE to the parent as one frame. A process that evaluated code has forked off has nothing to say: it ends.
(define (send message)
  (unless (= (c-getpid) own-pid)
    (c-leave 0))
  (let* ([payload (string->utf8 (call-with-string-output-port (lambda (port) (encode message port))))]
         [digits (string-downcase (number->string (bytevector-length payload) 16))]
         [header (string-append (make-string (- 6 (string-length digits)) #\0) digits)])
    (put-bytevector answer-port (string->utf8 header))
    (put-bytevector answer-port payload)
    (flush-output-port answer-port)))

;; What follows KEY in REQUEST; #f when that is NIL or nothing.
(define (argument request key)
  (let ([found (memq key (cdr request))])
    (and found (not (null? (cadr found))) (cadr found))))

;;; Signals

;; Has HANDLE-FRAMES called when the parent sends something, and HANDLE-INTERRUPT by SIGINT, the local way, which also ends the
;; wait for a pipe. While C's `system' waits, SIGINT is ignored, and SIGURG comes instead.
(define (install-signals handle-frames handle-interrupt)
  (keyboard-interrupt-handler handle-interrupt)
  (register-signal-handler sigurg (lambda (_) (handle-interrupt)))
  (register-signal-handler sigio (lambda (_) (handle-frames))))

;; Asks the kernel for SIGIO when a request comes, or not to. It is asked only while code runs, because a signal ends a `sleep'
;; early: that of the request itself must not.
(define (watch-requests on?)
  (let ([flags (c-fcntl requests f-getfl 0)])
    (c-fcntl requests f-setfl (if on? (fxlogor flags o-async) (fxlogand flags (fxlognot o-async))))))

;; Lets what came while code kept interrupts off be handled now.
(define (allow-interrupts)
  (unless (zero? (enable-interrupts))
    (allow-interrupts)))

;;; The standard ports

(define standard-ports '())             ; input, output, errors: ports on 0, 1 and 2

;; Ports on the descriptors.
(define (open-standard-ports)
  (let ([transcoder (make-transcoder (utf-8-codec) (eol-style none) (error-handling-mode replace))])
    (set! standard-ports
          (list (standard-input-port (buffer-mode block) transcoder) (unbuffered-port "stdout" 1) (unbuffered-port "stderr" 2)))))

;; A port that keeps nothing back, as Chez's own do, so that output keeps its order beside that of child processes and is there
;; after a crash.
(define (unbuffered-port name descriptor)
  (define (put string start count)
    (let write ([octets (string->utf8 (substring string start (+ start count)))] [tries 100])
      (let* ([size (bytevector-length octets)] [written (c-write descriptor octets size)] [left (- size (max written 0))])
        ;; A signal may end the writing early.
        (when (and (positive? left) (positive? tries))
          (let ([rest (make-bytevector left)])
            (bytevector-copy! octets (- size left) rest 0 left)
            (write rest (if (positive? written) 100 (- tries 1)))))))
    count)
  (let ([port (parameterize ([custom-port-buffer-size 1])
                (make-custom-textual-output-port name put #f #f #f))])
    (set-textual-port-output-size! port 0)
    port))

;; Undoes what an earlier call did to the standard ports: set them, closed them, sent their descriptors elsewhere.
(define (restore-ports)
  (point-descriptors)
  (when (exists port-closed? standard-ports)
    (point-descriptors)
    (open-standard-ports))
  (let-values ([(input output errors) (apply values standard-ports)])
    (console-input-port input)
    (current-input-port input)
    (console-output-port output)
    (current-output-port output)
    (console-error-port errors)
    (current-error-port errors)))

(define (flush-ports)
  (for-each (lambda (port) (guard (_ [#t #f]) (flush-output-port port)))
            (list (current-output-port) (current-error-port))))

;; Ends this process at once, its group when it leads one, and those that wait for it: the parent is gone.
(define (die)
  (set-wanted-depth! all-over)
  (when (= (c-getpgrp) own-pid)
    (c-kill 0 sigkill))
  (c-leave 0))
