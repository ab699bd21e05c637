//! Why a call could not do what was asked, as facts. One variant for each kind; the sentences are in `lispwright-words`.

use std::sync::Arc;

use lispwright_edit as edit;
use lispwright_project as project;
use serde_json::Value;

use crate::live_fault::LiveFault;
use crate::outcome::ToolError;

/// Why nothing was done.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// A request about the text of a file was wrong.
    Text {
        /// The file, as the project calls it.
        path: String,
        /// What is wrong.
        fault: Box<edit::Refusal>,
    },
    /// A file could not be read or written.
    File(Arc<project::Error>),
    /// A file to be edited is not there, and could be made.
    NoFile(Arc<project::Error>),
    /// No directory is open whose files could be worked on.
    NoRoot(Arc<project::Error>),
    /// A call about live images was wrong, and none was asked.
    Live(LiveFault),
    /// A refusal that is in words already.
    Worded(Box<ToolError>),
}

impl Refusal {
    /// A refusal about the text of the file at `path`.
    pub fn text(path: &str, fault: edit::Refusal) -> Self {
        Self::Text { path: path.to_owned(), fault: Box::new(fault) }
    }

    /// A refusal in these words, which the same call meets again.
    pub fn worded(code: &'static str, message: impl Into<String>) -> Self {
        ToolError::new(code, message).into()
    }

    /// The same with a named fact more.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        if let Self::Worded(error) = &mut self {
            error.fields.insert(key.to_owned(), value.into());
        }
        self
    }

    /// The same, which the same call may not meet again.
    #[must_use]
    pub fn for_now(mut self) -> Self {
        if let Self::Worded(error) = &mut self {
            error.retryable = true;
        }
        self
    }

    /// The stable code that clients see.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Text { fault, .. } => fault.code(),
            Self::File(error) | Self::NoFile(error) | Self::NoRoot(error) => error.code(),
            Self::Live(fault) => fault.code(),
            Self::Worded(error) => error.code,
        }
    }

    /// What a refusal says that is in words already; else its code.
    pub(crate) fn said(&self) -> &str {
        match self {
            Self::Worded(error) => &error.message,
            _ => self.code(),
        }
    }

    /// The same call can succeed later without a change.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Text { .. } | Self::Live(_) => false,
            Self::File(error) | Self::NoFile(error) | Self::NoRoot(error) => error.retryable(),
            Self::Worded(error) => error.retryable,
        }
    }
}

impl From<project::Error> for Refusal {
    fn from(error: project::Error) -> Self {
        Self::File(Arc::new(error))
    }
}

impl From<LiveFault> for Refusal {
    fn from(fault: LiveFault) -> Self {
        Self::Live(fault)
    }
}

impl From<ToolError> for Refusal {
    fn from(error: ToolError) -> Self {
        Self::Worded(Box::new(error))
    }
}
