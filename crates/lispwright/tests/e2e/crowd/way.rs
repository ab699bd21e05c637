//! The ways of a client to the server. Each fails, and does not panic, when the server is killed.

use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::binary;
use crate::http::Request;
use crate::socket::initialize;

/// The longest silence before an answer on a busy machine.
const SILENCE: Duration = Duration::from_secs(120);

/// How a client connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// On the standard input and output of the server, which it has started.
    Stdio,
    /// On those of a bridge.
    Bridge,
    Tcp,
    /// Over HTTP in a session.
    Session,
    /// Over HTTP, each request by itself.
    Alone,
}

/// Where a server is.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub(crate) tcp: u16,
    pub(crate) http: u16,
    pub(crate) token: String,
    pub(crate) token_file: PathBuf,
}

/// An open way.
pub(crate) enum Line {
    Lines { to: Box<dyn Write + Send>, from: Box<dyn BufRead + Send>, bridge: Option<Child> },
    Http { stream: BufReader<TcpStream>, token: String, session: Option<String> },
}

impl Line {
    /// The way on standard input and output.
    pub(crate) fn stdio(ends: (ChildStdin, ChildStdout)) -> io::Result<Self> {
        Self::lines(ends.0, BufReader::new(ends.1), None, None)
    }

    pub(crate) fn open(way: Way, address: &Address) -> io::Result<Self> {
        match way {
            Way::Stdio => Err(io::Error::other("the ends of a server are taken once")),
            Way::Bridge => {
                let mut command = Command::new(binary());
                command.args(["bridge", "--connect"]).arg(format!("127.0.0.1:{}", address.tcp));
                command.arg("--token-file").arg(&address.token_file);
                let mut bridge = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
                let (to, from) = (bridge.stdin.take().unwrap(), bridge.stdout.take().unwrap());
                Self::lines(to, BufReader::new(from), Some(bridge), None)
            }
            Way::Tcp => {
                let stream = connect(address.tcp)?;
                Self::lines(stream.try_clone()?, BufReader::new(stream), None, Some(&address.token))
            }
            Way::Session | Way::Alone => {
                let stream = BufReader::new(connect(address.http)?);
                let mut line = Self::Http { stream, token: address.token.clone(), session: None };
                if way == Way::Session {
                    line.begin_session()?;
                }
                Ok(line)
            }
        }
    }

    fn lines(
        to: impl Write + Send + 'static,
        from: impl BufRead + Send + 'static,
        bridge: Option<Child>,
        token: Option<&str>,
    ) -> io::Result<Self> {
        let mut line = Self::Lines { to: Box::new(to), from: Box::new(from), bridge };
        line.ask(&initialize(token))?;
        Ok(line)
    }

    fn begin_session(&mut self) -> io::Result<()> {
        let (head, _) = self.exchange(Request::post(initialize(None).to_string()))?;
        let named = head.lines().filter_map(|line| line.split_once(": "));
        let id = named.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("mcp-session-id"));
        let id = id.ok_or_else(|| io::Error::other(format!("no session: {head}")))?.1.to_owned();
        if let Self::Http { session, .. } = self {
            *session = Some(id);
        }
        Ok(())
    }

    /// The answer to a request.
    pub(crate) fn ask(&mut self, request: &Value) -> io::Result<Value> {
        let http = match self {
            Self::Lines { to, from, .. } => {
                to.write_all(format!("{request}\n").as_bytes())?;
                to.flush()?;
                loop {
                    let mut line = String::new();
                    if from.read_line(&mut line)? == 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    let message: Value = serde_json::from_str(&line)?;
                    if message["id"] == request["id"] {
                        return Ok(message);
                    }
                }
            }
            Self::Http { session: Some(session), .. } => Request::legacy(session, request),
            Self::Http { session: None, .. } => Request::modern(request),
        };
        let (head, body) = self.exchange(http)?;
        // In an event stream, the answer is the last message.
        let last = body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
        let answer: Value = serde_json::from_str(last.unwrap_or(&body))
            .map_err(|error| io::Error::other(format!("{error}: {head}\n{body}")))?;
        Ok(answer)
    }

    fn exchange(&mut self, request: Request) -> io::Result<(String, String)> {
        let Self::Http { stream, token, .. } = self else { return Err(io::Error::other("not HTTP")) };
        let request = request.with("Authorization", &format!("Bearer {token}"));
        stream.get_mut().write_all(&request.bytes())?;
        let mut head = String::new();
        loop {
            let line = line(stream)?;
            if line.is_empty() {
                break;
            }
            head += &line;
            head.push('\n');
        }
        let lower = head.to_ascii_lowercase();
        let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "));
        let body = match length {
            Some(length) => bytes(stream, length.parse().map_err(io::Error::other)?)?,
            None if lower.contains("transfer-encoding: chunked") => {
                let mut body = String::new();
                loop {
                    let length = usize::from_str_radix(&line(stream)?, 16).map_err(io::Error::other)?;
                    body += &bytes(stream, length)?;
                    line(stream)?;
                    if length == 0 {
                        break body;
                    }
                }
            }
            None => String::new(),
        };
        Ok((head, body))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Self::Lines { bridge: Some(bridge), .. } = self {
            let _ = bridge.kill();
            let _ = bridge.wait();
        }
    }
}

fn connect(port: u16) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))?;
    Ok(stream)
}

fn line(stream: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    match stream.read_line(&mut line)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(line.trim_end().to_owned()),
    }
}

fn bytes(stream: &mut impl BufRead, length: usize) -> io::Result<String> {
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// A `tools/call` request.
pub(crate) fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}
