//! Whole-form edits as before/after strings. `▸` marks the form that an edit names.
#![allow(clippy::unwrap_used, missing_docs)]

mod words;

use lispwright_edit::{
    Edit, EditRefusal, Edited, FormOperation, Note, Prevails, Source, Target, Unexpected, edit, locate,
};
use lispwright_syntax::{DiagnosticKind, Dialect};
use words::said;

use Dialect::{Clojure, CommonLisp, EmacsLisp, Scheme};
use FormOperation::{Append, Delete, InsertAfter, InsertBefore, Replace};

/// Runs one edit on `marked`, and returns the text before it with the answer.
fn run(
    dialect: Dialect,
    marked: &str,
    operation: FormOperation,
    content: &str,
) -> (String, Result<Edited, EditRefusal>) {
    let text = marked.replace('▸', "");
    let source = Source::read(&text, dialect);
    let content = Some(content);
    let Some(mark) = marked.find('▸') else {
        let request = Edit { operation, target: Target::default(), content, digest: None, repair: false };
        let found = edit(&source, &request);
        return (text, found);
    };
    let form = source.forms.iter().find(|(_, form)| form.outer.start as usize == mark);
    let (id, form) = form.unwrap_or_else(|| panic!("no form begins at the mark in {marked}"));
    let line = Some(source.lines.line(form.outer.start));
    let name = form.name.as_deref();
    let targets = [None, Some(1), Some(2), Some(3)].map(|index| Target { name, form_type: None, index, line });
    let target = targets.into_iter().find(|target| locate(&source, target) == Ok(id)).expect("an address of the form");
    let found = edit(&source, &Edit { operation, target, content, digest: None, repair: false });
    (text, found)
}

#[track_caller]
fn check(dialect: Dialect, before: &str, operation: FormOperation, content: &str, after: &str) -> Edited {
    let (text, found) = run(dialect, before, operation, content);
    let edited = found.unwrap_or_else(|refusal| panic!("refused: {refusal:?}"));
    assert_eq!(edited.text, after, "{}", operation.name());
    assert_eq!(edited.changed, text != after);
    assert_eq!(edited.diff.is_empty(), !edited.changed);
    edited
}

#[track_caller]
fn refused(
    dialect: Dialect,
    before: &str,
    operation: FormOperation,
    content: &str,
    code: &str,
    words: &str,
) -> EditRefusal {
    let (_, found) = run(dialect, before, operation, content);
    let refusal = found.expect_err("the edit should be refused");
    assert_eq!(refusal.code(), code, "{refusal:?}");
    assert!(said(&refusal).contains(words), "{refusal:?}");
    refusal
}

#[test]
fn content_that_was_cut_by_a_view_has_a_refusal_of_its_own() {
    let rest: String = (100..160).map(|n| format!("\n  (list x {n})")).collect();
    let before = format!("▸(defun f (x){rest})\n");
    let cut = format!("(defun f (x){}", &rest[..600]);
    refused(CommonLisp, &before, Replace, &cut, "UNBALANCED", "the first 612 of the form's 913");
    refused(CommonLisp, &before, Replace, &format!("(defun f (y){rest}"), "UNBALANCED", "Certain fix");
}

#[test]
fn content_is_read_as_it_will_be_at_the_start_of_the_file() {
    refused(CommonLisp, "▸(a)\n", Replace, " #!#\\(", "BAD_ARGUMENT", "no form");
}

#[test]
fn a_mark_decides_how_the_forms_after_it_are_read() {
    let refused =
        |before, operation, content| refused(Scheme, before, operation, content, "WOULD_BREAK", "(b |c d| e)");
    refused("▸(a)\n(b |c d| e)\n", Replace, "(a #!r7rs)");
    refused("▸(define-library (a))\n(b |c d| e)\n", Delete, "");
    refused("▸(define-library (a))\n(b |c d| e)\n", Replace, "(a)");
    check(Scheme, "(b |c d| e)\n▸(a)\n(c)\n", Replace, "(a #!r7rs)", "(b |c d| e)\n(a #!r7rs)\n(c)\n");
    check(Scheme, "#!r7rs\n▸(a)\n", Replace, "(a |b (c|)", "#!r7rs\n(a |b (c|)\n");
    let library = "(define-library (a) (begin |b (c|))";
    check(Scheme, "(d |e)\n▸(define-library (a))\n", Replace, library, &format!("(d |e)\n{library}\n"));
}

#[test]
fn a_no_break_space_is_a_symbol_and_stays() {
    check(CommonLisp, "▸(a)\n\u{a0}\n(b)\n", Delete, "", "\u{a0}\n(b)\n");
    check(CommonLisp, "(b)\n\u{a0}\n\n▸(a)\n", Delete, "", "(b)\n\u{a0}\n");
    check(CommonLisp, "\u{a0}\n", Append, "(a)", "\u{a0}\n\n(a)\n");
}

#[test]
fn replace_changes_the_form_alone() {
    check(
        CommonLisp,
        ";; about a\n(defun a () 1)\n\n;; about b\n▸(defun b (x)\n  x) ; tail\n\n(defun c ())\n",
        Replace,
        "(defun b (x y)\n  (+ x y))\n",
        ";; about a\n(defun a () 1)\n\n;; about b\n(defun b (x y)\n  (+ x y)) ; tail\n\n(defun c ())\n",
    );
}

#[test]
fn replace_keeps_conditions_unless_the_content_brings_one() {
    let before = "#+sbcl ▸(defun f () 1)\n#-sbcl (defun f () 2)\n";
    // The mark is before the condition, which is part of the form.
    let before = before.replace("#+sbcl ▸", "▸#+sbcl ");
    let kept = check(CommonLisp, &before, Replace, "(defun f () 3)", "#+sbcl (defun f () 3)\n#-sbcl (defun f () 2)\n");
    assert_eq!(kept.notes, [Note::PrefixKept("#+sbcl".into())]);
    check(CommonLisp, &before, Replace, "#+ccl (defun f () 3)", "#+ccl (defun f () 3)\n#-sbcl (defun f () 2)\n");
    check(
        CommonLisp,
        "#+sbcl (defun f () 1)\n▸#-sbcl\n(defun f () 2)\n",
        Replace,
        "(defun f () 3)",
        "#+sbcl (defun f () 1)\n#-sbcl\n(defun f () 3)\n",
    );
}

#[test]
fn replace_with_a_comment_replaces_the_header() {
    check(
        CommonLisp,
        ";;;; Section\n\n;; old\n;; words\n▸(defun f () 1)\n",
        Replace,
        ";; new\n(defun f () 2)",
        ";;;; Section\n\n;; new\n(defun f () 2)\n",
    );
    check(
        CommonLisp,
        "(a)\n▸#+x\n(defun f () 1)\n",
        Replace,
        ";; new\n(defun f () 2)",
        "(a)\n;; new\n#+x\n(defun f () 2)\n",
    );
    check(
        CommonLisp,
        "(progn\n  ;; old\n  ▸(defun f () 1))\n",
        Replace,
        ";; new\n(defun f ()\n  2)",
        "(progn\n  ;; new\n  (defun f ()\n    2))\n",
    );
}

#[test]
fn replace_with_a_trailing_comment() {
    check(CommonLisp, "▸(defun f () 1) ; old\n(g)\n", Replace, "(defun f () 2) ; new", "(defun f () 2) ; new\n(g)\n");
    check(CommonLisp, "▸(defun f () 1)\n(g)\n", Replace, "(defun f () 2) ; new", "(defun f () 2) ; new\n(g)\n");
    check(
        CommonLisp,
        "(progn\n  ▸(defun f () 1))\n",
        Replace,
        "(defun f () 2) ; new",
        "(progn\n  (defun f () 2) ; new\n  )\n",
    );
}

#[test]
fn replace_with_its_own_text_changes_nothing() {
    for text in [
        "▸(defun f (x)\n  x)\n",
        ";; c\n▸#+sbcl (defun f (x)\n  x)\n",
        "(eval-when (:load-toplevel)\n  ▸(defun f (x)\n  x))\n",
    ] {
        let plain = text.replace('▸', "");
        let start = text.find('▸').unwrap();
        let source = Source::read(&plain, CommonLisp);
        let (id, _) = source.forms.iter().find(|(_, form)| form.outer.start as usize == start).unwrap();
        let own = source.form_text(id).content.to_owned();
        assert!(!check(CommonLisp, text, Replace, &own, &plain).changed);
    }
}

#[test]
fn replace_inside_wrappers() {
    check(
        CommonLisp,
        "(eval-when (:compile-toplevel)\n  (defvar *a* 1)\n  ▸(defun f (x)\n    x))\n",
        Replace,
        "(defun f (x)\n  \"Text\n stays\"\n  (1+ x))",
        "(eval-when (:compile-toplevel)\n  (defvar *a* 1)\n  (defun f (x)\n    \"Text\n stays\"\n    (1+ x)))\n",
    );
    // Content that is already in its column is not moved.
    check(
        CommonLisp,
        "(progn\n  ▸(defun f (x)\n    x))\n",
        Replace,
        "  (defun f (x)\n    (1+ x))",
        "(progn\n  (defun f (x)\n    (1+ x)))\n",
    );
    check(
        Clojure,
        "#?(:clj ▸(defn f [] 1)\n   :cljs (defn f [] 2))\n",
        Replace,
        "(defn f [] 3)",
        "#?(:clj (defn f [] 3)\n   :cljs (defn f [] 2))\n",
    );
}

#[test]
fn replace_notes_another_name() {
    let edited = check(CommonLisp, "▸(defun f () 1)\n", Replace, "(defmacro g () 1)", "(defmacro g () 1)\n");
    assert_eq!(edited.notes, [Note::Renamed { before: "defun f".into(), after: "defmacro g".into() }]);
    assert_eq!((edited.form_type.as_str(), edited.form_name.as_str()), ("defun", "f"));
}

#[test]
fn what_no_reader_takes_is_refused() {
    let pairs = "▸(defvar *words* '((a . 1) (b . 2)))\n";
    let two_ends = "(defvar *words* '((a . 1 (b . 2))))";
    refused(EmacsLisp, pairs, Replace, two_ends, "UNBALANCED", "exactly one datum");
    check(EmacsLisp, pairs, Replace, "(defvar *words* '((a . 1)))", "(defvar *words* '((a . 1)))\n");
    refused(Clojure, "▸(def a {})\n", Replace, "(def a {:a 1 :b})", "UNBALANCED", "has no value");
    refused(Clojure, "▸(def a {})\n", InsertAfter, "(def b #{1 1})", "UNBALANCED", "Take one of the two out");
    refused(CommonLisp, "▸(f)\n", Append, "(defvar *x* #<FOO 12>)", "UNBALANCED", "printed object");
    refused(CommonLisp, "▸(f)\n", InsertBefore, "#;(g)\n(h)", "UNBALANCED", "only in Scheme");
    check(CommonLisp, "▸(f #<a>)\n", InsertAfter, "(g)", "(f #<a>)\n\n(g)\n");
}

#[test]
fn marks_in_the_place_of_code_are_refused() {
    let before = "▸(defun f (x)\n  (print x)\n  x)\n";
    for content in [
        "(defun f (x)\n  ;; ... existing code ...\n  (list x))",
        "(defun f (x)\n  ...\n  (list x))",
        "(defun f (x) ...)",
        "(defun f (x)\n  ; … rest of the function …\n  )",
    ] {
        refused(CommonLisp, before, Replace, content, "BAD_ARGUMENT", "what is not sent is lost");
        refused(CommonLisp, before, InsertAfter, content, "BAD_ARGUMENT", "what is not sent is lost");
    }
    let macro_of_old = "(define-syntax-rule (f x ...)\n  (list x ...))";
    check(Scheme, "▸(a)\n", Replace, macro_of_old, &format!("{macro_of_old}\n"));
    let kept = "(defun f (x)\n  ;; ... existing code ...\n  x)";
    check(CommonLisp, &format!("▸{}\n", kept.replace("x)", "y)")), Replace, kept, &format!("{kept}\n"));
}

#[test]
fn effects_that_are_seldom_meant_are_noted() {
    let edited = check(CommonLisp, "▸(defun f (x) x)\n", Replace, "(list x)", "(list x)\n");
    let (before, after) = ("defun f".into(), "list x".into());
    assert_eq!(edited.notes, [Note::Unexpected(Unexpected::Undefined { before, after, line: 1 })]);
    let twice = "(defun f (x) x)\n\n(g)\n\n(defun f (y) y)\n";
    let edited = check(CommonLisp, "(defun f (x) x)\n\n▸(g)\n", InsertAfter, "(defun f (y) y)", twice);
    assert_eq!(
        edited.notes,
        [Note::Unexpected(Unexpected::DefinedTwice {
            label: "defun f".into(),
            line: 5,
            other: 1,
            prevails: Prevails::Later
        })]
    );
    let edited = check(
        CommonLisp,
        "(defmethod f ((x a)))\n▸(g)\n",
        Replace,
        "(defmethod f ((x b)))",
        "(defmethod f ((x a)))\n(defmethod f ((x b)))\n",
    );
    assert!(!edited.notes.iter().any(|note| matches!(note, Note::Unexpected(_))), "{:?}", edited.notes);
    let sums = "(defun f (x)\n  \"Sum the \"prices\" of X.\"\n  x)";
    let edited = check(CommonLisp, "▸(defun f (x) x)\n", Replace, sums, &format!("{sums}\n"));
    assert_eq!(edited.notes, [Note::Unexpected(Unexpected::GluedQuotes { line: 2 })]);
}

#[test]
fn insert_before_goes_above_the_header() {
    check(
        CommonLisp,
        "(defun a () 1)\n\n;; about b\n▸#+sbcl\n(defun b ()\n  2)\n",
        InsertBefore,
        ";; about x\n(defun x ())",
        "(defun a () 1)\n\n;; about x\n(defun x ())\n\n;; about b\n#+sbcl\n(defun b ()\n  2)\n",
    );
    check(CommonLisp, "▸(defun b ())\n", InsertBefore, "(in-package :x)", "(in-package :x)\n\n(defun b ())\n");
    check(CommonLisp, "▸(a)\n(b)\n", InsertBefore, "(x)", "(x)\n(a)\n(b)\n");
    check(CommonLisp, "(a)\n▸(b)\n", InsertBefore, "(x\n y)", "(a)\n\n(x\n y)\n\n(b)\n");
    check(CommonLisp, "(a) ▸(b)\n", InsertBefore, "(x)", "(a) (x) (b)\n");
}

#[test]
fn insert_after_leaves_comments_where_they_belong() {
    check(
        CommonLisp,
        "▸(defun a ()\n  1) ; tail of a\n\n;; about b\n(defun b ())\n",
        InsertAfter,
        "(defun x ())\n(defun y ())",
        "(defun a ()\n  1) ; tail of a\n\n(defun x ())\n(defun y ())\n\n;; about b\n(defun b ())\n",
    );
    check(
        CommonLisp,
        "▸(defun a ()\n  1)\n;; about b\n(defun b ())\n",
        InsertAfter,
        "(defun x ())",
        "(defun a ()\n  1)\n(defun x ())\n;; about b\n(defun b ())\n",
    );
    check(CommonLisp, "▸(a)", InsertAfter, "(b) ; c", "(a)\n\n(b) ; c");
    check(CommonLisp, "▸(a) (b)\n", InsertAfter, "(x)", "(a) (x) (b)\n");
    check(CommonLisp, "▸(a) (b)\n", InsertAfter, "(x) ; c", "(a)\n(x) ; c\n(b)\n");
    check(CommonLisp, "▸(a) #| c |#\n(b)\n", InsertAfter, "(x)", "(a) #| c |#\n(x)\n(b)\n");
}

#[test]
fn insert_inside_wrappers() {
    check(
        CommonLisp,
        "(progn\n  (defun a ())\n  ▸(defun b ()))\n",
        InsertAfter,
        "(defun x ()\n  1)",
        "(progn\n  (defun a ())\n  (defun b ())\n  (defun x ()\n    1))\n",
    );
    check(
        CommonLisp,
        "(progn\n  ▸(defun a ()))\n",
        InsertAfter,
        "(defun x ()) ; c",
        "(progn\n  (defun a ())\n  (defun x ()) ; c\n  )\n",
    );
    check(
        CommonLisp,
        "(progn\n  ▸(defun a ()))\n",
        InsertBefore,
        "(defun x ())",
        "(progn\n  (defun x ())\n  (defun a ()))\n",
    );
    let edited = check(
        Clojure,
        "#?(:clj ▸(defn f [] 1)\n   :cljs (defn f [] 2))\n",
        InsertAfter,
        "(defn g [])",
        "#?(:clj (defn f [] 1)\n   :cljs (defn f [] 2))\n\n(defn g [])\n",
    );
    assert!(matches!(edited.notes[0], Note::BesideConditional(_)), "{:?}", edited.notes);
}

#[test]
fn append_keeps_the_habit_of_the_last_line() {
    check(CommonLisp, "", Append, "(a)", "(a)\n");
    check(CommonLisp, "\n\n", Append, "(a)", "(a)\n");
    check(CommonLisp, "(a)\n", Append, "(b)\n(c)\n", "(a)\n\n(b)\n(c)\n");
    check(CommonLisp, "(a)", Append, "(b)", "(a)\n\n(b)");
    check(CommonLisp, "(a)\n(b)\n", Append, "(c)", "(a)\n(b)\n(c)\n");
    check(CommonLisp, ";; only a comment\n", Append, "(a)", ";; only a comment\n\n(a)\n");
    check(CommonLisp, "(a)\n;; end", Append, "(b)", "(a)\n;; end\n\n(b)");
    check(CommonLisp, "(a)\r\n", Append, "(b\n c)", "(a)\r\n\r\n(b\r\n c)\r\n");
    let edited = check(EmacsLisp, "(provide 'a)\n", Append, "(defun b ())", "(provide 'a)\n\n(defun b ())\n");
    assert_eq!((edited.form_type.as_str(), edited.form_name.as_str(), edited.lines), ("defun", "b", Some((3, 3))));
    assert_eq!(edited.notes[0], Note::AfterProvide { form: "(provide 'a)".into(), line: 1 });
}

#[test]
fn append_goes_before_the_line_that_ends_an_emacs_lisp_file() {
    let content = "(defun b ())";
    let footed = |before: &str, after: &str| check(EmacsLisp, before, Append, content, after);
    footed("(defun a ()\n  1)\n\n;;; x.el ends here\n", "(defun a ()\n  1)\n\n(defun b ())\n\n;;; x.el ends here\n");
    let noted = footed(
        "(provide 'x) ; done\r\n;;; x.el ends here",
        "(provide 'x) ; done\r\n(defun b ())\r\n;;; x.el ends here",
    );
    assert_eq!(noted.notes[0], Note::AfterProvide { form: "(provide 'x)".into(), line: 1 });
    footed(";;; x.el ends here\n", "(defun b ())\n\n;;; x.el ends here\n");
    footed("(a \"\n;;; x.el ends here\")\n", "(a \"\n;;; x.el ends here\")\n\n(defun b ())\n");
    // Only Emacs Lisp files have such a line.
    check(CommonLisp, "(a)\n\n;;; x ends here\n", Append, "(b)", "(a)\n\n;;; x ends here\n\n(b)\n");
}

#[test]
fn delete_removes_comments_and_conditions_with_the_form() {
    check(
        CommonLisp,
        "(defun a ())\n\n;; about b\n▸#+sbcl (defun b ()) ; tail of b\n\n;; about c\n(defun c ())\n",
        Delete,
        "",
        "(defun a ())\n\n;; about c\n(defun c ())\n",
    );
    check(CommonLisp, ";;;; Section\n\n▸(a)\n\n(b)\n", Delete, "", ";;;; Section\n\n(b)\n");
    check(CommonLisp, "▸(a)\n\n\n(b)\n", Delete, "", "(b)\n");
    check(CommonLisp, "(a)\n\n▸(b)\n", Delete, "", "(a)\n");
    check(CommonLisp, "(a)\n\n▸(b)", Delete, "", "(a)");
    check(CommonLisp, "▸(a)\n", Delete, "", "");
    check(CommonLisp, "(a)\n▸(b)\n(c)\n", Delete, "", "(a)\n(c)\n");
    check(CommonLisp, "(a)\n▸(b)\n\n(c)\n", Delete, "", "(a)\n\n(c)\n");
    check(CommonLisp, "(a) ▸(b) (c)\n", Delete, "", "(a) (c)\n");
    check(CommonLisp, "(a) ▸(b) ; of the line\n(c)\n", Delete, "", "(a) ; of the line\n(c)\n");
}

#[test]
fn delete_inside_wrappers() {
    check(CommonLisp, "(progn\n  (defun a ())\n  ▸(defun b ()))\n", Delete, "", "(progn\n  (defun a ()))\n");
    check(CommonLisp, "(progn\n  ▸(defun a ())\n  (defun b ()))\n", Delete, "", "(progn\n  (defun b ()))\n");
    check(
        CommonLisp,
        "(progn\n  (defun a ()) ; tail of a\n  ;; about b\n  ▸(defun b ()))\n",
        Delete,
        "",
        "(progn\n  (defun a ()) ; tail of a\n  )\n",
    );
    check(CommonLisp, "(progn (defun a ()) ▸(defun b ()))\n", Delete, "", "(progn (defun a ()))\n");
    check(
        Clojure,
        "(ns a)\n\n#?(:clj ▸(defn f [] 1)\n   :cljs (defn f [] 2))\n",
        Delete,
        "",
        "(ns a)\n\n#?(:cljs (defn f [] 2))\n",
    );
    check(Clojure, "(ns a)\n\n#?(:clj ▸(defn f [] 1))\n\n(g)\n", Delete, "", "(ns a)\n\n(g)\n");
}

#[test]
fn line_endings_stay() {
    check(
        CommonLisp,
        ";; é\r\n▸(defun f ()\r\n  1)\r\n\r\n(g)\r\n",
        Replace,
        "(defun f ()\n  \"two\nlines\"\n  2)",
        ";; é\r\n(defun f ()\r\n  \"two\r\nlines\"\r\n  2)\r\n\r\n(g)\r\n",
    );
    check(CommonLisp, "▸(a) ; x\r\n(b)\r\n", InsertAfter, "(c)", "(a) ; x\r\n(c)\r\n(b)\r\n");
    check(CommonLisp, "▸(a)\n", Replace, "(a\r\n b)", "(a\n b)\n");
    check(CommonLisp, "▸(a)\r\n\r\n(b)\r\n", Delete, "", "(b)\r\n");
}

#[test]
fn other_dialects() {
    check(
        EmacsLisp,
        ";;;###autoload\n▸(defun f (x)\n  ?\\()\n\n(provide 'f)\n",
        Replace,
        "(defun f (y)\n  ?\\))",
        ";;;###autoload\n(defun f (y)\n  ?\\))\n\n(provide 'f)\n",
    );
    check(EmacsLisp, "(a)\n\n;;;###autoload\n▸(defun f (x)\n  x)\n", Delete, "", "(a)\n");
    check(
        Scheme,
        "▸(define ((f a) b)\n  (+ a b))\n\n(define (g) 1)\n",
        Replace,
        "(define ((f a) b)\n  (* a b))",
        "(define ((f a) b)\n  (* a b))\n\n(define (g) 1)\n",
    );
    check(
        Clojure,
        "▸(defn ^:private f\n  ([x] x)\n  ([x y] y))\n",
        InsertAfter,
        "(defn g [{:keys [a]}] a)",
        "(defn ^:private f\n  ([x] x)\n  ([x y] y))\n\n(defn g [{:keys [a]}] a)\n",
    );
}

#[test]
fn a_top_level_list_with_a_list_for_a_head_disturbs_nothing() {
    check(
        CommonLisp,
        "((lambda (x) x) 1)\n\n▸(defun f ())\n",
        Replace,
        "(defun f (x))",
        "((lambda (x) x) 1)\n\n(defun f (x))\n",
    );
    check(
        CommonLisp,
        "#.(error \"x\")\n#?(a) (foo:bar)\n▸(defun f ())\n",
        Replace,
        "(defun f (x))",
        "#.(error \"x\")\n#?(a) (foo:bar)\n(defun f (x))\n",
    );
}

#[test]
fn content_is_checked_before_anything_else() {
    let text = "▸(defun f () 1)\n(g)\n";
    refused(CommonLisp, text, Replace, "", "BAD_ARGUMENT", "holds no form");
    refused(CommonLisp, text, Replace, ";; only words\n", "BAD_ARGUMENT", "holds no form");
    refused(CommonLisp, text, Replace, "(a)\n\n(b)", "BAD_ARGUMENT", "line 3 of content: (b)");
    refused(CommonLisp, text, Replace, "```lisp\n(a)\n```\n", "BAD_ARGUMENT", "a Markdown fence");
    let prose = "Here is the function:\n\n```lisp\n(defun f () 2)\n```\n";
    let refusal = refused(CommonLisp, text, Replace, prose, "BAD_ARGUMENT", "a Markdown fence");
    assert_eq!(refusal.place(), Some((3, Some(1))));
    refused(CommonLisp, text, Replace, "-(defun f () 1)\n+(defun f () 2)", "BAD_ARGUMENT", "the marks of a diff");
    refused(CommonLisp, text, Replace, "+(defun f ()\n+  2)", "BAD_ARGUMENT", "the marks of a diff");
    refused(CommonLisp, text, Replace, "1| (defun f ()\n2|   2)", "BAD_ARGUMENT", "line numbers");
    refused(CommonLisp, text, Replace, "(defun f [x] x)", "BAD_ARGUMENT", "`[` is no bracket");
    refused(CommonLisp, text, Replace, "(defun f () {:a 1})", "BAD_ARGUMENT", "`{` is no bracket");
    refused(CommonLisp, text, Replace, "(defun f () “a”)", "BAD_ARGUMENT", "typographic");
    refused(EmacsLisp, text, Replace, "(defun f () {a})", "BAD_ARGUMENT", "`{` is no bracket");
    refused(CommonLisp, text, Replace, r"(defun f ()\n  2)", "BAD_ARGUMENT", "escaped twice");
    refused(Clojure, "▸(defn f [] 1)\n", Replace, r"(defn f []\n  2)", "BAD_ARGUMENT", "escaped twice");
    refused(CommonLisp, text, Replace, "(defun f (x)\n  (when (&lt; x 1) x))", "BAD_ARGUMENT", "`&lt;` in the place");
    refused(CommonLisp, text, Replace, "(defun\u{a0}f () 2)", "BAD_ARGUMENT", "U+00A0 in a symbol");
    refused(Scheme, "▸(define (f) 1)\n", Replace, "(define (f) \u{200b}x)", "BAD_ARGUMENT", "U+200B in a symbol");
    let merge = "(defun f ()\n<<<<<<< HEAD\n  2\n=======\n  3\n>>>>>>> b\n)";
    refused(CommonLisp, text, Replace, merge, "BAD_ARGUMENT", "merge conflict");
    let meant = "(defn f [] (str (g)\\newline \"a\" \\n \"\u{a0}&lt;\" &lt))";
    check(Clojure, "▸(defn f [] 1)\n", Replace, meant, &format!("{meant}\n"));
    check(
        CommonLisp,
        text,
        Replace,
        "(defun f () '|a[b| #\\[ \"{\" ; ]\n)",
        "(defun f () '|a[b| #\\[ \"{\" ; ]\n)\n(g)\n",
    );
    // The file itself uses such symbols.
    check(CommonLisp, "▸(defun f () 1)\n(use [x])\n", Replace, "(defun f () [y])", "(defun f () [y])\n(use [x])\n");
}

#[test]
fn unbalanced_content_is_refused_with_the_line_to_fix() {
    let text = "▸(defun f () 1)\n(g)\n";
    let refusal = refused(
        CommonLisp,
        text,
        Replace,
        "(defun f (x)\n  (let ((y (h x))\n    (k y)))\n",
        "UNBALANCED",
        "`(` of 1:1 is never closed, `)` is due: (defun f (x)",
    );
    let EditRefusal::Unbalanced { diagnosis, .. } = refusal else { panic!("{refusal:?}") };
    assert_eq!(diagnosis.fixes[0].lines[0].after, "  (let ((y (h x)))");
    assert_eq!((diagnosis.likely_at.line, diagnosis.likely_at.column), (2, 18));
    refused(CommonLisp, text, Replace, "(defun f (x)\n  x))", "UNBALANCED", "`)` at 2:5 closes nothing");
    refused(CommonLisp, text, Append, "(a \"b)", "UNBALANCED", "at 1:4, this string is never closed");
    refused(CommonLisp, text, Append, "(a) #| b", "UNBALANCED", "block comment is never closed");
    refused(CommonLisp, text, Append, "(a) #+x", "UNBALANCED", "nothing follows this prefix");
    refused(Clojure, "▸(def a 1)\n", Replace, "(def a [1 2)", "UNBALANCED", "`)` at 1:12 where `]` is due");
}

#[test]
fn healthy_forms_of_a_broken_file_stay_editable() {
    let before = "(defun a (x)\n  (b x)\n\n▸(defun c (x)\n  x)\n\n(defun d ())))\n\n(defun e ())\n";
    let edited = check(
        CommonLisp,
        before,
        Replace,
        "(defun c (y)\n  y)",
        "(defun a (x)\n  (b x)\n\n(defun c (y)\n  y)\n\n(defun d ())))\n\n(defun e ())\n",
    );
    assert!(
        matches!(edited.notes[0], Note::BrokenElsewhere { line: 1, kind: DiagnosticKind::Unclosed(_) }),
        "{:?}",
        edited.notes
    );
}

#[test]
fn a_broken_form_can_be_replaced() {
    check(
        CommonLisp,
        "▸(defun a (x)\n  (b x)\n\n(defun c (x)\n  x)\n",
        Replace,
        "(defun a (x)\n  (b x))",
        "(defun a (x)\n  (b x))\n\n(defun c (x)\n  x)\n",
    );
    let edited = check(
        CommonLisp,
        "(z)\n\n▸(defun a (x)\n  (b x))))\n\n(defun c (x)\n  x)\n",
        Replace,
        "(defun a (x)\n  (c x))",
        "(z)\n\n(defun a (x)\n  (c x))\n\n(defun c (x)\n  x)\n",
    );
    assert_eq!(edited.notes, [Note::StraysRemoved("))".into())]);
}

#[test]
fn an_edit_that_changes_other_forms_is_refused() {
    // The last form is open: appended source would become part of it.
    refused(CommonLisp, "(a \"b\n", Append, "(c)", "WOULD_BREAK", "read differently");
}

#[test]
fn a_stale_digest_is_refused_with_the_present_text() {
    let source = Source::read("(defun f () 1)\n", CommonLisp);
    let target = Target { name: Some("f"), ..Target::default() };
    let request = |digest| Edit {
        operation: Replace,
        target,
        content: Some("(defun f () 2)"),
        digest: Some(digest),
        repair: true,
    };
    let digest = source.form_text(0).digest;
    let edited = edit(&source, &request(&digest)).unwrap();
    let Err(EditRefusal::Stale { present, digest: now, .. }) = edit(&source, &request("0123456789abcdef")) else {
        panic!("a digest of something else is stale")
    };
    assert_eq!((present.as_str(), &now), ("(defun f () 1)", &digest));
    let again = Source::read(&edited.text, CommonLisp);
    assert_eq!(edited.digest, Some(again.form_text(0).digest));
}

#[test]
fn a_form_that_contradicts_its_lines_is_noted() {
    let sound = "(defun g (x)\n  (let ((y x))\n    (print y)\n    (list x y)))\n\n".repeat(8);
    let form = "(defun f (x)\n  (when x\n    (print x))\n  (print 2)\n  (list x))";
    let source = Source::read(&sound, Dialect::CommonLisp);
    let append = |content: &str| {
        let request =
            Edit { operation: Append, target: Target::default(), content: Some(content), digest: None, repair: true };
        edit(&source, &request).unwrap().notes
    };
    assert_eq!(append(form), []);
    let notes = append(&form.replace("(print x))", "(print x)").replace("(print 2)", "(print 2))"));
    assert!(
        matches!(&notes[..], [Note::Renested(how)] if how.contains("line 43: the next lines are indented as if")),
        "{notes:?}"
    );
}

#[test]
fn diffs_have_true_line_numbers() {
    let edited =
        check(CommonLisp, "(a)\n(b)\n(c)\n(d)\n▸(e)\n(f)\n", Replace, "(e\n 1)", "(a)\n(b)\n(c)\n(d)\n(e\n 1)\n(f)\n");
    assert_eq!(edited.diff, "@@ -3,4 +3,5 @@\n (c)\n (d)\n-(e)\n+(e\n+ 1)\n (f)\n");
    assert_eq!(edited.lines, Some((5, 6)));
    assert_eq!(edited.delta, 3);
}

/// Replaces the marked form by itself, with `from` in it changed to `to`: no other byte may change.
#[track_caller]
fn keeps_its_lines(dialect: Dialect, marked: &str, from: &str, to: &str) {
    let plain = marked.replace('▸', "");
    let source = Source::read(&plain, dialect);
    let start = marked.find('▸').unwrap();
    let (id, _) = source.forms.iter().find(|(_, form)| form.outer.start as usize == start).unwrap();
    let own = source.form_text(id).content;
    assert_eq!(own.matches(from).count(), 1, "{own}");
    check(dialect, marked, Replace, &own.replace(from, to), &plain.replace(from, to));
}

#[test]
fn lines_that_are_sent_as_they_were_read_stay() {
    keeps_its_lines(
        CommonLisp,
        "(eval-when (:compile-toplevel)\n  ▸(defun f (x)\n;;    (print x)\n    (when x\n      (+ x 1))))\n",
        "(+ x 1)",
        "(+ x 2)",
    );
    let tabs =
        "(with-eval-after-load 'foo\n  ▸(defun g (x)\n    (let ((y x))\n      (if y\n\t  (list y)\n\t(void)))))\n";
    keeps_its_lines(EmacsLisp, tabs, "(void)", "nil");
    keeps_its_lines(CommonLisp, "(progn\n  ▸(defun f (x)\n  x))\n", "\n  x", "\n  y");
    keeps_its_lines(CommonLisp, "(progn\n;; flush\n  ▸(defun f (x)\n    x))\n", "(x)", "(y)");
    keeps_its_lines(Scheme, "(begin\n  ▸(define (f x)\n    (g x)\n  )\n)\n", "(g x)", "(h x)");
    keeps_its_lines(Clojure, "#?(:clj ▸(defn f [x]\n          (g x)))\n", "(g x)", "(h x)");
}

#[test]
fn source_is_moved_as_a_whole_to_its_column() {
    let nested = "(progn\n  ▸(defun f (x)\n    (print x)))\n";
    let wrapped = "(progn\n  (defun f (x)\n    (when x\n      (print x))))\n";
    // Content from column 0, in which `print` has the same column as in the file.
    check(CommonLisp, nested, Replace, "(defun f (x)\n  (when x\n    (print x)))", wrapped);
    check(CommonLisp, nested, Replace, "      (defun f (x)\n        (when x\n          (print x)))\n", wrapped);
    check(CommonLisp, nested, Replace, "\t(defun f (x)\n\t  (when x\n\t    (print x)))\n", wrapped);
    let block = "    (defun f (x)\n      \"Two\n      lines.\"\n      (if x\n          (list 2)))\n";
    let dedented = "(defun f (x)\n  \"Two\n      lines.\"\n  (if x\n      (list 2)))\n";
    check(CommonLisp, "▸(defun f (x)\n  x)\n", Replace, block, dedented);
    check(CommonLisp, "(a)\n", Append, block, &format!("(a)\n\n{dedented}"));
    let tabs = "(progn\n\t▸(defun f (x)\n\t  x))\n";
    check(CommonLisp, tabs, Replace, "(defun f (x)\n  (g x))", "(progn\n\t(defun f (x)\n\t  (g x)))\n");
    let comments = "(progn\n  ;; one\n  ;; two\n  (defun f (x)\n    1))\n";
    check(CommonLisp, nested, Replace, ";; one\n;; two\n(defun f (x)\n  1)", comments);
    check(CommonLisp, nested, Replace, ";; one\n  ;; two\n  (defun f (x)\n    1)", comments);
}

#[test]
fn several_forms_are_moved_together() {
    let block = "  (defun b ()\n    1)\n\n  ;; about c\n  (defun c ()\n    2)\n";
    let sound = "(defun b ()\n  1)\n\n;; about c\n(defun c ()\n  2)\n";
    let before = "▸(defun a ()\n  0)\n";
    let after = format!("(defun a ()\n  0)\n\n{sound}");
    let moved = || vec![Note::Moved { columns: -2 }];
    for (content, notes) in [(block, moved()), (block.trim_start(), moved()), (sound, vec![])] {
        let edited = check(CommonLisp, before, InsertAfter, content, &after);
        assert_eq!(edited.notes, notes);
        let nested = format!("(progn\n  (defvar *a*)\n{}", block.trim_end());
        check(CommonLisp, "(progn\n  ▸(defvar *a*))\n", InsertAfter, content, &format!("{nested})\n"));
    }
}

#[test]
fn page_breaks_stay() {
    let three = "(defun a () 1)\n\n\n\x0c\n▸(defun b () 2)\n\n\n(defun c () 3)\n";
    check(EmacsLisp, three, Delete, "", "(defun a () 1)\n\n\n\x0c\n(defun c () 3)\n");
    check(CommonLisp, "(a)\n\n▸(b)\n\x0c\n(c)\n", Delete, "", "(a)\n\n\x0c\n(c)\n");
    check(CommonLisp, "(a)\n\x0c▸(b)\n\n(c)\n", Delete, "", "(a)\n\x0c\n\n(c)\n");
    check(CommonLisp, "(a)\n\x0c;; about b\n▸(b)\n", Delete, "", "(a)\n\x0c\n");
    check(CommonLisp, "(a)\n▸(b)\x0c\n(c)\n", Delete, "", "(a)\n\x0c\n(c)\n");
    check(
        CommonLisp,
        "(progn\n  (defun a ())\n\x0c\n  ▸(defun b ()))\n",
        Delete,
        "",
        "(progn\n  (defun a ())\n\x0c)\n",
    );
    check(CommonLisp, "(a)\n\x0c;; about b\n▸(b)\n", Replace, ";; new\n(b 1)", "(a)\n\x0c;; new\n(b 1)\n");
    check(CommonLisp, "(a)\n\x0c▸(b)\n", InsertBefore, "(x)", "(a)\n\x0c(x)\n(b)\n");
    check(CommonLisp, "\n\x0c\n\n", Append, "(a)", "\n\x0c\n\n(a)\n\n");
}

#[test]
fn the_head_of_a_script_stays_in_place() {
    let head = "#!/bin/sh\n#|-*- mode:lisp -*-|#\n#|\nexec ros -Q -- $0 \"$@\"\n|#\n";
    let script = format!("{head}▸(defun a () 1)\n\n(b)\n");
    check(CommonLisp, &script, Delete, "", &format!("{head}\n(b)\n"));
    check(CommonLisp, &script, Replace, ";; new\n(a)", &format!("{head};; new\n(a)\n\n(b)\n"));
    let word = "#| This file\n   is about b. |#\n";
    check(CommonLisp, &format!("{word}▸(a)\n(b)\n"), Delete, "", &format!("{word}(b)\n"));
    check(CommonLisp, "(b)\n#| about a |#\n▸(a)\n", Delete, "", "(b)\n");
    let guile = "#!/usr/bin/guile -s\n!#\n";
    check(Scheme, &format!("{guile}▸(define a 1)\n(b)\n"), Delete, "", &format!("{guile}(b)\n"));
}

#[test]
fn a_mistake_is_mended_although_others_cancel_each_other_out() {
    let rest = "\n\n(defun h (y)\n  (list y)\n\n(defun k (z)\n  (list z)))\n\n(defun m (z)\n  (list z))\n";
    let sound = "(defun g (x)\n  (list \"abc x\")\n  (foo x))";
    let edited = check(
        CommonLisp,
        &format!("▸(defun g (x)\n  (list \"abc x)\n  (foo x)){rest}"),
        Replace,
        sound,
        &format!("{sound}{rest}"),
    );
    assert!(
        matches!(edited.notes[0], Note::BalancedByChance { line: 5, kind: DiagnosticKind::Unclosed(_) }),
        "{:?}",
        edited.notes
    );
}

#[test]
fn a_character_is_not_changed_by_a_repair() {
    let source = Source::read("(defun f0 () ?\\))\n", EmacsLisp);
    let target = Target { name: Some("f0"), ..Target::default() };
    let request = |content| Edit { operation: Replace, target, content: Some(content), digest: None, repair: true };
    match edit(&source, &request("(defun new () ?;)))")) {
        Ok(edited) => assert_eq!(edited.text, "(defun new () ?;)\n"),
        Err(refusal) => assert_eq!(refusal.code(), "UNBALANCED"),
    }
}
