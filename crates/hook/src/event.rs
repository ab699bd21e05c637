//! A call of an edit tool or of a shell, whichever client it comes from.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::patch::Patch;

/// When a hook is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before the call is carried out: it can be changed or refused.
    Before,
    /// After it was carried out: only something can be said about it.
    After,
}

/// A call of an edit tool or of a shell.
#[derive(Clone, Debug, PartialEq)]
pub struct HookEvent {
    /// When the hook was run.
    pub moment: Moment,
    /// The client's name of the event.
    pub event_name: String,
    /// The client's name of the tool.
    pub tool: String,
    /// The directory that relative paths start from.
    pub directory: String,
    /// The arguments of the call, as they came.
    pub input: Map<String, Value>,
    /// What they ask for.
    pub proposal: Proposal,
    /// After the call: the text of the file before it, where the client says so.
    pub original: Option<String>,
    /// Nothing can be told to the model before the call, so it is told after it.
    pub told_after: bool,
}

/// What a call asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Proposal {
    /// A file gets this text.
    Write {
        /// The file.
        path: String,
        /// Its text.
        content: Rewritable,
    },
    /// Pieces of a file are replaced, one after the other.
    Replace {
        /// The file.
        path: String,
        /// The pieces.
        replacements: Vec<Replacement>,
    },
    /// A patch of one or more files.
    Patch(Patch),
    /// A command of a shell, which may have changed any file.
    Command {
        /// How long it ran, where the client says so.
        ran: Option<Duration>,
    },
}

/// A text in the arguments of a call that the client can be told to take differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritable {
    /// The text.
    pub text: String,
    /// Where it stands in the arguments: a JSON pointer (RFC 6901).
    pub pointer: String,
}

/// One text in place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// What is replaced. Empty: the file is to be made.
    pub old: String,
    /// What replaces it.
    pub new: Rewritable,
    /// Every occurrence is replaced, not the only one.
    pub all: bool,
    /// When nothing replaces it, the line feed after it goes too.
    pub with_line_feed: bool,
}
