//! `repl_control` with `drift`: how the image of a session differs from the files.

use lispwright_runtime::{ListLoaded, Request};
use schemars::JsonSchema;
use serde::Serialize;

use crate::by_hand::ByHand;
use crate::refusal::Refusal;
use crate::renewal::{Beside, beside};
use crate::repl_eval::visit;
use crate::repl_work::{project, relative};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// The differences between an image and the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DriftAnswer {
    /// The session.
    pub session: String,
    /// Its runtime.
    pub runtime: &'static str,
    /// It has an image.
    pub has_image: bool,
    /// The files of the project that the image has loaded.
    pub loaded: usize,
    /// Those that have changed since.
    pub changed: Vec<String>,
    /// Those that are not there any more.
    pub gone: Vec<String>,
    /// Those that were made with what has changed: macros, accessors, constants, imports.
    pub stale: Vec<String>,
    /// Variables whose value is not that of their definition.
    pub values: Vec<String>,
    /// Definitions by hand that no file has, or has in other words.
    pub by_hand: Vec<ByHand>,
}

impl DriftAnswer {
    /// The image has what the files have, as far as it is known.
    pub fn is_none(&self) -> bool {
        let Self { changed, gone, stale, values, by_hand, .. } = self;
        changed.is_empty() && gone.is_empty() && stale.is_empty() && values.is_empty() && by_hand.is_empty()
    }
}

/// Compares the image of `session` with the files. It changes nothing.
pub(crate) async fn drift(workshop: &Workshop, session: &str, context: &CallContext) -> Result<DriftAnswer, Refusal> {
    let runtime = workshop.sessions.runtime_of(session).name;
    let project = project(workshop);
    let request = Request::LoadedFiles(ListLoaded { project: project.clone() });
    let mut visit = visit(&workshop.sessions, session, &request, context).await?;
    let has_image = visit.has_image();
    let Beside { loaded, changed, gone, stale, values, by_hand } =
        beside(workshop, &mut visit, &project, context).await?;
    let root = workshop.roots.primary();
    let named = |paths: Vec<String>| paths.iter().map(|path| relative(path, root)).collect();
    Ok(DriftAnswer {
        session: session.to_owned(),
        runtime,
        has_image,
        loaded,
        changed: named(changed),
        gone: named(gone),
        stale: named(stale),
        values,
        by_hand,
    })
}
