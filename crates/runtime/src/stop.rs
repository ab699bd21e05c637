//! How a call comes to an end before its answer: who can say so, why it was said, and what became of the process.

use tokio_util::sync::CancellationToken;

use crate::activity::Activity;

/// Why a call was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Its time was up.
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
    /// It took more memory, with all that it had started, than it may; it was killed.
    Memory,
    /// It was more processes, with all that it had started, than it may; it was killed.
    Processes,
}

impl StopReason {
    /// It was killed for what it took, without being asked to stop.
    pub fn is_excess(self) -> bool {
        matches!(self, Self::Memory | Self::Processes)
    }
}

/// How a worker process ended. What it said last is at the end of its error output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    /// Exit code or signal, in words.
    pub status: String,
    /// The code ended the image by itself in an orderly way.
    pub exited: bool,
    /// The server killed it: it did not listen to an interrupt, or somebody asked.
    pub killed: bool,
}

/// The ways in which others can end a call that is going on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Controls {
    /// The caller no longer waits.
    pub(crate) cancel: CancellationToken,
    /// Somebody interrupts the session.
    pub(crate) interrupt: CancellationToken,
    /// Somebody kills the session.
    pub(crate) kill: CancellationToken,
    /// What the image says it is doing, and prints.
    pub(crate) activity: Activity,
}

impl Controls {
    /// Somebody has told the call to end.
    pub(crate) fn is_stopping(&self) -> bool {
        [&self.cancel, &self.interrupt, &self.kill].into_iter().any(CancellationToken::is_cancelled)
    }
}
