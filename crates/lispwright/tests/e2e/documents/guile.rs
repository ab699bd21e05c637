//! The tool set for Guile: its signatures, and what it says of each tool.

use serde_json::json;

use super::Played;
use crate::project::Project;

const MODULE: &str = "(define-module (shapes)\n  #:use-module (srfi srfi-9)\n  #:export (foo make-point))\n\n\
(define (foo x y)\n  (let* ((sum (+ x y))\n         (twice (* 2 sum)))\n    (if (> twice 10)\n        (list 'large twice)\n        (list 'small twice))))\n\n\
;; A point.\n(define-record-type <point>\n  (make-point x y)\n  point?\n  (x point-x)\n  (y point-y)\n  (label point-label))\n\n\
(define-syntax when\n  (syntax-rules ()\n    ((_ test body ...)\n     (if test\n         (begin\n           body ...)))))\n\n\
(define (short a) (foo a 1))\n";

fn played() -> Played {
    let project = Project::new();
    project.file("shapes.scm", MODULE);
    let mut played = Played::new("guile", project);
    played.line(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    played
}

#[test]
fn a_module_is_read_by_heads_and_a_form_by_name() {
    let mut played = played();
    let listed = played.ok("read_module", json!({ "path": "shapes.scm" }));
    for line in ["(define (foo x y) ...)", "(define-record-type <point> ", "(define-syntax when ...)"] {
        assert!(listed.text.contains(line), "{}", listed.text);
    }
    assert!(listed.text.contains("(define (short a) (foo a 1))"), "short forms are whole: {}", listed.text);
    assert!(!listed.text.contains("twice"), "long ones are not: {}", listed.text);
    let form = played.ok("read_form", json!({ "path": "shapes.scm", "name": "foo" }));
    let source = &MODULE[MODULE.find("(define (foo").unwrap()..MODULE.find("\n\n;; A point").unwrap()];
    assert!(form.text.contains(source), "{}", form.text);
    let lost = played.call("read_form", json!({ "path": "shapes.scm", "name": "fooo" }));
    assert!(lost.is_error && lost.text.contains("foo") && lost.text.contains("read_module"), "{}", lost.text);
    assert!(!lost.text.contains("lisp_"), "{}", lost.text);
}

#[test]
fn forms_are_replaced_inserted_and_deleted_by_name() {
    let mut played = played();
    played.ok(
        "replace_form",
        json!({ "path": "shapes.scm", "name": "short", "new_source": "(define (short a)\n  (foo a 2))" }),
    );
    // Source that is close is repaired, and comes back.
    let repaired = played.ok(
        "replace_form",
        json!({ "path": "shapes.scm", "name": "short", "new_source": "(define (short a)\n  (foo a 3)" }),
    );
    assert!(repaired.text.contains("(define (short a)\n  (foo a 3))"), "{}", repaired.text);
    assert!(repaired.text.contains("new_source"), "{}", repaired.text);
    for (position, name) in [("before", "early"), ("after", "late")] {
        let source = format!("(define ({name}) 1)");
        played.ok(
            "insert_form",
            json!({ "path": "shapes.scm", "anchor_name": "short", "position": position, "new_source": source }),
        );
    }
    let text = played.project.text("shapes.scm");
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
    assert!(at("(define (early) 1)") < at("(define (short a)\n  (foo a 3))"));
    assert!(at("(define (short a)") < at("(define (late) 1)"));
    played.ok("delete_form", json!({ "path": "shapes.scm", "name": "<point>" }));
    let text = played.project.text("shapes.scm");
    assert!(!text.contains("point?") && !text.contains(";; A point."), "{text}");
    let broken = json!({ "path": "shapes.scm", "name": "short", "new_source": "(define (first) (foo a 3)) (define (second) 1)" });
    let refused = played.call("replace_form", broken);
    assert!(refused.is_error && refused.text.contains("new_source"), "{}", refused.text);
    assert_eq!(played.project.text("shapes.scm"), text);
}

#[test]
fn expressions_are_evaluated_in_a_module() {
    let mut played = played();
    played.ok("load_module", json!({ "path": "shapes.scm" }));
    let value =
        played.ok("eval_expr", json!({ "expr": "(begin (display \"printed\") (foo 1 2))", "namespace": "(shapes)" }));
    assert_eq!(value.text, "[stdout]\nprinted\n=> (small 6)\n[object 1] list, 2 elements");
    assert_eq!(played.ok("eval_expr", json!({ "expr": "(+ 1 2)" })).text, "=> 3");
    let failed = played.call("eval_expr", json!({ "expr": "(short 'a)", "namespace": "(shapes)" }));
    assert!(failed.is_error, "{}", failed.text);
    for part in ["[ERROR] wrong-type-arg", "[Backtrace]", "foo", "shapes.scm:6"] {
        assert!(failed.text.contains(part), "{part}: {}", failed.text);
    }
    let expanded = played.ok("macro_expand", json!({ "expr": "(when a b)", "namespace": "(shapes)" }));
    assert!(expanded.text.contains("(if a"), "{}", expanded.text);
    // A module with an unbound variable is found out by loading it.
    played.project.file("unbound.scm", "(define-module (unbound))\n(define (f) 1)\n(nowhere)\n");
    let failed = played.call("load_module", json!({ "path": "unbound.scm" }));
    assert!(
        failed.is_error && failed.text.contains("unbound.scm:3") && failed.text.contains("nowhere"),
        "{}",
        failed.text
    );
}

#[test]
fn syntax_is_checked_as_data() {
    let mut played = played();
    let sound = played.ok("check_syntax", json!({ "path": "shapes.scm" }));
    assert_eq!(sound.fields["valid"], true);
    assert_eq!(sound.fields["errors"], json!([]));
    let broken = played.ok("check_syntax", json!({ "source": "(define (f)\n  (car '(1 2))" }));
    broken.has("valid:boolean errors:array repaired_source:string");
    assert_eq!(broken.fields["valid"], false);
    assert_eq!(
        (&broken.fields["errors"][0]["line"], &broken.fields["errors"][0]["kind"]),
        (&json!(2), &json!("unclosed"))
    );
    assert_eq!(broken.fields["repaired_source"], "(define (f)\n  (car '(1 2)))");
}

#[test]
fn references_know_shadowing_and_come_as_hits() {
    let mut played = played();
    played.project.file(
        "uses.scm",
        "(define-module (uses) #:use-module (shapes))\n(define (g) (foo 1 2))\n(define (h foo) (foo 1))\n(define (i) (map foo '(1) '(2)))\n",
    );
    for place in ["shapes.scm", "uses.scm", "."] {
        let found = played.ok("find_references", json!({ "path_or_module": place, "symbol": "foo" }));
        let hits = found.fields["refs"].as_array().unwrap();
        assert!(!hits.is_empty(), "{place}: {}", found.text);
        for hit in hits {
            for key in ["form_name", "path", "line", "context_snippet"] {
                assert!(!hit[key].is_null(), "{key}: {hit}");
            }
            assert_ne!(hit["form_name"], "h", "a parameter of that name is no reference: {hit}");
        }
    }
    let exports = played.ok("list_module_exports", json!({ "path": "shapes.scm" }));
    for name in ["foo", "make-point"] {
        assert!(exports.text.contains(name), "{}", exports.text);
    }
    assert!(!exports.text.contains("short"), "{}", exports.text);
}
