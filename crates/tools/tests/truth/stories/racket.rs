//! Stories in Racket's modules.

use std::path::Path;
use std::process::Command;

use super::{Language, Story, Verdict, Verifies};

pub(crate) const LANGUAGE: Language = Language {
    runtime: "racket",
    tests: "tests.rkt",
    single_files: &[],
    distances: 3,
    base: "shop/base.rkt",
    around,
    fresh,
    verifies: Verifies::InTurn,
    keeps_its_image: true,
    stories: STORIES,
};

fn around(distance: usize, story: &Story) -> Vec<(String, String)> {
    let Story { uses, values: [old, new], .. } = story;
    // The module that the tests use, and the call in them.
    let (module, code) = match distance {
        0 => ("user", "(use-it)"),
        1 => ("middle", "(middle)"),
        _ => ("top", "(top)"),
    };
    let tests = format!(
        "#lang racket/base\n(module+ test\n  (require rackunit \"shop/{module}.rkt\")\n  \
         (test-case \"old\" (check-equal? {code} {old}))\n  (test-case \"new\" (check-equal? {code} {new})))\n"
    );
    let module = |name: &str, requires: &str, provides: &str, body: &str| {
        let text =
            format!("#lang racket/base\n(require {requires})\n(provide {provides})\n(define ({provides}) {body})\n");
        (format!("shop/{name}.rkt"), text)
    };
    let head = if story.heads.is_some() { "HEAD" } else { "\"base.rkt\"" };
    vec![
        module("user", head, "use-it", uses),
        module("middle", "\"user.rkt\"", "middle", "(use-it)"),
        module("top", "\"middle.rkt\"", "top", "(middle)"),
        ("tests.rkt".to_owned(), tests),
    ]
}

fn fresh(root: &Path) -> Verdict {
    let run = "(dynamic-require '(submod \"tests.rkt\" test) #f) (void (test-log #:display? #t))";
    let output = Command::new("racket")
        .args(["-l", "racket/base", "-l", "rackunit/log", "-e", run])
        .current_dir(root)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let number = |text: &str| text.parse::<u32>().ok();
    let passed = text.lines().find_map(|line| {
        let (count, what) = line.split_once(' ')?;
        match what {
            "tests passed" | "test passed" => number(count),
            "test failures" => {
                let (failed, all) = count.split_once('/')?;
                Some(number(all)? - number(failed)?)
            }
            _ => None,
        }
    })?;
    let lines: Vec<&str> = text.lines().collect();
    let names = lines.windows(2).filter(|pair| matches!(pair[1], "FAILURE" | "ERROR")).map(|pair| pair[0].to_owned());
    Some((passed, names.collect()))
}

/// A module that provides all that is used.
macro_rules! module {
    ($provides:literal, $body:literal) => {
        Some(concat!("#lang racket/base\n(provide ", $provides, ")\n", $body, "\n"))
    };
}

const STORIES: &[Story] = &[
    Story {
        name: "changed_function",
        base: [module!("f", "(define (f) 1)"), module!("f", "(define (f) 2)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "changed_macro",
        base: [
            module!("twice", "(define-syntax-rule (twice x) (* 2 x))"),
            module!("twice", "(define-syntax-rule (twice x) (* 5 x))"),
        ],
        uses: "(twice 3)",
        values: ["6", "15"],
        ..Story::NONE
    },
    Story {
        name: "helper_of_a_macro",
        base: [
            module!(
                "here",
                "(require (for-syntax racket/base \"helper.rkt\"))\n\
                 (define-syntax (here form) (datum->syntax form (help)))"
            ),
            module!(
                "here",
                "(require (for-syntax racket/base \"helper.rkt\"))\n\
                 (define-syntax (here form) (datum->syntax form (help)))"
            ),
        ],
        others: &[("shop/helper.rkt", [module!("help", "(define (help) 1)"), module!("help", "(define (help) 2)")])],
        uses: "(here)",
        ..Story::NONE
    },
    Story {
        name: "inline_function",
        base: [
            module!("f", "(require racket/performance-hint)\n(define-inline (f x) (+ x 1))"),
            module!("f", "(require racket/performance-hint)\n(define-inline (f x) (+ x 2))"),
        ],
        uses: "(f 0)",
        ..Story::NONE
    },
    Story {
        name: "structure_field",
        base: [
            module!("make-grain grain-kind", "(struct grain (kind))\n(define (make-grain kind) (grain kind))"),
            module!(
                "make-grain grain-kind",
                "(struct grain (colour kind))\n(define (make-grain kind) (grain 'brown (+ kind 1)))"
            ),
        ],
        uses: "(grain-kind (make-grain 1))",
        ..Story::NONE
    },
    Story {
        name: "constant",
        base: [module!("k", "(define k 1)"), module!("k", "(define k 2)")],
        uses: "(let ([x k]) x)",
        ..Story::NONE
    },
    Story {
        name: "renamed_export",
        base: [module!("f", "(define (f) 1)"), module!("g", "(define (g) 1)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_definition",
        base: [module!("f", "(define (helper) 1)\n(define (f) (helper))"), module!("f", "(define (f) (helper))")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_method",
        base: [
            module!(
                "the-area",
                "(require racket/generic)\n(define-generics shape (area shape) #:fallbacks [(define (area shape) 2)])\n\
                 (struct square () #:methods gen:shape [(define (area shape) 1)])\n(define (the-area) (area (square)))"
            ),
            module!(
                "the-area",
                "(require racket/generic)\n(define-generics shape (area shape) #:fallbacks [(define (area shape) 2)])\n\
                 (struct square () #:methods gen:shape [])\n(define (the-area) (area (square)))"
            ),
        ],
        uses: "(the-area)",
        ..Story::NONE
    },
    Story {
        name: "changed_variable",
        base: [module!("v", "(define v (list 1))"), module!("v", "(define v (list 2))")],
        uses: "(car v)",
        ..Story::NONE
    },
    Story {
        name: "kept_value",
        base: [module!("f", "(define (f) 1)"), module!("f", "(define (f) 2)")],
        uses: "kept)\n(define kept (f)",
        ..Story::NONE
    },
    Story {
        name: "changed_parent",
        base: [
            module!("make-b a-x", "(struct a ([x #:auto]) #:auto-value 1)\n(struct b a ())\n(define make-b b)"),
            module!("make-b a-x", "(struct a ([x #:auto]) #:auto-value 2)\n(struct b a ())\n(define make-b b)"),
        ],
        uses: "(a-x (make-b))",
        ..Story::NONE
    },
    Story {
        name: "parent_in_another_file",
        base: [module!("(struct-out a)", "(struct a (x))"), module!("(struct-out a)", "(struct a (y x))")],
        others: &[(
            "shop/child.rkt",
            [
                module!("the-x", "(require \"base.rkt\")\n(struct b a ())\n(define (the-x) (a-x (b 1)))"),
                module!("the-x", "(require \"base.rkt\")\n(struct b a ())\n(define (the-x) (a-x (b 1 2)))"),
            ],
        )],
        heads: Some(["\"child.rkt\"", "\"child.rkt\""]),
        uses: "(the-x)",
        ..Story::NONE
    },
    Story {
        name: "changed_class",
        base: [
            module!(
                "the-x",
                "(require racket/class)\n(define a% (class object% (super-new) (define/public (x) 1)))\n\
                     (define b% (class a% (super-new)))\n(define (the-x) (send (new b%) x))"
            ),
            module!(
                "the-x",
                "(require racket/class)\n(define a% (class object% (super-new) (define/public (x) 2)))\n\
                     (define b% (class a% (super-new)))\n(define (the-x) (send (new b%) x))"
            ),
        ],
        uses: "(the-x)",
        ..Story::NONE
    },
    Story {
        name: "moved_definition",
        base: [module!("f", "(define (f) 1)"), None],
        others: &[("shop/other.rkt", [None, module!("f", "(define (f) 2)")])],
        heads: Some(["\"base.rkt\"", "\"other.rkt\""]),
        uses: "(f)",
        ..Story::NONE
    },
    Story { name: "missing_file", base: [module!("f", "(define (f) 1)"), None], uses: "(f)", ..Story::NONE },
    Story {
        name: "new_dependency",
        base: [module!("f", "(define (f) 1)"), module!("f", "(require \"extra.rkt\")\n(define (f) (extra))")],
        others: &[("shop/extra.rkt", [None, module!("extra", "(define (extra) 2)")])],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "broken_dependency",
        base: [module!("f", "(define (f) 1)"), module!("f", "(define (f) (2)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "failing_dependency",
        base: [module!("f", "(define (f) 1)"), module!("f", "(define (f) 2)\n(define v (car (list)))")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "missing_module",
        base: [module!("f", "(define (f) 1)"), module!("f", "(require \"gone.rkt\")\n(define (f) 1)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "circular_modules",
        base: [
            module!("f", "(define (f) 1)"),
            module!("f", "(require \"user.rkt\")\n(define (f) 1)\n(define v (use-it))"),
        ],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "added_export",
        base: [module!("", "(define (f) 1)"), module!("f", "(define (f) 1)")],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "included_file",
        base: [
            module!("f", "(require racket/include)\n(include \"part.txt\")"),
            module!("f", "(require racket/include)\n(include \"part.txt\")"),
        ],
        others: &[("shop/part.txt", [Some("(define (f) 1)\n"), Some("(define (f) 2)\n")])],
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "changed_submodule",
        base: [
            module!("", "(define (f) 1)\n(module+ inside (provide f))"),
            module!("", "(define (f) 2)\n(module+ inside (provide f))"),
        ],
        heads: Some(["(submod \"base.rkt\" inside)", "(submod \"base.rkt\" inside)"]),
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "removed_submodule",
        base: [module!("", "(define (f) 1)\n(module+ inside (provide f))"), module!("", "(define (f) 1)")],
        heads: Some(["(submod \"base.rkt\" inside)", "(submod \"base.rkt\" inside)"]),
        uses: "(f)",
        ..Story::NONE
    },
    Story {
        name: "required_while_it_runs",
        base: [module!("f", "(define (f) 1)"), module!("f", "(define (f) 2)")],
        heads: Some(["racket/runtime-path (for-syntax racket/base)", "racket/runtime-path (for-syntax racket/base)"]),
        uses: "kept)\n(define-runtime-path base \"base.rkt\")\n(define kept ((dynamic-require base 'f))",
        ..Story::NONE
    },
    Story {
        name: "loaded_by_itself",
        base: [module!("rate", "(define-syntax-rule (rate) 1)"), module!("rate", "(define-syntax-rule (rate) 2)")],
        uses: "(rate)",
        loads: &["shop/base.rkt"],
        ..Story::NONE
    },
    Story {
        name: "half_loaded",
        base: [module!("f", "(define (f) 1)\n(define v (car (list)))"), module!("f", "(define (f) 2)")],
        uses: "(f)",
        ..Story::NONE
    },
];
