//! A function or macro that a file defines twice.

use lispwright_syntax::{Dialect, FormKind};
use rustc_hash::FxHashMap;

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A function or macro that a file defines twice.
pub(crate) struct DuplicateDefinition;

static ABOUT: About = About {
    code: "duplicate-definition",
    severity: Severity::Warning,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp, Dialect::Racket],
    what: "A function or macro is defined twice in a file.",
    why: "The second definition replaces the first, which is then dead; in a module it is an error.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun area (r) (* 3 r))\n(defun area (r) (* 4 r))\n",
            right: "(defun area (r) (* 3 r))\n#+sbcl (defun size (r) r)\n#-sbcl (defun size (r) (* 2 r))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(defn area [r] (* 3 r))\n(defn area [r] (* 4 r))\n",
            right: "(ns shop.core)\n(declare area)\n(defn area [r] (* 3 r))\n",
        },
    ],
};

impl Rule for DuplicateDefinition {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let mut first: FxHashMap<(&str, &str), u32> = FxHashMap::default();
        for one in file.facts.definitions.iter().filter(|one| !one.made) {
            if !matches!(one.kind, FormKind::Function | FormKind::Macro) {
                continue;
            }
            let row = &file.facts.forms[one.form as usize];
            let form = file.forms.around(row.name.start).map(|id| file.forms.get(id));
            if form.is_none_or(|form| form.parent.is_some() || !form.conditions.is_empty()) {
                continue;
            }
            match first.entry((&one.space, &one.name)) {
                std::collections::hash_map::Entry::Occupied(earlier) => {
                    let line = file.document.line(*earlier.get());
                    findings.add(row.name, format!("`{}` is defined on line {line} already", one.name));
                }
                std::collections::hash_map::Entry::Vacant(slot) => {
                    slot.insert(row.name.start);
                }
            }
        }
    }
}
