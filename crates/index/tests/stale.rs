//! The files that a change of another file makes stale.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use lispwright_index::{Index, RevisedFile};
use lispwright_syntax::Dialect;

const PACKAGE: (&str, &str) = ("package.lisp", "(defpackage :shop (:use :cl))\n");

fn indexed(top: &Path, files: &[(&str, &str)]) -> Index {
    for (path, text) in files {
        std::fs::write(top.join(path), text).unwrap();
    }
    let mut index = Index::default();
    let language = |path: &Path, text: &str| Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Into::into);
    index.refresh([top], &language);
    index
}

/// The files that become stale when the first file gets the text `now`, or is deleted.
#[track_caller]
fn check(files: &[(&str, &str)], now: Option<&str>, expected: &[&str]) {
    let top = tempfile::tempdir().unwrap();
    let before = indexed(top.path(), files);
    let (name, _) = files[0];
    let path = top.path().join(name);
    let after = match now {
        Some(text) => indexed(top.path(), &[(name, text)]),
        None => {
            std::fs::remove_file(&path).unwrap();
            indexed(top.path(), &[])
        }
    };
    let question = after.question(Dialect::detect(name, b"").unwrap());
    let change = RevisedFile { now: after.document(&path), before: before.document(&path) };
    let stale = question.stale(&[change]);
    let mut names: Vec<_> =
        stale.files.iter().map(|path| path.strip_prefix(top.path()).unwrap().to_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, expected);
}

fn in_shop(text: &str) -> String {
    format!("(in-package :shop)\n{text}\n")
}

#[track_caller]
fn check_lisp(a: &str, now: &str, others: &[(&str, &str)], expected: &[&str]) {
    let (a, now) = (in_shop(a), in_shop(now));
    let others: Vec<(&str, String)> = others.iter().map(|(name, text)| (*name, in_shop(text))).collect();
    let mut files = vec![("a.lisp", a.as_str()), PACKAGE];
    files.extend(others.iter().map(|(name, text)| (*name, text.as_str())));
    check(&files, Some(&now), expected);
}

#[test]
fn a_call_finds_the_present_function() {
    check_lisp("(defun f () 1)", "(defun f () 2)", &[("b.lisp", "(defun g () (f))")], &[]);
}

#[test]
fn what_a_macro_has_made_is_stale() {
    let users = [("b.lisp", "(defun g () (twice 1))"), ("c.lisp", "(defun h () (g))")];
    check_lisp("(defmacro twice (x) `(* 2 ,x))", "(defmacro twice (x) `(* 3 ,x))", &users, &["b.lisp"]);
    // Also what a macro of another file has made with a changed function.
    let users = [("b.lisp", "(defmacro m () (f))"), ("c.lisp", "(defun h () (m))"), ("d.lisp", "(defun i () (f))")];
    check_lisp("(defun f () 1)", "(defun f () 2)", &users, &["c.lisp"]);
}

#[test]
fn a_macro_that_is_gone_is_missed_by_its_users() {
    check_lisp("(defmacro m () 1)\n(defun f () 1)", "(defun f () 1)", &[("b.lisp", "(defun g () (m))")], &["b.lisp"]);
}

#[test]
fn what_is_built_in_is_stale() {
    check_lisp("(defstruct p a b)", "(defstruct p c a b)", &[("b.lisp", "(defun g (x) (p-a x))")], &["b.lisp"]);
    check_lisp("(defconstant +k+ 1)", "(defconstant +k+ 2)", &[("b.lisp", "(defun g () +k+)")], &["b.lisp"]);
    let inline = "(declaim (inline f))\n(defun f () 1)";
    check_lisp(inline, &inline.replace('1', "2"), &[("b.lisp", "(defun g () (f))")], &["b.lisp"]);
}

#[test]
fn a_value_that_was_computed_at_load_is_stale() {
    let users = [
        ("b.lisp", "(defun g () (f))"),
        ("c.lisp", "(defparameter *steps* (list (g)))"),
        ("d.lisp", "(defun h () *steps*)"),
    ];
    check_lisp("(defun f () 1)", "(defun f () 2)", &users, &["c.lisp"]);
}

#[test]
fn code_in_a_package_depends_on_its_declaration() {
    let users = [("b.lisp", "(in-package :shop)\n(defun g () 1)"), ("c.lisp", "(defpackage :other (:use :cl))")];
    let files = [PACKAGE, users[0], users[1]];
    check(&files, Some("(defpackage :shop (:use :cl) (:export #:g))"), &["b.lisp"]);
}

#[test]
fn methods_are_added_again() {
    let files = [
        ("a.el", "(cl-defgeneric area (x))\n(defun f () 1)"),
        ("b.el", "(cl-defmethod area ((x integer)) x)"),
        ("c.el", "(defun g () (area 1))"),
    ];
    check(&files, Some("(cl-defgeneric area (x))\n(defun f () 2)"), &["b.el"]);
    check(&files, None, &["b.el"]);
}

#[test]
fn a_definition_may_have_been_of_another_kind() {
    let package = "(defpackage :a (:use :cl))\n(in-package :a)\n";
    let (as_macro, as_function) = (format!("{package}(defmacro f () 1)"), format!("{package}(defun f () 2)"));
    let user = "(in-package :a)\n(defun user () (f))";
    check(&[("a.lisp", &as_macro), ("b.lisp", user)], Some(&as_function), &["b.lisp"]);
    check(&[("a.lisp", &as_function), ("b.lisp", user)], Some(&as_macro), &["b.lisp"]);
}

#[test]
fn code_that_is_run_while_it_is_read_or_loaded_is_made_anew() {
    let package = "(defpackage :a (:use :cl))\n(in-package :a)\n";
    let (before, now) = (format!("{package}(defun f () 1)"), format!("{package}(defun f () 2)"));
    let files = [
        ("a.lisp", before.as_str()),
        ("b.lisp", "(in-package :a)\n(defun user () #.(f))"),
        ("c.lisp", "(in-package :a)\n(defun user-2 () (load-time-value (f)))"),
        ("d.lisp", "(in-package :a)\n(defun user-3 () (f))"),
    ];
    check(&files, Some(&now), &["b.lisp", "c.lisp"]);
}

#[test]
fn a_changed_package_concerns_code_that_writes_its_name() {
    let files = [
        ("a.lisp", "(defpackage :a (:use :cl) (:export #:f))\n(in-package :a)\n(defun f () 1)"),
        ("b.lisp", "(defpackage :b (:use :cl))\n(in-package :b)\n(defun user () (a:f))"),
        ("c.lisp", "(defpackage :c (:use :cl))\n(in-package :c)\n(defun f () 1)"),
    ];
    check(&files, Some("(defpackage :a (:use :cl))\n(in-package :a)\n(defun f () 1)"), &["b.lisp"]);
}

/// The variables that get their value anew when the first file gets the text `now`.
#[track_caller]
fn check_variables(files: &[(&str, &str)], now: &str, expected: &[&str]) {
    let top = tempfile::tempdir().unwrap();
    let before = indexed(top.path(), files);
    let (name, _) = files[0];
    let path = top.path().join(name);
    let after = indexed(top.path(), &[(name, now)]);
    let question = after.question(Dialect::detect(name, b"").unwrap());
    let concern = question.stale(&[RevisedFile { now: after.document(&path), before: before.document(&path) }]);
    let mut names: Vec<&str> = concern.variables.values().flatten().map(|(_, name)| name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn what_others_have_added_to_is_made_anew() {
    let files = [
        ("a.el", "(defconst table (make-hash-table))\n(defconst limit 1)\n(defun f () 1)"),
        ("b.el", "(puthash 1 2 table)"),
        ("c.el", "(setq x limit)"),
    ];
    check(&files, Some("(defconst table (make-hash-table))\n(defconst limit 1)\n(defun f () 2)"), &["b.el"]);
}

#[test]
fn a_variable_that_a_form_has_changed_is_made_anew() {
    let registry = "(defvar table (make-hash-table))\n(defun register (x) (puthash x t table))";
    let files = [
        ("a.el", "(register 1)\n(register 2)"),
        ("b.el", registry),
        ("c.el", "(register 3)"),
        ("d.el", "(defun g () (register 4))"),
    ];
    check(&files, Some("(register 1)"), &["b.el", "c.el"]);
    check_variables(&files, "(register 1)", &["table"]);
    let own = [("a.el", "(defvar m (make-sparse-keymap))\n(define-key m \"a\" 'one)")];
    check_variables(&own, "(defvar m (make-sparse-keymap))", &["m"]);
}

#[test]
fn variables_get_the_values_of_changed_definitions() {
    check_variables(&[("a.el", "(defvar v 1)\n(defvar w 1)\n(defvar x 1)")], "(defvar v 2)\n(defvar w 1)", &["v", "x"]);
    // Also what was computed with something that has changed.
    let files = [("a.el", "(defun f () 1)"), ("b.el", "(defvar steps (f))\n(defvar others 1)")];
    check_variables(&files, "(defun f () 2)", &["steps"]);
    // What only has been made anew is no other value.
    let files = [("a.el", "(defconst table (list 1))\n(defun f () 1)"), ("b.el", "(defvar steps (car table))")];
    check_variables(&files, "(defconst table (list 1))\n(defun f () 2)", &[]);
}

#[test]
fn features_are_files() {
    let top = tempfile::tempdir().unwrap();
    let files = [
        ("a.el", "(require 'b)\n(load \"d\" nil t)\n(declare-function e \"e\")"),
        ("b.el", "(provide 'b)"),
        ("other.el", "(provide 'c)\n(require 'a)"),
        ("d.el", "(require 'c)"),
        ("e.el", ""),
    ];
    let index = indexed(top.path(), &files);
    let order = index.file_order(Dialect::EmacsLisp);
    let mut circle: Vec<_> = order.circles_of([top.path().join("a.el").as_path()]).into_iter().collect();
    circle.sort();
    assert_eq!(circle, ["a.el", "d.el", "other.el"].map(|name| top.path().join(name)));
    let used = order.used_by([top.path().join("a.el").as_path()]);
    assert!(used.contains(&top.path().join("b.el")) && !used.contains(&top.path().join("e.el")));
}
