//! The time that a call may take.

use std::time::Duration;

/// The time for the start of an image when the caller named no limit.
pub(crate) const START_LIMIT: Duration = Duration::from_secs(100);

/// The time that a call may take, from when its image is there, and the time that it waits for the start of one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit {
    /// The time of the call itself.
    pub time: Duration,
    /// The time for the start. The start goes on after that, for the next call.
    pub start: Duration,
}

impl TimeLimit {
    /// A limit that the caller named: it bounds the start as well.
    pub fn named(time: Duration) -> Self {
        Self { time, start: time }
    }
}

impl From<Duration> for TimeLimit {
    /// A limit that the caller did not name: a first start of an image may take longer.
    fn from(time: Duration) -> Self {
        Self { time, start: START_LIMIT.max(time) }
    }
}
