//! The results of evaluation: values, output, warnings, errors, objects, expansions.

use lispwright_runtime::*;
use tokio_util::sync::CancellationToken;

use crate::{attached, attached_after};

#[tokio::test]
async fn both_kinds_of_output_and_warnings_are_reported() {
    let (_server, lab) = attached().await;
    let report = lab.report("(print 1) (format *error-output* \"err\") (warn \"careful\") (read-line)").await;
    assert_eq!((report.stdout.head.as_str(), report.stderr.head.as_str()), ("\n1 ", "err"));
    assert_eq!(report.warnings[0].message, "careful");
    let Ending::Error { error, place } = &report.ending else { panic!("{report:#?}") };
    assert!(error.stdin, "standard input is empty: {error:?}");
    assert_eq!(place.index, 4);
}

#[tokio::test]
async fn values_are_printed_under_limits() {
    let (_server, lab) = attached().await;
    let request = EvalRequest { value_limit: 300, ..EvalRequest::new("(make-string 100000 :initial-element #\\x)") };
    let Ending::Values(values) = lab.request(request).await.ending else { panic!() };
    assert!(values[0].cut && values[0].text.len() == 300);
    let request = EvalRequest { print_length: Some(3), ..EvalRequest::new("(loop for i below 100 collect i)") };
    let Ending::Values(values) = lab.request(request).await.ending else { panic!() };
    assert_eq!(values[0].text, "(0 1 2 ...)");
    assert_eq!(lab.values("(let ((c (list 1 2))) (setf (cddr c) c) c)").await, "#1=(1 2 . #1#)");
}

#[tokio::test]
async fn an_error_has_a_message_a_place_and_restarts() {
    let (_server, lab) = attached().await;
    let code =
        "(+ 1 1)\n(defun g (n) (restart-case (error \"no ~A\" n) (other (v) :report \"Take another.\" v)))\n(g 5)";
    let (error, place) = lab.error(code).await;
    assert_eq!((error.type_name.as_str(), error.message.as_str()), ("SIMPLE-ERROR", "no 5"));
    assert_eq!(error.restarts, [("OTHER".to_owned(), "Take another.".to_owned())]);
    assert_eq!((place.index, place.total, place.start), (3, Some(3), (3, 1)));
    assert_eq!(error.frames[0].call, "(G 5)", "{error:#?}");
    assert_eq!(error.frames[0].locals, [("N".to_owned(), "5".to_owned())]);
    let (error, place) = lab.error("(list 1\n (2").await;
    assert!(error.unclosed && place.phase == Phase::Read);
    let (error, _) = lab.error("(swnk:f)").await;
    assert_eq!(error.packages[0], "SWANK");
}

#[tokio::test]
async fn frames_have_the_places_of_their_source() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("deep.lisp");
    std::fs::write(
        &file,
        "\n(in-package :cl-user)\n\n(defun deep (n)\n  (declare (optimize (debug 3)))\n  (1+ (car n)))\n",
    )
    .unwrap();
    let (_server, lab) = attached_after(&format!("(load (compile-file {file:?}))")).await;
    let (error, _) = lab.error("(deep 3)").await;
    let deep = error.frames.iter().find(|frame| frame.call.starts_with("(DEEP")).unwrap();
    assert_eq!(deep.file.as_deref(), file.to_str());
    assert!(deep.line.is_some_and(|line| (4..=6).contains(&line)), "{deep:?}");
}

#[tokio::test]
async fn objects_have_numbers_that_last() {
    let (_server, lab) = attached().await;
    let report = lab.report("(list 1 (make-hash-table) \"x\")").await;
    let list = report.object.unwrap();
    assert_eq!((list.kind.as_str(), list.parts.len()), ("list", 3));
    let inner = list.parts[1].value.id.unwrap();
    let look = |object| Request::Inspect(Inspect { object, depth: 1, count: 10, offset: 0, limit: 100 });
    let report = lab.call(MAIN, look(inner), &CancellationToken::new()).await.unwrap();
    let Ending::Inspected(node) = report.ending else { panic!("{report:#?}") };
    assert_eq!(node.kind, "hash-table");
    let report = lab.call(MAIN, look(999), &CancellationToken::new()).await.unwrap();
    assert_eq!(report.ending, Ending::Refused(ImageRefusal::NoObject { object: 999, given: false }));
}

#[tokio::test]
async fn instances_and_structures_are_inspected() {
    let (_server, lab) = attached().await;
    lab.values("(defclass point () ((x :initform 1) y)) (defstruct pair (left 2))").await;
    let report = lab.report("(make-instance 'point)").await;
    let node = report.object.unwrap();
    assert_eq!((node.parts[0].label.clone(), node.parts[0].value.text.as_str()), (Label::Name("X".into()), "1"));
    assert_eq!(node.parts[1].value.kind, "unbound");
    let node = lab.report("(make-pair)").await.object.unwrap();
    assert_eq!((node.kind.as_str(), node.parts[0].value.text.as_str()), ("structure", "2"));
}

#[tokio::test]
async fn macros_are_expanded_at_all_levels() {
    let (_server, lab) = attached().await;
    let expand = |code: &str, level| {
        Request::Macroexpand(Expand {
            code: code.to_owned(),
            package: None,
            level,
            limit: 10_000,
            timeout: std::time::Duration::from_secs(30).into(),
        })
    };
    for (level, expected) in [(ExpansionLevel::Once, "(if a (when b c))"), (ExpansionLevel::All, "(if a (if b c))")] {
        let report = lab.call(MAIN, expand("(when a (when b c))", level), &CancellationToken::new()).await.unwrap();
        let Ending::Expanded { expansion, changed } = report.ending else { panic!("{report:#?}") };
        let text = expansion.text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(changed);
        assert_eq!(text, expected);
    }
}

#[tokio::test]
async fn an_exhausted_stack_is_an_answer_and_the_image_goes_on() {
    let (mut server, lab) = attached().await;
    let (error, _) = lab.error("(defun deeper (n) (+ 1 (deeper n))) (deeper 1)").await;
    assert!(error.type_name.contains("EXHAUSTED"), "{error:?}");
    assert_eq!(lab.values("(+ 1 2)").await, "3");
    assert!(server.is_alive());
}

#[tokio::test]
async fn odd_settings_of_the_code_do_not_disturb_the_answers() {
    let (_server, lab) = attached().await;
    for code in [
        "(setf *print-base* 2 *read-base* 16 *print-case* :downcase)",
        "(setf *readtable* (copy-readtable nil)) (set-macro-character #\\( (lambda (s c) (declare (ignore s c)) 'gone))",
        "(setf *standard-output* (make-broadcast-stream))",
        "(setf *debugger-hook* nil)",
    ] {
        lab.report(code).await;
    }
    let report = lab.report("77").await;
    let Ending::Values(values) = &report.ending else { panic!("{report:#?}") };
    assert_eq!(values[0].text, "119", "what was read follows *read-base*, what is printed does not");
}

#[tokio::test]
async fn code_that_leaves_by_any_way_out_is_an_answer() {
    let (mut server, lab) = attached().await;
    let (error, _) = lab.error("(abort)").await;
    assert_eq!(error.type_name, "ABORT");
    let (error, _) = lab.error("(invoke-restart (first (last (compute-restarts))))").await;
    assert_eq!(error.type_name, "ABORT");
    let (error, _) =
        lab.error("(swank:swank-debugger-hook (make-condition 'simple-error :format-control \"odd\") nil)").await;
    assert_eq!(error.message, "odd");
    let (error, _) = lab.error("(break \"here\")").await;
    assert_eq!(error.message, "here");
    assert_eq!(lab.values("(swank::y-or-n-p-in-emacs \"sure?\")").await, "NIL");
    assert_eq!(lab.values("(+ 1 2)").await, "3");
    assert!(server.is_alive());
}
