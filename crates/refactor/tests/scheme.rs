//! Renames in Scheme.
#![allow(clippy::unwrap_used)]

mod common;

use common::{check, left, refused};

#[test]
fn modules_of_guile_change() {
    check(
        "== shop/core.scm
(define-module (shop core)
  #:use-module (srfi srfi-1)
  #:export («total» (inner . outer)))
(define («total» items . rest) \"The total.\" (fold + 0 items))
(define (f total) (total 1))
(define (g) (define total 1) (set! total 2) total)
(define (h) (let total ((x 1)) (total x)) («total» 1) (map «total» '(1)) `(total ,(«total» 1)) 'total)
(define-syntax m (syntax-rules () ((_ x) («total» x))))
(define (inner) («total» 1))
== app.scm
(define-module (app)
  #:use-module (shop core)
  #:use-module ((shop core) #:select («total» (outer . mine)) #:prefix s:))
(define (a) («total» 1) (s:«total» 1) ((@ (shop core) «total») 1) ((@@ (shop core) «total») 1))
== own.scm
(define-module (own) #:use-module ((shop core) #:hide («total»)) #:use-module ((shop core) #:select ((«total» . sum))))
(define (total) 1)
(define (b) (total) (sum 1))
== lib.sls
(library (lib) (export f) (import (rnrs) (only (shop core) «total»)) (define (f) («total» 1)))
",
        "(shop core)/total",
        "grand-total",
    );
}

#[test]
fn records_change_by_the_names_that_are_written() {
    check(
        "== a.scm
(define-module (a) #:export (make-point «point-x»))
(define-record-type <point> (make-point x y) point? (x «point-x» set-point-x!) (y point-y))
(define (f p) («point-x» p))
",
        "point-x",
        "abscissa",
    );
    check(
        "== a.scm
(define-module (a) #:export (make-point point-x))
(define-record-type «<point>» (make-point x y) point? (x point-x))
(define (f p) «<point>» (make-point 1 2))
",
        "<point>",
        "<place>",
    );
}

#[test]
fn collisions_are_refused() {
    let project = "== a.scm
(define-module (a) #:export (total))
(define (total x) x)
(define (f sum) (total sum))
(define (g) (define add 1) (total add))
(define (h) (mine 1))
== b.scm
(define-module (b) #:use-module (a))
(define (here) (total 1))
";
    refused(project, "total", "sum", "sum captured a.scm:3:18");
    refused(project, "total", "add", "add captured a.scm:4:29");
    refused(project, "total", "mine", "mine collides a.scm:5:14: (a)/mine");
    refused(project, "total", "here", "(b) has here as (b)/here");
}

#[test]
fn data_are_mentions() {
    left("== a.scm\n(define (total) 'total) ; total\n", "total", "sum", &["a.scm:1 comments", "a.scm:1 quoted"]);
}

#[test]
fn a_macro_may_make_names_of_a_type_without_its_brackets() {
    let project = "== json.scm
(define-module (json) #:export (define-json-type))
(define-syntax define-json-type (lambda (x) (make x)))
== a.scm
(define-module (shop a) #:use-module (json))
(define-json-type <account> (id))
(define (f x) (json->account x))
(define (g x) (list <account> x))
";
    refused(project, "<account>", "<person>", "cannot tell a.scm:3:16: json->account may be derived");
}

#[test]
fn what_a_macro_makes_and_exports_under_another_name_is_not_lost() {
    let project = "== a.rkt
#lang racket/base
(require (for-syntax racket/base racket/syntax))
(define-syntax (define-setting stx)
  (syntax-case stx ()
    [(_ name value)
     (with-syntax ([thunk (format-id stx \"~a\" #'name)])
       #'(begin (provide (prefix-out setup: thunk)) (define (thunk) value)))]))
(define-setting style 1)
== b.rkt
#lang racket/base
(require \"a.rkt\")
(setup:style)
";
    refused(project, "style", "look", "cannot tell b.rkt:3:2: setup:style may be derived");
}

#[test]
fn a_generic_function_that_methods_alone_make_changes() {
    check(
        "== shop.scm
(define-module (shop) #:use-module (oop goops) #:export («area» twice))
(define-class <square> () (side #:init-keyword #:side))
(define-method («area» (s <square>)) (slot-ref s 'side))
(define (twice s) (* 2 («area» s)))
",
        "area",
        "surface",
    );
    for (name, import) in [("initialize", "(oop goops)"), ("display", "(oop goops)"), ("area", "(till coins)")] {
        let project = format!(
            "== shop.scm\n(define-module (shop) #:use-module {import})\n(define-method ({name} (s <square>) all) s)\n"
        );
        refused(&project, name, "surface", "of a library shop.scm:2:1");
    }
}

#[test]
fn data_that_may_name_what_is_renamed_are_no_other_name() {
    refused(
        "== my/lib.scm
(define-module (my lib) #:export (konst))
(define konst 5)
== main.scm
(use-modules (my lib))
(display (module-ref (resolve-module '(my lib)) 'konst))
",
        "konst",
        "fixed",
        "cannot tell main.scm:2:50: looked up by name",
    );
}

#[test]
fn a_function_that_is_called_like_a_group_of_tests_defines_nothing() {
    check(
        "== a.scm
(define-module (a) #:export (run))
(define («branch») 1)
(define (test-group x y) (list x y))
(define (f branch) (test-group branch 1))
(define (run) (list («branch») (f 2)))
",
        "branch",
        "limb",
    );
}
