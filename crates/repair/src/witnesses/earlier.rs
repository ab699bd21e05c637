//! What the earlier text says of a broken one: delimiters go back where they were.

use lispwright_syntax::read_plain;

use crate::case::Case;
use crate::proposals::Answer;
use crate::proposals::search::costs_as_it_is;
use crate::text::align::{Alignment, Gap};
use crate::text::code::tokens;
use crate::text::edit::{TextEdit, apply};
use crate::text::scope::chunks;
use crate::witnesses::learn::learn;

/// Bytes read at most in trying combinations of gaps.
const READING_BUDGET: usize = 8 << 20;
/// So many gaps are combined in every way.
const MOST_COMBINED: usize = 10;
/// By so much better, as a natural logarithm, lines have to stand to show that delimiters were not moved on purpose.
const BY_LINES: f32 = 2.0;
/// More gaps than this are not a few slips, and trying parts of them costs as much as each of them again.
const MOST_GAPS: usize = 2_000;
/// What a form that does not balance costs.
const UNSOUND: f32 = 1000.0;

impl Case<'_> {
    /// The sets of gaps that make the text balance when they are put back, best first, and whether the first is certain.
    ///
    /// Where the lines say what they said before, a delimiter that differs is a slip, and several of those go back together:
    /// some may cancel each other. But a few of them may have been changed on purpose; so where fewer than all would do, the
    /// lines have to stand better with all of them back. A gap in lines that were written anew may well differ on
    /// purpose; as few of those as possible go back.
    pub(crate) fn by_earlier_text(&self, alignment: &Alignment) -> (Vec<Answer>, bool) {
        let (sure, unsure): (Vec<&Gap>, Vec<&Gap>) = alignment.differing.iter().partition(|gap| gap.sure);
        if !sure.is_empty() && self.balances(&edits(&sure)) {
            let all = answer(edits(&sure));
            let mut fewer = if sure.len() > 1 { self.combined(&[], &sure) } else { Vec::new() };
            fewer.retain(|answer| answer.edits != all.edits);
            // Nobody exchanges an opener for another, or for a quote, and by mistake changes what ends the list as well.
            let meant = sure.len() > 1 && sure.iter().any(|gap| exchanges_openers(&gap.edit));
            if fewer.is_empty() {
                return (vec![all], !meant);
            }
            let mut answers = vec![all];
            answers.append(&mut fewer);
            for answer in &mut answers {
                answer.cost = self.cost_after(&answer.edits);
            }
            let best_of_fewer = answers[1..].iter().map(|answer| answer.cost).fold(f32::MAX, f32::min);
            let certain = !meant && answers[0].cost + BY_LINES < best_of_fewer;
            answers.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            return (answers, certain);
        }
        if self.certain_only || alignment.differing.len() > MOST_GAPS {
            return (Vec::new(), false);
        }
        let mut answers = self.combined(&sure, &unsure);
        if answers.is_empty() {
            answers = self.combined(&[], &[sure, unsure].concat());
        }
        if answers.len() > 1 {
            for answer in &mut answers {
                answer.cost = self.cost_after(&answer.edits);
            }
            answers.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        }
        (answers, false)
    }

    fn balances(&self, edits: &[TextEdit]) -> bool {
        read_plain(apply(self.text, edits), self.language).diagnostics().is_empty()
    }

    /// Every smallest set of `some` after which the text balances, with `all` put back as well.
    fn combined(&self, all: &[&Gap], some: &[&Gap]) -> Vec<Answer> {
        let most = (READING_BUDGET / self.text.len().max(1)).clamp(4, 512);
        let mut minimal: Vec<u64> = Vec::new();
        let mut answers = Vec::new();
        for set in combinations(some.len(), most) {
            if minimal.iter().any(|smaller| smaller & !set == 0) {
                continue;
            }
            let chosen = some.iter().enumerate().filter(|(at, _)| *at >= 64 || set >> at & 1 == 1).map(|(_, gap)| *gap);
            let mut gaps: Vec<&Gap> = all.iter().copied().chain(chosen).collect();
            gaps.sort_by_key(|gap| gap.edit.at);
            let tried = edits(&gaps);
            if self.balances(&tried) {
                minimal.push(set);
                answers.push(answer(tried));
            }
        }
        answers
    }

    /// What the forms that `edits` change cost afterwards.
    pub(crate) fn cost_after(&self, edits: &[TextEdit]) -> f32 {
        let tried = apply(self.text, edits);
        let tokens = tokens(&tried, self.language);
        let chunks = chunks(&tokens);
        let habits = learn(&tried, (&tokens, &chunks), 0, self.context.iter(), self.language);
        chunks
            .iter()
            .map(|chunk| {
                costs_as_it_is(&tokens[chunk.tokens.clone()], &habits, false)
                    .map_or(UNSOUND, |costs| costs.iter().sum())
            })
            .sum()
    }
}

fn edits(gaps: &[&Gap]) -> Vec<TextEdit> {
    gaps.iter().map(|gap| gap.edit.clone()).collect()
}

/// What begins a list or a string goes, and something else that does comes.
fn exchanges_openers(edit: &TextEdit) -> bool {
    let first = |side: &str| side.chars().find(|c| matches!(c, '(' | '[' | '{' | '"'));
    first(&edit.removed).zip(first(&edit.inserted)).is_some_and(|(was, is)| was != is)
}

fn answer(edits: Vec<TextEdit>) -> Answer {
    Answer::new(edits, "as in the earlier text")
}

/// Sets of gaps to put back, small ones first, at most `most`, and at last all of them; gaps from the 65th on belong to
/// every set.
fn combinations(count: usize, most: usize) -> Vec<u64> {
    if count == 0 {
        return Vec::new();
    }
    let all = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
    let mut sets: Vec<u64> = match count {
        0..=MOST_COMBINED => (1..all).collect(),
        _ => (0..count.min(64)).map(|at| 1 << at).collect(),
    };
    sets.sort_by_key(|set| set.count_ones());
    sets.truncate(most);
    sets.push(all);
    sets
}
