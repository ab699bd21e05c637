//! The names that code has only when it asks for a module of the language.

use std::borrow::Cow;
use std::path::Path;
use std::sync::LazyLock;

use lispwright_index::{Import, ImportKind, Provided, UseIndex};
use lispwright_syntax::{Implementations, ListId, Span};
use rustc_hash::FxHashMap;

use crate::code::RACKETS;
use crate::file::File;

/// The modules of Guile with the names that they export and the core has not.
const MODULE_NAMES: &str = include_str!("module-names.txt");

/// Modules of Racket with the names that they export and `racket/base` has not, in any version since 8.
const RACKET_NAMES: &str = include_str!("racket-module-names.txt");

/// The modules that have each name.
pub(crate) type Modules = FxHashMap<&'static str, Vec<&'static str>>;

pub(crate) static MODULES: LazyLock<Modules> = LazyLock::new(|| modules(MODULE_NAMES));
pub(crate) static RACKET_MODULES: LazyLock<Modules> = LazyLock::new(|| modules(RACKET_NAMES));

fn modules(table: &'static str) -> Modules {
    let mut modules = Modules::default();
    for (module, names) in table.lines().filter_map(|line| line.split_once('\t')) {
        for name in names.split_whitespace() {
            modules.entry(name).or_default().push(module);
        }
    }
    modules
}

/// The names of modules of Racket that `racket/base` has not.
pub(crate) fn racket_names() -> impl Iterator<Item = &'static str> {
    RACKET_MODULES.keys().copied()
}

/// The modules of Racket that are known by name, as a space of the index is: `lib:racket/list.rkt`.
pub(crate) fn racket_spaces() -> impl Iterator<Item = &'static str> {
    static SPACES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let named = RACKET_NAMES.lines().filter_map(|line| line.split('\t').next());
        let space = |name: &str| match name.contains('/') {
            true => format!("lib:{name}.rkt"),
            false => format!("lib:{name}/main.rkt"),
        };
        RACKETS.iter().copied().chain(named).map(space).collect()
    });
    SPACES.iter().map(String::as_str)
}

/// A module of Racket that exports the name.
pub(crate) fn racket_module(name: &str) -> Option<&'static str> {
    RACKET_MODULES.get(name)?.first().copied()
}

/// The module of Racket's collections that a space of the index is: `lib:racket/list.rkt`.
fn collection(space: &str) -> Option<&str> {
    let path = space.strip_prefix("lib:")?.strip_suffix(".rkt")?;
    Some(path.strip_suffix("/main").unwrap_or(path))
}

/// The module is one of those whose names, as far as the language has them, are the language's.
fn is_of_language(space: &str) -> bool {
    let is_named = |module: &str| RACKET_NAMES.lines().any(|line| line.split('\t').next() == Some(module));
    collection(space).is_some_and(|module| RACKETS.contains(&module) || is_named(module))
}

/// A module of Racket from outside of the project may give a name of the language a definition of its own, itself or by
/// modules of the project that give on what they have from it: nothing is known of it, or it has the name.
pub(crate) fn may_define(question: &UseIndex<'_>, space: &str, name: &str) -> bool {
    let mut waiting = vec![(space, name)];
    let mut seen = Vec::new();
    while let Some((space, name)) = waiting.pop() {
        if seen.contains(&(space, name)) {
            continue;
        }
        seen.push((space, name));
        if !question.has_space(space) {
            let may_have = || question.library_exports(space).is_none_or(|all| all.contains(name));
            if !is_of_language(space) && may_have() {
                return true;
            }
            continue;
        }
        for provide in question.declarations(space).flat_map(|one| &one.provides) {
            let inner = name.strip_prefix(provide.prefix.as_str());
            let inner = inner.filter(|inner| !provide.except.iter().any(|except| except == inner));
            if let (Provided::From(from), Some(inner)) = (&provide.what, inner) {
                let imports = question.imports_of(space).filter(|import| import.from == *from);
                waiting.extend(imports.filter_map(|import| Some((import.from.as_str(), import.theirs(inner)?))));
            }
        }
    }
    false
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

    /// A space as code of this file asks for it: `racket/list`, `"../parts.rkt"`.
    pub(crate) fn space_text<'s>(&self, space: &'s str) -> Cow<'s, str> {
        if let Some(module) = collection(space) {
            return module.into();
        }
        let Some(path) = space.strip_prefix("file:") else { return space.into() };
        let home = self.document.path.parent().unwrap_or(Path::new(""));
        let up = |levels: usize| Some(home.ancestors().nth(levels)?.to_str()?.to_owned() + "/");
        let levels = 0..home.ancestors().count();
        let nearest = levels.into_iter().find_map(|level| Some((level, path.strip_prefix(up(level)?.as_str())?)));
        nearest.map_or(path.into(), |(level, rest)| ("../".repeat(level) + rest).into())
    }

    /// The name at a place is asked for from the one module that the form says: `(only-in racket/list first)`.
    pub(crate) fn is_of_module(&self, at: Span) -> bool {
        const CHOOSING: &[&str] = &["only-in", "except-in", "rename-in"];
        let lists = self.lists_around(at);
        let mut heads = lists.take(2).filter_map(|list| Some((list, self.head_of(list)?)));
        let is_plain = |list: ListId| self.tree.data(list).nth(1).is_some_and(|module| module.list().is_none());
        let is_template = || {
            self.lists_around(at)
                .any(|list| self.is_prefixed(list) || self.head_of(list).is_some_and(|head| head.starts_with("define")))
        };
        heads.any(|(list, head)| CHOOSING.contains(&head) && is_plain(list)) && !is_template()
    }

    /// The module is written in one of the languages of Racket whose names are its own and what it requires.
    pub(crate) fn is_of_racket(&self, space: &str) -> bool {
        let is_other = |name: &str| name.starts_with("typed/") || name == "racket/load";
        let is_plain =
            |import: &Import| collection(&import.from).is_some_and(|name| RACKETS.contains(&name) && !is_other(name));
        let mut languages = self.question.imports_of(space).filter(|import| import.kind == ImportKind::Language);
        languages.all(is_plain)
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
