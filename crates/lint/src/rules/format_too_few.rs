//! A control string that takes more arguments than it gets.

use lispwright_syntax::Dialect;

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::formatting::{DIALECTS, arguments, formatting};
use crate::rule::{About, Example, Rule};

/// A control string that takes more arguments than it gets.
pub(crate) struct FormatTooFew;

static ABOUT: About = About {
    code: "format-too-few",
    severity: Severity::Error,
    is_default: true,
    dialects: DIALECTS,
    what: "A control string takes more arguments than the call gives it.",
    why: "The call fails when it runs, often while it reports another error.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun tell (name)\n  (format t \"~a owns ~d\" name))\n",
            right: "(defun tell (name)\n  (format t \"~a owns ~d~@[ or ~d~]~%\" name 3 nil))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun tell (name)\n  (message \"%s owns %d\" name))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun tell (name)\n  (message \"%s owns %1$s, 100%%\" name))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn tell [name] (format \"%s owns %d\" name))\n",
            right: "(ns example)\n(defn tell [name] (->> name (format \"%s owns %d%n\" 3)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (tell name)\n  (format #t \"~a owns ~a\" name))\n",
            right: "(define (tell name)\n  (format #t \"~a owns ~a\" name 3))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define (tell name)\n  (printf \"~a owns ~a\" name))\n",
            right: "#lang racket\n(define (tell name)\n  (printf \"~a owns ~a\\n\" name 3))\n",
        },
    ],
};

impl Rule for FormatTooFew {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for one in formatting(file) {
            let Ok(takes) = &one.takes else { continue };
            let count = one.arguments.len();
            if count >= takes.fewest {
                continue;
            }
            let at_least = if takes.most == Some(takes.fewest) { "" } else { "at least " };
            let needs = arguments(takes.fewest);
            let message =
                format!("the control string of `{}` takes {at_least}{needs}, and gets {count}", one.form.name);
            findings.add(file.tree.core_span(one.control), message);
        }
    }
}
