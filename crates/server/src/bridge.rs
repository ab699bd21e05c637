//! Joins standard input and output to a server on TCP or at a socket that is a file, for clients that speak nothing else.
//!
//! Bytes pass through unchanged, except for the first request, which gets the token. The bridge reads no clock: it may
//! be idle for ever, and ends with its input.

use std::io;
use std::os::fd::AsFd;

use rmcp::model::ServerCapabilities;
use rustix::net::RecvFlags;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpStream, UnixStream};

use crate::envelope::{self, INVALID_REQUEST, Incoming};
use crate::lines::{LONGEST_LINE, Line, Lines};
use crate::network::Token;
use crate::stdio;

/// The way to a server.
#[derive(Clone, Debug)]
pub struct Bridge {
    /// Host and port, or the path of a socket, which has a slash.
    pub address: String,
    /// The token that the first request shows.
    pub token: Option<Token>,
}

/// The reason why a bridge ended before its input.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// The server cannot be reached.
    #[error(
        "no server answers at {address}: {error}; start one with lispwright mcp {}",
        if address.contains('/') { format!("--socket {address}") } else { format!("--transport tcp --listen {address}") }
    )]
    Unreachable {
        /// Host and port.
        address: String,
        /// The system's reason.
        error: io::Error,
    },
    /// The server has closed the connection.
    #[error("the server at {address} closed the connection; start this command again when the server is back")]
    Closed {
        /// Host and port.
        address: String,
    },
    /// The server has refused a request.
    #[error("the server at {address} refuses the call: {why}")]
    Refused {
        /// Host and port.
        address: String,
        /// Its reason.
        why: String,
    },
    /// Standard input or output failed.
    #[error("standard input or output failed: {0}")]
    Ends(io::Error),
}

impl Bridge {
    /// Carries messages from standard input to the server and back, until standard input ends and all answers have come.
    pub async fn run(&self) -> Result<(), BridgeError> {
        self.join(stdio::input(), stdio::output()).await
    }

    /// Calls one tool of the server, and gives the result of the call as the protocol has it.
    ///
    /// Errors: the server cannot be reached, or closes the connection before its answer, as it does to a wrong token.
    pub async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<Value, BridgeError> {
        let (from_server, mut to_server) = tokio::io::split(self.connect().await?);
        let mut lines = BufReader::new(from_server).lines();
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "lispwright", "version": env!("CARGO_PKG_VERSION")},
        }});
        let hello = self.introduced(hello.to_string().as_bytes()).map_err(BridgeError::Ends)?;
        let call = [
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}),
        ];
        let call: String = call.iter().map(|message| format!("{message}\n")).collect();
        for (id, sent) in [(1, hello), (2, call.into_bytes())] {
            to_server.write_all(&sent).await.map_err(|_| self.closed())?;
            loop {
                let line = lines.next_line().await.map_err(|_| self.closed())?.ok_or_else(|| self.closed())?;
                let mut message: Value = serde_json::from_str(&line).unwrap_or_default();
                if message["id"] != id {
                    continue;
                }
                if let Some(error) = message.get("error") {
                    let why = error["message"].as_str().unwrap_or("it gives no reason").to_owned();
                    return Err(BridgeError::Refused { address: self.address.clone(), why });
                }
                if id == 2 {
                    return Ok(message["result"].take());
                }
                break;
            }
        }
        Err(self.closed())
    }

    async fn join(
        &self,
        input: impl AsyncRead + Send + Unpin,
        mut output: impl AsyncWrite + Send + Unpin,
    ) -> Result<(), BridgeError> {
        let early = self.connect().await?;
        let mut lines = Lines::new(BufReader::with_capacity(64 * 1024, input));
        let Some(first) = self.first(&mut lines, &mut output).await.map_err(BridgeError::Ends)? else { return Ok(()) };
        // The server closes a connection on which nothing comes.
        let stream = if is_silent(&*early) { early } else { self.connect().await? };
        let (mut from_server, mut to_server) = tokio::io::split(stream);
        let sending = async {
            to_server.write_all(&first).await?;
            tokio::io::copy_buf(lines.source(), &mut to_server).await?;
            to_server.shutdown().await
        };
        let receiving = tokio::io::copy(&mut from_server, &mut output);
        tokio::pin!(sending, receiving);
        tokio::select! {
            sent = &mut sending => match sent {
                // The last answers are still on their way.
                Ok(()) => receiving.await.map(drop).map_err(BridgeError::Ends),
                Err(_) => Err(self.closed()),
            },
            received = &mut receiving => match received {
                Ok(_) => Err(self.closed()),
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Err(self.closed()),
                Err(error) => Err(BridgeError::Ends(error)),
            },
        }
    }

    async fn connect(&self) -> Result<Box<dyn Connected>, BridgeError> {
        let stream: io::Result<Box<dyn Connected>> = match self.is_path() {
            true => UnixStream::connect(&self.address).await.map(|stream| Box::new(stream) as Box<dyn Connected>),
            false => TcpStream::connect(&self.address).await.and_then(|stream| {
                stream.set_nodelay(true)?;
                Ok(Box::new(stream) as Box<dyn Connected>)
            }),
        };
        stream.map_err(|error| BridgeError::Unreachable { address: self.address.clone(), error })
    }

    /// The address is that of a socket that is a file.
    fn is_path(&self) -> bool {
        self.address.contains('/')
    }

    fn closed(&self) -> BridgeError {
        BridgeError::Closed { address: self.address.clone() }
    }

    /// The first request, with the token; `None` at the end of the input. Lines before it that are no requests are
    /// answered here, or need no answer.
    async fn first(
        &self,
        lines: &mut Lines<impl AsyncBufRead + Unpin>,
        output: &mut (impl AsyncWrite + Unpin),
    ) -> io::Result<Option<Vec<u8>>> {
        loop {
            let incoming = match lines.next().await? {
                None => return Ok(None),
                Some(Line::Whole(line)) => match envelope::read(line, &ServerCapabilities::default()) {
                    Incoming::Request { .. } => return self.introduced(line).map(Some),
                    other => other,
                },
                Some(Line::TooLong(salvage)) => {
                    let why = format!("Invalid request: a line of more than {LONGEST_LINE} bytes was skipped");
                    envelope::refuse_salvaged(&salvage, INVALID_REQUEST, why)
                }
            };
            if let Incoming::Refused(refusal) = incoming {
                let mut line = refusal.json();
                line.push(b'\n');
                output.write_all(&line).await?;
                output.flush().await?;
            }
        }
    }

    /// The line of a request with the token in `params._meta`, and its newline.
    fn introduced(&self, line: &[u8]) -> io::Result<Vec<u8>> {
        let mut line = match &self.token {
            None => line.to_vec(),
            Some(token) => {
                let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
                let mut request: Map<String, Value> = serde_json::from_slice(line)?;
                let inner = |outer: &mut Map<String, Value>, name: &str| {
                    let value = outer.entry(name.to_owned()).or_insert(Value::Null);
                    if value.is_null() {
                        *value = Value::Object(Map::new());
                    }
                    value.as_object_mut().map(std::mem::take).unwrap_or_default()
                };
                let mut params = inner(&mut request, "params");
                let mut meta = inner(&mut params, "_meta");
                meta.insert("token".into(), token.expose().into());
                params.insert("_meta".into(), meta.into());
                request.insert("params".into(), params.into());
                serde_json::to_vec(&request)?
            }
        };
        line.push(b'\n');
        Ok(line)
    }
}

/// A connection to a server.
trait Connected: AsyncRead + AsyncWrite + AsFd + Send + Unpin {}

impl Connected for TcpStream {}
impl Connected for UnixStream {}

/// Whether the server has neither said anything nor closed the connection.
fn is_silent(stream: &dyn Connected) -> bool {
    // Asked of the system: the event loop may not have heard of it yet.
    let peeked = rustix::net::recv(stream, &mut [0u8; 1][..], RecvFlags::PEEK | RecvFlags::DONTWAIT);
    matches!(peeked, Err(rustix::io::Errno::AGAIN))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _};
    use tokio::net::TcpListener;

    use super::*;

    fn bridge(address: String, token: Option<&str>) -> Bridge {
        Bridge { address, token: token.map(Token::new) }
    }

    #[test]
    fn the_first_request_gets_the_token_and_keeps_the_rest() {
        let introduce = |line: &str| {
            let line = bridge(String::new(), Some("hush")).introduced(line.as_bytes()).unwrap();
            String::from_utf8(line).unwrap()
        };
        assert_eq!(
            introduce(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"_meta\":{\"token\":\"hush\"}}}\n"
        );
        assert_eq!(
            introduce(r#"{"method":"x","params":{"b":1,"_meta":{"progressToken":2},"a":1},"id":1}"#),
            "{\"method\":\"x\",\"params\":{\"b\":1,\"_meta\":{\"progressToken\":2,\"token\":\"hush\"},\"a\":1},\"id\":1}\n"
        );
    }

    #[tokio::test]
    async fn lines_pass_and_the_end_of_the_input_waits_for_the_answers() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let bridge = bridge(listener.local_addr().unwrap().to_string(), Some("hush"));
        let server = async {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(stream);
            let mut line = String::new();
            stream.read_line(&mut line).await.unwrap();
            assert!(line.contains("\"token\":\"hush\""), "{line}");
            let mut rest = String::new();
            stream.read_to_string(&mut rest).await.unwrap();
            assert_eq!(rest, "anything\n{ \"as\" : \"it is\" }");
            stream.write_all(b"answers\nat the end\n").await.unwrap();
        };
        let input = b"\n[]\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\
            {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nanything\n{ \"as\" : \"it is\" }";
        let mut output = Vec::new();
        let (joined, ()) = tokio::join!(bridge.join(&input[..], &mut output), server);
        joined.unwrap();
        let output = String::from_utf8(output).unwrap();
        let (refusal, rest) = output.split_once('\n').unwrap();
        assert!(refusal.contains("-32600"), "{refusal}");
        assert_eq!(rest, "answers\nat the end\n");
    }

    #[tokio::test]
    async fn a_connection_that_was_closed_while_idle_is_opened_again() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let bridge = bridge(listener.local_addr().unwrap().to_string(), None);
        let (mut ours, theirs) = tokio::io::duplex(1000);
        let server = async {
            drop(listener.accept().await.unwrap());
            ours.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await.unwrap();
            let (stream, _) = listener.accept().await.unwrap();
            let mut line = String::new();
            BufReader::new(stream).read_line(&mut line).await.unwrap();
            assert_eq!(line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
        };
        let mut output = Vec::new();
        let (joined, ()) = tokio::join!(bridge.join(theirs, &mut output), server);
        // The input is still open when this server ends.
        assert!(matches!(joined, Err(BridgeError::Closed { .. })), "{joined:?}");
    }
}
