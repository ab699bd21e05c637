//! Running tests in the owner's image.

use std::time::Duration;

use lispwright_runtime::*;

use crate::lab::Lab;
use crate::{attached, attached_after};

const SYSTEM: &str = r#"(defsystem "mill" :components ((:file "wheel")))
(defsystem "mill/tests" :depends-on ("mill" "rt") :components ((:file "tests")))
(defsystem "mill/plain" :perform (test-op (o c) (error "the axle broke")))
"#;

const TESTS: &str = "(defpackage :mill/tests (:use :cl :rt))\n(in-package :mill/tests)\n(deftest fine (+ 1 2) 3)\n\
                     (deftest off (+ 1 2) 4)\n(deftest stops (error \"sand\") 1)\n";

async fn run(lab: &Lab, target: LoadTarget, tests: &[&str], seconds: u64) -> EvalReport {
    let root = lab.directory.path();
    let project = Project {
        roots: vec![root.display().to_string()],
        definitions: definition_files(root).iter().map(|path| path.display().to_string()).collect(),
        renewal: Renewal::default(),
    };
    let tests = tests.iter().map(|name| (*name).to_owned()).collect();
    let timeout = Duration::from_secs(seconds).into();
    let request = Request::RunTests { target, project, framework: None, tests, timeout };
    lab.call(MAIN, request, &Default::default()).await.unwrap()
}

fn write(lab: &Lab, name: &str, text: &str) {
    std::fs::write(lab.directory.path().join(name), text).unwrap();
}

fn mill(lab: &Lab) {
    write(lab, "mill.asd", SYSTEM);
    write(lab, "wheel.lisp", "(defpackage :mill (:use :cl))\n");
    write(lab, "tests.lisp", TESTS);
}

fn system(name: &str) -> LoadTarget {
    LoadTarget::System(name.to_owned())
}

fn counts(report: &EvalReport) -> (u32, u32, u32) {
    let tests = report.tests.as_ref().unwrap_or_else(|| panic!("{report:#?}"));
    (tests.passed, tests.failed, tests.pending)
}

#[tokio::test]
async fn the_tests_of_a_system_are_run_and_run_again() {
    let (_server, lab) = attached().await;
    mill(&lab);
    lab.mark_state().await;
    for _ in 0..2 {
        let report = run(&lab, system("mill/tests"), &[], 100).await;
        assert_eq!((&report.ending, counts(&report)), (&Ending::Tested, (1, 2, 0)), "{report:#?}");
        let tests = report.tests.unwrap();
        assert_eq!(tests.framework, "rt");
        let failed: Vec<(&str, Option<u32>)> =
            tests.failed_tests.iter().map(|test| (test.name.as_str(), test.line)).collect();
        assert_eq!(failed, [("mill/tests::off", Some(4)), ("mill/tests::stops", Some(5))]);
        assert_eq!(tests.failed_tests[1].reason, "SIMPLE-ERROR: sand");
    }
    let one = run(&lab, system("mill/tests"), &["fine"], 100).await;
    assert_eq!(counts(&one), (1, 0, 0));
    let plain = run(&lab, system("mill/plain"), &[], 100).await;
    assert_eq!((counts(&plain), plain.tests.unwrap().framework.as_str()), ((0, 1, 0), "asdf"));
    lab.assert_state_kept().await;
}

#[tokio::test]
async fn tests_that_do_not_load_or_never_end_are_reported_and_the_image_stays() {
    let (mut server, lab) = attached().await;
    mill(&lab);
    lab.mark_state().await;
    write(&lab, "tests.lisp", &format!("{TESTS}(deftest later (loop) 1)\n"));
    let report = run(&lab, system("mill/tests"), &[], 20).await;
    assert!(matches!(report.ending, Ending::Stopped { reason: StopReason::Timeout, .. }), "{report:#?}");
    assert_eq!(counts(&report), (1, 2, 0));
    assert_eq!(report.tests.unwrap().running.as_deref(), Some("mill/tests::later"));
    write(&lab, "tests.lisp", &format!("{TESTS}(deftest later (loop\n"));
    let report = run(&lab, system("mill/tests"), &[], 100).await;
    assert!(matches!(report.ending, Ending::Error { .. }), "{report:#?}");
    assert!(report.diagnostics.iter().any(|one| one.severity == "error"), "{:#?}", report.diagnostics);
    let report = run(&lab, system("no-such-mill"), &[], 100).await;
    assert!(matches!(report.ending, Ending::Refused(ImageRefusal::NoSystem { .. })), "{report:#?}");
    let path = lab.directory.path().join("one.lisp");
    write(&lab, "one.lisp", "(defpackage :one (:use :cl :rt))\n(in-package :one)\n(deftest alone 1 1)\n");
    let report = run(&lab, LoadTarget::Path(path.display().to_string()), &[], 100).await;
    assert_eq!((&report.ending, counts(&report)), (&Ending::Tested, (1, 0, 0)), "{report:#?}");
    lab.assert_state_kept().await;
    assert!(server.is_alive());
}

#[tokio::test]
async fn a_test_that_exits_does_not_end_the_image() {
    let (mut server, lab) = attached().await;
    mill(&lab);
    lab.mark_state().await;
    let own = lab.report("(list (sb-int:encapsulated-p 'sb-ext:exit 'own) (fdefinition 'sb-ext:exit))").await;
    for (exit, status) in [
        ("(sb-ext:exit :code 3)", 3),
        ("(sb-ext:exit :code 4 :abort t)", 4),
        ("(sb-ext:exit :abort t)", 1),
        ("(uiop:quit 5)", 5),
        ("(unwind-protect (uiop:quit) (defvar cl-user::*left* t))", 0),
    ] {
        write(&lab, "tests.lisp", &format!("{TESTS}(deftest later {exit} 1)\n(deftest last 1 1)\n"));
        let report = run(&lab, system("mill/tests"), &[], 100).await;
        let tests = report.tests.as_ref().unwrap_or_else(|| panic!("{report:#?}"));
        assert_eq!((tests.exit_status, tests.running.as_deref()), (Some(status), Some("mill/tests::later")), "{exit}");
        assert_eq!(counts(&report), (1, 2, 0), "{exit}");
    }
    // A file that exits while it is loaded, too.
    write(&lab, "tests.lisp", "(sb-ext:exit :code 6)\n");
    let report = run(&lab, system("mill/tests"), &[], 100).await;
    assert_eq!(report.tests.as_ref().and_then(|tests| tests.exit_status), Some(6), "{report:#?}");
    lab.assert_state_kept().await;
    assert!(server.is_alive());
    // The function is the image's own again, and works as before.
    let after = lab.report("(list (sb-int:encapsulated-p 'sb-ext:exit 'own) (fdefinition 'sb-ext:exit))").await;
    assert_eq!(after.ending, own.ending);
    let report = lab.report("(sb-ext:exit :abort t)").await;
    assert!(matches!(&report.ending, Ending::Died { .. }), "{report:#?}");
}

#[tokio::test]
async fn without_asdf_the_answer_says_so() {
    // As in an image that was built without ASDF.
    let (_server, lab) = attached_after("(rename-package :asdf :not-asdf '())").await;
    mill(&lab);
    let report = run(&lab, system("mill/tests"), &[], 100).await;
    assert_eq!(report.ending, Ending::NotOffered { operation: ImageOperation::Asdf });
}
