//! Chez Scheme: libraries, errors and names, and its separation from other sessions.

use serde_json::{Value, json};

use crate::client::{Answer, Session};

const MILL: &str = "(library (mill)
  (export grind turn)
  (import (chezscheme) (stone))

(define (grind x)
  (list (weight) x (car x)))

(define (turn) (grind 1)))
";

fn stone(weight: u32) -> String {
    format!("(library (stone) (export weight) (import (chezscheme))\n  (define (weight) {weight}))\n")
}

fn project() -> Session {
    let session = Session::with_file("mill.ss", MILL);
    session.project.file("lib/stone.sls", stone(1));
    session
}

/// Calls the session with the runtime's name, because the main session of a Scheme project runs Guile.
fn call(session: &mut Session, tool: &str, mut arguments: Value) -> Answer {
    if ["repl_eval", "load_system"].contains(&tool) {
        arguments["runtime"] = json!("chez");
    } else {
        arguments["session"] = json!("chez");
    }
    session.client.call(tool, arguments)
}

#[track_caller]
fn values(session: &mut Session, code: &str) -> Value {
    let answer = call(session, "repl_eval", json!({ "code": code }));
    assert!(!answer.is_error, "{}", answer.text);
    answer.fields["values"].clone()
}

#[test]
fn output_keeps_its_order_threads_end_alone_and_endless_recursion_is_an_error() {
    let mut session = project();
    let code = "(display \"a\") (system \"echo b\") (display \"c\") (fork-thread (lambda () (error 'far \"away\")))
        (sleep (make-time 'time-duration 100000000 0))";
    let answer = call(&mut session, "repl_eval", json!({ "code": code }));
    assert_eq!(answer.fields["stdout"], "ab\nc", "{}", answer.text);
    assert!(answer.fields["stderr"].as_str().is_some_and(|text| text.contains("far: away")), "{}", answer.text);
    assert_eq!(values(&mut session, "(let ([x (list 1)]) (set-cdr! x x) x)"), json!(["#0=(1 . #0#)"]));
    let deep = call(&mut session, "repl_eval", json!({ "code": "(define (down n) (+ 1 (down n)))\n(down 0)" }));
    assert!(deep.is_error && deep.text.contains("the stack is full"), "{}", deep.text);
    assert_eq!(values(&mut session, "(procedure? down)"), json!(["#t"]), "the image is kept");
    let status = session.ok("repl_control", json!({ "action": "status" }));
    assert!(status.text.contains("Chez Scheme 9.") || status.text.contains("Chez Scheme 10."), "{}", status.text);
}

#[test]
fn an_error_has_frames_with_places_and_variables() {
    let mut session = project();
    let loaded = call(&mut session, "load_system", json!({ "path": "mill.ss" }));
    assert!(!loaded.is_error, "{}", loaded.text);
    let answer = call(&mut session, "repl_eval", json!({ "code": "(import (mill))\n(turn)" }));
    assert!(answer.is_error && answer.text.contains("car: 1 is not a pair"), "{}", answer.text);
    let frame = &answer.fields["error"]["frames"][0];
    assert_eq!((&frame["function"], &frame["line"]), (&json!("(grind 1)"), &json!(6)), "{frame}");
    assert!(answer.text.contains("mill.ss:6") && answer.text.contains("x = 1"), "{}", answer.text);
    let missing = call(&mut session, "load_system", json!({ "system": "(no mill)" }));
    assert!(missing.is_error && missing.text.contains("(mill)"), "{}", missing.text);
}

#[test]
fn a_changed_library_is_loaded_anew_with_those_that_use_it() {
    let mut session = project();
    call(&mut session, "load_system", json!({ "system": "mill" }));
    assert_eq!(values(&mut session, "(import (mill)) (grind '(7))"), json!(["(1 (7) 7)"]));
    session.project.file("lib/stone.sls", stone(2));
    let loaded = call(&mut session, "load_system", json!({ "system": "mill", "force": false }));
    assert!(!loaded.is_error, "{}", loaded.text);
    assert_eq!(values(&mut session, "(grind '(7))"), json!(["(2 (7) 7)"]), "the session has the new one");
    let unchanged = call(&mut session, "load_system", json!({ "system": "mill", "force": false }));
    assert!(unchanged.text.contains("has not changed"), "{}", unchanged.text);
}

#[test]
fn names_are_resolved_in_their_library() {
    let mut session = project();
    call(&mut session, "load_system", json!({ "path": "mill.ss" }));
    let described = call(&mut session, "code_describe", json!({ "symbol": "grind", "package": "(mill)" }));
    assert!(described.text.contains("(x)") && described.text.contains("mill.ss:5"), "{}", described.text);
    let elsewhere = call(&mut session, "code_describe", json!({ "symbol": "grind" }));
    assert!(!elsewhere.is_error && elsewhere.text.contains("mill.ss:5"), "{}", elsewhere.text);
    let lost = call(&mut session, "code_describe", json!({ "symbol": "grid" }));
    assert!(lost.is_error && lost.text.contains("grind"), "{}", lost.text);
    let expansion = call(&mut session, "macroexpand", json!({ "code": "(unless a b)" }));
    assert!(expansion.text.contains("(if (not a)"), "{}", expansion.text);
    let references = call(&mut session, "code_find_references", json!({ "symbol": "weight", "package": "(stone)" }));
    assert!(references.text.contains("define grind") && references.text.contains("mill.ss:6"), "{}", references.text);
}
