//! Tokens at the end of a piece of text that the next piece may still change, as the shortest text that goes on as they do.
//!
//! A symbol of any length goes on like `a`, or like `a\` when its last character is an escape; what begins with `#` may
//! still become anything. Each dialect says it beside its dispatch function, whose shapes this follows; here is what they
//! have in common.

/// A backslash when the last character of `text` escapes the one to come.
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

/// `#`, digits, `\` and a character: once it has its character, it goes on as a symbol does.
pub(crate) fn hash_character(text: &str) -> Option<String> {
    let (_, literal) = text.split_once('\\')?;
    let mut rest = literal.chars();
    match rest.next() {
        None => Some("#\\".to_owned()),
        Some(_) => symbol(rest.as_str()),
    }
}
