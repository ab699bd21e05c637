//! A clause that is no list.

use lispwright_syntax::{Dialect, SpecialForm};

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A clause that is no list.
pub(crate) struct MalformedClause;

static ABOUT: About = About {
    code: "malformed-clause",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::EmacsLisp, Dialect::Racket],
    what: "A clause of `cond`, `case` or the like is not a list.",
    why: "The compiler refuses the form; often a parenthesis around the clause is missing.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun sign (n)\n  (cond ((< n 0) -1)\n        t 1))\n",
            right: "(defun sign (n)\n  (cond ((< n 0) -1)\n        (t 1)))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun sign (n)\n  (cond ((< n 0) -1) nil))\n",
            right: "(defun sign (n)\n  (cond ((< n 0) -1) (nil) (t (case n (0 nil) nil))))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun safe (f)\n  (condition-case nil (funcall f) error nil))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun safe (f)\n  (condition-case nil (funcall f) (error nil)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (sign n)\n  (cond ((< n 0) -1) else 1))\n",
            right: "(define (sign n)\n  (cond ((< n 0) -1) (else 1)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (sign n)\n  (cond ((< n 0) -1) (else 1) #f))\n",
            right: "(define (sign n)\n  (cond ((< n 0) -1) (#f 1) (else #f)))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define (sign n)\n  (case n [(0) 'zero] else 'other))\n",
            right: "#lang racket\n(define (sign n)\n  (case n [(0) 'zero] [else 'other]))\n",
        },
    ],
};

/// The forms that refuse `nil`, which is the empty list, as a clause.
const REFUSE_NIL: &[(Dialect, &str)] = &[(Dialect::CommonLisp, "cond")];

impl Rule for MalformedClause {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        use SpecialForm as F;
        for form in file.code().certain() {
            let from = match (file.dialect().special_form(&form.name), &*form.name) {
                (Some(F::Cond), "cond") => 0,
                (Some(F::Case), _) | (Some(F::Handlers), "handler-case") => 1,
                (Some(F::ConditionCase), _) => 2,
                _ => continue,
            };
            let clauses = form.arguments.get(from..).unwrap_or_default();
            let mut wrong = clauses.iter().filter(|clause| clause.list().is_none() && file.is_plain(**clause));
            let Some(first) = wrong.find(|clause| clause.is_bare()) else { continue };
            let is_refused = REFUSE_NIL.contains(&(file.dialect(), &*form.name));
            let is_spared = |text: &str| match text.to_ascii_lowercase().as_str() {
                "nil" => !is_refused,
                "#f" | "#t" => false,
                text => text.starts_with([',', '#', '"']) || text == "=>",
            };
            if !is_spared(file.core(*first)) && file.is_of_language(file.tree.core_span(form.head)) {
                let message = format!("a clause of `{}` is a list", form.name);
                findings.add(file.tree.datum_span(*first), message);
            }
        }
    }
}
