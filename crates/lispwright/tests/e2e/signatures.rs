//! Changes of parameters through the server: diffs first, then all files or none; and what they make, in the language.

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

#[test]
fn calls_follow_and_still_compile() {
    let mut session = session(&[
        ("a.lisp", "(defun pay (account amount) (list account amount))\n(defun f () (pay :a (+ 1 2)))\n"),
        ("b.lisp", "(defun g (x) (funcall #'pay x 1))\n(defun h (x) (mapcar #'pay x x))\n"),
    ]);
    let before = session.project.snapshot();
    let call = |more: serde_json::Value| {
        let mut call = json!({ "symbol": "pay", "parameters": "(account unit amount)", "values": { "unit": ":usd" } });
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    let shown = session.ok("lisp_change_signature", call(json!({})));
    for part in [
        "Dry run, nothing was written: pay (account amount) to (account unit amount): 1 definition, 2 calls in 2 files.",
        "1 place cannot be followed:",
        "b.lisp:2:24 (passed as a value)| (defun h (x) (mapcar #'pay x x))",
        "+(defun f () (pay :a :usd (+ 1 2)))",
        "\"dry_run\": false, \"skip_refused\": true",
    ] {
        assert!(shown.text.contains(part), "{part:?} is not in {}", shown.text);
    }
    assert_eq!((&shown.fields["calls"], &shown.fields["files_of_calls"]), (&json!(2), &json!(2)));
    let says = ["1 place cannot be followed", "b.lisp:2:24", "\"skip_refused\": true", "Nothing was changed"];
    session.refused("lisp_change_signature", call(json!({ "dry_run": false })), "WOULD_BREAK", &says);
    let mut bare = call(json!({ "dry_run": false }));
    bare.as_object_mut().unwrap().remove("values");
    session.refused("lisp_change_signature", bare, "BAD_ARGUMENT", &["have to pass unit", "\"values\""]);
    assert_eq!(session.project.snapshot(), before);
    let wanted = call(json!({ "dry_run": false, "skip_refused": true, "verify": "compile" }));
    let done = session.ok("lisp_change_signature", wanted);
    assert!(done.text.starts_with("Changed pay (account amount) to (account unit amount)"), "{}", done.text);
    assert!(done.text.contains("Verified: it compiles"), "{}", done.text);
    let text = session.project.text("a.lisp");
    assert_eq!(text, "(defun pay (account unit amount) (list account amount))\n(defun f () (pay :a :usd (+ 1 2)))\n");
    let told =
        session.ok("repl_eval", json!({ "code": "(progn (load \"a.lisp\") (load \"b.lisp\") (list (f) (g :b)))" }));
    assert!(told.text.contains("((:A 3) (:B 1))"), "{}", told.text);
}

#[test]
fn refusals_write_nothing() {
    let mut session = session(&[("a.lisp", "(defun pay (account amount) (list account amount))\n(pay 1 2)\n")]);
    let before = session.project.snapshot();
    let cases = [
        (json!({ "symbol": "pay", "parameters": "(account)" }), "WOULD_BREAK", "amount is used: a.lisp:1"),
        (json!({ "symbol": "pay", "rename": { "amount": "account" } }), "BAD_ARGUMENT", "there twice"),
        (json!({ "symbol": "pay", "rename": { "sum": "x" } }), "BAD_ARGUMENT", "it has account amount"),
        (json!({ "symbol": "pay", "parameters": "(account amount)" }), "BAD_ARGUMENT", "has these parameters"),
        (json!({ "symbol": "play", "parameters": "()" }), "FORM_NOT_FOUND", "Nearest names: pay"),
    ];
    for (mut call, code, says) in cases {
        call["dry_run"] = json!(false);
        session.refused("lisp_change_signature", call, code, &[says]);
    }
    assert_eq!(session.project.snapshot(), before);
}

#[test]
fn calls_with_prose_are_not_followed() {
    let mut session = session(&[
        ("a.rkt", "#lang racket/base\n(provide pay)\n(define (pay a b) (list a b))\n"),
        (
            "b.rkt",
            "#lang at-exp racket/base\n(require \"a.rkt\")\n@pay[1]{ü}\n(pay @list{ü} 2)\n@list{é @(pay 3 4)}\n(pay 5 6)\n",
        ),
    ]);
    let mut call = json!({ "symbol": "pay", "parameters": "(b a)" });
    let shown = session.ok("lisp_change_signature", call.clone());
    for part in ["2 places cannot be followed", "b.rkt:3:2 (written with @-forms", "b.rkt:4:2 (written with @-forms"] {
        assert!(shown.text.contains(part), "{part:?} is not in {}", shown.text);
    }
    call["dry_run"] = json!(false);
    session.refused("lisp_change_signature", call.clone(), "WOULD_BREAK", &["2 places cannot be followed"]);
    call["skip_refused"] = json!(true);
    session.ok("lisp_change_signature", call);
    let text = session.project.text("b.rkt");
    assert!(text.ends_with("@pay[1]{ü}\n(pay @list{ü} 2)\n@list{é @(pay 4 3)}\n(pay 6 5)\n"), "{text}");
}
