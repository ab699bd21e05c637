//! The guard's specification: its four calls, its batches, its flows, and the sketch of its acceptance tests.

use serde_json::{Value, json};

use super::Played;
use crate::project::Project;

fn played() -> Played {
    let mut played = Played::new("sexp-guard", Project::new());
    let opened = played.line(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    let server = &opened["result"]["serverInfo"];
    assert!(server["name"].is_string() && server["version"].is_string(), "{opened}");
    played
}

/// A request as the document prints it, without its comments, and the answer as data.
fn ask(played: &mut Played, name: &str, request: &str) -> Value {
    let bare: String = request.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let arguments: Value = serde_json::from_str(&bare).unwrap();
    let outcome = played.call(&format!("sexp.guard.{name}"), arguments);
    let answer = Value::Object(outcome.fields);
    assert_eq!(serde_json::from_str::<Value>(&outcome.text).unwrap(), answer, "the text is the same data");
    assert_eq!(answer["ok"], !outcome.is_error);
    answer
}

#[test]
fn the_examples_of_the_four_calls_are_answered_as_printed() {
    let mut played = played();
    for (name, request, answer) in [
        (
            "pushDelimiter",
            r#"{
  "stack": ["paren","brace"],
  "type": "paren",                     // one of: paren, bracket, brace
  "cursor": 214,                       // where open-token inserted (info only)
  "docSlice?": { "text": "(", "start": 214, "end": 215 } // optional delta
}"#,
            json!({ "ok": true, "stack": ["paren", "brace", "paren"] }),
        ),
        (
            "popDelimiter",
            r#"{
  "stack": ["paren","brace","paren"],
  "type": "paren",                     // expected closing kind
  "cursor": 300,                       // where close-token inserted (info only)
  "docSlice?": { "text": ")", "start": 300, "end": 301 }
}"#,
            json!({ "ok": true, "stack": ["paren", "brace"] }),
        ),
        ("setSentinel", r#"{ "cursor": 320 }"#, json!({ "ok": true, "sentinel": 320 })),
        (
            "balanceAndResume",
            r#"{
  "stack": ["paren"],                  // client's current view
  "sentinel": 320,
  "mode": "suggest-fix",
  "docSlice?": { "text": "(inc 1", "start": 310, "end": 320 } // optional
}"#,
            json!({ "ok": true, "balanced": false, "fix": { "edits": [{ "start": 320, "end": 320, "text": ")" }], "newStack": [] } }),
        ),
        (
            "balanceAndResume",
            r#"{"stack": [], "sentinel": 320, "mode": "assert-empty"}"#,
            json!({ "ok": true, "balanced": true, "stack": [] }),
        ),
        (
            "batch",
            r#"{
  "stack": [],
  "ops": [
    { "op": "push", "type": "paren" },
    { "op": "push", "type": "bracket" },
    { "op": "pop",  "type": "bracket" },
    { "op": "pop",  "type": "paren" }
  ]
}"#,
            json!({ "ok": true, "stack": [] }),
        ),
    ] {
        assert_eq!(ask(&mut played, name, request), answer, "{name}");
        assert_eq!(ask(&mut played, name, request), answer, "{name} again");
    }
}

#[test]
fn the_failures_that_each_call_lists() {
    let mut played = played();
    for (name, request, code) in [
        ("pushDelimiter", r#"{"stack": [], "type": "angle"}"#, "INVALID_TYPE"),
        ("pushDelimiter", r#"{"stack": "paren", "type": "paren"}"#, "BAD_INPUT"),
        ("popDelimiter", r#"{"stack": [], "type": "paren"}"#, "UNDERFLOW"),
        ("popDelimiter", r#"{"stack": ["brace"], "type": "paren"}"#, "MISMATCH"),
        ("popDelimiter", r#"{"stack": ["brace"], "type": "angle"}"#, "INVALID_TYPE"),
        ("setSentinel", r#"{"cursor": -1}"#, "BAD_CURSOR"),
        ("balanceAndResume", r#"{"stack": ["paren"], "sentinel": 3, "mode": "assert-empty"}"#, "MISMATCH"),
        ("balanceAndResume", r#"{"stack": [], "sentinel": -3, "mode": "assert-empty"}"#, "BAD_CURSOR"),
    ] {
        let answer = ask(&mut played, name, request);
        assert_eq!((&answer["ok"], &answer["error"]["code"]), (&json!(false), &json!(code)), "{name} {request}");
        assert!(answer["error"]["message"].is_string() && answer["error"]["stack"].is_array(), "{answer}");
    }
    // Unknown fields are ignored.
    let answer = ask(&mut played, "pushDelimiter", r#"{"stack": [], "type": "paren", "colour": "red"}"#);
    assert_eq!(answer, json!({ "ok": true, "stack": ["paren"] }));
}

/// Flows 8.1 to 8.3.
#[test]
fn the_example_flows() {
    let mut played = played();
    let pushed = ask(&mut played, "pushDelimiter", r#"{"stack": [], "type": "paren"}"#);
    let popped = played.ok("sexp.guard.popDelimiter", json!({ "stack": pushed["stack"], "type": "paren" }));
    let resumed = played.ok(
        "sexp.guard.balanceAndResume",
        json!({ "stack": popped.fields["stack"], "sentinel": 20, "mode": "assert-empty" }),
    );
    assert_eq!((&resumed.fields["balanced"], &resumed.fields["stack"]), (&json!(true), &json!([])));
    let refused = ask(&mut played, "popDelimiter", r#"{"stack": ["paren"], "type": "brace"}"#);
    let error = &refused["error"];
    assert_eq!(
        (&error["code"], &error["expected"], &error["found"], &error["stack"]),
        (&json!("MISMATCH"), &json!("paren"), &json!("brace"), &json!(["paren"]))
    );
    let corrected = ask(&mut played, "popDelimiter", r#"{"stack": ["paren"], "type": "paren"}"#);
    assert_eq!(corrected["stack"], json!([]));
    let closing = json!({ "stack": ["paren", "bracket", "brace"], "sentinel": 9, "mode": "suggest-fix" });
    let closed = played.ok("sexp.guard.balanceAndResume", closing);
    assert_eq!(closed.fields["fix"]["edits"], json!([{ "start": 9, "end": 9, "text": "}])" }]));
}

/// The properties that its acceptance tests are to have, with an oracle that is a vector.
#[test]
fn random_operations_agree_with_a_stack() {
    let mut played = played();
    let kinds = ["paren", "bracket", "brace"];
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    for _ in 0..40 {
        let (mut stack, mut ops, mut ends) = (Vec::new(), Vec::new(), Ok(()));
        for _ in 0..draw(30) {
            let kind = kinds[draw(3)];
            let is_push = draw(2) == 0;
            ops.push(json!({ "op": if is_push { "push" } else { "pop" }, "type": kind }));
            if is_push {
                stack.push(kind);
            } else if stack.last() == Some(&kind) {
                stack.pop();
            } else {
                ends = Err(if stack.is_empty() { "UNDERFLOW" } else { "MISMATCH" });
                break;
            }
        }
        let outcome = played.call("sexp.guard.batch", json!({ "stack": [], "ops": ops }));
        match ends {
            Ok(()) => assert_eq!(outcome.fields["stack"], json!(stack), "{ops:?}"),
            Err(code) => {
                assert_eq!(outcome.fields["error"]["code"], code, "{ops:?}");
                assert_eq!(outcome.fields["error"]["stack"], json!([]), "all or none: {ops:?}");
            }
        }
    }
    let deep: Vec<&str> = vec!["paren"; 1024];
    let pushed = played.ok("sexp.guard.pushMany", json!({ "stack": [], "types": deep }));
    assert_eq!(pushed.fields["stack"].as_array().map(Vec::len), Some(1024));
    let popped = played.ok("sexp.guard.popMany", json!({ "stack": pushed.fields["stack"], "expected": deep }));
    assert_eq!(popped.fields["stack"], json!([]));
}
