//! The process that ends the workers of a server that was itself killed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lispwright_platform::{Here, System as _};
use rustix::process::Pid;

use crate::environment::trusted_path;

/// A process that outlives the server by a moment, to end the workers of a server that was killed.
///
/// It is a shell that reads the numbers of process groups from a pipe. When the pipe ends it kills the groups and the
/// processes that carry the server's mark, and removes the server's temporary directory. A guard that was killed itself
/// is replaced with the next worker; in the meantime the kernel ends the workers with the server, and only their child
/// processes are left.
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

/// Its script, without the commands that find the processes with a mark, which depend on the system.
const GUARD: [&str; 2] = [
    r#"trap '' INT TERM HUP QUIT
groups=
while read -r change group; do
  case $change in
    +) groups="$groups $group" ;;
    -) left=; for each in $groups; do [ "$each" = "$group" ] || left="$left $each"; done; groups=$left ;;
  esac
done
for group in $groups; do kill -9 -"$group" 2>/dev/null; done
"#,
    r#"
[ -z "$2" ] || rm -rf -- "$2" || { chmod -R u+rwx -- "$2"; rm -rf -- "$2"; }
"#,
];

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
        // Its name is not the server's, so that killing all processes of that name spares it.
        let started = std::process::Command::new("sh")
            .args(["-c", &GUARD.join(Here::KILL_MARKED), "worker-guard", &self.prefix])
            .args(&self.scratch)
            .env_clear()
            .env("PATH", trusted_path())
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match started {
            Ok(mut child) => {
                let pipe = child.stdin.take();
                // The guard ends after this process or, in tests, when it is dropped; then it has to be reaped.
                std::thread::spawn(move || child.wait());
                pipe
            }
            Err(error) => {
                tracing::warn!(%error, "no shell to guard the workers: what they start may outlive the server");
                None
            }
        }
    }

    /// Adds a worker's group to the guard's list.
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

    /// Removes a group from the guard's list.
    pub(crate) fn forget(&self, group: Pid) {
        let mut watched = self.watched();
        watched.groups.retain(|other| *other != group);
        // If this fails, the guard is gone, and its list with it.
        watched.tell('-', group);
    }
}

impl Watched {
    /// Sends a change to the guard; false when the guard is gone.
    fn tell(&mut self, change: char, group: Pid) -> bool {
        let told = self.pipe.as_mut().is_some_and(|pipe| writeln!(pipe, "{change} {}", group.as_raw_nonzero()).is_ok());
        if !told {
            self.pipe = None;
        }
        told
    }
}
