//! Files of a project: loading them, running their tests, and their names.

use std::sync::Arc;
use std::time::Duration;

use lispwright_runtime::*;

use crate::bench::Bench;

/// Loads the file that most of the other tests use; returns its path and the answer.
async fn load_mill(bench: &Bench, force: bool) -> (String, EvalReport) {
    let mill = &bench.phrases.mill;
    let path = bench.write(mill.file, mill.text);
    let report = bench.load(LoadTarget::Path(path.clone()), force).await;
    assert!(matches!(report.ending, Ending::Loaded { .. }), "{report:#?}");
    (path, report)
}

pub(super) async fn loading(bench: Arc<Bench>) {
    let (path, report) = load_mill(&bench, true).await;
    let errors = report.diagnostics.iter().filter(|diagnostic| diagnostic.severity == "error").count();
    assert_eq!(errors, 0, "{path}: {report:#?}");
}

pub(super) async fn warnings_of_files(bench: Arc<Bench>) {
    let (path, report) = load_mill(&bench, true).await;
    let is_warning = |diagnostic: &&CompilerDiagnostic| diagnostic.severity.ends_with("warning");
    let found = report.diagnostics.iter().filter(is_warning).find(|warning| warning.file.as_ref() == Some(&path));
    let warning = found.unwrap_or_else(|| panic!("{report:#?}"));
    assert!(matches!(warning.line, Some(5 | 6)), "{report:#?}");
}

pub(super) async fn loading_what_fails(bench: Arc<Bench>) {
    let mill = &bench.phrases.mill;
    let path = bench.write(&mill.file.replace("mill", "broken"), mill.broken);
    let report = bench.load(LoadTarget::Path(path.clone()), true).await;
    assert!(matches!(report.ending, Ending::Error { .. }), "{report:#?}");
    let found = report.diagnostics.iter().find(|diagnostic| diagnostic.severity == "error");
    let error = found.unwrap_or_else(|| panic!("{report:#?}"));
    assert!(error.message.contains("sand"), "{report:#?}");
    assert_eq!((error.file.as_deref(), error.line), (Some(path.as_str()), Some(3)), "{report:#?}");
    assert_eq!(bench.values("(+ 1 2)").await, "3");
}

pub(super) async fn loading_what_is_not_there(bench: Arc<Bench>) {
    let report = bench.load(LoadTarget::System("no-such-system".into()), true).await;
    assert!(
        matches!(report.ending, Ending::Refused(ImageRefusal::NoSystem { .. }) | Ending::Error { .. }),
        "{report:#?}"
    );
}

pub(super) async fn loading_what_ends_itself(bench: Arc<Bench>) {
    let (mill, exit) = (&bench.phrases.mill, bench.phrases.exit);
    let language = mill.text.lines().next().filter(|line| line.starts_with("#lang")).unwrap_or_default();
    bench.mark().await;
    for (status, exit) in [(3, exit.to_owned()), (0, exit.replace('3', "0"))] {
        let path = bench.write(&mill.file.replace("mill", "script"), &format!("{language}\n{exit}\n(car 5)\n"));
        let report = bench.load(LoadTarget::Path(path), true).await;
        assert!(matches!(report.ending, Ending::Loaded { exit: Some(code), .. } if code == status), "{report:#?}");
    }
    assert!(matches!(bench.report(bench.phrases.here).await.ending, Ending::Values(_)), "the image goes on");
}

pub(super) async fn tests(bench: Arc<Bench>) {
    let tests = &bench.phrases.tests;
    if let Some((name, text)) = tests.definition {
        bench.write(name, text);
    }
    let path = bench.write(tests.file, tests.text);
    let target = tests.system.map_or(LoadTarget::Path(path.clone()), |system| LoadTarget::System(system.into()));
    let report = bench.test(target.clone(), &[]).await;
    let tally = report.tests.as_ref().unwrap_or_else(|| panic!("{report:#?}"));
    assert_eq!((&report.ending, tally.passed, tally.failed, tally.pending), (&Ending::Tested, 1, 1, 0), "{report:#?}");
    let failed = &tally.failed_tests[0];
    assert!(failed.name.ends_with("off"), "{report:#?}");
    assert_eq!((failed.file.as_deref(), failed.line), (Some(path.as_str()), Some(tests.line)), "{report:#?}");
    let report = bench.test(target.clone(), &[tests.fine]).await;
    let tally = report.tests.as_ref().unwrap_or_else(|| panic!("{report:#?}"));
    assert_eq!((tally.passed, tally.failed), (1, 0), "{report:#?}");
    // The starts of names.
    let report = bench.test(target, &["fi*", "nope*"]).await;
    let tally = report.tests.as_ref().unwrap_or_else(|| panic!("{report:#?}"));
    let unmatched: Vec<&str> = tally.unmatched.iter().map(String::as_str).collect();
    assert_eq!((tally.passed, tally.failed, &unmatched[..]), (1, 0, &["nope*"][..]), "{report:#?}");
}

/// A test that never ends costs itself alone: it has failed, and those after it run.
pub(super) async fn tests_that_hang(bench: Arc<Bench>) {
    let tests = &bench.phrases.tests;
    if let Some((name, text)) = tests.definition {
        bench.write(name, text);
    }
    let path = bench.write(tests.file, tests.text);
    let target = tests.system.map_or(LoadTarget::Path(path), |system| LoadTarget::System(system.into()));
    // What has to be started and loaded first is no part of the time that follows.
    bench.test(target.clone(), &[tests.fine]).await;
    let mut lines: Vec<&str> = tests.text.split_inclusive('\n').collect();
    lines.insert(tests.line as usize - 1, tests.hanging);
    bench.write(tests.file, &lines.concat());
    let report = bench.test_for(target, &[], Duration::from_secs(8)).await;
    let tally = report.tests.as_ref().unwrap_or_else(|| panic!("{report:#?}"));
    assert_eq!((&report.ending, tally.passed, tally.failed), (&Ending::Tested, 1, 2), "{report:#?}");
    let [hangs, off] = &tally.failed_tests[..] else { panic!("{report:#?}") };
    assert!(hangs.name.ends_with("hangs") && hangs.reason.contains("s and was stopped"), "{report:#?}");
    assert!(off.name.ends_with("off"), "{report:#?}");
}

pub(super) async fn no_tests(bench: Arc<Bench>) {
    let path = bench.write(&bench.phrases.mill.file.replace("mill", "none"), bench.phrases.tests.none);
    let report = bench.test(LoadTarget::Path(path), &[]).await;
    assert_eq!(report.tests.as_ref().map_or(0, Tally::total), 0, "{report:#?}");
}

pub(super) async fn descriptions(bench: Arc<Bench>) {
    let (path, _) = load_mill(&bench, true).await;
    let mill = &bench.phrases.mill;
    let package = Some(mill.package.to_owned());
    let describe =
        |name: &str| Request::Describe(Describe { name: name.to_owned(), package: package.clone(), limit: 1000 });
    let report = bench.ask(describe(mill.grind)).await;
    let Ending::Described(description) = &report.ending else { panic!("{report:#?}") };
    let meaning = &description.meanings[0];
    assert_eq!((meaning.file.as_deref(), meaning.line), (Some(path.as_str()), Some(5)), "{report:#?}");
    assert!(meaning.arglist.as_ref().is_some_and(|list| list.to_lowercase().contains('x')), "{report:#?}");
    let report = bench.ask(describe("gridn")).await;
    assert!(matches!(&report.ending, Ending::Refused(ImageRefusal::NoName { .. })), "{report:#?}");
}

pub(super) async fn exports(bench: Arc<Bench>) {
    load_mill(&bench, true).await;
    let name = bench.phrases.mill.package.to_owned();
    let report = bench.ask(Request::Exports(ListExports { name, offset: 0, count: 10 })).await;
    let Ending::Exports(exports) = &report.ending else { panic!("{report:#?}") };
    assert!(exports.exports.iter().any(|export| export.name.ends_with("grind")), "{report:#?}");
}

pub(super) async fn references(bench: Arc<Bench>) {
    let (path, _) = load_mill(&bench, true).await;
    let mill = &bench.phrases.mill;
    let (name, package) = (mill.grind.to_owned(), Some(mill.package.to_owned()));
    let report = bench.ask(Request::References(ListReferences { name, package })).await;
    let Ending::References(references) = &report.ending else { panic!("{report:#?}") };
    let found = references.references.iter().find(|reference| reference.name.to_lowercase().contains("turn"));
    let reference = found.unwrap_or_else(|| panic!("{report:#?}"));
    assert_eq!((reference.file.as_deref(), reference.line), (Some(path.as_str()), Some(8)), "{report:#?}");
}
