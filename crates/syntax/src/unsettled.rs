//! Tokens at the end of a piece of text that the next piece may still change, each given by the shortest text that
//! continues in the same way.
//!
//! A symbol of any length continues like `a`, or like `a\` if its last character is an escape; a token that begins with
//! `#` may still become anything. Each dialect has its own rules beside its dispatch function; the common ones are
//! here.

/// A backslash if the last character of `text` escapes the next one, otherwise nothing.
pub fn escape(text: &str) -> &'static str {
    let backslashes = text.bytes().rev().take_while(|&byte| byte == b'\\').count();
    if backslashes % 2 == 1 { "\\" } else { "" }
}

/// A symbol or number whose escapes may be unfinished.
pub(crate) fn symbol(text: &str) -> Option<String> {
    Some(format!("a{}", escape(text)))
}

/// A symbol with an open `|`.
pub(crate) fn quoted(text: &str) -> Option<String> {
    Some(format!("|{}", escape(text)))
}

/// `,` or `~`, which `@` may join.
pub(crate) fn unquote(text: &str) -> Option<String> {
    matches!(text, "," | "~").then(|| text.to_owned())
}

/// `#`, digits, `\` and a character: after the character it continues like a symbol.
pub(crate) fn hash_character(text: &str) -> Option<String> {
    let (_, literal) = text.split_once('\\')?;
    let mut rest = literal.chars();
    match rest.next() {
        None => Some("#\\".to_owned()),
        Some(_) => symbol(rest.as_str()),
    }
}
