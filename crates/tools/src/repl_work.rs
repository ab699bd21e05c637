//! What `load_system` and `run_tests` share: what they are about, which session does it, and located diagnostics.

use std::borrow::Cow;
use std::path::Path;

use lispwright_edit::check_window;
use lispwright_runtime::{Diagnostic, Ending, EvalReport, LispError, Project, Runtime, Target, definition_files};
use lispwright_syntax::Dialect;
use serde_json::{Map, Value, json};

use crate::image_text::{each_once, ends_of, fence, one_line};
use crate::other_lisps::refuse_racket;
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::repl_report::{answer, block, error_text, frames_text, output_limit};
use crate::repl_session::open;
use crate::workshop::Workshop;

/// Characters of printed output in an answer that is about something else.
const OUTPUT: usize = 3_000;

/// Diagnostics shown.
const MOST_DIAGNOSTICS: usize = 50;

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
        tool: &str,
        system: Option<&str>,
        path: Option<&str>,
        session: Option<&str>,
        runtime: Option<&str>,
    ) -> Result<Self, Refusal> {
        let project = project(workshop);
        let (system, path) = match (system, path) {
            // A module's name where a file's is expected.
            (None, Some(path)) if path.trim_start().starts_with('(') && workshop.read(path).is_err() => {
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
                let file = workshop.read(path)?;
                if runtime.is_none() {
                    refuse_racket(path, &file.text)?;
                }
                let place = workshop.roots.absolute(Path::new(path))?;
                let dialect = Dialect::detect(&file.path, file.text.as_bytes());
                (Target::Path(place.display().to_string()), path, dialect)
            }
            _ => {
                return Err(Refusal::worded(
                    "BAD_ARGUMENT",
                    format!("Give either `system` or `path`: {tool} {{\"path\": \"src/main.scm\"}}."),
                ));
            }
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

/// The diagnostics of `report`, those about text that does not balance in our own words and with the line to correct.
pub(crate) fn diagnostics_of(workshop: &Workshop, report: &EvalReport) -> Vec<Diagnostic> {
    let mut told: Vec<Diagnostic> = Vec::new();
    for diagnostic in &report.diagnostics {
        let diagnostic = rediagnosed(workshop, diagnostic);
        if !told.contains(&diagnostic) {
            told.push(diagnostic);
        }
    }
    told
}

fn rediagnosed(workshop: &Workshop, diagnostic: &Diagnostic) -> Diagnostic {
    let own = || {
        let file = workshop.read(diagnostic.file.as_deref()?).ok()?;
        let language = workshop.lisp_language(&file).ok()?;
        let found = check_window(&file.text, &language, 0, None).diagnosis?;
        Some(Diagnostic {
            type_name: found.kind.code().to_owned(),
            line: Some(found.likely_at.line),
            column: Some(found.likely_at.column),
            message: format!("{found}\nlisp_check_parens {{\"path\": {:?}}} shows likely fixes.", file.path),
            form: None,
            ..diagnostic.clone()
        })
    };
    // What SBCL, ECL, CLISP, Guile and Emacs say of a file that does not read.
    const OF_READING: [&str; 8] = [
        "READ-ERROR",
        "READER-ERROR",
        "INPUT-ERROR-IN-LOAD",
        "END-OF-FILE",
        "COMPILER-INTERNAL-ERROR",
        "read-error",
        "end-of-file",
        "invalid-read-syntax",
    ];
    let of_reading = OF_READING.iter().any(|name| diagnostic.type_name.ends_with(name));
    of_reading.then(own).flatten().unwrap_or_else(|| diagnostic.clone())
}

/// The name of the runtime that a file is for, by its name and its text; none when that leaves it open.
pub fn runtime_of_file(path: &Path, text: &str) -> Option<&'static str> {
    Dialect::detect(&path.to_string_lossy(), text.as_bytes()).and_then(runtime_of)
}

/// The name of the runtime that files of `dialect` are for.
pub(crate) fn runtime_of(dialect: Dialect) -> Option<&'static str> {
    Runtime::for_dialect(dialect).map(|runtime| runtime.name)
}

/// The answer to a call that ended in another way than it was meant to; `None` when it did its work.
pub(crate) fn other_ending(report: &EvalReport) -> Option<Outcome> {
    match report.ending {
        Ending::Loaded { .. } | Ending::Tested | Ending::Error { .. } => None,
        _ => {
            let mut outcome = answer(&without_strange_frames(report), output_limit(None));
            if let Some(activity) = &report.activity {
                outcome.text.push_str(&format!("\n[note] It was {}.", one_line(activity, 300)));
                outcome.fields.insert("activity".into(), activity.clone().into());
            }
            Some(outcome)
        }
    }
}

/// The report without the frames of an interrupt that came when none of them was in a file: ASDF and the compiler are at
/// work then, and what they do is told by the name of the file.
fn without_strange_frames(report: &EvalReport) -> Cow<'_, EvalReport> {
    let mut report = Cow::Borrowed(report);
    if let Ending::Stopped { frames, .. } = &report.ending
        && report.activity.is_some()
        && frames.iter().all(|frame| frame.file.is_none())
        && let Ending::Stopped { frames, .. } = &mut report.to_mut().ending
    {
        frames.clear();
    }
    report
}

/// The diagnostics, a line or more each, with paths as `root` sees them.
pub(crate) fn diagnostics_text(diagnostics: &[Diagnostic], root: &Path) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics.iter().take(MOST_DIAGNOSTICS) {
        let place = place_text(diagnostic.file.as_deref(), diagnostic.line, diagnostic.column, root);
        let message = fence(diagnostic.message.trim_end());
        text.push_str(&format!(
            "{place}{}: {message} [{}]\n",
            diagnostic.severity,
            one_line(&diagnostic.type_name, 60)
        ));
    }
    if diagnostics.len() > MOST_DIAGNOSTICS {
        text.push_str(&format!("[note] {} more are left out.\n", diagnostics.len() - MOST_DIAGNOSTICS));
    }
    text
}

/// `path:line:column: ` as far as it is known.
pub(crate) fn place_text(file: Option<&str>, line: Option<u32>, column: Option<u32>, root: &Path) -> String {
    let Some(file) = file else { return String::new() };
    let mut text = one_line(&relative(file, root), 300);
    for number in [line, column].into_iter().flatten() {
        text.push_str(&format!(":{number}"));
    }
    text + ": "
}

/// A path as it is written in calls: relative to the root when it is below it.
pub(crate) fn relative(file: &str, root: &Path) -> String {
    Path::new(file).strip_prefix(root).map_or_else(|_| file.to_owned(), |path| path.display().to_string())
}

/// What ended a call: of an error that the diagnostics tell, its frames alone.
pub(crate) fn told_error_text(error: &LispError, diagnostics: &[Diagnostic]) -> String {
    if diagnostics.iter().any(|one| one.message == error.message && one.type_name == error.type_name) {
        frames_text(&error.frames)
    } else {
        error_text("[ERROR]", error)
    }
}

/// What to do about definitions that the image has from before, when they are why the rest did not load.
pub(crate) fn reset_text(report: &EvalReport) -> String {
    let is_why = matches!(report.ending, Ending::Error { .. })
        && report.diagnostics.iter().any(|one| one.type_name == "earlier-definition");
    if !is_why {
        return String::new();
    }
    let call = json!({ "action": "reset", "session": report.session });
    format!("[note] repl_control {call} gives a fresh image, which has no earlier definitions: load it there.\n")
}

/// What was printed, as blocks.
pub(crate) fn printed_text(report: &EvalReport) -> String {
    let mut text = String::new();
    block(&mut text, "[stdout]", &ends_of(&report.stdout, OUTPUT));
    block(&mut text, "[stderr]", &ends_of(&report.stderr, OUTPUT));
    let warnings = report.warnings.iter().map(|warning| format!("[warning] {}", one_line(&warning.message, 300)));
    text + &each_once(warnings)
}

pub(crate) fn diagnostics_fields(diagnostics: &[Diagnostic], root: &Path) -> Value {
    let fields = |diagnostic: &Diagnostic| {
        let mut fields = Map::new();
        if let Some(file) = &diagnostic.file {
            fields.insert("path".into(), relative(file, root).into());
        }
        if let Some(line) = diagnostic.line {
            fields.insert("line".into(), line.into());
        }
        if let Some(column) = diagnostic.column {
            fields.insert("column".into(), column.into());
        }
        fields.insert("severity".into(), diagnostic.severity.clone().into());
        if let Some(form) = &diagnostic.form {
            fields.insert("form".into(), form.clone().into());
        }
        fields.insert("type".into(), diagnostic.type_name.clone().into());
        fields.insert("message".into(), diagnostic.message.clone().into());
        Value::Object(fields)
    };
    diagnostics.iter().map(fields).collect()
}

/// `1 error and 2 warnings`, or nothing.
pub(crate) fn count_text(diagnostics: &[Diagnostic]) -> String {
    let count = |severity: &str| {
        let count = diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
        match count {
            0 => None,
            1 => Some(format!("1 {severity}")),
            more => Some(format!("{more} {severity}s")),
        }
    };
    ["error", "warning", "style-warning"].into_iter().filter_map(count).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(severity: &str, line: Option<u32>) -> Diagnostic {
        Diagnostic {
            severity: severity.into(),
            type_name: "t".into(),
            message: "m\nn".into(),
            file: Some("/p/src/a.scm".into()),
            line,
            column: line,
            form: None,
        }
    }

    #[test]
    fn diagnostics_say_where_relative_to_the_root() {
        let some = [diagnostic("warning", Some(3)), diagnostic("error", None)];
        assert_eq!(
            diagnostics_text(&some, Path::new("/p")),
            "src/a.scm:3:3: warning: m\nn [t]\nsrc/a.scm: error: m\nn [t]\n"
        );
        assert_eq!(diagnostics_text(&some[..1], Path::new("/q")), "/p/src/a.scm:3:3: warning: m\nn [t]\n");
        assert_eq!(count_text(&some), "1 error and 1 warning");
        assert_eq!(count_text(&[]), "");
        let many = vec![diagnostic("warning", Some(1)); 60];
        assert!(diagnostics_text(&many, Path::new("/p")).ends_with("[note] 10 more are left out.\n"));
    }
}
