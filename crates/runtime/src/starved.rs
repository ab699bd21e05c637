//! The time that a worker could use: on a busy machine a process waits for a processor longer than it runs, and a
//! worker must not count as unresponsive because others ran.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use lispwright_platform::{Here, System as _};

/// A clock for one process that stops while the process waits for a processor.
///
/// The wait of the thread that waited longest counts: other threads may wait for its locks. Where the system does not
/// count waits, this is an ordinary clock.
pub(crate) struct OwnTime {
    began: Instant,
    pid: Option<i32>,
    waited_before: HashMap<i32, u64>,
}

impl OwnTime {
    /// Starts the clock of the process `pid`; without one it is an ordinary clock.
    pub(crate) fn of(pid: Option<i32>) -> Self {
        let waited_before = pid.map(Here::waits).unwrap_or_default();
        Self { began: Instant::now(), pid, waited_before }
    }

    /// The time of an ordinary clock.
    pub(crate) fn passed(&self) -> Duration {
        self.began.elapsed()
    }

    /// The time that the process could use.
    pub(crate) fn used(&self) -> Duration {
        let now = self.pid.map(Here::waits).unwrap_or_default();
        self.passed().saturating_sub(longest_wait(&self.waited_before, &now))
    }
}

/// The longest wait of any thread between two measurements; a new thread has waited since its start.
fn longest_wait(before: &HashMap<i32, u64>, now: &HashMap<i32, u64>) -> Duration {
    let since =
        now.iter().map(|(thread, waited)| waited.saturating_sub(before.get(thread).copied().unwrap_or_default()));
    Duration::from_nanos(since.max().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{OwnTime, longest_wait};

    #[test]
    fn the_longest_wait_of_a_thread_counts() {
        let wait = |before: &[(i32, u64)], now: &[(i32, u64)]| {
            longest_wait(&before.iter().copied().collect(), &now.iter().copied().collect())
        };
        assert_eq!(wait(&[(1, 500), (2, 900)], &[(1, 800), (2, 1000)]), Duration::from_nanos(300));
        assert_eq!(wait(&[(1, 500)], &[(1, 500), (7, 40)]), Duration::from_nanos(40));
        assert_eq!(wait(&[(1, 500)], &[]), Duration::ZERO);
    }

    #[test]
    fn without_a_process_it_is_an_ordinary_clock() {
        for clock in [OwnTime::of(None), OwnTime::of(Some(i32::MAX))] {
            let before = clock.passed();
            assert!(clock.used() >= before);
        }
    }
}
