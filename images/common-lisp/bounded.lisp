;;;; Streams that keep the beginning of their output, for implementations with Gray streams of their own.

(in-package "LISPWRIGHT.AGENT")

(dolist (name '("FUNDAMENTAL-CHARACTER-OUTPUT-STREAM" "STREAM-WRITE-CHAR" "STREAM-WRITE-STRING"
                "STREAM-FORCE-OUTPUT" "STREAM-FINISH-OUTPUT" "STREAM-LINE-COLUMN"))
  (import (find-symbol name #+sbcl "SB-GRAY" #-sbcl "GRAY")))

(defclass bounded-stream (fundamental-character-output-stream)
  ((text :initform (make-string-output-stream) :reader bounded-stream-buffer)
   (room :initarg :room :accessor bounded-stream-room)
   (column :initform 0 :accessor bounded-stream-column))
  (:documentation "Keeps the first ROOM characters written to it, then throws T to itself."))

(defmethod stream-write-char ((stream bounded-stream) character)
  (when (minusp (decf (bounded-stream-room stream)))
    (throw stream t))
  (if (char= character #\Newline)
      (setf (bounded-stream-column stream) 0)
      (incf (bounded-stream-column stream)))
  (write-char character (bounded-stream-buffer stream)))

(defmethod stream-write-string ((stream bounded-stream) string &optional (start 0) end)
  (let* ((end (or end (length string)))
         (kept (min end (+ start (bounded-stream-room stream))))
         (newline (position #\Newline string :start start :end kept :from-end t)))
    (write-string string (bounded-stream-buffer stream) :start start :end kept)
    (decf (bounded-stream-room stream) (- kept start))
    (if newline
        (setf (bounded-stream-column stream) (- kept newline 1))
        (incf (bounded-stream-column stream) (- kept start)))
    (when (< kept end)
      (throw stream t))
    string))

(defmethod stream-line-column ((stream bounded-stream))
  (bounded-stream-column stream))

(defun make-bounded-stream (limit)
  (make-instance 'bounded-stream :room limit))

(defun bounded-stream-text (stream)
  (get-output-stream-string (bounded-stream-buffer stream)))
