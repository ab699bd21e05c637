//! The verdict on a block of Lisp in a page of Markdown or Org.
//!
//! A page explains code: it leaves parts out (`...`), prints what no reader takes, and calls any Lisp `lisp`. So only
//! the balance is judged, and a block is sound if it balances in a dialect that its name may mean, or could with a reader
//! macro that is not known.

use lispwright_syntax::{DiagnosticKind, Dialect, Language, LispBlock, read, unknown_notation, unknown_readtable};

use crate::check::{CheckReport, check};
use crate::diagnose::{Diagnosis, source_line};

/// Checks a block of `text`; the language is the one in which it balances, else the likeliest. Places are those of the
/// page.
#[must_use]
pub fn check_block(text: &str, block: &LispBlock, language: impl Fn(Dialect) -> Language) -> (Language, CheckReport) {
    let code = &text[block.span.range()];
    let mut likeliest: Option<(Language, CheckReport)> = None;
    for dialect in &block.dialects {
        let language = language(*dialect);
        let mut report = check(code, language.clone());
        report.unexpected.clear();
        report.diagnosis = report.diagnosis.filter(|found| {
            let tree = read(code, &language);
            let is_known = unknown_notation(&tree, code).or_else(|| unknown_readtable(&tree, code)).is_none();
            is_known && !matches!(found.kind, DiagnosticKind::Flawed(_))
        });
        if report.diagnosis.is_none() {
            return (language, report);
        }
        likeliest.get_or_insert((language, report));
    }
    let (language, mut report) = likeliest.expect("a block has a dialect");
    report.diagnosis = report.diagnosis.map(|found| found.of_part(text, block.span));
    if let Some(found) = report.diagnosis.as_mut().filter(|found| found.doubt.is_empty() && leaves_out(code)) {
        found.repaired = None;
        found.doubt = "the block leaves code out, which may have the rest".to_owned();
    }
    (language, report)
}

/// Checks a text of `@`-forms; `code` is what [`without_prose`](lispwright_syntax::without_prose) leaves of it.
///
/// Nothing is offered to mend it: prose beside the code says nothing of where a list ends.
#[must_use]
pub fn check_at_forms(text: &str, code: &str, language: impl Into<Language>) -> CheckReport {
    let language = language.into();
    let tree = read(code, &language);
    let mut report = check(code, language);
    report.unexpected.clear();
    // The parts of an `@`-form touch.
    let begins_apart = |at: u32| !code[..at as usize].ends_with(|before: char| !before.is_whitespace());
    report.forms = tree.top_level().filter(|datum| begins_apart(tree.datum_span(*datum).start)).count();
    let is_told = |found: &Diagnosis| !matches!(found.kind, DiagnosticKind::Flawed(_) | DiagnosticKind::DanglingPrefix);
    report.diagnosis = report.diagnosis.filter(is_told);
    if let Some(found) = &mut report.diagnosis {
        let shown = found.opened_at.unwrap_or(found.position);
        let byte = text.char_indices().nth(shown.offset as usize).map_or(text.len(), |(at, _)| at);
        found.source_line = source_line(text, byte as u32);
        found.likely_at = shown;
        (found.fixes, found.repaired) = (Vec::new(), None);
        found.doubt = "prose stands beside the code".to_owned();
    }
    report
}

/// A line of code begins with dots that stand for more of it: `...`, `[…]`.
fn leaves_out(code: &str) -> bool {
    let begins = |line: &str| {
        let line = line.trim_start().trim_start_matches([';', '[', '(', ' ']);
        line.starts_with("...") || line.starts_with('…')
    };
    code.lines().any(begins)
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::lisp_blocks;

    use super::*;

    /// Whether each block of a page balances, with the line of its mistake.
    fn verdicts(page: &str) -> Vec<Option<u32>> {
        let blocks = lisp_blocks("a.md", page).unwrap_or_default();
        let reports = blocks.iter().map(|block| check_block(page, block, |dialect| dialect.into()).1);
        reports.map(|report| report.diagnosis.map(|found| found.position.line)).collect()
    }

    #[test]
    fn a_block_balances_in_a_dialect_that_its_name_may_mean() {
        assert_eq!(verdicts("```lisp\n(f ?()\n```\n```elisp\n(f ?()\n```\n"), [None, None]);
        assert_eq!(verdicts("x\n\n```common-lisp\n(f (g)\n\n(h)\n```\n").len(), 1);
        assert_eq!(verdicts("x\n\n```lisp\n(f))\n```\n"), [Some(4)]);
    }

    #[test]
    fn no_mending_of_what_is_cut_is_certain() {
        let is_certain = |page: &str| {
            let blocks = lisp_blocks("a.md", page).unwrap_or_default();
            let report = check_block(page, &blocks[0], |dialect| dialect.into()).1;
            report.diagnosis.is_some_and(|found| found.is_certain() && found.repaired.is_some())
        };
        assert!(is_certain("```lisp\n(defun f (x)\n  (g x)\n```\n"));
        assert!(!is_certain("```lisp\n(defun f (x)\n  (g x)\n  ...\n```\n"));
        assert!(!is_certain("```lisp\n(defun f (x)\n  (g x)\n  […]\n```\n"));
    }

    #[test]
    fn what_is_left_out_or_unreadable_is_no_mistake() {
        assert_eq!(verdicts("```lisp\n(defun f ()\n  ...)\n#<F 12>\n```\n```clojure\n:a: 08\n```\n"), [None, None]);
    }
}
