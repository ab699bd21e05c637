//! Undo: what a tool or command wrote is taken back, also by another process, and never what somebody else has written.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::client::{Client, Session, binary, server_command};
use crate::project::Project;

const TEXT: &str = "(defun alpha (x)\n  (if x (progn (print x) 1)))\n";

fn session(project: Project) -> Session {
    let mut command = server_command(&project.root());
    command.args(["--toolsets", "default,fs,refactor"]);
    Session { project, client: Client::connect(command) }
}

/// What a command prints, in words that both outputs have; its exit code.
fn command(directory: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let mut command = server_command(directory);
    let state = command.get_envs().find(|(name, _)| *name == "XDG_STATE_HOME").and_then(|(_, value)| value);
    let state = state.map(ToOwned::to_owned).unwrap();
    command = Command::new(binary());
    let output = command.args(arguments).current_dir(directory).env("XDG_STATE_HOME", state).output().unwrap();
    (
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)),
        output.status.code(),
    )
}

#[test]
fn each_tool_that_writes_is_undone_and_done_again_after_the_server_has_ended() {
    let project = Project::new();
    project.file("a.lisp", TEXT);
    project.file("sub/b.lisp", "(defun beta () (alpha 2))\r\n; caf\u{e9}\r\n");
    let writes = [
        ("lisp_edit_form", json!({ "path": "a.lisp", "operation": "append", "content": "(defun more ())" })),
        ("lisp_patch_form", json!({ "path": "a.lisp", "name": "alpha", "old_text": "print", "new_text": "princ" })),
        (
            "lisp_edit_batch",
            json!({ "edits": [
                { "path": "a.lisp", "operation": "append", "content": "(defun more ())" },
                { "path": "new.lisp", "operation": "append", "content": "(defun new ())" },
                { "path": "sub/b.lisp", "operation": "append", "content": "(defun more-b ())" },
            ] }),
        ),
        ("lisp_rename", json!({ "symbol": "alpha", "new_name": "gamma", "dry_run": false })),
        (
            "lisp_rewrite",
            json!({
                "shape": "(if ?c (progn ?*body))", "template": "(when ?c ?*body)", "dry_run": false, "expect_count": 1,
            }),
        ),
        ("lisp_change_signature", json!({ "symbol": "alpha", "rename": { "x": "y" }, "dry_run": false })),
        ("fs_write_file", json!({ "path": "notes/all.txt", "content": "new\n" })),
    ];
    let mut session = session(project);
    let before = session.project.snapshot();
    let bytes = |session: &Session| ["a.lisp", "sub/b.lisp"].map(|name| fs::read(session.project.at(name)).unwrap());
    for (tool, arguments) in writes {
        let old = bytes(&session);
        let said = session.ok(tool, arguments).text;
        let is_large = ["lisp_rewrite", "lisp_change_signature"].contains(&tool);
        assert_eq!(said.ends_with("\nlisp_undo {} takes it back."), is_large, "{said}");
        let new = bytes(&session);
        let dry = session.ok("lisp_undo", json!({ "dry_run": true }));
        assert!(dry.text.starts_with("Dry run, nothing was written: change "), "{}", dry.text);
        assert_eq!(dry.fields["undone"]["by"], tool);
        // Another server goes on where this one ends.
        session = self::session(session.project);
        let done = session.ok("lisp_undo", json!({}));
        assert!(done.text.starts_with("Undone: change ") && done.text.contains(tool), "{}", done.text);
        assert_eq!(bytes(&session), old, "{tool}");
        let again = session.ok("lisp_undo", json!({}));
        assert!(again.text.contains("undo of change"), "{}", again.text);
        assert_eq!(bytes(&session), new, "{tool}");
        session.ok("lisp_undo", json!({}));
    }
    // The directory of the new file stays.
    fs::remove_dir(session.project.at("notes")).unwrap();
    let (names, old) = (session.project.snapshot(), before);
    assert_eq!(names.keys().collect::<Vec<_>>(), old.keys().collect::<Vec<_>>());
    let says = ["is not undone, nothing was written: a.lisp has changed since (digest "];
    session
        .ok("lisp_patch_form", json!({ "path": "a.lisp", "name": "alpha", "old_text": "print", "new_text": "princ" }));
    session.project.file("a.lisp", "(mine)\n");
    let refused = session.refused("lisp_undo", json!({}), "STALE", &says);
    assert_eq!(refused.fields["moved_on"][0]["path"], "a.lisp");
    session.refused("lisp_undo", json!({ "change": 99 }), "BAD_ARGUMENT", &["There is no change 99 (kept: "]);
    let listed = session.ok("lisp_undo", json!({ "list": true }));
    assert_eq!(listed.fields["changes"][0]["by"], "lisp_patch_form");
}

#[test]
fn commands_are_undone_as_a_whole_also_from_below() {
    let project = Project::new();
    fs::create_dir(project.at(".git")).unwrap();
    let crooked = "(defun f (x)\n      (list x\n  x))\n";
    project.file("a.lisp", crooked);
    project.file("sub/b.lisp", crooked);
    project.file("broken.lisp", "(defun broken (x) (+ 1 x\n");
    let root = project.root();
    assert_eq!(command(&root, &["fmt", "--write", "a.lisp", "sub/b.lisp"]).1, Some(0));
    assert!(project.text("a.lisp") != crooked && project.text("sub/b.lisp") != crooked);
    assert_eq!(command(&root, &["repair", "--write", "broken.lisp"]).1, Some(0));
    assert_eq!(project.text("broken.lisp"), "(defun broken (x) (+ 1 x))\n");
    let (says, code) = command(&root, &["undo"]);
    assert!(code == Some(0) && says.contains("(lispwright repair, "), "{says}");
    assert_eq!(project.text("broken.lisp"), "(defun broken (x) (+ 1 x\n");
    let (says, code) = command(&root, &["undo", "--change", "1"]);
    assert!(
        code == Some(0) && says.contains("(lispwright fmt, just now, 2 files). As before: a.lisp, sub/b.lisp."),
        "{says}"
    );
    assert_eq!((project.text("a.lisp"), project.text("sub/b.lisp")), (crooked.to_owned(), crooked.to_owned()));
    // The change of a server that lives is undone by its owner, too.
    let mut session = session(project);
    session.ok("lisp_edit_form", json!({ "path": "a.lisp", "operation": "append", "content": "(defun more ())" }));
    let (says, code) = command(&root, &["undo"]);
    assert!(code == Some(0) && says.contains("(lisp_edit_form, "), "{says}");
    assert_eq!(session.project.text("a.lisp"), crooked);
    fs::remove_file(session.project.at("broken.lisp")).unwrap();
    let (says, _) = command(&root, &["rename", "f", "g", "--write"]);
    assert!(says.ends_with("\nlispwright undo takes it back.\n"), "{says}");
    assert_eq!(command(&root, &["undo"]).1, Some(0));
    assert_eq!(command(&root, &["fmt", "--write", "sub/b.lisp"]).1, Some(0));
    let (says, code) = command(&root.join("sub"), &["undo", "--root", ".", "--json"]);
    assert!(code == Some(0) && says.contains("\"lispwright fmt\""), "{says}");
    assert_eq!(session.project.text("sub/b.lisp"), crooked);
}

#[test]
fn two_servers_do_not_undo_what_the_other_has_written() {
    let project = Project::new();
    project.file("a.lisp", TEXT);
    project.file("b.lisp", "(defun b ())\n");
    let mut one = session(project);
    let mut other = server_command(&one.project.root());
    other.args(["--toolsets", "default,refactor"]);
    let mut other = Client::connect(other);
    one.ok("lisp_edit_form", json!({ "path": "a.lisp", "operation": "append", "content": "(defun more ())" }));
    let edit = json!({ "path": "b.lisp", "operation": "append", "content": "(defun c ())" });
    assert!(!other.call("lisp_edit_form", edit).is_error);
    let says = [
        "The last change is that of another process at work: change 2 (lisp_edit_form, ",
        "lisp_undo {\"change\": 2} undoes that one. lisp_undo {\"change\": 1} undoes your last one.",
    ];
    one.refused("lisp_undo", json!({}), "CONFLICT", &says);
    one.ok("lisp_undo", json!({ "change": 1 }));
    assert_eq!(one.project.text("a.lisp"), TEXT);
    assert_eq!(one.project.text("b.lisp"), "(defun b ())\n(defun c ())\n".replacen('\n', "\n\n", 1));
}
