//! A name of one sort is none of another: a function of the name is no variable, and a variable no class.

mod common;

use common::found;
use lispwright_lint::rules;
use lispwright_syntax::Dialect;

const SHOP: &str = "(defpackage :shop (:use :cl))\n(in-package :shop)\n\
    (defclass item () ((price :initarg :price :accessor price) (label :reader label :writer change-label)))\n\
    (defstruct (till (:constructor open-till (owner &optional coins)) (:conc-name my-)) owner coins)\n\
    (defvar *rate* 2)\n";

/// What is told of this code of a shop.
#[track_caller]
fn check(code: &str, expected: &[&str]) {
    let told: Vec<String> = found(Dialect::CommonLisp, &format!("{SHOP}{code}\n"), &rules::defaults())
        .into_iter()
        .map(|one| one.message)
        .collect();
    assert_eq!(told, expected, "{code}");
}

#[test]
fn a_function_is_no_variable() {
    check("(defun f (x) (list price x))", &["nobody defines the variable `price`"]);
    check("(defun f (x) (with-slots (price) x (setf price 1)))", &[]);
    check("(defun f (x) (with-slots (prize) x prize (setf price 1)))", &["nobody defines the variable `price`"]);
    check("(defun f (strem) (read stream))", &["nobody defines `stream`; near it: `strem`"]);
    check("(defun f () (list pi *rate* *print-base* most-positive-fixnum))", &[]);
    check("(defun f () (list *rtae*))", &["nobody defines `*rtae*`; near it: `*rate*`"]);
}

#[test]
fn the_functions_of_a_class_take_an_object() {
    check("(defun f (x) (price x 1))", &["`price` takes 1 argument (object), and gets 2"]);
    check(
        "(defun f (x) (list (label x) (change-label x)))",
        &["`change-label` takes 2 arguments (value object), and gets 1"],
    );
    check("(defun f (x) (setf (price x) 1) (incf (price x)))", &[]);
    check("(defun f () (open-till))", &["`open-till` takes 1 or 2 arguments (owner &optional coins), and gets none"]);
    check("(defun f (x) (list (open-till 1) (my-owner x) (till-p x) (copy-till x)))", &[]);
    check("(defun f (x) (my-coins x 1))", &["`my-coins` takes 1 argument (till), and gets 2"]);
    // A list that a macro takes may have the name in it.
    check(
        "(defmacro with-names ((&rest names) &body body) `(let ,names ,@body))\n(defun f () (with-names (price) 1))",
        &[],
    );
}

#[test]
fn a_place_has_a_function() {
    check("(defun f (x) (setf (prize x) 1))", &["nobody defines `prize`; near it: `price`"]);
    check("(defun f (x) (pushnew 1 (my-coisn x)))", &["nobody defines `my-coisn`; near it: `my-coins`"]);
    check("(defun (setf rebate) (to x) (list to x))\n(defun f (x) (setf (rebate x) 1 (car x) 2))", &[]);
}

#[test]
fn a_method_is_for_a_class() {
    check("(defmethod show ((x itm)) x)", &["nobody defines the class `itm`; near it: `item`"]);
    check("(defmethod show ((x price)) x)", &["nobody defines the class `price`"]);
    check("(defmethod show ((x item) (y till) (z integer) (w (eql 1))) (list x y z w))", &[]);
}

#[test]
fn code_of_a_condition_is_code() {
    let with = |name: &str| {
        format!(
            "(define-condition oops (error) () (:report (lambda (condition stream) (format stream \"~a\" {name}))))"
        )
    };
    check(&with("conditin"), &["nobody defines `conditin`; near it: `condition`"]);
    check(&with("condition"), &[]);
    check("(defun report (c s) (print c s))\n(define-condition oops (error) () (:report report))", &[]);
    check("(defun f (x) (error \"~a\" (price x 1)))", &["`price` takes 1 argument (object), and gets 2"]);
}

#[test]
fn a_parameter_that_another_name_stands_for_is_misspelt() {
    let told = "nothing uses the parameter `statr`; `start` is used, and is no parameter";
    check("(defun f (start) (labels ((g (statr) (list start))) (g start)))", &[told]);
    check("(defun f (start) (labels ((g (statr) (declare (ignore statr)) (list start))) (g start)))", &[]);
    check("(defun f (start statr) (list start))", &[]);
}

#[test]
fn a_value_has_its_keyword() {
    check(
        "(defun f (x) (make-array x 'fixnum :initial-element 0))",
        &["`make-array` gets a value without its keyword"],
    );
    check("(defun f (x &rest rest) (list (apply #'make-array x rest) (make-array x :element-type 'fixnum)))", &[]);
}
