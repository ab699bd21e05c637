//! A file that could not be read, as a refusal in words.

use lispwright_syntax::in_a_line;

use crate::outcome::ToolError;

impl From<lispwright_project::Error> for ToolError {
    fn from(error: lispwright_project::Error) -> Self {
        let mut found = Self::new(error.code(), in_a_line(&error.to_string()));
        found.retryable = error.retryable();
        if !error.candidates().is_empty() {
            found.fields.insert("candidates".into(), error.candidates().to_vec().into());
        }
        found
    }
}
