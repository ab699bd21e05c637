//! `code_exports`: what a package, module or namespace offers to others, as a live image knows it.

use lispwright_edit::Source;
use lispwright_runtime::{Ending, EvalReport, Exports, Meaning, Request};
use lispwright_syntax::{Dialect, Form, FormKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::answer::{Answer, Reply};
use crate::code_describe::place_text;
use crate::code_live::{Files, Place, ask_living, package_in};
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::repl_report::{answer, notes, output_limit};
use crate::repl_text::{one_line, start_of_fenced};
use crate::tool::CallContext;
use crate::workshop::{Workshop, blocking, read_source};

/// Names listed when no number is asked for.
const DEFAULT_LIMIT: u32 = 100;

/// Names listed at most.
const MOST: u32 = 500;

/// Characters of the first line of a documentation string that are shown.
const DOCUMENTATION: usize = 120;

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

/// What is asked about.
struct Module {
    name: String,
    /// The file it was named by.
    path: Option<String>,
    dialect: Option<Dialect>,
}

/// Lists the exports. The image is asked, so what is loaded counts; cancelling the context interrupts it.
pub async fn code_exports(workshop: &Workshop, args: CodeExports, context: &CallContext) -> Reply {
    list(workshop, args, context).await.map(Answer::from)
}

async fn list(workshop: &Workshop, args: CodeExports, context: &CallContext) -> Result<Outcome, Refusal> {
    let module = named(workshop, args.path, args.module).await?;
    let count = args.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MOST);
    let request = Request::Exports { name: module.name.clone(), offset: args.offset, count };
    let report = ask_living(&workshop.sessions, args.session.as_deref(), module.dialect, request, context).await?;
    match &report.ending {
        Ending::Exports(exports) => Ok(outcome(workshop, exports, args.offset, count, &report)),
        Ending::NoPackage { .. } if module.path.is_some() => Err(not_loaded(&module, &report.session)),
        _ => Ok(answer(&report, output_limit(None))),
    }
}

/// The module that `path` or `module` means; a name in the place of a path is one, too.
async fn named(workshop: &Workshop, path: Option<String>, module: Option<String>) -> Result<Module, Refusal> {
    match (path, module) {
        (None, Some(name)) if !name.trim().is_empty() => Ok(by_name(&name)),
        (Some(path), None) if path.trim_start().starts_with('(') => Ok(by_name(&path)),
        (Some(path), None) => {
            let workshop = workshop.clone();
            blocking(move || defined_in(&workshop, &path)).await
        }
        _ => Err(Refusal::worded(
            "BAD_ARGUMENT",
            "Give either `path`, the file that defines it, or `module`: code_exports {\"module\": \"(ice-9 match)\"}.",
        )),
    }
}

fn by_name(name: &str) -> Module {
    let name = name.trim();
    Module { name: name.to_owned(), path: None, dialect: name.starts_with('(').then_some(Dialect::Scheme) }
}

/// The module, package or namespace that a file says it defines, or is in.
fn defined_in(workshop: &Workshop, path: &str) -> Result<Module, Refusal> {
    let file = workshop.read(path)?;
    let language = workshop.lisp_language(&file)?;
    let source = read_source(&file, &language);
    let name = source.forms.iter().find_map(|(_, form)| said(&source, form));
    match name {
        Some(name) => Ok(Module { name, path: Some(file.path.clone()), dialect: Some(language.dialect()) }),
        None => Err(Refusal::worded(
            "BAD_ARGUMENT",
            format!(
                "{}: no define-module, library, defpackage, in-package or ns says which module this file is. \
                 lisp_read_file {{\"path\": {:?}}} shows what it defines.",
                file.path, file.path
            ),
        )),
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

fn not_loaded(module: &Module, session: &str) -> Refusal {
    let path = module.path.as_deref().unwrap_or_default();
    let next = format!("load_system {{\"path\": {path:?}}}");
    Refusal::worded(
        "BAD_ARGUMENT",
        format!(
            "{path} defines {}, which is not loaded in session {session:?}. Call {next}, then again.",
            one_line(&module.name, 200)
        ),
    )
    .with("next", next)
}

fn outcome(workshop: &Workshop, exports: &Exports, offset: u32, count: u32, report: &EvalReport) -> Outcome {
    let mut files = Files::new(workshop);
    let listed: Vec<(&Meaning, Option<Place>)> = exports
        .exports
        .iter()
        .map(|meaning| {
            (meaning, meaning.file.as_deref().map(|file| files.definition(&meaning.name, file, meaning.line)))
        })
        .collect();
    let name = one_line(&exports.name, 200);
    let mut text = match exports.total {
        0 => format!("{name} exports nothing.\n"),
        1 => format!("{name} exports 1 name:\n"),
        total => format!("{name} exports {total} names:\n"),
    };
    for (meaning, place) in &listed {
        text.push_str(&line(meaning, place.as_ref()));
    }
    let (mut text, cut) = start_of_fenced(&text, output_limit(None));
    let end = u64::from(offset) + u64::from(count);
    if cut > 0 {
        text.push_str(&format!("[note] {cut} characters are left out; ask for fewer with limit.\n"));
    } else if end < exports.total {
        text.push_str(&format!(
            "[note] {} more: code_exports {{\"module\": {:?}, \"offset\": {end}}}\n",
            exports.total - end,
            exports.name
        ));
    }
    text.push_str(&notes(report));
    let mut fields = Map::new();
    fields.insert("module".into(), exports.name.clone().into());
    fields.insert("exports".into(), listed.iter().map(|(meaning, place)| fields_of(meaning, place.as_ref())).collect());
    fields.insert("total".into(), exports.total.into());
    fields.insert("truncated".into(), (end < exports.total || cut > 0).into());
    fields.insert("session".into(), report.session.clone().into());
    fields.insert("source".into(), "live".into());
    Outcome { text: text.trim_end().to_owned(), fields, is_error: false }
}

/// `procedure crop (x)  farm/field.scm:2  Grows one.`
fn line(meaning: &Meaning, place: Option<&Place>) -> String {
    let mut text = format!("{} {}", one_line(&meaning.kind, 60), one_line(&meaning.name, 200));
    if let Some(arglist) = &meaning.arglist {
        let lists: Vec<String> = arglist.split('\n').map(|list| one_line(list, 300)).collect();
        text.push_str(&format!(" {}", lists.join(" or ")));
    }
    if let Some(from) = from(meaning) {
        text.push_str(&format!("  from {}", one_line(from, 100)));
    }
    if let Some(place) = place {
        text.push_str(&format!("  {}", place_text(place)));
    }
    if let Some(documentation) = first_line(meaning) {
        text.push_str(&format!("  {}", one_line(documentation, DOCUMENTATION)));
    }
    text + "\n"
}

/// The module that a name is from, when it is exported again.
fn from(meaning: &Meaning) -> Option<&str> {
    meaning.facts.iter().find(|(name, _)| name == "from").map(|(_, module)| module.as_str())
}

fn first_line(meaning: &Meaning) -> Option<&str> {
    meaning.documentation.as_deref()?.lines().map(str::trim).find(|line| !line.is_empty())
}

fn fields_of(meaning: &Meaning, place: Option<&Place>) -> Value {
    let mut fields = Map::new();
    fields.insert("name".into(), meaning.name.clone().into());
    fields.insert("type".into(), meaning.kind.clone().into());
    let texts = [
        ("arglist", meaning.arglist.as_deref()),
        ("documentation", first_line(meaning)),
        ("from", from(meaning)),
        ("path", place.map(|place| place.path.as_str())),
    ];
    fields.extend(texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?.into()))));
    if let Some(line) = place.and_then(|place| place.line) {
        fields.insert("line".into(), line.into());
    }
    Value::Object(fields)
}
