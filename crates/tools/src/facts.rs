//! Small facts that several answers share: places, changed lines, fixes, mistakes of a text.

use lispwright_edit as edit;
use schemars::JsonSchema;
use serde::Serialize;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlaceFacts {
    /// The number of Unicode scalar values before it.
    pub offset: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in scalar values.
    pub column: u32,
}

impl From<edit::Place> for PlaceFacts {
    fn from(edit::Place { offset, line, column }: edit::Place) -> Self {
        Self { offset, line, column }
    }
}

/// The first mistake of a text that does not balance, and its fixes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiagnosisFacts {
    /// The stable code of the mistake, such as `unclosed`.
    pub kind: &'static str,
    /// The expected delimiter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The delimiter that is there instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// The place of the mistake.
    pub position: PlaceFacts,
    /// The opener that is still open there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened_at: Option<PlaceFacts>,
    /// The first line after it that begins a form which reads well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_form_line: Option<u32>,
    /// The mistake in a sentence; empty until the answer is rendered.
    pub message: String,
    /// Changes that would mend the text, likeliest first.
    pub likely_fixes: Vec<FixFacts>,
    /// The whole diagnosis.
    #[serde(skip)]
    pub whole: edit::Diagnosis,
}

impl From<edit::Diagnosis> for DiagnosisFacts {
    fn from(whole: edit::Diagnosis) -> Self {
        Self {
            kind: whole.kind.code(),
            expected: whole.expected.clone(),
            found: whole.found.clone(),
            position: whole.position.into(),
            opened_at: whole.opened_at.map(PlaceFacts::from),
            next_form_line: whole.next_form_line,
            message: String::new(),
            likely_fixes: whole.fixes.iter().map(FixFacts::from).collect(),
            whole,
        }
    }
}

/// A line before and after a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineChangeFacts {
    /// The line, from 1.
    pub line: u32,
    /// The line before the change.
    pub before: String,
    /// The line after the change.
    pub after: String,
}

impl From<&edit::LineChange> for LineChangeFacts {
    fn from(change: &edit::LineChange) -> Self {
        Self { line: change.line, before: change.before.clone(), after: change.after.clone() }
    }
}

/// A change that would mend a text: its first line, and all its lines if there are several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FixFacts {
    /// The line, from 1.
    pub line: u32,
    /// The line before the change.
    pub original: String,
    /// The line after the change.
    pub repaired: String,
    /// Delimiters that are added.
    pub add: String,
    /// Delimiters that are removed.
    pub remove: String,
    /// The reason.
    pub why: String,
    /// All changed lines, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineChangeFacts>,
    /// The name by which an edit with this change can be accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept: Option<String>,
}

impl From<&edit::Fix> for FixFacts {
    fn from(fix: &edit::Fix) -> Self {
        let first = &fix.lines[0];
        let lines =
            if fix.lines.len() > 1 { fix.lines.iter().map(LineChangeFacts::from).collect() } else { Vec::new() };
        Self {
            line: first.line,
            original: first.before.clone(),
            repaired: first.after.clone(),
            add: fix.add.clone(),
            remove: fix.remove.clone(),
            why: fix.why.clone(),
            lines,
            accept: fix.offer.clone(),
        }
    }
}
