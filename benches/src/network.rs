//! The same call over each transport, beside the SDK's own HTTP server; and the server under many clients.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Setting;
use crate::memory::pss;
use crate::table::{Row, median, milliseconds};

/// Rounds in which each transport has a turn, and the calls of a turn.
const ROUNDS: usize = 40;
const TURN: usize = 50;

/// Clients at the same time, one of which only pings.
const CLIENTS: usize = 64;
/// The time between the answer to a client and its next call.
const THINKING: Duration = Duration::from_millis(20);
/// The time for which they call.
const LOAD: Duration = Duration::from_secs(20);

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    let root = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(root.path().join("a.lisp"), "(defun area (r)\n  (* 3 r r))\n").expect("a temporary file");
    let mut server = Served::start(&setting.binary, root.path());
    let idle = pss(server.child.id());
    let mut rows = vec![transports(&mut server, setting)];
    rows.push(load(&mut server));
    rows.push(Row {
        what: "memory of an idle server that listens on TCP and HTTP (PSS)".into(),
        measured: format!("{idle:.1} MB"),
        baseline: "-".into(),
        elsewhere: "-",
        target: "under 15 MB",
        met: idle < 15.0,
    });
    let size = std::fs::metadata(&setting.binary).map_or(f64::NAN, |metadata| metadata.len() as f64 / 1e6);
    rows.push(Row {
        what: "the binary, stripped".into(),
        measured: format!("{size:.1} MB"),
        baseline: "-".into(),
        elsewhere: "-",
        target: "under 15 MB",
        met: size < 15.0,
    });
    rows
}

/// A server with all transports, and its client on standard input and output.
struct Served {
    child: Child,
    stdio: Lines,
    tcp: u64,
    http: u64,
    token: String,
}

impl Served {
    fn start(binary: &Path, root: &Path) -> Self {
        let token_file = tempfile::tempdir().expect("a temporary folder").keep().join("token");
        let mut child = Command::new(binary)
            .args(["mcp", "--transport", "stdio,tcp,http", "--listen", "127.0.0.1:0", "--token-file"])
            .arg(&token_file)
            .arg("--root")
            .arg(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the release binary starts");
        let mut said = BufReader::new(child.stderr.take().expect("it is piped"));
        let [tcp, http] = ["tcp", "http"].map(|_| {
            let mut line = String::new();
            said.read_line(&mut line).expect("the server says where it is");
            serde_json::from_str::<Value>(&line).expect("JSON")["port"].as_u64().expect("a port")
        });
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        let token = std::fs::read_to_string(&token_file).expect("the token").trim().to_owned();
        let _ = std::fs::remove_dir_all(token_file.parent().expect("its folder"));
        let (to, from) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let stdio = Lines { to: Box::new(to), from: Box::new(BufReader::new(from)), id: 0 };
        let mut served = Self { child, stdio, tcp, http, token };
        served.stdio.initialize(None);
        served
    }

    fn tcp(&self) -> Lines {
        let stream = connect(self.tcp);
        let to = stream.try_clone().expect("a socket");
        let mut lines = Lines { to: Box::new(to), from: Box::new(BufReader::new(stream)), id: 0 };
        lines.initialize(Some(&self.token));
        lines
    }

    fn http(&self, is_modern: bool) -> Http {
        Http::open(self.http, &self.token, is_modern)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn connect(port: u64) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", u16::try_from(port).expect("a port"))).expect("the server listens");
    stream.set_nodelay(true).expect("a socket");
    stream
}

/// A client that calls tools.
trait Caller {
    /// The result of a request.
    fn ask(&mut self, method: &str, params: Value) -> Value;

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_ne!(result["isError"], json!(true), "{tool}: {result}");
        result
    }

    /// The seconds of each call of a turn.
    fn turn(&mut self, tool: &str, arguments: &Value) -> Vec<f64> {
        (0..TURN)
            .map(|_| {
                let begin = Instant::now();
                self.call(tool, arguments);
                begin.elapsed().as_secs_f64()
            })
            .collect()
    }
}

/// One JSON object a line.
struct Lines {
    to: Box<dyn std::io::Write + Send>,
    from: Box<dyn BufRead + Send>,
    id: u64,
}

impl Lines {
    fn initialize(&mut self, token: Option<&str>) {
        let meta = token.map_or_else(|| json!({}), |token| json!({ "token": token }));
        self.ask("initialize", opening(&meta));
    }
}

fn opening(meta: &Value) -> Value {
    json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" },
        "_meta": meta
    })
}

impl Caller for Lines {
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let message = format!("{}\n", json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }));
        self.to.write_all(message.as_bytes()).expect("the server reads");
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).expect("the server answers") > 0, "the server ended");
            let mut answer: Value = serde_json::from_str(&line).expect("answers are JSON");
            if answer["id"] == json!(self.id) {
                return answer["result"].take();
            }
        }
    }
}

/// Streamable HTTP on one connection.
struct Http {
    stream: BufReader<TcpStream>,
    token: String,
    session: Option<String>,
    is_modern: bool,
    id: u64,
}

impl Http {
    fn open(port: u64, token: &str, is_modern: bool) -> Self {
        let stream = BufReader::new(connect(port));
        let mut http = Self { stream, token: token.to_owned(), session: None, is_modern, id: 0 };
        if !is_modern {
            let message = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening(&json!({})) });
            let (head, _) = http.exchange("initialize", None, &message);
            http.session = header(&head, "mcp-session-id").map(str::to_owned);
            let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            http.exchange("notifications/initialized", None, &ready);
        }
        http
    }

    fn exchange(&mut self, method: &str, name: Option<&str>, message: &Value) -> (String, Value) {
        let body = message.to_string();
        let mut head = format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            self.token,
            body.len()
        );
        if let Some(session) = &self.session {
            head += &format!("Mcp-Session-Id: {session}\r\n");
        }
        if self.is_modern {
            head += &format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n");
            if let Some(name) = name {
                head += &format!("Mcp-Name: {name}\r\n");
            }
        }
        let request = format!("{head}\r\n{body}");
        self.stream.get_mut().write_all(request.as_bytes()).expect("the server reads");
        self.response()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.stream.read_line(&mut line).expect("the server answers") > 0, "the server closed the connection");
        line.trim_end().to_owned()
    }

    fn response(&mut self) -> (String, Value) {
        let mut head = String::new();
        loop {
            let line = self.line();
            if line.is_empty() {
                break;
            }
            head += &line;
            head.push('\n');
        }
        let body = match header(&head, "content-length") {
            Some(length) => self.bytes(length.parse().expect("a length")),
            None if header(&head, "transfer-encoding").is_some() => {
                let mut body = String::new();
                loop {
                    let length = usize::from_str_radix(&self.line(), 16).expect("a length");
                    body += &self.bytes(length);
                    self.line();
                    if length == 0 {
                        break body;
                    }
                }
            }
            None => String::new(),
        };
        // In an event stream, the answer is the last message.
        let message = match body.rfind("data: {") {
            Some(at) if !body.starts_with('{') => body[at + 6..].lines().next().unwrap_or_default(),
            _ => &body,
        };
        (head, serde_json::from_str(message).unwrap_or_default())
    }

    fn bytes(&mut self, length: usize) -> String {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).expect("the server answers");
        String::from_utf8(bytes).expect("UTF-8")
    }
}

fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

impl Caller for Http {
    fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.id += 1;
        if self.is_modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}
            });
        }
        let name = params["name"].as_str().map(str::to_owned);
        let message = json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        let (_, mut answer) = self.exchange(method, name.as_deref(), &message);
        answer["result"].take()
    }
}

/// The SDK's own server, with small packets sent at once, as ours are.
struct Rival {
    child: Child,
    port: u64,
}

impl Rival {
    /// `None` where it has not been built.
    fn start() -> Option<Self> {
        let binary = PathBuf::from(std::env::var_os("LISPWRIGHT_BENCH_RMCP")?);
        let mut child = Command::new(binary).arg("nodelay").stdout(Stdio::piped()).spawn().ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take()?).read_line(&mut line).ok()?;
        Some(Self { child, port: line.trim().parse().ok()? })
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A trivial call over each transport, in turns.
fn transports(server: &mut Served, _setting: &Setting) -> Row {
    let arguments = json!({ "code": "(a)", "dialect": "common-lisp" });
    let (mut tcp, mut session, mut modern) = (server.tcp(), server.http(false), server.http(true));
    let rival = Rival::start();
    let mut theirs: Vec<Http> =
        rival.iter().flat_map(|rival| [false, true].map(|era| Http::open(rival.port, "-", era))).collect();
    let mut times: [Vec<f64>; 6] = Default::default();
    for _ in 0..ROUNDS {
        let clients: [&mut dyn Caller; 4] = [&mut server.stdio, &mut tcp, &mut session, &mut modern];
        for (times, client) in times.iter_mut().zip(clients) {
            times.extend(client.turn("lisp_check_parens", &arguments));
        }
        for (times, client) in times[4..].iter_mut().zip(&mut theirs) {
            times.extend(client.turn("hello", &json!({})));
        }
    }
    let [stdio, tcp, session, modern, their_session, their_modern] = times.map(median);
    let of_stdio = |time: f64| format!("{} ({:.2} x)", milliseconds(time), time / stdio);
    let is_as_fast = theirs.is_empty() || session <= their_session && modern <= their_modern;
    Row {
        what: "a trivial call: stdio; TCP; HTTP in a session, and by itself".into(),
        measured: format!("{}; {}; {}, {}", milliseconds(stdio), of_stdio(tcp), of_stdio(session), of_stdio(modern)),
        baseline: if theirs.is_empty() {
            "the SDK's own server was not built".into()
        } else {
            format!("the SDK's own HTTP server {}, {}", milliseconds(their_session), milliseconds(their_modern))
        },
        elsewhere: "-",
        target: "TCP 1.3 x stdio, HTTP 3 x stdio and not slower than the SDK",
        met: tcp <= 1.3 * stdio && session.max(modern) <= 3.0 * stdio && is_as_fast,
    }
}

/// Pings on standard input while many clients call tools over TCP and HTTP.
fn load(server: &mut Served) -> Row {
    let mut ping = || {
        let begin = Instant::now();
        server.stdio.ask("ping", json!({}));
        begin.elapsed().as_secs_f64()
    };
    let idle = median((0..2000).map(|_| ping()).collect());
    let ends = Arc::new(AtomicBool::new(false));
    let calls = Arc::new(AtomicU64::new(0));
    let clients: Vec<Box<dyn Caller + Send>> = (0..CLIENTS - 1)
        .map(|number| -> Box<dyn Caller + Send> {
            match number % 4 {
                0 | 1 => Box::new(server.tcp()),
                2 => Box::new(server.http(false)),
                _ => Box::new(server.http(true)),
            }
        })
        .collect();
    let threads: Vec<_> = clients
        .into_iter()
        .enumerate()
        .map(|(number, mut client)| {
            let (ends, calls) = (ends.clone(), calls.clone());
            std::thread::spawn(move || {
                let mut count = number;
                while !ends.load(Ordering::Relaxed) {
                    let (tool, arguments, says) = trivial(count);
                    let result = client.call(tool, &arguments);
                    let text = result["content"][0]["text"].as_str().unwrap_or_default();
                    assert!(text.contains(says), "{tool}: {text}");
                    calls.fetch_add(1, Ordering::Relaxed);
                    count += 1;
                    std::thread::sleep(THINKING);
                }
            })
        })
        .collect();
    let begin = Instant::now();
    let mut pings = Vec::new();
    let mut ping = || {
        let begin = Instant::now();
        server.stdio.ask("ping", json!({}));
        begin.elapsed().as_secs_f64()
    };
    while begin.elapsed() < LOAD {
        pings.push(ping());
        std::thread::sleep(Duration::from_millis(5));
    }
    ends.store(true, Ordering::Relaxed);
    let failed = threads.into_iter().map(std::thread::JoinHandle::join).filter(Result::is_err).count();
    pings.sort_by(f64::total_cmp);
    let p99 = pings[pings.len() * 99 / 100];
    let rate = calls.load(Ordering::Relaxed) as f64 / LOAD.as_secs_f64();
    Row {
        what: format!(
            "{CLIENTS} clients over stdio, TCP and HTTP, each calling {} ms after its last answer: {rate:.0} calls/s",
            THINKING.as_millis()
        ),
        measured: format!("ping p99 {}, {:.1} x the idle one; {failed} clients failed", milliseconds(p99), p99 / idle),
        baseline: format!("idle ping {}", milliseconds(idle)),
        elsewhere: "-",
        target: "under 20 x the idle ping",
        met: p99 < 20.0 * idle && failed == 0,
    }
}

/// A quick call, and words of its answer.
fn trivial(count: usize) -> (&'static str, Value, &'static str) {
    match count % 4 {
        0 => ("lisp_check_parens", json!({ "code": "(a)", "dialect": "common-lisp" }), "balanced"),
        1 => ("lisp_read_form", json!({ "path": "a.lisp", "name": "area" }), "(* 3 r r)"),
        2 => ("lisp_read_file", json!({ "path": "a.lisp" }), "area"),
        _ => ("code_find", json!({ "symbol": "area" }), "a.lisp:1"),
    }
}
