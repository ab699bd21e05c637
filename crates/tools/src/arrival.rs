//! The order in which calls came, although some look at files before they ask an image.
//!
//! A call that may change something arrives, and leaves when it is in the queue of its session or is over. A call that
//! waits for its turn comes after all that arrived before it: an evaluation after the load that was sent with it, and
//! the load after the edit of its file.

use std::collections::BTreeSet;

use tokio::sync::watch;

/// The calls of one connection that have arrived and not left. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Arrivals(watch::Sender<Arrived>);

#[derive(Debug, Default)]
struct Arrived {
    last: u64,
    here: BTreeSet<u64>,
}

/// One of these calls. It leaves when this is dropped, or earlier.
#[derive(Debug)]
pub struct Arrival {
    arrivals: Arrivals,
    number: u64,
}

impl Arrivals {
    /// A call arrives.
    pub fn arrive(&self) -> Arrival {
        let mut number = 0;
        self.0.send_modify(|arrived| {
            arrived.last += 1;
            number = arrived.last;
            arrived.here.insert(number);
        });
        Arrival { arrivals: self.clone(), number }
    }
}

impl Arrival {
    /// Waits until all calls that arrived before have left.
    pub(crate) async fn turn(&self) {
        let is_first = |arrived: &Arrived| arrived.here.first().is_none_or(|first| *first >= self.number);
        // The sender lives as long as this does.
        let _ = self.arrivals.0.subscribe().wait_for(is_first).await;
    }

    /// Lets the calls after it go on.
    pub(crate) fn leave(&self) {
        self.arrivals.0.send_if_modified(|arrived| arrived.here.remove(&self.number));
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
}
