//! The time that a worker could use: on a busy machine a process waits for a processor longer than it runs, and a
//! worker must not count as unresponsive because others ran.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use lispwright_platform::{Here, System as _, ThreadTurns};

/// A clock for one process that stops while the process waits for a processor.
///
/// The wait of the thread that waited longest counts: other threads may wait for its locks. Where the system does not
/// count waits, this is an ordinary clock.
pub(crate) struct OwnTime {
    began: Instant,
    pid: Option<i32>,
    waits: Waits,
}

impl OwnTime {
    /// Starts the clock of the process `pid`; without one it is an ordinary clock.
    pub(crate) fn of(pid: Option<i32>) -> Self {
        let began = Instant::now();
        let mut waits = Waits { before: pid.map(Here::turns).unwrap_or_default(), pending: HashMap::new() };
        waits.longest(&waits.before.clone(), began);
        Self { began, pid, waits }
    }

    /// The time of an ordinary clock.
    pub(crate) fn passed(&self) -> Duration {
        self.began.elapsed()
    }

    /// The time that the process could use. A wait that goes on counts from the first reading of the clock in it.
    pub(crate) fn used(&mut self) -> Duration {
        let turns = self.pid.map(Here::turns).unwrap_or_default();
        let passed = self.passed();
        passed.saturating_sub(self.waits.longest(&turns, self.began + passed))
    }
}

/// The waits of the threads of a process.
struct Waits {
    /// The turns at the start.
    before: HashMap<i32, ThreadTurns>,
    /// The threads that had no turn between two measurements: what they had run, and when that was first measured. The
    /// system counts a wait only when it ends, and on a busy machine one may take seconds.
    pending: HashMap<i32, (u64, Instant)>,
}

impl Waits {
    /// The longest wait of any thread since the start; a new thread has waited since its own start.
    fn longest(&mut self, turns: &HashMap<i32, ThreadTurns>, now: Instant) -> Duration {
        self.pending
            .retain(|thread, (ran, _)| turns.get(thread).is_some_and(|turns| turns.is_runnable && turns.ran == *ran));
        let waits = turns.iter().map(|(thread, turns)| {
            let before = self.before.get(thread).map(|before| before.waited).unwrap_or_default();
            let counted = Duration::from_nanos(turns.waited.saturating_sub(before));
            if !turns.is_runnable {
                return counted;
            }
            let (_, since) = self.pending.entry(*thread).or_insert((turns.ran, now));
            counted + now.saturating_duration_since(*since)
        });
        waits.max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::time::{Duration, Instant};

    use super::{OwnTime, ThreadTurns, Waits};

    fn asleep(waited: u64) -> ThreadTurns {
        ThreadTurns { ran: 1, waited, is_runnable: false }
    }

    #[test]
    fn the_longest_wait_of_a_thread_counts() {
        let wait = |before: &[(i32, u64)], now: &[(i32, u64)]| {
            let all = |waits: &[(i32, u64)]| waits.iter().map(|(thread, waited)| (*thread, asleep(*waited))).collect();
            Waits { before: all(before), pending: HashMap::new() }.longest(&all(now), Instant::now())
        };
        assert_eq!(wait(&[(1, 500), (2, 900)], &[(1, 800), (2, 1000)]), Duration::from_nanos(300));
        assert_eq!(wait(&[(1, 500)], &[(1, 500), (7, 40)]), Duration::from_nanos(40));
        assert_eq!(wait(&[(1, 500)], &[]), Duration::ZERO);
    }

    #[test]
    fn a_wait_counts_while_it_goes_on() {
        let start = Instant::now();
        let second = |number| Duration::from_secs(number);
        let mut waits = Waits { before: HashMap::from([(1, asleep(0))]), pending: HashMap::new() };
        let mut longest = |at, ran, waited, is_runnable| {
            let turns = HashMap::from([(1, ThreadTurns { ran, waited, is_runnable })]);
            waits.longest(&turns, start + second(at))
        };
        let nanoseconds = 1_000_000_000;
        assert_eq!(longest(1, 10, 0, true), second(0));
        assert_eq!(longest(3, 10, 0, true), second(2));
        // It had its turn, so that the system has counted the wait.
        assert_eq!(longest(4, 11, 3 * nanoseconds, true), second(3));
        assert_eq!(longest(5, 12, 3 * nanoseconds, true), second(3));
        assert_eq!(longest(7, 12, 3 * nanoseconds, true), second(5));
        // Asleep, it waits for no processor.
        assert_eq!(longest(9, 13, 5 * nanoseconds, false), second(5));
    }

    #[test]
    fn without_a_process_it_is_an_ordinary_clock() {
        for mut clock in [OwnTime::of(None), OwnTime::of(Some(i32::MAX))] {
            let before = clock.passed();
            assert!(clock.used() >= before);
        }
    }
}
