//! Stories in Guile's modules.

use std::path::Path;
use std::process::Command;

use super::{Language, Story, Verdict, Verifies};

pub(crate) const LANGUAGE: Language = Language {
    runtime: "guile",
    tests: "tests.scm",
    single_files: &[],
    distances: 3,
    base: "shop/base.scm",
    around,
    fresh,
    verifies: Verifies::InTurn,
    keeps_its_image: true,
    stories: STORIES,
};

/// The head of a user of the base.
const HEAD: &str = "#:use-module (shop base)";

fn around(distance: usize, story: &Story) -> Vec<(String, String)> {
    let Story { uses, values: [old, new], .. } = story;
    // The module that the tests use, and the call in them.
    let (module, code) = match distance {
        0 => ("(shop user)", "(use-it)"),
        1 => ("(shop middle)", "(middle)"),
        _ => ("(shop top)", "(top)"),
    };
    let tests = format!(
        "(use-modules (srfi srfi-64) {module})\n(test-begin \"shop\")\n(test-equal \"old\" {old} {code})\n\
         (test-equal \"new\" {new} {code})\n(test-end \"shop\")\n"
    );
    let module = |name: &str, head: &str, body: &str| {
        (format!("shop/{name}.scm"), format!("(define-module (shop {name})\n  {head}\n  #:export ({body}\n"))
    };
    let uses = format!("use-it))\n(define (use-it) {uses})");
    vec![
        module("user", "HEAD", &uses),
        module("middle", "#:use-module (shop user)", "middle))\n(define (middle) (use-it))"),
        module("top", "#:use-module (shop middle)", "top))\n(define (top) (middle))"),
        ("tests.scm".to_owned(), tests),
    ]
    .into_iter()
    .map(|(path, text)| (path, text.replace("HEAD", story.heads.map_or(HEAD, |_| "HEAD"))))
    .collect()
}

fn fresh(root: &Path) -> Verdict {
    let output = Command::new("guile")
        .args(["--no-auto-compile", "-L", ".", "tests.scm"])
        .current_dir(root)
        .env("GUILE_WARN_DEPRECATED", "no")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let count = |what: &str| {
        let line = text.lines().find(|line| line.contains(what))?;
        line.split_whitespace().last()?.parse().ok()
    };
    let passed: Option<u32> = count("# of expected passes");
    let failed: Vec<String> = text.lines().filter_map(|line| Some(line.split_once(": FAIL ")?.1.to_owned())).collect();
    (passed.is_some() || !failed.is_empty()).then(|| (passed.unwrap_or(0), failed))
}

/// A module `(shop base)` that exports all that is used.
macro_rules! base {
    ($exports:literal, $body:literal) => {
        Some(concat!("(define-module (shop base)\n  #:export (", $exports, "))\n", $body, "\n"))
    };
}

const STORIES: &[Story] = &[
    Story {
        name: "changed_function",
        base: [base!("f", "(define (f) 1)"), base!("f", "(define (f) 2)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "changed_macro",
        base: [
            base!("twice", "(define-syntax-rule (twice x) (* 2 x))"),
            base!("twice", "(define-syntax-rule (twice x) (* 5 x))"),
        ],
        uses: "(twice 3)",
        values: ["6", "15"],
        ..Story::NONE
    },
    Story {
        name: "inline_procedure",
        base: [base!("f", "(define-inlinable (f x) (+ x 1))"), base!("f", "(define-inlinable (f x) (+ x 2))")],
        uses: "(f 0)",
        ..Story::NONE
    },
    Story {
        name: "record_field",
        base: [
            base!(
                "make-grain grain-kind",
                "(use-modules (srfi srfi-9))\n(define-record-type <grain> (make-grain kind) grain? (kind grain-kind))"
            ),
            base!(
                "make-grain grain-kind",
                "(use-modules (srfi srfi-9))\n\
                 (define-record-type <grain> (make-grain* colour kind) grain? (colour grain-colour) (kind grain-kind))\n\
                 (define (make-grain kind) (make-grain* 'brown (+ kind 1)))"
            ),
        ],
        uses: "(grain-kind (make-grain 1))",
        ..Story::NONE
    },
    Story {
        name: "constant",
        base: [base!("k", "(define k 1)"), base!("k", "(define k 2)")],
        uses: "(let ((x k)) x)",
        ..Story::NONE
    },
    Story {
        name: "renamed_export",
        base: [base!("f", "(define (f) 1)"), base!("g", "(define (g) 1)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_definition",
        base: [base!("f", "(define (helper) 1)\n(define (f) (helper))"), base!("f", "(define (f) (helper))")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_method",
        base: [
            base!(
                "area",
                "(use-modules (oop goops))\n(define-generic area)\n(define-method (area (x <number>)) 2)\n\
                 (define-method (area (x <integer>)) 1)"
            ),
            base!("area", "(use-modules (oop goops))\n(define-generic area)\n(define-method (area (x <number>)) 2)"),
        ],
        uses: "(area 7)",
        ..Story::NONE
    },
    Story {
        name: "changed_variable",
        base: [base!("v", "(define v (list 1))"), base!("v", "(define v (list 2))")],
        uses: "(car v)",
        ..Story::NONE
    },
    Story {
        name: "kept_variable",
        base: [base!("v", "(define-once v (list 1))"), base!("v", "(define-once v (list 2))")],
        uses: "(car v)",
        ..Story::NONE
    },
    Story {
        name: "changed_class",
        base: [
            base!(
                "make-b",
                "(use-modules (oop goops))\n(define-class <a> () (x #:init-value 1 #:getter the-x))\n\
                 (define-class <b> (<a>))\n(define (make-b) (the-x (make <b>)))"
            ),
            base!(
                "make-b",
                "(use-modules (oop goops))\n(define-class <a> () (x #:init-value 2 #:getter the-x))\n\
                 (define-class <b> (<a>))\n(define (make-b) (the-x (make <b>)))"
            ),
        ],
        uses: "(make-b)",
        ..Story::NONE
    },
    Story {
        name: "moved_definition",
        base: [base!("f", "(define (f) 1)"), None],
        others: &[("shop/other.scm", [None, Some("(define-module (shop other)\n  #:export (f))\n(define (f) 2)\n")])],
        heads: Some(["#:use-module (shop base)", "#:use-module (shop other)"]),
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "new_dependency",
        base: [base!("f", "(define (f) 1)"), base!("f", "(use-modules (shop extra))\n(define (f) (extra))")],
        others: &[(
            "shop/extra.scm",
            [None, Some("(define-module (shop extra)\n  #:export (extra))\n(define (extra) 2)\n")],
        )],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "broken_dependency",
        base: [base!("f", "(define (f) 1)"), base!("f", "(define (f) (2)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "missing_module",
        base: [base!("f", "(define (f) 1)"), base!("f", "(use-modules (shop gone))\n(define (f) 1)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "circular_modules",
        base: [
            base!("f", "(define (f) 1)"),
            base!("f", "(use-modules (shop user))\n(define (f) 1)\n(define v (use-it))"),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "added_export",
        base: [base!("", "(define (f) 1)"), base!("f", "(define (f) 1)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "half_loaded",
        base: [base!("f", "(use-modules (shop gone))\n(define (f) 1)"), base!("f", "(define (f) 2)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "included_part",
        base: [base!("f", "(include \"part.scm\")"), base!("f", "(include \"part.scm\")")],
        others: &[("shop/part.scm", [Some("(define (f) 1)\n"), Some("(define (f) 2)\n")])],
        uses: "(f)",
        ..Story::NONE
    },
];
