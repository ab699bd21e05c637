;;; agent.el --- requests, evaluation, errors  -*- lexical-binding: t; -*-

;; Only one evaluation runs at a time; the variables that describe it are bound around it, so that an evaluation on top
;; of a held stack has its own.  Errors come through `debugger', which Emacs calls where an error is signalled that no
;; handler catches.  An interrupt is the signal that `debug-on-event' names: Emacs quits, wherever it is, and calls the
;; debugger too.

(defvar lispwright--id nil "The number of the current request.")
(defvar lispwright--kind nil "The kind of the current work: nil, eval, load or run-tests.")
(defvar lispwright--code nil "The text that is evaluated.")
(defvar lispwright--index 0 "The number of the current form in it, from 1.")
(defvar lispwright--start 0 "Where that form starts in the text.")
(defvar lispwright--end 0 "The end of that form, or the place where reading stopped.")
(defvar lispwright--phase :read "The work on it: :read, :eval or :print.")
(defvar lispwright--keep nil "Non-nil when the stack of an error has to be kept.")
(defvar lispwright--environment t "The lexical environment for forms: t or a list, as for `eval'.")
(defvar lispwright--answer-tag nil "The tag for throwing the answer, a fresh object for each evaluation.")
(defvar lispwright--joined nil "Non-nil in an Emacs that somebody else runs.")
(defvar lispwright--quitting nil "Non-nil after a request to stop.")

(defconst lispwright--failed-form 300 "The number of characters of a form that are shown.")

;;; Forms and their places

(defun lispwright--form-start (text at)
  "The start of the next form of TEXT from AT on, after blanks and comments."
  (let ((end (length text)) (go-on t))
    (while (and go-on (< at end))
      (cond ((memq (aref text at) '(?\s ?\t ?\n ?\r ?\f)) (setq at (1+ at)))
            ((eq (aref text at) ?\;) (setq at (or (string-match "\n" text at) end)))
            (t (setq go-on nil))))
    at))

(defun lispwright--read-next ()
  "Read the next form of the code: a list of it, or nil at the end."
  (setq lispwright--phase :read)
  (setq lispwright--start (lispwright--form-start lispwright--code lispwright--end))
  (setq lispwright--index (1+ lispwright--index))
  (setq lispwright--end (length lispwright--code))
  (when (< lispwright--start lispwright--end)
    (let ((read (read-from-string lispwright--code lispwright--start)))
      (setq lispwright--end (cdr read))
      (list (car read)))))

(defun lispwright--line-and-column (at)
  "The line and the column of AT in the code, both from 1."
  (let ((line 1) (start 0) next)
    (while (and (setq next (string-match "\n" lispwright--code start)) (< next at))
      (setq line (1+ line))
      (setq start (1+ next)))
    (list line (1+ (- at start)))))

(defun lispwright--stopped-at ()
  "The place where reading the current form stopped."
  (with-temp-buffer
    (insert lispwright--code)
    (goto-char (1+ lispwright--start))
    (condition-case nil
        (read (current-buffer))
      (error nil))
    (max lispwright--start (- (point) 2))))

(defun lispwright--forms-left ()
  "The number of forms after the current one, or nil when they cannot be read."
  (condition-case nil
      (let ((at lispwright--end) (count 0))
        (while (< (setq at (lispwright--form-start lispwright--code at)) (length lispwright--code))
          (setq at (cdr (read-from-string lispwright--code at)))
          (setq count (1+ count)))
        count)
    (error nil)))

(defun lispwright--place ()
  "The number and the place of the current form."
  (let* ((reading (eq lispwright--phase :read))
         (start (lispwright--line-and-column lispwright--start))
         (at (and reading (lispwright--line-and-column (lispwright--stopped-at))))
         (left (and (not reading) (lispwright--forms-left))))
    (append (list :phase lispwright--phase :index lispwright--index :line (car start) :column (cadr start)
                  :text (lispwright--cut (substring lispwright--code lispwright--start lispwright--end)
                                         lispwright--failed-form))
            (and left (list :total (+ left lispwright--index)))
            (and at (list :at-line (car at) :at-column (cadr at))))))

;;; Errors and interrupts

(defun lispwright--facts (condition frames)
  "The description of an error: CONDITION and the FRAMES of its stack."
  (let ((unclosed (and (eq lispwright--phase :read) (eq lispwright--kind 'eval) (eq (car condition) 'end-of-file))))
    (list :type (lispwright--condition-type condition)
          :message (if unclosed "The code ends in the middle of a form." (lispwright--condition-text condition))
          :frames (lispwright--folded-facts frames)
          :unclosed unclosed
          :stdin (equal condition '(end-of-file "Error reading from stdin")))))

(defun lispwright--failure (condition frames)
  "The answer for CONDITION."
  (unless (eq lispwright--kind 'eval)
    (lispwright--note-loading-error condition))
  (list :outcome :error :error (lispwright--facts condition frames) :place (lispwright--place)))

(defun lispwright--interrupted (frames)
  "The answer after a stop at FRAMES."
  (list :outcome :interrupted :frames (lispwright--folded-facts frames) :place (lispwright--place)))

(defun lispwright--answer-now (answer)
  "End the current work with ANSWER."
  (throw lispwright--answer-tag answer))

(defun lispwright--debug (&rest arguments)
  "The debugger.  Emacs calls it with ARGUMENTS at an error that nothing handles, and at an interrupt."
  (let ((inhibit-quit t)
        (condition (and (eq (car arguments) 'error) (cadr arguments))))
    ;; Emacs calls the debugger only once between two keys, and no key will come.
    (setq num-nonmacro-input-events (1+ num-nonmacro-input-events))
    (when (and (not condition) (bound-and-true-p lispwright--running))
      (lispwright--leave-test))
    (when (and lispwright--kind (not (and (eq (car arguments) 'error) (lispwright--handled-p condition))))
      (let ((quit (or quit-flag (eq (car condition) 'quit) (not condition)))
            (max-lisp-eval-depth (+ 2000 max-lisp-eval-depth))
            (max-specpdl-size (+ 2000 (if (boundp 'max-specpdl-size) max-specpdl-size 0)))
            (again lispwright--quitting)
            (debug-on-error nil))
        (setq quit-flag nil)
        (setq lispwright--quitting quit)
        (let* ((frames (and (not (and quit again)) (not (eq lispwright--phase :read)) (lispwright--stack)))
               (answer (if quit (lispwright--interrupted frames) (lispwright--failure condition frames))))
          (if (lispwright--holdable again)
              (lispwright--hold answer frames)
            (lispwright--answer-now answer)))))))

(defun lispwright--handled-p (condition)
  "Non-nil when CONDITION, an error, has a handler that only a debugger precedes: one of `condition-case-unless-debug'."
  (let ((frames (backtrace-frames #'lispwright--debug)) (handled nil))
    (while (and frames (lispwright--own-p (nth 1 (car frames))))
      (setq frames (cdr frames)))
    (unless (or quit-flag (eq (car condition) 'quit))
      (while (and frames (not handled) (not (lispwright--own-p (nth 1 (car frames)))))
        (pcase (pop frames)
          (`(,_ macroexp--compiler-macro . ,_) (setq handled t))
          (`(nil condition-case (,_ ,_ . ,handlers) . ,_)
           (setq handled (lispwright--find-if (lambda (handler) (memq 'debug (ensure-list (car-safe handler)))) handlers))))))
    handled))

(defun lispwright--quit ()
  "Make Emacs stop the running code as soon as possible."
  (when lispwright--kind
    (setq quit-flag t)))

;;; Evaluation

(defun lispwright--call (function)
  "Call FUNCTION so that the agent reports its errors.  The stack that is shown ends here."
  (let ((debugger #'lispwright--debug)
        (debug-on-error t)
        (debug-on-quit t)
        (debug-on-signal nil)
        (debug-ignored-errors nil)
        ;; On top of a held stack the debugger is running already.
        (inhibit-debugger nil)
        (inhibit-quit nil))
    (catch 'top-level
      (catch 'exit
        (lispwright--answer-now (funcall function)))
      (error "The code threw to `exit', and no recursive edit is going on"))
    (error "The code has called `top-level'")))

(defun lispwright--run (function)
  "The value of FUNCTION, or the answer that ended it: an error, an interrupt."
  (let ((lispwright--answer-tag (list 'answer))
        (lispwright--quitting nil))
    (catch lispwright--answer-tag
      (condition-case condition
          ;; The debugger is not called where code binds `debug-on-error', and where the stack has no room.
          (condition-case condition
              (lispwright--call function)
            ((debug error) (lispwright--failure condition nil))
            ((debug quit) (lispwright--interrupted nil)))
        (t (lispwright--failure condition nil))))))

(defun lispwright--evaluate (form)
  "The value of FORM, with its macros expanded as loading a file does: the forms of a `progn' one after another."
  (let ((form (macroexpand form)))
    (if (eq (car-safe form) 'progn)
        (let ((value nil))
          (dolist (form (cdr form) value)
            (setq value (lispwright--evaluate form))))
      (eval (macroexpand-all form) lispwright--environment))))

(defun lispwright--with-code (request kind function)
  "The answer of FUNCTION for the code of REQUEST, as work of that KIND."
  (if (lispwright--argument request :PACKAGE)
      (list :outcome :refused :no-package (lispwright--argument request :PACKAGE))
    (let ((lispwright--code (or (lispwright--argument request :CODE) ""))
          (lispwright--keep (lispwright--argument request :HOLD))
          (lispwright--index 0) (lispwright--start 0) (lispwright--end 0) (lispwright--phase :read)
          (lispwright--kind kind))
      (lispwright--run function))))

(defun lispwright--answer-eval (request)
  "Evaluate the code of REQUEST."
  (lispwright--with-code
   request 'eval
   (lambda ()
     (let ((values nil))
       (lispwright--call-by-hand
        (lambda ()
          (let (form)
            (while (setq form (lispwright--read-next))
              (setq lispwright--phase :eval)
              (setq values (list (lispwright--with-retry (lambda () (lispwright--evaluate (car form))))))))))
       (setq lispwright--phase :print)
       (append (list :outcome :completed
                     :values (mapcar (lambda (value)
                                       (lispwright--value-text value (or (lispwright--argument request :LIMIT) 10000)
                                                               (lispwright--argument request :PRINT-LEVEL)
                                                               (lispwright--argument request :PRINT-LENGTH)))
                                     values))
               (lispwright--preview values))))))

;;; Requests

(defconst lispwright--operations
  '((:EVAL . lispwright--answer-eval)
    (:INSPECT . lispwright--answer-inspect)
    (:MACROEXPAND . lispwright--answer-macroexpand)
    (:DESCRIBE . lispwright--answer-describe)
    (:REFERENCES . lispwright--answer-references)
    (:EXPORTS . lispwright--answer-exports)
    (:LOADED-FILES . lispwright--answer-loaded-files)
    (:LOAD . lispwright--answer-load)
    (:RUN-TESTS . lispwright--answer-run-tests)
    (:HELD . lispwright--answer-held)
    (:FRAMES . lispwright--answer-frames)
    (:LOCALS . lispwright--answer-locals)
    (:EVAL-IN-FRAME . lispwright--answer-eval-in-frame)
    (:RESTART . lispwright--answer-restart)
    (:ABORT . lispwright--answer-abort))
  "The function for each request.")

(defun lispwright--answer (request)
  "Answer REQUEST, also when the agent itself fails."
  (let ((operation (cdr (assq (car request) lispwright--operations))))
    (cond (operation
           (condition-case failure
               (lispwright--send-done (lispwright--despite-signals operation request))
             (error (lispwright--send (list :fault :id lispwright--id :message (lispwright--condition-text failure))))))
          ((eq (car request) :PING) (lispwright--send-done nil))
          (t (lispwright--send (list :unsupported :id lispwright--id :operation (substring (symbol-name (car request)) 1)))))))

(defun lispwright--despite-signals (operation request)
  "The answer of OPERATION to REQUEST.  A signal may come between the end of the code and the answer."
  (condition-case nil
      (funcall operation request)
    (quit (list :outcome :interrupted :frames nil))))

(defun lispwright--send-done (answer)
  "Send ANSWER to the current request, after all output."
  (set-binary-mode 'stdout nil)
  (lispwright--send (lispwright--done answer)))

(defun lispwright--done (answer)
  "The message with ANSWER."
  (append (list :done :id lispwright--id) answer
          (list :next-object lispwright--next-object :held (length lispwright--held))))

(defun lispwright--serve ()
  "Answer requests until the parent has closed the pipe."
  (let (request)
    (while (condition-case nil
               (or (setq request (lispwright--next-request)) (not lispwright--ended))
             ;; The interrupt came too late.
             (quit t))
      (when request
        (setq lispwright--id (lispwright--argument request :ID))
        (setq lispwright--next-object (max lispwright--next-object (or (lispwright--argument request :NEXT-OBJECT) 1)))
        (lispwright--answer request)
        (setq request nil)))))

(defun lispwright--leaving ()
  "Report to the parent that code ends the process."
  (set-binary-mode 'stdout nil)
  (let ((outcome (cdr (assq lispwright--kind '((run-tests . :tested) (load . :loaded))))))
    (if outcome
        ;; Scripts, and many files of tests, end like this, with the number of failures.
        (lispwright--answer-now (list :outcome outcome :exit-status (lispwright--exit-status)))
      (lispwright--send (list :exit)))))

(defun lispwright--exit-status ()
  "The status argument of the `kill-emacs' on the stack."
  (let ((argument (car (nth 2 (lispwright--find-if (lambda (frame) (eq (nth 1 frame) 'kill-emacs)) (backtrace-frames))))))
    (if (integerp argument) argument 0)))

(defun lispwright--refuse-input (&rest _)
  "Replace functions that wait for keys, of which there are none."
  (signal 'end-of-file '("Error reading from stdin")))

(defun lispwright--read-input (reader &rest arguments)
  "Call READER, a function that reads keys, with ARGUMENTS if there are keys: those of a macro, or events put back."
  (if (or executing-kbd-macro unread-command-events unread-input-method-events unread-post-input-method-events)
      (apply reader arguments)
    (lispwright--refuse-input)))

(defun lispwright--advise (primitive how function)
  "Advise PRIMITIVE, a function of C, with FUNCTION, as `advice-add' does HOW.  That loads the native compiler for it, and
with it libraries that a fresh Emacs does not have."
  ;; Emacs does not declare it.
  (defvar features)
  (let ((features (append '(comp comp-run) features))
        (installer (and (fboundp 'comp-subr-trampoline-install) (symbol-function 'comp-subr-trampoline-install))))
    (fset 'comp-subr-trampoline-install #'ignore)
    (unwind-protect
        (advice-add primitive how function)
      (fset 'comp-subr-trampoline-install installer))))

;; Their library is loaded at the first use.
(defvar comp-enable-subr-trampolines)
(defvar native-comp-enable-subr-trampolines)
(defvar native-comp-deferred-compilation)
(defvar native-comp-jit-compilation)

(defun lispwright--prepare ()
  "Prepare the batch Emacs for running unattended."
  (setq locale-coding-system 'utf-8-unix)
  (set-language-environment "UTF-8")
  (setq debugger #'lispwright--debug)
  (setq debug-on-event 'sigusr2)
  ;; It would go on in other processes after the call that loads a library.
  (setq native-comp-deferred-compilation nil
        native-comp-jit-compilation nil)
  (setq load-read-function #'lispwright--read)
  (add-variable-watcher 'load-file-name #'lispwright--note-start)
  (add-hook 'after-load-functions #'lispwright--note-loaded)
  (add-hook 'kill-emacs-hook #'lispwright--leaving)
  ;; A trampoline takes seconds to compile; without it compiled code of Emacs itself continues to read keys.
  (let ((comp-enable-subr-trampolines nil)
        (native-comp-enable-subr-trampolines nil))
    (dolist (reader '(read-char read-char-exclusive read-event read-key-sequence read-key-sequence-vector recursive-edit))
      (lispwright--advise reader :around #'lispwright--read-input)))
  ;; It would also wait for keys.
  (advice-add 'debug :override #'lispwright--refuse-input))

(defun lispwright--end ()
  "End this process, because the parent is gone."
  (remove-hook 'kill-emacs-hook #'lispwright--leaving)
  (kill-emacs 0))

(defun lispwright-main ()
  "The main function of a worker."
  (lispwright--prepare)
  ;; Evaluated code can require a library of the project before anything is loaded.
  (lispwright--use-roots (list (expand-file-name default-directory)))
  (lispwright--open-requests)
  (lispwright--send (list :hello :protocol 1 :implementation "GNU Emacs" :version emacs-version :pid (emacs-pid)))
  (lispwright--serve)
  (lispwright--end))
