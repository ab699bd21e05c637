//! A clause after the one that always fits.

use lispwright_syntax::{Datum, Dialect, SpecialForm};

use crate::code::CodeForm;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A clause after the one that always fits.
pub(crate) struct UnreachableClause;

static ABOUT: About = About {
    code: "unreachable-clause",
    severity: Severity::Warning,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp, Dialect::Racket],
    what: "A clause stands after the one that always fits: `t`, `else`, `otherwise`, `:else`.",
    why: "It is never reached; many compilers refuse it.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun kind (n)\n  (cond ((< n 0) :negative)\n        (t :positive)\n        ((= n 0) :zero)))\n",
            right: "(defun kind (n)\n  (case n\n    (0 :zero)\n    ((t) :true)\n    (otherwise :other)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn kind [n]\n  (cond (neg? n) :negative :else :positive (zero? n) :zero))\n",
            right: "(ns example)\n(defn kind [n]\n  (cond (neg? n) :negative (zero? n) :zero :else :positive))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (kind n)\n  (case n ((0) 'zero) (else 'other) ((1) 'one)))\n",
            right: "(define (kind n)\n  (case n ((0) 'zero) ((1) 'one) (else 'other)))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun kind (n)\n  (pcase n\n    (0 'zero)\n    (_ 'other)\n    (1 'one)))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun kind (n)\n  (pcase n\n    (0 'zero)\n    (1 'one)\n    (_ 'other)))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define (kind n)\n  (cond [(< n 0) 'negative] [else 'positive] [(= n 0) 'zero]))\n",
            right: "#lang racket\n(define (kind n)\n  (cond [(< n 0) 'negative] [(= n 0) 'zero] [else 'positive]))\n",
        },
    ],
};

/// What always fits in a dialect: as the test of `cond`, and as the key of `case`.
const ALWAYS: &[(Dialect, &[&str], &[&str])] = &[
    (Dialect::CommonLisp, &["t"], &["t", "otherwise"]),
    (Dialect::EmacsLisp, &["t"], &["t", "otherwise"]),
    (Dialect::Scheme, &["else"], &["else"]),
    (Dialect::Racket, &["else"], &["else"]),
    (Dialect::Clojure, &[":else", ":default", ":otherwise", "true"], &[]),
];

/// The heads of the clauses of a form, and what always fits there; `None` if its clauses are not understood.
fn clauses(file: &File<'_, '_>, form: &CodeForm<'_>) -> Option<(Vec<Datum>, &'static [&'static str])> {
    use SpecialForm as F;
    let (_, in_cond, in_case) = ALWAYS.iter().find(|(dialect, ..)| *dialect == file.dialect())?;
    let special = file.dialect().special_form(&form.name);
    let (from, always): (usize, &[&str]) = match (special, &*form.name) {
        (None, "cond") => {
            let tests = form.arguments.iter().copied().step_by(2).collect();
            return form.is_whole.then_some((tests, in_cond));
        }
        (Some(F::Cond), "cond") => (0, in_cond),
        (Some(F::Case), _) => (1, in_case),
        (Some(F::Patterns), "pcase") => (1, &["_"]),
        _ => return None,
    };
    let clauses = form.arguments.get(from..)?.iter().filter(|clause| file.is_plain(**clause));
    let heads = clauses.filter_map(|clause| file.tree.data(clause.list()?).next());
    Some((heads.collect(), always))
}

impl Rule for UnreachableClause {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for form in file.code().certain() {
            let Some((heads, always)) = clauses(file, form) else { continue };
            let fits = |head: &Datum| {
                head.is_bare()
                    && head.list().is_none()
                    && always.iter().any(|one| file.core(*head).eq_ignore_ascii_case(one))
            };
            let Some(first) = heads.iter().position(fits) else { continue };
            let Some(next) = heads.get(first + 1) else { continue };
            if file.is_of_language(file.tree.core_span(form.head)) {
                let always = file.core(heads[first]);
                let message =
                    format!("this clause of `{}` is never reached: `{always}` before it always fits", form.name);
                findings.add(file.tree.datum_span(*next), message);
            }
        }
    }
}
