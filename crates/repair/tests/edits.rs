//! Edits for which several outcomes are right: the correct repair, or a refusal that names the right place. Cases with
//! one right outcome are files in `fixtures`.

#![allow(clippy::unwrap_used)]

use lispwright_repair::{Earlier, Outcome, apply, repair};
use lispwright_syntax::Dialect;

/// A neighbour, so that the file shows how it is laid out.
const NEIGHBOUR: &str = "(defun neighbour (list)\n  \"Return the sum of LIST.\"\n  (let ((sum 0)\n        (seen nil))\n    (dolist (item list)\n      \
(when (> item 0)\n        (setq sum (+ sum item))))\n    (cons sum seen)))\n\n";

#[test]
fn a_call_that_lost_its_opener_in_the_condition_of_a_loop_is_not_closed_elsewhere() {
    let form = |condition: &str| {
        format!(
            "(defun my-wait (delay)\n  \"Wait for DELAY.\"\n  (while {condition}\n    (my-poll)\n    (setq my-polls (1+ my-polls))))"
        )
    };
    let (sound, broken) = (form("(sit-for delay)"), form("sit-for delay)"));
    let file = |form: &str| format!("{}{form}\n", NEIGHBOUR);
    match repair(&file(&broken), Dialect::EmacsLisp, &Earlier::default()) {
        Outcome::Repaired(repair) => assert_eq!(repair.text, file(&sound)),
        Outcome::Refused(refusal) => {
            assert!(refusal.candidates.iter().any(|candidate| candidate.after.trim() == "(while (sit-for delay)"));
        }
        Outcome::Balanced => panic!("it does not balance"),
    }
}

#[test]
fn a_docstring_rewritten_without_its_closing_quote_is_refused_or_restored() {
    let old = "(defun my-beep ()\n  \"Make a noise (a loud one).\"\n  (ding))";
    let new = "(defun my-beep ()\n  \"Make a noise.\nIt is (very) loud.\"\n  (ding))";
    let text = format!("{}{}\n", NEIGHBOUR, new.replace("loud.\"", "loud."));
    match repair(&text, Dialect::EmacsLisp, &Earlier { text: Some(old), edited: None }) {
        Outcome::Repaired(repair) => assert_eq!(repair.text, format!("{}{new}\n", NEIGHBOUR)),
        Outcome::Refused(refusal) => {
            let fault = text.lines().position(|line| line.ends_with("loud.")).unwrap() as u32 + 1;
            assert!(refusal.diagnosis.line.abs_diff(fault) <= 2, "{refusal:?}");
        }
        Outcome::Balanced => panic!("it does not balance"),
    }
}

#[test]
fn an_extra_closer_before_a_body_is_found() {
    let text = "(defun my-count (list)\n  \"Count LIST.\"\n  (let ((n 0))\n    (dolist (item list))\n      (when item\n        (setq n (1+ n))))\n    n))\n";
    let whole = format!("{}{text}", NEIGHBOUR);
    let fault = whole.lines().position(|line| line == "    (dolist (item list))").unwrap() as u32 + 1;
    match repair(&whole, Dialect::EmacsLisp, &Earlier::default()) {
        Outcome::Repaired(repair) => {
            assert_eq!(repair.text, whole.replace("    (dolist (item list))", "    (dolist (item list)"));
        }
        Outcome::Refused(refusal) => {
            assert_eq!(refusal.diagnosis.line, fault);
            assert_eq!(refusal.candidates[0].after, "    (dolist (item list)");
        }
        Outcome::Balanced => panic!("it does not balance"),
    }
}

#[test]
fn the_last_clause_of_a_conditional_is_not_called() {
    let meant = "(defun f (x)\n  (cond ((null x)\n         (list 1))\n        (t \"wrong ~a\" (second x))))";
    let slip = meant.replacen("(t", "((t", 1);
    for earlier in [None, Some(meant.replacen("(list 1)", "1", 1))] {
        match repair(&slip, Dialect::CommonLisp, &Earlier { text: earlier.as_deref(), edited: None }) {
            Outcome::Repaired(repair) => assert_eq!(repair.text, meant),
            Outcome::Refused(refusal) => assert_eq!(apply(&slip, &refusal.candidates[0].edits), meant),
            Outcome::Balanced => panic!("it does not balance"),
        }
    }
}

#[test]
fn brackets_and_quotes_that_were_exchanged_are_meant() {
    let old = "(ns app.core\n  (:require [a.b :as b]\n            {c.d {:as \"d\"}}\n            [e.f :as f]))";
    let new = "(ns app.core\n  (:require [a.b :as b]\n            [c.d :as d\n            [e.f :as f]))";
    let meant = "(ns app.core\n  (:require [a.b :as b]\n            [c.d :as d]\n            [e.f :as f]))";
    for edited in [None, Some(0..new.len() as u32)] {
        match repair(new, Dialect::Clojure, &Earlier { text: Some(old), edited }) {
            Outcome::Repaired(repair) => assert_eq!(repair.text, meant),
            Outcome::Refused(refusal) => assert!(refusal.diagnosis.line.abs_diff(3) < 2, "{refusal:?}"),
            Outcome::Balanced => panic!("it does not balance"),
        }
    }
}

#[test]
fn a_candidate_shows_the_line_that_changes() {
    let old = "(defun f (x)\n\n  (print x))\n\n(defun g (x)\n  (list x))";
    let new = "(defun f (x)\n\n(list x\n\n(print x))\n\n(defun g (x)\n  (list x))";
    let outcome = repair(new, Dialect::CommonLisp, &Earlier { text: Some(old), edited: None });
    let Outcome::Refused(refusal) = outcome else { panic!("{outcome:?}") };
    assert!(!refusal.candidates.is_empty());
    for candidate in refusal.candidates {
        assert_ne!(candidate.before.trim(), candidate.after.trim(), "{candidate:?}");
    }
}
