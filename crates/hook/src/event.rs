//! A call of an edit tool or of a shell, whichever client it comes from.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::patch::Patch;

/// A program whose edit tools are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    /// Claude Code: `Write`, `Edit`, and `MultiEdit` of older versions; what `Bash` has changed.
    ClaudeCode,
    /// Codex: `apply_patch`, also by way of its shell tool; what that has changed.
    Codex,
    /// Gemini CLI: `write_file` and `replace`; what `run_shell_command` has changed.
    Gemini,
}

impl Client {
    /// Every client, in the order they are listed to people.
    pub const ALL: [Self; 3] = [Self::ClaudeCode, Self::Codex, Self::Gemini];

    /// The name used on the command line and in statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// The client of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }
}

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
pub struct Event {
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

impl Rewritable {
    /// The text at a key of an object, which stands at `pointer` in the arguments.
    pub(crate) fn at(object: &Map<String, Value>, pointer: &str, key: &str) -> Option<Self> {
        Some(Self { text: text_at(object, key)?.to_owned(), pointer: format!("{pointer}/{key}") })
    }
}

/// After a call of a shell: what it asked for, with how long it ran where the client says so.
pub(crate) fn command(moment: Moment, document: &Map<String, Value>) -> Option<Proposal> {
    let ran = document.get("duration_ms").and_then(Value::as_u64).map(Duration::from_millis);
    (moment == Moment::After).then_some(Proposal::Command { ran })
}

/// The text at a key.
pub(crate) fn text_at<'v>(object: &'v Map<String, Value>, key: &str) -> Option<&'v str> {
    object.get(key)?.as_str()
}
