//! Edits as changes of whole lines, for people.

use std::ops::Range;

use lispwright_syntax::{count_line_ends, whole_lines};

use crate::outcome::TextEdit;
use crate::text::edit::apply;

/// A line, or several that belong together, before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineChange {
    /// The line, from 1.
    pub line: u32,
    /// Its text before the change, without its line ending.
    pub before: String,
    /// Its text after the change.
    pub after: String,
}

/// The lines of `text` that `edits` change. The edits have to be in order and not overlap. An edit that spans lines is
/// shown with all of them, and one after the last byte belongs to the last line.
#[must_use]
pub fn line_changes(text: &str, edits: &[TextEdit]) -> Vec<LineChange> {
    let mut changes = Vec::new();
    let (mut line, mut counted) = (1, 0);
    let mut rest = edits;
    while let Some(first) = rest.first() {
        let Range { start, mut end } = whole_lines(text, first.range());
        line += count_line_ends(&text[counted..start]);
        counted = start;
        let mut count = 1;
        while let Some(edit) = rest.get(count).filter(|edit| edit.at as usize <= end) {
            end = end.max(whole_lines(text, edit.range()).end);
            count += 1;
        }
        let (own, others) = rest.split_at(count);
        let own = own.iter().map(|edit| TextEdit { at: edit.at - start as u32, ..edit.clone() });
        let before = &text[start..end];
        let without_ending = |text: &str| text.trim_end_matches(['\n', '\r']).to_owned();
        let after = without_ending(&apply(before, &own.collect::<Vec<_>>()));
        changes.push(LineChange { line, before: without_ending(before), after });
        rest = others;
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(at: u32, removed: &str, inserted: &str) -> TextEdit {
        TextEdit { at, removed: removed.to_owned(), inserted: inserted.to_owned() }
    }

    #[test]
    fn edits_on_one_line_are_one_change() {
        let text = "(a b\n (c)\n d\n";
        let changes = |edits: &[TextEdit]| line_changes(text, edits);
        let of =
            |line, before: &str, after: &str| LineChange { line, before: before.to_owned(), after: after.to_owned() };
        let edits = [edit(6, "(", ""), edit(8, ")", ""), edit(12, "", ")")];
        assert_eq!(changes(&edits), [of(2, " (c)", " c"), of(3, " d", " d)")]);
        assert_eq!(changes(&[edit(4, "\n ", " ")]), [of(1, "(a b\n (c)", "(a b (c)")]);
        let at_the_end = line_changes("(a\n (b", &[edit(4, "(", ""), edit(6, "", ")")]);
        assert_eq!(at_the_end, [of(2, " (b", " b)")], "an edit after the last byte belongs to the last line");
    }
}
