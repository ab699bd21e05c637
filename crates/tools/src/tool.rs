//! A tool: a name, a schema, annotations, and a function from arguments to a [`Reply`].
//!
//! A skin never looks inside a tool. It lists tools by their data, checks arguments against `input_schema`, and shows
//! the text or the fields of the answer.

use std::collections::HashSet;
use std::fmt;
use std::ops::Deref;
use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use futures::poll;
use lispwright_project::Roots;
use lispwright_runtime::{Notice, Ticket};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::answer::{Answer, NotedAnswer, Reply};
use crate::arrival::Arrival;
use crate::event::{Event, Observer};
use crate::refusal::Refusal;

/// A group of tools that is offered or left out as a whole (`--toolsets`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToolSet {
    /// Reading, editing, searching and evaluating Lisp: always offered, with or without other sets.
    Default,
    /// Files of any kind, and the root of the project.
    Fs,
    /// Documentation look-ups.
    Docs,
    /// Looks at running code: calls, time, instructions.
    Debug,
    /// Changes across files.
    Refactor,
    /// The stateless delimiter protocol.
    Guard,
}

/// The properties of calls that matter to a client, as MCP's tool annotations. All four are always sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotations {
    /// The call changes nothing.
    pub read_only: bool,
    /// The call may destroy something that was there.
    pub destructive: bool,
    /// Calling again with the same arguments changes nothing more.
    pub idempotent: bool,
    /// The call may reach beyond the project, as evaluated code can.
    pub open_world: bool,
}

impl Annotations {
    /// Looks at the project, changes nothing.
    pub const READS: Self = Self { read_only: true, destructive: false, idempotent: true, open_world: false };
    /// Changes files below the root.
    pub const WRITES: Self = Self { read_only: false, destructive: true, idempotent: false, open_world: false };
    /// Changes what the server works on, and no file.
    pub const SETS: Self = Self { read_only: false, destructive: false, idempotent: true, open_world: false };
    /// Looks into a live image of this machine. Printing a value may run code, so it is not read-only.
    pub const LOOKS: Self = Self { read_only: false, destructive: false, idempotent: true, open_world: false };
    /// Runs code with the user's rights.
    pub const RUNS: Self = Self { read_only: false, destructive: true, idempotent: false, open_world: true };
}

/// The receiver of progress: elapsed seconds, and a few words.
pub type Progress = Arc<dyn Fn(f64, &str) + Send + Sync>;

/// The context of a call, besides its arguments.
#[derive(Clone, Default)]
pub struct CallContext {
    /// Cancelled when the client withdraws the call.
    pub cancel: CancellationToken,
    /// The receiver of progress, if the client asked for it.
    pub progress: Option<Progress>,
    /// The caller: name and version of the client, or the command.
    pub caller: Option<Arc<str>>,
    /// The observer of events.
    pub observer: Option<Arc<dyn Observer>>,
    /// The directory below which files are called by what follows it.
    pub root: Option<Arc<Path>>,
    /// Its place among the calls of its connection.
    pub arrival: Option<Arc<Arrival>>,
    /// The request that an image has answered for it.
    pub asked: Arc<Mutex<Option<Ticket>>>,
    /// What its reader has to know about sessions, beside the answer.
    pub notes: Arc<Mutex<Vec<(String, Notice)>>>,
    /// The names that fresh images lacked in this call and that no file of the project defines, by the sessions that these
    /// images were for.
    pub lacking: Arc<Mutex<HashSet<(String, String)>>>,
}

impl CallContext {
    /// Waits until all earlier calls are in the queues of their sessions or over, or until this call is withdrawn.
    pub(crate) async fn turn(&self) {
        if let Some(arrival) = &self.arrival {
            tokio::select! {
                () = arrival.turn() => {}
                () = self.cancel.cancelled() => {}
            }
        }
    }

    /// The same for work on files, which does not wait for calls that touch none.
    pub(crate) async fn turn_for_files(&self) {
        if let Some(arrival) = &self.arrival {
            tokio::select! {
                () = arrival.turn_for_files() => {}
                () = self.cancel.cancelled() => {}
            }
        }
    }

    /// States that the call touches no file of the project.
    pub(crate) fn leaves_files(&self) {
        if let Some(arrival) = &self.arrival {
            arrival.leaves_files();
        }
    }

    /// Lets later calls go on.
    pub(crate) fn leave(&self) {
        if let Some(arrival) = &self.arrival {
            arrival.leave();
        }
    }

    /// Runs `work`, which waits for the disk, in the order in which calls came, on a thread that answers no calls.
    pub(crate) async fn on_files<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.turn_for_files().await;
        let ended = |error: tokio::task::JoinError| Err(Refusal::Ended { why: error.to_string() });
        tokio::task::spawn_blocking(work).await.unwrap_or_else(ended)
    }

    /// Runs `work`, which takes less time than another thread needs to wake, in the order in which calls came.
    pub(crate) async fn at_once<T>(&self, work: impl FnOnce() -> T) -> T {
        self.turn_for_files().await;
        work()
    }

    /// Starts `work`, which enters a queue with its first step, in the order in which calls came.
    pub(crate) async fn in_order<T>(&self, work: impl Future<Output = T>) -> T {
        self.turn().await;
        let mut work = pin!(work);
        let begun = poll!(work.as_mut());
        self.leave();
        match begun {
            Poll::Ready(done) => done,
            Poll::Pending => work.await,
        }
    }

    /// Runs `work` and reports every second what it is `doing`.
    pub(crate) async fn telling<T>(&self, doing: impl Fn() -> String, work: impl Future<Output = T>) -> T {
        let Some(progress) = &self.progress else { return work.await };
        let mut work = pin!(work);
        let began = Instant::now();
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        tick.reset();
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                _ = tick.tick() => progress(began.elapsed().as_secs_f64(), &doing()),
            }
        }
    }

    /// Reports an event to the observer.
    pub(crate) fn observe(&self, event: &Event<'_>) {
        if let Some(observer) = &self.observer {
            observer.observe(self.caller.as_deref(), event);
        }
    }

    /// Adds what the reader of the answer has to know about a session.
    pub(crate) fn note(&self, session: &str, notice: Notice) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push((session.to_owned(), notice));
    }

    /// The answer, with what its reader has to know beside it. What was taken back in `roots` is told with an answer, not
    /// with a refusal.
    pub(crate) fn noted(&self, reply: Reply, roots: &Roots) -> Reply {
        let notes = std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner));
        let answer = reply?;
        let taken_back = roots.taken_back();
        if notes.is_empty() && taken_back.is_empty() {
            return Ok(answer);
        }
        Ok(Answer::Noted(Box::new(NotedAnswer { answer, notes, taken_back })))
    }

    /// Records what a fresh image lacked that was to take the place of the session's own.
    pub(crate) fn note_lacking(&self, session: &str, names: Option<HashSet<String>>) {
        let names = names.into_iter().flatten().map(|name| (session.to_owned(), name));
        self.lacking.lock().unwrap_or_else(PoisonError::into_inner).extend(names);
    }

    /// Whether such an image has lacked each of these names in this call.
    pub(crate) fn has_lacked(&self, session: &str, names: HashSet<String>) -> bool {
        let known = self.lacking.lock().unwrap_or_else(PoisonError::into_inner);
        names.into_iter().all(|name| known.contains(&(session.to_owned(), name)))
    }

    /// Records the request that an image has answered.
    pub(crate) fn has_asked(&self, ticket: Ticket) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some(ticket);
    }

    /// The last request that an image has answered, if any.
    pub(crate) fn ticket(&self) -> Option<Ticket> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The function of a tool. Its arguments have passed the check against `input_schema`.
pub type Run = Arc<dyn Fn(Map<String, Value>, CallContext) -> BoxFuture<'static, Reply> + Send + Sync>;

/// A JSON Schema that is made at its first use, because a server answers before its tools are listed.
#[derive(Clone)]
pub struct Schema(Arc<LazyLock<Map<String, Value>, MakeSchema>>);

type MakeSchema = Box<dyn FnOnce() -> Map<String, Value> + Send>;

impl Schema {
    /// The schema that `make` gives. It is called at most once, and must not panic.
    pub fn new(make: impl FnOnce() -> Map<String, Value> + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(make))))
    }
}

impl Default for Schema {
    /// The empty schema.
    fn default() -> Self {
        Self::new(Map::new)
    }
}

impl Deref for Schema {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// One operation as a skin sees it.
#[derive(Clone)]
pub struct Tool {
    /// `[a-z0-9_]`, at most 40 characters.
    pub name: &'static str,
    /// A few words for people.
    pub title: &'static str,
    /// Its purpose and use, for a model that reads it before the first call.
    pub description: &'static str,
    /// Its group.
    pub set: ToolSet,
    /// The properties of its calls.
    pub annotations: Annotations,
    /// JSON Schema of the arguments: an object with `properties`, `required`, `additionalProperties: false`.
    pub input_schema: Schema,
    /// JSON Schema of the answer's fields.
    pub output_schema: Schema,
    /// Its function.
    pub run: Run,
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).field("set", &self.set).finish_non_exhaustive()
    }
}
