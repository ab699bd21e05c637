;;;; The settings of an image that tests may change: the readtable, the variables of the reader and the printer, where ASDF
;;;; looks for systems. What a system changes when it is loaded stays, since the files after it may need it, and so do features,
;;;; which libraries add. What else tests change, or a load that fails, is put back.

(in-package "LISPWRIGHT.AGENT")

(defparameter *setting-variables*
  '(*package* *readtable* *features* *default-pathname-defaults* *macroexpand-hook* *debugger-hook* *break-on-signals*
    *read-base* *read-default-float-format* *read-eval* *read-suppress*
    *print-array* *print-base* *print-case* *print-circle* *print-escape* *print-gensym* *print-length* *print-level*
    *print-lines* *print-miser-width* *print-pprint-dispatch* *print-pretty* *print-radix* *print-readably*
    *print-right-margin*)
  "Variables that code has no reason to assign for ever.")

(defun asdf-variables ()
  (loop for (name package) in '(("*CENTRAL-REGISTRY*" "ASDF") ("*SOURCE-REGISTRY*" "ASDF/SOURCE-REGISTRY")
                                ("*OUTPUT-TRANSLATIONS*" "ASDF/OUTPUT-TRANSLATIONS")
                                ("*SYSTEM-DEFINITION-SEARCH-FUNCTIONS*" "ASDF"))
        for symbol = (and (find-package package) (find-symbol name package))
        when (and symbol (boundp symbol))
          collect symbol))

(defstruct settings
  "The settings at a moment."
  variables                             ; ((symbol . value) ...); of a list the value is a copy
  readtable)                            ; a copy

(defun present-settings ()
  (make-settings :variables (loop for symbol in (append *setting-variables* (asdf-variables))
                                  for value = (symbol-value symbol)
                                  collect (cons symbol (if (listp value) (ignore-errors (copy-list value)) value)))
                 :readtable (copy-readtable *readtable*)))

(defun put-back (settings)
  "Gives the image the SETTINGS again; returns what had been changed, in words."
  (let ((changed '()))
    (loop for (symbol . value) in (settings-variables settings)
          do (unless (same-setting-p value (symbol-value symbol))
               (setf (symbol-value symbol) value)
               ;; ASDF itself sets what is not set yet, as soon as it looks for a system.
               (unless (and (null value) (member symbol (asdf-variables)))
                 (push (string-downcase (symbol-name symbol)) changed))))
    (when (readtables-differ-p (settings-readtable settings) *readtable*)
      (copy-readtable (settings-readtable settings) *readtable*)
      (push "the readtable" changed))
    (nreverse changed)))

(defun note-features (settings)
  "Makes the present features a part of the SETTINGS."
  (setf (cdr (assoc '*features* (settings-variables settings))) (copy-list *features*)))

(defun same-setting-p (value now)
  (if (listp value)
      (and (listp now)
           (ignore-errors (and (= (length value) (length now)) (every #'eql value now))))
      (equal value now)))

(defun readtables-differ-p (one other)
  "True when the readtables treat a character of ASCII in different ways, alone or after a sharp sign."
  (or (not (eq (readtable-case one) (readtable-case other)))
      (loop for code below 128
              thereis (macros-differ-p (code-char code) one other))
      (not (equal (sharp-functions one) (sharp-functions other)))))

(defun macros-differ-p (character one other)
  (multiple-value-bind (function non-terminating-p) (get-macro-character character one)
    (multiple-value-bind (other-function other-non-terminating-p) (get-macro-character character other)
      (not (and (eq non-terminating-p other-non-terminating-p)
                (or (eql function other-function)
                    ;; Each readtable has a function of its own for those.
                    (and (dispatching-p character one) (dispatching-p character other))))))))

(defun dispatching-p (character readtable)
  (handler-case (progn (get-dispatch-macro-character character #\A readtable) t)
    (error () nil)))

(defun sharp-functions (readtable)
  (and (dispatching-p #\# readtable)
       (loop for code below 128
             unless (digit-char-p (code-char code))
               collect (get-dispatch-macro-character #\# (code-char code) readtable))))
