//! Tokens of Janet, by `parse.c` of its runtime.

use super::{Escape, Misspelt, Spelt, escapes, fixed_hex, whole, width};
use crate::flaw::Flaw;
use crate::token::TokenKind;

pub(crate) fn misspelt(token: Spelt<'_>) -> Misspelt {
    let own = token.own;
    match token.kind {
        // Nothing escapes in a string in backquotes.
        TokenKind::String if own.ends_with('"') => escapes(own, escape),
        TokenKind::Atom if own.starts_with('\\') => whole(own, Flaw::Symbol),
        _ => None,
    }
}

fn escape(rest: &str) -> Escape {
    match rest.as_bytes().first() {
        Some(b'n' | b't' | b'r' | b'0' | b'z' | b'f' | b'v' | b'a' | b'b' | b'\'' | b'?' | b'e' | b'"' | b'\\') => {
            Escape::Takes(1)
        }
        Some(b'x') => fixed_hex(rest, 2),
        Some(b'u') => fixed_hex(rest, 4),
        Some(b'U') => fixed_hex(rest, 6),
        _ => Escape::Wrong(width(rest)),
    }
}
