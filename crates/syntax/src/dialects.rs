//! The languages that can be read: one file for each, which says all that is particular to it.
//!
//! A [`Dialect`] names a language, and its [`Table`] is what its file says: what characters mean, how symbols compare, what
//! its forms define and how a file of it is recognised. Everything else asks the table and knows no dialect by name. What
//! one project adds is a [`crate::Language`].

mod clojure;
mod common_lisp;
mod detect;
mod edn;
mod emacs_lisp;
mod racket;
mod scheme;

use crate::definer::{Guess, Row, Wraps};
pub use crate::pieces::{Piece, Role};
pub use crate::readtable::Marks;
use crate::readtable::{Readtable, Start};
pub use crate::shapes::{Opener, Openers, Shapes};
use crate::special::SpecialForms;
use crate::token::TokenKind;
pub use crate::unsettled::escape;

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
    /// Racket, as most of its languages read it.
    Racket,
}

/// The tables, in the order of the variants.
static TABLES: [&Table; 6] =
    [&common_lisp::TABLE, &scheme::TABLE, &clojure::TABLE, &edn::TABLE, &emacs_lisp::TABLE, &racket::TABLE];

impl Dialect {
    /// Every dialect, in the order they are listed to people.
    pub const ALL: [Self; 6] =
        [Self::CommonLisp, Self::Scheme, Self::Clojure, Self::Edn, Self::EmacsLisp, Self::Racket];

    /// What its file says.
    #[inline]
    pub fn table(self) -> &'static Table {
        TABLES[self as usize]
    }

    /// The name used in arguments and answers.
    pub fn name(self) -> &'static str {
        self.table().names[0]
    }

    /// The dialect of a name as people write it: `cl`, `guile`, `elisp` and the like, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        detect::from_name(name)
    }

    /// The dialect of a file, from its extension, else from the text's shebang, `#lang` or mode line.
    /// `None` means that the file is not known to be Lisp, or says that it is in a notation that is not read by form.
    pub fn detect(path: &str, text: &[u8]) -> Option<Self> {
        let found = detect::from_extension(path).or_else(|| detect::from_first_lines(text));
        found.filter(|dialect| !detect::says_other_notation(dialect.table(), text))
    }

    /// Upper and lower case name the same symbol unless escaped.
    pub fn folds_case(self) -> bool {
        self.table().folds_case
    }

    /// `[` and `{` are brackets here; elsewhere they are ordinary constituents of symbols.
    pub fn has_brackets(self) -> (bool, bool) {
        let opens = |byte: u8| matches!(self.table().readtable.start[usize::from(byte)], Start::Bracket(_));
        (opens(b'['), opens(b'{'))
    }
}

/// What ends a file, by convention.
#[derive(Clone, Copy, Debug)]
pub struct FileEnding {
    /// The head of the last form.
    pub head: &'static str,
    /// The last words of the comment that is the last line.
    pub line: &'static str,
}

/// What square brackets are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Square {
    /// Constituents of symbols.
    Constituents,
    /// Brackets of lists, as round ones are.
    Lists,
    /// Brackets of vectors, which are data.
    Vectors,
    /// Brackets of vectors, which hold parameters and bindings, too.
    Bindings,
}

/// What `#!` begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bang {
    /// A comment line at the start of a text, and nothing in particular elsewhere.
    Header,
    /// A comment line.
    Line,
    /// A comment up to `!#`, or a directive.
    Block,
}

/// How characters are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharacterLiteral {
    /// `#\x`
    Hash,
    /// `\x`
    Backslash,
    /// `?x`
    Question,
}

/// What the file of a dialect says.
#[derive(Debug)]
pub struct Table {
    /// What it is called: the name that arguments and answers use, then what people, interpreters and editors' modes call it.
    /// In lower case, with `-` between words.
    pub names: &'static [&'static str],
    /// File name endings, without the dot, in lower case.
    pub endings: &'static [&'static str],
    /// Names of files without a telling ending.
    pub file_names: &'static [&'static str],
    /// A text whose first line begins so, with a word behind it, is in this dialect.
    pub(crate) first_line: Option<&'static str>,
    /// What such a word begins with when it names a notation that is not read by form.
    pub(crate) other_notations: &'static [&'static str],

    /// What characters mean.
    pub(crate) readtable: &'static Readtable,
    /// What makes them mean something else behind it.
    pub marks: Option<&'static Marks>,
    /// Words that are one token behind `#!`, which begins a comment otherwise.
    pub directives: &'static [&'static str],
    /// What begins with `#`, and character literals.
    pub pieces: &'static [Piece],
    /// Parts of their patterns, by name.
    pub fragments: &'static [(&'static str, &'static str)],
    /// The shortest text that goes on as a symbol, prefix or character literal does which a piece of text ends with, or which
    /// the blanks in the last place follow up to its end. Nothing for one that no more text can change.
    pub unsettled: fn(TokenKind, &str, &str) -> Option<String>,
    /// `#| ... |#` is a comment, which nests.
    pub nested_comments: bool,
    /// What `#!` begins.
    pub bang: Bang,
    /// What square brackets are, where they are brackets.
    pub square: Square,
    /// How characters are written.
    pub character: CharacterLiteral,
    /// A dot before the last datum of a list makes a pair.
    pub pairs: bool,

    /// Upper and lower case name the same symbol unless escaped.
    pub(crate) folds_case: bool,
    /// A symbol may carry the name of the package it is in: `package:symbol`.
    pub(crate) packages: bool,
    /// The name of a symbol as the reader would intern it, without package or namespace.
    pub(crate) intern: fn(&str) -> String,
    /// The class that every specializer is a subclass of, in canonical spelling.
    pub(crate) top_class: &'static str,

    /// Heads that define something.
    pub(crate) definers: &'static [Row],
    /// Which heads that no row knows are taken for definers.
    pub(crate) guess: Option<Guess>,
    /// Heads that only wrap definitions.
    pub(crate) wrappers: &'static [Wraps],
    /// What heads define besides the name: a part of the head, and what is added to the name.
    pub(crate) makes: &'static [(&'static str, &'static [&'static str])],
    /// How a form is known to stand at top level although what is before it was never closed.
    pub openers: Openers,
    /// What its forms look like, besides [`Shapes::EVERYWHERE`].
    pub shapes: &'static Shapes,
    /// How forms with known heads treat their arguments.
    pub special_forms: SpecialForms,
    /// Functions that take the name of a function for an argument, quoted: `mapcar`, `add-hook`.
    pub takes_functions: &'static [&'static str],
    /// Calls take an argument from the form around them so often that their ends say little.
    pub threads: bool,
    /// What a datum begins with that people call a form by which defines nothing.
    pub(crate) titles: &'static [char],
    /// What comments begin with that are headings of a file or of a section.
    pub(crate) headings: &'static [&'static str],
    /// What ends a file, by convention.
    pub ending: Option<FileEnding>,
}
