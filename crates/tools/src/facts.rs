//! Small facts that several answers have: places, changed lines, fixes, what is wrong with a text.

use lispwright_edit as edit;
use schemars::JsonSchema;
use serde::Serialize;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// Unicode scalar values before it, from 0.
    pub offset: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in scalar values.
    pub column: u32,
}

impl From<edit::Place> for Place {
    fn from(edit::Place { offset, line, column }: edit::Place) -> Self {
        Self { offset, line, column }
    }
}

/// A line before and after a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineChange {
    /// The line, from 1.
    pub line: u32,
    /// How it is.
    pub before: String,
    /// How it would be.
    pub after: String,
}

impl From<&edit::LineChange> for LineChange {
    fn from(change: &edit::LineChange) -> Self {
        Self { line: change.line, before: change.before.clone(), after: change.after.clone() }
    }
}

/// A change that would mend a text: its first line, and all of them when there are several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fix {
    /// The line, from 1.
    pub line: u32,
    /// How it is.
    pub original: String,
    /// How it would be.
    pub repaired: String,
    /// Delimiters that are added.
    pub add: String,
    /// Delimiters that are removed.
    pub remove: String,
    /// The reason.
    pub why: String,
    /// Every line it changes, where it is more than one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineChange>,
}

impl From<&edit::Fix> for Fix {
    fn from(fix: &edit::Fix) -> Self {
        let first = &fix.lines[0];
        let lines = if fix.lines.len() > 1 { fix.lines.iter().map(LineChange::from).collect() } else { Vec::new() };
        Self {
            line: first.line,
            original: first.before.clone(),
            repaired: first.after.clone(),
            add: fix.add.clone(),
            remove: fix.remove.clone(),
            why: fix.why.clone(),
            lines,
        }
    }
}
