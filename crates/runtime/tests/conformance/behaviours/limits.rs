//! Code that does not end, or that exhausts resources.

use std::sync::Arc;
use std::time::Duration;

use lispwright_runtime::*;
use tokio_util::sync::CancellationToken;

use crate::bench::Bench;
use crate::lab::until;

pub(super) async fn endless_code(bench: Arc<Bench>) {
    bench.mark().await;
    for code in bench.phrases.endless {
        let report = bench.within(0.4, code).await;
        assert!(matches!(report.ending, Ending::Stopped { reason: StopReason::Timeout, .. }), "{code}: {report:#?}");
        bench.is_kept().await;
    }
}

pub(super) async fn withdrawn_calls(bench: Arc<Bench>) {
    bench.mark().await;
    let cancel = CancellationToken::new();
    let (report, ()) = tokio::join!(bench.eval(MAIN, EvalRequest::new(bench.phrases.endless[0]), &cancel), async {
        until("it runs", async || bench.status().sessions[0].running_for > Some(Duration::from_millis(100))).await;
        cancel.cancel();
    });
    let report = report.unwrap();
    assert!(matches!(report.ending, Ending::Stopped { reason: StopReason::Cancelled, .. }), "{report:#?}");
    bench.is_kept().await;
}

pub(super) async fn endless_output(bench: Arc<Bench>) {
    bench.mark().await;
    let report = bench.within(100.0, bench.phrases.chatter).await;
    assert!(matches!(report.ending, Ending::Stopped { reason: StopReason::Output, .. }), "{report:#?}");
    assert!(report.stdout.head.starts_with("all work and no play all work"), "{report:#?}");
    assert!(report.stdout.dropped > 0);
    bench.is_kept().await;
}

pub(super) async fn an_exhausted_stack(bench: Arc<Bench>) {
    bench.mark().await;
    let report = bench.within(100.0, bench.phrases.deep).await;
    assert!(matches!(report.ending, Ending::Error { .. }), "{report:#?}");
    bench.is_kept().await;
}

pub(super) async fn a_full_heap(bench: Arc<Bench>) {
    let report = bench.within(100.0, bench.phrases.greedy).await;
    match &report.ending {
        Ending::Error { .. } => {}
        Ending::Died { death, .. } => assert!(!death.exited, "{report:#?}"),
        other => panic!("{other:#?}"),
    }
    // A Lisp may end when memory runs out while it collects garbage.
    let again = bench.eval(MAIN, EvalRequest::new("(+ 1 2)"), &CancellationToken::new()).await;
    match again.map(|report| report.ending) {
        Ok(Ending::Values(values)) => assert_eq!(values[0].text, "3"),
        Err(SessionError::Lost { .. }) if bench.is_joined() => {}
        other => panic!("{other:#?}"),
    }
}

pub(super) async fn an_exit(bench: Arc<Bench>) {
    bench.mark().await;
    let report = bench.report(bench.phrases.exit).await;
    let Ending::Died { death, .. } = &report.ending else { panic!("{report:#?}") };
    assert!(death.status.contains('3') && !death.killed, "{report:#?}");
    assert_eq!(bench.values("(+ 1 2)").await, "3");
    assert!(matches!(bench.report(bench.phrases.here).await.ending, Ending::Error { .. }), "the image is a fresh one");
}
