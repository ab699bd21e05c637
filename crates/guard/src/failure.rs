//! The faults of a step. The message says what is wrong, where and why, and what to send next.

use lispwright_syntax::Delimiter;
use serde_json::{Map, Value, json};

use crate::delimiters::type_name;

/// The protocol's codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

impl Code {
    /// The code in an answer.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mismatch => "MISMATCH",
            Self::Underflow => "UNDERFLOW",
            Self::InvalidType => "INVALID_TYPE",
            Self::BadCursor => "BAD_CURSOR",
            Self::BadInput => "BAD_INPUT",
        }
    }
}

/// A step that was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The kind of mistake.
    pub code: Code,
    /// For people and models.
    pub message: String,
    /// The expected type.
    pub expected: Option<Delimiter>,
    /// The type that was sent.
    pub found: Option<Delimiter>,
    /// The index of the operation in a list, from 0.
    pub op: Option<usize>,
}

impl Failure {
    /// A mistake that is not about two delimiter types.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), expected: None, found: None, op: None }
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

    /// The `error` of an answer, with the stack that goes with it.
    pub(crate) fn to_json(&self, stack: Value) -> Value {
        let mut error = Map::new();
        error.insert("code".into(), self.code.name().into());
        error.insert("message".into(), self.message.clone().into());
        if let Some(expected) = self.expected {
            error.insert("expected".into(), type_name(expected).into());
        }
        if let Some(found) = self.found {
            error.insert("found".into(), type_name(found).into());
        }
        if let Some(op) = self.op {
            error.insert("op".into(), json!(op));
        }
        error.insert("stack".into(), stack);
        Value::Object(error)
    }
}
