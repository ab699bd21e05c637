//! `code_exports`: the exports of a package, module or namespace in a live image.

use lispwright_edit::Source;
use lispwright_runtime::{Ending, ListExports, NameMeaning};
use lispwright_syntax::{Dialect, Form, FormKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aside::Aside;
use crate::code_live::{Files, Origin, ask_living, package_in};
use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::repl_eval::Told;
use crate::tool::CallContext;
use crate::workshop::{Workshop, blocking, read_source};

/// Names listed by default.
const DEFAULT_LIMIT: u32 = 100;

/// Names listed at most.
const MOST: u32 = 500;

/// Arguments of `code_exports`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeExports {
    /// The file that defines it, or (my module)
    #[serde(default)]
    pub path: Option<String>,
    /// Or its name: my-package, my.namespace
    #[serde(default)]
    pub module: Option<String>,
    /// Names to skip
    #[serde(default)]
    pub offset: u32,
    /// Default 100
    #[serde(default)]
    pub limit: Option<u32>,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
}

/// The module that is asked about.
struct Module {
    name: String,
    /// The file that names it.
    path: Option<String>,
    dialect: Option<Dialect>,
}

/// The exports of a module.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExportsAnswer {
    /// The name of the module in the image.
    pub module: String,
    /// The requested range of its exports.
    pub exports: Vec<Export>,
    /// The total number.
    pub total: u64,
    /// More come after these.
    pub truncated: bool,
    /// The session that was asked.
    pub session: String,
    /// The source of this fact.
    pub source: Origin,
    /// The number of names up to the end of that range.
    #[serde(skip)]
    pub end: u64,
    /// Notes of the session.
    #[serde(skip)]
    pub aside: Aside,
}

/// An exported name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Export {
    /// The name.
    pub name: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its parameters; if it has several lists, each on a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arglist: Option<String>,
    /// The first line of its documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    /// Its module of origin, if it is re-exported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The file of its definition, as calls name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line there, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Lists the exports that are loaded in the image. Cancelling the context interrupts it.
pub async fn code_exports(
    workshop: &Workshop,
    args: CodeExports,
    context: &CallContext,
) -> Result<ExportsAnswer, Refusal> {
    let Module { name, path, dialect } = named(workshop, args.path, args.module).await?;
    let count = args.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MOST);
    let question = ListExports { name: name.clone(), offset: args.offset, count };
    let asked = ask_living(&workshop.sessions, args.session.as_deref(), dialect, question, context).await;
    let Told { answer: exports, aside, .. } = asked.map_err(|refusal| match (refusal, path) {
        (Refusal::Unanswered(answer), Some(path)) if matches!(answer.report.ending, Ending::NoPackage { .. }) => {
            LiveFault::NotLoaded { path, module: name, session: answer.session.clone() }.into()
        }
        (refusal, _) => refusal,
    })?;
    let mut files = Files::new(workshop);
    let end = u64::from(args.offset) + u64::from(count);
    Ok(ExportsAnswer {
        module: exports.name.clone(),
        exports: exports.exports.iter().map(|meaning| export(meaning, &mut files)).collect(),
        total: exports.total,
        truncated: end < exports.total,
        session: aside.session.clone(),
        source: Origin::Live,
        end,
        aside,
    })
}

fn export(meaning: &NameMeaning, files: &mut Files<'_>) -> Export {
    let place = meaning.file.as_deref().map(|file| files.definition(&meaning.name, file, meaning.line));
    let (path, line) = place.map(|place| (place.path, place.line)).unzip();
    Export {
        name: meaning.name.clone(),
        kind: meaning.kind.clone(),
        arglist: meaning.arglist.clone(),
        documentation: first_line(meaning).map(str::to_owned),
        from: meaning.facts.iter().find(|(name, _)| name == "from").map(|(_, module)| module.clone()),
        path,
        line: line.flatten(),
    }
}

fn first_line(meaning: &NameMeaning) -> Option<&str> {
    meaning.documentation.as_deref()?.lines().map(str::trim).find(|line| !line.is_empty())
}

/// The module that `path` or `module` means; `path` may also be the name of a module.
async fn named(workshop: &Workshop, path: Option<String>, module: Option<String>) -> Result<Module, Refusal> {
    match (path, module) {
        (None, Some(name)) if !name.trim().is_empty() => Ok(by_name(&name)),
        (Some(path), None) if path.trim_start().starts_with('(') => Ok(by_name(&path)),
        (Some(path), None) => {
            let workshop = workshop.clone();
            blocking(move || defined_in(&workshop, &path)).await
        }
        _ => Err(LiveFault::PathOrModule.into()),
    }
}

fn by_name(name: &str) -> Module {
    let name = name.trim();
    Module { name: name.to_owned(), path: None, dialect: name.starts_with('(').then_some(Dialect::Scheme) }
}

/// The module, package or namespace that a file defines or is in.
fn defined_in(workshop: &Workshop, path: &str) -> Result<Module, Refusal> {
    let (file, language) = workshop.workspace.open_lisp(path)?;
    let source = read_source(&file, &language);
    let name = source.forms.iter().find_map(|(_, form)| said(&source, form));
    match name {
        Some(name) => Ok(Module { name, path: Some(file.path.clone()), dialect: Some(language.dialect()) }),
        None => Err(LiveFault::NoModule { path: file.path.clone() }.into()),
    }
}

/// The name in a form that defines a module or enters a package.
fn said(source: &Source<'_>, form: &Form) -> Option<String> {
    match form.kind {
        FormKind::Directive if form.head_name == "in-package" => package_in(source, form),
        FormKind::Package => {
            let name = form.name.as_deref()?;
            Some(name.trim_start_matches("#:").trim_start_matches(':').trim_matches('"').to_owned())
        }
        _ => None,
    }
}
