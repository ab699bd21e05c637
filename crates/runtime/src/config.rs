//! The configuration of workers, fixed for the whole server.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::backends::Runtime;
use crate::environment::default_cache;
use crate::sandbox::SandboxConfig;

/// The configuration of workers.
#[derive(Clone, Debug)]
pub struct Config {
    /// The working directory of the images: the project root.
    pub root: PathBuf,
    /// The directory for saved images; `None` means the user's cache directory.
    pub cache: Option<PathBuf>,
    /// Programs instead of those on `PATH`, by the names of their runtimes.
    pub programs: BTreeMap<&'static str, PathBuf>,
    /// The runtime of a session that is made without one; `None` means the one for most source files below the root.
    pub runtime: Option<Runtime>,
    /// A command in front of every worker that carries its standard input and output (`ssh host`, `bwrap ...`).
    pub launcher: Vec<String>,
    /// This program, as the keeper of workers; `None` means no keeper.
    pub keeper: Option<PathBuf>,
    /// The sandbox of workers, if they have one.
    pub sandbox: Option<SandboxConfig>,
    /// The limit on the number of sessions.
    pub max_sessions: usize,
    /// The time that an image may be idle before it is ended; `None` means without limit.
    pub max_idle: Option<Duration>,
    /// The heap of an image in megabytes. [`Config::memory_limit`] bounds all processes of an image together.
    pub heap_megabytes: u32,
    /// The limit on the number of an image's processes.
    pub max_processes: u32,
    /// The number of bytes that one call may print to one descriptor before it is interrupted.
    pub output_limit: u64,
    /// Keeps a worker ready once the first session has started.
    pub spare: bool,
}

impl Config {
    /// The directory for saved images; `None` if there can be none.
    pub(crate) fn cache_directory(&self) -> Option<PathBuf> {
        self.cache.clone().or_else(default_cache)
    }

    /// The defaults: 8 sessions, twelve hours, heaps of 2 GB, 512 processes, 8 MB of output, no sandbox, a
    /// spare.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            cache: None,
            programs: BTreeMap::new(),
            runtime: None,
            launcher: Vec::new(),
            keeper: None,
            sandbox: None,
            max_sessions: 8,
            max_idle: Some(Duration::from_secs(12 * 3600)),
            heap_megabytes: 2048,
            max_processes: 512,
            output_limit: 8 << 20,
            spare: true,
        }
    }

    /// The megabytes that an image, its copies and their processes may use together: a full heap, and a quarter of it
    /// and 256 MB more for everything else.
    pub fn memory_limit(&self) -> u64 {
        let heap = u64::from(self.heap_megabytes);
        heap + heap / 4 + 256
    }

    /// The program that runs `runtime`, if there is one.
    pub(crate) fn program(&self, runtime: Runtime) -> Option<PathBuf> {
        self.programs.get(runtime.name).cloned().or_else(|| runtime.find())
    }
}
