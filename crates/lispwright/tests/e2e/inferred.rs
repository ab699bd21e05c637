//! Package-inferred systems: every file is a system with the name of its path and the dependencies of its package
//! definition.

use serde_json::{Value, json};

use crate::client::Session;

const RUNTIMES: [&str; 3] = ["sbcl", "ecl", "clisp"];

const DEFINITION: &str = r#"(asdf:defsystem "bakery"
  :class :package-inferred-system
  :pathname "lib"
  :depends-on ("bakery/src/all")
  :in-order-to ((asdf:test-op (asdf:load-op "bakery/tests/all")))
  :perform (asdf:test-op (o c) (uiop:symbol-call :fiveam :run! :bakery)))
(asdf:register-system-packages "fiveam" '(:it.bese.fiveam :5am))
(asdf:register-system-packages "bakery/src/dough/flour" '(:flour))
"#;

const FLOUR: &str = "(defpackage #:bakery/src/dough/flour (:nicknames #:flour) (:use #:cl) (:export #:flour))
(in-package #:bakery/src/dough/flour)
(defun flour (n) (* 2 n))
";

fn bakery() -> Session {
    let session = Session::with_file("deep/bakery.asd", DEFINITION);
    for (name, text) in [
        (
            "src/all",
            "(uiop:define-package :bakery/src/all
  (:nicknames :bakery)
  (:use-reexport :bakery/src/oven :bakery/src/dough/knead))
",
        ),
        (
            "src/oven",
            "(uiop:define-package #:bakery/src/oven
  (:use #:cl)
  (:import-from #:bakery/src/dough/knead #:knead)
  (:export #:bake))
(in-package #:bakery/src/oven)
(defun bake (n) (list :baked (knead n)))
",
        ),
        (
            "src/dough/knead",
            "(defpackage #:bakery/src/dough/knead (:use #:cl) (:import-from #:flour #:flour) (:export #:knead))
(in-package #:bakery/src/dough/knead)
(defun knead (n) (flour n))
",
        ),
        ("src/dough/flour", FLOUR),
        ("tests/all", "(uiop:define-package #:bakery/tests/all (:use-reexport #:bakery/tests/oven))\n"),
        (
            "tests/oven",
            "(defpackage #:bakery/tests/oven (:use #:cl #:5am #:bakery/src/all))
(in-package #:bakery/tests/oven)
(def-suite :bakery)
(in-suite :bakery)
(test bakes (is (equal (bake 2) '(:baked 4))))
(test burns (is (equal (bake 2) '(:baked 5))))
",
        ),
    ] {
        session.project.file(&format!("deep/lib/{name}.lisp"), text);
    }
    session
}

fn baked(session: &mut Session, runtime: &str) -> Value {
    session.ok("repl_eval", json!({ "code": "(bakery:bake 1)", "runtime": runtime })).fields["values"][0].clone()
}

#[test]
fn every_file_loads_and_changed_files_are_reloaded() {
    let mut session = bakery();
    for runtime in RUNTIMES {
        session.project.file("deep/lib/src/dough/flour.lisp", FLOUR);
        let load = |system: &str, force: bool| json!({ "system": system, "force": force, "runtime": runtime });
        session.ok("load_system", load("bakery", true));
        assert_eq!(baked(&mut session, runtime), "(:BAKED 2)");
        let again = session.ok("load_system", load("bakery", false));
        assert!(again.text.contains("has not changed"), "{runtime}: {}", again.text);
        // The same for a file that its package definition names later.
        session.project.file(
            "deep/lib/src/dough/salt.lisp",
            "(defpackage #:bakery/src/dough/salt (:use #:cl) (:export #:salt))
(in-package #:bakery/src/dough/salt)
(defun salt (n) (+ 1 n))
",
        );
        let salted = FLOUR.replace("(:use #:cl)", "(:use #:cl #:bakery/src/dough/salt)").replace("2 n", "2 (salt n)");
        session.project.file("deep/lib/src/dough/flour.lisp", salted);
        session.ok("load_system", load("bakery", false));
        assert_eq!(baked(&mut session, runtime), "(:BAKED 4)", "{runtime}");
        session.ok("load_system", load("bakery/src/dough/salt", true));
    }
}

#[test]
fn their_tests_run_by_the_name_of_the_whole_and_of_a_file() {
    let mut session = bakery();
    for runtime in RUNTIMES {
        for system in ["bakery", "bakery/tests/oven"] {
            let answer = session.ok("run_tests", json!({ "system": system, "runtime": runtime }));
            assert!(
                answer.text.starts_with("1 passed, 1 failed, 0 pending of 2 (fiveam, "),
                "{runtime}: {}",
                answer.text
            );
            assert!(answer.text.contains("FAILED deep/lib/tests/oven.lisp:6: "), "{runtime}: {}", answer.text);
        }
    }
}

#[test]
fn a_missing_dependency_is_reported_with_its_file() {
    let mut session = bakery();
    for runtime in RUNTIMES {
        for (flour, says) in [
            (
                FLOUR.replace("(:use #:cl)", "(:use #:cl)\n  (:import-from #:no-such-library)"),
                "flour.lisp:2: error: There is no system \"no-such-library\"; \"bakery/src/dough/flour\" depends on it.",
            ),
            ("(in-package #:cl-user)\n".to_owned(), "flour.lisp: error: No package form found"),
            ("(defpackage #:bakery/src/dough/flour\n  (:use #:cl)\n".to_owned(), "flour.lisp:2:14: error: `(` of 1:1"),
        ] {
            session.project.file("deep/lib/src/dough/flour.lisp", flour);
            let answer = session.client.call("load_system", json!({ "system": "bakery", "runtime": runtime }));
            assert!(answer.is_error, "{runtime}: {}", answer.text);
            assert!(answer.text.contains(&format!("deep/lib/src/dough/{says}")), "{runtime}: {says}\n{}", answer.text);
        }
    }
}
