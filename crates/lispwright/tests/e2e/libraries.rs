//! Test frameworks and package managers that no distribution has, as stand-ins with the packages, symbols, classes and
//! slots that we use (`stand_ins/`).

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Answer, Client, Session, server_command};
use crate::project::Project;

const ROVE: &str = include_str!("stand_ins/rove.lisp");
const PARACHUTE: &str = include_str!("stand_ins/parachute.lisp");
const QUICKLISP: &str = include_str!("stand_ins/quicklisp-setup.lisp");
const OCICL: &str = include_str!("stand_ins/ocicl-runtime.lisp");

const BOTH: [&str; 2] = ["sbcl", "ecl"];

pub(crate) fn tests(session: &mut Session, runtime: &str, more: Value) -> Answer {
    let mut arguments = json!({ "system": "mill/tests", "runtime": runtime });
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    session.client.call("run_tests", arguments)
}

#[track_caller]
pub(crate) fn counts(answer: &Answer, framework: &str, expected: [u32; 3]) {
    let found = ["passed", "failed", "pending"].map(|key| answer.fields[key].clone());
    assert_eq!(found, expected.map(Value::from), "{}", answer.text);
    assert_eq!(answer.fields["framework"], framework, "{}", answer.text);
}

/// The failures: name, reason, form, line.
pub(crate) fn failures(answer: &Answer) -> Vec<(String, String, String, u64)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let failed = answer.fields["failed_tests"].as_array().unwrap();
    let facts = failed.iter().map(|failed| {
        let line = failed["source"]["line"].as_u64().unwrap_or_default();
        (text(&failed["test_name"]), text(&failed["reason"]), text(&failed["form"]), line)
    });
    facts.collect()
}

/// A session on a project that has the framework and a system of tests for it.
pub(crate) fn framework(name: &str, text: &str) -> Session {
    let definition = format!(
        "(defsystem \"mill\")\n(defsystem \"mill/tests\" :depends-on ({name:?}) :components ((:file \"tests\")))\n"
    );
    let session = Session::with_file("mill.asd", definition);
    session.project.file(&format!("lib/{name}.asd"), format!("(defsystem {name:?} :components ((:file {name:?})))\n"));
    session.project.file(&format!("lib/{name}.lisp"), text);
    session
}

#[test]
fn rove() {
    let session = &mut framework("rove", ROVE);
    let suite = "(defpackage :mill/tests (:use :cl :rove))
(in-package :mill/tests)
(defvar *told* '())
(setup (push :setup *told*))
(teardown (push :teardown *told*))
(defhook :before (push :before *told*))
(defhook :after (push :after *told*))

(deftest adds
  (ok (= 3 (+ 1 2)))
  (testing \"inside\"
    (ok (= 4 (+ 1 2)) \"four\")
    (let ((x 5)) (ok (equal x '(6))))))
(deftest good (ok t) (ng nil))
(deftest raises (ok (car 7)))
(deftest stops (ok t) (error \"sand in it\"))
(deftest later (skip \"not yet\"))
(deftest counted (plan 2) (ok t))
";
    session.project.file("tests.lisp", suite);
    for runtime in BOTH {
        let answer = tests(session, runtime, json!({}));
        assert!(!answer.is_error, "{runtime}: {}", answer.text);
        counts(&answer, "rove", [1, 4, 1]);
        let failed = failures(&answer);
        let names: Vec<(&str, u64)> = failed.iter().map(|(name, _, _, line)| (name.as_str(), *line)).collect();
        let expected = [
            ("mill/tests::adds", 9),
            ("mill/tests::adds", 9),
            ("mill/tests::raises", 15),
            ("mill/tests::stops", 16),
            ("mill/tests::counted", 18),
        ];
        assert_eq!(names, expected, "{runtime}: {}", answer.text);
        assert!(failed[0].1.contains("four") && failed[0].2.contains("(+ 1 2)"), "{}", answer.text);
        assert_eq!(answer.fields["failed_tests"][1]["values"][0]["name"], "X", "{}", answer.fields);
        assert!(failed[2].1.contains("7"), "{}", answer.text);
        assert!(failed[3].1.ends_with("sand in it"), "{}", answer.text);
        let told =
            json!({ "code": "(prog1 (reverse mill/tests::*told*) (setf mill/tests::*told* '()))", "runtime": runtime });
        let told = session.ok("repl_eval", told).fields["values"][0]
            .as_str()
            .unwrap()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(
            told.starts_with("(:SETUP :BEFORE :AFTER :BEFORE :AFTER") && told.ends_with(":AFTER :TEARDOWN)"),
            "{told}"
        );
        let one = tests(session, runtime, json!({ "test": "good" }));
        counts(&one, "rove", [1, 0, 0]);
    }
    // A test that was removed from the file does not run.
    session.project.file("tests.lisp", suite.replace("(deftest good (ok t) (ng nil))\n", ""));
    counts(&tests(session, "sbcl", json!({})), "rove", [0, 4, 1]);
    // Checks and errors in hooks count, also in the hooks of all suites.
    let suite = "(defpackage :mill/hooks (:use :cl :rove))
(in-package :mill/hooks)
(defvar *grain* 0)
(setf rove/core/suite/package:*before-test-hooks* (list (lambda () (incf *grain*))))
(defhook :before (ok (< *grain* 2) \"little grain\"))
(defhook :after (when (= *grain* 3) (error \"sand in the hook\")))
(deftest one (ok (= *grain* 1)))
(deftest two (ok (= *grain* 2)))
(deftest three (ok t))
";
    session.project.file("tests.lisp", suite);
    let answer = tests(session, "sbcl", json!({}));
    counts(&answer, "rove", [1, 2, 0]);
    assert!(answer.text.contains("little grain") && answer.text.contains("sand in the hook"), "{}", answer.text);
}

#[test]
fn parachute() {
    let session = &mut framework("parachute", PARACHUTE);
    let suite = "(defpackage :mill/tests (:use :cl :parachute))
(in-package :mill/tests)

(define-test all)
(define-test adds
  :parent all
  (is = 3 (+ 1 2))
  (is = 4 (+ 1 2) \"four\"))
(define-test good (true (listp '())) (isnt eql 1 2))
(define-test same (isnt eql 1 1))
(define-test raises (is = 1 (error \"sand in it\")))
(define-test stops (true t) (error \"outside\"))
(define-test slow :time-limit 1 (true t))
";
    session.project.file("tests.lisp", suite);
    for runtime in BOTH {
        for round in ["the first time", "again, when every test is the same object"] {
            let answer = tests(session, runtime, json!({}));
            assert!(!answer.is_error, "{runtime}, {round}: {}", answer.text);
            counts(&answer, "parachute", [1, 5, 0]);
            let failed = failures(&answer);
            let names: Vec<&str> = failed.iter().map(|(name, ..)| name.as_str()).collect();
            let expected = ["adds", "same", "raises", "stops", "slow"].map(|name| format!("mill/tests::{name}"));
            assert_eq!(names, expected, "{runtime}, {round}: {}", answer.text);
            assert!(failed[0].1.contains("not what is expected") && failed[0].2.contains("(IS = 4"), "{}", answer.text);
            assert!(failed[1].1.contains("what it should not be"), "{}", answer.text);
            assert!(failed[2].1.contains("SIMPLE-ERROR: sand in it"), "{}", answer.text);
            assert_eq!(failed[3].1, "outside", "{}", answer.text);
            assert_eq!(failed[4].1, "The limit was exceeded.", "{}", answer.text);
        }
    }
}

#[test]
fn parachute_tests_in_tests_and_before_tests() {
    let session = &mut framework("parachute", PARACHUTE);
    let suite = "(defpackage :mill/tests (:use :cl :parachute))
(in-package :mill/tests)
(define-test ground (is = 1 2))
(define-test milled :depends-on (ground) (true t))
(define-test all)
(define-test fine :parent all (true t))
(define-test coarse :parent all (is = 3 4))
(define-test husk :parent all (error \"sand\"))
(define-test later :parent all (skip \"not yet\" (true nil)))
(define-test nothing)
";
    let performing = "(defsystem \"mill\")\n(defsystem \"mill/tests\" :depends-on (\"parachute\") \
        :components ((:file \"tests\")) :perform (test-op (o c) (symbol-call :parachute :test :mill/tests)))\n";
    for runtime in BOTH {
        session.project.file("tests.lisp", suite);
        // A failed dependency counts once. A test that only holds others does not count; one without checks did not
        // pass.
        for definition in [None, Some(performing)] {
            if let Some(definition) = definition {
                session.project.file("mill.asd", definition);
            }
            for round in ["the first time", "again"] {
                let answer = tests(session, runtime, json!({}));
                counts(&answer, "parachute", [1, 3, 3]);
                let failed: Vec<(String, u64)> =
                    failures(&answer).into_iter().map(|(name, .., line)| (name, line)).collect();
                let expected = [("ground", 3), ("coarse", 7), ("husk", 8)];
                let expected = expected.map(|(name, line)| (format!("mill/tests::{name}"), line));
                assert_eq!(failed, expected, "{runtime}, {round}: {}", answer.text);
            }
        }
        // A test that another runs can be run by itself.
        for (name, expected) in [
            ("fine", [1, 0, 0]),
            ("coarse", [0, 1, 0]),
            ("all", [1, 2, 1]),
            ("milled", [0, 0, 1]),
            ("nothing", [0, 0, 1]),
        ] {
            counts(&tests(session, runtime, json!({ "test": name })), "parachute", expected);
        }
        counts(&tests(session, runtime, json!({ "tests": ["fine", "coarse"] })), "parachute", [1, 1, 0]);
        // A test that was removed from the file does not run in any other.
        session.project.file("mill.asd", performing.replace("symbol-call :parachute :test :mill/tests", "list"));
        session.project.file("tests.lisp", suite.replace("(define-test coarse :parent all (is = 3 4))\n", ""));
        let answer = tests(session, runtime, json!({}));
        counts(&answer, "parachute", [1, 2, 3]);
        assert!(
            answer.text.contains("shows no results, so the tests of mill/tests were run one by one"),
            "{}",
            answer.text
        );
    }
}

/// A session on a project in a home directory that `furnish` fills.
fn at_home(furnish: impl FnOnce(&Project, &Path)) -> Session {
    let project = Project::new();
    let home = project.beside("home");
    fs::create_dir(&home).unwrap();
    project
        .file("mill.asd", "(defsystem \"mill\" :depends-on (\"corn\"))\n(defsystem \"hand\" :depends-on (\"sand\"))\n");
    furnish(&project, &home);
    let mut command = server_command(&project.root());
    command.env("HOME", &home).env("XDG_DATA_HOME", home.join("data"));
    Session { client: Client::connect(command), project }
}

fn library(directory: &Path, name: &str, says: &str) {
    fs::create_dir_all(directory).unwrap();
    fs::write(
        directory.join(format!("{name}.asd")),
        format!("(defsystem \"{name}\" :components ((:file \"{name}\")))\n"),
    )
    .unwrap();
    fs::write(directory.join(format!("{name}.lisp")), format!("(defvar cl-user::*corn* {says:?})\n")).unwrap();
}

#[track_caller]
fn corn(session: &mut Session, runtime: &str) -> Value {
    let loaded = session.client.call("load_system", json!({ "system": "mill", "runtime": runtime }));
    assert!(!loaded.is_error, "{runtime}: {}", loaded.text);
    session.ok("repl_eval", json!({ "code": "cl-user::*corn*", "runtime": runtime })).fields["values"][0].clone()
}

/// The answer names the missing library, and no package manager is asked.
#[track_caller]
fn sand_is_missing(session: &mut Session, runtime: &str) {
    let missing = session.client.call("load_system", json!({ "system": "hand", "runtime": runtime }));
    assert!(missing.is_error && missing.text.contains("no system \"sand\""), "{runtime}: {}", missing.text);
    assert!(!missing.text.contains("network"), "{runtime}: {}", missing.text);
}

#[test]
fn quicklisp_is_loaded_when_a_library_is_missing() {
    for runtime in BOTH {
        let mut session = at_home(|_, home| {
            fs::create_dir(home.join("quicklisp")).unwrap();
            fs::write(home.join("quicklisp/setup.lisp"), QUICKLISP).unwrap();
            library(&home.join("quicklisp/software/corn"), "corn", "quicklisp");
        });
        let before = session.ok("repl_eval", json!({ "code": "(find-package :ql)", "runtime": runtime }));
        assert_eq!(before.fields["values"], json!(["NIL"]));
        assert_eq!(corn(&mut session, runtime), "\"quicklisp\"");
        sand_is_missing(&mut session, runtime);
        let asked = session.client.call("repl_eval", json!({ "code": "(ql:quickload \"sand\")", "runtime": runtime }));
        assert!(asked.text.contains("The network was asked for sand."), "{}", asked.text);
    }
}

#[test]
fn only_the_libraries_that_qlot_has_pinned_are_used() {
    for runtime in BOTH {
        let mut session = at_home(|project, home| {
            fs::create_dir(home.join("quicklisp")).unwrap();
            fs::write(home.join("quicklisp/setup.lisp"), QUICKLISP).unwrap();
            for (directory, says) in [(home.join("quicklisp"), "quicklisp"), (project.at(".qlot"), "qlot")] {
                library(&directory.join("software/corn"), "corn", says);
            }
            library(&home.join("quicklisp/software/sand"), "sand", "not pinned");
            project.file(".qlot/setup.lisp", QUICKLISP);
        });
        assert_eq!(corn(&mut session, runtime), "\"qlot\"");
        sand_is_missing(&mut session, runtime);
    }
}

#[test]
fn ocicl_finds_what_it_lists_and_fetches_nothing() {
    for runtime in BOTH {
        let mut session = at_home(|project, home| {
            fs::create_dir_all(home.join(".local/share/ocicl")).unwrap();
            fs::write(home.join(".local/share/ocicl/ocicl-runtime.lisp"), OCICL).unwrap();
            project.file("ocicl.csv", "corn, ghcr.io/ocicl/corn@sha256:0, corn-1/corn.asd\n");
            library(&project.at("ocicl/corn-1"), "corn", "ocicl");
        });
        assert_eq!(corn(&mut session, runtime), "\"ocicl\"");
        sand_is_missing(&mut session, runtime);
        let off = session.ok("repl_eval", json!({ "code": "ocicl-runtime:*download*", "runtime": runtime }));
        assert_eq!(off.fields["values"], json!(["NIL"]));
    }
}

/// Libraries below the project do not count as its files: of two versions the listed one is loaded, their warnings are
/// not those of the project, and they are loaded once.
#[test]
fn libraries_below_the_project_do_not_belong_to_it() {
    let code = "(incf (get :corn :loads 0))\n(defun corn () (let ((husk 1)) 2))\n";
    let bundle = "(let ((base (directory-namestring *load-truename*)))
  (push (lambda (name) (probe-file (format nil \"~Asoftware/~A/~A.asd\" base name name)))
        asdf:*system-definition-search-functions*))";
    for (directory, setup) in
        [(".qlot/software/corn", ".qlot/setup.lisp"), (".bundle-libs/software/corn", ".bundle-libs/bundle.lisp")]
    {
        let mut session = at_home(|project, _| {
            library(&project.at(directory), "corn", "");
            project.file(&format!("{directory}/corn.lisp"), code);
            project.file(setup, if setup.contains("qlot") { QUICKLISP } else { bundle });
        });
        check_corn(&mut session);
    }
    let mut session = at_home(|project, home| {
        fs::create_dir_all(home.join("data/ocicl")).unwrap();
        fs::write(home.join("data/ocicl/ocicl-runtime.lisp"), OCICL).unwrap();
        project.file("ocicl.csv", "corn, ghcr.io/ocicl/corn@sha256:0, corn-2/corn.asd\n");
        library(&project.at("ocicl/corn-1"), "corn", "the old one");
        library(&project.at("ocicl/corn-2"), "corn", "");
        project.file("ocicl/corn-2/corn.lisp", code);
    });
    check_corn(&mut session);
}

#[track_caller]
fn check_corn(session: &mut Session) {
    for _ in 0..2 {
        let loaded = session.ok("load_system", json!({ "system": "mill" }));
        assert!(!loaded.text.contains("HUSK"), "{}", loaded.text);
    }
    let loads = session.ok("repl_eval", json!({ "code": "(get :corn :loads)" }));
    assert_eq!(loads.fields["values"], json!(["1"]), "{}", loads.text);
}

#[test]
fn missing_libraries_come_with_the_command_that_installs_them() {
    for (list, says) in [("qlfile", "run qlot install"), ("ocicl.csv", "run ocicl setup")] {
        let mut session = at_home(|project, _| drop(project.file(list, "")));
        let missing = session.client.call("load_system", json!({ "system": "mill" }));
        assert!(missing.is_error && missing.text.contains("no system \"corn\""), "{}", missing.text);
        assert!(missing.text.contains(says), "{}", missing.text);
    }
}
