//! A situation of `eval-when` that the language has not.

use lispwright_syntax::{Datum, Dialect};

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::identity::nearest_of;
use crate::rule::{About, Example, Rule};

/// A situation of `eval-when` that the language has not.
pub(crate) struct EvalWhenSituation;

static ABOUT: About = About {
    code: "eval-when-situation",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme],
    what: "`eval-when` names a situation that the language has not.",
    why: "The compiler refuses the form, or runs its code at another time than was meant.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(eval-when (:compile-toplevel :load-topleve :execute)\n  (defvar *rate* 2))\n",
            right: "(eval-when (:compile-toplevel :load-toplevel :execute)\n  (defvar *rate* 2))\n(eval-when (compile load eval)\n  (print 1))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define-module (shop))\n(eval-when (expand load evl)\n  (define rate 2))\n",
            right: "(define-module (shop))\n(eval-when (expand load eval compile)\n  (define rate 2))\n",
        },
    ],
};

/// The situations of all dialects, without what marks a keyword.
const SITUATIONS: &[&str] =
    &["compile-toplevel", "load-toplevel", "execute", "compile", "load", "eval", "expand", "visit", "revisit"];

impl Rule for EvalWhenSituation {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for form in file.code().certain().filter(|form| form.name == "eval-when") {
            let situations = form.arguments.first().filter(|first| first.is_bare()).and_then(|first| first.list());
            let Some(situations) = situations.filter(|_| file.is_of_language(file.tree.core_span(form.head))) else {
                continue;
            };
            let is_name = |datum: &Datum| datum.list().is_none() && datum.is_bare() && file.is_plain(*datum);
            for datum in file.data(situations).into_iter().filter(is_name) {
                let text = file.core(datum).to_ascii_lowercase();
                let word = text.rsplit(':').next().unwrap_or_default();
                let is_word = word.bytes().all(|one| one.is_ascii_alphanumeric() || one == b'-');
                if is_word && !SITUATIONS.contains(&word) {
                    let near = nearest_of(word, SITUATIONS.iter().copied());
                    findings.add(file.tree.core_span(datum), format!("`{text}` is no situation of `eval-when`{near}"));
                }
            }
        }
    }
}
