//! Held stacks and interrupted calls.

use std::time::Duration;

use lispwright_runtime::notice::Remaining;
use lispwright_runtime::*;
use tokio_util::sync::CancellationToken;

use crate::attached;
use crate::lab::Lab;

const BROKEN: &str = "(defun price (item)
  (restart-case (error \"no price for ~A\" item)
    (use-value (v) :report \"Use a price.\" v)
    (free () :report \"It is free.\" 0)))
(* 100 (price :tea))";

async fn ask(lab: &Lab, request: Request) -> EvalReport {
    lab.call(MAIN, request, &CancellationToken::new()).await.unwrap()
}

async fn hold(lab: &Lab, code: &str) -> EvalReport {
    lab.request(EvalRequest { hold: true, ..EvalRequest::new(code) }).await
}

fn restart(name: &str, values: Option<&str>) -> Request {
    Request::Restart {
        restart: RestartName::Name(name.to_owned()),
        values: values.map(str::to_owned),
        timeout: Duration::from_secs(30).into(),
    }
}

fn values(report: &EvalReport) -> String {
    let Ending::Values(values) = &report.ending else { panic!("{report:#?}") };
    values.iter().map(|value| value.text.as_str()).collect::<Vec<_>>().join(" ; ")
}

#[tokio::test]
async fn a_held_error_can_be_inspected_and_continued() {
    let (_server, lab) = attached().await;
    let report = hold(&lab, BROKEN).await;
    let Ending::Error { error, .. } = &report.ending else { panic!("{report:#?}") };
    assert!(error.kept && report.held == 1);
    let names: Vec<&str> = error.restarts.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["USE-VALUE", "FREE"]);

    let Ending::Held(levels) = ask(&lab, Request::Held(ListHeld)).await.ending else { panic!() };
    assert_eq!(levels[0].message, "no price for TEA");
    let Ending::Frames { frames, total } = ask(&lab, Request::Frames(ListFrames { offset: 0, count: 20 })).await.ending
    else {
        panic!()
    };
    assert!(frames[0].call == "(PRICE :TEA)" && total >= 1, "{frames:#?}");
    let Ending::Locals { locals, .. } = ask(&lab, Request::Locals(ListLocals { frame: 0 })).await.ending else {
        panic!()
    };
    assert_eq!((locals[0].0.as_str(), locals[0].1.text.as_str()), ("ITEM", ":TEA"));
    let inside = Request::EvalInFrame { frame: 0, code: EvalRequest::new("(list item item)") };
    assert_eq!(values(&ask(&lab, inside).await), "(:TEA :TEA)");
    let report = ask(&lab, Request::Locals(ListLocals { frame: 99 })).await;
    assert!(matches!(report.ending, Ending::Refused(ImageRefusal::NoFrame { frame: 99, .. })), "{report:#?}");
    let report = ask(&lab, restart("NONE", None)).await;
    assert_eq!(report.ending, Ending::Refused(ImageRefusal::NoRestart("NONE".into())));

    assert_eq!(lab.values("(+ 1 2)").await, "3", "the next call runs on top");
    let report = ask(&lab, restart("use-value", Some("(+ 1 2)"))).await;
    assert_eq!(values(&report), "300");
    assert_eq!(report.held, 0);
    assert_eq!(ask(&lab, Request::Held(ListHeld)).await.ending, Ending::Refused(ImageRefusal::NotHeld));
    assert_eq!(lab.values("(+ 1 2)").await, "3");
}

#[tokio::test]
async fn errors_are_held_on_top_of_each_other_and_given_up_one_by_one() {
    let (_server, lab) = attached().await;
    assert_eq!(hold(&lab, BROKEN).await.held, 1);
    assert_eq!(hold(&lab, "(car 7)").await.held, 2);
    let (error, _) = lab.error("(cdr 8)").await;
    assert!(!error.kept, "an error on top that is not to be held");
    let report = ask(&lab, Request::Abort).await;
    assert!(matches!(report.ending, Ending::Aborted(_)) && report.held == 1, "{report:#?}");
    // A restart that continues is not invoked by mistake.
    let Ending::Held(levels) = ask(&lab, Request::Held(ListHeld)).await.ending else { panic!() };
    assert_eq!(levels[0].message, "no price for TEA");
    let report = ask(&lab, Request::Abort).await;
    assert!(matches!(report.ending, Ending::Aborted(_)) && report.held == 0, "{report:#?}");
    assert_eq!(lab.values("(+ 1 2)").await, "3");
}

#[tokio::test]
async fn a_correctable_error_waits_until_it_is_continued() {
    let (_server, lab) = attached().await;
    hold(&lab, "(defvar *went-on* nil) (progn (cerror \"Go on.\" \"stop\") (setf *went-on* t))").await;
    hold(&lab, "(car 7)").await;
    ask(&lab, Request::Abort).await;
    assert_eq!(lab.values("*went-on*").await, "NIL");
    assert_eq!(values(&ask(&lab, restart("continue", None)).await), "T");
}

#[tokio::test]
async fn an_interrupt_is_held_and_can_be_continued() {
    let (_server, lab) = attached().await;
    lab.report("(defvar *go* nil)").await;
    let request = EvalRequest {
        hold: true,
        timeout: Duration::from_secs(1).into(),
        ..EvalRequest::new("(loop until *go* finally (return :went))")
    };
    let report = lab.request(request).await;
    assert!(matches!(report.ending, Ending::Stopped { kept: true, .. }), "{report:#?}");
    assert_eq!(lab.values("(setf *go* t)").await, "T");
    assert_eq!(values(&ask(&lab, restart("continue", None)).await), ":WENT");
}

#[tokio::test]
async fn a_call_on_top_of_a_held_error_is_interrupted_alone() {
    let (_server, lab) = attached().await;
    hold(&lab, BROKEN).await;
    let report = lab.within(0.3, "(loop)").await;
    assert!(matches!(report.ending, Ending::Stopped { .. }), "{report:#?}");
    assert_eq!(report.held, 1);
    assert_eq!(values(&ask(&lab, restart("free", None)).await), "0");
}

#[tokio::test]
async fn code_that_ignores_interrupts_is_left_alone_and_the_session_goes_on() {
    let (mut server, lab) = attached().await;
    lab.mark_state().await;
    let code = "(sb-sys:without-interrupts (let ((end (+ (get-universal-time) 8))) (loop until (> (get-universal-time) end))))";
    let report = lab.within(0.3, code).await;
    let Ending::Died { death, reason } = &report.ending else { panic!("{report:#?}") };
    assert!(!death.killed && death.status.contains("left alone"), "{death:?}");
    assert_eq!(*reason, Some(StopReason::Timeout));
    let again = lab.report("*here*").await;
    assert_eq!(again.notices[0], Notice::Reconnected(Remaining::WithoutObjects), "{again:#?}");
    assert_eq!(values(&again), "42", "the image is the same");
    assert!(server.is_alive());
}
