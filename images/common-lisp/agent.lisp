;;;; The agent inside a Common Lisp worker: reads requests, evaluates forms, answers.
;;;;
;;;; It must keep answering after anything that evaluated code does to the reader, the printer, the standard streams or
;;;; the debugger. So the wire uses neither the reader nor the printer (wire.lisp), and every description of a value is
;;;; a string made by the printer under fixed settings.
;;;;
;;;; (:EVAL :ID 7 :CODE "(+ 1 2)") is answered by (:DONE :ID 7 :OUTCOME :COMPLETED :VALUES (("3" NIL)) ...).
;;;;
;;;; This file is portable, and so are those that are loaded after it: objects.lisp (INSPECT), expand.lisp
;;;; (MACROEXPAND), held.lisp (HOLD and the operations on held stacks), copies.lisp (CHECKPOINT, ROLLBACK, TRIAL),
;;;; describe.lisp (DESCRIBE, REFERENCES), systems.lisp (LOAD) and tests.lisp (RUN-TESTS); the last two need ASDF.
;;;; Functions that depend on the implementation (descriptors, frames, signals, threads) come from NAME.lisp,
;;;; which is loaded before; the header of sbcl.lisp lists them.

(in-package "LISPWRIGHT.AGENT")

;;; Bounded printing

(defvar *standard-readtable* (copy-readtable nil)
  "A readtable that evaluated code does not know of, so that printing does not depend on the session's.")

(defun call-with-fixed-printer (function &key level length (case :upcase) (gensym t))
  "Calls FUNCTION with every printer variable at a standard value; the session's package is kept, unless code has
deleted it."
  (let ((*package* (if (package-name *package*) *package* (load-time-value (find-package "LISPWRIGHT.AGENT"))))
        (*readtable* *standard-readtable*)
        (*print-array* t) (*print-base* 10) (*print-case* case) (*print-circle* nil) (*print-escape* t)
        (*print-gensym* gensym) (*print-length* length) (*print-level* level) (*print-lines* nil)
        (*print-miser-width* nil) (*print-pretty* t) (*print-radix* nil) (*print-readably* nil)
        (*print-right-margin* 100) (*read-default-float-format* 'single-float))
    (call-exposed function)))

(defun bounded-text (limit writer)
  "The output of WRITER, called with a stream, at most LIMIT characters; second value: true when that cut it."
  (let* ((stream (make-bounded-stream limit))
         (cut (catch stream
                (funcall writer stream)
                nil)))
    (values (bounded-stream-text stream) cut)))

(defun type-text (object)
  "The name of OBJECT's type."
  (handler-case
      (let ((type (type-of object)))
        (call-with-fixed-printer
         (lambda ()
           (values (bounded-text 200 (lambda (stream) (prin1 (if (consp type) (first type) type) stream)))))))
    (serious-condition () "object of an unprintable type")))

(defun condition-text (condition limit)
  "The report of CONDITION, or the reason why there is none, in at most LIMIT characters."
  (handler-case
      (call-with-fixed-printer
       (lambda ()
         (let ((*print-escape* nil))
           (string-trim '(#\Newline) (bounded-text limit (lambda (stream) (princ condition stream))))))
       :level 8 :length 50)
    (serious-condition (failure)
      (format nil "(its report failed with a ~A)" (type-text failure)))))

(defun short-text (object)
  "OBJECT in at most 200 characters on one line."
  (handler-case
      (call-with-fixed-printer
       (lambda ()
         (let ((*print-pretty* nil)
               (*print-circle* (circular-p object)))
           (multiple-value-bind (text cut) (bounded-text 200 (lambda (stream) (prin1 object stream)))
             (if cut (concatenate 'string text "...") text))))
       :level 4 :length 8)
    (serious-condition () (format nil "(a ~A that does not print)" (type-text object)))))

(defun circular-p (object)
  "True when OBJECT contains itself through lists and vectors. In CLISP, which prints all of these and whose stack ends
before any limit, also through structures and hash tables. Examines at most 100,000 parts."
  (let ((states (make-hash-table :test #'eq))
        (agenda (list object))
        (left 100000))
    (flet ((compound-p (part)
             (typecase part
               ((or string bit-vector) nil)
               ((or cons vector #+clisp hash-table #+clisp structure-object) t))))
      (loop while (and agenda (plusp left))
            do (let ((part (pop agenda)))
                 (cond ((eq part :leave) (setf (gethash (pop agenda) states) :done))
                       ((not (compound-p part)))
                       ((eq (gethash part states) :open) (return t))
                       ((null (gethash part states))
                        (decf left)
                        (setf (gethash part states) :open)
                        (push part agenda)
                        (push :leave agenda)
                        (typecase part
                          (cons (push (cdr part) agenda) (push (car part) agenda))
                          (vector (loop for element across part
                                        repeat left
                                        do (push element agenda)))
                          (hash-table (loop for key being the hash-keys of part using (hash-value value)
                                            repeat left
                                            do (push key agenda)
                                               (push value agenda)))
                          (t (loop for (nil value) in (slot-parts part)
                                   do (push value agenda)))))))))))

(defun value-text (value limit &key level length (case :upcase) (gensym t))
  "(text cut): VALUE as the printer writes it, or why it does not print.
*PRINT-CIRCLE* is on where it is needed only: with it the printer first walks through everything a PRINT-OBJECT
method writes, without end when that has none."
  (flet ((print-it (circle level length)
           (call-with-fixed-printer
            (lambda ()
              (let ((*print-circle* circle))
                (multiple-value-list (bounded-text limit (lambda (stream) (prin1 value stream))))))
            :level level :length length :case case :gensym gensym)))
    (handler-case (print-it (circular-p value) level length)
      (storage-condition ()
        (handler-case (print-it nil (or level 20) length)
          (serious-condition (failure)
            (list (unprintable-text value failure) nil))))
      (serious-condition (failure)
        (list (unprintable-text value failure) nil)))))

(defun unprintable-text (value failure)
  (format nil "#<~A, whose printing failed: ~A: ~A>"
          (type-text value) (type-text failure) (condition-text failure 500)))

;;; One evaluation

(defstruct evaluation
  "The state of the current call."
  code                                  ; the text, empty when the request has none
  stream                                ; a stream over it
  (phase :read)                         ; :READ, :EVAL or :PRINT
  (form-index 0)                        ; the current form, from 1
  (form-start 0)                        ; where it starts in the code
  (stopping nil)                        ; an interrupt has come: :TAKEN, then when it was heard, in internal time units
  (hold nil)                            ; keep the stack of an error or interrupt
  (warnings '())                        ; ((type message) ...), newest first
  (outer-restarts '()))                 ; the restarts that existed before

(defvar *evaluation* nil "The current evaluation of this thread, or NIL.")
(defvar *running* nil "The evaluation that began last, even if it is over.")
(defvar *pending* nil "The number of the request that has not been answered.")
(defvar *previewing* nil "True while a printed value is being inspected; an interrupt ends only that.")
(defvar *next-object* 1 "The number of the next object. The parent may raise it, nothing lowers it.")
(defvar *held* '() "The held stacks, innermost first.")
(defvar *background-errors* '() "Errors of other threads that were not reported yet, newest first.")

(defvar *boundaries* '(evaluate-form read-form print-values inspect-value expand-form expansion-text describe-symbol
                       find-references)
  "The functions under which evaluated code runs.")

(defconstant +most-frames+ 20)
(defconstant +most-warnings+ 50)
(defconstant +message-limit+ 4000)

(defvar *boundary* nil
  "Bound by the functions below, under which evaluated code runs. The binding keeps their frames on the stack, which
bound the part of it that is shown.")

(defun read-form (stream eof)
  "Reads one form for the session."
  (let ((*boundary* t))
    (read stream nil eof)))

(defun evaluate-form (form evaluator)
  "The list of FORM's values."
  (let ((*boundary* t))
    (multiple-value-list (funcall evaluator form))))

(defun print-values (values limit level length)
  "((text cut) ...) of VALUES."
  (let ((*boundary* t))
    (loop for value in values
          for (text cut) = (value-text value (max limit 0) :level level :length length)
          collect (list text cut)
          do (decf limit (length text)))))

(defun skip-to-form (stream)
  "Moves STREAM over blanks and line comments."
  (loop for character = (peek-char t stream nil)
        while (eql character #\;)
        do (read-line stream nil)))

(defun call-with-repl-variables (form function)
  "Sets -, +, *, / and the others as a listener does (CLHS 25.1.1)."
  (setf - form)
  (let ((values (funcall function)))
    (shiftf +++ ++ + form)
    (shiftf /// // / values)
    (shiftf *** ** * (first values))
    values))

(defun read-next-form (evaluation)
  "The next form of the code, or the stream over it at its end."
  (let ((stream (evaluation-stream evaluation)))
    (setf (evaluation-phase evaluation) :read)
    (skip-to-form stream)
    (incf (evaluation-form-index evaluation))
    (setf (evaluation-form-start evaluation) (file-position stream))
    (prog1 (read-form stream stream)
      (setf (evaluation-phase evaluation) :eval))))

(defun evaluate-code (evaluation evaluator)
  "Reads the forms one after another and calls EVALUATOR on each; returns the values of the last."
  (let ((values '()))
    (loop
      (let ((form (read-next-form evaluation)))
        (when (eq form (evaluation-stream evaluation))
          (return values))
        (setf values (call-with-repl-variables form (lambda () (evaluate-form form evaluator))))))))

(defun note-warning (evaluation warning answer)
  "Keeps WARNING for the answer instead of printing it. Those of COMPILE-FILE are left alone: they decide whether it
failed. After an ANSWER that is a failure, the compiler's report of undefined functions is dropped."
  (let ((restart (find-restart 'muffle-warning warning)))
    (when (and restart (null *compile-file-truename*))
      (unless (or (noise-p warning)
                  (and answer (not (eq (getf answer :outcome) :completed)))
                  (>= (length (evaluation-warnings evaluation)) +most-warnings+))
        (push (list (type-text warning) (condition-text warning +message-limit+))
              (evaluation-warnings evaluation)))
      (invoke-restart restart))))

;;; Errors

(defun line-and-column (text position)
  "The line and column, from 1, of POSITION in TEXT."
  (let* ((end (min position (length text)))
         (newline (position #\Newline text :end end :from-end t)))
    (values (1+ (count #\Newline text :end end))
            (- end (if newline newline -1)))))

(defun skip-to-code (text position)
  "The place of the first character from POSITION on that the reader does not skip: it is not blank, and neither in a
comment nor in a form that #+ or #- leaves out. NIL when there is none."
  (loop
    (let ((next (position-if-not (lambda (character) (member character '(#\Space #\Tab #\Newline #\Return #\Page)))
                                 text :start (min position (length text)))))
      (cond ((null next) (return nil))
            ((char= (char text next) #\;) (setf position (or (position #\Newline text :start next) (length text))))
            (t (setf position (or (skipped-end text next) (return next))))))))

(defun skipped-end (text start)
  "The end of the block comment that begins at START in TEXT, or of the form that is left out by #+ or #- there; else
NIL."
  (when (and (char= (char text start) #\#) (< (1+ start) (length text)))
    (case (char text (1+ start))
      (#\| (block-comment-end text start))
      ((#\+ #\-)
       (ignore-errors
        (with-standard-io-syntax
          (flet ((end (from)
                   (let ((*read-suppress* t))
                     (nth-value 1 (read-from-string text t nil :start from :preserve-whitespace t)))))
            (let* ((*read-eval* nil)
                   (condition-end (end (+ start 2)))
                   (choice (concatenate 'string (subseq text start condition-end) " 1 0")))
              (when (eql (read-from-string choice) 0)
                (end condition-end))))))))))

(defun block-comment-end (text start)
  (let ((depth 0))
    (loop for index from start below (1- (length text))
          for pair = (subseq text index (+ index 2))
          do (cond ((string= pair "#|") (incf depth) (incf index))
                   ((string= pair "|#") (decf depth) (incf index)))
          when (zerop depth)
            return (1+ index))))

(defun forms-left (code position)
  "The number of further forms in CODE from POSITION on, or NIL when they cannot be read. The stream of the evaluation,
which may continue, is not touched."
  (handler-case
      (with-input-from-string (stream code :start (min position (length code)))
        (let ((*read-suppress* t))
          (loop until (eq (read stream nil stream) stream)
                count t)))
    (serious-condition () nil)))

(defun place (evaluation)
  "The number and the place of the current form of the code."
  (let* ((code (evaluation-code evaluation))
         (stream (evaluation-stream evaluation))
         (phase (evaluation-phase evaluation))
         (start (evaluation-form-start evaluation))
         (position (file-position stream))
         (left (if (eq phase :read) nil (forms-left code position))))
    (multiple-value-bind (line column) (line-and-column code start)
      (multiple-value-bind (at-line at-column) (line-and-column code (max 0 (1- position)))
        (append (list :phase phase :index (evaluation-form-index evaluation) :line line :column column
                      :text (subseq code start (min position (length code) (+ start 300))))
                (and left (list :total (+ left (evaluation-form-index evaluation))))
                (and (eq phase :read) (list :at-line at-line :at-column at-column)))))))

(defun restart-facts (evaluation condition)
  "((name description) ...) of the restarts that evaluated code offers."
  (described-restarts (offered-restarts evaluation condition)))

(defun offered-restarts (evaluation condition)
  (loop for restart in (compute-restarts condition)
        unless (member restart (evaluation-outer-restarts evaluation))
          collect restart))

(defun described-restarts (restarts)
  (loop for restart in restarts
        collect (list (string (or (restart-name restart) "unnamed"))
                        (handler-case
                            (let ((*print-escape* nil))
                              (values (bounded-text 300 (lambda (stream) (princ restart stream)))))
                          (serious-condition () "(its report failed)")))))

(defun package-facts (condition)
  "When CONDITION is about a package that does not exist: its name, and the names of the existing ones."
  (when (typep condition 'package-error)
    (let ((package (ignore-errors (package-error-package condition))))
      (when (and package (not (packagep package)) (null (ignore-errors (find-package package))))
        (list :package (string package) :packages (known-packages))))))

(defun known-packages ()
  (loop for package in (list-all-packages)
        collect (package-name package)
        append (package-nicknames package)))

(defun stdin-p (condition)
  "True when CONDITION is the end of the standard input, which is empty."
  (and (typep condition 'end-of-file)
       (member (ignore-errors (stream-error-stream condition)) (remove nil (input-streams)))
       t))

(defun lists-read-p ()
  "False when code has changed the session's readtable so that it no longer reads a list."
  (ignore-errors
   (let ((*read-suppress* nil))
     (equal (read-from-string "(common-lisp:car)") '(car)))))

(defun code-error-p (evaluation condition)
  "True when CONDITION is about the text of the code, not about another stream."
  (and (typep condition 'stream-error)
       (eq (ignore-errors (stream-error-stream condition)) (evaluation-stream evaluation))))

(defun unclosed-p (evaluation condition)
  (and (typep condition 'end-of-file) (code-error-p evaluation condition)))

(defun message (evaluation condition)
  "The report of CONDITION; for an error in the code's own text without its place, which is a separate field."
  (or (and (unclosed-p evaluation condition)
           "The code ends in the middle of a form.")
      (and (code-error-p evaluation condition)
           (typep condition 'simple-condition)
           (ignore-errors
            (string-right-trim '(#\Newline)
                               (apply #'format nil (simple-condition-format-control condition)
                                      (simple-condition-format-arguments condition)))))
      (condition-text condition +message-limit+)))

(defun failure (evaluation condition)
  "The description of CONDITION for the parent."
  (list :error (append
                (list :type (type-text condition)
                      :message (message evaluation condition)
                      :restarts (restart-facts evaluation condition)
                      :frames (frames)
                      :unclosed (unclosed-p evaluation condition)
                      :unreadable (not (lists-read-p))
                      :stdin (stdin-p condition))
                (package-facts condition))
        :place (place evaluation)))

(defun frames (&optional (boundaries *boundaries*))
  "The description of the innermost frames of the present stack for the parent."
  (handler-case (loop with frames = (frames-of-interest boundaries +most-counted-frames+)
                      with cut = (= (length frames) +most-counted-frames+)
                      for innermost = t then nil
                      for (number frame . repetition) in (folded-frames (coerce frames 'vector))
                      collect (append (list :number number)
                                      (frame-facts frame innermost)
                                      repetition
                                      (and repetition cut (list :at-least t))))
    (serious-condition () '())))

(defun handle-condition (evaluation condition)
  "Called instead of the debugger: ends the evaluation with an answer."
  (let ((own *debugger-hook*))
    ;; A hook that evaluated code has installed comes first, as in any Lisp.
    (when own
      (let ((*debugger-hook* nil))
        (funcall own condition own))))
  (let ((fields (list* :outcome :error (failure evaluation condition))))
    (when (holdable-p evaluation condition)
      (hold evaluation condition fields))
    (throw evaluation fields)))

(defun handle-background-error (condition thread)
  "Keeps an error of THREAD for the next answer."
  (push (list :thread thread :type (type-text condition)
              :message (condition-text condition +message-limit+)
              :frames (frames '()))
        *background-errors*))

(defun interrupt-echo-p (stopping)
  "True if an interrupt that comes now was sent together with the one that is STOPPING the evaluation: by way of another
thread it is a little late, while a second one is sent a quarter of a second later or by a person's hand."
  (etypecase stopping
    (null nil)
    ((eql :taken) t)
    (integer (< (- (get-internal-real-time) stopping) (floor internal-time-units-per-second 10)))))

(defun handle-interrupt ()
  "Ends the current evaluation, or holds it; its state stays. Describing the stack may call the user's printers, so a
second interrupt ends it without the description; one that was sent together with the first is no second one."
  (let ((evaluation *evaluation*))
    (when evaluation
      (when *previewing*
        (throw 'preview nil))
      (when (interrupt-echo-p (evaluation-stopping evaluation))
        (return-from handle-interrupt))
      (unless (evaluation-stopping evaluation)
        (setf (evaluation-stopping evaluation) :taken)
        (call-interruptible
         (lambda ()
           (setf (evaluation-stopping evaluation) (get-internal-real-time))
           (let ((fields (list :outcome :interrupted :frames (frames) :place (place evaluation))))
             (when (holdable-p evaluation nil)
               (with-simple-restart (continue "Go on from where it was interrupted.")
                 (hold evaluation nil fields))
               (return-from handle-interrupt))
             (throw evaluation fields)))))
      (throw evaluation (list :outcome :interrupted :place (place evaluation))))))

(defvar *test-in-hand* nil "While a test runs, the catch tag by which it can be left: a list of its name.")

(defun handle-frames ()
  "Reads messages of the parent during an evaluation: an interrupt, leave to go on with the next test, or its end."
  (loop while (and *evaluation* (protocol-readable-p))
        do (let ((request (receive)))
             (cond ((null request) (die))
                   ((not (eql (getf (rest request) :id) *pending*)))
                   ((eq (first request) :interrupt) (handle-interrupt))
                   ((and (eq (first request) :skip) (equal (getf (rest request) :test) (first *test-in-hand*)))
                    (throw *test-in-hand* (project-frames)))))))

;;; Requests

(defun call-evaluating (function &key (code "") package hold &allow-other-keys)
  "The fields of the answer to a request that runs the user's code: those that FUNCTION returns for an evaluation of
CODE, or those of an error, and the fields of every such answer."
  (unless (package-name *package*)      ; Evaluated code has deleted it.
    (setf *package* (find-package "COMMON-LISP-USER")))
  (let ((session-package *package*)
        (call-package (and package (package-named package))))
    (if (and package (null call-package))
        (list :outcome :refused :no-package package :packages (known-packages))
        (let ((evaluation (make-evaluation :code code :stream (make-string-input-stream code)
                                           :hold hold)))
          (restore-streams)
          (when call-package
            (setf *package* call-package))
          (let ((answer (run evaluation function)))
            (when (and call-package (eq *package* call-package))
              (setf *package* session-package))
            (finish-answer evaluation answer))))))

(defun package-named (designator)
  "The package that DESIGNATOR names in any usual spelling: foo, FOO, :foo, #:foo, \"FOO\"; NIL when there is none."
  (flet ((known (name)
           (or (find-package name) (find-package (string-upcase name)))))
    (or (find-package designator)
        (known (string designator))
        (known (string-trim "\"" (string-left-trim "'#:" (string designator)))))))

(defun finish-answer (evaluation fields)
  "FIELDS with the fields that follow every run of the user's code."
  (flush-streams)
  (append fields
          (list :package (package-name *package*)
                :warnings (reverse (evaluation-warnings evaluation)))))

(defun run (evaluation function)
  "The value of FUNCTION for EVALUATION, with every exit from it caught."
  (let ((answer nil))
    (setf *running* evaluation)
    (call-with-debugger-hook
     (lambda (condition) (handle-condition evaluation condition))
     (lambda ()
       (handler-bind ((warning (lambda (warning)
                                 (note-warning evaluation warning answer))))
         (call-in-compilation-unit
          (lambda ()
            (setf answer
                  (catch evaluation
                    (call-abortable evaluation
                                    (lambda ()
                                      (let ((*evaluation* evaluation))
                                        (handle-frames)
                                        (funcall function evaluation)))))))))))
    answer))

(defun call-abortable (evaluation function)
  "The value of FUNCTION, with a restart ABORT as in every Lisp's own listener: for code, and for callers that choose it
in a debugger. It is not offered by name, since giving up a held stack is a request of its own."
  (restart-case (progn
                  (setf (evaluation-outer-restarts evaluation) (compute-restarts))
                  (funcall function))
    (abort ()
      :report "Give up this evaluation."
      (list :outcome :error
            :error (list :type "ABORT" :message "The code took the restart ABORT, which ended it.")
            :place (place evaluation)))))

(defun answer-eval (&rest arguments
                    &key code safe-read print-level print-length (limit 10000) (evaluator #'eval)
                    &allow-other-keys)
  "Evaluates CODE; the fields of the answer."
  (check-type code string)
  ;; Code finds ASDF everywhere, also where it is loaded late.
  (when (and (null (find-package "ASDF"))
             (fboundp 'load-late-parts)
             (or (search "asdf:" code :test #'char-equal) (search "uiop:" code :test #'char-equal)))
    (funcall 'load-late-parts))
  (apply #'call-evaluating
         (lambda (evaluation)
           (let ((values (call-reading safe-read (lambda () (evaluate-code evaluation evaluator)))))
             (setf (evaluation-phase evaluation) :print)
             (list* :outcome :completed
                    :values (print-values values limit print-level print-length)
                    (preview-fields values))))
         arguments))

(defun call-reading (safe-read function)
  "Calls FUNCTION, with read-time evaluation off when SAFE-READ."
  (if safe-read
      (let ((*read-eval* nil))
        (funcall function))
      (funcall function)))

(defun tell-background-errors ()
  (let ((errors (reverse *background-errors*)))
    (setf *background-errors* '())
    (and errors (list :background errors))))

(defun done (fields)
  "The answer with FIELDS. It belongs to the request that came last by now."
  (append (list :done :id *pending*) fields (tell-background-errors)
          (list :held (length *held*) :checkpoints (checkpoint-names) :next-object *next-object*)))

(defun done-if-due (fields)
  "The answer with FIELDS; NIL when another process has answered."
  (and fields (done fields)))

(defun answer (request)
  "The answer to REQUEST, or NIL when none is due."
  (destructuring-bind (operation &rest arguments &key (next-object 1) trial &allow-other-keys) request
    (setf *next-object* (max *next-object* next-object))
    (case operation
      (:eval (if trial
                 (done-if-due (answer-trial trial (lambda () (apply #'answer-eval arguments))))
                 (done (apply #'answer-eval arguments))))
      (:checkpoint (done-if-due (apply #'answer-checkpoint arguments)))
      (:rollback (done (apply #'answer-rollback arguments)))
      (:inspect (done (apply #'answer-inspect arguments)))
      (:macroexpand (done (apply #'answer-macroexpand arguments)))
      (:describe (done-if-known 'answer-describe arguments operation))
      (:references (done-if-known 'answer-references arguments operation))
      (:exports (done-if-known 'answer-exports arguments operation))
      (:loaded-files (done-if-known 'answer-loaded-files arguments operation))
      (:load (done (apply #'answer-load arguments)))
      (:run-tests (done (apply #'answer-run-tests arguments)))
      (:held (done (answer-held)))
      (:frames (done (apply #'answer-frames arguments)))
      (:locals (done (apply #'answer-locals arguments)))
      (:eval-in-frame (done (apply #'answer-eval-in-frame arguments)))
      (:restart (done (apply #'answer-restart arguments)))
      (:abort (done (answer-abort)))
      (:ping (done '()))
      ((:interrupt :skip) nil)          ; It came too late.
      (t (unsupported operation)))))

(defun unsupported (operation)
  (list :unsupported :id *pending* :operation (string operation)))

(defun done-if-known (function arguments operation)
  "The answer of FUNCTION, if this implementation has it."
  (if (fboundp function)
      (done (apply function arguments))
      (unsupported operation)))

(defun answer-safely (request)
  "The answer to REQUEST, also when the agent itself fails."
  (unless (eq (first request) :interrupt)
    (setf *pending* (getf (rest request) :id))
    (note-read *pending*))
  (catch 'fault
    (call-with-debugger-hook
     (lambda (condition)
       (throw 'fault (list :fault :id *pending* :message (condition-text condition +message-limit+))))
     (lambda () (answer request)))))

(defun serve ()
  "Answers requests until the parent has closed the pipe."
  (loop for request = (receive)
        while request
        do (let ((answer (answer-safely request)))
             (when answer
               (send answer)))
           (when (user-package-lost-p)
             (write-line "COMMON-LISP-USER was deleted, without which nothing can be read or printed: the image ends." *error-output*)
             (finish-output *error-output*)
             (return))))

(defun user-package-lost-p ()
  (declare (notinline find-package))    ; SBCL would cache the result.
  (not (find-package "COMMON-LISP-USER")))

(defun warm-up ()
  "Evaluates typical code once, so that a saved image has done its first-time work."
  (dolist (code '("(list 1 \"a\" #\\b 'c)" "(make-hash-table)" "#'car" "*package*" "(error \"x\")" "(warn \"x\")" "(undefined-one)" "(car 1)" "nope:x"))
    (encode (answer-safely (list :eval :id 0 :code code))))
  (forget-objects))

(defun main ()
  "The main function of a worker."
  (open-protocol)
  (prepare-image (lambda ()
                   (flush-streams)
                   (send '(:exit))))
  (send (list* :hello :protocol 1 (image-facts)))
  (serve)
  (die))
