//! Watching images while no call runs: images that nobody has used for long are ended, so that an unused server frees
//! its memory, and so are images that exceed their limits through a thread or a process that still runs.
//!
//! The time of a call does not count as idle. The time in which an error is held does, because nothing runs then.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio_util::task::AbortOnDropHandle;

use crate::session::Session;

/// Watches `session` until its image has been idle for `limit` and is ended, or until the handle is dropped.
pub(crate) fn watch(session: &Arc<Session>, limit: Duration) -> AbortOnDropHandle<()> {
    let session = Arc::downgrade(session);
    AbortOnDropHandle::new(tokio::spawn(async move {
        let mut wait = limit;
        loop {
            tokio::time::sleep(wait).await;
            match step(&session, limit).await {
                Some(next) => wait = next,
                None => return,
            }
        }
    }))
}

/// The interval between two measurements of an idle image.
const LOOK: Duration = Duration::from_secs(1);

/// The number of measurements for each one that searches the whole process table.
const LOOKS_TO_A_SWEEP: u32 = 10;

/// Watches the memory and processes of the image of `session` while no call runs, until the handle is dropped.
pub(crate) fn watch_excess(session: &Arc<Session>) -> AbortOnDropHandle<()> {
    let session = Arc::downgrade(session);
    AbortOnDropHandle::new(tokio::spawn(async move {
        for look in 1_u32.. {
            tokio::time::sleep(LOOK).await;
            let Some(session) = session.upgrade() else { return };
            let Some(watch) = session.idle_watch() else { continue };
            let sweep = look.is_multiple_of(LOOKS_TO_A_SWEEP);
            if watch.glance(None, sweep).await.is_some() {
                session.end_excess().await;
            }
        }
    }))
}

/// Ends the image if its time has come. Returns the time until the next step, if there is one.
async fn step(session: &Weak<Session>, limit: Duration) -> Option<Duration> {
    let session = session.upgrade()?;
    let idle = session.idle_for();
    if idle < limit {
        return Some(limit - idle);
    }
    let slot = session.free_now();
    let Some(mut slot) = slot else { return Some(limit) };
    // A call may have run in between.
    let idle = session.idle_for();
    if idle < limit {
        return Some(limit - idle);
    }
    if slot.end_ours().await {
        session.ended_idle(idle);
    }
    session.unwatched();
    None
}
