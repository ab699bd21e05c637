;;;; Copies of the process: checkpoints to return to, and trials that leave no trace.
;;;;
;;;; A process that has forked sleeps until its child has ended; only the youngest reads the wire. A page of shared
;;;; memory carries a process's order to those that wait for it: the depth to return to, or the end of all.

(in-package "LISPWRIGHT.AGENT")

(defconstant +deepest+ 128)

(defvar *depth* 0 "The number of processes that wait for this one.")
(defvar *checkpoints* '() "((name . depth) ...), innermost first: which depth each name goes back to.")

(defun checkpoint-names ()
  "The names of the checkpoints, oldest first."
  (reverse (mapcar #'car *checkpoints*)))

(defun cannot-copy ()
  "The fields of a refusal when the process cannot be copied now, else NIL."
  (let ((threads (other-threads)))
    (and threads (list :outcome :refused :threads threads))))

(defun answer-checkpoint (&key name branch &allow-other-keys)
  "Keeps this process and continues in a copy; returns the fields of the answer. NIL in a copy that was made for a
return: it has answered by itself."
  (or (cannot-copy)
      (and (>= *depth* +deepest+) (list :outcome :refused :full +deepest+))
      (let ((depth (1+ *depth*))
            (status nil))
        (flush-streams)
        (loop
          (when (copied-p)
            (setf *depth* depth
                  *checkpoints* (acons name depth (remove name *checkpoints* :key #'car :test #'string=)))
            (take-over branch)
            (return (if status
                        (come-back name status)
                        (list :outcome :checkpoint :pid (own-pid) :depth depth))))
          (setf status (last-status))
          (unless (member (wanted-depth) (list 0 depth))
            (end-process))
          (setf (wanted-depth) 0)))))

(defun come-back (name status)
  "Reports to the parent that the checkpoint NAME continues because the process after it has ended."
  (void-frames)
  (send (list :returned :name name :pid (own-pid) :status status :package (package-name *package*)
                        :held (length *held*) :depth *depth* :checkpoints (checkpoint-names)
                        :request (last-read)))
  (skip-void-frames)
  nil)

(defun answer-rollback (&key name &allow-other-keys)
  "Ends this process and all waiting ones up to the checkpoint NAME, the innermost when it is NIL."
  (let ((checkpoint (if name
                        (assoc name *checkpoints* :test #'string=)
                        (first *checkpoints*))))
    (unless checkpoint
      (return-from answer-rollback
        (list :outcome :refused :no-checkpoint (or name "") :checkpoints (checkpoint-names))))
    (flush-streams)
    (setf (wanted-depth) (cdr checkpoint))
    (end-process)))

(defun answer-trial (branch function)
  "Makes FUNCTION find the fields of the answer in a copy, which answers and ends. Then returns NIL."
  (or (cannot-copy)
      (progn
        (flush-streams)
        (when (copied-p)
          (incf *depth*)
          (take-over branch)
          (send (list :forked :id *pending* :pid (own-pid)))
          (send (done (funcall function)))
          (setf (last-answered) *pending*)
          (end-process))
        (take-over nil)
        (unless (eql (last-answered) *pending*)
          (void-frames)
          (send (done (list :outcome :died :status (last-status))))
          (skip-void-frames))
        nil)))
