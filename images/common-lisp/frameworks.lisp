;;;; What a test framework is to the agent. Each is a file of frameworks/, and answers these generic functions as far as
;;;; it can.
;;;;
;;;; Its tests can be run one by one when it lists those that are defined now, and runs one; tests.lisp selects them.
;;;; Those that something else runs, a test-op or a file, are observed (observing.lisp).
;;;; A framework is used by its exported names where there are some, and by the slots of its objects. All of it is looked up
;;;; by name: this file is read without any framework.

(in-package "LISPWRIGHT.AGENT")

(defstruct outcome
  "The result of one check of a test."
  (status :passed)                      ; :PASSED, :FAILED or :SKIPPED
  (test nil)                            ; the test of this check, or NIL for the one that was run
  (condition nil)                       ; the error that is the reason
  reason form values description)

(defvar *watching* nil "While tests are observed, in their thread: :OUTSIDE of every function that runs tests, or :INSIDE of one.")

(defvar *present-tests* (make-hash-table :test #'eq) "The tests that loading has just defined, as keys.")

;;; The protocol of a framework

(defgeneric framework-systems (framework)
  (:documentation "The names of the systems of FRAMEWORK, a keyword.")
  (:method (framework) (list (string-downcase framework))))

(defgeneric framework-name (framework)
  (:documentation "Its name for users.")
  (:method (framework) (string-downcase framework)))

(defgeneric framework-package (framework)
  (:documentation "The name of its package."))

(defgeneric report-variables (framework)
  (:documentation "((package . names) ...) of the variables with the streams that its reports go to.")
  (:method (framework) (declare (ignore framework)) '()))

(defgeneric debugger-switches (framework)
  (:documentation "((package . names) ...) of the variables that make it enter the debugger instead of recording a failure:
nobody is there to go on with the other tests.")
  (:method (framework) (declare (ignore framework)) '()))

(defgeneric defined-tests (framework)
  (:documentation "((identity . test) ...) of all tests there are; a test that is defined again has another identity.")
  (:method (framework) (declare (ignore framework)) '()))

(defgeneric test-name (framework test)
  (:documentation "The symbol or string that names TEST.")
  (:method (framework test) (declare (ignore framework)) test))

(defgeneric test-groups (framework test)
  (:documentation "The names of the groups that TEST is in, innermost first.")
  (:method (framework test) (declare (ignore framework test)) '()))

(defgeneric test-parent (framework test)
  (:documentation "The test that runs TEST as a part, or NIL.")
  (:method (framework test) (declare (ignore framework test)) nil))

(defgeneric inner-tests (framework test)
  (:documentation "The tests that TEST runs as parts.")
  (:method (framework test) (declare (ignore framework test)) '()))

(defgeneric test-function (framework test)
  (:documentation "A function that was compiled from TEST's definition, or NIL.")
  (:method (framework test)
    (declare (ignore framework))
    (and (symbolp test) (fboundp test) (fdefinition test))))

(defgeneric run-alone (framework test)
  (:documentation "Runs TEST as the framework runs one test."))

(defgeneric run-test (framework test)
  (:documentation "Runs TEST; returns its outcomes, one for each check of it and of the tests in it. The framework's own
runner is observed, unless there is another way.")
  (:method (framework test)
    (let ((noted '())
          (*watching* :outside))
      (call-observing framework
                      (lambda (one outcomes)
                        (when (equal one test)
                          (setf noted (append noted outcomes))))
                      (lambda () (run-alone framework test)))
      noted)))

(defgeneric call-for-tests (framework tests function)
  (:documentation "Calls FUNCTION on each of TESTS in the dynamic context that they need.")
  (:method (framework tests function) (declare (ignore framework)) (mapc function tests)))

(defgeneric call-observing (framework note function)
  (:documentation "Calls FUNCTION. NOTE is called with each test of FRAMEWORK that runs meanwhile and its outcomes; of a run
that something ends early, with those that had ended."))

(defvar *frameworks* '(:fiveam :parachute :rove :rt :sb-rt :fiasco :stefil :hu.dwim.stefil :lisp-unit2 :1am :lift)
  "Those whose tests can be run one by one.")

(defvar *observed-frameworks* (append *frameworks* '(:lisp-unit :prove :try)))

(defun present-p (framework)
  (find-package (framework-package framework)))

(defun its (framework name)
  "The symbol NAME of FRAMEWORK's package. Its absence is an error, because it means an unknown version."
  (or (find-symbol name (framework-package framework))
      (error "This version of ~(~A~) has no ~A. Run the tests with repl_eval." framework name)))

(defun its-value (framework name)
  (symbol-value (its framework name)))

(defun call-its (framework name &rest arguments)
  (apply (its framework name) arguments))

(defun slot-of (object name)
  "The value of the slot of OBJECT that is called NAME, or NIL."
  (second (find name (slot-parts object) :key #'first :test #'string=)))

(defun is-of-class (object name)
  "True when OBJECT's class, or a superclass, is called NAME."
  (let ((symbol (find-symbol name (symbol-package (class-name (class-of object))))))
    (and symbol (find-class symbol nil) (typep object symbol))))

;;; Outcomes

(defun failed-check (reason &key form values description)
  "The outcome of a check that has failed for REASON, a text or a condition."
  (make-outcome :status :failed :form form :values values :description description
                :condition (and (typep reason 'condition) reason)
                :reason (if (typep reason 'condition) (condition-reason reason) reason)))

(defun condition-reason (condition)
  (format nil "~A: ~A" (type-text condition) (on-one-line (condition-text condition 1000))))

(defun outcomes-as (status)
  (list (make-outcome :status status)))

(defun failed-p (outcome)
  (eq (outcome-status outcome) :failed))

(defun on-one-line (reason)
  "A short REASON without line breaks: some frameworks and conditions put each word on a line."
  (let* ((words (and (stringp reason) (uiop:split-string reason :separator '(#\Space #\Newline))))
         (line (format nil "~{~A~^ ~}" (remove "" words :test #'string=))))
    (if (<= 1 (length line) 160) line reason)))
