//! What a repair comes to.

use std::fmt;

use crate::doubts::Doubt;
use crate::text::edit::{counted, normalise};

pub use crate::text::edit::TextEdit;

/// The answer to a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The text balances: it is left as it is, byte for byte.
    Balanced,
    /// The witnesses left one answer.
    Repaired(Repair),
    /// They did not; nothing is changed.
    Refused(Unrepaired),
}

/// A text made to balance.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// What was changed, by ascending byte offset in the given text; edits do not touch.
    pub edits: Vec<TextEdit>,
    /// The text with the edits made.
    pub text: String,
    /// Why this and nothing else.
    pub evidence: Vec<Evidence>,
    /// The forms that were changed, and the lines changed before the first form.
    pub forms: Vec<TouchedForm>,
    /// How many times likelier this answer is than the next, as a natural logarithm.
    pub margin: f32,
}

impl Repair {
    /// The reasons in words, each once and without the places: for answers that show the lines anyway.
    #[must_use]
    pub fn why(&self) -> String {
        let mut reasons: Vec<&str> = Vec::new();
        for Evidence { why, .. } in &self.evidence {
            if !reasons.contains(&&**why) {
                reasons.push(why);
            }
        }
        reasons.join("; ")
    }
}

/// What speaks for a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The first line of the form it is about, from 1; `None` when it is about the whole text.
    pub form_line: Option<u32>,
    /// In words, without a place.
    pub why: String,
}

impl From<&str> for Evidence {
    fn from(why: &str) -> Self {
        Self { form_line: None, why: why.to_owned() }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.form_line {
            Some(line) => write!(f, "in the form at line {line}, {}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

/// A top-level form that a repair changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchedForm {
    /// Its first line, from 1.
    pub line: u32,
    /// The text of that line, shortened.
    pub first_line: String,
}

/// A text that was not changed, and what is known of its fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Unrepaired {
    /// Why no answer was picked.
    pub reason: Reason,
    /// What spoke against the likeliest answer, if there was one.
    pub doubt: Option<Doubt>,
    /// Where the fault shows.
    pub diagnosis: FaultSite,
    /// What could be meant, likeliest first; at most five. Each makes the text balance.
    pub candidates: Vec<Candidate>,
}

/// Why nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Several answers are about as likely.
    Ambiguous,
    /// The text ends in the middle of a form.
    CutShort,
    /// Faults in different forms cancel each other, or there are too many.
    Entangled,
    /// A string, symbol or block comment is open and nothing says where it ends.
    OpenText,
    /// Nothing that was tried balances.
    NoCandidate,
    /// The text holds both sides of a merge, between the marks of a version control system.
    Conflict,
    /// A prefix has nothing behind it, or lists nest too deeply: no delimiter would help.
    NotDelimiters,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ambiguous => "more than one change would make it balance, and nothing tells them apart",
            Self::CutShort => "the text stops in the middle of a form",
            Self::Entangled => "several forms are broken in ways that depend on each other",
            Self::OpenText => "a string, symbol or block comment is left open, and nothing says where it ends",
            Self::NoCandidate => "no change that was tried makes it balance",
            Self::Conflict => "the lines between `<<<<<<<` and `>>>>>>>` are both sides of a merge; keep one of them",
            Self::NotDelimiters => "the fault is not a delimiter",
        })
    }
}

/// Where a fault shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultSite {
    /// The line where something is most likely wrong, from 1.
    pub line: u32,
    /// The opener or quote left open, as a byte offset.
    pub opener: Option<u32>,
    /// Its line, from 1.
    pub opener_line: Option<u32>,
    /// The delimiter that is due.
    pub expected: Option<char>,
    /// In words.
    pub message: String,
}

/// One way to make the text balance.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The line it is about, from 1: the first one that it changes in the form that could not be decided.
    pub line: u32,
    /// That line as it is, without its line ending; with the lines after it up to the end of the first change.
    pub before: String,
    /// The same as it would be.
    pub after: String,
    /// How many delimiters it adds.
    pub added: usize,
    /// How many delimiters it removes.
    pub removed: usize,
    /// What speaks for it.
    pub why: String,
    /// All its changes.
    pub edits: Vec<TextEdit>,
}

impl Candidate {
    /// The same with `others` made as well, in other lines.
    pub(crate) fn add(&mut self, others: &[&TextEdit]) {
        let (added, removed) = counted(others.iter().copied());
        self.added += added;
        self.removed += removed;
        self.edits = normalise(others.iter().map(|edit| (*edit).clone()).chain(self.edits.drain(..)).collect());
    }
}
