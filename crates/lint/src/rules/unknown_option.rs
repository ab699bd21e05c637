//! An option of a package, module, namespace or system that there is not, or one that is no option.

use lispwright_syntax::{Datum, Dialect, ListId, edit_distance};

use crate::declared_options::{LIBRARY_OPTIONS, OPTIONS, OptionRow, OptionStyle, Value};
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// An option of a package, module, namespace or system that there is not, or one that is no option.
pub(crate) struct UnknownOption;

static ABOUT: About = About {
    code: "unknown-option",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::Racket],
    what: "The declaration of a package, module, namespace, library or system, or of a structure of Racket, has an option \
           that there is not, or something that is no option.",
    why: "The declaration is refused, or what it asks for is ignored.",
    examples: &[
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example\n  (:requre [clojure.string]))\n",
            right: "(ns example\n  \"An example.\"\n  {:author \"A\"}\n  (:require [clojure.string :as str])\n  (:gen-class))\n(str/trim \"\")\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example\n  (:require [clojure.set :refer union]))\n(union #{})\n",
            right: "(ns example\n  (:require [clojure.set :refer [union]] [clojure.walk :refer :all]))\n(union #{})\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defpackage :shop\n  (:use :cl)\n  (:exprot #:total))\n",
            right: "(defpackage :shop\n  (:use :cl)\n  (:documentation \"A shop.\"))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defpackage :shop :use :cl)\n",
            right: "(defpackage :shop (:use :cl))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(asdf:defsystem \"shop\"\n  :depend-on (\"alexandria\")\n  :components ((:file \"shop\")))\n",
            right: "(asdf:defsystem \"shop\"\n  :depends-on (\"alexandria\")\n  :components ((:file \"shop\")))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define-module (shop)\n  #:use-modules (srfi srfi-1))\n",
            right: "(define-module (shop)\n  #:use-module (srfi srfi-1)\n  #:use-module ((srfi srfi-9) #:prefix r:)\n  #:pure\n  #:declarative? #f)\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define-library (shop)\n  (exports total)\n  (import (scheme base))\n  (begin (define total 1)))\n",
            right: "(define-library (shop)\n  (export total)\n  (import (scheme base))\n  (begin (define total 1)))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(struct item (name [price #:mutabl]))\n",
            right: "#lang racket\n(struct item (name [price #:mutable] [size #:auto]) #:auto-value 1)\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(struct item (name price) #:transparnt)\n",
            right: "#lang racket\n(struct item (name price)\n  #:property prop:procedure (lambda (self) self)\n  #:transparent)\n",
        },
    ],
};

/// The options of a field of a structure of Racket.
const FIELD_OPTIONS: &[&str] = &["mutable", "auto"];

/// An option that differs so little from a known one is that one, misspelt.
const MOST_SLIPS: usize = 2;

/// Dialects whose structures have their fields before the options.
const FIELDS_COME_FIRST: &[Dialect] = &[Dialect::Racket];

impl Rule for UnknownOption {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let rows: Vec<&OptionRow> = OPTIONS.iter().filter(|row| row.dialect == file.dialect()).collect();
        for top in file.tree.top_level().filter(|one| one.is_bare()) {
            let Some((list, head)) = top.list().and_then(|list| Some((list, file.head_of(list)?))) else { continue };
            let written = head.rsplit(['/', ':']).next().unwrap_or(head).to_ascii_lowercase();
            let Some(row) = rows.iter().find(|row| row.heads.contains(&written.as_str())) else { continue };
            let data = file.tree.data(list).skip(2);
            // The supertype and the fields of a structure stand before its options.
            let is_field =
                |one: &Datum| FIELDS_COME_FIRST.contains(&file.dialect()) && !file.core(*one).starts_with("#:");
            data.clone().take_while(is_field).for_each(|all| fields(file, all, findings));
            let options: Vec<Datum> = data.skip_while(is_field).collect();
            match row.style {
                OptionStyle::Lists { mark } => lists(file, (row, mark), head, &options, findings),
                OptionStyle::Pairs => pairs(file, row, head, &options, findings),
            }
        }
    }
}

/// The known word that a word was meant to be.
fn near<'w>(word: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let most = if word.len() > 5 { MOST_SLIPS } else { 1 };
    words
        .map(|known| (edit_distance(word, known), known))
        .filter(|(slips, _)| *slips <= most)
        .min()
        .map(|(_, known)| known)
}

/// A word without what marks a keyword, folded.
fn plain(text: &str) -> String {
    text.trim_start_matches(['#', ':']).to_ascii_lowercase()
}

/// `(word value…)…`
fn lists(file: &File<'_, '_>, (row, mark): (&OptionRow, &str), head: &str, options: &[Datum], findings: &mut Findings) {
    for option in options.iter().filter(|option| option.is_bare() && file.is_plain(**option)) {
        let Some(list) = option.list() else {
            // A word that would be the head of an option, without the list.
            let text = file.core(*option);
            let is_option = row.words.iter().any(|(word, _)| plain(text) == *word) && text.starts_with(':');
            if is_option {
                findings.add(file.tree.datum_span(*option), format!("an option of `{head}` is a list: `({text} …)`"));
            }
            continue;
        };
        let Some(word) = file.head_of(list).filter(|word| word.starts_with(':') == (mark == ":")) else { continue };
        let folded = plain(word);
        if row.words.iter().any(|(known, _)| *known == folded) {
            if row.heads == ["ns"] {
                libraries(file, list, findings);
            }
            continue;
        }
        if let Some(near) = near(&folded, row.words.iter().map(|(word, _)| *word)) {
            let span =
                file.tree.data(list).next().map_or(file.tree.datum_span(*option), |head| file.tree.core_span(head));
            findings.add(span, format!("`{head}` has no option `{word}`; near it: `{mark}{near}`"));
        }
    }
}

/// `word value …`
fn pairs(file: &File<'_, '_>, row: &OptionRow, head: &str, options: &[Datum], findings: &mut Findings) {
    let mut rest = options.iter().peekable();
    while let Some(option) = rest.next() {
        let text = file.core(*option);
        let is_word = option.list().is_none() && option.is_bare() && text.trim_start_matches('#').starts_with(':');
        if !is_word || !file.is_plain(*option) {
            return;
        }
        let folded = plain(text);
        let span = file.tree.core_span(*option);
        let Some((_, wanted)) = row.words.iter().find(|(word, _)| *word == folded) else {
            let near = near(&folded, row.words.iter().map(|(word, _)| *word));
            let mark = if text.starts_with('#') { "#:" } else { ":" };
            match near {
                Some(near) => findings.add(span, format!("`{head}` has no option `{text}`; near it: `{mark}{near}`")),
                None if row.is_closed => findings.add(span, format!("`{head}` has no option `{text}`")),
                None => {}
            }
            rest.next();
            continue;
        };
        match wanted {
            Value::None => {}
            // The name of a module, and the names that code has from it; a property, and its value.
            Value::Any if matches!(&*folded, "autoload" | "property" | "methods") => drop((rest.next(), rest.next())),
            Value::Any => drop(rest.next()),
            Value::List => match rest.next() {
                Some(value) if value.list().is_none() && value.is_bare() && file.is_plain(*value) => {
                    findings.add(file.tree.datum_span(*value), format!("the value of `{text}` is a list"));
                }
                Some(_) => {}
                None => findings.add(span, format!("the option `{text}` has no value")),
            },
        }
    }
}

/// `([name option …] …)`
fn fields(file: &File<'_, '_>, fields: Datum, findings: &mut Findings) {
    let fields = fields.list().into_iter().flat_map(|list| file.tree.data(list)).filter_map(Datum::list);
    for option in fields.flat_map(|field| file.tree.data(field).skip(1)).filter(|one| one.list().is_none()) {
        let text = file.core(option);
        let near = near(&plain(text), FIELD_OPTIONS.iter().copied()).filter(|near| *near != plain(text));
        if let Some(near) = near.filter(|_| text.starts_with("#:")) {
            findings.add(file.tree.core_span(option), format!("a field has no option `{text}`; near it: `#:{near}`"));
        }
    }
}

/// `[library option value …]…`
fn libraries(file: &File<'_, '_>, clause: ListId, findings: &mut Findings) {
    let is_asking = file.head_of(clause).is_some_and(|head| matches!(head, ":require" | ":use" | ":require-macros"));
    let mut words = file.tree.data(clause);
    if let (Some(word), None, true) = (words.next(), words.next(), is_asking) {
        findings.add(file.tree.datum_span(word), format!("`{}` asks for nothing", file.core(word)));
    }
    let vectors = file.tree.data(clause).skip(1).filter(|one| is_asking && one.is_bare() && file.is_plain(*one));
    for vector in vectors.filter(|one| file.core(*one).starts_with('[')).filter_map(Datum::list) {
        let data = file.data(vector);
        if !data.iter().all(|one| file.is_plain(*one)) {
            continue;
        }
        let options = data.get(1..).unwrap_or_default();
        // A prefix with libraries.
        if options.first().is_none_or(|first| !file.core(*first).starts_with(':')) {
            continue;
        }
        for pair in options.chunks(2) {
            let text = file.core(pair[0]);
            let span = file.tree.core_span(pair[0]);
            if pair[0].list().is_some() || !text.starts_with(':') {
                findings.add(file.tree.datum_span(pair[0]), "an option of a library begins with a keyword");
                break;
            }
            let is_known = LIBRARY_OPTIONS.contains(&text);
            match (pair.get(1), near(text, LIBRARY_OPTIONS.iter().copied())) {
                (None, _) if is_known => findings.add(span, format!("the option `{text}` has no value")),
                (Some(value), _) if text == ":refer" && value.list().is_none() && file.core(*value) != ":all" => {
                    let message = format!("the value of `:refer` is a vector of names: `[{}]`", file.core(*value));
                    findings.add(file.tree.datum_span(*value), message);
                }
                (_, Some(near)) if !is_known => {
                    findings.add(span, format!("a library has no option `{text}`; near it: `{near}`"));
                }
                _ => {}
            }
        }
    }
}
