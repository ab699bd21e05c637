//! Emacs Lisp.

use super::{Failure, Mill, Package, Phrases, Tests};

pub(crate) const EMACS: Phrases = Phrases {
    values: ("1 (list 'a \"b\\\"\" ?c)", &["(a \"b\\\"\" 99)"]),
    comments: "; nothing\n ;; at all",
    printing: "(princ \"out\") (princ \"err\" #'external-debugging-output) (princ \"put\") nil",
    define_here: "(setq here 42)",
    here: "here",
    change_here: "(setq here 43)",
    define_both: "(defun both (x) (list x x))",
    both_here: ("(both here)", "(42 42)"),
    package: Package {
        enter: "(setq stock 7)",
        name: "shop",
        stock: "stock",
        misspelled: "shpo",
        leave: "nil",
        usual: "emacs",
    },
    elements: ("(list 1 \"λ 𝄞\" 'k)", "(1 \"λ 𝄞\" k)"),
    long: "(make-list 10000 1)",
    read_time: "#.(+ 1 2)",
    input: ("(condition-case nil (read-string \"\") (end-of-file 'nothing))", "nothing"),
    warned: ("(defun odd () (no-such-function))", "no-such-function"),
    failure: Failure {
        code: "(defun inner (x)\n  (list (list x) (+ 1 (car x)) x))\n(defun outer (y) (list (inner y)))\n(outer 3)",
        type_name: "wrong-type-argument",
        message: "listp",
        frames: ["(inner 3)", "(outer 3)"],
        variable: "x",
    },
    endless: &["(while t)", "(sleep-for 1000)", "(let ((inhibit-quit t)) (while t))"],
    chatter: "(while t (princ \"all work and no play \"))",
    deep: "(defun down (n) (+ 1 (down (+ n 1)))) (down 0)",
    greedy: "(let ((x nil)) (while t (push (make-vector 1000000 0) x)))",
    exit: "(kill-emacs 3)",
    restart: ("(list (car 'x))", "USE-VALUE", "(5)"),
    mill: Mill {
        file: "mill.el",
        text: "(provide 'mill)\n\n\n\n(defun grind (x)\n  (list x (unknown)))\n\n(defun turn () (grind 1))\n",
        package: "mill",
        grind: "grind",
        broken: "(setq x 1)\n\n(error \"sand\")\n",
    },
    tests: Tests {
        definition: None,
        file: "tests.el",
        text: "(require 'ert)\n(ert-deftest fine () (should (= 3 (+ 1 2))))\n\n\
               (ert-deftest off () (should (= 4 (+ 1 2))))\n",
        system: None,
        line: 4,
        fine: "fine",
        none: "(setq nothing 1)\n",
    },
    expansion: ("(when a b)", "(if a "),
    object: ("(list 1 (vector 2 \"b\") 'c)", "[2 \"b\"]"),
};
