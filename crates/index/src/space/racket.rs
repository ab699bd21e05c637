//! Modules of Racket: files, `module`, `module*` and `module+` in them, what they require and what they provide
//! (reference, 3.1 and 3.2).
//!
//! A module is called by its file: `file:/project/area.rkt`, a submodule by its path in that, `file:/project/area.rkt#test`.
//! A file that is required by the name of its collection is `lib:shop/area.rkt`, until all files of the project are known.
//!
//! The phases of a module are not told apart: a name that is required for syntax is a name of the module.

use std::path::Path;
use std::rc::Rc;

use lispwright_syntax::name::canonical_symbol;
use lispwright_syntax::{Datum, Dialect, ListId, Span};

use super::names::Set;
use super::{Declared, Exports, Import, ImportKind, Provide, Provided, Space};
use crate::data::Prefix;
use crate::facts::FILE_SPACE;
use crate::links::{Link, Thing, Tie};
use crate::resolve::{Written, without_parents};
use crate::walk::Walk;

/// The beginning of the names of modules that are given by their collection.
pub(crate) const LIBRARY: &str = "lib:";

/// Divides the name of a submodule from that of the module around it.
pub(crate) const SUBMODULE: char = '#';

/// Collections of the distribution: they have no names of a project.
const COLLECTIONS: &[&str] = &[
    "racket",
    "scheme",
    "mzlib",
    "mzscheme",
    "typed",
    "typed-racket",
    "syntax",
    "rackunit",
    "net",
    "json",
    "xml",
    "db",
    "file",
    "data",
    "setup",
    "compiler",
    "ffi",
    "openssl",
    "web-server",
    "slideshow",
    "pict",
    "plot",
    "math",
    "framework",
    "mred",
    "mrlib",
    "drracket",
    "browser",
    "scribble",
    "scriblib",
    "srfi",
    "r5rs",
    "r6rs",
    "lang",
    "htdp",
    "test-engine",
    "parser-tools",
    "syntax-color",
    "raco",
    "version",
    "info",
    "redex",
    "profile",
    "errortrace",
    "launcher",
    "config",
    "readline",
    "xrepl",
    "string-constants",
    "images",
    "pkg",
    "planet",
];

/// Languages that read another one, whose name comes next.
const META_LANGUAGES: &[&str] = &["at-exp", "s-exp", "debug", "errortrace", "reader"];

/// Heads of specifications whose parts are specifications after so many other data.
const GROUPS: &[(&str, usize)] = &[
    ("combine-in", 0),
    ("for-syntax", 0),
    ("for-template", 0),
    ("for-meta", 1),
    ("just-meta", 1),
    ("only-meta-in", 1),
    ("matching-identifiers-in", 1),
    ("filtered-in", 1),
    ("relative-in", 1),
    ("combine-out", 0),
    ("protect-out", 0),
    ("protect", 0),
    ("for-label", 0),
    ("matching-identifiers-out", 1),
    ("filtered-out", 1),
];

/// Those of them whose function makes other names of the names in them, or takes some away (`racket/require`,
/// `racket/provide`).
const MAKING: &[&str] = &["filtered-in", "filtered-out"];

/// Heads of specifications whose names are bound in the space of bindings that comes next, `#f` for the one of all code
/// (reference, 3.2).
const OF_BINDING_SPACE: &[&str] = &["for-space", "just-space", "only-space-in"];

/// Reads a symbol, which has no qualifier.
pub(crate) fn written(text: &str) -> Written<'_> {
    Written::plain(canonical_symbol(Dialect::Racket, text))
}

/// The module of a file: its language is said in the first line.
pub(crate) fn begins(walk: &Walk<'_>) -> Option<Space> {
    let mut data = walk.tree.top_level();
    let mut language = data.next()?;
    match walk.source(language) {
        "#lang" => language = data.next()?,
        _ => return None,
    }
    while META_LANGUAGES.contains(&walk.source(language)) {
        language = data.next()?;
    }
    let name = walk.current(0);
    let mut space = Space::new(name.to_owned(), 0);
    let from = match walk.source(language) {
        "info" => Some(library("setup/infotab")),
        _ => module(walk, language, name),
    };
    space.imports.extend(from.map(|from| Import { kind: ImportKind::Language, ..import(from) }));
    Some(space)
}

/// The name of a module that a datum gives as `require` takes it, for code in the module `current`.
pub(crate) fn module(walk: &Walk<'_>, datum: Datum, current: &str) -> Option<String> {
    let inside = |name: &str| format!("{current}{SUBMODULE}{name}");
    let Some(list) = datum.list() else {
        let text = walk.source(datum);
        return match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(path) => relative(current, path),
            None if walk.is_prefixed(datum, Prefix::Quote) => Some(inside(text)),
            None => walk.symbol(datum).map(library),
        };
    };
    let mut data = walk.data(list);
    let head = data.next().map_or("", |head| walk.source(head));
    let strings = |data: &mut dyn Iterator<Item = Datum>| -> Vec<String> {
        data.map(|part| walk.source(part).trim_matches('"').to_owned()).collect()
    };
    match head {
        "quote" => data.next().map(|name| inside(walk.source(name))),
        "file" => relative(current, walk.source(data.next()?).trim_matches('"')),
        "lib" => match strings(&mut data).as_slice() {
            [] => None,
            [path] => Some(library(path)),
            [file, collections @ ..] => Some(library(&format!("{}/{file}", collections.join("/")))),
        },
        "planet" => Some(format!("planet:{}", strings(&mut data).join("/"))),
        "submod" => {
            let root = data.next()?;
            let mut name = match walk.source(root) {
                "\".\"" => current.to_owned(),
                "\"..\"" => around(current).to_owned(),
                _ if root.list().is_none() => module_of_atom(walk, root, current)?,
                _ => return None,
            };
            for part in data {
                match walk.source(part) {
                    "\"..\"" => name.truncate(around(&name).len()),
                    part => name = format!("{name}{SUBMODULE}{part}"),
                }
            }
            Some(name)
        }
        _ => None,
    }
}

fn module_of_atom(walk: &Walk<'_>, datum: Datum, current: &str) -> Option<String> {
    datum.list().is_none().then(|| module(walk, datum, current)).flatten()
}

/// The module around a submodule; the module itself if it is none.
fn around(name: &str) -> &str {
    name.rsplit_once(SUBMODULE).map_or(name, |(around, _)| around)
}

/// The module of a file of a module, whose path is given from the directory of that file.
fn relative(current: &str, path: &str) -> Option<String> {
    let file = current.strip_prefix(FILE_SPACE)?;
    let file = file.split(SUBMODULE).next().unwrap_or(file);
    let path = without_parents(&Path::new(file).parent()?.join(with_present_ending(path)));
    Some(format!("{FILE_SPACE}{}", path.display()))
}

/// The module of a file in a collection.
fn library(path: &str) -> String {
    let path = path.trim_matches('/');
    match path.rsplit('/').next() {
        Some(last) if last.contains('.') => format!("{LIBRARY}{}", with_present_ending(path)),
        _ if path.contains('/') => format!("{LIBRARY}{path}.rkt"),
        _ => format!("{LIBRARY}{path}/main.rkt"),
    }
}

/// Files were called `.ss` once, and still are when they are required.
fn with_present_ending(path: &str) -> String {
    path.strip_suffix(".ss").map_or_else(|| path.to_owned(), |path| format!("{path}.rkt"))
}

/// An import of all exports of a module.
fn import(from: String) -> Import {
    let is_implicit = from.strip_prefix(LIBRARY).is_some_and(is_of_distribution);
    Import { is_implicit, ..Import::all(from) }
}

/// The path of a module begins with the name of a collection of the distribution.
pub(crate) fn is_of_distribution(path: &str) -> bool {
    path.split('/').next().is_some_and(|first| COLLECTIONS.contains(&first))
}

/// The declaration in a form.
pub(crate) fn read(walk: &Walk<'_>, head: &str, datum: Datum, list: ListId) -> Option<Declared> {
    let start = walk.tree.core_span(datum).start;
    let mut data = walk.data(list).skipping(1);
    let current = walk.current(start).to_owned();
    let mut reading = Reading::new(walk, current.clone(), start);
    match head {
        "module" | "module*" | "module+" => {
            let name = walk.source(data.next()?);
            let is_file = head == "module" && walk.tree.top_level().next() == Some(datum);
            let space = if is_file { current.clone() } else { format!("{current}{SUBMODULE}{name}") };
            let language = if head == "module+" { None } else { data.next() };
            let is_inside = head == "module+" || language.is_some_and(|language| walk.source(language) == "#f");
            let mut space = Space::new(space, start);
            if is_inside {
                space.imports.push(Import { kind: ImportKind::Inside, ..Import::all(current) });
            } else if let Some(from) = language.and_then(|language| module(walk, language, &current)) {
                space.imports.push(Import { kind: ImportKind::Language, ..import(from) });
            }
            return Some(Declared { space: Some(space), ..Declared::default() });
        }
        "require" | "#%require" | "local-require" => data.for_each(|spec| reading.require(spec)),
        "provide" | "#%provide" => data.for_each(|spec| reading.provide(spec)),
        "provide/contract" => reading.contracts(data.collect(), None),
        "require/typed" | "require/typed/provide" => reading.require_typed(data.collect(), head.ends_with("provide")),
        "require/expose" => reading.expose(data.collect()),
        "lazy-require" => data.for_each(|clause| reading.lazy(clause)),
        "dynamic-require" => reading.dynamic(data.collect()),
        "include" => {
            let place = data.next()?;
            let file = walk.source(place).strip_prefix('"')?.strip_suffix('"')?.to_owned();
            let span = walk.tree.core_span(place);
            let link = Link { span, thing: Thing::File, tie: Tie::Loads, name: file.clone() };
            return Some(Declared { included: vec![file], links: vec![link], ..Declared::default() });
        }
        _ => return None,
    }
    let Reading { space, declared, .. } = reading;
    Some(Declared { space: Some(space), ..declared })
}

/// What stands around a specification: each changes the names of what is in it. The innermost comes first.
#[derive(Clone)]
struct Around {
    word: Change,
    outer: Option<Rc<Around>>,
}

#[derive(Clone)]
enum Change {
    Prefix(String),
    Only(Vec<(Datum, Datum)>),
    Except(Vec<Datum>),
    Rename(Vec<(Datum, Datum)>),
    /// The names are in another space of bindings, which macros look into, and no names of other code.
    OtherSpace,
}

impl Around {
    fn is_in_other_space(&self) -> bool {
        let mut all = std::iter::successors(Some(self), |around| around.outer.as_deref());
        all.any(|around| matches!(around.word, Change::OtherSpace))
    }
}

/// A declaration that is being read.
struct Reading<'w, 't> {
    walk: &'w Walk<'t>,
    current: String,
    space: Space,
    declared: Declared,
}

type Waiting = Vec<(Datum, Option<Rc<Around>>)>;

impl<'w, 't> Reading<'w, 't> {
    fn new(walk: &'w Walk<'t>, current: String, start: u32) -> Self {
        Self { walk, space: Space::new(current.clone(), start), current, declared: Declared::default() }
    }

    fn source(&self, datum: Datum) -> &'t str {
        self.walk.source(datum)
    }

    fn span(&self, datum: Datum) -> Span {
        self.walk.tree.core_span(datum)
    }

    fn name(&self, datum: Datum) -> String {
        canonical_symbol(Dialect::Racket, self.source(datum))
    }

    fn inside(&self, datum: Datum) -> Vec<Datum> {
        self.walk.inside(Some(datum))
    }

    /// `name`, or `(old new)`.
    fn pair(&self, datum: Datum) -> Option<(Datum, Datum)> {
        match self.inside(datum)[..] {
            [] if datum.list().is_none() => Some((datum, datum)),
            [old, new] => Some((old, new)),
            _ => None,
        }
    }

    fn pairs(&self, data: &[Datum]) -> Vec<(Datum, Datum)> {
        data.iter().filter_map(|datum| self.pair(*datum)).collect()
    }

    // Imports.

    /// A specification of `require`, or of the older `#%require` and `mzscheme`.
    fn require(&mut self, spec: Datum) {
        let mut waiting: Waiting = vec![(spec, None)];
        while let Some((spec, around)) = waiting.pop() {
            let parts = self.inside(spec);
            let inner = |word| Some(Rc::new(Around { word, outer: around.clone() }));
            let Some((&head, rest)) = parts.split_first() else {
                self.import(spec, around.as_deref());
                continue;
            };
            match (self.source(head), rest) {
                ("only-in" | "only", [spec, names @ ..]) => {
                    waiting.push((*spec, inner(Change::Only(self.pairs(names)))));
                }
                ("except-in" | "all-except", [spec, names @ ..]) => {
                    waiting.push((*spec, inner(Change::Except(names.to_vec()))));
                }
                ("prefix-in" | "prefix", [prefix, spec]) => {
                    waiting.push((*spec, inner(Change::Prefix(self.name(*prefix)))));
                }
                ("prefix-all-except", [prefix, spec, names @ ..]) => {
                    let outer = inner(Change::Prefix(self.name(*prefix)));
                    waiting.push((*spec, Some(Rc::new(Around { word: Change::Except(names.to_vec()), outer }))));
                }
                ("rename-in", [spec, names @ ..]) => {
                    waiting.push((*spec, inner(Change::Rename(self.pairs(names)))));
                }
                // What the other modules have is not known here: fewer names than these are asked for.
                ("subtract-in", [spec, others @ ..]) => {
                    waiting.push((*spec, around.clone()));
                    for path in others {
                        let from = module(self.walk, *path, &self.current);
                        self.link(*path, from.as_deref(), Tie::Imports);
                    }
                }
                // The older form has the new name first.
                ("rename", [spec, new, old]) => waiting.push((*spec, inner(Change::Only(vec![(*old, *new)])))),
                // Documentation means the names that it shows.
                ("for-label", specs) if self.walk.tree.language().has_at_forms() => {
                    waiting.extend(specs.iter().map(|spec| (*spec, around.clone())));
                }
                ("for-label", _) => {}
                ("multi-in", [collection, files]) => {
                    for file in self.inside(*files) {
                        let path = format!("{}/{}", self.source(*collection), self.source(file));
                        let from = if path.starts_with('"') {
                            relative(&self.current, &path.replace('"', ""))
                        } else {
                            Some(library(&path))
                        };
                        self.add(from, around.as_deref());
                    }
                }
                (word, [space, specs @ ..]) if OF_BINDING_SPACE.contains(&word) => {
                    let around = if self.source(*space) == "#f" { around } else { inner(Change::OtherSpace) };
                    waiting.extend(specs.iter().rev().map(|spec| (*spec, around.clone())));
                }
                (word, rest) => match GROUPS.iter().find(|(group, _)| *group == word) {
                    Some((_, skipped)) => {
                        self.space.imports_more |= MAKING.contains(&word);
                        waiting.extend(rest.iter().skip(*skipped).rev().map(|spec| (*spec, around.clone())));
                    }
                    None if module(self.walk, spec, &self.current).is_some() => self.import(spec, around.as_deref()),
                    // A form that the project defines with `make-require-transformer`.
                    None => {
                        self.declared.called.push(self.span(head));
                        self.space.imports_more = true;
                        for path in rest {
                            let from = module(self.walk, *path, &self.current);
                            self.link(*path, from.as_deref(), Tie::Imports);
                        }
                    }
                },
            }
        }
    }

    fn import(&mut self, module_path: Datum, around: Option<&Around>) {
        let from = module(self.walk, module_path, &self.current);
        self.link(module_path, from.as_deref(), Tie::Imports);
        self.add(from, around);
    }

    /// Notes that a place names the file of a module.
    fn link(&mut self, place: Datum, module: Option<&str>, tie: Tie) {
        let file = module.and_then(|module| module.strip_prefix(FILE_SPACE).or(module.strip_prefix(LIBRARY)));
        let file = file.and_then(|file| file.split(SUBMODULE).next());
        let is_other = file.filter(|file| self.current.strip_prefix(FILE_SPACE) != Some(file));
        self.declared.links.extend(is_other.map(|file| Link {
            span: self.span(place),
            thing: Thing::File,
            tie,
            name: file.to_owned(),
        }));
    }

    fn add(&mut self, from: Option<String>, mut around: Option<&Around>) {
        let Some(from) = from else { return };
        if around.is_some_and(Around::is_in_other_space) {
            // Code in the forms of that space can have names from there.
            self.space.imports_more = true;
            return;
        }
        let mut set = Set { imports: vec![import(from.clone())] };
        while let Some(Around { word, outer }) = around {
            match word {
                Change::Prefix(prefix) => set.prefix(prefix),
                Change::Only(pairs) => {
                    self.mention(pairs, &from);
                    set.only(pairs.iter().map(|(old, _)| self.name(*old)).collect());
                    let renamed = pairs.iter().filter(|(old, new)| old != new);
                    set.rename(renamed.map(|(old, new)| (self.name(*old), self.name(*new))).collect());
                }
                Change::Except(names) => {
                    let pairs: Vec<_> = names.iter().map(|name| (*name, *name)).collect();
                    self.mention(&pairs, &from);
                    set.except(&names.iter().map(|name| self.name(*name)).collect::<Vec<_>>());
                }
                Change::Rename(pairs) => {
                    self.mention(pairs, &from);
                    set.rename(pairs.iter().map(|(old, new)| (self.name(*old), self.name(*new))).collect());
                }
                Change::OtherSpace => {}
            }
            around = outer.as_deref();
        }
        self.space.imports.append(&mut set.imports);
    }

    /// Notes names of another module.
    fn mention(&mut self, pairs: &[(Datum, Datum)], from: &str) {
        let names = pairs.iter().map(|(theirs, _)| *theirs).filter(|name| name.list().is_none());
        let spans: Vec<Span> = names.map(|name| self.span(name)).collect();
        self.declared.elsewhere.extend(spans.into_iter().map(|span| (span, from.to_owned())));
    }

    /// `(module-path clause…)`, where a clause is `[name type]`, `[#:struct name …]` or `[#:opaque type predicate]`.
    fn require_typed(&mut self, data: Vec<Datum>, provides: bool) {
        let mut data = data.into_iter();
        let Some(path) = data.next() else { return };
        let Some(from) = module(self.walk, path, &self.current) else { return };
        self.link(path, Some(&from), Tie::Imports);
        let firsts: Vec<Datum> = data.filter_map(|clause| self.inside(clause).first().copied()).collect();
        let pairs = self.pairs(&firsts).into_iter().filter(|(theirs, _)| !self.source(*theirs).starts_with('#'));
        let pairs: Vec<_> = pairs.collect();
        for (_, ours) in pairs.iter().filter(|_| provides) {
            self.export(*ours, *ours, None);
        }
        let before = self.space.imports.len();
        self.add(Some(from), Some(&Around { word: Change::Only(pairs), outer: None }));
        // The names count as definitions of this module.
        let gives_on = self.walk.text.contains("all-defined");
        self.space.imports[before..].iter_mut().for_each(|import| import.reexports = gives_on);
    }

    /// `(module-path (name…))`: names that the module defines and need not export, as rackunit's tests ask for them.
    fn expose(&mut self, data: Vec<Datum>) {
        let [path, names, ..] = data[..] else { return };
        let Some(from) = module(self.walk, path, &self.current) else { return };
        self.link(path, Some(&from), Tie::Imports);
        let names = self.inside(names).into_iter().filter(|name| name.list().is_none());
        let names: Vec<(Span, String)> = names.map(|name| (self.span(name), self.name(name))).collect();
        let only = names.iter().map(|(_, name)| (name.clone(), name.clone())).collect();
        // The names count as definitions of this module.
        let reexports = self.walk.text.contains("all-defined");
        self.space.imports.push(Import { only: Some(only), reexports, ..import(from.clone()) });
        self.declared.within.extend(names.into_iter().map(|(span, _)| (span, from.clone())));
    }

    /// `(module-path (name…))`
    fn lazy(&mut self, clause: Datum) {
        let parts = self.inside(clause);
        let [path, names, ..] = parts[..] else { return };
        let Some(from) = module(self.walk, path, &self.current) else { return };
        self.link(path, Some(&from), Tie::Loads);
        let pairs = self.pairs(&self.inside(names));
        self.add(Some(from), Some(&Around { word: Change::Only(pairs), outer: None }));
    }

    /// `(dynamic-require module-path 'name)`
    fn dynamic(&mut self, data: Vec<Datum>) {
        let [path, name, ..] = data[..] else { return };
        let is_quoted = self.walk.is_prefixed(name, Prefix::Quote) && name.list().is_none();
        // `'racket/list` is the name of a module here, unlike in `require`.
        let from = match self.source(path) {
            text if text.starts_with('"') => module(self.walk, path, &self.current),
            text if path.list().is_none() && self.walk.is_prefixed(path, Prefix::Quote) => Some(library(text)),
            _ => None,
        };
        self.link(path, from.as_deref(), Tie::Looks);
        if let Some(from) = from.filter(|_| is_quoted) {
            self.declared.looked_up.push((self.span(name), from));
        }
    }

    // Exports.

    /// A specification of `provide`, or of the older `mzscheme`.
    fn provide(&mut self, spec: Datum) {
        let mut waiting: Waiting = vec![(spec, None)];
        while let Some((spec, around)) = waiting.pop() {
            let parts = self.inside(spec);
            let inner = |word| Some(Rc::new(Around { word, outer: around.clone() }));
            let Some((&head, rest)) = parts.split_first() else {
                if spec.list().is_none() {
                    self.export(spec, spec, around.as_deref());
                }
                continue;
            };
            match (self.source(head), rest) {
                ("all-defined-out" | "all-defined", _) => self.give(Provided::Defined, around.as_deref()),
                ("all-defined-except", names) => {
                    self.give(Provided::Defined, inner(Change::Except(names.to_vec())).as_deref());
                }
                ("all-from-out" | "all-from", modules) => {
                    let modules: Vec<String> =
                        modules.iter().filter_map(|path| module(self.walk, *path, &self.current)).collect();
                    modules.into_iter().for_each(|from| self.give(Provided::From(from), around.as_deref()));
                }
                ("all-from-except", [path, names @ ..]) => {
                    if let Some(from) = module(self.walk, *path, &self.current) {
                        self.give(Provided::From(from), inner(Change::Except(names.to_vec())).as_deref());
                    }
                }
                ("rename-out", pairs) => {
                    self.pairs(pairs).into_iter().for_each(|(old, new)| self.export(old, new, around.as_deref()));
                }
                ("rename", [old, new]) => self.export(*old, *new, around.as_deref()),
                ("except-out", [spec, names @ ..]) => {
                    waiting.push((*spec, inner(Change::Except(names.to_vec()))));
                }
                ("prefix-out" | "prefix", [prefix, spec]) => {
                    waiting.push((*spec, inner(Change::Prefix(self.name(*prefix)))));
                }
                ("prefix-all-defined", [prefix]) => {
                    self.give(Provided::Defined, inner(Change::Prefix(self.name(*prefix))).as_deref());
                }
                ("struct-out" | "struct", [name, ..]) => self.structure(*name, around.as_deref()),
                ("contract-out" | "recontract-out", items) => self.contracts(items.to_vec(), around.as_deref()),
                (word, [space, specs @ ..]) if OF_BINDING_SPACE.contains(&word) => {
                    let around = if self.source(*space) == "#f" { around } else { inner(Change::OtherSpace) };
                    waiting.extend(specs.iter().rev().map(|spec| (*spec, around.clone())));
                }
                (word, rest) => match GROUPS.iter().find(|(group, _)| *group == word) {
                    Some((_, skipped)) => {
                        self.space.exports_more |= MAKING.contains(&word);
                        waiting.extend(rest.iter().skip(*skipped).rev().map(|spec| (*spec, around.clone())));
                    }
                    // A form of the project, whose arguments are names as a rule: `(out name [name : Type])`.
                    None => {
                        let first = |item: &Datum| match self.walk.opener(*item) {
                            "[" => self.inside(*item).first().copied(),
                            _ => Some(*item),
                        };
                        let names = rest.iter().filter_map(first).filter(|name| self.walk.symbol(*name).is_some());
                        let names: Vec<Datum> = names.collect();
                        names.into_iter().for_each(|name| self.export(name, name, around.as_deref()));
                        self.declared.called.push(self.span(head));
                        self.space.exports_more = true;
                    }
                },
            }
        }
    }

    /// The items of `contract-out`: `name`, `(name contract)`, `(rename old new contract)`, `(struct name …)`.
    fn contracts(&mut self, items: Vec<Datum>, around: Option<&Around>) {
        let mut items = items.into_iter();
        while let Some(item) = items.next() {
            if self.source(item).starts_with("#:") {
                items.next();
                continue;
            }
            let parts = self.inside(item);
            match (parts.first().map_or("", |head| self.source(*head)), &parts[..]) {
                ("struct", &[_, name, ..]) => {
                    let name = self.inside(name).first().copied().unwrap_or(name);
                    self.structure(name, around);
                }
                ("rename", &[_, old, new, ..]) => self.export(old, new, around),
                (_, &[name, ..]) => self.export(name, name, around),
                (_, []) if item.list().is_none() => self.export(item, item, around),
                _ => {}
            }
        }
    }

    fn structure(&mut self, name: Datum, around: Option<&Around>) {
        if self.walk.symbol(name).is_some() {
            self.declared.exported.push(self.span(name));
            self.give(Provided::Structure(self.name(name)), around);
        }
    }

    /// Exports a name under another.
    fn export(&mut self, old: Datum, new: Datum, mut around: Option<&Around>) {
        if self.walk.symbol(old).is_none() {
            return;
        }
        // A binding of all code is found in another space, too, if none there hides it.
        if around.is_some_and(Around::is_in_other_space) {
            self.space.exports_apart = true;
            return self.declared.exported.push(self.span(old));
        }
        let (inner, mut outer) = (self.name(old), self.name(new));
        let mut all_before = String::new();
        while let Some(Around { word, outer: next }) = around {
            match word {
                Change::Prefix(prefix) => {
                    outer.insert_str(0, prefix);
                    all_before.insert_str(0, prefix);
                }
                Change::Except(names) if names.iter().any(|name| self.name(*name) == outer) => return,
                _ => {}
            }
            around = next.as_deref();
        }
        if let Exports::Names(names) = &mut self.space.exports {
            names.push(outer.clone());
        }
        self.declared.exported.push(self.span(old));
        if new != old {
            self.declared.elsewhere.push((self.span(new), self.space.name.clone()));
        }
        if !all_before.is_empty() {
            self.space.prefixes.push(all_before);
        }
        if inner != outer {
            self.space.renamed.push((inner, outer));
        }
    }

    /// Exports names that are not written.
    fn give(&mut self, what: Provided, mut around: Option<&Around>) {
        if around.is_some_and(Around::is_in_other_space) {
            self.space.exports_apart = true;
            return;
        }
        let mut provide = Provide { what, prefix: String::new(), except: Vec::new() };
        while let Some(Around { word, outer }) = around {
            match word {
                Change::Prefix(prefix) => provide.prefix.insert_str(0, prefix),
                Change::Except(names) => {
                    let own = names.iter().map(|name| self.name(*name));
                    let own = own.filter_map(|name| Some(name.strip_prefix(provide.prefix.as_str())?.to_owned()));
                    provide.except.extend(own);
                    let spans: Vec<Span> = names.iter().map(|name| self.span(*name)).collect();
                    self.declared.exported.extend(spans);
                }
                _ => {}
            }
            around = outer.as_deref();
        }
        if !provide.prefix.is_empty() {
            self.space.prefixes.push(provide.prefix.clone());
        }
        self.space.provides.push(provide);
    }
}
