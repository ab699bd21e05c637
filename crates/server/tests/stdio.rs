//! The answers of a real server process to raw lines, and that it always answers once.

#![allow(clippy::unwrap_used)]

mod client;

use client::{Client, call, modern};
use serde_json::{Value, json};

/// The code of the answer to a line, or 0 for a result.
fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or(0)
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {result}"))
}

// Handshakes and versions.

#[test]
fn initialize_echoes_every_handshake_version() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let result = Client::start(&[]).initialize(version);
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "lispwright");
        assert_eq!(result["capabilities"], json!({ "tools": {} }));
        assert!(result["instructions"].as_str().unwrap().contains("Lisp"));
        assert!(result.get("resultType").is_none());
    }
}

#[test]
fn initialize_never_turns_a_version_away() {
    for (asked, answered) in
        [("2026-07-28", "2025-11-25"), ("2031-01-01", "2025-11-25"), ("newest", "2025-11-25"), ("", "2025-11-25")]
    {
        let mut client = Client::start(&[]);
        assert_eq!(client.initialize(asked)["protocolVersion"], answered);
        client.settle();
    }
}

#[test]
fn initialize_is_as_lenient_to_a_part_as_to_nothing() {
    let parts = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" }
    });
    for left_out in 0..8 {
        let mut client = Client::start(&[]);
        let kept = parts.as_object().unwrap().iter().enumerate().filter(|(at, _)| left_out & (1 << at) == 0);
        let kept: serde_json::Map<_, _> = kept.map(|(_, (name, part))| (name.clone(), part.clone())).collect();
        let asked = kept.get("protocolVersion").map_or("2025-11-25", |version| version.as_str().unwrap()).to_owned();
        let answer = client.ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": kept }));
        assert_eq!(answer["result"]["protocolVersion"], asked, "{answer}");
        client.settle();
    }
}

#[test]
fn a_version_that_is_no_string_is_the_one_thing_that_is_wrong_with_an_opening() {
    let mut client = Client::start(&[]);
    let answer =
        client.ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": 7 } }));
    assert_eq!(code(&answer), -32602);
    assert!(answer["error"]["message"].as_str().unwrap().contains("protocolVersion"), "{answer}");
    client.initialize("2025-11-25");
    client.settle();
}

#[test]
fn a_second_initialize_is_answered_too() {
    let mut client = Client::legacy();
    client.seen.clear();
    assert_eq!(client.initialize("2024-11-05")["protocolVersion"], "2024-11-05");
    client.settle();
}

#[test]
fn requests_sent_behind_initialize_are_answered_behind_it() {
    let mut client = Client::start(&[]);
    let opening = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" }
        }
    });
    client.line(format!(
        "{opening}\n{}\n{}",
        call(2, "echo", json!({"text": "a"})),
        json!({"jsonrpc": "2.0", "id": 3, "method": "ping"})
    ));
    client.answer(2);
    client.answer(3);
    assert_eq!(client.seen[0]["id"], 1);
}

#[test]
fn the_modern_era_needs_no_session() {
    let mut client = Client::start(&[]);
    let discovered = client.ask(modern(1, "server/discover", json!({})))["result"].clone();
    assert_eq!(discovered["resultType"], "complete");
    assert_eq!(
        discovered["supportedVersions"],
        json!(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])
    );
    assert_eq!(discovered["capabilities"], json!({ "tools": {} }));
    assert!(discovered["ttlMs"].is_u64() && discovered["cacheScope"].is_string(), "{discovered}");
    let listed = client.ask(modern(2, "tools/list", json!({})))["result"].clone();
    assert_eq!(listed["resultType"], "complete");
    assert!(listed["ttlMs"].is_u64() && listed["cacheScope"].is_string(), "{listed}");
    assert_eq!(listed["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "lispwright");
    let called = client.ask(modern(3, "tools/call", json!({ "name": "echo", "arguments": { "text": "hi" } })));
    assert_eq!(called["result"]["resultType"], "complete");
    assert_eq!(text(&called["result"]), "hi");
    // Ping belongs to the older revisions.
    assert_eq!(code(&client.ask(modern(4, "ping", json!({})))), -32601);
}

#[test]
fn both_eras_share_a_connection() {
    let mut client = Client::start(&[]);
    assert_eq!(
        text(&client.ask(modern(1, "tools/call", json!({ "name": "echo", "arguments": { "text": "new" } })))["result"]),
        "new"
    );
    client.initialize("2025-06-18");
    let old = client.call(2, "echo", json!({ "text": "old" }));
    assert_eq!(text(&old), "old");
    assert!(old.get("resultType").is_none());
    let new = client.ask(modern(3, "tools/call", json!({ "name": "echo", "arguments": { "text": "new" } })));
    assert_eq!(new["result"]["resultType"], "complete");
}

#[test]
fn metadata_is_required_without_a_session() {
    let mut client = Client::start(&[]);
    let bare = client.ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    assert_eq!(code(&bare), -32602);
    assert!(bare["error"]["message"].as_str().unwrap().contains("initialize"), "{bare}");
    assert_eq!(code(&client.ask(json!({ "jsonrpc": "2.0", "id": 2, "method": "server/discover" }))), -32602);
    let half = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } });
    let answer = client.ask(json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": half }));
    assert_eq!(code(&answer), -32602);
    let mut unknown = modern(4, "tools/list", json!({}));
    unknown["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2030-01-01".into();
    let answer = client.ask(unknown);
    assert_eq!(code(&answer), -32022);
    assert_eq!(answer["error"]["data"]["requested"], "2030-01-01");
    assert!(answer["error"]["data"]["supported"].as_array().unwrap().contains(&json!("2026-07-28")));
}

// Lines that are not requests.

#[test]
fn what_comes_before_the_first_request_is_ignored() {
    let mut client = Client::start(&[]);
    client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    client.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }));
    client.send(json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
    client.send(json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -32700, "message": "Parse error" } }));
    assert_eq!(code(&client.ask(json!({ "jsonrpc": "2.0", "id": 3, "method": "ping" }))), 0);
    client.initialize("2025-06-18");
    client.settle();
    assert_eq!(client.seen.len(), 3, "{:?}", client.seen);
}

#[test]
fn log_levels_and_other_undeclared_methods_are_not_found() {
    let mut client = Client::start(&[]);
    let level =
        |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "logging/setLevel", "params": { "level": "info" } });
    assert_eq!(code(&client.ask(level(1))), -32601);
    client.initialize("2025-11-25");
    assert_eq!(code(&client.ask(level(2))), -32601);
    for (id, method) in [
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "completion/complete",
        "subscriptions/listen",
        "tasks/get",
        "skills/list",
        "nonsense",
        "",
        "tools/",
        "notifications/initialized",
    ]
    .iter()
    .enumerate()
    {
        let id = format!("legacy {id}");
        let answer = client.ask(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": {} }));
        assert_eq!(code(&answer), -32601, "{method}: {answer}");
        let answer = client.ask(modern(format!("modern {id}"), method, json!({})));
        assert_eq!(code(&answer), -32601, "{method}: {answer}");
    }
    client.settle();
}

#[test]
fn broken_lines_are_answered_with_the_id_they_show() {
    let mut client = Client::legacy();
    let request = |id: u64, argument: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":{argument}}}}}}}"#
        )
    };
    client.line(&request(1, "\"a\"")[..60]);
    assert_eq!(code(&client.answer(1)), -32700);
    let mut not_utf8 = request(2, "\"?\"").into_bytes();
    let at = not_utf8.iter().position(|byte| *byte == b'?').unwrap();
    not_utf8[at] = 0xff;
    client.line(&not_utf8);
    assert_eq!(code(&client.answer(2)), -32700);
    client.line(request(3, "\"\0\""));
    assert_eq!(code(&client.answer(3)), -32700);
    client.line(request(4, r#""\ud800""#));
    assert_eq!(code(&client.answer(4)), -32700);
    client.line(request(5, &format!("{}{}", "[".repeat(200_000), "]".repeat(200_000))));
    assert_eq!(code(&client.answer(5)), -32700);
    client.line("what is this");
    let answer = client.wait_for("an answer without id", |message| message.get("id").is_none());
    assert_eq!(code(&answer), -32700);
    client.settle();
}

#[test]
fn long_lines_are_answered_and_skipped() {
    let mut client = Client::legacy();
    for (id, megabytes) in [(1, 5), (2, 40)] {
        let mut line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":""#).into_bytes();
        line.resize(line.len() + megabytes * 1024 * 1024, b'x');
        client.line(&line);
        let answer = client.answer(id);
        assert_eq!(code(&answer), -32600);
        assert!(answer["error"]["message"].as_str().unwrap().contains("4194304"), "{answer}");
    }
    // The id may come after the part that is too long.
    let mut line = br#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":""#.to_vec();
    line.resize(5 * 1024 * 1024, b'x');
    line.extend_from_slice(br#""},"id":"last"}"#);
    client.line(&line);
    assert_eq!(code(&client.answer("last")), -32600);
    // A line just below the limit is an ordinary call.
    let answer = client.call(4, "echo", json!({ "text": "y".repeat(4_000_000) }));
    assert_eq!(text(&answer).len(), 4_000_000);
}

#[test]
fn wrong_envelopes_are_invalid_requests() {
    let mut client = Client::legacy();
    for line in [
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        "[]",
        "3",
        "\"text\"",
        "null",
        "{}",
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1e400,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
    ] {
        client.seen.clear();
        client.line(line);
        let answer = client.wait_for(line, |message| message.get("id").is_none());
        assert!(matches!(code(&answer), -32600 | -32700), "{line}: {answer}");
    }
    for (id, line) in [
        (11, r#"{"id":11,"method":"ping"}"#),
        (12, r#"{"jsonrpc":"1.0","id":12,"method":"ping"}"#),
        (13, r#"{"jsonrpc":"2.0","id":13}"#),
        (14, r#"{"jsonrpc":"2.0","id":14,"method":7}"#),
    ] {
        client.line(line);
        assert_eq!(code(&client.answer(id)), -32600, "{line}");
    }
    client.line(r#"{"jsonrpc":"2.0","id":15,"method":"tools/list","params":[1]}"#);
    assert_eq!(code(&client.answer(15)), -32602);
    client.settle();
}

#[test]
fn malformed_calls_are_invalid_params() {
    let mut client = Client::legacy();
    for (id, params) in [
        json!(null),
        json!({}),
        json!({ "arguments": {} }),
        json!({ "name": 3 }),
        json!({ "name": null }),
        json!({ "name": "echo", "arguments": [] }),
        json!({ "name": "echo", "arguments": "{}" }),
        json!({ "name": "echo", "arguments": 0 }),
        json!({ "name": "echo", "_meta": 1 }),
    ]
    .into_iter()
    .enumerate()
    {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        assert_eq!(code(&client.ask(request.clone())), -32602, "{request}");
    }
    client.line(r#"{"jsonrpc":"2.0","id":"bare","method":"tools/call"}"#);
    assert_eq!(code(&client.answer("bare")), -32602);
    let cursor = json!({ "jsonrpc": "2.0", "id": "cursor", "method": "tools/list", "params": { "cursor": "2" } });
    assert_eq!(code(&client.ask(cursor)), -32602);
}

#[test]
fn blank_lines_carriage_returns_and_a_byte_order_mark_are_fine() {
    let mut client = Client::start(&[]);
    client.line(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}\r");
    assert_eq!(client.answer(0)["result"], json!({}));
    client.initialize("2025-06-18");
    client.line("");
    client.line("   \t\r");
    client.line(format!("{}\r", call(1, "echo", json!({ "text": "a" }))));
    assert_eq!(text(&client.answer(1)["result"]), "a");
    client.send(json!({ "jsonrpc": "2.0", "method": "notifications/of/another/day", "params": { "a": 1 } }));
    client.settle();
    assert_eq!(client.seen.len(), 4, "{:?}", client.seen);
}

#[test]
fn a_non_blocking_input_is_waited_for() {
    let mut client = Client::start_non_blocking();
    for id in 0..5 {
        // Each answer is awaited, so the server finds its input empty before the next line.
        assert_eq!(client.ask(json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }))["result"], json!({}));
    }
}

#[test]
fn a_last_line_without_newline_is_served() {
    let mut client = Client::legacy();
    client.send_unfinished(call(1, "echo", json!({ "text": "last" })));
    let (status, seen) = client.finish();
    assert!(status.success());
    assert_eq!(text(&seen.last().unwrap()["result"]), "last");
}

// Calls.

#[test]
fn an_unknown_tool_is_a_protocol_error_with_the_nearest_names() {
    let mut client = Client::legacy();
    let answer = client.ask(call(1, "ecko", json!({})));
    assert_eq!(code(&answer), -32602);
    assert!(answer["error"]["message"].as_str().unwrap().contains("echo"), "{answer}");
    assert_eq!(code(&client.ask(call(2, "", json!({})))), -32602);
    assert_eq!(code(&client.ask(call(3, &"long".repeat(100_000), json!({})))), -32602);
}

#[test]
fn names_in_other_spellings_are_found() {
    let mut client = Client::legacy();
    for name in ["mcp__lispwright__echo", "ECHO", "mcp_lispwright_echo", "lispwright.echo"] {
        assert_eq!(text(&client.call(name, name, json!({ "text": "x" }))), "x", "{name}");
    }
    assert_eq!(client.call(9, "sexp.guard.balance", json!({ "text": "" }))["structuredContent"], json!({ "ok": true }));
}

#[test]
fn wrong_arguments_run_nothing_and_list_every_fault() {
    let mut client = Client::legacy();
    let result = client.call(1, "sleep", json!({ "millisecond": 5, "zeal": true }));
    assert_eq!(result["isError"], true);
    let said = text(&result);
    for part in ["unknown argument `millisecond`; did you mean `milliseconds`?", "`zeal`", "missing required"] {
        assert!(said.contains(part), "{said}");
    }
    assert!(result.get("structuredContent").is_none());
    assert_eq!(client.call(2, "sleep", json!({ "milliseconds": 1.0 }))["isError"], false);
}

#[test]
fn results_are_text_unless_the_answer_is_data() {
    let mut client = Client::legacy();
    let plain = client.call(1, "echo", json!({ "text": "a\u{2028}\u{0}\u{7f}\"\\\nλ" }));
    assert_eq!(text(&plain), "a\u{2028}\u{0}\u{7f}\"\\\nλ");
    assert!(plain.get("structuredContent").is_none());
    let error = client.call(2, "refuse", json!({}));
    assert_eq!(error["isError"], true);
    assert!(error.get("structuredContent").is_none());
    let long = client.call(3, "long", json!({ "bytes": 4_000_000 }));
    assert_eq!(text(&long).len(), 4_000_000);
}

#[test]
fn structured_results_carry_fields_and_errors_their_message() {
    let mut client = Client::start(&["structured"]);
    client.initialize("2025-06-18");
    let plain = client.call(1, "echo", json!({ "text": "a" }));
    assert_eq!(plain["structuredContent"], json!({ "text": "a" }));
    assert_eq!(text(&plain), "a");
    let error = client.call(2, "refuse", json!({}));
    assert_eq!(error["isError"], true);
    assert_eq!(error["structuredContent"]["code"], "BAD_ARGUMENT");
    assert_eq!(error["structuredContent"]["message"], text(&error));
    assert_eq!(error["structuredContent"]["candidates"], json!(["g"]));
    let listed = client.ask(json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list" }));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        assert!(tool["outputSchema"].get("required").is_none(), "an error has not the fields of a success: {tool}");
    }
}

#[test]
fn a_panic_is_the_error_of_its_call_alone() {
    let mut client = Client::legacy();
    client.begin("bystander", "sleep", json!({ "milliseconds": 100 }));
    for (id, tool, words) in [(1, "panic_at_once", "no future"), (2, "panic_later", "in the middle")] {
        let result = client.call(id, tool, json!({}));
        assert_eq!(result["isError"], true);
        assert!(text(&result).contains(words), "{result}");
    }
    assert_eq!(text(&client.answer("bystander")["result"]), "rested");
    client.settle();
}

#[test]
fn calls_run_side_by_side() {
    let mut client = Client::legacy();
    // Each ends only when the last call of all has begun.
    for id in 0..20 {
        client.begin(id, "gate", json!({ "name": "g" }));
    }
    client.call("last", "open", json!({ "name": "g" }));
    for id in 0..20 {
        assert_eq!(text(&client.answer(id)["result"]), "through");
    }
}

#[test]
fn ping_is_answered_while_a_call_runs() {
    let mut client = Client::legacy();
    client.begin("slow", "obedient", json!({}));
    assert_eq!(client.ask(json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" }))["result"], json!({}));
    assert_eq!(client.answers_to(&json!("slow")), 0);
}

#[test]
fn a_withdrawn_call_is_cancelled_and_not_answered() {
    for era in ["legacy", "modern"] {
        let mut client = Client::legacy();
        let params = json!({ "name": "obedient", "arguments": {} });
        match era {
            "legacy" => client.begin(7, "obedient", json!({})),
            _ => client.send(modern(7, "tools/call", params)),
        }
        client.settle();
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } }));
        client.settle();
        // The id is free again, and the answer to its second use is not that of the first call.
        assert_eq!(text(&client.call(7, "echo", json!({ "text": "second" }))), "second");
        let (status, seen) = client.finish();
        assert!(status.success());
        assert_eq!(seen.iter().filter(|message| message["id"] == 7).count(), 1, "{era}: {seen:?}");
    }
}

#[test]
fn withdrawing_what_does_not_run_changes_nothing() {
    let mut client = Client::legacy();
    client.begin("1", "sleep", json!({ "milliseconds": 50 }));
    for id in [json!(1), json!("2"), json!(null), json!([1]), json!(1.0)] {
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    }
    assert_eq!(text(&client.answer("1")["result"]), "rested");
}

#[test]
fn an_id_in_use_is_refused_and_the_first_call_answered() {
    let mut client = Client::legacy();
    client.begin(5, "sleep", json!({ "milliseconds": 300 }));
    client.begin(5, "echo", json!({ "text": "intruder" }));
    let refused = client.wait_for("the refusal", |message| message["id"] == 5 && message.get("error").is_some());
    assert_eq!(code(&refused), -32600);
    let rested = client.wait_for("the result", |message| message["id"] == 5 && message.get("result").is_some());
    assert_eq!(text(&rested["result"]), "rested");
    client.settle();
    assert_eq!(client.answers_to(&json!(5)), 2);
}

#[test]
fn a_broken_line_does_not_answer_for_a_running_call() {
    let mut client = Client::legacy();
    client.begin(5, "sleep", json!({ "milliseconds": 200 }));
    client.line(r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","#);
    let refused = client.wait_for("the refusal", |message| message.get("error").is_some());
    assert!(refused.get("id").is_none(), "{refused}");
    assert_eq!(text(&client.answer(5)["result"]), "rested");
}

#[test]
fn progress_is_sent_when_asked_for_increases_and_ends_with_the_call() {
    let mut client = Client::legacy();
    for round in 0..10 {
        client.seen.clear();
        let mut request = call(round, "steps", json!({ "count": 5 }));
        request["params"]["_meta"] = json!({ "progressToken": format!("token {round}") });
        client.ask(request);
        client.settle();
        let done = client.seen.iter().position(|message| message["id"] == round).unwrap();
        let notes: Vec<(usize, &Value)> = client
            .seen
            .iter()
            .enumerate()
            .filter(|(_, message)| message["method"] == "notifications/progress")
            .map(|(at, message)| (at, &message["params"]))
            .collect();
        assert!(!notes.is_empty());
        assert!(
            notes.iter().all(|(at, note)| *at < done && note["progressToken"] == format!("token {round}")),
            "{notes:?}"
        );
        let values: Vec<f64> = notes.iter().map(|(_, note)| note["progress"].as_f64().unwrap()).collect();
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{values:?}");
    }
    client.seen.clear();
    client.call("quiet", "steps", json!({ "count": 5 }));
    client.settle();
    assert!(client.seen.iter().all(|message| message.get("method").is_none()), "{:?}", client.seen);
}

#[test]
fn a_silent_call_shows_signs_of_life() {
    let mut client = Client::legacy();
    let mut request = call("long", "obedient", json!({}));
    request["params"]["_meta"] = json!({ "progressToken": 7 });
    client.send(request);
    for seconds in [0.9, 1.9] {
        client.wait_for("a sign of life", |message| {
            message["params"]["progressToken"] == 7 && message["params"]["progress"].as_f64().unwrap() > seconds
        });
    }
    client.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "long" } }));
    client.settle();
}

// The end of a connection.

#[test]
fn the_process_ends_with_its_input() {
    let (status, seen) = Client::start(&[]).finish();
    assert!(status.success());
    assert_eq!(seen, Vec::<Value>::new());
}

#[test]
fn calls_under_way_are_answered_at_the_end_of_input() {
    let mut client = Client::legacy();
    for id in 0..10 {
        client.begin(id, "sleep", json!({ "milliseconds": 400 }));
    }
    let (status, seen) = client.finish();
    assert!(status.success());
    for id in 0..10 {
        let answers: Vec<&Value> = seen.iter().filter(|message| message["id"] == id).collect();
        assert_eq!(answers.len(), 1);
        assert_eq!(text(&answers[0]["result"]), "rested");
    }
}

#[test]
fn calls_that_do_not_end_are_cancelled_and_then_answered_for() {
    let mut client = Client::legacy();
    client.begin("obedient", "obedient", json!({}));
    client.begin("deaf", "deaf", json!({}));
    let (status, seen) = client.finish();
    assert!(status.success());
    let answer = |id: &str| {
        let answers: Vec<&Value> = seen.iter().filter(|message| message["id"] == id).collect();
        assert_eq!(answers.len(), 1, "{seen:?}");
        answers[0].clone()
    };
    assert!(text(&answer("obedient")["result"]).contains("was cancelled"));
    assert_eq!(code(&answer("deaf")), -32603);
}

#[test]
fn a_closed_output_ends_the_process_quietly() {
    let client = Client::legacy();
    let status = client.hang_up_output(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }));
    assert!(status.success(), "{status}");
}
