//! The position of a scan, counted while it reads.

use memchr::{memchr_iter, memrchr};
use schemars::JsonSchema;
use serde::Serialize;

use crate::delimiters::DelimiterType;

/// A position in a document of which only pieces have been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Position {
    /// Code points from the start of the document.
    pub offset: u64,
    /// Line, from 1 at the start of the scan.
    pub line: u64,
    /// Column in code points, from 1 at the start of the scan.
    pub column: u64,
}

impl Position {
    /// The start of a scan.
    pub(crate) fn beginning(offset: u64) -> Self {
        Self { offset, line: 1, column: 1 }
    }

    /// Moves past `text`.
    pub(crate) fn advance(&mut self, text: &str) {
        let bytes = text.as_bytes();
        self.offset += code_points(text);
        match memrchr(b'\n', bytes) {
            None => self.column += code_points(text),
            Some(last) => {
                self.line += memchr_iter(b'\n', bytes).count() as u64;
                self.column = code_points(&text[last + 1..]) + 1;
            }
        }
    }
}

/// Length of a text in code points.
pub(crate) fn code_points(text: &str) -> u64 {
    text.chars().count() as u64
}

/// An open delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Open {
    /// Its type.
    #[serde(rename = "type")]
    pub delimiter: DelimiterType,
    /// The start of its token; `None` if it was on the stack before the scan.
    #[serde(flatten)]
    pub at: Option<Position>,
}

/// A closer without an opener, or with the wrong one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The closer.
    pub found: DelimiterType,
    /// Its position.
    pub at: Position,
    /// The open delimiter, if there was one.
    pub open: Option<Open>,
}
