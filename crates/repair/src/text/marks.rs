//! Marks that turn code into a comment: `#_` and `#;` before a datum, `|#` without a beginning.
//!
//! They are no delimiters, but they decide what counts as code. If a change adds one and no longer balances, the change
//! is unfinished, or the mark is a slip as well; the delimiters do not show which.

use std::ops::Range;

use lispwright_syntax::{TokenKind, Tree, read_plain};
use memchr::memmem;

/// `text`, with its `tree`, contains more such marks than `before`.
pub(crate) fn are_new(text: &str, tree: &Tree, before: &str) -> bool {
    if !["#_", "#;", "|#"].iter().any(|mark| memmem::find(text.as_bytes(), mark.as_bytes()).is_some()) {
        return false;
    }
    let ends = |text: &str| text.matches("|#").count();
    let marks = count(text, tree) + usize::from(ends(text) > ends(before) && opens_a_symbol(text, tree));
    marks > 0 && marks > count(before, &read_plain(before, tree.language()))
}

/// The end of a block comment without a beginning is read as the beginning of a symbol.
fn opens_a_symbol(text: &str, tree: &Tree) -> bool {
    let mut tokens = tree.tokens();
    tokens.any(|(kind, span)| kind == TokenKind::UnterminatedSymbol && text[span.range()].starts_with("|#"))
}

fn count(text: &str, tree: &Tree) -> usize {
    let marks = tree.tokens().filter(|(kind, span)| match kind {
        TokenKind::Discard => true,
        TokenKind::Atom => is_stray(text, span.range()),
        _ => false,
    });
    marks.count()
}

/// The atom contains the end of a block comment without a beginning, or ends with a `#` before a `;`.
pub(crate) fn is_stray(text: &str, atom: Range<usize>) -> bool {
    text[atom.clone()].contains("|#") || (text[atom.clone()].ends_with('#') && text[atom.end..].starts_with(';'))
}
