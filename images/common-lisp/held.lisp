;;;; Held stacks: after an error or an interrupt the agent keeps serving requests on top of the stack.
;;;;
;;;; The stack below is unchanged, so its frames can be inspected, code can run with their variables, and a restart lets
;;;; it continue. Its result then is the answer to the request that invoked the restart.

(in-package "LISPWRIGHT.AGENT")

(defconstant +most-held+ 10)
(defconstant +most-held-frames+ 1000)

(defstruct held
  "A held stack."
  evaluation                            ; of this stack
  condition                             ; that stopped it
  facts                                 ; the facts sent to the parent
  frames                                ; innermost first
  restarts)                             ; in the order in which they were sent

(defun holdable-p (evaluation condition)
  "True when the stack of CONDITION has to be kept. An exhausted one has no room for that."
  (and (evaluation-hold evaluation)
       (not (typep condition 'storage-condition))
       (< (length *held*) +most-held+)))

(defun hold (evaluation condition fields)
  "Answers with FIELDS and serves requests on top of the present stack. Never returns: a restart or a throw unwinds it."
  (let* ((*held* (cons (make-held :evaluation evaluation :condition condition :facts fields
                                  :frames (handler-case (frames-of-interest *boundaries* +most-held-frames+)
                                            (serious-condition () '()))
                                  :restarts (offered-restarts evaluation condition))
                       *held*))
         (*evaluation* nil)
         (*previewing* nil))
    (setf (evaluation-stopping evaluation) nil)
    (call-above
     (lambda ()
       (send (done (finish-answer evaluation (append fields '(:kept t)))))
       (setf (evaluation-warnings evaluation) '())
       (serve)))
    (die)))

(defun call-holding (function &rest arguments)
  "The fields that FUNCTION returns for the innermost held stack and ARGUMENTS."
  (if *held*
      (apply function (first *held*) arguments)
      (list :outcome :refused :not-held t)))

(defun answer-held ()
  (call-holding (lambda (held)
                  (declare (ignore held))
                  (list :outcome :held
                        :levels (loop for held in *held*
                                      for facts = (held-facts held)
                                      collect (append (list :restarts (described-restarts (held-restarts held)))
                                                      (or (getf facts :error)
                                                          (list :type "interrupt" :message "It was interrupted."))))))))

;;; Frames

(defun answer-frames (&key (offset 0) (count +most-frames+) &allow-other-keys)
  (call-holding
   (lambda (held)
     (let ((frames (held-frames held)))
       (call-evaluating
        (lambda (evaluation)
          (declare (ignore evaluation))
          (list :outcome :frames :total (length frames)
                :frames (loop for frame in (nthcdr offset frames)
                              for number from offset
                              repeat count
                              collect (list* :number number (frame-facts frame nil))))))))))

(defun call-with-frame (number function)
  "The fields that FUNCTION returns for the held frame of that NUMBER."
  (call-holding
   (lambda (held)
     (let ((frame (and (integerp number) (not (minusp number)) (nth number (held-frames held)))))
       (if frame
           (funcall function frame)
           (list :outcome :refused :no-frame number :total (length (held-frames held))))))))

(defun answer-locals (&key frame &allow-other-keys)
  (call-with-frame frame
                   (lambda (it)
                     (call-evaluating
                      (lambda (evaluation)
                        (setf (evaluation-phase evaluation) :print)
                        (list :outcome :locals
                              :frame (list* :number frame (frame-facts it nil))
                              :locals (loop for (name value) in (frame-variables it)
                                            collect (cons name (inspect-value value 0 0 0 0)))))))))

(defun answer-eval-in-frame (&rest arguments &key frame package &allow-other-keys)
  "Evaluates with the variables of a frame. Without a PACKAGE the code is read in that of the frame's function, in which
the variables have their names, or in the session's when the function has none."
  (call-with-frame frame
                   (lambda (it)
                     (apply #'answer-eval
                            :evaluator (lambda (form) (eval-in-frame form it))
                            :package (or package (frame-package it))
                            arguments))))

;;; Restarts

(defun find-offered-restart (held designator)
  "The restart of HELD with that number or name."
  (let ((restarts (held-restarts held)))
    (if (integerp designator)
        (and (not (minusp designator)) (nth designator restarts))
        (find designator restarts
              :test (lambda (name restart)
                      (string-equal name (string (or (restart-name restart) "unnamed"))))))))

(defun answer-restart (&rest arguments &key restart code &allow-other-keys)
  "Invokes a restart of the innermost held stack. This returns only if the restart does. ABORT, if the code has no
restart of that name, gives the stack up, as in every Lisp's own debugger."
  (call-holding
   (lambda (held)
     (let ((it (find-offered-restart held restart)))
       (cond ((null it)
              (if (equalp restart "ABORT")
                  (answer-abort)
                  (list :outcome :refused :no-restart (princ-to-string restart))))
             (t
              (apply #'call-evaluating
                     (lambda (evaluation)
                       (multiple-value-bind (values missing)
                           (if code
                               (evaluate-code evaluation #'eval)
                               (restart-arguments it))
                         (if missing
                             (list :outcome :refused :needs-value (string (or (restart-name it) "unnamed")))
                             ;; Only a restart that does not unwind returns here.
                             (list :outcome :completed
                                   :values (print-values (multiple-value-list (apply #'invoke-restart it values))
                                                         1000 nil nil)))))
                     :code (or code "")
                     :allow-other-keys t
                     arguments)))))))

(defun answer-abort ()
  "Gives up the innermost held stack. An error on the way out is answered and not held."
  (call-holding
   (lambda (held)
     (let ((evaluation (held-evaluation held)))
       (setf (evaluation-hold evaluation) nil)
       (throw evaluation (list :outcome :aborted :place (getf (held-facts held) :place)))))))

;;; Repeated calls on a stack

(defconstant +longest-period+ 4)
(defconstant +fewest-repetitions+ 4)

(defun folded-frames (frames)
  "((number frame . repetition) ...) of at most +MOST-FRAMES+ of the vector FRAMES. Where functions call each other over and
over, the first and the last time are there; the last frame of the first time has as its repetition (:PERIOD i :REPEATED i):
how many frames a time has, and how many times are left out after it."
  (let ((keys (map 'vector #'frame-key frames))
        (folded '())
        (count 0)
        (start 0))
    (flet ((take (from to &rest repetition)
             (loop for number from from below to
                   while (< count +most-frames+)
                   do (incf count)
                      (push (list* number (aref frames number) (and (= number (1- to)) repetition)) folded))))
      (loop while (and (< start (length frames)) (< count +most-frames+))
            do (multiple-value-bind (period times) (repetition keys start)
                 (cond ((< times +fewest-repetitions+)
                        (take start (1+ start))
                        (incf start))
                       (t
                        (take start (+ start period) :period period :repeated (- times 2))
                        (incf start (* period (1- times)))
                        (take start (+ start period))
                        (incf start period))))))
    (nreverse folded)))

(defun repetition (keys start)
  "The number of KEYS from START on that repeat, and of their repetitions: for the shortest period that repeats often."
  (loop for period from 1 to +longest-period+
        for end = (or (loop for position from start below (- (length keys) period)
                            unless (equal (aref keys position) (aref keys (+ position period)))
                              return position)
                      (max start (- (length keys) period)))
        for times = (1+ (floor (- end start) period))
        when (>= times +fewest-repetitions+)
          return (values period times)
        finally (return (values 1 1))))
