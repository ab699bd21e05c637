;;;; Running tests: by the system's own TEST-OP if it has one (test-op.lisp), otherwise those of a framework
;;;; (frameworks.lisp) one by one.
;;;;
;;;; The tests of a system are those that loading it has defined: not those of other systems, and not those whose
;;;; definition is gone from the files. A test that hangs is known by name, and the results before it count.

(in-package "LISPWRIGHT.AGENT")

;;; Running

(defun answer-run-tests (&rest arguments &key path system framework tests &allow-other-keys)
  "Loads tests again and runs them; returns the fields of the answer."
  (let* ((tally (make-tally :wanted tests :unmatched tests))
         (*tally* tally)
         (*definitions* (make-hash-table :test #'equal)))
    (let ((answer (call-working
                   (lambda (work)
                     (multiple-value-bind (result status)
                         (run-wanted-tests work tally path system framework tests)
                       (when status
                         (setf (tally-exit-status tally) status))
                       (or result (list :outcome :tested))))
                   arguments)))
      (if (eq (getf answer :outcome) :refused)
          answer
          (append answer (tally-fields tally))))))

(defvar *when-loaded* nil "A function of a work, which is called when tests have been loaded, before they run; or NIL.")

(defun run-wanted-tests (work tally path system framework tests)
  "Loads and runs tests. Returns NIL if they call exit, and its status."
  (call-catching-exit
   (lambda ()
     (call-without-chatter
      (lambda ()
        (cond ((null path) (run-system-tests work tally system framework tests))
              ((equalp (pathname-type path) "asd")
               (run-system-tests work tally (pathname-name path) framework tests))
              (t (run-file-tests work tally path framework tests))))))))

(defun tell-loaded (work)
  (when *when-loaded*
    (funcall *when-loaded* work)))

(defun call-without-chatter (function)
  "Calls FUNCTION without ASDF's messages about the style of definitions and about its plans, and Lisp's about each file
that it compiles or loads."
  (let ((*compile-verbose* nil) (*compile-print* nil) (*load-verbose* nil) (*load-print* nil))
    (handler-bind ((warning (lambda (warning)
                              (when (chatter-of-asdf-p warning)
                                (muffle-warning warning)))))
      (funcall function))))

(defun chatter-of-asdf-p (warning)
  (let ((package (symbol-package (class-name (class-of warning)))))
    (or (and package (eql 0 (search "ASDF" (package-name package))))
        (and (typep warning 'simple-condition)
             (let ((control (simple-condition-format-control warning)))
               (and (stringp control) (eql 0 (search "Computing just-done stamp" control))))))))

(defun run-file-tests (work tally path framework wanted)
  "Runs the tests of the file at PATH: those that run while it is loaded, and those that it defines."
  (load-changed-systems work path)
  (setf (tally-files tally) (list path))
  (let* ((known (known-tests))
         (present (remove-if-not #'present-p *observed-frameworks*))
         (noted (load-observing work tally path)))
    ;; It has loaded a framework, whose tests were not observed.
    (when (and (null noted)
               (set-difference (remove-if-not #'present-p *observed-frameworks*) present)
               (notany (lambda (framework) (new-tests framework known)) *frameworks*))
      (setf noted (load-observing work tally path)))
    (tell-loaded work)
    (note-known known noted)
    (run-new-tests tally known (wanted-frameworks framework *frameworks*) wanted)
    (list :outcome :tested)))

(defun load-observing (work tally path)
  "Loads the file at PATH; the tests that ran meanwhile, which are counted: ((framework test . outcomes) ...)."
  (let ((noted '()))
    (unwind-protect
         (call-observing-all
          (lambda (framework test outcomes) (push (list* framework test outcomes) noted))
          (lambda () (call-redefining (lambda () (load-source-file work path)))))
      (setf noted (nreverse noted))
      (judge-noted tally noted))
    noted))

(defun run-system-tests (work tally name framework wanted)
  "Runs the tests of the system NAME and of those that its TEST-OP delegates to."
  (let ((agenda (call-compiling work (lambda () (mapcar #'asdf:component-name (test-systems (wanted-system name))))))
        (seen '()))
    (loop while (and agenda (null (tally-exit-status tally)))
          do (let ((name (pop agenda)))
               (unless (member name seen :test #'string=)
                 (push name seen)
                 (setf agenda (append (run-tests-of work tally name framework wanted) agenda)))))
    (list :outcome :tested)))

(defun run-tests-of (work tally name framework wanted)
  "Runs the tests of the system NAME alone; returns the names of the systems that it delegates to."
  (let ((known (known-tests)))
    (call-redefining (lambda () (load-test-system work name)))
    (tell-loaded work)
    ;; ASDF may hold two components of one file, when it has read the definition of the system twice.
    (setf (tally-files tally) (remove-duplicates (mapcar #'first (work-files work)) :test #'equal :from-end t))
    (let* ((system (asdf:find-system name))
           (named (or (frameworks-of system)
                      (remove-duplicates (mapcan #'frameworks-of (project-systems system)))))
           (frameworks (wanted-frameworks framework (or named *frameworks*)))
           (custom (custom-test-p system)))
      (cond ((not custom)
             (unless (run-new-tests tally known frameworks wanted)
               (dolist (framework (only-observed-frameworks-of system))
                 (pushnew (framework-name framework) (tally-only-observed tally) :test #'equal)))
             '())
            ((and (null wanted) (or (null framework) (equalp framework "asdf")))
             (run-test-operation work tally system known frameworks))
            ((run-new-tests tally known frameworks wanted) '())
            ;; Their tests run only together; those that are wanted count.
            ((and wanted (frameworks-of system *observed-frameworks*))
             (run-test-operation work tally system known frameworks))
            (t
             (unless (tally-others tally)
               (push "asdf" (tally-others tally)))
             '())))))

(defun project-systems (system)
  "SYSTEM and its dependencies among the systems of the project."
  (remove-if-not (lambda (one)
                   (let ((source (asdf:system-source-file one)))
                     (and source (project-file-p source))))
                 (plan-systems system)))

(defun load-test-system (work name)
  "Loads the system NAME, the systems that its TEST-OP requires and, again too, all systems of the project that define
tests for it."
  (let ((system (asdf:find-system name)))
    (dolist (other (call-with-libraries (lambda () (project-systems system))))
      (when (and (not (eq other system)) (frameworks-of other))
        (asdf:clear-system other)))
    (load-named-system work name t nil)
    (dolist (other (systems-for-testing system))
      (load-named-system work other t nil))))

(defun wanted-frameworks (name default)
  "The frameworks that are called NAME, or DEFAULT."
  (cond ((or (null name) (equalp name "auto")) default)
        ((equalp name "asdf") '())
        (t (or (remove name *frameworks* :test-not #'string-equal :key #'framework-name)
               (error "There is no framework ~S; there are ~{~A~^, ~} and asdf."
                      name (remove-duplicates (mapcar #'framework-name *frameworks*) :test #'equal))))))

(defun known-tests ()
  "A table with the identities of all present tests as keys."
  (let ((known (make-hash-table :test #'eq)))
    (dolist (framework *frameworks* known)
      (when (present-p framework)
        (loop for (identity) in (defined-tests framework)
              do (setf (gethash identity known) t))))))

(defun note-known (known noted)
  "Adds the tests that were NOTED, (framework test . outcomes), to those that are KNOWN."
  (let ((ran (make-hash-table :test #'equal)))
    (loop for (framework test) in noted
          do (setf (gethash (cons framework test) ran) t))
    (dolist (framework (remove-duplicates (mapcar #'first noted)))
      (loop for (identity . test) in (defined-tests framework)
            do (when (gethash (cons framework test) ran)
                 (setf (gethash identity known) t))))))

(defun new-tests (framework known)
  "The tests of FRAMEWORK that are not among those KNOWN."
  (and (present-p framework)
       (loop for (identity . test) in (defined-tests framework)
             unless (gethash identity known)
               collect test)))

(defun run-new-tests (tally known frameworks wanted)
  "Runs the tests of FRAMEWORKS that are not among KNOWN and that are WANTED by name; true when there were any. Records
the other frameworks with such tests."
  (let ((any nil))
    (dolist (framework *frameworks* any)
      (let ((tests (new-tests framework known))
            (name (framework-name framework)))
        (cond ((null tests))
              ((member framework frameworks)
               (setf any t)
               (pushnew name (tally-frameworks tally) :test #'equal)
               (run-some-tests tally framework tests wanted))
              (t (pushnew name (tally-others tally) :test #'equal)))))))

(defun run-some-tests (tally framework tests wanted)
  (let ((tests (in-definition-order tally framework tests))
        (*present-tests* (make-hash-table :test #'eq)))
    (dolist (test tests)
      (setf (gethash test *present-tests*) t)
      (note-names tally framework test))
    (let* ((chosen (outermost framework (remove-if-not (lambda (test) (wanted-p framework test wanted)) tests)))
           (*last-test* (first (last chosen))))
      (call-as-nobody-looks (list framework)
                            (lambda ()
                              (call-for-tests framework chosen (lambda (test) (run-one-test tally framework test))))))))

(defun note-names (tally framework test)
  "Records the names of TEST and of its groups, and that some were wanted."
  (push (full-name (test-name framework test)) (tally-names tally))
  (dolist (group (test-groups framework test))
    (pushnew (full-name group) (tally-groups tally) :test #'equal))
  (setf (tally-unmatched tally)
        (remove-if (lambda (text) (wanted-p framework test (list text))) (tally-unmatched tally))))

(defun outermost (framework tests)
  "TESTS without those that others of them run."
  (let ((all (make-hash-table :test #'eq)))
    (dolist (test tests)
      (setf (gethash test all) t))
    (remove-if (lambda (test)
                 (loop for parent = (test-parent framework test) then (test-parent framework parent)
                       while parent
                       thereis (gethash parent all)))
               tests)))

(defun wanted-p (framework test wanted)
  "True when WANTED is empty or contains the name of TEST or of a group around it, with its package or without, or the start
of such a name with an asterisk after it."
  (or (null wanted)
      (loop for name in (cons (test-name framework test) (test-groups framework test))
              thereis (loop for text in wanted
                              thereis (or (called-p text (full-name name))
                                          (called-p (substitute-qualifier text) (full-name name))
                                          (called-p (string-left-trim "#:" text) (bare-name name)))))))

(defun called-p (text name)
  "True when TEXT is NAME, or the start of it with an asterisk after that."
  (or (string-equal text name)
      (let ((end (1- (length text))))
        (and (plusp end)
             (char= #\* (char text end))
             (<= end (length name))
             (string-equal text name :end1 end :end2 end)))))

(defun substitute-qualifier (text)
  "TEXT with two colons instead of one."
  (let ((colon (position #\: text)))
    (if (and colon (plusp colon) (not (find #\: text :start (1+ colon))))
        (format nil "~A:~A" (subseq text 0 colon) (subseq text colon))
        text)))

(defun run-one-test (tally framework test)
  "Runs TEST and counts it and each test in it."
  (let ((outcomes (outcomes-of framework test)))
    (dolist (one (cons test (inner-tests framework test)))
      (judge tally framework one
             (remove one outcomes :test-not #'eq :key (lambda (outcome) (or (outcome-test outcome) test)))))))

(defun outcomes-of (framework test)
  "Runs TEST; its outcomes, also those of a test that had to be left."
  (multiple-value-bind (outcomes reason) (call-for-test framework test (lambda () (run-test framework test)))
    (if reason
        (list (failed-check reason))
        outcomes)))
