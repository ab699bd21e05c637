//! Events for observers: requests to images that began and ended, edits of files, and actions on sessions.
//!
//! Operations report events to an [`Observer`], such as a transcript for a person. It must not keep the operation
//! waiting.

use std::time::SystemTime;

use lispwright_runtime::{EvalReport, Request};
use serde_json::{Map, Value};

use crate::answer::{Answer, Reply};
use crate::fs_write_file::WriteAnswer;
use crate::lisp_edit_form::EditAnswer;
use crate::refusal::Refusal;

/// An event.
#[derive(Debug)]
pub enum Event<'a> {
    /// A request to an image began: it waits for its turn, or runs. An `Answered` with the same start follows.
    Asked {
        /// The session.
        session: &'a str,
        /// The request.
        request: &'a Request,
        /// Its start.
        began: SystemTime,
    },
    /// An image has answered a request, or the request could not be sent. The notices of the report say what has become
    /// of the image since the answer before, its death above all.
    Answered {
        /// The session.
        session: &'a str,
        /// The request.
        request: &'a Request,
        /// Its start.
        began: SystemTime,
        /// Its result.
        answered: Result<&'a EvalReport, &'a Refusal>,
    },
    /// A session was started, ended or changed, or that failed.
    SessionChanged {
        /// The session.
        session: &'a str,
        /// The action.
        act: SessionAct<'a>,
        /// Its start.
        began: SystemTime,
        /// The answer to the caller.
        reply: &'a Reply,
    },
    /// A file was edited.
    FileChanged {
        /// Its start.
        began: SystemTime,
        /// The answer to the caller.
        answer: &'a EditAnswer,
    },
    /// A file was written as a whole.
    FileWritten {
        /// Its start.
        began: SystemTime,
        /// The answer to the caller.
        answer: &'a WriteAnswer,
    },
    /// A client's call of a tool was answered.
    Called {
        /// The tool, as the client's list has it.
        tool: &'a str,
        /// The name of the token that the client has shown, if it is a named one.
        client: Option<&'a str>,
        /// The arguments, as they were sent.
        arguments: &'a Map<String, Value>,
        /// The bytes of the answer's text.
        received: usize,
        /// Its start.
        began: SystemTime,
    },
    /// Several files were edited in one call.
    FilesChanged {
        /// Its start.
        began: SystemTime,
        /// The operation, in a word.
        what: &'static str,
        /// The answer to the caller.
        answer: &'a Answer,
    },
}

/// An action on a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionAct<'a> {
    /// Its image was started ahead of its first call.
    Start,
    /// Its running call was interrupted.
    Interrupt,
    /// It was ended with its image.
    Kill,
    /// It was given a fresh image.
    Reset,
    /// It joined the server at an address.
    Attach(Option<&'a str>),
    /// It left the server that it had joined.
    Detach,
}

/// A receiver of events.
pub trait Observer: std::fmt::Debug + Send + Sync {
    /// Receives an event that `caller` (if known) has caused.
    fn observe(&self, caller: Option<&str>, event: &Event<'_>);
}
