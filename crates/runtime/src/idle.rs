//! Watching images while no call runs: those that nobody has used for long are ended, so that a server that is left alone
//! gives its memory back, and so are those that take more than they may, by a thread or a process that was left running.
//!
//! Time in which a call runs does not count; time in which an error is held does, for then nothing runs.

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

/// From one look at what an idle image takes to the next.
const LOOK: Duration = Duration::from_secs(1);

/// So many looks for one that searches the whole process table.
const LOOKS_TO_A_SWEEP: u32 = 10;

/// Watches what the image of `session` takes while no call runs, until the handle is dropped.
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

/// Ends the image if its time has come; how long to wait for the next look, if there has to be one.
async fn step(session: &Weak<Session>, limit: Duration) -> Option<Duration> {
    let session = session.upgrade()?;
    let idle = session.idle_for();
    if idle < limit {
        return Some(limit - idle);
    }
    let slot = session.free_now();
    let Some(mut slot) = slot else { return Some(limit) };
    // A call may have come and gone in between.
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
