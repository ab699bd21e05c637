//! The reasons for which a call ends before its answer, who can give them, and how the process ended.

use tokio_util::sync::CancellationToken;

use crate::activity::Activity;

/// The reason why a call was asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Its time is up.
    Timeout,
    /// It printed more than the limit.
    Output,
    /// The caller withdrew it.
    Cancelled,
    /// Somebody interrupted the session.
    Interrupted,
    /// It interrupted itself, or another process did, by a signal.
    Signal,
    /// Somebody killed the session.
    Killed,
    /// The image and its processes took more memory than allowed; they were killed.
    Memory,
    /// There were more processes than allowed; they were killed.
    Processes,
}

impl StopReason {
    /// The image was killed for an excess, without being asked to stop.
    pub fn is_excess(self) -> bool {
        matches!(self, Self::Memory | Self::Processes)
    }
}

/// The end of a worker process. Its last words are at the end of its error output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    /// Exit code or signal, in words.
    pub status: String,
    /// The code ended the image by itself in an orderly way.
    pub exited: bool,
    /// The server killed it: it did not respond to an interrupt, or somebody asked.
    pub killed: bool,
}

/// The ways in which others can end a running call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Controls {
    /// The caller no longer waits.
    pub(crate) cancel: CancellationToken,
    /// Somebody interrupts the session.
    pub(crate) interrupt: CancellationToken,
    /// Somebody kills the session.
    pub(crate) kill: CancellationToken,
    /// The activity that the image reports, and its output.
    pub(crate) activity: Activity,
}

impl Controls {
    /// Somebody has asked the call to end.
    pub(crate) fn is_stopping(&self) -> bool {
        [&self.cancel, &self.interrupt, &self.kill].into_iter().any(CancellationToken::is_cancelled)
    }
}
