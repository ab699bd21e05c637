//! The owner's own Common Lisp image, joined over Swank.

use serde_json::{Value, json};

use crate::client::{Answer, Session};
use crate::swank_server::Server;

fn control(session: &mut Session, arguments: Value) -> Answer {
    session.client.call("repl_control", arguments)
}

fn evaluate(session: &mut Session, code: &str) -> Answer {
    session.client.call("repl_eval", json!({ "code": code, "session": "swank", "timeout_seconds": 20 }))
}

/// A server of the owner's, and a session that has joined it.
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
