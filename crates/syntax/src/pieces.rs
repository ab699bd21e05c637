//! What stands behind `#`, and character literals, as patterns: for who has to tell another tool, such as a grammar.
//!
//! The reader has a small function for these in the file of each dialect, and the patterns stand beside it; tests of the
//! grammars hold the two against each other. A pattern is a regular expression with the usual `(a|b)`, `[…]`, `[^…]`, `.` for
//! any character, `*`, `+`, `?`, `{,4}` for up to four times, `\d`, `\h` for a hexadecimal digit, and names:
//!
//! | name | is |
//! | --- | --- |
//! | `<constituent>` | a character that stands for itself in a symbol |
//! | `<step>` | one step of a symbol: such a character, or one that is escaped, or a quoted part |
//! | `<rest>` | as far as a symbol goes, which may be nowhere |
//! | `<string>` | a string with its quotes |
//! | `<directive>` | one of [`Table::directives`](crate::dialects::Table::directives) |
//! | `<NAME>` | the fragment of that name |
//!
//! Behind a name, a blank and `-` come characters that the first one is none of: `<rest -#>`.

use crate::diagnostic::Delimiter;

/// A token.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// What it is called: words with `_`.
    pub name: &'static str,
    /// What it is for.
    pub role: Role,
    /// What it looks like.
    pub pattern: &'static str,
}

/// A token with this name, role and pattern.
pub(crate) const fn piece(name: &'static str, role: Role, pattern: &'static str) -> Piece {
    Piece { name, role, pattern }
}

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A datum in one piece.
    Datum,
    /// A datum in one piece that goes on as far as a symbol goes.
    Symbol,
    /// Opens a list.
    Open(Delimiter),
    /// Belongs to the datum after it.
    Prefix,
    /// Belongs to the datum after it, and an `@` directly behind it belongs to it too.
    Unquote,
    /// Belongs to the datum after it, and goes on as far as a symbol goes.
    PrefixSymbol,
    /// Takes two data.
    Annotation,
    /// Makes the datum after it a comment.
    Discard,
    /// A comment.
    Comment,
}
