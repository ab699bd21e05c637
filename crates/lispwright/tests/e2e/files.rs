//! Unusual files: other encodings, binary files, long files, directories and devices.

use std::fs::File;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use crate::client::Session;
use crate::project::Project;

/// Replacing the form `f` by `content` turns `before` into `after`, byte for byte.
#[track_caller]
fn check_bytes(before: &[u8], content: &str, after: &[u8]) {
    let mut session = Session::with_file("a.lisp", before);
    session.project.set_mode("a.lisp", 0o755);
    session.ok("lisp_edit_form", json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": content }));
    assert_eq!(session.project.bytes("a.lisp"), after);
    use std::os::unix::fs::PermissionsExt as _;
    let mode = session.project.at("a.lisp").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o755);
    assert_eq!(session.project.names(), ["a.lisp"]);
}

#[test]
fn only_the_bytes_of_the_form_change() {
    check_bytes(
        b";; caf\xE9\n(defun f () \"\xFC\")\n(g)\n",
        "(defun f () \"é\")",
        b";; caf\xE9\n(defun f () \"\xE9\")\n(g)\n",
    );
    check_bytes(
        b"(defun e ()\r\n  1)\r\n\r\n(defun f ()\r\n  2)\r\n\r\n(g) ; end\r\n",
        "(defun f ()\n  ;; new\n  3)",
        b"(defun e ()\r\n  1)\r\n\r\n(defun f ()\r\n  ;; new\r\n  3)\r\n\r\n(g) ; end\r\n",
    );
    check_bytes(b"\xEF\xBB\xBF(defun f () 1)\n(g)", "(defun f () 2)", b"\xEF\xBB\xBF(defun f () 2)\n(g)");
    check_bytes(
        "\t;; λ\n\x0C\n(defun f () 1) ; trailing\n".as_bytes(),
        "(defun f () 'λ)",
        "\t;; λ\n\x0C\n(defun f () 'λ) ; trailing\n".as_bytes(),
    );
}

#[test]
fn a_latin1_file_takes_no_other_characters() {
    let mut session = Session::with_file("a.lisp", b";; caf\xE9\n(defun f () 1)\n");
    session.refused(
        "lisp_edit_form",
        json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": "(defun f () \"λ\")" }),
        "BAD_ARGUMENT",
        &["a.lisp", "Latin-1", "U+03BB", "UTF-8"],
    );
    let read = session.ok("lisp_read_file", json!({ "path": "a.lisp", "collapsed": false }));
    assert!(read.text.contains("café"), "{}", read.text);
}

#[test]
fn an_empty_file() {
    let mut session = Session::with_file("a.lisp", "");
    let read = session.ok("lisp_read_file", json!({ "path": "a.lisp" }));
    assert_eq!(read.fields["total_forms"], 0, "{}", read.fields);
    assert!(read.text.contains("0 forms"), "{}", read.text);
    let check = session.ok("lisp_check_parens", json!({ "path": "a.lisp" }));
    assert_eq!(check.fields["ok"], true);
    session.refused("lisp_read_form", json!({ "path": "a.lisp", "name": "f" }), "FORM_NOT_FOUND", &["a.lisp", "f"]);
    session.ok("lisp_edit_form", json!({ "path": "a.lisp", "operation": "append", "content": "(defun f () 1)" }));
    assert_eq!(session.project.text("a.lisp"), "(defun f () 1)\n");
}

/// Every tool that takes a path refuses this one with `code`, says each of `says`, and changes nothing.
#[track_caller]
fn check_refused(session: &mut Session, path: &str, code: &str, says: &[&str]) {
    check_refused_as_missing(session, path, code, says);
    session.refused("lisp_edit_form", append(path), code, says);
}

fn append(path: &str) -> Value {
    json!({ "path": path, "operation": "append", "content": "(defun g () 2)" })
}

/// The same for all tools but the one that creates missing files.
#[track_caller]
fn check_refused_as_missing(session: &mut Session, path: &str, code: &str, says: &[&str]) {
    let calls: [(&str, Value); 5] = [
        ("lisp_read_file", json!({ "path": path })),
        ("lisp_check_parens", json!({ "path": path })),
        ("lisp_read_form", json!({ "path": path, "name": "f" })),
        ("lisp_edit_form", json!({ "path": path, "operation": "replace", "name": "f", "content": "(defun f () 2)" })),
        ("lisp_patch_form", json!({ "path": path, "name": "f", "old_text": "1", "new_text": "2" })),
    ];
    for (tool, arguments) in calls {
        session.refused(tool, arguments, code, says);
    }
}

#[test]
fn files_that_do_not_exist() {
    let mut session = Session::with_file("src/shapes.lisp", "(defun f () 1)\n");
    let says = ["src/shaeps.lisp", "src/shapes.lisp"];
    check_refused_as_missing(&mut session, "src/shaeps.lisp", "FILE_NOT_FOUND", &says);
    let made = session.ok("lisp_edit_form", append("src/shaeps.lisp"));
    assert!(made.text.contains("a new file. Of a similar name: src/shapes.lisp."), "{}", made.text);
    check_refused(&mut session, "scr/shapes.lisp", "FILE_NOT_FOUND", &["scr", "src"]);
}

#[test]
fn directories_pipes_and_devices() {
    let project = Project::new();
    project.file("src/a.lisp", "(defun f () 1)\n");
    mknodat(CWD, project.at("fifo.lisp"), FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(project.at("socket.lisp")).unwrap();
    let mut session = Session::on(project);
    check_refused(&mut session, "src", "BAD_ARGUMENT", &["src", "directory", "src/a.lisp"]);
    check_refused(&mut session, "fifo.lisp", "BAD_ARGUMENT", &["fifo.lisp", "FIFO"]);
    check_refused(&mut session, "socket.lisp", "BAD_ARGUMENT", &["socket.lisp", "socket"]);
    check_refused(&mut session, "", "BAD_ARGUMENT", &["path"]);
}

#[test]
fn paths_and_links_out_of_the_root() {
    let project = Project::new();
    project.link("file.lisp", "../secret.lisp");
    project.link("absolute.lisp", project.beside("secret.lisp"));
    project.link("up", "..");
    project.link("device.lisp", "/dev/zero");
    let beside = project.beside("secret.lisp").display().to_string();
    let mut session = Session::on(project);
    for path in
        ["file.lisp", "absolute.lisp", "up/secret.lisp", "device.lisp", "../secret.lisp", "/etc/passwd", &beside]
    {
        check_refused(&mut session, path, "OUTSIDE_ROOT", &[path, "--root"]);
    }
}

#[test]
fn links_inside_the_root_lead_to_their_file() {
    let project = Project::new();
    project.file("src/a.lisp", "(defun f () 1)\n");
    project.link("link.lisp", "src/a.lisp");
    project.link("dir", "src");
    let mut session = Session::on(project);
    for (path, content) in [("link.lisp", "(defun f () 2)"), ("dir/a.lisp", "(defun f () 3)")] {
        session.ok("lisp_edit_form", json!({ "path": path, "operation": "replace", "name": "f", "content": content }));
        assert_eq!(session.project.text("src/a.lisp"), format!("{content}\n"));
    }
    assert!(session.project.at("link.lisp").is_symlink());
}

#[test]
fn long_and_binary_files() {
    let project = Project::new();
    File::create(project.at("long.lisp")).unwrap().set_len(200 * 1024 * 1024).unwrap();
    project.file("binary.lisp", b"\x7FELF\x02\x01\0\0(defun f () 1)");
    project.file("utf16.lisp", b"\xFF\xFE(\0f\0)\0");
    let mut session = Session::on(project);
    check_refused(&mut session, "long.lisp", "TOO_LARGE", &["long.lisp", "209715200", "16"]);
    check_refused(&mut session, "binary.lisp", "NOT_TEXT", &["binary.lisp", "zero byte"]);
    check_refused(&mut session, "utf16.lisp", "NOT_TEXT", &["utf16.lisp", "UTF-16"]);
}

#[test]
fn a_million_nested_parentheses() {
    let depth = 1_000_000;
    let nest = format!("{}{}\n", "(".repeat(depth), ")".repeat(depth));
    let open = format!("{}\n", "(".repeat(depth));
    let project = Project::new();
    project.file("nest.lisp", format!("(defun f () 1)\n{nest}(defun g () 2)\n"));
    project.file("open.lisp", &open);
    let mut session = Session::on(project);
    let before = session.project.snapshot();
    for path in ["nest.lisp", "open.lisp"] {
        let check = session.client.call("lisp_check_parens", json!({ "path": path }));
        assert!(check.text.contains(path) && check.text.len() < 45_000, "{} bytes", check.text.len());
        let read = session.client.call("lisp_read_file", json!({ "path": path }));
        assert!(read.text.len() < 45_000, "{} bytes", read.text.len());
    }
    let check = session.client.call("lisp_check_parens", json!({ "path": "open.lisp" }));
    assert_eq!(check.fields["ok"], false, "{}", check.text);
    let check = session.client.call("lisp_check_parens", json!({ "code": open }));
    assert_eq!(check.fields["ok"], false, "{}", check.text);
    assert_eq!(session.project.snapshot(), before);
    // The forms around it are accessible as before.
    let read = session.ok("lisp_read_form", json!({ "path": "nest.lisp", "name": "g" }));
    assert!(read.text.contains("(defun g () 2)"), "{}", read.text);
    let content = session
        .client
        .call("lisp_edit_form", json!({ "path": "nest.lisp", "operation": "replace", "name": "f", "content": open }));
    assert!(content.is_error, "{}", content.text);
    assert_eq!(session.project.snapshot(), before);
}
