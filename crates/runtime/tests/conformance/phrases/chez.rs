//! Scheme in Chez.

use super::{Failure, Mill, Package, Phrases, Tests};

pub(crate) const CHEZ: Phrases = Phrases {
    values: ("1 (values 'a \"b\\\"\" #\\c)", &["a", "\"b\\\"\"", "#\\c"]),
    comments: "; nothing\n #| at all |# #;(or this)",
    printing: "(display \"out\") (display \"err\" (current-error-port)) (display \"put\") #f",
    define_here: "(define here 42) here",
    here: "here",
    change_here: "(set! here 43)",
    define_both: "(define (both x) (list x x))",
    both_here: ("(both here)", "(42 42)"),
    package: Package {
        enter: "(library (my shop) (export stock) (import (chezscheme)) (define stock 7))",
        name: "(my shop)",
        stock: "stock",
        misspelled: "(my shpo)",
        leave: "#f",
        usual: "*top*",
    },
    elements: ("(list 1 \"λ 𝄞\" 'k)", "(1 \"λ 𝄞\" k)"),
    long: "(iota 10000)",
    read_time: "#.(+ 1 2)",
    input: ("(eof-object? (read))", "#t"),
    closing: &["(close-port (current-input-port))", "(close-port (current-output-port))"],
    warned: ("(define (odd) (car))", "argument count in call (car)"),
    failure: Failure {
        code: "(define (inner x)\n  (list (list x) (+ 1 (car x)) x))\n(define (outer y) (list (inner y)))\n(outer 3)",
        type_name: "&assertion",
        message: "car",
        frames: ["(inner 3)", "(outer _)"],
        variable: "x",
    },
    endless: &[
        "(let loop () (loop))",
        "(let loop () (list 1 2) (loop))",
        "(sleep (make-time 'time-duration 0 1000))",
        "(guard (e [#t 1]) (let loop () (loop)))",
        "(let loop () (guard (e [#t 1]) (error 'a \"x\")) (loop))",
        "(with-exception-handler (lambda (e) 1) (lambda () (let loop () (loop))))",
        "(dynamic-wind (lambda () 1) (lambda () (let loop () (loop))) (lambda () (let loop () (loop))))",
        "(define-syntax forever (lambda (x) (let loop () (loop)))) (forever)",
        "(system \"sleep 1000\")",
        "(let-values ([(to from errors pid) (open-process-ports \"sleep 1000\" 'block (native-transcoder))]) (get-char from))",
        "(let ([m (make-mutex)] [c (make-condition)]) (with-mutex m (condition-wait c m (make-time 'time-duration 0 1))))",
    ],
    chatter: "(let loop () (display \"all work and no play \") (loop))",
    deep: "(define (down n) (+ 1 (down (+ n 1)))) (down 0)",
    greedy: "(let loop ([x '()]) (loop (cons (make-vector 100000 0) x)))",
    exit: "(exit 3)",
    restart: ("(list (raise-continuable 'x))", "USE-VALUE", "(5)"),
    mill: Mill {
        file: "mill.ss",
        text: "(library (mill)\n  (export grind turn)\n  (import (chezscheme))\n\n(define (grind x)\n  (list x (car)))\n\n\
               (define (turn) (grind 1)))\n",
        package: "(mill)",
        grind: "grind",
        broken: "(define x 1)\n\n(error 'mill \"sand\")\n",
    },
    tests: Tests {
        // What the agent asks of SRFI 64, and what the file does.
        definition: Some((
            "srfi/:64.sls",
            "(library (srfi :64)\n\
               (export test-begin test-end test-equal test-runner-null test-runner-factory test-runner-current\n\
                 test-runner-on-test-begin! test-runner-on-test-end! test-runner-test-name test-runner-group-path\n\
                 test-result-kind test-result-alist)\n\
               (import (chezscheme))\n\
               (define-record-type runner (fields (mutable begun) (mutable ended) (mutable name) (mutable path) (mutable alist))\n\
                 (protocol (lambda (new) (lambda () (new void void \"\" '() '())))))\n\
               (define (test-runner-null) (make-runner))\n\
               (define test-runner-factory (make-parameter test-runner-null))\n\
               (define test-runner-current (make-parameter #f))\n\
               (define test-runner-on-test-begin! runner-begun-set!)\n\
               (define test-runner-on-test-end! runner-ended-set!)\n\
               (define test-runner-test-name runner-name)\n\
               (define test-runner-group-path runner-path)\n\
               (define test-result-alist runner-alist)\n\
               (define (test-result-kind runner) (cdr (assq 'result-kind (runner-alist runner))))\n\
               (define (test-begin name)\n\
                 (unless (test-runner-current) (test-runner-current ((test-runner-factory))))\n\
                 (runner-path-set! (test-runner-current) (append (runner-path (test-runner-current)) (list name))))\n\
               (define (test-end name)\n\
                 (runner-path-set! (test-runner-current) (list-head (runner-path (test-runner-current))\n\
                   (- (length (runner-path (test-runner-current))) 1))))\n\
               (define-syntax test-equal\n\
                 (syntax-rules () [(_ name expected actual) (run name expected (lambda () actual))]))\n\
               (define (run name expected thunk)\n\
                 (let ([runner (test-runner-current)])\n\
                   (runner-name-set! runner name)\n\
                   ((runner-begun runner) runner)\n\
                   (runner-alist-set! runner\n\
                     (guard (raised [#t `((result-kind . fail) (expected-value . ,expected) (actual-error . ,raised))])\n\
                       (let ([actual (thunk)])\n\
                         `((result-kind . ,(if (equal? expected actual) 'pass 'fail))\n\
                           (expected-value . ,expected) (actual-value . ,actual)))))\n\
                   ((runner-ended runner) runner))))\n",
        )),
        file: "tests.ss",
        text: "(import (srfi :64))\n(test-begin \"s\")\n(test-equal \"fine\" 3 (+ 1 2))\n\
               (test-equal \"off\" 4 (+ 1 2))\n(test-end \"s\")\n",
        system: None,
        line: 4,
        fine: "fine",
        hanging: "(test-equal \"hangs\" 3 (let loop () (loop)))\n",
        none: "(define nothing 1)\n",
    },
    expansion: ("(when a b)", "(if a "),
    object: ("(list 1 (vector 2 \"b\") 'c)", "#(2 \"b\")"),
    program: ("(system \"exit 3\")", "3"),
};
