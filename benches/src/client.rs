//! A client that talks to the server as any other does: one JSON object per line.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A running server.
pub(crate) struct Client {
    child: Child,
    to: ChildStdin,
    from: Box<dyn BufRead + Send>,
    next_id: u64,
}

impl Client {
    /// Starts the server on `root` and waits for its first answer; returns the time as well.
    pub(crate) fn start(binary: &Path, root: &Path) -> (Self, Duration) {
        Self::start_in(binary, root, &std::env::temp_dir(), &[])
    }

    /// Like [`Client::start`], with another directory for temporary files and more options.
    pub(crate) fn start_in(binary: &Path, root: &Path, temporary: &Path, options: &[&str]) -> (Self, Duration) {
        let begin = Instant::now();
        let mut child = Command::new(binary)
            .args(["mcp", "--root"])
            .arg(root)
            .args(options)
            .env("TMPDIR", temporary)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the release binary starts");
        let to = child.stdin.take().expect("it is piped");
        let from = Box::new(BufReader::new(child.stdout.take().expect("it is piped")));
        let mut client = Self { child, to, from, next_id: 1 };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}});
        client.request("initialize", &hello);
        let took = begin.elapsed();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        (client, took)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a request without waiting for its answer; returns its number.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// From now on, all answers with the time of their arrival. No other call may wait for one.
    pub(crate) fn listen(&mut self) -> Receiver<(Instant, Value)> {
        let lines = std::mem::replace(&mut self.from, Box::new(std::io::empty()));
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                let came = Instant::now();
                let message = serde_json::from_str(&line).expect("answers are JSON");
                if sender.send((came, message)).is_err() {
                    return;
                }
            }
        });
        receiver
    }

    fn send(&mut self, message: &Value) {
        // In one piece, as clients do: formatting piece by piece would be a system call for each.
        let line = format!("{message}\n");
        self.to.write_all(line.as_bytes()).expect("the server reads");
    }

    /// Sends a request and waits for its answer's `result`.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        let mut line = String::new();
        loop {
            line.clear();
            assert!(self.from.read_line(&mut line).expect("the server answers") > 0, "the server ended");
            let mut answer: Value = serde_json::from_str(&line).expect("answers are JSON");
            if answer["id"] == json!(id) {
                return answer["result"].take();
            }
        }
    }

    /// Calls a tool; the answer must not be an error.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        assert_ne!(result["isError"], json!(true), "{tool}: {result}");
        result
    }

    /// The times of `count` calls, in seconds.
    pub(crate) fn time_calls(&mut self, count: usize, tool: &str, arguments: impl Fn(usize) -> Value) -> Vec<f64> {
        (0..count)
            .map(|index| {
                let arguments = arguments(index);
                let begin = Instant::now();
                self.call(tool, &arguments);
                begin.elapsed().as_secs_f64()
            })
            .collect()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The server ends with its input; the kill is for one that hangs.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
