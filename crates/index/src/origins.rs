//! Where packages come from whose declarations do not show all that they have, and where names are given on.

use lispwright_syntax::FormKind;
use rustc_hash::FxHashSet;

use crate::facts::UseKind;
use crate::index::Document;
use crate::links::{Thing, Tie};
use crate::question::{Symbol, UseIndex};

/// Where packages come from that no file declares.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    /// The stems of the names of systems that the project depends on and does not define.
    libraries: FxHashSet<String>,
    /// The names that forms of the project begin with, and the packages that its code is in, in lower case.
    made: FxHashSet<String>,
    /// Code of the project exports or imports names that it computes.
    opens: bool,
}

impl Origins {
    fn of(documents: &[&Document]) -> Self {
        let links = || documents.iter().flat_map(|document| &document.facts.links);
        let systems = |tie: Tie| links().filter(move |link| link.thing == Thing::System && link.tie == tie);
        let own: FxHashSet<&str> = systems(Tie::Declares).map(|link| link.name.as_str()).collect();
        let others = systems(Tie::Depends).filter(|link| !own.contains(link.name.as_str()));
        let libraries = others.map(|link| stem(&link.name).to_owned()).collect();
        let mut made = FxHashSet::default();
        for document in documents {
            made.extend(document.facts.current.iter().map(|(_, space)| space.to_lowercase()));
            let is_other = |kind| !matches!(kind, FormKind::Package | FormKind::System);
            let forms = document.facts.forms.iter().filter(|form| form.has_name() && is_other(form.kind));
            made.extend(forms.map(|form| form.designated().to_lowercase()));
        }
        let opens = documents.iter().any(|document| document.facts.opens);
        Self { libraries, made, opens }
    }
}

/// The name of a library without what its packages and systems add to it.
fn stem(name: &str) -> &str {
    name.split(['/', '.']).next().unwrap_or(name).trim_start_matches("cl-")
}

impl UseIndex<'_> {
    /// The space imports from others of the project, and code of the project exports names that it computes: it may have
    /// names that no declaration gives it.
    pub fn is_opened(&self, space: &str) -> bool {
        self.origins().opens && self.imported(space).iter().any(|from| self.declares(from))
    }

    /// A package that no file declares, or for which a macro or a computed option does more than is written: it may have names
    /// that others export.
    pub(crate) fn may_import_more(&self, space: &str) -> bool {
        let is_package = self.spaces.imports_first && !space.is_empty() && !self.is_of_library(space);
        is_package && (!self.declares(space) || self.declarations(space).any(|one| one.imports_more))
    }

    /// A form of the project begins with the name of the package, or code is in it: a macro may declare it.
    pub(crate) fn is_made_here(&self, package: &str) -> bool {
        self.origins().made.contains(&package.to_lowercase())
    }

    /// The package is that of a library: one of the language, or one that is called like a system that the project depends
    /// on and does not define.
    pub fn is_of_library(&self, package: &str) -> bool {
        !self.dialect().folds_case()
            || crate::space::common_lisp::is_of_language(package)
            || self.origins().libraries.contains(stem(package))
    }

    /// The spaces in which a macro of the project takes one of the symbols of another space, in a form at top level.
    pub(crate) fn given_on(&self, symbols: &[Symbol]) -> Vec<String> {
        let mut spaces = Vec::new();
        for symbol in symbols {
            for hit in self.uses(symbol).hits.iter().filter(|hit| hit.used.kind == UseKind::Value) {
                let space = hit.document.facts.space_at(hit.used.start);
                let form = hit.form().filter(|form| form.around.is_none() && space != symbol.space);
                let Some(form) = form.filter(|_| !spaces.iter().any(|known| known == space)) else { continue };
                let head = form.head.rsplit('/').next().unwrap_or(&form.head);
                if self.definitions_named(head).any(|(_, one)| one.kind == FormKind::Macro) {
                    spaces.push(space.to_owned());
                }
            }
        }
        spaces
    }

    fn origins(&self) -> &Origins {
        self.origins.get_or_init(|| Origins::of(self.documents()))
    }
}
