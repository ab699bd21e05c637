//! What balances and is seldom meant: told of a text alone, and of a change.

#![allow(clippy::unwrap_used, missing_docs)]

use lispwright_edit::{Unexpected, unexpected, unexpected_since};
use lispwright_syntax::{Dialect, Tree, read};

use Dialect::{Clojure, CommonLisp, EmacsLisp, Racket, Scheme};

/// A kind and a line.
type Told = (&'static str, u32);

fn tree(text: &str, dialect: Dialect) -> Tree {
    let tree = read(text, dialect).learning(text);
    assert!(tree.is_balanced(), "{text}");
    tree
}

fn told(found: &[Unexpected]) -> Vec<Told> {
    found.iter().map(|one| (one.kind(), one.line())).collect()
}

/// What is told of `after` alone, and of the change from `before`.
#[track_caller]
fn check(dialect: Dialect, before: &str, after: &str, alone: &[Told], since: &[Told]) {
    let (old, new) = (tree(before, dialect), tree(after, dialect));
    assert_eq!(told(&unexpected(&new, after)), alone, "alone: {after}");
    assert_eq!(told(&unexpected_since((&old, before), (&new, after))), since, "since: {before}-> {after}");
    assert_eq!(unexpected_since((&new, after), (&new, after)), [], "nothing has changed: {after}");
}

/// The same is told in both ways, and of a new file.
#[track_caller]
fn check_both(dialect: Dialect, before: &str, after: &str, expected: &[Told]) {
    check(dialect, before, after, expected, expected);
}

#[track_caller]
fn silent(dialect: Dialect, before: &str, after: &str) {
    check_both(dialect, before, after, &[]);
}

#[test]
fn a_definition_swallowed_by_the_one_before() {
    let cases = [
        (
            CommonLisp,
            "(defun f (x)\n  (list x))\n\n(defun g (y)\n  y)\n",
            "(defun f (x)\n  (list x)\n\n(defun g (y)\n  y))\n",
        ),
        (
            EmacsLisp,
            "(defun f (x)\n  (list x))\n\n(defun g (y)\n  y)\n",
            "(defun f (x)\n  (list x)\n\n(defun g (y)\n  y))\n",
        ),
        (Clojure, "(defn f [x]\n  [x])\n\n(defn- g [y]\n  y)\n", "(defn f [x]\n  [x]\n\n(defn- g [y]\n  y))\n"),
        (
            Scheme,
            "(define (f x)\n  (list x))\n\n(define (g y)\n  y)\n",
            "(define (f x)\n  (list x)\n\n(define (g y)\n  y))\n",
        ),
        (
            Racket,
            "(define (f x)\n  (list x))\n\n(struct g (y\n  z))\n",
            "(define (f x)\n  (list x)\n\n(struct g (y\n  z)))\n",
        ),
    ];
    for (dialect, before, after) in cases {
        check_both(dialect, before, after, &[("swallowed", 4)]);
    }
    // Its lines were moved to where they are now.
    for (dialect, before, after) in [
        (
            CommonLisp,
            "(defun f (x)\n  (list x))\n\n(defmethod g ((y a))\n  y)\n",
            "(defun f (x)\n  (list x)\n\n  (defmethod g ((y a))\n    y))\n",
        ),
        (Clojure, "(defn f [x]\n  [x])\n\n(defn g [y]\n  y)\n", "(defn f [x]\n  [x]\n\n  (defn g [y]\n    y))\n"),
    ] {
        check_both(dialect, before, after, &[("swallowed", 4)]);
    }
    // Where functions are defined in others, too, only what was outside is told.
    let (outside, inside) =
        ("(define (f x)\n  (g x))\n\n(define (g y)\n  y)\n", "(define (f x)\n  (g x)\n\n  (define (g y)\n    y))\n");
    check(Scheme, outside, inside, &[], &[("swallowed", 4)]);
    silent(Scheme, "(define (f x)\n  x)\n", "(define (f x)\n  (define (g y)\n    y)\n  (g x))\n");
    // Ten at once.
    let all: String = (0..10).map(|n| format!("(defun f{n} (x)\n  x)\n\n")).collect();
    let lost = all.replacen("x)\n\n", "x\n\n", 1).trim_end().to_owned() + ")\n";
    let told: Vec<Told> = (1..10).map(|n| ("swallowed", n * 3 + 1)).collect();
    check_both(CommonLisp, &all, &lost, &told);
}

#[test]
fn definitions_may_be_inside_of_what_wraps_them() {
    let one = "(defun g (y)\n  y)\n";
    for (dialect, text) in [
        (CommonLisp, "(eval-when (:load-toplevel)\n(defun g (y)\n  y))\n"),
        (CommonLisp, "(let ((n 0))\n  (defun g (y)\n  y))\n"),
        (CommonLisp, "(defmacro define-it ()\n  `(progn\n(defun g (y)\n  y)))\n"),
        (CommonLisp, "(defparameter *forms* '(\n(defun g (y)\n  y)))\n"),
        (EmacsLisp, "(with-eval-after-load 'x\n  (defun g (y)\n  y))\n"),
        (EmacsLisp, "(defun f (x)\n  (defvar g)\n  x)\n"),
        (Clojure, "(comment\n(defn g [y]\n  y))\n"),
        (Scheme, "(library (a)\n(export g)\n(import (rnrs))\n(define (g y)\n  y))\n"),
        (Racket, "(module+ test\n(define (g y)\n  y))\n"),
    ] {
        silent(dialect, one, text);
    }
}

#[test]
fn a_header_lost_with_its_docstring_or_body_left() {
    let cases = [
        (
            CommonLisp,
            "(defun f (x)\n  x)\n\n(defun g (y)\n  \"Doc.\"\n  (list y))\n",
            "  \"Doc.\"\n  (list y)\n",
            "loose-docstring",
        ),
        (
            CommonLisp,
            "(defun f (x)\n  x)\n\n(defun g (y)\n  \"Doc.\"\n  (list y))\n",
            "\"Doc.\"\n(list y)\n",
            "loose-docstring",
        ),
        (
            EmacsLisp,
            "(defun f (x)\n  x)\n\n(defun g (y)\n  \"Doc.\"\n  (list y))\n",
            "\"Doc.\"\n  (defun g (y)\n    (list y))\n",
            "loose-docstring",
        ),
        (EmacsLisp, "(defun f (x)\n  x)\n\n(defun g (y)\n  (list y))\n", "  (list y)\n", "loose-tail"),
        (
            Clojure,
            "(defn f [x]\n  x)\n\n(defn g\n  \"Doc.\"\n  [y]\n  (+ y 1))\n",
            "\"Doc.\"\n[y]\n(+ y 1)\n",
            "loose-docstring",
        ),
        (Clojure, "(defn f [x]\n  x)\n\n(defn g [y]\n  (+ y 1))\n", "[y]\n(+ y 1)\n", "loose-list"),
        (
            Scheme,
            "(define (f x)\n  x)\n\n(define (g y)\n  \"Doc.\"\n  (list y))\n",
            "  \"Doc.\"\n  (list y)\n",
            "loose-docstring",
        ),
        (Racket, "(define (f x)\n  x)\n\n(define (g y)\n  (list y))\n", "  (list y)\n", "loose-tail"),
    ];
    for (dialect, before, left, kind) in cases {
        let kept = &before[..before.find("\n\n").unwrap() + 2];
        // One form in the place of another is told as such.
        let since = if kind == "loose-tail" { "undefined" } else { kind };
        check(dialect, before, &format!("{kept}{left}"), &[(kind, 4)], &[(since, 4)]);
    }
    let (before, after) = (
        "(defun f (x)\n  (let ((a 1)\n        (b 2))\n    (g a b)))\n(g 1)\n",
        "((a 1)\n (b 2))\n(defun g (a b)\n  a)\n",
    );
    check(CommonLisp, before, after, &[("loose-list", 1)], &[("undefined", 1)]);
}

#[test]
fn a_function_closed_early() {
    for (dialect, before, after, kind) in [
        (CommonLisp, "(defun f (x)\n  (g x)\n  (h x)\n  x)\n", "(defun f (x)\n  (g x))\n  (h x)\n  x\n", "loose-tail"),
        (EmacsLisp, "(defun f (x)\n  (g x)\n  (h x)\n  x)\n", "(defun f (x)\n  (g x))\n\n  (h x)\n", "loose-tail"),
        (Clojure, "(defn f [x]\n  (g x)\n  x)\n", "(defn f [x]\n  (g x))\n\n  x\n", "loose-atom"),
        (Scheme, "(define (f x)\n  (g x)\n  (h x))\n", "(define (f x)\n  (g x))\n\n  (h x)\n", "loose-tail"),
        (Racket, "(define (f x)\n  (g x)\n  (h x))\n", "(define (f x)\n  (g x))\n\n  (h x)\n", "loose-tail"),
    ] {
        let line = after.lines().position(|line| line.starts_with("  (h") || line == "  x").unwrap() as u32 + 1;
        check_both(dialect, before, after, &[(kind, line)]);
    }
    // A definition that is indented is told where the others are not.
    let (before, after) = ("(define (f x)\n  (g x))\n", "(define (f x)\n  (g x))\n\n  (define (h x)\n    x)\n");
    check(Scheme, before, after, &[], &[("loose-tail", 4)]);
}

#[test]
fn what_stands_alone_may_stand_at_top_level() {
    for (dialect, text) in [
        (CommonLisp, "\"What this file is for.\"\n\n(defun f (x)\n  x)\n"),
        (CommonLisp, "(defun f (x)\n  x)\n#+sbcl\n  (setf (g) 1)\n"),
        (CommonLisp, "((a 1)\n (b 2))\n"),
        (Clojure, "{:paths [\"src\"]}\n"),
        (Clojure, "(def x 1) #_(x)\n@x\n"),
        (Scheme, "(define (f x)\n  x)\n((f g) 1)\n"),
        (Racket, "#lang racket/base\n(define x 1)\n(f x) x\n"),
        (Dialect::Edn, "[1\n 2]\nx\n"),
    ] {
        silent(dialect, "", text);
    }
}

#[test]
fn half_a_definition() {
    for (dialect, before, after) in [
        (CommonLisp, "(defun f (x)\n  \"Doc.\"\n  (g x))\n", "(defun f (x)\n  \"Doc.\")\n"),
        (CommonLisp, "(defmethod f ((x a))\n  (g x))\n", "(defmethod f ((x a)))\n"),
        (EmacsLisp, "(defun f (x)\n  \"Doc.\"\n  (g x))\n", "(defun f (x)\n  \"Doc.\")\n"),
        (Clojure, "(defn f [x]\n  (g x))\n", "(defn f [x])\n"),
        (Scheme, "(define (f x)\n  (g x))\n", "(define (f x))\n"),
        (Racket, "(define (f x)\n  (g x))\n", "(define (f x))\n"),
    ] {
        check(dialect, before, after, &[], &[("emptied", 1)]);
    }
    silent(CommonLisp, "(defun f (x)\n  (g x))\n", "(defun f (x)\n  x)\n");
    silent(CommonLisp, "(defun f (x)\n  (g x))\n", "(defun f (x)\n  \"A value.\")\n");
    silent(Racket, "(define (f x)\n  (g x))\n", "(define f\n  (lambda (x) (g x)))\n");
    silent(Clojure, "(defn f [x])\n", "(defn f [y])\n");
    silent(Clojure, "(defn f [x]\n  (g x))\n", "(defn f\n  ([x] (f x 1))\n  ([x y] (g x)))\n");
}

#[test]
fn a_body_in_the_place_of_a_definition() {
    for (dialect, before, after) in [
        (CommonLisp, "(defun f (x)\n  (g x))\n", "(g x)\n"),
        (EmacsLisp, "(defun f (x)\n  (g x))\n", "(g x)\n"),
        (Clojure, "(defn f [x]\n  (g x))\n", "(g x)\n"),
        (Scheme, "(define (f x)\n  (g x))\n", "(g x)\n"),
        (Racket, "(define (f x)\n  (g x))\n", "(g x)\n"),
    ] {
        check(dialect, before, after, &[], &[("undefined", 1)]);
    }
}

#[test]
fn quotes_inside_a_string() {
    for (dialect, before, after) in [
        (CommonLisp, "(defun f (x)\n  x)\n", "(defun f (x)\n  \"Sum the \"prices\" of X.\"\n  x)\n"),
        (EmacsLisp, "(defun f (x)\n  x)\n", "(defun f (x)\n  \"Say \"good day\" to X.\"\n  x)\n"),
        (Clojure, "(defn f [x]\n  x)\n", "(defn f [x]\n  (str \"the \"old\" one\" x))\n"),
        (Scheme, "(define (f x)\n  x)\n", "(define (f x)\n  (show \"the \"old\" one\" x))\n"),
        (Racket, "(define (f x)\n  x)\n", "(define (f x)\n  (show \"the \"old\" one\" x))\n"),
    ] {
        check_both(dialect, before, after, &[("glued-quotes", 2)]);
    }
    silent(CommonLisp, "(f)\n", "(f \"a\" b \"c\" d)\n");
    silent(CommonLisp, "(f)\n", "(f \"a\\\"b\\\"c\")\n");
}

#[test]
fn a_second_definition() {
    for (dialect, first, second, says) in [
        (CommonLisp, "(defun f (x) x)\n", "(defun f (y) y)\n", "the later one"),
        (CommonLisp, "(defvar *x* 1)\n", "(defvar *x* 2)\n", "the earlier one"),
        (CommonLisp, "(defparameter *x* 1)\n", "(defparameter *x* 2)\n", "the later one"),
        (CommonLisp, "(defmethod f ((x a)) x)\n", "(defmethod f ((y a)) y)\n", "the later one"),
        (EmacsLisp, "(defcustom x 1 \"X.\")\n", "(defcustom x 2 \"X.\")\n", "the earlier one"),
        (EmacsLisp, "(define-minor-mode m \"M.\")\n", "(define-minor-mode m \"N.\")\n", "the later one"),
        (Clojure, "(defonce x 1)\n", "(defonce x 2)\n", "the earlier one"),
        (Clojure, "(def x 1)\n", "(def x 2)\n", "the later one"),
        (Clojure, "(defmethod f :a [x] x)\n", "(defmethod f :a [y] y)\n", "the later one"),
        (Scheme, "(define (f x) x)\n", "(define (f y) y)\n", "the later one"),
        (Racket, "(define (f x) x)\n", "(define (f y) y)\n", "only once"),
    ] {
        let both = format!("{first}\n{second}");
        check_both(dialect, first, &both, &[("defined-twice", 3)]);
        let told = unexpected(&tree(&both, dialect), &both);
        assert!(told[0].sentence().contains(says), "{}", told[0].sentence());
    }
    silent(CommonLisp, "(defmethod f ((x a)) x)\n", "(defmethod f ((x a)) x)\n(defmethod f ((x b)) x)\n");
    silent(CommonLisp, "(defun f (x) x)\n", "#+sbcl\n(defun f (x) x)\n#-sbcl\n(defun f (y) y)\n");
    let packages = ["(in-package :a)\n(defun f (x) x)\n", "(in-package :b)\n(defun f (x) x)\n"];
    silent(CommonLisp, packages[0], &packages.concat());
    let again = ["(defpackage :a)\n(in-package :a)\n(defun f (x) x)\n", "(defun f (y) y)\n"];
    check_both(CommonLisp, again[0], &again.concat(), &[("defined-twice", 4)]);
    silent(CommonLisp, "(defvar *x*)\n", "(defvar *x*)\n(defvar *x* 1)\n");
    silent(EmacsLisp, "(defvar x)\n", "(defvar x)\n(defvar x 1)\n");
    silent(EmacsLisp, "(it \"adds\" (f 1))\n", "(it \"adds\" (f 1))\n(it \"adds\" (f 2))\n");
    silent(Clojure, "(s/def ::a int?)\n", "(s/def ::a int?)\n(s/def ::b int?)\n");
}

/// A function of two lines in a dialect, with `{}` for its body.
const FUNCTIONS: [(Dialect, &str); 5] = [
    (CommonLisp, "(defun f (x)\n  {})\n"),
    (EmacsLisp, "(defun f (x)\n  {})\n"),
    (Clojure, "(defn f [x]\n  {})\n"),
    (Scheme, "(define (f x)\n  {})\n"),
    (Racket, "(define (f x)\n  {})\n"),
];

#[test]
fn words_in_the_place_of_code() {
    for mark in [
        ";; rest of the function unchanged\n",
        ";; existing code unchanged\n",
        ";; TODO: keep as is\n",
        ";; unchanged\n",
        ";; (rest of f unchanged)\n",
        ";; [existing implementation]\n",
        ";; Same as before.\n",
        ";; remaining code stays the same\n",
        ";; No changes here\n",
        ";; your code here\n",
        ";; implementation goes here\n",
        ";; rest of the code...\n",
        "#| existing code |#",
        "existing code unchanged",
        "rest of the code",
    ] {
        for (dialect, function) in FUNCTIONS {
            if mark.starts_with('#') && matches!(dialect, Clojure | EmacsLisp) {
                continue;
            }
            let [before, after] = ["(list x)\n  (g x)", mark].map(|body| function.replace("{}", body));
            let (old, new) = (tree(&before, dialect), tree(&after, dialect));
            let found = [unexpected(&new, &after), unexpected_since((&old, &before), (&new, &after))];
            for found in found {
                assert!(told(&found).contains(&("left-out", 2)), "{after}: {found:?}");
            }
        }
    }
}

#[test]
fn words_above_code_are_told_if_code_was_taken_away() {
    for (dialect, function) in FUNCTIONS {
        let marked = ";; rest of the function unchanged\n  (g x)";
        let [before, after, more] =
            ["(list x)\n  (list x x)\n  (g x)", marked, "(list x)\n  (g x)\n  (list x x)\n  ;; and so on\n  x"]
                .map(|body| function.replace("{}", body));
        check(dialect, &before, &after, &[], &[("left-out", 2)]);
        let shorter = function.replace("{}", "(g x)");
        silent(dialect, &shorter, &after);
        silent(dialect, &shorter, &more);
    }
}

#[test]
fn words_about_code_are_no_mark() {
    for comment in [
        ";; The rest of the list is unchanged by F.",
        ";; existing users keep their names",
        ";; Other functions of this file call it with the same argument, which may be NIL.",
        ";; leave it",
        ";; as is well known",
        ";; TODO",
        ";; no code here",
    ] {
        for (dialect, function) in FUNCTIONS {
            silent(dialect, &function.replace("{}", "(g x)\n  x"), &function.replace("{}", &format!("{comment}\n  x")));
        }
    }
    silent(CommonLisp, "(f)\n", "(f)\n\n;; Other functions\n\n(g)\n");
    silent(CommonLisp, "(f)\n", "(let ((x 1)\n      (rest body))\n  (f rest\n     body\n     rest body))\n");
    silent(
        Scheme,
        "(f)\n",
        "(define-syntax f\n  (syntax-rules ()\n    ((_ x\n        ... rest body)\n     (list x ... rest body))))\n",
    );
}

#[test]
fn neither_depth_nor_long_lines_matter() {
    let deep = format!("(defun f ()\n{}(defun g ()){})\n", "(".repeat(4_000), ")".repeat(4_000));
    let line = format!("(defun f () {})\n", "(defun g ()) (x) ".repeat(50_000));
    let many = "(defun f ())\n  (x)\n\n".repeat(20_000);
    for text in [deep, line, many] {
        let new = tree(&text, CommonLisp);
        let found =
            unexpected(&new, &text).len().max(unexpected_since((&tree("", CommonLisp), ""), (&new, &text)).len());
        assert!(found <= 300, "{found}");
    }
}
