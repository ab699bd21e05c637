//! Failures of commands, in the words of a shell.

use std::fmt;

use lispwright_syntax::in_a_line;
use lispwright_tools::Refusal;
use lispwright_words::{Rendering, Skin, refused, render};

/// A refusal of an operation, or a failure of the command itself.
#[derive(Debug)]
pub(crate) struct Complaint(pub(crate) Rendering);

impl Complaint {
    /// A failure with this stable code.
    pub(crate) fn new(code: &'static str, what: impl fmt::Display) -> Self {
        Self(refused(code, &what.to_string()))
    }

    /// `path` is not accessible.
    pub(crate) fn at(path: impl fmt::Display, error: impl fmt::Display) -> Self {
        Self::new("FILE_NOT_FOUND", format_args!("{}: {error}", in_a_line(&path.to_string())))
    }
}

impl From<Refusal> for Complaint {
    fn from(refusal: Refusal) -> Self {
        Self(render(Err(refusal), Skin::Shell))
    }
}

impl From<lispwright_project::Error> for Complaint {
    fn from(error: lispwright_project::Error) -> Self {
        Refusal::from(error).into()
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}
