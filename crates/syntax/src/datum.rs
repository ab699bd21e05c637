//! Walking a tree: from datum to datum, or over everything.
//!
//! A datum is an atom or a list with the prefixes that belong to it. Every walk comes in two kinds: [`Data`] skips
//! blanks, comments and discarded data, as the dialect's own reader does; [`Elements`] visits all of them.

use crate::span::Span;
use crate::token::{TokenId, TokenKind};
use crate::tree::{ListId, NO_LIST, Tree};

/// One datum with everything in front of it that the reader attaches to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Datum {
    /// The first token, prefixes included.
    pub first: TokenId,
    /// The atom, or the opening token of the list, behind all prefixes. Equal to `last` when nothing follows a prefix.
    pub core: TokenId,
    /// The last token.
    pub last: TokenId,
    list: ListId,
}

impl Datum {
    /// The list, when the datum is one.
    pub const fn list(self) -> Option<ListId> {
        if self.list == NO_LIST { None } else { Some(self.list) }
    }

    /// It stands there without any prefix.
    pub const fn is_bare(self) -> bool {
        self.first == self.core
    }
}

/// Anything that stands in a list or at top level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// White space or a comment.
    Trivia(TokenId),
    /// A datum behind `#;` or `#_`, that token included.
    Discarded(Datum),
    /// A datum.
    Datum(Datum),
    /// A closing token that closes nothing.
    Stray(TokenId),
}

/// A place between two tokens, from which walking goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) token: TokenId,
    /// The first list that opens at or after `token`.
    pub(crate) list: ListId,
}

/// Everything in a list or at top level, in order.
#[derive(Clone, Debug)]
pub struct Elements<'t> {
    tree: &'t Tree,
    at: Position,
    end: TokenId,
}

impl Elements<'_> {
    /// The place between the last element and the next.
    pub(crate) fn position(&self) -> Position {
        self.at
    }
}

impl Iterator for Elements<'_> {
    type Item = Element;

    fn next(&mut self) -> Option<Element> {
        if self.at.token >= self.end {
            return None;
        }
        let token = self.at.token;
        let kind = self.tree.kind(token);
        if kind.is_trivia() {
            self.at.token += 1;
            return Some(Element::Trivia(token));
        }
        if kind.is_close() {
            self.at.token += 1;
            return Some(Element::Stray(token));
        }
        let (datum, next) = self.tree.datum_from(self.at, self.end);
        self.at = next;
        Some(if kind == TokenKind::Discard { Element::Discarded(datum) } else { Element::Datum(datum) })
    }
}

/// The data in a list or at top level, in order, as the dialect's reader would see them.
#[derive(Clone, Debug)]
pub struct Data<'t>(Elements<'t>);

impl Data<'_> {
    /// The same walk without its first `count` data.
    #[must_use]
    pub fn skipping(mut self, count: u8) -> Self {
        for _ in 0..count {
            self.next();
        }
        self
    }
}

impl Iterator for Data<'_> {
    type Item = Datum;

    fn next(&mut self) -> Option<Datum> {
        self.0.by_ref().find_map(|element| match element {
            Element::Datum(datum) => Some(datum),
            _ => None,
        })
    }
}

impl Tree {
    /// Everything at top level.
    pub fn top_elements(&self) -> Elements<'_> {
        Elements { tree: self, at: Position { token: 0, list: 0 }, end: self.token_count() }
    }

    /// The data at top level.
    pub fn top_level(&self) -> Data<'_> {
        Data(self.top_elements())
    }

    /// Everything between the brackets of a list.
    pub fn elements(&self, list: ListId) -> Elements<'_> {
        let record = self.list(list);
        let at = Position { token: record.open() + 1, list: list + 1 };
        Elements { tree: self, at, end: record.content_end() }
    }

    /// The data between the brackets of a list.
    pub fn data(&self, list: ListId) -> Data<'_> {
        Data(self.elements(list))
    }

    /// Where a datum stands, prefixes included.
    pub fn datum_span(&self, datum: Datum) -> Span {
        Span::new(self.token_span(datum.first).start, self.core_span(datum).end)
    }

    /// Where a datum stands without its prefixes.
    pub fn core_span(&self, datum: Datum) -> Span {
        match datum.list() {
            Some(list) => self.list_span(list),
            None => Span::new(self.token_span(datum.core).start, self.token_span(datum.last).end),
        }
    }

    /// The tokens of a datum's prefixes together with the data they take, in order: for `#+(or a b) 'x` the annotation
    /// with its feature expression, then the quote.
    pub fn prefixes(&self, datum: Datum) -> Vec<Prefixed> {
        let mut found = Vec::new();
        let mut token = datum.first;
        while token < datum.core {
            let kind = self.kind(token);
            let at = Position { token: token + 1, list: self.first_list_from(token + 1) };
            let operand = match kind {
                TokenKind::Annotation | TokenKind::Discard => Some(self.datum_from(self.skip_trivia(at), datum.core)),
                TokenKind::Prefix => None,
                _ => {
                    token += 1;
                    continue;
                }
            };
            found.push(Prefixed { token, kind, operand: operand.map(|(datum, _)| datum) });
            token = operand.map_or(token + 1, |(_, next)| next.token);
        }
        found
    }

    /// The datum that starts at a token, which is neither trivia nor a closer.
    fn datum_from(&self, at: Position, end: TokenId) -> (Datum, Position) {
        let first = at.token;
        let mut here = at;
        // Set once a prefix or datum has been seen, to where the datum ends as far as is known.
        let mut last = first;
        let mut wanted = 1u32;
        while here.token < end {
            let token = here.token;
            let kind = self.kind(token);
            if kind.is_trivia() {
                here.token += 1;
                continue;
            }
            if kind.is_close() {
                break;
            }
            last = token;
            match kind {
                TokenKind::Prefix => here.token += 1,
                TokenKind::Annotation => {
                    wanted += 1;
                    here.token += 1;
                }
                TokenKind::Discard => {
                    // The first one is the datum itself: it wants only what it discards.
                    wanted += u32::from(token != first);
                    here.token += 1;
                }
                _ if kind.is_open() => {
                    let list = here.list;
                    let record = self.list(list);
                    debug_assert_eq!(record.open(), token, "positions carry the list that opens next");
                    here = Position { token: record.end(), list: record.after() };
                    wanted -= 1;
                    if wanted == 0 {
                        return (Datum { first, core: token, last: record.end() - 1, list }, here);
                    }
                    last = record.end() - 1;
                }
                _ => {
                    here.token += 1;
                    wanted -= 1;
                    if wanted == 0 {
                        return (Datum { first, core: token, last: token, list: NO_LIST }, here);
                    }
                }
            }
        }
        // A prefix with nothing behind it: the datum is what there is of it.
        (
            Datum { first, core: last, last, list: NO_LIST },
            Position { token: last + 1, list: self.first_list_from(last + 1) },
        )
    }

    fn skip_trivia(&self, mut at: Position) -> Position {
        while at.token < self.token_count() && self.kind(at.token).is_trivia() {
            at.token += 1;
        }
        at
    }
}

/// A prefix of a datum, and the datum it takes for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefixed {
    /// The prefix.
    pub token: TokenId,
    /// `Prefix`, `Annotation` or `Discard`.
    pub kind: TokenKind,
    /// The feature expression or metadata of an annotation, or what a discard discards.
    pub operand: Option<Datum>,
}
