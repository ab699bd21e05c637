//! Checkpoints and trials of Guile, where they differ from what `copies` tests on SBCL.

use serde_json::{Value, json};

use crate::client::Session;
use crate::copies::make_all_checkpoints;

fn guile() -> Session {
    Session::with_file("one.scm", "(define one 1)\n")
}

#[track_caller]
fn value(session: &mut Session, code: &str) -> String {
    session.ok("repl_eval", json!({ "code": code })).fields["values"][0].as_str().unwrap().to_owned()
}

fn names(session: &mut Session) -> Vec<String> {
    let status = session.ok("repl_control", json!({ "action": "status", "session": "main" }));
    let checkpoints = status.fields["sessions"][0]["checkpoints"].as_array().unwrap().clone();
    checkpoints.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn checkpoints_are_nested_and_listed() {
    let mut session = guile();
    value(&mut session, "(define x 0) x");
    for (name, x) in [("one", 1), ("two", 2), ("three", 3), ("two", 4)] {
        value(&mut session, &format!("(set! x {x}) x"));
        let made = session.ok("repl_control", json!({ "action": "checkpoint", "name": name }));
        // Guile gives no warning, because other threads have been handled.
        assert!(!made.text.contains("[stderr]"), "{}", made.text);
    }
    assert_eq!(value(&mut session, "(set! x 5) x"), "5");
    assert_eq!(names(&mut session), ["one", "three", "two"]);
    for (name, x, left) in [("two", "4", &["one", "three", "two"][..]), ("three", "3", &["one", "two", "three"])] {
        session.ok("repl_control", json!({ "action": "rollback", "name": name }));
        assert_eq!(value(&mut session, "x"), x);
        let mut there = names(&mut session);
        there.sort();
        let mut left: Vec<String> = left.iter().map(|&name| name.to_owned()).collect();
        left.sort();
        assert_eq!(there, left, "after going back to {name}");
    }
    // The name of an older process is free again.
    session.ok("repl_control", json!({ "action": "rollback", "name": "two" }));
    assert_eq!(value(&mut session, "x"), "2");
    make_all_checkpoints(&mut session);
    let trial = session.ok("repl_eval", json!({ "code": "(set! x 9) x", "trial": true }));
    assert_eq!((trial.fields["values"][0].as_str(), value(&mut session, "x").as_str()), (Some("9"), "2"));
}

#[test]
fn internal_threads_of_guile_do_not_prevent_copies() {
    let mut session = guile();
    // Finalizers run in a thread that the collector starts and keeps.
    let litter = "(use-modules (ice-9 threads))
                  (let loop ((turns 300))
                    (do ((n 0 (1+ n))) ((= n 300)) (open-input-file \"/dev/null\"))
                    (gc)
                    (if (and (= (length (all-threads)) OWN) (positive? turns)) (loop (1- turns)) (length (all-threads))))";
    // A copy has one more thread, which waits for requests.
    for (own, name) in [("1", "one"), ("2", "two")] {
        value(&mut session, &litter.replace("OWN", own));
        session.ok("repl_control", json!({ "action": "checkpoint", "name": name }));
        assert_eq!(
            session.ok("repl_eval", json!({ "code": "(gc) 'tried", "trial": true })).fields["values"][0],
            "tried"
        );
    }
    value(&mut session, "(define mine (call-with-new-thread (lambda () (sleep 60)))) 1");
    session.refused("repl_control", json!({ "action": "checkpoint", "name": "three" }), "UNSUPPORTED", &["#<thread "]);
    value(&mut session, "(cancel-thread mine) (join-thread mine) 1");
    session.ok("repl_control", json!({ "action": "checkpoint", "name": "three" }));
}

#[test]
fn names_of_sessions_and_checkpoints_are_short_and_printable() {
    let mut session = guile();
    value(&mut session, "1");
    for name in ["", " ", "a\0b", "a\nb", "\"q\"", "a\\b", "\u{202e}abc", &"x".repeat(10_000)] {
        let says = &["the name of a checkpoint has 1 to 100 characters"];
        session.refused("repl_control", json!({ "action": "checkpoint", "name": name }), "BAD_ARGUMENT", says);
        let says = &["the name of a session has 1 to 100 characters"];
        session.refused("repl_eval", json!({ "code": "1", "session": name }), "BAD_ARGUMENT", says);
        let gone = session.client.call("repl_control", json!({ "action": "rollback", "name": name }));
        assert!(gone.is_error && gone.text.chars().count() < 400, "{}", gone.text);
    }
    assert_eq!(names(&mut session), Vec::<String>::new());
    for name in ["ü λ 日本", "[ERROR]", "../x", "it's"] {
        session.ok("repl_control", json!({ "action": "checkpoint", "name": name }));
        assert_eq!(value(&mut session, "(+ 1 1)"), "2");
        let back = session.ok("repl_control", json!({ "action": "rollback", "name": name }));
        assert_eq!(back.fields["checkpoint"], Value::from(name));
    }
}
