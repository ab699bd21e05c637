//! A function or macro that a file defines twice.

use lispwright_syntax::{Dialect, FormKind, Span, SpecialForm};
use rustc_hash::FxHashMap;

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::operators::is_named_by;
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

/// Dialects whose code may use a definition before a later one replaces it.
const SEQUENTIAL: &[Dialect] = &[Dialect::Scheme];

impl Rule for DuplicateDefinition {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        if !file.has_known_language() {
            return;
        }
        // A writer is no function of the name; a compiler macro stands beside its function.
        let mut first: FxHashMap<(&str, &str, bool), u32> = FxHashMap::default();
        for one in file.facts.definitions.iter().filter(|one| !one.made) {
            if !matches!(one.kind, FormKind::Function | FormKind::Macro) {
                continue;
            }
            let row = &file.facts.forms[one.form as usize];
            if !is_known(file.dialect().special_form(&row.head))
                || row.head == "define-compiler-macro"
                || row.head.ends_with("-for-syntax")
            {
                continue;
            }
            if file.is_infix(row.name) || !is_named_by(file.document, one) {
                continue;
            }
            let is_writer = file.source(row.name).starts_with('(');
            let form = file.forms.around(row.name.start).map(|id| file.forms.get(id));
            if form.is_none_or(|form| form.parent.is_some() || !form.conditions.is_empty()) {
                continue;
            }
            match first.entry((&one.space, &one.name, is_writer)) {
                // Code between the two may use the first.
                std::collections::hash_map::Entry::Occupied(earlier)
                    if !file.runs_between(*earlier.get(), row.span.start) =>
                {
                    let line = file.document.line(*earlier.get());
                    findings.add(row.name, format!("`{}` is defined on line {line} already", one.name));
                }
                std::collections::hash_map::Entry::Occupied(mut earlier) => {
                    earlier.insert(row.name.start);
                }
                std::collections::hash_map::Entry::Vacant(slot) => {
                    slot.insert(row.name.start);
                }
            }
        }
    }
}

/// The form is known to define a function or macro in the place of an earlier one.
fn is_known(special: Option<SpecialForm>) -> bool {
    use SpecialForm as F;
    matches!(special, Some(F::Function | F::Macro | F::Define | F::Syntax | F::SyntaxRule))
}

impl File<'_, '_> {
    /// The name is the first of an infix form: `(define (a . + . b) …)`.
    fn is_infix(&self, name: Span) -> bool {
        let list = self.tree.token_at(name.start).and_then(|token| self.tree.list_around(token));
        list.is_some_and(|list| self.tree.data(list).filter(|datum| self.core(*datum) == ".").count() > 1)
    }

    /// Code that runs between two places can use a definition before the first place.
    fn runs_between(&self, from: u32, to: u32) -> bool {
        let mut between = self.forms.top_level().filter(|(_, form)| form.span.start > from && form.span.end < to);
        SEQUENTIAL.contains(&self.dialect()) && between.any(|(_, form)| !form.kind.defines())
    }
}
