;;;; The parts of the Common Lisp agent that depend on ECL: the C library, streams, signals, frames, threads.
;;;;
;;;; Loaded before libc.lisp, which has the common parts of ECL and CLISP, and ecl-signals.lisp. The head of sbcl.lisp
;;;; lists the functions that they define together. ECL cannot copy its process: only one thread would be copied, and
;;;; ECL handles its signals in another.

(in-package "LISPWRIGHT.AGENT")

;;; The C library

(defvar *c-functions* (make-hash-table :test #'equal) "A table from names to pointers.")

(defun c-function (name)
  (or (gethash name *c-functions*)
      (setf (gethash name *c-functions*) (si:find-foreign-symbol name :default :pointer-void 0))))

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defun c-type (type)
    (ecase type
      (:int :int)
      (:long :long)
      (:string :cstring)                ; For arguments: a result would not be a copy.
      (:pointer :pointer-void)
      (:void :void))))

(defmacro libc (name result &rest typed-arguments)
  "Calls the C function NAME; TYPED-ARGUMENTS are alternating types and values."
  `(si:call-cfun (c-function ,name) ,(c-type result)
                 ',(loop for (type) on typed-arguments by #'cddr collect (c-type type))
                 (list ,@(loop for (nil value) on typed-arguments by #'cddr collect value))))

(defun transfer (function descriptor octets start end)
  "The result of read or write for the OCTETS from START: how many, or NIL and the error number."
  (let* ((part (make-array (- end start) :element-type '(unsigned-byte 8)
                                         :displaced-to octets :displaced-index-offset start))
         (memory (si:make-foreign-data-from-array part))
         (count (si:call-cfun (c-function function) :long '(:int :pointer-void :long)
                              (list descriptor memory (- end start)))))
    (if (minusp count)
        (values nil (si:foreign-data-ref-elt (si:foreign-data-recast (libc "__errno_location" :pointer) 4 :int) 0 :int))
        count)))

(defun read-octets (descriptor octets start end)
  (transfer "read" descriptor octets start end))

(defun write-octets (descriptor octets start end)
  (transfer "write" descriptor octets start end))

(defun called-mkdtemp (template)
  "The name is written into an array of ours. As a result of type :CSTRING it would be a string over memory that ECL
frees at its next garbage collection."
  (let ((octets (make-array (1+ (length template)) :element-type '(unsigned-byte 8) :initial-element 0)))
    (map-into octets #'char-code template)
    (unless (zerop (si:foreign-data-address (libc "mkdtemp" :pointer :pointer (si:make-foreign-data-from-array octets))))
      (map 'string #'code-char (subseq octets 0 (length template))))))

(defun protocol-readable-p ()
  "True when a frame, or the end of the pipe, can be read."
  (and *requests*
       (let ((set (make-array 8 :element-type '(unsigned-byte 8) :initial-element 0)))
         (setf (aref set 0) (logand *requests* 255)
               (aref set 1) (ash *requests* -8)
               (aref set 4) 1)          ; POLLIN
         (plusp (libc "poll" :int :pointer (si:make-foreign-data-from-array set) :long 1 :int 0)))))

;;; Interrupts

(defun call-interruptible (function)
  "Calls FUNCTION in an interrupt handler so that another interrupt can end it."
  (mp:with-interrupts
    (funcall function)))

(defun call-exposed (function)
  "Calls FUNCTION so that the handlers around it do not hide an interrupt; here interrupts are not conditions."
  (funcall function))

;;; The standard streams

(defun lenient-utf-8 ()
  :utf-8)

(defun make-standard-streams ()
  "Streams on the descriptors. They are unbuffered, so that output keeps its order with that of child processes and is
there after a crash."
  (list (ext:make-stream-from-fd 0 :input :element-type 'character :external-format :utf-8)
        (ext:make-stream-from-fd 1 :output :element-type 'character :buffering :none :external-format :utf-8)
        (ext:make-stream-from-fd 2 :output :element-type 'character :buffering :none :external-format :utf-8)))

(defun own-streams ()
  (list ext:+process-standard-input+ ext:+process-standard-output+ ext:+process-error-output+))

;;; Conditions

(defun call-with-debugger-hook (hook function)
  "Calls FUNCTION so that HOOK gets every condition that would enter the debugger, also by BREAK."
  (flet ((debugger-hook (condition previous)
           (declare (ignore previous))
           (when (and *evaluation* (typep condition 'ext:stack-overflow))
             (give-up (ext:stack-overflow-type condition)))
           (let ((ext:*invoke-debugger-hook* (lambda (failure previous)
                                               (declare (ignore previous))
                                               (describe-shortly condition failure))))
             (funcall hook condition))))
    (let ((ext:*invoke-debugger-hook* #'debugger-hook))
      (funcall function))))

(defun describe-shortly (condition failure)
  "Ends the evaluation in which CONDITION was met: its description ended in a FAILURE."
  (if *evaluation*
      (throw *evaluation*
        (list :outcome :error
              :error (list :type (type-text condition)
                           :message (format nil "~A (What led to it cannot be told: ~A)"
                                            (condition-text condition 1000) (condition-text failure 500)))))
      (background-hook failure nil)))

(defun give-up (stack)
  "Ends the evaluation when STACK, one of the bytecode machine's, is exhausted: there is no room to describe an error.
The stack of C code has a reserve for that."
  (unless (eq stack 'ext:c-stack)
    (let ((evaluation *evaluation*))
      (throw evaluation
        (list :outcome :error
              :error (list :type "EXT:STACK-OVERFLOW"
                           :message (case stack
                                      (ext:frame-stack "ECL's stack of exits (catch, block, unwind-protect) is exhausted.")
                                      (ext:binding-stack "ECL's stack of special bindings is exhausted.")
                                      (t "A stack of ECL is exhausted.")))
              :place (list :phase (evaluation-phase evaluation) :index (evaluation-form-index evaluation)))))))

(defun background-hook (condition previous)
  "The debugger hook of the threads that evaluated code has started."
  (declare (ignore previous))
  (when (eq mp:*current-process* *main-thread*)
    (format (third (make-standard-streams)) "The agent failed: ~A~%" condition)
    (die))
  (handle-background-error condition (string (mp:process-name mp:*current-process*)))
  (mp:exit-process))

(defun call-above (function)
  "Calls FUNCTION on top of a held stack, outside of its handlers and without changing its streams."
  (let ((si::*handler-clusters* '())
        (ext:*invoke-debugger-hook* 'background-hook)
        (*debugger-hook* nil))
    (progv (mapcar #'first *stream-values*) (mapcar #'second *stream-values*)
      (mp:with-interrupts
        (funcall function)))))

(defun restart-arguments (restart)
  "The interactive arguments of RESTART; second value: true when it asks the user, who is not there."
  (let ((interactive (si::restart-interactive-function restart))
        (*query-io* (make-two-way-stream (make-concatenated-stream) (make-broadcast-stream))))
    (handler-case (values (and interactive (funcall interactive)) nil)
      (end-of-file () (values '() t)))))

(defun call-in-compilation-unit (function)
  (with-compilation-unit (:override t)
    (funcall function)))

(defun noise-p (warning)
  "True for unnecessary warnings. ECL has none."
  (declare (ignore warning))
  nil)

;;; The stack: frames of byte-compiled functions have all their variables as they were at the last call from there,
;;; those of C code only a name.

(defstruct spot
  "A frame on the stack."
  function                              ; or the name of one that is written in C
  environment)                          ; in the format of the bytecode machine

(defun spot-name (spot)
  "The name of the function, NIL when it has none; SI:BYTECODES for an evaluated form."
  (let ((function (spot-function spot)))
    (if (functionp function)
        (function-name function)
        function)))

(defun home-symbol (name)
  "A symbol in the package of the function NAME; NIL for one without a name."
  (loop while (consp name)
        do (setf name (if (eq (first name) 'setf) (second name) (first name))))
  (and (symbolp name) name))

(defun spot-package (spot)
  "The name of the function's package, or NIL."
  (let* ((home (home-symbol (spot-name spot)))
         (package (and home (symbol-package home))))
    (and package (package-name package))))

(defun top-level-form-p (spot)
  (eq (spot-name spot) 'si:bytecodes))

(defun agent-p (spot)
  (equal (spot-package spot) "LISPWRIGHT.AGENT"))

(defun machinery-p (spot)
  "True for a frame of signalling or the debugger, if it is the innermost left."
  (and (not (top-level-form-p spot))
       (or (member (spot-name spot) '(error cerror signal warn break invoke-debugger))
           (member (spot-package spot) '("SI" "CLOS" "MP" "EXT" "C") :test #'equal))))

(defun evaluator-p (spot)
  "True for a frame of evaluation itself, if it is the outermost left."
  (and (not (top-level-form-p spot))
       (or (null (spot-name spot))
           (member (spot-name spot) '(eval read load))
           (member (spot-package spot) '("SI" "CLOS" "C" "LISPWRIGHT.AGENT") :test #'equal)
           (some (lambda (prefix) (eql 0 (search prefix (spot-package spot))))
                 '("ASDF" "UIOP" "QUICKLISP" "QL-")))))

(defun stack (boundaries count)
  "The frames from the innermost to the first function named in BOUNDARIES, at most COUNT."
  (loop repeat count
        for index = (si:ihs-top) then (si:ihs-prev index)
        for spot = (and (plusp index) (make-spot :function (si:ihs-fun index) :environment (si:ihs-env index)))
        while (and spot (not (member (spot-name spot) boundaries)))
        collect spot))

(defun frames-of-interest (boundaries count)
  "The frames of evaluated code, innermost first and at most COUNT. Frames outside the functions named in BOUNDARIES are
not examined."
  (let* ((stack (stack boundaries (+ count 200)))
         (entry (position-if (lambda (spot)
                               (member (spot-name spot) '(debugger-hook background-hook meet-interrupt meet-frames)))
                             stack :from-end t))
         (frames (nthcdr (if entry (1+ entry) 0) stack)))
    (loop while (and frames (machinery-p (first frames)))
          do (pop frames))
    (setf frames (reverse (subseq frames 0 (position-if #'agent-p frames))))
    (loop while (and frames (evaluator-p (first frames)))
          do (pop frames))
    (loop for spot in (reverse frames)
          repeat count
          collect spot)))

;; To inspect a frame, ECL walks there from the innermost.
(defconstant +most-counted-frames+ 3000)

(defun frame-key (spot)
  "A key that is equal for frames of one function."
  (spot-function spot))

(defun frame-facts (spot innermost)
  "The description of a frame for the parent; of the INNERMOST one with its variables."
  (append (list :call (if (top-level-form-p spot) "top-level form" (frame-call-text spot)))
          (ignore-errors (function-place (spot-function spot)))
          (and innermost
               (let ((locals (frame-variables spot)))
                 (and locals
                      (list :locals (loop for (name value) in locals
                                          repeat 20
                                          collect (list name (short-text value)))))))))

(defun frame-call-text (spot)
  "The call, with the present values of the parameters as arguments, or with dots for unknown ones."
  (let ((name (or (spot-name spot) '(lambda)))
        (function (spot-function spot)))
    (handler-case (if (and (null (spot-environment spot))
                           (not (and (functionp function) (null (function-lambda-list function)))))
                      (format nil "(~A ...)" (short-text name))
                      (short-text (cons name (call-arguments spot))))
      (serious-condition () "(a call that does not print)"))))

(defun call-arguments (spot)
  "The values of the parameters in the order of a call, as far as they are known."
  (let ((function (spot-function spot))
        (kind :positional)
        (arguments '()))
    (dolist (parameter (and (functionp function) (function-lambda-list function)) (nreverse arguments))
      (let* ((name (if (consp parameter) (first parameter) parameter))
             (entry (and (symbolp name) (assoc name (named-values spot)))))
        (cond ((member parameter '(&optional)))
              ((eq parameter '&rest) (setf kind :rest))
              ((eq parameter '&key) (setf kind :key))
              ((member parameter lambda-list-keywords) (setf kind :none))
              ((null entry))
              ((eq kind :positional) (push (cdr entry) arguments))
              ((eq kind :rest) (setf arguments (revappend (cdr entry) arguments) kind :none))
              ((and (eq kind :key) (cdr entry))
               (push (intern (symbol-name name) "KEYWORD") arguments)
               (push (cdr entry) arguments)))))))

(defun named-values (spot)
  "((symbol . value) ...) of the variables, the innermost of each name."
  (remove-duplicates (remove-if-not (lambda (entry) (and (consp entry) (car entry) (symbolp (car entry))))
                                    (spot-environment spot))
                     :key #'car :from-end t))

(defun frame-variables (spot)
  "The live variables of a frame: ((name value) ...); none for C code."
  (loop for (symbol . value) in (named-values spot)
        when (symbol-package symbol)
          collect (list (symbol-name symbol) value)))

(defun frame-package (spot)
  "The name of the package of a frame's function; NIL for one without a name and for ECL's own."
  (let ((package (spot-package spot)))
    (and (not (top-level-form-p spot))
         (not (equal package "COMMON-LISP"))
         (not (machinery-p spot))
         package)))

(defun eval-in-frame (form spot)
  "Evaluates FORM with the variables of a frame."
  (si:eval-with-env form (spot-environment spot) nil nil :execute))

;;; Macros

(defun run-form (form)
  (eval form))

(defun expand-all (form)
  "FORM with every macro call in it expanded."
  (walker:macroexpand-all form))

;;; Objects

(defun function-parts (function)
  "The methods of a generic function, the captured variables of a closure."
  (if (typep function 'generic-function)
      (mapcar (lambda (method) (list nil method)) (clos:generic-function-methods function))
      (loop for entry in (ignore-errors (nth-value 1 (function-lambda-expression function)))
            when (consp entry)
              collect (list "closed over" (cdr entry)))))

(defun function-name (function)
  (if (typep function 'generic-function)
      (clos:generic-function-name function)
      (ext:compiled-function-name function)))

(defun function-lambda-list (function)
  (values (ext:function-lambda-list function)))

(defun function-place (function)
  "(:FILE namestring :LINE i) of the definition that FUNCTION comes from, or NIL. What is made while a compiled file is
loaded comes from no place in the source."
  (ignore-errors
   (multiple-value-bind (file position) (ext:compiled-function-file function)
     (let ((file (and file (probe-file file))))
       (and file position
            (not (member (pathname-type file) '("fasc" "fas") :test #'equal))
            (list* :file (namestring file) (line-field file position)))))))

;;; The process

(defun image-facts ()
  "The description of this implementation for the parent."
  (list :implementation (lisp-implementation-type) :version (lisp-implementation-version) :pid (process-number)))

(defun lock-agent (locked)
  (si:package-lock "LISPWRIGHT.AGENT" locked))

(defun prepare-image (exit-function)
  "Prepares a started image: EXIT-FUNCTION runs when evaluated code exits, threads report their errors."
  ;; ECL evaluates its command line with handlers and restarts of its own around it.
  (setf si::*handler-clusters* '()
        si::*restart-clusters* '()
        ext:*default-external-format* :utf-8
        ext:*invoke-debugger-hook* 'background-hook
        *load-verbose* nil
        *compile-verbose* nil
        *package* (find-package "COMMON-LISP-USER"))
  (push exit-function si:*exit-hooks*)
  (lock-agent t)
  (set-streams))
