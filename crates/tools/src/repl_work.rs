//! Shared parts of `load_system` and `run_tests`: the target, the session, and located diagnostics.

use std::path::Path;

use lispwright_edit::check_window;
use lispwright_index::Index;
use lispwright_runtime::{
    CompilerDiagnostic, Ending, EvalReport, Frame, LoadTarget, Project, Renewal, Request, Runtime, definition_files,
};
use lispwright_syntax::Dialect;
use schemars::JsonSchema;
use serde::Serialize;

use crate::changes::ImageChanges;
use crate::eval_answer::{EvalAnswer, output_limit};
use crate::fresh::{is_of_reading, may_load_elsewhere, renewed};
use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::renewal::prepare;
use crate::repl_eval::{Visiting, visit};
use crate::repl_session::open;
use crate::tool::CallContext;
use crate::unbound::{Unbound, lacking, unbound_in};
use crate::workshop::Workshop;

/// The target of a call, its session, and its name in the answer.
#[derive(Clone)]
pub(crate) struct Work {
    pub(crate) target: LoadTarget,
    pub(crate) session: String,
    /// The path or system of the call.
    pub(crate) name: String,
    /// The project, for the image.
    pub(crate) project: Project,
}

impl Work {
    /// Resolves the target. Without a session or runtime, the kind of the file or name decides which Lisp runs it.
    pub(crate) fn find(
        workshop: &Workshop,
        tool: &'static str,
        system: Option<&str>,
        path: Option<&str>,
        session: Option<&str>,
        runtime: Option<&str>,
    ) -> Result<Self, Refusal> {
        let project = project(workshop);
        let (system, path) = match (system, path) {
            // A module's name in the place of a file's.
            (None, Some(path)) if path.trim_start().starts_with('(') && workshop.workspace.read(path).is_err() => {
                (Some(path), None)
            }
            // A file's name in the place of a system's.
            (Some(system), None)
                if Dialect::detect(system, &[]).is_some() && workshop.workspace.read(system).is_ok() =>
            {
                (None, Some(system))
            }
            given => given,
        };
        let (target, name, usual) = match (system, path) {
            (Some(system), None) => {
                let dialect = if system.trim_start().starts_with('(') {
                    Some(Dialect::Scheme)
                } else {
                    defines(&project, system).then_some(Dialect::CommonLisp)
                };
                (LoadTarget::System(system.to_owned()), system, dialect.and_then(runtime_of))
            }
            (None, Some(path)) => {
                let file = workshop.workspace.read(path)?;
                let place = workshop.roots.absolute(Path::new(path))?;
                let usual = runtime_of_file(Path::new(&file.path), &file.text);
                let unknown = Dialect::detect(path, file.text.as_bytes()).filter(|_| usual.is_none());
                if let (Some(dialect), None, None) = (unknown, runtime, session) {
                    return Err(Refusal::NoRuntime { path: file.path.clone(), dialect: dialect.name() });
                }
                (LoadTarget::Path(place.display().to_string()), path, usual)
            }
            _ => return Err(LiveFault::SystemOrPath { tool }.into()),
        };
        let runtime = runtime.or(usual.filter(|_| session.is_none()));
        Ok(Self { target, session: open(&workshop.sessions, session, runtime)?, name: name.to_owned(), project })
    }
}

/// Work that was done.
pub(crate) struct Done {
    pub(crate) report: EvalReport,
    /// What it has changed in the image besides its target.
    pub(crate) changes: ImageChanges,
    /// The names that it says are not bound.
    pub(crate) unbound: Vec<Unbound>,
    /// The files as they were before.
    pub(crate) files: Index,
}

impl Work {
    /// Does the work in the image of its session, where what is stale is loaded before.
    pub(crate) async fn done(
        self,
        workshop: &Workshop,
        request: impl Fn(LoadTarget, Project) -> Request,
        context: &CallContext,
    ) -> Result<Done, Refusal> {
        workshop.confirmations.give_up(&self.session);
        let asked = request(self.target.clone(), self.project.clone());
        let mut visit = visit(&workshop.sessions, &self.session, &asked, context).await?;
        self.done_in(&mut visit, workshop, &request, context).await
    }

    /// Does the work in an image that is visited, or in a fresh one if that does not load what it should.
    pub(crate) async fn done_in(
        self,
        visit: &mut Visiting<'_>,
        workshop: &Workshop,
        request: &impl Fn(LoadTarget, Project) -> Request,
        context: &CallContext,
    ) -> Result<Done, Refusal> {
        let was_used = workshop.ledger.knows(&self.session) || workshop.sessions.evaluations(&self.session) > 0;
        let work = self.clone();
        let done = self.done_here(visit, workshop, request, context).await?;
        if may_load_elsewhere(&done.report, was_used)
            && !is_known_to_lack(&done, context)
            && let Some(afresh) = renewed(workshop, visit, &done, work, request, context).await?
        {
            context.note_lacking(&afresh.report.session, lacking(&afresh.report, &afresh.unbound));
            return Ok(afresh);
        }
        Ok(done)
    }

    /// Does the work in an image that is visited.
    pub(crate) async fn done_here(
        self,
        visit: &mut Visiting<'_>,
        workshop: &Workshop,
        request: &impl Fn(LoadTarget, Project) -> Request,
        context: &CallContext,
    ) -> Result<Done, Refusal> {
        let Self { target, mut project, .. } = self;
        let prepared = prepare(workshop, visit, &target, &mut project, context).await?;
        let report = visit.ask(request(target.clone(), project)).await?;
        let (files, by_hand) = prepared.note(workshop, target, &report, visit.pid());
        let changes = ImageChanges::of(workshop, &report, &by_hand, context).await?;
        let loaded = workshop.ledger.files_of(&report.session);
        let unbound = unbound_in(workshop, &report, loaded, context).await?;
        Ok(Done { report, changes, unbound, files })
    }
}

/// A fresh image has lacked in this call what this one lacks, and no file of the project has it.
fn is_known_to_lack(done: &Done, context: &CallContext) -> bool {
    done.report.renewed.needs_fresh.is_none()
        && lacking(&done.report, &done.unbound).is_some_and(|names| context.has_lacked(&done.report.session, names))
}

/// The project, for an image.
pub(crate) fn project(workshop: &Workshop) -> Project {
    let roots: Vec<&Path> = workshop.roots.writable().collect();
    Project {
        definitions: roots
            .iter()
            .flat_map(|root| definition_files(root))
            .map(|path| path.display().to_string())
            .collect(),
        roots: roots.iter().map(|root| root.display().to_string()).collect(),
        renewal: Renewal::default(),
    }
}

/// Whether a file of the project has the name of the system, or of the system that it is a part of. The system may be
/// written as in a definition: as `:name` or `#:name`, in upper or lower case.
fn defines(project: &Project, system: &str) -> bool {
    let primary = system.trim_start_matches(['#', ':']).split('/').next().unwrap_or(system);
    let is_named = |file: &String| Path::new(file).file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case(primary));
    project.definitions.iter().any(is_named)
}

/// The failure of a load or of tests, if any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorkFailure {
    /// The stable code of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// After a failure: the same call can succeed later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// The activity of the image when it was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<String>,
}

impl WorkFailure {
    /// The failure of work that ended as in `report`; `otherwise` is its ending if that is not of the work itself.
    pub(crate) fn new(code: Option<&'static str>, report: &EvalReport, otherwise: Option<&EvalAnswer>) -> Self {
        Self { code, retryable: code.map(|_| false), activity: otherwise.and(report.activity.clone()) }
    }
}

/// A diagnostic of a compiler, a loader or the reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiagnosticFacts {
    /// The file, as calls name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// `error`, `warning`, `style-warning` or `note`.
    pub severity: String,
    /// Its definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// The type of its condition, or the kind of the mistake of the text.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Its message.
    pub message: String,
    /// It is about text that does not balance, and has our message.
    #[serde(skip)]
    pub is_unbalanced: bool,
    /// The session was told before.
    #[serde(skip)]
    pub is_known: bool,
}

/// The diagnostics of `report`, each once, with those marked that its session was told before. Those about unbalanced text
/// have our message and the line to correct.
pub(crate) fn diagnostics_of(workshop: &Workshop, report: &EvalReport) -> Vec<DiagnosticFacts> {
    let mut told: Vec<DiagnosticFacts> = Vec::new();
    for diagnostic in &report.diagnostics {
        let diagnostic = facts_of(workshop, diagnostic);
        if !told.contains(&diagnostic) {
            told.push(diagnostic);
        }
    }
    let compiled: Vec<String> =
        report.renewed.loaded.iter().map(|path| relative(path, workshop.roots.primary())).collect();
    workshop.told.mark(&report.session, &mut told, &compiled);
    told
}

fn facts_of(workshop: &Workshop, said: &CompilerDiagnostic) -> DiagnosticFacts {
    let facts = DiagnosticFacts {
        path: said.file.as_ref().map(|file| relative(file, workshop.roots.primary())),
        line: said.line,
        column: said.column,
        severity: said.severity.clone(),
        form: said.form.clone(),
        type_name: said.type_name.clone(),
        message: said.message.clone(),
        is_unbalanced: false,
        is_known: false,
    };
    let own = || {
        let (file, language) = workshop.workspace.open_lisp(said.file.as_deref()?).ok()?;
        let found = check_window(&file.text, &language, 0, None).diagnosis?;
        Some(DiagnosticFacts {
            type_name: found.kind.code().to_owned(),
            line: Some(found.likely_at.line),
            column: Some(found.likely_at.column),
            message: found.to_string(),
            form: None,
            is_unbalanced: true,
            ..facts.clone()
        })
    };
    is_of_reading(&said.type_name).then(own).flatten().unwrap_or(facts)
}

/// The name of the runtime for a file, by its name and its text; `None` if they do not decide it.
pub fn runtime_of_file(path: &Path, text: &str) -> Option<&'static str> {
    let dialect = Dialect::detect(&path.to_string_lossy(), text.as_bytes())?;
    Runtime::for_text(dialect, text).map(|runtime| runtime.name)
}

/// The name of the runtime for files of `dialect`.
pub(crate) fn runtime_of(dialect: Dialect) -> Option<&'static str> {
    Runtime::for_dialect(dialect).map(|runtime| runtime.name)
}

/// The ending of a call that did not do its work; `None` if it did.
pub(crate) fn other_ending(report: &EvalReport) -> Result<Option<EvalAnswer>, Refusal> {
    match report.ending {
        Ending::Loaded { .. } | Ending::Tested | Ending::Error { .. } => Ok(None),
        _ => EvalAnswer::of(without_strange_frames(report), output_limit(None)).map(Some),
    }
}

/// The report without the frames of an interrupt if none of them is in a file: they are of ASDF and the compiler, whose
/// activity has the name of their file.
fn without_strange_frames(report: &EvalReport) -> EvalReport {
    let mut report = report.clone();
    if report.activity.is_some()
        && let Ending::Stopped { frames, .. } = &mut report.ending
        && frames.iter().all(|frame| frame.file.is_none())
    {
        frames.clear();
    }
    report
}

/// Takes out the frames behind the last one in a file of the project: they are of a compiler or a loader, and the place of
/// the mistake is told. Where no place is told, they stay.
pub(crate) fn leave_out_loaders(report: &mut EvalReport, diagnostics: &[DiagnosticFacts]) {
    if let Ending::Error { error, .. } = &mut report.ending
        && diagnostics.iter().any(|one| one.severity == "error" && one.line.is_some())
    {
        let is_here = |frame: &Frame| frame.file.as_ref().is_some_and(|file| Path::new(file).is_relative());
        let last = error.frames.iter().rposition(is_here);
        error.frames.truncate(last.map_or(0, |last| last + 1));
    }
}

/// A path as calls name it: relative to the root if it is below the root.
pub(crate) fn relative(file: &str, root: &Path) -> String {
    Path::new(file).strip_prefix(root).map_or_else(|_| file.to_owned(), |path| path.display().to_string())
}
