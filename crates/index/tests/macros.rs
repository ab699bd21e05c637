//! Uses in the arguments of the project's own macros.
#![allow(clippy::unwrap_used)]

mod common;

use common::{check, uses};

const SCHEME: &str = "(define-module (a))\n(define (area x) x)\n";

#[test]
fn macros_of_scheme_bind_their_arguments() {
    let check_in = |code: &str, expected: &str| check(&[("a.scm", &format!("{SCHEME}{code}"))], "area", expected);
    check_in(
        "(define-syntax-rule (with (x v) body ...) (let ((x v)) body ...))\n(with (area (area 1)) (area 2))",
        "a.scm:4: call in with (area (area 1))",
    );
    check_in(
        "(define-syntax m (syntax-rules (in)\n ((_ x in l b ...) (for-each (lambda (x) b ...) l))\n ((_ q) 'q)))\n(m area in area (area 1))\n(m area)\n(m area area area)",
        "a.scm:7: quoted in m area\na.scm:8: value in m area\na.scm:8: value in m area\na.scm:8: value in m area",
    );
    check_in(
        "(define-syntax m (lambda (s) (syntax-case s () ((_ (n v) b) #'(let ((n v)) b)))))\n(m (area 1) (area 2))",
        "",
    );
    check_in(
        "(define-syntax-rule (m f b) (define (f) b))\n(m area (area 1))\n(define (g) (m area 1) (area 2))",
        "a.scm:4: call in m area\na.scm:4: call in m area",
    );
}

#[test]
fn macros_of_common_lisp_bind_their_arguments() {
    let check_in =
        |code: &str, expected: &str| check(&[("a.lisp", &format!("(defun area (x) x)\n{code}"))], "area", expected);
    check_in(
        "(defmacro with ((v x) &body b) `(let ((,v ,x)) ,@b))\n(defun f () (with (area (area 1)) area #'area))",
        "a.lisp:3: call in defun f\na.lisp:3: value in defun f",
    );
    check_in("(defmacro each (v l &body b) `(dolist (,v ,l) ,@b))\n(defun f () (each area area area))", "");
    check_in("(defmacro m (&rest names) `(quote ,names))\n(defun f () (m area))", "a.lisp:3: quoted in defun f");
    check_in(
        "(defmacro fl (name args &body b) `(flet ((,name ,args ,@b)) (,name 1)))\n(defun f () (fl area (x) (area x)))",
        "",
    );
    check_in(
        "(defmacro fn (args &body b) `#'(lambda ,args ,@b))\n(defun f () (fn (area) area (area 1)))",
        "a.lisp:3: call in defun f",
    );
    check_in("(defmacro gs (names &body b) `(let ,(mapcar #'list names) ,@b))\n(defun f () (gs (area) area))", "");
    check_in(
        "(defmacro key (&key value then) `(let ((x ,value)) ',then))\n(defun f () (key :then area :value (area 1)))",
        "a.lisp:3: quoted in defun f\na.lisp:3: call in defun f",
    );
}

/// An operator that a space has instead of the language's treats its arguments as its definition says.
#[test]
fn a_shadowed_operator_is_the_spaces_own() {
    let package = "(defpackage :a (:use :cl) (:shadow #:dolist #:case #:if))\n(in-package :a)\n(defun area (x) x)\n";
    let check_in = |code: &str, expected: &str| check(&[("a.lisp", &format!("{package}{code}"))], "area", expected);
    check_in(
        "(defmacro dolist (list (var) &body body) `(cl:dolist (,var ,list) ,@body))\n\
            (defun f () (dolist (area 1) (area) (area area)))",
        "a.lisp:5: call in defun f\na.lisp:5: call in defun f",
    );
    check_in("(defun case (&rest all) all)\n(defun f (x) (case x (area 1)))", "a.lisp:5: call in defun f");
    // Of a macro whose arguments are not known, those of the language are the best guess.
    check_in("(defmacro if (&rest all) (translate all))\n(defun f (x) (if x (area 1) 2))", "a.lisp:5: call in defun f");
    let namespace = "(ns a (:refer-clojure :exclude [when-let]))\n(defn area [x] x)\n";
    check(
        &[(
            "a.clj",
            &format!(
                "{namespace}(defmacro when-let [value name & body] `(let [~name ~value] ~@body))\n\
                    (defn f [] (when-let (area 1) area (inc area)))"
            ),
        )],
        "area",
        "a.clj:4: call in defn f",
    );
}

#[test]
fn macros_of_clojure_and_emacs_lisp_bind_their_arguments() {
    let clojure = "(ns a)\n(defn area [x] x)\n(defmacro with [[v x] & b] `(let [~v ~x] ~@b))\n(defn f [] (with [area (area 1)] (area 2)))\n\
        (defmacro many [bs & b] `(let ~bs ~@b))\n(defn g [] (many [area (area 1)] (area 2)))\n(defmacro q [x] `'~x)\n(q (area 1))";
    check(
        &[("a.clj", clojure)],
        "area",
        "a.clj:4: call in defn f\na.clj:6: call in defn g\na.clj:8: quoted in q (area 1)",
    );
    let lisp = ";; -*- lexical-binding: t -*-\n(defun area (x) x)\n(defmacro with (v x &rest b) `(let ((,v ,x)) ,@b))\n(defun f () (with area (area 1) area (area 2)))\n";
    check(&[("a.el", lisp)], "area", "a.el:4: call in defun f\na.el:4: call in defun f");
}

#[test]
fn a_macro_of_another_file_and_package_is_known() {
    let macros = "(defpackage m (:use cl) (:export with def))\n(in-package m)\n(defmacro with (v &body b) `(let ((,v 1)) ,@b))\n\
        (defmacro def (n &body b) `(defun ,n () ,@b))\n";
    let user = "(defpackage u (:use cl m))\n(in-package u)\n(defun area () 1)\n(defun f () (with area area))\n(def g (area))\n(g)\n";
    let other = "(defpackage o (:use cl))\n(in-package o)\n(defun area () 1)\n(defun f () (with area #'area))\n";
    let files = [("m.lisp", macros), ("u.lisp", user), ("o.lisp", other)];
    assert_eq!(uses(&files, "area", Some("u")), "u.lisp:5: call in def g");
    assert_eq!(uses(&files, "g", Some("u")), "u.lisp:6: call in (g)");
    assert_eq!(uses(&files, "area", Some("o")), "o.lisp:4: value in defun f\no.lisp:4: value in defun f");
}

#[test]
fn what_macros_define_is_known() {
    // A macro that uses another definer, one that makes a list, and one like `defclass`.
    let text = "(defmacro defrow (name) `(defthing ,name))\n(defmacro op (code name) (list 'defconstant name code))\n\
        (defrow area)\n(op 1 size)\n(defclass* shape () ((edge 1 :reader edge-of)))\n(defun f (x) (area (edge-of x) size))\n";
    let files = [("a.lisp", text)];
    assert_eq!(uses(&files, "area", None), "a.lisp:6: call in defun f");
    assert_eq!(uses(&files, "size", None), "a.lisp:6: value in defun f");
    assert_eq!(uses(&files, "edge-of", None), "a.lisp:6: call in defun f");
    let clojure =
        "(ns b)\n(defmacro defact [name next] `(defthing ~name ~next))\n(defact area 1)\n(defn f [] (area 1))\n";
    check(&[("b.clj", clojure)], "area", "b.clj:4: call in defn f");
    let lisp = "(defmacro op (code name) (list 'defconst name code))\n(op 1 area)\n(defun f () area)\n";
    check(&[("a.el", lisp)], "area", "a.el:3: value in defun f");
}

#[test]
fn vars_that_are_imported_again_are_those_of_both_namespaces() {
    let library = "(ns lib)\n(defn area [x] x)\n(defn size [x] x)\n";
    let front = "(ns front (:require [lib :as l] [potemkin :refer [import-vars]]))\n(import-vars [lib area] l/size)\n";
    let user = "(ns user (:require [front :as f]))\n(defn g [] (f/area 1) (f/size 2))\n";
    let files = [("lib.clj", library), ("front.clj", front), ("user.clj", user)];
    let both = "front.clj:2: value in import-vars [lib area]\nuser.clj:2: call in defn g";
    for (name, space) in [("area", "lib"), ("area", "front"), ("size", "front"), ("size", "lib")] {
        assert_eq!(uses(&files, name, Some(space)), both, "{space}/{name}");
    }
}

#[test]
fn a_list_in_the_place_of_a_name_is_no_name() {
    let lisp = "(defmacro m-define (by n) `(list ,n))\n(m-define (history area) 1)\n(defun f (x) (area x))";
    check(&[("a.el", lisp)], "area", "");
    let lisp =
        "(defmacro defplace (name &body b) `(defun ,name () ,@b))\n(defplace (setf area) 1)\n(defun f (x) (area x))";
    check(&[("a.lisp", lisp)], "area", "a.lisp:3: call in defun f");
}

#[test]
fn macros_define_each_of_their_arguments() {
    let in_form =
        |path: &str, code: &str, form: &str| check(&[(path, code)], "area", &format!("{path}:3: call in {form}"));
    for body in [
        "`(do ~@(map (fn [n] `(def ~n inc)) names))",
        "`(do ~@(map (fn [n] (list 'def n 'inc)) names))",
        "(cons 'do (for [n names] `(defn ~n [x] x)))",
        "`(do ~@(map (fn [n] (list 'one n)) names))",
    ] {
        let body = format!("[& names] {body}) (defmacro one [n] `(let [x 1] (defn ~n [x] x))");
        in_form("a.clj", &format!("(defmacro all {body})\n(all area size)\n(defn f [] (area 1))"), "defn f");
    }
    for body in [
        "`(progn ,@(mapcar (lambda (n) `(defun ,n (x) x)) names))",
        "`(progn ,@(mapcar #'(lambda (n) `(defun ,n (x) x)) names))",
        "`(progn ,@(loop for n in names collect `(defun ,n (x) x)))",
        "`(progn ,@(loop with i = 0 for n in names do (incf i) collect `(defun ,n (x) x)))",
        "(let (all) (dolist (n names) (push `(defun ,n (x) x) all)) `(progn ,@all))",
    ] {
        let code = format!("(defmacro all (&rest names) {body})\n(all area size)\n(defun f () (area 1))");
        in_form("a.lisp", &code, "defun f");
        in_form("a.el", &code, "defun f");
    }
    // The elements of something else are no arguments.
    check(
        &[(
            "a.lisp",
            "(defmacro all (&rest names) `(progn ,@(mapcar (lambda (n) `(defun ,n (x) x)) (cdr names))))\n(all area)\n(defun f () (area 1))",
        )],
        "area",
        "",
    );
}

#[test]
fn a_macro_exports_what_its_template_exports() {
    let a = "(defpackage :a (:use :cl))\n(in-package :a)\n(defmacro defpub (name v) `(progn (export ',name) (defun ,name () ,v)))\n\
        (defmacro defpub-too (name v) `(defpub ,name ,v))\n(defpub area 1)\n(defpub-too size 1)\n";
    let b = "(defpackage :b (:use :cl :a))\n(in-package :b)\n(list (area) (size))\n";
    let files = [("a.lisp", a), ("b.lisp", b)];
    check(&files, "area", "b.lisp:3: call in list (area)");
    check(&files, "size", "b.lisp:3: call in list (area)");
    let a = "(define-module (a))\n(define-syntax-rule (def-pub name v) (define-public (name) v))\n\
        (define-syntax-rule (def-exp name v) (begin (define (name) v) (export name)))\n\
        (define-syntax def-too (syntax-rules () ((_ name v) (def-exp name v))))\n\
        (def-pub area 1)\n(def-exp size 2)\n(def-too side 3)\n";
    let files = [("a.scm", a), ("b.scm", "(define-module (b) #:use-module (a))\n(list (area) (size) (side))\n")];
    for name in ["area", "size", "side"] {
        check(&files, name, "b.scm:2: call in list (area)");
    }
}

#[test]
fn a_macro_that_gives_all_its_arguments_to_a_form_takes_them_as_that_does() {
    let lisp = |operator: &str, code: &str, expected: &str| {
        let text = format!("(defun area (x) x)\n(defmacro m (&body b) `({operator} ,@b))\n(defun f (x) {code})\n");
        check(&[("a.lisp", &text)], "area", expected);
    };
    let call = "a.lisp:3: call in defun f";
    for (operator, code) in [
        ("lambda", "(m (y) (area y))"),
        ("let", "(m ((y 1)) (area y))"),
        ("let", "(m ((y (area x))) y)"),
        ("cl:let*", "(m ((y (area x))) y)"),
        ("flet", "(m ((y (z) (area z))) (y x))"),
        ("multiple-value-bind", "(m (y z) (area x) (list y z))"),
        ("destructuring-bind", "(m (y z) (area x) (list y z))"),
        ("symbol-macrolet", "(m ((y (area x))) y)"),
        ("loop", "(m for y in x collect (area y))"),
    ] {
        lisp(operator, code, call);
    }
    lisp("lambda", "(m (area) area)", "");
    lisp("let", "(m ((area 1)) area)", "");
    // What stands before them is what the template makes of it, and one macro can give them to the other.
    let text = "(defun area (x) x)\n(defmacro m (&body b) `(let ,@b))\n(defmacro n (name &rest b) `(progn (log ,name) (m ,@b)))\n\
                (defun f (x) (n (area 1) ((y (area x))) y))\n";
    check(&[("a.lisp", text)], "area", "a.lisp:4: call in defun f\na.lisp:4: call in defun f");
    let emacs = "(defun area (x) x)\n(defmacro m (&rest b) `(condition-case ,@b))\n(defun f (x) (m nil (area x) (error (area 1))))\n";
    check(&[("a.el", emacs)], "area", "a.el:3: call in defun f\na.el:3: call in defun f");
    let clojure = "(ns a)\n(defn area [x] x)\n(defmacro m [& b] `(fn ~@b))\n(defn f [xs] (map (m [y] (area y)) xs))\n";
    check(&[("a.clj", clojure)], "area", "a.clj:4: call in defn f");
    for rule in
        ["(define-syntax-rule (m b ...) (lambda b ...))", "(define-syntax m (syntax-rules () ((_ . b) (lambda . b))))"]
    {
        let scheme = format!("{SCHEME}{rule}\n(define (f xs) (map (m (y) (area y)) xs))\n");
        check(&[("a.scm", &scheme)], "area", "a.scm:4: call in define f");
    }
}

#[test]
fn what_stands_in_the_place_of_a_name_is_code() {
    let text = "(defun area (x) x)\n(defun f (x) (let ((y 1) ((z (area y)))) (list y z)))\n";
    check(&[("a.lisp", text)], "area", "a.lisp:2: call in defun f");
}
