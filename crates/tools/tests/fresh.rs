//! What is done in a fresh image because the one that was kept is no judge, on real Lisps.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use lispwright_runtime::Config;
use lispwright_tools::{CallContext, Tool, Workshop, catalogue};
use lispwright_words::{Rendering, Skin, render};
use serde_json::{Value, json};

struct House {
    directory: tempfile::TempDir,
    workshop: Workshop,
    tools: Vec<Tool>,
}

impl House {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("images");
        let configure = |config| Config { cache: Some(cache), spare: false, ..config };
        let workshop = Workshop::open_with(&[directory.path().to_owned()], configure).unwrap().confirming();
        let house = Self { directory, tools: catalogue(&workshop), workshop };
        files.iter().for_each(|(path, text)| house.write(path, text));
        house
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    async fn call(&self, name: &str, arguments: Value) -> Rendering {
        let tool = self.tools.iter().find(|tool| tool.name == name).unwrap();
        let arguments = arguments.as_object().cloned().unwrap();
        render((tool.run)(arguments, CallContext::default()).await, Skin::Client)
    }

    async fn eval(&self, code: &str) -> String {
        self.call("repl_eval", json!({"code": code, "runtime": "guile"})).await.text
    }
}

#[tokio::test]
async fn what_the_kept_image_does_not_load_is_loaded_in_a_fresh_one() {
    let refuses = "(when (defined? 'left-over (resolve-module '(guile-user)))\n  (error \"something is left over\"))\n(define x 1)\n";
    let house = House::new(&[("a.scm", refuses)]);
    house.eval("(define left-over 1)").await;
    let loaded = house.call("load_system", json!({"path": "a.scm"})).await;
    assert_eq!(loaded.fields["status"], "loaded", "{}", loaded.text);
    let note = "[note] Session \"main\" goes on in a fresh image, which loads the files; the earlier one did not: something \
                is left over The earlier image, with what 1 evaluation did in it by hand, is session \"main-before\" now.";
    assert!(loaded.text.contains(note), "{}", loaded.text);
    assert_eq!(house.eval("x").await.trim_end(), "=> 1");
    assert!(house.eval("left-over").await.contains("Unbound variable"));
    let earlier = house.call("repl_eval", json!({"code": "left-over", "session": "main-before"})).await;
    assert_eq!(earlier.text.trim_end(), "=> 1");
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_loads_nowhere_is_told_as_a_fresh_image_tells_it() {
    let house = House::new(&[("a.scm", "(define x 1)\n(error \"never\")\n")]);
    house.eval("(define y 1)").await;
    let loaded = house.call("load_system", json!({"path": "a.scm"})).await;
    assert_eq!(loaded.fields["status"], "failed", "{}", loaded.text);
    assert!(!loaded.text.contains("goes on"), "{}", loaded.text);
    assert!(house.eval("y").await.contains("=> 1"));
    assert!(house.eval("x").await.contains("Unbound variable"), "nothing of it is left");
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn a_fresh_image_that_lacks_what_was_given_is_no_judge() {
    let files = [
        ("base.lisp", "(defpackage :base (:use :cl) (:export #:f))\n(in-package :base)\n(defun f () 1)\n"),
        ("uses.lisp", "(in-package :base)\n(f)\n(error \"never\")\n"),
        ("left.lisp", "(in-package :base)\n(f)\n(when (fboundp 'left-over)\n  (error \"something is left over\"))\n"),
        ("by-hand.lisp", "(in-package :base)\n(defparameter *x* (cl-user::by-hand))\n(error \"never\")\n"),
    ];
    let house = House::new(&files);
    let load = async |path: &str| house.call("load_system", json!({"path": path, "force": true})).await;
    load("base.lisp").await;
    // A fresh image without the package does not come so far.
    let loaded = load("uses.lisp").await.text;
    assert!(loaded.contains("uses.lisp:3: error: never") && !loaded.contains("package"), "{loaded}");
    // A fresh image loads both.
    house.call("repl_eval", json!({"code": "(defun base::left-over ())", "runtime": "sbcl"})).await;
    let loaded = load("left.lisp").await.text;
    assert!(loaded.contains("goes on in a fresh image"), "{loaded}");
    let value = house.call("repl_eval", json!({"code": "(base:f)", "runtime": "sbcl"})).await.text;
    assert_eq!(value.trim_end(), "=> 1");
    // Nor does a fresh image have what was evaluated.
    house.call("repl_eval", json!({"code": "(defun by-hand () 2)", "runtime": "sbcl"})).await;
    let loaded = load("by-hand.lisp").await.text;
    assert!(loaded.contains("by-hand.lisp:3: error: never"), "{loaded}");
    assert!(!loaded.contains("goes on"), "{loaded}");
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn tests_that_need_what_was_loaded_before_them_are_compared_with_it() {
    let tests =
        "(use-modules (srfi srfi-64))\n(test-begin \"t\")\n(test-equal \"price\" 4 (price 2))\n(test-end \"t\")\n";
    let house = House::new(&[("shop.scm", "(define (price x) (* 2 x))\n"), ("t.scm", tests)]);
    house.call("load_system", json!({"path": "shop.scm"})).await;
    let passed = house.call("run_tests", json!({"path": "t.scm", "fresh": true})).await.text;
    let note =
        "[note] The tests of t.scm also pass in a fresh image that was given shop.scm; without that they do not.";
    assert!(passed.contains(note), "{passed}");
    house.eval("(define (by-hand x) (* 2 x))").await;
    house.write("shop.scm", "(define (price x) (by-hand x))\n");
    let passed = house.call("run_tests", json!({"path": "t.scm", "fresh": true})).await.text;
    let note =
        "The tests of t.scm have other results in a fresh image that was given shop.scm: 0 passed, 1 failed: price.";
    assert!(passed.contains(note), "{passed}");
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn a_change_is_judged_in_an_image_that_was_given_the_same() {
    let files = [
        ("shop.asd", "(defsystem \"shop\" :components ((:file \"base\")))\n"),
        ("base.lisp", "(defpackage :base (:use :cl) (:export #:f))\n(in-package :base)\n(defun f () 1)\n"),
        ("tests.lisp", "(defpackage :tests (:use :cl :base :rt))\n(in-package :tests)\n(deftest one (f) 1)\n"),
    ];
    let house = House::new(&files);
    house.call("load_system", json!({"system": "shop"})).await;
    let code = "(asdf:load-system \"rt\")";
    house.call("repl_eval", json!({"code": code, "runtime": "sbcl"})).await;
    let passed = house.call("run_tests", json!({"path": "tests.lisp", "fresh": true})).await;
    assert_eq!(passed.fields["passed"], 1, "{}", passed.text);
    let after = "in a fresh image that was given shop, (asdf:load-system \"rt\"); without that they do not.";
    assert!(passed.text.contains(after), "{}", passed.text);
    let edit = async |body: &str| {
        let content = format!("(defun f () {body})");
        let edit =
            json!({"path": "base.lisp", "operation": "replace", "name": "f", "content": content, "verify": "tests"});
        house.call("lisp_edit_form", edit).await
    };
    // In a fresh image without the package no test would run, before the change as after it.
    let refused = edit("2").await;
    assert!(refused.is_error && refused.text.contains("FAILED tests.lisp:3: tests::one"), "{}", refused.text);
    let kept = edit("(- 2 1)").await;
    assert!(kept.text.contains("Verified: the tests pass"), "{}", kept.text);
    // Nor would one run that needs what was defined by hand.
    house.call("repl_eval", json!({"code": "(in-package :base) (defmacro by-hand () ''rt)", "runtime": "sbcl"})).await;
    house.write("tests.lisp", &format!("{}(use-package (base::by-hand))\n(deftest two (f) 1)\n", files[2].1));
    let refused = edit("3").await;
    assert!(refused.is_error && refused.text.contains("FAILED tests.lisp:5: tests::two"), "{}", refused.text);
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn a_changed_file_that_was_given_is_loaded_before_one_that_uses_its_names() {
    let files = [
        ("base.scm", "(define (base) 1)\n"),
        ("shop.scm", "(define (price x) (* (base) x))\n"),
        (
            "t.scm",
            "(use-modules (srfi srfi-64))\n(test-begin \"t\")\n(test-equal \"price\" 4 (price 2))\n(test-end \"t\")\n",
        ),
    ];
    let house = House::new(&files);
    // By a call, and by code.
    house.call("load_system", json!({"path": "base.scm"})).await;
    house.eval("(load \"shop.scm\")").await;
    let run = async || house.call("run_tests", json!({"path": "t.scm"})).await;
    assert_eq!(run().await.fields["failed"], 1);
    house.write("base.scm", "(define (base) 2)\n");
    assert_eq!(run().await.fields["passed"], 1);
    house.write("shop.scm", "(define (price x) (+ x x))\n");
    let passed = run().await;
    assert_eq!(passed.fields["passed"], 1, "{}", passed.text);
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn a_changed_file_without_a_namespace_is_loaded_before_one_that_uses_its_names() {
    let files = [
        ("base.clj", "(defn base [] 1)\n"),
        ("shop.clj", "(defn price [x] (* (base) x))\n"),
        ("t.clj", "(require '[clojure.test :refer [deftest is]])\n(deftest price-test (is (= 4 (price 2))))\n"),
    ];
    let house = House::new(&files);
    house.call("load_system", json!({"path": "base.clj"})).await;
    house.call("load_system", json!({"path": "shop.clj"})).await;
    let run = async || house.call("run_tests", json!({"path": "t.clj"})).await;
    let failed = run().await;
    assert_eq!(failed.fields["failed"], 1, "{}", failed.text);
    house.write("base.clj", "(defn base [] 2)\n");
    let passed = run().await;
    assert_eq!(passed.fields["passed"], 1, "{}", passed.text);
    house.write("base.clj", "(defn two [] 2)\n(defn base [] 1)\n");
    house.write("shop.clj", "(defmacro twice [x] `(* (two) ~x))\n(defn price [x] (twice x))\n");
    let passed = run().await;
    assert_eq!(passed.fields["passed"], 1, "{}", passed.text);
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn the_load_of_a_file_of_tests_leaves_no_log() {
    let tests = "(use-modules (srfi srfi-64))\n(test-begin \"t\")\n(test-equal \"one\" 1 1)\n(test-end \"t\")\n";
    let house = House::new(&[("t.scm", tests)]);
    let loaded = house.call("load_system", json!({"path": "t.scm"})).await.text;
    assert!(loaded.contains("# of expected passes      1"), "{loaded}");
    assert!(!house.directory.path().join("t.log").exists());
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_a_file_defines_unless_it_is_there_stays() {
    let user = "(require 'base)\n(unless (boundp 'user-count) (defvar user-count 1))\n\
        (unless (facep 'user-face) (defface user-face '((t)) \"D.\" :group 'user))\n\
        (defmacro user-faces (n) `(defface ,(intern (format \"user-face-%d\" n)) '((t)) \"D.\" :group 'user))\n(user-faces 2)\n\
        (define-derived-mode user-mode fundamental-mode \"U\")\n\
        (defun user-sum () (with-temp-buffer (user-mode) (+ (base) user-count (if (and (facep 'user-face) (facep 'user-face-2)) 1 0))))\n\
        (provide 'user)\n";
    let tests = "(require 'ert)\n(require 'user)\n(ert-deftest sum () (should (= 3 (user-sum))))\n";
    let base = |count| format!("(defmacro base () {count})\n(provide 'base)\n");
    let files = [("base.el", &*base(0)), ("user.el", user), ("user-test.el", tests)];
    let house = House::new(&files);
    let run = async || house.call("run_tests", json!({"path": "user-test.el"})).await;
    assert_eq!(run().await.fields["failed"], 1);
    house.write("base.el", &base(1));
    let passed = run().await;
    assert!(passed.fields["passed"] == 1 && !passed.text.contains("gone"), "{}", passed.text);
    house.write("user.el", &user.replace("(define-derived-mode user-mode fundamental-mode \"U\")", ""));
    let failed = run().await;
    assert!(failed.text.contains("variable user-mode-syntax-table") && failed.text.contains("gone"), "{}", failed.text);
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_is_defined_again_under_its_name_is_not_gone() {
    let user = "(ns user2 (:require [base :refer [m]]))\n(defrecord Item [name])\n\
        (defmethod print-method Item [item writer] (.write writer \"item\"))\n\
        (defn f []\n  (defn inner [] (m))\n  (str (pr-str (->Item 1)) (inner)))\n";
    let tests = "(ns user2-test (:require [clojure.test :refer [deftest is]] [user2 :as user]))\n\
        (deftest all (is (= \"item2\" (user/f))))\n";
    let base = |count| format!("(ns base)\n(defmacro m [] {count})\n");
    let script = "(ns script-test (:require [cljs.test :refer [deftest is]]))\n(deftest one (is (= 1 1)))\n";
    let files = [
        ("deps.edn", "{:paths [\"src\" \"test\"]}\n"),
        ("src/base.clj", &*base(1)),
        ("src/user2.clj", user),
        ("test/user2_test.clj", tests),
        ("test/script_test.cljs", script),
    ];
    let house = House::new(&files);
    let run = async || house.call("run_tests", json!({})).await;
    assert_eq!(run().await.fields["failed"], 1);
    house.write("src/base.clj", &base(2));
    let passed = run().await;
    assert!(passed.fields["passed"] == 1 && !passed.text.contains("gone"), "{}", passed.text);
    assert_eq!(passed.fields["failed"], 0, "{}", passed.text);
    house.workshop.sessions.shutdown().await;
}

/// A repository with packages beside each other, as they are often published, and tests that use libraries which share parts
/// at several phases, and that expand code.
#[tokio::test]
async fn packages_beside_each_other_are_tested_as_often_as_one_likes() {
    let info = "#lang info\n(define collection 'multi)\n";
    let shop = "#lang racket/base\n(provide price twice)\n(define-syntax-rule (twice x) (+ x x))\n(define (price x) (twice x))\n";
    let tests = "#lang racket/base\n(require shop racket/match racket/string)\n\
        (define (first-of x) (match x [(list a _ ...) a]))\n\
        (module+ test\n  (require rackunit)\n  (define-namespace-anchor anchor)\n\
        (check-equal? (price (first-of '(2))) 4)\n\
        (check-equal? (eval '(twice 3) (namespace-anchor->namespace anchor)) 6))\n";
    let files = [
        ("shop-lib/info.rkt", info),
        ("shop-lib/shop/main.rkt", shop),
        ("shop-test/info.rkt", info),
        ("shop-test/tests/shop/price.rkt", tests),
    ];
    let house = House::new(&files);
    let run = async || house.call("run_tests", json!({})).await;
    for text in [shop.to_owned(), format!("{shop}(define other 1)\n")] {
        house.write("shop-lib/shop/main.rkt", &text);
        for _ in 0..2 {
            let passed = run().await;
            assert_eq!([&passed.fields["passed"], &passed.fields["failed"]], [&json!(2), &json!(0)], "{}", passed.text);
        }
    }
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn the_first_code_can_load_what_the_project_has() {
    let base = "(defpackage :shop (:use :cl) (:export #:price))\n(in-package :shop)\n(defun price () 7)\n";
    let house = House::new(&[
        ("shop.asd", "(defsystem \"shop\" :components ((:file \"base\")))\n"),
        ("base.lisp", base),
        ("shop.scm", "(define-module (shop) #:export (price))\n(define (price) 7)\n"),
        ("shop.rkt", "#lang racket/base\n(provide price)\n(define (price) 7)\n"),
        ("lisp/shop.el", ";;; -*- lexical-binding: t -*-\n(defun shop-price () 7)\n(provide 'shop)\n"),
    ]);
    let system = "\"system\": \"shop\"";
    for (runtime, load, call, hint) in [
        ("sbcl", "(asdf:load-system \"shop\")", "(shop:price)", system),
        ("ecl", "(asdf:load-system \"shop\")", "(shop:price)", system),
        ("clisp", "(asdf:load-system \"shop\")", "(shop:price)", system),
        ("guile", "(use-modules (shop))", "(price)", "\"path\": \"shop.scm\""),
        ("racket", "(require \"shop.rkt\")", "(price)", "\"path\": \"shop.rkt\""),
        ("emacs", "(require 'shop)", "(shop-price)", "\"path\": \"lisp/shop.el\""),
    ] {
        let eval = async |code: &str| {
            house.call("repl_eval", json!({"code": code, "runtime": runtime, "session": runtime})).await.text
        };
        let told = eval(call).await;
        assert!(told.contains(&format!("not loaded here: load_system {{{hint}}}")), "{runtime}: {told}");
        eval(load).await;
        let called = eval(call).await;
        assert_eq!(called.trim_end(), "=> 7", "{runtime}");
    }
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn a_signal_that_comes_with_the_request_interrupts_nothing() {
    let house = House::new(&[]);
    let eval = async |code: &str| {
        house.call("repl_eval", json!({"code": code, "runtime": "clisp", "session": "clisp"})).await.text
    };
    let signal = "(ext:shell \"kill -INT $PPID\")";
    for _ in 0..3 {
        assert_eq!(eval(&format!("(progn {signal} 42)")).await.trim_end(), "=> 42");
    }
    let later = eval(&format!("(progn (sleep 0.3) {signal} 42)")).await;
    assert!(later.contains("It was sent SIGINT"), "{later}");
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_is_gone_and_still_used_is_told() {
    let module =
        "(define-module (shop) #:export (price))\n(define (helper x) (* 2 x))\n(define (price x) (helper x))\n";
    let tests = "(use-modules (srfi srfi-64) (shop))\n(test-begin \"t\")\n(test-equal \"price\" 4 (price 2))\n(test-end \"t\")\n";
    let house = House::new(&[("shop.scm", module), ("t.scm", tests)]);
    let passed = house.call("run_tests", json!({"path": "t.scm"})).await;
    assert_eq!(passed.fields["passed"], 1, "{}", passed.text);
    house.write("shop.scm", &module.replace("(define (helper x) (* 2 x))\n", ""));
    let failed = house.call("run_tests", json!({"path": "t.scm"})).await;
    assert_eq!(failed.fields["failed"], 1, "{}", failed.text);
    let note = "[note] procedure helper is gone; price (shop.scm:2) still uses it.";
    assert!(failed.text.contains(note), "{}", failed.text);
    let forgotten = &failed.fields["changes"]["forgotten"][0];
    assert_eq!(forgotten["path"], "shop.scm");
    assert_eq!(forgotten["still_used"], json!([{"form": "price", "path": "shop.scm", "line": 2}]));
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn questions_do_not_wait_for_code_that_runs() {
    let house = House::new(&[("a.scm", "(define-module (a) #:export (f))\n(define (f x) (g x))\n(define (g x) x)\n")]);
    house.eval("1").await;
    let sleeping = house.eval("(sleep 600)");
    let asking = async {
        while house.workshop.sessions.doing("main").is_none() {
            tokio::task::yield_now().await;
        }
        for (tool, arguments) in [
            ("code_find", json!({"symbol": "g"})),
            ("code_describe", json!({"symbol": "g"})),
            ("code_find_references", json!({"symbol": "g"})),
            ("code_map", json!({})),
            ("lisp_search", json!({"pattern": "define"})),
        ] {
            let answer = house.call(tool, arguments).await;
            assert!(!answer.is_error, "{tool}: {}", answer.text);
            let says_so = answer.text.contains("[note] The image of session \"main\" is busy, evaluating (sleep 600)");
            assert_eq!(says_so, tool.starts_with("code_") && tool != "code_map", "{}", answer.text);
        }
        house.call("repl_control", json!({"action": "interrupt"})).await;
    };
    let (_, ()) = tokio::join!(sleeping, asking);
    house.workshop.sessions.shutdown().await;
}

const TESTS: &str =
    "(use-modules (srfi srfi-64) (shop))\n(test-begin \"t\")\n(test-equal \"price\" 4 (price 2))\n(test-end \"t\")\n";

fn shop(body: &str) -> String {
    format!("(define-module (shop) #:export (price))\n(define (price x) {body})\n")
}

#[tokio::test]
async fn what_passes_also_in_a_fresh_image_is_told_with_the_next_answer() {
    let house = House::new(&[("shop.scm", &shop("(* 2 x)")), ("t.scm", TESTS)]);
    let run = || house.call("run_tests", json!({"path": "t.scm"}));
    let wait = || house.call("repl_control", json!({"action": "wait"}));
    assert_eq!(run().await.fields["passed"], 1);
    assert!(!wait().await.text.contains("fresh image"), "the first image was fresh");
    house.write("shop.scm", &shop("(+ x x)"));
    assert_eq!(run().await.fields["passed"], 1);
    let waited = wait().await;
    assert!(waited.text.contains("[note] The tests of t.scm also pass in a fresh image ("), "{}", waited.text);
    assert!(!house.eval("1").await.contains("fresh image"), "once told is told");
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_passes_only_in_the_kept_image_is_told() {
    let house = House::new(&[("shop.scm", &shop("(* 2 x)")), ("t.scm", TESTS)]);
    let run = || house.call("run_tests", json!({"path": "t.scm"}));
    assert_eq!(run().await.fields["passed"], 1);
    // A definition by hand, which a file relies on.
    house.eval("(define (by-hand x) (* 2 x))").await;
    house.write("shop.scm", &shop("((@@ (guile-user) by-hand) x)"));
    assert_eq!(run().await.fields["passed"], 1);
    let told = house.call("repl_control", json!({"action": "wait"})).await.text;
    let note = "[note] The tests of t.scm have other results in a fresh image, which has only what the files have: 0 \
                passed, 1 failed: price. In the session's image it was: 1 passed, 0 failed.";
    assert!(told.contains(note), "{told}");
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_fails_for_what_earlier_runs_have_left_is_told_with_the_failure() {
    let shop =
        "(define-module (shop) #:export (visit))\n(define count 0)\n(define (visit) (set! count (+ count 1)) count)\n";
    let tests =
        "(use-modules (srfi srfi-64) (shop))\n(test-begin \"t\")\n(test-equal \"first\" 1 (visit))\n(test-end \"t\")\n";
    let house = House::new(&[("shop.scm", shop), ("t.scm", tests)]);
    let run = || house.call("run_tests", json!({"path": "t.scm"}));
    assert_eq!(run().await.fields["passed"], 1);
    let failed = run().await.text;
    let note = "[note] The tests of t.scm have other results in a fresh image, which has only what the files have: 1 \
                passed, 0 failed. In the session's image it was: 0 passed, 1 failed: first.";
    assert!(failed.contains("FAILED t.scm:3: first") && failed.contains(note), "{failed}");
    house.write("t.scm", &tests.replace("(visit))", "(+ 2 (visit)))"));
    let failed = run().await.text;
    assert!(failed.contains("FAILED t.scm:3: first") && !failed.contains("[note]"), "{failed}");
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_was_defined_by_hand_is_told_where_files_rely_on_it() {
    let module = "(define-module (shop) #:export (price))\n(define (price x) (helper x))\n";
    let house = House::new(&[("shop.scm", module), ("t.scm", TESTS)]);
    house.call("load_system", json!({"path": "shop.scm"})).await;
    let code = "(define (helper x) (* 2 x)) (define (other x) x)";
    house.call("repl_eval", json!({"code": code, "package": "(shop)", "runtime": "guile"})).await;
    let passed = house.call("run_tests", json!({"path": "t.scm"})).await;
    assert_eq!(passed.fields["passed"], 1, "{}", passed.text);
    let note = "[note] helper was defined by hand; no file has it, and price (shop.scm:2) uses it.";
    assert!(passed.text.contains(note), "{}", passed.text);
    let drift = house.call("repl_control", json!({"action": "drift"})).await;
    let expected = "The image of session \"main\" (guile) differs from its 1 loaded file:\n  \
                    helper: by hand, in no file; price (shop.scm:2) uses it\n  other: by hand, in no file\n";
    assert!(drift.text.starts_with(expected), "{}", drift.text);
    let waited = house.call("repl_control", json!({"action": "wait"})).await;
    assert!(waited.text.contains("other results in a fresh image"), "{}", waited.text);
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn definitions_by_hand_give_way_to_those_of_the_files_when_code_is_judged() {
    let module = "(define-module (shop) #:export (price))\n(define (price x) x)\n";
    let house = House::new(&[("shop.scm", module), ("t.scm", TESTS)]);
    let failed = house.call("run_tests", json!({"path": "t.scm"})).await;
    assert_eq!(failed.fields["failed"], 1, "{}", failed.text);
    let mend = "(define (price x) (* 2 x))";
    house.call("repl_eval", json!({"code": mend, "package": "(shop)"})).await;
    let drift = house.call("repl_control", json!({"action": "drift"})).await;
    assert!(drift.text.contains("  price: by hand; shop.scm:2 has another\n"), "{}", drift.text);
    let failed = house.call("run_tests", json!({"path": "t.scm"})).await;
    assert_eq!(failed.fields["failed"], 1, "{}", failed.text);
    let note = "[note] price is as in its file again; by hand it was other.";
    assert!(failed.text.contains(note), "{}", failed.text);
    house.write("shop.scm", &module.replace("(define (price x) x)", mend));
    house.call("repl_eval", json!({"code": mend, "package": "(shop)"})).await;
    let passed = house.call("run_tests", json!({"path": "t.scm", "fresh": true})).await;
    assert_eq!(passed.fields["passed"], 1, "{}", passed.text);
    assert!(passed.text.contains("also pass in a fresh image"), "{}", passed.text);
    let drift = house.call("repl_control", json!({"action": "drift"})).await;
    assert_eq!(drift.text, "The image of session \"main\" (guile) is in the state of its 1 loaded file.");
    house.write("shop.scm", module);
    let drift = house.call("repl_control", json!({"action": "drift"})).await;
    assert!(drift.text.contains("  shop.scm: changed since it was loaded\n"), "{}", drift.text);
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn a_comparison_that_was_asked_for_is_waited_for() {
    let house = House::new(&[(
        "t.scm",
        "(use-modules (srfi srfi-64))\n(test-begin \"t\")\n(test-assert (defined? 'by-hand))\n(test-end \"t\")\n",
    )]);
    house.eval("(define by-hand 1)").await;
    let told = house.call("run_tests", json!({"path": "t.scm", "fresh": true})).await;
    assert_eq!(told.fields["passed"], 1, "{}", told.text);
    assert!(told.is_error, "{}", told.text);
    assert!(told.text.contains("other results in a fresh image"), "{}", told.text);
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_failed_before_a_change_is_no_reason_to_leave_the_image() {
    let red = "(use-modules (srfi srfi-64))\n(test-begin \"r\")\n(test-equal \"red\" 1 2)\n(test-end \"r\")\n";
    let house = House::new(&[("shop.scm", &shop("(* 2 x)")), ("t.scm", TESTS), ("red.scm", red)]);
    house.eval("(define by-hand 1)").await;
    let change = json!({"path": "shop.scm", "operation": "replace", "name": "price", "verify": "tests",
        "content": "(define (price x) (+ x x))", "runtime": "guile"});
    let edited = house.call("lisp_edit_form", change).await;
    let verified = "Verified: no test fails that did not fail before (in a copy of the session's image, which is as before). Failed before, too: red.";
    assert!(edited.text.contains(verified), "{}", edited.text);
    assert!(!edited.text.contains("goes on"), "{}", edited.text);
    assert_eq!(house.eval("by-hand").await.trim_end(), "=> 1");
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_a_change_breaks_is_told_at_once_and_what_was_broken_before_ends_nothing() {
    let module = |needs: &str, value: u32| {
        format!("(define-module (shop) #:use-module ({needs}) #:export (price))\n(define (price x) {value})\n")
    };
    let test = |name: &str| {
        format!(
            "(use-modules (srfi srfi-64) (shop))\n(test-begin \"{name}\")\n(test-equal \"{name}\" 1 (price 2))\n\
             (test-end \"{name}\")\n"
        )
    };
    let files = [("shop.scm", module("ice-9 match", 1)), ("a-test.scm", test("a")), ("b-test.scm", test("b"))];
    let house = House::new(&files.each_ref().map(|(path, text)| (*path, text.as_str())));
    let change = |old: &str, new: &str| json!({"path": "shop.scm", "old_text": old, "new_text": new, "verify": "tests", "runtime": "guile"});
    let broken = house.call("lisp_patch_form", change("ice-9 match", "no where")).await;
    assert!(broken.is_error && broken.text.contains("no code for module (no where)"), "{}", broken.text);
    assert_eq!(broken.text.matches("did not load").count(), 1, "{}", broken.text);
    house.write("shop.scm", &module("no where", 1));
    let kept = house.call("lisp_patch_form", change("(price x) 1", "(price x) 2")).await;
    let told = "Not verified: nothing that was loaded has shop.scm in it";
    assert!(
        kept.text.contains(told) && kept.text.contains("2 files of tests do not load, as before."),
        "{}",
        kept.text
    );
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn a_script_that_ends_itself_is_loaded_and_a_file_of_tests_that_does_so_runs_once() {
    let script = "(define (main) (display \"one\"))\n(main)\n(exit CODE)\n";
    let tests = "(use-modules (srfi srfi-64) (shop))\n(define log (open-file \"log\" \"a\"))\n(display \"run \" log)\n(close log)\n\
                 (test-begin \"t\")\n(test-equal \"price\" 4 (price 2))\n(test-end \"t\")\n(exit 0)\n";
    let (good, bad) = (script.replace("CODE", "0"), script.replace("CODE", "2"));
    let house = House::new(&[("shop.scm", &shop("(* 2 x)")), ("t.scm", tests), ("good.scm", &good), ("bad.scm", &bad)]);
    house.eval("(define by-hand 1)").await;
    let loaded = house.call("load_system", json!({"path": "good.scm"})).await;
    assert_eq!((loaded.is_error, &loaded.fields["exit_code"]), (false, &json!(0)), "{}", loaded.text);
    assert!(
        loaded.text.contains("; it ended itself with exit code 0, and the rest was not evaluated."),
        "{}",
        loaded.text
    );
    let failed = house.call("load_system", json!({"path": "bad.scm"})).await;
    assert_eq!((failed.is_error, &failed.fields["exit_code"]), (true, &json!(2)), "{}", failed.text);
    let patch = |path: &str, old: &str, new: &str, verify: &str| json!({"path": path, "old_text": old, "new_text": new, "verify": verify});
    for (path, told) in
        [("good.scm", "Verified: it compiles"), ("bad.scm", "Failed before, too: bad.scm: it ended with exit code 2.")]
    {
        let patched = house.call("lisp_patch_form", patch(path, "\"one\"", "\"two\"", "compile")).await;
        assert!(!patched.is_error && patched.text.contains(told), "{}", patched.text);
    }
    let verified = house.call("lisp_patch_form", patch("t.scm", "4 (price 2)", "6 (price 3)", "tests")).await;
    assert!(!verified.is_error && verified.text.contains("Verified: the tests pass"), "{}", verified.text);
    assert_eq!(fs::read_to_string(house.directory.path().join("log")).unwrap(), "run ");
    assert_eq!(house.eval("by-hand").await.trim_end(), "=> 1");
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn of_many_files_with_tests_those_run_that_use_what_changed() {
    let other = "(use-modules (srfi srfi-64))\n(test-begin \"t\")\n(test-equal \"other\" 1 1)\n(test-end \"t\")\n";
    let house = House::new(&[("shop.scm", &shop("(* 2 x)")), ("z.scm", TESTS)]);
    (10..32).for_each(|at| house.write(&format!("a{at}.scm"), other));
    let price = |body: &str| {
        json!({"path": "shop.scm", "operation": "replace", "name": "price", "verify": "tests", "runtime": "guile",
            "content": format!("(define (price x) {body})")})
    };
    let refused = house.call("lisp_edit_form", price("(* 3 x)")).await;
    assert!(refused.is_error && refused.text.contains("FAILED z.scm:3: price"), "{}", refused.text);
    let edited = house.call("lisp_edit_form", price("(+ x x)")).await;
    assert_eq!(edited.fields["verification"]["tests_left_out"], 3, "{}", edited.text);
    let told = "Verified: the tests pass (in a copy of the session's image, which is as before). 3 further files with tests did not \
                run: they use no changed file.";
    assert!(edited.text.contains(told), "{}", edited.text);
    assert!(edited.text.contains("\n20 passed, 0 failed, 0 pending in 20 runs: z.scm, a10.scm, "), "{}", edited.text);
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_is_not_bound_because_its_file_is_not_loaded_is_told() {
    let house = House::new(&[("g.scm", "(define-module (g) #:export (gx))\n(define (gx) 1)\n")]);
    let told = house.eval("(gx)").await;
    assert!(
        told.contains("[note] gx: defined in g.scm:2 ((g)), not loaded here: load_system {\"path\": \"g.scm\"}"),
        "{told}"
    );
    house.call("load_system", json!({"path": "g.scm"})).await;
    assert!(!house.eval("(nowhere)").await.contains("[note]"), "no file defines it");
    assert!(!house.eval("(gx)").await.contains("not loaded"), "it is loaded");
    // Code can load it, too; and what was added to it since is not loaded.
    house.write("h.scm", "(define-module (h) #:export (total))\n(define (total) 1)\n");
    house.eval("(use-modules (h))").await;
    assert!(house.eval("(toatl)").await.contains("toatl: no file of the project defines it. Nearest: total."));
    assert!(
        house.eval("(define-module (else)) (total)").await.contains("total: defined in h.scm:2 ((h)), which is loaded")
    );
    house.write("h.scm", "(define-module (h) #:export (total))\n(define (total) 1)\n(define (new) 1)\n");
    let told = house.call("repl_eval", json!({"code": "(new)", "package": "(h)", "runtime": "guile"})).await.text;
    assert!(told.contains("new: defined in h.scm:3 ((h)), not loaded here"), "{told}");
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn an_image_with_another_class_path_is_no_judge() {
    let without = "{:paths [\"src\"] :aliases {:test {:extra-paths [\"test\"]}}}\n";
    let with = without.replace("[\"src\"]", "[\"src\" \"more\"]");
    let house = House::new(&[
        ("deps.edn", with.as_str()),
        ("src/shop/core.clj", "(ns shop.core (:require [shop.more :as more]))\n(defn price [] (more/two))\n"),
        ("more/shop/more.clj", "(ns shop.more)\n(defn two [] 2)\n"),
        (
            "test/shop/core_test.clj",
            "(ns shop.core-test (:require [clojure.test :refer [deftest is]] [shop.core :as core]))\n\
             (deftest price (is (= 2 (core/price))))\n",
        ),
    ]);
    let tests = async || house.call("run_tests", json!({"runtime": "clojure"})).await;
    let passed = tests().await;
    assert_eq!((&passed.fields["passed"], &passed.fields["failed"]), (&json!(1), &json!(0)), "{}", passed.text);
    // The image has the namespace, and a fresh one would not find it.
    house.write("deps.edn", without);
    let failed = tests().await;
    assert_eq!((&failed.fields["passed"], &failed.fields["failed"]), (&json!(0), &json!(1)), "{}", failed.text);
    assert!(failed.text.contains("Could not locate shop/more"), "{}", failed.text);
    // A change of the build file concerns all tests.
    let replace = json!({
        "path": "deps.edn", "line": 1, "operation": "replace", "content": with.trim_end(), "verify": "tests"
    });
    let mended = house.call("lisp_edit_form", replace).await;
    assert!(mended.text.contains("Verified: the tests pass"), "{}", mended.text);
    let passed = tests().await;
    assert_eq!((&passed.fields["passed"], &passed.fields["failed"]), (&json!(1), &json!(0)), "{}", passed.text);
    assert!(!passed.text.contains("goes on in a fresh image"), "{}", passed.text);
    house.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_no_image_has_is_looked_for_in_one_fresh_image() {
    let house = House::new(&[]);
    let log = house.directory.path().join("log");
    // Each image that loads a file says so.
    let said = format!(
        "(eval-when (expand)\n  (let ((to (open-file {log:?} \"a\")))\n    (write (getpid) to)\n    (newline to)\n    \
         (close-port to)))\n"
    );
    let file = |name: &str, head: &str| {
        let text =
            format!("(use-modules (srfi srfi-64))\n{head}(test-begin \"{name}\")\n(test-assert #t)\n(test-end)\n");
        house.write(&format!("tests/test-{name}.scm"), &text);
    };
    file("a", "");
    for name in ["b", "c", "d", "e"] {
        file(name, &format!("{said}(use-modules (nobody has this))\n"));
    }
    let tests = house.call("run_tests", json!({})).await;
    assert_eq!(tests.fields["failed"], 4, "{}", tests.text);
    assert_eq!(tests.text.matches("no code for module (nobody has this)").count(), 1, "{}", tests.text);
    let said = fs::read_to_string(log).unwrap();
    let images: std::collections::HashSet<&str> = said.lines().collect();
    assert_eq!((said.lines().count(), images.len()), (5, 2), "{said}");
    house.workshop.sessions.shutdown().await;
}
