//! From the refusals of the crates below to errors of a tool: the same words with the path in front, and the facts as
//! fields.

use lispwright_edit::{Diagnosis, Fix, FormLine, LineChange, Place, Refusal, Words};
use lispwright_syntax::in_a_line;
use serde_json::{Map, Value, json};

use crate::fence::fenced;
use crate::outcome::ToolError;

impl From<lispwright_project::Error> for ToolError {
    fn from(error: lispwright_project::Error) -> Self {
        let mut found = Self::new(error.code(), in_a_line(&error.to_string()));
        found.retryable = error.retryable();
        if !error.candidates().is_empty() {
            found.fields.insert("candidates".into(), error.candidates().to_vec().into());
        }
        found
    }
}

/// A refusal about the file at `path`, in the words of its reader.
pub fn refusal(path: &str, refusal: &Refusal, words: &'static Words) -> ToolError {
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
    let mut message = format!("{at}{}", refusal.worded(words));
    match refusal {
        Refusal::Stale { present, .. } => message.push_str(&format!(":\n{}", fenced(present))),
        Refusal::PatchUnbalanced { corrected: Some(corrected), .. } => {
            message.push_str(&format!(":\n{}", fenced(corrected)));
        }
        _ if message.ends_with(['.', '?', '`']) => {}
        _ => message.push('.'),
    }
    let mut error = ToolError::new(refusal.code(), message);
    if let Some((line, column)) = refusal.place() {
        error.fields.insert("position".into(), position(refusal, line, column));
    }
    let candidates = candidates(path, refusal);
    if !candidates.is_empty() {
        error.fields.insert("candidates".into(), candidates.into());
    }
    match refusal {
        Refusal::Stale { digest, present, .. } => {
            error.fields.insert("digest".into(), digest.clone().into());
            error.fields.insert("content".into(), present.clone().into());
        }
        Refusal::Unbalanced { diagnosis, .. } | Refusal::PatchUnbalanced { diagnosis, .. } => {
            error.fields.insert("kind".into(), diagnosis.kind.code().into());
            error.fields.insert("certain".into(), diagnosis.is_certain().into());
            if let Some(expected) = &diagnosis.expected {
                error.fields.insert("expected".into(), expected.clone().into());
            }
            if let Some(opened_at) = diagnosis.opened_at {
                error.fields.insert("opened_at".into(), place(opened_at));
            }
        }
        _ => {}
    }
    if let Refusal::PatchUnbalanced { corrected: Some(corrected), .. } = refusal {
        error.fields.insert("new_text".into(), corrected.clone().into());
    }
    if let Some(next) = next(path, refusal).filter(|_| *words == Words::TOOLS) {
        error.fields.insert("next".into(), next.into());
    }
    error
}

/// The place of a refusal as a field.
fn position(refusal: &Refusal, line: u32, column: Option<u32>) -> Value {
    let mut position = match refusal.fault() {
        Refusal::Unbalanced { diagnosis, .. } | Refusal::PatchUnbalanced { diagnosis, .. } => {
            place(diagnosis.likely_at)
        }
        Refusal::ForeignBracket { at, .. }
        | Refusal::SmartQuote { at, .. }
        | Refusal::Invisible { at, .. }
        | Refusal::Slip { at, .. } => place(*at),
        _ => column.map_or_else(|| json!({"line": line}), |column| json!({"line": line, "column": column})),
    };
    if let Some(argument) = refusal.argument() {
        position["in"] = argument.into();
    }
    position
}

fn candidates(path: &str, refusal: &Refusal) -> Vec<Value> {
    match refusal {
        Refusal::FormNotFound { others, nearest, .. } => others
            .iter()
            .map(|form| form_line(path, form))
            .chain(nearest.iter().map(|name| json!({"name": name})))
            .collect(),
        Refusal::FormAmbiguous { candidates, .. } => candidates
            .iter()
            .enumerate()
            .map(|(index, form)| {
                let mut value = form_line(path, form);
                value["index"] = (index + 1).into();
                value
            })
            .collect(),
        Refusal::TextAmbiguous { lines, .. } => {
            lines.iter().map(|(line, text)| json!({"path": path, "line": line, "text": text})).collect()
        }
        Refusal::TextNotFound { near: Some(near), .. } => {
            vec![json!({"path": path, "line": near.line, "text": near.text})]
        }
        Refusal::Unbalanced { diagnosis, .. } | Refusal::PatchUnbalanced { diagnosis, .. } => {
            diagnosis.fixes.iter().map(fix).collect()
        }
        _ => Vec::new(),
    }
}

fn form_line(path: &str, form: &FormLine) -> Value {
    json!({"path": path, "line": form.line, "form": form.label, "text": form.text})
}

/// A call that helps, when the message alone does not lead to one.
fn next(path: &str, refusal: &Refusal) -> Option<String> {
    let path = Value::from(path);
    match refusal {
        Refusal::NoAddress | Refusal::FormNotFound { .. } => Some(format!("lisp_read_file {{\"path\": {path}}}")),
        Refusal::TextNotFound { label, .. } => {
            Some(format!("lisp_read_form {{\"path\": {path}, \"name\": {}}}", Value::from(label.as_str())))
        }
        _ => None,
    }
}

/// A place as a field.
pub(crate) fn place(place: Place) -> Value {
    json!({"offset": place.offset, "line": place.line, "column": place.column})
}

/// A line before and after as a field.
pub(crate) fn line_change(change: &LineChange) -> Value {
    json!({"line": change.line, "before": change.before, "after": change.after})
}

/// A change as a field: its first line, and all of them when there are several.
fn fix(fix: &Fix) -> Value {
    let first = &fix.lines[0];
    let mut value = json!({
        "line": first.line, "original": first.before, "repaired": first.after,
        "add": fix.add, "remove": fix.remove, "why": fix.why,
    });
    if fix.lines.len() > 1 {
        value["lines"] = fix.lines.iter().map(line_change).collect();
    }
    value
}

/// A diagnosis as fields.
pub(crate) fn diagnosis_fields(diagnosis: &Diagnosis) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("kind".into(), diagnosis.kind.code().into());
    if let Some(expected) = &diagnosis.expected {
        fields.insert("expected".into(), expected.clone().into());
    }
    if let Some(found) = &diagnosis.found {
        fields.insert("found".into(), found.clone().into());
    }
    fields.insert("position".into(), place(diagnosis.position));
    if let Some(opened_at) = diagnosis.opened_at {
        fields.insert("opened_at".into(), place(opened_at));
    }
    if let Some(line) = diagnosis.next_form_line {
        fields.insert("next_form_line".into(), line.into());
    }
    fields.insert("message".into(), diagnosis.to_string().into());
    fields.insert("likely_fixes".into(), diagnosis.fixes.iter().map(fix).collect());
    fields
}
