//! A project of Racket: sessions, modules, tests, names and errors.

use serde_json::json;

use crate::client::Session;

const AREA: &str = "#lang racket/base
(provide area (struct-out shape))
(struct shape (name size))
;; The area.
(define (area shape #:unit [unit 1])
  (* unit (shape-size shape) (shape-size shape)))
(define (total shapes)
  (apply + (map area shapes)))
(module+ test
  (require rackunit)
  (test-case \"holds\" (check-equal? (area (shape 'a 2)) 4))
  (check-equal? (area (shape 'a 2)) 5 \"too small\"))
";

fn project() -> Session {
    Session::with_file("area.rkt", AREA)
}

#[test]
fn a_project_of_racket_runs_racket_and_output_is_captured() {
    let mut session = project();
    let code = "(eprintf \"λ ~a\" 1) (display \"out\") (system \"echo child\") (list 1 \"a\" 'b)";
    let answer = session.ok("repl_eval", json!({ "code": code }));
    assert_eq!(answer.fields["values"], json!(["'(1 \"a\" b)"]), "{}", answer.text);
    assert_eq!((&answer.fields["stdout"], &answer.fields["stderr"]), (&json!("outchild\n"), &json!("λ 1")));
    let status = session.ok("repl_control", json!({ "action": "status" }));
    assert!(status.text.contains("main: idle, Racket "), "{}", status.text);
    let node = session.ok("repl_eval", json!({ "code": "(struct spot (x y)) (spot 1 \"two\")" }));
    assert!(node.text.starts_with("=> #<spot>\n") && node.text.contains("\"two\""), "{}", node.text);
}

#[test]
fn an_error_has_its_frames_with_arguments_and_the_lines_of_their_calls() {
    let mut session = project();
    session.ok("load_system", json!({ "path": "area.rkt" }));
    let code = "1\n(total (list (shape 'a 1) 7))";
    let answer = session.client.call("repl_eval", json!({ "code": code, "package": "area.rkt" }));
    assert!(
        answer.is_error && answer.text.contains("[ERROR] exn:fail:contract\nshape-size: contract"),
        "{}",
        answer.text
    );
    let frames = &answer.fields["error"]["frames"];
    assert_eq!((&frames[0]["line"], &frames[1]["line"]), (&json!(6), &json!(8)), "{frames}");
    assert!(answer.text.contains("area.rkt:6:"), "{}", answer.text);
    for (code, says) in [
        ("(list 1", "ends in the middle"),
        ("#lang racket\n1", "load_system"),
        ("(raise 'x)", "raised: 'x"),
        ("(kill-thread (current-thread))", "killed the thread"),
        ("(custodian-shutdown-all (current-custodian))", "custodian"),
        ("(abort-current-continuation (make-continuation-prompt-tag) 1)", "prompt"),
    ] {
        let answer = session.client.call("repl_eval", json!({ "code": code }));
        assert!(answer.is_error && answer.text.contains(says), "{code}: {}", answer.text);
    }
    for code in ["(close-output-port (current-output-port))", "(print-as-expression #f)", "(current-directory \"/\")"] {
        session.ok("repl_eval", json!({ "code": code }));
    }
    let code = "(display (path->string (current-directory))) (list 'a)";
    let answer = session.ok("repl_eval", json!({ "code": code }));
    assert_eq!(answer.fields["values"], json!(["'(a)"]));
    assert_ne!(answer.fields["stdout"], "/");
}

#[test]
fn assignments_last_and_modules_are_entered() {
    let mut session = project();
    session.ok("load_system", json!({ "system": "area" }));
    session.ok("repl_eval", json!({ "code": "(define p (make-parameter 1)) (p 2)" }));
    assert_eq!(session.ok("repl_eval", json!({ "code": "(p)" })).text, "=> 2");
    let inside = json!({ "code": "(define (total shapes) 'changed)", "package": "area.rkt" });
    session.ok("repl_eval", inside);
    let answer = session.ok("repl_eval", json!({ "code": "(total '())", "package": "area.rkt" }));
    assert_eq!(answer.fields["values"], json!(["'changed"]));
    session.ok("repl_eval", json!({ "code": "(enter! \"area.rkt\")" }));
    assert_eq!(session.ok("repl_eval", json!({ "code": "(total '())" })).fields["package"], "area.rkt");
    session.ok("repl_eval", json!({ "code": "(enter! #f)" }));
    let answer = session.client.call("repl_eval", json!({ "code": "1", "package": "aera.rkt" }));
    assert!(answer.is_error && answer.text.contains("area.rkt"), "{}", answer.text);
}

#[test]
fn modules_are_loaded_with_changed_dependencies_and_errors_have_places() {
    let mut session = project();
    session.project.file(
        "use.rkt",
        "#lang racket/base\n(require \"area.rkt\")\n(define side (area (shape 'a 3)))\n(provide side)\n",
    );
    session.ok("load_system", json!({ "path": "use.rkt" }));
    let again = session.ok("load_system", json!({ "system": "use", "force": false }));
    assert_eq!(again.fields["status"], "unchanged");
    session
        .project
        .file("area.rkt", AREA.replace("(* unit (shape-size shape) (shape-size shape))", "(* 2 (shape-size shape))"));
    session.ok("load_system", json!({ "system": "use", "force": false }));
    assert_eq!(session.ok("repl_eval", json!({ "code": "(require \"use.rkt\") side" })).text, "=> 6");
    for (name, text, place) in [
        ("a.rkt", "#lang racket/base\n(define x 1)\n(car x)\n", "a.rkt:3"),
        ("b.rkt", "#lang racket/base\n(list x\n", "b.rkt:2:"),
        ("c.rkt", "#lang racket/base\n(define (f)\n  (unknown))\n", "c.rkt:3:4: error: unknown: unbound"),
        ("d.rkt", "#lang racket/base\n(exit 4)\n", "exit code 4"),
    ] {
        session.project.file(name, text);
        let answer = session.client.call("load_system", json!({ "path": name }));
        assert!(answer.is_error && answer.text.contains(place), "{name}: {}", answer.text);
    }
    session.refused("load_system", json!({ "system": "aera" }), "BAD_ARGUMENT", &["area"]);
    let written = session.project.snapshot();
    assert!(written.keys().all(|path| !path.to_string_lossy().ends_with(".zo")), "{:?}", written.keys());
}

#[test]
fn tests_are_run_and_only_those_that_were_seen_to_pass_count() {
    let mut session = project();
    let answer = session.ok("run_tests", json!({ "path": "area.rkt" }));
    assert!(answer.text.starts_with("1 passed, 1 failed, 0 pending of 2 (rackunit, "), "{}", answer.text);
    assert!(answer.text.contains("area.rkt:12: check-equal? (line 12) (too small)"), "{}", answer.text);
    assert!(answer.text.contains("actual: 4") && answer.text.contains("expected: 5"), "{}", answer.text);
    let some = session.ok("run_tests", json!({ "system": "area", "tests": ["holds"] }));
    assert_eq!((&some.fields["passed"], &some.fields["failed"]), (&json!(1), &json!(0)));
    let suite = "#lang racket/base\n(require rackunit rackunit/text-ui)\n(define s (test-suite \"s\"\n  \
                 (test-case \"in\" (check-true #t))\n  (test-case \"out\" (check-eq? 1 2))))\n(run-tests s)\n";
    session.project.file("suite.rkt", suite);
    let answer = session.ok("run_tests", json!({ "path": "suite.rkt" }));
    assert!(answer.text.starts_with("1 passed, 1 failed, 0 pending of 2 (rackunit, "), "{}", answer.text);
    assert!(answer.text.contains("FAILED suite.rkt:5: out"), "{}", answer.text);
    session.project.file("empty.rkt", "#lang racket/base\n(define x 1)\n");
    session
        .project
        .file("hang.rkt", "#lang racket/base\n(require rackunit)\n(test-case \"spins\" (let loop () (loop)))\n");
    session.project.file("exits.rkt", "#lang racket/base\n(require rackunit)\n(check-true #t)\n(exit 2)\n");
    session.project.file("idle.rkt", "#lang racket/base\n(require rackunit)\n(define-test-suite s (check-true #t))\n");
    for (path, says) in
        [("empty.rkt", "No test ran"), ("idle.rkt", "No test ran"), ("exits.rkt", "ended with exit code 2")]
    {
        let answer = session.stopped("run_tests", json!({ "path": path }), |answer| answer.text.contains(says));
        assert!(answer.is_error && answer.text.contains(says), "{path}: {}", answer.text);
    }
    // A suite's failures are told once. An error has the line of its test case; the package's own collection is linked.
    session.project.file("info.rkt", "#lang info\n(define collection \"mill\")\n");
    session.project.file("stone.rkt", "#lang racket/base\n(provide grind)\n(define (grind x) (car x))\n");
    let own = "#lang racket/base\n(require rackunit rackunit/text-ui mill/stone)\n(void (run-tests (test-suite \"s\" (test-case \"out\" \
               (check-eq? 1 2)))))\n(test-case \"err\"\n  (grind 3))\n";
    session.project.file("own.rkt", own);
    let answer = session.ok("run_tests", json!({ "path": "own.rkt" }));
    assert!(answer.text.starts_with("0 passed, 2 failed, "), "{}", answer.text);
    assert!(answer.text.contains("FAILED own.rkt:4: err\n"), "{}", answer.text);
    assert!(!answer.text.contains("[stdout]") && !answer.text.contains("[stderr]"), "{}", answer.text);
    let hangs = session.ok("run_tests", json!({ "path": "hang.rkt", "timeout_seconds": 8 }));
    assert!(hangs.text.contains("FAILED hang.rkt:3: spins\n  It ran for "), "{}", hangs.text);
}

#[test]
fn names_are_described_found_and_listed() {
    let mut session = project();
    session.ok("load_system", json!({ "path": "area.rkt" }));
    let described = session.ok("code_describe", json!({ "symbol": "area", "package": "area.rkt" }));
    assert!(described.text.contains("area.rkt:5") && described.text.contains("#:unit"), "{}", described.text);
    let references = session.ok("code_find_references", json!({ "symbol": "area", "package": "area.rkt" }));
    assert!(references.text.contains("area.rkt:8:"), "{}", references.text);
    let expanded = session.ok("macroexpand", json!({ "code": "(when a b)" }));
    assert!(expanded.text.contains("(if a "), "{}", expanded.text);
}
