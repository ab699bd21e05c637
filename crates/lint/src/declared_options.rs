//! The options that the declarations of packages, modules, namespaces and systems take, a row for each head.

use lispwright_syntax::{Dialect, Span};

use crate::file::File;

/// How options are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionStyle {
    /// `(word value…)`, where `mark` begins the word: a colon, or nothing.
    Lists {
        /// The mark.
        mark: &'static str,
    },
    /// `word value`
    Pairs,
}

/// What must stand after the words of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Anything.
    Any,
    /// A list.
    List,
    /// Nothing: the word is the option.
    None,
}

/// The options of one kind of declaration.
#[derive(Debug)]
pub(crate) struct OptionRow {
    pub(crate) dialect: Dialect,
    pub(crate) heads: &'static [&'static str],
    pub(crate) style: OptionStyle,
    /// All options that there are; or those that are known, where others can be added.
    pub(crate) is_closed: bool,
    /// The words, without what marks a keyword.
    pub(crate) words: &'static [(&'static str, Value)],
}

use Value as V;

/// The declarations.
pub(crate) const OPTIONS: &[OptionRow] = &[
    OptionRow {
        dialect: Dialect::CommonLisp,
        heads: &["defpackage", "define-package"],
        style: OptionStyle::Lists { mark: ":" },
        is_closed: false,
        words: &[
            ("use", V::Any),
            ("export", V::Any),
            ("import-from", V::Any),
            ("shadow", V::Any),
            ("shadowing-import-from", V::Any),
            ("intern", V::Any),
            ("nicknames", V::Any),
            ("documentation", V::Any),
            ("size", V::Any),
            ("local-nicknames", V::Any),
            ("lock", V::Any),
            ("implement", V::Any),
            ("mix", V::Any),
            ("mix-reexport", V::Any),
            ("reexport", V::Any),
            ("use-reexport", V::Any),
            ("unintern", V::Any),
            ("recycle", V::Any),
            ("import", V::Any),
            ("inherit", V::Any),
            ("implementation-dependent", V::Any),
        ],
    },
    OptionRow {
        dialect: Dialect::CommonLisp,
        heads: &["defsystem"],
        style: OptionStyle::Pairs,
        is_closed: false,
        words: &[
            ("class", V::Any),
            ("defsystem-depends-on", V::Any),
            ("weakly-depends-on", V::Any),
            ("depends-on", V::Any),
            ("components", V::Any),
            ("pathname", V::Any),
            ("perform", V::Any),
            ("description", V::Any),
            ("long-description", V::Any),
            ("long-name", V::Any),
            ("author", V::Any),
            ("maintainer", V::Any),
            ("maintainers", V::Any),
            ("authors", V::Any),
            ("license", V::Any),
            ("licence", V::Any),
            ("version", V::Any),
            ("serial", V::Any),
            ("in-order-to", V::Any),
            ("homepage", V::Any),
            ("bug-tracker", V::Any),
            ("mailto", V::Any),
            ("source-control", V::Any),
            ("source-file", V::Any),
            ("around-compile", V::Any),
            ("encoding", V::Any),
            ("if-feature", V::Any),
            ("entry-point", V::Any),
            ("build-operation", V::Any),
            ("build-pathname", V::Any),
            ("default-component-class", V::Any),
            ("properties", V::Any),
            ("output-files", V::Any),
            ("operation-done-p", V::Any),
            ("input-files", V::Any),
            ("explain", V::Any),
            ("do-first", V::Any),
            ("name", V::Any),
        ],
    },
    OptionRow {
        dialect: Dialect::Racket,
        heads: &["struct", "serializable-struct"],
        style: OptionStyle::Pairs,
        is_closed: false,
        words: &[
            ("mutable", V::None),
            ("super", V::Any),
            ("inspector", V::Any),
            ("auto-value", V::Any),
            ("guard", V::Any),
            ("property", V::Any),
            ("properties", V::Any),
            ("methods", V::Any),
            ("authentic", V::None),
            ("sealed", V::None),
            ("transparent", V::None),
            ("prefab", V::None),
            ("name", V::Any),
            ("extra-name", V::Any),
            ("type-name", V::Any),
            ("constructor-name", V::Any),
            ("extra-constructor-name", V::Any),
            ("reflection-name", V::Any),
            ("omit-define-values", V::None),
            ("omit-define-syntaxes", V::None),
        ],
    },
    OptionRow {
        dialect: Dialect::Clojure,
        heads: &["ns"],
        style: OptionStyle::Lists { mark: ":" },
        is_closed: false,
        words: &[
            ("require", V::Any),
            ("use", V::Any),
            ("import", V::Any),
            ("refer-clojure", V::Any),
            ("gen-class", V::Any),
            ("load", V::Any),
            ("refer", V::Any),
            ("require-macros", V::Any),
            ("use-macros", V::Any),
            ("require-global", V::Any),
            ("refer-global", V::Any),
        ],
    },
    OptionRow {
        dialect: Dialect::Scheme,
        heads: &["define-module"],
        style: OptionStyle::Pairs,
        is_closed: true,
        words: &[
            ("use-module", V::List),
            ("use-syntax", V::List),
            ("autoload", V::Any),
            ("export", V::List),
            ("export-syntax", V::List),
            ("re-export", V::List),
            ("re-export-syntax", V::List),
            ("re-export-and-replace", V::List),
            ("replace", V::List),
            ("replace-syntax", V::List),
            ("version", V::List),
            ("duplicates", V::List),
            ("filename", V::Any),
            ("declarative?", V::Any),
            ("pure", V::None),
            ("no-backtrace", V::None),
        ],
    },
    OptionRow {
        dialect: Dialect::Scheme,
        heads: &["define-library"],
        style: OptionStyle::Lists { mark: "" },
        is_closed: false,
        words: &[
            ("export", V::Any),
            ("import", V::Any),
            ("begin", V::Any),
            ("include", V::Any),
            ("include-ci", V::Any),
            ("include-shared", V::Any),
            ("include-library-declarations", V::Any),
            ("cond-expand", V::Any),
            ("alias-for", V::Any),
            ("export-all", V::Any),
        ],
    },
];

/// The options of a library in the clauses of `ns` that ask for some; each has a value.
pub(crate) const LIBRARY_OPTIONS: &[&str] = &[
    ":as",
    ":as-alias",
    ":refer",
    ":rename",
    ":exclude",
    ":only",
    ":refer-macros",
    ":include-macros",
    ":default",
    ":refer-global",
];

impl File<'_, '_> {
    /// The place is the head of an option of a declaration.
    pub(crate) fn is_option(&self, at: Span) -> bool {
        let around = self.list_of(at).and_then(|list| self.tree.list(list).parent());
        let head = around.and_then(|list| self.head_of(list)).unwrap_or_default();
        let is_of_lists = |row: &&OptionRow| matches!(row.style, OptionStyle::Lists { .. });
        let rows = OPTIONS.iter().filter(|row| row.dialect == self.dialect()).filter(is_of_lists);
        rows.flat_map(|row| row.heads).any(|known| *known == head)
    }
}
