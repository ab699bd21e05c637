//! Changes that make a text balance.

use lispwright_repair::{LineChange, TextEdit, line_changes};

/// A change of some lines that would make a text balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The changed lines, in order; at least one.
    pub lines: Vec<LineChange>,
    /// The added delimiters.
    pub add: String,
    /// The removed delimiters.
    pub remove: String,
    /// The reason, in a few words.
    pub why: String,
    /// The changed bytes of the diagnosed text.
    pub edits: Vec<TextEdit>,
    /// The name by which a caller can accept it, if it is kept for that.
    pub offer: Option<String>,
}

/// New source with a fix applied, in the place of what was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Corrected {
    /// The content of an operation on a form.
    Content(String),
    /// A patch of the whole form, because a fix may lie outside of the new text that was sent.
    Patch {
        /// The form as it is.
        old_text: String,
        /// The form with the patch and the fix.
        new_text: String,
    },
}

/// A repair of new source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// The changed lines.
    pub lines: Vec<LineChange>,
    /// The reasons for this repair, a sentence each.
    pub evidence: Vec<String>,
}

impl Fix {
    /// A fix of `text`.
    pub(crate) fn new(edits: Vec<TextEdit>, why: String, text: &str) -> Self {
        let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        Self {
            lines: line_changes(text, &edits),
            add: edits.iter().map(|edit| solid(&edit.inserted)).collect(),
            remove: edits.iter().map(|edit| solid(&edit.removed)).collect(),
            why,
            edits,
            offer: None,
        }
    }

    /// Moves the fix `lines` down, with `lead` before the first line of the text and `tail` after its last one.
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
