//! The answers of the earlier text to a broken one: delimiters are put back where they were.

use lispwright_syntax::read_plain;

use crate::case::Case;
use crate::proposals::Answer;
use crate::proposals::search::costs_as_it_is;
use crate::text::align::{Alignment, Gap};
use crate::text::code::tokens;
use crate::text::edit::{TextEdit, apply};
use crate::text::scope::chunks;
use crate::witnesses::learn::learn;
use crate::witnesses::pairs::settle;

/// The reason for an answer that puts delimiters back.
pub(crate) const AS_EARLIER: &str = "as in the earlier text";

/// The number of bytes read to try combinations of gaps, at most.
const READING_BUDGET: usize = 8 << 20;
/// Up to this many gaps are combined in every way.
const MOST_COMBINED: usize = 10;
/// How much likelier the lines have to be, as a natural logarithm, to show that delimiters were not moved on purpose.
pub(crate) const BY_LINES: f32 = 2.0;
/// More gaps than this are not a few slips, and trying subsets of them would take too long.
const MOST_GAPS: usize = 2_000;
/// The cost of a form that does not balance.
const UNSOUND: f32 = 1000.0;

impl Case<'_> {
    /// The sets of gaps that make the text balance if they are put back, best first, and whether the first is certain.
    ///
    /// In lines with the same words as before, a delimiter that differs is a slip, and all such delimiters are put back
    /// together: some may cancel each other. But a few of them may have been changed on purpose; so if fewer than all
    /// would suffice, the lines have to be likelier with all of them put back. A gap in new lines may well differ on
    /// purpose, so as few of those as possible are put back.
    pub(crate) fn by_earlier_text(&self, alignment: &Alignment) -> (Vec<Answer>, bool) {
        let (sure, unsure): (Vec<&Gap>, Vec<&Gap>) = alignment.differing.iter().partition(|gap| gap.sure);
        if !sure.is_empty() && self.balances(&edits(&sure)) {
            let all = answer(edits(&sure));
            let mut fewer = if sure.len() > 1 { self.combined(&[], &sure) } else { Vec::new() };
            fewer.retain(|answer| answer.edits != all.edits);
            // Nobody exchanges an opener for another, or for a quote, and its end as well, by mistake.
            let meant = sure.len() > 1 && sure.iter().any(|gap| exchanges_openers(&gap.edit));
            if fewer.is_empty() {
                return (vec![all], !meant);
            }
            let mut answers = vec![all];
            answers.append(&mut fewer);
            for answer in &mut answers {
                answer.cost = self.cost_after(&answer.edits, false);
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
                answer.cost = self.cost_after(&answer.edits, false);
            }
            answers.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        }
        (answers, false)
    }

    fn balances(&self, edits: &[TextEdit]) -> bool {
        read_plain(apply(self.text, edits), self.language).diagnostics().is_empty()
    }

    /// Every smallest set of `some` that makes the text balance, together with `all`.
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

    /// The cost of the forms of the text after `edits`; the columns of unchanged lines count for little if `settled`.
    pub(crate) fn cost_after(&self, edits: &[TextEdit], settled: bool) -> f32 {
        let tried = apply(self.text, edits);
        let mut tokens = tokens(&tried, self.language);
        let chunks = chunks(&tokens);
        let learnt;
        let habits = if self.has_open_text() {
            learnt = learn(&tried, (&tokens, &chunks), 0, self.context.iter(), self.language).habits;
            &learnt
        } else {
            if let Some(pairs) = self.pairs().filter(|_| settled) {
                settle(&mut tokens, pairs.lines.iter().copied(), edits);
            }
            self.habits()
        };
        chunks
            .iter()
            .map(|chunk| {
                costs_as_it_is(&tokens[chunk.tokens.clone()], habits, false).map_or(UNSOUND, |costs| costs.iter().sum())
            })
            .sum()
    }
}

fn edits(gaps: &[&Gap]) -> Vec<TextEdit> {
    gaps.iter().map(|gap| gap.edit.clone()).collect()
}

/// The edit replaces an opener or a quote by another kind.
fn exchanges_openers(edit: &TextEdit) -> bool {
    let first = |side: &str| side.chars().find(|c| matches!(c, '(' | '[' | '{' | '"'));
    first(&edit.removed).zip(first(&edit.inserted)).is_some_and(|(was, is)| was != is)
}

fn answer(edits: Vec<TextEdit>) -> Answer {
    Answer::new(edits, AS_EARLIER)
}

/// Sets of gaps to put back, as bits: at most `most`, small ones first, and finally all gaps. Gaps from the 65th on
/// belong to every set.
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
