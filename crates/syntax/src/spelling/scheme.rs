//! Tokens of Scheme. The rules of Guile, R6RS and R7RS are joined: a token is misspelt when none of them reads it.

use super::{Escape, Misspelt, Spelt, escapes, is_wrong_in_base, run, whole, width};
use crate::flaw::Flaw;
use crate::token::TokenKind;

pub(crate) fn misspelt(token: Spelt<'_>) -> Misspelt {
    let own = token.own;
    match token.kind {
        TokenKind::String if own.starts_with('"') => escapes(own, escape),
        TokenKind::Character => {
            let name = own.strip_prefix("#\\")?;
            if is_character(name) { None } else { whole(own, Flaw::CharacterName) }
        }
        TokenKind::Atom if is_wrong_in_base(own) => whole(own, Flaw::Number),
        _ => None,
    }
}

/// `read-string` of Guile's `(ice-9 read)`, R6RS 4.2.7 and R7RS 6.7.
fn escape(rest: &str) -> Escape {
    let hex = |text: &str, most| run(text, most, |byte| byte.is_ascii_hexdigit());
    match rest.bytes().next() {
        Some(b'"' | b'\\' | b'|' | b'(' | b'a' | b'b' | b't' | b'n' | b'v' | b'f' | b'r' | b'e' | b'\'' | b'?') => {
            Escape::Takes(1)
        }
        // An octal code elsewhere than in Guile.
        Some(b'0'..=b'7') => Escape::Takes(run(rest, 3, |byte| matches!(byte, b'0'..=b'7'))),
        Some(b'x') => {
            let digits = hex(&rest[1..], usize::MAX);
            let closed = digits > 0 && rest[1 + digits..].starts_with(';');
            if closed || digits >= 2 { Escape::Takes(1 + digits) } else { Escape::Wrong(1 + digits) }
        }
        Some(b'u' | b'U') => {
            let digits = hex(&rest[1..], 8);
            if digits >= 4 { Escape::Takes(1 + digits) } else { Escape::Wrong(1 + digits) }
        }
        // The end of the line and the blanks around it.
        Some(b' ' | b'\t' | b'\r' | b'\n') => Escape::Takes(1),
        _ => Escape::Wrong(width(rest)),
    }
}

/// Names of R5RS, R6RS, R7RS and Guile, in any case, and of other Schemes.
const NAMES: &[&str] = &[
    "space",
    "newline",
    "nul",
    "null",
    "alarm",
    "backspace",
    "tab",
    "linefeed",
    "vtab",
    "page",
    "return",
    "esc",
    "escape",
    "delete",
    "rubout",
    "altmode",
    "soh",
    "stx",
    "etx",
    "eot",
    "enq",
    "ack",
    "bel",
    "bs",
    "ht",
    "lf",
    "vt",
    "ff",
    "cr",
    "so",
    "si",
    "dle",
    "dc1",
    "dc2",
    "dc3",
    "dc4",
    "nak",
    "syn",
    "etb",
    "can",
    "em",
    "sub",
    "fs",
    "gs",
    "rs",
    "us",
    "sp",
    "del",
    "nl",
    "np",
    "nel",
    "ls",
    "bell",
    "u+41",
    "formfeed",
    "eof",
];

/// A character, a name, or a code. Names with other characters than letters and digits belong to one Scheme alone.
fn is_character(name: &str) -> bool {
    if name.chars().count() <= 1 || !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return true;
    }
    let lower = name.to_ascii_lowercase();
    let is_code = lower.strip_prefix(['x', 'u']).is_some_and(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
    is_code || lower.bytes().all(|byte| matches!(byte, b'0'..=b'7')) || NAMES.contains(&lower.as_str())
}
