//! The text that a string stands for.

/// The text of a string in double quotes as the reader takes it: a backslash gives the character after it, and none for
/// a line end. Without quotes around it, the same.
pub fn unquoted(string: &str) -> String {
    let inner = string.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(string);
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.extend(chars.next().filter(|c| *c != '\n')),
            c => text.push(c),
        }
    }
    text
}
