//! The languages that can be read, one file for each with everything that is special about it.
//!
//! A [`Dialect`] names a language, and its [`Table`] is defined in its file: the meaning of characters, the comparison
//! of symbols, the definitions of its forms and the recognition of its files. All other code asks the table and knows
//! no dialect by name. The additions of one project are a [`crate::Language`].

mod clojure;
mod common_lisp;
mod detect;
mod edn;
mod emacs_lisp;
mod fennel;
mod hy;
mod janet;
mod racket;
mod scheme;

use crate::definer::{Guess, Row, Wraps};
pub use crate::pieces::{Piece, Role};
pub use crate::readtable::{Marks, Variant};
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
    /// Fennel, which is compiled to Lua.
    Fennel,
    /// Janet.
    Janet,
    /// Hy, which is compiled to Python.
    Hy,
}

/// The tables, in the order of the variants.
static TABLES: [&Table; 9] = [
    &common_lisp::TABLE,
    &scheme::TABLE,
    &clojure::TABLE,
    &edn::TABLE,
    &emacs_lisp::TABLE,
    &racket::TABLE,
    &fennel::TABLE,
    &janet::TABLE,
    &hy::TABLE,
];

impl Dialect {
    /// Every dialect, in the order of lists for people.
    pub const ALL: [Self; 9] = [
        Self::CommonLisp,
        Self::Scheme,
        Self::Clojure,
        Self::Edn,
        Self::EmacsLisp,
        Self::Racket,
        Self::Fennel,
        Self::Janet,
        Self::Hy,
    ];

    /// The table in its file.
    #[inline]
    pub fn table(self) -> &'static Table {
        TABLES[self as usize]
    }

    /// The name used in arguments and answers.
    pub fn name(self) -> &'static str {
        self.table().names[0]
    }

    /// The dialect with a name as people write it: `cl`, `guile`, `elisp` and the like, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        detect::from_name(name)
    }

    /// A file of the dialect is one of data, by its name: `table.rktd`.
    pub fn is_of_data(self, path: &str) -> bool {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        self.table().data_endings.contains(&ending)
    }

    /// The dialect of a file, from its extension, else from the shebang, `#lang` or mode line of its text. `None` if
    /// the file is not known to be Lisp, or declares a notation that is not read by form.
    pub fn detect(path: &str, text: &[u8]) -> Option<Self> {
        let found = detect::from_extension(path).or_else(|| detect::from_first_lines(text));
        found.filter(|dialect| !detect::says_other_notation(dialect.table(), text))
    }

    /// The name of a file is that of prose with `@`-forms of a dialect in it.
    pub fn is_prose_name(path: &str) -> bool {
        detect::from_prose_ending(path).is_some()
    }

    /// The dialect of a file by its name or its first lines, whatever notation it declares.
    pub(crate) fn in_any_notation(path: &str, text: &str) -> Option<Self> {
        let named = detect::from_extension(path).or_else(|| detect::from_prose_ending(path));
        named.or_else(|| detect::from_first_lines(text.as_bytes()))
    }

    /// Upper and lower case name the same symbol unless escaped.
    pub fn folds_case(self) -> bool {
        self.table().folds_case
    }

    /// The character that begins a comment up to the end of the line.
    pub fn comment(self) -> char {
        self.table().comment
    }

    /// `[` and `{` are brackets here; elsewhere they are ordinary constituents of symbols.
    pub fn has_brackets(self) -> (bool, bool) {
        let opens = |byte: u8| matches!(self.table().readtable.start[usize::from(byte)], Start::Bracket(_));
        (opens(b'['), opens(b'{'))
    }
}

/// The conventional end of a file.
#[derive(Clone, Copy, Debug)]
pub struct FileEnding {
    /// The head of the last form.
    pub head: &'static str,
    /// The last words of the comment that is the last line.
    pub line: &'static str,
}

/// The role of square brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Square {
    /// Constituents of symbols.
    Constituents,
    /// Brackets of lists, like parentheses.
    Lists,
    /// Brackets of vectors, which are data.
    Vectors,
    /// Brackets of vectors, which also enclose parameters and bindings.
    Bindings,
}

/// What the data between braces are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Braces {
    /// Any number of any data.
    Plain,
    /// Keys, each with its value.
    Pairs,
    /// The same, and all keys differ; after `#{`, elements that differ.
    Maps,
}

/// The meaning of `#!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bang {
    /// A comment line at the start of a text, and nothing special elsewhere.
    Header,
    /// A comment line.
    Line,
    /// A symbol if a letter follows; otherwise a comment line.
    Name,
    /// A symbol if a letter follows; otherwise a comment up to `!#`.
    Block,
}

/// The notation of character literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharacterLiteral {
    /// `#\x`
    Hash,
    /// `\x`
    Backslash,
    /// `?x`
    Question,
    /// The language has no characters.
    None,
}

/// Everything that is special about a dialect.
#[derive(Debug)]
pub struct Table {
    /// Its names: first the one in arguments and answers, then those of people, interpreters and editors' modes. In
    /// lower case, with `-` between words.
    pub names: &'static [&'static str],
    /// File name endings, without the dot, in lower case.
    pub endings: &'static [&'static str],
    /// Names of files that are not recognised by their ending.
    pub file_names: &'static [&'static str],
    /// A text is in this dialect if its first line begins with this, followed by a word.
    pub(crate) first_line: Option<&'static str>,
    /// The endings of names of files that are prose with `@`-forms of this dialect in it.
    pub(crate) prose_endings: &'static [&'static str],
    /// Those of the endings that are of files with data in the notation of the dialect, and no code.
    pub(crate) data_endings: &'static [&'static str],
    /// The beginnings of such words that name a notation that is not read by form.
    pub(crate) other_notations: &'static [&'static str],

    /// The meaning of characters.
    pub(crate) readtable: &'static Readtable,
    /// The character that begins a comment up to the end of the line.
    pub comment: char,
    /// Marks after which characters have another meaning.
    pub marks: Option<&'static Marks>,
    /// Implementations with characters of their own, the most particular first.
    pub variants: &'static [Variant],
    /// `#` and this byte begin nothing in the dialect itself: a project may define it.
    pub(crate) free_dispatch: fn(u8) -> bool,
    /// The tokens that begin with `#`, and character literals.
    pub pieces: &'static [Piece],
    /// Named parts of their patterns.
    pub fragments: &'static [(&'static str, &'static str)],
    /// For a token at the end of a piece of text, given its kind, its source and the blanks after it: the shortest text
    /// that continues in the same way. `None` if further text cannot change the token.
    pub unsettled: fn(TokenKind, &str, &str) -> Option<String>,
    /// `#| ... |#` is a comment, which nests.
    pub nested_comments: bool,
    /// The meaning of `#!`.
    pub bang: Bang,
    /// The role of square brackets.
    pub square: Square,
    /// The notation of character literals.
    pub character: CharacterLiteral,
    /// A dot before the last datum of a list makes a pair.
    pub pairs: bool,
    /// What the data between braces are.
    pub(crate) braces: Braces,
    /// The tokens of a text are those of the language's own reader, as far as the text says: it declares no readtable.
    pub(crate) own_tokens: fn(&[u8]) -> bool,
    /// `...` is code: it repeats what is before it in a pattern.
    pub(crate) ellipsis: bool,

    /// Upper and lower case name the same symbol unless escaped.
    pub(crate) folds_case: bool,
    /// A symbol may have a package prefix: `package:symbol`.
    pub(crate) packages: bool,
    /// The name of a symbol as the dialect's reader interns it, without package or namespace.
    pub(crate) intern: fn(&str) -> String,
    /// The class that every specializer is a subclass of, in canonical spelling.
    pub(crate) top_class: &'static str,

    /// The heads of definitions.
    pub(crate) definers: &'static [Row],
    /// Which further heads are taken for definers.
    pub(crate) guess: Option<Guess>,
    /// Heads that only wrap definitions.
    pub(crate) wrappers: &'static [Wraps],
    /// Further names that definitions make: a part of the head, and the suffixes of the defined name; in others, `*` is
    /// the name.
    pub(crate) makes: &'static [(&'static str, &'static [&'static str])],
    /// How a form is recognised as top-level although a form before it is not closed.
    pub openers: Openers,
    /// The shapes of its forms, in addition to [`Shapes::EVERYWHERE`].
    pub shapes: &'static Shapes,
    /// How forms with known heads treat their arguments.
    pub special_forms: SpecialForms,
    /// Functions that take the name of a function for an argument, quoted: `mapcar`, `add-hook`.
    pub takes_functions: &'static [&'static str],
    /// The names that the standard of the language gives and no program may define anew, divided by white space.
    pub standard: &'static str,
    /// The operators that the language defines: rows of `name kind fewest most`, sorted by name.
    pub(crate) operators: &'static str,
    /// Threading forms pass an argument to calls so often that the number of arguments written in a call says little.
    pub threads: bool,
    /// The first characters of a datum by which people name a form that defines nothing.
    pub(crate) titles: &'static [char],
    /// The beginnings of comments that are headings of a file or of a section.
    pub(crate) headings: &'static [&'static str],
    /// The conventional end of a file.
    pub ending: Option<FileEnding>,
}
