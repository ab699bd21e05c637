//! Reads a text in pieces and keeps, between two pieces, only the state that the next one needs.
//!
//! Every piece is split into tokens by `lispwright-syntax`, which reads only whole texts. The kind of the last token of
//! a piece may depend on the next piece, so it is held back, and put before that piece as the shortest text that leaves
//! the reader in the same state (see `tail.rs`). Everything before it is final.

use lispwright_syntax::{Delimiter, Dialect, TokenKind, read_plain};
use schemars::JsonSchema;
use serde::Serialize;

use super::head::{Event, Head};
use super::position::{Fault, Open, Position};
use super::tail::{self, Tail};
use super::token::Token;
use crate::answer::InsideSince;
use crate::delimiters::DelimiterType;
use crate::failure::Failure;
use crate::limits::MAX_DEPTH;
use crate::steps::{Op, Step, closers, refuse_pop};

/// The token that contains the end of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpenToken {
    /// A string whose closing quote is still to come.
    String,
    /// A block comment whose end is still to come.
    BlockComment,
    /// A line comment: the next line end closes it.
    LineComment,
    /// A symbol in bars (or in `#{ }#`) whose end is still to come.
    Symbol,
    /// Bytes that `#@N` of compiled Emacs Lisp skips.
    SkippedBytes,
    /// A token that may continue: part of a symbol, of a prefix, of a character literal.
    Token,
}

impl OpenToken {
    /// The name in an answer.
    pub const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::BlockComment => "block-comment",
            Self::LineComment => "line-comment",
            Self::Symbol => "symbol",
            Self::SkippedBytes => "skipped-bytes",
            Self::Token => "token",
        }
    }

    /// The text is incomplete without more input.
    pub const fn is_unterminated(self) -> bool {
        matches!(self, Self::String | Self::BlockComment | Self::Symbol)
    }
}

/// The state of a scan.
#[derive(Clone, Debug, PartialEq)]
pub struct Scanner {
    pub(super) dialect: Dialect,
    /// The scan began at the beginning of the document.
    pub(super) fresh: bool,
    pub(super) head: Head,
    /// The open delimiters, outermost first.
    pub(super) open: Vec<Open>,
    /// The first closer that was refused.
    pub(super) first_fault: Option<Fault>,
    /// The number of refused closers.
    pub(super) faults: u64,
    pub(super) tail: Tail,
    /// The start of the token that is held back; without one, the end of the text.
    pub(super) tail_at: Position,
    pub(super) end: Position,
}

impl Scanner {
    /// A scan that begins at the code point `start` of a document, with `stack` open.
    pub fn new(dialect: Dialect, stack: &[DelimiterType], start: u64) -> Self {
        let at = Position::beginning(start);
        Self {
            dialect,
            fresh: start == 0 && stack.is_empty(),
            head: Head::default(),
            open: stack.iter().map(|&delimiter| Open { delimiter, at: None }).collect(),
            first_fault: None,
            faults: 0,
            tail: Tail::default(),
            tail_at: at,
            end: at,
        }
    }

    /// Reads the next piece. `seen` gets the steps of the piece, refused ones too.
    ///
    /// Fails at the limits of [`crate::limits`]; the scan is then unusable.
    pub fn feed(&mut self, piece: &str, seen: &mut dyn FnMut(Step)) -> Result<(), Failure> {
        let mut ahead = piece;
        while !ahead.is_empty() {
            let Some(marks) = self.dialect.table().marks else { return self.lex(ahead, seen) };
            let window = &ahead[..self.head.window(ahead, marks)];
            match self.head.next_event(window, marks) {
                None => {
                    let end = if self.head.in_mark { self.token_end(window) } else { window.len() };
                    self.lex(&ahead[..end], seen)?;
                    ahead = &ahead[end..];
                }
                Some(Event::Mark { end }) => {
                    self.lex(&ahead[..end], seen)?;
                    self.head.mark_seen(!self.tail.is_empty());
                    ahead = &ahead[end..];
                }
                Some(Event::HeaderEnd { end }) => {
                    let (header, rest) = ahead.split_at(end);
                    self.end.advance(header);
                    self.head.observe(header, marks);
                    self.head.header = None;
                    self.forget();
                    ahead = rest;
                }
            }
        }
        Ok(())
    }

    /// Resets the state: everything so far was a comment.
    fn forget(&mut self) {
        self.open.clear();
        self.first_fault = None;
        self.faults = 0;
        self.head.in_mark = false;
        self.tail = Tail::default();
        self.tail_at = self.end;
    }

    /// Puts before a piece the text that makes the reader continue in the middle of a text; nothing at the beginning.
    fn write_lead(&self, buffer: &mut String) {
        let has_marks = self.dialect.table().marks.is_some_and(|marks| self.head.write_lead(marks, buffer));
        let at_start = self.fresh && self.tail_at.offset == 0;
        if !has_marks && !at_start {
            buffer.push(' ');
        }
    }

    fn tokens(&self, buffer: &str, from: usize) -> Vec<Token> {
        let tree = read_plain(buffer, self.dialect);
        let tokens =
            tree.tokens().map(|(kind, span)| Token { kind, start: span.start as usize, end: span.end as usize });
        tokens.filter(|token| token.start >= from).collect()
    }

    /// The end of the token that is held back, in the text ahead; at least one character on.
    fn token_end(&self, ahead: &str) -> usize {
        let mut buffer = String::new();
        self.write_lead(&mut buffer);
        let from = buffer.len();
        self.tail.write_to(&mut buffer);
        let base = buffer.len();
        buffer.push_str(ahead);
        let end = self.tokens(&buffer, from).first().map_or(0, |token| token.end.saturating_sub(base));
        end.max(ahead.chars().next().map_or(0, char::len_utf8))
    }

    fn lex(&mut self, part: &str, seen: &mut dyn FnMut(Step)) -> Result<(), Failure> {
        if part.is_empty() {
            return Ok(());
        }
        let mut buffer = String::with_capacity(self.tail.len() + part.len() + 1);
        self.write_lead(&mut buffer);
        let lead = buffer.len();
        self.tail.write_to(&mut buffer);
        let base = buffer.len();
        buffer.push_str(part);
        let tokens = self.tokens(&buffer, lead);
        let at_start = lead == 0;
        let hold = tail::hold(&tokens, &buffer, self.dialect)?;
        let held_from = hold.as_ref().map_or(tokens.len(), |hold| hold.token);

        let before = self.tail_at;
        let mut reached = base;
        let mut at = self.end;
        let mut place = |start: usize| {
            if start < base {
                return before;
            }
            at.advance(&buffer[reached..start]);
            reached = start;
            at
        };
        for token in &tokens[..held_from] {
            let Some(delimiter) = Delimiter::of(token.kind) else { continue };
            let position = place(token.start);
            let op = if token.kind.is_open() { Op::Push } else { Op::Pop };
            let step = Step { op, delimiter: delimiter.into() };
            seen(step);
            step_at(step, position, &mut self.open, &mut self.first_fault, &mut self.faults)?;
        }
        let tail_at = tokens.get(held_from).map(|token| place(token.start));
        self.end.advance(part);
        self.tail_at = tail_at.unwrap_or(self.end);

        if let Some(marks) = self.dialect.table().marks {
            self.head.observe(part, marks);
            let begins_with_line = tokens.first().is_some_and(|token| token.kind == TokenKind::LineComment);
            let is_open_question = hold.as_ref().is_some_and(|hold| hold.token == 0 && hold.tail.is_bang());
            if at_start && begins_with_line && buffer.starts_with("#!") && !is_open_question {
                self.head.header = Some(buffer.ends_with('!'));
            }
        }
        self.head.in_mark &= hold.as_ref().is_some_and(|hold| hold.token == 0);
        self.tail = hold.map(|hold| hold.tail).unwrap_or_default();
        Ok(())
    }

    /// The dialect.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The open delimiters, outermost first.
    pub fn open(&self) -> &[Open] {
        &self.open
    }

    /// The types of the open delimiters, outermost first.
    pub fn stack(&self) -> Vec<DelimiterType> {
        self.open.iter().map(|open| open.delimiter).collect()
    }

    /// The first closer that was refused. A refused closer leaves the stack as it was.
    pub fn first_fault(&self) -> Option<&Fault> {
        self.first_fault.as_ref()
    }

    /// The number of refused closers.
    pub fn fault_count(&self) -> u64 {
        self.faults
    }

    /// The end of the text so far.
    pub fn end(&self) -> Position {
        self.end
    }

    /// The token that contains the end of the text, and its start.
    pub fn inside(&self) -> Option<InsideSince> {
        if self.tail.is_empty() {
            return None;
        }
        let mut buffer = String::new();
        self.write_lead(&mut buffer);
        let from = buffer.len();
        self.tail.write_to(&mut buffer);
        let kind = match self.tokens(&buffer, from).first()?.kind {
            TokenKind::UnterminatedString => OpenToken::String,
            TokenKind::UnterminatedComment => OpenToken::BlockComment,
            TokenKind::BlockComment => OpenToken::SkippedBytes,
            TokenKind::LineComment => OpenToken::LineComment,
            TokenKind::UnterminatedSymbol => OpenToken::Symbol,
            _ => OpenToken::Token,
        };
        Some(InsideSince { kind, since: self.tail_at })
    }

    /// Nothing is open, no closer was refused, and the end is in no string, block comment or quoted symbol.
    pub fn is_balanced(&self) -> bool {
        self.open.is_empty() && self.faults == 0 && self.is_at_rest()
    }

    fn is_at_rest(&self) -> bool {
        self.inside().is_none_or(|inside| !inside.kind.is_unterminated())
    }

    /// A bracket written here would count as one.
    pub fn takes_delimiters(&self) -> bool {
        let mut next = self.clone();
        next.open.truncate(MAX_DEPTH - 1);
        let depth = next.open.len();
        next.feed("(", &mut |_| {}).is_ok() && next.open.len() == depth + 1
    }

    /// Text that closes everything when it is appended: first the token that contains the end, then the delimiters.
    /// `None` when no such text is known, as in the skipped bytes of a compiled Emacs Lisp file.
    pub fn closers(&self) -> Option<String> {
        let delimiters = closers(&self.stack());
        if self.tail.is_empty() {
            return Some(delimiters);
        }
        let ends = ["", "\n", " ", "\"", "\\\"", "|", "\\|", "}#", "\\}#", " !#"].map(str::to_owned);
        let ends = ends.into_iter().chain(self.tail.ends());
        ends.map(|end| end + &delimiters).find(|text| {
            let mut whole = self.clone();
            let read = whole.feed(text, &mut |_| {});
            read.is_ok() && whole.open.is_empty() && whole.faults == self.faults && whole.is_at_rest()
        })
    }
}

/// Takes one step, or records why it is refused.
fn step_at(
    step: Step,
    at: Position,
    open: &mut Vec<Open>,
    first_fault: &mut Option<Fault>,
    faults: &mut u64,
) -> Result<(), Failure> {
    match step.op {
        Op::Push if open.len() >= MAX_DEPTH => Err(Failure::input(format!(
            "More than {MAX_DEPTH} delimiters are open at line {}, column {}. Check the text in parts.",
            at.line, at.column
        ))),
        Op::Push => {
            open.push(Open { delimiter: step.delimiter, at: Some(at) });
            Ok(())
        }
        Op::Pop => {
            let found = step.delimiter;
            let top = open.last().copied();
            if refuse_pop(top.map(|open| open.delimiter), found).is_ok() {
                open.pop();
                return Ok(());
            }
            first_fault.get_or_insert(Fault { found, at, open: top });
            *faults += 1;
            Ok(())
        }
    }
}
