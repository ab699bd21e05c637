//! A call of an edit tool or of a shell, from any client.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::patch::Patch;

/// The moment at which a hook is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before the call is carried out: it can be changed or refused.
    Before,
    /// After the call was carried out: the model can only be informed.
    After,
}

/// A call of an edit tool or of a shell.
#[derive(Clone, Debug, PartialEq)]
pub struct HookEvent {
    /// The moment of the hook.
    pub moment: Moment,
    /// The client's name of the event.
    pub event_name: String,
    /// The client's name of the tool.
    pub tool: String,
    /// The directory from which relative paths start.
    pub directory: String,
    /// The arguments of the call, unchanged.
    pub input: Map<String, Value>,
    /// The edit or command that they ask for.
    pub proposal: Proposal,
    /// After the call: the text of the file before it, if the client gives it.
    pub original: Option<String>,
    /// The model can only be informed after the call.
    pub told_after: bool,
    /// The arguments of the call can be changed before it.
    pub takes_changes: bool,
    /// The client's edit tools keep the encoding of a file.
    pub keeps_encodings: bool,
}

/// The edit or command that a call asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Proposal {
    /// A file gets this text.
    Write {
        /// The file.
        path: String,
        /// Its text.
        content: Rewritable,
    },
    /// Pieces of a file are replaced in order.
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
        /// Its duration, if the client gives it.
        ran: Option<Duration>,
    },
}

/// A text in the arguments of a call that an answer can change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritable {
    /// The text.
    pub text: String,
    /// Its place in the arguments: a JSON pointer (RFC 6901).
    pub pointer: String,
}

/// One text in place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The replaced text. If it is empty, the file is created.
    pub old: String,
    /// The new text.
    pub new: Rewritable,
    /// Every occurrence is replaced; otherwise there has to be exactly one.
    pub all: bool,
    /// If the new text is empty, the line feed after the old one is removed, too.
    pub with_line_feed: bool,
}
