//! Scheme in Guile.

use super::{Failure, Mill, Package, Phrases, Tests};

pub(crate) const GUILE: Phrases = Phrases {
    values: ("1 (values 'a \"b\\\"\" #\\c)", &["a", "\"b\\\"\"", "#\\c"]),
    comments: "; nothing\n #| at all |# #;(or this)",
    printing: "(display \"out\") (display \"err\" (current-error-port)) (display \"put\") #f",
    define_here: "(define here 42) here",
    here: "here",
    change_here: "(set! here 43)",
    define_both: "(define (both x) (list x x))",
    both_here: ("(both here)", "(42 42)"),
    package: Package {
        enter: "(define-module (my shop)) (define stock 7)",
        name: "(my shop)",
        stock: "stock",
        misspelled: "(my shpo)",
        leave: "(set-current-module (resolve-module '(guile-user)))",
        usual: "(guile-user)",
    },
    elements: ("(list 1 \"λ 𝄞\" 'k)", "(1 \"λ 𝄞\" k)"),
    long: "(iota 100000)",
    read_time: "#.(+ 1 2)",
    input: ("(eof-object? (read))", "#t"),
    warned: ("(define (odd) (no-such-function))", "no-such-function"),
    failure: Failure {
        code: "(define (inner x)\n  (list (list x) (+ 1 (car x)) x))\n(define (outer y) (list (inner y)))\n(outer 3)",
        type_name: "wrong-type-arg",
        message: "car",
        frames: ["(inner 3)", "(outer 3)"],
        variable: "x",
    },
    endless: "(let loop () (loop))",
    chatter: "(let loop () (display \"all work and no play \") (loop))",
    deep: "(define (down n) (+ 1 (down (+ n 1)))) (down 0)",
    greedy: "(let loop ((x '())) (loop (cons (make-vector 100000) x)))",
    exit: "(exit 3)",
    restart: ("(list (raise-exception 'x #:continuable? #t))", "USE-VALUE", "(5)"),
    mill: Mill {
        file: "mill.scm",
        text: "(define-module (mill)\n  #:export (grind))\n\n\n(define (grind x)\n  (list x (unknown)))\n\n(define (turn) (grind 1))\n",
        package: "(mill)",
        grind: "grind",
        broken: "(define x 1)\n\n(error \"sand\")\n",
    },
    tests: Tests {
        definition: None,
        file: "tests.scm",
        text: "(use-modules (srfi srfi-64))\n(test-begin \"s\")\n(test-equal \"fine\" 3 (+ 1 2))\n\
               (test-equal \"off\" 4 (+ 1 2))\n(test-end \"s\")\n",
        system: None,
        line: 4,
        fine: "fine",
        none: "(define nothing 1)\n",
    },
    expansion: ("(when a b)", "(if a "),
    object: ("(list 1 (vector 2 \"b\") 'c)", "#(2 \"b\")"),
};
