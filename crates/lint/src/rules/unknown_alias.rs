//! A name of a namespace that the file does not require.

use lispwright_index::{Import, Thing, Use, UseKind};
use lispwright_syntax::Dialect;
use rustc_hash::FxHashSet;

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::misspelt::is_slip;
use crate::rule::{About, Example, Rule};

/// A name of a namespace that the file does not require.
pub(crate) struct UnknownAlias;

static ABOUT: About = About {
    code: "unknown-alias",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::Clojure],
    what: "A name is written with an alias that the namespace does not declare.",
    why: "The code does not compile: `No such namespace`. A `:require` with this `:as` is missing, or the alias is misspelt.",
    examples: &[
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(defn f [x] (str/join \",\" x))\n",
            right: "(ns shop.core\n  (:require [#?(:clj clojure.string :cljs other) :as str]))\n\
                    (defn f [x] (str/join \",\" (clojure.set/union x (Math/abs 1))))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core (:require [shop.parts]))\n(defn f [x] (shop.prats/total x))\n",
            right: "(ns shop.core (:require [shop.parts]))\n(defn f [x] (shop.parts/total (other.parts/total x)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(defn f [x] (map json/read x))\n",
            right: "(ns shop.core)\n(defmacro f [x] `(list '~x 'json/read))\n(def names '[json/write])\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(require '[clojure.set :as set])\n(defn f [load x] (load (str/join \",\" (set/union x))))\n",
            right: "(ns shop.core)\n(require '[clojure.set :as set])\n(defn f [load x] (load (set/union x)))\n",
        },
    ],
};

/// Qualifiers that need no declaration.
const KNOWN: &[&str] = &["js", "goog", "user", "clojure", "cljs", "dart"];

/// Primitive types, whose arrays are written like names of a namespace: `long/1`. ClojureDart has functions there.
const PRIMITIVES: &[&str] = &["boolean", "byte", "char", "double", "float", "int", "long", "num", "short"];

/// Functions that make aliases, or read code that may.
const CONJURES: &[&str] = &["alias", "in-ns", "load", "load-file", "load-string", "load-reader"];

/// Functions that make the aliases that their arguments declare.
const LOADERS: &[&str] = &["require", "use", "require-macros"];

impl Rule for UnknownAlias {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn needs_project(&self) -> bool {
        true
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let [space] = file.document.facts.spaces.as_slice() else { return };
        let Some(loaded) = loaded(file).filter(|_| file.text()[space.at as usize..].starts_with("(ns ")) else {
            return;
        };
        let aliases: FxHashSet<&str> = space.imports.iter().filter_map(|import| import.alias.as_deref()).collect();
        let classes: FxHashSet<&str> = space
            .imports
            .iter()
            .flat_map(|import| import.only.iter().flatten())
            .map(|(_, ours)| ours.as_str())
            .collect();
        let is_known = |qualifier: &str| {
            aliases.contains(qualifier)
                || loaded.contains(qualifier)
                || classes.contains(qualifier)
                || KNOWN.contains(&qualifier)
                || PRIMITIVES.contains(&qualifier)
                || qualifier.contains(['.', '$', '~', '{', '#', '\''])
                || qualifier.starts_with(|first: char| !first.is_lowercase())
                || qualifier == space.name
                || file.facts.links.iter().any(|link| link.thing == Thing::Space && link.name == qualifier)
                || file.question.has_space(qualifier)
        };
        for used in file.facts.uses.iter().filter(|used| is_code(used) && !is_specified(file, used)) {
            let written = file.source(used.span());
            let Some((qualifier, name)) = written.split_once('/') else { continue };
            if qualifier.is_empty() || name.is_empty() {
                continue;
            }
            if let Some(near) = misspelt(file, qualifier) {
                findings.add(used.span(), format!("no namespace `{qualifier}` is there; near it: `{near}`"));
                continue;
            }
            if is_known(qualifier) {
                continue;
            }
            let elsewhere = self::elsewhere(file, qualifier);
            findings.add(used.span(), format!("no alias `{qualifier}` is declared{elsewhere}"));
        }
    }
}

/// The aliases that calls of `require` in the file declare; `None` if code makes others.
fn loaded<'i>(file: &File<'_, 'i>) -> Option<FxHashSet<&'i str>> {
    let mut found = FxHashSet::default();
    for used in &file.facts.uses {
        let name = file.source(used.span());
        let name = name.strip_prefix("clojure.core/").unwrap_or(name);
        if CONJURES.contains(&name) {
            return None;
        }
        if !LOADERS.contains(&name) {
            continue;
        }
        let list = file.list_of(used.span()).filter(|_| used.kind == UseKind::Call)?;
        for library in file.tree.data(list).skip(1) {
            let span = file.tree.datum_span(library);
            if !file.source(span).starts_with(['\'', ':']) {
                return None;
            }
            let atoms: Vec<&str> = file
                .tree
                .tokens_within(span)
                .filter(|(kind, _)| !kind.is_trivia())
                .map(|(_, span)| file.source(span))
                .collect();
            found.extend(atoms.windows(2).filter(|pair| pair[0].starts_with(":as")).map(|pair| pair[1]));
        }
    }
    Some(found)
}

/// The use is evaluated, or a part of a template.
fn is_code(used: &Use) -> bool {
    !used.hidden && matches!(used.kind, UseKind::Call | UseKind::Value)
}

/// The namespace of the project, or that the file requires, of which one that is written in full is a slip.
fn misspelt(file: &File<'_, '_>, qualifier: &str) -> Option<String> {
    if !qualifier.contains('.') || !qualifier.chars().all(|one| one.is_ascii_lowercase() || ".-".contains(one)) {
        return None;
    }
    let required = file.facts.links.iter().filter(|link| link.thing == Thing::Space).map(|link| link.name.as_str());
    let known: Vec<&str> = file.question.spaces().map(|space| space.name.as_str()).chain(required).collect();
    let near = || known.iter().find(|one| is_slip(qualifier, one)).map(|one| (*one).to_owned());
    if known.contains(&qualifier) { None } else { near() }
}

/// The use names a function that a form specifies, which is not looked up: `(s/fdef name …)`.
fn is_specified(file: &File<'_, '_>, used: &Use) -> bool {
    let list = file.list_of(used.span());
    let head = list.and_then(|list| file.head_of(list)).map(|head| head.rsplit('/').next().unwrap_or(head));
    let second = list.and_then(|list| file.tree.data(list).nth(1));
    head == Some("fdef") && second.is_some_and(|second| file.tree.core_span(second) == used.span())
}

/// What other files call so, if they agree.
fn elsewhere(file: &File<'_, '_>, alias: &str) -> String {
    let imports = file.question.spaces().flat_map(|space| &space.imports);
    let is_it = |import: &&Import| import.alias.as_deref() == Some(alias);
    let mut names: Vec<&str> = imports.filter(is_it).map(|import| import.from.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        [one] => format!("; elsewhere it is `{one}`"),
        _ => String::new(),
    }
}
