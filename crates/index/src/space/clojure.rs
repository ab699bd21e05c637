//! Namespaces: `ns`, `in-ns`, and `require`, `use`, `refer`, `alias`, `import` and `refer-clojure` outside of it.

use lispwright_syntax::{Datum, ListId, TokenKind};

use super::{Declared, Exports, Import, Space, string};
use crate::links::{Link, Thing, Tie};
use crate::resolve::Written;
use crate::walk::Walk;

/// The namespace that every other one imports.
const LANGUAGE: &str = "clojure.core";

/// Splits a symbol: `alias/name`, or the class `name.space.Name`.
pub(crate) fn written(text: &str) -> Written<'_> {
    let parts =
        |at: Option<usize>| at.filter(|&at| at > 0 && at + 1 < text.len()).map(|at| (&text[..at], &text[at + 1..]));
    let class = || parts(text.rfind('.')).filter(|(_, name)| name.starts_with(char::is_uppercase));
    match (parts(text.find('/')), class()) {
        (Some((space, name)), _) => Written { qualifier: Some(space.into()), name: name.to_owned() },
        (None, Some((package, name))) => Written { qualifier: Some(unmunged(package).into()), name: name.to_owned() },
        (None, None) => Written { qualifier: None, name: text.to_owned() },
    }
}

/// The namespace of a Java package, whose name has underscores instead of hyphens.
fn unmunged(package: &str) -> String {
    package.replace('_', "-")
}

/// The declaration in a form.
pub(crate) fn read(walk: &Walk<'_>, head: &str, datum: Datum, list: ListId) -> Option<Declared> {
    let mut data = walk.data(list);
    let written = written(walk.source(data.next()?));
    if written.qualifier.is_some_and(|space| space != LANGUAGE) {
        return None;
    }
    let start = walk.tree.core_span(datum).start;
    if head == "in-ns" {
        // In a function, it is for the code that the function evaluates.
        let mut around = walk.tree.top_level().filter_map(|top| Some((walk.tree.core_span(top), top.list()?)));
        let around = around.find(|(span, _)| span.contains(start)).and_then(|(_, list)| walk.data(list).next());
        if around.is_some_and(|head| walk.source(head).starts_with("def")) {
            return None;
        }
        let name = data.next().filter(|name| !name.is_bare() && name.list().is_none())?;
        let current = Some(walk.source(name).to_owned());
        return Some(Declared { current, links: vec![link(walk, name, Tie::Enters)], ..Declared::default() });
    }
    if head == "ns" {
        let first = data.next()?;
        let name = walk.source(first).to_owned();
        let space = Space { exports: Exports::All, ..Space::new(name.clone(), start) };
        let links = vec![link(walk, first, Tie::Declares)];
        let mut reading = Reading { walk, space, elsewhere: Vec::new(), links, lists: Vec::new() };
        reading.namespace(data.collect());
        return Some(Declared {
            current: Some(name),
            space: Some(reading.space),
            elsewhere: reading.elsewhere,
            links: reading.links,
            lists: reading.lists,
            ..Declared::default()
        });
    }
    // `(load "part")`, beside the file, or `(load "/shop/part")`, below the root of the sources.
    if head == "load" {
        let files = data.filter_map(|name| string(walk, name));
        let included = files.map(|file| file.trim_start_matches('/').to_owned()).collect();
        return Some(Declared { included, ..Declared::default() });
    }
    let clause = match head {
        "require" | "use" | "refer" | "alias" | "import" | "refer-clojure" => head,
        "require-macros" => "require",
        "use-macros" => "use",
        _ => return None,
    };
    let space = Space { exports: Exports::All, ..Space::new(walk.current(start).to_owned(), start) };
    let mut reading = Reading { walk, space, elsewhere: Vec::new(), links: Vec::new(), lists: Vec::new() };
    reading.clause(clause, data.collect());
    let Reading { space, elsewhere, links, lists, .. } = reading;
    Some(Declared { space: Some(space), elsewhere, links, lists, ..Declared::default() })
}

/// The link to a namespace.
fn link(walk: &Walk<'_>, name: Datum, tie: Tie) -> Link {
    let span = walk.tree.core_span(name);
    Link { span, thing: Thing::Space, tie, name: walk.source(name).to_owned() }
}

/// A declaration that is being read.
struct Reading<'w, 't> {
    walk: &'w Walk<'t>,
    space: Space,
    /// The places of names of other namespaces, each with its namespace.
    elsewhere: Vec<(lispwright_syntax::Span, String)>,
    links: Vec<Link>,
    /// The lists of names in options.
    lists: Vec<Datum>,
}

impl<'t> Reading<'_, 't> {
    /// The data after the name in `ns`.
    fn namespace(&mut self, data: Vec<Datum>) {
        let mut refers_language = true;
        let is_string = |datum: &&Datum| self.walk.tree.kind(datum.core) == TokenKind::String;
        let docstring = data.first().filter(is_string).map(|&text| self.walk.source(text).trim_matches('"').to_owned());
        self.space.docstring = docstring;
        for clause in self.spread(data) {
            let Some(list) = clause.list().filter(|_| self.walk.opener(clause) != "{") else { continue };
            let mut data = self.walk.data(list);
            // `(#?(:clj :require :cljs :require-macros) ...)`
            let words = data.next().map(|word| self.walk.alternatives(word)).unwrap_or_default();
            let words = words.into_iter().map(|word| self.walk.source(word).trim_start_matches(':'));
            let mut words: Vec<&str> = words.map(|word| word.strip_suffix("-macros").unwrap_or(word)).collect();
            words.dedup();
            let data: Vec<Datum> = data.collect();
            for word in words {
                refers_language &= word != "refer-clojure";
                self.clause(word, data.clone());
            }
        }
        if refers_language {
            self.clause("refer-clojure", Vec::new());
        }
    }

    /// The data for all platforms.
    fn spread(&self, data: Vec<Datum>) -> Vec<Datum> {
        let mut found = Vec::new();
        for datum in data {
            let is_spread = self.walk.opener(datum) == "#?@(";
            for one in self.walk.alternatives(datum) {
                match one.list().filter(|_| is_spread) {
                    Some(list) => found.extend(self.walk.data(list)),
                    None => found.push(one),
                }
            }
        }
        found
    }

    fn inside(&self, list: ListId) -> Vec<Datum> {
        self.spread(self.walk.data(list).collect())
    }

    fn source(&self, datum: Datum) -> &'t str {
        self.walk.source(datum)
    }

    /// One clause of `ns`, or the same as a form outside of it, with quoted arguments.
    fn clause(&mut self, word: &str, data: Vec<Datum>) {
        let data = self.spread(data);
        match word {
            "require" | "use" => data.iter().for_each(|&library| self.libraries(word, library)),
            "import" => data.iter().for_each(|&class| self.classes(class)),
            "refer" => {
                if let Some((&name, options)) = data.split_first() {
                    self.links.push(link(self.walk, name, Tie::Imports));
                    self.import(Import::all(self.source(name).to_owned()), true, options);
                }
            }
            "refer-clojure" => {
                let import = Import { is_implicit: true, ..Import::all(LANGUAGE.to_owned()) };
                self.import(import, true, &data);
            }
            "alias" => {
                if let [alias, name, ..] = data[..] {
                    self.links.push(link(self.walk, name, Tie::Imports));
                    self.alias(self.source(alias), self.source(name));
                }
            }
            _ => {}
        }
    }

    /// `name`, `[name option…]`, or `(prefix library…)`.
    fn libraries(&mut self, word: &str, library: Datum) {
        let Some(list) = library.list() else {
            return self.library(word, library, self.source(library).to_owned(), &[]);
        };
        let mut data = self.walk.data(list);
        let Some(name) = data.next() else { return };
        let rest = self.spread(data.collect());
        // `[#?@(:clj (clojure.test :refer) :cljs (cljs.test :refer-macros)) [is]]`
        if self.walk.opener(name) == "#?@(" {
            for one in self.walk.alternatives(name) {
                let begin: Vec<Datum> = one.list().map(|list| self.walk.data(list).collect()).unwrap_or_default();
                let Some((&name, options)) = begin.split_first() else { continue };
                let options: Vec<Datum> = options.iter().chain(&rest).copied().collect();
                self.library(word, name, self.source(name).to_owned(), &options);
            }
            return;
        }
        // A library can have another name for each platform.
        let names = self.spread(vec![name]);
        let Some(&first) = names.first() else { return };
        let prefix = self.source(first);
        if rest.first().is_none_or(|option| self.source(*option).starts_with(':')) {
            return names.iter().for_each(|name| self.library(word, *name, self.source(*name).to_owned(), &rest));
        }
        for library in &rest {
            let inside = library.list().map_or_else(|| vec![*library], |list| self.inside(list));
            if let Some((&name, options)) = inside.split_first() {
                self.library(word, name, format!("{prefix}.{}", self.source(name)), options);
            }
        }
    }

    /// A library that is loaded; `use` imports all its names, `require` only those that it refers.
    fn library(&mut self, word: &str, written: Datum, name: String, options: &[Datum]) {
        // `:reload` and the like.
        if !name.starts_with(':') {
            self.links.push(Link { name: name.clone(), ..link(self.walk, written, Tie::Imports) });
        }
        for (option, value) in pairs(options) {
            if matches!(self.source(option), ":as" | ":as-alias") {
                self.alias(self.source(value), &name);
            }
        }
        let all = |value: Datum| self.source(value) == ":all";
        let is_all = pairs(options).any(|(option, value)| self.source(option) == ":refer" && all(value));
        self.import(Import::all(name), word == "use" || is_all, options);
    }

    fn alias(&mut self, alias: &str, name: &str) {
        let alias = Some(alias.to_owned());
        self.space.imports.push(Import { alias, only: Some(Vec::new()), ..Import::all(name.to_owned()) });
    }

    /// Adds an import of all names, or of those that the options list.
    fn import(&mut self, mut import: Import, is_all: bool, options: &[Datum]) {
        let mut only: Option<Vec<Datum>> = None;
        for (option, value) in pairs(options) {
            let Some(list) = value.list() else { continue };
            if self.walk.opener(value) == "(" {
                self.lists.push(value);
            }
            let names = self.inside(list);
            match self.source(option) {
                ":only" | ":refer" | ":refer-macros" => only.get_or_insert_default().extend(names),
                ":exclude" => import.except.extend(names.iter().map(|&name| self.source(name).to_owned())),
                ":rename" => {
                    let pair = |(theirs, ours)| (self.source(theirs).to_owned(), self.source(ours).to_owned());
                    import.renamed.extend(pairs(&names).map(pair));
                    self.mention(pairs(&names).map(|(theirs, _)| theirs), &import.from);
                }
                _ => {}
            }
        }
        if let Some(names) = only {
            self.mention(names.iter().copied(), &import.from);
            let ours =
                |name: &str| import.renamed.iter().find(|(theirs, _)| theirs == name).map(|(_, ours)| ours.clone());
            let pair = |name: &str| (name.to_owned(), ours(name).unwrap_or_else(|| name.to_owned()));
            import.only = Some(names.iter().map(|&name| pair(self.source(name))).collect());
        } else if !is_all {
            return;
        }
        self.space.imports.push(import);
    }

    /// Notes names of another namespace.
    fn mention(&mut self, names: impl Iterator<Item = Datum>, from: &str) {
        self.elsewhere.extend(names.map(|name| (self.walk.tree.core_span(name), from.to_owned())));
    }

    /// Java classes, among them those of records: `package.Name`, or `(package Name…)`.
    fn classes(&mut self, class: Datum) {
        let Some(list) = class.list() else {
            let Written { qualifier, name } = written(self.source(class));
            if let Some(package) = qualifier {
                self.links.push(Link { name: package.to_string(), ..link(self.walk, class, Tie::Imports) });
                self.mention([class].into_iter(), &package);
                self.space
                    .imports
                    .push(Import { only: Some(vec![(name.clone(), name)]), ..Import::all(package.into()) });
            }
            return;
        };
        let data = self.inside(list);
        let Some((&package, names)) = data.split_first() else { return };
        self.links.push(Link { name: unmunged(self.source(package)), ..link(self.walk, package, Tie::Imports) });
        self.mention(names.iter().copied(), &unmunged(self.source(package)));
        // `(java.util regex.Pattern)` gives the last part.
        let own = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
        let only = names.iter().map(|&name| (self.source(name).to_owned(), own(self.source(name)))).collect();
        self.space.imports.push(Import { only: Some(only), ..Import::all(unmunged(self.source(package))) });
    }
}

fn pairs(data: &[Datum]) -> impl Iterator<Item = (Datum, Datum)> {
    data.chunks_exact(2).map(|pair| (pair[0], pair[1]))
}
