//! `code_describe`: what a name means in a live image.

use lispwright_runtime::{Description, Ending, EvalReport, Meaning, Request};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer::Reply;
use crate::code_live::{Files, Place, ask_living, named};
use crate::outcome::Outcome;
use crate::repl_report::{answer, notes, output_limit};
use crate::repl_text::{fence, head, one_line, start_of_fenced};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Characters of a documentation string that are asked for.
const DOCUMENTATION: usize = 4_000;

/// Methods that are listed.
const MOST_METHODS: usize = 30;

/// Arguments of `code_describe`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeDescribe {
    /// foo, pkg:foo, (setf foo), a package
    pub symbol: String,
    /// Package
    #[serde(default)]
    pub package: Option<String>,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
}

/// Describes the name. Printing values may run code of the user; cancelling the context interrupts that.
pub async fn code_describe(workshop: &Workshop, args: CodeDescribe, context: &CallContext) -> Reply {
    let described = async {
        let request = Request::Describe { name: named(args.symbol)?, package: args.package, limit: DOCUMENTATION };
        ask_living(&workshop.sessions, args.session.as_deref(), None, request, context).await
    };
    match described.await {
        Ok(report) => match &report.ending {
            Ending::Described(description) => outcome(workshop, description, &report).into(),
            _ => answer(&report, output_limit(None)).into(),
        },
        Err(refusal) => Err(refusal),
    }
}

fn outcome(workshop: &Workshop, description: &Description, report: &EvalReport) -> Outcome {
    let mut files = Files::new(workshop);
    let places: Vec<Option<Place>> = description
        .meanings
        .iter()
        .map(|meaning| Some(files.definition(&meaning.name, meaning.file.as_deref()?, meaning.line)))
        .collect();
    let mut text = headline(description);
    let mut methods = 0;
    for (meaning, place) in description.meanings.iter().zip(&places) {
        methods += usize::from(meaning.kind == "method");
        if meaning.kind != "method" || methods <= MOST_METHODS {
            text.push_str(&meaning_text(meaning, place.as_ref()));
        }
    }
    if methods > MOST_METHODS {
        text.push_str(&format!("[note] {} more methods are left out.\n", methods - MOST_METHODS));
    }
    let (mut text, cut) = start_of_fenced(&text, output_limit(None));
    if cut > 0 {
        text.push_str(&format!("[note] {cut} characters are left out.\n"));
    }
    text.push_str(&notes(report));
    Outcome { text: text.trim_end().to_owned(), fields: fields(description, &places, report), is_error: false }
}

/// `FARM:AREA, exported`.
fn headline(description: &Description) -> String {
    let exported = match (&description.home, description.exported) {
        (Some(home), Some(true)) => format!(", exported from {}", one_line(home, 100)),
        (Some(home), Some(false)) => format!(", internal to {}", one_line(home, 100)),
        (Some(home), None) => format!(", of {}", one_line(home, 100)),
        (None, _) => String::new(),
    };
    format!("{}{exported}\n", fence(&one_line(&description.name, 200)))
}

fn meaning_text(meaning: &Meaning, place: Option<&Place>) -> String {
    let mut text = format!("[{}] {}", one_line(&meaning.kind, 60), one_line(&meaning.name, 200));
    let mut arglists = meaning.arglist.iter().flat_map(|lists| lists.split('\n'));
    if meaning.kind != "method"
        && let Some(first) = arglists.next()
    {
        text.push_str(&format!(" {}", one_line(first, 500)));
    }
    if let Some(place) = place {
        text.push_str(&format!("  {}", place_text(place)));
    }
    text.push('\n');
    for more in arglists.filter(|_| meaning.kind != "method") {
        text.push_str(&format!("or {}\n", one_line(more, 500)));
    }
    for (name, fact) in &meaning.facts {
        text.push_str(&format!("{}: {}\n", one_line(name, 60), one_line(fact, 600)));
    }
    if let Some(documentation) = &meaning.documentation {
        let shown = fence(head(documentation.trim_end(), DOCUMENTATION));
        text.push_str(&shown);
        text.push('\n');
    }
    text
}

/// `path:line` as far as it is known.
pub(crate) fn place_text(place: &Place) -> String {
    let mut text = one_line(&place.path, 300);
    for number in [place.line, place.column].into_iter().flatten() {
        text.push_str(&format!(":{number}"));
    }
    text
}

fn fields(description: &Description, places: &[Option<Place>], report: &EvalReport) -> Map<String, Value> {
    let meanings: Vec<Map<String, Value>> = description
        .meanings
        .iter()
        .zip(places)
        .map(|(meaning, place)| meaning_fields(meaning, place.as_ref()))
        .collect();
    let mut fields = Map::new();
    fields.insert("name".into(), description.name.clone().into());
    if let Some(first) = meanings.first() {
        fields.extend(first.iter().filter(|(key, _)| *key != "name").map(|(key, value)| (key.clone(), value.clone())));
    }
    if let Some(home) = &description.home {
        fields.insert("package".into(), home.clone().into());
    }
    if let Some(exported) = description.exported {
        fields.insert("exported".into(), exported.into());
    }
    fields.insert("meanings".into(), meanings.into_iter().map(Value::Object).collect());
    fields.insert("session".into(), report.session.clone().into());
    fields.insert("source".into(), "live".into());
    fields
}

fn meaning_fields(meaning: &Meaning, place: Option<&Place>) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("name".into(), meaning.name.clone().into());
    fields.insert("type".into(), meaning.kind.clone().into());
    if let Some(arglist) = &meaning.arglist {
        fields.insert("arglist".into(), arglist.clone().into());
    }
    if let Some(documentation) = &meaning.documentation {
        fields.insert("documentation".into(), documentation.clone().into());
    }
    if let Some(place) = place {
        fields.insert("path".into(), place.path.clone().into());
        if let Some(line) = place.line {
            fields.insert("line".into(), line.into());
        }
    }
    if !meaning.facts.is_empty() {
        let facts = meaning.facts.iter().map(|(name, text)| json!({"name": name, "text": text}));
        fields.insert("facts".into(), facts.collect());
    }
    fields
}
