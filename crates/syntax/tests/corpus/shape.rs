//! Checks that must succeed for the tree of any text.

use lispwright_syntax::datum::Element;
use lispwright_syntax::{Datum, Delimiter, Dialect, Elements, TokenKind, Tree};

/// Checks that tokens join to the text, that their ends are character boundaries, that lists nest, and that a walk over
/// everything meets every token once.
pub(crate) fn check(tree: &Tree, text: &[u8]) -> Result<(), String> {
    tokens(tree, text)?;
    lists(tree)?;
    walk(tree, tree.top_elements(), 0, tree.token_count())?;
    for (id, list) in tree.lists().iter().enumerate() {
        walk(tree, tree.elements(id as u32), list.open() + 1, list.content_end())?;
    }
    Ok(())
}

fn tokens(tree: &Tree, text: &[u8]) -> Result<(), String> {
    let utf8 = std::str::from_utf8(text).ok();
    let mut end = 0;
    for (kind, span) in tree.tokens() {
        if span.start != end || span.is_empty() {
            return Err(format!("token {kind:?} at {}..{} after one that ends at {end}", span.start, span.end));
        }
        if utf8.is_some_and(|text| !text.is_char_boundary(span.end as usize)) {
            return Err(format!("token {kind:?} at {}..{} ends inside a character", span.start, span.end));
        }
        end = span.end;
    }
    if end as usize == text.len() { Ok(()) } else { Err(format!("tokens end at {end} of {}", text.len())) }
}

fn lists(tree: &Tree) -> Result<(), String> {
    // The ends of the lists that are open at the start of the next list.
    let mut open: Vec<u32> = Vec::new();
    for (id, list) in tree.lists().iter().enumerate() {
        while open.last().is_some_and(|&end| end <= list.open()) {
            open.pop();
        }
        if open.last().is_some_and(|&end| end < list.end()) {
            return Err(format!("list {id} reaches beyond the list around it"));
        }
        let parent = list.parent().map(|parent| tree.list(parent).end());
        if parent != open.last().copied() {
            return Err(format!("list {id} names another parent than the list around it"));
        }
        open.push(list.end());
        if let Some(close) = list.close()
            && !tree.kind(close).is_close()
        {
            return Err(format!("list {id} ends with {:?}", tree.kind(close)));
        }
        let pair = |kind: TokenKind| Delimiter::of(kind);
        if tree.diagnostics().is_empty()
            && list.close().is_none_or(|close| pair(tree.kind(close)) != pair(tree.kind(list.open())))
        {
            return Err(format!("list {id} is not closed by its own bracket, and nothing is reported"));
        }
    }
    Ok(())
}

/// Checks that the elements follow each other without a gap from `start` up to `end`.
fn walk(tree: &Tree, elements: Elements<'_>, start: u32, end: u32) -> Result<(), String> {
    let mut at = start;
    for element in elements {
        let (first, last) = match element {
            Element::Trivia(token) | Element::Stray(token) => (token, token),
            Element::Discarded(datum) | Element::Datum(datum) => (datum.first, datum.last),
        };
        if first != at || last < first {
            let span = tree.token_span(first);
            return Err(format!("the walk meets token {first} (byte {}) where token {at} is due", span.start));
        }
        at = last + 1;
    }
    if at == end { Ok(()) } else { Err(format!("the walk ends before token {at}, not {end}")) }
}

/// The number of atoms in a datum as the language's own reader returns it: those in the source, and one for each quote
/// and the like, which become lists that begin with a symbol. Dots of pairs do not count, nor does `nil` in Emacs Lisp,
/// where it is the empty list. `None` for a datum with discarded data in it.
pub(crate) fn leaves(tree: &Tree, datum: Datum, text: &[u8]) -> Option<u32> {
    let mut leaves = 0;
    for token in datum.first..=datum.last {
        leaves += match tree.kind(token) {
            TokenKind::Discard => return None,
            TokenKind::Atom => match &text[tree.token_span(token).range()] {
                b"." => 0,
                b"nil" if tree.dialect() == Dialect::EmacsLisp => 0,
                _ => 1,
            },
            TokenKind::String | TokenKind::Character | TokenKind::Prefix => 1,
            _ => 0,
        };
    }
    Some(leaves)
}
