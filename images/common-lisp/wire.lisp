;;;; The wire in Common Lisp: a message is a list of keywords, integers, strings and lists.
;;;;
;;;; A frame is six hexadecimal digits, the number of octets that follow, and that many octets of UTF-8. It uses neither
;;;; the reader nor the printer: evaluated code may have changed them in any way, and they are slower.
;;;; READ-PROTOCOL, WRITE-PROTOCOL and DECODE-UTF-8 come from NAME.lisp.

(in-package "LISPWRIGHT.AGENT")

;;; To the parent

(defun encode (value)
  "The octets of VALUE (a list of keywords, integers, strings and lists) as UTF-8, without a frame header."
  (let ((octets (make-array 512 :element-type '(unsigned-byte 8)))
        (end 0))
    (declare (type (simple-array (unsigned-byte 8) (*)) octets)
             (type fixnum end))
    (labels ((octet (octet)
               (when (= end (length octets))
                 (setf octets (replace (make-array (* 2 end) :element-type '(unsigned-byte 8)) octets)))
               (setf (aref octets end) octet)
               (incf end))
             (tail (code shift)
               (octet (logior #x80 (logand (ash code (- shift)) #x3F))))
             (put (character)
               (let ((code (char-code character)))
                 (when (<= #xD800 code #xDFFF) ; A lone surrogate has no UTF-8.
                   (setf code #xFFFD))
                 (cond ((< code #x80) (octet code))
                       ((< code #x800) (octet (logior #xC0 (ash code -6))) (tail code 0))
                       ((< code #x10000)
                        (octet (logior #xE0 (ash code -12))) (tail code 6) (tail code 0))
                       (t (octet (logior #xF0 (ash code -18))) (tail code 12) (tail code 6) (tail code 0)))))
             (put-string (string)
               (loop for character across (the simple-string string)
                     do (put character)))
             (put-quoted (string)
               (put #\")
               (loop for character across (the simple-string string)
                     do (when (or (char= character #\") (char= character #\\))
                          (put #\\))
                        (put character))
               (put #\"))
             (put-integer (integer)
               (when (minusp integer)
                 (put #\-))
               (let ((digits '()))
                 (loop with rest = (abs integer)
                       do (multiple-value-bind (quotient digit) (floor rest 10)
                            (push (code-char (+ (char-code #\0) digit)) digits)
                            (setf rest quotient))
                       until (zerop rest))
                 (loop for digit in digits
                       do (put digit))))
             (item (value)
               (etypecase value
                 (null (put-string "NIL"))
                 ((eql t) (put #\T))
                 (keyword (put #\:) (put-string (symbol-name value)))
                 (integer (put-integer value))
                 (simple-string (put-quoted value))
                 (string (put-quoted (copy-seq value)))
                 (list (put #\()
                  (loop for (element . more) on value
                        do (item element)
                           (when more (put #\Space)))
                  (put #\))))))
      (item value))
    (subseq octets 0 end)))

(defun send (message)
  "Sends MESSAGE to the parent as one frame."
  (let* ((payload (encode message))
         (frame (make-array (+ 6 (length payload)) :element-type '(unsigned-byte 8))))
    (loop for index from 5 downto 0
          for rest = (length payload) then (ash rest -4)
          do (setf (aref frame index) (char-code (char "0123456789abcdef" (logand rest 15)))))
    (write-protocol (replace frame payload :start1 6))))

;;; From the parent

(defun decode (text)
  "The list at the beginning of TEXT, or NIL when it is not in the wire's notation. Open lists are kept in a list, not
on the stack."
  (declare (type simple-string text))
  (let ((open '())                      ; the elements so far of the open lists, innermost first, each reversed
        (position 0)
        (end (length text)))
    (declare (type fixnum position end))
    (labels ((keep (item)
               (push item (first open)))
             (string-from (start)
               "The string whose first character is at START, up to the quotation mark that ends it."
               (let ((pieces '()))
                 (loop
                   (let* ((quote (or (position #\" text :start start) (return-from decode nil)))
                          (backslash (position #\\ text :start start :end quote)))
                     (unless backslash
                       (setf position (1+ quote))
                       (push (subseq text start quote) pieces)
                       (return (if (rest pieces)
                                   (joined (nreverse pieces))
                                   (first pieces))))
                     (push (subseq text start backslash) pieces)
                     (unless (< (1+ backslash) end)
                       (return-from decode nil))
                     (push (string (char text (1+ backslash))) pieces)
                     (setf start (+ backslash 2))))))
             (atom-end (start)
               (loop for index from start below end
                     when (find (char text index) " ()\"")
                       return index
                     finally (return end)))
             (word (start)
               (setf position (atom-end start))
               (cond ((char= (char text start) #\:)
                      (values (intern (subseq text (1+ start) position) "KEYWORD")))
                     ((string= text "NIL" :start1 start :end1 position) nil)
                     ((string= text "T" :start1 start :end1 position) t)
                     (t (or (parse-integer text :start start :end position :junk-allowed t)
                            (return-from decode nil))))))
      (loop while (< position end)
            do (let ((start position))
                 (incf position)
                 (case (char text start)
                   (#\Space)
                   (#\( (push '() open))
                   (#\) (let ((list (nreverse (pop open))))
                          (unless open
                            (return list))
                          (keep list)))
                   (#\" (if open (keep (string-from position)) (return nil)))
                   (t (if open (keep (word start)) (return nil)))))))))

(defun joined (strings)
  "The concatenation of STRINGS, of which there may be many."
  (let ((whole (make-string (reduce #'+ strings :key #'length)))
        (end 0))
    (dolist (string strings whole)
      (replace whole string :start1 end)
      (incf end (length string)))))

(defvar *receiving* nil "True while a request is read, in any thread's eyes.")

(defun receive ()
  "The next request, or NIL when the parent has closed its end or does not use the protocol."
  (setf *receiving* t)
  (unwind-protect
       (let* ((header (read-protocol 6))
              (size (and header
                         (parse-integer (map 'string #'code-char header) :radix 16 :junk-allowed t)))
              (payload (and size (read-protocol size))))
         (and payload (decode (decode-utf-8 payload))))
    (setf *receiving* nil)))
