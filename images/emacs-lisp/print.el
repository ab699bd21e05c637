;;; print.el --- values and errors as text  -*- lexical-binding: t; -*-

;; Printing must end for any value: prin1 itself detects cycles, `print-level' bounds depth, and a stream with a limit
;; on characters bounds length.

(defconst lispwright--message-limit 4000
  "The number of characters of an error's message.")

(defconst lispwright--call-limit 200
  "The number of characters of a call or a variable's value in a frame, and of an object in a list of parts.")

(defconst lispwright--deepest 150
  "The number of printed levels of a value; prin1 gives up at 200.")

(defun lispwright--bounded (limit print)
  "The output of PRINT, called with a stream: a list of the text, at most LIMIT characters, and whether it was cut."
  (let ((characters nil) (left limit) (cut nil) (full (list nil)))
    (catch full
      (funcall print (lambda (character)
                       (when (<= left 0)
                         (setq cut t)
                         (throw full nil))
                       (setq left (1- left))
                       (push character characters))))
    (list (apply #'string (nreverse characters)) cut)))

(defun lispwright--value-text (value limit &optional level length)
  "The printed VALUE in at most LIMIT characters, down to LEVEL and LENGTH: a list of the text and whether it was cut."
  (let ((print-level (min (or level lispwright--deepest) lispwright--deepest))
        (print-length length)
        (print-circle nil)
        (print-quoted t)
        (print-gensym nil)
        (print-escape-newlines nil)
        (print-escape-nonascii nil)
        (print-escape-multibyte nil)
        (print-escape-control-characters nil)
        (print-integers-as-characters nil)
        (print-continuous-numbering nil)
        (float-output-format nil))
    (lispwright--bounded limit (lambda (stream) (prin1 value stream)))))

(defun lispwright--short-text (value)
  "VALUE on one line."
  (let* ((print (lispwright--value-text value lispwright--call-limit))
         (text (replace-regexp-in-string "[ \t\n\r]+" " " (car print))))
    (if (cadr print) (concat text "...") text)))

(defun lispwright--cut (text limit)
  "TEXT without its properties, at most LIMIT characters."
  (substring-no-properties text 0 (min limit (length text))))

(defun lispwright--condition-type (condition)
  "The name of the error CONDITION."
  (lispwright--cut (format "%s" (car condition)) lispwright--call-limit))

(defun lispwright--condition-text (condition)
  "The message of the error CONDITION."
  (lispwright--cut (condition-case nil
                       (error-message-string condition)
                     (error (lispwright--short-text condition)))
                   lispwright--message-limit))
