//! A conversation with one nREPL server: who it is, what it was sent, what came of it.
//!
//! A request is answered by any number of messages that bear its number, the last of which says `done`. Between them
//! come what code printed, also code of earlier requests that goes on in other threads. What is not understood is passed
//! over, so that servers may say more than they do today.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::bencode::{Bencode, Decoder};
use super::details::{self, Flavour};
use super::server::Server;
use crate::activity::Activity;
use crate::capture::{Kept, Printed};
use crate::eval::{Frame, lisp_error};
use crate::exchange::{Event, Supervision};
use crate::remote::Lost;
use crate::remote::connection::Connection;
use crate::stop::{Controls, Death, StopReason};
use crate::watch::Excess;
use crate::wire::Value;
use crate::work::Tally;

/// How long a server may take to say who it is.
const HELLO_LIMIT: Duration = Duration::from_secs(10);

/// How long a question beside the caller's code may take.
pub(crate) const QUESTION_LIMIT: Duration = Duration::from_secs(5);

/// How long the interrupt waits for the answer where the code is.
const FRAMES_LIMIT: Duration = Duration::from_secs(2);

/// How long an answer waits for the end of a thread that was interrupted. nREPL asks it to stop, and stops it by force after
/// five seconds.
const END_LIMIT: Duration = Duration::from_millis(300);

/// How long a server whose processor is taken by such a thread may take to say whether it lives.
const LIFE_LIMIT: Duration = Duration::from_secs(30);

/// Between two looks at it.
const LOOK: Duration = Duration::from_millis(50);

/// From the request to stop until the server is given up.
const GRACE: Duration = Duration::from_secs(3);

/// The first nREPL that prints under limits and lets a client say what becomes of an error.
const FIRST_WITH_LIMITS: (u32, u32) = (0, 6);

/// A server, and a session on it.
pub(crate) struct Image {
    connection: Connection<Decoder>,
    /// What it is called in words to the user.
    name: String,
    /// Where it listens, if it does.
    pub(crate) address: Option<SocketAddr>,
    /// Its process, when it was started here.
    pub(crate) server: Option<Server>,
    pub(crate) session: String,
    /// A second session, for questions that leave `*1` and `*e` of the first alone.
    pub(crate) control: Option<String>,
    pub(crate) flavour: Flavour,
    /// The server prints under limits and keeps errors to itself when it is told to.
    pub(crate) prints_with_limits: bool,
    /// The server keeps what it is asked often.
    pub(crate) prepared: bool,
    operations: Vec<String>,
    /// Implementations and versions, as the server says.
    pub(crate) version: String,
    /// The namespace that code is evaluated in.
    pub(crate) namespace: String,
    /// When the conversation began.
    pub(crate) started: Instant,
    /// The thread of an evaluation that was interrupted and went on all the same.
    runs_on: Option<i64>,
    last_id: u64,
    /// Evaluations since the class loaders that they leave behind were last taken away.
    pub(crate) since_loaders: u32,
    /// Requests that were given up; what their code still prints is nobody's output.
    muted: Vec<String>,
    printed: Output,
    /// The server knew the session no more, and it was made anew.
    pub(crate) was_forgotten: bool,
    /// How far a run of tests is.
    pub(crate) underway: Option<Tally>,
}

/// What code printed to the streams of its session.
#[derive(Default)]
struct Output {
    out: Kept,
    err: Kept,
    limit: u64,
}

impl Output {
    fn is_too_much(&self) -> bool {
        self.out.total() > self.limit || self.err.total() > self.limit
    }
}

/// What came of a request.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// The last value, and whether it was cut.
    pub(crate) value: Option<(String, bool)>,
    /// The namespace afterwards.
    pub(crate) namespace: Option<String>,
    /// The class of what was thrown, in the server's words.
    pub(crate) thrown: Option<String>,
    /// What the server printed about it.
    pub(crate) complaint: String,
    /// Every status that came.
    pub(crate) statuses: Vec<String>,
    /// Code wanted to read from the standard input.
    pub(crate) wanted_input: bool,
    /// Why the code was told to stop, if it was.
    pub(crate) stopped: Option<StopReason>,
    /// Where it was when it was told to stop.
    pub(crate) frames: Vec<Frame>,
    /// The thread that it ran in, by its number in the server.
    thread: Option<i64>,
    /// The number of the request for that, until it is answered.
    frames_id: Option<String>,
    /// The last message, for what only some operations say.
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
            printed: Output { limit: output_limit, ..Output::default() },
        };
        let described = image.question([("op", Bencode::text("describe"))], HELLO_LIMIT).await.map_err(no)?;
        let described = described.last.unwrap_or(Bencode::Integer(0));
        image.take_note(&described);
        image.session = image.cloned().await.map_err(no)?;
        if image.flavour == Flavour::Jvm && image.can("interrupt") {
            image.control = image.cloned().await.ok();
        }
        Ok(image)
    }

    /// Remembers what the server says about itself.
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

    /// Makes `server` the process of this image, and has it compile in the meantime what it will be asked.
    pub(crate) fn own(&mut self, server: Server) {
        self.server = Some(server);
        let Some(control) = self.control.as_ref().filter(|_| self.prints_with_limits) else { return };
        self.last_id += 1;
        self.connection.outgoing.push(
            &Bencode::dictionary([
                ("op", Bencode::text("eval")),
                ("session", Bencode::text(control)),
                ("code", Bencode::text(details::preparation())),
                ("id", Bencode::text(self.last_id.to_string())),
            ])
            .encode(),
        );
        self.prepared = true;
    }

    async fn cloned(&mut self) -> Result<String, String> {
        let request = vec![("op", Bencode::text("clone"))];
        let asked = self.exchange_once(request, Instant::now() + HELLO_LIMIT, &Controls::default()).await;
        let reply = Self::answered(asked, HELLO_LIMIT)?;
        let session = reply.last.and_then(|message| message.get_text("new-session"));
        session.ok_or_else(|| "it gives no session".to_owned())
    }

    /// Whether the server says that it knows the operation.
    pub(crate) fn can(&self, operation: &str) -> bool {
        self.operations.iter().any(|known| known == operation)
    }

    /// The process, when it was started here.
    pub(crate) fn pid(&self) -> Option<i32> {
        self.server.as_ref().map(Server::pid)
    }

    /// What was printed since the last time: standard output, error output.
    pub(crate) fn take_output(&mut self) -> (Printed, Printed) {
        if let Some(server) = &self.server {
            let (stdout, stderr) = server.take_output();
            self.printed.out.add_printed(&stdout);
            self.printed.err.add_printed(&stderr);
        }
        (std::mem::take(&mut self.printed.out).printed(), std::mem::take(&mut self.printed.err).printed())
    }

    /// Takes the lines out of the error output of the session that `wanted` makes something of.
    pub(crate) fn take_error_lines<T>(&mut self, wanted: impl Fn(&str) -> Option<T>) -> Vec<T> {
        self.printed.err.take_lines(wanted)
    }

    /// Asks something beside the caller's code; in words why there is no answer.
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

    /// Sends `request` and follows it to its end, which comes soon after `deadline` or after somebody asks for it. A session
    /// that the server has forgotten is made anew, and the request sent once more.
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
        } else {
            self.control = Some(new.clone());
        }
        *session = Bencode::text(new);
        self.exchange_once(request, deadline, controls).await
    }

    /// Whether an evaluation that was interrupted runs on. nREPL's word that it was interrupted does not mean that its thread
    /// has ended: code may catch what is thrown there.
    pub(crate) async fn runs_on(&mut self) -> Result<bool, Lost> {
        self.watch_end(Instant::now(), &Controls::default()).await?;
        Ok(self.runs_on.is_some())
    }

    /// Looks until `limit` whether the thread has ended whose evaluation was interrupted.
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
                    // A question that nobody answers; the session may still do.
                    return Ok(reply);
                }
            }
        }
    }

    /// Begins to stop a request: asks where it is, which the interrupt has to wait for. Until when that is.
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

    /// Asks the server to stop request `id`; until when that is waited for.
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

    /// Notes what a message says; true when it ends request `id`.
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
                // It may be about an error that is reported by itself.
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

    /// Notes how far a run of tests says that it is.
    fn note_tests(&mut self, told: &str, activity: &Activity) {
        let Some(now) = Value::decode(told.as_bytes()).ok().as_ref().and_then(Tally::read) else { return };
        if let Some(running) = &now.running {
            activity.set(&format!("testing {running}"));
        }
        let mut failed_tests = self.underway.take().map(|before| before.failed_tests).unwrap_or_default();
        failed_tests.extend(now.failed_tests);
        self.underway = Some(Tally { failed_tests, ..now });
    }

    /// The server does not answer any more.
    async fn lost(&mut self, why: String, reason: Option<StopReason>) -> Lost {
        let death = match &mut self.server {
            Some(server) => server.bury(false).await,
            None => Death { status: format!("{}: {why}", self.name), exited: false, killed: false },
        };
        Lost { death, reason }
    }

    /// The server does not listen: ours is killed, another's left alone.
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

    /// Whether the server is there, as far as can be seen without asking.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.server.as_mut().is_none_or(Server::is_alive)
    }

    /// Takes leave: ends a server that was started here, and closes the sessions on another's.
    pub(crate) async fn leave(mut self) {
        if let Some(mut server) = self.server.take() {
            server.bury(true).await;
            return;
        }
        let sessions: Vec<String> = std::iter::once(self.session.clone()).chain(self.control.take()).collect();
        for session in sessions {
            let request = [("op", Bencode::text("close")), ("session", Bencode::text(&session))];
            // One that does not answer has nothing to be closed.
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

/// Waits until the process takes more than it may.
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

/// A server's words, at most 60 characters of them on one line.
fn shortened(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(60).collect()
}
