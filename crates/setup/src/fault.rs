//! The reasons why a configuration file cannot be edited.

/// The fault of a configuration file. Lines and columns count from 1, columns in scalar values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupFault {
    /// The file is not valid JSON or TOML.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// The line at which reading stopped.
        line: usize,
        /// The column at which reading stopped.
        column: usize,
        /// The parser's message.
        message: String,
    },

    /// A key has a value that the client does not expect there.
    #[error("line {line}, column {column}: {place} should be {expected}, but something else is there")]
    Shape {
        /// The line of the value.
        line: usize,
        /// The column of the value.
        column: usize,
        /// The key or place.
        place: String,
        /// The expected type, with its article.
        expected: &'static str,
    },

    /// The entry is spelled in a way that this program does not edit.
    #[error("line {line}: {place} is written in a way that cannot be edited safely; please change it by hand")]
    Spelling {
        /// The line of the value.
        line: usize,
        /// The key or place.
        place: String,
    },
}

impl SetupFault {
    pub(crate) fn syntax(text: &str, offset: usize, message: String) -> Self {
        let (line, column) = position(text, offset);
        let message = match message.split_once('\n') {
            Some((first, _)) => first.to_owned(),
            None => message,
        };
        SetupFault::Syntax { line, column, message }
    }

    pub(crate) fn shape(text: &str, offset: usize, place: impl Into<String>, expected: &'static str) -> Self {
        let (line, column) = position(text, offset);
        SetupFault::Shape { line, column, place: place.into(), expected }
    }

    pub(crate) fn spelling(text: &str, offset: usize, place: impl Into<String>) -> Self {
        SetupFault::Spelling { line: position(text, offset).0, place: place.into() }
    }
}

/// Line and column of a byte offset, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}
