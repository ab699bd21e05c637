//! Quotes inside a string that end it early, and balance.

use lispwright_syntax::{Span, TokenKind, Tree};

use super::{Part, Unexpected};

/// The first place in `part` where a string touches a word that touches another string.
pub(super) fn glued(part: Part<'_>) -> Option<Unexpected> {
    let at = places(part.tree, part.span).next()?;
    Some(Unexpected::GluedQuotes { line: part.line(at) })
}

/// The same, if there are more such places than in the old part.
pub(super) fn since(old: Part<'_>, part: Part<'_>) -> Option<Unexpected> {
    let found = glued(part)?;
    (places(part.tree, part.span).count() > places(old.tree, old.span).count()).then_some(found)
}

/// The ends of strings that touch a word: `"Sum the "prices" of X."`. Of several words the last touches the next
/// string: `"Say "good day" twice."`.
fn places(tree: &Tree, part: Span) -> impl Iterator<Item = u32> {
    let mut last = TokenKind::Blank;
    // The word after a string, as long as only words and blanks follow.
    let mut word: Option<u32> = None;
    tree.tokens_within(part).filter_map(move |(kind, place)| {
        let before = std::mem::replace(&mut last, kind);
        match (kind, before) {
            (TokenKind::Atom, TokenKind::String) => word = Some(place.start),
            (TokenKind::String, TokenKind::Atom) => return word.take(),
            (TokenKind::Atom | TokenKind::Blank, _) => {}
            _ => word = None,
        }
        None
    })
}
