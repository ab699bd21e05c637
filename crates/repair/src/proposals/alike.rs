//! Answers weighed by the lines that are like those that they change.

use super::Answer;
use crate::case::Case;
use crate::doubts::Broken;
use crate::proposals::search::{Action, Reading};
use crate::witnesses::rows::FIRM;

/// Only answers that are not less likely than the first by more than this, as a natural logarithm, are weighed.
const NEAR: f32 = 14.0;
/// A line counts for so much of what it costs, because other costs of the line depend on it.
const TRUST: f32 = 0.9;
/// By how much less likely the bracket that begins a list is mistaken than the one that ends it.
const OPENER_MISTAKEN: f32 = 1.0;

impl Case<'_> {
    /// Adds to the costs of the answers what the lines cost that would differ from lines which are alike.
    pub(crate) fn weigh_by_rows(&self, form: &Broken<'_>, readings: &mut Vec<Reading>, answers: &mut Vec<Answer>) {
        self.add_another_opener(form, readings, answers);
        let (tokens, rows) = (&self.cut().0, self.rows());
        let Some(most) = answers.first().map(|best| best.cost + NEAR) else { return };
        let near = answers.iter().take_while(|answer| answer.cost < most).count();
        let line = |at: u32| self.lines().line(at) - 1;
        let mut lines: Vec<u32> =
            answers[..near].iter().flat_map(|answer| &answer.edits).map(|edit| line(edit.at)).collect();
        lines.sort_unstable();
        lines.dedup();
        for answer in &mut answers[..near] {
            let mut alike = true;
            for &at in &lines {
                let likeness = rows.likeness(self.text, tokens, at, &answer.edits);
                answer.cost += TRUST * likeness.cost();
                alike &=
                    (likeness.fits && likeness.weight >= FIRM) || answer.edits.iter().all(|edit| line(edit.at) != at);
            }
            answer.alike = alike;
        }
        answers[..near].sort_by(|a, b| a.cost.total_cmp(&b.cost));
    }

    /// Where the likeliest answer changes a closer that does not match its opener, adds the answer that changes the opener if
    /// the lines that are alike begin so.
    fn add_another_opener(&self, form: &Broken<'_>, readings: &mut Vec<Reading>, answers: &mut Vec<Answer>) {
        let Some(best) = readings.first() else { return };
        let Some((answer, opener, with)) = self.with_another_opener(form.own, best) else { return };
        let line = form.own[opener].line;
        let costs = |answer: &Answer| self.rows().likeness(self.text, &self.cut().0, line, &answer.edits);
        let (own, other) = (costs(&answer), answers.first().map(costs).unwrap_or_default());
        if !own.fits || own.weight < FIRM || other.fits {
            return;
        }
        let cost = best.cost + OPENER_MISTAKEN;
        let actions = vec![Action::Drop { at: opener as u32 }, Action::Open { at: opener as u32 + 1, with }];
        readings.push(Reading { cost, actions });
        answers.insert(1, Answer { cost, ..answer });
    }
}
