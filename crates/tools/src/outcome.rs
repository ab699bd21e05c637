//! What a call answers, whether or not it could do what was asked.

use serde_json::{Map, Value};

/// What a call answers: one text for a reader who pays by the token, and the same facts as named fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The answer in words and source; complete by itself.
    pub text: String,
    /// The fields that the contract names for this tool; empty keys are left out.
    pub fields: Map<String, Value>,
    /// The requested thing did not happen.
    pub is_error: bool,
}

/// A call that could not do what was asked: what, where, why, and the call to make next.
///
/// Becomes an [`Outcome`] with `is_error` and the fields `code`, `message`, `retryable`, `position`, `candidates`, `next`.
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

impl From<ToolError> for Outcome {
    fn from(error: ToolError) -> Self {
        let mut fields = Map::new();
        fields.insert("code".into(), error.code.into());
        fields.insert("message".into(), error.message.clone().into());
        fields.insert("retryable".into(), error.retryable.into());
        fields.extend(error.fields);
        Self { text: error.message, fields, is_error: true }
    }
}
