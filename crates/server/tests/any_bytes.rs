//! For any bytes from a client: the server lives, and the next well-formed request is answered once.

#![allow(clippy::unwrap_used)]

mod client;

use std::cell::RefCell;

use client::{Client, call};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

/// A line of bytes similar enough to a message to pass the first check now and then.
fn junk() -> impl Strategy<Value = Vec<u8>> {
    let bytes = proptest::collection::vec(any::<u8>().prop_filter("a newline ends a line", |b| *b != b'\n'), 0..200);
    let pieces = proptest::sample::select(vec![
        r#"{"jsonrpc":"2.0""#,
        r#","id":1"#,
        r#","id":"a""#,
        r#","id":null"#,
        r#","method":"ping""#,
        r#","method":"tools/call""#,
        r#","method":"tools/list""#,
        r#","method":"initialize""#,
        r#","method":"notifications/cancelled""#,
        r#","params":{"name":"echo","arguments":{"text":"x"}}"#,
        r#","params":{"requestId":1}"#,
        r#","params":{"name":"panic_later"}"#,
        r#","result":{}"#,
        r#","error":{"code":1,"message":"m"}"#,
        "}",
        "[",
        "]",
        "{",
        "\"",
        "\\ud800",
        "\u{feff}",
        "\0",
        "1e999",
        "\r",
    ]);
    let jsonish = proptest::collection::vec(pieces, 0..10).prop_map(|pieces| pieces.concat().into_bytes());
    let damaged = (0usize..120, any::<u8>()).prop_map(|(at, byte)| {
        let mut line = call("damaged", "echo", json!({ "text": "whole" })).to_string().into_bytes();
        let at = at % line.len();
        line[at] = if byte == b'\n' { b' ' } else { byte };
        line
    });
    prop_oneof![bytes, jsonish, damaged]
}

#[test]
fn every_well_formed_request_is_answered_once_whatever_surrounds_it() {
    let client = RefCell::new(Client::legacy());
    let mut sent = 0u64;
    let count = RefCell::new(&mut sent);
    let mut runner = TestRunner::new(Config { cases: 1000, failure_persistence: None, ..Config::default() });
    runner
        .run(&proptest::collection::vec(junk(), 1..8), |lines| {
            let mut client = client.borrow_mut();
            let mut count = count.borrow_mut();
            **count += 1;
            let (first, last) = (format!("first {count}"), format!("last {count}"));
            client.seen.clear();
            client.begin(first.clone(), "echo", json!({ "text": first }));
            for line in &lines {
                client.line(line);
            }
            client.begin(last.clone(), "echo", json!({ "text": last }));
            for id in [first, last] {
                let answer = client.answer(id.clone());
                prop_assert_eq!(&answer["result"]["content"][0]["text"], &json!(id));
            }
            client.settle();
            let ids = [json!(format!("first {count}")), json!(format!("last {count}"))];
            for id in &ids {
                prop_assert_eq!(client.answers_to(id), 1);
            }
            prop_assert!(client.seen.iter().all(|message| message["jsonrpc"] == "2.0"), "{:?}", client.seen);
            Ok(())
        })
        .unwrap();
    let (status, _) = client.into_inner().finish();
    assert!(status.success());
}
