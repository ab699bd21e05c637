//! Two servers on one file, and servers that are killed.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Client, server_command};
use crate::project::Project;

#[test]
fn two_servers_lose_no_edit() {
    const EDITS: usize = 100;
    let project = Project::new();
    project.file("a.lisp", "(in-package :cl-user)\n");
    std::thread::scope(|scope| {
        for writer in ["first", "second"] {
            let project = &project;
            scope.spawn(move || {
                let mut client = Client::connect(server_command(&project.root()));
                for edit in 0..EDITS {
                    let content = format!("(defun {writer}-{edit} () {edit})");
                    let answer = client
                        .call("lisp_edit_form", json!({ "path": "a.lisp", "operation": "append", "content": content }));
                    assert!(!answer.is_error, "{}", answer.text);
                }
                assert!(client.finish().success());
            });
        }
    });
    let text = project.text("a.lisp");
    for writer in ["first", "second"] {
        for edit in 0..EDITS {
            let form = format!("(defun {writer}-{edit} () {edit})");
            assert_eq!(text.matches(&form).count(), 1, "{form}");
        }
    }
    assert_eq!(project.names(), ["a.lisp"]);
}

#[test]
fn a_killed_server_leaves_a_whole_file() {
    let filler = "(defun filler () (list 1 2 3 4 5 6 7 8 9 10))\n".repeat(5_000);
    let version = |number: usize| format!("(defun f () {number})\n{filler}");
    let project = Project::new();
    project.file("a.lisp", version(0));
    let versions: Vec<String> = (0..64).map(version).collect();
    for round in 0..30_u64 {
        let mut client = Client::connect(server_command(&project.root()));
        for number in 1..64_usize {
            client.start(
                "tools/call",
                json!({ "name": "lisp_edit_form", "arguments": {
                    "path": "a.lisp", "operation": "replace", "name": "f", "content": format!("(defun f () {number})") } }),
            );
            if number == 1 {
                // Writing has begun; from here on every round lasts a little longer or shorter.
                client.receive();
            }
        }
        let moment = Instant::now() + Duration::from_micros(round * 7919 % 40_000);
        while Instant::now() < moment {
            std::hint::spin_loop();
        }
        client.kill();
        let text = project.text("a.lisp");
        assert!(versions.contains(&text), "round {round}: {} bytes that nobody wrote", text.len());
    }
    // The next server works and cleans up.
    let mut client = Client::connect(server_command(&project.root()));
    let answer = client.call(
        "lisp_edit_form",
        json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": "(defun f () :last)" }),
    );
    assert!(!answer.is_error, "{}", answer.text);
    assert_eq!(project.text("a.lisp"), format!("(defun f () :last)\n{filler}"));
    assert_eq!(project.names(), ["a.lisp"]);
}

#[test]
fn a_file_that_another_program_holds() {
    let project = Project::new();
    let path = project.file("a.lisp", "(defun f () 1)\n");
    let holder = std::fs::File::open(path).unwrap();
    rustix::fs::flock(&holder, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let mut session = crate::client::Session::on(project);
    let edit = json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": "(defun f () 2)" });
    let answer =
        session.refused("lisp_edit_form", edit.clone(), "CONFLICT", &["a.lisp", "another writer", "Try again"]);
    assert_eq!(answer.fields["retryable"], true);
    // Reading goes on meanwhile.
    session.ok("lisp_read_form", json!({ "path": "a.lisp", "name": "f" }));
    drop(holder);
    session.ok("lisp_edit_form", edit);
    assert_eq!(session.project.text("a.lisp"), "(defun f () 2)\n");
}
