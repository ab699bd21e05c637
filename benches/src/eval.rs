//! Evaluation: round trips, and a fresh session up to its first value.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Setting;
use crate::client::Client;
use crate::table::{Row, median, milliseconds, times};

const CALLS: usize = 500;

pub(crate) fn rows(setting: &Setting) -> Vec<Row> {
    let root = tempfile::tempdir().expect("a temporary folder");
    let (mut client, _) = Client::start(&setting.binary, root.path());
    let plus = |timeout: Value| move |_| json!({"code": "(+ 1 2)", "timeout_seconds": timeout});
    client.time_calls(50, "repl_eval", plus(json!(30)));
    let swank = Swank::start().map(|mut swank| median((0..CALLS).map(|_| swank.eval("(cl:+ 1 2)")).collect()));
    let with = median(client.time_calls(CALLS, "repl_eval", plus(json!(10))));
    let default = median(client.time_calls(CALLS, "repl_eval", |_| json!({"code": "(+ 1 2)"})));
    let baseline = |ours: f64| match swank {
        Some(swank) => format!("SWANK on TCP {}, {}", milliseconds(swank), times(swank, ours)),
        None => "SWANK is not installed".to_owned(),
    };
    vec![
        Row {
            what: "eval `(+ 1 2)` on SBCL through the server, timeout given".into(),
            measured: milliseconds(with),
            baseline: baseline(with),
            elsewhere: "cl-mcp 51 ms, SWANK 0.18 ms",
            target: "under 0.2 ms",
            met: with < 0.0002,
        },
        Row {
            what: "the same with the default timeout".into(),
            measured: milliseconds(default),
            baseline: baseline(default),
            elsewhere: "cl-mcp 0.15 ms",
            target: "under 0.2 ms",
            met: default < 0.0002,
        },
        fresh(&mut client),
        first(setting),
        guile(&mut client),
        clojure(&mut client),
    ]
}

/// The same round trip to a server of Clojure's on a socket.
fn clojure(client: &mut Client) -> Row {
    let plus = |_| json!({"code": "(+ 1 2)", "runtime": "clojure", "timeout_seconds": 10});
    // The JVM compiles what runs often.
    client.time_calls(300, "repl_eval", plus);
    let ours = median(client.time_calls(CALLS, "repl_eval", plus));
    Row {
        what: "eval `(+ 1 2)` on Clojure over nREPL through the server".into(),
        measured: milliseconds(ours),
        baseline: "-".into(),
        elsewhere: "a plain nREPL client 44 ms",
        target: "under 1.5 ms",
        met: ours < 0.0015,
    }
}

/// The same round trip to a session on Guile.
fn guile(client: &mut Client) -> Row {
    let plus = |_| json!({"code": "(+ 1 2)", "runtime": "guile", "timeout_seconds": 10});
    client.time_calls(50, "repl_eval", plus);
    let ours = median(client.time_calls(CALLS, "repl_eval", plus));
    Row {
        what: "eval `(+ 1 2)` on Guile through the server, timeout given".into(),
        measured: milliseconds(ours),
        baseline: "-".into(),
        elsewhere: "Guile's REPL server on a socket 1.1 ms",
        target: "under 0.3 ms",
        met: ours < 0.0003,
    }
}

/// The first call of a server that has just started, which has no spare image yet: the image starts from the saved core.
fn first(setting: &Setting) -> Row {
    let root = tempfile::tempdir().expect("a temporary folder");
    let seconds = (0..15).map(|_| {
        let (mut client, _) = Client::start(&setting.binary, root.path());
        let begin = Instant::now();
        client.call("repl_eval", &json!({"code": "(+ 1 2)"}));
        begin.elapsed().as_secs_f64()
    });
    let ours = median(seconds.collect());
    Row {
        what: "the same as the first call of a server, without a spare image".into(),
        measured: milliseconds(ours),
        baseline: "-".into(),
        elsewhere: "cl-mcp 1.5-2.6 s",
        target: "under 30 ms",
        met: ours < 0.03,
    }
}

/// A new session each time, up to its first value; the session is killed afterwards.
fn fresh(client: &mut Client) -> Row {
    let mut seconds = Vec::new();
    for index in 0..20 {
        let session = format!("fresh-{index}");
        // Let the spare image that the server keeps be ready again, as it is for a user.
        client.time_calls(20, "repl_eval", |_| json!({"code": "(loop repeat 3000000)"}));
        let begin = Instant::now();
        client.call("repl_eval", &json!({"code": "(+ 1 2)", "session": session}));
        seconds.push(begin.elapsed().as_secs_f64());
        client.call("repl_control", &json!({"action": "kill", "session": session}));
    }
    let ours = median(seconds);
    let plain = median(
        (0..10)
            .map(|_| {
                let begin = Instant::now();
                let _ = Command::new("sbcl")
                    .args(["--noinform", "--no-sysinit", "--no-userinit", "--eval", "(print (+ 1 2))", "--quit"])
                    .output();
                begin.elapsed().as_secs_f64()
            })
            .collect(),
    );
    Row {
        what: "fresh SBCL session to first value, with the spare image that is kept".into(),
        measured: milliseconds(ours),
        baseline: format!("plain `sbcl --eval` {}, {}", milliseconds(plain), times(plain, ours)),
        elsewhere: "cl-mcp 1.5-2.6 s",
        target: "under 30 ms",
        met: ours < 0.03,
    }
}

/// A plain SBCL with the distribution's SWANK, spoken to over TCP.
struct Swank {
    child: Child,
    /// Kept open: SWANK goes on writing to it.
    _stdout: BufReader<ChildStdout>,
    socket: TcpStream,
    next: u64,
}

impl Swank {
    fn start() -> Option<Self> {
        let program = r#"(progn (require :asdf) (setf *error-output* *standard-output*)
  (handler-bind ((warning (function muffle-warning))) (funcall (intern "LOAD-SYSTEM" :asdf) :swank))
  (funcall (intern "CREATE-SERVER" :swank) :port 0 :style :spawn :dont-close t)
  (loop (sleep 60)))"#;
        let mut child = Command::new("sbcl")
            .args(["--noinform", "--no-userinit", "--disable-debugger", "--eval", program])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut stdout = BufReader::new(child.stdout.take()?);
        let port = stdout.by_ref().lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("Swank started at port: ")?;
            port.trim().trim_end_matches('.').parse::<u16>().ok()
        });
        let Some(port) = port else {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        };
        let socket = TcpStream::connect(("127.0.0.1", port)).ok()?;
        socket.set_nodelay(true).ok()?;
        socket.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
        Some(Self { child, _stdout: stdout, socket, next: 1 })
    }

    /// Seconds one evaluation takes.
    fn eval(&mut self, code: &str) -> f64 {
        let begin = Instant::now();
        let id = self.next;
        self.next += 1;
        let message = format!("(:emacs-rex (swank:eval-and-grab-output {code:?}) \"CL-USER\" t {id})");
        let framed = format!("{:06x}{message}", message.len());
        self.socket.write_all(framed.as_bytes()).expect("SWANK reads");
        loop {
            let mut length = [0; 6];
            self.socket.read_exact(&mut length).expect("SWANK answers");
            let length = usize::from_str_radix(&String::from_utf8_lossy(&length), 16).expect("SWANK frames messages");
            let mut answer = vec![0; length];
            self.socket.read_exact(&mut answer).expect("SWANK answers");
            if answer.starts_with(b"(:return") {
                return begin.elapsed().as_secs_f64();
            }
        }
    }
}

impl Drop for Swank {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
