//! Laying out changes white space alone: the proof.

use lispwright_syntax::{Span, TokenKind, Tree};

/// Why a text is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotLaidOut {
    /// It does not balance; the place of the first fault.
    Unbalanced(Span),
    /// It would read differently at this byte of the text.
    Different(u32),
}

/// Two texts have the same tokens and comments in the same order, apart from the space at the end of a comment's line.
pub(crate) fn same_tokens(tree: &Tree, text: &str, new_tree: &Tree, new: &str) -> Result<(), NotLaidOut> {
    let solid = |tree: &Tree, text: &str| -> Vec<(TokenKind, Span, String)> {
        let tokens = tree.tokens().filter(|(kind, _)| *kind != TokenKind::Blank);
        tokens
            .map(|(kind, span)| {
                let source = &text[span.range()];
                let source = if kind == TokenKind::LineComment { source.trim_end() } else { source };
                (kind, span, source.to_owned())
            })
            .collect()
    };
    let (old, new) = (solid(tree, text), solid(new_tree, new));
    let differs = old.iter().zip(&new).find(|(old, new)| old.0 != new.0 || old.2 != new.2);
    match differs {
        Some((old, _)) => Err(NotLaidOut::Different(old.1.start)),
        None if old.len() != new.len() || !new_tree.diagnostics().is_empty() => Err(NotLaidOut::Different(tree.len())),
        None => Ok(()),
    }
}
