//! `macroexpand`: the expansion of a form in an image.

use lispwright_edit::{Source, Target, locate};
use lispwright_index::files_are_modules;
use lispwright_runtime::{Expand, Expansion, ExpansionLevel};
use lispwright_syntax::Dialect;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aside::Aside;
use crate::code_live::package_in;
use crate::eval_answer::output_limit;
use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::repl_eval::{Told, ask_for, time_limit};
use crate::repl_session::open;
use crate::repl_work::runtime_of;
use crate::tool::CallContext;
use crate::workshop::{Workshop, read_source};

/// Forms that define macros. A caller who names one wants the expansion of the macro rather than of its definition.
const MACRO_DEFINERS: [&str; 4] = ["defmacro", "define-syntax", "define-syntax-rule", "define-macro"];

/// How far the expansion goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
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
    pub level: Depth,
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

/// A form with its macros expanded.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExpandAnswer {
    /// The new form.
    pub expansion: String,
    /// It differs from the given form.
    pub changed: bool,
    /// It is cut.
    pub truncated: bool,
    /// The session's package.
    pub package: Option<String>,
    /// Notes of the session.
    #[serde(skip)]
    pub aside: Aside,
}

/// Expands in the image. The macros' own code runs there; cancelling the context interrupts it.
pub async fn macroexpand(
    workshop: &Workshop,
    args: Macroexpand,
    context: &CallContext,
) -> Result<ExpandAnswer, Refusal> {
    let level = match args.level {
        Depth::Once => ExpansionLevel::Once,
        Depth::Full => ExpansionLevel::Full,
        Depth::All => ExpansionLevel::All,
    };
    let timeout = time_limit(args.timeout_seconds)?;
    let (package, session, runtime) = (args.package.clone(), args.session.clone(), args.runtime.clone());
    let is_addressed = args.name.is_some() || args.form_type.is_some() || args.line.is_some();
    let (code, file_package, dialect) = match (&args.code, &args.path) {
        (Some(code), None) => (code.clone(), None, None),
        (code, Some(_)) if code.is_some() != is_addressed => {
            let workshop = workshop.clone();
            context.on_files(move || form_of(&workshop, &args)).await?
        }
        _ => return Err(LiveFault::CodeOrPlace.into()),
    };
    let limit = output_limit(None);
    let question = Expand { code, package: package.or(file_package), level, limit, timeout };
    let by_dialect = dialect.and_then(runtime_of).filter(|_| session.is_none());
    let session = open(&workshop.sessions, session.as_deref(), runtime.as_deref().or(by_dialect))?;
    let Told { answer: Expansion { form, changed }, package, aside, .. } =
        ask_for(&workshop.sessions, &session, question, context).await?;
    Ok(ExpandAnswer { expansion: form.text, changed, truncated: form.cut, package, aside })
}

/// The form to expand, the given one or the one at an address, the package or module at that place of the file, its end for
/// a given form, and its dialect.
fn form_of(workshop: &Workshop, args: &Macroexpand) -> Result<(String, Option<String>, Option<Dialect>), Refusal> {
    let (file, language) = workshop.workspace.open_lisp(args.path.as_deref().unwrap_or_default())?;
    let source = read_source(&file, &language);
    let package = |before| match files_are_modules(language.dialect()) {
        true => Some(file.path.clone()),
        false => package_before(&source, before),
    };
    if let Some(code) = &args.code {
        return Ok((code.clone(), package(u32::MAX), Some(language.dialect())));
    }
    let target =
        Target { name: args.name.as_deref(), form_type: args.form_type.as_deref(), index: args.index, line: args.line };
    let id = locate(&source, &target).map_err(|fault| Refusal::text(&file.path, fault))?;
    let form = source.forms.get(id);
    if form.broken {
        return Err(LiveFault::Unbalanced { path: file.path.clone() }.into());
    }
    if let Some(name) = form.name.as_ref().filter(|_| MACRO_DEFINERS.contains(&form.head_name.as_str())) {
        let (name, line) = (name.to_string(), source.lines.line(form.span.start));
        return Err(LiveFault::DefinesMacro { path: file.path.clone(), line, name }.into());
    }
    Ok((source.slice(form.span).to_owned(), package(form.span.start), Some(language.dialect())))
}

/// The package, module or namespace that the last such form before a place names.
fn package_before(source: &Source<'_>, place: u32) -> Option<String> {
    let before = source.forms.iter().take_while(|(_, form)| form.span.start < place);
    let naming = ["in-package", "define-module", "ns", "in-ns"];
    let (_, form) = before.filter(|(_, form)| naming.contains(&&*form.head_name)).last()?;
    if ["define-module", "ns"].contains(&&*form.head_name) {
        return form.name.as_ref().map(ToString::to_string);
    }
    package_in(source, form)
}
