//! Symbols that are no uses: local names, blocks, slots, words of syntax, data.
#![allow(clippy::unwrap_used)]

use lispwright_index::{Facts, MarkRole};
use lispwright_syntax::{Dialect, read};

/// Checks the roles of `x` in a text, in their order, with `u` for a use and `-` for a place that is neither.
#[track_caller]
fn check(dialect: Dialect, text: &str, expected: &str) {
    let tree = read(text, dialect).learning(text);
    let facts = Facts::with_marks(&tree, text);
    let letter = |start: u32| {
        let role = facts.marks.iter().find(|mark| mark.span.start == start).map(|mark| mark.role);
        match role {
            _ if facts.uses.iter().any(|used| used.start == start && !used.hidden) => 'u',
            Some(MarkRole::Local) => 'l',
            Some(MarkRole::LocalFunction) => 'f',
            Some(MarkRole::Label) => 'b',
            Some(MarkRole::Slot) => 's',
            Some(MarkRole::Special) => 'v',
            Some(MarkRole::Type) => 't',
            Some(MarkRole::Function) => 'a',
            Some(MarkRole::Word) => 'w',
            Some(MarkRole::Data) => 'd',
            Some(MarkRole::Perhaps) => 'p',
            None => '-',
        }
    };
    let is_x = |span: &lispwright_syntax::Span| text[span.range()].eq_ignore_ascii_case("x");
    let found: String = tree.tokens().map(|(_, span)| span).filter(is_x).map(|span| letter(span.start)).collect();
    assert_eq!(found, expected, "{text}");
    assert_eq!(Facts::of(&tree, text).marks, []);
}

#[test]
fn local_names_are_marked() {
    let cl = Dialect::CommonLisp;
    check(cl, "(defun f (x) (x x #'x 'x))", "luluu");
    check(cl, "(flet ((x () (x))) (x) #'x x)", "fuffu");
    check(cl, "(labels ((x () (x))) (x))", "fff");
    check(cl, "(let ((x x)) (declare (type x x) (ignorable x)) x)", "luulll");
    check(cl, "(loop for x in x collect x)", "lul");
    check(cl, "(loop with x = x for y = x for x = x then x across x)", "lulllll");
    check(cl, "(defgeneric f (x))", "l");
    check(Dialect::Clojure, "(defn f [{:keys [x] :or {x 1}}] (x))", "lll");
    check(Dialect::EmacsLisp, "(pcase y (`(,x) (x x)))", "lul");
}

#[test]
fn blocks_are_those_of_functions_or_words() {
    let cl = Dialect::CommonLisp;
    check(cl, "(defun x () (return-from x 1))", "ub");
    check(cl, "(block x (return-from x (x)))", "wwu");
    check(cl, "(flet ((x () (return-from x)) (y () (return-from x))) 1)", "fwb");
    check(cl, "(loop named x do (return-from x))", "ww");
    check(Dialect::EmacsLisp, "(cl-block x (cl-return-from x))", "ww");
}

#[test]
fn slots_words_and_data_are_marked() {
    let cl = Dialect::CommonLisp;
    check(cl, "(defclass c () (x (x :reader x :type x)))", "ssuu");
    check(cl, "(defstruct (s (:constructor x (x)) (:conc-name x)) x (x x))", "ulwssu");
    check(cl, "(with-slots (x (y x)) c x)", "lsl");
    check(cl, "(with-accessors ((y x)) c y)", "u");
    check(cl, "(list (slot-value c 'x) (slot-value c x))", "su");
    check(cl, "(in-package x)", "w");
    check(cl, "(loop for a below x sum x) #+x (x)", "uuwu");
    check(Dialect::EmacsLisp, "(require 'x) (with-eval-after-load 'x (x)) (oref c x)", "wwus");
    check(Dialect::Clojure, "'x (. y x x) #_x", "dwu-");
}
