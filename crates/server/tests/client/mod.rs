//! A client that knows nothing of MCP: it writes lines to a server process and reads lines back, with deadlines.

#![allow(clippy::unwrap_used)]
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::pipe::PipeFlags;
use serde_json::{Value, json};

/// The time limit for any answer: far more than needed, so that a busy machine fails no test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A server process and its output so far.
pub(crate) struct Client {
    process: Child,
    input: Option<File>,
    output: Receiver<Value>,
    /// All received messages, in order.
    pub(crate) seen: Vec<Value>,
}

impl Client {
    /// Starts a server; no message has been sent.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let (input, ours) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).unwrap();
        Self::start_with(arguments, input, ours)
    }

    /// Starts a server whose input is a non-blocking pipe.
    pub(crate) fn start_non_blocking() -> Self {
        let (input, ours) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).unwrap();
        rustix::fs::fcntl_setfl(&input, rustix::fs::OFlags::NONBLOCK).unwrap();
        Self::start_with(&[], input, ours)
    }

    fn start_with(arguments: &[&str], input: OwnedFd, ours: OwnedFd) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_lispwright-toy-server"))
            .args(arguments)
            .stdin(input)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let (sender, output) = channel();
        std::thread::spawn(move || {
            for line in stdout.split(b'\n') {
                let line = line.unwrap();
                // A line that is not one JSON object fails the test that waits for it.
                let message = serde_json::from_slice(&line)
                    .unwrap_or_else(|_| json!({ "not json": String::from_utf8_lossy(&line) }));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { input: Some(ours.into()), process, output, seen: Vec::new() }
    }

    /// Starts a server and opens a legacy session.
    pub(crate) fn legacy() -> Self {
        let mut client = Self::start(&[]);
        client.initialize("2025-06-18");
        client
    }

    /// Opens a legacy session and returns the result.
    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        let answer = self.ask(json!({
            "jsonrpc": "2.0", "id": "initialize", "method": "initialize",
            "params": { "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }
        }));
        self.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer["result"].clone()
    }

    /// Sends bytes as they are, and a newline.
    pub(crate) fn line(&mut self, line: impl AsRef<[u8]>) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_ref()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// Sends a message without the newline that ends it.
    pub(crate) fn send_unfinished(&mut self, message: Value) {
        self.input.as_mut().unwrap().write_all(message.to_string().as_bytes()).unwrap();
    }

    /// Sends a message.
    pub(crate) fn send(&mut self, message: Value) {
        self.line(message.to_string());
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, request: Value) -> Value {
        let id = request["id"].clone();
        self.send(request);
        self.answer(id)
    }

    /// Calls a tool without waiting.
    pub(crate) fn begin(&mut self, id: impl Into<Value>, tool: &str, arguments: Value) {
        self.send(call(id, tool, arguments));
    }

    /// Calls a tool and waits for the result.
    pub(crate) fn call(&mut self, id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
        self.ask(call(id, tool, arguments))["result"].clone()
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        self.wait_for(&format!("an answer to {id}"), |message| message["id"] == id)
    }

    /// Waits for the next message that satisfies a condition, including received ones that no call has returned yet.
    pub(crate) fn wait_for(&mut self, what: &str, condition: impl Fn(&Value) -> bool) -> Value {
        if let Some(found) = self.seen.iter().find(|message| condition(message)) {
            return found.clone();
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(message) => {
                    self.seen.push(message.clone());
                    if condition(&message) {
                        return message;
                    }
                }
                Err(error) => panic!("{what}: {error}; received {:#?}", self.seen),
            }
        }
    }

    /// The number of received messages with this id.
    pub(crate) fn answers_to(&self, id: &Value) -> usize {
        self.seen.iter().filter(|message| message["id"] == *id).count()
    }

    /// Sends a harmless request and waits, so that all earlier messages of the server have been received.
    pub(crate) fn settle(&mut self) {
        let id = format!("settle {}", self.seen.len());
        let answer = self.ask(call(id, "echo", json!({ "text": "here" })));
        assert_eq!(answer["result"]["content"][0]["text"], "here");
    }

    /// Ends the input and collects messages until the process has ended.
    pub(crate) fn finish(mut self) -> (ExitStatus, Vec<Value>) {
        drop(self.input.take());
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(message) => self.seen.push(message),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the server goes on after its input has ended"),
            }
        }
        (self.process.wait().unwrap(), std::mem::take(&mut self.seen))
    }

    /// Closes the server's output and waits for the process to end.
    pub(crate) fn hang_up_output(mut self, provoke: Value) -> ExitStatus {
        // The reader thread owns the pipe; it ends when a line comes that nobody receives.
        drop(std::mem::replace(&mut self.output, channel().1));
        let deadline = Instant::now() + PATIENCE;
        loop {
            let line = format!("{provoke}\n");
            let _ = self.input.as_mut().unwrap().write_all(line.as_bytes());
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the server goes on although nobody reads its answers");
            std::thread::yield_now();
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A failed test leaves no process.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A `tools/call` request.
pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": { "name": tool, "arguments": arguments }
    })
}

/// A request of revision 2026-07-28.
pub(crate) fn modern(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" }
    });
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
}
