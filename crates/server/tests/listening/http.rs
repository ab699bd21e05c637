//! A client of HTTP that hides nothing: what it sends and receives are bytes, with chunks and events taken apart.

use std::io::{BufRead as _, Read as _};

use serde_json::{Value, json};

use super::socket::{Socket, initialize};

/// The head of a response.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// An event of a stream.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) data: String,
}

impl Event {
    pub(crate) fn message(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A request in preparation.
#[derive(Clone)]
pub(crate) struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(method: &'static str) -> Self {
        let headers = vec![("Host".to_owned(), "127.0.0.1".to_owned())];
        Self { method, path: "/mcp".to_owned(), headers, body: Vec::new() }
    }

    /// A POST with bytes as its body, and the usual headers.
    pub(crate) fn post(body: impl Into<Vec<u8>>) -> Self {
        let request = Self { body: body.into(), ..Self::new("POST") };
        request.with("Content-Type", "application/json").with("Accept", "application/json, text/event-stream")
    }

    /// A message of revision 2026-07-28, with the headers that mirror it.
    pub(crate) fn modern(message: &Value) -> Self {
        let mut message = message.clone();
        let meta = message["params"]["_meta"].take();
        message["params"]["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" }
        });
        for (key, value) in meta.as_object().into_iter().flatten() {
            message["params"]["_meta"][key] = value.clone();
        }
        let request = Self::post(message.to_string()).with("MCP-Protocol-Version", "2026-07-28");
        let request = request.with("Mcp-Method", message["method"].as_str().unwrap());
        match message["params"]["name"].as_str() {
            Some(name) => request.with("Mcp-Name", name),
            None => request,
        }
    }

    /// A message in a session.
    pub(crate) fn legacy(session: &str, message: &Value) -> Self {
        let request = Self::post(message.to_string()).with("Mcp-Session-Id", session);
        request.with("MCP-Protocol-Version", "2025-11-25")
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    pub(crate) fn at(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        if self.method == "POST" {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        [head.as_bytes(), b"\r\n", &self.body].concat()
    }
}

impl Socket {
    /// Sends a request and reads the head of its response.
    pub(crate) fn request(&mut self, request: &Request) -> Head {
        self.write(request.bytes());
        self.head()
    }

    /// Sends a request and reads its response. The server chooses whether that is a document or a stream.
    pub(crate) fn exchange(&mut self, request: &Request) -> (Head, Value) {
        let head = self.request(request);
        if head.header("content-type") == Some("text/event-stream") {
            let (answer, _) = self.answer_in(&head);
            return (head, answer);
        }
        let body = self.body(&head);
        let document = if body.is_empty() { Value::Null } else { serde_json::from_str(&body).unwrap() };
        (head, document)
    }

    pub(crate) fn head(&mut self) -> Head {
        let first = self.text_line();
        let status = first.split(' ').nth(1).unwrap_or_else(|| panic!("no response: {first:?}")).parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.text_line();
            match line.split_once(": ") {
                Some((name, value)) => headers.push((name.to_owned(), value.to_owned())),
                None => break,
            }
        }
        Head { status, headers }
    }

    fn text_line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The body of a response, to its end.
    pub(crate) fn body(&mut self, head: &Head) -> String {
        if head.header("transfer-encoding").is_some() {
            return std::iter::from_fn(|| self.chunk()).collect();
        }
        let length = head.header("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        String::from_utf8(body).unwrap()
    }

    /// The next chunk; `None` after the last one.
    fn chunk(&mut self) -> Option<String> {
        let length = usize::from_str_radix(&self.text_line(), 16).unwrap();
        let mut chunk = vec![0; length];
        self.stream.read_exact(&mut chunk).unwrap();
        self.text_line();
        (length > 0).then(|| String::from_utf8(chunk).unwrap())
    }

    /// The next event of a stream, past comments; `None` after the last one. Each event is a chunk of its own.
    pub(crate) fn event(&mut self) -> Option<Event> {
        loop {
            let chunk = self.chunk()?;
            let mut event = Event::default();
            for line in chunk.lines() {
                match line.split_once(':') {
                    Some(("id", id)) => event.id = Some(id.trim().to_owned()),
                    Some(("data", data)) => event.data += data.strip_prefix(' ').unwrap_or(data),
                    _ => {}
                }
            }
            if event != Event::default() {
                return Some(event);
            }
        }
    }

    /// The answer in a response, which is a document or a stream; and the messages before it.
    pub(crate) fn answer_in(&mut self, head: &Head) -> (Value, Vec<Value>) {
        if head.header("content-type") == Some("application/json") {
            return (serde_json::from_str(&self.body(head)).unwrap(), Vec::new());
        }
        let mut messages: Vec<Value> = std::iter::from_fn(|| self.event())
            .filter(|event| !event.data.is_empty())
            .map(|event| event.message())
            .collect();
        (messages.pop().unwrap_or_default(), messages)
    }

    /// Begins a session; returns its id.
    pub(crate) fn begin_session(&mut self) -> String {
        self.begin_session_of(&initialize(None))
    }

    /// Begins a session with this request; returns its id.
    pub(crate) fn begin_session_of(&mut self, initialize: &Value) -> String {
        let (head, answer) = self.exchange(&Request::post(initialize.to_string()));
        assert_eq!((head.status, answer["id"].as_str()), (200, Some("initialize")), "{answer}");
        let session = head.header("mcp-session-id").unwrap().to_owned();
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let (head, _) = self.exchange(&Request::legacy(&session, &ready));
        assert_eq!(head.status, 202);
        session
    }
}
