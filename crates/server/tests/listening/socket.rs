//! A client's end of a connection of the network, line by line or byte by byte.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

/// The time limit for any answer: far more than needed, so that a busy machine fails no test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A client's end of a connection.
pub(crate) struct Socket {
    pub(crate) stream: BufReader<TcpStream>,
}

impl Socket {
    pub(crate) fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self { stream: BufReader::new(stream) }
    }

    /// Sends bytes as they are.
    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    /// Sends a message as a line.
    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n"));
    }

    /// The next line; `None` at the end.
    pub(crate) fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.stream.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:.200}"))),
            // Unread input at the other side makes its end a reset.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("{error}"),
        }
    }

    /// Sends a request and waits for its answer, past all that is no answer.
    pub(crate) fn ask(&mut self, request: &Value) -> Value {
        self.send(request);
        self.answer(&request["id"])
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer(&mut self, id: &Value) -> Value {
        loop {
            let message = self.line().expect("the connection is open");
            if message["id"] == *id {
                return message;
            }
        }
    }

    /// Opens a session of a handshake revision, and shows a token if there is one.
    pub(crate) fn initialize(&mut self, token: Option<&str>) -> Value {
        self.ask(&initialize(token))
    }

    /// Everything until the end of the stream.
    pub(crate) fn rest(&mut self) -> String {
        let mut rest = Vec::new();
        match self.stream.read_to_end(&mut rest) {
            Err(error) if error.kind() != std::io::ErrorKind::ConnectionReset => panic!("{error}"),
            _ => String::from_utf8(rest).unwrap(),
        }
    }
}

/// The first request of a session of a handshake revision.
pub(crate) fn initialize(token: Option<&str>) -> Value {
    let mut request = json!({
        "jsonrpc": "2.0", "id": "initialize", "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }
    });
    if let Some(token) = token {
        request["params"]["_meta"] = json!({ "token": token });
    }
    request
}

/// A `tools/call` request.
pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": { "name": tool, "arguments": arguments }
    })
}

/// The text of a result.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"))
}
