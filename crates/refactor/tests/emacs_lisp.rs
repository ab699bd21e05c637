//! Renames in Emacs Lisp.
#![allow(clippy::unwrap_used)]

mod common;

use common::{check, check_also, left, refused};
use lispwright_refactor::MentionKind;

#[test]
fn a_variable_that_only_bindings_give_a_value_is_of_the_file_whose_feature_it_is_called_after() {
    check(
        "== shop.el
;;; shop.el --- Shop  -*- lexical-binding: t; -*-
(defvar «shop-depth»)
(defun shop-inner () (* 2 «shop-depth»))
(defun shop-outer (n) (let ((«shop-depth» n)) (shop-inner)))
(provide 'shop)
== shop-ui.el
;;; shop-ui.el --- Shop  -*- lexical-binding: t; -*-
(defvar «shop-depth»)
(defun shop-ui-f () (let ((«shop-depth» 2)) (shop-inner)))
(defun shop-ui-g (shop-depth) (lambda () shop-depth))
(provide 'shop-ui)
== other.el
;;; other.el --- Other  -*- lexical-binding: t; -*-
(defun other-f () (let ((shop-depth 2)) (list shop-depth)))
(provide 'other)
",
        "shop-depth",
        "shop-level",
    );
    // One of a library.
    let library = "== shop.el
;;; shop.el --- Shop  -*- lexical-binding: t; -*-
(defvar evil-state)
(defun shop-f () (let ((evil-state 2)) evil-state))
(provide 'shop)
";
    refused(library, "evil-state", "shop-state", "not defined; nearest ");
}

#[test]
fn functions_and_variables_change() {
    check(
        "== shop.el
;;; shop.el --- Shop  -*- lexical-binding: t; -*-
(require 'shop-total)
;;;###autoload (autoload '«shop-total» \"shop\" nil t)
(defun «shop-total» (items)
  \"The total.\"
  (interactive)
  (apply #'+ items))
(defun shop-f (shop-total) (funcall shop-total) («shop-total» shop-total) '«shop-total»)
(cl-defun shop-g (&key shop-total) (cl-flet ((shop-total (x) («shop-total» x))) (shop-total 1) #'shop-total))
(add-hook 'after-init-hook '«shop-total»)
(define-key map (kbd \"x\") #'«shop-total»)
(advice-add '«shop-total» :around #'shop-f)
(defalias 'shop-sum '«shop-total»)
(declare-function «shop-total» \"shop\")
(defmacro shop-m (x) `(«shop-total» ,x))
(let ((shop-total 1)) (mapcar '«shop-total» (list shop-total)))
(thread-first 1 («shop-total»))
(provide 'shop-total)
== other.el
(autoload '«shop-total» \"shop\")
(eval-after-load 'shop-total '(«shop-total» nil))
(with-eval-after-load 'shop-total («shop-total» nil))
(defgroup shop-total nil \"Doc.\" :group 'shop-total)
",
        "shop-total",
        "shop-sum-up",
    );
    check(
        "== a.el
;;; a.el ---  -*- lexical-binding: t; -*-
(defvar «a-depth» 0)
(defun a-f (a-depth) a-depth)
(defun a-g () (let ((«a-depth» 1)) (setq «a-depth» (1+ «a-depth»)) (a-f «a-depth»)))
(defun a-i () (let ((«a-depth» 1)) (when «a-depth» (while (< «a-depth» 2) (unless «a-depth» (if «a-depth» 1 2))))))
(defun a-h () (dolist (x «a-depth») (add-to-list '«a-depth» x)))
(setq-default «a-depth» 1)
(make-variable-buffer-local '«a-depth»)
== b.el
(defvar «a-depth»)
(defun b () (let ((«a-depth» 1)) (boundp '«a-depth»)))
",
        "a-depth",
        "a-level",
    );
}

#[test]
fn structures_and_modes_derive_names() {
    let project = "== a.el
(cl-defstruct cow name (legs 4))
(defun f (c) (setf (cow-legs c) 1) (list (make-cow :name 1) (cow-p c) (copy-cow c) (cl-typep c 'cow)))
(pcase x ((cl-struct cow name) name))
(cl-defmethod g ((c cow)) (cow-name c))
(defun h (cow) (cow-name cow))
";
    let expected = project
        .replace("cl-defstruct cow", "cl-defstruct goat")
        .replace("cow-", "goat-")
        .replace("-cow", "-goat")
        .replace("'cow", "'goat")
        .replace("cl-struct cow", "cl-struct goat")
        .replace("(c cow)", "(c goat)");
    let (_, found) = common::renamed(project, "cow", "goat", &[]);
    assert_eq!(found, expected);
    let project = "== a.el
(defvar herd-mode-map (make-sparse-keymap))
(define-derived-mode herd-mode fundamental-mode \"Farm\" (setq x herd-mode-map))
(add-hook 'herd-mode-hook #'herd-mode-setup)
(defun herd-mode-setup () (derived-mode-p 'herd-mode))
(add-to-list 'auto-mode-alist '(\"\\\\.farm\" . herd-mode))
";
    let expected = project.replace("herd-mode", "ranch-mode").replace("ranch-mode-setup", "herd-mode-setup");
    let (_, found) = common::renamed(project, "herd-mode", "ranch-mode", &[]);
    assert_eq!(found, expected);
}

#[test]
fn collisions_are_refused() {
    let project = "== a.el
;;; a.el ---  -*- lexical-binding: t; -*-
(defun total (x) x)
(defun f (x) (cl-flet ((sum (y) y)) (sum (total x))))
(defvar depth 1)
(defun g (x) (let ((level 1)) (+ level depth)))
(defun h (x) (mine x))
";
    refused(project, "total", "sum", "sum captured a.el:3:43");
    refused(project, "total", "f", "f collides a.el:3:1: /f");
    refused(project, "total", "mine", "mine collides a.el:6:15: /mine");
    let (_, found) = common::renamed(project, "depth", "level", &[]);
    assert!(found.starts_with("level collides") || found.starts_with("level captured"), "{found}");
}

#[test]
fn mentions_are_left_or_changed_on_request() {
    let project = "== a.el
;; `total' is here.
(defun total (x) \"See `total'.\" (message \"total: %s\" x))
";
    left(project, "total", "sum", &["a.el:1 comments", "a.el:2 docstrings", "a.el:2 strings"]);
    check_also(
        "== a.el
;; `«total»' is here.
(defun «total» (x) \"See `«total»'.\" (message \"total: %s\" x))
",
        "total",
        "sum",
        &[MentionKind::Comment, MentionKind::Docstring],
    );
}

#[test]
fn what_a_function_changes_is_guessed_from_its_name() {
    check(
        "== a.el
(defmacro «box-set!» (table key) `(puthash ,key 1 ,table))
(defun f (table) (let ((h table)) («box-set!» h 1)))
",
        "box-set!",
        "box-put",
    );
}

#[test]
fn every_definer_of_the_language_defines() {
    let definitions = [
        "(defvar-keymap «shop-x» :doc \"Keys.\" \"x\" #'ignore)",
        "(easy-mmode-defmap «shop-x» '((\"a\" . ignore)) \"Keys.\")",
        "(easy-menu-define «shop-x» nil \"Menu.\" '(\"Shop\"))",
        "(define-fringe-bitmap '«shop-x» [0 1])",
        "(define-skeleton «shop-x» \"A skeleton.\" nil \"x\")",
        "(define-widget '«shop-x» 'lazy \"A widget.\")",
        "(define-abbrev-table '«shop-x» '())",
        "(transient-define-prefix «shop-x» () \"A menu.\" [(\"a\" \"b\" ignore)])",
    ];
    for definition in definitions {
        check(&format!("== a.el\n{definition}\n(defun shop-f () (list «shop-x» '«shop-x»))\n"), "shop-x", "shop-y");
    }
    // It makes and uses more names from this one.
    refused(
        "== a.el\n(define-compilation-mode shop-x \"Shop\")\n",
        "shop-x",
        "shop-y",
        "unknown definer define-compilation-mode a.el:1:1",
    );
}

#[test]
fn a_name_of_the_language_that_is_defined_where_it_lacks_is_not_renamed() {
    let project = "== a.el
(unless (fboundp 'string-join)
  (defun string-join (l &optional s) (apply #'concat l)))
(defun f (x) (string-join x))
(when t (defun g (x) x))
(g 1)
";
    refused(project, "string-join", "joined", "cannot tell a.el:3:15: condition");
    check(&project.replace("(defun g", "(defun «g»").replace("(g 1)", "(«g» 1)"), "g", "h");
}

#[test]
fn a_generic_function_that_methods_alone_make_changes() {
    let project = |name: &str| {
        format!("== shop.el\n(cl-defmethod «{name}» ((r list)) r)\n(defun shop-f (r) («{name}» r))\n(provide 'shop)\n")
    };
    check(&project("shop-size"), "shop-size", "shop-length");
    let other = project("till-size").replace(['«', '»'], "");
    refused(&other, "till-size", "till-length", "of a library shop.el:1:1");
}
