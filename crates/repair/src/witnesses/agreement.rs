//! The decision from two witnesses: the earlier text and the layout.
//!
//! In new lines the earlier text is a poor witness, because its words match by chance. So it decides alone only about
//! lines with the same words as before; elsewhere the layout has to agree. If the earlier text shows nothing, the
//! layout decides alone, but only about closers: columns do not show where a list begins.

use crate::case::Case;
use crate::doubts::{CLEAR_MARGIN, Doubt, MARGIN};
use crate::outcome::Reason;
use crate::proposals::{Answer, Proposal};
use crate::text::align::Alignment;
use crate::text::edit::{CLOSERS, OPENERS, TextEdit, moved_into, same_code};

/// How much likelier than the others an answer by layout has to be, as a natural logarithm, to outvote the earlier text
/// in new lines; only for closers at line ends.
const CONTRADICTED_MARGIN: f32 = 3.0;
/// Lines whose cost after another answer is lower by this much contradict the earlier text.
const CONTRADICTION: f32 = 5.0;

impl Case<'_> {
    /// The proposal of both witnesses; `by_layout` gives that of the layout alone.
    pub(crate) fn both_witnesses(&self, by_layout: impl FnOnce() -> Proposal) -> Proposal {
        if self.stops() {
            return Proposal::open(Reason::CutShort, Vec::new());
        }
        match self.version() {
            Some(alignment) => self.agreed(alignment, by_layout),
            None if self.certain_only => Proposal::open(Reason::Entangled, Vec::new()),
            None => by_layout(),
        }
    }

    fn agreed(&self, alignment: &Alignment, by_layout: impl FnOnce() -> Proposal) -> Proposal {
        let (mut answers, certain) = self.by_earlier_text(alignment);
        if let Some(free) = self.free.as_ref().filter(|_| self.strict) {
            for answer in &mut answers {
                if let Some(moved) = moved_into(self.text, &answer.edits, std::slice::from_ref(free)) {
                    answer.edits = moved;
                }
            }
        }
        let mut restoring = answers.first().filter(|_| certain).map(|answer| answer.edits.clone());
        if self.considers(Doubt::Forbidden) && restoring.as_ref().is_some_and(|edits| !self.is_allowed(edits)) {
            if alignment.same_words {
                return Proposal::open(Doubt::Forbidden, answers);
            }
            answers.clear();
            restoring = None;
        }
        let restored = |edits: Vec<TextEdit>| self.sure(edits, "as in the earlier text", 2.0 * MARGIN);
        if let Some(edits) = restoring.take_if(|_| alignment.same_words || self.certain_only) {
            return restored(edits);
        }
        if self.certain_only {
            return Proposal::open(Reason::Entangled, Vec::new());
        }
        let by_layout = by_layout();
        if let Some(edits) = restoring
            && self.fits_as_well(&edits, &by_layout)
        {
            return restored(edits);
        }
        match by_layout {
            Proposal::Certain { answer, evidence, margin } => {
                match self.dissent(&answer, margin, &answers, alignment) {
                    None => Proposal::Certain { answer, evidence, margin },
                    Some(Doubt::OnPurpose) => Proposal::open(Doubt::OnPurpose, answers),
                    Some(doubt) => Proposal::open(doubt, std::iter::once(answer).chain(answers).collect()),
                }
            }
            Proposal::Open { objection, answers: own } if objection.reason != Reason::CutShort => {
                Proposal::open(objection, own.into_iter().chain(answers).collect())
            }
            open => open,
        }
    }

    /// The layout does not contradict `edits`, which restore the earlier text: the lines fit them about as well as the
    /// layout's own answer. It may contradict them, because delimiters may differ on purpose if other lines were
    /// changed.
    fn fits_as_well(&self, edits: &[TextEdit], by_layout: &Proposal) -> bool {
        let rival = by_layout.first().map(Answer::whole).filter(|rival| !same_code(self.text, edits, rival));
        let certain = matches!(by_layout, Proposal::Certain { .. });
        match rival {
            _ if !certain && edits.iter().any(|edit| edit.takes(OPENERS)) => false,
            None => true,
            Some(rival) => !certain && self.cost_after(edits) < self.cost_after(&rival) + CONTRADICTION,
        }
    }

    /// The doubt of the earlier text about `answer`, of which the layout is certain; `restoring` are its own answers.
    fn dissent(&self, answer: &Answer, margin: f32, restoring: &[Answer], alignment: &Alignment) -> Option<Doubt> {
        let consents =
            restoring.is_empty() || restoring.iter().any(|other| same_code(self.text, &answer.edits, &other.edits));
        // Only delimiters were changed, perhaps some on purpose: nothing shows which. But nobody exchanges delimiters
        // for others at both ends of a list by mistake.
        let slips =
            |other: &&Answer| other.edits.iter().all(|edit| edit.removed.is_empty() || edit.inserted.is_empty());
        let several = alignment.same_words && restoring.iter().filter(slips).count() > 1;
        if consents && several && self.considers(Doubt::OnPurpose) {
            return Some(Doubt::OnPurpose);
        }
        let clear = margin > CLEAR_MARGIN;
        let takes = answer.edits.iter().any(|edit| edit.takes(OPENERS));
        let gives = answer.edits.iter().any(|edit| edit.adds(OPENERS));
        let outvoted = || margin > CONTRADICTED_MARGIN && self.are_at_line_ends(&answer.edits);
        let agreed = (clear || !(takes || (gives && restoring.is_empty())))
            && (consents || outvoted())
            && self.is_allowed(&answer.edits);
        (!agreed && self.considers(Doubt::EarlierDisagrees)).then_some(Doubt::EarlierDisagrees)
    }

    /// All edits are of closers at line ends, where mistakes are usual and columns show them.
    fn are_at_line_ends(&self, edits: &[TextEdit]) -> bool {
        let closing = |c: char| CLOSERS.contains(&c) || c.is_whitespace();
        edits.iter().all(|edit| {
            let rest = self.text[edit.range().end..].lines().next().unwrap_or_default().trim_start_matches(closing);
            [&edit.removed, &edit.inserted].into_iter().all(|side| side.chars().all(closing))
                && (rest.is_empty() || rest.starts_with(';'))
        })
    }
}
