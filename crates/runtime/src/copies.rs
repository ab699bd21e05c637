//! Copies of a worker: the youngest one, those kept as checkpoints, and the processes that an ended copy leaves.
//!
//! A worker that has checkpoints is a chain of processes, each the parent of the next. Only the youngest answers.
//! [`Descendant`] finds it.

use std::time::Duration;

use lispwright_platform::Descendant;
use rustix::process::Signal;

use crate::marks::sweep_branch;
use crate::wire::Value;

/// The time for the process before an ended one to announce itself.
pub(crate) const RETURN_LIMIT: Duration = Duration::from_secs(5);

/// The return of a session to a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Return {
    /// The checkpoint.
    pub name: String,
    /// The end of the process after it, in words.
    pub status: String,
    pub(crate) package: Option<String>,
    pub(crate) held: u32,
    pub(crate) depth: u32,
    /// The checkpoints that remain, oldest first.
    pub(crate) checkpoints: Vec<String>,
}

impl Return {
    pub(crate) fn read(message: &Value) -> Self {
        let count = |name| message.get_integer(name).and_then(|number| u32::try_from(number).ok()).unwrap_or(0);
        let text = |name| message.get_text(name).unwrap_or_default().to_owned();
        Self {
            name: text("NAME"),
            status: text("STATUS"),
            package: message.get_text("PACKAGE").map(str::to_owned),
            held: count("HELD"),
            depth: count("DEPTH"),
            checkpoints: names(message),
        }
    }
}

/// The names of checkpoints in a message.
pub(crate) fn names(message: &Value) -> Vec<String> {
    message.get_list("CHECKPOINTS").iter().filter_map(Value::as_text).map(str::to_owned).collect()
}

/// The process number in a message, in the sender's PID namespace.
pub(crate) fn pid_of(message: &Value) -> Option<i32> {
    message.get_integer("PID").and_then(|pid| i32::try_from(pid).ok())
}

/// The copies of one worker.
#[derive(Default)]
pub(crate) struct Copies {
    /// The youngest, if it is not the process that was started and was found here.
    youngest: Option<Descendant>,
    /// The copy of a trial, while one runs.
    trial: Option<(Option<Descendant>, String)>,
    /// The marks of the processes that copies have started: (depth, mark).
    branches: Vec<(u32, String)>,
    last_branch: u64,
}

impl Copies {
    /// A mark for the next copy.
    pub(crate) fn new_branch(&mut self, worker: &str) -> String {
        self.last_branch += 1;
        format!("{worker}.{}", self.last_branch)
    }

    /// The number of the youngest process, if it is a lasting copy.
    pub(crate) fn youngest(&self) -> Option<i32> {
        self.youngest.as_ref().map(Descendant::pid)
    }

    /// Records that `process`, a descendant of the started process, is the worker.
    pub(crate) fn speaks(&mut self, process: Descendant) {
        self.youngest = Some(process);
    }

    /// The number of the process that runs code, if it is not the one that was started.
    pub(crate) fn running(&self) -> Option<i32> {
        let trial = self.trial.as_ref().and_then(|(process, _)| process.as_ref());
        trial.or(self.youngest.as_ref()).map(Descendant::pid)
    }

    /// Records that a trial has begun.
    pub(crate) fn start_trial(&mut self, process: Option<Descendant>, branch: String) {
        self.trial = Some((process, branch));
    }

    /// Records that the trial is over, and ends its processes.
    pub(crate) async fn end_trial(&mut self) {
        if let Some((_, branch)) = self.trial.take() {
            sweep_branch(&branch).await;
        }
    }

    /// Records a checkpoint: `process` continues at `depth`.
    pub(crate) fn checkpoint(&mut self, process: Option<Descendant>, depth: u32, branch: String) {
        self.youngest = process;
        self.branches.retain(|(other, _)| *other < depth);
        self.branches.push((depth, branch));
    }

    /// Records that a checkpoint continues in `process`, and ends the processes of the lost copies.
    pub(crate) async fn returned(&mut self, to: &Return, process: Option<Descendant>) {
        self.trial = None;
        self.youngest = process;
        for (_, branch) in self.branches.iter().filter(|(depth, _)| *depth >= to.depth) {
            sweep_branch(branch).await;
        }
        self.branches.retain(|(depth, _)| *depth <= to.depth);
    }

    /// Signals the process that runs code; false if that is the one that was started.
    pub(crate) fn signal(&self, signal: Signal) -> bool {
        let copy = self.trial.as_ref().and_then(|(process, _)| process.as_ref()).or(self.youngest.as_ref());
        if let Some(process) = copy {
            process.signal(signal);
        }
        copy.is_some()
    }
}
