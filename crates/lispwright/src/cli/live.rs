//! Commands that need a live image: threads to wait in, a workshop, and an orderly end.

use std::future::Future;
use std::path::PathBuf;

use lispwright_tools::{Transcript, Workshop};

/// Runs `work` on a workshop for `roots`, which writes evaluations down in `transcript`; every image it started has
/// ended afterwards.
pub(crate) fn with_workshop<T, F: Future<Output = T>>(
    roots: &[PathBuf],
    transcript: Option<Transcript>,
    work: impl FnOnce(Workshop) -> F,
) -> Result<T, String> {
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| format!("threads cannot be started: {error}"))?;
    let inside = threads.enter();
    let workshop = Workshop::open(roots).map_err(|error| error.to_string())?.with_transcript(transcript);
    let result = threads.block_on(async {
        let result = work(workshop.clone()).await;
        workshop.sessions.shutdown().await;
        result
    });
    if let Some(transcript) = &workshop.transcript {
        transcript.finish();
    }
    drop(inside);
    threads.shutdown_background();
    Ok(result)
}
