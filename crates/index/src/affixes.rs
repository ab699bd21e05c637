//! Names that macros make of the names in their calls, by an affix that is too short to tell a name by it:
//! `(string->symbol (string-append "~" name))`. Each symbol in a call of such a macro, with the affix, may be a name.

use lispwright_syntax::{Dialect, FormKind, Span, TokenKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::account::symbol_name;
use crate::computed::Computed;
use crate::facts::UseKind;
use crate::index::Document;
use crate::ledger::{Possible, PossibleReason};
use crate::question::UseIndex;

/// The names that may be made, in lower case where case does not count, with the symbols that they are made of.
#[derive(Debug, Default)]
pub(crate) struct Affixed<'i> {
    names: FxHashMap<String, Vec<(&'i Document, Span)>>,
}

impl<'i> Affixed<'i> {
    pub(crate) fn of(question: &UseIndex<'i>) -> Self {
        let mut makers: FxHashMap<String, Vec<&Computed>> = FxHashMap::default();
        for document in question.documents() {
            for one in document.facts.computed.iter().filter(|one| one.is_short) {
                if let Some(name) = defined_around(document, one.span.start) {
                    makers.entry(name).or_default().push(one);
                }
            }
        }
        let mut affixed = Self::default();
        if makers.is_empty() {
            return affixed;
        }
        add_macros_that_use(question, &mut makers);
        for document in question.documents() {
            affixed.add(document, &makers);
        }
        affixed
    }

    /// Adds what the calls of a file may make.
    fn add(&mut self, document: &'i Document, makers: &FxHashMap<String, Vec<&Computed>>) {
        let mut tree = None;
        let mut seen = FxHashSet::default();
        for used in document.facts.uses.iter().filter(|used| used.kind == UseKind::Call) {
            let name = symbol_name(document.dialect, &document.text[used.span().range()]);
            let Some(made) = makers.get(&name) else { continue };
            let tree = tree.get_or_insert_with(|| document.tree());
            let list = tree.token_at(used.start).and_then(|token| tree.list_around(token));
            let Some(call) = list.map(|list| tree.list_span(list)) else { continue };
            for (kind, span) in tree.tokens_within(call) {
                if kind == TokenKind::Atom && span.start != used.start {
                    let part = symbol_name(document.dialect, &document.text[span.range()]);
                    for one in made {
                        let name = fold(document.dialect, &one.parts.join(&part));
                        // A call can be inside of another.
                        if seen.insert((name.clone(), span.start)) {
                            self.names.entry(name).or_default().push((document, span));
                        }
                    }
                }
            }
        }
    }

    /// The symbols of which `name` may be made.
    pub(crate) fn parts_of(&self, name: &str) -> impl Iterator<Item = Possible<'i>> {
        let places = self.names.get(name).into_iter().flatten();
        places.map(|(document, span)| Possible { document, span: *span, reason: PossibleReason::Computed })
    }
}

impl<'i> UseIndex<'i> {
    pub(crate) fn affixed(&self) -> &Affixed<'i> {
        self.affixed.get_or_init(|| Affixed::of(self))
    }

    /// The first symbol in a call of a macro of which that macro makes `name`, an internal name, by a short affix.
    pub fn made_of(&self, name: &str) -> Option<Possible<'i>> {
        self.affixed().parts_of(&fold(self.dialect, name)).next()
    }
}

/// Adds the macros whose definitions use a function that makes names.
fn add_macros_that_use<'i>(question: &UseIndex<'i>, makers: &mut FxHashMap<String, Vec<&'i Computed>>) {
    let mut more = Vec::new();
    for document in question.documents() {
        for used in &document.facts.uses {
            let name = symbol_name(document.dialect, &document.text[used.span().range()]);
            let Some(made) = makers.get(&name) else { continue };
            let form = document.facts.form_at(used.start).map(|form| &document.facts.forms[form as usize]);
            if form.is_some_and(|form| form.kind == FormKind::Macro && form.span.start != used.start) {
                more.extend(defined_around(document, used.start).map(|around| (around, made.clone())));
            }
        }
    }
    for (name, made) in more {
        makers.entry(name).or_insert(made);
    }
}

/// The name that the form around a byte defines.
fn defined_around(document: &Document, offset: u32) -> Option<String> {
    let form = &document.facts.forms[document.facts.form_at(offset)? as usize];
    form.has_name().then(|| symbol_name(document.dialect, &document.text[form.name.range()]))
}

fn fold(dialect: Dialect, name: &str) -> String {
    if dialect.folds_case() { name.to_lowercase() } else { name.to_owned() }
}
