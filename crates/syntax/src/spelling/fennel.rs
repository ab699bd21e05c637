//! Tokens of Fennel, by `parser.fnl` of its compiler.

use super::{Escape, Misspelt, Spelt, escapes, whole, width};
use crate::flaw::Flaw;
use crate::token::TokenKind;

pub(crate) fn misspelt(token: Spelt<'_>) -> Misspelt {
    let own = token.own;
    match token.kind {
        TokenKind::String => escapes(own, escape),
        TokenKind::Atom if own.starts_with(['~', '@', '\x7f']) && own != "~=" => whole(own, Flaw::Symbol),
        _ => None,
    }
}

/// The escapes of Lua.
fn escape(rest: &str) -> Escape {
    let bytes = rest.as_bytes();
    let digits = |at: usize, most: usize, is_digit: fn(&u8) -> bool| {
        bytes.iter().skip(at).take(most).take_while(|byte| is_digit(byte)).count()
    };
    match bytes.first() {
        Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'\\' | b'"' | b'\'' | b'\n' | b'z') => Escape::Takes(1),
        Some(b'\r') if bytes.get(1) == Some(&b'\n') => Escape::Takes(2),
        Some(b'x') if digits(1, 2, u8::is_ascii_hexdigit) == 2 => Escape::Takes(3),
        Some(b'u') if bytes.get(1) == Some(&b'{') => match digits(2, 9, u8::is_ascii_hexdigit) {
            found @ 1.. if bytes.get(2 + found) == Some(&b'}') => Escape::Takes(3 + found),
            _ => Escape::Wrong(1),
        },
        Some(b'0'..=b'9') => {
            let found = digits(0, 3, u8::is_ascii_digit);
            let is_byte = rest[..found].parse::<u16>().is_ok_and(|code| code < 256);
            if is_byte { Escape::Takes(found) } else { Escape::Wrong(found) }
        }
        _ => Escape::Wrong(width(rest)),
    }
}
