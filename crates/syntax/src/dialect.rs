//! The languages that can be read, each as a table.
//!
//! A [`Dialect`] names a language. What its characters mean is its [`Syntax`] table; what its forms define is its
//! [`crate::definer`] table. Where a table cannot say it (the `#` of each language), the table holds a small function.

mod clojure;
mod common_lisp;
mod detect;
mod emacs_lisp;
mod scheme;

use crate::language::DispatchShape;
use crate::lexer::Lexer;
use crate::token::TokenKind;

/// A language with a reader of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// ANSI Common Lisp, with the dispatch characters real libraries add (CLHS chapter 2).
    CommonLisp,
    /// R7RS Scheme with Guile's extensions.
    Scheme,
    /// Clojure, ClojureScript, Babashka.
    Clojure,
    /// EDN: Clojure's data notation.
    Edn,
    /// Emacs Lisp.
    EmacsLisp,
}

impl Dialect {
    /// Every dialect, in the order they are listed to people.
    pub const ALL: [Self; 5] = [Self::CommonLisp, Self::Scheme, Self::Clojure, Self::Edn, Self::EmacsLisp];

    /// The name used in arguments and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CommonLisp => "common-lisp",
            Self::Scheme => "scheme",
            Self::Clojure => "clojure",
            Self::Edn => "edn",
            Self::EmacsLisp => "emacs-lisp",
        }
    }

    /// The dialect of a name as people write it: `cl`, `guile`, `elisp` and the like, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        detect::from_name(name)
    }

    /// The dialect of a file, from its extension, else from the text's shebang, `#lang` or mode line.
    /// `None` means that the file is not known to be Lisp.
    pub fn detect(path: &str, text: &[u8]) -> Option<Self> {
        detect::from_extension(path).or_else(|| detect::from_first_lines(text))
    }

    /// Upper and lower case name the same symbol unless escaped.
    pub const fn folds_case(self) -> bool {
        matches!(self, Self::CommonLisp)
    }

    /// `[` and `{` are brackets here; elsewhere they are ordinary constituents of symbols.
    pub const fn has_brackets(self) -> (bool, bool) {
        match self {
            Self::CommonLisp => (false, false),
            Self::Scheme | Self::EmacsLisp => (true, false),
            Self::Clojure | Self::Edn => (true, true),
        }
    }

    /// The table to read `text` by.
    pub(crate) fn syntax(self, text: &[u8]) -> &'static Syntax {
        match self {
            Self::CommonLisp => &common_lisp::SYNTAX,
            Self::Scheme => scheme::syntax_for(text),
            Self::Clojure | Self::Edn => &clojure::SYNTAX,
            Self::EmacsLisp => &emacs_lisp::SYNTAX,
        }
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
    /// `#`: see [`Syntax::dispatch`].
    Dispatch,
    /// Begins a character literal without `#`: `\` in Clojure, `?` in Emacs Lisp. See [`Syntax::character`].
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
pub(crate) struct Syntax {
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
    /// What a project says of `#` and an ASCII character.
    pub(crate) extra: [Option<DispatchShape>; 128],
}

impl std::fmt::Debug for Syntax {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Syntax").finish_non_exhaustive()
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
