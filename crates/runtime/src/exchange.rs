//! What happens while an answer is waited for: one clock, and one list of reasons to stop, for every conversation with an
//! image.
//!
//! Workers, nREPL servers and Swank servers differ in how they are asked to stop and in what becomes of those that do not
//! listen. When they have to be asked, and why, is the same, and is decided here.

use std::time::Instant;

use crate::stop::{Controls, StopReason};
use crate::watch::Excess;

/// What happens during a call.
pub(crate) enum Event<M> {
    /// The conversation goes on.
    Came(M),
    /// Somebody kills the session; it happens once.
    Kill,
    /// There is a reason to stop; it happens until the call is told.
    Stop(StopReason),
    /// The image takes too much.
    Excess(Excess),
    /// The image has not stopped so far.
    NextStep,
}

/// The clock of a call, and those who may end it.
pub(crate) struct Supervision<'c> {
    controls: &'c Controls,
    /// When its time is up; when the next step is due, once it was told to stop.
    next: Instant,
    /// Why it was told to stop, if it was.
    pub(crate) reason: Option<StopReason>,
    is_killed: bool,
}

impl<'c> Supervision<'c> {
    /// A call that may take until `deadline`.
    pub(crate) fn new(controls: &'c Controls, deadline: Instant) -> Self {
        Self { controls, next: deadline, reason: None, is_killed: false }
    }

    /// The call is told to stop for `reason`, and looked at again at `next`.
    pub(crate) fn stop(&mut self, reason: StopReason, next: Instant) {
        self.reason = Some(reason);
        self.next = next;
    }

    /// The call that was told to stop is looked at again at `next`.
    pub(crate) fn wait(&mut self, next: Instant) {
        self.next = next;
    }

    /// What happens next. `conversation` ends with each step of it, `overflow` when too much is printed, and `excess` when too much
    /// is taken; all of them can be given up in the middle.
    pub(crate) async fn event<M>(
        &mut self,
        conversation: impl Future<Output = M>,
        overflow: impl Future<Output = ()>,
        excess: impl Future<Output = Excess>,
    ) -> Event<M> {
        let is_stopping = self.reason.is_some();
        tokio::select! {
            biased;
            came = conversation => Event::Came(came),
            () = self.controls.kill.cancelled(), if !self.is_killed => {
                self.is_killed = true;
                Event::Kill
            }
            () = self.controls.cancel.cancelled(), if !is_stopping => Event::Stop(StopReason::Cancelled),
            () = self.controls.interrupt.cancelled(), if !is_stopping => Event::Stop(StopReason::Interrupted),
            () = tokio::time::sleep_until(self.next.into()) => {
                if is_stopping { Event::NextStep } else { Event::Stop(StopReason::Timeout) }
            }
            () = overflow, if !is_stopping => Event::Stop(StopReason::Output),
            excess = excess => Event::Excess(excess),
        }
    }
}
