//! A class of the host that the namespace does not import.

use lispwright_index::{Space, Symbol, Use};
use lispwright_syntax::{Dialect, ListId, TokenKind};
use rustc_hash::FxHashSet;

use crate::dialects::call_words;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::host::is_class;
use crate::identity::nearest_of;
use crate::makers::Makers;
use crate::names::Sort;
use crate::rule::{About, Example, Rule};

/// A class of the host that the namespace does not import.
pub(crate) struct UnknownClass;

static ABOUT: About = About {
    code: "unknown-class",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::Clojure],
    what: "A constructor, a static member or a type hint names a class of Java that the namespace neither imports nor defines.",
    why: "The code does not compile: `Unable to resolve classname`, `No such namespace`. Its `:import` is missing, or the name is \
          misspelt. Only names that begin with a capital and have no dot are judged, in code for the JVM.",
    examples: &[
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(defn f [path] (File. path))\n",
            right: "(ns shop.core (:import (java.io File) (java.util regex.Pattern)))\n\
                    (defn f [path] (list (File. path) (Pattern/compile path) (instance? Pattern path)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(defn f [n] (Tread/sleep n))\n",
            right: "(ns shop.core (:require [other.Lib :as Lib]))\n(defrecord Item [name])\n\
                    (defn f [n ^Item item] (Thread/sleep n) (Lib/go (Item. n) (java.util.Date.) item))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(defn f [^Writer out] (.flush out))\n",
            right: "(ns shop.core)\n(import '[java.io Writer])\n(defn f [^Writer out ^String name] (.write out name))\n",
        },
    ],
};

impl Rule for UnknownClass {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn needs_project(&self) -> bool {
        true
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let places = &file.values().classes;
        if places.is_empty() {
            return;
        }
        let imported = imported(file);
        let mut makers = Makers::of(file);
        for used in places {
            if let Some(class) = unknown(file, *used, &imported, &mut makers) {
                let words = call_words(file.dialect()).names.others.words().map(str::to_owned);
                let known: Vec<String> = imported.iter().map(|one| (*one).to_owned()).chain(words).collect();
                let near = nearest_of(class, known.iter().map(String::as_str).filter(|one| is_class(one)));
                findings.add(used.span(), format!("no class `{class}` is imported{near}"));
            }
        }
    }
}

/// The class that a use names, if nothing makes it known.
fn unknown<'i>(
    file: &File<'_, 'i>,
    used: Use,
    imported: &FxHashSet<&str>,
    makers: &mut Makers<'_, '_, 'i>,
) -> Option<&'i str> {
    let (question, at) = (file.question, used.span());
    let class = file.source(at).split('/').next()?;
    let home = file.document.facts.space_at(at.start);
    let is_declared = |one: &Space| one.name == home && !one.adds;
    let symbol = Symbol { space: home.to_owned(), name: class.to_owned() };
    let is_known = call_words(file.dialect()).names.others.contains(class)
        || imported.contains(class)
        || !question.definitions(&symbol).is_empty()
        || question.has_space(class);
    let is_judged = file.is_of_platform(at)
        && !file.is_broken(at)
        && file.document.facts.spaces.iter().any(is_declared)
        && !is_known
        && !file.is_in_branch(at)
        && !makers.has_definition(home, class, Sort::Function)
        && !makers.may_be_conjured(home, class);
    is_judged.then_some(class)
}

/// What the declarations of the file bring in: the last part of each name in them.
fn imported<'i>(file: &File<'_, 'i>) -> FxHashSet<&'i str> {
    let mut found = FxHashSet::default();
    let lists = file.tree.lists();
    for list in 0..lists.len() {
        let list = list as ListId;
        if !file.head_of(list).is_some_and(|head| matches!(head, "ns" | "import") || head.ends_with("/import")) {
            continue;
        }
        let tokens = file.tree.tokens_within(file.tree.list_span(list));
        let atoms = tokens.filter(|(kind, _)| *kind == TokenKind::Atom).map(|(_, span)| file.source(span));
        found.extend(atoms.map(|name| name.rsplit(['.', '/']).next().unwrap_or(name)));
    }
    found
}
