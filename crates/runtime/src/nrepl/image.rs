//! A conversation with one nREPL server: its identity, the open requests, and their messages.
//!
//! A request is answered by any number of messages with its number, the last of which has the status `done`. Between
//! them comes the output of code, also of earlier requests that go on in other threads. Unknown messages are ignored,
//! so that future servers may send more.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::bencode::{Bencode, Decoder};
use super::details::{self, Flavour};
use super::functions;
use super::server::Server;
use crate::activity::Activity;
use crate::capture::{Kept, Printed};
use crate::eval::{Frame, lisp_error};
use crate::exchange::{Event, Supervision};
use crate::remote::Lost;
use crate::remote::connection::Connection;
use crate::stop::{Controls, Death, StopReason};
use crate::tally::Tally;
use crate::watch::Excess;
use crate::wire::Value;

/// The time for a server to identify itself.
const HELLO_LIMIT: Duration = Duration::from_secs(10);

/// The time for a question besides the caller's code.
pub(crate) const QUESTION_LIMIT: Duration = Duration::from_secs(5);

/// The time that the interrupt waits for the stack of the code.
const FRAMES_LIMIT: Duration = Duration::from_secs(2);

/// The time that an answer waits for the end of an interrupted thread. nREPL asks it to stop, and stops it by force
/// after five seconds.
const END_LIMIT: Duration = Duration::from_millis(300);

/// The time for a server whose processor is busy with such a thread to answer whether it lives.
const LIFE_LIMIT: Duration = Duration::from_secs(30);

/// The time between two such questions.
const LOOK: Duration = Duration::from_millis(50);

/// The time from the request to stop until the server is given up.
const GRACE: Duration = Duration::from_secs(3);

/// The first nREPL that limits printing and lets a client choose how errors are reported.
const FIRST_WITH_LIMITS: (u32, u32) = (0, 6);

/// A server, and a session on it.
pub(crate) struct Image {
    connection: Connection<Decoder>,
    /// The name of the server in sentences.
    name: String,
    /// Its address, if it listens.
    pub(crate) address: Option<SocketAddr>,
    /// Its process, if it was started here.
    pub(crate) server: Option<Server>,
    pub(crate) session: String,
    /// A second session, for questions that must not change `*1` and `*e` of the first.
    pub(crate) control: Option<String>,
    pub(crate) flavour: Flavour,
    /// The server can limit printing, and does not print errors if asked not to.
    pub(crate) prints_with_limits: bool,
    /// The server keeps the functions of frequent questions.
    pub(crate) prepared: bool,
    /// Whether it can be brought to the state of the files, if that is known.
    pub(super) renews: Option<bool>,
    operations: Vec<String>,
    /// Implementations and versions, as the server reports them.
    pub(crate) version: String,
    /// The current namespace.
    pub(crate) namespace: String,
    /// The time when the conversation began.
    pub(crate) started: Instant,
    /// The thread of an interrupted evaluation that still runs.
    runs_on: Option<i64>,
    last_id: u64,
    /// The number of evaluations since their class loaders were last removed.
    pub(crate) since_loaders: u32,
    /// Requests that were given up; further output of their code is dropped.
    muted: Vec<String>,
    printed: SessionOutput,
    /// The server no longer knew the session, and a new one was made.
    pub(crate) was_forgotten: bool,
    /// The results so far of a running test run.
    pub(crate) underway: Option<Tally>,
}

/// The output of code to the streams of its session.
#[derive(Default)]
struct SessionOutput {
    out: Kept,
    err: Kept,
    limit: u64,
}

impl SessionOutput {
    fn is_too_much(&self) -> bool {
        self.out.total() > self.limit || self.err.total() > self.limit
    }
}

/// The result of a request.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// The last value, and whether it was cut.
    pub(crate) value: Option<(String, bool)>,
    /// The namespace afterwards.
    pub(crate) namespace: Option<String>,
    /// The class of the thrown object, in the server's words.
    pub(crate) thrown: Option<String>,
    /// The text that the server printed about it.
    pub(crate) complaint: String,
    /// All statuses.
    pub(crate) statuses: Vec<String>,
    /// Code tried to read from standard input.
    pub(crate) wanted_input: bool,
    /// The reason of the request to stop, if there was one.
    pub(crate) stopped: Option<StopReason>,
    /// The stack at the request to stop.
    pub(crate) frames: Vec<Frame>,
    /// The thread that it ran in, by its number in the server.
    thread: Option<i64>,
    /// The number of the request for that stack, until it is answered.
    frames_id: Option<String>,
    /// The last message, which has the fields of some operations only.
    last: Option<Bencode>,
}

impl Reply {
    /// Whether one of the statuses is `status`.
    pub(crate) fn has(&self, status: &str) -> bool {
        self.statuses.iter().any(|one| one == status)
    }
}

impl Image {
    /// Connects to the server at `address` and opens a session there.
    pub(crate) async fn open(address: SocketAddr, output_limit: u64) -> Result<Self, String> {
        let name = format!("the nREPL server at {address}");
        match Connection::open(address).await {
            Ok(connection) => {
                let image = Self::begin(connection, name, output_limit).await?;
                Ok(Self { address: Some(address), ..image })
            }
            Err(error) => Err(format!("{name} cannot be used: {error}")),
        }
    }

    /// Opens a session at the server called `name` through `connection`.
    pub(crate) async fn begin(
        connection: Connection<Decoder>,
        name: String,
        output_limit: u64,
    ) -> Result<Self, String> {
        let no = |what: String| {
            let what = what.strip_prefix(&format!("{name}: ")).unwrap_or(&what);
            format!("{name} cannot be used: {what}")
        };
        let mut image = Self {
            connection,
            name: name.clone(),
            address: None,
            server: None,
            session: String::new(),
            control: None,
            flavour: Flavour::Jvm,
            prints_with_limits: false,
            prepared: false,
            renews: None,
            operations: Vec::new(),
            version: String::new(),
            namespace: "user".to_owned(),
            started: Instant::now(),
            last_id: 0,
            since_loaders: 0,
            runs_on: None,
            muted: Vec::new(),
            was_forgotten: false,
            underway: None,
            printed: SessionOutput { limit: output_limit, ..SessionOutput::default() },
        };
        let described = image.question([("op", Bencode::text("describe"))], HELLO_LIMIT).await.map_err(no)?;
        let described = described.last.unwrap_or(Bencode::Integer(0));
        image.take_note(&described);
        image.session = image.cloned().await.map_err(no)?;
        if image.flavour == Flavour::Jvm && image.can("interrupt") {
            image.control = image.cloned().await.ok();
        }
        image.keep_input_open();
        Ok(image)
    }

    /// Makes the session's standard input one that code cannot close. The next evaluation comes after that.
    fn keep_input_open(&mut self) {
        if self.prints_with_limits {
            let session = self.session.clone();
            self.send_unasked(&session, details::INPUT);
        }
    }

    /// Sends code to a session besides the caller's. Nobody waits for the answer.
    fn send_unasked(&mut self, session: &str, code: &str) {
        self.last_id += 1;
        let request = [
            ("op", Bencode::text("eval")),
            ("session", Bencode::text(session)),
            ("code", Bencode::text(code)),
            ("id", Bencode::text(self.last_id.to_string())),
        ];
        self.connection.outgoing.push(&Bencode::dictionary(request).encode());
    }

    /// Records the server's description of itself.
    fn take_note(&mut self, described: &Bencode) {
        if let Some(Bencode::Dictionary(operations)) = described.get("ops") {
            self.operations = operations.iter().map(|(name, _)| String::from_utf8_lossy(name).into_owned()).collect();
        }
        let mut versions = Vec::new();
        if let Some(Bencode::Dictionary(entries)) = described.get("versions") {
            for (name, version) in entries {
                let name = String::from_utf8_lossy(name);
                let number = version.get_text("version-string").or_else(|| version.as_text()).unwrap_or_default();
                match name.as_ref() {
                    "clojure" => versions.insert(0, format!("Clojure {number}")),
                    "nrepl" => versions.push(format!("nREPL {number}")),
                    "nbb-nrepl" => versions.insert(0, "nbb".to_owned()),
                    name => versions.push(format!("{name} {number}")),
                }
            }
            let has = |name: &[u8]| entries.iter().any(|(key, _)| key == name);
            let version = described.get("versions").and_then(|versions| versions.get("nrepl"));
            let is_new = version.is_some_and(|version| {
                let number = version.get_text("version-string").or_else(|| version.as_text()).unwrap_or_default();
                is_at_least(&number, FIRST_WITH_LIMITS)
            });
            self.prints_with_limits = has(b"clojure") && is_new;
            if has(b"node") {
                self.flavour = Flavour::Node;
            }
        }
        self.version = versions.iter().take(6).map(|version| shortened(version)).collect::<Vec<_>>().join(", ");
        if let Some(namespace) = described.get("aux").and_then(|aux| aux.get_text("current-ns")) {
            self.namespace = namespace;
        }
    }

    /// Makes `server` the process of this image, and makes it compile the functions of frequent questions in the
    /// meantime.
    pub(crate) fn own(&mut self, server: Server) {
        self.server = Some(server);
        let Some(control) = self.control.clone().filter(|_| self.prints_with_limits) else { return };
        self.send_unasked(&control, &functions::preparation());
        self.prepared = true;
    }

    async fn cloned(&mut self) -> Result<String, String> {
        let request = vec![("op", Bencode::text("clone"))];
        let asked = self.exchange_once(request, Instant::now() + HELLO_LIMIT, &Controls::default()).await;
        let reply = Self::answered(asked, HELLO_LIMIT)?;
        let session = reply.last.and_then(|message| message.get_text("new-session"));
        session.ok_or_else(|| "it gives no session".to_owned())
    }

    /// Whether the server supports the operation.
    pub(crate) fn can(&self, operation: &str) -> bool {
        self.operations.iter().any(|known| known == operation)
    }

    /// The process, if it was started here.
    pub(crate) fn pid(&self) -> Option<i32> {
        self.server.as_ref().map(Server::pid)
    }

    /// The output since the last time: standard output, error output.
    pub(crate) fn take_output(&mut self) -> (Printed, Printed) {
        if let Some(server) = &self.server {
            let (stdout, stderr) = server.take_output();
            self.printed.out.add_printed(&stdout);
            self.printed.err.add_printed(&stderr);
        }
        (std::mem::take(&mut self.printed.out).printed(), std::mem::take(&mut self.printed.err).printed())
    }

    /// Removes the lines from the error output of the session that `wanted` recognizes, and returns their values.
    pub(crate) fn take_error_lines<T>(&mut self, wanted: impl Fn(&str) -> Option<T>) -> Vec<T> {
        self.printed.err.take_lines(wanted)
    }

    /// Asks a question besides the caller's code; an error is the reason in words why there is no answer.
    pub(crate) async fn question<'a>(
        &mut self,
        request: impl IntoIterator<Item = (&'a str, Bencode)>,
        limit: Duration,
    ) -> Result<Reply, String> {
        let asked = self.exchange(request, Instant::now() + limit, &Controls::default()).await;
        Self::answered(asked, limit)
    }

    fn answered(asked: Result<Reply, Lost>, limit: Duration) -> Result<Reply, String> {
        match asked {
            Err(lost) => Err(lost.death.status),
            Ok(reply) if reply.stopped.is_some() => Err(format!("no answer within {} s", limit.as_secs())),
            Ok(reply) => Ok(reply),
        }
    }

    /// Sends `request` and waits for its end, which comes soon after `deadline` or a request to stop. If the server has
    /// forgotten the session, a new one is made and the request sent once more.
    pub(crate) async fn exchange<'a>(
        &mut self,
        request: impl IntoIterator<Item = (&'a str, Bencode)>,
        deadline: Instant,
        controls: &Controls,
    ) -> Result<Reply, Lost> {
        let mut request: Vec<(&str, Bencode)> = request.into_iter().collect();
        let reply = self.exchange_once(request.clone(), deadline, controls).await?;
        if reply.stopped.is_some()
            && let Some(thread) = reply.thread
        {
            self.runs_on = Some(thread);
            self.watch_end(Instant::now() + END_LIMIT, controls).await?;
        }
        let place = request.iter_mut().find(|(key, _)| *key == "session").map(|(_, session)| session);
        let Some(session) = place.filter(|_| reply.has("unknown-session")) else { return Ok(reply) };
        let Ok(new) = self.cloned().await else { return Ok(reply) };
        if session.as_text().as_ref() == Some(&self.session) {
            self.session.clone_from(&new);
            self.was_forgotten = true;
            self.keep_input_open();
        } else {
            self.control = Some(new.clone());
        }
        *session = Bencode::text(new);
        self.exchange_once(request, deadline, controls).await
    }

    /// Whether an interrupted evaluation still runs. The status that it was interrupted does not mean that its thread
    /// has ended: code may catch the exception.
    pub(crate) async fn runs_on(&mut self) -> Result<bool, Lost> {
        self.watch_end(Instant::now(), &Controls::default()).await?;
        Ok(self.runs_on.is_some())
    }

    /// Asks until `limit` whether the thread of the interrupted evaluation has ended.
    async fn watch_end(&mut self, limit: Instant, controls: &Controls) -> Result<(), Lost> {
        while let (Some(thread), Some(control)) = (self.runs_on, self.control.clone()) {
            let question = [
                ("op", Bencode::text("eval")),
                ("session", Bencode::text(control)),
                ("code", Bencode::text(details::life_question(thread))),
            ];
            let deadline = Instant::now() + LIFE_LIMIT;
            let reply = self.exchange_once(question.into(), deadline, &Controls::default()).await?;
            let answer = reply.value.and_then(|(printed, _)| details::answer(&printed));
            if answer.is_some_and(|answer| !answer.get_truth("LIVES")) {
                self.runs_on = None;
                return Ok(());
            }
            if Instant::now() >= limit {
                return Ok(());
            }
            tokio::select! {
                () = controls.kill.cancelled() => return Err(self.give_up(Some(StopReason::Killed)).await),
                () = tokio::time::sleep(LOOK) => {}
            }
        }
        Ok(())
    }

    async fn exchange_once(
        &mut self,
        mut entries: Vec<(&str, Bencode)>,
        deadline: Instant,
        controls: &Controls,
    ) -> Result<Reply, Lost> {
        self.last_id += 1;
        let id = self.last_id.to_string();
        entries.push(("id", Bencode::text(&id)));
        let session = entries.iter().find(|(key, _)| *key == "session").and_then(|(_, value)| value.as_text());
        let is_evaluation = session.as_deref() == Some(self.session.as_str()) && !self.session.is_empty();
        self.connection.outgoing.push(&Bencode::dictionary(entries).encode());
        let mut reply = Reply::default();
        let mut supervision = Supervision::new(controls, deadline);
        self.server.iter().for_each(Server::begin);
        loop {
            let asking = reply.frames_id.is_some();
            let server = self.server.as_ref();
            match supervision.event(self.connection.next(), overflow(server), excess(server)).await {
                Event::Came(Ok(message)) => {
                    if self.take_in(&message, &id, &mut reply, &controls.activity) {
                        return Ok(reply);
                    }
                    if self.printed.is_too_much() && reply.stopped.is_none() && is_evaluation {
                        let next = self.stop(StopReason::Output, session.as_deref(), &mut reply);
                        supervision.stop(StopReason::Output, next);
                    } else if reply.stopped.is_some() && asking && reply.frames_id.is_none() {
                        supervision.wait(self.interrupt(&id, session.as_deref()));
                    }
                }
                Event::Came(Err(why)) => return Err(self.lost(why, reply.stopped).await),
                Event::Kill => return Err(self.give_up(Some(StopReason::Killed)).await),
                Event::Excess(Excess { reason, text, .. }) => {
                    let mut lost = self.give_up(Some(reason)).await;
                    lost.death.status = text;
                    return Err(lost);
                }
                Event::Stop(reason) => {
                    let next = self.stop(reason, session.as_deref(), &mut reply);
                    supervision.stop(reason, next);
                }
                Event::NextStep if reply.frames_id.take().is_some() => {
                    supervision.wait(self.interrupt(&id, session.as_deref()));
                }
                Event::NextStep => {
                    self.muted.push(id);
                    if is_evaluation || self.server.is_some() {
                        return Err(self.give_up(reply.stopped).await);
                    }
                    // Only this question is not answered; the session may still work.
                    return Ok(reply);
                }
            }
        }
    }

    /// Begins to stop a request: asks for its stack, which the interrupt has to wait for. Returns the end of that wait.
    fn stop(&mut self, reason: StopReason, session: Option<&str>, reply: &mut Reply) -> Instant {
        reply.stopped = Some(reason);
        self.last_id += 1;
        let id = self.last_id.to_string();
        reply.frames_id = Some(id.clone());
        let Some(control) = self.control.as_ref().filter(|_| session == Some(&self.session)) else {
            return Instant::now();
        };
        self.connection.outgoing.push(
            &Bencode::dictionary([
                ("op", Bencode::text("eval")),
                ("session", Bencode::text(control)),
                ("code", Bencode::text(details::stack_question(&self.session, self.prepared))),
                ("id", Bencode::text(id)),
            ])
            .encode(),
        );
        Instant::now() + FRAMES_LIMIT
    }

    /// Asks the server to stop request `id`; returns the end of the wait for it.
    fn interrupt(&mut self, id: &str, session: Option<&str>) -> Instant {
        let Some(session) = session.filter(|_| self.can("interrupt")) else { return Instant::now() };
        self.last_id += 1;
        self.connection.outgoing.push(
            &Bencode::dictionary([
                ("op", Bencode::text("interrupt")),
                ("session", Bencode::text(session)),
                ("interrupt-id", Bencode::text(id)),
                ("id", Bencode::text(self.last_id.to_string())),
            ])
            .encode(),
        );
        Instant::now() + GRACE
    }

    /// Records the content of a message; true when it ends request `id`.
    fn take_in(&mut self, message: &Bencode, id: &str, reply: &mut Reply, activity: &Activity) -> bool {
        let about = message.get_text("id");
        let is_mine = about.as_deref() == Some(id);
        if about.is_some() && about == reply.frames_id {
            if let Some(answer) = message.get_text("value").and_then(|value| details::answer(&value)) {
                reply.frames = answer.get("AT").map(|at| lisp_error(at).frames).unwrap_or_default();
                reply.thread = answer.get_integer("THREAD");
            }
            if message.get_texts("status").iter().any(|status| status == "done") {
                reply.frames_id = None;
            }
            return false;
        }
        if about.is_some_and(|about| self.muted.contains(&about)) {
            return false;
        }
        if let Some(Bencode::Bytes(text)) = message.get("out") {
            self.printed.out.add(text);
            activity.printed(text);
        }
        if let Some(Bencode::Bytes(text)) = message.get("err") {
            if is_mine && !self.prints_with_limits {
                // It may belong to an error that is reported separately.
                reply.complaint.push_str(&String::from_utf8_lossy(text));
            } else {
                self.printed.err.add(text);
            }
        }
        if !is_mine {
            return false;
        }
        if let Some(tests) = message.get_text("lispwright.tests").filter(|_| reply.stopped.is_none()) {
            self.note_tests(&tests, activity);
        }
        let statuses = message.get_texts("status");
        if let Some(thrown) = message.get_text("ex") {
            reply.thrown = Some(thrown);
        }
        if let Some(namespace) = message.get_text("ns") {
            reply.namespace = Some(namespace);
        }
        if let Some(value) = message.get_text("value") {
            reply.value = Some((value, statuses.iter().any(|status| status.ends_with("/truncated"))));
        }
        if statuses.iter().any(|status| status == "need-input") {
            reply.wanted_input = true;
            self.last_id += 1;
            // The empty string is the end of the input.
            self.connection.outgoing.push(
                &Bencode::dictionary([
                    ("op", Bencode::text("stdin")),
                    ("session", Bencode::text(&self.session)),
                    ("stdin", Bencode::text("")),
                    ("id", Bencode::text(self.last_id.to_string())),
                ])
                .encode(),
            );
        }
        let done = statuses.iter().any(|status| status == "done");
        reply.statuses.extend(statuses);
        if done {
            if reply.stopped.is_some() {
                // Its thread may go on for a while.
                self.muted.push(id.to_owned());
            }
            if reply.thrown.is_none() && !reply.complaint.is_empty() {
                self.printed.err.add(std::mem::take(&mut reply.complaint).as_bytes());
            }
            reply.last = Some(message.clone());
        }
        done
    }

    /// Records the reported progress of a test run.
    fn note_tests(&mut self, told: &str, activity: &Activity) {
        let Some(now) = Value::decode(told.as_bytes()).ok().as_ref().and_then(Tally::read) else { return };
        if let Some(running) = &now.running {
            activity.set(&format!("testing {running}"));
        }
        let mut failed_tests = self.underway.take().map(|before| before.failed_tests).unwrap_or_default();
        failed_tests.extend(now.failed_tests);
        self.underway = Some(Tally { failed_tests, ..now });
    }

    /// The server no longer answers.
    async fn lost(&mut self, why: String, reason: Option<StopReason>) -> Lost {
        let death = match &mut self.server {
            Some(server) => server.bury(false).await,
            None => Death { status: format!("{}: {why}", self.name), exited: false, killed: false },
        };
        Lost { death, reason }
    }

    /// The server does not respond: it is killed if it was started here, otherwise left alone.
    async fn give_up(&mut self, reason: Option<StopReason>) -> Lost {
        let death = match &mut self.server {
            Some(server) => server.bury(true).await,
            None => Death {
                status: format!(
                    "{} does not stop its evaluation; it belongs to somebody else and was left alone",
                    self.name
                ),
                exited: false,
                killed: false,
            },
        };
        Lost { death, reason }
    }

    /// Whether the server is there, as far as is known without asking it.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.server.as_mut().is_none_or(Server::is_alive)
    }

    /// Disconnects: ends a server that was started here, and closes the sessions on another's.
    pub(crate) async fn leave(mut self) {
        if let Some(mut server) = self.server.take() {
            server.bury(true).await;
            return;
        }
        let sessions: Vec<String> = std::iter::once(self.session.clone()).chain(self.control.take()).collect();
        for session in sessions {
            let request = [("op", Bencode::text("close")), ("session", Bencode::text(&session))];
            // If it does not answer, there is nothing to close.
            let _ = self.question(request, Duration::from_secs(1)).await;
        }
    }
}

/// Waits until the process prints too much to its descriptors.
async fn overflow(server: Option<&Server>) {
    match server {
        Some(server) => server.overflow().await,
        None => std::future::pending().await,
    }
}

/// Waits until the process exceeds its limits.
async fn excess(server: Option<&Server>) -> Excess {
    match server {
        Some(server) => server.excess().await,
        None => std::future::pending().await,
    }
}

/// Whether a version, `1.0.0` or `0.2.13-SNAPSHOT`, is `first` or later.
fn is_at_least(version: &str, first: (u32, u32)) -> bool {
    let mut numbers =
        version.split(|character: char| !character.is_ascii_digit()).map(|digits| digits.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= first
}

/// The first 60 characters of a server's text, on one line.
fn shortened(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(60).collect()
}
