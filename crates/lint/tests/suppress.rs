//! What comments silence.

mod common;

use common::found;
use lispwright_lint::{Finding, rules};
use lispwright_syntax::Dialect;

/// The places of findings as `line rule`.
#[track_caller]
fn check(dialect: Dialect, text: &str, expected: &[&str]) {
    let findings = found(dialect, text, &rules::defaults());
    let line = |one: &Finding| text[..one.span.start as usize].matches('\n').count() + 1;
    let told: Vec<String> = findings.iter().map(|one| format!("{} {}", line(one), one.rule)).collect();
    assert_eq!(told, expected, "{text}\n{findings:?}");
}

const TWICE: &str = "(defun f () 1)\n";

#[test]
fn a_comment_silences_its_line_or_the_form_after_it() {
    let cases: [(&str, &[&str]); 10] = [
        ("(defun f () 2)\n", &["2 duplicate-definition"]),
        ("(defun f () 2) ; lispwright:ignore duplicate-definition\n", &[]),
        ("(defun f () 2) ; lispwright:ignore\n", &[]),
        ("(defun f () 2) ; lispwright:ignore duplicate-definition it is meant -- so\n", &[]),
        (";; lispwright:ignore duplicate-definition\n\n;; It is.\n(defun f ()\n  2)\n", &[]),
        (
            ";; lispwright:ignore duplicate-definition\n(defun g () 2)\n(defun f () 3)\n",
            &["2 unused-suppression", "4 duplicate-definition"],
        ),
        ("(defun f () 2) ; lispwright:ignore format-too-few\n", &["2 duplicate-definition", "2 unused-suppression"]),
        ("(defun g () 2) ; lispwright:ignore duplicate-definitions\n", &["2 unused-suppression"]),
        (
            "(progn\n  ;; lispwright:ignore format-too-few\n  (format nil \"~a\")\n  (format nil \"~a\"))\n",
            &["5 format-too-few"],
        ),
        ("(list \"; lispwright:ignore\")\n", &[]),
    ];
    for (text, expected) in cases {
        check(Dialect::CommonLisp, &format!("{TWICE}{text}"), expected);
    }
}

#[test]
fn the_comments_of_clj_kondo_count() {
    let twice = "(ns a)\n(defn f [] 1)\n";
    let cases: [(&str, &[&str]); 5] = [
        ("(defn f [] 2)\n", &["3 duplicate-definition"]),
        ("#_:clj-kondo/ignore\n(defn f [] 2)\n", &[]),
        ("#_{:clj-kondo/ignore [:redefined-var]}\n(defn f [] 2)\n", &[]),
        ("#_{:clj-kondo/ignore [:unused-binding]}\n(defn f [] 2)\n", &["4 duplicate-definition"]),
        ("#_{:clj-kondo/ignore [:unused-binding]}\n(defn g [] 2)\n", &[]),
    ];
    for (text, expected) in cases {
        check(Dialect::Clojure, &format!("{twice}{text}"), expected);
    }
}

#[test]
fn a_comment_that_silences_nothing_goes_with_its_line() {
    let text = format!("{TWICE}  ;; lispwright:ignore\n(defun g () 2) ; lispwright:ignore format-too-few\n");
    let findings = found(Dialect::CommonLisp, &text, &rules::defaults());
    let mut mended = text.clone();
    for one in findings.iter().rev() {
        let remedy = one.remedy.as_ref().expect("a remedy");
        mended.replace_range(remedy.span.range(), &remedy.text);
    }
    assert_eq!(mended, format!("{TWICE}(defun g () 2)\n"));
}

#[test]
fn a_comment_is_judged_only_when_its_rules_were_asked() {
    let text = "(defun g () 2) ; lispwright:ignore format-too-few\n";
    let asked = ["duplicate-definition", "unused-suppression"].map(|code| rules::with_code(code).expect("a rule"));
    assert!(found(Dialect::CommonLisp, text, &asked).is_empty());
    assert_eq!(found(Dialect::CommonLisp, text, &rules::defaults()).len(), 1);
}
