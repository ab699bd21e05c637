//! The process between the server and a worker, which is the ancestor of everything that the worker starts.
//!
//! A process may leave its group, its session and its environment, and may outlive its parent; but where the system
//! can, it makes the keeper the new parent ([`adopt_orphans`](lispwright_platform::System::adopt_orphans)). So every
//! process of a worker descends from its keeper: it can be counted, and the keeper can end it. On other systems the
//! keeper ends the group.
//!
//! The keeper does so when the worker ends, and when the server's end of the socket between the two closes, for any
//! reason. Its own environment is empty, so that a search for processes by their environment does not find it. The
//! server's half is [`crate::process`].

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

use lispwright_platform::{Here, System as _};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, setrlimit, wait,
};

/// The time for killed processes to end; those of another user cannot be killed.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pause between two attempts to end them.
const PAUSE: Duration = Duration::from_millis(1);

/// The arguments of a keeper.
#[derive(Debug)]
pub struct Keeping {
    /// The descriptor of the socket to the server.
    pub link: RawFd,
    /// A descriptor for the worker only.
    pub capture: Option<RawFd>,
    /// The program to start, and its arguments.
    pub words: Vec<OsString>,
}

/// Starts a worker, waits until it has ended, and ends its remaining processes. Returns the exit code for this process;
/// if a signal ended the worker, this process is ended by the same one.
///
/// The link carries the worker's variables, written by [`told`], to the keeper; back comes the worker's number, or the
/// negated number of the error that kept it from starting.
///
/// The descriptors must be open, and nothing else in this process may use them.
pub fn keep(keeping: Keeping) -> u8 {
    // SAFETY: the server has opened the descriptors for this process, which uses them here alone.
    let (link, capture) =
        unsafe { (OwnedFd::from_raw_fd(keeping.link), keeping.capture.map(|capture| OwnedFd::from_raw_fd(capture))) };
    let mut link = UnixStream::from(link);
    let started = fcntl_setfd(&link, FdFlags::CLOEXEC)
        .map_err(io::Error::from)
        .and_then(|()| Here::adopt_orphans())
        .and_then(|()| start(&keeping.words, &environment(&mut link)?));
    drop(capture);
    let answer = match &started {
        Ok(worker) => worker.as_raw_nonzero().get(),
        Err(error) => -error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error()),
    };
    let _ = link.write_all(&answer.to_le_bytes());
    let Ok(worker) = started else { return 127 };
    let_go();
    std::thread::spawn(move || {
        // The server writes nothing more; the read ends when the server closes the link.
        let _ = link.read(&mut [0]);
        end_all(worker);
    });
    let status = ended(worker);
    end_all(worker);
    follow(status)
}

/// Waits for the end of a child without holding its pipes, reaps everything else that ends below this process, and
/// returns the exit code for it, like [`keep`].
pub(crate) fn outlive(child: Pid) -> u8 {
    let_go();
    follow(ended(child))
}

/// The status of a child that has ended; `None` when there is none to wait for.
fn ended(child: Pid) -> Option<WaitStatus> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == child => return Some(status),
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// The variables of a worker, as the server sends them: their length in bytes, then each with a zero byte after it.
pub(crate) fn told<'v>(variables: impl Iterator<Item = (&'v OsStr, &'v OsStr)>) -> Vec<u8> {
    let mut block = vec![0; size_of::<u32>()];
    for (name, value) in variables {
        block.extend([name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat());
    }
    let len = (block.len() - size_of::<u32>()) as u32;
    block[..size_of::<u32>()].copy_from_slice(&len.to_ne_bytes());
    block
}

fn environment(link: &mut UnixStream) -> io::Result<Vec<(OsString, OsString)>> {
    let mut len = [0; size_of::<u32>()];
    link.read_exact(&mut len)?;
    let mut block = vec![0; u32::from_ne_bytes(len) as usize];
    link.read_exact(&mut block)?;
    let entries = block.split(|byte| *byte == 0).filter_map(|entry| {
        let cut = memchr::memchr(b'=', entry)?;
        Some((OsString::from_vec(entry[..cut].to_vec()), OsString::from_vec(entry[cut + 1..].to_vec())))
    });
    Ok(entries.collect())
}

fn start(words: &[OsString], environment: &[(OsString, OsString)]) -> io::Result<Pid> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(environment.iter().cloned()).process_group(0);
    let keeper = getpid();
    // SAFETY: the closure makes only system calls, which are allowed between fork and exec.
    unsafe {
        command.pre_exec(move || {
            Here::end_with_parent()?;
            // The parent may have ended before the child asked to end with it.
            if getppid() == Some(keeper) { Ok(()) } else { Err(io::ErrorKind::Interrupted.into()) }
        });
    }
    Ok(Pid::from_child(&command.spawn()?))
}

/// Closes the worker's pipes, which have to end with the worker, and leaves its directory.
fn let_go() {
    let null = File::options().read(true).write(true).open("/dev/null");
    if let Ok(null) = null {
        let _ = rustix::stdio::dup2_stdin(&null);
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(&null);
    }
    let _ = std::env::set_current_dir("/");
}

/// Ends everything below this process that it is allowed to; returns when nothing is left, or after [`PATIENCE`].
fn end_all(worker: Pid) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        Here::kill_below(worker);
        // Another thread that waits for a child may reap one of these; that does no harm.
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => continue,
            Ok(None) if Instant::now() < deadline => std::thread::sleep(PAUSE),
            _ => return,
        }
    }
}

/// Ends this process like the worker, or returns the exit code for it.
fn follow(status: Option<WaitStatus>) -> u8 {
    let Some(signal) = status.and_then(WaitStatus::terminating_signal) else {
        return status.and_then(WaitStatus::exit_status).and_then(|code| u8::try_from(code).ok()).unwrap_or(127);
    };
    if let Some(named) = Signal::from_named_raw(signal) {
        // The worker has written its core file, if any.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        // A handler for the signal resets it to the default at the first.
        for _ in 0..2 {
            let _ = kill_process(getpid(), named);
        }
    }
    128u8.saturating_add(u8::try_from(signal).unwrap_or(0))
}
