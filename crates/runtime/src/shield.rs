//! What the server does so that those who share its user do not stop it or look into it.

use lispwright_platform::{Here, System as _};
use tokio::signal::unix::{SignalKind, signal};

/// Keeps a limit on the size of files from ending this process, so that a write past it fails instead, and keeps processes of
/// the same user from reading its memory and its environment, of which images are told only a part. Its children are
/// not concerned. Inside of an event loop.
pub fn shield() {
    // Ignored, it would be ignored by every image too. Without it a write over the limit would be the end.
    let limited = signal(SignalKind::from_raw(libc::SIGXFSZ));
    if let (Err(error), _) | (_, Err(error)) = (limited.map(drop), Here::hide()) {
        tracing::warn!(%error, "the server cannot shield itself");
    }
}
