//! Time, output, stack and heap: every call ends in an answer, with the state kept where that is possible.

use std::time::Duration;

use lispwright_runtime::notice::{EndedChildren, UnheardEnd};
use lispwright_runtime::*;
use tokio_util::sync::CancellationToken;

use crate::lab::*;

#[tokio::test]
async fn an_interrupt_says_where_it_was_and_what_was_printed() {
    let lab = lab();
    lab.report("(defun spin (n) (princ \"partial\") (sleep n) n)").await;
    let report = lab.within(1.0, "1 (spin 100)").await;
    let Ending::Stopped { frames, place, .. } = &report.ending else { panic!("{report:#?}") };
    assert!(frames.iter().any(|frame| frame.call.starts_with("(SPIN")), "{report:#?}");
    assert_eq!(place.index, 2);
    assert_eq!(report.stdout.head, "partial");
}

#[tokio::test]
async fn a_loop_that_cannot_be_interrupted_is_killed_with_its_output_saved() {
    let lab = lab();
    lab.mark_state().await;
    let report = lab.within(1.0, "(princ \"partial\") (sb-sys:without-interrupts (loop))").await;
    let Ending::Died { death, reason } = &report.ending else { panic!("{report:#?}") };
    assert!(death.killed);
    assert_eq!(*reason, Some(StopReason::Timeout));
    assert_eq!(report.stdout.head, "partial");
    assert_eq!(report.ending.status(), ExecutionStatus::Unknown);
    assert_eq!(lab.values("(boundp '*here*)").await, "NIL");
}

#[tokio::test]
async fn interrupts_that_wait_together_are_one() {
    let lab = lab();
    lab.mark_state().await;
    // The signals that the evaluating thread does not take yet go to the other one.
    let code = "(defvar *other* (sb-thread:make-thread (lambda () (sleep 600)) :name \"other\"))
                (defun deaf () (sb-sys:without-interrupts
                                 (dotimes (i 30) (sb-posix:kill (sb-posix:getpid) sb-posix:sigint) (sb-thread:thread-yield))))
                (deaf)";
    for _ in 0..3 {
        let report = lab.report(code).await;
        let Ending::Stopped { frames, place, .. } = &report.ending else { panic!("{report:#?}") };
        assert!(frames.iter().any(|frame| frame.call.starts_with("(DEAF")), "{report:#?}");
        assert_eq!(place.index, 3);
        lab.assert_state_kept().await;
    }
}

#[tokio::test]
async fn what_the_agent_has_loaded_is_loaded() {
    let lab = lab();
    let code = "(let ((loads 0))
                  (sb-int:encapsulate 'load 'counting
                                      (lambda (load file &rest more)
                                        (when (search \".fasl\" (princ-to-string file)) (incf loads))
                                        (apply load file more)))
                  (dolist (module '(\"sb-posix\" :sb-posix \"sb-cltl2\" :sb-cltl2 \"sb-introspect\" :sb-introspect \"asdf\" :uiop))
                    (require module))
                  (handler-bind ((warning #'muffle-warning))
                    (asdf:load-system \"sb-posix\")
                    (asdf:load-system \"sb-introspect\"))
                  (sb-int:unencapsulate 'load 'counting)
                  loads)";
    assert_eq!(lab.values(code).await, "0");
}

#[tokio::test]
async fn endless_output_is_interrupted_and_bounded() {
    let lab = lab();
    lab.mark_state().await;
    for code in [
        "(loop (print 'again))",
        "(loop (write-string \"again\" *error-output*))",
        "(uiop:run-program \"yes\" :output :interactive)",
    ] {
        let report = lab.report(code).await;
        let Ending::Stopped { reason: StopReason::Output, .. } = report.ending else { panic!("{code}: {report:#?}") };
        assert!(report.stdout.head.len() + report.stdout.tail.len() + report.stderr.head.len() < 1 << 20);
        // Otherwise it would continue to print during the next evaluation.
        let ended = matches!(report.notices[..], [Notice::EndedChildren(EndedChildren::Printing(_))]);
        assert_eq!(ended, code.contains("yes"), "{code}: {:?}", report.notices);
        lab.assert_state_kept().await;
    }
}

#[tokio::test]
async fn a_process_of_an_earlier_call_that_prints_without_end_is_ended() {
    let lab = lab();
    lab.mark_state().await;
    // The kernel's clock has a resolution of a few hundredths of a second.
    let quiet = "(defvar *quiet* (sb-ext:run-program \"sleep\" '(\"600\") :search t :wait nil :output t)) (sleep 0.2)";
    let report = lab.report(quiet).await;
    assert!(matches!(report.ending, Ending::Values(_)), "{report:#?}");
    lab.report("(defvar *loud* (sb-ext:run-program \"yes\" nil :search t :wait nil :output t))").await;
    let report = lab.report("(loop)").await;
    assert!(matches!(report.ending, Ending::Stopped { reason: StopReason::Output, .. }), "{report:#?}");
    assert!(report.notices.contains(&Notice::EndedChildren(EndedChildren::Printing(1))), "{:?}", report.notices);
    lab.assert_state_kept().await;
    let end = "(progn (sb-ext:process-wait *loud*) (sb-ext:process-status *loud*))";
    assert_eq!(lab.values("(sb-ext:process-alive-p *quiet*)").await, "T");
    assert_eq!(lab.values(end).await, ":SIGNALED");
}

#[tokio::test]
async fn stack_exhaustion_is_an_error() {
    let lab = lab();
    lab.mark_state().await;
    let code = "(defun down (n) (+ 1 (down (+ n 1)))) (down 0)";
    for _ in 0..3 {
        let report = lab.within(600.0, code).await;
        let Ending::Error { error, .. } = &report.ending else { panic!("{report:#?}") };
        assert!(error.type_name.contains("STACK-EXHAUSTED"), "{error:#?}");
        assert!(!error.frames.is_empty() && error.frames.len() <= 20);
        assert_eq!(report.stderr.head, "", "the condition says what SBCL says of its guard page");
        lab.assert_state_kept().await;
    }
}

#[tokio::test]
async fn heap_exhaustion_is_an_error_or_a_death_with_last_words() {
    let lab = lab_with(|config| config.heap_megabytes = 256);
    let report = lab.report("(let ((x nil)) (loop (push (make-array 1000000) x)))").await;
    match &report.ending {
        Ending::Error { error, .. } => assert!(error.type_name.contains("HEAP-EXHAUSTED"), "{error:#?}"),
        Ending::Died { .. } => assert!(report.stderr.head.contains("eap exhausted"), "{report:#?}"),
        other => panic!("{other:#?}"),
    }
    assert!(!report.stderr.head.contains("GC control variables"), "{report:#?}");
    assert_eq!(lab.values("(+ 1 2)").await, "3");
    let report = lab.report("(let ((x nil)) (loop (push 1 x)))").await;
    match &report.ending {
        Ending::Error { error, .. } => assert!(error.type_name.contains("HEAP-EXHAUSTED"), "{error:#?}"),
        Ending::Died { .. } => assert!(report.stderr.head.contains("eap exhausted"), "{report:#?}"),
        other => panic!("{other:#?}"),
    }
    assert_eq!(lab.values("(+ 1 2)").await, "3");
}

#[tokio::test]
async fn a_foreign_crash_is_an_error() {
    let lab = lab();
    lab.mark_state().await;
    let (error, _) = lab.error("(sb-sys:sap-ref-8 (sb-sys:int-sap 0) 0)").await;
    assert!(error.type_name.contains("MEMORY-FAULT"), "{error:#?}");
    lab.assert_state_kept().await;
}

#[tokio::test]
async fn a_forked_copy_does_not_answer_for_the_session() {
    let lab = lab();
    lab.mark_state().await;
    for code in [
        "(sb-posix:fork)",
        "(when (zerop (sb-posix:fork)) (sb-ext:exit))",
        "(when (zerop (sb-posix:fork)) (error \"x\"))",
    ] {
        let report = lab.report(code).await;
        let Ending::Values(values) = &report.ending else { panic!("{code}: {report:#?}") };
        assert_ne!(values[0].text, "0");
        lab.assert_state_kept().await;
    }
}

#[tokio::test]
async fn an_interrupt_stops_the_call_that_runs_and_the_next_one_runs() {
    let lab = lab();
    lab.mark_state().await;
    let (first, second, ()) = tokio::join!(lab.report("(loop)"), lab.report("*here*"), async {
        until("one runs and one waits", async || {
            let status = &lab.status().sessions[0];
            status.running_for.is_some() && status.waiting.len() == 1
        })
        .await;
        assert!(lab.interrupt(MAIN).unwrap());
    });
    assert!(matches!(first.ending, Ending::Stopped { reason: StopReason::Interrupted, .. }), "{first:#?}");
    assert!(matches!(second.ending, Ending::Values(_)), "{second:#?}");
    lab.assert_state_kept().await;
    assert!(!lab.interrupt(MAIN).unwrap());
    assert_eq!(lab.interrupt("nobody"), Err(SessionError::Unknown("nobody".into())));
}

#[tokio::test]
async fn a_withdrawn_call_is_interrupted_and_the_state_is_kept() {
    let lab = lab();
    lab.mark_state().await;
    let cancel = CancellationToken::new();
    let (report, ()) = tokio::join!(lab.eval(MAIN, EvalRequest::new("(loop)"), &cancel), async {
        until("the session is busy", async || lab.status().sessions[0].state == State::Busy).await;
        cancel.cancel();
    });
    assert!(matches!(report.unwrap().ending, Ending::Stopped { reason: StopReason::Cancelled, .. }));
    lab.assert_state_kept().await;
    let token = CancellationToken::new();
    let dropped =
        tokio::time::timeout(Duration::from_millis(100), lab.eval(MAIN, EvalRequest::new("(loop)"), &token)).await;
    assert!(dropped.is_err());
    // The next call waits for the stopped one, and reports it.
    let next = lab.report("*here*").await;
    let Notice::Unheard { call, end: UnheardEnd::Stopped | UnheardEnd::StoppedIn { .. }, .. } = &next.notices[0] else {
        panic!("{next:#?}")
    };
    assert!(call.contains("(loop)"), "{next:#?}");
    lab.assert_state_kept().await;
}

#[tokio::test]
async fn the_number_of_sessions_is_limited() {
    let lab = lab_with(|config| config.max_sessions = 1);
    lab.report("1").await;
    let refused = lab.eval("second", EvalRequest::new("1"), &CancellationToken::new()).await;
    assert_eq!(refused, Err(SessionError::TooMany(1)));
    lab.kill(MAIN).await.unwrap();
    assert!(lab.eval("second", EvalRequest::new("1"), &CancellationToken::new()).await.is_ok());
}
