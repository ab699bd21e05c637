//! A package, module, namespace or feature that nobody declares.

use std::borrow::Cow;
use std::path::Path;

use lispwright_index::{Link, Thing, Tie};
use lispwright_syntax::Dialect;

use crate::dialects::call_words;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::misspelt::is_slip;
use crate::modules::racket_spaces;
use crate::rule::{About, Example, Rule};

/// A package, module, namespace or feature that nobody declares.
pub(crate) struct UnknownModule;

static ABOUT: About = About {
    code: "unknown-module",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Racket, Dialect::Clojure, Dialect::EmacsLisp],
    what: "A package, module, namespace or feature is imported, loaded or entered that is not there, and that is a slip of the \
           hand away from one that is; or a module of Racket is required from a file that is not there.",
    why: "The file cannot be loaded.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defpackage :shop (:use :cl))\n(in-package :shpo)\n",
            right: "(defpackage :shop (:use :cl) (:nicknames :store))\n(in-package :shop)\n(in-package :store)\n(in-package :shops)\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core (:require [clojure.strng]))\n",
            right: "(ns shop.core (:require [clojure.string] [clojure.store]))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define-module (shop) #:use-module (srfi sfri-1))\n",
            right: "(define-module (shop) #:use-module (srfi srfi-1) #:use-module (srfi srfi-178))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket/base\n(require racket/strng)\n",
            right: "#lang racket/base\n(require racket/string shop/string)\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(require 'subr-xx)\n(provide 'shop)\n(require 'sub-rx)\n",
            right: ";;; -*- lexical-binding: t -*-\n(require 'subr-x)\n(provide 'shop)\n(require 'shop-till)\n",
        },
    ],
};

/// Shorter names are a letter away from many others.
const FEWEST_LETTERS: usize = 4;

impl Rule for UnknownModule {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn needs_project(&self) -> bool {
        true
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let words = &call_words(file.dialect()).names;
        let is_module = |link: &Link| match link.thing {
            Thing::Space | Thing::Feature => true,
            // A module of Racket is a file.
            Thing::File => words.by_macros && link.tie == Tie::Imports,
            Thing::System => false,
        };
        let asks = |link: &&Link| {
            matches!(link.tie, Tie::Enters | Tie::Imports | Tie::Loads)
                && is_module(link)
                && file.is_judged(link.span.start)
                && link.name.len() >= FEWEST_LETTERS
                && link.name.is_ascii()
        };
        for link in file.facts.links.iter().filter(asks) {
            let name = name_of_space(link);
            if file.question.has_space(&name) || file.is_in_branch(link.span) {
                continue;
            }
            let path = Path::new(&link.name);
            let is_path = link.thing == Thing::File && path.is_absolute();
            // What is written by a tool, or is named by an ignore file, is there, too.
            if is_path && path.exists() {
                continue;
            }
            let (what, written) = (words.space_word, shown(file, &name));
            match meant(file, link, &name) {
                Some(near) => findings.add(link.span, format!("no {what} `{written}` is there; near it: `{near}`")),
                None if is_path && is_relative(file, link) && file.document.path.exists() => {
                    findings.add(link.span, format!("no file `{written}` is there"));
                }
                None => {}
            }
        }
    }
}

/// The forms of Racket in which a path begins at the directory of the file.
const SPECIFICATIONS: &[&str] = &[
    "require",
    "local-require",
    "only-in",
    "except-in",
    "prefix-in",
    "rename-in",
    "combine-in",
    "for-syntax",
    "for-template",
    "for-meta",
    "submod",
];

/// The forms of Racket in which a `require` is that of the module, and no part of a template.
const MODULES: &[&str] = &["module", "module*", "module+", "begin"];

/// The link is a text that a module of the file takes as a path from there: other forms can begin elsewhere, and a template
/// is that of the files that use it.
fn is_relative(file: &File<'_, '_>, link: &Link) -> bool {
    let heads = file.lists_around(link.span).map(|list| file.head_of(list).unwrap_or_default());
    let mut outside = heads.skip_while(|head| SPECIFICATIONS.contains(head));
    let is_in_one =
        file.list_of(link.span).is_some_and(|list| SPECIFICATIONS.contains(&file.head_of(list).unwrap_or_default()));
    file.source(link.span).starts_with('"') && is_in_one && outside.all(|head| MODULES.contains(&head))
}

/// The space of the index that a link names.
fn name_of_space(link: &Link) -> Cow<'_, str> {
    match link.thing {
        Thing::File if link.name.starts_with('/') => format!("file:{}", link.name).into(),
        Thing::File => format!("lib:{}", link.name).into(),
        Thing::Space | Thing::Feature | Thing::System => link.name.as_str().into(),
    }
}

/// A name as code of the file writes it.
fn shown(file: &File<'_, '_>, name: &str) -> String {
    file.space_text(&lispwright_index::spelled(file.dialect(), name)).into_owned()
}

/// What a name of nothing was meant to be.
fn meant(file: &File<'_, '_>, link: &Link, name: &str) -> Option<String> {
    let question = file.question;
    let words = &call_words(file.dialect()).names;
    let is_feature = link.thing == Thing::Feature;
    let is_of_language = || match is_feature {
        true => words.features.contains(&link.name),
        false => of_language(file).any(|known| known == name),
    };
    let all = || question.documents().iter().flat_map(|document| &document.facts.links);
    // What is named again elsewhere is meant so.
    let is_again = |one: &&Link| one.name == link.name;
    let declares =
        |one: &&Link| one.thing == link.thing && matches!(one.tie, Tie::Declares | Tie::Provides | Tie::Names);
    if is_of_language() || all().filter(is_again).count() > 1 || question.library_exports(name).is_some() {
        return None;
    }
    let is_meant = |known: &&str| is_slip(plain(name), plain(known)) && is_by_letters(name, known);
    let own = all().filter(declares).map(|one| one.name.as_str()).find(is_meant).map(str::to_owned);
    let of_files = || {
        let documents = question.documents().iter().filter(|_| link.thing == Thing::File);
        documents.map(|one| format!("file:{}", one.path.display())).find(|file| is_meant(&file.as_str()))
    };
    let of_language = || match is_feature {
        true => words.features.words().find(is_meant),
        false => of_language(file).find(is_meant),
    };
    let known = own.or_else(of_files).or_else(|| of_language().map(str::to_owned));
    known.map(|known| shown(file, &known))
}

/// The spaces of the language.
fn of_language(file: &File<'_, '_>) -> impl Iterator<Item = &'static str> {
    let words = &call_words(file.dialect()).names;
    let of_racket = words.by_macros.then(racket_spaces).into_iter().flatten();
    words.libraries.lines().map(str::trim).chain(words.closed.iter().copied()).chain(of_racket)
}

/// The name of a module without the parentheses around it.
fn plain(name: &str) -> &str {
    name.trim_start_matches('(').trim_end_matches(')')
}

/// They differ in letters, not in a number alone.
fn is_by_letters(one: &str, other: &str) -> bool {
    let letters = |name: &str| name.chars().filter(|next| !next.is_ascii_digit()).collect::<String>();
    letters(one) != letters(other)
}
