//! What `load_system` and `run_tests` share: what they are about, which session does it, and located diagnostics.

use std::path::Path;

use lispwright_edit::check_window;
use lispwright_runtime::{Diagnostic, Ending, EvalReport, Project, Runtime, Target, definition_files};
use lispwright_syntax::Dialect;
use schemars::JsonSchema;
use serde::Serialize;

use crate::eval_answer::{EvalAnswer, output_limit};
use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::repl_session::open;
use crate::workshop::Workshop;

/// What a call is about, where, and under which name it is told.
pub(crate) struct Work {
    pub(crate) target: Target,
    pub(crate) session: String,
    /// The path as it was given, or the system.
    pub(crate) name: String,
    /// What the image is told of the project.
    pub(crate) project: Project,
}

impl Work {
    /// Finds out what is meant. Without a session or runtime, what the file or name looks like decides which Lisp it is for.
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
            // A module's name where a file's is expected.
            (None, Some(path)) if path.trim_start().starts_with('(') && workshop.workspace.read(path).is_err() => {
                (Some(path), None)
            }
            given => given,
        };
        let (target, name, dialect) = match (system, path) {
            (Some(system), None) => {
                let dialect = if system.trim_start().starts_with('(') {
                    Some(Dialect::Scheme)
                } else {
                    defines(&project, system).then_some(Dialect::CommonLisp)
                };
                (Target::System(system.to_owned()), system, dialect)
            }
            (None, Some(path)) => {
                let file = workshop.workspace.read(path)?;
                let place = workshop.roots.absolute(Path::new(path))?;
                let dialect = Dialect::detect(&file.path, file.text.as_bytes());
                (Target::Path(place.display().to_string()), path, dialect)
            }
            _ => return Err(LiveFault::SystemOrPath { tool }.into()),
        };
        let runtime = runtime.or(dialect.and_then(runtime_of).filter(|_| session.is_none()));
        Ok(Self { target, session: open(&workshop.sessions, session, runtime)?, name: name.to_owned(), project })
    }
}

/// What an image is told of the project.
fn project(workshop: &Workshop) -> Project {
    let roots: Vec<&Path> = workshop.roots.writable().collect();
    Project {
        definitions: roots
            .iter()
            .flat_map(|root| definition_files(root))
            .map(|path| path.display().to_string())
            .collect(),
        roots: roots.iter().map(|root| root.display().to_string()).collect(),
    }
}

/// Whether a file of the project is named after the system, or after the one that the system is a part of. The system may be
/// written as in a definition: as `:name` or `#:name`, in either case.
fn defines(project: &Project, system: &str) -> bool {
    let primary = system.trim_start_matches(['#', ':']).split('/').next().unwrap_or(system);
    let is_named = |file: &String| Path::new(file).file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case(primary));
    project.definitions.iter().any(is_named)
}

/// What went wrong with work, if anything did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Failure {
    /// The stable code of what went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The same call can succeed later, when something went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// What it was doing when it was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<String>,
}

impl Failure {
    /// Of work whose call ended as in `report`, `otherwise` than with the work itself when that is given.
    pub(crate) fn new(code: Option<&'static str>, report: &EvalReport, otherwise: Option<&EvalAnswer>) -> Self {
        Self { code, retryable: code.map(|_| false), activity: otherwise.and(report.activity.clone()) }
    }
}

/// Something a compiler, a loader or the reader has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiagnosticFacts {
    /// The file, as it is written in calls.
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
    /// The definition that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// The type of its condition, or what kind of thing is wrong with the text.
    #[serde(rename = "type")]
    pub type_name: String,
    /// What it says.
    pub message: String,
    /// It is about text that does not balance, and the message is ours.
    #[serde(skip)]
    pub is_unbalanced: bool,
}

/// The diagnostics of `report`, each once, those about text that does not balance in our own words and with the line to correct.
pub(crate) fn diagnostics_of(workshop: &Workshop, report: &EvalReport) -> Vec<DiagnosticFacts> {
    let mut told: Vec<DiagnosticFacts> = Vec::new();
    for diagnostic in &report.diagnostics {
        let diagnostic = facts_of(workshop, diagnostic);
        if !told.contains(&diagnostic) {
            told.push(diagnostic);
        }
    }
    told
}

fn facts_of(workshop: &Workshop, said: &Diagnostic) -> DiagnosticFacts {
    let facts = DiagnosticFacts {
        path: said.file.as_ref().map(|file| relative(file, workshop.roots.primary())),
        line: said.line,
        column: said.column,
        severity: said.severity.clone(),
        form: said.form.clone(),
        type_name: said.type_name.clone(),
        message: said.message.clone(),
        is_unbalanced: false,
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
    // What SBCL, ECL, CLISP, Guile, Chez, Racket and Emacs say of a file that does not read.
    const OF_READING: [&str; 11] = [
        "READ-ERROR",
        "READER-ERROR",
        "INPUT-ERROR-IN-LOAD",
        "END-OF-FILE",
        "COMPILER-INTERNAL-ERROR",
        "read-error",
        "exn:fail:read",
        "exn:fail:read:eof",
        "end-of-file",
        "invalid-read-syntax",
        "&i/o-read",
    ];
    let of_reading = OF_READING.iter().any(|name| said.type_name.ends_with(name));
    of_reading.then(own).flatten().unwrap_or(facts)
}

/// The name of the runtime that a file is for, by its name and its text; none when that leaves it open.
pub fn runtime_of_file(path: &Path, text: &str) -> Option<&'static str> {
    Dialect::detect(&path.to_string_lossy(), text.as_bytes()).and_then(runtime_of)
}

/// The name of the runtime that files of `dialect` are for.
pub(crate) fn runtime_of(dialect: Dialect) -> Option<&'static str> {
    Runtime::for_dialect(dialect).map(|runtime| runtime.name)
}

/// How a call ended in another way than it was meant to; `None` when it did its work.
pub(crate) fn other_ending(report: &EvalReport) -> Result<Option<EvalAnswer>, Refusal> {
    match report.ending {
        Ending::Loaded { .. } | Ending::Tested | Ending::Error { .. } => Ok(None),
        _ => EvalAnswer::of(without_strange_frames(report), output_limit(None)).map(Some),
    }
}

/// The report without the frames of an interrupt that came when none of them was in a file: ASDF and the compiler are at
/// work then, and what they do is told by the name of the file.
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

/// A path as it is written in calls: relative to the root when it is below it.
pub(crate) fn relative(file: &str, root: &Path) -> String {
    Path::new(file).strip_prefix(root).map_or_else(|_| file.to_owned(), |path| path.display().to_string())
}
