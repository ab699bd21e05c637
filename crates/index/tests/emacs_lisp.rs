//! Uses of a name in files of Emacs Lisp: `path:line: kind in form`.
#![allow(clippy::unwrap_used)]

mod common;

use common::check;

const LEXICAL: &str = ";; -*- lexical-binding: t -*-\n";

#[test]
fn calls_and_names_of_functions_count_and_local_names_do_not() {
    let text = "(defun area (x) x)\n(defun f (y)\n  (area y)\n  (mapcar #'area y)\n  (mapcar 'area y)\n\
        (add-hook 'some-hook 'area)\n(thread-first y area)\n(area-other '(area)))\n\
        (defun g (area)\n  (cl-flet ((area (z) z)) (area area))\n  (cl-flet ((area #'identity)) (area area)))\n\
        (cl-defmethod h ((area list)) area)\n(when-let ((area (h 1))) area)\n(advice-add 'area :around #'g)\n\
        (declare-function area \"a\" (x))\n(defalias 'surface #'area)\n";
    let expected = "a.el:3: call in defun f\na.el:4: value in defun f\na.el:5: value in defun f\na.el:6: value in defun f\n\
        a.el:7: call in defun f\na.el:8: quoted in defun f\na.el:14: value in advice-add 'area\n\
        a.el:15: export in declare-function area\na.el:16: value in defalias surface";
    check(&[("a.el", text)], "area", expected);
}

#[test]
fn a_binding_of_a_variable_that_another_file_defines_is_dynamic() {
    let one = "(defvar depth 1)\n(defun free () depth)\n";
    let two = format!(
        "{LEXICAL}(defvar depth)\n(defun f ()\n  (let ((depth 2))\n    (setq depth 3)\n    depth))\n(defun g (depth) depth)\n"
    );
    let expected = "a.el:2: value in defun free\nb.el:2: export in defvar depth\nb.el:4: binding in defun f\n\
        b.el:5: assignment in defun f\nb.el:6: value in defun f";
    check(&[("a.el", one), ("b.el", &two)], "depth", expected);
    // In the file that declares it, nothing else hides it either.
    let declared = format!("{LEXICAL}(defvar shop-x)\n(defun f () (let ((shop-x 1)) shop-x))\n(provide 'shop)\n");
    let other = format!("{LEXICAL}(defun f () (let ((shop-x 1)) shop-x))\n");
    let expected = "a.el:2: export in defvar shop-x\na.el:3: binding in defun f\na.el:3: value in defun f";
    check(&[("a.el", &declared), ("b.el", &other)], "shop-x", expected);
    // A group is not a variable.
    let group = format!("{LEXICAL}(defgroup files nil \"Files.\")\n(defun f () (let ((files 1)) files))\n");
    check(&[("a.el", &group)], "files", "");
}

#[test]
fn patterns_bind_names_and_call_predicates() {
    let text = "(defun area (x) x)\n(defun f (y)\n  (pcase y\n    ((pred area) 1)\n    (`(a ,area) (list area))\n\
        ((and area (guard (area area))) area)\n    ('area 2)\n    ((app area 3) 4))\n  (pcase-let ((`(,area . ,_) y)) area)\n\
        (pcase-dolist (`(,k . ,area) y) (area k area)))\n";
    let expected = "a.el:4: call in defun f\na.el:6: call in defun f\na.el:7: quoted in defun f\na.el:8: call in defun f\n\
        a.el:10: call in defun f";
    check(&[("a.el", text)], "area", expected);
}

#[test]
fn a_structure_defines_the_names_in_its_options() {
    let text = "(cl-defstruct (box (:include thing) (:constructor box-create (&key w)) (:copier nil) (:conc-name bx-)) w)\n\
        (defun f (b) (bx-w (box-create :w (box-p b))))\n";
    check(&[("a.el", text)], "box-create", "a.el:2: call in defun f");
    check(&[("a.el", text)], "bx-w", "a.el:2: call in defun f");
    check(&[("a.el", text)], "box-p", "a.el:2: call in defun f");
}

#[test]
fn what_a_loop_gives_back_at_its_end_is_a_word_of_it() {
    let text = "(defun area (x) x)\n(defun f (xs) (cl-loop for x in xs collect x into all finally (return (area all))))\n\
                (defun g (xs) (cl-loop for x in xs do (cl-return (area x))))\n(defun return (x) x)\n";
    check(&[("a.el", text)], "area", "a.el:2: call in defun f\na.el:3: call in defun g");
    check(&[("a.el", text)], "return", "");
}
