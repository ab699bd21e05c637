//! Finds the symbol that a written name means: its package, module or namespace, and its name there.
//!
//! A name without a qualifier is the space's own if the space defines or shadows it, otherwise the one from an import.
//! If neither is so and the space imports from outside of the project, the symbol is unknown.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use lispwright_syntax::Dialect;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialects::rules;
use crate::facts::{FILE_SPACE, named};
use crate::index::Document;
use crate::space::{Exports, Import, ImportKind, Provide, Provided, Space, racket};

/// A name in its space. Two uses mean the same if their symbols are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol {
    /// The package, module or namespace, canonical; empty if there is none.
    pub space: String,
    /// The name, canonical.
    pub name: String,
}

impl Symbol {
    /// Its package, module or namespace, if it is in one that has a name.
    pub fn package(&self) -> Option<&str> {
        named(&self.space)
    }
}

/// The meaning of a written name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Referent {
    /// This symbol.
    Is(Symbol),
    /// It may be this symbol, or another one that is imported from outside of the project.
    Unknown(Symbol),
}

/// What a name means, in parts of names that are known.
#[derive(Clone, Copy)]
struct Meant<'a> {
    space: &'a str,
    name: &'a str,
    /// It may also be a name from outside of the project.
    is_unknown: bool,
}

impl From<Meant<'_>> for Referent {
    fn from(meant: Meant<'_>) -> Self {
        let symbol = Symbol { space: meant.space.to_owned(), name: meant.name.to_owned() };
        if meant.is_unknown { Self::Unknown(symbol) } else { Self::Is(symbol) }
    }
}

/// The spaces of a project with the names that they define.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spaces<'i> {
    pub(crate) by_name: Arc<FxHashMap<&'i str, Vec<&'i Space>>>,
    /// Spaces of files that are parts of other files, with the space of the other file.
    parts: Arc<FxHashMap<&'i str, &'i str>>,
    /// The spaces of further files of which such a file is a part.
    further: Arc<FxHashMap<&'i str, Vec<&'i str>>>,
    /// Where files include what is not among those of the project, by their paths: byte offsets.
    unread: Arc<FxHashMap<&'i Path, Vec<u32>>>,
    /// The names that the spaces are said to export.
    exported: Arc<FxHashSet<(&'i str, &'i str)>>,
    /// The names that the files define, in their spaces.
    defined: Arc<FxHashSet<(&'i str, &'i str)>>,
    /// Structures that spaces export, by the space and the name there, with the other names that they define.
    structures: Arc<FxHashMap<(&'i str, &'i str), Vec<&'i str>>>,
    /// The same for names whose space is not that of the code.
    defined_elsewhere: Arc<FxHashMap<&'i str, Vec<String>>>,
    /// What a declaration imports counts for its file alone.
    imports_are_of_files: bool,
    /// What a space imports hides what it defines: the definition is one of the imported name.
    pub(crate) imports_first: bool,
    dialect: Option<Dialect>,
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
pub(crate) fn without_parents(path: &Path) -> PathBuf {
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

/// The one of the files that another includes under the name `included`.
pub(crate) fn included_file<'i>(
    documents: &[&'i Document],
    document: &Document,
    included: &str,
) -> Option<&'i Document> {
    let directory = document.path.parent().unwrap_or(&document.path);
    let beside = without_parents(&directory.join(included));
    let fits = |other: &Document, is_it: &dyn Fn(&Path) -> bool| {
        other.path != document.path && (is_it(&other.path) || is_it(&other.path.with_extension("")))
    };
    let own = documents.iter().find(|other| fits(other, &|path| path == beside));
    // Of several files elsewhere that are called so, none is known to be meant.
    let mut others = documents.iter().filter(|other| fits(other, &|path| path.ends_with(included)));
    own.or_else(|| others.next().filter(|_| others.next().is_none())).copied()
}

/// The import by which one of the declarations of a space asks for a name, with the name there.
fn asked_for<'a>(declared: &'a [Space], space: &str, name: &'a str) -> Option<(&'a Import, &'a str)> {
    let imports = declared.iter().filter(|one| one.name == space).flat_map(|one| &one.imports);
    let mut named = imports.filter(|import| import.only.is_some() && !import.is_conditional && !import.reexports);
    named.find_map(|import| Some((import, import.theirs(name)?)))
}

/// The name looks like that of a constructor, predicate or accessor of a structure.
fn looks_made(name: &str, structure: &str) -> bool {
    let after = |prefix: &str| name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(structure));
    let is_accessor = |rest: &str| rest.starts_with('-') || rest == "?";
    after("").is_some_and(is_accessor)
        || after("make-") == Some("")
        || after("set-").is_some_and(|rest| rest.starts_with('-'))
}

/// The files of modules with the names under which they are in a collection: `shop/area.rkt`.
///
/// The `info.rkt` of a package says of which collection it is, or that its directories are collections. Without one, the
/// directory that all files are in is taken for both.
fn collections<'i>(documents: &[&'i Document]) -> FxHashMap<String, &'i str> {
    let said: FxHashMap<&Path, Option<&str>> = documents
        .iter()
        .filter(|document| document.path.file_name().is_some_and(|name| name == "info.rkt"))
        .filter_map(|document| Some((document.path.parent()?, said_collection(&document.text)?)))
        .collect();
    let mut top: Option<&Path> = None;
    for directory in documents.iter().filter_map(|document| document.path.parent()) {
        let both = top.map_or(directory, |top| top.ancestors().find(|one| directory.starts_with(one)).unwrap_or(top));
        top = Some(both);
    }
    let is_distribution = top.is_some_and(|top| {
        let paths = documents.iter().filter_map(|document| document.path.strip_prefix(top).ok());
        let firsts = paths.filter(|path| path.components().count() > 1).filter_map(|path| path.iter().next()?.to_str());
        firsts.filter(|first| racket::is_of_distribution(first)).collect::<FxHashSet<_>>().len() > 1
    });
    let mut found = FxHashMap::default();
    for document in documents {
        let below =
            |directory: &Path| document.path.strip_prefix(directory).map(|path| path.display().to_string()).ok();
        let file = document.facts.file.as_str();
        let home = document.path.ancestors().skip(1).find_map(|directory| match said.get(directory) {
            Some(Some(collection)) => Some(format!("{collection}/{}", below(directory)?)),
            Some(None) => below(directory),
            None if directory.file_name().is_some_and(|name| name == "collects") => below(directory),
            None => None,
        });
        match (home, top) {
            (Some(home), _) => drop(found.insert(home, file)),
            (None, Some(top)) => {
                // One directory that is only called like a collection of the distribution is none.
                let is_own = |path: &String| is_distribution || !racket::is_of_distribution(path);
                found.extend(below(top).filter(is_own).map(|path| (path, file)));
                found.extend(top.parent().and_then(below).map(|path| (path, file)));
            }
            (None, None) => {}
        }
    }
    found
}

/// The collection in the `info.rkt` of a package; `None` in it if the directories of the package are collections.
fn said_collection(text: &str) -> Option<Option<&str>> {
    let (_, value) = text.split_once("(define collection")?;
    let value = value.trim_start();
    match value.strip_prefix('"') {
        Some(name) => name.split_once('"').map(|(name, _)| Some(name)),
        None => (value.starts_with("'multi") || value.starts_with("(quote multi)")).then_some(None),
    }
}

/// The space of the names that the standard of a language gives, whatever the implementation calls it.
const LANGUAGE: &str = "common-lisp";

/// The maximal number of imports from space to space that are followed; real projects have fewer.
pub(crate) const MOST_STEPS: usize = 32;

impl<'i> Spaces<'i> {
    /// The spaces of the files, with the names that the files define in them.
    pub(crate) fn of(documents: &[&'i Document]) -> Self {
        let dialect = documents.first().map(|document| document.dialect);
        let imports_first = dialect.is_some_and(|dialect| rules(dialect).imports_come_first);
        let imports_are_of_files = dialect.is_some_and(|dialect| rules(dialect).imports_are_of_files);
        let mut spaces = Self { dialect, imports_first, imports_are_of_files, ..Self::default() };
        let all = || documents.iter().flat_map(|document| &document.facts.spaces);
        for space in all().filter(|space| !space.adds) {
            Arc::make_mut(&mut spaces.by_name).entry(&space.name).or_default().push(space);
        }
        // A nickname comes after a name.
        for space in all().filter(|space| !space.adds) {
            for name in &space.nicknames {
                Arc::make_mut(&mut spaces.by_name).entry(name).or_default().push(space);
            }
        }
        spaces.take_local_nicknames(documents);
        for space in all() {
            let name = spaces.proper(&space.name);
            if space.adds {
                Arc::make_mut(&mut spaces.by_name).entry(name).or_default().push(space);
            }
            if let Exports::Names(names) = &space.exports {
                Arc::make_mut(&mut spaces.exported).extend(names.iter().map(|exported| (name, exported.as_str())));
            }
        }
        spaces.find_collections(documents);
        spaces.include(documents);
        for one in documents.iter().flat_map(|document| &document.facts.definitions) {
            if one.is_bound() {
                spaces.define(&one.space, &one.name);
            }
        }
        for one in documents.iter().flat_map(|document| document.facts.own_declared()) {
            spaces.define(&one.space, &one.name);
        }
        spaces.take_structures(documents);
        spaces
    }

    /// A nickname that is local to some packages and means the same in all of them counts for code that is not asked where it
    /// is: `(defun nickname::name …)`.
    fn take_local_nicknames(&mut self, documents: &[&'i Document]) {
        if !self.imports_first {
            return;
        }
        // Code in a package of that name: there is one, which no file declares.
        let entered: FxHashSet<&str> =
            documents.iter().flat_map(|one| one.facts.current.iter().map(|(_, space)| space.as_str())).collect();
        let all = documents.iter().flat_map(|document| &document.facts.spaces);
        let mut meant: FxHashMap<&'i str, Option<&'i str>> = FxHashMap::default();
        for import in all.flat_map(|space| &space.imports) {
            let is_free = |alias: &&str| !self.by_name.contains_key(alias) && !entered.contains(alias);
            let Some(alias) = import.alias.as_deref().filter(is_free) else { continue };
            let from = import.from.as_str();
            meant.entry(alias).and_modify(|known| *known = known.filter(|known| *known == from)).or_insert(Some(from));
        }
        for (alias, from) in meant {
            if let Some(known) = from.and_then(|from| self.by_name.get(from)).cloned() {
                Arc::make_mut(&mut self.by_name).insert(alias, known);
            }
        }
    }

    /// Notes what the structures define that spaces export without writing all names.
    fn take_structures(&mut self, documents: &[&'i Document]) {
        let structure = |provide: &'i Provide| match &provide.what {
            Provided::Structure(name) => Some(name.as_str()),
            _ => None,
        };
        let spaces = documents.iter().flat_map(|document| &document.facts.spaces);
        let exported: FxHashSet<(&'i str, &'i str)> = spaces
            .flat_map(|space| space.provides.iter().filter_map(structure).map(|name| (space.name.as_str(), name)))
            .collect();
        if exported.is_empty() {
            return;
        }
        let mut structures: FxHashMap<(&str, &str), Vec<&'i str>> = FxHashMap::default();
        for document in documents {
            for of_form in document.facts.definitions.chunk_by(|one, other| one.form == other.form) {
                let Some(first) = of_form.iter().find(|one| !one.made) else { continue };
                let made = of_form.iter().filter(|one| one.made).map(|one| one.name.as_str());
                structures.entry((self.proper(&first.space), &first.name)).or_default().extend(made);
            }
        }
        let made: FxHashMap<_, _> = exported
            .into_iter()
            .filter_map(|(space, name)| {
                let home = self.means(&[], space, name, false, MOST_STEPS);
                Some(((space, name), structures.get(&(home.space, home.name))?.clone()))
            })
            .collect();
        self.structures = Arc::new(made);
    }

    /// Finds the files of modules that are required by the names of their collections.
    fn find_collections(&mut self, documents: &[&'i Document]) {
        let wanted: FxHashSet<&'i str> = self
            .by_name
            .values()
            .flatten()
            .flat_map(|space| &space.imports)
            .map(|import| import.from.as_str())
            .filter(|from| from.starts_with(racket::LIBRARY))
            .collect();
        if wanted.is_empty() {
            return;
        }
        let files = collections(documents);
        for from in wanted {
            let (library, inside) = from.split_at(from.find(racket::SUBMODULE).unwrap_or(from.len()));
            let Some(file) = files.get(&library[racket::LIBRARY.len()..]) else { continue };
            let name = format!("{file}{inside}");
            if let Some(known) = self.by_name.get(name.as_str()).cloned() {
                Arc::make_mut(&mut self.by_name).insert(from, known);
            }
        }
    }

    /// Notes that a name is defined in a space, or by code there, if the name is that of another space.
    pub(crate) fn define(&mut self, space: &'i str, name: &'i str) {
        let own = self.proper(space);
        // A facade gives out names of other spaces, also if it defines them by that.
        let is_given_on = |import: &crate::space::Import| {
            import.reexports && import.only.iter().flatten().any(|(_, ours)| ours == name)
        };
        if self.declared(own).flat_map(|one| &one.imports).any(is_given_on) {
            return;
        }
        if self.imports_first {
            // The space of the symbol that the name means where it is defined.
            let home = self.means(&[], space, name, true, MOST_STEPS).space;
            if home != own {
                let home = home.to_owned();
                let homes = Arc::make_mut(&mut self.defined_elsewhere).entry(name).or_default();
                if !homes.contains(&home) {
                    homes.push(home);
                }
                return;
            }
        }
        Arc::make_mut(&mut self.defined).insert((own, name));
    }

    /// Takes back that a name is defined in a space: no file does it any longer.
    pub(crate) fn forget(&mut self, symbol: &Symbol) {
        let known = (symbol.space.as_str(), symbol.name.as_str());
        if self.defined.contains(&known) {
            Arc::make_mut(&mut self.defined).retain(|one| *one != known);
        }
        if let Some(homes) = self.defined_elsewhere.get(known.1)
            && homes.contains(&symbol.space)
            && let Some(homes) = Arc::make_mut(&mut self.defined_elsewhere).get_mut(known.1)
        {
            homes.retain(|home| *home != symbol.space);
        }
    }

    /// Some space exports a structure without writing what that defines.
    pub(crate) fn has_structures(&self) -> bool {
        !self.structures.is_empty()
    }

    /// The symbol is defined in a file of the project.
    pub(crate) fn is_defined(&self, space: &str, name: &str) -> bool {
        // The names of the table live as long as the files; those that are asked for need not.
        let is_elsewhere = |homes: &Vec<String>| homes.iter().any(|home| home == space);
        self.defined.contains(&(space, name)) || self.defined_elsewhere.get(name).is_some_and(is_elsewhere)
    }

    /// Notes which of the files are parts of others.
    fn include(&mut self, documents: &[&'i Document]) {
        for document in documents {
            for (at, included) in &document.facts.included {
                let Some(part) = included_file(documents, document, included) else {
                    let form = document.text[*at as usize..].trim_start_matches(['(', '[']);
                    if !(form.starts_with("load") || form.starts_with("primitive-load")) {
                        Arc::make_mut(&mut self.unread).entry(&document.path).or_default().push(*at);
                    }
                    continue;
                };
                let (inner, outer) = (part.facts.space_at(0), document.facts.space_at(*at));
                if inner.starts_with(FILE_SPACE) && inner != outer {
                    let first = *Arc::make_mut(&mut self.parts).entry(inner).or_insert(outer);
                    if first != outer {
                        Arc::make_mut(&mut self.further).entry(inner).or_default().push(outer);
                    }
                }
            }
        }
    }

    /// The meaning of a name that is written in `space`.
    pub(crate) fn meaning(&self, space: &str, written: &Written<'_>) -> Referent {
        self.meaning_beside(&[], space, written)
    }

    /// The meaning of a name that is written in `space`, in a file with these declarations.
    pub(crate) fn meaning_beside(&self, own: &[Space], space: &str, written: &Written<'_>) -> Referent {
        match &written.qualifier {
            None => self.means(own, space, &written.name, false, MOST_STEPS).into(),
            Some(qualifier) => {
                let has_own = self.imports_are_of_files && own.iter().any(|one| one.name == space);
                let here = own.iter().filter(|one| has_own && one.name == space);
                let all = self.by_name.get(space).into_iter().flatten().copied().filter(|_| !has_own);
                let mut imports = here.chain(all).flat_map(|space| &space.imports);
                let alias = imports.find(|import| import.alias.as_deref() == Some(qualifier));
                let from = alias.map_or(&**qualifier, |import| &import.from);
                let home = self.called(from).find(|from| self.has(from, &written.name));
                self.inside(home.unwrap_or(from), &written.name, MOST_STEPS).into()
            }
        }
    }

    /// The space and the name there of what a name without a qualifier means in a space.
    pub(crate) fn meant<'a>(&'a self, space: &'a str, name: &'a str) -> (&'a str, &'a str) {
        let meant = self.inside(space, name, MOST_STEPS);
        (meant.space, meant.name)
    }

    /// Where a file includes what is not among those of the project: byte offsets.
    pub(crate) fn unread_in(&self, file: &Path) -> &[u32] {
        self.unread.get(file).map_or(&[], Vec::as_slice)
    }

    /// The file is a part of code in the space, beside the one to which its own definitions are counted.
    pub(crate) fn is_part_of_further(&self, file: &str, space: &str) -> bool {
        self.further_of(file).iter().any(|one| self.proper(one) == space)
    }

    /// The modules of which a file is a part, but for the first.
    pub(crate) fn further_of(&self, file: &str) -> &[&'i str] {
        self.further.get(file).map_or(&[], Vec::as_slice)
    }

    /// The space of the file of which another is a part.
    fn part_of<'a>(&self, name: &'a str) -> &'a str
    where
        'i: 'a,
    {
        let outer = std::iter::successors(Some(name), |name| self.parts.get(name).copied());
        outer.take(MOST_STEPS).last().unwrap_or(name)
    }

    /// The declared name of a space that is given by name or nickname.
    pub(crate) fn proper<'a>(&self, name: &'a str) -> &'a str
    where
        'i: 'a,
    {
        let name = self.part_of(name);
        match self.by_name.get(name).and_then(|spaces| spaces.first()) {
            Some(space) => &space.name,
            None => name,
        }
    }

    /// The declared names of the spaces that are called `name`, those whose own name it is first.
    fn called<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let name = self.part_of(name);
        let all = self.by_name.get(name).into_iter().flatten().map(|one| one.name.as_str());
        let known = all.clone();
        // Several files can declare the same space.
        let is_first = move |(at, name): &(usize, &str)| known.clone().take(*at).all(|other| other != *name);
        all.enumerate().filter(is_first).map(|(_, name)| name)
    }

    /// The declarations of a space.
    fn declared<'a>(&'a self, space: &'a str) -> impl Iterator<Item = &'i Space> {
        let all = self.by_name.get(space).into_iter().flatten().copied();
        all.filter(move |one| one.name == space || one.adds)
    }

    /// The space says that it has the name instead of the one of the language: `(:shadow #:if)`,
    /// `(:refer-clojure :exclude [when])`.
    pub(crate) fn hides_language(&self, space: &str, name: &str) -> bool {
        let leaves_out = |import: &Import| {
            (import.is_implicit || import.is_of_language) && import.except.iter().any(|except| except == name)
        };
        self.declared(space).any(|one| one.shadows.iter().any(|own| own == name) || one.imports.iter().any(leaves_out))
    }

    /// The declarations of a space that count in a file with declarations of its own.
    fn declared_beside<'a>(&'a self, own: &'a [Space], space: &'a str) -> impl Iterator<Item = &'a Space> {
        let has_own = self.imports_are_of_files && own.iter().any(|one| one.name == space);
        let here = own.iter().filter(move |one| has_own && one.name == space);
        here.chain(self.declared(space).filter(move |_| !has_own))
    }

    /// The space exports or defines the name.
    fn has(&self, space: &str, name: &str) -> bool {
        self.defined.contains(&(space, name)) || self.exports(space, name)
    }

    /// The meaning of a name that `space` exports.
    pub(crate) fn exported(&self, space: &str, name: &str, steps: usize) -> Referent {
        self.given(space, name, steps).into()
    }

    fn given<'a>(&'a self, space: &'a str, name: &'a str, steps: usize) -> Meant<'a> {
        let space = self.called(space).find(|space| self.exports(space, name)).unwrap_or(self.proper(space));
        let inner = self.declared(space).map(|one| one.inner(name)).find(|inner| *inner != name);
        let inner = inner.or_else(|| self.provided(space, name));
        self.inside(space, inner.unwrap_or(name), steps)
    }

    /// The name in a space that it exports as `name` without writing it so.
    fn provided<'a>(&'a self, space: &'a str, name: &'a str) -> Option<&'a str> {
        let mut given = self.provides(space, name);
        given.find(|(_, from)| from.is_none_or(|(from, theirs)| self.exports(from, theirs))).map(|(inner, _)| inner)
    }

    /// The names in a space that it may export as `name` without writing them so. One that it imports has its space and
    /// its name there, which may export it or not.
    fn provides<'a>(
        &'a self,
        space: &'a str,
        name: &'a str,
    ) -> impl Iterator<Item = (&'a str, Option<(&'a str, &'a str)>)> {
        let all = self.declared(space).flat_map(|one| &one.provides);
        all.filter_map(move |provide| {
            let inner = name.strip_prefix(provide.prefix.as_str())?;
            if provide.except.iter().any(|except| except == inner) {
                return None;
            }
            let is_own = match &provide.what {
                Provided::Defined => self.defined.contains(&(space, inner)),
                Provided::Structure(structure) => {
                    // What a macro makes of its name looks like what a structure makes.
                    let is_like = || looks_made(inner, structure) && self.defined.contains(&(space, inner));
                    let made = self.structure(space, structure);
                    inner == structure || made.contains(&inner) || (made.is_empty() && is_like())
                }
                Provided::From(from) => {
                    let is_meant = |import: &&Import| self.proper(&import.from) == self.proper(from);
                    let mut imports = self.imports(space).filter(is_meant);
                    let theirs = imports.find_map(|import| Some((import.from.as_str(), import.theirs(inner)?)))?;
                    return Some((inner, Some(theirs)));
                }
            };
            is_own.then_some((inner, None))
        })
    }

    /// What a structure that a space exports defines besides its name.
    pub(crate) fn structure<'a>(&'a self, space: &'a str, name: &'a str) -> &'a [&'i str] {
        self.structures.get(&(space, name)).map_or(&[], Vec::as_slice)
    }

    fn imports<'a>(&'a self, space: &'a str) -> impl Iterator<Item = &'i Import> {
        self.declared(space).flat_map(|one| &one.imports)
    }

    /// The meaning of `name` without a qualifier for code in `space`.
    fn inside<'a>(&'a self, space: &'a str, name: &'a str, steps: usize) -> Meant<'a> {
        self.means(&[], space, name, false, steps)
    }

    /// The same; `is_defined` if code in `space` is known to define the name.
    fn means<'a>(
        &'a self,
        own: &'a [Space],
        space: &'a str,
        name: &'a str,
        is_defined: bool,
        steps: usize,
    ) -> Meant<'a> {
        let beside = own;
        let space = self.proper(space);
        let own = Meant { space, name, is_unknown: false };
        if steps == 0 {
            return own;
        }
        let is_shadowed = self.declared(space).any(|one| one.shadows.iter().any(|own| own == name));
        let is_own = is_shadowed || is_defined || self.is_defined(space, name);
        let is_first = is_own && !self.imports_first;
        // Of several files with a namespace of one name, each has what it asks for itself.
        let is_of_several = is_first && self.imports_are_of_files && self.declared(space).nth(1).is_some();
        if let Some((import, theirs)) = is_of_several.then(|| asked_for(beside, space, name)).flatten() {
            return self.given(&import.from, theirs, steps - 1);
        }
        if is_shadowed || is_first {
            return own;
        }
        let mut is_unknown = false;
        let all = || {
            let all = self.declared_beside(beside, space).flat_map(|one| &one.imports);
            all.filter(|import| import.kind == ImportKind::Asked)
        };
        // A name that is asked for by itself hides the same name among all names of another space. Own names are more likely
        // than those that are only imported under some condition.
        let named = all().filter(|import| !import.is_conditional && import.only.is_some());
        let certain = named.chain(all().filter(|import| !import.is_conditional && import.only.is_none())).map(Some);
        let others = all().filter(|import| import.is_conditional).map(Some);
        for import in certain.chain([None]).chain(others) {
            let Some(import) = import else {
                if is_own {
                    return own;
                }
                continue;
            };
            let Some(theirs) = import.theirs(name) else { continue };
            let is_of_language = import.is_implicit || import.is_of_language;
            let is_standard = is_of_language && self.dialect.is_some_and(|dialect| dialect.is_standard(theirs));
            if is_standard && self.declared(space).any(|one| one.imports_more) {
                is_unknown = true;
                continue;
            }
            if is_standard {
                return Meant { space: LANGUAGE, name: theirs, is_unknown: false };
            }
            if import.only.is_some() || self.called(&import.from).any(|from| self.exports(from, theirs)) {
                return self.given(&import.from, theirs, steps - 1);
            }
            is_unknown |= !is_of_language && !self.by_name.contains_key(self.part_of(&import.from));
        }
        for import in self.imports(space) {
            match import.kind {
                ImportKind::Asked => {}
                ImportKind::Language if self.called(&import.from).any(|from| self.exports(from, name)) => {
                    return self.given(&import.from, name, steps - 1);
                }
                ImportKind::Language => {}
                ImportKind::Inside => {
                    let meant = self.means(&[], &import.from, name, is_defined, steps - 1);
                    is_unknown |= meant.is_unknown;
                    if !meant.is_unknown
                        && (meant.space != self.proper(&import.from) || self.has(meant.space, meant.name))
                    {
                        return meant;
                    }
                }
            }
        }
        Meant { is_unknown: is_unknown && !is_defined, ..own }
    }

    /// The space exports the name.
    pub(crate) fn exports(&self, space: &str, name: &str) -> bool {
        if self.exported.contains(&(space, name)) {
            return true;
        }
        if !self.declared(space).any(Space::gives_more) {
            return false;
        }
        let mut seen = FxHashSet::default();
        let mut waiting = vec![(space, name)];
        while let Some((space, name)) = waiting.pop() {
            if !seen.insert((space, name)) {
                continue;
            }
            if self.exported.contains(&(space, name)) {
                return true;
            }
            for one in self.declared(space) {
                if (one.exports == Exports::All || one.exports_more) && self.defined.contains(&(space, name)) {
                    return true;
                }
                for import in one.imports.iter().filter(|import| import.reexports) {
                    let Some(theirs) = import.theirs(name) else { continue };
                    if import.only.is_some() {
                        return true;
                    }
                    waiting.extend(self.called(&import.from).map(|from| (from, theirs)));
                }
            }
            for (_, from) in self.provides(space, name) {
                let Some((from, theirs)) = from else { return true };
                waiting.extend(self.called(from).map(|from| (from, theirs)));
            }
        }
        false
    }
}
