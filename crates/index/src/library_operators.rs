//! What installed libraries define by the names that they export: functions with what they take, and macros with what they
//! do with their arguments.
//!
//! The files of a library are read when somebody asks for one of its names, and only what was found is kept.

use std::path::PathBuf;
use std::sync::Arc;

use lispwright_syntax::{Dialect, FormKind, Language, OperatorKind, Span, TokenKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialects::rules;
use crate::index::{Document, Index};
use crate::libraries::{Libraries, LibraryLayout};
use crate::links::{Link, Thing, Tie};
use crate::question::UseIndex;
use crate::resolve::{MOST_STEPS, Referent, Spaces, Symbol, Written};
use crate::signatures::Signature;
use crate::space::Exports;
use crate::space::racket::LIBRARY;
use crate::treatment::Treatment;

/// Heads of definitions whose lists of parameters are those of the calls.
const DEFINERS: &[&str] =
    &["defun", "defmacro", "defgeneric", "define", "define*", "define-public", "define*-public", "define-inlinable"];

/// Text in definitions of macros that make names, or take forms apart by a program.
const MAKERS: &[&str] = &["intern", "symbol", "datum->syntax", "syntax-case"];

/// A function or macro of a library.
#[derive(Clone, Debug)]
pub struct LibraryOperator {
    /// Whether its arguments are evaluated.
    pub kind: OperatorKind,
    /// What calls pass, by each of its lists of parameters; empty if it is not known.
    pub signatures: Vec<Signature>,
    /// What becomes of the arguments of a macro, if its definition shows it.
    pub(crate) treatment: Option<Arc<Treatment>>,
    /// The names in all macros of the library, which can bind them in their uses.
    pub(crate) words: Arc<FxHashSet<String>>,
}

impl LibraryOperator {
    /// It is a macro, and it or another one of the library has the name in its definition.
    pub fn may_bind(&self, name: &str) -> bool {
        self.kind == OperatorKind::Syntax && self.words.contains(name)
    }
}

/// The functions and macros that the spaces of a library export, by the names of both.
#[derive(Debug, Default)]
pub(crate) struct LibraryOperators {
    by_name: FxHashMap<(String, String), Arc<LibraryOperator>>,
}

impl LibraryOperators {
    /// Those of a library with these files.
    pub(crate) fn of(dialect: Dialect, files: Vec<(PathBuf, String)>) -> Self {
        let files = files.into_iter().map(|(path, text)| (path, text, Language::from(dialect)));
        let index = Index::default().with(files);
        let question = index.question(dialect);
        let mut operators = Self::default();
        let spaces = question.documents().iter().flat_map(|document| &document.facts.spaces);
        let named: FxHashSet<(&str, &String)> = spaces
            .filter_map(|space| match &space.exports {
                Exports::Names(names) => Some(names.iter().map(|name| (space.name.as_str(), name))),
                Exports::All => None,
            })
            .flatten()
            .collect();
        let definitions = question.documents().iter().flat_map(|document| &document.facts.definitions);
        let own: FxHashSet<&String> = match rules(dialect).libraries {
            // All that a feature defines is there for all.
            LibraryLayout::Features => definitions.map(|one| &one.name).collect(),
            _ => FxHashSet::default(),
        };
        let words = Arc::new(words(&question));
        for (space, name) in named {
            let (Referent::Is(symbol) | Referent::Unknown(symbol)) = question.spaces.exported(space, name, MOST_STEPS);
            if let Some(operator) = operator(&question, &symbol, &words) {
                operators.by_name.insert((space.to_owned(), name.clone()), Arc::new(operator));
            }
        }
        for name in own {
            let symbol = Symbol { space: String::new(), name: name.clone() };
            if let Some(operator) = operator(&question, &symbol, &words) {
                operators.by_name.insert((String::new(), name.clone()), Arc::new(operator));
            }
        }
        operators
    }

    pub(crate) fn get(&self, space: &str, name: &str) -> Option<Arc<LibraryOperator>> {
        self.by_name.get(&(space.to_owned(), name.to_owned())).cloned()
    }
}

/// The names in the macros of a library.
fn words(question: &UseIndex<'_>) -> FxHashSet<String> {
    let mut words = FxHashSet::default();
    for document in question.documents() {
        let macros: Vec<Span> =
            document.facts.macros.iter().map(|one| document.facts.forms[one.form as usize].span).collect();
        if macros.is_empty() {
            continue;
        }
        let tree = document.tree();
        let atoms = macros.iter().flat_map(|span| tree.tokens_within(*span));
        let atoms = atoms.filter(|(kind, _)| *kind == TokenKind::Atom);
        words.extend(atoms.map(|(_, span)| Written::of(question.dialect, &document.text[span.range()]).name));
    }
    words
}

/// What a library defines by a symbol, if that is a function or macro.
fn operator(question: &UseIndex<'_>, symbol: &Symbol, words: &Arc<FxHashSet<String>>) -> Option<LibraryOperator> {
    let two_namespaces = rules(question.dialect).two_namespaces;
    let (mut kind, mut is_clear, mut signatures) = (None, true, Vec::new());
    let mut has_methods = false;
    let (mut treatments, mut makes_names) = (Vec::new(), false);
    for (document, one) in question.definitions(symbol) {
        let row = &document.facts.forms[one.form as usize];
        let of_form = document.signatures(one.form);
        // The library can have a definer of this name.
        let is_certain = DEFINERS.contains(&row.head.as_str()) && !of_form.is_empty();
        match one.kind {
            _ if document.text[row.name.range()].starts_with('(') && two_namespaces => continue,
            _ if one.made => {
                kind.get_or_insert(OperatorKind::Function);
                is_clear = false;
            }
            FormKind::Macro => {
                kind = Some(OperatorKind::Syntax);
                is_clear &= is_certain;
                signatures.extend_from_slice(of_form);
                treatments.extend(document.facts.macros.iter().find(|macro_| macro_.form == one.form));
                // What it binds by names that it makes, its templates do not show.
                let text = &document.text[row.span.range()];
                makes_names |= MAKERS.iter().any(|word| text.to_ascii_lowercase().contains(word));
            }
            FormKind::Function | FormKind::GenericFunction => {
                kind.get_or_insert(OperatorKind::Function);
                is_clear &= is_certain;
                signatures.extend(of_form.iter().filter(|one| !one.is_method).cloned());
                has_methods |= one.kind == FormKind::GenericFunction;
            }
            FormKind::Method => {
                kind.get_or_insert(OperatorKind::Function);
                has_methods = true;
            }
            FormKind::Variable if !two_namespaces => {
                kind.get_or_insert(OperatorKind::Function);
                is_clear = false;
            }
            FormKind::Variable | FormKind::Structure | FormKind::Class | FormKind::Condition | FormKind::Type => {}
            _ => is_clear = false,
        }
    }
    // Methods take keywords of their own.
    for one in signatures.iter_mut().filter(|one| has_methods && one.has_keys) {
        one.takes_other_keys = true;
    }
    signatures.dedup();
    if !is_clear {
        signatures.clear();
    }
    // One of several definitions counts, and which one is not known.
    let treatment = match treatments.as_slice() {
        [one] if one.treatment.is_known() && !makes_names => Some(one.treatment.clone()),
        _ => None,
    };
    Some(LibraryOperator { kind: kind?, signatures, treatment, words: words.clone() })
}

/// What the libraries of a project define by the names that its code has from them.
pub(crate) struct Foreign<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) libraries: &'a Libraries,
    /// The files of the project.
    pub(crate) documents: &'a [&'a Document],
}

impl Foreign<'_> {
    /// What the packages define that a name can be of.
    fn of_features(&self, name: &str) -> Vec<Arc<LibraryOperators>> {
        let links = || self.documents.iter().flat_map(|document| &document.facts.links);
        let is_provided = |link: &&Link| link.thing == Thing::Feature && link.tie == Tie::Provides;
        let provided = || links().filter(is_provided).map(|link| link.name.clone()).collect();
        self.libraries.of_features(self.dialect, name, &provided)
    }

    /// What a library defines by the symbol that a name means in code of the project.
    pub(crate) fn operator(&self, spaces: &Spaces<'_>, symbol: &Symbol) -> Option<Arc<LibraryOperator>> {
        if rules(self.dialect).libraries == LibraryLayout::Features {
            let is_own = spaces.is_defined(&symbol.space, &symbol.name);
            return (!is_own)
                .then(|| self.of_features(&symbol.name).iter().find_map(|all| all.get("", &symbol.name)))?;
        }
        let needed = || needed(self.documents);
        let has = |space: &str, name: &str| {
            let is_own = spaces.by_name.contains_key(space);
            let exports = || self.libraries.exports(self.dialect, space, &needed);
            !is_own && exports().is_some_and(|all| all.contains(name))
        };
        let Some(declared) = spaces.by_name.get(symbol.space.as_str()) else {
            let is_given = has(&symbol.space, &symbol.name);
            return is_given.then(|| self.libraries.operator(self.dialect, &symbol.space, &symbol.name)).flatten();
        };
        // What the space imports.
        let imports = declared.iter().flat_map(|space| &space.imports);
        let imports = imports.filter(|import| !import.is_conditional && import.only.is_none());
        let mut given = imports.filter_map(|import| {
            let theirs = import.theirs(&symbol.name)?;
            has(&import.from, theirs).then_some((import.from.as_str(), theirs))
        });
        let (from, name) = given.next()?;
        match given.next() {
            // Where several give it, the last one counts, or they give the same.
            Some(_) => None,
            None => self.libraries.operator(self.dialect, from, name),
        }
    }
}

/// The systems that some files depend on, and the modules of libraries that they require.
pub(crate) fn needed(documents: &[&Document]) -> Vec<String> {
    let links = documents.iter().flat_map(|document| &document.facts.links);
    let systems = links.filter(|link| link.thing == Thing::System && link.tie == Tie::Depends);
    let spaces = documents.iter().flat_map(|document| &document.facts.spaces);
    let modules = spaces.flat_map(|space| &space.imports).map(|import| &import.from);
    let modules = modules.filter(|from| from.starts_with(LIBRARY));
    systems.map(|link| &link.name).chain(modules).cloned().collect()
}

impl UseIndex<'_> {
    /// What a library defines by the symbol that a name means in code of the project; `None` if no library is known to define
    /// it.
    pub fn library_operator(&self, symbol: &Symbol) -> Option<Arc<LibraryOperator>> {
        self.foreign().operator(&self.spaces, symbol)
    }

    /// A function or macro for which `is` holds, of the installed packages that a name can be of by its beginning.
    pub fn library_name(&self, name: &str, is: impl Fn(&str) -> bool) -> Option<String> {
        let all = self.foreign().of_features(name);
        let names = all.iter().flat_map(|one| one.by_name.keys());
        names.map(|(_, name)| name).filter(|name| is(name)).min().cloned()
    }

    /// The feature is one of an installed package.
    pub fn is_installed(&self, feature: &str) -> bool {
        self.libraries.has_feature(self.dialect, feature)
    }

    fn foreign(&self) -> Foreign<'_> {
        Foreign { dialect: self.dialect, libraries: &self.libraries, documents: self.documents() }
    }
}
