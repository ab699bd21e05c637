//! Renames in Common Lisp.
#![allow(clippy::unwrap_used)]

mod common;

use common::{check, check_also, left, refused};
use lispwright_refactor::MentionKind;

#[test]
fn definition_uses_and_exports_change() {
    check(
        "== package.lisp
(defpackage :shop (:use :cl) (:export #:«total» \"«TOTAL»\" :«total»))
(defpackage :app (:use :cl :shop) (:import-from :shop #:«total»))
(defpackage :own (:use :cl) (:local-nicknames (:s :shop)))
== shop.lisp
(in-package :shop)
(declaim (inline «total») (ftype (function (t) t) «total»))
(defun «total» (items) \"The total of ITEMS.\"
  (return-from «total» (reduce #'+ items))) ; total
(defun (setf «total») (new items) (setf (first items) new))
(define-compiler-macro «total» (x) x)
(defun show (total) (list total (let ((total total)) total)))
(defun pair (a) (list («total» a) («total» a) #'«total» '«total» `(«total» ,(«total» a)) (mapcar '«total» a)))
(defun local () (flet ((total (x) (return-from total x))) (total 1) #'total) (labels ((total ())) (total)))
(defun setter (x) (setf («total» x) 1) #'(setf «total»))
(defun loops () (loop for total in '(1) sum total))
== app.lisp
(in-package :app)
(defun f (x) (+ («TOTAL» x) (shop:«total» x) (shop::«total» x) (cl:list x)))
(defun keys (&key total) (list :total total))
== own.lisp
(in-package :own)
(defun total (x) x)
(defun g (x) (list (total x) (s:«total» x) (shop:«total» x) '#:total))
",
        "shop/total",
        "sum-up",
    );
}

#[test]
fn a_special_variable_is_the_same_wherever_it_is_bound() {
    check(
        "== a.lisp
(defvar «*total*» 0)
(defgeneric a-g (x) (declare #.«*total*») (:method (x) «*total*»))
(defun f () (let ((«*total*» 1)) (g «*total*»)))
",
        "*total*",
        "*sum*",
    );
    check(
        "== a.lisp
(defparameter «total» 0)
(defun f (x) (let ((«total» 1)) (declare (type fixnum «total»)) (flet ((total () 1)) (+ (total) «total»))))
",
        "total",
        "sum-of-all",
    );
}

#[test]
fn structures_derive_names() {
    let project = "== a.lisp
(defpackage :farm (:use :cl) (:export #:cow #:make-cow #:cow-name #:cow-p #:copy-cow))
(in-package :farm)
(defstruct cow name (legs 4 :type fixnum))
(defstruct (bull (:include cow) (:conc-name b-)) horns)
(defmethod print-object ((c cow) stream) (format stream \"~a\" (cow-name c)))
(defun f (c) (declare (type cow c)) (setf (cow-legs c) 3) (list (cow-p c) (make-cow :name 1) #'copy-cow (b-horns c)))
(defun g (cow) (typep cow 'cow))
";
    let expected = project
        .replace("make-cow", "make-goat")
        .replace("cow-", "goat-")
        .replace("copy-cow", "copy-goat")
        .replace("#:cow", "#:goat")
        .replace("defstruct cow", "defstruct goat")
        .replace("include cow", "include goat")
        .replace("((c cow)", "((c goat)")
        .replace("(type cow", "(type goat")
        .replace("'cow", "'goat");
    let (_, found) = common::renamed(project, "cow", "goat", &[]);
    assert_eq!(found, expected);
    refused(project, "cow-name", "title", "derived from cow.name by defstruct cow a.lisp:3:1");
    // The accessors of the slots that a structure inherits from outside of the project are not known.
    refused(
        "== a.lisp
(defstruct (cow (:include lib:animal)) legs)
(defun f (c) (list (cow-legs c) (cow-name c)))
",
        "cow",
        "goat",
        "cannot tell a.lisp:2:34: cow-name may be derived",
    );
}

#[test]
fn classes_conditions_and_generic_functions_change() {
    check(
        "== a.lisp
(defclass «widget» () ((x :accessor widget-x :initarg :widget :type («widget»)) widget))
(defclass knob («widget») ())
(defgeneric area (widget) (:method ((w «widget»)) 1))
(defmethod area :around ((w «widget»)) (call-next-method))
(defun f () (handler-case (make-instance '«widget») («widget» (c) c)))
",
        "widget",
        "gadget",
    );
    check(
        "== a.lisp
(defpackage :shapes (:use :cl))
(in-package :shapes)
(defclass c () ((size :accessor «area»)))
(defmethod «area» ((s t)) (with-accessors ((area «area»)) s area))
(defmethod (setf «area») (n (s t)) n)
",
        "area",
        "surface",
    );
}

/// An accessor that is assigned through its variable is a function, whatever local variable has its name.
#[test]
fn an_accessor_that_is_assigned_is_no_variable() {
    check(
        "== a.lisp\n(defclass circle () ((r :initarg :area :accessor «area»)))\n\
        (defmethod initialize-instance :after ((c circle) &key area) (print area))\n\
        (defun f (c) (with-accessors ((rr «area»)) c (incf rr) rr))\n",
        "area",
        "surface",
    );
}

#[test]
fn methods_without_a_definition_are_those_of_a_library_or_known_not_to_be() {
    let package = "== p.lisp\n(defpackage :p (:use :cl))\n(in-package :p)\n";
    refused(
        &format!("{package}(defmethod print-object ((x t) s) s)\n"),
        "print-object",
        "show",
        "of a library p.lisp:3:1",
    );
    check(&format!("{package}(defmethod «area» ((x t)) («area» x))\n"), "area", "surface");
    refused(
        "== p.lisp\n(defpackage :p (:use :cl :lib))\n(in-package :p)\n(defmethod area ((x t)) x)\n",
        "area",
        "surface",
        "of a library p.lisp:3:1",
    );
}

#[test]
fn a_long_chain_of_macros_means_the_same_before_and_after() {
    check(
        "== a.lisp
(defmacro two (n) `(three ,n))
(defmacro three (n) `(four ,n))
== b.lisp
(defmacro four (n) `(progn (defun ,n (x) x)))
== z.lisp
(defmacro one (n) `(two ,n))
(one size)
(defun «area» () (size 1))
(defun f () («area»))
",
        "area",
        "surface",
    );
}

#[test]
fn a_definer_that_nobody_defines_may_add_to_a_library() {
    let file = "== p.lisp\n(defpackage :p (:use :cl :lib))\n(in-package :p)\n(defclass* gadget () ())\n'gadget\n";
    refused(file, "gadget", "thing", "unknown definer defclass* p.lisp:3:1");
}

#[test]
fn collisions_are_refused() {
    let project = "== a.lisp
(defpackage :a (:use :cl) (:export #:total))
(in-package :a)
(defun total (x) x)
(defun sum (x) (total x))
(defun captured (x) (flet ((add (y) y)) (add (total x))))
(defun uses () (free 1))
== b.lisp
(defpackage :b (:use :cl :a))
(in-package :b)
(defun mine () (total 1))
(defvar *x* (quote of-b))
";
    refused(project, "total", "sum", "sum collides a.lisp:4:1: a/SUM");
    refused(project, "total", "add", "add captured a.lisp:5:47");
    refused(project, "total", "free", "free collides a.lisp:6:17: a/FREE");
    refused(project, "total", "mine", "b has mine as b/MINE");
    refused(project, "total", "list", "a has list as common-lisp/LIST");
    refused(project, "total", "of-b", "of-b collides b.lisp:4:20: a/OF-B");
    refused(project, "total", "TOTAL", "same name");
    for (name, why) in [
        ("", "it does not read as one symbol"),
        ("a b", "it does not read as one symbol"),
        ("(a)", "it does not read as one symbol"),
        ("\"a\"", "it does not read as one symbol"),
        ("'a", "it does not read as one symbol"),
        ("12", "it reads as a number, a keyword, a constant or a part of the syntax"),
        (":a", "it reads as a number, a keyword, a constant or a part of the syntax"),
        ("nil", "it reads as a number, a keyword, a constant or a part of the syntax"),
        ("b:a", "it has a package or namespace; the name stays in its own"),
        ("defun", "forms that begin with it are read in a way of their own"),
    ] {
        refused(project, "total", name, &format!("bad name: {why}"));
    }
    refused(project, "totl", "x", "not defined; nearest total");
    refused(project, "a", "x", "a space: a.lisp:1:1");
}

#[test]
fn a_variable_that_becomes_special_captures_local_ones() {
    let project = "== a.lisp\n(defvar *a* 1)\n(defun f (size) (list *a* size))\n";
    refused(project, "*a*", "size", "size collides a.lisp:2:11: /SIZE");
    check("== a.lisp\n(defvar «a» 1)\n(defun f (size) (list «a» size))\n", "a", "b");
}

#[test]
fn mentions_are_left_or_changed_on_request() {
    let project = "== a.lisp
;; The total: see TOTAL, total-area, (total 1) and subtotal.
(defun «total» (x)
  \"TOTAL of X, like `total'.\"
  (format t \"total ~a\" x) (list :total '#:total #|total|#))
";
    left(
        project,
        "total",
        "sum-up",
        &[
            "a.lisp:1 comments",
            "a.lisp:1 comments",
            "a.lisp:1 comments",
            "a.lisp:4 comments",
            "a.lisp:3 docstrings",
            "a.lisp:3 docstrings",
            "a.lisp:4 strings",
            "a.lisp:4 keywords",
            "a.lisp:4 keywords",
        ],
    );
    check_also(
        "== a.lisp
;; The «total»: see «TOTAL», total-area, («total» 1) and subtotal.
(defun «total» (x)
  \"«TOTAL» of X, like `«total»'.\"
  (format t \"total ~a\" x) (list :total '#:total #|«total»|#))
",
        "total",
        "sum-up",
        &[MentionKind::Comment, MentionKind::Docstring],
    );
}

#[test]
fn a_setf_function_is_one_mention_with_the_name_inside() {
    check_also(
        "== a.lisp
;; (setf «head») is the writer of «head»; (SETF  «HEAD») is as well.
(defun «head» (x) (car x))
(defun (setf «head») (new x) \"(setf «head») sets the «head».\" (setf (car x) new))
",
        "head",
        "front",
        &[MentionKind::Comment, MentionKind::Docstring],
    );
}

#[test]
fn exports_and_imports_outside_of_the_declaration_count() {
    check(
        "== a.lisp
(defpackage :a (:use :cl) (:shadow #:«total»))
(in-package :a)
(export '(«total»))
(defun «total» (x) x)
== b.lisp
(defpackage :b (:use :cl))
(in-package :b)
(use-package :a)
(defun f (x) («total» x))
== c.lisp
(defpackage :c (:use :cl))
(in-package :c)
(import 'a::«total»)
(defun f (x) («total» x))
== d.lisp
(defpackage :d (:use :cl))
(in-package :d)
(defun f (x) (total x))
== a.asd
(defsystem \"a\" :build-operation program-op :entry-point \"a:«TOTAL»\"
  :perform (test-op (o c) (symbol-call :a :«total» 1) (symbol-call :b :«total») (symbol-call :d :total) (uiop:symbol-call '#:a '#:«total»)))
",
        "total",
        "sum-up",
    );
}

#[test]
fn what_an_undeclared_package_exports_is_not_known() {
    refused(
        "== a.lisp
(in-package :a)
(defun total (x) x)
== b.lisp
(defpackage :b (:use :cl :a))
(in-package :b)
(defun f (x) (total x))
",
        "total",
        "sum-up",
        "cannot tell b.lisp:3:15: a undeclared",
    );
    // A package of which no file is a part is one of a library.
    check(
        "== a.lisp
(defpackage :a (:use :cl))
(in-package :a)
(defun «total» (x) x)
== b.lisp
(defpackage :b (:use :cl :lib))
(in-package :b)
(defun f (x) (total x))
",
        "total",
        "sum-up",
    );
}

#[test]
fn slots_and_data_of_the_same_name_cannot_be_told_apart() {
    refused(
        "== a.lisp
(defclass c () ((total :initarg :total)))
(defun total (c) (slot-value c 'total))
(defun f (c) (get-it c 'total))
",
        "total",
        "sum-up",
        "cannot tell a.lisp:3:25: slot or name",
    );
    check(
        "== a.lisp
(defclass c () ((total :initarg :total)))
(defun «total» (c) (slot-value c 'total))
(defun f (c) (with-slots (total) c total) («total» c) (mapcar '«total» (list c)))
",
        "total",
        "sum-up",
    );
}

#[test]
fn files_that_do_not_balance_are_refused_if_they_have_the_name() {
    let project = "== a.lisp\n(defun total (x) x)\n== b.lisp\n(defun f () (list 1)\n";
    let (done, _) = common::renamed(project, "total", "sum-up", &[]);
    assert!(done.is_ok());
    refused(&project.replace("list", "total"), "total", "sum-up", "unbalanced b.lisp");
}

#[test]
fn a_macro_of_the_project_may_derive_names() {
    let project = "== a.lisp
(defmacro defwidget (name) `(progn (defclass ,name () ()) (defun ,(intern (format nil \"MAKE-~a\" name)) () 1)))
(defwidget knob)
(defun f () (make-knob))
";
    refused(project, "knob", "lever", "cannot tell a.lisp:3:14: make-knob may be derived");
    check(&project.replace("(make-knob)", "'«knob»").replace("defwidget knob", "defwidget «knob»"), "knob", "lever");
}

#[test]
fn line_ends_and_tabs_stay() {
    check("== a.lisp\n(defun «total» (x)\r\n\t(«total» x)\x0c)\r\n", "total", "s");
}

#[test]
fn a_package_of_the_same_name_stays() {
    check(
        "== a.lisp
(defpackage #:farm (:use #:cl) (:export #:«farm») (:export ,@'(#:«farm»)))
(in-package #:farm)
(defun «farm» () (f))
(defun f () («farm»))
",
        "farm",
        "field",
    );
}

#[test]
fn packages_whose_exports_are_computed_may_have_the_name() {
    let project = "== a.lisp
(defpackage :shop.list (:use :cl) (:export :single :other))
(defpackage :shop (:use :cl))
(defpackage :shop.test (:use :cl :shop))
(in-package :shop.list)
(defun single (x) x)
(defun other (x) (single x))
(defun give (from to)
  (use-package from to)
  (do-external-symbols (symbol from) (export symbol to)))
(give :shop.list :shop)
== b.lisp
(in-package :shop.test)
(defun f (x) (single x))
(deftest other () (other 1))
";
    refused(project, "single", "alone", "cannot tell b.lisp:2:15: code exports names that it computes");
    refused(
        project,
        "shop.list/other",
        "another",
        "cannot tell b.lisp:3:10, b.lisp:3:20: code exports names that it computes",
    );
    refused(project, "shop.test/other", "another", "cannot tell b.lisp:3:1: code exports names that it computes");
    // What is exported is written.
    let written = project.replace("(export symbol to)", "symbol").replace("(use-package from to)", "");
    check(
        &written
            .replace(" single (x) x", " «single» (x) x")
            .replace("(x) (single x)", "(x) («single» x)")
            .replace(":single", ":«single»")
            .replacen("(defun f (x) («single» x))", "(defun f (x) (single x))", 1),
        "single",
        "alone",
    );
}

#[test]
fn an_export_of_a_name_that_a_structure_does_not_make() {
    let project = "== a.lisp
(defpackage :shop (:use :cl) (:export #:«item» #:make-«item» #:item-colour))
(in-package :shop)
(defstruct «item» price)
(defun f (x) («item»-price x))
";
    check(project, "item", "article");
    refused(
        &project.replace(['«', '»'], "").replace("(item-price x)", "(item-colour x)"),
        "item",
        "article",
        "cannot tell a.lisp:4:15: item-colour may be derived",
    );
}

#[test]
fn a_function_that_is_called_like_a_definer_of_tests_defines_nothing() {
    check(
        "== a.lisp
(defclass «branch» () ((test :initarg :test :accessor test)))
(defun deftest (x y) (list x y))
(defmethod check ((branch «branch»))
  (let ((test (test branch)))
    (if test (deftest branch 1) :no)))
(defun run () (check (make-instance '«branch» :test t)))
",
        "branch",
        "limb",
    );
}

#[test]
fn a_method_combination_has_groups_of_methods_and_code() {
    check(
        "== a.lisp
(defun «send» (channel) channel)
(defun only (q) (null q))
(define-method-combination select (&optional (order («send» :x)))
  ((recv (recv . *)) (send (send . *) :order («send» order) :required t) (rest only) (default ()))
  `(list ,@rest ,@(append recv send default)))
(define-method-combination app :operator «send» :identity-with-one-argument t)
",
        "send",
        "dispatch",
    );
}
