//! Uses in Common Lisp.
#![allow(clippy::unwrap_used)]

mod common;

use lispwright_index::Facts;
use lispwright_syntax::{Dialect, read};

use common::{check, uses};

#[test]
fn calls_and_values_count_and_local_names_do_not() {
    let text = "(defun area (x) x)\n(defun use (y)\n  (area y)\n  (mapcar #'area y)\n  (mapcar 'area y))\n\
        (defun other (area)\n  (flet ((area (z) z))\n    (area area))\n  '(area))\n(defmacro with (x)\n  `(area ,x (area)))\n";
    let expected = "a.lisp:3: call in defun use\na.lisp:4: value in defun use\na.lisp:5: value in defun use\n\
        a.lisp:9: quoted in defun other\na.lisp:11: template in defmacro with\na.lisp:11: template in defmacro with";
    check(&[("a.lisp", text)], "area", expected);
}

#[test]
fn packages_of_common_lisp_are_resolved() {
    let package = "(defpackage :shapes (:use :cl) (:export #:area))\n(in-package :shapes)\n(defun area (x) x)\n";
    let user = "(defpackage :app (:use :cl :shapes))\n(in-package :app)\n(defun f () (area 1))\n";
    let own =
        "(defpackage :own (:use :cl))\n(in-package :own)\n(defun area () 1)\n(defun g () (area) (shapes:area 2))\n";
    let nick = "(defpackage :nick (:local-nicknames (#:s :shapes)))\n(in-package :nick)\n(cl:defun h () (s:area 3))\n";
    let files = [("a.lisp", package), ("b.lisp", user), ("c.lisp", own), ("d.lisp", nick)];
    let expected = "a.lisp:1: export in defpackage :shapes\nb.lisp:3: call in defun f\nc.lisp:4: call in defun g\nd.lisp:3: call in cl:defun h";
    assert_eq!(uses(&files, "area", Some("shapes")), expected);
    assert_eq!(uses(&files, "area", Some("own")), "c.lisp:4: call in defun g");
}

#[test]
fn packages_are_declared_under_conditions_and_by_macros() {
    // A conditional import does not take a name away that the package defines.
    let own = "(defpackage :own (:use :cl #+cormanlisp :other) (:export #:area))\n(defpackage :other (:export #:area))\n\
        (in-package :own)\n(defun area () 1)\n(defun f () (area))\n";
    assert_eq!(
        uses(&[("a.lisp", own)], "area", Some("own")),
        "a.lisp:1: export in defpackage :own\na.lisp:5: call in defun f"
    );
    for import in [
        "#+allegro (import 'excl::area)",
        "#+allegro\n(eval-when (:load-toplevel) (import '(excl:grow excl::area)))",
        "(eval-when (:load-toplevel) #+allegro (import '(excl::area)))",
    ] {
        let own = format!(
            "(defpackage :own (:use :cl))\n(in-package :own)\n{import}\n#-allegro\n(defun area () 1)\n(defun f () (area))\n"
        );
        let found = uses(&[("a.lisp", &own)], "area", Some("own"));
        assert!(found.ends_with(": call in defun f"), "{import}: {found}");
    }
    let made = "(defmacro packages (names) `(progn (defpackage made (:use :cl) (:export ,@names #:area)) (defpackage ,@names)))\n\
        (packages (b))\n(in-package :made)\n(defun area () 1)\n(defpackage :user (:use :cl :made))\n(in-package :user)\n(defun g () (area))\n";
    assert_eq!(uses(&[("a.lisp", made)], "area", Some("made")), "a.lisp:7: call in defun g");
}

#[test]
fn names_that_are_looked_up_while_code_runs_are_uses() {
    let package = "(defpackage :shapes (:use :cl) (:export #:area))\n(in-package :shapes)\n(defun area (x) x)\n";
    let system = "(defsystem \"shapes\" :components ((:file \"a\"))\n  :perform (test-op (o c) (uiop:symbol-call :shapes :area 1)))\n";
    let found = "(in-package :cl-user)\n(defun f () (funcall (uiop:find-symbol* '#:area :shapes)) (find-symbol \"AREA\" :shapes))\n";
    let files = [("a.lisp", package), ("shapes.asd", system), ("f.lisp", found)];
    assert_eq!(
        uses(&files, "area", Some("shapes")),
        "a.lisp:1: export in defpackage :shapes\nf.lisp:2: quoted in defun f\nf.lisp:2: quoted in defun f\nshapes.asd:2: quoted in defsystem \"shapes\""
    );
}

#[test]
fn a_name_is_looked_up_by_each_designator() {
    let files = |found: &str| {
        let package = "(defpackage :shapes (:use :cl))\n(in-package :shapes)\n(defun area (x) x)\n".to_owned();
        [("a.lisp", package), ("b.lisp", format!("(in-package :cl-user)\n(print {found})\n"))]
    };
    for found in [
        "(uiop:symbol-call :shapes 'area 1)",
        "(find-symbol (string :area) '#:shapes)",
        "(intern (symbol-name '#:area) :shapes)",
        "(intern #.(string '#:area) \"SHAPES\")",
    ] {
        let files = files(found);
        let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        assert_eq!(uses(&files, "area", Some("shapes")), format!("b.lisp:2: quoted in print {found}"), "{found}");
    }
    let qualified = files("(uiop:symbol-call :shapes 'other::area 1)");
    let files: Vec<_> = qualified.iter().map(|(path, text)| (*path, text.as_str())).collect();
    assert_eq!(uses(&files, "area", Some("shapes")), "");
}

/// `(defmethod #.*name* …)` uses the variable and defines nothing of that name.
#[test]
fn a_name_that_code_gives_is_a_use_of_that_code() {
    let text = "(in-package :cl-user)\n(defvar x 'area)\n(defun y () 'area)\n\
        (defmethod #.x ((a integer)) a)\n(defun #.(y) (b) b)\n";
    assert_eq!(uses(&[("a.lisp", text)], "x", None), "a.lisp:4: value in defmethod #.x (integer)");
    assert_eq!(uses(&[("a.lisp", text)], "y", None), "a.lisp:5: call in defun #.(y)");
    let text = "(defvar x 1)\n(defun f () (list '#.x '(#.x) (lambda (#.x) 1)))\n(defmethod '#.x () 1)\n(defmethod #.'x () 1)\n";
    assert!(uses(&[("a.lisp", text)], "x", None).contains("a.lisp:2: quoted in defun f"));
}

/// A function with the name of a definer of packages declares none.
#[test]
fn a_call_in_a_function_declares_no_package() {
    let text = "(defpackage :foo (:use :cl))\n(in-package :foo)\n(defun defpackage-form-p (form) (consp form))\n\
        (defun area () 1)\n(defun g (x) (defpackage-form-p x) (area))\n";
    assert_eq!(uses(&[("a.lisp", text)], "defpackage-form-p", None), "a.lisp:5: call in defun g");
    assert_eq!(uses(&[("a.lisp", text)], "area", None), "a.lisp:5: call in defun g");
}

/// Checks the kinds of the uses of `x` in a text, in their order.
#[track_caller]
fn check_kinds(dialect: Dialect, text: &str, expected: &str) {
    let tree = read(text, dialect).learning(text);
    let facts = Facts::of(&tree, text);
    let uses = facts.uses.iter().filter(|used| !used.hidden && text[used.span().range()].eq_ignore_ascii_case("x"));
    let kinds: Vec<&str> = uses.map(|used| used.kind.name()).collect();
    assert_eq!(kinds.join(" "), expected, "{text}");
}

#[test]
fn writes_are_assignments() {
    let cl = Dialect::CommonLisp;
    check_kinds(cl, "(setf (x a) (x b))", "assignment call");
    check_kinds(
        cl,
        "(incf (x a) (x b)) (decf x) (pop (x a)) (push (x 1) (x 2)) (pushnew 1 x)",
        "assignment call assignment assignment call assignment assignment",
    );
    check_kinds(
        cl,
        "(setf (gethash k x) 1 (aref x 0) 2 (the fixnum x) 3 (values x y) z)",
        "assignment assignment assignment assignment",
    );
    check_kinds(
        cl,
        "(rotatef (x 1) (x 2)) (remhash k x) (push 1 (gethash x y))",
        "assignment assignment assignment value",
    );
    check_kinds(cl, "(setf (car (x a)) 1) (setf (slot-value x 'y) 1)", "call value");
    check_kinds(cl, "(let ((x 1)) (setf x 2 (aref x 1) 3))", "");
    let elisp = Dialect::EmacsLisp;
    check_kinds(
        elisp,
        "(cl-incf (x a)) (setf (alist-get k x) 1) (puthash 1 2 x) (cl-callf x (x 2) 1)",
        "assignment assignment assignment call assignment",
    );
    let clojure = Dialect::Clojure;
    check_kinds(
        clojure,
        "(swap! x inc) (reset! x 1) (alter-var-root #'x inc) (swap! y x)",
        "assignment assignment assignment value",
    );
    check_kinds(
        clojure,
        "(-> x (swap! assoc :a 1)) (doto x prn (reset! 1)) (-> x inc (vswap! 1)) (-> y (swap! x 1)) (var-set x 1)",
        "assignment assignment value value assignment",
    );
    check_kinds(cl, "(with-accessors ((a x) (b y)) c (setf a 1)) (with-accessors ((a x)) c a)", "assignment call");
    check_kinds(
        Dialect::Racket,
        "(set-box! x 1) (hash-set! x 1 2) (hash-ref! x 1 2) (box-cas! x 1 2) (set! x 1) (unbox x)",
        "assignment assignment assignment assignment assignment value",
    );
    check_kinds(
        Dialect::Scheme,
        "(set! (x a) 1) (vector-set! x 0 1) (hash-table-set! x 1 2) (set! x 3)",
        "assignment assignment assignment assignment",
    );
}
