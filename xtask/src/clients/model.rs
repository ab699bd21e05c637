//! A stand-in for a model's API on the loopback interface: it plays a fixed list of calls and records its input.
//!
//! It is stateless where it can be: the next call follows from the number of results in a request, so that a client
//! that repeats a request gets the same answer again. Requests without tools are a client's own (titles, summaries) and
//! get a short text.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::speech::{Call, Speech};
use crate::step::Failure;

/// Longest request body that is read, in bytes.
const MAX_BODY: usize = 64 << 20;

/// A running stand-in.
pub(super) struct Model {
    port: u16,
    heard: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    /// Listens on a port of the system's choice and answers for as long as this program runs.
    pub(super) fn start(speech: Speech, calls: Vec<Call>) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::new(format!("no loopback server: {error}"));
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (calls, kept) = (Arc::new(calls), Arc::clone(&heard));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (calls, heard) = (Arc::clone(&calls), Arc::clone(&kept));
                std::thread::spawn(move || {
                    // A client that disconnects in the middle shows in its results.
                    let _ = serve(&stream, speech, &calls, &heard);
                });
            }
        });
        Ok(Self { port, heard })
    }

    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The bodies of the requests that offered tools, in their order.
    pub(super) fn heard(&self) -> Vec<Value> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(stream: &TcpStream, speech: Speech, calls: &[Call], heard: &Mutex<Vec<Value>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let Some((method, path, body)) = request(&mut reader)? else { return Ok(()) };
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let mut kind = "application/json";
    let mut status = "200 OK";
    let answer = if method == "POST" && speech.is_conversation(&path) {
        let streamed = speech.is_streamed(&path, &body);
        if streamed {
            kind = "text/event-stream";
        }
        if speech.has_tools(&body) {
            let told = speech.results(&body);
            heard.lock().unwrap_or_else(PoisonError::into_inner).push(body.clone());
            match calls.get(told) {
                Some(call) => speech.call(told, call, &body, streamed),
                None => speech.text("Done.", streamed),
            }
        } else {
            speech.text("ok", streamed)
        }
    } else if method == "POST" && path.contains("count") {
        // Both names that clients use for the length of a prompt.
        "{\"input_tokens\": 1, \"totalTokens\": 1}".to_owned()
    } else {
        status = "404 Not Found";
        "{\"error\": {\"message\": \"not here\"}}".to_owned()
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{answer}",
        answer.len()
    )?;
    stream.flush()
}

/// Method, path and body of a request (RFC 9112).
fn request(reader: &mut BufReader<&TcpStream>) -> std::io::Result<Option<(String, String, Vec<u8>)>> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
    let (method, path) = (method.to_owned(), path.to_owned());
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        let Some((name, value)) = header.split_once(':') else { continue };
        match (name.to_ascii_lowercase().as_str(), value.trim()) {
            ("content-length", value) => length = value.parse().unwrap_or(0),
            ("transfer-encoding", value) => chunked = value.eq_ignore_ascii_case("chunked"),
            ("expect", _) => {
                let mut stream = *reader.get_ref();
                stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
            }
            _ => {}
        }
    }
    let mut body = Vec::new();
    if !chunked {
        reader.take(length.min(MAX_BODY) as u64).read_to_end(&mut body)?;
        return Ok(Some((method, path, body)));
    }
    loop {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim().split(';').next().unwrap_or_default(), 16).unwrap_or(0);
        if size == 0 || body.len() + size > MAX_BODY {
            return Ok(Some((method, path, body)));
        }
        reader.take(size as u64).read_to_end(&mut body)?;
        reader.read_line(&mut String::new())?;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn post(model: &Model, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", model.port)).unwrap();
        write!(stream, "POST /v1/messages?beta=true HTTP/1.1\r\n{headers}\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn calls_follow_from_the_results_of_a_request() {
        let call = |tool: &str| Call { tool: tool.to_owned(), input: json!({}) };
        let model = Model::start(Speech::Anthropic, vec![call("First"), call("Second")]).unwrap();
        let first = json!({"tools": [{}], "messages": []}).to_string();
        let length = format!("Content-Length: {}\r\n", first.len());
        for _ in 0..2 {
            assert!(post(&model, &length, &first).contains("\"First\""));
        }
        let result = json!({"role": "user", "content": [{"type": "tool_result", "content": "x"}]});
        let second = json!({"tools": [{}], "messages": [result]}).to_string();
        let (head, tail) = second.split_at(7);
        let chunks = format!("{:x}\r\n{head}\r\n{:x};x=y\r\n{tail}\r\n0\r\n\r\n", head.len(), tail.len());
        assert!(post(&model, "Transfer-Encoding: chunked\r\n", &chunks).contains("\"Second\""));
        assert_eq!(model.heard().len(), 3);
        assert!(post(&model, "Content-Length: 2\r\n", "{}").contains("\"ok\""));
        assert_eq!(model.heard().len(), 3);
    }
}
