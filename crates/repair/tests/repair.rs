//! Before and after: what is repaired, what is refused, and what is left alone.

#![allow(clippy::unwrap_used)]

use lispwright_repair::{Earlier, Outcome, Reason, Unrepaired, renested_since, repair};
use lispwright_syntax::language::Extension;
use lispwright_syntax::{Dialect, Language};

const NEIGHBOURS: &str = "(defun area (circle)\n  (let ((r (radius circle)))\n    (* pi r r)))\n\n\
(defun show (x)\n  (when x\n    (print x))\n  (list x))\n\n";

fn outcome(text: &str, dialect: Dialect, earlier: Option<&str>) -> Outcome {
    repair(text, dialect, &Earlier { text: earlier, edited: None })
}

/// The text is repaired to `expected`, alone.
#[track_caller]
fn check(broken: &str, expected: &str, dialect: Dialect) {
    match outcome(broken, dialect, None) {
        Outcome::Repaired(repair) => assert_eq!(repair.text, expected),
        other => panic!("not repaired: {other:?}"),
    }
}

/// The text is repaired to `expected` with its earlier text.
#[track_caller]
fn check_against(earlier: &str, broken: &str, expected: &str, dialect: Dialect) {
    match outcome(broken, dialect, Some(earlier)) {
        Outcome::Repaired(repair) => assert_eq!(repair.text, expected),
        other => panic!("not repaired: {other:?}"),
    }
}

#[track_caller]
fn refused(broken: &str, dialect: Dialect, earlier: Option<&str>) -> Unrepaired {
    match outcome(broken, dialect, earlier) {
        Outcome::Refused(refusal) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

fn with_neighbours(form: &str) -> String {
    format!("{NEIGHBOURS}{form}\n\n(defun last-one (x)\n  (list x x))\n")
}

#[test]
fn balanced_text_is_left_alone() {
    for text in ["", "(a)", "; (\n", "  (a\nb)\n", "(a \"(\" #\\( )\r\n"] {
        assert_eq!(outcome(text, Dialect::CommonLisp, Some("(a (b))")), Outcome::Balanced, "{text:?}");
    }
}

#[test]
fn a_closer_of_the_wrong_kind_is_exchanged() {
    let sound = "(defn f [x]\n  (let [y (inc x)]\n    (* x y)))\n\n(defn g [x]\n  (f x))\n";
    check(&sound.replace("(inc x)]", "(inc x))"), sound, Dialect::Clojure);
    check(&sound.replace("(* x y)))", "(* x y)]))"), sound, Dialect::Clojure);
}

#[test]
fn only_the_broken_form_is_changed() {
    let broken = with_neighbours("(defun f (x)\n  (list x)");
    let Outcome::Repaired(repair) = outcome(&broken, Dialect::CommonLisp, None) else { panic!() };
    assert_eq!(repair.edits.len(), 1);
    assert_eq!(repair.forms.len(), 1);
    assert_eq!(repair.forms[0].first_line, "(defun f (x)");
    assert!(!repair.evidence.is_empty());
}

#[test]
fn line_endings_tabs_and_other_scripts_stay() {
    let sound = "(defun größe (ä)\r\n\t(when ä\r\n\t  (print ä))\r\n\tä)\r\n\r\n(defun g (x)\r\n\t(when x\r\n\t  (print x))\r\n\tx)\r\n";
    check(&sound.replacen("(print ä))", "(print ä)", 1), sound, Dialect::CommonLisp);
}

#[test]
fn delimiters_in_literals_are_not_counted() {
    let sound = "(defun f (c)\n  \"Is C a ( or not? :-)\"\n  (case c\n    (#\\( :open)\n    (#\\) :close)))\n\n(defun g (x)\n  (list x))\n";
    check(&sound.replace(":close)))", ":close))"), sound, Dialect::CommonLisp);
    let sound =
        "(defun f (c)\n  (cond ((eq c ?\\() 'open)\n        ((eq c ?\\)) 'close)))\n\n(defun g (x)\n  (list x))\n";
    check(&sound.replace("'close)))", "'close))"), sound, Dialect::EmacsLisp);
}

#[test]
fn the_earlier_text_restores_quotes_and_comments() {
    let earlier = "(defun f (x)\n  \"Doc (of f).\"\n  #| note ( |#\n  (list x \"a\"))\n\n(defun g () 1)\n";
    for (lost, by) in [("f).\"", "f)."), ("( |#", "( "), ("#| ", " "), ("\"a\"", "\"a"), ("x \"a", "x a")] {
        check_against(earlier, &earlier.replacen(lost, by, 1), earlier, Dialect::CommonLisp);
    }
}

#[test]
fn the_earlier_text_works_without_indentation() {
    let earlier = "(define (f x)\n  (let ((a 1)\n        (b 2))\n    (+ a b x)))\n";
    let flat = "(define (f x)\n(let ((a 1)\n(b 2))\n(+ a b x)))\n";
    check_against(earlier, &flat.replace("(b 2))", "(b 2)"), flat, Dialect::Scheme);
}

#[test]
fn an_empty_list_gets_the_delimiter_back_that_it_lost() {
    let sound = [
        (Dialect::Scheme, "(define (f x)\n  (if (null? x)\n      '()\n      (cdr x)))\n"),
        (Dialect::Scheme, "(define (f x)\n  (list '() x '()))\n"),
        (Dialect::CommonLisp, "(defun f ()\n  (list x ()))\n"),
        (Dialect::CommonLisp, "(defmacro f (x)\n  `(list ,x ()))\n"),
        (Dialect::EmacsLisp, "(defun f (x)\n  (mapcar (lambda () x)\n          [] []))\n"),
        (Dialect::Clojure, "(ns a.core)\n\n(defn f []\n  (g #{})\n  (h {}))\n\n(defn k [x]\n  (inc x))\n"),
        (Dialect::Clojure, "(defn f [x]\n  (if x []\n      [1]))\n"),
        (Dialect::Clojure, "(defn f [x]\n  (loop []\n    (swap! x assoc :a {})))\n"),
        (Dialect::Racket, "#lang racket\n(define (f x)\n  (syntax-case x ()\n    [(_ a) #'a]))\n"),
    ];
    for (dialect, sound) in sound {
        for list in ["()", "[]", "{}"] {
            for (at, _) in sound.match_indices(list) {
                for at in [at, at + 1] {
                    let broken = format!("{}{}", &sound[..at], &sound[at + 1..]);
                    check_against(sound, &broken, sound, dialect);
                }
            }
        }
    }
}

#[test]
fn an_empty_list_gets_its_delimiter_back_where_the_form_was_changed_too() {
    let earlier = "(defn f [x]\n  (let [y (inc x)]\n    (swap! state assoc :a {})\n    (if y [] x)))\n";
    let changed = earlier.replace("(inc x)", "(dec (h x))");
    for (list, left) in [("{}", "}"), ("{}", "{"), ("[]", "]"), ("[]", "[")] {
        check_against(earlier, &changed.replace(list, left), &changed, Dialect::Clojure);
    }
}

#[test]
fn a_closer_that_only_an_empty_list_explains_gets_its_opener() {
    let sound = [
        (
            Dialect::Clojure,
            "(defn run-tests []\n  (println \"a\")\n  (println \"b\"))\n\n(defn k [x]\n  (inc x))\n",
            "[]",
        ),
        (Dialect::Clojure, "(defn f [x]\n  (loop []\n    (recur)))\n", "[]"),
        (Dialect::Clojure, "(defn f [x]\n  {:a 1\n   :b []})\n", "[]"),
        (Dialect::EmacsLisp, "(defun f (x)\n  (list [] x))\n", "[]"),
        (Dialect::Scheme, "(define (f x)\n  (if (null? x)\n      '()\n      (cdr x)))\n", "()"),
        (Dialect::CommonLisp, "(defun f (x)\n  (list '() x))\n", "()"),
    ];
    for (dialect, sound, list) in sound {
        check(&sound.replacen(list, &list[1..], 1), sound, dialect);
    }
}

#[test]
fn a_list_that_begins_with_white_space_may_have_been_empty() {
    for (dialect, sound) in [
        (Dialect::Scheme, "(define (f x)\n  (list '() x))\n"),
        (Dialect::CommonLisp, "(defun f (x)\n  (list () x))\n"),
        (Dialect::EmacsLisp, "(defun f (x)\n  (list [] x))\n"),
    ] {
        let broken = sound.replacen("()", "(", 1).replacen("[]", "[", 1);
        if let Outcome::Repaired(repair) = outcome(&broken, dialect, None) {
            assert_eq!(repair.text, sound);
        }
    }
}

#[test]
fn an_empty_list_that_was_added_is_kept() {
    let earlier = "(defun f (x)\n  (when x\n    (list x))\n  (g x))\n";
    let added = earlier.replace("(list x)", "(list x ())");
    check_against(earlier, &added.replace("(g x))", "(g x)"), &added, Dialect::CommonLisp);
}

#[test]
fn several_faults_in_one_form_are_undone_with_the_earlier_text() {
    let earlier = "(defn f [x]\n  (let [y (inc x)\n        z (dec x)]\n    (when (pos? y)\n      (* x z))))\n";
    let broken = earlier.replace("(inc x)", "(inc x").replace("[y (", "[y ").replace("(* x z))))", "(* x z)))");
    check_against(earlier, &broken, earlier, Dialect::Clojure);
}

#[test]
fn a_string_that_may_end_in_several_places_is_refused() {
    let sum = "(defun sum (list)\n  (princ \"item list)\n  (dolist (item list)\n    (princ item)))";
    refused(&with_neighbours(sum), Dialect::EmacsLisp, None);
    let print = "(define (show name list)\n  (begin\n    (format #t\n            \".REM ~A\n~A\n\"\n            name\n            (display list))))";
    refused(&with_neighbours(&print.replace("~A\n\"", "~A\n")), Dialect::Scheme, None);
}

#[test]
fn both_sides_of_a_merge_are_never_repaired() {
    let form = "(defun f (x)\n  (when x\n<<<<<<< HEAD\n    (print x)\n=======\n    (print x)))\n>>>>>>> branch\n  x)";
    let text = with_neighbours(form);
    let refusal =
        refused(&text, Dialect::CommonLisp, Some(&with_neighbours("(defun f (x)\n  (when x\n    (print x))\n  x)")));
    assert_eq!(refusal.reason, Reason::Conflict);
    assert!(text.lines().nth(refusal.diagnosis.line as usize - 1).unwrap().starts_with("<<<<<<<"));
}

#[test]
fn a_text_that_stops_is_refused() {
    let text = with_neighbours("(defun f (x)\n  (let ((y 1))\n    (when x\n      (list x y))))");
    let cut = &text[..text.find("(list x y").unwrap() + 5];
    let refusal = refused(cut, Dialect::CommonLisp, None);
    assert_eq!(refusal.reason, Reason::CutShort);
    assert_eq!(refusal.diagnosis.line, cut.lines().count() as u32);
    assert_eq!(refused(cut, Dialect::CommonLisp, Some(&text)).reason, Reason::CutShort);
}

#[test]
fn a_condition_above_the_next_form_is_not_changed() {
    let form = "(defun f (x)\n  (when x\n    (print x)))\n\n#+sbcl\n(defun g (x)\n  (list x))";
    check(&with_neighbours(&form.replace("(print x)))", "(print x))")), &with_neighbours(form), Dialect::CommonLisp);
}

#[test]
fn flush_left_code_is_refused() {
    let text = "(defun f (x)\n(let ((y 1))\n(list x y)))\n";
    assert!(refused(&text.replace("y)))", "y))"), Dialect::CommonLisp, None).candidates.len() < 6);
    refused("(defun f (x)\n(g x)\n\n(defun h (x)\n  (g x))\n", Dialect::CommonLisp, None);
}

#[test]
fn a_refusal_names_the_line_and_has_the_original_among_its_candidates() {
    let text = with_neighbours("(defun f (x)\n  (foo bar x) x))");
    let refusal = refused(&text, Dialect::CommonLisp, None);
    assert_eq!(refusal.diagnosis.line, 11);
    let shown: Vec<&str> = refusal.candidates.iter().map(|candidate| candidate.after.trim()).collect();
    assert!(shown.contains(&"(foo bar x) x)") || shown.contains(&"(foo (bar x) x))"), "{shown:?}");
    assert!(refusal.candidates.iter().all(|candidate| candidate.before == "  (foo bar x) x))" || candidate.line != 11));
}

#[test]
fn a_prefix_without_a_datum_is_no_fault_of_delimiters() {
    assert_eq!(refused("(list ')\n", Dialect::CommonLisp, None).reason, Reason::NotDelimiters);
}

#[test]
fn repair_ends_for_nesting_of_any_depth() {
    for text in ["(".repeat(200_000), ")".repeat(200_000), "(a ".repeat(50_000), "\"".repeat(100_001)] {
        assert!(!matches!(outcome(&text, Dialect::Scheme, Some("(a)")), Outcome::Balanced));
    }
}

/// The outcome for a file in which an edit with a known place has rewritten a function.
fn rewritten(old: &str, new: &str) -> Outcome {
    let (before, text) = (with_neighbours(old), with_neighbours(new));
    let start = NEIGHBOURS.len() as u32;
    let edited = Some(start..start + new.len() as u32);
    repair(&text, Dialect::CommonLisp, &Earlier { text: Some(&before), edited })
}

#[test]
fn a_rewritten_function_is_repaired_inside_the_edit() {
    let old = "(defun total (items)\n  (reduce #'+ items))";
    let new = "(defun total (items)\n  (let ((sum 0))\n    (dolist (item items)\n      (incf sum item))\n    (print sum)\n    sum))";
    let broken = [
        new[..new.len() - 1].to_owned(),
        format!("{new})"),
        new.replace("(incf sum item))", "(incf sum item)"),
        new.replace("(print sum)", "(print sum))"),
    ];
    for broken in broken {
        let Outcome::Repaired(repair) = rewritten(old, &broken) else { panic!("not repaired: {broken}") };
        assert_eq!(repair.text, with_neighbours(new));
        let inside = NEIGHBOURS.len()..NEIGHBOURS.len() + broken.len();
        assert!(repair.edits.iter().all(|edit| inside.start <= edit.range().start && edit.range().end <= inside.end));
        assert_eq!(repair.forms[0].line, 10);
    }
}

#[test]
fn text_outside_the_edit_is_not_changed() {
    // The missing closer belongs after the edit.
    let before = "(defun f (x)\n  (print x)\n  (list x))\n";
    let text = "(defun f (x)\n  (when x\n  (print x)\n  (list x))\n";
    let edited = Some(13..23);
    let outcome = repair(text, Dialect::CommonLisp, &Earlier { text: Some(before), edited: edited.clone() });
    if let Outcome::Repaired(repair) = &outcome {
        assert!(repair.edits.iter().all(|edit| edit.at >= 13 && edit.range().end <= 23), "{:?}", repair.edits);
    }
}

#[test]
fn a_lost_quote_does_not_leave_the_edited_form() {
    let old = "(defun f (x)\n  \"Old.\"\n  (list x))";
    let new = "(defun f (x)\n  \"Twice (X).\"\n  (list x x))";
    match rewritten(old, &new.replace("(X).\"", "(X).")) {
        Outcome::Repaired(repair) => assert_eq!(repair.text, with_neighbours(new)),
        Outcome::Refused(refusal) => assert!((9..=11).contains(&refusal.diagnosis.line), "{refusal:?}"),
        Outcome::Balanced => panic!("it does not balance"),
    }
}

#[test]
fn a_form_without_a_last_line_end_gets_its_last_closer() {
    let sound =
        "(defun total (items)\n  (let ((sum 0))\n    (dolist (item items)\n      (incf sum item))\n    (print sum)))";
    check(&sound[..sound.len() - 1], sound, Dialect::CommonLisp);
}

#[test]
fn a_form_that_stops_in_its_middle_is_cut_short() {
    for cut in [
        "(defun total (items)\n  (let ((sum 0))\n    (dolist (item items)\n      (incf sum",
        "(defun total (items)\n  (let ((sum 0))",
        "(defun total (items)",
        "(defun total (items)\n  (let (",
    ] {
        assert_eq!(refused(cut, Dialect::CommonLisp, None).reason, Reason::CutShort, "{cut}");
    }
}

#[test]
fn a_file_that_stops_at_the_end_of_a_line_is_cut_short() {
    let form = "(defun f (x)\n  \"Two times X.\"\n  (let ((y (* 2 x)))\n    ;; That is all.\n    (list\n     y)))";
    let text = with_neighbours(form);
    let start = text.find(form).unwrap();
    for (end, _) in form.match_indices('\n') {
        let cut = &text[..start + end + 1];
        assert_eq!(refused(cut, Dialect::CommonLisp, Some(&text)).reason, Reason::CutShort, "{cut}");
    }
    let unfinished = ["(defun f (x)\n", "(defun f (x)\n  \"Doc.\"\n", "(defun f (x)\n  (g x)\n  ;; And then:\n"];
    for end in unfinished.into_iter().chain(["(defmacro m (x)\n", "(let ((x 1))\n"]) {
        let cut = format!("{}{end}", &text[..start]);
        assert_eq!(refused(&cut, Dialect::CommonLisp, None).reason, Reason::CutShort, "{cut}");
    }
    let tests: String = (0..4).map(|n| format!("(deftest t{n} ()\n  (is (f {n})))\n\n")).collect();
    assert_eq!(refused(&format!("{tests}(deftest t ()\n"), Dialect::CommonLisp, None).reason, Reason::CutShort);
}

#[test]
fn a_closer_of_another_dialect_is_replaced() {
    let mended = |broken: &str, sound: &str, dialect| {
        let (broken, sound) = (with_neighbours(broken), with_neighbours(sound));
        check(&broken, &sound, dialect);
        check_against(&sound, &broken, &sound, dialect);
    };
    let sound = "(defun f (env x)\n  (declare (ignore env))\n  (let ((y (g x)))\n    (list x y)))";
    for broken in [sound.replace("env))", "env)}"), sound.replace("env))", "env}]"), sound.replace("x y)", "x y）")] {
        mended(&broken, sound, Dialect::CommonLisp);
    }
    let sound = "(define (f x)\n  (let ((y (g x)))\n    (list x y)))";
    mended(&sound.replace("g x)", "g x}"), sound, Dialect::Scheme);
    let sound = "(defun f (x)\n  (let ((y (g x)))\n    (list x y)))";
    mended(&sound.replace("x y)", "x y}"), sound, Dialect::EmacsLisp);
    // In these texts they are parts of names.
    let names =
        with_neighbours("(defun f (x)\n  (list open} close} x)\n  (open} x)\n  (print read-} x)\n  (close} x))");
    check(&names.replace("(close} x)", "(close} x"), &names, Dialect::CommonLisp);
}

#[test]
fn a_head_is_not_closed_before_its_body() {
    let text = "(eval-when (:compile-toplevel)\n(defun f (x)\n  (list x))\n(defun g (x)\n  (list x))\n";
    refused(text, Dialect::CommonLisp, None);
    refused("#?(:cljs\n(defn f\n  [x]\n  (inc x))\n\n(defn g [x]\n  (f x))\n", Dialect::Clojure, None);
}

#[test]
fn a_character_literal_without_its_backslash_is_refused() {
    let sound = with_neighbours("(defun f (c)\n  (case c\n    (#\\( :open)\n    (#\\) :close)))");
    refused(&sound.replacen("#\\(", "#(", 1), Dialect::CommonLisp, None);
    refused(&sound.replacen("#\\)", "#)", 1), Dialect::CommonLisp, None);
}

#[test]
fn form_feeds_and_wide_characters_do_not_shift_columns() {
    let sound =
        with_neighbours("\u{c}\n(defun f (x)\n  (when (string= x \"\u{3042}\u{3044} (\")\n    (print x))\n  (list x))");
    check(
        &sound.replacen("    (print x))\n  (list x))\n\n(defun last", "    (print x)\n  (list x))\n\n(defun last", 1),
        &sound,
        Dialect::CommonLisp,
    );
}

#[test]
fn a_block_comment_does_not_count() {
    let sound = with_neighbours("(defun f (x)\n  #| a ( and\n(defun old () |#\n  (when x\n    (print x))\n  (list x))");
    check(&sound.replacen("(list x))\n\n(defun last", "(list x)\n\n(defun last", 1), &sound, Dialect::CommonLisp);
}

#[test]
fn only_forms_that_the_change_nested_differently_are_reported() {
    let before = with_neighbours("(defun f (x)\n  (when x\n    (print x))\n  (print 2)\n  (list x))");
    let moved = before.replace(
        "    (print x))\n  (print 2)\n  (list x))\n\n(defun last",
        "    (print x)\n  (print 2))\n  (list x))\n\n(defun last",
    );
    let found = renested_since(&before, &moved, Dialect::CommonLisp);
    assert_eq!(found.iter().map(|form| form.form_line).collect::<Vec<_>>(), [10]);
    assert!(renested_since(&moved, &moved.replace("last-one", "the-last"), Dialect::CommonLisp).is_empty());
    assert!(renested_since(&moved, &before, Dialect::CommonLisp).is_empty());
}

#[test]
fn very_many_faults_are_repaired_if_the_earlier_text_is_certain_and_refused_beyond_a_limit() {
    let many = |count: usize| (0..count).map(|index| format!("(defun f{index} (x)\n  (g x))\n\n")).collect::<String>();
    for (count, repaired) in [(40, true), (3_000, true), (30_000, false)] {
        let sound = many(count);
        match outcome(&sound.replace("x))\n", "x)))\n"), Dialect::CommonLisp, Some(&sound)) {
            Outcome::Repaired(repair) => assert!(repaired && repair.text == sound, "{count}"),
            Outcome::Refused(refusal) => {
                assert!(!repaired && refusal.reason == Reason::Entangled, "{count}: {refusal:?}")
            }
            Outcome::Balanced => panic!("it is broken"),
        }
        // New lines that are broken, so that nothing is certain.
        let anew = sound.replace("(g x))", "(let ((y x))\n  (h y)");
        let Outcome::Refused(refusal) = outcome(&anew, Dialect::CommonLisp, Some(&sound)) else { panic!("{count}") };
        assert!(refusal.candidates.is_empty() || count == 40, "{count}: {refusal:?}");
    }
}

#[test]
fn repair_ends_for_hostile_text() {
    let texts = [
        "(a b) ".repeat(60_000) + "(",
        "(defun f (x)\n  (g x)\n\n".repeat(20_000),
        "#|".repeat(100_000),
        format!("({}", " ".repeat(500_000)),
        "(a))\n".repeat(100_000),
        "(\n".repeat(200_000),
        "([{".repeat(100_000),
        "\"a\n\"\n\"b\"".repeat(50_000) + "\"",
    ];
    let sound = "(defun f (x)\n  (g x))\n\n".repeat(10_000);
    for text in texts {
        for earlier in [None, Some("(defun f (x)\n  (g x))\n"), Some(&*sound)] {
            assert!(!matches!(outcome(&text, Dialect::CommonLisp, earlier), Outcome::Balanced));
        }
    }
}

/// Common Lisp with `route`, which defines as `defun` does.
fn with_route() -> Language {
    let mut extension = Extension::new(Dialect::CommonLisp);
    extension.add_definer("route", "defun").unwrap();
    extension.into()
}

#[test]
fn a_definer_of_the_project_has_the_shape_of_the_one_it_is_like() {
    let form = |form: &str| format!("{form}\n\n(defun last-one (x)\n  (list x x))\n");
    let as_it_is = |text: &str, language: Language| format!("{:?}", repair(text, language, &Earlier::default()));
    let (mut alike, mut differ) = (0, 0);
    for broken in [
        "(defun index (x (list x))",
        "(defun index x)\n  (list x))",
        "(defun index (x\n  (list x))",
        "(defun index (x) (when x (list x)",
        "(defun index (x))\n  (list x))",
        "(defun index (x)\n  \"Shows it.\n  (list x))",
        "(defun index (x)\n  (list x)\n(defun other (x)\n  (list x)))",
    ] {
        let plain = form(broken);
        let text = plain.replace("defun", "route");
        let wanted = as_it_is(&plain, Dialect::CommonLisp.into()).replace("defun", "route");
        assert_eq!(as_it_is(&text, with_route()), wanted, "{text}");
        alike += 1;
        differ += usize::from(as_it_is(&text, Dialect::CommonLisp.into()) != wanted);
        // A macro in the same text says it as well.
        let told = |text: &str| format!("(defmacro route (&rest all)\n  `(defun ,@all))\n\n{text}");
        let [shown, plain] = [&text, &plain].map(|text| as_it_is(&told(text), Dialect::CommonLisp.into()));
        assert_eq!(shown.replace("defun", "route"), plain.replace("defun", "route"), "{text}");
    }
    assert!(alike == 7 && differ > 1, "{differ} of {alike} differ without the project's word");
}

#[test]
fn no_closer_goes_before_a_comment_that_does_not_begin_with_a_semicolon() {
    refused("(def x (f a#b)\n(def y 1)\n", Dialect::Janet, None);
    check(
        "(defn f [x]\n  (g x) # done (\n\n(defn h [y]\n  @{:a y})\n",
        "(defn f [x]\n  (g x)) # done (\n\n(defn h [y]\n  @{:a y})\n",
        Dialect::Janet,
    );
    check(
        "(defn f [x]\n  (print f\"{(g \")\")}\")\n\n(defn h [y]\n  {\"a\" y})\n",
        "(defn f [x]\n  (print f\"{(g \")\")}\"))\n\n(defn h [y]\n  {\"a\" y})\n",
        Dialect::Hy,
    );
    check(
        "(fn f [x]\n  (g #(+ $ x))\n\n(fn h [y]\n  {:a y})\n",
        "(fn f [x]\n  (g #(+ $ x)))\n\n(fn h [y]\n  {:a y})\n",
        Dialect::Fennel,
    );
}
