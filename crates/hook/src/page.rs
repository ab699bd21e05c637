//! Texts that are not Lisp alone: blocks of Lisp in pages of Markdown and Org, and texts of `@`-forms.
//!
//! A page shows parts of programs, so nothing of it is changed or refused, and a block is told only when one repair is
//! certain and the call has written it.

use lispwright_edit::{Diagnosis, check_at_forms, check_block};
use lispwright_syntax::{Dialect, Language, lisp_blocks, without_prose};

/// The file is a page by its name.
pub(crate) fn is_page(path: &str) -> bool {
    lisp_blocks(path, "").is_some()
}

/// The mistake of the first block that was not in the page before, does not balance, and has a certain repair.
pub(crate) fn broken(
    path: &str,
    before: &str,
    now: &str,
    language: impl Fn(Dialect) -> Option<Language>,
) -> Option<Diagnosis> {
    let earlier = lisp_blocks(path, before).unwrap_or_default();
    let earlier: Vec<&str> = earlier.iter().map(|block| &before[block.span.range()]).collect();
    let blocks = lisp_blocks(path, now).unwrap_or_default();
    let is_new = |code: &str| !earlier.iter().any(|known| known.lines().eq(code.lines()));
    let mut written = blocks.iter().filter(|block| is_new(&now[block.span.range()]));
    written.find_map(|block| {
        let (_, report) = check_block(now, block, |dialect| language(dialect).unwrap_or_else(|| dialect.into()));
        report.diagnosis.filter(Diagnosis::is_certain)
    })
}

/// The mistake of a text of `@`-forms that balanced before.
pub(crate) fn broken_at_forms(before: &str, now: &str) -> Option<Diagnosis> {
    let mistake = |text: &str| check_at_forms(text, &without_prose(text)?, Dialect::Racket).diagnosis;
    mistake(now).filter(|_| mistake(before).is_none())
}
