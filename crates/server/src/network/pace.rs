//! Keeps a client from asking faster than others can be served.

use std::time::{Duration, Instant};

/// The rate of one client. Requests above it are delayed, not refused (the generic cell rate algorithm).
#[derive(Debug)]
pub(crate) struct Pace {
    /// The time that a request takes of the rate.
    each: Duration,
    /// The time by which requests may be early.
    burst: Duration,
    /// The time when the next request would come at the full rate.
    due: Instant,
}

impl Pace {
    /// A rate of so many requests a second, and `burst` of them at once.
    pub(crate) fn new(per_second: u32, burst: u32) -> Self {
        let each = Duration::from_secs(1) / per_second.max(1);
        Self { each, burst: each * burst, due: Instant::now() }
    }

    /// Counts a request that comes `now`. Returns the time that it has to wait.
    pub(crate) fn count(&mut self, now: Instant) -> Duration {
        self.due = self.due.max(now) + self.each;
        self.due.saturating_duration_since(now).saturating_sub(self.burst)
    }

    /// Counts a request, and waits as long as it has to.
    pub(crate) async fn keep(&mut self) {
        let wait = self.count(Instant::now());
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_served_at_once_and_the_rest_at_the_rate() {
        let mut pace = Pace::new(10, 3);
        let now = pace.due;
        for _ in 0..3 {
            assert_eq!(pace.count(now), Duration::ZERO);
        }
        assert_eq!(pace.count(now), Duration::from_millis(100));
        assert_eq!(pace.count(now), Duration::from_millis(200));
        // After a pause all of the burst is there again, and no more.
        let later = now + Duration::from_secs(60);
        let waits: Vec<Duration> = (0..4).map(|_| pace.count(later)).collect();
        assert_eq!(waits, [0, 0, 0, 100].map(Duration::from_millis));
    }
}
