//! A name that is imported for nothing.

use lispwright_syntax::Dialect;

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::imports::ImportedKind;
use crate::rule::{About, Example, Rule};

/// A name that is imported for nothing.
pub(crate) struct UnusedImport;

static ABOUT: About = About {
    code: "unused-import",
    severity: Severity::Warning,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::Racket],
    what: "A declaration imports a name, class or alias by itself, and nothing uses it.",
    why: "Readers look for what it is for. `--fix` takes the name out; what the declaration loads is still loaded.",
    examples: &[
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core\n  (:require [clojure.string :as str]\n            [clojure.set :refer [union difference]])\n\
                    \x20 (:import (java.util Date List)))\n(defn f [x ^Date d] (union x #{d}))\n",
            right: "(ns shop.core\n  (:require [clojure.string :as str]\n            [clojure.set :refer [union]])\n\
                    \x20 (:import (java.util Date)))\n(defn f [x] (union x #{(Date.) ::str/a}))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defpackage :shop (:use :cl) (:import-from :alexandria #:when-let #:if-let))\n(in-package :shop)\n\
                    (defun f (x) (if-let (y x) y))\n",
            right: "(defpackage :shop (:use :cl) (:import-from :alexandria #:when-let) (:export #:when-let))\n\
                    (in-package :shop)\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define-module (shop) #:use-module ((srfi srfi-1) #:select (fold first)))\n(define-public (f x) (first x))\n",
            right: "(define-module (shop) #:use-module ((srfi srfi-1) #:select (fold first)) #:re-export (fold))\n\
                    (define-public (f x) (first x))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket/base\n(require (only-in racket/list first [second two]))\n(define (f x) (first x))\n(f '(1))\n",
            right: "#lang racket/base\n(require (only-in racket/list first [second two]))\n(define (f x) (two (first x)))\n\
                    (f '((1 2)))\n",
        },
    ],
};

impl Rule for UnusedImport {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn needs_project(&self) -> bool {
        true
    }

    fn needs_file(&self) -> bool {
        true
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for one in file.unused_imports() {
            let what = match one.kind {
                ImportedKind::Alias => "alias",
                ImportedKind::Name => "imported name",
                ImportedKind::Class => "imported class",
            };
            let message = format!("nothing uses the {what} `{}`", one.name);
            match one.remedy {
                Some(remedy) => findings.add_with_remedy(one.at, message, remedy),
                None => findings.add(one.at, message),
            }
        }
    }
}
