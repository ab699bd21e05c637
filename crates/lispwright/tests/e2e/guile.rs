//! A Guile project: its sessions, its modules, its tests.

use serde_json::json;

use crate::client::Session;

const FIELD: &str = "(define-module (farm field) #:export (crop))\n(define (crop x)\n  (+ 1 (car x)))\n";

const TESTS: &str = "(use-modules (srfi srfi-64) (farm field))
(test-begin \"fields\")
(test-equal \"adds\" 3 (crop '(2)))
(test-equal \"wrong\" 4 (crop '(2)))
(test-assert \"raises\" (crop 7))
(test-group \"inner\"
  (test-eqv \"deep\" 1 2)
  (test-skip 1)
  (test-assert \"skipped\" #f))
(test-error \"errs\" #t (car 1))
(test-end \"fields\")
";

fn farm() -> Session {
    let session = Session::with_file("farm/field.scm", FIELD);
    session.project.file("tests/field.scm", TESTS);
    session
}

#[test]
fn a_project_of_scheme_files_runs_guile_and_a_runtime_can_be_named() {
    let mut session = farm();
    let answer = session.ok("repl_eval", json!({ "code": "(use-modules (farm field)) (values (crop '(1)) 'b)" }));
    assert_eq!(answer.fields["values"], json!(["2", "b"]));
    assert_eq!(answer.fields["session"], "main");
    let lisp = session.ok("repl_eval", json!({ "code": "(lisp-implementation-type)", "runtime": "sbcl" }));
    assert_eq!((&lisp.fields["values"], &lisp.fields["session"]), (&json!(["\"SBCL\""]), &json!("sbcl")));
    let status = session.ok("repl_control", json!({ "action": "status" }));
    assert!(status.text.contains("main: idle, Guile 3"), "{}", status.text);
    assert!(status.text.contains("Workers on guile: from the saved image"), "{}", status.text);
    session.refused(
        "repl_eval",
        json!({ "code": "1", "session": "main", "runtime": "sbcl" }),
        "BAD_ARGUMENT",
        &["runs guile, not sbcl", "\"sbcl\""],
    );
}

#[test]
fn an_error_is_told_with_its_place() {
    let mut session = farm();
    let answer = session.client.call("repl_eval", json!({ "code": "(use-modules (farm field))\n(list (crop 7))" }));
    assert!(answer.is_error);
    assert!(answer.text.contains("[ERROR] wrong-type-arg\n"), "{}", answer.text);
    assert!(answer.text.contains("0: (crop 7)  ") && answer.text.contains("farm/field.scm:3:"), "{}", answer.text);
    assert_eq!(answer.fields["error"]["frames"][0]["line"], 3);
    let answer = session.ok("repl_eval", json!({ "code": "(+ 1 2)" }));
    assert_eq!(answer.text, "=> 3");
}

#[test]
fn a_file_is_loaded_with_located_diagnostics() {
    let mut session = farm();
    session.project.file("farm/odd.scm", "(define-module (farm odd))\n(define (f)\n  (nowhere 1))\n");
    let answer = session.ok("load_system", json!({ "path": "farm/odd.scm" }));
    assert!(answer.text.contains("\nfarm/odd.scm:3:4: warning: "), "{}", answer.text);
    assert_eq!((&answer.fields["status"], &answer.fields["warnings"]), (&json!("loaded"), &json!(1)));
    assert_eq!(answer.fields["diagnostics"][0]["path"], "farm/odd.scm");
    let again = session.ok("load_system", json!({ "path": "farm/odd.scm", "force": false }));
    assert_eq!(again.fields["status"], "unchanged");
    let module = session.ok("load_system", json!({ "system": "(farm field)" }));
    assert_eq!(module.fields["status"], "loaded");
    for (name, text, place) in [
        ("a.scm", "(define x 1)\n(car x)\n", "a.scm:2:1: error: "),
        ("b.scm", "(define x 1)\n(let ((x)) x)\n", "b.scm:2:1: error: "),
        ("c.scm", "(define x 1)\n(list x\n", "c.scm:3:1: error: "),
        ("d.scm", "(exit 4)\n", "exit code 4"),
    ] {
        session.project.file(name, text);
        let answer = session.client.call("load_system", json!({ "path": name }));
        assert!(answer.is_error && answer.text.contains(place), "{name}: {}", answer.text);
        assert_eq!(answer.fields["status"], "failed", "{name}");
    }
    session.refused("load_system", json!({ "system": "(farm feild)" }), "BAD_ARGUMENT", &["(farm feild)"]);
    session.refused("load_system", json!({ "path": "none.scm" }), "FILE_NOT_FOUND", &["none.scm"]);
    session.refused("load_system", json!({}), "BAD_ARGUMENT", &["system", "path"]);
    session.refused("load_system", json!({ "path": "../secret.lisp" }), "OUTSIDE_ROOT", &[]);
}

#[test]
fn a_changed_file_is_loaded_again() {
    let mut session = farm();
    session.ok("load_system", json!({ "path": "farm/field.scm" }));
    session.project.file("farm/field.scm", FIELD.replace("(+ 1 ", "(+ 9 "));
    let answer = session.ok("load_system", json!({ "path": "farm/field.scm", "force": false }));
    assert_eq!(answer.fields["status"], "loaded");
    let answer = session.ok("repl_eval", json!({ "code": "(use-modules (farm field)) (crop '(1))" }));
    assert_eq!(answer.fields["values"], json!(["10"]));
}

#[test]
fn tests_are_run_and_failures_told() {
    let mut session = farm();
    let answer = session.ok("run_tests", json!({ "path": "tests/field.scm" }));
    assert!(answer.text.starts_with("2 passed, 3 failed, 1 pending of 6 (srfi-64, "), "{}", answer.text);
    assert!(answer.text.contains("FAILED tests/field.scm:4: wrong (fields)\n"), "{}", answer.text);
    assert!(answer.text.contains("  expected value: 4\n  actual value: 3\n"), "{}", answer.text);
    let failed = answer.fields["failed_tests"].as_array().unwrap();
    assert_eq!(failed.len(), 3);
    assert!(failed[1]["reason"].as_str().unwrap().contains("car"), "{}", failed[1]);
    assert_eq!(failed[2]["description"], "fields / inner");
    assert_eq!(failed[2]["source"], json!({ "path": "tests/field.scm", "line": 7 }));
    let some = session.ok("run_tests", json!({ "path": "tests/field.scm", "tests": ["inner", "adds"] }));
    assert_eq!((&some.fields["passed"], &some.fields["failed"]), (&json!(1), &json!(1)));
    let none = session.client.call("run_tests", json!({ "path": "tests/field.scm", "test": "nothing" }));
    assert!(none.is_error && none.text.contains("There are: adds, wrong"), "{}", none.text);
}

#[test]
fn what_is_no_success_is_never_told_as_one() {
    let mut session = farm();
    let suite = |body: &str| {
        format!("(use-modules (srfi srfi-64))\n(test-begin \"s\")\n(test-assert #t)\n{body}\n(test-end \"s\")\n")
    };
    for (name, text, code, says) in [
        ("empty.scm", "(define x 1)\n".to_owned(), "BAD_ARGUMENT", "No test ran"),
        ("broken.scm", "(define x 1)\n(car x)\n".to_owned(), "LISP_ERROR", "did not load"),
        ("open.scm", suite("(list"), "LISP_ERROR", "did not load"),
        ("stray.scm", suite("(error \"between\")"), "LISP_ERROR", "after 1 passed"),
        ("gone.scm", suite("(primitive-_exit 0)"), "SESSION_LOST", "exit code 0"),
        ("hang.scm", suite("(test-assert (let loop () (loop)))"), "TIMEOUT", "interrupted"),
    ] {
        session.project.file(name, text);
        let answer = session.client.call("run_tests", json!({ "path": name, "timeout_seconds": 3 }));
        assert!(answer.is_error, "{name}: {}", answer.text);
        assert_eq!(answer.fields["code"], code, "{name}: {}", answer.text);
        assert!(answer.text.contains(says), "{name}: {}", answer.text);
    }
    session.project.file("exits.scm", suite("(test-equal 1 2) (exit 1)"));
    let answer = session.ok("run_tests", json!({ "path": "exits.scm" }));
    assert_eq!((&answer.fields["passed"], &answer.fields["failed"]), (&json!(1), &json!(1)), "{}", answer.text);
    session.refused("run_tests", json!({ "path": "exits.scm", "framework": "fiveam" }), "UNSUPPORTED", &["srfi-64"]);
}

#[test]
fn common_lisp_says_that_it_does_not_offer_this() {
    let mut session = Session::with_file("a.lisp", "(defun f () 1)\n");
    session.refused("load_system", json!({ "path": "a.lisp" }), "UNSUPPORTED", &["sbcl", "repl_eval"]);
    session.refused("run_tests", json!({ "path": "a.lisp" }), "UNSUPPORTED", &["sbcl", "repl_eval"]);
}
