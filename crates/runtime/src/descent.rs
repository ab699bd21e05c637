//! Which process of this machine an image means by a number that it says.
//!
//! In a PID namespace an image has other numbers than here, and whatever its numbers are, evaluated code can send any. So a
//! number is looked for among the processes that descend from the worker, as they call themselves (`proc_pid_status`,
//! NSpid): what does not descend from it is not found, and nothing that code says makes the server signal a stranger.

use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::watch::{children, parent};

/// Processes that are looked at: more than an image may be by default.
const MOST: usize = 1024;

/// A process that descends from a worker, held by a descriptor where the system has those, so that a signal cannot hit one
/// that took over its number.
#[derive(Debug)]
pub(crate) struct Descendant {
    pid: i32,
    handle: Option<OwnedFd>,
}

impl Descendant {
    /// The process at or below `root` that calls itself `number`.
    pub(crate) fn find(root: i32, number: i32) -> Option<Self> {
        let mut open = vec![root];
        for _ in 0..MOST {
            let pid = open.pop()?;
            if own_number(pid) == Some(number) {
                let handle = Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
                // Looked at again once it is held: the number may have come to mean another process in between.
                return (descends(pid, root) && own_number(pid) == Some(number)).then_some(Self { pid, handle });
            }
            open.extend(children(pid));
        }
        None
    }

    /// Its number here.
    pub(crate) fn pid(&self) -> i32 {
        self.pid
    }

    /// Sends a signal, if the process is known for certain.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(handle) = &self.handle {
            // It may have ended; then there is nothing to signal.
            let _ = pidfd_send_signal(handle, signal);
        }
    }
}

/// The process at the end of a chain of wrappers, each of which waits for the next: `root` itself when it wraps nothing.
pub(crate) fn innermost(root: i32) -> i32 {
    let next = |pid: &i32| match children(*pid)[..] {
        [only] => Some(only),
        _ => None,
    };
    std::iter::successors(Some(root), next).take(MOST).last().unwrap_or(root)
}

/// The number by which a process knows itself: the one in the innermost namespace.
fn own_number(pid: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("NSpid:"))?.split_whitespace().last()?.parse().ok()
}

/// Whether `pid` is `root` or one of its descendants.
fn descends(pid: i32, root: i32) -> bool {
    std::iter::successors(Some(pid), |pid| parent(*pid)).take(MOST).any(|ancestor| ancestor == root)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn only_what_descends_from_a_process_is_found_below_it() {
        let mut shell =
            Command::new("sh").args(["-c", "sleep 1000 & echo $!; wait"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(shell.stdout.take().unwrap()), &mut line).unwrap();
        let (own, root, child) =
            (std::process::id().cast_signed(), shell.id().cast_signed(), line.trim().parse().unwrap());
        assert_eq!(Descendant::find(root, child).unwrap().pid(), child);
        assert_eq!(Descendant::find(root, root).unwrap().pid(), root);
        assert_eq!((innermost(root), innermost(child)), (child, child));
        for stranger in [own, 1, 0, -1, i32::MAX] {
            assert!(Descendant::find(root, stranger).is_none(), "{stranger}");
        }
        Descendant::find(root, child).unwrap().signal(Signal::KILL);
        assert!(shell.wait().unwrap().success());
    }
}
