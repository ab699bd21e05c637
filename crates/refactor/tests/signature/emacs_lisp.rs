//! Emacs Lisp.

use super::{changed, check};

#[track_caller]
fn el(before: &str, request: &str, after: &str) {
    check("a.el", before, request, after);
}

#[test]
fn functions_change_with_their_calls() {
    el(
        ";;; -*- lexical-binding: t -*-
(defun pay (account amount &optional note)
  \"Pay AMOUNT from ACCOUNT with NOTE.\"
  (list account amount note))
(defun f (x)
  (pay x 1)
  (funcall #'pay x 2 \"n\")
  (apply #'pay x 3 nil)
  (thread-first x (pay 4))
  (mapc (apply-partially #'pay x) x)
  (run-with-timer 1 nil #'pay x 5))
",
        "pay (amount account &optional remark) ; note > remark",
        ";;; -*- lexical-binding: t -*-
(defun pay (amount account &optional remark)
  \"Pay AMOUNT from ACCOUNT with REMARK.\"
  (list account amount remark))
(defun f (x)
  (pay 1 x)
  (funcall #'pay 2 x \"n\")
  (apply #'pay 3 x nil)
  (thread-first x (pay 4))
  (mapc (apply-partially #'pay x) x)
  (run-with-timer 1 nil #'pay x 5))
-- 1 definitions, 0 methods, 3 calls
open 9: threaded
open 10: tail
open 11: value
",
    );
}

#[test]
fn commands_are_looked_at() {
    el(
        ";;; -*- lexical-binding: t -*-
(defun pay (account)
  \"Pay from ACCOUNT.\"
  (interactive \"sAccount: \")
  account)
(global-set-key (kbd \"C-c p\") #'pay)
(pay \"a\")
",
        "pay (account amount) ; amount = 1",
        ";;; -*- lexical-binding: t -*-
(defun pay (account amount)
  \"Pay from ACCOUNT.\"
  (interactive \"sAccount: \")
  account)
(global-set-key (kbd \"C-c p\") #'pay)
(pay \"a\" 1)
-- 1 definitions, 0 methods, 1 calls
look at 4: interactive
",
    );
}

#[test]
fn generic_functions_change_with_their_methods() {
    el(
        ";;; -*- lexical-binding: t -*-
(cl-defgeneric area (shape scale) \"Of SHAPE.\")
(cl-defmethod area ((shape list) scale) (* scale (length shape)))
(cl-defmethod area :around ((s string) factor) (cl-call-next-method s factor))
(cl-defun f (x &key loud) (area x 2))
(f 1 :loud t)
",
        "area (scale shape)",
        ";;; -*- lexical-binding: t -*-
(cl-defgeneric area (scale shape) \"Of SHAPE.\")
(cl-defmethod area (scale (shape list)) (* scale (length shape)))
(cl-defmethod area :around (factor (s string)) (cl-call-next-method factor s))
(cl-defun f (x &key loud) (area 2 x))
(f 1 :loud t)
-- 1 definitions, 2 methods, 2 calls
",
    );
    el(
        ";;; -*- lexical-binding: t -*-\n(cl-defun f (x &key loud) (list x loud))\n(f 1 :loud t)\n(f 2)\n",
        "f (x &key quiet) ; loud > quiet",
        ";;; -*- lexical-binding: t -*-\n(cl-defun f (x &key quiet) (list x quiet))\n(f 1 :quiet t)\n(f 2)\n\
         -- 1 definitions, 0 methods, 1 calls\n",
    );
}

#[test]
fn other_names_of_a_function_follow() {
    el(
        ";;; -*- lexical-binding: t -*-
(defun pay (account amount) (list account amount))
(defalias 'pay-out #'pay \"Pay.\")
(define-obsolete-function-alias 'old-pay 'pay-out \"1\")
(list (pay 1 2) (pay-out 3 4) (old-pay 5 6))
",
        "pay (amount account)",
        ";;; -*- lexical-binding: t -*-
(defun pay (amount account) (list account amount))
(defalias 'pay-out #'pay \"Pay.\")
(define-obsolete-function-alias 'old-pay 'pay-out \"1\")
(list (pay 2 1) (pay-out 4 3) (old-pay 6 5))
-- 1 definitions, 0 methods, 3 calls
",
    );
}

#[test]
fn forms_about_a_function_are_looked_at() {
    let before = ";;; -*- lexical-binding: t -*-
(defmacro defexamples (name &rest all) `(ert-deftest ,name () ,@all))
(defun pay (account amount) (list account amount))
(defexamples pay (pay 1 2) => '(1 2))
";
    el(
        before,
        "pay (amount account)",
        ";;; -*- lexical-binding: t -*-
(defmacro defexamples (name &rest all) `(ert-deftest ,name () ,@all))
(defun pay (amount account) (list account amount))
(defexamples pay (pay 2 1) => '(1 2))
-- 1 definitions, 0 methods, 1 calls
",
    );
    let after = before.replace("account", "who");
    el(before, "pay ; account > who", &format!("{after}-- 1 definitions, 0 methods, 0 calls\n"));
}

#[test]
fn variables_have_names_of_their_own() {
    el(
        ";;; -*- lexical-binding: t -*-
(defvar pay nil)
(defun pay (account amount) (list account amount pay))
(let ((pay 1)) (setq pay 2) (list pay (pay 1 2) #'pay))
",
        "pay (amount account)",
        ";;; -*- lexical-binding: t -*-
(defvar pay nil)
(defun pay (amount account) (list account amount pay))
(let ((pay 1)) (setq pay 2) (list pay (pay 2 1) #'pay))
-- 1 definitions, 0 methods, 1 calls
open 4: value
",
    );
}

#[test]
fn threading_forms_of_dash_pass_an_argument() {
    el(
        ";;; -*- lexical-binding: t -*-
(defun pay (account amount) (list account amount))
(defun f (x)
  (-> x (pay 1))
  (->> x (pay 2))
  (--> x (pay it 3)))
",
        "pay (account note amount) ; note = nil",
        ";;; -*- lexical-binding: t -*-
(defun pay (account note amount) (list account amount))
(defun f (x)
  (-> x (pay nil 1))
  (->> x (pay 2 nil))
  (--> x (pay it nil 3)))
-- 1 definitions, 0 methods, 3 calls
",
    );
}

#[test]
fn calls_that_may_mean_a_name_of_the_language_are_refused() {
    let text = "(unless (fboundp 'string-join)\n  (defun string-join (l &optional s) (list l s)))\n(defun f (x) (string-join x 1))\n";
    let told = changed(&format!("== a.el\n{text}"), "string-join (s &optional l)");
    assert!(told.contains("UnderCondition") && told.contains("line: 3,"), "{told}");
}
