//! The additional cost of each edit, and of each end of a list, that the earlier text gives.

use std::ops::Range;

use crate::proposals::search::Action;
use crate::text::align::Alignment;
use crate::text::code::Token;
use crate::text::edit::TextEdit;
use crate::witnesses::pairs::{Hold, Pairs};

/// The additional cost of an edit outside the bytes that differ from the earlier text.
const NOT_CHANGED: f32 = 1.5;
/// The most that it costs to change a closer of a place that is as in the earlier text, because the list that it ends
/// may be another one now.
const SAME_CLOSERS: f32 = 2.0;
/// The cost of an edit that gives a place the delimiters of the earlier text.
const RESTORED: f32 = 3.4;
/// The same for each further one: who slips once slips in the same way again.
const RESTORED_AGAIN: f32 = 1.0;
/// The cost of removing a closer whose opener is gone.
const ORPHAN: f32 = 4.0;
/// The additional cost of removing another closer where the opener of one is gone.
const NO_ORPHAN: f32 = 3.0;
/// The cost of a list that ends elsewhere than in the earlier text, by how firmly that is expected; and of each further
/// one, because the lists around it end elsewhere too then.
const ELSEWHERE: f32 = 4.5;
const ELSEWHERE_LOST: f32 = 3.5;
const ELSEWHERE_LOOSE: f32 = 0.7;
const ELSEWHERE_AGAIN: f32 = 0.7;

/// Additional costs of edits, by token.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guard {
    /// The costs of adding a closer or an opener in the gap before each token; the last is the gap at the end of the
    /// text.
    close: Vec<f32>,
    open: Vec<f32>,
    /// The costs of changing or removing each token.
    change: Vec<f32>,
    /// The whole costs of edits that restore the earlier text; otherwise infinite.
    close_again: Vec<f32>,
    open_again: Vec<f32>,
    drop_again: Vec<f32>,
    /// For each token, the gap between words that is after it.
    gaps: Vec<u32>,
    /// For each token that opens a list of the earlier text, the gap in which that ended, and the cost of another end.
    endings: Vec<(u32, f32)>,
}

/// A list that ends anywhere.
const ANYWHERE: (u32, f32) = (u32::MAX, 0.0);

impl Guard {
    /// No additional costs for `count` tokens.
    pub(crate) fn none(count: usize) -> Self {
        Self {
            close: vec![0.0; count + 1],
            open: vec![0.0; count + 1],
            change: vec![0.0; count],
            close_again: vec![f32::INFINITY; count + 1],
            open_again: vec![f32::INFINITY; count + 1],
            drop_again: vec![f32::INFINITY; count],
            gaps: vec![0; count],
            endings: vec![ANYWHERE; count],
        }
    }

    /// Protects the places that `alignment` shows to be right, and those outside `free`.
    pub(crate) fn of(
        text: &str,
        tokens: &[Token],
        known: Option<(&Alignment, &Pairs)>,
        free: Option<&Range<usize>>,
    ) -> Self {
        let mut guard = Self::none(tokens.len());
        if let Some((alignment, pairs)) = known {
            guard.surviving(text, tokens, alignment);
            guard.paired(tokens, pairs);
        }
        if let Some(free) = free {
            let free = with_closers(text, free);
            for index in 0..=tokens.len() {
                let before = index.checked_sub(1).map_or(0, |before| tokens[before].end as usize);
                let at = tokens.get(index).map_or(text.len(), |token| token.start as usize);
                if at < free.start || before > free.end {
                    guard.close[index] += NOT_CHANGED;
                    guard.open[index] += NOT_CHANGED;
                }
                if let Some(token) = tokens.get(index)
                    && ((token.end as usize) < free.start || at > free.end)
                {
                    guard.change[index] += NOT_CHANGED;
                }
            }
        }
        guard
    }

    /// The costs of places with the same delimiters as before.
    fn surviving(&mut self, text: &str, tokens: &[Token], alignment: &Alignment) {
        let mut gaps = alignment.surviving.iter().peekable();
        for index in 0..=tokens.len() {
            let at = tokens.get(index).map_or(text.len(), |token| token.start as usize);
            while gaps.next_if(|(gap, _)| gap.end < at).is_some() {}
            if let Some((_, cost)) = gaps.peek().filter(|(gap, _)| gap.start <= at) {
                self.close[index] += cost.min(SAME_CLOSERS);
                self.open[index] += cost;
                if let Some(token) = tokens.get(index) {
                    self.change[index] += if token.kind.is_close() { cost.min(SAME_CLOSERS) } else { *cost };
                }
            }
        }
    }

    /// The costs of the ends of lists, and of edits that restore the earlier text.
    fn paired(&mut self, tokens: &[Token], pairs: &Pairs) {
        self.gaps.clone_from(&pairs.gaps);
        for (own, ending) in self.endings.iter_mut().zip(&pairs.endings) {
            let Some(ending) = ending else { continue };
            let cost = match ending.hold {
                Hold::Firm => ELSEWHERE,
                Hold::Lost => ELSEWHERE_LOST,
                Hold::Loose => ELSEWHERE_LOOSE,
            };
            *own = (ending.gap, cost);
        }
        let orphans = pairs.changes.iter().any(|change| change.orphans > 0);
        for index in 0..=tokens.len() {
            let gap = index.checked_sub(1).map_or(0, |before| pairs.gaps[before]) as usize;
            let change = pairs.changes[gap];
            if change.whole && change.closers < 0 {
                self.close_again[index] = RESTORED;
            }
            if change.whole && change.openers < 0 {
                self.open_again[index] = RESTORED;
            }
            let Some(token) = tokens.get(index) else { continue };
            let own = pairs.changes[pairs.gaps[index] as usize];
            if token.kind.is_close() && own.whole && own.closers > 0 {
                self.drop_again[index] = RESTORED;
            } else if token.kind.is_close() && own.orphans > 0 {
                self.drop_again[index] = ORPHAN;
            } else if token.kind.is_close() && orphans && !own.doubtful {
                self.change[index] += NO_ORPHAN;
            } else if token.kind.is_open() && own.whole && own.openers > 0 && is_doubled(tokens, index) {
                self.drop_again[index] = RESTORED;
            }
        }
    }

    /// The costs for the tokens of `range` alone.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        let gaps = range.start..=range.end;
        Self {
            close: self.close[gaps.clone()].to_vec(),
            open: self.open[gaps.clone()].to_vec(),
            change: self.change[range.clone()].to_vec(),
            close_again: self.close_again[gaps.clone()].to_vec(),
            open_again: self.open_again[gaps].to_vec(),
            drop_again: self.drop_again[range.clone()].to_vec(),
            gaps: self.gaps[range.clone()].to_vec(),
            endings: self.endings[range].to_vec(),
        }
    }

    /// The cost of an edit that would cost `price` without the earlier text; `restoring` if an edit before it restores
    /// the earlier text too.
    pub(crate) fn cost(&self, action: Action, price: f32, restoring: bool) -> f32 {
        let (more, again) = match action {
            Action::Close { at, .. } => (self.close[at as usize + 1], self.close_again[at as usize + 1]),
            Action::Open { at, .. } => (self.open[at as usize], self.open_again[at as usize]),
            Action::Drop { at } | Action::Change { at, .. } => (self.change[at as usize], self.drop_again[at as usize]),
        };
        (price + more).min(if restoring { again - RESTORED + RESTORED_AGAIN } else { again })
    }

    /// The edit gives its place the delimiters of the earlier text, or removes a closer whose opener is gone.
    pub(crate) fn restores(&self, action: Action) -> bool {
        self.cost(action, f32::INFINITY, false).is_finite()
    }

    /// The cost of ending the list with the opener `opener` right after token `at`, if `moved` others before it end
    /// elsewhere than in the earlier text; 0 if it ends as before.
    pub(crate) fn ending(&self, opener: u32, at: u32, moved: u8) -> f32 {
        let Some(&(gap, cost)) = self.endings.get(opener as usize) else { return 0.0 };
        match gap {
            u32::MAX => 0.0,
            gap if gap == self.gaps[at as usize] => 0.0,
            _ if moved > 0 => cost.min(ELSEWHERE_AGAIN),
            _ => cost,
        }
    }
}

/// The opener at `index` touches another: nobody writes a single one by mistake.
fn is_doubled(tokens: &[Token], index: usize) -> bool {
    let touch = |pair: &[Token]| pair[0].kind.is_open() && pair[1].kind.is_open() && pair[0].end == pair[1].start;
    tokens[index.saturating_sub(1)..(index + 2).min(tokens.len())].windows(2).any(touch)
}

fn is_closer(byte: u8) -> bool {
    matches!(byte, b')' | b']' | b'}')
}

/// `free` with the closers that touch it, because nothing shows which closer of a run is new.
fn with_closers(text: &str, free: &Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let before = bytes[..free.start].iter().rev().take_while(|byte| is_closer(**byte)).count();
    let after = bytes[free.end..].iter().take_while(|byte| is_closer(**byte)).count();
    free.start - before..free.end + after
}

/// Moves an edit of closers into `free` if that gives the same text.
pub(crate) fn slide(text: &str, edit: &mut TextEdit, free: &Range<usize>) {
    let changed = if edit.removed.is_empty() { &edit.inserted } else { &edit.removed };
    let Some(&closer) = changed.as_bytes().first() else { return };
    let pure = edit.removed.is_empty() != edit.inserted.is_empty();
    if !pure || !is_closer(closer) || !changed.bytes().all(|byte| byte == closer) {
        return;
    }
    let bytes = text.as_bytes();
    let same = |range: Range<usize>| bytes.get(range).is_some_and(|bytes| bytes.iter().all(|byte| *byte == closer));
    let range = edit.range();
    let count = range.len();
    if range.end > free.end && free.end >= free.start + count && same(free.end - count..range.end) {
        edit.at = (free.end - count) as u32;
    } else if range.start < free.start && free.start + count <= free.end && same(range.start..free.start + count) {
        edit.at = free.start as u32;
    }
}

/// The edit is inside `free` or touches it.
pub(crate) fn is_inside(edit: &TextEdit, free: &Range<usize>) -> bool {
    let range = edit.range();
    free.start <= range.start && range.end <= free.end
}
