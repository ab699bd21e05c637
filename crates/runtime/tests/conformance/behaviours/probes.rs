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

pub(super) async fn coverage(bench: Arc<Bench>) {
    bench.mark().await;
    let (tests, runtime) = (&bench.phrases.tests, bench.runtime_of(MAIN));
    if let Some((name, text)) = tests.definition {
        bench.write(name, text);
    }
    let path = bench.write(tests.file, tests.text);
    let (kind, target) = tests.system.map_or(("path", path.as_str()), |system| ("system", system));
    let project = bench.project();
    let (roots, definitions) = (project.roots.join("\n"), project.definitions.join("\n"));
    let names = [kind, target, "", &roots, &definitions, ""].map(str::to_owned);
    let code = runtime.probes.code(Probe::Cover, "", &names).unwrap_or_else(|| panic!("{runtime} has none"));
    let report = bench
        .eval_with(&code, |request| {
            request.trial = true;
            request.timeout = std::time::Duration::from_secs(100).into();
        })
        .await;
    let Ending::Values(values) = &report.ending else { panic!("{report:#?}") };
    let values: Vec<&str> = values.iter().map(|value| value.text.trim_matches('"')).collect();
    assert_eq!((values[0], values[2]), ("tests", "1 1 0 0"), "{values:#?}");
    let file = values.iter().position(|value| *value == path).unwrap_or_else(|| panic!("{values:#?}"));
    assert_eq!(values[file + 2].trim_matches([' ', '+', '~', '-']), "", "{values:#?}");
    assert!(values[file + 2].contains('+'), "{values:#?}");
    bench.is_kept().await;
}

pub(super) async fn disassembly(bench: Arc<Bench>) {
    bench.values(bench.phrases.define_both).await;
    let runtime = bench.runtime_of(MAIN);
    let code = runtime.probes.code(Probe::Disassemble, "both", &[]).unwrap_or_else(|| panic!("{runtime} has none"));
    let report = bench.report(&code).await;
    assert!(matches!(report.ending, Ending::Values(_)), "{report:#?}");
    assert!(report.stdout.head.lines().count() > 3, "{report:#?}");
}
