//! The rest after calls, in which the server returns the memory that they needed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use lispwright_platform::{Here, System as _};
use tokio::time::Instant;

/// The time without the end of a call after which memory is returned. The next call has to ask for it again.
const QUIET: Duration = Duration::from_secs(1);

/// The time after which memory is returned although there was no such pause: many clients may leave none all day, and
/// the most that their calls ever needed at once would stay.
const RESTLESS: Duration = Duration::from_secs(10);

/// The calls so far, and whether somebody waits for the rest after them.
#[derive(Debug)]
pub(crate) struct Rest {
    calls: AtomicU64,
    is_awaited: AtomicBool,
    return_memory: fn(),
}

impl Default for Rest {
    fn default() -> Self {
        Self::new(Here::return_free_memory)
    }
}

impl Rest {
    fn new(return_memory: fn()) -> Self {
        Self { calls: AtomicU64::new(0), is_awaited: AtomicBool::new(false), return_memory }
    }

    /// A call is over.
    pub(crate) fn after_call(self: &Arc<Self>) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if self.is_awaited.swap(true, Ordering::Relaxed) {
            return;
        }
        let rest = Arc::clone(self);
        tokio::spawn(async move {
            let began = Instant::now();
            loop {
                let seen = rest.calls.load(Ordering::Relaxed);
                tokio::time::sleep(QUIET).await;
                if rest.calls.load(Ordering::Relaxed) == seen || began.elapsed() >= RESTLESS {
                    break;
                }
            }
            // The next call waits for the rest after it.
            rest.is_awaited.store(false, Ordering::Relaxed);
            // Nobody waits for it.
            drop(tokio::task::spawn_blocking(rest.return_memory));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls come every 100 milliseconds for so many seconds, and then none for a while.
    async fn let_call(rest: &Arc<Rest>, seconds: u64) {
        for _ in 0..seconds * 10 {
            rest.after_call();
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        tokio::time::sleep(3 * QUIET).await;
    }

    #[tokio::test(start_paused = true)]
    async fn memory_is_returned_in_a_pause_and_now_and_then_without_one() {
        static RETURNED: AtomicU64 = AtomicU64::new(0);
        let rest = Arc::new(Rest::new(|| {
            RETURNED.fetch_add(1, Ordering::SeqCst);
        }));
        let_call(&rest, 2).await;
        assert_eq!(RETURNED.swap(0, Ordering::SeqCst), 1);
        let_call(&rest, 55).await;
        assert_eq!(RETURNED.swap(0, Ordering::SeqCst), 6, "five times meanwhile, and afterwards");
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert_eq!(RETURNED.swap(0, Ordering::SeqCst), 0, "nothing was needed since");
    }
}
