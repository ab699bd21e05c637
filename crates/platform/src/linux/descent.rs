//! Finds the process that an image means by a number: a descendant of the worker with this number in its own namespace
//! (`proc_pid_status`, NSpid).

use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::table::{children, process};

/// The number of processes that are searched: more than an image may have by default.
const MOST: usize = 1024;

pub(super) fn find_below(root: i32, number: i32) -> Option<(i32, Option<OwnedFd>)> {
    let mut open = vec![root];
    for _ in 0..MOST {
        let pid = open.pop()?;
        if own_number(pid) == Some(number) {
            let handle = Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
            // Checked again while it is held: the number may have been reused in between.
            return (descends(pid, root) && own_number(pid) == Some(number)).then_some((pid, handle));
        }
        open.extend(children(pid));
    }
    None
}

/// The number of a process in its innermost namespace.
fn own_number(pid: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("NSpid:"))?.split_whitespace().last()?.parse().ok()
}

/// Whether `pid` is `root` or one of its descendants.
fn descends(pid: i32, root: i32) -> bool {
    let parent = |pid: &i32| process(*pid).map(|process| process.parent);
    std::iter::successors(Some(pid), parent).take(MOST).any(|ancestor| ancestor == root)
}
