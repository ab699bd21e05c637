//! Values, packages, and the state between calls.

use lispwright_runtime::*;

use crate::lab::*;

#[tokio::test]
async fn listener_variables() {
    let lab = lab();
    lab.report("(+ 1 2)").await;
    lab.report("(values :a :b)").await;
    assert_eq!(lab.values("(list * ** / +)").await, "(:A 3 (:A :B) (VALUES :A :B))");
}

#[tokio::test]
async fn odd_reader_and_printer_settings_are_harmless() {
    let lab = lab();
    assert_eq!(lab.values("(setf *read-base* 16)").await, "16");
    assert_eq!(lab.values("(list 10 ff)").await, "(16 255)");
    lab.report("(setf *read-base* 0A *print-base* 2 *print-radix* t *print-case* :downcase *print-readably* t)").await;
    assert_eq!(lab.values("(list 10 'abc)").await, "(10 ABC)");
    lab.report("(setf *print-length* 1 *print-escape* nil *print-pretty* nil)").await;
    assert_eq!(lab.values("(list 1 2 \"x\")").await, "(1 2 \"x\")");
    lab.report("(setf *readtable* (copy-readtable nil)) (set-macro-character #\\( (lambda (s c) (read-line s) c))")
        .await;
    assert_eq!(lab.values("(anything").await, "#\\(");
    lab.report(":x #.(progn (cl:setf *readtable* (cl:copy-readtable cl:nil)) 1)").await;
    let report = lab.report("(+ 1 2)").await;
    assert!(matches!(report.ending, Ending::Values(_)), "{report:#?}");
}

#[tokio::test]
async fn all_of_unicode_crosses_the_wire() {
    let lab = lab();
    assert_eq!(lab.values("\"λ 𝄞 \\\\ \\\" é\"").await, "\"λ 𝄞 \\\\ \\\" é\"");
    assert_eq!(lab.values("(length \"𝄞\")").await, "1");
    assert_eq!(lab.values("(string (code-char #xD800))").await, "\"\u{FFFD}\"");
    let report = lab.report("(princ \"λ𝄞\") (princ (code-char #xDC00)) nil").await;
    assert!(report.stdout.head.starts_with("λ𝄞"), "{report:#?}");
    assert_eq!(lab.values("(+ 1 2)").await, "3");
}

#[tokio::test]
async fn circular_structure() {
    let lab = lab();
    assert_eq!(lab.values("(let ((x (list 1))) (setf (cdr x) x))").await, "#1=(1 . #1#)");
    assert_eq!(lab.values("(let ((x (vector 1))) (setf (aref x 0) x) (list x))").await, "(#1=#(#1#))");
    assert_eq!(lab.values("(let ((x (list 1))) (list x x))").await, "((1) (1))");
    lab.report("(defstruct ring next)").await;
    let report = lab.report("(let ((x (make-ring))) (setf (ring-next x) x) x)").await;
    assert!(matches!(&report.ending, Ending::Values(values) if values[0].text.starts_with("#S(RING")), "{report:#?}");
    let deep = lab.report("(let ((x nil)) (dotimes (i 1000000 x) (setf x (list x))))").await;
    assert!(matches!(&deep.ending, Ending::Values(values) if values[0].text.starts_with("((((")), "{deep:#?}");
}

#[tokio::test]
async fn level_and_length() {
    let lab = lab();
    let request = EvalRequest { print_level: Some(1), print_length: Some(2), ..EvalRequest::new("'(1 (2) 3)") };
    let Ending::Values(values) = lab.request(request).await.ending else { panic!() };
    assert_eq!(values[0].text, "(1 # ...)");
}

#[tokio::test]
async fn a_value_that_prints_for_ever_is_cut() {
    let lab = lab();
    lab.report("(defstruct fountain) (defmethod print-object ((f fountain) s) (loop (write-string \"water \" s)))")
        .await;
    let Ending::Values(values) = lab.report("(make-fountain)").await.ending else { panic!() };
    assert!(values[0].cut);
    assert_eq!(values[0].text.len(), 10_000);
    let Ending::Values(values) = lab.report("(make-list 100000)").await.ending else { panic!() };
    assert!(values[0].cut && values[0].text.starts_with("(NIL NIL"));
}

#[tokio::test]
async fn a_value_that_never_finishes_printing_is_interrupted() {
    let lab = lab();
    lab.mark_state().await;
    lab.report("(defstruct mute) (defmethod print-object ((m mute) s) (loop))").await;
    let report = lab.within(0.3, "(make-mute)").await;
    let Ending::Stopped { reason: StopReason::Timeout, place, .. } = report.ending else { panic!("{report:#?}") };
    assert_eq!(place.phase, Phase::Print);
    lab.assert_state_kept().await;
}

#[tokio::test]
async fn a_print_method_that_fails_is_an_answer() {
    let lab = lab();
    lab.report("(defstruct thorn) (defmethod print-object ((x thorn) s) (error \"ouch\"))").await;
    let text = lab.values("(make-thorn)").await;
    assert!(text.contains("THORN") && text.contains("ouch"), "{text}");
    let (error, _) = lab.error("(error \"with ~S\" (make-thorn))").await;
    assert_eq!(error.type_name, "SIMPLE-ERROR");
}

#[tokio::test]
async fn warnings_are_collected_and_later_definitions_are_known() {
    let lab = lab();
    let report = lab.report("(defun g () (h)) (defun h () 1) (warn \"careful ~A\" 1) (g)").await;
    assert_eq!(report.warnings, [Warning { type_name: "SIMPLE-WARNING".into(), message: "careful 1".into() }]);
    assert!(report.stderr.is_empty(), "{report:#?}");
    let report = lab.report("(defun k () (nowhere 1))").await;
    assert_eq!(report.warnings.len(), 1, "{report:#?}");
    assert!(report.warnings[0].message.contains("NOWHERE"), "{report:#?}");
    let report = lab.report("(defun h () 2) (h)").await;
    assert!(report.warnings.is_empty() && report.stderr.is_empty(), "redefinition is no news: {report:#?}");
    let report = lab.report("(defun speedy (x) (declare (optimize speed)) (+ x 1))").await;
    assert!(report.warnings.is_empty() && report.stderr.is_empty(), "notes are not wanted: {report:#?}");
}

#[tokio::test]
async fn sessions_do_not_see_each_other() {
    let lab = lab();
    lab.mark_state().await;
    let other = lab.eval("other", EvalRequest::new("(boundp '*here*)"), &Default::default()).await.unwrap();
    assert_eq!(other.ending, Ending::Values(vec![Printout { text: "NIL".into(), cut: false }]));
}

#[tokio::test]
async fn sessions_run_at_once_and_do_not_mix_their_output() {
    let lab = lab();
    let count = |name: &'static str| {
        let sessions = lab.sessions.clone();
        tokio::spawn(async move {
            for _ in 0..10 {
                let code = format!("(dotimes (i 300) (princ \"{name}\") (princ \"{name}\" *error-output*)) :{name}");
                let report = sessions.eval(name, EvalRequest::new(code), &Default::default()).await.unwrap();
                assert_eq!(report.stdout.head, name.repeat(300));
                assert_eq!(report.stderr.head, name.repeat(300));
                let value = Printout { text: format!(":{}", name.to_uppercase()), cut: false };
                assert_eq!(report.ending, Ending::Values(vec![value]));
            }
        })
    };
    for session in ["a", "b", "c", "d"].map(count) {
        session.await.unwrap();
    }
}

#[tokio::test]
async fn images_run_in_the_root_without_credentials() {
    let lab = lab();
    let directory = lab.directory.path().canonicalize().unwrap();
    let there = lab.values("(namestring (truename \".\"))").await;
    assert_eq!(there.trim_matches('"').trim_end_matches('/'), directory.to_str().unwrap());
    assert_eq!(lab.values("(require :sb-md5) (and (find-package :sb-md5) t)").await, "T");
}

#[tokio::test]
async fn read_time_evaluation_can_be_forbidden() {
    let lab = lab();
    assert_eq!(lab.values("#.(+ 1 2)").await, "3");
    let report = lab.request(EvalRequest { safe_read: true, ..EvalRequest::new("#.(+ 1 2)") }).await;
    let Ending::Error { place, .. } = report.ending else { panic!("{report:#?}") };
    assert_eq!(place.phase, Phase::Read);
}

#[tokio::test]
async fn the_session_survives_the_loss_of_its_package() {
    let lab = lab();
    lab.report("(defpackage :shop (:use :cl)) (in-package :shop) (delete-package *package*)").await;
    let report = lab.report("(+ 1 2)").await;
    assert_eq!(report.ending, Ending::Values(vec![Printout { text: "3".into(), cut: false }]), "{report:#?}");
    assert_eq!(report.package.as_deref(), Some("COMMON-LISP-USER"));
    let report = lab.report("(delete-package \"LISPWRIGHT.AGENT\")").await;
    assert!(matches!(report.ending, Ending::Error { .. }), "{report:#?}");
    assert_eq!(lab.values("(+ 1 2)").await, "3");
}
