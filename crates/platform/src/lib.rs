//! What differs between operating systems, in one place.
//!
//! Images run code that nobody has looked at. How well the server can count what such code starts, end it and keep it in is up
//! to the system: Linux has a process table in files, process descriptors, child subreapers and sandboxes; other Unix
//! systems have process groups. [`System`] is what the rest of the program asks for. [`Linux`] and [`Unix`]
//! answer, and [`Here`] is the one in use. What a system cannot keep it states as data, [`System::LACKS`].
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
    /// When it started, in ticks since the machine did; tells it from another of the same number.
    pub started: u64,
    /// The process that started it, or took it in.
    pub parent: i32,
    /// Its resident set in kilobytes.
    pub resident_kb: u64,
}

/// What a process sees of the machine before it is confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// What its user sees. Landlock alone bounds it.
    Shared,
    /// Namespaces that bubblewrap has made and furnished. Landlock is only asked to help as far as it can.
    Bubblewrap,
    /// Namespaces that it is the first process of, which are yet to be furnished; see [`System::enter_namespaces`].
    Namespaces,
}

/// What the program needs of an operating system beyond what all Unix systems have. What a system has no means for is left as
/// it is here: nothing is found, and nothing happens.
#[allow(unused_variables, reason = "the names say what a system would be given")]
pub trait System: Debug + Sized {
    /// What a process is held by, so that a signal does not hit another that took over its number.
    type Handle: Debug + Send + Sync;

    /// What this system cannot keep.
    const LACKS: &'static [Lack];

    /// Commands of a POSIX shell that kill every process with the environment variable `LISPWRIGHT_WORKER` beginning with `$1`,
    /// but the shell.
    const KILL_MARKED: &'static str = "";

    /// How a directory is opened that is only to be held.
    const HOLD: OFlags = OFlags::RDONLY;

    // How processes end together.

    /// Has the system kill this process when its parent ends. Makes system calls only.
    fn end_with_parent() -> io::Result<()> {
        Ok(())
    }

    /// Has what descends from this process stay below it when the processes between end.
    fn adopt_orphans() -> io::Result<()> {
        Ok(())
    }

    /// Kills what one look finds below this process. `leader` is its child and leads a process group.
    fn kill_below(leader: Pid);

    /// The processes with `entry`, which may be the beginning of one, in the environment that they were started with.
    fn carriers(entry: &[u8]) -> Vec<Pid> {
        Vec::new()
    }

    // Who descends from whom.

    /// The process at or below `root`, which leads a process group, that calls itself `number`; and its number here.
    fn find_below(root: i32, number: i32) -> Option<(i32, Self::Handle)>;

    /// Sends a signal to a process that was found, if it is certain that it is the same one.
    fn signal(handle: &Self::Handle, signal: Signal);

    /// The children of a process.
    fn children(pid: i32) -> Vec<i32> {
        Vec::new()
    }

    /// What the process table says of a process that has not ended.
    fn process(pid: i32) -> Option<Process> {
        None
    }

    // What they take.

    /// Whether a process was started within the last while.
    fn is_young(pid: Pid, recent: Duration) -> bool {
        false
    }

    /// The memory of a process in kilobytes, a page that n processes share counted as the n-th part of one; and the part of
    /// it that are files in memory.
    fn shares_kb(pid: i32) -> Option<(u64, u64)> {
        None
    }

    /// Kilobytes in the files without a name that live in memory and that processes have open, each file counted once.
    fn memory_files_kb(processes: impl Iterator<Item = i32>) -> u64 {
        0
    }

    /// Bytes that a process has written to whatever it had open.
    fn written_by(pid: Pid) -> Option<u64> {
        None
    }

    /// Nanoseconds that each thread of a process has waited for a processor.
    fn waits(pid: i32) -> HashMap<i32, u64> {
        HashMap::new()
    }

    /// Whether a process has the pipe open that `end` is an end of.
    fn has_open(pid: Pid, end: BorrowedFd<'_>) -> bool {
        false
    }

    /// The resources, in words, of which a process may not have any more.
    fn used_up(pid: i32) -> Vec<&'static str> {
        Vec::new()
    }

    // This process.

    /// Keeps other processes of the user from reading the memory and the environment of this one.
    fn hide() -> io::Result<()> {
        Ok(())
    }

    /// This program, if possible whatever has taken its place on the disk meanwhile.
    fn this_program() -> Option<PathBuf> {
        std::env::current_exe().ok()
    }

    // Sandboxes.

    /// Whether Landlock can restrict what has to be restricted.
    fn landlock_works() -> bool {
        false
    }

    /// Gives this process, which has to have one thread, namespaces of its own; and the processes that it starts a PID namespace,
    /// of which the first ends all others with it.
    fn enter_namespaces() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Gives up, for good, writing outside of `places`, capabilities and what reaches other processes. All of it is
    /// enforced, or this is an error.
    fn restrict(places: Vec<(PathBuf, OwnedFd)>, surroundings: Surroundings) -> Result<(), String> {
        Err("this system has no sandbox for it".to_owned())
    }

    // Files and sockets.

    /// Opens the pipe that `end` is an end of once more, with flags of its own.
    fn open_again(end: BorrowedFd<'_>, flags: OFlags) -> io::Result<OwnedFd> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Opens `path` if its last part is no symbolic link, nor any other part as far as the system can tell.
    fn open_without_links(path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        Ok(open(path, flags | OFlags::NOFOLLOW, mode)?)
    }

    /// A file without a name in the directory, that [`give_name`](Self::give_name) can give one.
    fn nameless_file(directory: BorrowedFd<'_>, mode: Mode) -> io::Result<Option<File>> {
        Ok(None)
    }

    /// Gives a file without a name one.
    fn give_name(file: &File, directory: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Asks that what comes from a socket be acknowledged at once; the system may forget it. Without it everything works, slowly.
    fn acknowledge_at_once(socket: BorrowedFd<'_>) {}
}
