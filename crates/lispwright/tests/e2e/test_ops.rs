//! The own `test-op` of a system: the tests that are seen to run, the meaning of printed lines, and that only tests
//! that were seen to pass count as passed.

use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Answer, Session, binary, cache};
use crate::libraries::{counts, failures, framework};

const BOTH: [&str; 2] = ["sbcl", "ecl"];

const SUITE: &str = "(defpackage :mill/tests (:use :cl :fiveam))
(in-package :mill/tests)
(def-suite :ground)
(def-suite :meant-to-fail)
(in-suite :ground)
(test fine (is (= 3 (+ 1 2))))
(test coarse (is (= 4 (+ 1 2)) \"four\"))
(test stuck (break \"sand in it\"))
(test any (for-all ((n (gen-integer :min 5 :max 5))) (is (< n 3))))
(test empty 1)
(in-suite :meant-to-fail)
(test always (is (= 1 2)))
";

/// A project whose system `mill` performs `perform` as its test-op and has `text` in its file.
fn performing(depends_on: &str, perform: &str, text: &str) -> Session {
    let session = Session::new();
    perform_with(&session, depends_on, perform, text);
    session
}

fn perform_with(session: &Session, depends_on: &str, perform: &str, text: &str) {
    let definition = format!(
        "(defsystem \"mill\" :depends-on ({depends_on}) :components ((:file \"mill\")) :perform (test-op (o c) {perform}))\n"
    );
    session.project.file("mill.asd", definition);
    session.project.file("mill.lisp", text);
}

fn run(session: &mut Session, runtime: &str, more: Value) -> Answer {
    let mut arguments = json!({ "system": "mill", "runtime": runtime });
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    session.client.call("run_tests", arguments)
}

/// The exit code of `lispwright test mill`.
fn exit_code(session: &Session) -> Option<i32> {
    let mut command = Command::new(binary());
    command.args(["test", "mill", "--root"]).arg(session.project.root()).env("XDG_CACHE_HOME", cache());
    command.output().unwrap().status.code()
}

#[test]
fn the_results_of_a_test_op_that_prints_them_and_returns_nil_are_counted() {
    let session = &mut performing("\"fiveam\"", "(symbol-call :fiveam :run! :ground)", SUITE);
    for runtime in BOTH {
        let answer = run(session, runtime, json!({}));
        counts(&answer, "fiveam", [1, 3, 1]);
        let mut failed = failures(&answer);
        failed.sort_by_key(|failure| failure.3);
        let names: Vec<(&str, u64)> = failed.iter().map(|(name, _, _, line)| (name.as_str(), *line)).collect();
        let expected = [("mill/tests::coarse", 7), ("mill/tests::stuck", 8), ("mill/tests::any", 9)];
        assert_eq!(names, expected, "{runtime}: {}", answer.text);
        assert!(failed[1].1.contains("It entered the debugger. SIMPLE-CONDITION: sand in it"), "{}", answer.text);
        assert!(failed[2].1.starts_with("Falsifiable with (5)\n") && failed[2].2 == "(< N 3)", "{}", answer.text);
        // Tests that the project's own run leaves out are reported, and run on request.
        assert!(
            answer.text.contains(
                "[note] 1 of the tests is not part of the test-op and did not run: mill/tests::always. \
                 To run all: run_tests {\"system\": \"mill\", \"framework\": \"fiveam\"}."
            ),
            "{runtime}: {}",
            answer.text
        );
        assert!(!answer.text.contains("Running test"), "{}", answer.text);
        counts(&run(session, runtime, json!({ "framework": "fiveam" })), "fiveam", [1, 4, 1]);
        // A suite named by a keyword has two names.
        for name in [":ground", "ground", "#:ground"] {
            counts(&run(session, runtime, json!({ "test": name })), "fiveam", [1, 3, 1]);
        }
    }
    let none = run(session, "sbcl", json!({ "test": ":sand" }));
    assert!(none.is_error && none.text.contains("Groups: :ground, :meant-to-fail."), "{}", none.text);
    assert_eq!(exit_code(session), Some(1));
}

#[test]
fn a_long_list_of_names_says_that_it_is_cut() {
    let tests: String = (0..42).map(|number| format!("(test t{number} (is-true t))\n")).collect();
    let text = format!("(defpackage :mill/tests (:use :cl :fiveam))\n(in-package :mill/tests)\n{tests}");
    let session = &mut performing("\"fiveam\"", "(symbol-call :fiveam :run-all-tests)", &text);
    let none = run(session, "sbcl", json!({ "test": "sand" }));
    assert!(none.text.contains(" and 12 more."), "{}", none.text);
}

#[test]
fn a_test_op_that_delegates_is_followed() {
    let session = &mut Session::new();
    session.project.file("tests.lisp", SUITE);
    for perform in [
        "(asdf:perform 'test-op :mill-test)",
        "(asdf:operate 'asdf:test-op \"mill-test\")",
        "(asdf:test-system :mill-test)",
        "(progn (asdf:load-system :mill-test) (asdf:perform (asdf:make-operation 'asdf:test-op) (asdf:find-system :mill-test)))",
    ] {
        // Only the framework that it needs runs its own tests.
        let definition = format!(
            "(defsystem \"mill\" :perform (test-op (o c) {perform}))\n\
             (defsystem \"mill-test\" :depends-on (\"fiveam\") :components ((:file \"tests\")))\n"
        );
        session.project.file("mill.asd", definition);
        let answer = run(session, "sbcl", json!({}));
        counts(&answer, "fiveam", [1, 4, 1]);
        assert_eq!(answer.fields["failed_tests"][0]["source"], json!({ "path": "tests.lisp", "line": 7 }), "{perform}");
        assert!(!answer.text.contains("System definition file"), "{}", answer.text);
    }
}

#[test]
fn a_test_op_that_loads_its_tests_is_performed_once_and_loads_without_output() {
    let session = &mut Session::new();
    session.project.file("tests.lisp", SUITE);
    // The mistakes of what is loaded are diagnostics.
    session.project.file("lib/axle.asd", "(defsystem \"axle\" :components ((:file \"axle\")))\n");
    session.project.file("lib/axle.lisp", "(defun axle (spare) 1)\n");
    let perform =
        "(progn (asdf:load-system :mill-test) (format t \"performing~%\") (symbol-call :fiveam :run! :ground))";
    let definition = format!(
        "(defsystem \"mill\" :perform (test-op (o c) {perform}))\n\
         (defsystem \"mill-test\" :depends-on (\"axle\" \"fiveam\") :components ((:file \"tests\")))\n"
    );
    session.project.file("mill.asd", definition);
    for runtime in BOTH {
        let answer = run(session, runtime, json!({}));
        counts(&answer, "fiveam", [1, 3, 1]);
        assert_eq!(answer.text.matches("performing").count(), 1, "{runtime}: {}", answer.text);
        assert_eq!(answer.fields["diagnostics"][0]["path"], "lib/axle.lisp", "{runtime}: {}", answer.text);
        for chatter in ["caught", "compiling", "Lisp compilation", "just-done"] {
            assert!(!answer.text.contains(chatter), "{runtime}: {}", answer.text);
        }
    }
}

#[test]
fn a_framework_that_needs_a_test_op_says_so() {
    let session = &mut framework("try", include_str!("stand_ins/try.lisp"));
    session.project.file(
        "tests.lisp",
        "(defpackage :mill/tests (:use :cl :try))\n(in-package :mill/tests)\n(deftest good () (is t))\n",
    );
    let answer = session.client.call("run_tests", json!({ "system": "mill/tests" }));
    assert!(answer.is_error && answer.text.contains("It has no test-op, and tests of try count"), "{}", answer.text);
}

#[test]
fn rt_results_are_counted_by_entry() {
    let text = "(defpackage :mill (:use :cl :rt))\n(in-package :mill)\n(deftest one (+ 1 2) 3)\n(deftest two (list 1) (2))\n\
                (deftest three (error \"sand\") 1)\n";
    let session = &mut performing("\"rt\"", "(symbol-call :rt :do-tests)", text);
    for runtime in BOTH {
        let answer = run(session, runtime, json!({}));
        counts(&answer, "rt", [1, 2, 0]);
        let failed = failures(&answer);
        assert_eq!((failed[0].3, failed[1].3), (4, 5), "{}", answer.text);
        assert!(failed[1].1.contains("SIMPLE-ERROR: sand"), "{}", answer.text);
    }
    // The same with SB-RT, and with tests that the test-op loads.
    let text = text.replace(":rt))", ":sb-rt))");
    let loading = "(progn (load (system-relative-pathname :mill \"late.lisp\")) (symbol-call :sb-rt :do-tests))";
    perform_with(session, "", loading, "");
    session.project.file("late.lisp", format!("(require :sb-rt)\n{text}"));
    counts(&run(session, "sbcl", json!({ "session": "late" })), "rt", [1, 2, 0]);
}

#[test]
fn rt_takes_an_expected_failure_for_none() {
    let text = "(defpackage :mill (:use :cl :rt))\n(in-package :mill)\n(deftest one 1 1)\n(deftest known-bug (+ 1 1) 3)\n\
                (deftest mended (+ 1 1) 2)\n";
    let perform = "(progv (list (find-symbol* :*expected-failures* :rt)) \
                   (list (mapcar (lambda (name) (find-symbol* name :mill)) '(:known-bug :mended))) (symbol-call :rt :do-tests))";
    let session = &mut performing("\"rt\"", perform, text);
    for runtime in BOTH {
        let answer = run(session, runtime, json!({}));
        counts(&answer, "rt", [2, 0, 1]);
        assert!(answer.text.contains("[note] mill::mended passed, and was expected to fail."), "{}", answer.text);
        // Its report says nothing that is not told already.
        assert!(!answer.text.contains("[stdout]"), "{}", answer.text);
    }
    assert_eq!(exit_code(session), Some(0));
}

#[test]
fn tests_are_twins_only_if_both_have_the_name() {
    let session = &mut Session::new();
    let of_hh = "(defsystem \"hh\" :components ((:file \"hh\")) :in-order-to ((test-op (test-op \"hh-t\"))))\n\
                 (defsystem \"hh-t\" :depends-on (\"hh\" \"fiveam\") :components ((:file \"hh-test\"))\n  \
                 :perform (test-op (o c) (symbol-call :fiveam :run! :hh)))\n";
    let tests = "(defpackage :hh-test (:use :cl :fiveam))\n(in-package :hh-test)\n(def-suite :hh)\n(in-suite :hh)\n\
                 (test one (is (= 1 1)))\n";
    session.project.file("hh.asd", of_hh);
    session.project.file("hh.lisp", "(defpackage :hh (:use :cl))\n");
    session.project.file("hh-test.lisp", tests);
    let answer = session.client.call("run_tests", json!({}));
    counts(&answer, "fiveam", [1, 0, 0]);
    assert!(!answer.text.contains("only the last one ran"), "{}", answer.text);

    // The first argument of this macro is a group.
    let text = "(defpackage :mill (:use :cl))\n(in-package :mill)\n(defvar *tests* '())\n(defmacro deftest (unit name &body body)\n  \
                `(push (list ,unit ,name (lambda () ,@body)) *tests*))\n(deftest :unit \"one\" (assert (= 1 1)))\n\
                (deftest :unit \"two\" (assert (= 2 2)))\n(defun run () (dolist (test *tests*) (funcall (third test))) \
                (format t \"2 tests passed~%\"))\n";
    let session = &mut performing("", "(symbol-call :mill :run)", text);
    let answer = run(session, "sbcl", json!({}));
    assert!(!answer.text.contains("only the last one ran"), "{}", answer.text);
}

#[test]
fn an_error_shows_the_calls_of_the_project_that_led_to_it() {
    let text = "(defpackage :mill (:use :cl :fiveam))\n(in-package :mill)\n(defun grind (x)\n  (* 2 x))\n(defun turn (x)\n  \
                (list (grind x)))\n(test handled (signals type-error (turn :a)))\n(test raises (is (equal '(4) (turn :b))))\n\
                (test fails (is (= 1 2)))\n(test fails (princ \"seen\") (is (= 1 3)))\n";
    let session = &mut performing("\"fiveam\"", "(symbol-call :fiveam :run-all-tests)", text);
    for runtime in BOTH {
        let answer = run(session, runtime, json!({}));
        counts(&answer, "fiveam", [1, 2, 0]);
        // ECL's functions do not know their files.
        if runtime == "sbcl" {
            let led = "  in (GRIND :B)  mill.lisp:3\n";
            assert!(answer.text.contains(led), "{}", answer.text);
            let frames = &answer.fields["failed_tests"][0]["frames"];
            assert_eq!((&frames[1]["call"], &frames[1]["path"]), (&json!("(TURN :B)"), &json!("mill.lisp")));
        }
        // What a test prints is shown; two tests of one name are told.
        assert!(answer.text.contains("[stdout]\nseen"), "{runtime}: {}", answer.text);
        let twins = "[note] mill.lisp:9 and mill.lisp:10 define fails; only the last one ran.";
        assert!(answer.text.contains(twins) && answer.text.contains("FAILED mill.lisp:10: "), "{}", answer.text);
    }
}

#[test]
fn without_a_known_framework_a_printed_line_decides() {
    let session = &mut performing("", "t", "");
    let failed = Some([0, 1, 0]);
    let passed = Some([1, 0, 0]);
    for (perform, expected, says) in [
        ("(progn (format t \"FAIL: 3 of 5~%\") nil)", failed, "It printed: FAIL: 3 of 5"),
        ("(format t \"4 out of 332 total tests failed: A, B.~%\")", failed, "4 out of 332"),
        ("(progn (format t \"Some tests failed.~%\") t)", failed, "Some tests failed."),
        ("(format t \"All tests passed.~%   Fail: 2 (66%)~%\")", failed, "Fail: 2"),
        ("(format t \"6 of 6 tests passed~%\")", passed, "which passed by what it printed: 6 of 6 tests passed"),
        ("(progn (format t \"All tests passed.\") (uiop:quit 0))", passed, "All tests passed."),
        ("(progn (format t \"All tests passed.\") (uiop:quit 3))", failed, "It called exit with code 3."),
        ("(progn (format t \"6 of 6 tests passed~%\") (error \"the axle broke\"))", failed, "the axle broke"),
        ("(break \"look here\")", failed, "It entered the debugger."),
        ("(progn (format t \"All tests passed~%\") (warn \"1 test failed\"))", failed, "It printed: 1 test failed"),
        ("(format t \"80% of tests passed (4/5)\")", failed, "It printed: 80% of tests passed"),
        ("(format t \"✓ raises match-failed in all cases~%2 tests passed~%\")", passed, "2 tests passed"),
        ("nil", None, "The test-op of mill returned NIL. No test of a framework was seen to run"),
        ("t", None, "The test-op of mill returned T."),
        ("(progn (format t \"Did 0 checks.~%All tests passed.~%\") t)", None, "It is unknown how tests went: "),
        ("(progn (format t \"200 OK~%\") 1)", None, "It is unknown how tests went: "),
    ] {
        perform_with(session, "", perform, "");
        let answer = run(session, "sbcl", json!({}));
        counts(&answer, "asdf", expected.unwrap_or_default());
        assert_eq!(answer.fields["unknown"], json!(u8::from(expected.is_none())), "{perform}: {}", answer.text);
        assert!(answer.text.contains(says), "{perform}: {}", answer.text);
        if expected.is_none() && perform == "t" {
            assert_eq!(exit_code(session), Some(1), "{perform}");
        }
    }
    perform_with(session, "", "(format t \"6 of 6 tests passed~%\")", "");
    assert_eq!(exit_code(session), Some(0));
}

#[test]
fn a_test_op_that_exits_or_raises_after_its_tests_adds_nothing_to_them() {
    for perform in [
        "(unless (symbol-call :fiveam :run! :ground) (uiop:quit 1))",
        "(unless (symbol-call :fiveam :run! :ground) (error \"They failed.\"))",
    ] {
        let session = &mut performing("\"fiveam\"", perform, SUITE);
        let answer = run(session, "sbcl", json!({}));
        assert!(!answer.is_error, "{}", answer.text);
        counts(&answer, "fiveam", [1, 3, 1]);
        let ended =
            "[note] The test-op of mill then ended in an error, and nothing ran after it: SIMPLE-ERROR: They failed.";
        assert_eq!(answer.text.contains(ended), perform.contains("error"), "{}", answer.text);
    }
    let leaving = SUITE.replace("(break \"sand in it\")", "(uiop:quit 0)");
    let session = &mut performing("\"fiveam\"", "(symbol-call :fiveam :run! :ground)", &leaving);
    let answer = run(session, "sbcl", json!({}));
    assert!(answer.is_error && answer.text.contains("mill/tests::stuck called exit with code 0"), "{}", answer.text);
}

#[test]
fn an_image_that_is_told_to_end_during_its_tests_has_not_run_them() {
    let perform = "(uiop:run-program (format nil \"kill -TERM ~D\" (symbol-call :sb-posix :getpid))) (sleep 60)";
    let session = &mut performing("\"fiveam\"", perform, SUITE);
    let answer = run(session, "sbcl", json!({}));
    assert_eq!(answer.fields["code"], "SESSION_LOST", "{}", answer.text);
}

#[test]
fn a_suite_without_tests_is_no_success() {
    let text = "(fiveam:def-suite :ground)\n";
    let session = &mut performing("\"fiveam\"", "(symbol-call :fiveam :run! :ground)", text);
    let answer = run(session, "sbcl", json!({}));
    assert_eq!((&answer.fields["passed"], &answer.fields["unknown"]), (&json!(0), &json!(1)), "{}", answer.text);
    assert_eq!(exit_code(session), Some(1));
}

/// A passing test, a failing one, and one with an error: in a whole run, by name and by file. What their reporters print is
/// left out.
#[test]
fn the_results_of_other_frameworks_are_read() {
    for (name, text, run, tests, expected) in [
        (
            "fiasco",
            include_str!("stand_ins/fiasco.lisp"),
            "(symbol-call :fiasco :run-tests :all)",
            "(:use :cl :fiasco)) (in-package :mill/tests)
(deftest good () (is (= 1 1)))
(deftest bad () (is (= 1 2)))
(deftest raises () (is t) (error \"sand\"))
(deftest nothing () 1)
(deftest later () (skip))",
            [1, 2, 2],
        ),
        (
            "hu.dwim.stefil",
            include_str!("stand_ins/hu.dwim.stefil.lisp"),
            "(symbol-call :hu.dwim.stefil :run-tests :all)",
            "(:use :cl :hu.dwim.stefil)) (in-package :mill/tests)
(deftest good () (is (= 1 1)))
(deftest bad () (is (= 1 2)))
(deftest raises () (error \"sand\"))",
            [1, 2, 0],
        ),
        (
            "lisp-unit2",
            include_str!("stand_ins/lisp-unit2.lisp"),
            "(symbol-call :lisp-unit2 :run-tests :package :mill/tests)",
            "(:use :cl :lisp-unit2)) (in-package :mill/tests)
(define-test good () (assert-eql 1 1))
(define-test bad () (assert-eql 1 2))
(define-test raises () (assert-eql 1 1) (error \"sand\"))
(define-test nothing () 1)",
            [1, 2, 1],
        ),
        (
            "prove",
            include_str!("stand_ins/prove.lisp"),
            "(symbol-call :mill/tests :go-on)",
            "(:use :cl :prove)) (in-package :mill/tests)
(defun go-on () (plan 5) (is 1 1 \"good\") (is 1 2 \"bad\") (skip 1 \"later\") (subtest \"raises\" (is t t) (is 3 4)) (finalize))",
            [1, 2, 1],
        ),
        (
            "1am",
            include_str!("stand_ins/1am.lisp"),
            "(symbol-call :1am :run)",
            "(:use :cl :1am)) (in-package :mill/tests)
(test good (is (= 1 1)))
(test nothing 1)
(test bad (is (= 1 2)))
(test raises (error \"sand\"))",
            [1, 2, 1],
        ),
        (
            "lift",
            include_str!("stand_ins/lift.lisp"),
            "(symbol-call :lift :run-tests :suite (find-symbol* :all :mill/tests))",
            "(:use :cl :lift)) (in-package :mill/tests)
(deftestsuite all () ())
(addtest (all) good (ensure (= 1 1)))
(addtest (all) bad (ensure (= 1 2)))
(addtest (all) raises (error \"sand\"))",
            [1, 2, 0],
        ),
        (
            "try",
            include_str!("stand_ins/try.lisp"),
            "(symbol-call :mill/tests :all)",
            "(:use :cl :try)) (in-package :mill/tests)
(deftest good () (is (= 1 1)))
(deftest bad () (is (= 1 2)))
(deftest later () (try::skip-trial))
(deftest all () (good) (bad) (later))",
            [1, 1, 1],
        ),
    ] {
        let session = &mut framework(name, text);
        let definition = format!(
            "(defsystem \"mill\" :depends-on ({name:?}) :components ((:file \"tests\")) :perform (test-op (o c) {run}))\n"
        );
        session.project.file("mill.asd", definition);
        session.project.file("tests.lisp", format!("(defpackage :mill/tests {tests}\n"));
        let answer = session.client.call("run_tests", json!({ "system": "mill" }));
        counts(&answer, name, expected);
        let failed = failures(&answer);
        assert!(failed.iter().any(|(name, ..)| name.ends_with("bad")), "{name}: {}", answer.text);
        assert!(failed.iter().all(|(_, reason, ..)| !reason.is_empty()), "{name}: {}", answer.text);
        assert!(!answer.text.contains("[stdout]"), "{name}: {}", answer.text);
        let planned = "Prove remarks that 5 tests were planned and 4 ran";
        assert_eq!(answer.text.contains(planned), name == "prove", "{name}: {}", answer.text);
        // Those that run only together are counted alone.
        let answer = session.client.call("run_tests", json!({ "system": "mill", "test": "bad" }));
        counts(&answer, name, [0, 1, 0]);
        if !matches!(name, "hu.dwim.stefil" | "prove" | "try") {
            let answer = session.client.call("run_tests", json!({ "path": "tests.lisp" }));
            counts(&answer, name, expected);
        }
    }
}

#[test]
fn a_system_refused_for_a_warning_is_told_with_the_warning() {
    let text = "(defpackage :mill (:use :cl))\n(in-package :mill)\n\n(defun grind (grain)\n  (+ grain (car 5)))\n";
    let session = &mut performing("\"fiveam\"", "(symbol-call :fiveam :run! :ground)", text);
    session.project.file("one.asd", "(defsystem \"one\" :depends-on (\"mill\"))\n");
    let answer = session.client.call("run_tests", json!({ "runtime": "sbcl" }));
    assert!(answer.text.contains("mill.lisp:5:"), "{}", answer.text);
    assert!(answer.text.contains("is not of type LIST") || answer.text.contains("conflicts"), "{}", answer.text);
}

#[test]
fn a_suite_of_fiasco_stays_when_its_file_is_loaded_again() {
    let session = &mut Session::new();
    let system = "(defsystem \"mill\" :components ((:file \"mill\")))\n(defsystem \"mill/test\" :depends-on (\"mill\" \"fiasco\") \
                  :serial t :components ((:file \"package\") (:file \"tests\"))\n  \
                  :perform (test-op (o s) (symbol-call :fiasco :run-package-tests :package :mill.test)))\n";
    session.project.file("mill.asd", system);
    let mill = |turns: u32| {
        format!("(defpackage :mill (:use :cl) (:export #:turns))\n(in-package :mill)\n(defun turns () {turns})\n")
    };
    session.project.file("mill.lisp", mill(2));
    session.project.file("package.lisp", "(fiasco:define-test-package #:mill.test (:use #:mill))\n");
    let tests = |name: &str| format!("(in-package :mill.test)\n(deftest {name} () (is (< (turns) 4)))\n");
    session.project.file("tests.lisp", tests("runs"));
    counts(&session.client.call("run_tests", json!({ "runtime": "sbcl" })), "fiasco", [1, 0, 0]);
    session.project.file("mill.lisp", mill(3));
    counts(&session.client.call("run_tests", json!({ "runtime": "sbcl" })), "fiasco", [1, 0, 0]);
    session.project.file("mill.lisp", mill(4));
    counts(&session.client.call("run_tests", json!({ "runtime": "sbcl" })), "fiasco", [0, 1, 0]);
    // A test that has left its file is gone all the same.
    session.project.file("mill.lisp", mill(1));
    session.project.file("tests.lisp", tests("turns-on"));
    counts(&session.client.call("run_tests", json!({ "runtime": "sbcl" })), "fiasco", [1, 0, 0]);
}
