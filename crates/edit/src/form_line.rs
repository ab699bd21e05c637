//! A form in one line, for lists of candidates, and the cutting of long lines.

/// A form in a list of candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormLine {
    /// The line the form begins on with its condition, from 1.
    pub line: u32,
    /// Head, name, and what tells methods apart.
    pub label: String,
    /// The first line of the form, shortened, with the condition in front of it.
    pub text: String,
}

/// At most `width` scalar values of `text`, with an ellipsis where something is left out.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}
