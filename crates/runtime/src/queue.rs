//! The calls of a session in the order in which they came: the first one has its turn, the others wait until it leaves.
//!
//! A caller that ends the session's image removes all calls, so that none runs in another image than its own.

use std::collections::VecDeque;
use std::time::Instant;

use tokio::sync::watch;

/// Calls that may wait for one session.
pub(crate) const MOST_WAITING: usize = 64;

/// The calls of one session. Clones are the same queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue(watch::Sender<Calls>);

#[derive(Debug, Default)]
struct Calls {
    /// The number of the last call.
    last: u64,
    /// The call that has its turn, then the waiting ones.
    line: VecDeque<Queued>,
}

/// A call in the queue.
#[derive(Clone, Debug)]
pub(crate) struct Queued {
    /// Greater than those of earlier calls.
    pub(crate) number: u64,
    /// A short description of the call.
    pub(crate) what: String,
    pub(crate) came: Instant,
}

/// A call's place in its queue. Dropping it leaves the queue.
#[derive(Debug)]
pub(crate) struct CurrentForm {
    queue: Queue,
    pub(crate) number: u64,
}

impl Queue {
    /// A new place at the end; `None` when too many wait already.
    pub(crate) fn join(&self, what: String) -> Option<CurrentForm> {
        let mut joined = None;
        self.0.send_modify(|calls| {
            if calls.line.len() <= MOST_WAITING {
                calls.last += 1;
                calls.line.push_back(Queued { number: calls.last, what, came: Instant::now() });
                joined = Some(calls.last);
            }
        });
        joined.map(|number| CurrentForm { queue: self.clone(), number })
    }

    /// Removes every call: the waiting ones learn that their session was ended.
    pub(crate) fn clear(&self) {
        self.0.send_modify(|calls| calls.line.clear());
    }

    /// The call that has its turn, then the waiting ones.
    pub(crate) fn calls(&self) -> Vec<Queued> {
        self.0.borrow().line.iter().cloned().collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().line.is_empty()
    }
}

impl Calls {
    fn position(&self, number: u64) -> Option<usize> {
        self.line.iter().position(|call| call.number == number)
    }
}

impl CurrentForm {
    /// Waits for the turn; false when the call was removed instead.
    pub(crate) async fn reached(&self) -> bool {
        let mut calls = self.queue.0.subscribe();
        let comes = calls.wait_for(|calls| calls.position(self.number).is_none_or(|before| before == 0)).await;
        drop(comes);
        self.is_kept()
    }

    /// The call was not removed.
    pub(crate) fn is_kept(&self) -> bool {
        self.queue.0.borrow().position(self.number).is_some()
    }
}

impl Drop for CurrentForm {
    fn drop(&mut self) {
        self.queue.0.send_modify(|calls| calls.line.retain(|call| call.number != self.number));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::pin::pin;
    use std::task::Poll;

    use super::*;

    /// The result of polling `future` once.
    async fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        std::future::poll_fn(|context| match future.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }

    #[tokio::test]
    async fn calls_have_their_turns_in_the_order_in_which_they_came() {
        let queue = Queue::default();
        let [first, second, third] = ["a", "b", "c"].map(|what| queue.join(what.to_owned()).unwrap());
        assert_eq!(now(first.reached()).await, Some(true));
        assert_eq!(now(third.reached()).await, None);
        // A waiting call may leave.
        drop(second);
        assert_eq!(now(third.reached()).await, None);
        drop(first);
        assert_eq!(now(third.reached()).await, Some(true));
        assert_eq!(queue.calls().len(), 1);
        drop(third);
        assert!(queue.is_empty());
    }

    #[tokio::test]
    async fn removed_calls_learn_of_it_and_later_calls_do_not() {
        let queue = Queue::default();
        let [first, second] = ["a", "b"].map(|what| queue.join(what.to_owned()).unwrap());
        queue.clear();
        let later = queue.join("c".to_owned()).unwrap();
        assert_eq!(now(second.reached()).await, Some(false));
        assert_eq!(now(later.reached()).await, Some(true));
        drop((first, second));
        assert!(later.is_kept());
    }

    #[test]
    fn the_number_of_waiting_calls_is_limited() {
        let queue = Queue::default();
        let mut places: Vec<CurrentForm> = (0..=MOST_WAITING).map(|_| queue.join(String::new()).unwrap()).collect();
        assert!(queue.join(String::new()).is_none());
        places.remove(5);
        assert!(queue.join(String::new()).is_some());
    }
}
