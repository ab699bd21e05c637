//! Changes to a text, as byte offsets into it.

use std::ops::Range;

pub(crate) const OPENERS: [char; 3] = ['(', '[', '{'];
pub(crate) const CLOSERS: [char; 3] = [')', ']', '}'];

/// One replacement in the text that was given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextEdit {
    /// The byte offset in the given text at which it begins.
    pub at: u32,
    /// The text removed there; empty for an insertion.
    pub removed: String,
    /// The text inserted there; empty for a removal.
    pub inserted: String,
}

impl TextEdit {
    /// The bytes of the given text that it replaces.
    pub fn range(&self) -> Range<usize> {
        self.at as usize..self.at as usize + self.removed.len()
    }

    pub(crate) fn adds(&self, delimiters: [char; 3]) -> bool {
        self.inserted.contains(delimiters)
    }

    pub(crate) fn takes(&self, delimiters: [char; 3]) -> bool {
        self.removed.contains(delimiters)
    }
}

/// The characters of `text` without white space.
pub(crate) fn solid(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| !c.is_whitespace())
}

/// The number of characters that `edits` add, and the number that they remove, without white space.
pub(crate) fn counted<'e>(edits: impl IntoIterator<Item = &'e TextEdit>) -> (usize, usize) {
    edits.into_iter().fold((0, 0), |(added, removed), edit| {
        (added + solid(&edit.inserted).count(), removed + solid(&edit.removed).count())
    })
}

/// `edits` and `others` give the same text except for white space.
pub(crate) fn same_code(text: &str, edits: &[TextEdit], others: &[TextEdit]) -> bool {
    solid(&apply(text, edits)).eq(solid(&apply(text, others)))
}

/// An edit of `text` that replaces `range`, without what the old and the new text share at both ends.
pub(crate) fn replace(text: &str, range: Range<usize>, inserted: &str) -> TextEdit {
    let removed = &text[range.clone()];
    let shared =
        |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let front: usize = shared(removed, inserted);
    let (removed, inserted) = (&removed[front..], &inserted[front..]);
    let back: usize =
        removed.chars().rev().zip(inserted.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    TextEdit {
        at: (range.start + front) as u32,
        removed: removed[..removed.len() - back].to_owned(),
        inserted: inserted[..inserted.len() - back].to_owned(),
    }
}

/// `text` after `edits`, which have to be edits of this text, in order, and not overlap.
#[must_use]
pub fn apply(text: &str, edits: &[TextEdit]) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut from = 0;
    for edit in edits {
        out.push_str(&text[from..edit.at as usize]);
        out.push_str(&edit.inserted);
        from = edit.range().end;
    }
    out.push_str(&text[from..]);
    out
}

/// The same edits of `text`, moved into `spans`, including their ends; `None` if one has no place there.
///
/// To add or remove a closer gives the same text anywhere in a run of equal ones, so an edit may move along its run.
#[must_use]
pub fn moved_into(text: &str, edits: &[TextEdit], spans: &[Range<usize>]) -> Option<Vec<TextEdit>> {
    let bytes = text.as_bytes();
    let holds = |range: &Range<usize>| spans.iter().any(|span| span.start <= range.start && range.end <= span.end);
    let moved = |edit: &TextEdit| -> Option<TextEdit> {
        if holds(&edit.range()) {
            return Some(edit.clone());
        }
        let run = if edit.removed.is_empty() { &edit.inserted } else { &edit.removed };
        let &byte = run.as_bytes().first()?;
        let one_sided = edit.removed.is_empty() != edit.inserted.is_empty();
        if !one_sided || !byte.is_ascii() || run.bytes().any(|other| other != byte) {
            return None;
        }
        let Range { start, end } = edit.range();
        let left = (0..start).rev().take_while(|&at| bytes[at] == byte);
        let right = (end..bytes.len()).take_while(|&at| bytes[at] == byte).map(|at| at + 1 - edit.removed.len());
        left.chain(right).map(|at| TextEdit { at: at as u32, ..edit.clone() }).find(|edit| holds(&edit.range()))
    };
    let mut all = edits.iter().map(moved).collect::<Option<Vec<TextEdit>>>()?;
    all.sort_by_key(|edit| edit.at);
    all.windows(2).all(|pair| pair[0].range().end < pair[1].at as usize).then_some(all)
}

/// Sorts edits and joins those that touch.
pub(crate) fn normalise(mut edits: Vec<TextEdit>) -> Vec<TextEdit> {
    edits.sort_by_key(|edit| (edit.at, edit.removed.len()));
    let mut out: Vec<TextEdit> = Vec::with_capacity(edits.len());
    for edit in edits {
        match out.last_mut() {
            Some(last) if last.range().end == edit.at as usize => {
                last.removed.push_str(&edit.removed);
                last.inserted.push_str(&edit.inserted);
            }
            _ => out.push(edit),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_holds_only_what_differs() {
        let edit = replace("(a b))", 0..6, "(a b)");
        assert_eq!((edit.at, &*edit.removed, &*edit.inserted), (5, ")", ""));
        assert_eq!(apply("(a b))", &[edit]), "(a b)");
    }

    #[test]
    fn an_edit_moves_along_its_run() {
        let text = "(a (b (c)) d";
        let at = |at, removed: &str, inserted: &str, from, to| {
            let edit = TextEdit { at, removed: removed.to_owned(), inserted: inserted.to_owned() };
            moved_into(text, &[edit], std::slice::from_ref(&(from..to))).map(|edits| edits[0].at)
        };
        assert_eq!(at(10, "", ")", 6, 9), Some(9));
        assert_eq!(at(9, ")", "", 6, 9), Some(8));
        assert_eq!(at(8, ")", "", 9, 12), Some(9));
        assert_eq!(at(10, "", "]", 6, 9), None);
        assert_eq!(at(12, "", ")", 6, 9), None);
        assert_eq!(at(9, ")", "]", 6, 9), None);
    }

    #[test]
    fn edits_that_touch_become_one() {
        let joined = normalise(vec![replace("ab", 2..2, ")"), replace("ab", 2..2, "]"), replace("ab", 0..0, "(")]);
        assert_eq!(joined.len(), 2);
        assert_eq!(apply("ab", &joined), "(ab)]");
    }
}
