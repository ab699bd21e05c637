//! Refusals about the text of a file: the place and the reason, and their facts as fields.

use lispwright_edit::{EditRefusal, FormLine, Rest};
use lispwright_syntax::{fenced, in_a_line};
use lispwright_tools::NextCall;
use lispwright_tools::facts::{FixFacts, PlaceFacts};
use lispwright_tools::offers::OtherEdits;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::Skin;
use crate::call::spoken;
use crate::refusal::sentence::sentence;
use crate::terms::Terms;

/// A fact as a field.
fn fact(value: impl Serialize) -> Value {
    serde_json::to_value(value).expect("facts have texts as keys and nothing that fails")
}

/// A refusal about the file at `path`.
pub(crate) fn said(path: &str, refusal: &EditRefusal, skin: Skin) -> (String, Map<String, Value>) {
    let accepting = accepting(refusal, skin);
    let silent = accepting.is_none().then(|| without_offers(refusal));
    let refusal = silent.as_ref().unwrap_or(refusal);
    let shown = in_a_line(path);
    let mut at = match refusal.place() {
        Some((line, Some(column))) => format!("{line}:{column}: "),
        Some((line, None)) => format!("{line}: "),
        None => String::new(),
    };
    let terms = Terms::of(skin);
    let argument = refusal.argument().map(|argument| match argument {
        "old_text" => terms.old_text,
        "new_text" => terms.new_text,
        "content" if matches!(skin, Skin::Surface(_)) => terms.content.trim_matches('`'),
        other => other,
    });
    match (argument, at.is_empty()) {
        (Some(argument), false) => at.insert_str(0, &format!("{shown}: {argument}:")),
        (None, false) => at.insert_str(0, &format!("{shown}:")),
        (_, true) => at = format!("{shown}: "),
    }
    let mut message = format!("{at}{}", sentence(refusal, terms));
    match refusal {
        EditRefusal::Stale { present, .. } => message.push_str(&format!(":\n{}", fenced(present))),
        EditRefusal::PatchUnbalanced { corrected: Some(corrected), .. } => {
            message.push_str(&format!(":\n{}", fenced(corrected)));
        }
        _ if message.ends_with(['.', '?', '`']) => {}
        _ => message.push('.'),
    }
    if let Some(call) = &accepting {
        let gap = if message.ends_with('`') { '\n' } else { ' ' };
        message.push_str(&format!("{gap}Or accept a candidate as it is: {call}"));
    }
    if let Some(sentence) = refusal.rest().and_then(|rest| write_the_rest(rest, skin)) {
        message.push_str(&sentence);
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
        EditRefusal::Stale { digest, present, .. } => {
            facts.insert("digest".into(), digest.clone().into());
            facts.insert("content".into(), present.clone().into());
        }
        EditRefusal::Unbalanced { diagnosis, .. } | EditRefusal::PatchUnbalanced { diagnosis, .. } => {
            facts.insert("kind".into(), diagnosis.kind.code().into());
            facts.insert("certain".into(), diagnosis.is_certain().into());
            if let Some(expected) = &diagnosis.expected {
                facts.insert("expected".into(), expected.clone().into());
            }
            if let Some(opened_at) = diagnosis.opened_at {
                facts.insert("opened_at".into(), fact(PlaceFacts::from(opened_at)));
            }
        }
        _ => {}
    }
    if let EditRefusal::PatchUnbalanced { corrected: Some(corrected), .. } = refusal {
        facts.insert("new_text".into(), corrected.clone().into());
    }
    if let Some(next) = accepting.or_else(|| next(path, refusal).and_then(|call| spoken(&call, skin))) {
        facts.insert("next".into(), next.into());
    }
    (message, facts)
}

/// The call that accepts the first candidate, if that is kept and the reader has such a call.
fn accepting(refusal: &EditRefusal, skin: Skin) -> Option<String> {
    let (EditRefusal::Unbalanced { diagnosis, .. } | EditRefusal::PatchUnbalanced { diagnosis, .. }) = refusal else {
        return None;
    };
    let name = diagnosis.fixes.first()?.offer.as_deref()?;
    spoken(&NextCall::to("lisp_edit_form").with("accept", name), skin)
}

/// The most labels of forms that are listed.
const MOST_LABELS: usize = 6;

fn listed(labels: &[String]) -> String {
    let shown: Vec<String> = labels.iter().take(MOST_LABELS).map(|label| in_a_line(label).into_owned()).collect();
    let more = labels.len().saturating_sub(MOST_LABELS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// The call that writes the forms of a text that are not doubtful, if the reader has it.
fn write_the_rest(rest: &Rest, skin: Skin) -> Option<String> {
    let call = spoken(&NextCall::to("lisp_edit_form").with("accept", rest.offer.as_deref()?), skin)?;
    let held: Vec<String> = rest.held.iter().map(|(_, label)| label.clone()).collect();
    Some(format!("\nOr write {} now, and send only {} again: {call}", listed(&rest.written), listed(&held)))
}

/// The call that makes the edits of a batch that balance, if the reader has it.
pub(crate) fn make_the_others(others: &OtherEdits, edits: usize, skin: Skin) -> Option<String> {
    let call = spoken(&NextCall::to("lisp_edit_form").with("accept", others.offer.as_str()), skin)?;
    let mut left: Vec<String> = others.held.iter().map(|number| format!("edit {number}")).collect();
    left.extend(others.forms.iter().map(|(number, label)| format!("{label} of edit {number}")));
    let made = edits - others.held.len();
    let made = if made == 1 { "the other edit".to_owned() } else { format!("the other {made} edits") };
    let made = if others.held.is_empty() { "everything else".to_owned() } else { made };
    Some(format!(" Or make {made} now, and send only {} again: {call}", listed(&left)))
}

/// The refusal without the names of kept candidates, for a reader who cannot accept them.
fn without_offers(refusal: &EditRefusal) -> EditRefusal {
    let mut silent = refusal.clone();
    for fix in silent.fixes_mut() {
        fix.offer = None;
    }
    silent
}

/// The place of a refusal as a field.
fn position(refusal: &EditRefusal, line: u32, column: Option<u32>) -> Value {
    let mut position = match refusal.fault() {
        EditRefusal::Unbalanced { diagnosis, .. } | EditRefusal::PatchUnbalanced { diagnosis, .. } => {
            fact(PlaceFacts::from(diagnosis.likely_at))
        }
        EditRefusal::ForeignBracket { at, .. }
        | EditRefusal::SmartQuote { at, .. }
        | EditRefusal::Invisible { at, .. }
        | EditRefusal::Artefact { at, .. }
        | EditRefusal::Flawed { at, .. } => fact(PlaceFacts::from(*at)),
        _ => column.map_or_else(|| json!({"line": line}), |column| json!({"line": line, "column": column})),
    };
    if let Some(argument) = refusal.argument() {
        position["in"] = argument.into();
    }
    position
}

fn candidates(path: &str, refusal: &EditRefusal) -> Vec<Value> {
    match refusal {
        EditRefusal::FormNotFound { others, nearest, .. } => others
            .iter()
            .map(|form| form_line(path, form))
            .chain(nearest.iter().map(|name| json!({"name": name})))
            .collect(),
        EditRefusal::FormAmbiguous { candidates, .. } => candidates
            .iter()
            .enumerate()
            .map(|(index, form)| {
                let mut value = form_line(path, form);
                value["index"] = (index + 1).into();
                value
            })
            .collect(),
        EditRefusal::TextInForms { forms } => forms.iter().map(|form| form_line(path, form)).collect(),
        EditRefusal::TextAmbiguous { lines, .. } => {
            lines.iter().map(|(line, text)| json!({"path": path, "line": line, "text": text})).collect()
        }
        EditRefusal::TextNotFound { near: Some(near), .. } => {
            vec![json!({"path": path, "line": near.line, "text": near.text})]
        }
        EditRefusal::Unbalanced { diagnosis, .. } | EditRefusal::PatchUnbalanced { diagnosis, .. } => {
            diagnosis.fixes.iter().map(|fix| fact(FixFacts::from(fix))).collect()
        }
        _ => Vec::new(),
    }
}

fn form_line(path: &str, form: &FormLine) -> Value {
    json!({"path": path, "line": form.line, "form": form.label, "text": form.text})
}

/// A call that helps, if the message does not already name one.
fn next(path: &str, refusal: &EditRefusal) -> Option<NextCall> {
    match refusal {
        EditRefusal::NoAddress | EditRefusal::FormNotFound { .. } => {
            Some(NextCall::to("lisp_read_file").with("path", path))
        }
        EditRefusal::TextNotFound { label, .. } => {
            Some(NextCall::to("lisp_read_form").with("path", path).with("name", label.as_str()))
        }
        _ => None,
    }
}
