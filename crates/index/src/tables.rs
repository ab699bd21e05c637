//! What names are looked up by in a question: the places that use each name, and the definitions of each.
//!
//! They are made once for all files. A file that has another text later is laid over them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use lispwright_syntax::Dialect;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::Definition;
use crate::index::Document;
use crate::libraries::Libraries;
use crate::macros::Macros;
use crate::question::counts;
use crate::resolve::Written;

/// A use: the number of its document, and its own number there.
pub(crate) type Place = (u32, u32);

/// A definition with its file.
type Defined<'i> = (&'i Document, &'i Definition);

/// Definitions by their names.
type ByName<'i> = FxHashMap<&'i str, Vec<Defined<'i>>>;

/// The definitions in some files, and what they declare without a value.
#[derive(Debug, Default)]
struct Definitions<'i> {
    given: ByName<'i>,
    declared: ByName<'i>,
}

impl<'i> Definitions<'i> {
    fn of(documents: &[&'i Document]) -> Self {
        let mut found = Self::default();
        for &document in documents {
            for one in &document.facts.definitions {
                found.given.entry(&one.name).or_default().push((document, one));
            }
            for one in document.facts.own_declared() {
                found.declared.entry(&one.name).or_default().push((document, one));
            }
        }
        found
    }
}

/// The places and definitions of the names in some files.
#[derive(Clone, Debug)]
pub(crate) struct Tables<'i> {
    base: Arc<Base<'i>>,
    /// The documents that are others than in the base, by their numbers.
    laid: BTreeMap<u32, Arc<Laid<'i>>>,
}

#[derive(Debug)]
struct Base<'i> {
    documents: Vec<&'i Document>,
    places: FxHashMap<String, Vec<Place>>,
    /// The names in uses that local bindings hide unless a variable is dynamic.
    hidden: FxHashSet<&'i str>,
    definitions: OnceLock<Definitions<'i>>,
    macros: OnceLock<Macros<'i>>,
}

/// A document that is laid over another.
#[derive(Debug)]
struct Laid<'i> {
    document: &'i Document,
    definitions: OnceLock<Definitions<'i>>,
    places: FxHashMap<String, Vec<Place>>,
}

impl<'i> Tables<'i> {
    /// The names of the documents. A local binding does not hide the names of `dynamic` variables.
    pub(crate) fn of(dialect: Dialect, documents: &[&'i Document], dynamic: &FxHashSet<&str>) -> Self {
        let mut places: FxHashMap<String, Vec<Place>> = FxHashMap::default();
        let mut canonical: FxHashMap<&str, String> = FxHashMap::default();
        for (at, document) in documents.iter().enumerate() {
            each_use(document, dynamic, |number, text| {
                let name = canonical.entry(text).or_insert_with(|| Written::of(dialect, text).name);
                put(&mut places, name, (at as u32, number));
            });
        }
        let documents = documents.to_vec();
        let hidden = documents.iter().flat_map(|document| hidden(document)).collect();
        let base = Base { documents, places, hidden, definitions: OnceLock::new(), macros: OnceLock::new() };
        Self { base: Arc::new(base), laid: BTreeMap::new() }
    }

    /// The same, where the document with a number is another one.
    pub(crate) fn laid_over(
        &self,
        dialect: Dialect,
        at: u32,
        document: &'i Document,
        dynamic: &FxHashSet<&str>,
    ) -> Self {
        let mut places = FxHashMap::default();
        let mut canonical: FxHashMap<&str, String> = FxHashMap::default();
        each_use(document, dynamic, |number, text| {
            let name = canonical.entry(text).or_insert_with(|| Written::of(dialect, text).name);
            put(&mut places, name, (at, number));
        });
        let mut laid = self.laid.clone();
        laid.insert(at, Arc::new(Laid { document, definitions: OnceLock::new(), places }));
        Self { base: self.base.clone(), laid }
    }

    /// The places that use a name.
    pub(crate) fn places(&self, name: &str) -> impl Iterator<Item = Place> {
        let known = self.base.places.get(name).into_iter().flatten();
        let new = self.laid.values().filter_map(move |one| one.places.get(name)).flatten();
        known.filter(|(at, _)| !self.laid.contains_key(at)).chain(new).copied()
    }

    /// The names that are used, or were before a document was another, in no particular order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let new: BTreeSet<&String> = self.laid.values().flat_map(|one| one.places.keys()).collect();
        let new = new.into_iter().filter(|name| !self.base.places.contains_key(*name));
        self.base.places.keys().chain(new).map(String::as_str)
    }

    /// Some use of the name counts only if it is that of a dynamic variable.
    pub(crate) fn is_hidden(&self, name: &str) -> bool {
        self.base.hidden.contains(name) || self.laid.values().any(|one| hidden(one.document).any(|text| text == name))
    }

    /// The definitions of a name. What no file gives a value is defined where it is declared.
    pub(crate) fn definitions(&self, name: &str) -> impl Iterator<Item = Defined<'i>> {
        let given: Vec<_> = self.defined(name, |one| &one.given).collect();
        let declared = self.defined(name, |one| &one.declared).filter(|_| given.is_empty()).collect::<Vec<_>>();
        given.into_iter().chain(declared)
    }

    fn defined<'t>(
        &'t self,
        name: &'t str,
        of: for<'a> fn(&'a Definitions<'i>) -> &'a ByName<'i>,
    ) -> impl Iterator<Item = Defined<'i>> + 't {
        let base = self.base.definitions.get_or_init(|| Definitions::of(&self.base.documents));
        let is_now = move |(document, _): &&Defined<'i>| {
            !self.laid.keys().any(|at| std::ptr::eq(self.base.documents[*at as usize], *document))
        };
        let laid = self.laid.values();
        let new = laid.map(|one| one.definitions.get_or_init(|| Definitions::of(&[one.document])));
        let new = new.filter_map(move |one| of(one).get(name)).flatten();
        of(base).get(name).into_iter().flatten().filter(is_now).chain(new).copied()
    }

    /// The macros of the documents of the dialect; those that are laid over have the same.
    pub(crate) fn macros(&self, dialect: Dialect, libraries: &Arc<Libraries>) -> &Macros<'i> {
        self.base.macros.get_or_init(|| {
            let mut macros = Macros::of(dialect, &self.base.documents).with_libraries(libraries);
            let own = self.base.documents.iter().filter(|one| one.dialect == dialect);
            let named: Vec<_> = own.flat_map(|one| macros.named(one)).flatten().collect();
            macros.take(named.iter());
            macros
        })
    }
}

/// The uses of a document that no local binding hides, each by its number and text.
fn each_use<'i>(document: &'i Document, dynamic: &FxHashSet<&str>, mut take: impl FnMut(u32, &'i str)) {
    for (number, used) in document.facts.uses.iter().enumerate() {
        if counts(document, *used, dynamic) {
            take(number as u32, &document.text[used.span().range()]);
        }
    }
}

/// The names in uses that local bindings hide.
fn hidden(document: &Document) -> impl Iterator<Item = &str> {
    document.facts.uses.iter().filter(|used| used.hidden).map(|used| &document.text[used.span().range()])
}

fn put(places: &mut FxHashMap<String, Vec<Place>>, name: &str, place: Place) {
    match places.get_mut(name) {
        Some(list) => list.push(place),
        None => {
            places.insert(name.to_owned(), vec![place]);
        }
    }
}
