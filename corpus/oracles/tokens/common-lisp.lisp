;;;; Which lines of standard input SBCL's own reader takes: prints `+ LINE` or `- LINE` for each. Packages and symbols
;;;; that do not exist are no fault of a token.

(loop with input = (sb-sys:make-fd-stream 0 :external-format :utf-8 :buffering :full)
      with output = (sb-sys:make-fd-stream 1 :output t :external-format :utf-8 :buffering :full)
      with *read-eval* = nil
      for line = (read-line input nil)
      while line
      do (format output "~:[-~;+~] ~A~%"
                 (handler-case
                     (with-input-from-string (in line)
                       (loop until (eq (read in nil in) in))
                       t)
                   (sb-int:simple-reader-package-error () t)
                   (error () nil))
                 line)
      finally (finish-output output))
