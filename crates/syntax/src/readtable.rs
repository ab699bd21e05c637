//! The meaning of characters, in tables that the files of the dialects fill in.
//!
//! The word is Common Lisp's (CLHS 2.1.1): a readtable defines which characters are white space, which end a symbol,
//! and which begin a special token. If a table is not enough, as for the `#` of each language, it has a small function.

use memchr::memmem;

use crate::lexer::Lexer;
use crate::spelling::{Misspelt, Spelt};
use crate::token::TokenKind;

/// Marks near the start of a text that select a variant of its dialect, in which some characters have another meaning.
#[derive(Debug)]
pub struct Marks {
    /// The marks.
    pub words: &'static [&'static str],
    /// The length of the start of a text in which they count, in bytes.
    pub reach: usize,
    /// The readtable for tokens that begin after the first mark. Tokens before the mark are not affected by it, so text
    /// that is added later does not change earlier tokens.
    pub(crate) after: &'static Readtable,
}

impl Marks {
    /// The end of the first mark in `text`.
    fn end(&self, text: &[u8]) -> Option<usize> {
        let head = &text[..text.len().min(self.reach)];
        let ends = self.words.iter().filter_map(|mark| memmem::find(head, mark.as_bytes()).map(|at| at + mark.len()));
        ends.min()
    }
}

/// An implementation of a dialect with characters of its own, and how a text shows that it is meant.
#[derive(Debug)]
pub struct Variant {
    /// The name of the implementation.
    pub name: &'static str,
    /// Programs in the first line of a script.
    pub programs: &'static [&'static str],
    /// Beginnings of lines near the start of a text, each with an opening parenthesis.
    pub words: &'static [&'static str],
    /// How its tokens are read.
    pub(crate) readtable: &'static Readtable,
}

/// How far into a text the lines are looked at that name an implementation, in bytes.
const NAMED_WITHIN: usize = 4 * 1024;

/// The first of `variants` that `text` names.
pub(crate) fn named<'v>(variants: &'v [Variant], text: &[u8]) -> Option<&'v Variant> {
    if variants.is_empty() {
        return None;
    }
    let head = &text[..text.len().min(NAMED_WITHIN)];
    let line_end = |from: usize| memchr::memchr(b'\n', &head[from..]).map_or(head.len(), |found| from + found);
    if head.starts_with(b"#!") {
        let script = &head[..line_end(0)];
        // `#! /bin/sh` and the like go on with the program in the next line.
        let script =
            if script.ends_with(b"sh") { &head[..line_end((script.len() + 1).min(head.len()))] } else { script };
        let words = script.split(|byte| !byte.is_ascii_alphanumeric() && !b"-._".contains(byte));
        for word in words {
            let program = |variant: &&Variant| variant.programs.iter().any(|program| program.as_bytes() == word);
            if let Some(found) = variants.iter().find(program) {
                return Some(found);
            }
        }
    }
    let mut best: Option<usize> = None;
    let mut at = 0;
    while at < head.len() {
        let line = &head[at..];
        // Most lines that begin with a parenthesis define something.
        if (line[0] == b'(' && !line.starts_with(b"(define ")) || line.starts_with(b"#!") {
            let names = |variant: &Variant| variant.words.iter().any(|word| line.starts_with(word.as_bytes()));
            let found = variants.iter().position(names);
            best = best.into_iter().chain(found).min();
        }
        at = line_end(at) + 1;
    }
    best.map(|best| &variants[best])
}

/// The readtables for a text: one up to a mark in it, and another after the mark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Readtables<'r> {
    pub(crate) first: &'r Readtable,
    pub(crate) then: &'r Readtable,
    /// Tokens that begin at this byte or after it are read by the second table.
    pub(crate) from: usize,
}

impl<'r> Readtables<'r> {
    /// The same table everywhere.
    pub(crate) const fn one(readtable: &'r Readtable) -> Self {
        Self { first: readtable, then: readtable, from: usize::MAX }
    }

    /// The table of a dialect, and the one after the first mark in `text`, if there is a mark.
    pub(crate) fn of(first: &'r Readtable, marks: Option<&'r Marks>, text: &[u8]) -> Self {
        match marks.and_then(|marks| Some((marks.after, marks.end(text)?))) {
            Some((then, from)) => Self { first, then, from },
            None => Self::one(first),
        }
    }
}

/// The shape of a token that begins with `#` and a character to which a project has given a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchShape {
    /// Text up to the next occurrence of the character, or of the matching bracket: `#/a(b/`, `#[a(b]`.
    /// A backslash escapes.
    Delimited,
    /// Text up to the next occurrence of the character after it, or of the matching bracket, with letters before it and
    /// behind: `#?/a(b/`, `#?r"a(b"`.
    DelimitedByNext,
    /// A set of characters in brackets, in which `[:alpha:]` is a name: `#[[:alpha:](]`.
    CharacterSet,
    /// Text up to the character and `#`, in the opposite order: `#> ... <#`.
    Foreign,
    /// With the character once more, or `#`, a string up to a line that is the rest of this line: `#<<END`, `#<#END`.
    HereString,
    /// Belongs to the datum after it.
    Prefix,
    /// Takes two data, like `#+`.
    Annotation,
    /// Makes the datum after it a comment.
    Discard,
    /// The rest of the line is a comment.
    LineComment,
    /// A datum in one piece, which ends where a symbol would end.
    Atom,
    /// A character literal: any character, then the rest of a symbol.
    Character,
}

impl DispatchShape {
    /// Every shape with the name it has in `lispwright.toml`.
    pub const ALL: [(&'static str, Self); 11] = [
        ("delimited", Self::Delimited),
        ("delimited-by-next", Self::DelimitedByNext),
        ("character-set", Self::CharacterSet),
        ("foreign", Self::Foreign),
        ("here-string", Self::HereString),
        ("prefix", Self::Prefix),
        ("annotation", Self::Annotation),
        ("discard", Self::Discard),
        ("line-comment", Self::LineComment),
        ("atom", Self::Atom),
        ("character", Self::Character),
    ];

    /// Its name in `lispwright.toml`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, shape)| *shape == self).map_or("atom", |(name, _)| name)
    }

    /// The shape with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, shape)| shape)
    }
}

/// The meaning of a byte at the start of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Start {
    /// A symbol or number.
    Atom,
    /// White space.
    Blank,
    /// A byte of a character outside ASCII: white space in some dialects, else an atom.
    NonAscii,
    /// A bracket: the token is this byte alone.
    Bracket(TokenKind),
    /// `"`
    StringQuote,
    /// `;`, or `#` in Janet.
    Comment,
    /// A prefix of one byte.
    Prefix,
    /// `,` or `~`: a prefix that a following `@` (or `.`) joins.
    Unquote,
    /// `#`: see [`Readtable::dispatch`].
    Dispatch,
    /// Begins a literal without `#`: a character after `\` in Clojure and `?` in Emacs Lisp, a string after a backquote in
    /// Janet. See [`Readtable::character`].
    Character,
    /// `^` in Clojure.
    Annotation,
}

/// The meaning of a byte inside a symbol or number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Within {
    /// Continues the atom.
    Constituent,
    /// Ends the atom.
    Terminator,
    /// The next character belongs to the atom, whatever it is.
    Escape,
    /// `|`: everything up to the next one belongs to the atom.
    Bar,
    /// Outside ASCII: ends the atom if the character is white space in the dialect.
    NonAscii,
}

/// The atoms that may be misspelt, by their bytes.
#[derive(Clone)]
pub(crate) struct Suspects {
    /// By the first byte.
    pub(crate) start: [bool; 256],
    /// Two bytes that make one suspect anywhere; equal where there is only one.
    pub(crate) anywhere: Option<[u8; 2]>,
}

impl Suspects {
    pub(crate) const fn new(first: &[u8], anywhere: Option<[u8; 2]>) -> Self {
        let mut start = [false; 256];
        let mut at = 0;
        while at < first.len() {
            start[first[at] as usize] = true;
            at += 1;
        }
        Self { start, anywhere }
    }
}

/// The rules by which text of one dialect is cut into tokens.
#[derive(Clone)]
pub(crate) struct Readtable {
    /// By first byte of a token.
    pub(crate) start: [Start; 256],
    /// By byte inside an atom.
    pub(crate) within: [Within; 256],
    /// Characters outside ASCII that are white space.
    pub(crate) wide_blank: fn(char) -> bool,
    /// Reads a token that begins with `#`, which is the current byte of the lexer.
    pub(crate) dispatch: fn(&mut Lexer<'_>) -> TokenKind,
    /// Reads a character literal that does not begin with `#`; the current byte of the lexer is its first.
    pub(crate) character: fn(&mut Lexer<'_>) -> TokenKind,
    /// After an unquote: what makes it one that splices.
    pub(crate) splices: &'static [u8],
    /// `package::` directly before a list is a prefix of the list, as in SBCL.
    pub(crate) package_prefix: bool,
    /// The atoms that `misspelt` is asked about.
    pub(crate) suspects: Suspects,
    /// What is wrong with a token that the language's own reader refuses.
    pub(crate) misspelt: fn(Spelt<'_>) -> Misspelt,
    /// The shapes that a project has declared for `#` and an ASCII character.
    pub(crate) extra: [Option<DispatchShape>; 128],
}

impl Readtable {
    /// A token begins with `#` and a character to which the project has given a meaning.
    pub(crate) fn is_extra(&self, token: &str) -> bool {
        matches!(token.as_bytes(), [b'#', sub @ 0..128, ..] if self.extra[usize::from(*sub)].is_some())
    }
}

impl std::fmt::Debug for Readtable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Readtable").finish_non_exhaustive()
    }
}

/// Builds the two byte tables from lists of characters.
pub(crate) struct Characters<'a> {
    /// White space.
    pub(crate) blank: &'a [u8],
    /// Brackets of lists; the others of `[]{}` are constituents.
    pub(crate) brackets: &'a [u8],
    /// Begins a comment up to the end of the line.
    pub(crate) comment: u8,
    /// One-byte prefixes.
    pub(crate) prefixes: &'a [u8],
    /// `,` or `~`, if a following `@` joins it.
    pub(crate) unquote: Option<u8>,
    /// Further first bytes with a meaning.
    pub(crate) start: &'a [(u8, Start)],
    /// Bytes that end an atom, beyond white space and brackets.
    pub(crate) terminators: &'a [u8],
    /// `\` escapes the next character inside an atom.
    pub(crate) escape: bool,
    /// `|` quotes inside an atom.
    pub(crate) bar: bool,
}

impl Characters<'_> {
    pub(crate) const fn start_table(&self) -> [Start; 256] {
        let mut table = [Start::Atom; 256];
        let mut byte = 0x80;
        while byte < 256 {
            table[byte] = Start::NonAscii;
            byte += 1;
        }
        table[b'"' as usize] = Start::StringQuote;
        table[b'#' as usize] = Start::Dispatch;
        table[self.comment as usize] = Start::Comment;
        if let Some(unquote) = self.unquote {
            table[unquote as usize] = Start::Unquote;
        }
        let mut i = 0;
        while i < self.blank.len() {
            table[self.blank[i] as usize] = Start::Blank;
            i += 1;
        }
        i = 0;
        while i < self.brackets.len() {
            table[self.brackets[i] as usize] = Start::Bracket(bracket(self.brackets[i]));
            i += 1;
        }
        i = 0;
        while i < self.prefixes.len() {
            table[self.prefixes[i] as usize] = Start::Prefix;
            i += 1;
        }
        i = 0;
        while i < self.start.len() {
            table[self.start[i].0 as usize] = self.start[i].1;
            i += 1;
        }
        table
    }

    pub(crate) const fn within_table(&self) -> [Within; 256] {
        let mut table = [Within::Constituent; 256];
        let mut byte = 0x80;
        while byte < 256 {
            table[byte] = Within::NonAscii;
            byte += 1;
        }
        let mut i = 0;
        while i < self.blank.len() {
            table[self.blank[i] as usize] = Within::Terminator;
            i += 1;
        }
        i = 0;
        while i < self.brackets.len() {
            table[self.brackets[i] as usize] = Within::Terminator;
            i += 1;
        }
        i = 0;
        while i < self.terminators.len() {
            table[self.terminators[i] as usize] = Within::Terminator;
            i += 1;
        }
        if self.escape {
            table[b'\\' as usize] = Within::Escape;
        }
        if self.bar {
            table[b'|' as usize] = Within::Bar;
        }
        table
    }
}

/// The bracket token of an ASCII bracket.
pub(crate) const fn bracket(byte: u8) -> TokenKind {
    match byte {
        b'(' => TokenKind::OpenParen,
        b'[' => TokenKind::OpenBracket,
        b'{' => TokenKind::OpenBrace,
        b')' => TokenKind::CloseParen,
        b']' => TokenKind::CloseBracket,
        b'}' => TokenKind::CloseBrace,
        _ => panic!("not a bracket"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::Dialect;

    /// A token that begins as a symbol and ends before its first character would be empty, and reading would not end.
    #[test]
    fn no_symbol_begins_with_what_ends_one() {
        for dialect in Dialect::ALL {
            let table = dialect.table();
            let variants = table.variants.iter().map(|variant| variant.readtable);
            for readtable in variants.chain([table.readtable]).chain(table.marks.map(|marks| marks.after)) {
                for byte in 0..=u8::MAX {
                    let (start, within) = (readtable.start[usize::from(byte)], readtable.within[usize::from(byte)]);
                    let is_empty = start == Start::Atom && within == Within::Terminator;
                    assert!(!is_empty, "{} {:?}", dialect.name(), char::from(byte));
                }
                assert_eq!(readtable.start[table.comment as usize], Start::Comment, "{}", dialect.name());
            }
        }
    }
}
