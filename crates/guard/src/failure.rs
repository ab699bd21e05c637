//! The faults of a step. The message says what is wrong, where and why, and what to send next.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::delimiters::DelimiterType;
use crate::scan::Position;

/// The protocol's codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// A closer that does not fit the top of the stack, or a stack that should be empty and is not.
    Mismatch,
    /// A closer with nothing open.
    Underflow,
    /// A delimiter type that is none of the three.
    InvalidType,
    /// A cursor, a sentinel or a slice that is not at the place it states.
    BadCursor,
    /// Any other fault: a field missing or of the wrong kind, a limit passed, a document that has drifted.
    BadInput,
}

/// A step that was refused: the `error` of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Failure {
    /// The kind of mistake.
    pub code: Code,
    /// For people and models.
    pub message: String,
    /// The expected type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<DelimiterType>,
    /// The type that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<DelimiterType>,
    /// The index of the operation in a list, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<usize>,
    /// The stack as it was sent, where it can be shown.
    pub stack: Vec<Value>,
    /// The place in the text of a scan.
    #[serde(flatten)]
    pub place: Option<Box<FailurePlace>>,
}

/// The place of a closer that was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailurePlace {
    /// The closer.
    pub position: Position,
    /// The open delimiter, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened_at: Option<Position>,
}

impl Failure {
    /// A mistake that is not about two delimiter types.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), expected: None, found: None, op: None, stack: Vec::new(), place: None }
    }

    /// A request that cannot be used as it is.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::new(Code::BadInput, message)
    }

    /// A position that cannot be right.
    pub(crate) fn cursor(message: impl Into<String>) -> Self {
        Self::new(Code::BadCursor, message)
    }

    /// The same mistake, made by one operation of a list.
    pub(crate) fn at_op(mut self, index: usize) -> Self {
        self.message = format!("Operation {index} (from 0): {}", self.message);
        self.op = Some(index);
        self
    }
}
