//! Two witnesses that examine each other.
//!
//! The earlier text knows where lists ended, the columns where the author of the new lines meant them to end. Each errs in
//! its own way. Where the answer with the earlier text gives or takes an opener and the layout alone is certain of
//! another answer, nothing is changed; nor where openers that the edit wrote would be taken back, which is not the first
//! answer of the layout.

use crate::case::Case;
use crate::doubts::Doubt;
use crate::outcome::{Outcome, Repair};
use crate::proposals::Answer;
use crate::text::edit::{OPENERS, TextEdit, same_code};
use crate::witnesses::earlier::AS_EARLIER;

/// The reasons for the answers of the two witnesses.
const BY_BOTH: &str = "the earlier text has it so";
const BY_LAYOUT: &str = "the columns alone have it so";

impl Case<'_> {
    /// The outcome from the earlier text and the layout together, examined by that of the layout alone.
    pub(crate) fn examined(&self) -> Outcome {
        let both = self.outcome();
        let Some(before) = self.before.filter(|_| !self.certain_only && self.version().is_some()) else { return both };
        match both {
            Outcome::Repaired(both) if both.text != before && moves_openers(&both.edits) => self.opposed(both),
            both => both,
        }
    }

    /// The repair, unless the layout alone has another answer.
    fn opposed(&self, both: Repair) -> Outcome {
        let same = |edits: &[TextEdit]| same_code(self.text, &both.edits, edits);
        // Openers that the edit wrote are taken back.
        let is_undone =
            both.edits.iter().any(|edit| edit.takes(OPENERS)) && both.evidence.iter().any(|it| it.why == AS_EARLIER);
        let others: Vec<Vec<TextEdit>> = match self.alone().outcome() {
            Outcome::Repaired(alone) if !same(&alone.edits) => vec![alone.edits],
            Outcome::Refused(alone)
                if is_undone && alone.candidates.first().is_some_and(|first| !same(&first.edits)) =>
            {
                alone.candidates.into_iter().map(|candidate| candidate.edits).filter(|edits| !same(edits)).collect()
            }
            _ => return Outcome::Repaired(both),
        };
        if !self.considers(Doubt::EarlierDisagrees) {
            return Outcome::Repaired(both);
        }
        let mut answers: Vec<Answer> = others.into_iter().map(|edits| Answer::new(edits, BY_LAYOUT)).collect();
        answers.insert(if is_undone { 1 } else { 0 }, Answer::new(both.edits, BY_BOTH));
        self.refused(Doubt::EarlierDisagrees, answers)
    }
}

/// The edits add, remove or change openers.
fn moves_openers(edits: &[TextEdit]) -> bool {
    edits.iter().any(|edit| edit.adds(OPENERS) || edit.takes(OPENERS))
}
