//! Which process of this machine an image means by a number that it says.
//!
//! In a PID namespace an image has other numbers than here, and whatever its numbers are, evaluated code can send any. So a
//! number is looked for among the processes that belong to the worker: nothing that code says makes the server signal a
//! stranger.

use rustix::process::Signal;

use crate::{Here, System};

/// Wrappers around a process that are looked through.
const MOST: usize = 1024;

/// A process that descends from a worker, held so that a signal cannot hit one that took over its number.
#[derive(Debug)]
pub struct Descendant<S: System = Here> {
    pid: i32,
    handle: S::Handle,
}

impl<S: System> Descendant<S> {
    /// The process at or below `root`, which leads a process group, that calls itself `number`.
    pub fn find(root: i32, number: i32) -> Option<Self> {
        S::find_below(root, number).map(|(pid, handle)| Self { pid, handle })
    }

    /// Its number here.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Sends a signal, if the process is known for certain.
    pub fn signal(&self, signal: Signal) {
        S::signal(&self.handle, signal);
    }
}

/// The process at the end of a chain of wrappers, each of which waits for the next: `root` itself when it wraps nothing.
pub fn innermost(root: i32) -> i32 {
    let next = |pid: &i32| match Here::children(*pid)[..] {
        [only] => Some(only),
        _ => None,
    };
    std::iter::successors(Some(root), next).take(MOST).last().unwrap_or(root)
}
