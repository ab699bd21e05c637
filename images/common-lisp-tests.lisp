;;;; Running tests: FiveAM, RT, Rove, Parachute, and whatever else hangs on ASDF's TEST-OP.
;;;;
;;;; A framework is what knows the tests that are defined now, and runs one. The tests of a system are those that loading
;;;; it has defined: not those of other systems, and not those whose definition is gone from the files. They are run one
;;;; by one, so it is known which one hangs, and what came before it counts.

(in-package "LISPWRIGHT.AGENT")

(defconstant +most-failures+ 100)

(defstruct tally
  "How the tests go."
  (framework "none")
  (passed 0)
  (failed 0)
  (skipped 0)
  (failures '())                        ; plists, newest first
  (names '())
  (running nil)                         ; the name of the test that runs
  (exit-status nil)
  (files '()))                          ; the files that the tests are in

(defun tally-fields (tally)
  (append (list :framework (tally-framework tally)
                :passed (tally-passed tally) :failed (tally-failed tally) :skipped (tally-skipped tally)
                :failed-tests (reverse (tally-failures tally))
                :names (let ((names (reverse (tally-names tally)))) (subseq names 0 (min 200 (length names)))))
          (and (tally-running tally) (list :running (tally-running tally)))
          (and (tally-exit-status tally) (list :exit-status (tally-exit-status tally)))))

(defstruct outcome
  "What became of one check of a test."
  (status :passed)                      ; :PASSED, :FAILED or :SKIPPED
  reason form values description)

;;; What a framework is

(defgeneric framework-systems (framework)
  (:documentation "The names of the systems that FRAMEWORK, a keyword, comes in."))

(defgeneric framework-package (framework)
  (:documentation "The name of its package."))

(defgeneric defined-tests (framework)
  (:documentation "((identity . test) ...) of all tests there are; a test that is defined again has another identity."))

(defgeneric test-name (framework test)
  (:documentation "The symbol or string that names TEST."))

(defgeneric test-groups (framework test)
  (:documentation "The names of the groups that TEST is in, innermost first.")
  (:method (framework test) (declare (ignore framework test)) '()))

(defgeneric test-function (framework test)
  (:documentation "A function that was compiled from TEST's definition, or NIL.")
  (:method (framework test) (declare (ignore framework test)) nil))

(defgeneric run-test (framework test)
  (:documentation "Runs TEST; its outcomes, one for each check."))

(defgeneric call-for-tests (framework tests function)
  (:documentation "Calls FUNCTION on each of TESTS with what they need around them.")
  (:method (framework tests function) (declare (ignore framework)) (mapc function tests)))

(defvar *frameworks* '(:fiveam :parachute :rove :rt))

(defun present-p (framework)
  (find-package (framework-package framework)))

(defun its (framework name)
  "The symbol NAME of FRAMEWORK's package; an error without it, since then it is another version than we know."
  (or (find-symbol name (framework-package framework))
      (error "This version of ~(~A~) has no ~A. Run the tests with repl_eval." framework name)))

(defun its-value (framework name)
  (symbol-value (its framework name)))

(defun call-its (framework name &rest arguments)
  (apply (its framework name) arguments))

(defun slot-of (object name)
  "The value of the slot of OBJECT that is called NAME, or NIL."
  (second (find name (slot-parts object) :key #'first :test #'string=)))

;;; FiveAM

(defmethod framework-systems ((framework (eql :fiveam))) '("fiveam"))
(defmethod framework-package ((framework (eql :fiveam))) "IT.BESE.FIVEAM")

(defmethod defined-tests ((framework (eql :fiveam)))
  (loop for name in (call-its :fiveam "TEST-NAMES")
        for test = (call-its :fiveam "GET-TEST" name)
        when (typep test (its :fiveam "TEST-CASE"))
          collect (cons test test)))

(defmethod test-name ((framework (eql :fiveam)) test)
  (slot-of test "NAME"))

(defmethod test-groups ((framework (eql :fiveam)) test)
  "Suites know what is in them."
  (let ((suites (loop for name in (call-its :fiveam "TEST-NAMES")
                      for suite = (call-its :fiveam "GET-TEST" name)
                      when (and name (typep suite (its :fiveam "TEST-SUITE")))
                        collect suite)))
    (labels ((around (object)
               (find-if (lambda (suite)
                          (loop for inner being the hash-values of (slot-of suite "TESTS")
                                  thereis (or (eq inner object) (eq inner (slot-of object "NAME")))))
                        suites)))
      (loop for suite = (around test) then (around suite)
            while suite
            repeat 50
            collect (slot-of suite "NAME")))))

(defmethod test-function ((framework (eql :fiveam)) test)
  (slot-of test "TEST-LAMBDA"))

(defmethod run-test ((framework (eql :fiveam)) test)
  (let ((results (progv (list (its :fiveam "*TEST-DRIBBLE*") (its :fiveam "*ON-ERROR*") (its :fiveam "*ON-FAILURE*"))
                     (list (make-broadcast-stream) nil nil)
                   (call-its :fiveam "RUN" (slot-of test "NAME")))))
    (loop for result in (reverse results)
          collect (make-outcome
                   :status (cond ((typep result (its :fiveam "TEST-PASSED")) :passed)
                                 ((typep result (its :fiveam "TEST-SKIPPED")) :skipped)
                                 (t :failed))
                   :reason (let ((condition (slot-of result "ACTUAL-CONDITION")))
                             (if condition
                                 (format nil "~A: ~A" (type-text condition) (condition-text condition 1000))
                                 (slot-of result "REASON")))
                   :form (slot-of result "TEST-EXPR")
                   :description (slot-of (or (slot-of result "TEST-CASE") test) "DESCRIPTION")))))

;;; RT, also as the contributed module SB-RT

(defmethod framework-systems ((framework (eql :rt))) '("rt" "sb-rt"))
(defmethod framework-package ((framework (eql :rt)))
  (if (find-package "REGRESSION-TEST") "REGRESSION-TEST" "SB-RT"))

(defmethod defined-tests ((framework (eql :rt)))
  (loop for entry in (rest (its-value :rt "*ENTRIES*"))
        collect (cons entry entry)))

(defmethod test-name ((framework (eql :rt)) entry)
  (slot-of entry "NAME"))

(defmethod run-test ((framework (eql :rt)) entry)
  (let* ((raised nil)
         (name (slot-of entry "NAME"))
         (report (with-output-to-string (*standard-output*)
                   ;; Left to itself, RT does not say what the error was.
                   (handler-case (progv (list (its :rt "*CATCH-ERRORS*")) '(nil)
                                   (call-its :rt "DO-TEST" name))
                     (error (error) (setf raised error))))))
    (list (if (member name (call-its :rt "PENDING-TESTS") :test #'equal)
              (make-outcome :status :failed
                            :form (slot-of entry "FORM")
                            :reason (if raised
                                        (format nil "~A: ~A" (type-text raised) (condition-text raised 1000))
                                        "The actual values are not the expected ones.")
                            :values (append (list (list "expected" (format nil "~{~A~^ ~}" (mapcar #'short-text (slot-of entry "VALS")))))
                                            (and (null raised) (list (list "actual" (reported-values report))))))
              (make-outcome)))))

(defun reported-values (report)
  "What RT says the test returned."
  (let* ((start (search "Actual value" report))
         (from (and start (position #\: report :start start))))
    (if from
        (string-trim '(#\Space #\Newline #\.) (subseq report (1+ from)))
        "")))

;;; Parachute

(defmethod framework-systems ((framework (eql :parachute))) '("parachute"))
(defmethod framework-package ((framework (eql :parachute))) "PARACHUTE")

(defmethod defined-tests ((framework (eql :parachute)))
  "Those that are in no other test: a test runs those in it. One that is defined again may stay the same object, but gets a new
list of what it does, or of the tests in it."
  (loop for package in (list-all-packages)
        append (loop for test in (call-its :parachute "PACKAGE-TESTS" package)
                     unless (slot-of test "PARENT")
                       collect (cons (or (slot-of test "TESTS") (slot-of test "CHILDREN") test) test))))

(defmethod test-name ((framework (eql :parachute)) test)
  (let ((name (slot-of test "NAME")))
    (if (symbolp name) name (format nil "~A" name))))

(defmethod test-function ((framework (eql :parachute)) test)
  (find-if #'functionp (slot-of test "TESTS")))

(defmethod run-test ((framework (eql :parachute)) test)
  "By the report that keeps the errors of what is compared. It says of other errors in warnings only, from the inside out."
  (let* ((errors '())
         (nothing (make-broadcast-stream))
         (report (handler-bind ((warning (lambda (warning)
                                           (let ((text (condition-text warning 1000)))
                                             (when (eql 0 (search "Unhandled error when" text))
                                               (push (error-in-warning text) errors)
                                               (muffle-warning warning))))))
                   (let ((*standard-output* nothing))
                     (call-its :parachute "TEST" test :report (its :parachute "PLAIN") :stream nothing)))))
    (parachute-outcomes report (if errors
                                   (format nil "~{~A~^~%~}" (reverse errors))
                                   "It failed outside its checks."))))

(defun error-in-warning (text)
  "What follows the first line of TEXT, which says where the error was."
  (let ((end (position #\Newline text)))
    (string-trim '(#\Space #\Newline) (if end (subseq text end) text))))

(defun parachute-outcomes (report reason)
  "The outcomes of the checks in REPORT, which has each result both under its parent and by itself; and one with REASON for
each test that failed though none of its checks did."
  (let ((seen (make-hash-table :test #'eq))
        (outcomes '()))
    (labels ((parts (result)
               (or (slot-of result "RESULTS") (slot-of result "CHILDREN")))
             (parent-p (result)
               (typep result (its :parachute "PARENT-RESULT")))
             (walk (result)
               "True when something failed in RESULT."
               (multiple-value-bind (failed-p known-p) (gethash result seen)
                 (if known-p
                     failed-p
                     (setf (gethash result seen) (judge result)))))
             (judge (result)
               (let ((failed-p (eq (slot-of result "STATUS") :failed))
                     (inside-p nil))
                 (map nil (lambda (part) (when (walk part) (setf inside-p t))) (parts result))
                 (cond ((not (parent-p result)) (push (check-outcome result) outcomes))
                       ((and failed-p (not inside-p) (not (eq result report)))
                        (push (make-outcome :status :failed :reason (or (slot-of result "DESCRIPTION") reason)) outcomes))
                       ((and (eq (slot-of result "STATUS") :skipped) (zerop (length (parts result))))
                        (push (make-outcome :status :skipped) outcomes)))
                 (or failed-p inside-p))))
      (walk report))
    (nreverse outcomes)))

(defun check-outcome (result)
  "The outcome of RESULT, a check of Parachute's."
  (let ((value (slot-of result "VALUE"))
        (comparison (slot-of result "COMPARISON")))
    (make-outcome
     :status (case (slot-of result "STATUS") (:passed :passed) (:failed :failed) (t :skipped))
     :form (slot-of result "EXPRESSION")
     :description (slot-of result "DESCRIPTION")
     :reason (cond ((typep value 'condition)
                    (format nil "~A: ~A" (type-text value) (condition-text value 1000)))
                   ((null comparison) "It did not finish.")
                   ((member "COMPARISON-GEQ" (slot-parts result)
                            :test (lambda (name part) (and (string= name (first part)) (rest part) (null (second part)))))
                    (format nil "By ~A it is what it should not be." (short-text comparison)))
                   (t (format nil "By ~A it is not what is expected." (short-text comparison))))
     :values (and comparison
                  (list (list "expected" (short-text (slot-of result "EXPECTED")))
                        (list "actual" (short-text value)))))))

;;; Rove

(defmethod framework-systems ((framework (eql :rove))) '("rove"))
(defmethod framework-package ((framework (eql :rove))) "ROVE/CORE/SUITE/PACKAGE")

(defmethod defined-tests ((framework (eql :rove)))
  (loop for suite in (call-its :rove "ALL-SUITES")
        append (loop for name in (call-its :rove "SUITE-TESTS" suite)
                     collect (cons (call-its :rove "GET-TEST" name) name))))

(defmethod test-name ((framework (eql :rove)) name) name)

(defmethod test-function ((framework (eql :rove)) name)
  (call-its :rove "GET-TEST" name))

(defmethod call-for-tests ((framework (eql :rove)) tests function)
  "Each suite's set-up once, its hooks around each test."
  (flet ((run-hooks (hooks)
           (dolist (hook (reverse hooks))
             (funcall (if (consp hook) (cdr hook) hook)))))
    (dolist (suite (call-its :rove "ALL-SUITES"))
      (let ((own (intersection (call-its :rove "SUITE-TESTS" suite) tests)))
        (when own
          (let ((*package* (slot-of suite "PACKAGE")))
            (when (slot-of suite "SETUP")
              (funcall (slot-of suite "SETUP")))
            (unwind-protect
                 (dolist (test (remove-if-not (lambda (test) (member test own)) (call-its :rove "SUITE-TESTS" suite)))
                   (run-hooks (slot-of suite "BEFORE-HOOKS"))
                   (unwind-protect (funcall function test)
                     (run-hooks (slot-of suite "AFTER-HOOKS"))))
              (when (slot-of suite "TEARDOWN")
                (funcall (slot-of suite "TEARDOWN"))))))))))

(defmethod run-test ((framework (eql :rove)) name)
  (let ((stats (make-instance (find-symbol "STATS" "ROVE/CORE/STATS")))
        (outcomes '()))
    (progv (list (find-symbol "*STATS*" "ROVE/CORE/STATS")) (list stats)
      (funcall (call-its :rove "GET-TEST" name)))
    (labels ((walk (result)
               (if (typep result (find-symbol "ASSERTION" "ROVE/CORE/RESULT"))
                   (push (outcome result) outcomes)
                   (let ((before outcomes))
                     (dolist (slot '("PASSED" "FAILED" "PENDING"))
                       (map nil #'walk (slot-of result slot)))
                     (when (and (is-p result "FAILED")
                                (not (find :failed (ldiff outcomes before) :key #'outcome-status)))
                       (push (make-outcome :status :failed :reason "The number of its checks is not the one that it plans.")
                             outcomes)))))
             (is-p (result class)
               (typep result (find-symbol class "ROVE/CORE/RESULT")))
             (outcome (assertion)
               (let ((reason (slot-of assertion "REASON")))
                 (make-outcome
                  :status (cond ((is-p assertion "PASSED") :passed) ((is-p assertion "PENDING") :skipped) (t :failed))
                  :form (slot-of assertion "FORM")
                  :description (slot-of assertion "DESC")
                  :reason (if (typep reason 'condition)
                              (format nil "~A: ~A" (type-text reason) (condition-text reason 1000))
                              (format nil "~A" (or reason (ignore-errors
                                                           (funcall (find-symbol "ASSERTION-DESCRIPTION" "ROVE/CORE/RESULT")
                                                                    assertion))
                                                   "It does not hold.")))
                  :values (loop for value in (let ((values (slot-of assertion "VALUES"))) (and (listp values) values))
                                for argument in (let ((arguments (slot-of assertion "ARGS"))) (and (listp arguments) arguments))
                                unless (constantp argument)
                                  collect (list (short-text argument) (short-text value)))))))
      (walk stats))
    (nreverse outcomes)))

;;; Running

(defun answer-run-tests (&rest arguments &key path system framework tests &allow-other-keys)
  "Loads tests afresh and runs them; the fields of the answer."
  (let ((tally (make-tally)))
    (let ((answer (call-working
                   (lambda (work)
                     (multiple-value-bind (result status)
                         (call-catching-exit
                          (lambda ()
                            (cond ((null path) (run-system-tests work tally system framework tests))
                                  ((equalp (pathname-type path) "asd")
                                   (run-system-tests work tally (pathname-name path) framework tests))
                                  (t (run-file-tests work tally path framework tests)))))
                       (setf (tally-exit-status tally) status)
                       (or result (list :outcome :tested))))
                   arguments)))
      (if (eq (getf answer :outcome) :refused)
          answer
          (append answer (tally-fields tally))))))

(defun run-file-tests (work tally path framework wanted)
  (let ((known (known-tests)))
    (load-source-file work path)
    (setf (tally-files tally) (list path))
    (run-new-tests tally known (wanted-frameworks framework *frameworks*) wanted)
    (list :outcome :tested)))

(defun run-system-tests (work tally name framework wanted)
  (reload-changed-definitions)
  (let ((systems (mapcar #'asdf:component-name (test-systems (find-system-or-refuse name)))))
    (dolist (system systems)
      (let ((known (known-tests)))
        (load-test-system work system)
        (setf (tally-files tally) (mapcar #'first (work-files work)))
        (let* ((system (asdf:find-system system))
               (named (or (frameworks-of system)
                          (remove-duplicates (mapcan #'frameworks-of (project-systems system)))))
               (found (run-new-tests tally known (wanted-frameworks framework (or named *frameworks*)) wanted)))
          (when (and (null found) (null wanted) (custom-test-p system)
                     (or (null framework) (equalp framework "asdf")))
            (run-test-operation tally system)))))
    (list :outcome :tested)))

(defun project-systems (system)
  "SYSTEM and the systems of the project that it needs."
  (remove-if-not (lambda (one)
                   (let ((source (asdf:system-source-file one)))
                     (and source (project-file-p source))))
                 (plan-systems system)))

(defun load-test-system (work name)
  "Loads the system NAME and, afresh too, all systems of the project that define tests for it."
  (let ((system (asdf:find-system name)))
    (dolist (other (call-with-libraries (lambda () (project-systems system))))
      (when (and (not (eq other system)) (frameworks-of other))
        (asdf:clear-system other)))
    (load-named-system work name t nil)))

(defun wanted-frameworks (name default)
  (cond ((or (null name) (equalp name "auto")) default)
        ((equalp name "asdf") '())
        (t (or (remove name *frameworks* :test-not #'string-equal)
               (error "There is no framework ~S; there are ~{~(~A~)~^, ~} and asdf." name *frameworks*)))))

(defun known-tests ()
  "The identities of all tests that are defined now."
  (loop for framework in *frameworks*
        when (present-p framework)
          append (mapcar #'car (defined-tests framework))))

(defun run-new-tests (tally known frameworks wanted)
  "Runs the tests of FRAMEWORKS that are not among KNOWN and that are WANTED by name; true when there were any."
  (let ((any nil))
    (dolist (framework frameworks)
      (when (present-p framework)
        (let ((tests (loop for (identity . test) in (defined-tests framework)
                           unless (member identity known)
                             collect test)))
          (when tests
            (setf any t
                  (tally-framework tally) (string-downcase framework))
            (run-some-tests tally framework tests wanted)))))
    any))

(defun run-some-tests (tally framework tests wanted)
  (let ((tests (sort (copy-list tests) #'< :key (lambda (test) (definition-order tally framework test)))))
    (dolist (test tests)
      (push (full-name (test-name framework test)) (tally-names tally)))
    (call-for-tests framework
                    (remove-if-not (lambda (test) (wanted-p framework test wanted)) tests)
                    (lambda (test) (run-one-test tally framework test)))))

(defun definition-order (tally framework test)
  "A number that grows with the place of TEST in its files."
  (let* ((place (test-place tally framework test))
         (file (position (getf place :file) (tally-files tally) :test #'equal)))
    (+ (* 1000000 (or file 0)) (or (getf place :line) 0))))

(defun full-name (name)
  (if (and (symbolp name) (symbol-package name))
      (format nil "~(~A::~A~)" (package-name (symbol-package name)) (symbol-name name))
      (format nil "~A" name)))

(defun wanted-p (framework test wanted)
  "True when WANTED is empty or has the name of TEST or of a group it is in, with its package or without."
  (or (null wanted)
      (loop for name in (cons (test-name framework test) (test-groups framework test))
              thereis (loop for text in wanted
                              thereis (or (string-equal text (full-name name))
                                          (string-equal (substitute-qualifier text) (full-name name))
                                          (string-equal text (string name)))))))

(defun substitute-qualifier (text)
  "TEXT with two colons where it has one."
  (let ((colon (position #\: text)))
    (if (and colon (plusp colon) (not (find #\: text :start (1+ colon))))
        (format nil "~A:~A" (subseq text 0 colon) (subseq text colon))
        text)))

(defun run-one-test (tally framework test)
  (let ((name (full-name (test-name framework test))))
    (setf (tally-running tally) name)
    (tell-progress "testing ~A" name)
    (let* ((outcomes (run-test framework test))
           (failed (remove :failed outcomes :key #'outcome-status :test-not #'eq)))
      (setf (tally-running tally) nil)
      (cond (failed
             (incf (tally-failed tally))
             (let* ((place (test-place tally framework test))
                    (symbol (test-name framework test))
                    ;; Forms are shown as they are written.
                    (*package* (or (and (symbolp symbol) (symbol-package symbol)) *package*)))
               (dolist (outcome failed)
                 (when (< (length (tally-failures tally)) +most-failures+)
                   (push (failure-fields name (test-groups framework test) outcome place) (tally-failures tally))))))
            ((find :passed outcomes :key #'outcome-status) (incf (tally-passed tally)))
            (t (incf (tally-skipped tally)))))))

(defun failure-fields (name groups outcome place)
  (flet ((text (value)
           (if (stringp value) (subseq value 0 (min 2000 (length value))) (short-text value))))
    (append (list :name name
                  :description (let ((description (outcome-description outcome)))
                                 (if (and description (not (equal description "")))
                                     (text description)
                                     (format nil "~{~(~A~)~^ / ~}" (reverse groups))))
                  :reason (text (or (outcome-reason outcome) "It does not hold."))
                  :values (outcome-values outcome))
            (and (outcome-form outcome) (list :form (text (outcome-form outcome))))
            place)))

(defun test-place (tally framework test)
  "(:FILE namestring :LINE i) of the definition of TEST: as its function knows it, else where its name follows a head such as
deftest."
  (or (let ((function (test-function framework test)))
        (let ((place (and (functionp function) (function-place function))))
          ;; One that is compiled when it runs has no place of its own.
          (and (member (getf place :file) (tally-files tally) :test #'equal) place)))
      (let ((name (test-name framework test)))
        (loop for file in (tally-files tally)
              for line = (definition-line file (string name))
              when line
                return (list :file file :line line)))))

(defun definition-line (file name)
  "The line of FILE that begins with a form that has \"test\" in its head and is followed by NAME, or NIL."
  (with-open-file (stream file :if-does-not-exist nil :external-format (lenient-utf-8))
    (and stream
         (loop for line = (read-line stream nil)
               for number from 1
               while line
               do (let ((blank (position #\Space line)))
                    (when (and blank (plusp (length line)) (char= (char line 0) #\()
                               (search "test" line :end2 blank :test #'char-equal)
                               (name-follows-p name line blank))
                      (return number)))))))

(defun name-follows-p (name line start)
  (let* ((from (position-if-not (lambda (character) (find character " (")) line :start start))
         (to (and from (or (position-if (lambda (character) (find character " ()")) line :start from) (length line)))))
    (and from (string-equal name (subseq line from to)))))

(defun run-test-operation (tally system)
  "Runs what TEST-OP does for SYSTEM. It says only whether it ended in an error, so it counts as one test."
  (let ((name (format nil "test-op of ~A" (asdf:component-name system)))
        (failure nil))
    (setf (tally-framework tally) "asdf"
          (tally-running tally) name)
    (push name (tally-names tally))
    (tell-progress "performing ~A" name)
    (handler-case (asdf:perform (asdf:make-operation 'asdf:test-op) system)
      (error (error)
        (setf failure (format nil "~A: ~A" (type-text error) (condition-text error 1000)))))
    (setf (tally-running tally) nil)
    (cond (failure
           (incf (tally-failed tally))
           (push (list :name name :description "" :reason failure :values '()
                       :file (namestring (asdf:system-source-file system)))
                 (tally-failures tally)))
          (t (incf (tally-passed tally))))))
