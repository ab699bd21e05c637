//! The order in which answers are offered if none of them is taken.
//!
//! The search ranks by costs, line by line. A reader of the candidates looks at the form that each of them gives:
//! `(when x)` without a body is unlikely however well the lines below are indented, and if the bracket that begins a
//! list is of another kind than the one that ends it, the first is changed.

use lispwright_syntax::Delimiter;

use super::Answer;
use crate::case::Case;
use crate::doubts::{Broken, Doubt, Sight, seams};
use crate::proposals::search::{Action, Reading};
use crate::text::code::Token;
use crate::text::edit::{OPENERS, TextEdit, replace};

/// The number of answers that are ranked anew.
const LOOKED_AT: usize = 6;
/// Only answers that are not less likely than the first by more than this, as a natural logarithm, are looked at.
const NEAR: f32 = 7.0;
/// In tokens: larger forms keep the order of the search.
const LARGEST: usize = 20_000;
/// How much less likely an answer is that gives a form which nobody writes, as a natural logarithm.
const ODD_FORM: f32 = 8.0;
/// The same for the first answer if it gives a list of parameters with what is no parameter, or what nobody writes.
const NO_PARAMETER: f32 = 10.0;
/// The same for one that takes an opener where closers are missing: closers are lost more often than openers are added.
const OPENER_TAKEN: f32 = 2.0;
/// The same for a form that seems unfinished.
const UNFINISHED_FORM: f32 = 4.0;
/// How much likelier one is whose lines become like those around them.
const ALIKE: f32 = 3.0;

impl Case<'_> {
    /// Puts the answers first that give a form as somebody would write it; `best` is the reading of the first answer.
    pub(crate) fn rank(&self, form: &Broken<'_>, best: Option<&Reading>, answers: &mut Vec<Answer>) {
        if form.own.len() > LARGEST {
            return;
        }
        let at_the_seam = self.closed_at_the_seam(form.own, answers);
        if let Some((other, ..)) = best.and_then(|best| self.with_another_opener(form.own, best)) {
            answers.insert(1.min(answers.len()), other);
        }
        let looked_at = answers.len().min(LOOKED_AT);
        let net: i32 =
            form.own.iter().map(|token| i32::from(token.kind.is_open()) - i32::from(token.kind.is_close())).sum();
        for answer in &mut answers[..looked_at] {
            if net > 0 && answer.edits.iter().any(|edit| edit.takes(OPENERS)) {
                answer.cost += OPENER_TAKEN;
            }
            if answer.alike {
                answer.cost -= ALIKE;
            }
            if !answer.odd && self.leaves_an_odd_form(form, &answer.edits) {
                answer.cost += ODD_FORM;
            } else if self.leaves_an_unfinished_form(form, &answer.edits) {
                answer.cost += UNFINISHED_FORM;
            }
        }
        answers[..looked_at].sort_by(|a, b| a.cost.total_cmp(&b.cost));
        if let Some(answer) = at_the_seam {
            answers.insert(0, answer);
        }
    }

    /// Answers that give a form which nobody writes do not count against the first.
    pub(crate) fn discount(&self, form: &Broken<'_>, answers: &mut [Answer]) {
        if form.own.len() > LARGEST {
            return;
        }
        self.discount_the_first(form, answers);
        let Some((best, others)) = answers.split_first_mut() else { return };
        for other in others.iter_mut().take(LOOKED_AT).filter(|other| other.cost - best.cost < NEAR) {
            if !other.odd && self.leaves_an_odd_form(form, &other.edits) {
                other.cost += ODD_FORM;
                other.odd = true;
            }
        }
        others.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    }

    /// An answer that gives a list of parameters with something else in it, or what nobody writes, is not the likeliest.
    fn discount_the_first(&self, form: &Broken<'_>, answers: &mut [Answer]) {
        let is_odd = |answer: &Answer| {
            let mended = self.mended(form.own, &answer.edits, form.habits);
            mended.is_unwritten(self.language.dialect(), form.habits)
                || (self.considers(Doubt::Parameters) && mended.has_odd_parameters(self.language))
        };
        let near = answers.first().map_or(0.0, |best| best.cost + NO_PARAMETER);
        if !answers.first().is_some_and(is_odd) {
            return;
        }
        for answer in answers.iter_mut().take_while(|answer| answer.cost < near) {
            if is_odd(answer) {
                answer.cost += NO_PARAMETER;
                answer.odd = true;
            }
        }
        answers.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    }

    fn leaves_an_odd_form(&self, form: &Broken<'_>, edits: &[TextEdit]) -> bool {
        let mended = self.mended(form.own, edits, form.habits);
        !mended.shapes(Sight::Shape, self.language.dialect(), form.habits).is_empty()
            || mended.is_broken()
            || mended.is_unwritten(self.language.dialect(), form.habits)
            || (self.considers(Doubt::Parameters) && mended.has_odd_parameters(self.language))
            || self.breaks_a_row(form.own, edits)
            || self.closes_behind_a_seam(form.own, edits)
    }

    fn leaves_an_unfinished_form(&self, form: &Broken<'_>, edits: &[TextEdit]) -> bool {
        let sight = if form.known { Sight::Known } else { Sight::All };
        let shapes = self.mended(form.own, edits, form.habits).shapes(sight, self.language.dialect(), form.habits);
        shapes.are_of_an_unfinished_form()
    }

    /// The answer that changes the opener instead of the closer that does not match it, the index of the opener, and its new
    /// kind.
    pub(super) fn with_another_opener(&self, own: &[Token], best: &Reading) -> Option<(Answer, usize, Delimiter)> {
        let [Action::Change { at, .. }] = best.actions[..] else { return None };
        let with = own[at as usize].delimiter()?;
        let index = innermost(own, at as usize)?;
        let opener = &own[index];
        let range = opener.start as usize..opener.end as usize;
        let spelt = &self.text[range.clone()];
        let start = range.end - spelt.chars().next_back().map_or(0, char::len_utf8);
        let edits = vec![replace(self.text, start..range.end, with.open().encode_utf8(&mut [0; 4]))];
        let why = "the list begins with another kind of bracket than it ends with";
        Some((Answer { cost: best.cost, ..Answer::new(edits, why) }, index, with))
    }

    /// The first answer with its closer between two lists that touch, instead of after them.
    fn closed_at_the_seam(&self, own: &[Token], answers: &[Answer]) -> Option<Answer> {
        let best = answers.first().filter(|best| self.closes_behind_a_seam(own, &best.edits))?;
        let [edit] = &best.edits[..] else { return None };
        let at = own[seams(own).next()?].start;
        let edits = vec![TextEdit { at, ..edit.clone() }];
        let why = "two forms touch there, so the first may lack the closer";
        Some(Answer { cost: best.cost, ..Answer::new(edits, why) })
    }
}

/// The innermost opener before token `at` that is still open.
fn innermost(own: &[Token], at: usize) -> Option<usize> {
    let mut open: Vec<(usize, Delimiter)> = Vec::new();
    for (index, token) in own[..at].iter().enumerate() {
        let Some(delimiter) = token.delimiter() else { continue };
        if token.kind.is_open() {
            open.push((index, delimiter));
        } else if open.pop()?.1 != delimiter {
            return None;
        }
    }
    open.pop().map(|(index, _)| index)
}
