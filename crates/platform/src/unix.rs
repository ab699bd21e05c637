//! Any Unix system: a program knows only the number, parent and group of another process.
//!
//! There is no portable way to list processes. So the processes of a worker are its process group, and those that leave
//! it are lost.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::{Lack, System};

/// A system that is only known to be a Unix.
#[derive(Debug)]
pub enum Unix {}

/// A process, and its group when it was found.
#[derive(Debug)]
pub struct GroupMember {
    process: Pid,
    group: Pid,
}

impl GroupMember {
    fn still_belongs(&self) -> bool {
        // SAFETY: the call takes a number and gives one, which is 0 for a group outside of this PID namespace.
        unsafe { libc::getpgid(self.process.as_raw_nonzero().get()) == self.group.as_raw_nonzero().get() }
    }
}

impl System for Unix {
    type Handle = GroupMember;

    const LACKS: &'static [Lack] = &[Lack::Descent, Lack::Memory, Lack::Waits, Lack::Sandbox, Lack::Privacy];

    fn kill_below(leader: Pid) {
        // It may be empty.
        let _ = kill_process_group(leader, Signal::KILL);
    }

    fn find_below(root: i32, number: i32) -> Option<(i32, GroupMember)> {
        let number_of = |number: i32| (number > 0).then(|| Pid::from_raw(number)).flatten();
        let member = GroupMember { process: number_of(number)?, group: number_of(root)? };
        member.still_belongs().then_some((number, member))
    }

    fn signal(member: &GroupMember, signal: Signal) {
        if member.still_belongs() {
            // It may have ended; then there is nothing to signal.
            let _ = kill_process(member.process, signal);
        }
    }
}
