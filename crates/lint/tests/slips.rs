//! Names of Emacs Lisp that nobody defines: slips of names of other files, and lone words.

use std::path::Path;

use lispwright_index::Index;
use lispwright_lint::{lint, rules};
use lispwright_syntax::{Dialect, Language};

/// The messages of `undefined-name` in `shop.el` with this code, beside other files.
fn told(others: &[(&str, &str)], code: &str) -> Vec<String> {
    let root = tempfile::tempdir().expect("a directory");
    let text = format!(";;; shop.el --- Shop -*- lexical-binding: t -*-\n{code}\n");
    for (name, text) in others.iter().copied().chain([("shop.el", text.as_str())]) {
        std::fs::write(root.path().join(name), text).expect("a file");
    }
    let mut index = Index::default();
    index.refresh([root.path()], &|_: &Path, _: &str| Some(Language::from(Dialect::EmacsLisp)));
    let question = index.question(Dialect::EmacsLisp);
    let document = index.document(&root.path().join("shop.el")).expect("the file");
    let rule = rules::with_code("undefined-name").expect("the rule");
    lint(&question, document, &[rule]).into_iter().map(|one| one.message).collect()
}

const OTHERS: &[(&str, &str)] =
    &[("till.el", "(defun till-count-coins (till) till)\n(defvar till-opening-hours nil)\n(provide 'till)\n")];

#[test]
fn a_slip_of_a_name_of_another_file_is_told() {
    let near = |name: &str, known: &str| vec![format!("nobody defines `{name}`; near it: `{known}`")];
    assert_eq!(told(OTHERS, "(defun f (x) (till-cuont-coins x))"), near("till-cuont-coins", "till-count-coins"));
    assert_eq!(told(OTHERS, "(defun f (x) (till-count-cins x))"), near("till-count-cins", "till-count-coins"));
    assert_eq!(told(OTHERS, "(defun f () (list till-openng-hours))"), near("till-openng-hours", "till-opening-hours"));
    assert_eq!(
        told(OTHERS, "(defun f (x) (setq till-openng-hours x))"),
        near("till-openng-hours", "till-opening-hours")
    );
    assert_eq!(told(OTHERS, "(setq till-openng-hours 1)"), [""; 0]);
    // A variable is no function, and what differs by more may be from anywhere.
    for code in ["(defun f () (list till-cuont-coins))", "(defun f (x) (till-count-notes x))"] {
        assert_eq!(told(OTHERS, code), [""; 0], "{code}");
    }
}

#[test]
fn a_lone_word_is_that_of_no_library() {
    let told = |code: &str| told(OTHERS, code);
    assert_eq!(told("(defun f () (list prices))"), ["nobody defines `prices`"]);
    assert_eq!(told("(require 'till)\n(defun f (x) (nul x))"), ["nobody defines `nul`"]);
    assert_eq!(told("(defun f () (when (featurep 'elsewhere) (list prices)))"), ["nobody defines `prices`"]);
    // What a function gets that is loaded when it is called is code.
    assert_eq!(told("(defun f (x) (browse-url (concat (nul x))))"), ["nobody defines `nul`"]);
    assert_eq!(told("(defun f (x) (browse-somewhere (concat (nul x))))"), [""; 0]);
    for code in [
        "(require 'elsewhere)\n(defun f () (list prices))",
        "(defvar prices)\n(defun f () (list prices))",
        "(defun f () (when (boundp 'prices) (list prices)))",
        "(defun f () (when (fboundp 'mixed) (mixed)))",
        "(defun f (prices) (let ((x 1)) (list prices x features)))",
        // Libraries of Emacs define these.
        "(defun f () (untabify 1 2) (compile \"make\") (should (calc)))",
        "(require 'cl)\n(defun f (x) (flet ((g (y) y)) (incf x) (g x)))",
    ] {
        assert_eq!(told(code), [""; 0], "{code}");
    }
}

#[test]
fn a_file_of_emacs_calls_functions_of_c() {
    let code = |header: &str| format!("{header}\n(defun shop-open () 1)\n(defun shop-close () (shop--redraw-signs))");
    let part = ";; This file is part of GNU Emacs.";
    assert_eq!(told(OTHERS, &code("")), ["nobody defines `shop--redraw-signs`"]);
    assert_eq!(told(OTHERS, &code(part)), [""; 0]);
    let slip = format!("{part}\n(defun shop-open () 1)\n(defun shop-close () (shop-oepn))");
    assert_eq!(told(OTHERS, &slip), ["nobody defines `shop-oepn`; near it: `shop-open`"]);
}

#[test]
fn a_function_that_a_macro_around_binds_is_known() {
    let code = |binding: &str, used: &str| {
        format!(
            "(require 'cl-lib)\n(defun shop-own (x) x)\n(defmacro shop-with (&rest body) `(cl-flet ({binding}) (progn ,@body)))\n\
             (defun shop-run (xs) (shop-with (mapcar {used} xs)))\n(provide 'shop)"
        )
    };
    for used in ["#'expr", "(expr 1)"] {
        for binding in ["(expr (x) (shop-own x))", "(other (y) y) (expr #'shop-own)"] {
            assert_eq!(told(&[], &code(binding, used)), [""; 0], "{binding}");
        }
        assert_eq!(told(&[], &code("(other (x) x)", used)).len(), 1, "{used}");
    }
}
