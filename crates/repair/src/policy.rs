//! The policy: from the proposals for a broken text to its repair or refusal.
//!
//! A certain proposal is carried out. A text without one is refused, because of a doubt or because nothing decides; the
//! refusal offers all answers that were proposed. If several sorts of faults would explain the text, the first one
//! gives the reason.

use lispwright_syntax::DiagnosticKind;

use crate::case::Case;
use crate::outcome::{Outcome, Reason};
use crate::proposals::{Answer, Objection, Proposal, SORTS};
use crate::text::edit::apply;

/// In bytes: larger texts are not repaired unless an earlier text shows which part of them is broken.
const LARGEST_TEXT: usize = 3 << 20;

impl Case<'_> {
    /// The outcome for a text that does not balance.
    pub(crate) fn outcome(&self) -> Outcome {
        if let Some(reason) = self.out_of_reach() {
            return self.refused(reason, Vec::new());
        }
        let mut proposals: Vec<Proposal> = SORTS.iter().filter_map(|sort| sort.propose(self)).collect();
        if let Some(index) = self.taken(&proposals)
            && let Proposal::Certain { answer, evidence, margin } = proposals.swap_remove(index)
        {
            return self.repaired(answer.edits, evidence, margin);
        }
        let open = proposals.into_iter().filter_map(|proposal| match proposal {
            Proposal::Open { objection, answers } => Some((objection, answers)),
            Proposal::Certain { .. } => None,
        });
        let (objections, answers): (Vec<Objection>, Vec<Vec<Answer>>) = open.unzip();
        self.refused(objections.first().copied().unwrap_or(Reason::NoCandidate.into()), answers.concat())
    }

    /// The reason to propose nothing at all.
    fn out_of_reach(&self) -> Option<Reason> {
        let no_delimiter =
            |kind: DiagnosticKind| matches!(kind, DiagnosticKind::TooDeep | DiagnosticKind::DanglingPrefix);
        if self.tree.diagnostics().iter().all(|fault| no_delimiter(fault.kind)) {
            return Some(Reason::NotDelimiters);
        }
        (self.text.len() > LARGEST_TEXT).then_some(Reason::NoCandidate)
    }

    /// The index of the proposal to carry out: a certain one that restores the earlier text, or else a certain one that
    /// no proposal before it contradicts.
    fn taken(&self, proposals: &[Proposal]) -> Option<usize> {
        let certain = |index: &usize| matches!(proposals[*index], Proposal::Certain { .. });
        let text = |index: usize| proposals[index].first().map(|answer| apply(self.text, &answer.edits));
        let restores = |index: &usize| self.before.is_some_and(|before| text(*index).as_deref() == Some(before));
        let unopposed = |index: &usize| (0..*index).all(|other| text(other) == text(*index));
        let mut indices = (0..proposals.len()).filter(certain);
        indices.clone().find(restores).or_else(|| indices.find(unopposed))
    }
}
