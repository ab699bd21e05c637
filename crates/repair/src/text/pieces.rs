//! Forms with inner lines in column 0, whose columns do not show what belongs to them.
//!
//! Such a form is a row of pieces, each from one line in column 0 to the next, and many of them do not balance by
//! themselves: the opener of a wrapper, its closer. An edit seldom writes more than one of them. The earlier text shows
//! which of the pieces were as they are, and so where the fault is.

use std::collections::HashMap;
use std::ops::Range;

use lispwright_syntax::read_plain;

use super::plain::Plain;

/// The only piece of `text`, in bytes, that is not in `before` and does not balance; `None` if there are several, or if
/// it is no part of a form with other pieces.
pub(crate) fn changed_piece(text: &str, before: Plain<'_>) -> Option<Range<usize>> {
    let known: HashMap<&str, Range<usize>> =
        pieces(before.text).map(|piece| (before.text[piece.clone()].trim_end(), piece)).collect();
    let old = |piece: &Range<usize>| known.get(text[piece.clone()].trim_end());
    let all: Vec<Range<usize>> = pieces(text).collect();
    let language = before.tree.language();
    let broken = |piece: &Range<usize>| !read_plain(&text[piece.clone()], language).diagnostics().is_empty();
    let mut changed = (0..all.len()).filter(|&at| old(&all[at]).is_none()).filter(|&at| broken(&all[at]));
    let at = changed.next().filter(|_| changed.next().is_none())?;
    let spans = || before.tree.top_level().map(|datum| before.tree.datum_span(datum).range());
    let goes_on = |piece: &Range<usize>| spans().any(|form| form.start <= piece.start && piece.end < form.end);
    let began_before = |piece: &Range<usize>| spans().any(|form| form.start < piece.start && piece.start < form.end);
    let beside = |at: Option<usize>| at.and_then(|at| all.get(at)).and_then(old);
    let inside = beside(at.checked_sub(1)).is_some_and(goes_on) || beside(at.checked_add(1)).is_some_and(began_before);
    inside.then(|| all[at].clone())
}

/// The pieces of a text. Each begins with a line that has a delimiter in column 0, perhaps behind a prefix.
fn pieces(text: &str) -> impl Iterator<Item = Range<usize>> {
    let begins = |line: &str| line.starts_with(['(', '[', '{', ')', ']', '}', '#', '\'', '`']);
    let starts = text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    });
    let starts: Vec<usize> = starts.filter(|(_, line)| begins(line)).map(|(start, _)| start).collect();
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    starts.into_iter().zip(ends).map(|(start, end)| start..end)
}
