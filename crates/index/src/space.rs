//! Packages, modules, libraries and namespaces: what they bring in, what they give out.
//!
//! Each dialect has a file here that reads its declarations.

pub(crate) mod clojure;
pub(crate) mod common_lisp;
pub(crate) mod emacs_lisp;
pub(crate) mod scheme;

use lispwright_syntax::Span;

/// What a form declares.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    /// The space that is current from here on, canonical.
    pub(crate) current: Option<String>,
    /// The space that the form declares.
    pub(crate) space: Option<Space>,
    /// Where names stand that it exports, or imports one by one.
    pub(crate) exported: Vec<Span>,
}

/// What a space gives to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exports {
    /// These names, canonical.
    Names(Vec<String>),
    /// Every name it defines.
    All,
}

/// One space from which another takes names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The space that has the names, canonical.
    pub from: String,
    /// A name for the space that counts here alone: a local nickname, an alias.
    pub alias: Option<String>,
    /// What is put in front of each name.
    pub prefix: String,
    /// The names that are taken, as pairs of theirs and ours; `None` for all it exports.
    pub only: Option<Vec<(String, String)>>,
    /// Names with another name here, theirs first, where all are taken.
    pub renamed: Vec<(String, String)>,
    /// Names that are not taken.
    pub except: Vec<String>,
    /// What is taken is given to others, too.
    pub reexports: bool,
    /// The language takes it in by itself, and its names are known not to be the project's.
    pub is_implicit: bool,
}

impl Import {
    /// All that `from` exports.
    pub fn all(from: String) -> Self {
        Self {
            from,
            alias: None,
            prefix: String::new(),
            only: None,
            renamed: Vec::new(),
            except: Vec::new(),
            reexports: false,
            is_implicit: false,
        }
    }

    /// The name over there of what is called `name` here, as far as the import says; `None` when it does not bring it in.
    pub fn theirs<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        let name = name.strip_prefix(self.prefix.as_str())?;
        if let Some(only) = &self.only {
            return only.iter().find(|(_, ours)| ours == name).map(|(theirs, _)| theirs.as_str());
        }
        if let Some((theirs, _)) = self.renamed.iter().find(|(_, ours)| ours == name) {
            return Some(theirs);
        }
        let is_gone =
            self.except.iter().any(|except| except == name) || self.renamed.iter().any(|(theirs, _)| theirs == name);
        (!is_gone).then_some(name)
    }
}

/// A package, module, library or namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// Its name, canonical.
    pub name: String,
    /// Its other names, canonical.
    pub nicknames: Vec<String>,
    /// What it takes from others.
    pub imports: Vec<Import>,
    /// Names that are its own whatever the others export.
    pub shadows: Vec<String>,
    /// What it gives out.
    pub exports: Exports,
    /// Where it is declared, in bytes.
    pub at: u32,
    /// What it is for, as its documentation says.
    pub docstring: Option<String>,
}

impl Space {
    /// One that takes nothing and gives nothing.
    pub fn new(name: String, at: u32) -> Self {
        Self {
            name,
            nicknames: Vec::new(),
            imports: Vec::new(),
            shadows: Vec::new(),
            exports: Exports::Names(Vec::new()),
            at,
            docstring: None,
        }
    }

    /// It gives out `name`.
    pub fn exports(&self, name: &str) -> bool {
        match &self.exports {
            Exports::All => true,
            Exports::Names(names) => names.iter().any(|known| known == name),
        }
    }
}
