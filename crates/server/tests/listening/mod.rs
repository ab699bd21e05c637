//! A toy server that listens at ports, and clients of its sockets.

#![allow(clippy::unwrap_used)]
#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod http;
pub(crate) mod socket;

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};

use socket::Socket;

/// A server process.
pub(crate) struct Listening {
    process: Child,
    input: Option<ChildStdin>,
    /// The ports, in the order of the transports among its arguments.
    pub(crate) ports: Vec<u16>,
}

impl Listening {
    /// Starts a server with these arguments, of which `transports` name a transport each.
    pub(crate) fn start(transports: &[&str], arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_lispwright-toy-server"))
            .args(transports)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let ports = transports.iter().map(|_| lines.next().unwrap().unwrap().parse().unwrap()).collect();
        Self { process, input, ports }
    }

    /// A connection to the first port.
    pub(crate) fn connect(&self) -> Socket {
        Socket::connect(self.ports[0])
    }

    /// Asks the server to end, without waiting.
    pub(crate) fn stop(&mut self) {
        drop(self.input.take());
    }

    /// Asks the server to end, and waits for it.
    pub(crate) fn finish(mut self) -> ExitStatus {
        self.stop();
        self.process.wait().unwrap()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // A failed test leaves no process.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
