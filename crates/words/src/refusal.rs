//! Refusals in words: what, where, why, and the call to make next; and the facts of them as fields.

use lispwright_edit::{FormLine, Refusal as Fault, Words};
use lispwright_syntax::{Dialect, in_a_line};
use lispwright_tools::facts::{Fix, Place};
use lispwright_tools::{NextCall, Refusal};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::arguments;
use crate::call::spoken;
use crate::configuration::configuration;
use crate::fence::fenced;
use crate::rendering::visible;
use crate::{Rendering, Skin, live_fault};

/// A refusal in words, and as the document that every refusal has: code, message, whether to try again, and what helps.
pub(crate) fn render(refusal: &Refusal, skin: Skin) -> Rendering {
    let (message, facts) = said(refusal, skin);
    let message = visible(&message);
    let mut fields = Map::new();
    fields.insert("code".into(), refusal.code().into());
    fields.insert("message".into(), message.clone().into());
    fields.insert("retryable".into(), refusal.is_retryable().into());
    fields.extend(facts);
    Rendering { text: message, fields, is_error: true }
}

/// The sentence, and the facts beside it.
fn said(refusal: &Refusal, skin: Skin) -> (String, Map<String, Value>) {
    let (dialect, again) = match skin {
        Skin::Client => ("`dialect`", "call again"),
        Skin::Shell => ("--dialect", "run it again"),
    };
    let sentence = match refusal {
        Refusal::Text { path, fault } => return of_text(path, fault, skin),
        Refusal::File(error) => return (in_a_line(&error.to_string()).into_owned(), named(error.candidates())),
        Refusal::NoFile(error) => return (no_file(error, skin), named(error.candidates())),
        Refusal::NoRoot(error) => return (no_root(error), named(error.candidates())),
        Refusal::Live(fault) => return live_fault::of(fault, skin),
        Refusal::Worded(error) => return (error.message.clone(), error.fields.clone()),
        Refusal::Arguments { tool, faults, takes } => {
            let said: Vec<String> = faults.iter().map(arguments::sentence).collect();
            return (arguments::text(tool, faults, takes), Map::from_iter([("faults".to_owned(), said.into())]));
        }
        Refusal::Misfit { why } => format!("The arguments do not fit: {why}. Correct them and {again}."),
        Refusal::ExactlyOne { arguments: [one, other], has_both } => {
            let given = if *has_both { "both were given" } else { "neither was given" };
            format!("The call takes either `{one}` or `{other}`; {given}. Pass exactly one.")
        }
        Refusal::NoDialect { given } => {
            format!("{dialect} is {given:?}; use one of {}.", Dialect::ALL.map(Dialect::name).join(", "))
        }
        Refusal::NotLisp { path, may_be_said } => {
            let instead = match may_be_said {
                true => format!("Say with {dialect} which one it is"),
                false => "Edit it as plain text, or give it a mode line such as ;;; -*- Mode: Lisp -*-".to_owned(),
            };
            let path = in_a_line(path);
            format!("{path}: not known to be Lisp, neither by its extension nor by its first lines. {instead}.")
        }
        Refusal::Configuration(bad) => format!("{}\nCorrect that file, or remove it, and {again}.", configuration(bad)),
        Refusal::Ended { why } => format!("The operation ended early: {why}. The files are as they were."),
        Refusal::Broke { tool, what } => format!(
            "{tool} failed inside the server ({what}). This is a fault of lispwright, not of the call; the server goes on. \
             Look at what the call was to change before trying again, and report it with the arguments used."
        ),
    };
    (sentence, Map::new())
}

/// Names that are near.
fn named(candidates: &[String]) -> Map<String, Value> {
    let mut facts = Map::new();
    if !candidates.is_empty() {
        facts.insert("candidates".into(), candidates.to_vec().into());
    }
    facts
}

/// Of a file that is not there, how one is made.
fn no_file(error: &lispwright_project::Error, skin: Skin) -> String {
    let mut message = in_a_line(&error.to_string()).into_owned();
    if !message.ends_with('?') {
        message.push('.');
    }
    message.push_str(&format!(" {} makes a new file, if its directory is there.", words(skin).append));
    message
}

/// What a server says that has no project.
fn no_root(error: &lispwright_project::Error) -> String {
    format!(
        "No project: {}. That is an argument of this server in the client's configuration, where the person adds it: \
         {{\"args\": [\"mcp\", \"--root\", \"DIR\"]}}.",
        in_a_line(&error.to_string()).trim_end_matches('.')
    )
}

/// What the things are called that refusals of texts speak of.
fn words(skin: Skin) -> &'static Words {
    match skin {
        Skin::Client => &Words::TOOLS,
        Skin::Shell => &Words::COMMAND_LINE,
    }
}

/// A fact as a field.
fn fact(value: impl Serialize) -> Value {
    serde_json::to_value(value).expect("facts have texts as keys and nothing that fails")
}

/// A refusal about the file at `path`.
fn of_text(path: &str, refusal: &Fault, skin: Skin) -> (String, Map<String, Value>) {
    let shown = in_a_line(path);
    let mut at = match refusal.place() {
        Some((line, Some(column))) => format!("{line}:{column}: "),
        Some((line, None)) => format!("{line}: "),
        None => String::new(),
    };
    match (refusal.argument(), at.is_empty()) {
        (Some(argument), false) => at.insert_str(0, &format!("{shown}: {argument}:")),
        (None, false) => at.insert_str(0, &format!("{shown}:")),
        (_, true) => at = format!("{shown}: "),
    }
    let mut message = format!("{at}{}", refusal.worded(words(skin)));
    match refusal {
        Fault::Stale { present, .. } => message.push_str(&format!(":\n{}", fenced(present))),
        Fault::PatchUnbalanced { corrected: Some(corrected), .. } => {
            message.push_str(&format!(":\n{}", fenced(corrected)));
        }
        _ if message.ends_with(['.', '?', '`']) => {}
        _ => message.push('.'),
    }
    let mut facts = Map::new();
    if let Some((line, column)) = refusal.place() {
        facts.insert("position".into(), position(refusal, line, column));
    }
    let candidates = candidates(path, refusal);
    if !candidates.is_empty() {
        facts.insert("candidates".into(), candidates.into());
    }
    match refusal {
        Fault::Stale { digest, present, .. } => {
            facts.insert("digest".into(), digest.clone().into());
            facts.insert("content".into(), present.clone().into());
        }
        Fault::Unbalanced { diagnosis, .. } | Fault::PatchUnbalanced { diagnosis, .. } => {
            facts.insert("kind".into(), diagnosis.kind.code().into());
            facts.insert("certain".into(), diagnosis.is_certain().into());
            if let Some(expected) = &diagnosis.expected {
                facts.insert("expected".into(), expected.clone().into());
            }
            if let Some(opened_at) = diagnosis.opened_at {
                facts.insert("opened_at".into(), fact(Place::from(opened_at)));
            }
        }
        _ => {}
    }
    if let Fault::PatchUnbalanced { corrected: Some(corrected), .. } = refusal {
        facts.insert("new_text".into(), corrected.clone().into());
    }
    if let Some(next) = next(path, refusal).and_then(|call| spoken(&call, skin)) {
        facts.insert("next".into(), next.into());
    }
    (message, facts)
}

/// The place of a refusal as a field.
fn position(refusal: &Fault, line: u32, column: Option<u32>) -> Value {
    let mut position = match refusal.fault() {
        Fault::Unbalanced { diagnosis, .. } | Fault::PatchUnbalanced { diagnosis, .. } => {
            fact(Place::from(diagnosis.likely_at))
        }
        Fault::ForeignBracket { at, .. }
        | Fault::SmartQuote { at, .. }
        | Fault::Invisible { at, .. }
        | Fault::Slip { at, .. } => fact(Place::from(*at)),
        _ => column.map_or_else(|| json!({"line": line}), |column| json!({"line": line, "column": column})),
    };
    if let Some(argument) = refusal.argument() {
        position["in"] = argument.into();
    }
    position
}

fn candidates(path: &str, refusal: &Fault) -> Vec<Value> {
    match refusal {
        Fault::FormNotFound { others, nearest, .. } => others
            .iter()
            .map(|form| form_line(path, form))
            .chain(nearest.iter().map(|name| json!({"name": name})))
            .collect(),
        Fault::FormAmbiguous { candidates, .. } => candidates
            .iter()
            .enumerate()
            .map(|(index, form)| {
                let mut value = form_line(path, form);
                value["index"] = (index + 1).into();
                value
            })
            .collect(),
        Fault::TextAmbiguous { lines, .. } => {
            lines.iter().map(|(line, text)| json!({"path": path, "line": line, "text": text})).collect()
        }
        Fault::TextNotFound { near: Some(near), .. } => {
            vec![json!({"path": path, "line": near.line, "text": near.text})]
        }
        Fault::Unbalanced { diagnosis, .. } | Fault::PatchUnbalanced { diagnosis, .. } => {
            diagnosis.fixes.iter().map(|fix| fact(Fix::from(fix))).collect()
        }
        _ => Vec::new(),
    }
}

fn form_line(path: &str, form: &FormLine) -> Value {
    json!({"path": path, "line": form.line, "form": form.label, "text": form.text})
}

/// A call that helps, when the message alone does not lead to one.
fn next(path: &str, refusal: &Fault) -> Option<NextCall> {
    match refusal {
        Fault::NoAddress | Fault::FormNotFound { .. } => Some(NextCall::to("lisp_read_file").with("path", path)),
        Fault::TextNotFound { label, .. } => {
            Some(NextCall::to("lisp_read_form").with("path", path).with("name", label.as_str()))
        }
        _ => None,
    }
}
