//! `lispwright repair` at a terminal.
#![allow(clippy::unwrap_used, missing_docs)]

mod command;

use std::fs;
use std::path::Path;
use std::process::Output;

use command::lispwright;

const BROKEN: &str = "(defun f (x)\n  (when x\n    (print x))\n\n(defun g () 1)\n";
const WHOLE: &str = "(defun f (x)\n  (when x\n    (print x)))\n\n(defun g () 1)\n";

fn repair(directory: &Path, arguments: &[&str], input: &str) -> Output {
    lispwright(directory, &[&["repair"], arguments].concat(), input)
}

fn project() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("broken.lisp"), BROKEN).unwrap();
    fs::write(directory.path().join("whole.lisp"), WHOLE).unwrap();
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
fn a_certain_fault_is_repaired_and_reported() {
    let project = project();
    check(&repair(project.path(), &["broken.lisp"], ""), 0, WHOLE, "broken.lisp:3:15: added `)`");
    check(&repair(project.path(), &["--against", "whole.lisp", "-"], BROKEN), 0, WHOLE, "added `)`");
    let diff = repair(project.path(), &["--diff", "broken.lisp"], "");
    assert!(String::from_utf8_lossy(&diff.stdout).contains("-    (print x))\n+    (print x)))\n"));
    assert_eq!(fs::read_to_string(project.path().join("broken.lisp")).unwrap(), BROKEN);
    check(&repair(project.path(), &["--write", "broken.lisp"], ""), 0, "", "added `)`");
    assert_eq!(fs::read_to_string(project.path().join("broken.lisp")).unwrap(), WHOLE);
}

#[test]
fn balanced_text_is_left_alone() {
    let project = project();
    check(&repair(project.path(), &["whole.lisp"], ""), 0, WHOLE, "");
    check(&repair(project.path(), &["--write", "whole.lisp"], ""), 0, "", "nothing to do");
    assert_eq!(fs::read_to_string(project.path().join("whole.lisp")).unwrap(), WHOLE);
}

#[test]
fn an_uncertain_fault_is_refused_with_candidates() {
    let project = project();
    check(&repair(project.path(), &["--dialect", "cl", "-"], "(a (b c (d\n"), 1, "", "line 1");
    let document = repair(project.path(), &["--json", "--dialect", "cl", "-"], "(a (b c (d\n");
    let document: serde_json::Value = serde_json::from_slice(&document.stdout).unwrap();
    assert_eq!((&document["ok"], &document["status"]), (&false.into(), &"refused".into()));
    assert_eq!(document["position"]["line"], 1);
    assert!(!document["likely_fixes"].as_array().unwrap().is_empty());
}

#[test]
fn failures_to_read_or_write_are_reported() {
    let project = project();
    check(&repair(project.path(), &["none.lisp"], ""), 2, "", "none.lisp: no such file");
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("broken.lisp");
    fs::write(&file, BROKEN).unwrap();
    check(&repair(project.path(), &["--write", file.to_str().unwrap()], ""), 2, "", "outside");
    assert_eq!(fs::read_to_string(&file).unwrap(), BROKEN);
}
