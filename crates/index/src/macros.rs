//! The macros of a project: where a form uses one, how the macro treats its arguments.

use std::sync::{Arc, Mutex, PoisonError};

use lispwright_syntax::name::{canonical_head, canonical_symbol};
use lispwright_syntax::{Dialect, FormKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::Document;
use crate::libraries::Libraries;
use crate::library_operators::Foreign;
use crate::resolve::{Referent, Spaces, Symbol, Written};
use crate::treatment::Treatment;

/// What macros of libraries do with their arguments, by the space and the spelling of a use.
type ForeignMacros = FxHashMap<(String, String), Option<Arc<Treatment>>>;

/// The macros of the files in one dialect.
#[derive(Debug)]
pub(crate) struct Macros<'i> {
    dialect: Dialect,
    treatments: FxHashMap<Symbol, Arc<Treatment>>,
    /// The names of the macros and functions.
    names: FxHashMap<&'i str, Name>,
    /// Functions with names of definers, or of special forms of the language.
    functions: FxHashSet<Symbol>,
    spaces: Spaces<'i>,
    /// The files, whose libraries are known.
    documents: Vec<&'i Document>,
    /// The installed libraries, if their macros count.
    libraries: Option<Arc<Libraries>>,
    /// What macros of libraries do that are written so.
    foreign: Mutex<ForeignMacros>,
}

/// What is known of a name, whatever it means.
#[derive(Clone, Copy, Debug, Default)]
struct Name {
    is_function: bool,
    is_treated: bool,
}

/// What the macros of a project know of a written name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Called {
    /// No macro has the name.
    #[default]
    Nothing,
    /// Some macro has it, but nothing is known of its arguments.
    Untreated,
    /// Some macro or function has it that treats its arguments in a known way.
    Treated,
}

/// An operator of the project or of a library.
#[derive(Clone, Debug)]
pub(crate) enum Operator {
    /// A macro that treats its arguments so.
    Macro(Arc<Treatment>),
    /// A function: its arguments are evaluated.
    Function,
    /// Something else.
    Unknown,
}

/// A macro with its name, and what is known of its arguments.
#[derive(Debug)]
pub(crate) struct Named<'i> {
    pub(crate) symbol: Symbol,
    pub(crate) name: &'i str,
    pub(crate) treatment: Arc<Treatment>,
}

impl<'i> Macros<'i> {
    /// The macros of the files in a dialect, of whose arguments nothing is known yet.
    pub(crate) fn of(dialect: Dialect, documents: &[&'i Document]) -> Self {
        let own: Vec<&'i Document> = documents.iter().filter(|one| one.dialect == dialect).copied().collect();
        let mut macros = Self {
            dialect,
            treatments: FxHashMap::default(),
            names: FxHashMap::default(),
            functions: FxHashSet::default(),
            spaces: Spaces::of(&own),
            libraries: None,
            foreign: Mutex::default(),
            documents: own.clone(),
        };
        let is_special = |name: &str| dialect.special_form(&canonical_head(dialect, name)).is_some();
        for one in own.iter().flat_map(|document| &document.facts.definitions) {
            if one.kind == FormKind::Function && (one.has_definers_name() || is_special(&one.name)) {
                macros.functions.insert(macros.symbol(&one.space, &one.name));
                macros.names.entry(&one.name).or_default().is_function = true;
            }
        }
        macros
    }

    /// The same, where macros of installed libraries count.
    pub(crate) fn with_libraries(self, libraries: &Arc<Libraries>) -> Self {
        let libraries = (!libraries.is_empty()).then(|| libraries.clone());
        Self { libraries, ..self }
    }

    /// What a macro of a library does with its arguments that a name means in a space.
    fn foreign(&self, space: &str, written: &str, symbol: &Symbol) -> Option<Arc<Treatment>> {
        let libraries = self.libraries.as_deref()?;
        let key = (space.to_owned(), written.to_owned());
        if let Some(known) = self.foreign.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let foreign = Foreign { dialect: self.dialect, libraries, documents: &self.documents };
        let found = foreign.operator(&self.spaces, symbol).and_then(|operator| operator.treatment.clone());
        self.foreign.lock().unwrap_or_else(PoisonError::into_inner).insert(key, found.clone());
        found
    }

    /// The macros of a file, in the order of [`crate::Facts::macros`]; `None` for one that has no name.
    pub(crate) fn named(&self, document: &'i Document) -> Vec<Option<Named<'i>>> {
        let facts = &document.facts;
        let named = |learned: &crate::facts::Learned| {
            let at = facts.definitions.partition_point(|one| one.form < learned.form);
            let one = facts.definitions.get(at).filter(|one| one.form == learned.form)?;
            let symbol = self.symbol(&one.space, &one.name);
            Some(Named { symbol, name: &one.name, treatment: learned.treatment.clone() })
        };
        facts.macros.iter().map(named).collect()
    }

    /// Takes what is known of these macros, instead of what was known before.
    pub(crate) fn take<'n>(&mut self, all: impl Iterator<Item = &'n Named<'i>>)
    where
        'i: 'n,
    {
        self.treatments.clear();
        self.names.values_mut().for_each(|name| name.is_treated = false);
        for one in all {
            let name = self.names.entry(one.name).or_default();
            if one.treatment.is_known() {
                name.is_treated = true;
                self.treatments.insert(one.symbol.clone(), one.treatment.clone());
            }
        }
    }

    fn symbol(&self, space: &str, name: &str) -> Symbol {
        match self.spaces.meaning(space, &Written::plain(name.to_owned())) {
            Referent::Is(symbol) | Referent::Unknown(symbol) => symbol,
        }
    }

    /// What kind of name is written so, whatever it means.
    pub(crate) fn called(&self, written: &str) -> Called {
        let called = self.called_in_project(written);
        // What it means is found where it is used.
        if called == Called::Nothing && self.libraries.is_some() { Called::Treated } else { called }
    }

    /// The same of the project alone.
    pub(crate) fn called_in_project(&self, written: &str) -> Called {
        let mut called = Called::Nothing;
        is_any(self.dialect, written, |name| {
            let Some(name) = self.names.get(name) else { return false };
            called = if name.is_function || name.is_treated { Called::Treated } else { Called::Untreated };
            called == Called::Treated
        });
        called
    }

    /// What a name means in a space hides the language's name of that spelling.
    pub(crate) fn hides_language(&self, space: &str, written: &str) -> bool {
        match self.spaces.meaning(space, &Written::of(self.dialect, written)) {
            Referent::Is(symbol) => self.spaces.hides_language(&symbol.space, &symbol.name),
            Referent::Unknown(_) => false,
        }
    }

    /// What a name means in a space.
    pub(crate) fn operator(&self, space: &str, written: &str) -> Operator {
        let referent = self.spaces.meaning(space, &Written::of(self.dialect, written));
        if let Referent::Is(symbol) = &referent {
            match self.treatments.get(symbol) {
                Some(known) => return Operator::Macro(known.clone()),
                None if self.functions.contains(symbol) => return Operator::Function,
                None => {}
            }
        }
        let (Referent::Is(symbol) | Referent::Unknown(symbol)) = referent;
        if self.libraries.is_none() || self.spaces.is_defined(&symbol.space, &symbol.name) {
            return Operator::Unknown;
        }
        match self.foreign(space, written, &symbol) {
            Some(treatment) => Operator::Macro(treatment),
            None => Operator::Unknown,
        }
    }
}

/// One of the names that a written one can mean fulfils the condition.
pub(crate) fn is_any(dialect: Dialect, written: &str, mut is: impl FnMut(&str) -> bool) -> bool {
    if dialect.folds_case() {
        return is(&canonical_symbol(dialect, written));
    }
    let plain = written.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(written);
    is(plain) || (plain.len() < written.len() && is(written))
}
