//! Finding the processes that a worker has started, by a mark that all of them inherit.
//!
//! A process may leave its group and its session, but not the environment that it was started with.

use std::time::Duration;

use lispwright_platform::{Here, System as _};
use rustix::process::{Pid, Signal, kill_process};

/// The environment variable that marks a worker and its processes.
pub(crate) const MARK: &str = "LISPWRIGHT_WORKER";

/// The environment variable by which a copy of a worker marks its processes.
const BRANCH: &str = "LISPWRIGHT_BRANCH";

/// Ends every process that carries `mark`.
pub(crate) async fn sweep(mark: &str) {
    sweep_entry(format!("{MARK}={mark}\0")).await;
}

/// Ends every process whose mark begins with `prefix`.
pub(crate) async fn sweep_all(prefix: &str) {
    sweep_entry(format!("{MARK}={prefix}")).await;
}

/// Ends every process that the copy of a worker with the mark `branch` has started.
pub(crate) async fn sweep_branch(branch: &str) {
    sweep_entry(format!("{BRANCH}={branch}\0")).await;
}

async fn sweep_entry(entry: String) {
    let entry = entry.into_bytes();
    // A process can start another while the table is read, so one clean pass is needed to be sure.
    for _ in 0..50 {
        let entry = entry.clone();
        let found = tokio::task::spawn_blocking(move || kill_marked(&entry)).await.unwrap_or(0);
        if found == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Ends every process that carries `mark` and is found in one pass. Blocks.
pub(crate) fn end_marked(mark: &str) {
    kill_marked(format!("{MARK}={mark}\0").as_bytes());
}

fn kill_marked(entry: &[u8]) -> usize {
    Here::carriers(entry).into_iter().filter(|pid| kill_process(*pid, Signal::KILL).is_ok()).count()
}

/// Every process that carries `mark`. Reads the whole process table.
pub(crate) fn marked(mark: &str) -> Vec<Pid> {
    Here::carriers(format!("{MARK}={mark}\0").as_bytes())
}
