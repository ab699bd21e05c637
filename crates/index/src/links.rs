//! The places that name a package, module, namespace, system, feature or file: who imports, enters, requires, loads it
//! or depends on it.
//!
//! The walk notes them where it reads declarations. A place that only writes the name before a symbol, as `shop` in
//! `shop:price`, is found from the uses.

use lispwright_syntax::Span;

/// What a link names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Thing {
    /// A package, module, library or namespace.
    Space,
    /// A system of a build tool.
    System,
    /// A feature of Emacs Lisp, which a file provides.
    Feature,
    /// A file, as it is written, with or without its extension.
    File,
}

/// What the place does with the thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tie {
    /// It declares it.
    Declares,
    /// It gives it another name.
    Names,
    /// The code that follows is in it.
    Enters,
    /// It imports its names, or some of them, or makes them known under a prefix.
    Imports,
    /// It needs it to be loaded before.
    Depends,
    /// It loads it while code runs or is compiled.
    Loads,
    /// It looks it up while code runs.
    Looks,
    /// It is a part of what is declared there.
    Includes,
    /// It says that the file provides it.
    Provides,
}

impl Tie {
    /// The name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Declares => "declaration",
            Self::Names => "nickname",
            Self::Enters => "in",
            Self::Imports => "import",
            Self::Depends => "depends",
            Self::Loads => "load",
            Self::Looks => "lookup",
            Self::Includes => "component",
            Self::Provides => "provide",
        }
    }
}

/// A place that names a thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The name as written, with quotes or colons.
    pub span: Span,
    /// What it names.
    pub thing: Thing,
    /// What it does with it.
    pub tie: Tie,
    /// The name, canonical.
    pub name: String,
}
