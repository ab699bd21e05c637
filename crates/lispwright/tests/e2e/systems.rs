//! Common Lisp systems: loads, diagnostics of the compiler, and tests.

use serde_json::{Value, json};

use crate::client::{Answer, Session, binary, cache};

const DEFINITION: &str = r#"
(defsystem "mill" :pathname "src/" :serial t :components ((:file "wheel") (:file "stone")))
(defsystem "mill/tests" :depends-on ("mill" "fiveam") :components ((:file "tests")))
(defsystem "mill/old" :depends-on ("mill" "rt") :components ((:file "old")))
(defsystem "mill/lost" :depends-on ("mill" "no-such-library"))
(defsystem "mill/empty" :depends-on ("mill"))
(defsystem "mill/plain" :perform (test-op (o c) (error "the ~a broke" "axle")))
"#;

const WHEEL: &str = "(defpackage :mill (:use :cl))\n(in-package :mill)\n\n(defmacro turn (n) `(* 2 ,n))\n";

const STONE: &str = "(in-package :mill)\n\n;; λ\n(defun grind (x)\n  (let ((spare 1))\n    (list (turn x)\n          (nowhere 1) 'q)))\n";

const TESTS: &str = r#"(defpackage :mill/tests (:use :cl :fiveam))
(in-package :mill/tests)
(def-suite all)
(def-suite small :in all)
(in-suite small)

(test adds "It adds."
  (is (= 3 (+ 1 2)))
  (is (= 4 (+ 1 2)) "no four"))

(test good (is-true t))

(in-suite all)
(test raises (is (= 1 (error "sand in it"))))
(test later (skip "not yet"))
"#;

fn mill() -> Session {
    let session = Session::with_file("deep/mill.asd", DEFINITION);
    session.project.file("deep/src/wheel.lisp", WHEEL);
    session.project.file("deep/src/stone.lisp", STONE);
    session.project.file("deep/tests.lisp", TESTS);
    session
}

fn value(session: &mut Session, code: &str) -> Value {
    session.ok("repl_eval", json!({ "code": code })).fields["values"][0].clone()
}

fn failing(session: &mut Session, tool: &str, arguments: Value) -> Answer {
    let answer = session.client.call(tool, arguments);
    assert!(answer.is_error, "{}", answer.text);
    answer
}

#[test]
fn a_load_that_names_nothing_takes_the_system_that_the_project_is() {
    let mut session = Session::with_file(
        "mill.asd",
        "(defsystem \"mill\" :depends-on (\"mill-core\"))
(defsystem \"mill/extra\" :depends-on (\"mill\"))\n(defsystem \"mill-tests\" :depends-on (\"mill\"))\n",
    );
    session.project.file("mill-core.asd", "(defsystem \"mill-core\")\n");
    let answer = session.ok("load_system", json!({}));
    assert_eq!(answer.fields["system"], "mill", "{}", answer.text);
    session.project.file("saw.asd", "(defsystem \"saw\")\n");
    let answer = failing(&mut session, "load_system", json!({}));
    assert!(
        answer.text.contains("loaded by several: mill, saw. Name one: load_system {\"system\": \"mill\"}"),
        "{}",
        answer.text
    );

    let mut session = Session::with_file("turn.scm", "(define-module (turn))\n(define-public (turn x) x)\n");
    session.project.file("main.scm", "(define (main args) 7)\n");
    assert_eq!(session.ok("load_system", json!({})).fields["system"], "main.scm");
    let mut session = Session::with_file("notes.md", "No code.\n");
    let answer = failing(&mut session, "load_system", json!({}));
    assert!(answer.text.contains("Name a file: load_system"), "{}", answer.text);
}

#[test]
fn evaluated_code_finds_the_systems_of_the_project_from_the_start() {
    let mut session = Session::with_file("mill.asd", "(defsystem \"mill\" :components ((:file \"mill\")))\n");
    session
        .project
        .file("mill.lisp", "(defpackage :mill (:use :cl) (:export #:grind))\n(in-package :mill)\n(defun grind () 7)\n");
    session.project.file("libs/stone/stone.asd", "(defsystem \"stone\")\n(defsystem \"stone/tests\")\n");
    let code = "(asdf:load-system :mill) (list (symbol-call :mill :grind) (asdf:component-name (asdf:find-system :stone/tests)))";
    let code = code.replace("symbol-call", "uiop:symbol-call");
    let answer = session.ok("repl_eval", json!({ "code": code }));
    assert!(answer.text.contains("=> (7 \"stone/tests\")"), "{}", answer.text);
}

#[test]
fn a_system_is_found_and_its_mistakes_are_located() {
    let mut session = mill();
    let answer = session.ok("load_system", json!({ "system": "mill" }));
    for line in [
        "deep/src/stone.lisp:5:9: style-warning: The variable SPARE is defined but never used.",
        "deep/src/stone.lisp:7:11: style-warning: undefined function: MILL::NOWHERE",
    ] {
        assert!(answer.text.contains(line), "{}", answer.text);
    }
    assert_eq!((&answer.fields["status"], &answer.fields["warnings"]), (&json!("loaded"), &json!(2)));
    assert_eq!(answer.fields["diagnostics"][0]["form"], "DEFUN GRIND");
    assert!(!answer.text.contains("[stderr]"), "{}", answer.text);
    let again = session.ok("load_system", json!({ "system": "mill", "force": false }));
    assert_eq!((&again.fields["status"], &again.fields["warnings"]), (&json!("unchanged"), &json!(2)));
    let names: Vec<_> =
        std::fs::read_dir(session.project.at("deep/src")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "compiled files beside the sources: {names:?}");
    // A fresh image compiles nothing and still reports them.
    let other = session.ok("load_system", json!({ "system": "mill", "session": "other" }));
    assert_eq!(other.fields["warnings"], 2, "{}", other.text);
    session.refused("load_system", json!({ "system": "mil" }), "BAD_ARGUMENT", &["mill"]);
}

#[test]
fn changes_within_a_second_are_loaded() {
    let mut session = mill();
    session.ok("load_system", json!({ "system": "mill" }));
    for factor in [3, 4, 5] {
        session.project.file("deep/src/wheel.lisp", WHEEL.replace('2', &factor.to_string()));
        // The file that uses the macro has not changed.
        session.ok("load_system", json!({ "system": "mill", "force": false }));
        assert_eq!(
            value(
                &mut session,
                "(handler-bind ((warning #'muffle-warning)) (defun mill::nowhere (x) x)) (first (mill::grind 1))"
            ),
            json!(factor.to_string())
        );
    }
    session.project.file("deep/mill.asd", format!("{DEFINITION}(defsystem \"mill/new\" :depends-on (\"mill\"))\n"));
    session.ok("load_system", json!({ "system": "mill/new" }));
}

#[test]
fn earlier_exports_leave_the_image() {
    let mut session = mill();
    let exporting = |name: &str| WHEEL.replace("(:use :cl)", &format!("(:use :cl) (:export #:{name})"));
    session.project.file("deep/src/wheel.lisp", exporting("turn"));
    session.ok("load_system", json!({ "system": "mill" }));
    for (name, before) in [("spin", "TURN"), ("turn", "SPIN")] {
        session.project.file("deep/src/wheel.lisp", exporting(name));
        let answer = session.ok("load_system", json!({ "system": "mill", "force": false }));
        assert_eq!(answer.fields["warnings"], 2, "{}", answer.text);
        let found = value(&mut session, &format!("(nth-value 1 (find-symbol \"{before}\" :mill))"));
        assert_eq!(found, ":INTERNAL");
    }
}

#[test]
fn a_failed_load_has_its_reason_and_place() {
    let mut session = mill();
    let answer = failing(&mut session, "load_system", json!({ "system": "mill/lost" }));
    assert!(
        answer
            .text
            .contains("deep/mill.asd:5: error: There is no system \"no-such-library\"; \"mill/lost\" depends on it."),
        "{}",
        answer.text
    );
    for (stone, says) in [
        ("(in-package :mill)\n(defun a (x)\n  (list x)\n\n(defun b () 1)\n", "deep/src/stone.lisp:3:11: error: "),
        ("(in-package :mill)\n(defun a (x)\n  (nopackage:list x))\n", "deep/src/stone.lisp:3:"),
        ("(in-package :mill)\n\n(defun a (x) (car x))\n(a 3)\n", "deep/src/stone.lisp:4"),
        ("(in-package :mill)\n(defun a ()\n  (let ((1 2)) 3))\n", "deep/src/stone.lisp:3:9: error: "),
        ("(in-package :mill)\n(defun a ()\n  (car 5))\n", "deep/src/stone.lisp:3:3: warning: "),
    ] {
        session.project.file("deep/src/stone.lisp", stone);
        let answer = failing(&mut session, "load_system", json!({ "system": "mill" }));
        assert!(answer.text.contains(says), "{says}\n{}", answer.text);
        assert_eq!((&answer.fields["status"], &answer.fields["code"]), (&json!("failed"), &json!("LISP_ERROR")));
    }
    session.project.file("deep/src/stone.lisp", "(in-package :mill)\n(defvar *n* 7)\n(loop)\n");
    let is_loading = |answer: &Answer| answer.text.contains("loading");
    let answer = session.stopped("load_system", json!({ "system": "mill" }), is_loading);
    assert_eq!(answer.fields["code"], "TIMEOUT", "{}", answer.text);
    assert!(answer.text.contains("loading") && answer.text.contains("stone.lisp"), "{}", answer.text);
    // It leaves nothing of the file that it did not load.
    assert_eq!(value(&mut session, "(boundp 'mill::*n*)"), "NIL");
    session.project.file("deep/src/stone.lisp", "(sb-ext:exit :code 3 :abort t)\n");
    let answer = failing(&mut session, "load_system", json!({ "system": "mill" }));
    assert_eq!(answer.fields["code"], "SESSION_LOST", "{}", answer.text);
    session.project.file("deep/src/stone.lisp", STONE);
    session.ok("load_system", json!({ "system": "mill" }));
}

#[test]
fn a_failed_load_says_where_and_what_is_missing_and_nothing_of_the_compiler() {
    let definition = "(defsystem \"mill\" :components ((:file \"package\")))\n";
    for (text, expected) in [
        (
            "(defpackage :mill (:use :cl))\n\n(defpackage :mill-tests\n  (:use :cl :sieve))\n",
            "[ERROR] LISP_ERROR\nmill did not load, 1 error.\n\
             package.lisp:3:1: error: The name \"SIEVE\" does not designate any package. [PACKAGE-DOES-NOT-EXIST]\n\
             note: There is a system \"sieve\", which is not loaded; no :depends-on has it. [missing-dependency]",
        ),
        (
            "(in-package :cl-user)\n(defmacro grind (x)\n  (error \"no ~a\" x))\n(defun use ()\n  (grind 4))\n(sieve:shake)\n",
            "package.lisp:6:12: error: Package SIEVE does not exist. [READ-ERROR]\n\
             note: There is a system \"sieve\", which is not loaded; no :depends-on has it. [missing-dependency]",
        ),
        (
            "(in-package :cl-user)\n(defun grind (x) (car x))\n\n(grind\n 5)\n",
            "LIST [TYPE-ERROR]\n[Backtrace]\n0: (GRIND 5)\n     X = 5\n1: top-level form  package.lisp:4",
        ),
    ] {
        let mut session = Session::with_file("mill.asd", definition);
        session.project.file("package.lisp", text);
        session.project.file("libs/sieve.asd", "(defsystem \"sieve\" :components ((:file \"sieve\")))\n");
        session.project.file("libs/sieve.lisp", "(defpackage :sieve (:use :cl) (:export #:shake))\n");
        let answer = failing(&mut session, "load_system", json!({ "system": "mill" }));
        assert!(answer.text.contains(expected), "{expected}\n-- is not in --\n{}", answer.text);
        for entrail in [".fasl", "COMPILE-FILE", "SB-C::", "cache", "Put back"] {
            assert!(!answer.text.contains(entrail), "{entrail}: {}", answer.text);
        }
    }
}

#[test]
fn a_wrong_system_definition_is_reported_and_affects_no_other_system() {
    let mut session = mill();
    let defined = |rest: &str| format!("(asdf:defsystem {rest})\n");
    for (name, text, says) in [
        (
            "torn",
            "(asdf:defsystem \"torn\"\n  :components ((:file \"a\"))\n".to_owned(),
            "torn.asd:2:15: error: `(` of 1:1",
        ),
        ("odd", defined("\"odd\" :componentz ()"), "odd.asd: error: Invalid initialization argument: :COMPONENTZ"),
        ("lazy", defined("\"lazy\"\n  :components ((:file \"gone\"))"), "lazy.asd:2: error: There is no file "),
        (
            "egg",
            defined("\"egg\" :depends-on (\n  \"hen\")"),
            "egg.asd:2: error: Each of these needs the next, and the last the first: egg, hen.",
        ),
        ("angry", "(error \"sand in ~a\" 7)\n".to_owned(), "angry.asd: error: sand in 7"),
    ] {
        session.project.file(&format!("{name}.asd"), text);
        session.project.file("hen.asd", defined("\"hen\" :depends-on (\"egg\")"));
        let answer = failing(&mut session, "load_system", json!({ "system": name }));
        assert!(answer.text.contains(says), "{says}\n{}", answer.text);
        assert!(!answer.text.contains("[Backtrace]"), "{}", answer.text);
        assert_eq!(answer.text.matches(says).count(), 1, "told twice: {}", answer.text);
        session.ok("load_system", json!({ "system": "mill" }));
    }
    session.project.file("odd.asd", defined("\"odd\""));
    session.ok("load_system", json!({ "system": "odd" }));
}

#[test]
fn a_library_in_another_version_is_not_called_missing() {
    let definition =
        "(defsystem \"mill\" :version \"1.2\")\n(defsystem \"mill/new\" :depends-on ((:version \"mill\" \"9.0\")))\n";
    let mut session = Session::with_file("mill.asd", definition);
    for runtime in ["sbcl", "ecl", "clisp"] {
        let answer = failing(&mut session, "load_system", json!({ "system": "mill/new", "runtime": runtime }));
        let says = "mill.asd:2: error: \"mill/new\" needs version 9.0 of the system \"mill\", and what is there is version 1.2: ";
        assert!(answer.text.contains(says), "{runtime}: {}", answer.text);
    }
}

#[test]
fn a_system_may_be_named_as_in_its_definition() {
    let mut session = mill();
    for name in [":mill", "#:mill", "MILL", ":MILL/EMPTY", "mill/empty"] {
        session.ok("load_system", json!({ "system": name }));
    }
}

#[test]
fn structures_and_constants_take_the_place_of_earlier_ones() {
    let definition = |files: &str| format!("(defsystem \"mill\" :components ({files}))\n");
    let mut session = Session::with_file("mill.asd", definition("(:file \"wheel\")"));
    for (runtime, before, after, lost) in [
        ("sbcl", "(defstruct wheel size teeth)\n", "(defstruct wheel colour size teeth)\n", true),
        ("sbcl", "(defconstant +teeth+ 4)\n", "(defconstant +teeth+ 5)\n", false),
        ("ecl", "(defstruct wheel size teeth)\n", "(defstruct wheel colour size teeth)\n", true),
    ] {
        let load = json!({ "system": "mill", "runtime": runtime });
        session.project.file("wheel.lisp", before);
        session.ok("load_system", load.clone());
        session.project.file("wheel.lisp", after);
        let answer = session.ok("load_system", load);
        let told = answer.text.contains("wheel is another structure now: its instances from before are lost.");
        assert_eq!(told, lost, "{runtime}: {}", answer.text);
    }
    // A mistake in the changed part is reported as usual.
    session.project.file("wheel.lisp", "(defun wheel () (car 5))\n");
    let answer = failing(&mut session, "load_system", json!({ "system": "mill" }));
    assert!(!answer.text.contains("reset"), "{}", answer.text);
}

#[test]
fn a_file_is_loaded_by_itself() {
    let mut session = Session::with_file("one.lisp", "(defun one ()\n  (two))\n(defvar *seen* 1)\n");
    let answer = session.ok("load_system", json!({ "path": "one.lisp" }));
    assert!(answer.text.contains("one.lisp:2:3: style-warning: undefined function: "), "{}", answer.text);
    assert_eq!(value(&mut session, "*seen*"), "1");
}

#[test]
fn fiveam_tests_are_counted_and_their_failures_reported() {
    let mut session = mill();
    let answer = session.ok("run_tests", json!({ "system": "mill/tests" }));
    assert!(answer.text.starts_with("1 passed, 2 failed, 1 pending of 4 (fiveam, "), "{}", answer.text);
    let failed = answer.fields["failed_tests"].as_array().unwrap();
    assert_eq!(failed.len(), 2);
    assert_eq!(failed[0]["test_name"], "mill/tests::adds");
    assert_eq!(failed[0]["source"], json!({ "path": "deep/tests.lisp", "line": 7 }));
    assert_eq!((&failed[0]["form"], &failed[0]["reason"]), (&json!("(= 4 (+ 1 2))"), &json!("no four")));
    assert!(failed[1]["reason"].as_str().unwrap().contains("sand in it"));
    let some = session.ok("run_tests", json!({ "system": "mill/tests", "test": "mill/tests:good" }));
    assert_eq!((&some.fields["passed"], &some.fields["total"]), (&json!(1), &json!(1)));
    let group = session.ok("run_tests", json!({ "system": "mill/tests", "tests": ["small"] }));
    assert_eq!(group.fields["total"], 2);
    let none = failing(&mut session, "run_tests", json!({ "system": "mill/tests", "test": "bad" }));
    assert!(none.text.contains("There are: mill/tests::adds, "), "{}", none.text);
    // A test that was removed from the file does not run.
    session.project.file("deep/tests.lisp", TESTS.replace("(test good (is-true t))", ""));
    let answer = session.ok("run_tests", json!({ "system": "mill/tests" }));
    assert_eq!(answer.fields["total"], 3, "{}", answer.text);
}

#[test]
fn a_test_that_enters_the_debugger_fails_and_the_others_run() {
    let mut session = mill();
    session.project.file("deep/tests.lisp", TESTS.replace("(is-true t)", "(break \"look here\")"));
    let answer = session.ok("run_tests", json!({ "system": "mill/tests" }));
    assert!(answer.text.starts_with("0 passed, 3 failed, 1 pending of 4 (fiveam, "), "{}", answer.text);
    assert!(answer.text.contains("It entered the debugger. SIMPLE-CONDITION: look here"), "{}", answer.text);
}

#[test]
fn a_test_file_alone_tests_the_code_as_it_is_in_the_files() {
    let mut session = mill();
    let tests = |expected: &str| {
        format!(
            "(defpackage :mill/tests (:use :cl :fiveam))\n(in-package :mill/tests)\n\
             (test turns (is (= {expected} (mill::turn 2))))\n"
        )
    };
    session.project.file("deep/tests.lisp", tests("4"));
    session.ok("run_tests", json!({ "system": "mill/tests" }));
    session.project.file("deep/src/wheel.lisp", WHEEL.replace("* 2", "* 3"));
    let run = json!({ "path": "deep/tests.lisp" });
    let old = session.ok("run_tests", run.clone());
    assert_eq!(old.fields["failed"], 1, "{}", old.text);
    assert!(old.text.contains("evaluated to 6 which is not = to 4"), "{}", old.text);
    session.project.file("deep/tests.lisp", tests("6"));
    assert_eq!(session.ok("run_tests", run.clone()).fields["passed"], 1);
    session.project.file("deep/src/wheel.lisp", "(defpackage :mill (:use :cl)");
    let broken = failing(&mut session, "run_tests", run);
    assert!(broken.text.contains("deep/src/wheel.lisp:1"), "{}", broken.text);
}

#[test]
fn other_frameworks_run() {
    let mut session = mill();
    session.project.file(
        "deep/old.lisp",
        "(defpackage :mill/old (:use :cl :rt))\n(in-package :mill/old)\n(deftest one (+ 1 2) 3)\n(deftest two (list 1) (2))\n\
         (deftest three (error \"sand\") 1)\n",
    );
    let answer = session.ok("run_tests", json!({ "system": "mill/old" }));
    assert!(answer.text.starts_with("1 passed, 2 failed, 0 pending of 3 (rt, "), "{}", answer.text);
    assert!(answer.text.contains("deep/old.lisp:4: mill/old::two"), "{}", answer.text);
    assert!(answer.text.contains("expected: (2)\n  actual: (1)"), "{}", answer.text);
    assert!(answer.text.contains("SIMPLE-ERROR: sand"), "{}", answer.text);
    let answer = session.ok("run_tests", json!({ "system": "mill/plain" }));
    assert_eq!((&answer.fields["framework"], &answer.fields["failed"]), (&json!("asdf"), &json!(1)));
    assert!(answer.text.contains("the axle broke"), "{}", answer.text);
}

#[test]
fn frameworks_that_have_tests_are_named_when_others_run() {
    let mut session = mill();
    let old = "(defpackage :mill/old (:use :cl :rt))\n(in-package :mill/old)\n(deftest one (+ 1 2) 3)\n";
    session.project.file("deep/old.lisp", old);
    let none = failing(&mut session, "run_tests", json!({ "system": "mill/old", "framework": "fiveam" }));
    let call = "run_tests {\"system\": \"mill/old\", \"framework\": \"rt\"} runs them.";
    assert!(
        none.text.contains(&format!(
            "No test of fiveam ran in mill/old, which is no success. There are tests of rt: {call}"
        )),
        "{}",
        none.text
    );
    session.ok("run_tests", json!({ "system": "mill/old", "framework": "rt" }));
    let plain = failing(&mut session, "run_tests", json!({ "system": "mill/plain", "framework": "rt" }));
    assert!(plain.text.contains("There is a test-op: run_tests {\"system\": \"mill/plain\""), "{}", plain.text);
    let named = failing(&mut session, "run_tests", json!({ "system": "mill/plain", "test": "axle" }));
    assert!(named.text.contains("There is a test-op: "), "{}", named.text);
    let unnamed = failing(&mut session, "run_tests", json!({ "system": "mill/old", "test": "" }));
    assert!(unnamed.text.contains("No test or group is called \"\". There are: mill/old::one."), "{}", unnamed.text);
    // A file may have tests of several frameworks, of which its system needs one.
    session.project.file("deep/old.lisp", format!("{old}{}", TESTS.replace("mill/tests", "mill/new")));
    session.ok("repl_eval", json!({ "code": "(asdf:load-system \"fiveam\")" }));
    let half = session.ok("run_tests", json!({ "system": "mill/old" }));
    assert_eq!((&half.fields["framework"], &half.fields["total"]), (&json!("rt"), &json!(1)), "{}", half.text);
    assert!(
        half.text.contains("[note] Its tests of fiveam did not run: run_tests {\"system\": \"mill/old\""),
        "{}",
        half.text
    );
    let both = session.ok("run_tests", json!({ "path": "deep/old.lisp" }));
    assert_eq!((&both.fields["framework"], &both.fields["total"]), (&json!("fiveam, rt"), &json!(5)), "{}", both.text);
}

#[test]
fn failures_are_not_reported_as_successes() {
    let mut session = mill();
    let answer = failing(&mut session, "run_tests", json!({ "system": "mill/empty" }));
    assert!(answer.text.contains("No test ran"), "{}", answer.text);
    session.ok("run_tests", json!({ "system": "mill/tests" }));
    let suite = |body: &str| TESTS.replace("(test later (skip \"not yet\"))", &format!("(test later {body})\n"));
    for (body, code, says) in [
        ("(loop)", "TIMEOUT", "testing mill/tests::later"),
        ("(sb-ext:exit :code 0)", "LISP_ERROR", "mill/tests::later called exit with code 0"),
        ("(sb-ext:exit :code 0 :abort t)", "SESSION_LOST", "testing mill/tests::later"),
        ("(is-true t", "LISP_ERROR", "did not load"),
    ] {
        session.project.file("deep/tests.lisp", suite(body));
        // Only the endless one takes its full time limit.
        let seconds = if code == "TIMEOUT" { 8 } else { 100 };
        let answer = failing(&mut session, "run_tests", json!({ "system": "mill/tests", "timeout_seconds": seconds }));
        assert_eq!(answer.fields["code"], code, "{body}: {}", answer.text);
        assert!(answer.text.contains(says), "{says}\n{}", answer.text);
    }
    session.refused("run_tests", json!({ "system": "mill/tests", "framework": "srfi-64" }), "UNSUPPORTED", &["fiveam"]);
}

#[test]
fn the_exit_code_of_the_command_is_that_of_the_tests() {
    let session = mill();
    let run = |arguments: &[&str]| {
        let output = std::process::Command::new(binary())
            .arg("test")
            .args(arguments)
            .arg("--root")
            .arg(session.project.root())
            .env("XDG_CACHE_HOME", cache())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, text) = run(&["mill/tests", "--only", "good", "--framework", "fiveam"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("1 passed, 0 failed"), "{text}");
    let (code, text) = run(&["mill/tests", "--json"]);
    assert_eq!(code, Some(1), "{text}");
    let fields: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&fields["passed"], &fields["failed"], &fields["pending"]), (&json!(1), &json!(2), &json!(1)));
    assert_eq!(run(&["mill/empty"]).0, Some(1), "none ran");
    assert_eq!(run(&["mill/lost"]).0, Some(2), "a dependency is missing");
    assert_eq!(run(&["mil"]).0, Some(2), "there is no such system");
}

#[test]
fn files_without_declared_dependencies_are_compiled_after_those_before_them() {
    let text = "(defsystem \"mill\" :components ((:file \"wheel\") (:module \"in\" :components ((:file \"stone\"))) (:file \"last\" \
                :depends-on (\"in\"))))\n";
    let mut session = Session::with_file("mill.asd", text);
    let wheel = |turns: u32| {
        format!("(defpackage :mill (:use :cl))\n(in-package :mill)\n(declaim (inline turn))\n(defun turn () {turns})\n")
    };
    session.project.file("wheel.lisp", wheel(1));
    session.project.file("in/stone.lisp", "(in-package :mill)\n(defun grind () (turn))\n");
    session.project.file("last.lisp", "(in-package :mill)\n(defun bake () (turn))\n");
    let mut both = |turns: u32| {
        session.project.file("wheel.lisp", wheel(turns));
        // An image that knows nothing of the files, as that of another program.
        session.ok("repl_control", json!({ "action": "reset" }));
        session.ok("load_system", json!({ "system": "mill" }));
        session
            .ok("repl_eval", json!({ "code": "(format nil \"~a ~a ~a\" (mill::turn) (mill::grind) (mill::bake))" }))
            .text
    };
    assert_eq!(both(1), "=> \"1 1 1\"");
    assert_eq!(both(2), "=> \"2 2 2\"");
}
