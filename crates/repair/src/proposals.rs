//! The answers to a broken text, by sort of fault.
//!
//! There are four sorts of faults, a file for each: quotes written with another sign, closers of another dialect, lost
//! or stray quotes, and delimiters. Each sort proposes its answers independently of the others; [`crate::policy`]
//! decides between the proposals.

pub(crate) mod alike;
pub(crate) mod beam;
pub(crate) mod delimiters;
pub(crate) mod foreign;
mod quoted;
pub(crate) mod quotes;
pub(crate) mod rank;
pub(crate) mod search;
pub(crate) mod signs;
pub(crate) mod steps;

use crate::case::Case;
use crate::doubts::Doubt;
use crate::outcome::{Evidence, Reason};
use crate::text::edit::{TextEdit, apply, normalise};
use crate::text::plain::Plain;

/// A sort of fault.
pub(crate) trait Sort {
    /// The proposal for a fault of this sort; `None` if the text has none.
    fn propose(&self, case: &Case<'_>) -> Option<Proposal>;
}

/// All sorts. Rare faults come first, because they explain best the texts that have them.
pub(crate) const SORTS: [&dyn Sort; 4] =
    [&signs::Signs, &foreign::ForeignClosers, &quotes::Quotes, &delimiters::Delimiters];

/// An answer under consideration.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) edits: Vec<TextEdit>,
    /// Edits of other forms that make the rest of the text balance.
    pub(crate) beside: Vec<TextEdit>,
    /// `-ln` of its probability.
    pub(crate) cost: f32,
    pub(crate) why: &'static str,
    /// It gives a form that nobody writes, which its cost includes.
    pub(crate) odd: bool,
    /// The lines that it changes become like the lines around them.
    pub(crate) alike: bool,
}

impl Answer {
    pub(crate) fn new(edits: Vec<TextEdit>, why: &'static str) -> Self {
        Self { edits, beside: Vec::new(), cost: 0.0, why, odd: false, alike: false }
    }

    /// All its edits.
    pub(crate) fn whole(&self) -> Vec<TextEdit> {
        normalise([&self.edits[..], &self.beside].concat())
    }
}

/// The answers to a text.
pub(crate) enum Proposal {
    /// One answer, which makes the text balance.
    Certain {
        answer: Answer,
        evidence: Vec<Evidence>,
        /// How many times likelier it is than the next, as a natural logarithm.
        margin: f32,
    },
    /// Answers, likeliest first, and the objection to the first of them.
    Open { objection: Objection, answers: Vec<Answer> },
}

/// The reason not to take an answer.
#[derive(Clone, Copy)]
pub(crate) struct Objection {
    pub(crate) reason: Reason,
    /// The doubt, if the answer was likely.
    pub(crate) doubt: Option<Doubt>,
}

impl From<Reason> for Objection {
    fn from(reason: Reason) -> Self {
        Self { reason, doubt: None }
    }
}

impl From<Doubt> for Objection {
    fn from(doubt: Doubt) -> Self {
        Self { reason: doubt.reason(), doubt: Some(doubt) }
    }
}

impl Proposal {
    pub(crate) fn open(objection: impl Into<Objection>, answers: Vec<Answer>) -> Self {
        Self::Open { objection: objection.into(), answers }
    }

    /// Its answers, likeliest first, and then those of `others` that differ from them.
    pub(crate) fn answers_and(self, others: impl IntoIterator<Item = Answer>) -> Vec<Answer> {
        let mut all = self.into_answers();
        for other in others {
            if all.iter().all(|answer| answer.whole() != other.whole()) {
                all.push(other);
            }
        }
        all
    }

    /// Its answers, likeliest first.
    pub(crate) fn into_answers(self) -> Vec<Answer> {
        match self {
            Self::Certain { answer, .. } => vec![answer],
            Self::Open { answers, .. } => answers,
        }
    }

    /// The likeliest answer.
    pub(crate) fn first(&self) -> Option<&Answer> {
        match self {
            Self::Certain { answer, .. } => Some(answer),
            Self::Open { answers, .. } => answers.first(),
        }
    }
}

impl Case<'_> {
    /// The proposal to take `answer`, if the text then balances.
    pub(crate) fn certain(&self, answer: Answer, evidence: Vec<Evidence>, margin: f32) -> Proposal {
        let edits = match self.beside_a_quote(&answer.edits) {
            Some(Err(open)) => return open,
            Some(Ok(instead)) => instead,
            None => answer.edits,
        };
        let read = Plain { text: self.text, tree: self.tree };
        match read.balances_as(&apply(self.text, &edits), self.language) {
            true => Proposal::Certain { answer: Answer { edits, ..answer }, evidence, margin },
            false => Proposal::open(Reason::NoCandidate, Vec::new()),
        }
    }

    /// [`Case::certain`] with `why` as the only evidence.
    pub(crate) fn sure(&self, edits: Vec<TextEdit>, why: &'static str, margin: f32) -> Proposal {
        self.certain(Answer::new(edits, why), vec![why.into()], margin)
    }
}
