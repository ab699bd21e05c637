//! Runs of the tests of a directory or of a whole project, on a real Guile, SBCL, Racket and
//! Emacs.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use lispwright_runtime::Config;
use lispwright_tools::{CallContext, Tool, Workshop, catalogue};
use lispwright_words::{Rendering, Skin, render};
use serde_json::{Value, json};

const LIBRARY: &str =
    "(define-module (lib) #:export (twice thrice))\n(define (twice x) (* 2 x))\n(define (thrice x) (* 3 x))\n";

fn suite(name: &str, tests: &[&str]) -> String {
    format!(
        "(use-modules (srfi srfi-64) (lib))\n(test-begin \"{name}\")\n{}\n(test-end \"{name}\")\n",
        tests.join("\n")
    )
}

struct Project {
    directory: tempfile::TempDir,
    workshop: Workshop,
    tools: Vec<Tool>,
}

impl Project {
    fn empty() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("images");
        let configure = |config| Config { cache: Some(cache), spare: false, ..config };
        let workshop = Workshop::open_with(&[directory.path().to_owned()], configure).unwrap();
        Self { directory, tools: catalogue(&workshop), workshop }
    }

    /// Two files with tests of a module.
    fn new() -> Self {
        let project = Self::empty();
        project.write("lib.scm", LIBRARY);
        let (twice, thrice) = ("(test-equal \"twice\" 4 (twice 2))", "(test-equal \"thrice\" 6 (thrice 2))");
        project.write("test/test-a.scm", &suite("a", &[twice, thrice]));
        project.write("test/test-b.scm", &suite("b", &["(test-equal \"again\" 9 (thrice 3))"]));
        project.write("test/helper.scm", "(define (help) 1)\n");
        project
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    async fn run(&self, arguments: Value) -> Rendering {
        let tool = self.tools.iter().find(|tool| tool.name == "run_tests").unwrap();
        render((tool.run)(arguments.as_object().cloned().unwrap(), CallContext::default()).await, Skin::Client)
    }

    /// The first line of an answer, without its duration, and its other lines.
    async fn lines(&self, arguments: Value) -> (String, Vec<String>) {
        let text = self.run(arguments).await.text;
        let mut lines = text.lines().map(|line| line.trim().to_owned());
        let first = lines.next().unwrap_or_default();
        (first.split(" (srfi-64, ").next().unwrap().to_owned(), lines.collect())
    }
}

#[tokio::test]
async fn a_project_and_a_directory_have_the_tests_of_their_files() {
    let project = Project::new();
    assert_eq!(project.lines(json!({})).await.0, "3 passed, 0 failed, 0 pending of 3 in 2 files");
    let (headline, _) = project.lines(json!({"path": "test", "tests": ["thr*", "again"]})).await;
    assert_eq!(headline, "2 passed, 0 failed, 0 pending of 2 in 2 files");
    let missing = project.run(json!({"tests": ["nope"]})).await;
    assert!(missing.is_error);
    assert!(
        missing.text.contains("No test or group is called nope. There are: twice, thrice, again."),
        "{}",
        missing.text
    );
    let none = project.run(json!({"framework": "rackunit"})).await;
    assert!(none.text.contains("No tests of rackunit were found in the project"), "{}", none.text);
    project.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn a_module_that_a_makefile_lists_is_a_test() {
    let project = Project::empty();
    let script = |name: &str, code: &str| {
        format!("(define-module (tests {name}))\n(display \"All tests passed.\\n\")\n(exit {code})\n")
    };
    for (name, code) in [("basic", "0"), ("more", "1"), ("unlisted", "1")] {
        project.write(&format!("tests/{name}.scm"), &script(name, code));
    }
    project.write("Makefile.am", "TESTS = \\\n  tests/basic.scm \\\n  tests/more.scm\n");
    let text = project.run(json!({})).await.text;
    assert!(text.starts_with("1 passed, 1 failed, 0 pending of 2 in 2 files"), "{text}");
    assert!(text.contains("FAILED tests/more.scm\n  It ended with exit code 1."), "{text}");
    project.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn the_selector_of_the_projects_own_runner_chooses_tests() {
    let project = Project::empty();
    let tests = "(require 'ert)\n(ert-deftest quick ()\n  (should t))\n(ert-deftest seen ()\n  :tags '(gui)\n  (should (display-graphic-p)))\n";
    project.write("test/shop-tests.el", tests);
    let batch =
        "test:\n\temacs -Q --batch -l test/shop-tests.el --eval \"(ert-run-tests-batch-and-exit '(not (tag gui)))\"\n";
    project.write("Makefile", batch);
    let (headline, more) = project.lines(json!({})).await;
    assert!(headline.starts_with("1 passed, 0 failed, 0 pending of 1 in 1 file "), "{headline}");
    let said = "[note] test/shop-tests.el: The project's own runner selects (not (tag gui)): 1 did not run. Tests that are \
                named run: seen.";
    assert_eq!(more, [said]);
    let (named, _) = project.lines(json!({"path": "test/shop-tests.el", "tests": ["seen"]})).await;
    assert!(named.starts_with("0 passed, 1 failed, 0 pending of 1 "), "{named}");
    // What make puts into a selection is not known.
    project.write("Makefile", &batch.replace("(not", "(and \\\"$(TESTS)\\\" (not").replace("gui))", "gui)))"));
    let (all, _) = project.lines(json!({"path": "test/shop-tests.el"})).await;
    assert!(all.starts_with("1 passed, 1 failed, 0 pending of 2 "), "{all}");
    project.write("Makefile", batch);
    // One that runs all, or another selection, beside it: none is the project's own.
    project.write("run.sh", "emacs --batch -l test/shop-tests.el -f ert-run-tests-batch-and-exit\n");
    let (all, _) = project.lines(json!({"path": "test/shop-tests.el"})).await;
    assert!(all.starts_with("1 passed, 1 failed, 0 pending of 2 "), "{all}");
    project.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn checks_at_the_top_of_a_module_of_racket_are_tests() {
    let project = Project::empty();
    let module =
        "#lang racket/base\n(provide f)\n(define (f) 1)\n(module+ test (require rackunit) (check-equal? (f) 1))\n";
    project.write("f.rkt", module);
    project.write("checks.rkt", "#lang racket/base\n(require rackunit \"f.rkt\")\n(check-equal? (f) 2)\n");
    let (first, _) = project.lines(json!({})).await;
    assert!(first.starts_with("1 passed, 1 failed, 0 pending of 2 in 2 files"), "{first}");
    project.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn checks_in_forms_of_the_project_are_tests_of_racket() {
    let project = Project::empty();
    let macros = "#lang racket/base\n(require rackunit)\n(provide describe it)\n\
                  (define-syntax-rule (describe name body ...) (let () body ...))\n\
                  (define-syntax-rule (it name body ...) (test-case name body ...))\n";
    let tests = |at: &str, value: &str| {
        format!(
            "#lang racket/base\n(require rackunit \"{at}\")\n(describe \"a\" (it \"adds\" (check-equal? (+ 1 2) {value})))\n"
        )
    };
    project.write("tests/spec.rkt", macros);
    project.write("tests/base.rkt", &tests("spec.rkt", "3"));
    project.write("more.rkt", &tests("tests/spec.rkt", "4"));
    // In a directory of tests the checks may be those of a module that is required.
    project.write("tests/made.rkt", "#lang racket/base\n(require \"spec.rkt\")\n(it \"runs\" (void))\n");
    let (headline, lines) = project.lines(json!({})).await;
    assert!(headline.starts_with("2 passed, 1 failed, 0 pending of 3 in 3 files"), "{lines:#?}");
    project.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn suites_that_a_module_of_racket_runs_are_tests() {
    let project = Project::empty();
    let suite = |run: &str| {
        format!(
            "#lang racket/base\n(require rackunit rackunit/text-ui)\n\
             (define s (test-suite \"s\" (test-case \"x\" (check-equal? 1 2))))\n{run}\n"
        )
    };
    project.write("shop.rkt", &suite("(run-tests s)"));
    project.write("other.rkt", &suite("(void (run-tests s))"));
    // Suites that a module only gives to others run nowhere.
    project.write("given.rkt", &suite("(provide s)"));
    let (headline, lines) = project.lines(json!({})).await;
    assert!(headline.starts_with("0 passed, 2 failed, 0 pending of 2 in 2 files"), "{lines:#?}");
    project.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn tests_of_racket_run_in_their_directory_without_what_the_package_leaves_out() {
    let project = Project::empty();
    let check = "#lang racket/base\n(require rackunit)\n(check-true (file-exists? \"data.txt\"))\n";
    project.write("shop/data.txt", "");
    project.write("shop/near.rkt", check);
    project.write("shop/slow/far.rkt", check);
    project.write("shop/info.rkt", "#lang info\n(define test-omit-paths '(\"slow/\"))\n");
    let (headline, lines) = project.lines(json!({})).await;
    assert!(headline.starts_with("1 passed, 0 failed, 0 pending of 1 "), "{headline}");
    let note = "[note] test-omit-paths in info.rkt leaves out shop/slow/far.rkt.";
    assert!(lines.iter().any(|line| line == note), "{lines:#?}");
    let (one, _) = project.lines(json!({"path": "shop/slow/far.rkt"})).await;
    assert!(one.starts_with("0 passed, 1 failed"), "{one}");
    project.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_a_file_of_tests_does_not_import_is_told_with_its_module() {
    let project = Project::empty();
    project.write(
        "shop.rkt",
        "#lang racket/base\n(provide total (rename-out [inner outer]))\n(define (total) 1)\n(define (inner) 1)\n",
    );
    let tests = |name: &str| format!("#lang racket/base\n(require rackunit)\n(check-equal? ({name}) 1)\n");
    project.write("a.rkt", &tests("total"));
    project.write("b.rkt", &tests("outer"));
    project.write("util.scm", "(define-module (util) #:export ((inner . outermost)))\n(define (inner) 1)\n");
    project.write("c.scm", &suite("c", &["(test-equal \"c\" 1 (outermost))"]));
    project.write("lib.scm", LIBRARY);
    let (_, lines) = project.lines(json!({})).await;
    for note in [
        "[note] total: defined in shop.rkt:3, which is not imported where it is used.",
        "[note] outer: defined in shop.rkt:1, which is not imported where it is used.",
        "[note] outermost: defined in util.scm:1 ((util)), which is not imported where it is used.",
    ] {
        assert!(lines.iter().any(|line| line == note), "{note}: {lines:#?}");
    }
    project.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_breaks_or_hangs_costs_itself_alone() {
    let project = Project::new();
    project.run(json!({})).await;
    project.write("test/test-0.scm", "(use-modules (no such))\n");
    project.write("test/test-1.scm", &suite("h", &["(test-assert \"loops\" (let loop () (loop)))"]));
    let answer = project.run(json!({"timeout_seconds": 12})).await;
    assert!(answer.text.starts_with("3 passed, 2 failed, 0 pending of 5 in 4 files"), "{}", answer.text);
    let broken = "FAILED test/test-0.scm:1: It did not load.\n  no code for module (no such)\n";
    assert!(answer.text.contains(broken), "{}", answer.text);
    assert!(answer.text.contains("FAILED test/test-1.scm:3: loops (h)\n  It ran for "), "{}", answer.text);
    assert_eq!(answer.fields["goals"][0], json!({"name": "test/test-0.scm", "passed": 0, "failed": 1}));
    project.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn those_that_failed_run_again() {
    let project = Project::new();
    assert!(project.run(json!({"failed": true})).await.text.contains("no tests have been run yet"));
    project.write("lib.scm", &LIBRARY.replace("* 3", "+ 3"));
    assert_eq!(project.lines(json!({})).await.0, "1 passed, 2 failed, 0 pending of 3 in 2 files");
    let (headline, lines) = project.lines(json!({"failed": true})).await;
    assert_eq!(headline, "0 passed, 2 failed, 0 pending of 2 that had failed in 2 files", "{lines:#?}");
    project.write("lib.scm", LIBRARY);
    let (headline, lines) = project.lines(json!({"failed": true, "path": "test/test-b.scm"})).await;
    assert_eq!(headline, "1 passed, 0 failed, 0 pending of 1 that had failed in 1 file", "{lines:#?}");
    assert_eq!(
        project.lines(json!({"failed": true})).await.0,
        "1 passed, 0 failed, 0 pending of 1 that had failed in 1 file"
    );
    let none = project.run(json!({"failed": true})).await;
    assert_eq!(
        (none.is_error, none.text.trim_end()),
        (false, "No test of the project failed in its last run, so none was run.")
    );
    project.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn those_run_that_reach_a_change_since_all_passed() {
    let project = Project::new();
    let (headline, lines) = project.lines(json!({"affected": true})).await;
    assert_eq!(headline, "3 passed, 0 failed, 0 pending of 3 in 2 files");
    assert_eq!(lines, ["[note] No green run of the whole project is known yet, so all were run."]);
    let none = project.run(json!({"affected": true})).await;
    let needless = "No test of the project reaches what has changed since all passed, so none was run.";
    assert_eq!((none.is_error, none.text.trim_end()), (false, needless));
    // A definition that one test uses.
    project.write("lib.scm", &LIBRARY.replace("(* 2 x)", "(+ x x 1)"));
    let one = project.lines(json!({"affected": true})).await.0;
    assert_eq!(one, "0 passed, 1 failed, 0 pending of 1 that reach what has changed in 1 file");
    project.write("lib.scm", &LIBRARY.replace("(* 2 x)", "(+ x x)"));
    let one = project.lines(json!({"affected": true})).await.0;
    assert_eq!(one, "1 passed, 0 failed, 0 pending of 1 that reach what has changed in 1 file");
    // What has no name may be for all.
    project.write("lib.scm", &format!("{}(set! twice twice)\n", LIBRARY.replace("(* 2 x)", "(+ x x)")));
    let all = project.lines(json!({"affected": true})).await.0;
    assert_eq!(all, "3 passed, 0 failed, 0 pending of 3 that reach what has changed in 2 files");
    project.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn systems_that_name_each_other_are_tested_once() {
    let project = Project::empty();
    let definition = "(defsystem \"shop\" :components ((:file \"shop\")) :in-order-to ((test-op (test-op \"shop/tests\"))))\n\
         (defsystem \"shop/tests\" :depends-on (\"shop\" \"rt\") :components ((:file \"tests\"))\n  \
         :perform (test-op (o c) (format t \"Tests of ~A.~%\" \"shop\") (uiop:symbol-call :rt :do-tests)))\n";
    project.write("shop.asd", definition);
    project.write(
        "shop.lisp",
        "(defpackage :shop (:use :cl) (:export #:price))\n(in-package :shop)\n(defun price () 1)\n",
    );
    project.write(
        "tests.lisp",
        "(defpackage :shop/tests (:use :cl :rt))\n(in-package :shop/tests)\n(deftest price (shop:price) 1)\n",
    );
    let text = project.run(json!({})).await.text;
    assert!(text.starts_with("1 passed, 0 failed, 0 pending of 1 "), "{text}");
    project.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn a_method_of_perform_runs_the_tests_of_its_system() {
    let project = Project::empty();
    let definition = "(defsystem :shop :components ((:file \"shop\")))\n\
         (defmethod perform ((o test-op) (c (eql (find-system 'shop))))\n  (operate 'load-op 'shop-test)\n  \
         (funcall (intern (symbol-name :run-all) (find-package :shop-test))))\n";
    project.write("shop.asd", definition);
    project.write("shop-test.asd", "(defsystem :shop-test :depends-on (:shop) :components ((:file \"tests\")))\n");
    project.write(
        "shop.lisp",
        "(defpackage :shop (:use :cl) (:export #:price))\n(in-package :shop)\n(defun price () 1)\n",
    );
    let tests = "(defpackage :shop-test (:use :cl))\n(in-package :shop-test)\n\
         (defun run-all () (assert (= 1 (shop:price))) (format t \"All tests passed.~%\"))\n";
    project.write("tests.lisp", tests);
    let text = project.run(json!({})).await.text;
    assert!(text.starts_with("1 passed, 0 failed, 0 pending of 1 in 1 system "), "{text}");
    assert!(text.contains("All tests passed."), "{text}");
    project.workshop.sessions.shutdown().await;
}

#[tokio::test]
async fn what_a_makefile_names_is_not_safe_to_delete() {
    let directory = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| std::fs::write(directory.path().join(path), text).unwrap();
    write("a.el", "(defun shop--run-tests () 1)\n(defun shop--old () 1)\n");
    write("Makefile", "check:\n\temacs --batch -l a.el -f shop--run-tests\n");
    let workshop = lispwright_tools::Workshop::open(&[directory.path().to_owned()]).unwrap();
    let answer = lispwright_tools::unused::unused(&workshop, None, &workshop.context("unused")).await.unwrap();
    let told = answer.unused.iter().map(|one| {
        let places: Vec<String> = one.places.iter().map(|place| format!("{}:{}", place.path, place.line)).collect();
        format!("{} {} {}", one.label, one.verdict, places.join(" "))
    });
    let told: Vec<String> = told.collect();
    assert_eq!(told, ["defun shop--run-tests possible Makefile:2", "defun shop--old safe "]);
}
