//! Looks at running code through the server: the tools of the set `debug`.

use serde_json::json;

use crate::client::{Client, Session, server_command};
use crate::project::Project;

const FIB: &str = "(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))";

fn session(options: &[&str]) -> Session {
    let project = Project::new();
    let mut command = server_command(&project.root());
    command.args(["--toolsets", "debug"]).args(options);
    Session { client: Client::connect(command), project }
}

#[test]
fn calls_are_traced_counted_and_sampled() {
    let mut session = session(&[]);
    session.ok("repl_eval", json!({ "code": FIB }));
    let traced = session.ok("trace_calls", json!({ "code": "(fib 2)", "functions": ["fib"] }));
    for part in ["(FIB 2)", "(FIB 0)", "returned 1", "=> 1"] {
        assert!(traced.text.contains(part), "{part}: {}", traced.text);
    }
    assert_eq!(session.ok("repl_eval", json!({ "code": "(fib 2)" })).text, "=> 1", "it is traced no longer");
    let counted =
        session.ok("profile_code", json!({ "code": "(fib 10)", "mode": "deterministic", "functions": ["fib"] }));
    assert!(
        counted.text.contains("177") && counted.text.contains("FIB") && counted.text.contains("=> 55"),
        "{}",
        counted.text
    );
    let sampled = session.ok("profile_code", json!({ "code": "(loop repeat 20 do (fib 25))" }));
    assert!(sampled.text.contains("Number of samples") && sampled.text.contains("FIB"), "{}", sampled.text);
    let shown = session.ok("disassemble_code", json!({ "function": "fib" }));
    assert!(shown.text.contains("disassembly for FIB"), "{}", shown.text);
    let shown = session.ok("disassemble_code", json!({ "function": "(lambda (x) (* x 2))" }));
    assert!(shown.text.contains("LAMBDA (X)"), "{}", shown.text);
}

#[test]
fn an_error_or_a_timeout_ends_the_trace_too() {
    let mut session = session(&[]);
    session.ok("repl_eval", json!({ "code": FIB }));
    let failed = session
        .client
        .call("trace_calls", json!({ "code": "(fib 1) (error \"no ~a\" \"\\\"x\")", "functions": ["fib"] }));
    assert!(failed.is_error && failed.text.contains("(FIB 1)") && failed.text.contains("no \"x"), "{}", failed.text);
    let late = session.client.call("profile_code", json!({ "code": "(loop)", "timeout_seconds": 1 }));
    assert_eq!(late.fields["code"], "TIMEOUT", "{}", late.text);
    let unclosed = session.client.call("trace_calls", json!({ "code": "(fib 1", "functions": ["fib"] }));
    assert!(unclosed.is_error, "{}", unclosed.text);
    assert_eq!(session.ok("repl_eval", json!({ "code": "(fib 5)" })).text, "=> 5");
}

#[test]
fn what_a_runtime_lacks_is_said_before_anything_runs() {
    let mut session = session(&[]);
    let says = ["no disassembly in clojure", "which has trace, statistical profile, deterministic profile", "sbcl"];
    session.refused("disassemble_code", json!({ "function": "f", "runtime": "clojure" }), "UNSUPPORTED", &says);
    let says = ["no trace in racket", "nothing of the kind", "sbcl, guile"];
    session.refused(
        "trace_calls",
        json!({ "code": "1", "functions": ["f"], "runtime": "racket" }),
        "UNSUPPORTED",
        &says,
    );
    for (tool, arguments) in [
        ("trace_calls", json!({ "code": "1", "functions": [] })),
        ("profile_code", json!({ "code": "1", "mode": "deterministic" })),
    ] {
        session.refused(tool, arguments, "BAD_ARGUMENT", &["\"functions\""]);
    }
}

#[test]
fn they_work_in_the_sandbox_and_not_with_read_only() {
    let mut confined = session(&["--sandbox"]);
    confined.ok("repl_eval", json!({ "code": FIB }));
    let sampled = confined.ok("profile_code", json!({ "code": "(loop repeat 20 do (fib 25))" }));
    assert!(sampled.text.contains("Number of samples") && sampled.text.contains("FIB"), "{}", sampled.text);
    let mut reading = session(&["--read-only"]);
    let answer = reading.client.request("tools/call", json!({ "name": "trace_calls", "arguments": {} }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}
