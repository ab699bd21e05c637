//! A rendered answer.

use std::borrow::Cow;

use lispwright_syntax::in_a_line;
use serde_json::{Map, Value};

/// An answer as a skin shows it: a short text for a reader who pays by the token, and the same facts as named fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rendering {
    /// The answer in words and source; complete by itself.
    pub text: String,
    /// The fields that the contract names for this tool; empty ones are left out.
    pub fields: Map<String, Value>,
    /// The requested thing did not happen.
    pub is_error: bool,
}

/// `1 line`, `2 lines`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ if noun.ends_with("ch") || noun.ends_with("ss") => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}

/// The first `most` of some names, each in a line, and how many more there are.
pub(crate) fn first_names(names: &[impl AsRef<str>], most: usize) -> String {
    let shown: Vec<_> = names.iter().take(most).map(|name| in_a_line(name.as_ref())).collect();
    let more = names.len() - shown.len();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &rest
}

/// The note on a text with characters that are shown as escapes.
const WRITTEN_OUT: &str = "[Invisible characters are shown as escapes, such as \\x1b or \\u202e; the file has the \
                           characters themselves. An edit may send the escapes as they are shown.]";

/// `text` with escapes for characters that are invisible or act on a terminal, and a note if there are any.
pub(crate) fn visible(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    match lispwright_syntax::visible(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(shown) => format!("{shown}\n{WRITTEN_OUT}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_names_are_listed() {
        let names: Vec<String> = (0..42).map(|number| format!("{number}.lisp")).collect();
        assert_eq!(first_names(&names[..2], 40), "0.lisp, 1.lisp");
        let cut = first_names(&names, 40);
        assert!(cut.starts_with("0.lisp, 1.lisp, ") && cut.ends_with("39.lisp and 2 more"), "{cut}");
    }
}
