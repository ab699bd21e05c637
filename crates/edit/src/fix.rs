//! A change that would mend a text.

use lispwright_repair::{Edit, LineChange, line_changes};
use lispwright_syntax::LineIndex;

/// A change of some lines that would make a text balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Every line it changes, in order; at least one.
    pub lines: Vec<LineChange>,
    /// Delimiters that are added.
    pub add: String,
    /// Delimiters that are removed.
    pub remove: String,
    /// The reason, in a few words.
    pub why: String,
    /// The bytes it changes of the text that was diagnosed.
    pub edits: Vec<Edit>,
}

/// What was done to new source before it was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// The lines that were changed.
    pub lines: Vec<LineChange>,
    /// Why this and nothing else, a sentence each.
    pub evidence: Vec<String>,
}

impl Fix {
    /// A fix of `text`, whose lines are `lines`.
    pub(crate) fn new(edits: Vec<Edit>, why: String, text: &str, lines: &LineIndex) -> Self {
        let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        Self {
            lines: line_changes(text, lines, &edits),
            add: edits.iter().map(|edit| solid(&edit.inserted)).collect(),
            remove: edits.iter().map(|edit| solid(&edit.removed)).collect(),
            why,
            edits,
        }
    }

    /// Moves it `lines` down, with `lead` in front of the first line of the text and `tail` behind its last one.
    pub(crate) fn shift(&mut self, lines: u32, lead: &str, last: u32, tail: &str) {
        for change in &mut self.lines {
            if change.line == 1 {
                change.before.insert_str(0, lead);
                change.after.insert_str(0, lead);
            }
            if change.line == last {
                change.before.push_str(tail);
                change.after.push_str(tail);
            }
            change.line += lines;
        }
    }
}

impl From<&Fix> for Mended {
    fn from(fix: &Fix) -> Self {
        Self { lines: fix.lines.clone(), evidence: vec![fix.why.clone()] }
    }
}
