//! The directories that may be touched, and a handle for each.
//!
//! A client often starts a server in `/` or in the home directory, so the working directory does not name the project.
//! [`RootChoice`] settles which directories are asked for, [`Roots::open`] refuses directories that hold more than
//! one project and keeps an open handle for the others. Paths are resolved from those handles, see `walk.rs`.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::changes::{KeptChanges, Recorder};
use crate::error::{Error, LIBRARY_OPTION, RootFault};
use crate::identity::{Identity, identity_of, std_identity};
use crate::journal::News;
use crate::library::{Libraries, LibraryPlace};
use crate::lock::Locks;

/// Environment variables that may name the root, in order.
const ROOT_VARIABLES: [&str; 3] = ["LISPWRIGHT_ROOT", "MCP_PROJECT_ROOT", "CLAUDE_PROJECT_DIR"];

/// The source of the roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootSource {
    /// Named on the command line.
    Explicit,
    /// Named by this environment variable.
    Variable(&'static str),
    /// Given by the client that is served.
    Client,
    /// Set by a call.
    Call,
    /// The default when nobody names one.
    WorkingDirectory,
}

impl RootSource {
    /// The source of this process's roots, when `explicit` are those of the command line.
    pub fn from_environment(explicit: &[PathBuf]) -> Self {
        RootChoice::from_environment(explicit, Path::new("")).source
    }

    /// The source in words: an option, a variable, or what else it is.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RootSource::Explicit => "--root",
            RootSource::Variable(name) => name,
            RootSource::Client => "the client's roots",
            RootSource::Call => "the call",
            RootSource::WorkingDirectory => "the working directory",
        }
    }
}

/// The root that `directory` lies in, where none is open: the one that the environment names, else the working directory.
/// Both are absolute and without links; `None` for a directory outside of it.
pub fn root_around(directory: &Path) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let choice = RootChoice::from_environment(&[], &here);
    let root = choice.paths.first()?.canonicalize().ok()?;
    directory.starts_with(&root).then_some(root)
}

/// The directories that were asked for, not opened yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootChoice {
    /// At least one; relative paths start from the first.
    pub paths: Vec<PathBuf>,
    /// Their source.
    pub source: RootSource,
}

impl RootChoice {
    /// Those in `explicit`, else the first of `LISPWRIGHT_ROOT`, `MCP_PROJECT_ROOT` and `CLAUDE_PROJECT_DIR` that the
    /// environment knows and that is not empty, else `working_directory`.
    fn from_environment(explicit: &[PathBuf], working_directory: &Path) -> Self {
        Self::new(explicit, |name| std::env::var_os(name), working_directory)
    }

    fn new(explicit: &[PathBuf], variable: impl Fn(&str) -> Option<OsString>, working_directory: &Path) -> Self {
        if !explicit.is_empty() {
            return Self { paths: explicit.to_vec(), source: RootSource::Explicit };
        }
        for name in ROOT_VARIABLES {
            if let Some(value) = variable(name).filter(|value| !value.is_empty()) {
                return Self { paths: vec![value.into()], source: RootSource::Variable(name) };
            }
        }
        Self { paths: vec![working_directory.to_owned()], source: RootSource::WorkingDirectory }
    }
}

/// One allowed directory.
#[derive(Debug)]
pub(crate) struct Root {
    pub(crate) dir: Dir,
    /// Absolute, as given when it was opened.
    pub(crate) spelled: PathBuf,
    /// Absolute, without symbolic links.
    pub(crate) real: PathBuf,
    pub(crate) identity: Identity,
    pub(crate) writable: bool,
    /// No process that has ended is known to have left a change of several files half done here that cannot be taken back
    /// yet.
    pub(crate) is_settled: AtomicBool,
}

impl Root {
    pub(crate) fn open_library(path: &Path) -> Result<Self, Error> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Self::open(path, LIBRARY_OPTION, home.as_deref(), false)
    }

    fn open(path: &Path, source_name: &'static str, home: Option<&Path>, writable: bool) -> Result<Self, Error> {
        let fault = |fault| Error::Root { path: path.to_owned(), fault, source_name };
        let system = |error: io::Error| {
            fault(match error.kind() {
                io::ErrorKind::NotFound => RootFault::Missing,
                io::ErrorKind::PermissionDenied => RootFault::Denied,
                _ => RootFault::NotADirectory,
            })
        };
        if path.as_os_str().is_empty() {
            return Err(fault(RootFault::Unnamed));
        }
        let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(system)?;
        let real = path.canonicalize().map_err(system)?;
        let identity = identity_of(&dir).map_err(system)?;
        if let Some(found) = too_wide(&real, home) {
            return Err(fault(found));
        }
        let spelled = std::path::absolute(path).map_err(system)?;
        Ok(Self { dir, spelled, real, identity, writable, is_settled: AtomicBool::new(true) })
    }

    /// The name of the root still leads to the directory of the handle.
    pub(crate) fn is_present(&self) -> bool {
        std::fs::metadata(&self.real).is_ok_and(|now| std_identity(&now) == self.identity)
    }
}

/// Directories that hold the whole system or everybody's files. Directories below them are fine as roots.
const SHARED: &[&str] = &[
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/dev/shm",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/lost+found",
    "/media",
    "/mnt",
    "/nix",
    "/nix/store",
    "/opt",
    "/proc",
    "/run",
    "/run/user",
    "/sbin",
    "/snap",
    "/srv",
    "/sys",
    "/tmp",
    "/usr",
    "/usr/bin",
    "/usr/include",
    "/usr/lib",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/local",
    "/usr/local/bin",
    "/usr/local/lib",
    "/usr/local/share",
    "/usr/sbin",
    "/usr/share",
    "/usr/src",
    "/var",
    "/var/cache",
    "/var/lib",
    "/var/log",
    "/var/run",
    "/var/spool",
    "/var/tmp",
    "/Applications",
    "/Library",
    "/Network",
    "/System",
    "/Users",
    "/Volumes",
    "/cores",
    "/private",
    "/private/etc",
    "/private/tmp",
    "/private/var",
];

/// Directories below which the kernel makes up every entry.
const KERNEL: &[&str] = &["/proc", "/sys"];

/// Directories that hold home directories.
const HOMES: &[&str] = &["/home", "/Users", "/var/home"];

/// What a version control system has in the directory where its tree begins.
const VERSION_CONTROL: &[&str] = &[".git", ".hg", ".jj", ".svn"];

/// `directory`, absolute and without links, and the directories above it that belong to the same project: up to the one
/// where its version control begins, and before one that holds several projects, such as a home directory.
pub fn up_to_project(directory: &Path) -> impl Iterator<Item = &Path> {
    let mut is_over = false;
    directory.ancestors().take_while(move |above| {
        let is_inside = !is_over && !is_shared(above);
        is_over = is_over || VERSION_CONTROL.iter().any(|mark| above.join(mark).exists());
        is_inside
    })
}

/// The directory where the version control that `directory` belongs to begins; `directory` is absolute and without links.
pub(crate) fn version_control_around(directory: &Path) -> Option<&Path> {
    up_to_project(directory).find(|above| begins_version_control(above))
}

/// The version control of a project begins in `directory`.
#[must_use]
pub fn begins_version_control(directory: &Path) -> bool {
    VERSION_CONTROL.iter().any(|mark| directory.join(mark).exists())
}

/// `directory`, absolute, holds more than one project: it cannot be a root.
pub fn is_shared(directory: &Path) -> bool {
    too_wide(directory, std::env::var_os("HOME").map(PathBuf::from).as_deref()).is_some()
}

/// The reason why `real`, absolute and without links, holds more than one project.
fn too_wide(real: &Path, home: Option<&Path>) -> Option<RootFault> {
    let home_real =
        home.filter(|home| home.is_absolute()).map(|home| home.canonicalize().unwrap_or_else(|_| home.into()));
    if real == Path::new("/root") || home_real.is_some_and(|home| home == real) {
        return Some(RootFault::Home);
    }
    if SHARED.iter().any(|shared| real == Path::new(shared)) || KERNEL.iter().any(|kernel| real.starts_with(kernel)) {
        return Some(RootFault::System);
    }
    let parent = real.parent()?;
    HOMES.iter().any(|homes| parent == Path::new(homes)).then_some(RootFault::Home)
}

/// The directories that a program may work in. Clones are cheap and share everything.
#[derive(Clone, Debug)]
pub struct Roots {
    pub(crate) shared: Arc<Shared>,
    /// What keeps the changes that are made through this clone.
    pub(crate) recorder: Option<Recorder>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    /// At least one, in the order given.
    pub(crate) writable: Vec<Arc<Root>>,
    pub(crate) readable: RwLock<Vec<Arc<Root>>>,
    /// More of those, which are opened when a path leads out of all others.
    pub(crate) libraries: Option<Libraries>,
    pub(crate) locks: Locks,
    pub(crate) lock_wait: Duration,
    /// Shows the absolute paths of files, below the first root too.
    pub(crate) show_absolute: bool,
    pub(crate) news: News,
}

impl Roots {
    /// The time that a write waits for other writers of the same file.
    pub const LOCK_WAIT: Duration = Duration::from_secs(5);

    /// Opens a handle for each directory of `choice`. `home` is the user's home directory, which is refused as a root.
    ///
    /// Fails with [`Error::Root`] for the first directory that is missing, is not a directory, or holds more than one
    /// project.
    pub fn open(choice: &RootChoice, home: Option<&Path>) -> Result<Self, Error> {
        let name = choice.source.name();
        let mut writable: Vec<Arc<Root>> = Vec::new();
        for path in &choice.paths {
            let root = Root::open(path, name, home, true)?;
            if !writable.iter().any(|known| known.identity == root.identity) {
                writable.push(Arc::new(root));
            }
        }
        if writable.is_empty() {
            return Err(Error::Root { path: PathBuf::new(), fault: RootFault::Unnamed, source_name: name });
        }
        let shared = Shared {
            writable,
            readable: RwLock::default(),
            libraries: None,
            locks: Locks::default(),
            lock_wait: Self::LOCK_WAIT,
            show_absolute: false,
            news: News::default(),
        };
        Ok(Self { shared: Arc::new(shared), recorder: None })
    }

    /// The same roots; all that is written through the result and its clones is one change, which `what` makes and which
    /// is kept among `changes`.
    #[must_use]
    pub fn recording(&self, changes: &KeptChanges, what: &str) -> Self {
        let recorder = Recorder::new(changes, self.primary(), what);
        Self { shared: self.shared.clone(), recorder: Some(recorder) }
    }

    /// What is written through these roots is kept as one change.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.recorder.is_some()
    }

    /// The roots that the command line, the environment and the working directory of this process ask for.
    pub fn from_environment(explicit: &[PathBuf]) -> Result<Self, Error> {
        Self::guessed(explicit, |_| None)
    }

    /// The same, where `around` gives the directory that counts for the working directory, which is absolute and without
    /// links; without one, the working directory itself counts.
    pub fn guessed(explicit: &[PathBuf], around: impl FnOnce(&Path) -> Option<PathBuf>) -> Result<Self, Error> {
        let working_directory = std::env::current_dir().map_err(|error| Error::Root {
            path: PathBuf::from("."),
            fault: if error.kind() == io::ErrorKind::PermissionDenied { RootFault::Denied } else { RootFault::Missing },
            source_name: RootSource::WorkingDirectory.name(),
        });
        let fallback = working_directory.as_deref().unwrap_or(Path::new(""));
        let mut choice = RootChoice::from_environment(explicit, fallback);
        if choice.source == RootSource::WorkingDirectory {
            let here = working_directory?;
            if let Some(directory) = here.canonicalize().ok().and_then(|here| around(&here)) {
                choice.paths = vec![directory];
            }
        }
        Self::open(&choice, std::env::var_os("HOME").map(PathBuf::from).as_deref())
    }

    /// The directories that a client calls its roots: those of `paths`, at least one, that can be roots.
    ///
    /// Fails with the fault of the first when none can.
    pub fn of_client(paths: &[PathBuf]) -> Result<Self, Error> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let open = |paths: &[PathBuf]| {
            Self::open(&RootChoice { paths: paths.to_vec(), source: RootSource::Client }, home.as_deref())
        };
        let fit: Vec<PathBuf> = paths.iter().filter(|path| open(std::slice::from_ref(path)).is_ok()).cloned().collect();
        open(if fit.is_empty() { paths } else { &fit })
    }

    /// The directory that a call names as the root.
    ///
    /// Fails with [`Error::Root`] if it cannot be one.
    pub fn of_call(path: &Path) -> Result<Self, Error> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Self::open(&RootChoice { paths: vec![path.to_owned()], source: RootSource::Call }, home.as_deref())
    }

    /// The same directories with another waiting time for locks.
    #[must_use]
    pub fn with_lock_wait(&self, lock_wait: Duration) -> Self {
        let readable = self.shared.readable.read().unwrap_or_else(PoisonError::into_inner).clone();
        let shared = Shared {
            writable: self.shared.writable.clone(),
            readable: RwLock::new(readable),
            libraries: self.shared.libraries.clone(),
            locks: Locks::default(),
            lock_wait,
            show_absolute: self.shared.show_absolute,
            news: News::default(),
        };
        Self { shared: Arc::new(shared), recorder: self.recorder.clone() }
    }

    /// The same directories, and the places of libraries that `places` gives at the moment when a path leads out of all
    /// others; what was given once stays readable.
    #[must_use]
    pub fn with_libraries(&self, places: impl Fn() -> Vec<LibraryPlace> + Send + Sync + 'static) -> Self {
        let readable = self.shared.readable.read().unwrap_or_else(PoisonError::into_inner).clone();
        let shared = Shared {
            writable: self.shared.writable.clone(),
            readable: RwLock::new(readable),
            libraries: Some(Libraries::new(places)),
            locks: Locks::default(),
            lock_wait: self.shared.lock_wait,
            show_absolute: self.shared.show_absolute,
            news: News::default(),
        };
        Self { shared: Arc::new(shared), recorder: self.recorder.clone() }
    }

    /// Adds a directory whose files may be read and never written, such as the sources of a library that an image has
    /// loaded. Adding one twice does no harm. Shared directories are refused as in [`Roots::open`].
    pub fn add_read_only(&self, path: &Path) -> Result<(), Error> {
        self.add(Root::open_library(path)?);
        Ok(())
    }

    /// Adds a directory for reading, unless it is known; whether it was added.
    pub(crate) fn add(&self, root: Root) -> bool {
        let mut readable = self.shared.readable.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = !readable.iter().any(|known| known.identity == root.identity);
        if is_new {
            readable.push(Arc::new(root));
        }
        is_new
    }

    /// The start of relative paths: absolute, without symbolic links.
    #[must_use]
    pub fn primary(&self) -> &Path {
        &self.first().real
    }

    /// The writable roots in the order given: absolute, without symbolic links.
    pub fn writable(&self) -> impl Iterator<Item = &Path> {
        self.shared.writable.iter().map(|root| root.real.as_path())
    }

    pub(crate) fn first(&self) -> &Arc<Root> {
        self.shared.writable.first().expect("Roots::open refuses an empty list")
    }

    /// Every root, writable ones first.
    pub(crate) fn all(&self) -> Vec<Arc<Root>> {
        let readable = self.shared.readable.read().unwrap_or_else(PoisonError::into_inner);
        self.shared.writable.iter().chain(readable.iter()).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_wide(path: &str, expected: Option<RootFault>) {
        assert_eq!(too_wide(Path::new(path), Some(Path::new("/data/people/ada"))), expected, "{path}");
    }

    #[test]
    fn shared_directories_are_too_wide_and_projects_are_not() {
        for path in ["/", "/home", "/tmp", "/usr", "/etc", "/var", "/opt", "/usr/share", "/proc/1/cwd", "/sys/class"] {
            check_wide(path, Some(RootFault::System));
        }
        for path in ["/root", "/home/ada", "/Users/ada", "/data/people/ada"] {
            check_wide(path, Some(RootFault::Home));
        }
        for path in [
            "/tmp/x",
            "/home/ada/x",
            "/root/x",
            "/workspace",
            "/srv/x",
            "/data/people/ada/x",
            "/data/people",
            "/var/lib/x",
        ] {
            check_wide(path, None);
        }
    }

    #[track_caller]
    fn check_choice(explicit: &[&str], variables: &[(&str, &str)], path: &str, source: RootSource) {
        let explicit: Vec<PathBuf> = explicit.iter().map(PathBuf::from).collect();
        let lookup = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        let choice = RootChoice::new(&explicit, lookup, Path::new("/cwd"));
        assert_eq!(choice, RootChoice { paths: vec![path.into()], source });
    }

    #[test]
    fn sources_in_order() {
        let all = [("CLAUDE_PROJECT_DIR", "/c"), ("MCP_PROJECT_ROOT", "/m"), ("LISPWRIGHT_ROOT", "/l")];
        check_choice(&["/x"], &all, "/x", RootSource::Explicit);
        check_choice(&[], &all, "/l", RootSource::Variable("LISPWRIGHT_ROOT"));
        check_choice(&[], &all[..2], "/m", RootSource::Variable("MCP_PROJECT_ROOT"));
        check_choice(&[], &all[..1], "/c", RootSource::Variable("CLAUDE_PROJECT_DIR"));
        check_choice(&[], &[("LISPWRIGHT_ROOT", ""), ("HOME", "/h")], "/cwd", RootSource::WorkingDirectory);
    }
}
