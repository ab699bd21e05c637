//! Held errors: showing the stack, evaluating in it, and leaving it.

use serde_json::{Value, json};

use crate::client::{Answer, Session};

fn hold(session: &mut Session, code: &str) -> Answer {
    let answer = session.client.call("repl_eval", json!({ "code": code, "on_error": "hold", "timeout_seconds": 200 }));
    assert!(answer.is_error, "{}", answer.text);
    assert!(answer.text.contains("[held] The stack is kept"), "{}", answer.text);
    answer
}

fn control(session: &mut Session, arguments: Value) -> Answer {
    session.client.call("repl_control", arguments)
}

const SHOP: &str = "(defvar *log* '())
    (defun price (item) (restart-case (error \"no price for ~A\" item)
                          (use-value (v) :report \"Use a price.\" :interactive (lambda () (list (read *query-io*))) v)
                          (free () :report \"It is free.\" 0)))
    (defun total (items) (let ((sum 0)) (dolist (item items sum) (incf sum (price item)))))
    (* 100 (total '(:tea :milk)))";

#[test]
fn a_restart_lets_the_evaluation_go_on() {
    let mut session = Session::new();
    let answer = hold(&mut session, SHOP);
    assert!(answer.text.contains("no price for TEA"), "{}", answer.text);
    assert!(answer.text.contains("0: USE-VALUE: Use a price."), "{}", answer.text);
    assert_eq!(answer.fields["held"], 1);
    // A restart that asks for a value says so.
    let asks = control(&mut session, json!({ "action": "restart", "restart": "use-value" }));
    assert!(asks.is_error && asks.text.contains("asks for a value"), "{}", asks.text);
    // The evaluation goes on, and meets the same error for the next item.
    let next = control(&mut session, json!({ "action": "restart", "restart": "USE-VALUE", "code": "(+ 1 2)" }));
    assert!(next.is_error && next.text.contains("no price for MILK"), "{}", next.text);
    assert_eq!(next.fields["held"], 1);
    let done = control(&mut session, json!({ "action": "restart", "restart": 1 }));
    assert!(!done.is_error, "{}", done.text);
    assert_eq!(done.text, "=> 300");
    assert_eq!(session.ok("repl_eval", json!({ "code": "*" })).text, "=> 300");
    let nothing = control(&mut session, json!({ "action": "abort" }));
    assert!(nothing.is_error && nothing.text.contains("on_error"), "{}", nothing.text);
}

#[test]
fn the_restart_abort_gives_up_the_stack_unless_the_code_has_its_own() {
    for runtime in ["sbcl", "ecl", "clisp"] {
        let mut session = Session::new();
        session.ok("repl_eval", json!({ "code": "1", "session": "main", "runtime": runtime }));
        hold(&mut session, "(car 7)");
        let given_up = control(&mut session, json!({ "action": "restart", "restart": "ABORT" }));
        assert!(!given_up.is_error, "{runtime}: {}", given_up.text);
        assert_eq!(session.ok("repl_eval", json!({ "code": "2" })).text, "=> 2");
        hold(&mut session, "(restart-case (car 7) (abort () 'own))");
        let own = control(&mut session, json!({ "action": "restart", "restart": "abort" }));
        assert_eq!(own.text, "=> OWN", "{runtime}");
    }
}

#[test]
fn the_forms_after_the_failed_one_run_when_a_restart_lets_it_go_on() {
    for runtime in ["sbcl", "ecl", "clisp"] {
        let mut session = Session::new();
        session.ok(
            "repl_eval",
            json!({ "code": "(defun no () (restart-case (error \"no\") (on () 1)))", "session": "main", "runtime": runtime }),
        );
        hold(&mut session, "(no) (princ :second)\n(list :third (no)) ; last\n(list :fourth)");
        let again = control(&mut session, json!({ "action": "restart", "restart": "on" }));
        assert!(again.is_error && again.text.contains("[held] The stack is kept"), "{runtime}: {}", again.text);
        assert!(again.text.contains("[stdout]\nSECOND\n"), "{runtime}: {}", again.text);
        assert!(again.text.contains("In form 3 of 4, line 2"), "{runtime}: {}", again.text);
        let done = control(&mut session, json!({ "action": "restart", "restart": "on" }));
        assert!(!done.is_error && done.text.contains("=> (:FOURTH)"), "{runtime}: {}", done.text);
        hold(&mut session, "(no) (princ :second) :third");
        let given_up = control(&mut session, json!({ "action": "abort" }));
        assert!(
            given_up.text.contains("in form 1 of 3, so that forms 2 to 3 did not run"),
            "{runtime}: {}",
            given_up.text
        );
    }
}

#[test]
fn code_can_take_the_restart_abort_as_in_every_listener() {
    for runtime in ["sbcl", "ecl", "clisp"] {
        let mut session = Session::new();
        session.ok("repl_eval", json!({ "code": "(defvar *kept* 1)", "session": "main", "runtime": runtime }));
        let code = "(setf *kept* (restart-name (find-restart 'abort))) (abort) (setf *kept* 3)";
        let answer = session.client.call("repl_eval", json!({ "code": code }));
        assert!(answer.is_error && answer.text.contains("took the restart ABORT"), "{runtime}: {}", answer.text);
        assert!(answer.text.contains("In form 2 of 3"), "{runtime}: {}", answer.text);
        assert_eq!(session.ok("repl_eval", json!({ "code": "*kept*" })).text, "=> ABORT", "{runtime}");
    }
}

#[test]
fn frames_and_locals_are_shown() {
    let mut session = Session::new();
    hold(&mut session, SHOP);
    let frames = control(&mut session, json!({ "action": "frames" }));
    assert!(frames.text.starts_with("0: (PRICE :TEA)\n1: (TOTAL (:TEA :MILK))"), "{}", frames.text);
    let locals = control(&mut session, json!({ "action": "locals", "frame": 1 }));
    assert!(locals.text.contains("  ITEMS = (:TEA :MILK) ["), "{}", locals.text);
    let id = locals.fields["locals"]
        .as_array()
        .unwrap()
        .iter()
        .find(|local| local["name"] == "ITEMS")
        .map(|local| local["value"]["id"].clone())
        .unwrap();
    let items = session.ok("inspect_object", json!({ "id": id }));
    assert!(items.text.contains("  1: :MILK"), "{}", items.text);
    let value = control(
        &mut session,
        json!({ "action": "eval_in_frame", "frame": 1, "code": "(list (length items) (reverse items))" }),
    );
    assert!(value.text.contains("=> (2 (:MILK :TEA))"), "{}", value.text);
    // An error in the frame leaves the stack as it was.
    let wrong = control(&mut session, json!({ "action": "eval_in_frame", "frame": 1, "code": "(car :x)" }));
    assert!(wrong.is_error && wrong.text.starts_with("[held] 1 error is held beneath this"), "{}", wrong.text);
    let none = control(&mut session, json!({ "action": "locals", "frame": 99 }));
    assert!(none.is_error && none.text.contains("There is no frame 99"), "{}", none.text);
    let none = control(&mut session, json!({ "action": "eval_in_frame" }));
    assert!(none.is_error && none.text.contains("needs `code`"), "{}", none.text);
    let none = control(&mut session, json!({ "action": "restart", "restart": "elsewhere" }));
    assert!(none.is_error && none.text.contains("no restart \"elsewhere\""), "{}", none.text);
    let restarts = control(&mut session, json!({ "action": "restarts" }));
    assert!(restarts.text.starts_with("[level 1] SIMPLE-ERROR\nno price for TEA\n"), "{}", restarts.text);
}

#[test]
fn code_in_a_frame_is_read_in_the_package_of_the_frame() {
    for runtime in ["sbcl", "ecl"] {
        let mut session = Session::new();
        let code = "(defpackage :shop (:use :cl)) (in-package :shop) (defun price (item) (error \"no ~a\" item)) \
                    (in-package :cl-user)";
        session.ok("repl_eval", json!({ "code": code, "session": "main", "runtime": runtime }));
        hold(&mut session, "(shop::price 5)");
        let arguments = json!({ "action": "eval_in_frame", "code": "(list item (package-name *package*))" });
        let there = control(&mut session, arguments.clone());
        assert!(there.text.contains("=> (5 \"SHOP\")"), "{runtime}: {}", there.text);
        let mut elsewhere = arguments;
        elsewhere["package"] = ":cl-user".into();
        let elsewhere = control(&mut session, elsewhere);
        assert!(elsewhere.is_error && elsewhere.text.contains("ITEM"), "{runtime}: {}", elsewhere.text);
        let after = session.ok("repl_eval", json!({ "code": "(package-name *package*)" }));
        assert!(after.text.contains("=> \"COMMON-LISP-USER\""), "{runtime}: {}", after.text);
    }
}

#[test]
fn a_call_while_an_error_is_held_runs_on_top_and_says_so() {
    let mut session = Session::new();
    hold(&mut session, "(handler-case (error \"below\") (type-error () :caught))");
    let answer = session.ok("repl_eval", json!({ "code": "(+ 1 2)" }));
    assert!(answer.text.starts_with("[held] 1 error is held beneath this"), "{}", answer.text);
    assert!(answer.text.ends_with("=> 3"), "{}", answer.text);
    // The handlers of the held code are inactive: one would catch this.
    let answer = session.client.call("repl_eval", json!({ "code": "(car 1)" }));
    assert!(answer.is_error && answer.text.contains("TYPE-ERROR"), "{}", answer.text);
    // Errors can be held on top of each other.
    let second = hold(&mut session, "(error \"above\")");
    assert_eq!(second.fields["held"], 2);
    let levels = control(&mut session, json!({ "action": "restarts" }));
    let levels = levels.fields["levels"].as_array().unwrap();
    assert_eq!((levels[0]["message"].as_str(), levels[1]["message"].as_str()), (Some("above"), Some("below")));
    let status = session.ok("repl_control", json!({ "action": "status" }));
    assert!(status.text.contains("idle") && status.text.contains("2 errors held"), "{}", status.text);
    // Output goes into the answer although the held code has bound the stream.
    let answer = session.ok("repl_eval", json!({ "code": "(princ 'seen)" }));
    assert!(answer.text.contains("[stdout]\nSEEN"), "{}", answer.text);
    let one = control(&mut session, json!({ "action": "abort" }));
    assert!(!one.is_error && one.fields["held"] == 1, "{}", one.text);
    let none = control(&mut session, json!({ "action": "abort" }));
    assert!(!none.text.contains("[held]") && none.fields.get("held").is_none(), "{}", none.text);
    let answer = session.ok("repl_eval", json!({ "code": "(+ 1 2)" }));
    assert_eq!(answer.text, "=> 3");
}

#[test]
fn streams_of_the_held_code_are_its_own_again_when_it_goes_on() {
    let mut session = Session::new();
    let code = "(with-output-to-string (*standard-output*)
                  (princ \"before \")
                  (restart-case (error \"stop\") (on () nil))
                  (princ \"after\"))";
    hold(&mut session, code);
    session.ok("repl_eval", json!({ "code": "(princ 'between)" }));
    let done = control(&mut session, json!({ "action": "restart", "restart": "on" }));
    assert_eq!(done.text, "=> \"before after\"");
}

#[test]
fn code_on_top_can_leave_by_itself() {
    let mut session = Session::new();
    hold(&mut session, "(list :got (restart-case (error \"stop\") (take (x) x)))");
    let done = session.ok("repl_eval", json!({ "code": "(invoke-restart 'take 7)" }));
    assert!(done.text.starts_with("=> (:GOT 7)"), "{}", done.text);
    assert!(done.fields.get("held").is_none(), "{}", done.fields);
}

#[test]
fn a_held_error_can_be_timed_out_reset_and_aborted_with_trouble() {
    let mut session = Session::new();
    session.ok("repl_eval", json!({ "code": "(defvar *kept* 42)" }));
    hold(&mut session, "(error \"x\")");
    let slow = session.client.call("repl_eval", json!({ "code": "(loop)", "timeout_seconds": 0.3 }));
    assert_eq!(slow.fields["code"], "TIMEOUT", "{}", slow.text);
    assert_eq!(slow.fields["held"], 1);
    // The failure of a cleanup form is answered but not held.
    hold(&mut session, "(unwind-protect (error \"y\") (error \"cleanup\"))");
    let trouble = control(&mut session, json!({ "action": "abort" }));
    assert!(trouble.is_error && trouble.text.contains("cleanup"), "{}", trouble.text);
    assert_eq!(trouble.fields["held"], 1);
    assert!(session.ok("repl_eval", json!({ "code": "*kept*" })).text.ends_with("=> 42"));
    session.ok("repl_control", json!({ "action": "reset" }));
    assert_eq!(session.ok("repl_eval", json!({ "code": "(boundp '*kept*)" })).text, "=> NIL");
    assert!(session.client.finish().success());
}

#[test]
fn an_interrupt_can_be_held_and_continued() {
    let mut session = Session::new();
    session.ok("repl_control", json!({ "action": "start" }));
    let spin = "(defvar *go* nil) (defun spin (limit) (loop until *go* finally (return limit)))";
    session.ok("repl_eval", json!({ "code": spin }));
    let code = "(spin 5) (list :after *)";
    let stopped = session.client.call("repl_eval", json!({ "code": code, "on_error": "hold", "timeout_seconds": 1 }));
    assert_eq!(stopped.fields["code"], "TIMEOUT", "{}", stopped.text);
    assert!(stopped.text.contains("[held] The stack is kept"), "{}", stopped.text);
    let frames = control(&mut session, json!({ "action": "frames" }));
    assert!(frames.text.contains("(SPIN 5)"), "{}", frames.text);
    session.ok("repl_eval", json!({ "code": "(setf *go* t)" }));
    let done = control(&mut session, json!({ "action": "restart", "restart": "continue" }));
    assert!(done.text.starts_with("=> (:AFTER 5)\n"), "{}", done.text);
}

#[test]
fn errors_that_cannot_be_held_are_answered() {
    let mut session = Session::new();
    let code = "(labels ((down (n) (1+ (down n)))) (down 0))";
    let answer = session.client.call("repl_eval", json!({ "code": code, "on_error": "hold" }));
    assert!(answer.is_error && answer.text.contains("[note] Not held"), "{}", answer.text);
    assert!(answer.fields.get("held").is_none());
    // Ten are held, the eleventh is not.
    for level in 1..=10 {
        assert_eq!(hold(&mut session, "(error \"again\")").fields["held"], level);
    }
    let answer = session.client.call("repl_eval", json!({ "code": "(error \"more\")", "on_error": "hold" }));
    assert!(answer.text.contains("[note] Not held"), "{}", answer.text);
    assert_eq!(answer.fields["held"], 10);
    assert_eq!(session.client.call("repl_eval", json!({ "code": "(values)" })).fields["held"], 10);
}
