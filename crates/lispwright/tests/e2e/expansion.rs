//! Expansions of macros in the image.

use serde_json::json;

use crate::client::Session;

#[test]
fn code_is_expanded_one_step_or_all_the_way() {
    let mut session = Session::new();
    session.ok(
        "repl_eval",
        json!({ "code": "(defmacro twice (x) `(again ,x)) (defmacro again (x) `(progn ,x ,x (when ,x 1)))" }),
    );
    let expand = |session: &mut Session, level: &str| {
        let answer = session.ok("macroexpand", json!({ "code": "(twice (f))", "level": level }));
        answer.fields["expansion"].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(expand(&mut session, "once"), "(again (f))");
    assert_eq!(expand(&mut session, "full"), "(progn (f) (f) (when (f) 1))");
    assert_eq!(expand(&mut session, "all"), "(progn (f) (f) (if (f) 1))");
    let same = session.ok("macroexpand", json!({ "code": "(list (twice 1))" }));
    assert_eq!(same.fields["changed"], false);
    assert!(same.text.contains("[note] Unchanged"), "{}", same.text);
}

#[test]
fn a_form_of_a_file_is_expanded_in_the_package_of_the_file() {
    let source = "(defpackage :farm (:use :cl))\n(in-package #:farm)\n\n(defstruct cow name)\n\n(defmacro feed (x) x)\n\n(defun milk (cow\n";
    let mut session = Session::with_file("farm.lisp", source);
    let place = json!({ "path": "farm.lisp", "name": "cow" });
    let unknown = session.client.call("macroexpand", place.clone());
    assert!(unknown.is_error && unknown.text.contains("no package \"farm\""), "{}", unknown.text);
    session.ok("repl_eval", json!({ "code": "(defpackage :farm (:use :cl))" }));
    let expanded = session.ok("macroexpand", place);
    assert_eq!(expanded.fields["changed"], true);
    // The names are those of the file's package: no prefix.
    assert!(expanded.text.contains("make-cow") && !expanded.text.contains("farm::make-cow"), "{}", expanded.text);
    session.refused(
        "macroexpand",
        json!({ "path": "farm.lisp", "name": "milk" }),
        "UNBALANCED",
        &["lisp_check_parens"],
    );
    session.refused(
        "macroexpand",
        json!({ "path": "farm.lisp", "name": "feed" }),
        "BAD_ARGUMENT",
        &["farm.lisp:6: this form defines the macro feed", "(feed ...)"],
    );
    session.refused("macroexpand", json!({ "path": "farm.lisp", "name": "pig" }), "FORM_NOT_FOUND", &["pig"]);
    session.refused("macroexpand", json!({}), "BAD_ARGUMENT", &["either `code`", "`path` with `name` or `line`"]);
    let both = json!({ "path": "farm.lisp", "name": "cow", "code": "1" });
    session.refused("macroexpand", both, "BAD_ARGUMENT", &["either"]);
    // Code of the file is read in its package, too.
    session.ok("repl_eval", json!({ "code": "(defmacro farm::feed (x) `(list ,x))" }));
    let given = session.ok("macroexpand", json!({ "path": "farm.lisp", "code": "(feed 1)" }));
    assert!(given.text.contains("(list 1)"), "{}", given.text);
}

#[test]
fn macros_that_fail_or_never_end_are_answers() {
    let mut session = Session::new();
    session.ok(
        "repl_eval",
        json!({ "code": "(defvar *kept* 42) (defmacro bad () (error \"no expansion\")) (defmacro dull () (loop))" }),
    );
    let bad = session.client.call("macroexpand", json!({ "code": "(bad)" }));
    assert!(bad.is_error && bad.text.contains("no expansion"), "{}", bad.text);
    let dull = session.client.call("macroexpand", json!({ "code": "(dull)", "timeout_seconds": 0.3 }));
    assert_eq!(dull.fields["code"], "TIMEOUT", "{}", dull.text);
    session.refused("macroexpand", json!({ "code": "(a) (b)" }), "BAD_ARGUMENT", &["2 forms"]);
    let open = session.client.call("macroexpand", json!({ "code": "(when a" }));
    assert!(open.is_error && open.text.contains("delimiter is missing"), "{}", open.text);
    assert_eq!(session.ok("repl_eval", json!({ "code": "*kept*" })).text, "=> 42");
}
