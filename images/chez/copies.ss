;;; Copies of the process: checkpoints to return to, and trials that leave no trace.
;;;
;;; A process that has forked sleeps until its child has ended; only the youngest reads the wire. A page of shared memory
;;; carries a process's order to those that wait for it: the depth to return to, or the end of all.

(define deepest 128)
(define all-over #xFFFF)

(define c-fork (foreign-procedure "fork" () int))
(define c-waitpid (foreign-procedure "waitpid" (int uptr int) int))
(define c-getppid (foreign-procedure "getppid" () int))
(define c-mmap (foreign-procedure "mmap" (uptr size_t int int int long) uptr))

(define depth 0)                        ; how many processes wait for this one
(define checkpoints '())                ; ((name . depth) ...), innermost first: the depth to which each name returns
(define last-status #f)                 ; how the last copy ended

;; The wanted depth, the number of the request that was answered last, and the status of a process: 32 bits each.
(define shared-page (c-mmap 0 4096 3 (if mac? #x1001 #x21) -1 0)) ; readable, writable, shared, anonymous
(define status-page (+ shared-page 8))

(define (wanted-depth)
  (foreign-ref 'unsigned-32 shared-page 0))

(define (set-wanted-depth! depth)
  (foreign-set! 'unsigned-32 shared-page 0 depth))

(define (last-answered)
  (foreign-ref 'unsigned-32 shared-page 4))

;; The names of the checkpoints, oldest first.
(define (checkpoint-names)
  (reverse (map car checkpoints)))

;; The fields of a refusal when the process cannot be copied now, as a copy would not have its other threads; else #f. Linux
;; lists threads; where nothing does, there are taken to be none.
(define (cannot-copy)
  (let ([tasks (failsafe (constantly '()) (lambda () (directory-list "/proc/self/task")))])
    (and (> (length tasks) 1)
         `(:outcome :refused
           :threads ,(map (lambda (task) (string-append "thread " task)) (remove (number->string own-pid) tasks))))))

;; Copies the process: true in the copy; false in this one, after the copy has ended.
(define (copied?)
  (let* ([parent (c-getpid)] [pid (c-fork)])
    (cond
      [(zero? pid)
       (end-with-parent parent)
       #t]
      [else
       (set! last-status (with-interrupts-disabled (status-text (wait-for pid))))
       #f])))

;; Makes the kernel end this copy with the process PARENT that waits for it, as it ends the worker with the server.
(define (end-with-parent parent)
  (when (foreign-entry? "prctl")
    ((foreign-procedure "prctl" (int unsigned-long) int) 1 sigkill)) ; PR_SET_PDEATHSIG
  (unless (= (c-getppid) parent)
    (c-leave 0)))

;; The status of the process PID, a child of this one, when it has ended. A signal may end the wait early.
(define (wait-for pid)
  (let ([ended (c-waitpid pid status-page 0)])
    (if (= ended pid)
        (foreign-ref 'integer-32 status-page 0)
        (wait-for pid))))

(define (status-text status)
  (let ([signal (fxlogand status 127)])
    (if (zero? signal)
        (format "exit code ~a" (fxlogand (fxsrl status 8) 255))
        (format "killed by signal ~a" signal))))

;; Makes this process the one that answers the parent and gets the signals of the pipe; BRANCH marks its child processes.
(define (take-over branch)
  (set! own-pid (c-getpid))
  (c-fcntl requests f-setown own-pid)
  (when branch
    (putenv "LISPWRIGHT_BRANCH" branch)))

;; Voids a frame that another process may have begun.
(define (void-frames)
  (put-u8 answer-port #xFF)
  (flush-output-port answer-port))

;; Reads up to the parent's mark that voids earlier input.
(define (skip-void-frames)
  (let ([octets (read-protocol 1)])
    (cond
      [(not octets) (die)]
      [(not (= (bytevector-u8-ref octets 0) #xFF)) (skip-void-frames)])))

;; Keeps this process and continues in a copy; the fields of the answer. `answered' in a copy that was made for a return.
(define (answer-checkpoint request)
  (let ([name (argument request ':name)] [branch (argument request ':branch)] [copy-depth (+ depth 1)])
    (define (next status)
      (cond
        [(copied?)
         (set! depth copy-depth)
         (set! checkpoints (cons (cons name depth) (remp (lambda (known) (equal? (car known) name)) checkpoints)))
         (take-over branch)
         (if status
             (come-back name status)
             `(:outcome :checkpoint :pid ,own-pid :depth ,depth))]
        [(memv (wanted-depth) (list 0 copy-depth))
         (set-wanted-depth! 0)
         (next last-status)]
        [else (c-leave 0)]))
    (flush-ports)
    (cond
      [(cannot-copy)]
      [(>= depth deepest) `(:outcome :refused :full ,deepest)]
      [else (next #f)])))

;; Reports to the parent that the checkpoint NAME continues because the process after it has ended.
(define (come-back name status)
  (void-frames)
  (send `(:returned :name ,name :pid ,own-pid :status ,status :package ,(environment-text) :held ,(length held-stacks)
          :depth ,depth :checkpoints ,(checkpoint-names)))
  (skip-void-frames)
  'answered)

;; Ends this process and all waiting ones up to the named checkpoint, or the innermost.
(define (answer-rollback request)
  (let* ([name (argument request ':name)]
         [checkpoint (if name (assoc name checkpoints) (and (pair? checkpoints) (car checkpoints)))])
    (cond
      [checkpoint
       (flush-ports)
       (set-wanted-depth! (cdr checkpoint))
       (c-leave 0)]
      [else `(:outcome :refused :no-checkpoint ,(or name ""))])))

;; Evaluates in a copy, which answers and ends. Then `answered'.
(define (answer-trial request)
  (flush-ports)
  (or (cannot-copy)
      (begin
        (when (copied?)
          (set! depth (+ depth 1))
          (take-over (argument request ':trial))
          (send `(:forked :id ,last-id :pid ,own-pid))
          (send-done (answer-eval request))
          (foreign-set! 'unsigned-32 shared-page 4 last-id)
          (c-leave 0))
        (take-over #f)
        (unless (= (last-answered) last-id)
          (void-frames)
          (send-done `(:outcome :died :status ,last-status))
          (skip-void-frames))
        'answered)))
