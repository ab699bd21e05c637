(let ((lispwright-probe--form (car (read-from-string {{code}}))))
  (with-temp-buffer
    (disassemble (if (symbolp lispwright-probe--form) lispwright-probe--form (eval lispwright-probe--form t)) (current-buffer))
    (princ (buffer-string))
    nil))
