//! The wire itself: every well-formed request gets one answer, and no line ends the server.

use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Answer, Client, Session, binary, server_command};
use crate::project::Project;

/// The fields of a request of revision 2026-07-28, which take the place of a handshake.
fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "raw-lines", "version": "1" },
    })
}

#[test]
fn every_revision_is_spoken() {
    let project = Project::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::spawn(server_command(&project.root()));
        let params =
            json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let answer = client.request("initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        assert!(answer["result"]["instructions"].is_string(), "{answer}");
        assert!(client.finish().success());
    }
    let mut client = Client::spawn(server_command(&project.root()));
    let answer = client.request("server/discover", json!({ "_meta": modern_meta() }));
    let supported = answer["result"]["supportedVersions"].as_array().unwrap_or_else(|| panic!("{answer}"));
    assert!(supported.contains(&json!("2026-07-28")), "{answer}");
    let answer = client.request("tools/list", json!({ "_meta": modern_meta() }));
    assert!(answer["result"]["ttlMs"].is_u64() && answer["result"]["resultType"] == "complete", "{answer}");
    let answer = client.request(
        "tools/call",
        json!({ "name": "lisp_check_parens", "arguments": { "code": "(" }, "_meta": modern_meta() }),
    );
    assert_eq!(answer["result"]["structuredContent"]["ok"], false, "{answer}");
    assert!(client.finish().success());
}

#[test]
fn the_server_survives_bad_lines() {
    let project = Project::new();
    project.file("a.lisp", "(defun f () 1)\n");
    let mut client = Client::spawn(server_command(&project.root()));
    // Before anything else: an early notification, rubbish, broken UTF-8, an endless line, deep nesting.
    client.send_line(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
    client.send_line(b"");
    client.send_line(b"(this is not JSON)");
    assert_eq!(client.receive()["error"]["code"], -32700);
    client.send_line(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":\"\xFF\"}");
    let answer = client.receive();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32700)), "{answer}");
    let mut long = b"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"x\":\"".to_vec();
    long.resize(80 * 1024 * 1024, b'x');
    long.extend_from_slice(b"\"}}");
    client.send_line(&long);
    let answer = client.receive();
    assert!(answer["id"] == 8 && answer["error"]["code"].is_i64(), "{answer}");
    client.send_line("[".repeat(100_000).as_bytes());
    assert!(client.receive()["error"]["code"].is_i64());
    client.send_line(b"[{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}]");
    assert_eq!(client.receive()["error"]["code"], -32600);
    // The server still works.
    let params =
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    assert!(client.request("initialize", params)["result"].is_object());
    let read = client.call("lisp_read_form", json!({ "path": "a.lisp", "name": "f" }));
    assert!(!read.is_error, "{}", read.text);
    assert!(client.finish().success());
}

#[test]
fn unknown_tools_are_refused() {
    let mut session = Session::new();
    let answer = session.client.request("tools/call", json!({ "name": "lisp_raed_form", "arguments": {} }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("lisp_read_form"), "{answer}");
    let answer = session.client.request("no/such/method", json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[test]
fn other_spellings_of_a_tool() {
    let mut session = Session::with_file("a.lisp", "(defun f () 1)\n");
    for (name, arguments) in [
        ("lisp-read-form", json!({ "path": "a.lisp", "name": "f" })),
        ("mcp__lispwright__lisp_read_form", json!({ "path": "a.lisp", "name": "f" })),
        ("lisp_read_form", json!({ "file_path": "a.lisp", "form_name": "f" })),
        ("lisp_read_form", json!({ "path": "a.lisp", "symbol": "f" })),
        ("code_find_references", json!({ "name": "f" })),
        ("repl_eval", json!({ "content": "1", "runtime": "common-lisp" })),
        ("lisp_edit_form", json!({ "path": "a.lisp", "name": "f", "operation": "append", "code": "(defun g () 2)" })),
        ("check_syntax", json!({ "path": "a.lisp" })),
        ("lisp_patch_form", json!({ "file": "a.lisp", "old_string": "f () 1", "new_string": "f () 3" })),
        ("lisp_rename", json!({ "symbol": "f", "to": "h" })),
        ("repl_eval", json!({ "expression": "1", "runtime": "common-lisp" })),
    ] {
        let answer = session.ok(name, arguments);
        assert!(!answer.text.is_empty(), "{name}");
    }
}

#[test]
fn calls_are_answered_concurrently() {
    let mut session = Session::with_file("a.lisp", "(defun f () 1)\n");
    let params = json!({ "name": "lisp_read_form", "arguments": { "path": "a.lisp", "name": "f" } });
    let mut waiting: Vec<i64> = (0..200).map(|_| session.client.start("tools/call", params.clone())).collect();
    while !waiting.is_empty() {
        let message = session.client.receive();
        let id = message["id"].as_i64().unwrap();
        let at = waiting.iter().position(|waiting| *waiting == id).expect("each call is answered once");
        waiting.swap_remove(at);
        assert!(!Answer::of(&message).is_error);
    }
    assert!(session.client.finish().success());
}

#[test]
fn a_server_whose_root_cannot_be_one_says_what_to_pass() {
    for arguments in [["--root", "/"], ["--root", "/no/such/directory"]] {
        let output = Command::new(binary()).arg("mcp").args(arguments).current_dir("/tmp").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("--root"), "{arguments:?}: {}: {said}", output.status);
        assert!(output.stdout.is_empty());
    }
}
