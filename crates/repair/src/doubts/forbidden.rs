//! Changes that are not made even if they would restore the earlier text.

use lispwright_syntax::{Delimiter, DiagnosticKind, TokenKind};

use crate::case::Case;
use crate::text::code::tokens;
use crate::text::edit::TextEdit;

impl Case<'_> {
    /// The edits stay in the bytes that may be changed, remove no opener there, take no new string its quote, and change
    /// no literal.
    pub(crate) fn is_allowed(&self, edits: &[TextEdit]) -> bool {
        let count = |side: &str| side.matches(['(', '[', '{']).count();
        let takes_opener = || edits.iter().any(|edit| count(&edit.removed) > count(&edit.inserted));
        !(self.strict && (takes_opener() || self.leaves_the_edit(edits)))
            && !self.takes_a_new_string(edits)
            && !self.changes_a_literal(edits)
    }

    /// The edits remove a quote before words that are new, or after a word that was no code before: whoever wrote them
    /// meant a string.
    fn takes_a_new_string(&self, edits: &[TextEdit]) -> bool {
        edits.iter().filter(|edit| edit.removed.contains('"') && !edit.inserted.contains('"')).any(|edit| {
            let rest = self.text[edit.range().end..].lines().next().unwrap_or_default().trim();
            let begins = !rest.is_empty() && !self.before.is_some_and(|before| before.contains(rest));
            begins || self.ends_a_new_string(edit.range().start)
        })
    }

    /// The quote at `at` is after a word that is no symbol, number or the like of the earlier text.
    fn ends_a_new_string(&self, at: usize) -> bool {
        let front = self.text[..at].bytes().rev();
        let length = front.take_while(|byte| !byte.is_ascii_whitespace() && !b"()[]{}\"'`,;".contains(byte)).count();
        let word = &self.text[at - length..at];
        let is_word = |before: &str| {
            let read = tokens(before, self.language);
            read.iter()
                .any(|token| token.kind == TokenKind::Atom && &before[token.start as usize..token.end as usize] == word)
        };
        !word.is_empty() && !self.before.is_some_and(is_word)
    }

    /// The edits change a string, a character or a comment, whose delimiters do not count, or the mark that begins an
    /// unclosed comment.
    fn changes_a_literal(&self, edits: &[TextEdit]) -> bool {
        let tree = self.tree;
        let opens_comment = |edit: &TextEdit| {
            let comments = tree.diagnostics().iter().filter(|fault| fault.kind == DiagnosticKind::UnclosedComment);
            let mut begins = comments.map(|fault| fault.span.start as usize..fault.span.start as usize + 2);
            begins.any(|mark| edit.range().start < mark.end && mark.start < edit.range().end)
        };
        if self.has_open_text() {
            return edits.iter().any(opens_comment);
        }
        let is_character = |at: u32| tree.token_at(at).is_some_and(|token| tree.kind(token) == TokenKind::Character);
        edits.iter().any(|edit| {
            // After a whole character, a backslash would make the next closer part of the character.
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
