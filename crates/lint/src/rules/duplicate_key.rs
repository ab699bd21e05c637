//! A key of `case`, of a literal map or set that is there already.

use lispwright_syntax::{Datum, Dialect, SpecialForm};
use rustc_hash::FxHashSet;

use crate::code::CodeForm;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A key of `case`, of a literal map or set that is there already.
pub(crate) struct DuplicateKey;

static ABOUT: About = About {
    code: "duplicate-key",
    severity: Severity::Warning,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp, Dialect::Racket],
    what: "A key of `case` stands in an earlier clause of the same form, or twice in one; or a literal map or set of Clojure has \
           one twice.",
    why: "The first clause is taken, so the second is never reached for this key; Clojure refuses the form.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun kind (n)\n  (case n\n    ((0 1) :small)\n    (1 :one)))\n",
            right: "(defun kind (n)\n  (case n\n    (#\\a :lower)\n    (#\\A :upper)\n    #+sbcl (1 :one)\n    #-sbcl (1 :uno)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn kind [n] (case n :a 1 :b 2 :a 3))\n",
            right: "(ns example)\n(defn kind [n] (case n :a 1 (:b :c) 2 :d))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(def sizes {:small 1 :large 2 :small 3})\n",
            right: "(ns example)\n(def sizes {:small 1 :large 2})\n(def all #{:small :large})\n(defmacro m [a b] `{~a 1 ~b 2 x# 3})\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define (kind n)\n  (case n [(a) 1] [(b a) 2]))\n",
            right: "#lang racket\n(define (kind n)\n  (case n [(a) 1] [(b) 2]))\n",
        },
    ],
};

/// The keys of a form, in order; none if its clauses are not understood.
fn keys(file: &File<'_, '_>, form: &CodeForm<'_>) -> Vec<Datum> {
    use SpecialForm as F;
    let clauses = form.arguments.get(1..).unwrap_or_default();
    let heads: Vec<Datum> = match file.dialect().special_form(&form.name) {
        Some(F::Case) if !form.name.contains("type") => {
            let clauses = clauses.iter().filter(|clause| file.is_plain(**clause));
            clauses.filter_map(|clause| file.tree.data(clause.list()?).next()).collect()
        }
        Some(F::CasePairs) if form.is_whole => clauses.chunks_exact(2).map(|pair| pair[0]).collect(),
        _ => Vec::new(),
    };
    let inside = |head: Datum| match head.list().filter(|_| head.is_bare() && file.core(head).starts_with('(')) {
        Some(list) => file.data(list),
        // What always fits is no key.
        None if matches!(file.core(head).to_ascii_lowercase().as_str(), "t" | "nil" | "otherwise" | "else") => {
            Vec::new()
        }
        None => vec![head],
    };
    let keys = heads.into_iter().flat_map(inside);
    keys.filter(|key| key.list().is_none() && key.is_bare() && file.is_plain(*key)).collect()
}

impl Rule for DuplicateKey {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let folds = file.dialect().folds_case();
        for form in file.code().certain() {
            let mut seen = FxHashSet::default();
            for key in keys(file, form) {
                let text = file.core(key);
                let own = if folds && !text.starts_with(['#', '|']) { text.to_lowercase() } else { text.to_owned() };
                if !seen.insert(own) && file.is_of_language(file.tree.core_span(form.head)) {
                    findings
                        .add(file.tree.core_span(key), format!("`{text}` is a key of this `{}` already", form.name));
                }
            }
        }
        literals(file, findings);
    }
}

/// How many data there are from one key to the next, by what opens a literal with keys.
const LITERALS: &[(Dialect, &str, usize)] = &[(Dialect::Clojure, "{", 2), (Dialect::Clojure, "#{", 1)];

/// Tells the keys that literal maps and sets have twice.
fn literals(file: &File<'_, '_>, findings: &mut Findings) {
    if !LITERALS.iter().any(|(dialect, ..)| *dialect == file.dialect()) {
        return;
    }
    for list in file.judged_lists() {
        let opener = file.core_opener(list);
        let Some((.., step)) = LITERALS.iter().find(|(_, literal, _)| *literal == opener) else { continue };
        let data = file.data(list);
        if data.len() <= *step || !data.len().is_multiple_of(*step) || !data.iter().all(|one| file.is_plain(*one)) {
            continue;
        }
        let mut seen = FxHashSet::default();
        for key in data.iter().step_by(*step).filter(|key| key.list().is_none() && key.is_bare()) {
            let text = file.core(*key);
            if !seen.insert(text) {
                let what = if *step == 1 { "set" } else { "map" };
                findings.add(file.tree.core_span(*key), format!("`{text}` is in this {what} already"));
            }
        }
    }
}
