//! The kinds of tokens, which are the same for all dialects.

/// Index of a token in its tree, in source order.
pub type TokenId = u32;

/// What a token is. One byte, so that a million tokens cost a megabyte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TokenKind {
    /// White space, newlines included; commas in Clojure.
    Blank,
    /// From a comment character up to the end of the line, without the line end.
    LineComment,
    /// `#| ... |#`, nested if the dialect nests comments; `#! ... !#` in Guile.
    BlockComment,
    /// A symbol, keyword, number, or any other datum in one piece that is neither string nor character.
    Atom,
    /// A string with its quotes, or a Clojure regex with its quotes and `#`.
    String,
    /// A character literal: `#\a`, `\a` in Clojure, `?a` in Emacs Lisp.
    Character,
    /// `(`, with its dispatch prefix if it has one: `#(`, `#2A(`, `#?@(`.
    OpenParen,
    /// `[`, with its dispatch prefix if it has one.
    OpenBracket,
    /// `{`, with its dispatch prefix if it has one: `#{`, `#:ns{`.
    OpenBrace,
    /// `)`
    CloseParen,
    /// `]`
    CloseBracket,
    /// `}`
    CloseBrace,
    /// Belongs to the datum after it: `'`, `` ` ``, `,@`, `#'`, `@`, `#.`, `#1=`, a tag.
    Prefix,
    /// Takes two data, the first of which is about the second: `#+x`, `#-x`, Clojure's `^meta`.
    Annotation,
    /// Makes the datum after it a comment: `#;`, `#_`.
    Discard,
    /// A string whose closing quote is missing.
    UnterminatedString,
    /// A block comment whose end is missing.
    UnterminatedComment,
    /// A symbol with an opening `|` (or `#{`) whose closing one is missing.
    UnterminatedSymbol,
}

impl TokenKind {
    /// White space or a comment: text without a value.
    pub const fn is_trivia(self) -> bool {
        matches!(self, Self::Blank | Self::LineComment | Self::BlockComment | Self::UnterminatedComment)
    }

    /// Opens a list, vector, map or set.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::OpenParen | Self::OpenBracket | Self::OpenBrace)
    }

    /// Closes a list, vector, map or set.
    pub const fn is_close(self) -> bool {
        matches!(self, Self::CloseParen | Self::CloseBracket | Self::CloseBrace)
    }

    /// Belongs to the datum or data after it.
    pub const fn is_prefix(self) -> bool {
        matches!(self, Self::Prefix | Self::Annotation | Self::Discard)
    }
}
