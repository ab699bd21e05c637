//! The reasons why a name is not changed.

use std::path::{Path, PathBuf};

use lispwright_index::{Document, PossibleReason, Symbol};
use lispwright_syntax::{LineIndex, Span};

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The file, absolute.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in scalar values.
    pub column: u32,
    /// The line itself, without white space around it.
    pub text: String,
}

impl Spot {
    /// The place of a byte in a file.
    pub fn of(document: &Document, offset: u32) -> Self {
        Self::within(&document.path, &document.text, document.lines(), offset)
    }

    /// The place of a byte in a text of a file.
    pub(crate) fn within(path: &Path, text: &str, lines: &LineIndex, offset: u32) -> Self {
        let at = lines.line_column(text.as_bytes(), offset);
        let span = lines.line_span(at.line).unwrap_or(Span::new(0, 0));
        let text = text.get(span.range()).unwrap_or_default().trim().to_owned();
        Self { path: path.to_owned(), line: at.line, column: at.column, text }
    }
}

/// A symbol that the name of a request may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namesake {
    /// The symbol.
    pub symbol: Symbol,
    /// Its first definition.
    pub spot: Spot,
    /// The label of that definition.
    pub label: String,
}

/// Why nothing was planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenameRefusal {
    /// No file of the project defines the name.
    NotDefined {
        /// Similar names that are defined.
        nearest: Vec<String>,
    },
    /// Other files than those that were asked for define the name.
    Elsewhere(Vec<Namesake>),
    /// Several symbols have the name.
    Ambiguous(Vec<Namesake>),
    /// Only packages, modules, namespaces or systems have the name, which are also names of files and directories.
    IsSpace(Box<Namesake>),
    /// The uses of names are not known in the dialect.
    Dialect(&'static str),
    /// The new name is no name.
    BadName {
        /// The reason.
        why: &'static str,
    },
    /// The new name is the old one.
    SameName,
    /// Code names the protocol as an interface of the host, which cannot have the new name.
    NoClass {
        /// The first place.
        spot: Box<Spot>,
    },
    /// The definition does not write the name: it derives it from another.
    Derived {
        /// The place of the definition.
        spot: Box<Spot>,
        /// Its label.
        label: String,
        /// The name from which it is derived.
        from: String,
    },
    /// The project has methods of that name, whose generic function may be that of a library.
    OfLibrary {
        /// The first method.
        spot: Spot,
    },
    /// Only forms whose head nobody in the project defines write the name as that of a definition: they may add to what
    /// a library defines.
    UnknownDefiner {
        /// The first of them.
        spot: Spot,
        /// Its head, canonical.
        head: String,
        /// The dialect, as a section of the configuration has it.
        dialect: &'static str,
    },
    /// Forms that begin with the name are read in a way of their own, by its name.
    IsSyntax {
        /// The place of the definition.
        spot: Box<Spot>,
    },
    /// The new name means something there already.
    Collides {
        /// The name.
        name: String,
        /// The place.
        spot: Box<Spot>,
        /// What it means there.
        symbol: Symbol,
    },
    /// The package is to have the new name from elsewhere.
    Inherited {
        /// The name.
        name: String,
        /// The package that has it already.
        space: String,
        /// What it is.
        symbol: Symbol,
    },
    /// The place would mean something else after the change.
    Captured {
        /// The new name.
        name: String,
        /// The place in the file as it would be.
        spot: Spot,
    },
    /// It cannot be known whether the place has to change.
    CannotTell {
        /// The place.
        spot: Spot,
        /// The reason.
        why: Doubt,
        /// What else is not known.
        more: Box<Untold>,
    },
    /// A file that has the name does not balance, so its code is not known.
    Unbalanced {
        /// The file, absolute.
        path: PathBuf,
    },
    /// A file would read differently elsewhere.
    WouldBreak {
        /// The place in the file as it would be.
        spot: Spot,
    },
}

/// What else is not known where a place forbids a rename.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Untold {
    /// Other places of which it cannot be known.
    pub others: Vec<Spot>,
    /// What an image could tell: the packages of code, each with a name that is written there.
    pub asks: Vec<(String, String)>,
    /// The symbol that is renamed.
    pub symbol: Symbol,
}

/// Why it cannot be known whether a place has to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The walk over the code has found neither a use nor a local name there.
    Unplaced,
    /// The space of the place imports a space of the project that no file declares.
    Undeclared {
        /// That space.
        space: String,
    },
    /// A live image knows it as a use, and the files do not show it.
    Image,
    /// It may be a use of the name.
    MayMean {
        /// Why nobody can tell.
        reason: PossibleReason,
    },
    /// It is a keyword of the name of a package or system, which may be a word of anything.
    Keyword,
    /// It declares that local variables of the name are dynamic, and some of them may not be known to be.
    Dynamic,
    /// It is data, and the symbol names both a slot and what is renamed.
    SlotOrName,
    /// It is a name that no file defines and that has the old name as a part: the definition may derive it.
    MayBeDerived {
        /// The name.
        name: String,
    },
    /// It is a variable where only a function of the name is defined, or a function where only a variable is; elsewhere a
    /// local name is the same, which a macro may make it mean.
    Free {
        /// The place of a local name.
        local: Box<Spot>,
    },
    /// The only definition is for one platform, and the place is for all.
    OnePlatform,
    /// The language has the name, too, the only definition is for where it has not, and the place is for both.
    UnderCondition,
    /// Code reads all names of the namespace, and may depend on this one.
    Read,
    /// A local name is the same, and the place is in an argument of a macro that may bind it or take it as data.
    InMacro {
        /// The macro, as written.
        head: String,
    },
}
