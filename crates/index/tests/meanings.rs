//! Form patterns in a project whose names are known: `path:line` of each form that matches.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use lispwright_index::Index;
use lispwright_index::pattern::guard::GuardSource;
use lispwright_index::pattern::names::Meanings;
use lispwright_index::search::Search;
use lispwright_syntax::Dialect;

/// The matches of `shape` in the files; `refers` are a variable and the name that it refers to.
fn found(files: &[(&str, &str)], shape: &str, refers: Option<(&str, &str)>) -> Vec<String> {
    let top = tempfile::tempdir().unwrap();
    let top = top.path().canonicalize().unwrap();
    for (path, text) in files {
        fs::create_dir_all(top.join(path).parent().unwrap()).unwrap();
        fs::write(top.join(path), text).unwrap();
    }
    let mut index = Index::default();
    let language = |path: &Path, text: &str| Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Into::into);
    index.refresh([top.as_path()], &language);
    let meanings = Meanings::new(&index);
    let mut search = Search::shape(shape);
    search.guards.extend(refers.map(|(variable, name)| GuardSource {
        variable: Some(variable.to_owned()),
        refers: Some(name.to_owned()),
        ..GuardSource::default()
    }));
    let each = files.iter().flat_map(|(path, text)| {
        let absolute = top.join(path);
        let language = || language(&absolute, text);
        let known = meanings.of(&absolute, text);
        let found = search.run(text, language().unwrap(), known).unwrap();
        assert_eq!(search.count(text, language, known), Ok((found.matches.len(), found.steps)), "{path}");
        found.matches.into_iter().map(|one| format!("{path}:{}", one.at.line)).collect::<Vec<_>>()
    });
    each.collect()
}

#[track_caller]
fn check(files: &[(&str, &str)], shape: &str, expected: &[&str]) {
    assert_eq!(found(files, shape, None), expected, "{shape}");
}

const LISP: &[(&str, &str)] = &[
    (
        "seq.lisp",
        "(defpackage :seq (:nicknames :s) (:export #:fold))\n(in-package :seq)\n(cl:defun fold (f xs) (fold f xs))\n",
    ),
    (
        "nick.lisp",
        "(defpackage :nick (:use :cl) (:local-nicknames (:a :seq)))\n(in-package :nick)\n(defun one (xs)\n  (a:fold #'+ xs))\n",
    ),
    (
        "from.lisp",
        "(defpackage :from (:use :cl) (:import-from :seq #:fold))\n(in-package :from)\n(defun two (xs)\n  (fold #'- xs)\n  \
         (mapcar #'fold xs)\n  (flet ((fold (x y) (list x y)))\n    (fold xs 1)))\n(defun three (fold xs)\n  (funcall fold xs)\n  (let ((fold xs))\n    fold))\n",
    ),
    (
        "own.lisp",
        "(defpackage :own (:use :cl))\n(in-package :own)\n(defun fold (f xs) (list f xs))\n(defun four (xs)\n  (fold #'+ xs)\n  (s:fold #'+ xs))\n",
    ),
    ("out.lisp", "(defpackage :out (:use :cl :other))\n(in-package :out)\n(defun five (xs)\n  (fold #'+ xs))\n"),
];

#[test]
fn heads_are_the_same_if_they_mean_the_same_symbol() {
    // In `out`, the name may come from a package that is not in the project: the name decides.
    let theirs = ["seq.lisp:3", "nick.lisp:4", "from.lisp:4", "own.lisp:6", "out.lisp:4"];
    for qualifier in ["seq", "s", "a"] {
        check(LISP, &format!("({qualifier}:fold ?f ?x)"), &theirs);
    }
    check(LISP, "(own:fold ?f ?x)", &["own.lisp:5", "out.lisp:4"]);
    check(LISP, "(mapcar #'seq:fold ?x)", &["from.lisp:5"]);
    check(LISP, "(mapcar #'own:fold ?x)", &[]);
}

#[test]
fn a_local_name_is_no_use_of_a_symbol() {
    check(LISP, "(fold ?x 1)", &[]);
    check(LISP, "(fold ?x)", &[]);
    let clojure = [(
        "a/core.clj",
        "(ns a.core)\n(defn f [x] x)\n(defn g [x]\n  (f x))\n(defn h [f]\n  (f 1))\n(defn k [x]\n  (let [g f] (g x)))\n",
    )];
    check(&clojure, "(f ?x)", &["a/core.clj:4"]);
    // A name that nobody defines may well be local.
    check(&clojure, "(g x)", &[]);
    let scheme = [("a.scm", "(define (f n)\n  (let loop ((n n))\n    (loop (- n 1))))\n")];
    check(&scheme, "(loop ?x)", &["a.scm:3"]);
}

#[test]
fn imports_can_give_other_names() {
    let clojure = [
        ("a/core.clj", "(ns a.core)\n(defn total [x] x)\n"),
        (
            "b/core.clj",
            "(ns b.core (:require [a.core :as c :refer [total] :rename {total sum}]))\n(sum 1)\n(c/total 2)\n",
        ),
        ("c/core.clj", "(ns c.core)\n(defn total [x] x)\n(total 3)\n"),
    ];
    check(&clojure, "(a.core/total ?x)", &["b/core.clj:2", "b/core.clj:3"]);
    check(&clojure, "(total ?x)", &["b/core.clj:2", "b/core.clj:3", "c/core.clj:3"]);
    let scheme = [
        ("a.scm", "(define-module (a) #:export (total))\n(define (total x) x)\n"),
        ("b.scm", "(define-module (b) #:use-module ((a) #:prefix a:))\n(a:total 1)\n(define (f total) (total 2))\n"),
    ];
    check(&scheme, "(total 1)", &["b.scm:2"]);
    check(&scheme, "(total 2)", &[]);
}

#[test]
fn a_variable_refers_to_a_definition() {
    let refers = |shape, name| found(LISP, shape, Some(("?f", name)));
    assert_eq!(refers("(?f ?*_)", "seq:fold"), ["seq.lisp:3", "nick.lisp:4", "from.lisp:4", "own.lisp:6"]);
    assert_eq!(refers("(mapcar ?f ?x)", "fold"), ["from.lisp:5"]);
    assert_eq!(refers("(mapcar ?f ?x)", "own:fold"), Vec::<String>::new());
    assert_eq!(refers("(defun ?f ?*_)", "own:fold"), ["own.lisp:3"]);
}

#[test]
fn a_name_that_nobody_defines_is_told() {
    let top = tempfile::tempdir().unwrap();
    fs::write(top.path().join("a.lisp"), "(defun area (x) x)\n").unwrap();
    let mut index = Index::default();
    index.refresh([top.path()], &|_, _| Some(Dialect::CommonLisp.into()));
    let meanings = Meanings::new(&index);
    assert!(meanings.check("arae").unwrap_err().why.contains("nearest names are area"));
    for known in ["area", "other:thing", "mapcar"] {
        assert_eq!(meanings.check(known), Ok(()));
    }
}

#[test]
fn parameters_bindings_and_headers_are_no_forms() {
    let scheme = [(
        "a.scm",
        "(define (scale x n) (* x n))\n(define (f x)\n  (scale x 1))\n(define (g a b)\n  (define (list a b) a)\n  (list a b))\n(list 1 2)\n\
         (define-method (scale (x <point>) n) x)\n(define-syntax-rule (scale x n) 1)\n",
    )];
    check(&scheme, "(scale ?x ?n)", &["a.scm:3"]);
    check(&scheme, "(list ?x ?n)", &["a.scm:7"]);
    let elisp = [(
        "a.el",
        "(defun f (list b)\n  (cl-flet ((list (a b) a))\n    (list 1 2))\n  (list b 2))\n(defun g (x)\n  (let ((list 1)) (pcase x ((list a) 1))))\n",
    )];
    check(&elisp, "(list ,a ,b)", &["a.el:4"]);
    let clojure = [(
        "a.clj",
        "(ns a)\n(defn t [get s]\n  (get s 1))\n(defn u [s]\n  (get s 1))\n(defn v [s]\n  (let [get 1] (get s 2)))\n(letfn [(get [a b] a)] (get 1 2))\n(run! #(get % 3) [1])\n",
    )];
    check(&clojure, "(get ?s ?k)", &["a.clj:5", "a.clj:9"]);
    let lisp = [(
        "a.lisp",
        "(defun f (x) x)\n(defun g (f x)\n  (let ((f 1)) (cond ((f x) 1) (f 2)))\n  (flet ((f (x) x)) (f 1))\n  (dolist (f x) (case x ((f 1) (f 2)))))\n",
    )];
    check(&lisp, "(f ?x)", &["a.lisp:3", "a.lisp:5"]);
    check(&lisp, "(?f x)", &["a.lisp:3"]);
}

#[test]
fn vectors_and_definitions_of_methods_have_shapes() {
    let clojure = [(
        "a.clj",
        "(ns a (:use [b :only [size]]))\n(defprotocol Sized\n  (size [x]))\n(extend-type String Sized\n  (size [x] 1))\n\
         (def v [size 1])\n(def m {size 1})\n(def l [(size 1)])\n",
    )];
    check(&clojure, "[size ?x]", &["a.clj:6"]);
    check(&clojure, "[size]", &["a.clj:1"]);
    check(&clojure, "{size ?x}", &["a.clj:7"]);
    check(&clojure, "(size ?*all)", &["a.clj:3", "a.clj:5", "a.clj:8"]);
    check(&clojure, "(size [?x] ?*body)", &["a.clj:3", "a.clj:5"]);
    check(&[("a.lisp", "(defun g (x)\n  (the (integer 0 1) x))\n")], "(integer ?*all)", &["a.lisp:2"]);
    let racket = [("a.rkt", "#lang racket\n(struct f (a))\n(provide\n  (struct-out f))\n")];
    check(&racket, "(struct-out ?x)", &["a.rkt:4"]);
}

#[test]
fn steps_of_threading_forms_have_one_argument_more() {
    let clojure = [(
        "a.clj",
        "(ns a)\n(defn note! [x y] x)\n(-> 1 (note! 2))\n(->> 1 (note! 2))\n(doto 1 (note! 2))\n(cond-> 1 true (note! 2))\n(note! 1)\n(note! 1 2)\n",
    )];
    check(&clojure, "(note! ?x)", &["a.clj:7"]);
    check(&clojure, "(note! ?*x)", &["a.clj:3", "a.clj:4", "a.clj:5", "a.clj:6", "a.clj:7", "a.clj:8"]);
}
