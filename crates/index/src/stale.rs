//! The files that a change of other files makes stale: code in them was made with what the others defined.
//!
//! Where names are global, as in Common Lisp and Emacs Lisp, a call finds the present function whatever file has it. What
//! does not is code that a macro has made, an accessor or inline function that was built in, and a value that was
//! computed while the file was loaded. So a change is followed from definition to definition: a definition that uses a
//! changed one is concerned, and a file is stale if it has such code of a definition that is concerned.
//!
//! A file that is loaded again makes its generic functions and tables anew, without what other files have added to them.
//! And a form that was run while its file was loaded may have changed a variable of any file, as registering something
//! does: when that form changes, the variable has to be made anew, and whatever else is added to it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use lispwright_syntax::{Dialect, FormKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialects::rules;
use crate::facts::{Definition, FormRow, UseKind};
use crate::index::{Document, Index};
use crate::order::FileOrder;
use crate::question::{Hit, UseIndex};
use crate::resolve::{Referent, Symbol};
use crate::space::Exports;

/// A file that has changed since an image loaded it.
#[derive(Clone, Copy, Debug)]
pub struct RevisedFile<'i> {
    /// As it is now; `None` if it is not there.
    pub now: Option<&'i Document>,
    /// As it was loaded, if that is known.
    pub before: Option<&'i Document>,
}

/// What changes of files concern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Concern {
    /// The files that have to be loaded again.
    pub files: HashSet<PathBuf>,
    /// Those of them with code that was made with what has changed, whether an image has loaded them or not. The others only
    /// use the files.
    pub made: HashSet<PathBuf>,
    /// For each of them the variables, as pairs of space and name, whose definition leaves a present value as it is and
    /// says another one than before, or that had a definition before and have none.
    pub variables: HashMap<PathBuf, Vec<(String, String)>>,
}

/// What is found of a definition that is concerned.
#[derive(Clone, Debug)]
struct Concerned {
    symbol: Symbol,
    /// Code that uses it was made with it: a macro, an accessor, an inline function, a constant.
    is_built_in: bool,
    /// The form makes it anew, without what others have added to it.
    loses_additions: bool,
    /// It means something else than before, and is not only made anew.
    is_changed: bool,
    /// What was there before is known, so variables that it gave a value get another one.
    is_known: bool,
}

/// Heads of definitions whose uses are built in although they define functions or variables.
const BUILT_IN: [&str; 10] = [
    "defsubst",
    "cl-defsubst",
    "define-inline",
    "define-inlinable",
    "define-integrable",
    "define-compiler-macro",
    "defconstant",
    "defconst",
    "define-constant",
    "define-symbol-macro",
];

impl RevisedFile<'_> {
    fn path(&self) -> Option<&Path> {
        self.now.or(self.before).map(|document| document.path.as_path())
    }
}

/// Heads of definitions that leave the value of a variable as it is when it has one.
const KEEPING: [&str; 7] =
    ["defvar", "defcustom", "defvar-local", "defonce", "define-once", "defglobal", "define-global"];

/// Heads of forms that are not run when their file is loaded.
const NOT_RUN: [&str; 1] = ["comment"];

/// Symbols that are followed from a form that is run while its file is loaded.
const MOST_RUN: usize = 300;

/// The definition leaves a value as it is.
fn is_keeping(form: &FormRow) -> bool {
    KEEPING.contains(&form.head.rsplit([':', '/']).next().unwrap_or_default())
}

/// The variables that have a definition which leaves a present value as it is, if it says another value than it did before
/// or is gone. None if it is not known what was there before.
fn changed_variables(change: RevisedFile<'_>) -> Vec<(String, String)> {
    let (Some(now), Some(before)) = (change.now, change.before) else { return Vec::new() };
    let text = |document: &Document, one: &Definition| {
        let form = &document.facts.forms[one.form as usize];
        is_keeping(form).then(|| document.text[form.span.range()].to_owned())
    };
    let is_other = |one: &&Definition| {
        let Some(before) = text(before, one) else { return false };
        let mut present = now.facts.definitions.iter().filter(|other| other.name == one.name);
        present.find_map(|other| text(now, other)).is_none_or(|now| before != now)
    };
    before.facts.definitions.iter().filter(is_other).map(|one| (one.space.clone(), one.name.clone())).collect()
}

/// The names that the spaces of a file export and did not export before, and those that they exported.
fn changed_exports<'i>(change: RevisedFile<'i>) -> Vec<&'i str> {
    let (Some(now), Some(before)) = (change.now, change.before) else { return Vec::new() };
    let names = |document: &'i Document| -> FxHashSet<(&'i str, &'i str)> {
        let named = document.facts.spaces.iter().filter_map(|space| match &space.exports {
            Exports::Names(names) => Some(names.iter().map(|name| (space.name.as_str(), name.as_str()))),
            _ => None,
        });
        named.flatten().collect()
    };
    names(now).symmetric_difference(&names(before)).map(|(_, name)| *name).collect()
}

impl Index {
    /// What has to be done after changes of files of a dialect that an image has loaded: the changed files, and those with
    /// code that was made with what they define. `order` is what is known of the uses of files by others.
    pub fn concerned(&self, dialect: Dialect, order: &FileOrder, changes: &[RevisedFile<'_>]) -> Concern {
        let changed = || changes.iter().filter_map(RevisedFile::path);
        let parts = self.file_parts(dialect);
        let mut concern = self.question(dialect).stale(changes);
        concern.made.extend(parts.users_of(changed()));
        if rules(dialect).files_name_others {
            concern.files.extend(order.users_of(changed()));
            concern.files = order.users_of(concern.files.iter().map(PathBuf::as_path));
        } else {
            // Whether a circle can be loaded shows only when all of it is; a file has changed with its parts.
            concern.files.extend(order.circles_of(changed()));
            concern.files.extend(parts.users_of(changed()));
        }
        concern.files.extend(changed().map(Path::to_owned));
        concern
    }
}

/// A search for what changes concern.
struct Search<'q, 'i> {
    question: &'q UseIndex<'i>,
    waiting: Vec<Concerned>,
    seen: FxHashSet<Symbol>,
    /// Numbers of files.
    stale: FxHashSet<usize>,
    /// The last ones of them, which make anew what others have added to.
    reloaded: Vec<usize>,
    numbers: FxHashMap<&'i Path, usize>,
    /// Variables to be set anew, as pairs of a file's number and their definition.
    variables: FxHashSet<(usize, String, String)>,
}

impl<'i> UseIndex<'i> {
    /// What the changes make stale, without the changed files themselves.
    pub fn stale(&self, changes: &[RevisedFile<'_>]) -> Concern {
        let numbers = self.documents().iter().enumerate().map(|(at, one)| (one.path.as_path(), at)).collect();
        let mut search = Search {
            question: self,
            waiting: Vec::new(),
            seen: FxHashSet::default(),
            stale: FxHashSet::default(),
            reloaded: Vec::new(),
            numbers,
            variables: FxHashSet::default(),
        };
        let mut packages: FxHashSet<String> = FxHashSet::default();
        for change in changes {
            search.changed(*change, &mut packages);
        }
        let exports: FxHashSet<&str> = changes.iter().flat_map(|change| changed_exports(*change)).collect();
        let declared = packages.clone();
        let packages = self.importing(packages);
        for at in self.inside(&packages, &declared) {
            search.reload(at);
        }
        // What the name is in these packages may be another symbol now.
        for (space, name) in packages.iter().flat_map(|space| exports.iter().map(move |name| (space, *name))) {
            let symbol = Symbol { space: space.clone(), name: name.to_owned() };
            search.waiting.push(Concerned {
                symbol,
                is_built_in: true,
                loses_additions: false,
                is_changed: true,
                is_known: true,
            });
        }
        search.follow();
        for document in changes.iter().flat_map(|change| change.now.into_iter().chain(change.before)) {
            search.remade(document);
        }
        search.follow();
        while let Some(at) = search.reloaded.pop() {
            search.remade(self.documents()[at]);
            search.follow();
        }
        let path = |at: &usize| self.documents()[*at].path.clone();
        let changed: FxHashSet<&Path> = changes.iter().filter_map(RevisedFile::path).collect();
        let mut variables: HashMap<PathBuf, Vec<(String, String)>> = HashMap::new();
        for (at, space, name) in &search.variables {
            variables.entry(path(at)).or_default().push((space.clone(), name.clone()));
        }
        for change in changes {
            if let Some(path) = change.path() {
                variables.entry(path.to_owned()).or_default().extend(changed_variables(*change));
            }
        }
        variables.retain(|_, names| {
            names.sort();
            names.dedup();
            !names.is_empty()
        });
        let files: HashSet<PathBuf> =
            search.stale.iter().map(path).filter(|path| !changed.contains(path.as_path())).collect();
        Concern { made: files.clone(), files, variables }
    }

    /// The packages, and those that import from them, also through others.
    fn importing(&self, mut packages: FxHashSet<String>) -> FxHashSet<String> {
        while !packages.is_empty() {
            let before = packages.len();
            let importing = self.spaces().filter(|space| space.imports.iter().any(|one| packages.contains(&one.from)));
            let more: Vec<String> = importing.map(|space| space.name.clone()).collect();
            packages.extend(more);
            if packages.len() == before {
                break;
            }
        }
        packages
    }

    /// The files with code in one of the packages, and those that write the name of one that is `declared` before a symbol.
    fn inside(&self, packages: &FxHashSet<String>, declared: &FxHashSet<String>) -> Vec<usize> {
        if packages.is_empty() {
            return Vec::new();
        }
        let is_inside = |document: &&Document| {
            document.facts.current.iter().any(|(_, space)| packages.contains(space))
                || !document.qualifiers().is_disjoint(declared)
        };
        self.documents().iter().enumerate().filter(|(_, document)| is_inside(document)).map(|(at, _)| at).collect()
    }
}

impl<'i> Search<'_, 'i> {
    /// Adds what a change has made, changed and removed, and the packages whose declaration it changes.
    fn changed(&mut self, change: RevisedFile<'_>, packages: &mut FxHashSet<String>) {
        let texts = |document: &Document| -> FxHashSet<String> {
            document.facts.forms.iter().map(|form| document.text[form.span.range()].to_owned()).collect()
        };
        let (now, before) = (change.now.map(texts), change.before.map(texts));
        let is_known = change.before.is_some();
        for (document, others) in [(change.now, &before), (change.before, &now)] {
            let Some(document) = document else { continue };
            let is_other = |form: &FormRow| {
                others.as_ref().is_none_or(|others| !others.contains(&document.text[form.span.range()]))
            };
            let is_changed = |one: &Definition| is_other(&document.facts.forms[one.form as usize]);
            self.add(document, is_changed, true, is_known);
            for space in document.facts.spaces.iter().filter(|space| !space.is_file()) {
                if document.facts.form_at(space.at).is_none_or(|at| is_other(&document.facts.forms[at as usize])) {
                    packages.insert(space.name.clone());
                    packages.extend(space.nicknames.iter().cloned());
                }
            }
            if is_known {
                for form in document.facts.forms.iter().filter(|form| is_run(form) && is_other(form)) {
                    self.ran(document, form);
                }
            }
        }
    }

    /// Adds the definitions of a file that `wanted` chooses.
    fn add(&mut self, document: &Document, wanted: impl Fn(&Definition) -> bool, is_changed: bool, is_known: bool) {
        for one in document.facts.definitions.iter().filter(|one| wanted(one)) {
            let concerned = Concerned { is_changed, is_known, ..self.concerned(document, one) };
            // It may have been another kind of thing before.
            if self.seen.insert(concerned.symbol.clone()) || is_changed {
                self.waiting.push(concerned);
            }
        }
    }

    fn reload(&mut self, at: usize) {
        if self.stale.insert(at) {
            self.reloaded.push(at);
        }
    }

    /// A definition, changed as far as it is known.
    fn concerned(&self, document: &Document, one: &Definition) -> Concerned {
        let form = &document.facts.forms[one.form as usize];
        let is_built_in = match form.kind {
            FormKind::Macro | FormKind::Structure | FormKind::Type | FormKind::Addition | FormKind::Definition => true,
            _ => BUILT_IN.contains(&form.head.as_str()) || is_inline(document, &one.name),
        };
        let loses_additions = form.kind == FormKind::GenericFunction || is_made_table(document, form);
        let symbol = self.question.proper(&one.symbol());
        Concerned { symbol, is_built_in, loses_additions, is_changed: true, is_known: true }
    }

    /// Adds what a file that is loaded again makes anew, without what others have added to it.
    fn remade(&mut self, document: &Document) {
        let loses = |one: &Definition| self.concerned(document, one).loses_additions;
        let losing = document.facts.definitions.iter().filter(|one| loses(one));
        let forms: FxHashSet<u32> = losing.map(|one| one.form).collect();
        self.add(document, |one| forms.contains(&one.form), false, false);
    }

    /// Adds the variables that a form of the file may have changed while it was loaded: it will do so anew.
    fn ran(&mut self, document: &Document, form: &FormRow) {
        let used = |document: &Document, form: &FormRow| -> Vec<Symbol> {
            let inside = document.facts.uses.iter().filter(|used| form.span.contains(used.start));
            let counted =
                inside.filter(|used| used.kind != UseKind::Definition && self.question.counts(document, **used));
            let meant = counted.filter_map(|used| match self.question.meaning(document, *used) {
                Referent::Is(symbol) => Some(symbol),
                Referent::Unknown(_) => None,
            });
            meant.collect()
        };
        let mut waiting = used(document, form);
        let mut seen: FxHashSet<Symbol> = waiting.iter().cloned().collect();
        let mut variables = Vec::new();
        while let Some(symbol) = waiting.pop() {
            for (document, one) in self.question.definitions(&symbol) {
                let form = &document.facts.forms[one.form as usize];
                if form.kind == FormKind::Variable {
                    variables.push((document, one));
                } else if is_run_later(form) && form.kind != FormKind::Test && seen.len() < MOST_RUN {
                    waiting.extend(used(document, form).into_iter().filter(|symbol| seen.insert(symbol.clone())));
                }
            }
        }
        for (document, one) in variables {
            let Some(&at) = self.numbers.get(document.path.as_path()) else { continue };
            self.reload(at);
            self.note_variable(at, document, one.form);
            let concerned = self.concerned(document, one);
            self.seen.insert(concerned.symbol.clone());
            self.waiting.push(concerned);
        }
    }

    /// Notes that the variables of a form have to be set anew, if it would leave their values as they are.
    fn note_variable(&mut self, at: usize, document: &Document, form: u32) {
        if is_keeping(&document.facts.forms[form as usize]) {
            let defined = document.facts.definitions.iter().filter(|one| one.form == form);
            self.variables.extend(defined.map(|one| (at, one.space.clone(), one.name.clone())));
        }
    }

    /// Follows what is concerned to whatever uses it.
    fn follow(&mut self) {
        while let Some(concerned) = self.waiting.pop() {
            let uses = self.question.uses(&concerned.symbol);
            for hit in uses.hits.into_iter().chain(uses.unresolved) {
                if matches!(hit.used.kind, UseKind::Definition | UseKind::Export) {
                    continue;
                }
                if (concerned.makes_stale(&hit) || is_run_before(&hit))
                    && let Some(&at) = self.numbers.get(hit.document.path.as_path())
                {
                    if concerned.is_known
                        && let Some(form) = hit.document.facts.form_at(hit.used.start)
                    {
                        self.note_variable(at, hit.document, form);
                    }
                    self.reload(at);
                }
                for symbol in self.question.defined_around(&hit) {
                    if !self.seen.contains(&symbol) {
                        let is_it = |one: &Definition| self.question.proper(&one.symbol()) == symbol;
                        let own: Vec<&Definition> =
                            hit.document.facts.definitions.iter().filter(|one| is_it(one)).collect();
                        for one in own {
                            let next = self.concerned(hit.document, one);
                            let Concerned { is_changed, is_known, .. } = concerned;
                            self.waiting.push(Concerned { is_changed, is_known, ..next });
                        }
                        self.seen.insert(symbol);
                    }
                }
            }
        }
    }
}

/// The form makes a table or list that others may add to, and makes it anew each time.
fn is_made_table(document: &Document, form: &FormRow) -> bool {
    if form.kind != FormKind::Variable || is_keeping(form) {
        return false;
    }
    let value = document.text[form.name.end as usize..form.span.end as usize].trim_start();
    value.starts_with('(')
}

/// The form is run while its file is loaded, and defines nothing.
fn is_run(form: &FormRow) -> bool {
    form.kind == FormKind::Expression && !NOT_RUN.contains(&form.head.as_str())
}

/// The code of the form is run after its file was loaded.
fn is_run_later(form: &FormRow) -> bool {
    matches!(
        form.kind,
        FormKind::Function | FormKind::Macro | FormKind::GenericFunction | FormKind::Method | FormKind::Test
    )
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

/// Words of code whose parts are run before it is: when it is read, expanded, compiled or loaded.
const RUN_BEFORE: [&str; 5] = ["#.", "load-time-value", "macrolet", "eval-when", "compile-time"];

/// The use may be in code that is run before the form around it is.
fn is_run_before(hit: &Hit<'_>) -> bool {
    let text = |form: &FormRow| hit.document.text[form.span.range()].to_ascii_lowercase();
    hit.form().is_some_and(|form| {
        let text = text(form);
        RUN_BEFORE.iter().any(|word| text.contains(word))
    })
}

impl Concerned {
    /// The use of it is in code that has to be made anew.
    fn makes_stale(&self, hit: &Hit<'_>) -> bool {
        if self.is_built_in && self.is_changed || (self.loses_additions && hit.used.kind == UseKind::Method) {
            return true;
        }
        !hit.form().is_some_and(is_run_later)
    }
}
