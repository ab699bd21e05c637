//! Commands that wait: the event loop, and for commands with a live image a workshop and its orderly end.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use lispwright_platform::{Here, System as _};
use lispwright_runtime::Config;
use lispwright_tools::{Observer, Workshop};
use lispwright_words::Transcript;
use tokio::runtime::{Builder, Runtime};

use super::complaint::Complaint;
use super::kept;
use super::surroundings::Surroundings;

/// The event loop of a command. One thread reads, answers and talks to the images, so that no step waits until another
/// thread wakes; long work, such as that on files, has threads of its own.
pub(crate) fn event_loop() -> Result<Runtime, Complaint> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Complaint::new("INTERNAL", format_args!("the event loop cannot be started: {error}")))
}

/// The program that keeps images, which is this one.
pub(crate) fn keeper() -> Option<PathBuf> {
    Here::this_program()
}

/// The workshop of a command, which keeps what it writes as one change.
fn furnished(workshop: Workshop) -> Workshop {
    workshop.keeping(kept::changes()).for_one(&kept::command())
}

/// Runs `work` on the files below `roots`, else on those of the project, without images.
pub(crate) fn on_files<T, F: Future<Output = T>>(
    roots: &[PathBuf],
    work: impl FnOnce(Workshop) -> F,
) -> Result<T, Complaint> {
    let here = Surroundings::new(roots);
    here.tell();
    Ok(event_loop()?.block_on(work(furnished(Workshop::open(here.roots())?))))
}

/// Runs `work` on a workshop for `roots` with `transcript` as its observer, and ends every image that it started.
pub(crate) fn with_workshop<T, F: Future<Output = T>>(
    roots: &[PathBuf],
    transcript: Option<Transcript>,
    work: impl FnOnce(Workshop) -> F,
) -> Result<T, Complaint> {
    let event_loop = event_loop()?;
    let inside = event_loop.enter();
    lispwright_runtime::shield();
    let workshop = Workshop::open_with(roots, |config| Config { keeper: keeper(), ..config })?;
    let workshop =
        furnished(workshop).watched_by(transcript.clone().map(|transcript| Arc::new(transcript) as Arc<dyn Observer>));
    let result = event_loop.block_on(async {
        let result = work(workshop.clone()).await;
        workshop.sessions.shutdown().await;
        result
    });
    if let Some(transcript) = &transcript {
        transcript.finish();
    }
    drop(inside);
    event_loop.shutdown_background();
    Ok(result)
}
