//! What laying out does to a text, and what it leaves alone.

#![allow(clippy::unwrap_used)]

use lispwright_layout::{Layout, Lines, NotLaidOut, Style};
use lispwright_syntax::Dialect;
use proptest::prelude::*;

#[track_caller]
fn check(dialect: Dialect, text: &str, expected: &str) {
    let laid = Layout::new(Style::Learned).laid_out(text, &dialect.into(), &Lines::ALL).unwrap();
    assert_eq!(laid, expected);
}

#[track_caller]
fn stays(dialect: Dialect, text: &str) {
    check(dialect, text, text);
}

const CL: Dialect = Dialect::CommonLisp;

#[test]
fn a_flat_function_gets_the_indentation_of_its_language() {
    check(
        CL,
        "(defun f (x)\n\"Doc.\"\n(let ((a 1)\n(b 2))\n(when (plusp x)\n(list a\nb))))\n",
        "(defun f (x)\n  \"Doc.\"\n  (let ((a 1)\n        (b 2))\n    (when (plusp x)\n      (list a\n            b))))\n",
    );
    check(
        Dialect::Scheme,
        "(define (f x)\n(cond\n((null? x) 1)\n(else\n(let loop ((i 0))\n(loop (+ i 1))))))\n",
        "(define (f x)\n  (cond\n   ((null? x) 1)\n   (else\n    (let loop ((i 0))\n      (loop (+ i 1))))))\n",
    );
    check(
        Dialect::Clojure,
        "(defn f\n[x]\n(let [a 1\nb 2]\n{:a a\n:b b}))\n",
        "(defn f\n  [x]\n  (let [a 1\n        b 2]\n    {:a a\n     :b b}))\n",
    );
    check(Dialect::EmacsLisp, "(defun f (x)\n(if x\n1\n2))\n", "(defun f (x)\n  (if x\n      1\n    2))\n");
}

#[test]
fn parameters_after_a_keyword_are_below_it_where_a_file_has_them_there() {
    let methods = ["string", "function", "list", "stream", "vector", "symbol", "number"].map(|class| {
        let head = format!("(defmethod scan ((text {class}) &key start");
        let column = " ".repeat(head.len() - "start".len());
        format!("{head}\n{column}end\n{column}step)\n  (list text start end step))\n\n")
    });
    let others = ["one", "two", "three", "four"].map(|name| {
        format!(
            "(defun {name} (text target\n{}&key start\n{}end)\n  text)\n\n",
            " ".repeat(9 + name.len()),
            " ".repeat(14 + name.len())
        )
    });
    let generic =
        "(defgeneric scan (text &key start\n                            end\n                            step))\n";
    stays(CL, &(methods.concat() + &others.concat() + generic));
}

#[test]
fn the_clauses_of_a_condition_are_right_of_it() {
    check(
        CL,
        "(defun f (list)\n(loop for x in list\nfor y = (g x)\nwhen (oddp x)\ncollect x\nand do (print x)\nelse\ndo (foo)\nunless y do (bar)\n\
        while (h x)\nif (p x)\nif (q x)\nsum y\nfinally (return 3)))\n",
        "(defun f (list)\n  (loop for x in list\n        for y = (g x)\n        when (oddp x)\n          collect x\n          and do (print x)\n\
        \u{20}       else\n          do (foo)\n        unless y do (bar)\n        while (h x)\n        if (p x)\n          if (q x)\n            sum y\n\
        \u{20}       finally (return 3)))\n",
    );
}

#[test]
fn a_call_whose_first_argument_begins_with_a_list_has_a_body() {
    check(
        CL,
        "(test sums\n(for-all ((a (gen)))\n(is (= a a))))\n",
        "(test sums\n  (for-all ((a (gen)))\n    (is (= a a))))\n",
    );
    // Where a list can be called, it is an argument like another.
    check(Dialect::Scheme, "(list ((f x) y)\nz)\n", "(list ((f x) y)\n      z)\n");
}

/// What everybody writes in a small file stays, although the file shows little of its habits.
#[test]
fn what_is_usual_stays() {
    for (dialect, text) in [
        (Dialect::Clojure, include_str!("usual/usual.clj")),
        (Dialect::Scheme, include_str!("usual/usual.scm")),
        (Dialect::EmacsLisp, include_str!("usual/usual.el")),
        (CL, include_str!("usual/usual.lisp")),
    ] {
        stays(dialect, text);
    }
}

#[test]
fn the_habit_of_a_file_beats_the_rule() {
    let habit = "(defun a (x)\n  (if (p x)\n    (q x)\n    (r x)))\n\n(defun b (x)\n  (if (q x)\n    (r x)\n    (p x)))\n\n\
        (defun c (x)\n  (if (q x)\n    (r x)\n    (p x)))\n";
    stays(CL, habit);
    check(
        CL,
        &format!("{habit}\n(defun d (x)\n(if x\n1\n2))\n"),
        &format!("{habit}\n(defun d (x)\n  (if x\n    1\n    2))\n"),
    );
}

#[test]
fn a_macro_says_where_its_body_begins() {
    let text = "(defmacro within ((name value) other &body body)\n  `(progn ,name ,value ,other ,@body))\n\n\
        (within (x 1) 2\n(f x)\n(g x))\n";
    check(CL, text, &text.replace("\n(f x)\n(g x)", "\n  (f x)\n  (g x)"));
    let text = "(defmacro my-with (a b &rest body)\n  (declare (indent 2))\n  body)\n\n(my-with 1 2\n3\n4)\n";
    check(Dialect::EmacsLisp, text, &text.replace("\n3\n4", "\n  3\n  4"));
    let text = "(put 'my-let 'scheme-indent-function 1)\n\n(my-let ((x 1))\n(f x))\n";
    check(Dialect::Scheme, text, &text.replace("\n(f x)", "\n  (f x)"));
    let text = "(defmacro my-try {:style/indent 1} [a & body] body)\n\n(my-try 1\n(f 2))\n";
    check(Dialect::Clojure, text, &text.replace("\n(f 2)", "\n  (f 2)"));
}

#[test]
fn strings_and_block_comments_keep_their_bytes() {
    stays(CL, "(defun f ()\n  \"One  \n two\n      three\"\n  #| a  \n b |#\n  1)\n");
    check(
        CL,
        "(defun f ()\n      \"One  \n two\"\n      (g \"\n  \"\n1))\n",
        "(defun f ()\n  \"One  \n two\"\n  (g \"\n  \"\n     1))\n",
    );
}

#[test]
fn white_space_at_the_ends_goes_and_page_breaks_stay() {
    check(CL, "(f)  \n\t\n\x0c\n;; a  \n(g) ; b \t\n\n\n", "(f)\n\n\x0c\n;; a\n(g) ; b\n");
    check(CL, "(f)", "(f)\n");
    check(CL, "(f\r\n1) \r\n(g)", "(f\r\n 1)\r\n(g)\r\n");
    check(CL, "", "");
    stays(CL, "(list #\\ \n      1)\n");
}

#[test]
fn headings_stay_and_other_comments_stand_with_the_code() {
    stays(CL, "    ; far right\n(defun f ()\n;;; A heading\n  1)\n");
    check(CL, "(defun f ()\n;; Says one.\n1)\n", "(defun f ()\n  ;; Says one.\n  1)\n");
}

#[test]
fn closers_join_the_line_before_where_nobody_leaves_them_alone() {
    let healthy = "(defun f (x)\n  (g x))\n\n".repeat(60);
    check(
        CL,
        &format!("{healthy}(defun h (x)\n  (g x\n     1\n  )\n)\n"),
        &format!("{healthy}(defun h (x)\n  (g x\n     1))\n"),
    );
    stays(CL, &format!("{healthy}(defun h (x)\n  (g x) ; why\n  )\n"));
}

#[test]
fn only_the_lines_that_are_asked_for_change() {
    let text = "(f\n      1\n      2) \n(g\n      1) \n";
    let laid = Layout::new(Style::Learned).laid_out(text, &CL.into(), &Lines::of(vec![(4, 5)])).unwrap();
    assert_eq!(laid, "(f\n      1\n      2) \n(g\n 1)\n");
}

#[test]
fn what_does_not_balance_is_refused() {
    let refused = Layout::new(Style::Learned).laid_out("(f\n(g)", &CL.into(), &Lines::ALL);
    assert!(matches!(refused, Err(NotLaidOut::Unbalanced(_))), "{refused:?}");
}

#[test]
fn deep_nesting_needs_no_stack() {
    let text = "(\n".repeat(100_000) + &")".repeat(100_000);
    let _ = Layout::new(Style::Emacs).laid_out(&text, &CL.into(), &Lines::ALL);
}

/// Texts that balance, with lines of any indentation.
fn texts() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(vec![
        "defun",
        "let",
        "if",
        "cond",
        "f",
        "x",
        ":key",
        "1",
        "\"a\n  b\"",
        "'x",
        "loop",
        "&body",
    ]);
    let leaf = atom.prop_map(str::to_owned);
    let gap = prop::sample::select(vec![
        " ",
        "\n",
        "\n  ",
        "\n      ",
        "  \n\n   ",
        " ; why\n ",
        "\n;; what\n",
        "\n\t",
        "\n;;; top \n    ",
    ]);
    let form = leaf.prop_recursive(4, 40, 5, move |inner| {
        (prop::collection::vec((inner, gap.clone()), 0..5), prop::bool::ANY).prop_map(|(parts, is_quoted)| {
            let inside: String = parts.iter().map(|(part, gap)| format!("{part}{gap}")).collect();
            format!("{}({inside})", if is_quoted { "'" } else { "" })
        })
    });
    prop::collection::vec(form, 1..5).prop_map(|forms| forms.join("\n\n") + "\n")
}

proptest! {
    #[test]
    fn laying_out_twice_is_laying_out_once(text in texts(), at in 0..Dialect::ALL.len(), by_rule: bool) {
        let dialect = Dialect::ALL[at];
        let layout = Layout::new(if by_rule { Style::Emacs } else { Style::Learned });
        if let Ok(once) = layout.laid_out(&text, &dialect.into(), &Lines::ALL) {
            let twice = layout.laid_out(&once, &dialect.into(), &Lines::ALL);
            prop_assert_eq!(twice.as_ref(), Ok(&once));
            let solid = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(solid(&text), solid(&once));
        }
    }
}
