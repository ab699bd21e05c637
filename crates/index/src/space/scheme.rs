//! Modules of Guile (`define-module`, `use-modules`), libraries of R7RS (`define-library`) and R6RS (`library`), and
//! imports and exports outside of them.

use lispwright_syntax::name::canonical_symbol;
use lispwright_syntax::{Datum, Dialect, ListId, Span};

use super::names::Set;
use super::{Declared, Exports, Import, Space, string};
use crate::links::{Link, Thing, Tie};
use crate::resolve::Written;
use crate::walk::Walk;

/// Libraries that belong to the language or an implementation: they have no names of a project.
const LANGUAGE: &[&str] =
    &["scheme", "rnrs", "srfi", "guile", "ice-9", "system", "oop", "sxml", "rnrs-compat", "chezscheme"];

/// Forms that make the code of another file a part of this one.
const INCLUDES: &[&str] = &[
    "include",
    "include-ci",
    "include-from-path",
    "include/resolve",
    "load",
    "load-from-path",
    "primitive-load",
    "primitive-load-path",
];

/// Reads a symbol, which has no qualifier.
pub(crate) fn written(text: &str) -> Written<'_> {
    Written::plain(canonical_symbol(Dialect::Scheme, text))
}

/// The canonical name of a module: `(ice-9 match)`. The version of a library of R6RS is left out, and the libraries of
/// the SRFIs have one name.
pub(crate) fn module(walk: &Walk<'_>, datum: Datum) -> String {
    let Some(list) = datum.list() else { return walk.source(datum).to_owned() };
    let mut parts: Vec<&str> =
        walk.data(list).filter(|part| part.list().is_none()).map(|part| walk.source(part)).collect();
    // `(srfi 1)` and `(srfi :1 lists)` are Guile's `(srfi srfi-1)`.
    let number = parts.get(1).and_then(|part| part.trim_start_matches(':').parse::<u32>().ok());
    if let (Some(&"srfi"), Some(number)) = (parts.first(), number) {
        return format!("(srfi srfi-{number})");
    }
    parts.retain(|part| !part.is_empty());
    format!("({})", parts.join(" "))
}

/// The declaration in a form. Only those at top level count.
pub(crate) fn read(walk: &Walk<'_>, head: &str, datum: Datum, list: ListId) -> Option<Declared> {
    if INCLUDES.contains(&head) {
        let files: Vec<(Datum, String)> =
            walk.data(list).skip(1).filter_map(|file| Some((file, string(walk, file)?))).collect();
        let links = files.iter().map(|(file, name)| link(walk, *file, Thing::File, Tie::Loads, name)).collect();
        return Some(Declared {
            included: files.into_iter().map(|(_, name)| name).collect(),
            links,
            ..Declared::default()
        });
    }
    let is_public = head.ends_with("-public");
    let is_declaration = is_public
        || matches!(head, "define-module" | "use-modules" | "library" | "define-library" | "import" | "export")
        || matches!(head, "export!" | "re-export" | "export-syntax" | "re-export-syntax" | "re-export-modules");
    if !is_declaration || (walk.local_count() > 0 && walk.learning.is_none()) {
        return None;
    }
    let start = walk.tree.core_span(datum).start;
    let mut data = walk.data(list).skipping(1);
    let mut declared = Declared::default();
    let name = match head {
        "define-module" | "library" | "define-library" => {
            let first = data.next()?;
            let name = module(walk, first);
            declared.links.push(link(walk, first, Thing::Space, Tie::Declares, &name));
            name
        }
        _ => walk.current(start).to_owned(),
    };
    let mut reading = Reading { walk, space: Space::new(name.clone(), start), declared };
    match head {
        "define-module" => {
            reading.options(data.collect());
            reading.declared.current = Some(name);
        }
        "library" | "define-library" => reading.library(data.collect()),
        "use-modules" | "import" => data.for_each(|set| reading.import(set)),
        "re-export-modules" => data.for_each(|name| reading.reexport(name)),
        _ if is_public => reading.public(data.next()?),
        _ => reading.export(data.collect()),
    }
    let Reading { space, declared, .. } = reading;
    Some(Declared { space: Some(space), ..declared })
}

fn link(walk: &Walk<'_>, datum: Datum, thing: Thing, tie: Tie, name: &str) -> Link {
    Link { span: walk.tree.core_span(datum), thing, tie, name: name.to_owned() }
}

/// A declaration that is being read.
struct Reading<'w, 't> {
    walk: &'w Walk<'t>,
    space: Space,
    declared: Declared,
}

impl<'t> Reading<'_, 't> {
    fn source(&self, datum: Datum) -> &'t str {
        self.walk.source(datum)
    }

    fn span(&self, datum: Datum) -> Span {
        self.walk.tree.core_span(datum)
    }

    fn inside(&self, datum: Datum) -> Vec<Datum> {
        datum.list().into_iter().flat_map(|list| self.walk.data(list)).collect()
    }

    fn name(&self, datum: Datum) -> String {
        canonical_symbol(Dialect::Scheme, self.source(datum))
    }

    /// The options of `define-module`: keywords with values.
    fn options(&mut self, data: Vec<Datum>) {
        let mut data = data.into_iter();
        while let Some(option) = data.next() {
            match self.source(option).trim_start_matches(['#', ':']) {
                "use-module" | "use-syntax" => {
                    if let Some(set) = data.next() {
                        self.import(set);
                    }
                }
                "autoload" => {
                    if let (Some(name), Some(names)) = (data.next(), data.next()) {
                        let names = self.inside(names);
                        self.import_names(name, &names);
                    }
                }
                "export" | "re-export" | "replace" | "export-syntax" | "re-export-syntax" | "re-export-and-replace" => {
                    if let Some(names) = data.next() {
                        let names = self.inside(names);
                        self.export(names);
                    }
                }
                "pure" => {}
                _ => {
                    data.next();
                }
            }
        }
    }

    /// The declarations in a library.
    fn library(&mut self, data: Vec<Datum>) {
        let mut waiting = data;
        waiting.reverse();
        while let Some(datum) = waiting.pop() {
            let inner = self.inside(datum);
            let Some((head, rest)) = inner.split_first() else { continue };
            match self.source(*head) {
                "export" => self.export(rest.to_vec()),
                "include" | "include-ci" | "include-library-declarations" => {
                    self.declared.included.extend(rest.iter().filter_map(|file| string(self.walk, *file)));
                }
                "import" => rest.iter().for_each(|set| self.import(*set)),
                "cond-expand" => {
                    let clauses: Vec<Datum> = rest.iter().flat_map(|c| self.inside(*c).into_iter().skip(1)).collect();
                    waiting.extend(clauses.into_iter().rev());
                }
                _ => {}
            }
        }
    }

    /// `name`, `(inner . outer)` of Guile, or `(rename inner outer)`, `(rename (inner outer) …)` of R7RS and R6RS.
    fn export(&mut self, names: Vec<Datum>) {
        for datum in names {
            let inner = self.inside(datum);
            let pairs: Vec<(Datum, Datum)> = match inner[..] {
                [] if datum.list().is_none() && !self.source(datum).starts_with("#:") => vec![(datum, datum)],
                [word, ref pairs @ ..] if self.source(word) == "rename" => match pairs {
                    &[ours, theirs] if ours.list().is_none() => vec![(ours, theirs)],
                    pairs => pairs.iter().filter_map(|pair| self.pair(*pair)).collect(),
                },
                _ => self.pair(datum).into_iter().collect(),
            };
            for (ours, theirs) in pairs {
                let (inner, outer) = (self.name(ours), self.name(theirs));
                if let Exports::Names(names) = &mut self.space.exports {
                    names.push(outer.clone());
                }
                self.declared.exported.push(self.span(ours));
                if inner != outer {
                    self.declared.elsewhere.push((self.span(theirs), self.space.name.clone()));
                    self.space.renamed.push((inner, outer));
                }
            }
        }
    }

    /// `(one other)` or `(one . other)`
    fn pair(&self, datum: Datum) -> Option<(Datum, Datum)> {
        let names: Vec<Datum> = self.inside(datum).into_iter().filter(|name| self.source(*name) != ".").collect();
        match names[..] {
            [one, other] => Some((one, other)),
            _ => None,
        }
    }

    /// The name that a form like `define-public` defines is exported.
    fn public(&mut self, first: Datum) {
        let mut target = first;
        while let Some(inner) = target.list().and_then(|list| self.walk.data(list).next()) {
            target = inner;
        }
        if target.list().is_none()
            && let Exports::Names(names) = &mut self.space.exports
        {
            names.push(canonical_symbol(Dialect::Scheme, self.walk.source(target)));
        }
    }

    fn reexport(&mut self, name: Datum) {
        let from = module(self.walk, name);
        self.declared.links.push(link(self.walk, name, Thing::Space, Tie::Imports, &from));
        self.add(Import { reexports: true, ..Import::all(from) });
    }

    fn add(&mut self, mut import: Import) {
        let first = import.from.trim_start_matches('(').split([' ', ')']).next().unwrap_or_default();
        import.is_implicit = LANGUAGE.contains(&first);
        self.space.imports.push(import);
    }

    /// The names of a module, without its other names.
    fn import_names(&mut self, name: Datum, names: &[Datum]) {
        let from = module(self.walk, name);
        self.declared.links.push(link(self.walk, name, Thing::Space, Tie::Imports, &from));
        let pairs = names.iter().map(|datum| self.pair(*datum).unwrap_or((*datum, *datum)));
        let pairs: Vec<(Datum, Datum)> = pairs.filter(|(one, _)| one.list().is_none()).collect();
        for (theirs, _) in &pairs {
            self.declared.elsewhere.push((self.span(*theirs), from.clone()));
        }
        let only = pairs.into_iter().map(|(theirs, ours)| (self.name(theirs), self.name(ours))).collect();
        self.add(Import { only: Some(only), ..Import::all(from) });
    }

    /// A module, or an import set of Guile, R6RS or R7RS: `((a b) #:select (…))`, `(prefix (only (a b) …) p:)`.
    fn import(&mut self, set: Datum) {
        let mut modifiers: Vec<(&'t str, Vec<Datum>)> = Vec::new();
        let mut inner = set;
        loop {
            let parts = self.inside(inner);
            match parts[..] {
                // Guile's own: the module is a list, options follow it.
                [first, ref options @ ..] if first.list().is_some() => {
                    for pair in options.chunks_exact(2) {
                        let word = self.source(pair[0]).trim_start_matches(['#', ':']);
                        modifiers.push((word, vec![pair[1]]));
                    }
                    modifiers.reverse();
                    inner = first;
                    break;
                }
                [word, next, ref rest @ ..] if next.list().is_some() => match self.source(word) {
                    word @ ("only" | "except" | "prefix" | "rename") => {
                        modifiers.push((word, rest.to_vec()));
                        inner = next;
                    }
                    "for" | "library" => inner = next,
                    _ => break,
                },
                _ => break,
            }
        }
        let from = module(self.walk, inner);
        if inner.list().is_some() || self.walk.symbol(inner).is_some() {
            self.declared.links.push(link(self.walk, inner, Thing::Space, Tie::Imports, &from));
        }
        let mut set = Set { imports: vec![Import::all(from.clone())] };
        for (word, rest) in modifiers.into_iter().rev() {
            match word {
                "select" => {
                    let names = rest.first().map_or_else(Vec::new, |names| self.inside(*names));
                    let pairs: Vec<_> = names.iter().map(|one| self.pair(*one).unwrap_or((*one, *one))).collect();
                    self.mention(pairs.iter().map(|(theirs, _)| *theirs), &from);
                    set.select(pairs.into_iter().map(|(theirs, ours)| (self.name(theirs), self.name(ours))).collect());
                }
                "only" => {
                    self.mention(rest.iter().copied(), &from);
                    set.only(rest.iter().map(|name| self.name(*name)).collect());
                }
                "hide" => {
                    let names = rest.first().map_or_else(Vec::new, |names| self.inside(*names));
                    set.except(&names.iter().map(|name| self.name(*name)).collect::<Vec<_>>());
                }
                "except" => set.except(&rest.iter().map(|name| self.name(*name)).collect::<Vec<_>>()),
                "rename" => {
                    let pairs: Vec<_> = rest.iter().filter_map(|pair| self.pair(*pair)).collect();
                    self.mention(pairs.iter().map(|(theirs, _)| *theirs), &from);
                    set.rename(pairs.into_iter().map(|(theirs, ours)| (self.name(theirs), self.name(ours))).collect());
                }
                "prefix" => {
                    if let Some(prefix) = rest.first() {
                        set.prefix(self.source(*prefix));
                    }
                }
                // `(symbol-prefix-proc 'p:)`
                "renamer" => {
                    let inside = rest.first().map_or_else(Vec::new, |call| self.inside(*call));
                    if let [_, prefix] = inside[..] {
                        set.prefix(self.source(prefix));
                    }
                }
                _ => {}
            }
        }
        set.imports.into_iter().for_each(|import| self.add(import));
    }

    /// Notes names of another module.
    fn mention(&mut self, names: impl Iterator<Item = Datum>, from: &str) {
        let spans = names.filter(|name| name.list().is_none()).map(|name| self.walk.tree.core_span(name));
        self.declared.elsewhere.extend(spans.map(|span| (span, from.to_owned())));
    }
}
