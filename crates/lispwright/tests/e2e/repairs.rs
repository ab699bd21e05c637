//! Unbalanced source and patches: certain repairs are made and reported, others are refused with candidates.

use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Client, Session, binary, cache};
use crate::project::Project;

/// One dialect: a file name, a sound form `f` among others, and a line of it that has lost its last delimiter.
struct Case {
    path: &'static str,
    file: &'static str,
    form: &'static str,
    whole: &'static str,
    lost: &'static str,
}

const CASES: [Case; 6] = [
    Case {
        path: "a.lisp",
        file: "(defun before () 1)\n\nFORM\n\n(defun after () 2)\n",
        form: "(defun f (c)\n  \"A ( in a docstring, and :-) too.\"\n  (let ((y (list c #\\( #\\))))\n    (print y)))",
        whole: "(let ((y (list c #\\( #\\))))",
        lost: "(let ((y (list c #\\( #\\)))",
    },
    Case {
        path: "a.scm",
        file: "(define (before) 1)\n\nFORM\n\n(define (after) 2)\n",
        form: "(define (f c)\n  #;(ignored ( here))\n  (let ((y (list c #\\( 'λ)))\n    (display y)))",
        whole: "(let ((y (list c #\\( 'λ)))",
        lost: "(let ((y (list c #\\( 'λ))",
    },
    Case {
        path: "a.clj",
        file: "(defn before [] 1)\n\nFORM\n\n(defn after [] 2)\n",
        form: "(defn f [c]\n  (let [y (conj [c \\( \\)] {:a 1})]\n    (println y #\"[(]\")))",
        whole: "(let [y (conj [c \\( \\)] {:a 1})]",
        lost: "(let [y (conj [c \\( \\)] {:a 1}]",
    },
    Case {
        path: "a.el",
        file: "(defun before () 1)\n\nFORM\n\n(provide 'a)\n;;; a.el ends here\n",
        form: "(defun f (c)\n  \"Is C a ( or ?\\\\) here?\"\n  (when (memq c '(?\\( ?\\)))\n    (message \"%s\" c)))",
        whole: "(when (memq c '(?\\( ?\\)))",
        lost: "(when (memq c '(?\\( ?\\))",
    },
    Case {
        path: "a.edn",
        file: "{:before 1}\n\nFORM\n\n{:after 2}\n",
        form: "(f {:a [1 2]\n    :b #{3 4}})",
        whole: ":b #{3 4}})",
        lost: ":b #{3 4})",
    },
    Case {
        path: "b.lisp",
        file: "(eval-when (:compile-toplevel)\n  (defvar *a* 1)\n  FORM\n  (defvar *b* 2))\n",
        form: "(defun f (x)\n    (when x\n      (print x))\n    (list x))",
        whole: "(print x))",
        lost: "(print x)",
    },
];

/// The line on which the form begins.
fn line_of(text: &str) -> usize {
    text[..text.find("FORM").unwrap()].matches('\n').count() + 1
}

#[test]
fn replace_with_a_lost_delimiter_in_every_dialect() {
    for Case { path, file, form, whole, lost } in CASES {
        let before = file.replace("FORM", form);
        let mut session = Session::with_file(path, &before);
        // The new form differs from the old one elsewhere, so that something is written.
        let wanted = form.replacen("(f ", "(f  ", 1).replacen(" f ", " f  ", 1);
        let content = wanted.replacen(whole, lost, 1);
        assert_ne!(content, wanted, "{path}");
        let arguments = json!({ "path": path, "operation": "replace", "line": line_of(file), "content": content });
        let answer = session.ok("lisp_edit_form", arguments.clone());
        assert!(answer.text.starts_with("repaired: content, line"), "{path}: {}", answer.text);
        assert_eq!(session.project.text(path), file.replace("FORM", &wanted), "{path}");
        let line = &answer.fields["repair"]["lines"][0];
        let number = content.lines().position(|line| line.contains(lost)).unwrap() + 1;
        assert_eq!(line["line"], number, "{path}");
        assert_eq!(line["before"].as_str().map(str::trim), Some(lost), "{path}");
        assert_eq!(line["after"].as_str().map(str::trim), Some(whole), "{path}");
        assert!(!answer.fields["repair"]["evidence"][0].as_str().unwrap().is_empty(), "{path}");

        session.project.file(path, &before);
        let mut forbidden = arguments;
        forbidden["repair"] = false.into();
        let refused =
            session.refused("lisp_edit_form", forbidden, "UNBALANCED", &["nothing was written", "Certain fix"]);
        let place = format!("{path}: content:{number}:");
        assert!(refused.text.starts_with(&place), "{path}: {}", refused.text);
        assert_eq!(refused.fields["candidates"][0]["repaired"].as_str().map(str::trim), Some(whole), "{path}");
    }
}

/// Replacing `f` by `content` repairs it and turns `before` into `after`, byte for byte.
#[track_caller]
fn check_bytes(before: &[u8], content: &str, after: &[u8]) {
    let mut session = Session::with_file("a.lisp", before);
    let arguments = json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": content });
    let answer = session.ok("lisp_edit_form", arguments);
    assert!(answer.fields["repair"].is_object(), "{}", answer.text);
    assert_eq!(session.project.bytes("a.lisp"), after);
}

#[test]
fn a_repair_keeps_line_ends_tabs_and_encodings() {
    check_bytes(
        b"(defun e ()\n  1)\r\n\r\n(defun f (x)\r\n\t(when x\r\n\t  (print x))\r\n\tx)\r\n\n(g)\n",
        "(defun f (x)\n\t(when x\n\t  (print x)\n\t(list x))",
        b"(defun e ()\n  1)\r\n\r\n(defun f (x)\r\n\t(when x\r\n\t  (print x))\r\n\t(list x))\r\n\n(g)\n",
    );
    check_bytes(
        b";; caf\xE9\n(defun f (x)\n  (list x \"\xFC\"))\n(g)\n",
        "(defun f (x)\n  (list x x \"ü\")",
        b";; caf\xE9\n(defun f (x)\n  (list x x \"\xFC\"))\n(g)\n",
    );
    check_bytes(
        b"\xEF\xBB\xBF(defun f (x)\n  (list x))\n(g)",
        "(defun f (x)\n  (list x x)",
        b"\xEF\xBB\xBF(defun f (x)\n  (list x x))\n(g)",
    );
    check_bytes(
        "(defun f (größe)\n  (list größe 'λ))\n".as_bytes(),
        "(defun f (größe)\n  (list größe größe 'λ)",
        "(defun f (größe)\n  (list größe größe 'λ))\n".as_bytes(),
    );
}

const NEIGHBOURS: &str = "(defun area (circle)\n  (let ((r (radius circle)))\n    (* pi r r)))\n\n\
                          (defun show (x)\n  (when x\n    (print x))\n  (list x))\n";

#[test]
fn new_forms_are_repaired_by_the_layout_of_the_file() {
    let content =
        "(defun total (items)\n  (let ((sum 0))\n    (dolist (item items)\n      (incf sum item)\n    sum))\n";
    let whole = content.replace("(incf sum item)", "(incf sum item))");
    for operation in ["insert_before", "insert_after", "append"] {
        let mut session = Session::with_file("a.lisp", NEIGHBOURS);
        let mut arguments = json!({ "path": "a.lisp", "operation": operation, "content": content });
        if operation != "append" {
            arguments["name"] = "show".into();
        }
        let answer = session.ok("lisp_edit_form", arguments);
        assert_eq!(answer.fields["repair"]["lines"][0]["line"], 4, "{}", answer.text);
        assert!(answer.text.contains("  4 - (incf sum item)\n  4 + (incf sum item))\n"), "{}", answer.text);
        let text = session.project.text("a.lisp");
        assert!(text.contains(whole.trim_end()), "{text}");
        assert_eq!(text.len(), NEIGHBOURS.len() + whole.trim_end().len() + 2, "{text}");
    }
}

#[test]
fn uncertain_repairs_are_refused_with_candidates() {
    let mut session = Session::with_file("a.lisp", NEIGHBOURS);
    let edit = |content: &str| json!({ "path": "a.lisp", "operation": "append", "content": content });
    // The missing rest is unknown, and closers alone would end the function without a body.
    let content = "(defun rate (income expense)\n  \"In percent.\"\n  (let ((income (total income))\n        (expense (total expense)))";
    let says = ["Not certain", "Candidates, likeliest first", "Correct line 4 of content"];
    let refused = session.refused("lisp_edit_form", edit(content), "UNBALANCED", &says);
    assert!(refused.text.starts_with("a.lisp: content:4:"), "{}", refused.text);
    assert_eq!((&refused.fields["position"]["line"], &refused.fields["certain"]), (&json!(4), &json!(false)));
    assert_eq!((&refused.fields["expected"], &refused.fields["opened_at"]["line"]), (&json!(")"), &json!(1)));
    let candidates = refused.fields["candidates"].as_array().unwrap();
    assert!(candidates.len() > 1, "{candidates:?}");
    for candidate in candidates {
        assert_ne!(candidate["original"], candidate["repaired"]);
    }
    // A form that stops in the middle is not closed automatically.
    let content =
        "(defun rate (income expense)\n  (let ((rate (/ income expense)))\n    (when (plusp rate)\n      (list (round";
    session.refused("lisp_edit_form", edit(content), "UNBALANCED", &["a.lisp: content:4:"]);
    // Other faults than those of delimiters come first.
    session.refused("lisp_edit_form", edit("```lisp\n(defun g (x)\n  (list x)\n```"), "BAD_ARGUMENT", &["fence"]);
}

#[test]
fn a_repair_never_changes_what_is_defined() {
    let file = "(defun f (x)\n  (list x))\n\n(defun g (y)\n  (list y))\n";
    let mut session = Session::with_file("a.lisp", file);
    // Two definitions, the first of them open, and none that is replaced: closing it would lose what is there.
    let content = "(defun e (x)\n  (list x x)\n\n(defun h (y)\n  (list y))";
    let arguments = json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": content });
    session.refused("lisp_edit_form", arguments, "UNBALANCED", &["nothing was written"]);
    // With the one that is replaced among them, the other comes along.
    let replaced = json!({ "path": "a.lisp", "operation": "replace", "name": "f", "dry_run": true,
                           "content": content.replace("(defun e", "(defun f") });
    let done = session.ok("lisp_edit_form", replaced);
    assert!(done.text.contains("+(defun h (y)"), "{}", done.text);
    // For an insertion the same content is two forms, and may be.
    let arguments = json!({ "path": "a.lisp", "operation": "append", "content": content });
    session.ok("lisp_edit_form", arguments);
    let whole = content.replace("(list x x)", "(list x x))");
    assert_eq!(session.project.text("a.lisp"), format!("{file}\n{whole}\n"));
}

#[test]
fn digests_and_dry_runs_are_honoured() {
    let file = "(defun f (x)\n  (list x))\n";
    let mut session = Session::with_file("a.lisp", file);
    let edit = |extra: (&str, Value)| {
        let mut arguments =
            json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": "(defun f (x)\n  (list x x)" });
        arguments[extra.0] = extra.1;
        arguments
    };
    session.refused("lisp_edit_form", edit(("digest", "0123456789abcdef".into())), "STALE", &["(list x))"]);
    let dry = session.ok("lisp_edit_form", edit(("dry_run", true.into())));
    assert!(dry.text.starts_with("repaired: ") && dry.text.contains("Dry run of replace"), "{}", dry.text);
    assert_eq!(session.project.text("a.lisp"), file);
    let digest = session.ok("lisp_read_form", json!({ "path": "a.lisp", "name": "f" })).fields["digest"].clone();
    let done = session.ok("lisp_edit_form", edit(("digest", digest)));
    assert!(done.fields["diff"].as_str().unwrap().contains("+  (list x x))"), "{}", done.fields);
    assert_eq!(session.project.text("a.lisp"), "(defun f (x)\n  (list x x))\n");
}

#[test]
fn patches_are_repaired_unless_that_is_forbidden() {
    let file = "(progn\n  (defun f (x)\n    (when x\n      (print x))\n    (list x)))\n";
    let mut session = Session::with_file("a.lisp", file);
    let new_text = "(print x)\n      (terpri)";
    let arguments =
        json!({ "path": "a.lisp", "name": "f", "old_text": "(print x))", "new_text": new_text, "repair": false });
    let says = ["Add 1 delimiter to new_text (lines 4-5): `)`", "Certain fix", "repair=true"];
    let refused = session.refused("lisp_patch_form", arguments.clone(), "UNBALANCED", &says);
    assert!(refused.text.starts_with("a.lisp:5:15: unclosed with this patch"), "{}", refused.text);
    let sent_again =
        ":\n```\n(print x)\n      (terpri))\n```\nOr accept a candidate as it is: lisp_edit_form {\"accept\": \"c1\"}";
    assert!(refused.text.ends_with(sent_again), "{}", refused.text);
    assert_eq!(refused.fields["new_text"], "(print x)\n      (terpri))");
    let mut asked = arguments;
    asked.as_object_mut().unwrap().remove("repair");
    let done = session.ok("lisp_patch_form", asked);
    assert!(done.text.starts_with("repaired: the new text"), "{}", done.text);
    assert_eq!(done.fields["repair"]["lines"][0]["line"], 5);
    assert_eq!(session.project.text("a.lisp"), file.replace("(print x))", "(print x)\n      (terpri))"));
    // The missing closer is in one run with those after the patch.
    let asked =
        json!({ "path": "a.lisp", "name": "f", "old_text": "(list x)", "new_text": "(list (car x)", "repair": true });
    session.ok("lisp_patch_form", asked);
    assert!(session.project.text("a.lisp").ends_with("\n    (list (car x))))\n"));
}

#[test]
fn a_check_shows_certain_fixes() {
    let broken = NEIGHBOURS.replace("(* pi r r)))", "(* pi r r))");
    let mut session = Session::with_file("a.lisp", &broken);
    let check = session.ok("lisp_check_parens", json!({ "path": "a.lisp" }));
    assert_eq!(check.fields["repaired_source"], NEIGHBOURS, "{}", check.text);
    let fix = &check.fields["likely_fixes"][0];
    assert_eq!((&fix["line"], &fix["add"], &fix["remove"]), (&json!(3), &json!(")"), &json!("")));
    assert!(check.text.starts_with("a.lisp:3:16: unclosed"), "{}", check.text);
    assert!(check.text.contains("Certain fix") && !check.text.contains("(let ((r"), "{}", check.text);
    assert!(check.text.contains("Forms read well again from line 5 on."), "{}", check.text);
    let check = session.ok("lisp_check_parens", json!({ "code": "(f (g\n(h\n" }));
    assert!(check.fields.get("repaired_source").is_none(), "{}", check.fields);
    assert!(check.text.contains("none is certain") || check.text.contains("No fix is known"), "{}", check.text);
    // A window is repaired by itself; its lines are those of the file.
    let start = broken.find("(defun area").unwrap();
    let window = json!({ "path": "a.lisp", "offset": start, "limit": broken.find("\n\n").unwrap() - start });
    let check = session.ok("lisp_check_parens", window);
    assert_eq!((&check.fields["ok"], &check.fields["position"]["line"]), (&json!(false), &json!(3)));
}

#[test]
fn texts_without_a_file_get_the_same_diagnosis() {
    let project = Project::new();
    project.file("a.lisp", "(defun f (x)\n  (list x))\n");
    let mut command = Command::new(binary());
    command.args(["mcp", "--root"]).arg(project.root()).env("XDG_CACHE_HOME", cache());
    let mut client = Client::connect(command);
    let edit =
        json!({ "path": "a.lisp", "operation": "replace", "name": "f", "content": "(defun f (x)\n  (list x x)" });
    let answer = client.call("lisp_edit_form", edit);
    assert!(!answer.is_error && answer.fields.is_null(), "{answer:?}");
    assert!(answer.text.starts_with("repaired: content, line 2"), "{}", answer.text);
    assert!(answer.text.contains("  2 - (list x x)\n  2 + (list x x))\n"), "{}", answer.text);
}
