//! The order in which calls came, although some look at files before they ask an image.
//!
//! A call arrives, and leaves when it is in the queue of its session or is over. A call that waits for its turn comes
//! after all that arrived before it: an evaluation after the load that was sent with it, the load after the edit of its
//! file, and an edit after the edit whose form it names. Calls that only read wait for no others that only read.

use std::collections::BTreeMap;

use tokio::sync::watch;

/// The calls of one connection that have arrived and not left. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Arrivals(watch::Sender<Arrived>);

#[derive(Debug, Default)]
struct Arrived {
    last: u64,
    here: BTreeMap<u64, Here>,
}

/// What a call that is here does.
#[derive(Clone, Copy, Debug, Default)]
struct Here {
    /// It only reads.
    reads: bool,
    /// It touches no file of the project.
    leaves_files: bool,
}

/// One of these calls. It leaves when this is dropped, or earlier.
#[derive(Debug)]
pub struct Arrival {
    arrivals: Arrivals,
    number: u64,
}

impl Arrivals {
    /// Whether the calls of both are those of one connection.
    pub(crate) fn are_of_one_connection(&self, other: &Self) -> bool {
        self.0.same_channel(&other.0)
    }

    /// A call arrives.
    pub fn arrive(&self) -> Arrival {
        let mut number = 0;
        self.0.send_modify(|arrived| {
            arrived.last += 1;
            number = arrived.last;
            arrived.here.insert(number, Here::default());
        });
        Arrival { arrivals: self.clone(), number }
    }
}

impl Arrival {
    /// The calls of its connection.
    pub(crate) fn arrivals(&self) -> &Arrivals {
        &self.arrivals
    }

    /// States that the call only reads.
    #[must_use]
    pub fn reading(self) -> Self {
        self.change(|here| here.reads = true);
        self
    }

    /// States that the call touches no file of the project, so that those that work on files need not wait for it.
    pub(crate) fn leaves_files(&self) {
        self.change(|here| here.leaves_files = true);
    }

    fn change(&self, change: impl FnOnce(&mut Here)) {
        self.arrivals.0.send_modify(|arrived| {
            if let Some(here) = arrived.here.get_mut(&self.number) {
                change(here);
            }
        });
    }

    /// Waits until all calls that arrived before have left; one that only reads does not wait for others that only read.
    pub(crate) async fn turn(&self) {
        self.turn_among(|_| true).await;
    }

    /// The same for a call that works on files: it does not wait for those that touch none.
    pub(crate) async fn turn_for_files(&self) {
        self.turn_among(|other| !other.leaves_files).await;
    }

    async fn turn_among(&self, counts: impl Fn(&Here) -> bool) {
        let is_turn = |arrived: &Arrived| {
            let reads = arrived.here.get(&self.number).is_some_and(|here| here.reads);
            arrived.here.range(..self.number).filter(|(_, here)| counts(here)).all(|(_, here)| reads && here.reads)
        };
        // The sender lives as long as this does.
        let _ = self.arrivals.0.subscribe().wait_for(is_turn).await;
    }

    /// Lets the calls after it go on.
    pub(crate) fn leave(&self) {
        self.arrivals.0.send_if_modified(|arrived| arrived.here.remove(&self.number).is_some());
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn a_call_waits_for_exactly_those_that_came_before() {
        let arrivals = Arrivals::default();
        let [first, second, third] = [(); 3].map(|()| arrivals.arrive());
        assert!(first.turn().now_or_never().is_some());
        second.leave();
        assert!(third.turn().now_or_never().is_none());
        drop(first);
        assert!(third.turn().now_or_never().is_some());
        third.leave();
        assert!(third.turn().now_or_never().is_some());
    }

    #[test]
    fn work_on_files_does_not_wait_for_what_touches_none() {
        let arrivals = Arrivals::default();
        let [attaching, writing] = [(); 2].map(|()| arrivals.arrive());
        assert!(writing.turn_for_files().now_or_never().is_none());
        attaching.leaves_files();
        assert!(writing.turn_for_files().now_or_never().is_some());
        assert!(writing.turn().now_or_never().is_none());
    }

    #[test]
    fn calls_that_only_read_wait_for_those_that_write() {
        let arrivals = Arrivals::default();
        let [reading, also_reading] = [(); 2].map(|()| arrivals.arrive().reading());
        let writing = arrivals.arrive();
        let reading_later = arrivals.arrive().reading();
        assert!(also_reading.turn().now_or_never().is_some());
        assert!(writing.turn().now_or_never().is_none());
        drop((reading, also_reading));
        assert!(writing.turn().now_or_never().is_some());
        assert!(reading_later.turn().now_or_never().is_none());
        drop(writing);
        assert!(reading_later.turn().now_or_never().is_some());
    }
}
