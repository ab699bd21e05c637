//! A question to which another text of a file is added answers as one that reads all files again.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use lispwright_index::{Index, Symbol, UseIndex};
use lispwright_syntax::Dialect;

type File<'t> = (&'t str, &'t str);

fn index(files: &[File<'_>]) -> Index {
    let language = |path: &str, text: &str| Dialect::detect(path, text.as_bytes()).unwrap().into();
    let file = |(path, text): &File<'_>| (PathBuf::from(path), (*text).to_owned(), language(path, text));
    Index::default().with(files.iter().map(file))
}

/// All that a question knows of the names of its files.
fn known(question: &UseIndex<'_>) -> BTreeSet<String> {
    let mut symbols = BTreeSet::new();
    for document in question.documents() {
        symbols.extend(document.facts.definitions.iter().map(|one| question.proper(&one.symbol())));
        symbols.extend(question.resolved(document).filter_map(|(_, symbol)| symbol));
    }
    let describe = |symbol: &Symbol| {
        let place = |path: &std::path::Path, at: u32| format!("{}:{at}", path.display());
        let uses = question.uses(symbol);
        let hits: Vec<_> = uses.hits.iter().map(|hit| place(&hit.document.path, hit.used.start)).collect();
        let doubtful: Vec<_> = uses.unresolved.iter().map(|hit| place(&hit.document.path, hit.used.start)).collect();
        let start = |form: u32, document: &lispwright_index::Document| document.facts.forms[form as usize].span.start;
        let mut definitions: Vec<_> = question
            .definitions(symbol)
            .iter()
            .map(|(document, one)| place(&document.path, start(one.form, document)))
            .collect();
        definitions.sort();
        format!("{symbol:?} {} {hits:?} {doubtful:?} {definitions:?}", question.defines(symbol))
    };
    symbols.iter().map(describe).collect()
}

/// The first file gets one text after another.
#[track_caller]
fn check(files: &[File<'_>], texts: &[&str]) {
    let first = index(files);
    let dialect = Dialect::detect(files[0].0, b"").unwrap();
    let readings: Vec<std::cell::OnceCell<_>> = texts.iter().map(|_| std::cell::OnceCell::new()).collect();
    let mut question = first.question(dialect);
    let path = PathBuf::from(files[0].0);
    for (text, slot) in texts.iter().zip(&readings) {
        let document = question.document(&path).unwrap();
        let reading = slot.get_or_init(|| question.retold(document, (*text).to_owned()));
        question = question.revised(&reading.document).unwrap_or_else(|| panic!("{text}"));
        let mut others = files.to_vec();
        others[0].1 = text;
        let whole = index(&others);
        assert_eq!(known(&question), known(&whole.question(dialect)), "{text}");
    }
}

#[track_caller]
fn check_new_look(files: &[File<'_>], text: &str) {
    let first = index(files);
    let question = first.question(Dialect::detect(files[0].0, b"").unwrap());
    let document = question.document(&PathBuf::from(files[0].0)).unwrap();
    let reading = question.retold(document, text.to_owned());
    assert!(reading.document.text == text);
    let reading = Box::leak(Box::new(reading));
    let question: &UseIndex<'static> =
        Box::leak(Box::new(Box::leak(Box::new(index(files))).question(question.dialect())));
    assert!(question.revised(&reading.document).is_none(), "{text}");
}

const PACKAGES: File<'_> = (
    "package.lisp",
    "(defpackage :shop (:use :cl) (:export #:price #:tax))\n(defpackage :front (:use :cl :shop) (:export #:show))\n",
);

#[test]
fn functions_change_come_and_go() {
    let front = ("front.lisp", "(in-package :front)\n(defun show (x) (print (price x)) (shop::own x) (tax x))\n");
    let text = |forms: &str| format!("(in-package :shop)\n{forms}\n");
    let texts = [
        text("(defun price (x) (own x))\n(defun own (x) (tax x))"),
        text("(defun price (x y) (own x y))\n\n(defun tax (x) x)"),
        text("(defun tax (x) (list x (front:show x)))\n(defun own (tax) tax)"),
        text("(defun price (x) (own x))"),
    ];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    check(&[("shop.lisp", texts[3]), PACKAGES, front], &texts);
}

#[test]
fn what_another_file_defines_too_stays() {
    let texts = ["(in-package :shop)\n(defun tax () 1)\n", "(in-package :shop)\n(defun price () (tax))\n"];
    let other = ("other.lisp", "(in-package :shop)\n(defun price () 2)\n(defun f () (price))\n");
    check(&[("shop.lisp", texts[1]), PACKAGES, other], &texts);
}

#[test]
fn a_name_of_another_package_is_defined_in_its_own() {
    let one = "(in-package :front)\n(defun price (x) x)\n";
    let user = ("user.lisp", "(in-package :shop)\n(defun f () (price 1))\n");
    check(&[("front.lisp", "(in-package :front)\n(show 1)\n"), PACKAGES, user], &[one, "(in-package :front)\n", one]);
}

#[test]
fn each_dialect_answers_so() {
    let clojure = [
        "(ns shop.core)\n(defn price [x] x)\n(defn- tax [x] (price x))\n",
        "(ns shop.core)\n\n(defn tax [x y] (* x y))\n",
        "(ns shop.core)\n(defrecord Item [name])\n(defn price [x] (->Item x))\n",
    ];
    let user = ("front.clj", "(ns front (:require [shop.core :as s :refer [tax]]))\n(defn f [] (s/price (tax 1)))\n");
    check(&[("core.clj", clojure[0]), user], &[clojure[1], clojure[2], clojure[0]]);
    let guile = [
        "(define-module (shop) #:export (price))\n(define (price x) (tax x))\n(define (tax x) x)\n",
        "(define-module (shop) #:export (price))\n(define (price x y) x)\n",
    ];
    let user = ("front.scm", "(use-modules (shop))\n(define (f) (price 1) (tax 2))\n");
    check(&[("shop.scm", guile[0]), user], &[guile[1], guile[0]]);
    let racket = [
        "#lang racket\n(provide (all-defined-out))\n(define (price x) (tax x))\n(define (tax x) x)\n",
        "#lang racket\n(provide (all-defined-out))\n(define (price x y) x)\n(define other 1)\n",
    ];
    let user = ("front.rkt", "#lang racket\n(require \"shop.rkt\")\n(define (f) (price 1) (tax 2) other)\n");
    check(&[("shop.rkt", racket[0]), user], &[racket[1], racket[0]]);
    let emacs = [
        "(defun shop-price (x) (shop-tax x))\n(defun shop-tax (x) x)\n",
        "(defun shop-price (x y) x)\n(defun shop-other () (shop-price 1 2))\n",
    ];
    let user = ("front.el", "(require 'shop)\n(defun front () (shop-tax (shop-price 1)))\n");
    check(&[("shop.el", emacs[0]), user], &[emacs[1], emacs[0]]);
}

#[test]
fn what_counts_for_other_files_needs_a_new_look() {
    let old = "(in-package :shop)\n(defmacro twice (x) `(list ,x ,x))\n(defun f () 1)\n";
    let files = [("shop.lisp", old), PACKAGES];
    check_new_look(&files, "(in-package :shop)\n(defmacro twice (x) `(list ',x ,x))\n(defun f () 1)\n");
    check_new_look(&files, "(in-package :front)\n(defun f () 1)\n");
    check_new_look(&files, &format!("{old}(defmethod price ((x integer)) 1)\n"));
    check_new_look(&files, &format!("{old}(defpackage :other)\n"));
    let user = ("user.el", "(defun g () (let ((shop-price 2)) (f)))\n");
    check_new_look(&[("shop.el", "(defun f () 1)\n"), user], "(defun f () 1)\n(defvar shop-price 1)\n");
}
