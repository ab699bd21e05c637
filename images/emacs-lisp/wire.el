;;; wire.el --- messages to and from the parent  -*- lexical-binding: t; -*-

;; A batch Emacs reads its standard input only when it asks for a line, and has no function for descriptors.  So the
;; shell that starts it passes the pipe of the protocol as descriptors 8 and 9: a child process copies input from the
;; first into a process buffer of Emacs, and answers are written to the second as to a file.  While Emacs waits for a
;; request its timers, processes and servers keep running.

;; images/README.md describes the messages.  Inside the agent a message is a list of lower-case keywords and their
;; values.

(defconst lispwright--answers "/dev/fd/9"
  "The file for answers.")

(defvar lispwright--reader nil
  "The process that copies requests from the pipe.")

(defvar lispwright--chunks nil
  "The received part of a request, as strings of bytes, the last one first.")

(defvar lispwright--size 0
  "The number of these bytes.")

(defvar lispwright--needed 6
  "The number of bytes that are needed to continue.")

(defvar lispwright--requests nil
  "The received requests that are not served yet, in their order.")

(defvar lispwright--skip nil
  "The name of the test that the parent has asked to leave.")

(defvar lispwright--interrupted nil
  "Non-nil when the parent has asked to stop the running request.")

(defvar lispwright--ended nil
  "Non-nil when the parent has closed the pipe.")

(defun lispwright--open-requests ()
  "Start the process that copies requests from the pipe."
  (setq lispwright--reader
        (let ((default-directory "/")
              (process-connection-type nil))
          (make-process :name "lispwright" :noquery t :coding 'no-conversion :connection-type 'pipe
                        :command '("/bin/sh" "-c" "exec cat <&8 8<&- 9>&-")
                        :filter #'lispwright--arrived :sentinel #'lispwright--reader-ended))))

(defun lispwright--reader-ended (process _event)
  "Reopen the pipe when something has ended PROCESS; its normal end means that the parent is gone."
  (cond ((not (eq process lispwright--reader)))
        ((and (eq (process-status process) 'exit) (eql (process-exit-status process) 0)) (setq lispwright--ended t))
        (t (lispwright--open-requests))))

(defun lispwright--arrived (_process bytes)
  "Take the requests out of the received bytes and BYTES."
  (push bytes lispwright--chunks)
  (setq lispwright--size (+ lispwright--size (length bytes)))
  (while (>= lispwright--size lispwright--needed)
    (let* ((all (apply #'concat (nreverse lispwright--chunks)))
           (end (+ 6 (string-to-number (substring all 0 6) 16))))
      (setq lispwright--needed end)
      (when (>= lispwright--size end)
        (lispwright--accept (lispwright--decode (substring all 6 end)))
        (setq all (substring all end))
        (setq lispwright--needed 6))
      (setq lispwright--chunks (list all))
      (setq lispwright--size (length all)))))

(defun lispwright--accept (request)
  "Queue REQUEST.  An interrupt is for the running code, because it came while that waits."
  (cond ((eq (car request) :SKIP) (setq lispwright--skip (lispwright--argument request :TEST)))
        ((not (eq (car request) :INTERRUPT)) (setq lispwright--requests (append lispwright--requests (list request))))
        ((eql (lispwright--argument request :ID) lispwright--id)
         (setq lispwright--interrupted t)
         (lispwright--quit))))

(defun lispwright--decode (payload)
  "The request in the bytes PAYLOAD."
  (mapcar #'lispwright--decoded (car (read-from-string (decode-coding-string payload 'utf-8-unix)))))

(defun lispwright--decoded (value)
  "VALUE with Emacs's nil and t where the wire has NIL and T."
  (cond ((eq value 'NIL) nil)
        ((eq value 'T) t)
        ((consp value) (mapcar #'lispwright--decoded value))
        (t value)))

(defun lispwright--argument (request key)
  "The value after KEY in REQUEST."
  (plist-get (cdr request) key))

(defun lispwright--encode (value)
  "The text of VALUE on the wire."
  (cond ((null value) "NIL")
        ((consp value) (concat "(" (mapconcat #'lispwright--encode value " ") ")"))
        ((stringp value)
         (concat "\"" (replace-regexp-in-string "[\"\\]" "\\\\\\&" (substring-no-properties value) t) "\""))
        ((integerp value) (number-to-string value))
        (t (upcase (symbol-name value)))))

(defun lispwright--send (message)
  "Send MESSAGE.  A signal may end the writing early; then the byte FF voids the partial message.  If an answer is
written twice, the second one is ignored."
  (let ((before "") (sent nil))
    (while (not sent)
      (condition-case nil
          (let* ((payload (encode-coding-string (lispwright--encode message) 'utf-8-unix))
                 (header (format "%06x" (length payload))))
            (lispwright--write (concat before header payload))
            (setq sent t))
        (quit (setq before "\377"))))))

(defun lispwright--write (bytes)
  "Write BYTES to the parent, with all variables that affect the writing of files bound."
  (let ((coding-system-for-write 'no-conversion)
        (file-name-handler-alist nil)
        (write-region-annotate-functions nil)
        (write-region-post-annotation-function nil)
        (write-region-inhibit-fsync t)
        (create-lockfiles nil)
        (inhibit-quit t))
    (write-region bytes nil lispwright--answers nil 'silent)))

(defun lispwright--next-request ()
  "Wait for the next request; nil when the parent is gone."
  (while (not (or lispwright--requests lispwright--ended))
    (accept-process-output lispwright--reader 60))
  (pop lispwright--requests))
