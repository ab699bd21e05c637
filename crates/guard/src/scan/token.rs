//! The tokens of a piece.

use lispwright_syntax::TokenKind;

/// One token of a piece, with its position in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}
