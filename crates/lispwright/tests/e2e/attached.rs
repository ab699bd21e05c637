//! The owner's own Common Lisp image, joined over Swank.

use serde_json::{Value, json};

use crate::client::{Answer, Session};
use crate::swank_server::Server;

fn control(session: &mut Session, arguments: Value) -> Answer {
    session.client.call("repl_control", arguments)
}

fn evaluate(session: &mut Session, code: &str) -> Answer {
    session.client.call("repl_eval", json!({ "code": code, "session": "swank", "timeout_seconds": 200 }))
}

/// A server of the owner, and a session that has joined it.
fn attached() -> (Server, Session) {
    let server = Server::start("(defvar *owned* :theirs)");
    let mut session = Session::new();
    let answer = control(&mut session, json!({ "action": "attach", "address": server.address.to_string() }));
    assert!(!answer.is_error, "{}", answer.text);
    assert!(
        answer.text.contains("Session \"swank\" is attached") && answer.text.contains("Swank 2."),
        "{}",
        answer.text
    );
    (server, session)
}

#[test]
fn attach_evaluate_detach() {
    let (mut server, mut session) = attached();
    assert_eq!(evaluate(&mut session, "*owned*").text, "=> :THEIRS");
    assert_eq!(evaluate(&mut session, "(princ \"hello\") (values 1 :b)").text, "[stdout]\nhello\n=> 1\n=> :B");
    let broken = evaluate(&mut session, "(defun f (x) (1+ (/ x 0)))\n(f 7)");
    assert!(broken.is_error && broken.text.contains("[ERROR] DIVISION-BY-ZERO"), "{}", broken.text);
    assert!(broken.text.contains("0: (F 7)\n     X = 7"), "{}", broken.text);
    let status = control(&mut session, json!({ "action": "status" }));
    let expected = format!("attached to {}", server.address);
    assert!(status.text.contains(&expected), "{}", status.text);
    let left = control(&mut session, json!({ "action": "detach" }));
    assert!(!left.is_error && left.text.contains("goes on"), "{}", left.text);
    assert!(server.is_alive());
}

#[test]
fn a_held_error_is_inspected_and_left_by_a_restart() {
    let (_server, mut session) = attached();
    let code = "(defun price (item) (restart-case (error \"no price for ~A\" item) (use-value (v) :report \"Use a price.\" v)))
                (* 100 (price :tea))";
    let held = session.client.call("repl_eval", json!({ "code": code, "session": "swank", "on_error": "hold" }));
    assert!(held.is_error && held.text.contains("0: USE-VALUE: Use a price."), "{}", held.text);
    assert!(held.text.contains("[held] The stack is kept (level 1)"), "{}", held.text);
    let on_held = |session: &mut Session, mut arguments: Value| {
        arguments["session"] = "swank".into();
        control(session, arguments)
    };
    assert!(on_held(&mut session, json!({ "action": "frames" })).text.starts_with("0: (PRICE :TEA)"));
    assert!(on_held(&mut session, json!({ "action": "locals" })).text.contains("ITEM = :TEA"));
    let inside = on_held(&mut session, json!({ "action": "eval_in_frame", "code": "(list item)" }));
    assert!(inside.text.contains("=> (:TEA)"), "{}", inside.text);
    let listed = on_held(&mut session, json!({ "action": "restarts" }));
    assert!(listed.text.contains("no price for TEA"), "{}", listed.text);
    let unknown = on_held(&mut session, json!({ "action": "frames", "frame": 500 }));
    assert!(!unknown.is_error, "past the last there are none: {}", unknown.text);
    let done = on_held(&mut session, json!({ "action": "restart", "restart": "use-value", "code": "(+ 1 2)" }));
    assert_eq!(done.text, "=> 300");
    let code = "(restart-case (error \"x\") (on () 1)) (list :after (find-restart 'abort))";
    session.client.call("repl_eval", json!({ "code": code, "session": "swank", "on_error": "hold" }));
    let after = on_held(&mut session, json!({ "action": "restart", "restart": "on" }));
    assert!(after.text.contains("=> (:AFTER #<RESTART ABORT"), "{}", after.text);
    let aborted = evaluate(&mut session, "(abort)");
    assert!(aborted.is_error && aborted.text.contains("took the restart ABORT"), "{}", aborted.text);
}

#[test]
fn code_on_top_of_a_held_error_is_read_in_the_sessions_package() {
    let (_server, mut session) = attached();
    let code = "(defpackage :shop (:use :cl)) (in-package :shop) (defun price (item) (error \"no ~a\" item))";
    evaluate(&mut session, code);
    session.client.call("repl_eval", json!({ "code": "(price 5)", "session": "swank", "on_error": "hold" }));
    let frame =
        json!({ "action": "eval_in_frame", "session": "swank", "code": "(list item (package-name *package*))" });
    let inside = control(&mut session, frame);
    assert!(inside.text.contains("=> (5 \"SHOP\")"), "{}", inside.text);
    let above =
        evaluate(&mut session, "(setf (symbol-function 'cost) (constantly 3)) (list (package-name *package*) (cost))");
    assert!(above.text.contains("=> (\"SHOP\" 3)"), "{}", above.text);
    control(&mut session, json!({ "action": "abort", "session": "swank" }));
    assert!(evaluate(&mut session, "(package-name *package*)").text.contains("SHOP"));
}

#[test]
fn files_objects_names_and_macros_of_the_owners_image() {
    let (_server, mut session) = attached();
    session.project.file(
        "src/shop.lisp",
        "(defun price (item)\n  \"What it costs.\"\n  (list item 3))\n\n(defun unused (a b)\n  a)\n",
    );
    let loaded = session.ok("load_system", json!({ "path": "src/shop.lisp", "session": "swank" }));
    assert!(loaded.text.starts_with("Loaded src/shop.lisp into session \"swank\""), "{}", loaded.text);
    assert!(loaded.text.contains("src/shop.lisp:5: style-warning: The variable B is defined"), "{}", loaded.text);
    let value = evaluate(&mut session, "(price 'tea)");
    assert_eq!(value.fields["result_object_id"], 1, "{}", value.text);
    let object = session.ok("inspect_object", json!({ "id": 1, "session": "swank" }));
    assert!(object.text.contains("0: TEA"), "{}", object.text);
    let described = session.ok("code_describe", json!({ "symbol": "price", "session": "swank" }));
    assert!(
        described.text.contains("What it costs.") && described.text.contains("src/shop.lisp:1"),
        "{}",
        described.text
    );
    let expanded = session.ok("macroexpand", json!({ "code": "(unless a b)", "session": "swank" }));
    assert!(expanded.text.contains("(if a\n    nil\n    b)"), "{}", expanded.text);
}

#[test]
fn the_owners_image_is_not_ended_from_here() {
    let (mut server, mut session) = attached();
    for action in ["reset", "kill"] {
        let arguments = json!({ "action": action, "session": "swank" });
        session.refused("repl_control", arguments, "UNSUPPORTED", &["belongs to somebody else", "detach"]);
    }
    for action in ["checkpoint", "rollback"] {
        let arguments = json!({ "action": action, "name": "x", "session": "swank" });
        session.refused("repl_control", arguments, "UNSUPPORTED", &["not copied"]);
    }
    let trial = json!({ "code": "1", "session": "swank", "trial": true });
    let refused = session.client.call("repl_eval", trial);
    assert!(refused.is_error && refused.fields["code"] == "UNSUPPORTED", "{}", refused.text);
    assert_eq!(evaluate(&mut session, "*owned*").text, "=> :THEIRS");
    assert!(server.is_alive());
}

#[test]
fn the_image_outlives_a_server_of_ours_that_is_killed() {
    let (mut server, mut session) = attached();
    let code = "(defvar *left* nil) (defvar *here* 42) (unwind-protect (error \"held\") (setf *left* t))";
    session.client.call("repl_eval", json!({ "code": code, "session": "swank", "on_error": "hold" }));
    session.client.kill();
    let mut next = Session::new();
    let answer = control(&mut next, json!({ "action": "attach", "address": server.address.to_string() }));
    assert!(!answer.is_error, "{}", answer.text);
    // The held error has no session that could continue it, and is given up.
    let code = "(loop repeat 200 until *left* do (sleep 0.05)) (list *here* *left*)";
    assert!(evaluate(&mut next, code).text.starts_with("=> (42 T)"));
    assert!(server.is_alive());
}

#[test]
fn evaluations_end_with_the_server_that_asked_for_them() {
    let (mut server, mut session) = attached();
    evaluate(&mut session, "(defvar *runs* nil) (defvar *left* nil)");
    let code = "(unwind-protect (progn (setf *runs* t) (loop)) (setf *left* t))";
    let arguments = json!({ "name": "repl_eval", "arguments": { "code": code, "session": "swank" } });
    session.client.start("tools/call", arguments);
    let mut next = Session::new();
    let answer = control(&mut next, json!({ "action": "attach", "address": server.address.to_string() }));
    assert!(!answer.is_error, "{}", answer.text);
    assert!(evaluate(&mut next, "(loop until *runs* do (sleep 0.01))").text.contains("NIL"));
    session.client.kill();
    assert_eq!(evaluate(&mut next, "(loop until *left* do (sleep 0.01)) :left").text, "=> :LEFT");
    assert!(server.is_alive());
}

#[test]
fn addresses_that_cannot_be_joined_are_refused_with_the_reason() {
    let mut session = Session::new();
    let mut refused = |arguments: Value, code: &str, says: &str| {
        session.refused("repl_control", arguments, code, &[says]);
    };
    refused(json!({ "action": "attach" }), "BAD_ARGUMENT", "127.0.0.1:4005");
    refused(json!({ "action": "attach", "address": "10.0.0.1:4005" }), "BAD_ARGUMENT", "not on this machine");
    refused(json!({ "action": "attach", "address": "nowhere" }), "BAD_ARGUMENT", "host:port");
    refused(json!({ "action": "attach", "address": "nrepl://1", "runtime": "swank" }), "BAD_ARGUMENT", "Leave one");
    refused(json!({ "action": "attach", "address": "1", "runtime": "sbcl" }), "BAD_ARGUMENT", "joins none");
    refused(json!({ "action": "attach", "address": "127.0.0.1:1" }), "RUNTIME_MISSING", "nothing can be joined");
    refused(json!({ "action": "start", "runtime": "swank" }), "RUNTIME_MISSING", "create-server");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let _ = std::io::Write::write_all(&mut connection, b"220 mail.example.org\r\n");
        }
    });
    let arguments = json!({ "action": "attach", "address": address, "runtime": "swank" });
    refused(arguments, "RUNTIME_MISSING", "does not speak Swank");
    refused(json!({ "action": "attach", "address": address }), "RUNTIME_MISSING", "cannot be used");
}

#[test]
fn slynk_is_joined_under_swanks_name() {
    let server = Server::start(include_str!("stand_ins/slynk.lisp"));
    let mut session = Session::new();
    let answer = control(&mut session, json!({ "action": "attach", "address": server.address.to_string() }));
    assert!(!answer.is_error && answer.text.contains("Slynk "), "{}", answer.text);
    assert_eq!(
        evaluate(&mut session, "(princ \"hello\") (list :swank \"a:swank\")").text.lines().nth(1),
        Some("hello")
    );
    let code = "(restart-case (error \"no\") (go-on (x) x))";
    let held = session.client.call("repl_eval", json!({ "code": code, "session": "swank", "on_error": "hold" }));
    assert!(held.text.contains("GO-ON"), "{}", held.text);
    let restart = json!({ "action": "restart", "restart": "GO-ON", "code": "(+ 1 2)", "session": "swank" });
    assert!(control(&mut session, restart).text.contains("=> 3"));
    let arguments = json!({ "code": "(loop)", "session": "swank", "timeout_seconds": 0.5 });
    let stopped = session.client.call("repl_eval", arguments);
    assert!(stopped.text.contains("state is kept"), "{}", stopped.text);
    assert_eq!(evaluate(&mut session, "(+ 1 1)").text, "=> 2");
}
