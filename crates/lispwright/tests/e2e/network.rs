//! The server on a network: beside standard input and output, with its token, and through the bridge.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::client::{Answer, Client, PATIENCE, binary, server_command};
use crate::household::comes;
use crate::http::Request;
use crate::project::Project;
use crate::socket::{Socket, call, text};

#[test]
fn a_command_works_in_the_images_of_a_server() {
    let served = Served::start(&[]);
    let run = |arguments: &[&str]| -> (Option<i32>, String) {
        let mut command = Command::new(binary());
        command.args(arguments).arg("--connect").arg(format!("127.0.0.1:{}", served.tcp));
        command.arg("--token-file").arg(served.project.beside("token"));
        let Output { status, stdout, stderr } = command.current_dir(served.project.root()).output().unwrap();
        (status.code(), String::from_utf8([stdout, stderr].concat()).unwrap())
    };
    served.call("repl_eval", json!({ "code": "(defvar *ways* 41)", "session": "shared" }));
    assert_eq!(run(&["eval", "-e", "(incf *ways*)", "--session", "shared"]), (Some(0), "=> 42\n".to_owned()));
    let (code, said) = run(&["eval", "-e", "(error \"on purpose\")", "--session", "shared"]);
    assert!(code == Some(1) && said.contains("on purpose"), "{code:?} {said}");
    served.project.file("a.lisp", "(defvar *loaded* 7)\n");
    let (code, said) = run(&["load", "a.lisp", "--session", "shared"]);
    assert!(code == Some(0) && said.contains("Loaded a.lisp"), "{code:?} {said}");
    assert_eq!(run(&["eval", "-e", "*loaded*", "--session", "shared"]), (Some(0), "=> 7\n".to_owned()));
    std::fs::write(served.project.beside("token"), "0".repeat(64)).unwrap();
    let (code, said) = run(&["eval", "-e", "1"]);
    assert!(code == Some(2) && said.contains("127.0.0.1"), "{code:?} {said}");
}

#[test]
fn a_socket_that_is_a_file_serves_its_owner_without_a_token() {
    let project = Project::new();
    let socket = project.beside("socket");
    let start = || {
        let mut command = server_command(&project.root());
        command.arg("--socket").arg(&socket).stderr(Stdio::piped());
        let mut server = Client::spawn(command);
        let said = lines(server.stderr());
        let line: Value = serde_json::from_str(&said.recv_timeout(PATIENCE).unwrap()).unwrap();
        assert_eq!(line, json!({ "transport": "unix", "listening": socket.display().to_string() }));
        assert!(said.recv_timeout(PATIENCE).unwrap().contains("lispwright bridge --connect "));
        server
    };
    let connect = || {
        let mut command = Command::new(binary());
        command.args(["bridge", "--connect"]).arg(&socket);
        Client::connect(command)
    };
    let mut server = start();
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    let (mut one, mut other) = (connect(), connect());
    let eval = |code: &str| json!({ "code": code, "session": "shared" });
    assert!(!one.call("repl_eval", eval("(defvar *ways* 41)")).is_error);
    assert!(other.call("repl_eval", eval("(incf *ways*)")).text.contains("42"));
    let mut command = Command::new(binary());
    command.args(["eval", "-e", "(incf *ways*)", "--session", "shared", "--connect"]).arg(&socket);
    let output = command.current_dir(project.root()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "=> 43\n");
    // A second server does not take the place of one that lives.
    let mut second = server_command(&project.root());
    let output = second.arg("--socket").arg(&socket).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("a server listens there"), "{said}");
    let inside = server_command(&project.root()).arg("--socket").arg(project.at("socket")).output().unwrap();
    let said = String::from_utf8_lossy(&inside.stderr);
    assert!(!inside.status.success() && said.contains("below the root"), "{said}");
    drop((one, other));
    server.kill();
    server.wait();
    assert!(socket.exists(), "a killed server leaves its socket");
    let server = start();
    assert!(connect().call("repl_eval", eval("(+ 1 2)")).text.contains('3'));
    kill_process(Pid::from_raw(server.pid()).unwrap(), Signal::TERM).unwrap();
    assert!(server.finish().success());
    assert!(!socket.exists(), "one that ends takes it along");
}

/// The memory in kB that a server has when it has read a file of some thousand forms.
const MODEST: u64 = 20_000;

/// A server that listens, and what it says on standard error.
pub(crate) struct Served {
    pub(crate) project: Project,
    pub(crate) client: Client,
    pub(crate) said: Receiver<String>,
    pub(crate) tcp: u16,
    pub(crate) http: u16,
    pub(crate) token: String,
}

impl Served {
    /// Starts a server with standard input and output, TCP and HTTP.
    pub(crate) fn start(options: &[&str]) -> Self {
        let project = Project::new();
        let token_file = project.beside("token");
        let mut command = server_command(&project.root());
        command.args(["--transport", "stdio,tcp,http", "--listen", "127.0.0.1:0", "--token-file"]).arg(&token_file);
        command.args(options).stderr(Stdio::piped());
        let mut client = Client::spawn(command);
        let said = lines(client.stderr());
        let [tcp, http] = ["tcp", "http"].map(|transport| {
            let line: Value = serde_json::from_str(&said.recv_timeout(PATIENCE).unwrap()).unwrap();
            let port = line["port"].as_u64().unwrap();
            let expected = json!({ "transport": transport, "listening": format!("127.0.0.1:{port}"), "port": port });
            assert_eq!(line, expected);
            u16::try_from(port).unwrap()
        });
        client.shake_hands();
        let token = fs::read_to_string(&token_file).unwrap().trim().to_owned();
        Self { project, client, said, tcp, http, token }
    }

    fn bridge(&self) -> Command {
        let mut command = Command::new(binary());
        command.args(["bridge", "--connect"]).arg(format!("127.0.0.1:{}", self.tcp));
        command.arg("--token-file").arg(self.project.beside("token"));
        command
    }

    /// The result of a tool over HTTP, by a request of its own.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Answer {
        called(self.http, &self.token, tool, arguments)
    }

    fn admitted(&self, request: Request) -> Request {
        admitted(&self.token, request)
    }

    /// The memory of the server that belongs to no file, in kB.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.client.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.split_ascii_whitespace().next().unwrap().parse().unwrap()
    }

    /// The pools of memory that glibc has made besides its first: each begins at a multiple of 64 MiB.
    fn pools(&self) -> usize {
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.client.pid())).unwrap();
        let begins_pool = |line: &&str| {
            let start = line.split('-').next().and_then(|start| u64::from_str_radix(start, 16).ok()).unwrap();
            start.is_multiple_of(64 << 20) && line.contains(" rw-p 00000000 00:00 0")
        };
        maps.lines().filter(begins_pool).count()
    }
}

pub(crate) fn admitted(token: &str, request: Request) -> Request {
    request.with("Authorization", &format!("Bearer {token}"))
}

pub(crate) fn called(http: u16, token: &str, tool: &str, arguments: Value) -> Answer {
    let mut socket = Socket::connect(http);
    let head = socket.request(&admitted(token, Request::modern(&call(1, tool, arguments))));
    Answer::of(&socket.answer_in(&head).0)
}

/// The lines of a pipe as they come.
pub(crate) fn lines(pipe: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

#[test]
fn all_ways_lead_to_the_same_images() {
    let mut served = Served::start(&[]);
    let define = json!({ "code": "(defvar *ways* (list :stdio))", "session": "shared" });
    assert!(!served.client.call("repl_eval", define).is_error);
    let mut bridged = Client::connect(served.bridge());
    let push = json!({ "code": "(push :tcp *ways*)", "session": "shared" });
    let pushed = bridged.call("repl_eval", push);
    assert_eq!(pushed.fields["values"], json!(["(:TCP :STDIO)"]), "{}", pushed.text);
    let mut socket = Socket::connect(served.http);
    let open = served.admitted(Request::post(crate::socket::initialize(None).to_string()));
    let (head, _) = socket.exchange(&open);
    let session = head.header("mcp-session-id").unwrap().to_owned();
    let push = call(2, "repl_eval", json!({ "code": "(push :session *ways*)", "session": "shared" }));
    let head = socket.request(&served.admitted(Request::legacy(&session, &push)));
    assert!(text(&socket.answer_in(&head).0).contains("(:SESSION :TCP :STDIO)"));
    let answer = served.call("repl_eval", json!({ "code": "(push :http *ways*)", "session": "shared" }));
    assert_eq!(answer.fields["values"], json!(["(:HTTP :SESSION :TCP :STDIO)"]), "{}", answer.text);
    assert!(bridged.finish().success());
    // The process ends with the standard input of the client that started it.
    assert!(served.client.finish().success());
    assert!(std::net::TcpStream::connect(("127.0.0.1", served.tcp)).is_err());
}

#[test]
fn the_memory_of_many_calls_at_once_is_given_back() {
    let served = Served::start(&[]);
    let forms: String = (0..4000).map(|number| format!("(defun form-{number} () (list {number}))\n\n")).collect();
    served.project.file("large.lisp", &forms);
    let (http, token) = (served.http, served.token.as_str());
    let edit = || {
        let arguments = json!({ "path": "large.lisp", "operation": "delete", "name": "form-7", "dry_run": true });
        let answer = called(http, token, "lisp_edit_form", arguments);
        assert!(!answer.is_error, "{}", answer.text);
    };
    (0..10).for_each(|_| edit());
    assert!(comes(|| served.memory() < MODEST), "{} kB for a call at a time", served.memory());
    std::thread::scope(|scope| {
        for _ in 0..30 {
            scope.spawn(|| (0..10).for_each(|_| edit()));
        }
    });
    assert!(comes(|| served.memory() < MODEST), "{} kB for thirty at a time", served.memory());
    assert!(served.pools() < 4, "{} pools", served.pools());
}

#[test]
fn a_new_token_is_shown_once_and_its_file_is_private() {
    let project = Project::new();
    let token_file = project.beside("state/token");
    let start = || {
        let mut command = server_command(&project.root());
        command.args(["--transport", "http", "--listen", "http=127.0.0.1:0", "--token-file"]).arg(&token_file);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let said = lines(child.stderr.take().unwrap());
        let said = [(); 2].map(|()| said.recv_timeout(PATIENCE).unwrap());
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        assert!(child.wait().unwrap().success(), "SIGTERM is an orderly end");
        said.join("\n")
    };
    let first = start();
    let token = fs::read_to_string(&token_file).unwrap().trim().to_owned();
    assert_eq!(fs::metadata(&token_file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(token.len() == 64 && first.contains(&format!("--header \"Authorization: Bearer {token}\"")), "{first}");
    let second = start();
    assert!(!second.contains(&token) && second.contains("$(cat "), "{second}");
    assert_eq!(fs::read_to_string(&token_file).unwrap().trim(), token);
}

#[test]
fn no_token_is_in_a_log_a_transcript_or_an_answer() {
    let project = Project::new();
    let log = project.beside("log");
    let transcript = project.beside("transcript");
    let options = [
        "--log-level",
        "trace,rmcp=trace",
        "--log-file",
        log.to_str().unwrap(),
        "--transcript",
        transcript.to_str().unwrap(),
    ];
    let served = Served::start(&options);
    let shown = served.said.recv_timeout(PATIENCE).unwrap() + &served.said.recv_timeout(PATIENCE).unwrap();
    assert_eq!(shown.matches(&served.token).count(), 1);
    let mut answers = String::new();
    let wrong = format!("{}x", served.token);
    for token in [&served.token, &wrong] {
        let mut socket = Socket::connect(served.tcp);
        answers += &socket.initialize(Some(token)).to_string();
        if *token == served.token {
            let evaluate = call(1, "repl_eval", json!({ "code": "(+ 1 2)" }));
            answers += &socket.ask(&evaluate).to_string();
            let mut late = call(2, "lisp_no_such_tool", json!({}));
            late["params"]["_meta"] = json!({ "token": token, "progressToken": token[1..] });
            answers += &socket.ask(&late).to_string();
        }
        let mut socket = Socket::connect(served.tcp);
        socket.write(format!("{{\"id\":1,\"method\":\"x\",\"params\":{{\"_meta\":{{\"token\":\"{token}\"}}}},\n"));
        answers += &socket.rest();
        let mut socket = Socket::connect(served.http);
        for request in [
            Request::modern(&call(1, "repl_eval", json!({ "code": "(+ 3 4)" }))),
            Request::post(format!("{token}\u{7f}")),
        ] {
            socket.write(request.with("Authorization", &format!("Bearer {token}")).bytes());
            let head = socket.head();
            answers += &socket.body(&head);
        }
    }
    let Served { client, token, said, .. } = served;
    assert!(client.finish().success());
    let logged = fs::read_to_string(&log).unwrap();
    let written = fs::read_to_string(&transcript).unwrap();
    assert!(logged.contains("lisp_no_such_tool"), "the log tells of requests");
    assert!(written.contains("(+ 1 2)") && written.contains("(+ 3 4)"), "{written}");
    // A progress token is the client's own word, which may be logged; it is one character short of the other.
    let logged = logged.replace(&token[1..], "").replace(&format!("{}x", &token[1..]), "");
    let rest: String = said.try_iter().collect();
    for (what, text) in
        [("the log", &logged), ("the transcript", &written), ("an answer", &answers), ("standard error", &rest)]
    {
        assert!(!text.contains(&token), "{what} shows the token");
    }
}

#[test]
fn a_selection_of_tools_counts_on_every_way() {
    let served = Served::start(&["--read-only", "--exclude-tools", "lisp_search"]);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let mut socket = Socket::connect(served.http);
    let (_, over_http) = socket.exchange(&served.admitted(Request::modern(&list)));
    let mut socket = Socket::connect(served.tcp);
    socket.initialize(Some(&served.token));
    let over_tcp = socket.ask(&list);
    assert_eq!(over_http["result"]["tools"], over_tcp["result"]["tools"]);
    let names: Vec<&str> =
        over_tcp["result"]["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"lisp_read_file"), "{names:?}");
    for absent in ["lisp_edit_form", "lisp_search", "repl_eval"] {
        assert!(!names.contains(&absent), "{names:?}");
        let answer = socket.ask(&call(absent, absent, json!({})));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[test]
fn a_signal_ends_the_server_after_its_calls() {
    let mut served = Served::start(&[]);
    served.client.call("repl_eval", json!({ "code": "1" }));
    let started = served.project.beside("started");
    let code = format!("(progn (open {started:?} :direction :probe :if-does-not-exist :create) (sleep 1) :slept)");
    let mut socket = Socket::connect(served.http);
    let evaluate = call(1, "repl_eval", json!({ "code": code }));
    socket.write(served.admitted(Request::modern(&evaluate)).bytes());
    let deadline = Instant::now() + PATIENCE;
    while !started.exists() {
        assert!(Instant::now() < deadline, "the code does not run");
        std::thread::yield_now();
    }
    kill_process(Pid::from_raw(served.client.pid()).unwrap(), Signal::TERM).unwrap();
    let head = socket.head();
    assert!(text(&socket.answer_in(&head).0).contains(":SLEPT"));
    assert!(served.client.wait().success());
}

fn refused(options: &[&str], project: &Project) -> String {
    let mut command = server_command(&project.root());
    let output = command.args(options).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{options:?}: {said}");
    said
}

#[test]
fn what_would_let_others_in_is_refused_or_warned_of() {
    let project = Project::new();
    let token_file = project.beside("token");
    let file = token_file.to_str().unwrap();
    let said = refused(&["--transport", "http", "--listen", "0.0.0.0:0", "--no-token"], &project);
    assert!(said.contains("run code as you"), "{said}");
    let inside = project.file("token", "0123456789abcdef0123456789abcdef");
    let said =
        refused(&["--transport", "tcp", "--listen", "127.0.0.1:0", "--token-file", inside.to_str().unwrap()], &project);
    assert!(said.contains("below the root") && !said.contains("0123456789abcdef"), "{said}");
    fs::write(&token_file, "0123456789abcdef0123456789abcdef").unwrap();
    fs::set_permissions(&token_file, fs::Permissions::from_mode(0o644)).unwrap();
    let said = refused(&["--transport", "tcp", "--listen", "127.0.0.1:0", "--token-file", file], &project);
    assert!(said.contains("chmod 600") && !said.contains("0123456789abcdef"), "{said}");
    fs::set_permissions(&token_file, fs::Permissions::from_mode(0o600)).unwrap();
    let said = refused(&["--listen", "127.0.0.1:0"], &project);
    assert!(said.contains("--transport"), "{said}");
    let said = refused(&["--transport", "http", "--listen", "tcp=127.0.0.1:0"], &project);
    assert!(said.contains("tcp is not among"), "{said}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let said = refused(&["--transport", "http", "--listen", &address, "--token-file", file], &project);
    assert!(said.contains("cannot listen") && said.contains("port 0"), "{said}");

    let mut command = server_command(&project.root());
    command.args(["--transport", "stdio,http", "--listen", "0.0.0.0:0", "--token-file", file]).stderr(Stdio::piped());
    let mut client = Client::spawn(command);
    let said = lines(client.stderr());
    let said = [(); 2].map(|()| said.recv_timeout(PATIENCE).unwrap());
    assert!(said[1].starts_with("WARNING: other machines can reach 0.0.0.0:"), "{said:?}");
    client.close_input();
    assert!(client.wait().success());
}

#[test]
fn a_bridge_ends_with_its_input_or_its_server() {
    let served = Served::start(&[]);
    let output = served.bridge().stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    let mut waiting = served.bridge().stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talking = Client::connect(served.bridge());
    let Served { client, project, tcp, .. } = served;
    assert!(client.finish().success());
    assert_eq!(talking.wait().code(), Some(1));
    // One that has said nothing yet learns of it with its first words.
    let mut input = waiting.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").unwrap();
    let Output { status, stderr, .. } = waiting.wait_with_output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert!(status.code() == Some(1) && said.contains("no server answers"), "{status}: {said}");
    let missing: PathBuf = project.beside("no-token");
    let mut command = Command::new(binary());
    command.args(["bridge", "--connect"]).arg(format!("127.0.0.1:{tcp}")).arg("--token-file").arg(missing);
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn a_client_that_goes_stops_its_evaluation() {
    let mut served = Served::start(&[]);
    served.client.call("repl_eval", json!({ "code": "(defvar *kept* 42)", "session": "s" }));
    let started = served.project.beside("started");
    let code = format!("(progn (open {started:?} :direction :probe :if-does-not-exist :create) (loop))");
    let mut socket = Socket::connect(served.http);
    let evaluate = call(1, "repl_eval", json!({ "code": code, "session": "s", "timeout_seconds": 600 }));
    socket.write(served.admitted(Request::modern(&evaluate)).bytes());
    let deadline = Instant::now() + PATIENCE;
    while !started.exists() {
        assert!(Instant::now() < deadline, "the code does not run");
        std::thread::yield_now();
    }
    drop(socket);
    // Queued behind the endless one, it is answered because that one ends.
    let kept = served.client.call("repl_eval", json!({ "code": "*kept*", "session": "s", "timeout_seconds": 60 }));
    assert_eq!(kept.fields["values"], json!(["42"]), "{}", kept.text);
}
