//! Questions about uses: the uses of a symbol, the symbols that a form uses, and the tests that reach a symbol.
//!
//! A [`UseIndex`] has the files as they were when it was made. It knows which places use which name, and resolves the
//! symbol for each of them.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use lispwright_syntax::{Dialect, FormKind, Forms, Span, Tree};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::affixes::Affixed;
use crate::facts::{Definition, Facts, FormRow, Owner, Use, UseKind};
use crate::index::{Document, Index, Reading};
use crate::libraries::Libraries;
use crate::macros::Macros;
use crate::origins::Origins;
pub use crate::resolve::Referent;
pub use crate::resolve::Symbol;
use crate::resolve::{MOST_STEPS, Spaces, Written};
use crate::space::{Exports, Provided, Space};
use crate::tables::Tables;

/// A use of a name, with its file.
#[derive(Clone, Copy, Debug)]
pub struct Hit<'i> {
    /// The file.
    pub document: &'i Document,
    /// The use.
    pub used: Use,
}

impl<'i> Hit<'i> {
    /// Its file and first byte, by which uses are ordered.
    pub(crate) fn place(&self) -> (&'i Path, u32) {
        (&self.document.path, self.used.start)
    }

    /// The innermost form around it.
    pub fn form(&self) -> Option<&'i FormRow> {
        let facts = &self.document.facts;
        facts.form_at(self.used.start).map(|at| &facts.forms[at as usize])
    }

    /// The form around it is a test.
    pub fn is_test(&self) -> bool {
        self.form().is_some_and(|form| form.kind == FormKind::Test)
    }

    /// It is not a definition.
    pub fn is_reference(&self) -> bool {
        self.used.kind != UseKind::Definition
    }

    /// Running the form around it can come to what it means.
    fn is_run(&self) -> bool {
        !matches!(self.used.kind, UseKind::Definition | UseKind::Method | UseKind::Quoted | UseKind::Export)
    }
}

/// The uses of a symbol.
#[derive(Clone, Debug, Default)]
pub struct Uses<'i> {
    /// The uses, in the order of files and lines.
    pub hits: Vec<Hit<'i>>,
    /// Uses of the name that may mean the symbol, or another one that is imported from outside of the project.
    pub unresolved: Vec<Hit<'i>>,
}

/// The definitions and uses in all files of one dialect, for questions about uses.
#[derive(Clone, Debug)]
pub struct UseIndex<'i> {
    pub(crate) dialect: Dialect,
    pub(crate) spaces: Spaces<'i>,
    pub(crate) documents: Vec<&'i Document>,
    pub(crate) tables: Tables<'i>,
    /// The variables that a file defines. If they are dynamic, local bindings do not hide them.
    pub(crate) dynamic: Arc<FxHashSet<&'i str>>,
    /// Where packages come from that no file declares, when it is asked for.
    pub(crate) origins: Arc<OnceLock<Origins>>,
    /// The other names that imports and exports give to names, when they are asked for.
    pub(crate) aliases: Arc<OnceLock<Aliases<'i>>>,
    /// The names that macros make by short affixes, when they are asked for.
    pub(crate) affixed: Arc<OnceLock<Affixed<'i>>>,
    /// The declared names of the spaces that code of the files is in, when they are asked for.
    pub(crate) entered: Arc<OnceLock<FxHashSet<String>>>,
    /// The installed libraries.
    pub(crate) libraries: Arc<Libraries>,
}

/// The names that imports and exports give to names of other spaces.
#[derive(Debug, Default)]
pub(crate) struct Aliases<'i> {
    /// The exported names of own names.
    exported: FxHashMap<&'i str, Vec<&'i str>>,
    /// The imported names of exported names, with their prefixes.
    imported: FxHashMap<&'i str, Vec<String>>,
    /// The prefixes of imports.
    prefixes: Vec<&'i str>,
    /// The prefixes of exports whose names are not written.
    given: Vec<&'i str>,
}

impl<'i> Aliases<'i> {
    fn of(spaces: &Spaces<'i>) -> Self {
        let mut aliases = Self::default();
        let all = || spaces.by_name.values().flatten().copied();
        for (inner, outer) in all().flat_map(|space| &space.renamed) {
            aliases.exported.entry(inner).or_default().push(outer);
        }
        for import in all().flat_map(|space| &space.imports) {
            let renamed = import.only.iter().flatten().chain(&import.renamed);
            for (theirs, ours) in renamed.filter(|(theirs, ours)| theirs != ours) {
                aliases.imported.entry(theirs).or_default().push(format!("{}{ours}", import.prefix));
            }
            if !import.prefix.is_empty() {
                aliases.prefixes.push(&import.prefix);
            }
        }
        aliases.prefixes.sort_unstable();
        aliases.prefixes.dedup();
        let given = all().flat_map(|space| &space.provides).map(|provide| provide.prefix.as_str());
        aliases.given = given.filter(|prefix| !prefix.is_empty()).collect();
        aliases.given.sort_unstable();
        aliases.given.dedup();
        aliases
    }

    /// All names of what a space calls `name`.
    fn names(&self, name: &str) -> Vec<String> {
        let mut names = vec![name.to_owned()];
        let mut outer: Vec<String> =
            self.exported.get(name).into_iter().flatten().copied().chain([name]).map(str::to_owned).collect();
        outer.extend(self.given.iter().map(|prefix| format!("{prefix}{name}")));
        for outer in outer {
            names.push(outer.clone());
            names.extend(self.imported.get(outer.as_str()).into_iter().flatten().cloned());
            names.extend(self.prefixes.iter().map(|prefix| format!("{prefix}{outer}")));
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The variables that a file defines.
pub(crate) fn variables(document: &Document) -> impl Iterator<Item = &str> {
    // A minor mode is a variable, too.
    let is_variable = |one: &&Definition| {
        one.kind == FormKind::Variable || document.facts.forms[one.form as usize].head.ends_with("minor-mode")
    };
    document.facts.definitions.iter().filter(is_variable).map(|one| one.name.as_str())
}

/// No local binding hides a use, as none hides a variable that is dynamic everywhere or in this file.
pub(crate) fn counts(document: &Document, used: Use, dynamic: &FxHashSet<&str>) -> bool {
    let text = &document.text[used.span().range()];
    !used.hidden || dynamic.contains(text) || document.facts.declares(text)
}

/// At most so many symbols are followed in the search for the tests that reach a symbol.
const MOST_REACHING: usize = 5_000;

impl Index {
    /// The files in one dialect, for questions about uses.
    pub fn question(&self, dialect: Dialect) -> UseIndex<'_> {
        // EDN files use names of Clojure code.
        let is_meant = |of: Dialect| of == dialect || (of, dialect) == (Dialect::Edn, Dialect::Clojure);
        let mut documents: Vec<&Document> = self.documents().filter(|one| is_meant(one.dialect)).collect();
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        let spaces = Spaces::of(&documents);
        let dynamic: FxHashSet<&str> = documents.iter().flat_map(|document| variables(document)).collect();
        let tables = Tables::of(dialect, &documents, &dynamic);
        let mut question = UseIndex {
            dialect,
            spaces,
            documents,
            tables,
            dynamic: Arc::new(dynamic),
            origins: Arc::default(),
            aliases: Arc::default(),
            affixed: Arc::default(),
            entered: Arc::default(),
            libraries: self.libraries.clone(),
        };
        question.take_methods();
        question
    }
}

impl<'i> UseIndex<'i> {
    fn hit(&self, document: u32, used: u32) -> Hit<'i> {
        let document = self.documents[document as usize];
        Hit { document, used: document.facts.uses[used as usize] }
    }

    /// The dialect of the question.
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The files, in the order of their paths.
    pub fn documents(&self) -> &[&'i Document] {
        &self.documents
    }

    /// No local binding hides the use.
    pub(crate) fn counts(&self, document: &Document, used: Use) -> bool {
        counts(document, used, &self.dynamic)
    }

    /// The symbol is defined in the project, or a method of it is.
    pub fn defines(&self, symbol: &Symbol) -> bool {
        self.spaces.is_defined(&symbol.space, &symbol.name)
    }

    /// The facts of a file of this dialect with marks; `tree` is what the text is read as.
    pub fn facts_with_marks(&self, document: &Document, tree: &Tree) -> Facts {
        self.facts_with_forms(document, tree, &Forms::new(tree, &document.text))
    }

    /// The same of a text whose forms have been found.
    pub fn facts_with_forms(&self, document: &Document, tree: &Tree, forms: &Forms) -> Facts {
        document.facts.with_marks_of(tree, forms, &document.text, self.macros())
    }

    /// The macros of the files.
    fn macros(&self) -> &Macros<'i> {
        self.tables.macros(self.dialect, &self.libraries)
    }

    /// A file with another text. It is right where both texts have the same macros; what it defines is not found by the
    /// question.
    pub fn retold(&self, document: &Document, text: String) -> Reading {
        document.retold(text, self.macros())
    }

    /// The spaces that a space imports.
    pub(crate) fn imported(&self, space: &str) -> Vec<String> {
        let declared = self.spaces.by_name.get(self.spaces.proper(space)).into_iter().flatten();
        let imports = declared.flat_map(|space| &space.imports).filter(|import| !import.is_implicit);
        imports.map(|import| import.from.clone()).collect()
    }

    /// The space imports names that are known not to be the project's.
    pub(crate) fn imports_implicitly(&self, space: &str) -> bool {
        let declared = self.spaces.by_name.get(self.spaces.proper(space)).into_iter().flatten();
        declared.flat_map(|space| &space.imports).any(|import| import.is_implicit)
    }

    /// The project declares the space. Where packages are made by other means, code that exports names of one declares none.
    pub(crate) fn declares(&self, space: &str) -> bool {
        let declares = |one: &&Space| !self.spaces.imports_first || !one.adds;
        self.spaces.by_name.get(space).is_some_and(|all| all.iter().any(declares))
    }

    pub(crate) fn proper_space<'a>(&'a self, space: &'a str) -> &'a str {
        self.spaces.proper(space)
    }

    /// The names that are used, in no particular order.
    pub fn used_names(&self) -> impl Iterator<Item = &str> {
        self.tables.names()
    }

    /// The uses of a name, whatever it means there.
    pub fn named(&self, name: &str) -> impl Iterator<Item = Hit<'i>> {
        self.tables.places(name).map(|(document, used)| self.hit(document, used))
    }

    /// The definitions of a name, whatever its space, each with its file.
    pub fn definitions_named(&self, name: &str) -> impl Iterator<Item = (&'i Document, &'i Definition)> {
        self.tables.definitions(name)
    }

    /// All declarations of spaces.
    pub fn spaces(&self) -> impl Iterator<Item = &'i Space> {
        self.documents.iter().flat_map(|document| &document.facts.spaces)
    }

    /// What a name without a qualifier means in a space.
    pub fn meaning_in(&self, space: &str, name: &str) -> Referent {
        self.spaces.meaning(space, &Written::plain(name.to_owned()))
    }

    /// The symbol that a use means.
    pub fn meaning(&self, document: &Document, used: Use) -> Referent {
        let name = || Written::of(self.dialect, &document.text[used.span().range()]).name;
        match document.facts.owner_of(used) {
            None => self.meaning_at(document, used.span()),
            Some(Owner::Space { name: space, is_exported: true }) => self.spaces.exported(space, &name(), MOST_STEPS),
            Some(Owner::Space { name: space, .. }) => self.spaces.meaning(space, &Written::plain(name())),
            Some(Owner::Name(owner)) => match self.meaning_at(document, *owner) {
                Referent::Is(owner) if !self.has_functions(&owner) => {
                    Referent::Is(Symbol { space: owner.name, name: name() })
                }
                Referent::Is(owner) => Referent::Is(Symbol { name: name(), ..owner }),
                Referent::Unknown(owner) => Referent::Unknown(Symbol { name: name(), ..owner }),
            },
        }
    }

    /// The methods of an owner are functions of its space: it is no class or interface of the platform, such as
    /// `Runnable`, which every namespace has, and no interface that the project defines.
    fn has_functions(&self, owner: &Symbol) -> bool {
        let definitions = self.definitions(owner);
        let makes = |(document, one): &(&Document, &Definition)| {
            let mut others = document.facts.definitions.iter();
            one.kind == FormKind::Definition || others.any(|other| other.made && other.form == one.form)
        };
        definitions.iter().any(makes) || definitions.is_empty() && !self.declares(&owner.space)
    }

    /// What the name at a place means, whatever it is there.
    pub fn meaning_at(&self, document: &Document, span: Span) -> Referent {
        let written = Written::of(self.dialect, &document.text[span.range()]);
        self.spaces.meaning_beside(&document.facts.spaces, document.facts.space_at(span.start), &written)
    }

    /// Adds the methods whose name is not that of another space to the definitions of their own space.
    fn take_methods(&mut self) {
        let methods = self.documents.iter().flat_map(|&document| {
            let methods = document.facts.definitions.iter().filter(|one| one.kind == FormKind::Method);
            methods.map(move |one| (document, one))
        });
        let own = methods.filter(|(document, one)| {
            let name = document.facts.forms[one.form as usize].name;
            let meant = self.meaning_at(document, name);
            matches!(meant, Referent::Is(meant) | Referent::Unknown(meant) if meant.space == self.spaces.proper(&one.space))
        });
        let own: Vec<(&str, &str)> = own.map(|(_, one)| (&*one.space, one.name.as_str())).collect();
        own.into_iter().for_each(|(space, name)| self.spaces.define(space, name));
    }

    /// The uses of a symbol, also under the names that imports give it.
    pub fn uses(&self, symbol: &Symbol) -> Uses<'i> {
        let mut found = Uses::default();
        let symbol = &self.proper(symbol);
        let place = |hit: &Hit<'i>| (hit.document.path.as_path(), hit.used.start);
        for name in self.names(symbol) {
            for (document, used) in self.tables.places(&name) {
                let hit = self.hit(document, used);
                // A place is used once, whatever its form makes of it.
                if found.hits.last().is_some_and(|last| place(last) == place(&hit)) {
                    continue;
                }
                match self.meaning(hit.document, hit.used) {
                    Referent::Is(meant) if meant == *symbol => found.hits.push(hit),
                    Referent::Unknown(_) if name == symbol.name => found.unresolved.push(hit),
                    Referent::Is(_) | Referent::Unknown(_) => {}
                }
            }
        }
        found.hits.sort_by(|a, b| place(a).cmp(&place(b)));
        found
    }

    /// The symbol that its name means in its space: with the declared name of the space, or that of an imported name.
    pub fn proper(&self, symbol: &Symbol) -> Symbol {
        let (space, name) = self.spaces.meant(&symbol.space, &symbol.name);
        Symbol { space: space.to_owned(), name: name.to_owned() }
    }

    /// The definitions of a symbol.
    pub fn definitions(&self, symbol: &Symbol) -> Vec<(&'i Document, &'i Definition)> {
        let meant = self.spaces.meant(&symbol.space, &symbol.name);
        let is_meant = |one: &Definition| self.spaces.meant(&one.space, &one.name) == meant;
        self.tables.definitions(meant.1).filter(|(_, one)| is_meant(one)).collect()
    }

    /// The symbols that the project defines and uses most in code, at most `most`, each with the number of
    /// places.
    pub fn most_used(&self, most: usize) -> Vec<(Symbol, usize)> {
        let mut definitions: FxHashMap<&str, FxHashSet<Symbol>> = FxHashMap::default();
        for one in self.documents.iter().flat_map(|document| &document.facts.definitions) {
            if !matches!(one.kind, FormKind::Test) && one.is_bound() {
                definitions.entry(&one.name).or_default().insert(self.proper(&one.symbol()));
            }
        }
        let named = self.tables.names().filter(|name| definitions.contains_key(name));
        let mut names: Vec<(usize, &str)> = named.map(|name| (self.tables.places(name).count(), name)).collect();
        names.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        let mut found: Vec<(Symbol, usize)> = Vec::new();
        for (places, name) in names {
            // No later name has as many references as the last one found.
            if found.len() >= most && places <= found[most - 1].1 {
                break;
            }
            for symbol in &definitions[name] {
                let uses = self.uses(symbol).hits;
                let is_code = |kind| !matches!(kind, UseKind::Definition | UseKind::Export | UseKind::Quoted);
                let count = uses.iter().filter(|hit| is_code(hit.used.kind)).count();
                if count > 0 {
                    found.push((symbol.clone(), count));
                }
            }
            found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            found.truncate(most);
        }
        found
    }

    /// The names that a space gives out, each with what it means; `None` when the project declares no such space.
    ///
    /// A space that gives out all that it defines has no list of them: its definitions are the answer.
    pub fn exported(&self, space: &str) -> Option<Vec<(String, Symbol)>> {
        let mut names = Vec::new();
        let mut seen = FxHashSet::default();
        let mut waiting = vec![space];
        let mut known = FxHashSet::default();
        let declared = self.spaces.by_name.get(space)?;
        let home = declared.first()?.name.as_str();
        while let Some(space) = waiting.pop() {
            if !known.insert(space) {
                continue;
            }
            for one in self.spaces.by_name.get(space).into_iter().flatten() {
                let own: Vec<&str> = match &one.exports {
                    Exports::Names(names) => names.iter().map(String::as_str).collect(),
                    Exports::All => {
                        let is_in = |document: &&&'i Document| {
                            document.facts.current.iter().any(|(_, current)| *current == one.name)
                        };
                        let documents = self.documents.iter().filter(is_in);
                        let all = documents.flat_map(|&document| document.facts.public_definitions(&document.text));
                        all.filter(|other| other.space == one.name).map(|other| other.name.as_str()).collect()
                    }
                };
                names.extend(own.into_iter().filter(|name| seen.insert(*name)));
                waiting.extend(one.imports.iter().filter(|import| import.reexports).map(|import| import.from.as_str()));
            }
        }
        let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        names.extend(self.provided(home, MOST_STEPS));
        names.sort_unstable();
        names.dedup();
        let meant = names.into_iter().map(|name| {
            let (Referent::Is(symbol) | Referent::Unknown(symbol)) = self.spaces.exported(home, &name, MOST_STEPS);
            (name, symbol)
        });
        Some(meant.collect())
    }

    /// The names that a space exports without writing them. Exports of exports are followed for so many steps.
    fn provided(&self, space: &str, steps: usize) -> Vec<String> {
        let mut names = Vec::new();
        let all = || self.spaces.by_name.get(space).into_iter().flatten();
        for provide in all().flat_map(|one| &one.provides) {
            let own: Vec<String> = match &provide.what {
                Provided::Defined => {
                    let definitions = self.documents.iter().flat_map(|document| &document.facts.definitions);
                    let own = definitions.filter(|one| one.space == space && one.is_bound());
                    own.map(|one| one.name.clone()).collect()
                }
                Provided::Structure(name) => {
                    let made = self.spaces.structure(space, name).iter().map(|made| (*made).to_owned());
                    made.chain([name.clone()]).collect()
                }
                Provided::From(from) if steps > 0 => {
                    let theirs: Vec<String> = match self.spaces.by_name.get(from.as_str()).and_then(|all| all.first()) {
                        Some(other) => {
                            let written = match &other.exports {
                                Exports::Names(names) => names.clone(),
                                Exports::All => Vec::new(),
                            };
                            written.into_iter().chain(self.provided(&other.name, steps - 1)).collect()
                        }
                        None => Vec::new(),
                    };
                    let from = self.spaces.proper(from);
                    let imports = || {
                        let imports = all().flat_map(|one| &one.imports);
                        imports.filter(|import| self.spaces.proper(&import.from) == from)
                    };
                    imports().flat_map(|import| theirs.iter().filter_map(|name| import.ours(name))).collect()
                }
                Provided::From(_) => Vec::new(),
            };
            let is_given = |name: &String| !provide.except.contains(name);
            names.extend(own.into_iter().filter(is_given).map(|name| format!("{}{name}", provide.prefix)));
        }
        names
    }

    /// The uses of a name that no file of the project defines.
    pub fn mentions(&self, name: &str) -> Vec<Hit<'i>> {
        let name = Written::of(self.dialect, name).name;
        let hits = self.tables.places(&name).map(|(document, used)| self.hit(document, used));
        let is_foreign = |hit: &Hit<'i>| match self.meaning(hit.document, hit.used) {
            Referent::Is(meant) | Referent::Unknown(meant) => !self.spaces.is_defined(&meant.space, &meant.name),
        };
        hits.filter(is_foreign).collect()
    }

    /// The name of a symbol, and the names that imports give it.
    pub fn names(&self, symbol: &Symbol) -> Vec<String> {
        let aliases = self.aliases.get_or_init(|| Aliases::of(&self.spaces));
        aliases.names(&symbol.name)
    }

    /// The uses in a file with the symbols that they mean; no symbol if it cannot be known.
    pub fn resolved(&self, document: &'i Document) -> impl Iterator<Item = (Use, Option<Symbol>)> {
        let uses = document.facts.uses.iter().copied().filter(|used| self.counts(document, *used));
        uses.map(|used| match self.meaning(document, used) {
            Referent::Is(symbol) => (used, Some(symbol)),
            Referent::Unknown(_) => (used, None),
        })
    }

    /// The symbols that are used in a part of a file and defined in the project, each with its first use in the part.
    pub fn used_in(&self, document: &'i Document, part: Span) -> Vec<(Symbol, Use)> {
        let uses = &document.facts.uses;
        let from = uses.partition_point(|used| used.start < part.start);
        let mut seen = FxHashSet::default();
        let inside = uses[from..].iter().take_while(|used| used.start < part.end);
        let symbols = inside.filter(|used| used.kind != UseKind::Definition).filter_map(|used| {
            if !self.counts(document, *used) {
                return None;
            }
            let Referent::Is(symbol) = self.meaning(document, *used) else { return None };
            let is_known = self.spaces.is_defined(&symbol.space, &symbol.name);
            (is_known && seen.insert(symbol.clone())).then_some((symbol, *used))
        });
        symbols.collect()
    }

    /// The symbols that the form around a use defines.
    pub fn defined_around(&self, hit: &Hit<'i>) -> Vec<Symbol> {
        self.made_around(hit).map(|(symbol, _)| symbol).collect()
    }

    /// The same without what is defined inside of another definition, or of a form that defines nothing itself.
    pub(crate) fn own_around(&self, hit: &Hit<'i>) -> Vec<Symbol> {
        let mut outer = hit.form().is_some_and(FormRow::has_name);
        let is_own = |(_, one): &(Symbol, &Definition)| one.made || std::mem::replace(&mut outer, false);
        self.made_around(hit).filter(is_own).map(|(symbol, _)| symbol).collect()
    }

    /// What the form around a use defines, itself first.
    fn made_around(&self, hit: &Hit<'i>) -> impl Iterator<Item = (Symbol, &'i Definition)> {
        let facts = &hit.document.facts;
        let form = facts.form_at(hit.used.start);
        let from =
            form.map_or(facts.definitions.len(), |form| facts.definitions.partition_point(|one| one.form < form));
        let own = facts.definitions[from..].iter().take_while(move |one| Some(one.form) == form);
        // What is defined in the code of a test is used by the test.
        let is_test = form.is_some_and(|form| facts.forms[form as usize].kind == FormKind::Test);
        let own = own.filter(move |one| !is_test || one.kind == FormKind::Test);
        let own = own.map(|one| (self.proper(&one.symbol()), one));
        own.filter(|(symbol, one)| !self.takes(symbol, one))
    }

    /// The tests that use one of the symbols, directly or through other definitions, those with fewest steps first.
    pub fn tests_reaching(&self, symbols: &[Symbol]) -> Vec<Hit<'i>> {
        let mut seen: FxHashSet<Symbol> = symbols.iter().cloned().collect();
        let mut layer: Vec<Symbol> = symbols.to_vec();
        let mut tests = Vec::new();
        let mut known = FxHashSet::default();
        let mut is_asked = true;
        while !layer.is_empty() {
            let hits = layer.iter().flat_map(|symbol| self.uses(symbol).hits).filter(|hit| hit.form().is_some());
            let (mut in_tests, others): (Vec<_>, Vec<_>) = hits.partition(Hit::is_test);
            // A test may also name what is asked about: `(spy-on 'name)`.
            in_tests.retain(|hit| if is_asked { hit.is_reference() } else { hit.is_run() });
            in_tests.sort_by_key(Hit::place);
            in_tests.retain(|hit| known.insert((&*hit.document.path, hit.form().map(|form| form.span.start))));
            tests.extend(in_tests);
            is_asked = false;
            let around = others.iter().filter(|hit| hit.is_run()).flat_map(|hit| self.defined_around(hit));
            layer = around.filter(|symbol| seen.len() < MOST_REACHING && seen.insert(symbol.clone())).collect();
        }
        tests
    }
}
