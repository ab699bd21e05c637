//! Marks that turn code into a comment: `#_` and `#;` before a datum, `|#` without a beginning.
//!
//! They are no delimiters, but they decide what counts as code. A change that brings one and no longer balances was
//! interrupted, or the mark is a slip as well; which of the two shows in no delimiter.

use std::ops::Range;

use lispwright_syntax::{TokenKind, Tree, read_plain};

/// `text`, of which `tree` is, holds more such marks than `before`.
pub(crate) fn are_new(text: &str, tree: &Tree, before: &str) -> bool {
    if !["#_", "#;", "|#"].iter().any(|mark| text.contains(mark)) {
        return false;
    }
    let ends = |text: &str| text.matches("|#").count();
    let marks = count(text, tree) + usize::from(ends(text) > ends(before) && opens_a_symbol(text, tree));
    marks > 0 && marks > count(before, &read_plain(before, tree.language()))
}

/// The end of a block comment that none begins is read as the beginning of a symbol.
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

/// The atom holds the end of a block comment that none begins, or touches the `;` that its `#` would make a mark of.
pub(crate) fn is_stray(text: &str, atom: Range<usize>) -> bool {
    text[atom.clone()].contains("|#") || (text[atom.clone()].ends_with('#') && text[atom.end..].starts_with(';'))
}
