;;;; Money is an integer number of cents, so that sums are exact.

(in-package :ledger)

(deftype money ()
  "An amount in cents; negative amounts are credits."
  'integer)

(defun cents (whole &optional (fraction 0))
  "The amount of WHOLE units and FRACTION cents, with the sign of WHOLE."
  (check-type whole integer)
  (check-type fraction (integer 0 99))
  (if (minusp whole)
      (- (* 100 whole) fraction)
      (+ (* 100 whole) fraction)))

(defun format-money (amount &optional stream)
  "Write AMOUNT as 1,234.50 to STREAM, or return it as a string."
  (check-type amount money)
  (multiple-value-bind (whole fraction) (truncate (abs amount) 100)
    (format stream "~:[~;-~]~:d.~2,'0d" (minusp amount) whole fraction)))

(defun parse-money (text)
  "The amount that TEXT, such as \"-12.50\" or \"1,234\", stands for.
Signals MALFORMED-MONEY for anything else."
  (flet ((digits (start end)
           (let ((digits (remove #\, (subseq text start end))))
             (if (and (plusp (length digits)) (every #'digit-char-p digits))
                 (parse-integer digits)
                 (error 'malformed-money :text text)))))
    (let* ((minus (and (plusp (length text)) (char= (char text 0) #\-)))
           (start (if minus 1 0))
           (point (position #\. text))
           (amount (* 100 (digits start point))))
      (when point
        (unless (= (- (length text) point) 3)
          (error 'malformed-money :text text))
        (incf amount (digits (1+ point) nil)))
      (if minus (- amount) amount))))
