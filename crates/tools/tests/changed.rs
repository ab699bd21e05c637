//! What has changed since a revision, with real repositories of git.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::Command;

use lispwright_tools::arguments::prepare;
use lispwright_tools::{CallContext, Tool, Workshop, catalogue};
use lispwright_words::{Rendering, Skin, render};
use serde_json::{Value, json};

struct Project {
    directory: tempfile::TempDir,
    tools: Vec<Tool>,
}

impl Project {
    /// A repository with these files, committed.
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let workshop = Workshop::open(&[directory.path().to_owned()]).unwrap();
        let project = Self { directory, tools: catalogue(&workshop) };
        project.git(&["init", "-q"]);
        files.iter().for_each(|(path, text)| project.write(path, text));
        project.commit();
        project
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(self.directory.path());
        let done = git.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn commit(&self) {
        self.git(&["add", "."]);
        self.git(&["commit", "-qm", "one"]);
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn replace(&self, path: &str, old: &str, new: &str) {
        let text = fs::read_to_string(self.directory.path().join(path)).unwrap();
        assert!(text.contains(old), "{old} in {text}");
        self.write(path, &text.replace(old, new));
    }

    fn remove(&self, path: &str) {
        fs::remove_file(Path::new(self.directory.path()).join(path)).unwrap();
    }

    async fn asked(&self, arguments: Value) -> Rendering {
        let tool = self.tools.iter().find(|tool| tool.name == "code_map").unwrap();
        let arguments = prepare(tool.name, &tool.input_schema, arguments.as_object().cloned().unwrap()).unwrap();
        render((tool.run)(arguments, CallContext::default()).await, Skin::Client)
    }

    /// The answer without the hash of the commit.
    async fn changed(&self) -> String {
        let answer = self.asked(json!({"changed": true})).await;
        assert!(!answer.is_error, "{}", answer.text);
        let commit = answer.fields["changed"]["commit"].as_str().unwrap().to_owned();
        answer.text.replace(&commit, "HASH")
    }
}

const SHOP: &str = "(defpackage :shop (:use :cl) (:export #:price))\n(in-package :shop)\n\n(defun helper (x) (* 2 x))\n\n\
                    (defun price (x)\n  (helper x))\n\n(defun old-price (x) x)\n";
const TESTS: &str = "(defpackage :shop-test (:use :cl :fiveam :shop))\n(in-package :shop-test)\n\n(test price-doubles (is (= 4 \
                     (price 2))))\n\n(test old (is (= 1 (shop::old-price 1))))\n";

#[tokio::test]
async fn forms_that_changed_come_with_their_users_and_tests() {
    let project = Project::new(&[("shop.lisp", SHOP), ("t.lisp", TESTS), ("README.md", "Call `price`.\n")]);
    assert_eq!(project.changed().await, "No form differs from HEAD (HASH).\n");
    project.replace("shop.lisp", "(defun price (x)\n  (helper x))", "(defun price (x &optional y)\n  (helper x))");
    project.replace("shop.lisp", "(* 2 x)", "(+ x x)");
    project.replace("shop.lisp", "\n(defun old-price (x) x)\n", "");
    project.write("new.lisp", "(in-package :shop)\n(defun tax (x) (price x))\n");
    let told = "5 forms in 2 files differ from HEAD (HASH). 2 tests in 1 file reach them: run_tests {\"path\": \"t.lisp\"}\n\
                new.lisp  new\n  + in-package :shop :1\n  + defun tax :2\n\
                shop.lisp\n  ~ defun helper :4  used by 1: price :6; 1 test: price-doubles t.lisp:4\n  \
                ~ defun price :6  (x &optional y) was (x); exported; used by 2: tax new.lisp:2; 1 test: price-doubles \
                t.lisp:4\n  \
                - defun old-price  still used by 1; 1 test: old t.lisp:6\n\
                Look also at:\n  README.md:1: Call `price`.\n";
    assert_eq!(project.changed().await, told);
}

#[tokio::test]
async fn forms_inside_of_a_module_count_by_themselves() {
    let chez =
        "(library (mill stone) (export grind) (import (chezscheme))\n  (define (grind x) x)\n  (define (sift x) x))\n";
    let racket =
        "#lang racket/base\n(define (fee) 1)\n(module+ test\n  (require rackunit)\n  (check-equal? (fee) 1))\n";
    let project = Project::new(&[("mill/stone.sls", chez), ("fee.rkt", racket), ("a.lisp", "(defun a () 1)\n")]);
    project.replace("mill/stone.sls", "(sift x) x", "(sift x) (grind x)");
    project.replace("fee.rkt", "(check-equal? (fee) 1)", "(check-equal? (fee) 2)");
    project.remove("a.lisp");
    let told = project.changed().await;
    assert!(told.contains("mill/stone.sls\n  ~ define sift :3\n"), "{told}");
    assert!(told.contains("fee.rkt\n  ~ module+ test :3\n"), "{told}");
    assert!(told.contains("a.lisp  gone\n  - defun a\n"), "{told}");
}

#[tokio::test]
async fn a_form_that_moved_is_one_change() {
    let project = Project::new(&[("a.el", "(defun a () 1)\n\n(defun b () 2)\n"), ("c.el", "(defun c () 3)\r\n")]);
    project.replace("a.el", "\n(defun b () 2)\n", "");
    project.write("c.el", "(defun c () 3)\n\n(defun b () 2)\n");
    let told = "1 form in 1 file differ from HEAD (HASH). No test reaches them.\nc.el\n  > defun b :3  from a.el\n";
    assert_eq!(project.changed().await, told);
}

#[tokio::test]
async fn revisions_are_named_as_git_names_them() {
    let project = Project::new(&[("a.scm", "(define (a) 1)\n")]);
    project.replace("a.scm", "1", "2");
    project.commit();
    project.git(&["tag", "v1"]);
    for (revision, count) in [("HEAD~1", 1), ("v1", 0), ("v1~1", 1), ("HEAD", 0)] {
        let answer = project.asked(json!({"changed": revision})).await;
        assert_eq!(answer.fields["changed"]["form_count"], count, "{revision}: {}", answer.text);
    }
    let refused = project.asked(json!({"changed": "nothing"})).await;
    assert!(
        refused.is_error && refused.text.contains("the repository has no revision \"nothing\""),
        "{}",
        refused.text
    );
    assert!(!project.asked(json!({"changed": false})).await.text.contains("differ"));
}
