//! The protocol's own examples, its acceptance tests as properties and tables, and requests nobody should send.

#![allow(clippy::unwrap_used)]

use lispwright_guard::hash::{self, EMPTY};
use lispwright_guard::{Operation, answer};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use Operation::{BalanceAndResume, Batch, PopDelimiter, PopMany, PushDelimiter, PushMany, SetSentinel};

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else { panic!("not an object: {value}") };
    fields
}

/// The answer to a request, which is the same when it is sent again.
fn ask(operation: Operation, request: Value) -> Value {
    let request = object(request);
    let first = answer(operation, &request);
    assert_eq!(answer(operation, &request), first);
    let fields = first.document();
    assert_eq!(fields["ok"], json!(first.ok));
    assert_eq!(serde_json::from_str::<Value>(&first.text()).unwrap(), fields);
    fields
}

/// Code and stack of the error for a request.
fn refused(operation: Operation, request: Value) -> (String, Value) {
    let found = ask(operation, request.clone());
    assert_eq!(found["ok"], json!(false), "{request}");
    let keys: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["ok", "error"]);
    assert!(found["error"]["message"].as_str().unwrap().len() > 20, "{found}");
    (found["error"]["code"].as_str().unwrap().to_owned(), found["error"]["stack"].clone())
}

fn code(operation: Operation, request: Value) -> String {
    refused(operation, request).0
}

#[test]
fn push_as_in_the_specification() {
    let request = json!({
        "stack": ["paren", "brace"], "type": "paren", "cursor": 214,
        "docSlice?": { "text": "(", "start": 214, "end": 215 }
    });
    assert_eq!(ask(PushDelimiter, request), json!({ "ok": true, "stack": ["paren", "brace", "paren"] }));
}

#[test]
fn pop_as_in_the_specification() {
    let request = json!({
        "stack": ["paren", "brace", "paren"], "type": "paren", "cursor": 300,
        "docSlice?": { "text": ")", "start": 300, "end": 301 }
    });
    assert_eq!(ask(PopDelimiter, request), json!({ "ok": true, "stack": ["paren", "brace"] }));
}

#[test]
fn sentinel_as_in_the_specification() {
    assert_eq!(ask(SetSentinel, json!({ "cursor": 320 })), json!({ "ok": true, "sentinel": 320 }));
}

#[test]
fn balance_as_in_the_specification() {
    let empty = json!({ "stack": [], "sentinel": 320, "mode": "assert-empty" });
    assert_eq!(ask(BalanceAndResume, empty), json!({ "ok": true, "balanced": true, "stack": [] }));
    let fix = json!({
        "stack": ["paren"], "sentinel": 320, "mode": "suggest-fix",
        "docSlice?": { "text": "(inc 1", "start": 310, "end": 320 }
    });
    let expected = json!({
        "ok": true, "balanced": false,
        "fix": { "edits": [{ "start": 320, "end": 320, "text": ")" }], "newStack": [] }
    });
    assert_eq!(ask(BalanceAndResume, fix), expected);
}

#[test]
fn batch_as_in_the_specification() {
    let request = json!({ "stack": [], "ops": [
        { "op": "push", "type": "paren" }, { "op": "push", "type": "bracket" },
        { "op": "pop", "type": "bracket" }, { "op": "pop", "type": "paren" }
    ] });
    assert_eq!(ask(Batch, request), json!({ "ok": true, "stack": [] }));
}

#[test]
fn mismatch_recovery_as_in_the_specification() {
    let found = ask(PopDelimiter, json!({ "stack": ["paren"], "type": "brace" }));
    let error = &found["error"];
    assert_eq!(error["code"], json!("MISMATCH"));
    assert_eq!((&error["expected"], &error["found"]), (&json!("paren"), &json!("brace")));
    assert_eq!(error["stack"], json!(["paren"]));
    assert_eq!(ask(PopDelimiter, json!({ "stack": ["paren"], "type": "paren" })), json!({ "ok": true, "stack": [] }));
}

#[test]
fn simple_generation_as_in_the_specification() {
    let pushed = ask(PushDelimiter, json!({ "stack": [], "type": "paren" }));
    let popped = ask(PopDelimiter, json!({ "stack": pushed["stack"], "type": "paren" }));
    let sentinel = ask(SetSentinel, json!({ "cursor": 12 }))["sentinel"].clone();
    let resumed = json!({ "stack": popped["stack"], "sentinel": sentinel, "mode": "assert-empty" });
    assert_eq!(ask(BalanceAndResume, resumed), json!({ "ok": true, "balanced": true, "stack": [] }));
}

#[test]
fn auto_close_as_in_the_specification() {
    let found =
        ask(BalanceAndResume, json!({ "stack": ["paren", "bracket", "brace"], "sentinel": 40, "mode": "suggest-fix" }));
    let fix = json!({ "edits": [{ "start": 40, "end": 40, "text": "}])" }], "newStack": [] });
    assert_eq!(found, json!({ "ok": true, "balanced": false, "fix": fix }));
}

#[test]
fn the_data_types_of_the_specification_are_taken() {
    let request = json!({
        "stack": ["paren", "brace"], "type": "brace", "cursor": 0, "ok": true,
        "docSlice": { "text": "}", "start": 0, "end": 1, "note": "unknown" }
    });
    assert_eq!(ask(PopDelimiter, request), json!({ "ok": true, "stack": ["paren"] }));
}

#[test]
fn the_reference_code_agrees_where_the_schema_does() {
    assert_eq!(
        refused(PushDelimiter, json!({ "stack": ["paren"], "type": "x" })),
        ("INVALID_TYPE".into(), json!(["paren"]))
    );
    assert_eq!(refused(PopDelimiter, json!({ "stack": [], "type": "brace" })), ("UNDERFLOW".into(), json!([])));
    let found = ask(PopDelimiter, json!({ "stack": ["paren", "bracket"], "type": "brace" }));
    assert_eq!((&found["error"]["expected"], &found["error"]["found"]), (&json!("bracket"), &json!("brace")));
    assert_eq!(found["error"]["stack"], json!(["paren", "bracket"]));
    let unclosed = json!({ "stack": ["paren"], "sentinel": 1, "mode": "assert-empty" });
    assert_eq!(refused(BalanceAndResume, unclosed), ("MISMATCH".into(), json!(["paren"])));
    let unknown = json!({ "stack": ["paren"], "sentinel": 1, "mode": "guess" });
    assert_eq!(refused(BalanceAndResume, unknown), ("BAD_INPUT".into(), json!(["paren"])));
}

#[test]
fn a_stack_that_is_not_empty_fails_the_assertion() {
    let found = ask(BalanceAndResume, json!({ "stack": ["paren", "brace"], "sentinel": 5, "mode": "assert-empty" }));
    assert_eq!(found["error"]["code"], json!("MISMATCH"));
    assert_eq!(found["error"]["expected"], json!("brace"));
    assert_eq!(found["error"]["stack"], json!(["paren", "brace"]));
    // This is the default without a mode.
    let default = json!({ "stack": ["paren", "brace"], "sentinel": 5 });
    assert_eq!(ask(BalanceAndResume, default), found);
}

#[test]
fn nothing_to_fix_is_no_edit() {
    let found = ask(BalanceAndResume, json!({ "stack": [], "sentinel": 5, "mode": "suggest-fix" }));
    assert_eq!(found, json!({ "ok": true, "balanced": true, "fix": { "edits": [], "newStack": [] } }));
}

#[test]
fn a_table_of_texts() {
    // Text, then what is left open or the code of the refusal.
    for (text, expected) in [
        ("()[]{}", Ok(vec![])),
        ("([{}])", Ok(vec![])),
        ("(()[()]{()})", Ok(vec![])),
        ("([{", Ok(vec!["paren", "bracket", "brace"])),
        (")", Err("UNDERFLOW")),
        ("())", Err("UNDERFLOW")),
        ("(]", Err("MISMATCH")),
        ("([)]", Err("MISMATCH")),
        ("{(})", Err("MISMATCH")),
        ("", Ok(vec![])),
    ] {
        let ops: Vec<Value> = text
            .chars()
            .map(|c| {
                let op = if "([{".contains(c) { "push" } else { "pop" };
                let kind = match c {
                    '(' | ')' => "paren",
                    '[' | ']' => "bracket",
                    _ => "brace",
                };
                json!({ "op": op, "type": kind })
            })
            .collect();
        for request in [json!({ "stack": [], "ops": ops }), json!({ "stack": [], "docSlice": { "text": text } })] {
            match &expected {
                Ok(left) => assert_eq!(ask(Batch, request), json!({ "ok": true, "stack": left }), "{text}"),
                Err(expected) => assert_eq!(refused(Batch, request), ((*expected).to_owned(), json!([])), "{text}"),
            }
        }
    }
}

#[test]
fn depth_1024() {
    let types: Vec<&str> = (0..1_024).map(|index| ["paren", "bracket", "brace"][index % 3]).collect();
    let deep = ask(PushMany, json!({ "stack": [], "types": types }));
    assert_eq!(deep["stack"], json!(types));
    let mut one_by_one = json!([]);
    for kind in &types {
        one_by_one = ask(PushDelimiter, json!({ "stack": one_by_one, "type": kind }))["stack"].clone();
    }
    assert_eq!(one_by_one, deep["stack"]);
    let fix = ask(BalanceAndResume, json!({ "stack": types, "sentinel": 9, "mode": "suggest-fix" }));
    let closers: String = types
        .iter()
        .rev()
        .map(|kind| match *kind {
            "paren" => ')',
            "bracket" => ']',
            _ => '}',
        })
        .collect();
    assert_eq!(fix["fix"]["edits"][0]["text"], json!(closers));
    let reversed: Vec<&&str> = types.iter().rev().collect();
    assert_eq!(ask(PopMany, json!({ "stack": types, "types": reversed })), json!({ "ok": true, "stack": [] }));
}

#[test]
fn many_take_one_direction() {
    assert_eq!(ask(PopMany, json!({ "stack": ["paren", "brace"], "expected": ["brace"] }))["stack"], json!(["paren"]));
    let ops = json!([{ "op": "push", "type": "paren" }, { "type": ":brace" }, "bracket"]);
    assert_eq!(ask(PushMany, json!({ "stack": [], "ops": ops }))["stack"], json!(["paren", "brace", "bracket"]));
    assert_eq!(code(PushMany, json!({ "stack": [], "ops": [{ "op": "pop", "type": "paren" }] })), "BAD_INPUT");
    assert_eq!(code(PushMany, json!({ "stack": [], "docSlice": { "text": "(a)" } })), "BAD_INPUT");
    assert_eq!(code(PopMany, json!({ "stack": [], "types": ["angle"] })), "INVALID_TYPE");
    let found = ask(PopMany, json!({ "stack": ["paren", "brace"], "types": ["brace", "brace"] }));
    assert_eq!(found["error"]["code"], json!("MISMATCH"));
    assert_eq!(found["error"]["op"], json!(1));
    assert_eq!(found["error"]["stack"], json!(["paren", "brace"]));
}

#[test]
fn two_lists_of_steps_agree() {
    let pop =
        |types: Value, expected: Value| json!({ "stack": ["paren", "brace"], "types": types, "expected": expected });
    assert_eq!(ask(PopMany, pop(json!(["brace", "paren"]), json!(["brace", "paren"])))["stack"], json!([]));
    assert_eq!(code(PopMany, pop(json!(["brace", "paren"]), json!(["paren", "brace"]))), "BAD_INPUT");
    assert_eq!(code(PopMany, pop(json!(["brace"]), json!(["angle"]))), "INVALID_TYPE");
    assert_eq!(ask(PopMany, pop(json!(null), json!(["brace"])))["stack"], json!(["paren"]));
    // The expected types are not a field of a push.
    let push = json!({ "stack": [], "types": ["paren"], "expected": ["angle"] });
    assert_eq!(ask(PushMany, push), json!({ "ok": true, "stack": ["paren"] }));
}

#[test]
fn a_refused_step_is_told_as_it_was_sent() {
    let message = |operation, request| ask(operation, request)["error"]["message"].as_str().unwrap().to_owned();
    let mixed = json!({ "stack": [], "ops": [{ "op": "push", "type": "paren" }, { "op": "pop", "type": "paren" }] });
    let found = message(PushMany, mixed);
    assert!(found.starts_with("Operation 1 (from 0): `)` closes, and this call takes openers only."), "{found}");
    let other = json!({ "stack": ["brace"], "type": "brace", "docSlice": { "text": "}" }, "dialect": "cl" });
    let found = message(PopDelimiter, other);
    assert!(found.contains("nothing that common-lisp reads as a delimiter"), "{found}");
}

#[test]
fn a_slice_stands_in_for_the_steps() {
    for (dialect, text, stack) in [
        ("clojure", "(let [x \\( y \"[\"] ; (((\n #{", vec!["paren", "brace"]),
        ("common-lisp", "(a #\\( #\\) \")\" |(| #|(|# [", vec!["paren"]),
        ("emacs-lisp", "(a ?\\( ?\\) [", vec!["paren", "bracket"]),
        ("scheme", "#vu8(1 2) (a #;(b) ", vec!["paren"]),
        (":clj", "(a", vec!["paren"]),
    ] {
        let request = json!({ "stack": [], "dialect": dialect, "docSlice": { "text": text } });
        assert_eq!(ask(Batch, request), json!({ "ok": true, "stack": stack }), "{text}");
    }
    let push = json!({ "stack": [], "docSlice": { "text": "\n  #{", "start": 3, "end": 8 }, "cursor": 7 });
    assert_eq!(ask(PushDelimiter, push)["stack"], json!(["brace"]));
    for unfinished in ["(a \"b", "(a \\", "#\"re", "\"(\\\""] {
        assert_eq!(
            code(Batch, json!({ "stack": [], "docSlice": { "text": unfinished } })),
            "BAD_INPUT",
            "{unfinished}"
        );
    }
    let edits = json!([{ "start": 4, "end": 4, "text": "(a " }, { "start": 7, "end": 7, "text": "[λ]" }]);
    assert_eq!(ask(Batch, json!({ "stack": [], "edits": edits }))["stack"], json!(["paren"]));
    let gap = json!([{ "start": 4, "end": 4, "text": "(a " }, { "start": 8, "end": 8, "text": ")" }]);
    assert_eq!(code(Batch, json!({ "stack": [], "edits": gap })), "BAD_CURSOR");
}

#[test]
fn a_slice_that_contradicts_the_rest_is_refused() {
    let slice = |text: &str, start: u64, end: u64| json!({ "text": text, "start": start, "end": end });
    let push = |slice: Value, cursor: u64| json!({ "stack": [], "type": "paren", "cursor": cursor, "docSlice": slice });
    assert_eq!(ask(PushDelimiter, push(slice("λ(", 4, 6), 5))["ok"], json!(true));
    assert_eq!(code(PushDelimiter, push(slice("(", 4, 6), 5)), "BAD_CURSOR");
    assert_eq!(code(PushDelimiter, push(slice("(", 6, 4), 5)), "BAD_CURSOR");
    assert_eq!(code(PushDelimiter, push(slice("(", 4, 5), 9)), "BAD_CURSOR");
    assert_eq!(code(PushDelimiter, push(slice("[", 4, 5), 4)), "BAD_INPUT");
    assert_eq!(code(PushDelimiter, push(slice(")", 4, 5), 4)), "BAD_INPUT");
    assert_eq!(code(PushDelimiter, push(slice("a", 4, 5), 4)), "BAD_INPUT");
    assert_eq!(code(PushDelimiter, push(slice("((", 4, 6), 4)), "BAD_INPUT");
    assert_eq!(code(PushDelimiter, push(json!({ "start": 4 }), 4)), "BAD_INPUT");
    assert_eq!(code(PushDelimiter, push(json!("("), 4)), "BAD_INPUT");
    assert_eq!(code(PushDelimiter, push(json!({ "text": "(", "start": -4 }), 4)), "BAD_CURSOR");
    let ops = json!([{ "op": "push", "type": "paren" }]);
    assert_eq!(code(Batch, json!({ "stack": [], "ops": ops, "docSlice": { "text": "()" } })), "BAD_INPUT");
    assert_eq!(code(Batch, json!({ "stack": [], "ops": ops, "docSlice": { "text": "[" } })), "BAD_INPUT");
    assert_eq!(code(Batch, json!({ "stack": [] })), "BAD_INPUT");
}

#[test]
fn the_text_before_the_sentinel_fits_the_stack() {
    let balance = |stack: Value, text: &str, sentinel: u64| {
        let slice = json!({ "text": text, "start": 10, "end": 30 });
        json!({ "stack": stack, "sentinel": sentinel, "mode": "suggest-fix", "docSlice": slice })
    };
    assert_eq!(ask(BalanceAndResume, balance(json!(["brace", "paren"]), "(inc 1", 30))["ok"], json!(true));
    assert_eq!(ask(BalanceAndResume, balance(json!(["brace"]), "x) y]", 30))["ok"], json!(true));
    assert_eq!(code(BalanceAndResume, balance(json!(["brace"]), "(inc 1", 30)), "MISMATCH");
    assert_eq!(code(BalanceAndResume, balance(json!(["paren"]), "((inc 1", 30)), "UNDERFLOW");
    assert_eq!(code(BalanceAndResume, balance(json!(["paren"]), "(inc 1]", 30)), "MISMATCH");
    assert_eq!(code(BalanceAndResume, balance(json!(["paren"]), "(inc 1", 31)), "BAD_CURSOR");
    assert_eq!(code(BalanceAndResume, balance(json!(["paren"]), "(inc 1                 ", 30)), "BAD_CURSOR");
    assert_eq!(code(BalanceAndResume, balance(json!(["paren"]), "(inc \"1", 30)), "BAD_INPUT");
}

#[test]
fn hashes_are_checked_and_advanced() {
    let push = |extra: Value| {
        let mut request = object(json!({
            "stack": [], "type": "paren", "docSlice": { "text": "(", "start": 0, "end": 1 }, "docHash": EMPTY
        }));
        request.extend(object(extra));
        Value::Object(request)
    };
    // printf 'sha256:e3b0...b855\n0\n1\n(' | sha256sum
    let after = "sha256:492e5a62b2305d0089516dafb09c568633b1a72fdd78b2c5ef77ec9583c0e524";
    assert_eq!(hash::advance(EMPTY, 0, 1, "("), after);
    assert_eq!(ask(PushDelimiter, push(json!({}))), json!({ "ok": true, "stack": ["paren"], "docHash": after }));
    assert_eq!(ask(PushDelimiter, push(json!({ "docHashAfter": after })))["ok"], json!(true));
    let drift = ask(PushDelimiter, push(json!({ "docHashAfter": EMPTY })));
    assert_eq!(drift["error"]["code"], json!("BAD_INPUT"));
    assert!(drift["error"]["message"].as_str().unwrap().contains("drifted"), "{drift}");
    for wrong in ["sha256:", "md5:00", "sha256:zz", &EMPTY[..70], &format!("{EMPTY}0")] {
        assert_eq!(code(PushDelimiter, push(json!({ "docHash": wrong }))), "BAD_INPUT", "{wrong}");
    }
    let unplaced = json!({ "docSlice": { "text": "(" } });
    assert_eq!(code(PushDelimiter, push(unplaced)), "BAD_INPUT");
    assert_eq!(code(PushDelimiter, push(json!({ "docHash": null, "docHashAfter": after }))), "BAD_INPUT");
    let upper = format!("sha256:{}", EMPTY[7..].to_uppercase());
    assert_eq!(ask(PushDelimiter, push(json!({ "docHash": upper })))["docHash"], json!(after));
    let fix =
        ask(BalanceAndResume, json!({ "stack": ["paren"], "sentinel": 1, "mode": "suggest-fix", "docHash": after }));
    assert_eq!(fix["docHash"], json!(after));
    assert_eq!(fix["fix"]["docHash"], json!(hash::advance(after, 1, 2, ")")));
}

#[test]
fn a_fix_has_the_hash_of_the_calls_that_write_it() {
    let fixed = ask(
        BalanceAndResume,
        json!({ "stack": ["paren", "brace"], "sentinel": 9, "mode": "suggest-fix", "docHash": EMPTY }),
    );
    let after = &fixed["fix"]["docHash"];
    let stack = json!(["paren", "brace"]);
    let by_edits = ask(Batch, json!({ "stack": stack, "edits": fixed["fix"]["edits"], "docHash": EMPTY }));
    assert_eq!(by_edits["docHash"], *after);
    let slice = json!({ "text": "})", "start": 9, "end": 11 });
    let by_slice = json!({ "stack": stack, "docSlice": slice, "docHash": EMPTY, "docHashAfter": after });
    assert_eq!(ask(PopMany, by_slice), json!({ "ok": true, "stack": [], "docHash": after }));
    let by_scan = json!({ "text": "})", "start": 9, "stack": stack, "docHash": EMPTY, "docHashAfter": after });
    assert_eq!(ask(Operation::Scan, by_scan)["balanced"], json!(true));
}

#[test]
fn nothing_written_leaves_the_hash() {
    let fixed = ask(BalanceAndResume, json!({ "stack": [], "sentinel": 9, "mode": "suggest-fix", "docHash": EMPTY }));
    assert_eq!(fixed["docHash"], json!(EMPTY));
    let same = json!({ "ok": true, "stack": [], "docHash": EMPTY });
    assert_eq!(ask(Batch, json!({ "stack": [], "edits": fixed["fix"]["edits"], "docHash": EMPTY })), same);
    for slice in [json!({ "text": "" }), json!({ "text": "", "start": 9, "end": 9 })] {
        assert_eq!(ask(Batch, json!({ "stack": [], "docSlice": slice, "docHash": EMPTY })), same);
    }
    assert_eq!(ask(Operation::Scan, json!({ "text": "", "docHash": EMPTY }))["docHash"], json!(EMPTY));
    assert_eq!(
        ask(SetSentinel, json!({ "cursor": 9, "docHash": EMPTY })),
        json!({ "ok": true, "sentinel": 9, "docHash": EMPTY })
    );
}

#[test]
fn a_fix_does_not_end_up_in_a_comment() {
    let balance = |text: &str, end: u64, mode: &str| {
        let slice = json!({ "text": text, "start": 10, "end": end });
        json!({ "stack": ["paren"], "sentinel": 30, "mode": mode, "docSlice": slice })
    };
    let text = |request| ask(BalanceAndResume, request)["fix"]["edits"][0]["text"].clone();
    assert_eq!(text(balance("(inc 1 ; the next", 30, "suggest-fix")), json!("\n)"));
    assert_eq!(text(balance("(inc 1 ; the next\n", 30, "suggest-fix")), json!(")"));
    assert_eq!(text(balance("(inc 1 ; the next", 31, "suggest-fix")), json!(")"), "the sentinel stands before its end");
    let refused = ask(BalanceAndResume, balance("(inc 1 ; the next", 30, "assert-empty"));
    assert!(refused["error"]["message"].as_str().unwrap().contains("on a new line"), "{refused}");
    let closed = json!({ "stack": [], "sentinel": 9, "mode": "suggest-fix", "docSlice": { "text": "(a) ; b" } });
    assert_eq!(ask(BalanceAndResume, closed)["fix"], json!({ "edits": [], "newStack": [] }));
}

#[test]
fn a_sentinel_needs_no_slice() {
    let request = json!({ "cursor": 320, "docSlice": "x", "stack": 3, "type": "angle", "edits": 1 });
    assert_eq!(ask(SetSentinel, request), json!({ "ok": true, "sentinel": 320 }));
}

#[test]
fn a_batch_with_a_cursor_says_what_to_write() {
    let ops =
        json!([{ "op": "push", "type": "paren" }, { "op": "push", "type": "brace" }, { "op": "pop", "type": "brace" }]);
    let found = ask(Batch, json!({ "stack": [], "ops": ops, "cursor": 7 }));
    assert_eq!(found["edits"], json!([{ "start": 7, "end": 7, "text": "({}" }]));
}

#[test]
fn types_stacks_and_cursors_are_checked() {
    for wrong in [json!("angle"), json!(""), json!(3), json!(["paren"]), json!(null), json!("PAREN"), json!("::paren")]
    {
        assert_eq!(
            refused(PushDelimiter, json!({ "stack": ["brace"], "type": wrong })),
            ("INVALID_TYPE".into(), json!(["brace"]))
        );
        assert_eq!(code(PopDelimiter, json!({ "stack": ["brace"], "type": wrong })), "INVALID_TYPE");
    }
    assert_eq!(
        refused(PopDelimiter, json!({ "stack": ["x", 3], "type": "paren" })),
        ("INVALID_TYPE".into(), json!(["x", 3]))
    );
    for wrong in [json!("paren"), json!({}), json!(null), json!(7)] {
        assert_eq!(refused(PopDelimiter, json!({ "stack": wrong, "type": "paren" })), ("BAD_INPUT".into(), json!([])));
    }
    for wrong in [json!(-1), json!(1.5), json!("3"), json!(1e300), json!(1u64 << 53), json!(null), json!([0])] {
        assert_eq!(code(SetSentinel, json!({ "cursor": wrong })), "BAD_CURSOR", "{wrong}");
    }
    assert_eq!(ask(SetSentinel, json!({ "cursor": 3.0 }))["sentinel"], json!(3));
    assert_eq!(code(SetSentinel, json!({})), "BAD_CURSOR");
    assert_eq!(code(PushDelimiter, json!({ "stack": [], "type": "paren", "cursor": -3 })), "BAD_CURSOR");
    assert_eq!(code(BalanceAndResume, json!({ "stack": [], "sentinel": -3, "mode": "assert-empty" })), "BAD_CURSOR");
    assert_eq!(code(BalanceAndResume, json!({ "stack": [], "sentinel": 3, "mode": "guess" })), "BAD_INPUT");
    assert_eq!(code(PopDelimiter, json!({ "stack": [], "type": "paren" })), "UNDERFLOW");
}

#[test]
fn limits_are_answers() {
    let deepest = vec!["paren"; 4_096];
    assert_eq!(code(PushDelimiter, json!({ "stack": deepest, "type": "paren" })), "BAD_INPUT");
    assert_eq!(ask(PopDelimiter, json!({ "stack": deepest, "type": "paren" }))["ok"], json!(true));
    assert_eq!(
        refused(PopDelimiter, json!({ "stack": vec!["paren"; 4_097], "type": "paren" })),
        ("BAD_INPUT".into(), json!([]))
    );
    let ops = vec![json!({ "op": "push", "type": "paren" }); 10_001];
    assert_eq!(code(Batch, json!({ "stack": [], "ops": ops })), "BAD_INPUT");
    assert_eq!(code(Batch, json!({ "stack": [], "docSlice": { "text": "()".repeat(5_001) } })), "BAD_INPUT");
    assert_eq!(ask(Batch, json!({ "stack": [], "docSlice": { "text": "()".repeat(5_000) } }))["ok"], json!(true));
    assert_eq!(code(Batch, json!({ "stack": [], "docSlice": { "text": " ".repeat(256 * 1024 + 1) } })), "BAD_INPUT");
}

#[test]
fn unknown_fields_and_other_spellings() {
    let request =
        json!({ ":stack": [":paren"], "TYPE": ":brace", "doc_slice": { "text": "{" }, "zzz": [1, { "a": 2 }] });
    assert_eq!(ask(PushDelimiter, request), json!({ "ok": true, "stack": ["paren", "brace"] }));
    let request = json!({ "stack": ["paren"], "sentinel?": 320, "mode": ":suggest-fix" });
    assert_eq!(ask(BalanceAndResume, request)["fix"]["newStack"], json!([]));
}

#[test]
fn edn_is_the_same_answer() {
    let text = |operation, request: Value| {
        let request = object(request);
        let found = answer(operation, &request);
        let mut plain = request.clone();
        plain.remove("format");
        assert_eq!(answer(operation, &plain).document(), found.document());
        found.text()
    };
    assert_eq!(
        text(PushDelimiter, json!({ "stack": ["paren"], "type": "brace", "format": "edn" })),
        r#"{:ok true, :stack ["paren" "brace"]}"#
    );
    assert_eq!(
        text(BalanceAndResume, json!({ "stack": ["paren"], "sentinel": 3, "mode": "suggest-fix", "format": ":edn" })),
        r#"{:ok true, :balanced false, :fix {:edits [{:start 3, :end 3, :text ")"}], :newStack []}}"#
    );
    let refusal = text(PopDelimiter, json!({ "stack": ["x\"\\\n\u{7}"], "type": "paren", "format": "edn" }));
    assert!(refusal.ends_with(r#":stack ["x\"\\\n\u0007"]}}"#), "{refusal}");
    assert!(lispwright_syntax::read(&refusal, lispwright_syntax::Dialect::Edn).is_balanced());
    assert_eq!(code(PushDelimiter, json!({ "stack": [], "type": "paren", "format": "xml" })), "BAD_INPUT");
}

#[test]
fn names_are_those_of_the_protocol() {
    for operation in Operation::ALL {
        assert!(operation.name().len() <= 40);
        let last = operation.dotted_name().strip_prefix("sexp.guard.").unwrap();
        let snake: String = last
            .chars()
            .map(|c| if c.is_uppercase() { format!("_{}", c.to_ascii_lowercase()) } else { c.to_string() })
            .collect();
        assert_eq!(operation.name(), format!("sexp_guard_{snake}"));
    }
}

const KINDS: [&str; 3] = ["paren", "bracket", "brace"];

/// A matched sequence: `shape` says at each step whether to open, and which type.
fn matched(shape: &[(bool, usize)]) -> Vec<(&'static str, &'static str)> {
    let mut open = Vec::new();
    let mut ops = Vec::new();
    for &(opens, kind) in shape {
        if opens || open.is_empty() {
            open.push(KINDS[kind]);
            ops.push(("push", KINDS[kind]));
        } else {
            ops.push(("pop", open.pop().unwrap()));
        }
    }
    ops.extend(open.into_iter().rev().map(|kind| ("pop", kind)));
    ops
}

fn to_json(ops: &[(&str, &str)]) -> Value {
    ops.iter().map(|(op, kind)| json!({ "op": op, "type": kind })).collect()
}

/// By rewriting instead of a stack: matched neighbours vanish until none are left.
fn oracle(text: &str) -> Result<String, ()> {
    let mut text = text.to_owned();
    loop {
        let shorter = text.replace("()", "").replace("[]", "").replace("{}", "");
        if shorter == text {
            break;
        }
        text = shorter;
    }
    if text.contains([')', ']', '}']) { Err(()) } else { Ok(text) }
}

fn character(op: &str, kind: &str) -> char {
    let pair = match kind {
        "paren" => "()",
        "bracket" => "[]",
        _ => "{}",
    };
    pair.chars().nth(usize::from(op == "pop")).unwrap()
}

fn steps() -> impl Strategy<Value = Vec<(bool, usize)>> {
    prop::collection::vec((any::<bool>(), 0..3usize), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn matched_sequences_return_an_empty_stack(shape in steps()) {
        let ops = matched(&shape);
        prop_assert_eq!(ask(Batch, json!({ "stack": [], "ops": to_json(&ops) })), json!({ "ok": true, "stack": [] }));
        let mut stack = json!([]);
        for (op, kind) in ops {
            let operation = if op == "push" { PushDelimiter } else { PopDelimiter };
            stack = ask(operation, json!({ "stack": stack, "type": kind }))["stack"].clone();
        }
        prop_assert_eq!(stack, json!([]));
    }

    #[test]
    fn closing_out_of_order_is_a_mismatch(below in prop::collection::vec(0..3usize, 0..20), top in 0..3usize, by in 1..3usize) {
        let mut stack: Vec<&str> = below.into_iter().map(|kind| KINDS[kind]).collect();
        stack.push(KINDS[top]);
        let wrong = KINDS[(top + by) % 3];
        let found = ask(PopDelimiter, json!({ "stack": stack, "type": wrong }));
        prop_assert_eq!(&found["error"]["code"], &json!("MISMATCH"));
        prop_assert_eq!(&found["error"]["expected"], &json!(KINDS[top]));
        prop_assert_eq!(&found["error"]["found"], &json!(wrong));
        prop_assert_eq!(&found["error"]["stack"], &json!(stack));
    }

    #[test]
    fn random_steps_agree_with_an_oracle(steps in steps()) {
        let ops: Vec<(&str, &str)> =
            steps.iter().map(|&(push, kind)| (if push { "push" } else { "pop" }, KINDS[kind])).collect();
        let text: String = ops.iter().map(|(op, kind)| character(op, kind)).collect();
        // The longest prefix that is accepted, then the step that is refused.
        for end in 0..=ops.len() {
            let found = ask(Batch, json!({ "stack": [], "ops": to_json(&ops[..end]) }));
            match oracle(&text[..end]) {
                Ok(left) => {
                    let stack: Vec<char> = found["stack"].as_array().unwrap().iter()
                        .map(|kind| character("push", kind.as_str().unwrap())).collect();
                    prop_assert_eq!(stack.into_iter().collect::<String>(), left);
                }
                Err(()) => {
                    prop_assert_eq!(&found["error"]["op"], &json!(end - 1));
                    let left = oracle(&text[..end - 1]).unwrap();
                    let expected = if left.is_empty() { "UNDERFLOW" } else { "MISMATCH" };
                    prop_assert_eq!(&found["error"]["code"], &json!(expected));
                    break;
                }
            }
        }
    }

    #[test]
    fn a_fix_balances(shape in prop::collection::vec(0..3usize, 0..40), sentinel in 0..1_000u64) {
        let types: Vec<&str> = shape.into_iter().map(|kind| KINDS[kind]).collect();
        let found = ask(BalanceAndResume, json!({ "stack": types, "sentinel": sentinel, "mode": "suggest-fix" }));
        let edits = found["fix"]["edits"].clone();
        let after = ask(Batch, json!({ "stack": types, "edits": edits }));
        prop_assert_eq!(after, json!({ "ok": true, "stack": [] }));
    }

    #[test]
    fn no_request_panics(
        operation in prop::sample::select(Operation::ALL.to_vec()),
        fields in prop::collection::vec((prop::sample::select(vec![
            "stack", "type", "cursor", "docSlice", "ops", "types", "edits", "sentinel", "mode", "docHash",
            "docHashAfter", "text", "state", "dialect", "start", "format", "",
        ]), value()), 0..8),
    ) {
        let request: Map<String, Value> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let found = answer(operation, &request);
        prop_assert_eq!(found.document()["ok"].as_bool(), Some(found.ok));
        prop_assert_eq!(found.ok, found.error.is_none());
    }
}

/// Values that have a meaning for some field.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(7),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!("paren"),
        json!(":brace"),
        json!("("),
        json!("(a [b"),
        json!("\"x"),
        json!("push"),
        json!("pop"),
        json!("edn"),
        json!("suggest-fix"),
        json!("assert-empty"),
        json!("scheme"),
        json!("cl"),
        json!(EMPTY),
        json!("g1.AAAA"),
        json!("é\u{0}"),
        json!([]),
        json!({}),
    ]);
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(vec!["op", "type", "text", "start", "end"]), inner), 0..5)
                .prop_map(|fields| fields
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect::<Map<_, _>>()
                    .into()),
        ]
    })
}
