//! Refusals that are in words already.

use serde_json::{Map, Value};

/// A call that could not do what was asked: what, where, why, and the call to make next.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError {
    /// One of the contract's stable codes, such as `FORM_NOT_FOUND`.
    pub code: &'static str,
    /// The whole text shown to the reader, ending in what to do next.
    pub message: String,
    /// The same call can succeed later without a change.
    pub retryable: bool,
    /// Further fields (`position`, `candidates`, `next`, ...), beside the three above.
    pub fields: Map<String, Value>,
}

impl ToolError {
    /// An error with no further fields that will not go away by itself.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retryable: false, fields: Map::new() }
    }

    /// Adds a named field.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(key.to_owned(), value.into());
        self
    }
}
