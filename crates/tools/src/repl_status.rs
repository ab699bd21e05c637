//! What runs and what could: runtimes, sessions, limits and what keeps images in.

use lispwright_runtime::{
    Capability, CheckpointStatus, LACKS, Runtime, SessionError, SessionStatus, Sessions, State, Status, WorkerStatus,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::refusal::Refusal;

/// What is known about the live side as a whole.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StatusAnswer {
    /// The directory that images work in.
    pub root: String,
    /// Every runtime, those that are not installed too.
    pub runtimes: Vec<RuntimeFacts>,
    /// The sessions.
    pub sessions: Vec<SessionFacts>,
    /// How many there may be.
    pub max_sessions: usize,
    /// How long an image may be idle before it is ended.
    pub max_idle_seconds: Option<f64>,
    /// The heap of an image.
    pub heap_megabytes: u32,
    /// How images start.
    pub workers: Vec<WorkerFacts>,
    /// What an image and all that it started may take together.
    pub memory_limit_megabytes: u64,
    /// How many processes they may be.
    pub max_processes: u32,
    /// The command in front of every image.
    pub launcher: Vec<String>,
    /// What this system does not have for images, by name.
    pub lacks: Vec<&'static str>,
    /// What keeps images in: `process`, the mechanism of a sandbox, or `none-works`.
    pub isolation: &'static str,
    /// The same, as the runtime side knows it.
    #[serde(skip)]
    pub status: Status,
}

/// A runtime.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RuntimeFacts {
    /// Its name.
    pub name: &'static str,
    /// Its program, when it is installed.
    pub path: Option<String>,
    /// What that says of its version.
    pub version: Option<String>,
    /// What it can do here.
    pub capabilities: Vec<&'static str>,
    /// Its row.
    #[serde(skip)]
    pub runtime: Runtime,
}

impl RuntimeFacts {
    /// It is installed, and sessions can have it.
    pub fn is_usable(&self) -> bool {
        self.path.is_some() && self.runtime.can(Capability::Eval)
    }
}

/// A session.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SessionFacts {
    /// Its name.
    pub session: String,
    /// What it runs.
    pub runtime: &'static str,
    /// `idle`, `busy`, `no-image` or `stopped`.
    pub state: &'static str,
    /// The process of its image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// Implementation and version, as the image says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// How long its image has run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_seconds: Option<u64>,
    /// Its share of the memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_kb: Option<u64>,
    /// How many evaluations were asked of it.
    pub evaluations: u64,
    /// Its package after the last call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// What it is doing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
    /// What waits for its turn.
    pub waiting: Vec<String>,
    /// How long the call has run that it is busy with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running_seconds: Option<f64>,
    /// Images lost within the last five minutes.
    pub crashes: usize,
    /// How many stacks are held.
    pub held: u32,
    /// Interrupted code still ran when its last call ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs_on: Option<bool>,
    /// What it can be rolled back to, oldest first.
    pub checkpoints: Vec<CheckpointFacts>,
}

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckpointFacts {
    /// Its name.
    pub name: String,
    /// The process that sleeps.
    pub pid: i32,
    /// Its share of the memory.
    pub memory_kb: Option<u64>,
}

/// How the images of a runtime start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorkerFacts {
    /// The runtime.
    pub runtime: &'static str,
    /// The process of the spare.
    pub spare_pid: Option<i32>,
    /// The saved image that they start from.
    pub saved_image: Option<String>,
    /// Why they start without one.
    pub plain_start: Option<String>,
}

/// What runs and what could; of the sessions `only` this one.
pub(crate) async fn status(sessions: &Sessions, only: Option<&str>) -> Result<StatusAnswer, Refusal> {
    let mut status = sessions.status();
    if let Some(only) = only {
        status.sessions.retain(|session| session.name == only);
        if status.sessions.is_empty() {
            return Err(SessionError::Unknown(only.to_owned()).into());
        }
    }
    let mut runtimes = Vec::new();
    for runtime in Runtime::all() {
        runtimes.push(RuntimeFacts {
            name: runtime.name,
            path: runtime.find().map(|path| path.display().to_string()),
            version: if runtime.can(Capability::Eval) { sessions.version(runtime).await } else { None },
            capabilities: runtime.has.iter().map(|capability| capability.as_str()).collect(),
            runtime,
        });
    }
    Ok(StatusAnswer {
        root: status.root.display().to_string(),
        runtimes,
        sessions: status.sessions.iter().map(SessionFacts::from).collect(),
        max_sessions: status.max_sessions,
        max_idle_seconds: status.max_idle.map(|idle| idle.as_secs_f64()),
        heap_megabytes: status.heap_megabytes,
        workers: status.workers.iter().map(WorkerFacts::from).collect(),
        memory_limit_megabytes: status.memory_limit,
        max_processes: status.max_processes,
        launcher: status.launcher.clone(),
        lacks: LACKS.iter().map(|lack| lack.name()).collect(),
        isolation: match &status.sandbox {
            None => "process",
            Some(Ok(sandbox)) => sandbox.mechanism,
            Some(Err(_)) => "none-works",
        },
        status,
    })
}

impl From<&WorkerStatus> for WorkerFacts {
    fn from(workers: &WorkerStatus) -> Self {
        Self {
            runtime: workers.runtime.name,
            spare_pid: workers.spare_pid,
            saved_image: workers.saved_image.as_ref().map(|path| path.display().to_string()),
            plain_start: workers.plain_start.clone(),
        }
    }
}

impl From<&SessionStatus> for SessionFacts {
    fn from(session: &SessionStatus) -> Self {
        let checkpoint = |one: &CheckpointStatus| CheckpointFacts {
            name: one.name.clone(),
            pid: one.pid,
            memory_kb: one.memory_kb(),
        };
        Self {
            session: session.name.clone(),
            runtime: session.runtime.name,
            state: match session.state {
                State::Idle => "idle",
                State::Busy => "busy",
                State::NoImage => "no-image",
                State::Stopped => "stopped",
            },
            pid: session.pid,
            version: session.version.clone(),
            uptime_seconds: session.uptime.map(|uptime| uptime.as_secs()),
            memory_kb: session.memory_kb,
            evaluations: session.evaluations,
            package: session.package.clone(),
            doing: session.doing.clone(),
            waiting: session.waiting.iter().map(|(what, _)| what.clone()).collect(),
            running_seconds: session.running_for.map(|running| running.as_secs_f64()),
            crashes: session.crashes,
            held: session.held,
            runs_on: session.runs_on.then_some(true),
            checkpoints: session.checkpoints.iter().map(checkpoint).collect(),
        }
    }
}
