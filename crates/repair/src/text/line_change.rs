//! Edits as changes of whole lines, for people.

use lispwright_syntax::LineIndex;

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
pub fn line_changes(text: &str, lines: &LineIndex, edits: &[TextEdit]) -> Vec<LineChange> {
    let mut changes = Vec::new();
    let mut rest = edits;
    while let Some(first) = rest.first() {
        let line = lines.line(first.at);
        let (mut last, mut count) = (line, 0);
        while let Some(edit) = rest.get(count).filter(|edit| lines.line(edit.at) <= last) {
            last = last.max(lines.line(edit.range().end as u32));
            count += 1;
        }
        let (own, others) = rest.split_at(count);
        let start = lines.line_span(line).unwrap_or_default().start;
        let end = lines.line_span(last).map_or(text.len(), |span| span.end as usize);
        let own: Vec<TextEdit> = own.iter().map(|edit| TextEdit { at: edit.at - start, ..edit.clone() }).collect();
        let before = &text[start as usize..end];
        let without_ending = |text: &str| text.trim_end_matches(['\n', '\r']).to_owned();
        let after = without_ending(&apply(before, &own));
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
        let changes = |edits: &[TextEdit]| line_changes(text, &LineIndex::new(text.as_bytes()), edits);
        let of =
            |line, before: &str, after: &str| LineChange { line, before: before.to_owned(), after: after.to_owned() };
        let edits = [edit(6, "(", ""), edit(8, ")", ""), edit(12, "", ")")];
        assert_eq!(changes(&edits), [of(2, " (c)", " c"), of(3, " d", " d)")]);
        assert_eq!(changes(&[edit(4, "\n ", " ")]), [of(1, "(a b\n (c)", "(a b (c)")]);
        let (open, lines) = ("(a\n (b", LineIndex::new(b"(a\n (b"));
        let at_the_end = line_changes(open, &lines, &[edit(4, "(", ""), edit(6, "", ")")]);
        assert_eq!(at_the_end, [of(2, " (b", " b)")], "an edit after the last byte belongs to the last line");
    }
}
