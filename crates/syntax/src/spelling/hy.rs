//! Tokens of Hy, by `hy_reader.py` of its package.

use super::{Escape, Misspelt, Spelt, escapes, fixed_hex, whole, width};
use crate::flaw::Flaw;
use crate::token::TokenKind;

pub(crate) fn misspelt(token: Spelt<'_>) -> Misspelt {
    let own = token.own;
    match token.kind {
        TokenKind::String if own.starts_with('"') => escapes(own, escape),
        // `#[a]` is the beginning of no string.
        TokenKind::String if own.starts_with("#[") && own.matches('[').count() == 1 => whole(own, Flaw::Hash),
        _ => None,
    }
}

/// The escapes of Python.
fn escape(rest: &str) -> Escape {
    match rest.as_bytes().first() {
        Some(b'\n' | b'\r' | b'\\' | b'\'' | b'"' | b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'0'..=b'7') => {
            Escape::Takes(1)
        }
        Some(b'x') => fixed_hex(rest, 2),
        Some(b'u') => fixed_hex(rest, 4),
        Some(b'U') => fixed_hex(rest, 8),
        Some(b'N') if rest[1..].starts_with('{') && rest.contains('}') => Escape::Takes(1),
        _ => Escape::Wrong(width(rest)),
    }
}
