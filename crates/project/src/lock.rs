//! One writer at a time for each file.
//!
//! Two locks, because there are two kinds of rivals. Threads of this process queue on a table of busy names. Other
//! processes are kept out by `flock` on the file itself; since a writer replaces the file, the lock counts only if the
//! name still leads to the locked inode after it was granted.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use crate::identity::Identity;

/// A file by the directory that holds it and its name there; its inode number changes with every write.
pub(crate) type FileKey = (Identity, OsString);

/// The files that some thread of this process is writing. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locks(Arc<Busy>);

#[derive(Debug, Default)]
struct Busy {
    /// For each file, whether its writer keeps it for long.
    files: Mutex<HashMap<FileKey, bool>>,
    changed: Condvar,
}

/// The right to write one file within this process; given back on drop.
#[derive(Debug)]
pub(crate) struct Turn {
    locks: Locks,
    key: FileKey,
}

/// The reason why a file cannot be written now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// Another writer had it until the deadline.
    UntilDeadline,
    /// Another writer keeps it for long: [`Turn::keep_for_long`].
    ForLong,
}

impl Locks {
    /// Waits for the file until `deadline`, or until its writer keeps it for long.
    pub(crate) fn take(&self, key: FileKey, deadline: Instant) -> Result<Turn, Taken> {
        let mut files = self.files();
        while let Some(is_for_long) = files.get(&key) {
            if *is_for_long {
                return Err(Taken::ForLong);
            }
            let left = deadline.checked_duration_since(Instant::now()).ok_or(Taken::UntilDeadline)?;
            files = self.0.changed.wait_timeout(files, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        files.insert(key.clone(), false);
        Ok(Turn { locks: self.clone(), key })
    }

    fn files(&self) -> MutexGuard<'_, HashMap<FileKey, bool>> {
        // Each change is one call, so a panic elsewhere leaves the table whole.
        self.0.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// States that the file is not given back soon: others that want it do not wait.
    pub(crate) fn keep_for_long(&self) {
        self.locks.files().insert(self.key.clone(), true);
        self.locks.0.changed.notify_all();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.locks.files().remove(&self.key);
        self.locks.0.changed.notify_all();
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
        assert_eq!(locks.take(key("a"), soon()).map(drop), Err(Taken::UntilDeadline));
        assert!(locks.take(key("b"), soon()).is_ok(), "another file is free");
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| locks.take(key("a"), Instant::now() + Duration::from_secs(60)).is_ok());
            drop(turn);
            assert!(waiter.join().expect("the waiter does not panic"));
        });
    }

    #[test]
    fn nobody_waits_for_a_file_that_is_kept_for_long() {
        let locks = Locks::default();
        let late = || Instant::now() + Duration::from_secs(60);
        let turn = locks.take(key("a"), late()).expect("nobody has it");
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| locks.take(key("a"), late()).map(drop));
            turn.keep_for_long();
            assert_eq!(waiter.join().expect("the waiter does not panic"), Err(Taken::ForLong));
        });
        drop(turn);
        assert!(locks.take(key("a"), late()).is_ok());
    }
}
