//! Which process an image means by a number: one that descends from the worker and calls itself so (`proc_pid_status`, NSpid).

use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::table::{children, process};

/// Processes that are looked at: more than an image may be by default.
const MOST: usize = 1024;

pub(super) fn find_below(root: i32, number: i32) -> Option<(i32, Option<OwnedFd>)> {
    let mut open = vec![root];
    for _ in 0..MOST {
        let pid = open.pop()?;
        if own_number(pid) == Some(number) {
            let handle = Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
            // Looked at again once it is held: the number may have come to mean another process in between.
            return (descends(pid, root) && own_number(pid) == Some(number)).then_some((pid, handle));
        }
        open.extend(children(pid));
    }
    None
}

/// The number by which a process knows itself: the one in the innermost namespace.
fn own_number(pid: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("NSpid:"))?.split_whitespace().last()?.parse().ok()
}

/// Whether `pid` is `root` or one of its descendants.
fn descends(pid: i32, root: i32) -> bool {
    let parent = |pid: &i32| process(*pid).map(|process| process.parent);
    std::iter::successors(Some(pid), parent).take(MOST).any(|ancestor| ancestor == root)
}
