;;;; Tests of loading systems and running tests, in one image and without a parent: the parts that need no project.
;;;; sbcl --script images/tests/common-lisp-systems.lisp
;;;; ecl --norc --shell images/tests/common-lisp-systems.lisp
;;;; clisp -norc -q -q -ansi -on-error debug images/tests/common-lisp-systems.lisp

(require "asdf")

(let ((images (merge-pathnames "../common-lisp/" (or *load-truename* *default-pathname-defaults*))))
  (handler-bind ((warning #'muffle-warning))
    (dolist (file '("descriptors.lisp"
                    #+sbcl "sbcl.lisp" #+ecl "ecl.lisp" #+clisp "clisp.lisp"
                    #-sbcl "libc.lisp" #+ecl "ecl-signals.lisp" "bounded.lisp" "wire.lisp" "agent.lisp" "objects.lisp"
                    "asdf.lisp" #-sbcl "performing.lisp" #+sbcl "sbcl-compiler.lisp"
                    #+ecl "ecl-compiler.lisp" #+clisp "clisp-compiler.lisp"
                    #+sbcl "sbcl-definitions.lisp" #+ecl "ecl-definitions.lisp" #+clisp "clisp-definitions.lisp"
                    "definitions.lisp" "packages.lisp" "noting.lisp" "concealing.lisp" "settings.lisp" "renewal.lisp" "libraries.lisp"
                    "systems.lisp" "plans.lisp" "containing.lisp" "gone-tests.lisp" "explanations.lisp"
                    "frameworks.lisp" "tally.lisp" "summaries.lisp"
                    "observing.lisp"
                    "frameworks/fiveam.lisp" "frameworks/rt.lisp" "frameworks/parachute.lisp" "frameworks/rove.lisp"
                    "frameworks/fiasco.lisp" "frameworks/lisp-unit.lisp" "frameworks/1am.lisp" "frameworks/lift.lisp"
                    "frameworks/prove.lisp" "frameworks/try.lisp"
                    "test-op.lisp" "tests.lisp"))
      (let ((*package* *package*)
            (*load-verbose* nil))
        (load (merge-pathnames file images))))))

(in-package "LISPWRIGHT.AGENT")

;; ECL evaluates a script with handlers around it.
#+ecl (setf si::*handler-clusters* '())

(defvar *failures* 0)

(defmacro check (form expected)
  "FORM's value is EQUAL to EXPECTED."
  `(let ((value ,form)
         (expected ,expected))
     (unless (equal value expected)
       (incf *failures*)
       (format t "~S~%  is       ~S~%  expected ~S~%" ',form value expected))))

(defvar *directory* (uiop:ensure-directory-pathname (make-temporary-directory "/tmp/lispwright-test-XXXXXX")))

(defun file (name &rest lines)
  "The namestring of a new file of LINES."
  (let ((path (merge-pathnames name *directory*)))
    (with-open-file (stream path :direction :output :if-exists :supersede :external-format (lenient-utf-8))
      (format stream "~{~A~%~}" lines))
    (namestring (truename path))))

;;; Text

(check (file-text (file "lambda.txt" (string (code-char #x3BB)))) (format nil "~A~%" (code-char #x3BB)))
(check (length (let ((path (file "broken.txt")))
                 (with-open-file (stream path :direction :output :if-exists :supersede :element-type '(unsigned-byte 8))
                   (write-sequence #(65 #xFF 66) stream))
                 (file-text path)))
       3)
(check (skip-to-code (format nil "  ; (a)~%~% (b)") 0) 10)
(check (skip-to-code "  ; nothing" 0) nil)
(check (skip-to-code "abc" 99) nil)
(loop for (text place) in '(("#| a #| b |# |# (c)" 16) ("#+lispwright-none (a) (b)" 22) ("#-lispwright-none (a)" 0)
                            ("#-(or lispwright-none (not common-lisp)) (a) (b)" 0)
                            ("#+lispwright-none x:y #:z #\\) \"a\" 'b" 22)
                            ("#+" 0) ("#" 0) ("#| a" 0) ("#+lispwright-none" 0) ("#.(error \"read\")" 0))
      do (check (list text (skip-to-code text 0)) (list text place)))

;;; Directories

(check (string-left-trim "/" (temporary-template "x"))
       (format nil "~A/lispwright-x-XXXXXX" (string-trim "/" (or (uiop:getenv "TMPDIR") "/tmp"))))

(let* ((name (make-temporary-directory (format nil "~A-XXXXXX" "/tmp/lispwright-name")))
       (as-made (concatenate 'string name))
       (others '()))
  ;; Unused memory is overwritten.
  #+ecl (si:gc t)
  #+sbcl (sb-ext:gc :full t)
  #+clisp (ext:gc)
  (loop for length from 1 to 40
        do (loop repeat 2000
                 do (push (make-string length :initial-element #\x) others)))
  (check name as-made)
  (check (search "/tmp/lispwright-name-" name) 0)
  (uiop:delete-empty-directory (uiop:ensure-directory-pathname as-made)))

(check (handler-case (make-temporary-directory "/nowhere/x-XXXXXX")
         (error () :refused))
       :refused)

;;; Systems

(check (defined-systems (file "some.asd" "(defsystem \"one\")" "(asdf:defsystem #:two/tests :depends-on (\"one\"))"
                              "(DEFSYSTEM :Three)" "(defsystem |four|)" ";; defsystem" "(list 'defsystem)"))
       '("one" "two/tests" "three" "four"))
(check (defined-systems "/nonexistent/x.asd") '())
(let ((*definition-files* (list (file "lone.asd" "(defsystem \"lone\")") (file "pair.asd" "(defsystem \"other\")"))))
  (check (pathname-name (find-project-system "lone/tests")) "lone")
  (check (pathname-name (find-project-system "other")) "pair")
  (check (find-project-system "none") nil))
(let ((*project-roots* '("/a/b/")))
  (check (mapcar #'project-file-p '("/a/b/c.lisp" "/a/bc.lisp" nil)) '(t nil nil))
  (check (mapcar #'library-file-p '("/a/b/c.lisp" "/a/bc.lisp" nil)) '(nil t nil)))
(let ((*project-roots* '()))
  (check (library-file-p "/a/bc.lisp") nil))

#+sbcl
(defvar *debug-qualities* '())
#+sbcl
(let ((path (file "policy.lisp" "(eval-when (:compile-toplevel)
  (push (sb-c::policy-quality sb-c::*policy* 'debug) lispwright.agent::*debug-qualities*))"))
      (output (namestring (merge-pathnames "policy.fasl" *directory*))))
  (loop for (root quality) in `((,(namestring *directory*) 2) ("/a/b/" 2) ("/a/b/" 3) ("/a/b/" 0))
        do (let ((*project-roots* (list root))
                 (sb-c::*policy* (sb-c::process-optimize-decl `(optimize (debug ,quality)) sb-c::*policy*)))
             (compile-file path :output-file output :verbose nil)))
  ;; The user's settings stay.
  (check (reverse *debug-qualities*) '(2 1 3 0)))

;; Evaluation by a compiled file while it is loaded is not debugged; that by a source file is.
#+sbcl
(let ((path (file "evaluates.lisp" "(eval '(push (sb-c::policy-quality sb-c::*policy* 'debug) lispwright.agent::*debug-qualities*))"))
      (output (namestring (merge-pathnames "evaluates.fasl" *directory*)))
      (*project-roots* (list (namestring *directory*))))
  (compile-file path :output-file output :verbose nil)
  (setf *debug-qualities* '())
  (loop for (file quality) in `((,output 2) (,path 2) (,output 3))
        do (let ((sb-c::*policy* (sb-c::process-optimize-decl `(optimize (debug ,quality)) sb-c::*policy*)))
             (load file)))
  (check (reverse *debug-qualities*) '(1 2 3)))

;; Code for which keeping variables is too much is compiled without, whether the compiler fails or does not end.
#+sbcl
(let ((path (file "stubborn.lisp" "(in-package \"LISPWRIGHT.AGENT\")" "(defun give-in (x) (stubborn x))"))
      (output (namestring (merge-pathnames "stubborn.fasl" *directory*)))
      (*project-roots* (list (namestring *directory*)))
      (*patience* 1)
      (sb-c::*policy* (sb-c::process-optimize-decl '(optimize (debug 2)) sb-c::*policy*)))
  (eval '(sb-c:defknown stubborn (t) t () :overwrite-fndb-silently t))
  (loop for (hindrance . why) in '(((loop) . "took more than 1 s of processor time")
                                   ((error "can't tell the size") . "was too much for the compiler (can't tell the size)")
                                   ;; Another policy may find more than the usual one.
                                   ((sb-c::compiler-warn "too short") . "warns (too short)"))
        do (eval `(sb-c:deftransform stubborn ((x) (t) * :node node)
                    (when (sb-c::policy node (= debug 2))
                      ,hindrance)
                    '(list x)))
           (setf *given-up* '())
           (let ((told '()))
             (handler-bind ((given-up (lambda (condition) (push (given-up-why condition) told))))
               (loop repeat 2           ; The second time it is known.
                     do (check (nth-value 2 (compile-file path :output-file output :verbose nil)) nil)))
             (check told (list why why))))
  ;; Code that runs while a file is compiled does not count as the compiler.
  (file "stubborn.lisp" "(eval-when (:compile-toplevel)"
        "  (loop with end = (+ (get-internal-run-time) (* 3/2 internal-time-units-per-second))"
        "        while (< (get-internal-run-time) end)))")
  (setf *given-up* '())
  (compile-file path :output-file output :verbose nil)
  (check *given-up* '()))

;;; Contents

(let ((one (content-digest (file "one.lisp" "(a)")))
      (same (content-digest (file "same.lisp" "(a)")))
      (other (content-digest (file "other.lisp" "(b)"))))
  (check (equal one same) t)
  (check (equal one other) nil))
(let ((compiled (file "one.fas" "x")))
  (write-record compiled "digest" '((:function ("F" "P") nil)) '((:severity "warning" :message "two
lines \"quoted\"")))
  (check (cddr (read-record compiled)) '((:severity "warning" :message "two
lines \"quoted\"")))
  (check (second (read-record compiled)) '((:function ("F" "P") nil)))
  (check (compiled-from-p compiled "digest") t)
  (check (compiled-from-p compiled "another") nil)
  (file "one.record" "(#.(error \"evaluated\"))")
  (check (read-record compiled) nil))

;;; Diagnostics

(let* ((path (file "place.lisp" "(a)" ";; comment" "  (b)"))
       (*project-roots* (list (namestring *directory*)))
       (work (make-work :files (list (cons path path)))))
  (add-diagnostic work "warning" "W" "later" (list :file path :position 3))
  (add-diagnostic work "warning" "W" "later" (list :file path :position 3))
  (add-diagnostic work "error" "E" "first" (list :file path :line 7))
  (add-diagnostic work "warning" "W" "not ours" (list :file "/usr/share/x.lisp" :position 0))
  (check (loop for diagnostic in (in-order (reverse (work-diagnostics work)) work)
               collect (list (getf diagnostic :message) (getf diagnostic :line) (getf diagnostic :column)))
         '(("first" 7 nil) ("later" 3 3))))

;; An error while the compiled file of a library is loaded is in its source.
(loop for (file line) in '(("/l/b.lisp" 5) ("/l/c.lisp" nil) (nil nil))
      do (let ((work (make-work :current "/cache/l/b.fasl")))
           (work-fields work (list :outcome :error
                                   :error (list :type "E" :message "m" :frames (list '(:file "/l/a.lisp" :line 1)
                                                                                     (list :file file :line 5)))))
           (let ((diagnostic (first (work-diagnostics work))))
             (check (list (getf diagnostic :file) (getf diagnostic :line))
                    (if line (list file line) (list "/cache/l/b.fasl" nil))))))

;;; Tests

(check (mapcar #'dependency-name '("A" (:version "b" "1") (:feature :x "c") (:require :sb-posix) 7))
       '("A" "b" "c" "sb-posix" nil))
(check (full-name 'full-name) "lispwright.agent::full-name")
(check (full-name "a b") "a b")
(check (mapcar #'substitute-qualifier '("a:b" "a::b" "b" ":b")) '("a::b" "a::b" "b" ":b"))
(check (reported-values (format nil "Test X failed~%Form: (F)~%Actual value: 2.~%")) "2")
(check (reported-values "nothing of the kind") "")
(let ((path (file "tests.lisp" "(deftest one" "  1)" "(test (two :suite s) 2)" "(test-three x)" " (deftest four 4)")))
  (check (mapcar (lambda (name) (definition-line path name nil)) '("ONE" "two" "x" "four" "none")) '(1 3 4 nil nil)))
(check (definition-line "/nonexistent" "x" nil) nil)
(loop for (verdict . lines) in '((:failed "FAIL: 3 of 5" " 4 out of 332 total tests failed: A.B." "Some tests failed." "5 of 6 tests passed"
                                  "   Fail: 2 (66%)" "12 passed, 1 failed" "Tests run: 5, Failures: 0, Errors: 1" "not ok 2 - b"
                                  "FAILED: foo" "Test FOO failed" "3/5 passed" "80% passed (4/5)" "99.5% of tests passed"
                                  "  Passed: 3/4 ( 75.0%)" "TOTAL: 4 of 5 passed (1 failed, 0 errors)"
                                  "Unexpected test failure" "× 1 of 3 tests failed" "20% of tests failed"
                                  "Errors detected in this test: 3 UNEXPECTED: 1" "Number of failed checks: 2")
                                 (:passed "6 of 6 tests passed" "All tests passed." "No tests failed." "   Pass: 3 (100%)"
                                  "Passed: 3 Failed: 0" "3 tests, 0 failures" "ok 1 - a" "Success: 3 tests, 5 checks."
                                  "100% passed (5/5)" "100.0% passed" "   Pass: 4 (80%)" "OK (2 tests)" "✓ 17 tests passed"
                                  "Successes this test:128")
                                 (:none "Did 0 checks." "Doing 0 pending tests of 0 tests total." "0 tests, 0 failures" "All 0 tests passed")
                                 (nil "   Fail: 0 ( 0%)" "Did 3 checks." "200 OK" "connection failed, retrying" "2 expected failures"
                                  "if a test fails" "error: 404" "" "failed" "✓ raises match-failed in both cases" "3 tests succeeded, but 2 did not"
                                  "√ a test of failures" "Errors detected in this test: 0 " "connections passed to this test server: 3"))
      do (check (mapcar #'summary-verdict lines) (mapcar (constantly verdict) lines)))
(check (let ((lines '()))
         (call-hearing-lines (lambda (line) (push line lines)) #'identity
                             (lambda () (let ((*standard-output* (make-broadcast-stream))) (format t "unheard~%"))
                               (call-hearing-lines #'identity #'identity (lambda () (format *error-output* "~%")))))
         lines)
       '(""))
;; What does not go through is heard.
(check (let ((lines '()) (open-p t))
         (list (with-output-to-string (*standard-output*)
                 (call-hearing-lines (lambda (line) (push line lines)) (lambda (stream) (and open-p stream))
                                     (lambda ()
                                       (format t "one~%")
                                       (setf open-p nil)
                                       (write-line "two")
                                       (write-string "three"))))
               lines))
       '("one
" ("three" "two" "one")))
(check (multiple-value-list (call-catching-exit (lambda () :value))) '(:value nil))
;; Newer versions of FiveAM keep the table in a bundle.
(defclass suite () ((tests :initarg :tests)))
(let ((table (make-hash-table)))
  (check (fiveam-suite-tests (make-instance 'suite :tests table)) table)
  (check (fiveam-suite-tests (make-instance 'suite :tests (make-instance 'suite :tests table))) table))
;; It works more than once.
(call-catching-exit (lambda () #+sbcl (sb-ext:exit :code 3) #-sbcl (ext:quit 3)))
(check (multiple-value-list (call-catching-exit (lambda () #+sbcl (sb-ext:exit :code 3) #-sbcl (ext:quit 3)))) '(nil 3))

(uiop:delete-directory-tree *directory* :validate t)
(when (plusp *failures*)
  (format t "~D failed~%" *failures*)
  #+sbcl (sb-ext:exit :code 1)
  #-sbcl (ext:quit 1))
(format t "all passed~%")
