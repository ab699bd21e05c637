//! Looks at running code through the server: the tools of the set `debug`.

use serde_json::{Value, json};

use crate::client::{Answer, Client, Session, server_command};
use crate::project::Project;

const FIB: &str = "(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))";

fn session(options: &[&str]) -> Session {
    let project = Project::new();
    let mut command = server_command(&project.root());
    command.args(["--toolsets", "debug"]).args(options);
    Session { client: Client::connect(command), project }
}

#[test]
fn calls_are_traced_counted_and_sampled() {
    let mut session = session(&[]);
    session.ok("repl_eval", json!({ "code": FIB }));
    let traced = session.ok("trace_calls", json!({ "code": "(fib 2)", "functions": ["fib"] }));
    for part in ["(FIB 2)", "(FIB 0)", "returned 1", "=> 1"] {
        assert!(traced.text.contains(part), "{part}: {}", traced.text);
    }
    assert_eq!(session.ok("repl_eval", json!({ "code": "(fib 2)" })).text, "=> 1", "it is traced no longer");
    let counted =
        session.ok("profile_code", json!({ "code": "(fib 10)", "mode": "deterministic", "functions": ["fib"] }));
    assert!(
        counted.text.contains("177") && counted.text.contains("FIB") && counted.text.contains("=> 55"),
        "{}",
        counted.text
    );
    let sampled = session.ok("profile_code", json!({ "code": "(loop repeat 20 do (fib 25))" }));
    assert!(sampled.text.contains("Number of samples") && sampled.text.contains("FIB"), "{}", sampled.text);
    let shown = session.ok("disassemble_code", json!({ "function": "fib" }));
    assert!(shown.text.contains("disassembly for FIB"), "{}", shown.text);
    let shown = session.ok("disassemble_code", json!({ "function": "(lambda (x) (* x 2))" }));
    assert!(shown.text.contains("LAMBDA (X)"), "{}", shown.text);
}

#[test]
fn an_error_or_a_timeout_ends_the_trace_too() {
    let mut session = session(&[]);
    session.ok("repl_eval", json!({ "code": FIB }));
    let failed = session
        .client
        .call("trace_calls", json!({ "code": "(fib 1) (error \"no ~a\" \"\\\"x\")", "functions": ["fib"] }));
    assert!(failed.is_error && failed.text.contains("(FIB 1)") && failed.text.contains("no \"x"), "{}", failed.text);
    let late = session.client.call("profile_code", json!({ "code": "(loop)", "timeout_seconds": 1 }));
    assert_eq!(late.fields["code"], "TIMEOUT", "{}", late.text);
    let unclosed = session.client.call("trace_calls", json!({ "code": "(fib 1", "functions": ["fib"] }));
    assert!(unclosed.is_error, "{}", unclosed.text);
    assert_eq!(session.ok("repl_eval", json!({ "code": "(fib 5)" })).text, "=> 5");
}

#[test]
fn what_a_runtime_lacks_is_said_before_anything_runs() {
    let mut session = session(&[]);
    let says = ["no disassembly in clojure", "which has trace, statistical profile, deterministic profile", "sbcl"];
    session.refused("disassemble_code", json!({ "function": "f", "runtime": "clojure" }), "UNSUPPORTED", &says);
    let says = ["no trace in racket", "nothing of the kind", "sbcl, guile"];
    session.refused(
        "trace_calls",
        json!({ "code": "1", "functions": ["f"], "runtime": "racket" }),
        "UNSUPPORTED",
        &says,
    );
    for (tool, arguments) in [
        ("trace_calls", json!({ "code": "1", "functions": [] })),
        ("profile_code", json!({ "code": "1", "mode": "deterministic" })),
    ] {
        session.refused(tool, arguments, "BAD_ARGUMENT", &["\"functions\""]);
    }
}

const MILL: &str = "(defpackage :mill (:use :cl))
(in-package :mill)

(defun grind (corn)
  (if (plusp corn)
      (* 2 corn)
      (list :no
            corn)))

(defun unused (x)
  (let ((y (+ x 1)))
    (* y y)))

(defmethod describe-object ((x (eql :mill)) stream)
  (write-string \"none\" stream))
";

const MILL_TESTS: &str = "(defpackage :mill-tests (:use :cl :rt))
(in-package :mill-tests)
(deftest grinds (mill::grind 2) 4)
(deftest wrong (mill::grind 3) 7)
";

const MILL_SYSTEMS: &str = "(defsystem \"mill\" :components ((:file \"mill\"))
  :in-order-to ((test-op (test-op \"mill/tests\"))))
(defsystem \"mill/tests\" :depends-on (\"mill\" \"rt\") :components ((:file \"tests\")))
";

/// The forms that are not wholly executed: label, whether nothing was executed, lines, lines in part.
fn forms(answer: &Answer, file: &str) -> Vec<(String, bool, String, String)> {
    let files = answer.fields["files"].as_array().unwrap();
    let file = files.iter().find(|found| found["path"] == file).unwrap();
    let text = |form: &Value, field: &str| form[field].to_string();
    let facts = file["forms"].as_array().unwrap().iter().map(|form| {
        let label = form["form"].as_str().unwrap().to_owned();
        (label, form["is_unused"] == true, text(form, "not_covered"), text(form, "partly"))
    });
    facts.collect()
}

#[test]
fn what_tests_execute_is_measured_in_a_copy() {
    let mut session = session(&[]);
    session.project.file("mill.asd", MILL_SYSTEMS);
    session.project.file("mill.lisp", MILL);
    session.project.file("tests.lisp", MILL_TESTS);
    let answer = session.ok("coverage_code", json!({ "system": "mill" }));
    assert_eq!(answer.fields["tests"]["passed"], 1, "{}", answer.text);
    assert_eq!(answer.fields["tests"]["failed"], 1, "{}", answer.text);
    let found = forms(&answer, "mill.lisp");
    let expected = [
        ("defun grind", false, "[[7,8]]", "[[5,5]]"),
        ("defun unused", true, "[[11,12]]", "[]"),
        ("defmethod describe-object ((eql mill) t)", true, "[[15,15]]", "[]"),
    ]
    .map(|(label, is_unused, lines, partly)| (label.to_owned(), is_unused, lines.to_owned(), partly.to_owned()));
    assert_eq!(found, expected, "{}", answer.text);
    // The session has neither the system nor its tests, and a load finds no instrumented code.
    let known = session.ok("repl_eval", json!({ "code": "(values (find-package :mill) (find-package :sb-cover))" }));
    assert_eq!(known.fields["values"], json!(["NIL", "NIL"]), "{}", known.text);
    session.ok("load_system", json!({ "system": "mill" }));
    let known = session.ok("repl_eval", json!({ "code": "(values (mill::grind 1) (rest sb-c:*code-coverage-info*))" }));
    assert_eq!(known.fields["values"], json!(["2", "NIL"]), "{}", known.text);
    // Each label is an address.
    session.ok("lisp_read_form", json!({ "path": "mill.lisp", "name": "defun unused" }));
    // Code in the place of tests, and an edit since the load.
    session.project.file("mill.lisp", format!(";; A line more.\n{MILL}"));
    let arguments = json!({ "path": "mill.lisp", "code": "(grind 0) (unused 1)", "package": "mill" });
    let answer = session.ok("coverage_code", arguments);
    let found = forms(&answer, "mill.lisp");
    let expected = ("defun grind".to_owned(), false, "[[7,7]]".to_owned(), "[[6,6]]".to_owned());
    assert_eq!(found[0], expected, "{}", answer.text);
    assert_eq!(found.len(), 2, "{}", answer.text);
    assert!(answer.text.contains("=> 4"), "{}", answer.text);
}

#[test]
fn an_error_or_a_timeout_ends_the_measuring_and_not_the_session() {
    let mut session = session(&[]);
    session.project.file("mill.lisp", MILL);
    session.ok("repl_eval", json!({ "code": "(defvar *kept* 1)" }));
    // The package is that of the file.
    let ran = session.ok("coverage_code", json!({ "path": "mill.lisp", "code": "(grind 1)", "package": "mill" }));
    assert!(ran.text.contains("=> 2"), "{}", ran.text);
    let failed = session.client.call("coverage_code", json!({ "path": "mill.lisp", "code": "(error \"no corn\")" }));
    assert!(failed.is_error && failed.text.contains("no corn"), "{}", failed.text);
    session.project.file("broken.lisp", "(defun broken (\n");
    let broken = session.client.call("coverage_code", json!({ "path": "broken.lisp" }));
    assert!(broken.is_error && broken.text.contains("load_system says why"), "{}", broken.text);
    let late = json!({ "path": "mill.lisp", "code": "(loop)", "timeout_seconds": 5 });
    let late = session.client.call("coverage_code", late);
    assert_eq!(late.fields["code"], "TIMEOUT", "{}", late.text);
    assert_eq!(session.ok("repl_eval", json!({ "code": "*kept*" })).text, "=> 1");
    let untested = session.ok("coverage_code", json!({ "path": "mill.lisp" }));
    assert!(untested.text.contains("No test ran"), "{}", untested.text);
    session.refused("coverage_code", json!({ "code": "1" }), "BAD_ARGUMENT", &["system", "path"]);
    let says = ["no coverage in emacs", "sbcl, guile have it"];
    session.project.file("a.el", "(defun a () 1)\n");
    session.refused("coverage_code", json!({ "path": "a.el" }), "UNSUPPORTED", &says);
}

#[test]
fn guile_measures_the_modules_that_tests_use() {
    let mut session = session(&[]);
    session.project.file(
        "mill.scm",
        "(define-module (mill)\n  #:export (grind unused))\n\n(define (grind corn)\n  (if (> corn 0)\n      (* 2 corn)\n      \
         (list 'no\n            (string-length (number->string corn)))))\n\n(define (unused x)\n  (let ((y (+ x 1)))\n    (* y y)))\n",
    );
    session.project.file(
        "tests.scm",
        "(use-modules (mill) (srfi srfi-64))\n(test-begin \"mill\")\n(test-equal \"grinds\" 4 (grind 2))\n\
         (test-equal \"wrong\" 7 (grind 3))\n(test-end)\n",
    );
    for _ in 0..2 {
        let answer = session.ok("coverage_code", json!({ "path": "tests.scm" }));
        assert_eq!(answer.fields["tests"]["passed"], 1, "{}", answer.text);
        assert_eq!(answer.fields["tests"]["failed_tests"], json!(["wrong"]), "{}", answer.text);
        let found = forms(&answer, "mill.scm");
        assert_eq!(found.len(), 2, "{}", answer.text);
        assert_eq!((found[0].0.as_str(), found[0].1), ("define grind", false), "{}", answer.text);
        assert_eq!((found[1].0.as_str(), found[1].1), ("define unused", true), "{}", answer.text);
        // The next round measures a file that has changed since this image loaded it.
        session.ok("load_system", json!({ "path": "mill.scm" }));
        let text = session.project.text("mill.scm");
        session.project.file("mill.scm", format!(";; A line more.\n{text}"));
    }
    let arguments = json!({ "path": "mill.scm", "code": "(grind 0) (unused 2)", "package": "(mill)" });
    let answer = session.ok("coverage_code", arguments);
    assert!(answer.text.contains("=> 9") && !answer.text.contains("unused"), "{}", answer.text);
}

#[test]
fn they_work_in_the_sandbox_and_not_with_read_only() {
    let mut confined = session(&["--sandbox"]);
    confined.ok("repl_eval", json!({ "code": FIB }));
    let sampled = confined.ok("profile_code", json!({ "code": "(loop repeat 20 do (fib 25))" }));
    assert!(sampled.text.contains("Number of samples") && sampled.text.contains("FIB"), "{}", sampled.text);
    confined.project.file("mill.lisp", MILL);
    let arguments = json!({ "path": "mill.lisp", "code": "(grind 1)", "package": "mill" });
    let covered = confined.ok("coverage_code", arguments);
    assert!(covered.text.contains("not executed: defun unused (10-12)"), "{}", covered.text);
    let mut reading = session(&["--read-only"]);
    let answer = reading.client.request("tools/call", json!({ "name": "trace_calls", "arguments": {} }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}
