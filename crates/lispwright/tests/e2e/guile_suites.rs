//! SRFI 64 tests with their own runners, unusual groups and unusual errors.

use serde_json::json;

use crate::client::Session;

fn suite(name: &str, text: &str) -> Session {
    Session::with_file(name, format!("(use-modules (srfi srfi-64))\n{text}"))
}

#[test]
fn tests_count_with_any_runner() {
    let tests = "(test-begin \"own\")\n(test-assert \"good\" #t)\n(test-equal \"bad\" 1 2)\n(test-end \"own\")\n";
    let session = &mut suite("current.scm", &format!("(test-runner-current (test-runner-null))\n{tests}(exit 1)\n"));
    let others = [
        ("factory.scm", format!("(test-runner-factory (lambda () (test-runner-null)))\n{tests}")),
        ("with.scm", format!("(test-with-runner (test-runner-null)\n{tests})\n")),
        ("nested.scm", format!("(define runner (test-runner-null))\n(test-with-runner runner {tests})\n")),
    ];
    for (name, text) in &others {
        session.project.file(name, format!("(use-modules (srfi srfi-64))\n{text}"));
    }
    for name in ["current.scm", "factory.scm", "with.scm", "nested.scm", "current.scm"] {
        let answer = session.ok("run_tests", json!({ "path": name }));
        assert_eq!(
            (&answer.fields["passed"], &answer.fields["failed"]),
            (&json!(1), &json!(1)),
            "{name}: {}",
            answer.text
        );
        assert_eq!(answer.fields["failed_tests"][0]["test_name"], "bad", "{name}");
    }
    // The actions of the runner are carried out, what they print is told already, and no runner is left in the image.
    let seen = "(define runner (test-runner-null))
(define seen 0)
(test-runner-on-test-end! runner (lambda (runner) (set! seen (1+ seen)) (display (test-runner-test-name runner))))
(test-runner-current runner)
";
    session.project.file("seen.scm", format!("(use-modules (srfi srfi-64))\n{seen}{tests}(display seen)"));
    let answer = session.ok("run_tests", json!({ "path": "seen.scm" }));
    assert!(answer.fields["failed"] == 1 && answer.text.ends_with("[stdout]\n2"), "{}", answer.text);
    let after = session.ok("repl_eval", json!({ "code": "(procedure? (@@ (srfi srfi-64) %test-begin))" }));
    assert_eq!(after.fields["values"][0], "#t");
}

#[test]
fn tests_run_once_after_a_change_of_what_they_use() {
    let mut session = Session::with_file("shop.scm", "(define-module (shop) #:export (price))\n(define (price) 1)\n");
    let suite = |name: &str| {
        format!(
            "(use-modules (srfi srfi-64) (shop))\n(let ((port (open-file \"{name}.ran\" \"a\")))\n  (display \"x\" port)\n  \
             (close-port port))\n(test-begin \"{name}\")\n(test-assert \"price\" (positive? (price)))\n(test-end \"{name}\")\n"
        )
    };
    for name in ["one", "two"] {
        session.project.file(&format!("{name}.scm"), suite(name));
        session.ok("run_tests", json!({ "path": format!("{name}.scm"), "runtime": "guile" }));
        session.ok("repl_control", json!({ "action": "wait" }));
    }
    let ran = |session: &Session, name: &str| session.project.text(&format!("{name}.ran")).len();
    let before = (ran(&session, "one"), ran(&session, "two"));
    session.project.file("shop.scm", "(define-module (shop) #:export (price))\n(define (price) -1)\n");
    let answer = session.ok("run_tests", json!({ "path": "one.scm", "runtime": "guile" }));
    assert_eq!(answer.fields["failed"], 1, "{}", answer.text);
    assert!(!answer.text.contains("[stdout]"), "{}", answer.text);
    // Once in the session, and once in the fresh image, for which an answer with a new failure waits.
    assert_eq!((ran(&session, "one"), ran(&session, "two")), (before.0 + 2, before.1), "other tests are not run");
}

#[test]
fn modules_are_found_where_their_names_tell_and_where_a_makefile_says() {
    let test = |module: &str| {
        format!(
            "(use-modules (srfi srfi-64) {module})\n(test-begin \"t\")\n(test-equal 3 (add 1 2))\n(test-end \"t\")\n"
        )
    };
    let module = |name: &str| format!("(define-module {name} #:export (add))\n(define (add a b) (+ a b))\n");
    let mut session = Session::with_file("src/guile/foo.scm", module("(foo)"));
    session.project.file("tests/guile/foo-test.scm", test("(foo)"));
    let answer = session.ok("run_tests", json!({ "path": "tests/guile/foo-test.scm" }));
    assert!(answer.text.starts_with("1 passed, 0 failed"), "{}", answer.text);
    // The image has been there before these are.
    session.project.file("far/off/shop/till.scm", module("(shop till)"));
    session.project.file("made/parts.scm", "(add-one 1)\n");
    session.project.file("Makefile", "check:\n\tguile -L made tests/till-test.scm\n");
    session.project.file(
        "tests/till-test.scm",
        format!("(unless (search-path %load-path \"parts.scm\") (exit 1))\n{}", test("(shop till)")),
    );
    let answer = session.ok("run_tests", json!({ "path": "tests/till-test.scm" }));
    assert!(answer.text.starts_with("1 passed, 0 failed"), "{}", answer.text);
}

#[test]
fn a_script_with_checks_of_its_own_counts_as_one_test() {
    let mut session = Session::with_file("Makefile.am", "TESTS = bad.scm\n");
    let check = "(define-syntax check (syntax-rules () ((_ a b) (unless (equal? a b) (display \"FAIL: a\") (newline) (exit 1)))))\n";
    for (ending, runtime) in [("scm", "guile"), ("ss", "chez")] {
        session.project.file(&format!("bad.{ending}"), format!("{check}(check 1 1)\n(check 6 9)\n"));
        session.project.file(&format!("skipped.{ending}"), "(exit 77)\n");
        session.project.file(&format!("good.{ending}"), "(display \"3 tests, 0 failures\")\n(newline)\n(exit 0)\n");
        let session_name = json!(runtime);
        let run = |session: &mut Session, name: &str| {
            let path = format!("{name}.{ending}");
            session.ok("run_tests", json!({ "path": path, "runtime": runtime, "session": session_name }))
        };
        let bad = run(&mut session, "bad");
        assert_eq!((&bad.fields["passed"], &bad.fields["failed"]), (&json!(0), &json!(1)), "{}", bad.text);
        let reason = "It ended with exit code 1.\n  It printed: FAIL: a";
        assert!(bad.text.contains(reason), "{}", bad.text);
        let skipped = run(&mut session, "skipped");
        assert_eq!((&skipped.fields["failed"], &skipped.fields["pending"]), (&json!(0), &json!(1)), "{}", skipped.text);
        let good = run(&mut session, "good");
        assert_eq!((&good.fields["passed"], &good.fields["framework"]), (&json!(1), &json!("script")), "{}", good.text);
    }
    // What Automake's driver sets is set for the run, and what a file does to the load path ends with it.
    let suite = "(add-to-load-path (getenv \"abs_top_srcdir\"))\n(use-modules (srfi srfi-64))\n(test-begin \"s\")\n\
                 (test-assert #t)\n(test-end \"s\")\n";
    session.project.file("tests/suite.scm", suite);
    let answer = session.ok("run_tests", json!({ "path": "tests/suite.scm", "session": "guile" }));
    assert_eq!((&answer.fields["passed"], &answer.fields["failed"]), (&json!(1), &json!(0)), "{}", answer.text);
    let poison =
        "(set! %load-path (cons #f %load-path))\n(use-modules (srfi srfi-64))\n(test-begin \"s\")\n(test-end \"s\")\n";
    session.project.file("tests/poison.scm", poison);
    let answer = session.client.call("run_tests", json!({ "path": "tests/poison.scm", "session": "guile" }));
    assert!(answer.text.contains("[note] The tests put #f into %load-path"), "{}", answer.text);
    let answer = session.ok("run_tests", json!({ "path": "tests/suite.scm", "session": "guile" }));
    assert_eq!(answer.fields["passed"], 1, "{}", answer.text);
}

#[test]
fn groups_that_do_not_add_up_are_failures() {
    let session = &mut suite("odd.scm", "(test-begin \"odd\" 5)\n(test-assert \"one\" #t)\n(test-end \"even\")\n");
    let answer = session.ok("run_tests", json!({ "path": "odd.scm" }));
    assert_eq!((&answer.fields["passed"], &answer.fields["failed"]), (&json!(1), &json!(2)), "{}", answer.text);
    let some = session.ok("run_tests", json!({ "path": "odd.scm", "tests": ["one", "two"] }));
    assert_eq!(some.fields["unmatched"], json!(["two"]), "{}", some.text);
    assert!(answer.text.contains("5 tests were announced, and 1 ran."), "{}", answer.text);
    assert!(answer.text.contains("The test-begin of odd ends with the test-end of even."), "{}", answer.text);
}

#[test]
fn an_exit_code_makes_a_script_a_failure_although_no_test_failed() {
    let session =
        &mut suite("exits.scm", "(test-begin \"exits\")\n(test-assert \"one\" #t)\n(test-end \"exits\")\n(exit 3)\n");
    let answer = session.client.call("run_tests", json!({ "path": "exits.scm" }));
    assert!(answer.is_error, "{}", answer.text);
    assert!(
        answer.text.contains("Though none of its tests failed, exits.scm ended with exit code 3: 1 passed,"),
        "{}",
        answer.text
    );
}

#[test]
fn every_raised_object_is_reported() {
    let session = &mut suite(
        "raises.scm",
        "(test-begin \"raises\")\n(test-assert \"number\" (raise-exception 42))\n\
         (test-assert \"key\" (throw 'my-key 1))\n(test-end \"raises\")\n",
    );
    let answer = session.ok("run_tests", json!({ "path": "raises.scm" }));
    let reasons = &answer.fields["failed_tests"];
    assert_eq!(reasons[0]["reason"], "raised 42", "{}", answer.text);
    assert!(reasons[1]["reason"].as_str().unwrap().starts_with("my-key: "), "{}", answer.text);
}

#[test]
fn a_refusal_tells_a_few_failures_of_all_runs() {
    let mut session = Session::with_file("shop.scm", "(define-module (shop) #:export (price))\n(define (price) 1)\n");
    for name in ["one", "two", "three"] {
        let checks: String = (0..8)
            .map(|number| format!("(test-equal \"{name}-{number}\" {number} (- (price) (- 1 {number})))\n"))
            .collect();
        let suite = format!(
            "(use-modules (srfi srfi-64) (shop))\n(test-begin \"{name}\")\n{checks}(test-equal \"{name}-old\" 1 2)\n(test-end \"{name}\")\n"
        );
        session.project.file(&format!("tests/{name}.scm"), suite);
    }
    let edit = |new: &str| json!({ "path": "shop.scm", "name": "price", "old_text": "(price) 1", "new_text": new, "verify": "tests" });
    let wrong = session.client.call("lisp_patch_form", edit("(price) 2"));
    assert_eq!(wrong.text.matches("\nFAILED ").count(), 12, "{}", wrong.text);
    assert!(!wrong.text.contains("-old\n"), "{}", wrong.text);
    assert!(wrong.text.contains(" (9 of 9).\nFailed before, too: "), "{}", wrong.text);
    let mut missing = edit("(shop) #:use-module (no where)");
    missing["old_text"] = json!("(shop)");
    missing.as_object_mut().unwrap().remove("name");
    let broken = session.client.call("lisp_patch_form", missing);
    assert_eq!(broken.text.matches(" did not load.").count(), 1, "the others need it, too: {}", broken.text);
    let fine = session.ok("lisp_patch_form", edit("(price) (- 3 2)"));
    assert!(fine.text.contains("Failed before, too: "), "{}", fine.text);
}
