;;; held.el --- errors whose stack is kept  -*- lexical-binding: t; -*-

;; The debugger is called on top of the stack on which an error was signalled, and serves requests there.  Emacs cannot
;; return to the stack of an error, so its restarts unwind it; an interrupted stack can continue.

(defconst lispwright--most-held 10 "The limit on the number of held stacks.")
(defconst lispwright--most-held-frames 1000 "The number of frames that are kept of each.")

(defvar lispwright--held nil
  "The held stacks, innermost first: plists of the error's facts, the frames with their variables, the restarts, the tag
for throwing the action of a restart.")

(defvar lispwright--retry-tag nil
  "The tag for evaluating the current form again.")

(defun lispwright--holdable (again)
  "Non-nil when the stack has to be kept.  The second interrupt, AGAIN, keeps none."
  (and lispwright--keep (not again) (not lispwright--joined) (< (length lispwright--held) lispwright--most-held)))

(defun lispwright--with-retry (function)
  "The value of FUNCTION, which evaluates the current form; it is called again whenever a restart asks for it."
  (let* ((lispwright--retry-tag (list 'retry))
         (result lispwright--retry-tag))
    (while (eq result lispwright--retry-tag)
      (setq result (catch lispwright--retry-tag (funcall function))))
    result))

(defun lispwright--hold (answer frames)
  "Give ANSWER and serve requests on the present stack, whose FRAMES are known.  Then perform the restart that was
chosen; return when an interrupted stack continues."
  (let* ((tag (list 'restart))
         (restarts (lispwright--restarts (eq (plist-get answer :outcome) :interrupted)))
         (facts (append (list :restarts (mapcar (lambda (restart) (list (nth 0 restart) (nth 1 restart))) restarts))
                        (or (plist-get answer :error) (list :type "interrupt" :message "It was interrupted."))))
         (kept (mapcar (lambda (frame) (append frame (list (lispwright--locals frame))))
                       (lispwright--first lispwright--most-held-frames frames)))
         (action
          (let ((lispwright--held (cons (list :facts facts :frames kept :restarts restarts :tag tag) lispwright--held))
                (lispwright--kind nil)
                (inhibit-quit nil))
            (lispwright--send-done (append (if (plist-get answer :error) (plist-put answer :error facts) answer)
                                           (list :kept t)))
            (catch tag
              (lispwright--serve)
              (lispwright--end)))))
    (funcall action)))

(defun lispwright--restarts (interrupted)
  "Restarts of an error, or of INTERRUPTED code: lists of a name, a description and a function."
  (append
   (and interrupted
        (list (list "CONTINUE" "Let the evaluation go on." (lambda () (setq lispwright--quitting nil)))))
   (and (eq lispwright--phase :eval) lispwright--retry-tag
        (list (list "RETRY"
                    (format "Evaluate form %d again from its start. What it has done so far stays done." lispwright--index)
                    (lambda ()
                      (setq lispwright--quitting nil)
                      (throw lispwright--retry-tag lispwright--retry-tag)))))
   (list (list "ABORT" "Give the evaluation up."
               (lambda () (lispwright--answer-now (list :outcome :aborted :place (lispwright--place))))))))

(defun lispwright--with-held (function)
  "The answer of FUNCTION for the innermost held stack."
  (if lispwright--held
      (funcall function (car lispwright--held))
    (list :outcome :refused :not-held t)))

(defun lispwright--with-frame (request function)
  "The answer of FUNCTION for the frame of the number in REQUEST."
  (lispwright--with-held
   (lambda (held)
     (let* ((frames (plist-get held :frames))
            (number (lispwright--argument request :FRAME))
            (frame (and (>= number 0) (nth number frames))))
       (if frame
           (funcall function frame number)
         (list :outcome :refused :no-frame number :total (length frames)))))))

(defun lispwright--answer-held (_request)
  "List the held stacks."
  (lispwright--with-held
   (lambda (_)
     (list :outcome :held
           :levels (mapcar (lambda (held) (plist-put (copy-sequence (plist-get held :facts)) :frames nil))
                           lispwright--held)))))

(defun lispwright--answer-frames (request)
  "List the frames that REQUEST asks for."
  (lispwright--with-held
   (lambda (held)
     (let* ((frames (plist-get held :frames))
            (number (1- (lispwright--argument request :OFFSET)))
            (shown (lispwright--first (lispwright--argument request :COUNT) (nthcdr (1+ number) frames))))
       (list :outcome :frames :total (length frames)
             :frames (mapcar (lambda (frame) (lispwright--frame-facts frame (setq number (1+ number)) nil)) shown))))))

(defun lispwright--answer-locals (request)
  "Show the variables of the frame that REQUEST names."
  (lispwright--with-frame
   request
   (lambda (frame number)
     (list :outcome :locals :frame (lispwright--frame-facts frame number nil)
           :locals (mapcar (lambda (local) (list (symbol-name (car local)) (lispwright--node (cdr local) 0 0 0 200)))
                           (nth 4 frame))))))

(defun lispwright--answer-eval-in-frame (request)
  "Evaluate the code of REQUEST with the variables of a frame."
  (lispwright--with-frame
   request
   (lambda (frame _)
     (let ((lispwright--environment (or (nth 4 frame) t)))
       (lispwright--answer-eval request)))))

(defun lispwright--answer-restart (request)
  "Choose the restart that REQUEST names by name or number."
  (lispwright--with-held
   (lambda (held)
     (let* ((wanted (lispwright--argument request :RESTART))
            (restarts (plist-get held :restarts))
            (restart (if (integerp wanted) (nth wanted restarts) (assoc (upcase wanted) restarts))))
       (if restart
           (throw (plist-get held :tag) (nth 2 restart))
         (list :outcome :refused :no-restart (format "%s" wanted)))))))

(defun lispwright--answer-abort (_request)
  "Give up the innermost held stack."
  (lispwright--with-held
   (lambda (held)
     (throw (plist-get held :tag) (nth 2 (assoc "ABORT" (plist-get held :restarts)))))))
