//! Status: runtimes, sessions, limits and isolation.

use lispwright_runtime::{
    Capability, CheckpointStatus, LACKS, Runtime, SessionError, SessionStatus, Sessions, State, Status, WorkerStatus,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::refusal::Refusal;

/// The status of all runtimes and sessions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StatusAnswer {
    /// The working directory of images.
    pub root: String,
    /// All runtimes, including those that are not installed.
    pub runtimes: Vec<RuntimeFacts>,
    /// The sessions.
    pub sessions: Vec<SessionFacts>,
    /// The most sessions.
    pub max_sessions: usize,
    /// The idle time after which an image is ended.
    pub max_idle_seconds: Option<f64>,
    /// The heap size of an image.
    pub heap_megabytes: u32,
    /// The start of images, by runtime.
    pub workers: Vec<WorkerFacts>,
    /// The memory limit of an image together with all that it started.
    pub memory_limit_megabytes: u64,
    /// The limit of their processes.
    pub max_processes: u32,
    /// The command that launches every image.
    pub launcher: Vec<String>,
    /// The protections that this system lacks, by name.
    pub lacks: Vec<&'static str>,
    /// The isolation of images: `process`, the mechanism of a sandbox, or `none-works`.
    pub isolation: &'static str,
    /// The status from the runtime crate.
    #[serde(skip)]
    pub status: Status,
    /// The reader asked for the whole status.
    #[serde(skip)]
    pub shows_all: bool,
}

/// A runtime.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RuntimeFacts {
    /// Its name.
    pub name: &'static str,
    /// Its program, if it is installed.
    pub path: Option<String>,
    /// The version that its program prints.
    pub version: Option<String>,
    /// Its capabilities.
    pub capabilities: Vec<&'static str>,
    /// Its row.
    #[serde(skip)]
    pub runtime: Runtime,
}

impl RuntimeFacts {
    /// It is installed, and sessions can run it.
    pub fn is_usable(&self) -> bool {
        self.path.is_some() && self.runtime.can(Capability::Eval)
    }
}

/// A session.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SessionFacts {
    /// Its name.
    pub session: String,
    /// Its runtime.
    pub runtime: &'static str,
    /// `idle`, `busy`, `no-image` or `stopped`.
    pub state: &'static str,
    /// The process of its image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// Implementation and version, from the image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The uptime of its image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_seconds: Option<u64>,
    /// Its share of the memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_kb: Option<u64>,
    /// The number of its evaluations.
    pub evaluations: u64,
    /// Its package after the last call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Its present activity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
    /// The calls that wait for their turn.
    pub waiting: Vec<String>,
    /// The duration of its running call so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running_seconds: Option<f64>,
    /// The number of images lost within the last five minutes.
    pub crashes: usize,
    /// The number of held stacks.
    pub held: u32,
    /// Interrupted code still ran when its last call ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs_on: Option<bool>,
    /// Its checkpoints, oldest first.
    pub checkpoints: Vec<CheckpointFacts>,
}

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckpointFacts {
    /// Its name.
    pub name: String,
    /// The sleeping process.
    pub pid: i32,
    /// Its share of the memory.
    pub memory_kb: Option<u64>,
}

/// The start of the images of a runtime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorkerFacts {
    /// The runtime.
    pub runtime: &'static str,
    /// The process of the spare image.
    pub spare_pid: Option<i32>,
    /// The saved image from which they start.
    pub saved_image: Option<String>,
    /// The reason why they start without one.
    pub plain_start: Option<String>,
}

/// The status; of the sessions `only` this one, if it is given.
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
        shows_all: false,
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
                State::Starting => "starting",
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
