//! Uses in Racket: modules that are files, what they require and provide, local names, syntax, classes.
#![allow(clippy::unwrap_used)]

mod common;

use common::{check, uses};

/// Uses of `area` in one file that defines it in line 2.
#[track_caller]
fn check_in(code: &str, expected: &str) {
    check(&[("a.rkt", &format!("#lang racket\n(define (area x) x)\n{code}"))], "area", expected);
}

#[test]
fn calls_and_values_count_and_data_are_apart() {
    check_in(
        "(define (f y)\n  (area y)\n  (map area y)\n  '(area)\n  `(area ,(area y)))\n(set! area 3)\n#;(area 1)\n[area 2]\n\
         (define g #:area)\n(lambda (x #:area [y (area 1)]) y)",
        "a.rkt:4: call in define f\na.rkt:5: value in define f\na.rkt:6: quoted in define f\na.rkt:7: quoted in define f\n\
         a.rkt:7: call in define f\na.rkt:8: assignment in set! area\na.rkt:10: call in area 2\n\
         a.rkt:12: call in lambda (x #:area [y (area 1)])",
    );
}

#[test]
fn local_names_hide_those_of_the_module() {
    check_in(
        "(define (f area) (area))\n(define (g a [area 1] #:k [b area]) area)\n(let ([area 1]) area)\n(let loop ([area 1]) (loop area))\n\
         (let* ([area 1] [b area]) b)\n(letrec ([area (lambda () (area))]) area)\n(let-values ([(a area) (g)]) area)\n\
         (for ([area '(1)] #:when area [b area]) area)\n(for/list ([(a area) (in-hash (hash))]) area)\n\
         (for/fold ([area 0]) ([b '(1)]) (+ area b))\n(for*/hash ([area 3]) (values area area))\n\
         (match 1 [(list area b) area] [(cons a (? list? area)) area])\n(define (h) (define (k) (area 1)) (define (area x) x) (k))\n\
         (case-lambda [(area) area] [(area . b) area])\n(let/ec area (area 1))\n(let ([a 1]) (define-values (area b) (values 1 2)) area)\n\
         (define (r) (match-define (list area) '(1)) area)\n(define (s) (struct area (x)) (area 1))\n(do ([area 1 area]) (area) area)\n\
         (let () (local [(define area 1)] area))\n(cond [1 (define area 2) area])\n(match-let ([(list area) '(1)]) area)\n\
         (define-syntax-rule (m area) (list area))\n(parameterize ([current-output-port 1]) 2)\n(with-handlers ([void (lambda (area) area)]) 1)",
        "",
    );
    check_in("(let ([area (area 1)]) area)", "a.rkt:3: call in let ([area (area 1)])");
    check_in("(define (f #:k [b (area 1)]) b)", "a.rkt:3: call in define f");
    check_in(
        "(for ([a (area 1)] [area 2] [b (area 3)]) area)",
        "a.rkt:3: call in for ([a (area 1)] [area 2] [b (area 3)])\na.rkt:3: call in for ([a (area 1)] [area 2] [b (area 3)])",
    );
}

#[test]
fn patterns_of_match_call_predicates_and_structures() {
    check_in(
        "(define (f x)\n  (match x\n    [(? area y) y]\n    [(app area y) y]\n    ['area 1]\n    [(list _ ...) #:when (area 1) 2]\n    \
         [(area y) y]))",
        "a.rkt:5: call in define f\na.rkt:6: call in define f\na.rkt:7: quoted in define f\na.rkt:8: call in define f\n\
         a.rkt:9: call in define f",
    );
}

#[test]
fn templates_of_syntax_are_code_of_the_uses_of_a_macro() {
    check_in(
        "(define-syntax m\n  (syntax-rules ()\n    [(_ x) (let ([y 1]) (area x))]\n    [(_ area z) (area z)]))\n\
         (define-syntax-rule (n x) (area x))\n(define-syntax (p s)\n  (syntax-case s ()\n      [(_ x) (area 1) #'(area x)]\n      \
         [(_) #`(area #,(area 1))]))\n(define-syntax-parse-rule (q x:expr) (area x))\n\
         (define-syntax (r s)\n  (syntax-parse s\n    [(_ area:id) #'(list area)]\n    [(_ x y) #'(area x y)]))",
        "a.rkt:5: template in define-syntax m\na.rkt:7: template in define-syntax-rule n\na.rkt:10: call in define-syntax p\n\
         a.rkt:10: template in define-syntax p\na.rkt:11: template in define-syntax p\na.rkt:11: call in define-syntax p\n\
         a.rkt:12: template in define-syntax-parse-rule q\na.rkt:16: template in define-syntax r",
    );
    check_in("(define-syntax-rule (m x) (list x))\n(define (f) (m area))", "a.rkt:4: value in define f");
    check_in(
        "(define-syntax-rule (with-it n b) (let ([n 1]) b))\n(define (f) (with-it area area))\n(define (g) (with-it c area))",
        "a.rkt:5: value in define g",
    );
}

/// The uses of `area` of `lib/a.rkt` in `b.rkt`, which has that code.
fn in_b(provides: &str, code: &str) -> String {
    let a = format!(
        "#lang racket/base\n(provide {provides})\n(define (area x) x)\n(define (inner) 1)\n(struct cow (age [name #:mutable]))\n"
    );
    let b = format!("#lang racket/base\n{code}");
    let found = uses(&[("lib/a.rkt", &a), ("b.rkt", &b)], "area", None);
    let lines: Vec<&str> = found.lines().filter(|line| !line.starts_with("lib/a.rkt:2: export")).collect();
    lines.join("\n")
}

#[test]
fn modules_are_resolved() {
    let call = "b.rkt:3: call in area 1";
    assert_eq!(in_b("area", "(require \"lib/a.rkt\")\n(area 1)"), call);
    assert_eq!(in_b("area", "(require (file \"lib/a.rkt\") racket/list)\n(area 1)"), call);
    assert_eq!(in_b("(all-defined-out)", "(require \"lib/a.rkt\")\n(area 1)"), call);
    assert_eq!(in_b("inner", "(require \"lib/a.rkt\")\n(area 1)"), "");
    assert_eq!(in_b("(except-out (all-defined-out) area)", "(require \"lib/a.rkt\")\n(area 1)"), "");
    assert_eq!(in_b("area", "\n(area 1)"), "");
    assert_eq!(
        in_b("area", "(require (prefix-in a: \"lib/a.rkt\"))\n(a:area 1)\n(area 2)"),
        "b.rkt:3: call in a:area 1"
    );
    assert_eq!(
        in_b("(prefix-out a: area)", "(require \"lib/a.rkt\")\n(a:area 1)\n(area 2)"),
        "b.rkt:3: call in a:area 1"
    );
    assert_eq!(
        in_b("(rename-out [area size])", "(require \"lib/a.rkt\")\n(size 1)\n(area 2)"),
        "b.rkt:3: call in size 1"
    );
    assert_eq!(
        in_b("area", "(require (only-in \"lib/a.rkt\" [area size]))\n(size 1)\n(area 2)"),
        "b.rkt:2: export in require (only-in \"lib/a.rkt\" [area size])\nb.rkt:3: call in size 1"
    );
    assert_eq!(in_b("area", "(require (only-in \"lib/a.rkt\"))\n(area 2)"), "");
    assert_eq!(
        in_b("area", "(require (except-in \"lib/a.rkt\" area))\n(area 2)"),
        "b.rkt:2: export in require (except-in \"lib/a.rkt\" area)"
    );
    assert_eq!(in_b("(contract-out [area (-> any/c any/c)])", "(require \"lib/a.rkt\")\n(area 1)"), call);
    assert_eq!(in_b("(for-syntax area) area", "(require (for-syntax \"lib/a.rkt\"))\n(area 1)"), call);
}

#[test]
fn names_of_another_space_of_bindings_are_no_names_of_code() {
    let given = |provides: &str, code: &str| {
        let found = in_b(provides, code);
        found.lines().filter(|line| line.starts_with('b')).collect::<Vec<_>>().join("\n")
    };
    let call = "b.rkt:3: call in area 1";
    let plain = "(require \"lib/a.rkt\")\n(area 1)";
    assert_eq!(given("(for-space deep area)", plain), "");
    assert_eq!(given("(for-space deep (rename-out [area size]) (all-defined-out))", plain), "");
    assert_eq!(given("(for-space deep (rename-out [area size]))", "(require \"lib/a.rkt\")\n(size 1)"), "");
    assert_eq!(given("(for-space #f area) (for-space deep inner)", plain), call);
    assert_eq!(given("area", "(require (for-space deep \"lib/a.rkt\"))\n(area 1)"), "");
    assert_eq!(given("area", "(require (for-space #f \"lib/a.rkt\"))\n(area 1)"), call);
}

#[test]
fn names_that_a_module_keeps_are_exposed_to_its_tests() {
    let exposed = "(require rackunit)\n(require/expose \"lib/a.rkt\" (area))\n(check-equal? (area 1) 1)\n";
    let uses = "b.rkt:3: export in require/expose \"lib/a.rkt\"\nb.rkt:4: call in check-equal? (area 1)";
    assert_eq!(in_b("inner", exposed), uses);
    assert_eq!(in_b("inner", &exposed.replace("(area))", "(other))")), "");
}

#[test]
fn a_module_gives_what_it_requires() {
    let a = ("lib/a.rkt", "#lang racket/base\n(provide area)\n(define (area x) x)\n");
    let middle = ("middle.rkt", "#lang racket/base\n(require \"lib/a.rkt\")\n(provide (all-from-out \"lib/a.rkt\"))\n");
    let b = ("deep/b.rkt", "#lang racket/base\n(require \"../middle.rkt\")\n(area 1)\n");
    let export = "lib/a.rkt:2: export in provide area";
    check(&[a, middle, b], "area", &format!("deep/b.rkt:3: call in area 1\n{export}"));
    let renamed = ("middle.rkt", "#lang racket/base\n(require \"lib/a.rkt\")\n(provide (rename-out [area size]))\n");
    let b = ("deep/b.rkt", "#lang racket/base\n(require \"../middle.rkt\")\n(size 1)\n(area 1)\n");
    check(
        &[a, renamed, b],
        "area",
        &format!(
            "deep/b.rkt:3: call in size 1\n{export}\nmiddle.rkt:3: export in provide (rename-out [area size])\nmiddle.rkt:3: export in provide (rename-out [area size])"
        ),
    );
}

#[test]
fn submodules_see_what_is_around_them() {
    check_in(
        "(module+ test\n  (require rackunit)\n  (check-equal? (area 1) 1))\n(module* main #f\n  (area 2))\n(module other racket\n  (area 3))\n\
         (module* last racket\n  (require (submod \"..\"))\n  (area 4))",
        "a.rkt:5: call in module+ test\na.rkt:7: call in module* main",
    );
    let b = ("b.rkt", "#lang racket\n(require (submod \"a.rkt\" inside))\n(area 1)\n");
    let a = (
        "a.rkt",
        "#lang racket\n(module inside racket\n  (provide area)\n  (define (area x) x))\n(require 'inside)\n(area 2)\n",
    );
    check(&[a, b], "area", "a.rkt:3: export in module inside\na.rkt:6: call in area 2\nb.rkt:3: call in area 1");
}

#[test]
fn collections_of_the_project_are_its_files() {
    let info = ("farm/info.rkt", "#lang info\n(define collection \"farm\")\n");
    let a = ("farm/a.rkt", "#lang racket/base\n(provide area)\n(define (area x) x)\n");
    let b = ("farm/deep/b.rkt", "#lang racket/base\n(require farm/a)\n(area 1)\n");
    check(&[info, a, b], "area", "farm/a.rkt:2: export in provide area\nfarm/deep/b.rkt:3: call in area 1");
}

#[test]
fn what_a_structure_makes_is_exported_with_it() {
    let a = ("a.rkt", "#lang racket/base\n(provide (struct-out cow))\n(struct cow (age [name #:mutable]))\n");
    let b = (
        "b.rkt",
        "#lang racket/base\n(require \"a.rkt\")\n(define c (cow 1 2))\n(cow-age c)\n(set-cow-name! c 3)\n(cow? c)\n(struct-copy cow c [age 2])\n",
    );
    check(
        &[a, b],
        "cow",
        "a.rkt:2: export in provide (struct-out cow)\nb.rkt:3: call in define c\nb.rkt:7: value in struct-copy cow",
    );
    check(&[a, b], "cow-age", "b.rkt:4: call in cow-age c");
    check(&[a, b], "set-cow-name!", "b.rkt:5: call in set-cow-name! c");
    check(&[a, b], "cow?", "b.rkt:6: call in cow? c");
}

#[test]
fn members_of_classes_are_no_names_of_the_module() {
    check_in(
        "(define c%\n  (class object%\n    (init-field [size (area 1)])\n    (field [area 2])\n    (define/public (get) (+ area size))\n    \
         (super-new)))\n(define d%\n  (class object%\n    (super-new)\n    (define/public (area) 1)\n    (define/public (go) (send this area) (area))))\n\
         (define e%\n  (class object% (super-new) (define/public (go) (area 3))))",
        "a.rkt:15: call in define e%",
    );
}

const AREA: (&str, &str) = ("a.rkt", "#lang racket/base\n(provide area)\n(define (area x) x)\n");

#[test]
fn commands_between_prose_are_code() {
    let code = "#lang at-exp racket/base\n(require \"a.rkt\")\n(display @area{é area — \"x})\n@area[1]{b @(area 2)}\n\
                (define (f) @list{ä @area @area|{ö |@(area 3)}| @;{@area{}}})\n@;(area 1\n(let ([area list]) @area{@area[1]})\n\
                @let[([area 1])]{@area ü}\n'@area{x} @'area{x} \"@area{x}\"";
    check(
        &[AREA, ("b.rkt", code)],
        "area",
        "a.rkt:2: export in provide area\nb.rkt:3: call in display @area{é area — \"x}\nb.rkt:4: call in area 1\n\
         b.rkt:4: call in area 1\nb.rkt:5: value in define f\nb.rkt:5: call in define f\nb.rkt:5: call in define f\n\
         b.rkt:9: quoted in @area{x}\nb.rkt:9: quoted in 'area{x}",
    );
}

#[test]
fn documentation_shows_what_it_requires_for_label() {
    let text = "#lang scribble/manual\n@(require (for-label \"a.rkt\"))\n@title{The area}\n\
                @defproc[(area [x any/c] [#:of area list?]) any]{As @racket[x] and @racket[area].}\n\
                @racketblock[(area 1)] See @racket[area].\n@defform[(area x)]{}\n\
                @examples[#:eval e (define (area x) x) (area 1)]";
    check(
        &[AREA, ("a.scrbl", text)],
        "area",
        "a.rkt:2: export in provide area\na.scrbl:4: value in defproc (area [x any/c] [#:of area list?])\n\
         a.scrbl:5: call in racketblock (area 1)\na.scrbl:5: value in racket area\na.scrbl:6: value in defform (area x)",
    );
    check(
        &[AREA, ("a.scrbl", &text.replace("(for-label \"a.rkt\")", "x"))],
        "area",
        "a.rkt:2: export in provide area\n? 4",
    );
}

#[test]
fn what_a_signature_opens_and_contracts_is_used() {
    let text = "#lang racket
(define-signature one^ (a b))
(define-signature two^ ((open one^) (open (prefix p: one^)) (open (only (prefix q: one^) q:a))))
(define (checked) any/c)
(define (value) 1)
(define-signature three^ extends two^ ((contracted [c (checked)]) (define-values (d) (value)) (struct pt (x y))))
(define-unit u@ (import (tag t (rename (prefix x: three^) (e x:c)))) (export))
";
    check(
        &[("a.rkt", text)],
        "one^",
        "a.rkt:3: value in define-signature two^\na.rkt:3: value in define-signature two^\n\
         a.rkt:3: value in define-signature two^",
    );
    check(&[("a.rkt", text)], "checked", "a.rkt:6: call in define-signature three^");
    check(&[("a.rkt", text)], "value", "a.rkt:6: call in define-signature three^");
    check(&[("a.rkt", text)], "three^", "a.rkt:7: value in define-unit u@");
}

#[test]
fn a_name_with_a_type_is_that_of_the_untyped_module() {
    let untyped = "#lang racket/base\n(provide (all-defined-out))\n(define (area x) x)\n";
    let typed = "#lang typed/racket/base\n(require/typed \"a.rkt\"\n  [area (-> Any Any)])\n(provide (all-defined-out))\n\
         (define (f) (area 1))\n";
    let uses = "#lang racket/base\n(require \"b.rkt\")\n(area 2)\n";
    check(
        &[("a.rkt", untyped), ("b.rkt", typed), ("c.rkt", uses)],
        "area",
        "b.rkt:3: export in require/typed \"a.rkt\"\nb.rkt:5: call in define f\nc.rkt:3: call in area 2",
    );
}

#[test]
fn a_class_of_syntax_is_used_without_a_variable() {
    check_in(
        "(require (for-syntax racket/base syntax/parse))\n(define-syntax (m stx) (syntax-parse stx [(_ :area x:id) #'x]))",
        "a.rkt:4: value in define-syntax m",
    );
}

#[test]
fn forms_of_the_project_in_a_specification_are_used() {
    check_in(
        "(require (area \"b.rkt\"))\n(provide (area f))",
        "a.rkt:3: call in require (area \"b.rkt\")\na.rkt:4: call in provide (area f)",
    );
}

#[test]
fn what_tests_without_a_title_run_is_code() {
    check_in(
        "(require rackunit)\n(test-begin (area 1) (check-equal? 1 2))\n(test-case (area 1))",
        "a.rkt:4: call in test-begin (area 1)\na.rkt:5: call in test-case (area 1)",
    );
}
