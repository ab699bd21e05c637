//! Uses in Common Lisp.
#![allow(clippy::unwrap_used)]

mod common;

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
