//! What a piece is cut into.

use lispwright_syntax::TokenKind;

/// One token of a piece, with its place in the text that was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}
