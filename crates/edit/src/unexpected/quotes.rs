//! Quotes inside a string that end it early, and balance.

use lispwright_syntax::{Span, TokenId, TokenKind, Tree};

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

/// The words that touch the end of a string: `"Sum the "prices" of X."`. Of several words the last touches the next
/// string: `"Say "good day" twice."`.
fn places(tree: &Tree, part: Span) -> impl Iterator<Item = u32> {
    use TokenKind::{Atom, Blank, String};
    let count = tree.token_count();
    let (first, end) = (tree.token_at(part.start).unwrap_or(0), tree.token_at(part.end).map_or(0, |last| last + 1));
    let touches = move |string: &TokenId| {
        let word = string + 1;
        if tree.kind(*string) != String || word >= count || tree.kind(word) != Atom {
            return false;
        }
        let next = (word + 1..count).find(|&next| !matches!(tree.kind(next), Atom | Blank));
        next.is_some_and(|next| tree.kind(next) == String && tree.kind(next - 1) == Atom)
    };
    (first..end).filter(touches).map(|string| tree.token_span(string + 1).start)
}
