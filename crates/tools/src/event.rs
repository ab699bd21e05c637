//! What happens, for those who watch: evaluations that ended, edits of files, and what was done to sessions.
//!
//! Operations tell an [`Observer`] facts as they come about. What it makes of them, such as a transcript for a person, is
//! its own affair; it must not keep the operation waiting.

use std::time::SystemTime;

use lispwright_runtime::{EvalReport, Request};

use crate::answer::Reply;
use crate::lisp_edit_form::EditAnswer;
use crate::refusal::Refusal;

/// Something that happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// An image has answered a request, or none could be asked.
    Answered {
        /// The session.
        session: &'a str,
        /// What was asked.
        request: &'a Request,
        /// When.
        began: SystemTime,
        /// What became of it.
        answered: Result<&'a EvalReport, &'a Refusal>,
    },
    /// A session itself was started, ended or changed, or was to be.
    SessionChanged {
        /// The session.
        session: &'a str,
        /// What was done to it.
        act: SessionAct<'a>,
        /// When.
        began: SystemTime,
        /// What the caller is answered.
        reply: &'a Reply,
    },
    /// A file was edited.
    FileChanged {
        /// When.
        began: SystemTime,
        /// How.
        answer: &'a EditAnswer,
    },
}

/// Something done to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionAct<'a> {
    /// Its image was started ahead of its first call.
    Start,
    /// What it was doing was interrupted.
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

/// Who is told of events.
pub trait Observer: Send + Sync {
    /// `caller`, where it is known, made this happen.
    fn observe(&self, caller: Option<&str>, event: &Event<'_>);
}
