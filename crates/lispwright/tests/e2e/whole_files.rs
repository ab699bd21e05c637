//! Files of any kind as wholes, and the root of the project: the tools of the set `fs`.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, Session, binary, cache, server_command};
use crate::project::{Project, SECRET};

fn session(project: Project) -> Session {
    let mut command = server_command(&project.root());
    command.args(["--toolsets", "fs"]);
    Session { client: Client::connect(command), project }
}

/// A server that was started in `directory` without a root, for a user whose home is elsewhere.
fn unnamed(directory: &Path) -> Client {
    let mut command = std::process::Command::new(binary());
    command.args(["mcp", "--results", "structured", "--toolsets", "fs"]).current_dir(directory);
    for name in ["LISPWRIGHT_ROOT", "MCP_PROJECT_ROOT", "CLAUDE_PROJECT_DIR"] {
        command.env_remove(name);
    }
    command.env("XDG_CACHE_HOME", cache());
    Client::connect(command)
}

fn real(project: &Project) -> String {
    project.root().canonicalize().unwrap().display().to_string()
}

#[test]
fn a_text_is_read_in_parts_by_characters() {
    let project = Project::new();
    project.file("notes.txt", "äöü one\ntwo\n");
    project.file("empty.txt", "");
    project.file("a.lisp", "(defun f () 1)\n(defun g () 2)\n");
    let mut session = session(project);
    let all = session.ok("fs_read_file", json!({ "path": "notes.txt" }));
    assert_eq!((&all.fields["content"], &all.fields["truncated"]), (&json!("äöü one\ntwo\n"), &json!(false)));
    let part = session.ok("fs_read_file", json!({ "path": "notes.txt", "offset": 2, "limit": 5 }));
    assert_eq!((&part.fields["content"], &part.fields["next_offset"]), (&json!("ü one"), &json!(7)));
    for words in ["characters 3 to 7 of 12", "fs_read_file {\"path\": \"notes.txt\", \"offset\": 7, \"limit\": 5}"] {
        assert!(part.text.contains(words), "{}", part.text);
    }
    let rest = session.ok("fs_read_file", json!({ "path": "notes.txt", "offset": 7, "limit": 5 }));
    assert_eq!((&rest.fields["content"], &rest.fields["truncated"]), (&json!("\ntwo\n"), &json!(false)));
    let after = session.ok("fs_read_file", json!({ "path": "notes.txt", "offset": 99 }));
    assert!(after.text.contains("none from offset 99"), "{}", after.text);
    assert!(session.ok("fs_read_file", json!({ "path": "empty.txt" })).text.contains("empty"));
    let lisp = session.ok("fs_read_file", json!({ "path": "a.lisp", "limit": 5 }));
    assert!(lisp.text.contains("lisp_read_file {\"path\": \"a.lisp\"}"), "{}", lisp.text);
}

#[test]
fn new_files_are_written_with_their_directories_and_text_files_replaced() {
    let mut session = session(Project::new());
    let made = session.ok("fs_write_file", json!({ "path": "doc/deep/notes.md", "content": "one\n" }));
    assert_eq!((&made.fields["created"], &made.fields["bytes"]), (&json!(true), &json!(4)), "{}", made.text);
    assert_eq!(session.project.text("doc/deep/notes.md"), "one\n");
    session.project.set_mode("doc/deep/notes.md", 0o600);
    let again = session.ok("fs_write_file", json!({ "path": "doc/deep/notes.md", "content": "two\n" }));
    assert_eq!((&again.fields["created"], &again.fields["changed"]), (&json!(false), &json!(true)));
    assert_eq!(session.project.text("doc/deep/notes.md"), "two\n");
    use std::os::unix::fs::PermissionsExt as _;
    let mode = session.project.at("doc/deep/notes.md").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
    let same = session.ok("fs_write_file", json!({ "path": "doc/deep/notes.md", "content": "two\n" }));
    assert_eq!(same.fields["changed"], false, "{}", same.text);
    // An absolute path in the root is one, too.
    let path = session.project.at("other/b.txt");
    session.ok("fs_write_file", json!({ "path": path, "content": "" }));
    assert_eq!(session.project.text("other/b.txt"), "");
}

#[test]
fn a_lisp_file_is_checked_when_new_and_never_replaced() {
    let mut session = session(Project::new());
    let sound = "(defun f (x)\n  (* x x))\n";
    let made = session.ok("fs_write_file", json!({ "path": "src/a.lisp", "content": sound }));
    assert!(made.text.contains("Created src/a.lisp") && made.text.contains("lisp_edit_form"), "{}", made.text);
    let says = ["src/a.lisp", "lisp_edit_form", "lisp_patch_form", "lisp_read_file {\"path\": \"src/a.lisp\"}"];
    let over = json!({ "path": "src/a.lisp", "content": "(defun f (x) x)\n" });
    session.refused("fs_write_file", over, "WOULD_BREAK", &says);
    assert_eq!(session.project.text("src/a.lisp"), sound);
    // The text that is there is no change.
    session.ok("fs_write_file", json!({ "path": "src/a.lisp", "content": sound }));
    let broken = json!({ "path": "src/b.lisp", "content": "(defun f (x)\n (list \"x)\n" });
    session.refused("fs_write_file", broken, "UNBALANCED", &["src/b.lisp"]);
    let repaired = session.ok("fs_write_file", json!({ "path": "c.lisp", "content": "(defun f (x)\n  (list x)\n" }));
    assert!(!repaired.fields["repair"].is_null(), "{}", repaired.text);
    assert_eq!(session.project.text("c.lisp"), "(defun f (x)\n  (list x))\n");
    session.ok("fs_write_file", json!({ "path": "d.lisp", "content": ";; nothing yet\n" }));
    assert_eq!(session.project.text("d.lisp"), ";; nothing yet\n");
}

#[test]
fn a_directory_is_listed_without_what_is_hidden_or_compiled() {
    let project = Project::new();
    for name in ["b.lisp", "a/x.lisp", ".git/config", "b.fasl", "c.txt"] {
        project.file(name, "1");
    }
    project.link("out", "..");
    let mut session = session(project);
    let listed = session.ok("fs_list_directory", json!({ "path": "." }));
    let entry = |name: &str, kind: &str| json!({ "name": name, "type": kind });
    let expected =
        json!([entry("a", "directory"), entry("b.lisp", "file"), entry("c.txt", "file"), entry("out", "link")]);
    assert_eq!(listed.fields["entries"], expected);
    assert!(listed.text.contains("1 hidden one and 1 compiled file are left out"), "{}", listed.text);
    let hidden = session.ok("fs_list_directory", json!({ "show_hidden": true, "limit": 2 }));
    assert_eq!(hidden.fields["entries"], json!([entry(".git", "directory"), entry("a", "directory")]));
    assert!(hidden.text.contains("\"offset\": 2"), "{}", hidden.text);
    let last = session.ok("fs_list_directory", json!({ "show_hidden": true, "limit": 2, "offset": 4 }));
    assert_eq!((&last.fields["entries"], &last.fields["truncated"]), (&json!([entry("out", "link")]), &json!(false)));
    session.refused("fs_list_directory", json!({ "path": "b.lisp" }), "BAD_ARGUMENT", &["b.lisp"]);
}

#[test]
fn nothing_outside_is_read_listed_or_written() {
    let project = Project::new();
    project.link("file.txt", "../secret.lisp");
    project.link("absolute.txt", project.beside("secret.lisp"));
    project.link("up", "..");
    project.link("dangling", "../new.txt");
    let beside = project.beside("secret.lisp").display().to_string();
    let mut session = session(project);
    let paths = ["file.txt", "absolute.txt", "up/secret.lisp", "up/new/a.txt", "../new/a.txt", "/etc/passwd", &beside];
    for path in paths {
        session.refused("fs_read_file", json!({ "path": path }), "OUTSIDE_ROOT", &[path, "--root"]);
        session.refused("fs_write_file", json!({ "path": path, "content": "x" }), "OUTSIDE_ROOT", &[path, "--root"]);
    }
    session.refused("fs_write_file", json!({ "path": "dangling", "content": "x" }), "OUTSIDE_ROOT", &["dangling"]);
    for path in ["up", "..", "/", "/etc"] {
        session.refused("fs_list_directory", json!({ "path": path }), "OUTSIDE_ROOT", &[path]);
    }
    for (path, content) in [("up", "x"), ("", "x"), ("a/../../b.txt", "x")] {
        let answer = session.client.call("fs_write_file", json!({ "path": path, "content": content }));
        assert!(answer.is_error, "{path}: {}", answer.text);
    }
    assert_eq!(std::fs::read_to_string(session.project.beside("secret.lisp")).unwrap(), SECRET);
    assert!(!session.project.beside("new").exists() && !session.project.beside("b.txt").exists());
}

#[test]
fn read_only_takes_away_what_writes_or_sets() {
    let project = Project::new();
    project.file("a.txt", "a");
    let mut command = server_command(&project.root());
    command.args(["--toolsets", "fs", "--read-only"]);
    let mut client = Client::connect(command);
    for (tool, arguments) in [
        ("fs_read_file", json!({ "path": "a.txt" })),
        ("fs_list_directory", json!({})),
        ("fs_get_project_info", json!({})),
    ] {
        assert!(!client.call(tool, arguments).is_error, "{tool}");
    }
    for (tool, arguments) in [
        ("fs_write_file", json!({ "path": "b.txt", "content": "" })),
        ("fs_set_project_root", json!({ "path": project.root() })),
    ] {
        let answer = client.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    assert_eq!(project.names(), ["a.txt"]);
}

#[test]
fn a_named_root_is_not_left_by_a_call() {
    let (project, other) = (Project::new(), Project::new());
    project.file("inner/a.lisp", "(defun f () 1)\n");
    let mut session = session(project);
    let root = real(&session.project);
    let told = session.ok("fs_get_project_info", json!({}));
    let expected =
        [("project_root", root.as_str()), ("cwd", &root), ("project_root_source", "explicit"), ("relative_cwd", ".")];
    for (field, value) in expected {
        assert_eq!(told.fields[field], value, "{}", told.fields);
    }
    let same = session.ok("fs_set_project_root", json!({ "path": root }));
    assert!(same.text.contains("as before"), "{}", same.text);
    let inner = session.ok("fs_set_project_root", json!({ "path": session.project.at("inner") }));
    assert!(inner.text.contains("stays") && inner.text.contains("begin with inner/"), "{}", inner.text);
    for path in [other.root().display().to_string(), "/".into(), "..".into()] {
        session.refused("fs_set_project_root", json!({ "path": path }), "OUTSIDE_ROOT", &["--root", &root]);
    }
}

#[test]
fn a_root_that_nobody_named_is_set_by_a_call() {
    let (first, second) = (Project::new(), Project::new());
    first.file("a.lisp", "(defun here ())\n");
    second.file("a.lisp", "(defun there ())\n");
    let mut client = unnamed(&first.root());
    assert_eq!(client.call("fs_get_project_info", json!({})).fields["project_root_source"], "guess");
    assert!(client.call("lisp_read_file", json!({ "path": "a.lisp" })).text.contains("defun here"));
    let set = client.call("fs_set_project_root", json!({ "path": second.root() }));
    assert!(!set.is_error, "{}", set.text);
    assert_eq!(
        (&set.fields["project_root"], &set.fields["previous_root"]),
        (&json!(real(&second)), &json!(real(&first)))
    );
    assert!(client.call("lisp_read_file", json!({ "path": "a.lisp" })).text.contains("defun there"));
    let outside = client.call("lisp_read_file", json!({ "path": first.at("a.lisp") }));
    assert_eq!(outside.fields["code"], "OUTSIDE_ROOT", "the earlier root is left: {}", outside.text);
    for path in ["/", "/tmp", "/nowhere", "a.lisp"] {
        let refused = client.call("fs_set_project_root", json!({ "path": path }));
        assert!(refused.is_error && refused.text.contains(path), "{}", refused.text);
    }
    assert!(client.call("lisp_read_file", json!({ "path": "a.lisp" })).text.contains("defun there"));
    // An image has its state in the root that it was started in.
    assert_eq!(client.call("repl_eval", json!({ "code": "(+ 1 2)" })).fields["values"], json!(["3"]));
    let refused = client.call("fs_set_project_root", json!({ "path": first.root() }));
    assert_eq!(refused.fields["code"], "CONFLICT", "{}", refused.text);
    assert!(refused.text.contains("repl_control {\"action\": \"kill\"}"), "{}", refused.text);
    client.call("repl_control", json!({ "action": "kill" }));
    let set = client.call("fs_set_project_root", json!({ "path": first.root() }));
    assert!(!set.is_error, "{}", set.text);
    let ran = client.call("repl_eval", json!({ "code": "(namestring *default-pathname-defaults*)" }));
    assert!(ran.text.contains(&real(&first)), "{}", ran.text);
}

#[test]
fn confined_images_hold_the_root() {
    let (project, other) = (Project::new(), Project::new());
    let mut command = std::process::Command::new(binary());
    command.args(["mcp", "--results", "structured", "--toolsets", "fs", "--sandbox"]).current_dir(project.root());
    for name in ["LISPWRIGHT_ROOT", "MCP_PROJECT_ROOT", "CLAUDE_PROJECT_DIR"] {
        command.env_remove(name);
    }
    command.env("XDG_CACHE_HOME", cache());
    let mut client = Client::connect(command);
    let refused = client.call("fs_set_project_root", json!({ "path": other.root() }));
    assert_eq!(refused.fields["code"], "OUTSIDE_ROOT", "{}", refused.text);
    assert!(refused.text.contains("--sandbox"), "{}", refused.text);
    let told: Value = client.call("fs_get_project_info", json!({})).fields;
    assert_eq!(told["project_root"], real(&project));
}
