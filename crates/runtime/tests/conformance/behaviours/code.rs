//! Evaluating: values, output, packages, and requests about code and objects.

use std::sync::Arc;
use std::time::Duration;

use lispwright_runtime::*;

use crate::bench::Bench;

pub(super) async fn values(bench: Arc<Bench>) {
    let (code, values) = bench.phrases.values;
    assert_eq!(bench.values(code).await, values.join(" ; "));
    for nothing in ["", bench.phrases.comments] {
        assert_eq!(bench.values(nothing).await, "", "{nothing:?}");
    }
    let report = bench.report("(+ 1 2)").await;
    assert_eq!(report.ending, Ending::Values(vec![Printout { text: "3".into(), cut: false }]));
    assert!(report.stdout.is_empty() && report.stderr.is_empty() && report.warnings.is_empty(), "{report:#?}");
}

pub(super) async fn output(bench: Arc<Bench>) {
    let report = bench.report(bench.phrases.printing).await;
    assert_eq!((report.stdout.head.as_str(), report.stderr.head.as_str()), ("output", "err"));
    assert!(bench.report("1").await.stdout.is_empty(), "it is told once");
}

pub(super) async fn definitions(bench: Arc<Bench>) {
    bench.mark().await;
    bench.values(bench.phrases.define_both).await;
    let (code, value) = bench.phrases.both_here;
    assert_eq!(bench.values(code).await, value);
    bench.is_kept().await;
}

pub(super) async fn packages(bench: Arc<Bench>) {
    let package = &bench.phrases.package;
    let report = bench.report(package.enter).await;
    assert_eq!(report.package.as_deref(), Some(package.name), "{report:#?}");
    assert_eq!(bench.values(package.stock).await, "7", "the session stays there");
    let report = bench.report(package.leave).await;
    assert_eq!(report.package.as_deref(), Some(package.usual));
}

pub(super) async fn packages_of_one_call(bench: Arc<Bench>) {
    let package = &bench.phrases.package;
    bench.report(package.enter).await;
    bench.report(package.leave).await;
    let report = bench.eval_with(package.stock, |request| request.package = Some(package.name.into())).await;
    assert_eq!(report.ending, Ending::Values(vec![Printout { text: "7".into(), cut: false }]));
    assert_eq!(report.package.as_deref(), Some(package.usual));
    let report = bench.eval_with("1", |request| request.package = Some(package.misspelled.into())).await;
    let Ending::NoPackage { name, nearest } = &report.ending else { panic!("{report:#?}") };
    assert_eq!((name.as_str(), nearest[0].as_str()), (package.misspelled, package.name));
    assert_eq!(report.ending.status(), ExecutionStatus::NotExecuted);
}

pub(super) async fn all_of_unicode(bench: Arc<Bench>) {
    let (code, value) = bench.phrases.elements;
    assert_eq!(bench.values(code).await, value);
}

pub(super) async fn long_values(bench: Arc<Bench>) {
    let report = bench.eval_with(bench.phrases.long, |request| request.value_limit = 100).await;
    let Ending::Values(values) = &report.ending else { panic!("{report:#?}") };
    assert!(values[0].cut && values[0].text.chars().count() <= 100, "{report:#?}");
    let report = bench.eval_with(bench.phrases.long, |request| request.print_length = Some(3)).await;
    let Ending::Values(values) = &report.ending else { panic!("{report:#?}") };
    assert!(values[0].text.len() < 30, "{report:#?}");
}

pub(super) async fn reading_without_evaluation(bench: Arc<Bench>) {
    let report = bench.eval_with(bench.phrases.read_time, |request| request.safe_read = true).await;
    let Ending::Error { place, .. } = &report.ending else { panic!("{report:#?}") };
    assert_eq!(place.phase, Phase::Read);
}

pub(super) async fn an_empty_input(bench: Arc<Bench>) {
    let (code, value) = bench.phrases.input;
    assert_eq!(bench.values(code).await, value);
}

pub(super) async fn programs(bench: Arc<Bench>) {
    let (code, value) = bench.phrases.program;
    assert_eq!(bench.values(code).await, value);
}

pub(super) async fn closed_streams(bench: Arc<Bench>) {
    let (code, value) = bench.phrases.input;
    for closing in bench.phrases.closing {
        bench.report(closing).await;
        assert_eq!(bench.values(code).await, value, "{closing}");
        let report = bench.report(bench.phrases.printing).await;
        assert!(report.stdout.head.contains("output"), "{closing}: {report:#?}");
    }
}

pub(super) async fn warnings(bench: Arc<Bench>) {
    let (code, says) = bench.phrases.warned;
    let report = bench.report(code).await;
    assert!(report.warnings.iter().any(|warning| warning.message.contains(says)), "{report:#?}");
}

pub(super) async fn expansions(bench: Arc<Bench>) {
    let (code, says) = bench.phrases.expansion;
    let request = |code: &str| {
        Request::Macroexpand(Expand {
            code: code.into(),
            package: None,
            level: ExpansionLevel::Once,
            limit: 1000,
            timeout: Duration::from_secs(30).into(),
        })
    };
    let report = bench.ask(request(code)).await;
    let Ending::Expanded { expansion, changed } = &report.ending else { panic!("{report:#?}") };
    assert!(*changed && expansion.text.to_uppercase().contains(&says.to_uppercase()), "{report:#?}");
    let report = bench.ask(request("1 2")).await;
    assert_eq!(report.ending, Ending::Refused(ImageRefusal::NotOneForm(2)));
}

pub(super) async fn objects(bench: Arc<Bench>) {
    let (code, says) = bench.phrases.object;
    let report = bench.report(code).await;
    let object = report.object.as_ref().and_then(|node| node.id).unwrap_or_else(|| panic!("{report:#?}"));
    let inspect = |object| Request::Inspect(Inspect { object, depth: 2, count: 10, offset: 0, limit: 100 });
    let report = bench.ask(inspect(object)).await;
    let Ending::Inspected(node) = &report.ending else { panic!("{report:#?}") };
    assert_eq!((node.total, node.parts[1].value.text.as_str()), (Some(3), says), "{report:#?}");
    let report = bench.ask(inspect(object + 1000)).await;
    assert!(matches!(report.ending, Ending::Refused(ImageRefusal::NoObject { given: false, .. })), "{report:#?}");
}
