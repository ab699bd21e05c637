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

#[test]
fn a_directory_that_ignore_files_leave_out_is_not_taken_for_sound() {
    let project = project();
    let here = project.path();
    fs::create_dir(here.join("build")).unwrap();
    fs::rename(here.join("a.lisp"), here.join("build/a.lisp")).unwrap();
    fs::write(here.join(".gitignore"), "build/\n").unwrap();
    let left_out =
        "[note] Not examined: build: left out by an ignore file; --root takes such a directory for a project.\n";
    assert_eq!(printed(here, &["lint"], 0), "No problems (1 file).\n");
    assert_eq!(printed(here, &["lint", "build"], 0), format!("No problems (0 files).\n{left_out}"));
    assert!(printed(here, &["lint", "--root", "build"], 1).contains("[duplicate-definition]"));
    let not_looked_into = "[note] Not looked into: build, as ignore files say.\n";
    assert_eq!(
        printed(here, &["unused", "build"], 0),
        format!("Nothing is defined there (0 definitions in 0 files).\n{not_looked_into}")
    );
    assert_eq!(printed(here, &["map", "build"], 0), format!("There is no Lisp file.\n{not_looked_into}"));
    fs::remove_file(here.join("sound.lisp")).unwrap();
    assert_eq!(printed(here, &["lint"], 0), format!("No problems (0 files).\n{left_out}"));
}

#[test]
fn a_project_says_which_rules_it_wants() {
    let project = project();
    let here = project.path();
    let configure = |text: &str| fs::write(here.join("lispwright.toml"), text).unwrap();
    configure("[lint]\nrules = { duplicate-definition = \"off\" }\n");
    assert!(printed(here, &["lint"], 0).starts_with("No problems (2 files)."));
    assert!(printed(here, &["lint", "--rule", "duplicate-definition"], 1).contains("warning: "), "it is asked for");
    configure("[lint]\nrules = { duplicate-definition = \"hint\" }\n");
    assert!(printed(here, &["lint"], 0).contains("a.lisp:4:8: hint: "), "a hint is no failure");
    configure("[lint]\nexclude = [\"a.lisp\"]\n");
    assert!(printed(here, &["lint"], 0).starts_with("No problems (1 file)."));
    configure("[lint]\nrules = { duplicate-definitions = \"off\" }\n");
    assert!(printed(here, &["check", "a.lisp"], 2).contains("[lint] there is no rule `duplicate-definitions`"));
}

#[test]
fn what_is_switched_off_for_clj_kondo_is_not_told() {
    let project = tempfile::tempdir().unwrap();
    let here = project.path();
    fs::create_dir(here.join(".clj-kondo")).unwrap();
    fs::write(here.join("a.clj"), "(ns a)\n(defn f [x] x)\n(defn f [x] (f x x))\n(defn g [] (f))\n").unwrap();
    let told = printed(here, &["lint"], 1);
    assert!(told.contains("duplicate-definition") && told.contains("2 errors"), "{told}");
    let config = "{:linters {:redefined-var {:level :off} :invalid-arity {:level :info}}\n\
                  :config-in-ns {b {:linters {:invalid-arity {:level :off}}}}}";
    fs::write(here.join(".clj-kondo/config.edn"), config).unwrap();
    fs::write(here.join("b.clj"), "(ns b)\n(defn f [x] x)\n(f)\n").unwrap();
    let told = printed(here, &["lint"], 0);
    assert!(told.contains("a.clj:3:") && told.contains("a.clj:4:") && told.contains("hint"), "{told}");
    assert!(!told.contains("duplicate-definition") && !told.contains("b.clj"), "{told}");
    // What the project says to this program goes before.
    fs::write(here.join("lispwright.toml"), "[lint.rules]\nduplicate-definition = \"on\"\n").unwrap();
    assert!(printed(here, &["lint"], 1).contains("duplicate-definition"));
}

#[test]
fn a_macro_is_like_the_one_that_clj_kondo_is_told_of() {
    let project = tempfile::tempdir().unwrap();
    let here = project.path();
    let text = "(ns a\n  (:require [lib.core :refer [defthing letting]]))\n\n(defthing widget [size]\n  size)\n\n(defn f [rows]\n  \
                (letting [x (first rows)\n            y]\n    (widget x y)))\n";
    fs::write(here.join("a.clj"), text).unwrap();
    assert!(printed(here, &["lint"], 0).contains("No problems"));
    fs::create_dir(here.join(".clj-kondo")).unwrap();
    let config = "{:lint-as {lib.core/letting clojure.core/let\n lib.core/defthing clojure.core/defn\n lib.core/let clojure.core/fn}}";
    fs::write(here.join(".clj-kondo/config.edn"), config).unwrap();
    let told = printed(here, &["lint"], 1);
    assert!(told.contains("a.clj:9:13: error: this name of `let` has no value [odd-pairs]"), "{told}");
    assert!(printed(here, &["refs", "widget"], 0).starts_with("1 use of widget:"));
    // What the language itself knows of a head stays.
    fs::write(here.join("a.clj"), "(ns a)\n\n(defn f [x]\n  (let [y x]\n    y))\n").unwrap();
    assert!(printed(here, &["lint"], 0).contains("No problems"));
}

#[test]
fn what_a_module_or_an_old_library_may_give_is_not_told() {
    let project = tempfile::tempdir().unwrap();
    let here = project.path();
    let requiring = |module: &str| {
        fs::write(here.join("a.rkt"), format!("#lang racket\n(require {module})\n(permutations 3 2)\n")).unwrap();
    };
    requiring("racket/list");
    assert!(printed(here, &["lint"], 1).contains("`permutations` takes 1 argument"));
    requiring("shop/numbers");
    assert!(printed(here, &["lint"], 0).contains("No problems"), "nobody knows what the module gives");
    fs::write(
        here.join("numbers.rkt"),
        "#lang racket/base\n(provide permutations)\n(define (permutations n k) (list n k))\n",
    )
    .unwrap();
    assert!(printed(here, &["lint"], 0).contains("No problems"));
    let lisp = |require: &str| {
        let text = format!(
            ";;; -*- lexical-binding: t -*-\n(require '{require})\n(defun kind (x) (etypecase x (integer 1)))\n"
        );
        fs::write(here.join("b.el"), text).unwrap();
    };
    lisp("cl-lib");
    assert!(printed(here, &["lint"], 1).contains("nobody defines `etypecase`"));
    lisp("cl");
    assert!(printed(here, &["lint"], 0).contains("No problems"));
}

/// Code of public projects in which nothing is wrong.
#[test]
fn what_is_sound_is_not_told() {
    for (name, text) in [
        (
            "a.lisp",
            "(defpackage :a (:use))\n(in-package :a)\n(cl:defmacro each ((name list) cl:&optional step cl:&body body)\n  \
             `(cl:list ,name ,list ,step ,@body))\n(cl:defun f (x) (each (y x)) (each (y x) 1 2 3))\n",
        ),
        (
            "b.lisp",
            "(in-package :cl-user)\n(defun f (table)\n  (with-hash-table-iterator (next table)\n    (lambda () (next))))\n",
        ),
        (
            "c.el",
            ";;; -*- lexical-binding: t -*-\n(defun c-f (x)\n  (pcase-let (((eieio source value) x))\n    (list (or source value))))\n\
             (cl-defgeneric c-store (bookmark mode))\n(cl-defmethod c-store (bookmark &context (major-mode text-mode)) bookmark)\n\
             (c-store 1)\n(provide 'c)\n",
        ),
        (
            "d.sls",
            "(library (d)\n  (export f)\n  (import (rnrs))\n  (define-record-type void)\n  (define (f x) (if (void? x) (make-void) x)))\n",
        ),
    ] {
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join(name), text).unwrap();
        let told = printed(project.path(), &["lint"], 0);
        assert!(told.starts_with("No problems"), "{name}: {told}");
    }
}

#[test]
fn an_old_project_is_told_only_what_its_baseline_does_not_know() {
    let project = project();
    let here = project.path();
    assert!(printed(here, &["lint", "--write-baseline"], 0).starts_with("Wrote 1 problem into lint-baseline.txt"));
    let told = printed(here, &["lint"], 0);
    assert!(
        told.starts_with("No problems (2 files).\n") && told.contains("Not told: 1 problem of the baseline"),
        "{told}"
    );
    fs::write(here.join("a.lisp"), format!(";; moved\n{SHAPES}(defun area (r) r)\n")).unwrap();
    let told = printed(here, &["lint"], 1);
    assert!(told.starts_with("a.lisp:7:8: warning: ") && told.contains("1 warning (2 files)."), "{told}");
}

#[test]
fn a_safe_change_is_made_on_request() {
    let project = project();
    let here = project.path();
    let path = here.join("sound.lisp");
    let text = "(defun circle (r)\n  ;; lispwright:ignore format-too-few\n  (list r))\n";
    fs::write(&path, text).unwrap();
    let told = printed(here, &["lint", "sound.lisp"], 0);
    assert!(told.contains("sound.lisp:2:3: hint: ") && told.contains("`--fix` mends 1 of them"), "{told}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    let told = printed(here, &["lint", "--fix", "sound.lisp"], 0);
    assert!(told.starts_with("Fixed 1 problem in sound.lisp.\nNo problems (1 file)."), "{told}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "(defun circle (r)\n  (list r))\n");
}
