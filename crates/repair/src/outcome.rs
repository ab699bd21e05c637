//! The outcomes of a repair: balanced, repaired, or refused with a diagnosis and candidates.

use std::fmt;
use std::ops::Range;

use crate::doubts::Doubt;
use crate::text::edit::{counted, normalise};

pub use crate::text::edit::TextEdit;

/// The outcome for a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The text balances: it is left as it is, byte for byte.
    Balanced,
    /// The evidence left one answer.
    Repaired(Repair),
    /// The evidence left several answers or none; nothing is changed.
    Refused(Unrepaired),
}

/// A text made to balance.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// The changes, by ascending byte offset in the given text; edits do not touch.
    pub edits: Vec<TextEdit>,
    /// The text with the edits made.
    pub text: String,
    /// The reasons for this answer.
    pub evidence: Vec<Evidence>,
    /// The changed forms, and the changed lines before the first form.
    pub forms: Vec<TouchedForm>,
    /// How many times likelier this answer is than the next, as a natural logarithm.
    pub margin: f32,
}

impl Repair {
    /// The reasons in words, each once and without its place, for callers that show the lines anyway.
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

/// A reason for a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The first line of its form, from 1; `None` if it is about the whole text.
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

/// The refusal to change a text, with what is known of its fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Unrepaired {
    /// Why no answer was picked.
    pub reason: Reason,
    /// The doubt about the likeliest answer, if there was one.
    pub doubt: Option<Doubt>,
    /// The place of the fault.
    pub diagnosis: FaultSite,
    /// Possible repairs, likeliest first; at most five. Each makes the text balance.
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
    /// No change that was tried makes the text balance.
    NoCandidate,
    /// The text holds both sides of a merge, between the marks of a version control system.
    Conflict,
    /// A prefix has no datum after it, or lists nest too deeply: no change of delimiters would help.
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
            Self::NotDelimiters => "no change of delimiters would help",
        })
    }
}

/// The place of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultSite {
    /// The line where something is most likely wrong, from 1.
    pub line: u32,
    /// The byte offset of the opener or quote that is not closed.
    pub opener: Option<u32>,
    /// Its line, from 1.
    pub opener_line: Option<u32>,
    /// The delimiter that the reader expects.
    pub expected: Option<char>,
    /// The fault in words.
    pub message: String,
}

/// One way to make the text balance.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The first line that it changes in the form that could not be decided, from 1.
    pub line: u32,
    /// That line as it is, without its line ending, and the lines after it up to the end of the first change.
    pub before: String,
    /// The same lines after the change.
    pub after: String,
    /// How many delimiters it adds.
    pub added: usize,
    /// How many delimiters it removes.
    pub removed: usize,
    /// The reason for it.
    pub why: String,
    /// All its changes.
    pub edits: Vec<TextEdit>,
}

impl Candidate {
    /// None of its edits touches one of `others`.
    pub(crate) fn is_apart_from(&self, others: &[&TextEdit]) -> bool {
        let is_apart = |one: Range<usize>, other: Range<usize>| one.end < other.start || other.end < one.start;
        self.edits.iter().all(|edit| others.iter().all(|other| is_apart(edit.range(), other.range())))
    }

    /// Adds `others`, from which it [is apart](Self::is_apart_from).
    pub(crate) fn add(&mut self, others: &[&TextEdit]) {
        let (added, removed) = counted(others.iter().copied());
        self.added += added;
        self.removed += removed;
        self.edits = normalise(others.iter().map(|edit| (*edit).clone()).chain(self.edits.drain(..)).collect());
    }
}
