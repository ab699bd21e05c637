//! A definition that only its own file can use, and does not.

use lispwright_index::{Definition, Exports, FormRow, Hit, words};
use lispwright_syntax::{Dialect, FormKind, ListId, Span};

use crate::dialects::call_words;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A definition that only its own file can use, and does not.
pub(crate) struct UnusedPrivate;

static ABOUT: About = About {
    code: "unused-private",
    severity: Severity::Warning,
    is_default: true,
    dialects: &[Dialect::Scheme, Dialect::Clojure, Dialect::Racket],
    what: "A private definition is not used: a private var of Clojure, or a function that its module of Scheme or Racket \
           does not export.",
    why: "It is dead code, or the name of another definition was meant where it should be used.",
    examples: &[
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(defn- total [x] (if x (total (next x)) 0))\n(def ^:private rate 2)\n\
                    (defn sum [x] (* rate x))\n",
            right: "(ns shop.core)\n(defn- total [x] x)\n(def ^:private rate 2)\n(defn sum [x] (* rate (total x)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define-module (shop) #:export (sum))\n(define (total x) x)\n(define (sum x) (* 2 x))\n",
            right: "(define-module (shop) #:export (sum))\n(define (total x) x)\n(define (sum x) (* 2 (total x)))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(provide sum)\n(define (total x) x)\n(define (sum x) (* 2 x))\n",
            right: "#lang racket\n(provide sum)\n(define (total x) x)\n(define (sum x) (* 2 (total x)))\n",
        },
    ],
};

/// Text in files whose code makes names, or gives out what it does not name.
const CONJURES: &[&str] = &[
    "export-all",
    "module-export",
    "all-defined",
    "namespace-anchor",
    "(eval ",
    "(interaction-environment",
    "symbol-append",
    "string->symbol",
    "format-id",
    "format-symbol",
    "datum->syntax",
];

/// Heads of the forms around a definition at the level of a module.
const MODULES: &[&str] = &["library", "define-library", "begin"];

impl Rule for UnusedPrivate {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn needs_project(&self) -> bool {
        true
    }

    fn needs_file(&self) -> bool {
        true
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let words = call_words(file.dialect());
        if !file.document.is_balanced
            || !file.has_known_language()
            || words.includes.iter().any(|include| file.text().contains(include))
        {
            return;
        }
        let is_marked = words.has_kondo;
        let mut found: Vec<(&Definition, Span)> = Vec::new();
        let mut names: Vec<(&str, Span)> = Vec::new();
        for one in file.facts.definitions.iter().filter(|one| !one.made) {
            let row = &file.facts.forms[one.form as usize];
            let is_private = if is_marked { is_private(file, row) } else { is_inside(file, one, row) };
            let name = file.source(row.name);
            if is_private && name == one.name && !is_called_by_rule(file, name) {
                found.push((one, row.name));
                names.push((name, row.span));
            }
        }
        if names.is_empty() {
            return;
        }
        let is_free = file.unmentioned(&names);
        for ((one, place), _) in found.into_iter().zip(is_free).filter(|(_, is_free)| *is_free) {
            if !is_used_elsewhere(file, one) {
                findings.add(place, format!("nothing uses the private `{}`", one.name));
            }
        }
    }
}

/// The definition is marked as private.
fn is_private(file: &File<'_, '_>, row: &FormRow) -> bool {
    let is_definition =
        matches!(row.head.as_str(), "defn" | "defn-" | "def" | "defonce" | "defmacro" | "defmulti" | "definline");
    let before = file.source(Span::new(row.span.start, row.name.start));
    // The place of the name is that of the name alone.
    let is_plain = !file.source(row.name).starts_with(['(', '^', '[', '{']);
    is_definition && is_plain && row.has_name() && (row.head == "defn-" || before.contains(":private"))
}

/// The definition is that of a function at the level of a module that says what it exports.
fn is_inside(file: &File<'_, '_>, one: &Definition, row: &FormRow) -> bool {
    let is_definer = call_words(file.dialect()).definers.contains(&row.head.as_str());
    let is_function = file.text()[..row.name.start as usize].ends_with('(');
    if one.kind != FormKind::Function || !is_definer || !is_function || !row.head.starts_with("define") {
        return false;
    }
    let own: Vec<_> = file.document.facts.spaces.iter().filter(|space| space.name == one.space).collect();
    let is_written = |space: &&&lispwright_index::Space| {
        matches!(space.exports, Exports::Names(_)) && !space.exports_more && space.provides.is_empty()
    };
    let is_module = lispwright_index::files_are_modules(file.dialect());
    let is_declared = own.iter().any(|space| !space.adds && (is_module || !space.is_file()));
    let exports_something = own.iter().any(|space| space.exports != Exports::Names(Vec::new()));
    if !is_declared || !exports_something || !own.iter().all(|space| is_written(&space)) {
        return false;
    }
    if row.head.ends_with("-public") || CONJURES.iter().any(|word| file.text().contains(word)) {
        return false;
    }
    let lists = file.tree.lists();
    let at = lists.partition_point(|list| file.tree.token_span(list.open()).start < row.span.start);
    let Some(list) = (at < lists.len()).then_some(at as ListId) else { return false };
    if file.tree.list_span(list).start != row.span.start {
        return false;
    }
    let head = file.tree.data(list).next().map(|head| file.tree.core_span(head));
    if !head.is_some_and(|head| file.is_of_language(head)) {
        return false;
    }
    let mut around = std::iter::successors(Some(list), |list| file.tree.list(*list).parent());
    let is_at_top =
        |list: ListId| !file.is_prefixed(list) && file.head_of(list).is_some_and(|head| MODULES.contains(&head));
    !file.is_prefixed(list) && around.by_ref().skip(1).all(is_at_top)
}

/// Others call it by its name, or it is said to be for nothing.
fn is_called_by_rule(file: &File<'_, '_>, name: &str) -> bool {
    name.starts_with(['_', '%'])
        || matches!(name, "main" | "-main")
        || (name.starts_with('-') && file.text().contains(":gen-class"))
}

/// Another file of the project may use it: it has the name, and can come to what is private here.
fn is_used_elsewhere(file: &File<'_, '_>, one: &Definition) -> bool {
    let is_other = |hit: &Hit<'_>| !std::ptr::eq(hit.document, file.document);
    if call_words(file.dialect()).has_kondo && file.question.named(&one.name).any(|hit| is_other(&hit)) {
        return true;
    }
    let others = file.question.documents().iter().filter(|other| !std::ptr::eq(**other, file.document));
    let reaches = |text: &str| {
        ["@@", "module-ref", "require/expose", "ns-resolve", "(resolve ", "requiring-resolve", "in-ns"]
            .iter()
            .any(|word| text.contains(word))
    };
    others.into_iter().any(|other| reaches(&other.text) && !words(&other.text, &one.name, false).is_empty())
}
