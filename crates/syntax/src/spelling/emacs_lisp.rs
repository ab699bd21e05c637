//! Tokens of Emacs Lisp, by `read_escape`, `read_char_literal` and `read_integer` of Emacs's `lread.c`.

use super::{Escape, Misspelt, Spelt, escapes, fixed_hex, run, whole, width};
use crate::flaw::Flaw;
use crate::token::TokenKind;

pub(crate) fn misspelt(token: Spelt<'_>) -> Misspelt {
    let own = token.own;
    match token.kind {
        TokenKind::String => escapes(own, escape),
        TokenKind::Character => character(own, token.after),
        // A datum comment is a flaw of its own.
        TokenKind::Atom if own == "#" && token.after.starts_with(';') => None,
        TokenKind::Atom if own.starts_with('#') => hash(own),
        TokenKind::OpenParen if own.len() > 2 && own != "#s(" => whole(own, Flaw::Hash),
        _ => None,
    }
}

fn escape(rest: &str) -> Escape {
    let bytes = rest.as_bytes();
    match bytes.first() {
        Some(b'M' | b'S' | b'H' | b'A' | b'C') if bytes.get(1) != Some(&b'-') => Escape::Wrong(1),
        Some(b'N') if bytes.get(1) != Some(&b'{') || !rest.contains('}') => Escape::Wrong(1),
        Some(b'u') => fixed_hex(rest, 4),
        Some(b'U') => match fixed_hex(rest, 8) {
            Escape::Takes(_) if u32::from_str_radix(&rest[1..9], 16).is_ok_and(|code| code > 0x10_FFFF) => {
                Escape::Wrong(9)
            }
            judged => judged,
        },
        _ => Escape::Takes(width(rest)),
    }
}

/// `?x` ends where a token may end.
fn character(own: &str, after: &str) -> Misspelt {
    let wrong = escapes(own, escape).map(|_| (Flaw::CharacterName, 0..own.len()));
    if wrong.is_some() || own == "? " || own == "?\t" {
        return wrong;
    }
    // Bytes outside of ASCII may be parts of one character in an encoding that Emacs alone has.
    let goes_on = |next: char| next > ' ' && next.is_ascii() && !"\"';()[]#?`,.".contains(next);
    if !own.is_ascii() || !after.chars().next().is_some_and(goes_on) { None } else { whole(own, Flaw::CharacterEnd) }
}

/// `#` and a character that has no meaning there, or a number that is none in its base.
fn hash(own: &str) -> Misspelt {
    let rest = &own[1..];
    let bytes = rest.as_bytes();
    match bytes.first() {
        // A printed object is a flaw of its own.
        Some(b':' | b'_' | b'$' | b'#' | b'!' | b'@' | b'&' | b'<') => None,
        Some(b'x' | b'X') => radix(own, &rest[1..], 16),
        Some(b'o' | b'O') => radix(own, &rest[1..], 8),
        Some(b'b' | b'B') => radix(own, &rest[1..], 2),
        Some(b'0'..=b'9') => {
            let digits = run(rest, usize::MAX, |byte| byte.is_ascii_digit());
            match bytes.get(digits) {
                Some(b'r' | b'R') => match rest[..digits].parse() {
                    Ok(base @ 2..=36) => radix(own, &rest[digits + 1..], base),
                    _ => whole(own, Flaw::Number),
                },
                Some(b'#' | b'=') => None,
                _ => whole(own, Flaw::Hash),
            }
        }
        _ => whole(own, Flaw::Hash),
    }
}

/// The number ends at the first character that is neither letter nor digit.
fn radix(own: &str, number: &str, base: u32) -> Misspelt {
    let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
    let digits = &digits[..run(digits, usize::MAX, |byte| byte.is_ascii_alphanumeric())];
    let sound = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(base));
    if sound { None } else { whole(own, Flaw::Number) }
}
