//! A name of a namespace that the file does not require.

use lispwright_index::{Import, Thing, Use, UseKind};
use lispwright_syntax::Dialect;
use rustc_hash::FxHashSet;

use crate::file::File;
use crate::finding::{Findings, Severity};
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
            wrong: "(ns shop.core)\n(defn f [x] (map json/read x))\n",
            right: "(ns shop.core)\n(defmacro f [x] `(list '~x 'json/read))\n(def names '[json/write])\n",
        },
    ],
};

/// Qualifiers that need no declaration.
const KNOWN: &[&str] = &["js", "goog", "user", "clojure", "cljs"];

/// Text in files that makes aliases in other ways.
const CONJURES: &[&str] = &["(alias ", "(in-ns ", "(require ", "(use ", "(load ", "(load-file "];

impl Rule for UnknownAlias {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn needs_project(&self) -> bool {
        true
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let text = file.text();
        let [space] = file.document.facts.spaces.as_slice() else { return };
        if !text[space.at as usize..].starts_with("(ns ") || CONJURES.iter().any(|word| text.contains(word)) {
            return;
        }
        let aliases: FxHashSet<&str> = space.imports.iter().filter_map(|import| import.alias.as_deref()).collect();
        let classes: FxHashSet<&str> = space
            .imports
            .iter()
            .flat_map(|import| import.only.iter().flatten())
            .map(|(_, ours)| ours.as_str())
            .collect();
        let is_known = |qualifier: &str| {
            aliases.contains(qualifier)
                || classes.contains(qualifier)
                || KNOWN.contains(&qualifier)
                || qualifier.contains(['.', '$', '~', '{', '#', '\''])
                || qualifier.starts_with(|first: char| !first.is_lowercase())
                || qualifier == space.name
                || file.facts.links.iter().any(|link| link.thing == Thing::Space && link.name == qualifier)
                || file.question.has_space(qualifier)
        };
        for used in file.facts.uses.iter().filter(|used| is_code(used)) {
            let written = file.source(used.span());
            let Some((qualifier, name)) = written.split_once('/') else { continue };
            if qualifier.is_empty() || name.is_empty() || is_known(qualifier) {
                continue;
            }
            let elsewhere = self::elsewhere(file, qualifier);
            findings.add(used.span(), format!("no alias `{qualifier}` is declared{elsewhere}"));
        }
    }
}

/// The use is evaluated, or a part of a template.
fn is_code(used: &Use) -> bool {
    !used.hidden && matches!(used.kind, UseKind::Call | UseKind::Value)
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
