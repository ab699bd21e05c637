//! `macroexpand`: what a form means to the image once its macros are expanded.

use lispwright_edit::{Source, Target, locate};
use lispwright_runtime::{Ending, EvalReport, ExpansionLevel, Printout, Request};
use lispwright_syntax::{Dialect, FormId, visible};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::answer::Reply;
use crate::code_live::package_in;
use crate::fence::fenced;
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::repl_eval::{ask, seconds};
use crate::repl_report::{answer, notes, output_limit};
use crate::repl_session::open;
use crate::repl_work::runtime_of;
use crate::tool::CallContext;
use crate::workshop::{Workshop, blocking, read_source};

/// Forms that define macros: who names one wants to know what the macro does, not what the definer does.
const MACRO_DEFINERS: [&str; 4] = ["defmacro", "define-syntax", "define-syntax-rule", "define-macro"];

/// How far to expand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// One step.
    #[default]
    Once,
    /// Until the form is no macro call.
    Full,
    /// Subforms too.
    All,
}

/// Arguments of `macroexpand`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Macroexpand {
    /// The form; or give path and name
    #[serde(default)]
    pub code: Option<String>,
    /// Its file
    #[serde(default)]
    pub path: Option<String>,
    /// Name
    #[serde(default)]
    pub name: Option<String>,
    /// Form type
    #[serde(default)]
    pub form_type: Option<String>,
    /// Index
    #[serde(default)]
    pub index: Option<u32>,
    /// Line
    #[serde(default)]
    pub line: Option<u32>,
    /// all: subforms too
    #[serde(default)]
    pub level: Level,
    /// Default: the file's, else the session's
    #[serde(default)]
    pub package: Option<String>,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
    /// Default 30
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
}

/// Expands in the image. The macros' own code runs there; cancelling the context interrupts it.
pub async fn macroexpand(workshop: &Workshop, args: Macroexpand, context: &CallContext) -> Reply {
    match expand(workshop, args, context).await {
        Ok(report) => match &report.ending {
            Ending::Expanded { expansion, changed } => outcome(expansion, *changed, &report).into(),
            _ => answer(&report, output_limit(None)).into(),
        },
        Err(refusal) => Err(refusal),
    }
}

async fn expand(workshop: &Workshop, args: Macroexpand, context: &CallContext) -> Result<EvalReport, Refusal> {
    let level = match args.level {
        Level::Once => ExpansionLevel::Once,
        Level::Full => ExpansionLevel::Full,
        Level::All => ExpansionLevel::All,
    };
    let timeout = seconds(args.timeout_seconds)?;
    let (package, session, runtime) = (args.package.clone(), args.session.clone(), args.runtime.clone());
    let (code, file_package, dialect) = match (&args.code, &args.path) {
        (Some(code), None) => (code.clone(), None, None),
        (None, Some(_)) => {
            let workshop = workshop.clone();
            blocking(move || form_of(&workshop, &args)).await?
        }
        _ => {
            return Err(Refusal::worded(
                "BAD_ARGUMENT",
                "Give either `code`, or `path` with `name` or `line`: macroexpand {\"code\": \"(when a b)\"}.",
            ));
        }
    };
    let limit = output_limit(None);
    let request = Request::Macroexpand { code, package: package.or(file_package), level, limit, timeout };
    let by_dialect = dialect.and_then(runtime_of).filter(|_| session.is_none());
    let session = open(&workshop.sessions, session.as_deref(), runtime.as_deref().or(by_dialect))?;
    ask(&workshop.sessions, &session, request, context).await
}

/// The source of the form at an address, the package or module that the file is in there, and its dialect.
fn form_of(workshop: &Workshop, args: &Macroexpand) -> Result<(String, Option<String>, Option<Dialect>), Refusal> {
    let file = workshop.read(args.path.as_deref().unwrap_or_default())?;
    let language = workshop.lisp_language(&file)?;
    let source = read_source(&file, &language);
    let target =
        Target { name: args.name.as_deref(), form_type: args.form_type.as_deref(), index: args.index, line: args.line };
    let id = locate(&source, &target).map_err(|fault| Refusal::text(&file.path, fault))?;
    let form = source.forms.get(id);
    if form.broken {
        return Err(Refusal::worded(
            "UNBALANCED",
            format!("{}: this form does not balance. lisp_check_parens shows likely fixes.", file.path),
        ));
    }
    if let Some(name) = form.name.as_ref().filter(|_| MACRO_DEFINERS.contains(&form.head_name.as_str())) {
        return Err(Refusal::worded(
            "BAD_ARGUMENT",
            format!(
                "{}:{}: this form defines the macro {name}. To see what it expands to, give a call of it: macroexpand {{\"code\": \
                 \"({name} ...)\"}}.",
                file.path,
                source.lines.line(form.span.start)
            ),
        ));
    }
    Ok((source.slice(form.span).to_owned(), package_at(&source, id), Some(language.dialect())))
}

/// What the last form before one says that names the package, module or namespace.
fn package_at(source: &Source<'_>, id: FormId) -> Option<String> {
    let start = source.forms.get(id).span.start;
    let before = source.forms.iter().take_while(|(_, form)| form.span.start < start);
    let naming = ["in-package", "define-module", "ns", "in-ns"];
    let (_, form) = before.filter(|(_, form)| naming.contains(&&*form.head_name)).last()?;
    if ["define-module", "ns"].contains(&&*form.head_name) {
        return form.name.as_ref().map(ToString::to_string);
    }
    package_in(source, form)
}

fn outcome(expansion: &Printout, changed: bool, report: &EvalReport) -> Outcome {
    let mut text = fenced(&visible(&expansion.text));
    if !changed {
        text.push_str("\n[note] Unchanged: the form is no macro call in this image. Load what defines the macro first, if it is one.");
    }
    if expansion.cut {
        text.push_str("\n[note] The expansion goes on; ask for level once, or for a part of the form.");
    }
    let notes = notes(report);
    if !notes.is_empty() {
        text.push_str(&format!("\n{}", notes.trim_end()));
    }
    let mut fields = Map::new();
    fields.insert("expansion".into(), expansion.text.clone().into());
    fields.insert("changed".into(), changed.into());
    fields.insert("truncated".into(), expansion.cut.into());
    fields.insert("package".into(), report.package.clone().map_or(Value::Null, Value::from));
    Outcome { text, fields, is_error: false }
}
