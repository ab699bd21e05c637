//! Marks that turn code into a comment: `#_` and `#;` before a datum, `|#` without a beginning.
//!
//! They are no delimiters, but they decide what counts as code. A change that brings one and no longer balances was
//! interrupted, or the mark is a slip as well; which of the two shows in no delimiter.

use lispwright_syntax::{TokenKind, Tree, read_plain};

/// `text`, of which `tree` is, holds more such marks than `before`.
pub(crate) fn are_new(text: &str, tree: &Tree, before: &str) -> bool {
    if !["#_", "#;", "|#"].iter().any(|mark| text.contains(mark)) {
        return false;
    }
    let marks = count(text, tree);
    marks > 0 && marks > count(before, &read_plain(before, tree.language()))
}

fn count(text: &str, tree: &Tree) -> usize {
    let marks = tree.tokens().filter(|(kind, span)| match kind {
        TokenKind::Discard => true,
        TokenKind::Atom => text[span.range()].contains("|#"),
        _ => false,
    });
    marks.count()
}
