//! The places of a text that are known to be right, and the additional cost of changing them.

use std::ops::Range;

use crate::proposals::search::Action;
use crate::text::align::Alignment;
use crate::text::code::Token;
use crate::text::edit::TextEdit;

/// Additional cost of an edit outside the bytes that differ from the earlier text.
const NOT_CHANGED: f32 = 4.0;

/// Additional costs of edits, by token.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guard {
    /// The costs of an insertion into the gap before each token; the last is the gap at the end of the text.
    insert: Vec<f32>,
    /// The costs of changing or removing each token.
    change: Vec<f32>,
}

impl Guard {
    /// No additional costs for `count` tokens.
    pub(crate) fn none(count: usize) -> Self {
        Self { insert: vec![0.0; count + 1], change: vec![0.0; count] }
    }

    /// Protects the places that `alignment` shows to be right, and those outside `free`.
    pub(crate) fn of(text: &str, tokens: &[Token], alignment: Option<&Alignment>, free: Option<&Range<usize>>) -> Self {
        let mut guard = Self::none(tokens.len());
        let mut gaps = alignment.map_or(&[][..], |alignment| &alignment.surviving).iter().peekable();
        for index in 0..=tokens.len() {
            let at = tokens.get(index).map_or(text.len(), |token| token.start as usize);
            while gaps.next_if(|(gap, _)| gap.end < at).is_some() {}
            if let Some((_, cost)) = gaps.peek().filter(|(gap, _)| gap.start <= at) {
                guard.insert[index] += cost;
                if index < tokens.len() {
                    guard.change[index] += cost;
                }
            }
        }
        if let Some(free) = free {
            let free = with_closers(text, free);
            for index in 0..=tokens.len() {
                let before = index.checked_sub(1).map_or(0, |before| tokens[before].end as usize);
                let at = tokens.get(index).map_or(text.len(), |token| token.start as usize);
                if at < free.start || before > free.end {
                    guard.insert[index] += NOT_CHANGED;
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

    /// The costs for the tokens of `range` alone.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        Self { insert: self.insert[range.start..=range.end].to_vec(), change: self.change[range].to_vec() }
    }

    pub(crate) fn cost(&self, action: Action) -> f32 {
        match action {
            Action::Close { at, .. } => self.insert[at as usize + 1],
            Action::Open { at, .. } => self.insert[at as usize],
            Action::Drop { at } | Action::Change { at, .. } => self.change[at as usize],
        }
    }
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
