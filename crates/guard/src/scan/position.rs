//! Where a scan stands, counted as it goes.

use lispwright_syntax::Delimiter;
use memchr::{memchr_iter, memrchr};
use serde_json::{Value, json};

/// A place in a document of which only pieces have been seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Code points from the start of the document.
    pub offset: u64,
    /// Line, from 1 where the scan began.
    pub line: u64,
    /// Column in code points, from 1 where the scan began.
    pub column: u64,
}

impl Position {
    /// Where a scan begins.
    pub(crate) fn beginning(offset: u64) -> Self {
        Self { offset, line: 1, column: 1 }
    }

    /// Past `text`.
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

    /// As it stands in an answer.
    pub(crate) fn to_json(self) -> Value {
        json!({ "offset": self.offset, "line": self.line, "column": self.column })
    }
}

/// Length of a text in code points.
pub(crate) fn code_points(text: &str) -> u64 {
    text.chars().count() as u64
}

/// A delimiter that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// Which.
    pub delimiter: Delimiter,
    /// Where its token begins; unknown for one that stood on the stack when the scan began.
    pub at: Option<Position>,
}

/// A closer that closes nothing, or the wrong thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The closer.
    pub found: Delimiter,
    /// Where it stands.
    pub at: Position,
    /// What was open instead, if anything was.
    pub open: Option<Open>,
}
