//! Walks over a tree: from datum to datum, or over everything.
//!
//! A datum is an atom or a list with the prefixes that belong to it. There are two kinds of walks: [`Data`] skips
//! blanks, comments and discarded data, as the dialect's own reader does; [`Elements`] visits everything.

use crate::span::Span;
use crate::token::{TokenId, TokenKind};
use crate::tree::{ListId, NO_LIST, Tree};

/// One datum with its prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Datum {
    /// The first token, prefixes included.
    pub first: TokenId,
    /// The atom, or the opening token of the list, after all prefixes. Equal to `last` if nothing follows a prefix.
    pub core: TokenId,
    /// The last token.
    pub last: TokenId,
    list: ListId,
}

impl Datum {
    /// The list, if the datum is one.
    pub const fn list(self) -> Option<ListId> {
        if self.list == NO_LIST { None } else { Some(self.list) }
    }

    /// It has no prefix.
    pub const fn is_bare(self) -> bool {
        self.first == self.core
    }
}

/// Anything in a list or at top level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// White space or a comment.
    Trivia(TokenId),
    /// A datum after `#;` or `#_`, with that token.
    Discarded(Datum),
    /// A datum.
    Datum(Datum),
    /// A closing token that closes nothing.
    Stray(TokenId),
}

/// A place between two tokens, from which a walk continues.
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

/// The data in a list or at top level, in order, as the dialect's own reader sees them.
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

    /// The bytes of a datum with its prefixes.
    pub fn datum_span(&self, datum: Datum) -> Span {
        Span::new(self.token_span(datum.first).start, self.core_span(datum).end)
    }

    /// The bytes of a datum without its prefixes.
    pub fn core_span(&self, datum: Datum) -> Span {
        match datum.list() {
            Some(list) => self.list_span(list),
            None => Span::new(self.token_span(datum.core).start, self.token_span(datum.last).end),
        }
    }

    /// The prefixes of a datum with the data that they take, in order: for `#+(or a b) 'x` the annotation with its
    /// feature expression, then the quote.
    pub fn prefixes(&self, datum: Datum) -> Prefixes<'_> {
        Prefixes { tree: self, token: datum.first, core: datum.core }
    }

    /// The datum that starts at a token, which is neither trivia nor a closer.
    pub(crate) fn datum_at(&self, token: TokenId) -> Datum {
        self.datum_from(Position { token, list: self.first_list_from(token) }, self.token_count()).0
    }

    /// [`Self::datum_at`] before the token `end`, with the place after the datum.
    fn datum_from(&self, at: Position, end: TokenId) -> (Datum, Position) {
        let first = at.token;
        // Most data have no prefix.
        let kind = self.kind(first);
        if kind.is_open() {
            let record = self.list(at.list);
            debug_assert_eq!(record.open(), first, "positions carry the list that opens next");
            let after = Position { token: record.end(), list: record.after() };
            return (Datum { first, core: first, last: record.end() - 1, list: at.list }, after);
        }
        if !kind.is_prefix() {
            let after = Position { token: first + 1, list: at.list };
            return (Datum { first, core: first, last: first, list: NO_LIST }, after);
        }
        let mut here = at;
        // The last token of the datum, as far as it has been read.
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
                    // The first one begins the element itself, so only the discarded datum is still wanted.
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
        // Nothing follows a prefix: the datum consists of the prefixes alone.
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

/// The prefixes of a datum, in order.
#[derive(Clone, Debug)]
pub struct Prefixes<'t> {
    tree: &'t Tree,
    token: TokenId,
    core: TokenId,
}

impl Iterator for Prefixes<'_> {
    type Item = Prefixed;

    fn next(&mut self) -> Option<Prefixed> {
        while self.token < self.core {
            let token = self.token;
            let kind = self.tree.kind(token);
            self.token += 1;
            let operand = match kind {
                TokenKind::Annotation | TokenKind::Discard => {
                    let at = Position { token: self.token, list: self.tree.first_list_from(self.token) };
                    let at = self.tree.skip_trivia(at);
                    // Nothing may follow in a text that ends here.
                    (at.token < self.tree.token_count()).then(|| {
                        let (operand, next) = self.tree.datum_from(at, self.core);
                        self.token = next.token;
                        operand
                    })
                }
                TokenKind::Prefix => None,
                _ => continue,
            };
            return Some(Prefixed { token, kind, operand });
        }
        None
    }
}

/// A prefix of a datum, with the further datum that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefixed {
    /// The prefix.
    pub token: TokenId,
    /// `Prefix`, `Annotation` or `Discard`.
    pub kind: TokenKind,
    /// The feature expression or metadata of an annotation, or the datum that is discarded.
    pub operand: Option<Datum>,
}
