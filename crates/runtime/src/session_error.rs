//! The reasons why a session could not do something.

use std::time::Duration;

use crate::backends::{Capability, Runtime};
use crate::factory::StartError;

/// The reason why a session could not do something. The code did not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// Another call takes too long to wait for it, or too many calls wait already.
    #[error("session {session:?} is busy, {doing}{}", waiting_words(.waiting))]
    Busy {
        /// The session.
        session: String,
        /// The activity of the other call, in words.
        doing: String,
        /// The number of calls that wait for it.
        waiting: usize,
    },
    /// The call was withdrawn or interrupted while it waited for its turn or its image.
    #[error("the call was withdrawn before it ran in session {0:?}")]
    Withdrawn(String),
    /// The session was killed, reset or detached while the call waited for its turn.
    #[error("session {0:?} was ended while the call waited for its turn")]
    Ended(String),
    /// Too many images were lost.
    #[error("session {session:?} is stopped: {crashes} images were lost within five minutes, the last one: {last}")]
    Stopped {
        /// The session.
        session: String,
        /// Their number.
        crashes: usize,
        /// The end of the last one.
        last: String,
    },
    /// The number of sessions has reached this limit.
    #[error("there are {0} sessions already, which is the limit")]
    TooMany(usize),
    /// The runtime is not installed.
    #[error("{} is not installed: no program {:?} on PATH", .0, .0.program)]
    Missing(Runtime),
    /// The runtime exists and cannot be used here.
    #[error("{0} sessions are not available")]
    Unsupported(Runtime),
    /// The session runs another Lisp than the one asked for.
    #[error("session {session:?} runs {runs}, not {asked}")]
    OtherRuntime {
        /// The session.
        session: String,
        /// Its runtime.
        runs: Runtime,
        /// The requested one.
        asked: Runtime,
    },
    /// The session's runtime lacks this capability.
    #[error("{} sessions cannot do this: they have no {}", .0, .1.as_str())]
    Lacks(Runtime, Capability),
    /// The image did not start.
    #[error("no image could be started: {0}")]
    Start(String),
    /// The image had not started when the time was up.
    #[error("the image did not start within {} s", .0.as_secs_f64())]
    Starting(Duration),
    /// The server to attach to is not there, or cannot be used.
    #[error("{0}")]
    Unreachable(String),
    /// The server that the session is attached to no longer answers.
    #[error("{why}. The session is attached there")]
    Lost {
        /// The session's runtime.
        runtime: Runtime,
        /// The reason.
        why: String,
    },
    /// Sessions of this runtime are in images that somebody else runs, and this one is attached to none.
    #[error("a session on {0} is in an image that somebody else runs, and this one is attached to none")]
    Unattached(Runtime),
    /// The request is about something in an image, and the session has none now.
    #[error("session {0:?} has no image now")]
    NoImage(String),
    /// The server of the session was started here, so the session cannot be detached from it.
    #[error("session {0:?} is not attached to anything")]
    NotAttached(String),
    /// The image of the session belongs to somebody else, who alone may end it.
    #[error("the image of session {0:?} belongs to somebody else")]
    Theirs(String),
    /// A name that cannot be given to a session or checkpoint.
    #[error("the name of a {what} has 1 to 100 characters on one line, without quotes and backslashes; {why}")]
    BadName {
        /// The kind of thing to name.
        what: &'static str,
        /// The fault of the name.
        why: String,
    },
    /// There is no such session.
    #[error("there is no session {0:?}")]
    Unknown(String),
}

/// The number of waiting calls, if there are any.
fn waiting_words(waiting: &usize) -> String {
    match waiting {
        0 => String::new(),
        1 => ", and 1 call waits".to_owned(),
        waiting => format!(", and {waiting} calls wait"),
    }
}

impl From<StartError> for SessionError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Missing(runtime) => Self::Missing(runtime),
            StartError::Failed(why) => Self::Start(why),
            StartError::Unreachable(why) => Self::Unreachable(why),
            StartError::Lost(runtime, why) => Self::Lost { runtime, why },
            StartError::Unattached(runtime) => Self::Unattached(runtime),
        }
    }
}
