//! Linux: processes by the files below `/proc`, and the kernel's means to hold, end and confine them.

mod confine;
mod descent;
mod files;
mod filter;
mod memory;
mod namespaces;
mod table;

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::process::{
    DumpableBehavior, Pid, Signal, getpid, kill_process, pidfd_send_signal, set_child_subreaper, set_dumpable_behavior,
    set_parent_process_death_signal,
};

use crate::{Lack, Process, Surroundings, System, ThreadTurns};

/// Linux with its files below `/proc`.
#[derive(Debug)]
pub enum Linux {}

impl System for Linux {
    /// A process descriptor, if the kernel has them.
    type Handle = Option<OwnedFd>;

    const LACKS: &'static [Lack] = &[];

    const HOLD: OFlags = OFlags::PATH;

    const KILL_MARKED: &'static str = r#"for file in /proc/[0-9]*/environ; do
  process=${file#/proc/}; process=${process%/environ}
  [ "$process" != $$ ] && head -c 262144 "$file" 2>/dev/null | grep -q "LISPWRIGHT_WORKER=$1" && kill -9 "$process"
done 2>/dev/null"#;

    fn end_with_parent() -> io::Result<()> {
        Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
    }

    fn adopt_orphans() -> io::Result<()> {
        Ok(set_child_subreaper(Some(getpid()))?)
    }

    fn listen_at_name(name: &[u8]) -> io::Result<Option<UnixListener>> {
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(name)?).map(Some)
    }

    /// All are stopped first, each before its children are listed, so that none can start others meanwhile.
    fn kill_below(_leader: Pid) {
        let mut open = Self::children(getpid().as_raw_nonzero().get());
        let mut found = HashSet::new();
        while let Some(pid) = open.pop() {
            let Some(process) = Pid::from_raw(pid).filter(|_| found.insert(pid)) else { continue };
            let _ = kill_process(process, Signal::STOP);
            open.extend(Self::children(pid));
        }
        for process in found.into_iter().filter_map(Pid::from_raw) {
            let _ = kill_process(process, Signal::KILL);
        }
    }

    fn carriers(entry: &[u8]) -> Vec<Pid> {
        table::carriers(entry)
    }

    fn find_below(root: i32, number: i32) -> Option<(i32, Option<OwnedFd>)> {
        descent::find_below(root, number)
    }

    fn signal(handle: &Option<OwnedFd>, signal: Signal) {
        if let Some(handle) = handle {
            // It may have ended; then there is nothing to signal.
            let _ = pidfd_send_signal(handle, signal);
        }
    }

    fn children(pid: i32) -> Vec<i32> {
        table::children(pid)
    }

    fn process(pid: i32) -> Option<Process> {
        table::process(pid)
    }

    fn is_young(pid: Pid, recent: Duration) -> bool {
        table::is_young(pid, recent)
    }

    fn shares_kb(pid: i32) -> Option<(u64, u64)> {
        table::shares_kb(pid)
    }

    fn memory_files_kb(processes: impl Iterator<Item = i32>) -> u64 {
        table::memory_files_kb(processes)
    }

    fn written_by(pid: Pid) -> Option<u64> {
        table::written_by(pid)
    }

    fn turns(pid: i32) -> HashMap<i32, ThreadTurns> {
        table::turns(pid)
    }

    fn has_open(pid: Pid, end: BorrowedFd<'_>) -> bool {
        table::has_open(pid, end)
    }

    fn used_up(pid: i32) -> Vec<&'static str> {
        table::used_up(pid)
    }

    fn hide() -> io::Result<()> {
        Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
    }

    fn keep_little_free_memory() {
        memory::keep_little_free();
    }

    fn return_free_memory() {
        memory::return_free();
    }

    fn this_program() -> Option<PathBuf> {
        Some("/proc/self/exe".into())
    }

    fn landlock_works() -> bool {
        confine::landlock_works()
    }

    fn enter_namespaces() -> io::Result<()> {
        namespaces::enter()
    }

    fn restrict(places: Vec<(PathBuf, OwnedFd)>, hidden: &[PathBuf], surroundings: Surroundings) -> Result<(), String> {
        confine::restrict(places, hidden, surroundings)
    }

    fn open_again(end: BorrowedFd<'_>, flags: OFlags) -> io::Result<OwnedFd> {
        files::open_again(end, flags)
    }

    fn open_without_links(path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        files::open_without_links(path, flags, mode)
    }

    fn nameless_file(directory: BorrowedFd<'_>, mode: Mode) -> io::Result<Option<File>> {
        files::nameless(directory, mode)
    }

    fn give_name(file: &File, directory: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        files::give_name(file, directory, name)
    }

    fn acknowledge_at_once(socket: BorrowedFd<'_>) {
        let _ = rustix::net::sockopt::set_tcp_quickack(socket, true);
    }
}
