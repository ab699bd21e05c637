//! Connections of TCP: many at once, with a token, and with clients that do not behave.

#![allow(clippy::unwrap_used)]

mod listening;

use std::io::BufRead as _;
use std::time::Instant;

use listening::Listening;
use listening::socket::{PATIENCE, Socket, call, initialize, text};
use serde_json::json;

const TOKEN: &str = "a-token-of-the-tests";

fn guarded(arguments: &[&str]) -> Listening {
    let token = format!("token={TOKEN}");
    Listening::start(&["tcp"], &[&[token.as_str()], arguments].concat())
}

#[test]
fn many_clients_have_ids_of_their_own() {
    let server = guarded(&[]);
    std::thread::scope(|scope| {
        for client in 0..24 {
            let mut socket = server.connect();
            scope.spawn(move || {
                assert_eq!(socket.initialize(Some(TOKEN))["result"]["protocolVersion"], "2025-11-25");
                for number in 0..40 {
                    let said = format!("{client}.{number}");
                    let answer = socket.ask(&call(number, "echo", json!({ "text": said })));
                    assert_eq!(text(&answer), said);
                }
            });
        }
    });
    assert!(server.finish().success());
}

#[test]
fn both_eras_are_spoken_on_one_connection() {
    let server = guarded(&[]);
    let mut socket = server.connect();
    let mut modern = call("m", "echo", json!({ "text": "modern" }));
    modern["params"]["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
        "token": TOKEN
    });
    assert_eq!(text(&socket.ask(&modern)), "modern");
    socket.initialize(None);
    assert_eq!(text(&socket.ask(&call("l", "echo", json!({ "text": "legacy" })))), "legacy");
}

#[test]
fn nobody_is_served_without_the_token() {
    let server = guarded(&[]);
    for token in [None, Some(""), Some("a-token-of-the-test"), Some("a-token-of-the-tests2")] {
        let mut socket = server.connect();
        let answer = socket.initialize(token);
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("bridge --token-file") && !message.contains("a-token"), "{message}");
        assert_eq!(socket.line(), None, "{token:?}");
    }
    // What asks nothing is not answered, and does not let anybody in.
    let mut socket = server.connect();
    socket.write("\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    assert!(socket.initialize(None)["error"].is_object());
    let mut socket = server.connect();
    socket.write("\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    assert!(socket.initialize(Some(TOKEN))["result"].is_object());
}

#[test]
fn a_browser_that_was_made_to_send_lines_is_not_served() {
    for server in [guarded(&[]), Listening::start(&["tcp"], &[])] {
        let mut socket = server.connect();
        let body = format!("{}\n{}\n", initialize(Some(TOKEN)), call(1, "echo", json!({ "text": "in" })));
        socket.write(format!("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
        let rest = socket.rest();
        assert!(rest.contains("-32700") && rest.lines().count() == 1, "{rest}");
    }
}

#[test]
fn a_client_that_does_not_introduce_itself_is_told_and_let_go() {
    let server = guarded(&["introduction=500"]);
    // A busy machine may need several attempts.
    let mut socket = enter(&server);
    let rest = server.connect().rest();
    assert!(rest.contains("did not come in time"), "{rest}");
    // Its own time is over, too.
    assert_eq!(text(&socket.ask(&call(1, "echo", json!({ "text": "still here" })))), "still here");
}

#[test]
fn the_oldest_newcomer_makes_room_and_those_inside_stay() {
    let server = guarded(&["newcomers=2", "farewell=200"]);
    let mut inside = server.connect();
    inside.initialize(Some(TOKEN));
    let mut idle = [server.connect(), server.connect()];
    let mut last = server.connect();
    let rest = idle[0].rest();
    assert!(rest.contains("too many connections have shown no token"), "{rest}");
    last.initialize(Some(TOKEN));
    idle[1].initialize(Some(TOKEN));
    assert_eq!(text(&inside.ask(&call(1, "echo", json!({ "text": "x" })))), "x");
}

#[test]
fn one_client_too_many_is_told_so() {
    let server = guarded(&["connections=2"]);
    let mut first = server.connect();
    first.initialize(Some(TOKEN));
    let mut second = server.connect();
    second.initialize(Some(TOKEN));
    let rest = server.connect().rest();
    assert!(rest.contains("takes no more"), "{rest}");
    drop(first);
    enter(&server);
}

/// Connects when there is a place.
fn enter(server: &Listening) -> Socket {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut socket = server.connect();
        socket.send(&initialize(Some(TOKEN)));
        match socket.line() {
            Some(answer) if answer["result"].is_object() => return socket,
            other => assert!(Instant::now() < deadline, "{other:?}"),
        }
    }
}

#[test]
fn a_client_that_does_not_read_holds_nobody_up_and_is_given_up() {
    let server = guarded(&["patience=500", "connections=2"]);
    let mut deaf = server.connect();
    deaf.initialize(Some(TOKEN));
    for number in 0..40 {
        deaf.send(&call(number, "long", json!({ "bytes": 1_000_000 })));
    }
    let mut other = server.connect();
    other.initialize(Some(TOKEN));
    for number in 0..50 {
        assert_eq!(text(&other.ask(&call(number, "echo", json!({ "text": "quick" })))), "quick");
    }
    // There is a place only when one of the two has gone.
    enter(&server);
    other.ask(&call("last", "echo", json!({ "text": "still here" })));
    let mut answers = 0;
    let mut line = String::new();
    while deaf.stream.read_line(&mut line).is_ok_and(|count| count > 0) && line.ends_with('\n') {
        answers += 1;
        line.clear();
    }
    assert!(answers < 40, "all answers came");
}

#[test]
fn the_end_of_the_server_answers_running_calls() {
    let mut server = guarded(&[]);
    let mut socket = server.connect();
    socket.initialize(Some(TOKEN));
    let mut idle = server.connect();
    idle.initialize(Some(TOKEN));
    let mut newcomer = Socket::connect(server.ports[0]);
    socket.send(&call(1, "sleep", json!({ "milliseconds": 300 })));
    socket.send(&call(2, "obedient", json!({})));
    socket.send(&call(3, "deaf", json!({})));
    assert_eq!(text(&socket.ask(&call(4, "echo", json!({ "text": "begun" })))), "begun");
    server.stop();
    assert_eq!(text(&socket.answer(&json!(1))), "rested");
    assert_eq!(socket.answer(&json!(2))["result"]["isError"], true);
    assert_eq!(socket.answer(&json!(3))["error"]["code"], -32603);
    assert_eq!(socket.line(), None);
    assert_eq!(idle.line(), None);
    newcomer.rest();
    assert!(server.finish().success());
}
