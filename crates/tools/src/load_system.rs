//! `load_system`: loads a file, module or system into a live image and reports the diagnostics of its compiler.

use std::time::Duration;

use lispwright_runtime::{Ending, EvalReport, LoadTarget, Project, Request};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::changes::ImageChanges;
use crate::eval_answer::EvalAnswer;
use crate::live_fault::LiveFault;
use crate::main_system::load_candidates;
use crate::refusal::Refusal;
use crate::repl_eval::time_limit_or;
use crate::repl_work::{DiagnosticFacts, Done, Work, WorkFailure, diagnostics_of, leave_out_loaders, other_ending};
use crate::tool::CallContext;
use crate::unbound::Unbound;
use crate::workshop::Workshop;

/// The default time limit of a load.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Arguments of `load_system`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadSystem {
    /// System or module
    #[serde(default)]
    pub system: Option<String>,
    /// Path
    #[serde(default)]
    pub path: Option<String>,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
    /// False: only changes
    #[serde(default)]
    pub force: Option<bool>,
    /// Recompile
    #[serde(default)]
    pub clear_fasls: Option<bool>,
    /// Default 120
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
}

/// The result of a load.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LoadAnswer {
    /// The ending of the call, if it is neither the load nor an error in it.
    #[serde(flatten)]
    #[schemars(skip)]
    pub otherwise: Option<EvalAnswer>,
    /// The system or path of the call.
    pub system: String,
    /// The session.
    pub session: String,
    /// The status of the load.
    pub status: LoadStatus,
    /// The code asked for the end of the process, as a script does, with this exit code: the rest of it was not evaluated.
    /// The image goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Its duration.
    pub duration_ms: f64,
    /// The number of warnings.
    pub warnings: usize,
    /// Diagnostics of the compiler and the loader.
    pub diagnostics: Vec<DiagnosticFacts>,
    /// The failure.
    #[serde(flatten)]
    pub failure: WorkFailure,
    /// What it has changed in the image besides.
    #[serde(skip_serializing_if = "ImageChanges::is_empty")]
    pub changes: ImageChanges,
    /// The names that it says are not bound, with what the files know of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unbound: Vec<Unbound>,
    /// The full answer of the image.
    #[serde(skip)]
    pub report: EvalReport,
}

/// The status of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadStatus {
    /// It is loaded.
    Loaded,
    /// It was loaded before and has not changed.
    Unchanged,
    /// It is not loaded, or only in part.
    Failed,
}

impl LoadAnswer {
    /// It is not loaded.
    pub fn is_error(&self) -> bool {
        self.status == LoadStatus::Failed
    }
}

/// Loads, and answers with located diagnostics. Cancelling the context interrupts it.
pub async fn load_system(workshop: &Workshop, args: LoadSystem, context: &CallContext) -> Result<LoadAnswer, Refusal> {
    let timeout = time_limit_or(args.timeout_seconds, TIMEOUT)?;
    let (mut system, mut path) = (args.system, args.path);
    if system.is_none() && path.is_none() {
        let candidates = load_candidates(workshop, context).await?;
        match &candidates[..] {
            [one] => (system, path) = one.arguments(),
            _ => return Err(LiveFault::NothingToLoad { candidates }.into()),
        }
    }
    let (system, path) = (system.as_deref(), path.as_deref());
    let work = Work::find(workshop, "load_system", system, path, args.session.as_deref(), args.runtime.as_deref())?;
    let (force, clear) = (args.force.unwrap_or(true), args.clear_fasls.unwrap_or(false));
    if args.force == Some(true) || clear {
        workshop.told.forget(&work.session);
    }
    let request = |target, project| Request::Load { target, project, force, clear, in_system: false, timeout };
    let name = work.name.clone();
    answer(workshop, name, work.done(workshop, request, context).await?)
}

/// The request to load a target: even if it has not changed, or with the systems that contain it.
pub(crate) fn request(force: bool, in_system: bool) -> impl Fn(LoadTarget, Project) -> Request {
    move |target, project| Request::Load { target, project, force, clear: false, in_system, timeout: TIMEOUT.into() }
}

/// The answer to a load that is called `name`.
pub(crate) fn answer(workshop: &Workshop, name: String, done: Done) -> Result<LoadAnswer, Refusal> {
    let Done { mut report, changes, unbound, .. } = done;
    let otherwise = other_ending(&report)?;
    let diagnostics = diagnostics_of(workshop, &report);
    leave_out_loaders(&mut report, &diagnostics);
    let exit_code = match report.ending {
        Ending::Loaded { exit, .. } => exit,
        _ => None,
    };
    let has_failed = matches!(report.ending, Ending::Error { .. }) || exit_code.is_some_and(|code| code != 0);
    let code = has_failed.then_some("LISP_ERROR");
    let systems = &report.renewed.systems;
    Ok(LoadAnswer {
        // A file is loaded with its systems.
        system: if systems.is_empty() { name } else { systems.join(", ") },
        session: report.session.clone(),
        status: match report.ending {
            _ if has_failed => LoadStatus::Failed,
            Ending::Loaded { unchanged: true, .. } => LoadStatus::Unchanged,
            Ending::Loaded { unchanged: false, .. } => LoadStatus::Loaded,
            _ => LoadStatus::Failed,
        },
        exit_code,
        duration_ms: report.duration.as_secs_f64() * 1000.0,
        warnings: diagnostics.iter().filter(|one| one.severity.ends_with("warning")).count(),
        diagnostics,
        failure: WorkFailure::new(code, &report, otherwise.as_ref()),
        changes,
        unbound,
        otherwise,
        report,
    })
}
