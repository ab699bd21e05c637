//! Tokens of Clojure, by `clojure.lang.LispReader`. ClojureScript, Babashka and EDN read them by `tools.reader` and
//! `EdnReader`, which follow it.

use super::{Escape, Misspelt, Spelt, escapes, fixed_hex, run, whole, width};
use crate::flaw::Flaw;
use crate::token::TokenKind;

pub(crate) fn misspelt(token: Spelt<'_>) -> Misspelt {
    let own = token.own;
    match token.kind {
        TokenKind::String if own.starts_with('#') => regex(own),
        TokenKind::String => escapes(own, escape),
        TokenKind::Character => (!is_character(own)).then(|| whole(own, Flaw::CharacterName)).flatten(),
        TokenKind::Atom => match own.strip_prefix("##") {
            Some(name) => {
                let known = name.is_empty() || ["Inf", "-Inf", "NaN"].contains(&name);
                if known { None } else { whole(own, Flaw::Number) }
            }
            None if own.starts_with('#') => None,
            None => atom(own),
        },
        _ => None,
    }
}

/// `StringReader`.
fn escape(rest: &str) -> Escape {
    match rest.bytes().next() {
        Some(b't' | b'r' | b'n' | b'\\' | b'"' | b'b' | b'f') => Escape::Takes(1),
        Some(b'u') => fixed_hex(rest, 4),
        Some(b'0'..=b'9') => {
            let digits = run(rest, 3, |byte| matches!(byte, b'0'..=b'7'));
            let next = rest[digits..].chars().next();
            // Fewer than three digits end where a token would end.
            let ends = digits == 3 || next.is_none_or(|c| c.is_whitespace() || ",\";'@^`~()[]{}\\%#".contains(c));
            if digits == 0 || !ends {
                Escape::Wrong(digits + next.map_or(0, char::len_utf8))
            } else if digits == 3 && rest.as_bytes()[0] > b'3' {
                Escape::Wrong(3)
            } else {
                Escape::Takes(digits)
            }
        }
        _ => Escape::Wrong(width(rest)),
    }
}

/// A regular expression in which a character class is begun and never closed. The reader compiles it; anything else is
/// left to it.
fn regex(own: &str) -> Misspelt {
    let body = own.strip_prefix("#\"")?.strip_suffix('"')?;
    if body.contains("\\Q") || body.contains("(?") || body.contains("\\c") {
        return None;
    }
    let (mut open, mut escaped) = (None, false);
    for (at, byte) in body.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'[' if open.is_none() => open = Some(at),
            b']' => open = None,
            _ => {}
        }
    }
    open.map(|at| (Flaw::Regex, at + 2..own.len()))
}

/// `CharacterReader`.
fn is_character(own: &str) -> bool {
    let name = &own[1..];
    if name.encode_utf16().count() <= 1 {
        return true;
    }
    if let Some(digits) = name.strip_prefix('u') {
        let code = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 4 && !digits.starts_with('+'));
        return code.is_some_and(|code| !(0xD800..=0xDFFF).contains(&code));
    }
    if let Some(digits) = name.strip_prefix('o') {
        return run(digits, 4, |byte| matches!(byte, b'0'..=b'7')) == digits.len()
            && u32::from_str_radix(digits, 8).is_ok_and(|code| code <= 0o377);
    }
    ["newline", "space", "tab", "backspace", "formfeed", "return"].contains(&name)
}

fn atom(own: &str) -> Misspelt {
    let bytes = own.as_bytes();
    let signed = matches!(bytes[0], b'+' | b'-');
    if bytes.get(usize::from(signed)).is_some_and(u8::is_ascii_digit) {
        // A number ends at macro characters that do not end a symbol.
        let end = own.find(['\'', '#', '%']).unwrap_or(own.len());
        return if is_number(&own[..end]) { None } else { Some((Flaw::Number, 0..end)) };
    }
    // Most symbols have neither.
    if memchr::memchr2(b':', b'/', bytes).is_none() || is_symbol(own) { None } else { whole(own, Flaw::Symbol) }
}

/// `intPat`, `floatPat` and `ratioPat`.
fn is_number(own: &str) -> bool {
    let number = own.strip_prefix(['+', '-']).unwrap_or(own);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = number.strip_suffix('N').unwrap_or(number);
    if digits(whole) {
        return whole == "0" || !whole.starts_with('0') || whole.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    }
    if let Some(hex) = whole.strip_prefix("0x").or_else(|| whole.strip_prefix("0X")) {
        return !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    if let Some((radix, value)) = whole.split_once(['r', 'R'])
        && digits(radix)
        && !radix.starts_with('0')
        && let Ok(radix @ 2..=36) = radix.parse::<u32>()
    {
        return !value.is_empty() && value.chars().all(|digit| digit.is_digit(radix));
    }
    if let Some((above, below)) = number.split_once('/') {
        return digits(above) && digits(below) && below.bytes().any(|byte| byte != b'0');
    }
    let float = number.strip_suffix('M').unwrap_or(number);
    let (mantissa, exponent) = float.split_once(['e', 'E']).map_or((float, None), |(m, e)| (m, Some(e)));
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    digits(before) && (after.is_empty() || digits(after)) && exponent.is_none_or(digits)
}

/// `matchSymbol`, and the array classes of Clojure 1.12: `String/2`.
fn is_symbol(own: &str) -> bool {
    let begins = |part: &str| part.chars().next().is_some_and(|c| !c.is_ascii_digit() && c != '/');
    let name = |part: &str| part == "/" || (begins(part) && !part.contains('/'));
    let dimensions = |part: &str| part.len() == 1 && part.as_bytes()[0].is_ascii_digit();
    let matches = |text: &str| -> Option<(String, String)> {
        if name(text) {
            return Some((String::new(), text.to_owned()));
        }
        // The longest namespace comes first.
        text.rmatch_indices('/').find_map(|(at, _)| {
            let (space, rest) = (&text[..=at], &text[at + 1..]);
            let array = dimensions(rest) && !text.starts_with(':');
            (at > 0 && begins(space) && (name(rest) || array)).then(|| (space.to_owned(), rest.to_owned()))
        })
    };
    let found = own.strip_prefix(':').and_then(matches).or_else(|| matches(own));
    found.is_some_and(|(space, name)| {
        !space.ends_with(":/") && !name.ends_with(':') && !own.get(1..).is_some_and(|rest| rest.contains("::"))
    })
}
