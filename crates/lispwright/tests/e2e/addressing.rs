//! Forms that do not exist, exist several times, or sit in a broken file.

use serde_json::json;

use crate::client::Session;

/// The tests below rely on the line numbers.
const SHAPES: &str = "\
(in-package :cl-user)

;;; Shapes.

;; The area of a circle.
(defun area (r)
  (* pi r r))

(defun perimeter (r)
  (* 2 pi r))

(defmethod draw ((s circle)) (list :circle s))
(defmethod draw ((s square)) (list :square s))
(defmethod draw ((s triangle)) (list :triangle s))
";

#[test]
fn a_form_is_read_and_replaced() {
    let mut session = Session::with_file("shapes.lisp", SHAPES);
    let read = session.ok("lisp_read_form", json!({ "path": "shapes.lisp", "name": "area" }));
    // A form comes with the comment that heads it.
    let form = ";; The area of a circle.\n(defun area (r)\n  (* pi r r))";
    assert!(read.text.contains(form), "{}", read.text);
    assert_eq!(read.fields["content"], form);
    assert_eq!((&read.fields["start_line"], &read.fields["end_line"]), (&json!(5), &json!(7)));
    let edited = session.ok(
        "lisp_edit_form",
        json!({ "path": "shapes.lisp", "operation": "replace", "name": "area", "digest": read.fields["digest"],
                "content": "(defun area (radius)\n  (* pi radius radius))" }),
    );
    assert_eq!(edited.fields["would_change"], true);
    let expected = SHAPES.replace("(defun area (r)\n  (* pi r r))", "(defun area (radius)\n  (* pi radius radius))");
    assert_eq!(session.project.text("shapes.lisp"), expected);
    // The digest of the old form is out of date.
    session.refused(
        "lisp_edit_form",
        json!({ "path": "shapes.lisp", "operation": "delete", "name": "area", "digest": read.fields["digest"] }),
        "STALE",
        &["radius"],
    );
}

#[test]
fn a_dry_run_writes_nothing() {
    let mut session = Session::with_file("shapes.lisp", SHAPES);
    let before = session.project.snapshot();
    let arguments = json!({ "path": "shapes.lisp", "operation": "delete", "name": "area", "dry_run": true });
    let answer = session.ok("lisp_edit_form", arguments);
    assert_eq!(answer.fields["would_change"], true);
    assert!(answer.fields["diff"].as_str().unwrap().contains("-(defun area (r)"), "{}", answer.fields);
    assert_eq!(session.project.snapshot(), before);
}

#[test]
fn a_form_that_does_not_exist() {
    let mut session = Session::with_file("shapes.lisp", SHAPES);
    for (tool, rest) in [
        ("lisp_read_form", json!({})),
        ("lisp_edit_form", json!({ "operation": "replace", "content": "(defun aera (r) r)" })),
        ("lisp_edit_form", json!({ "operation": "delete" })),
        ("lisp_edit_form", json!({ "operation": "insert_after", "content": "(defun x ())" })),
        ("lisp_patch_form", json!({ "old_text": "r", "new_text": "s" })),
    ] {
        let mut arguments = json!({ "path": "shapes.lisp", "name": "aera" });
        arguments.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        session.refused(tool, arguments, "FORM_NOT_FOUND", &["shapes.lisp", "aera", "area"]);
    }
    // The right name under another head is not found either.
    session.refused(
        "lisp_read_form",
        json!({ "path": "shapes.lisp", "name": "area", "form_type": "defmacro" }),
        "FORM_NOT_FOUND",
        &["area", "defun"],
    );
    session.refused(
        "lisp_read_form",
        json!({ "path": "shapes.lisp", "name": "draw", "index": 4 }),
        "FORM_NOT_FOUND",
        &["draw", "3"],
    );
}

#[test]
fn a_form_that_exists_three_times() {
    let mut session = Session::with_file("shapes.lisp", SHAPES);
    for (tool, rest) in [
        ("lisp_read_form", json!({})),
        ("lisp_edit_form", json!({ "operation": "replace", "content": "(defmethod draw ((s point)) nil)" })),
        ("lisp_edit_form", json!({ "operation": "delete" })),
        ("lisp_patch_form", json!({ "old_text": "list", "new_text": "vector" })),
    ] {
        let mut arguments = json!({ "path": "shapes.lisp", "name": "draw" });
        arguments.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        let answer = session.refused(
            tool,
            arguments,
            "FORM_AMBIGUOUS",
            &["12", "13", "14", "((s circle))", "((s square))", "((s triangle))", "index"],
        );
        assert_eq!(answer.fields["candidates"].as_array().map(Vec::len), Some(3), "{}", answer.fields);
    }
    // Each way to tell them apart reaches the second one.
    for address in [
        json!({ "name": "draw", "index": 2 }),
        json!({ "name": "draw[2]" }),
        json!({ "name": "draw", "line": 13 }),
        json!({ "name": "draw (square)" }),
        json!({ "name": "draw ((s square))" }),
    ] {
        let mut arguments = json!({ "path": "shapes.lisp" });
        arguments.as_object_mut().unwrap().extend(address.as_object().unwrap().clone());
        let answer = session.ok("lisp_read_form", arguments);
        assert_eq!(answer.fields["start_line"], 13, "{address}: {}", answer.text);
    }
    session.ok("lisp_edit_form", json!({ "path": "shapes.lisp", "operation": "delete", "name": "draw", "index": 2 }));
    assert_eq!(
        session.project.text("shapes.lisp"),
        SHAPES.replace("(defmethod draw ((s square)) (list :square s))\n", "")
    );
}

/// `broken` lacks a parenthesis; the forms around it are healthy.
const BROKEN: &str = "\
(defun before (x)
  (list x))

(defun broken (x)
  (let ((y x))
    (list y))

(defun after (x)
  (list x x))
";

#[test]
fn healthy_forms_of_a_broken_file_are_readable_and_editable() {
    let mut session = Session::with_file("broken.lisp", BROKEN);
    let read = session.ok("lisp_read_file", json!({ "path": "broken.lisp" }));
    assert!(read.text.contains("broken.lisp:6:14: unclosed: `(` of 4:1 is never closed"), "{}", read.text);
    assert!(!read.fields["diagnostics"].as_array().unwrap().is_empty(), "{}", read.fields);
    for name in ["before", "after"] {
        let read = session.ok("lisp_read_form", json!({ "path": "broken.lisp", "name": name }));
        assert!(read.text.contains(&format!("(defun {name} (x)")), "{}", read.text);
    }
    let new = "(defun after (x)\n  (vector x))";
    session.ok(
        "lisp_edit_form",
        json!({ "path": "broken.lisp", "operation": "replace", "name": "after", "content": new }),
    );
    let expected = BROKEN.replace("(defun after (x)\n  (list x x))", new);
    assert_eq!(session.project.text("broken.lisp"), expected);
    session.ok(
        "lisp_patch_form",
        json!({ "path": "broken.lisp", "name": "before", "old_text": "list", "new_text": "vector" }),
    );
    let expected = expected.replacen("(list x))", "(vector x))", 1);
    assert_eq!(session.project.text("broken.lisp"), expected);
}

#[test]
fn the_broken_form_itself_can_be_corrected() {
    let mut session = Session::with_file("broken.lisp", BROKEN);
    let check = session.client.call("lisp_check_parens", json!({ "path": "broken.lisp" }));
    assert_eq!((&check.fields["ok"], &check.fields["kind"]), (&json!(false), &json!("unclosed")), "{}", check.text);
    assert!(check.text.contains('4'), "{}", check.text);
    let mended = "(defun broken (x)\n  (let ((y x))\n    (list y)))";
    session.ok(
        "lisp_edit_form",
        json!({ "path": "broken.lisp", "operation": "replace", "name": "broken", "content": mended }),
    );
    let expected = BROKEN.replace("(defun broken (x)\n  (let ((y x))\n    (list y))", mended);
    assert_eq!(session.project.text("broken.lisp"), expected);
    let check = session.ok("lisp_check_parens", json!({ "path": "broken.lisp" }));
    assert_eq!(check.fields["ok"], true);
}
