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
    /// Whether each call only reads.
    here: BTreeMap<u64, bool>,
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
            arrived.here.insert(number, false);
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
        self.arrivals.0.send_modify(|arrived| {
            arrived.here.insert(self.number, true);
        });
        self
    }

    /// Waits until all calls that arrived before have left; one that only reads does not wait for others that only read.
    pub(crate) async fn turn(&self) {
        let is_turn = |arrived: &Arrived| {
            let reads = arrived.here.get(&self.number) == Some(&true);
            arrived.here.range(..self.number).all(|(_, also_reads)| reads && *also_reads)
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
