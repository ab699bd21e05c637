//! `lispwright fmt` at a terminal.
#![allow(clippy::unwrap_used, missing_docs)]

mod command;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use command::lispwright;

const FLAT: &str = "(defun f (x)\n(when x\n(print x)))\n";
const LAID: &str = "(defun f (x)\n  (when x\n    (print x)))\n";

fn fmt(directory: &Path, arguments: &[&str], input: &str) -> Output {
    lispwright(directory, &[&["fmt"], arguments].concat(), input)
}

fn project() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("flat.lisp"), FLAT).unwrap();
    fs::write(directory.path().join("laid.lisp"), LAID).unwrap();
    directory
}

#[track_caller]
fn check(output: &Output, code: i32, stdout: &str, stderr: &str) {
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains(stderr), "{told}");
    assert_eq!(output.status.code(), Some(code));
}

#[test]
fn the_new_text_is_printed_checked_shown_or_written() {
    let project = project();
    let flat = project.path().join("flat.lisp");
    check(&fmt(project.path(), &["flat.lisp"], ""), 0, LAID, "");
    check(&fmt(project.path(), &["-"], FLAT), 0, LAID, "");
    let found = "flat.lisp:2: not laid out: 2 lines\n1 of 2 files laid out.\n";
    check(&fmt(project.path(), &["--check", "."], ""), 1, found, "");
    let diff = fmt(project.path(), &["--diff", "flat.lisp"], "");
    assert!(String::from_utf8_lossy(&diff.stdout).contains("-(when x\n-(print x)))\n+  (when x\n+    (print x)))\n"));
    assert_eq!(diff.status.code(), Some(1));
    assert_eq!(fs::read_to_string(&flat).unwrap(), FLAT);
    let written = "flat.lisp:2: laid out: 2 lines\n1 of 2 files written.\n";
    check(&fmt(project.path(), &["--write", "flat.lisp", "laid.lisp"], ""), 0, written, "");
    assert_eq!(fs::read_to_string(&flat).unwrap(), LAID);
    check(&fmt(project.path(), &["--check", "."], ""), 0, "2 of 2 files laid out.\n", "");
}

#[test]
fn only_some_lines_are_laid_out() {
    let project = project();
    check(&fmt(project.path(), &["--lines", "2:2", "flat.lisp"], ""), 0, "(defun f (x)\n  (when x\n(print x)))\n", "");
    let git = |arguments: &[&str]| {
        let done = Command::new("git").current_dir(project.path()).args(arguments).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["-c", "user.email=a@b.c", "-c", "user.name=A", "commit", "-qm", "One"]);
    fs::write(project.path().join("flat.lisp"), format!("{FLAT}\n(defun g (x)\n(f x))\n")).unwrap();
    let laid = format!("{FLAT}\n(defun g (x)\n  (f x))\n");
    check(&fmt(project.path(), &["--since", "HEAD", "flat.lisp"], ""), 0, &laid, "");
}

#[test]
fn what_cannot_be_laid_out_is_named() {
    let project = project();
    check(&fmt(project.path(), &["-"], "(f\n(g)\n"), 1, "", "<stdin>:1:1: does not balance");
    check(&fmt(project.path(), &["."], ""), 2, "", "several files: say --check, --diff or --write");
    check(&fmt(project.path(), &["--check", "none.lisp"], ""), 2, "0 of 0 files laid out.\n", "none.lisp");
    let document = fmt(project.path(), &["--check", "--json", "."], "");
    let document: serde_json::Value = serde_json::from_slice(&document.stdout).unwrap();
    assert_eq!((&document["ok"], &document["files"][0]["changed"]), (&false.into(), &true.into()));
}

#[test]
fn the_style_of_the_project_is_taken() {
    let project = project();
    let text = "(defun a (x)\n   (if x\n     1\n     2))\n\n(defun b (x)\n   (if x\n     1\n     2))\n\n(defun c (x)\n   (if x\n     1\n     2))\n";
    fs::write(project.path().join("own.lisp"), text).unwrap();
    check(&fmt(project.path(), &["own.lisp"], ""), 0, text, "");
    fs::write(project.path().join("lispwright.toml"), "[fmt]\nstyle = \"emacs\"\n").unwrap();
    let by_rule = text.replace("   (if", "  (if").replace("     1", "      1").replace("     2", "      2");
    check(&fmt(project.path(), &["own.lisp"], ""), 0, &by_rule, "");
    check(&fmt(project.path(), &["--style", "learned", "own.lisp"], ""), 0, text, "");
}

#[test]
fn the_examples_are_laid_out() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let answer = fmt(&examples, &["--check", "."], "");
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stdout));
}
