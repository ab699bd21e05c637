//! One writer at a time for each file.
//!
//! Two locks, because there are two kinds of rivals. Threads of this process queue on a table of busy names. Other
//! processes are kept out by `flock` on the file itself; since a writer replaces the file, the lock counts only if the
//! name still leads to the locked inode after it was granted.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::identity::Identity;

/// A file by the directory that holds it and its name there; its inode number changes with every write.
pub(crate) type FileKey = (Identity, OsString);

/// The files that some thread of this process is writing.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    busy: Mutex<HashSet<FileKey>>,
    freed: Condvar,
}

/// The right to write one file within this process; given back on drop.
#[derive(Debug)]
pub(crate) struct Turn<'l> {
    locks: &'l Locks,
    key: FileKey,
}

impl Locks {
    /// Waits for the file until `deadline`.
    pub(crate) fn take(&self, key: FileKey, deadline: Instant) -> Option<Turn<'_>> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        while busy.contains(&key) {
            let left = deadline.checked_duration_since(Instant::now())?;
            busy = self.freed.wait_timeout(busy, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        busy.insert(key.clone());
        Some(Turn { locks: self, key })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.locks.busy.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
        self.locks.freed.notify_all();
    }
}

/// The result of a request for `flock`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Flock {
    /// Held until the file is closed.
    Held,
    /// This file system has no such locks; only the check before the rename remains.
    Unsupported,
    /// Another process held it until the deadline.
    TimedOut,
}

/// Locks `file` against other processes, waiting until `deadline`.
pub(crate) fn flock_until(file: &File, deadline: Instant) -> io::Result<Flock> {
    let mut pause = Duration::from_micros(100);
    loop {
        match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Flock::Held),
            Err(Errno::WOULDBLOCK) => {
                if Instant::now() >= deadline {
                    return Ok(Flock::TimedOut);
                }
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            }
            Err(Errno::INTR) => {}
            Err(Errno::NOLCK | Errno::OPNOTSUPP | Errno::NOSYS | Errno::BADF) => return Ok(Flock::Unsupported),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> FileKey {
        ((1, 2), name.into())
    }

    #[test]
    fn a_turn_keeps_others_out_until_it_ends() {
        let locks = Locks::default();
        let soon = || Instant::now() + Duration::from_millis(20);
        let turn = locks.take(key("a"), soon()).expect("nobody has it");
        assert!(locks.take(key("a"), soon()).is_none());
        assert!(locks.take(key("b"), soon()).is_some(), "another file is free");
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| locks.take(key("a"), Instant::now() + Duration::from_secs(60)).is_some());
            drop(turn);
            assert!(waiter.join().expect("the waiter does not panic"));
        });
    }
}
