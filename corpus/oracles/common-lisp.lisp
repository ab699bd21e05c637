;;;; Where SBCL's own reader sees the top-level data of Common Lisp files.
;;;;
;;;; The corpus test compares our tree with this. Reads file names from standard input, one a line, and prints
;;;;
;;;;   file NAME
;;;;   datum START END      byte offsets, END exclusive
;;;;   error OFFSET TEXT    what READ signalled; ends the file's data
;;;;
;;;; A file is decoded as Latin-1, so a character is a byte and a stream position is a byte offset. That cannot move
;;;; a datum's ends: every byte of a UTF-8 sequence is a constituent.
;;;;
;;;; *READ-SUPPRESS* is true: no package need exist, no number need be one, and #. evaluates nothing. #+ and #- always
;;;; read their feature and the next datum, and count with it as one datum, so both branches of a conditional are seen.

(defpackage :corpus-oracle
  (:use :common-lisp))

(in-package :corpus-oracle)

(defun read-both (stream sub-char parameter)
  "Read the feature expression and the datum behind #+ or #-, whatever the features are."
  (declare (ignore sub-char parameter))
  (read stream t nil t)
  (read stream t nil t)
  nil)

(defvar *corpus-readtable*
  (let ((table (copy-readtable nil)))
    (set-dispatch-macro-character #\# #\+ #'read-both table)
    (set-dispatch-macro-character #\# #\- #'read-both table)
    table)
  "The standard readtable, except that conditionals keep both branches.")

(defun file-text (name)
  "The file's bytes, each as the character of the same code."
  (with-open-file (in name :element-type '(unsigned-byte 8))
    (let ((bytes (make-array (file-length in) :element-type '(unsigned-byte 8))))
      (read-sequence bytes in)
      (map 'string #'code-char bytes))))

(defun skip-blanks (text stream)
  "Move STREAM over whitespace and comments. True when something is left to read."
  (loop
    (let ((next (peek-char t stream nil nil))
          (position (file-position stream)))
      (cond ((null next) (return nil))
            ((char= next #\;) (read-line stream nil nil))
            ((and (char= next #\#)
                  (< (1+ position) (length text))
                  (char= (char text (1+ position)) #\|))
             ;; The reader macro of #| reads a block comment and answers no value.
             (read-char stream)
             (read-char stream)
             (funcall (get-dispatch-macro-character #\# #\|) stream #\| nil))
            (t (return t))))))

(defun complaint (condition)
  "What CONDITION says, as one line of ASCII whatever the locale's encoding is."
  (let ((text (if (typep condition 'end-of-file) "end of file" (princ-to-string condition))))
    (substitute-if #\? (lambda (char) (not (char<= #\Space char #\~)))
                   (string-right-trim " " (subseq text 0 (position #\Newline text))))))

(defun report-file (name)
  (format t "file ~a~%" name)
  (let* ((text (file-text name))
         (start 0))
    (with-input-from-string (stream text)
      ;; As `sbcl --script' does.
      (when (eql (mismatch "#!" text) 2)
        (read-line stream))
      (handler-case
          (loop while (skip-blanks text stream)
                do (setf start (file-position stream))
                   (read-preserving-whitespace stream)
                   (format t "datum ~d ~d~%" start (file-position stream)))
        (error (condition)
          (format t "error ~d ~a~%" (file-position stream) (complaint condition)))))))

(let ((*read-suppress* t)
      (*read-eval* nil)
      (*readtable* *corpus-readtable*))
  (loop for name = (read-line *standard-input* nil)
        while name
        do (report-file name)))
