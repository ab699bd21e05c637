//! Checks whether a text balances, and what to change if it does not.

use lispwright_syntax::{Language, LineIndex, Span, read};

use crate::diagnose::{Diagnosis, diagnose};
use crate::unexpected::{Unexpected, unexpected};

/// The verdict on a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// The first mistake and its fixes; `None` when everything balances.
    pub diagnosis: Option<Diagnosis>,
    /// What the text has that its author seldom means; only if it balances.
    pub unexpected: Vec<Unexpected>,
    /// The number of data at top level.
    pub forms: usize,
    /// The number of lines of the text.
    pub lines: u32,
}

/// Checks the delimiters, strings and block comments of `text`.
///
/// Atoms, characters, strings and comments are cut exactly as the dialect's reader cuts them; nothing is evaluated, and
/// packages, features and read-time expressions do not matter.
#[must_use]
pub fn check(text: &str, language: impl Into<Language>) -> CheckReport {
    let language = language.into();
    let tree = read(text, &language);
    let diagnosis = diagnose(text, &tree);
    let lines = LineIndex::new(text.as_bytes()).line_count();
    let unexpected = if diagnosis.is_none() { unexpected(&tree, text) } else { Vec::new() };
    CheckReport { diagnosis, unexpected, forms: tree.top_level().count(), lines }
}

/// Checks the part of `text` that begins `offset` scalar values from its start and has at most `limit` of them. Places
/// and lines are those of the whole text. What is unexpected in a part of a text is not known.
#[must_use]
pub fn check_window(text: &str, language: impl Into<Language>, offset: u32, limit: Option<u32>) -> CheckReport {
    let byte = |count: usize| text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    let start = byte(offset as usize);
    let end = limit.map_or(text.len(), |limit| byte((offset as usize).saturating_add(limit as usize)));
    let mut report = check(&text[start..end], language);
    if end - start < text.len() {
        report.unexpected.clear();
    }
    report.diagnosis = report.diagnosis.map(|diagnosis| diagnosis.of_part(text, Span::new(start as u32, end as u32)));
    report
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::Dialect;

    use super::*;

    /// The code of a mistake, its line and column, and line and column of its opener.
    type Verdict = (&'static str, u32, u32, Option<(u32, u32)>);

    #[track_caller]
    fn check_verdict(dialect: Dialect, text: &str, expected: Option<Verdict>) {
        let report = check(text, dialect);
        let found = report.diagnosis.as_ref().map(|diagnosis| {
            let opener = diagnosis.opened_at.map(|place| (place.line, place.column));
            (diagnosis.kind.code(), diagnosis.position.line, diagnosis.position.column, opener)
        });
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn delimiters_in_atoms_strings_and_comments_do_not_count() {
        let cl = Dialect::CommonLisp;
        for text in [
            "(list #\\( #\\) \")\" |a(b| a\\(b a[b)",
            "#| #| | |# |# (a)",
            "; (((\n(a)",
            "#.(list 1 2) (no-such:symbol)",
            "#+no-such-feature (a) (in-readtable x)",
            "",
        ] {
            check_verdict(cl, text, None);
        }
        check_verdict(Dialect::EmacsLisp, "(list ?\\( ?\\) ?( \")\")", None);
        check_verdict(Dialect::Clojure, "[\\( \\) {:a #{1}} #\"(\" #_ ( ) ]", None);
        check_verdict(Dialect::Scheme, "(list #\\( #:key #!eof) #;(a b)", None);
    }

    #[test]
    fn each_mistake_has_its_place() {
        let cl = Dialect::CommonLisp;
        check_verdict(cl, "(a))", Some(("extra-close", 1, 4, None)));
        check_verdict(cl, "(a\n  (b)\n", Some(("unclosed", 2, 6, Some((1, 1)))));
        check_verdict(cl, "(a \"b)\n", Some(("unclosed-string", 1, 7, Some((1, 4)))));
        check_verdict(cl, "(a) #| b\n", Some(("unclosed-block-comment", 1, 9, Some((1, 5)))));
        check_verdict(Dialect::Clojure, "[1 2)", Some(("mismatch", 1, 5, Some((1, 1)))));
        check_verdict(cl, "(λ é))", Some(("extra-close", 1, 6, None)));
    }

    #[test]
    fn the_next_healthy_form_is_named() {
        let report = check("(defun a (x)\n  (b x)\n\n(defun c (x)\n  x)\n", Dialect::CommonLisp);
        let diagnosis = report.diagnosis.expect("the first form is not closed");
        assert_eq!(diagnosis.next_form_line, Some(4));
        assert_eq!((diagnosis.position.line, diagnosis.opened_at.map(|place| place.line)), (2, Some(1)));
        assert_eq!(diagnosis.fixes[0].lines[0].after, "  (b x))");
    }

    #[test]
    fn places_in_a_window_are_those_of_the_whole_text() {
        let text = "(é))\n(b\n (c]\n";
        let report = check_window(text, Dialect::Clojure, 3, None);
        let diagnosis = report.diagnosis.expect("the third line has a wrong closer");
        assert_eq!((diagnosis.position.offset, diagnosis.position.line, diagnosis.position.column), (3, 1, 4));
        let report = check_window(text, Dialect::Clojure, 5, None);
        let diagnosis = report.diagnosis.expect("the third line has a wrong closer");
        assert_eq!((diagnosis.position.offset, diagnosis.position.line, diagnosis.position.column), (11, 3, 4));
        assert!(check_window(text, Dialect::Clojure, 0, Some(3)).diagnosis.is_none());
    }
}
