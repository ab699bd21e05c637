//! Finds the symbol that a written name means: its package, module or namespace, and its name there.
//!
//! A name without a qualifier is the space's own if the space defines or shadows it, otherwise the one from an import.
//! If neither is so and the space imports from outside of the project, the symbol is unknown.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use lispwright_syntax::Dialect;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialects::rules;
use crate::facts::FILE_SPACE;
use crate::index::Document;
use crate::space::Space;

/// A name in its space. Two uses mean the same if their symbols are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol {
    /// The package, module or namespace, canonical; empty if there is none.
    pub space: String,
    /// The name, canonical.
    pub name: String,
}

/// The meaning of a written name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Referent {
    /// This symbol.
    Is(Symbol),
    /// It may be this symbol, or another one that is imported from outside of the project.
    Unknown(Symbol),
}

/// The spaces of a project with the names that they define.
#[derive(Debug, Default)]
pub(crate) struct Spaces<'i> {
    pub(crate) by_name: FxHashMap<&'i str, Vec<&'i Space>>,
    /// Spaces of files that are parts of other files, with the space of the other file.
    parts: FxHashMap<&'i str, &'i str>,
    pub(crate) defined: FxHashSet<(&'i str, &'i str)>,
    /// A definition of a name that is imported defines the imported symbol.
    pub(crate) imports_symbols: bool,
}

/// A written name in its parts.
pub(crate) struct Written<'t> {
    pub(crate) qualifier: Option<Cow<'t, str>>,
    pub(crate) name: String,
}

impl<'t> Written<'t> {
    /// A name without a qualifier.
    pub(crate) fn plain(name: String) -> Self {
        Self { qualifier: None, name }
    }

    /// Splits a name as the dialect's reader does.
    pub(crate) fn of(dialect: Dialect, text: &'t str) -> Self {
        (rules(dialect).written)(text)
    }
}

/// The path without `..` in it.
fn without_parents(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            found.pop();
        } else {
            found.push(part);
        }
    }
    found
}

/// The maximal number of imports from space to space that are followed; real projects have fewer.
pub(crate) const MOST_STEPS: usize = 32;

impl<'i> Spaces<'i> {
    /// No spaces yet; a definition of an imported name defines the imported symbol, or not.
    pub(crate) fn new(imports_symbols: bool) -> Self {
        Self { imports_symbols, ..Self::default() }
    }

    /// Notes which of the files are parts of others.
    pub(crate) fn include(&mut self, documents: &[&'i Document]) {
        for document in documents {
            for (at, included) in &document.facts.included {
                let directory = document.path.parent().unwrap_or(&document.path);
                let beside = without_parents(&directory.join(included));
                let is_it = |path: &Path| path == beside || path.ends_with(included);
                let fits = |other: &&&Document| is_it(&other.path) || is_it(&other.path.with_extension(""));
                let Some(part) = documents.iter().filter(|other| other.path != document.path).find(fits) else {
                    continue;
                };
                let (inner, outer) = (part.facts.space_at(0), document.facts.space_at(*at));
                if inner.starts_with(FILE_SPACE) && inner != outer {
                    self.parts.entry(inner).or_insert(outer);
                }
            }
        }
    }

    /// The meaning of a name that is written in `space`.
    pub(crate) fn meaning(&self, space: &str, written: &Written<'_>) -> Referent {
        match &written.qualifier {
            None => self.inside(space, &written.name, MOST_STEPS),
            Some(qualifier) => {
                let declared = self.by_name.get(space).into_iter().flatten();
                let mut imports = declared.flat_map(|space| &space.imports);
                let alias = imports.find(|import| import.alias.as_deref() == Some(qualifier));
                let from = alias.map_or(&**qualifier, |import| &import.from);
                self.inside(from, &written.name, MOST_STEPS)
            }
        }
    }

    /// The declared name of a space that is given by name or nickname.
    pub(crate) fn proper<'a>(&self, name: &'a str) -> &'a str
    where
        'i: 'a,
    {
        let outer = std::iter::successors(Some(name), |name| self.parts.get(name).copied());
        let name = outer.take(MOST_STEPS).last().unwrap_or(name);
        match self.by_name.get(name).and_then(|spaces| spaces.first()) {
            Some(space) => &space.name,
            None => name,
        }
    }

    /// The meaning of a name that `space` exports.
    pub(crate) fn exported(&self, space: &str, name: &str, steps: usize) -> Referent {
        let space = self.proper(space);
        let inner = self.by_name.get(space).into_iter().flatten().map(|one| one.inner(name));
        self.inside(space, inner.into_iter().find(|inner| *inner != name).unwrap_or(name), steps)
    }

    /// The meaning of `name` without a qualifier for code in `space`.
    fn inside(&self, space: &str, name: &str, steps: usize) -> Referent {
        let space = self.proper(space);
        let own = || Symbol { space: space.to_owned(), name: name.to_owned() };
        let Some(declared) = self.by_name.get(space).filter(|_| steps > 0) else { return Referent::Is(own()) };
        let is_defined = self.defined.contains(&(space, name));
        let is_shadowed = || declared.iter().any(|one| one.shadows.iter().any(|own| own == name));
        if (is_defined && !self.imports_symbols) || is_shadowed() {
            return Referent::Is(own());
        }
        let mut is_unknown = false;
        for import in declared.iter().flat_map(|one| &one.imports) {
            let Some(theirs) = import.theirs(name) else { continue };
            let from = self.proper(&import.from);
            if import.only.is_some() || self.exports(from, theirs, steps - 1) {
                return self.exported(from, theirs, steps - 1);
            }
            is_unknown |= !import.is_implicit && !self.by_name.contains_key(from);
        }
        if is_unknown && !is_defined { Referent::Unknown(own()) } else { Referent::Is(own()) }
    }

    /// The space exports the name.
    fn exports(&self, space: &str, name: &str, steps: usize) -> bool {
        let Some(declared) = self.by_name.get(space).filter(|_| steps > 0) else { return false };
        declared.iter().any(|one| match &one.exports {
            crate::space::Exports::All => self.defined.contains(&(&*one.name, name)),
            crate::space::Exports::Names(_) => one.exports(name),
        }) || declared.iter().flat_map(|one| &one.imports).filter(|import| import.reexports).any(|import| {
            import.theirs(name).is_some_and(|theirs| {
                import.only.is_some() || self.exports(self.proper(&import.from), theirs, steps - 1)
            })
        })
    }
}
