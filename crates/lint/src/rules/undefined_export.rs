//! A name that is exported and that nobody defines.

use lispwright_index::{Referent, UseKind, spelled};
use lispwright_syntax::Dialect;

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::misspelt::is_slip;
use crate::rule::{About, Example, Rule};

/// A name that is exported and that nobody defines.
pub(crate) struct UndefinedExport;

static ABOUT: About = About {
    code: "undefined-export",
    severity: Severity::Warning,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme],
    what: "A package or module exports a name that nothing defines or uses, and that is a slip of the hand away from one that it \
           defines and does not export.",
    why: "Whoever uses the module does not get what it was to give.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defpackage :shop (:use :cl) (:export #:totl))\n(in-package :shop)\n(defun total (x) x)\n",
            right: "(defpackage :shop (:use :cl) (:export #:total #:price))\n(in-package :shop)\n(defun total (x) x)\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define-module (shop) #:export (totl))\n(define (total x) x)\n(total 1)\n",
            right: "(define-module (shop) #:export (total))\n(define (total x) x)\n(total 1)\n",
        },
    ],
};

impl Rule for UndefinedExport {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn needs_project(&self) -> bool {
        true
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let question = file.question;
        for used in file.uses().filter(|used| used.kind == UseKind::Export) {
            let (Referent::Is(symbol) | Referent::Unknown(symbol)) = question.meaning(file.document, *used);
            let is_used = || question.named(&symbol.name).any(|hit| hit.used.span() != used.span());
            let is_declared = || question.declarations(&symbol.space).any(|one| !one.adds);
            if !question.definitions(&symbol).is_empty() || is_used() || !is_declared() {
                continue;
            }
            let name = spelled(file.dialect(), &symbol.name);
            let documents = question.documents_in(&symbol.space);
            let own = documents.iter().flat_map(|document| &document.facts.definitions);
            let own =
                own.filter(|one| one.space == symbol.space && is_slip(&name, &spelled(file.dialect(), &one.name)));
            let is_given = |name: &str| question.gives_out(&symbol.space, name) != Some(false);
            let meant = own.map(|one| one.name.as_str()).find(|name| !is_given(name));
            if let Some(meant) = meant {
                let near = spelled(file.dialect(), meant);
                findings.add(used.span(), format!("nobody defines `{name}`, which is exported; near it: `{near}`"));
            }
        }
    }
}
