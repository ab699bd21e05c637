//! Copies of the image: trials, which leave no trace, and checkpoints.

use std::sync::Arc;

use lispwright_runtime::*;

use crate::bench::Bench;

pub(super) async fn trials(bench: Arc<Bench>) {
    bench.needs(Capability::Checkpoint);
    bench.mark().await;
    let report = bench.eval_with(bench.phrases.change_here, |request| request.trial = true).await;
    assert!(matches!(report.ending, Ending::Values(_)), "{report:#?}");
    bench.is_kept().await;
}

pub(super) async fn checkpoints(bench: Arc<Bench>) {
    bench.needs(Capability::Checkpoint);
    bench.mark().await;
    let report = bench.ask(Request::Checkpoint("before".into())).await;
    assert_eq!(report.ending, Ending::Checkpointed("before".into()));
    bench.report(bench.phrases.change_here).await;
    assert_eq!(bench.values(bench.phrases.here).await, "43");
    let report = bench.ask(Request::Rollback(None)).await;
    assert!(matches!(report.ending, Ending::Returned { asked: true, .. }), "{report:#?}");
    bench.is_kept().await;
}
