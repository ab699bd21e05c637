//! Errors: condition, place, and remedies.

use lispwright_runtime::*;

use crate::lab::*;

#[tokio::test]
async fn an_error_names_its_type_frames_and_locals() {
    let lab = lab();
    let (error, place) = lab.error("(defun f (x) (1+ (/ x 0)))\n(defun g (y) (1+ (f y)))\n(g 3) :never").await;
    assert_eq!(error.type_name, "DIVISION-BY-ZERO");
    assert!(error.message.contains("(/ 3 0)"), "{error:#?}");
    let calls: Vec<&str> = error.frames.iter().map(|frame| frame.call.as_str()).collect();
    assert_eq!(calls, ["(F 3)", "(G 3)"], "{error:#?}");
    assert_eq!(error.frames[0].locals, [("X".to_owned(), "3".to_owned())]);
    assert_eq!((place.index, place.total, place.start), (3, Some(4), (3, 1)));
    assert_eq!(place.text, "(g 3)");
}

#[tokio::test]
async fn a_direct_call_shows_itself() {
    let lab = lab();
    let (error, _) = lab.error("(car 1)").await;
    assert_eq!(error.type_name, "TYPE-ERROR");
    let (error, _) = lab.error("(parse-integer \"x\")").await;
    assert!(error.frames.iter().any(|frame| frame.call.contains("PARSE-INTEGER")), "{error:#?}");
}

#[tokio::test]
async fn restarts_are_listed_without_those_of_the_agent() {
    let lab = lab();
    let (error, _) = lab.error("(restart-case (error \"boom\") (use-tea () :report \"Drink tea.\" 1))").await;
    assert_eq!(error.message, "boom");
    assert_eq!(error.restarts, [("USE-TEA".to_owned(), "Drink tea.".to_owned())]);
    let (error, _) = lab.error("(no-such-function 1)").await;
    assert_eq!(error.type_name, "UNDEFINED-FUNCTION");
    assert!(error.restarts.iter().any(|(name, _)| name == "USE-VALUE"), "{error:#?}");
}

#[tokio::test]
async fn handlers_of_the_code_work_and_a_signal_is_no_error() {
    let lab = lab();
    assert_eq!(lab.values("(handler-case (error \"x\") (error () :handled))").await, ":HANDLED");
    assert_eq!(lab.values("(signal 'error)").await, "NIL");
    assert!(lab.values("(ignore-errors (error \"x\"))").await.starts_with("NIL ; #<SIMPLE-ERROR \"x\""));
    assert_eq!(
        lab.values("(block b (let ((*debugger-hook* (lambda (c h) (declare (ignore c h)) (return-from b :mine)))) (error \"x\")))").await,
        ":MINE"
    );
}

#[tokio::test]
async fn break_is_an_answer() {
    let lab = lab();
    lab.mark_state().await;
    let (error, _) = lab.error("(break \"here ~A\" 1)").await;
    assert_eq!(error.message, "here 1");
    assert_eq!(error.restarts[0].0, "CONTINUE");
    lab.assert_state_kept().await;
}

#[tokio::test]
async fn switching_the_debugger_off_or_on_changes_nothing() {
    let lab = lab();
    lab.mark_state().await;
    for code in ["(sb-ext:disable-debugger)", "(sb-ext:enable-debugger)", "(setf *debugger-hook* nil)"] {
        lab.report(code).await;
        assert_eq!(lab.error("(error \"x\")").await.0.message, "x");
    }
    lab.assert_state_kept().await;
}

#[tokio::test]
async fn an_error_in_another_thread_is_reported_and_ends_only_that_thread() {
    let lab = lab();
    lab.mark_state().await;
    let code = "(sb-thread:join-thread (sb-thread:make-thread (lambda () (error \"astray\")) :name \"walker\") :default :gone)";
    let report = lab.report(code).await;
    assert_eq!(
        report.ending,
        Ending::Values(vec![
            Printout { text: ":GONE".into(), cut: false },
            Printout { text: ":ABORT".into(), cut: false },
        ])
    );
    assert_eq!(report.background.len(), 1, "{report:#?}");
    assert_eq!(report.background[0].message, "astray");
    assert_eq!(report.background[0].thread.as_deref(), Some("walker"));
    assert_eq!(report.background[0].frames.len(), 1, "only the code's own: {report:#?}");
    assert!(lab.report("1").await.background.is_empty());
    lab.assert_state_kept().await;
}

#[tokio::test]
async fn an_error_at_read_time() {
    let lab = lab();
    let (error, _) = lab.error("(defun early () (1+ (car 1))) #.(list (early))").await;
    assert_eq!(error.frames.len(), 1, "{error:#?}");
    assert_eq!(error.frames[0].call, "(EARLY)");
    let (error, place) = lab.error("1\n#.(error \"early\")").await;
    assert_eq!((error.message.as_str(), place.phase, place.index), ("early", Phase::Read, 2));
    assert_eq!(place.start, (2, 1));
}

#[tokio::test]
async fn code_that_ends_in_the_middle_of_a_form() {
    let lab = lab();
    let (error, place) = lab.error("(defvar *done* 1)\n\n  (list 1\n   (+ 2").await;
    assert!(error.unclosed);
    assert_eq!((place.phase, place.start), (Phase::Read, (3, 3)));
    assert!(error.frames.is_empty(), "reading is the server's affair: {error:#?}");
    assert_eq!(lab.values("*done*").await, "1", "the forms before it have run");
    let (error, place) = lab.error("(+ 1 2))").await;
    assert!(!error.unclosed);
    assert_eq!((place.phase, place.index, place.at), (Phase::Read, 2, Some((1, 8))));
}

#[tokio::test]
async fn an_unknown_package_is_located_and_the_nearest_named() {
    let lab = lab();
    lab.report("(defpackage :warehouse (:use :cl))").await;
    let (error, place) = lab.error("(list 1)\n(foo warehose:item)").await;
    assert_eq!(error.packages, ["WAREHOUSE"]);
    assert!(error.message.contains("WAREHOSE"), "{error:#?}");
    assert!(!error.message.contains("Stream:"), "{error:#?}");
    assert_eq!((place.phase, place.index, place.start), (Phase::Read, 2, (2, 1)));
    assert_eq!(place.at.map(|(line, _)| line), Some(2));
}

#[tokio::test]
async fn standard_input_is_empty_and_the_answer_says_so() {
    let lab = lab();
    for code in ["(read-line)", "(read)", "(read-char *terminal-io*)", "(y-or-n-p \"sure?\")"] {
        let (error, _) = lab.error(code).await;
        assert!(error.stdin && !error.unclosed, "{code}: {error:#?}");
        assert_eq!(error.type_name, "END-OF-FILE");
    }
    let (error, _) = lab.error("(with-input-from-string (s \"\") (read s))").await;
    assert!(!error.stdin && !error.unclosed);
}

#[tokio::test]
async fn code_that_does_not_compile() {
    let lab = lab();
    let report = lab.report("(let ((x 1 2)) x)").await;
    assert!(matches!(&report.ending, Ending::Error { error, .. } if error.message.contains("X 1 2")), "{report:#?}");
}

#[tokio::test]
async fn a_report_that_fails_or_never_ends_does_not_block_the_answer() {
    let lab = lab();
    lab.mark_state().await;
    lab.report("(define-condition sour (error) () (:report (lambda (c s) (declare (ignore c s)) (error 'sour))))")
        .await;
    let (error, _) = lab.error("(error 'sour)").await;
    assert_eq!(error.type_name, "SOUR");
    lab.report("(define-condition dull (error) () (:report (lambda (c s) (declare (ignore c s)) (loop))))").await;
    let report = lab.within(0.3, "(error 'dull)").await;
    assert_eq!(report.ending.status(), ExecutionStatus::Interrupted);
    lab.report("(define-condition flood (error) () (:report (lambda (c s) (declare (ignore c)) (loop (princ 'x s)))))")
        .await;
    let (error, _) = lab.error("(error 'flood)").await;
    assert_eq!(error.message.len(), 4000);
    lab.assert_state_kept().await;
}

#[tokio::test]
async fn aborting_is_an_answer() {
    let lab = lab();
    lab.mark_state().await;
    let report = lab.report("(abort)").await;
    assert!(matches!(report.ending, Ending::Error { .. }), "{report:#?}");
    let report = lab.report("(throw 'nowhere 1)").await;
    assert!(matches!(report.ending, Ending::Error { .. }), "{report:#?}");
    lab.assert_state_kept().await;
}

#[tokio::test]
async fn a_frame_knows_its_file_and_line() {
    let lab = lab();
    let file = lab.directory.path().join("farm.lisp");
    std::fs::write(&file, ";; λ\n(in-package :cl-user)\n\n(defun plough (x)\n  (1+ (car x)))\n").unwrap();
    lab.report(&format!("(load (compile-file {:?}))", file.to_str().unwrap())).await;
    let (error, _) = lab.error("(list (plough 7))").await;
    assert_eq!(error.frames[0].call, "(PLOUGH 7)");
    assert!(error.frames[0].file.as_deref().is_some_and(|name| name.ends_with("farm.lisp")), "{error:#?}");
    assert_eq!(error.frames[0].line, Some(4));
}

#[tokio::test]
async fn functions_that_only_signal_are_no_frames() {
    let lab = lab();
    lab.values("(defclass crop () (yield)) (defgeneric weigh (crop)) (defun harvest (crop) (list (weigh crop)))").await;
    for code in [
        "(harvest 1)",
        "(defmethod weigh ((crop crop)) (list (slot-value crop 'yield))) (harvest (make-instance 'crop))",
    ] {
        let (error, _) = lab.error(code).await;
        let calls: Vec<&str> = error.frames.iter().map(|frame| frame.call.as_str()).collect();
        assert!(calls.iter().any(|call| call.starts_with("(HARVEST ")), "{calls:?}");
        assert!(!calls.iter().any(|call| call.contains("NO-APPLICABLE") || call.contains("SLOT-UNBOUND")), "{calls:?}");
    }
}
