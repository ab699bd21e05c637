//! The differences between operating systems, in one place.
//!
//! Images run code that nobody has checked. The system determines how well the server can count, end and confine the
//! processes of such code: Linux has a process table in files, process descriptors, child subreapers and sandboxes;
//! other Unix systems have process groups. [`System`] is the interface for the rest of the program. [`Linux`] and
//! [`Unix`] implement it, and [`Here`] is the one in use. The missing features of a system are data, [`System::LACKS`].
//!
//! With `--cfg lispwright_portable` [`Here`] is [`Unix`] on Linux too, so that it is tested where most tests run.
//!
//! **Invariant:** no other crate asks which system it is on.

mod descendant;
mod lack;
#[cfg(target_os = "linux")]
mod linux;
mod unix;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal};

pub use descendant::{Descendant, innermost};
pub use lack::Lack;
#[cfg(target_os = "linux")]
pub use linux::Linux;
pub use unix::Unix;

/// The system that this program runs on.
#[cfg(all(target_os = "linux", not(lispwright_portable)))]
pub type Here = Linux;

/// The system that this program runs on.
#[cfg(not(all(target_os = "linux", not(lispwright_portable))))]
pub type Here = Unix;

/// A process that has not ended, as the process table shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its start, in ticks since the machine started; distinguishes it from another with the same number.
    pub started: u64,
    /// The process that started it, or adopted it.
    pub parent: i32,
    /// Its resident set in kilobytes.
    pub resident_kb: u64,
}

/// What a thread had of the processors since its start, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadTurns {
    /// The time that it ran.
    pub ran: u64,
    /// The time that it waited before the turns that it got; a wait that goes on is not in it.
    pub waited: u64,
    /// It runs, or waits for a turn.
    pub is_runnable: bool,
}

/// The view that a process has of the machine before it is confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// The view of its user. Landlock alone bounds it.
    Shared,
    /// Namespaces that bubblewrap has made and furnished. Landlock adds what it can.
    Bubblewrap,
    /// Namespaces in which it is the first process, and which are not furnished yet; see [`System::enter_namespaces`].
    Namespaces,
}

/// The operations of an operating system that not all Unix systems have. The defaults here are for systems without the
/// means: they find nothing and do nothing.
#[allow(unused_variables, reason = "the names say what a system would be given")]
pub trait System: Debug + Sized {
    /// A handle to a process, so that a signal does not reach another that has reused its number.
    type Handle: Debug + Send + Sync;

    /// The features that this system lacks.
    const LACKS: &'static [Lack];

    /// Commands of a POSIX shell that kill every process whose environment variable `LISPWRIGHT_WORKER` begins with
    /// `$1`, except the shell.
    const KILL_MARKED: &'static str = "";

    /// The directory for the settings of applications, below the home directory.
    const APPLICATION_SETTINGS: &'static str =
        if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };

    /// The flags for opening a directory only to hold it.
    const HOLD: OFlags = OFlags::RDONLY;

    // Ending processes.

    /// Makes the system kill this process when its parent ends. Makes system calls only.
    fn end_with_parent() -> io::Result<()> {
        Ok(())
    }

    /// Makes the descendants of this process stay its descendants when the processes between end.
    fn adopt_orphans() -> io::Result<()> {
        Ok(())
    }

    /// Kills the processes that one pass finds below this process. `leader` is its child and leads a process group.
    fn kill_below(leader: Pid);

    /// The processes whose environment at their start contains `entry`, or an entry that begins with it.
    fn carriers(entry: &[u8]) -> Vec<Pid> {
        Vec::new()
    }

    // Sockets.

    /// Listens at a name that no file has, where the system has such names (`unix(7)`, abstract).
    fn listen_at_name(name: &[u8]) -> io::Result<Option<UnixListener>> {
        Ok(None)
    }

    // Ancestors and descendants.

    /// The process at or below `root`, which leads a process group, that has `number` in its own namespace; and its
    /// number here.
    fn find_below(root: i32, number: i32) -> Option<(i32, Self::Handle)>;

    /// Sends a signal to a process, if it is certainly the one that was found.
    fn signal(handle: &Self::Handle, signal: Signal);

    /// The children of a process.
    fn children(pid: i32) -> Vec<i32> {
        Vec::new()
    }

    /// The entry of the process table for a process that has not ended.
    fn process(pid: i32) -> Option<Process> {
        None
    }

    // Resources.

    /// Whether a process was started at most `recent` ago.
    fn is_young(pid: Pid, recent: Duration) -> bool {
        false
    }

    /// The memory of a process in kilobytes, where a page that n processes share counts as the n-th part of one; and
    /// its part in memory files.
    fn shares_kb(pid: i32) -> Option<(u64, u64)> {
        None
    }

    /// The kilobytes in nameless memory files that processes have open, where each file counts once.
    fn memory_files_kb(processes: impl Iterator<Item = i32>) -> u64 {
        0
    }

    /// The number of bytes that a process has written to any descriptor.
    fn written_by(pid: Pid) -> Option<u64> {
        None
    }

    /// What each thread of a process had of the processors.
    fn turns(pid: i32) -> HashMap<i32, ThreadTurns> {
        HashMap::new()
    }

    /// Whether a process has the pipe of `end` open.
    fn has_open(pid: Pid, end: BorrowedFd<'_>) -> bool {
        false
    }

    /// The resources, in words, that a process has used up.
    fn used_up(pid: i32) -> Vec<&'static str> {
        Vec::new()
    }

    // This process.

    /// Keeps other processes of the user from reading the memory and the environment of this one.
    fn hide() -> io::Result<()> {
        Ok(())
    }

    /// Makes the allocator of this process keep few pools of freed memory, and return what is free in them. To be called
    /// before other threads start.
    fn keep_little_free_memory() {}

    /// Returns the memory that this process has freed and its allocator keeps. Other threads may wait for some milliseconds.
    fn return_free_memory() {}

    /// The path of this program, if possible even if another file has replaced it on the disk.
    fn this_program() -> Option<PathBuf> {
        std::env::current_exe().ok()
    }

    // Sandboxes.

    /// Whether Landlock can enforce all necessary restrictions.
    fn landlock_works() -> bool {
        false
    }

    /// Gives this process, which must have one thread, new namespaces; its child processes get a new PID namespace,
    /// whose first process ends all others with it.
    fn enter_namespaces() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Permanently gives up writing outside of `places`, reading what is below `hidden` (absolute paths without links,
    /// which bubblewrap hides by itself), capabilities, and calls that reach other processes. Succeeds only if everything
    /// is enforced.
    fn restrict(places: Vec<(PathBuf, OwnedFd)>, hidden: &[PathBuf], surroundings: Surroundings) -> Result<(), String> {
        Err("this system has no sandbox for it".to_owned())
    }

    // Files and sockets.

    /// Opens the pipe of `end` once more, with flags of its own.
    fn open_again(end: BorrowedFd<'_>, flags: OFlags) -> io::Result<OwnedFd> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Opens `path` if its last component is not a symbolic link, nor any other component as far as the system can
    /// tell.
    fn open_without_links(path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        Ok(open(path, flags | OFlags::NOFOLLOW, mode)?)
    }

    /// A file without a name in the directory, for [`give_name`](Self::give_name).
    fn nameless_file(directory: BorrowedFd<'_>, mode: Mode) -> io::Result<Option<File>> {
        Ok(None)
    }

    /// Gives a file without a name one.
    fn give_name(file: &File, directory: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Requests that data from a socket be acknowledged at once; the system may forget it. Without it everything works,
    /// slowly.
    fn acknowledge_at_once(socket: BorrowedFd<'_>) {}
}
