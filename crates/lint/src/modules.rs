//! The names that code has only when it asks for a module of the language.

use std::sync::LazyLock;

use lispwright_index::{Import, ImportKind};
use lispwright_syntax::{Implementations, Span};
use rustc_hash::FxHashMap;

use crate::file::File;

/// The modules of Guile with the names that they export and the core has not.
const MODULE_NAMES: &str = include_str!("module-names.txt");

/// Modules of Racket with the names that they export and `racket/base` has not, in any version since 8.
const RACKET_NAMES: &str = include_str!("racket-module-names.txt");

/// The modules that have each name.
type Modules = FxHashMap<&'static str, Vec<&'static str>>;

static MODULES: LazyLock<Modules> = LazyLock::new(|| modules(MODULE_NAMES));
static RACKET_MODULES: LazyLock<Modules> = LazyLock::new(|| modules(RACKET_NAMES));

fn modules(table: &'static str) -> Modules {
    let mut modules = Modules::default();
    for (module, names) in table.lines().filter_map(|line| line.split_once('\t')) {
        for name in names.split_whitespace() {
            modules.entry(name).or_default().push(module);
        }
    }
    modules
}

/// The module of Racket's collections that a space of the index is: `lib:racket/list.rkt`.
fn collection(space: &str) -> Option<&str> {
    let path = space.strip_prefix("lib:")?.strip_suffix(".rkt")?;
    Some(path.strip_suffix("/main").unwrap_or(path))
}

impl File<'_, '_> {
    /// The modules of the language that have the name at a place, if code of this file has it from none by itself.
    pub(crate) fn modules_with(&self, at: Span) -> &'static [&'static str] {
        let is_core = self.platform().origin == Some(Implementations::FIRST) && self.text().contains("(define-module");
        if !is_core {
            return &[];
        }
        MODULES.get(self.source(at)).map_or(&[], Vec::as_slice)
    }

    /// It is in `racket/base`, and no submodule, nothing that it includes and no `racket` gives it names.
    fn is_bare_module(&self) -> bool {
        let text = self.text();
        let gives = |(_, span): (_, Span)| self.source(span) == "racket";
        self.module_language() == Some("racket/base")
            && !["(module", "(include", "(#%", "namespace"].iter().any(|word| text.contains(word))
            && !self.tree.tokens().any(gives)
    }

    /// The modules of Racket that have the name at a place, where the file is in `racket/base` and requires none of them.
    pub(crate) fn racket_modules_with(&self, at: Span) -> &'static [&'static str] {
        let name = self.source(at);
        let Some(modules) = RACKET_MODULES.get(name) else { return &[] };
        // What code at other phases has, forms of other modules give to it.
        if modules.iter().any(|module| module.starts_with("syntax/")) {
            return &[];
        }
        // A module that the file names somewhere is there for code of some phase.
        let is_named = |module: &&str| self.text().contains(*module);
        if !*self.needs_modules.get_or_init(|| self.is_bare_module()) || modules.iter().any(is_named) {
            return &[];
        }
        let question = self.question;
        let home = self.document.facts.space_at(at.start);
        let is_without = |import: &Import| {
            let Some(theirs) = import.theirs(name) else { return true };
            match collection(&import.from) {
                Some("racket/base") => true,
                Some(module) => {
                    let is_known = RACKET_NAMES.lines().any(|line| line.split('\t').next() == Some(module));
                    is_known && !RACKET_MODULES.get(theirs).is_some_and(|all| all.contains(&module))
                }
                None => question.has_space(&import.from) && question.gives_out(&import.from, theirs) == Some(false),
            }
        };
        let is_read = question.imports_of(home).any(|import| import.kind == ImportKind::Language);
        match is_read && question.imports_of(home).all(is_without) {
            true => modules,
            false => &[],
        }
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
