//! Protects the server from processes of the same user that could stop it or read its memory.

use lispwright_platform::{Here, System as _};
use tokio::signal::unix::{SignalKind, signal};

/// Keeps a limit on the size of files from ending this process, so that a write beyond it fails instead, and keeps
/// processes of the same user from reading its memory and its environment, of which images get only a part. Its
/// children are not affected. Must be called inside of an event loop.
pub fn shield() {
    // A handler, because an ignored signal would be ignored by every image too.
    let limited = signal(SignalKind::from_raw(libc::SIGXFSZ));
    if let (Err(error), _) | (_, Err(error)) = (limited.map(drop), Here::hide()) {
        tracing::warn!(%error, "the server cannot shield itself");
    }
}
