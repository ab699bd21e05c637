//! The connections of the network transports, which are bounded.
//!
//! A connection that has not shown the token costs its peer nothing, so these have a bound of their own: when there is
//! one more, the oldest of them is given a moment to show it, and goes. A client that has shown the token keeps its place.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// All connections.
#[derive(Debug)]
pub(crate) struct Guests {
    most: usize,
    most_newcomers: usize,
    present: Mutex<Present>,
}

#[derive(Debug, Default)]
struct Present {
    last: u64,
    count: usize,
    /// Those that have not shown the token, the oldest first.
    newcomers: VecDeque<(u64, CancellationToken)>,
}

/// One connection; it leaves when this is dropped.
#[derive(Debug)]
pub(crate) struct Guest {
    guests: Arc<Guests>,
    number: u64,
    is_inside: AtomicBool,
    /// Cancelled when the connection has to end, if it does not show the token soon.
    pub(crate) leave: CancellationToken,
}

impl Guests {
    pub(crate) fn new(most: usize, most_newcomers: usize) -> Self {
        Self { most, most_newcomers: most_newcomers.max(1), present: Mutex::default() }
    }

    /// A connection comes. `None` when there are too many.
    pub(crate) fn enter(self: &Arc<Self>) -> Option<Guest> {
        let mut present = self.present();
        if present.count >= self.most {
            return None;
        }
        if present.newcomers.len() >= self.most_newcomers
            && let Some((_, leave)) = present.newcomers.pop_front()
        {
            leave.cancel();
        }
        present.count += 1;
        present.last += 1;
        let (number, leave) = (present.last, CancellationToken::new());
        present.newcomers.push_back((number, leave.clone()));
        drop(present);
        Some(Guest { guests: self.clone(), number, is_inside: AtomicBool::new(false), leave })
    }

    fn present(&self) -> MutexGuard<'_, Present> {
        // The counts are right after each call above, so a panic elsewhere does not spoil them.
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Guest {
    /// The connection has shown the token.
    pub(crate) fn is_inside(&self) -> bool {
        self.is_inside.load(Ordering::Relaxed)
    }

    /// States that the connection has shown the token.
    pub(crate) fn admit(&self) {
        self.is_inside.store(true, Ordering::Relaxed);
        self.guests.present().newcomers.retain(|(number, _)| *number != self.number);
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.admit();
        self.guests.present().count -= 1;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_oldest_newcomer_goes_and_admitted_ones_stay() {
        let guests = Arc::new(Guests::new(10, 2));
        let [admitted, idle, other] = [(); 3].map(|()| {
            let guest = guests.enter().unwrap();
            if guest.number == 1 {
                guest.admit();
            }
            guest
        });
        let newest = guests.enter().unwrap();
        let leaves = [&admitted, &idle, &other, &newest].map(|guest| guest.leave.is_cancelled());
        assert_eq!(leaves, [false, true, false, false]);
    }

    #[test]
    fn there_is_a_bound_on_all() {
        let guests = Arc::new(Guests::new(2, 5));
        let (first, second) = (guests.enter().unwrap(), guests.enter().unwrap());
        first.admit();
        assert!(guests.enter().is_none());
        drop(first);
        let third = guests.enter().unwrap();
        assert!(guests.enter().is_none());
        drop((second, third));
        assert_eq!(guests.present().count, 0);
        assert!(guests.present().newcomers.is_empty());
    }
}
