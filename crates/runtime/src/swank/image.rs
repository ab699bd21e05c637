//! A conversation with one Swank or Slynk server: its identity, the open calls, and the messages between their answers.
//!
//! A call is a form that the server evaluates in a thread; several can be open at once, since a call with a held stack
//! is not over. Between the answers come the output of code, questions of threads, and notices of threads that have
//! entered the debugger. Unknown messages are ignored, so that future servers may send more.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use lispwright_project::{Links, read_regular};

use super::agent;
use super::message::{Debug, Decoder, Message, field, frame, literal};
use crate::activity::Activity;
use crate::capture::{Kept, Printed};
use crate::eval::{Ending, LispError};
use crate::operation::ImageOperation;
use crate::remote::connection::Connection;
use crate::wire::Value;

/// The time for a server to identify itself.
const HELLO_LIMIT: Duration = Duration::from_secs(10);

/// The time for an image to compile the agent.
const DEFINE_LIMIT: Duration = Duration::from_secs(120);

/// The most threads in the debugger that are reported.
const MOST_TOLD: usize = 10;

/// The files in the user's home whose first line a server expects first, if they exist.
const SECRETS: [&str; 2] = [".slime-secret", ".sly-secret"];

/// Asks a server for its identity and the package that has read the question: Slynk replaces Swank's name on input,
/// also inside of other names, such as the package of the agent would have for Swank.
const WHO: &str = "(cl:list* :server (cl:package-name (cl:symbol-package (cl:quote swank:connection-info))) \
                   (swank:connection-info))";

/// A server, and a connection to it.
pub(crate) struct Image {
    pub(crate) connection: Connection<Decoder>,
    /// Its address.
    pub(crate) address: SocketAddr,
    /// Swank or Slynk, the implementation, and their versions.
    pub(crate) version: String,
    /// The package of the agent in the image.
    pub(crate) agent: String,
    /// The time when the conversation began.
    pub(crate) started: Instant,
    last_id: i64,
    /// The output of code since the last time.
    pub(crate) printed: Output,
    /// The thread that holds stacks of this session.
    pub(crate) holder: Option<i64>,
    /// The number of stacks that it holds.
    pub(crate) held: u32,
    /// The session's package, as far as it is known.
    pub(crate) package: Option<String>,
    /// Calls that are open because a stack is held.
    pub(crate) open_calls: Vec<i64>,
    /// The numbers of questions to threads that have entered the debugger, with what is known about the threads.
    pub(crate) questions: Vec<(i64, Debug)>,
    /// Errors of other threads, until they are reported.
    pub(crate) background: Vec<LispError>,
}

/// The reason why a server cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// Nothing accepts connections there.
    #[error("{0}")]
    NoConnection(String),
    /// The listener does not answer as Swank does.
    #[error("{0}")]
    Other(String),
}

/// The output of code.
#[derive(Default)]
pub(crate) struct Output {
    out: Kept,
    err: Kept,
    /// The current call, or the last one.
    pub(crate) call: Activity,
    limit: u64,
}

impl Output {
    /// Whether it exceeds the limit of a call.
    pub(crate) fn is_too_much(&self) -> bool {
        self.out.total() + self.err.total() > self.limit
    }

    /// The number of bytes that a call may print.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }
}

impl Image {
    /// Connects to the server at `address` and asks for its identity, with the time `limit` for each way of asking. A
    /// listener that answers is a Swank or Slynk server.
    pub(crate) async fn greet(address: SocketAddr, output_limit: u64, limit: Duration) -> Result<Self, Refusal> {
        let mut failure = None;
        // Only a failure shows which secret a server expects, if any.
        for secret in SECRETS.into_iter().filter_map(secret).map(Some).chain([None]) {
            match Self::greeted(address, secret.as_deref(), output_limit, limit).await {
                Ok(image) => return Ok(image),
                Err(why) => failure = failure.or(Some(why)),
            }
        }
        Err(failure.unwrap_or_else(|| Refusal::Other("it was not asked".to_owned())))
    }

    /// Connects to the server at `address` and prepares its image.
    pub(crate) async fn open(address: SocketAddr, output_limit: u64) -> Result<Self, String> {
        let greeted = Self::greet(address, output_limit, HELLO_LIMIT).await;
        greeted.map_err(|refusal| unusable(address, &refusal.to_string()))?.prepared().await
    }

    async fn greeted(
        address: SocketAddr,
        secret: Option<&str>,
        output_limit: u64,
        limit: Duration,
    ) -> Result<Self, Refusal> {
        let connection = Connection::open(address).await.map_err(|error| Refusal::NoConnection(error.to_string()))?;
        let mut image = Self {
            connection,
            address,
            version: String::new(),
            agent: String::new(),
            started: Instant::now(),
            last_id: 0,
            printed: Output { limit: output_limit, ..Output::default() },
            holder: None,
            held: 0,
            package: None,
            open_calls: Vec::new(),
            questions: Vec::new(),
            background: Vec::new(),
        };
        if let Some(secret) = secret {
            image.send(&literal(secret));
        }
        let (server, info) = match image.ask(WHO, limit).await.map_err(Refusal::Other)? {
            Ok(info) => (answering(&info), info),
            Err(_) => {
                let info = image.ask("(slynk:connection-info)", limit).await.map_err(Refusal::Other)?;
                let neither = |why| Refusal::Other(format!("it is neither Swank nor Slynk ({why})"));
                ("SLYNK", info.map_err(neither)?)
            }
        };
        image.agent = agent::package(server);
        image.version = described(server, &info);
        Ok(image)
    }

    /// The image, ready to answer requests.
    pub(crate) async fn prepared(mut self) -> Result<Self, String> {
        self.prepare().await.map_err(|why| unusable(self.address, &why))?;
        Ok(self)
    }

    /// Loads the agent into the image, unless it is there, and makes the agent check whether it works there.
    async fn prepare(&mut self) -> Result<(), String> {
        let refused = |why: String| format!("its image does not take the Lisp that answers for it: {why}");
        let there = self.ask(&agent::is_there(&self.agent), HELLO_LIMIT).await?.map_err(refused)?;
        if !there.is_true() {
            let failed = self.ask(&agent::definition(&self.agent), DEFINE_LIMIT).await?.map_err(refused)?;
            if let Some(why) = failed.as_text() {
                return Err(format!("{} does not take the Lisp that answers for it: {why}", self.version));
            }
        }
        let missing = self.ask(&format!("({}:greet)", self.agent), HELLO_LIMIT).await?.map_err(refused)?;
        match missing.as_list() {
            None | Some([]) => Ok(()),
            Some(names) => {
                let names: Vec<&str> = names.iter().filter_map(Value::as_text).collect();
                Err(format!("{} lacks what is needed: {}", self.version, names.join(", ")))
            }
        }
    }

    /// Loads the support for tests into the image, unless it is there; returns the reason if tests cannot run.
    pub(crate) async fn prepare_tests(&mut self) -> Result<Option<Ending>, String> {
        match self.ask(&agent::tests(&self.agent), DEFINE_LIMIT).await? {
            Ok(ready) if ready.as_text().is_none() && ready.is_true() => Ok(None),
            Ok(ready) => Ok(Some(match ready.as_text() {
                Some(why) => Ending::AgentFault(format!("the image does not take the Lisp that runs tests: {why}")),
                None => Ending::NotOffered { operation: ImageOperation::Asdf },
            })),
            Err(why) => Ok(Some(Ending::AgentFault(why))),
        }
    }

    /// Evaluates `form` in a new thread: its value, or the reason why the server returned none. An error is the end of
    /// the conversation.
    pub(crate) async fn ask(&mut self, form: &str, limit: Duration) -> Result<Result<Value, String>, String> {
        let id = self.call(form, None);
        let deadline = tokio::time::Instant::now() + limit;
        loop {
            let message = tokio::select! {
                message = self.connection.next() => message?,
                () = tokio::time::sleep_until(deadline) => {
                    return Err(format!("it does not answer within {} s", limit.as_secs()));
                }
            };
            match message {
                Message::Return { id: answered, result } if answered == id => return Ok(result),
                Message::ReaderError(why) => return Ok(Err(why)),
                // These questions never need the debugger.
                Message::Debug(debug) if debug.may_be_of(id) => {
                    self.leave_debugger(debug.thread).await;
                    return Ok(Err(format!("{}: {}", debug.type_name, debug.message)));
                }
                Message::Debug(debug) => self.note_background(debug, None),
                other => self.respond(other),
            }
        }
    }

    /// Makes a thread leave the debugger.
    async fn leave_debugger(&mut self, thread: i64) {
        let server = if self.agent.contains("SLYNK") { "slynk" } else { "swank" };
        self.call(&format!("({server}:throw-to-toplevel)"), Some(thread));
        while self.connection.outgoing.is_waiting() {
            // If the connection does not take it, it is lost with all its threads.
            let sent = tokio::time::timeout(Duration::from_secs(1), self.connection.outgoing.send()).await;
            if !matches!(sent, Ok(Ok(()))) {
                return;
            }
        }
    }

    /// Calls `form` in `thread`, or in a new one; returns the number of the call.
    pub(crate) fn call(&mut self, form: &str, thread: Option<i64>) -> i64 {
        self.last_id += 1;
        let id = self.last_id;
        let thread = thread.map_or("t".to_owned(), |thread| thread.to_string());
        self.send(&format!("(:emacs-rex {form} \"COMMON-LISP-USER\" {thread} {id})"));
        id
    }

    /// The number of the next call.
    pub(crate) fn next_id(&self) -> i64 {
        self.last_id + 1
    }

    /// Asks a thread in the debugger about the condition and its place.
    pub(crate) fn question(&mut self, debug: Debug, stopping: bool) {
        let form = format!("({}:attend-debugger {})", self.agent, if stopping { "t" } else { "nil" });
        let id = self.call(&form, Some(debug.thread));
        self.questions.push((id, debug));
    }

    /// Interrupts the thread that evaluates.
    pub(crate) fn interrupt(&mut self) {
        let thread = self.holder.map_or("t".to_owned(), |thread| thread.to_string());
        self.send(&format!("(:emacs-interrupt {thread})"));
    }

    /// Queues a message.
    fn send(&mut self, payload: &str) {
        self.connection.outgoing.push(&frame(payload));
    }

    /// Responds to a message that is not an answer.
    pub(crate) fn respond(&mut self, message: Message) {
        match message {
            Message::Print { text, is_error } => {
                let output = if is_error { &mut self.printed.err } else { &mut self.printed.out };
                output.add(text.as_bytes());
                self.printed.call.printed(text.as_bytes());
            }
            Message::Ping(thread, tag) => {
                self.send(&format!("(:emacs-pong {} {})", thread.encode(), tag.encode()));
            }
            // The empty string is the end of the input.
            Message::ReadString(thread, tag) => {
                self.send(&format!("(:emacs-return-string {} {} \"\")", thread.encode(), tag.encode()));
            }
            Message::Ask { thread, tag, is_editor } => {
                let answer = if is_editor { "(:abort)" } else { "nil" };
                self.send(&format!("(:emacs-return {} {} {answer})", thread.encode(), tag.encode()));
            }
            _ => {}
        }
    }

    /// Stores the error of another thread for a report; without a `name` the thread is identified by its number.
    pub(crate) fn note_background(&mut self, debug: Debug, name: Option<&str>) {
        if self.background.len() < MOST_TOLD {
            self.background.push(LispError {
                type_name: debug.type_name,
                message: debug.message,
                thread: Some(name.map_or_else(|| debug.thread.to_string(), str::to_owned)),
                restarts: debug.restarts,
                ..LispError::default()
            });
        }
    }

    /// The output since the last time: standard output, error output.
    pub(crate) fn take_output(&mut self) -> (Printed, Printed) {
        (std::mem::take(&mut self.printed.out).printed(), std::mem::take(&mut self.printed.err).printed())
    }
}

/// The package of the server that has answered [`WHO`].
fn answering(info: &Value) -> &'static str {
    match field(info, "server").and_then(Value::as_text) {
        Some(name) if name.eq_ignore_ascii_case("SLYNK") => "SLYNK",
        _ => "SWANK",
    }
}

fn unusable(address: SocketAddr, why: &str) -> String {
    format!("the Swank server at {address} cannot be used: {why}")
}

/// The first line of a file in the user's home.
fn secret(name: &str) -> Option<String> {
    let path = Path::new(&std::env::var_os("HOME")?).join(name);
    let text = String::from_utf8(read_regular(&path, 4096, Links::Followed).ok()?).ok()?;
    text.lines().next().map(str::to_owned)
}

/// A server and its implementation, in a few words.
fn described(server: &str, info: &Value) -> String {
    let text = |list: Option<&Value>, name| {
        let text = list.and_then(|list| field(list, name)).and_then(Value::as_text).unwrap_or_default();
        text.chars().filter(|character| !character.is_control()).take(60).collect::<String>()
    };
    let lisp = field(info, "lisp-implementation");
    let name = if server == "SWANK" { "Swank" } else { "Slynk" };
    let described = format!("{} {}, {name} {}", text(lisp, "type"), text(lisp, "version"), text(Some(info), "version"));
    match field(info, "pid").and_then(Value::as_integer) {
        Some(pid) => format!("{described} (process {pid})"),
        None => described,
    }
}
