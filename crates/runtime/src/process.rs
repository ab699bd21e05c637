//! Starting worker processes so that nothing they do reaches the server, and ending them so that nothing of them is left.
//!
//! A worker leads its own session and process group, has the protocol on descriptors 0 and 1, one extra pipe for what
//! code prints to descriptor 1, and descriptor 2 as a pipe. Every process it starts inherits a marker in its
//! environment, by which also those are found that have left the group.
//! A [`Guard`] ends all workers when the server itself is killed.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Signal, getpid, getppid, kill_process, kill_process_group, set_parent_process_death_signal, setsid,
};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::sandbox::Confined;
use crate::watch::Watch;

/// The environment variable that marks a worker and all that it starts.
const MARK: &str = "LISPWRIGHT_WORKER";

/// The environment variable by which a copy of a worker marks what it starts.
const BRANCH: &str = "LISPWRIGHT_BRANCH";

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
            .envs(std::env::vars_os().filter(|(name, _)| !is_secret(name)))
            .envs(self.confined.iter().flat_map(|confined| confined.environment.iter().cloned()))
            .env(MARK, &self.mark)
            .kill_on_drop(true);
        let number = stdout_end.as_raw_fd();
        let inherits = self.launcher.is_empty();
        if inherits {
            command.env("LISPWRIGHT_CAPTURE", number.to_string());
        }
        let server = getpid();
        // SAFETY: the closure makes only system calls, which are allowed between fork and exec, and `number` is open
        // in the child because `stdout_end` lives until after the spawn.
        unsafe {
            command.pre_exec(move || {
                setsid()?;
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

    /// The command line: launcher, sandbox, program.
    fn words(&self) -> impl Iterator<Item = &OsStr> {
        let sandbox = self.confined.iter().flat_map(|confined| confined.prefix.iter().map(OsString::as_os_str));
        let program = self.arguments.iter().map(OsString::as_os_str);
        self.launcher.iter().map(OsStr::new).chain(sandbox).chain([self.program.as_os_str()]).chain(program)
    }
}

/// Whether an environment variable names a credential, which evaluated code has no business with.
pub(crate) fn is_secret(name: &OsStr) -> bool {
    const WORDS: [&str; 14] = [
        "TOKEN",
        "TOKENS",
        "KEY",
        "KEYS",
        "APIKEY",
        "SECRET",
        "SECRETS",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "AUTH",
        "CREDENTIAL",
        "CREDENTIALS",
        "COOKIE",
    ];
    name.to_string_lossy().to_ascii_uppercase().split(['_', '-', '.']).any(|word| WORDS.contains(&word))
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
    // Before their parents end.
    let started = watch.started();
    if child.id().is_some() {
        // Not reaped yet, so the number still means this group.
        let _ = kill_process_group(pid, Signal::KILL);
        let _ = child.start_kill();
    }
    for process in started {
        let _ = kill_process(process, Signal::KILL);
    }
}

/// Ends every process that carries `mark`.
pub(crate) async fn sweep(mark: &str) {
    sweep_entry(format!("{MARK}={mark}\0")).await;
}

/// Ends every process that the copy of a worker with the mark `branch` has started.
pub(crate) async fn sweep_branch(branch: &str) {
    sweep_entry(format!("{BRANCH}={branch}\0")).await;
}

async fn sweep_entry(entry: String) {
    let entry = entry.into_bytes();
    // A process can start another while the table is read, so one clean pass is needed to be sure.
    for _ in 0..50 {
        let entry = entry.clone();
        let found = tokio::task::spawn_blocking(move || kill_marked(&entry)).await.unwrap_or(0);
        if found == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn kill_marked(entry: &[u8]) -> usize {
    carriers(entry).into_iter().filter(|pid| kill_process(*pid, Signal::KILL).is_ok()).count()
}

/// Every process that carries `mark`. Reads the whole process table.
pub(crate) fn marked(mark: &str) -> Vec<Pid> {
    carriers(format!("{MARK}={mark}\0").as_bytes())
}

/// The processes with `entry` in the environment that they were started with.
fn carriers(entry: &[u8]) -> Vec<Pid> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let carries = |process: std::fs::DirEntry| {
        let pid = process.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw)?;
        let environment = std::fs::read(process.path().join("environ")).ok()?;
        memchr::memmem::find(&environment, entry).map(|_| pid)
    };
    processes.filter_map(carries).collect()
}

/// Outlives the server by a moment, to end the workers of a server that was killed.
///
/// It is a shell that reads the numbers of process groups from a pipe. When the pipe ends it kills the groups and the
/// processes that carry the server's mark, and removes the server's temporary directory. One that was killed itself is
/// replaced with the next worker; in the meantime the kernel ends the workers with the server, and only what they have
/// started is left.
pub(crate) struct Guard {
    prefix: String,
    scratch: Option<PathBuf>,
    watched: Mutex<Watched>,
}

#[derive(Default)]
struct Watched {
    pipe: Option<std::process::ChildStdin>,
    groups: Vec<Pid>,
}

const GUARD: &str = r#"trap '' INT TERM HUP QUIT
groups=
while read -r change group; do
  case $change in
    +) groups="$groups $group" ;;
    -) left=; for each in $groups; do [ "$each" = "$group" ] || left="$left $each"; done; groups=$left ;;
  esac
done
for group in $groups; do kill -9 -"$group" 2>/dev/null; done
for file in $(grep -l "LISPWRIGHT_WORKER=$1" /proc/[0-9]*/environ 2>/dev/null); do
  process=${file#/proc/}; process=${process%/environ}
  [ "$process" = $$ ] || kill -9 "$process" 2>/dev/null
done
[ -z "$2" ] || rm -rf -- "$2"
"#;

impl Guard {
    /// Starts the guard of the server whose marks all begin with `prefix` and whose temporary directory is `scratch`.
    pub(crate) fn start(prefix: &str, scratch: Option<&Path>) -> Self {
        let guard = Self { prefix: prefix.to_owned(), scratch: scratch.map(Path::to_owned), watched: Mutex::default() };
        guard.watched().pipe = guard.shell();
        guard
    }

    fn watched(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shell(&self) -> Option<std::process::ChildStdin> {
        use std::os::unix::process::CommandExt as _;
        // Its name is not the server's, so that who kills all of that name leaves it.
        let started = std::process::Command::new("sh")
            .args(["-c", GUARD, "worker-guard", &self.prefix])
            .args(&self.scratch)
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match started {
            Ok(mut child) => {
                let pipe = child.stdin.take();
                // The guard ends after this process or, in tests, when it is dropped: somebody has to reap it then.
                std::thread::spawn(move || child.wait());
                pipe
            }
            Err(error) => {
                tracing::warn!(%error, "no shell to guard the workers: what they start may outlive the server");
                None
            }
        }
    }

    /// Tells the guard of a worker's group.
    pub(crate) fn watch(&self, group: Pid) {
        let mut watched = self.watched();
        watched.groups.push(group);
        if !watched.tell('+', group) {
            watched.pipe = self.shell();
            for group in watched.groups.clone() {
                watched.tell('+', group);
            }
        }
    }

    /// Tells the guard that a group is gone.
    pub(crate) fn forget(&self, group: Pid) {
        let mut watched = self.watched();
        watched.groups.retain(|other| *other != group);
        // A guard that is gone has forgotten it.
        watched.tell('-', group);
    }
}

impl Watched {
    /// Says so, if there is somebody to hear it.
    fn tell(&mut self, change: char, group: Pid) -> bool {
        let told = self.pipe.as_mut().is_some_and(|pipe| writeln!(pipe, "{change} {}", group.as_raw_nonzero()).is_ok());
        if !told {
            self.pipe = None;
        }
        told
    }
}

/// The first line that `program` writes when called with `argument`.
pub(crate) async fn first_line(program: &Path, argument: &str) -> Option<String> {
    let call = Command::new(program).arg(argument).stdin(Stdio::null()).kill_on_drop(true).output();
    let output = tokio::time::timeout(Duration::from_secs(5), call).await.ok()?.ok()?;
    Some(String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned())
}

/// The first executable file called `name` in the directories of `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let executable =
        |path: &Path| path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|directory| directory.join(name))
        .find(|path| executable(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_told_by_their_names() {
        for name in ["GITHUB_TOKEN", "OPENAI_API_KEY", "aws_secret_access_key", "SSH_AUTH_SOCK", "DB_PASSWORD"] {
            assert!(is_secret(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "HOME", "GIT_AUTHOR_NAME", "KEYBOARD", "LANG", "MONKEY"] {
            assert!(!is_secret(OsStr::new(name)), "{name}");
        }
    }
}
