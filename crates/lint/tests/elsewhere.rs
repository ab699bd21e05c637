//! What another file of the project defines is there for code that asks for its package, module or namespace.

mod common;

use common::found_beside;
use lispwright_lint::rules;
use lispwright_syntax::Dialect;

/// What is told of a file beside another one.
#[track_caller]
fn check(dialect: Dialect, other: (&str, &str), file: (&str, &str), expected: &[&str]) {
    let found =
        found_beside(&[other], dialect, file.0, file.1, &[rules::with_code("undefined-name").expect("the rule")]);
    let told: Vec<String> = found.into_iter().map(|one| one.message).collect();
    assert_eq!(told, expected, "{}", file.1);
}

const PACKAGES: (&str, &str) = (
    "shop.lisp",
    "(defpackage :shop (:use :cl) (:nicknames :sh) (:export #:total #:price))\n(in-package :shop)\n\
     (defvar *rate* 2)\n(defun total (items) items)\n(defgeneric price (item))\n(defmacro define-till (name) `(defun ,name ()))\n",
);

#[test]
fn a_package_has_the_names_of_those_that_it_uses() {
    let check = |package: &str, code: &str, expected: &[&str]| {
        let text = format!("(defpackage :app {package})\n(in-package :app)\n{code}\n");
        check(Dialect::CommonLisp, PACKAGES, ("app.lisp", &text), expected);
    };
    let code = "(defun f (x) (list (total x) (price x) *rate*))";
    let here = |name: &str| format!("nobody defines `{name}` here; package `shop` does");
    check("(:use :cl)", code, &[&here("total"), &here("price"), &here("*rate*")]);
    check("(:use :cl :shop)", code, &[&here("*rate*")]);
    check("(:use :cl :sh)", code, &[&here("*rate*")]);
    check("(:use :cl) (:import-from :shop #:total #:*rate*)", code, &[&here("price")]);
    check("(:use :cl)", "(defun f (x) (shop:total (sh:price x)) shop::*rate*)", &[]);
    // What may define it, or give it to the package, is not all known.
    check("(:use :cl :unknown)", code, &[]);
    check("(:use :cl)", &format!("(eval '(defun total (x) x))\n{code}"), &[]);
    check("(:use :cl)", "(import '(shop:total shop:price shop::*rate*))\n(defun f (x) (total (price x)) *rate*)", &[]);
    check("(:use :cl)", "(use-package :shop)\n(defun f (x) (list (total x) (price x)))", &[]);
    check("(:use :cl)", "(shop::define-till total)\n(defun f (x) (total x))", &[]);
    check("(:use :cl)", "(defun f (x) (flet ((total (y) y)) (total x)))", &[]);
}

#[test]
fn a_module_of_guile_has_the_names_of_those_that_it_uses() {
    let other = (
        "shop.scm",
        "(define-module (shop) #:export (total (inner . price)))\n(define (total x) x)\n(define (inner x) x)\n",
    );
    let check = |imports: &str, expected: &[&str]| {
        let text = format!("(define-module (app) {imports})\n(define-public (f x) (total (list x)))\n");
        check(Dialect::Scheme, other, ("app.scm", &text), expected);
    };
    let here = "nobody defines `total` here; module `(shop)` does";
    check("", &[here]);
    check("#:use-module (shop)", &[]);
    check("#:use-module ((shop) #:select (price))", &[here]);
    check("#:use-module ((shop) #:prefix shop:)", &[here]);
    check("#:use-module ((shop) #:select ((price . total)))", &[]);
    check("#:autoload (shop) (total)", &[]);
    check("#:use-module (nowhere)", &[]);
}

#[test]
fn a_module_that_gives_out_what_it_computes_may_give_any_name() {
    let other = (
        "shop.scm",
        "(define-module (shop) #:export (total))\n(define (total x) x)\n(define (price x) x)\n\
        (module-add! (module-public-interface (current-module)) 'price (module-variable (current-module) 'price))\n",
    );
    let text = "(define-module (app) #:use-module (shop))\n(define-public (f x) (total (price x)))\n";
    check(Dialect::Scheme, other, ("app.scm", text), &[]);
}

#[test]
fn a_namespace_has_the_names_that_it_refers_to() {
    let other = ("shop.clj", "(ns shop)\n(defn total [x] x)\n(defn price [x] x)\n");
    let check = |declaration: &str, expected: &[&str]| {
        let text = format!("(ns app {declaration})\n(defn f [x] (total x))\n");
        check(Dialect::Clojure, other, ("app.clj", &text), expected);
    };
    let here = "nobody defines `total` here; namespace `shop` does";
    check("", &[here]);
    check("(:require [shop :as shop :refer [price]])", &[here]);
    check("(:require [shop :refer [total]])", &[]);
    check("(:require [shop :refer :all])", &[]);
    check("(:use shop)", &[]);
    check("(:use [shop :only [total]])", &[]);
    check("(:require [shop :refer [price] :rename {price total}])", &[]);
}
