//! `lispwright unused`: the definitions of a project that nothing uses, each with what speaks against deleting it.

use std::path::{Path, PathBuf};

use lispwright_index::{Unused, UseVerdict, spelled};
use lispwright_syntax::Dialect;
use schemars::JsonSchema;
use serde::Serialize;

use crate::code_find_references::{PlaceThere, role};
use crate::code_live::within;
use crate::image_text::one_line;
use crate::indexed::{indexed, left_out};
use crate::references::{first_in_other_texts, singular};
use crate::refusal::Refusal;
use crate::repl_work::relative;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Characters of a line that is shown.
const CONTEXT: usize = 160;

/// Places that are told of one definition.
const MOST_PLACES: usize = 5;

/// The definitions that nothing is known to use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnusedAnswer {
    /// The definitions, in the order of files and lines.
    pub unused: Vec<UnusedThere>,
    /// Definitions that were looked at: functions, macros, variables, types.
    pub definitions: usize,
    /// Files that were looked into.
    pub files: usize,
    /// Files that are too large or no text, so that their uses are not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Files and directories that ignore files leave out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
}

/// A definition that nothing is known to use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnusedThere {
    /// The file, as calls name it.
    pub path: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its head and name.
    pub label: String,
    /// `safe`, `exported` or `possible`.
    pub verdict: &'static str,
    /// Uses in its own definition.
    pub own_uses: usize,
    /// Exports and declarations.
    pub exports: usize,
    /// Others call it by rule: `command`, `main`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
    /// Possible uses and mentions, the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<PlaceThere>,
}

/// Finds the definitions below `path`, by default of the whole project, that nothing is known to use.
pub async fn unused(workshop: &Workshop, path: Option<&str>, context: &CallContext) -> Result<UnusedAnswer, Refusal> {
    let is_wanted = within(workshop, path)?;
    let root = workshop.roots.primary().to_owned();
    let roots: Vec<PathBuf> = workshop.roots.writable().map(Path::to_owned).collect();
    indexed(workshop, context, move |index, refreshed| {
        let mut answer = UnusedAnswer {
            left_out: left_out(&refreshed.left_out, &root),
            ignored: left_out(&refreshed.ignored, &root),
            ..UnusedAnswer::default()
        };
        answer.files = index.documents().filter(|one| is_wanted(&one.path.to_string_lossy())).count();
        let mut names: Vec<(String, Dialect)> = Vec::new();
        for dialect in Dialect::ALL.into_iter().filter(|dialect| dialect.has_special_forms()) {
            let question = index.question(dialect);
            let wanted = question.documents().iter().filter(|one| is_wanted(&one.path.to_string_lossy()));
            answer.definitions += wanted.map(|one| one.facts.definitions.len()).sum::<usize>();
            let found = question.unused(|path| is_wanted(&path.to_string_lossy()));
            names.extend(found.iter().map(|one| (question.spelled(&one.definition.name), dialect)));
            answer.unused.extend(found.iter().map(|one| there(one, &|path| relative(path, &root))));
        }
        // What a Makefile, a document or code of another dialect names may be used there.
        let texts = first_in_other_texts(index, &roots, &names, &|path| relative(path, &root));
        for (one, place) in answer.unused.iter_mut().zip(texts) {
            if let Some(place) = place.filter(|_| one.verdict != UseVerdict::Possible.name()) {
                one.verdict = UseVerdict::Possible.name();
                one.places.push(place);
            }
        }
        answer.unused.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        answer
    })
    .await
}

/// The form that defines the name, after the name if it is not that of the form.
fn label(one: &Unused<'_>) -> String {
    let form = &one.document.facts.forms[one.definition.form as usize];
    let name = spelled(one.document.dialect, &one.definition.name);
    let is_of_form = form.label.split([' ', '(', ')']).any(|word| {
        let plain = word.rsplit([':', '/']).next().filter(|plain| !plain.is_empty()).unwrap_or(word);
        [word, plain].iter().any(|one| one.eq_ignore_ascii_case(&name))
    });
    if is_of_form { form.label.clone() } else { format!("{name} in {}", form.label) }
}

fn there(one: &Unused<'_>, shown: &dyn Fn(&str) -> String) -> UnusedThere {
    let form = &one.document.facts.forms[one.definition.form as usize];
    let place = |document: &lispwright_index::Document, start: u32, kind: &str| {
        let at = document.lines().line_column(document.text.as_bytes(), start);
        let line = document.lines().line_span(at.line).map_or("", |span| &document.text[span.range()]);
        PlaceThere {
            path: shown(&document.path.to_string_lossy()),
            line: at.line,
            column: at.column,
            kind: kind.to_owned(),
            context: one_line(line.trim(), CONTEXT),
        }
    };
    let possible = one.ledger.possible.iter().map(|one| place(one.document, one.span.start, one.reason.name()));
    let mentions = one.ledger.mentions.iter().map(|one| place(one.document, one.span.start, singular(one.kind)));
    UnusedThere {
        path: shown(&one.document.path.to_string_lossy()),
        line: one.document.line(form.span.start),
        label: label(one),
        verdict: one.evidence.verdict().name(),
        own_uses: one.evidence.own,
        exports: one.evidence.exports,
        role: one.evidence.role.map(role),
        places: match one.evidence.verdict() {
            UseVerdict::Possible => possible.chain(mentions).take(MOST_PLACES).collect(),
            _ => Vec::new(),
        },
    }
}
