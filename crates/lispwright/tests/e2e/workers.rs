//! How images are run: their limits, and the command in front of them.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::client::{Client, PATIENCE, Session, server_command};
use crate::project::Project;

fn session_with(project: Project, options: &[&str]) -> Session {
    let mut command = server_command(&project.root());
    command.args(options);
    Session { client: Client::connect(command), project }
}

/// A script that runs its arguments.
fn launcher(project: &Project) -> String {
    let script = project.beside("launch me");
    std::fs::write(&script, "#!/bin/sh\nexec \"$@\"\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    script.to_str().unwrap().to_owned()
}

#[test]
fn workers_can_be_run_by_another_command() {
    let project = Project::new();
    let script = launcher(&project);
    let mut session = session_with(project, &["--launcher", &format!("'{script}' env WHO=launched")]);
    let who = session.ok("repl_eval", json!({ "code": "(sb-posix:getenv \"WHO\")", "timeout_seconds": 60 }));
    assert!(who.text.contains("=> \"launched\""), "{}", who.text);
    // The pipe carries interrupts, held errors and checkpoints too.
    let slow = session.client.call("repl_eval", json!({ "code": "(loop)", "timeout_seconds": 0.3 }));
    assert_eq!(slow.fields["execution_status"], "interrupted", "{}", slow.text);
    session.ok("repl_eval", json!({ "code": "(defvar *x* 1)" }));
    session.ok("repl_control", json!({ "action": "checkpoint", "name": "c" }));
    session.ok("repl_eval", json!({ "code": "(setf *x* 2)" }));
    session.ok("repl_control", json!({ "action": "rollback", "name": "c" }));
    assert!(session.ok("repl_eval", json!({ "code": "*x*" })).text.contains("=> 1"));
    let status = session.ok("repl_control", json!({ "action": "status" }));
    assert!(status.text.contains("Launched by: ") && status.text.contains("WHO=launched"), "{}", status.text);
    assert!(session.client.finish().success());
}

#[test]
fn a_launcher_that_dies_or_is_not_there_is_an_answer() {
    for (launcher, says) in [("/nonexistent/launcher", "could not be started"), ("false", "exit code 1")] {
        let mut session = session_with(Project::new(), &["--launcher", launcher]);
        let answer = session.client.call("repl_eval", json!({ "code": "1" }));
        assert!(answer.is_error && answer.text.contains(says), "{launcher}: {}", answer.text);
        assert_eq!(answer.fields["code"], "RUNTIME_MISSING");
        assert!(session.client.finish().success());
    }
}

#[test]
fn options_that_make_no_sense_are_refused_at_the_start() {
    for (option, value) in [
        ("--launcher", "'open"),
        ("--launcher", " "),
        ("--max-idle", "-1"),
        ("--max-memory", "3"),
        ("--max-sessions", "0"),
    ] {
        let project = Project::new();
        let mut command = server_command(&project.root());
        let output = command.arg(format!("{option}={value}")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{option} {value}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(option), "{option} {value}");
    }
}

#[test]
fn an_image_that_nobody_uses_is_ended_and_the_next_call_told() {
    // A twentieth of a second, and one session.
    let mut session = session_with(Project::new(), &["--max-idle", "0.0008", "--max-sessions", "1"]);
    session.ok("repl_eval", json!({ "code": "(defvar *x* 1)" }));
    let state = |session: &mut Session| {
        session.ok("repl_control", json!({ "action": "status" })).fields["sessions"][0]["state"].clone()
    };
    let deadline = std::time::Instant::now() + PATIENCE;
    while state(&mut session) != "no-image" {
        assert!(std::time::Instant::now() < deadline, "the image is kept");
    }
    let answer = session.ok("repl_eval", json!({ "code": "(boundp '*x*)" }));
    assert!(answer.text.contains("=> NIL") && answer.text.contains("nobody used it"), "{}", answer.text);
    // What is ended does not keep the place of another.
    while state(&mut session) != "no-image" {
        assert!(std::time::Instant::now() < deadline, "the image is kept");
    }
    session.ok("repl_eval", json!({ "code": "1", "session": "other" }));
    let status = session.ok("repl_control", json!({ "action": "status" }));
    assert!(status.text.contains("2048 MB of heap") && status.text.contains("idle"), "{}", status.text);
}

#[test]
fn the_heap_has_the_size_that_was_asked_for() {
    let mut session = session_with(Project::new(), &["--max-memory", "200"]);
    let size = session.ok("repl_eval", json!({ "code": "(floor (sb-ext:dynamic-space-size) 1048576)" }));
    assert!(size.text.starts_with("=> 200"), "{}", size.text);
}
