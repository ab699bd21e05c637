//! The state of sessions and workers, for display.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lispwright_platform::{Here, System as _};

use crate::agent::Start;
use crate::backends::Runtime;
use crate::factory::Factory;
use crate::sandbox::Sandbox;

/// The state of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its image waits for a call.
    Idle,
    /// Its image runs a call, or starts.
    Busy,
    /// Its image starts, and no call waits for that.
    Starting,
    /// It has no image; the next call starts one.
    NoImage,
    /// It lost too many images and waits for a reset.
    Stopped,
}

/// The state of one session.
#[derive(Clone, Debug)]
pub struct SessionStatus {
    /// Its name.
    pub name: String,
    /// Its runtime.
    pub runtime: Runtime,
    /// Its state.
    pub state: State,
    /// The process of its image.
    pub pid: Option<i32>,
    /// Implementation and version, as the image reports them.
    pub version: Option<String>,
    /// The time that its image has run.
    pub uptime: Option<Duration>,
    /// Its share of the memory in kilobytes (PSS, else RSS), if the system counts it.
    pub memory_kb: Option<u64>,
    /// The number of its evaluations.
    pub evaluations: u64,
    /// Its package after the last call.
    pub package: Option<String>,
    /// The number of stacks of errors and interrupts that are held in its image.
    pub held: u32,
    /// Interrupted code still ran in its image when its last call ended.
    pub runs_on: bool,
    /// Its checkpoints, oldest first.
    pub checkpoints: Vec<CheckpointStatus>,
    /// The time that its current call has run.
    pub running_for: Option<Duration>,
    /// The activity of that call, in words.
    pub doing: Option<String>,
    /// The waiting calls, in words, and how long they have waited.
    pub waiting: Vec<(String, Duration)>,
    /// The number of images lost within the last five minutes.
    pub crashes: usize,
}

/// An image that is kept for a rollback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointStatus {
    /// Its name.
    pub name: String,
    /// The sleeping process.
    pub pid: i32,
    /// The time at which it was made.
    pub made: Instant,
}

impl CheckpointStatus {
    /// Its share of the memory in kilobytes, if the system counts it.
    pub fn memory_kb(&self) -> Option<u64> {
        memory_kb(self.pid)
    }
}

/// The state of all sessions and workers.
#[derive(Clone, Debug)]
pub struct Status {
    /// The project root: the working directory of the images.
    pub root: PathBuf,
    /// Every session, by name.
    pub sessions: Vec<SessionStatus>,
    /// The limit on their number.
    pub max_sessions: usize,
    /// The workers of each runtime that can run, in the order of [`Runtime::all`].
    pub workers: Vec<WorkerStatus>,
    /// The time after which an idle image is ended.
    pub max_idle: Option<Duration>,
    /// The heap of an image in megabytes.
    pub heap_megabytes: u32,
    /// The memory limit of an image, its copies and their processes, in megabytes.
    pub memory_limit: u64,
    /// The limit on their number.
    pub max_processes: u32,
    /// The sandbox of the workers, or the reason why there is none and no worker starts; `None` when none was asked
    /// for.
    pub sandbox: Option<Result<SandboxStatus, String>>,
    /// The command in front of every worker.
    pub launcher: Vec<String>,
}

/// The sandbox in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxStatus {
    /// `landlock` or `bubblewrap`.
    pub mechanism: &'static str,
    /// The guarantees, in words.
    pub text: String,
}

/// The state of the workers of one runtime.
#[derive(Clone, Debug)]
pub struct WorkerStatus {
    /// The runtime.
    pub runtime: Runtime,
    /// The process of the spare worker.
    pub spare_pid: Option<i32>,
    /// The saved image that workers start from.
    pub saved_image: Option<PathBuf>,
    /// The reason why workers start without a saved image, if they do.
    pub plain_start: Option<String>,
}

impl Status {
    /// The state of the workers of `runtime`.
    pub fn workers_of(&self, runtime: Runtime) -> Option<&WorkerStatus> {
        self.workers.iter().find(|workers| workers.runtime == runtime)
    }
}

pub(crate) fn workers_of(factory: &Factory) -> WorkerStatus {
    let (saved_image, plain_start) = match factory.start_mode() {
        Some(Start::Saved(image)) => (Some(image), None),
        Some(Start::Plain(why)) => (None, Some(why)),
        None => (None, None),
    };
    WorkerStatus { runtime: factory.runtime(), spare_pid: factory.spare_pid(), saved_image, plain_start }
}

pub(crate) fn sandbox_of(factory: &Factory) -> Option<Result<SandboxStatus, String>> {
    let sandbox = factory.household.sandbox(&factory.config)?;
    let about = |sandbox: &Arc<Sandbox>| SandboxStatus { mechanism: sandbox.name(), text: sandbox.describe() };
    Some(sandbox.as_ref().map(about).map_err(String::clone))
}

pub(crate) fn memory_kb(pid: i32) -> Option<u64> {
    let shares = Here::shares_kb(pid).map(|(all, _)| all);
    shares.or_else(|| Here::process(pid).map(|process| process.resident_kb))
}
