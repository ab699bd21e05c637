//! The order in which calls came, where some have to look at files before they can ask an image.
//!
//! A call that may change something arrives, and leaves once it stands in the queue of its session or is over. Whoever waits
//! for its turn comes behind all that arrived before: an evaluation behind the load that was sent with it, and behind the
//! edit of the file that it loads.

use std::collections::BTreeSet;

use tokio::sync::watch;

/// The calls of one connection that have arrived and not left. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Arrivals(watch::Sender<Arrived>);

#[derive(Debug, Default)]
struct Arrived {
    last: u64,
    here: BTreeSet<u64>,
}

/// One call among them. It leaves when this is dropped, if not before.
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
    /// Waits until all that arrived before have left.
    pub(crate) async fn turn(&self) {
        let is_first = |arrived: &Arrived| arrived.here.first().is_none_or(|first| *first >= self.number);
        // The sender lives as long as this does.
        let _ = self.arrivals.0.subscribe().wait_for(is_first).await;
    }

    /// Lets those behind it go on.
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
    fn a_call_waits_for_all_that_came_before_and_for_nothing_else() {
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
