;;;; Coverage: which lines of the project are executed while tests or other code run, by SB-COVER.
;;;;
;;;; This is called in a copy of the image that is thrown away. There the files of the project are loaded once more, compiled
;;;; with instrumentation into a directory of their own, so that neither the image nor the cache of compiled files ever
;;;; has instrumented code.
;;;;
;;;; SB-COVER tells its findings as pages of HTML, a line for each line of source, in which each character has a state.

(in-package "LISPWRIGHT.AGENT")

(defvar *instrumented* '() "The namestrings of the files that are instrumented, newest first.")

(defun cover (code kind target tests roots definitions package)
  "Runs CODE, or the tests of TARGET if it is empty. KIND is \"path\" or \"system\"; the others are texts of lines. The values
are texts: what ran, then \"files\", and for each file three: see FILE-COVERAGE."
  (require :sb-cover)
  (setf *project-roots* (text-lines roots)
        *definition-files* (mapcar #'parse-namestring-as-file (text-lines definitions)))
  (let* ((directory (uiop:ensure-directory-pathname (make-temporary-directory (temporary-template "cover"))))
         (path (and (string= kind "path") target))
         (system (and (string= kind "system") target))
         (*instrumented* '())
         (*when-loaded* (lambda (work) (instrument-files work directory))))
    (unwind-protect
         (let ((header (call-noting-errors
                        (make-work)
                        (lambda (work)
                          (if (string= code "")
                              (cover-tests work path system (text-lines tests))
                              (cover-code work path system code package))))))
           (values-list (append header '("files")
                                (loop for file in (reverse *instrumented*)
                                      append (file-coverage file directory)))))
      (uiop:delete-directory-tree directory :validate t :if-does-not-exist :ignore))))

(defun text-lines (text)
  (remove "" (uiop:split-string text :separator '(#\Newline)) :test #'string=))

(defun cover-tests (work path system tests)
  "Loads and runs tests; returns texts: \"tests\", the framework, the numbers of those that passed, failed, were skipped and
are unknown, and the names of those that failed."
  (let* ((tally (make-tally :unmatched tests))
         (*tally* tally)
         (*definitions* (make-hash-table :test #'equal)))
    (run-wanted-tests work tally path system nil tests)
    (destructuring-bind (&key (framework "") (passed 0) (failed 0) (skipped 0) unknown failed-tests &allow-other-keys)
        (tally-fields tally)
      (list* "tests" framework (format nil "~D ~D ~D ~D" passed failed skipped (length unknown))
             (mapcar (lambda (test) (getf test :name "")) failed-tests)))))

(defun cover-code (work path system code package)
  "Loads the target and evaluates CODE in PACKAGE, a name, or in the present package if that is empty; returns texts: \"code\",
and the values of its last form."
  (if path
      (load-source-file work path)
      (load-named-system work system nil nil))
  (funcall *when-loaded* work)
  (let ((values '())
        (*package* (cond ((string= package "") *package*)
                         ((package-named package))
                         (t (error "There is no package ~A, also after the files were loaded." package)))))
    (with-input-from-string (stream code)
      (loop for form = (read stream nil stream)
            until (eq form stream)
            do (setf values (multiple-value-list (eval form)))))
    (cons "code" (mapcar #'short-text values))))

;;; Instrumenting

(defun instrument-files (work directory)
  "Loads the files of WORK with instrumentation, in the order of its plan, except those that are."
  ;; The marks of a top-level form are in its code, which is garbage when it has been executed. The new distance counts from
  ;; the next collection.
  (setf (sb-ext:bytes-consed-between-gcs) (floor (sb-ext:dynamic-space-size) 4))
  (sb-ext:gc)
  (loop for (path) in (work-files work)
        for number from (length *instrumented*)
        unless (member path *instrumented* :test #'string=)
          do (tell-progress "instrumenting ~A" path)
             (push path *instrumented*)
             (load-instrumented path (component-at path work)
                                (merge-pathnames (format nil "~D.fasl" number) directory)))
  (funcall (find-symbol "SAVE-COVERAGE" "SB-COVER")))

(defun component-at (path work)
  "The component of a system of WORK whose source is PATH, or NIL."
  (dolist (system (work-systems work))
    (dolist (component (asdf/component:sub-components system))
      (when (and (typep component 'asdf:cl-source-file)
                 (string= (namestring (asdf:component-pathname component)) path))
        (return-from component-at component)))))

(defun load-instrumented (path component output)
  (flet ((compile-it (&rest flags)
           (apply #'compile-file path :output-file output :external-format (lenient-utf-8) flags))
         (store-coverage (quality)
           (proclaim `(optimize (,(find-symbol "STORE-COVERAGE-DATA" "SB-COVER") ,quality)))))
    (let ((*compile-verbose* nil) (*compile-print* nil) (*error-output* (make-broadcast-stream)))
      (call-redefining
       (lambda ()
         ;; The messages of the compiler are told by a load without instrumentation.
         (handler-bind ((warning #'muffle-warning)
                        (sb-ext:compiler-note #'muffle-warning))
           (store-coverage 3)
           (unwind-protect (if component
                               (asdf/lisp-action:call-with-around-compile-hook component #'compile-it)
                               (compile-it))
             (store-coverage 0))
           (let ((*package* *package*) (*readtable* *readtable*))
             (load output :verbose nil :print nil))))))))

;;; Findings

(defun file-coverage (path directory)
  "The findings about the file PATH, as texts: its name, the number of its covered expressions and of all, and a character for
each line of source: + covered, - not, ~ in part, and a blank for no code."
  (let ((pages (uiop:subpathname directory "pages/")))
    (uiop:delete-directory-tree pages :validate t :if-does-not-exist :ignore)
    (handler-bind ((warning #'muffle-warning))
      (funcall (find-symbol "REPORT" "SB-COVER") pages
               :if-matches (lambda (file) (string= file path)) :external-format (lenient-utf-8)))
    (let ((page (find "cover-index" (directory (merge-pathnames "*.html" pages))
                      :key #'pathname-name :test-not #'equal)))
      (multiple-value-bind (covered all lines) (if page (read-page page) (values 0 0 ""))
        (list path (format nil "~D ~D" covered all) lines)))))

(defun read-page (page)
  "The covered and all expressions of a page of SB-COVER, and a text with a character for each line of source."
  (let ((covered 0)
        (all 0)
        (states '()))
    (with-open-file (stream page :external-format (lenient-utf-8))
      (loop for line = (read-line stream nil)
            while line
            do (let ((counts (text-after "<td>expression</td><td>" line))
                     (source (text-after "<div class='line-number'><code>" line)))
                 (when counts
                   (setf covered (parse-integer counts :junk-allowed t)
                         all (parse-integer (text-after "<td>" counts) :junk-allowed t)))
                 (when source
                   (push (line-state source) states)))))
    (values covered all (coerce (nreverse states) 'string))))

(defun text-after (mark text &optional (start 0))
  "TEXT after the first MARK in it, and the position there; NIL without one."
  (let ((at (search mark text :start2 start)))
    (and at
         (values (subseq text (+ at (length mark))) (+ at (length mark))))))

(defun line-state (line)
  "The character for a line of source from its part of the page. Blanks and parentheses do not count: they belong to the forms
around."
  (let ((yes nil)
        (no nil)
        (mark "<span class='state-"))
    (loop for start = (search mark line) then (search mark line :start2 end)
          while start
          for number = (parse-integer line :start (+ start (length mark)) :junk-allowed t)
          for content = (1+ (position #\> line :start start))
          for end = (or (position #\< line :start content) (length line))
          do (when (significant-p (subseq line content end))
               (case number
                 ((1 5) (setf yes t))
                 ((2 10) (setf no t))
                 ((6 9) (setf yes t no t)))))
    (cond ((and yes no) #\~)
          (yes #\+)
          (no #\-)
          (t #\Space))))

(defun significant-p (content)
  "True when CONTENT, of a page, has a character that is no blank and no parenthesis."
  (loop with at = 0
        while (< at (length content))
        do (if (char= (char content at) #\&)
               (multiple-value-bind (code end) (parse-integer content :start (min (+ at 2) (length content)) :junk-allowed t)
                 (unless (member code '(nil 0 32 40 41 160))
                   (return t))
                 (setf at (1+ end)))
               (return t))))
