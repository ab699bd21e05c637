//! What is wrong with a text, as the fields of an answer.

use lispwright_edit::Diagnosis;
use lispwright_syntax::in_a_line;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::facts::{Fix, Place};
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

fn fact(value: impl Serialize) -> Value {
    serde_json::to_value(value).expect("facts have texts as keys and nothing that fails")
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
    fields.insert("position".into(), fact(Place::from(diagnosis.position)));
    if let Some(opened_at) = diagnosis.opened_at {
        fields.insert("opened_at".into(), fact(Place::from(opened_at)));
    }
    if let Some(line) = diagnosis.next_form_line {
        fields.insert("next_form_line".into(), line.into());
    }
    fields.insert("message".into(), diagnosis.to_string().into());
    fields.insert("likely_fixes".into(), diagnosis.fixes.iter().map(|fix| fact(Fix::from(fix))).collect());
    fields
}
