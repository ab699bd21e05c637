//! The tokens that begin with `#`, and character literals, as patterns, for describing them to other tools such as
//! grammars.
//!
//! The reader has a small function for these tokens in the file of each dialect, and the patterns are beside it; tests
//! of the grammars compare the two. A pattern is a regular expression with the usual `(a|b)`, `[…]`, `[^…]`, `.` for
//! any character, `*`, `+`, `?`, `{,4}` for up to four times, `\d`, `\h` for a hexadecimal digit, and names:
//!
//! | name | meaning |
//! | --- | --- |
//! | `<constituent>` | an ordinary character of a symbol |
//! | `<step>` | one part of a symbol: such a character, an escaped one, or a quoted part |
//! | `<rest>` | the rest of a symbol, which may be empty |
//! | `<string>` | a string with its quotes |
//! | `<NAME>` | the fragment of that name |
//!
//! A name can be followed by a blank, `-`, and characters with which the text must not begin: `<rest -#>`.

use crate::diagnostic::Delimiter;

/// A token.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Its name: words joined by `_`.
    pub name: &'static str,
    /// What it is for.
    pub role: Role,
    /// Its syntax.
    pub pattern: &'static str,
}

/// A token with this name, role and pattern.
pub(crate) const fn piece(name: &'static str, role: Role, pattern: &'static str) -> Piece {
    Piece { name, role, pattern }
}

/// The role of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A datum in one piece.
    Datum,
    /// A datum in one piece that ends where a symbol would end.
    Symbol,
    /// Opens a list.
    Open(Delimiter),
    /// Belongs to the datum after it.
    Prefix,
    /// Belongs to the datum after it; an `@` directly after it is part of it.
    Unquote,
    /// Belongs to the datum after it, and ends where a symbol would end.
    PrefixSymbol,
    /// Takes two data.
    Annotation,
    /// Makes the datum after it a comment.
    Discard,
    /// A comment.
    Comment,
}
