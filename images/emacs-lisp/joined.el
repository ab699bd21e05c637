;;; joined.el --- answering in an Emacs that somebody else runs  -*- lexical-binding: t; -*-

;; A request is the argument of a call that `emacsclient' would make, and the answer is its value.  The settings of the
;; owner's Emacs are changed only during a call; no call of code ends it, and no stack is held, since Emacs would wait
;; there.

(defconst lispwright--most-printed 200000 "The number of characters of a call's standard output that are kept.")

(defun lispwright--messages-end ()
  "The end of the buffer of messages."
  (with-current-buffer (messages-buffer)
    (copy-marker (point-max))))

(defun lispwright--messages-since (start)
  "The text that was added to the buffer of messages after START."
  (with-current-buffer (messages-buffer)
    (buffer-substring-no-properties start (point-max))))

(defun lispwright--refuse-end ()
  "Keep code from ending the owner's Emacs."
  (lispwright--answer-now
   (list :outcome :error :place (lispwright--place)
         :error (list :type "kill-emacs" :message "This Emacs is its owner's: kill-emacs was not carried out."))))

(defun lispwright--one-line (text)
  "TEXT without line ends, which `emacsclient' would interpret."
  (replace-regexp-in-string "\n" "&n" (replace-regexp-in-string "&" "&&" text t t) t t))

(defun lispwright-attend (text seconds)
  "Serve the request in TEXT; return its answer as text.  Code that waits is stopped after SECONDS."
  (let* ((request (lispwright--decode (encode-coding-string text 'utf-8-unix)))
         (operation (cdr (assq (car request) lispwright--operations)))
         (messages (lispwright--messages-end))
         (printed nil) (count 0)
         (lispwright--joined t)
         (lispwright--id (lispwright--argument request :ID))
         (standard-output (lambda (character)
                            (when (< count lispwright--most-printed)
                              (setq count (1+ count))
                              (push character printed))))
         (load-path load-path)
         (load-read-function #'lispwright--read)
         (after-load-functions (cons #'lispwright--note-loaded after-load-functions))
         (kill-emacs-hook (list #'lispwright--refuse-end))
         (kill-emacs-query-functions nil)
         answer)
    (setq lispwright--next-object (max lispwright--next-object (or (lispwright--argument request :NEXT-OBJECT) 1)))
    (with-current-buffer (get-buffer-create " *lispwright*")
      (setq answer
            (if operation
                (with-timeout (seconds (list :outcome :interrupted :frames nil))
                  (lispwright--despite-signals operation request))
              (list :operation (substring (symbol-name (car request)) 1)))))
    (lispwright--one-line
     (lispwright--encode (append (lispwright--done answer)
                                 (list :stdout (apply #'string (nreverse printed))
                                       :stderr (lispwright--messages-since messages)))))))
