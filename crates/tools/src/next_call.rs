//! The call to make after an answer or a refusal.

use serde_json::Value;

/// A call to make next: a tool of the catalogue and its arguments. Its wording depends on the reader.
#[derive(Clone, Debug, PartialEq)]
pub struct NextCall {
    /// Name of the tool.
    pub tool: &'static str,
    /// Its arguments by name, in the order in which they are shown.
    pub arguments: Vec<(&'static str, Value)>,
}

impl NextCall {
    /// A call of `tool` without arguments.
    #[must_use]
    pub const fn to(tool: &'static str) -> Self {
        Self { tool, arguments: Vec::new() }
    }

    /// The same call with one more argument.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.arguments.push((name, value.into()));
        self
    }
    /// The same call with one more argument, if that has a value.
    #[must_use]
    pub fn with_given(self, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }
}
