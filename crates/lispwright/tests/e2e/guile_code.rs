//! Usual Scheme code in Guile: quoted data, continuations, locales, modules by name, files that do not load.

use serde_json::json;

use crate::client::{Answer, Session};

fn guile() -> Session {
    Session::with_file("one.scm", "(define one 1)\n")
}

fn eval(session: &mut Session, code: &str) -> Answer {
    session.client.call("repl_eval", json!({ "code": code, "timeout_seconds": 200 }))
}

#[track_caller]
fn value(session: &mut Session, code: &str) -> String {
    session.ok("repl_eval", json!({ "code": code })).fields["values"][0].as_str().unwrap().to_owned()
}

#[test]
fn quoted_data_may_be_anything() {
    let mut session = guile();
    for (code, expected) in [
        ("'(1 . 2)", "(1 . 2)"),
        ("(assq 'b '((a . 1) (b . #(2 (3 . 4)))))", "(b . #(2 (3 . 4)))"),
        ("(map (lambda (pair) (cdr pair)) '((a . 1)))", "(1)"),
        ("(define prices '((milk . 3))) (list 'lambda '(lambda . x))", "(lambda (lambda . x))"),
        ("`(,@(list 1 2) . 3)", "(1 2 . 3)"),
    ] {
        assert_eq!(value(&mut session, code), expected, "{code}");
    }
    let deep = format!("(pair? '{}{})", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(value(&mut session, &deep), "#t");
}

#[test]
fn aborting_to_the_default_prompt_keeps_the_image() {
    let mut session = guile();
    value(&mut session, "(define x 1) (use-modules (ice-9 control)) 1");
    assert_eq!(value(&mut session, "(+ 1 (shift k (k 41)))"), "42");
    assert_eq!(value(&mut session, "(list (shift k 'out))"), "out");
    let bare = eval(&mut session, "(abort-to-prompt (default-prompt-tag) 'lost)");
    assert!(bare.is_error && bare.text.contains("aborted to the default prompt"), "{}", bare.text);
    assert_eq!(value(&mut session, "x"), "1");
    session.project.file("aborts.scm", "(use-modules (ice-9 control))\n(abort 'lost)\n");
    let load = session.client.call("load_system", json!({ "path": "aborts.scm" }));
    assert!(load.is_error && load.text.contains("aborted to the default prompt"), "{}", load.text);
    assert_eq!(value(&mut session, "x"), "1");
}

#[test]
fn changes_of_encodings_do_not_last_or_reach_values() {
    let mut session = guile();
    let printed = session.ok("repl_eval", json!({ "code": "(setlocale LC_ALL \"C\") (string-length \"λ\")" }));
    assert_eq!(printed.fields["values"][0], "1");
    let printed = session.ok("repl_eval", json!({ "code": "(display \"λ\") \"λ\"" }));
    assert_eq!((&printed.fields["stdout"], &printed.fields["values"][0]), (&json!("λ"), &json!("\"λ\"")));
    value(&mut session, "(fluid-set! %default-port-encoding \"ISO-8859-1\") 1");
    assert_eq!(value(&mut session, "(list \"λ\" #\\λ)"), "(\"λ\" #\\λ)");
}

#[test]
fn a_module_is_named_with_or_without_parentheses_and_a_directory_is_no_module() {
    let mut session = guile();
    for package in ["(srfi srfi-1)", "srfi srfi-1"] {
        let answer = session.ok("repl_eval", json!({ "code": "(fold + 0 '(1 2))", "package": package }));
        assert_eq!(answer.fields["values"][0], "3", "{package}");
    }
    for package in ["(srfi)", "srfi", "(srfi 1)", "(srfi srfi-1) (ice-9 match)", "()", "(", "\"srfi\""] {
        let answer = session.client.call("repl_eval", json!({ "code": "1", "package": package }));
        assert_eq!(answer.fields["code"], "BAD_ARGUMENT", "{package}: {}", answer.text);
        assert!(answer.text.contains("There is no module"), "{package}: {}", answer.text);
    }
    session.project.file("my/part.scm", "(define-module (my part))\n");
    session.ok("load_system", json!({ "system": "my part" }));
}

#[test]
fn a_file_that_does_not_load_has_the_place_of_the_mistake() {
    let mut session = guile();
    for (text, place) in [
        ("(define (f)\n  (list 1\n    (if)))\n", "bad.scm:3:5: error: "),
        ("(define (g) 1)\n(define ((curried a) b)\n  a)\n", "bad.scm:2:1: error: "),
        ("(define-module (bad)\n  #:use-module (not there))\n", "bad.scm:2:16: error: no code for module (not there)"),
        ("(define x 1)\n(import (nope nope))\n", "bad.scm:2:9: error: no code for module (nope nope)"),
    ] {
        session.project.file("bad.scm", text);
        let answer = session.client.call("load_system", json!({ "path": "bad.scm" }));
        assert!(answer.is_error && answer.text.contains(place), "{text}: {}", answer.text);
        assert!(!answer.text.contains("/system/base/"), "no frames of the compiler's: {}", answer.text);
    }
    // Warnings come in the order of the lines.
    session
        .project
        .file("late.scm", "(define (f x) (nowhere x))\n(define (g) (f 1 2))\n(define (h) (format #f \"~a\"))\n");
    let answer = session.ok("load_system", json!({ "path": "late.scm" }));
    let lines: Vec<i64> =
        answer.fields["diagnostics"].as_array().unwrap().iter().map(|one| one["line"].as_i64().unwrap()).collect();
    assert_eq!(lines, [1, 2, 3], "{}", answer.text);
}

#[test]
fn frames_show_the_variables_of_the_code() {
    let mut session = guile();
    session.project.file("throws.scm", "(define (f x)\n  (throw 'my-key x 2))\n(define (g) (+ 1 (f 3)))\n(g)\n");
    let answer = session.client.call("load_system", json!({ "path": "throws.scm" }));
    assert!(answer.text.contains("throws.scm:2:3: error: Throw to key `my-key'"), "{}", answer.text);
    assert!(answer.text.contains("1: (g)") && !answer.text.contains("pair = "), "{}", answer.text);
    // The frames of the expander show no unbound name.
    let answer = eval(&mut session, "(use-modules (not there))");
    assert!(answer.is_error && !answer.text.contains("psyntax"), "{}", answer.text);
}

#[test]
fn an_interrupt_ends_only_one_wait() {
    let mut session = guile();
    value(&mut session, "(define x 0) x");
    for wait in ["(sleep 100)", "(usleep 100000000)", "(select '() '() '() 100)"] {
        let code = format!("(begin {wait} (set! x (1+ x)))");
        let stopped = session.client.call("repl_eval", json!({ "code": code, "timeout_seconds": 0.3 }));
        assert_eq!(stopped.fields["code"], "TIMEOUT", "{}", stopped.text);
        // The same signal does not interrupt the next wait.
        let slept = "(let ((start (get-internal-real-time)))
                       (usleep 200000)
                       (>= (/ (- (get-internal-real-time) start) internal-time-units-per-second) 19/100))";
        assert_eq!(value(&mut session, slept), "#t", "after {wait}");
    }
    assert_eq!(value(&mut session, "x"), "0");
    session.project.file("waits.scm", "(define (f)\n  (sleep 100)\n  1)\n(list (f))\n(set! x 5)\n");
    let stopped =
        session.stopped("load_system", json!({ "path": "waits.scm" }), |answer| answer.text.contains("waits.scm:2:"));
    assert_eq!(stopped.fields["code"], "TIMEOUT", "{}", stopped.text);
    assert!(stopped.text.contains("(f)  ") && stopped.text.contains("waits.scm:2:"), "{}", stopped.text);
    assert_eq!(value(&mut session, "x"), "0");
}

#[test]
fn libraries_of_r7rs_and_r6rs_are_found_and_other_schemes_are_explained() {
    let library = "(define-library (part one) (export x) (import (scheme base)) (begin (define x 1)))\n";
    let mut session = Session::with_file("part/one.sld", library);
    let described = session.ok("code_describe", json!({ "symbol": "(part one)" }));
    assert_eq!(described.text, "(part one)\n[package] (part one)  part/one.sld:1\nexports: x");
    session.project.file("part/two.sls", "(library (part two) (export y) (import (rnrs)) (define y 2))\n");
    session.project.file("main.scm", "(import (scheme base) (part one) (part two))\n(define z (+ x y))\n");
    session.ok("load_system", json!({ "path": "main.scm" }));
    assert_eq!(value(&mut session, "z"), "3");
    session.ok("load_system", json!({ "system": "(part one)" }));
    let says = &["Of the Schemes, Guile and Chez run here", "Sessions can run: "];
    session.refused("repl_eval", json!({ "code": "1", "runtime": "gambit" }), "BAD_ARGUMENT", says);
}

#[test]
fn accessors_of_records_and_classes_belong_to_the_file() {
    let text = "(define-module (my zoo) #:use-module (oop goops) #:use-module (srfi srfi-9))
(define-record-type <point> (make-point x) point? (x point-x))
(define-class <animal> () (name #:accessor name-of))
(define (use p) (point-x p))
";
    let mut session = Session::with_file("my/zoo.scm", text);
    session.ok("load_system", json!({ "path": "my/zoo.scm" }));
    // The same if the accessor is used in the file that defines it.
    let references = session.ok("code_find_references", json!({ "symbol": "point-x" }));
    assert!(references.text.contains("my/zoo.scm:4:18: call in define use"), "{}", references.text);
    let described = session.ok("code_describe", json!({ "symbol": "name-of" }));
    assert!(described.text.contains("[method] name-of (<animal>)  my/zoo.scm"), "{}", described.text);
}

const SHOP: &str = "(define-module (my shop) #:export (total))
(define prices '((milk . 3)))
(define (price item)
  (let ((found (assq item prices)))
    (if found (cdr found) (error \"no price for\" item))))
(define (total items)
  (apply + (map price items)))
";

#[test]
fn evaluated_definitions_change_their_module() {
    let mut session = Session::with_file("my/shop.scm", SHOP);
    assert_eq!(value(&mut session, "(use-modules (my shop)) (total '(milk))"), "3");
    session.ok("repl_eval", json!({ "code": "(define (price item) 100)", "package": "(my shop)" }));
    assert_eq!(value(&mut session, "(total '(milk tea))"), "200");
}

#[test]
fn code_in_a_frame_sees_its_module_and_can_define_in_it() {
    let mut session = Session::with_file("my/shop.scm", SHOP);
    let code = "(use-modules (my shop))\n(total '(milk tea))";
    let held = session.client.call("repl_eval", json!({ "code": code, "on_error": "hold" }));
    assert!(held.text.contains("0: (price tea)") && held.text.contains("my/shop.scm:5:"), "{}", held.text);
    let mut there = |code: &str| {
        let answer = session.ok("repl_control", json!({ "action": "eval_in_frame", "frame": 0, "code": code }));
        answer.fields["values"][0].as_str().unwrap().to_owned()
    };
    assert_eq!(there("prices"), "((milk . 3))");
    assert_eq!(
        there("(define dear (list item)) (define-syntax-rule (twice x) (list x x)) (twice dear)"),
        "((tea) (tea))"
    );
    assert_eq!(there("(set! item 'milk) (price item)"), "3");
    assert_eq!(there("item"), "tea");
    there("(set! prices '((milk . 3) (tea . 4))) 1");
    let done = session.ok("repl_control", json!({ "action": "restart", "restart": "RETRY" }));
    assert_eq!((&done.fields["values"][0], &done.fields["package"]), (&json!("7"), &json!("(guile-user)")));
}

#[test]
fn warnings_belong_to_their_files_and_modules_to_their_names() {
    let mut session = Session::with_file(
        "a.scm",
        "(define-module (a) #:use-module (ice-9 format) #:use-module (b))\n(define (f) (format #f \"~a\"))\n(define (g) (u))\n(define (d) (format #f \"\"))\n",
    );
    session.project.file("b.scm", "(define-module (b) #:export (h))\n(define (h) (undefined-there 1))\n");
    let loaded = session.ok("load_system", json!({ "path": "a.scm" }));
    assert!(loaded.text.contains("b.scm:2:14: warning: possibly unbound variable"), "{}", loaded.text);
    assert!(loaded.text.contains("a.scm:3:14: warning: possibly unbound variable `u'"), "{}", loaded.text);
    assert!(loaded.text.contains("a.scm: error: \"~a\": wrong number"), "no place is guessed: {}", loaded.text);
    // A module that was loaded by its path is found by its name.
    session.project.file("deep/er.scm", "(define-module (er m))\n");
    session.ok("load_system", json!({ "path": "deep/er.scm" }));
    let again = session.ok("load_system", json!({ "system": "(er m)" }));
    assert!(again.text.starts_with("Loaded"), "{}", again.text);
    session.project.file("wrong.scm", "(define-module (totally other))\n");
    let wrong = session.client.call("load_system", json!({ "system": "(wrong)" }));
    assert!(wrong.is_error && wrong.text.contains("defines no module (wrong)"), "{}", wrong.text);
    let command = session.client.call("repl_eval", json!({ "code": ",time (+ 1 2)" }));
    assert!(command.is_error && command.text.contains("Guile's own prompt"), "{}", command.text);
}

#[test]
fn re_exported_names_belong_to_their_original_module() {
    let mut session = Session::with_sets(
        "docs",
        "lib/base.scm",
        "(define-module (lib base) #:export (area side))\n(define (area s) (* s s))\n(define side 3)\n",
    );
    session.project.file("lib/one.scm", "(define-module (lib one) #:use-module (lib base) #:re-export (area))\n");
    session.project.file(
        "lib/all.scm",
        "(define-module (lib all))\n(module-use! (module-public-interface (current-module)) (resolve-interface '(lib base)))\n",
    );
    session
        .project
        .file("lib/two.scm", "(define-module (lib two) #:use-module (lib base))\n(re-export (area . surface))\n");
    for file in ["lib/one.scm", "lib/all.scm", "lib/two.scm"] {
        session.ok("load_system", json!({ "path": file }));
    }
    for (name, module) in
        [("(@ (lib one) area)", "guile-user"), ("(@ (lib all) area)", "guile-user"), ("area", "lib all")]
    {
        let found = session.ok("code_describe", json!({ "symbol": name, "package": format!("({module})") }));
        assert!(found.text.starts_with("(@ (lib base) area), exported from (lib base)\n"), "{name}: {}", found.text);
        assert!(found.text.contains("also exported from: (lib all), (lib one)"), "{name}: {}", found.text);
    }
    // A name of the exporter's own is known as well.
    for package in ["(guile-user)", "(lib two)"] {
        let renamed = session.ok("code_describe", json!({ "symbol": "surface", "package": package }));
        let expected = "(@ (lib two) surface), exported from (lib two)\n[procedure] surface (s)  lib/base.scm:2";
        assert!(renamed.text.starts_with(expected), "{package}: {}", renamed.text);
    }
    let module = session.ok("code_describe", json!({ "symbol": "(lib all)" }));
    assert!(module.text.contains("exports: area side"), "{}", module.text);
    let exports = session.ok("code_exports", json!({ "path": "lib/all.scm" }));
    let expected = "(lib all) exports 2 names:\nprocedure area (s)  from (lib base)";
    assert!(exports.text.starts_with(expected), "{}", exports.text);
}

#[test]
fn large_and_circular_values_are_shown() {
    let mut session = guile();
    let answer = session.ok("repl_eval", json!({ "code": "(iota 1000000)", "max_output_length": 200 }));
    assert!(answer.text.contains("list, 1000000 elements"), "{}", answer.text);
    let answer = session.ok("repl_eval", json!({ "code": "(define c (list 1 2)) (set-cdr! (cdr c) c) (cons 0 c)" }));
    assert_eq!(answer.fields["values"][0], "(0 . #0=(1 2 . #0#))");
    assert!(answer.text.contains("list (circular), 3 elements"), "{}", answer.text);
    let answer = session.ok("repl_eval", json!({ "code": "(vector c c)" }));
    assert_eq!(answer.fields["values"][0], "#(#0=(1 2 . #0#) #0#)");
}

#[test]
fn evaluation_in_a_frame_keeps_no_reference_to_it() {
    let mut session = guile();
    let code = "(define (f x) (list (error \"stop\") x))\n(f (vector 5 6))";
    session.client.call("repl_eval", json!({ "code": code, "on_error": "hold" }));
    for code in
        ["(let-syntax ((size (syntax-rules () ((_ v) (vector-length v))))) (size x))", "(define y x) (vector-length y)"]
    {
        let answer = session.ok("repl_control", json!({ "action": "eval_in_frame", "frame": 0, "code": code }));
        assert!(answer.text.contains("=> 2"), "{}", answer.text);
    }
    session.ok("repl_control", json!({ "action": "abort" }));
    let modules = "(hash-map->list (lambda (name module) name) (module-submodules (resolve-module '(lispwright))))";
    assert_eq!(value(&mut session, modules), "(agent)");
}

#[test]
fn files_are_recompiled_when_a_macro_that_they_use_has_changed() {
    let thing = |fields: &str| {
        format!(
            "(define-module (thing) #:export (make-thing thing-x))\n(use-modules (srfi srfi-9))\n\
             (define-record-type <thing> (make-thing x y) thing? {fields})\n"
        )
    };
    let mut session = Session::with_file("thing.scm", thing("(x thing-x) (y thing-y)"));
    // The position of the field is inlined here,
    session.project.file(
        "user.scm",
        "(define-module (user) #:use-module (thing) #:export (x-of))\n(define (x-of t) (thing-x t))\n",
    );
    // and no macro is used here, but what is loaded here was made with what is there.
    let plain = "(define-module (plain) #:use-module (user) #:export (x-of* state))\n(define state (list 'new))\n(define (x-of* t) (x-of t))\n";
    session.project.file("plain.scm", plain);
    session.project.file(
        "t.scm",
        "(use-modules (srfi srfi-64) (thing) (plain))\n(test-begin \"t\")\n(test-equal 1 (x-of* (make-thing 1 2)))\n(test-end \"t\")\n",
    );
    let passes = |session: &mut Session, name: &str| {
        let tested = session.ok("run_tests", json!({ "path": "t.scm", "session": name }));
        assert_eq!((&tested.fields["passed"], &tested.fields["failed"]), (&json!(1), &json!(0)), "{}", tested.text);
    };
    passes(&mut session, "main");
    session.ok("repl_eval", json!({ "code": "(use-modules (plain)) (set-car! state 'old)", "session": "main" }));
    session.project.file("thing.scm", thing("(y thing-y) (x thing-x)"));
    passes(&mut session, "main");
    let state = session.ok("repl_eval", json!({ "code": "state", "session": "main" }));
    assert_eq!(state.fields["values"][0], "(new)", "{}", state.text);
    let answer = session.ok("load_system", json!({ "path": "user.scm", "force": false, "session": "main" }));
    assert_eq!(answer.fields["status"], "unchanged", "{}", answer.text);
    // This image has only the compiled files of earlier ones.
    session.project.file("thing.scm", thing("(z thing-z) (y thing-y) (x thing-x)"));
    passes(&mut session, "other");
    // The modules that a module uses were loaded, but it was not.
    session.project.file(
        "user.scm",
        "(define-module (user) #:use-module (thing) #:export (x-of))\n(define (x-of t) (+ 0 (thing-x t)))\n",
    );
    let answer = session.ok("load_system", json!({ "path": "plain.scm", "force": false, "session": "main" }));
    assert_eq!(answer.fields["status"], "loaded", "{}", answer.text);
}

#[test]
fn changed_modules_are_reloaded_before_their_users() {
    let base = |v: i32| format!("(define-module (base) #:export (v))\n(define v {v})\n");
    let mut session = Session::with_file("base.scm", base(1));
    session.project.file("mid.scm", "(define-module (mid) #:use-module (base) #:export (u))\n(define (u) (list v))\n");
    session.project.file(
        "tests/t.scm",
        "(use-modules (srfi srfi-64) (mid))\n(test-begin \"t\")\n(test-equal \"u\" '(2) (u))\n(test-end \"t\")\n",
    );
    // The same for a module that came in in another way.
    assert_eq!(value(&mut session, "(use-modules (mid)) (u)"), "(1)");
    session.project.file("base.scm", base(2));
    let tested = session.ok("run_tests", json!({ "path": "tests/t.scm" }));
    assert_eq!((&tested.fields["passed"], &tested.fields["failed"]), (&json!(1), &json!(0)), "{}", tested.text);
    session.project.file("base.scm", base(3));
    let tested = session.ok("run_tests", json!({ "path": "tests/t.scm" }));
    assert_eq!(tested.fields["failed"], 1, "{}", tested.text);
    session.project.file("base.scm", base(4));
    session.ok("load_system", json!({ "path": "mid.scm", "force": false }));
    assert_eq!(value(&mut session, "(u)"), "(4)");
    // A module that no longer loads is reported with its own place.
    session.project.file("base.scm", "(define-module (base) #:export (v))\n(define v (if))\n");
    let broken = session.client.call("run_tests", json!({ "path": "tests/t.scm" }));
    assert!(broken.is_error && broken.text.contains("base.scm:2:11: error: "), "{}", broken.text);
}
