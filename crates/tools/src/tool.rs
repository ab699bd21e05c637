//! What a tool is: a name, a schema, how it may be used, and a function from arguments to a [`Reply`].
//!
//! A skin never looks inside a tool. It lists tools by their data, checks arguments against `input_schema`, and shows
//! the text or the fields of what it answers.

use std::fmt;
use std::ops::Deref;
use std::pin::pin;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use futures::poll;
use lispwright_runtime::Ticket;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::answer::Reply;
use crate::arrival::Arrival;
use crate::event::{Event, Observer};

/// A group of tools that is offered or left out as a whole (`--toolsets`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ToolSet {
    /// Reading, editing, searching and evaluating Lisp: always offered; the other sets come on top.
    Default,
    /// Documentation look-ups.
    Docs,
    /// The stateless delimiter protocol.
    Guard,
}

/// How a client may treat a call, in the terms of MCP's tool annotations. All four are always sent.
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
    /// Looks into a live image of this machine. Printing a value may run code, so it is not called read-only.
    pub const LOOKS: Self = Self { read_only: false, destructive: false, idempotent: true, open_world: false };
    /// Runs code with the user's rights.
    pub const RUNS: Self = Self { read_only: false, destructive: true, idempotent: false, open_world: true };
}

/// Where progress goes: seconds elapsed, and a few words.
pub type Progress = Arc<dyn Fn(f64, &str) + Send + Sync>;

/// What a call is given besides its arguments.
#[derive(Clone, Default)]
pub struct CallContext {
    /// Cancelled when the client withdraws the call.
    pub cancel: CancellationToken,
    /// Where progress goes, when the client asked for it.
    pub progress: Option<Progress>,
    /// Who calls: name and version of the client, or the command.
    pub caller: Option<Arc<str>>,
    /// Who watches what happens.
    pub observer: Option<Arc<dyn Observer>>,
    /// When it came, for a call that may change something and is not alone.
    pub arrival: Option<Arc<Arrival>>,
    /// What it asked an image, once that has answered.
    pub asked: Arc<Mutex<Option<Ticket>>>,
}

impl CallContext {
    /// Waits until all that came before stand in the queues of their sessions or are over, or until the call is withdrawn.
    pub(crate) async fn turn(&self) {
        if let Some(arrival) = &self.arrival {
            tokio::select! {
                () = arrival.turn() => {}
                () = self.cancel.cancelled() => {}
            }
        }
    }

    /// Lets those go on that came later.
    pub(crate) fn leave(&self) {
        if let Some(arrival) = &self.arrival {
            arrival.leave();
        }
    }

    /// Does `work` that takes its place in a queue as it begins, in the order in which calls came.
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

    /// Does `work`, and says every second what it is `doing`.
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

    /// Tells those who watch what has happened.
    pub(crate) fn observe(&self, event: &Event<'_>) {
        if let Some(observer) = &self.observer {
            observer.observe(self.caller.as_deref(), event);
        }
    }

    /// Takes note of what an image was asked.
    pub(crate) fn has_asked(&self, ticket: Ticket) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some(ticket);
    }

    /// What an image was asked last, if one was.
    pub(crate) fn ticket(&self) -> Option<Ticket> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The function behind a tool. Arguments have passed the check against `input_schema`; absent ones are absent.
pub type Run = Arc<dyn Fn(Map<String, Value>, CallContext) -> BoxFuture<'static, Reply> + Send + Sync>;

/// A JSON Schema that is made when somebody first looks at it: a server answers before its tools are listed.
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
    /// The schema that says nothing.
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
    /// What it is for and when to use it, for a model that reads it before the first call.
    pub description: &'static str,
    /// The group it belongs to.
    pub set: ToolSet,
    /// How a client may treat it.
    pub annotations: Annotations,
    /// JSON Schema of the arguments: an object with `properties`, `required`, `additionalProperties: false`.
    pub input_schema: Schema,
    /// JSON Schema of the answer's fields.
    pub output_schema: Schema,
    /// Does the work.
    pub run: Run,
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).field("set", &self.set).finish_non_exhaustive()
    }
}
