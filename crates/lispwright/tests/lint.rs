//! `lispwright lint` as a user at a shell and a build on a server run it.
#![allow(clippy::unwrap_used, missing_docs)]

mod command;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use command::lispwright;
use serde_json::Value;

const SHAPES: &str = "(defun area (r)\n  (* 3 r))\n\n(defun area (r)\n  (* 4 r))\n";

/// A repository with a problem in it.
fn project() -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    fs::write(project.path().join("a.lisp"), SHAPES).unwrap();
    fs::write(project.path().join("sound.lisp"), "(defun circle (r)\n  (list r))\n").unwrap();
    git(project.path(), &["init"]);
    git(project.path(), &["add", "."]);
    git(project.path(), &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-m", "a"]);
    project
}

fn git(directory: &Path, arguments: &[&str]) {
    let output = Command::new("git").args(arguments).current_dir(directory).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What the command prints; it ends with `code`.
#[track_caller]
fn printed(directory: &Path, arguments: &[&str], code: i32) -> String {
    let output: Output = lispwright(directory, arguments, "");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}{complained}");
    said + &complained
}

#[test]
fn a_problem_is_told_with_its_line_and_the_exit_code_says_that_there_is_one() {
    let project = project();
    let here = project.path();
    let told = printed(here, &["lint"], 1);
    assert!(told.starts_with("a.lisp:4:8: warning: "), "{told}");
    assert!(
        told.contains(" [duplicate-definition]\n    (defun area (r)\n           ^^^^\n1 warning (2 files).\n"),
        "{told}"
    );
    assert_eq!(printed(here, &["lint", "sound.lisp"], 0), "No problems (1 file).\n");
    assert!(printed(here, &["lint", "--rule", "duplicate-definitions"], 2).contains("near it: duplicate-definition"));
    assert!(printed(here, &["lint", "missing.lisp"], 2).contains("missing.lisp: no such file"));
}

#[test]
fn what_is_not_examined_is_named() {
    let project = project();
    let here = project.path();
    fs::write(here.join("broken.lisp"), "(defun f (x)\n  (list x\n\n(defun g () 1)\n(defun g () 2)\n").unwrap();
    fs::write(here.join("notes.txt"), "plain\n").unwrap();
    let told = printed(here, &["lint", "broken.lisp", "notes.txt"], 1);
    assert!(told.starts_with("broken.lisp:5:8: warning: "), "the sound forms are examined: {told}");
    assert!(told.contains("[note] Not examined: broken.lisp: forms that do not balance"), "{told}");
    assert!(told.contains("[note] Not examined: notes.txt: no Lisp"), "{told}");
}

#[test]
fn only_what_is_new_since_a_revision_is_told() {
    let project = project();
    let here = project.path();
    assert!(printed(here, &["lint", "--since", "HEAD"], 0).starts_with("No new problems since HEAD"));
    fs::write(here.join("a.lisp"), format!(";; moved\n\n{SHAPES}(defun circle () 1)\n(defun circle () 2)\n")).unwrap();
    let told = printed(here, &["lint", "--since", "HEAD"], 1);
    assert!(told.starts_with("a.lisp:9:8: warning: ") && told.contains("1 warning since HEAD"), "{told}");
    fs::write(here.join("new.lisp"), SHAPES).unwrap();
    assert!(printed(here, &["lint", "--since", "HEAD", "new.lisp"], 1).starts_with("new.lisp:4:8: "));
    assert!(printed(here, &["lint", "--since", "nowhere"], 2).contains("nowhere"));
}

#[test]
fn other_programs_are_told_in_their_formats() {
    let project = project();
    let here = project.path();
    let told = printed(here, &["lint", "--format", "github"], 1);
    assert!(
        told.starts_with("::warning file=a.lisp,line=4,endLine=4,col=8,endColumn=12,title=duplicate-def"),
        "{told}"
    );
    let document: Value = serde_json::from_str(&printed(here, &["lint", "--format", "json"], 1)).unwrap();
    assert_eq!(document["files"], 2);
    assert_eq!(document["problems"][0]["code"], "duplicate-definition");
    assert_eq!((&document["problems"][0]["line"], &document["problems"][0]["column"]), (&4.into(), &8.into()));
    let fingerprint = || {
        let document: Value = serde_json::from_str(&printed(here, &["lint", "--format", "sarif"], 1)).unwrap();
        let run = &document["runs"][0];
        let result = &run["results"][0];
        let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
        result["partialFingerprints"]["lispwright/v1"].clone()
    };
    let before = fingerprint();
    fs::write(here.join("a.lisp"), format!(";; moved\n\n{SHAPES}")).unwrap();
    assert_eq!(before, fingerprint());
}
