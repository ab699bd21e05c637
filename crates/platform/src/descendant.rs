//! Finds the process of this machine that an image means by a number.
//!
//! In a PID namespace an image has other numbers than here, and evaluated code can send any number. So a number is
//! searched for among the processes that belong to the worker: code cannot make the server signal a foreign process.

use rustix::process::Signal;

use crate::{Here, System};

/// The number of wrappers that are followed.
const MOST: usize = 1024;

/// A process that descends from a worker, held so that a signal cannot reach another that has reused its number.
#[derive(Debug)]
pub struct Descendant<S: System = Here> {
    pid: i32,
    handle: S::Handle,
}

impl<S: System> Descendant<S> {
    /// The process at or below `root`, which leads a process group, that has `number` in its own namespace.
    pub fn find(root: i32, number: i32) -> Option<Self> {
        S::find_below(root, number).map(|(pid, handle)| Self { pid, handle })
    }

    /// Its number here.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Sends a signal, if the process is certainly the same.
    pub fn signal(&self, signal: Signal) {
        S::signal(&self.handle, signal);
    }
}

/// The process at the end of a chain of wrappers, each of which waits for the next: `root` itself when it wraps
/// nothing.
pub fn innermost(root: i32) -> i32 {
    let next = |pid: &i32| match Here::children(*pid)[..] {
        [only] => Some(only),
        _ => None,
    };
    std::iter::successors(Some(root), next).take(MOST).last().unwrap_or(root)
}
