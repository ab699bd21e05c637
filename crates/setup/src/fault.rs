//! Why a configuration file cannot be edited.

/// What is wrong with a configuration file. Lines and columns count from 1, columns in scalar values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupFault {
    /// The file is not what its name says.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Where reading stopped.
        line: usize,
        /// Where reading stopped.
        column: usize,
        /// In the words of the parser.
        message: String,
    },

    /// A key holds something else than the client expects there.
    #[error("line {line}, column {column}: {place} should be {expected}, but something else is there")]
    Shape {
        /// Where that is.
        line: usize,
        /// Where that is.
        column: usize,
        /// The key or place.
        place: String,
        /// What belongs there, with its article.
        expected: &'static str,
    },

    /// A spelling that this program does not edit.
    #[error("line {line}: {place} is written in a way that cannot be edited safely; please change it by hand")]
    Spelling {
        /// Where that is.
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
