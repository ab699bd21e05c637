//! The manuals of the languages, as far as they are installed: a name, a section or a term to its text.
//!
//! A manual is a row of [`MANUALS`]: what it is called, whose dialect it describes, how it is read. [`look_up`] asks
//! those of some dialects, and says of each whether it knows the query, or is not installed.
//!
//! `hyperspec.rs` has the Common Lisp HyperSpec, whose pages are known by name, so that there is an address without a
//! copy; `info.rs` reads Info manuals; `emacs.rs` and `clojure.rs` read docstrings where Emacs and Clojure keep them.
//! [`Shelves`] are the directories; `packed.rs` reads plain and packed files.
//!
//! Invariants. Nothing is kept between calls, nothing is written, nothing is fetched. Only regular files are read, and
//! of each no more than a fixed number of bytes.

mod clojure;
mod emacs;
mod hyperspec;
mod info;
mod packed;
mod shelves;

use std::path::PathBuf;

use lispwright_syntax::Dialect;

pub use shelves::{Copy, Shelves};

/// A manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manual {
    /// Its name.
    pub name: &'static str,
    /// The dialect that it describes.
    pub dialect: Dialect,
    /// The package of Debian that has it, if there is one.
    pub package: Option<&'static str>,
    kind: Kind,
}

impl Manual {
    /// Whether it has something is known without a copy.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        self.kind == Kind::HyperSpec
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    HyperSpec,
    /// An Info manual, by the names that its file may have.
    Info(&'static [&'static str]),
    Emacs,
    Clojure,
}

/// All manuals; of a dialect the first has the first word.
pub const MANUALS: &[Manual] = &[
    Manual {
        name: "Common Lisp HyperSpec",
        dialect: Dialect::CommonLisp,
        package: Some("hyperspec"),
        kind: Kind::HyperSpec,
    },
    Manual { name: "R7RS", dialect: Dialect::Scheme, package: None, kind: Kind::Info(&["r7rs", "r7rs-small"]) },
    Manual {
        name: "Guile Reference Manual",
        dialect: Dialect::Scheme,
        package: Some("guile-3.0-doc"),
        kind: Kind::Info(&["guile"]),
    },
    Manual { name: "Emacs", dialect: Dialect::EmacsLisp, package: Some("emacs-el"), kind: Kind::Emacs },
    Manual {
        name: "Emacs Lisp manual",
        dialect: Dialect::EmacsLisp,
        package: Some("emacs-common-non-dfsg"),
        kind: Kind::Info(&["elisp"]),
    },
    Manual { name: "Clojure", dialect: Dialect::Clojure, package: Some("libclojure-java"), kind: Kind::Clojure },
];

/// What a manual says of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Article {
    /// What it is about, as the manual spells it: a name, the number of a section, a term.
    pub name: String,
    /// What that is, or the heading under which it stands.
    pub title: Option<String>,
    /// Its public address.
    pub url: Option<String>,
    /// The file that has the text.
    pub path: Option<PathBuf>,
    /// The line there, from 1, where that helps to find it.
    pub line: Option<u32>,
    /// The text; absent if no copy is installed.
    pub text: Option<String>,
    /// The bytes of the text that say how it is used: its syntax, or the first paragraph.
    pub brief: usize,
    /// The query is the number of a section.
    pub is_section: bool,
}

impl Article {
    /// With a text whose brief are the lines that say how it is used, and the first paragraph after them.
    fn saying(self, usage: &str, text: &str) -> Self {
        let text = text.trim_end();
        let gap = if usage.is_empty() || text.is_empty() { "" } else { "\n\n" };
        let first = text.find("\n\n").unwrap_or(text.len());
        Self { brief: usage.len() + gap.len() + first, text: Some(format!("{usage}{gap}{text}")), ..self }
    }
}

/// The answer of a manual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// What it says.
    pub entries: Vec<Article>,
    /// If it says nothing, the names in it that are spelled most like the query.
    pub nearest: Vec<String>,
    /// No copy of it is installed. It may have entries all the same, without their texts.
    pub is_missing: bool,
}

impl Look {
    fn missing() -> Self {
        Self { is_missing: true, ..Self::default() }
    }
}

/// Entries of one manual at most.
const MOST_ENTRIES: usize = 5;

/// Names that are offered when nothing is called as asked.
const MOST_NEAREST: usize = 5;

/// The longest query, in bytes.
const LONGEST_QUERY: usize = 200;

/// Asks the manuals of the dialects that `is_meant` picks.
pub fn look_up(query: &str, shelves: &Shelves, is_meant: impl Fn(Dialect) -> bool) -> Vec<(&'static Manual, Look)> {
    let query = query.trim();
    let asked = MANUALS.iter().filter(|manual| is_meant(manual.dialect));
    asked
        .map(|manual| {
            let mut look = match manual.kind {
                _ if query.is_empty() || query.len() > LONGEST_QUERY => Look::default(),
                Kind::HyperSpec => hyperspec::look(query, shelves),
                Kind::Info(names) => info::look(query, names, shelves),
                Kind::Emacs => emacs::look(query, shelves),
                Kind::Clojure => clojure::look(query, shelves),
            };
            look.entries.truncate(MOST_ENTRIES);
            (manual, look)
        })
        .collect()
}

/// A name without what code has in front of it: `'car`, `#'car`.
fn bare(query: &str) -> &str {
    let bare = query.trim_start_matches("#'").trim_start_matches(['\'', '`', '‘']).trim_end_matches(['\'', '’']);
    if bare.is_empty() { query } else { bare }
}
