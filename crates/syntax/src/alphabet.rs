//! The meaning of single characters in a dialect, for describing it to other tools such as grammars and highlighters.
//!
//! The answers come from the reader's own readtables, so they cannot contradict it.

use crate::diagnostic::Delimiter;
use crate::dialects::Dialect;
use crate::readtable::{Readtable, Start, Within};
use crate::token::TokenKind;

/// The meaning of a character at the start of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// A symbol or number.
    Atom,
    /// White space.
    Blank,
    /// Opens a list.
    Open(Delimiter),
    /// Closes a list.
    Close(Delimiter),
    /// The quote of a string.
    String,
    /// A comment up to the end of the line.
    Comment,
    /// Belongs to the datum after it.
    Prefix,
    /// A prefix that a following `@` joins.
    Unquote,
    /// The dispatch character `#`, or one with its role: the next character determines the token.
    Dispatch,
    /// A character literal without `#`.
    Character,
    /// A prefix that takes two data.
    Annotation,
}

/// The meaning of a character inside a symbol or number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// Continues the atom.
    Constituent,
    /// Ends the atom.
    Terminator,
    /// The next character belongs to the atom, whatever it is.
    Escape,
    /// Everything up to the next one belongs to the atom; a backslash escapes.
    Bar,
}

/// The characters of one dialect, by its readtable for a text without `#lang` or similar marks.
#[derive(Clone, Copy, Debug)]
pub struct Alphabet {
    readtable: &'static Readtable,
}

impl Alphabet {
    /// The alphabet of a dialect.
    pub fn of(dialect: Dialect) -> Self {
        Self { readtable: dialect.table().readtable }
    }

    /// The meaning of `c` at the start of a token.
    pub fn beginning(self, c: char) -> Beginning {
        match self.readtable.start[first_byte(c)] {
            Start::NonAscii if (self.readtable.wide_blank)(c) => Beginning::Blank,
            Start::Atom | Start::NonAscii => Beginning::Atom,
            Start::Blank => Beginning::Blank,
            Start::Bracket(kind) => {
                let delimiter = Delimiter::of(kind).expect("brackets are delimiters");
                let opens = matches!(kind, TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace);
                if opens { Beginning::Open(delimiter) } else { Beginning::Close(delimiter) }
            }
            Start::StringQuote => Beginning::String,
            Start::Comment => Beginning::Comment,
            Start::Prefix => Beginning::Prefix,
            Start::Unquote => Beginning::Unquote,
            Start::Dispatch => Beginning::Dispatch,
            Start::Character => Beginning::Character,
            Start::Annotation => Beginning::Annotation,
        }
    }

    /// The meaning of `c` inside a symbol or number.
    pub fn inside(self, c: char) -> Inside {
        match self.readtable.within[first_byte(c)] {
            Within::NonAscii if (self.readtable.wide_blank)(c) => Inside::Terminator,
            Within::Constituent | Within::NonAscii => Inside::Constituent,
            Within::Terminator => Inside::Terminator,
            Within::Escape => Inside::Escape,
            Within::Bar => Inside::Bar,
        }
    }

    /// `package::` directly before a list is a prefix of the list.
    pub fn has_package_prefix(self) -> bool {
        self.readtable.package_prefix
    }
}

/// The index of a character in the byte tables, which have one index for all characters outside ASCII.
fn first_byte(c: char) -> usize {
    u8::try_from(c).ok().filter(u8::is_ascii).map_or(0x80, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_mean_what_the_readtables_say() {
        let clojure = Alphabet::of(Dialect::Clojure);
        assert_eq!(clojure.beginning(','), Beginning::Blank);
        assert_eq!(clojure.beginning('\u{2028}'), Beginning::Blank);
        assert_eq!(clojure.inside('\u{2028}'), Inside::Terminator);
        assert_eq!(clojure.beginning('}'), Beginning::Close(Delimiter::Brace));
        let lisp = Alphabet::of(Dialect::CommonLisp);
        assert_eq!(lisp.beginning('['), Beginning::Atom);
        assert_eq!(lisp.beginning('λ'), Beginning::Atom);
        assert_eq!((lisp.inside('|'), lisp.inside('\\')), (Inside::Bar, Inside::Escape));
        assert_eq!(Alphabet::of(Dialect::Scheme).inside('|'), Inside::Constituent);
    }
}
