//! Processes that evaluated code has started and that are ended so that its session can go on.

use rustix::process::{Pid, Signal, kill_process};

/// The reason why processes of the code were ended in a call, and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedChildren {
    /// The worker waited for them and did not respond.
    Awaited(usize),
    /// The call was stopped for its output, and they would have printed on.
    Printing(usize),
}

impl EndedChildren {
    /// Kills `processes`; returns `None` when there were none.
    pub(crate) fn end(processes: Vec<Pid>, why: fn(usize) -> Self) -> Option<Self> {
        let ended = processes.into_iter().filter(|pid| kill_process(*pid, Signal::KILL).is_ok()).count();
        (ended > 0).then(|| why(ended))
    }
}
