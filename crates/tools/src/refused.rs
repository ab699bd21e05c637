//! From the refusals of the crates below to errors of a tool: the same words with the path in front, and the facts as
//! fields.

use lispwright_edit::{Candidate, Diagnosis, FormLine, Place, Refusal};
use serde_json::{Map, Value, json};

use crate::fence::fenced;
use crate::tool::ToolError;

impl From<lispwright_project::Error> for ToolError {
    fn from(error: lispwright_project::Error) -> Self {
        let mut found = Self::new(error.code(), error.to_string());
        found.retryable = error.retryable();
        if !error.candidates().is_empty() {
            found.fields.insert("candidates".into(), error.candidates().to_vec().into());
        }
        found
    }
}

/// A refusal about the file at `path`.
pub(crate) fn refusal(path: &str, refusal: &Refusal) -> ToolError {
    let mut message = match line_of(refusal) {
        Some(line) if !refusal.is_about_content() => format!("{path}:{line}: {refusal}"),
        _ => format!("{path}: {refusal}"),
    };
    if let Refusal::Stale { present, .. } = refusal {
        message.push_str(&format!(":\n{}", fenced(present)));
    } else if !message.ends_with(['.', '?', '`']) {
        message.push('.');
    }
    let mut error = ToolError::new(refusal.code(), message);
    if let Some(position) = position(refusal) {
        error.fields.insert("position".into(), position);
    }
    let candidates = candidates(path, refusal);
    if !candidates.is_empty() {
        error.fields.insert("candidates".into(), candidates.into());
    }
    if let Refusal::Stale { digest, present, .. } = refusal {
        error.fields.insert("digest".into(), digest.clone().into());
        error.fields.insert("content".into(), present.clone().into());
    }
    if let Some(next) = next(path, refusal) {
        error.fields.insert("next".into(), next.into());
    }
    error
}

/// The line of the file that a refusal is about.
fn line_of(refusal: &Refusal) -> Option<u32> {
    match refusal {
        Refusal::Stale { line, .. } | Refusal::InsideConditional { line } => Some(*line),
        Refusal::TextNotFound { lines, .. } => Some(lines.0),
        Refusal::TextAmbiguous { lines, .. } => lines.first().map(|(line, _)| *line),
        Refusal::FormAmbiguous { candidates, .. } => candidates.first().map(|form| form.line),
        _ => None,
    }
}

fn position(refusal: &Refusal) -> Option<Value> {
    match refusal {
        Refusal::Unbalanced { diagnosis, .. } => {
            let mut position = place(diagnosis.opened_at.unwrap_or(diagnosis.position));
            position["in"] = "content".into();
            Some(position)
        }
        Refusal::PatchUnbalanced { diagnosis, .. } => {
            let Place { line, column, .. } = diagnosis.opened_at.unwrap_or(diagnosis.position);
            Some(json!({"line": line, "column": column}))
        }
        Refusal::ForeignBracket { at, .. } | Refusal::SmartQuote { at, .. } => {
            let mut position = place(*at);
            position["in"] = "content".into();
            Some(position)
        }
        Refusal::WouldBreak { line, .. } => Some(json!({"line": line})),
        _ => line_of(refusal).map(|line| json!({"line": line})),
    }
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
        Refusal::TextNotFound { near: Some((line, text)), .. } => {
            vec![json!({"path": path, "line": line, "text": text})]
        }
        Refusal::Unbalanced { candidates, .. } | Refusal::PatchUnbalanced { candidates, .. } => {
            candidates.iter().map(fix).collect()
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
            let name = Value::from(label.split_once(' ').map_or(label.as_str(), |(_, name)| name));
            Some(format!("lisp_read_form {{\"path\": {path}, \"name\": {name}}}"))
        }
        _ => None,
    }
}

/// A place as a field.
pub(crate) fn place(place: Place) -> Value {
    json!({"offset": place.offset, "line": place.line, "column": place.column})
}

/// A change of one line as a field.
pub(crate) fn fix(candidate: &Candidate) -> Value {
    json!({
        "line": candidate.line,
        "original": candidate.original,
        "repaired": candidate.repaired,
        "add": candidate.add,
        "remove": candidate.remove,
        "why": candidate.why,
    })
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
    fields
}
