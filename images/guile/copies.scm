;;; Copies of the process: checkpoints to return to, and trials that leave no trace.
;;;
;;; A process that has forked sleeps until its child has ended; only the youngest reads the wire. A page of shared
;;; memory carries a process's order to those that wait for it: the depth to return to, or the end of all.

(define deepest 128)
(define all-over #xFFFF)

(define c-mmap (libc '* "mmap" '* size_t int int int long))
(define c-waitpid (libc int "waitpid" int '* int))

(define shared-page #f)                 ; (wanted depth, number of the request that was answered last), 32 bits each
(define depth 0)                        ; how many processes wait for this one
(define checkpoints '())                ; ((name . depth) ...), innermost first: the depth to which each name returns
(define last-status #f)                 ; how the last copy ended

(define (open-shared-page)
  ;; PROT_READ | PROT_WRITE
  (call-with-values (lambda () (c-mmap %null-pointer 4096 3 map-shared-anonymous -1 0))
    (lambda (address errno)
      (set! shared-page (pointer->bytevector address 8)))))

(define (wanted-depth)
  (bytevector-u32-native-ref shared-page 0))

(define (set-wanted-depth! depth)
  (bytevector-u32-native-set! shared-page 0 depth))

(define (last-answered)
  (bytevector-u32-native-ref shared-page 4))

(define (checkpoint-names)
  "The names of the checkpoints, oldest first."
  (reverse (map car checkpoints)))

(define own-threads '())                ; this thread, and the one that waits for requests

(define (note-own-threads)
  (set! own-threads (all-threads)))

(define (started-by-code? thread)
  "False for a thread that the collector has started to call finalizers. Guile ends it before a copy, and restarts it."
  (failsafe (const #t)
            (lambda () (and ((@@ (ice-9 threads) thread-join-data) thread) #t))))

(define (other-threads)
  "The names of the threads that a copy would not have."
  (filter-map (lambda (thread)
                (and (not (memq thread own-threads))
                     (not (thread-exited? thread))
                     (started-by-code? thread)
                     (format #f "~a" thread)))
              (all-threads)))

(define (cannot-copy)
  "The fields of a refusal when the process cannot be copied now, else #f."
  ;; A thread that has been joined is on its way out for a moment.
  (let wait ((threads (other-threads)) (turns 100))
    (cond ((null? threads) #f)
          ((positive? turns)
           (usleep 1000)
           (wait (other-threads) (1- turns)))
          (else (list #:outcome #:refused #:threads threads)))))

(define (copied?)
  "Copies the process: true in the copy; false in this one, after the copy has ended."
  (stop-watcher)
  (let* ((parent (getpid))
         ;; The warning of Guile does not apply: there is no other thread, or none that a copy needs.
         (pid (parameterize ((current-warning-port (%make-void-port "w"))) (primitive-fork))))
    (cond ((zero? pid)
           (end-with-parent parent)
           #t)
          (else
           (set! last-status (status-text (wait-for pid)))
           #f))))

(define (end-with-parent parent)
  "Makes the kernel end this copy with the process PARENT that waits for it, as it ends the worker with the server."
  (when (string=? (utsname:sysname (uname)) "Linux")
    ((libc int "prctl" int unsigned-long) 1 SIGKILL)) ; PR_SET_PDEATHSIG
  (unless (= (getppid) parent)
    (end-process)))

;;; In a copy Guile 3.0.8 delivers no signals: the thread for that is not copied. A thread of the agent waits for
;;; requests there and interrupts the one that evaluates. It is stopped before the copy is copied itself.

(define watcher #f)                     ; (thread . descriptor): writing to the descriptor, or closing it, ends the thread

(define (start-watcher)
  (let* ((main (current-thread))
         (ends (pipe))
         (told (port->fdes (car ends))))
    (set! watcher
          (cons (call-with-new-thread (lambda () (watch told main)))
                ends))))

(define (stop-watcher)
  (match watcher
    ((thread input . output)
     (set! watcher #f)
     (close-port output)
     (join-thread thread)
     (close-port input)
     ;; Joining returns before the thread has left Guile, and it must not be copied on its way out.
     (let wait ((turns 1000))
       (when (and (positive? turns) (memq thread (all-threads)))
         (usleep 100)
         (wait (1- turns)))))
    (#f #f)))

(define (watch told main)
  "Makes a thread read the requests that come while the thread MAIN evaluates, until the descriptor TOLD ends."
  (let ((set (make-bytevector 16 0)))
    (bytevector-s32-native-set! set 0 requests)
    (bytevector-s32-native-set! set 8 told)
    (let loop ()
      (bytevector-s16-native-set! set 4 (if current 1 0)) ; POLLIN
      (bytevector-s16-native-set! set 12 1)
      (bytevector-s16-native-set! set 6 0)
      (bytevector-s16-native-set! set 14 0)
      ;; Without an evaluation, the thread that serves requests reads them.
      (c-poll (bytevector->pointer set) 2 50)
      (when (zero? (bytevector-s16-native-ref set 14))
        ;; POLLIN, or the end of the pipe: POLLERR, POLLHUP. The end is reported at once, so the thread must act on it.
        (when (and current (logtest #x19 (bytevector-s16-native-ref set 6)))
          (system-async-mark handle-frames main)
          ;; Only a signal ends a system call that waits.
          (kill (getpid) SIGURG)
          (usleep 10000))
        (loop)))))

(define (wait-for pid)
  "The exit status of the process PID. No signal handler runs meanwhile."
  (let ((status (make-bytevector 4 0)))
    (let loop ()
      (call-with-values (lambda () (c-waitpid pid (bytevector->pointer status) 0))
        (lambda (ended errno)
          (if (and (< ended 0) (= errno EINTR))
              (loop)
              (bytevector-s32-native-ref status 0)))))))

(define (status-text status)
  (if (status:term-sig status)
      (format #f "killed by signal ~a" (status:term-sig status))
      (format #f "exit code ~a" (status:exit-val status))))

(define (take-over branch)
  "Makes this process the one that answers the parent and gets the signals of the pipe; BRANCH marks its child
processes."
  (set! own-pid (getpid))
  (when (positive? depth)
    (start-watcher))
  (note-own-threads)
  (when branch
    (setenv "LISPWRIGHT_BRANCH" branch)))

(define (end-process)
  "Ends this process and nothing else, at once."
  (primitive-_exit 0))

(define (void-frames)
  "Voids a frame that another process may have begun."
  (write-protocol (make-bytevector 1 #xFF)))

(define (skip-void-frames)
  "Reads up to the parent's mark that voids earlier input."
  (let ((octet (read-protocol 1)))
    (cond ((not octet) (die))
          ((not (= (bytevector-u8-ref octet 0) #xFF)) (skip-void-frames)))))

(define (answer-checkpoint request)
  "Keeps this process and continues in a copy; returns the fields of the answer. #f in a copy that was made for a
return: it has answered by itself."
  (let ((name (argument request #:name))
        (branch (argument request #:branch))
        (copy-depth (1+ depth)))
    (or (cannot-copy)
        (and (>= depth deepest) (list #:outcome #:refused #:full deepest))
        (begin
          (flush-ports)
          (let loop ((status #f))
            (cond ((copied?)
                   (set! depth copy-depth)
                   (set! checkpoints (alist-cons name depth (alist-delete name checkpoints)))
                   (take-over branch)
                   (if status
                       (come-back name status)
                       (list #:outcome #:checkpoint #:pid own-pid #:depth depth #:checkpoints (checkpoint-names))))
                  ((memv (wanted-depth) (list 0 copy-depth))
                   (set-wanted-depth! 0)
                   (loop last-status))
                  (else (end-process))))))))

(define (come-back name status)
  "Reports to the parent that the checkpoint NAME continues because the process after it has ended."
  (void-frames)
  (send (list #:returned #:name name #:pid own-pid #:status status #:package (module-text (current-module))
              #:held (length held-stacks) #:depth depth #:checkpoints (checkpoint-names)))
  (skip-void-frames)
  #f)

(define (answer-rollback request)
  "Ends this process and all waiting ones up to the named checkpoint, or the innermost."
  (let* ((name (argument request #:name))
         (checkpoint (if name
                         (assoc name checkpoints)
                         (and (pair? checkpoints) (car checkpoints)))))
    (cond (checkpoint
           (flush-ports)
           (set-wanted-depth! (cdr checkpoint))
           (end-process))
          (else
           (list #:outcome #:refused #:no-checkpoint (or name "") #:checkpoints (checkpoint-names))))))

(define (answer-trial request)
  "Evaluates in a copy, which answers and ends. Then returns #f."
  (or (cannot-copy)
      (begin
        (flush-ports)
        (when (copied?)
          (set! depth (1+ depth))
          (take-over (argument request #:trial))
          (send (list #:forked #:id last-id #:pid own-pid))
          (send-done (answer-eval request))
          (bytevector-u32-native-set! shared-page 4 last-id)
          (end-process))
        (take-over #f)
        (unless (= (last-answered) last-id)
          (void-frames)
          (send-done (list #:outcome #:died #:status last-status))
          (skip-void-frames))
        #f)))
