//! A control string with a directive that there is not.

use lispwright_syntax::Dialect;

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::formatting::formatting;
use crate::rule::{About, Example, Rule};

/// A control string with a directive that there is not.
pub(crate) struct FormatDirective;

static ABOUT: About = About {
    code: "format-directive",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::EmacsLisp, Dialect::Racket],
    what: "A control string has a directive that the function does not know, or ends within one.",
    why: "The call fails when it runs.",
    examples: &[
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(message \"Done: 100%\")\n",
            right: ";;; -*- lexical-binding: t -*-\n(message \"Done: 100%%\")\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(printf \"~d apples\" 3)\n",
            right: "#lang racket\n(printf \"~a apples\" 3)\n",
        },
    ],
};

impl Rule for FormatDirective {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for one in formatting(file) {
            if let Err(message) = &one.takes {
                findings.add(file.tree.core_span(one.control), message.clone());
            }
        }
    }
}
