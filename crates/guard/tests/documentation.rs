//! The examples in `docs/guard.md` are requests and their literal answers.

#![allow(clippy::unwrap_used)]

use lispwright_guard::{Operation, answer};
use serde_json::{Map, Value};

#[test]
fn the_examples_are_true() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guard.md")).unwrap();
    let mut asked: Option<(&str, String)> = None;
    let mut checked = Vec::new();
    for line in page.lines() {
        if let Some(expected) = line.strip_prefix("=> ") {
            let (request, text) = asked.take().unwrap_or_else(|| panic!("an answer without a request: {line}"));
            assert_eq!(text, expected, "{request}");
            checked.push(request);
        } else if line.starts_with("sexp_guard_") {
            let (name, request) = line.split_once(' ').unwrap();
            let operation = Operation::ALL.into_iter().find(|operation| operation.name() == name).unwrap();
            let request: Map<String, Value> = serde_json::from_str(request).unwrap();
            assert_eq!(asked.replace((line, answer(operation, &request).text())), None, "no answer before {line}");
        }
    }
    for operation in Operation::ALL {
        assert!(
            checked.iter().any(|request| request.starts_with(operation.name())),
            "{} is not shown",
            operation.name()
        );
    }
}
