//! Refusals of calls as facts, one variant for each kind; the sentences are in `lispwright-words`.

use std::path::PathBuf;
use std::sync::Arc;

use lispwright_edit as edit;
use lispwright_project as project;
use lispwright_refactor::{RenameRefusal, RewriteRefusal, SignatureRefusal};
use lispwright_runtime as runtime;
use lispwright_runtime::{ImageOperation, Runtime, SessionError};

use crate::arguments::{ArgumentFault, Taken};
use crate::codes;
use crate::docs_lookup::Undocumented;
use crate::eval_answer::EvalAnswer;
use crate::languages::BadConfiguration;
use crate::lisp_edit_form::{Done, RepairFacts};
use crate::live_fault::LiveFault;
use crate::offers::{NotAccepted, OtherEdits};
use crate::verify::Verification;

/// The reason why a call was refused.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// A request about the text of a file was wrong.
    Text {
        /// The file, as the project calls it.
        path: String,
        /// The fault.
        fault: Box<edit::EditRefusal>,
    },
    /// A file could not be read or written.
    File(Arc<project::Error>),
    /// A file to be edited is missing and could be created.
    NoFile(Arc<project::Error>),
    /// No directory is open as a root.
    NoRoot(Arc<project::Error>),
    /// A Lisp file that is there was to be overwritten as a whole.
    LispExists {
        /// The file, as the project calls it.
        path: String,
    },
    /// The root was named by whoever started the server, or images are confined to it; a call cannot leave it.
    RootIsNamed {
        /// The directory that the call names.
        asked: String,
        /// The root.
        root: String,
        /// What makes it final: an option, or a variable.
        source: &'static str,
    },
    /// Other clients of the server work in the present root.
    RootIsShared {
        /// The directory that the call names.
        asked: String,
        /// The root.
        root: String,
    },
    /// Images run in the present root.
    RootHasImages {
        /// The directory that the call names.
        asked: String,
        /// The root.
        root: String,
        /// Their sessions.
        images: Vec<String>,
    },
    /// A call about live images was wrong, and none was asked.
    Live(LiveFault),
    /// The arguments of a call do not fit its tool.
    Arguments {
        /// The tool.
        tool: String,
        /// The faults, in the order of the arguments, missing ones last.
        faults: Vec<ArgumentFault>,
        /// The arguments that the tool takes.
        takes: Vec<Taken>,
    },
    /// The arguments fit the schema of the tool but not its type.
    Misfit {
        /// The fault.
        why: String,
    },
    /// The call needs exactly one of two arguments.
    ExactlyOne {
        /// The two arguments.
        arguments: [&'static str; 2],
        /// Both were given; otherwise neither.
        has_both: bool,
    },
    /// A pattern is not understood.
    BadPattern {
        /// The argument.
        argument: &'static str,
        /// What is wrong with it.
        why: String,
        /// The place of the mistake: its character, from 1.
        column: Option<usize>,
    },
    /// Nothing says anything about a query.
    Undocumented(Box<Undocumented>),
    /// There is no dialect of that name.
    NoDialect {
        /// The name.
        given: String,
    },
    /// A file is not known to be Lisp.
    NotLisp {
        /// The file, as the project calls it.
        path: String,
        /// The call has an argument for the dialect.
        may_be_said: bool,
    },
    /// There is no runtime for the language of a file.
    NoRuntime {
        /// The file, as the project calls it.
        path: String,
        /// Its dialect.
        dialect: &'static str,
    },
    /// The `lispwright.toml` of the project is wrong.
    Configuration(Box<BadConfiguration>),
    /// A name was not given another.
    Rename {
        /// The name of the call.
        symbol: String,
        /// The reason.
        refusal: Box<RenameRefusal>,
        /// The directory to which paths are relative.
        root: PathBuf,
    },
    /// The parameters of a function were not changed.
    Signature {
        /// The name of the call.
        symbol: String,
        /// The reason.
        refusal: Box<SignatureRefusal>,
        /// The directory to which paths are relative.
        root: PathBuf,
    },
    /// Forms were not rewritten.
    Rewrite(Box<RewriteRefusal>),
    /// A change was not taken back. Nothing was written.
    Undo {
        /// The reason.
        refusal: Arc<project::UndoRefusal>,
        /// The directory to which paths are relative.
        root: PathBuf,
    },
    /// The call does not say how many forms it changes, or another number.
    OtherCount {
        /// The number of the call.
        expected: Option<usize>,
        /// The present number.
        found: usize,
    },
    /// One of several edits was refused, and none was made.
    InBatch {
        /// Its number, from 1.
        edit: usize,
        /// The number of edits.
        edits: usize,
        /// The reason.
        refusal: Box<Refusal>,
        /// What could be made without it.
        others: Option<OtherEdits>,
    },
    /// A candidate was to be accepted that cannot be.
    NotAccepted(NotAccepted),
    /// A change did not pass its verification; the old texts are back.
    NotVerified {
        /// The verification.
        verification: Box<Verification>,
        /// Files that could not be put back.
        left: Vec<String>,
        /// The repairs of the new source, each with its file and operation.
        repaired: Vec<(String, Done, RepairFacts)>,
    },
    /// There is no kind of mention of that name.
    NoMention {
        /// The name.
        given: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// A file has another text than the one for which the change was planned. No file was changed.
    ChangedMeanwhile {
        /// The file, as the project calls it.
        path: String,
    },
    /// The operation was cut short. No file was changed.
    Ended {
        /// The reason.
        why: String,
    },
    /// The operation failed because of a fault of this program.
    Broke {
        /// The tool.
        tool: String,
        /// A description of the failure.
        what: String,
    },
    /// A session could not carry out the call; nothing ran.
    Session(Box<SessionError>),
    /// The image does not have what the call needs; nothing ran.
    Image {
        /// The missing thing.
        refusal: runtime::ImageRefusal,
        /// The session.
        session: String,
    },
    /// Images of that runtime do not know the request.
    NotOffered {
        /// The runtime.
        runtime: Runtime,
        /// The operation, or one that it needs.
        operation: ImageOperation,
    },
    /// An image was asked, and the call ended without its answer.
    Unanswered(Arc<EvalAnswer>),
}

impl Refusal {
    /// A refusal about the text of the file at `path`.
    pub fn text(path: &str, fault: edit::EditRefusal) -> Self {
        Self::Text { path: path.to_owned(), fault: Box::new(fault) }
    }

    /// The stable code that clients see.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Text { fault, .. } => fault.code(),
            Self::File(error) | Self::NoFile(error) | Self::NoRoot(error) => error.code(),
            Self::Live(fault) => fault.code(),
            Self::Arguments { .. }
            | Self::Misfit { .. }
            | Self::ExactlyOne { .. }
            | Self::BadPattern { .. }
            | Self::NoDialect { .. }
            | Self::Undocumented(_)
            | Self::NotLisp { .. }
            | Self::NoRuntime { .. }
            | Self::NoMention { .. }
            | Self::Configuration(_) => "BAD_ARGUMENT",
            Self::LispExists { .. } => "WOULD_BREAK",
            Self::RootIsNamed { .. } => "OUTSIDE_ROOT",
            Self::RootIsShared { .. } | Self::RootHasImages { .. } => "CONFLICT",
            Self::Rename { refusal, .. } => codes::of_rename(refusal),
            Self::Signature { refusal, .. } => codes::of_signature(refusal),
            Self::Rewrite(refusal) => codes::of_rewrite(refusal),
            Self::Undo { refusal, .. } => codes::of_undo(refusal),
            Self::InBatch { refusal, .. } => refusal.code(),
            Self::NotVerified { .. } => "WOULD_BREAK",
            Self::NotAccepted(NotAccepted::Unknown { .. }) => "BAD_ARGUMENT",
            Self::NotAccepted(NotAccepted::Changed { .. }) => "STALE",
            Self::OtherCount { expected: None, .. } => "BAD_ARGUMENT",
            Self::ChangedMeanwhile { .. } | Self::OtherCount { .. } => "CONFLICT",
            Self::Ended { .. } | Self::Broke { .. } => "INTERNAL",
            Self::Session(error) => codes::of_session(error),
            Self::Image { refusal, .. } => codes::of_image(refusal),
            Self::NotOffered { .. } => "UNSUPPORTED",
            Self::Unanswered(answer) => answer.code.unwrap_or("INTERNAL"),
        }
    }

    /// The image was not asked, or did not carry out the request: no code ran.
    pub fn is_before_running(&self) -> bool {
        matches!(self, Self::Live(_) | Self::Session(_) | Self::Image { .. } | Self::NotOffered { .. })
    }

    /// The same call can succeed later without a change.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Session(error) => {
                matches!(**error, SessionError::Busy { .. } | SessionError::Ended(_) | SessionError::Starting(_))
            }
            Self::File(error) | Self::NoFile(error) | Self::NoRoot(error) => error.retryable(),
            Self::ChangedMeanwhile { .. } => true,
            _ => false,
        }
    }
}

impl From<project::Error> for Refusal {
    fn from(error: project::Error) -> Self {
        Self::File(Arc::new(error))
    }
}

impl From<SessionError> for Refusal {
    fn from(error: SessionError) -> Self {
        Self::Session(Box::new(error))
    }
}

impl From<LiveFault> for Refusal {
    fn from(fault: LiveFault) -> Self {
        Self::Live(fault)
    }
}

impl From<BadConfiguration> for Refusal {
    fn from(bad: BadConfiguration) -> Self {
        Self::Configuration(Box::new(bad))
    }
}
