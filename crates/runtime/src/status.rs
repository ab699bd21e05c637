//! What is known about sessions and workers, for those who ask.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lispwright_platform::{Here, System as _};

use crate::agent::Start;
use crate::backends::Runtime;
use crate::factory::Factory;
use crate::sandbox::Sandbox;

/// What a session is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its image waits for a call.
    Idle,
    /// Its image runs a call, or starts.
    Busy,
    /// It has no image; the next call starts one.
    NoImage,
    /// It lost too many images and waits for a reset.
    Stopped,
}

/// What is known about one session.
#[derive(Clone, Debug)]
pub struct SessionStatus {
    /// Its name.
    pub name: String,
    /// Its runtime.
    pub runtime: Runtime,
    /// What it is doing.
    pub state: State,
    /// The process of its image.
    pub pid: Option<i32>,
    /// Implementation and version, as the image says.
    pub version: Option<String>,
    /// How long its image has run.
    pub uptime: Option<Duration>,
    /// Its share of the memory in kilobytes (PSS, else RSS), where the system tells.
    pub memory_kb: Option<u64>,
    /// How many evaluations were asked of it.
    pub evaluations: u64,
    /// Its package after the last call.
    pub package: Option<String>,
    /// How many stacks of errors and interrupts are held in its image.
    pub held: u32,
    /// Code that was interrupted still ran in its image when its last call ended.
    pub runs_on: bool,
    /// What it can be rolled back to, oldest first.
    pub checkpoints: Vec<CheckpointStatus>,
    /// How long the call it is busy with has run.
    pub running_for: Option<Duration>,
    /// What that call is doing, in words.
    pub doing: Option<String>,
    /// What waits for its turn, in words, and for how long.
    pub waiting: Vec<(String, Duration)>,
    /// Images lost within the last five minutes.
    pub crashes: usize,
}

/// An image that is kept for a rollback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointStatus {
    /// Its name.
    pub name: String,
    /// The process that sleeps.
    pub pid: i32,
    /// When it was made.
    pub made: Instant,
}

impl CheckpointStatus {
    /// Its share of the memory in kilobytes, where the system tells.
    pub fn memory_kb(&self) -> Option<u64> {
        memory_kb(self.pid)
    }
}

/// What is known about the runtime side as a whole.
#[derive(Clone, Debug)]
pub struct Status {
    /// The project root: the working directory of the images.
    pub root: PathBuf,
    /// Every session, by name.
    pub sessions: Vec<SessionStatus>,
    /// How many there may be.
    pub max_sessions: usize,
    /// How the workers of each runtime start, in the order of [`Runtime::all`]; only of those that run.
    pub workers: Vec<WorkerStatus>,
    /// How long an image may be idle before it is ended.
    pub max_idle: Option<Duration>,
    /// The heap of an image in megabytes.
    pub heap_megabytes: u32,
    /// What an image, its copies and what they started may take together, in megabytes.
    pub memory_limit: u64,
    /// How many processes they may be.
    pub max_processes: u32,
    /// The sandbox of the workers, or why there is none and no worker starts; nothing when none was asked for.
    pub sandbox: Option<Result<SandboxStatus, String>>,
    /// The command in front of every worker.
    pub launcher: Vec<String>,
}

/// What keeps the workers in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxStatus {
    /// `landlock` or `bubblewrap`.
    pub mechanism: &'static str,
    /// What holds, in words.
    pub text: String,
}

/// What is known about the workers of one runtime.
#[derive(Clone, Debug)]
pub struct WorkerStatus {
    /// The runtime.
    pub runtime: Runtime,
    /// The process of the spare worker.
    pub spare_pid: Option<i32>,
    /// The saved image workers start from.
    pub saved_image: Option<PathBuf>,
    /// Why workers start without a saved image, when they do.
    pub plain_start: Option<String>,
}

impl Status {
    /// What is known about the workers of `runtime`.
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
