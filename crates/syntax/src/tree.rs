//! The tree of a text in flat arrays: its tokens, lists and faults.
//!
//! Tokens are in two parallel arrays, kinds and start offsets; a token ends where the next one starts. Every list is
//! one record with its opening and closing token. The records are in the order of the openers, so a list is followed by
//! all lists inside it and then by its next sibling. Thanks to that order [`crate::datum`] can walk the tree without a
//! pointer per token, and a tree of a million nested lists is built, walked and dropped by loops.
//!
//! Trees are made by [`crate::read`].

use crate::diagnostic::Diagnostic;
use crate::dialects::Dialect;
use crate::language::{Definers, Language};
use crate::span::Span;
use crate::token::{TokenId, TokenKind};

/// Index of a list in its tree, in the order of the opening tokens.
pub type ListId = u32;

/// "No list": the parent of lists at top level.
pub(crate) const NO_LIST: u32 = u32::MAX;

/// Set in [`List::close`] when no token closes the list.
pub(crate) const MISSING: u32 = 1 << 31;

/// A list, vector, map or set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List {
    /// The opening token.
    pub(crate) open: TokenId,
    /// The closing token, or, with `MISSING` set, the token before which the list was given up.
    pub(crate) close: u32,
    /// The next list that is not inside this one.
    pub(crate) after: ListId,
    /// The list around this one.
    pub(crate) parent: ListId,
}

impl List {
    /// The opening token.
    pub const fn open(&self) -> TokenId {
        self.open
    }

    /// The closing token, unless it is missing.
    pub const fn close(&self) -> Option<TokenId> {
        if self.close & MISSING == 0 { Some(self.close) } else { None }
    }

    /// One past the last token inside, not counting the closing one.
    pub const fn content_end(&self) -> TokenId {
        self.close & !MISSING
    }

    /// One past the last token of the list.
    pub const fn end(&self) -> TokenId {
        if self.close & MISSING == 0 { self.close + 1 } else { self.close & !MISSING }
    }

    /// The list around this one.
    pub const fn parent(&self) -> Option<ListId> {
        if self.parent == NO_LIST { None } else { Some(self.parent) }
    }

    /// The next list that is not inside this one, if any list follows.
    pub const fn after(&self) -> ListId {
        self.after
    }
}

/// The result of [`crate::read`]. It does not contain the text.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(crate) language: Language,
    /// The end of a mark in the text after which the text is read differently; `u32::MAX` without a mark.
    pub(crate) mark: u32,
    pub(crate) kinds: Vec<TokenKind>,
    /// One more than there are tokens: the last is the length of the text.
    pub(crate) starts: Vec<u32>,
    pub(crate) lists: Vec<List>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) recovered: bool,
}

impl Tree {
    /// The dialect of the text.
    pub const fn dialect(&self) -> Dialect {
        self.language.dialect()
    }

    /// The language of the text: its dialect with the project's additions.
    pub const fn language(&self) -> &Language {
        &self.language
    }

    /// The same tree with the definers among the macros of `text`, its text, added to its language.
    #[must_use]
    pub fn learning(self, text: impl AsRef<[u8]>) -> Self {
        let own = Definers::of(&self, text);
        Self { language: self.language.with(&own), ..self }
    }

    /// The language for reading a part of the text that begins at byte `offset`. If the part is after a mark of the
    /// text, the language includes the effect of the mark.
    #[must_use]
    pub fn language_at(&self, offset: u32) -> Language {
        if offset < self.mark { self.language.clone() } else { self.language.after_mark() }
    }

    /// The number of tokens.
    pub fn token_count(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// The kind of a token.
    pub fn kind(&self, token: TokenId) -> TokenKind {
        self.kinds[token as usize]
    }

    /// The bytes of a token.
    pub fn token_span(&self, token: TokenId) -> Span {
        Span::new(self.starts[token as usize], self.starts[token as usize + 1])
    }

    /// Every token with its kind and place, trivia included, in source order.
    pub fn tokens(&self) -> impl ExactSizeIterator<Item = (TokenKind, Span)> + '_ {
        self.kinds.iter().zip(self.starts.windows(2)).map(|(&kind, pair)| (kind, Span::new(pair[0], pair[1])))
    }

    /// The tokens that overlap `span`, cut to the part inside it.
    pub fn tokens_within(&self, span: Span) -> impl Iterator<Item = (TokenKind, Span)> + '_ {
        let first = self.token_at(span.start).unwrap_or(0) as usize;
        let tokens = self.kinds[first..].iter().zip(self.starts[first..].windows(2));
        let clipped =
            tokens.map(move |(&kind, pair)| (kind, Span::new(pair[0].max(span.start), pair[1].min(span.end))));
        clipped.take_while(move |(_, token)| token.start < span.end).filter(|(_, token)| !token.is_empty())
    }

    /// The text without the white space at both ends; a space that belongs to a token, such as a character literal, stays.
    #[must_use]
    pub fn solid_span(&self) -> Span {
        let (first, end) = self.solid_tokens();
        Span::new(self.starts[first], self.starts[end])
    }

    /// The first token that is not white space, and one past the last.
    fn solid_tokens(&self) -> (usize, usize) {
        let is_solid = |kind: &TokenKind| *kind != TokenKind::Blank;
        let end = self.kinds.iter().rposition(is_solid).map_or(self.kinds.len(), |last| last + 1);
        (self.kinds.iter().position(is_solid).unwrap_or(end), end)
    }

    /// The tree of the [solid](Self::solid_span) part of `text`, from which this tree was read; `None` if the part may
    /// read differently on its own.
    #[must_use]
    pub fn trimmed(&self, text: &str) -> Option<Self> {
        let (first, last) = self.solid_tokens();
        let span = self.solid_span();
        // At the start of a text, `#!` and a byte order mark have a meaning of their own.
        let may_differ = first > 0 && text[span.range()].starts_with(|c: char| c == '#' || !c.is_ascii());
        if may_differ || self.mark != u32::MAX || !self.diagnostics.is_empty() {
            return None;
        }
        let token = |token: TokenId| token - first as TokenId;
        let lists = self.lists.iter();
        Some(Self {
            language: self.language.clone(),
            mark: self.mark,
            kinds: self.kinds[first..last].to_vec(),
            starts: self.starts[first..=last].iter().map(|start| start - span.start).collect(),
            lists: lists.map(|list| List { open: token(list.open), close: token(list.close), ..*list }).collect(),
            diagnostics: Vec::new(),
            recovered: self.recovered,
        })
    }

    /// Every list, in the order of the opening tokens.
    pub fn lists(&self) -> &[List] {
        &self.lists
    }

    /// The number of lists at top level.
    pub(crate) fn top_list_count(&self) -> usize {
        let next = |list: &ListId| Some(self.lists.get(*list as usize)?.after());
        std::iter::successors(Some(0), next).count() - 1
    }

    /// One list.
    pub fn list(&self, list: ListId) -> &List {
        &self.lists[list as usize]
    }

    /// The bytes of a list, from its opening token to its closing one. A list that is not closed ends after its last
    /// token that is not white space or a comment.
    pub fn list_span(&self, list: ListId) -> Span {
        let record = self.list(list);
        let mut last = record.end() - 1;
        if record.close().is_none() {
            while last > record.open && self.kind(last).is_trivia() {
                last -= 1;
            }
        }
        Span::new(self.starts[record.open as usize], self.starts[last as usize + 1])
    }

    /// The faults, in source order. Empty exactly if the text balances for the dialect's own reader.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Every opener has its closer, and every closer its opener.
    pub fn is_balanced(&self) -> bool {
        !self.recovered && self.diagnostics.is_empty()
    }

    /// The token that contains a byte offset; the last one for offsets at or past the end. `None` for an empty text.
    pub fn token_at(&self, offset: u32) -> Option<TokenId> {
        let count = self.token_count();
        let found = self.starts[..count as usize].partition_point(|&start| start <= offset) as u32;
        found.checked_sub(1)
    }

    /// Length of the text in bytes.
    pub fn len(&self) -> u32 {
        *self.starts.last().expect("the length of the text is always there")
    }

    /// The text was empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first list that opens at or after a token.
    pub(crate) fn first_list_from(&self, token: TokenId) -> ListId {
        self.lists.partition_point(|list| list.open < token) as u32
    }

    /// The innermost list around a token; for a bracket, the list that it opens or closes.
    pub fn list_around(&self, token: TokenId) -> Option<ListId> {
        let mut list = self.first_list_from(token + 1).checked_sub(1)?;
        while self.list(list).end() <= token {
            list = self.list(list).parent()?;
        }
        Some(list)
    }

    /// The lists around a byte, the innermost first; for a bracket, the list that it opens or closes is one of them.
    pub fn lists_around(&self, offset: u32) -> impl Iterator<Item = ListId> {
        let innermost = self.token_at(offset).and_then(|token| self.list_around(token));
        std::iter::successors(innermost, |list| self.list(*list).parent())
    }

    /// The size of the arrays in bytes, for measurements.
    pub fn heap_size(&self) -> usize {
        self.kinds.capacity()
            + self.starts.capacity() * size_of::<u32>()
            + self.lists.capacity() * size_of::<List>()
            + self.diagnostics.capacity() * size_of::<Diagnostic>()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use crate::{Dialect, read};

    #[track_caller]
    fn check_trimmed(dialect: Dialect, text: &str, expected: Option<&str>) {
        let tree = read(text, dialect);
        let trimmed = tree.trimmed(text);
        assert_eq!(trimmed.is_some(), expected.is_some(), "{text:?}");
        let Some(part) = expected else { return };
        assert_eq!(&text[tree.solid_span().range()], part);
        let (trimmed, alone) = (trimmed.unwrap(), read(part, dialect));
        assert_eq!(trimmed.tokens().collect::<Vec<_>>(), alone.tokens().collect::<Vec<_>>());
        assert_eq!(trimmed.lists(), alone.lists());
        assert_eq!((trimmed.mark, trimmed.recovered), (alone.mark, alone.recovered));
    }

    #[test]
    fn a_trimmed_tree_is_that_of_the_part_without_white_space_around() {
        let cl = Dialect::CommonLisp;
        for part in ["(a (b) 'c) ; d", "; x\n(a [b)", "(list #\\ )", "x", ""] {
            for (before, after) in [("", ""), ("\n  ", ""), ("", "\r\n\n"), (" \x0c", "\n\t")] {
                check_trimmed(cl, &format!("{before}{part}{after}"), Some(part));
            }
        }
        check_trimmed(Dialect::Clojure, ", {:a [1 2]},\n", Some("{:a [1 2]}"));
        check_trimmed(Dialect::Scheme, " #!eof (a)", None);
        check_trimmed(Dialect::Scheme, " #!r7rs (a |b c|)", None);
        check_trimmed(cl, "\n\u{feff}(a)", None);
        check_trimmed(cl, "(a", None);
    }
}
