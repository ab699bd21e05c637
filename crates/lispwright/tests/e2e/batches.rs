//! Several edits in one call, and edits that are verified before they stay.

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

const FILES: &[(&str, &str)] =
    &[("a.lisp", "(defun one () 1)\n\n(defun two ()\n  (one))\n"), ("b.lisp", "(defun three () (two))\n")];

#[test]
fn all_edits_are_made_or_none() {
    let mut session = session(FILES);
    let before = session.project.snapshot();
    let edits = json!([
        { "path": "a.lisp", "operation": "replace", "name": "one", "content": "(defun one (x) x)" },
        { "path": "a.lisp", "operation": "patch", "name": "two", "old_text": "(one)", "new_text": "(one 1)" },
        { "path": "b.lisp", "operation": "insert_after", "name": "three", "content": "(defun four () 4)" },
        { "path": "c.lisp", "operation": "append", "content": "(defun five () 5)" },
    ]);
    let shown = session.ok("lisp_edit_batch", json!({ "edits": edits, "dry_run": true }));
    assert!(shown.text.starts_with("Dry run, nothing was written: 4 edits in 3 files."), "{}", shown.text);
    assert_eq!(session.project.snapshot(), before);
    let mut wrong = edits.clone();
    wrong[2]["name"] = json!("thre");
    session.refused(
        "lisp_edit_batch",
        json!({ "edits": wrong }),
        "FORM_NOT_FOUND",
        &["Edit 3 of 4", "b.lisp", "three", "None of the edits was made"],
    );
    let mut unbalanced = edits.clone();
    unbalanced[3]["content"] = json!("(defun five () 5))");
    unbalanced[3]["repair"] = json!(false);
    session.refused("lisp_edit_batch", json!({ "edits": unbalanced }), "UNBALANCED", &["Edit 4 of 4"]);
    assert_eq!(session.project.snapshot(), before);
    let done = session.ok("lisp_edit_batch", json!({ "edits": edits }));
    for part in [
        "Made 4 edits in 3 files, together.",
        "Replaced defun one in a.lisp:1",
        "Patched defun two in a.lisp:4",
        "\nNew: c.lisp.",
    ] {
        assert!(done.text.contains(part), "{part:?} is not in {}", done.text);
    }
    assert!(!done.text.contains("+(defun one (x) x)"), "what was sent is not said again: {}", done.text);
    assert_eq!(session.project.text("a.lisp"), "(defun one (x) x)\n\n(defun two ()\n  (one 1))\n");
    assert_eq!(session.project.text("b.lisp"), "(defun three () (two))\n\n(defun four () 4)\n");
    assert_eq!(session.project.text("c.lisp"), "(defun five () 5)\n");
    assert_eq!(done.fields["files"].as_array().unwrap().len(), 3);
    assert_eq!(done.fields["edits"][1]["operation"], "patch");
}

#[test]
fn what_does_not_compile_is_taken_back() {
    let mut session = session(FILES);
    let before = session.project.snapshot();
    session.ok("load_system", json!({ "path": "a.lisp" }));
    let bad = json!({
        "path": "a.lisp", "operation": "replace", "name": "one", "content": "(defun one () (let ((x 1) (x 2)) x))",
        "verify": "compile",
    });
    let refused =
        session.refused("lisp_edit_form", bad, "WOULD_BREAK", &["The files are as they were.", "does not compile"]);
    assert!(refused.text.contains("a.lisp:1"), "{}", refused.text);
    assert_eq!(session.project.snapshot(), before);
    assert_eq!(session.ok("repl_eval", json!({ "code": "(one)" })).text, "=> 1");
    let with = |body: &str| {
        json!({
            "path": "a.lisp", "operation": "replace", "name": "one", "content": format!("(defun one () {body})"),
            "verify": "compile",
        })
    };
    // The compiler warns of a variable that nobody defines; what is a matter of style is only told.
    let refused = session.refused("lisp_edit_form", with("no-such-variable"), "WOULD_BREAK", &["does not compile"]);
    assert!(refused.text.contains("no-such-variable") || refused.text.contains("NO-SUCH-VARIABLE"), "{}", refused.text);
    assert_eq!(session.project.snapshot(), before);
    let done = session.ok("lisp_edit_form", with("(let ((unused 1)) 1)"));
    assert!(done.text.contains("Verified: it compiles") && done.text.contains("style-warning"), "{}", done.text);
    let good = json!({
        "path": "a.lisp", "operation": "replace", "name": "one", "content": "(defun one () 11)", "verify": "compile",
    });
    let done = session.ok("lisp_edit_form", good);
    assert!(done.text.contains("Verified: it compiles (in a copy of the session's image"), "{}", done.text);
    assert_eq!(done.fields["verification"]["passed"], true);
    assert_eq!(session.project.text("a.lisp"), FILES[0].1.replace("() 1)", "() 11)"));
    assert_eq!(session.ok("repl_eval", json!({ "code": "(one)" })).text, "=> 1");
    let load = json!({
        "path": "a.lisp", "operation": "replace", "name": "one", "content": "(defun one () 12)", "load": true,
    });
    let done = session.ok("lisp_edit_form", load);
    assert!(done.text.contains("the session has the new code"), "{}", done.text);
    assert_eq!(session.ok("repl_eval", json!({ "code": "(two)" })).text, "=> 12");
}

#[test]
fn what_fails_its_tests_is_taken_back() {
    let mut session = session(&[
        ("sum.clj", "(ns sum)\n\n(defn add [a b]\n  (+ a b))\n"),
        (
            "sum_test.clj",
            "(ns sum-test\n  (:require [sum] [clojure.test :refer [deftest is]]))\n\n(deftest adds\n  (is (= 3 (sum/add 1 2))))\n",
        ),
    ]);
    let edit = |body: &str| {
        json!({
            "edits": [{ "path": "sum.clj", "operation": "patch", "name": "add", "old_text": "(+ a b)", "new_text": body }],
            "verify": "tests",
        })
    };
    let before = session.project.snapshot();
    let refused = session.refused(
        "lisp_edit_batch",
        edit("(- a b)"),
        "WOULD_BREAK",
        &["The files are as they were.", "does not pass its tests", "adds"],
    );
    assert_eq!(session.project.snapshot(), before, "{}", refused.text);
    let done = session.ok("lisp_edit_batch", edit("(+ b a)"));
    assert!(done.text.contains("Verified: the tests pass"), "{}", done.text);
    assert!(session.project.text("sum.clj").contains("(+ b a)"));
}

/// The example project, which has its tests in a system of its own.
fn ledger() -> Session {
    let project = Project::new();
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ledger");
    let mut directories = vec![example.clone()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                let name = path.strip_prefix(&example).unwrap().display().to_string();
                project.file(&name, std::fs::read(&path).unwrap());
            }
        }
    }
    Session::on_with_sets(project, "default,refactor")
}

#[test]
fn a_system_is_compiled_and_tested() {
    let mut session = ledger();
    let (before, text) = (session.project.snapshot(), session.project.text("src/money.lisp"));
    let edit = |old: &str, new: &str, verify: &str| {
        json!({
            "edits": [{ "path": "src/money.lisp", "operation": "patch", "name": "cents", "old_text": old, "new_text": new }],
            "verify": verify, "system": if verify == "tests" { json!("ledger/tests") } else { json!(null) },
        })
    };
    let breaks = edit("(* 100 whole) fraction)\n      (+", "(* 100 whole) fraction)\n      (-", "tests");
    let refused = session.refused("lisp_edit_batch", breaks, "WOULD_BREAK", &["does not pass its tests"]);
    assert!(
        refused.text.contains("money-has-a-printed-form") || refused.text.contains("MONEY-HAS"),
        "{}",
        refused.text
    );
    assert_eq!(session.project.snapshot(), before);
    // Without a name, the systems that are defined beside the file are looked for tests.
    let mut unnamed = edit("(* 100 whole) fraction)\n      (+", "(* 100 whole) fraction)\n      (-", "tests");
    unnamed.as_object_mut().unwrap().remove("system");
    session.refused("lisp_edit_batch", unnamed, "WOULD_BREAK", &["ledger/tests", "does not pass its tests"]);
    assert_eq!(session.project.snapshot(), before);
    let passes = edit("(integer 0 99)", "(mod 100)", "tests");
    let done = session.ok("lisp_edit_batch", passes);
    assert!(done.text.contains("Verified: the tests pass (in a copy"), "{}", done.text);
    let compiles = edit("(mod 100)", "(integer 0 99)", "compile");
    let mut compiles = compiles;
    compiles.as_object_mut().unwrap().remove("system");
    let done = session.ok("lisp_edit_batch", compiles);
    assert!(done.text.contains("): ledger in "), "{}", done.text);
    assert_eq!(session.project.text("src/money.lisp"), text);
}
