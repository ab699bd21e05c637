//! `code_exports`: the exports of a package, module or namespace: of a live image where one has it, else from the files.

use std::path::Path;

use lispwright_edit::Source;
use lispwright_index::{file_of_space, files_are_modules};
use lispwright_runtime::{Ending, ListExports, NameMeaning};
use lispwright_syntax::{Dialect, Form, FormKind, Span, nearest, unquoted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aside::Aside;
use crate::code_describe::{arglist, as_written};
use crate::code_live::{Files, Origin, ask_besides, package_in};
use crate::indexed::indexed;
use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::repl_eval::Told;
use crate::repl_work::{relative, runtime_of};
use crate::tool::CallContext;
use crate::workshop::{Workshop, read_source};

/// Names listed by default.
const DEFAULT_LIMIT: u32 = 100;

/// Names listed at most.
const MOST: u32 = 500;

/// Names that are offered when nothing is called as asked.
const MOST_NEAREST: usize = 5;

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
    /// The session whose image was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The source of this fact.
    pub source: Origin,
    /// The number of names up to the end of that range.
    #[serde(skip)]
    pub end: u64,
    /// Notes of the session.
    #[serde(skip)]
    pub aside: Option<Aside>,
}

/// An exported name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
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

/// Lists the exports that are loaded in the image, else those of the files. Cancelling the context interrupts the image.
pub async fn code_exports(
    workshop: &Workshop,
    args: CodeExports,
    context: &CallContext,
) -> Result<ExportsAnswer, Refusal> {
    let Module { name, path, dialect } = named(workshop, context, args.path, args.module).await?;
    let count = args.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MOST);
    let end = u64::from(args.offset) + u64::from(count);
    let known = from_files(workshop, context, name.clone(), dialect, args.offset as usize, count as usize).await?;
    let question = ListExports { name: name.clone(), offset: args.offset, count };
    let session = args.session.as_deref();
    let only = known.answer.is_none();
    let asked = ask_besides(workshop, session, dialect.or(known.dialect), question, context, only).await;
    let is_in_file = path.is_some();
    let asked = asked.map_err(|refusal| match (refusal, path) {
        (Refusal::Unanswered(answer), Some(path)) if matches!(answer.report.ending, Ending::NoPackage { .. }) => {
            LiveFault::NotLoaded { path, module: name.clone(), session: answer.session.clone() }.into()
        }
        (refusal, _) => refusal,
    })?;
    let Some(Told { answer: exports, aside, .. }) = asked else {
        let unknown = if is_in_file {
            LiveFault::NoImage { of: dialect.and_then(runtime_of) }
        } else {
            LiveFault::Undefined { name, is_module: true, files: known.files, nearest: known.nearest }
        };
        return known.answer.ok_or(unknown.into());
    };
    let mut files = Files::new(workshop);
    Ok(ExportsAnswer {
        module: exports.name.clone(),
        exports: exports.exports.iter().map(|meaning| export(meaning, &mut files)).collect(),
        total: exports.total,
        truncated: end < exports.total,
        session: Some(aside.session.clone()),
        source: Origin::Live,
        end,
        aside: Some(aside),
    })
}

/// The name of a package or module as calls write it: of the module that is a file, its path.
fn shown(space: &str, root: &Path) -> String {
    file_of_space(space).map_or_else(|| space.to_owned(), |file| relative(file, root))
}

/// What the files of the project say of a module.
struct Known {
    answer: Option<ExportsAnswer>,
    dialect: Option<Dialect>,
    nearest: Vec<String>,
    files: usize,
}

async fn from_files(
    workshop: &Workshop,
    context: &CallContext,
    name: String,
    of: Option<Dialect>,
    offset: usize,
    count: usize,
) -> Result<Known, Refusal> {
    let root = workshop.roots.primary().to_owned();
    indexed(workshop, context, move |index, _| {
        let files = index.documents().count();
        let mut spaces = index.spaces(name.trim_start_matches("#:").trim_start_matches(':'));
        spaces.retain(|(document, _)| of.is_none_or(|of| of == document.dialect));
        let Some((declared, space)) = spaces.first() else {
            let names = index.documents().flat_map(|one| &one.facts.spaces).map(|one| &*one.name);
            return Known { answer: None, dialect: None, nearest: nearest(&name, names, MOST_NEAREST), files };
        };
        let question = index.question(declared.dialect);
        let all = question.exported(&space.name).unwrap_or_default();
        let total = all.len();
        let page = all.into_iter().skip(offset).take(count).map(|(exported, symbol)| {
            let exported = as_written(&exported, declared.dialect);
            let found = question.definitions(&symbol);
            let from = Some(&symbol.space).filter(|home| **home != space.name && !found.is_empty());
            let from = from.map(|home| shown(home, &root));
            let first = found.iter().find(|(_, one)| one.kind != FormKind::Method).or(found.first());
            let Some((document, one)) = first else {
                return Export { name: exported, kind: "symbol".to_owned(), from, ..Export::default() };
            };
            let form = &document.facts.forms[one.form as usize];
            let slice = |span: Span| &document.text[span.range()];
            let documentation = form.docstring.filter(|_| !one.made).map(|span| unquoted(slice(span)));
            Export {
                name: exported,
                kind: one.kind.name().to_owned(),
                arglist: arglist(document, one),
                documentation: documentation.as_deref().and_then(first_line).map(str::to_owned),
                from,
                path: Some(relative(&document.path.to_string_lossy(), &root)),
                line: Some(document.line(form.span.start)),
            }
        });
        let answer = ExportsAnswer {
            module: shown(&space.name, &root),
            exports: page.collect(),
            total: total as u64,
            truncated: offset + count < total,
            session: None,
            source: Origin::Static,
            end: (offset + count).min(total) as u64,
            aside: None,
        };
        Known { answer: Some(answer), dialect: Some(declared.dialect), nearest: Vec::new(), files }
    })
    .await
}

fn export(meaning: &NameMeaning, files: &mut Files<'_>) -> Export {
    let place = meaning.file.as_deref().map(|file| files.definition(&meaning.name, file, meaning.line));
    let (path, line) = place.map(|place| (place.path, place.line)).unzip();
    Export {
        name: meaning.name.clone(),
        kind: meaning.kind.clone(),
        arglist: meaning.arglist.clone(),
        documentation: meaning.documentation.as_deref().and_then(first_line).map(str::to_owned),
        from: meaning.facts.iter().find(|(name, _)| name == "from").map(|(_, module)| module.clone()),
        path,
        line: line.flatten(),
    }
}

fn first_line(documentation: &str) -> Option<&str> {
    documentation.lines().map(str::trim).find(|line| !line.is_empty())
}

/// The module that `path` or `module` means; `path` may also be the name of a module.
async fn named(
    workshop: &Workshop,
    context: &CallContext,
    path: Option<String>,
    module: Option<String>,
) -> Result<Module, Refusal> {
    match (path, module) {
        (None, Some(name)) if !name.trim().is_empty() => Ok(by_name(&name)),
        (Some(path), None) if path.trim_start().starts_with('(') => Ok(by_name(&path)),
        (Some(path), None) => {
            let workshop = workshop.clone();
            context.on_files(move || defined_in(&workshop, &path)).await
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
    let is_module = files_are_modules(language.dialect());
    let name = source.forms.iter().find_map(|(_, form)| said(&source, form)).filter(|_| !is_module);
    match name {
        Some(name) => Ok(Module { name, path: Some(file.path.clone()), dialect: Some(language.dialect()) }),
        None if is_module => {
            Ok(Module { name: file.path.clone(), path: Some(file.path.clone()), dialect: Some(language.dialect()) })
        }
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
