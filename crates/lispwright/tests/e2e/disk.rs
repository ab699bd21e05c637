//! Files that cannot be written: no room, or no permission.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::client::{Client, Session, binary, cache, server_command};
use crate::project::Project;

/// The server for `root`, started by `wrapper` and then `sh` after `setup`.
fn server_after(wrapper: &[&str], setup: &str, root: &Path) -> Command {
    let server = server_command(root);
    let words: Vec<_> =
        wrapper.iter().map(std::ffi::OsStr::new).chain(["sh", "-c"].map(std::ffi::OsStr::new)).collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg(format!("{setup}\nexec \"$@\"")).arg("sh");
    command.arg(server.get_program()).args(server.get_args()).env("PROJECT", root).env("XDG_CACHE_HOME", cache());
    command
}

/// A new version that does not fit is refused, one that fits is written.
#[track_caller]
fn check_full(client: &mut Client, read_back: impl Fn(&mut Client) -> String) {
    let before = read_back(client);
    let long = format!("(defun f () \"{}\")", "x".repeat(200_000));
    let answer = client
        .call("lisp_edit_form", json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": long }));
    assert!(answer.is_error, "{}", answer.text);
    assert_eq!(
        (&answer.fields["code"], &answer.fields["retryable"]),
        (&json!("LIMIT"), &json!(true)),
        "{}",
        answer.text
    );
    for part in ["a.lisp", "no space", "unchanged"] {
        assert!(answer.text.contains(part), "{:?} does not say {part:?}", answer.text);
    }
    assert_eq!(read_back(client), before);
    let answer = client.call(
        "lisp_edit_form",
        json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": "(defun f () :short)" }),
    );
    assert!(!answer.is_error, "{}", answer.text);
    assert!(read_back(client).contains(":short"));
}

fn form(client: &mut Client) -> String {
    client.call("lisp_read_form", json!({ "path": "a.lisp", "name": "f" })).text
}

/// Shell words after which no file can grow beyond a few kilobytes.
const SMALL_FILES: &str = "trap '' XFSZ; ulimit -f 16 || exit 99";

#[test]
fn a_file_size_limit() {
    let project = Project::new();
    project.file("a.lisp", "(defun f () 1)\n");
    let mut client = Client::connect(server_after(&["env"], SMALL_FILES, &project.root()));
    check_full(&mut client, form);
    assert_eq!(project.text("a.lisp"), "(defun f () :short)\n");
    assert_eq!(project.names(), ["a.lisp"]);
}

/// Whether this machine allows private mounts.
fn mounts_are_possible(root: &Path) -> bool {
    Command::new("unshare")
        .args(["--mount", "--map-root-user", "mount", "-t", "tmpfs", "none"])
        .arg(root)
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[test]
fn a_full_disk() {
    let project = Project::new();
    project.file("a.lisp", "(defun f () :outer)\n");
    if !mounts_are_possible(&project.root()) {
        // Without private mounts, a file size limit takes the place of a full disk.
        let mut client = Client::connect(server_after(&["env"], SMALL_FILES, &project.root()));
        return check_full(&mut client, form);
    }
    let setup = "mount -t tmpfs -o size=64k none \"$PROJECT\" && echo '(defun f () 1)' >\"$PROJECT/a.lisp\" || exit 99";
    let mut client = Client::connect(server_after(&["unshare", "--mount", "--map-root-user"], setup, &project.root()));
    check_full(&mut client, form);
    assert_eq!(project.text("a.lisp"), "(defun f () :outer)\n");
}

#[test]
fn a_read_only_directory() {
    let project = Project::new();
    project.file("a.lisp", "(defun f () 1)\n");
    project.set_mode("a.lisp", 0o666);
    project.set_mode("", 0o555);
    let mut command = if rustix::process::geteuid().is_root() {
        // The superuser may write everywhere, so the server runs as nobody, in a directory that nobody can reach.
        let copy = project.beside("lispwright");
        std::fs::copy(binary(), &copy).unwrap();
        std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = Command::new(copy);
        command.args(["mcp", "--results", "structured", "--root"]).arg(project.root());
        command.uid(65534).gid(65534).current_dir("/").env("HOME", "/nonexistent");
        command
    } else {
        server_command(&project.root())
    };
    command.env("XDG_CACHE_HOME", project.beside("cache"));
    let client = Client::connect(command);
    let mut session = Session { project, client };
    session.refused(
        "lisp_edit_form",
        json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": "(defun f () 2)" }),
        "READ_ONLY",
        &["a.lisp", "directory", "chmod"],
    );
    session.refused(
        "lisp_patch_form",
        json!({ "path": "a.lisp", "name": "f", "old_text": "1", "new_text": "2" }),
        "READ_ONLY",
        &["a.lisp", "directory"],
    );
    session.ok("lisp_read_form", json!({ "path": "a.lisp", "name": "f" }));
    session.project.set_mode("", 0o755);
}

#[test]
fn a_read_only_file() {
    let mut session = Session::with_file("a.lisp", "(defun f () 1)\n");
    session.project.set_mode("a.lisp", 0o444);
    session.refused(
        "lisp_edit_form",
        json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": "(defun f () 2)" }),
        "READ_ONLY",
        &["a.lisp", "chmod u+w"],
    );
}
