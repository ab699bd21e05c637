//! The files that a change of another file makes stale.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use lispwright_index::{ChangedFile, Index};
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
    let change = ChangedFile { now: after.document(&path), before: before.document(&path) };
    let stale = question.stale(&[change]);
    let names: Vec<_> = stale.iter().map(|path| path.strip_prefix(top.path()).unwrap().to_str().unwrap()).collect();
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
