//! Signs of a typing mistake in something other than a delimiter.

use lispwright_syntax::TokenKind;
use lispwright_syntax::dialects::CharacterLiteral;

use super::Considered;
use crate::case::Case;
use crate::text::code::Token;
use crate::text::edit::{CLOSERS, OPENERS};
use crate::text::marks::is_stray;

impl Case<'_> {
    /// The tokens contain a comment mark that may be a slip. Several atoms are commented out on purpose.
    pub(crate) fn has_stray_mark(&self, own: &[Token]) -> bool {
        let stray = |token: &Token| is_stray(self.text, token.start as usize..token.end as usize);
        let discards = own.windows(2).filter(|pair| pair[0].kind == TokenKind::Discard && !pair[1].kind.is_open());
        discards.count() == 1 || own.iter().any(|token| token.kind == TokenKind::Atom && stray(token))
    }
}

impl Considered<'_> {
    pub(super) fn comments_out(&self) -> bool {
        !self.form.known && self.form.own.iter().any(|token| token.kind == TokenKind::Discard)
    }

    pub(super) fn takes_a_lone_closer(&self) -> bool {
        let lone =
            |at: u32| self.form.own.iter().any(|token| token.start == at && token.first && token.kind.is_close());
        self.edits().iter().any(|edit| !edit.removed.is_empty() && lone(edit.at))
    }

    pub(super) fn bares_a_prefix(&self) -> bool {
        let ends = |at: u32| self.form.own.iter().any(|token| token.end == at && token.kind.is_prefix());
        self.edits().iter().any(|edit| edit.takes(CLOSERS) && !edit.adds(OPENERS) && ends(edit.at))
    }

    /// A bracket follows a `#`, or is surrounded by white space in a dialect whose characters begin with a backslash.
    pub(super) fn bares_a_character(&self) -> bool {
        let bytes = self.case.text.as_bytes();
        let blank = |at: usize| bytes.get(at).is_none_or(u8::is_ascii_whitespace);
        let literal = self.case.language.dialect().table().character;
        let bare = |token: &Token| {
            let (start, end) = (token.start as usize, token.end as usize);
            match literal {
                CharacterLiteral::None => false,
                CharacterLiteral::Backslash => {
                    let apart = !token.first && !token.last && blank(start - 1) && blank(end);
                    token.delimiter().is_some() && apart
                }
                _ => {
                    bytes[start] == b'#'
                        && token.kind != TokenKind::String
                        && match bytes.get(start + 1) {
                            Some(b')' | b']') => true,
                            Some(b'[') => literal != CharacterLiteral::Question || blank(start + 2),
                            Some(b'(' | b';' | b'"') => blank(start + 2),
                            _ => end == start + 1 && blank(end),
                        }
                }
            }
        };
        self.form.own.iter().any(bare)
    }
}
