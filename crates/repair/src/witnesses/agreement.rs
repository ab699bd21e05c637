//! The decision from two witnesses: the earlier text and the layout.
//!
//! In new lines the earlier text is a poor witness, because its words match by chance. So it decides alone only about
//! lines with the same words as before; elsewhere the layout has to agree. If the earlier text shows nothing, the
//! layout decides alone, but only about closers: columns do not show where a list begins.

use crate::case::Case;
use crate::doubts::{CLEAR_MARGIN, Doubt, MARGIN};
use crate::outcome::Reason;
use crate::proposals::{Answer, Proposal};
use crate::text::align::{Alignment, Gap};
use crate::text::edit::{CLOSERS, OPENERS, TextEdit, apply, counted, moved_into, same_code};
use crate::witnesses::earlier::{AS_EARLIER, BY_LINES};

/// How much likelier than the others an answer by layout has to be, as a natural logarithm, to outvote the earlier text
/// in new lines; only for closers at line ends.
const CONTRADICTED_MARGIN: f32 = 3.0;
/// Lines whose cost after another answer is lower by this much contradict the earlier text.
const CONTRADICTION: f32 = 5.0;
/// Lines whose cost is lower by this much show that the earlier text balanced by accident.
const OVERWHELMING: f32 = 9.0;

/// What the lines gain by another answer shows that the earlier text balances by accident: where its own columns fit,
/// and where they do not.
const GAINED: f32 = 3.0;
const GAINED_UNSOUND: f32 = -1.0;

/// How many more delimiters would be put back than it takes to balance the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Excess {
    None,
    /// The lines are likelier with all of them put back.
    Likely,
    /// Nothing but their number tells which of the changes were meant.
    Unlikely,
}

/// The earlier text and the layout disagree.
fn disagreement(both: Proposal, alone: Proposal) -> Proposal {
    Proposal::open(Doubt::EarlierDisagrees, both.answers_and(alone.into_answers()))
}

/// The edit made the same sort of change in several places, and `edits` undo it in one of them.
fn undoes_one_of_many(alignment: &Alignment, edits: &[TextEdit]) -> bool {
    let openers = |edit: &TextEdit| edit.takes(OPENERS) || edit.adds(OPENERS);
    let changed = alignment.differing.iter().filter(|gap| openers(&gap.edit)).count();
    let undone = edits.iter().filter(|edit| openers(edit)).count();
    undone > 0 && undone < changed
}

impl Case<'_> {
    /// The proposal for lost and extra delimiters.
    pub(crate) fn delimiters(&self) -> Proposal {
        if self.stops() {
            return self.stopped(|| self.by_delimiters(true));
        }
        let Some(alignment) = self.version() else {
            return match self.certain_only {
                true => Proposal::open(Reason::Entangled, Vec::new()),
                false => self.by_delimiters(true),
            };
        };
        let literal =
            |gap: &Gap| [&gap.edit.removed, &gap.edit.inserted].iter().any(|side| side.contains(['"', '|', '\\', '#']));
        if self.certain_only || alignment.differing.iter().any(literal) {
            return self.agreed(alignment, || self.by_delimiters(true));
        }
        if alignment.same_words {
            let (answers, certain) = self.by_earlier_text(alignment);
            let sound = |edits: &[TextEdit]| edits.iter().all(|edit| !self.is_doubtful(alignment, edit.at));
            let both = self.by_delimiters(true);
            let restored = answers.into_iter().next();
            let sound = certain && restored.as_ref().is_some_and(|restored| sound(&restored.edits));
            let excess = restored.as_ref().map_or(Excess::None, |restored| self.excess(&restored.edits, &both));
            let undone = both.first().is_some_and(|best| undoes_one_of_many(alignment, &best.whole()));
            if undone && self.considers(Doubt::OnPurpose) {
                return Proposal::open(Doubt::OnPurpose, both.answers_and(self.by_delimiters(false).into_answers()));
            }
            if certain && excess == Excess::Likely {
                return self.agreed(alignment, || both);
            }
            let alone = self.by_delimiters(false);
            if let Some(restored) = restored.as_ref().filter(|_| certain && excess == Excess::None) {
                let slip = self.is_one_slip(restored);
                let accident = !(slip && sound) && self.is_restored_by_accident(restored, sound, &alone);
                if !accident || !self.considers(Doubt::EarlierDisagrees) {
                    return self.agreed(alignment, || both);
                }
                return match (self.gain(restored, &alone), &alone) {
                    (OVERWHELMING.., Proposal::Certain { margin, .. }) if !slip && *margin > CLEAR_MARGIN => alone,
                    _ => disagreement(both, alone),
                };
            }
            let supported = matches!(alone, Proposal::Certain { .. }) && self.agree(&both, &alone);
            let doubtful = match excess {
                Excess::None => false,
                _ if sound => !supported,
                _ => certain || !supported,
            };
            return match doubtful && self.considers(Doubt::OnPurpose) {
                false => self.weighed(both, alone),
                true => Proposal::open(Doubt::OnPurpose, both.answers_and(restored)),
            };
        }
        self.weighed(self.by_delimiters(true), self.by_delimiters(false))
    }

    /// By how much the lines are likelier after the answer of the layout `alone` than after `restored`.
    fn gain(&self, restored: &Answer, alone: &Proposal) -> f32 {
        let cost = |answer: &Answer| self.cost_after(&answer.whole(), true);
        alone.first().map_or(f32::NEG_INFINITY, |other| cost(restored) - cost(other))
    }

    /// Nothing but one delimiter differs from the earlier text, which `restored` restores to the letter.
    fn is_one_slip(&self, restored: &Answer) -> bool {
        let (added, removed) = counted(&restored.edits);
        added + removed == 1 && self.before.is_some_and(|before| apply(self.text, &restored.edits) == before)
    }

    /// The earlier text that `restored` restores may balance by accident: the lines contradict it; or it is not `sound`
    /// there, and the lines do not support it either.
    fn is_restored_by_accident(&self, restored: &Answer, sound: bool, alone: &Proposal) -> bool {
        let flush = matches!(alone, Proposal::Open { objection, .. } if objection.doubt == Some(Doubt::Flush));
        let (added, removed) = counted(&restored.edits);
        if !sound && added + removed == 1 && !flush && !matches!(alone, Proposal::Certain { .. }) {
            return true;
        }
        let differs = !alone.first().is_some_and(|other| same_code(self.text, &restored.whole(), &other.whole()));
        differs && self.gain(restored, alone) > if sound { GAINED } else { GAINED_UNSOUND }
    }

    /// Whether `edits`, which restore the earlier text, are more than it takes to balance this one.
    fn excess(&self, edits: &[TextEdit], both: &Proposal) -> Excess {
        let count = |edits: &[TextEdit]| {
            let (added, removed) = counted(edits);
            added + removed
        };
        let Some(other) = both.first().map(Answer::whole).filter(|other| count(other) < count(edits)) else {
            return Excess::None;
        };
        let openers = edits.iter().any(|edit| edit.takes(OPENERS) || edit.adds(OPENERS));
        match openers || self.cost_after(edits, false) + BY_LINES > self.cost_after(&other, false) {
            true => Excess::Unlikely,
            false => Excess::Likely,
        }
    }

    /// What the earlier text has at byte `at` may be so by accident.
    fn is_doubtful(&self, alignment: &Alignment, at: u32) -> bool {
        let gap = alignment.words.partition_point(|word| word.start < at as usize);
        self.pairs().is_some_and(|pairs| pairs.changes.get(gap).is_some_and(|change| change.doubtful))
    }

    /// Their first answers give the same code.
    fn agree(&self, one: &Proposal, other: &Proposal) -> bool {
        one.first().zip(other.first()).is_some_and(|(a, b)| same_code(self.text, &a.whole(), &b.whole()))
    }

    /// The proposal from the layout and the earlier text together, given that of the layout `alone`.
    fn weighed(&self, both: Proposal, alone: Proposal) -> Proposal {
        // By how much the lines speak against the answer of both.
        let against = || match (both.first(), alone.first()) {
            (Some(both), Some(alone)) => self.cost_after(&both.whole(), true) - self.cost_after(&alone.whole(), true),
            _ => 0.0,
        };
        match (&both, &alone) {
            _ if self.agree(&both, &alone) => match (&both, &alone) {
                (Proposal::Open { objection, .. }, Proposal::Certain { .. })
                    if !objection.doubt.is_some_and(Doubt::is_about_the_edit) =>
                {
                    alone
                }
                _ => both,
            },
            (Proposal::Certain { .. }, _) => match (against(), &alone) {
                (..CONTRADICTION, _) => both,
                (OVERWHELMING.., Proposal::Certain { .. }) => alone,
                _ if self.considers(Doubt::EarlierDisagrees) => disagreement(both, alone),
                _ => both,
            },
            _ => both,
        }
    }

    /// The proposal of both witnesses; `by_layout` gives that of the layout alone.
    pub(crate) fn both_witnesses(&self, by_layout: impl FnOnce() -> Proposal) -> Proposal {
        if self.stops() {
            return self.stopped(by_layout);
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
            // Words of a string that is not closed are not compared.
            if alignment.same_words && !self.has_open_text() {
                return Proposal::open(Doubt::Forbidden, answers);
            }
            answers.clear();
            restoring = None;
        }
        let restored = |edits: Vec<TextEdit>| self.sure(edits, AS_EARLIER, 2.0 * MARGIN);
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
            Some(rival) => !certain && self.cost_after(edits, false) < self.cost_after(&rival, false) + CONTRADICTION,
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
                && (rest.is_empty() || rest.starts_with(self.language.dialect().comment()))
        })
    }
}
