//! Renames where uses are hard to see: they change, or the rename is refused with their places.
#![allow(clippy::unwrap_used)]

mod common;

use common::{check, refused};

#[test]
fn code_after_what_a_macro_takes_off_its_body_changes() {
    check(
        "== a.el
;; -*- lexical-binding: t -*-
(defvar tab nil)
(defmacro reg (k &rest body) (let ((args (pop body))) `(push (cons ,k (lambda ,args ,@body)) tab)))
(defun «shop-a» () 1)
(reg \"a\" (x) («shop-a») x)
",
        "shop-a",
        "shop-b",
    );
}

#[test]
fn what_a_macro_of_clojure_quotes_changes() {
    check(
        "== a.clj
(ns a)
(defmacro reg [k body] `(swap! tab assoc ~k '~body))
(defn «span» [] 1)
(reg :r («span»))
",
        "span",
        "extent",
    );
}

#[test]
fn special_variables_of_all_binders_change() {
    check(
        "== a.el
;; -*- lexical-binding: t -*-
(defvar «vex» 1)
(defun a () (let ((«vex» 2)) «vex»))
(defun b () (cl-loop for «vex» in (c) collect «vex»))
(defun b2 () (cl-loop with «vex» = 1 while «vex» collect 1))
(defun c () (dolist («vex» (d)) «vex»))
(defun d () (pcase-let ((`(,«vex») (e))) «vex»))
(defun e () (cl-multiple-value-bind («vex» y) (f) «vex»))
",
        "vex",
        "wax",
    );
}

#[test]
fn a_binding_list_that_fits_one_branch_hides_nothing() {
    check(
        "== a.lisp
(defpackage :s (:use :cl))
(in-package :s)
(defmacro bindall (bs &body b) (if (every #'simple bs) `(let* ,bs ,@b) `(progn ,@(mapcar #'car bs) ,@b)))
(defun «split2» (x) x)
(defun go2 (x) (bindall ((a b («split2» x)) (c 1)) (list a b c)))
",
        "split2",
        "split3",
    );
}

#[test]
fn a_place_that_a_macro_may_bind_is_refused() {
    refused(
        "== a.lisp
(defpackage :s (:use :cl))
(in-package :s)
(defmacro either (x &body body)
  (if x `(let ,(mapcar #'first body) ,@body) `(progn ,@body)))
(defun one () 1)
(defun two () (either 1 (one)))
(defun three () (either 2 (one)))
",
        "one",
        "uno",
        "cannot tell a.lisp:6:26, a.lisp:7:28: a macro may bind it",
    );
}

#[test]
fn files_without_a_module_may_load_each_other() {
    refused(
        "== main.scm
(for-each (lambda (f) (primitive-load (string-append f \".scm\"))) (list \"base\" \"more\"))
== base.scm
(define (join a b) a)
== more.scm
(define (f a) (join a a))
",
        "join",
        "unite",
        "cannot tell more.scm:1:16: loaded in a way that is not known",
    );
}

#[test]
fn aliases_of_twins_are_apart() {
    check(
        "== shop/ring.clj
(ns shop.ring)
(defn «wrap» [x] x)
== shop/http.clj
(ns shop.http)
(defn wrap [x] x)
== one/server.clj
(ns app.server (:require [shop.ring :as kit]))
(kit/«wrap» 1)
== two/server.clj
(ns app.server (:require [shop.http :as kit]))
(kit/wrap 1)
",
        "shop.ring/wrap",
        "enclose",
    );
}

#[test]
fn a_package_that_nobody_declares_may_be_that_of_the_name() {
    let project = "== lib.lisp
(in-package :lib)
(defun hook (a b) (list a b))
== use.lisp
(defpackage :lib-use (:use :cl :lib-impl))
(in-package :lib-use)
(defun twice (x) (list (hook x 1) (lib-impl:hook x 2)))
";
    refused(project, "lib/hook", "attach", "cannot tell use.lisp:3:25, use.lisp:3:36: lib-impl undeclared");
    // A library that the system depends on has its own names.
    let library = "== lib.asd
(defsystem \"lib\" :depends-on (\"lib-impl\"))
== lib.lisp
(in-package :lib)
(defun «hook» (a b) (list a b))
== use.lisp
(defpackage :lib-use (:use :cl :lib-impl))
(in-package :lib-use)
(defun twice (x) (list (hook x 1) (lib-impl:hook x 2)))
";
    check(library, "lib/hook", "attach");
}

#[test]
fn a_package_that_a_macro_makes_is_known() {
    check(
        "== package.lisp
(macrolet ((d () `(defpackage :lib-impl (:nicknames :lib) (:use :cl) (:export ,@'(#:«hook»))))) (d))
== lib.lisp
(in-package :lib)
(defun «hook» (a b) (list a b))
== use.lisp
(defpackage :lib-use (:use :cl :lib-impl))
(in-package :lib-use)
(defun twice (x) (list («hook» x 1) («hook» x 2)))
",
        "hook",
        "attach",
    );
}

#[test]
fn the_class_in_a_pattern_of_syntax_changes() {
    check(
        "== a.rkt
#lang racket/base
(require syntax/parse)
(define-syntax-class «thing» (pattern x:id))
(define-syntax-class other (pattern (m:«thing» . args) #:with y #'m.x))
(define (f stx) (syntax-parse stx [(_ thing:«thing» :«thing» b:other) #'b]))
(provide «thing»)
",
        "thing",
        "item",
    );
}

#[test]
fn a_class_of_syntax_is_not_renamed_without_the_patterns_that_name_it() {
    refused(
        "== a.rkt
#lang racket/base
(require syntax/parse)
(define-syntax-class export)
(define-rewriting-rule one
  (provide spec:export ...))
",
        "export",
        "given",
        "cannot tell a.rkt:5:17: spec:export may be derived",
    );
}

#[test]
fn a_package_that_a_macro_of_a_library_defines_uses_others() {
    check(
        "== shop.lisp
(defpackage :shop (:use :cl) (:export #:«total» #:rest))
(in-package :shop)
(defun «total» (x) x)
== tests.lisp
(fiasco:define-test-package #:shop.test
  (:use #:cl #:shop))
(in-package #:shop.test)
(deftest f () (is (= 1 («total» 1))))
",
        "total",
        "sum",
    );
}

#[test]
fn code_in_a_package_that_nothing_declares_may_mean_what_others_export() {
    let project = "== shop.lisp
(defpackage :shop (:use :cl) (:export #:total))
(in-package :shop)
(defun total (x) (part x))
(defun part (x) x)
== tests.lisp
(make-package :shop-tests :use '(:cl :shop))
(in-package :shop-tests)
(defun f (x) (total x) (part x))
";
    refused(project, "total", "sum", "cannot tell tests.lisp:3:15: shop-tests undeclared");
    check(
        "== shop.lisp
(defpackage :shop (:use :cl) (:export #:total))
(in-package :shop)
(defun total (x) («part» x))
(defun «part» (x) x)
== tests.lisp
(in-package :shop-tests)
(defun f (x) (part x))
",
        "part",
        "piece",
    );
}

#[test]
fn names_that_a_module_of_racket_exposes_to_its_tests_change() {
    check(
        "== lib.rkt
#lang racket/base
(provide go)
(define (go x) («kept» x))
(define («kept» x) (* 2 x))
== test.rkt
#lang racket/base
(require rackunit)
(require/expose \"lib.rkt\" («kept»))
(check-equal? («kept» 2) 4)
",
        "kept",
        "twice",
    );
}

#[test]
fn a_prefix_of_an_export_is_kept() {
    check(
        "== lib.rkt
#lang racket/base
(provide (prefix-out k: «konst») (prefix-out my- (prefix-out the- «konst»)) (rename-out [«konst» other-konst]))
(define «konst» 5)
== all.rkt
#lang racket/base
(provide (prefix-out all- (all-defined-out)))
(define other 1)
== main.rkt
#lang racket/base
(require \"lib.rkt\" (prefix-in l: \"lib.rkt\") \"all.rkt\")
(list k:«konst» my-the-«konst» l:k:«konst» other-konst all-other)
(define (f k:konst) k:konst)
",
        "konst",
        "fixed",
    );
    check(
        "== all.rkt
#lang racket/base
(provide (prefix-out all- (all-defined-out)) (prefix-out s: (struct-out item)))
(struct item (price))
(define «konst» 1)
== main.rkt
#lang racket/base
(require \"all.rkt\")
(list all-«konst» (s:item-price (s:item 1)))
",
        "konst",
        "fixed",
    );
}

#[test]
fn data_of_racket_that_may_name_what_is_renamed_are_no_other_name() {
    refused(
        "== lib.rkt
#lang racket/base
(provide (except-out (struct-out node) node-left))
(struct node (left right) #:prefab)
== main.rkt
#lang racket/base
(require \"lib.rkt\")
(displayln (node-right #s(node 1 2)))
",
        "node",
        "tree",
        "cannot tell main.rkt:3:27: looked up by name",
    );
}
