//! The tokens of a text that matter to its nesting, each with its line and column.
//!
//! White space and comments are left out; what they say is kept in the tokens after them: the column, and whether the
//! token is the first or the last on its line. A tab goes to the next multiple of eight, as Emacs shows it.

use std::hash::{Hash, Hasher};

use lispwright_syntax::{Delimiter, Language, TokenKind, Tree, read_plain};
use rustc_hash::FxHasher;

/// A token that is neither white space nor a comment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// First byte.
    pub(crate) start: u32,
    /// One past the last byte.
    pub(crate) end: u32,
    /// Line it begins on, from 0.
    pub(crate) line: u32,
    /// Column it begins in, from 0.
    pub(crate) column: i32,
    /// Nothing but white space stands before it on its line.
    pub(crate) first: bool,
    /// The datum it belongs to begins its line: nothing but white space and prefixes stand before it.
    pub(crate) opens_line: bool,
    /// Column in which that datum begins, prefixes included.
    pub(crate) place: i32,
    /// Only closers and comments follow on the line it ends on.
    pub(crate) trailing: bool,
    /// No other token follows on the line it ends on.
    pub(crate) last: bool,
    /// An empty line stands between it and the token before.
    pub(crate) apart: bool,
    /// For symbols: a hash of the text in lower case. For everything else [`LITERAL`].
    pub(crate) name: u64,
    /// For symbols and keywords: the same hash, for lists that they are the head of. Else 0.
    pub(crate) head: u64,
    /// For atoms: spelt like the head of a definition or of a file's header.
    pub(crate) definer: bool,
    /// For prefixes: begins a template, or a gap in one.
    pub(crate) template: bool,
}

impl Token {
    pub(crate) fn delimiter(&self) -> Option<Delimiter> {
        Delimiter::of(self.kind)
    }
}

/// The significant tokens of `text`, by plain matching's view of strings and comments.
pub(crate) fn tokens(text: &str, language: &Language) -> Vec<Token> {
    tokens_of(text, &read_plain(text, language))
}

/// The significant tokens of `text`, which `tree` was read from.
pub(crate) fn tokens_of(text: &str, tree: &Tree) -> Vec<Token> {
    let bytes = text.as_bytes();
    let significant = tree.tokens().filter(|(kind, _)| !kind.is_trivia()).count();
    let mut tokens: Vec<Token> = Vec::with_capacity(significant);
    let (mut line, mut column, mut blank_so_far) = (0u32, 0i32, true);
    let (mut empty, mut apart) = (true, false);
    for (kind, span) in tree.tokens() {
        let significant = !kind.is_trivia();
        if significant {
            let body = &bytes[span.range()];
            let atom = kind == TokenKind::Atom;
            let literal = !atom || is_literal(body);
            let name = if literal { LITERAL } else { name_of(body) };
            tokens.push(Token {
                kind,
                start: span.start,
                end: span.end,
                line,
                column,
                first: blank_so_far,
                opens_line: blank_so_far,
                place: column,
                trailing: false,
                last: false,
                apart: std::mem::take(&mut apart),
                name,
                head: if atom && (!literal || body.starts_with(b":")) { name_of(body) } else { 0 },
                template: kind == TokenKind::Prefix && body.iter().any(|byte| b"`,~".contains(byte)),
                definer: atom && is_definer(body),
            });
            blank_so_far = false;
        }
        for &byte in &bytes[span.range()] {
            match byte {
                b'\n' => {
                    apart |= empty;
                    empty = true;
                    line += 1;
                    column = 0;
                    blank_so_far = true;
                }
                b'\t' => column = (column / 8 + 1) * 8,
                byte if byte & 0xC0 == 0x80 || byte == b'\r' => {}
                byte => {
                    empty &= byte == b' ' || byte == 0x0C;
                    column += 1;
                }
            }
        }
        if significant {
            blank_so_far = false;
            (empty, apart) = (false, false);
        }
    }
    for index in 1..tokens.len() {
        let (before, own) = (tokens[index - 1], &mut tokens[index]);
        if before.kind.is_prefix() && before.line == own.line {
            own.opens_line = before.opens_line;
            own.place = before.place;
        }
    }
    for index in (0..tokens.len()).rev() {
        let next = tokens.get(index + 1).copied();
        let last = next.is_none_or(|next| next.first);
        let trailing = last || next.is_some_and(|next| next.kind.is_close() && next.trailing);
        tokens[index].last = last;
        tokens[index].trailing = trailing;
    }
    tokens
}

/// The name of what is not a symbol: numbers, strings, characters, keywords.
pub(crate) const LITERAL: u64 = 2;

fn is_literal(atom: &[u8]) -> bool {
    match atom {
        [b':' | b'#' | b'&', ..] => true,
        [b'+' | b'-' | b'.', next, ..] => next.is_ascii_digit(),
        [first, ..] => first.is_ascii_digit(),
        [] => true,
    }
}

/// `def...`, with or without a package, and the heads that open a file.
fn is_definer(atom: &[u8]) -> bool {
    let from = atom.iter().rposition(|&byte| byte == b':').map_or(0, |at| at + 1);
    let starts =
        |mark: &[u8]| atom.len() >= from + mark.len() && atom[from..from + mark.len()].eq_ignore_ascii_case(mark);
    let is = |name: &[u8]| atom[from..].eq_ignore_ascii_case(name);
    starts(b"def") || [&b"ns"[..], b"in-package", b"use-modules", b"library", b"provide"].iter().any(|name| is(name))
}

/// The hash of a symbol in lower case, without a package before it.
pub(crate) fn name_of(bytes: &[u8]) -> u64 {
    let from = bytes
        .iter()
        .rposition(|&byte| byte == b':')
        .map_or(0, |at| if at + 1 < bytes.len() && at > 0 { at + 1 } else { 0 });
    let mut hasher = FxHasher::default();
    for &byte in &bytes[from..] {
        byte.to_ascii_lowercase().hash(&mut hasher);
    }
    hasher.finish() | 1
}
