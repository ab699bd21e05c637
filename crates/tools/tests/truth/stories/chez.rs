//! Stories in libraries of Chez Scheme.

use std::path::Path;
use std::process::Command;

use super::{Language, Story, Verdict, Verifies};

pub(crate) const LANGUAGE: Language = Language {
    runtime: "chez",
    tests: "tests.ss",
    single_files: &[],
    distances: 3,
    base: "shop/base.sls",
    around,
    fresh,
    verifies: Verifies::InTurn,
    keeps_its_image: true,
    stories: STORIES,
};

/// As much of SRFI 64 as the stories need.
pub(crate) const SRFI_64: &str = include_str!("srfi-64.sls");

fn around(distance: usize, story: &Story) -> Vec<(String, String)> {
    let Story { uses, values: [old, new], .. } = story;
    // The library that the tests use, and the call in them.
    let (library, code) = match distance {
        0 => ("user", "(use-it)"),
        1 => ("middle", "(middle)"),
        _ => ("top", "(top)"),
    };
    let tests = format!(
        "(import (chezscheme) (srfi srfi-64) (shop {library}))\n(test-begin \"shop\")\n\
         (test-equal \"old\" {old} {code})\n(test-equal \"new\" {new} {code})\n(test-end \"shop\")\n"
    );
    let library = |name: &str, imports: &str, exports: &str, body: &str| {
        let text = format!(
            "(library (shop {name})\n  (export {exports})\n  (import (chezscheme) {imports})\n  \
             (define ({exports}) {body}))\n"
        );
        (format!("shop/{name}.sls"), text)
    };
    let head = if story.heads.is_some() { "HEAD" } else { "(shop base)" };
    vec![
        ("srfi/srfi-64.sls".to_owned(), SRFI_64.to_owned()),
        library("user", head, "use-it", uses),
        library("middle", "(shop user)", "middle", "(use-it)"),
        library("top", "(shop middle)", "top", "(middle)"),
        ("tests.ss".to_owned(), tests),
    ]
}

fn fresh(root: &Path) -> Verdict {
    let output =
        Command::new("scheme").args(["--libdirs", ".", "--script", "tests.ss"]).current_dir(root).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let named = |what: &str| -> Vec<String> {
        text.lines().filter_map(|line| Some(line.strip_prefix(what)?.to_owned())).collect()
    };
    let (passed, failed) = (named("pass: "), named("fail: "));
    output.status.success().then(|| (u32::try_from(passed.len()).unwrap_or(0), failed))
}

/// A library that exports all that is used.
macro_rules! library {
    ($name:literal, $exports:literal, $imports:literal, $body:literal) => {
        Some(concat!(
            "(library (shop ",
            $name,
            ")\n  (export ",
            $exports,
            ")\n  (import (chezscheme) ",
            $imports,
            ")\n  ",
            $body,
            ")\n"
        ))
    };
}

/// The library `(shop base)`.
macro_rules! base {
    ($exports:literal, $body:literal) => {
        library!("base", $exports, "", $body)
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
            base!("twice", "(define-syntax twice (syntax-rules () [(_ x) (* 2 x)]))"),
            base!("twice", "(define-syntax twice (syntax-rules () [(_ x) (* 5 x)]))"),
        ],
        uses: "(twice 3)",
        values: ["6", "15"],
        ..Story::NONE
    },
    Story {
        name: "helper_of_a_macro",
        base: [
            library!(
                "base",
                "here",
                "(shop helper)",
                "(define-syntax here (lambda (form) (datum->syntax #'here (help))))"
            ),
            library!(
                "base",
                "here",
                "(shop helper)",
                "(define-syntax here (lambda (form) (datum->syntax #'here (help))))"
            ),
        ],
        others: &[(
            "shop/helper.sls",
            [library!("helper", "help", "", "(define (help) 1)"), library!("helper", "help", "", "(define (help) 2)")],
        )],
        uses: "here",
        ..Story::NONE
    },
    Story {
        name: "inline_constant",
        base: [
            base!("k", "(define-syntax k (identifier-syntax 1))"),
            base!("k", "(define-syntax k (identifier-syntax 2))"),
        ],
        uses: "k",
        ..Story::NONE
    },
    Story {
        name: "record_field",
        base: [
            base!("make-grain grain-kind", "(define-record-type grain (fields kind))"),
            base!(
                "make-grain grain-kind",
                "(define-record-type grain (fields colour kind) \
                 (protocol (lambda (new) (lambda (kind) (new 'brown (+ kind 1))))))"
            ),
        ],
        uses: "(grain-kind (make-grain 1))",
        ..Story::NONE
    },
    Story {
        name: "constant",
        base: [base!("k", "(define k 1)"), base!("k", "(define k 2)")],
        uses: "(let ([x k]) x)",
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
        base: [base!("f", "(define (helper) 1) (define (f) (helper))"), base!("f", "(define (f) (helper))")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "changed_variable",
        base: [base!("v", "(define v (list 1))"), base!("v", "(define v (list 2))")],
        uses: "(car v)",
        ..Story::NONE
    },
    Story {
        name: "kept_value",
        base: [base!("f", "(define (f) 1)"), base!("f", "(define (f) 2)")],
        uses: "kept) (define kept (f)",
        ..Story::NONE
    },
    Story {
        name: "changed_parent",
        base: [
            base!("a a-x make-a", "(define-record-type a (fields x))"),
            base!("a a-x make-a", "(define-record-type a (fields y x))"),
        ],
        others: &[(
            "shop/child.sls",
            [
                library!(
                    "child",
                    "the-x",
                    "(shop base)",
                    "(define-record-type b (parent a)) (define (the-x) (a-x (make-b 1)))"
                ),
                library!(
                    "child",
                    "the-x",
                    "(shop base)",
                    "(define-record-type b (parent a)) (define (the-x) (a-x (make-b 1 2)))"
                ),
            ],
        )],
        heads: Some(["(shop child)", "(shop child)"]),
        uses: "(the-x)",
        ..Story::NONE
    },
    Story {
        name: "moved_definition",
        base: [base!("f", "(define (f) 1)"), None],
        others: &[("shop/other.sls", [None, library!("other", "f", "", "(define (f) 2)")])],
        heads: Some(["(shop base)", "(shop other)"]),
        uses: "(f)",
        ..Story::NONE
    },
    Story { name: "missing_file", base: [base!("f", "(define (f) 1)"), None], uses: "(f)", ..Story::NONE },
    Story {
        name: "new_dependency",
        base: [base!("f", "(define (f) 1)"), library!("base", "f", "(shop extra)", "(define (f) (extra))")],
        others: &[("shop/extra.sls", [None, library!("extra", "extra", "", "(define (extra) 2)")])],
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
        name: "failing_dependency",
        base: [base!("f", "(define (f) 1)"), base!("f", "(define (f) 2) (define v (car (list)))")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "missing_library",
        base: [base!("f", "(define (f) 1)"), library!("base", "f", "(shop gone)", "(define (f) 1)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "circular_libraries",
        base: [
            base!("f", "(define (f) 1)"),
            library!("base", "f", "(shop user)", "(define (f) 1) (define v (use-it))"),
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
        name: "included_file",
        base: [base!("f", "(include \"shop/part.scm\")"), base!("f", "(include \"shop/part.scm\")")],
        others: &[("shop/part.scm", [Some("(define (f) 1)\n"), Some("(define (f) 2)\n")])],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "loaded_by_itself",
        base: [
            base!("rate", "(define-syntax rate (syntax-rules () [(_) 1]))"),
            base!("rate", "(define-syntax rate (syntax-rules () [(_) 2]))"),
        ],
        uses: "(rate)",
        loads: &["shop/base.sls"],
        ..Story::NONE
    },
    Story {
        name: "half_loaded",
        base: [library!("base", "f", "(shop gone)", "(define (f) 1)"), base!("f", "(define (f) 2)")],
        uses: "(f)",
        ..Story::NONE
    },
];
