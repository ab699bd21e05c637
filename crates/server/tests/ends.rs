//! Any kind of standard input and output: sockets as Node's clients pass them, pipes, files.

#![allow(clippy::unwrap_used)]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl};
use rustix::pipe::{PipeFlags, pipe_with};
use serde_json::{Value, json};

/// Far more time than needed, so that a busy machine fails no test.
const PATIENCE: Duration = Duration::from_secs(60);

/// More than any pipe or socket takes at once.
const LONG: usize = 3_000_000;

/// The beginning of every conversation here.
fn opening() -> String {
    let initialize = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }
    });
    format!("{initialize}\n{}\n", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
}

fn call(id: u32, tool: &str, arguments: &Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments });
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
}

fn serve(input: impl Into<Stdio>, output: impl Into<Stdio>) -> Child {
    Command::new(env!("CARGO_BIN_EXE_lispwright-toy-server")).stdin(input).stdout(output).spawn().unwrap()
}

fn message(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:.200}"))
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"))
}

/// The conversation of these tests: a long message there and back, then the end.
fn talk(mut input: impl Write + Send + 'static, output: impl Read, close: impl FnOnce() + Send + 'static) {
    let long = "λ(".repeat(LONG / 3);
    let sent = long.clone();
    // Written while the answers are read, as by every client: neither side accepts all of it at once.
    let writing = std::thread::spawn(move || {
        let echo = call(1, "echo", &json!({ "text": sent }));
        input.write_all((opening() + &echo + &call(2, "long", &json!({ "bytes": LONG }))).as_bytes()).unwrap();
        drop(input);
        close();
    });
    let mut answers: Vec<Value> = BufReader::new(output).lines().map(|line| message(&line.unwrap())).collect();
    writing.join().unwrap();
    answers.sort_by_key(|answer| answer["id"].as_i64());
    assert_eq!(answers.len(), 3, "one answer to each request");
    assert_eq!(text(&answers[1]), long);
    assert_eq!(text(&answers[2]).len(), LONG);
}

#[test]
fn one_socket_carries_both_directions_and_keeps_its_flags() {
    let (theirs, ours) = UnixStream::pair().unwrap();
    let watched = theirs.try_clone().unwrap();
    let before = fcntl_getfl(&watched).unwrap();
    let mut server = serve(OwnedFd::from(theirs.try_clone().unwrap()), OwnedFd::from(theirs));
    ours.set_read_timeout(Some(PATIENCE)).unwrap();
    let closing = ours.try_clone().unwrap();
    let (input, mut output) = (ours.try_clone().unwrap(), BufReader::new(ours.try_clone().unwrap()));
    (&input).write_all(opening().as_bytes()).unwrap();
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(message(&line)["id"], 0);
    assert_eq!(fcntl_getfl(&watched).unwrap(), before, "others may hold the same socket");
    drop(watched);
    let writing = std::thread::spawn(move || {
        (&input).write_all(call(1, "long", &json!({ "bytes": LONG })).as_bytes()).unwrap();
        closing.shutdown(Shutdown::Write).unwrap();
    });
    line.clear();
    output.read_line(&mut line).unwrap();
    writing.join().unwrap();
    assert_eq!(text(&message(&line)).len(), LONG);
    assert!(server.wait().unwrap().success());
}

#[test]
fn two_sockets_carry_one_direction_each() {
    let (their_input, our_output) = UnixStream::pair().unwrap();
    let (their_output, our_input) = UnixStream::pair().unwrap();
    let mut server = serve(OwnedFd::from(their_input), OwnedFd::from(their_output));
    our_input.set_read_timeout(Some(PATIENCE)).unwrap();
    talk(our_output, our_input, || {});
    assert!(server.wait().unwrap().success());
}

#[test]
fn pipes_keep_their_flags_and_take_more_than_they_hold() {
    let (input, to_input) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    let (from_output, output) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    let watched = [input.try_clone().unwrap(), output.try_clone().unwrap()];
    let mut server = serve(input, output);
    // Held until the end of input: an output that is still open elsewhere would never end.
    let close = move || assert!(watched.iter().all(|end| !fcntl_getfl(end).unwrap().contains(OFlags::NONBLOCK)));
    talk(File::from(to_input), File::from(from_output), close);
    assert!(server.wait().unwrap().success());
}

#[test]
fn files_are_served_to_their_end() {
    let directory = tempfile::tempdir().unwrap();
    let (questions, answers) = (directory.path().join("in"), directory.path().join("out"));
    fs::write(&questions, opening() + &call(1, "echo", &json!({ "text": "from a file" }))).unwrap();
    let mut server = serve(File::open(&questions).unwrap(), File::create(&answers).unwrap());
    assert!(server.wait().unwrap().success());
    let written = fs::read_to_string(&answers).unwrap();
    assert_eq!(text(&message(written.lines().last().unwrap())), "from a file");
}
