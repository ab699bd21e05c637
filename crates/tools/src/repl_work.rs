//! What `load_system` and `run_tests` share: what they are about, which session does it, and located diagnostics.

use std::path::Path;

use lispwright_runtime::{Diagnostic, Ending, EvalReport, Runtime, Target};
use lispwright_syntax::Dialect;
use serde_json::{Map, Value};

use crate::repl_report::{answer, block, output_limit};
use crate::repl_session::open;
use crate::repl_text::{ends_of, fence, one_line};
use crate::tool::{Outcome, ToolError};
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
    ) -> Result<Self, ToolError> {
        let (target, name, dialect) = match (system, path) {
            (Some(system), None) => {
                let dialect = system.trim_start().starts_with('(').then_some(Dialect::Scheme);
                (Target::System(system.to_owned()), system, dialect)
            }
            (None, Some(path)) => {
                let file = workshop.read(path)?;
                let place = workshop.roots.absolute(Path::new(path))?;
                let dialect = Dialect::detect(&file.path, file.text.as_bytes());
                (Target::Path(place.display().to_string()), path, dialect)
            }
            _ => {
                return Err(ToolError::new(
                    "BAD_ARGUMENT",
                    format!("Give either `system` or `path`: {tool} {{\"path\": \"src/main.scm\"}}."),
                ));
            }
        };
        let runtime = runtime.or(dialect.and_then(runtime_of).filter(|_| session.is_none()));
        Ok(Self { target, session: open(&workshop.sessions, session, runtime)?, name: name.to_owned() })
    }
}

/// The name of the runtime that files of `dialect` are for.
pub(crate) fn runtime_of(dialect: Dialect) -> Option<&'static str> {
    let runtime = match dialect {
        Dialect::Scheme => Runtime::Guile,
        Dialect::CommonLisp => Runtime::Sbcl,
        _ => return None,
    };
    Some(runtime.backend().name)
}

/// The answer to a call that ended in another way than it was meant to; `None` when it did its work.
pub(crate) fn other_ending(report: &EvalReport) -> Option<Outcome> {
    match report.ending {
        Ending::Loaded { .. } | Ending::Tested | Ending::Error { .. } => None,
        _ => Some(answer(report, output_limit(None))),
    }
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

/// What was printed, as blocks.
pub(crate) fn printed_text(report: &EvalReport) -> String {
    let mut text = String::new();
    block(&mut text, "[stdout]", &ends_of(&report.stdout, OUTPUT));
    block(&mut text, "[stderr]", &ends_of(&report.stderr, OUTPUT));
    for warning in &report.warnings {
        text.push_str(&format!("[warning] {}\n", one_line(&warning.message, 300)));
    }
    text
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
    ["error", "warning", "note"].into_iter().filter_map(count).collect::<Vec<_>>().join(" and ")
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
