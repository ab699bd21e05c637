//! The explanation of cl-mcp-server: one tool that evaluates, in an image that keeps its state.

use serde_json::{Value, json};

use super::Played;
use crate::project::Project;

/// The conversation of the document, from the handshake on.
#[test]
fn the_explanation_holds() {
    let mut played = Played::new("evaluate-lisp", Project::new());
    let opened = played.line(
        r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "claude", "version": "1"}}}"#,
    );
    assert_eq!(opened["result"]["protocolVersion"], "2025-03-26", "{opened}");
    played.client.send_line(br#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    let listed = played.line(r#"{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}"#);
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names[0], "evaluate-lisp", "the notification was not answered");
    for name in ["load-system", "describe-symbol", "macroexpand-form", "reset-session"] {
        assert!(names.contains(&name), "{names:?}");
    }
    // Request and answer as they stand there, number and all.
    let answer = played.line(
        r#"{"jsonrpc": "2.0", "id": 42, "method": "tools/call", "params": {"name": "evaluate-lisp", "arguments": {"code": "(+ 1 2)"}}}"#,
    );
    let expected = json!({ "jsonrpc": "2.0", "id": 42, "result": { "content": [{ "type": "text", "text": "=> 3" }], "isError": false } });
    assert_eq!(answer, expected);
    for (code, text) in [
        (";; Evaluation 1\n(defun square (x) (* x x))", "=> SQUARE"),
        (";; Evaluation 2 (later)\n(square 5)", "=> 25"),
        (
            ";; User code\n(progn\n  (print \"Hello\")  ; Goes to *standard-output*\n  (warn \"Careful\") ; Goes to *error-output*\n  42)              ; Return value",
            "[stdout]\n\"Hello\"\n\n[stderr]\nWARNING: Careful\n\n=> 42",
        ),
    ] {
        assert_eq!(played.ok("evaluate-lisp", json!({ "code": code })).text, text);
    }
    let failed = played.call("evaluate-lisp", json!({ "code": ";; User code\n(/ 1 0)" }));
    let text = "[ERROR] DIVISION-BY-ZERO\narithmetic error DIVISION-BY-ZERO signalled\nOperation was (/ 1 0).\n\n[Backtrace]\n0: (/ 1 0)";
    assert_eq!((failed.text.as_str(), failed.is_error), (text, true));
}

/// Its table of what persists, and its levels of error handling.
#[test]
fn state_persists_as_its_table_says() {
    let mut played = Played::new("evaluate-lisp", Project::new());
    played.line(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    let value = |played: &mut Played, code: &str| played.ok("evaluate-lisp", json!({ "code": code })).text;
    value(&mut played, "(defvar *global* 1) (defparameter *other* 2) (defclass thing () ()) (setf *global* 7)");
    assert_eq!(
        value(&mut played, "(list *global* *other* (class-name (find-class 'thing)))").lines().next(),
        Some("=> (7 2 THING)")
    );
    value(&mut played, "(let ((*global* 9)) *global*)");
    assert_eq!(value(&mut played, "*global*"), "=> 7", "a dynamic binding lasts for its evaluation only");
    value(&mut played, "(defpackage :mine (:use :cl))");
    assert!(value(&mut played, "(in-package :mine)").contains("MINE"));
    assert!(value(&mut played, "*package*").contains("MINE"), "the package belongs to the session");
    assert!(value(&mut played, "(package-name *package*)").contains("MINE"));
    let elsewhere = played.ok("evaluate-lisp", json!({ "code": "(package-name *package*)", "package": "CL-USER" }));
    assert_eq!(elsewhere.text, "=> \"COMMON-LISP-USER\"");
    // Errors of every level are answers, and the server goes on.
    assert!(played.call("evaluate-lisp", json!({ "code": "(error 'no-such-condition" })).is_error);
    played.client.send_line(b"{\"jsonrpc\": \"2.0\", \"id\": 900, \"method\": \"tools/call\", ");
    assert_eq!(played.client.answer_to_refused()["error"]["code"], -32700);
    assert_eq!(value(&mut played, "(+ 1 2)"), "=> 3");
    assert!(!played.ok("reset-session", json!({})).text.is_empty());
    assert!(played.call("evaluate-lisp", json!({ "code": "*global*" })).is_error);
}

#[test]
fn its_other_tools_do_what_their_names_say() {
    let project = Project::new();
    project.file("little.asd", "(defsystem \"little\" :components ((:file \"little\")))\n");
    project.file(
        "little.lisp",
        "(defun cl-user::little (x) \"A little.\" x)\n(defmacro cl-user::twice (x) `(list ,x ,x))\n",
    );
    let mut played = Played::new("evaluate-lisp", project);
    played.line(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    assert!(played.ok("load-system", json!({ "system": "little" })).text.starts_with("Loaded little"));
    let described = played.ok("describe-symbol", json!({ "symbol": "little" }));
    assert!(described.text.contains("A little.") && described.text.contains("(x)"), "{}", described.text);
    let expanded = played.ok("macroexpand-form", json!({ "form": "(twice 1)" }));
    assert!(expanded.text.contains("(list 1 1)"), "{}", expanded.text);
    let unknown = played.client.request("tools/call", json!({ "name": "evaluate-lips", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602);
    let message = unknown["error"]["message"].as_str().unwrap();
    assert!(message.contains("evaluate-lisp"), "{message}");
    // What to call next is said in the names of the surface.
    let lost = played.call("describe-symbol", json!({ "symbol": "nowhere-defined" }));
    assert!(lost.is_error && lost.text.contains("evaluate-lisp") && !lost.text.contains("repl_"), "{}", lost.text);
    assert_eq!(lost.fields.get("structuredContent"), None::<&Value>);
}
