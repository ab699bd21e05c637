//! `load_system`: load a file, module or system into a live image and say what its compiler has to say.

use std::time::Duration;

use lispwright_runtime::{Diagnostic, Ending, EvalReport, Request};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::answer::Reply;
use crate::aside::Aside;
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::repl_eval::{ask, seconds_or};
use crate::repl_report::notes;
use crate::repl_work::{
    Work, count_text, diagnostics_fields, diagnostics_of, diagnostics_text, other_ending, printed_text, reset_text,
    told_error_text,
};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// How long loading may take when nothing else is asked for.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Arguments of `load_system`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadSystem {
    /// ASDF system or module; or give path
    #[serde(default)]
    pub system: Option<String>,
    /// File
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

/// Loads, and answers with located diagnostics. Cancelling the context interrupts it.
pub async fn load_system(workshop: &Workshop, args: LoadSystem, context: &CallContext) -> Reply {
    match load(workshop, args, context).await {
        Ok((work, report)) => outcome(workshop, &work, &report).into(),
        Err(refusal) => Err(refusal),
    }
}

async fn load(workshop: &Workshop, args: LoadSystem, context: &CallContext) -> Result<(Work, EvalReport), Refusal> {
    let timeout = seconds_or(args.timeout_seconds, TIMEOUT)?;
    let (system, path) = (args.system.as_deref(), args.path.as_deref());
    let work = Work::find(workshop, "load_system", system, path, args.session.as_deref(), args.runtime.as_deref())?;
    let request = Request::Load {
        target: work.target.clone(),
        project: work.project.clone(),
        force: args.force.unwrap_or(true),
        clear: args.clear_fasls.unwrap_or(false),
        timeout,
    };
    let report = ask(&workshop.sessions, &work.session, request, context).await?;
    Ok((work, report))
}

fn outcome(workshop: &Workshop, work: &Work, report: &EvalReport) -> Outcome {
    let diagnostics = diagnostics_of(workshop, report);
    let status = match &report.ending {
        Ending::Loaded { unchanged: true } => "unchanged",
        Ending::Loaded { unchanged: false } => "loaded",
        _ => "failed",
    };
    let mut outcome = other_ending(report).unwrap_or_else(|| loaded(workshop, work, report, &diagnostics, status));
    let fields = &mut outcome.fields;
    fields.insert("system".into(), work.name.clone().into());
    fields.insert("session".into(), report.session.clone().into());
    fields.insert("status".into(), status.into());
    fields.insert("duration_ms".into(), (report.duration.as_secs_f64() * 1000.0).into());
    fields.insert("warnings".into(), diagnostics.iter().filter(|one| one.severity.ends_with("warning")).count().into());
    fields.insert("diagnostics".into(), diagnostics_fields(&diagnostics, workshop.roots.primary()));
    outcome
}

fn loaded(workshop: &Workshop, work: &Work, report: &EvalReport, diagnostics: &[Diagnostic], status: &str) -> Outcome {
    let milliseconds = report.duration.as_secs_f64() * 1000.0;
    let counted = count_text(diagnostics);
    let with = if counted.is_empty() { String::new() } else { format!(", {counted}") };
    let headline = match &report.ending {
        Ending::Loaded { unchanged: true } => {
            format!("{} has not changed since it was loaded; nothing was done.", work.name)
        }
        Ending::Loaded { .. } => {
            format!("Loaded {} into session {:?} in {milliseconds:.0} ms{with}.", work.name, report.session)
        }
        _ => format!("[ERROR] LISP_ERROR\n{} did not load{with}.", work.name),
    };
    let mut text = format!("{headline}\n{}", diagnostics_text(diagnostics, workshop.roots.primary()));
    if let Ending::Error { error, .. } = &report.ending
        && !error.frames.is_empty()
    {
        text.push_str(&told_error_text(error, diagnostics));
    }
    text.push_str(&reset_text(report));
    text.push_str(&printed_text(report));
    text.push_str(&notes(&Aside::from(report)));
    let mut fields = Map::new();
    fields.insert("message".into(), Value::from(headline.trim_start_matches("[ERROR] LISP_ERROR\n")));
    if status == "failed" {
        fields.insert("code".into(), "LISP_ERROR".into());
        fields.insert("retryable".into(), false.into());
    }
    Outcome { text: text.trim_end().to_owned(), fields, is_error: status == "failed" }
}
