//! Texts that stop in the middle of a form.

use std::collections::HashMap;
use std::ops::Range;

use lispwright_syntax::{TokenKind, read_plain};

use super::Considered;
use super::shapes::{lacks_a_body, stops_before_its_body};
use crate::case::Case;
use crate::outcome::Reason;
use crate::proposals::Proposal;
use crate::proposals::search::Action;
use crate::text::align::{Alignment, NONE};
use crate::text::edit::OPENERS;

/// The cost of an end of a list that is too unlikely to be one.
const NO_END: f32 = 1.6;
/// Only a text of which this share of the words, from 0 to 1, comes from the earlier one can be its beginning.
const MOSTLY_KEPT: f32 = 0.6;

impl Case<'_> {
    /// The text stops in the middle of a form: after an opener, or where the earlier text goes on.
    pub(crate) fn stops(&self) -> bool {
        let opens = || self.cut().0.last().is_some_and(|last| last.kind.is_open());
        (self.text.trim_end().ends_with(OPENERS) && opens())
            || self.alignment().is_some_and(|alignment| alignment.kept > MOSTLY_KEPT && self.is_cut_off(alignment))
    }

    /// The refusal of a text that [stops](Self::stops), with the answers for the case that nothing is missing.
    pub(crate) fn stopped(&self, by_layout: impl FnOnce() -> Proposal) -> Proposal {
        let nothing_follows = self.certain_only || self.text.trim_end().ends_with(OPENERS);
        let answers = if nothing_follows { Vec::new() } else { by_layout().into_answers() };
        Proposal::open(Reason::CutShort, answers)
    }

    /// The text has open lists at its end, and the earlier text goes on there in the same form. With one open list at
    /// the end of a line, it may also have been shortened on purpose and have lost a closer by mistake.
    fn is_cut_off(&self, alignment: &Alignment) -> bool {
        let open = self.tree.diagnostics().iter().filter(|fault| fault.gave_up_at == Some(self.tree.len())).count();
        let goes_on = || {
            let (gap, before) = (alignment.went_on.as_ref()?, self.before?);
            let old = read_plain(before, self.language);
            let mut forms = old.top_level().map(|datum| old.datum_span(datum).range());
            let form = forms.find(|form| form.start < gap.start && gap.end < form.end)?;
            let lost = !self.has_moved(alignment, gap.end..form.end);
            Some(lost && (open > 1 || !before[gap.clone()].contains('\n')))
        };
        open > 0 && alignment.is_version && (goes_on().unwrap_or(false) || (self.at_end && alignment.stops))
    }

    /// All words in these bytes of the earlier text are among the new words of this one: they were not lost, but moved.
    fn has_moved(&self, alignment: &Alignment, rest: Range<usize>) -> bool {
        let Some(before) = self.before else { return false };
        let new = alignment.words.iter().zip(&alignment.partner).filter(|(_, partner)| **partner == NONE);
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (word, _) in new {
            *counts.entry(&self.text[word.clone()]).or_default() += 1;
        }
        let from = alignment.old_words.partition_point(|word| word.start < rest.start);
        alignment.old_words[from..].iter().take_while(|word| word.start < rest.end).all(|word| {
            let left = counts.get_mut(&before[word.clone()]).filter(|left| **left > 0);
            left.map(|left| *left -= 1).is_some()
        })
    }

    /// The bytes that may be changed reach to byte `end`, or to closers before it, which may be the same by chance.
    fn writes_to(&self, end: usize) -> bool {
        self.free.as_ref().is_none_or(|free| {
            let rest = self.text.get(free.end.min(end)..end).unwrap_or_default();
            free.end <= end && rest.chars().all(|c| matches!(c, ')' | ']' | '}'))
        })
    }
}

impl Considered<'_> {
    /// The form stops in its middle. An author who forgets a closer has written the others: one is missing, or two
    /// after two that are there. A text that was cut off has several open lists, or one that would not end there.
    pub(super) fn stops_short(&self) -> bool {
        let (case, own, among_others) = (self.case, self.form.own, self.form.among_others);
        let last = own[own.len() - 1];
        let may_end = self.form.ends_text || case.free.is_some();
        if !may_end || self.form.ends_alike || !case.writes_to(last.end as usize) {
            return false;
        }
        let head = own.len() < 2 || (own[own.len() - 2].kind.is_open() && last.kind == TokenKind::Atom);
        if last.kind.is_open() || last.kind.is_prefix() || head {
            return true;
        }
        let at_end = |action: &&Action| matches!(action, Action::Close { at, .. } if *at as usize + 1 == own.len());
        let missing = self.reading.actions.iter().filter(at_end).count();
        if missing == 0 {
            return false;
        }
        let there = own.iter().rev().take_while(|token| token.kind.is_close()).count();
        // A whole file ends with a line end.
        let stops = case.at_end && among_others && !case.text.ends_with('\n');
        let keyword = case.text[last.start as usize..last.end as usize].starts_with([':', '#']);
        // After an empty line or a comment on what is to come, more should follow.
        let rest = &case.text[last.end as usize..];
        let mark = case.language.dialect().comment();
        let remarks =
            rest.lines().skip(1).any(|line| line.starts_with([' ', '\t']) && line.trim_start().starts_with(mark));
        let goes_on = case.at_end && among_others && (remarks || (missing > 1 && rest.matches('\n').count() > 1));
        if goes_on || missing > 2 || (stops && (missing > 1 || there < 2)) || keyword {
            return true;
        }
        let Some(costs) = &self.mended().costs else { return true };
        let (tokens, dialect, habits) = (&self.mended().tokens, case.language.dialect(), self.form.habits);
        if lacks_a_body(tokens, dialect, habits) || (among_others && stops_before_its_body(tokens, dialect, habits)) {
            return true;
        }
        let ends = &costs[costs.len() - missing..];
        ends.iter().any(|&cost| cost > NO_END) || (there == 0 && ends.iter().sum::<f32>() > NO_END)
    }
}
