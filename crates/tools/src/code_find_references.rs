//! `code_find_references`: who refers to a name, as a live image knows it.

use std::collections::HashSet;

use lispwright_runtime::{Ending, EvalReport, Reference, References, Request};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::answer::{Answer, Reply};
use crate::code_describe::place_text;
use crate::code_live::{Files, Place, ask_living, dialect_within, named, within};
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::repl_report::{answer, notes, output_limit};
use crate::repl_text::{one_line, start_of_fenced};
use crate::repl_work::relative;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// References shown when no number is asked for.
const DEFAULT_LIMIT: u32 = 100;

/// References shown at most.
const MOST: u32 = 2_000;

/// The kinds there are.
const KINDS: [&str; 6] = ["call", "macroexpansion", "reference", "assignment", "binding", "specialization"];

/// Arguments of `code_find_references`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeFindReferences {
    /// Symbol
    pub symbol: String,
    /// Package
    #[serde(default)]
    pub package: Option<String>,
    /// Only in this file or directory
    #[serde(default)]
    pub path: Option<String>,
    /// call, macroexpansion, reference, assignment, binding, specialization
    #[serde(default)]
    pub kinds: Vec<String>,
    /// False: libraries too
    #[serde(default)]
    pub project_only: Option<bool>,
    /// Default 100
    #[serde(default)]
    pub limit: Option<u32>,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
}

/// Finds the references. Cancelling the context interrupts the image.
pub async fn code_find_references(workshop: &Workshop, args: CodeFindReferences, context: &CallContext) -> Reply {
    find(workshop, args, context).await.map(Answer::from)
}

async fn find(workshop: &Workshop, args: CodeFindReferences, context: &CallContext) -> Result<Outcome, Refusal> {
    let kinds = kinds(&args.kinds)?;
    let is_wanted = within(workshop, args.path.as_deref())?;
    let project_only = args.project_only.unwrap_or(true);
    let dialect = dialect_within(args.path.as_deref());
    let request = Request::References { name: named(args.symbol)?, package: args.package };
    let report = ask_living(&workshop.sessions, args.session.as_deref(), dialect, request, context).await?;
    let Ending::References(references) = &report.ending else { return Ok(answer(&report, output_limit(None))) };
    let mut files = Files::new(workshop);
    let mut outside = 0;
    let mut found: Vec<&Reference> = Vec::new();
    for reference in &references.references {
        let is_here = match reference.file.as_deref() {
            Some(file) => is_wanted(file),
            None => args.path.is_none(),
        };
        if !is_here || !(kinds.is_empty() || kinds.contains(&reference.kind.as_str())) {
            continue;
        }
        if project_only && reference.file.as_deref().is_some_and(|file| !files.is_of_project(file)) {
            outside += 1;
        } else {
            found.push(reference);
        }
    }
    let limit = args.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MOST) as usize;
    let placed = found.into_iter().map(|reference| (reference, files.reference(&references.name, reference)));
    let mut shown = one_for_a_line(placed);
    let count = shown.len();
    shown.truncate(limit);
    let not_noted =
        references.not_noted.iter().map(|file| relative(file, workshop.roots.primary())).collect::<Vec<_>>();
    Ok(outcome(references, &shown, count, outside, &not_noted, &report))
}

/// The references without those that another of the same kind stands for on its line: what a macro makes of one mention can be
/// dozens.
fn one_for_a_line<'a>(references: impl Iterator<Item = Shown<'a>>) -> Vec<Shown<'a>> {
    let mut seen = HashSet::new();
    let is_first = |(reference, place): &Shown<'_>| match place {
        Some(place) => seen.insert((place.path.clone(), place.line, reference.kind.clone())),
        None => true,
    };
    references.filter(is_first).collect()
}

/// The kinds asked for, by their own names or those of other tools.
fn kinds(asked: &[String]) -> Result<Vec<&'static str>, Refusal> {
    let known = |asked: &String| {
        let name = match asked.as_str() {
            "calls" => "call",
            "macroexpands" | "macro" => "macroexpansion",
            "references" => "reference",
            "sets" | "set" => "assignment",
            "binds" | "bind" => "binding",
            "specializes" => "specialization",
            other => other,
        };
        KINDS.into_iter().find(|kind| *kind == name).ok_or_else(|| {
            Refusal::worded("BAD_ARGUMENT", format!("`kinds` has {asked:?}; there are: {}.", KINDS.join(", ")))
                .with("candidates", KINDS.to_vec())
        })
    };
    asked.iter().map(known).collect()
}

type Shown<'a> = (&'a Reference, Option<Place>);

fn outcome(
    references: &References,
    shown: &[Shown<'_>],
    count: usize,
    outside: usize,
    not_noted: &[String],
    report: &EvalReport,
) -> Outcome {
    let name = one_line(&references.name, 200);
    let mut text = match count {
        0 if outside > 0 => format!("The live image knows no reference to {name} in the project.\n"),
        0 => format!("The live image knows no reference to {name}, which does not mean that there is none.\n"),
        1 => format!("1 reference to {name}, as the live image knows it:\n"),
        several => format!("{several} references to {name}, as the live image knows them:\n"),
    };
    for (reference, place) in shown {
        text.push_str(&reference_text(reference, place.as_ref()));
    }
    let (mut text, cut) = start_of_fenced(&text, output_limit(None));
    let truncated = shown.len() < count || cut > 0;
    if truncated {
        text.push_str("[note] More are left out; narrow them with path or kinds.\n");
    }
    if outside > 0 {
        text.push_str(&format!("[note] {outside} more outside the project; project_only false shows them.\n"));
    }
    if let Some(first) = not_noted.first() {
        text.push_str(&format!(
            "[note] What these files refer to is not known, since they were not compiled in this image: {}. load_system \
             {{\"path\": {first:?}}} compiles one.\n",
            one_line(&not_noted.join(", "), 500)
        ));
    }
    let not_looked_at = report.runtime.words.not_looked_at;
    if !not_looked_at.is_empty() {
        text.push_str(&format!("[note] {not_looked_at}\n"));
    }
    text.push_str(&notes(report));
    let mut fields = Map::new();
    fields.insert("refs".into(), shown.iter().map(|(reference, place)| fields_of(reference, place.as_ref())).collect());
    fields.insert("count".into(), count.into());
    fields.insert("truncated".into(), truncated.into());
    fields.insert("outside_project".into(), outside.into());
    if !not_noted.is_empty() {
        fields.insert("not_known".into(), not_noted.to_vec().into());
    }
    fields.insert("session".into(), report.session.clone().into());
    Outcome { text: text.trim_end().to_owned(), fields, is_error: false }
}

fn reference_text(reference: &Reference, place: Option<&Place>) -> String {
    let kind = one_line(&reference.kind, 40);
    let Some(place) = place else {
        return format!("(evaluated, in no file): {kind} in {}\n", one_line(&reference.name, 200));
    };
    let from = match (&place.form_type, &place.form_name) {
        (Some(head), Some(name)) => format!("{head} {name}"),
        _ => reference.name.clone(),
    };
    let context = if place.context.is_empty() { String::new() } else { format!(": {}", place.context) };
    format!("{}: {kind} in {}{context}\n", place_text(place), one_line(&from, 200))
}

fn fields_of(reference: &Reference, place: Option<&Place>) -> Value {
    let mut fields = Map::new();
    if let Some(place) = place {
        fields.insert("path".into(), place.path.clone().into());
        for (key, number) in [("line", place.line), ("column", place.column)] {
            if let Some(number) = number {
                fields.insert(key.into(), number.into());
            }
        }
        if let Some(head) = &place.form_type {
            fields.insert("form_type".into(), head.clone().into());
        }
        fields.insert("context".into(), place.context.clone().into());
    }
    let name = place.and_then(|place| place.form_name.as_deref()).unwrap_or(&reference.name);
    fields.insert("form_name".into(), name.into());
    fields.insert("kind".into(), reference.kind.clone().into());
    fields.insert("source".into(), "live".into());
    Value::Object(fields)
}
