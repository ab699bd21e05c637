;;; emacs-lisp.el --- Where Emacs's own reader sees top-level data  -*- lexical-binding: t; -*-

;;; Commentary:

;; The corpus test compares our tree with this.  Reads file names from standard input, one a line, and prints
;;
;;   file NAME
;;   datum START END LEAVES
;;                        byte offsets, END exclusive, and how many atoms other than `nil' the datum holds, or `?'
;;                        where it holds something that is no list, vector or atom
;;   error OFFSET TEXT    what `read' signalled; ends the file's data
;;
;; A file is decoded as UTF-8 with its line ends kept, so the byte position of a buffer position is the byte offset in
;; the file.  A file that Emacs would decode otherwise, or that is not wholly UTF-8, is an error at offset 0.

;;; Code:

(defun corpus-oracle-coding (name)
  "The coding system that Emacs picks for the file NAME, without its line-end part."
  (with-temp-buffer
    (insert-file-contents name)
    (coding-system-base buffer-file-coding-system)))

(defun corpus-oracle-insert (name)
  "Insert the file NAME as UTF-8; signal an error when its bytes mean something else."
  (let ((coding (corpus-oracle-coding name)))
    ;; Latin-1 and its like agree with UTF-8 as long as the file is ASCII.
    (unless (memq (coding-system-type coding) '(utf-8 undecided charset))
      (error "coded as %s" coding)))
  (let ((coding-system-for-read 'utf-8-unix))
    (insert-file-contents name))
  (goto-char (point-min))
  (skip-chars-forward "^\x3fff80-\x3fffff")
  (unless (eobp)
    (error "not wholly UTF-8"))
  (goto-char (point-min)))

(defun corpus-oracle-skip-blanks ()
  "Move over whitespace and comments.  Non-nil when something is left to read."
  (while (progn
           (skip-chars-forward "\0-\s\u00a0\ufeff")
           (when (or (eq (char-after) ?\;) (looking-at-p "#!"))
             (forward-line 1)
             t)))
  (not (eobp)))

(defun corpus-oracle-offset ()
  "The byte offset of point."
  (1- (position-bytes (point))))

(defun corpus-oracle-leaves (datum)
  "How many atoms other than nil DATUM holds, in lists and vectors."
  (let ((leaves 0)
        (pending (list datum)))
    (while pending
      (let ((part (pop pending)))
        (while (consp part)
          (push (pop part) pending))
        (cond ((vectorp part) (mapc (lambda (element) (push element pending)) part))
              (part (setq leaves (1+ leaves))))))
    leaves))

(byte-compile 'corpus-oracle-leaves)

(defun corpus-oracle-plain-p (start)
  "Whether the text from buffer position START to point has no hash tables, records, cycles and the like."
  (save-excursion
    (not (re-search-backward "#\\(?:\\[\\|(\\|s(\\|[0-9]+=\\|@\\)" start t))))

(defun corpus-oracle-complaint (err)
  "What ERR says, on one line and in ASCII."
  (replace-regexp-in-string "[^ -~]+" "?" (error-message-string err)))

(defun corpus-oracle-report (name)
  "Print the data of the file NAME."
  (princ (format "file %s\n" name))
  (with-temp-buffer
    (condition-case err
        (progn
          (corpus-oracle-insert name)
          (while (corpus-oracle-skip-blanks)
            (let* ((position (point))
                   (start (corpus-oracle-offset))
                   (datum (read (current-buffer))))
              (princ (format "datum %d %d %s\n" start (corpus-oracle-offset)
                             (if (corpus-oracle-plain-p position) (corpus-oracle-leaves datum) "?"))))))
      (error
       (princ (format "error %d %s\n" (corpus-oracle-offset) (corpus-oracle-complaint err)))))))

;; `#$' reads as the value of `load-file-name', here an atom as anywhere.
(let ((load-file-name "")
      (gc-cons-threshold (* 64 1024 1024))
      (name nil))
  (while (setq name (ignore-errors (read-from-minibuffer "")))
    (corpus-oracle-report name)))

;;; emacs-lisp.el ends here
