//! The events while a call waits for its answer: one clock, and one list of reasons to stop, for every conversation
//! with an image.
//!
//! Workers, nREPL servers and Swank servers differ in how they are asked to stop and in what happens to those that do
//! not respond. The times and reasons to ask are the same, and are decided here.

use std::time::Instant;

use crate::stop::{Controls, StopReason};
use crate::watch::Excess;

/// An event during a call.
pub(crate) enum Event<M> {
    /// The conversation goes on.
    Came(M),
    /// Somebody kills the session; this happens once.
    Kill,
    /// There is a reason to stop; this happens until [`Supervision::stop`] is called.
    Stop(StopReason),
    /// The image exceeds its limits.
    Excess(Excess),
    /// The call has not stopped so far.
    NextStep,
}

/// The clock of a call, and the ways to end it.
pub(crate) struct Supervision<'c> {
    controls: &'c Controls,
    /// The deadline of the call; after the request to stop, the time of the next step.
    next: Instant,
    /// The reason for the request to stop, if there was one.
    pub(crate) reason: Option<StopReason>,
    is_killed: bool,
}

impl<'c> Supervision<'c> {
    /// A call that may take until `deadline`.
    pub(crate) fn new(controls: &'c Controls, deadline: Instant) -> Self {
        Self { controls, next: deadline, reason: None, is_killed: false }
    }

    /// Records that the call was asked to stop for `reason`; the next step is at `next`.
    pub(crate) fn stop(&mut self, reason: StopReason, next: Instant) {
        self.reason = Some(reason);
        self.next = next;
    }

    /// The next step of stopping is at `next`.
    pub(crate) fn wait(&mut self, next: Instant) {
        self.next = next;
    }

    /// The next event. `conversation` ends with each of its steps, `overflow` when too much is printed, and `excess`
    /// when the image exceeds its limits; all of them can be cancelled at any point.
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
