//! New content that is not one balanced form of the file's language.

use serde_json::json;

use crate::client::Session;

const FILE: &str = "(defun before () 1)\n\n(defun f (x)\n  (list x))\n\n(defun after () 2)\n";

/// Replacing `f` by `content`, without repairs, in a file with that extension is refused and says each of `says`.
#[track_caller]
fn check_replace(extension: &str, file: &str, name: &str, content: &str, code: &str, says: &[&str]) {
    let path = format!("a.{extension}");
    let mut session = Session::with_file(&path, file);
    session.refused(
        "lisp_edit_form",
        json!({ "path": path, "operation": "replace", "name": name, "content": content, "repair": false }),
        code,
        says,
    );
    assert_eq!(session.project.text(&path), file);
}

#[test]
fn content_of_several_forms_or_none() {
    check_replace(
        "lisp",
        FILE,
        "f",
        "(defun e (x) x)\n(defun g (x) x)",
        "BAD_ARGUMENT",
        &["2", "exactly one of them has to define f", "insert_after"],
    );
    check_replace("lisp", FILE, "f", "(defun f (x) x) junk", "BAD_ARGUMENT", &["2 forms", "exactly one"]);
    check_replace("lisp", FILE, "f", ";; only words\n", "BAD_ARGUMENT", &["no form", "delete"]);
    check_replace("lisp", FILE, "f", "", "BAD_ARGUMENT", &["content"]);
    check_replace("lisp", FILE, "f", "#| nothing |#", "BAD_ARGUMENT", &["no form"]);
}

#[test]
fn unbalanced_content() {
    check_replace(
        "lisp",
        FILE,
        "f",
        "(defun f (x)\n  (list x)",
        "UNBALANCED",
        &["content:2:11: unclosed; nothing was written", "`(` of 1:1 is never closed"],
    );
    check_replace("lisp", FILE, "f", "(defun f (x)\n  (list x)))", "UNBALANCED", &["`)` at 2:12 closes nothing"]);
    check_replace("lisp", FILE, "f", "(defun f (x)\n  \"words)\n  (list x))", "UNBALANCED", &["at 2:3", "string"]);
    check_replace("lisp", FILE, "f", "(defun f (x)\n  #| words (list x))", "UNBALANCED", &["at 2:3", "comment"]);
    for operation in ["insert_before", "insert_after", "append"] {
        let mut session = Session::with_file("a.lisp", FILE);
        session.refused(
            "lisp_edit_form",
            json!({ "path": "a.lisp", "operation": operation, "name": "f", "content": "(defun g ()\n  (list 1)", "repair": false }),
            "UNBALANCED",
            &["`(` of 1:1 is never closed", "nothing was written"],
        );
    }
}

#[test]
fn another_bracket_style() {
    // Square brackets are parts of names in Common Lisp.
    check_replace(
        "lisp",
        FILE,
        "f",
        "[defun f (x) (list x)]",
        "BAD_ARGUMENT",
        &["a.lisp: content:1:1: `[`", "common-lisp", "parentheses"],
    );
    let scheme = "(define (before) 1)\n\n(define (f x)\n  (list x))\n";
    check_replace("scm", scheme, "f", "(define [f x)\n  (list x))", "UNBALANCED", &["1:13", "]"]);
    let clojure = "(defn before [] 1)\n\n(defn f [x]\n  (list x))\n";
    check_replace("clj", clojure, "f", "(defn f [x)\n  (list x))", "UNBALANCED", &["`)` at 1:11", "]"]);
    check_replace("clj", clojure, "f", "(defn f [x] {:a x)", "UNBALANCED", &["1:18", "}"]);
}

#[test]
fn patches() {
    let patch = |old: &str, new: &str| json!({ "path": "a.lisp", "name": "f", "old_text": old, "new_text": new });
    let mut session = Session::with_file("a.lisp", FILE);
    session.refused("lisp_patch_form", patch("(list x))", "(list x)"), "UNBALANCED", &["Add 1 delimiter", "`)`"]);
    session.refused("lisp_patch_form", patch("(list x)", "(list x))"), "UNBALANCED", &["Remove 1 delimiter", "`)`"]);
    session.refused("lisp_patch_form", patch("vector", "list"), "TEXT_NOT_FOUND", &["a.lisp:3", "lisp_read_form"]);
    session.refused("lisp_patch_form", patch("x", "y"), "TEXT_AMBIGUOUS", &["2", "replace_all"]);
    for left_out in ["...", ";; ... existing code ...\n(list x)"] {
        let says = ["new_text:1:1", "stands for code that was left out", "only the lines that change"];
        session.refused("lisp_patch_form", patch("(list x)", left_out), "BAD_ARGUMENT", &says);
    }
    // Text of a neighbour is not in the form.
    session.refused("lisp_patch_form", patch("(defun after () 2)", ""), "TEXT_NOT_FOUND", &["a.lisp:3", "line 6"]);
    session.ok("lisp_patch_form", patch("(list x)", "(vector x)"));
    assert_eq!(session.project.text("a.lisp"), FILE.replace("(list x)", "(vector x)"));
    session.ok(
        "lisp_patch_form",
        json!({ "path": "a.lisp", "name": "f", "old_text": "x", "new_text": "y", "replace_all": true }),
    );
    assert_eq!(session.project.text("a.lisp"), FILE.replace("(x)\n  (list x)", "(y)\n  (vector y)"));
}

#[test]
fn content_that_would_swallow_a_neighbour() {
    // The comment at the end includes the rest of the line.
    let mut session = Session::with_file("a.lisp", "(defun f () 1) (defun g () 2)\n");
    let answer = session.client.call(
        "lisp_edit_form",
        json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": "(defun f () 3) ; new" }),
    );
    let text = session.project.text("a.lisp");
    if answer.is_error {
        assert_eq!(answer.fields["code"], "WOULD_BREAK", "{}", answer.text);
        assert_eq!(text, "(defun f () 1) (defun g () 2)\n");
    } else {
        let read = session.ok("lisp_read_form", json!({ "path": "a.lisp", "name": "g" }));
        assert!(read.text.contains("(defun g () 2)") && text.contains("(defun f () 3)"), "{text}");
    }
}

#[test]
fn arguments_are_checked_before_anything_runs() {
    let mut session = Session::with_file("a.lisp", FILE);
    session.refused(
        "lisp_edit_form",
        json!({ "path": "a.lisp", "operation": "replcae", "nmae": "f", "content": 7 }),
        "BAD_ARGUMENT",
        &["nmae", "name", "replace", "content"],
    );
    session.refused("lisp_read_form", json!({ "path": "a.lisp" }), "BAD_ARGUMENT", &["name"]);
    session.refused(
        "lisp_edit_form",
        json!({ "path": "a.lisp", "operation": "replace", "name": "f" }),
        "BAD_ARGUMENT",
        &["content"],
    );
    session.refused("lisp_check_parens", json!({}), "BAD_ARGUMENT", &["path", "code"]);
    session.refused("lisp_check_parens", json!({ "path": "a.lisp", "code": "()" }), "BAD_ARGUMENT", &["path", "code"]);
}
