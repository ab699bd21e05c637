//! The code beside a change on its line: comments, lists that touch, rows of lines that begin alike.

use lispwright_syntax::TokenKind;

use super::Considered;
use crate::case::Case;
use crate::text::code::Token;
use crate::text::edit::TextEdit;

impl Case<'_> {
    /// Lines that begin with the same keyword continue with the same openers, `#:use-module (ice-9 regex)`, but after
    /// the answer one of them does not; or all lines that begin with keywords continue with a list, except the one that
    /// loses a closer.
    pub(crate) fn breaks_a_row(&self, own: &[Token], edits: &[TextEdit]) -> bool {
        edits.iter().any(|edit| {
            let line = self.lines().line(edit.at) - 1;
            let at = own.partition_point(|token| token.line < line);
            let begins = own.get(at).is_some_and(|token| token.line == line) && self.is_keyword_line(&own[at]);
            begins && self.breaks_its_row(own, at, edit, edits)
        })
    }

    /// [`Case::breaks_a_row`] for the line that begins with the keyword at index `at`, which `edit` changes.
    fn breaks_its_row(&self, own: &[Token], at: usize, edit: &TextEdit, edits: &[TextEdit]) -> bool {
        let word = |token: &Token| &self.text[token.start as usize..token.end as usize];
        let openers = |side: &str| side.matches(['(', '[', '{']).count();
        let run = openers_behind(own, at);
        let reach = own[at].end..=own.get(at + run).map_or(own[at].end, |last| last.end);
        let near = || edits.iter().filter(|edit| reach.contains(&edit.at));
        let more: usize = near().map(|edit| openers(&edit.inserted)).sum();
        let less: usize = near().map(|edit| openers(&edit.removed)).sum();
        let others = || (0..own.len()).filter(|other| *other != at && self.is_keyword_line(&own[*other]));
        let is_symbol = |value: &Token| value.is_symbol() && value.line == own[at].line;
        let bare = run + more == less && own.get(at + 1).is_some_and(is_symbol);
        if bare && edit.removed.contains([')', ']', '}']) && others().next().is_some() {
            let lists = others().all(|other| openers_behind(own, other) > 0);
            if lists {
                return true;
            }
        }
        let mut same =
            others().filter(|other| word(&own[*other]) == word(&own[at])).map(|other| openers_behind(own, other));
        let Some(usual) = same.next().filter(|usual| *usual > 0) else { return false };
        same.all(|other| other == usual) && run + more != usual + less
    }

    /// A line begins with the token, which is a keyword.
    fn is_keyword_line(&self, token: &Token) -> bool {
        token.first && token.kind == TokenKind::Atom && self.text[token.start as usize..].starts_with([':', '#'])
    }

    /// A closer is added after a list that touches the list before it on the same line, `(f a)(g b`: the first may be
    /// the one that lacks it. If lists touch elsewhere too, that is on purpose.
    pub(crate) fn closes_behind_a_seam(&self, own: &[Token], edits: &[TextEdit]) -> bool {
        let mut seams = seams(own);
        let Some(seam) = seams.next() else { return false };
        let behind = |edit: &TextEdit| {
            let line = self.lines().line(edit.at) - 1;
            edit.inserted.contains([')', ']', '}']) && line == own[seam].line && own[seam].start < edit.at
        };
        seams.next().is_none() && edits.iter().any(behind)
    }
}

impl Considered<'_> {
    pub(super) fn closes_before_code(&self) -> bool {
        let comment = self.case.language.dialect().comment();
        let touched = |edit: &TextEdit| self.case.text[edit.at as usize..].starts_with(comment);
        let closes = |edit: &TextEdit| edit.removed.is_empty() && edit.inserted.contains([')', ']', '}']);
        self.edits().iter().any(|edit| closes(edit) && touched(edit))
    }
}

/// The number of openers that follow the token.
fn openers_behind(own: &[Token], at: usize) -> usize {
    own[at + 1..].iter().take_while(|token| token.kind.is_open()).count()
}

/// The edit opens a list at the beginning of a line that begins with a word: a symbol, or any atom below a list in the
/// same column.
pub(crate) fn begins_with_a_word(own: &[Token], edit: &TextEdit) -> bool {
    let at = own.partition_point(|token| token.start < edit.at);
    let word = own.get(at).filter(|word| word.start == edit.at && word.first && word.kind == TokenKind::Atom);
    let symbol = || word.is_some_and(Token::is_symbol);
    word.is_some() && edit.inserted.starts_with('(') && (symbol() || is_below_a_list(own, edit))
}

/// The edit is at the beginning of a line that is below a list in the same column.
pub(crate) fn is_below_a_list(own: &[Token], edit: &TextEdit) -> bool {
    let at = own.partition_point(|token| token.start < edit.at);
    let Some(word) = own.get(at).filter(|word| word.start == edit.at && word.first) else { return false };
    let above = own[..at].iter().rev().find(|token| token.first && token.column <= word.column);
    above.is_some_and(|above| above.column == word.column && above.kind.is_open())
}

/// The indices of openers that touch the datum before them.
pub(crate) fn seams(own: &[Token]) -> impl Iterator<Item = usize> + '_ {
    let ends = |kind: TokenKind| kind.is_close() || matches!(kind, TokenKind::Atom | TokenKind::String);
    let touches = move |pair: &[Token]| ends(pair[0].kind) && pair[1].kind.is_open() && pair[0].end == pair[1].start;
    own.windows(2).enumerate().filter(move |(_, pair)| touches(pair)).map(|(index, _)| index + 1)
}
