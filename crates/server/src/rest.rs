//! The rest after calls, in which the server returns the memory that they needed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use lispwright_platform::{Here, System as _};

/// The time without the end of a call after which memory is returned. The next call has to ask for it again.
const QUIET: Duration = Duration::from_secs(1);

/// The calls so far, and whether somebody waits for the rest after them.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    calls: AtomicU64,
    is_awaited: AtomicBool,
}

impl Rest {
    /// A call is over.
    pub(crate) fn after_call(self: &Arc<Self>) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if self.is_awaited.swap(true, Ordering::Relaxed) {
            return;
        }
        let rest = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                let seen = rest.calls.load(Ordering::Relaxed);
                tokio::time::sleep(QUIET).await;
                if rest.calls.load(Ordering::Relaxed) == seen {
                    break;
                }
            }
            rest.is_awaited.store(false, Ordering::Relaxed);
            // Nobody waits for it.
            drop(tokio::task::spawn_blocking(Here::return_free_memory));
        });
    }
}
