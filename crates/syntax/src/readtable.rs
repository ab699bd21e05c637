//! What characters mean, as tables that the files of the dialects fill in.
//!
//! The word is Common Lisp's (CLHS 2.1.1): a readtable says which characters are white space, which end a symbol, which
//! begin something special. Where a table cannot say it (the `#` of each language), it holds a small function.

use memchr::memmem;

use crate::lexer::Lexer;
use crate::token::TokenKind;

/// What near the start of a text says that it is written in a variant of its dialect, which reads some characters
/// differently.
#[derive(Debug)]
pub struct Marks {
    /// The words of which one says so.
    pub words: &'static [&'static str],
    /// How far into a text they count, in bytes.
    pub reach: usize,
    /// What reads the tokens that begin behind the first mark, so that nothing which is written later changes how
    /// something reads.
    pub(crate) behind: &'static Readtable,
}

impl Marks {
    /// Where the first mark in `text` ends.
    fn end(&self, text: &[u8]) -> Option<usize> {
        let head = &text[..text.len().min(self.reach)];
        let ends = self.words.iter().filter_map(|mark| memmem::find(head, mark.as_bytes()).map(|at| at + mark.len()));
        ends.min()
    }
}

/// What a text is read by: one table, and another behind a mark in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Readtables<'r> {
    pub(crate) first: &'r Readtable,
    pub(crate) then: &'r Readtable,
    /// Tokens that begin at this byte or behind it are read by the second table.
    pub(crate) from: usize,
}

impl<'r> Readtables<'r> {
    /// The same table everywhere.
    pub(crate) const fn one(readtable: &'r Readtable) -> Self {
        Self { first: readtable, then: readtable, from: usize::MAX }
    }

    /// The table of a dialect, and the one behind the first mark in `text` where it has marks.
    pub(crate) fn of(first: &'r Readtable, marks: Option<&'r Marks>, text: &[u8]) -> Self {
        match marks.and_then(|marks| Some((marks.behind, marks.end(text)?))) {
            Some((then, from)) => Self { first, then, from },
            None => Self::one(first),
        }
    }
}

/// What stands behind a `#` and a character that a project has given a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchShape {
    /// Text up to the next occurrence of the character, or of its partner when it is a bracket: `#/a(b/`, `#[a(b]`.
    /// A backslash escapes.
    Delimited,
    /// Belongs to the datum after it.
    Prefix,
    /// Takes two data, as `#+` does.
    Annotation,
    /// Makes the datum after it a comment.
    Discard,
    /// The rest of the line is a comment.
    LineComment,
    /// A datum in one piece, as far as a symbol goes.
    Atom,
    /// A character literal: the next character whatever it is, then as far as a symbol goes.
    Character,
}

impl DispatchShape {
    /// Every shape with the name it has in `lispwright.toml`.
    pub const ALL: [(&'static str, Self); 7] = [
        ("delimited", Self::Delimited),
        ("prefix", Self::Prefix),
        ("annotation", Self::Annotation),
        ("discard", Self::Discard),
        ("line-comment", Self::LineComment),
        ("atom", Self::Atom),
        ("character", Self::Character),
    ];

    /// The shape of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, shape)| shape)
    }
}

/// What a byte means where a token begins.
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
    /// `;`
    Comment,
    /// A prefix of one byte.
    Prefix,
    /// `,` or `~`: a prefix that a following `@` (or `.`) joins.
    Unquote,
    /// `#`: see [`Readtable::dispatch`].
    Dispatch,
    /// Begins a character literal without `#`: `\` in Clojure, `?` in Emacs Lisp. See [`Readtable::character`].
    Character,
    /// `^` in Clojure.
    Annotation,
}

/// What a byte means inside a symbol or number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Within {
    /// Goes on.
    Constituent,
    /// Ends the atom.
    Terminator,
    /// Takes the next character along, whatever it is.
    Escape,
    /// `|`: everything up to the next one belongs to the atom.
    Bar,
    /// Outside ASCII: ends the atom where the dialect counts the character as white space.
    NonAscii,
}

/// How one dialect cuts text into tokens.
#[derive(Clone)]
pub(crate) struct Readtable {
    /// By first byte of a token.
    pub(crate) start: [Start; 256],
    /// By byte inside an atom.
    pub(crate) within: [Within; 256],
    /// Characters outside ASCII that are white space.
    pub(crate) wide_blank: fn(char) -> bool,
    /// Reads a token that begins with `#`; the lexer stands on the `#`.
    pub(crate) dispatch: fn(&mut Lexer<'_>) -> TokenKind,
    /// Reads a character literal that does not begin with `#`; the lexer stands on its first byte.
    pub(crate) character: fn(&mut Lexer<'_>) -> TokenKind,
    /// `package::` directly before a list belongs to it, as SBCL reads it.
    pub(crate) package_prefix: bool,
    /// What a project says of `#` and an ASCII character.
    pub(crate) extra: [Option<DispatchShape>; 128],
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
    /// Brackets that are lists of their own; the others of `[]{}` are constituents.
    pub(crate) brackets: &'a [u8],
    /// One-byte prefixes.
    pub(crate) prefixes: &'a [u8],
    /// `,` or `~`.
    pub(crate) unquote: u8,
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
        table[b';' as usize] = Start::Comment;
        table[b'#' as usize] = Start::Dispatch;
        table[self.unquote as usize] = Start::Unquote;
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
