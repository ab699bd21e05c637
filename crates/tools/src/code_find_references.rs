//! `code_find_references`: the references to a name that a live image knows.

use std::collections::HashSet;

use lispwright_runtime::{ListReferences, Reference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aside::Aside;
use crate::code_live::{Files, Origin, Place, ask_living, dialect_within, named, within};
use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::repl_eval::Told;
use crate::repl_work::relative;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// References shown by default.
const DEFAULT_LIMIT: u32 = 100;

/// References shown at most.
const MOST: u32 = 2_000;

/// The kinds of references.
static KINDS: [&str; 6] = ["call", "macroexpansion", "reference", "assignment", "binding", "specialization"];

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

/// The references to a name.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReferencesAnswer {
    /// The references, up to the limit of the call.
    pub refs: Vec<Mention>,
    /// The total number.
    pub count: usize,
    /// Some are left out.
    pub truncated: bool,
    /// The number of omitted ones outside of the project.
    pub outside_project: usize,
    /// Files that the image did not compile, so that it does not know their references.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_known: Vec<String>,
    /// The session that was asked.
    pub session: String,
    /// The name as the image prints it.
    #[serde(skip)]
    pub symbol: String,
    /// Notes of the session.
    #[serde(skip)]
    pub aside: Aside,
}

/// A reference to a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mention {
    /// The file, as calls name it; absent for evaluated code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The head of the form that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_type: Option<String>,
    /// The line itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The form that it is in.
    pub form_name: String,
    /// The kind of the reference.
    pub kind: String,
    /// The source of this fact.
    pub source: Origin,
    /// The label of the form in answers.
    #[serde(skip)]
    pub label: String,
}

/// Finds the references. Cancelling the context interrupts the image.
pub async fn code_find_references(
    workshop: &Workshop,
    args: CodeFindReferences,
    context: &CallContext,
) -> Result<ReferencesAnswer, Refusal> {
    let kinds = kinds(&args.kinds)?;
    let is_wanted = within(workshop, args.path.as_deref())?;
    let project_only = args.project_only.unwrap_or(true);
    let dialect = dialect_within(args.path.as_deref());
    let question = ListReferences { name: named(args.symbol)?, package: args.package };
    let Told { answer: references, aside, .. } =
        ask_living(&workshop.sessions, args.session.as_deref(), dialect, question, context).await?;
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
    let mentions = found.into_iter().map(|reference| mention(reference, files.reference(&references.name, reference)));
    let mut refs = one_for_a_line(mentions);
    let count = refs.len();
    refs.truncate(limit);
    let root = workshop.roots.primary();
    Ok(ReferencesAnswer {
        truncated: refs.len() < count,
        refs,
        count,
        outside_project: outside,
        not_known: references.not_noted.iter().map(|file| relative(file, root)).collect(),
        session: aside.session.clone(),
        symbol: references.name.clone(),
        aside,
    })
}

fn mention(reference: &Reference, place: Option<Place>) -> Mention {
    let label = place.as_ref().map_or_else(|| reference.name.clone(), |place| place.label(&reference.name));
    let (path, context) = place.as_ref().map(|place| (place.path.clone(), place.context.clone())).unzip();
    let Place { line, column, form_type, form_name, .. } = place.unwrap_or_default();
    Mention {
        path,
        line,
        column,
        form_type,
        context,
        form_name: form_name.unwrap_or_else(|| reference.name.clone()),
        kind: reference.kind.clone(),
        source: Origin::Live,
        label,
    }
}

/// The references, one of each kind for a line: a macro can make dozens of references from one mention.
fn one_for_a_line(mentions: impl Iterator<Item = Mention>) -> Vec<Mention> {
    let mut seen = HashSet::new();
    let is_first = |mention: &Mention| match &mention.path {
        Some(path) => seen.insert((path.clone(), mention.line, mention.kind.clone())),
        None => true,
    };
    mentions.filter(is_first).collect()
}

/// The requested kinds, by their own names or those of other tools.
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
        let kind = KINDS.into_iter().find(|kind| *kind == name);
        kind.ok_or_else(|| LiveFault::NoKind { asked: asked.clone(), kinds: &KINDS }.into())
    };
    asked.iter().map(known).collect()
}
