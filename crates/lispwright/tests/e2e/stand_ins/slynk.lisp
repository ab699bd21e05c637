;;;; A Swank server made to look like Slynk, for the wire: its packages have Slynk's names, and what comes in is read as Slynk
;;;; reads it while no contrib has told it otherwise: a token with a colon and "swank" in it gets "slynk" written over its first
;;;; five characters. Written anew.

(flet ((translated (text)
         (with-output-to-string (out)
           (loop with start = 0
                 while (< start (length text))
                 do (let ((end (or (position-if (lambda (character) (find character "\" ()'")) text :start start)
                                   (length text))))
                      (if (and (find #\: text :start start :end end)
                               (search "swank" text :start2 start :end2 end :test #'char-equal))
                          (write-string (nstring-upcase (replace (subseq text start end) "SLYNK")) out)
                          (write-string text out :start start :end end))
                      (when (< end (length text))
                        (if (char= (char text end) #\")
                            (let ((close (loop for index from (1+ end)
                                               until (char= (char text index) #\")
                                               when (char= (char text index) #\\) do (incf index)
                                               finally (return index))))
                              (write-string text out :start end :end (1+ close))
                              (setf end close))
                            (write-char (char text end) out)))
                      (setf start (1+ end)))))))
  (setf (fdefinition 'swank/rpc::read-form)
        (lambda (text package)
          (with-standard-io-syntax
            (let ((*package* package))
              (read-from-string (translated text)))))))

(loop for (old new) in '(("SWANK" "SLYNK") ("SWANK/BACKEND" "SLYNK-BACKEND") ("SWANK/RPC" "SLYNK-RPC") ("SWANK-MOP" "SLYNK-MOP"))
      do (rename-package old new '()))
