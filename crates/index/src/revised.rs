//! A question after one of its files has got another text.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use lispwright_syntax::FormKind;

use crate::facts::{Definition, Facts};
use crate::index::Document;
use crate::question::{UseIndex, variables};
use crate::resolve::Symbol;
use crate::space::Space;

impl<'i> UseIndex<'i> {
    /// The file with this path.
    pub fn document(&self, path: &Path) -> Option<&'i Document> {
        self.number(path).map(|at| self.documents()[at])
    }

    fn number(&self, path: &Path) -> Option<usize> {
        self.documents().binary_search_by(|one| one.path.as_path().cmp(path)).ok()
    }

    /// The question about the same files, of which one is `document` now: without a look at any other file. `None` where
    /// that does not do: the file is a new one, or its spaces, variables or macros are others than before.
    #[must_use]
    pub fn revised(&self, document: &'i Document) -> Option<Self> {
        let at = self.number(&document.path)?;
        let before = self.documents()[at];
        if before.dialect != document.dialect || !before.is_alike(document) {
            return None;
        }
        let (gone, new) = (missing(before, document), missing(document, before));
        let is_structured = self.spaces.has_structures() && !(gone.is_empty() && new.is_empty());
        // Where methods make a name known, other methods may do so, too.
        if is_structured || gone.iter().chain(&new).any(|one| !one.is_bound()) {
            return None;
        }
        let (then, now): (BTreeSet<&str>, BTreeSet<&'i str>) =
            (variables(before).collect(), variables(document).collect());
        let mut dynamic = self.dynamic.clone();
        if then != now {
            // Where a local binding may hide a variable, it makes a difference whether there is one.
            let is_hidden = |name: &&str| {
                let mut own = document.facts.uses.iter().filter(|used| used.hidden);
                self.tables.is_hidden(name) || own.any(|used| &document.text[used.span().range()] == *name)
            };
            if then.symmetric_difference(&now).any(is_hidden) {
                return None;
            }
            Arc::make_mut(&mut dynamic).extend(now);
        }
        let mut documents = self.documents().to_vec();
        documents[at] = document;
        let tables = self.tables.laid_over(self.dialect(), at as u32, document, &dynamic);
        let mut revised = Self {
            dialect: self.dialect(),
            spaces: self.spaces.clone(),
            documents,
            tables,
            dynamic,
            origins: Arc::default(),
            aliases: self.aliases.clone(),
            affixed: Arc::default(),
            entered: Arc::default(),
            libraries: self.libraries.clone(),
        };
        let gone: Vec<Symbol> = gone.into_iter().map(|one| self.proper(&one.symbol())).collect();
        for symbol in gone {
            if revised.definitions(&symbol).is_empty() {
                revised.spaces.forget(&symbol);
            }
        }
        for one in new {
            revised.spaces.define(&one.space, &one.name);
        }
        Some(revised)
    }
}

impl Document {
    /// Both declare the same spaces, macros, definers and included files: what is not changed in them means the same.
    pub fn is_alike(&self, other: &Self) -> bool {
        let spaces = |document: &Self| -> Vec<Space> {
            document.facts.spaces.iter().map(|space| Space { at: 0, ..space.clone() }).collect()
        };
        let included =
            |document: &Self| -> Vec<String> { document.facts.included.iter().map(|(_, file)| file.clone()).collect() };
        self.facts.macros.len() == other.facts.macros.len()
            && macros(self).eq(macros(other))
            && definers(&self.facts).eq(definers(&other.facts))
            && included(self) == included(other)
            && declared(&self.facts).eq(declared(&other.facts))
            && spaces(self) == spaces(other)
    }
}

/// The definitions of one document whose names the other does not define.
fn missing<'d>(of: &'d Document, other: &Document) -> Vec<&'d Definition> {
    let known: BTreeSet<(&str, &str)> = other.facts.definitions.iter().map(named).collect();
    of.facts.definitions.iter().filter(|one| !known.contains(&named(one))).collect()
}

fn named(one: &Definition) -> (&str, &str) {
    (&one.space, &one.name)
}

/// The sources of the macros of a file.
fn macros(document: &Document) -> impl Iterator<Item = &str> {
    let own = document.facts.definitions.iter().filter(|one| one.kind == FormKind::Macro && !one.made);
    own.map(|one| &document.text[document.facts.forms[one.form as usize].span.range()])
}

/// The variables that are declared without a value.
fn declared(facts: &Facts) -> impl Iterator<Item = &str> {
    facts.declared.iter().map(|one| one.name.as_str())
}

/// The functions whose names begin as those of definers do.
fn definers(facts: &Facts) -> impl Iterator<Item = &str> {
    let own = facts.definitions.iter().filter(|one| one.kind == FormKind::Function && one.has_definers_name());
    own.map(|one| one.name.as_str())
}
