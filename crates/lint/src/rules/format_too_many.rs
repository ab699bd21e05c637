//! An argument that the control string before it does not use.

use lispwright_syntax::Dialect;

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::formatting::{DIALECTS, arguments, formatting};
use crate::rule::{About, Example, Rule};

/// An argument that the control string before it does not use.
pub(crate) struct FormatTooMany;

static ABOUT: About = About {
    code: "format-too-many",
    severity: Severity::Warning,
    is_default: true,
    dialects: DIALECTS,
    what: "A call gives a control string more arguments than it uses.",
    why: "What the argument says is lost; Racket and most Schemes refuse the call when it runs.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun fail (name value)\n  (error \"Bad value of ~a\" name value))\n",
            right: "(defun fail (name value)\n  (error \"Bad value of ~a: ~{~a ~}\" name value))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun tell (name)\n  (user-error \"No owner\" name))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun tell (name)\n  (user-error \"No owner: %s\" name))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define (fail name value)\n  (error 'fail \"bad value of ~a\" name value))\n",
            right: "#lang racket\n(define (fail name value)\n  (error \"bad value of ~a\" name value))\n",
        },
    ],
};

impl Rule for FormatTooMany {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for one in formatting(file) {
            let Ok(takes) = &one.takes else { continue };
            let Some(most) = takes.most else { continue };
            let Some(first) = one.arguments.get(most) else { continue };
            let (uses, count) = (arguments(most), one.arguments.len());
            let message = format!("the control string of `{}` uses {uses}, and gets {count}", one.form.name);
            findings.add(file.tree.datum_span(*first), message);
        }
    }
}
