//! Errors whose stack is kept, and their restarts.

use std::time::Duration;

use lispwright_runtime::*;
use tokio_util::sync::CancellationToken;

use crate::guile;
use crate::lab::Lab;

async fn hold(lab: &Lab, code: &str) -> EvalReport {
    lab.request(EvalRequest { hold: true, ..EvalRequest::new(code) }).await
}

async fn restart(lab: &Lab, name: &str, values: Option<&str>) -> EvalReport {
    let request = Request::Restart {
        restart: RestartName::Name(name.to_owned()),
        values: values.map(str::to_owned),
        timeout: Duration::from_secs(30).into(),
    };
    lab.call(MAIN, request, &CancellationToken::new()).await.unwrap()
}

#[track_caller]
fn error(report: &EvalReport) -> &LispError {
    let Ending::Error { error, .. } = &report.ending else { panic!("{report:#?}") };
    error
}

#[track_caller]
fn offered(report: &EvalReport) -> Vec<&str> {
    assert_eq!(report.held, 1, "{report:#?}");
    error(report).restarts.iter().map(|(name, _)| name.as_str()).collect()
}

#[track_caller]
fn values(report: &EvalReport) -> String {
    let Ending::Values(values) = &report.ending else { panic!("{report:#?}") };
    values.iter().map(|value| value.text.as_str()).collect::<Vec<_>>().join(" ; ")
}

#[tokio::test]
async fn a_restart_with_a_value_is_offered_only_if_the_code_can_continue_with_one() {
    let lab = guile();
    lab.report("(use-modules (ice-9 exceptions) (rnrs base))").await;
    for code in [
        "(raise-continuable 'x)",
        "(raise-exception 'x #:continuable? #t)",
        "(let ((raise raise-continuable)) (list (raise (make-exception-with-message \"m\"))))",
        "(map (lambda (x) (+ x (raise-continuable x))) '(1))",
        "(with-exception-handler (lambda (e) (raise-continuable 'again)) (lambda () (+ 1 (raise-continuable 'x))))",
        "(with-exception-handler (lambda (e) (raise-continuable 'again)) (lambda () (error \"x\")))",
    ] {
        assert_eq!(offered(&hold(&lab, code).await), ["USE-VALUE", "RETRY", "ABORT"], "{code}");
        restart(&lab, "ABORT", None).await;
    }
    for code in [
        "nowhere",
        "(error \"x\")",
        "(car 1)",
        "(throw 'key 1)",
        "(raise-exception 'x)",
        "(raise-exception (make-warning))",
        "(assert #f)",
        "(if)",
        "(with-exception-handler (lambda (e) (error \"again\")) (lambda () (+ 1 (raise-continuable 'x))))",
        "(with-exception-handler (lambda (e) 1) (lambda () (error \"x\")))",
    ] {
        assert_eq!(offered(&hold(&lab, code).await), ["RETRY", "ABORT"], "{code}");
        restart(&lab, "abort", None).await;
    }
    // There is no form to evaluate again when the reader or the printer fails.
    assert_eq!(offered(&hold(&lab, "(list 1").await), ["ABORT"]);
    let report = restart(&lab, "2", None).await;
    assert!(matches!(&report.ending, Ending::Refused(ImageRefusal::NoRestart(_))), "{report:#?}");
}

#[tokio::test]
async fn the_call_that_raised_returns_the_values_of_the_code() {
    let lab = guile();
    lab.report("(use-modules (ice-9 exceptions)) (define log '()) (define shelf 7)").await;
    let code = "(define (price item)
                  (dynamic-wind (lambda () (set! log (cons 'in log)))
                                (lambda () (raise-continuable item))
                                (lambda () (set! log (cons 'out log)))))
                (call-with-values (lambda () (price 'tea)) list)
                (list (price 'milk) (current-module) (reverse log))";
    hold(&lab, code).await;
    let asks = restart(&lab, "use-value", None).await;
    assert!(
        matches!(&asks.ending, Ending::Refused(ImageRefusal::NeedsValue(name)) if name == "USE-VALUE"),
        "{asks:#?}"
    );
    // If the code fails, no restart is invoked.
    let fails = restart(&lab, "use-value", Some("(car 1)")).await;
    assert_eq!((error(&fails).type_name.as_str(), fails.held), ("wrong-type-arg", 1), "{fails:#?}");
    let fails = restart(&lab, "use-value", Some("(list 1")).await;
    assert_eq!(fails.held, 1, "{fails:#?}");
    // The form has its values, and the next one raises the same.
    let next = restart(&lab, "use-value", Some("(values 1 shelf)")).await;
    assert_eq!(offered(&next), ["USE-VALUE", "RETRY", "ABORT"]);
    let done = restart(&lab, "use-value", Some("12")).await;
    assert_eq!(done.held, 0, "{done:#?}");
    assert!(values(&done).starts_with("(12 #<directory (guile-user)"), "{done:#?}");
    assert!(values(&done).ends_with("(in out in out))"), "nothing was unwound meanwhile: {done:#?}");
}

#[tokio::test]
async fn a_form_is_evaluated_again_and_those_after_it_too() {
    let lab = guile();
    let code = "(define n 0)\n(define (f) (set! n (1+ n)) (+ 1 (late)))\n(list 'is (f))\n(list n (f))";
    let report = hold(&lab, code).await;
    assert_eq!(error(&report).type_name, "unbound-variable");
    // It fails as before until its cause is gone.
    let again = restart(&lab, "RETRY", None).await;
    assert_eq!(offered(&again), ["RETRY", "ABORT"]);
    let Ending::Error { place, .. } = &again.ending else { panic!("{again:#?}") };
    assert_eq!((place.index, place.total, place.start), (3, Some(4), (3, 1)));
    lab.report("(define (late) 41)").await;
    let done = restart(&lab, "retry", None).await;
    assert_eq!((values(&done).as_str(), done.held), ("(3 42)", 0), "{done:#?}");
    assert_eq!(lab.values("n").await, "4");
}

#[tokio::test]
async fn an_outer_held_error_is_continued_after_the_inner_one() {
    let lab = guile();
    lab.report("(use-modules (ice-9 exceptions))").await;
    hold(&lab, "(list 'below (raise-continuable 1))").await;
    let above = hold(&lab, "(list 'above (raise-continuable 2))").await;
    assert_eq!(above.held, 2, "{above:#?}");
    let done = restart(&lab, "USE-VALUE", Some("'b")).await;
    assert_eq!((values(&done).as_str(), done.held), ("(above b)", 1), "{done:#?}");
    let done = restart(&lab, "USE-VALUE", Some("'a")).await;
    assert_eq!((values(&done).as_str(), done.held), ("(below a)", 0), "{done:#?}");
    lab.define_here().await;
    lab.assert_here().await;
}

#[tokio::test]
async fn interrupted_code_continues_and_so_do_the_forms_after_it() {
    let lab = guile();
    lab.define_here().await;
    for name in ["CONTINUE", "RETRY"] {
        lab.report("(define go #f)\n(define (spin) (if go 5 (spin)))").await;
        let code = "(spin)\n(list 'after (spin))";
        let request = EvalRequest { hold: true, timeout: Duration::from_secs(1).into(), ..EvalRequest::new(code) };
        let stopped = lab.request(request).await;
        assert_eq!(stopped.held, 1, "{stopped:#?}");
        lab.report("(set! go #t)").await;
        let done = restart(&lab, name, None).await;
        assert_eq!((values(&done).as_str(), done.held), ("(after 5)", 0), "{name}: {done:#?}");
    }
    lab.assert_here().await;
}
