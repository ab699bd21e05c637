//! Delimiter types by name.

use lispwright_syntax::Delimiter;

/// The three types with their names, as requests and answers spell them.
pub const TYPES: [(&str, Delimiter); 3] =
    [("paren", Delimiter::Paren), ("bracket", Delimiter::Bracket), ("brace", Delimiter::Brace)];

/// The name of a type.
pub const fn type_name(delimiter: Delimiter) -> &'static str {
    match delimiter {
        Delimiter::Paren => "paren",
        Delimiter::Bracket => "bracket",
        Delimiter::Brace => "brace",
    }
}

/// The type of a name; EDN's `:paren` is the same as `paren`.
pub fn from_name(name: &str) -> Option<Delimiter> {
    let name = name.strip_prefix(':').unwrap_or(name);
    TYPES.iter().find(|(known, _)| *known == name).map(|&(_, delimiter)| delimiter)
}
