//! Starting worker processes so that nothing they do reaches the server, and ending them so that nothing of them is left.
//!
//! A worker leads its own process group and has no terminal, has the protocol on descriptors 0 and 1, one extra pipe for
//! what code prints to descriptor 1, and descriptor 2 as a pipe. Every process it starts inherits a marker in its
//! environment, by which also those are found that have left the group.

use std::ffi::{OsStr, OsString, c_int};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl, open};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::ioctl::{NoArg, Opcode, ioctl};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Signal, getpid, getppid, kill_process, kill_process_group, nice, set_parent_process_death_signal, setpgid,
};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::environment;
use crate::marks::{MARK, sweep};
use crate::sandbox::Confined;
use crate::watch::Watch;

/// By how much images stand back behind the server and its client.
const NICENESS: i32 = 5;

/// Linux's number for giving up the controlling terminal, `tty_ioctl(4)`; the few architectures with another number keep
/// the terminal, where a process group in the background gets no signal from it either.
const TIOCNOTTY: Opcode = 0x5422;

/// The variable that names the descriptor for what code prints to descriptor 1.
pub(crate) const CAPTURE: &str = "LISPWRIGHT_CAPTURE";

/// Bytes that are read of a program that says its version.
const MOST_OF_LINE: u64 = 4096;

/// Characters of that which are shown: the longest that a runtime says of itself are some 90.
const MOST_SHOWN: usize = 120;

/// What to run as a worker.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// The program.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) arguments: Vec<OsString>,
    /// A command that is put in front and carries the pipe; empty for none.
    pub(crate) launcher: Vec<String>,
    /// The sandbox, which comes between the launcher and the program.
    pub(crate) confined: Option<Arc<Confined>>,
    /// The working directory.
    pub(crate) directory: PathBuf,
    /// The value of the mark.
    pub(crate) mark: String,
}

/// A started process and the server's ends of its pipes.
pub(crate) struct Spawned {
    pub(crate) child: Child,
    pub(crate) pid: Pid,
    pub(crate) requests: ChildStdin,
    pub(crate) answers: ChildStdout,
    /// What is printed to descriptor 1; absent when a launcher stands between.
    pub(crate) stdout: OwnedFd,
    /// What is printed to descriptor 2.
    pub(crate) stderr: OwnedFd,
}

impl Launch {
    /// Starts the process, which the kernel ends with the thread that this is called on.
    pub(crate) fn spawn(&self) -> io::Result<Spawned> {
        let (stdout, stdout_end) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, stderr_end) = pipe_with(PipeFlags::CLOEXEC)?;
        for pipe in [&stdout, &stderr] {
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        let mut words = self.words();
        let mut command = Command::new(words.next().expect("there is a program"));
        command
            .args(words)
            .current_dir(&self.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::from(stderr_end))
            .env_clear()
            .envs(environment::told())
            .envs(self.confined.iter().flat_map(|confined| confined.environment.iter().cloned()))
            .env(MARK, &self.mark)
            .kill_on_drop(true);
        let number = stdout_end.as_raw_fd();
        let inherits = self.launcher.is_empty();
        if inherits {
            command.env(CAPTURE, number.to_string());
        }
        let server = getpid();
        // SAFETY: the closure makes only system calls, which are allowed between fork and exec, and `number` is open
        // in the child because `stdout_end` lives until after the spawn.
        unsafe {
            command.pre_exec(move || {
                // In the server's own session: the kernel shares the processor among sessions first, and only
                // inside of one among processes by their niceness (`sched(7)`, autogroup). So the server goes on
                // listening, whatever its images do.
                setpgid(None, None)?;
                unblock_signals()?;
                leave_terminal();
                let _ = nice(NICENESS);
                set_parent_process_death_signal(Some(Signal::KILL))?;
                if getppid() != Some(server) {
                    // It ended before it could be said.
                    return Err(io::ErrorKind::Interrupted.into());
                }
                if inherits {
                    fcntl_setfd(BorrowedFd::borrow_raw(number), FdFlags::empty())?;
                }
                Ok(())
            });
        }
        let mut child = command.spawn()?;
        drop(stdout_end);
        let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed())).expect("a child just started has an id");
        let requests = child.stdin.take().expect("standard input was asked for as a pipe");
        let answers = child.stdout.take().expect("standard output was asked for as a pipe");
        Ok(Spawned { child, pid, requests, answers, stdout, stderr })
    }

    /// The program that is started first: the launcher, when there is one.
    pub(crate) fn first_word(&self) -> &Path {
        self.launcher.first().map_or(&self.program, Path::new)
    }

    /// The command line: launcher, sandbox, program.
    fn words(&self) -> impl Iterator<Item = &OsStr> {
        let sandbox = self.confined.iter().flat_map(|confined| confined.prefix.iter().map(OsString::as_os_str));
        let program = self.arguments.iter().map(OsString::as_os_str);
        self.launcher.iter().map(OsStr::new).chain(sandbox).chain([self.program.as_os_str()]).chain(program)
    }
}

unsafe extern "C" {
    /// `sigprocmask(2)`; the sets have the size that C libraries give them.
    fn sigprocmask(how: c_int, set: *const [u64; 16], old: *mut [u64; 16]) -> c_int;
}

/// Linux's number for unblocking signals; where it has another, nothing is unblocked.
const SIG_UNBLOCK: c_int = 1;

/// Has this thread take every signal, which one that it blocks would not reach what it starts either. Makes a system call only.
pub(crate) fn unblock_signals() -> io::Result<()> {
    // SAFETY: the set is only read, and no other is asked for.
    match unsafe { sigprocmask(SIG_UNBLOCK, &[u64::MAX; 16], std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Gives up the controlling terminal, if there is one; makes system calls only.
fn leave_terminal() {
    if let Ok(terminal) = open(c"/dev/tty", OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()) {
        // SAFETY: the request takes no argument and changes nothing in memory.
        let _ = unsafe { ioctl(terminal, NoArg::<TIOCNOTTY>::new()) };
    }
}

/// Asks a process that the server has not reaped to stop what it is doing.
pub(crate) fn send_interrupt(pid: Pid) {
    // It may have ended by itself; then there is nothing to interrupt. A process that waits for a child of its own, as C's
    // `system` does, ignores the first; the second does nothing to those that do not ask for it.
    let _ = kill_process(pid, Signal::INT);
    let _ = kill_process(pid, Signal::URG);
}

/// Ends `child`, its process group, what `watch` knows of and everything that carries `mark`, and returns when they are gone.
pub(crate) async fn end(child: &mut Child, pid: Pid, watch: &Watch, mark: &str) {
    kill_family(child, pid, watch);
    // It cannot fail for a child that nobody else waits for.
    let _ = child.wait().await;
    sweep(mark).await;
}

/// Kills `child`, its process group and what `watch` knows of.
pub(crate) fn kill_family(child: &mut Child, pid: Pid, watch: &Watch) {
    // Not reaped yet, so the number still means this group.
    let is_there = child.id().is_some();
    if is_there {
        // Else processes that start each other without end would outrun the search.
        let _ = kill_process_group(pid, Signal::STOP);
    }
    // Before their parents end.
    let started = watch.started();
    if is_there {
        let _ = kill_process_group(pid, Signal::KILL);
        let _ = child.start_kill();
    }
    for process in started {
        let _ = kill_process(process, Signal::KILL);
    }
}

/// The first line that `program` writes when called with `argument`, as far as it says a version: of a program that is not
/// what its name says, it may be anything.
pub(crate) async fn first_line(program: &Path, argument: &str) -> Option<String> {
    let mut child = Command::new(program)
        .arg(argument)
        .env("PATH", environment::trusted_path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
    let mut output = child.stdout.take()?.take(MOST_OF_LINE);
    let mut bytes = Vec::new();
    tokio::time::timeout(Duration::from_secs(5), output.read_to_end(&mut bytes)).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line: String = text.lines().next()?.chars().filter(|character| !character.is_control()).collect();
    let line = line.trim();
    Some(line.char_indices().nth(MOST_SHOWN).map_or(line, |(cut, _)| &line[..cut]).to_owned())
}
