//! `--sandbox`: which mechanism keeps workers in, how their command lines change, and what is true of them then.
//!
//! A confined worker reads what it likes and writes below the project's roots, a cache directory of its own kind, and a
//! temporary directory that is removed with it. The saved images lie outside, so that nothing it does outlives the
//! sandbox by way of an image that another worker starts from. Where neither mechanism works no worker starts.

use std::ffi::OsString;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::confine::{self, Network, Reach};
use crate::environment::{default_cache, find_program};

/// Which mechanism is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxChoice {
    /// Landlock when it can restrict the network, else bubblewrap, else Landlock for files only.
    Auto,
    /// The kernel's Landlock.
    Landlock,
    /// The program `bwrap`.
    Bubblewrap,
}

/// How workers are to be confined.
#[derive(Clone, Debug)]
pub struct SandboxConfig {
    /// The mechanism.
    pub choice: SandboxChoice,
    /// The program whose command `confine` calls [`become_confined`](crate::become_confined): this one, as a rule.
    pub program: PathBuf,
    /// The directories below which workers may write: the project's roots.
    pub writable: Vec<PathBuf>,
}

/// The mechanism that is used.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mechanism {
    Landlock(Reach),
    Bubblewrap(PathBuf),
}

/// A sandbox that works here.
#[derive(Debug)]
pub(crate) struct Sandbox {
    mechanism: Mechanism,
    program: PathBuf,
    /// The roots, and the cache of confined workers.
    writable: Vec<PathBuf>,
    /// Where confined workers keep what they compile.
    cache: Option<PathBuf>,
    /// What the temporary directories of its workers lie in; removed with it.
    scratch: Scratch,
}

/// A directory that is removed with this.
#[derive(Debug)]
struct Scratch(PathBuf);

impl Scratch {
    fn new(path: PathBuf) -> std::io::Result<Self> {
        std::fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Links in it are removed, not followed.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The sandbox as one worker has it. Its temporary directory is removed with it.
#[derive(Debug)]
pub(crate) struct Confined {
    /// The words in front of the worker's program.
    pub(crate) prefix: Vec<OsString>,
    /// What differs in its environment.
    pub(crate) environment: Vec<(&'static str, OsString)>,
    /// Where it keeps what it compiles.
    pub(crate) cache: PathBuf,
    /// Its temporary directory.
    pub(crate) scratch: PathBuf,
    _directory: Scratch,
    _sandbox: Arc<Sandbox>,
}

impl Sandbox {
    /// The sandbox that `config` asks for, with temporary directories in one called `name`; why there can be none.
    pub(crate) fn find(config: &SandboxConfig, cache: Option<PathBuf>, name: &str) -> Result<Self, String> {
        let mechanism = mechanism(config.choice, confine::reach(), &|| working_bubblewrap(find_program("bwrap")))?;
        let cannot = |path: &Path, error: std::io::Error| {
            let why = format!("--sandbox: {} cannot be made: {error}", path.display());
            format!(
                "{why}. No worker is started without it: set TMPDIR and XDG_CACHE_HOME to directories that can be written."
            )
        };
        let scratch = std::env::temp_dir().join(name);
        let scratch = Scratch::new(scratch.clone()).map_err(|error| cannot(&scratch, error))?;
        let cache = cache.or_else(default_cache).map(|cache| cache.join("sandboxed"));
        // Without a usable cache its workers compile into their temporary directories.
        let cache = cache.filter(|cache| std::fs::create_dir_all(cache).is_ok());
        let writable = config.writable.iter().chain(&cache).cloned().collect();
        Ok(Self { mechanism, program: config.program.clone(), writable, cache, scratch })
    }

    /// What one more worker needs that may do so much on the network, or why it cannot be confined.
    pub(crate) fn confined(self: &Arc<Self>, name: &str, network: Network) -> Result<Confined, String> {
        if network == Network::Listen && matches!(self.mechanism, Mechanism::Bubblewrap(_)) {
            return Err(
                "--sandbox: bubblewrap takes the whole network away, and an nREPL server needs a port. Start a server \
                 yourself and attach to it, or use a kernel with Landlock"
                    .to_owned(),
            );
        }
        let directory = self.scratch.0.join(name.rsplit('-').next().unwrap_or(name));
        let directory = Scratch::new(directory)
            .map_err(|error| format!("--sandbox: no temporary directory for a worker: {error}"))?;
        let scratch = directory.0.clone();
        let cache = self.cache.clone().unwrap_or_else(|| scratch.clone());
        let mut environment: Vec<_> =
            ["TMPDIR", "TMP", "TEMP"].map(|name| (name, scratch.clone().into_os_string())).into();
        environment.push(("XDG_CACHE_HOME", cache.clone().into_os_string()));
        let prefix = self.prefix(network, &scratch);
        Ok(Confined { prefix, environment, cache, scratch, _directory: directory, _sandbox: Arc::clone(self) })
    }

    fn prefix(&self, network: Network, scratch: &Path) -> Vec<OsString> {
        let writable = self.writable.iter().map(PathBuf::as_path).chain([scratch]);
        let mut words: Vec<OsString> = Vec::new();
        match &self.mechanism {
            Mechanism::Landlock(reach) => {
                let network = if reach.network { network } else { Network::Open };
                words.extend([self.program.clone().into(), "confine".into()]);
                words.extend(["--network", network.as_str()].map(OsString::from));
                words.extend(reach.scopes.then(|| "--scoped".into()));
                words.extend(writable.flat_map(|path| ["--write".into(), path.into()]));
            }
            Mechanism::Bubblewrap(program) => {
                words.push(program.into());
                words.extend(BUBBLEWRAP.map(OsString::from));
                words.extend(writable.flat_map(|path| ["--bind".into(), path.into(), path.into()]));
            }
        }
        words.push("--".into());
        words
    }

    /// What is true of the workers, in a sentence or two.
    pub(crate) fn describe(&self) -> String {
        let places = self.writable.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        let files = format!("writing only below {places} and a temporary directory each; reading as usual");
        match &self.mechanism {
            Mechanism::Landlock(reach) => {
                let network = if reach.network {
                    "no TCP, except that a started nREPL server listens; UDP is not restricted"
                } else {
                    "the network is not restricted, for which Landlock needs Linux 6.7"
                };
                let scopes = if reach.scopes {
                    "no signals to processes outside"
                } else {
                    "signals are not restricted, for which Landlock needs Linux 6.12"
                };
                format!("Landlock: {files}; {network}; {scopes}; file modes and owners are not restricted.")
            }
            Mechanism::Bubblewrap(_) => {
                format!("bubblewrap: {files}; no network at all; no capabilities; signals are not restricted.")
            }
        }
    }

    /// The word for the mechanism.
    pub(crate) fn name(&self) -> &'static str {
        match self.mechanism {
            Mechanism::Landlock(_) => "landlock",
            Mechanism::Bubblewrap(_) => "bubblewrap",
        }
    }

    /// Where the temporary directories are.
    pub(crate) fn scratch(&self) -> &Path {
        &self.scratch.0
    }
}

/// The files as they are and read-only, devices of its own, no network. Processes keep their numbers, by which the server
/// reaches them. Started by root, `bwrap` would leave the right to undo all this.
const BUBBLEWRAP: [&str; 10] = [
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--unshare-net",
    "--unshare-ipc",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
];

/// The mechanism for `choice` on a kernel that can do what `reach` says.
fn mechanism(
    choice: SandboxChoice,
    reach: Option<Reach>,
    bubblewrap: &dyn Fn() -> Result<PathBuf, String>,
) -> Result<Mechanism, String> {
    let landlock = reach.ok_or("this kernel has no Landlock that protects files (Linux 6.2 or later, with landlock in its list of security modules)");
    let refuse = |why: String| {
        Err(format!(
            "--sandbox: {why}. No worker is started without it: mend that, or start the server without --sandbox."
        ))
    };
    match (choice, landlock) {
        (SandboxChoice::Landlock, Ok(reach)) => Ok(Mechanism::Landlock(reach)),
        (SandboxChoice::Landlock, Err(why)) => refuse(why.to_owned()),
        (SandboxChoice::Auto, Ok(reach)) if reach.network => Ok(Mechanism::Landlock(reach)),
        (SandboxChoice::Bubblewrap, _) => bubblewrap().map(Mechanism::Bubblewrap).or_else(refuse),
        (SandboxChoice::Auto, landlock) => match (bubblewrap(), landlock) {
            (Ok(program), _) => Ok(Mechanism::Bubblewrap(program)),
            (Err(_), Ok(reach)) => Ok(Mechanism::Landlock(reach)),
            (Err(other), Err(why)) => refuse(format!("{why}, and {other}")),
        },
    }
}

/// `program`, if it can do here what is asked of it; else why not.
fn working_bubblewrap(program: Option<PathBuf>) -> Result<PathBuf, String> {
    let program = program.ok_or("bubblewrap is not installed (apt-get install bubblewrap)")?;
    let tried = Command::new(&program).args(BUBBLEWRAP).args(["--", "true"]).stdin(Stdio::null()).output();
    match tried {
        Ok(output) if output.status.success() => Ok(program),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!("bubblewrap does not work here ({})", said.lines().next().unwrap_or("it said nothing").trim()))
        }
        Err(error) => Err(format!("bubblewrap does not start ({error})")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const FULL: Option<Reach> = Some(Reach { network: true, scopes: true });
    const FILES: Option<Reach> = Some(Reach { network: false, scopes: false });

    fn works() -> Result<PathBuf, String> {
        Ok("/usr/bin/bwrap".into())
    }

    fn fails() -> Result<PathBuf, String> {
        Err("bubblewrap is not installed".to_owned())
    }

    #[test]
    fn the_mechanism_that_restricts_most_is_taken() {
        use SandboxChoice::{Auto, Bubblewrap, Landlock};
        let name = |choice, reach, bubblewrap: &dyn Fn() -> Result<PathBuf, String>| {
            mechanism(choice, reach, bubblewrap).map(|mechanism| match mechanism {
                Mechanism::Landlock(_) => "landlock",
                Mechanism::Bubblewrap(_) => "bubblewrap",
            })
        };
        assert_eq!(name(Auto, FULL, &works).unwrap(), "landlock");
        assert_eq!(name(Auto, FILES, &works).unwrap(), "bubblewrap");
        assert_eq!(name(Auto, FILES, &fails).unwrap(), "landlock");
        assert_eq!(name(Auto, None, &works).unwrap(), "bubblewrap");
        assert_eq!(name(Landlock, FILES, &works).unwrap(), "landlock");
        assert_eq!(name(Bubblewrap, FULL, &works).unwrap(), "bubblewrap");
        for (choice, reach) in [(Auto, None), (Landlock, None), (Bubblewrap, FULL)] {
            let why = name(choice, reach, &fails).unwrap_err();
            assert!(why.contains("No worker is started without it"), "{why}");
        }
    }

    #[test]
    fn a_program_that_is_no_bubblewrap_is_found_out() {
        assert!(working_bubblewrap(None).unwrap_err().contains("apt-get install bubblewrap"));
        assert!(working_bubblewrap(Some("/bin/false".into())).unwrap_err().contains("does not work here"));
        assert!(working_bubblewrap(Some("/nonexistent/bwrap".into())).unwrap_err().contains("does not start"));
    }

    #[test]
    fn a_workers_directory_lasts_as_long_as_the_worker() {
        let root = tempfile::tempdir().unwrap();
        let sandbox = Arc::new(Sandbox {
            mechanism: Mechanism::Landlock(Reach { network: false, scopes: true }),
            program: "/opt/lispwright".into(),
            writable: vec!["/project".into()],
            cache: None,
            scratch: Scratch::new(root.path().join("scratch")).unwrap(),
        });
        let confined = sandbox.confined("1-2-3", Network::None).unwrap();
        assert!(confined.scratch.is_dir());
        let words: Vec<&str> = confined.prefix.iter().map(|word| word.to_str().unwrap()).collect();
        let own = confined.scratch.to_str().unwrap();
        assert_eq!(
            words,
            [
                "/opt/lispwright",
                "confine",
                "--network",
                "open",
                "--scoped",
                "--write",
                "/project",
                "--write",
                own,
                "--"
            ]
        );
        assert!(confined.environment.contains(&("TMPDIR", own.into())));
        let scratch = confined.scratch.clone();
        std::fs::create_dir(scratch.join("inside")).unwrap();
        std::os::unix::fs::symlink("/", scratch.join("link")).unwrap();
        drop(confined);
        assert!(!scratch.exists() && root.path().join("scratch").exists());
        drop(sandbox);
        assert!(!root.path().join("scratch").exists());
    }
}
