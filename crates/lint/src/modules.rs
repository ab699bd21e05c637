//! The names that code has only when it asks for a module of the language.

use std::sync::LazyLock;

use lispwright_syntax::{Implementations, Span};
use rustc_hash::FxHashMap;

use crate::file::File;

/// The modules of Guile with the names that they export and the core has not.
const MODULE_NAMES: &str = include_str!("module-names.txt");

/// The modules that have each name.
static MODULES: LazyLock<FxHashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut modules: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for (module, names) in MODULE_NAMES.lines().filter_map(|line| line.split_once('\t')) {
        for name in names.split_whitespace() {
            modules.entry(name).or_default().push(module);
        }
    }
    modules
});

impl File<'_, '_> {
    /// The modules of the language that have the name at a place, if code of this file has it from none by itself.
    pub(crate) fn modules_with(&self, at: Span) -> &'static [&'static str] {
        let is_core = self.platform().origin == Some(Implementations::FIRST) && self.text().contains("(define-module");
        if !is_core {
            return &[];
        }
        MODULES.get(self.source(at)).map_or(&[], Vec::as_slice)
    }

    /// The space, or what it gives on, may give the name to code of `home`.
    pub(crate) fn is_imported(&self, home: &str, name: &str) -> bool {
        let question = self.question;
        question.imports_of(home).any(|import| {
            let Some(theirs) = import.theirs(name) else { return false };
            let is_of_language = MODULES.get(theirs).is_some_and(|modules| modules.contains(&import.from.as_str()));
            is_of_language
                || import.only.is_some()
                || question.library_exports(&import.from).is_some_and(|all| all.contains(theirs))
                || question.gives_out(&import.from, theirs).unwrap_or(false)
        })
    }
}
