//! Changes inside one form as before/after strings. `▸` marks the form that a patch names; without it, it names none.
#![allow(clippy::unwrap_used, missing_docs)]

mod words;

use lispwright_edit::{Corrected, EditRefusal, Edited, FormPatch, Note, Source, Target, patch};
use lispwright_syntax::Dialect;
use words::said;

fn run(
    dialect: Dialect,
    marked: &str,
    old_text: &str,
    new_text: &str,
    replace_all: bool,
) -> Result<Edited, EditRefusal> {
    let text = marked.replace('▸', "");
    let source = Source::read(&text, dialect);
    let target = marked.find('▸').map_or_else(Target::default, |mark| {
        let mut forms = source.forms.iter();
        let (_, form) = forms.find(|(_, form)| form.outer.start as usize == mark).expect("a form at the mark");
        Target { name: form.name.as_deref(), line: Some(source.lines.line(mark as u32)), ..Target::default() }
    });
    patch(&source, &FormPatch { target, old_text, new_text, replace_all, digest: None, repair: false })
}

#[track_caller]
fn check(marked: &str, old_text: &str, new_text: &str, after: &str) -> Edited {
    let edited =
        run(Dialect::CommonLisp, marked, old_text, new_text, false).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    assert_eq!(edited.text, after);
    edited
}

#[track_caller]
fn refused(marked: &str, old_text: &str, new_text: &str, code: &str, words: &str) -> EditRefusal {
    let refusal = run(Dialect::CommonLisp, marked, old_text, new_text, false).expect_err("the patch should be refused");
    assert_eq!(refusal.code(), code, "{refusal:?}");
    assert!(said(&refusal).contains(words), "{refusal:?}");
    refusal
}

#[test]
fn one_occurrence_inside_the_form() {
    let edited = check(
        "(defun a () (x))\n\n;; uses x\n▸(defun b ()\n  (x) ; (x\n  (y))\n",
        "(y)",
        "(y 1\n     2)",
        "(defun a () (x))\n\n;; uses x\n(defun b ()\n  (x) ; (x\n  (y 1\n     2))\n",
    );
    assert_eq!((edited.delta, edited.lines), (9, Some((6, 7))));
    assert_eq!(edited.diff, "@@ -4,3 +4,4 @@\n (defun b ()\n   (x) ; (x\n-  (y))\n+  (y 1\n+     2))\n");
    check("▸(f \"a ( b\")\n", "a ( b", "a (( b", "(f \"a (( b\")\n");
    check(";; old words\n▸(f)\n", "old words", "new words", ";; new words\n(f)\n");
    check("▸(f)\n", "(f)", "(f)", "(f)\n");
}

#[test]
fn the_text_alone_names_its_form() {
    let two = "(defun a ()\n  (x))\n\n;; uses x\n(defun b ()\n  (y  1)\n  (z) (z))\n";
    check(two, "(x)", "(w)", &two.replace("(x)", "(w)"));
    check(two, "(y 1)", "(w)", &two.replace("(y  1)", "(w)"));
    check(two, "uses x", "uses y", &two.replace("uses x", "uses y"));
    refused(two, "(z)", "(w)", "TEXT_AMBIGUOUS", "occurs 2 times in defun b:");
    let all = run(Dialect::CommonLisp, two, "(z)", "(w)", true).unwrap();
    assert_eq!(all.text, two.replace("(z)", "(w)"));
    let words = "occurs in 2 forms of the file:";
    refused(two, "(defun", "(defmacro", "TEXT_AMBIGUOUS", words);
    run(Dialect::CommonLisp, two, "(defun", "(defmacro", true).unwrap_err();
    refused(two, "(v)", "(w)", "TEXT_NOT_FOUND", "does not occur in the file (lines 1-");
    refused(two, "(Y 1)", "(w)", "TEXT_NOT_FOUND", "line 6 has:\n(y  1)");
}

#[test]
fn line_ends_may_be_written_either_way() {
    check("▸(f\r\n a\r\n b)\r\n", "(f\n a", "(f\n c\n d", "(f\r\n c\r\n d\r\n b)\r\n");
    check("▸(f\n a)\n", "(f\n a", "(f\n b", "(f\n b)\n");
}

#[test]
fn replace_all_changes_every_occurrence() {
    let edited = run(Dialect::Clojure, "▸(f x [x] {:x x})\n(x)\n", "x", "yy", true).unwrap();
    assert_eq!(edited.text, "(f yy [yy] {:yy yy})\n(x)\n");
    assert_eq!(edited.delta, 4);
}

#[test]
fn text_that_is_not_there() {
    refused("▸(f a)\n(g b)\n", "b", "c", "TEXT_NOT_FOUND", "Outside this form it begins on line 2");
    refused("▸(f\n   A   b)\n", "(f a b)", "c", "TEXT_NOT_FOUND", "line 1 has:\n(f\n   A   b)");
    refused("▸(f \"a  b\")\n", "\"a b\"", "c", "TEXT_NOT_FOUND", "line 1 has:\n\"a  b\"");
    refused("▸(f ; a  b\n)\n", "; a b", "c", "TEXT_NOT_FOUND", "line 1 has:\n; a  b");
    refused("▸(f a)\n", "```\n(f a)\n```", "c", "BAD_ARGUMENT", "a Markdown fence");
    refused("▸(f a)\n", "zz", "c", "TEXT_NOT_FOUND", "lisp_read_form shows");
    let text = "(z)\n▸(defun total (items)\n  (dolist (item items)\n    (incf sum (price item)))\n  sum)\n";
    let near =
        "begins on line 4 (- old_text, + the file):\n-(incf sum (prices item))\n+    (incf sum (price item)))\nCorrect";
    refused(text, "(incf sum (prices item))", "c", "TEXT_NOT_FOUND", near);
    let near = "line 3 (- old_text, + the file):\n   (dolist (item items)\n-  (incf all (price item)))\n+    (incf sum";
    refused(text, "(dolist (item items)\n  (incf all (price item)))", "c", "TEXT_NOT_FOUND", near);
    refused("▸(f a)\n", "", "c", "BAD_ARGUMENT", "`old_text` is empty");
    refused("▸(f\n a)\n", "1| (f\n2|  a)", "c", "BAD_ARGUMENT", "line numbers");
}

#[test]
fn text_that_is_there_twice() {
    let refusal = refused("(z)\n▸(f a\n   a)\n", "a", "b", "TEXT_AMBIGUOUS", "line 3: a)");
    let EditRefusal::TextAmbiguous { lines, .. } = refusal else { panic!("{refusal:?}") };
    assert_eq!(lines.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn a_patch_that_breaks_the_balance_says_what_to_add_or_remove() {
    let text = "(z)\n▸(defun f (x)\n  (if x\n      (g x)\n      (h x)))\n\n(z)\n";
    refused(text, "(g x)", "(g (k x)", "UNBALANCED", "Add 1 delimiter to new_text (line 4): `)`.");
    refused(text, "(g x)", "(g x))", "UNBALANCED", "Remove 1 delimiter from new_text (line 4): `)`.");
    refused(text, "(g x)", "(g\n x", "UNBALANCED", "new_text (lines 4-5)");
    refused(text, "(g x)", "\"g x", "UNBALANCED", "never closed");
    refused(text, "(h x)))", "(h x))", "UNBALANCED", "`(` of 2:1 is never closed");
    let refusal = run(Dialect::Clojure, "▸(f [a b])\n", "[a b]", "[a b)", false).unwrap_err();
    assert!(said(&refusal).contains("add `]` and remove `)`"), "{refusal:?}");
    let refusal = run(Dialect::Clojure, "▸(f [a b])\n", "[a b]", "[(a] b)", false).unwrap_err();
    assert!(said(&refusal).contains("wrong order"), "{refusal:?}");
}

#[test]
fn a_form_stays_one_form() {
    refused("▸(f a b)\n", "a b", "a) (b", "WOULD_BREAK", "2 forms and not 1");
    refused("▸(f a b)\n", "(f a b)", "", "WOULD_BREAK", "0 forms and not 1");
    refused("▸(f a b)\n(g)\n", "b)", "b) #+x", "UNBALANCED", "nothing follows this prefix");
}

#[test]
fn a_broken_form_can_be_mended() {
    check(
        "(z)\n\n▸(defun f (x)\n  (g x)\n\n(defun h ())\n",
        "(g x)",
        "(g x))",
        "(z)\n\n(defun f (x)\n  (g x))\n\n(defun h ())\n",
    );
    check(
        "(z)\n\n▸(defun f (x)\n  (g x)))\n\n(defun h ())\n",
        "(g x)))",
        "(g x))",
        "(z)\n\n(defun f (x)\n  (g x))\n\n(defun h ())\n",
    );
}

#[test]
fn a_new_name_is_noted() {
    let edited = check("▸(defun f (x) x)\n", "defun f", "defun g", "(defun g (x) x)\n");
    assert_eq!(edited.notes, [Note::Renamed { before: "defun f".into(), after: "defun g".into() }]);
}

#[test]
fn the_correction_of_a_patch_is_in_its_new_text() {
    let text = "(z)\n▸(defun f (x)\n  (let ((y (car x)))\n    (list x y)))\n\n(z)\n";
    // The missing closer is in one run with those after the patch.
    let refusal = refused(text, "(list x y)", "(if x 0 (list x y)", "UNBALANCED", "Certain fix");
    let EditRefusal::PatchUnbalanced { corrected, .. } = &refusal else { panic!("{refusal:?}") };
    assert_eq!(corrected.as_deref(), Some("(if x 0 (list x y))"));
    let plain = text.replace('▸', "");
    let source = Source::read(&plain, Dialect::CommonLisp);
    let target = Target { name: Some("f"), ..Target::default() };
    let request = |repair| FormPatch {
        target,
        old_text: "(list x y)",
        new_text: "(if x 0 (list x y)",
        replace_all: false,
        digest: None,
        repair,
    };
    let edited = patch(&source, &request(true)).unwrap();
    assert_eq!(edited.text, plain.replace("(list x y)", "(if x 0 (list x y))"));
    let lines = edited.repair.expect("the patch was repaired").lines;
    assert_eq!((lines[0].line, lines[0].after.as_str()), (4, "    (if x 0 (list x y))))"));
    assert!(patch(&source, &request(false)).is_err());
}

#[test]
fn white_space_between_tokens_may_differ() {
    let text = "(z)\n▸(defun f (x)\n  (let ((y  (car x)))\n    (when y\n      (list x \"a  b\" y))))\n";
    let edited = check(
        text,
        "(when y (list x \"a  b\" y))",
        "(when y\n  (vector x)\n  (list y))",
        "(z)\n(defun f (x)\n  (let ((y  (car x)))\n    (when y\n      (vector x)\n      (list y))))\n",
    );
    assert_eq!(edited.notes, [Note::Loosely { line: 4 }, Note::Moved { columns: 4 }]);
    check(
        text,
        "  (let ((y (car x)))\n",
        "  (let ((y (cdr x)))\n",
        &text.replace('▸', "").replace("(y  (car", "(y (cdr"),
    );
    refused("▸(f (g a) (g  a))\n", "(g\na)", "b", "TEXT_AMBIGUOUS", "occurs 2 times");
}

#[test]
fn new_text_with_artefacts_of_copying_is_refused() {
    let text = "(z)\n▸(defun f (x)\n  \"Text.\"\n  (list x))\n";
    refused(text, "(list x)", "```lisp\n(list 1)\n```", "BAD_ARGUMENT", "a Markdown fence");
    refused(text, "(list x)", "(list &lt; x)", "BAD_ARGUMENT", "`&lt;` in the place of code");
    refused(text, "(list x)", "(list “x”)", "BAD_ARGUMENT", "typographic");
    refused(text, "(list x)", "1| (list\n2|  x)", "BAD_ARGUMENT", "line numbers");
    let refusal = refused(text, "(list x)", "(list\n  [x])", "BAD_ARGUMENT", "no bracket");
    assert_eq!((refusal.argument(), refusal.place()), (Some("new_text"), Some((2, Some(3)))));
    // Inside a string it is ordinary text.
    check(text, "Text.", "```\n“1 &lt; 2”\n```", "(z)\n(defun f (x)\n  \"```\n“1 &lt; 2”\n```\"\n  (list x))\n");
}

#[test]
fn an_unclosed_string_is_named_without_the_closers_it_hides() {
    let text = "▸(defun f (x)\n  (list \"a\" x))\n";
    let refusal = refused(text, "\"a\" x", "\"b x", "UNBALANCED", "this string is never closed");
    assert!(!said(&refusal).contains("Add"), "{refusal:?}");
    let refusal = refused(text, "\"a\" x", "#| b x", "UNBALANCED", "Add `|#` to new_text (line 2). With");
    assert!(!said(&refusal).contains("Certain"), "{refusal:?}");
}

#[test]
fn what_restores_the_old_text_is_no_rival() {
    let file = "(defun rows (lines)\n  (let ((rows nil))\n    (dolist (line lines)\n      (push (parse line)) rows)\n    rows))\n";
    let source = Source::read(file, Dialect::CommonLisp);
    let target = Target { name: Some("rows"), ..Target::default() };
    let request =
        |old_text, new_text| FormPatch { target, old_text, new_text, replace_all: false, digest: None, repair: true };
    // Of the two places for the closer, one would give the old text back.
    let edited = patch(&source, &request("(push (parse line)) rows)", "(push (parse line) rows)")).unwrap();
    assert!(edited.text.contains("(push (parse line) rows))\n    rows))"), "{}", edited.text);
    assert!(edited.repair.is_some());
    // A change of delimiters alone, for which only the old text is left, is not undone.
    match patch(&source, &request("(rows nil))", "(rows nil)))")) {
        Ok(edited) => assert_ne!(edited.text, file),
        Err(refusal) => {
            let EditRefusal::PatchUnbalanced { forms, .. } = &refusal else { panic!("{refusal:?}") };
            let old = Corrected::Patch { old_text: forms.0.clone(), new_text: forms.0.clone() };
            assert!(!refusal.corrected().contains(&old), "{refusal:?}");
        }
    }
}
