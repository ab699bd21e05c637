//! A client of the Model Context Protocol over a child's standard input and output: one JSON object a line.
//!
//! It uses revision 2026-07-28, in which every request carries the protocol version and the client's capabilities and
//! nothing is negotiated beforehand.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::step::{About, Failure};

const PROTOCOL: &str = "2026-07-28";

/// The longest that one answer may take, longer than any call here needs.
const PATIENCE: Duration = Duration::from_secs(180);

/// A running server and the connection to it.
pub(crate) struct Client {
    server: Child,
    /// Taken when the conversation ends.
    requests: Option<ChildStdin>,
    answers: Receiver<String>,
    last_id: u64,
}

/// The answer of a tool.
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) is_error: bool,
    pub(crate) took: Duration,
}

impl Client {
    /// Starts `program` as a server; its log goes into the file `log`.
    pub(crate) fn start(program: &mut Command, log: &Path) -> Result<Self, Failure> {
        let mut server = program
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(log).about(log)?)
            .spawn()
            .map_err(|error| Failure::new(format!("the server could not be started: {error}")))?;
        let requests = server.stdin.take();
        let output = BufReader::new(server.stdout.take().expect("standard output is piped"));
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { server, requests, answers, last_id: 0 })
    }

    /// The result of a request; a protocol error or silence is a failure.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> Result<Value, Failure> {
        self.last_id += 1;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": PROTOCOL,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "xtask", "version": env!("CARGO_PKG_VERSION")},
        });
        let request = json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params});
        let lost = |what: &str| Failure::new(format!("{method}: {what}"));
        let line = self.requests.as_mut().expect("the conversation has not ended");
        writeln!(line, "{request}").and_then(|()| line.flush()).map_err(|error| lost(&error.to_string()))?;

        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.answers.recv_timeout(left).map_err(|_| lost("the server gave no answer"))?;
            let mut answer: Value =
                serde_json::from_str(&line).map_err(|error| lost(&format!("not JSON: {error}: {line}")))?;
            if answer["id"] != self.last_id {
                continue;
            }
            return match answer.get_mut("result") {
                Some(result) => Ok(result.take()),
                None => Err(lost(&answer["error"].to_string())),
            };
        }
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Answer, Failure> {
        let started = Instant::now();
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}))?;
        let texts = result["content"].as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
        Ok(Answer {
            text: texts.collect::<Vec<_>>().join("\n"),
            is_error: result["isError"].as_bool().unwrap_or(false),
            took: started.elapsed(),
        })
    }

    /// Ends the conversation by closing the server's standard input, which ends the server.
    pub(crate) fn hang_up(mut self) -> Result<(), Failure> {
        drop(self.requests.take());
        let deadline = Instant::now() + Duration::from_secs(10);
        // The reading thread ends, and with it the channel, when the server closes its output.
        while self.answers.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok() {}
        match self.server.try_wait() {
            Ok(Some(status)) if status.success() => Ok(()),
            Ok(Some(status)) => Err(Failure::new(format!("the server ended with {status}"))),
            Ok(None) => self.server.wait().map_err(|error| Failure::new(error.to_string())).and_then(|status| {
                if status.success() { Ok(()) } else { Err(Failure::new(format!("the server ended with {status}"))) }
            }),
            Err(error) => Err(Failure::new(error.to_string())),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Ends a server that a failed check leaves running.
        if matches!(self.server.try_wait(), Ok(None)) {
            let _ = self.server.kill();
            let _ = self.server.wait();
        }
    }
}
