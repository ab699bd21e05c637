//! `code_find`: where a name is defined, as a live image knows it.

use lispwright_runtime::{Description, Ending, EvalReport, Request};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::answer::{Answer, Reply};
use crate::code_describe::place_text;
use crate::code_live::{Files, Place, ask_living, named, within};
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::repl_report::{answer, notes, output_limit};
use crate::repl_text::one_line;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Definitions shown in the text.
const MOST: usize = 50;

/// Arguments of `code_find`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeFind {
    /// Symbol
    pub symbol: String,
    /// Package
    #[serde(default)]
    pub package: Option<String>,
    /// Only in this file or directory
    #[serde(default)]
    pub path: Option<String>,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
}

/// Finds the definitions. Cancelling the context interrupts the image.
pub async fn code_find(workshop: &Workshop, args: CodeFind, context: &CallContext) -> Reply {
    find(workshop, args, context).await.map(Answer::from)
}

async fn find(workshop: &Workshop, args: CodeFind, context: &CallContext) -> Result<Outcome, Refusal> {
    let is_wanted = within(workshop, args.path.as_deref())?;
    let request = Request::Describe { name: named(args.symbol)?, package: args.package, limit: 0 };
    let report = ask_living(&workshop.sessions, args.session.as_deref(), None, request, context).await?;
    let Ending::Described(description) = &report.ending else { return Ok(answer(&report, output_limit(None))) };
    let mut files = Files::new(workshop);
    let mut found: Vec<(Place, &str)> = Vec::new();
    for meaning in &description.meanings {
        if let Some(file) = meaning.file.as_deref().filter(|file| is_wanted(file)) {
            let place = files.definition(&meaning.name, file, meaning.line);
            let same = |(other, _): &&mut (Place, &str)| other.path == place.path && other.line == place.line;
            // A structure is its constructor and accessors, too.
            if found.iter_mut().find(same).is_none() {
                found.push((place, meaning.name.as_str()));
            }
        }
    }
    Ok(outcome(description, &found, args.path.is_some(), &report))
}

fn outcome(description: &Description, found: &[(Place, &str)], narrowed: bool, report: &EvalReport) -> Outcome {
    let name = one_line(&description.name, 200);
    let mut text = match found.len() {
        0 if narrowed => format!("{name} is not defined there, as far as the live image knows.\n"),
        0 => {
            let mut kinds: Vec<&str> = description.meanings.iter().map(|meaning| meaning.kind.as_str()).collect();
            kinds.dedup();
            format!(
                "{name} ({}) has no place in a file of the project: it was evaluated, or comes with the runtime. code_describe \
                 says what the live image knows.\n",
                one_line(&kinds.join(", "), 200)
            )
        }
        1 => format!("{name} is defined, as the live image knows it, at\n"),
        several => format!("{name} has {several} definitions in the live image:\n"),
    };
    for (place, definition) in found.iter().take(MOST) {
        text.push_str(&format!("{}: {}\n", place_text(place), definition_text(place, definition)));
    }
    if found.len() > MOST {
        text.push_str(&format!("[note] {} more are left out; narrow them with path.\n", found.len() - MOST));
    }
    text.push_str(&notes(report));
    let mut fields = Map::new();
    let definitions = found.iter().map(|(place, definition)| fields_of(place, definition, description));
    fields.insert("definitions".into(), definitions.collect());
    fields.insert("session".into(), report.session.clone().into());
    Outcome { text: text.trim_end().to_owned(), fields, is_error: false }
}

fn definition_text(place: &Place, definition: &str) -> String {
    match (&place.form_type, &place.form_name) {
        (Some(head), Some(name)) => format!("{} {}", one_line(head, 60), one_line(name, 200)),
        _ => one_line(definition, 200),
    }
}

fn fields_of(place: &Place, definition: &str, description: &Description) -> Value {
    let mut fields = Map::new();
    fields.insert("path".into(), place.path.clone().into());
    for (key, number) in [("line", place.line), ("end_line", place.end_line)] {
        if let Some(number) = number {
            fields.insert(key.into(), number.into());
        }
    }
    if let Some(head) = &place.form_type {
        fields.insert("form_type".into(), head.clone().into());
    }
    fields.insert("name".into(), place.form_name.as_deref().unwrap_or(definition).into());
    if let Some(home) = &description.home {
        fields.insert("package".into(), home.clone().into());
    }
    fields.insert("source".into(), "live".into());
    Value::Object(fields)
}
