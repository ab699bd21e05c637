//! Uses in Scheme: Guile's modules, libraries of R7RS and R6RS, local names, syntax.
#![allow(clippy::unwrap_used)]

mod common;

use common::{check, indexed, uses};

/// Uses of `area` in one file that defines it in line 2.
#[track_caller]
fn check_in(code: &str, expected: &str) {
    check(&[("a.scm", &format!("(define-module (a))\n(define (area x) x)\n{code}"))], "area", expected);
}

#[test]
fn calls_and_values_count_and_data_are_apart() {
    check_in(
        "(define (f y)\n  (area y)\n  (map area y)\n  '(area)\n  `(area ,(area y)))\n(set! area 3)\n(define-public g area)",
        "a.scm:4: call in define f\na.scm:5: value in define f\na.scm:6: quoted in define f\na.scm:7: quoted in define f\n\
         a.scm:7: call in define f\na.scm:8: assignment in set! area\na.scm:9: value in define-public g",
    );
}

#[test]
fn local_names_hide_global_ones() {
    check_in(
        "(define (f area) (area))\n(define* (g a #:key (area 1)) area)\n(let ((area 1)) area)\n(let loop ((area 1)) (loop area))\n\
         (let* ((area 1) (b area)) b)\n(letrec ((area (lambda () (area)))) area)\n(let-values (((a area) (g))) area)\n\
         (receive (a . area) (g) area)\n(do ((area 1 (+ area 1))) ((= area 2)) area)\n(case-lambda ((area) area))\n\
         (define (h) (define (k) (area 1)) (define (area x) x) (k))\n(lambda () (define-values (a area) (g)) area)\n\
         (define (r) (define-record-type point (area x) point? (x point-x)) (area 1))\n(let area ((x 1)) (area x))\n\
         (let/ec area (area 1))\n(guard (area (#t area)) 1)\n(match 1 ((area . _) area))\n(match-lambda ((area) area))\n\
         (match-let (((area) '(1))) area)\n(define-syntax-rule (m area) (list area))\n(let-syntax ((area (syntax-rules ()))) (area))\n\
         (define-method (put (area <list>)) area)\n(let*-values (((area) 1) ((b) area)) b)",
        "",
    );
    check_in("(let ((area (area 1))) area)", "a.scm:3: call in let ((area (area 1)))");
    check_in("(define* (f #:optional (b (area 1))) b)", "a.scm:3: call in define* f");
}

#[test]
fn a_binding_of_several_values_binds_all_its_names() {
    let code = "(let ((a area (g 1))) (area a))\n(let* (((values a . area) (g area)) (b area)) b)\n\
                (letrec ((area b (g area))) area)\n(let loop ((a area (area 1)) (c (area 2))) (loop a area c))";
    let here = "a.scm:4: value in let* (((values a . area) (g area)) (b area))\n\
                a.scm:6: call in let loop\na.scm:6: call in let loop";
    for import in ["#:use-module (srfi srfi-71)", "#:use-module (srfi :71 let)"] {
        let text = format!("(define-module (a) {import})\n(define (area x) x)\n{code}");
        check(&[("a.scm", &text)], "area", here);
    }
    check_in("(let ((a area (g 1))) a)", "a.scm:3: value in let ((a area (g 1)))");
}

#[test]
fn what_a_form_defines_for_itself_is_no_definition_of_the_file() {
    let text = "(define (area x) x)\n(let ((y 1))\n  (define (size x) x)\n  (size y))\n(begin\n  (define (depth x) x))\n\
                (unknown\n  (define (width x) x))\n";
    for path in ["a.scm", "a.rkt"] {
        let (_top, index) =
            indexed(&[(path, &format!("{}{text}", if path == "a.rkt" { "#lang racket/base\n" } else { "" }))]);
        let defined = ["area", "size", "depth", "width"].map(|name| index.definitions(name, None).len());
        assert_eq!(defined, [1, 0, 1, 1], "{path}");
    }
}

#[test]
fn patterns_of_match_call_predicates() {
    check_in(
        "(define (f x)\n  (match x\n    ((? area y) y)\n    ((= area y) y)\n    ('area 1)\n    (`(area ,area) area)\n    (($ area y) y)))",
        "a.scm:5: call in define f\na.scm:6: call in define f\na.scm:7: quoted in define f\na.scm:8: quoted in define f\n\
         a.scm:9: value in define f",
    );
}

#[test]
fn templates_of_syntax_are_code_of_the_uses_of_a_macro() {
    check_in(
        "(define-syntax m\n  (syntax-rules ()\n    ((_ x) (let ((y 1)) (area x)))\n    ((_ area z) (area z))))\n\
         (define-syntax-rule (n x) (area x))\n(define-syntax p\n  (lambda (s)\n    (syntax-case s ()\n      ((_ x) (area 1) #'(area x))\n\
               ((_ x y) (with-syntax ((area #'x)) #'(area y)))\n      ((_) #`(area #,(area 1))))))",
        "a.scm:5: template in define-syntax m\na.scm:7: template in define-syntax-rule n\na.scm:11: call in define-syntax p\n\
         a.scm:11: template in define-syntax p\na.scm:13: template in define-syntax p\na.scm:13: call in define-syntax p",
    );
    check_in("(define-syntax-rule (m x) x)\n(define (f) (m area))\n(m 1)", "a.scm:4: value in define f");
}

#[test]
fn modules_of_guile_are_resolved() {
    let a = (
        "my/a.scm",
        "(define-module (my a)\n  #:export (area (inner . outer)))\n(define (area x) x)\n(define (inner) 1)\n(define (own) 2)\n(define-public (pub) 3)\n",
    );
    let user = |options: &str, code: &str| {
        let text = format!("(define-module (b) {options})\n{code}");
        let found = uses(&[a, ("b.scm", &text)], "area", None);
        found.replace("my/a.scm:2: export in define-module (my a)", "").trim().to_owned()
    };
    let call = "b.scm:2: call in area 1";
    assert_eq!(user("#:use-module (my a)", "(area 1)"), call);
    assert_eq!(user("", "(area 1)"), "");
    assert_eq!(user("#:use-module (ice-9 match)", "(area 1)"), "");
    assert_eq!(user("#:use-module (other library)", "(area 1)"), "? 1");
    assert_eq!(user("#:use-module ((my a) #:prefix a:)", "(a:area 1)\n(area 2)"), "b.scm:2: call in a:area 1");
    assert_eq!(
        user("#:use-module ((my a) #:renamer (symbol-prefix-proc 'a:))", "(a:area 1)"),
        "b.scm:2: call in a:area 1"
    );
    let imported = "b.scm:1: export in define-module (b)";
    assert_eq!(user("#:use-module ((my a) #:select (area))", "(area 1)"), format!("{imported}\n{call}"));
    let renamed = user("#:use-module ((my a) #:select ((area . size)) #:prefix a:)", "(a:size 1)\n(size 1)\n(area 1)");
    assert_eq!(renamed, format!("{imported}\nb.scm:2: call in a:size 1"));
    assert_eq!(user("#:use-module ((my a) #:hide (area))", "(area 1)"), "");
    assert_eq!(user("#:autoload (my a) (area)", "(area 1)"), format!("{imported}\n{call}"));
    assert_eq!(user("", "(use-modules (my a))\n(area 1)"), "b.scm:3: call in area 1");
    assert_eq!(
        user("", "((@ (my a) area) 1)\n(@@ (my a) area)"),
        "b.scm:2: call in ((@ (my a) area) 1)\nb.scm:3: value in @@ (my a)"
    );
    let files = [
        a,
        ("b.scm", "(define-module (b) #:use-module (my a) #:re-export (pub))\n"),
        ("c.scm", "(use-modules (b))\n(pub)\n(own)\n(outer)"),
    ];
    check(&files, "pub", "b.scm:1: export in define-module (b)\nc.scm:2: call in (pub)");
    check(&files, "own", "");
    let files = [a, ("c.scm", "(use-modules (my a))\n(outer)\n(inner)")];
    check(
        &files,
        "inner",
        "c.scm:2: call in (outer)\nmy/a.scm:2: export in define-module (my a)\nmy/a.scm:2: export in define-module (my a)",
    );
}

#[test]
fn libraries_of_r7rs_and_r6rs_are_resolved() {
    let seven = (
        "a.sld",
        "(define-library (my a)\n  (export area (rename inner outer))\n  (import (scheme base))\n  (begin (define (area x) (inner))\n    (define (inner) 1)))\n",
    );
    let six = (
        "a.sls",
        "(library (my a (1 2))\n  (export area (rename (inner outer)))\n  (import (rnrs))\n  (define (area x) (inner))\n\n  (define (inner) 1))\n",
    );
    for a in [seven, six] {
        let user = |imports: &str, code: &str| {
            let text = format!("(import (scheme base) {imports})\n{code}");
            let found = uses(&[a, ("b.scm", &text)], "area", None);
            found.lines().filter(|line| line.starts_with(['b', '?'])).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(user("(my a)", "(area 1)"), "b.scm:2: call in area 1");
        assert_eq!(user("(prefix (my a) a-)", "(a-area 1)\n(area 1)"), "b.scm:2: call in a-area 1");
        let imported = "b.scm:1: export in import (scheme base)";
        assert_eq!(
            user("(prefix (only (my a) area) a-)", "(a-area 1)"),
            format!("{imported}\nb.scm:2: call in a-area 1")
        );
        assert_eq!(user("(only (prefix (my a) a-) a-area)", "(a-area 1)\n(area 1)"), "b.scm:2: call in a-area 1");
        assert_eq!(
            user("(rename (my a) (area size))", "(size 1)\n(area 1)"),
            format!("{imported}\nb.scm:2: call in size 1")
        );
        assert_eq!(user("(except (my a) area)", "(area 1)"), "");
        assert_eq!(user("(scheme write)", "(area 1)"), "");
        let outer = uses(&[a, ("b.scm", "(import (my a))\n(outer)\n(inner)")], "inner", None);
        assert!(outer.ends_with("b.scm:2: call in (outer)") && outer.contains("4: call in define area"), "{outer}");
    }
}

#[test]
fn files_without_a_module_are_apart_unless_one_includes_the_other() {
    let script = "(define (area x) x)\n(area 1)";
    let files = [("a.scm", script), ("b.scm", script), ("c.scm", "(area 1)")];
    check(&files, "area", "a.scm:2: call in area 1\nb.scm:2: call in area 1");
    let files = [("a.scm", script), ("b/c.scm", "(load \"../a.scm\")\n(area 2)"), ("d.scm", "(area 3)")];
    check(&files, "area", "a.scm:2: call in area 1\nb/c.scm:2: call in area 2");
    let library = "(define-library (s)\n  (export area)\n  (include \"s/area.scm\"))";
    let files = [("s.sld", library), ("s/area.scm", script), ("d.scm", "(import (s))\n(area 3)")];
    check(
        &files,
        "area",
        "d.scm:2: call in area 3\ns/area.scm:2: call in area 1\ns.sld:2: export in define-library (s)",
    );
}

#[test]
fn records_and_classes_define_names() {
    let text = "(define-record-type <point> (make-point x y) point? (x point-x) (y point-y set-point-y!))\n\
        (define (f p) (make-point (point-x p) 1))\n\
        (define-class <circle> (<shape>) (radius #:init-value 1 #:accessor radius) (n #:init-form (f 1)))\n\
        (define-method (area (c <circle>)) (radius c))\n(make <circle>)\n\
        (define-record-type (box create-box box?) (fields (mutable v) w) (protocol (lambda (n) (f n))))\n(box-v (create-box 1))\n(box-v-set! 1 2)";
    let check = |name: &str, expected: &str| check(&[("a.scm", text)], name, expected);
    check("point-x", "a.scm:2: call in define f");
    check("make-point", "a.scm:2: call in define f");
    check("radius", "a.scm:4: call in define-method area (<circle>)");
    check("<circle>", "a.scm:4: method in define-method area (<circle>)\na.scm:5: value in make <circle>");
    check("f", "a.scm:3: call in define-class <circle>\na.scm:6: call in define-record-type box");
    check("box-v", "a.scm:7: call in box-v (create-box 1)");
    check("create-box", "a.scm:7: call in box-v (create-box 1)");
}

#[test]
fn passes_over_languages_bind_what_their_patterns_unquote() {
    check_in(
        "(define-language L (terminals (area (a))) (E (e) (area e)))\n(define-pass p : L (ir) -> L ()\n  (E : E (area) -> E ()\n    \
         [(app ,e ,[e1]) (area e1)])\n  (F : E (ir) -> E ()\n    [(app ,area ,[e1]) (area e1)]\n    [else (area 1)])\n  (area 2))\n\
         (nanopass-case (L E) x [(app ,[area]) area] [else (area 3)])",
        "a.scm:9: call in define-pass p\na.scm:10: call in define-pass p\na.scm:11: call in nanopass-case (L E)",
    );
}

#[test]
fn what_tests_without_a_title_run_is_code() {
    check_in(
        "(test-assert (area 1))\n(test-eqv (area 1) 2)\n(test-equal area 2)\n(test-assert \"a\" (area 1))\n\
         (test-approximate (area 1) 1 1)\n(define-syntax-rule (holds x) (test-assert x))\n(holds (area 1))",
        "a.scm:3: call in test-assert (area 1)\na.scm:4: call in test-eqv (area 1)\na.scm:5: value in test-equal area\n\
         a.scm:6: call in test-assert \"a\"\na.scm:7: call in test-approximate (area 1)\na.scm:9: call in holds (area 1)",
    );
}
