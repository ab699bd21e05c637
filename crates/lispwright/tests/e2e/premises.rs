//! Servers without a given root: they have no project in a home directory, and take the roots of their client.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Answer, Client, binary, cache, server_command};
use crate::project::Project;

/// A server in `directory` for a user whose home is `home`.
fn server(directory: &Path, home: &Path) -> Command {
    let mut command = Command::new(binary());
    command.args(["mcp", "--results", "structured"]).current_dir(directory).env("HOME", home);
    for name in ["LISPWRIGHT_ROOT", "MCP_PROJECT_ROOT", "CLAUDE_PROJECT_DIR"] {
        command.env_remove(name);
    }
    command.env("XDG_CACHE_HOME", cache());
    command
}

/// Shakes hands as a client of the handshake era that has roots, if any.
pub(crate) fn connect(command: Command, has_roots: bool) -> (Client, Value) {
    let mut client = Client::spawn(command);
    let capabilities = if has_roots { json!({"roots": {"listChanged": true}}) } else { json!({}) };
    let answer = client.request(
        "initialize",
        json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "roots", "version": "1"},
        }),
    );
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    (client, answer)
}

/// Reads `a.lisp` and answers a request for roots with `roots`; returns whether that request came.
fn read(client: &mut Client, roots: &[&Path]) -> (Answer, bool) {
    call(client, "lisp_read_file", json!({"path": "a.lisp"}), roots)
}

/// Calls a tool and answers a request for roots with `roots`; returns whether that request came.
pub(crate) fn call(client: &mut Client, tool: &str, arguments: Value, roots: &[&Path]) -> (Answer, bool) {
    let id = client.start("tools/call", json!({"name": tool, "arguments": arguments}));
    let mut asked = false;
    loop {
        let message = client.receive();
        if message["method"] == "roots/list" {
            asked = true;
            let roots: Vec<Value> =
                roots.iter().map(|root| json!({"uri": format!("file://{}", root.display()), "name": "p"})).collect();
            client.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}}));
        } else if message["id"] == id {
            return (Answer::of(&message), asked);
        }
    }
}

#[test]
fn a_server_in_a_home_directory_runs_and_says_why_it_has_no_project() {
    let project = Project::new();
    for directory in [project.root(), "/".into()] {
        let (mut client, opening) = connect(server(&directory, &project.root()), false);
        assert!(opening["result"]["instructions"].as_str().unwrap().contains("edit one form by name"));
        let tools = client.request("tools/list", json!({}));
        assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 18);
        for (tool, arguments) in [("lisp_read_file", json!({"path": "a.lisp"})), ("repl_eval", json!({"code": "1"}))] {
            let answer = client.call(tool, arguments);
            assert!(answer.is_error, "{}", answer.text);
            for part in ["No project", "cannot be a project root", "\"--root\", \"DIR\""] {
                assert!(answer.text.contains(part), "{}", answer.text);
            }
        }
        assert!(client.finish().success());
    }
}

#[test]
fn a_clients_root_counts_before_the_first_call_and_not_after_it() {
    let (here, there) = (Project::new(), Project::new());
    here.file("a.lisp", "(defun here ())\n");
    there.file("a.lisp", "(defun there ())\n");

    // In a home directory, the server asks at the first call, and again after the client's roots have changed.
    let (mut client, _) = connect(server(&here.root(), &here.root()), true);
    let (answer, asked) = read(&mut client, &[Path::new("/"), Path::new("/nowhere")]);
    assert!(asked && answer.text.contains("cannot be a project root: it is shared"), "{}", answer.text);
    assert!(!read(&mut client, &[]).1, "asked again though nothing has changed");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    let (answer, asked) = read(&mut client, &[Path::new("/"), &there.root()]);
    assert!(asked && answer.text.contains("defun there"), "{}", answer.text);
    let status = client.call("repl_control", json!({"action": "status"}));
    assert!(status.text.contains(there.root().canonicalize().unwrap().to_str().unwrap()), "{}", status.text);

    // In another project, the roots of the client count.
    let (mut client, opening) = connect(server(&here.root(), Path::new("/root")), true);
    let instructions = opening["result"]["instructions"].as_str().unwrap();
    assert!(instructions.contains(here.root().canonicalize().unwrap().to_str().unwrap()), "{instructions}");
    let (answer, asked) = read(&mut client, &[&there.root()]);
    assert!(asked && answer.text.contains("defun there"), "{}", answer.text);
    // After the first call the root is final.
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    let (answer, asked) = read(&mut client, &[&here.root()]);
    assert!(!asked && answer.text.contains("defun there"), "{}", answer.text);

    // A named root is no guess.
    let (mut client, _) = connect(server_command(&here.root()), true);
    let (answer, asked) = read(&mut client, &[&there.root()]);
    assert!(!asked && answer.text.contains("defun here"), "{}", answer.text);
}

#[test]
fn a_missing_file_is_reported_with_the_root() {
    let project = Project::new();
    let (mut client, _) = connect(server_command(&project.root()), false);
    let answer = client.call("lisp_read_file", json!({"path": "a.lisp"}));
    let root = project.root().canonicalize().unwrap();
    assert!(answer.text.contains(&format!("project root {}", root.display())), "{}", answer.text);
}

#[test]
fn a_response_to_nothing_is_not_answered() {
    let project = Project::new();
    let (mut client, _) = connect(server_command(&project.root()), true);
    for line in [
        json!({"jsonrpc": "2.0", "id": 0, "result": {"roots": []}}),
        json!({"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "m"}}),
        json!({"jsonrpc": "2.0", "id": "x", "result": {}}),
        json!({"jsonrpc": "2.0", "id": 0, "result": 3}),
    ] {
        client.send(&line);
    }
    let id = client.start("ping", json!({}));
    assert_eq!(client.receive()["id"], id);
}

#[test]
fn a_server_belongs_to_the_project_that_its_directory_is_part_of() {
    let (project, other) = (Project::new(), Project::new());
    project.file("a.lisp", "(defun here ())\n");
    project.file("deep/sub/b.lisp", "(defun below ())\n");
    other.file("a.lisp", "(defun there ())\n");
    std::fs::create_dir(project.at(".git")).unwrap();
    let below = project.at("deep/sub");

    let (mut client, opening) = connect(server(&below, Path::new("/root")), false);
    let root = project.root().canonicalize().unwrap().display().to_string();
    let instructions = opening["result"]["instructions"].as_str().unwrap();
    assert!(instructions.contains(&root) && !instructions.contains("deep"), "{instructions}");
    assert!(client.call("lisp_read_file", json!({"path": "a.lisp"})).text.contains("defun here"));

    // It is a guess: the roots of a client count.
    let (mut client, _) = connect(server(&below, Path::new("/root")), true);
    let (answer, asked) = read(&mut client, &[&other.root()]);
    assert!(asked && answer.text.contains("defun there"), "{}", answer.text);

    // A named root is taken as it is.
    let (mut client, _) = connect(server_command(&below), false);
    assert!(client.call("lisp_read_file", json!({"path": "b.lisp"})).text.contains("defun below"));
}
