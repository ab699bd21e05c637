//! A text as a tree, in flat arrays: what was read, where it nests, what is wrong with it.
//!
//! Tokens lie in two parallel arrays, kinds and start offsets; a token ends where the next one starts. Every list is
//! one record that names its opening and closing token, and the records stand in the order of their openers, so a list
//! is followed by all lists inside it and then by its next sibling. That order is what lets [`crate::datum`] walk the
//! tree without a pointer per token, and lets a tree of a million nested lists be built, walked and dropped by loops.
//!
//! [`read`] matches delimiters plainly first. Only when that finds a fault does it read again with the column-0 rule
//! (see [`crate::recover`]), so that one broken form does not swallow the healthy ones after it.

use crate::dialect::Dialect;
use crate::language::Language;
use crate::lexer::Lexer;
use crate::recover;
use crate::span::Span;
use crate::token::{TokenId, TokenKind};
use crate::{Delimiter, Diagnostic, DiagnosticKind};

/// Index of a list in its tree, in the order of the opening tokens.
pub type ListId = u32;

/// Lists nested more deeply than this are read all the same, with a diagnostic.
pub const MAX_DEPTH: u32 = 10_000;

/// Of lists left open inside each other, this many of the outermost and of the innermost get a diagnostic each.
const MOST_UNCLOSED: u32 = 64;

/// At most this many diagnostics are kept for one text.
const MOST_DIAGNOSTICS: usize = 10_000;

/// The longest text that can be read, in bytes: offsets are 32 bits wide.
pub const MAX_LEN: usize = u32::MAX as usize - 1;

/// "No list": the parent of what stands at top level.
pub(crate) const NO_LIST: u32 = u32::MAX;

/// Set in [`List::close`] when no token closes the list.
const MISSING: u32 = 1 << 31;

/// A list, vector, map or set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List {
    /// The opening token.
    open: TokenId,
    /// The closing token, or, with `MISSING` set, the token before which the list was given up.
    close: u32,
    /// The next list that is not inside this one.
    after: ListId,
    /// The list around this one.
    parent: ListId,
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
    pub(crate) const fn after(&self) -> ListId {
        self.after
    }
}

/// What [`read`] makes of a text. The text itself is not kept.
#[derive(Clone, Debug)]
pub struct Tree {
    language: Language,
    kinds: Vec<TokenKind>,
    /// One more than there are tokens: the last is the length of the text.
    starts: Vec<u32>,
    lists: Vec<List>,
    diagnostics: Vec<Diagnostic>,
    recovered: bool,
}

/// Reads `text` in a dialect, or in a [`Language`] that a project has extended. Never fails: what is wrong stands in [`Tree::diagnostics`].
///
/// Takes time and memory linear in the text. Bytes beyond [`MAX_LEN`] are left out of the tree; callers cap size first.
pub fn read(text: impl AsRef<[u8]>, language: impl Into<Language>) -> Tree {
    let (text, language) = (text.as_ref(), language.into());
    let text = &text[..text.len().min(MAX_LEN)];
    let plain = build(text, &language, &recover::Cuts::default());
    if plain.diagnostics.iter().all(|diagnostic| diagnostic.kind == DiagnosticKind::TooDeep) {
        return plain;
    }
    let cuts = recover::find_cuts(text, &plain);
    if cuts.is_empty() {
        return Tree { recovered: true, ..plain };
    }
    Tree { recovered: true, ..build(text, &language, &cuts) }
}

/// Reads `text` by plain matching alone: the first fault may swallow everything after it, exactly as in the dialect's
/// own reader. [`read`] is what tools want; this is for comparing against it.
pub fn read_plain(text: impl AsRef<[u8]>, language: impl Into<Language>) -> Tree {
    let text = text.as_ref();
    build(&text[..text.len().min(MAX_LEN)], &language.into(), &recover::Cuts::default())
}

impl Tree {
    /// The dialect it was read as.
    pub const fn dialect(&self) -> Dialect {
        self.language.dialect()
    }

    /// What it was read as, the project's additions included.
    pub const fn language(&self) -> &Language {
        &self.language
    }

    /// How many tokens there are.
    pub fn token_count(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// What a token is.
    pub fn kind(&self, token: TokenId) -> TokenKind {
        self.kinds[token as usize]
    }

    /// Where a token stands.
    pub fn token_span(&self, token: TokenId) -> Span {
        Span::new(self.starts[token as usize], self.starts[token as usize + 1])
    }

    /// Every token with its kind and place, trivia included, in source order.
    pub fn tokens(&self) -> impl ExactSizeIterator<Item = (TokenKind, Span)> + '_ {
        self.kinds.iter().zip(self.starts.windows(2)).map(|(&kind, pair)| (kind, Span::new(pair[0], pair[1])))
    }

    /// Every list, in the order of the opening tokens.
    pub fn lists(&self) -> &[List] {
        &self.lists
    }

    /// One list.
    pub fn list(&self, list: ListId) -> &List {
        &self.lists[list as usize]
    }

    /// Where a list stands, from its opening token to its closing one. A list that nothing closes ends after its last
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

    /// What is wrong, in source order. Empty exactly when the dialect's own reader would balance the text too.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Everything that was opened is closed, and nothing else is.
    pub fn is_balanced(&self) -> bool {
        !self.recovered && self.diagnostics.is_empty()
    }

    /// The token that holds a byte offset; the last one for offsets at or past the end. `None` for an empty text.
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

    /// The innermost list that holds a token between its brackets or is bracketed by it.
    pub fn list_around(&self, token: TokenId) -> Option<ListId> {
        let mut list = self.first_list_from(token + 1).checked_sub(1)?;
        while self.list(list).end() <= token {
            list = self.list(list).parent()?;
        }
        Some(list)
    }

    /// Bytes held in memory, for measurements.
    pub fn heap_size(&self) -> usize {
        self.kinds.capacity()
            + self.starts.capacity() * size_of::<u32>()
            + self.lists.capacity() * size_of::<List>()
            + self.diagnostics.capacity() * size_of::<Diagnostic>()
    }
}

fn build(text: &[u8], language: &Language, cuts: &recover::Cuts) -> Tree {
    let mut builder = Builder::new(text, language.clone());
    let mut lexer = Lexer::new(text, language.syntax(text));
    let mut next_reset = cuts.resets.iter().copied().peekable();
    loop {
        let start = lexer.offset() as u32;
        if next_reset.next_if_eq(&start).is_some() {
            builder.give_up(start);
        }
        let Some(mut kind) = lexer.next() else { break };
        if matches!(kind, TokenKind::String | TokenKind::UnterminatedString)
            && let Some(end) = cuts.string_end(start)
        {
            lexer.rewind(end as usize);
            kind = TokenKind::UnterminatedString;
        }
        builder.push(kind, start, lexer.offset() as u32);
    }
    builder.finish(text.len() as u32)
}

/// A prefix that has already been given what it needs from inside an enclosing list's frame.
struct Owed {
    /// The list inside which reading goes on meanwhile.
    list: ListId,
    /// How many data the prefixes before that list still want after it.
    data: u32,
}

/// Matches delimiters as tokens arrive.
struct Builder<'t> {
    text: &'t [u8],
    tree: Tree,
    /// The innermost open list.
    current: ListId,
    depth: u32,
    /// How many data the prefixes read so far want.
    owed: u32,
    /// The last prefix that wants something.
    last_prefix: TokenId,
    /// What outer frames want, for lists that are not the last datum their prefix wants.
    frames: Vec<Owed>,
}

impl<'t> Builder<'t> {
    fn new(text: &'t [u8], language: Language) -> Self {
        let tree = Tree {
            language,
            kinds: Vec::with_capacity(text.len() / 3),
            starts: Vec::with_capacity(text.len() / 3 + 1),
            lists: Vec::with_capacity(text.len() / 24),
            diagnostics: Vec::new(),
            recovered: false,
        };
        Self { text, tree, current: NO_LIST, depth: 0, owed: 0, last_prefix: 0, frames: Vec::new() }
    }

    #[inline]
    fn push(&mut self, kind: TokenKind, start: u32, end: u32) {
        let token = self.tree.kinds.len() as u32;
        self.tree.kinds.push(kind);
        self.tree.starts.push(start);
        match kind {
            TokenKind::Blank | TokenKind::LineComment | TokenKind::BlockComment => {}
            TokenKind::Atom | TokenKind::String | TokenKind::Character => self.owed = self.owed.saturating_sub(1),
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => self.open(token, start, end),
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                self.close(kind, token, start, end);
            }
            TokenKind::Prefix => {
                self.owed = self.owed.max(1);
                self.last_prefix = token;
            }
            TokenKind::Annotation => {
                self.owed = self.owed.max(1) + 1;
                self.last_prefix = token;
            }
            TokenKind::Discard => {
                self.owed += 1;
                self.last_prefix = token;
            }
            TokenKind::UnterminatedString => self.unterminated(DiagnosticKind::UnclosedString, start, end),
            TokenKind::UnterminatedSymbol => self.unterminated(DiagnosticKind::UnclosedSymbol, start, end),
            TokenKind::UnterminatedComment => {
                self.report(DiagnosticKind::UnclosedComment, Span::new(start, end), None, Some(end));
            }
        }
    }

    fn unterminated(&mut self, kind: DiagnosticKind, start: u32, end: u32) {
        self.owed = self.owed.saturating_sub(1);
        self.report(kind, Span::new(start, end), None, Some(end));
    }

    fn report(&mut self, kind: DiagnosticKind, span: Span, opened_at: Option<Span>, gave_up_at: Option<u32>) {
        if self.tree.diagnostics.len() < MOST_DIAGNOSTICS {
            self.tree.diagnostics.push(Diagnostic { kind, span, opened_at, gave_up_at });
        }
    }

    #[inline]
    fn open(&mut self, token: TokenId, start: u32, end: u32) {
        let list = self.tree.lists.len() as u32;
        if self.owed > 1 {
            self.frames.push(Owed { list, data: self.owed - 1 });
        }
        self.owed = 0;
        self.tree.lists.push(List { open: token, close: MISSING, after: NO_LIST, parent: self.current });
        self.current = list;
        self.depth += 1;
        if self.depth == MAX_DEPTH + 1 {
            self.report(DiagnosticKind::TooDeep, Span::new(start, end), None, None);
        }
    }

    /// The current list ends at `close`, which is a token or a missing one.
    #[inline]
    fn leave(&mut self, close: u32) {
        if self.owed > 0 {
            let prefix = self.tree.starts[self.last_prefix as usize];
            let end = self.tree.starts[self.last_prefix as usize + 1];
            self.report(DiagnosticKind::DanglingPrefix, Span::new(prefix, end), None, None);
            self.owed = 0;
        }
        let after = self.tree.lists.len() as u32;
        let record = &mut self.tree.lists[self.current as usize];
        record.close = close;
        record.after = after;
        let parent = record.parent;
        if self.frames.last().is_some_and(|frame| frame.list == self.current) {
            self.owed = self.frames.pop().map_or(0, |frame| frame.data);
        }
        self.current = parent;
        self.depth -= 1;
    }

    fn close(&mut self, kind: TokenKind, token: TokenId, start: u32, end: u32) {
        let found = Delimiter::of(kind).expect("closing tokens are delimiters");
        let span = Span::new(start, end);
        if self.current == NO_LIST {
            if self.owed > 0 {
                self.dangling_at_top();
            }
            self.report(DiagnosticKind::ExtraClose(found), span, None, None);
            return;
        }
        let expected = self.delimiter(self.current);
        if expected == found {
            self.leave(token);
            return;
        }
        self.report(DiagnosticKind::Mismatch { expected, found }, span, Some(self.opener(self.current)), None);
        // The closer that is due may come right after: then this one is only in the way.
        let due = expected.close() as u8;
        if self.text[end as usize..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&due) {
            return;
        }
        // A closer that fits the list around closes both; any other stands for the one that is due.
        let parent = self.tree.list(self.current).parent();
        if parent.is_some_and(|parent| self.delimiter(parent) == found) {
            self.leave(MISSING | token);
        }
        self.leave(token);
    }

    fn delimiter(&self, list: ListId) -> Delimiter {
        let open = self.tree.kind(self.tree.list(list).open());
        Delimiter::of(open).expect("lists begin with an opening token")
    }

    fn opener(&self, list: ListId) -> Span {
        let open = self.tree.list(list).open as usize;
        let start = self.tree.starts[open];
        // The opener may be the token read last, which has no successor yet.
        Span::new(start, self.tree.starts.get(open + 1).copied().unwrap_or(start + 1))
    }

    fn dangling_at_top(&mut self) {
        let start = self.tree.starts[self.last_prefix as usize];
        let end = self.tree.starts.get(self.last_prefix as usize + 1).copied().unwrap_or(start + 1);
        self.report(DiagnosticKind::DanglingPrefix, Span::new(start, end), None, None);
        self.owed = 0;
    }

    /// Everything open ends here, at `offset`, where the next token will start.
    fn give_up(&mut self, offset: u32) {
        let token = self.tree.kinds.len() as u32;
        self.tree.starts.push(offset);
        let innermost = self.depth;
        while self.current != NO_LIST {
            let list = self.current;
            if self.depth <= MOST_UNCLOSED || self.depth > innermost.saturating_sub(MOST_UNCLOSED) {
                let kind = DiagnosticKind::Unclosed(self.delimiter(list));
                self.report(kind, self.opener(list), None, Some(offset));
            }
            self.leave(MISSING | token);
        }
        if self.owed > 0 {
            self.dangling_at_top();
        }
        self.tree.starts.pop();
    }

    fn finish(mut self, len: u32) -> Tree {
        self.give_up(len);
        self.tree.starts.push(len);
        self.tree.diagnostics.sort_by_key(|diagnostic| diagnostic.span);
        self.tree.kinds.shrink_to_fit();
        self.tree.starts.shrink_to_fit();
        self.tree.lists.shrink_to_fit();
        self.tree
    }
}
