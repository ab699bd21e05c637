//! A client that knows only lines of JSON, and gives up on a server that does not answer.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use lispwright_tools::arguments::check;
use serde_json::{Map, Value, json};

use crate::project::Project;

/// The longest time for an answer on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(400);

/// The program under test.
pub(crate) fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_lispwright"))
}

/// `lispwright mcp` for a project, with structured results beside the texts so that codes can be checked.
pub(crate) fn server_command(root: &Path) -> Command {
    let mut command = Command::new(binary());
    command
        .args(["mcp", "--results", "structured", "--root"])
        .arg(root)
        .env("XDG_CACHE_HOME", cache())
        .env("XDG_STATE_HOME", state());
    command
}

/// The directory for what the servers under test keep, in place of the user's own.
pub(crate) fn state() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("state")
}

/// The cache directory of the servers under test, in place of the user's own.
pub(crate) fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

/// A running server and the pipes to it.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    last_id: i64,
    /// What the server says of the fields of its tools' answers.
    schemas: HashMap<String, Map<String, Value>>,
    /// The documents of some surfaces have `null` for what is absent.
    allows_null: bool,
}

/// The result of a tool call.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) is_error: bool,
    pub(crate) text: String,
    pub(crate) fields: Value,
}

impl Client {
    /// Starts a server without sending anything.
    pub(crate) fn spawn(mut command: Command) -> Self {
        let allows_null = command.get_args().any(|argument| argument == "--surface");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { return };
                let message = serde_json::from_str(&line)
                    .unwrap_or_else(|error| json!({ "not a message": line, "because": error.to_string() }));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { child, stdin, messages, last_id: 0, schemas: HashMap::new(), allows_null }
    }

    /// Starts a server, shakes hands and asks what its tools answer.
    pub(crate) fn connect(command: Command) -> Self {
        let mut client = Self::spawn(command);
        client.shake_hands();
        client
    }

    /// Shakes hands and asks what the tools answer.
    pub(crate) fn shake_hands(&mut self) {
        let answer = self.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "raw-lines", "version": "1" },
            }),
        );
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        let listed = self.request("tools/list", json!({}))["result"]["tools"].take();
        for tool in listed.as_array().unwrap() {
            if let (Some(name), Some(schema)) = (tool["name"].as_str(), tool["outputSchema"].as_object()) {
                self.schemas.insert(name.to_owned(), schema.clone());
            }
        }
    }

    pub(crate) fn send_line(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    /// The next message of any kind.
    #[track_caller]
    pub(crate) fn receive(&mut self) -> Value {
        match self.messages.recv_timeout(PATIENCE) {
            Ok(message) => {
                assert_eq!(message["jsonrpc"], "2.0", "{message}");
                message
            }
            Err(RecvTimeoutError::Timeout) => panic!("the server keeps silent"),
            Err(RecvTimeoutError::Disconnected) => panic!("the server is gone: {:?}", self.child.try_wait()),
        }
    }

    /// The next message of any kind, if it arrives in time.
    pub(crate) fn receive_within(&mut self, patience: Duration) -> Option<Value> {
        match self.messages.recv_timeout(patience) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the server is gone: {:?}", self.child.try_wait()),
        }
    }

    /// An id that no request has had.
    pub(crate) fn new_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// Sends a request without waiting.
    pub(crate) fn start(&mut self, method: &str, params: Value) -> i64 {
        let id = self.new_id();
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The answer to a request, whatever else arrives before it.
    #[track_caller]
    pub(crate) fn answer_to(&mut self, id: i64) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            assert!(message.get("method").is_some(), "an answer to nothing that was asked: {message}");
        }
    }

    /// The next answer that refuses a line.
    #[track_caller]
    pub(crate) fn answer_to_refused(&mut self) -> Value {
        loop {
            let message = self.receive();
            if message.get("error").is_some() {
                return message;
            }
        }
    }

    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params);
        self.answer_to(id)
    }

    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        let answer = Answer::of(&answer);
        if let (Some(schema), Some(fields)) = (self.schemas.get(tool), answer.fields.as_object()) {
            assert_eq!(check(schema, fields), Ok(()), "{tool} answers otherwise than listed: {}", answer.fields);
            assert!(
                self.allows_null || is_without_null(&answer.fields),
                "what is absent is left out: {}",
                answer.fields
            );
        }
        answer
    }

    /// The number of the process.
    pub(crate) fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap()
    }

    /// Ends the server's input and does not wait.
    pub(crate) fn close_input(&mut self) {
        self.stdin = None;
    }

    /// The process, to be killed.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// What the server says on standard error, which its command has piped.
    pub(crate) fn stderr(&mut self) -> ChildStderr {
        self.child.stderr.take().unwrap()
    }

    /// Closes the server's input and waits for its end.
    #[track_caller]
    pub(crate) fn finish(mut self) -> ExitStatus {
        self.close_input();
        self.wait()
    }

    /// Waits for the end of the server.
    #[track_caller]
    pub(crate) fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the server does not end");
            let _ = self.messages.recv_timeout(Duration::from_millis(20));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The process may already be finished or killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// See [`Session::stopped`].
#[track_caller]
pub(crate) fn stopped(
    client: &mut Client,
    tool: &str,
    mut arguments: Value,
    reached: impl Fn(&Answer) -> bool,
) -> Answer {
    let mut limit = 2;
    loop {
        arguments["timeout_seconds"] = json!(limit);
        let answer = client.call(tool, arguments.clone());
        if reached(&answer) || limit > 60 {
            return answer;
        }
        limit *= 3;
    }
}

/// Whether there is no `null` in `value`, which no type of a schema matches.
fn is_without_null(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(elements) => elements.iter().all(is_without_null),
        Value::Object(fields) => fields.values().all(is_without_null),
        _ => true,
    }
}

impl Answer {
    /// The places of `code_find_references`, as `path:line:column: kind in form`.
    pub(crate) fn places(&self) -> Vec<String> {
        let word = |value: &Value| value.as_str().map(str::to_owned);
        let of_form = |form: &Value| -> Vec<String> {
            let path = word(&form["path"]).unwrap_or_else(|| "(no file)".to_owned());
            let name = word(&form["form_name"]).unwrap_or_default();
            let label = word(&form["form_type"]).map_or(name.clone(), |head| format!("{head} {name}"));
            let sites = form["call_sites"].as_array().into_iter().flatten();
            let at = |site: &Value| {
                let numbers = [&site["line"], &site["column"]].into_iter().filter_map(Value::as_u64);
                numbers.map(|number| format!(":{number}")).collect::<String>()
            };
            sites.map(|site| format!("{path}{}: {} in {label}", at(site), site["kind"].as_str().unwrap())).collect()
        };
        self.fields["refs"].as_array().into_iter().flatten().flat_map(of_form).collect()
    }

    #[track_caller]
    pub(crate) fn of(message: &Value) -> Self {
        let result = message.get("result").unwrap_or_else(|| panic!("not a result: {message}"));
        let blocks = result["content"].as_array().unwrap_or_else(|| panic!("no content: {message}"));
        let text: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        Self {
            is_error: result["isError"].as_bool().unwrap_or(false),
            text: text.join("\n"),
            fields: result["structuredContent"].clone(),
        }
    }
}

/// A project with a server that has shaken hands.
pub(crate) struct Session {
    pub(crate) project: Project,
    pub(crate) client: Client,
}

impl Session {
    pub(crate) fn new() -> Self {
        Self::on(Project::new())
    }

    pub(crate) fn on(project: Project) -> Self {
        let client = Client::connect(server_command(&project.root()));
        Self { project, client }
    }

    /// A session on a project with one file.
    pub(crate) fn with_file(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let project = Project::new();
        project.file(name, bytes);
        Self::on(project)
    }

    /// A session with the tools of further sets, on a project with one file.
    pub(crate) fn with_sets(sets: &str, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let project = Project::new();
        project.file(name, bytes);
        Self::on_with_sets(project, sets)
    }

    /// A session with the tools of the sets.
    pub(crate) fn on_with_sets(project: Project, sets: &str) -> Self {
        let mut command = server_command(&project.root());
        command.args(["--toolsets", sets]);
        Self { project, client: Client::connect(command) }
    }

    /// A call that succeeds.
    #[track_caller]
    pub(crate) fn ok(&mut self, tool: &str, arguments: Value) -> Answer {
        let answer = self.client.call(tool, arguments);
        assert!(!answer.is_error, "{}", answer.text);
        answer
    }

    /// A call that its time limit stops after it has come as far as `reached` says. The limit is short at first, and
    /// longer on a machine that is too busy for that.
    #[track_caller]
    pub(crate) fn stopped(&mut self, tool: &str, arguments: Value, reached: impl Fn(&Answer) -> bool) -> Answer {
        stopped(&mut self.client, tool, arguments, reached)
    }

    /// A call that is refused with `code` and a text that contains each of `says`. No byte of the project changes.
    #[track_caller]
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value, code: &str, says: &[&str]) -> Answer {
        let before = self.project.snapshot();
        let answer = self.client.call(tool, arguments);
        assert!(answer.is_error, "not refused: {}", answer.text);
        assert_eq!(answer.fields["code"], code, "{}", answer.text);
        assert_eq!(answer.fields["message"].as_str(), Some(answer.text.as_str()));
        assert!(answer.fields["retryable"].is_boolean(), "{}", answer.fields);
        for part in says {
            assert!(answer.text.contains(part), "{:?} does not say {part:?}", answer.text);
        }
        assert_eq!(self.project.snapshot(), before, "a refused call changed the project");
        answer
    }
}
