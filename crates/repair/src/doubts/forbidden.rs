//! Changes that the earlier text may ask for and that are not made all the same.

use lispwright_syntax::{Delimiter, DiagnosticKind, TokenKind, Tree};

use crate::case::Case;
use crate::text::edit::Edit;

pub(crate) fn is_open_text(kind: DiagnosticKind) -> bool {
    use DiagnosticKind::{UnclosedComment, UnclosedString, UnclosedSymbol};
    matches!(kind, UnclosedString | UnclosedComment | UnclosedSymbol)
}

impl Case<'_> {
    /// Closers that end lines, which is where hands and columns meet.
    pub(crate) fn are_at_line_ends(&self, edits: &[Edit]) -> bool {
        let closers = |side: &str| side.chars().all(|c| matches!(c, ')' | ']' | '}') || c.is_whitespace());
        edits.iter().all(|edit| {
            let rest = self.text[edit.range().end..].lines().next().unwrap_or_default();
            let ends = rest.trim_start_matches(|c: char| matches!(c, ')' | ']' | '}') || c.is_whitespace());
            closers(&edit.removed) && closers(&edit.inserted) && (ends.is_empty() || ends.starts_with(';'))
        })
    }

    /// Nobody who changed some lines took a delimiter inside a string for code, or opened a list for nothing.
    pub(crate) fn is_allowed(&self, tree: &Tree, edits: &[Edit]) -> bool {
        let count = |side: &str| side.matches(['(', '[', '{']).count();
        let takes_opener = || edits.iter().any(|edit| count(&edit.removed) > count(&edit.inserted));
        !(self.strict && (takes_opener() || self.leaves_the_edit(edits))) && !self.changes_a_literal(tree, edits)
    }

    /// A delimiter inside of a string, a character or a comment is none, whatever stood there before; and what begins a
    /// comment is no delimiter either.
    fn changes_a_literal(&self, tree: &Tree, edits: &[Edit]) -> bool {
        let opens_comment = |edit: &Edit| {
            let comments = tree.diagnostics().iter().filter(|fault| fault.kind == DiagnosticKind::UnclosedComment);
            let mut begins = comments.map(|fault| fault.span.start as usize..fault.span.start as usize + 2);
            begins.any(|mark| edit.range().start < mark.end && mark.start < edit.range().end)
        };
        if tree.diagnostics().iter().any(|diagnostic| is_open_text(diagnostic.kind)) {
            return edits.iter().any(opens_comment);
        }
        let is_character = |at: u32| tree.token_at(at).is_some_and(|token| tree.kind(token) == TokenKind::Character);
        edits.iter().any(|edit| {
            // Behind a whole character a backslash would make the closer that follows a part of it.
            if edit.inserted.starts_with('\\') && edit.at.checked_sub(1).is_some_and(is_character) {
                return true;
            }
            let Some(token) = tree.token_at(edit.at) else { return false };
            let (kind, span) = (tree.kind(token), tree.token_span(token));
            let inside = edit.at > span.start || !edit.removed.is_empty();
            inside && edit.at < span.end && kind != TokenKind::Blank && Delimiter::of(kind).is_none()
        })
    }
}
