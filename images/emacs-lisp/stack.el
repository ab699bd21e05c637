;;; stack.el --- the frames of a stack  -*- lexical-binding: t; -*-

;; A frame is a list (INDEX FUNCTION ARGUMENTS INNER): its number counted from the debugger, the function and its
;; arguments, and the number of the next call inside.  Special forms of the interpreter are not calls and have no frame.
;; Calls that repeat are sent once.

(defconst lispwright--most-frames 30
  "The number of frames that are sent with an error, without repeated ones.")

(defconst lispwright--longest-period 8
  "The longest repeating sequence of calls that is detected.")

;; The variables of an interpreted function are in the frames of the special forms inside of it.

(defconst lispwright--debuggers-own
  '(debugger-may-continue inhibit-redisplay inhibit-debugger inhibit-changing-match-data debug-on-error)
  "Variables that Emacs binds when it calls a debugger.")

(defun lispwright--stack ()
  "The frames of evaluated code, innermost first, by the debugger's numbers."
  (let ((index -1) (inner 0) (frames nil) (outside nil))
    (dolist (frame (backtrace-frames #'lispwright--debug))
      (setq index (1+ index))
      (if (lispwright--own-p (nth 1 frame))
          (setq outside frames)
        (when (and (not outside) (car frame))
          (push (list index (nth 1 frame) (nth 2 frame) inner) frames)
          (setq inner index))))
    (lispwright--without-signalling (nreverse (lispwright--without-starting frames)))))

(defun lispwright--own-p (function)
  "Non-nil when FUNCTION is the agent's."
  (and (symbolp function) (string-prefix-p "lispwright-" (symbol-name function))))

(defun lispwright--without-starting (frames)
  "FRAMES, the outermost first, without the agent's calls of code.  A form may have variables."
  (pcase (nth 1 (car frames))
    ((or 'load 'load-with-code-conversion 'funcall 'mapcar) (lispwright--without-starting (cdr frames)))
    ('eval
     (let ((form (car frames)))
       (if (lispwright--bindings (1+ (nth 3 form)) (nth 0 form))
           (cons (list (nth 0 form) 'lispwright--form (nth 2 form) (nth 3 form)) (cdr frames))
         (cdr frames))))
    (_ frames)))

(defun lispwright--without-signalling (frames)
  "FRAMES without the calls that signal an error."
  (while (memq (nth 1 (car frames)) '(signal error user-error))
    (setq frames (cdr frames)))
  frames)

(defun lispwright--locals (frame)
  "The variables of FRAME and their values, as a list of conses: all of an interpreted function, the parameters of a
compiled one."
  (let* ((function (nth 1 frame))
         (definition (if (symbolp function) (indirect-function function) function)))
    (cond ((or (lispwright--interpreted-p definition) (eq function 'lispwright--form)) (lispwright--bindings (1+ (nth 3 frame)) (car frame)))
          ((byte-code-function-p definition) (lispwright--parameters definition (nth 2 frame))))))

(defun lispwright--interpreted-p (function)
  "Non-nil when FUNCTION is interpreted: a list, or an object of its own from Emacs 30 on."
  (or (consp function)
      (and (fboundp 'interpreted-function-p) (interpreted-function-p function))))

(defun lispwright--bindings (from to)
  "The variables that the frames from number FROM to number TO have bound, innermost first."
  (let ((bindings nil))
    (while (<= from to)
      (dolist (binding (backtrace--locals from #'lispwright--debug))
        (when (and (consp binding) (symbolp (car binding))
                   (not (assq (car binding) bindings)) (not (memq (car binding) lispwright--debuggers-own)))
          (push binding bindings)))
      (setq from (1+ from)))
    (nreverse bindings)))

(defun lispwright--parameters (function arguments)
  "The parameters of FUNCTION with ARGUMENTS as their values."
  (let ((names (help-function-arglist function t)) (parameters nil))
    (while (and (consp names) arguments)
      (cond ((eq (car names) '&optional))
            ((eq (car names) '&rest)
             (push (cons (cadr names) arguments) parameters)
             (setq arguments nil))
            (t (push (cons (car names) (pop arguments)) parameters)))
      (setq names (cdr names)))
    (nreverse parameters)))

(defun lispwright--call-text (frame)
  "The call of FRAME as a form; for the current form itself, that form."
  (let ((function (nth 1 frame)) (arguments (nth 2 frame)))
    (if (eq function 'lispwright--form)
        (lispwright--short-text (car arguments))
      (lispwright--cut (format "(%s)" (mapconcat #'lispwright--argument-text (cons function arguments) " "))
                       (* 2 lispwright--call-limit)))))

(defun lispwright--argument-text (value)
  "VALUE in a call; functions without their contents."
  (cond ((symbolp value) (symbol-name value))
        ((memq (car-safe value) '(lambda closure)) "lambda")
        ((byte-code-function-p value) "#<compiled-function>")
        ((subrp value) (subr-name value))
        (t (lispwright--short-text value))))

(defun lispwright--frame-facts (frame number locals)
  "The description of FRAME, the one of that NUMBER; with the variables when LOCALS is non-nil."
  (let ((place (and (symbolp (nth 1 frame)) (lispwright--noted-place (nth 1 frame) 'defun))))
    (append (list :number number :call (lispwright--call-text frame))
            (and place (list :file (car place) :line (cdr place)))
            (and locals
                 (list :locals (mapcar (lambda (local) (list (symbol-name (car local)) (lispwright--short-text (cdr local))))
                                       (lispwright--locals frame)))))))

(defun lispwright--repeats (functions at period)
  "The number of times that the PERIOD calls before AT in the vector FUNCTIONS repeat from there on."
  (let ((next at))
    (while (and (< next (length functions))
                (eq (aref functions next) (aref functions (- next period))))
      (setq next (1+ next)))
    (/ (- next at) period)))

(defun lispwright--folding (functions at)
  "The period and the number of repetitions of the calls before AT in FUNCTIONS, or nil."
  (let ((period 1) (found nil))
    (while (and (not found) (<= period (min at lispwright--longest-period)))
      (let ((times (lispwright--repeats functions at period)))
        (if (>= times 2) (setq found (cons period times)) (setq period (1+ period)))))
    found))

(defun lispwright--folded-facts (frames)
  "The descriptions of FRAMES, a whole stack: with the variables of the innermost call that has any, and repeated calls
only once."
  (let ((functions (vconcat (mapcar #'cadr frames)))
        (locals t) (number 0) (facts nil))
    (while (and (< number (length functions)) (< (length facts) lispwright--most-frames))
      (let ((fact (lispwright--frame-facts (nth number frames) number locals)))
        (when (plist-get fact :locals)
          (setq locals nil))
        (setq number (1+ number))
        (let ((folding (lispwright--folding functions number)))
          (when folding
            (setq number (+ number (* (car folding) (cdr folding))))
            (setq fact (append fact (list :period (car folding) :repeated (cdr folding))))))
        (push fact facts)))
    (nreverse facts)))
