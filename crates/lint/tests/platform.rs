//! What a table says of one implementation is not said of another.

mod common;

use common::{found_beside, found_in};
use lispwright_lint::rules;
use lispwright_syntax::Dialect;

/// The lines of what the rules find in a file of this name.
#[track_caller]
fn check(dialect: Dialect, name: &str, text: &str, expected: &[usize]) {
    let findings = found_in(dialect, name, text, &rules::defaults());
    let lines: Vec<usize> =
        findings.iter().map(|one| text[..one.span.start as usize].matches('\n').count() + 1).collect();
    assert_eq!(lines, expected, "{name}\n{text}\n{findings:?}");
}

#[test]
fn clojure_on_other_hosts_has_other_functions() {
    let text = "(ns a)\n(defn f [n] (make-array n))\n";
    check(Dialect::Clojure, "a.clj", text, &[2]);
    check(Dialect::Clojure, "a.cljc", text, &[2]);
    check(Dialect::Clojure, "a.cljs", text, &[]);
    let branches = "(ns a)\n(defn f [n]\n  #?(:clj (make-array Object n 1)\n     :cljs (make-array n)))\n\
                    (defn g [n]\n  #?(:clj (make-array n)))\n";
    check(Dialect::Clojure, "a.cljc", branches, &[6]);
}

#[test]
fn of_another_host_code_has_the_macros_alone() {
    let other = "(ns a)\n(defn area [r s] (* r s))\n(defmacro twice [x] x)\n";
    let text = "(ns a (:require-macros [a :refer [twice]]))\n(defn f [r] (area r))\n(defn g [] (twice))\n";
    let rules = rules::defaults();
    let told = |name: &str| -> Vec<String> {
        let found = found_beside(&[("twin.clj", other)], Dialect::Clojure, name, text, &rules);
        found.into_iter().map(|one| one.message).collect()
    };
    assert_eq!(told("a.cljs"), ["`twice` takes 1 argument (x), and gets none"]);
    assert_eq!(told("a.cljc").len(), 2);
}

#[test]
fn a_scheme_has_the_functions_of_its_implementation() {
    let guile = "(define-module (a))\n(define (f x) (assq-ref x))\n(define (g x) (list-head x))\n";
    check(Dialect::Scheme, "a.scm", guile, &[2, 3]);
    let plain = "(define (f x) (assq-ref x))\n(define (g x) (vector-ref x))\n";
    check(Dialect::Scheme, "a.scm", plain, &[2]);
    let gauche = "(define-library (a) (import (gauche base)))\n(define (g x) (vector-ref x))\n";
    check(Dialect::Scheme, "a.scm", gauche, &[]);
    let conditional = "(cond-expand\n  (guile (vector-ref 1 2 3))\n  (else (vector-ref 1 2)))\n(vector-ref 1)\n";
    check(Dialect::Scheme, "a.scm", conditional, &[4]);
}

#[test]
fn the_language_of_a_racket_module_is_that_of_its_first_line() {
    let text = "(define (f x) (car x x))\n";
    check(Dialect::Racket, "a.rkt", &format!("#lang racket/base\n{text}"), &[2]);
    check(Dialect::Racket, "a.rkt", &format!(";; An example.\n(module a racket/base\n{text})\n"), &[3]);
    check(Dialect::Racket, "a.rkt", &format!("#lang htdp/bsl\n{text}"), &[]);
    let other = format!("#|\n#lang racket\n|#\n(module a mzscheme\n{text})\n");
    check(Dialect::Racket, "a.rkt", &other, &[]);
}

#[test]
fn later_versions_of_emacs_take_more_arguments() {
    let text = ";; -*- lexical-binding: t -*-\n(defun a-f (x) (define-key x nil nil t))\n(defun a-g () (car))\n";
    check(Dialect::EmacsLisp, "a.el", text, &[2, 3]);
    check(Dialect::EmacsLisp, "a.el", &format!(";; Package-Requires: ((emacs \"29.1\"))\n{text}"), &[4]);
    let asked = "(defun a-f (x)\n  (if (>= emacs-major-version 29)\n      (define-key x nil nil t)\n    x))\n";
    check(Dialect::EmacsLisp, "a.el", asked, &[]);
}

#[test]
fn later_versions_of_emacs_need_fewer_arguments() {
    let text = ";; -*- lexical-binding: t -*-\n(defun a-f (x) (mapconcat #'car x))\n(defun a-g () (mapconcat))\n";
    check(Dialect::EmacsLisp, "a.el", text, &[2, 3]);
    check(Dialect::EmacsLisp, "a.el", &format!(";; Package-Requires: ((emacs \"29.1\"))\n{text}"), &[4]);
    let main = ("a.el", ";; Package-Requires: ((emacs \"29.1\"))\n");
    let findings = found_beside(&[main], Dialect::EmacsLisp, "a-more.el", text, &rules::defaults());
    assert_eq!(findings.len(), 1, "{findings:?}");
}

#[test]
fn a_module_of_which_nothing_is_known_may_give_other_functions() {
    let text = |required: &str| {
        format!("#lang racket/base\n(require {required})\n(define (f x) (list make-it (build-vector x)))\n")
    };
    check(Dialect::Racket, "a.rkt", &text("racket/list"), &[3]);
    check(Dialect::Racket, "a.rkt", &text("(only-in collections/vector make-it)"), &[3]);
    check(Dialect::Racket, "a.rkt", &text("collections/vector"), &[]);
}

#[test]
fn what_a_macro_of_the_project_makes_of_its_arguments_is_not_known_in_any_depth() {
    let text = "#lang racket/base\n(require (for-syntax racket/base))\n(define-syntax (term stx)\n  (syntax-case stx ()\n    \
                [(_ part) #'(term-of (quote part))]))\n(define (term-of part) part)\n(term ((cons 0) (list (car 1 2))))\n\
                (car 1 2)\n";
    check(Dialect::Racket, "a.rkt", text, &[8]);
}

#[test]
fn the_own_functions_of_a_file_in_an_unknown_language_are_not_judged() {
    let text = "(define (f x y) x)\n(f 1)\n";
    check(Dialect::Racket, "a.rkt", &format!("#lang racket\n{text}"), &[3]);
    check(Dialect::Racket, "a.rkt", &format!("#lang rewriting/test\n{text}"), &[]);
}

#[test]
fn a_name_from_elsewhere_is_not_that_of_the_language() {
    let text = "(defpackage :a (:use :cl) (:shadowing-import-from :new-let #:let))\n(in-package :a)\n\
                (defun f (x)\n  (let ((a b (floor x 2))) (+ a b)))\n";
    check(Dialect::CommonLisp, "a.lisp", text, &[]);
    let text = "(ns a (:require [schema.core :as s]))\n(s/defn f :- [(s/one s/Any) s/Int] [x] x)\n(f 1)\n";
    check(Dialect::Clojure, "a.clj", text, &[]);
}

#[test]
fn a_binding_is_no_call_whatever_a_macro_makes_of_the_code() {
    let text = "(defpackage :a (:use :cl))\n(in-package :a)\n(defun fact (x y) (list x y))\n\
                (defmacro defun-prop (f arg &body body)\n  `(setf (get ',(first f) 'p) #'(lambda ,arg ,@body)))\n\
                (defmacro defspec (name . rest) `(progn (defun-prop (,name p) ,@rest)))\n\
                (defspec f (l)\n  (let ((n 1))\n    (dolist (fact (car l)) (print (list n fact)))\n    \
                (do ((m l (cdr m)) (fact)) ((null m)) (setf fact (car m)))))\n(defun g (l) (fact l))\n";
    check(Dialect::CommonLisp, "a.lisp", text, &[11]);
}

#[test]
fn a_string_that_touches_a_word_is_of_an_unknown_reader_macro() {
    let text = "(defvar *domain* nil\n  _N\"The domain.\")\n(defvar *rate* 1 \"The rate.\" 2)\n";
    check(Dialect::CommonLisp, "a.lisp", text, &[3]);
}

#[test]
fn classes_and_whole_names_of_namespaces_are_known_in_clojure() {
    let text = "(ns a (:require [digest]))\n(defprotocol P (m [x]))\n(extend-protocol P\n  String\n  (m [x] (digest/md5 x))\n  \
                Long\n  (m [x] x))\n(extend-type Integer P (m [x] x))\n(defrecord R [x] Object (toString [_] \"\"))\n\
                (defn f [x] (digst/md5 x))\n";
    check(Dialect::Clojure, "a.clj", text, &[10]);
}

#[test]
fn a_namespace_can_have_another_library_on_each_platform() {
    let text = "(ns a\n  (:require [#?@(:clj (clojure.test :refer) :cljs (cljs.test :refer-macros)) [deftest is testing]]))\n\
                (deftest b\n  (let [c 1]\n    (testing \"it\" (is (= c 1)))\n    (tsting \"it\")))\n";
    check(Dialect::Clojure, "a.cljc", text, &[6]);
}

#[test]
fn a_clause_of_a_namespace_can_have_another_head_on_each_platform() {
    let text = "(ns a\n  (#?(:clj :require :cljs :require-macros)\n    [clojure.string :refer [join]]))\n\
                (defn f [x] (join x))\n(defn g [x] (jion x))\n";
    check(Dialect::Clojure, "a.cljc", text, &[5]);
}

#[test]
fn a_field_can_be_written_for_each_platform() {
    let text = "(ns a)\n(defprotocol P (m [x]))\n\
                (deftype T [#?(:clj ^:volatile-mutable root :cljs ^:mutable root) sym]\n  P\n  (m [x] (if root sym rot)))\n";
    check(Dialect::Clojure, "a.cljc", text, &[5]);
}

#[test]
fn a_macro_without_arguments_may_define_anything() {
    let text = |defines: &str| {
        format!(
            "(ns a)\n(defmacro all [] (let [names [\"worth\"]]\n  `(do ~@(for [n names] `({defines} ~(symbol n) 1)))))\n\
             (all)\n(defn f [] (worth 1))\n"
        )
    };
    check(Dialect::Clojure, "a.clj", &text("def"), &[]);
    check(Dialect::Clojure, "a.clj", &text("print"), &[5]);
}

#[test]
fn a_name_that_code_of_another_file_computes_may_be_there() {
    let define = |made: &str| {
        format!(
            ";;; e.el -*- lexical-binding: t -*-\n(defmacro e-define (name x) `(defconst ,(intern {made}) ,x))\n(e-define post-line 1)\n(provide 'e)\n"
        )
    };
    let text = ";;; e-post.el -*- lexical-binding: t -*-\n(require 'e)\n(defun e-post-f () (+ e-post-line-rule 1))\n(provide 'e-post)\n";
    let told = |made: &str| {
        found_beside(&[("e.el", &define(made))], Dialect::EmacsLisp, "e-post.el", text, &rules::defaults()).len()
    };
    assert_eq!(told("(concat \"e-\" (symbol-name name) \"-rule\")"), 0);
    assert_eq!(told("(format \"e-%s-rule\" name)"), 0);
    assert_eq!(told("(concat \"e-\" (symbol-name name) \"-value\")"), 1);
}
