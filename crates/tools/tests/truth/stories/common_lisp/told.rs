//! What happens to the files, in Common Lisp.

use super::Story;

/// A file that begins with the package of the base, which exports all that is used.
macro_rules! base {
    ($exports:literal, $($body:literal),*) => {
        Some(concat!("(defpackage :shop.base (:use :cl) (:export ", $exports, "))\n(in-package :shop.base)\n", $($body, "\n"),*))
    };
}

/// A file in the package of the base.
macro_rules! more {
    ($($body:literal),*) => {
        Some(concat!("(in-package :shop.base)\n", $($body, "\n"),*))
    };
}

pub(super) const STORIES: &[Story] = &[
    Story {
        name: "changed_function",
        base: [base!("#:f", "(defun f () 1)"), base!("#:f", "(defun f () 2)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "changed_macro",
        base: [base!("#:twice", "(defmacro twice (x) `(* 2 ,x))"), base!("#:twice", "(defmacro twice (x) `(* 5 ,x))")],
        uses: "(twice 3)",
        values: ["6", "15"],
        ..Story::NONE
    },
    Story {
        name: "function_of_macro",
        base: [
            base!(
                "#:m",
                "(eval-when (:compile-toplevel :load-toplevel :execute) (defun helper () 1))",
                "(defmacro m () (helper))"
            ),
            base!(
                "#:m",
                "(eval-when (:compile-toplevel :load-toplevel :execute) (defun helper () 2))",
                "(defmacro m () (helper))"
            ),
        ],
        uses: "(m)",
        ..Story::NONE
    },
    Story {
        name: "inline_function",
        base: [
            base!("#:f", "(declaim (inline f))", "(defun f () 1)"),
            base!("#:f", "(declaim (inline f))", "(defun f () 2)"),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "structure_slot",
        base: [
            base!("#:make-grain #:grain-kind", "(defstruct (grain (:constructor make-grain (k &aux (kind k)))) kind)"),
            base!(
                "#:make-grain #:grain-kind",
                "(defstruct (grain (:constructor make-grain (k &aux (colour 9) (kind (+ k 1))))) colour kind)"
            ),
        ],
        uses: "(grain-kind (make-grain 1))",
        ..Story::NONE
    },
    Story {
        name: "structure_default",
        base: [
            base!("#:make-grain #:grain-kind", "(defstruct grain (kind 1))"),
            base!("#:make-grain #:grain-kind", "(defstruct grain (kind 2))"),
        ],
        uses: "(grain-kind (make-grain))",
        ..Story::NONE
    },
    Story {
        name: "included_structure",
        base: [
            base!("#:make-wheat #:wheat-kind", "(defstruct grain)"),
            base!("#:make-wheat #:wheat-kind", "(defstruct grain (colour 2))"),
        ],
        others: &[(
            "basement.lisp",
            [
                more!("(defstruct (wheat (:include grain)) (kind 1))"),
                more!("(defstruct (wheat (:include grain)) (kind (if (fboundp 'grain-colour) 2 1)))"),
            ],
        )],
        uses: "(wheat-kind (make-wheat))",
        ..Story::NONE
    },
    Story {
        name: "constant",
        base: [base!("#:+k+", "(defconstant +k+ 1)"), base!("#:+k+", "(defconstant +k+ 2)")],
        uses: "(let ((x +k+)) x)",
        ..Story::NONE
    },
    Story {
        name: "symbol_macro",
        base: [base!("#:k", "(define-symbol-macro k 1)"), base!("#:k", "(define-symbol-macro k 2)")],
        uses: "(let ((x k)) x)",
        ..Story::NONE
    },
    Story {
        name: "changed_type",
        base: [
            base!("#:small", "(deftype small () '(integer 0 9))"),
            base!("#:small", "(deftype small () '(integer 0 99))"),
        ],
        uses: "(if (typep 50 'small) 2 1)",
        ..Story::NONE
    },
    Story {
        name: "changed_place",
        base: [
            base!("#:place", "(defsetf place (list) (new) `(setf (first ,list) ,new))"),
            base!("#:place", "(defsetf place (list) (new) `(setf (second ,list) ,new))"),
        ],
        uses: "(let ((x (list 2 1))) (setf (place x) 1) (if (equal x '(1 1)) 1 2))",
        ..Story::NONE
    },
    Story {
        name: "read_time_value",
        base: [base!("#:f", "(defun f () 1)"), base!("#:f", "(defun f () 2)")],
        uses: "#.(f)",
        ..Story::NONE
    },
    Story {
        name: "load_time_value",
        base: [base!("#:f", "(defun f () 1)"), base!("#:f", "(defun f () 2)")],
        uses: "(load-time-value (f))",
        ..Story::NONE
    },
    Story {
        name: "renamed_export",
        base: [base!("#:f", "(defun f () 1)"), base!("#:g", "(defun g () 1)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "renamed_export_of_qualified_name",
        base: [base!("#:f", "(defun f () 1)"), base!("#:g", "(defun g () 1)")],
        heads: Some(["", ""]),
        uses: "(shop.base:f)",
        ..Story::NONE
    },
    Story {
        name: "lost_export",
        base: [base!("#:f", "(defun f () 1)"), base!("", "(defun f () 1)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "added_export",
        base: [base!("", "(defun f () 1)"), base!("#:f", "(defun f () 1)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_definition",
        base: [base!("#:f", "(defun helper () 1)", "(defun f () (helper))"), base!("#:f", "(defun f () (helper))")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_macro",
        base: [base!("#:f", "(defmacro f () 1)"), base!("#:f", "")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_method",
        base: [
            base!(
                "#:area",
                "(defgeneric area (x))",
                "(defmethod area ((x number)) 2)",
                "(defmethod area ((x integer)) 1)"
            ),
            base!("#:area", "(defgeneric area (x))", "(defmethod area ((x number)) 2)"),
        ],
        uses: "(area 7)",
        ..Story::NONE
    },
    Story {
        name: "removed_method_of_generic_definition",
        base: [
            base!("#:area", "(defgeneric area (x) (:method ((x number)) 2) (:method :around ((x integer)) 1))"),
            base!("#:area", "(defgeneric area (x) (:method ((x number)) 2))"),
        ],
        uses: "(area 7)",
        ..Story::NONE
    },
    Story {
        name: "removed_method_of_foreign_function",
        base: [
            base!(
                "#:f",
                "(defclass thing () ())",
                "(defmethod print-object ((x thing) s) (write-string \"!\" s))",
                "(defun f () (if (string= \"!\" (princ-to-string (make-instance 'thing))) 1 2))"
            ),
            base!(
                "#:f",
                "(defclass thing () ())",
                "(defun f () (if (string= \"!\" (princ-to-string (make-instance 'thing))) 1 2))"
            ),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_method_without_generic_definition",
        base: [
            base!("#:f", "(defmethod area ((x integer)) 1)", "(defun f () (if (fboundp 'area) 1 2))"),
            base!("#:f", "(defun f () (if (fboundp 'area) 1 2))"),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_reader",
        base: [
            base!(
                "#:f",
                "(defclass thing () ((a :initform 1 :reader thing-a)))",
                "(defun f () (thing-a (make-instance 'thing)))"
            ),
            base!("#:f", "(defclass thing () ((a :initform 1)))", "(defun f () (thing-a (make-instance 'thing)))"),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_place",
        base: [
            base!(
                "#:f",
                "(defvar *x* (list 1))",
                "(defun f () (car *x*))",
                "(defun (setf f) (new) (setf (car *x*) new))"
            ),
            base!("#:f", "(defvar *x* (list 1))", "(defun f () (car *x*))"),
        ],
        uses: "(progn (setf (f) 1) (f))",
        ..Story::NONE
    },
    Story {
        name: "removed_class",
        base: [
            base!(
                "#:f",
                "(defclass thing () ((a :initform 1 :reader thing-a)))",
                "(defun f () (thing-a (make-instance 'thing)))"
            ),
            base!("#:f", "(defun f () (thing-a (make-instance 'thing)))"),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_structure",
        base: [
            base!("#:make-grain #:grain-kind", "(defstruct grain (kind 1))"),
            base!("#:make-grain #:grain-kind", ""),
        ],
        uses: "(grain-kind (make-grain))",
        ..Story::NONE
    },
    Story {
        name: "removed_slot",
        base: [
            base!("#:f", "(defstruct grain (kind 1) (colour 1))", "(defun f () (if (fboundp 'grain-colour) 1 2))"),
            base!("#:f", "(defstruct grain (kind 1))", "(defun f () (if (fboundp 'grain-colour) 1 2))"),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_condition",
        base: [
            base!("#:f", "(define-condition bad (error) ())", "(defun f () (if (find-class 'bad nil) 1 2))"),
            base!("#:f", "(defun f () (if (find-class 'bad nil) 1 2))"),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_type",
        base: [base!("#:small", "(deftype small () '(integer 0 9))"), base!("#:small", "")],
        uses: "(handler-case (if (typep 5 'small) 1 3) (error () 2))",
        ..Story::NONE
    },
    Story {
        name: "removed_variable",
        base: [base!("#:*v*", "(defvar *v* 1)"), base!("#:*v*", "")],
        uses: "*v*",
        ..Story::NONE
    },
    Story {
        name: "removed_special",
        base: [
            base!(
                "#:f",
                "(defvar v 1)",
                "(defun g () (symbol-value 'v))",
                "(defun f () (let ((v 1)) (handler-case (g) (error () v))))"
            ),
            base!(
                "#:f",
                "(defun g () (symbol-value 'v))",
                "(defun f () (let ((v 1)) (handler-case (g) (error () (+ v 1)))))"
            ),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_constant",
        base: [base!("#:+k+", "(defconstant +k+ 1)"), base!("#:+k+", "")],
        uses: "(symbol-value '+k+)",
        ..Story::NONE
    },
    Story {
        name: "removed_symbol_macro",
        base: [base!("#:k", "(define-symbol-macro k 1)"), base!("#:k", "")],
        uses: "(let ((x k)) x)",
        ..Story::NONE
    },
    Story {
        name: "removed_package",
        base: [
            base!(
                "#:f",
                "(defpackage :shop.inner (:use :cl) (:export #:g))",
                "(defun shop.inner:g () 1)",
                "(defun f () 1)"
            ),
            base!("#:f", "(defun f () 1)"),
        ],
        uses: "(shop.inner:g)",
        ..Story::NONE
    },
    Story {
        name: "changed_parameter",
        base: [base!("#:*v*", "(defparameter *v* (list 1))"), base!("#:*v*", "(defparameter *v* (list 2))")],
        uses: "(car *v*)",
        ..Story::NONE
    },
    Story {
        name: "kept_variable",
        base: [base!("#:*v*", "(defvar *v* (list 1))"), base!("#:*v*", "(defvar *v* (list 2))")],
        uses: "(car *v*)",
        ..Story::NONE
    },
    Story {
        name: "computed_variable",
        base: [
            base!("#:*v*", "(defun f () 1)", "(defvar *v* (f))"),
            base!("#:*v*", "(defun f () 2)", "(defvar *v* (f))"),
        ],
        uses: "*v*",
        ..Story::NONE
    },
    Story {
        name: "computed_variable_elsewhere",
        base: [base!("#:*v*", "(defun f () 1)"), base!("#:*v*", "(defun f () 2)")],
        others: &[("basement.lisp", [more!("(defvar *v* (f))"), more!("(defvar *v* (f))")])],
        uses: "*v*",
        ..Story::NONE
    },
    Story {
        name: "failing_variable",
        base: [base!("#:f", "(defun f () 1)"), base!("#:f", "(defun f () (error \"Never\"))")],
        others: &[("basement.lisp", [more!("(defvar *v* (f))"), more!("(defvar *v* (f))")])],
        uses: "shop.base::*v*",
        ..Story::NONE
    },
    Story {
        name: "changed_class",
        base: [
            base!(
                "#:f",
                "(defclass a () ((x :initform 1 :reader the-x)))",
                "(defclass b (a) ())",
                "(defun f () (the-x (make-instance 'b)))"
            ),
            base!(
                "#:f",
                "(defclass a () ((x :initform 2 :reader the-x)))",
                "(defclass b (a) ())",
                "(defun f () (the-x (make-instance 'b)))"
            ),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "changed_parent",
        base: [
            base!(
                "#:f",
                "(defclass a () ((x :initform 1 :reader the-x)))",
                "(defclass c () ((x :initform 2 :reader the-x)))",
                "(defclass b (a) ())",
                "(defun f () (the-x (make-instance 'b)))"
            ),
            base!(
                "#:f",
                "(defclass a () ((x :initform 1 :reader the-x)))",
                "(defclass c () ((x :initform 2 :reader the-x)))",
                "(defclass b (c) ())",
                "(defun f () (the-x (make-instance 'b)))"
            ),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "class_of_other_kind",
        base: [
            base!("#:f", "(defclass a () ())", "(defun f () (if (typep (find-class 'a) 'structure-class) 2 1))"),
            base!("#:f", "(defstruct a)", "(defun f () (if (typep (find-class 'a) 'structure-class) 2 1))"),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "function_for_macro",
        base: [base!("#:f", "(defmacro f () 1)"), base!("#:f", "(defun f () 2)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "macro_for_function",
        base: [base!("#:f", "(defun f () 1)"), base!("#:f", "(defmacro f () 2)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "generic_for_function",
        base: [base!("#:f", "(defun f (x) x)"), base!("#:f", "(defgeneric f (x) (:method ((x integer)) (1+ x)))")],
        uses: "(f 1)",
        ..Story::NONE
    },
    Story {
        name: "constant_for_variable",
        base: [base!("#:v", "(defvar v 1)"), base!("#:v", "(defconstant v 2)")],
        uses: "(let ((x v)) x)",
        ..Story::NONE
    },
    Story {
        name: "changed_parameters_of_generic_function",
        base: [
            base!("#:f", "(defgeneric g (x))", "(defmethod g ((x integer)) x)", "(defun f () (g 1))"),
            base!("#:f", "(defgeneric g (x y))", "(defmethod g ((x integer) y) y)", "(defun f () (g 1 2))"),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "changed_parameters_of_methods_elsewhere",
        base: [
            base!("#:f", "(defgeneric g (x))", "(defun f () (g 1))"),
            base!("#:f", "(defgeneric g (x y))", "(defun f () (g 1 2))"),
        ],
        others: &[(
            "basement.lisp",
            [more!("(defmethod g ((x integer)) x)"), more!("(defmethod g ((x integer) y) y)")],
        )],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "moved_file",
        base: [base!("#:f", "(defun f () 1)"), None],
        others: &[(
            "other.lisp",
            [
                None,
                Some("(defpackage :shop.other (:use :cl) (:export #:f))\n(in-package :shop.other)\n(defun f () 2)\n"),
            ],
        )],
        heads: Some(["(:use :shop.base)", "(:use :shop.other)"]),
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "moved_definition_down",
        base: [base!("#:f #:g", "(defun f () 1)", "(defvar *v* (f))"), base!("#:f #:g", "(defvar *v* (f))")],
        others: &[("basement.lisp", [more!(""), more!("(defun f () 2)")])],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "moved_definition_up",
        base: [more!("(defun f () (g))", "(defun g () 1)"), more!("(defun f () (g))")],
        others: &[("a-first.lisp", [base!("#:f", ""), base!("#:f", "(defun g () 2)")])],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "moved_macro_down",
        base: [base!("#:f", "(defmacro m () 1)", "(defun f () (m))"), base!("#:f", "(defun f () (m))")],
        others: &[("basement.lisp", [more!(""), more!("(defmacro m () 1)")])],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "new_dependency",
        base: [base!("#:f", "(defun f () 1)"), base!("#:f", "(defun f () (shop.extra:extra))")],
        others: &[(
            "a-extra.lisp",
            [None, Some("(defpackage :shop.extra (:use :cl) (:export #:extra))\n(defun shop.extra:extra () 2)\n")],
        )],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "broken_dependency",
        base: [base!("#:f", "(defun f () 1)"), base!("#:f", "(defun f () (2)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "failing_dependency",
        base: [base!("#:f", "(defun f () 1)"), base!("#:f", "(defun f () 2)", "(error \"no\")")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "missing_package",
        base: [
            base!("#:f", "(defun f () 1)"),
            Some(
                "(defpackage :shop.base (:use :cl :shop.nowhere) (:export #:f))\n(in-package :shop.base)\n(defun f () 1)\n",
            ),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "missing_system",
        base: [base!("#:f", "(defun f () 1)"), base!("#:f", "(defun f () 2)")],
        others: &[("extra.asd", [Some("(defsystem \"extra\")\n"), None])],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "circular_files",
        base: [
            base!("#:f", "(defun f () 1)"),
            base!(
                "#:f",
                "(defun f () 1)",
                "(defvar *v* (funcall (find-symbol \"USE-IT\" (find-package \"SHOP.USER\"))))"
            ),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "circular_names",
        base: [base!("#:f", "(defun f () 1)"), base!("#:f", "(defun f () 1)", "(defun g () (shop.user:use-it))")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "circular_functions",
        base: [base!("#:f", "(defun f () 1)"), base!("#:f", "(defun f () 1)", "(defvar *v* (later))")],
        others: &[("basement.lisp", [more!("(defun later () 1)"), more!("(defun later () 1)")])],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_import",
        base: [
            Some(
                "(defpackage :shop.base (:use :cl) (:import-from :shop.extra #:extra) (:export #:f))\n(in-package :shop.base)\n(defun f () (extra))\n",
            ),
            base!("#:f", "(defun f () (extra))"),
        ],
        others: &[(
            "a-extra.lisp",
            [
                Some("(defpackage :shop.extra (:use :cl) (:export #:extra))\n(defun shop.extra:extra () 1)\n"),
                Some("(defpackage :shop.extra (:use :cl) (:export #:extra))\n(defun shop.extra:extra () 1)\n"),
            ],
        )],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_use",
        base: [
            Some(
                "(defpackage :shop.base (:use :cl :shop.extra) (:export #:f))\n(in-package :shop.base)\n(defun f () (extra))\n",
            ),
            base!("#:f", "(defun f () (extra))"),
        ],
        others: &[(
            "a-extra.lisp",
            [
                Some("(defpackage :shop.extra (:use :cl) (:export #:extra))\n(defun shop.extra:extra () 1)\n"),
                Some("(defpackage :shop.extra (:use :cl) (:export #:extra))\n(defun shop.extra:extra () 1)\n"),
            ],
        )],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_nickname",
        base: [
            Some(
                "(defpackage :shop.base (:use :cl) (:nicknames :basis) (:export #:f))\n(in-package :shop.base)\n(defun f () 1)\n",
            ),
            base!("#:f", "(defun f () 1)"),
        ],
        uses: "(basis:f)",
        ..Story::NONE
    },
    Story {
        name: "removed_shadow",
        base: [
            Some(
                "(defpackage :shop.base (:use :cl) (:shadow #:car) (:export #:f))\n(in-package :shop.base)\n(defun car (x) (1- (cl:car x)))\n(defun f () (car '(2)))\n",
            ),
            base!("#:f", "(defun f () (car '(2)))"),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "import_of_own_name",
        base: [
            base!("#:f", "(defun extra () 1)", "(defun f () (extra))"),
            Some(
                "(defpackage :shop.base (:use :cl) (:import-from :shop.extra #:extra) (:export #:f))\n(in-package :shop.base)\n(defun f () (extra))\n",
            ),
        ],
        others: &[(
            "a-extra.lisp",
            [
                Some("(defpackage :shop.extra (:use :cl) (:export #:extra))\n(defun shop.extra:extra () 2)\n"),
                Some("(defpackage :shop.extra (:use :cl) (:export #:extra))\n(defun shop.extra:extra () 2)\n"),
            ],
        )],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "compiler_macro",
        base: [base!("#:f", "(defun f () 1)"), base!("#:f", "(defun f () 1)", "(define-compiler-macro f () 2)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_compiler_macro",
        base: [base!("#:f", "(defun f () 2)", "(define-compiler-macro f () 1)"), base!("#:f", "(defun f () 2)")],
        uses: "(f)",
        ..Story::NONE
    },
];

/// Those for ECL, whose quick compiler, which compiles the files of a project, knows no compiler macros.
pub(super) const WITHOUT_COMPILER_MACROS: &[Story] = STORIES.split_at(STORIES.len() - 2).0;
