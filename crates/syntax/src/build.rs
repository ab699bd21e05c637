//! Builds a tree from tokens by matching delimiters.

use crate::datum::Position;
use crate::diagnostic::{Delimiter, Diagnostic, DiagnosticKind, MAX_DEPTH};
use crate::language::Language;
use crate::lexer::Lexer;
use crate::readtable::Readtables;
use crate::span::Span;
use crate::token::{TokenId, TokenKind};
use crate::tree::{List, ListId, MISSING, NO_LIST, Tree};

/// Of nested lists that are all left open, at most this many of the outermost and of the innermost get a diagnostic.
const MOST_UNCLOSED: u32 = 64;

/// At most this many diagnostics are kept for one text.
const MOST_DIAGNOSTICS: usize = 10_000;

/// Places at which plain reading is interrupted.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    /// At these byte offsets all open lists are given up. Ascending.
    pub(crate) resets: Vec<u32>,
    /// The spans of strings that end before their closing quote. Ascending.
    pub(crate) strings: Vec<Span>,
}

impl Cuts {
    pub(crate) fn is_empty(&self) -> bool {
        self.resets.is_empty() && self.strings.is_empty()
    }

    /// The end of the string that starts at `start`, if it is one of those that are cut short.
    pub(crate) fn string_end(&self, start: u32) -> Option<u32> {
        let found = self.strings.binary_search_by_key(&start, |span| span.start).ok()?;
        Some(self.strings[found].end)
    }
}

/// Reads `text` token by token, interrupted at `cuts`.
pub(crate) fn build(text: &[u8], language: &Language, cuts: &Cuts) -> Tree {
    let language = language.of(text);
    let tables = language.own_readtables(text);
    let mut lexer = Lexer::new(text, tables);
    let mut builder = Builder::new(text, language.clone(), tables);
    if cuts.is_empty() {
        while let Some(kind) = lexer.next() {
            builder.push(kind, lexer.start() as u32, lexer.offset() as u32);
        }
    } else {
        interrupted(&mut builder, &mut lexer, cuts);
    }
    builder.finish(text.len() as u32)
}

/// Reads on to the end, interrupted at `cuts`.
fn interrupted(builder: &mut Builder<'_>, lexer: &mut Lexer<'_>, cuts: &Cuts) {
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
}

/// The data that the prefixes before a list take after it, kept while the list is read.
struct Owed {
    /// The list.
    list: ListId,
    /// How many more data the prefixes take after the list.
    data: u32,
}

/// Matches delimiters as tokens arrive.
pub(crate) struct Builder<'t> {
    text: &'t [u8],
    tree: Tree,
    /// The innermost open list.
    current: ListId,
    depth: u32,
    /// How many data the prefixes read so far still take.
    owed: u32,
    /// The last prefix that takes a datum.
    last_prefix: TokenId,
    /// One entry for each open list that is not the last datum of its prefixes.
    frames: Vec<Owed>,
}

impl<'t> Builder<'t> {
    /// `tables` are those for the text.
    pub(crate) fn new(text: &'t [u8], language: Language, tables: Readtables<'_>) -> Self {
        let tree = Tree {
            mark: u32::try_from(tables.from).unwrap_or(u32::MAX),
            language,
            // Unused capacity is freed before its memory is ever touched.
            kinds: Vec::with_capacity(text.len() / 2),
            starts: Vec::with_capacity(text.len() / 2 + 1),
            lists: Vec::with_capacity(text.len() / 12),
            diagnostics: Vec::new(),
            recovered: false,
        };
        Self { text, tree, current: NO_LIST, depth: 0, owed: 0, last_prefix: 0, frames: Vec::new() }
    }

    /// No list is open and no prefix waits for a datum, so the state is that at the start of a text.
    pub(crate) fn is_outside(&self) -> bool {
        self.current == NO_LIST && self.owed == 0
    }

    /// Copies the tokens and lists of `before` up to `place`, before which it balances. Must be called first.
    pub(crate) fn take_front(&mut self, before: &Tree, place: Position) {
        self.tree.kinds.extend_from_slice(&before.kinds[..place.token as usize]);
        self.tree.starts.extend_from_slice(&before.starts[..place.token as usize]);
        self.tree.lists.extend_from_slice(&before.lists[..place.list as usize]);
    }

    /// Copies the tokens and lists of `before`, which balances, from `place` on, moved by `shift` bytes modulo 2^32.
    /// Must be called last, and only where both trees are [outside](Self::is_outside) of every list.
    pub(crate) fn take_back(&mut self, before: &Tree, place: Position, shift: u32) {
        let tokens = (self.tree.kinds.len() as u32).wrapping_sub(place.token);
        let lists = (self.tree.lists.len() as u32).wrapping_sub(place.list);
        let (token, count) = (place.token as usize, before.kinds.len());
        self.tree.kinds.extend_from_slice(&before.kinds[token..]);
        self.tree.starts.extend(before.starts[token..count].iter().map(|start| start.wrapping_add(shift)));
        self.tree.lists.extend(before.lists[place.list as usize..].iter().map(|list| List {
            open: list.open.wrapping_add(tokens),
            close: list.close.wrapping_add(tokens),
            after: list.after.wrapping_add(lists),
            parent: if list.parent == NO_LIST { NO_LIST } else { list.parent.wrapping_add(lists) },
        }));
    }

    // Called for every token, in three loops: for sound text, for broken text, and for text that is read again.
    #[inline(always)]
    pub(crate) fn push(&mut self, kind: TokenKind, start: u32, end: u32) {
        let token = self.tree.kinds.len() as u32;
        self.tree.kinds.push(kind);
        self.tree.starts.push(start);
        if kind == TokenKind::Blank {
            return;
        }
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

    /// Ends the current list at `close`: a token, or a missing one.
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
        // If the expected closer is directly after this one, this one is superfluous.
        let due = expected.close() as u8;
        if self.text[end as usize..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&due) {
            return;
        }
        // A closer that fits the list around closes both; any other is taken for the expected one.
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
        // The opener may be the last token read so far, whose end is not in `starts` yet.
        Span::new(start, self.tree.starts.get(open + 1).copied().unwrap_or(start + 1))
    }

    fn dangling_at_top(&mut self) {
        let start = self.tree.starts[self.last_prefix as usize];
        let end = self.tree.starts.get(self.last_prefix as usize + 1).copied().unwrap_or(start + 1);
        self.report(DiagnosticKind::DanglingPrefix, Span::new(start, end), None, None);
        self.owed = 0;
    }

    /// Ends all open lists at `offset`, where the next token will start.
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

    pub(crate) fn finish(mut self, len: u32) -> Tree {
        self.give_up(len);
        self.tree.starts.push(len);
        self.tree.diagnostics.sort_by_key(|diagnostic| diagnostic.span);
        self.tree.kinds.shrink_to_fit();
        self.tree.starts.shrink_to_fit();
        self.tree.lists.shrink_to_fit();
        self.tree
    }
}
