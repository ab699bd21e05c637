//! Streamable HTTP in both eras, by the bytes.

#![allow(clippy::unwrap_used)]

mod listening;

use std::time::Instant;

use listening::Listening;
use listening::http::Request;
use listening::socket::{PATIENCE, Socket, call, initialize, text};
use serde_json::{Value, json};

fn open() -> Listening {
    Listening::start(&["http"], &[])
}

fn list(id: impl Into<Value>) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": "tools/list", "params": {} })
}

#[test]
fn a_request_by_itself_is_answered_with_a_document() {
    let server = open();
    let mut socket = server.connect();
    let (mut number, mut documents) = (0, 0);
    let deadline = Instant::now() + PATIENCE;
    while documents < 5 {
        let (head, answer) = socket.exchange(&Request::modern(&call(number, "echo", json!({ "text": "here" }))));
        assert_eq!(head.status, 200);
        assert_eq!((text(&answer), &answer["id"]), ("here", &json!(number)));
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
        // A very busy machine is given the time for a stream now and then.
        documents += u32::from(head.header("content-type") == Some("application/json"));
        number += 1;
        assert!(Instant::now() < deadline, "the answers are streams");
    }
    let discover = json!({ "jsonrpc": "2.0", "id": "d", "method": "server/discover", "params": {} });
    let (_, answer) = socket.exchange(&Request::modern(&discover));
    assert!(answer["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{answer}");
    assert!(server.finish().success());
}

#[test]
fn many_clients_use_the_same_ids_at_once() {
    let server = open();
    std::thread::scope(|scope| {
        for client in 0..16 {
            let mut socket = server.connect();
            scope.spawn(move || {
                let session = socket.begin_session();
                for number in 0..20 {
                    let said = format!("{client}.{number}");
                    let message = call(7, "echo", json!({ "text": said }));
                    for request in [Request::modern(&message), Request::legacy(&session, &message)] {
                        let (_, answer) = socket.exchange(&request);
                        assert_eq!(text(&answer), said);
                    }
                }
            });
        }
    });
}

#[test]
fn errors_have_the_status_of_their_era() {
    let server = open();
    let mut socket = server.connect();
    let session = socket.begin_session();
    let unknown = json!({ "jsonrpc": "2.0", "id": 1, "method": "no/such", "params": {} });
    let no_tool = call(1, "ehco", json!({}));
    let mut strange = list(1);
    strange["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "1900-01-01", "io.modelcontextprotocol/clientCapabilities": {}
    });
    let strange = Request::post(strange.to_string()).with("MCP-Protocol-Version", "1900-01-01");
    let mut incomplete = list(1);
    incomplete["params"]["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let incomplete = Request::post(incomplete.to_string()).with("Mcp-Method", "tools/list");
    let incomplete = incomplete.with("MCP-Protocol-Version", "2026-07-28");
    let bare = Request::post(list(1).to_string());
    let mismatch = Request::modern(&list(1)).without("Mcp-Method").with("Mcp-Method", "tools/call");
    for (request, status, code) in [
        (Request::modern(&unknown), 404, -32601),
        (Request::legacy(&session, &unknown), 200, -32601),
        (Request::modern(&no_tool), 200, -32602),
        (Request::legacy(&session, &no_tool), 200, -32602),
        (strange, 400, -32022),
        (incomplete, 400, -32602),
        (mismatch, 400, -32020),
        (Request::modern(&list(1)).without("MCP-Protocol-Version"), 400, -32020),
        (bare.clone().with("MCP-Protocol-Version", "2026-07-28"), 400, -32602),
        (bare.clone(), 400, -32600),
        (bare.clone().with("Mcp-Session-Id", &session).with("MCP-Protocol-Version", "2019-01-01"), 400, -32600),
        (bare.with("Mcp-Session-Id", "0123456789abcdef"), 404, -32600),
    ] {
        let (head, answer) = socket.exchange(&request);
        let shown = String::from_utf8(request.bytes()).unwrap();
        assert_eq!((head.status, &answer["error"]["code"]), (status, &json!(code)), "{shown}\n{answer}");
        assert_eq!(answer["id"], 1, "{answer}");
    }
}

#[test]
fn what_is_no_message_is_refused_and_the_connection_goes_on() {
    let server = open();
    let mut socket = server.connect();
    for (body, code, id) in [
        ("", -32700, Value::Null),
        ("nonsense", -32700, Value::Null),
        (r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"na"#, -32700, json!(5)),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":3}}"#, -32602, json!("x")),
    ] {
        let (head, answer) = socket.exchange(&Request::post(body));
        let wanted = (400, &json!(code), &id);
        assert_eq!((head.status, &answer["error"]["code"], &answer["id"]), wanted, "{body}: {answer}");
    }
    let (head, _) = socket.exchange(&Request::post(list(1).to_string()).without("Content-Type"));
    assert_eq!(head.status, 415);
    let html = Request::post(list(1).to_string()).without("Accept").with("Accept", "text/html");
    assert_eq!(socket.exchange(&html).0.status, 406);
    for request in [Request::new("GET"), Request::new("PUT"), Request::new("OPTIONS"), Request::new("DELETE")] {
        let (head, _) = socket.exchange(&request);
        assert_eq!((head.status, head.header("allow")), (405, Some("POST")));
    }
    let elsewhere = socket.exchange(&Request::new("GET").at("/.well-known/oauth-protected-resource")).0;
    assert_eq!(elsewhere.status, 404);
    assert_eq!(socket.exchange(&Request::modern(&list(1))).0.status, 200);
}

#[test]
fn a_long_body_is_refused_with_its_id() {
    let server = open();
    let long = "x".repeat(5_000_000);
    let message = format!(r#"{{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{{"name":"{long}"}}}}"#);
    // A body that is announced is refused before it comes.
    let mut socket = server.connect();
    socket.write(&Request::post(message.clone()).bytes()[..1000]);
    let head = socket.head();
    assert_eq!(head.status, 413);
    // One that comes in chunks of unknown number is read up to the limit.
    let mut socket = server.connect();
    let head = Request::post("").with("Transfer-Encoding", "chunked").bytes();
    let head = String::from_utf8(head).unwrap().replace("Content-Length: 0\r\n", "");
    socket.write(format!("{head}{:x}\r\n", message.len()));
    let mut writing = Socket { stream: std::io::BufReader::new(socket.stream.get_ref().try_clone().unwrap()) };
    let body = message.clone();
    // The server stops reading in the middle of it.
    let writer = std::thread::spawn(move || {
        let _ = std::io::Write::write_all(writing.stream.get_mut(), body.as_bytes());
    });
    let head = socket.head();
    let answer: Value = serde_json::from_str(&socket.body(&head)).unwrap();
    assert_eq!((head.status, &answer["id"]), (413, &json!(9)), "{answer}");
    drop(socket);
    writer.join().unwrap();
}

#[test]
fn host_and_origin_are_checked_before_anything_else() {
    let server = Listening::start(
        &["http"],
        &["token=the-right-token-of-all", "host=lisp.example", "origin=https://app.example"],
    );
    let mut socket = server.connect();
    let plain = Request::modern(&list(1)).with("Authorization", "Bearer the-right-token-of-all");
    let port = server.ports[0];
    for (host, origin, status) in [
        ("127.0.0.1", None, 200),
        (&*format!("localhost:{port}"), Some(format!("http://localhost:{port}")), 200),
        ("[::1]", Some("http://127.0.0.1:5173".to_owned()), 200),
        ("lisp.example:80", Some("https://app.example".to_owned()), 200),
        ("evil.example", None, 403),
        ("127.0.0.1.evil.example", None, 403),
        ("localhost", Some("http://evil.example".to_owned()), 403),
        ("localhost", Some("null".to_owned()), 403),
        ("localhost", Some("http://localhost.evil.example".to_owned()), 403),
    ] {
        let mut request = plain.clone().without("Host").with("Host", host);
        if let Some(origin) = &origin {
            request = request.with("Origin", origin);
        }
        let (head, answer) = socket.exchange(&request);
        assert_eq!(head.status, status, "{host} {origin:?}: {answer}");
        // Nobody learns from a refusal whether a token is right.
        let request = request.without("Authorization");
        let status = if status == 200 { 401 } else { status };
        assert_eq!(socket.exchange(&request).0.status, status, "{host} {origin:?}");
    }
    let (head, _) = socket.exchange(&plain.without("Host"));
    assert!(head.status == 400 || head.status == 403, "{}", head.status);
}

#[test]
fn nobody_is_served_without_the_token() {
    let server = Listening::start(&["http"], &["token=the-right-token-of-all"]);
    let mut socket = server.connect();
    let request = Request::modern(&list(1));
    let right = "Bearer the-right-token-of-all";
    for authorization in
        [None, Some("Bearer the-right-token-of-al"), Some("Basic the-right-token-of-all"), Some("Bearer")]
    {
        let request = match authorization {
            Some(value) => request.clone().with("Authorization", value),
            None => request.clone(),
        };
        let (head, answer) = socket.exchange(&request);
        assert_eq!((head.status, head.header("www-authenticate")), (401, Some("Bearer")), "{authorization:?}");
        assert!(!answer.to_string().contains("the-right"), "{answer}");
    }
    assert_eq!(socket.exchange(&request.clone().with("Authorization", right)).0.status, 200);
    // A token in the body does not count, and one in two headers neither.
    let mut message = list(1);
    message["params"]["_meta"] = json!({ "token": "the-right-token-of-all" });
    assert_eq!(socket.exchange(&Request::modern(&message)).0.status, 401);
    let twice = request.with("Authorization", right).with("Authorization", right);
    assert_eq!(socket.exchange(&twice).0.status, 401);
}

#[test]
fn progress_comes_before_the_answer() {
    let server = open();
    let mut socket = server.connect();
    let session = socket.begin_session();
    let mut message = call("p", "steps", json!({ "count": 5 }));
    message["params"]["_meta"] = json!({ "progressToken": "t" });
    for request in [Request::modern(&message), Request::legacy(&session, &message)] {
        let head = socket.request(&request);
        assert_eq!(head.header("content-type"), Some("text/event-stream"));
        assert_eq!(head.header("x-accel-buffering"), Some("no"));
        let (answer, before) = socket.answer_in(&head);
        assert_eq!(text(&answer), "5 steps");
        assert!(!before.is_empty());
        let mut last = -1.0;
        for message in before {
            assert_eq!(
                (&message["method"], &message["params"]["progressToken"]),
                (&json!("notifications/progress"), &json!("t"))
            );
            let progress = message["params"]["progress"].as_f64().unwrap();
            assert!(progress > last, "{message}");
            last = progress;
        }
        // Without streams there is the answer alone.
        let json_only = request.without("Accept").with("Accept", "application/json");
        let (_, answer) = socket.exchange(&json_only);
        assert_eq!(text(&answer), "5 steps");
        let stream_only = json_only.without("Accept").with("Accept", "text/event-stream");
        let head = socket.request(&stream_only);
        assert_eq!(text(&socket.answer_in(&head).0), "5 steps");
    }
}

#[test]
fn a_call_that_takes_long_begins_a_stream() {
    let server = open();
    let mut socket = server.connect();
    let session = socket.begin_session();
    let message = call(1, "sleep", json!({ "milliseconds": 600 }));
    for request in [Request::modern(&message), Request::legacy(&session, &message)] {
        let head = socket.request(&request);
        assert_eq!(head.header("content-type"), Some("text/event-stream"));
        assert_eq!(text(&socket.answer_in(&head).0), "rested");
        let json_only = request.without("Accept").with("Accept", "application/json");
        assert_eq!(text(&socket.exchange(&json_only).1), "rested");
    }
}

/// Waits until the tool `obedient`, called with this name, is in this state.
fn wait_for(socket: &mut Socket, name: &str, state: &str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let (_, answer) = socket.exchange(&Request::modern(&call(1, "state", json!({ "name": name }))));
        if text(&answer) == state {
            return;
        }
        assert!(Instant::now() < deadline, "{name} is never {state}");
    }
}

#[test]
fn a_client_that_goes_cancels_a_call_by_itself() {
    let server = open();
    let mut other = server.connect();
    for (name, waits) in [("before the stream", false), ("in the stream", true)] {
        let mut socket = server.connect();
        let message = call(1, "obedient", json!({ "name": name }));
        if waits {
            assert_eq!(socket.request(&Request::modern(&message)).status, 200);
        } else {
            socket.write(Request::modern(&message).bytes());
            wait_for(&mut other, name, "begun");
        }
        drop(socket);
        wait_for(&mut other, name, "ended");
    }
}

#[test]
fn a_client_that_goes_may_come_back_to_a_call_of_a_session() {
    let server = open();
    let mut first = server.connect();
    let session = first.begin_session();
    let mut message = call("long", "gate", json!({ "name": "g" }));
    message["params"]["_meta"] = json!({ "progressToken": 1 });
    assert_eq!(first.request(&Request::legacy(&session, &message)).status, 200);
    let primed = first.event().unwrap();
    assert_eq!(primed.data, "");
    let progress = first.event().unwrap();
    assert_eq!(progress.message()["method"], "notifications/progress");
    drop(first);
    let mut second = server.connect();
    let open_gate = call("o", "open", json!({ "name": "g" }));
    second.exchange(&Request::legacy(&session, &open_gate));
    for (from, with_progress) in [(progress.id.unwrap(), false), (primed.id.unwrap(), true)] {
        let resume = Request::new("GET").with("Accept", "text/event-stream").with("Mcp-Session-Id", &session);
        let head = second.request(&resume.with("Last-Event-ID", &from));
        assert_eq!(head.status, 200);
        let (answer, before) = second.answer_in(&head);
        assert_eq!((&answer["id"], text(&answer)), (&json!("long"), "through"));
        let has_first = before.iter().any(|message| message["params"]["message"] == "closed");
        assert_eq!(has_first, with_progress, "{before:?}");
    }
    let resume = Request::new("GET").with("Accept", "text/event-stream").with("Mcp-Session-Id", &session);
    assert_eq!(second.exchange(&resume.with("Last-Event-ID", "99-1")).0.status, 400);
}

#[test]
fn clients_of_earlier_revisions_get_no_empty_events() {
    let server = open();
    let mut socket = server.connect();
    let mut first = initialize(None);
    first["params"]["protocolVersion"] = json!("2025-06-18");
    let session = socket.begin_session_of(&first);
    let message = call(1, "sleep", json!({ "milliseconds": 400 }));
    let request = Request::legacy(&session, &message).without("MCP-Protocol-Version");
    assert_eq!(socket.request(&request).header("content-type"), Some("text/event-stream"));
    let event = socket.event().unwrap();
    assert!(event.id.is_some());
    assert_eq!(text(&event.message()), "rested");
    assert_eq!(socket.event(), None);
}

#[test]
fn a_cancelled_call_of_a_session_gets_no_answer() {
    let server = open();
    let mut socket = server.connect();
    let session = socket.begin_session();
    assert_eq!(socket.request(&Request::legacy(&session, &call("c", "obedient", json!({ "name": "c" })))).status, 200);
    let mut other = server.connect();
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "c" } });
    assert_eq!(other.exchange(&Request::legacy(&session, &cancel)).0.status, 202);
    assert_eq!(socket.event().unwrap().data, "");
    assert_eq!(socket.event(), None);
    wait_for(&mut other, "c", "ended");
}

#[test]
fn a_session_ends_when_its_client_says_so() {
    let server = open();
    let mut socket = server.connect();
    let session = socket.begin_session();
    let mut listening = server.connect();
    let get = Request::new("GET").with("Accept", "text/event-stream").with("Mcp-Session-Id", &session);
    assert_eq!(listening.request(&get).status, 200);
    let mut calling = server.connect();
    assert_eq!(calling.request(&Request::legacy(&session, &call(1, "obedient", json!({ "name": "s" })))).status, 200);
    assert_eq!(
        socket.exchange(&Request::legacy(&session, &json!({ "jsonrpc": "2.0", "id": 3, "result": {} }))).0.status,
        202
    );
    let delete = Request::new("DELETE").with("Mcp-Session-Id", &session);
    assert_eq!(socket.exchange(&delete).0.status, 204);
    assert_eq!(listening.event(), None);
    while calling.event().is_some() {}
    wait_for(&mut socket, "s", "ended");
    assert_eq!(socket.exchange(&delete).0.status, 404);
    assert_eq!(socket.exchange(&Request::legacy(&session, &list(1))).0.status, 404);
    assert_eq!(socket.exchange(&get).0.status, 404);
    let modern = get.with("MCP-Protocol-Version", "2026-07-28");
    assert_eq!(socket.exchange(&modern).0.status, 405);
}

#[test]
fn of_too_many_sessions_the_idle_one_goes() {
    let server = Listening::start(&["http"], &["sessions=2"]);
    let mut socket = server.connect();
    let [first, second] = [(); 2].map(|()| socket.begin_session());
    let mut listening = server.connect();
    let get = Request::new("GET").with("Accept", "text/event-stream").with("Mcp-Session-Id", &first);
    assert_eq!(listening.request(&get).status, 200);
    let third = socket.begin_session();
    for (session, status) in [(&first, 200), (&second, 404), (&third, 200)] {
        assert_eq!(socket.exchange(&Request::legacy(session, &list(1))).0.status, status);
    }
    let mut also = server.connect();
    assert_eq!(also.request(&get.without("Mcp-Session-Id").with("Mcp-Session-Id", &third)).status, 200);
    let (head, answer) = socket.exchange(&Request::post(initialize(None).to_string()));
    assert_eq!((head.status, head.header("mcp-session-id")), (503, None), "{answer}");
}

#[test]
fn newcomers_that_show_the_token_are_all_served_however_many_come_at_once() {
    let token = "0123456789abcdef";
    let server = Listening::start(&["http"], &["newcomers=2", "farewell=600000", &format!("token={token}")]);
    let mut sockets: Vec<Socket> = (0..24).map(|_| server.connect()).collect();
    for (number, socket) in sockets.iter_mut().enumerate() {
        let request = Request::modern(&call(number, "echo", json!({ "text": "here" })));
        let (head, answer) = socket.exchange(&request.with("Authorization", &format!("Bearer {token}")));
        assert_eq!((head.status, text(&answer)), (200, "here"), "{number}");
    }
    let server = Listening::start(&["http"], &["newcomers=2", "farewell=0", &format!("token={token}")]);
    let mut idle = [(); 3].map(|()| server.connect());
    assert_eq!(idle[0].rest(), "");
}

#[test]
fn one_client_too_many_is_told_when_to_come_again() {
    let server = Listening::start(&["http"], &["connections=1"]);
    let mut first = server.connect();
    assert_eq!(first.exchange(&Request::modern(&list(1))).0.status, 200);
    for _ in 0..20 {
        let mut second = server.connect();
        // What it has sent is taken, so that the answer is not lost.
        second.write(Request::modern(&call(1, "echo", json!({ "text": "x".repeat(20_000) }))).bytes());
        let head = second.head();
        assert_eq!((head.status, head.header("retry-after")), (503, Some("2")));
        assert!(second.rest().contains("takes no more"));
    }
}

#[test]
fn a_slow_request_is_given_up() {
    let server = Listening::start(&["http"], &["head=300", "body=300"]);
    let mut socket = server.connect();
    let bytes = Request::modern(&list(1)).bytes();
    socket.write(&bytes[..bytes.len() - 1]);
    assert_eq!(socket.head().status, 408);
    let mut socket = server.connect();
    socket.write(b"POST /mcp HTTP/1.1\r\nHost: loc");
    let rest = socket.rest();
    assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 408"), "{rest}");
}

#[test]
fn large_heads_are_refused() {
    let server = open();
    for (name, value, count) in
        [("X-Long".to_owned(), "x".repeat(20_000), 1), ("X-Many".to_owned(), "x".to_owned(), 80)]
    {
        let mut request = Request::modern(&list(1));
        for number in 0..count {
            request = request.with(&format!("{name}-{number}"), &value);
        }
        let mut socket = server.connect();
        assert_eq!(socket.request(&request).status, 431, "{name}");
    }
}

#[test]
fn a_client_that_does_not_read_holds_nobody_up_and_is_given_up() {
    let server = Listening::start(&["http"], &["patience=500", "connections=2"]);
    let mut deaf = server.connect();
    // More than the sockets take: the answer alone is longer.
    deaf.write(Request::modern(&call("deaf", "long", json!({ "bytes": 40_000_000 }))).bytes());
    let mut other = server.connect();
    for number in 0..50 {
        let (_, answer) = other.exchange(&Request::modern(&call(number, "echo", json!({ "text": "quick" }))));
        assert_eq!(text(&answer), "quick");
    }
    let deadline = Instant::now() + PATIENCE;
    // There is a place only when one of the two has gone.
    while server.connect().request(&Request::modern(&list(1))).status == 503 {
        assert!(Instant::now() < deadline, "the deaf client keeps its place");
    }
    assert_eq!(other.exchange(&Request::modern(&list(1))).0.status, 200);
}

#[test]
fn the_end_of_the_server_answers_running_calls() {
    let mut server = open();
    let mut idle = server.connect();
    let session = idle.begin_session();
    let mut listening = server.connect();
    let get = Request::new("GET").with("Accept", "text/event-stream").with("Mcp-Session-Id", &session);
    assert_eq!(listening.request(&get).status, 200);
    let rests = call(1, "sleep", json!({ "milliseconds": 800 }));
    let never = call(2, "deaf", json!({}));
    let begin = |request: Request| {
        let mut socket = server.connect();
        let head = socket.request(&request);
        (socket, head)
    };
    let mut rested = [Request::modern(&rests), Request::legacy(&session, &rests)].map(begin);
    let mut unanswered = [Request::modern(&never), Request::legacy(&session, &never)].map(begin);
    server.stop();
    for (socket, head) in &mut rested {
        assert_eq!(text(&socket.answer_in(head).0), "rested");
    }
    for (socket, head) in &mut unanswered {
        let (answer, _) = socket.answer_in(head);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(2), &json!(-32603)), "{answer}");
    }
    assert_eq!(idle.rest(), "");
    assert_eq!(listening.event(), None);
    assert!(server.finish().success());
}
