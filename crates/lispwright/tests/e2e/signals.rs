//! ECL runs signal handlers in the middle of its C code; it must survive two signals at a time.

use serde_json::json;

use crate::client::{Answer, Session};

const DEFINITION: &str = r#"(defsystem "reel" :depends-on ("fiveam") :components ((:file "tests")))"#;

const TESTS: &str = r#"(defpackage :reel (:use :cl :fiveam))
(in-package :reel)
(test turns (is (= 1 1)))
(test hangs (loop (format nil "~a ~s ~d ~a" 1 "two" 3 (error-free))))
(defun error-free () (ignore-errors (error "x")))
"#;

/// A rare fault of ECL: after a single signal it detects a wrong write of its own, reports it and ends.
fn is_fault_of_ecl(answer: &Answer) -> bool {
    answer.fields["code"] == "SESSION_LOST" && answer.text.contains("Detected write access to the environment")
}

#[test]
fn an_interrupt_of_an_allocation_keeps_the_image() {
    let mut session = Session::with_file("reel.asd", DEFINITION);
    session.project.file("tests.lisp", TESTS);
    let mut losses = 0;
    for round in 0..8 {
        session.ok("load_system", json!({ "system": "reel", "runtime": "ecl" }));
        session.ok("repl_eval", json!({ "code": "(defvar *kept* (list 1 2))", "runtime": "ecl" }));
        let arguments = json!({ "system": "reel", "runtime": "ecl", "timeout_seconds": 0.8 });
        let answer = session.client.call("run_tests", arguments);
        if is_fault_of_ecl(&answer) {
            losses += 1;
            continue;
        }
        assert_eq!(answer.fields["code"], "TIMEOUT", "{round}: {}", answer.text);
        let kept = session.ok("repl_eval", json!({ "code": "*kept*", "runtime": "ecl" }));
        assert_eq!(kept.fields["values"], json!(["(1 2)"]), "{}", kept.text);
    }
    assert!(losses <= 3, "{losses} of 8 images were lost");
}

#[test]
fn an_interrupt_of_the_load_of_asdf_does_no_harm() {
    let mut session = Session::with_file("empty.asd", "(defsystem \"empty\")\n");
    for (name, seconds) in [("a", 0.02), ("b", 0.08), ("c", 0.15), ("d", 0.25)] {
        session.ok("repl_eval", json!({ "code": "1", "runtime": "ecl", "session": name }));
        let hurried = json!({ "system": "empty", "session": name, "timeout_seconds": seconds });
        let answer = session.client.call("load_system", hurried);
        let is_told = answer.fields["code"] == "TIMEOUT" || is_fault_of_ecl(&answer);
        assert!(!answer.is_error || is_told, "{seconds}: {}", answer.text);
        let loaded = session.ok("load_system", json!({ "system": "empty", "session": name }));
        assert!(loaded.text.starts_with("Loaded empty"), "{seconds}: {}", loaded.text);
        session.ok("repl_control", json!({ "action": "kill", "session": name }));
    }
}
