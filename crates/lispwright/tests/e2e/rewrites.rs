//! Rewrites through the server: count and diffs first, then all files or none.

use serde_json::json;

use crate::client::Session;
use crate::project::Project;

fn session(files: &[(&str, &str)]) -> Session {
    let project = Project::new();
    for (name, text) in files {
        project.file(name, text);
    }
    Session::on_with_sets(project, "default,refactor")
}

const FILES: &[(&str, &str)] = &[
    ("a.lisp", "(defun f (x)\n  (if (equal x nil) ; nothing\n      (progn\n        (g x)\n        (h x))))\n"),
    ("sub/b.lisp", "(defun g (y) (list (equal y nil) '(equal y nil)))\n"),
    ("c.el", "(defun c (x) (equal x nil))\n"),
    ("d.txt", "(equal x nil)\n"),
];

#[test]
fn what_does_not_compile_is_taken_back() {
    let mut session = session(&[("a.lisp", "(defun f (x) (equal x nil))\n(defun g (y) (f y))\n")]);
    let before = session.project.snapshot();
    let call = |template: &str| {
        json!({
            "shape": "(equal ?x nil)", "template": template, "dry_run": false, "expect_count": 1, "verify": "compile",
        })
    };
    let says = ["The files are as they were.", "It does not compile"];
    session.refused("lisp_rewrite", call("(let ((?x 1) (?x 2)) ?x)"), "WOULD_BREAK", &says);
    assert_eq!(session.project.snapshot(), before);
    let done = session.ok("lisp_rewrite", call("(null ?x)"));
    assert!(done.text.contains("Verified: it compiles (in a copy of the session's image"), "{}", done.text);
    assert_eq!(done.fields["verification"]["passed"], true);
    let call = json!({ "symbol": "f", "new_name": "is-empty", "dry_run": false, "verify": "compile" });
    let done = session.ok("lisp_rename", call);
    assert!(done.text.contains("Verified: it compiles"), "{}", done.text);
    let renamed = "(defun is-empty (x) (null x))\n(defun g (y) (is-empty y))\n";
    assert_eq!(session.project.text("a.lisp"), renamed);
    // A warning that was there before is no reason to refuse the change.
    session.project.file("a.lisp", format!("{renamed}(defun h () no-such-variable)\n"));
    let call = json!({ "symbol": "g", "new_name": "k", "dry_run": false, "verify": "compile" });
    let done = session.ok("lisp_rename", call);
    let says = "Nothing fails that did not fail before (in a copy of the session's image, which is as before). Failed \
                before, too: a.lisp: undefined variable: COMMON-LISP-USER::NO-SUCH-VARIABLE.";
    assert!(done.text.contains(says), "{}", done.text);
}

#[test]
fn a_dry_run_counts_and_the_count_writes() {
    let mut session = session(FILES);
    let before = session.project.snapshot();
    let call = |more: serde_json::Value| {
        let mut call = json!({ "shape": "(equal ?x nil)", "template": "(null ?x)" });
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    let shown = session.ok("lisp_rewrite", call(json!({})));
    for part in [
        "Dry run, nothing was written: 2 forms in 2 of 3 files would change",
        "a.lisp (1 place)",
        "-  (if (equal x nil) ; nothing\n+  (if (null x) ; nothing",
        "+(defun g (y) (list (null y) '(equal y nil)))",
        "1 match in quoted data stay",
        "\"expect_count\": 2",
    ] {
        assert!(shown.text.contains(part), "{part:?} is not in {}", shown.text);
    }
    assert_eq!(shown.fields["count"], 2);
    session.refused("lisp_rewrite", call(json!({ "dry_run": false })), "BAD_ARGUMENT", &["\"expect_count\": 2"]);
    session.refused(
        "lisp_rewrite",
        call(json!({ "dry_run": false, "expect_count": 3 })),
        "CONFLICT",
        &["2 forms would change", "expects 3"],
    );
    assert_eq!(session.project.snapshot(), before);
    let done = session.ok("lisp_rewrite", call(json!({ "dry_run": false, "expect_count": 2 })));
    assert!(done.text.starts_with("Rewritten: 2 forms in 2 of 3 files."), "{}", done.text);
    assert_eq!(session.project.text("sub/b.lisp"), "(defun g (y) (list (null y) '(equal y nil)))\n");
    assert_eq!(session.project.text("a.lisp"), FILES[0].1.replace("(equal x nil)", "(null x)"));
    assert_eq!(session.project.text("c.el"), FILES[2].1);
    let again = session.ok("lisp_rewrite", call(json!({})));
    assert!(again.text.starts_with("No form of the shape in 3 files"), "{}", again.text);
}

#[test]
fn refusals_name_the_place_and_write_nothing() {
    let mut session = session(&[
        ("a.lisp", "(f 1)\n(if a ; why\n  b nil)\n(g #+sbcl x y)\n(k (k (k 1)))\n"),
        ("b.lisp", "(broken 1)\n(defun b (\n"),
    ]);
    let before = session.project.snapshot();
    let cases = [
        ("(if ?a ?b nil)", "(when ?a ?b)", "WOULD_BREAK", "a.lisp:2:7"),
        ("(g ?x ?y)", "(h ?y ?x)", "WOULD_BREAK", "a.lisp:4:4"),
        ("(k (k ?x))", "(j ?x)", "WOULD_BREAK", "overlap"),
        ("(broken ?x)", "(whole ?x)", "UNBALANCED", "b.lisp:1:1"),
        ("(f ?x)", "(f ?y)", "BAD_ARGUMENT", "no variable ?y"),
        ("(nowhere ?x)", "(f ?y)", "BAD_ARGUMENT", "no variable ?y"),
        ("(f ?x", "(f ?x)", "BAD_ARGUMENT", "`shape` is not understood"),
        ("(f ?x)", "(f ?x", "BAD_ARGUMENT", "`template` is not understood"),
    ];
    for (shape, template, code, says) in cases {
        let call = json!({ "shape": shape, "template": template, "dry_run": false, "expect_count": 1 });
        session.refused("lisp_rewrite", call, code, &[says]);
    }
    assert_eq!(session.project.snapshot(), before);
    let call = json!({
        "shape": "(k ?x)", "template": "(j ?x)", "where": [{ "variable": "?x", "kind": "number" }],
        "dry_run": false, "expect_count": 1,
    });
    session.ok("lisp_rewrite", call);
    assert!(session.project.text("a.lisp").ends_with("(k (k (j 1)))\n"));
}

#[test]
fn steps_of_threading_forms_stay_where_their_argument_would_be_elsewhere() {
    let text = "(ns a)\n(defn note [& all] all)\n(defn run [x] (-> x (note 1) (note 2)))\n(note 3)\n";
    let mut session = session(&[("a.clj", text)]);
    let call = |template: &str, count: u32| json!({ "shape": "(note ?*all)", "template": template, "dry_run": false, "expect_count": count });
    let done = session.ok("lisp_rewrite", call("(do (note ?*all))", 1));
    assert!(done.text.contains("2 steps of threading forms"), "{}", done.text);
    assert_eq!(session.project.text("a.clj"), text.replace("(note 3)", "(do (note 3))"));
    session.ok("lisp_rewrite", call("(remark ?*all)", 3));
    assert_eq!(
        session.project.text("a.clj"),
        text.replace("(note 3)", "(do (remark 3))").replace("(note 1) (note 2)", "(remark 1) (remark 2)")
    );
    // What comes instead has not the arguments.
    let where_ = json!([{ "variable": "?f", "text": "^remark$" }]);
    let heads = json!({ "shape": "(?f ?*all)", "template": "(list ?f)", "where": where_ });
    assert_eq!(session.ok("lisp_rewrite", heads).fields["count"], 1);
}

#[test]
fn arguments_that_a_macro_takes_apart_stay_and_are_named() {
    let text = "(defmacro with (value form)\n  `(,(car form) ,@(cdr form) ,value))\n(defun cut (text from) (substring text from))\n\
                (with 1 (cut \"a\"))\n(list (cut \"b\" 2))\n";
    let mut session = session(&[("a.el", text)]);
    let call = |more: serde_json::Value| {
        let mut call = json!({ "shape": "(cut ,@all)", "template": "(progn (cut ,@all))" });
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    let done = session.ok("lisp_rewrite", call(json!({ "dry_run": false, "expect_count": 1 })));
    assert!(done.text.contains("a macro around them may take them apart: a.el:4; \"quoted\": true"), "{}", done.text);
    assert_eq!(session.project.text("a.el"), text.replace("(cut \"b\" 2)", "(progn (cut \"b\" 2))"));
    let both = session.ok("lisp_rewrite", call(json!({ "quoted": true })));
    assert!(both.text.contains("2 forms"), "{}", both.text);
}

#[test]
fn definitions_of_methods_are_rewritten_by_their_parameters() {
    let text = "(ns a)\n(defprotocol Sized (size [x]))\n(extend-type String Sized (size [x] 1))\n(size 2)\n";
    let mut session = session(&[("a.clj", text)]);
    let call = |shape: &str, template: &str, count: u32| json!({ "shape": shape, "template": template, "dry_run": false, "expect_count": count });
    session.ok("lisp_rewrite", call("(size ?*all)", "(long (size ?*all))", 1));
    assert_eq!(session.project.text("a.clj"), text.replace("(size 2)", "(long (size 2))"));
    session.ok("lisp_rewrite", call("(size [?x] 1)", "(size [?x] 3)", 1));
    assert!(session.project.text("a.clj").contains("(size [x] 3)"));
}

#[test]
fn lists_of_names_are_no_calls() {
    let files = [
        (
            "a.scm",
            "(define-module (a)\n  #:use-module ((b) #:select (f other))\n  #:export (f\n            other))\n(define (f . all) all)\n\
             (define-class <c> (f other)\n  (f #:init-value 1))\n(export f)\n(define-syntax m (syntax-rules (f other)\n  ((_ x) (f x))))\n\
             (f 1)\n",
            "(f ?*all)",
            2,
        ),
        (
            "a.clj",
            "(ns a (:refer-clojure :exclude (f)) (:require [b :refer (other)]))\n(defprotocol P\n  (f [x]))\n(defrecord R [a] P\n  \
             (f [x] 1))\n(case 1 (f) 2\n  3)\n(. x\n  (f 1))\n(f 1)\n",
            "(f ?*all)",
            1,
        ),
        (
            "a.lisp",
            "(defun f (&rest x) x)\n(defstruct (f\n  (:copier nil)) a)\n(defclass k (f g)\n  ((f :initarg :f)))\n\
             (defun g (&key ((f g) 1))\n  (f g))\n",
            "(f ?*all)",
            1,
        ),
        ("a.el", "(defun f (&rest x) x)\n(condition-case nil (f 1)\n  ((f error) 1)\n  (f 2))\n", "(f ,@all)", 1),
        (
            "a.rkt",
            "#lang racket\n(provide (rename-out (f g)))\n(define (f . x) x)\n(define-syntax (m stx)\n  (syntax-case stx (f g)\n    \
             ((_ x) #'(f x))))\n(f 1)\n",
            "(f ?*all)",
            2,
        ),
    ];
    let mut session = session(&files.map(|(path, text, ..)| (path, text)));
    for (path, _, shape, count) in files {
        let call = json!({ "path": path, "shape": shape, "template": shape.replace("(f", "(changed") });
        let done = session.ok("lisp_rewrite", call);
        assert_eq!(done.fields["count"], count, "{path}: {}", done.text);
    }
}
