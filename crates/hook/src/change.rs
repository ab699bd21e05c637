//! A file before and after a call, with the bytes that the call wrote.

use std::ops::Range;

use lispwright_repair::{TextEdit, moved_into};
use lispwright_syntax::{same_back, same_front};

/// A file as it is and as a call would leave it. Both texts have the line ends of [`ChangedFile::after`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// The file, as the call names it.
    pub path: String,
    /// Its text now; `None` when there is no such file.
    pub before: Option<String>,
    /// Its text afterwards.
    pub after: String,
    /// The bytes of `after` that come from texts of the call and can still be changed there. They are ascending and do
    /// not overlap.
    pub written: Vec<WrittenBytes>,
    /// The texts of the call are single lines, and have to stay so.
    pub by_line: bool,
}

/// Bytes of a file that come from a text of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenBytes {
    /// The bytes.
    pub span: Range<usize>,
    /// The number of the text in the call, from 0; the same for all places to which a text is written.
    pub source: usize,
}

/// A changed text of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The number of the text in the call, from 0.
    pub source: usize,
    /// Its new content.
    pub text: String,
}

impl ChangedFile {
    /// The smallest ranges of `before` and `after` that contain every difference.
    pub fn region(&self) -> (Range<usize>, Range<usize>) {
        let (before, after) = (self.before.as_deref().unwrap_or_default(), self.after.as_str());
        let shared = same_front(before.as_bytes(), after.as_bytes());
        let front = floor(after, floor(before, shared));
        let back = same_back(&before.as_bytes()[front..], &after.as_bytes()[front..]);
        let mut ends = (before.len() - back, after.len() - back);
        while !(before.is_char_boundary(ends.0) && after.is_char_boundary(ends.1)) {
            ends = (ends.0 + 1, ends.1 + 1);
        }
        (front..ends.0, front..ends.1)
    }

    /// `edits` moved into the bytes that the call wrote; `None` if one of them has no place there.
    pub fn within_reach(&self, edits: &[TextEdit]) -> Option<Vec<TextEdit>> {
        let written: Vec<Range<usize>> = self.written.iter().map(|written| written.span.clone()).collect();
        moved_into(&self.after, edits, &written)
    }

    /// The texts of the call changed so that the file gets `edits`. `None` if that is impossible: an edit is outside
    /// the bytes that the call wrote, or a text that is written to several places would need different edits.
    pub fn rewritten(&self, edits: &[TextEdit]) -> Option<Vec<Rewritten>> {
        if self.by_line && edits.iter().any(|edit| edit.removed.contains('\n') || edit.inserted.contains('\n')) {
            return None;
        }
        let mut found: Vec<Rewritten> = Vec::new();
        let mut done = 0;
        for written in &self.written {
            let original = &self.after[written.span.clone()];
            let mut text = String::with_capacity(original.len() + 8);
            let mut from = written.span.start;
            for edit in &edits[done..] {
                let range = edit.range();
                if range.start < written.span.start || range.end > written.span.end {
                    break;
                }
                text.push_str(&self.after[from..range.start]);
                text.push_str(&edit.inserted);
                from = range.end;
                done += 1;
            }
            text.push_str(&self.after[from..written.span.end]);
            match found.iter().find(|other| other.source == written.source) {
                Some(other) if other.text != text => return None,
                Some(_) => {}
                None => found.push(Rewritten { source: written.source, text }),
            }
        }
        (done == edits.len()).then_some(found)
    }
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: &str, after: &str, written: &[(Range<usize>, usize)]) -> ChangedFile {
        ChangedFile {
            path: "a.lisp".to_owned(),
            before: Some(before.to_owned()),
            after: after.to_owned(),
            written: written
                .iter()
                .map(|(span, source)| WrittenBytes { span: span.clone(), source: *source })
                .collect(),
            by_line: false,
        }
    }

    fn insert(at: u32) -> TextEdit {
        TextEdit { at, removed: String::new(), inserted: ")".to_owned() }
    }

    #[test]
    fn the_region_is_what_differs() {
        assert_eq!(change("(a b c)", "(a x c)", &[]).region(), (3..4, 3..4));
        assert_eq!(change("(a a)", "(a a a)", &[]).region(), (4..4, 4..6));
        assert_eq!(change("(é)", "(è)", &[]).region(), (1..3, 1..3));
        assert_eq!(change("é", "\u{69}\u{301}", &[]).region(), (0..2, 0..3));
        assert_eq!(change("", "(a)", &[]).region(), (0..0, 0..3));
    }

    #[test]
    fn edits_change_the_texts_around_them() {
        let twice = change("", "(f (a) (f (a)", &[(3..6, 0), (10..13, 0)]);
        assert_eq!(
            twice.rewritten(&[insert(6), insert(13)]),
            Some(vec![Rewritten { source: 0, text: "(a))".to_owned() }])
        );
        assert_eq!(twice.rewritten(&[insert(6)]), None, "the other place would change too");
        assert_eq!(twice.rewritten(&[insert(7)]), None, "the call did not write there");
    }
}
