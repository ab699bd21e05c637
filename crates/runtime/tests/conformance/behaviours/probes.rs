//! Looks at running code: each shows what it is for, gives the values of the code, and leaves the functions as they were.

use std::sync::Arc;

use lispwright_runtime::*;

use crate::bench::Bench;

/// Runs the call of `both` under a probe: what it prints. Its value is that of the call.
async fn probed(bench: &Bench, probe: Probe, names: &[&str]) -> String {
    bench.mark().await;
    bench.values(bench.phrases.define_both).await;
    let (call, value) = bench.phrases.both_here;
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let runtime = bench.runtime_of(MAIN);
    let code =
        runtime.probes.code(probe, call, &names).unwrap_or_else(|| panic!("{runtime} has no {}", probe.as_str()));
    let report = bench.report(&code).await;
    assert_eq!(report.ending, Ending::Values(vec![Printout { text: value.into(), cut: false }]), "{report:#?}");
    let after = bench.report(call).await;
    assert!(after.stdout.is_empty() && after.stderr.is_empty(), "the functions are as they were: {after:#?}");
    bench.is_kept().await;
    report.stdout.head.to_lowercase()
}

pub(super) async fn traces(bench: Arc<Bench>) {
    let shown = probed(&bench, Probe::Trace, &["both"]).await;
    assert!(shown.contains("both 42") || shown.contains("both '42"), "the call: {shown}");
    assert!(shown.contains("42 42"), "its value: {shown}");
    let names = ["nowhere".to_owned()];
    let code = bench.runtime_of(MAIN).probes.code(Probe::Trace, "(+ 1 2)", &names).unwrap();
    let report = bench.report(&code).await;
    let Ending::Error { error, .. } = &report.ending else { panic!("{report:#?}") };
    assert!(error.message.to_lowercase().contains("of this name"), "{error:#?}");
}

pub(super) async fn statistical_profiles(bench: Arc<Bench>) {
    let shown = probed(&bench, Probe::Sample, &[]).await;
    assert!(shown.contains("sample"), "{shown}");
}

pub(super) async fn deterministic_profiles(bench: Arc<Bench>) {
    let shown = probed(&bench, Probe::Count, &["both"]).await;
    let line = shown.lines().find(|line| line.contains("both")).unwrap_or_else(|| panic!("{shown}"));
    assert!(line.split_whitespace().any(|word| word == "1"), "one call: {shown}");
}

pub(super) async fn disassembly(bench: Arc<Bench>) {
    bench.values(bench.phrases.define_both).await;
    let runtime = bench.runtime_of(MAIN);
    let code = runtime.probes.code(Probe::Disassemble, "both", &[]).unwrap_or_else(|| panic!("{runtime} has none"));
    let report = bench.report(&code).await;
    assert!(matches!(report.ending, Ending::Values(_)), "{report:#?}");
    assert!(report.stdout.head.lines().count() > 3, "{report:#?}");
}
