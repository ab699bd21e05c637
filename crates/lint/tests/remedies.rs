//! The safe changes of rules: before and after.

mod common;

use common::found;
use lispwright_lint::rules::with_code;
use lispwright_syntax::Dialect;

/// The text with all changes that a rule knows, one after the other.
fn mended(dialect: Dialect, code: &str, text: &str) -> String {
    let rule = with_code(code).expect("the rule");
    let mut text = text.to_owned();
    for _ in 0..10 {
        let findings = found(dialect, &text, &[rule]);
        let Some(remedy) = findings.into_iter().find_map(|one| one.remedy) else { break };
        text.replace_range(remedy.span.range(), &remedy.text);
    }
    text
}

#[test]
fn unused_imports_are_taken_out() {
    for (dialect, before, after) in [
        (
            Dialect::Clojure,
            "(ns a\n  (:require [b :as b]\n            [c :refer [d e] :as f]\n            [g :refer [h i]]) ; all\n  (:import (j K\n             L)))\n(f/x i L)\n",
            "(ns a\n  (:require [b]\n            [c :as f]\n            [g :refer [i]]) ; all\n  (:import (j\n             L)))\n(f/x i L)\n",
        ),
        // A comment stays where it is.
        (
            Dialect::Clojure,
            "(ns a\n  (:require [b :refer [c ; one\n                       d]]))\n(c)\n",
            "(ns a\n  (:require [b :refer [c ; one\n                       ]]))\n(c)\n",
        ),
        // What nobody knows to be read is left.
        (
            Dialect::Clojure,
            "(ns a (:require #?(:clj [b :as b :cljs])))\n",
            "(ns a (:require #?(:clj [b :as b :cljs])))\n",
        ),
        (
            Dialect::CommonLisp,
            "(defpackage a (:use :cl) (:import-from b #:c\n                 #:d))\n(in-package a)\n(d)\n",
            "(defpackage a (:use :cl) (:import-from b\n                 #:d))\n(in-package a)\n(d)\n",
        ),
        (
            Dialect::Scheme,
            "(define-library (a) (export d)\n  (import (only (b) c d)))\n",
            "(define-library (a) (export d)\n  (import (only (b) d)))\n",
        ),
        (
            Dialect::Racket,
            "#lang racket\n(require (only-in b c [d e]))\n(c)\n",
            "#lang racket\n(require (only-in b c))\n(c)\n",
        ),
    ] {
        assert_eq!(mended(dialect, "unused-import", before), after, "{before}");
    }
}
