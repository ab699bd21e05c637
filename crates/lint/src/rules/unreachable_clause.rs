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
    what: "A clause stands after the one that always fits: `t`, `else`, `otherwise`, `:else`, `_`.",
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
            dialect: Dialect::CommonLisp,
            wrong: "(defun kind (n)\n  (etypecase n\n    (t :any)\n    (fixnum :small)))\n",
            right: "(defun kind (n)\n  (ecase n\n    (t :true)\n    (nil :false)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(use-modules (ice-9 match))\n(define (kind n)\n  (match n (_ 'any) ((a b) (list b a))))\n",
            right: "(use-modules (ice-9 match))\n(define (kind n)\n  (match n (_ (=> next) (next)) ((a b) (list b a)) (_ 'any)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (safe f)\n  (guard (e (else 'failed) ((string? e) e)) (f)))\n",
            right: "(define (safe f)\n  (guard (e ((string? e) e) (else 'failed)) (f)))\n",
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

/// What always fits in a dialect: as the test of `cond`, as the key of `case`, and as a type.
const ALWAYS: &[(Dialect, [&[&str]; 3])] = &[
    (Dialect::CommonLisp, [&["t"], &["t", "otherwise"], &["t"]]),
    (Dialect::EmacsLisp, [&["t"], &["t", "otherwise"], &["t", "otherwise"]]),
    (Dialect::Scheme, [&["else"], &["else"], &[]]),
    (Dialect::Racket, [&["else"], &["else"], &[]]),
    (Dialect::Clojure, [&[":else", ":default", ":otherwise", "true"], &[], &[]]),
];

/// Forms that have no clause for all other keys: `t` is a key of theirs like another.
const WITHOUT_OTHERWISE: &[&str] = &["ecase", "ccase"];

/// What fits any value as a pattern.
const ANY: &[&str] = &["_", "else"];

/// The heads of the clauses of a form, and what always fits there; `None` if its clauses are not understood.
fn clauses(file: &File<'_, '_>, form: &CodeForm<'_>) -> Option<(Vec<Datum>, &'static [&'static str])> {
    use SpecialForm as F;
    let (_, [in_cond, in_case, as_type]) = ALWAYS.iter().find(|(dialect, _)| *dialect == file.dialect())?;
    let special = file.dialect().special_form(&form.name);
    let mut clauses: Vec<Datum> = form.arguments.clone();
    let (from, always): (usize, &[&str]) = match (special, &*form.name) {
        (None, "cond") => {
            let tests = form.arguments.iter().copied().step_by(2).collect();
            return form.is_whole.then_some((tests, in_cond));
        }
        (Some(F::Cond), "cond") => (0, in_cond),
        (Some(F::CondExpand), "cond-expand") => (0, in_case),
        (Some(F::Guard), "guard") => {
            clauses = file.data(form.arguments.first().filter(|first| first.is_bare())?.list()?);
            (1, in_cond)
        }
        (Some(F::Case), name) if WITHOUT_OTHERWISE.contains(&name) && file.dialect().folds_case() => return None,
        // What is no type is a slip that fits nothing.
        (Some(F::Case), name) if name.contains("type") => (1, as_type),
        (Some(F::Case), _) => (1, in_case),
        (Some(F::Handlers), "handler-case") => (1, &["t", "condition"]),
        (Some(F::ConditionCase), _) => (2, in_cond),
        (Some(F::Patterns), "pcase" | "pcase-exhaustive") => (1, &["_"]),
        (Some(F::Match), "match") => (1, ANY),
        (Some(F::MatchLambda), "match-lambda") => (0, ANY),
        _ => return None,
    };
    let clauses = clauses.get(from..)?.iter().filter(|clause| file.is_plain(**clause));
    let heads = clauses.filter_map(|clause| {
        let mut data = file.tree.data(clause.list()?);
        let head = data.next()?;
        // A pattern with a further condition; what is done when nothing happened.
        let is_guarded = data.next().is_some_and(|next| GUARDS.contains(&file.core(next)) || is_escape(file, next));
        let is_other = OTHER_CLAUSES.contains(&file.core(head).to_ascii_lowercase().as_str());
        (!is_guarded && !is_other).then_some(head)
    });
    Some((heads.collect(), always))
}

/// What stands before a further condition of a clause.
const GUARDS: &[&str] = &["#:when", "#:do"];

/// Clauses of handlers that are none of conditions.
const OTHER_CLAUSES: &[&str] = &[":success", ":no-error"];

/// `(=> name)`: the clause can go on to the next one.
fn is_escape(file: &File<'_, '_>, datum: Datum) -> bool {
    let is_pattern = file.dialect().special_form("match").is_some();
    is_pattern && (file.core(datum) == "=>" || file.head_of_datum(datum) == Some("=>"))
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
