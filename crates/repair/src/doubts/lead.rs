//! How much likelier the best answer has to be than all others together, and than those that differ from it in one
//! respect only.

use super::Considered;
use super::beside::{begins_with_a_word, is_below_a_list};
use crate::proposals::Answer;
use crate::text::edit::solid;

/// How much likelier an answer has to be than all others together, as a natural logarithm.
pub(crate) const MARGIN: f32 = 2.0;
/// The margin for an added opener, and for changes of several lines.
const OPENER_MARGIN: f32 = 3.5;
const SEVERAL_MARGIN: f32 = 6.5;
const SEVERAL_MARGIN_KNOWN: f32 = 4.5;
/// The margin to an answer that adds the counterpart on the line where the best one removes a delimiter.
const RIVAL_MARGIN: f32 = 4.6;
const KIND_RIVAL_MARGIN: f32 = 3.4;
const RIVAL_MARGIN_KNOWN: f32 = 4.0;
const OPENER_RIVAL_MARGIN: f32 = 6.0;
/// The margin to such an answer that adds an opener before a word at the beginning of a line.
const LINE_RIVAL_MARGIN: f32 = 9.0;
const LINE_RIVAL_MARGIN_KNOWN: f32 = 7.0;
/// The margin if lines are in odd columns, or a form is odd.
pub(crate) const CLEAR_MARGIN: f32 = 7.0;
const CLEAR_MARGIN_KNOWN: f32 = 4.0;
/// The margin if the removal of a closer makes an operator an argument.
const PASSED_MARGIN: f32 = 7.0;
/// The margin to an answer that undoes two more faults.
const FULLER_MARGIN: f32 = 7.5;
const FULLER_MARGIN_KNOWN: f32 = 5.0;

/// How much likelier the first answer is than all others together, as a natural logarithm.
pub(crate) fn lead(answers: &[Answer]) -> f32 {
    let Some((best, others)) = answers.split_first() else { return 0.0 };
    let together: f32 = others.iter().map(|other| (best.cost - other.cost).exp()).sum();
    (-together.ln()).min(24.0)
}

impl Considered<'_> {
    /// The answer is so much likelier that oddities do not count.
    pub(super) fn is_clear(&self) -> bool {
        self.lead >= if self.form.known { CLEAR_MARGIN_KNOWN } else { CLEAR_MARGIN }
    }

    /// The answer is so much likelier that a closer may be removed although that makes an operator an argument.
    pub(super) fn is_far_ahead(&self) -> bool {
        self.lead >= if self.form.known { CLEAR_MARGIN_KNOWN } else { PASSED_MARGIN }
    }

    /// The answer is not much likelier than the others. Changes of several lines need a larger margin, because several
    /// faults have many explanations; so does an opener, because columns do not show where a list begins.
    pub(super) fn is_close(&self) -> bool {
        let opener = self.edits().iter().any(|edit| edit.inserted.contains(['(', '[', '{']));
        let one_line = self.lines.iter().all(|line| *line == self.lines[0]);
        let due = match self.edits() {
            _ if self.restores => MARGIN,
            [_] if opener => OPENER_MARGIN,
            _ if !opener && one_line => MARGIN,
            _ if self.form.known => SEVERAL_MARGIN_KNOWN,
            _ => SEVERAL_MARGIN,
        };
        self.lead < due + self.form.several
    }

    pub(super) fn has_rival(&self) -> bool {
        let (own, known) = (self.form.own, self.form.known);
        let [edit] = self.edits() else { return false };
        let lines = self.case.lines();
        let line = lines.line(edit.at);
        // A symbol alone on its line is seldom a call.
        let code = self.case.text[lines.line_span(line).unwrap_or_default().range()].trim();
        if !code.contains([' ', '\t']) {
            return false;
        }
        let (rivals, margin): (&[char], f32) = match edit.removed.starts_with(['(', '[', '{']) {
            true if known => (&[')', ']', '}'], RIVAL_MARGIN_KNOWN),
            true => (&[')', ']', '}'], OPENER_RIVAL_MARGIN),
            // Where the earlier text is known, a lost opener shows in it.
            false if edit.removed.starts_with(')') && !known => (&['(', '[', '{'], RIVAL_MARGIN),
            false if known => (&['(', '[', '{'], RIVAL_MARGIN_KNOWN),
            false => (&['(', '[', '{'], KIND_RIVAL_MARGIN),
        };
        let rival = |other: &Answer| match &other.edits[..] {
            [only] => {
                let margin = match (begins_with_a_word(own, only), known) {
                    (true, true) => LINE_RIVAL_MARGIN_KNOWN,
                    (true, false) => LINE_RIVAL_MARGIN,
                    (false, _) => margin,
                };
                !other.odd
                    && only.inserted.starts_with(rivals)
                    && lines.line(only.at) == line
                    && other.cost - self.best.cost < margin
                    && (is_below_a_list(own, only) || !self.calls_a_plain_word(other))
            }
            _ => false,
        };
        !edit.removed.is_empty() && edit.inserted.is_empty() && self.others.iter().any(rival)
    }

    /// The rival opens a list at a word that is never called: nothing but the number of delimiters supports it.
    fn calls_a_plain_word(&self, rival: &Answer) -> bool {
        let (own, habits) = (self.form.own, self.form.habits);
        let [edit] = &rival.edits[..] else { return false };
        let Some(word) = own.iter().find(|token| token.start == edit.at) else { return false };
        if !word.is_symbol() || edit.inserted != "(" {
            return false;
        }
        let called = own.windows(2).any(|pair| pair[0].kind.is_open() && pair[1].name == word.name);
        let elsewhere = own.iter().filter(|token| token.name == word.name).count() > 1;
        elsewhere && !called && !habits.is_operator(word.name) && !habits.is_called(word.name)
    }

    pub(super) fn has_fuller_rival(&self) -> bool {
        let margin = if self.form.known { FULLER_MARGIN_KNOWN } else { FULLER_MARGIN };
        let delimiters = |answer: &Answer| -> usize {
            answer.edits.iter().map(|edit| solid(&edit.inserted).count().max(solid(&edit.removed).count())).sum()
        };
        let (best, due) = (self.best, delimiters(self.best) + 2);
        self.others.iter().any(|other| {
            other.cost - best.cost < margin && other.edits.len() > best.edits.len() && delimiters(other) >= due
        })
    }
}
