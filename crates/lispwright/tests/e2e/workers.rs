//! Images: their limits, and the command that launches them.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use lispwright_platform::{Here, Lack, System};
use serde_json::json;

use crate::client::{Answer, Client, PATIENCE, Session, cache, server_command};
use crate::household::{Household, tested};
use crate::project::Project;

fn session_with(project: Project, options: &[&str]) -> Session {
    let mut command = server_command(&project.root());
    command.args(options);
    Session { client: Client::connect(command), project }
}

/// A script as a launcher: its lines, of which `"$@"` is the worker.
fn script(project: &Project, lines: &str) -> String {
    let script = project.beside("launch me");
    std::fs::write(&script, format!("#!/bin/sh\n{lines}\n")).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("'{}'", script.display())
}

#[test]
fn workers_can_be_run_by_another_command() {
    let project = Project::new();
    let script = script(&project, "exec \"$@\"");
    let mut session = session_with(project, &["--launcher", &format!("{script} env WHO=launched")]);
    let who = session.ok("repl_eval", json!({ "code": "(sb-posix:getenv \"WHO\")", "timeout_seconds": 60 }));
    assert!(who.text.contains("=> \"launched\""), "{}", who.text);
    // Interrupts, held errors and checkpoints work through the pipe as well.
    let slow = session.client.call("repl_eval", json!({ "code": "(loop)", "timeout_seconds": 0.3 }));
    assert_eq!(slow.fields["execution_status"], "interrupted", "{}", slow.text);
    session.ok("repl_eval", json!({ "code": "(defvar *x* 1)" }));
    session.ok("repl_control", json!({ "action": "checkpoint", "name": "c" }));
    session.ok("repl_eval", json!({ "code": "(setf *x* 2)" }));
    session.ok("repl_control", json!({ "action": "rollback", "name": "c" }));
    assert!(session.ok("repl_eval", json!({ "code": "*x*" })).text.contains("=> 1"));
    let status = session.ok("repl_control", json!({ "action": "status", "detail": true }));
    assert!(status.text.contains("Launched by: ") && status.text.contains("WHO=launched"), "{}", status.text);
    assert!(session.client.finish().success());
}

/// The launcher in `docs/live-images.md`. If user namespaces are forbidden, its own message must be in the answer.
#[test]
fn workers_can_be_run_by_bubblewrap() {
    let project = Project::new();
    let root = project.root().display().to_string();
    let launcher = format!(
        "bwrap --ro-bind / / --bind {root} {root} --dev /dev --proc /proc --unshare-net --unshare-pid --cap-drop ALL \
         --die-with-parent"
    );
    let words: Vec<&str> = launcher.split_whitespace().collect();
    let works = Command::new(words[0]).args(&words[1..]).arg("true").output().unwrap();
    let mut household = Household::on(project, &["--launcher", &launcher]);
    if !works.status.success() {
        let complaint = String::from_utf8_lossy(&works.stderr).lines().next().unwrap_or_default().to_owned();
        tested(&format!("that bwrap's own words are told, for it does not work here: {complaint}"));
        let answer = household.eval("main", "1");
        assert!(answer.is_error && answer.text.contains(&complaint), "{}", answer.text);
        return;
    }
    tested("bwrap");
    for (runtime, pid, outside) in [
        ("sbcl", "(sb-posix:getpid)", "(open \"/tmp/lispwright-outside\" :direction :output)"),
        ("guile", "(getpid)", "(open-output-file \"/tmp/lispwright-outside\")"),
    ] {
        let mut eval = |code: &str, seconds: f64| {
            let arguments = json!({ "code": code, "runtime": runtime, "session": runtime, "timeout_seconds": seconds });
            household.call("repl_eval", arguments)
        };
        let pid = eval(pid, 50.0);
        assert!(!pid.is_error && pid.text.len() < 7, "a number in a table of processes of its own: {}", pid.text);
        let refused = eval(outside, 50.0);
        assert!(refused.text.contains("Read-only file system"), "{}", refused.text);
        let endless = if runtime == "sbcl" { "(loop)" } else { "(let loop () (loop))" };
        let stopped = eval(endless, 0.3);
        assert_eq!(stopped.fields["execution_status"], "interrupted", "{}", stopped.text);
    }
    household.eval("sbcl", "(defvar *x* 1)");
    household.call("repl_control", json!({ "action": "checkpoint", "session": "sbcl" }));
    household.eval("sbcl", "(setf *x* 2)");
    household.call("repl_control", json!({ "action": "rollback", "session": "sbcl" }));
    assert_eq!(household.eval("sbcl", "*x*").text, "=> 1");
    household.client.kill();
    household.assert_gone(0, "no process is left inside");
}

/// The words between the launcher and the worker: the sandbox is inside.
#[test]
fn a_launcher_and_the_sandbox_go_together() {
    let project = Project::new();
    let script = script(&project, "exec \"$@\"");
    let outside = project.beside("outside");
    let mut session = session_with(project, &["--launcher", &script, "--sandbox"]);
    let status = session.ok("repl_control", json!({ "action": "status" }));
    let sandboxed = status.fields["isolation"] != "none-works";
    tested(status.fields["isolation"].as_str().unwrap());
    let code = format!("(open {outside:?} :direction :output)");
    let answer = session.client.call("repl_eval", json!({ "code": code, "timeout_seconds": 60 }));
    assert!(answer.is_error && !outside.exists(), "{}", answer.text);
    assert_eq!(answer.fields["code"], if sandboxed { "LISP_ERROR" } else { "RUNTIME_MISSING" }, "{}", answer.text);
}

#[test]
fn a_launcher_that_fails_is_an_answer() {
    for (lines, says) in [
        (None, "could not be started"),
        (Some("exit 1"), "exit code 1"),
        (Some("echo 'no route to host' >&2; exit 255"), "no route to host"),
        (Some("kill -9 $$"), "SIGKILL"),
        (Some("echo 'Welcome to the build host!'; exec \"$@\""), "\"Welcome to the build host!\" came first"),
        (Some("head -c 100000 /dev/zero; exec \"$@\""), "not the protocol"),
        (Some("exec \"$@\" > /dev/null"), "it closed its pipe"),
        (Some("echo hi; exec sleep 1000"), "\"hi\" came first"),
    ] {
        let project = Project::new();
        let launcher = lines.map_or_else(|| "/nonexistent/launcher".to_owned(), |lines| script(&project, lines));
        let mut household = Household::on(project, &["--launcher", &launcher]);
        let answer = household.eval("main", "1");
        assert!(answer.is_error && answer.text.contains(says), "{launcher} {lines:?}: {}", answer.text);
        assert_eq!(answer.fields["code"], "RUNTIME_MISSING");
        household.assert_gone(1, "nothing but the server");
        assert!(household.client.finish().success());
    }
}

#[test]
fn a_start_takes_no_longer_than_the_call_may_and_goes_on_for_the_next_one() {
    let project = Project::new();
    // It waits until somebody opens the pipe.
    let pipe = project.beside("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
    let launcher = script(&project, &format!("read nothing < '{}'\nexec \"$@\"", pipe.display()));
    let mut household = Household::on(project, &["--launcher", &launcher]);
    // What nobody waits for ends with its session.
    let hangs = json!({ "code": "1", "timeout_seconds": 0.2, "session": "other" });
    assert_eq!(household.call("repl_eval", hangs).fields["code"], "TIMEOUT");
    household.call("repl_control", json!({ "action": "kill", "session": "other" }));
    household.assert_gone(1, "nothing but the server");

    let slow = json!({ "code": "(+ 1 2)", "timeout_seconds": 0.2 });
    for _ in 0..2 {
        let answer = household.call("repl_eval", slow.clone());
        assert_eq!(answer.fields["code"], "TIMEOUT", "{}", answer.text);
        assert!(
            answer.text.contains("did not start within 0.2 s. Nothing was run. The start goes on"),
            "{}",
            answer.text
        );
    }
    let reset = household.call("repl_control", json!({ "action": "start", "timeout_seconds": 0.2 }));
    assert_eq!(reset.fields["code"], "TIMEOUT", "{}", reset.text);
    let status = household.call("repl_control", json!({ "action": "status" }));
    assert_eq!(status.fields["sessions"][0]["state"], "starting", "{}", status.text);
    std::fs::write(&pipe, "\n").unwrap();
    let answer = household.eval("main", "(+ 1 2)");
    assert_eq!(answer.fields["values"], json!(["3"]), "{}", answer.text);
}

#[test]
fn a_start_by_a_hanging_launcher_can_be_cancelled() {
    let project = Project::new();
    let launcher = script(&project, "sleep 1000 & exec sleep 1000");
    let mut household = Household::on(project, &["--launcher", &launcher]);
    let arguments = json!({ "name": "repl_eval", "arguments": { "code": "1" } });
    for withdraw in [false, true] {
        let call = household.client.start("tools/call", arguments.clone());
        household.until("it hangs", |household| household.processes().len() == 3);
        if withdraw {
            let params = json!({ "requestId": call });
            household.client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
        } else {
            household.client.start("tools/call", json!({ "name": "repl_control", "arguments": { "action": "kill" } }));
            // The two answers may come in any order.
            let both = [household.client.receive(), household.client.receive()];
            let answer = Answer::of(both.iter().find(|message| message["id"] == call).unwrap());
            assert!(answer.is_error && answer.text.contains("withdrawn"), "{}", answer.text);
        }
        household.assert_gone(1, "nothing but the server");
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
fn an_idle_image_is_ended_and_the_next_call_says_so() {
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
    // An ended image leaves its place to another.
    while state(&mut session) != "no-image" {
        assert!(std::time::Instant::now() < deadline, "the image is kept");
    }
    session.ok("repl_eval", json!({ "code": "1", "session": "other" }));
    let status = session.ok("repl_control", json!({ "action": "status", "detail": true }));
    assert!(status.text.contains("2048 MB of heap") && status.text.contains("idle"), "{}", status.text);
}

#[test]
fn the_heap_has_the_size_that_was_asked_for() {
    let mut session = session_with(Project::new(), &["--max-memory", "200"]);
    let size = session.ok("repl_eval", json!({ "code": "(floor (sb-ext:dynamic-space-size) 1048576)" }));
    assert!(size.text.starts_with("=> 200"), "{}", size.text);
}

/// A worker receives every signal, whatever mask its server was started with: SBCL needs some to detect the end of its
/// stack.
#[test]
fn signals_that_the_server_blocks_reach_the_image() {
    let project = Project::new();
    let mut command = Command::new("env");
    command.args(["--block-signal=SEGV", "--block-signal=USR2", "--"]);
    let server = server_command(&project.root());
    command.arg(server.get_program()).args(server.get_args()).env("XDG_CACHE_HOME", cache());
    let mut session = Session { client: Client::connect(command), project };
    let code = "(labels ((deep (n) (1+ (deep n)))) (handler-case (deep 1) (storage-condition () :deep)))";
    assert_eq!(session.ok("repl_eval", json!({ "code": code })).fields["values"], json!([":DEEP"]));
}

#[test]
fn missing_protections_are_in_the_status_and_refused() {
    let mut household = Household::new(&["--sandbox"]);
    let status = household.call("repl_control", json!({ "action": "status" }));
    let names: Vec<&str> = Here::LACKS.iter().map(|lack| lack.name()).collect();
    assert_eq!(status.fields["lacks"], json!(names));
    assert_eq!(status.text.matches("Not on this system: ").count(), names.len(), "{}", status.text);
    if Here::LACKS.contains(&Lack::Sandbox) {
        let refused = household.eval("main", "1");
        assert!(refused.is_error && refused.text.contains("nothing that keeps images in"), "{}", refused.text);
    }
}
