//! Tokens of Racket: chapter 1.3, "The Reader", of its reference.

use super::{Escape, Misspelt, Spelt, divides_by_zero, escapes, is_wrong_in_base, run, whole, width};
use crate::flaw::Flaw;
use crate::token::TokenKind;

pub(crate) fn misspelt(token: Spelt<'_>) -> Misspelt {
    let own = token.own;
    match token.kind {
        // Here-strings have no escapes.
        TokenKind::String if own.starts_with("#<") => None,
        TokenKind::String if own.starts_with('#') => escapes(own, |rest| escape(rest, true)),
        TokenKind::String => escapes(own, |rest| escape(rest, false)),
        TokenKind::Character => (!is_character(own, token.after)).then(|| whole(own, Flaw::CharacterName)).flatten(),
        TokenKind::Atom if own.starts_with('#') => {
            // A letter may begin an exponent.
            let letters = own.trim_start_matches(['#', 'b', 'o', 'B', 'O']);
            let exponent = !own.starts_with("#x") && letters.contains(['d', 'e', 'f', 's', 'l', 't']);
            if is_wrong_in_base(own) && !exponent { whole(own, Flaw::Number) } else { hash(own) }
        }
        TokenKind::Atom if divides_by_zero(own) => whole(own, Flaw::Number),
        _ => None,
    }
}

/// 1.3.7, "Reading Strings".
fn escape(rest: &str, bytes: bool) -> Escape {
    let hex = |most| {
        let digits = run(&rest[1..], most, |byte| byte.is_ascii_hexdigit());
        let code = u32::from_str_radix(&rest[1..1 + digits], 16);
        if code.is_ok_and(|code| char::from_u32(code).is_some() || (0xD800..=0xDFFF).contains(&code)) {
            Escape::Takes(1 + digits)
        } else {
            Escape::Wrong(1 + digits)
        }
    };
    match rest.bytes().next() {
        Some(b'a' | b'b' | b't' | b'n' | b'v' | b'f' | b'r' | b'e' | b'"' | b'\'' | b'\\' | b'\n' | b'\r') => {
            Escape::Takes(1)
        }
        Some(b'0'..=b'7') => {
            let digits = run(rest, 3, |byte| matches!(byte, b'0'..=b'7'));
            let fits = u32::from_str_radix(&rest[..digits], 8).is_ok_and(|code| code <= 0o377);
            if fits { Escape::Takes(digits) } else { Escape::Wrong(digits) }
        }
        Some(b'x') => hex(2),
        Some(b'u') if !bytes => hex(4),
        Some(b'U') if !bytes => hex(8),
        _ => Escape::Wrong(width(rest)),
    }
}

/// 1.3.14, "Reading Characters".
fn is_character(own: &str, after: &str) -> bool {
    const NAMES: [&str; 11] =
        ["nul", "null", "backspace", "tab", "newline", "linefeed", "vtab", "page", "return", "space", "rubout"];
    let Some(name) = own.strip_prefix("#\\") else { return true };
    // A name ends with the letters; digits and what follows them begin the next token.
    let letters: String = name.chars().chain(after.chars()).take_while(|c| c.is_alphabetic()).collect();
    let short = letters.chars().nth(1).is_none() || letters.starts_with(['u', 'U']);
    short || NAMES.contains(&letters.to_ascii_lowercase().as_str())
}

/// `#` and a character that begins nothing (1.3.1, "Delimiters and Dispatch").
fn hash(own: &str) -> Misspelt {
    let rest = &own[1..];
    match rest.chars().next() {
        Some('t' | 'T' | 'f' | 'F') => {
            let known = ["t", "T", "true", "f", "F", "false", "fl", "fx"].contains(&rest);
            if known { None } else { whole(own, Flaw::Hash) }
        }
        Some('n' | 'a' | 'g' | 'j' | 'k' | 'm' | 'o' | 'q' | 'u' | 'w' | 'y' | 'z') if rest.len() > 1 => {
            let number = rest.starts_with('o');
            if number { None } else { whole(own, Flaw::Hash) }
        }
        _ => None,
    }
}
