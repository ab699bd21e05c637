//! The languages that can be read, and how a file is recognised as one of them.
//!
//! A [`Dialect`] only names a language. What its characters mean is its [`crate::readtable`]; what its forms define is
//! its [`crate::definer`] table.

mod detect;

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
}
