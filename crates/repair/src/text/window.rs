//! The part of a text that an edit can have broken.
//!
//! If the earlier text balances, every top-level form that the edit did not touch balances as well. The rest is a
//! window of whole forms around the edit, usually one. It is repaired as if it were the whole text: nothing outside it
//! is changed, and an unclosed quote or block comment in it ends with it.

use std::ops::Range;

use lispwright_syntax::{LineIndex, same_back, same_front};

use crate::outcome::Outcome;
use crate::report::{first_line, shown};
use crate::text::plain::Plain;

/// The layout of the file is learnt from this many bytes on each side of a window.
const CONTEXT: usize = 160_000;

/// They are read in pieces of at least this many bytes; only the last one on each side may be smaller.
const PIECE: usize = 3_000;

/// The forms around an edit, before and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Their bytes in the earlier text.
    pub(crate) old: Range<usize>,
    /// Their bytes in the text.
    pub(crate) new: Range<usize>,
    /// The bytes of the text that differ.
    pub(crate) changed: Range<usize>,
    /// The texts differ only inside the edit that the caller names.
    pub(crate) as_told: bool,
    /// Sound text before and after the window, whole forms: bytes of the text.
    pub(crate) around: [Range<usize>; 2],
    /// The same text in pieces of whole lines and forms, nearest to the window first.
    pub(crate) pieces: Vec<Range<usize>>,
}

impl Window {
    /// The window between `before`, which balances, and `text`. The change is `edited` if the texts are the same
    /// outside it, otherwise everything that differs.
    pub(crate) fn between(before: Plain<'_>, text: &str, edited: Option<&Range<u32>>) -> Self {
        Self::with_context(before, text, edited, CONTEXT)
    }

    /// [`Window::between`] with sound text of at most `context` bytes on each side.
    pub(crate) fn with_context(before: Plain<'_>, text: &str, edited: Option<&Range<u32>>, context: usize) -> Self {
        let Plain { text: before, tree } = before;
        let told = edited.and_then(|edited| agreed(before, text, edited));
        let (front, back) = told.unwrap_or_else(|| shared(before, text));
        let (from, to) = (front, before.len() - back);
        let forms: Vec<Range<usize>> = tree.top_level().map(|datum| tree.datum_span(datum).range()).collect();
        // A form at the edge of the change is left out if white space is between them.
        let changed = &text[front..text.len() - back];
        let (begins, ends) = (changed.starts_with([' ', '\n', '\t', '\r']), changed.ends_with(['\n', ' ', '\t', '\r']));
        let first = forms.partition_point(|form| form.end < from || (begins && form.end == from));
        let last = forms.partition_point(|form| form.start < to || (!ends && form.start == to));
        // An indented line may belong to the form before it.
        let between = forms.get(first).is_none_or(|form| form.start >= from);
        let indented = |index: &usize| is_indented(before, forms[*index].start);
        let first = match between && begins_indented(text, front, changed) {
            true => first.saturating_sub(1),
            false => first,
        };
        let first = (1..=first.min(forms.len().saturating_sub(1)))
            .rev()
            .take_while(indented)
            .last()
            .map_or(first, |index| index - 1);
        let last = (last.max(first)..forms.len()).take_while(indented).last().map_or(last, |index| index + 1);
        let last = if ends_with_a_condition(changed) { (last + 1).min(forms.len()) } else { last };
        let touched = forms.get(first..last.max(first)).filter(|touched| !touched.is_empty());
        let (mut start, mut end) = (from, to);
        if let Some(touched) = touched {
            start = start.min(touched[0].start);
            end = end.max(touched[touched.len() - 1].end);
        }
        // Whole lines keep columns right and the words of a line together.
        let in_blank =
            |at: usize| forms.get(forms.partition_point(|form| form.end <= at)).is_none_or(|form| form.start >= at);
        let line_start = before[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = before[end..].find('\n').map_or(before.len(), |at| end + at + 1);
        if in_blank(line_start) && agrees_to(before, text, line_start) {
            start = line_start;
        }
        if in_blank(line_end) && before.len() - line_end <= back {
            end = line_end;
        }
        let shift = |at: usize| text.len() - (before.len() - at);
        let (around_from, around_to) = around(&forms, start..end, context);
        let around = [around_from..start, shift(end)..shift(around_to)];
        let begins = |from: usize| forms[forms.partition_point(|form| form.start < from)..].iter();
        let front_pieces = pieces(text, &around[0], begins(around_from).map(|form| form.start));
        let back_pieces = pieces(text, &around[1], begins(end).map(|form| shift(form.start)));
        let pieces = nearest_first(front_pieces, back_pieces);
        Self {
            old: start..end,
            new: start..shift(end),
            changed: front..text.len() - back,
            as_told: told.is_some(),
            pieces,
            around,
        }
    }
}

/// The last line of code begins with a condition, which may be that of the form that follows: `#+sbcl`.
fn ends_with_a_condition(changed: &str) -> bool {
    changed
        .trim_end()
        .lines()
        .next_back()
        .is_some_and(|line| line.trim_start().starts_with("#+") || line.trim_start().starts_with("#-"))
}

/// Only white space, and some, is before byte `at` on its line.
fn is_indented(text: &str, at: usize) -> bool {
    let line = &text[text[..at].rfind('\n').map_or(0, |line| line + 1)..at];
    !line.is_empty() && line.trim().is_empty()
}

/// The first line of code in the `changed` text, which begins at byte `front`, is an indented line.
fn begins_indented(text: &str, front: usize, changed: &str) -> bool {
    let code = changed.trim_start();
    !code.is_empty() && is_indented(text, front + changed.len() - code.len())
}

/// The start and end of the forms around `window` that are within `context` bytes of it.
fn around(forms: &[Range<usize>], window: Range<usize>, context: usize) -> (usize, usize) {
    let near = |form: &&Range<usize>| form.start + context >= window.start;
    let from = forms.iter().find(near).map_or(window.start, |form| form.start.min(window.start));
    let far = |form: &&Range<usize>| form.end <= window.end + context;
    let to = forms.iter().rev().find(far).map_or(window.end, |form| form.end.max(window.end));
    (from, to)
}

/// `range` of `text` in pieces; `begins` are the starts of forms in it, ascending.
fn pieces(text: &str, range: &Range<usize>, begins: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut pieces = Vec::with_capacity(range.len() / PIECE + 1);
    let mut from = range.start;
    for begin in begins.take_while(|begin| *begin < range.end) {
        if begin >= from + PIECE && text.as_bytes()[begin - 1] == b'\n' {
            pieces.push(from..begin);
            from = begin;
        }
    }
    pieces.push(from..range.end);
    pieces
}

/// The pieces before and after a place, alternating.
fn nearest_first(front: Vec<Range<usize>>, back: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut all = Vec::with_capacity(front.len() + back.len());
    let (mut front, mut back) = (front.into_iter().rev(), back.into_iter());
    loop {
        let (before, after) = (front.next(), back.next());
        if before.is_none() && after.is_none() {
            return all;
        }
        all.extend(before);
        all.extend(after);
    }
}

/// The range of `text` that differs from `before`.
pub(crate) fn differing(before: &str, text: &str) -> Range<usize> {
    let (front, back) = shared(before, text);
    front..text.len() - back
}

fn agrees_to(before: &str, text: &str, at: usize) -> bool {
    text.is_char_boundary(at) && before.as_bytes()[..at] == text.as_bytes()[..at]
}

/// The numbers of bytes in common before and after `edited`, if the texts differ nowhere else.
fn agreed(before: &str, text: &str, edited: &Range<u32>) -> Option<(usize, usize)> {
    let (start, end) = (edited.start as usize, edited.end as usize);
    let back = text.len().checked_sub(end)?;
    let old_end = before.len().checked_sub(back)?;
    let fits = start <= end && start <= old_end && text.is_char_boundary(start) && text.is_char_boundary(end);
    (fits
        && before.as_bytes()[..start] == text.as_bytes()[..start]
        && before.as_bytes()[old_end..] == text.as_bytes()[end..])
        .then_some((start, back))
}

/// The numbers of bytes in common at the front and, in the rest, at the back, ending between characters.
fn shared(before: &str, text: &str) -> (usize, usize) {
    let (a, b) = (before.as_bytes(), text.as_bytes());
    let mut front = same_front(a, b);
    while !text.is_char_boundary(front) || !before.is_char_boundary(front) {
        front -= 1;
    }
    let mut back = same_back(&a[front..], &b[front..]);
    while !text.is_char_boundary(text.len() - back) || !before.is_char_boundary(before.len() - back) {
        back -= 1;
    }
    if front + back == before.len() {
        return at_line_start(text, front, back);
    }
    (front, back)
}

/// An insertion can often be described as one that begins a few bytes earlier: a form inserted before another shares
/// its opener with it. Prefers the description that begins at the beginning of a line.
fn at_line_start(text: &str, front: usize, back: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let line = text[..front].rfind('\n').map_or(0, |at| at + 1);
    let by = front - line;
    let end = text.len() - back;
    let same = by <= end - front && bytes[line..front] == bytes[end - by..end] && text.is_char_boundary(end - by);
    if same { (line, back + by) } else { (front, back) }
}

/// Moves the outcome for a part of `text` that begins at byte `at` to places of the whole text; the text of a repair
/// stays that of the part.
pub(crate) fn widened(outcome: Outcome, text: &str, index: &LineIndex, at: usize) -> Outcome {
    let shift = |edits: &mut Vec<crate::text::edit::TextEdit>| edits.iter_mut().for_each(|edit| edit.at += at as u32);
    // The part may begin in the middle of a line.
    let lines = index.line(at as u32) - 1;
    match outcome {
        Outcome::Balanced => Outcome::Balanced,
        Outcome::Repaired(mut repair) => {
            shift(&mut repair.edits);
            for form in &mut repair.forms {
                form.line += lines;
                form.first_line = first_line(text, index, form.line);
            }
            repair.evidence.iter_mut().filter_map(|found| found.form_line.as_mut()).for_each(|line| *line += lines);
            Outcome::Repaired(repair)
        }
        Outcome::Refused(mut refusal) => {
            refusal.diagnosis.line += lines;
            refusal.diagnosis.opener = refusal.diagnosis.opener.map(|opener| opener + at as u32);
            refusal.diagnosis.opener_line = refusal.diagnosis.opener_line.map(|line| line + lines);
            for candidate in &mut refusal.candidates {
                candidate.line += lines;
                shift(&mut candidate.edits);
                (candidate.before, candidate.after) = shown(text, index, candidate.line, &candidate.edits);
            }
            Outcome::Refused(refusal)
        }
    }
}
