//! Transcripts: the record of evaluations for a person.

use std::process::Command;

use serde_json::json;

use crate::client::{Client, Session, binary, cache, server_command};
use crate::project::Project;

/// A session whose server writes to a file beside the project.
fn watched() -> (Session, std::path::PathBuf) {
    let project = Project::new();
    let path = project.beside("transcript.lisp");
    let mut command = server_command(&project.root());
    command.arg("--transcript").arg(&path);
    (Session { client: Client::connect(command), project }, path)
}

#[test]
fn every_evaluation_is_recorded_and_the_transcript_reads_as_its_code() {
    let (mut session, path) = watched();
    session.ok("repl_eval", json!({ "code": "(defun twice (x)\n  (print x)\n  (* 2 x))\n(twice 21)" }));
    session.client.call("repl_eval", json!({ "code": "(error \"boom\")\n" }));
    session.client.call("repl_eval", json!({ "code": "(car (list 1)" }));
    session.ok("repl_eval", json!({ "code": "(defvar *tried* 1)", "trial": true }));
    session.client.call("repl_eval", json!({ "code": "(loop)", "timeout_seconds": 0.2 }));
    session.client.call("repl_eval", json!({ "code": "1", "package": "no-such" }));
    session.ok("repl_eval", json!({ "code": "(loop repeat 100000 do (print :line))" }));
    session.project.file("a.lisp", "(defun from-file () 1)\n");
    session.ok("load_system", json!({ "path": "a.lisp" }));
    session.ok("repl_control", json!({ "action": "checkpoint", "name": "here" }));
    session.ok("code_describe", json!({ "symbol": "twice" }));
    let edit =
        json!({ "path": "a.lisp", "name": "from-file", "operation": "replace", "content": "(defun from-file () 2)" });
    session.ok("lisp_edit_form", edit.clone());
    session.ok("lisp_edit_form", edit);
    let again = json!({ "path": "a.lisp", "name": "from-file", "old_text": "2", "new_text": "3", "dry_run": true });
    session.ok("lisp_patch_form", again);
    let Session { client, project } = session;
    assert!(client.finish().success());

    let text = std::fs::read_to_string(&path).unwrap();
    for expected in [
        "  raw-lines 1  main (sbcl)\n(defun twice (x)\n  (print x)\n  (* 2 x))\n(twice 21)\n; [stdout]\n;\n; 21\n; => 42\n;;; completed, ",
        "(error \"boom\")\n; [ERROR] SIMPLE-ERROR\n; boom\n",
        ";| (car (list 1)\n; [ERROR] ",
        "main (sbcl), a trial\n;| (defvar *tried* 1)\n; => *TRIED*\n",
        "(loop)\n; [ERROR] TIMEOUT\n",
        ";;; interrupted, ",
        "main (sbcl), in no-such\n",
        "characters left out]",
        "a.lisp\n; loaded\n;;; completed, ",
        "main (sbcl), checkpoint here\n",
        ", now in COMMON-LISP-USER\n",
        "  raw-lines 1  a.lisp, edit\n; ",
        "; -(defun from-file () 1)\n; +(defun from-file () 2)\n",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
    assert!(text.len() < 40_000, "{}", text.len());
    let called = |line: &&str| line.contains(" bytes sent, ");
    assert!(text.lines().any(|line| line.starts_with(";;; code_describe: ") && called(&line)), "{text}");
    let entries = text.lines().filter(|line| !called(line));
    assert!(!entries.into_iter().any(|line| line.contains("describe")), "only what runs is written down");
    assert_eq!(text.matches(", edit\n").count(), 1, "only what changes a file is written down");
    let stamp: Vec<char> = text.lines().find_map(|line| line.strip_prefix(";;; ")).unwrap().chars().take(24).collect();
    assert_eq!((stamp[4], stamp[10], stamp[23]), ('-', 'T', 'Z'), "{stamp:?}");

    let cost = Command::new(binary()).args(["cost", "--format", "json"]).arg(&path).output().unwrap();
    let cost: serde_json::Value = serde_json::from_slice(&cost.stdout).unwrap();
    let evals = cost["tools"].as_array().unwrap().iter().find(|row| row["tool"] == "repl_eval").unwrap();
    assert!(evals["calls"].as_u64() >= Some(6) && cost["all"]["calls"].as_u64() > evals["calls"].as_u64(), "{cost}");
    assert!(evals["tokens_received"].as_u64() > Some(1_000), "it was given long texts: {cost}");

    // A Lisp that reads the file finds only the forms that ran.
    let count = format!(
        "(with-open-file (in {path:?}) (print (loop for form = (read in nil in) until (eq form in) collect (if (consp form) (first form) form))))"
    );
    let read =
        Command::new("sbcl").args(["--noinform", "--no-userinit", "--non-interactive", "--eval", &count]).output();
    let read = String::from_utf8(read.unwrap().stdout).unwrap();
    assert_eq!(read.trim(), "(DEFUN TWICE ERROR LOOP 1 LOOP)");
    drop(project);
}

#[test]
fn actions_on_sessions_are_recorded() {
    let (mut session, path) = watched();
    let mut control = |arguments: serde_json::Value| session.client.call("repl_control", arguments);
    control(json!({ "action": "start" }));
    control(json!({ "action": "checkpoint", "name": "one" }));
    control(json!({ "action": "rollback", "name": "one" }));
    control(json!({ "action": "rollback", "name": "two" }));
    control(json!({ "action": "interrupt" }));
    control(json!({ "action": "reset" }));
    control(json!({ "action": "kill" }));
    control(json!({ "action": "kill", "session": "other" }));
    control(json!({ "action": "attach", "address": "127.0.0.1:1" }));
    control(json!({ "action": "detach" }));
    control(json!({ "action": "status" }));
    assert!(session.client.finish().success());
    let text = std::fs::read_to_string(&path).unwrap();
    for expected in [
        "  raw-lines 1  main, start\n; Session \"main\" is ready.\n; main: idle, SBCL",
        "main (sbcl), checkpoint one\n; The image is kept as checkpoint \"one\".",
        "main (sbcl), roll back to one\n; Session \"main\" is back at checkpoint \"one\"",
        "main (sbcl), roll back to two\n; ",
        "main, interrupt\n; Session \"main\" was not running anything.\n;;; completed, ",
        "main, reset\n; Session \"main\" has a fresh image; its old state is gone.\n",
        "main, kill\n; Session \"main\" and its image are ended;",
        "other, kill\n; there is no session \"other\".",
        "main, attach to 127.0.0.1:1\n; ",
        "main, detach\n; ",
        "\n;;; not-executed, ",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
    assert_eq!(text.matches("  raw-lines 1  ").count(), 10, "{text}");
    assert!(text.lines().all(|line| line.is_empty() || line.starts_with(';')), "{text}");
}

#[test]
fn commands_append_to_the_same_file_and_run_without_an_unwritable_one() {
    let project = Project::new();
    let path = project.beside("transcript");
    let run = |transcript: &std::path::Path, arguments: &[&str]| {
        let mut command = Command::new(binary());
        command.args(arguments).arg("--root").arg(project.root()).arg("--transcript").arg(transcript);
        command.env("XDG_CACHE_HOME", cache()).output().unwrap()
    };
    std::fs::write(&path, "; mine\n").unwrap();
    let first = run(&path, &["eval", "-e", "(+ 1 2)"]);
    assert_eq!(String::from_utf8_lossy(&first.stdout), "=> 3\n", "{}", String::from_utf8_lossy(&first.stderr));
    project.file(
        "tests.scm",
        "(use-modules (srfi srfi-64))\n(test-begin \"t\")\n(test-equal \"sum\" 5 (+ 1 2))\n(test-end \"t\")\n",
    );
    run(&path, &["test", "tests.scm"]);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("; mine\n\n;;; "), "{text}");
    assert!(
        text.contains("  lispwright eval -e (+ 1 2) --root ") && text.contains("\n(+ 1 2)\n; => 3\n;;; completed, "),
        "{text}"
    );
    assert!(
        text.contains(", run the tests of ") && text.contains("; 0 passed, 1 failed, 0 pending\n; failed: sum"),
        "{text}"
    );

    let nowhere = run(&project.root(), &["eval", "-e", "(+ 1 2)"]);
    let complaint = String::from_utf8_lossy(&nowhere.stderr).into_owned();
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
    assert!(complaint.contains("no transcript is written"), "{complaint}");
    assert_eq!(String::from_utf8_lossy(&nowhere.stdout), "=> 3\n");
}
