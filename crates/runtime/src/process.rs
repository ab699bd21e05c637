//! Starting worker processes so that nothing they do reaches the server, and ending them completely.
//!
//! A worker leads its own process group and has no terminal. It has the protocol on descriptors 0 and 1, one extra pipe
//! for output of code to descriptor 1, and descriptor 2 as a pipe. A keeper between it and the server is the ancestor
//! of everything that it starts ([`crate::keeper`]). Every process that it starts also inherits a marker in its
//! environment, by which processes are found whose keeper was killed.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, pipe};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use lispwright_platform::{Here, System as _};
use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl, open};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::ioctl::{NoArg, Opcode, ioctl};
use rustix::process::{Pid, Signal, getpid, getppid, kill_process, kill_process_group, nice, setpgid};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::environment;
use crate::keeper::told;
use crate::launcher;
use crate::marks::{MARK, sweep};
use crate::sandbox::Confined;
use crate::watch::{Ancestors, Watch};

/// The niceness of images, relative to the server's.
const NICENESS: i32 = 5;

/// The variable that names the descriptor for output of code to descriptor 1.
pub(crate) const CAPTURE: &str = "LISPWRIGHT_CAPTURE";

/// The variable that names the directory for the agent's own temporary files.
const SCRATCH: &str = "LISPWRIGHT_TMPDIR";

/// The time for a keeper to start a worker, or to end all its processes.
const KEEPER_LIMIT: Duration = Duration::from_secs(10);

/// The number of bytes that are read from a program that prints its version.
const MOST_OF_LINE: u64 = 4096;

/// The number of its characters that are shown: the longest versions of runtimes have some 90.
const MOST_SHOWN: usize = 120;

/// The command and the surroundings of a worker.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// The program.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) arguments: Vec<OsString>,
    /// This program, as the keeper; without one the worker is a child of this process.
    pub(crate) keeper: Option<PathBuf>,
    /// A command that is put in front and carries the pipe; empty for none.
    pub(crate) launcher: Vec<String>,
    /// The sandbox, between the launcher and the program.
    pub(crate) confined: Option<Arc<Confined>>,
    /// The directory for the agent's own temporary files.
    pub(crate) scratch: Option<PathBuf>,
    /// The signals that interrupt it when it is on this machine.
    pub(crate) signals: &'static [Signal],
    /// While code runs, it reads a frame only after one of these.
    pub(crate) reads_when_signalled: bool,
    /// The working directory.
    pub(crate) directory: PathBuf,
    /// The value of the mark.
    pub(crate) mark: String,
}

/// A started process and the server's ends of its pipes.
pub(crate) struct Spawned {
    pub(crate) child: Ward,
    pub(crate) pid: Pid,
    pub(crate) requests: ChildStdin,
    pub(crate) answers: ChildStdout,
    /// The output on descriptor 1; `None` with a launcher.
    pub(crate) stdout: OwnedFd,
    /// The output on descriptor 2.
    pub(crate) stderr: OwnedFd,
}

/// The worker or its keeper, a child of this process. Dropping it ends all the processes that the worker started, as
/// long as the keeper lives.
pub(crate) struct Ward {
    child: Child,
    /// The keeper's number, and the socket to it. When the socket is closed, the keeper ends everything.
    keeper: Option<(Pid, Option<UnixStream>)>,
}

impl Ward {
    /// Waits for its end; with a keeper, for the end of all that it started.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Its exit status, if it has ended.
    pub(crate) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// The number of the child, until it has been reaped.
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// The ancestors whose descendants are counted as the worker `root`'s.
    pub(crate) fn family(&self, root: Pid) -> Ancestors {
        Ancestors { root, keeper: self.keeper.as_ref().map(|(keeper, _)| *keeper) }
    }
}

impl Launch {
    /// Starts the process. Without a keeper the system ends it, where it can, with the calling thread.
    pub(crate) async fn spawn(&self) -> io::Result<Spawned> {
        let (stdout, stdout_end) = pipe()?;
        let (stderr, stderr_end) = pipe()?;
        for pipe in [&stdout, &stderr] {
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        let (link, link_end) = UnixStream::pair()?;
        let capture = self.launcher.is_empty().then(|| stdout_end.as_raw_fd());
        let mut command = self.command(link_end.as_raw_fd(), capture);
        command
            .current_dir(&self.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::from(stderr_end))
            .env_clear()
            .kill_on_drop(self.keeper.is_none());
        let capture_number = capture.map(|number| (CAPTURE.into(), number.to_string().into()));
        let confined = self.confined.iter().flat_map(|confined| confined.environment.iter().cloned());
        let confined = confined.map(|(name, value)| (name.into(), value));
        // The sandbox itself must not get the variables of the linker; they follow in its command line.
        let heard =
            environment::told().filter(|(name, _)| self.confined.is_none() || !environment::is_for_linker(name));
        let scratch = self.scratch.iter().map(|path| (SCRATCH.into(), path.clone().into_os_string()));
        let mark = (MARK.into(), self.mark.clone().into());
        let variables: HashMap<OsString, OsString> =
            heard.chain(confined).chain(capture_number).chain(scratch).chain([mark]).collect();
        let is_kept = self.keeper.is_some();
        if !is_kept {
            command.envs(&variables);
        }
        let server = getpid();
        let inherited = [capture, is_kept.then(|| link_end.as_raw_fd())];
        // SAFETY: the closure makes only system calls, which are allowed between fork and exec, and what is inherited is
        // open in the child because `stdout_end` and `link_end` live until after the spawn.
        unsafe {
            command.pre_exec(move || {
                // In the server's own session: the kernel shares the processor among sessions first, and only within
                // one among processes by their niceness (`sched(7)`, autogroup). So the server stays responsive while
                // its images are busy.
                setpgid(None, None)?;
                unblock_signals()?;
                leave_terminal();
                let _ = nice(NICENESS);
                if !is_kept {
                    Here::end_with_parent()?;
                }
                if getppid() != Some(server) {
                    // The parent ended before the child asked to end with it.
                    return Err(io::ErrorKind::Interrupted.into());
                }
                for number in inherited.into_iter().flatten() {
                    fcntl_setfd(BorrowedFd::borrow_raw(number), FdFlags::empty())?;
                }
                Ok(())
            });
        }
        let mut child = command.spawn()?;
        drop((stdout_end, link_end));
        let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed())).expect("a child just started has an id");
        let requests = child.stdin.take().expect("standard input was asked for as a pipe");
        let answers = child.stdout.take().expect("standard output was asked for as a pipe");
        let mut child = Ward { child, keeper: None };
        let mut worker = pid;
        if is_kept {
            child.keeper = Some((pid, None));
            link.set_nonblocking(true)?;
            let mut link = tokio::net::UnixStream::from_std(link)?;
            let variables = told(variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str())));
            let started = async {
                link.write_all(&variables).await?;
                link.read_i32_le().await
            };
            let answer = tokio::time::timeout(KEEPER_LIMIT, started).await.map_err(|_| io::ErrorKind::TimedOut)??;
            let number = Some(answer).filter(|answer| *answer > 0).and_then(Pid::from_raw);
            worker = number.ok_or_else(|| io::Error::from_raw_os_error(answer.wrapping_neg()))?;
            child.keeper = Some((pid, Some(link.into_std()?)));
        }
        Ok(Spawned { child, pid: worker, requests, answers, stdout: stdout.into(), stderr: stderr.into() })
    }

    /// The command of the first process: the keeper with its arguments, or the worker.
    fn command(&self, link: RawFd, capture: Option<RawFd>) -> Command {
        let mut words = self.words();
        let Some(keeper) = &self.keeper else {
            let mut command = Command::new(words.next().expect("there is a program"));
            command.args(words);
            return command;
        };
        let mut command = Command::new(keeper);
        let capture = capture.map_or_else(|| "-".to_owned(), |number| number.to_string());
        command.arg0("lispwright").args(["keep", &link.to_string(), &capture]).args(words);
        command
    }

    /// The program that is started first: the launcher, if there is one.
    pub(crate) fn first_word(&self) -> &Path {
        self.launcher.first().map_or(&self.program, Path::new)
    }

    /// The command line: launcher, sandbox, program.
    fn words(&self) -> impl Iterator<Item = OsString> {
        let sandbox = self.confined.iter().flat_map(|confined| confined.prefix.iter().cloned());
        let program = self.arguments.iter().cloned();
        let command = sandbox.chain([self.program.clone().into()]).chain(program).collect();
        launcher::behind(&self.launcher, &self.directory, command).into_iter()
    }
}

/// Unblocks every signal for this thread and for the processes that it starts, which inherit its mask. Makes a system
/// call only.
pub(crate) fn unblock_signals() -> io::Result<()> {
    let mut all = MaybeUninit::uninit();
    // SAFETY: the first call fills the set that the second reads, and no other set is asked for.
    let done = unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::sigprocmask(libc::SIG_UNBLOCK, all.as_ptr(), std::ptr::null_mut())
    };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Gives up the controlling terminal, if there is one; makes system calls only.
fn leave_terminal() {
    if let Ok(terminal) = open(c"/dev/tty", OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()) {
        // SAFETY: the request takes no argument and changes nothing in memory.
        let _ = unsafe { ioctl(terminal, NoArg::<{ libc::TIOCNOTTY as Opcode }>::new()) };
    }
}

/// Interrupts a process that the server has not reaped, by `signals`.
pub(crate) fn send_interrupt(pid: Pid, signals: &[Signal]) {
    for signal in signals {
        // It may have ended already; then there is nothing to interrupt.
        let _ = kill_process(pid, *signal);
    }
}

/// Ends `child`, its process group, what `watch` knows of and everything that carries `mark`. Returns when they are
/// gone.
pub(crate) async fn end(child: &mut Ward, pid: Pid, watch: &Watch, mark: &str) {
    kill_family(child, pid, watch);
    // The wait cannot fail: nobody else waits for this child.
    if tokio::time::timeout(KEEPER_LIMIT, child.wait()).await.is_err() {
        // The keeper does not respond.
        kill_found(child, pid, watch);
        let _ = child.wait().await;
    }
    sweep(mark).await;
}

/// Makes the keeper end all its processes, or kills the ones that can be found without one.
pub(crate) fn kill_family(child: &mut Ward, pid: Pid, watch: &Watch) {
    match &mut child.keeper {
        Some((_, link)) => drop(link.take()),
        None => kill_found(child, pid, watch),
    }
}

/// Kills `child`, its process group and the processes that `watch` knows of.
fn kill_found(child: &mut Ward, pid: Pid, watch: &Watch) {
    // The child and what it keeps are not reaped yet, so the number still refers to this group.
    let is_there = child.id().is_some();
    if is_there {
        // Without a stop, processes that start each other without end would outrun the search.
        let _ = kill_process_group(pid, Signal::STOP);
    }
    // They can be found only before their parents end.
    let started = watch.started();
    if is_there {
        let _ = kill_process_group(pid, Signal::KILL);
        let _ = child.child.start_kill();
    }
    for process in started {
        let _ = kill_process(process, Signal::KILL);
    }
}

/// The first line that `program` writes when called with `argument`, if it looks like a version: a program with this
/// name may write anything.
pub(crate) async fn first_line(program: &Path, argument: &str) -> Option<String> {
    let mut command = Command::new(program);
    environment::entrust(command.as_std_mut());
    let mut child = command
        .arg(argument)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
    let (mut output, mut errors) = (child.stdout.take()?.take(MOST_OF_LINE), child.stderr.take()?.take(MOST_OF_LINE));
    let mut bytes = Vec::new();
    let reading = async {
        let count = output.read_to_end(&mut bytes).await?;
        // Some write it to their error output.
        if count == 0 { errors.read_to_end(&mut bytes).await } else { Ok(count) }
    };
    tokio::time::timeout(Duration::from_secs(5), reading).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line: String = text.lines().next()?.chars().filter(|character| !character.is_control()).collect();
    let line = line.trim();
    Some(line.char_indices().nth(MOST_SHOWN).map_or(line, |(cut, _)| &line[..cut]).to_owned())
}
