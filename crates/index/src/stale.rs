//! The files that a change of other files makes stale: code in them was made with what the others defined.
//!
//! Where names are global, as in Common Lisp and Emacs Lisp, a call finds the present function whatever file has it. What
//! does not is code that a macro has made, an accessor or inline function that was built in, and a value that was
//! computed while the file was loaded. So a change is followed from definition to definition: a definition that uses a
//! changed one is concerned, and a file is stale if it has such code of a definition that is concerned.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use lispwright_syntax::{Dialect, FormKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialects::rules;
use crate::facts::{Definition, FormRow, UseKind};
use crate::index::{Document, Index};
use crate::order::FileOrder;
use crate::question::{Hit, UseIndex};
use crate::resolve::Symbol;

/// A file that has changed since an image loaded it.
#[derive(Clone, Copy, Debug)]
pub struct ChangedFile<'i> {
    /// As it is now; `None` if it is not there.
    pub now: Option<&'i Document>,
    /// As it was loaded, if that is known.
    pub before: Option<&'i Document>,
}

/// What is found of a definition that is concerned.
#[derive(Clone, Debug)]
struct Concerned {
    symbol: Symbol,
    /// Code that uses it was made with it: a macro, an accessor, an inline function, a constant.
    is_built_in: bool,
    /// The form makes it anew, without the methods that others have added.
    loses_methods: bool,
}

/// Heads of definitions whose uses are built in although they define functions or variables.
const BUILT_IN: [&str; 8] = [
    "defsubst",
    "cl-defsubst",
    "define-inline",
    "define-compiler-macro",
    "defconstant",
    "defconst",
    "define-constant",
    "define-symbol-macro",
];

impl ChangedFile<'_> {
    fn path(&self) -> Option<&Path> {
        self.now.or(self.before).map(|document| document.path.as_path())
    }
}

/// Heads of definitions that leave the value of a variable as it is when it has one.
const KEEPING: [&str; 7] =
    ["defvar", "defcustom", "defvar-local", "defonce", "define-once", "defglobal", "define-global"];

/// The variables, as pairs of space and name, that have a definition which leaves a present value as it is, and which says
/// another value than it did before. None if it is not known what was there before.
pub fn changed_variables(change: ChangedFile<'_>) -> Vec<(String, String)> {
    let (Some(now), Some(before)) = (change.now, change.before) else { return Vec::new() };
    let text = |document: &Document, one: &Definition| {
        let form = &document.facts.forms[one.form as usize];
        let head = form.head.rsplit([':', '/']).next().unwrap_or_default();
        KEEPING.contains(&head).then(|| document.text[form.span.range()].to_owned())
    };
    let is_other = |one: &&Definition| {
        let Some(now) = text(now, one) else { return false };
        let mut earlier = before.facts.definitions.iter().filter(|other| other.name == one.name);
        earlier.find_map(|other| text(before, other)).is_some_and(|before| before != now)
    };
    now.facts.definitions.iter().filter(is_other).map(|one| (one.space.clone(), one.name.clone())).collect()
}

impl Index {
    /// The files that have to be loaded again after changes of files of a dialect: the changed ones, and those with code
    /// that was made with what they define. `order` is what is known of the uses of files by others.
    pub fn concerned(&self, dialect: Dialect, order: &FileOrder, changes: &[ChangedFile<'_>]) -> HashSet<PathBuf> {
        let changed = changes.iter().filter_map(ChangedFile::path);
        if rules(dialect).files_name_others {
            return order.users_of(changed);
        }
        changed.map(Path::to_owned).chain(self.question(dialect).stale(changes)).collect()
    }
}

impl<'i> UseIndex<'i> {
    /// The files that the changes make stale, without the changed files themselves, in the order of their paths.
    pub fn stale(&self, changes: &[ChangedFile<'_>]) -> Vec<PathBuf> {
        let mut waiting: Vec<Concerned> = Vec::new();
        let mut packages: FxHashSet<String> = FxHashSet::default();
        for change in changes {
            self.changed(*change, &mut waiting, &mut packages);
        }
        let mut stale: FxHashSet<usize> = FxHashSet::default();
        let changed: FxHashSet<&PathBuf> =
            changes.iter().filter_map(|change| change.now.or(change.before)).map(|one| &one.path).collect();
        let numbers: FxHashMap<&PathBuf, usize> =
            self.documents().iter().enumerate().map(|(at, one)| (&one.path, at)).collect();
        for at in self.inside(packages) {
            stale.insert(at);
        }
        let mut seen: FxHashSet<Symbol> = waiting.iter().map(|one| one.symbol.clone()).collect();
        while let Some(concerned) = waiting.pop() {
            let uses = self.uses(&concerned.symbol);
            for hit in uses.hits.into_iter().chain(uses.unresolved) {
                if matches!(hit.used.kind, UseKind::Definition | UseKind::Export) {
                    continue;
                }
                if concerned.makes_stale(&hit)
                    && let Some(&at) = numbers.get(&hit.document.path)
                    && stale.insert(at)
                {
                    // It is loaded anew, and with it what would lose the methods of others.
                    let remade = concerned_definitions(self, hit.document, |_| true).into_iter();
                    waiting.extend(remade.filter(|one| one.loses_methods && seen.insert(one.symbol.clone())));
                }
                for symbol in self.defined_around(&hit) {
                    if seen.insert(symbol.clone()) {
                        let is_it = |one: &Definition| self.proper(&one.symbol()) == symbol;
                        waiting.extend(concerned_definitions(self, hit.document, is_it));
                    }
                }
            }
        }
        let mut paths: Vec<PathBuf> = stale.into_iter().map(|at| self.documents()[at].path.clone()).collect();
        paths.retain(|path| !changed.contains(path));
        paths.sort();
        paths
    }

    /// Adds what a change has made, changed and removed, and the packages whose declaration it changes.
    fn changed(&self, change: ChangedFile<'_>, found: &mut Vec<Concerned>, packages: &mut FxHashSet<String>) {
        let texts = |document: &Document| -> FxHashSet<String> {
            document.facts.forms.iter().map(|form| document.text[form.span.range()].to_owned()).collect()
        };
        let (now, before) = (change.now.map(texts), change.before.map(texts));
        for (document, others) in [(change.now, &before), (change.before, &now)] {
            let Some(document) = document else { continue };
            // The whole file is loaded anew.
            let remade = concerned_definitions(self, document, |_| true);
            found.extend(remade.into_iter().filter(|one| one.loses_methods));
            let is_other = |form: &FormRow| {
                others.as_ref().is_none_or(|others| !others.contains(&document.text[form.span.range()]))
            };
            let is_changed = |one: &Definition| is_other(&document.facts.forms[one.form as usize]);
            found.extend(concerned_definitions(self, document, is_changed));
            for space in document.facts.spaces.iter().filter(|space| !space.is_file()) {
                if document.facts.form_at(space.at).is_none_or(|at| is_other(&document.facts.forms[at as usize])) {
                    packages.insert(space.name.clone());
                    packages.extend(space.nicknames.iter().cloned());
                }
            }
        }
    }

    /// The files with code in one of the packages, or in one that imports from them.
    fn inside(&self, mut packages: FxHashSet<String>) -> Vec<usize> {
        if packages.is_empty() {
            return Vec::new();
        }
        loop {
            let before = packages.len();
            let importing = self.spaces().filter(|space| space.imports.iter().any(|one| packages.contains(&one.from)));
            let more: Vec<String> = importing.map(|space| space.name.clone()).collect();
            packages.extend(more);
            if packages.len() == before {
                break;
            }
        }
        let is_inside = |document: &&Document| document.facts.current.iter().any(|(_, space)| packages.contains(space));
        self.documents().iter().enumerate().filter(|(_, document)| is_inside(document)).map(|(at, _)| at).collect()
    }
}

/// The definitions of a file that `wanted` chooses, as ones that are concerned.
fn concerned_definitions(
    index: &UseIndex<'_>,
    document: &Document,
    wanted: impl Fn(&Definition) -> bool,
) -> Vec<Concerned> {
    let concerned = |one: &Definition| {
        let form = &document.facts.forms[one.form as usize];
        let is_built_in = match form.kind {
            FormKind::Macro | FormKind::Structure | FormKind::Type | FormKind::Addition | FormKind::Definition => true,
            _ => BUILT_IN.contains(&form.head.as_str()) || is_inline(document, &one.name),
        };
        let loses_methods = form.kind == FormKind::GenericFunction;
        Concerned { symbol: index.proper(&one.symbol()), is_built_in, loses_methods }
    };
    document.facts.definitions.iter().filter(|one| wanted(one)).map(concerned).collect()
}

/// The file declares that calls of the function may be built in.
fn is_inline(document: &Document, name: &str) -> bool {
    let declares = |form: &&FormRow| matches!(form.head.as_str(), "declaim" | "proclaim" | "declare-inline");
    document.facts.forms.iter().filter(declares).any(|form| {
        let text = document.text[form.span.range()].to_ascii_lowercase();
        let is_end = |character: char| character.is_whitespace() || matches!(character, '(' | ')');
        text.contains("inline") && text.split(is_end).any(|word| word.eq_ignore_ascii_case(name))
    })
}

impl Concerned {
    /// The use of it is in code that has to be made anew.
    fn makes_stale(&self, hit: &Hit<'_>) -> bool {
        if self.is_built_in || (self.loses_methods && hit.used.kind == UseKind::Method) {
            return true;
        }
        let is_run_later = |form: &FormRow| {
            matches!(
                form.kind,
                FormKind::Function | FormKind::Macro | FormKind::GenericFunction | FormKind::Method | FormKind::Test
            )
        };
        !hit.form.is_some_and(is_run_later)
    }
}
