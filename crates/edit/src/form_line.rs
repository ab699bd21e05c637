//! A form in one line, for lists of candidates, and the shortening of long lines.

/// A form in a list of candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormLine {
    /// The line on which the form begins, its condition included, from 1.
    pub line: u32,
    /// Head, name, and the qualifiers and specializers of a method.
    pub label: String,
    /// The first line of the form, shortened, after its condition.
    pub text: String,
}

/// At most `width` scalar values of `text`, with an ellipsis in place of the rest.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}
