//! Views of files as strings.
#![allow(clippy::unwrap_used, missing_docs)]

use lispwright_edit::{EditRefusal, Source, View, ViewKind, ViewOptions, view, view_plain};
use lispwright_syntax::Dialect;

const COLLAPSED: ViewOptions<'static> = ViewOptions {
    collapsed: true,
    whole: 5,
    name_pattern: None,
    content_pattern: None,
    offset: 0,
    limit: None,
    budget: 10_000,
    heads: 0,
};

#[track_caller]
fn check(dialect: Dialect, text: &str, options: &ViewOptions<'_>, expected: &str) -> View {
    let shown = view(&Source::read(text, dialect), options).unwrap();
    assert_eq!(shown.content, expected);
    shown
}

const LONG: &str = "\n  1\n  2\n  3\n  4\n  5)\n";

#[test]
fn one_line_for_each_form_and_short_forms_whole() {
    let text = format!(
        ";;;; A file\n(in-package :x)\n\n;; about f\n(defun f (a &key (b 1)\n            ;; why\n            c){LONG}\n#+sbcl\n(defvar *v*\n  1)\n\n\
         (defmethod area :around ((c circle) (n (eql 1))){LONG}\n(defclass point (shape)\n  ((x)\n   (y)\n   (z)\n   (w)\n   (v)))\n"
    );
    let shown = check(
        Dialect::CommonLisp,
        &text,
        &COLLAPSED,
        " 2| (in-package :x)\n 5| (defun f (a &key (b 1) c) ...)\n14| #+sbcl\n15| (defvar *v*\n16|   1)\n\
         18| (defmethod area :around ((c circle) (n (eql 1))) ...)\n25| (defclass point (shape) ...)\n",
    );
    assert_eq!(
        (shown.mode, shown.total_forms, shown.total_lines, shown.expanded_forms),
        (ViewKind::Collapsed, 5, 30, 0)
    );
    assert_eq!((shown.next_offset, shown.diagnosis), (None, None));
}

#[test]
fn definitions_inside_wrappers_are_indented() {
    let text = format!("(eval-when (:compile-toplevel :load-toplevel)\n  (defun f (x){LONG}  (defun g (y) y))\n");
    check(
        Dialect::CommonLisp,
        &text,
        &COLLAPSED,
        "1| (eval-when (:compile-toplevel :load-toplevel) ...)\n2|   (defun f (x) ...)\n8|   (defun g (y) y))\n",
    );
}

#[test]
fn clojure_and_scheme_signatures() {
    let clj = format!("(defn ^:private f\n  \"Doc\n  (string)\"\n  ([x] x)\n  ([x y]{LONG})\n(def a {{:b 1}})\n");
    check(Dialect::Clojure, &clj, &COLLAPSED, " 1| (defn ^:private f ([x] ...) ([x y] ...) ...)\n12| (def a {:b 1})\n");
    let scm = format!(
        "(define ((f a) b){LONG}(define-record-type point\n  (make-point x y)\n  point?\n  (x point-x)\n  (y point-y)\n  (z point-z))\n"
    );
    check(
        Dialect::Scheme,
        &scm,
        &COLLAPSED,
        " 1| (define ((f a) b) ...)\n 7| (define-record-type point (make-point x y) point? ...)\n",
    );
}

#[test]
fn patterns_show_forms_verbatim() {
    let text = format!("(defun f (x){LONG}\n;; about G\n#-x (defun g (x)\n  #xFF ; note\n  #+a b{LONG}\n(h)\n");
    let options = ViewOptions { name_pattern: Some("^G$"), ..COLLAPSED };
    let expected = " 1| (defun f (x) ...)\n 8| ;; about G\n 9| #-x (defun g (x)\n10|   #xFF ; note\n11|   #+a b\n12|   1\n13|   2\n14|   3\n15|   4\n16|   5)\n18| (h)\n";
    let shown = check(Dialect::CommonLisp, &text, &options, expected);
    assert_eq!((shown.matching_forms, shown.expanded_forms), (1, 1));
    let options = ViewOptions { content_pattern: Some("#xFF"), ..COLLAPSED };
    check(Dialect::CommonLisp, &text, &options, expected);
    let options = ViewOptions { content_pattern: Some("(("), ..COLLAPSED };
    let refusal = view(&Source::read(&text, Dialect::CommonLisp), &options).unwrap_err();
    assert!(matches!(refusal, EditRefusal::BadPattern { argument: "content_pattern", .. }), "{refusal:?}");
}

#[test]
fn raw_lines_and_their_window() {
    let text = "(a)\n(b\n c)\n";
    let raw = ViewOptions { collapsed: false, ..COLLAPSED };
    check(Dialect::CommonLisp, text, &raw, "1| (a)\n2| (b\n3|  c)\n");
    let shown = check(Dialect::CommonLisp, text, &ViewOptions { offset: 1, limit: Some(1), ..raw.clone() }, "2| (b\n");
    assert_eq!(shown.next_offset, Some(2));
    let shown = check(Dialect::CommonLisp, text, &ViewOptions { offset: 99, ..raw.clone() }, "");
    assert_eq!(shown.next_offset, None);
    let shown = check(Dialect::CommonLisp, text, &ViewOptions { budget: 15, ..raw }, "1| (a)\n2| (b\n");
    assert_eq!(shown.next_offset, Some(2));
}

#[test]
fn consecutive_views_show_every_form_once() {
    let text: String = (0..200).map(|n| format!("(defun f{n} (x){LONG}")).collect();
    let source = Source::read(&text, Dialect::CommonLisp);
    let (mut offset, mut seen, mut calls) = (0, String::new(), 0);
    loop {
        let shown = view(&source, &ViewOptions { offset, budget: 500, ..COLLAPSED }).unwrap();
        assert!(shown.content.chars().count() <= 500);
        seen.push_str(&shown.content);
        calls += 1;
        match shown.next_offset {
            Some(next) => {
                assert!(next > offset, "every call gets further");
                offset = next;
            }
            None => break,
        }
    }
    let expected: String = (0..200).map(|n| format!("{:>4}| (defun f{n} (x) ...)\n", n * 6 + 1)).collect();
    assert_eq!(seen, expected);
    assert!(calls > 5);
}

#[test]
fn a_broken_file_is_diagnosed_and_shown() {
    let text = "(defun f (x)\n  (g x)\n\n(defun h (y)\n  y)\n";
    let shown = check(Dialect::CommonLisp, text, &COLLAPSED, "1| (defun f (x)\n2|   (g x)\n4| (defun h (y)\n5|   y)\n");
    assert_eq!(shown.diagnosis.unwrap().next_form_line, Some(4));
}

#[test]
fn plain_text_is_lines_or_a_search() {
    let text: String = (1..=30).map(|n| format!("line {n}\n")).collect();
    let raw = ViewOptions { collapsed: false, ..COLLAPSED };
    let shown = view_plain(&text, &ViewOptions { content_pattern: Some("line (7|25)$"), ..raw.clone() }).unwrap();
    let numbered =
        |range: std::ops::RangeInclusive<u32>| range.map(|n| format!("{n:>2}| line {n}\n")).collect::<String>();
    assert_eq!(shown.content, format!("{}--\n{}", numbered(2..=12), numbered(20..=30)));
    assert_eq!(shown.mode, ViewKind::Filtered);
    let shown = view_plain(&text, &raw).unwrap();
    assert_eq!((shown.content, shown.total_lines), (numbered(1..=30), 30));
}

#[test]
fn a_huge_line_is_shortened_and_says_so() {
    let text = format!("(a \"{}\")\n(b)\n", "x".repeat(50_000));
    let shown = view(&Source::read(&text, Dialect::CommonLisp), &COLLAPSED).unwrap();
    assert!(shown.content.contains("… [48006 more characters]\n"), "{}", &shown.content[1_990..]);
    assert_eq!(shown.cut_lines, [1]);
    assert!(shown.content.ends_with("2| (b)\n"));
}

#[test]
fn forms_that_share_a_line_are_shown_once() {
    check(Dialect::CommonLisp, "(a) (b\n c) (d)\n", &COLLAPSED, "1| (a) (b\n2|  c) (d)\n");
    check(Dialect::CommonLisp, &format!("(a) (defun f (x){LONG}"), &COLLAPSED, "1| (a) (defun f (x)\n");
}

#[test]
fn a_pattern_enters_a_form_around_definitions() {
    let text = format!("(progn\n  (setup)\n  (defun f (x){LONG}  (defun g (y){LONG})\n");
    let text = text.as_str();
    let fields = |pattern| {
        let options = ViewOptions { content_pattern: Some(pattern), ..COLLAPSED };
        let shown = view(&Source::read(text, Dialect::CommonLisp), &options).unwrap();
        (shown.expanded_forms, shown.content.lines().count())
    };
    // One definition of six lines with the signatures of the other two; the whole of it.
    assert_eq!(fields("defun g"), (1, 8));
    assert_eq!(fields("setup"), (1, 15));
}

#[test]
fn a_form_too_long_for_the_view_is_collapsed_and_says_so() {
    let text = format!("(defun f (x)\n{}  1)\n(g)\n", "  (call x)\n".repeat(100));
    let options = ViewOptions { name_pattern: Some("f"), budget: 500, ..COLLAPSED };
    let shown = check(
        Dialect::CommonLisp,
        &text,
        &options,
        "  1| (defun f (x) ...)\n     [this form has 1117 characters, too many for this view]\n103| (g)\n",
    );
    assert_eq!(shown.long_forms, [1]);
}

#[test]
fn a_form_of_a_long_line_is_shown_by_itself() {
    let text: String = (0..400).map(|n| format!("(defun fn-{n} (x) (list x {n})) ")).collect();
    let source = Source::read(&text, Dialect::CommonLisp);
    let options = ViewOptions { name_pattern: Some("^fn-277$"), ..COLLAPSED };
    let shown = view(&source, &options).unwrap();
    assert_eq!(shown.content, "   …\n1| …(defun fn-277 (x) (list x 277))…\n");
    assert_eq!((shown.matching_forms, shown.expanded_forms), (1, 1));
    assert_eq!(shown.cut_lines, []);
    let shown = view(&source, &COLLAPSED).unwrap();
    let left = text.chars().count() - 2_000;
    let note = format!("… [{left} more characters]\n");
    assert!(shown.content.contains(&note), "{}", shown.content);
    assert_eq!(shown.cut_lines, [1]);
    let options = ViewOptions { collapsed: false, limit: Some(1), budget: 40_000, ..COLLAPSED };
    assert_eq!(view(&source, &options).unwrap().cut_lines, []);
    let options = ViewOptions { name_pattern: Some("none-such"), ..COLLAPSED };
    assert_eq!(view(&source, &options).unwrap().matching_forms, 0);
}

/// A function of 100 lines, between two short forms.
fn long_form() -> String {
    let lines: String = (3..=101).map(|line| format!("  (step-{line} x)\n")).collect();
    format!("(in-package :a)\n(defun long (x)\n{}  (end x))\n\n(defun after () 1)\n", lines)
}

#[test]
fn an_offset_inside_a_form_shows_its_lines_below_its_head() {
    let text = long_form();
    let options = ViewOptions { offset: 50, limit: Some(2), ..COLLAPSED };
    let shown = check(
        Dialect::CommonLisp,
        &text,
        &options,
        "  2| (defun long (x) ...)\n     …\n 51|   (step-51 x)\n 52|   (step-52 x)\n",
    );
    assert_eq!(shown.next_offset, Some(52));
    let rest = ViewOptions { offset: 100, ..COLLAPSED };
    let expected = "  2| (defun long (x) ...)\n     …\n101|   (step-101 x)\n102|   (end x))\n104| (defun after () 1)\n";
    assert_eq!(check(Dialect::CommonLisp, &text, &rest, expected).next_offset, None);
    // A view that stops goes on where it stopped.
    let mut all = String::new();
    let mut offset = 2;
    loop {
        let source = Source::read(&text, Dialect::CommonLisp);
        let shown = view(&source, &ViewOptions { offset, budget: 300, ..COLLAPSED }).unwrap();
        all.push_str(&shown.content);
        match shown.next_offset {
            Some(next) => {
                assert!(next > offset);
                offset = next;
            }
            None => break,
        }
    }
    assert!((3..=101).all(|line| all.contains(&format!("(step-{line} x)"))), "{all}");
    // An inner form goes on as an outline.
    let nested = format!("(progn\n{}\n(defun inner (y)\n  (a)\n  (b)\n  (c)\n  (d)\n  (e)))\n", "  (x)\n  (y)");
    let options = ViewOptions { offset: 2, ..COLLAPSED };
    check(
        Dialect::CommonLisp,
        &nested,
        &options,
        "1| (progn (x) (y) ...)\n   …\n3|   (y)\n4|   (defun inner (y) ...)\n",
    );
}

#[test]
fn a_pattern_shows_what_is_around_its_matches_in_a_long_form() {
    let options = ViewOptions { content_pattern: Some("step-(50|90)\\b"), ..COLLAPSED };
    let text = long_form();
    let shown = view(&Source::read(&text, Dialect::CommonLisp), &options).unwrap();
    let lines: Vec<&str> = shown.content.lines().map(str::trim).collect();
    assert_eq!(lines[..3], ["1| (in-package :a)", "2| (defun long (x) ...)", "…"], "{}", shown.content);
    assert!(shown.content.contains(" 45|   (step-45 x)") && shown.content.contains(" 55|   (step-55 x)"));
    assert!(shown.content.contains(" 95|   (step-95 x)") && !shown.content.contains("(step-60 x)"));
    assert_eq!((shown.matching_forms, shown.expanded_forms), (1, 0));
    // By its name it is shown whole.
    let options = ViewOptions { name_pattern: Some("long"), ..COLLAPSED };
    let shown = view(&Source::read(&text, Dialect::CommonLisp), &options).unwrap();
    assert!(shown.content.contains("(step-60 x)") && shown.expanded_forms == 1);
}

#[test]
fn an_outline_that_does_not_fit_is_one_page_of_heads() {
    let form =
        |at: usize| format!("(defun function-{at} (one two &key three)\n  (list one\n        two\n        three))\n\n");
    let text: String = (0..400).map(form).collect();
    let options = ViewOptions { heads: 24_000, ..COLLAPSED };
    let shown = view(&Source::read(&text, Dialect::CommonLisp), &options).unwrap();
    assert_eq!((shown.next_offset, shown.is_of_heads), (None, true));
    assert_eq!(shown.content.lines().count(), 400);
    assert!(shown.content.ends_with("1996| (defun function-399 (one two &key three) ...)\n"), "{}", shown.content);
    let narrow = ViewOptions { heads: 20_000, ..COLLAPSED };
    let shown = view(&Source::read(&text, Dialect::CommonLisp), &narrow).unwrap();
    assert!(shown.is_of_heads && shown.content.lines().count() == 400, "{}", shown.content);
    // A longer file goes on page by page.
    let text: String = (0..800).map(form).collect();
    let shown = view(&Source::read(&text, Dialect::CommonLisp), &options).unwrap();
    assert!(shown.next_offset.is_some() && !shown.is_of_heads);
}
