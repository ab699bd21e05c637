//! Packages, modules, libraries and namespaces: their imports and exports.
//!
//! Each dialect has a file here that reads its declarations.

pub(crate) mod clojure;
pub(crate) mod common_lisp;
pub(crate) mod emacs_lisp;
mod names;
pub(crate) mod racket;
pub(crate) mod scheme;
mod systems;

use lispwright_syntax::{Datum, Span};

use crate::facts::FILE_SPACE;
use crate::links::Link;
use crate::walk::Walk;

/// The declaration in a form.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    /// The space that is current from here on, canonical.
    pub(crate) current: Option<String>,
    /// The space that the form declares.
    pub(crate) space: Option<Space>,
    /// The places of the names that it exports, or imports one by one.
    pub(crate) exported: Vec<Span>,
    /// The places of names that it imports, or exports under another name, each with the space that exports it.
    pub(crate) elsewhere: Vec<(Span, String)>,
    /// The places of names that another space has and that it is asked for, exported or not, each with that space.
    pub(crate) within: Vec<(Span, String)>,
    /// The places of names that are looked up in another space while the code runs, each with that space.
    pub(crate) looked_up: Vec<(Span, String)>,
    /// Lists of names that look like forms.
    pub(crate) lists: Vec<Datum>,
    /// The places of macros that read a part of it.
    pub(crate) called: Vec<Span>,
    /// Files whose code becomes a part of this one, as they are written.
    pub(crate) included: Vec<String>,
    /// The places that name spaces, systems, features and files.
    pub(crate) links: Vec<Link>,
    /// It adds names to a space that are computed, or to a space that is.
    pub(crate) opens: bool,
}

/// The exports of a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exports {
    /// These names, canonical.
    Names(Vec<String>),
    /// Every name it defines.
    All,
}

/// The names that a space exports, if they are not written where it exports them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provided {
    /// All that it defines.
    Defined,
    /// All that it imports from this space.
    From(String),
    /// The structure of this name, with its constructor, predicate and accessors.
    Structure(String),
}

/// An export of names that are not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provide {
    /// The names.
    pub what: Provided,
    /// The prefix that each gets.
    pub prefix: String,
    /// Those that are not exported, without the prefix.
    pub except: Vec<String>,
}

/// How a space comes to the names of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImportKind {
    /// It asks for them.
    #[default]
    Asked,
    /// It is written in the language that the other space is: names that are asked for come first.
    Language,
    /// It stands inside of the other space, and sees all names there, exported or not.
    Inside,
}

/// An import of names from one space into another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The space from which names are imported, canonical.
    pub from: String,
    /// How it comes to them.
    pub kind: ImportKind,
    /// Another name of that space, valid only in the importing space: a local nickname, an alias.
    pub alias: Option<String>,
    /// The prefix that each name gets.
    pub prefix: String,
    /// The imported names, as pairs of theirs and ours; `None` for all exports.
    pub only: Option<Vec<(String, String)>>,
    /// If all exports are imported: the names that are renamed, as pairs of theirs and ours.
    pub renamed: Vec<(String, String)>,
    /// Names that are not imported.
    pub except: Vec<String>,
    /// The imported names are exported, too.
    pub reexports: bool,
    /// The import depends on a condition of the reader.
    pub is_conditional: bool,
    /// The import is implicit in the language, and its names are known not to be the project's.
    pub is_implicit: bool,
    /// The names are those of the language or of an implementation, not the project's.
    pub is_of_language: bool,
}

impl Import {
    /// An import of all exports of `from`.
    pub fn all(from: String) -> Self {
        Self {
            from,
            kind: ImportKind::Asked,
            alias: None,
            prefix: String::new(),
            only: None,
            renamed: Vec::new(),
            except: Vec::new(),
            reexports: false,
            is_conditional: false,
            is_implicit: false,
            is_of_language: false,
        }
    }

    /// The name in `from` of the symbol that would be `name` here; `None` if the import does not include it.
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

impl Import {
    /// The name here of what `from` exports as `name`; `None` if the import does not include it.
    pub(crate) fn ours(&self, name: &str) -> Option<String> {
        let ours = match &self.only {
            Some(only) => only.iter().find(|(theirs, _)| theirs == name).map(|(_, ours)| ours.as_str())?,
            None if self.except.iter().any(|except| except == name) => return None,
            None => self.renamed.iter().find(|(theirs, _)| theirs == name).map_or(name, |(_, ours)| ours),
        };
        Some(format!("{}{ours}", self.prefix))
    }
}

/// The file that is the space; a module inside of it is in the same file. `None` if it is a space with a name.
pub fn file_of_space(space: &str) -> Option<&str> {
    let path = space.strip_prefix(FILE_SPACE)?;
    Some(path.split(racket::SUBMODULE).next().unwrap_or(path))
}

/// A package, module, library or namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// Its name, canonical.
    pub name: String,
    /// Its other names, canonical.
    pub nicknames: Vec<String>,
    /// Its imports.
    pub imports: Vec<Import>,
    /// Names that are its own even if an import has the same name.
    pub shadows: Vec<String>,
    /// Its exports.
    pub exports: Exports,
    /// Some of its exports are computed: each of its names may be exported.
    pub exports_more: bool,
    /// It exports names in other spaces of bindings, which can be asked for one by one like those of all code.
    pub exports_apart: bool,
    /// It imports or shadows names that are computed.
    pub imports_more: bool,
    /// Names that it exports under others, as pairs of its own name and the exported one.
    pub renamed: Vec<(String, String)>,
    /// The prefixes that it writes before names where it exports them.
    pub prefixes: Vec<String>,
    /// Exports of names that are not written.
    pub provides: Vec<Provide>,
    /// It only adds to a space that is declared elsewhere, perhaps under another of its names.
    pub adds: bool,
    /// The start of its declaration, in bytes.
    pub at: u32,
    /// Its docstring.
    pub docstring: Option<String>,
}

impl Space {
    /// It may export names that its declaration does not write.
    pub(crate) fn gives_more(&self) -> bool {
        self.exports == Exports::All
            || self.exports_more
            || !self.provides.is_empty()
            || self.imports.iter().any(|import| import.reexports)
    }

    /// A space without imports and exports.
    pub fn new(name: String, at: u32) -> Self {
        Self {
            name,
            nicknames: Vec::new(),
            imports: Vec::new(),
            shadows: Vec::new(),
            exports: Exports::Names(Vec::new()),
            exports_more: false,
            exports_apart: false,
            imports_more: false,
            renamed: Vec::new(),
            prefixes: Vec::new(),
            provides: Vec::new(),
            adds: false,
            at,
            docstring: None,
        }
    }

    /// It is the code of a file outside of packages and modules.
    pub fn is_file(&self) -> bool {
        self.name.starts_with(FILE_SPACE)
    }

    /// Adds what another declaration of the same space says.
    pub(crate) fn extend(&mut self, other: Self) {
        self.adds &= other.adds;
        self.nicknames.extend(other.nicknames);
        self.imports.extend(other.imports);
        self.shadows.extend(other.shadows);
        self.renamed.extend(other.renamed);
        self.exports_more |= other.exports_more;
        self.exports_apart |= other.exports_apart;
        self.imports_more |= other.imports_more;
        self.prefixes.extend(other.prefixes);
        self.provides.extend(other.provides);
        match (&mut self.exports, other.exports) {
            (Exports::Names(own), Exports::Names(names)) => own.extend(names),
            (own, Exports::All) => *own = Exports::All,
            (Exports::All, Exports::Names(_)) => {}
        }
        self.docstring = self.docstring.take().or(other.docstring);
    }

    /// Its own name for an exported name.
    pub(crate) fn inner<'a>(&'a self, exported: &'a str) -> &'a str {
        self.renamed.iter().find(|(_, outer)| outer == exported).map_or(exported, |(inner, _)| inner)
    }

    /// It exports `name`.
    pub fn exports(&self, name: &str) -> bool {
        match &self.exports {
            Exports::All => true,
            Exports::Names(names) => names.iter().any(|known| known == name),
        }
    }
}

/// The text of a string without escapes.
fn string(walk: &Walk<'_>, datum: Datum) -> Option<String> {
    let text = walk.source(datum).strip_prefix('"')?.strip_suffix('"')?;
    (!text.is_empty() && !text.contains('\\')).then(|| text.to_owned())
}
