//! Changes to a text, as byte offsets into it.

use std::ops::Range;

/// One replacement in the text that was given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// Where it begins, in bytes of the given text.
    pub at: u32,
    /// The bytes taken away there; empty for an insertion.
    pub removed: String,
    /// The bytes put there; empty for a removal.
    pub inserted: String,
}

impl Edit {
    /// The bytes of the given text that it replaces.
    pub fn range(&self) -> Range<usize> {
        self.at as usize..self.at as usize + self.removed.len()
    }
}

/// An edit of `text` that replaces `range`, with what both sides share left out.
pub(crate) fn replace(text: &str, range: Range<usize>, inserted: &str) -> Edit {
    let removed = &text[range.clone()];
    let shared =
        |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let front: usize = shared(removed, inserted);
    let (removed, inserted) = (&removed[front..], &inserted[front..]);
    let back: usize =
        removed.chars().rev().zip(inserted.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    Edit {
        at: (range.start + front) as u32,
        removed: removed[..removed.len() - back].to_owned(),
        inserted: inserted[..inserted.len() - back].to_owned(),
    }
}

/// `text` with `edits` made, which are sorted and do not overlap.
pub(crate) fn apply(text: &str, edits: &[Edit]) -> String {
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

/// Sorts edits and joins those that touch.
pub(crate) fn normalise(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.at, edit.removed.len()));
    let mut out: Vec<Edit> = Vec::with_capacity(edits.len());
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
    fn edits_that_touch_become_one() {
        let joined = normalise(vec![replace("ab", 2..2, ")"), replace("ab", 2..2, "]"), replace("ab", 0..0, "(")]);
        assert_eq!(joined.len(), 2);
        assert_eq!(apply("ab", &joined), "(ab)]");
    }
}
