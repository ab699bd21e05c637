//! A comment that silences nothing.

use lispwright_syntax::Dialect;

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A comment that silences nothing. What all other rules find decides it, so it is found after them.
pub(crate) struct UnusedSuppression;

pub(crate) static ABOUT: About = About {
    code: "unused-suppression",
    severity: Severity::Hint,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp, Dialect::Racket],
    what: "A comment silences a rule that finds nothing there, or that there is not.",
    why: "What it was written for is gone; it would hide the next mistake at its place.",
    examples: &[Example {
        dialect: Dialect::CommonLisp,
        wrong: "(defun area (r) (* 3 r)) ; lispwright:ignore duplicate-definition\n",
        right: "(defun area (r) (* 3 r))\n(defun area (r) (* 4 r)) ; lispwright:ignore duplicate-definition\n",
    }],
};

impl Rule for UnusedSuppression {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, _: &File<'_, '_>, _: &mut Findings) {}
}
