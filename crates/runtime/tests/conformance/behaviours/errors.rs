//! Errors: their description, and the operations on a held stack.

use std::sync::Arc;
use std::time::Duration;

use lispwright_runtime::*;

use crate::bench::Bench;

/// The held error of the failing code.
async fn held(bench: &Bench, code: &str) -> LispError {
    bench.needs(Capability::Hold);
    let report = bench.eval_with(code, |request| request.hold = true).await;
    let Ending::Error { error, .. } = report.ending else { panic!("{report:#?}") };
    assert!(error.kept && report.held == 1, "{error:#?}");
    error
}

async fn give_up(bench: &Bench) {
    let report = bench.ask(Request::Abort).await;
    assert!(matches!(report.ending, Ending::Aborted(_)) && report.held == 0, "{report:#?}");
}

/// The number of the failing function's frame.
async fn innermost(bench: &Bench) -> u32 {
    let report = bench.ask(Request::Frames(ListFrames { offset: 0, count: 20 })).await;
    let Ending::Frames { frames, .. } = &report.ending else { panic!("{report:#?}") };
    let found = frames.iter().find(|frame| frame.call.contains(bench.phrases.failure.frames[0]));
    found.unwrap_or_else(|| panic!("{report:#?}")).number
}

pub(super) async fn errors(bench: Arc<Bench>) {
    let failure = &bench.phrases.failure;
    let (error, place) = bench.error(failure.code).await;
    assert!(error.type_name.contains(failure.type_name), "{error:#?}");
    assert!(error.message.contains(failure.message), "{error:#?}");
    let calls: Vec<&str> = error.frames.iter().map(|frame| frame.call.as_str()).collect();
    let at = |part: &str| calls.iter().position(|call| call.contains(part));
    let [inner, outer] = failure.frames.map(at);
    assert!(inner.is_some() && inner < outer, "{error:#?}");
    assert_eq!((place.phase, place.index, place.total, place.start), (Phase::Eval, 3, Some(3), (4, 1)));
    assert_eq!(place.text, "(outer 3)");
    assert_eq!(bench.values("(+ 1 2)").await, "3");
}

pub(super) async fn unclosed_code(bench: Arc<Bench>) {
    let (error, place) = bench.error("1\n(list 2").await;
    assert!(error.unclosed, "{error:#?}");
    assert_eq!((place.phase, place.index, place.start), (Phase::Read, 2, (2, 1)), "{place:#?}");
}

pub(super) async fn held_errors(bench: Arc<Bench>) {
    let error = held(&bench, bench.phrases.failure.code).await;
    let report = bench.ask(Request::Held(ListHeld)).await;
    let Ending::Held(levels) = &report.ending else { panic!("{report:#?}") };
    assert_eq!((levels.len(), &levels[0].message), (1, &error.message));
    innermost(&bench).await;
    assert_eq!(bench.report("(+ 1 2)").await.held, 1, "code runs on top of it");
    give_up(&bench).await;
    assert_eq!(bench.values("(+ 1 2)").await, "3");
}

pub(super) async fn variables_of_frames(bench: Arc<Bench>) {
    held(&bench, bench.phrases.failure.code).await;
    let frame = innermost(&bench).await;
    let report = bench.ask(Request::Locals(ListLocals { frame })).await;
    let Ending::Locals { locals, .. } = &report.ending else { panic!("{report:#?}") };
    let variable = bench.phrases.failure.variable;
    let found = locals.iter().find(|(name, _)| name.eq_ignore_ascii_case(variable));
    assert_eq!(found.map(|(_, node)| node.text.as_str()), Some("3"), "{report:#?}");
    let code = EvalRequest::new(format!("(+ {variable} 1)"));
    let report = bench.ask(Request::EvalInFrame { frame, code }).await;
    assert!(matches!(&report.ending, Ending::Values(values) if values[0].text == "4"), "{report:#?}");
    give_up(&bench).await;
}

pub(super) async fn restarts(bench: Arc<Bench>) {
    let (code, name, value) = bench.phrases.restart;
    let error = held(&bench, code).await;
    assert!(error.restarts.iter().any(|(restart, _)| restart == name), "{error:#?}");
    let restart = RestartName::Name(name.to_owned());
    let values = Some("(+ 2 3)".to_owned());
    let report = bench.ask(Request::Restart { restart, values, timeout: Duration::from_secs(30).into() }).await;
    assert!(matches!(&report.ending, Ending::Values(values) if values[0].text == value), "{report:#?}");
    assert_eq!(report.held, 0);
}
