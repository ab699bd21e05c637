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
    let status = session.ok("repl_control", json!({ "action": "status", "detail": true }));
    assert!(status.text.contains("Workers on guile: from the saved image"), "{}", status.text);
    session.refused(
        "repl_eval",
        json!({ "code": "1", "session": "main", "runtime": "sbcl" }),
        "BAD_ARGUMENT",
        &["runs guile, not sbcl", "\"sbcl\""],
    );
}

#[test]
fn an_error_has_its_place() {
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
    let named_as_system = session.ok("load_system", json!({ "system": "farm/field.scm" }));
    assert_eq!(named_as_system.fields["status"], "loaded");
    for (name, text, place) in [
        ("a.scm", "(define x 1)\n(car x)\n", "a.scm:2:1: error: "),
        ("b.scm", "(define x 1)\n(let ((x)) x)\n", "b.scm:2:1: error: "),
        ("c.scm", "(define x 1)\n(list x\n", "c.scm:2:8: error: `(` of 2:1 is never closed"),
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
fn tests_are_run_and_failures_reported() {
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
fn only_successes_are_reported_as_successes() {
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
        ("away.scm", suite("(test-assert \"leap\" (primitive-_exit 0))"), "SESSION_LOST", "It was testing leap."),
        ("hang.scm", suite("(let loop () (loop))"), "TIMEOUT", "Its time was up"),
    ] {
        session.project.file(name, text);
        session.ok("repl_control", json!({ "action": "start" }));
        let timeout = if code == "TIMEOUT" { 8 } else { 60 };
        let answer = session.client.call("run_tests", json!({ "path": name, "timeout_seconds": timeout }));
        assert!(answer.is_error, "{name}: {}", answer.text);
        assert_eq!(answer.text.contains("Before that 1 passed"), code == "TIMEOUT", "{name}: {}", answer.text);
        assert_eq!(answer.fields["code"], code, "{name}: {}", answer.text);
        assert!(answer.text.contains(says), "{name}: {}", answer.text);
    }
    session.project.file("exits.scm", suite("(test-equal 1 2) (exit 1)"));
    let answer = session.ok("run_tests", json!({ "path": "exits.scm" }));
    assert_eq!((&answer.fields["passed"], &answer.fields["failed"]), (&json!(1), &json!(1)), "{}", answer.text);
    session.refused("run_tests", json!({ "path": "exits.scm", "framework": "fiveam" }), "UNSUPPORTED", &["srfi-64"]);
}

#[test]
fn values_are_inspected_and_macros_expanded() {
    let mut session = farm();
    let answer = session.ok("repl_eval", json!({ "code": "(list 1 (vector 2 \"b\") 'c)" }));
    let id = &answer.fields["result_object_id"];
    assert_eq!(answer.fields["result_preview"]["elements"][1]["summary"], "#(2 \"b\")");
    let inside = session.ok("inspect_object", json!({ "id": id, "max_depth": 2 }));
    assert_eq!(inside.fields["elements"][1]["elements"][0]["summary"], "2");
    let code = "(use-modules (srfi srfi-9) (oop goops))
                (define-record-type point (make-point x y) point? (x px) (y py))
                (define-class <c> () (a #:init-value 1) (b))
                (define h (make-hash-table)) (hash-set! h 'k (list 1))
                (list (make-point 1 '(2)) (make <c>) h car (lambda* (x #:key y) \"Says it.\" x) (current-module)
                      (current-output-port) (make-array 0 2 2) (make-string 300 #\\a) (delay 1) (cons 1 2))";
    let answer = session.ok("repl_eval", json!({ "code": code }));
    let inside = session.ok("inspect_object", json!({ "id": answer.fields["result_object_id"], "max_depth": 2 }));
    let kinds: Vec<&str> =
        inside.fields["elements"].as_array().unwrap().iter().map(|part| part["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "structure",
            "instance",
            "hash-table",
            "function",
            "function",
            "package",
            "stream",
            "array",
            "string",
            "atom",
            "list"
        ]
    );
    assert!(inside.text.contains("x = 1") && inside.text.contains("b = unbound"), "{}", inside.text);
    let procedure = session.ok("inspect_object", json!({ "id": inside.fields["elements"][4]["id"] }));
    assert!(procedure.text.contains("Says it.") && procedure.text.contains("(x #:key y)"), "{}", procedure.text);

    let expand = |code: &str, level: &str| json!({ "code": code, "level": level });
    assert_eq!(session.ok("macroexpand", expand("(when a b c)", "once")).fields["expansion"], "(if a (begin b c))");
    let whole = session.ok("macroexpand", expand("(let* ((a 1) (b a)) (unless b a))", "all"));
    assert_eq!(
        (&whole.fields["expansion"], &whole.fields["changed"]),
        (&json!("(let* ((a 1) (b a)) (if ((@@ (guile) not) b) a))"), &json!(true))
    );
    assert_eq!(session.ok("macroexpand", expand("(car x)", "full")).fields["changed"], false);
    session.ok("repl_eval", json!({ "code": "(define-syntax-rule (twice x) (list x x))" }));
    assert_eq!(session.ok("macroexpand", expand("(twice (f))", "full")).fields["expansion"], "(list (f) (f))");
    session.refused("macroexpand", expand("(car x) 1", "once"), "BAD_ARGUMENT", &["2 forms"]);
    let source = "(define-module (farm tool))\n(define-syntax-rule (mul x) (* x x))\n(define (g) (mul 3))\n(mul 4)\n";
    session.project.file("farm/tool.scm", source);
    let in_file = session.ok("macroexpand", json!({ "path": "farm/tool.scm", "line": 4, "level": "full" }));
    assert_eq!((&in_file.fields["expansion"], &in_file.fields["package"]), (&json!("(* 4 4)"), &json!("(guile-user)")));
}

#[test]
fn an_error_is_held_and_code_runs_in_its_frames() {
    let mut session = farm();
    let code = "(define (f x) (let ((y (* x 2))) (+ 1 (/ y 0)))) (define (g z) (+ 1 (f z))) (g 3)";
    let answer = session.client.call("repl_eval", json!({ "code": code, "on_error": "hold" }));
    assert!(answer.is_error && answer.text.contains("(f 3)"), "{}", answer.text);
    let frames = session.ok("repl_control", json!({ "action": "frames" }));
    assert!(frames.text.contains("0: (f 3)") && frames.text.contains("1: (g 3)"), "{}", frames.text);
    let locals = session.ok("repl_control", json!({ "action": "locals", "frame": 0 }));
    assert!(locals.text.contains("x = 3") && locals.text.contains("y = 6"), "{}", locals.text);
    let there = session.ok("repl_control", json!({ "action": "eval_in_frame", "frame": 0, "code": "(list x y)" }));
    assert!(there.text.contains("=> (3 6)"), "{}", there.text);
    // Another error is held on top of it, and both are given up.
    assert!(session.client.call("repl_eval", json!({ "code": "(car 7)", "on_error": "hold" })).is_error);
    session.ok("repl_control", json!({ "action": "abort" }));
    session.ok("repl_control", json!({ "action": "abort" }));
    session.refused("repl_control", json!({ "action": "frames" }), "BAD_ARGUMENT", &["No error is held"]);
    assert_eq!(session.ok("repl_eval", json!({ "code": "(+ 1 2)" })).text, "=> 3");
}

#[test]
fn a_held_error_is_continued() {
    let mut session = farm();
    let held = |session: &mut Session, code: &str| {
        session.client.call("repl_eval", json!({ "code": code, "on_error": "hold" }))
    };
    let answer = held(&mut session, "(use-modules (farm field))\n(list 'grown (grow '(2)))\n(crop '(8))");
    assert!(answer.text.contains("[Restarts]\n0: RETRY: Evaluate form 2 again from its start."), "{}", answer.text);
    assert!(answer.text.contains("1: ABORT: ") && !answer.text.contains("USE-VALUE"), "{}", answer.text);
    // The missing definition is evaluated on top; then the next form runs as well.
    session.ok("repl_eval", json!({ "code": "(define grow crop)" }));
    let done = session.ok("repl_control", json!({ "action": "restart", "restart": "RETRY" }));
    assert_eq!((&done.fields["values"], done.fields.get("held")), (&json!(["9"]), None), "{}", done.text);

    // The same with code that has been compiled to machine code.
    session.ok(
        "repl_eval",
        json!({ "code": "(use-modules (ice-9 exceptions))
                         (define (answered n) (with-exception-handler (lambda (e) 1) (lambda () (raise-continuable n))))
                         (do ((n 0 (1+ n))) ((= n 20000)) (answered n) (false-if-exception (car n)))" }),
    );
    let answer = held(&mut session, "(list 'price (raise-continuable 'tea))");
    assert!(answer.text.contains("0: USE-VALUE: ") && answer.text.contains("2: ABORT: "), "{}", answer.text);
    let levels = session.ok("repl_control", json!({ "action": "restarts" }));
    assert_eq!(levels.fields["levels"][0]["restarts"][0]["name"], "USE-VALUE", "{}", levels.text);
    session.refused(
        "repl_control",
        json!({ "action": "restart", "restart": "USE-VALUE" }),
        "BAD_ARGUMENT",
        &["\"code\""],
    );
    let done = session.ok("repl_control", json!({ "action": "restart", "restart": "0", "code": "(+ 1 2)" }));
    assert_eq!((&done.fields["values"], done.fields.get("held")), (&json!(["(price 3)"]), None), "{}", done.text);
    assert!(!held(&mut session, "(car 1)").text.contains("USE-VALUE"));
    session.ok("repl_control", json!({ "action": "restart", "restart": "ABORT" }));
    session.refused("repl_control", json!({ "action": "frames" }), "BAD_ARGUMENT", &["No error is held"]);
}

#[test]
fn a_trial_leaves_no_trace_and_a_rollback_restores_the_image() {
    let mut session = farm();
    let value = |session: &mut Session, code: &str| {
        session.ok("repl_eval", json!({ "code": code })).fields["values"][0].clone()
    };
    session.ok("repl_eval", json!({ "code": "(define x 1)" }));
    let trial = session.ok("repl_eval", json!({ "code": "(set! x 5) (display x) x", "trial": true }));
    assert_eq!((&trial.fields["values"], &trial.fields["stdout"]), (&json!(["5"]), &json!("5")));
    assert_eq!(value(&mut session, "x"), "1");
    let died = session.client.call("repl_eval", json!({ "code": "(primitive-exit 3)", "trial": true }));
    assert!(died.is_error, "{}", died.text);
    assert_eq!(value(&mut session, "x"), "1");

    session.ok("repl_control", json!({ "action": "checkpoint", "name": "one" }));
    session.ok("repl_eval", json!({ "code": "(set! x 9)" }));
    let stopped = session.client.call("repl_eval", json!({ "code": "(let loop () (loop))", "timeout_seconds": 0.3 }));
    assert_eq!(
        (&stopped.fields["code"], value(&mut session, "x")),
        (&json!("TIMEOUT"), json!("9")),
        "{}",
        stopped.text
    );
    session.ok("repl_control", json!({ "action": "rollback", "name": "one" }));
    assert_eq!(value(&mut session, "x"), "1");
    // The death of a copy restores the checkpoint.
    let died = session.client.call("repl_eval", json!({ "code": "(set! x 10) (kill (getpid) SIGKILL)" }));
    assert!(died.is_error && died.text.contains("one"), "{}", died.text);
    assert_eq!(value(&mut session, "x"), "1");
    let code = "(use-modules (ice-9 threads)) (define t (call-with-new-thread (lambda () (sleep 60))))";
    session.ok("repl_eval", json!({ "code": code }));
    session.refused("repl_control", json!({ "action": "checkpoint", "name": "two" }), "UNSUPPORTED", &["thread"]);
}

#[test]
fn names_are_described_by_guile() {
    let shapes = "(define-module (my shapes)
  #:export (area scale <point> make-point swap!)
  #:use-module (oop goops) #:use-module (srfi srfi-9))
(define* (scale x y #:optional (w 2) #:key (z 1)) \"Scales X.\" (+ x y w z))
(define either (case-lambda \"Cases.\" ((a) a) ((a b . c) b)))
(define-syntax-rule (swap! a b) \"Swaps.\" (let ((t a)) (set! a b) (set! b t)))
(define-record-type <point> (make-point x) point? (x point-x))
(define-class <shape> () (name #:init-keyword #:name))
(define-method (area (s <shape>)) \"Of a shape.\" 1)
(define depth (make-parameter 3))
(define answer 42)
";
    let mut session = Session::with_file("my/shapes.scm", shapes);
    session.ok("load_system", json!({ "path": "my/shapes.scm" }));
    for (symbol, expected) in [
        (
            "scale",
            "(@ (my shapes) scale), exported from (my shapes)\n[procedure] scale (x y #:optional w #:key z)  my/shapes.scm:4\nScales X.",
        ),
        (
            "either",
            "(@@ (my shapes) either), internal to (my shapes)\n[procedure] either (a)  my/shapes.scm:5\nor (a b . c)\nCases.",
        ),
        ("swap!", "[syntax] swap!  my/shapes.scm:6\nSwaps."),
        ("<point>", "[record type] <point>  my/shapes.scm:7\nfields: (x)"),
        ("point-x", "[procedure] point-x (s)  my/shapes.scm:7"),
        ("<shape>", "[class] <shape>  my/shapes.scm:8\nsuperclasses: (<object>)\nslots: (name)"),
        ("area", "[method] area (<shape>)  my/shapes.scm:9\nOf a shape."),
        ("depth", "[parameter] depth  my/shapes.scm:10\nvalue: 3"),
        ("(@@ (my shapes) answer)", "[variable] answer  my/shapes.scm:11\nvalue: 42"),
        ("(my shapes)", "[module] (my shapes)  my/shapes.scm:1\nexports: <point> area make-point scale swap!\n"),
        ("car", "[procedure] car (_)"),
        ("if", "[core syntax] if"),
    ] {
        let answer = session.ok("code_describe", json!({ "symbol": symbol }));
        assert!(answer.text.contains(expected), "{symbol}: {}", answer.text);
    }
    session.refused("code_describe", json!({ "symbol": "sacle" }), "BAD_ARGUMENT", &["Nearest: (@ (my shapes) scale)"]);
    for symbol in ["(", "#t", "\"x\"", "(1 2"] {
        session.refused("code_describe", json!({ "symbol": symbol }), "BAD_ARGUMENT", &["means nothing"]);
    }
    let unknown = session.client.call("code_describe", json!({ "symbol": "(@ (my shpaes) scale)" }));
    assert!(unknown.is_error && unknown.text.contains("Nearest: (my shapes)"), "{}", unknown.text);
    let found = session.ok("code_find", json!({ "symbol": "answer" }));
    assert_eq!(found.text, "(@@ (my shapes) answer) is defined at\nmy/shapes.scm:11: define answer");
}

#[test]
fn exports_are_listed_page_by_page() {
    let mut session = Session::with_sets(
        "docs",
        "my/tool.scm",
        "(define-module (my tool) #:use-module (my base) #:export (add (plus . sum) point-x unset) #:re-export (base) \
         #:replace (car))
(use-modules (srfi srfi-9))
(define-record-type <point> (make-point x) point? (x point-x))
(define* (add a #:optional b . more)
  \"Adds.

At length.\"
  a)
(define plus (case-lambda ((a) a) ((a b) b)))
(define car 5)
",
    );
    session.project.file("my/base.scm", "(define-module (my base) #:export (base))\n(define (base) \"The base.\" 1)\n");
    // The files answer when no image knows the module.
    let from_files = "(my tool) exports 6 names:
function add (add a #:optional b . more)  my/tool.scm:4  Adds.
function base (base)  from (my base)  my/base.scm:2  The base.
variable car  my/tool.scm:10
function point-x  my/tool.scm:3
function sum (a) or (a b)  my/tool.scm:9
symbol unset";
    let answer = session.ok("code_exports", json!({ "path": "my/tool.scm" }));
    assert_eq!(answer.text, from_files);
    session.ok("repl_eval", json!({ "code": "1", "runtime": "sbcl", "session": "main" }));
    assert_eq!(session.ok("code_exports", json!({ "path": "my/tool.scm" })).text, from_files);
    session.ok("repl_eval", json!({ "code": "1", "runtime": "guile" }));
    assert_eq!(session.ok("code_exports", json!({ "path": "my/tool.scm" })).text, from_files);
    session.ok("load_system", json!({ "path": "my/tool.scm" }));
    let answer = session.ok("code_exports", json!({ "path": "my/tool.scm" }));
    let expected = "(my tool) exports 6 names:
procedure add (a #:optional b . more)  my/tool.scm:4  Adds.
procedure base ()  from (my base)  my/base.scm:2  The base.
variable car  my/tool.scm:10
procedure point-x (s)  my/tool.scm:3
procedure sum (a) or (a b)  my/tool.scm:9
unbound variable unset";
    assert_eq!(answer.text, expected);
    assert_eq!(answer.fields["exports"][1]["from"], "(my base)");
    let page = session.ok("code_exports", json!({ "module": "(my tool)", "offset": 1, "limit": 2 }));
    assert!(
        page.text.ends_with("\n[note] 3 more: code_exports {\"module\": \"(my tool)\", \"offset\": 3}"),
        "{}",
        page.text
    );
    assert_eq!((&page.fields["total"], &page.fields["truncated"]), (&json!(6), &json!(true)));
    let past = session.ok("code_exports", json!({ "module": "(my tool)", "offset": 99 }));
    assert_eq!(past.fields["exports"], json!([]));
    session.project.file("script.scm", "(display 1)\n");
    session.refused("code_exports", json!({ "path": "script.scm" }), "BAD_ARGUMENT", &["script.scm: no define-module"]);
    let unknown = session.client.call("code_exports", json!({ "module": "(my tol)" }));
    assert!(unknown.is_error && unknown.text.contains("Nearest: (my tool)"), "{}", unknown.text);
    session.refused("code_exports", json!({}), "BAD_ARGUMENT", &["`path`", "`module`"]);
    session.refused("code_exports", json!({ "module": " " }), "BAD_ARGUMENT", &["`path`"]);
}

#[test]
fn references_have_the_places_of_the_expander() {
    let mut session = Session::with_file(
        "my/base.scm",
        "(define-module (my base) #:export (grow twice point-x counter))
(use-modules (srfi srfi-9))
(define-record-type <point> (make-point x) point? (x point-x))
(define-syntax-rule (twice x) (grow (grow x)))
(define counter 0)
(define (grow x) (set! counter (+ counter 1)) x)
",
    );
    session.project.file(
        "my/user.scm",
        "(define-module (my user) #:use-module ((my base) #:prefix b:))
(define (local b:grow) (b:grow 1))
(define (quoted) '(b:grow b:twice))
;; λ
(define (caller xs) \"λ\" (list (b:grow 1) (map b:grow xs)))
(define (macro) (b:twice 2))
(define (field p) (map b:point-x (list p (b:point-x p))))
(b:grow 3)
",
    );
    session.ok("load_system", json!({ "path": "my/base.scm" }));
    session.ok("load_system", json!({ "path": "my/user.scm" }));
    let lines = |session: &mut Session, symbol: &str| -> Vec<String> {
        let answer = session.ok("code_find_references", json!({ "symbol": symbol }));
        assert!(!answer.text.contains("is not known"), "{}", answer.text);
        answer.places()
    };
    // A reference in the template of a macro has its place in the template.
    let of_grow = [
        "my/base.scm:1:36: export in define-module (my base)",
        "my/base.scm:4:32: template in define-syntax-rule twice",
        "my/base.scm:4:38: template in define-syntax-rule twice",
        "my/user.scm:3:20: quoted in define quoted",
        "my/user.scm:5:32: call in define caller",
        "my/user.scm:5:47: value in define caller",
        "my/user.scm:8:2: call in b:grow 3",
    ];
    assert_eq!(lines(&mut session, "grow"), of_grow);
    // Exports and data are known to the files alone.
    let mut in_code = |symbol: &str| -> Vec<String> {
        let found = lines(&mut session, symbol).into_iter();
        found.filter(|line| !line.contains(": export in ") && !line.contains(": quoted in ")).collect()
    };
    assert_eq!(in_code("twice"), ["my/user.scm:6:18: macro in define macro"]);
    let of_field = ["my/user.scm:7:24: value in define field", "my/user.scm:7:43: call in define field"];
    assert_eq!(in_code("point-x"), of_field);
    let of_counter = ["my/base.scm:6:24: assignment in define grow", "my/base.scm:6:35: value in define grow"];
    assert_eq!(in_code("counter"), of_counter);
    // The file has changed, and a definition was evaluated.
    let text = session.project.text("my/user.scm");
    session.project.file("my/user.scm", format!(";; new\n;; lines\n{text}"));
    session.ok("repl_eval", json!({ "code": "(use-modules (my base)) (define (here) (grow 1)) (grow 2)" }));
    let now = lines(&mut session, "grow");
    assert_eq!(now[5..7], ["my/user.scm:7:32: call in define caller", "my/user.scm:7:47: value in define caller"]);
    assert_eq!(now[0], "(no file): call in here");
    // A reloaded file and a re-evaluated definition replace the references of the earlier ones.
    session.project.file("my/user.scm", "(define-module (my user) #:use-module (my base))\n(define (one) (grow 1))\n");
    session.ok("load_system", json!({ "path": "my/user.scm" }));
    session.ok("repl_eval", json!({ "code": "(define (here) 1)" }));
    assert_eq!(lines(&mut session, "grow").last().unwrap(), "my/user.scm:2:16: call in define one");
    let calls = session.ok("code_find_references", json!({ "symbol": "grow", "kinds": ["assignment"] }));
    assert_eq!(calls.fields["count"], 0);
    // The image does not know the references in compiled files of an earlier image; the files do.
    session.ok("repl_control", json!({ "action": "reset" }));
    session.ok("repl_eval", json!({ "code": "((@@ (my user) one))" }));
    session.ok("repl_control", json!({ "action": "reset" }));
    session.ok("repl_eval", json!({ "code": "((@@ (my user) one))" }));
    let unknown = session.ok("code_find_references", json!({ "symbol": "grow" }));
    assert_eq!(unknown.places().last().unwrap(), "my/user.scm:2:16: call in define one");
    assert_eq!(unknown.fields["not_known"].as_array().unwrap().len(), 2, "{}", unknown.fields);
}

#[test]
fn modules_are_found_in_the_usual_directories() {
    let mut session = Session::with_file("mod/one.scm", "(define-module (one) #:export (a))\n(define a 1)\n");
    session.project.file("module/two.scm", "(define-module (two) #:export (b))\n(define b 2)\n");
    session.ok("load_system", json!({ "system": "(one)" }));
    let answer = session.ok("repl_eval", json!({ "code": "(use-modules (one) (two)) (list a b)" }));
    assert_eq!(answer.fields["values"], json!(["(1 2)"]));
}
